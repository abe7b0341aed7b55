/*
 * items.c
 *		Values by reference: one after the other, or compressed.
 *
 * LAYOUT
 *		ItemsHeader.  Compressed: the number of blocks and the length of all they store; a
 *		CompressedBlock each; the blocks, each at a multiple of 8.  Else, where lengths
 *		differ, the offset of the first item of each stride; then the items.
 *
 * NOTES
 *		Plain: wide items have an offset each, so that no byte of others is needed for
 *		one; of small ones, some others' headers are read on the way.
 *
 *		Compressed: a block is small, so that one value is soon reached, and none has
 *		items of two vectors.  An item larger than a block is one by itself, and is
 *		compressed from and to where it stands.  What does not become smaller is stored
 *		as it is, and values then point into the column's bytes.  The library's contexts
 *		live as long as the process: it allocates them with malloc, and an error would
 *		leave them behind.
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

/* Items to an entry of the directory; from this average length on, each has one. */
#define STRIDE 32
#define WIDE 128

/* Items are compressed if no more than the first share is left; a block, if no more than the second. */
#define WORTHWHILE 0.85
#define BLOCK_SHARE 0.95

#define BLOCK_ROOM (32 * 1024)
#define LEVEL 3

/* The size of a block is estimated from this many bytes of it. */
#define SAMPLE (8 * 1024)

/* Items that take less, as those of a small dictionary do, are not worth the time. */
#define MIN_COMPRESSED 4096

/* No frame can say more than this with a byte: 128 kB take 4. */
#define MAX_EXPANSION (32 * 1024)

typedef struct ItemsHeader
{
	uint16		form;			/* ItemsForm */
	uint16		stride;
	uint32		length;
} ItemsHeader;

typedef struct BlocksHeader
{
	uint32		nblocks;
	uint32		length;
} BlocksHeader;

typedef struct CompressedBlock
{
	uint32		first;			/* item */
	uint32		length;			/* of its items, one after the other */
	uint32		stored;			/* bytes that it takes; length, if it is not compressed */
	uint32		offset;
} CompressedBlock;

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

/* Bytes from one value to the next, where all are of one length. */
static inline Size
item_stride(const ColumnShape *shape)
{
	return shape->typlen > 0 ? align(shape, shape->typlen) : 0;
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

/* The bytes that item_put() would make of a long item. */
static const char *
item_whole(const ColumnShape *shape, const Item *item)
{
	Assert(item->length >= MIN_WHOLE_ITEM);
	return shape->typlen == VARLENA ? item->data - VARHDRSZ : item->data;
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
 * Compressing
 * ----------------------------------------------------------------
 */

/* A stretch of items that make a block. */
typedef struct Stretch
{
	uint32		first;
	uint32		n;
	uint64		length;			/* of the items, one after the other */
} Stretch;

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

/*
 * The share that is left of a sample of the items when it is compressed: of the
 * beginning of a block from the middle.  1, if that is not worth the time.
 */
static double
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

/* Writes directory and blocks; room is made for blocks that do not become smaller. */
static void
write_compressed(Output *out, const ColumnShape *shape, const Item *items, uint32 n)
{
	BlocksHeader header = {.nblocks = 0};
	Size		room = 0;		/* that the blocks can take at most */
	Size		directory;
	char	   *scratch = palloc(BLOCK_ROOM);
	char	   *section;
	CompressedBlock *block;
	char	   *data;
	Stretch		stretch;

	for (uint32 first = 0; first < n; first += stretch.n, header.nblocks++)
	{
		stretch = next_stretch(shape, items, first, n);
		room += SECTION_ALIGN(ZSTD_compressBound(stretch.length));
	}
	directory = sizeof(BlocksHeader) + sizeof(CompressedBlock) * header.nblocks;
	section = output_add(out, directory + room);
	block = (CompressedBlock *) (section + sizeof(BlocksHeader));
	data = section + directory;
	for (uint32 first = 0; first < n; first += stretch.n, block++)
	{
		Size		offset = SECTION_ALIGN(header.length);
		const char *from;

		stretch = next_stretch(shape, items, first, n);
		memset(data + header.length, 0, offset - header.length);
		from = gather(shape, items, &stretch, scratch);
		*block = (CompressedBlock) {.first = first, .length = stretch.length, .offset = offset};
		block->stored = compress(data + offset, ZSTD_compressBound(stretch.length), from, stretch.length);
		if (block->stored >= stretch.length * BLOCK_SHARE)
		{
			memcpy(data + offset, from, stretch.length);
			block->stored = stretch.length;
		}
		header.length = offset + block->stored;
		CHECK_FOR_INTERRUPTS();
	}
	*(BlocksHeader *) section = header;
	output_trim(out, room - header.length);
	pfree(scratch);
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

static inline Size
directory_size(uint32 n, uint32 stride)
{
	return stride == 0 ? 0 : SECTION_ALIGN(sizeof(uint32) * (Size) ((n + stride - 1) / stride));
}

void
items_measure(ItemsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n)
{
	*plan = (ItemsPlan) {.shape = shape, .items = items, .n = n};
	if (item_stride(shape) != 0)
		plan->length = (uint64) item_stride(shape) * n;
	else
	{
		for (uint32 i = 0; i < n; i++)
			plan->length = item_end(shape, plan->length, items[i].length);
		plan->stride = plan->length >= (uint64) n * WIDE ? 1 : STRIDE;
	}
	plan->size = sizeof(ItemsHeader) + directory_size(n, plan->stride) + plan->length;
}

/* Writes the directory and the items themselves, each aligned as its type demands. */
static void
write_plain(Output *out, const ItemsPlan *plan)
{
	Size		directory = directory_size(plan->n, plan->stride);
	uint32	   *offsets = (uint32 *) output_add(out, directory + plan->length);
	char	   *data = (char *) offsets + directory;
	Size		at = 0;

	memset(offsets, 0, directory);
	for (uint32 i = 0; i < plan->n; i++)
	{
		if (plan->stride != 0 && i % plan->stride == 0)
			offsets[i / plan->stride] = at;
		at = item_put(plan->shape, data, at, &plan->items[i]);
		if (i % ENCODING_VECTOR == 0)
			CHECK_FOR_INTERRUPTS();
	}
	/* The last item is padded, too, where all are of one length. */
	Assert(at <= plan->length);
	memset(data + at, 0, plan->length - at);
}

void
items_write(Output *out, const ItemsPlan *plan)
{
	bool		compressed = share_compressed(plan->shape, plan->items, plan->n) < WORTHWHILE;
	ItemsHeader *header;

	if (plan->length > ENCODING_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the values of a column take more than 2 GB in one group of rows"),
				 errhint("Keep a table with such values in a heap.")));
	header = (ItemsHeader *) output_add(out, sizeof(ItemsHeader));
	*header = (ItemsHeader) {.form = compressed ? ITEMS_COMPRESSED : ITEMS_PLAIN};
	if (compressed)
		write_compressed(out, plan->shape, plan->items, plan->n);
	else
	{
		header->stride = plan->stride;
		header->length = plan->length;
		write_plain(out, plan);
	}
}

/* ----------------------------------------------------------------
 * Reading compressed ones
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
check_directory(const ItemsReader *reader)
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

/* Opens the directory of blocks. */
static const char *
open_compressed(ItemsReader *reader, Input *in)
{
	const BlocksHeader *header = (const BlocksHeader *) input_take(in, sizeof(BlocksHeader));

	if (header == NULL || header->nblocks > reader->n || (header->nblocks == 0) != (reader->n == 0))
		return "The header of compressed values is missing or damaged.";
	reader->nblocks = header->nblocks;
	reader->length = header->length;
	reader->blocks = (const CompressedBlock *) input_take(in, sizeof(CompressedBlock) * (uint64) reader->nblocks);
	reader->data = reader->blocks == NULL ? NULL : input_pass(in, reader->length);
	return reader->data == NULL ? "Compressed values are cut off." : check_directory(reader);
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
	const CompressedBlock *block = &reader->blocks[b];

	*items = reader->data + block->offset;
	need_bytes(reader->bytes, *items, block->stored);
	if (block->stored == block->length)
		return NULL;
	return expand(*items, block->stored, block->length, context, items);
}

/* Reads items block by block, since each is decompressed as a whole. */
static const char *
read_compressed(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	uint32		upto = from + n;
	const char *error = NULL;

	for (uint32 b = n == 0 ? 0 : block_of(reader, from); from < upto && error == NULL; b++)
	{
		const CompressedBlock *block = &reader->blocks[b];
		uint32		end = end_of_block(reader, b);
		const char *items;
		Size		at = 0;

		error = open_block(reader, b, context, &items);
		for (uint32 i = block->first; error == NULL && i < Min(upto, end); i++)
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
static const char *
verify_compressed(const ItemsReader *reader, MemoryContext scratch)
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

/* ----------------------------------------------------------------
 * Reading plain ones
 * ----------------------------------------------------------------
 */

/* The offset of a stride's first item; behind the last stride, the end of all. */
static inline uint32
stride_offset(const ItemsReader *reader, uint32 number)
{
	return (uint64) number * reader->stride < reader->n ? reader->offsets[number] : reader->length;
}

/* Reads some of the items of one stride; *at is then where the last of them ends. */
static const char *
read_stride(const ItemsReader *reader, uint32 number, uint32 skip, uint32 n, Datum *values, Size *at)
{
	uint32		start = stride_offset(reader, number);
	uint32		end = stride_offset(reader, number + 1);
	const char *error = NULL;

	if (start > end || end > reader->length)
		return "The directory of values leads out of them.";
	need_bytes(reader->bytes, reader->data + start, end - start);
	*at = start;
	for (uint32 i = 0; i < skip + n && error == NULL; i++)
		error = item_get(reader->shape, reader->data, end, at, &values[i < skip ? 0 : i - skip]);
	return error;
}

/* Reads items, stride by stride, since only the first of a stride is in the directory. */
static const char *
read_plain(const ItemsReader *reader, uint32 from, uint32 n, Datum *values)
{
	const char *error = NULL;

	if (reader->stride == 0)
	{
		Size		stride = item_stride(reader->shape);
		const char *data = reader->data + from * stride;

		need_bytes(reader->bytes, data, n * stride);
		for (uint32 i = 0; i < n; i++)
			values[i] = PointerGetDatum(data + i * stride);
		return NULL;
	}
	while (n > 0 && error == NULL)
	{
		uint32		skip = from % reader->stride;
		uint32		count = Min(n, reader->stride - skip);
		Size		at;

		error = read_stride(reader, from / reader->stride, skip, count, values, &at);
		from += count;
		values += count;
		n -= count;
	}
	return error;
}

/* Checks that the directory says where the items begin, and that these fill the bytes. */
static const char *
verify_plain(const ItemsReader *reader)
{
	Size		at = 0;

	if (reader->stride == 0)
		return NULL;
	for (uint32 from = 0; from < reader->n; from += reader->stride)
	{
		uint32		number = from / reader->stride;
		Datum		values[STRIDE];
		const char *error;

		if (stride_offset(reader, number) != at)
			return "The directory of values does not agree with them.";
		error = read_stride(reader, number, 0, Min(reader->stride, reader->n - from), values, &at);
		if (error != NULL)
			return error;
		CHECK_FOR_INTERRUPTS();
	}
	return at == reader->length ? NULL : "There is more among the values than they take.";
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

const char *
items_open(ItemsReader *reader, Input *in, const ColumnShape *shape, uint32 n)
{
	const ItemsHeader *header = (const ItemsHeader *) input_take(in, sizeof(ItemsHeader));

	*reader = (ItemsReader) {.shape = shape, .bytes = in->bytes, .n = n};
	if (header == NULL || header->form > ITEMS_COMPRESSED)
		return "The header of values is missing or damaged.";
	reader->form = header->form;
	reader->stride = header->stride;
	reader->length = header->length;
	if (reader->form == ITEMS_COMPRESSED)
		return open_compressed(reader, in);
	/* Does their stride suit the type? */
	if (item_stride(shape) != 0 ? reader->stride != 0 || reader->length != (uint64) n * item_stride(shape)
		: reader->stride != 1 && reader->stride != STRIDE)
		return "Values have lengths that their type does not have.";
	reader->offsets = (const uint32 *) input_take(in, directory_size(n, reader->stride));
	reader->data = reader->offsets == NULL ? NULL : input_pass(in, reader->length);
	return reader->data == NULL ? "Values are cut off." : NULL;
}

const char *
items_read(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	Assert(from <= reader->n && n <= reader->n - from);
	return reader->form == ITEMS_COMPRESSED ? read_compressed(reader, from, n, context, values) :
		read_plain(reader, from, n, values);
}

void
items_beside(const ItemsReader *reader, uint32 item, uint32 *from, uint32 *n)
{
	uint32		stride = reader->stride != 0 ? reader->stride : STRIDE;

	*from = item / stride * stride;
	*n = Min(stride, reader->n - *from);
	if (reader->form == ITEMS_COMPRESSED)
	{
		uint32		b = block_of(reader, item);

		*from = reader->blocks[b].first;
		*n = end_of_block(reader, b) - *from;
	}
}

const char *
items_verify(const ItemsReader *reader, MemoryContext scratch)
{
	return reader->form == ITEMS_COMPRESSED ? verify_compressed(reader, scratch) : verify_plain(reader);
}
