/*
 * item.h
 *		One value by reference, in a form that PostgreSQL takes where it stands.
 *
 * A varlena has a short header and no padding where it may and where it fits,
 * else a long one, at a multiple of its alignment; a cstring has the zero at its
 * end.  So a Datum can point to it.
 */
#ifndef PPREPUB_STORE_ENCODING_ITEM_H
#define PPREPUB_STORE_ENCODING_ITEM_H

#include "store/encoding/encoding.h"

/* A value without its header, or without the zero at its end. */
typedef struct Item
{
	const char *data;			/* borrowed */
	uint32		length;
} Item;

extern Item item_of(const ColumnShape *shape, Datum value);

static inline bool
items_equal(const Item *a, const Item *b)
{
	return a->length == b->length && (a->data == b->data || memcmp(a->data, b->data, a->length) == 0);
}

/* The end of an item that is put at an offset, or after it if it must be aligned. */
extern uint64 item_end(const ColumnShape *shape, uint64 at, uint32 length);

/*
 * Makes an item of this length at *at, or after it, with zeros before it; the
 * caller fills in its bytes.  *at is then its end.
 */
extern Datum item_begin(const ColumnShape *shape, char *base, Size *at, uint32 length);

/* Puts an item at an offset; returns its end. */
extern Size item_put(const ColumnShape *shape, char *base, Size at, const Item *item);

/*
 * From this length on, an item is in the caller's memory already in just the
 * bytes that item_put would make.
 */
#define MIN_WHOLE_ITEM 1024

/* The bytes of such a long item. */
extern const char *item_whole(const ColumnShape *shape, const Item *item);

/* The value that begins at *at, or after it if it must be aligned; *at is then its end. */
extern const char *item_get(const ColumnShape *shape, const char *base, Size length, Size *at,
							Datum *value);

/* Bytes from one value to the next, where all are of one length. */
extern Size item_stride(const ColumnShape *shape);

/* Can there be values of such a shape? */
extern bool shape_is_known(const ColumnShape *shape);

#endif							/* PPREPUB_STORE_ENCODING_ITEM_H */
