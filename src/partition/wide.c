/*
 * wide.c
 *		Adding, multiplying and printing large numbers.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/wide.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#define LIMB_BITS	32
#define DIGITS		9
#define BASE		1000000000	/* 10 to the DIGITS, in a limb */

int32
wide_limbs(uint32 base, int32 power)
{
	int64		bits = base == 0 ? 1 : ((int64) pg_leftmost_one_pos32(base) + 1) * power;

	return Max(1, (bits + LIMB_BITS - 1) / LIMB_BITS);
}

Wide *
wide_create(Size n, int32 nlimbs)
{
	Wide	   *numbers = new_array(Wide, n);
	uint32	   *limbs = new_zeros(uint32, (Size) (n + 1) * nlimbs);

	for (Size i = 0; i <= n; i++)
		numbers[i] = (Wide) {.nlimbs = nlimbs, .limb = &limbs[i * nlimbs]};
	return numbers;
}

void
wide_free(Wide *numbers)
{
	pfree(numbers[0].limb);
	pfree(numbers);
}

void
wide_set(Wide *number, uint32 value)
{
	memset(number->limb, 0, sizeof(uint32) * number->nlimbs);
	number->limb[0] = value;
}

void
wide_multiply(Wide *number, uint32 factor)
{
	uint64		carry = 0;

	for (int32 i = 0; i < number->nlimbs; i++)
	{
		carry += (uint64) number->limb[i] * factor;
		number->limb[i] = (uint32) carry;
		carry >>= LIMB_BITS;
	}
	Assert(carry == 0);
}

void
wide_copy(Wide *number, const Wide *other)
{
	memcpy(number->limb, other->limb, sizeof(uint32) * number->nlimbs);
}

void
wide_subtract(Wide *number, const Wide *less)
{
	uint64		borrow = 0;

	for (int32 i = 0; i < number->nlimbs; i++)
	{
		uint64		difference = (uint64) number->limb[i] - less->limb[i] - borrow;

		number->limb[i] = (uint32) difference;
		borrow = difference >> 32 != 0;
	}
	Assert(borrow == 0);
}

bool
wide_is_zero(const Wide *number)
{
	for (int32 i = 0; i < number->nlimbs; i++)
		if (number->limb[i] != 0)
			return false;
	return true;
}

int
wide_compare(const Wide *a, const Wide *b)
{
	for (int32 i = a->nlimbs - 1; i >= 0; i--)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

/* The limbs up to this one, below as many as a double cannot tell apart */
static double
leading(const Wide *number, int32 top)
{
	double		result = 0;

	for (int32 i = top; i >= Max(0, top - 4); i--)
		result = result * 4294967296.0 + number->limb[i];
	return result;
}

double
wide_ratio(const Wide *a, const Wide *b)
{
	int32		top = a->nlimbs - 1;

	while (top > 0 && a->limb[top] == 0 && b->limb[top] == 0)
		top--;
	return leading(a, top) / leading(b, top);
}

char *
wide_text(const Wide *number)
{
	Wide	   *left = wide_create(1, number->nlimbs);
	Size		size = (Size) number->nlimbs * 10 + DIGITS + 1;
	char	   *text = palloc(size);
	char	   *at = text + size - 1;

	wide_add(left, number);
	*at = '\0';
	do
	{
		uint64		digits = 0;

		/* Divides by BASE; digits are what remains. */
		for (int32 i = number->nlimbs - 1; i >= 0; i--)
		{
			digits = digits << LIMB_BITS | left->limb[i];
			left->limb[i] = (uint32) (digits / BASE);
			digits %= BASE;
		}
		for (int i = 0; i < DIGITS && (digits > 0 || !wide_is_zero(left)); i++, digits /= 10)
			*--at = '0' + digits % 10;
	} while (!wide_is_zero(left));
	if (*at == '\0')
		*--at = '0';
	memmove(text, at, strlen(at) + 1);
	wide_free(left);
	return text;
}
