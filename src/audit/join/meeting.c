/*
 * meeting.c
 *		Finding the records of a release that are consistent with a tuple.
 *
 * NOTES
 *		Which these are depends on the columns that the release shows: tuples that
 *		agree in them meet the same, and mostly nothing need be looked for again.
 */
#include "postgres.h"

#include "audit/join/meeting.h"
#include "frame/arrays.h"
#include "shared/steps.h"
#include "utils/memutils.h"

Parting
part_tuples(const JoinTuples *tuples, const int32 *column, int32 ncolumns)
{
	Parting		parting = parting_create(tuples->ntuples);
	Span	   *cells = new_zeros(Span, tuples->ntuples);

	for (int32 c = 0; c < ncolumns; c++)
	{
		for (uint32 t = 0; t < tuples->ntuples; t++)
			cells[t] = tuple_cell(tuples, column[c], t);
		part_by(&parting, cells);
	}
	pfree(cells);
	return parting;
}

/* Parts pieces by node and value. */
static void
find_shares(const JoinGraph *graph, int32 r, Meeting *meeting)
{
	const JoinSide *side = &graph->side[r];
	const Code *sensitive = graph->input->release[r].sensitive;
	Parting		parting = parting_create(side->npieces);
	Span	   *nodes = new_zeros(Span, side->npieces);
	Span	   *values = new_zeros(Span, side->npieces);

	for (uint32 p = 0; p < side->npieces; p++)
	{
		nodes[p] = span_of(side->piece[p].node);
		values[p] = span_of(sensitive[side->piece[p].record]);
	}
	part_by(&parting, nodes);
	part_by(&parting, values);
	meeting->share_of = parting.part;
	meeting->share = new_zeros(Share, parting.nparts);
	for (uint32 p = 0; p < side->npieces; p++)
		meeting->share[parting.part[p]] = (Share) {.node = nodes[p].lo, .value = values[p].lo};
	meeting->met = new_zeros(uint32, parting.nparts);
	meeting->share_weight = new_zeros(uint32, parting.nparts);
	pfree(nodes);
	pfree(values);
}

/* Indexes the pieces of a release by their quasi-identifiers. */
static void
index_pieces(const JoinGraph *graph, int32 r, Meeting *meeting)
{
	const JoinSide *side = &graph->side[r];
	const Span **cells = new_zeros(const Span *, graph->input->nqis);
	uint32	   *record = new_zeros(uint32, side->npieces);

	meeting->column = new_zeros(int32, graph->input->nqis);
	for (int32 c = 0; c < graph->input->nqis; c++)
		if (side->cells[c] != NULL)
		{
			meeting->column[meeting->ncolumns] = c;
			cells[meeting->ncolumns++] = side->cells[c];
		}
	for (uint32 p = 0; p < side->npieces; p++)
		record[p] = side->piece[p].record;
	meeting->boxes = boxes_index(side->npieces, record, meeting->ncolumns, cells);
	meeting->piece = new_zeros(uint32, side->npieces);
}

void
meeting_create(Meeting *meeting, const JoinGraph *graph, int32 r, const JoinTuples *tuples)
{
	const JoinSide *side = &graph->side[r];

	meeting->side = side;
	meeting->nvalues = graph->input->nvalues;
	meeting->part = NO_TUPLE;
	index_pieces(graph, r, meeting);
	meeting->box = new_zeros(Span, meeting->ncolumns);
	meeting->alike = part_tuples(tuples, meeting->column, meeting->ncolumns);
	meeting->tells = side->cells[graph->sensitive] != NULL;
	meeting->node = new_zeros(uint32, side->nnodes);
	meeting->weight = new_zeros(uint32, side->nnodes);
	if (!meeting->tells)
		return;
	find_shares(graph, r, meeting);
	if (!side->shared[graph->sensitive])
		return;
	meeting->value = new_zeros(Code, side->nnodes);
	meeting->next = new_array(uint32, side->nnodes);
	meeting->head = new_array(uint32, graph->input->nvalues);
	meeting->met_value = new_array(Code, graph->input->nvalues);
	for (Code value = 0; value <= graph->input->nvalues; value++)
		meeting->head[value] = NO_NODE;
	for (uint32 v = 0; v < side->nnodes; v++)
		meeting->value[v] = graph->input->release[r].sensitive[side->record[v]];
}

/* Adds a piece to the nodes, and to the values, that the tuple meets. */
static void
meet_piece(const JoinSide *side, Meeting *meeting, uint32 p)
{
	const Piece *piece = &side->piece[p];

	if (meeting->weight[piece->node] == 0)
		meeting->node[meeting->nnodes++] = piece->node;
	meeting->weight[piece->node] += piece->nrecords;
	if (!meeting->tells)
		return;
	if (meeting->share_weight[meeting->share_of[p]] == 0)
		meeting->met[meeting->nmet++] = meeting->share_of[p];
	meeting->share_weight[meeting->share_of[p]] += piece->nrecords;
}

/* Puts the nodes in the order of their values: there are mostly far fewer values than nodes, so only values are sorted. */
static void
order_nodes(Meeting *meeting)
{
	uint32		nvalues = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < meeting->nnodes; i++)
	{
		uint32		node = meeting->node[i];
		Code		value = Min(meeting->value[node], meeting->nvalues);	/* those that show none come last */
		uint32	   *head = &meeting->head[value];

		if (*head == NO_NODE)
			meeting->met_value[nvalues++] = value;
		meeting->next[node] = *head;
		*head = node;
	}
	sort_codes(meeting->met_value, nvalues);
	for (uint32 i = 0; i < nvalues; i++)
	{
		uint32	   *head = &meeting->head[meeting->met_value[i]];

		for (; *head != NO_NODE; *head = meeting->next[*head])
			meeting->node[n++] = *head;
	}
}

static void
part_from(Meeting *meeting)
{
	for (uint32 i = 0; i < meeting->nnodes; i++)
		meeting->weight[meeting->node[i]] = 0;
	for (uint32 i = 0; i < meeting->nmet; i++)
		meeting->share_weight[meeting->met[i]] = 0;
	meeting->nnodes = meeting->nmet = 0;
}

void
meet(Meeting *meeting, const JoinTuples *tuples, uint32 tuple)
{
	uint32		part = meeting->alike.part[tuple] + (meeting->is_wide ? meeting->alike.nparts : 0);
	uint32		npieces;

	if (meeting->part == part)
		return;
	meeting->part = part;
	part_from(meeting);
	for (int32 c = 0; c < meeting->ncolumns; c++)
		meeting->box[c] = tuple_cell(tuples, meeting->column[c], tuple);
	npieces = meeting->is_wide ? boxes_meeting(meeting->boxes, meeting->box, meeting->piece) :
		boxes_around(meeting->boxes, meeting->box, meeting->piece);
	take_steps(npieces);
	for (uint32 i = 0; i < npieces; i++)
		meet_piece(meeting->side, meeting, meeting->piece[i]);
	if (meeting->value != NULL)
		order_nodes(meeting);
}

uint32
first_of_value(const Meeting *meeting, Code value)
{
	uint32		low = 0;
	uint32		high = meeting->nnodes;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (meeting->value[meeting->node[middle]] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
