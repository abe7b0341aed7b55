/*
 * attack_views.c
 *		Releases as their atoms, and classes parted by another release.
 */
#include "postgres.h"

#include "audit/attacking.h"
#include "frame/arrays.h"
#include "miscadmin.h"

/* Lists the atoms of a class; fill[] is where in the class the values of each are to go. */
static void
list_atoms(const Attacker *attacker, View *view, const SeenRelease *release, uint32 c, uint32 *fill)
{
	uint32		n = view->first[c];
	uint32		filled = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		uint32		atom = attacker->atoms->atom[release->individual[i]];

		if (view->class_of[atom] == c)
			continue;
		view->class_of[atom] = c;
		view->presence[n++].atom = atom;
		fill[atom] = filled;
		filled += attacker->atoms->size[atom];
	}
	view->first[c + 1] = n;
}

/* Appends to the release's values the different ones of an atom. */
static void
add_values(Attacker *attacker, View *view, Presence *presence, const Code *values)
{
	uint32		n = presence->first_value;

	attacker->mark++;
	for (uint64 i = 0; i < attacker->atoms->size[presence->atom]; i++)
	{
		if (values[i] == NO_CODE)
			continue;
		if (attacker->seen_in[values[i]] != attacker->mark)
		{
			attacker->seen_in[values[i]] = attacker->mark;
			attacker->place[values[i]] = n;
			presence->sketch |= UINT64CONST(1) << (values[i] % 64);
			view->value[n++] = values[i];
		}
		if (view->times != NULL)
			view->times[attacker->place[values[i]]]++;
	}
	presence[1].first_value = n;
}

/* A value as the attack sees it. */
static inline Code
code_in(const Aspect *aspect, Code value)
{
	return aspect == NULL || aspect->code == NULL || value == NO_CODE ? value : aspect->code[value];
}

/* An atom is in a class as a whole, so its values in it are as many as its individuals. */
static void
view_class(Attacker *attacker, View *view, const SeenRelease *release, const Aspect *aspect, uint32 c, uint32 *fill, Code *values)
{
	const Atoms *atoms = attacker->atoms;
	const Code *at = values;

	list_atoms(attacker, view, release, c, fill);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		values[fill[atoms->atom[release->individual[i]]]++] = code_in(aspect, release->value[i]);
	for (uint32 i = view->first[c]; i < view->first[c + 1]; i++)
	{
		Presence   *presence = &view->presence[i];
		uint64		size = atoms->size[presence->atom];

		add_values(attacker, view, presence, at);
		lower(&view->least, size, presence[1].first_value - presence[0].first_value);
		at += size;
	}
}

/* Lists, for each class of a release, the atoms in it with their values. */
static void
view_release(Attacker *attacker, const SeenRelease *release, const Aspect *aspect, bool counted, View *view, uint32 *fill)
{
	uint32		natoms = attacker->atoms->natoms;
	uint64		nrows = release->first[release->nclasses];
	Code	   *values = new_zeros(Code, nrows);
	uint32		n;

	view->nclasses = release->nclasses;
	view->least = no_set;
	view->first = new_zeros(uint32, view->nclasses);
	view->presence = new_zeros(Presence, Min(natoms, nrows));
	view->value = new_zeros(Code, nrows);
	view->times = counted ? new_zeros(uint32, nrows) : NULL;
	view->class_of = new_zeros(uint32, natoms);
	for (uint32 atom = 0; atom < natoms; atom++)
		view->class_of[atom] = view->nclasses;
	for (uint32 c = 0; c < view->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		view_class(attacker, view, release, aspect, c, fill, values);
	}
	pfree(values);
	n = view->first[view->nclasses];
	array_resize(view->value, view->presence[n].first_value);
	array_resize(view->presence, n);
	attacker->most_classes = Max(attacker->most_classes, view->nclasses);
	attacker->most_presences = Max(attacker->most_presences, n);
}

void
view_all(Attacker *attacker, const Aspect *aspect, bool counted)
{
	const Seen *seen = attacker->seen;
	Code		nvalues = Max(seen->nvalues, aspect == NULL ? 0 : aspect->ncodes);
	uint32	   *fill = new_zeros(uint32, attacker->atoms->natoms);

	attacker->view = new_zeros(View, seen->nreleases);
	attacker->seen_in = new_zeros(uint64, nvalues);
	attacker->shared_in = new_zeros(uint64, nvalues);
	attacker->place = new_zeros(uint32, nvalues);
	for (int32 r = 0; r < seen->nreleases; r++)
		view_release(attacker, &seen->release[r], aspect, counted, &attacker->view[r], fill);
	pfree(fill);
	attacker->part = new_zeros(ClassPart, attacker->most_presences);
	attacker->next = new_zeros(uint32, attacker->most_presences);
	attacker->part_of = new_zeros(uint32, attacker->most_classes);
}

/* ----------------------------------------------------------------
 * A class of one release, parted by another
 * ----------------------------------------------------------------
 */

/* Returns the part for a class of the other release, which is begun if the class was not met before. */
static ClassPart *
find_part(Attacker *attacker, uint32 class)
{
	uint32		p = attacker->part_of[class];

	if (p >= attacker->nparts || attacker->part[p].class != class)
	{
		p = attacker->part_of[class] = attacker->nparts++;
		attacker->part[p] = (ClassPart) {.class = class, .last = NO_PRESENCE};
	}
	return &attacker->part[p];
}

void
part_class(Attacker *attacker, uint32 c)
{
	const View *own = attacker->own;

	attacker->nparts = 0;
	for (uint32 i = own->first[c]; i < own->first[c + 1]; i++)
	{
		const Presence *presence = &own->presence[i];
		ClassPart  *part = find_part(attacker, attacker->other->class_of[presence->atom]);

		part->records += attacker->atoms->size[presence->atom];
		part->sketch |= presence->sketch;
		part->refused += own->refused.is_refused != NULL && own->refused.is_refused[i];
		attacker->next[i] = part->last;
		part->last = i;
	}
}
