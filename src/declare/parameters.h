/*
 * parameters.h
 *		What a method lets its publications set, and what parameters name: tables, columns, bands.
 *
 * Methods live above this room, so they hand in their declarations (at load time, see pprepub.c); create_publication
 * knows no method by name.
 */
#ifndef PPREPUB_DECLARE_PARAMETERS_H
#define PPREPUB_DECLARE_PARAMETERS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/method_declaration.h"
#include "declare/publication.h"
#include "utils/jsonb.h"

extern void declare_method(const MethodDeclaration *method);

/* Finds a method by its name; an unknown one is an error that lists the known ones. */
extern const MethodDeclaration *method_declaration(const char *name);

/* The methods, or those that take several sensitive columns, or several rows of a person, for a hint. */
typedef enum ListedMethods
{
	ALL_METHODS,
	METHODS_OF_SEVERAL_COLUMNS,
	METHODS_OF_SEVERAL_ROWS
} ListedMethods;

extern char *list_methods(ListedMethods listed);

/*
 * Checks the parameters given against the method's table and returns them whole, defaults filled in.  Strict: an unknown
 * key, a wrong type, a value out of range is an error that lists what is accepted.  With a base, keys that are not given
 * are taken from there instead of from the defaults.
 */
extern Jsonb *check_parameters(const MethodDeclaration *method, Jsonb *given, Jsonb *base);

/*
 * An error if parameters hold arguments of create_publication(), such as "sensitive".  Those of a publication (NULL in a
 * declaration) cannot change.
 */
extern void refuse_arguments(Jsonb *given, const char *publication);

/* The first parameter in which the new values promise less than the old, or NULL. */
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
extern Jsonb *with_string(Jsonb *params, const char *name, const char *value);

/* Likewise the keys of an object, or the strings of a list; none where it is something else; and a string in an object. */
extern char **param_names(Jsonb *params, const char *name, int *n);
extern char *param_member(Jsonb *params, const char *name, const char *key);

/* How much the width of a column's cells counts, by checked parameters; 1 if it was not said. */
extern double column_weight(const MethodDeclaration *method, Jsonb *params, const char *column);

/* Removes a boolean key, which says how to act and is not stored, from the object. */
extern Jsonb *take_flag(Jsonb *params, const char *name, bool *flag);

/* ----------------------------------------------------------------
 * Tables that parameters name, {"updates": "hospital.progress"}: parameter_tables.c
 *
 * The name is resolved with the caller's search path, once, and kept with its schema.  The rows that a method needs are
 * copied into a plain table of TARGET_private, NAME_<parameter>, read as the publication's owner: what was declared is
 * dumped and restored with the publication, and later changes of the table do not reach it.  alter_publication() copies
 * the tables again.
 * ----------------------------------------------------------------
 */

/* Returns the parameters with the names of tables resolved for the caller and qualified. */
extern Jsonb *resolve_tables(const MethodDeclaration *method, Jsonb *given);

/*
 * Copies the tables that the publication's parameters name, and drops the copies that there were.  A table that is not
 * among those named in the call at hand may be gone, or may not be readable any more: its old copy stays then, with a
 * NOTICE.
 */
extern void copy_tables(const DeclaredPublication *publication, Jsonb *named, bool accept_weakening);

/* An error if a table is named: for calls that copy none, and use what was copied before. */
extern void refuse_tables(const MethodDeclaration *method, Jsonb *given);

/* Returns the copy of a parameter's table, or InvalidOid where none was named. */
extern Oid	copied_table(const DeclaredPublication *publication, const char *param);

/* ----------------------------------------------------------------
 * Columns by which rows are laid out, {"leaves": "discharged", "strata": ["country", "sex"], "weights": {"age": 2}}:
 * parameter_columns.c
 *
 * Strata, and whatever has a weight, are quasi-identifiers.  The column by which people leave may be a quasi-identifier or
 * an insensitive column, or have no role at all.  Then it is hidden: a column of the
 * pinned view behind those that are declared, which is read with each release, and neither shown, asked about nor
 * remembered.  The parameter holds its name in the pinned view, which stays when the source's column is renamed.
 * ----------------------------------------------------------------
 */

/* Indexes among the publication's columns, *n of them: that of the column by which people leave, or -1, and those of strata. */
extern int *layout_columns(const DeclaredPublication *publication, int *n);

/*
 * In a new publication: verifies the columns that its parameters name, and adds to its columns those that have no role.
 * There must be room for each of the source's.
 */
extern void declare_layout_columns(DeclaredPublication *publication, TupleDesc source);

/*
 * Likewise for new parameters of one that there is: its pinned view and the catalog get what is new, or it is refused (by
 * a preview).  Returns the parameters with names of the pinned view.
 */
extern Jsonb *resolve_layout_columns(DeclaredPublication *publication, Jsonb *given, bool may_add);

/*
 * Gives the publication the declared columns that the other one has beside its own: its pinned view and the catalog get them,
 * before those that are hidden.  An error if it reads them already.
 */
extern void take_columns(DeclaredPublication *publication, const DeclaredPublication *more);

/* The columns of the source that the pinned view reads: [columns] their numbers, InvalidAttrNumber for the tuple's. */
extern AttrNumber *pinned_attributes(const DeclaredPublication *publication);

/* An error about a column that cannot be added, since the publication has it. */
extern void refuse_role(const DeclaredPublication *publication, const char *column);

/* A column of a relation by its name, or NULL; and an error about a name that no column of the source has. */
extern Form_pg_attribute source_attribute(TupleDesc source, const char *name);
extern void refuse_unknown_column(const DeclaredPublication *publication, const char *name, TupleDesc source);

/* ----------------------------------------------------------------
 * Bands by which sensitive values are judged,
 * {"bands": {"income": "taxonomy income_ladder", "born": "range 1 year", "diagnosis": "taxonomy icd 2"}}:
 * parameter_columns.c
 *
 * Releases show the value itself; principles take all values of a band for one.  Bands stand with the column, and in the
 * catalog: its kind, and the publication's own copy of the tree.  Of a ladder the first width counts.  Of another
 * taxonomy bands are the nodes of a level, and leaves that are nearer to the root.  An extension of a tree keeps all
 * nodes where they are, and so the bands of all values that it had.
 * ----------------------------------------------------------------
 */

/*
 * Gives the publication's sensitive columns the bands of these parameters, which are checked each by itself, and no
 * others; a tree that is declared again stays the one that it was.  An error if a column cannot have its bands, or a
 * parameter speaks of one row a person where each may have several.
 */
extern void set_bands(DeclaredPublication *publication, Jsonb *params);

#endif							/* PPREPUB_DECLARE_PARAMETERS_H */
