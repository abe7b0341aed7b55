/*
 * dictionary.h
 *		The distinct values of one column, numbered as they come.
 *
 * Values are compared by their bytes, which costs no call of a type's
 * function per row; values that differ in bytes only are brought together
 * afterwards, when there are few left.  Number 0 is NULL, whether or not it
 * occurs.
 */
#ifndef PPREPUB_FRAME_DICTIONARY_H
#define PPREPUB_FRAME_DICTIONARY_H

#include "postgres.h"

#include "frame/domain.h"

#define DICTIONARY_NULL 0

typedef struct Dictionary Dictionary;

extern Dictionary *dictionary_create(Oid type);

/*
 * Returns a value as a tuple or an array stores it.  A function may leave other bits above a short value, as hashtext()
 * does above a negative number; they must go, because values are compared as whole words with values from arrays.
 */
static inline Datum
as_stored(Datum value, int16 word)
{
	switch (word)
	{
		case 1:
			return CharGetDatum(DatumGetChar(value));
		case 2:
			return Int16GetDatum(DatumGetInt16(value));
		case 4:
			return Int32GetDatum(DatumGetInt32(value));
		default:
			return value;
	}
}

/* Returns the number of a value; a new value is copied. */
extern uint32 dictionary_number(Dictionary *dictionary, Datum value, bool isnull);

/* Gives back the memory by which values are looked up; none is looked up any more. */
extern void dictionary_forget_index(Dictionary *dictionary);

/* The number of values, NULL included; and the value of a number, which must not be NULL's. */
extern uint32 dictionary_size(const Dictionary *dictionary);
extern Datum dictionary_value(const Dictionary *dictionary, uint32 number);

/* A value as its type prints it. */
extern char *value_text(Oid type, Datum value);

/* The values' text as the type prints it, blanks of char(n) cut off; [size], NULL for NULL. */
extern char **dictionary_texts(const Dictionary *dictionary);

/* Hashes of the values that are the same in every session and after a restore; [size]. */
extern uint32 *dictionary_fingerprints(const Dictionary *dictionary);

/*
 * Gives one code to each group of values that the type's own equality calls equal: the result maps numbers to codes 0 ..
 * *ncodes - 1, and NULL to NO_CODE.  *values is set to a value for each code.
 */
extern Code *dictionary_merge_equal(const Dictionary *dictionary, Oid collation, Code *ncodes, Datum **values);

/*
 * Gives codes 0 .. *ncodes - 1 in the order of the type, one to each group of values that it does not tell apart: the
 * result maps numbers to codes, and NULL to NO_CODE.
 */
extern Code *dictionary_codes_in_order(const Dictionary *dictionary, Oid collation, Code *ncodes);

#endif							/* PPREPUB_FRAME_DICTIONARY_H */
