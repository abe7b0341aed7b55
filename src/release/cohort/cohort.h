/*
 * cohort.h
 *		The language of cohorts: which rows of a source a release is about.
 *
 * A cohort is data, not SQL: one boolean expression over the declared columns,
 * read by PostgreSQL's parser and then compared with lists, once as it is
 * written and once as it is meant.
 */
#ifndef PPREPUB_RELEASE_COHORT_COHORT_H
#define PPREPUB_RELEASE_COHORT_COHORT_H

#include "postgres.h"

#include "declare/publication.h"

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

/* The first of the errors that it may raise, which needs no look at anything else. */
extern void verify_cohort_length(const char *cohort);

#endif							/* PPREPUB_RELEASE_COHORT_COHORT_H */
