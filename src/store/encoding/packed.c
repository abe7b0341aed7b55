/*
 * packed.c
 *		Sections, and integers of 64 bits in as few bits as their range needs.
 *
 * Integers are taken in blocks of ENCODING_VECTOR, each with a width of its own.
 * A block holds the integers' distances from the smallest of them.  All arithmetic
 * is modulo 2^64, so any 64 bits survive it.
 *
 * LAYOUT
 *		PackedHeader; a PackedBlock each; the blocks' bits, the first integer's lowest
 *		bit first, each block from a byte of its own on, and 8 bytes more unless there
 *		are no bits.
 *
 * NOTES
 *		Up to 56 bits, an integer is found in the 8 bytes that begin where its first
 *		bit is: hence the 8 bytes more, and hence 57 to 63 bits are stored as 64.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"
#include "store/encoding/parts.h"
#include "utils/memutils.h"

#define BLOCK ENCODING_VECTOR
#define MAX_SHIFTED_WIDTH 56
#define SLACK 8

typedef struct PackedHeader
{
	uint32		reserved;
	uint32		length;			/* of the blocks' bits, with what is read beyond them */
} PackedHeader;

static inline Size
bytes_of(uint32 n, uint32 width)
{
	return ((Size) n * width + 7) / 8;
}

#define FIRST_ROOM 256
#define SPARE_ROOM 1024

/* ----------------------------------------------------------------
 * Sections
 * ----------------------------------------------------------------
 */

void
output_create(Output *out)
{
	*out = (Output) {.data = palloc(FIRST_ROOM), .room = FIRST_ROOM};
}

char *
output_add(Output *out, Size n)
{
	Size		from = SECTION_ALIGN(out->length);

	if (from + n > out->room)
	{
		out->room = Max(from + n, Min(out->room * 2, out->room + 1024 * 1024));
		out->data = repalloc_huge(out->data, out->room);
	}
	memset(out->data + out->length, 0, from - out->length);
	out->length = from + n;
	return out->data + from;
}

void
output_trim(Output *out, Size n)
{
	Assert(n <= out->length);
	out->length -= n;
}

char *
output_finish(Output *out, Size *length)
{
	if (out->room - out->length > SPARE_ROOM)
		out->data = repalloc_huge(out->data, out->length);
	*length = out->length;
	return out->data;
}

/* ----------------------------------------------------------------
 * Measuring
 * ----------------------------------------------------------------
 */

static inline uint32
range_width(const PackedRange *range)
{
	uint64		most = (uint64) range->hi - (uint64) range->lo;
	uint32		width = most == 0 ? 0 : pg_leftmost_one_pos64(most) + 1;

	return width <= MAX_SHIFTED_WIDTH ? width : 64;
}

void
packed_measure(PackedPlan *plan, const uint64 *values, uint32 n)
{
	*plan = (PackedPlan) {.n = n};
	plan->ranges = palloc(sizeof(PackedRange) * Max(vectors_of(n), 1));
	for (uint32 block = 0; block < vectors_of(n); block++)
	{
		PackedRange *range = &plan->ranges[block];

		/* A block's range, by which its width is chosen */
		range->lo = range->hi = values[block * BLOCK];
		for (uint32 i = 1; i < vector_length(n, block); i++)
		{
			range->lo = Min(range->lo, (int64) values[block * BLOCK + i]);
			range->hi = Max(range->hi, (int64) values[block * BLOCK + i]);
		}
		plan->length += bytes_of(vector_length(n, block), range_width(&plan->ranges[block]));
	}
	if (plan->length > 0)
		plan->length += SLACK;
	plan->size = sizeof(PackedHeader) + vectors_of(n) * sizeof(PackedBlock) + plan->length;
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

static inline uint64
little_endian(uint64 word)
{
#ifdef WORDS_BIGENDIAN
	return pg_bswap64(word);
#else
	return word;
#endif
}

static inline void
store_word(char *to, uint64 word)
{
	word = little_endian(word);
	memcpy(to, &word, sizeof(word));
}

static inline uint64
load_word(const char *from)
{
	uint64		word;

	memcpy(&word, from, sizeof(word));
	return little_endian(word);
}

/* Packs a block; writes up to SLACK bytes more than it takes, which is what is returned. */
static Size
write_block(char *to, uint64 lo, uint32 width, const uint64 *values, uint32 n)
{
	uint64		word = 0;
	uint32		filled = 0;

	for (uint32 i = 0; i < n; i++)
	{
		uint64		distance = values[i] - lo;

		word |= distance << filled;
		filled += width;
		if (filled >= 64)
		{
			store_word(to, word);
			to += sizeof(word);
			filled -= 64;
			word = filled == 0 ? 0 : distance >> (width - filled);
		}
	}
	store_word(to, word);
	return bytes_of(n, width);
}

void
packed_write(Output *out, const PackedPlan *plan, const uint64 *values)
{
	uint32		nblocks = vectors_of(plan->n);
	PackedHeader *header = (PackedHeader *) output_add(out, plan->size);
	PackedBlock *blocks = (PackedBlock *) (header + 1);
	char	   *data = (char *) (blocks + nblocks);
	Size		offset = 0;

	*header = (PackedHeader) {.length = plan->length};
	for (uint32 block = 0; block < nblocks; block++, values += BLOCK)
	{
		const PackedRange *range = &plan->ranges[block];
		uint32		width = range_width(range);

		blocks[block] = (PackedBlock) {.base = (uint64) range->lo, .offset = offset, .width = width};
		if (width > 0)
			offset += write_block(data + offset, range->lo, width, values, vector_length(plan->n, block));
	}
	if (header->length > 0)
		memset(data + offset, 0, SLACK);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

const char *
packed_open(PackedReader *reader, Input *in, uint32 n)
{
	uint32		nblocks = vectors_of(n);
	const PackedHeader *header = (const PackedHeader *) input_take(in, sizeof(PackedHeader));

	*reader = (PackedReader) {.bytes = in->bytes, .n = n};
	if (header == NULL || header->reserved != 0)
		return "The header of packed integers is missing or damaged.";
	reader->blocks = (const PackedBlock *) input_take(in, sizeof(PackedBlock) * nblocks);
	if (reader->blocks == NULL)
		return "The directory of packed integers is cut off.";
	reader->data = input_pass(in, header->length);
	if (reader->data == NULL)
		return "Packed integers are cut off.";
	for (uint32 b = 0; b < nblocks; b++)
	{
		const PackedBlock *block = &reader->blocks[b];

		/* A block's bits stay inside of those that there are. */
		if (block->width != 0 && ((block->width > MAX_SHIFTED_WIDTH && block->width != 64) ||
								  (uint64) block->offset + bytes_of(vector_length(n, b), block->width) + SLACK > header->length))
			return "A block of packed integers is not where its directory says.";
	}
	return NULL;
}

/* The integers from .. from + n - 1 of those that were packed. */
static void
unpack(const PackedReader *reader, const PackedBlock *block, uint32 from, uint32 n, uint64 *values)
{
	uint32		width = block->width;
	uint64		mask = (UINT64CONST(1) << (width & 63)) - 1;
	Size		bit = (Size) from * width;
	const char *data = reader->data + block->offset;

	need_bytes(reader->bytes, data + bit / 8, bytes_of(n, width) + SLACK);
	if (width == 64)
		for (uint32 i = 0; i < n; i++)
			values[i] = load_word(data + sizeof(uint64) * (from + i));
	else
		for (uint32 i = 0; i < n; i++, bit += width)
			values[i] = (load_word(data + bit / 8) >> (bit % 8)) & mask;
}

void
packed_read(const PackedReader *reader, uint32 from, uint32 n, uint64 *values)
{
	Assert(from <= reader->n && n <= reader->n - from);
	while (n > 0)
	{
		const PackedBlock *block = &reader->blocks[from / BLOCK];
		uint32		inside = from % BLOCK;
		uint32		count = Min(n, BLOCK - inside);

		if (block->width == 0)
			for (uint32 i = 0; i < count; i++)
				values[i] = block->base;
		else
		{
			unpack(reader, block, inside, count, values);
			for (uint32 i = 0; i < count; i++)
				values[i] += block->base;
		}
		from += count;
		values += count;
		n -= count;
	}
}
