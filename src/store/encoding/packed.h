/*
 * packed.h
 *		Sequences of 64-bit integers in as few bits as their range needs.
 *
 * Integers are taken in blocks of ENCODING_VECTOR, each with a width of its own.
 * A block holds either the integers' distances from the smallest of them, or
 * those from the one before, less the smallest such distance; in both, a
 * divisor that all distances share is taken out.  All arithmetic is modulo
 * 2^64, so any 64 bits survive it.
 */
#ifndef PPREPUB_STORE_ENCODING_PACKED_H
#define PPREPUB_STORE_ENCODING_PACKED_H

#include "store/encoding/bytes.h"

/* The smallest and largest of a block's integers, and of their steps, as signed ones. */
typedef struct PackedRange
{
	int64		lo;
	int64		hi;
	int64		step_lo;
	int64		step_hi;
} PackedRange;

typedef struct PackedPlan
{
	uint32		n;
	bool		steps;
	uint64		scale;
	Size		size;
	PackedRange *ranges;		/* owned; [blocks] */
} PackedPlan;

/* The use of the integers: counts are read piecemeal, so they are not stored as steps. */
typedef enum PackedKind
{
	PACKED_VALUES,
	PACKED_COUNTS
} PackedKind;

extern void packed_measure(PackedPlan *plan, const uint64 *values, uint32 n, PackedKind kind);
extern void packed_write(Output *out, const PackedPlan *plan, const uint64 *values);

/* Like packed_measure(), block by block, in order, for counts that are not all in memory at once. */
extern void packed_begin(PackedPlan *plan, uint32 n);
extern void packed_measure_block(PackedPlan *plan, uint32 block, const uint64 *values);
extern void packed_end(PackedPlan *plan);

/* A block's entry in the directory, as it is stored. */
typedef struct PackedBlock
{
	uint64		base;
	uint32		offset;
	uint32		width;
} PackedBlock;

typedef struct PackedWriter
{
	const PackedPlan *plan;		/* borrowed */
	PackedBlock *blocks;		/* borrowed: all of these are in the output */
	char	   *steps;
	char	   *data;
	Size		length;			/* of data */
	Size		offset;			/* of the next block */
} PackedWriter;

/* The caller writes no other section into the output between begin and end. */
extern void packed_write_begin(PackedWriter *writer, Output *out, const PackedPlan *plan);
extern void packed_write_block(PackedWriter *writer, uint32 block, const uint64 *values);
extern void packed_write_end(PackedWriter *writer);

typedef struct PackedReader
{
	const EncodedBytes *bytes;	/* borrowed */
	uint32		n;
	uint64		scale;
	const PackedBlock *blocks;	/* borrowed */
	const uint64 *steps;		/* borrowed; NULL if there are none */
	const char *data;			/* borrowed */
} PackedReader;

/* Opens a sequence of n integers; checks everything that reading will trust. */
extern const char *packed_open(PackedReader *reader, Input *in, uint32 n);

/* Reads any range of the sequence. */
extern void packed_read(const PackedReader *reader, uint32 from, uint32 n, uint64 *values);

static inline bool
packed_has_steps(const PackedReader *reader)
{
	return reader->steps != NULL;
}

#endif							/* PPREPUB_STORE_ENCODING_PACKED_H */
