/*
 * chart.h
 *		Charts of a page, as inline SVG.
 *
 * Each has a title and a description for those who cannot see it; the figures stand in a table beside it.
 */
#ifndef PPREPUB_REPORT_PAGE_CHART_H
#define PPREPUB_REPORT_PAGE_CHART_H

#include "report/page/html.h"

#define MOST_SERIES 3

/* Lines over releases: a point each, NaN for none. */
typedef struct LineChart
{
	const char *anchor;			/* names it in the page */
	const char *title;
	const char *unit;			/* of all series */
	int			n;
	const double *x;			/* [n] ascending */
	int			nseries;
	const char *name[MOST_SERIES];
	const double *series[MOST_SERIES];	/* [n] */
} LineChart;

extern void chart_lines(StringInfo page, const LineChart *chart);

/* How many people are in sets of each size: a bar for each range of sizes. */
typedef struct SizeBar
{
	uint64		from;			/* sizes from here up to the next bar's, not including it */
	uint64		sets;
	uint64		people;
} SizeBar;

/* Bars for sets of these sizes, as far as there are some: single sizes below 2 k, and then ranges that double. */
extern SizeBar *size_bars(const uint64 *size, const uint64 *count, uint64 n, uint64 k, int *nbars);

/* Bars of people; those of sets smaller than k stand out, and a line is drawn there. */
extern void chart_sizes(StringInfo page, const char *anchor, const char *title, const SizeBar *bar, int n, uint64 k);

#endif							/* PPREPUB_REPORT_PAGE_CHART_H */
