/*
 * graph.c
 *		Records to nodes, and nodes to edges.
 *
 * NOTES
 *		Records are parted column by column: those that stood together and have the same cell stay together.  First
 *		come the columns that are shared, which gives the nodes, then the rest of what links a record to a person or a
 *		value, which gives the pieces of nodes.
 */
#include "postgres.h"

#include "audit/join/cells.h"
#include "audit/join/join.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* Collects the columns of each release, and notes those that another release shows, too. */
static void
take_columns(JoinGraph *graph)
{
	const JoinInput *input = graph->input;

	for (int32 r = 0; r < graph->nreleases; r++)
	{
		const JoinRelease *release = &input->release[r];
		JoinSide   *side = &graph->side[r];
		Span	   *values;

		side->cells = new_zeros(const Span *, input->ncolumns + 1);
		side->shared = new_zeros(bool, input->ncolumns + 1);
		for (int32 c = 0; c < input->ncolumns; c++)
			side->cells[c] = release->cells[c];
		if (release->sensitive == NULL)
			continue;
		side->cells[graph->sensitive] = values = new_array(Span, release->nrecords);
		for (uint32 i = 0; i < release->nrecords; i++)	/* a value that is not shown is consistent with any */
			values[i] = release->sensitive[i] == NO_CODE ? ANYTHING : span_of(release->sensitive[i]);
	}
	for (int32 r = 0; r < graph->nreleases; r++)
		for (int32 s = 0; s < graph->nreleases; s++)
			for (int32 c = 0; c <= input->ncolumns; c++)
				if (r != s && graph->side[r].cells[c] != NULL && graph->side[s].cells[c] != NULL)
					graph->side[r].shared[c] = true;
}

/* Collapses the records of a release that agree on all shared columns into nodes, and parts these into pieces. */
static void
collapse(JoinGraph *graph, int32 r)
{
	const JoinRelease *release = &graph->input->release[r];
	JoinSide   *side = &graph->side[r];
	Parting		parting = parting_create(release->nrecords);
	uint32		npresent = release->nrecords - release->nabsent;

	if (release->nabsent > 0 && graph->input->together != NULL)
	{
		Code	   *is_absent = new_zeros(Code, release->nrecords);

		for (uint32 i = npresent; i < release->nrecords; i++)
			is_absent[i] = 1;
		part_by_codes(&parting, is_absent);
		pfree(is_absent);
	}
	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->shared[c])
			part_by(&parting, side->cells[c]);
	side->nnodes = parting.nparts;
	side->size = new_zeros(uint32, side->nnodes);
	side->record = new_zeros(uint32, side->nnodes);
	side->is_absent = new_zeros(bool, side->nnodes);
	side->node_of = new_array(uint32, release->nrecords);
	for (uint32 i = 0; i < release->nrecords; i++)
	{
		uint32		node = side->node_of[i] = parting.part[i];

		side->record[node] = i;
		side->size[node]++;
		side->is_absent[node] = i >= npresent;
	}

	/* Pieces differ in columns that no other release shows, if these say something of a person */
	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->cells[c] != NULL && !side->shared[c] && (c < graph->input->nqis || c == graph->sensitive))
			part_by(&parting, side->cells[c]);
	side->npieces = parting.nparts;
	side->piece = new_zeros(Piece, side->npieces);
	for (uint32 i = 0; i < release->nrecords; i++)
	{
		Piece	   *piece = &side->piece[parting.part[i]];

		*piece = (Piece) {.node = side->node_of[i], .record = i, .nrecords = piece->nrecords + 1};
	}
	pfree(parting.part);
	if (release->person == NULL)
		return;
	side->node_of_person = new_array(uint32, release->nrecords);
	memset(side->node_of_person, 0xff, sizeof(uint32) * release->nrecords); /* NO_NODE */
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
	Together	together = graph->input->together == NULL ? ALL_TOGETHER : graph->input->together[pair_number(pair->a, pair->b)];
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
		uint32		n = 0;

		CHECK_FOR_INTERRUPTS();
		for (int32 c = 0; c < ncolumns; c++)
			box[c] = a->cells[columns[c]][a->record[node]];
		nfound = boxes_find(boxes, box, MEETING, found);
		progress_step(1);
		take_steps((uint64) nfound * EDGE_STEPS + 1);
		for (uint32 i = 0; i < nfound; i++) /* those that, as far as people come and go, may be the same people's */
			if (together & may_be(a->is_absent[node], b->is_absent[found[i]]))
				found[n++] = found[i];
		if (n >= NO_EDGE - pair->nedges)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("two releases have more than %u edges", NO_EDGE - 1),
					 errhint("Join releases of a part of the people, or on columns that tell them further apart.")));
		array_reserve(pair->to, room, (uint64) pair->nedges + n);
		sort_codes(found, n);
		memcpy(&pair->to[pair->nedges], found, sizeof(uint32) * n);
		pair->nedges += n;
		pair->first[node + 1] = pair->nedges;
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

JoinGraph *
join_graph(const JoinInput *input)
{
	JoinGraph  *graph = palloc0(sizeof(JoinGraph));
	uint64		searches = 0;	/* of a node among those of a later release */

	graph->input = input;
	graph->nreleases = input->nreleases;
	graph->sensitive = input->ncolumns;
	graph->side = new_zeros(JoinSide, graph->nreleases);
	graph->pair = new_zeros(JoinPair, npairs(graph));
	take_columns(graph);
	for (int32 r = 0; r < graph->nreleases; r++)
	{
		collapse(graph, r);
		searches += (uint64) graph->side[r].nnodes * (graph->nreleases - 1 - r);
	}
	progress_phase("join releases", searches);
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
