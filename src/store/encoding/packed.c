/*
 * packed.c
 *		Sequences of 64-bit integers in as few bits as their range needs.
 *
 * LAYOUT
 *		PackedHeader; the scale, if it is not 1; a PackedBlock each; the smallest
 *		step of each block, if steps are held; the blocks' bits, the first integer's
 *		lowest bit first, each block from a byte of its own on, and 8 bytes more
 *		unless there are no bits.
 *
 * NOTES
 *		Up to 56 bits, an integer is found in the 8 bytes that begin where its first
 *		bit is: hence the 8 bytes more, and hence 57 to 63 bits are stored as 64.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "port/pg_bswap.h"
#include "store/encoding/packed.h"

#define BLOCK ENCODING_VECTOR
#define MAX_SHIFTED_WIDTH 56
#define SLACK 8

/* Dividing costs more than so few bits are worth. */
#define MIN_SCALED_WIDTH 8

#define FLAG_STEPS 1
#define FLAG_SCALED 2

typedef struct PackedHeader
{
	uint8		flags;
	uint8		reserved[3];
	uint32		length;			/* of the blocks' bits, with what is read beyond them */
} PackedHeader;

static inline uint32
width_of(uint64 range)
{
	uint32		width = range == 0 ? 0 : pg_leftmost_one_pos64(range) + 1;

	return width <= MAX_SHIFTED_WIDTH ? width : 64;
}

static inline Size
bytes_of(uint32 n, uint32 width)
{
	return ((Size) n * width + 7) / 8;
}

/* ----------------------------------------------------------------
 * Measuring
 * ----------------------------------------------------------------
 */

/* Finds the least and the greatest value of a block. */
static PackedRange
measure_values(const uint64 *values, uint32 n)
{
	PackedRange range = {.lo = values[0], .hi = values[0]};

	for (uint32 i = 1; i < n; i++)
	{
		range.lo = Min(range.lo, (int64) values[i]);
		range.hi = Max(range.hi, (int64) values[i]);
	}
	return range;
}

/* Finds the least and the greatest step from one value of a block to the next. */
static void
measure_steps(PackedRange *range, const uint64 *values, uint32 n)
{
	if (n > 1)
		range->step_lo = range->step_hi = values[1] - values[0];
	for (uint32 i = 2; i < n; i++)
	{
		int64		step = values[i] - values[i - 1];

		range->step_lo = Min(range->step_lo, step);
		range->step_hi = Max(range->step_hi, step);
	}
}

/* Euclid's algorithm; where one number is 0, the other is returned. */
static uint64
greatest_common_divisor(uint64 a, uint64 b)
{
	while (b != 0)
	{
		uint64		rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The greatest divisor of all distances; 1 where a distance may not fit 63 bits. */
static uint64
measure_scale(const PackedPlan *plan, const uint64 *values)
{
	int64		lo = PG_INT64_MAX;
	int64		hi = PG_INT64_MIN;
	uint64		scale = 0;

	for (uint32 block = 0; block < vectors_of(plan->n); block++)
	{
		lo = Min(lo, plan->ranges[block].lo);
		hi = Max(hi, plan->ranges[block].hi);
	}
	if ((uint64) hi - (uint64) lo > PG_INT64_MAX || width_of((uint64) hi - (uint64) lo) < MIN_SCALED_WIDTH)
		return 1;
	for (uint32 i = 1; i < plan->n && scale != 1; i++)
	{
		int64		step = values[i] - values[i - 1];
		uint64		distance = step < 0 ? -(uint64) step : (uint64) step;

		if (distance != 0 && (scale == 0 || distance % scale != 0))
			scale = greatest_common_divisor(distance, scale);
	}
	return Max(scale, 1);
}

/* The width in bits of a block's distances: from value to value, or from the least value. */
static inline uint32
range_width(const PackedPlan *plan, const PackedRange *range, bool steps)
{
	uint64		extent = steps ?
		(uint64) range->step_hi - (uint64) range->step_lo : (uint64) range->hi - (uint64) range->lo;

	return width_of(extent / plan->scale);
}

/* Returns the size of all packed blocks, with the slack that writing whole words needs at the end. */
static Size
data_size(const PackedPlan *plan, bool steps)
{
	Size		size = 0;

	for (uint32 block = 0; block < vectors_of(plan->n); block++)
		size += bytes_of(vector_length(plan->n, block) - (steps ? 1 : 0),
						 range_width(plan, &plan->ranges[block], steps));
	return size == 0 ? 0 : size + SLACK;
}

static Size
directory_size(const PackedPlan *plan, bool steps)
{
	return sizeof(PackedHeader) + (plan->scale != 1 ? sizeof(uint64) : 0) +
		vectors_of(plan->n) * (sizeof(PackedBlock) + (steps ? sizeof(uint64) : 0));
}

void
packed_begin(PackedPlan *plan, uint32 n)
{
	*plan = (PackedPlan) {.n = n, .scale = 1};
	plan->ranges = palloc(sizeof(PackedRange) * Max(vectors_of(n), 1));
}

void
packed_measure_block(PackedPlan *plan, uint32 block, const uint64 *values)
{
	plan->ranges[block] = measure_values(values, vector_length(plan->n, block));
}

void
packed_end(PackedPlan *plan)
{
	plan->size = directory_size(plan, false) + data_size(plan, false);
}

/* Steps, if they take less. */
static void
try_steps(PackedPlan *plan, const uint64 *values)
{
	Size		size;

	for (uint32 block = 0; block < vectors_of(plan->n); block++)
		measure_steps(&plan->ranges[block], values + block * BLOCK, vector_length(plan->n, block));
	size = directory_size(plan, true) + data_size(plan, true);
	if (size >= plan->size)
		return;
	plan->steps = true;
	plan->size = size;
}

void
packed_measure(PackedPlan *plan, const uint64 *values, uint32 n, PackedKind kind)
{
	packed_begin(plan, n);
	for (uint32 block = 0; block < vectors_of(n); block++)
		packed_measure_block(plan, block, values + block * BLOCK);
	if (kind == PACKED_VALUES)
		plan->scale = measure_scale(plan, values);
	packed_end(plan);
	if (kind == PACKED_VALUES)
		try_steps(plan, values);
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

/* Writes up to SLACK bytes more than the integers take. */
static void
pack(char *to, const uint64 *values, uint32 n, uint32 width)
{
	uint64		word = 0;
	uint32		filled = 0;

	for (uint32 i = 0; i < n; i++)
	{
		word |= values[i] << filled;
		filled += width;
		if (filled >= 64)
		{
			store_word(to, word);
			to += sizeof(word);
			filled -= 64;
			word = filled == 0 ? 0 : values[i] >> (width - filled);
		}
	}
	store_word(to, word);
}

/* The distances that a block holds; returns how many. */
static uint32
find_distances(const PackedPlan *plan, const PackedRange *range, const uint64 *values, uint32 n,
			   uint64 *distances)
{
	uint32		count = plan->steps ? n - 1 : n;

	if (plan->steps)
		for (uint32 i = 0; i < count; i++)
			distances[i] = values[i + 1] - values[i] - (uint64) range->step_lo;
	else
		for (uint32 i = 0; i < count; i++)
			distances[i] = values[i] - (uint64) range->lo;
	if (plan->scale != 1)
		for (uint32 i = 0; i < count; i++)
			distances[i] /= plan->scale;
	return count;
}

void
packed_write_begin(PackedWriter *writer, Output *out, const PackedPlan *plan)
{
	PackedHeader *header = (PackedHeader *) output_add(out, plan->size);
	char	   *at = (char *) (header + 1);

	*writer = (PackedWriter) {.plan = plan, .length = data_size(plan, plan->steps)};
	*header = (PackedHeader) {.length = writer->length};
	header->flags = (plan->steps ? FLAG_STEPS : 0) | (plan->scale != 1 ? FLAG_SCALED : 0);
	if (plan->scale != 1)
	{
		*(uint64 *) at = plan->scale;
		at += sizeof(uint64);
	}
	writer->blocks = (PackedBlock *) at;
	at += sizeof(PackedBlock) * vectors_of(plan->n);
	writer->steps = at;
	if (plan->steps)
		at += sizeof(uint64) * vectors_of(plan->n);
	writer->data = at;
}

void
packed_write_block(PackedWriter *writer, uint32 block, const uint64 *values)
{
	const PackedPlan *plan = writer->plan;
	const PackedRange *range = &plan->ranges[block];
	uint32		width = range_width(plan, range, plan->steps);
	uint64		distances[BLOCK];
	uint32		n;

	if (plan->steps)
		((uint64 *) writer->steps)[block] = range->step_lo;
	writer->blocks[block] = (PackedBlock) {.base = plan->steps ? values[0] : (uint64) range->lo,
		.offset = writer->offset, .width = width};
	if (width == 0)
		return;
	n = find_distances(plan, range, values, vector_length(plan->n, block), distances);
	pack(writer->data + writer->offset, distances, n, width);
	writer->offset += bytes_of(n, width);
}

void
packed_write_end(PackedWriter *writer)
{
	if (writer->length > 0)
		memset(writer->data + writer->offset, 0, SLACK);
}

void
packed_write(Output *out, const PackedPlan *plan, const uint64 *values)
{
	PackedWriter writer;

	packed_write_begin(&writer, out, plan);
	for (uint32 block = 0; block < vectors_of(plan->n); block++)
		packed_write_block(&writer, block, values + block * BLOCK);
	packed_write_end(&writer);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* Does what a block says of its bits stay inside of them? */
static bool
block_is_sound(const PackedBlock *block, uint32 n, uint32 length)
{
	if (block->width == 0)
		return true;
	return (block->width <= MAX_SHIFTED_WIDTH || block->width == 64) &&
		(uint64) block->offset + bytes_of(n, block->width) + SLACK <= length;
}

const char *
packed_open(PackedReader *reader, Input *in, uint32 n)
{
	uint32		nblocks = vectors_of(n);
	const PackedHeader *header = (const PackedHeader *) input_take(in, sizeof(PackedHeader));
	bool		steps;

	*reader = (PackedReader) {.bytes = in->bytes, .n = n, .scale = 1};
	if (header == NULL || (header->flags & ~(FLAG_STEPS | FLAG_SCALED)) != 0 ||
		header->reserved[0] != 0 || header->reserved[1] != 0 || header->reserved[2] != 0)
		return "The header of packed integers is missing or damaged.";
	steps = (header->flags & FLAG_STEPS) != 0;
	if ((header->flags & FLAG_SCALED) != 0)
	{
		const uint64 *scale = (const uint64 *) input_take(in, sizeof(uint64));

		if (scale == NULL)
			return "The scale of packed integers is missing.";
		reader->scale = *scale;
	}
	reader->blocks = (const PackedBlock *) input_take(in, sizeof(PackedBlock) * nblocks);
	if (reader->blocks == NULL)
		return "The directory of packed integers is cut off.";
	if (steps)
	{
		reader->steps = (const uint64 *) input_take(in, sizeof(uint64) * nblocks);
		if (reader->steps == NULL)
			return "The steps of packed integers are cut off.";
	}
	reader->data = input_pass(in, header->length);
	if (reader->data == NULL)
		return "Packed integers are cut off.";
	for (uint32 block = 0; block < nblocks; block++)
		if (!block_is_sound(&reader->blocks[block], vector_length(n, block) - (steps ? 1 : 0), header->length))
			return "A block of packed integers is not where its directory says.";
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

	if (n == 0)
		return;
	need_bytes(reader->bytes, data + bit / 8, bytes_of(n, width) + SLACK);
	if (width == 64)
		for (uint32 i = 0; i < n; i++)
			values[i] = load_word(data + sizeof(uint64) * (from + i));
	else
		for (uint32 i = 0; i < n; i++, bit += width)
			values[i] = (load_word(data + bit / 8) >> (bit % 8)) & mask;
}

/* A block's integers are one base and equal distances. */
static void
read_even(const PackedReader *reader, uint32 block, uint32 from, uint32 n, uint64 *values)
{
	uint64		step = reader->steps == NULL ? 0 : reader->steps[block];
	uint64		first = reader->blocks[block].base + from * step;

	for (uint32 i = 0; i < n; i++)
		values[i] = first + i * step;
}

static void
read_distances(const PackedReader *reader, uint32 block, uint32 from, uint32 n, uint64 *values)
{
	uint64		base = reader->blocks[block].base;

	unpack(reader, &reader->blocks[block], from, n, values);
	for (uint32 i = 0; i < n; i++)
		values[i] = base + reader->scale * values[i];
}

/* Reads values that are stored as steps: all steps from the block's first value on are added. */
static void
read_steps(const PackedReader *reader, uint32 block, uint32 from, uint32 n, uint64 *values)
{
	uint64		value = reader->blocks[block].base;
	uint64		step = reader->steps[block];
	uint64		distances[BLOCK];

	unpack(reader, &reader->blocks[block], 0, from + n - 1, distances);
	for (uint32 i = 0; i < from; i++)
		value += step + reader->scale * distances[i];
	values[0] = value;
	for (uint32 i = 1; i < n; i++)
		values[i] = value += step + reader->scale * distances[from + i - 1];
}

void
packed_read(const PackedReader *reader, uint32 from, uint32 n, uint64 *values)
{
	Assert(from <= reader->n && n <= reader->n - from);
	while (n > 0)
	{
		uint32		block = from / BLOCK;
		uint32		inside = from % BLOCK;
		uint32		count = Min(n, BLOCK - inside);

		if (reader->blocks[block].width == 0)
			read_even(reader, block, inside, count, values);
		else if (reader->steps != NULL)
			read_steps(reader, block, inside, count, values);
		else
			read_distances(reader, block, inside, count, values);
		from += count;
		values += count;
		n -= count;
	}
}
