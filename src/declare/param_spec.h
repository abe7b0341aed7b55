/*
 * param_spec.h
 *		The table of parameters that each method states.
 */
#ifndef PPREPUB_DECLARE_PARAM_SPEC_H
#define PPREPUB_DECLARE_PARAM_SPEC_H

typedef enum ParamType
{
	PARAM_INTEGER,
	PARAM_DECIMAL,				/* a number with up to six digits behind the point */
	PARAM_CHOICE,				/* one of a list of words */
	PARAM_BOOLEAN,
	PARAM_SEED,					/* an integer from 0 on, drawn when it is not given */
	PARAM_TABLE					/* the name of a table, whose rows are copied */
} ParamType;

/* What stands in a column of a table that a parameter names. */
typedef enum TableColumnKind
{
	TABLE_END,					/* there is no such column: the list ends */
	TABLE_KEY,					/* keys, of the key's type */
	TABLE_QUASI_IDENTIFIERS,	/* each of the quasi-identifiers, in its type */
	TABLE_SENSITIVE,			/* values of the sensitive column, of its type */
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

/* What a change of the value means for what was promised to the people in it. */
typedef enum ParamStrength
{
	STRENGTH_NONE,				/* nothing */
	STRENGTH_MORE,				/* more is stronger: less is a weakening */
	STRENGTH_KEPT				/* another one is another promise, and may be a weaker one */
} ParamStrength;

typedef struct ParamSpec
{
	const char *name;
	ParamType	type;
	bool		required;
	int64		least;			/* PARAM_INTEGER, PARAM_DECIMAL */
	int64		most;
	const char *const *choices; /* PARAM_CHOICE: ends with NULL */
	const char *fallback;		/* the default as JSON, or NULL for none */
	ParamStrength strength;
} ParamSpec;

/* The least that a source must hold for anything of it to be published; and what to declare to need less, a piece of a sentence. */
typedef struct SourceNeeds
{
	int64		rows;
	const char *for_fewer_rows;
	int64		values;			/* that differ, of the sensitive column */
	const char *for_fewer_values;
	bool		nulls_count;	/* is each row without a value as good as one more? */
} SourceNeeds;

/* What a method wants to know of the past: it is kept beside the log, as a fold of it. */
#define PAST_NEIGHBORHOODS	1	/* whom observers can tell apart: see history/past.h */
#define PAST_LAST			2	/* the last class of each person: see history/paths.h */
#define PAST_PATHS			4	/* all classes of each person */
#define PAST_COMPANIES		8	/* who was in a class with whom: see history/companies.h; with PAST_LAST */

/* What create_publication must know of a method. */
typedef struct MethodDeclaration
{
	const char *name;
	const ParamSpec *params;	/* ends with a NULL name */
	bool		columns;		/* may a release show a part of the columns? */
	bool		cohorts;		/* and be about a part of the people? */
	bool		insensitive;	/* may columns be declared insensitive? */
	bool		answers;		/* does it answer on the fly? */
	bool		classes;		/* have the rows of its releases a class? */
	bool		counterfeits;	/* may everybody know how many rows of a class are invented? */
	bool		own_only;		/* must all releases be of its own making? */
	bool		invents_known;	/* do invented rows only have values that true rows show, or showed? */
	int			past;			/* PAST_… */
	const TableSpec *tables;	/* one for each PARAM_TABLE, ends with a NULL name; or NULL */

	/*
	 * With PAST_COMPANIES: those that lack so many people or more of as many as
	 * their class showed different values are of no interest.
	 */
	uint32		(*degree) (const int64 *params);

	/*
	 * With PAST_PATHS: nothing is asked about the classes of those of whom they
	 * have told no more than this, at the worst (see history/told.h).
	 */
	int32		(*spared) (const int64 *params);

	/*
	 * With PAST_NEIGHBORHOODS: nobody can be shown of a neighborhood that has fewer
	 * members than this, some of whom have left the source; 0 where somebody might.
	 * NULL for methods that parts of neighborhoods are nothing to.
	 */
	uint64		(*smallest_parted) (const int64 *params);

	/*
	 * Where invented rows take the places of people who have left, with these
	 * parameters: what to set instead, a piece of a sentence; else NULL.  NULL for
	 * methods that never invent any for that.
	 */
	const char *(*without_stand_ins) (const int64 *params);

	/*
	 * What is wrong with values that are right each by itself, or NULL: a
	 * sentence.  NULL for methods whose parameters do not depend on each other.
	 */
	const char *(*contradiction) (const int64 *params);

	SourceNeeds (*needs) (const int64 *params);
} MethodDeclaration;

/*
 * Methods get their parameters as plain numbers, in the order of the table: an
 * integer itself, a decimal in millionths, so that it is exact, a boolean 0 or
 * 1, a choice its place in the list, 1 for a table, and PARAM_ABSENT where there
 * is neither a value nor a default.
 */
#define PARAM_ABSENT	PG_INT64_MIN
#define PARAM_SCALE		1000000	/* of decimals */

#endif							/* PPREPUB_DECLARE_PARAM_SPEC_H */
