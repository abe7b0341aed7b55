/*
 * test_partition.c
 *		Are classes sound, whatever the frame; and are they good?
 *
 * Soundness is asked of thousands of small random frames of all kinds, by
 * check_sound(), which counts and covers afresh.  Goodness is asked of frames
 * made by hand.
 */
#include "shim.h"

#include "partition/groups.h"
#include "partition/mondrian.h"

#include <string.h>
#include <time.h>

/* A generator of numbers, the same in every run (xorshift). */
static uint64 random_state;

static uint32
draw(uint32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 20) % n;
}

/*
 * Building frames
 */

/* A line of so many numbers at uneven distances; with has_null its last code is NULL. */
static Domain
make_line(Code size, bool has_null)
{
	double	   *position = palloc(sizeof(double) * size);
	double		at = -5;

	for (Code code = 0; code < size; code++)
	{
		position[code] = at;
		at += 1 + draw(10);
	}
	return (Domain) {.size = size,.null_code = has_null ? size - 1 : NO_CODE,.position = position};
}

/* Nodes of a random tree, before they are put in order: node i hangs on parent[i] < i. */
#define MAX_NODES 200

typedef struct Sketch
{
	uint32		n;
	uint32		parent[MAX_NODES];
	uint32		nchildren[MAX_NODES];
} Sketch;

static Code
number_leaves(const Sketch *sketch, uint32 node, Code next, Span *leaves)
{
	leaves[node].lo = next;
	if (sketch->nchildren[node] == 0)
		next++;
	for (uint32 child = 1; child < sketch->n; child++)
		if (sketch->parent[child] == node)
			next = number_leaves(sketch, child, next, leaves);
	leaves[node].hi = next - 1;
	return next;
}

/* Makes a tree of a sketch in which siblings stand side by side, parents before children. */
static Domain
make_tree(const Sketch *sketch, Code null_code)
{
	Tree	   *tree = palloc0(sizeof(Tree));
	Span		leaves[MAX_NODES];
	Code		size = number_leaves(sketch, 0, 0, leaves);

	tree->nnodes = sketch->n;
	tree->nodes = palloc0(sizeof(TreeNode) * sketch->n);
	tree->leaf = palloc0(sizeof(uint32) * size);
	for (uint32 node = 0; node < sketch->n; node++)
	{
		TreeNode   *made = &tree->nodes[node];

		made->leaves = leaves[node];
		made->parent = sketch->parent[node];
		made->nchildren = sketch->nchildren[node];
		for (uint32 child = sketch->n - 1; child > 0; child--)
			if (sketch->parent[child] == node)
				made->first_child = child;
		if (made->nchildren == 0)
			tree->leaf[leaves[node].lo] = node;
	}
	return (Domain) {.size = size,.null_code = null_code == NO_CODE ? NO_CODE : size - 1,.tree = tree};
}

/* A tree grown breadth-first: each node in turn gets some children, often just one. */
static Domain
make_random_tree(uint32 most_nodes, bool has_null)
{
	Sketch		sketch = {.n = 1};

	for (uint32 node = 0; node < sketch.n; node++)
		for (uint32 n = node == 0 ? 1 + draw(5) : draw(4); n > 0 && sketch.n < most_nodes; n--)
		{
			sketch.parent[sketch.n++] = node;
			sketch.nchildren[node]++;
		}
	/* NULL has to be the root's last leaf: the last child of the root, with none below it. */
	return make_tree(&sketch, has_null && sketch.nchildren[sketch.nchildren[0]] == 0 &&
					 sketch.nchildren[0] > 0 ? 0 : NO_CODE);
}

/* A root and leaves. */
static Domain
make_flat_tree(Code size)
{
	Sketch		sketch = {.n = size + 1};

	sketch.nchildren[0] = size;
	return make_tree(&sketch, NO_CODE);
}

/* A chain of only children that ends in a fork of three. */
static Domain
make_chain(uint32 length)
{
	Sketch		sketch = {.n = length + 3};

	for (uint32 node = 1; node < length; node++)
	{
		sketch.parent[node] = node - 1;
		sketch.nchildren[node - 1] = 1;
	}
	sketch.nchildren[length - 1] = 3;
	for (uint32 leaf = length; leaf < length + 3; leaf++)
		sketch.parent[leaf] = length - 1;
	return make_tree(&sketch, NO_CODE);
}

static Frame *
make_frame(uint64 nrows, int nqis, Code nsensitive)
{
	Frame	   *frame = palloc0(sizeof(Frame));

	frame->nrows = nrows;
	frame->nqis = nqis;
	frame->domain = palloc0(sizeof(Domain) * nqis);
	frame->code = palloc0(sizeof(Code *) * nqis);
	for (int q = 0; q < nqis; q++)
		frame->code[q] = palloc0(sizeof(Code) * nrows + 1);
	frame->nsensitive = nsensitive;
	frame->sensitive = palloc0(sizeof(Code) * nrows + 1);
	return frame;
}

static Domain
make_random_domain(void)
{
	switch (draw(6))
	{
		case 0:
			return make_line(1, false);
		case 1:
			return make_line(2 + draw(20), true);
		case 2:
			return make_line(1 + draw(300), false);
		case 3:
			return make_flat_tree(1 + draw(8));
		case 4:
			return make_chain(2 + draw(30));
		default:
			return make_random_tree(2 + draw(60), draw(2) == 0);
	}
}

/* A thousandth, a thousand, or something between. */
static void
draw_weights(Frame *frame)
{
	static const double weights[] = {0.001, 0.5, 1, 2, 7, 1000};
	double	   *weight = palloc(sizeof(double) * frame->nqis);

	for (int q = 0; q < frame->nqis; q++)
		weight[q] = weights[draw(lengthof(weights))];
	frame->weight = weight;
}

/* A frame with any kinds of domains, skewed codes, some sensitive NULLs and often weights. */
static Frame *
make_random_frame(void)
{
	Frame	   *frame = make_frame(draw(300), 1 + draw(4), 1 + draw(8));
	uint32		skew = 1 + draw(3);
	bool		nulls = draw(2) == 0;

	for (int q = 0; q < frame->nqis; q++)
		frame->domain[q] = make_random_domain();
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		for (int q = 0; q < frame->nqis; q++)
		{
			frame->code[q][row] = draw(frame->domain[q].size);
			for (uint32 i = 1; i < skew; i++)
				frame->code[q][row] = Min(frame->code[q][row], draw(frame->domain[q].size));
		}
		frame->sensitive[row] = nulls && draw(4) == 0 ? NO_CODE :
			Min(draw(frame->nsensitive), draw(frame->nsensitive));
	}
	if (draw(2) == 0)
		draw_weights(frame);
	return frame;
}

static RowId *
all_rows(const Frame *frame)
{
	RowId	   *rows = palloc_extended(sizeof(RowId) * frame->nrows + 1, MCXT_ALLOC_HUGE);

	for (uint64 row = 0; row < frame->nrows; row++)
		rows[row] = row;
	return rows;
}

static Classes *
cut_by(const Frame *frame, const Principle *principle)
{
	return mondrian(frame, all_rows(frame), frame->nrows, principle, 7);
}

static Classes *
cut_frame(const Frame *frame, uint64 k, uint32 l)
{
	Principle	principle = principle_k_l(k, l);

	return cut_by(frame, &principle);
}

/*
 * Judging classes
 */

static bool
allowed(const Frame *frame, const RowId *rows, uint64 n, const Principle *principle)
{
	Tally	   *tally = tally_create(frame->nsensitive);
	bool		result;

	for (uint64 i = 0; i < n; i++)
		tally_add(tally, frame->sensitive[rows[i]]);
	result = principle_allows(principle, tally);
	tally_free(tally);
	return result;
}

/* The region of a class is the cover of its members, not more and not less. */
static void
check_region(const Frame *frame, const Classes *classes, uint32 c)
{
	for (int q = 0; q < frame->nqis; q++)
	{
		Span		hull = span_of(frame->code[q][classes->rows[classes->first[c]]]);

		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			hull = span_hull(hull, span_of(frame->code[q][classes->rows[i]]));
		check(span_equal(class_region(classes, c)[q], domain_cover(&frame->domain[q], hull)));
	}
}

/* All that must hold of any result over these rows of the frame. */
static void
check_sound(const Frame *frame, const RowId *given, uint64 nrows, const Classes *classes, const Principle *principle)
{
	char	   *seen = palloc0(frame->nrows + 1);

	check(classes->nqis == frame->nqis);
	check(classes->first[0] == 0);
	check((classes->nclasses == 0) == (nrows == 0 || !allowed(frame, given, nrows, principle)));
	if (classes->nclasses == 0)
		return;
	check(classes->first[classes->nclasses] == nrows);
	for (uint64 i = 0; i < nrows; i++)
		seen[given[i]] = 1;
	for (uint64 i = 0; i < nrows; i++)
	{
		check(seen[classes->rows[i]] == 1);
		seen[classes->rows[i]] = 2;
	}
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		check(class_size(classes, c) > 0);
		check(allowed(frame, classes->rows + classes->first[c], class_size(classes, c), principle));
		check_region(frame, classes, c);
	}
}

/* Cuts a frame, and checks the result. */
static Classes *
check_by(const Frame *frame, const Principle *principle)
{
	Classes    *classes = cut_by(frame, principle);

	check_sound(frame, all_rows(frame), frame->nrows, classes, principle);
	return classes;
}

static void
check_frame(const Frame *frame, uint64 k, uint32 l)
{
	Principle	principle = principle_k_l(k, l);

	(void) check_by(frame, &principle);
}

static double
total_loss(const Frame *frame, const Classes *classes)
{
	double		loss = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < classes->nqis; q++)
			loss += class_size(classes, c) *
				domain_loss(&frame->domain[q], class_region(classes, c)[q]);
	return loss;
}

static uint64
largest_class(const Classes *classes)
{
	uint64		largest = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		largest = Max(largest, class_size(classes, c));
	return largest;
}

/*
 * Principles
 */

static void
test_tally_counts_values(void)
{
	Frame	   *frame = make_frame(1, 1, 3);
	Tally	   *tally = tally_create(frame->nsensitive);

	tally_add(tally, 2);
	tally_add(tally, 2);
	tally_add(tally, NO_CODE);
	tally_add(tally, 0);
	check(tally->rows == 4 && tally->values == 2);
	tally_remove(tally, 2);
	tally_remove(tally, NO_CODE);
	check(tally->rows == 2 && tally->values == 2);
	tally_remove(tally, 2);
	check(tally->rows == 1 && tally->values == 1);
	tally_clear(tally);
	check(tally->rows == 0 && tally->values == 0 && tally->count[0] == 0);
}

/* Rows that come and go many at once leave the tally as they would one by one. */
static void
test_tally_counts_many_rows_at_once(void)
{
	Tally	   *at_once = tally_create(5);
	Tally	   *one_by_one = tally_create(5);
	Tally	   *copy = tally_create(5);
	uint32		rows[5] = {0};

	random_state = 21;
	tally_add(copy, 4);
	for (int i = 0; i < some_of(1000); i++)
	{
		Code		value = draw(5);
		uint32		n = 1 + draw(4);
		bool		comes = rows[value] < n || draw(2) == 0;

		rows[value] += comes ? n : -n;
		(comes ? tally_add_rows : tally_remove_rows) (at_once, value == 4 ? NO_CODE : value, n);
		for (uint32 row = 0; row < n; row++)
			(comes ? tally_add : tally_remove) (one_by_one, value == 4 ? NO_CODE : value);
		tally_copy(copy, at_once);
		check(at_once->rows == one_by_one->rows && at_once->values == one_by_one->values);
		check(copy->rows == at_once->rows && copy->values == at_once->values);
		for (Code v = 0; v < 4; v++)
			check(at_once->count[v] == rows[v] && one_by_one->count[v] == rows[v] && copy->count[v] == rows[v]);
		for (uint32 j = 0; j < at_once->values; j++)
			check(at_once->place[at_once->value[j]] == j && copy->place[copy->value[j]] == j);
	}
}

static void
test_principle_wants_k_rows_and_l_values(void)
{
	Principle	principle = principle_k_l(3, 2);
	Tally		tally = {.rows = 3,.values = 2};

	check(principle_allows(&principle, &tally));
	tally.rows = 2;
	check(!principle_allows(&principle, &tally));
	tally = (Tally) {.rows = 9,.values = 1};
	check(!principle_allows(&principle, &tally));
}

static void
test_l_of_one_asks_for_no_value(void)
{
	Principle	principle = principle_k_l(3, 1);
	Tally		tally = {.rows = 3,.values = 0};

	check(principle_allows(&principle, &tally));
}

/*
 * Soundness
 */

static void
test_random_frames(void)
{
	static const uint64 ks[] = {1, 2, 3, 5, 10, 40};

	random_state = 20120101;
	for (int i = 0; i < some_of(4000); i++)
	{
		MemoryContext outer = CurrentMemoryContext;
		uint64		k = ks[draw(lengthof(ks))];
		uint32		l = 1 + draw(4);

		CurrentMemoryContext = AllocSetContextCreate(outer, "frame", ALLOCSET_DEFAULT_SIZES);
		check_frame(make_random_frame(), k, l);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* Three columns; the first one is a line of many codes. */
static Frame *
make_larger_frame(uint64 nrows, Code size, bool has_null)
{
	Frame	   *frame = make_frame(nrows, 3, 5);

	frame->domain[0] = make_line(size, has_null);
	frame->domain[1] = make_random_tree(150, false);
	frame->domain[2] = make_flat_tree(150);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		for (int q = 0; q < 3; q++)
			frame->code[q][row] = Min(draw(frame->domain[q].size), draw(frame->domain[q].size));
		frame->sensitive[row] = draw(20) == 0 ? draw(5) : 0;
	}
	return frame;
}

static void
test_larger_random_frames(void)
{
	random_state = 77;
	for (int i = 0; i < Max(4, some_of(8)); i++)
	{
		Frame	   *frame = make_larger_frame(20000, i % 2 == 0 ? 15000 : 90000, i % 4 == 0);

		check_frame(frame, 1 + draw(30), 1 + i % 3);
	}
}

static void
test_some_rows_of_a_frame(void)
{
	Principle	principle = principle_k_l(3, 2);
	Frame	   *frame;
	RowId	   *given;
	RowId	   *rows;
	uint64		n = 0;

	random_state = 5;
	do
		frame = make_random_frame();
	while (frame->nrows < 200 || frame->nsensitive < 3);
	given = palloc(sizeof(RowId) * frame->nrows);
	rows = palloc(sizeof(RowId) * frame->nrows);
	for (uint64 row = 0; row < frame->nrows; row += 2)
		given[n++] = row;
	memcpy(rows, given, sizeof(RowId) * n);
	check_sound(frame, given, n, mondrian(frame, rows, n, &principle, 1), &principle);
}

static void
test_no_rows(void)
{
	Frame	   *frame = make_frame(0, 1, 1);

	frame->domain[0] = make_line(3, false);
	check(cut_frame(frame, 5, 1)->nclasses == 0);
	frame->domain[0] = (Domain) {.size = 0,.null_code = NO_CODE};
	check(cut_frame(frame, 5, 1)->nclasses == 0);
}

static void
test_fewer_rows_than_k(void)
{
	Frame	   *frame = make_frame(9, 1, 1);

	frame->domain[0] = make_line(3, false);
	check(cut_frame(frame, 10, 1)->nclasses == 0);
}

static void
test_exactly_k_rows(void)
{
	Frame	   *frame = make_frame(10, 1, 1);
	Classes    *classes;

	frame->domain[0] = make_line(10, false);
	for (uint64 row = 0; row < 10; row++)
		frame->code[0][row] = row;
	classes = cut_frame(frame, 10, 1);
	check(classes->nclasses == 1);
	check(span_equal(class_region(classes, 0)[0], (Span) {0, 9}));
}

static void
test_l_larger_than_available(void)
{
	Frame	   *frame = make_frame(100, 1, 3);

	frame->domain[0] = make_line(10, false);
	for (uint64 row = 0; row < 100; row++)
		frame->sensitive[row] = row % 3;
	check(cut_frame(frame, 2, 4)->nclasses == 0);
	check(cut_frame(frame, 2, 3)->nclasses == 33);
}

static void
test_sensitive_nulls_count_for_nothing(void)
{
	Frame	   *frame = make_frame(100, 1, 1);

	frame->domain[0] = make_line(10, false);
	for (uint64 row = 0; row < 100; row++)
		frame->sensitive[row] = NO_CODE;
	check(cut_frame(frame, 2, 2)->nclasses == 0);
	check(cut_frame(frame, 2, 1)->nclasses == 50);
}

static void
test_k_of_one_loses_nothing(void)
{
	Frame	   *frame;

	random_state = 11;
	frame = make_random_frame();
	check_frame(frame, 1, 1);
	check(cut_frame(frame, 1, 1)->nclasses == frame->nrows);
	check_near(total_loss(frame, cut_frame(frame, 1, 1)), 0);
}

static void
test_no_quasi_identifiers(void)
{
	check(cut_frame(make_frame(25, 0, 1), 10, 1)->nclasses == 2);
}

/*
 * Soundness by principles that are not monotonous
 */

/* A principle of one condition on values, or with none for NPRINCIPLES, that is not bound. */
static Principle
one_condition(uint64 k, PrincipleParam param, double strength)
{
	int64		params[NPRINCIPLE_PARAMS];

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	if (param < NPRINCIPLES)
		params[param] = param == PRINCIPLE_recursive ? strength : strength * PARAM_SCALE + 0.5;
	if (param == PRINCIPLE_recursive)
		params[PRINCIPLE_C] = PARAM_SCALE;
	return principle_declared(k, 1, params);
}

/* A strength that some sets of few values have. */
static int64
draw_strength(PrincipleParam param)
{
	static const double many[] = {1.01, 1.3, 2, 2.5, 3.7};
	static const double gains[] = {0.05, 0.4, 1, 3, 20};
	static const double distances[] = {0.03, 0.1, 0.3, 0.6, 0.9};

	switch (param)
	{
		case PRINCIPLE_frequency:
		case PRINCIPLE_entropy:
			return many[draw(5)] * PARAM_SCALE;
		case PRINCIPLE_recursive:
			return 1 + draw(3);
		case PRINCIPLE_t:
			return distances[draw(5)] * PARAM_SCALE;
		default:
			return gains[draw(5)] * PARAM_SCALE;
	}
}

/* Any conditions together, mostly one or two. */
static Principle
draw_principle(void)
{
	static const uint64 ks[] = {1, 2, 3, 5, 10, 40};
	int64		params[NPRINCIPLE_PARAMS];

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	for (uint32 n = 1 + draw(2) + draw(2) * draw(2); n > 0; n--)
	{
		PrincipleParam param = draw(NPRINCIPLES);

		params[param] = draw_strength(param);
	}
	if (params[PRINCIPLE_recursive] != PARAM_ABSENT)
		params[PRINCIPLE_C] = (1 + draw(8)) * PARAM_SCALE / 2;
	params[PRINCIPLE_DISTANCE] = draw(3);
	params[PRINCIPLE_JOINT] = draw(3) == 0;
	return principle_declared(ks[draw(lengthof(ks))], 1 + draw(3), params);
}

/* The shares of values in a frame. */
static double *
shares_of(const Frame *frame)
{
	double	   *share = palloc0(sizeof(double) * (frame->nsensitive + 1));
	uint64		all = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
		all += frame->sensitive[row] != NO_CODE;
	for (uint64 row = 0; row < frame->nrows; row++)
		if (frame->sensitive[row] != NO_CODE)
			share[frame->sensitive[row]] += 1.0 / all;
	return share;
}

/* Any shares: some may be 0. */
static double *
draw_shares(Code nvalues)
{
	double	   *share = palloc0(sizeof(double) * (nvalues + 1));
	double		all = 0;

	for (Code value = 0; value < nvalues; value++)
		all += share[value] = draw(5);
	for (Code value = 0; value < nvalues && all > 0; value++)
		share[value] /= all;
	return share;
}

/* The value itself, or two sides of it, with places or without. */
static const Aspects *
draw_aspects(const Frame *frame)
{
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect) * 2);

	aspects->n = 1 + draw(2);
	aspects->aspect = aspect;
	aspects->share = draw(3) == 0 ? draw_shares(frame->nsensitive) : shares_of(frame);
	for (int a = 0; a < aspects->n; a++)
	{
		Code	   *code = palloc(sizeof(Code) * frame->nsensitive);
		double	   *place = palloc(sizeof(double) * frame->nsensitive);

		aspect[a].ncodes = aspects->n == 1 ? frame->nsensitive : 1 + draw(frame->nsensitive);
		for (Code value = 0; value < frame->nsensitive; value++)
		{
			code[value] = draw(12) == 0 ? NO_CODE : draw(aspect[a].ncodes);
			place[value] = draw(1000) / 999.0;
		}
		aspect[a].code = aspects->n == 1 ? NULL : code;
		aspect[a].place = draw(2) == 0 ? place : NULL;
	}
	return aspects;
}

/* Cuts a frame by a principle that is bound to it; another one, bound by itself, judges. */
static Classes *
check_by_bound(Frame *frame, const Principle *principle)
{
	Principle	bound = principle_bound(principle, frame->nsensitive, frame->aspects);
	Principle	judge = principle_bound(principle, frame->nsensitive, frame->aspects);
	Classes    *classes = cut_by(frame, &bound);

	check_sound(frame, all_rows(frame), frame->nrows, classes, &judge);
	return classes;
}

static void
test_random_principles(void)
{
	uint64		cut = 0;

	random_state = 20260101;
	for (int i = 0; i < some_of(3000); i++)
	{
		MemoryContext outer = CurrentMemoryContext;
		Principle	principle = draw_principle();
		Frame	   *frame;

		CurrentMemoryContext = AllocSetContextCreate(outer, "frame", ALLOCSET_DEFAULT_SIZES);
		frame = make_random_frame();
		frame->aspects = draw_aspects(frame);
		cut += check_by_bound(frame, &principle)->nclasses > 1;
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
	printf("# %llu of 3000 frames were cut\n", (unsigned long long) cut);
	check(cut > some_of(700));
}

/* Values that depend on the first two columns, so that most cuts are uneven. */
static void
draw_dependent_values(Frame *frame)
{
	for (uint64 row = 0; row < frame->nrows; row++)
		if (draw(3) > 0)
			frame->sensitive[row] = (frame->code[0][row] * 7 / frame->domain[0].size + frame->code[1][row]) % 5;
		else
			frame->sensitive[row] = draw(5);
}

static void
test_larger_frames_by_principles(void)
{
	random_state = 78;
	for (int i = 0; i < Max(24, some_of(48)); i++)
	{
		MemoryContext outer = CurrentMemoryContext;
		Principle	principle = i < 12 ? one_condition(1 + draw(12), i % NPRINCIPLES, (double[]) {3, 3, 2, 0.3, 0.6, 0.5}[i % NPRINCIPLES])
			: draw_principle();
		Frame	   *frame;

		CurrentMemoryContext = AllocSetContextCreate(outer, "frame", ALLOCSET_DEFAULT_SIZES);
		frame = make_larger_frame(6000, i % 2 == 0 ? 50 : 4000, i % 4 == 0);
		draw_dependent_values(frame);
		frame->aspects = draw_aspects(frame);
		(void) check_by_bound(frame, &principle);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* A line of one row a code, with these values. */
static Frame *
make_row_of_values(const char *values, uint32 times)
{
	uint64		n = strlen(values);
	Frame	   *frame = make_frame(n * times, 1, 26);

	frame->domain[0] = make_line(n * times, false);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		frame->code[0][row] = row;
		frame->sensitive[row] = values[row / times] - 'a';
	}
	return frame;
}

/* The first two rows are allowed, and the last two, but hardly anything between. */
static void
test_longer_sides_may_be_refused(void)
{
	Frame	   *frame = make_frame(400, 1, 2);
	Principle	principle = one_condition(2, PRINCIPLE_frequency, 2);
	Classes    *classes;

	frame->domain[0] = make_line(400, false);
	for (uint64 row = 0; row < 400; row++)
	{
		frame->code[0][row] = row;
		frame->sensitive[row] = row < 100 || row >= 300 ? row % 2 : row >= 200;
	}
	classes = check_by_bound(frame, &principle);
	/* a hundred pairs on each side, and another hundred pairs between, of people who are far apart */
	check(classes->nclasses >= 150);
}

/* Two groups that are even are one with a third that is not, and are open again. */
static void
test_joined_groups_are_asked_again(void)
{
	Principle	principle = one_condition(1, PRINCIPLE_frequency, 2);
	Classes    *classes = check_by_bound(make_row_of_values("abaaaaaaabbbbbbbba", 1), &principle);

	check(classes->nclasses >= 1);
	classes = check_by_bound(make_row_of_values("ababababaaab", 1), &principle);
	check(classes->nclasses == 0);
}

/* A set that loses rows, or gains some, is asked whichever it is. */
static void
test_receivers_are_asked(void)
{
	static const double strengths[] = {3, 3, 2, 0.25, 0.5, 0.4};

	random_state = 79;
	for (int i = 0; i < some_of(300); i++)
	{
		Frame	   *frame = make_frame(120 + draw(100), 2, 6);
		Principle	principle = one_condition(1 + draw(4), i % NPRINCIPLES, strengths[i % NPRINCIPLES]);

		for (int q = 0; q < 2; q++)
			frame->domain[q] = q == 0 ? make_flat_tree(12) : make_line(30, false);
		for (uint64 row = 0; row < frame->nrows; row++)
		{
			frame->code[0][row] = draw(12) * draw(12) / 12;
			frame->code[1][row] = draw(30);
			frame->sensitive[row] = draw(4) == 0 ? draw(6) : frame->code[0][row] % 6;
		}
		frame->aspects = draw_aspects(frame);
		(void) check_by_bound(frame, &principle);
	}
}

/* A condition on values costs a set without any of them all of its classes. */
static void
test_sets_without_values_are_withheld(void)
{
	Frame	   *frame = make_frame(100, 1, 1);
	Principle	principle = one_condition(2, PRINCIPLE_entropy, 1.5);

	frame->domain[0] = make_line(10, false);
	for (uint64 row = 0; row < 100; row++)
		frame->sensitive[row] = NO_CODE;
	check(check_by_bound(frame, &principle)->nclasses == 0);
}

/* Of each value a hand gets as many rows as if it were dealt card by card. */
static void
test_near_hands_are_as_even_as_dealt_ones(void)
{
	random_state = 80;
	for (int i = 0; i < some_of(500); i++)
	{
		MemoryContext outer = CurrentMemoryContext;
		Frame	   *frame;
		RowId	   *cards;
		RowId	   *dealt;
		RowId	   *hands;
		uint64		n = 0;
		uint64		nhands;

		CurrentMemoryContext = AllocSetContextCreate(outer, "frame", ALLOCSET_DEFAULT_SIZES);
		frame = make_random_frame();
		cards = palloc(sizeof(RowId) * (frame->nrows + 1));
		hands = palloc(sizeof(RowId) * (frame->nrows + 1));
		for (Code value = 0; value <= frame->nsensitive; value++)
			for (RowId row = 0; row < frame->nrows; row++)
				if (Min(frame->sensitive[row], frame->nsensitive) == value)
					cards[n++] = row;
		dealt = palloc(sizeof(RowId) * (n + 1));
		memcpy(dealt, cards, sizeof(RowId) * n);
		nhands = 1 + draw(Max(1, n));
		deal_near(frame, cards, n, nhands, hands);
		for (uint64 hand = 0; hand < nhands && n > 0; hand++)
		{
			uint64		at = slice_start(n, nhands, hand);
			uint64		size = slice_start(n, nhands, hand + 1) - at;

			for (uint64 j = 0; j < size; j++)
			{
				uint64		same = 0;

				for (uint64 other = 0; other < size; other++)
					same += (frame->sensitive[dealt[hand + other * nhands]] == frame->sensitive[dealt[hand + j * nhands]]) -
						(frame->sensitive[hands[at + other]] == frame->sensitive[dealt[hand + j * nhands]]);
				check(same == 0);
			}
			for (uint64 j = 0; j < size; j++)
				cards[hands[at + j]] = NO_ROW;
		}
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* What hardly asks for anything costs hardly anything. */
static void
test_weak_principles_lose_little(void)
{
	static const struct
	{
		PrincipleParam param;
		double		strength;
	}			weak[] = {
		{PRINCIPLE_frequency, 1.01}, {PRINCIPLE_entropy, 1.01}, {PRINCIPLE_recursive, 1}, {PRINCIPLE_t, 0.97},
		{PRINCIPLE_beta, 1000}, {PRINCIPLE_delta, 9}
	};
	Frame	   *frame;
	const Classes *classes;

	random_state = 81;
	frame = make_larger_frame(10000, 90, false);
	for (uint64 row = 0; row < frame->nrows; row++)
		frame->sensitive[row] = draw(5) * draw(5) / 5;
	frame->aspects = &(Aspects) {.n = 1, .aspect = &(Aspect) {.ncodes = 5}, .share = shares_of(frame)};
	classes = cut_frame(frame, 10, 1);
	for (uint32 i = 0; i < lengthof(weak); i++)
	{
		Principle	principle = one_condition(10, weak[i].param, weak[i].strength);
		Classes    *other = check_by_bound(frame, &principle);

		printf("# %s %g: %u classes and a loss of %.1f; by k alone %u and %.1f\n", term_name(&principle.term[0]), weak[i].strength,
			   other->nclasses, total_loss(frame, other), classes->nclasses, total_loss(frame, classes));
		check(other->nclasses > 0.97 * classes->nclasses);
		check(total_loss(frame, other) < 1.05 * total_loss(frame, classes));
	}
}

/*
 * Ties
 */

static void
test_tied_rows_are_dealt(void)
{
	Frame	   *frame = make_frame(1000, 2, 1);
	Classes    *classes;

	frame->domain[0] = make_line(10, true);
	frame->domain[1] = make_flat_tree(4);
	classes = cut_frame(frame, 10, 1);
	check(classes->nclasses == 100);
	check(largest_class(classes) == 10);
	check_frame(frame, 10, 1);
}

/* 40 rows of 1,000 have one of four rare values: twenty classes of three values, no more. */
static void
test_tied_rows_are_dealt_as_l_allows(void)
{
	Frame	   *frame = make_frame(1000, 1, 5);
	Classes    *classes;

	frame->domain[0] = make_line(1, false);
	for (uint64 row = 0; row < 1000; row++)
		frame->sensitive[row] = row < 40 ? 1 + row % 4 : 0;
	classes = cut_frame(frame, 10, 3);
	check(classes->nclasses == 20);
	check(largest_class(classes) == 50);
	check_frame(frame, 10, 3);
}

/* Two values, 7 and 23 rows: a strict cut cannot part them, a relaxed one keeps 20 exact. */
static void
test_cut_between_tied_rows(void)
{
	Frame	   *frame = make_frame(30, 1, 1);
	Classes    *classes;

	frame->domain[0] = make_line(2, false);
	for (uint64 row = 0; row < 7; row++)
		frame->code[0][row] = 1;
	classes = cut_frame(frame, 10, 1);
	check(classes->nclasses == 3);
	check_near(total_loss(frame, classes), 10);
}

/* No strict cut saves anything where each value of a flat tree has one row. */
static void
test_uncuttable_rows_are_sliced(void)
{
	Frame	   *frame = make_frame(1500, 1, 1);
	Classes    *classes;

	frame->domain[0] = make_flat_tree(150);
	for (uint64 row = 0; row < 1500; row++)
		frame->code[0][row] = row % 150;
	classes = cut_frame(frame, 11, 1);
	check_frame(frame, 11, 1);
	check(largest_class(classes) < 22);
}

static void
test_million_equal_rows(void)
{
	Frame	   *frame = make_frame(1000000, 2, 3);
	clock_t		start;

	frame->domain[0] = make_line(5, false);
	frame->domain[1] = make_random_tree(20, false);
	for (uint64 row = 0; row < frame->nrows; row++)
		frame->sensitive[row] = row < 2 ? 1 + row : 0;
	start = clock();
	check(cut_frame(frame, 10, 1)->nclasses == 100000);
	check(cut_frame(frame, 10, 3)->nclasses == 1);
	check((clock() - start) / (double) CLOCKS_PER_SEC < 30);
}

/* Codes far away from all others, which stand close together: large sets are cut all the same. */
static void
test_crowds_far_from_the_rest(void)
{
	Frame	   *frame = make_frame(6000, 2, 6);

	random_state = 11;
	frame->domain[0] = frame->domain[1] = make_line(2400000, false);
	for (int q = 0; q < 2; q++)
		for (uint64 row = 0; row < 6000; row++)
			frame->code[q][row] = row < 3 ? 0 : 2392100 + draw(7800);
	for (uint64 row = 0; row < 6000; row++)
		frame->sensitive[row] = row % 6;
	check(total_loss(frame, cut_frame(frame, 10, 3)) < 25);	/* of which 20 are those of ten rows with the far ones */
}

/* The few rows with a rare value are looked for, not stumbled upon one row at a time. */
static void
test_rare_value_is_borrowed(void)
{
	Frame	   *frame = make_frame(400000, 1, 2);

	frame->domain[0] = make_flat_tree(2);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		frame->code[0][row] = row >= 20000;
		frame->sensitive[row] = row >= frame->nrows - 5;
	}
	check_frame(frame, 10, 2);
	check_near(total_loss(frame, cut_frame(frame, 10, 2)), 20001);
}

/* A borrower that has k rows takes one for each value it lacks, and no more. */
static void
test_only_lacking_values_are_borrowed(void)
{
	Frame	   *frame = make_frame(1020, 1, 4);

	frame->domain[0] = make_flat_tree(2);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		frame->code[0][row] = row >= 20;
		frame->sensitive[row] = row < 60 ? 0 : row % 97 == 0 ? 1 + row / 97 % 3 : NO_CODE;
	}
	check_frame(frame, 10, 4);
	check_near(total_loss(frame, cut_frame(frame, 10, 4)), 23);
}

/*
 * Many dimensions
 */

static Frame *
make_wide_frame(uint64 nrows, int nqis)
{
	Frame	   *frame = make_frame(nrows, nqis, 10);

	random_state = 13;
	for (int q = 0; q < nqis; q++)
	{
		frame->domain[q] = make_line(1024, false);
		for (uint64 row = 0; row < nrows; row++)
			frame->code[q][row] = draw(1024);
	}
	for (uint64 row = 0; row < nrows; row++)
		frame->sensitive[row] = draw(10);
	return frame;
}

static void
test_many_dimensions(void)
{
	Frame	   *frame = make_wide_frame(6000, 20);

	check_frame(frame, 10, 3);
	check(cut_frame(frame, 10, 3)->nclasses > 500);
}

/* Sixteen dimensions that are cut anywhere do not hide the one that is worth it. */
static void
test_every_dimension_has_its_turn(void)
{
	Frame	   *frame = make_wide_frame(4000, 17);
	Classes    *classes;

	frame->domain[16] = make_line(2, false);
	for (uint64 row = 0; row < frame->nrows; row++)
		frame->code[16][row] = row % 2;
	classes = cut_frame(frame, 10, 1);
	for (uint32 c = 0; c < classes->nclasses; c++)
		check(span_width(class_region(classes, c)[16]) == 1);
}

/*
 * Determinism
 */

static bool
equal_classes(const Classes *a, const Classes *b)
{
	if (a->nclasses == 0 || b->nclasses == 0)
		return a->nclasses == b->nclasses;
	return a->nclasses == b->nclasses &&
		memcmp(a->first, b->first, sizeof(uint64) * (a->nclasses + 1)) == 0 &&
		memcmp(a->rows, b->rows, sizeof(RowId) * a->first[a->nclasses]) == 0 &&
		memcmp(a->regions, b->regions, sizeof(Span) * a->nclasses * a->nqis) == 0;
}

static void
test_same_input_same_result(void)
{
	random_state = 3;
	for (int i = 0; i < 100; i++)
	{
		Frame	   *frame = make_random_frame();

		check(equal_classes(cut_frame(frame, 4, 2), cut_frame(frame, 4, 2)));
	}
}

/* Rows in another order fall into classes of the same codes. */
static bool
equal_codes(const Frame *a, const Classes *ca, const Frame *b, const Classes *cb)
{
	if (ca->nclasses == 0 || cb->nclasses == 0)
		return ca->nclasses == cb->nclasses;
	if (ca->nclasses != cb->nclasses ||
		memcmp(ca->first, cb->first, sizeof(uint64) * (ca->nclasses + 1)) != 0 ||
		memcmp(ca->regions, cb->regions, sizeof(Span) * ca->nclasses * ca->nqis) != 0)
		return false;
	for (uint64 i = 0; i < ca->first[ca->nclasses]; i++)
	{
		if (a->sensitive[ca->rows[i]] != b->sensitive[cb->rows[i]])
			return false;
		for (int q = 0; q < a->nqis; q++)
			if (a->code[q][ca->rows[i]] != b->code[q][cb->rows[i]])
				return false;
	}
	return true;
}

static Frame *
reversed(const Frame *frame)
{
	Frame	   *result = make_frame(frame->nrows, frame->nqis, frame->nsensitive);

	memcpy(result->domain, frame->domain, sizeof(Domain) * frame->nqis);
	result->weight = frame->weight;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		for (int q = 0; q < frame->nqis; q++)
			result->code[q][row] = frame->code[q][frame->nrows - 1 - row];
		result->sensitive[row] = frame->sensitive[frame->nrows - 1 - row];
	}
	return result;
}

static void
test_order_of_rows_does_not_matter(void)
{
	random_state = 4;
	for (int i = 0; i < some_of(200); i++)
	{
		Frame	   *frame = make_random_frame();
		Frame	   *other = reversed(frame);

		check(equal_codes(frame, cut_frame(frame, 4, 2), other, cut_frame(other, 4, 2)));
	}
}

static void
test_seed_decides_among_equals(void)
{
	Frame	   *frame = make_frame(100, 1, 1);
	Principle	principle = principle_k_l(10, 1);

	frame->domain[0] = make_line(1, false);
	check(!equal_classes(mondrian(frame, all_rows(frame), 100, &principle, 1),
						 mondrian(frame, all_rows(frame), 100, &principle, 2)));
}

static void
test_nothing_is_left_behind(void)
{
	Frame	   *frame;
	Classes    *classes;
	RowId	   *rows;
	Principle	principle = principle_k_l(5, 1);
	uint64		before;

	random_state = 9;
	do
		frame = make_random_frame();
	while (frame->nrows < 100);
	rows = all_rows(frame);
	before = shim_allocated;
	classes = mondrian(frame, rows, frame->nrows, &principle, 1);
	check(classes->nclasses > 0);
	pfree(classes->first);
	pfree(classes->regions);
	check(classes->rows == rows);
	pfree(classes);
	check(shim_allocated == before);
}

/*
 * Goodness
 */

/* Two continents of three countries, ten rows a country: nobody need say more than needed. */
static Domain
make_world(void)
{
	Sketch		sketch = {
		.n = 9,
		.parent = {0, 0, 0, 1, 1, 1, 2, 2, 2},
		.nchildren = {2, 3, 3},
	};

	return make_tree(&sketch, NO_CODE);
}

static void
test_cuts_follow_children(void)
{
	Frame	   *frame = make_frame(60, 1, 1);
	Classes    *classes;

	frame->domain[0] = make_world();
	for (uint64 row = 0; row < 60; row++)
		frame->code[0][row] = row % 6;
	check_near(total_loss(frame, cut_frame(frame, 10, 1)), 0);
	/* 15 at a time: never across the continents. */
	classes = cut_frame(frame, 15, 1);
	check(classes->nclasses == 4);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		Span		region = class_region(classes, c)[0];

		check(region.hi <= 2 || region.lo >= 3);
	}
}

/* Four rows of a rare child must not drag the frequent one along. */
static void
test_rare_child_borrows(void)
{
	Frame	   *frame = make_frame(504, 1, 1);

	frame->domain[0] = make_flat_tree(2);
	for (uint64 row = 500; row < 504; row++)
		frame->code[0][row] = 1;
	check_near(total_loss(frame, cut_frame(frame, 10, 1)), 10);
}

/* A line is cut where its values part, not at the median. */
static void
test_cut_at_the_gap(void)
{
	static const double position[] = {0, 1, 2, 100, 101, 102};
	Frame	   *frame = make_frame(30, 1, 1);

	frame->domain[0] = (Domain) {.size = 6,.null_code = NO_CODE,.position = position};
	for (uint64 row = 0; row < 30; row++)
		frame->code[0][row] = row < 24 ? row % 3 : 3 + row % 3;
	check_near(total_loss(frame, cut_frame(frame, 6, 1)), 6 * 2.0 / 102);
}

/* NULLs are kept apart where there are enough of them: with anything else they are withheld. */
static void
test_nulls_of_a_line_stay_apart(void)
{
	Frame	   *frame = make_frame(200, 1, 1);

	random_state = 6;
	frame->domain[0] = make_line(5, true);
	for (uint64 row = 0; row < 200; row++)
		frame->code[0][row] = row % 5;
	check_near(total_loss(frame, cut_frame(frame, 40, 1)), 0);
}

/* A dimension that costs nothing is not cut before one that costs much. */
static void
test_costly_dimension_is_cut(void)
{
	Frame	   *frame = make_frame(400, 2, 1);
	Classes    *classes;

	random_state = 8;
	frame->domain[0] = make_flat_tree(2);
	frame->domain[1] = make_line(200, false);
	for (uint64 row = 0; row < 400; row++)
	{
		frame->code[0][row] = row % 2;
		frame->code[1][row] = draw(3);
	}
	classes = cut_frame(frame, 100, 1);
	for (uint32 c = 0; c < classes->nclasses; c++)
		check(span_width(class_region(classes, c)[0]) == 1);
}

/* What the cells of one quasi-identifier lose, on average. */
static double
mean_loss_of(const Frame *frame, const Classes *classes, int q)
{
	double		sum = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		sum += domain_loss(&frame->domain[q], class_region(classes, c)[q]) * class_size(classes, c);
	return sum / frame->nrows;
}

/* Two columns of one kind, of which the first comes to weigh more. */
static void
test_heavy_dimension_stays_narrow(void)
{
	for (int kind = 0; kind < 2; kind++)
	{
		Frame	   *frame = make_frame(3000, 2, 1);
		double		before[2] = {1, 0};

		random_state = 14;
		frame->domain[0] = frame->domain[1] = kind == 0 ? make_line(500, false) : make_random_tree(150, false);
		for (int q = 0; q < 2; q++)
			for (uint64 row = 0; row < frame->nrows; row++)
				frame->code[q][row] = draw(frame->domain[q].size);
		for (double weight = 0.25; weight <= 16; weight *= 4)
		{
			const Classes *classes;

			frame->weight = (double[]) {weight, 1};
			classes = cut_frame(frame, 10, 1);
			check(mean_loss_of(frame, classes, 0) < before[0]);
			check(mean_loss_of(frame, classes, 1) > before[1]);
			before[0] = mean_loss_of(frame, classes, 0);
			before[1] = mean_loss_of(frame, classes, 1);
		}
	}
}

/* Only the ratio of weights decides. */
static void
test_equal_weights_are_none(void)
{
	random_state = 15;
	for (int i = 0; i < some_of(500); i++)
	{
		Frame	   *frame = make_random_frame();
		double		weight[4] = {2, 2, 2, 2};
		Classes    *classes;

		frame->weight = NULL;
		classes = cut_frame(frame, 1 + i % 9, 1 + i % 3);
		frame->weight = weight;
		check(equal_classes(classes, cut_frame(frame, 1 + i % 9, 1 + i % 3)));
	}
}

static const Test tests[] = {
	{"a tally counts rows and values", test_tally_counts_values},
	{"a tally counts many rows at once", test_tally_counts_many_rows_at_once},
	{"a principle wants k rows and l values", test_principle_wants_k_rows_and_l_values},
	{"l = 1 asks for no value", test_l_of_one_asks_for_no_value},
	{"random frames of all kinds", test_random_frames},
	{"larger random frames", test_larger_random_frames},
	{"some rows of a frame", test_some_rows_of_a_frame},
	{"no rows", test_no_rows},
	{"fewer rows than k", test_fewer_rows_than_k},
	{"exactly k rows", test_exactly_k_rows},
	{"l larger than what there is", test_l_larger_than_available},
	{"sensitive NULLs count for nothing", test_sensitive_nulls_count_for_nothing},
	{"k = 1 loses nothing", test_k_of_one_loses_nothing},
	{"no quasi-identifiers", test_no_quasi_identifiers},
	{"random principles", test_random_principles},
	{"larger frames by principles", test_larger_frames_by_principles},
	{"longer sides may be refused", test_longer_sides_may_be_refused},
	{"joined groups are asked again", test_joined_groups_are_asked_again},
	{"those who receive rows are asked", test_receivers_are_asked},
	{"sets without values are withheld", test_sets_without_values_are_withheld},
	{"near hands are as even as dealt ones", test_near_hands_are_as_even_as_dealt_ones},
	{"weak principles lose little", test_weak_principles_lose_little},
	{"tied rows are dealt", test_tied_rows_are_dealt},
	{"tied rows are dealt as far as l allows", test_tied_rows_are_dealt_as_l_allows},
	{"a cut between tied rows", test_cut_between_tied_rows},
	{"rows that cannot be cut are sliced", test_uncuttable_rows_are_sliced},
	{"a million equal rows", test_million_equal_rows},
	{"a rare value is borrowed", test_crowds_far_from_the_rest},
	{"a rare value is borrowed", test_rare_value_is_borrowed},
	{"only lacking values are borrowed", test_only_lacking_values_are_borrowed},
	{"many dimensions", test_many_dimensions},
	{"every dimension has its turn", test_every_dimension_has_its_turn},
	{"same input, same result", test_same_input_same_result},
	{"the order of rows does not matter", test_order_of_rows_does_not_matter},
	{"the seed decides among equals", test_seed_decides_among_equals},
	{"nothing is left behind", test_nothing_is_left_behind},
	{"cuts follow a tree's children", test_cuts_follow_children},
	{"a rare child borrows rows", test_rare_child_borrows},
	{"a line is cut at the gap", test_cut_at_the_gap},
	{"NULLs of a line stay apart", test_nulls_of_a_line_stay_apart},
	{"the costly dimension is cut", test_costly_dimension_is_cut},
	{"a heavy dimension stays narrow", test_heavy_dimension_stays_narrow},
	{"equal weights are none", test_equal_weights_are_none},
};

RUN(tests)
