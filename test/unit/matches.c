/*
 * matches.c
 *		Joins of a few records from their definitions.
 */
#include "matches.h"

int
ncliques_of(const Joined *joined)
{
	int			n = 1;

	for (int r = 0; r < joined->releases; r++)
		n *= joined->records;
	return n;
}

void
members_of(const Joined *joined, int clique, int *record)
{
	for (int r = 0; r < joined->releases; r++, clique /= joined->records)
		record[r] = clique % joined->records;
}

void
find_cliques(Joined *joined)
{
	for (int c = 0; c < ncliques_of(joined); c++)
	{
		int			record[MAX_RELEASES];

		members_of(joined, c, record);
		joined->clique[c] = true;
		for (int r = 0; r < joined->releases; r++)
			for (int s = 0; s < joined->releases; s++)
				joined->clique[c] &= r == s || joined->edge[r][s][record[r]][record[s]];
	}
}

void
find_edges(Joined *joined)
{
	memset(joined->edge, 0, sizeof(joined->edge));
	for (int c = 0; c < ncliques_of(joined); c++)
	{
		int			record[MAX_RELEASES];

		members_of(joined, c, record);
		for (int r = 0; r < joined->releases; r++)
			for (int s = 0; s < joined->releases; s++)
				joined->edge[r][s][record[r]][record[s]] |= r != s && joined->clique[c];
	}
}

/* Marks the edges of all perfect matchings of two releases; those of record i on are to be chosen. */
static void
enumerate_matchings(const Joined *joined, int r, int s, int i, int *partner, bool *taken, bool match[MOST_JOINED][MOST_JOINED])
{
	for (int k = 0; i == joined->records && k < i; k++)
		match[k][partner[k]] = true;
	for (int j = 0; i < joined->records && j < joined->records; j++)
	{
		if (taken[j] || !joined->edge[r][s][i][j])
			continue;
		taken[j] = true;
		partner[i] = j;
		enumerate_matchings(joined, r, s, i + 1, partner, taken, match);
		taken[j] = false;
	}
}

void
drop_no_matches(Joined *joined)
{
	for (int r = 0; r < joined->releases; r++)
		for (int s = r + 1; s < joined->releases; s++)
		{
			bool		match[MOST_JOINED][MOST_JOINED] = {{false}};
			bool		taken[MOST_JOINED] = {false};
			int			partner[MOST_JOINED];

			enumerate_matchings(joined, r, s, 0, partner, taken, match);
			for (int i = 0; i < joined->records; i++)
				for (int j = 0; j < joined->records; j++)
					joined->edge[r][s][i][j] = joined->edge[s][r][j][i] = match[i][j];
		}
}
