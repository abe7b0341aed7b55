/*
 * signatures.h
 *		Sets of sensitive values, numbered as they come.
 */
#ifndef PPREPUB_PARTITION_SIGNATURES_H
#define PPREPUB_PARTITION_SIGNATURES_H

#include "frame/frame.h"

typedef struct Signatures
{
	uint32		n;
	uint32		allocated;
	uint64	   *first;			/* [n + 1] */
	uint64		values_allocated;
	Code	   *value;			/* those of signature i are from first[i] on, ascending */
	uint32		nslots;			/* a power of two */
	uint32	   *slots;			/* numbers, or NO_SIGNATURE */
} Signatures;

#define NO_SIGNATURE PG_UINT32_MAX

extern Signatures *signatures_create(void);

/* The number of a set, which is given ascending and without repeats. */
extern uint32 signature_number(Signatures *signatures, const Code *values, uint32 n);

/* Sorts values, and takes out what repeats; *is_even is set to whether all occur equally often. */
extern uint32 distinct_values(Code *values, uint32 n, bool *is_even);

/* Where a value stands in a signature, or its length. */
extern uint32 place_in_signature(const Code *values, uint32 n, Code value);

#endif							/* PPREPUB_PARTITION_SIGNATURES_H */
