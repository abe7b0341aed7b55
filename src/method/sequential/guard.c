/*
 * guard.c
 *		Linkability and diversity of tuples, again and again.
 *
 * NOTES
 *		For linkability it is enough to hear of k different values, and most
 *		tuples hear of them at once.  For diversity all cliques count.
 */
#include "postgres.h"

#include <math.h>

#include "audit/join/counts.h"
#include "frame/arrays.h"
#include "method/sequential/guard.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Witnesses: cliques that were found to link tuples to k different values
 *
 * They may be there still: which records a tuple is consistent with, and which
 * values they show, stays as it is.  So as long as these cliques are there, no
 * others need be looked for.  Nodes of earlier releases, and pieces, keep their
 * numbers when the web is made anew or a trial is undone.  So witnesses need not
 * be undone, too: they are asked again each time.
 * ----------------------------------------------------------------
 */

/* The most numbers that are kept. */
#define MOST_NUMBERS	(UINT64CONST(16) * 1024 * 1024)

/* Allocated in the current context, in which witnesses are kept, too. */
static Witnesses
witnesses_create(const SeqPeople *people, uint32 ntuples, uint32 k)
{
	Witnesses	witnesses = {.people = people, .k = k, .width = (Size) people->last + 1, .room = MOST_NUMBERS};

	if (k * witnesses.width > MOST_NUMBERS)
		witnesses.k = 0;
	witnesses.of = new_zeros(uint32 *, ntuples);
	witnesses.heard = new_array(uint32, witnesses.k * witnesses.width);
	return witnesses;
}

/* Notes that clique, of a value that was not heard of before, whose nodes are of these releases. */
static void
witnesses_hear(Witnesses *witnesses, uint32 nheard, const int32 *release, const uint32 *node, uint32 piece)
{
	uint32	   *clique = &witnesses->heard[nheard * witnesses->width];

	if (nheard >= witnesses->k)
		return;
	for (Size i = 0; i < witnesses->width; i++)
		clique[release[i]] = node[i];
	clique[witnesses->people->last] = piece;
}

/* Keeps those that were noted, if they are k, and if there is room. */
static void
witnesses_keep(Witnesses *witnesses, uint32 tuple, uint32 nheard)
{
	Size		n = witnesses->k * witnesses->width;

	if (witnesses->k == 0 || nheard < witnesses->k)
		return;
	if (witnesses->of[tuple] == NULL)
	{
		if (n > witnesses->room)
			return;
		witnesses->of[tuple] = new_array(uint32, n);
		witnesses->room -= n;
	}
	memcpy(witnesses->of[tuple], witnesses->heard, sizeof(uint32) * n);
}

/* Are all nodes of a clique still joined? */
static bool
clique_is_there(const SeqPeople *people, const uint32 *clique)
{
	const RegionPiece *piece = &people->piece[clique[people->last]];
	uint32		node;

	if (piece->size == 0)
		return false;
	node = people->place[piece->place].node;
	for (int32 s = 0; s < people->last; s++)
	{
		if (web_between(people->web, clique[s], node) == NO_WEB_EDGE)
			return false;
		for (int32 r = 0; r < s; r++)
			if (web_between(people->web, clique[r], clique[s]) == NO_WEB_EDGE)
				return false;
	}
	return true;
}

/* Are a tuple's still there? */
static bool
witnesses_hold(const Witnesses *witnesses, uint32 tuple)
{
	const uint32 *cliques = witnesses->of[tuple];

	if (cliques == NULL)
		return false;
	for (uint32 i = 0; i < witnesses->k; i++)
		if (!clique_is_there(witnesses->people, &cliques[i * witnesses->width]))
			return false;
	return true;
}

/* ----------------------------------------------------------------
 * Tuples that a specialisation concerns: those that lose a clique, or, for
 * diversity, all those of whose cliques one may weigh otherwise
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

/* Adds the tuples of each kind that meets a region, once for each stamp. */
static void
concern_region(Guard *guard, uint32 region)
{
	const Pile *kinds = &guard->kinds_in[region];

	if (guard->region_stamped[region] == guard->stamp)
		return;
	guard->region_stamped[region] = guard->stamp;
	for (uint32 i = 0; i < kinds->n; i++)
		for (uint32 t = guard->first_of_kind[kinds->number[i]]; t < guard->first_of_kind[kinds->number[i] + 1]; t++)
			add(guard, t);
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

		if (piece->size == 0 || guard->task->diversity)
			concern_region(guard, piece->region);
	}
	for (uint32 i = web_mark; i < web->nchanges; i++)
		if (web->change[i].deed == DROPPED_EDGE)
			concern_edge(guard, &web->edge[web->change[i].which]);
}

/* ----------------------------------------------------------------
 * Cliques
 * ----------------------------------------------------------------
 */

/* Has the tuple at hand so many candidates of a release?  Of the new one, those are found that are asked for. */
static inline bool
is_there(Guard *guard, int32 r, uint32 i)
{
	if (r < guard->people->last)
		return i < guard->ncandidates[r];
	return i < guard->nfresh || meet_more(guard);
}

static inline const Candidate *
candidate_at(const Guard *guard, int32 r, uint32 i)
{
	return r < guard->people->last ? &guard->candidate[r][i] : &guard->fresh[i];
}

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
	{
		guard->heard[at] = true;
		witnesses_hear(&guard->witnesses, guard->nheard, guard->order, guard->chosen, guard->chosen_piece);
		guard->value[guard->nheard++] = at;
	}
	if (guard->task->diversity)
		wide_add(&guard->cliques[at], &guard->product[guard->people->last + 1]);
	return guard->nheard >= guard->enough;
}

/* Has this value been heard of, so that more cliques with it would tell nothing? */
static inline bool
is_old(const Guard *guard, Code value)
{
	return !guard->task->diversity && value != NO_CODE && guard->heard[value];
}

static void
weigh(Guard *guard, int32 depth, uint32 weight)
{
	memcpy(guard->product[depth + 1].limb, guard->product[depth].limb,
		   sizeof(uint32) * guard->product[depth].nlimbs);
	wide_multiply(&guard->product[depth + 1], weight);
}

/* Hears of all cliques with the nodes that are chosen, and this value, until it is enough. */
static bool
walk(Guard *guard, int32 depth, Code value)
{
	uint32		last_node = NOTHING;
	bool		joined = false;

	if (depth > guard->people->last)
		return !web_is_nobody(guard->people->web, guard->chosen) && hear(guard, value);
	for (uint32 i = 0; is_there(guard, guard->order[depth], i); i++)
	{
		const Candidate *candidate = candidate_at(guard, guard->order[depth], i);
		Code		own = candidate->value;

		guard->steps++;
		if (value != NO_CODE && own != NO_CODE && own != value)
			continue;
		own = value == NO_CODE ? own : value;
		if (is_old(guard, own))
			continue;
		if (candidate->node != last_node)
		{
			last_node = candidate->node;
			joined = fits(guard, depth, last_node);
		}
		if (!joined)
			continue;
		guard->chosen[depth] = last_node;
		if (guard->order[depth] == guard->people->last)
			guard->chosen_piece = guard->fresh_piece[i];
		if (guard->task->diversity)
			weigh(guard, depth, candidate->weight);
		if (walk(guard, depth + 1, own))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------
 * Levels
 * ----------------------------------------------------------------
 */

/* The diversity that the counted cliques give: all of them over the most frequent value's. */
static double
judge_cliques(Guard *guard)
{
	const Wide *most = NULL;

	wide_set(guard->total, 0);
	for (uint32 i = 0; i < guard->nheard; i++)
	{
		const Wide *cliques = &guard->cliques[guard->value[i]];

		wide_add(guard->total, cliques);
		if (most == NULL || wide_compare(cliques, most) > 0)
			most = cliques;
	}
	return most == NULL ? 0 : wide_ratio(guard->total, most);
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
		level = judge_cliques(guard);
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

/* Does a tuple keep its level?  If so, witnesses may save the next look. */
static bool
is_safe(Guard *guard, uint32 tuple)
{
	if (witnesses_hold(&guard->witnesses, tuple))
		return true;
	if (measure(guard, tuple, values_of(guard, guard->task->k)) >= guard->task->k)
	{
		witnesses_keep(&guard->witnesses, tuple, guard->nheard);
		return true;
	}
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

/* Levels that cannot rise: the least one is as it was, or of one who is concerned. */
static double
measure_fall(Guard *guard, double least)
{
	for (uint32 i = 0; i < guard->concerned.n && least >= guard->task->k; i++)
	{
		double		level = measure(guard, guard->concerned.number[i], values_of(guard, least));

		least = Min(least, level);
	}
	return least;
}

double
guard_measure(Guard *guard, uint32 web_mark, uint32 people_mark, double least)
{
	if (!guard->watches)
		return INFINITY;
	concern(guard, web_mark, people_mark);
	if (!guard->may_rise)
		return measure_fall(guard, least);
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

/*
 * Are a tuple's cliques either all linked to a value, or none?  So it is where a release that shows values shows them of
 * everybody who is there, for a tuple says in which releases it is.
 */
static bool
is_all_told(const JoinInput *input)
{
	for (int32 r = 0; r < input->nreleases; r++)
	{
		const JoinRelease *release = &input->release[r];
		uint32		npresent = release->nrecords - (input->together == NULL ? 0 : release->nabsent);

		for (uint32 i = 0; release->sensitive != NULL && i < npresent; i++)
			if (release->sensitive[i] == NO_CODE)
				return false;
	}
	return true;
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
	guard->may_rise = task->diversity || !is_all_told(input);
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
	guard->witnesses = witnesses_create(people, guard->ntuples, task->diversity ? 0 : values_of(guard, task->k));
	guard->level = new_zeros(double, guard->ntuples);
	return guard;
}
