/*
 * degrees.c
 *		Mending a choice by alternating paths.
 *
 * NOTES
 *		A node with too many chosen edges gives one up; so the node at its other
 *		end has one less, which is fine, or it takes another one, and so on.
 *		Each path is a shortest one, and mends at least one unit of what is wrong
 *		without making anything else worse; if there is none, there is no choice
 *		(flows with bounds).
 */
#include "postgres.h"

#include "partition/degrees.h"
#include "miscadmin.h"

#define NO_NODE PG_UINT32_MAX

static uint32
cell_of(const Degrees *degrees, uint32 a, uint32 b)
{
	uint32		entry = Min(a, b);
	uint32		value = Max(a, b) - degrees->nentries;

	return value * degrees->nentries + entry;
}

/* How many edges between the two can be chosen more, or less. */
static uint32
room_between(const Degrees *degrees, uint32 a, uint32 b, bool more)
{
	uint32		cell = cell_of(degrees, a, b);

	return more ? degrees->edges[cell] - degrees->chosen[cell] : degrees->chosen[cell];
}

static uint32
room_at(const DegreeNode *node, bool more)
{
	if (more)
		return node->chosen < node->most ? node->most - node->chosen : 0;
	return node->chosen > node->least ? node->chosen - node->least : 0;
}

static bool
is_entry(const Degrees *degrees, uint32 node)
{
	return node < degrees->nentries;
}

/*
 * The nearest node that can take what comes of changing a node's sum, or
 * NO_NODE.  Nodes on its side get back what they lose, so it changes theirs, too;
 * nodes on the other side change the other way where they cannot.
 */
static uint32
search(Degrees *degrees, uint32 start, bool more)
{
	uint32		nnodes = degrees->nentries + degrees->nvalues;
	uint32		head = 0;
	uint32		tail = 0;

	memset(degrees->came_from, 0xff, sizeof(uint32) * nnodes);	/* NO_NODE */
	degrees->came_from[start] = start;
	degrees->queue[tail++] = start;
	while (head < tail)
	{
		uint32		at = degrees->queue[head++];
		bool		same_side = is_entry(degrees, at) == is_entry(degrees, start);
		bool		gains = same_side == more;	/* over the edge to come */
		uint32		first = is_entry(degrees, at) ? degrees->nentries : 0;
		uint32		end = is_entry(degrees, at) ? nnodes : degrees->nentries;

		for (uint32 next = first; next < end; next++)
		{
			if (degrees->came_from[next] != NO_NODE || room_between(degrees, at, next, gains) == 0)
				continue;
			degrees->came_from[next] = at;
			if (room_at(&degrees->node[next], gains) > 0)
				return next;
			degrees->queue[tail++] = next;
		}
	}
	return NO_NODE;
}

/* Does the last edge of a path that ends here add to what is chosen? */
static bool
ends_with_gain(const Degrees *degrees, uint32 start, uint32 end, bool more)
{
	return (is_entry(degrees, end) != is_entry(degrees, start)) == more;
}

static void
follow(Degrees *degrees, uint32 start, uint32 end, bool more, uint32 wanted)
{
	bool		gains = ends_with_gain(degrees, start, end, more);
	uint32		room = room_at(&degrees->node[end], gains);
	uint32		amount = Min(wanted, room);

	for (uint32 at = end; at != start; at = degrees->came_from[at], gains = !gains)
	{
		room = room_between(degrees, at, degrees->came_from[at], gains);
		amount = Min(amount, room);
	}
	gains = ends_with_gain(degrees, start, end, more);
	for (uint32 at = end; at != start; at = degrees->came_from[at], gains = !gains)
	{
		uint32		cell = cell_of(degrees, at, degrees->came_from[at]);

		degrees->chosen[cell] += gains ? amount : -amount;
	}
	degrees->node[start].chosen += more ? amount : -amount;
	degrees->node[end].chosen += ends_with_gain(degrees, start, end, more) ? amount : -amount;
}

bool
mend_degrees(Degrees *degrees)
{
	for (uint32 i = 0; i < degrees->nentries + degrees->nvalues; i++)
	{
		const DegreeNode *node = &degrees->node[i];

		while (node->chosen < node->least || node->chosen > node->most)
		{
			bool		more = node->chosen < node->least;
			uint32		end = search(degrees, i, more);

			CHECK_FOR_INTERRUPTS();
			if (end == NO_NODE)
				return false;
			follow(degrees, i, end, more, more ? node->least - node->chosen : node->chosen - node->most);
		}
	}
	return true;
}
