/*
 * counting.c
 *		Finding the records that are consistent with a tuple, and counting their cliques.
 *
 * NOTES
 *		Which records these are depends on the columns that a release shows: tuples that agree in them are consistent
 *		with the same, and mostly nothing need be looked for again.
 *
 *		Nodes that have a tuple in common are consistent in all quasi-identifiers.  So they are joined unless their
 *		edge was dropped, or they contradict each other in insensitive columns or in the presence of people: which is
 *		rare.  Releases of which some nodes at hand are not joined form groups; the cliques of all releases are the
 *		products of those of the groups.
 *
 *		Cliques of absentees only, which are of no person, are counted by themselves, and taken away.
 */
#include "postgres.h"

#include "audit/join/counting.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ---- Records that are consistent with a tuple ---- */

Parting
part_tuples(const JoinTuples *tuples, const int32 *column, int32 ncolumns)
{
	Parting		parting = parting_create(tuples->ntuples);
	Span	   *cells = new_array(Span, tuples->ntuples);

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
find_shares(const JoinGraph *graph, int32 r, Consistent *consistent)
{
	const JoinSide *side = &graph->side[r];
	const Code *sensitive = graph->input->release[r].sensitive;
	Parting		parting = parting_create(side->npieces);
	Span	   *cells = new_array(Span, side->npieces);

	for (uint32 p = 0; p < side->npieces; p++)
		cells[p] = (Span) {side->piece[p].node, sensitive[side->piece[p].record]};
	part_by(&parting, cells);
	consistent->share_of = parting.part;
	consistent->share = new_array(Share, parting.nparts);
	for (uint32 p = 0; p < side->npieces; p++)
		consistent->share[parting.part[p]] = (Share) {.node = cells[p].lo, .value = cells[p].hi};
	consistent->found_share = new_array(uint32, parting.nparts);
	consistent->share_weight = new_zeros(uint32, parting.nparts);
	pfree(cells);
}

Consistent *
consistent_create(const JoinGraph *graph, const JoinTuples *tuples)
{
	Consistent *releases = new_zeros(Consistent, graph->nreleases);

	for (int32 r = 0; r < graph->nreleases; r++)
	{
		const JoinSide *side = &graph->side[r];
		Consistent *consistent = &releases[r];
		const Span **cells = new_array(const Span *, graph->input->nqis);
		uint32	   *record = new_array(uint32, side->npieces);

		consistent->side = side;
		consistent->part = NO_TUPLE;
		consistent->column = new_array(int32, graph->input->nqis);
		for (int32 c = 0; c < graph->input->nqis; c++)
			if (side->cells[c] != NULL)
			{
				consistent->column[consistent->ncolumns] = c;
				cells[consistent->ncolumns++] = side->cells[c];
			}
		for (uint32 p = 0; p < side->npieces; p++)
			record[p] = side->piece[p].record;
		consistent->boxes = boxes_index(side->npieces, record, consistent->ncolumns, cells);
		consistent->box = new_array(Span, consistent->ncolumns);
		consistent->alike = part_tuples(tuples, consistent->column, consistent->ncolumns);
		consistent->shows_values = side->cells[graph->sensitive] != NULL;
		consistent->piece = new_array(uint32, side->npieces);
		consistent->node = new_array(uint32, side->nnodes);
		consistent->weight = new_zeros(uint32, side->nnodes);
		if (!consistent->shows_values)
			continue;
		find_shares(graph, r, consistent);
		if (!side->shared[graph->sensitive])
			continue;
		consistent->value = new_array(Code, side->nnodes);
		for (uint32 v = 0; v < side->nnodes; v++)
			consistent->value[v] = graph->input->release[r].sensitive[side->record[v]];
	}
	return releases;
}

/* Orders nodes by their values; those that show none come last. */
DEFINE_ORDER_BY_KEY(compare_nodes, uint32, Code, <);

void
find_consistent(Consistent *consistent, const JoinTuples *tuples, uint32 tuple, bool is_wide)
{
	uint32		part = consistent->alike.part[tuple] + (is_wide ? consistent->alike.nparts : 0);
	uint32		npieces;

	if (consistent->part == part)
		return;
	consistent->part = part;
	for (uint32 i = 0; i < consistent->nnodes; i++)
		consistent->weight[consistent->node[i]] = 0;
	for (uint32 i = 0; i < consistent->nshares; i++)
		consistent->share_weight[consistent->found_share[i]] = 0;
	consistent->nnodes = consistent->nshares = 0;
	for (int32 c = 0; c < consistent->ncolumns; c++)
		consistent->box[c] = tuple_cell(tuples, consistent->column[c], tuple);
	npieces = boxes_find(consistent->boxes, consistent->box, is_wide ? MEETING : AROUND, consistent->piece);
	take_steps(npieces);
	for (uint32 i = 0; i < npieces; i++)
	{
		const Piece *piece = &consistent->side->piece[consistent->piece[i]];
		uint32		share;

		if (consistent->weight[piece->node] == 0)
			consistent->node[consistent->nnodes++] = piece->node;
		consistent->weight[piece->node] += piece->nrecords;
		if (!consistent->shows_values)
			continue;
		share = consistent->share_of[consistent->piece[i]];
		if (consistent->share_weight[share] == 0)
			consistent->found_share[consistent->nshares++] = share;
		consistent->share_weight[share] += piece->nrecords;
	}
	if (consistent->value != NULL)
		qsort_arg(consistent->node, consistent->nnodes, sizeof(uint32), compare_nodes, consistent->value);
}

uint32
first_of_value(const Consistent *consistent, Code value)
{
	uint32		first;

	find_first(first, consistent->nnodes, i, consistent->value[consistent->node[i]] >= value);
	return first;
}

/* ---- Groups of releases ---- */

/* A reason that may keep nodes of two releases from being joined */
typedef enum Barrier
{
	BARRIER_NONE,
	BARRIER_DROPPED,			/* edges that were dropped */
	BARRIER_ANY					/* and other columns, or the presence of people */
} Barrier;

struct CliqueCounter
{
	const JoinGraph *graph;		/* borrowed */
	const uint32 *const *weight;	/* borrowed */
	Barrier    *barrier;		/* [pairs] */
	bool	  **is_dented;		/* [2 * pairs] of nodes of a, and of b: an edge of it was dropped */
	uint32	   *node;			/* [releases] of the walk, at the places of their releases in the group */

	/* The count at hand */
	const uint32 *const *only;
	const uint32 *nonly;
	int32	   *group;			/* [releases] the first release of its group */
	int32	   *member;			/* [releases] of the group at hand */
	int32		nmembers;
	int32		by;
	Wide	   *count;			/* what cliques are added to */
	Wide	   *scale;			/* cliques of the groups before this one */
	Wide	   *sum;
	Wide	   *product;

	/* Absentees at hand */
	uint32	  **absent;			/* [releases][nodes] */
	uint32	   *nabsent;		/* [releases] */
	Wide	   *nobody;			/* [nodes of any release] */
};

/* Are some of the nodes at hand of two releases not joined? */
static bool
is_parted(const CliqueCounter *counter, Size p)
{
	const JoinPair *pair = &counter->graph->pair[p];
	const uint32 *a = counter->only[pair->a];
	const uint32 *b = counter->only[pair->b];
	uint32		nb = counter->nonly[pair->b];
	bool		any = counter->barrier[p] == BARRIER_ANY;
	const bool *dents_of_a = counter->is_dented[2 * p];
	const bool *dents_of_b = counter->is_dented[2 * p + 1];

	if (counter->graph->clique != NULL || counter->barrier[p] == BARRIER_NONE)
		return counter->graph->clique != NULL;
	for (uint32 i = 0; i < counter->nonly[pair->a]; i++)
	{
		CHECK_FOR_INTERRUPTS();
		take_steps(any || dents_of_a[a[i]] ? nb : 1);
		for (uint32 j = 0; (any || dents_of_a[a[i]]) && j < nb; j++)
			if ((any || dents_of_b[b[j]]) && !is_joined(counter->graph, pair->a, a[i], pair->b, b[j]))
				return true;
	}
	return false;
}

/* Groups releases of which some nodes at hand are not joined. */
static void
find_groups(CliqueCounter *counter)
{
	int32		n = counter->graph->nreleases;

	for (int32 r = 0; r < n; r++)
		counter->group[r] = r;
	for (int32 s = 1; s < n; s++)
		for (int32 r = 0; r < s; r++)
		{
			int32		low = Min(counter->group[r], counter->group[s]);
			int32		high = Max(counter->group[r], counter->group[s]);

			if (low == high || !is_parted(counter, pair_number(r, s)))
				continue;
			for (int32 other = 0; other < n; other++)
				if (counter->group[other] == high)
					counter->group[other] = low;
		}
}

/* Lists the members of a group; false if there is none that begins with this release. */
static bool
list_members(CliqueCounter *counter, int32 first)
{
	counter->nmembers = 0;
	for (int32 r = first; r < counter->graph->nreleases; r++)
		if (counter->group[r] == first)
			counter->member[counter->nmembers++] = r;
	return counter->nmembers > 0;
}

/* ---- Counting ---- */

/* Adds the clique at hand, times those of the groups before.  In a walk over fewer releases, all belong to the join. */
static void
add_clique(CliqueCounter *counter)
{
	const JoinGraph *graph = counter->graph;
	Wide	   *count = counter->count;

	if (counter->nmembers == graph->nreleases &&
		(is_nobody(graph, counter->node) ||
		 (graph->clique != NULL && find_clique(graph->clique, graph->ncliques, graph->nreleases, counter->node) == graph->ncliques)))
		return;
	wide_copy(counter->product, counter->scale);
	for (int32 i = 0; i < counter->nmembers; i++)
		if (counter->member[i] == counter->by)
			count = &counter->count[counter->node[i]];
		else
			wide_multiply(counter->product, counter->weight[counter->member[i]][counter->node[i]]);
	wide_add(count, counter->product);
}

/* Chooses a node of the group's i-th release, and of all later ones, each joined to those chosen before. */
static void
walk_from(CliqueCounter *counter, int32 i)
{
	int32		r = counter->member[i];

	CHECK_FOR_INTERRUPTS();
	take_steps(counter->nonly[r]);
	for (uint32 v = 0; v < counter->nonly[r]; v++)
	{
		int32		j = 0;

		counter->node[i] = counter->only[r][v];
		while (j < i && is_joined(counter->graph, counter->member[j], counter->node[j], r, counter->node[i]))
			j++;
		if (j < i)
			continue;
		if (i + 1 < counter->nmembers)
			walk_from(counter, i + 1);
		else
			add_clique(counter);
	}
}

/* Adds the cliques of the group at hand to these. */
static void
count_group(CliqueCounter *counter, Wide *count)
{
	counter->count = count;
	walk_from(counter, 0);
}

/* Sets the scale to the cliques of all groups but that of one release. */
static void
scale_by_others(CliqueCounter *counter, const uint32 *const *only, const uint32 *nonly, int32 by)
{
	counter->only = only;
	counter->nonly = nonly;
	take_steps(npairs(counter->graph));
	find_groups(counter);
	counter->by = -1;
	wide_set(counter->scale, 1);
	for (int32 r = 0; r < counter->graph->nreleases; r++)
	{
		if (counter->group[r] != r || (by >= 0 && counter->group[by] == r) || !list_members(counter, r))
			continue;
		if (counter->nmembers == 1)
		{
			uint32		sum = 0;

			for (uint32 i = 0; i < nonly[r]; i++)
				sum += counter->weight[r][only[r][i]];
			wide_multiply(counter->scale, sum);
			continue;
		}
		wide_set(counter->sum, 0);
		count_group(counter, counter->sum);
		wide_copy(counter->scale, counter->sum);
	}
	counter->by = by;
}

/* Adds the cliques of the nodes, those of absentees only among them. */
static void
count_all(CliqueCounter *counter, const uint32 *const *only, const uint32 *nonly, int32 by, Wide *count)
{
	scale_by_others(counter, only, nonly, by);
	if (by < 0)
		wide_add(count, counter->scale);
	else if (!wide_is_zero(counter->scale) && list_members(counter, counter->group[by]))
	{
		if (counter->nmembers > 1)
			count_group(counter, count);
		else
			for (uint32 i = 0; i < nonly[by]; i++)
				wide_add(&count[only[by][i]], counter->scale);
	}
}

/* Lists the absentees at hand; false if a release has none. */
static bool
list_absent(CliqueCounter *counter, const uint32 *const *only, const uint32 *nonly)
{
	for (int32 r = 0; r < counter->graph->nreleases; r++)
	{
		counter->nabsent[r] = 0;
		for (uint32 i = 0; i < nonly[r]; i++)
			if (counter->graph->side[r].is_absent[only[r][i]])
				counter->absent[r][counter->nabsent[r]++] = only[r][i];
		if (counter->nabsent[r] == 0)
			return false;
	}
	return true;
}

/* Subtracts the cliques of absentees only. */
static void
take_away_nobody(CliqueCounter *counter, int32 by, Wide *count)
{
	uint32		n = by < 0 ? 1 : counter->nabsent[by];

	for (uint32 i = 0; i < n; i++)
		wide_set(&counter->nobody[by < 0 ? 0 : counter->absent[by][i]], 0);
	count_all(counter, (const uint32 *const *) counter->absent, counter->nabsent, by, counter->nobody);
	for (uint32 i = 0; i < n; i++)
	{
		uint32		at = by < 0 ? 0 : counter->absent[by][i];

		wide_subtract(&count[at], &counter->nobody[at]);
	}
}

void
count_cliques(CliqueCounter *counter, const uint32 *const *only, const uint32 *nonly, int32 by, Wide *count)
{
	count_all(counter, only, nonly, by, count);
	/* A walk over all releases leaves cliques of absentees out by itself. */
	if (counter->absent != NULL && counter->graph->clique == NULL && list_absent(counter, only, nonly))
	{
		find_groups(counter);
		if (!list_members(counter, 0) || counter->nmembers < counter->graph->nreleases)
			take_away_nobody(counter, by, count);
	}
}

/* Finds the reasons why nodes of two releases, consistent in the quasi-identifiers, may not be joined. */
static void
find_barrier(CliqueCounter *counter, Size p)
{
	const JoinGraph *graph = counter->graph;
	const JoinInput *input = graph->input;
	const JoinPair *pair = &graph->pair[p];
	Barrier    *barrier = &counter->barrier[p];

	if (input->together != NULL && input->together[p] != ALL_TOGETHER &&
		(input->release[pair->a].nabsent > 0 || input->release[pair->b].nabsent > 0))
		*barrier = BARRIER_ANY;
	for (int32 c = input->nqis; c < input->ncolumns; c++)
		if (graph->side[pair->a].cells[c] != NULL && graph->side[pair->b].cells[c] != NULL)
			*barrier = BARRIER_ANY;
	if (*barrier == BARRIER_ANY || memchr(pair->alive, 0, pair->nedges) == NULL)
		return;
	*barrier = BARRIER_DROPPED;
	counter->is_dented[2 * p] = new_zeros(bool, graph->side[pair->a].nnodes);
	counter->is_dented[2 * p + 1] = new_zeros(bool, graph->side[pair->b].nnodes);
	for (uint32 e = 0; e < pair->nedges; e++)
		if (!pair->alive[e])
			counter->is_dented[2 * p][pair->from[e]] = counter->is_dented[2 * p + 1][pair->to[e]] = true;
}

CliqueCounter *
counter_create(const JoinGraph *graph, const uint32 *const *weight)
{
	CliqueCounter *counter = palloc0(sizeof(CliqueCounter));
	Size		n = graph->nreleases;
	bool		has_absentees = graph->input->together != NULL;
	uint32		most = 1;

	counter->graph = graph;
	counter->weight = weight;
	counter->barrier = new_zeros(Barrier, npairs(graph));	/* BARRIER_NONE */
	counter->is_dented = new_zeros(bool *, 2 * npairs(graph));
	for (Size p = 0; p < npairs(graph); p++)
		find_barrier(counter, p);
	counter->group = new_array(int32, n);
	counter->member = new_array(int32, n);
	counter->scale = wide_create(1, join_limbs(graph));
	counter->sum = wide_create(1, join_limbs(graph));
	counter->product = wide_create(1, join_limbs(graph));
	counter->node = new_array(uint32, n);
	for (int32 r = 0; r < graph->nreleases; r++)
		has_absentees = has_absentees && graph->input->release[r].nabsent > 0;
	if (!has_absentees)
		return counter;
	counter->absent = new_array(uint32 *, n);
	counter->nabsent = new_array(uint32, n);
	for (int32 r = 0; r < graph->nreleases; r++)
	{
		counter->absent[r] = new_array(uint32, graph->side[r].nnodes);
		most = Max(most, graph->side[r].nnodes);
	}
	counter->nobody = wide_create(most, join_limbs(graph));
	return counter;
}
