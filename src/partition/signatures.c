/*
 * signatures.c
 *		A hash table of sets of values.
 */
#include "postgres.h"

#include "frame/codes.h"
#include "partition/signatures.h"
#include "utils/memutils.h"

Signatures *
signatures_create(void)
{
	Signatures *signatures = palloc0(sizeof(Signatures));

	signatures->allocated = 64;
	signatures->first = palloc0(sizeof(uint64) * (signatures->allocated + 1));
	signatures->values_allocated = 64;
	signatures->value = palloc(sizeof(Code) * signatures->values_allocated);
	signatures->nslots = 128;
	signatures->slots = palloc(sizeof(uint32) * signatures->nslots);
	memset(signatures->slots, 0xff, sizeof(uint32) * signatures->nslots);
	return signatures;
}

static uint32
hash_values(const Code *values, uint32 n)
{
	uint64		hash = n;

	for (uint32 i = 0; i < n; i++)
		hash = (hash ^ values[i]) * UINT64CONST(0x9E3779B97F4A7C15);
	return hash >> 32;
}

static bool
is_signature(const Signatures *signatures, uint32 number, const Code *values, uint32 n)
{
	return signatures->first[number + 1] - signatures->first[number] == n &&
		memcmp(signatures->value + signatures->first[number], values, sizeof(Code) * n) == 0;
}

/* Its slot, or the free one where it belongs. */
static uint32 *
find_slot(const Signatures *signatures, const Code *values, uint32 n)
{
	uint32		mask = signatures->nslots - 1;
	uint32		at = hash_values(values, n) & mask;

	while (signatures->slots[at] != NO_SIGNATURE &&
		   !is_signature(signatures, signatures->slots[at], values, n))
		at = (at + 1) & mask;
	return &signatures->slots[at];
}

static void
grow(Signatures *signatures)
{
	signatures->nslots *= 2;
	signatures->slots = repalloc_huge(signatures->slots, sizeof(uint32) * signatures->nslots);
	memset(signatures->slots, 0xff, sizeof(uint32) * signatures->nslots);
	for (uint32 i = 0; i < signatures->n; i++)
		*find_slot(signatures, signatures->value + signatures->first[i],
				   signatures->first[i + 1] - signatures->first[i]) = i;
}

static void
append(Signatures *signatures, const Code *values, uint32 n)
{
	uint64		filled = signatures->first[signatures->n];

	if (signatures->n == signatures->allocated)
	{
		signatures->allocated *= 2;
		signatures->first = repalloc_huge(signatures->first, sizeof(uint64) * (signatures->allocated + 1));
	}
	if (filled + n > signatures->values_allocated)
	{
		signatures->values_allocated = Max(signatures->values_allocated * 2, filled + n);
		signatures->value = repalloc_huge(signatures->value, sizeof(Code) * signatures->values_allocated);
	}
	memcpy(signatures->value + filled, values, sizeof(Code) * n);
	signatures->first[++signatures->n] = filled + n;
}

uint32
signature_number(Signatures *signatures, const Code *values, uint32 n)
{
	uint32	   *slot = find_slot(signatures, values, n);

	if (*slot != NO_SIGNATURE)
		return *slot;
	if (signatures->n >= signatures->nslots / 2)
	{
		grow(signatures);
		slot = find_slot(signatures, values, n);
	}
	*slot = signatures->n;
	append(signatures, values, n);
	return signatures->n - 1;
}

uint32
distinct_values(Code *values, uint32 n, bool *is_even)
{
	uint32		distinct = 0;
	uint32		times = 0;		/* that the first value occurs */

	*is_even = n > 0;
	sort_codes(values, n);
	for (uint32 i = 0, to; i < n; i = to)
	{
		for (to = i + 1; to < n && values[to] == values[i];)
			to++;
		if (distinct == 0)
			times = to - i;
		*is_even &= to - i == times;
		values[distinct++] = values[i];
	}
	return distinct;
}

uint32
place_in_signature(const Code *values, uint32 n, Code value)
{
	uint32		low = 0;
	uint32		high = n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (values[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && values[low] == value ? low : n;
}
