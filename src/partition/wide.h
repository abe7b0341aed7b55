/*
 * wide.h
 *		Whole numbers that may be astronomically large: those of cliques.
 *
 * Each has as many limbs of 32 bits as the largest that is ever asked for, which
 * who creates it must know: N records in each of R releases have N to the R
 * cliques at most.  So nothing overflows, and most numbers have one limb or two.
 */
#ifndef PPREPUB_PARTITION_WIDE_H
#define PPREPUB_PARTITION_WIDE_H

typedef struct Wide
{
	int32		nlimbs;
	uint32	   *limb;			/* the least one first */
} Wide;

/* n numbers that are 0, in the current context; limbs enough for base to the power, and one at least. */
extern int32 wide_limbs(uint32 base, int32 power);
extern Wide *wide_create(Size n, int32 nlimbs);
extern void wide_free(Wide *numbers);

extern void wide_set(Wide *number, uint32 value);
extern void wide_copy(Wide *number, const Wide *other);
extern void wide_multiply(Wide *number, uint32 factor);

static inline void
wide_add_multiple(Wide *number, const Wide *term, uint32 factor)
{
	uint64		carry = 0;

	for (int32 i = 0; i < number->nlimbs; i++)
	{
		uint64		product = (uint64) term->limb[i] * factor;

		carry += (uint64) number->limb[i] + (uint32) product;
		number->limb[i] = (uint32) carry;
		carry = (carry >> 32) + (product >> 32);
	}
	Assert(carry == 0);
}

static inline void
wide_add(Wide *number, const Wide *term)
{
	wide_add_multiple(number, term, 1);
}

/* Of no less. */
extern void wide_subtract(Wide *number, const Wide *less);

extern bool wide_is_zero(const Wide *number);
extern int	wide_compare(const Wide *a, const Wide *b);

/* a / b, to the last digit of a double or two; 0 or infinite if it is beyond 1 to 2^128 */
extern double wide_ratio(const Wide *a, const Wide *b);

/* In decimal digits, as numeric takes them */
extern char *wide_text(const Wide *number);

#endif							/* PPREPUB_PARTITION_WIDE_H */
