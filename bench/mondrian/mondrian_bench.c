/*
 * mondrian_bench.c
 *		How little our partitioner loses and how long it takes, beside a
 *		classic strict Mondrian on the same frame, in the same process: for
 *		the same k, and with the largest k for which ours loses no more.
 *
 * Usage:
 *		mondrian_bench [--k K] [--l L] [--runs N] --synthetic ROWS ...
 *		mondrian_bench [--k K] [--l L] [--runs N] --csv FILE
 *			--qi NAME:range | --qi NAME:suppress | --qi NAME:prefix | --qi NAME:taxonomy:FILE ...
 *			[--sensitive NAME] [--complete NAME ...] [--classes FILE]
 *
 * --classes writes for each row of the CSV file its number and its class by
 * strict Mondrian.  --complete leaves out rows where the column is empty.  Several --synthetic
 * are measured one after the other.  The table says, for each algorithm, the
 * classes, the average LM of a cell, the discernibility (sum of the squares of
 * the classes' sizes), the median time of the processor and the most memory
 * that was at work beyond frame and row array, in bytes a row, the result
 * included.
 */
#include "shim.h"

#include "bench.h"

#include "partition/mondrian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_RUNS 101

typedef struct Options
{
	uint64		k;
	uint32		l;
	int			runs;
	int			nsynthetic;
	uint64		synthetic[MAX_BENCH_COLUMNS];
	BenchInput	input;
	const char *classes;		/* a file to be written, or NULL */
} Options;

/* One algorithm's result. */
typedef struct Measured
{
	uint32		classes;
	double		loss;			/* average LM of a cell */
	double		discernibility;
	double		seconds;
	double		bytes;			/* a row, at the peak */
} Measured;

typedef Classes *(*Partitioner) (const Frame *frame, RowId *rows, uint64 nrows,
								 const Principle *principle);

static Classes *
our_mondrian(const Frame *frame, RowId *rows, uint64 nrows, const Principle *principle)
{
	return mondrian(frame, rows, nrows, principle, 1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int
compare_doubles(const void *a, const void *b)
{
	return *(const double *) a < *(const double *) b ? -1 : *(const double *) a > *(const double *) b;
}

/* Figures of a result; stops the program when it is not a sound one. */
static void
judge(const Frame *frame, const Principle *principle, const Classes *classes, Measured *result)
{
	Tally	   *tally = tally_create(frame->nsensitive);
	double		loss = 0;

	result->classes = classes->nclasses;
	result->discernibility = 0;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		const Span *region = class_region(classes, c);
		double		size = class_size(classes, c);
		double		cells = 0;

		tally_clear(tally);
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];

			tally_add(tally, frame->sensitive[row]);
			for (int q = 0; q < frame->nqis; q++)
				if (!span_contains(region[q], span_of(frame->code[q][row])))
					abort();
		}
		if (!principle_allows(principle, tally))
			abort();
		for (int q = 0; q < frame->nqis; q++)
			cells += domain_loss(&frame->domain[q], region[q]);
		loss += size * cells;
		result->discernibility += size * size;
	}
	if (classes->nclasses > 0 && classes->first[classes->nclasses] != frame->nrows)
		abort();
	result->loss = loss / ((double) frame->nrows * frame->nqis);
}

static Measured
measure(const Frame *frame, const Principle *principle, Partitioner partition, int runs)
{
	Measured	result = {0};
	double		seconds[MAX_RUNS];

	for (int run = 0; run < runs; run++)
	{
		MemoryContext before = CurrentMemoryContext;
		Classes    *classes;
		RowId	   *rows;
		uint64		allocated;
		double		start;

		CurrentMemoryContext = AllocSetContextCreate(before, "run", ALLOCSET_DEFAULT_SIZES);
		rows = palloc_extended(sizeof(RowId) * frame->nrows, MCXT_ALLOC_HUGE);
		for (uint64 row = 0; row < frame->nrows; row++)
			rows[row] = row;
		allocated = shim_allocated_peak = shim_allocated;
		start = now();
		classes = partition(frame, rows, frame->nrows, principle);
		seconds[run] = now() - start;
		result.bytes = (double) (shim_allocated_peak - allocated) / frame->nrows;
		if (run == 0)
			judge(frame, principle, classes, &result);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = before;
	}
	qsort(seconds, runs, sizeof(double), compare_doubles);
	result.seconds = seconds[runs / 2];
	return result;
}

static void
print_measured(const Frame *frame, const char *algorithm, uint64 k, const Measured *m)
{
	printf("%10llu  %-8s %6llu %9u  %8.5f  %12.4g  %9.4f  %11.1f\n",
		   (unsigned long long) frame->nrows, algorithm, (unsigned long long) k, m->classes, m->loss,
		   m->discernibility, m->seconds, m->bytes);
}

static void
print_ratio(const Measured *ours, const Measured *classic)
{
	printf("%10s  %-8s %6s %9.2f  %8.3f  %12.3f  %9.3f  %11.2f\n", "", "ratio", "",
		   (double) ours->classes / classic->classes, ours->loss / classic->loss,
		   ours->discernibility / classic->discernibility,
		   ours->seconds / classic->seconds, ours->bytes / classic->bytes);
}

static bool
loses_no_more(const Frame *frame, const Options *options, uint64 k, double loss)
{
	Principle	principle = principle_k_l(k, options->l);

	return measure(frame, &principle, our_mondrian, 1).loss <= loss;
}

/* The largest k, to a thirtieth, with which ours loses no more than that; no more than there are rows. */
static uint64
k_of_loss(const Frame *frame, const Options *options, double loss)
{
	uint64		low = options->k;
	uint64		high = low * 2;

	while (high < frame->nrows && loses_no_more(frame, options, high, loss))
	{
		low = high;
		high *= 2;
	}
	while (high - low > Max(1, low / 30))
	{
		uint64		k = (low + high) / 2;

		if (loses_no_more(frame, options, k, loss))
			low = k;
		else
			high = k;
	}
	return low;
}

static void
bench(const Frame *frame, const Options *options)
{
	Principle	principle = principle_k_l(options->k, options->l);
	Measured	ours = measure(frame, &principle, our_mondrian, options->runs);
	Measured	classic = measure(frame, &principle, classic_mondrian, options->runs);

	print_measured(frame, "ours", options->k, &ours);
	print_measured(frame, "classic", options->k, &classic);
	print_ratio(&ours, &classic);
	if (ours.loss < classic.loss)
	{
		uint64		k = k_of_loss(frame, options, classic.loss);

		principle = principle_k_l(k, options->l);
		ours = measure(frame, &principle, our_mondrian, options->runs);
		print_measured(frame, "ours", k, &ours);
		print_ratio(&ours, &classic);
	}
}

/* For each row, its number and its class by strict Mondrian. */
static void
write_classes(const Frame *frame, const Options *options)
{
	Principle	principle = principle_k_l(options->k, options->l);
	RowId	   *rows = palloc_extended(sizeof(RowId) * frame->nrows, MCXT_ALLOC_HUGE);
	FILE	   *file = fopen(options->classes, "w");
	Classes    *classes;

	if (file == NULL)
		exit((perror(options->classes), 1));
	for (uint64 row = 0; row < frame->nrows; row++)
		rows[row] = row;
	classes = classic_mondrian(frame, rows, frame->nrows, &principle);
	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			fprintf(file, "%llu\t%u\n", (unsigned long long) classes->rows[i], c);
	fclose(file);
}

static void
usage(void)
{
	fprintf(stderr, "usage: mondrian_bench [--k K] [--l L] [--runs N] (--synthetic ROWS ... | --csv FILE "
			"--qi NAME:range|suppress|prefix|taxonomy:FILE ... [--sensitive NAME] [--complete NAME ...] [--classes FILE])\n");
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
		else if (strcmp(argv[i], "--l") == 0)
			options->l = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--runs") == 0)
			options->runs = Max(1, Min(MAX_RUNS, atoi(value)));
		else if (strcmp(argv[i], "--synthetic") == 0 && options->nsynthetic < MAX_BENCH_COLUMNS)
			options->synthetic[options->nsynthetic++] = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--csv") == 0)
			options->input.path = value;
		else if (strcmp(argv[i], "--qi") == 0 && take_column(&options->input, value))
			continue;
		else if (strcmp(argv[i], "--classes") == 0)
			options->classes = value;
		else if (strcmp(argv[i], "--sensitive") == 0)
			options->input.sensitive = value;
		else if (strcmp(argv[i], "--complete") == 0 && options->input.nrequired < MAX_BENCH_COLUMNS)
			options->input.required[options->input.nrequired++] = value;
		else
			usage();
	}
	if (options->nsynthetic == 0 && (options->input.path == NULL || options->input.ncolumns == 0))
		usage();
}

int
main(int argc, char **argv)
{
	Options		options = {.k = 10,.l = 1,.runs = 5};

	parse_options(&options, argc, argv);
	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	printf("k = %llu, l = %u, median of %d\n", (unsigned long long) options.k, options.l, options.runs);
	printf("%10s  %-8s %6s %9s  %8s  %12s  %9s  %11s\n", "rows", "method", "k", "classes", "LM/cell",
		   "DM", "seconds", "bytes a row");
	for (int i = 0; i < options.nsynthetic; i++)
	{
		MemoryContext outer = CurrentMemoryContext;

		CurrentMemoryContext = AllocSetContextCreate(outer, "frame", ALLOCSET_DEFAULT_SIZES);
		bench(synthetic_census(options.synthetic[i]), &options);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
	if (options.input.path != NULL)
	{
		const Frame *frame = read_csv(&options.input);

		bench(frame, &options);
		if (options.classes != NULL)
			write_classes(frame, &options);
	}
	return 0;
}
