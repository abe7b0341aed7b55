/*
 * meet.c
 *		Which records of each release a tuple is consistent with.
 *
 * NOTES
 *		Of earlier releases this is found once.  Of the new one it changes all the
 *		time: but which regions contain which tuples does not, so it is found once
 *		for each region that ever is, whether it has records or not.
 */
#include "postgres.h"

#include "audit/join/boxes.h"
#include "audit/join/parting.h"
#include "frame/arrays.h"
#include "method/sequential/guard.h"
#include "miscadmin.h"
#include "utils/memutils.h"

void
pile_add(Pile *pile, uint32 number)
{
	array_reserve(pile->number, pile->room, pile->n + 1);
	pile->number[pile->n++] = number;
}

/* ----------------------------------------------------------------
 * Tuples
 * ----------------------------------------------------------------
 */

static void
part_by_column(Parting *parting, Span *cells, const JoinTuples *tuples, int32 column, const uint32 *tuple)
{
	for (uint32 i = 0; i < parting->nrecords; i++)
		cells[i] = tuple_cell(tuples, column, tuple == NULL ? i : tuple[i]);
	part_by(parting, cells);
}

static bool
is_shown(const Guard *guard, int32 column)
{
	for (int32 r = 0; r < guard->input->nreleases; r++)
		if (guard->input->release[r].cells[column] != NULL)
			return true;
	return false;
}

/*
 * A tuple of each kind that differs in what is shown, those alike in the new release's columns
 * side by side.
 */
static uint32 *
choose_tuples(Guard *guard)
{
	const JoinTuples *tuples = guard->task->tuples;
	Parting		parting = parting_create(tuples->ntuples);
	Span	   *cells = new_zeros(Span, tuples->ntuples);
	uint32	   *chosen;
	uint32	   *first;
	uint32	   *kind_of;

	for (int32 c = 0; c < guard->task->ncolumns; c++)
		part_by_column(&parting, cells, tuples, guard->task->column[c].column, NULL);
	for (int32 c = 0; c < guard->nfixed; c++)
		part_by_column(&parting, cells, tuples, guard->fixed[c], NULL);
	guard->nkinds = parting.nparts;
	kind_of = new_zeros(uint32, tuples->ntuples);
	memcpy(kind_of, parting.part, sizeof(uint32) * tuples->ntuples);
	for (int32 c = 0; c < guard->input->nqis; c++)
		if (is_shown(guard, c))
			part_by_column(&parting, cells, tuples, c, NULL);
	guard->ntuples = parting.nparts;
	guard->first_of_kind = first = new_zeros(uint32, guard->nkinds + 1);
	guard->kind = new_zeros(uint32, guard->ntuples);
	chosen = new_zeros(uint32, guard->ntuples);
	for (uint32 t = tuples->ntuples; t-- > 0;)
		guard->kind[parting.part[t]] = t;
	for (uint32 i = 0; i < guard->ntuples; i++)
		first[kind_of[guard->kind[i]] + 2]++;
	for (uint32 k = 0; k < guard->nkinds; k++)
		first[k + 2] += first[k + 1];
	for (uint32 i = 0; i < guard->ntuples; i++)
		chosen[first[kind_of[guard->kind[i]] + 1]++] = guard->kind[i];
	for (uint32 i = 0; i < guard->ntuples; i++)
		guard->kind[i] = kind_of[chosen[i]];
	pfree(kind_of);
	pfree(cells);
	parting_free(&parting);
	return chosen;
}

/* ----------------------------------------------------------------
 * Earlier releases
 * ----------------------------------------------------------------
 */

typedef struct PieceMeeting
{
	const JoinSide *side;
	const Code *sensitive;		/* or NULL */
	uint32		first_node;
	Boxes	   *boxes;			/* of pieces */
	uint32	   *found;			/* [pieces] */
	Candidate  *met;			/* [pieces] */
} PieceMeeting;

/* Orders candidates by node and value, so that those that are to be added up become neighbors. */
static int
compare_candidates(const void *a, const void *b)
{
	const Candidate *x = a;
	const Candidate *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* Finds the candidates of a tuple; how many? */
static uint32
meet_pieces(const PieceMeeting *meeting, const Span *box)
{
	uint32		npieces = boxes_around(meeting->boxes, box, meeting->found);
	uint32		n = 0;

	for (uint32 i = 0; i < npieces; i++)
	{
		const Piece *piece = &meeting->side->piece[meeting->found[i]];

		meeting->met[i] = (Candidate) {
			.node = meeting->first_node + piece->node,
			.value = meeting->sensitive == NULL ? NO_CODE : meeting->sensitive[piece->record],
			.weight = piece->nrecords
		};
	}
	qsort(meeting->met, npieces, sizeof(Candidate), compare_candidates);
	for (uint32 i = 0; i < npieces; i++)
	{
		if (n > 0 && compare_candidates(&meeting->met[n - 1], &meeting->met[i]) == 0)
			meeting->met[n - 1].weight += meeting->met[i].weight;
		else
			meeting->met[n++] = meeting->met[i];
	}
	return n;
}

/* Lists the candidates of each kind of tuples, whose columns these are. */
static void
list_candidates(Encounter *encounter, const PieceMeeting *meeting, const JoinTuples *tuples,
				const uint32 *example, uint32 nkinds, const int32 *column, int32 ncolumns)
{
	uint64		room = 0;
	Span	   *box = new_zeros(Span, ncolumns);

	encounter->first = new_zeros(uint64, nkinds + 1);
	array_reserve(encounter->candidate, room, 1024);
	for (uint32 k = 0; k < nkinds; k++)
	{
		uint32		n;

		CHECK_FOR_INTERRUPTS();
		for (int32 c = 0; c < ncolumns; c++)
			box[c] = tuple_cell(tuples, column[c], example[k]);
		n = meet_pieces(meeting, box);
		encounter->first[k + 1] = encounter->first[k] + n;
		array_reserve(encounter->candidate, room, encounter->first[k + 1]);
		memcpy(&encounter->candidate[encounter->first[k]], meeting->met, sizeof(Candidate) * n);
	}
	pfree(box);
}

/* Lists for each node the tuples that meet it. */
static void
list_tuples(const Guard *guard, Encounter *encounter, uint32 first_node, uint32 nnodes)
{
	uint64	   *first = encounter->first_tuple = new_zeros(uint64, (Size) nnodes + 2);

	for (int pass = 0; pass < 2; pass++)
	{
		for (uint32 t = 0; t < guard->ntuples; t++)
		{
			uint32		before = NOTHING;

			for (uint64 i = encounter->first[encounter->kind[t]]; i < encounter->first[encounter->kind[t] + 1]; i++)
			{
				uint32		node = encounter->candidate[i].node - first_node;

				if (node != before && pass == 0)
					first[node + 2]++;
				else if (node != before)
					encounter->tuple[first[node + 1]++] = t;
				before = node;
			}
		}
		if (pass > 0)
			return;
		for (uint32 v = 0; v < nnodes; v++)
			first[v + 2] += first[v + 1];
		encounter->tuple = new_zeros(uint32, first[nnodes + 1]);
	}
}

/* Finds the candidates of all kinds of tuples in an earlier release. */
static void
prepare_encounter(Guard *guard, int32 r, const uint32 *chosen)
{
	const JoinGraph *graph = guard->people->graph;
	Encounter  *encounter = &guard->encounter[r];
	PieceMeeting meeting = {.side = &graph->side[r], .first_node = guard->people->first_node[r]};
	const Span **cells = new_zeros(const Span *, guard->input->nqis);
	int32	   *column = new_zeros(int32, guard->input->nqis);
	uint32	   *record = new_zeros(uint32, meeting.side->npieces);
	Parting		parting = parting_create(guard->ntuples);
	Span	   *codes = new_zeros(Span, guard->ntuples);
	uint32	   *example;
	int32		n = 0;

	for (int32 c = 0; c < guard->input->nqis; c++)
		if (meeting.side->cells[c] != NULL)
		{
			part_by_column(&parting, codes, guard->task->tuples, c, chosen);
			column[n] = c;
			cells[n++] = meeting.side->cells[c];
		}
	encounter->kind = parting.part;
	example = new_zeros(uint32, parting.nparts);
	for (uint32 t = 0; t < guard->ntuples; t++)
		example[parting.part[t]] = chosen[t];
	for (uint32 p = 0; p < meeting.side->npieces; p++)
		record[p] = meeting.side->piece[p].record;
	meeting.sensitive = guard->input->release[r].sensitive;
	meeting.boxes = boxes_index(meeting.side->npieces, record, n, cells);
	meeting.found = new_zeros(uint32, meeting.side->npieces);
	meeting.met = new_zeros(Candidate, meeting.side->npieces);
	list_candidates(encounter, &meeting, guard->task->tuples, example, parting.nparts, column, n);
	list_tuples(guard, encounter, meeting.first_node, meeting.side->nnodes);
	boxes_free(meeting.boxes);
	pfree(meeting.found);
	pfree(meeting.met);
	pfree(cells);
	pfree(column);
	pfree(record);
	pfree(codes);
	pfree(example);
}

/* ----------------------------------------------------------------
 * The new release
 * ----------------------------------------------------------------
 */

/* Finds, for each region that is new, the kinds of tuples in it. */
void
learn_regions(Guard *guard)
{
	const SeqPeople *people = guard->people;
	Span		box[2 * MAX_SEQ_COLUMNS];

	if (people->regions->n > guard->region_room)
	{
		guard->region_room = array_room(guard->region_room, people->regions->n);
		array_resize(guard->kinds_in, guard->region_room);
		array_resize(guard->region_stamped, guard->region_room);
	}
	for (; guard->nregions < people->regions->n; guard->nregions++)
	{
		const uint32 *key = tuple_words(people->regions, guard->nregions);
		Pile	   *kinds_in = &guard->kinds_in[guard->nregions];
		uint32		n;

		for (int32 c = 0; c < people->ncolumns; c++)
			box[c] = cell_of_key(people, key, c);
		for (int32 c = 0; c < guard->nfixed; c++)
			box[people->ncolumns + c] = people->graph->side[people->last].cells[guard->fixed[c]][people->fixed_record[key[0]]];
		n = boxes_within(guard->kinds, box, guard->found);
		*kinds_in = (Pile) {.n = n, .room = n, .number = new_array(uint32, n)};
		memcpy(kinds_in->number, guard->found, sizeof(uint32) * n);
		guard->region_stamped[guard->nregions] = 0;
		for (uint32 i = 0; i < n; i++)
			pile_add(&guard->regions[guard->found[i]], guard->nregions);
	}
}

/* Of the tuples that were chosen */
static Span *
cells_of(const Guard *guard, const uint32 *chosen, int32 column)
{
	Span	   *cells = new_zeros(Span, guard->ntuples);

	for (uint32 t = 0; t < guard->ntuples; t++)
		cells[t] = tuple_cell(guard->task->tuples, column, chosen[t]);
	return cells;
}

/* Indexes the kinds of tuples by their cells in the new release. */
static void
prepare_kinds(Guard *guard, const uint32 *chosen)
{
	const SeqTask *task = guard->task;
	Span	  **cells = new_zeros(Span *, task->ncolumns + guard->nfixed);
	uint32	   *record = new_zeros(uint32, guard->nkinds);

	guard->cell = new_zeros(Span, (Size) guard->ntuples * task->ncolumns);
	for (int32 c = 0; c < task->ncolumns; c++)
	{
		cells[c] = cells_of(guard, chosen, task->column[c].column);
		for (uint32 t = 0; t < guard->ntuples; t++)
			guard->cell[(Size) t * task->ncolumns + c] = cells[c][t];
	}
	for (int32 c = 0; c < guard->nfixed; c++)
		cells[task->ncolumns + c] = cells_of(guard, chosen, guard->fixed[c]);
	for (uint32 k = 0; k < guard->nkinds; k++)
		record[k] = guard->first_of_kind[k];
	guard->kinds = boxes_index(guard->nkinds, record, task->ncolumns + guard->nfixed, (const Span *const *) cells);
	guard->regions = new_zeros(Pile, guard->nkinds);
	guard->found = new_zeros(uint32, guard->nkinds);
}

/* Lists the quasi-identifiers that the new release shows in cells that are given, not searched for. */
static void
find_fixed(Guard *guard)
{
	const SeqPeople *people = guard->people;

	guard->fixed = new_zeros(int32, guard->input->nqis);
	for (int32 c = 0; c < guard->input->nqis; c++)
		if (people->graph->side[people->last].cells[c] != NULL && !is_cell_column(people, c))
			guard->fixed[guard->nfixed++] = c;
}

void
prepare_encounters(Guard *guard)
{
	uint32	   *chosen;

	find_fixed(guard);
	chosen = choose_tuples(guard);
	guard->encounter = new_zeros(Encounter, guard->people->last);
	for (int32 r = 0; r < guard->people->last; r++)
		prepare_encounter(guard, r, chosen);
	prepare_kinds(guard, chosen);
	pfree(chosen);
}

/* The number of pieces of the new release that a kind of tuples meets; they are found one after the other, if need be. */
static uint32
meet_fresh(Guard *guard, uint32 kind)
{
	const SeqPeople *people = guard->people;
	const Pile *regions = &guard->regions[kind];
	uint32		n = 0;

	if (guard->fresh_kind != kind || guard->fresh_version != people->version)
	{
		guard->fresh_kind = kind;
		guard->fresh_version = people->version;
		guard->fresh_regions = 0;
		guard->nfresh = 0;
	}
	for (uint32 i = 0; i < regions->n; i++)
		n += people->region[regions->number[i]].npieces;
	return n;
}

/* Finds the records of one more region; false if there is none. */
bool
meet_more(Guard *guard)
{
	const SeqPeople *people = guard->people;
	const Pile *regions = &guard->regions[guard->fresh_kind];
	const Region *region;

	while (guard->fresh_regions < regions->n && people->region[regions->number[guard->fresh_regions]].npieces == 0)
		guard->fresh_regions++;
	if (guard->fresh_regions == regions->n)
		return false;
	region = &people->region[regions->number[guard->fresh_regions++]];
	if (guard->nfresh + region->npieces > guard->fresh_room)
	{
		guard->fresh_room = array_room(guard->fresh_room, guard->nfresh + region->npieces);
		array_resize(guard->fresh, guard->fresh_room);
		array_resize(guard->fresh_piece, guard->fresh_room);
	}
	for (uint32 p = region->first; p != NOTHING; p = people->piece[p].next)
	{
		const RegionPiece *piece = &people->piece[p];

		guard->fresh_piece[guard->nfresh] = p;
		guard->fresh[guard->nfresh++] = (Candidate) {
			.node = people->place[piece->place].node, .value = piece->value, .weight = piece->size
		};
	}
	return true;
}

/* Finds what a tuple meets of each release; of the new one, how much. */
void
meet_tuple(Guard *guard, uint32 tuple)
{
	int32		last = guard->people->last;

	for (int32 r = 0; r < last; r++)
	{
		const Encounter *encounter = &guard->encounter[r];
		uint32		kind = encounter->kind[tuple];

		guard->candidate[r] = &encounter->candidate[encounter->first[kind]];
		guard->ncandidates[r] = encounter->first[kind + 1] - encounter->first[kind];
	}
	guard->ncandidates[last] = meet_fresh(guard, guard->kind[tuple]);
	for (int32 r = 0; r <= last; r++)
	{
		int32		i = r;

		for (; i > 0 && guard->ncandidates[guard->order[i - 1]] > guard->ncandidates[r]; i--)
			guard->order[i] = guard->order[i - 1];
		guard->order[i] = r;
	}
}
