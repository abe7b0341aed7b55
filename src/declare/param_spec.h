/*
 * param_spec.h
 *		The table of parameters that each method states.
 */
#ifndef PPREPUB_DECLARE_PARAM_SPEC_H
#define PPREPUB_DECLARE_PARAM_SPEC_H

typedef enum ParamType
{
	PARAM_INTEGER,
	PARAM_CHOICE,				/* one of a list of words */
	PARAM_BOOLEAN
} ParamType;

/* What a change of the value means for what was promised to the people in it. */
typedef enum ParamStrength
{
	STRENGTH_NONE,				/* nothing */
	STRENGTH_MORE				/* more is stronger: less is a weakening */
} ParamStrength;

typedef struct ParamSpec
{
	const char *name;
	ParamType	type;
	bool		required;
	int64		least;			/* PARAM_INTEGER */
	int64		most;
	const char *const *choices; /* PARAM_CHOICE: ends with NULL */
	const char *fallback;		/* the default as JSON, or NULL for none */
	ParamStrength strength;
} ParamSpec;

/* What create_publication must know of a method. */
typedef struct MethodDeclaration
{
	const char *name;
	const ParamSpec *params;	/* ends with a NULL name */
	bool		columns;		/* may a release show a part of the columns? */
	bool		cohorts;		/* and be about a part of the people? */
	bool		insensitive;	/* may columns be declared insensitive? */
	bool		answers;		/* does it answer on the fly? */
} MethodDeclaration;

/*
 * Methods get their parameters as plain numbers, in the order of the table: an
 * integer itself, a boolean 0 or 1, a choice its place in the list, and
 * PARAM_ABSENT where there is neither a value nor a default.
 */
#define PARAM_ABSENT	PG_INT64_MIN

#endif							/* PPREPUB_DECLARE_PARAM_SPEC_H */
