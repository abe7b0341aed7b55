/*
 * shortage.c
 *		A set of records that meets too few, from where a largest flow ends.
 *
 * NOTES
 *		The nodes that can be reached from a node of a that has records left, along open
 *		arcs of the residual graph, are a set of a's nodes and all that they meet:
 *		there every record is taken by one of theirs, or the flow could grow.
 */
#include "postgres.h"

#include "audit/join/residual.h"
#include "audit/join/shortage.h"
#include "frame/arrays.h"
#include "miscadmin.h"

/* Records of each node of a that are not joined; the first node that has such, or that many nodes. */
static uint32
find_lacking(const JoinGraph *graph, const JoinPair *pair, uint64 *unmatched)
{
	const JoinSide *a = &graph->side[pair->a];
	uint32		first = a->nnodes;

	*unmatched = 0;
	for (uint32 node = 0; node < a->nnodes; node++)
	{
		uint64		joined = 0;

		for (uint32 e = pair->first[node]; e < pair->first[node + 1]; e++)
			joined += pair->flow[e];
		*unmatched += a->size[node] - joined;
		if (joined < a->size[node] && first == a->nnodes)
			first = node;
	}
	return first;
}

Shortage
shortage_of(const JoinGraph *graph, JoinPair *pair)
{
	Residual	residual = residual_of(graph, pair);
	Shortage	shortage = {0};
	uint32		first = find_lacking(graph, pair, &shortage.unmatched);
	bool	   *reached = palloc_extended(residual.nvertices + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32	   *path = new_array(uint32, residual.nvertices);
	uint32		tail = 0;

	if (first < residual.na)
	{
		shortage.record = graph->side[pair->a].record[first];
		reached[first] = true;
		path[tail++] = first;
	}
	for (uint32 head = 0; head < tail; head++)
	{
		uint32		v = path[head];

		if (head % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (v < residual.na)
			shortage.records += graph->side[pair->a].size[v];
		else
			shortage.places += graph->side[pair->b].size[v - residual.na];
		for (uint32 arc = first_arc(&residual, v); arc < end_of_arcs(&residual, v); arc++)
		{
			uint32		next = head_of_arc(&residual, v, arc);

			if (reached[next] || !is_open(&residual, v, arc))
				continue;
			reached[next] = true;
			path[tail++] = next;
		}
	}
	pfree(reached);
	pfree(path);
	return shortage;
}
