/*
 * items.c
 *		Values by reference, one after the other, as words, or compressed in blocks.
 *
 * LAYOUT
 *		ItemsHeader.  As words: see words.c; compressed: see compressed.c.  Else, where
 *		lengths differ, the offset of the first item of each stride; then the items.
 *
 * NOTES
 *		Wide items have an offset each, so that no byte of others is needed for one;
 *		of small ones, some others' headers are read on the way.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "store/encoding/items.h"

#define STRIDE 32
#define WIDE 128

#define FLAG_COMPRESSED 1
#define FLAG_WORDS 2

/* Items are stored as words, or compressed, if no more than this share is left. */
#define WORTHWHILE 0.85

typedef struct ItemsHeader
{
	uint16		flags;
	uint16		stride;
	uint32		length;
} ItemsHeader;

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

/*
 * Chooses the form of the items.  The compressed size is an estimate from a
 * sample: in case of doubt words are chosen, their size being known.
 */
static uint16
choose_form(const ItemsPlan *plan, WordsPlan *words)
{
	double		best = WORTHWHILE * plan->length;
	double		compressed = share_compressed(plan->shape, plan->items, plan->n) * plan->length;
	uint16		form = 0;

	if (words_measure(words, plan->shape, plan->items, plan->n) && words->size < best)
	{
		best = words->size;
		form = FLAG_WORDS;
	}
	return compressed < best ? FLAG_COMPRESSED : form;
}

void
items_write(Output *out, const ItemsPlan *plan)
{
	WordsPlan	words;
	uint16		form = choose_form(plan, &words);
	ItemsHeader *header;

	if (plan->length > ENCODING_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the values of a column take more than 2 GB in one group of rows"),
				 errhint("Keep a table with such values in a heap.")));
	header = (ItemsHeader *) output_add(out, sizeof(ItemsHeader));
	*header = (ItemsHeader) {.flags = form};
	if (form == FLAG_COMPRESSED)
		compressed_write(out, plan->shape, plan->items, plan->n);
	else if (form == FLAG_WORDS)
		words_write(out, &words);
	else
	{
		header->stride = plan->stride;
		header->length = plan->length;
		write_plain(out, plan);
	}
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* Opens the directory and the items; checks that their stride suits the type. */
static const char *
open_plain(ItemsReader *reader, Input *in)
{
	bool		fixed = item_stride(reader->shape) != 0;
	Size		directory = directory_size(reader->n, reader->stride);

	if (fixed ? reader->stride != 0 || reader->length != (uint64) reader->n * item_stride(reader->shape)
		: reader->stride != 1 && reader->stride != STRIDE)
		return "Values have lengths that their type does not have.";
	reader->offsets = (const uint32 *) input_take(in, directory);
	reader->data = reader->offsets == NULL ? NULL : input_pass(in, reader->length);
	return reader->data == NULL ? "Values are cut off." : NULL;
}

const char *
items_open(ItemsReader *reader, Input *in, const ColumnShape *shape, uint32 n)
{
	const ItemsHeader *header = (const ItemsHeader *) input_take(in, sizeof(ItemsHeader));

	*reader = (ItemsReader) {.shape = shape, .bytes = in->bytes, .n = n};
	if (header == NULL || header->flags > FLAG_WORDS)
		return "The header of values is missing or damaged.";
	reader->is_compressed = header->flags == FLAG_COMPRESSED;
	reader->is_words = header->flags == FLAG_WORDS;
	reader->stride = header->stride;
	reader->length = header->length;
	if (reader->is_words)
		return words_open(&reader->words, in, shape, n);
	return reader->is_compressed ? compressed_open(&reader->blocks, in, shape, n) : open_plain(reader, in);
}

/* Returns items of equal length by pointers into the data. */
static void
read_fixed(const ItemsReader *reader, uint32 from, uint32 n, Datum *values)
{
	Size		stride = item_stride(reader->shape);
	const char *data = reader->data + from * stride;

	need_bytes(reader->bytes, data, n * stride);
	for (uint32 i = 0; i < n; i++)
		values[i] = PointerGetDatum(data + i * stride);
}

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

const char *
items_read(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	Assert(from <= reader->n && n <= reader->n - from);
	if (reader->is_compressed)
		return compressed_read(&reader->blocks, from, n, context, values);
	if (reader->is_words)
		return words_read(&reader->words, from, n, context, values);
	if (reader->stride != 0)
		return read_plain(reader, from, n, values);
	read_fixed(reader, from, n, values);
	return NULL;
}

void
items_beside(const ItemsReader *reader, uint32 item, uint32 *from, uint32 *n)
{
	uint32		stride = reader->stride != 0 && !reader->is_words ? reader->stride : STRIDE;

	if (reader->is_compressed)
	{
		compressed_beside(&reader->blocks, item, from, n);
		return;
	}
	*from = item / stride * stride;
	*n = Min(stride, reader->n - *from);
}

/* Checks that the directory says where the items begin, and that these fill the bytes. */
static const char *
verify_plain(const ItemsReader *reader)
{
	Size		at = 0;

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

const char *
items_verify(const ItemsReader *reader, MemoryContext scratch)
{
	if (reader->is_compressed)
		return compressed_verify(&reader->blocks, scratch);
	if (reader->is_words)
		return words_verify(&reader->words);
	return reader->stride == 0 ? NULL : verify_plain(reader);
}
