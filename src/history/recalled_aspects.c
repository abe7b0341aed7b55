/*
 * recalled_aspects.c
 *		Aspects of the log's values, and how common each was in the first release.
 */
#include "postgres.h"

#include "history/recalled_aspects.h"

#include "frame/arrays.h"
#include "miscadmin.h"

/* The first release that has rows; those that were imported without a key have none here. */
static const SeenRelease *
first_release(const Seen *seen)
{
	for (int32 r = 0; r < seen->nreleases; r++)
		if (seen->release[r].first[seen->release[r].nclasses] > 0)
			return &seen->release[r];
	return NULL;
}

/* The share of each value among the rows of a release that have one, as observers count: invented rows are rows. */
static const double *
shares_of(const SeenRelease *release, Code nvalues)
{
	double	   *share = new_zeros(double, nvalues);
	uint64		known = 0;

	for (uint64 i = 0; release != NULL && i < release->first[release->nclasses]; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (release->value[i] == NO_CODE || seen_is_counted(release, i))
			continue;
		share[release->value[i]]++;
		known++;
	}
	for (Code value = 0; value < nvalues && known > 0; value++)
		share[value] /= known;
	return share;
}

const Aspects *
aspects_of_recalled(const DeclaredPublication *publication, const Recalled *recalled)
{
	const Aspects *by_column = recalled_columns(publication, recalled)->aspects;
	Aspects    *aspects = palloc0(sizeof(Aspects));

	if (by_column != NULL)
		*aspects = *by_column;
	else
	{
		Aspect	   *aspect = palloc0(sizeof(Aspect));

		aspect->ncodes = recalled->seen.nvalues;
		*aspects = (Aspects) {.n = 1, .aspect = aspect};
	}
	aspects->share = shares_of(first_release(&recalled->seen), recalled->seen.nvalues);
	return aspects;
}
