/*
 * cohort.h
 *		Cohorts: the people whom a condition is true of.
 */
#ifndef PPREPUB_RELEASE_COHORT_COHORT_H
#define PPREPUB_RELEASE_COHORT_COHORT_H

#include "postgres.h"

#include "compat.h"
#include "declare/publication.h"
#include "nodes/bitmapset.h"
#include "nodes/primnodes.h"
#include "parser/parse_node.h"

/* ----------------------------------------------------------------
 * The language of cohorts: which rows of a source a release is about.
 *
 * A cohort is data, not SQL: one boolean expression over the declared columns,
 * read by PostgreSQL's parser and then compared with lists, once as it is
 * written and once as it is meant.
 * ----------------------------------------------------------------
 */

/*
 * A condition on the publication's pinned view, for a WHERE, that means what
 * the cohort says and cannot raise an error that depends on a row.  Anything
 * that is not on the lists is an error, which tells nothing of the source.
 *
 * To be called as the owner: the condition is read and written under the
 * settings of act_as(), and means the same under them only.  Constants are
 * computed here and now, and so is now().
 */
extern char *cohort_condition(const DeclaredPublication *publication, const char *cohort);

/* Likewise, for what is no release, so that it does not matter whether the method has releases of cohorts. */
extern char *condition_of(const DeclaredPublication *publication, const char *cohort);

/*
 * A condition of a query over another relation's columns, which stand for columns of the publication, and the writing of it
 * as a cohort.
 */
typedef struct QueryCondition
{
	const DeclaredPublication *publication;
	Index		relation;		/* of Vars: those of other relations are no part of a cohort */
	int			(*column_of) (const DeclaredPublication *publication, AttrNumber attribute);	/* negative: none that
																								 * is declared */

	/* The text of a part that no column has a part in, or NULL for a NULL; type: of a cohort, or an array of one */
	char	   *(*print_value) (struct QueryCondition *condition, Expr *value, Oid type);

	/* A point in time whose local time is compared with local times of rows: an error if that could make a difference */
	void		(*verify_local_time) (struct QueryCondition *condition, Expr *value);

	/* Has the query begun, so that all parameters are known?  If not: those of its own that will be. */
	bool		is_begun;
	Bitmapset  *known;
	void	   *arg;			/* of the caller's */
} QueryCondition;

/*
 * The condition as a part of a cohort that means what the condition does; NULL if there is none: it has other columns,
 * computes with columns, or compares them in a way that cohorts do not know.  Rows are not looked at, and nothing
 * is computed but by print_value().  A cohort that is made of it is still read like any other.
 */
extern char *cohort_of_condition(QueryCondition *condition, Node *clause);

/* The first of the errors that it may raise, which needs no look at anything else. */
extern void verify_cohort_length(const char *cohort);

/* ----------------------------------------------------------------
 * The steps of reading a cohort, in their order.
 * ----------------------------------------------------------------
 */

/* Reads a cohort as it is written: one expression of words that are on the lists. */
extern Node *read_written(ParseState *pstate, const DeclaredPublication *publication, const char *cohort);

/* ---- What a cohort may be made of, as data; and refusing the rest ---- */

/* Values of columns and of constants; InvalidOid for a name that is not on the list. */
extern Oid	cohort_type_named(const char *name);
extern bool is_cohort_type(Oid type);
extern const char *cohort_type_name(Oid type);	/* or NULL */

/* Operators that may be written, and those of them that may be applied to columns. */
extern bool is_column_operator(const char *name);

/* Casts that hold for each value of a column. */
extern bool is_column_cast(Oid function);

/* May cohorts ask about the column? */
extern bool is_cohort_column(const DeclaredColumn *column);

/* The column of this name that cohorts may ask about; anything else is an error. */
extern int	find_cohort_column(const DeclaredPublication *publication, const char *name,
							   ParseState *pstate, int location);

/* "cohorts cannot have WHAT", with the list of what they can have instead. */
pg_noreturn extern void refuse_in_cohort(const char *what, ParseState *pstate, int location);

#endif							/* PPREPUB_RELEASE_COHORT_COHORT_H */
