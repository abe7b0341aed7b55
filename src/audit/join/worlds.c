/*
 * worlds.c
 *		Counting perfect matchings, node by node of the first release.
 *
 * NOTES
 *		How many people each clique of nodes stands for says what a world looks
 *		like up to which of equal records it takes: of such worlds there are as
 *		many as the sizes' factorials divided by those of the people of each
 *		clique.
 *
 *		The nodes of the first release divide their records among their cliques,
 *		one node after the other.  What matters of how they did is only what they
 *		have left of the other releases' nodes: a state.  Forwards, each state gets
 *		the weight of all ways to come to it; backwards, that of all ways to go on,
 *		and both together tell how many people a clique stands for on average.
 */
#include "postgres.h"

#include <math.h>

#include "audit/join/listing.h"
#include "audit/join/worlds.h"
#include "frame/arrays.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MOST_CHOICES	4000	/* cliques among which a node's records are divided: beyond that no budget suffices */
#define NO_OTHER		PG_UINT32_MAX

/* Records that may be left when a node's turn comes */
typedef struct Layer
{
	uint32		node;			/* of the first release */
	TupleNumbers *states;		/* records left of the component's other nodes; NULL if there is no state */
	uint32		allocated;
	long double *forward;		/* [states] */
	long double *backward;		/* [states] */
} Layer;

/* A clique that stands for some of a node's records */
typedef struct Chosen
{
	uint64		clique;
	uint32		people;
} Chosen;

typedef struct Bounds
{
	uint32		least;
	uint32		most;
} Bounds;

typedef struct Counting
{
	const JoinGraph *graph;
	int32		nreleases;
	uint64		steps;			/* that may still be made */

	Listing		listing;
	uint64	   *first_clique;	/* [nodes of the first release + 1] */
	double	   *people;			/* [cliques] on average */

	/* The component at hand */
	MemoryContext context;
	uint32		nlayers;
	Layer	   *layer;			/* [nlayers + 1] the last one is the end */
	uint32	   *place;			/* [nodes] among the component's other nodes */
	uint64	   *last;			/* [nodes] its last clique, in the order of layers */
	uint32	   *size;			/* [nothers] their records */
	uint32		nothers;

	/* The position of the count */
	uint32		at;				/* a layer */
	bool		is_backward;
	uint32		state;
	uint32	   *left;			/* [nothers] */
	Chosen	   *chosen;			/* [MOST_CHOICES] */
	long double total;			/* of all that was counted of the layer */
	long double *counted;		/* [cliques of a node] people times weight */
} Counting;

/* Takes steps from the budget, and checks for interrupts now and then; false if too few steps are left. */
static inline bool
pay(Counting *counting, uint64 steps)
{
	if (counting->steps < steps)
		return false;
	counting->steps -= steps;
	if (counting->steps / 65536 != (counting->steps + steps) / 65536)
		CHECK_FOR_INTERRUPTS();
	return true;
}

/* Cliques stand in the order of nodes of the first release. */
static void
find_first_cliques(Counting *counting)
{
	uint32		nfirst = counting->graph->side[0].nnodes;

	counting->first_clique = new_zeros(uint64, nfirst);
	for (uint64 c = 0; c < counting->listing.ncliques; c++)
		counting->first_clique[counting->listing.clique[c * counting->nreleases] + 1]++;
	for (uint32 v = 0; v < nfirst; v++)
		counting->first_clique[v + 1] += counting->first_clique[v];
}

/* ----------------------------------------------------------------
 * States
 * ----------------------------------------------------------------
 */

static inline uint32
nstates_of(const Layer *layer)
{
	return layer->states == NULL ? 0 : layer->states->n;
}

/* The state in which as much is left as now; it is made if it is new. */
static bool
take_state(Counting *counting, Layer *layer, uint32 *state)
{
	uint32		before = nstates_of(layer);

	if (layer->states == NULL)
		layer->states = tuple_numbers_create(counting->nothers);
	if (before == NO_NUMBER / 4)
		return false;
	*state = tuple_number(layer->states, counting->left, counting->nothers);
	if (*state < before)
		return true;
	if (!pay(counting, counting->nothers + 16))
		return false;
	array_reserve(layer->forward, layer->allocated, before + 1);
	layer->forward[*state] = 0;
	return true;
}

/* ----------------------------------------------------------------
 * Dividing a node's records among its cliques
 * ----------------------------------------------------------------
 */

/* All records of the node are divided, which has this weight. */
static bool
arrive(Counting *counting, uint32 nchosen, long double weight)
{
	Layer	   *layer = &counting->layer[counting->at];
	Layer	   *next = layer + 1;
	uint32		state;

	if (!counting->is_backward)
	{
		if (!take_state(counting, next, &state))
			return false;
		next->forward[state] += layer->forward[counting->state] * weight;
		return true;
	}
	state = tuple_find(next->states, counting->left, counting->nothers);
	weight *= next->backward[state];
	layer->backward[counting->state] += weight;
	weight *= layer->forward[counting->state];
	counting->total += weight;
	for (uint32 i = 0; i < nchosen; i++)
		counting->counted[counting->chosen[i].clique - counting->first_clique[layer->node]] += weight * counting->chosen[i].people;
	return true;
}

/* For how many people can a clique stand, and must it, if nodes without a later clique are to be used up? */
static Bounds
bounds_of(const Counting *counting, uint64 clique, uint32 records)
{
	Bounds		bounds = {.most = records};

	if (clique + 1 == counting->first_clique[counting->layer[counting->at].node + 1])
		bounds.least = records;
	for (int32 r = 1; r < counting->nreleases; r++)
	{
		uint32		v = node_at(&counting->listing, clique, r);
		uint32		left = counting->left[counting->place[v]];

		bounds.most = Min(bounds.most, left);
		if (counting->last[v] == clique)
			bounds.least = Max(bounds.least, left);
	}
	return bounds;
}

static void
take(Counting *counting, uint64 clique, int64 people)
{
	for (int32 r = 1; r < counting->nreleases; r++)
		counting->left[counting->place[node_at(&counting->listing, clique, r)]] -= people;
}

/* Divides what is left of a node's records among its cliques from this one on, in all ways there are. */
static bool
divide(Counting *counting, uint64 clique, uint32 records, uint32 nchosen, long double logarithm)
{
	uint64		end = counting->first_clique[counting->layer[counting->at].node + 1];

	for (; clique < end; clique++)
	{
		Bounds		bounds;

		if (!pay(counting, counting->nreleases))
			return false;
		bounds = bounds_of(counting, clique, records);
		for (uint32 n = Max(bounds.least, 1); n <= bounds.most; n++)
		{
			bool		goes_on;

			if (nchosen == MOST_CHOICES || !pay(counting, counting->nreleases))
				return false;
			counting->chosen[nchosen] = (Chosen) {clique, n};
			take(counting, clique, n);
			goes_on = divide(counting, clique + 1, records - n, nchosen + 1, logarithm - lgammal((long double) n + 1));
			take(counting, clique, -(int64) n);
			if (!goes_on)
				return false;
		}
		if (bounds.least > 0)
			return true;
	}
	return arrive(counting, nchosen, expl(logarithm));
}

/* Divides the records of the layer's node among its cliques, in all ways that a state allows. */
static bool
divide_from_state(Counting *counting, uint32 state)
{
	const Layer *layer = &counting->layer[counting->at];
	uint32		size = counting->graph->side[0].size[layer->node];

	counting->state = state;
	memcpy(counting->left, tuple_words(layer->states, state), sizeof(uint32) * counting->nothers);
	return divide(counting, counting->first_clique[layer->node], size, 0, lgammal((long double) size + 1));
}

/* ----------------------------------------------------------------
 * A component
 * ----------------------------------------------------------------
 */

/* Only how weights of one layer compare matters: so none becomes too great or too small. */
static bool
normalise(long double *weight, uint32 n)
{
	long double greatest = 0;

	for (uint32 i = 0; i < n; i++)
		greatest = Max(greatest, weight[i]);
	if (!isfinite(greatest) || greatest <= 0)
		return false;
	for (uint32 i = 0; i < n; i++)
		weight[i] /= greatest;
	return true;
}

/* Computes the weight of each state from the first layer on: the ways in which it is reached. */
static JoinOutcome
go_forward(Counting *counting)
{
	counting->is_backward = false;
	for (counting->at = 0; counting->at < counting->nlayers; counting->at++)
	{
		Layer	   *layer = &counting->layer[counting->at];

		for (uint32 s = 0; s < nstates_of(layer); s++)
			if (layer->forward[s] > 0 && !divide_from_state(counting, s))
				return JOIN_OVER_BUDGET;
		if (nstates_of(&layer[1]) == 0)
			return JOIN_UNMATCHED;
		if (!normalise(layer[1].forward, nstates_of(&layer[1])))
			return JOIN_OVER_BUDGET;
	}
	return JOIN_FOUND;
}

/* Computes the weight of each state from the end: the ways to go on from it; and counts cliques. */
static JoinOutcome
go_backward(Counting *counting)
{
	Layer	   *end = &counting->layer[counting->nlayers];

	counting->is_backward = true;
	end->backward = new_zeros(long double, nstates_of(end));
	for (uint32 s = 0; s < nstates_of(end); s++)
		end->backward[s] = 1;
	for (counting->at = counting->nlayers; counting->at-- > 0;)
	{
		Layer	   *layer = &counting->layer[counting->at];
		uint64		first = counting->first_clique[layer->node];
		uint64		n = counting->first_clique[layer->node + 1] - first;

		layer->backward = new_zeros(long double, nstates_of(layer));
		memset(counting->counted, 0, sizeof(long double) * n);
		counting->total = 0;
		for (uint32 s = 0; s < nstates_of(layer); s++)
			if (layer->forward[s] > 0 && !divide_from_state(counting, s))
				return JOIN_OVER_BUDGET;
		if (!normalise(layer->backward, nstates_of(layer)) || !isfinite(counting->total) || counting->total <= 0)
			return JOIN_OVER_BUDGET;
		for (uint64 c = 0; c < n; c++)
			counting->people[first + c] = (double) (counting->counted[c] / counting->total);
	}
	return JOIN_FOUND;
}

/* Numbers the other nodes of a component by where they occur first; returns the most cliques that a node has. */
static uint64
place_others(Counting *counting, const uint32 *node, uint32 n)
{
	uint64		most = 0;

	counting->nothers = 0;
	for (uint32 i = 0; i < n; i++)
	{
		uint64		first = counting->first_clique[node[i]];
		uint64		end = counting->first_clique[node[i] + 1];

		most = Max(most, end - first);
		for (uint64 c = first; c < end; c++)
			for (int32 r = 1; r < counting->nreleases; r++)
			{
				uint32		v = node_at(&counting->listing, c, r);

				if (counting->place[v] == NO_OTHER)
				{
					counting->size[counting->nothers] = counting->graph->side[r].size[v - counting->listing.first_node[r]];
					counting->place[v] = counting->nothers++;
				}
				counting->last[v] = c;
			}
	}
	return most;
}

/* Prepares the layers of a component, one for each node of the first release. */
static void
begin_component(Counting *counting, const uint32 *node, uint32 n)
{
	uint64		most = place_others(counting, node, n);

	counting->layer = new_zeros(Layer, n + 1);
	counting->nlayers = n;
	for (uint32 i = 0; i < n; i++)
		counting->layer[i].node = node[i];
	counting->left = new_zeros(uint32, counting->nothers);
	counting->chosen = new_zeros(Chosen, MOST_CHOICES);
	counting->counted = new_zeros(long double, most);
	memcpy(counting->left, counting->size, sizeof(uint32) * counting->nothers);
}

/* Counts the worlds of a component, which has these nodes of the first release. */
static JoinOutcome
count_component(Counting *counting, const uint32 *node, uint32 n)
{
	MemoryContext old = MemoryContextSwitchTo(counting->context);
	JoinOutcome outcome = JOIN_OVER_BUDGET;
	uint32		state;

	begin_component(counting, node, n);
	if (take_state(counting, &counting->layer[0], &state))
	{
		counting->layer[0].forward[state] = 1;
		outcome = go_forward(counting);
	}
	if (outcome == JOIN_FOUND)
		outcome = go_backward(counting);
	MemoryContextSwitchTo(old);
	MemoryContextReset(counting->context);
	return outcome;
}

/* Counts the worlds of each component by itself. */
static JoinOutcome
count_components(Counting *counting)
{
	uint32		nfirst = counting->graph->side[0].nnodes;
	uint32	   *first = new_zeros(uint32, (Size) counting->listing.nnodes + 1);
	uint32	   *filled = new_zeros(uint32, counting->listing.nnodes);
	uint32	   *member = new_zeros(uint32, nfirst);
	JoinOutcome outcome = JOIN_FOUND;

	for (uint32 v = 0; v < nfirst; v++)
		first[root_of(&counting->listing, v) + 1]++;
	for (uint32 v = 0; v < counting->listing.nnodes; v++)
		first[v + 1] += first[v];
	for (uint32 v = 0; v < nfirst; v++)
	{
		uint32		root = root_of(&counting->listing, v);

		member[first[root] + filled[root]++] = v;
	}
	for (uint32 v = 0; v < counting->listing.nnodes && outcome == JOIN_FOUND; v++)
		if (first[v + 1] > first[v])
			outcome = count_component(counting, &member[first[v]], first[v + 1] - first[v]);
	return outcome;
}

/* ----------------------------------------------------------------
 * The posterior
 * ----------------------------------------------------------------
 */

typedef struct Telling
{
	const JoinGraph *graph;
	Posterior  *posterior;
	uint64		room;
	uint64		n;

	/*
	 * If only one release shows the sensitive column, and it is not the first: the pieces of its nodes
	 */
	int32		teller;			/* or -1 */
	uint64	   *first_piece;	/* [nodes + 1] */
	uint32	   *piece;			/* [pieces] node by node */

	double	   *heard;			/* [values + 1] people, by value; "not shown" is the last */
} Telling;

/* Lists the pieces of each of the teller's nodes. */
static void
list_pieces(Telling *telling)
{
	const JoinSide *side = &telling->graph->side[telling->teller];
	uint32	   *filled = new_zeros(uint32, side->nnodes);

	telling->first_piece = new_zeros(uint64, side->nnodes);
	telling->piece = new_zeros(uint32, side->npieces);
	for (uint32 p = 0; p < side->npieces; p++)
		telling->first_piece[side->piece[p].node + 1]++;
	for (uint32 v = 0; v < side->nnodes; v++)
		telling->first_piece[v + 1] += telling->first_piece[v];
	for (uint32 p = 0; p < side->npieces; p++)
	{
		uint32		v = side->piece[p].node;

		telling->piece[telling->first_piece[v] + filled[v]++] = p;
	}
	pfree(filled);
}

/* A release alone that shows the sensitive column, of those behind the first. */
static int32
find_teller(const JoinGraph *graph)
{
	for (int32 r = 1; r < graph->nreleases; r++)
		if (graph->side[r].cells[graph->sensitive] != NULL && !graph->side[r].shared[graph->sensitive])
			return r;
	return -1;
}

static inline void
hear(Telling *telling, Code value, double people)
{
	telling->heard[value == NO_CODE ? telling->graph->input->nvalues : value] += people;
}

/* The records of a node are alike, so each may show what any of them does. */
static void
hear_node(Telling *telling, uint32 node, double people)
{
	const JoinSide *side = &telling->graph->side[telling->teller];
	const Code *sensitive = telling->graph->input->release[telling->teller].sensitive;

	for (uint64 i = telling->first_piece[node]; i < telling->first_piece[node + 1]; i++)
	{
		const Piece *piece = &side->piece[telling->piece[i]];

		hear(telling, sensitive[piece->record], people * piece->nrecords / side->size[node]);
	}
}

/* Returns the first sensitive value that a clique's later releases show, or NO_CODE. */
static Code
value_of_clique(const JoinGraph *graph, const uint32 *node)
{
	for (int32 r = 1; r < graph->nreleases; r++)
	{
		const Code *sensitive = graph->input->release[r].sensitive;

		if (sensitive != NULL && sensitive[graph->side[r].record[node[r]]] != NO_CODE)
			return sensitive[graph->side[r].record[node[r]]];
	}
	return NO_CODE;
}

/* Adds a value and its probability to the result. */
static void
keep(Telling *telling, Code value, double probability)
{
	Posterior  *posterior = telling->posterior;

	if (telling->n == telling->room)
	{
		telling->room = array_room(telling->room, telling->n + 1);
		array_resize(posterior->value, telling->room);
		array_resize(posterior->probability, telling->room);
	}
	posterior->value[telling->n] = value;
	posterior->probability[telling->n++] = probability;
}

/* Adds up the people of a node's cliques by value, and keeps the probabilities. */
static void
tell_node(Telling *telling, const Counting *counting, uint32 v)
{
	const JoinGraph *graph = telling->graph;
	Code		nvalues = graph->input->nvalues;

	memset(telling->heard, 0, sizeof(double) * ((Size) nvalues + 1));
	for (uint64 c = counting->first_clique[v]; c < counting->first_clique[v + 1]; c++)
	{
		const uint32 *node = &counting->listing.clique[c * graph->nreleases];

		if (counting->people[c] <= 0)
			continue;
		if (telling->teller >= 0)
			hear_node(telling, node[telling->teller], counting->people[c]);
		else
			hear(telling, value_of_clique(graph, node), counting->people[c]);
	}
	telling->posterior->first[v] = telling->n;
	for (Code value = 0; value <= nvalues; value++)
		if (telling->heard[value] > 0 && (value == nvalues || value != graph->input->null_value))
			keep(telling, value == nvalues ? NO_CODE : value, telling->heard[value] / graph->side[0].size[v]);
	telling->posterior->first[v + 1] = telling->n;
}

/* Fills the result, node by node of the first release. */
static void
tell_posterior(const Counting *counting, Posterior *posterior)
{
	const JoinGraph *graph = counting->graph;
	Telling		telling = {.graph = graph, .posterior = posterior, .room = 1024, .teller = find_teller(graph)};

	if (telling.teller >= 0)
		list_pieces(&telling);
	telling.heard = new_zeros(double, (Size) graph->input->nvalues + 1);
	posterior->first = new_zeros(uint64, graph->side[0].nnodes);
	posterior->value = palloc(sizeof(Code) * telling.room);
	posterior->probability = palloc(sizeof(double) * telling.room);
	for (uint32 v = 0; v < graph->side[0].nnodes; v++)
	{
		CHECK_FOR_INTERRUPTS();
		tell_node(&telling, counting, v);
	}
}

JoinOutcome
join_worlds(const JoinGraph *graph, uint64 budget, Posterior *posterior)
{
	Counting	counting = {.graph = graph, .nreleases = graph->nreleases, .steps = budget};
	JoinOutcome outcome;

	if (!list_cliques(&counting.listing, graph, &counting.steps))
		return JOIN_OVER_BUDGET;
	find_first_cliques(&counting);
	counting.people = new_zeros(double, counting.listing.ncliques);
	counting.place = new_zeros(uint32, counting.listing.nnodes);
	counting.size = new_zeros(uint32, counting.listing.nnodes);
	counting.last = new_zeros(uint64, counting.listing.nnodes);
	memset(counting.place, 0xff, sizeof(uint32) * counting.listing.nnodes); /* NO_OTHER */
	for (uint32 v = counting.listing.first_node[1]; v < counting.listing.nnodes; v++)
		if (root_of(&counting.listing, v) == v)
			return JOIN_UNMATCHED;	/* in no clique: its component has no node of the first release */
	counting.context = AllocSetContextCreate(CurrentMemoryContext, "worlds", ALLOCSET_DEFAULT_SIZES);
	outcome = count_components(&counting);
	MemoryContextDelete(counting.context);
	if (outcome == JOIN_FOUND)
		tell_posterior(&counting, posterior);
	return outcome;
}
