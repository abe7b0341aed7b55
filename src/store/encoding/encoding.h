/*
 * encoding.h
 *		A group's column as bytes, and back.
 *
 * Pure: Datums, palloc and CHECK_FOR_INTERRUPTS; no Relation, no catalog.  What
 * a type means is not looked at: a value is its bytes, and comes back with the
 * same ones.
 *
 * NOTES
 *		Bytes are those of one architecture, as all of a data directory is.
 */
#ifndef PPREPUB_STORE_ENCODING_ENCODING_H
#define PPREPUB_STORE_ENCODING_ENCODING_H

#include "postgres.h"

/* Rows that are decoded together: a vector; the last one of a column may be shorter. */
#define ENCODING_VECTOR 1024

/* More rows than this a column cannot have; none is allowed. */
#define ENCODING_MAX_ROWS (128 * 1024)

/* Nor may its different values take more bytes than this, all together. */
#define ENCODING_MAX_BYTES ((Size) 2 * 1024 * 1024 * 1024 - 1)

/* The properties of a column's type that matter here. */
typedef struct ColumnShape
{
	int16		typlen;			/* -1: varlena; no column is of a cstring */
	bool		typbyval;
	char		typalign;
	bool		packable;		/* may a varlena come back with a short header, as from a heap?  (attstorage is not
								 * plain) */
} ColumnShape;

/* ----------------------------------------------------------------
 * To bytes
 * ----------------------------------------------------------------
 */

/*
 * Encodes a column of nrows rows into bytes palloc'd in the caller's context
 * (maybe as a huge chunk); all else is freed on return.  The encoding with the
 * smallest result is chosen.
 *
 * nulls may be NULL: then there are none; a value that is NULL is not looked
 * at.  A varlena must be neither external nor compressed; its header may be
 * short.  Wide values are copied once, into the result.  Working memory is up
 * to 150 bytes a row, three times what arrays of integers take, and the size of the
 * result before it is compressed.
 *
 * Raises an error if the values take more than ENCODING_MAX_BYTES; values that
 * are found to repeat count once.
 */
extern char *encode_column(const ColumnShape *shape, const Datum *values, const bool *nulls,
						   uint32 nrows, Size *length);

/* ----------------------------------------------------------------
 * Back from bytes
 *
 * What is decoded may be damaged, or made by an enemy.  These functions never
 * read or write out of bounds, loop without end or take memory without bound;
 * they return NULL, or a text that says what is wrong, as a detail of an error
 * would ("The dictionary ...").  Damage that leaves a sound column is not seen:
 * checksums are for that.  What stands inside of a value is not looked at.
 * ----------------------------------------------------------------
 */

/*
 * Encoded bytes in memory, at an address that is a multiple of MAXIMUM_ALIGNOF.
 *
 * They need not all be there yet: where need is given, it is called before the
 * bytes from .. upto - 1 are looked at, and brings them to data + from (so data
 * is of the full length from the beginning, and stays where it is).  It may be
 * called for the same bytes again and again, so it should be quick then, and
 * may raise an error.
 */
typedef struct EncodedBytes
{
	const char *data;
	Size		length;
	void		(*need) (void *arg, Size from, Size upto);	/* or NULL: all is there */
	void	   *arg;
} EncodedBytes;

typedef struct EncodedColumn EncodedColumn;

/*
 * Opens a column of nrows rows.  It is palloc'd in the current context, which
 * also keeps what decoding finds once for all vectors (the dictionary): delete
 * that context to be rid of it.  The bytes must stay; *bytes is copied. Only
 * the parts needed to find a vector are looked at.
 */
extern const char *open_column(const ColumnShape *shape, const EncodedBytes *bytes, uint32 nrows,
							   EncodedColumn **column);

/*
 * Decodes the rows from vector * ENCODING_VECTOR on: all of a vector, or what is
 * left.  values and nulls have room for as many.  The Datum of a NULL is 0.
 *
 * Values by reference point into the bytes, into what the column has of its own
 * or into the given context: they live as long as all three.  They are aligned
 * as the type demands.  They are not to be written to.
 */
extern const char *decode_vector(EncodedColumn *column, uint32 vector, MemoryContext context,
								 Datum *values, bool *nulls);

/*
 * Like decode_vector(), for one row; decodes little more than its value.  *length
 * is the number of rows from that one on that are known to be equal to it,
 * itself included: as many as the encoding shows at once.
 */
extern const char *decode_run(EncodedColumn *column, uint32 row, MemoryContext context,
							  Datum *value, bool *isnull, uint32 *length);

/*
 * The values of a vector's rows as codes: equal codes stand for the same bytes.
 * Code 0 is NULL.
 */
typedef struct CodedVector
{
	bool		lasting;		/* a code stands for the same value in all of the column's vectors */
	uint32		ncodes;			/* codes are less than this */
	uint32		codes[ENCODING_VECTOR];
	Datum		values[ENCODING_VECTOR + 1];	/* of each code, if they are not lasting */
} CodedVector;

/* Are its values stored once for several rows, so that codes are at hand? */
extern bool column_has_codes(const EncodedColumn *column);

/* Like decode_vector(), for a column that has codes. */
extern const char *decode_codes(EncodedColumn *column, uint32 vector, MemoryContext context, CodedVector *coded);

/* The value of a lasting code but 0; it lives as long as the column. */
extern const char *value_of_code(EncodedColumn *column, uint32 code, Datum *value);

/*
 * Decodes everything, and checks, beyond what decoding does, that nothing in the
 * bytes contradicts anything else.  Takes memory from the context for a vector
 * at a time; it is reset.
 */
extern const char *verify_column(EncodedColumn *column, MemoryContext scratch);

/*
 * The encoding in a few words for people: "empty", "all null", "constant",
 * "packed", "plain", "compressed", "dictionary", or "runs of" one of the last four.
 */
extern const char *encoding_name(const EncodedColumn *column);

#endif							/* PPREPUB_STORE_ENCODING_ENCODING_H */
