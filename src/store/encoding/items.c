/*
 * items.c
 *		Values by reference, one after the other, in blocks that are compressed where that saves enough.
 *
 * LAYOUT
 *		ItemsHeader; an ItemsBlock each; the blocks, each at a multiple of 8.
 *
 * NOTES
 *		A block is small, so that one value is soon reached, and none has items of two
 *		vectors.  An item larger than a block is one by itself, and is compressed from and
 *		to where it stands.  What does not become smaller is stored as it is, and values
 *		then point into the column's bytes.  The library's contexts live as long as the
 *		process: it allocates them with malloc, and an error would leave them behind.
 */
#include "postgres.h"

#include <zstd.h>
#include <zstd_errors.h>

#include "compat.h"
#include "miscadmin.h"
#include "store/encoding/parts.h"
#include "utils/memutils.h"

#define VARLENA (-1)

/* From this length on, an item is in the caller's memory already in just the bytes that it is stored in. */
#define MIN_WHOLE_ITEM 1024

/* A block is compressed if no more than this share of it is left. */
#define WORTHWHILE 0.85

#define BLOCK_ROOM (32 * 1024)
#define LEVEL 3

/* A block that takes less, as that of a small dictionary does, is not worth the time. */
#define MIN_COMPRESSED 4096

/* No frame can say more than this with a byte: 128 kB take 4. */
#define MAX_EXPANSION (32 * 1024)

typedef struct ItemsHeader
{
	uint32		nblocks;
	uint32		length;			/* of the blocks */
} ItemsHeader;

typedef struct ItemsBlock
{
	uint32		first;			/* item */
	uint32		length;			/* of its items, one after the other */
	uint32		stored;			/* bytes that it takes; length, if it is not compressed */
	uint32		offset;
} ItemsBlock;

/* ----------------------------------------------------------------
 * One item
 * ----------------------------------------------------------------
 */

/* The alignment by PostgreSQL's typalign; 0 for an unknown one. */
static inline uint32
alignment_of(const ColumnShape *shape)
{
	switch (shape->typalign)
	{
		case 'c':
			return 1;
		case 's':
			return ALIGNOF_SHORT;
		case 'i':
			return ALIGNOF_INT;
		case 'd':
			return ALIGNOF_DOUBLE;
		default:
			return 0;
	}
}

bool
shape_is_known(const ColumnShape *shape)
{
	if (alignment_of(shape) == 0)
		return false;
	if (!shape->typbyval)
		return shape->typlen > 0 || shape->typlen == VARLENA;
	return shape->typlen == 1 || shape->typlen == 2 || shape->typlen == 4 ||
		(shape->typlen == 8 && sizeof(Datum) == 8);
}

static inline uint64
align(const ColumnShape *shape, uint64 at)
{
	return TYPEALIGN64(alignment_of(shape), at);
}

static inline bool
is_packed(const ColumnShape *shape, uint32 length)
{
	return shape->packable && length + VARHDRSZ_SHORT <= VARATT_SHORT_MAX;
}

Item
item_of(const ColumnShape *shape, Datum value)
{
	const char *pointer = DatumGetPointer(value);

	if (shape->typlen != VARLENA)
		return (Item) {pointer, shape->typlen};
	if (VARATT_IS_EXTERNAL(pointer) || VARATT_IS_COMPRESSED(pointer))
		elog(ERROR, "a value to be encoded is toasted");
	return (Item) {VARDATA_ANY(pointer), VARSIZE_ANY_EXHDR(pointer)};
}

/* The end of an item that is put at an offset, or after it if it must be aligned. */
static uint64
item_end(const ColumnShape *shape, uint64 at, uint32 length)
{
	if (shape->typlen == VARLENA)
		return is_packed(shape, length) ? at + VARHDRSZ_SHORT + length : align(shape, at) + VARHDRSZ + length;
	return align(shape, at) + length;
}

/* Puts an item at an offset, or after it, with zeros before it; returns its end. */
static Size
item_put(const ColumnShape *shape, char *base, Size at, const Item *item)
{
	bool		packed = shape->typlen == VARLENA && is_packed(shape, item->length);
	Size		start = packed ? at : align(shape, at);
	char	   *data = base + start;

	memset(base + at, 0, start - at);
	if (packed)
		SET_VARSIZE_SHORT(data, item->length + VARHDRSZ_SHORT);
	else if (shape->typlen == VARLENA)
		SET_VARSIZE(data, item->length + VARHDRSZ);
	memcpy(shape->typlen == VARLENA ? VARDATA_ANY(data) : data, item->data, item->length);
	return item_end(shape, at, item->length);
}

/* The size of the varlena at the start of the data; 0 if there is none that is complete in itself. */
static Size
varlena_size(const ColumnShape *shape, const char *data, Size length)
{
	Size		size;

	if (length >= VARHDRSZ_SHORT && VARATT_IS_1B(data))
		size = shape->packable && !VARATT_IS_1B_E(data) ? VARSIZE_1B(data) : 0;
	else
		size = length >= VARHDRSZ && VARATT_IS_4B_U(data) && VARSIZE_4B(data) >= VARHDRSZ ? VARSIZE_4B(data) : 0;
	return size <= length ? size : 0;
}

/* The value that begins at *at, or after it if it must be aligned; *at is then its end. */
static const char *
item_get(const ColumnShape *shape, const char *base, Size length, Size *at, Datum *value)
{
	Size		start = align(shape, *at);
	Size		size = 0;

	/* A short header is where the item before it ends; before a long one zeros may stand. */
	if (shape->typlen == VARLENA && *at < length && VARATT_IS_1B(base + *at))
		start = *at;
	if (start < length)
	{
		const char *data = base + start;

		if (shape->typlen == VARLENA)
			size = varlena_size(shape, data, length - start);
		else if ((Size) shape->typlen <= length - start)
			size = shape->typlen;
	}
	if (size == 0)
		return "A value is cut off, or its length is damaged.";
	*value = PointerGetDatum(base + start);
	*at = start + size;
	return NULL;
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

/* A stretch of items that make a block. */
typedef struct Stretch
{
	uint32		first;
	uint32		n;
	uint64		length;			/* of the items, one after the other */
} Stretch;

/* Writes a block, compressed if that is tried and saves enough; returns the bytes that it takes, at most its length. */
static Size
write_block(char *to, const char *from, Size length, bool tries)
{
	static ZSTD_CCtx *compressor = NULL;
	Size		result;

	if (tries && length >= MIN_COMPRESSED)
	{
		if (compressor == NULL)
			compressor = ZSTD_createCCtx();
		if (compressor == NULL)
			ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
		result = ZSTD_compressCCtx(compressor, to, (Size) (length * WORTHWHILE), from, length, LEVEL);
		if (!ZSTD_isError(result))
			return result;
		if (ZSTD_getErrorCode(result) != ZSTD_error_dstSize_tooSmall)
			ereport(ERROR, (errcode(ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INTERNAL_ERROR),
							errmsg("could not compress values: %s", ZSTD_getErrorName(result))));
	}
	memcpy(to, from, length);
	return length;
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
	{
		const Item *item = &items[stretch->first];

		/* It stands there already as item_put() would write it. */
		Assert(item->length >= MIN_WHOLE_ITEM);
		return shape->typlen == VARLENA ? item->data - VARHDRSZ : item->data;
	}
	for (uint32 i = 0; i < stretch->n; i++)
		at = item_put(shape, room, at, &items[stretch->first + i]);
	Assert(at == stretch->length);
	return room;
}

void
items_measure(ItemsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n)
{
	*plan = (ItemsPlan) {.shape = shape, .items = items, .n = n, .size = sizeof(ItemsHeader)};
	for (uint32 first = 0; first < n;)
	{
		Stretch		stretch = next_stretch(shape, items, first, n);

		plan->size += sizeof(ItemsBlock) + SECTION_ALIGN(stretch.length);
		plan->nblocks++;
		first += stretch.n;
	}
}

void
items_write(Output *out, const ItemsPlan *plan)
{
	ItemsHeader header = {.nblocks = plan->nblocks};
	char	   *scratch = palloc(BLOCK_ROOM);
	char	   *section;
	ItemsBlock *block;
	char	   *data;
	Stretch		stretch;
	bool		tries = true;

	if (plan->size > ENCODING_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the values of a column take more than 2 GB in one group of rows"),
				 errhint("Keep a table with such values in a heap.")));
	section = output_add(out, plan->size);
	block = (ItemsBlock *) (section + sizeof(ItemsHeader));
	data = (char *) (block + plan->nblocks);
	for (uint32 first = 0; first < plan->n; first += stretch.n, block++)
	{
		uint32		offset = SECTION_ALIGN(header.length);

		stretch = next_stretch(plan->shape, plan->items, first, plan->n);
		memset(data + header.length, 0, offset - header.length);
		*block = (ItemsBlock) {.first = first, .length = stretch.length, .offset = offset};
		block->stored = write_block(data + offset, gather(plan->shape, plan->items, &stretch, scratch), stretch.length, tries);
		header.length = offset + block->stored;
		/* The first tells whether the others are worth the time. */
		if (first == 0 && stretch.length >= MIN_COMPRESSED)
			tries = block->stored < block->length;
		CHECK_FOR_INTERRUPTS();
	}
	*(ItemsHeader *) section = header;
	output_trim(out, plan->size - (data - section) - header.length);
	pfree(scratch);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* The item behind a block's last. */
static inline uint32
end_of_block(const ItemsReader *reader, uint32 b)
{
	return b + 1 < reader->nblocks ? reader->blocks[b + 1].first : reader->n;
}

/* Is a block where the bytes are, behind those before it, and can it be what it says? */
static bool
block_is_sound(const ItemsReader *reader, uint32 b, Size at)
{
	const ItemsBlock *block = &reader->blocks[b];
	uint32		end = end_of_block(reader, b);

	return block->first < end && end <= reader->n &&
		block->offset % MAXIMUM_ALIGNOF == 0 && block->offset >= at && block->offset <= reader->length &&
		block->stored <= block->length && block->stored <= reader->length - block->offset &&
		block->length <= MaxAllocSize && block->length / MAX_EXPANSION <= block->stored &&
		(block->length <= BLOCK_ROOM || end == block->first + 1);
}

/* All of it, so that what is read later can be trusted, and takes no more memory than any column may. */
static const char *
check_directory(ItemsReader *reader)
{
	Size		at = 0;
	uint64		length = 0;

	if (reader->nblocks > 0 && reader->blocks[0].first != 0)
		return "The directory of values does not begin with the first.";
	for (uint32 b = 0; b < reader->nblocks; b++)
	{
		if (!block_is_sound(reader, b, at))
			return "A block of values is not where its directory says.";
		at = reader->blocks[b].offset + reader->blocks[b].stored;
		length += reader->blocks[b].length;
		reader->is_compressed |= reader->blocks[b].stored < reader->blocks[b].length;
	}
	return length <= ENCODING_MAX_BYTES ? NULL : "Values take more than a column may.";
}

const char *
items_open(ItemsReader *reader, Input *in, const ColumnShape *shape, uint32 n)
{
	const ItemsHeader *header = (const ItemsHeader *) input_take(in, sizeof(ItemsHeader));

	*reader = (ItemsReader) {.shape = shape, .bytes = in->bytes, .n = n};
	if (header == NULL || header->nblocks > n || (header->nblocks == 0) != (n == 0))
		return "The header of values is missing or damaged.";
	reader->nblocks = header->nblocks;
	reader->length = header->length;
	reader->blocks = (const ItemsBlock *) input_take(in, sizeof(ItemsBlock) * (uint64) reader->nblocks);
	reader->data = reader->blocks == NULL ? NULL : input_pass(in, reader->length);
	return reader->data == NULL ? "Values are cut off." : check_directory(reader);
}

/* The last block that does not begin after an item. */
static uint32
block_of(const ItemsReader *reader, uint32 item)
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
open_block(const ItemsReader *reader, uint32 b, MemoryContext context, const char **items)
{
	const ItemsBlock *block = &reader->blocks[b];

	*items = reader->data + block->offset;
	need_bytes(reader->bytes, *items, block->stored);
	if (block->stored == block->length)
		return NULL;
	return expand(*items, block->stored, block->length, context, items);
}

/* Reads items block by block; where they differ in length, from each block's first on. */
const char *
items_read(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	uint32		upto = from + n;
	const char *error = NULL;

	Assert(from <= reader->n && n <= reader->n - from);
	for (uint32 b = n == 0 ? 0 : block_of(reader, from); from < upto && error == NULL; b++)
	{
		const ItemsBlock *block = &reader->blocks[b];
		uint32		end = end_of_block(reader, b);
		Size		at = reader->shape->typlen > 0 ? (from - block->first) * align(reader->shape, reader->shape->typlen) : 0;
		const char *items;

		error = open_block(reader, b, context, &items);
		for (uint32 i = at > 0 ? from : block->first; error == NULL && i < Min(upto, end); i++)
		{
			Datum		value;

			error = item_get(reader->shape, items, block->length, &at, &value);
			if (error == NULL && i >= from)
				*values++ = value;
		}
		from = end;
	}
	return error;
}

/* Are all blocks as the directory says, and full of items? */
const char *
items_verify(const ItemsReader *reader, MemoryContext scratch)
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
			error = "A block of values has more in it than they take.";
		if (error != NULL)
			return error;
		MemoryContextReset(scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return NULL;
}
