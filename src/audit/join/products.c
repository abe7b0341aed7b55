/*
 * products.c
 *		Counting cliques release by release, or group by group of releases.
 *
 * NOTES
 *		Nodes that have a tuple in common are consistent in all quasi-identifiers.
 *		So they are joined unless their edge was dropped, or they contradict each
 *		other in insensitive columns or in the presence of people: which is rare.
 *		Releases of which some nodes at hand are not joined form groups; the
 *		cliques of all releases are the products of those of the groups.
 *
 *		Cliques of absentees only, which are of no person, are counted by themselves, and taken
 *		away.
 */
#include "postgres.h"

#include "audit/join/counts.h"
#include "audit/join/fans.h"
#include "audit/join/products.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/steps.h"
#include "utils/memutils.h"

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

struct Products
{
	const JoinGraph *graph;		/* borrowed */
	const uint32 *const *weight;	/* borrowed */
	Barrier    *barrier;		/* [pairs] */
	bool	  **is_dented;		/* [2 * pairs] of nodes of a, and of b: an edge of it was dropped */
	KnownSum   *known_sum;		/* [releases] */
	KnownPair  *known_pair;		/* [pairs] */
	FanWalk    *walk;

	/* The count at hand */
	const uint32 *const *only;
	const uint32 *nonly;
	int32	   *group;			/* [releases] the first release of its group */
	int32	   *member;			/* [releases] of the group at hand */
	int32		nmembers;
	int32		teller;
	Wide	   *told;			/* the counts that fans are added to */
	Wide	   *scale;			/* cliques of the groups before */
	Wide	   *sum;
	Wide	   *product;

	/* Absentees at hand */
	uint32	  **absent;			/* [releases][nodes] */
	uint32	   *nabsent;		/* [releases] */
	Wide	   *nobody;			/* [nodes of any release] */
};

/* ----------------------------------------------------------------
 * Groups of releases
 * ----------------------------------------------------------------
 */

/* The reasons why nodes of two releases, consistent in the quasi-identifiers, may not be joined. */
static Barrier
barrier_of(const JoinGraph *graph, const JoinPair *pair)
{
	const JoinInput *input = graph->input;
	const JoinSide *a = &graph->side[pair->a];
	const JoinSide *b = &graph->side[pair->b];
	Barrier		barrier = BARRIER_NONE;

	if (input->together != NULL && input->together[pair_number(pair->a, pair->b)] != ALL_TOGETHER &&
		(input->release[pair->a].nabsent > 0 || input->release[pair->b].nabsent > 0))
		return BARRIER_ANY;
	for (int32 c = input->nqis; c < input->ncolumns; c++)
		if (a->cells[c] != NULL && b->cells[c] != NULL)
			return BARRIER_ANY;
	for (uint32 e = 0; e < pair->nedges && barrier == BARRIER_NONE; e++)
		if (!pair->alive[e])
			barrier = BARRIER_DROPPED;
	return barrier;
}

static void
find_dents(const JoinGraph *graph, const JoinPair *pair, bool **is_dented)
{
	is_dented[0] = new_zeros(bool, graph->side[pair->a].nnodes);
	is_dented[1] = new_zeros(bool, graph->side[pair->b].nnodes);
	for (uint32 e = 0; e < pair->nedges; e++)
		if (!pair->alive[e])
			is_dented[0][pair->from[e]] = is_dented[1][pair->to[e]] = true;
}

/* Are two nodes at hand not joined? */
static bool
find_parted(const Products *products, Size p)
{
	const JoinPair *pair = &products->graph->pair[p];
	bool		any = products->barrier[p] == BARRIER_ANY;
	const bool *dents_of_a = products->is_dented[2 * p];
	const bool *dents_of_b = products->is_dented[2 * p + 1];

	for (uint32 i = 0; i < products->nonly[pair->a]; i++)
	{
		uint32		a = products->only[pair->a][i];

		CHECK_FOR_INTERRUPTS();
		take_steps(any || dents_of_a[a] ? products->nonly[pair->b] : 1);
		for (uint32 j = 0; (any || dents_of_a[a]) && j < products->nonly[pair->b]; j++)
		{
			uint32		b = products->only[pair->b][j];

			if ((any || dents_of_b[b]) && !is_joined(products->graph, pair->a, a, pair->b, b))
				return true;
		}
	}
	return false;
}

/* Are some of the nodes at hand of two releases not joined? The last answer is kept. */
static bool
is_parted(Products *products, Size p)
{
	const JoinPair *pair = &products->graph->pair[p];
	KnownPair  *known = &products->known_pair[p];
	const uint32 *a = products->only[pair->a];
	const uint32 *b = products->only[pair->b];
	uint32		na = products->nonly[pair->a];
	uint32		nb = products->nonly[pair->b];

	if (products->graph->clique != NULL)
		return true;
	if (products->barrier[p] == BARRIER_NONE)
		return false;
	if (known->a != a || known->b != b || known->na != na || known->nb != nb)
		*known = (KnownPair) {.a = a, .b = b, .na = na, .nb = nb, .is_parted = find_parted(products, p)};
	return known->is_parted;
}

/* Groups releases of which some nodes at hand are not joined. */
static void
find_groups(Products *products)
{
	int32		n = products->graph->nreleases;

	for (int32 r = 0; r < n; r++)
		products->group[r] = r;
	for (int32 s = 1; s < n; s++)
		for (int32 r = 0; r < s; r++)
		{
			int32		low = Min(products->group[r], products->group[s]);
			int32		high = Max(products->group[r], products->group[s]);

			if (low == high || !is_parted(products, pair_number(r, s)))
				continue;
			for (int32 other = 0; other < n; other++)
				if (products->group[other] == high)
					products->group[other] = low;
		}
}

/* Lists the members of a group; false if there is none that begins with this release. */
static bool
list_members(Products *products, int32 first)
{
	products->nmembers = 0;
	for (int32 r = first; r < products->graph->nreleases; r++)
		if (products->group[r] == first)
			products->member[products->nmembers++] = r;
	return products->nmembers > 0;
}

/* ----------------------------------------------------------------
 * Counting
 * ----------------------------------------------------------------
 */

/* Adds up the weights of a release's nodes at hand, or returns the sum found for these nodes before. */
static uint32
sum_of_weights(Products *products, int32 r)
{
	KnownSum   *known = &products->known_sum[r];

	if (known->only == products->only[r] && known->nonly == products->nonly[r])
		return known->sum;
	*known = (KnownSum) {.only = products->only[r], .nonly = products->nonly[r]};
	for (uint32 i = 0; i < known->nonly; i++)
		known->sum += products->weight[r][known->only[i]];
	return known->sum;
}

/* Adds the cliques of a fan of the group at hand, times those of the groups before. */
static void
add_fan(void *arg, const uint32 *node, const uint32 *last, uint32 nlast)
{
	Products   *products = arg;
	int32		end = products->nmembers - 1;
	const uint32 *weight = products->weight[products->member[end]];
	Wide	   *told = products->told;
	uint32		sum = 0;

	wide_copy(products->product, products->scale);
	for (int32 i = 0; i < end; i++)
		if (products->member[i] == products->teller)
			told = &products->told[node[i]];
		else
			wide_multiply(products->product, products->weight[products->member[i]][node[i]]);
	for (uint32 i = 0; i < nlast; i++)
		if (products->member[end] == products->teller)
			wide_add(&products->told[last[i]], products->product);
		else
			sum += weight[last[i]];
	wide_add_multiple(told, products->product, sum);
}

/* Multiplies the scale by the cliques of the group at hand, in which the teller is not. */
static void
scale_by_group(Products *products)
{
	if (products->nmembers == 1)
	{
		wide_multiply(products->scale, sum_of_weights(products, products->member[0]));
		return;
	}
	wide_set(products->sum, 0);
	products->told = products->sum;
	walk_fans(products->walk, products->member, products->nmembers, products->only, products->nonly);
	wide_copy(products->scale, products->sum);
}

/* Tells the cliques of the teller's group, which is at hand, times all others. */
static void
tell_group(Products *products, Wide *told)
{
	if (products->nmembers == 1)
	{
		for (uint32 i = 0; i < products->nonly[products->teller]; i++)
			wide_add(&told[products->only[products->teller][i]], products->scale);
		return;
	}
	products->told = told;
	walk_fans(products->walk, products->member, products->nmembers, products->only, products->nonly);
}

/* Sets the scale to the cliques of all groups but the teller's. */
static void
scale_by_others(Products *products, const uint32 *const *only, const uint32 *nonly, int32 teller)
{
	products->only = only;
	products->nonly = nonly;
	take_steps(npairs(products->graph));
	find_groups(products);
	products->teller = -1;
	wide_set(products->scale, 1);
	for (int32 r = 0; r < products->graph->nreleases; r++)
		if (products->group[r] == r && (teller < 0 || products->group[teller] != r) && list_members(products, r))
			scale_by_group(products);
	products->teller = teller;
}

static void
count_all(Products *products, const uint32 *const *only, const uint32 *nonly, int32 teller, Wide *told)
{
	scale_by_others(products, only, nonly, teller);
	if (teller < 0)
		wide_add(told, products->scale);
	else if (!wide_is_zero(products->scale) && list_members(products, products->group[teller]))
		tell_group(products, told);
}

/* ----------------------------------------------------------------
 * Cliques of absentees only
 * ----------------------------------------------------------------
 */

/* Lists the absentees at hand; false if a release has none. */
static bool
list_absent(Products *products, const uint32 *const *only, const uint32 *nonly)
{
	for (int32 r = 0; r < products->graph->nreleases; r++)
	{
		products->nabsent[r] = 0;
		for (uint32 i = 0; i < nonly[r]; i++)
			if (products->graph->side[r].is_absent[only[r][i]])
				products->absent[r][products->nabsent[r]++] = only[r][i];
		if (products->nabsent[r] == 0)
			return false;
	}
	return true;
}

/* Subtracts the cliques of absentees only. */
static void
take_away_nobody(Products *products, int32 teller, Wide *told)
{
	uint32		n = teller < 0 ? 1 : products->nabsent[teller];

	products_forget(products);
	for (uint32 i = 0; i < n; i++)
		wide_set(&products->nobody[teller < 0 ? 0 : products->absent[teller][i]], 0);
	count_all(products, (const uint32 *const *) products->absent, products->nabsent, teller, products->nobody);
	for (uint32 i = 0; i < n; i++)
	{
		uint32		at = teller < 0 ? 0 : products->absent[teller][i];

		wide_subtract(&told[at], &products->nobody[at]);
	}
	products_forget(products);
}

void
count_products(Products *products, const uint32 *const *only, const uint32 *nonly, int32 teller, Wide *told)
{
	count_all(products, only, nonly, teller, told);
	/* A walk over all releases leaves cliques of absentees out by itself. */
	if (products->absent != NULL && products->graph->clique == NULL && list_absent(products, only, nonly))
	{
		find_groups(products);
		if (!list_members(products, 0) || products->nmembers < products->graph->nreleases)
			take_away_nobody(products, teller, told);
	}
}

const Wide *
count_others(Products *products, const uint32 *const *only, const uint32 *nonly, int32 teller)
{
	scale_by_others(products, only, nonly, teller);
	if (!list_members(products, products->group[teller]) || products->nmembers > 1 ||
		(products->absent != NULL && list_absent(products, only, nonly)))
		return NULL;
	return products->scale;
}

/* ----------------------------------------------------------------
 * Beginning
 * ----------------------------------------------------------------
 */

void
products_forget(Products *products)
{
	memset(products->known_sum, 0, sizeof(KnownSum) * products->graph->nreleases);
	memset(products->known_pair, 0, sizeof(KnownPair) * npairs(products->graph));
}

/* Are there absentees in each release? */
static bool
has_absentees(const JoinGraph *graph)
{
	for (int32 r = 0; r < graph->nreleases; r++)
		if (graph->input->release[r].nabsent == 0)
			return false;
	return graph->input->together != NULL;
}

/* Allocates room for absentees and their cliques. */
static void
prepare_absent(Products *products)
{
	const JoinGraph *graph = products->graph;
	uint32		most = 1;

	products->absent = new_zeros(uint32 *, graph->nreleases);
	products->nabsent = new_zeros(uint32, graph->nreleases);
	for (int32 r = 0; r < graph->nreleases; r++)
	{
		products->absent[r] = new_zeros(uint32, graph->side[r].nnodes);
		most = Max(most, graph->side[r].nnodes);
	}
	products->nobody = wide_create(most, join_limbs(graph));
}

Products *
products_create(const JoinGraph *graph, const uint32 *const *weight)
{
	Products   *products = palloc0(sizeof(Products));

	products->graph = graph;
	products->weight = weight;
	products->barrier = new_zeros(Barrier, npairs(graph));
	products->is_dented = new_zeros(bool *, 2 * npairs(graph));
	for (Size p = 0; p < npairs(graph); p++)
	{
		products->barrier[p] = barrier_of(graph, &graph->pair[p]);
		if (products->barrier[p] == BARRIER_DROPPED)
			find_dents(graph, &graph->pair[p], &products->is_dented[2 * p]);
	}
	products->known_sum = new_zeros(KnownSum, graph->nreleases);
	products->known_pair = new_zeros(KnownPair, npairs(graph));
	products->walk = fans_create(graph, add_fan, products);
	products->group = new_zeros(int32, graph->nreleases);
	products->member = new_zeros(int32, graph->nreleases);
	products->scale = wide_create(1, join_limbs(graph));
	products->sum = wide_create(1, join_limbs(graph));
	products->product = wide_create(1, join_limbs(graph));
	if (has_absentees(graph))
		prepare_absent(products);
	return products;
}
