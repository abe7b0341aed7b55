/*
 * attack.c
 *		Intersecting and subtracting the classes of all releases, atom by atom.
 *
 * NOTES
 *		A class is a set of atoms, and so is all that can be made of it.  For an
 *		ordered pair of releases, each class C of the first is parted by where its
 *		atoms were in the second: into its intersections with classes there, and
 *		those who were not there.  C without D is C without one part.
 *		All is judged by what the first release showed; the pair's other order
 *		judges its intersections by what the second did.
 *
 *		The least is sought aspect by aspect, in views by the aspect's codes.  Where a principle asks for more
 *		than k and l, sets are judged in views by values (attack_judge.c).
 */
#include "postgres.h"

#include "audit/attacking.h"
#include "frame/arrays.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * The least of an aspect
 * ----------------------------------------------------------------
 */

/* Lowers what was found by the values of an aspect. */
static void
attack_aspect(Attacker *attacker, const Aspect *aspect)
{
	int32		n = attacker->seen->nreleases;

	view_all(attacker, aspect, false);
	for (int32 a = 0; a < n; a++)
	{
		lower(&attacker->least_atoms, attacker->view[a].least.records, attacker->view[a].least.values);
		for (int32 b = 0; b < n; b++)
		{
			Found	   *found = &attacker->found[(Size) a * n + b];
			Found		here;

			if (a == b)
				continue;
			here = least_of_pair(attacker, a, b);
			progress_step(1);
			lower(&found->intersections, here.intersections.records, here.intersections.values);
			lower(&found->differences, here.differences.records, here.differences.values);
		}
	}
}

/* Finds the least of all aspects. */
static void
find_least(Attacker *attacker, const Aspects *aspects)
{
	int32		n = attacker->seen->nreleases;
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "views of an aspect", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;

	attacker->least_atoms = no_set;
	attacker->found = new_array(Found, (Size) n * n);
	for (Size i = 0; i < (Size) n * n; i++)
		attacker->found[i] = (Found) {no_set, no_set};
	progress_phase("compare pairs", (uint64) n * (n - 1) * (aspects == NULL ? 1 : aspects->n));
	for (int a = 0; a < (aspects == NULL ? 1 : aspects->n); a++)
	{
		MemoryContextSwitchTo(work);
		attack_aspect(attacker, aspects == NULL ? NULL : &aspects->aspect[a]);
		MemoryContextSwitchTo(old);
		MemoryContextReset(work);
	}
	MemoryContextDelete(work);
}

/* ----------------------------------------------------------------
 * All releases
 * ----------------------------------------------------------------
 */

/* Are there enough people and, where it is enough to count them, values? */
static bool
is_enough(const Principle *promised, const Least *least)
{
	return least->records >= promised->k &&
		(promised->judging != NULL || promised->l <= 1 || least->values >= promised->l);
}

/* Adds a finding to the result, unless nothing was revealed; allowed: by what must be judged of values. */
static void
reveal(Attacker *attacker, RevealedBy kind, int32 release, int32 other, Least least, const Principle *promised, bool allowed)
{
	if (least.records == no_set.records)
		return;
	attacker->result->revealed[attacker->result->n++] = (Revealed) {
		.kind = kind, .release = release, .other = other,
		.records = least.records, .values = least.values,
		.holds = allowed && is_enough(promised, &least)
	};
}

static const Found *
found_of(const Attacker *attacker, int32 r, int32 other)
{
	return &attacker->found[(Size) r * attacker->seen->nreleases + other];
}

/* between: the weakest of what a, b and the releases between them promised */
static void
reveal_pair(Attacker *attacker, int32 a, int32 b, const Principle *between)
{
	const Found *forth = found_of(attacker, a, b);
	const Found *back = found_of(attacker, b, a);
	Principle	both = principle_weaker(&attacker->promised[a], &attacker->promised[b]);
	Least		common = forth->intersections;

	lower(&common, back->intersections.records, back->intersections.values);
	reveal(attacker, REVEALED_BY_INTERSECTION, a + 1, b + 1, common, &both,
		   sets_hold(attacker, REVEALED_BY_INTERSECTION, a, b, &both) &&
		   sets_hold(attacker, REVEALED_BY_INTERSECTION, b, a, &both));
	reveal(attacker, REVEALED_BY_DIFFERENCE, a + 1, b + 1, forth->differences, between,
		   sets_hold(attacker, REVEALED_BY_DIFFERENCE, a, b, between));
	reveal(attacker, REVEALED_BY_DIFFERENCE, b + 1, a + 1, back->differences, &both,
		   sets_hold(attacker, REVEALED_BY_DIFFERENCE, b, a, &both));
}

/* Compares a release with each later one, by the weakest promise from the one to the other. */
static void
reveal_later_releases(Attacker *attacker, int32 a)
{
	Principle	between = attacker->promised[a];

	for (int32 b = a + 1; b < attacker->seen->nreleases; b++)
	{
		between = principle_weaker(&between, &attacker->promised[b]);
		reveal_pair(attacker, a, b, &between);
	}
}

/* Atoms are revealed by all releases together; they must keep what the weakest of these promised. */
static void
reveal_atoms(Attacker *attacker)
{
	int32		nreleases = attacker->seen->nreleases;
	Principle	promised = attacker->promised[0];
	bool		allowed = true;

	for (int32 r = 0; r < nreleases; r++)
		promised = principle_weaker(&promised, &attacker->promised[r]);
	for (int32 r = 0; r < nreleases && allowed; r++)
		allowed = atoms_hold(attacker, r, &promised);
	reveal(attacker, REVEALED_BY_ALL, nreleases, 0, attacker->least_atoms, &promised, allowed);
}

/* Orders findings: those that break a promise first, then by kind and releases. */
static int
compare_revealed(const void *a, const void *b)
{
	const Revealed *x = a;
	const Revealed *y = b;

	if (x->holds != y->holds)
		return x->holds ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->release != y->release)
		return x->release < y->release ? -1 : 1;
	return x->other < y->other ? -1 : x->other > y->other;
}

/* Makes the views that sets are judged in, if some principle asks for more than k and l. */
static void
view_to_judge(Attacker *attacker)
{
	const Principle *judging = NULL;

	for (int32 r = 0; r < attacker->seen->nreleases; r++)
		if (attacker->promised[r].judging != NULL)
			judging = &attacker->promised[r];
	if (judging == NULL)
		return;
	view_all(attacker, NULL, true);
	attacker->tally = tally_create(attacker->seen->nvalues);
}

Attack *
attack(const Seen *seen, const Atoms *atoms, const Aspects *aspects, const Principle *promised)
{
	Attacker	attacker = {.seen = seen, .atoms = atoms, .promised = promised};
	Size		npairs = (Size) seen->nreleases * Max(0, seen->nreleases - 1) / 2;

	attacker.result = palloc0(sizeof(Attack));
	attacker.result->revealed = new_zeros(Revealed, 3 * npairs + 1);
	if (seen->nreleases == 0)
		return attacker.result;
	find_least(&attacker, aspects);
	view_to_judge(&attacker);
	progress_phase("judge pairs", seen->nreleases);
	for (int32 a = 0; a < seen->nreleases; a++)
	{
		reveal_later_releases(&attacker, a);
		progress_step(1);
	}
	reveal_atoms(&attacker);
	qsort(attacker.result->revealed, attacker.result->n, sizeof(Revealed), compare_revealed);
	return attacker.result;
}
