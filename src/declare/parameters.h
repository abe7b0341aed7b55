/*
 * parameters.h
 *		What a method lets its publications set, and reading what they set.
 *
 * Methods live above this room, so they hand in their declarations (at load
 * time, see pprepub.c); create_publication knows no method by name.
 */
#ifndef PPREPUB_DECLARE_PARAMETERS_H
#define PPREPUB_DECLARE_PARAMETERS_H

#include "postgres.h"

#include "utils/jsonb.h"

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
	bool		insensitive;	/* may columns be declared insensitive? */
} MethodDeclaration;

extern void declare_method(const MethodDeclaration *method);

/* Finds a method; an unknown name is an error that lists the known ones. */
extern const MethodDeclaration *method_declaration(const char *name);

/*
 * Checks the parameters given against the method's table and returns them
 * whole, defaults filled in.  Strict: an unknown key, a wrong type, a value out
 * of range is an error that lists what is accepted.  With a base, keys that
 * are not given are taken from there instead of from the defaults.
 */
extern Jsonb *check_parameters(const MethodDeclaration *method, Jsonb *given, Jsonb *base);

/*
 * The first parameter in which the new values promise less than the old, or
 * NULL.
 */
extern const char *weakened_parameter(const MethodDeclaration *method, Jsonb *old, Jsonb *new);

/* Reading what was checked.  An integer without a value gives absent. */
extern int64 param_integer(Jsonb *params, const char *name, int64 absent);
extern char *param_word(Jsonb *params, const char *name);

/* Takes a boolean key out of the object: it tells how to act, not what to keep. */
extern Jsonb *take_flag(Jsonb *params, const char *name, bool *flag);

#endif							/* PPREPUB_DECLARE_PARAMETERS_H */
