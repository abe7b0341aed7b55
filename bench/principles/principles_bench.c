/*
 * principles_bench.c
 *		What each condition on values costs where rows are cut, beside distinct l, on the same frame in
 *		the same process.
 *
 * Usage:
 *		principles_bench [--k K] [--s S] [--runs N] [--only NAME] --synthetic ROWS | --skewed ROWS
 *		principles_bench [--k K] [--s S] [--runs N] [--only NAME] --csv FILE
 *			--qi NAME:range | --qi NAME:suppress | --qi NAME:taxonomy:FILE ...
 *			--sensitive NAME [--complete NAME ...]
 *
 * NOTES
 *		All have the strength at which guessing the commonest value of a class is right 1 time in S, as far as
 *		one parameter can say that. With p for the share of the value that is the commonest of all:
 *
 *		distinct	l = S: no bound at all
 *		frequency	S: 1/S
 *		entropy		S: the commonest may have more, if the others are many
 *		recursive	(1,S): less than the values behind the S - 1 commonest together have; less than 1/2
 *		t			1/S - p, by the equal distance: p + t for the commonest value, and so less for the others
 *		t ordered	the same t by the ordered distance, where values are near each other: it bounds what is learned of
 *					the place of a value, not the value
 *		beta		1/(S p) - 1: p (1 + beta) for the commonest value, and less for the others
 *		delta		ln(1/(S p)): p e^delta
 *		weak		frequency and entropy of 1.01, which should cost what k alone does
 *
 *		The table says the median time, that time by that of distinct l, the classes, the average LM of a cell,
 *		the greatest share that a value has in a class, and the rows in no class. Principles take turns, so that
 *		a disturbance hits all of them.
 */
#include "shim.h"

#include "bench.h"
#include "invented.h"

#include "partition/mondrian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_RUNS		101
#define MAX_CONDITIONS	16

typedef struct Options
{
	uint64		k;
	uint32		strength;
	int			runs;
	const char *only;			/* beside distinct, or NULL for all */
	uint64		synthetic;
	uint64		skewed;
	BenchInput	input;
} Options;

/* A line of the table. */
typedef struct Condition
{
	const char *name;
	double		strength;
	Principle	principle;		/* bound */
	double		seconds[MAX_RUNS];
	uint32		classes;
	double		loss;			/* average LM of a cell */
	double		posterior;		/* the greatest share of a value in a class */
	uint64		withheld;
} Condition;

typedef struct Bench
{
	const Options *options;
	const Frame *frame;
	double		commonest;		/* the greatest share of a value among all */
	int			n;
	Condition	condition[MAX_CONDITIONS];
} Bench;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int
compare_doubles(const void *a, const void *b)
{
	return *(const double *) a < *(const double *) b ? -1 : *(const double *) a > *(const double *) b;
}

/* ----------------------------------------------------------------
 * Peers
 * ----------------------------------------------------------------
 */

/* The shares of values among all rows, and, if they have an order, their places. */
static const Aspects *
aspects_of(const Frame *frame, bool ordered, double *commonest)
{
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect));
	double	   *share = palloc0(sizeof(double) * frame->nsensitive);
	double	   *place = palloc(sizeof(double) * frame->nsensitive);

	*commonest = 0;
	for (uint64 row = 0; row < frame->nrows; row++)
		share[frame->sensitive[row]] += 1.0 / frame->nrows;
	for (Code value = 0; value < frame->nsensitive; value++)
	{
		place[value] = (double) value / Max(1, frame->nsensitive - 1);
		*commonest = Max(*commonest, share[value]);
	}
	*aspect = (Aspect) {.name = "secret", .ncodes = frame->nsensitive, .place = ordered ? place : NULL};
	*aspects = (Aspects) {.n = 1, .aspect = aspect, .share = share};
	return aspects;
}

/* Adds a line; no condition on values for NPRINCIPLES. */
static void
add_condition(Bench *bench, const char *name, uint32 l, PrincipleParam param, double strength)
{
	Condition  *condition = &bench->condition[bench->n];
	int64		params[NPRINCIPLE_PARAMS];
	Principle	principle;
	double		commonest;

	if (bench->options->only != NULL && strcmp(name, "distinct") != 0 && strcmp(name, bench->options->only) != 0)
		return;
	bench->n++;
	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	if (param < NPRINCIPLES)
		params[param] = param == PRINCIPLE_recursive ? strength : llround(strength * PARAM_SCALE);
	if (param == PRINCIPLE_recursive)
		params[PRINCIPLE_C] = PARAM_SCALE;
	principle = principle_declared(bench->options->k, l, params);
	condition->name = name;
	condition->strength = strength;
	condition->principle = principle_bound(&principle, bench->frame->nsensitive,
										   aspects_of(bench->frame, strcmp(name, "t ordered") == 0, &commonest));
}

static void
add_conditions(Bench *bench)
{
	uint32		s = bench->options->strength;
	double		factor = 1 / (s * bench->commonest);	/* how many times as common the commonest value may become */

	add_condition(bench, "distinct", s, NPRINCIPLES, s);
	add_condition(bench, "k alone", 1, NPRINCIPLES, 1);
	add_condition(bench, "frequency", 1, PRINCIPLE_frequency, s);
	add_condition(bench, "entropy", 1, PRINCIPLE_entropy, s);
	add_condition(bench, "recursive", 1, PRINCIPLE_recursive, s);
	if (factor > 1)
	{
		add_condition(bench, "t", 1, PRINCIPLE_t, 1.0 / s - bench->commonest);
		add_condition(bench, "t ordered", 1, PRINCIPLE_t, 1.0 / s - bench->commonest);
		add_condition(bench, "beta", 1, PRINCIPLE_beta, factor - 1);
		add_condition(bench, "delta", 1, PRINCIPLE_delta, log(factor));
	}
	add_condition(bench, "weak frequency", 1, PRINCIPLE_frequency, 1.01);
	add_condition(bench, "weak entropy", 1, PRINCIPLE_entropy, 1.01);
}

/* ----------------------------------------------------------------
 * Measuring
 * ----------------------------------------------------------------
 */

/* Figures of a result; stops the program when it is not a sound one. */
static void
judge(const Frame *frame, Condition *condition, const Classes *classes)
{
	Tally	   *tally = tally_create(frame->nsensitive);
	double		loss = 0;

	condition->classes = classes->nclasses;
	condition->posterior = 0;
	condition->withheld = frame->nrows - classes->first[classes->nclasses];
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		double		cells = 0;

		tally_clear(tally);
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			tally_add(tally, frame->sensitive[classes->rows[i]]);
		if (!principle_allows(&condition->principle, tally))
			abort();
		for (uint32 i = 0; i < tally->values; i++)
			condition->posterior = Max(condition->posterior, (double) tally->count[tally->value[i]] / tally->rows);
		for (int q = 0; q < frame->nqis; q++)
			cells += domain_loss(&frame->domain[q], class_region(classes, c)[q]);
		loss += class_size(classes, c) * cells;
	}
	condition->loss = loss / ((double) Max(1, frame->nrows - condition->withheld) * frame->nqis);
}

static void
measure(const Frame *frame, Condition *condition, int run)
{
	MemoryContext before = CurrentMemoryContext;
	Classes    *classes;
	RowId	   *rows;
	double		start;

	CurrentMemoryContext = AllocSetContextCreate(before, "run", ALLOCSET_DEFAULT_SIZES);
	rows = palloc_extended(sizeof(RowId) * frame->nrows, MCXT_ALLOC_HUGE);
	for (uint64 row = 0; row < frame->nrows; row++)
		rows[row] = row;
	start = now();
	classes = mondrian(frame, rows, frame->nrows, &condition->principle, 1);
	condition->seconds[run] = now() - start;
	if (run == 0)
		judge(frame, condition, classes);
	MemoryContextDelete(CurrentMemoryContext);
	CurrentMemoryContext = before;
}

static double
median(const double *seconds, int n)
{
	double		sorted[MAX_RUNS];

	memcpy(sorted, seconds, sizeof(double) * n);
	qsort(sorted, n, sizeof(double), compare_doubles);
	return sorted[n / 2];
}

static void
print_conditions(const Bench *bench)
{
	int			runs = bench->options->runs;

	printf("%llu rows, k = %llu, S = %u, the commonest value has %.3f of the rows; median of %d\n",
		   (unsigned long long) bench->frame->nrows, (unsigned long long) bench->options->k, bench->options->strength,
		   bench->commonest, runs);
	printf("%-15s %8s  %9s  %6s  %8s  %8s  %9s  %8s\n", "principle", "strength", "seconds", "ratio", "classes", "LM/cell",
		   "posterior", "withheld");
	for (int i = 0; i < bench->n; i++)
	{
		const Condition *condition = &bench->condition[i];
		double		seconds = median(condition->seconds, runs);

		printf("%-15s %8.3f  %9.4f  %6.2f  %8u  %8.5f  %9.3f  %8llu\n", condition->name, condition->strength, seconds,
			   seconds / median(bench->condition[0].seconds, runs), condition->classes, condition->loss,
			   condition->posterior, (unsigned long long) condition->withheld);
	}
}

/* ----------------------------------------------------------------
 * The program
 * ----------------------------------------------------------------
 */

/* Census-like rows with one of 12 secrets, the commonest of which one in five has, and more of the old. */
static Frame *
skewed_census(uint64 nrows)
{
	Frame	   *frame = synthetic_census(nrows);

	frame->nsensitive = 12;
	for (uint64 row = 0; row < nrows; row++)
		frame->sensitive[row] = draw_skewed(12, 1.2 + frame->code[0][row] / 60.0);
	return frame;
}

static void
usage(void)
{
	fprintf(stderr, "usage: principles_bench [--k K] [--s S] [--runs N] [--only NAME] (--synthetic ROWS | --skewed ROWS | --csv FILE "
			"--qi NAME:range|suppress|taxonomy:FILE ... --sensitive NAME [--complete NAME ...])\n");
	exit(2);
}

static void
parse_options(Options *options, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2)
	{
		char	   *value = argv[i + 1];

		if (value == NULL)
			usage();
		if (strcmp(argv[i], "--k") == 0)
			options->k = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--s") == 0)
			options->strength = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--runs") == 0)
			options->runs = Max(1, Min(MAX_RUNS, atoi(value)));
		else if (strcmp(argv[i], "--only") == 0)
			options->only = value;
		else if (strcmp(argv[i], "--synthetic") == 0)
			options->synthetic = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--skewed") == 0)
			options->skewed = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--csv") == 0)
			options->input.path = value;
		else if (strcmp(argv[i], "--qi") == 0 && take_column(&options->input, value))
			continue;
		else if (strcmp(argv[i], "--sensitive") == 0)
			options->input.sensitive = value;
		else if (strcmp(argv[i], "--complete") == 0 && options->input.nrequired < MAX_BENCH_COLUMNS)
			options->input.required[options->input.nrequired++] = value;
		else
			usage();
	}
	if (options->synthetic + options->skewed == 0 && (options->input.path == NULL || options->input.sensitive == NULL))
		usage();
}

int
main(int argc, char **argv)
{
	Options		options = {.k = 10, .strength = 3, .runs = 5};
	Bench		bench = {.options = &options};

	parse_options(&options, argc, argv);
	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	bench.frame = options.synthetic > 0 ? synthetic_census(options.synthetic)
		: options.skewed > 0 ? skewed_census(options.skewed) : read_csv(&options.input);
	(void) aspects_of(bench.frame, false, &bench.commonest);
	add_conditions(&bench);
	for (int run = 0; run < options.runs; run++)
		for (int i = 0; i < bench.n; i++)
			measure(bench.frame, &bench.condition[i], run);
	print_conditions(&bench);
	return 0;
}
