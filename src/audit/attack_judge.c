/*
 * attack_judge.c
 *		Judging revealed sets by conditions on values, with the rows of each counted.
 *
 * NOTES
 *		Principles are closed under disjoint union, so a set of atoms that are all allowed is
 *		allowed, too.  Only sets with an atom that is refused need be looked at, and only classes
 *		that have one: most often none.
 */
#include "postgres.h"

#include "audit/attacking.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Counts the values of an atom of the view, or takes them back. */
static void
tally_presence(Attacker *attacker, const Presence *presence, bool add)
{
	const View *own = &attacker->own;

	for (uint32 j = presence[0].first_value; j < presence[1].first_value; j++)
		for (uint32 i = 0; i < own->times[j]; i++)
		{
			if (add)
				tally_add(attacker->tally, own->value[j]);
			else
				tally_remove(attacker->tally, own->value[j]);
		}
}

static void
tally_part(Attacker *attacker, const ClassPart *part, bool add)
{
	for (uint32 i = part->last; i != NO_PRESENCE; i = attacker->next[i])
		tally_presence(attacker, &attacker->own.presence[i], add);
}

/* ----------------------------------------------------------------
 * Atoms
 * ----------------------------------------------------------------
 */

/* Judges each atom of the view, unless that was done already. */
static const RefusedAtoms *
judge_atoms(Attacker *attacker, const Principle *principle)
{
	View	   *view = &attacker->own;
	RefusedAtoms *refused = &view->refused;

	if (refused->is_refused != NULL && principle_implies(principle, &refused->by) && principle_implies(&refused->by, principle))
		return refused;
	if (refused->is_refused == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(attacker->view_context);

		refused->is_refused = new_array(bool, view->first[view->nclasses]);
		refused->n = new_array(uint32, view->nclasses);
		MemoryContextSwitchTo(old);
	}
	refused->by = *principle;
	refused->total = 0;
	for (uint32 c = 0; c < view->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		refused->n[c] = 0;
		for (uint32 i = view->first[c]; i < view->first[c + 1]; i++)
		{
			tally_clear(attacker->tally);
			tally_presence(attacker, &view->presence[i], true);
			refused->is_refused[i] = !principle_allows_values(principle, attacker->tally);
			refused->n[c] += refused->is_refused[i];
		}
		refused->total += refused->n[c];
	}
	return refused;
}

bool
atoms_hold(Attacker *attacker, const Principle *principle)
{
	return principle->judging == NULL || judge_atoms(attacker, principle)->total == 0;
}

/* ----------------------------------------------------------------
 * Sets of atoms
 * ----------------------------------------------------------------
 */

/* Are the values that were counted allowed, by the principle that the view was judged by last? */
static inline bool
tally_is_allowed(const Attacker *attacker)
{
	return principle_allows_values(&attacker->own.refused.by, attacker->tally);
}

static bool
part_holds(Attacker *attacker, const ClassPart *part)
{
	if (part->refused == 0)
		return true;
	tally_clear(attacker->tally);
	tally_part(attacker, part, true);
	return tally_is_allowed(attacker);
}

/* Are the class's intersections with those of the other release allowed? */
static bool
intersections_hold(Attacker *attacker)
{
	for (uint32 p = 0; p < attacker->nparts; p++)
		if (attacker->part[p].class != absent_from_other(attacker) && !part_holds(attacker, &attacker->part[p]))
			return false;
	return true;
}

/* Is it allowed without each class of the other release, and without everybody there? */
static bool
differences_hold(Attacker *attacker, uint64 size, uint32 refused)
{
	for (uint32 p = 0; p < attacker->nparts; p++)
		if (attacker->part[p].class == absent_from_other(attacker) && !part_holds(attacker, &attacker->part[p]))
			return false;
	tally_clear(attacker->tally);
	for (uint32 p = 0; p < attacker->nparts; p++)
		tally_part(attacker, &attacker->part[p], true);
	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		const ClassPart *part = &attacker->part[p];
		bool		allowed;

		if (part->class == absent_from_other(attacker) || part->records == size || part->refused == refused)
			continue;
		tally_part(attacker, part, false);
		allowed = tally_is_allowed(attacker);
		tally_part(attacker, part, true);
		if (!allowed)
			return false;
	}
	return true;
}

bool
sets_hold(Attacker *attacker, RevealedBy kind, int32 other, const Principle *principle)
{
	const View *own = &attacker->own;
	const RefusedAtoms *refused;

	if (principle->judging == NULL)
		return true;
	refused = judge_atoms(attacker, principle);
	attacker->other = other;
	for (uint32 c = 0; c < own->nclasses && refused->total > 0; c++)
	{
		CHECK_FOR_INTERRUPTS();
		if (refused->n[c] == 0)
			continue;
		part_class(attacker, c);
		if (kind == REVEALED_BY_INTERSECTION ? !intersections_hold(attacker)
			: !differences_hold(attacker, seen_size(&attacker->seen->release[own->r], c), refused->n[c]))
			return false;
	}
	return true;
}
