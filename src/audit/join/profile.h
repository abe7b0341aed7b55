/*
 * profile.h
 *		How well can the releases be joined back to people?  Linkability and
 *		diversity of a join, which may be narrowed before to a kernel or further.
 */
#ifndef PPREPUB_AUDIT_JOIN_PROFILE_H
#define PPREPUB_AUDIT_JOIN_PROFILE_H

#include "audit/join/meeting.h"

/* No clique of the join is consistent with a tuple: its rows are in no release. */
#define NO_CLIQUE PG_UINT32_MAX

/*
 * The values that cliques link a tuple to (paper 000, definitions 4.1 and 4.2).
 *
 * A clique counts as often as it stands for records, each of which must be
 * consistent with the tuple in all quasi-identifiers.  Its value is that of
 * any of its records that shows one; "not shown" is a value, too, where some
 * records show one.  A clique with a NULL counts for no value, and not for the
 * frequency of others; so a tuple that has only such has linkability 0 and
 * diversity 0.
 *
 * Of a tuple that is a box, linkability and diversity are no more than those
 * of any tuple in it: values count that all of these are linked to, and most
 * of all that value which the most cliques may link one of them to.
 */
typedef struct LinkProfile
{
	uint32	   *linkability;	/* [ntuples] different values; or NO_CLIQUE */
	double	   *diversity;		/* [ntuples] inverse of the greatest relative frequency; 0 without values */

	/* The least of all tuples that have cliques; NO_CLIQUE and 0 without such */
	uint32		least_linkability;
	double		least_diversity;

	/*
	 * If asked for, values with their relative frequencies: tuple t's are linkability[t] from first[t] on; more of a
	 * box, all those that a tuple in it may be linked to, and how frequent they are at most
	 */
	uint64	   *first;			/* [ntuples] or NULL */
	uint32	   *nvalues;		/* [ntuples] as many as are written down: linkability[t], but for boxes; or NULL */
	Code	   *value;			/* ascending; NO_CODE, "not shown", comes last */
	double	   *frequency;
} LinkProfile;

/*
 * Returns NULL if no release shows the sensitive column.
 *
 * Tuples that agree in all columns that releases show are looked at once.  For
 * each, this takes the search for records that are consistent with it, and a
 * step for each of their nodes and values; more where edges between them were
 * dropped, see products.h. Everything is allocated in the current context.
 */
extern LinkProfile *link_profile(const JoinGraph *graph, const JoinTuples *tuples, bool with_values);

#endif							/* PPREPUB_AUDIT_JOIN_PROFILE_H */
