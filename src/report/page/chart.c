/*
 * chart.c
 *		Charts of a page.
 */
#include "report/page/chart.h"

#include <math.h>

#include "miscadmin.h"

#define WIDTH 640
#define HEIGHT 240
#define LEFT 56
#define RIGHT 12
#define TOP 12
#define BOTTOM 46
#define GRID_LINES 4

/* A round number that is as large, or larger: 1, 2 or 5 with zeros. */
static double
round_up(double most)
{
	double		step = most <= 0 ? 1 : pow(10, floor(log10(most)));

	if (most <= step)
		return step;
	return most <= 2 * step ? 2 * step : most <= 5 * step ? 5 * step : 10 * step;
}

static double
height_of(double value, double most)
{
	return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
}

/* Begins a picture with its words, and the lines that values are read off. */
static void
begin_chart(StringInfo page, const char *anchor, const char *title, const char *description, const char *unit, double most)
{
	appendStringInfo(page, "<figure>\n<figcaption id=\"%s-title\">%s</figcaption>\n"
					 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-title %s-words\">\n"
					 "<desc id=\"%s-words\">%s</desc>\n",
					 anchor, html_text(title), WIDTH, HEIGHT, anchor, anchor, anchor, html_text(description));
	for (int i = 0; i <= GRID_LINES; i++)
	{
		double		value = most * i / GRID_LINES;

		appendStringInfo(page, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%s</text>\n",
						 LEFT, WIDTH - RIGHT, height_of(value, most), height_of(value, most), LEFT - 6, height_of(value, most) + 4,
						 html_number(value), unit);
	}
}

static void
end_chart(StringInfo page)
{
	appendStringInfoString(page, "</svg>\n</figure>\n");
}

/* ----------------------------------------------------------------
 * Lines
 * ----------------------------------------------------------------
 */

static double
x_of(const LineChart *chart, int i)
{
	double		span = chart->x[chart->n - 1] - chart->x[0];

	return LEFT + (span <= 0 ? 0.5 : (chart->x[i] - chart->x[0]) / span) * (WIDTH - LEFT - RIGHT - 10) + 5;
}

/* A line goes on behind values that are not known. */
static void
draw_series(StringInfo page, const LineChart *chart, int s, double most)
{
	appendStringInfo(page, "<polyline class=\"s%d\" stroke-width=\"2\" points=\"", s);
	for (int i = 0; i < chart->n; i++)
		if (!isnan(chart->series[s][i]))
			appendStringInfo(page, "%.1f,%.1f ", x_of(chart, i), height_of(chart->series[s][i], most));
	appendStringInfoString(page, "\"/>\n");
	for (int i = 0; i < chart->n && chart->n <= 60; i++)
		if (!isnan(chart->series[s][i]))
			appendStringInfo(page, "<circle class=\"s%d\" r=\"2.5\" cx=\"%.1f\" cy=\"%.1f\"/>", s, x_of(chart, i), height_of(chart->series[s][i], most));
	appendStringInfo(page, "\n<line class=\"s%d\" stroke-width=\"2\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
					 s, LEFT + s * 190, LEFT + s * 190 + 24, HEIGHT - 8, HEIGHT - 8, LEFT + s * 190 + 30, HEIGHT - 4, html_text(chart->name[s]));
}

void
chart_lines(StringInfo page, const LineChart *chart)
{
	double		most = 0;
	StringInfoData words;
	int			step = (chart->n + 11) / 12;

	if (chart->n == 0)
		return;
	initStringInfo(&words);
	for (int s = 0; s < chart->nseries; s++)
	{
		double		last = chart->series[s][chart->n - 1];

		for (int i = 0; i < chart->n; i++)
			if (chart->series[s][i] > most)
				most = chart->series[s][i];
		appendStringInfo(&words, "%s%s: %s%s in the last of %d.", s > 0 ? " " : "", chart->name[s], html_number(last), isnan(last) ? "" : chart->unit, chart->n);
	}
	most = round_up(most);
	begin_chart(page, chart->anchor, chart->title, words.data, chart->unit, most);
	for (int i = 0; i < chart->n; i += step)
		appendStringInfo(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>", x_of(chart, i), HEIGHT - BOTTOM + 16, chart->x[i]);
	for (int s = 0; s < chart->nseries; s++)
		draw_series(page, chart, s, most);
	end_chart(page);
}

/* ----------------------------------------------------------------
 * Sizes
 * ----------------------------------------------------------------
 */

/* Single sizes are told apart where they matter, but no more of them than can be read. */
static uint64
next_bar(uint64 from, uint64 k)
{
	uint64		single = k <= 16 ? 1 : (k + 15) / 16;

	if (from < k)
		return Min(from + single, k);
	return from < 2 * k ? Min(from + single, 2 * k) : 2 * from;
}

SizeBar *
size_bars(const uint64 *size, const uint64 *count, uint64 n, uint64 k, int *nbars)
{
	uint64		most = 0;
	SizeBar    *bar;
	int			nall = 0;
	int			first = -1;

	k = Max(k, 1);
	for (uint64 i = 0; i < n; i++)
		most = Max(most, size[i]);
	for (uint64 from = 1; from <= most; from = next_bar(from, k))
		nall++;
	bar = palloc0(sizeof(SizeBar) * (nall + 1));
	nall = 0;
	for (uint64 from = 1; from <= most; from = next_bar(from, k))
		bar[nall++].from = from;
	for (uint64 i = 0; i < n; i++)
	{
		uint64		sets = count == NULL ? 1 : count[i];
		int			at = 0;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (size[i] == 0)
			continue;
		for (int low = 0, high = nall; low < high;)
		{
			int			middle = (low + high) / 2;

			if (bar[middle].from <= size[i])
			{
				at = middle;
				low = middle + 1;
			}
			else
				high = middle;
		}
		bar[at].sets += sets;
		bar[at].people += sets * size[i];
	}
	for (int i = nall - 1; i >= 0; i--)
		if (bar[i].sets > 0)
			first = i;
	first = Max(first, 0);
	*nbars = nall - first;
	return bar + first;
}

void
chart_sizes(StringInfo page, const char *anchor, const char *title, const SizeBar *bar, int n, uint64 k)
{
	double		most = 0;
	uint64		below = 0;
	double		width = n == 0 ? 0 : (double) (WIDTH - LEFT - RIGHT) / n;
	int			step = (n + 15) / 16;

	if (n == 0)
		return;
	for (int i = 0; i < n; i++)
	{
		most = Max(most, (double) bar[i].people);
		below += bar[i].from < k ? bar[i].people : 0;
	}
	most = round_up(most);
	begin_chart(page, anchor, title,
				psprintf("Bars from size " UINT64_FORMAT " to size " UINT64_FORMAT " or more. " UINT64_FORMAT " people are in sets of fewer than " UINT64_FORMAT ".",
						 bar[0].from, bar[n - 1].from, below, k), "", most);
	for (int i = 0; i < n; i++)
	{
		double		top = height_of((double) bar[i].people, most);

		appendStringInfo(page, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", bar[i].from < k ? "low" : "bar",
						 LEFT + i * width + width * 0.1, top, width * 0.8, HEIGHT - BOTTOM - top);
		if (i % step == 0)
			appendStringInfo(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">" UINT64_FORMAT "</text>", LEFT + (i + 0.5) * width, HEIGHT - BOTTOM + 16, bar[i].from);
		if (bar[i].from == k)
			appendStringInfo(page, "<line class=\"s1\" stroke-width=\"2\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text x=\"%.1f\" y=\"%d\">k = " UINT64_FORMAT "</text>",
							 LEFT + i * width, LEFT + i * width, TOP, HEIGHT - BOTTOM, LEFT + i * width + 5, TOP + 10, k);
		appendStringInfoChar(page, '\n');
	}
	appendStringInfo(page, "<text x=\"%d\" y=\"%d\">people in sets of this size, up to the next one</text>\n", LEFT, HEIGHT - 6);
	end_chart(page);
}
