/*
 * grow_bench.c
 *		What classes that meet ratios lose, from the bottom up and from the top
 *		down, beside the smallest classes that k-anonymity alone would ask for.
 *
 * Usage:
 *		grow_bench ROWS RATIO [TRANSIENT [HELPERS]]
 *
 * TRANSIENT: the percentage of values, the rarest ones, that are protected
 * (100).  HELPERS: the percentage of rows that are not asked for (0).
 */
#include "shim.h"

#include "bench.h"

#include "partition/grow.h"
#include "partition/mondrian.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Protects the rarest values. */
static Code *
protect(const Frame *frame, double percent)
{
	uint64	   *count = palloc0(sizeof(uint64) * frame->nsensitive);
	Code	   *value = palloc(sizeof(Code) * frame->nrows);

	for (uint64 row = 0; row < frame->nrows; row++)
		count[frame->sensitive[row]]++;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint32		rarer = 0;

		for (Code v = 0; v < frame->nsensitive; v++)
			rarer += count[v] < count[frame->sensitive[row]];
		value[row] = rarer < frame->nsensitive * percent / 100 ? frame->sensitive[row] : NO_CODE;
	}
	return value;
}

static void
report(const Frame *frame, const Classes *classes, const Code *value, double ratio, const char *name, double seconds)
{
	double		loss = 0;
	uint64		asked = 0;
	uint64		wanted = 0;
	uint64		largest = 0;
	uint64		grouped = 0;
	uint64		groups = 0;
	uint32	   *count = palloc0(sizeof(uint32) * (frame->nsensitive + 1));

	for (uint64 row = 0; row < frame->nrows; row++)
		wanted += frame->asked == NULL || frame->asked[row];
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		double		lost = 0;
		bool		any = false;

		for (int q = 0; q < frame->nqis; q++)
			lost += domain_loss(&frame->domain[q], class_region(classes, c)[q]);
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];

			for (int q = 0; q < frame->nqis; q++)
				if (!span_contains(class_region(classes, c)[q], span_of(frame->code[q][row])))
					abort();
			if (frame->asked == NULL || frame->asked[row])
			{
				loss += lost;
				asked++;
			}
			if (value != NULL && value[row] != NO_CODE && ratio > 0)
			{
				any = true;
				if (++count[value[row]] * ratio > class_size(classes, c))
					abort();
			}
		}
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			if (value != NULL && value[classes->rows[i]] != NO_CODE)
				count[value[classes->rows[i]]] = 0;
		if (!any)
			continue;
		grouped += class_size(classes, c);
		groups++;
		largest = Max(largest, class_size(classes, c));
	}
	printf("%-10s %9u classes, with values %8llu of %7.2f rows on average, %6llu at most; withheld %6.3f %%; LM a cell %8.5f; %7.3f s\n",
		   name, classes->nclasses, (unsigned long long) groups, groups == 0 ? 0 : (double) grouped / groups,
		   (unsigned long long) largest, 100.0 * (wanted - asked) / wanted, loss / asked / frame->nqis, seconds);
}

int
main(int argc, char **argv)
{
	uint64		nrows = strtoull(argv[1], NULL, 10);
	double		ratio = atof(argv[2]);
	double		transient = argc > 3 ? atof(argv[3]) : 100;
	double		helpers = argc > 4 ? atof(argv[4]) : 0;
	Frame	   *frame;
	RowId	   *rows;
	bool	   *asked;
	Ratios		ratios = {.base = ratio};
	Principle	principle = principle_k_l(ceil(ratio), 1);
	Classes    *classes;
	double		start;

	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	frame = synthetic_census(nrows);
	asked = palloc(nrows);
	for (uint64 i = 0; i < nrows; i++)
		asked[i] = (i * 2654435761u) % 1000 >= helpers * 10;
	frame->asked = helpers > 0 ? asked : NULL;
	ratios.value = protect(frame, transient);
	for (uint64 i = 0; i < nrows; i++)
		if (!asked[i] && helpers > 0)
			((Code *) ratios.value)[i] = NO_CODE;
	ratios.nvalues = frame->nsensitive;
	rows = palloc(sizeof(RowId) * nrows);
	for (uint64 i = 0; i < nrows; i++)
		rows[i] = i;
	start = now();
	classes = grow_classes(frame, rows, nrows, &ratios, 1);
	report(frame, classes, ratios.value, ratio, "grown", now() - start);
	for (uint64 i = 0; i < nrows; i++)
		rows[i] = i;
	start = now();
	classes = mondrian(frame, rows, nrows, &principle, 1);
	report(frame, classes, NULL, ratio, "k only", now() - start);
	return 0;
}
