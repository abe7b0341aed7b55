/*
 * search.c
 *		Searching a perfect matching of a component that contains a clique.
 *
 * NOTES
 *		All matchings of the component are tried, until one is found or none is
 *		left.  The search decides a clique at a time, that of the node that has
 *		fewest left: first for as many people as possible, and for one less each
 *		time it has failed.
 */
#include "postgres.h"

#include "audit/join/admission.h"

typedef enum CliqueChoice
{
	CHOICE_MADE,
	CHOICE_NONE,				/* a node's records are left over */
	CHOICE_DONE					/* none are left over */
} CliqueChoice;

/* Lets a clique stand for this many more people; as many records must be left. */
static void
take(Full *full, uint32 clique, uint32 people)
{
	full->people[clique] += people;
	for (int32 r = 0; r < full->nreleases; r++)
		full->left[node_at(&full->listing, clique, r)] -= people;
}

static void
give_back(Full *full, uint32 clique, uint32 people)
{
	full->people[clique] -= people;
	for (int32 r = 0; r < full->nreleases; r++)
		full->left[node_at(&full->listing, clique, r)] += people;
}

/* For how many people can a clique stand? */
static uint32
most_people(const Full *full, uint32 clique)
{
	uint32		most = PG_UINT32_MAX;

	if (full->decided[clique])
		return 0;
	for (int32 r = 0; r < full->nreleases; r++)
		most = Min(most, full->left[node_at(&full->listing, clique, r)]);
	return most;
}

/*
 * Counts the cliques of a node that are left, up to "fewer" of them; *clique
 * is the first.  False if that is over the budget.
 */
static bool
count_left(Full *full, uint32 node, uint32 fewer, uint32 *nleft, uint32 *clique)
{
	*nleft = 0;
	for (uint64 i = full->first_clique[node]; i < full->first_clique[node + 1] && *nleft < fewer; i++)
	{
		if (!full_pay(full))
			return false;
		if (most_people(full, full->clique_of[i]) > 0 && (*nleft)++ == 0)
			*clique = full->clique_of[i];
	}
	return true;
}

/* Chooses what to decide next; false if that is over the budget. */
static bool
choose(Full *full, uint32 root, CliqueChoice *choice, Decision *decision)
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

/* Begins the search of a component with all records left. */
static void
begin_search(Full *full, uint32 root)
{
	for (uint32 i = full->first_member[root]; i < full->first_member[root + 1]; i++)
	{
		uint32		v = full->member[i];
		int32		r = 0;

		while (v >= full->listing.first_node[r + 1])
			r++;
		full->left[v] = full->graph->side[r].size[v - full->listing.first_node[r]];
	}
	full->ndecisions = 0;
}

/* Admits all cliques that stand for a person in the matching that was found: the clique that was asked for, and what was decided. */
static void
admit_found(Full *full, uint32 root, uint32 clique)
{
	full->admitted[clique] = true;
	for (uint32 i = 0; i < full->ndecisions; i++)
		full->admitted[full->decision[i].clique] |= full->decision[i].people > 0;
	if (full->has_base[root])
		return;
	full->base[clique] = full->people[clique];
	for (uint32 i = 0; i < full->ndecisions; i++)
		full->base[full->decision[i].clique] = full->people[full->decision[i].clique];
	note_base(full, root);
}

/* Clears the decisions of a search and the clique it was about, so that the next one starts clean. */
static void
end_search(Full *full, uint32 clique)
{
	for (uint32 i = 0; i < full->ndecisions; i++)
	{
		full->people[full->decision[i].clique] = 0;
		full->decided[full->decision[i].clique] = false;
	}
	full->people[clique] = 0;
}

bool
search_matching(Full *full, uint32 clique)
{
	uint32		root = root_of(&full->listing, node_at(&full->listing, clique, 0));
	CliqueChoice choice;
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
	if (choice == CHOICE_DONE)
		admit_found(full, root, clique);
	end_search(full, clique);
	return true;
}
