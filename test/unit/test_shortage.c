/*
 * test_shortage.c
 *		Where two releases do not match: are as many records told unmatched as a
 *		largest matching leaves out, and are those that are shown for it too many?
 */
#include "shim.h"

#include "audit/join/join.h"

#define MAX_RECORDS	8
#define COLUMNS		2
#define CODES		4

/* Two releases of so many records each, with cells of so many codes at most. */
typedef struct Pair
{
	uint32		n[2];
	Span		cell[2][COLUMNS][MAX_RECORDS];
	const Span *columns[2][COLUMNS];
	JoinRelease release[2];
	JoinInput	input;
} Pair;

static void
draw_pair(Pair *pair, bool same_size)
{
	for (int r = 0; r < 2; r++)
	{
		pair->n[r] = r == 1 && same_size ? pair->n[0] : 1 + any_below(MAX_RECORDS);
		for (int c = 0; c < COLUMNS; c++)
		{
			pair->columns[r][c] = pair->cell[r][c];
			for (uint32 i = 0; i < pair->n[r]; i++)
			{
				Code		lo = any_below(CODES);

				pair->cell[r][c][i] = (Span) {lo, Min(lo + any_below(2 + r), CODES - 1)};
			}
		}
		pair->release[r] = (JoinRelease) {.nrecords = pair->n[r],.cells = pair->columns[r]};
	}
	pair->input = (JoinInput) {
		.nreleases = 2,.release = pair->release,.ncolumns = COLUMNS,.nqis = COLUMNS,.null_value = NO_CODE
	};
}

static bool
is_consistent(const Pair *pair, uint32 i, uint32 j)
{
	for (int c = 0; c < COLUMNS; c++)
		if (!span_overlaps(pair->cell[0][c][i], pair->cell[1][c][j]))
			return false;
	return true;
}

/* The largest matching of the records from i on with those of b that are free. */
static uint32
largest_matching(const Pair *pair, uint32 i, uint32 taken)
{
	uint32		best;

	if (i == pair->n[0])
		return 0;
	best = largest_matching(pair, i + 1, taken);
	for (uint32 j = 0; j < pair->n[1]; j++)
		if ((taken & 1u << j) == 0 && is_consistent(pair, i, j))
			best = Max(best, 1 + largest_matching(pair, i + 1, taken | 1u << j));
	return best;
}

static void
compare(bool same_size)
{
	Pair		pair;
	JoinGraph  *graph;
	JoinPair   *edges;
	uint32		lacking;
	bool		complete;

	draw_pair(&pair, same_size);
	graph = join_graph(&pair.input);
	edges = pair_of(graph, 0, 1);
	lacking = pair.n[0] - largest_matching(&pair, 0, 0);
	(void) flow_of_people(graph, edges);
	complete = flow_complete(graph, edges) == 0;
	check(complete == (lacking == 0));
	if (!complete)
	{
		Shortage	shortage = shortage_of(graph, edges);

		check(shortage.unmatched == lacking);
		check(shortage.record < pair.n[0]);
		check(shortage.records > shortage.places);
		check(shortage.records <= pair.n[0] && shortage.places <= pair.n[1]);
		check(shortage.records <= shortage.places + lacking);
	}
}

static void
of_as_many(void)
{
	for (int i = 0; i < 3000; i++)
		compare(true);
}

static void
of_more_or_fewer(void)
{
	for (int i = 0; i < 3000; i++)
		compare(false);
}

/* Three records of one cell that two people lie in, and one of nobody's. */
static void
shown_for_it(void)
{
	Pair		pair = {.n = {4, 4}};
	JoinGraph  *graph;
	JoinPair   *edges;
	Shortage	shortage;

	for (int r = 0; r < 2; r++)
	{
		for (int c = 0; c < COLUMNS; c++)
		{
			pair.columns[r][c] = pair.cell[r][c];
			for (uint32 i = 0; i < 4; i++)
				pair.cell[r][c][i] = r == 0 ? (Span) {0, 1} : span_of(i < 2 ? 1 : 2);
		}
		pair.release[r] = (JoinRelease) {.nrecords = 4,.cells = pair.columns[r]};
	}
	pair.cell[0][0][3] = span_of(3);
	pair.input = (JoinInput) {
		.nreleases = 2,.release = pair.release,.ncolumns = COLUMNS,.nqis = COLUMNS,.null_value = NO_CODE
	};
	graph = join_graph(&pair.input);
	edges = pair_of(graph, 0, 1);
	(void) flow_of_people(graph, edges);
	check(flow_complete(graph, edges) == 2);
	shortage = shortage_of(graph, edges);
	check(shortage.unmatched == 2);
	check((shortage.records == 3 && shortage.places == 2) || (shortage.records == 1 && shortage.places == 0));
}

/* More edges than are allowed are none at all. */
static void
of_too_many_edges(void)
{
	Pair		pair;

	for (int i = 0; i < 200; i++)
	{
		uint32		nedges;

		draw_pair(&pair, true);
		nedges = join_graph(&pair.input)->pair->nedges;
		pair.input.most_edges = Max(nedges, 1);
		check(join_graph(&pair.input) != NULL);
		if (nedges < 2)
			continue;
		pair.input.most_edges = nedges - 1;
		check(join_graph(&pair.input) == NULL);
	}
}

static const Test tests[] = {
	{"the shortage of two releases of as many people", of_as_many},
	{"the shortage of two releases of more or fewer people", of_more_or_fewer},
	{"the records that are shown for it", shown_for_it},
	{"releases with more edges than are allowed", of_too_many_edges},
};

RUN(tests)
