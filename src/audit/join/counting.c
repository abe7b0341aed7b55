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
#include "port/pg_bitutils.h"
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
		consistent->nvalues = graph->input->nvalues;
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
		consistent->next = new_array(uint32, side->nnodes);
		consistent->head = new_array(uint32, graph->input->nvalues);
		consistent->found_value = new_array(Code, graph->input->nvalues);
		for (Code value = 0; value <= graph->input->nvalues; value++)
			consistent->head[value] = NO_NODE;
		for (uint32 v = 0; v < side->nnodes; v++)
			consistent->value[v] = graph->input->release[r].sensitive[side->record[v]];
	}
	return releases;
}

/* Puts the nodes in the order of their values: there are mostly far fewer values than nodes, so only values are sorted. */
static void
order_nodes(Consistent *consistent)
{
	uint32		nvalues = 0;
	uint32		n = 0;

	for (uint32 i = 0; i < consistent->nnodes; i++)
	{
		uint32		node = consistent->node[i];
		Code		value = Min(consistent->value[node], consistent->nvalues);	/* those that show none come last */
		uint32	   *head = &consistent->head[value];

		if (*head == NO_NODE)
			consistent->found_value[nvalues++] = value;
		consistent->next[node] = *head;
		*head = node;
	}
	sort_codes(consistent->found_value, nvalues);
	for (uint32 i = 0; i < nvalues; i++)
	{
		uint32	   *head = &consistent->head[consistent->found_value[i]];

		for (; *head != NO_NODE; *head = consistent->next[*head])
			consistent->node[n++] = *head;
	}
}

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
		order_nodes(consistent);
}

uint32
first_of_value(const Consistent *consistent, Code value)
{
	uint32		first;

	find_first(first, consistent->nnodes, i, consistent->value[consistent->node[i]] >= value);
	return first;
}

/* ----------------------------------------------------------------
 * Walking over the cliques of a few nodes of some releases
 *
 * For each node of a release and each later release, a bitmap says to which of its nodes at hand it is joined.  Those
 * that may still complete a clique are what is left of them all, so a walk never comes to a dead end of which it could
 * have known.  Cliques that differ in the node of the last release only are visited at once.
 * ----------------------------------------------------------------
 */

#define WORD_BITS 64

typedef struct BitmapWalk
{
	/* The nodes at hand, which are different ones, by the place of their release among those at hand */
	const int32 *release;		/* [nreleases] */
	int32		nreleases;
	const uint32 **only;		/* [releases] */
	uint32	   *nonly;			/* [releases] */
	Size	   *nwords;			/* [releases] of a bitmap of them */

	/*
	 * Bitmaps, and where they begin, for releases r < s: those of the nodes of r, and what is left of s in the choice
	 * of r
	 */
	uint64	   *word;
	Size		room;
	Size	   *joined;			/* [releases * releases] */
	Size	   *left;			/* [releases * releases] */

	/* The walk's position: a node of each release but the last, and nodes of the last that each complete a clique */
	uint32	   *node;			/* [releases] */
	uint32	   *last;			/* [last_room] */
	uint32		nlast;
	uint32		last_room;
} BitmapWalk;

static inline uint64 *
joined_to(const BitmapWalk *walk, int32 r, uint32 i, int32 s)
{
	return &walk->word[walk->joined[r * walk->nreleases + s] + i * walk->nwords[s]];
}

static inline uint64 *
left_of(const BitmapWalk *walk, int32 r, int32 s)
{
	return &walk->word[walk->left[r * walk->nreleases + s]];
}

static inline void
set_bit(uint64 *words, uint32 i)
{
	words[i / WORD_BITS] |= UINT64CONST(1) << (i % WORD_BITS);
}

/* Fills the bitmaps: the nodes left at first, and those joined to each node. */
static void
fill_bitmaps(const JoinGraph *graph, BitmapWalk *walk)
{
	Size		n = 0;

	for (int32 s = 0; s < walk->nreleases; s++)
	{
		walk->nwords[s] = ((Size) walk->nonly[s] + WORD_BITS - 1) / WORD_BITS;
		for (int32 r = 0; r <= s; r++)
		{
			walk->left[r * walk->nreleases + s] = n;
			n += walk->nwords[s];
			walk->joined[r * walk->nreleases + s] = n;
			n += r < s ? walk->nonly[r] * walk->nwords[s] : 0;
		}
	}
	array_reserve(walk->word, walk->room, n);
	memset(walk->word, 0, sizeof(uint64) * n);
	array_reserve(walk->last, walk->last_room, walk->nonly[walk->nreleases - 1]);
	for (int32 s = 0; s < walk->nreleases; s++)
	{
		for (uint32 j = 0; j < walk->nonly[s]; j++)
			set_bit(left_of(walk, 0, s), j);
		for (int32 r = 0; r < s; r++)
			for (uint32 i = 0; i < walk->nonly[r]; i++)
			{
				CHECK_FOR_INTERRUPTS();
				take_steps(walk->nonly[s]);
				for (uint32 j = 0; j < walk->nonly[s]; j++)
					if (is_joined(graph, walk->release[r], walk->only[r][i], walk->release[s], walk->only[s][j]))
						set_bit(joined_to(walk, r, i, s), j);
			}
	}
}

/* Takes node i of release r; false if that leaves no node of some later release. */
static bool
choose(BitmapWalk *walk, int32 r, uint32 i)
{
	for (int32 s = r + 1; s < walk->nreleases; s++)
	{
		const uint64 *before = left_of(walk, r, s);
		const uint64 *joined = joined_to(walk, r, i, s);
		uint64	   *left = left_of(walk, r + 1, s);
		uint64		any = 0;

		for (Size w = 0; w < walk->nwords[s]; w++)
			any |= left[w] = before[w] & joined[w];
		if (any == 0)
			return false;
	}
	walk->node[r] = walk->only[r][i];
	return true;
}

/* ---- Groups of releases ---- */

/* A reason that may keep nodes of two releases from being joined */
typedef enum Barrier
{
	BARRIER_NONE,
	BARRIER_DROPPED,			/* edges that were dropped */
	BARRIER_ANY					/* and other columns, or the presence of people */
} Barrier;

/* The sum that was found for the nodes at hand, as long as these are the same */
typedef struct KnownSum
{
	const uint32 *only;
	uint32		nonly;
	uint32		sum;
} KnownSum;

typedef struct KnownPair
{
	const uint32 *a;
	const uint32 *b;
	uint32		na;
	uint32		nb;
	bool		is_parted;
} KnownPair;

struct CliqueCounter
{
	const JoinGraph *graph;		/* borrowed */
	const uint32 *const *weight;	/* borrowed */
	Barrier    *barrier;		/* [pairs] */
	bool	  **is_dented;		/* [2 * pairs] of nodes of a, and of b: an edge of it was dropped */
	KnownSum   *known_sum;		/* [releases] */
	KnownPair  *known_pair;		/* [pairs] */
	BitmapWalk	walk;

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

/* Are some of the nodes at hand of two releases not joined? The last answer is kept. */
static bool
is_parted(CliqueCounter *counter, Size p)
{
	const JoinPair *pair = &counter->graph->pair[p];
	KnownPair  *known = &counter->known_pair[p];
	const uint32 *a = counter->only[pair->a];
	const uint32 *b = counter->only[pair->b];
	uint32		na = counter->nonly[pair->a];
	uint32		nb = counter->nonly[pair->b];
	bool		any = counter->barrier[p] == BARRIER_ANY;
	const bool *dents_of_a = counter->is_dented[2 * p];
	const bool *dents_of_b = counter->is_dented[2 * p + 1];

	if (counter->graph->clique != NULL)
		return true;
	if (counter->barrier[p] == BARRIER_NONE)
		return false;
	if (known->a == a && known->b == b && known->na == na && known->nb == nb)
		return known->is_parted;
	*known = (KnownPair) {.a = a, .b = b, .na = na, .nb = nb};
	for (uint32 i = 0; i < na && !known->is_parted; i++)
	{
		CHECK_FOR_INTERRUPTS();
		take_steps(any || dents_of_a[a[i]] ? nb : 1);
		for (uint32 j = 0; (any || dents_of_a[a[i]]) && j < nb && !known->is_parted; j++)
			known->is_parted = (any || dents_of_b[b[j]]) && !is_joined(counter->graph, pair->a, a[i], pair->b, b[j]);
	}
	return known->is_parted;
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

/* Adds up the weights of a release's nodes at hand, or returns the sum found for these nodes before. */
static uint32
sum_of_weights(CliqueCounter *counter, int32 r)
{
	KnownSum   *known = &counter->known_sum[r];

	if (known->only == counter->only[r] && known->nonly == counter->nonly[r])
		return known->sum;
	*known = (KnownSum) {.only = counter->only[r], .nonly = counter->nonly[r]};
	for (uint32 i = 0; i < known->nonly; i++)
		known->sum += counter->weight[r][known->only[i]];
	return known->sum;
}

/* Adds cliques of the group at hand that differ in the last node, times those of the groups before. */
static void
add_cliques(CliqueCounter *counter)
{
	const BitmapWalk *walk = &counter->walk;
	int32		end = counter->nmembers - 1;
	const uint32 *weight = counter->weight[counter->member[end]];
	Wide	   *count = counter->count;
	uint32		sum = 0;

	wide_copy(counter->product, counter->scale);
	for (int32 i = 0; i < end; i++)
		if (counter->member[i] == counter->by)
			count = &counter->count[walk->node[i]];
		else
			wide_multiply(counter->product, counter->weight[counter->member[i]][walk->node[i]]);
	for (uint32 i = 0; i < walk->nlast; i++)
		if (counter->member[end] == counter->by)
			wide_add(&counter->count[walk->last[i]], counter->product);
		else
			sum += weight[walk->last[i]];
	wide_add_multiple(count, counter->product, sum);
}

/* Chooses a node of the group's release r and of all later ones. */
static void
walk_from(CliqueCounter *counter, int32 r)
{
	const JoinGraph *graph = counter->graph;
	BitmapWalk *walk = &counter->walk;
	const uint64 *left = left_of(walk, r, r);

	walk->nlast = 0;
	for (Size w = 0; w < walk->nwords[r]; w++)
		for (uint64 word = left[w]; word != 0; word &= word - 1)
		{
			uint32		i = w * WORD_BITS + pg_rightmost_one_pos64(word);

			take_steps(1);
			if (r < walk->nreleases - 1)
			{
				if (choose(walk, r, i))
					walk_from(counter, r + 1);
			}
			else
			{
				/* In a walk over fewer releases, all cliques belong to the join */
				walk->node[r] = walk->only[r][i];
				if (walk->nreleases == graph->nreleases && is_nobody(graph, walk->node))
					continue;
				if (walk->nreleases < graph->nreleases || graph->clique == NULL ||
					find_clique(graph->clique, graph->ncliques, graph->nreleases, walk->node) < graph->ncliques)
					walk->last[walk->nlast++] = walk->only[r][i];
			}
		}
	if (r == walk->nreleases - 1 && walk->nlast > 0)
		add_cliques(counter);
	CHECK_FOR_INTERRUPTS();
}

/* Adds the cliques of the group at hand to these. */
static void
count_group(CliqueCounter *counter, Wide *count)
{
	BitmapWalk *walk = &counter->walk;

	counter->count = count;
	walk->release = counter->member;
	walk->nreleases = counter->nmembers;
	for (int32 i = 0; i < counter->nmembers; i++)
	{
		walk->only[i] = counter->only[counter->member[i]];
		walk->nonly[i] = counter->nonly[counter->member[i]];
	}
	fill_bitmaps(counter->graph, walk);
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
			wide_multiply(counter->scale, sum_of_weights(counter, r));
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

	counter_forget(counter);
	for (uint32 i = 0; i < n; i++)
		wide_set(&counter->nobody[by < 0 ? 0 : counter->absent[by][i]], 0);
	count_all(counter, (const uint32 *const *) counter->absent, counter->nabsent, by, counter->nobody);
	for (uint32 i = 0; i < n; i++)
	{
		uint32		at = by < 0 ? 0 : counter->absent[by][i];

		wide_subtract(&count[at], &counter->nobody[at]);
	}
	counter_forget(counter);
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

const Wide *
count_others(CliqueCounter *counter, const uint32 *const *only, const uint32 *nonly, int32 by)
{
	scale_by_others(counter, only, nonly, by);
	if (!list_members(counter, counter->group[by]) || counter->nmembers > 1 ||
		(counter->absent != NULL && list_absent(counter, only, nonly)))
		return NULL;
	return counter->scale;
}

void
counter_forget(CliqueCounter *counter)
{
	memset(counter->known_sum, 0, sizeof(KnownSum) * counter->graph->nreleases);
	memset(counter->known_pair, 0, sizeof(KnownPair) * npairs(counter->graph));
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
	BitmapWalk *walk = &counter->walk;
	Size		n = graph->nreleases;
	bool		has_absentees = graph->input->together != NULL;
	uint32		most = 1;

	counter->graph = graph;
	counter->weight = weight;
	counter->barrier = new_zeros(Barrier, npairs(graph));	/* BARRIER_NONE */
	counter->is_dented = new_zeros(bool *, 2 * npairs(graph));
	for (Size p = 0; p < npairs(graph); p++)
		find_barrier(counter, p);
	counter->known_sum = new_zeros(KnownSum, n);
	counter->known_pair = new_zeros(KnownPair, npairs(graph));
	counter->group = new_array(int32, n);
	counter->member = new_array(int32, n);
	counter->scale = wide_create(1, join_limbs(graph));
	counter->sum = wide_create(1, join_limbs(graph));
	counter->product = wide_create(1, join_limbs(graph));
	walk->only = new_array(const uint32 *, n);
	walk->nonly = new_array(uint32, n);
	walk->nwords = new_array(Size, n);
	array_reserve(walk->word, walk->room, 64);
	walk->joined = new_array(Size, n * n);
	walk->left = new_array(Size, n * n);
	walk->node = new_array(uint32, n);
	array_reserve(walk->last, walk->last_room, 64);
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
