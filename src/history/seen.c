/*
 * seen.c
 *		Parting individuals into atoms, and counting what classes show.
 *
 * NOTES
 *		A stop is a node of a tree: a class of a release, and the stop before.  Individuals stand at stops; a class
 *		moves those who are in it, and those who stood together move together.  One step a row that was published.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "history/seen.h"
#include "miscadmin.h"

Individual *
seen_holders(const Seen *seen)
{
	Individual *holder;
	Individual *held;			/* [people] the place where each sat last */

	if (seen->group_of == NULL)
		return NULL;
	holder = new_array(Individual, seen->nindividuals);
	held = new_array(Individual, seen->npeople);
	memset(holder, 0xff, sizeof(Individual) * seen->nindividuals);	/* NO_INDIVIDUAL */
	memset(held, 0xff, sizeof(Individual) * seen->npeople);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
		{
			Individual	person = release->person[i];

			if (person == NO_INDIVIDUAL)
				continue;
			/* The place before is left without a holder. */
			if (held[person] != NO_INDIVIDUAL && holder[held[person]] == person)
				holder[held[person]] = NO_INDIVIDUAL;
			holder[release->individual[i]] = person;
			held[person] = release->individual[i];
		}
	}
	pfree(held);
	return holder;
}

Seen
seen_of_people(const Seen *seen)
{
	Seen		people = *seen;

	if (seen->group_of == NULL)
		return people;
	people.nindividuals = seen->npeople;
	people.ngroups = 0;
	people.group_of = NULL;
	people.release = new_array(SeenRelease, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];
		uint64		n = release->first[release->nclasses];
		Individual *individual = new_array(Individual, n);

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < n; i++)
			individual[i] = release->person[i] == NO_INDIVIDUAL ? people.nindividuals++ : release->person[i];
		people.release[r] = *release;
		people.release[r].individual = individual;
		people.release[r].person = NULL;
		people.release[r].group = NULL;
	}
	return people;
}

/* ----------------------------------------------------------------
 * Atoms
 * ----------------------------------------------------------------
 */

typedef struct AtomParting
{
	Atoms	   *atoms;
	uint32		allocated;
	uint32	   *stop;			/* [individuals] where each stands */
	uint32	   *next;			/* [stops] where those of a stop go in the class at hand */
} AtomParting;

/* Adds a node of the tree: a class, and the stop before it. */
static uint32
stop_create(AtomParting *parting, uint32 previous, int32 release, uint32 class)
{
	Atoms	   *atoms = parting->atoms;

	if (atoms->nstops == parting->allocated)
	{
		parting->allocated = array_room(parting->allocated, atoms->nstops + 1);
		array_resize(atoms->previous, parting->allocated);
		array_resize(atoms->release, parting->allocated);
		array_resize(atoms->class, parting->allocated);
		array_resize(parting->next, parting->allocated);
	}
	atoms->previous[atoms->nstops] = previous;
	atoms->release[atoms->nstops] = release;
	atoms->class[atoms->nstops] = class;
	parting->next[atoms->nstops] = NO_STOP;
	return atoms->nstops++;
}

/* A stop's next one is of the class at hand if it was made since this class began. */
static void
part_by_class(AtomParting *parting, const SeenRelease *release, int32 r, uint32 c)
{
	uint32		begin = parting->atoms->nstops;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		uint32	   *stop = &parting->stop[release->individual[i]];

		/* Atoms would not be wholly in a release, or not at all. */
		if (parting->atoms->release[*stop] == r)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("somebody is in a release twice")));
		if (parting->next[*stop] < begin)
		{
			uint32		made = stop_create(parting, *stop, r, c);

			parting->next[*stop] = made;
		}
		*stop = parting->next[*stop];
	}
}

/* Stops where an individual still stands are atoms. */
static void
number_atoms(AtomParting *parting, uint64 nindividuals)
{
	Atoms	   *atoms = parting->atoms;
	uint32	   *number = parting->next;

	for (uint32 i = 0; i < atoms->nstops; i++)
		number[i] = NO_CLASS;
	for (uint64 t = 0; t < nindividuals; t++)
		number[parting->stop[t]] = 0;
	for (uint32 i = 0; i < atoms->nstops; i++)
		if (number[i] != NO_CLASS)
			number[i] = atoms->natoms++;
	atoms->atom = new_array(uint32, nindividuals);
	atoms->size = new_zeros(uint64, atoms->natoms);
	atoms->last = new_array(uint32, atoms->natoms);
	for (uint64 t = 0; t < nindividuals; t++)
	{
		uint32		atom = number[parting->stop[t]];

		atoms->atom[t] = atom;
		atoms->size[atom]++;
		atoms->last[atom] = parting->stop[t];
	}
}

Atoms *
atoms_of(const Seen *seen)
{
	AtomParting parting = {.atoms = palloc0(sizeof(Atoms))};

	parting.stop = new_zeros(uint32, seen->nindividuals);
	(void) stop_create(&parting, NO_STOP, -1, NO_CLASS);
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
	pfree(parting.stop);
	pfree(parting.next);
	return parting.atoms;
}

/* ----------------------------------------------------------------
 * Statistics
 * ----------------------------------------------------------------
 */

/* ----------------------------------------------------------------
 * Paths
 * ----------------------------------------------------------------
 */

/* Sets first[t + 1] to the beginning of the steps of t; fill_steps() moves it to their end. */
static void
count_steps(Statistics *statistics)
{
	const Seen *seen = statistics->seen;
	uint64		steps = 0;

	statistics->first = new_zeros(uint64, seen->nindividuals + 1);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			statistics->first[release->individual[i] + 1]++;
	}
	for (uint64 t = 0; t < seen->nindividuals; t++)
	{
		uint64		n = statistics->first[t + 1];

		statistics->first[t + 1] = steps;
		steps += n;
	}
	statistics->step = new_zeros(Step, steps);
}

/* Puts the steps into place, release by release, so that those of an individual are in order. */
static void
fill_steps(Statistics *statistics)
{
	const Seen *seen = statistics->seen;

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint32 c = 0; c < release->nclasses; c++)
			for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
				statistics->step[statistics->first[release->individual[i] + 1]++] = (Step) {r, c};
	}
}

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

/* Counts the values of a class; count[] is all zeros before and after. */
static void
count_class(ShownValues *shown, const SeenRelease *release, const Aspects *aspects, uint32 c, uint32 *count)
{
	Code	   *value = shown->value + shown->first[c];
	uint64		n = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		uint64		nown;
		const Code *own = single_values(aspects, &release->value[i], &nown);

		for (uint64 j = 0; j < nown; j++)
			if (own[j] != NO_CODE && count[own[j]]++ == 0)
				value[n++] = own[j];
	}
	sort_codes(value, n);
	for (uint64 i = 0; i < n; i++)
	{
		shown->count[shown->first[c] + i] = Min(count[value[i]], seen_size(release, c));
		count[value[i]] = 0;
	}
	shown->first[c + 1] = shown->first[c] + n;
}

/* Counts the values of all classes of a release; room for all is allocated, and cut in the end. */
static void
count_release(ShownValues *shown, const SeenRelease *release, const Aspects *aspects, uint32 *count)
{
	uint64		rows = count_single_values(aspects, release->value, release->first[release->nclasses]);
	uint64		n;

	shown->first = new_zeros(uint64, release->nclasses);
	shown->value = new_zeros(Code, rows);
	shown->count = new_zeros(uint32, rows);
	for (uint32 c = 0; c < release->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		count_class(shown, release, aspects, c, count);
	}
	n = shown->first[release->nclasses];
	shown->value = repalloc_huge(shown->value, sizeof(Code) * (n + 1));
	shown->count = repalloc_huge(shown->count, sizeof(uint32) * (n + 1));
}

Statistics *
statistics_of(const Seen *seen, const Aspects *aspects)
{
	Statistics *statistics = palloc0(sizeof(Statistics));
	uint32	   *count;

	statistics->seen = seen;
	statistics->nvalues = single_codes(aspects, seen->nvalues);
	count = new_zeros(uint32, statistics->nvalues);
	count_steps(statistics);
	fill_steps(statistics);
	statistics->shown = new_zeros(ShownValues, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
		count_release(&statistics->shown[r], &seen->release[r], aspects, count);
	pfree(count);
	return statistics;
}

bool
statistics_same_values(const Statistics *statistics, Step a, Step b)
{
	const ShownValues *x = &statistics->shown[a.release];
	const ShownValues *y = &statistics->shown[b.release];
	uint64		n = x->first[a.class + 1] - x->first[a.class];

	return statistics_size(statistics, a) == statistics_size(statistics, b) &&
		y->first[b.class + 1] - y->first[b.class] == n &&
		memcmp(x->value + x->first[a.class], y->value + y->first[b.class], sizeof(Code) * n) == 0 &&
		memcmp(x->count + x->first[a.class], y->count + y->first[b.class], sizeof(uint32) * n) == 0;
}
