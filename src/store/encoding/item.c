/*
 * item.c
 *		One value by reference, in a form that PostgreSQL takes where it stands.
 */
#include "postgres.h"

#include "compat.h"
#include "store/encoding/item.h"
#include "utils/memutils.h"

#define VARLENA (-1)
#define CSTRING (-2)

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
		return shape->typlen > 0 || shape->typlen == VARLENA || shape->typlen == CSTRING;
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

	if (shape->typlen == CSTRING)
		return (Item) {pointer, strlen(pointer)};
	if (shape->typlen != VARLENA)
		return (Item) {pointer, shape->typlen};
	if (VARATT_IS_EXTERNAL(pointer) || VARATT_IS_COMPRESSED(pointer))
		elog(ERROR, "a value to be encoded is toasted");
	return (Item) {VARDATA_ANY(pointer), VARSIZE_ANY_EXHDR(pointer)};
}

Size
item_stride(const ColumnShape *shape)
{
	return shape->typlen > 0 ? align(shape, shape->typlen) : 0;
}

uint64
item_end(const ColumnShape *shape, uint64 at, uint32 length)
{
	if (shape->typlen == VARLENA)
		return is_packed(shape, length) ? at + VARHDRSZ_SHORT + length : align(shape, at) + VARHDRSZ + length;
	return align(shape, at) + length + (shape->typlen == CSTRING ? 1 : 0);
}

Datum
item_begin(const ColumnShape *shape, char *base, Size *at, uint32 length)
{
	bool		packed = shape->typlen == VARLENA && is_packed(shape, length);
	Size		start = packed ? *at : align(shape, *at);
	char	   *data = base + start;

	memset(base + *at, 0, start - *at);
	if (packed)
		SET_VARSIZE_SHORT(data, length + VARHDRSZ_SHORT);
	else if (shape->typlen == VARLENA)
		SET_VARSIZE(data, length + VARHDRSZ);
	else if (shape->typlen == CSTRING)
		data[length] = '\0';
	*at = item_end(shape, *at, length);
	return PointerGetDatum(data);
}

Size
item_put(const ColumnShape *shape, char *base, Size at, const Item *item)
{
	char	   *data = DatumGetPointer(item_begin(shape, base, &at, item->length));

	memcpy(shape->typlen == VARLENA ? VARDATA_ANY(data) : data, item->data, item->length);
	return at;
}

const char *
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

static Size
cstring_size(const char *data, Size length)
{
	const char *end = memchr(data, '\0', length);

	return end == NULL ? 0 : end - data + 1;
}

/* A short header is where the item before it ends; before a long one zeros may stand. */
static Size
item_start(const ColumnShape *shape, const char *base, Size length, Size at)
{
	if (shape->typlen == VARLENA && at < length && VARATT_IS_1B(base + at))
		return at;
	return align(shape, at);
}

const char *
item_get(const ColumnShape *shape, const char *base, Size length, Size *at, Datum *value)
{
	Size		start = item_start(shape, base, length, *at);
	Size		size = 0;

	if (start < length)
	{
		const char *data = base + start;

		if (shape->typlen == VARLENA)
			size = varlena_size(shape, data, length - start);
		else if (shape->typlen == CSTRING)
			size = cstring_size(data, length - start);
		else if ((Size) shape->typlen <= length - start)
			size = shape->typlen;
	}
	if (size == 0)
		return "A value is cut off, or its length is damaged.";
	*value = PointerGetDatum(base + start);
	*at = start + size;
	return NULL;
}
