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
#include "store/encoding/words.h"
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

static inline uint64
head_at(const char *at)
{
	int32		head;

	memcpy(&head, at, sizeof(head));
	return (uint64) (int64) head;
}

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
		words[i] = head_at(from + i * HEAD_BYTES);
}

/* Walks over the words behind the heads of all items. */
typedef struct WordWalk
{
	const WordsPlan *plan;		/* borrowed */
	uint32		item;
	uint32		at;				/* in the item, in bytes */
} WordWalk;

/* Takes up to a vector of the items' words, after their heads; returns how many, 0 at the end. */
static uint32
next_words(WordWalk *walk, uint64 *words)
{
	const WordsPlan *plan = walk->plan;
	uint32		n = 0;

	while (n < VECTOR && walk->item < plan->n)
	{
		const Item *item = &plan->items[walk->item];
		uint32		from = plan->nheads * HEAD_BYTES + walk->at;
		uint32		count = Min((item->length - from) / plan->unit, VECTOR - n);

		take_words(words + n, item->data + from, count, plan->unit);
		n += count;
		walk->at += count * plan->unit;
		if (from + count * plan->unit == item->length)
		{
			walk->item++;
			walk->at = 0;
		}
	}
	return n;
}

static uint32
tail_words(const WordsPlan *plan, uint32 i)
{
	return (plan->items[i].length - plan->nheads * HEAD_BYTES) / plan->unit;
}

/* The words of one vector of items: one of their heads, or their lengths where which is nheads. */
static uint32
next_heads(const WordsPlan *plan, uint32 which, uint32 vector, uint64 *words)
{
	uint32		n = vector_length(plan->n, vector);

	for (uint32 i = 0; i < n; i++)
		words[i] = which < plan->nheads ?
			head_at(plan->items[vector * VECTOR + i].data + which * HEAD_BYTES) :
			tail_words(plan, vector * VECTOR + i);
	return n;
}

/* Measures one of the heads of all items, vector by vector. */
static void
measure_heads(PackedPlan *packed, const WordsPlan *plan, uint32 which)
{
	uint64		words[VECTOR];

	packed_begin(packed, plan->n);
	for (uint32 vector = 0; vector < vectors_of(plan->n); vector++)
	{
		next_heads(plan, which, vector, words);
		packed_measure_block(packed, vector, words);
	}
	packed_end(packed);
}

/* Measures the words after the heads of all items, vector by vector. */
static void
measure_tails(WordsPlan *plan, uint64 bytes)
{
	WordWalk	walk = {.plan = plan};
	uint64		words[VECTOR];

	plan->nwords = bytes / plan->unit;
	packed_begin(&plan->tails, plan->nwords);
	for (uint32 block = 0; next_words(&walk, words) > 0; block++)
	{
		packed_measure_block(&plan->tails, block, words);
		CHECK_FOR_INTERRUPTS();
	}
	packed_end(&plan->tails);
}

/*
 * Finds a form that suits all items: a number of heads, and words of 4 bytes
 * or 8.  False if there is none.
 */
static bool
find_form(WordsPlan *plan, uint64 *tail_bytes, bool *wide)
{
	uint32		shortest = PG_UINT32_MAX;
	uint64		length = 0;

	for (uint32 i = 0; i < plan->n; i++)
	{
		if (plan->items[i].length % HEAD_BYTES != 0)
			return false;
		shortest = Min(shortest, plan->items[i].length);
		length += plan->items[i].length;
	}
	plan->nheads = Min(shortest / HEAD_BYTES, MAX_HEADS);
	*tail_bytes = length - (uint64) plan->n * plan->nheads * HEAD_BYTES;
	*wide = true;
	for (uint32 i = 0; i < plan->n && *wide; i++)
		*wide = (plan->items[i].length - plan->nheads * HEAD_BYTES) % sizeof(uint64) == 0;
	return *tail_bytes / HEAD_BYTES <= MAX_WORDS;
}

bool
words_measure(WordsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n)
{
	uint64		tail_bytes;
	bool		wide;
	WordsPlan	other;

	*plan = (WordsPlan) {.shape = shape, .items = items, .n = n, .unit = HEAD_BYTES};
	if (shape->typlen != -1 || n == 0 || !find_form(plan, &tail_bytes, &wide))
		return false;
	measure_tails(plan, tail_bytes);
	other = *plan;
	other.unit = sizeof(uint64);
	if (wide)
		measure_tails(&other, tail_bytes);
	if (wide && other.tails.size < plan->tails.size)
		*plan = other;
	measure_heads(&plan->lengths, plan, plan->nheads);
	plan->size = sizeof(WordsHeader) + SECTION_ALIGN(sizeof(uint32) * vectors_of(n)) +
		SECTION_ALIGN(plan->lengths.size) + plan->tails.size;
	for (uint32 which = 0; which < plan->nheads; which++)
	{
		measure_heads(&plan->heads[which], plan, which);
		plan->size += SECTION_ALIGN(plan->heads[which].size);
	}
	return true;
}

/* Writes for each vector of items the number of words before it. */
static void
write_starts(Output *out, const WordsPlan *plan)
{
	uint32	   *starts = (uint32 *) output_add(out, sizeof(uint32) * vectors_of(plan->n));
	uint32		words = 0;

	for (uint32 i = 0; i < plan->n; i++)
	{
		if (i % VECTOR == 0)
			starts[i / VECTOR] = words;
		words += tail_words(plan, i);
	}
}

/* Writes one of the heads of all items. */
static void
write_heads(Output *out, const PackedPlan *packed, const WordsPlan *plan, uint32 which)
{
	PackedWriter writer;
	uint64		words[VECTOR];

	packed_write_begin(&writer, out, packed);
	for (uint32 vector = 0; vector < vectors_of(plan->n); vector++)
	{
		next_heads(plan, which, vector, words);
		packed_write_block(&writer, vector, words);
	}
	packed_write_end(&writer);
}

/* Writes the words after the heads of all items. */
static void
write_tails(Output *out, const WordsPlan *plan)
{
	WordWalk	walk = {.plan = plan};
	PackedWriter writer;
	uint64		words[VECTOR];

	packed_write_begin(&writer, out, &plan->tails);
	for (uint32 block = 0; next_words(&walk, words) > 0; block++)
	{
		packed_write_block(&writer, block, words);
		CHECK_FOR_INTERRUPTS();
	}
	packed_write_end(&writer);
}

void
words_write(Output *out, const WordsPlan *plan)
{
	WordsHeader *header = (WordsHeader *) output_add(out, sizeof(WordsHeader));

	*header = (WordsHeader) {.nwords = plan->nwords, .nheads = plan->nheads, .unit = plan->unit};
	write_starts(out, plan);
	write_heads(out, &plan->lengths, plan, plan->nheads);
	for (uint32 which = 0; which < plan->nheads; which++)
		write_heads(out, &plan->heads[which], plan, which);
	write_tails(out, plan);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

static const char *
open_packed(PackedReader *packed, Input *in, uint32 n)
{
	const char *error = packed_open(packed, in, n);

	if (error == NULL && packed_has_steps(packed))
		error = "Words are packed as steps.";
	return error;
}

const char *
words_open(WordsReader *reader, Input *in, const ColumnShape *shape, uint32 n)
{
	const WordsHeader *header = (const WordsHeader *) input_take(in, sizeof(WordsHeader));
	const char *error;

	*reader = (WordsReader) {.shape = shape, .n = n};
	if (header == NULL || shape->typlen != -1 || header->nheads > MAX_HEADS || header->nwords > MAX_WORDS ||
		(header->unit != HEAD_BYTES && header->unit != sizeof(uint64)))
		return "The header of words is missing or damaged.";
	reader->nheads = header->nheads;
	reader->unit = header->unit;
	reader->nwords = header->nwords;
	reader->starts = (const uint32 *) input_take(in, sizeof(uint32) * vectors_of(n));
	if (reader->starts == NULL)
		return "The directory of words is cut off.";
	error = open_packed(&reader->lengths, in, n);
	for (uint32 which = 0; error == NULL && which < reader->nheads; which++)
		error = open_packed(&reader->heads[which], in, n);
	return error != NULL ? error : open_packed(&reader->tails, in, reader->nwords);
}

static inline uint32
item_length(const WordsReader *reader, uint64 nwords)
{
	return reader->nheads * HEAD_BYTES + nwords * reader->unit;
}

/* Moves *at over the words of n items; false if there are not as many. */
static inline bool
pass_words(const WordsReader *reader, uint64 *at, const uint64 *lengths, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		if (lengths[i] > reader->nwords - *at)
			return false;
		*at += lengths[i];
	}
	return true;
}

/* Makes the items, but for what is in them. */
static void
make_items(const WordsReader *reader, const uint64 *lengths, uint32 n, MemoryContext context, Datum *values)
{
	Size		size = 0;
	Size		at = 0;
	char	   *room;

	for (uint32 i = 0; i < n; i++)
		size = item_end(reader->shape, size, item_length(reader, lengths[i]));
	room = MemoryContextAlloc(context, size);
	for (uint32 i = 0; i < n; i++)
		values[i] = item_begin(reader->shape, room, &at, item_length(reader, lengths[i]));
}

static inline char *
contents_of(Datum value)
{
	return VARDATA_ANY(DatumGetPointer(value));
}

/* Reads the heads of n items into their contents. */
static void
fill_heads(const WordsReader *reader, uint32 from, uint32 n, const Datum *values)
{
	uint64		words[VECTOR];

	for (uint32 which = 0; which < reader->nheads; which++)
	{
		packed_read(&reader->heads[which], from, n, words);
		for (uint32 i = 0; i < n; i++)
		{
			uint32		word = (uint32) words[i];

			memcpy(contents_of(values[i]) + which * HEAD_BYTES, &word, sizeof(word));
		}
	}
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

/* The words from .. upto - 1 are those of all items. */
static void
fill_tails(const WordsReader *reader, uint32 from, uint32 upto, const uint64 *lengths, uint32 n, const Datum *values)
{
	uint64		words[VECTOR];
	uint32		used = 0;
	uint32		have = 0;

	for (uint32 i = 0; i < n; i++)
	{
		char	   *to = contents_of(values[i]) + reader->nheads * HEAD_BYTES;

		for (uint64 left = lengths[i]; left > 0;)
		{
			uint32		count;

			if (used == have)
			{
				/* Read up to the end of a block. */
				have = Min(VECTOR - from % VECTOR, upto - from);
				packed_read(&reader->tails, from, have, words);
				from += have;
				used = 0;
			}
			count = Min(left, have - used);
			put_words(to, words + used, count, reader->unit);
			to += count * reader->unit;
			used += count;
			left -= count;
		}
	}
}

/* Reads items of one vector, some of which come before those that are wanted. */
static const char *
read_in_vector(const WordsReader *reader, uint32 vector, uint32 skip, uint32 n, MemoryContext context, Datum *values)
{
	uint64		lengths[VECTOR];
	uint64		from = reader->starts[vector];
	uint64		upto;

	packed_read(&reader->lengths, vector * VECTOR, skip + n, lengths);
	if (from > reader->nwords || !pass_words(reader, &from, lengths, skip))
		return "The directory of words leads out of them.";
	upto = from;
	if (!pass_words(reader, &upto, lengths + skip, n))
		return "A value has more words than there are.";
	make_items(reader, lengths + skip, n, context, values);
	fill_heads(reader, vector * VECTOR + skip, n, values);
	fill_tails(reader, from, upto, lengths + skip, n, values);
	return NULL;
}

const char *
words_read(const WordsReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	const char *error = NULL;

	Assert(from <= reader->n && n <= reader->n - from);
	while (n > 0 && error == NULL)
	{
		uint32		skip = from % VECTOR;
		uint32		count = Min(n, VECTOR - skip);

		error = read_in_vector(reader, from / VECTOR, skip, count, context, values);
		from += count;
		values += count;
		n -= count;
	}
	return error;
}

const char *
words_verify(const WordsReader *reader)
{
	uint64		words = 0;

	for (uint32 vector = 0; vector < vectors_of(reader->n); vector++)
	{
		uint64		lengths[VECTOR];
		uint32		n = vector_length(reader->n, vector);

		if (reader->starts[vector] != words)
			return "The directory of words does not agree with them.";
		packed_read(&reader->lengths, vector * VECTOR, n, lengths);
		if (!pass_words(reader, &words, lengths, n))
			return "A value has more words than there are.";
		CHECK_FOR_INTERRUPTS();
	}
	return words == reader->nwords ? NULL : "There are more words than the values have.";
}
