/*
 * guard.c
 *		Linkability and diversity of tuples, again and again.
 *
 * NOTES
 *		For linkability it is enough to hear of k different values, and most tuples hear of them at once.  For
 *		diversity all cliques count.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Which records of each release a tuple is consistent with
 *
 * Of earlier releases this is found once.  Of the new one it changes all the time: but which regions contain which
 * tuples does not, so it is found once for each region that ever is, whether it has records or not.
 * ----------------------------------------------------------------
 */

void
pile_add(Pile *pile, uint32 number)
{
	array_reserve(pile->number, pile->room, pile->n + 1);
	pile->number[pile->n++] = number;
}

static void
part_by_column(Parting *parting, Span *cells, const JoinTuples *tuples, int32 column, const uint32 *tuple)
{
	for (uint32 i = 0; i < parting->nrecords; i++)
		cells[i] = tuple_cell(tuples, column, tuple == NULL ? i : tuple[i]);
	part_by(parting, cells);
}

/* A tuple of each kind that differs in what is shown, those alike in the new release's columns side by side. */
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
	{
		int32		r = 0;

		while (r < guard->input->nreleases && guard->input->release[r].cells[c] == NULL)
			r++;
		if (r < guard->input->nreleases)
			part_by_column(&parting, cells, tuples, c, NULL);
	}
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
	pfree(parting.part);
	return chosen;
}

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
DEFINE_ORDER(compare_candidates, Candidate, ASCENDING(node) ASCENDING(value));

/* Finds the candidates of a tuple; how many? */
static uint32
meet_pieces(const PieceMeeting *meeting, const Span *box)
{
	uint32		npieces = boxes_find(meeting->boxes, box, AROUND, meeting->found);
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

/* Finds, for each region that is new, the kinds of tuples in it. */
static void
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
		n = boxes_find(guard->kinds, box, WITHIN, guard->found);
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

/* Chooses the tuples, and finds what they are consistent with in earlier releases. */
static void
prepare_encounters(Guard *guard)
{
	uint32	   *chosen;
	const SeqPeople *people = guard->people;

	/* Lists the quasi-identifiers that the new release shows in cells that are given, not searched for. */
	guard->fixed = new_zeros(int32, guard->input->nqis);
	for (int32 c = 0; c < guard->input->nqis; c++)
		if (people->graph->side[people->last].cells[c] != NULL && !is_cell_column(people, c))
			guard->fixed[guard->nfixed++] = c;
	chosen = choose_tuples(guard);
	guard->encounter = new_zeros(Encounter, guard->people->last);
	for (int32 r = 0; r < guard->people->last; r++)
		prepare_encounter(guard, r, chosen);
	prepare_kinds(guard, chosen);
	pfree(chosen);
}

/* Finds the records of the new release that a kind of tuples meets. */
static void
meet_fresh(Guard *guard, uint32 kind)
{
	const SeqPeople *people = guard->people;
	const Pile *regions = &guard->regions[kind];

	if (guard->fresh_kind == kind && guard->fresh_version == people->version)
		return;
	guard->fresh_kind = kind;
	guard->fresh_version = people->version;
	guard->nfresh = 0;
	for (uint32 i = 0; i < regions->n; i++)
		for (uint32 p = people->region[regions->number[i]].first; p != NOTHING; p = people->piece[p].next)
		{
			const RegionPiece *piece = &people->piece[p];

			array_reserve(guard->fresh, guard->fresh_room, guard->nfresh + 1);
			guard->fresh[guard->nfresh++] = (Candidate) {
				.node = people->place[piece->place].node, .value = piece->value, .weight = piece->size
			};
		}
}

/* Finds what a tuple meets of each release. */
static void
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
	meet_fresh(guard, guard->kind[tuple]);
	guard->candidate[last] = guard->fresh;
	guard->ncandidates[last] = guard->nfresh;
	for (int32 r = 0; r <= last; r++)
	{
		int32		i = r;

		for (; i > 0 && guard->ncandidates[guard->order[i - 1]] > guard->ncandidates[r]; i--)
			guard->order[i] = guard->order[i - 1];
		guard->order[i] = r;
	}
}

/* ----------------------------------------------------------------
 * Tuples that a specialisation concerns: those that lose a clique, or, for diversity, all those of whose cliques one
 * may weigh otherwise
 * ----------------------------------------------------------------
 */

static void
add(Guard *guard, uint32 tuple)
{
	if (guard->stamped[tuple] == guard->stamp)
		return;
	guard->stamped[tuple] = guard->stamp;
	pile_add(&guard->concerned, tuple);
}

/* Is a tuple in a node of the new release, as far as other releases show it? */
static bool
is_in_place(const Guard *guard, uint32 tuple, uint32 node)
{
	const SeqPeople *people = guard->people;
	uint32		place = people->place_of[node - people->first_node[people->last]];
	const uint32 *key = tuple_words(people->place_numbers, place);

	for (int32 c = 0; c < people->ncolumns; c++)
		if (!span_contains(cell_of_key(people, key, c), guard->cell[(Size) tuple * people->ncolumns + c]))
			return false;
	return true;
}

/* The tuples that meet a node of an earlier release */
static const uint32 *
tuples_of(const Guard *guard, uint32 node, uint32 *n)
{
	int32		r = guard->people->web->release[node];
	const Encounter *encounter = &guard->encounter[r];
	uint32		v = node - guard->people->first_node[r];

	*n = encounter->first_tuple[v + 1] - encounter->first_tuple[v];
	return &encounter->tuple[encounter->first_tuple[v]];
}

/* Adds the tuples that meet both ends of a dropped edge; those of the end with fewer are asked. */
static void
concern_edge(Guard *guard, const WebEdge *edge)
{
	const SeqPeople *people = guard->people;
	bool		fresh = people->web->release[edge->end[1]] == people->last;
	uint32		n;
	const uint32 *tuple = tuples_of(guard, edge->end[0], &n);

	if (!fresh)
	{
		uint32		n_other;
		const uint32 *other = tuples_of(guard, edge->end[1], &n_other);

		if (n_other < n)
		{
			n = n_other;
			tuple = other;
		}
	}
	for (uint32 i = 0; i < n; i++)
		if (!fresh || is_in_place(guard, tuple[i], edge->end[1]))
			add(guard, tuple[i]);
}

/* Lists the tuples that changes since the marks concern. */
static void
concern(Guard *guard, uint32 web_mark, uint32 people_mark)
{
	const SeqPeople *people = guard->people;
	const Web  *web = people->web;

	learn_regions(guard);
	guard->concerned.n = 0;
	if (++guard->stamp == 0)
	{
		memset(guard->stamped, 0, sizeof(uint32) * guard->ntuples);
		memset(guard->region_stamped, 0, sizeof(uint32) * guard->nregions);
		guard->stamp = 1;
	}
	for (uint32 i = people_mark; i < people->nshifts; i++)
	{
		const RegionPiece *piece = &people->piece[people->lot[people->shift[i].from].piece];

		const Pile *kinds = &guard->kinds_in[piece->region];

		if ((piece->size > 0 && !guard->task->diversity) || guard->region_stamped[piece->region] == guard->stamp)
			continue;
		guard->region_stamped[piece->region] = guard->stamp;
		for (uint32 k = 0; k < kinds->n; k++)
			for (uint32 t = guard->first_of_kind[kinds->number[k]]; t < guard->first_of_kind[kinds->number[k] + 1]; t++)
				add(guard, t);
	}
	for (uint32 i = web_mark; i < web->nchanges; i++)
		if (web->change[i].deed == DROPPED_EDGE)
			concern_edge(guard, &web->edge[web->change[i].which]);
}

/* ----------------------------------------------------------------
 * Cliques
 * ----------------------------------------------------------------
 */

/* Is a node joined to those that are chosen? */
static bool
fits(const Guard *guard, int32 depth, uint32 node)
{
	for (int32 i = 0; i < depth; i++)
		if (web_between(guard->people->web, node, guard->chosen[i]) == NO_WEB_EDGE)
			return false;
	return true;
}

/* A clique has this value, or shows none; true if no more need be heard. */
static bool
hear(Guard *guard, Code value)
{
	Code		at = value == NO_CODE ? guard->nvalues : value;

	guard->any = true;
	if (value == guard->null_value && value != NO_CODE)
		return false;
	if (!guard->heard[at])
		guard->value[guard->nheard++] = at;
	guard->heard[at] = true;
	if (guard->task->diversity)
		wide_add(&guard->cliques[at], &guard->product[guard->people->last + 1]);
	return guard->nheard >= guard->enough;
}

/* Hears of all cliques with the nodes that are chosen, and this value, until it is enough. */
static bool
walk(Guard *guard, int32 depth, Code value)
{
	uint32		last_node = NOTHING;
	bool		joined = false;
	int32		r;

	if (depth > guard->people->last)
		return !web_is_nobody(guard->people->web, guard->chosen) && hear(guard, value);
	r = guard->order[depth];
	for (uint32 i = 0; i < guard->ncandidates[r]; i++)
	{
		const Candidate *candidate = &guard->candidate[r][i];
		Code		own = candidate->value;

		guard->steps++;
		if (value != NO_CODE && own != NO_CODE && own != value)
			continue;
		own = value == NO_CODE ? own : value;
		if (!guard->task->diversity && own != NO_CODE && guard->heard[own])
			continue;			/* more cliques with a value that was heard of would tell nothing */
		if (candidate->node != last_node)
		{
			last_node = candidate->node;
			joined = fits(guard, depth, last_node);
		}
		if (!joined)
			continue;
		guard->chosen[depth] = last_node;
		if (guard->task->diversity)
		{
			memcpy(guard->product[depth + 1].limb, guard->product[depth].limb,
				   sizeof(uint32) * guard->product[depth].nlimbs);
			wide_multiply(&guard->product[depth + 1], candidate->weight);
		}
		if (walk(guard, depth + 1, own))
			return true;
	}
	return false;
}

/* A tuple's linkability, if it is not enough, or its diversity. */
static double
measure(Guard *guard, uint32 tuple, uint32 enough)
{
	double		level;

	CHECK_FOR_INTERRUPTS();
	meet_tuple(guard, tuple);
	guard->nheard = 0;
	guard->any = false;
	guard->enough = enough;
	(void) walk(guard, 0, NO_CODE);
	if (!guard->any || (guard->nheard == 1 && guard->value[0] == guard->nvalues))
		level = INFINITY;
	else if (guard->task->diversity)
	{
		const Wide *most = NULL;

		/* The diversity that the counted cliques give: all of them over the most frequent value's. */
		wide_set(guard->total, 0);
		for (uint32 i = 0; i < guard->nheard; i++)
		{
			const Wide *cliques = &guard->cliques[guard->value[i]];

			wide_add(guard->total, cliques);
			if (most == NULL || wide_compare(cliques, most) > 0)
				most = cliques;
		}
		level = most == NULL ? 0 : wide_ratio(guard->total, most);
	}
	else
		level = guard->nheard;
	for (uint32 i = 0; i < guard->nheard; i++)
	{
		guard->heard[guard->value[i]] = false;
		if (guard->task->diversity)
			wide_set(&guard->cliques[guard->value[i]], 0);
	}
	return level;
}

/* The number of different values that shows a level to be this or more */
static uint32
values_of(const Guard *guard, double level)
{
	return guard->task->diversity ? PG_UINT32_MAX : (uint32) Min(ceil(level), (double) PG_UINT32_MAX);
}

/* Does a tuple keep its level? */
static bool
is_safe(Guard *guard, uint32 tuple)
{
	if (measure(guard, tuple, values_of(guard, guard->task->k)) >= guard->task->k)
		return true;
	guard->culprit = tuple;
	return false;
}

bool
guard_holds(Guard *guard, uint32 web_mark, uint32 people_mark)
{
	if (!guard->watches)
		return true;
	concern(guard, web_mark, people_mark);
	if (guard->culprit != NOTHING && guard->stamped[guard->culprit] == guard->stamp &&
		!is_safe(guard, guard->culprit))
		return false;
	for (uint32 i = 0; i < guard->concerned.n; i++)
		if (!is_safe(guard, guard->concerned.number[i]))
			return false;
	return true;
}

static double
least_level(const Guard *guard)
{
	double		least = INFINITY;

	for (uint32 t = 0; t < guard->ntuples; t++)
		least = Min(least, guard->level[t]);
	return least;
}

double
guard_measure_all(Guard *guard)
{
	if (!guard->watches)
		return INFINITY;
	learn_regions(guard);
	for (uint32 t = 0; t < guard->ntuples; t++)
		guard->level[t] = measure(guard, t, PG_UINT32_MAX);
	return least_level(guard);
}

double
guard_measure(Guard *guard, uint32 web_mark, uint32 people_mark, double least)
{
	if (!guard->watches)
		return INFINITY;
	concern(guard, web_mark, people_mark);
	for (uint32 i = 0; i < guard->concerned.n && !guard->may_rise && least >= guard->task->k; i++)
	{
		double		level = measure(guard, guard->concerned.number[i], values_of(guard, least));

		least = Min(least, level);
	}
	if (!guard->may_rise)
		return least;			/* as it was, or of one who is concerned */
	for (uint32 i = 0; i < guard->concerned.n; i++)
	{
		uint32		tuple = guard->concerned.number[i];

		array_reserve(guard->before, guard->before_room, guard->nbefore + 1);
		guard->before[guard->nbefore++] = (LevelBefore) {.tuple = tuple, .level = guard->level[tuple]};
		guard->level[tuple] = measure(guard, tuple, PG_UINT32_MAX);
	}
	return least_level(guard);
}

void
guard_undo(Guard *guard, uint32 mark)
{
	while (guard->nbefore > mark)
	{
		const LevelBefore *before = &guard->before[--guard->nbefore];

		guard->level[before->tuple] = before->level;
	}
}

Guard *
guard_create(const SeqTask *task, const SeqPeople *people)
{
	Guard	   *guard = palloc0(sizeof(Guard));
	const JoinInput *input = task->join;
	Size		nvalues = (Size) input->nvalues + 1;
	int32		limbs = join_limbs(people->graph);

	*guard = (Guard) {
		.people = people, .input = input, .task = task,
		.null_value = input->null_value, .nvalues = input->nvalues,
		.fresh_kind = NOTHING, .culprit = NOTHING
	};
	for (int32 r = 0; r < input->nreleases; r++)
		guard->watches |= input->release[r].sensitive != NULL;
	guard->may_rise = task->diversity;

	/*
	 * Where a release that shows values shows them of everybody who is there, a tuple's cliques are either all linked
	 * to a value, or none: a tuple says in which releases it is.
	 */
	for (int32 r = 0; r < input->nreleases; r++)
	{
		const JoinRelease *release = &input->release[r];
		uint32		npresent = release->nrecords - (input->together == NULL ? 0 : release->nabsent);

		for (uint32 i = 0; release->sensitive != NULL && i < npresent; i++)
			guard->may_rise |= release->sensitive[i] == NO_CODE;
	}
	guard->candidate = new_zeros(const Candidate *, input->nreleases);
	guard->ncandidates = new_zeros(uint32, input->nreleases);
	guard->order = new_zeros(int32, input->nreleases);
	guard->chosen = new_zeros(uint32, input->nreleases);
	guard->heard = new_zeros(bool, nvalues);
	guard->value = new_zeros(Code, nvalues);
	guard->cliques = wide_create(nvalues, limbs);
	guard->product = wide_create((Size) input->nreleases + 1, limbs);
	wide_set(&guard->product[0], 1);
	guard->total = wide_create(1, limbs);
	prepare_encounters(guard);
	guard->stamped = new_zeros(uint32, guard->ntuples);
	guard->level = new_zeros(double, guard->ntuples);
	return guard;
}
