/*
 * cor_partition.c
 *		Sets that lie close together, made safe by exchanging rows, by merging,
 *		and with counterfeits where nothing else helps.
 *
 * NOTES
 *		Figure 5 of the paper makes one class after the other from lists, discards
 *		tuples for a while where a class is unsafe, merges with classes that were
 *		made before, and then puts counterfeits in the place of true rows, which
 *		leaves their bucket uneven.  Here, too, a row that makes a set unsafe is
 *		discarded, but at once for a row of the same value of a set beside it: the
 *		bucket stays even, and nothing is left over.  What stays unsafe is merged
 *		with the nearest class; a class of twice the size may have that many more
 *		people in common with an earlier one.  Where the bucket has no other class,
 *		whole sets of counterfeits make it large enough, and as many always do.
 *
 *		People who were in one class last time stay together if all of them are
 *		here again: nothing new is told of them, and it costs nothing to see that.
 *		This holds for classes of one set: larger ones are parted again if they
 *		can be.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/cor_partition.h"
#include "utils/memutils.h"

#define REACH 64				/* sets on either side that may exchange rows with an unsafe one */

bool *
whole_classes(const Frame *frame, const Paths *paths)
{
	uint64	   *here = new_zeros(uint64, paths->nclasses);
	bool	   *is_whole = new_array(bool, paths->nclasses);

	for (uint64 row = 0; row < frame->nrows; row++)
		if (paths_known(paths, row))
			here[paths->class[paths_last(paths, row)]]++;
	for (uint32 c = 0; c < paths->nclasses; c++)
		is_whole[c] = here[c] == paths_size(paths, c);
	pfree(here);
	return is_whole;
}

/* ----------------------------------------------------------------
 * Counting, for the people of a class, who of them were where together
 * ----------------------------------------------------------------
 */

typedef struct Common
{
	uint64		excess;
	uint64		most;
} Common;

HcRoom
hc_room(const Companies *companies)
{
	return (HcRoom) {
		new_zeros(uint32, companies->n)
	};
}

static void
count_companies(const Companies *companies, const RowId *rows, uint64 nrows, HcRoom *room)
{
	for (uint64 i = 0; i < nrows; i++)
		for (uint64 at = companies->first[rows[i]]; at < companies->first[rows[i] + 1]; at++)
			room->count[companies->company[at]]++;
}

/* Looks at each earlier class once, and leaves no count behind. */
static Common
common_with(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint64 allowed, HcRoom *room)
{
	Common		common = {0};

	count_companies(companies, rows, nrows, room);
	for (uint64 i = 0; i < nrows; i++)
		for (uint64 at = companies->first[rows[i]]; at < companies->first[rows[i] + 1]; at++)
		{
			uint32		count = room->count[companies->company[at]];

			room->count[companies->company[at]] = 0;
			if (count >= size)
				continue;
			common.most = Max(common.most, count);
			if (count > allowed)
				common.excess += count - allowed;
		}
	return common;
}

uint64
hc_excess(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint32 n, HcRoom *room)
{
	uint64		allowed = size > n ? size - n : 0;

	if (n <= 1 || nrows <= allowed)
		return 0;
	return common_with(companies, rows, nrows, size, allowed, room).excess;
}

uint64
hc_most_in_common(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, HcRoom *room)
{
	return common_with(companies, rows, nrows, size, size, room).most;
}

/* ----------------------------------------------------------------
 * Sets
 * ----------------------------------------------------------------
 */

/* The class that a row was in last, if all of it is here, and a set; or NO_BUCKET. */
static uint32
kept_class(const CorPartition *partition, const bool *is_whole, RowId row)
{
	const Paths *paths = partition->paths;
	uint32		class;

	if (partition->n <= 1 || !paths_known(paths, row))
		return NO_BUCKET;
	class = paths->class[paths_last(paths, row)];
	return is_whole[class] && paths_size(paths, class) == partition->nvalues ? class : NO_BUCKET;
}

typedef struct KeptRow
{
	uint32		class;
	RowId		row;
} KeptRow;

static int
compare_kept(const void *a, const void *b)
{
	const KeptRow *x = a;
	const KeptRow *y = b;

	return (x->class > y->class) - (x->class < y->class);
}

/* The rows of a value that stay in their classes go to the end, sorted by these; returns how many. */
static uint64
keep_rows(const CorPartition *partition, const bool *is_whole, RowId *rows, uint64 n, KeptRow *kept)
{
	uint64		others = 0;
	uint64		nkept = 0;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		class = kept_class(partition, is_whole, rows[i]);

		if (class == NO_BUCKET)
			rows[others++] = rows[i];
		else
			kept[nkept++] = (KeptRow) {class, rows[i]};
	}
	qsort(kept, nkept, sizeof(KeptRow), compare_kept);
	for (uint64 i = 0; i < nkept; i++)
		rows[others + i] = kept[i].row;
	return nkept;
}

/* Makes the sets of a bucket: rows of whole classes stay together, the others are split. */
static void
make_sets(CorPartition *partition, const bool *is_whole, Buckets *buckets, uint32 b)
{
	uint32		n = partition->nvalues;
	uint64	   *lo = new_array(uint64, n);
	uint64	   *hi = new_array(uint64, n);
	KeptRow    *kept = new_array(KeptRow, partition->sets);
	uint64		nkept = 0;

	for (uint32 i = 0; i < n; i++)
	{
		uint64		slot = buckets->first_value[b] + i;

		lo[i] = buckets->first[slot];
		nkept = keep_rows(partition, is_whole, buckets->rows + lo[i], buckets->first[slot + 1] - lo[i], kept);
		hi[i] = buckets->first[slot + 1] - nkept;
		for (uint64 k = 0; k < nkept; k++)
			partition->cell[(partition->sets - nkept + k) * n + i] = buckets->rows[hi[i] + k];
	}
	even_split(partition->frame, buckets->rows, lo, hi, n, partition->sets - nkept, partition->cell);
	pfree(kept);
	pfree(lo);
	pfree(hi);
}

/* ----------------------------------------------------------------
 * Exchanging
 * ----------------------------------------------------------------
 */

/* Lists the true rows of a set, which may lack some of its values; returns their number. */
static uint64
true_rows(const CorPartition *partition, uint64 set, RowId *rows)
{
	const RowId *cell = partition->cell + set * partition->nvalues;
	uint64		n = 0;

	for (uint32 i = 0; i < partition->nvalues; i++)
		if (cell[i] != NO_ROW)
			rows[n++] = cell[i];
	return n;
}

static uint64
excess_of_set(CorPartition *partition, uint64 set)
{
	uint64		n = true_rows(partition, set, partition->rows);

	return hc_excess(partition->companies, partition->rows, n, partition->nvalues, partition->n, partition->room);
}

/* Exchanges the rows that two sets have for one value. */
static void
exchange(CorPartition *partition, uint64 a, uint64 b, uint32 i)
{
	RowId	   *x = &partition->cell[a * partition->nvalues + i];
	RowId	   *y = &partition->cell[b * partition->nvalues + i];
	RowId		swap = *x;

	*x = *y;
	*y = swap;
}

/* Exchanges a row of an unsafe set with another set, if that makes the two safer. */
static bool
exchange_with(CorPartition *partition, uint64 *excess, uint64 set, uint64 other)
{
	uint64		before = excess[set] + excess[other];

	for (uint32 i = 0; i < partition->nvalues; i++)
	{
		uint64		mine;
		uint64		its;

		exchange(partition, set, other, i);
		mine = excess_of_set(partition, set);
		its = mine >= before ? 0 : excess_of_set(partition, other);
		if (mine + its < before)
		{
			excess[set] = mine;
			excess[other] = its;
			return true;
		}
		exchange(partition, set, other, i);
	}
	return false;
}

/* With the nearest sets first; false when no exchange within reach helps. */
static bool
exchange_once(CorPartition *partition, uint64 *excess, uint64 set)
{
	for (uint64 d = 1; d <= REACH && d < partition->sets; d++)
	{
		if (set >= d && exchange_with(partition, excess, set, set - d))
			return true;
		if (set + d < partition->sets && exchange_with(partition, excess, set, set + d))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------
 * Merging
 * ----------------------------------------------------------------
 */

/* Lists the true rows of all sets of a class in partition->rows; returns their number. */
static uint64
rows_of_class(CorPartition *partition, const HcClass *class)
{
	uint64		n = 0;
	uint64		most = (class->sets + 1) * partition->nvalues;

	array_reserve(partition->rows, partition->rows_allocated, most);
	for (uint64 set = class->first; set != NO_SET; set = partition->next[set])
		n += true_rows(partition, set, partition->rows + n);
	return n;
}

static bool
is_safe(CorPartition *partition, const HcClass *class)
{
	uint64		n = rows_of_class(partition, class);
	uint64		size = (class->sets + class->counterfeit_sets) * partition->nvalues;

	return hc_excess(partition->companies, partition->rows, n, size, partition->n, partition->room) == 0;
}

/* Moves all sets of one class to another. */
static void
merge(CorPartition *partition, HcClass *class, HcClass *other)
{
	uint64		last = other->first;

	for (uint64 set = other->first; set != NO_SET; set = partition->next[set])
	{
		partition->class_of[set] = class - partition->classes;
		last = set;
	}
	partition->next[last] = class->first;
	class->first = other->first;
	class->sets += other->sets;
	class->counterfeit_sets += other->counterfeit_sets;
	other->sets = 0;
}

/* With the classes of the nearest sets, until it is safe. */
static bool
merge_nearest(CorPartition *partition, uint64 set)
{
	HcClass    *class = &partition->classes[partition->class_of[set]];

	for (uint64 d = 1; d < partition->sets && d <= REACH; d++)
		for (int side = 0; side < 2; side++)
		{
			uint64		other = side == 0 ? set - d : set + d;

			if ((side == 0 && set < d) || other >= partition->sets ||
				partition->class_of[other] == partition->class_of[set])
				continue;
			merge(partition, class, &partition->classes[partition->class_of[other]]);
			if (is_safe(partition, class))
				return true;
		}
	return false;
}

/* Adds sets of counterfeits until a class has n more rows than it has in common with any earlier class. */
static void
add_counterfeits(CorPartition *partition, HcClass *class)
{
	uint64		n = rows_of_class(partition, class);
	uint64		size = class->sets * partition->nvalues;
	uint64		common = hc_most_in_common(partition->companies, partition->rows, n, size + 1, partition->room);

	common = Max(common, 1);
	while (size + class->counterfeit_sets * partition->nvalues < common + partition->n)
		class->counterfeit_sets++;
	Assert(is_safe(partition, class));
}

/* Exchanges people between sets, then merges classes or adds counterfeits, until all classes are safe. */
static void
make_safe(CorPartition *partition, uint64 *excess)
{
	for (uint64 set = 0; set < partition->sets; set++)
	{
		CHECK_FOR_INTERRUPTS();
		while (excess[set] > 0 && exchange_once(partition, excess, set))
			;
	}
	for (uint64 set = 0; set < partition->sets; set++)
	{
		CHECK_FOR_INTERRUPTS();
		if (excess[set] == 0 || is_safe(partition, &partition->classes[partition->class_of[set]]))
			continue;
		if (!merge_nearest(partition, set))
			add_counterfeits(partition, &partition->classes[partition->class_of[set]]);
	}
}

void
cor_partition(CorPartition *partition, const Frame *frame, const Paths *paths, const Companies *companies,
			  const bool *is_whole, Buckets *buckets, uint32 b, uint32 n, HcRoom *room)
{
	uint32		nvalues = bucket_values(buckets, b);
	uint64		sets = buckets->sets[b];
	uint64	   *excess;

	*partition = (CorPartition) {
		.frame = frame, .paths = paths, .companies = companies, .n = n, .nvalues = nvalues, .sets = sets,
		.cell = new_array(RowId, sets * nvalues),
		.next = new_array(uint64, sets),
		.class_of = new_array(uint64, sets),
		.classes = new_array(HcClass, sets),
		.rows = new_array(RowId, nvalues), .rows_allocated = nvalues,
		.room = room,
	};
	make_sets(partition, is_whole, buckets, b);
	excess = new_array(uint64, sets);
	for (uint64 set = 0; set < sets; set++)
	{
		partition->next[set] = NO_SET;
		partition->class_of[set] = set;
		partition->classes[set] = (HcClass) {.first = set, .sets = 1};
		excess[set] = excess_of_set(partition, set);
	}
	make_safe(partition, excess);
	pfree(excess);
}
