/*
 * disclosure.h
 *		How much classes have disclosed of a person, at the worst.
 *
 * Of a class of n rows, c of which have a value, all readers know that a person
 * in it has that value with the chance of c in n: 1 - c/n is kept of the secret.
 * The class discloses minus the logarithm of that, for the protected value
 * that it has most often; and the sum of what all classes of a person have disclosed
 * is no less than they disclosed of any single value.  So of most people one number
 * says that no class of the past need be looked at.
 *
 * It is a whole number, so that it is the same wherever and however it is
 * computed: of units, each class rounded up.  The logarithm is an integral of
 * 1 / (1 - x), which lies below its chord: of x = c/n no more is disclosed than the
 * mean of x and x / (1 - x).
 */
#ifndef PPREPUB_HISTORY_DISCLOSURE_H
#define PPREPUB_HISTORY_DISCLOSURE_H

#define DISCLOSURE_UNIT (1 << 24)	/* a logarithm of 1 */
#define DISCLOSURE_ALL PG_INT32_MAX /* nothing may be kept */

static inline int64
half_of_ratio(uint32 count, uint32 size)
{
	return ((int64) count * (DISCLOSURE_UNIT / 2) + size - 1) / size;
}

/* By a class of a size that has no value of those protected oftener than so. */
static inline int32
disclosure_by_class(uint32 most, uint32 size)
{
	if (most == size)
		return DISCLOSURE_ALL;
	return (int32) Min(half_of_ratio(most, size) + half_of_ratio(most, size - most), DISCLOSURE_ALL);
}

/* By a class after others. */
static inline int32
disclosure_in_all(int32 before, int32 by_class)
{
	return before > DISCLOSURE_ALL - by_class ? DISCLOSURE_ALL : before + by_class;
}

#endif							/* PPREPUB_HISTORY_DISCLOSURE_H */
