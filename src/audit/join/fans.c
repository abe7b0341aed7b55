/*
 * fans.c
 *		Cliques of few nodes, by bitmaps.
 *
 * NOTES
 *		For each node of a release and each later release, a bitmap says to which of
 *		its nodes at hand it is joined.  Those that may still complete a clique are
 *		what is left of them all, so a walk never comes to a dead end of which it
 *		could have known.
 */
#include "postgres.h"

#include "audit/join/cliques.h"
#include "audit/join/fans.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "shared/steps.h"
#include "utils/memutils.h"

#define WORD_BITS 64

struct FanWalk
{
	const JoinGraph *graph;		/* borrowed */
	FanVisitor	visit;
	void	   *arg;

	/* The nodes at hand, by the place of their release among those at hand */
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

	/* The walk's position */
	uint32	   *node;			/* [releases] */
	uint32	   *last;			/* [last_room] */
	uint32		last_room;
};

FanWalk *
fans_create(const JoinGraph *graph, FanVisitor visit, void *arg)
{
	FanWalk    *walk = palloc0(sizeof(FanWalk));
	Size		n = graph->nreleases;

	*walk = (FanWalk) {.graph = graph, .visit = visit, .arg = arg};
	walk->only = palloc(sizeof(uint32 *) * n);
	walk->nonly = palloc(sizeof(uint32) * n);
	walk->nwords = palloc(sizeof(Size) * n);
	array_reserve(walk->word, walk->room, 64);
	walk->joined = palloc(sizeof(Size) * n * n);
	walk->left = palloc(sizeof(Size) * n * n);
	walk->node = palloc(sizeof(uint32) * n);
	array_reserve(walk->last, walk->last_room, 64);
	return walk;
}

static inline uint64 *
joined_to(const FanWalk *walk, int32 r, uint32 i, int32 s)
{
	return &walk->word[walk->joined[r * walk->nreleases + s] + i * walk->nwords[s]];
}

static inline uint64 *
left_of(const FanWalk *walk, int32 r, int32 s)
{
	return &walk->word[walk->left[r * walk->nreleases + s]];
}

/* Finds room for all bitmaps, and clears them. */
static void
lay_out(FanWalk *walk)
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
}

static inline void
set_bit(uint64 *words, uint32 i)
{
	words[i / WORD_BITS] |= UINT64CONST(1) << (i % WORD_BITS);
}

/* Fills the bitmaps: the nodes left at first, and those joined to each node. */
static void
fill(FanWalk *walk)
{
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
					if (is_joined(walk->graph, walk->release[r], walk->only[r][i], walk->release[s], walk->only[s][j]))
						set_bit(joined_to(walk, r, i, s), j);
			}
	}
}

/* Takes node i of release r; false if that leaves no node of some later release. */
static bool
choose(FanWalk *walk, int32 r, uint32 i)
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

/* Does the clique that ends in this node belong to the join?  In a walk over fewer releases, all do. */
static bool
is_in_join(FanWalk *walk, uint32 last)
{
	const JoinGraph *graph = walk->graph;

	if (walk->nreleases < graph->nreleases || (graph->clique == NULL && graph->input->together == NULL))
		return true;
	walk->node[walk->nreleases - 1] = last;
	return !is_nobody(graph, walk->node) && (graph->clique == NULL || is_listed(graph, walk->node));
}

/* Chooses a node of release r and of all later ones; the last release's are visited together. */
static void
walk_from(FanWalk *walk, int32 r)
{
	const uint64 *left = left_of(walk, r, r);
	uint32		nlast = 0;

	for (Size w = 0; w < walk->nwords[r]; w++)
		for (uint64 word = left[w]; word != 0; word &= word - 1)
		{
			uint32		i = w * WORD_BITS + pg_rightmost_one_pos64(word);

			take_steps(1);
			if (r < walk->nreleases - 1)
			{
				if (choose(walk, r, i))
					walk_from(walk, r + 1);
			}
			else if (is_in_join(walk, walk->only[r][i]))
				walk->last[nlast++] = walk->only[r][i];
		}
	if (nlast > 0)
		walk->visit(walk->arg, walk->node, walk->last, nlast);
	CHECK_FOR_INTERRUPTS();
}

void
walk_fans(FanWalk *walk, const int32 *release, int32 n, const uint32 *const *only, const uint32 *nonly)
{
	walk->release = release;
	walk->nreleases = n;
	for (int32 r = 0; r < n; r++)
	{
		walk->only[r] = only[release[r]];
		walk->nonly[r] = nonly[release[r]];
	}
	lay_out(walk);
	fill(walk);
	walk_from(walk, 0);
}
