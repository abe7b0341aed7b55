/*
 * shares.h
 *		The distribution that sets of people are compared with: what it says of the
 *		values of a frame or a log.
 *
 * It is a share for each value, and the release that gave it; a declared distribution was given by
 * no release, 0.  Shares never change once they are given, and other values get theirs later.
 */
#ifndef PPREPUB_FRAME_SHARES_H
#define PPREPUB_FRAME_SHARES_H

#include "frame/aspects.h"

typedef struct Shares
{
	uint32		n;
	const Datum *values;		/* [n] of the sensitive column, or tuples of several; none twice */
	const double *share;		/* [n] more than 0 */
	const int32 *since;			/* [n] */
} Shares;

/* Have the values of a sensitive column, or its bands, an order that means something: of numbers, dates or times? */
extern bool has_places(const DeclaredColumn *column);

/*
 * The aspects of n sensitive values, with their shares, 0 for those without, and with the places of what
 * they are judged by; in the current context.  What is passed is borrowed.
 */
extern const Aspects *aspects_with_shares(const SensitiveColumns *columns, const double *share, const int32 *since, Code n);

#endif							/* PPREPUB_FRAME_SHARES_H */
