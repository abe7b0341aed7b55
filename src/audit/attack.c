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
 *		The least is sought aspect by aspect, in a view by the aspect's codes.  Where a principle asks for more
 *		than k and l, sets are judged in a view by values (attack_judge.c).  Of the second release it is enough to
 *		know who is in which class, so one view is in memory at a time.
 */
#include "postgres.h"

#include "audit/attacking.h"
#include "audit/changes.h"
#include "frame/arrays.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * The least of an aspect
 * ----------------------------------------------------------------
 */

/* Lowers what was found of a release by the values of an aspect. */
static void
attack_release(Attacker *attacker, int32 a, const Aspect *aspect)
{
	int32		n = attacker->seen->nreleases;

	view_release(attacker, a, aspect, false);
	for (uint32 c = 0; c < attacker->own.nclasses; c++)
		lower(&attacker->least_atoms, attacker->own.least[c].records, attacker->own.least[c].values);
	for (int32 b = 0; b < n; b++)
	{
		Found	   *found = &attacker->found[(Size) a * n + b];
		Found		here;

		if (a == b)
			continue;
		here = least_of_pair(attacker, b);
		progress_step(1);
		lower(&found->intersections, here.intersections.records, here.intersections.values);
		lower(&found->differences, here.differences.records, here.differences.values);
	}
}

/* Finds the least of all aspects. */
static void
find_least(Attacker *attacker, const Aspects *aspects)
{
	int32		n = attacker->seen->nreleases;

	attacker->least_atoms = no_set;
	attacker->found = new_array(Found, (Size) n * n);
	for (Size i = 0; i < (Size) n * n; i++)
		attacker->found[i] = (Found) {no_set, no_set};
	progress_phase("compare pairs", (uint64) n * (n - 1) * (aspects == NULL ? 1 : aspects->n));
	for (int32 r = 0; r < n; r++)
		for (int a = 0; a < (aspects == NULL ? 1 : aspects->n); a++)
			attack_release(attacker, r, aspects == NULL ? NULL : &aspects->aspect[a]);
}

/* ----------------------------------------------------------------
 * Values that must be judged
 * ----------------------------------------------------------------
 */

/* The weaker of what two releases promised, which both did */
static Principle
promised_by_both(const Attacker *attacker, int32 a, int32 b)
{
	return principle_weaker(&attacker->promised[Min(a, b)], &attacker->promised[Max(a, b)]);
}

/* The weakest of what any release promised */
static Principle
promised_by_all(const Attacker *attacker)
{
	Principle	promised = attacker->promised[0];

	for (int32 r = 0; r < attacker->seen->nreleases; r++)
		promised = principle_weaker(&promised, &attacker->promised[r]);
	return promised;
}

/* Judges what a release shows of all sets.  A difference from a later one is judged by the weakest promise from the one to the other. */
static void
judge_release(Attacker *attacker, int32 r)
{
	int32		n = attacker->seen->nreleases;
	Principle	between = attacker->promised[r];
	Principle	weakest = promised_by_all(attacker);

	view_release(attacker, r, NULL, true);
	attacker->atoms_allowed = attacker->atoms_allowed && atoms_hold(attacker, &weakest);
	for (int32 other = 0; other < n; other++)
	{
		Principle	both = promised_by_both(attacker, r, other);
		Allowed    *allowed = &attacker->allowed[(Size) r * n + other];

		if (other == r)
			continue;
		if (other > r)
			between = principle_weaker(&between, &attacker->promised[other]);
		allowed->intersections = sets_hold(attacker, REVEALED_BY_INTERSECTION, other, &both);
		allowed->differences = sets_hold(attacker, REVEALED_BY_DIFFERENCE, other, other > r ? &between : &both);
	}
}

/* Judges all sets, if some principle asks for more than k and l; otherwise all are allowed. */
static void
judge_all(Attacker *attacker)
{
	int32		n = attacker->seen->nreleases;
	bool		any = false;

	attacker->allowed = new_array(Allowed, (Size) n * n);
	memset(attacker->allowed, true, sizeof(Allowed) * n * n);
	attacker->atoms_allowed = true;
	for (int32 r = 0; r < n; r++)
		any |= attacker->promised[r].judging != NULL;
	if (!any)
		return;
	attacker->tally = tally_create(attacker->seen->nvalues);
	progress_phase("judge pairs", n);
	for (int32 r = 0; r < n; r++)
	{
		judge_release(attacker, r);
		progress_step(1);
	}
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

/* between: the weakest of what a, b and the releases between them promised */
static void
reveal_pair(Attacker *attacker, int32 a, int32 b, const Principle *between)
{
	Size		there = (Size) a * attacker->seen->nreleases + b;
	Size		back = (Size) b * attacker->seen->nreleases + a;
	const Found *found = attacker->found;
	const Allowed *allowed = attacker->allowed;
	Principle	both = promised_by_both(attacker, a, b);
	Least		common = found[there].intersections;

	lower(&common, found[back].intersections.records, found[back].intersections.values);
	reveal(attacker, REVEALED_BY_INTERSECTION, a + 1, b + 1, common, &both,
		   allowed[there].intersections && allowed[back].intersections);
	reveal(attacker, REVEALED_BY_DIFFERENCE, a + 1, b + 1, found[there].differences, between, allowed[there].differences);
	reveal(attacker, REVEALED_BY_DIFFERENCE, b + 1, a + 1, found[back].differences, &both, allowed[back].differences);
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
	Principle	promised = promised_by_all(attacker);

	reveal(attacker, REVEALED_BY_ALL, attacker->seen->nreleases, 0, attacker->least_atoms, &promised, attacker->atoms_allowed);
}

/* The people whom changes are of, where rows stood in for others: by what the release promised that shows them. */
static void
reveal_changes(Attacker *attacker)
{
	const Change *worst = worst_changes(attacker->seen, attacker->promised);

	for (int32 r = 0; r < attacker->seen->nreleases; r++)
		if (worst[r].rows > 0)
			attacker->result->revealed[attacker->result->n++] = (Revealed) {
				.kind = REVEALED_BY_CHANGE, .release = r + 1, .other = worst[r].before + 1,
				.records = worst[r].bearers, .values = worst[r].values,
				.holds = change_is_hidden(&worst[r], &attacker->promised[r])
			};
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

Attack *
attack(const Seen *seen, const Atoms *atoms, const Aspects *aspects, const Principle *promised)
{
	Attacker	attacker = {.seen = seen, .atoms = atoms, .promised = promised};
	Size		npairs = (Size) seen->nreleases * Max(0, seen->nreleases - 1) / 2;

	attacker.result = palloc0(sizeof(Attack));
	attacker.result->revealed = new_zeros(Revealed, 3 * npairs + seen->nreleases + 1);
	if (seen->nreleases == 0)
		return attacker.result;
	place_atoms(&attacker, aspects);
	find_least(&attacker, aspects);
	judge_all(&attacker);
	for (int32 a = 0; a < seen->nreleases; a++)
		reveal_later_releases(&attacker, a);
	reveal_atoms(&attacker);
	reveal_changes(&attacker);
	qsort(attacker.result->revealed, attacker.result->n, sizeof(Revealed), compare_revealed);
	return attacker.result;
}
