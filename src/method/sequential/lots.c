/*
 * lots.c
 *		Bands, lots, pieces and places, and what it takes to move people between them.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

bool
is_cell_column(const SeqPeople *people, int32 column)
{
	for (int32 c = 0; c < people->ncolumns; c++)
		if (people->task->column[c].column == column)
			return true;
	return false;
}

/*
 * Parts records by those columns that stay as they are, and that say something of a person or of what other releases
 * show; absentees are apart where the graph has them so.
 */
static void
part_by_fixed(const SeqPeople *people, Parting *parting)
{
	const JoinSide *side = &people->graph->side[people->last];
	Code	   *code = new_array(Code, parting->nrecords);

	for (uint32 i = 0; i < parting->nrecords; i++)
		code[i] = is_record_of_absent(people->task, i);
	part_by_codes(parting, code);
	pfree(code);
	for (int32 c = 0; c < people->graph->input->ncolumns; c++)
		if (side->cells[c] != NULL && (side->shared[c] || c < people->graph->input->nqis) && !is_cell_column(people, c))
			part_by(parting, side->cells[c]);
}

/* Parts the new release's records into bands. */
static Parting
part_records(const SeqPeople *people)
{
	const JoinRelease *release = &people->task->join->release[people->last];
	Parting		parting = parting_create(release->nrecords);
	Code	   *code = new_array(Code, release->nrecords);

	for (int32 r = 0; r < people->last; r++)
	{
		const uint32 *node = people->graph->side[r].node_of_person;

		for (uint32 i = 0; i < release->nrecords; i++)
			code[i] = node[release->person[i]];
		part_by_codes(&parting, code);
	}
	for (int32 c = 0; c < people->ncolumns; c++)
		part_by_codes(&parting, people->task->column[c].code);
	if (release->sensitive != NULL)
		part_by_codes(&parting, release->sensitive);
	part_by_fixed(people, &parting);
	pfree(code);
	return parting;
}

/* Notes the nodes, codes and value that the members of each band share. */
static void
describe_bands(SeqPeople *people)
{
	const JoinRelease *release = &people->task->join->release[people->last];

	people->node = new_zeros(uint32, (Size) people->nbands * people->last);
	people->code = new_zeros(Code, (Size) people->nbands * people->ncolumns);
	people->value = new_zeros(Code, people->nbands);
	for (uint32 b = 0; b < people->nbands; b++)
	{
		uint32		record = people->member[people->first_member[b]];

		for (int32 r = 0; r < people->last; r++)
			people->node[(Size) b * people->last + r] = people->first_node[r] +
				people->graph->side[r].node_of_person[release->person[record]];
		for (int32 c = 0; c < people->ncolumns; c++)
			people->code[(Size) b * people->ncolumns + c] = people->task->column[c].code[record];
		people->value[b] = release->sensitive == NULL ? NO_CODE : release->sensitive[record];
	}
}

/* ----------------------------------------------------------------
 * Regions, pieces and places
 * ----------------------------------------------------------------
 */

/* Returns the number of the region with these cells, which is added if it is new. */
static uint32
find_region(SeqPeople *people, const uint32 *key)
{
	uint32		n = people->regions->n;
	uint32		region = tuple_number(people->regions, key, 1 + people->ncolumns);

	if (region < n)
		return region;
	array_reserve(people->region, people->region_room, region + 1);
	people->region[region] = (Region) {.first = NOTHING};
	return region;
}

/* The place of a region and a value: the part of them that other releases show, too. */
static uint32
find_place(SeqPeople *people, uint32 region, Code value)
{
	uint32		n = people->place_numbers->n;
	const uint32 *cells = tuple_words(people->regions, region);
	uint32		key[2 + MAX_SEQ_COLUMNS];
	uint32		place;

	key[0] = cells[0];
	for (int32 c = 0; c < people->ncolumns; c++)
		key[1 + c] = people->shared[c] ? cells[1 + c] : 0;
	key[1 + people->ncolumns] = people->value_shared ? value : 0;
	place = tuple_number(people->place_numbers, key, 2 + people->ncolumns);
	if (place == n)
	{
		array_reserve(people->place, people->place_room, place + 1);
		people->place[place] = (SeqPlace) {.node = NOTHING};
	}
	return place;
}

/* The number of a piece, which is made if it is new. */
static uint32
find_piece(SeqPeople *people, uint32 region, Code value)
{
	uint32		n = people->piece_numbers->n;
	uint32		piece = tuple_number(people->piece_numbers, (uint32[]) {region, value}, 2);

	if (piece < n)
		return piece;
	array_reserve(people->piece, people->piece_room, piece + 1);
	people->piece[piece] = (RegionPiece) {
		.region = region, .value = value,
		.place = find_place(people, region, value)
	};
	return piece;
}

/* Changes how many are in a lot, its piece and its place. */
static void
resize_lot(SeqPeople *people, uint32 number, int64 by)
{
	Lot		   *lot = &people->lot[number];
	RegionPiece *piece = &people->piece[lot->piece];
	bool		was_empty = piece->size == 0;
	Region	   *region;

	lot->size += by;
	piece->size += by;
	people->place[piece->place].size += by;
	if (was_empty == (piece->size == 0))
		return;
	region = &people->region[piece->region];
	if (was_empty)
	{
		/* It is listed among those of its region that have records */
		piece->prev = NOTHING;
		piece->next = region->first;
		if (piece->next != NOTHING)
			people->piece[piece->next].prev = lot->piece;
		region->first = lot->piece;
		return;
	}
	if (piece->prev == NOTHING)
		region->first = piece->next;
	else
		people->piece[piece->prev].next = piece->next;
	if (piece->next != NOTHING)
		people->piece[piece->next].prev = piece->prev;
}

/* The lot of those of a band who are in a piece. */
static uint32
find_lot(SeqPeople *people, uint32 band, uint32 piece)
{
	for (uint32 l = people->lots[band]; l != NOTHING; l = people->lot[l].next)
		if (people->lot[l].piece == piece)
			return l;
	array_reserve(people->lot, people->lot_room, people->nlots + 1);
	people->lot[people->nlots] = (Lot) {.band = band, .piece = piece, .next = people->lots[band]};
	people->lots[band] = people->nlots;
	return people->nlots++;
}

uint32
step_down(const Tree *tree, uint32 node, Code code)
{
	Span		leaves = tree->nodes[node].leaves;

	do
	{
		uint32		child = tree->leaf[code];

		while (tree->nodes[child].parent != node)
			child = tree->nodes[child].parent;
		node = child;
	} while (span_equal(tree->nodes[node].leaves, leaves));
	return node;
}

uint32
piece_below(SeqPeople *people, uint32 lot, int32 column)
{
	const RegionPiece *piece = &people->piece[people->lot[lot].piece];
	uint32		key[1 + MAX_SEQ_COLUMNS];

	memcpy(key, tuple_words(people->regions, piece->region), sizeof(uint32) * people->regions->width);
	key[1 + column] = step_down(people->task->column[column].tree, key[1 + column], lot_code(people, lot, column));
	return find_piece(people, find_region(people, key), piece->value);
}

/* ----------------------------------------------------------------
 * The web
 * ----------------------------------------------------------------
 */

/* The cell of a place, in a column of the join. */
static Span
cell_of_place(const SeqPeople *people, uint32 place, int32 column)
{
	const uint32 *key = tuple_words(people->place_numbers, place);
	const JoinSide *side = &people->graph->side[people->last];

	if (column == people->graph->sensitive)
		return key[1 + people->ncolumns] == NO_CODE ? ANYTHING : span_of(key[1 + people->ncolumns]);
	for (int32 c = 0; c < people->ncolumns; c++)
		if (people->task->column[c].column == column)
			return cell_of_key(people, key, c);
	return side->cells[column][people->fixed_record[key[0]]];
}

static bool
is_absent_place(const SeqPeople *people, uint32 place)
{
	return is_record_of_absent(people->task, people->fixed_record[tuple_words(people->place_numbers, place)[0]]);
}

static void
know_place(SeqPeople *people, uint32 node, uint32 place)
{
	uint32		i = node - people->first_node[people->last];

	array_reserve(people->place_of, people->node_room, i + 1);
	people->place_of[i] = place;
	people->place[place].node = node;
}

/* Joins the places that have records to whatever of an earlier release they meet. */
static void
weave_release(SeqPeople *people, int32 r)
{
	const JoinGraph *graph = people->graph;
	const JoinSide *side = &graph->side[r];
	const JoinSide *own = &graph->side[people->last];
	const JoinInput *join = people->task->join;
	Together	together = join->together == NULL ? ALL_TOGETHER : join->together[pair_number(r, people->last)];
	const Span **cells = new_zeros(const Span *, graph->sensitive + 1);
	int32	   *columns = new_zeros(int32, graph->sensitive + 1);
	Span	   *box = new_zeros(Span, graph->sensitive + 1);
	uint32	   *found = new_zeros(uint32, side->nnodes);
	int32		ncolumns = 0;
	Boxes	   *boxes;

	for (int32 c = 0; c <= graph->sensitive; c++)
		if (side->cells[c] != NULL && own->cells[c] != NULL)
		{
			columns[ncolumns] = c;
			cells[ncolumns++] = side->cells[c];
		}
	boxes = boxes_index(side->nnodes, side->record, ncolumns, cells);
	for (uint32 p = 0; p < people->place_numbers->n; p++)
	{
		uint32		nfound;

		if (people->place[p].size == 0)
			continue;
		for (int32 c = 0; c < ncolumns; c++)
			box[c] = cell_of_place(people, p, columns[c]);
		nfound = boxes_find(boxes, box, MEETING, found);
		for (uint32 i = 0; i < nfound; i++)
			if (together & may_be(side->is_absent[found[i]], is_absent_place(people, p)))
				(void) web_add_edge(people->web, people->first_node[r] + found[i], people->place[p].node);
		CHECK_FOR_INTERRUPTS();
	}
	boxes_free(boxes);
	pfree(cells);
	pfree(columns);
	pfree(box);
	pfree(found);
}

/* Returns the edge between the nodes of a person's records; without one, the stored history is damaged. */
static uint32
find_edge(const SeqPeople *people, uint32 a, uint32 b)
{
	uint32		edge = web_between(people->web, a, b);

	if (edge == NO_WEB_EDGE)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("two records of a person are not consistent")));
	return edge;
}

void
people_weave(SeqPeople *people)
{
	MemoryContext before;
	const JoinGraph *graph;

	MemoryContextReset(people->web_context);
	before = MemoryContextSwitchTo(people->web_context);
	people->web = web_create(people->graph->nreleases, people->task->kernel);
	MemoryContextSwitchTo(before);
	/* Adds the nodes and edges of earlier releases to the web. */
	graph = people->graph;
	for (int32 r = 0; r < people->last; r++)
		for (uint32 v = 0; v < graph->side[r].nnodes; v++)
			(void) web_add_node(people->web, r, people->task->join->together != NULL && graph->side[r].is_absent[v]);
	for (int32 s = 0; s < people->last; s++)
		for (int32 r = 0; r < s; r++)
		{
			const JoinPair *pair = pair_of(graph, r, s);

			for (uint32 e = 0; e < pair->nedges; e++)
				if (pair->alive[e])
					(void) web_add_edge(people->web, people->first_node[r] + pair->from[e],
										people->first_node[s] + pair->to[e]);
			CHECK_FOR_INTERRUPTS();
		}
	for (uint32 p = 0; p < people->place_numbers->n; p++)
	{
		people->place[p].node = NOTHING;
		if (people->place[p].size > 0)
			know_place(people, web_add_node(people->web, people->last, is_absent_place(people, p)), p);
	}
	for (int32 r = 0; r < people->last; r++)
		weave_release(people, r);
	/* Joins the records of each person. */
	for (uint32 b = 0; b < people->nbands; b++)
	{
		const uint32 *node = &people->node[(Size) b * people->last];
		uint32		size = people->first_member[b + 1] - people->first_member[b];

		for (int32 s = 0; s < people->last; s++)
			for (int32 r = 0; r < s; r++)
				web_change_flow(people->web, find_edge(people, node[r], node[s]), size);
		for (uint32 l = people->lots[b]; l != NOTHING; l = people->lot[l].next)
			for (int32 r = 0; r < people->last && people->lot[l].size > 0; r++)
				web_change_flow(people->web,
								find_edge(people, node[r], people->place[people->piece[people->lot[l].piece].place].node),
								people->lot[l].size);
	}
	web_suspect_all(people->web);
	web_settle(people->web);
	web_commit(people->web);
	people->version++;			/* places have other nodes */
}

/* Does a node of an earlier release overlap a place in all columns? */
static bool
meets(const SeqPeople *people, uint32 node, int32 r, uint32 place)
{
	const JoinSide *side = &people->graph->side[r];
	uint32		record = side->record[node - people->first_node[r]];
	const uint32 *key = tuple_words(people->place_numbers, place);

	for (int32 c = 0; c < people->ncolumns; c++)
	{
		const SeqColumn *column = &people->task->column[c];

		if (side->cells[column->column] != NULL &&
			!span_overlaps(side->cells[column->column][record], cell_of_key(people, key, c)))
			return false;
	}
	return true;
}

/* Moves people from lot to lot, as far as these go. */
static void
move(SeqPeople *people, uint32 from, uint32 to, uint32 size)
{
	const uint32 *before = tuple_words(people->regions, people->piece[people->lot[from].piece].region);
	const uint32 *after = tuple_words(people->regions, people->piece[people->lot[to].piece].region);
	double		gain = 0;

	resize_lot(people, from, -(int64) size);
	resize_lot(people, to, size);
	for (int32 c = 0; c < people->ncolumns; c++)
		gain += people->task->column[c].loss[before[1 + c]] - people->task->column[c].loss[after[1 + c]];
	people->loss -= size * gain;
	people->version++;
}

/* Records a shift, with the nodes that the two places had before it, for people_undo(). */
static void
note_shift(SeqPeople *people, uint32 from, uint32 to, uint32 size)
{
	array_reserve(people->shift, people->shift_room, people->nshifts + 1);
	people->shift[people->nshifts++] = (Shift) {
		.from = from, .to = to, .size = size,
		.from_node = people->place[people->piece[people->lot[from].piece].place].node,
		.to_node = people->place[people->piece[people->lot[to].piece].place].node
	};
}

uint32
people_shift(SeqPeople *people, uint32 lot, int32 column, uint32 size)
{
	uint32		to_piece = piece_below(people, lot, column);
	uint32		to = find_lot(people, people->lot[lot].band, to_piece);
	Web		   *web = people->web;
	SeqPlace   *from_place = &people->place[people->piece[people->lot[lot].piece].place];
	uint32		to_number = people->piece[to_piece].place;
	SeqPlace   *to_place = &people->place[to_number];

	note_shift(people, lot, to, size);
	if (from_place != to_place && to_place->size == 0)
	{
		/* It is joined to what it meets of the neighbours of the place that its first records come from */
		know_place(people, web_add_node(web, people->last, is_absent_place(people, to_number)), to_number);
		for (int32 r = 0; r < people->last; r++)
			for (uint32 t = web->head[web_list(web, from_place->node, r)]; t != NO_WEB_EDGE; t = next_edge(web, t, from_place->node))
				if (meets(people, web->edge[t].end[0], r, to_number))
					(void) web_add_edge(web, web->edge[t].end[0], to_place->node);
	}
	for (int32 r = 0; r < people->last && from_place != to_place; r++)
	{
		uint32		node = people->node[(Size) people->lot[lot].band * people->last + r];

		web_change_flow(web, find_edge(people, node, to_place->node), size);
		web_change_flow(web, find_edge(people, node, from_place->node), -(int64) size);
	}
	move(people, lot, to, size);
	if (from_place->size > 0)
		return to;

	/* No person is left in it */
	for (int32 r = 0; r < people->last; r++)
		while (web->head[web_list(web, from_place->node, r)] != NO_WEB_EDGE)
			web_drop(web, web->head[web_list(web, from_place->node, r)]);
	from_place->node = NOTHING;
	return to;
}

uint32
people_lift(SeqPeople *people, uint32 lot, uint32 region, uint32 size)
{
	uint32		piece = find_piece(people, region, people->piece[people->lot[lot].piece].value);
	uint32		to = find_lot(people, people->lot[lot].band, piece);

	note_shift(people, lot, to, size);
	move(people, lot, to, size);
	return to;
}

void
people_undo(SeqPeople *people, uint32 mark)
{
	while (people->nshifts > mark)
	{
		const Shift *shift = &people->shift[--people->nshifts];

		move(people, shift->to, shift->from, shift->size);
		people->place[people->piece[people->lot[shift->from].piece].place].node = shift->from_node;
		people->place[people->piece[people->lot[shift->to].piece].place].node = shift->to_node;
	}
}

SeqPeople *
people_create(const SeqTask *task, const JoinGraph *graph)
{
	SeqPeople  *people = palloc0(sizeof(SeqPeople));
	const JoinSide *side;
	Parting		parting;
	Parting		fixed;
	uint32	   *key;

	people->task = task;
	people->graph = graph;
	people->last = graph->nreleases - 1;
	people->ncolumns = task->ncolumns;
	people->web_context = AllocSetContextCreate(CurrentMemoryContext, "web", ALLOCSET_DEFAULT_SIZES);
	side = &graph->side[people->last];
	people->shared = new_zeros(bool, people->ncolumns);
	for (int32 c = 0; c < people->ncolumns; c++)
		people->shared[c] = side->shared[task->column[c].column];
	people->value_shared = side->shared[graph->sensitive];
	people->first_node = new_zeros(uint32, people->last + 1);
	for (int32 r = 0; r < people->last; r++)
		people->first_node[r + 1] = people->first_node[r] + graph->side[r].nnodes;
	parting = part_records(people);
	people->nbands = parting.nparts;
	list_by_group(parting.part, parting.nrecords, people->nbands, &people->first_member, &people->member);
	pfree(parting.part);
	/* Numbers the fixed columns' cells, with a record that has them. */
	fixed = parting_create(people->task->join->release[people->last].nrecords);
	part_by_fixed(people, &fixed);
	people->fixed = new_zeros(uint32, people->nbands);
	people->fixed_record = new_zeros(uint32, fixed.nparts);
	for (uint32 b = 0; b < people->nbands; b++)
	{
		uint32		record = people->member[people->first_member[b]];

		people->fixed[b] = fixed.part[record];
		people->fixed_record[fixed.part[record]] = record;
	}
	pfree(fixed.part);
	describe_bands(people);
	people->regions = tuple_numbers_create(1 + people->ncolumns);
	people->piece_numbers = tuple_numbers_create(2);
	people->place_numbers = tuple_numbers_create(2 + people->ncolumns);
	/* Makes a lot of each band, with all cells withheld. */
	key = new_zeros(uint32, people->regions->width);
	people->lots = new_zeros(uint32, people->nbands);
	for (uint32 b = 0; b < people->nbands; b++)
	{
		uint32		lot;

		key[0] = people->fixed[b];
		people->lots[b] = NOTHING;
		lot = find_lot(people, b, find_piece(people, find_region(people, key), people->value[b]));
		resize_lot(people, lot, people->first_member[b + 1] - people->first_member[b]);
	}
	people->loss = people_loss(people);
	pfree(key);
	people_weave(people);

	/* Of the edges between earlier releases, those are kept that any new release leaves */
	for (int32 s = 0; s < people->last; s++)
		for (int32 r = 0; r < s; r++)
		{
			JoinPair   *pair = pair_of(graph, r, s);

			for (uint32 e = 0; e < pair->nedges; e++)
				pair->alive[e] = web_between(people->web, people->first_node[r] + pair->from[e],
											 people->first_node[s] + pair->to[e]) != NO_WEB_EDGE;
		}
	return people;
}

double
people_loss(const SeqPeople *people)
{
	double		loss = 0;

	for (uint32 l = 0; l < people->nlots; l++)
		for (int32 c = 0; c < people->ncolumns; c++)
			if (lot_code(people, l, c) != NO_CODE)
				loss += people->lot[l].size * people->task->column[c].loss[lot_cell(people, l, c)];
	return loss;
}

void
people_write(const SeqPeople *people)
{
	for (uint32 b = 0; b < people->nbands; b++)
	{
		uint32		next = people->first_member[b];

		for (uint32 l = people->lots[b]; l != NOTHING; l = people->lot[l].next)
			for (uint32 end = next + people->lot[l].size; next < end; next++)
				for (int32 c = 0; c < people->ncolumns; c++)
				{
					const SeqColumn *column = &people->task->column[c];

					column->node[people->member[next]] = lot_cell(people, l, c);
					column->cells[people->member[next]] =
						cell_of_key(people, tuple_words(people->regions, people->piece[people->lot[l].piece].region), c);
				}
	}
}
