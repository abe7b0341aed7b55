/*
 * test_metrics.c
 *		The figures of a release follow their definitions.
 *
 * Cases small enough for pencil and paper, with the arithmetic beside them;
 * then the definitions written down naively, on random releases.
 */
#include "shim.h"

#include <math.h>

#include "audit/metrics.h"
#include "common/pg_prng.h"

#define MAX_QIS		4

/* ---- Frames and releases made by hand ---- */

static Domain
make_line(const double *position, Code size, bool has_null, uint64 *frequency)
{
	return (Domain) {
		.size = size, .null_code = has_null ? size - 1 : NO_CODE,
		.frequency = frequency, .position = position
	};
}

/* A tree of which only the leaves, parents and levels are told. */
static Domain
make_tree(TreeNode *nodes, uint32 nnodes, Code size, Code null_code, uint64 *frequency)
{
	Tree	   *tree = palloc(sizeof(Tree));

	tree->nnodes = nnodes;
	tree->nodes = nodes;
	tree->leaf = palloc(sizeof(uint32) * size);
	for (uint32 i = 0; i < nnodes; i++)
		if (nodes[i].nchildren == 0)
			tree->leaf[nodes[i].leaves.lo] = i;
	return (Domain) {
		.size = size, .null_code = null_code, .frequency = frequency, .tree = tree
	};
}

static Frame
make_frame(uint64 nrows, int nqis, Domain *domain, Code **code)
{
	return (Frame) {
		.nrows = nrows, .nqis = nqis, .domain = domain, .code = code
	};
}

static Classes
make_classes(uint32 nclasses, int nqis, uint64 *first, RowId *rows, Span *regions)
{
	return (Classes) {
		.nclasses = nclasses, .nqis = nqis, .first = first, .rows = rows, .regions = regions
	};
}

static Metrics
measure(const Frame *frame, const Classes *classes, double k)
{
	ReleaseCounts counts = {0};

	return measure_release(frame, classes, &counts, k);
}

static void
check_all_finite(const Metrics *metrics)
{
	NamedMetric list[NMETRICS];
	NamedMetric summary[NSUMMARY];

	list_metrics(metrics, list);
	for (int i = 0; i < NMETRICS; i++)
		check(isfinite(list[i].value));
	list_summary(metrics, summary);
	for (int i = 0; i < NSUMMARY; i++)
		check(isfinite(summary[i].value));
}

/* A figure of the summary. */
static double
summed_up(const Metrics *metrics, const char *name)
{
	NamedMetric summary[NSUMMARY];

	list_summary(metrics, summary);
	for (int i = 0; i < NSUMMARY; i++)
		if (strcmp(summary[i].name, name) == 0)
			return summary[i].value;
	return NAN;
}

static void
check_summary(const Metrics *metrics, double loss, double withheld, double invented, double class)
{
	check_near(summed_up(metrics, "loss_percent"), loss);
	check_near(summed_up(metrics, "withheld_percent"), withheld);
	check_near(summed_up(metrics, "invented_percent"), invented);
	check_near(summed_up(metrics, "average_class"), class);
}

/* ---- Pencil and paper ---- */

/*
 * Ages 10, 20, 40, 50, one row each; classes {10, 20} and {40, 50}.
 */
static void
test_line(void)
{
	double		position[] = {10, 20, 40, 50};
	uint64		frequency[] = {1, 1, 1, 1};
	Code		code[] = {0, 1, 2, 3};
	Code	   *codes[] = {code};
	Domain		domain = make_line(position, 4, false, frequency);
	Frame		frame = make_frame(4, 1, &domain, codes);
	uint64		first[] = {0, 2, 4};
	RowId		rows[] = {0, 1, 2, 3};
	Span		regions[] = {{0, 1}, {2, 3}};
	Classes		classes = make_classes(2, 1, first, rows, regions);
	Metrics		m = measure(&frame, &classes, 2);

	check_near(m.lm, 1.0);		/* 2 (20-10)/40 + 2 (50-40)/40 */
	check_near(m.lm_by_qi[0], 1.0);
	check_near(m.em, 4.0);		/* 4 cells, two equally likely values each */
	check_near(m.dm, 8.0);		/* 2^2 + 2^2 */
	check_near(m.avg, 1.0);		/* 4 / 2 classes / k = 2 */
	check_near(m.ail, 0.25);	/* lm / 4 */
	check_near(m.precision, 0.75);	/* a line has no steps: 1 - loss */
	check_near(m.fem, 1.0);		/* 2 (2/4 log2 4/2) */
	check_near(m.vem, 1.0);		/* 2 (2/4 log2 4/2): 2 of 4 codes */
	check_near(m.fem_counterfeit, m.fem);
	check_near(m.vem_counterfeit, m.vem);
	check(m.rows == 4 && m.classes == 2 && m.suppressed == 0 && m.columns == 1);
	check_summary(&m, 25, 0, 0, 2); /* 100 * 1 / 4 cells; 4 / 2 classes */

	/* avg alone knows k, which may be a fraction. */
	m = measure(&frame, &classes, 2.5);
	check_near(m.avg, 0.8);		/* 4 / 2 / 2.5 */

	/* Positions count, not ranks: {10, 20, 40} and {50}. */
	first[1] = 3;
	regions[0] = (Span) {0, 2};
	regions[1] = span_of(3);
	m = measure(&frame, &classes, 2);
	check_near(m.lm, 2.25);		/* 3 (40-10)/40 + 0 */
	check_near(m.em, 4.754887502163468);	/* 3 log2 3 + 0 */
	check_near(m.dm, 10.0);		/* 3^2 + 1 */
	check_near(m.precision, 0.4375);	/* (3 * 1/4 + 1) / 4 */
	check_near(m.fem, 0.8112781244591328);	/* 3/4 log2 4/3 + 1/4 log2 4 */
	check_near(m.vem, 0.8112781244591328);	/* 3/4 log2 4/3 + 1/4 log2 4/1 */
}

/*
 * A ragged taxonomy:
 *
 *		world (0) - europe (1) - south (2) - it (3)   code 0
 *				  |			   |		   - gr (3)   code 1
 *				  |			   - fr (2)				  code 2
 *				  - jp (1)							  code 3
 *				  - NULL (1)						  code 4
 */
static Domain
make_world(uint64 *frequency)
{
	static const TreeNode world[] = {
		{.leaves = {0, 4},.parent = 0,.first_child = 1,.nchildren = 3,.level = 0},
		{.leaves = {0, 2},.parent = 0,.first_child = 4,.nchildren = 2,.level = 1},
		{.leaves = {3, 3},.parent = 0,.level = 1},
		{.leaves = {4, 4},.parent = 0,.level = 1},
		{.leaves = {0, 1},.parent = 1,.first_child = 6,.nchildren = 2,.level = 2},
		{.leaves = {2, 2},.parent = 1,.level = 2},
		{.leaves = {0, 0},.parent = 4,.level = 3},
		{.leaves = {1, 1},.parent = 4,.level = 3},
	};
	TreeNode   *nodes = palloc(sizeof(world));

	memcpy(nodes, world, sizeof(world));
	return make_tree(nodes, lengthof(world), 5, 4, frequency);
}

static void
test_tree(void)
{
	uint64		frequency[] = {2, 1, 1, 1, 1};
	Code		code[] = {0, 1, 2, 3, 4, 0};
	Code	   *codes[] = {code};
	Domain		domain = make_world(frequency);
	Frame		frame = make_frame(6, 1, &domain, codes);
	uint64		first[] = {0, 3, 5, 6};
	RowId		rows[] = {0, 1, 2, 3, 4, 5};

	/* {it, gr, fr} as europe, {jp, NULL} withheld, {it} as it is */
	Span		regions[] = {{0, 2}, {0, 4}, {0, 0}};
	Classes		classes = make_classes(3, 1, first, rows, regions);
	Metrics		m = measure(&frame, &classes, 1);

	check_near(m.lm, 3.5);		/* 3 (3-1)/(5-1) + 2 + 0 */

	/*
	 * 3 H(2,1,1) + 2 H(2,1,1,1,1): 3 (log2 4 - 2/4) + 2 (log2 6 - 2/6) = 4.5 +
	 * 4.503258334775646
	 */
	check_near(m.em, 9.003258334775645);

	/* it 1/3, gr 1/3, fr 1/2; jp 0, NULL 0; it 1 */
	check_near(m.precision, 0.3611111111111111);	/* 13/6 / 6 */

	/* 3/6 log2 5/3 + 2/6 log2 5/5 + 1/6 log2 5/1 */
	check_near(m.vem, 0.7554708128976635);

	/* 3/6 log2 6/3 + 2/6 log2 6/2 + 1/6 log2 6/1 */
	check_near(m.fem, 1.4591479170272448);
	check_near(m.dm, 14.0);		/* 9 + 4 + 1 */
	check_near(m.avg, 2.0);		/* 6 / 3 / 1 */

	/* "south" for it and gr: two of three steps are still there. */
	first[1] = first[2] = 2;
	classes.nclasses = 1;
	regions[0] = (Span) {0, 1};
	m = measure(&frame, &classes, 1);
	check_near(m.precision, 0.6666666666666667);
	check_near(m.lm, 0.5);		/* 2 (2-1)/(5-1) */
}

/* Age 1 to 4 on a line, sex in a tree of one level: figures add up over columns. */
static void
test_columns_add_up(void)
{
	TreeNode	sexes[] = {
		{.leaves = {0, 1},.parent = 0,.first_child = 1,.nchildren = 2,.level = 0},
		{.leaves = {0, 0},.parent = 0,.level = 1},
		{.leaves = {1, 1},.parent = 0,.level = 1},
	};
	double		position[] = {1, 2, 3, 4};
	uint64		ages[] = {1, 1, 1, 1};
	uint64		counts_of_sex[] = {2, 2};
	Code		age[] = {0, 1, 2, 3};
	Code		sex[] = {0, 0, 0, 1};
	Code	   *codes[] = {age, sex};
	Domain		domains[] = {
		make_line(position, 4, false, ages),
		make_tree(sexes, 3, 2, NO_CODE, counts_of_sex),
	};
	Frame		frame = make_frame(4, 2, domains, codes);
	uint64		first[] = {0, 2, 4};
	RowId		rows[] = {0, 1, 2, 3};
	Span		regions[] = {{0, 1}, {0, 0}, {2, 3}, {0, 1}};
	Classes		classes = make_classes(2, 2, first, rows, regions);
	bool		shown[] = {true, false};
	ReleaseCounts counts = {.shown = shown};
	Metrics		m = measure(&frame, &classes, 2);

	check_near(m.lm_by_qi[0], 1.3333333333333333);	/* 4 * 1/3 */
	check_near(m.lm_by_qi[1], 2.0); /* 0 + 2 * 1 */
	check_near(m.lm, 3.3333333333333333);
	check_near(m.em, 6.0);		/* 4 log2 2 for age, 2 log2 2 for sex */
	check_near(m.ail, 0.8333333333333333);	/* lm / 4 */
	check_near(m.precision, 0.5833333333333333);	/* (4 * 2/3 + 2 * 1 + 2 * 0) / 8 */
	check_near(m.vem, 1.5);		/* 2/4 log2 (8 / 2) + 2/4 log2 (8 / 4) */
	check(m.columns == 2);
	check_summary(&m, 100 * 5 / 12.0, 0, 0, 2); /* 10/3 of 4 * 2 cells */

	/* Without sex: what its cells are does not matter. */
	m = measure_release(&frame, &classes, &counts, 2);
	check_near(m.lm, 1.3333333333333333);
	check(m.lm_by_qi[1] == 0);
	check_near(m.em, 4.0);
	check_near(m.ail, 0.3333333333333333);
	check_near(m.precision, 0.6666666666666667);
	check_near(m.vem, 1.0);		/* 4/4 log2 4/2 */
	check_near(m.fem, 1.0);		/* classes stay classes */
	check(m.columns == 1);
	check_summary(&m, 100 / 3.0, 0, 0, 2);	/* 4/3 of 4 * 1 cells */
	regions[1] = (Span) {NO_CODE, 0};
	check_near(measure_release(&frame, &classes, &counts, 2).lm, m.lm);

	/* Everything withheld. */
	shown[0] = false;
	m = measure_release(&frame, &classes, &counts, 2);
	check(m.lm == 0 && m.em == 0 && m.ail == 0 && m.precision == 0 && m.vem == 0);
	check_near(m.dm, 8.0);
	check_near(m.fem, 1.0);
	check(m.columns == 0);
	check_summary(&m, 0, 0, 0, 2);
	check_all_finite(&m);
}

/*
 * T has 5 rows: two in each class, one suppressed; class 0 holds a counterfeit.
 */
static void
test_suppressed_and_counterfeit(void)
{
	double		position[] = {10, 20, 40, 50};
	uint64		frequency[] = {1, 1, 1, 2};
	Code		code[] = {0, 1, 2, 3, 3};
	Code	   *codes[] = {code};
	Domain		domain = make_line(position, 4, false, frequency);
	Frame		frame = make_frame(5, 1, &domain, codes);
	uint64		first[] = {0, 2, 4};
	RowId		rows[] = {0, 1, 2, 3};
	Span		regions[] = {{0, 1}, {2, 3}};
	Classes		classes = make_classes(2, 1, first, rows, regions);
	uint64		counterfeits[] = {1, 0};
	ReleaseCounts counts = {.suppressed = 1,.dirty = 1,.counterfeits = counterfeits};
	Metrics		m = measure_release(&frame, &classes, &counts, 2);

	check_near(m.lm, 1.0);		/* true rows only: 4 * 10/40 */
	check_near(m.ail, 0.25);
	check_near(m.dm, 13.0);		/* (2 + 1)^2 + 2^2 */
	check_near(m.avg, 1.25);	/* 5 / 2 / 2 */
	check_near(m.fem, 1.0575424759098898);	/* 2 (2/5 log2 5/2) */
	check_near(m.vem, 0.8);		/* 2 (2/5 log2 4/2) */

	/* 2/6 log2 5/3 + 2/6 log2 5/2 */
	check_near(m.fem_counterfeit, 0.6862978964652104);
	check_near(m.vem_counterfeit, 0.6666666666666667);	/* 2 (2/6 log2 4/2) */
	check(m.rows == 4 && m.suppressed == 1 && m.dirty == 1 && m.counterfeits == 1);

	/*
	 * Loss of the cells of true rows, be they dirty: 1 / 4.  Asked for were 3
	 * of them and one more: 1 / 4.  Invented: 1 of 5, in 2 classes.
	 */
	check_summary(&m, 25, 25, 20, 2.5);

	/* So many counterfeits that they misinform: 2/13 log2 5/10 + 2/13 log2 5/2 */
	counterfeits[0] = 8;
	m = measure_release(&frame, &classes, &counts, 2);
	check_near(m.fem_counterfeit, (2 * log2(0.5) + 2 * log2(2.5)) / 13);
	counterfeits[0] = 50;
	m = measure_release(&frame, &classes, &counts, 2);
	check(m.fem_counterfeit < 0);
	check_near(m.vem_counterfeit, 4.0 / 55);

	/* A class of nothing but counterfeits has a size, and no information. */
	first[1] = 0;
	counterfeits[0] = 3;
	m = measure_release(&frame, &classes, &counts, 2);
	check_near(m.dm, 25.0);		/* 3^2 + 4^2 */
	check_near(m.fem, 0.2575424759098898);	/* 4/5 log2 5/4 */
	check_summary(&m, 25, 25, 300 / 7.0, 3.5);	/* 4 (50-40)/40 of 4 cells; 3 of 7 rows, 2 classes */
	check_all_finite(&m);

	/* Nothing but invented rows: no cell that could lose anything. */
	first[2] = 0;
	counterfeits[1] = 1;
	m = measure_release(&frame, &classes, &(ReleaseCounts) {.counterfeits = counterfeits}, 2);
	check_summary(&m, 0, 0, 100, 2);
	check_all_finite(&m);
}

/* One value, no classes, no columns: nothing is divided by zero. */
static void
test_edges(void)
{
	TreeNode	nodes[] = {{.leaves = {0, 0},.parent = 0,.level = 0}};
	double		position[] = {7};
	uint64		frequency[] = {2};
	Code		code[] = {0, 0};
	Code	   *codes[] = {code, code};
	Domain		domains[] = {
		make_line(position, 1, false, frequency),
		make_tree(nodes, 1, 1, NO_CODE, frequency),
	};
	Frame		frame = make_frame(2, 2, domains, codes);
	uint64		first[] = {0, 2};
	RowId		rows[] = {0, 1};
	Span		regions[] = {{0, 0}, {0, 0}};
	Classes		classes = make_classes(1, 2, first, rows, regions);
	ReleaseCounts counts = {.suppressed = 3};
	Metrics		m = measure(&frame, &classes, 2);

	/* A column with one value loses nothing, and says nothing. */
	check(m.lm == 0 && m.em == 0 && m.ail == 0 && m.precision == 1);
	check(m.fem == 0 && m.vem == 0 && !signbit(m.fem) && !signbit(m.vem));
	check_near(m.avg, 1.0);
	check_summary(&m, 0, 0, 0, 2);
	check_all_finite(&m);

	/* Nothing but NULL. */
	domains[0].null_code = 0;
	m = measure(&frame, &classes, 2);
	check(m.lm == 0 && m.em == 0 && m.precision == 1 && m.vem == 0);
	check_all_finite(&m);

	/* Everything was suppressed; first and rows need not be there. */
	classes = make_classes(0, 2, NULL, NULL, NULL);
	m = measure_release(&frame, &classes, &counts, 2);
	check(m.lm == 0 && m.em == 0 && m.dm == 0 && m.avg == 0 && m.ail == 0 &&
		  m.precision == 0 && m.fem == 0 && m.vem == 0);
	check(m.lm_by_qi[0] == 0 && m.lm_by_qi[1] == 0);
	check(m.rows == 0 && m.classes == 0 && m.suppressed == 3 && m.columns == 2);
	check_summary(&m, 0, 100, 0, 0);
	check_all_finite(&m);

	/* An empty source: domains without a code. */
	domains[0].size = domains[1].size = 0;
	frame.nrows = 0;
	m = measure(&frame, &classes, 2);
	check_summary(&m, 0, 0, 0, 0);
	check_all_finite(&m);

	/* No quasi-identifiers. */
	frame = make_frame(2, 0, NULL, NULL);
	classes = make_classes(1, 0, first, rows, NULL);
	m = measure(&frame, &classes, 2);
	check(m.lm == 0 && m.precision == 0 && m.vem == 0);
	check_summary(&m, 0, 0, 0, 2);
	check_all_finite(&m);
}

/*
 * A million values, most of them rare beside one very common: the entropy of a
 * narrow cell is a difference of large sums, and must not drown in rounding.
 */
static void
test_entropy_is_exact_in_large_domains(void)
{
	Code		size = 1000000;
	double	   *position = palloc(sizeof(double) * size);
	uint64	   *frequency = palloc(sizeof(uint64) * size);
	Code		code[] = {999990, 999991, 999992};
	Code	   *codes[] = {code};
	Domain		domain = make_line(position, size, false, frequency);
	Frame		frame = make_frame(3, 1, &domain, codes);
	uint64		first[] = {0, 3};
	RowId		rows[] = {0, 1, 2};
	Span		regions[] = {{999990, 999992}};
	Classes		classes = make_classes(1, 1, first, rows, regions);
	double		expected;

	for (Code i = 0; i < size; i++)
	{
		position[i] = i;
		frequency[i] = i == 0 ? 1000000 : i % 7 + 1;
	}
	/* 999990 % 7 = 5: frequencies 6, 7, 1 of 14 */
	expected = -3 * (6 / 14.0 * log2(6 / 14.0) + 7 / 14.0 * log2(7 / 14.0) +
					 1 / 14.0 * log2(1 / 14.0));
	check(fabs(measure(&frame, &classes, 1).em - expected) < 1e-8);

	/* Where one value is certain, rounding must not make it less than certain. */
	for (Code i = 1; i < size; i += 2)
		frequency[i] = 0;
	for (Code i = 999000; i < size; i += 50)
	{
		double		em;

		regions[0] = (Span) {i, i + 1};
		em = measure(&frame, &classes, 1).em;
		check(em >= 0 && em < 1e-8);
	}
}

static void
test_list(void)
{
	static const char *const names[] = {
		"lm", "em", "dm", "avg", "ail", "precision", "fem", "vem", "fem_counterfeit",
		"vem_counterfeit", "suppressed", "dirty", "counterfeits", "stale", "unrefreshed", "waiting", "retired", "hidden"
	};
	Metrics		m = {
		.lm = 1, .em = 2, .dm = 3, .avg = 4, .ail = 5, .precision = 6, .fem = 7, .vem = 8,
		.fem_counterfeit = 9, .vem_counterfeit = 10, .suppressed = 11, .dirty = 12,
		.counterfeits = 13, .stale = 14, .unrefreshed = 15, .waiting = 16, .retired = 17, .hidden = 18
	};
	NamedMetric list[NMETRICS];

	list_metrics(&m, list);
	check(lengthof(names) == NMETRICS);
	for (int i = 0; i < NMETRICS; i++)
	{
		check(strcmp(list[i].name, names[i]) == 0);
		check(list[i].value == i + 1);
	}
}

/* The names of the summary, and the figures that it is made of and no others. */
static void
test_summary(void)
{
	static const char *const names[] = {
		"loss_percent", "withheld_percent", "invented_percent", "stale_percent", "average_class"
	};
	Metrics		m = {
		.lm = 3, .columns = 4, .rows = 6, .classes = 2, .suppressed = 1, .dirty = 3, .counterfeits = 2
	};
	NamedMetric summary[NSUMMARY];

	list_summary(&m, summary);
	check(lengthof(names) == NSUMMARY);
	for (int i = 0; i < NSUMMARY; i++)
		check(strcmp(summary[i].name, names[i]) == 0);
	check_summary(&m, 12.5, 25, 25, 4); /* 3 of 6 * 4; 1 of 6 - 3 + 1; 2 of 8; 8 / 2 */
	check_summary(&(Metrics) {0}, 0, 0, 0, 0);

	/* Of the people shown, invented rows aside. */
	m.stale = 3;
	check_near(summed_up(&m, "stale_percent"), 50);

	/* Counts that have no product in 64 bits. */
	m = (Metrics) {.lm = 1e19, .columns = 4, .rows = UINT64CONST(5000000000000000000), .classes = 1};
	check_summary(&m, 50, 0, 0, 5e18);
}

/* 200 people of a value each, at these places: alone, or all in one class. */
static Metrics
measure_line(double (*place) (double), bool alone)
{
	enum { N = 200 };
	static double position[N];
	static uint64 frequency[N];
	static Code code[N];
	static uint64 first[N + 1];
	static RowId rows[N];
	static Span regions[N];
	Code	   *codes[] = {code};
	Domain		domain = make_line(position, N, false, frequency);
	Frame		frame = make_frame(N, 1, &domain, codes);
	Classes		classes = make_classes(alone ? N : 1, 1, first, rows, regions);
	Metrics		m;

	for (uint32 i = 0; i < N; i++)
	{
		position[i] = place(i);
		frequency[i] = 1;
		code[i] = rows[i] = first[i] = i;
		regions[i] = alone ? span_of(i) : (Span) {0, N - 1};
	}
	first[classes.nclasses] = N;
	m = measure(&frame, &classes, 1);
	check(isnan(m.count_error[0]));
	measure_counts(&frame, &classes, &m);
	return m;
}

static double
even(double i)
{
	return i;
}

static double
squared(double i)
{
	return i * i;
}

/* Estimates are right where cells are values, or people lie evenly in them. */
static void
test_count_errors(void)
{
	Metrics		alone = measure_line(squared, true);
	Metrics		together = measure_line(even, false);
	Metrics		uneven = measure_line(squared, false);
	Metrics		nothing = {0};

	for (int s = 0; s < NSIZES; s++)
	{
		check(alone.count_error[s] < 1e-9 && together.count_error[s] < 1e-9);
		check(uneven.count_error[s] > 10 && uneven.count_error[s] == measure_line(squared, false).count_error[s]);
	}
	measure_counts(&(Frame) {0}, &(Classes) {0}, &nothing);
	check(isnan(nothing.count_error[0]));
}

/* ---- Random releases ---- */

typedef struct Release
{
	Frame		frame;
	Classes		classes;
	ReleaseCounts counts;
} Release;

static pg_prng_state prng;

static uint64
below(uint64 n)
{
	return pg_prng_uint64_range(&prng, 0, n - 1);
}

/* A root over up to four groups of up to four leaves each, some with NULL; a leaf of level 0 is the empty prefix. */
static Domain
random_tree(void)
{
	uint32		ngroups = 1 + below(4);
	uint32		next = 1 + ngroups;
	TreeNode   *nodes = palloc0(sizeof(TreeNode) * 32);
	Code		size = 0;
	Code		null_code = NO_CODE;

	for (uint32 g = 1; g <= ngroups; g++)
	{
		uint32		n = 1 + below(4);

		nodes[g] = (TreeNode) {
			.leaves = {size, size + n - 1}, .first_child = next, .nchildren = n, .level = 1
		};
		for (uint32 i = 0; i < n; i++, size++)
			nodes[next++] = (TreeNode) {.leaves = {size, size}, .parent = g, .level = below(4)};
	}
	if (below(2) == 0)
	{
		/* The last group makes place for NULL, a leaf right below the root. */
		next -= nodes[ngroups].nchildren;
		size = nodes[ngroups].leaves.lo + 1;
		nodes[ngroups] = (TreeNode) {.leaves = {size - 1, size - 1}, .level = 1};
		null_code = size - 1;
	}
	nodes[0] = (TreeNode) {.leaves = {0, size - 1}, .first_child = 1, .nchildren = ngroups};
	return make_tree(nodes, next, size, null_code, NULL);
}

static Domain
random_line(void)
{
	bool		has_null = below(2) == 0;
	Code		size = 1 + has_null + below(12);
	double	   *position = palloc(sizeof(double) * size);

	position[0] = 0;
	for (Code i = 1; i < size; i++)
		position[i] = position[i - 1] + 1 + below(9);
	return make_line(position, size, has_null, NULL);
}

static void
set_region(Release *r, uint32 c, Span *region)
{
	for (int q = 0; q < r->frame.nqis; q++)
	{
		const Code *code = r->frame.code[q];
		uint64		i = r->classes.first[c];
		Span		hull = span_of(code[r->classes.rows[i]]);

		for (i++; i < r->classes.first[c + 1]; i++)
			hull = span_hull(hull, span_of(code[r->classes.rows[i]]));
		region[q] = domain_cover(&r->frame.domain[q], hull);
	}
}

/* Tight regions over runs of up to so many rows. */
static void
cut(Release *r, uint64 max_size)
{
	Classes    *classes = &r->classes;
	uint64		n = r->frame.nrows;

	classes->nclasses = 0;
	classes->first[0] = 0;
	while (classes->first[classes->nclasses] < n)
	{
		uint64		end = classes->first[classes->nclasses] + 1 + below(max_size);

		classes->first[classes->nclasses + 1] = Min(n, end);
		set_region(r, classes->nclasses, classes->regions + (uint64) classes->nclasses * classes->nqis);
		classes->nclasses++;
	}
}

static Release
random_release(void)
{
	Release		r = {0};
	uint64		nrows = 1 + below(60);
	uint64	   *counterfeits = palloc(sizeof(uint64) * nrows);

	r.frame.nrows = nrows;
	r.frame.nqis = 1 + below(MAX_QIS);
	r.frame.domain = palloc(sizeof(Domain) * MAX_QIS);
	r.frame.code = palloc(sizeof(Code *) * MAX_QIS);
	for (int q = 0; q < r.frame.nqis; q++)
	{
		Domain	   *domain = &r.frame.domain[q];

		*domain = below(2) == 0 ? random_tree() : random_line();
		domain->frequency = palloc0(sizeof(uint64) * domain->size);
		r.frame.code[q] = palloc(sizeof(Code) * nrows);
		for (uint64 i = 0; i < nrows; i++)
		{
			r.frame.code[q][i] = below(domain->size);
			domain->frequency[r.frame.code[q][i]]++;
		}
	}
	r.classes.nqis = r.frame.nqis;
	r.classes.first = palloc(sizeof(uint64) * (nrows + 1));
	r.classes.rows = palloc(sizeof(RowId) * nrows);
	r.classes.regions = palloc(sizeof(Span) * nrows * MAX_QIS);
	for (uint64 i = 0; i < nrows; i++)
	{
		r.classes.rows[i] = i;
		counterfeits[i] = below(3);
	}
	cut(&r, 1 + below(nrows));
	r.counts.counterfeits = counterfeits;
	r.counts.suppressed = below(2) * below(20);
	return r;
}

static Metrics
measure_random(const Release *r)
{
	return measure_release(&r->frame, &r->classes, &r->counts, 3);
}

static double
asked(const Release *r)
{
	return r->classes.first[r->classes.nclasses] + r->counts.suppressed;
}

#define FOR_RANDOM_RELEASES(r) \
	pg_prng_seed(&prng, 42); \
	for (int round_ = 0; round_ < 500; round_++) \
		for (Release r = random_release(), *once_ = &r; once_ != NULL; once_ = NULL)

/* The definitions as they are printed, row by row and cell by cell. */
static void
test_definitions(void)
{
	FOR_RANDOM_RELEASES(r)
	{
		const Frame *frame = &r.frame;
		Metrics		m = measure_random(&r);
		double		n = asked(&r);
		double		invented = 0;
		double		lm = 0;
		double		em = 0;
		double		precision = 0;
		double		fem = 0;
		double		vem = 0;
		double		fem_counterfeit = 0;
		double		vem_counterfeit = 0;
		double		dm = 0;

		for (uint32 c = 0; c < r.classes.nclasses; c++)
			invented += r.counts.counterfeits[c];
		for (uint32 c = 0; c < r.classes.nclasses; c++)
		{
			const Span *region = class_region(&r.classes, c);
			double		size = class_size(&r.classes, c);
			double		volume = 1;
			double		whole = 1;

			for (int q = 0; q < frame->nqis; q++)
			{
				const Domain *domain = &frame->domain[q];
				double		total = 0;
				double		h = 0;

				volume *= span_width(region[q]);
				whole *= domain->size;
				for (Code v = region[q].lo; v <= region[q].hi; v++)
					total += domain->frequency[v];
				for (Code v = region[q].lo; v <= region[q].hi; v++)
					if (domain->frequency[v] > 0)
						h -= domain->frequency[v] / total * log2(domain->frequency[v] / total);
				for (uint64 i = r.classes.first[c]; i < r.classes.first[c + 1]; i++)
				{
					uint32		leaf;

					lm += domain_loss(domain, region[q]);
					em += h;
					if (region[q].lo == region[q].hi)
						precision += 1;
					else if (domain->tree == NULL)
						precision += 1 - domain_loss(domain, region[q]);
					else
					{
						leaf = domain->tree->leaf[frame->code[q][r.classes.rows[i]]];
						if (domain->tree->nodes[leaf].level == 0)
							precision += 1;
						else if (span_width(region[q]) < domain->size)
							precision += (double) domain->tree->nodes[tree_node(domain->tree, region[q])].level /
								domain->tree->nodes[leaf].level;
					}
				}
			}
			dm += pow(size + r.counts.counterfeits[c], 2);
			fem += -size / n * log2(size / n);
			vem += -size / n * log2(volume / whole);
			fem_counterfeit += -size / (n + invented) * log2((size + r.counts.counterfeits[c]) / n);
			vem_counterfeit += -size / (n + invented) * log2(volume / whole);
		}
		check_near(m.lm, lm);
		check_near(m.em, em);
		check_near(m.dm, dm);
		check_near(m.precision, precision / frame->nrows / frame->nqis);
		check_near(m.fem, fem);
		check_near(m.vem, vem);
		check_near(m.fem_counterfeit, fem_counterfeit);
		check_near(m.vem_counterfeit, vem_counterfeit);
		check(m.counterfeits == invented);
	}
}

/* What publish warns of, and whom it blames. */
static void
test_suppressed_share(void)
{
	check(suppressed_share(&(Metrics) {0}) == 0);
	check_near(suppressed_share(&(Metrics) {.rows = 10, .suppressed = 10}), 0.5);
	check_near(suppressed_share(&(Metrics) {.rows = 10, .dirty = 5, .suppressed = 15}), 0.75);
	check(suppressed_share(&(Metrics) {.suppressed = 3}) == 1);
}

static void
test_costliest_columns(void)
{
	double		loss[] = {2, 5, 5, 1, 7};
	Metrics		m = {.lm_by_qi = loss};
	int			worst[6];

	check(costliest_qis(&m, 5, worst, 3) == 3);
	check(worst[0] == 4 && worst[1] == 1 && worst[2] == 2);
	check(costliest_qis(&m, 5, worst, 6) == 5);
	check(worst[3] == 0 && worst[4] == 3);
	check(costliest_qis(&m, 2, worst, 3) == 2);
	check(worst[0] == 1 && worst[1] == 0);
	check(costliest_qis(&m, 0, worst, 3) == 0);
	check(costliest_qis(&m, 5, worst, 1) == 1 && worst[0] == 4);
}

static void
test_nothing_is_left_behind(void)
{
	FOR_RANDOM_RELEASES(r)
	{
		uint64		before = shim_allocated;
		Metrics		m = measure_random(&r);

		pfree(m.lm_by_qi);
		check(shim_allocated == before);
	}
}

static const Test tests[] = {
	{"a line", test_line},
	{"a ragged tree with NULL", test_tree},
	{"columns add up, those that are shown", test_columns_add_up},
	{"suppressed and counterfeit rows", test_suppressed_and_counterfeit},
	{"one value, no classes, no columns", test_edges},
	{"entropies of narrow cells in large domains", test_entropy_is_exact_in_large_domains},
	{"the list has every figure under its name", test_list},
	{"the summary is made of counts and lm", test_summary},
	{"the share of what is suppressed", test_suppressed_share},
	{"the columns that cost most", test_costliest_columns},
	{"random: the definitions as printed", test_definitions},
	{"random: memory goes back", test_nothing_is_left_behind},
};

RUN(tests)
