/*
 * words.c
 *		Values by reference that are made of integers, as arrays of them are.
 *
 * LAYOUT
 *		WordsHeader; for each vector of items the number of words before it; then, as
 *		packed integers, how many words each item has behind its heads; the first
 *		head of each item, the second one of each, and so on; and the words behind
 *		the heads, those of one item after those of the other.
 *
 * NOTES
 *		An array begins with its dimensions, where its NULLs end, its type, its
 *		length and its first subscript: hardly any of these differs from item to item,
 *		so they are not mixed with the elements.  Whether an item is an array is not
 *		looked at: only whether this takes less.
 */
#include "postgres.h"

#include "compat.h"
#include "miscadmin.h"
#include "store/encoding/parts.h"
#include "utils/memutils.h"

#define VECTOR ENCODING_VECTOR
#define HEAD_BYTES 4

/* With more words than this, items are large, and there is not much to be had of what is common to them. */
#define MAX_WORDS (4 * 1024 * 1024)

typedef struct WordsHeader
{
	uint32		nwords;
	uint16		nheads;
	uint16		unit;
} WordsHeader;

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

/* Reads n words from an item; shorter ones are sign-extended. */
static inline void
take_words(uint64 *words, const char *from, uint32 n, uint32 unit)
{
	if (unit == sizeof(uint64))
	{
		memcpy(words, from, sizeof(uint64) * n);
		return;
	}
	for (uint32 i = 0; i < n; i++)
	{
		int32		word;

		memcpy(&word, from + i * HEAD_BYTES, sizeof(word));
		words[i] = (uint64) (int64) word;
	}
}

/* Takes the words behind the heads of all items, in words of this size, and measures them. */
static void
measure_tails(WordsPlan *plan, const Item *items, uint64 bytes, uint32 unit)
{
	uint32		which = plan->nheads + 1;
	uint64	   *at;

	plan->unit = unit;
	plan->nwords = bytes / unit;
	at = plan->words[which] = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * Max(plan->nwords, 1));
	for (uint32 i = 0; i < plan->n; i++)
	{
		uint32		n = (items[i].length - plan->nheads * HEAD_BYTES) / unit;

		take_words(at, items[i].data + plan->nheads * HEAD_BYTES, n, unit);
		at += n;
	}
	packed_measure(&plan->packed[which], plan->words[which], plan->nwords, PACKED_COUNTS);
}

bool
words_measure(WordsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n)
{
	uint32		shortest = PG_UINT32_MAX;
	uint64		bytes = 0;
	bool		wide = true;	/* can words have 8 bytes? */

	*plan = (WordsPlan) {.n = n};
	for (uint32 i = 0; i < n; i++)
	{
		if (items[i].length % HEAD_BYTES != 0)
			return false;
		shortest = Min(shortest, items[i].length);
		bytes += items[i].length;
	}
	plan->nheads = Min(shortest / HEAD_BYTES, MAX_HEADS);
	bytes -= (uint64) n * plan->nheads * HEAD_BYTES;
	if (shape->typlen != -1 || n == 0 || bytes / HEAD_BYTES > MAX_WORDS)
		return false;
	for (uint32 i = 0; i < n && wide; i++)
		wide = (items[i].length - plan->nheads * HEAD_BYTES) % sizeof(uint64) == 0;
	measure_tails(plan, items, bytes, HEAD_BYTES);
	if (wide)
	{
		WordsPlan	other = *plan;

		measure_tails(&other, items, bytes, sizeof(uint64));
		wide = other.packed[plan->nheads + 1].size < plan->packed[plan->nheads + 1].size;
		pfree((wide ? plan : &other)->words[plan->nheads + 1]);
		if (wide)
			*plan = other;
	}
	plan->size = sizeof(WordsHeader) + SECTION_ALIGN(sizeof(uint32) * vectors_of(n)) + plan->packed[plan->nheads + 1].size;
	for (uint32 which = 0; which <= plan->nheads; which++)
	{
		uint64	   *words = plan->words[which] = palloc(sizeof(uint64) * n);

		for (uint32 i = 0; i < n; i++)
			if (which == 0)
				words[i] = (items[i].length - plan->nheads * HEAD_BYTES) / plan->unit;
			else
				take_words(&words[i], items[i].data + (which - 1) * HEAD_BYTES, 1, HEAD_BYTES);
		packed_measure(&plan->packed[which], words, n, PACKED_COUNTS);
		plan->size += SECTION_ALIGN(plan->packed[which].size);
	}
	return true;
}

void
words_write(Output *out, const WordsPlan *plan)
{
	WordsHeader *header = (WordsHeader *) output_add(out, sizeof(WordsHeader));
	uint32	   *starts;
	uint32		words = 0;

	*header = (WordsHeader) {.nwords = plan->nwords, .nheads = plan->nheads, .unit = plan->unit};
	starts = (uint32 *) output_add(out, sizeof(uint32) * vectors_of(plan->n));
	for (uint32 i = 0; i < plan->n; i++)
	{
		if (i % VECTOR == 0)
			starts[i / VECTOR] = words;
		words += plan->words[0][i];
	}
	for (uint32 which = 0; which < plan->nheads + 2; which++)
		packed_write(out, &plan->packed[which], plan->words[which]);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

const char *
words_open(ItemsReader *reader, Input *in)
{
	WordsReader *words = &reader->words;
	const WordsHeader *header = (const WordsHeader *) input_take(in, sizeof(WordsHeader));
	const char *error;

	if (header == NULL || reader->shape->typlen != -1 || header->nheads > MAX_HEADS || header->nwords > MAX_WORDS ||
		(header->unit != HEAD_BYTES && header->unit != sizeof(uint64)))
		return "The header of words is missing or damaged.";
	words->nheads = header->nheads;
	words->unit = header->unit;
	words->nwords = header->nwords;
	words->starts = (const uint32 *) input_take(in, sizeof(uint32) * vectors_of(reader->n));
	if (words->starts == NULL)
		return "The directory of words is cut off.";
	error = packed_open(&words->lengths, in, reader->n, PACKED_COUNTS);
	for (uint32 which = 0; error == NULL && which < words->nheads; which++)
		error = packed_open(&words->heads[which], in, reader->n, PACKED_COUNTS);
	return error != NULL ? error : packed_open(&words->tails, in, words->nwords, PACKED_COUNTS);
}

/* Moves *at over the words of n items; false if there are not as many. */
static inline bool
pass_words(const WordsReader *words, uint64 *at, const uint64 *lengths, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		if (lengths[i] > words->nwords - *at)
			return false;
		*at += lengths[i];
	}
	return true;
}

/* Stores words in 4 or in 8 bytes each. */
static inline void
put_words(char *to, const uint64 *words, uint32 n, uint32 unit)
{
	if (unit == sizeof(uint64))
	{
		memcpy(to, words, sizeof(uint64) * n);
		return;
	}
	for (uint32 i = 0; i < n; i++, to += HEAD_BYTES)
	{
		uint32		word = (uint32) words[i];

		memcpy(to, &word, sizeof(word));
	}
}

static inline char *
contents_of(Datum value)
{
	return VARDATA_ANY(DatumGetPointer(value));
}

/* Makes n items of these lengths, with their heads. */
static void
make_items(const ItemsReader *reader, uint32 from, const uint64 *lengths, uint32 n, MemoryContext context, Datum *values)
{
	const WordsReader *words = &reader->words;
	uint32		head_bytes = words->nheads * HEAD_BYTES;
	uint64		heads[VECTOR];
	Size		size = 0;
	Size		at = 0;
	char	   *room;

	for (uint32 i = 0; i < n; i++)
		size = item_end(reader->shape, size, head_bytes + lengths[i] * words->unit);
	room = MemoryContextAlloc(context, size);
	for (uint32 i = 0; i < n; i++)
		values[i] = item_begin(reader->shape, room, &at, head_bytes + lengths[i] * words->unit);
	for (uint32 which = 0; which < words->nheads; which++)
	{
		packed_read(&words->heads[which], from, n, heads);
		for (uint32 i = 0; i < n; i++)
			put_words(contents_of(values[i]) + which * HEAD_BYTES, &heads[i], 1, HEAD_BYTES);
	}
}

/* The words from .. upto - 1 are those of all items. */
static void
fill_tails(const WordsReader *words, uint32 from, uint32 upto, const uint64 *lengths, uint32 n, const Datum *values)
{
	uint64		some[VECTOR];
	uint32		used = 0;
	uint32		have = 0;

	for (uint32 i = 0; i < n; i++)
	{
		char	   *to = contents_of(values[i]) + words->nheads * HEAD_BYTES;

		for (uint64 left = lengths[i]; left > 0;)
		{
			uint32		count;

			if (used == have)
			{
				/* Read up to the end of a block. */
				have = Min(VECTOR - from % VECTOR, upto - from);
				packed_read(&words->tails, from, have, some);
				from += have;
				used = 0;
			}
			count = Min(left, have - used);
			put_words(to, some + used, count, words->unit);
			to += count * words->unit;
			used += count;
			left -= count;
		}
	}
}

/* Goes vector by vector: some items of the first come before those that are wanted. */
const char *
words_read(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	const WordsReader *words = &reader->words;

	while (n > 0)
	{
		uint32		skip = from % VECTOR;
		uint32		count = Min(n, VECTOR - skip);
		uint64		lengths[VECTOR];
		uint64		first = words->starts[from / VECTOR];
		uint64		upto;

		packed_read(&words->lengths, from - skip, skip + count, lengths);
		if (first > words->nwords || !pass_words(words, &first, lengths, skip))
			return "The directory of words leads out of them.";
		upto = first;
		if (!pass_words(words, &upto, lengths + skip, count))
			return "A value has more words than there are.";
		make_items(reader, from, lengths + skip, count, context, values);
		fill_tails(words, first, upto, lengths + skip, count, values);
		from += count;
		values += count;
		n -= count;
	}
	return NULL;
}

const char *
words_verify(const ItemsReader *reader)
{
	const WordsReader *words = &reader->words;
	uint64		at = 0;

	for (uint32 vector = 0; vector < vectors_of(reader->n); vector++)
	{
		uint64		lengths[VECTOR];
		uint32		n = vector_length(reader->n, vector);

		if (words->starts[vector] != at)
			return "The directory of words does not agree with them.";
		packed_read(&words->lengths, vector * VECTOR, n, lengths);
		if (!pass_words(words, &at, lengths, n))
			return "A value has more words than there are.";
		CHECK_FOR_INTERRUPTS();
	}
	return at == words->nwords ? NULL : "There are more words than the values have.";
}
