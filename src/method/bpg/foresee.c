/*
 * foresee.c
 *		The part of a changing table that is withheld in its later releases, where
 *		all rows are true.
 *
 * NOTES
 *		A neighborhood whose departed are fewer than k must hide them.  One of
 *		2k people or more leaves k behind, among them those who have left, and
 *		the rest goes on as a smaller one; one of fewer is lost.  The chance that
 *		nobody of the others has left decides when that happens, so a
 *		person's fate is a walk along few sizes.
 *
 *		Values are left out of account, and it is taken for granted that fewer than
 *		k leave at once, as is so of a class of fewer than 5k people while a few
 *		percent leave.  test/unit/test_foresee.c compares it with measured lives.
 */
#include "postgres.h"

#include "method/bpg/bpg.h"

#include <math.h>

/* Classes are somewhat larger than they must be: so many times, for the average person. */
#define EXCESS 1.2

/* A neighborhood cannot be parted more often than this while the reserve is small. */
#define MOST_PARTINGS (2 * SMALL_RESERVE)

/* The chance of a member who is there to be left behind with those who have departed, to hide them. */
static double
hidden_share(double size, double departed, double k)
{
	return (k - Min(departed, k)) / (size - Min(departed, k));
}

/* Lets a release pass over the shares of those who are shown, by how often their neighborhoods were parted. */
static void
pass_release(double *shown, double k, double reserve, double leave)
{
	for (int parted = MOST_PARTINGS - 1; parted >= 0; parted--)
	{
		double		size = EXCESS * reserve * k - parted * k;
		double		others = size - 1;
		double		whole = others > 0 ? pow(1 - leave, others) : 1;
		double		met = shown[parted] * (1 - whole);

		shown[parted] *= whole;
		if (met > 0 && size >= 2 * k)
			shown[parted + 1] += met * (1 - hidden_share(size, leave * others / (1 - whole), k));
	}
}

/* Of people who were published first so many releases ago, and are still there: how many are not shown any more? */
static double
lost_after(int releases, double k, double reserve, double leave)
{
	double		shown[MOST_PARTINGS + 1] = {1};
	double		all = 0;

	for (int i = 0; i < releases; i++)
		pass_release(shown, k, reserve, leave);
	for (int parted = 0; parted <= MOST_PARTINGS; parted++)
		all += shown[parted];
	return 1 - all;
}

double
foresee_withheld(int64 k, int64 reserve, double leave, int release)
{
	double		there = pow(1 - leave, release - 1);	/* since the first release */
	double		withheld = there * lost_after(release - 1, k, reserve, leave);

	Assert(reserve < SMALL_RESERVE);
	for (int age = 1; age < release - 1; age++)
		withheld += leave * pow(1 - leave, age) * lost_after(age, k, reserve, leave);
	return withheld;
}
