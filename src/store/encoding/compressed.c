/*
 * compressed.c
 *		Values by reference that were compressed in blocks.
 *
 * LAYOUT
 *		The number of blocks and the length of all they store; a CompressedBlock each;
 *		the blocks, each at a multiple of 8.
 *
 * NOTES
 *		A block is small, so that one value is soon reached, and none has items of
 *		two vectors.  An item larger than a block is one by itself, and is compressed
 *		from and to where it stands.  What does not become smaller is stored as it is,
 *		and values then point into the column's bytes.
 *
 *		The library's contexts live as long as the process: it allocates them with
 *		malloc, and an error would leave them behind.
 */
#include "postgres.h"

#include <zstd.h>
#include <zstd_errors.h>

#include "miscadmin.h"
#include "store/encoding/compressed.h"
#include "utils/memutils.h"

#define BLOCK_ROOM (32 * 1024)
#define LEVEL 3

/* A block is stored compressed if no more than this share of it is left. */
#define BLOCK_SHARE 0.95

/* The size of a block is estimated from this many bytes of it. */
#define SAMPLE (8 * 1024)

/* Items that take less, as those of a small dictionary do, are not worth the time. */
#define MIN_COMPRESSED 4096

/* No frame can say more than this with a byte: 128 kB take 4. */
#define MAX_EXPANSION (32 * 1024)

typedef struct BlocksHeader
{
	uint32		nblocks;
	uint32		length;
} BlocksHeader;

/* A stretch of items that make a block. */
typedef struct Stretch
{
	uint32		first;
	uint32		n;
	uint64		length;			/* of the items, one after the other */
} Stretch;

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

/* Compresses a block into the room given, which is large enough for all cases. */
static Size
compress(char *to, Size room, const char *from, Size length)
{
	static ZSTD_CCtx *compressor = NULL;
	Size		result;

	if (compressor == NULL)
		compressor = ZSTD_createCCtx();
	if (compressor == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	result = ZSTD_compressCCtx(compressor, to, room, from, length, LEVEL);
	if (ZSTD_isError(result))
		ereport(ERROR, (errcode(ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INTERNAL_ERROR),
						errmsg("could not compress values: %s", ZSTD_getErrorName(result))));
	return result;
}

/* The items from one on that make a block together, or that one alone. */
static Stretch
next_stretch(const ColumnShape *shape, const Item *items, uint32 first, uint32 n)
{
	Stretch		stretch = {.first = first};

	for (uint32 i = first; i < n && (i == first || i % ENCODING_VECTOR != 0); i++)
	{
		uint64		end = item_end(shape, stretch.length, items[i].length);

		if (i > first && end > BLOCK_ROOM)
			break;
		stretch.n++;
		stretch.length = end;
	}
	return stretch;
}

/* The items one after the other: in the room, or where one too large for it stands. */
static const char *
gather(const ColumnShape *shape, const Item *items, const Stretch *stretch, char *room)
{
	Size		at = 0;

	if (stretch->length > BLOCK_ROOM)
		return item_whole(shape, &items[stretch->first]);
	for (uint32 i = 0; i < stretch->n; i++)
		at = item_put(shape, room, at, &items[stretch->first + i]);
	Assert(at == stretch->length);
	return room;
}

/* The sample is the beginning of a block from the middle. */
double
share_compressed(const ColumnShape *shape, const Item *items, uint32 n)
{
	uint32		middle = n / 2 / ENCODING_VECTOR * ENCODING_VECTOR;
	Stretch		stretch = next_stretch(shape, items, middle, n);
	Size		room = ZSTD_compressBound(SAMPLE);
	char	   *scratch;
	Size		length;
	Size		left;

	if (stretch.length < MIN_COMPRESSED)
		return 1;
	length = Min(stretch.length, SAMPLE);
	scratch = palloc(BLOCK_ROOM + room);
	left = compress(scratch + BLOCK_ROOM, room, gather(shape, items, &stretch, scratch), length);
	pfree(scratch);
	return (double) left / length;
}

/* Counts the blocks, and the room that they can take at most. */
static uint32
count_blocks(const ColumnShape *shape, const Item *items, uint32 n, Size *room)
{
	uint32		nblocks = 0;
	Stretch		stretch;

	*room = 0;
	for (uint32 first = 0; first < n; first += stretch.n)
	{
		stretch = next_stretch(shape, items, first, n);
		*room += SECTION_ALIGN(ZSTD_compressBound(stretch.length));
		nblocks++;
	}
	return nblocks;
}

/* Compresses a block, or copies it where compression saves too little; returns the bytes written. */
static Size
write_block(char *to, const char *from, Size length)
{
	Size		stored = compress(to, ZSTD_compressBound(length), from, length);

	if (stored < length * BLOCK_SHARE)
		return stored;
	memcpy(to, from, length);
	return length;
}

void
compressed_write(Output *out, const ColumnShape *shape, const Item *items, uint32 n)
{
	Size		room;
	uint32		nblocks = count_blocks(shape, items, n, &room);
	Size		directory = sizeof(BlocksHeader) + sizeof(CompressedBlock) * nblocks;
	char	   *scratch = palloc(BLOCK_ROOM);
	BlocksHeader *header = (BlocksHeader *) output_add(out, directory + room);
	CompressedBlock *block = (CompressedBlock *) (header + 1);
	char	   *data = (char *) header + directory;
	Size		length = 0;
	Stretch		stretch;

	for (uint32 first = 0; first < n; first += stretch.n, block++)
	{
		Size		offset = SECTION_ALIGN(length);

		stretch = next_stretch(shape, items, first, n);
		memset(data + length, 0, offset - length);
		*block = (CompressedBlock) {.first = first, .length = stretch.length, .offset = offset};
		block->stored = write_block(data + offset, gather(shape, items, &stretch, scratch), stretch.length);
		length = offset + block->stored;
		CHECK_FOR_INTERRUPTS();
	}
	*header = (BlocksHeader) {.nblocks = nblocks, .length = length};
	output_trim(out, room - length);
	pfree(scratch);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* The item behind a block's last. */
static inline uint32
end_of_block(const CompressedReader *reader, uint32 b)
{
	return b + 1 < reader->nblocks ? reader->blocks[b + 1].first : reader->n;
}

/* Is a block where the bytes are, behind those before it, and can it be what it says? */
static bool
block_is_sound(const CompressedReader *reader, uint32 b, Size at)
{
	const CompressedBlock *block = &reader->blocks[b];
	uint32		end = end_of_block(reader, b);

	return block->first < end && end <= reader->n &&
		block->offset % MAXIMUM_ALIGNOF == 0 && block->offset >= at && block->offset <= reader->length &&
		block->stored <= block->length && block->stored <= reader->length - block->offset &&
		block->length <= MaxAllocSize && block->length / MAX_EXPANSION <= block->stored &&
		(block->length <= BLOCK_ROOM || end == block->first + 1);
}

/* All of it, so that what is read later can be trusted, and takes no more memory than any column may. */
static const char *
check_directory(const CompressedReader *reader)
{
	Size		at = 0;
	uint64		length = 0;

	if (reader->nblocks > 0 && reader->blocks[0].first != 0)
		return "The directory of compressed values does not begin with the first.";
	for (uint32 b = 0; b < reader->nblocks; b++)
	{
		if (!block_is_sound(reader, b, at))
			return "A block of compressed values is not where its directory says.";
		at = reader->blocks[b].offset + reader->blocks[b].stored;
		length += reader->blocks[b].length;
	}
	return length <= ENCODING_MAX_BYTES ? NULL : "Compressed values take more than a column may.";
}

const char *
compressed_open(CompressedReader *reader, Input *in, const ColumnShape *shape, uint32 n)
{
	const BlocksHeader *header = (const BlocksHeader *) input_take(in, sizeof(BlocksHeader));

	*reader = (CompressedReader) {.shape = shape, .bytes = in->bytes, .n = n};
	if (header == NULL || header->nblocks > n || (header->nblocks == 0) != (n == 0))
		return "The header of compressed values is missing or damaged.";
	reader->nblocks = header->nblocks;
	reader->length = header->length;
	reader->blocks = (const CompressedBlock *) input_take(in, sizeof(CompressedBlock) * (uint64) reader->nblocks);
	reader->data = reader->blocks == NULL ? NULL : input_pass(in, reader->length);
	return reader->data == NULL ? "Compressed values are cut off." : check_directory(reader);
}

/* The last block that does not begin after an item. */
static uint32
block_of(const CompressedReader *reader, uint32 item)
{
	uint32		low = 0;
	uint32		high = reader->nblocks - 1;

	while (low < high)
	{
		uint32		middle = low + (high - low + 1) / 2;

		if (reader->blocks[middle].first <= item)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Decompresses a block of a known length. Returns NULL, or the damage. */
static const char *
expand(const char *from, Size stored, Size length, MemoryContext context, const char **to)
{
	static ZSTD_DCtx *decompressor = NULL;
	char	   *room;

	if (decompressor == NULL)
		decompressor = ZSTD_createDCtx();
	if (decompressor == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	/* No memory is taken for what is not even said to be there. */
	if (ZSTD_getFrameContentSize(from, stored) != length)
		return "Compressed values are not as long as their directory says.";
	room = MemoryContextAlloc(context, Max(length, 1));
	if (ZSTD_decompressDCtx(decompressor, room, length, from, stored) != length)
	{
		pfree(room);
		return "Compressed values cannot be decompressed.";
	}
	*to = room;
	return NULL;
}

/* A block's items, one after the other. */
static const char *
open_block(const CompressedReader *reader, uint32 b, MemoryContext context, const char **items)
{
	const CompressedBlock *block = &reader->blocks[b];

	*items = reader->data + block->offset;
	need_bytes(reader->bytes, *items, block->stored);
	if (block->stored == block->length)
		return NULL;
	return expand(*items, block->stored, block->length, context, items);
}

/* Reads those of a block's items that are in from .. upto - 1; values is where the first of these goes. */
static const char *
read_block(const CompressedReader *reader, uint32 b, uint32 from, uint32 upto, MemoryContext context,
		   Datum *values)
{
	const CompressedBlock *block = &reader->blocks[b];
	uint32		last = Min(upto, end_of_block(reader, b));
	const char *items;
	const char *error = open_block(reader, b, context, &items);
	Size		at = 0;

	for (uint32 i = block->first; error == NULL && i < last; i++)
	{
		Datum		value;

		error = item_get(reader->shape, items, block->length, &at, &value);
		if (error == NULL && i >= from)
			*values++ = value;
	}
	return error;
}

const char *
compressed_read(const CompressedReader *reader, uint32 from, uint32 n, MemoryContext context,
				Datum *values)
{
	uint32		upto = from + n;
	const char *error = NULL;

	Assert(from <= reader->n && n <= reader->n - from);
	for (uint32 b = n == 0 ? 0 : block_of(reader, from); from < upto && error == NULL; b++)
	{
		error = read_block(reader, b, from, upto, context, values);
		if (error == NULL)
		{
			values += end_of_block(reader, b) - from;
			from = end_of_block(reader, b);
		}
	}
	return error;
}

void
compressed_beside(const CompressedReader *reader, uint32 item, uint32 *from, uint32 *n)
{
	uint32		b = block_of(reader, item);

	*from = reader->blocks[b].first;
	*n = end_of_block(reader, b) - *from;
}

const char *
compressed_verify(const CompressedReader *reader, MemoryContext scratch)
{
	for (uint32 b = 0; b < reader->nblocks; b++)
	{
		const char *items;
		const char *error = open_block(reader, b, scratch, &items);
		Size		at = 0;
		Datum		value;

		for (uint32 i = reader->blocks[b].first; error == NULL && i < end_of_block(reader, b); i++)
			error = item_get(reader->shape, items, reader->blocks[b].length, &at, &value);
		if (error == NULL && at != reader->blocks[b].length)
			error = "A block of compressed values has more in it than its values.";
		if (error != NULL)
			return error;
		MemoryContextReset(scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return NULL;
}
