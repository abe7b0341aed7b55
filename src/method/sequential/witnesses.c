/*
 * witnesses.c
 *		Keeping cliques, and looking whether they are there.
 *
 * NOTES
 *		Nodes of earlier releases, and pieces, keep their numbers when the web is
 *		made anew or a trial is undone.  So witnesses need not be undone, too: they
 *		are asked again each time.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/sequential/witnesses.h"
#include "utils/memutils.h"

/* As many numbers are kept at most. */
#define MOST_NUMBERS	(UINT64CONST(16) * 1024 * 1024)

Witnesses
witnesses_create(const People *people, uint32 ntuples, uint32 k)
{
	Witnesses	witnesses = {.people = people,.k = k,.width = (Size) people->last + 1,.room = MOST_NUMBERS};

	if (k * witnesses.width > MOST_NUMBERS)
		witnesses.k = 0;
	witnesses.of = new_zeros(uint32 *, ntuples);
	witnesses.heard = new_array(uint32, witnesses.k * witnesses.width);
	return witnesses;
}

void
witnesses_hear(Witnesses *witnesses, uint32 nheard, const int32 *release, const uint32 *node, uint32 piece)
{
	uint32	   *clique = &witnesses->heard[nheard * witnesses->width];

	if (nheard >= witnesses->k)
		return;
	for (Size i = 0; i < witnesses->width; i++)
		clique[release[i]] = node[i];
	clique[witnesses->people->last] = piece;
}

void
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

static bool
is_there(const People *people, const uint32 *clique)
{
	const RegionPiece *piece = &people->piece[clique[people->last]];
	uint32		node;

	if (piece->size == 0)
		return false;
	node = people->place[piece->place].node;
	for (int32 s = 0; s < people->last; s++)
	{
		if (web_between(people->web, clique[s], node) == NO_THREAD)
			return false;
		for (int32 r = 0; r < s; r++)
			if (web_between(people->web, clique[r], clique[s]) == NO_THREAD)
				return false;
	}
	return true;
}

bool
witnesses_hold(const Witnesses *witnesses, uint32 tuple)
{
	const uint32 *cliques = witnesses->of[tuple];

	if (cliques == NULL)
		return false;
	for (uint32 i = 0; i < witnesses->k; i++)
		if (!is_there(witnesses->people, &cliques[i * witnesses->width]))
			return false;
	return true;
}
