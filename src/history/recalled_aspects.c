/*
 * recalled_aspects.c
 *		Aspects of the log's values, and how common each is in the distribution that
 *		sets are compared with.
 *
 * NOTES
 *		The distribution has values that no release has shown, of people who were withheld.
 *		They have codes behind all others, which nothing but these aspects knows.
 */
#include "postgres.h"

#include "history/recalled_aspects.h"

#include "frame/arrays.h"
#include "history/reference.h"

/* The distribution of the publication, or else of what was published. */
static const Shares *
distribution_of(const DeclaredPublication *publication, const Recalled *recalled)
{
	Reference  *reference = reference_read(publication);

	if (reference->shares.n == 0)
		reference_recall(reference, publication, recalled);
	for (int32 r = 0; r < recalled->seen.nreleases && reference->shares.n == 0; r++)
		reference_recall_release(reference, recalled, r);
	return &reference->shares;
}

const Aspects *
aspects_of_recalled(const DeclaredPublication *publication, const Recalled *recalled)
{
	const Shares *shares = distribution_of(publication, recalled);
	Code		n = recalled->codes->size;
	Datum	   *values = new_array(Datum, (uint64) n + shares->n);
	double	   *share = new_zeros(double, (uint64) n + shares->n);
	int32	   *since = new_zeros(int32, (uint64) n + shares->n);

	memcpy(values, recalled->codes->keys, sizeof(Datum) * n);
	for (uint32 i = 0; i < shares->n; i++)
	{
		Code		value = recalled_value(recalled, shares->values[i], false);

		if (value == UNKNOWN_VALUE)
			value = n++;
		values[value] = shares->values[i];
		share[value] = shares->share[i];
		since[value] = shares->since[i];
	}
	return aspects_with_shares(sensitive_columns(publication, values, n), share, since, n);
}
