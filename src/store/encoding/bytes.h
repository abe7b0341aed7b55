/*
 * bytes.h
 *		What is written one after the other, and taken in the same order.
 *
 * A column's bytes are sections; each begins at a multiple of 8, so that its
 * integers can be read where they are, and values be pointed to.
 */
#ifndef PPREPUB_STORE_ENCODING_BYTES_H
#define PPREPUB_STORE_ENCODING_BYTES_H

#include "store/encoding/encoding.h"

#define SECTION_ALIGN(at) TYPEALIGN(8, (at))

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

typedef struct Output
{
	char	   *data;			/* owned, until it is the result */
	Size		length;
	Size		room;
} Output;

extern void output_create(Output *out);

/* Makes room for a section of n bytes, so that writing it moves no memory. */
extern void output_reserve(Output *out, Size n);

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

#endif							/* PPREPUB_STORE_ENCODING_BYTES_H */
