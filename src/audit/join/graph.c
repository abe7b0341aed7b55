/*
 * graph.c
 *		Records to nodes, and nodes to edges.
 *
 * NOTES
 *		Records are parted column by column: those that stood together and have
 *		the same cell stay together.  First come the columns that are shared, which
 *		gives the nodes, then the rest of what links a record to a person or a
 *		value, which gives the pieces of nodes.
 */
#include "postgres.h"

#include "audit/join/boxes.h"
#include "audit/join/graph.h"
#include "audit/join/parting.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "shared/steps.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* The sensitive values as cells: a value that is not shown is consistent with any. */
static const Span *
sensitive_cells(const JoinRelease *release)
{
	Span	   *cells;

	if (release->sensitive == NULL)
		return NULL;
	cells = new_zeros(Span, release->nrecords);
	for (uint32 i = 0; i < release->nrecords; i++)
		cells[i] = release->sensitive[i] == NO_CODE ?
			ANYTHING : span_of(release->sensitive[i]);
	return cells;
}

/* Collects the columns of each release, and notes those that another release shows, too. */
static void
take_columns(JoinGraph *graph)
{
	const JoinInput *input = graph->input;

	for (int32 r = 0; r < graph->nreleases; r++)
	{
		JoinSide   *side = &graph->side[r];

		side->cells = new_zeros(const Span *, input->ncolumns + 1);
		side->shared = new_zeros(bool, input->ncolumns + 1);
		for (int32 c = 0; c < input->ncolumns; c++)
			side->cells[c] = input->release[r].cells[c];
		side->cells[graph->sensitive] = sensitive_cells(&input->release[r]);
	}
	for (int32 r = 0; r < graph->nreleases; r++)
		for (int32 s = 0; s < graph->nreleases; s++)
			for (int32 c = 0; c <= input->ncolumns; c++)
				if (r != s && graph->side[r].cells[c] != NULL && graph->side[s].cells[c] != NULL)
					graph->side[r].shared[c] = true;
}

/* ----------------------------------------------------------------
 * Nodes
 * ----------------------------------------------------------------
 */

/* Parts records of people who are there from those of absentees. */
static void
part_absent(Parting *parting, uint32 nabsent)
{
	Span	   *cells = new_zeros(Span, parting->nrecords);

	for (uint32 i = parting->nrecords - nabsent; i < parting->nrecords; i++)
		cells[i] = span_of(1);
	part_by(parting, cells);
	pfree(cells);
}

/* Makes nodes of the records that agree on all shared columns. */
static void
make_nodes(JoinGraph *graph, JoinSide *side, Parting *parting, uint32 nabsent)
{
	if (nabsent > 0 && graph->input->together != NULL)
		part_absent(parting, nabsent);
	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->shared[c])
			part_by(parting, side->cells[c]);
	side->nnodes = parting->nparts;
	side->size = new_zeros(uint32, side->nnodes);
	side->record = new_zeros(uint32, side->nnodes);
	side->is_absent = new_zeros(bool, side->nnodes);
	side->node_of = new_zeros(uint32, parting->nrecords);
	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		side->node_of[i] = parting->part[i];
		side->record[parting->part[i]] = i;
		side->size[parting->part[i]]++;
		side->is_absent[parting->part[i]] = i >= parting->nrecords - nabsent;
	}
}

/* Parts the nodes further, by the columns that no other release shows. */
static void
make_pieces(JoinGraph *graph, JoinSide *side, Parting *parting)
{
	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->cells[c] != NULL && !side->shared[c] && (c < graph->input->nqis || c == graph->sensitive))
			part_by(parting, side->cells[c]);
	side->npieces = parting->nparts;
	side->piece = new_zeros(Piece, side->npieces);
	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		Piece	   *piece = &side->piece[parting->part[i]];

		piece->node = side->node_of[i];
		piece->record = i;
		piece->nrecords++;
	}
}

/* Notes the node of each person's record, if the people are known. */
static void
take_people(JoinSide *side, const JoinRelease *release)
{
	if (release->person == NULL)
		return;
	side->node_of_person = new_zeros(uint32, release->nrecords);
	for (uint32 p = 0; p < release->nrecords; p++)
		side->node_of_person[p] = NO_NODE;
	for (uint32 i = 0; i < release->nrecords; i++)
	{
		uint32		person = release->person[i];

		if (person >= release->nrecords || side->node_of_person[person] != NO_NODE)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the records of a release are not one of each person")));
		side->node_of_person[person] = side->node_of[i];
	}
}

/* Collapses the records of a release into nodes, and parts these into pieces. */
static void
collapse(JoinGraph *graph, int32 r)
{
	const JoinRelease *release = &graph->input->release[r];
	JoinSide   *side = &graph->side[r];
	Parting		parting = parting_create(release->nrecords);

	make_nodes(graph, side, &parting, release->nabsent);
	make_pieces(graph, side, &parting);
	take_people(side, release);
	parting_free(&parting);
}

/* ----------------------------------------------------------------
 * Edges
 * ----------------------------------------------------------------
 */

static int
compare_numbers(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Keeps those of the nodes of b that, as far as people come and go, may be the same people's as a node of a. */
static uint32
keep_together(const JoinGraph *graph, const JoinPair *pair, uint32 node, uint32 *found, uint32 nfound)
{
	const JoinSide *b = &graph->side[pair->b];
	bool		is_absent = graph->side[pair->a].is_absent[node];
	uint32		n = 0;

	if (graph->input->together == NULL)
		return nfound;
	for (uint32 i = 0; i < nfound; i++)
		if (graph->input->together[pair_number(pair->a, pair->b)] & may_be(is_absent, b->is_absent[found[i]]))
			found[n++] = found[i];
	return n;
}

/* Adds the edges from a node of a to its neighbours that were found. */
static void
add_edges(JoinPair *pair, uint32 node, uint32 *found, uint32 nfound, uint64 *room)
{
	if (nfound >= NO_EDGE - pair->nedges)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("two releases have more than %u edges", NO_EDGE - 1),
				 errhint("Join releases of a part of the people, or on columns that tell them further apart.")));
	array_reserve(pair->to, *room, (uint64) pair->nedges + nfound);
	qsort(found, nfound, sizeof(uint32), compare_numbers);
	memcpy(&pair->to[pair->nedges], found, sizeof(uint32) * nfound);
	pair->nedges += nfound;
	pair->first[node + 1] = pair->nedges;
}

/* Sets the node that each edge comes from, and the edges of each node of the other release. */
static void
turn_edges(JoinPair *pair, uint32 nfrom, uint32 nto)
{
	uint32	   *filled = new_zeros(uint32, nto);

	pair->from = new_zeros(uint32, pair->nedges);
	pair->back = new_zeros(uint32, pair->nedges);
	pair->first_back = new_zeros(uint32, nto);
	pair->alive = new_zeros(bool, pair->nedges);
	for (uint32 e = 0; e < pair->nedges; e++)
		pair->first_back[pair->to[e] + 1]++;
	for (uint32 v = 0; v < nto; v++)
		pair->first_back[v + 1] += pair->first_back[v];
	for (uint32 u = 0; u < nfrom; u++)
		for (uint32 e = pair->first[u]; e < pair->first[u + 1]; e++)
		{
			uint32		v = pair->to[e];

			pair->from[e] = u;
			pair->alive[e] = true;
			pair->back[pair->first_back[v] + filled[v]++] = e;
		}
	pfree(filled);
}

/* Steps of a search that an edge counts for: it takes memory, too. */
#define EDGE_STEPS 8

/* False if there are too many edges. */
static bool
join_pair(JoinGraph *graph, JoinPair *pair)
{
	uint32		most = graph->input->most_edges;
	const JoinSide *a = &graph->side[pair->a];
	const JoinSide *b = &graph->side[pair->b];
	const Span **cells = new_zeros(const Span *, graph->sensitive + 1);
	int32	   *columns = new_zeros(int32, graph->sensitive + 1);
	Span	   *box = new_zeros(Span, graph->sensitive + 1);
	uint32	   *found = new_zeros(uint32, b->nnodes);
	uint64		room = 1024;
	int32		ncolumns = 0;
	Boxes	   *boxes;

	/* The sensitive column first: its cells are single values, so it leaves fewest boxes to look at */
	for (int32 c = graph->sensitive; c >= 0; c--)
		if (a->cells[c] != NULL && b->cells[c] != NULL)
		{
			columns[ncolumns] = c;
			cells[ncolumns++] = b->cells[c];
		}
	boxes = boxes_index(b->nnodes, b->record, ncolumns, cells);
	pair->first = new_zeros(uint32, a->nnodes);
	pair->to = palloc(sizeof(uint32) * room);
	for (uint32 node = 0; node < a->nnodes; node++)
	{
		uint32		nfound;

		CHECK_FOR_INTERRUPTS();
		for (int32 c = 0; c < ncolumns; c++)
			box[c] = a->cells[columns[c]][a->record[node]];
		nfound = boxes_meeting(boxes, box, found);
		progress_step(1);
		take_steps((uint64) nfound * EDGE_STEPS + 1);
		add_edges(pair, node, found, keep_together(graph, pair, node, found, nfound), &room);
		if (most > 0 && pair->nedges > most)
			return false;
	}
	turn_edges(pair, a->nnodes, b->nnodes);
	boxes_free(boxes);
	pfree(cells);
	pfree(columns);
	pfree(box);
	pfree(found);
	return true;
}

uint32
edge_between(const JoinPair *pair, uint32 a, uint32 b)
{
	uint32		first = pair->first[a];
	uint32		n = pair->first[a + 1] - first;
	uint32		at = find_code(pair->to + first, n, b);

	return at < n ? first + at : NO_EDGE;
}

/* How many nodes are joined to those of later releases, counted once for each of these. */
static uint64
count_pairings(const JoinGraph *graph)
{
	uint64		count = 0;

	for (int32 a = 0; a < graph->nreleases; a++)
		count += (uint64) graph->side[a].nnodes * (graph->nreleases - 1 - a);
	return count;
}

JoinGraph *
join_graph(const JoinInput *input)
{
	JoinGraph  *graph = palloc0(sizeof(JoinGraph));

	graph->input = input;
	graph->nreleases = input->nreleases;
	graph->sensitive = input->ncolumns;
	graph->side = new_zeros(JoinSide, graph->nreleases);
	graph->pair = new_zeros(JoinPair, npairs(graph));
	take_columns(graph);
	for (int32 r = 0; r < graph->nreleases; r++)
		collapse(graph, r);
	progress_phase("join releases", count_pairings(graph));
	for (int32 b = 0; b < graph->nreleases; b++)
		for (int32 a = 0; a < b; a++)
		{
			JoinPair   *pair = pair_of(graph, a, b);

			pair->a = a;
			pair->b = b;
			if (!join_pair(graph, pair))
				return NULL;
		}
	return graph;
}
