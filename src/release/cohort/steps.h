/*
 * steps.h
 *		The steps of reading a cohort, in their order.
 */
#ifndef PPREPUB_RELEASE_COHORT_STEPS_H
#define PPREPUB_RELEASE_COHORT_STEPS_H

#include "postgres.h"

#include "compat.h"
#include "declare/publication.h"
#include "parser/parse_node.h"

/* Reads a cohort as it is written: one expression of words that are on the lists. */
extern Node *read_written(ParseState *pstate, const DeclaredPublication *publication, const char *cohort);

/*
 * Verifies a cohort as PostgreSQL takes it: nothing but what is built in, over types
 * that are on the list. To be called before anything is computed.
 */
extern void verify_built_in(ParseState *pstate, Node *expression);

/* Verifies the part that is left to be computed for each row: it must have a result for each value. */
extern void verify_for_rows(ParseState *pstate, Node *expression);

/* ---- operators.c: what a cohort may be made of, as data; and refusing the rest ---- */

/* Values of columns and of constants; InvalidOid for a name that is not on the list. */
extern Oid	cohort_type_named(const char *name);
extern bool is_cohort_type(Oid type);
extern const char *cohort_type_name(Oid type);	/* or NULL */

/* Operators that may be written, and those of them that may be applied to columns. */
extern bool is_cohort_operator(const char *name);
extern bool is_column_operator(const char *name);

/* Functions that may compute constants. */
extern bool is_cohort_function(const char *name);

/* Casts that hold for each value of a column. */
extern bool is_column_cast(Oid function);

/* May cohorts ask about the column? */
extern bool is_cohort_column(const DeclaredColumn *column);

/* The column of this name that cohorts may ask about; anything else is an error. */
extern int	find_cohort_column(const DeclaredPublication *publication, const char *name,
							   ParseState *pstate, int location);

/* "cohorts cannot have WHAT", with the list of what they can have instead. */
pg_noreturn extern void refuse_in_cohort(const char *what, ParseState *pstate, int location);

#endif							/* PPREPUB_RELEASE_COHORT_STEPS_H */
