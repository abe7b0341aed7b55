/*
 * distinct.h
 *		Which of some values are the same.
 */
#ifndef PPREPUB_STORE_ENCODING_DISTINCT_H
#define PPREPUB_STORE_ENCODING_DISTINCT_H

#include "store/encoding/values.h"

typedef struct Distinct
{
	uint32		n;
	uint32	   *first;			/* [n] where each is met first */
	uint64	   *codes;			/* for each value, which one it is */
} Distinct;

/* Finds them; false, if there are more than the limit, or if it takes too long. */
extern bool find_distinct(Distinct *distinct, const Values *values, uint32 limit);

#endif							/* PPREPUB_STORE_ENCODING_DISTINCT_H */
