/*
 * split.c
 *		Classes from the top down: what is allowed is cut while its parts are.
 *
 * NOTES
 *		What is not allowed may have parts that are, when somebody who demands much
 *		of a value parts with those who have it (Wong et al. deny it in their
 *		corollary 3).  So it is cut all the same; what is still not allowed when
 *		it cannot be cut any more is left to grow from the bottom up.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"
#include "utils/memutils.h"

typedef struct Splitter
{
	Growth	   *growth;			/* borrowed */
	uint32	   *items;			/* [records] */
	uint32		ndivided;		/* the first of the stack's parts that are to be cut whatever comes of it */
} Splitter;

static bool
is_allowed(Growth *growth, const uint32 *items, uint32 nitems)
{
	const Records *records = growth->records;
	Crowd	   *crowd = growth->crowd;
	bool		is_allowed;

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			crowd_add(crowd, records->rows[at]);
	crowd->goal = crowd->size;
	is_allowed = crowd_is_allowed(crowd);
	crowd_clear(crowd);
	return is_allowed;
}

static bool
are_allowed(Growth *growth, const uint32 *items, const Part *parts, uint32 nparts)
{
	for (uint32 i = 0; i < nparts; i++)
		if (!is_allowed(growth, items + parts[i].from, parts[i].to - parts[i].from))
			return false;
	return true;
}

static bool
has_needy(const Growth *growth, const uint32 *items, uint32 nitems)
{
	const Records *records = growth->records;

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			if (growth->ratios->value[records->rows[at]] != NO_CODE)
				return true;
	return false;
}

static void
make_class(Growth *growth, const uint32 *items, uint32 nitems)
{
	const Records *records = growth->records;
	uint32		c = grown_create(growth);

	for (uint32 i = 0; i < nitems; i++)
		for (uint32 at = records->first[items[i]]; at < records->first[items[i] + 1]; at++)
			grown_add(growth, c, records->rows[at]);
}

void
split_records(Growth *growth, Work *work, uint64 size)
{
	uint32		nrecords = growth->records->nrecords;
	Principle	least = principle_k_l(growth->least, 1);
	const Principle *before = work->principle;
	Cutter	   *cutter = cutter_create(work);
	uint32	   *items = new_array(uint32, nrecords);
	Part	   *stack = new_array(Part, nrecords);
	uint32		depth = 0;

	make_shelves(growth, size);
	work->principle = &least;
	for (uint32 i = 0; i < nrecords; i++)
		items[i] = i;
	if (nrecords > 0)
		stack[depth++] = (Part) {0, nrecords};
	while (depth > 0)
	{
		Part		part = stack[--depth];
		uint32	   *mine = items + part.from;
		uint32		n = part.to - part.from;
		uint32		nparts = cut_records(cutter, mine, n, stack + depth);

		CHECK_FOR_INTERRUPTS();
		if (!is_allowed(growth, mine, n))
		{
			if (nparts == 0)
				shelve_block(growth, mine, n);
		}
		else if (nparts == 0 || !are_allowed(growth, mine, stack + depth, nparts))
		{
			nparts = 0;
			if (has_needy(growth, mine, n))
				make_class(growth, mine, n);
			else
				shelve_block(growth, mine, n);
		}
		for (uint32 i = 0; i < nparts; i++)
		{
			stack[depth].from += part.from;
			stack[depth++].to += part.from;
		}
	}
	work->principle = before;
}
