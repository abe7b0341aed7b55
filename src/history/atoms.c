/*
 * atoms.c
 *		Parting individuals release by release.
 *
 * NOTES
 *		A place is a node of a tree: a class of a release, and the place before.
 *		Individuals stand at places; a class moves those who are in it, and those who
 *		stood together move together.  One step a row that was published.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "history/atoms.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct AtomParting
{
	Atoms	   *atoms;
	uint32		allocated;
	uint32	   *place;			/* [individuals] where each stands */
	uint32	   *next;			/* [places] where those of a place go in the class at hand */
} AtomParting;

/* Adds a node of the tree: a class, and the place before it. */
static uint32
place_create(AtomParting *parting, uint32 previous, int32 release, uint32 class)
{
	Atoms	   *atoms = parting->atoms;

	if (atoms->nplaces == parting->allocated)
	{
		parting->allocated = array_room(parting->allocated, atoms->nplaces + 1);
		array_resize(atoms->previous, parting->allocated);
		array_resize(atoms->release, parting->allocated);
		array_resize(atoms->class, parting->allocated);
		array_resize(parting->next, parting->allocated);
	}
	atoms->previous[atoms->nplaces] = previous;
	atoms->release[atoms->nplaces] = release;
	atoms->class[atoms->nplaces] = class;
	parting->next[atoms->nplaces] = NO_PLACE;
	return atoms->nplaces++;
}

/* A place's next one is of the class at hand if it was made since this class began. */
static void
part_by_class(AtomParting *parting, const SeenRelease *release, int32 r, uint32 c)
{
	uint32		begin = parting->atoms->nplaces;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		uint32	   *place = &parting->place[release->individual[i]];

		/* Atoms would not be wholly in a release, or not at all. */
		if (parting->atoms->release[*place] == r)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("somebody is in a release twice")));
		if (parting->next[*place] < begin)
		{
			uint32		made = place_create(parting, *place, r, c);

			parting->next[*place] = made;
		}
		*place = parting->next[*place];
	}
}

/* Places where an individual still stands are atoms. */
static void
number_atoms(AtomParting *parting, uint64 nindividuals)
{
	Atoms	   *atoms = parting->atoms;
	uint32	   *number = parting->next;

	for (uint32 i = 0; i < atoms->nplaces; i++)
		number[i] = NO_CLASS;
	for (uint64 t = 0; t < nindividuals; t++)
		number[parting->place[t]] = 0;
	for (uint32 i = 0; i < atoms->nplaces; i++)
		if (number[i] != NO_CLASS)
			number[i] = atoms->natoms++;
	atoms->atom = new_array(uint32, nindividuals);
	atoms->size = new_zeros(uint64, atoms->natoms);
	atoms->last = new_array(uint32, atoms->natoms);
	for (uint64 t = 0; t < nindividuals; t++)
	{
		uint32		atom = number[parting->place[t]];

		atoms->atom[t] = atom;
		atoms->size[atom]++;
		atoms->last[atom] = parting->place[t];
	}
}

Atoms *
atoms_of(const Seen *seen)
{
	AtomParting parting = {.atoms = palloc0(sizeof(Atoms))};

	parting.place = new_zeros(uint32, seen->nindividuals);
	(void) place_create(&parting, NO_PLACE, -1, NO_CLASS);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			part_by_class(&parting, release, r, c);
		}
	}
	number_atoms(&parting, seen->nindividuals);
	pfree(parting.place);
	pfree(parting.next);
	return parting.atoms;
}
