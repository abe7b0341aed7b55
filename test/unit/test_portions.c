/*
 * test_portions.c
 *		Portions that others partition, in other memory and any order, make the same
 *		classes; and the first cuts, which make portions, are as good as if none of
 *		their records had been left out.
 */
#include "shim.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/first_cuts.h"
#include "partition/mondrian.h"
#include "partition/portions.h"
#include "release/crew/packed_setting.h"

#define MANY_ROWS	60000

/*
 * Frames of many records
 */

static Domain
make_line(Code size, bool has_null)
{
	double	   *position = new_array(double, size);

	for (Code i = 0; i < size; i++)
		position[i] = i + i % 7 * 0.1;
	return (Domain) {.size = size + has_null, .null_code = has_null ? size : NO_CODE, .position = position};
}

/* A root, so many branches, and so many leaves on each. */
static Domain
make_tree(uint32 branches, uint32 leaves)
{
	uint32		n = 1 + branches + branches * leaves;
	uint32	   *parent = new_zeros(uint32, n);
	Code	   *first_leaf = new_zeros(Code, n);
	Code	   *nleaves = new_array(Code, n);
	uint32	   *number;

	nleaves[0] = branches * leaves;
	for (uint32 b = 0; b < branches; b++)
	{
		first_leaf[1 + b] = b * leaves;
		nleaves[1 + b] = leaves;
	}
	for (uint32 i = 0; i < branches * leaves; i++)
	{
		parent[1 + branches + i] = 1 + i / leaves;
		first_leaf[1 + branches + i] = i;
		nleaves[1 + branches + i] = 1;
	}
	return (Domain) {
		.size = branches * leaves, .null_code = NO_CODE,
		.tree = tree_of_nodes(n, parent, first_leaf, nleaves, false, &number)
	};
}

/* The lesser of two numbers. */
static Code
skewed_below(Code n)
{
	Code		a = any_below(n);
	Code		b = any_below(n);

	return Min(a, b);
}

/* Two lines and a tree; few rows have a value that is alike. */
static Frame *
make_frame(uint64 nrows)
{
	static const double weights[] = {1, 0.5, 3};
	Frame	   *frame = palloc0(sizeof(Frame));

	frame->nrows = nrows;
	frame->nqis = 3;
	frame->domain = palloc0(sizeof(Domain) * 3);
	frame->domain[0] = make_line(90, true);
	frame->domain[1] = make_tree(12, 30);
	frame->domain[2] = make_line(5000, false);
	frame->weight = palloc(sizeof(weights));
	memcpy(frame->weight, weights, sizeof(weights));
	frame->nsensitive = 20;
	frame->code = palloc0(sizeof(Code *) * 3);
	frame->sensitive = new_array(Code, nrows);
	for (int q = 0; q < 3; q++)
		frame->code[q] = new_array(Code, nrows);
	for (uint64 row = 0; row < nrows; row++)
	{
		for (int q = 0; q < 3; q++)
			frame->code[q][row] = skewed_below(frame->domain[q].size);
		frame->sensitive[row] = any_below(50) == 0 ? NO_CODE : skewed_below(20);
	}
	return frame;
}

/* Bands of the values, places for them, and a distribution. */
static const Aspects *
make_aspects(Code nvalues)
{
	static Code band[20];
	static double place[20];
	static double share[20];
	static int32 since[20];
	Aspect	   *aspect = palloc0(sizeof(Aspect) * 2);
	Aspects    *aspects = palloc0(sizeof(Aspects));

	for (Code i = 0; i < nvalues; i++)
	{
		band[i] = i / 2;
		place[i] = (double) i / (nvalues - 1);
		share[i] = (2.0 * (nvalues - i) - 1) / (nvalues * nvalues);	/* of skewed_below() */
		since[i] = 1;
	}
	aspect[0] = (Aspect) {"itself", nvalues, NULL, place};
	aspect[1] = (Aspect) {"bands", (nvalues + 1) / 2, band, NULL};
	*aspects = (Aspects) {2, nvalues, aspect, share, since};
	return aspects;
}

static Classes *
cut(Frame *frame, const Principle *principle, const Crew *crew)
{
	RowId	   *rows = new_array(RowId, frame->nrows);

	for (uint64 row = 0; row < frame->nrows; row++)
		rows[row] = row;
	frame->crew = crew;
	return mondrian(frame, rows, frame->nrows, principle, 5);
}

static bool
equal_classes(const Classes *a, const Classes *b)
{
	return a->nclasses == b->nclasses &&
		memcmp(a->first, b->first, sizeof(uint64) * (a->nclasses + 1)) == 0 &&
		memcmp(a->rows, b->rows, sizeof(RowId) * a->first[a->nclasses]) == 0 &&
		memcmp(a->regions, b->regions, sizeof(Span) * a->nclasses * a->nqis) == 0;
}

/*
 * A crew without processes: a packed setting that has moved, portions that have moved, too, and wait for each other.
 */

#define DESKS 4

static uint32 nportions;
static Size largest;			/* bytes of a portion that had room */
static Size room_bytes;			/* 0: enough for all portions */

/* Packs and unpacks a setting, far from where its arrays were. */
static PortionSetting *
moved_setting(const PortionSetting *setting)
{
	Size		bytes = setting_pack(setting, NULL);
	char	   *packed = palloc(bytes);
	char	   *moved = palloc(bytes);

	check(setting_pack(setting, packed) == bytes);
	memcpy(moved, packed, bytes);
	memset(packed, 0x7f, bytes);
	return setting_unpack(moved);
}

/* Partitions a portion elsewhere. */
static void
partition_elsewhere(Partitioner *partitioner, Portion *portion, Size bytes)
{
	Portion    *moved = palloc(bytes);

	memcpy(moved, portion, bytes);
	memset(portion, 0x7f, bytes);
	partition_portion(partitioner, moved);
	memcpy(portion, moved, bytes);
	pfree(moved);
}

static void
partition_scrambled(PortionSource *source)
{
	Size		bytes = room_bytes > 0 ? room_bytes : portion_bytes(source->setting, PORTION_RECORDS, PORTION_ROWS);
	Partitioner *partitioner = partitioner_create(moved_setting(source->setting));
	Portion    *desk[DESKS] = {NULL};
	void	   *room[DESKS];
	bool		has_more = true;
	uint32		taken = 0;

	for (int i = 0; i < DESKS; i++)
		room[i] = palloc(bytes);
	while (has_more || taken > 0)
	{
		int			i = any_below(DESKS);

		if (desk[i] == NULL && has_more)
		{
			desk[i] = source->next(source, room[i], bytes);
			has_more = desk[i] != NULL;
			taken += has_more;
			nportions += has_more;
			if (has_more)
				largest = Max(largest, portion_bytes(source->setting, desk[i]->nrecords, desk[i]->nrows));
		}
		else if (desk[i] != NULL)
		{
			partition_elsewhere(partitioner, desk[i], bytes);
			source->take(source, desk[i]);
			desk[i] = NULL;
			taken--;
		}
	}
}

static const Crew scrambled = {partition_scrambled};

/* The same frame by one process, and by a crew. */
static void
check_alike(Frame *frame, const Principle *principle)
{
	Classes    *alone = cut(frame, principle, NULL);
	Classes    *together = cut(frame, principle, &scrambled);

	check(alone->nclasses > 100);
	check(alone->first[alone->nclasses] == frame->nrows);
	check(equal_classes(alone, together));
}

static void
test_scrambled_portions(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);
	Principle	principle = principle_k_l(10, 3);

	nportions = 0;
	check_alike(frame, &principle);
	check(nportions > 3);
}

/* Where hardly a portion has room, all others are partitioned by the process that hands them out. */
static void
test_small_rooms(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);
	Principle	principle = principle_k_l(10, 3);
	uint32		all;

	nportions = largest = 0;
	check_alike(frame, &principle);
	all = nportions;
	nportions = 0;
	room_bytes = largest - 1;
	check_alike(frame, &principle);
	check(nportions > 0 && nportions < all);
	room_bytes = 1;
	nportions = 0;
	check_alike(frame, &principle);
	check(nportions == 0);
	room_bytes = 0;
}

/* Few records of very many rows, which cannot be cut for ever. */
static void
test_few_records(void)
{
	Frame	   *frame = make_frame(4 * PORTION_ROWS);
	Principle	principle = principle_k_l(10, 3);

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		frame->code[0][row] %= 2;
		frame->code[1][row] %= 3;
		frame->code[2][row] = 7;
	}
	check_alike(frame, &principle);
}

/* Conditions on values, some of which compare with a distribution, are bound again elsewhere. */
static void
test_conditions_on_values(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);

	for (int p = 0; p < NPRINCIPLES; p++)
	{
		int64		params[NPRINCIPLE_PARAMS];
		static const int64 strength[] = {3 * PARAM_SCALE, 5 * PARAM_SCALE / 2, 3, PARAM_SCALE / 2, 6 * PARAM_SCALE, 3 * PARAM_SCALE};
		Principle	declared;
		Principle	bound;

		StaticAssertStmt(lengthof(strength) >= NPRINCIPLES, "a strength for each condition");
		for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
			params[i] = PARAM_ABSENT;
		params[p] = strength[p];
		params[PRINCIPLE_C] = 3 * PARAM_SCALE;
		frame->aspects = p % 2 == 0 ? make_aspects(frame->nsensitive) : NULL;
		declared = principle_declared(10, 2, params);
		if (principle_compares(&declared) && frame->aspects == NULL)
			frame->aspects = make_aspects(frame->nsensitive);
		bound = principle_bound(&declared, frame->nsensitive, frame->aspects);
		check_alike(frame, &bound);
	}
}

/*
 * The first cuts
 */

static Work *
work_of(const Frame *frame, const Principle *principle)
{
	RowId	   *rows = new_array(RowId, frame->nrows);

	for (uint64 row = 0; row < frame->nrows; row++)
		rows[row] = row;
	return work_create(frame, records_collapse(frame, rows, frame->nrows, 5), frame->nrows, principle);
}

/* Each record is in one part, and the principle allows each part; returns the records of the largest. */
static uint64
check_parts(Work *work, const FirstParts *parts)
{
	const Records *records = work->records;
	bool	   *seen = new_zeros(bool, records->nrecords);
	uint64		largest = 0;

	check(parts->first[0] == 0 && parts->first[parts->nparts] == records->nrecords);
	for (uint64 p = 0; p < parts->nparts; p++)
	{
		tally_clear(work->tally);
		for (uint64 i = parts->first[p]; i < parts->first[p + 1]; i++)
		{
			uint32		r = parts->records[i];

			check(!seen[r]);
			seen[r] = true;
			count_rows(work, records->first[r], records->first[r + 1]);
		}
		check(principle_allows(work->principle, work->tally));
		largest = Max(largest, parts->first[p + 1] - parts->first[p]);
	}
	tally_clear(work->tally);
	return largest;
}

static double
loss_of(const Frame *frame, const Classes *classes)
{
	double		loss = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < classes->nqis; q++)
			loss += frame->weight[q] * class_size(classes, c) * domain_loss(&frame->domain[q], class_region(classes, c)[q]);
	return loss;
}

/* A sample makes parts as small as they should be, and of all cuts it costs hardly more loss than cuts of all records. */
static void
test_first_cuts(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);
	Principle	principle = principle_k_l(10, 3);
	Work	   *work = work_of(frame, &principle);
	FirstParts *parts = first_cuts(work, PORTION_RECORDS, PORTION_ROWS);
	double		of_sample = loss_of(frame, cut(frame, &principle, NULL));
	double		of_all = loss_of(frame, partition_work(work, frame->nrows, CurrentMemoryContext));

	check(parts != NULL && parts->nparts > work->records->nrecords / PORTION_RECORDS);
	check(check_parts(work_of(frame, &principle), parts) < 1.3 * PORTION_RECORDS);
	printf("# loss %.1f, and %.1f if all records are cut\n", of_sample, of_all);
	check(of_sample < 1.03 * of_all);
}

/* Records of very many rows and of few: parts are bounded by both. */
static void
test_first_cuts_of_rows(void)
{
	Frame	   *frame = make_frame(10 * MANY_ROWS);
	Principle	principle = principle_k_l(10, 3);
	Work	   *work;
	FirstParts *parts;

	for (uint64 row = 0; row < frame->nrows; row++)
		if (row % 10 != 0)
			for (int q = 0; q < 3; q++)
				frame->code[q][row] /= 6;
	work = work_of(frame, &principle);
	parts = first_cuts(work, PORTION_RECORDS, PORTION_ROWS);
	check(check_parts(work, parts) < 1.3 * PORTION_RECORDS);
	for (uint64 p = 0; p < parts->nparts; p++)
	{
		uint64		nrows = 0;

		for (uint64 i = parts->first[p]; i < parts->first[p + 1]; i++)
			nrows += record_rows(work->records, parts->records[i]);
		check(nrows < 1.3 * PORTION_ROWS);
	}
}

/* A few records are cut as they are, and so are those of which the sample cannot be cut. */
static void
test_no_first_cuts(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);
	Principle	principle = principle_k_l(10, 3);

	check(first_cuts(work_of(make_frame(PORTION_RECORDS / 2), &principle), PORTION_RECORDS, PORTION_ROWS) == NULL);
	check(first_cuts(work_of(frame, &principle), PORTION_RECORDS / 20, PORTION_ROWS) == NULL);
	principle.k = frame->nrows / 2;
	check(first_cuts(work_of(frame, &principle), PORTION_RECORDS, PORTION_ROWS) == NULL);
	check(equal_classes(cut(frame, &principle, NULL), cut(frame, &principle, &scrambled)));
}

/* Where records that were not drawn have other values than those that were, a part may be refused: its cut is taken back. */
static void
test_refused_parts(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);
	int64		params[NPRINCIPLE_PARAMS];
	Principle	declared;
	Principle	bound;
	Work	   *work;
	FirstParts *even;
	FirstParts *uneven;
	uint64		ndrawn;

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	params[PRINCIPLE_entropy] = 4 * PARAM_SCALE;
	declared = principle_declared(10, 2, params);
	bound = principle_bound(&declared, frame->nsensitive, NULL);
	for (uint64 row = 0; row < frame->nrows; row++)
		frame->sensitive[row] = any_below(20);
	work = work_of(frame, &bound);
	even = first_cuts(work, PORTION_RECORDS, PORTION_ROWS);
	(void) check_parts(work, even);

	/* The rows that are drawn, as first_cuts() does, stay as they are; most others there get one value. */
	ndrawn = 256 * (work->records->nrecords / PORTION_RECORDS);
	for (uint64 i = 0; i < frame->nrows; i++)
		if (frame->code[2][work->records->rows[i]] < 500)
			frame->sensitive[work->records->rows[i]] = 0;
	for (uint64 i = 0; i < ndrawn; i++)
		frame->sensitive[work->records->rows[slice_start(frame->nrows, ndrawn, i)]] = i % 20;
	work = work_of(frame, &bound);
	uneven = first_cuts(work, PORTION_RECORDS, PORTION_ROWS);
	(void) check_parts(work, uneven);
	printf("# %u parts, and %u where some were refused\n", (uint32) even->nparts, (uint32) uneven->nparts);
	check(uneven->nparts < even->nparts);
	check_alike(frame, &bound);
}

/* Infinite widths, NULLs nearly everywhere, and one code that nearly all records have. */
static void
test_first_cuts_of_odd_domains(void)
{
	Frame	   *frame = make_frame(MANY_ROWS);
	Principle	principle = principle_k_l(10, 3);
	Work	   *work;

	((double *) frame->domain[2].position)[0] = -HUGE_VAL;
	((double *) frame->domain[2].position)[frame->domain[2].size - 1] = HUGE_VAL;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		if (any_below(10) > 0)
			frame->code[0][row] = frame->domain[0].null_code;
		if (any_below(100) > 0)
			frame->code[1][row] = 77;
	}
	work = work_of(frame, &principle);
	(void) check_parts(work, first_cuts(work, PORTION_RECORDS / 2, PORTION_ROWS));
	check_alike(frame, &principle);
}

static const Test tests[] = {
	{"portions that moved and come back in any order", test_scrambled_portions},
	{"portions that have no room", test_small_rooms},
	{"few records of many rows", test_few_records},
	{"conditions on values", test_conditions_on_values},
	{"first cuts", test_first_cuts},
	{"first cuts of records of many rows", test_first_cuts_of_rows},
	{"no first cuts", test_no_first_cuts},
	{"parts that are refused", test_refused_parts},
	{"first cuts of odd domains", test_first_cuts_of_odd_domains},
};

int
main(void)
{
	return run_tests(tests, lengthof(tests));
}
