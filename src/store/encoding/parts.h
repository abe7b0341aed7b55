/*
 * parts.h
 *		The parts that a column's bytes are made of.  See encoding.h.
 *
 * LAYOUT
 *		ColumnHeader; then the sections of NULLs, of runs and of values, those of them
 *		that there are.  Values are codes and a dictionary, if there is one, and else
 *		they stand as they are: numbers packed, all others as items.  Each section
 *		begins at a multiple of 8, so that its integers can be read where they are,
 *		and values be pointed to.
 */
#ifndef PPREPUB_STORE_ENCODING_PARTS_H
#define PPREPUB_STORE_ENCODING_PARTS_H

#include "store/encoding/encoding.h"

#define COLUMN_VERSION 1

/* The repetitions of a column's values: which of them are stored. */
typedef enum Repeats
{
	REPEATS_NONE,				/* each */
	REPEATS_ALL,				/* one for all */
	REPEATS_RUNS				/* one a run */
} Repeats;

/* The rows that are NULL. */
typedef enum NullsForm
{
	NULLS_NONE,
	NULLS_ALL,
	NULLS_BITMAP
} NullsForm;

typedef struct ColumnHeader
{
	uint8		version;
	uint8		nulls;			/* NullsForm */
	uint8		repeats;		/* Repeats */
	uint8		has_dictionary;
	uint32		nvalues;		/* rows that are not NULL */
} ColumnHeader;

/* The number of vectors that n rows, or integers, make; and the length of one of them. */
static inline uint32
vectors_of(uint32 n)
{
	return (n + ENCODING_VECTOR - 1) / ENCODING_VECTOR;
}

static inline uint32
vector_length(uint32 n, uint32 vector)
{
	return Min(n - vector * ENCODING_VECTOR, ENCODING_VECTOR);
}

/* ----------------------------------------------------------------
 * Sections, written one after the other, and taken in the same order
 * ----------------------------------------------------------------
 */

#define SECTION_ALIGN(at) TYPEALIGN(8, (at))

typedef struct Output
{
	char	   *data;			/* owned, until it is the result */
	Size		length;
	Size		room;
} Output;

extern void output_create(Output *out);

/* Adds a section of n bytes, to be filled before the next is asked for. */
extern char *output_add(Output *out, Size n);

/* Gives back the end of the section that was added last. */
extern void output_trim(Output *out, Size n);

/* The bytes, in a chunk that is not much larger than they are. */
extern char *output_finish(Output *out, Size *length);

typedef struct Input
{
	const EncodedBytes *bytes;	/* borrowed */
	Size		at;
} Input;

static inline void
need_bytes(const EncodedBytes *bytes, const char *from, Size n)
{
	if (bytes->need != NULL && n > 0)
		bytes->need(bytes->arg, from - bytes->data, from - bytes->data + n);
}

/* The next section, not yet to be looked at; NULL if the bytes end before it does. */
static inline const char *
input_pass(Input *in, uint64 n)
{
	Size		from = SECTION_ALIGN(in->at);

	if (from > in->bytes->length || n > in->bytes->length - from)
		return NULL;
	in->at = from + n;
	return in->bytes->data + from;
}

/* The next section. */
static inline const char *
input_take(Input *in, uint64 n)
{
	const char *section = input_pass(in, n);

	if (section != NULL)
		need_bytes(in->bytes, section, n);
	return section;
}

/* ----------------------------------------------------------------
 * Integers of 64 bits, in as few bits as their range needs (packed.c)
 * ----------------------------------------------------------------
 */

/* The smallest and largest of a block's integers, as signed ones. */
typedef struct PackedRange
{
	int64		lo;
	int64		hi;
} PackedRange;

typedef struct PackedPlan
{
	uint32		n;
	Size		length;			/* of all blocks' bits, with what writing whole words needs at the end */
	Size		size;
	PackedRange *ranges;		/* owned; [blocks] */
} PackedPlan;

extern void packed_measure(PackedPlan *plan, const uint64 *values, uint32 n);
extern void packed_write(Output *out, const PackedPlan *plan, const uint64 *values);

/* A block's entry in the directory, as it is stored. */
typedef struct PackedBlock
{
	uint64		base;
	uint32		offset;
	uint32		width;
} PackedBlock;

typedef struct PackedReader
{
	const EncodedBytes *bytes;	/* borrowed */
	uint32		n;
	const PackedBlock *blocks;	/* borrowed */
	const char *data;			/* borrowed */
} PackedReader;

/* Opens a sequence of n integers; checks everything that reading will trust. */
extern const char *packed_open(PackedReader *reader, Input *in, uint32 n);

/* Reads any range of the sequence. */
extern void packed_read(const PackedReader *reader, uint32 from, uint32 n, uint64 *values);

/* ----------------------------------------------------------------
 * Rows in runs, and rows that are NULL (runs.c)
 * ----------------------------------------------------------------
 */

typedef struct RunsPlan
{
	uint32		nruns;
	uint32		nrows;
	const uint64 *lengths;		/* borrowed */
	PackedPlan	packed;
	Size		size;
} RunsPlan;

extern void runs_measure(RunsPlan *plan, const uint64 *lengths, uint32 nruns, uint32 nrows);
extern void runs_write(Output *out, const RunsPlan *plan);

/*
 * A vector's entry in the directory, as it is stored: the run that holds its
 * first row, and that run's own first row.
 */
typedef struct RunStart
{
	uint32		run;
	uint32		row;
} RunStart;

typedef struct RunsReader
{
	uint32		nruns;
	uint32		nrows;
	const RunStart *starts;		/* borrowed; of the second vector and all later ones */
	PackedReader lengths;
} RunsReader;

/* The runs that some rows of one or two vectors lie in, and how many of these rows are in each. */
typedef struct RunsFound
{
	uint32		first;
	uint32		n;
	uint32		lengths[ENCODING_VECTOR];
	uint32		beyond;			/* rows of the last run after those asked for */
} RunsFound;

extern const char *runs_open(RunsReader *reader, Input *in, uint32 nrows);

/* Finds the runs of n rows, which are at least one and at most ENCODING_VECTOR. */
extern const char *runs_read(const RunsReader *reader, uint32 from, uint32 n, RunsFound *found);

/* Do lengths and directory say the same? */
extern const char *runs_verify(const RunsReader *reader);

/* Writes, for rows of which some are NULL and others are not, which are; nothing for others. */
extern uint32 count_values(const bool *nulls, uint32 nrows);
extern void nulls_write(Output *out, const bool *nulls, uint32 nrows);

typedef struct NullsReader
{
	const EncodedBytes *bytes;	/* borrowed */
	NullsForm	form;
	uint32		nrows;
	uint32		nvalues;
	const uint32 *ranks;		/* borrowed; for each vector, the values before it */
	const uint8 *bitmap;		/* borrowed */
} NullsReader;

extern const char *nulls_open(NullsReader *reader, Input *in, NullsForm form, uint32 nrows, uint32 nvalues);

/*
 * Sets, for the first n rows of a vector, the NULLs, the number of values
 * before the vector, and the number of these rows that have a value.
 */
extern const char *nulls_read(const NullsReader *reader, uint32 vector, uint32 n, bool *nulls,
							  uint32 *before, uint32 *count);

/* ----------------------------------------------------------------
 * Items: values by reference, in a form that PostgreSQL takes where it stands (items.c)
 *
 * A varlena has a short header and no padding where it may and where it fits,
 * else a long one, at a multiple of its alignment.  So a Datum can point to it.
 * ----------------------------------------------------------------
 */

/* A value without its header. */
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

/* Can there be values of such a shape? */
extern bool shape_is_known(const ColumnShape *shape);

typedef struct ItemsPlan
{
	const ColumnShape *shape;	/* borrowed */
	const Item *items;			/* borrowed */
	uint32		n;
	uint32		nblocks;
	uint64		size;			/* if none of them is compressed */
} ItemsPlan;

extern void items_measure(ItemsPlan *plan, const ColumnShape *shape, const Item *items, uint32 n);

/* Writes the items, compressed where that saves enough. */
extern void items_write(Output *out, const ItemsPlan *plan);

typedef struct ItemsReader
{
	const ColumnShape *shape;	/* borrowed */
	const EncodedBytes *bytes;	/* borrowed */
	uint32		n;
	const char *data;			/* borrowed */
	uint32		length;
	uint32		nblocks;
	const struct ItemsBlock *blocks;	/* borrowed */
	bool		is_compressed;	/* is any block? */
} ItemsReader;

extern const char *items_open(ItemsReader *reader, Input *in, const ColumnShape *shape, uint32 n);

/* Reads some items; what must be made for that is in the context. */
extern const char *items_read(const ItemsReader *reader, uint32 from, uint32 n, MemoryContext context,
							  Datum *values);

/* Does the directory agree with the items? */
extern const char *items_verify(const ItemsReader *reader, MemoryContext scratch);

#endif							/* PPREPUB_STORE_ENCODING_PARTS_H */
