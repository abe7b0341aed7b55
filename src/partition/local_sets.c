/*
 * local_sets.c
 *		Newcomers in sets of different values that live close together.
 *
 * NOTES
 *		They are cut by mondrian() into regions with rows for some sets.  In a region, a row of the
 *		commonest value that is left comes first, and then, again and again, the nearest row of another
 *		value: common ones are a little nearer, so that rare ones last.  Rows that are left over in their
 *		regions are cut into larger ones.
 *
 *		A set takes a signature that others have, if that costs little.  People of sets that have become small
 *		can only join others of their signature (settle.c), so that few should be alone with theirs.
 *
 *		A family is several sets of one signature: people of it can be in other company each time.  It shares its
 *		signature already.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/mondrian.h"
#include "partition/set_making.h"
#include "utils/memutils.h"

#define REGION_SETS		18		/* of regions in which sets share signatures */
#define LEAST_SETS		2		/* of other regions */
#define MOST_SHARED		256		/* signatures that are looked at */
#define SHARED_LOSS		0.1		/* that a signature may cost, a row and quasi-identifier, so that others have it, too */
#define GROWTH			2		/* of regions, for rows that are left over */
#define LARGEST_REGION	4096	/* rows; then all that are left are one */
#define FEW_PLACED		32		/* rows, one of which finds a set: larger regions are not worth the time */
#define MOST_L			8		/* values that a region is asked for: more make regions large, not better */
#define LOOK			16		/* rows of a value, of which the nearest is taken */
#define MOST_TRIED		16		/* values, the commonest first */
#define COMMON			0.004	/* how much nearer a value of e times as many rows is, in rows withheld */

/* The rows of a region that have one value. */
typedef struct ValueOfRegion
{
	Code		value;
	uint32		n;
	RowId	   *rows;
	bool		is_in;			/* the signature at hand */
} ValueOfRegion;

/* The signatures that have a value, those that were shared last behind the others. */
typedef struct Sharing
{
	uint32		n;
	uint32		allocated;
	uint32	   *signature;
} Sharing;

typedef struct Locality
{
	Making	   *making;
	uint32		together;		/* sets of a family */
	uint32		nvalues;		/* of the region at hand */
	ValueOfRegion *values;		/* [values of the frame] */
	Span	   *hull;			/* [dimensions] of the family at hand */
	Span	   *tried;			/* [dimensions] */
	RowId	   *chosen;			/* [m * together] rows, value by value */
	Code	   *signature;		/* [m] of the family at hand */
	uint64	   *lo;				/* [m + 1] */
	RowId	   *cells;			/* [m * together] */

	ValueOfRegion **of_value;	/* [values of the frame] those of the region at hand, or NULL */
	Sharing    *sharing;		/* [values of the frame] */
	uint32		nlisted;		/* signatures that are listed there */
} Locality;

/* The commonest first. */
DEFINE_ORDER(compare_values, ValueOfRegion, DESCENDING(n) ASCENDING(value));

/* Brings rows of a value to its end, those that widen the hull least: of equal ones the last, as before; returns its loss. */
static double
choose_rows(const Locality *locality, ValueOfRegion *value, Span *hull)
{
	const Making *making = locality->making;
	double		loss = 0;

	for (uint32 k = 0; k < locality->together; k++)
	{
		uint32		left = value->n - k;
		uint32		nearest = left - 1;
		RowId		row;

		for (uint32 i = left - Min(left, LOOK); i < left; i++)
		{
			double		with = loss_with_row(making, hull, value->rows[i]);

			if (i > left - Min(left, LOOK) && with > loss)
				continue;
			loss = with;
			nearest = i;
		}
		row = value->rows[nearest];
		value->rows[nearest] = value->rows[left - 1];
		value->rows[left - 1] = row;
		hull_add_row(making, hull, row);
	}
	return loss;
}

/* The last rows of a value join the family. */
static void
take_value(Locality *locality, ValueOfRegion *value, uint32 n)
{
	uint32		together = locality->together;

	value->n -= together;
	memcpy(locality->chosen + (Size) n * together, value->rows + value->n, sizeof(RowId) * together);
	for (uint32 k = 0; k < together; k++)
		hull_add_row(locality->making, locality->hull, value->rows[value->n + k]);
}

/* Of the values that are not in the family, the one whose rows are nearest. */
static ValueOfRegion *
nearest_value(Locality *locality)
{
	const Making *making = locality->making;
	int			ndimensions = making->measure->ndimensions;
	ValueOfRegion *nearest = NULL;
	double		least = 0;
	uint32		tried = 0;

	for (uint32 i = 0; i < locality->nvalues && tried < MOST_TRIED; i++)
	{
		ValueOfRegion *value = &locality->values[i];
		double		loss;

		if (value->is_in || value->n < locality->together)
			continue;
		tried++;
		memcpy(locality->tried, locality->hull, sizeof(Span) * ndimensions);
		loss = choose_rows(locality, value, locality->tried) - COMMON * ndimensions * log(1.0 + value->n);
		if (nearest != NULL && loss >= least)
			continue;
		least = loss;
		nearest = value;
	}
	return nearest;
}

/* Makes the sets of a family of what was chosen. */
static void
end_family(Locality *locality)
{
	Making	   *making = locality->making;
	uint32		m = making->m;
	uint32		together = locality->together;
	uint32		signature;

	/* Few values, to be sorted with their rows. */
	for (uint32 i = 1; i < m; i++)
		for (uint32 j = i; j > 0 && locality->signature[j - 1] > locality->signature[j]; j--)
		{
			Code		swap = locality->signature[j];

			locality->signature[j] = locality->signature[j - 1];
			locality->signature[j - 1] = swap;
			for (uint32 k = 0; k < together; k++)
			{
				RowId		row = locality->chosen[j * together + k];

				locality->chosen[j * together + k] = locality->chosen[(j - 1) * together + k];
				locality->chosen[(j - 1) * together + k] = row;
			}
		}
	signature = tuple_number(making->signatures, locality->signature, m);
	for (uint32 i = 0; i <= m; i++)
		locality->lo[i] = i * together;
	even_split(making->frame, locality->chosen, locality->lo, locality->lo + 1, m, together, locality->cells);
	for (uint32 k = 0; k < together; k++)
		set_fill(making, set_create(making, signature), locality->cells + k * m);
}

/* ---- Signatures ---- */

/* The commonest value, and then, again and again, the nearest one; returns what a row of the family loses. */
static double
choose_values(Locality *locality)
{
	double		loss = 0;

	for (uint32 i = 0; i < locality->nvalues; i++)
		locality->values[i].is_in = false;
	hull_clear(locality->making->measure, locality->hull);
	for (uint32 n = 0; n < locality->making->m; n++)
	{
		ValueOfRegion *value = n == 0 ? &locality->values[0] : nearest_value(locality);

		loss = choose_rows(locality, value, locality->hull);
		value->is_in = true;
		locality->signature[n] = value->value;
	}
	return loss;
}

/* Lists signatures that are not yet listed by their values. */
static void
list_signatures(Locality *locality)
{
	const TupleNumbers *signatures = locality->making->signatures;

	for (; locality->nlisted < signatures->n; locality->nlisted++)
	{
		const uint32 *values = tuple_words(signatures, locality->nlisted);

		for (uint32 i = 0; i < locality->making->m && tuple_width(signatures, locality->nlisted) == locality->making->m; i++)
		{
			Sharing    *sharing = &locality->sharing[values[i]];

			array_reserve(sharing->signature, sharing->allocated, sharing->n + 1);
			sharing->signature[sharing->n++] = locality->nlisted;
		}
	}
}

/* The loss of a row of a family with a signature; no less than the limit if the region has no rows for it. */
static double
loss_of_signature(Locality *locality, const uint32 *values, double limit)
{
	uint32		m = locality->making->m;
	double		loss;

	for (uint32 i = 0; i < m; i++)
		if (locality->of_value[values[i]] == NULL || locality->of_value[values[i]]->n < locality->together)
			return limit;
	hull_clear(locality->making->measure, locality->tried);
	loss = choose_rows(locality, &locality->values[0], locality->tried);
	for (uint32 i = 0; i < m && loss < limit; i++)
		if (values[i] != locality->values[0].value)
			loss = choose_rows(locality, locality->of_value[values[i]], locality->tried);
	return loss;
}

/* Chooses the values of a signature that others have, if one loses less than the limit. */
static void
share_signature(Locality *locality, double limit)
{
	Making	   *making = locality->making;
	Code		first = locality->values[0].value;
	Sharing    *sharing = &locality->sharing[first];
	uint32		tries = Min(sharing->n, MOST_SHARED);
	uint32		found = NO_NUMBER;

	for (uint32 at = sharing->n - tries; at < sharing->n; at++)
	{
		double		loss = loss_of_signature(locality, tuple_words(making->signatures, sharing->signature[at]), limit);

		if (loss >= limit)
			continue;
		limit = loss;
		found = at;
	}
	if (found != NO_NUMBER)
	{
		uint32		later = sharing->n - 1 - (sharing->n - 1 - found) / 2;
		uint32		number = sharing->signature[found];

		/* Signatures that are shared most are looked at longest. */
		sharing->signature[found] = sharing->signature[later];
		sharing->signature[later] = number;
		memcpy(locality->signature, tuple_words(making->signatures, number), sizeof(Code) * making->m);
		for (uint32 i = 1; i < making->m; i++)
			if (locality->signature[i] == first)
			{
				locality->signature[i] = locality->signature[0];
				locality->signature[0] = first;
			}
	}
}

/* Makes one family of the rows that are left of a region; false if they have too few values. */
static bool
make_family(Locality *locality)
{
	Making	   *making = locality->making;
	int			ndimensions = making->measure->ndimensions;
	double		loss;

	/* The commonest first; nearly sorted each time. */
	for (uint32 i = 1; i < locality->nvalues; i++)
		for (uint32 j = i; j > 0 && compare_values(&locality->values[j - 1], &locality->values[j]) > 0; j--)
		{
			ValueOfRegion swap = locality->values[j];

			locality->values[j] = locality->values[j - 1];
			locality->values[j - 1] = swap;
		}
	while (locality->nvalues > 0 && locality->values[locality->nvalues - 1].n == 0)
		locality->nvalues--;
	if (locality->nvalues < making->m || locality->values[making->m - 1].n < locality->together)
		return false;
	for (uint32 i = 0; i < locality->nvalues; i++)
		locality->of_value[locality->values[i].value] = &locality->values[i];
	loss = choose_values(locality);
	if (making->shares && locality->together == 1)
	{
		list_signatures(locality);
		share_signature(locality, loss + SHARED_LOSS * ndimensions);
	}
	hull_clear(making->measure, locality->hull);
	for (uint32 n = 0; n < making->m; n++)
	{
		ValueOfRegion *value = locality->of_value[locality->signature[n]];

		/* Rows that were chosen are still the last of their value, unless other signatures were looked at since. */
		memcpy(locality->tried, locality->hull, sizeof(Span) * ndimensions);
		if (making->shares)
			(void) choose_rows(locality, value, locality->tried);
		take_value(locality, value, n);
	}
	end_family(locality);
	for (uint32 i = 0; i < locality->nvalues; i++)
		locality->of_value[locality->values[i].value] = NULL;
	return true;
}

typedef struct RegionRow
{
	Code		value;
	uint32		at;				/* as drawn: rows of a value that live in one place have an order */
	RowId		row;
} RegionRow;

/* By value, rows of one value as they were drawn. */
DEFINE_ORDER(compare_region_rows, RegionRow, ASCENDING(value) ASCENDING(at));

/* Makes families of the rows of a region; those that are left over come first in the end, and are counted. */
static uint64
cut_region(Locality *locality, RowId *rows, uint64 n, RegionRow *sorted)
{
	const Code *sensitive = locality->making->frame->sensitive;
	uint64		left = 0;

	for (uint64 i = 0; i < n; i++)
		sorted[i] = (RegionRow) {sensitive[rows[i]], i, rows[i]};
	qsort(sorted, n, sizeof(RegionRow), compare_region_rows);
	locality->nvalues = 0;
	for (uint64 i = 0; i < n; i++)
	{
		rows[i] = sorted[i].row;
		if (i == 0 || sorted[i].value != sorted[i - 1].value)
			locality->values[locality->nvalues++] = (ValueOfRegion) {.value = sorted[i].value, .rows = rows + i};
		locality->values[locality->nvalues - 1].n++;
	}
	qsort(locality->values, locality->nvalues, sizeof(ValueOfRegion), compare_values);
	while (make_family(locality))
		CHECK_FOR_INTERRUPTS();
	for (uint32 i = 0; i < locality->nvalues; i++)
	{
		for (uint32 k = 0; k < locality->values[i].n; k++)
			sorted[left++].row = locality->values[i].rows[k];
	}
	for (uint64 i = 0; i < left; i++)
		rows[i] = sorted[i].row;
	return left;
}

/* One round: cuts the rows into regions of so many or more, and these into families.  Returns how many rows are left, which come first. */
static uint64
cut_regions(Locality *locality, RowId *rows, uint64 n, uint64 size, RegionRow *sorted)
{
	Making	   *making = locality->making;
	Principle	principle = principle_k_l(size, Min(making->m, MOST_L));
	Classes    *regions;
	uint64		left = 0;

	if (size >= n)
		return cut_region(locality, rows, n, sorted);
	regions = mondrian(making->frame, rows, n, &principle, pg_prng_uint64(&making->random));
	if (regions->nclasses == 0)
		return cut_region(locality, rows, n, sorted);
	for (uint32 c = 0; c < regions->nclasses; c++)
	{
		RowId	   *region = regions->rows + regions->first[c];
		uint64		kept = cut_region(locality, region, class_size(regions, c), sorted);

		memmove(regions->rows + left, region, sizeof(RowId) * kept);
		left += kept;
	}
	if (regions->rows != rows)
		memcpy(rows, regions->rows, sizeof(RowId) * left);
	return left;
}

uint64
make_local_sets(Making *making, RowId *rows)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "local sets", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	uint32		m = making->m;
	int			ndimensions = making->measure->ndimensions;
	uint64		n = 0;
	Locality	locality = {
		.making = making,
		.values = new_array(ValueOfRegion, making->frame->nsensitive),
		.of_value = new_zeros(ValueOfRegion *, making->frame->nsensitive),
		.sharing = new_zeros(Sharing, making->frame->nsensitive),
		.hull = new_array(Span, ndimensions),
		.tried = new_array(Span, ndimensions),
		.chosen = new_array(RowId, (uint64) m * making->together),
		.signature = new_array(Code, m),
		.lo = new_array(uint64, m),
		.cells = new_array(RowId, (uint64) m * making->together),
	};
	RegionRow  *sorted;

	for (Code v = 0; v < making->frame->nsensitive; v++)
		for (uint64 i = making->first_new[v]; i < making->end_new[v]; i++)
			rows[n++] = making->newcomer[i];
	sorted = new_array(RegionRow, n);
	for (locality.together = making->together; locality.together > 0; locality.together--)
	{
		uint64		size = (uint64) (making->shares ? REGION_SETS : LEAST_SETS) * m;
		uint64		before = PG_UINT64_MAX;

		for (; size < n && size <= LARGEST_REGION && n < before - before / FEW_PLACED; size *= GROWTH)
		{
			before = n;
			n = cut_regions(&locality, rows, n, size, sorted);
		}
		if (locality.together == 1 || n <= LARGEST_REGION)
			n = cut_regions(&locality, rows, n, n, sorted);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return n;
}
