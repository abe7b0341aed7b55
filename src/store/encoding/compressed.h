/*
 * compressed.h
 *		Values by reference that were compressed in blocks.
 */
#ifndef PPREPUB_STORE_ENCODING_COMPRESSED_H
#define PPREPUB_STORE_ENCODING_COMPRESSED_H

#include "store/encoding/bytes.h"
#include "store/encoding/item.h"

/*
 * The share that is left of a sample of the items when it is compressed; 1, if
 * that is not worth the time.
 */
extern double share_compressed(const ColumnShape *shape, const Item *items, uint32 n);

extern void compressed_write(Output *out, const ColumnShape *shape, const Item *items, uint32 n);

/* A block's entry in the directory, as it is stored. */
typedef struct CompressedBlock
{
	uint32		first;			/* item */
	uint32		length;			/* of its items, one after the other */
	uint32		stored;			/* bytes that it takes; length, if it is not compressed */
	uint32		offset;
} CompressedBlock;

typedef struct CompressedReader
{
	const ColumnShape *shape;	/* borrowed */
	const EncodedBytes *bytes;	/* borrowed */
	uint32		n;
	uint32		nblocks;
	const CompressedBlock *blocks;	/* borrowed */
	const char *data;			/* borrowed */
	uint32		length;
} CompressedReader;

extern const char *compressed_open(CompressedReader *reader, Input *in, const ColumnShape *shape, uint32 n);
extern const char *compressed_read(const CompressedReader *reader, uint32 from, uint32 n,
								   MemoryContext context, Datum *values);

/* The items of the block that one is in. */
extern void compressed_beside(const CompressedReader *reader, uint32 item, uint32 *from, uint32 *n);

/* Are all blocks as the directory says, and full of items? */
extern const char *compressed_verify(const CompressedReader *reader, MemoryContext scratch);

#endif							/* PPREPUB_STORE_ENCODING_COMPRESSED_H */
