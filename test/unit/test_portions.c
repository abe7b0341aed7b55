/*
 * test_portions.c
 *		Portions that others partition, in other memory and any order, make the same
 *		classes.
 */
#include "shim.h"

#include "frame/arrays.h"
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

static const Test tests[] = {
	{"portions that moved and come back in any order", test_scrambled_portions},
	{"portions that have no room", test_small_rooms},
	{"few records of many rows", test_few_records},
	{"conditions on values", test_conditions_on_values},
};

int
main(void)
{
	return run_tests(tests, lengthof(tests));
}
