/*
 * hearing.c
 *		Counting cliques value by value.
 *
 * NOTES
 *		If several releases show the sensitive column, each clique has one value,
 *		and is counted with the first of its nodes that shows it: those before
 *		show none, and those behind the same or none.
 *
 *		If one release shows it, its nodes may have several values.  The cliques
 *		that each node is in are counted first, and divided among the values of
 *		its records afterwards.
 */
#include "postgres.h"

#include "audit/join/counts.h"
#include "audit/join/products.h"
#include "audit/join/hearing.h"
#include "frame/arrays.h"
#include "utils/memutils.h"

typedef struct Listening
{
	Products   *products;
	const uint32 **weight;		/* [releases] */
	const uint32 **only;		/* [releases] nodes at hand */
	uint32	   *nonly;			/* [releases] */
	uint32	  **mixed;			/* [releases][nodes] room for those of two values; NULL if that cannot be */
	Wide	   *total;
	int32		teller;			/* the release alone that shows the sensitive column, or -1 */
	Wide	   *told;			/* [nodes of the teller] */

	/* Values of the teller's records that tuples of this part meet: most tuples meet what the one before did */
	uint32		part;
	uint32	   *shown;			/* [values + 1] records */
	Code	   *value;			/* [values + 1] that are shown, or NO_CODE */
	uint32		nvalues;
} Listening;

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

/* Adds cliques to those of a value; a NULL counts for no value. */
static void
add_cliques(Hearing *hearing, Code code, const Wide *cliques, uint32 times)
{
	Code		value = code == NO_CODE ? hearing->graph->input->nvalues : code;

	if (times == 0 || wide_is_zero(cliques))
		return;
	hearing->any = true;
	if (code == hearing->graph->input->null_value && code != NO_CODE)
		return;
	if (!hearing->heard[value])
		hearing->value[hearing->nvalues++] = value;
	hearing->heard[value] = true;
	wide_add_multiple(&hearing->cliques[value], cliques, times);
}

void
hearing_clear(Hearing *hearing)
{
	for (uint32 i = 0; i < hearing->nvalues; i++)
	{
		wide_set(&hearing->cliques[hearing->value[i]], 0);
		hearing->heard[hearing->value[i]] = false;
	}
	hearing->nvalues = 0;
	hearing->any = false;
}

/* ----------------------------------------------------------------
 * One release that shows values
 * ----------------------------------------------------------------
 */

/* Takes, in each release, all nodes that the tuple meets. */
static void
take_all(Hearing *hearing)
{
	Listening  *listening = hearing->listening;

	for (int32 r = 0; r < hearing->graph->nreleases; r++)
	{
		listening->only[r] = hearing->meeting[r].node;
		listening->nonly[r] = hearing->meeting[r].nnodes;
	}
}

static inline uint32 *
shown_at(const Hearing *hearing, Code value)
{
	return &hearing->listening->shown[value == NO_CODE ? hearing->graph->input->nvalues : value];
}

/* Adds up the values of all nodes that the teller has at hand. */
static void
add_up_shown(Hearing *hearing)
{
	Listening  *listening = hearing->listening;
	const Meeting *meeting = &hearing->meeting[listening->teller];

	if (listening->part == meeting->part)
		return;
	for (uint32 i = 0; i < listening->nvalues; i++)
		*shown_at(hearing, listening->value[i]) = 0;
	listening->nvalues = 0;
	for (uint32 i = 0; i < meeting->nmet; i++)
	{
		Code		value = meeting->share[meeting->met[i]].value;

		if (*shown_at(hearing, value) == 0)
			listening->value[listening->nvalues++] = value;
		*shown_at(hearing, value) += meeting->share_weight[meeting->met[i]];
	}
	listening->part = meeting->part;
}

/*
 * Counts by value where each of the teller's nodes is in equally many cliques;
 * false if that is not so.
 */
static bool
hear_all_nodes(Hearing *hearing)
{
	Listening  *listening = hearing->listening;
	const Wide *cliques;

	take_all(hearing);
	cliques = count_others(listening->products, listening->only, listening->nonly, listening->teller);
	if (cliques == NULL)
		return false;
	add_up_shown(hearing);
	for (uint32 i = 0; i < listening->nvalues; i++)
		add_cliques(hearing, listening->value[i], cliques, *shown_at(hearing, listening->value[i]));
	return true;
}

/* Counts cliques by the value of the one release that shows it, node by node. */
static void
hear_by_node(Hearing *hearing)
{
	Listening  *listening = hearing->listening;
	const Meeting *meeting = &hearing->meeting[listening->teller];

	if (hear_all_nodes(hearing))
		return;
	for (uint32 i = 0; i < meeting->nnodes; i++)
		wide_set(&listening->told[meeting->node[i]], 0);
	count_products(listening->products, listening->only, listening->nonly, listening->teller, listening->told);
	for (uint32 i = 0; i < meeting->nmet; i++)
	{
		const Share *share = &meeting->share[meeting->met[i]];

		add_cliques(hearing, share->value, &listening->told[share->node], meeting->share_weight[meeting->met[i]]);
	}
}

/* ----------------------------------------------------------------
 * Several releases that do
 * ----------------------------------------------------------------
 */

/* The index of the first node that shows no value; such nodes stand last. */
static inline uint32
first_silent(const Meeting *meeting)
{
	return first_of_value(meeting, NO_CODE);
}

static void
take_silent(Hearing *hearing, int32 r)
{
	const Meeting *meeting = &hearing->meeting[r];
	uint32		first = first_silent(meeting);

	hearing->listening->only[r] = &meeting->node[first];
	hearing->listening->nonly[r] = meeting->nnodes - first;
}

/* Takes the nodes that show a value, and, if so asked, those that show none. */
static void
take_value(Hearing *hearing, int32 r, Code value, bool silent_too)
{
	Listening  *listening = hearing->listening;
	const Meeting *meeting = &hearing->meeting[r];
	uint32		first = first_of_value(meeting, value);
	uint32		n = first_of_value(meeting, value + 1) - first;
	uint32		silent = first_silent(meeting);
	uint32		nsilent = silent_too ? meeting->nnodes - silent : 0;

	listening->only[r] = &meeting->node[first];
	listening->nonly[r] = n + nsilent;
	if (nsilent == 0)
		return;
	memcpy(listening->mixed[r], &meeting->node[first], sizeof(uint32) * n);
	memcpy(listening->mixed[r] + n, &meeting->node[silent], sizeof(uint32) * nsilent);
	listening->only[r] = listening->mixed[r];
	products_forget(listening->products);	/* other weights stand in the same arrays now */
}

/* Counts the cliques of the nodes taken as those of a value; there are none if a release has no node left. */
static void
count_value(Hearing *hearing, Code value)
{
	Listening  *listening = hearing->listening;

	for (int32 r = 0; r < hearing->graph->nreleases; r++)
		if (listening->nonly[r] == 0)
			return;
	wide_set(listening->total, 0);
	count_products(listening->products, listening->only, listening->nonly, -1, listening->total);
	add_cliques(hearing, value, listening->total, 1);
}

/* Counts the cliques that show their value by the node of release k, and by no earlier one. */
static void
hear_told_by(Hearing *hearing, int32 k)
{
	const Meeting *teller = &hearing->meeting[k];
	uint32		silent = first_silent(teller);

	for (uint32 i = 0; i < silent;)
	{
		Code		value = teller->value[teller->node[i]];

		for (int32 r = k; r < hearing->graph->nreleases; r++)
			if (hearing->meeting[r].value != NULL)
				take_value(hearing, r, value, r > k);
		count_value(hearing, value);
		i = first_of_value(teller, value + 1);
	}
}

/* Counts cliques by value where several releases show it: by the first of them that does. */
static void
hear_by_value(Hearing *hearing)
{
	Listening  *listening = hearing->listening;

	take_all(hearing);
	for (int32 k = 0; k < hearing->graph->nreleases; k++)
	{
		if (hearing->meeting[k].value == NULL)
			continue;
		hear_told_by(hearing, k);
		take_silent(hearing, k);
		if (listening->nonly[k] == 0)
			return;				/* each clique has been counted */
	}
	count_value(hearing, NO_CODE);
}

void
hear_cliques(Hearing *hearing)
{
	products_forget(hearing->listening->products);
	if (hearing->listening->teller >= 0)
		hear_by_node(hearing);
	else
		hear_by_value(hearing);
}

/* ----------------------------------------------------------------
 * Beginning
 * ----------------------------------------------------------------
 */

static int32
find_teller(const JoinGraph *graph, const Meeting *meeting)
{
	for (int32 r = 0; r < graph->nreleases; r++)
		if (meeting[r].tells && meeting[r].value == NULL)
			return r;
	return -1;
}

/* Allocates the working memory of counting cliques by value. */
static Listening *
listening_create(const JoinGraph *graph, const Meeting *meeting)
{
	Listening  *listening = palloc0(sizeof(Listening));
	int32		n = graph->nreleases;

	listening->weight = new_zeros(const uint32 *, n);
	listening->only = new_zeros(const uint32 *, n);
	listening->nonly = new_zeros(uint32, n);
	listening->mixed = new_zeros(uint32 *, n);
	for (int32 r = 0; r < n; r++)
	{
		listening->weight[r] = meeting[r].weight;
		if (meeting[r].value != NULL)
			listening->mixed[r] = new_zeros(uint32, graph->side[r].nnodes);
	}
	listening->products = products_create(graph, listening->weight);
	listening->total = wide_create(1, join_limbs(graph));
	listening->teller = find_teller(graph, meeting);
	if (listening->teller >= 0)
	{
		listening->told = wide_create(graph->side[listening->teller].nnodes, join_limbs(graph));
		listening->part = NO_TUPLE;
		listening->shown = new_zeros(uint32, graph->input->nvalues);
		listening->value = new_zeros(Code, graph->input->nvalues);
	}
	return listening;
}

Hearing *
hearing_create(const JoinGraph *graph, const Meeting *meeting)
{
	Hearing    *hearing = palloc0(sizeof(Hearing));
	Size		nvalues = (Size) graph->input->nvalues + 1;

	hearing->graph = graph;
	hearing->meeting = meeting;
	hearing->cliques = wide_create(nvalues, join_limbs(graph));
	hearing->heard = new_zeros(bool, nvalues);
	hearing->value = new_zeros(Code, nvalues);
	hearing->listening = listening_create(graph, meeting);
	return hearing;
}
