/*
 * smallest.c
 *		Counting the members and values of classes and atoms.
 */
#include "postgres.h"

#include "audit/smallest.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Values seen in the set at hand: those with its stamp. */
typedef struct Counter
{
	uint64	   *stamp;			/* [values] */
	uint64		set;
	uint32		values;
} Counter;

static Counter
counter_create(const Seen *seen)
{
	return (Counter) {
		.stamp = new_zeros(uint64, seen->nvalues)
	};
}

static void
next_set(Counter *counter)
{
	counter->set++;
	counter->values = 0;
}

static inline void
count_value(Counter *counter, Code value)
{
	if (value == NO_CODE || counter->stamp[value] == counter->set)
		return;
	counter->stamp[value] = counter->set;
	counter->values++;
}

/* Keeps the smallest and the poorest of the sets so far. */
static void
note_set(Smallest *smallest, bool first, uint32 set, uint64 records, uint32 values, int32 r)
{
	if (first || records < smallest->records)
	{
		smallest->records = records;
		smallest->fewest = set;
	}
	if (first || values < smallest->values)
	{
		smallest->values = values;
		smallest->poorest = set;
		smallest->poor_in = r;
	}
}

static void
count_class(Counter *counter, const SeenRelease *release, uint32 c)
{
	CHECK_FOR_INTERRUPTS();
	next_set(counter);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		count_value(counter, release->value[i]);
}

bool
smallest_classes(const Seen *seen, int32 r, Smallest *smallest)
{
	const SeenRelease *release = &seen->release[r];
	Counter		counter = counter_create(seen);

	for (uint32 c = 0; c < release->nclasses; c++)
	{
		count_class(&counter, release, c);
		note_set(smallest, c == 0, c, seen_size(release, c), counter.values, r);
	}
	pfree(counter.stamp);
	return release->nclasses > 0;
}

static bool
is_refused(const Principle *principle, uint64 records, uint32 values)
{
	return records < principle->k || (principle->l > 1 && values < principle->l);
}

uint32
count_refused_classes(const Seen *seen, int32 r, const Principle *principle)
{
	const SeenRelease *release = &seen->release[r];
	Counter		counter = counter_create(seen);
	uint32		refused = 0;

	for (uint32 c = 0; c < release->nclasses; c++)
	{
		count_class(&counter, release, c);
		refused += is_refused(principle, seen_size(release, c), counter.values);
	}
	pfree(counter.stamp);
	return refused;
}

/* The release's values atom by atom: an atom is wholly in it, or not at all. */
static void
sort_values(const SeenRelease *release, const Atoms *atoms, const uint64 *first, uint64 *filled, Code *values)
{
	memset(filled, 0, sizeof(uint64) * atoms->natoms);
	for (uint64 i = 0; i < release->first[release->nclasses]; i++)
	{
		uint32		atom = atoms->atom[release->individual[i]];

		values[first[atom] + filled[atom]++] = release->value[i];
	}
	CHECK_FOR_INTERRUPTS();
}

/* How many values an atom has where it has fewest, and the release that showed so few. */
typedef struct Poverty
{
	uint32		values;
	int32		in;
} Poverty;

/* Finds, for each atom, the fewest values that it shows in a release. */
static Poverty *
measure_poverty(const Seen *seen, const Atoms *atoms)
{
	Counter		counter = counter_create(seen);
	uint64	   *first = new_array(uint64, atoms->natoms);
	uint64	   *filled = new_array(uint64, atoms->natoms);
	Code	   *values = new_array(Code, seen->nindividuals);
	Poverty    *poverty = new_array(Poverty, atoms->natoms);

	first[0] = 0;
	for (uint32 a = 0; a < atoms->natoms; a++)
	{
		first[a + 1] = first[a] + atoms->size[a];
		poverty[a] = (Poverty) {PG_UINT32_MAX, -1};
	}
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		sort_values(&seen->release[r], atoms, first, filled, values);
		for (uint32 a = 0; a < atoms->natoms; a++)
		{
			next_set(&counter);
			for (uint64 i = first[a]; i < first[a] + filled[a]; i++)
				count_value(&counter, values[i]);
			if (filled[a] > 0 && counter.values < poverty[a].values)
				poverty[a] = (Poverty) {counter.values, r};
		}
	}
	pfree(values);
	pfree(filled);
	pfree(first);
	pfree(counter.stamp);
	return poverty;
}

bool
smallest_atoms(const Seen *seen, const Atoms *atoms, Smallest *smallest)
{
	Poverty    *poverty = measure_poverty(seen, atoms);

	for (uint32 a = 0; a < atoms->natoms; a++)
		note_set(smallest, a == 0, a, atoms->size[a], poverty[a].values, poverty[a].in);
	pfree(poverty);
	return atoms->natoms > 0;
}

uint64
count_refused(const Seen *seen, const Atoms *atoms, const Principle *principle, uint64 nindividuals)
{
	Poverty    *poverty = measure_poverty(seen, atoms);
	uint64		refused = 0;

	for (uint64 t = 0; t < nindividuals; t++)
	{
		uint32		a = atoms->atom[t];

		if (t % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		refused += is_refused(principle, atoms->size[a], poverty[a].values);
	}
	pfree(poverty);
	return refused;
}
