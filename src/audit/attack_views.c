/*
 * attack_views.c
 *		Releases as their atoms, and classes parted by another release.
 */
#include "postgres.h"

#include "audit/attacking.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Lists the atoms of a class; fill[] is where in the class the values of each are to go. */
static void
list_atoms(Attacker *attacker, const SeenRelease *release, uint32 c)
{
	View	   *view = &attacker->own;
	uint32		n = view->first[c];
	uint32		filled = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		uint32		atom = attacker->atoms->atom[release->individual[i]];

		if (attacker->listed_in[atom] == c)
			continue;
		attacker->listed_in[atom] = c;
		view->presence[n++].atom = atom;
		attacker->fill[atom] = filled;
		filled += attacker->atoms->size[atom];
	}
	view->first[c + 1] = n;
	array_reserve(attacker->part, attacker->parts_room, n - view->first[c]);
}

/* Appends to the release's values the different ones of an atom. */
static void
add_values(Attacker *attacker, Presence *presence, const Code *values)
{
	View	   *view = &attacker->own;
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
view_class(Attacker *attacker, const SeenRelease *release, const Aspect *aspect, uint32 c, Code *values)
{
	View	   *view = &attacker->own;
	const Atoms *atoms = attacker->atoms;
	const Code *at = values;

	list_atoms(attacker, release, c);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		values[attacker->fill[atoms->atom[release->individual[i]]]++] = code_in(aspect, release->value[i]);
	for (uint32 i = view->first[c]; i < view->first[c + 1]; i++)
	{
		Presence   *presence = &view->presence[i];
		uint64		size = atoms->size[presence->atom];

		add_values(attacker, presence, at);
		lower(&view->least[c], size, presence[1].first_value - presence[0].first_value);
		at += size;
	}
}

/* Orders classes by the size of their smallest atom. */
static int
compare_least(const void *a, const void *b, void *arg)
{
	const Least *least = arg;
	const Least *x = &least[*(const uint32 *) a];
	const Least *y = &least[*(const uint32 *) b];

	if (x->records != y->records)
		return x->records < y->records ? -1 : 1;
	return x->values < y->values ? -1 : x->values > y->values;
}

void
view_release(Attacker *attacker, int32 r, const Aspect *aspect, bool counted)
{
	const SeenRelease *release = seen_release(attacker->seen, r);
	View	   *view = &attacker->own;
	uint32		natoms = attacker->atoms->natoms;
	uint64		nrows = release->first[release->nclasses];
	MemoryContext old;
	Code	   *values;
	uint32		n;

	MemoryContextReset(attacker->view_context);
	old = MemoryContextSwitchTo(attacker->view_context);
	values = new_zeros(Code, nrows);
	*view = (View) {.r = r, .nclasses = release->nclasses};
	view->least = new_array(Least, view->nclasses);
	view->order = new_array(uint32, view->nclasses);
	view->first = new_zeros(uint32, view->nclasses);
	view->presence = new_zeros(Presence, Min(natoms, nrows));
	view->value = new_zeros(Code, nrows);
	view->times = counted ? new_zeros(uint32, nrows) : NULL;
	memset(attacker->listed_in, 0xff, sizeof(uint32) * natoms);
	for (uint32 c = 0; c < view->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		view->order[c] = c;
		view->least[c] = no_set;
		view_class(attacker, release, aspect, c, values);
	}
	qsort_arg(view->order, view->nclasses, sizeof(uint32), compare_least, view->least);
	pfree(values);
	n = view->first[view->nclasses];
	array_resize(view->value, view->presence[n].first_value);
	array_resize(view->presence, n);
	attacker->next = new_array(uint32, n);
	MemoryContextSwitchTo(old);
}

/* Notes the class of each atom in a release, and which are in it. */
static uint32 *
classes_of_atoms(const Attacker *attacker, const SeenRelease *release, uint64 *is_in)
{
	uint32		natoms = attacker->atoms->natoms;
	uint32	   *class_of = new_array(uint32, natoms);

	for (uint32 atom = 0; atom < natoms; atom++)
		class_of[atom] = release->nclasses;
	for (uint32 c = 0; c < release->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		{
			uint32		atom = attacker->atoms->atom[release->individual[i]];

			class_of[atom] = c;
			is_in[atom / 64] |= UINT64CONST(1) << (atom % 64);
		}
	}
	return class_of;
}

void
place_atoms(Attacker *attacker, const Aspects *aspects)
{
	const Seen *seen = attacker->seen;
	Code		nvalues = seen->nvalues;
	uint32		most_classes = 0;

	attacker->class_of = new_zeros(uint32 *, seen->nreleases);
	attacker->is_in = new_zeros(uint64 *, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		attacker->is_in[r] = new_zeros(uint64, attacker->atoms->natoms / 64);
		attacker->class_of[r] = classes_of_atoms(attacker, seen_release(seen, r), attacker->is_in[r]);
		most_classes = Max(most_classes, seen->release[r].nclasses);
	}
	for (int a = 0; aspects != NULL && a < aspects->n; a++)
		nvalues = Max(nvalues, aspects->aspect[a].ncodes);
	attacker->seen_in = new_zeros(uint64, nvalues);
	attacker->shared_in = new_zeros(uint64, nvalues);
	attacker->place = new_zeros(uint32, nvalues);
	attacker->listed_in = new_array(uint32, attacker->atoms->natoms);
	attacker->fill = new_array(uint32, attacker->atoms->natoms);
	attacker->part_of = new_zeros(uint32, most_classes);
	array_resize(attacker->part, attacker->parts_room);
	attacker->view_context = AllocSetContextCreate(CurrentMemoryContext, "view of a release", ALLOCSET_DEFAULT_SIZES);
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
	const View *own = &attacker->own;
	const uint32 *class_of = attacker->class_of[attacker->other];

	attacker->nparts = 0;
	for (uint32 i = own->first[c]; i < own->first[c + 1]; i++)
	{
		const Presence *presence = &own->presence[i];
		ClassPart  *part = find_part(attacker, class_of[presence->atom]);

		part->records += attacker->atoms->size[presence->atom];
		part->sketch |= presence->sketch;
		part->refused += own->refused.is_refused != NULL && own->refused.is_refused[i];
		attacker->next[i] = part->last;
		part->last = i;
	}
}
