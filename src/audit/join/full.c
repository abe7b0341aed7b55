/*
 * full.c
 *		Searching perfect matchings of more than two releases.
 *
 * NOTES
 *		A perfect matching says of each clique of nodes how many people it stands
 *		for; each node's cliques must stand for all of its records.  The records of
 *		a node are alike, so a clique of records is admissible if that of its nodes
 *		stands for somebody in some perfect matching.
 *
 *		Each matching that is found admits all its cliques.  The first one is the
 *		true one, if it is known.  Mostly a few people of it need only be joined
 *		otherwise to have another clique: those who have its nodes, one for each.
 *		If that does not do, all that its component may be is searched, until there
 *		is a matching or nothing is left to try.  The search decides a clique at a
 *		time, that of the node that has fewest left, for as many people as there can
 *		be, and one less whenever that has come to nothing.
 */
#include "postgres.h"

#include "audit/join/cliques.h"
#include "audit/join/full.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* A clique that was decided, and what else it may be */
typedef struct Decision
{
	uint32		clique;
	uint32		people;
	uint32		least;
} Decision;

typedef struct Full
{
	JoinGraph  *graph;
	int32		nreleases;
	uint64		steps;			/* cliques that may still be looked at */

	/* Nodes of all releases in one row: those of release r begin at first_node[r] */
	uint32	   *first_node;		/* [releases + 1] */
	uint32		nnodes;

	/* Cliques of the kernel */
	uint32		ncliques;
	uint64		room;
	uint32	   *clique;			/* [cliques * releases] a node of each release */
	bool	   *admitted;		/* [cliques] */
	uint64	   *first_clique;	/* [nodes + 1] */
	uint32	   *clique_of;		/* [cliques * releases] node by node */

	/* Components, and their nodes */
	uint32	   *parent;			/* [nodes] up to the root of a component */
	uint32	   *first_member;	/* [nodes + 1] by root; empty for others */
	uint32	   *member;			/* [nodes] root by root */

	/* A perfect matching of those components of which one is known */
	uint32	   *base;			/* [cliques] people that it stands for */
	bool	   *has_base;		/* [nodes] by root */

	uint32	   *own;			/* [releases] nodes of somebody */

	/* People who are joined otherwise: person i has node (r, i) of release r */
	uint32	   *exchanged;		/* [releases * (releases + MOST_EXTRAS)] */
	uint32		nexchanged;
	uint32		tries;			/* that may still be made */

	/* The search at hand */
	uint32	   *left;			/* [nodes] records that no clique stands for yet */
	uint32	   *people;			/* [cliques] */
	bool	   *decided;		/* [cliques] */
	Decision   *decision;		/* [cliques] */
	uint32		ndecisions;
} Full;

#define NO_CLIQUE PG_UINT32_MAX

typedef enum Choice
{
	CHOICE_MADE,
	CHOICE_NONE,				/* a node's records are left over */
	CHOICE_DONE					/* none are left over */
} Choice;

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* The number in the row of a clique's node of release r */
static inline uint32
node_at(const Full *full, uint32 clique, int32 r)
{
	return full->first_node[r] + full->clique[(Size) clique * full->nreleases + r];
}

/* Pays for looking at something; false if that is over the budget. */
static inline bool
pay(Full *full)
{
	if (full->steps == 0)
		return false;
	if (--full->steps % 65536 == 0)
		CHECK_FOR_INTERRUPTS();
	return true;
}

/* ----------------------------------------------------------------
 * Cliques and components
 * ----------------------------------------------------------------
 */

static bool
add_clique(void *arg, const uint32 *node)
{
	Full	   *full = arg;

	if (!pay(full) || full->ncliques == PG_UINT32_MAX - 1)
		return false;
	if (full->ncliques == full->room)
	{
		full->room *= 2;
		full->clique = repalloc_huge(full->clique, sizeof(uint32) * full->room * full->nreleases);
	}
	memcpy(&full->clique[(Size) full->ncliques * full->nreleases], node, sizeof(uint32) * full->nreleases);
	full->ncliques++;
	return true;
}

static bool
list_cliques(Full *full)
{
	CliqueWalk	walk = {.graph = full->graph,.visit = add_clique,.arg = full};
	bool		whole;

	full->room = 1024;
	full->clique = palloc_extended(sizeof(uint32) * full->room * full->nreleases, MCXT_ALLOC_HUGE);
	walk.node = palloc0(sizeof(uint32) * full->nreleases);
	whole = walk_cliques(&walk);
	pfree(walk.node);
	return whole;
}

static void
number_nodes(Full *full)
{
	full->first_node = allocate(sizeof(uint32), full->nreleases);
	for (int32 r = 0; r < full->nreleases; r++)
		full->first_node[r + 1] = full->first_node[r] + full->graph->side[r].nnodes;
	full->nnodes = full->first_node[full->nreleases];
}

static void
list_by_node(Full *full)
{
	uint64	   *filled = allocate(sizeof(uint64), full->nnodes);

	full->first_clique = allocate(sizeof(uint64), full->nnodes);
	full->clique_of = allocate(sizeof(uint32), (Size) full->ncliques * full->nreleases);
	for (uint32 c = 0; c < full->ncliques; c++)
		for (int32 r = 0; r < full->nreleases; r++)
			full->first_clique[node_at(full, c, r) + 1]++;
	for (uint32 v = 0; v < full->nnodes; v++)
		full->first_clique[v + 1] += full->first_clique[v];
	for (uint32 c = 0; c < full->ncliques; c++)
		for (int32 r = 0; r < full->nreleases; r++)
		{
			uint32		v = node_at(full, c, r);

			full->clique_of[full->first_clique[v] + filled[v]++] = c;
		}
	pfree(filled);
}

static uint32
root_of(Full *full, uint32 node)
{
	while (full->parent[node] != node)
		node = full->parent[node] = full->parent[full->parent[node]];
	return node;
}

static void
find_components(Full *full)
{
	uint32	   *filled = allocate(sizeof(uint32), full->nnodes);

	full->parent = allocate(sizeof(uint32), full->nnodes);
	full->first_member = allocate(sizeof(uint32), full->nnodes);
	full->member = allocate(sizeof(uint32), full->nnodes);
	for (uint32 v = 0; v < full->nnodes; v++)
		full->parent[v] = v;
	for (uint32 c = 0; c < full->ncliques; c++)
		for (int32 r = 1; r < full->nreleases; r++)
			full->parent[root_of(full, node_at(full, c, r))] = root_of(full, node_at(full, c, 0));
	for (uint32 v = 0; v < full->nnodes; v++)
		full->first_member[root_of(full, v) + 1]++;
	for (uint32 v = 0; v < full->nnodes; v++)
		full->first_member[v + 1] += full->first_member[v];
	for (uint32 v = 0; v < full->nnodes; v++)
	{
		uint32		root = root_of(full, v);

		full->member[full->first_member[root] + filled[root]++] = v;
	}
	pfree(filled);
}

/* ----------------------------------------------------------------
 * The search
 * ----------------------------------------------------------------
 */

/* Lets a clique stand for so many more people, which are no more than are left. */
static void
take(Full *full, uint32 clique, uint32 people)
{
	full->people[clique] += people;
	for (int32 r = 0; r < full->nreleases; r++)
		full->left[node_at(full, clique, r)] -= people;
}

static void
give_back(Full *full, uint32 clique, uint32 people)
{
	full->people[clique] -= people;
	for (int32 r = 0; r < full->nreleases; r++)
		full->left[node_at(full, clique, r)] += people;
}

/* For how many people can a clique stand? */
static uint32
most_people(const Full *full, uint32 clique)
{
	uint32		most = PG_UINT32_MAX;

	if (full->decided[clique])
		return 0;
	for (int32 r = 0; r < full->nreleases; r++)
		most = Min(most, full->left[node_at(full, clique, r)]);
	return most;
}

/* How many cliques of a node are left, if fewer than this?  Of them, the first. */
static bool
count_left(Full *full, uint32 node, uint32 fewer, uint32 *nleft, uint32 *clique)
{
	*nleft = 0;
	for (uint64 i = full->first_clique[node]; i < full->first_clique[node + 1] && *nleft < fewer; i++)
	{
		if (!pay(full))
			return false;
		if (most_people(full, full->clique_of[i]) > 0 && (*nleft)++ == 0)
			*clique = full->clique_of[i];
	}
	return true;
}

/* Chooses what to decide next; false if that is over the budget. */
static bool
choose(Full *full, uint32 root, Choice *choice, Decision *decision)
{
	uint32		fewest = PG_UINT32_MAX;
	uint32		node = 0;

	*choice = CHOICE_DONE;
	for (uint32 i = full->first_member[root]; i < full->first_member[root + 1] && fewest > 1; i++)
	{
		uint32		nleft;
		uint32		clique = 0;

		if (full->left[full->member[i]] == 0)
			continue;
		if (!count_left(full, full->member[i], fewest, &nleft, &clique))
			return false;
		if (nleft >= fewest)
			continue;
		fewest = nleft;
		node = full->member[i];
		decision->clique = clique;
		*choice = CHOICE_MADE;
	}
	if (*choice == CHOICE_DONE)
		return true;
	if (fewest > 0)
	{
		decision->people = most_people(full, decision->clique);
		decision->least = fewest == 1 ? full->left[node] : 0;
	}
	if (fewest == 0 || decision->people < decision->least)
		*choice = CHOICE_NONE;
	return true;
}

/* Goes back to where something else can be decided; false if nowhere. */
static bool
go_back(Full *full)
{
	while (full->ndecisions > 0)
	{
		Decision   *last = &full->decision[full->ndecisions - 1];

		if (last->people > last->least)
		{
			give_back(full, last->clique, 1);
			last->people--;
			return true;
		}
		give_back(full, last->clique, last->people);
		full->decided[last->clique] = false;
		full->ndecisions--;
	}
	return false;
}

static void
begin_search(Full *full, uint32 root)
{
	for (uint32 i = full->first_member[root]; i < full->first_member[root + 1]; i++)
	{
		uint32		v = full->member[i];
		int32		r = 0;

		while (v >= full->first_node[r + 1])
			r++;
		full->left[v] = full->graph->side[r].size[v - full->first_node[r]];
	}
	full->ndecisions = 0;
}

/* Admits whatever stands for somebody, if a matching was found, and ends the search. */
static void
end_search(Full *full, uint32 root, bool found)
{
	for (uint32 i = full->first_member[root]; i < full->first_member[root + 1]; i++)
		for (uint64 j = full->first_clique[full->member[i]]; j < full->first_clique[full->member[i] + 1]; j++)
		{
			uint32		c = full->clique_of[j];

			full->admitted[c] |= found && full->people[c] > 0;
			if (found && !full->has_base[root])
				full->base[c] = full->people[c];
			full->decided[c] = false;
		}
	for (uint32 i = full->first_member[root]; i < full->first_member[root + 1]; i++)
		for (uint64 j = full->first_clique[full->member[i]]; j < full->first_clique[full->member[i] + 1]; j++)
			full->people[full->clique_of[j]] = 0;
	full->has_base[root] |= found;
}

/* Searches a perfect matching that contains a clique; false if that is over the budget. */
static bool
search(Full *full, uint32 clique)
{
	uint32		root = root_of(full, node_at(full, clique, 0));
	Choice		choice;
	Decision	decision;

	begin_search(full, root);
	take(full, clique, 1);
	do
	{
		if (!choose(full, root, &choice, &decision))
			return false;
		if (choice == CHOICE_MADE)
		{
			full->decision[full->ndecisions++] = decision;
			full->decided[decision.clique] = true;
			take(full, decision.clique, decision.people);
		}
	} while (choice == CHOICE_MADE || (choice == CHOICE_NONE && go_back(full)));
	end_search(full, root, choice == CHOICE_DONE);
	return true;
}

/* ----------------------------------------------------------------
 * Exchanging a few people
 * ----------------------------------------------------------------
 */

/* Of each clique; beyond them it is for the search to say */
#define MOST_ATTEMPTS	64		/* with different people */
#define MOST_EXTRAS		6		/* people beside those who have the clique's nodes */
#define MOST_TRIES		200		/* of each attempt */

/* Numbers that follow each other, far from each other */
static inline uint64
scatter(uint32 number)
{
	return number * UINT64CONST(0x9E3779B97F4A7C15) >> 32;
}

static inline uint32 *
exchanged_at(const Full *full, int32 r, uint32 i)
{
	return &full->exchanged[(Size) r * (full->nreleases + MOST_EXTRAS) + i];
}

/* Does one of those who are exchanged have this node? */
static bool
has_node(const Full *full, int32 r, uint32 node)
{
	for (uint32 i = 0; i < full->nexchanged; i++)
		if (*exchanged_at(full, r, i) == node)
			return true;
	return false;
}

/* Was somebody taken who has all nodes of this clique? */
static bool
is_taken(const Full *full, uint32 clique)
{
	for (uint32 i = 0; i < full->nexchanged; i++)
	{
		int32		r = 0;

		while (r < full->nreleases && *exchanged_at(full, r, i) == full->clique[(Size) clique * full->nreleases + r])
			r++;
		if (r == full->nreleases)
			return true;
	}
	return false;
}

/* Takes somebody of the matching who has a node, in each attempt somebody else; false if all are taken. */
static bool
add_person(Full *full, int32 r, uint32 node, uint32 attempt)
{
	uint32		v = full->first_node[r] + node;
	uint64		first = full->first_clique[v];
	uint64		n = full->first_clique[v + 1] - first;
	uint64		begin = scatter(attempt) * n >> 32;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		c = full->clique_of[first + (begin + i) % n];

		if (full->base[c] == 0 || is_taken(full, c))
			continue;
		for (int32 s = 0; s < full->nreleases; s++)
			*exchanged_at(full, s, full->nexchanged) = full->clique[(Size) c * full->nreleases + s];
		full->nexchanged++;
		return true;
	}
	return false;
}

/* Takes a few more who have a node of somebody who was taken; the more, the later the attempt. */
static void
add_others(Full *full, uint32 attempt)
{
	uint32		n = attempt == 0 ? 0 : attempt * MOST_EXTRAS / MOST_ATTEMPTS + 1;

	for (uint32 i = 0; i < n; i++)
	{
		uint32		any = (uint32) scatter(attempt * MOST_EXTRAS + i);
		int32		r = any % full->nreleases;

		(void) add_person(full, r, *exchanged_at(full, r, (any >> 8) % full->nexchanged), any);
	}
}

static inline void
swap(const Full *full, int32 r, uint32 i, uint32 j)
{
	uint32		node = *exchanged_at(full, r, i);

	*exchanged_at(full, r, i) = *exchanged_at(full, r, j);
	*exchanged_at(full, r, j) = node;
}

/* Finds for person i a node of release r, and so on until all people are joined. */
static bool
exchange_from(Full *full, uint32 i, int32 r)
{
	if (r == full->nreleases)
		return exchange_from(full, i + 1, 1);
	if (i >= full->nexchanged)
		return true;
	for (uint32 j = i; j < full->nexchanged && full->tries > 0 && pay(full); j++)
	{
		int32		s = 0;

		full->tries--;
		swap(full, r, i, j);
		while (s < r && is_joined(full->graph, s, *exchanged_at(full, s, i), r, *exchanged_at(full, r, i)))
			s++;
		if (s == r && exchange_from(full, i, r + 1))
			return true;
		swap(full, r, i, j);
	}
	return false;
}

/* Makes person 0 of a clique, whose nodes others have. */
static void
put_first(Full *full, const uint32 *node)
{
	for (int32 r = 0; r < full->nreleases; r++)
	{
		uint32		i = 0;

		while (*exchanged_at(full, r, i) != node[r])
			i++;
		swap(full, r, 0, i);
	}
}

static void
admit_exchanged(Full *full)
{
	uint32	   *node = palloc(sizeof(uint32) * full->nreleases);

	for (uint32 i = 0; i < full->nexchanged; i++)
	{
		for (int32 r = 0; r < full->nreleases; r++)
			node[r] = *exchanged_at(full, r, i);
		full->admitted[find_clique(full->clique, full->ncliques, full->nreleases, node)] = true;
	}
	pfree(node);
}

/*
 * Joins those otherwise who have the nodes of a clique, so that it stands for one of them.
 *
 * Somebody is taken for each node that nobody has yet, and in later attempts more who have a node
 * of those.
 */
static bool
exchange(Full *full, uint32 clique, uint32 attempt)
{
	const uint32 *node = &full->clique[(Size) clique * full->nreleases];

	full->nexchanged = 0;
	full->tries = MOST_TRIES;
	for (int32 r = 0; r < full->nreleases; r++)
		if (!has_node(full, r, node[r]) && !add_person(full, r, node[r], attempt * full->nreleases + r))
			return false;
	add_others(full, attempt);
	put_first(full, node);
	if (!exchange_from(full, 1, 1))
		return false;
	admit_exchanged(full);
	return true;
}

static bool
try_exchanges(Full *full, uint32 clique)
{
	for (uint32 attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
		if (exchange(full, clique, attempt))
			return true;
	return false;
}

/* ----------------------------------------------------------------
 * What is admissible
 * ----------------------------------------------------------------
 */

/* Somebody's own clique; or NO_CLIQUE if it is none, since whose the records are is a guess. */
static uint32
own_clique(const Full *full, uint32 person)
{
	const JoinGraph *graph = full->graph;
	uint32	   *node = full->own;
	uint64		clique;

	for (int32 r = 0; r < full->nreleases; r++)
		node[r] = graph->side[r].node_of_person[person];
	clique = find_clique(full->clique, full->ncliques, full->nreleases, node);
	if (clique == full->ncliques ||
		memcmp(&full->clique[clique * full->nreleases], node, sizeof(uint32) * full->nreleases) != 0)
		return NO_CLIQUE;
	return clique;
}

/* Components of somebody who has no clique: what is said of the others there is no perfect matching. */
static bool *
find_doubtful(Full *full)
{
	bool	   *is_doubtful = allocate(sizeof(bool), full->nnodes);

	for (uint32 p = 0; p < full->graph->input->release[0].nrecords; p++)
		if (own_clique(full, p) == NO_CLIQUE)
			for (int32 r = 0; r < full->nreleases; r++)
				is_doubtful[root_of(full, full->first_node[r] + full->own[r])] = true;
	return is_doubtful;
}

/* Admits each person's own clique, if it is known. */
static void
admit_people(Full *full)
{
	const JoinGraph *graph = full->graph;
	bool	   *is_doubtful;

	for (int32 r = 0; r < full->nreleases; r++)
		if (graph->side[r].node_of_person == NULL)
			return;
	is_doubtful = find_doubtful(full);
	for (uint32 p = 0; p < graph->input->release[0].nrecords; p++)
	{
		uint32		clique = own_clique(full, p);
		uint32		root;

		if (p % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (clique == NO_CLIQUE || is_doubtful[root = root_of(full, node_at(full, clique, 0))])
			continue;
		full->admitted[clique] = true;
		full->base[clique]++;
		full->has_base[root] = true;
	}
	pfree(is_doubtful);
}

static bool
admit(Full *full)
{
	full->admitted = allocate(sizeof(bool), full->ncliques);
	full->left = allocate(sizeof(uint32), full->nnodes);
	full->people = allocate(sizeof(uint32), full->ncliques);
	full->decided = allocate(sizeof(bool), full->ncliques);
	full->decision = allocate(sizeof(Decision), full->ncliques);
	full->base = allocate(sizeof(uint32), full->ncliques);
	full->has_base = allocate(sizeof(bool), full->nnodes);
	full->own = allocate(sizeof(uint32), full->nreleases);
	full->exchanged = allocate(sizeof(uint32), (Size) full->nreleases * (full->nreleases + MOST_EXTRAS));
	admit_people(full);
	for (uint32 c = 0; c < full->ncliques; c++)
		if (!full->admitted[c] && !try_exchanges(full, c) && !search(full, c))
			return false;
	return true;
}

/* Is each node in a clique that is admitted? */
static bool
is_matched(const Full *full)
{
	for (uint32 v = 0; v < full->nnodes; v++)
	{
		uint64		i = full->first_clique[v];

		while (i < full->first_clique[v + 1] && !full->admitted[full->clique_of[i]])
			i++;
		if (i == full->first_clique[v + 1])
			return false;
	}
	return true;
}

/* Keeps in the graph what was admitted. */
static void
narrow(Full *full)
{
	JoinGraph  *graph = full->graph;

	for (Size p = 0; p < npairs(graph); p++)
		memset(graph->pair[p].alive, false, graph->pair[p].nedges);
	for (uint32 c = 0; c < full->ncliques; c++)
	{
		const uint32 *node = &full->clique[(Size) c * full->nreleases];

		if (!full->admitted[c])
			continue;
		for (Size p = 0; p < npairs(graph); p++)
		{
			JoinPair   *pair = &graph->pair[p];

			pair->alive[edge_between(pair, node[pair->a], node[pair->b])] = true;
		}
		memmove(&full->clique[graph->ncliques++ * full->nreleases], node, sizeof(uint32) * full->nreleases);
	}
	graph->clique = full->clique;
}

JoinOutcome
join_full(JoinGraph *graph, uint64 budget)
{
	Full		full = {.graph = graph,.nreleases = graph->nreleases,.steps = budget};

	if (graph->nreleases <= 2)
		return JOIN_FOUND;
	number_nodes(&full);
	if (!list_cliques(&full))
		return JOIN_OVER_BUDGET;
	list_by_node(&full);
	find_components(&full);
	if (!admit(&full))
		return JOIN_OVER_BUDGET;
	if (!is_matched(&full))
		return JOIN_UNMATCHED;
	narrow(&full);
	return JOIN_FOUND;
}
