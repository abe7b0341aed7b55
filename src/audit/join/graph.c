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
#include "miscadmin.h"
#include "utils/memutils.h"

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

static const Span *
sensitive_cells(const JoinRelease *release)
{
	Span	   *cells;

	if (release->sensitive == NULL)
		return NULL;
	cells = allocate(sizeof(Span), release->nrecords);
	for (uint32 i = 0; i < release->nrecords; i++)
		cells[i] = release->sensitive[i] == NO_CODE ?
			(Span) {0, PG_UINT32_MAX} : span_of(release->sensitive[i]);
	return cells;
}

static void
take_columns(JoinGraph *graph)
{
	const JoinInput *input = graph->input;

	for (int32 r = 0; r < graph->nreleases; r++)
	{
		JoinSide   *side = &graph->side[r];

		side->cells = allocate(sizeof(Span *), input->ncolumns + 1);
		side->shared = allocate(sizeof(bool), input->ncolumns + 1);
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

typedef struct Slot
{
	uint32		part;			/* in which records stood together */
	uint32		made;			/* the part that they are now; NO_PART while the slot is free */
	Span		cell;
} Slot;

#define NO_PART PG_UINT32_MAX

/* Parts of records, and the table by which they are parted further */
typedef struct Parting
{
	uint32		nrecords;
	uint32	   *part;			/* [nrecords] */
	uint32		nparts;

	Slot	   *slot;
	uint64		nslots;			/* a power of two */
} Parting;

static void
clear_slots(Parting *parting, uint64 nslots)
{
	if (nslots != parting->nslots)
	{
		if (parting->slot != NULL)
			pfree(parting->slot);
		parting->slot = allocate(sizeof(Slot), nslots);
		parting->nslots = nslots;
	}
	for (uint64 i = 0; i < nslots; i++)
		parting->slot[i].made = NO_PART;
}

static inline Slot *
find_slot(const Parting *parting, uint32 part, Span cell)
{
	uint64		hash = part * UINT64CONST(0x9E3779B97F4A7C15) ^
		((uint64) cell.hi << 32 | cell.lo) * UINT64CONST(0xC2B2AE3D27D4EB4F);

	hash ^= hash >> 32;
	for (uint64 i = hash;; i++)
	{
		Slot	   *slot = &parting->slot[i & (parting->nslots - 1)];

		if (slot->made == NO_PART || (slot->part == part && span_equal(slot->cell, cell)))
			return slot;
	}
}

static void
grow_slots(Parting *parting)
{
	Slot	   *old = parting->slot;
	uint64		nold = parting->nslots;

	parting->slot = NULL;
	clear_slots(parting, nold * 2);
	for (uint64 i = 0; i < nold; i++)
		if (old[i].made != NO_PART)
			*find_slot(parting, old[i].part, old[i].cell) = old[i];
	pfree(old);
}

static void
part_by(Parting *parting, const Span *cells)
{
	uint32		nparts = 0;

	clear_slots(parting, Max(parting->nslots, 256));
	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		Slot	   *slot = find_slot(parting, parting->part[i], cells[i]);

		if (slot->made == NO_PART)
		{
			*slot = (Slot) {.part = parting->part[i],.made = nparts++,.cell = cells[i]};
			parting->part[i] = slot->made;
			if (nparts > parting->nslots / 2)
				grow_slots(parting);
		}
		else
			parting->part[i] = slot->made;
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	parting->nparts = nparts;
}

static Parting
parting_create(uint32 nrecords)
{
	return (Parting) {
		.nrecords = nrecords,
		.part = allocate(sizeof(uint32), nrecords),
		.nparts = nrecords > 0
	};
}

static void
make_nodes(JoinGraph *graph, JoinSide *side, Parting *parting)
{
	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->shared[c])
			part_by(parting, side->cells[c]);
	side->nnodes = parting->nparts;
	side->size = allocate(sizeof(uint32), side->nnodes);
	side->record = allocate(sizeof(uint32), side->nnodes);
	side->node_of = allocate(sizeof(uint32), parting->nrecords);
	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		side->node_of[i] = parting->part[i];
		side->record[parting->part[i]] = i;
		side->size[parting->part[i]]++;
	}
}

static void
make_pieces(JoinGraph *graph, JoinSide *side, Parting *parting)
{
	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->cells[c] != NULL && !side->shared[c] && (c < graph->input->nqis || c == graph->sensitive))
			part_by(parting, side->cells[c]);
	side->npieces = parting->nparts;
	side->piece = allocate(sizeof(Piece), side->npieces);
	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		Piece	   *piece = &side->piece[parting->part[i]];

		piece->node = side->node_of[i];
		piece->record = i;
		piece->nrecords++;
	}
}

static void
take_people(JoinSide *side, const JoinRelease *release)
{
	if (release->person == NULL)
		return;
	side->node_of_person = allocate(sizeof(uint32), release->nrecords);
	for (uint32 p = 0; p < release->nrecords; p++)
		side->node_of_person[p] = NO_PART;
	for (uint32 i = 0; i < release->nrecords; i++)
	{
		uint32		person = release->person[i];

		if (person >= release->nrecords || side->node_of_person[person] != NO_PART)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the records of a release are not one of each person")));
		side->node_of_person[person] = side->node_of[i];
	}
}

static void
collapse(JoinGraph *graph, int32 r)
{
	const JoinRelease *release = &graph->input->release[r];
	JoinSide   *side = &graph->side[r];
	Parting		parting = parting_create(release->nrecords);

	make_nodes(graph, side, &parting);
	make_pieces(graph, side, &parting);
	take_people(side, release);
	pfree(parting.part);
	if (parting.slot != NULL)
		pfree(parting.slot);
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

/* The edges of a node of a, whose neighbours were found. */
static void
add_edges(JoinPair *pair, uint32 node, uint32 *found, uint32 nfound, uint64 *room)
{
	if (nfound >= NO_EDGE - pair->nedges)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("two releases have more than %u edges", NO_EDGE - 1)));
	if ((uint64) pair->nedges + nfound > *room)
	{
		*room = Max(*room * 2, (uint64) pair->nedges + nfound);
		pair->to = repalloc_huge(pair->to, sizeof(uint32) * *room);
	}
	qsort(found, nfound, sizeof(uint32), compare_numbers);
	memcpy(&pair->to[pair->nedges], found, sizeof(uint32) * nfound);
	pair->nedges += nfound;
	pair->first[node + 1] = pair->nedges;
}

/* Where edges come from, and what leads back. */
static void
turn_edges(JoinPair *pair, uint32 nfrom, uint32 nto)
{
	uint32	   *filled = allocate(sizeof(uint32), nto);

	pair->from = allocate(sizeof(uint32), pair->nedges);
	pair->back = allocate(sizeof(uint32), pair->nedges);
	pair->first_back = allocate(sizeof(uint32), nto);
	pair->alive = allocate(sizeof(bool), pair->nedges);
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

static void
join_pair(JoinGraph *graph, JoinPair *pair)
{
	const JoinSide *a = &graph->side[pair->a];
	const JoinSide *b = &graph->side[pair->b];
	const Span **cells = allocate(sizeof(Span *), graph->sensitive + 1);
	int32	   *columns = allocate(sizeof(int32), graph->sensitive + 1);
	Span	   *box = allocate(sizeof(Span), graph->sensitive + 1);
	uint32	   *found = allocate(sizeof(uint32), b->nnodes);
	uint64		room = 1024;
	int32		ncolumns = 0;
	Boxes	   *boxes;

	for (int32 c = 0; c <= graph->sensitive; c++)
		if (a->cells[c] != NULL && b->cells[c] != NULL)
		{
			columns[ncolumns] = c;
			cells[ncolumns++] = b->cells[c];
		}
	boxes = boxes_index(b->nnodes, b->record, ncolumns, cells);
	pair->first = allocate(sizeof(uint32), a->nnodes);
	pair->to = palloc(sizeof(uint32) * room);
	for (uint32 node = 0; node < a->nnodes; node++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int32 c = 0; c < ncolumns; c++)
			box[c] = a->cells[columns[c]][a->record[node]];
		add_edges(pair, node, found, boxes_meeting(boxes, box, found), &room);
	}
	turn_edges(pair, a->nnodes, b->nnodes);
	boxes_free(boxes);
	pfree(cells);
	pfree(columns);
	pfree(box);
	pfree(found);
}

uint32
edge_between(const JoinPair *pair, uint32 a, uint32 b)
{
	uint32		low = pair->first[a];
	uint32		high = pair->first[a + 1];

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (pair->to[middle] < b)
			low = middle + 1;
		else
			high = middle;
	}
	return low < pair->first[a + 1] && pair->to[low] == b ? low : NO_EDGE;
}

JoinGraph *
join_graph(const JoinInput *input)
{
	JoinGraph  *graph = palloc0(sizeof(JoinGraph));

	graph->input = input;
	graph->nreleases = input->nreleases;
	graph->sensitive = input->ncolumns;
	graph->side = allocate(sizeof(JoinSide), graph->nreleases);
	graph->pair = allocate(sizeof(JoinPair), npairs(graph));
	take_columns(graph);
	for (int32 r = 0; r < graph->nreleases; r++)
		collapse(graph, r);
	for (int32 b = 0; b < graph->nreleases; b++)
		for (int32 a = 0; a < b; a++)
		{
			JoinPair   *pair = pair_of(graph, a, b);

			pair->a = a;
			pair->b = b;
			join_pair(graph, pair);
		}
	return graph;
}
