/*
 * helpers.c
 *		Looking for members of neighborhoods in the source, by their keys.
 */
#include "history/helpers.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

Past
peek_at_past(const Fold *fold, const Code *code)
{
	Past		past = fold->past;
	uint64		n = past.first_value[past.nneighborhoods];

	past.value = new_array(Code, n);
	for (uint64 i = 0; i < n; i++)
		past.value[i] = code[fold->past.value[i]];
	return past;
}

/* People whose rows are not here, or not there any more. */
typedef struct Absent
{
	uint64		n;
	uint64		allocated;
	Datum	   *keys;
	uint64	   *member;
} Absent;

static void
add_absent(Absent *absent, Datum key, uint64 member)
{
	if (absent->n == absent->allocated)
	{
		absent->allocated *= 2;
		absent->keys = repalloc_huge(absent->keys, sizeof(Datum) * absent->allocated);
		absent->member = repalloc_huge(absent->member, sizeof(uint64) * absent->allocated);
	}
	absent->keys[absent->n] = key;
	absent->member[absent->n++] = member;
}

static void
add_members(Absent *absent, const Fold *fold, uint32 neighborhood)
{
	uint64		first = fold->past.first[neighborhood];
	Members		members;

	fold_members(fold, neighborhood, &members);
	for (int i = 0; i < members.n; i++)
		if (!members.is_invented[i] && fold->past.row[first + i] == NO_ROW)
			add_absent(absent, members.keys[i], first + i);
}

void
fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "helpers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Absent		absent = {.allocated = 1024};

	absent.keys = palloc(sizeof(Datum) * absent.allocated);
	absent.member = palloc(sizeof(uint64) * absent.allocated);
	for (uint32 n = 0; n < fold->past.nneighborhoods; n++)
	{
		CHECK_FOR_INTERRUPTS();
		if (wanted[n])
			add_members(&absent, fold, n);
	}
	if (absent.n > 0)
		load_helpers(load, absent.keys, absent.n);
	for (uint64 i = 0; i < absent.n; i++)
		fold->past.row[absent.member[i]] = keys_find(load_keys(load), absent.keys[i]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
