/*
 * items.h
 *		Values by reference, one after the other, as words, or compressed in blocks.
 */
#ifndef PPREPUB_STORE_ENCODING_ITEMS_H
#define PPREPUB_STORE_ENCODING_ITEMS_H

#include "store/encoding/bytes.h"
#include "store/encoding/compressed.h"
#include "store/encoding/item.h"
#include "store/encoding/words.h"

typedef struct ItemsPlan
{
	const ColumnShape *shape;	/* borrowed */
	const Item *items;			/* borrowed */
	uint32		n;
	uint64		length;			/* of all, one after the other */
	uint32		stride;			/* items to an entry of the directory; 0: it has none */
	uint64		size;			/* if not compressed */
} ItemsPlan;

extern void items_measure(ItemsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n);

/* Writes the items as words, or compressed, where that saves enough. */
extern void items_write(Output *out, const ItemsPlan *plan);

typedef struct ItemsReader
{
	const ColumnShape *shape;	/* borrowed */
	const EncodedBytes *bytes;	/* borrowed */
	uint32		n;
	bool		is_compressed;
	bool		is_words;

	/* One after the other */
	const char *data;			/* borrowed */
	uint32		length;
	uint32		stride;
	const uint32 *offsets;		/* borrowed; of each stride's first item */

	CompressedReader blocks;
	WordsReader words;
} ItemsReader;

extern const char *items_open(ItemsReader *reader, Input *in, const ColumnShape *shape, uint32 n);

/* Reads some items; what must be made for that is in the context. */
extern const char *items_read(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context,
							  Datum *values);

/* The items beside one that are best read with it. */
extern void items_beside(const ItemsReader *reader, uint32 item, uint32 *from, uint32 *n);

/* Does the directory agree with the items? */
extern const char *items_verify(const ItemsReader *reader, MemoryContext scratch);

#endif							/* PPREPUB_STORE_ENCODING_ITEMS_H */
