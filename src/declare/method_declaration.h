/*
 * method_declaration.h
 *		A method as declarations see it: its table of parameters, what it needs of the source, what it keeps of the past,
 *		and what it can do.
 */
#ifndef PPREPUB_DECLARE_METHOD_DECLARATION_H
#define PPREPUB_DECLARE_METHOD_DECLARATION_H

typedef enum ParamType
{
	PARAM_INTEGER,
	PARAM_DECIMAL,				/* a number with up to six digits behind the point */
	PARAM_CHOICE,				/* one of a list of words */
	PARAM_BOOLEAN,
	PARAM_SEED,					/* an integer from 0 on, drawn when it is not given */
	PARAM_TABLE,				/* the name of a table, whose rows are copied */
	PARAM_COLUMN,				/* the name of a column of the source by which newcomers are laid out, or null for none */
	PARAM_QUASI_IDENTIFIERS,	/* a list of names of such columns, or null for none */
	PARAM_WEIGHTS,				/* quasi-identifiers and how much each counts, 1 for those left out; or null */
	PARAM_BANDS,				/* sensitive columns and the bands by which they are judged, see parameters.h; or null */
	PARAM_NOISE					/* what noisy counts may cost: {"total": 2, "per_role": 0.5, "per_question": 0.1,
								 * "noise": "laplace"} */
} ParamType;

/* The contents of a column of a table that a parameter names. */
typedef enum TableColumnKind
{
	TABLE_END,					/* there is no such column: the list ends */
	TABLE_KEY,					/* keys, of the key's type */
	TABLE_QUASI_IDENTIFIERS,	/* each of the quasi-identifiers, in its type */
	TABLE_SENSITIVE,			/* values of the sensitive column, of its type */
	TABLE_SENSITIVE_COLUMNS,	/* each of the sensitive columns, in its type */
	TABLE_NUMBER				/* float8 */
} TableColumnKind;

typedef struct TableColumn
{
	TableColumnKind kind;
	const char *name;			/* NULL: the name that it has in the source */
	bool		optional;		/* the table may lack it: NULLs are copied */
} TableColumn;

/* The columns that are copied of the table that a parameter names. */
typedef struct TableSpec
{
	const char *param;
	const TableColumn *columns;
} TableSpec;

/* The effect that a change of the value has on the promise to the people in the releases. */
typedef enum ParamStrength
{
	STRENGTH_NONE,				/* nothing */
	STRENGTH_MORE,				/* more is stronger: less is a weakening */
	STRENGTH_LESS,				/* less is stronger, and none at all the weakest */
	STRENGTH_KEPT				/* another one is another promise, and may be a weaker one */
} ParamStrength;

typedef enum ParamPresence
{
	PARAM_OPTIONAL,
	PARAM_REQUIRED,
	PARAM_NULLABLE				/* optional, and null takes back what was given before */
} ParamPresence;

typedef struct ParamSpec
{
	const char *name;
	ParamType	type;
	ParamPresence presence;
	int64		least;			/* PARAM_INTEGER, PARAM_DECIMAL */
	int64		most;
	const char *const *choices; /* PARAM_CHOICE: ends with NULL */
	const char *fallback;		/* the default as JSON, or NULL for none */
	ParamStrength strength;
} ParamSpec;

/* A parameter of every method, the last one of its table.  A larger total is a weaker promise. */
#define NOISE_PARAM {"noise_budget", PARAM_NOISE, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_LESS}

/* A parameter that there is no more, which is refused; use: a sentence on what there is instead. */
typedef struct GoneParam
{
	const char *name;
	const char *use;
} GoneParam;

/* The least that a source must hold to be published.  The strings complete a hint about what to declare instead. */
typedef struct SourceNeeds
{
	int64		rows;
	const char *for_fewer_rows;
	int64		values;			/* that differ, of the sensitive column */
	const char *for_fewer_values;
	bool		nulls_count;	/* is each row without a value as good as one more? */
} SourceNeeds;

/* The parts of the past that a method looks at: each is kept beside the log, as a fold of it. */
#define PAST_PLACES			1	/* groups and their places: see history/places.h */
#define PAST_LAST			2	/* the last class of each person: see history/past.h */
#define PAST_PATHS			4	/* all classes of each person */
#define PAST_COMPANIES		8	/* the people whom each person shared a class with: see history/past.h; with PAST_LAST */

/* The properties of a method that create_publication() and release/ must know. */
typedef struct MethodDeclaration
{
	const char *name;
	const char *title;			/* in errors about parameters; NULL: method "NAME" */
	const ParamSpec *params;	/* ends with a NULL name */
	const GoneParam *gone;		/* likewise; or NULL */
	bool		columns;		/* may a release show a part of the columns? */
	bool		cohorts;		/* and be about a part of the people? */
	bool		insensitive;	/* may columns be declared insensitive? */
	bool		several;		/* may several be declared sensitive? */
	bool		several_rows;	/* may a person have several rows? */
	bool		answers;		/* does it answer on the fly? */
	bool		classes;		/* have the rows of its releases a class? */
	bool		counterfeits;	/* may the number of invented rows in each class be public? */
	bool		own_only;		/* must all releases be of its own making? */
	bool		reads_tables;	/* are releases judged by the tables of earlier ones, not by the history alone? */
	bool		invents_known;	/* do invented rows only have values that true rows show, or showed? */
	bool		keeps_values;	/* does a release without sensitive columns count as showing what was shown last? */
	int			past;			/* PAST_… */
	const TableSpec *tables;	/* one for each PARAM_TABLE, ends with a NULL name; or NULL */

	/*
	 * With PAST_COMPANIES: companies that lack at least this many people, or a class's number of different values if
	 * that is more, are ignored.
	 */
	uint32		(*degree) (const int64 *params);

	/*
	 * The settings that keep invented rows from taking the places of people who have left, a piece of a sentence, or
	 * NULL where these parameters let none do so.  The pointer is NULL for methods that never invent rows for that.
	 */
	const char *(*without_stand_ins) (const int64 *params);

	/*
	 * A sentence on a contradiction between values that are right each by itself, or NULL.  The pointer is NULL for
	 * methods whose parameters do not depend on each other.
	 */
	const char *(*contradiction) (const int64 *params);

	/* Does a parameter, by its place, mean nothing beside these others?  The pointer may be NULL. */
	bool		(*is_idle) (const int64 *params, int param);

	SourceNeeds (*needs) (const int64 *params);
} MethodDeclaration;

/*
 * Methods get their parameters as plain numbers, in the order of the table: an integer itself, a decimal in millionths,
 * so that it is exact, a boolean 0 or 1, a choice its place in the list, 1 for tables and columns, and PARAM_ABSENT where
 * there is neither a value nor a default.
 */
#define PARAM_ABSENT	PG_INT64_MIN
#define PARAM_SCALE		1000000 /* of decimals */

#endif							/* PPREPUB_DECLARE_METHOD_DECLARATION_H */
