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

#include "declare/method_declaration.h"
#include "utils/jsonb.h"

extern void declare_method(const MethodDeclaration *method);

/* Finds a method by its name; an unknown one is an error that lists the known ones. */
extern const MethodDeclaration *method_declaration(const char *name);

/* The methods that take several sensitive columns, for a hint. */
extern char *methods_of_several(void);

/*
 * Checks the parameters given against the method's table and returns them
 * whole, defaults filled in.  Strict: an unknown key, a wrong type, a value out
 * of range is an error that lists what is accepted.  With a base, keys that
 * are not given are taken from there instead of from the defaults.
 */
extern Jsonb *check_parameters(const MethodDeclaration *method, Jsonb *given, Jsonb *base);

/*
 * An error if parameters hold arguments of create_publication(), such as
 * "sensitive".  Those of a publication (NULL in a declaration) cannot change.
 */
extern void refuse_arguments(Jsonb *given, const char *publication);

/*
 * The first parameter in which the new values promise less than the old, or
 * NULL.
 */
extern const ParamSpec *weakened_parameter(const MethodDeclaration *method, Jsonb *old, Jsonb *new);

/* Are sensitive columns judged by other bands under the new parameters? */
extern bool has_other_bands(const MethodDeclaration *method, Jsonb *before, Jsonb *after);

/* Checked parameters as plain numbers: see method_declaration.h. */
extern int64 *param_values(const MethodDeclaration *method, Jsonb *params);

/* A parameter by its name, or NULL; its value in checked parameters, or PARAM_ABSENT; and is it true, or greater than 0? */
extern const ParamSpec *find_parameter(const MethodDeclaration *method, const char *name);
extern int64 param_named(const MethodDeclaration *method, Jsonb *params, const char *name);
extern bool param_is_set(const MethodDeclaration *method, Jsonb *params, const char *name);

/* A string among parameters that need not be checked yet, or NULL where there is none, or an empty one; and with another one there. */
extern char *param_string(Jsonb *params, const char *name);
extern char **param_keys(Jsonb *params, const char *name, int *n);	/* likewise, of an object, its keys */
extern char *param_member(Jsonb *params, const char *name, const char *key);	/* and a string in an object */
extern Jsonb *with_string(Jsonb *params, const char *name, const char *value);


/* Removes a boolean key, which says how to act and is not stored, from the object. */
extern Jsonb *take_flag(Jsonb *params, const char *name, bool *flag);

#endif							/* PPREPUB_DECLARE_PARAMETERS_H */
