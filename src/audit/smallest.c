/*
 * smallest.c
 *		Counting the members and values of classes and atoms.
 */
#include "postgres.h"

#include "audit/smallest.h"
#include "frame/arrays.h"
#include "miscadmin.h"

typedef struct Measuring
{
	const Principle *principle;
	Principle	counting;		/* asks how many different values a set has, in the aspect that has fewest */
	bool		any;
	Smallest   *smallest;
} Measuring;

/* Begins with no set. */
static Measuring
measuring_create(const Seen *seen, const Aspects *aspects, const Principle *principle, Smallest *smallest)
{
	Principle	counting = principle_k_l(1, 2);

	counting.joint = principle->joint;
	memset(smallest, 0, sizeof(Smallest));
	return (Measuring) {
		.principle = principle,
		.counting = principle_bound(&counting, seen->nvalues, aspects),
		.smallest = smallest
	};
}

/* Keeps the worst that a condition of the principle measures; does it refuse the values? */
static bool
note_term(Measuring *measuring, int i, const Tally *tally, uint32 set, int32 r)
{
	const PrincipleTerm *term = &measuring->principle->term[i];
	WorstMeasure *worst = &measuring->smallest->term[i];
	int			aspect;
	double		measure = principle_measure(measuring->principle, term, tally, &aspect);

	if (!measuring->any || term_is_worse(term, measure, worst->measure))
	{
		worst->measure = measure;
		worst->aspect = aspect;
		worst->set = set;
		worst->in = r;
	}
	return !term_allows(term, measure);
}

/* Keeps the poorest of the sets so far, and the worst; returns a bit for each condition that refuses this one. */
static uint32
note_values(Measuring *measuring, const Tally *tally, uint32 set, int32 r)
{
	Smallest   *smallest = measuring->smallest;
	int			aspect;
	uint32		values = principle_measure(&measuring->counting, NULL, tally, &aspect);
	uint32		refused_by = 0;

	if (!measuring->any || values < smallest->values)
	{
		smallest->values = values;
		smallest->poorest = set;
		smallest->poor_in = r;
		smallest->poor_aspect = aspect;
	}
	for (int i = 0; i < measuring->principle->nterms; i++)
		refused_by |= (uint32) note_term(measuring, i, tally, set, r) << i;
	measuring->any = true;
	return refused_by;
}

static void
note_size(Smallest *smallest, bool first, uint32 set, uint64 records)
{
	if (!first && records >= smallest->records)
		return;
	smallest->records = records;
	smallest->fewest = set;
}

/* Counts a set for each condition that refuses it. */
static void
count_set(const Measuring *measuring, uint32 refused_by, uint64 n)
{
	for (int i = 0; i < measuring->principle->nterms; i++)
		if (refused_by >> i & 1)
			measuring->smallest->term[i].refused += n;
}

static void
tally_class(Tally *tally, const SeenRelease *release, uint32 c)
{
	CHECK_FOR_INTERRUPTS();
	tally_clear(tally);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		tally_add(tally, release->value[i]);
}

bool
smallest_classes(const Seen *seen, int32 r, const Aspects *aspects, const Principle *principle, Smallest *smallest)
{
	const SeenRelease *release = seen_release(seen, r);
	Measuring	measuring = measuring_create(seen, aspects, principle, smallest);
	Tally	   *tally = tally_create(seen->nvalues);

	for (uint32 c = 0; c < release->nclasses; c++)
	{
		tally_class(tally, release, c);
		note_size(smallest, c == 0, c, tally->rows);
		count_set(&measuring, note_values(&measuring, tally, c, r), 1);
	}
	tally_free(tally);
	return release->nclasses > 0;
}

uint32
count_refused_classes(const Seen *seen, int32 r, const Principle *principle, bool *marked)
{
	const SeenRelease *release = seen_release(seen, r);
	Tally	   *tally = tally_create(seen->nvalues);
	uint32		refused = 0;

	for (uint32 c = 0; c < release->nclasses; c++)
	{
		tally_class(tally, release, c);
		if (principle_allows(principle, tally))
			continue;
		refused++;
		for (uint64 i = release->first[c]; i < release->first[c + 1] && marked != NULL; i++)
			marked[release->individual[i]] = true;
	}
	tally_free(tally);
	return refused;
}

/* Looks at the values that a release showed of an atom. */
typedef void (*LookAtAtom) (void *what, const Tally *tally, uint32 atom, int32 r);

/* Looks at each atom that was in a release from this one on, in each release that it was in. */
static void
look_at_atoms(const Seen *seen, const Atoms *atoms, int32 from, LookAtAtom look, void *what)
{
	Tally	   *tally = tally_create(seen->nvalues);
	uint64	   *first = new_array(uint64, atoms->natoms);
	uint64	   *filled = new_array(uint64, atoms->natoms);
	Code	   *values = new_array(Code, seen->nindividuals);

	first[0] = 0;
	for (uint32 a = 0; a < atoms->natoms; a++)
		first[a + 1] = first[a] + atoms->size[a];
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		/* The release's values atom by atom: an atom is wholly in it, or not at all */
		CHECK_FOR_INTERRUPTS();
		memset(filled, 0, sizeof(uint64) * atoms->natoms);
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
		{
			uint32		atom = atoms->atom[release->individual[i]];

			values[first[atom] + filled[atom]++] = release->value[i];
		}
		for (uint32 a = 0; a < atoms->natoms; a++)
		{
			if (filled[a] == 0 || atoms->release[atoms->last[a]] < from)
				continue;
			tally_clear(tally);
			for (uint64 i = first[a]; i < first[a] + filled[a]; i++)
				tally_add(tally, values[i]);
			look(what, tally, a, r);
		}
	}
	pfree(values);
	pfree(filled);
	pfree(first);
	tally_free(tally);
}

typedef struct AtomMeasuring
{
	Measuring	measuring;
	bool	   *is_seen;		/* [natoms] in any release: people of later ones are in none of these */
	uint32	   *refused_by;		/* [natoms] the conditions that refuse an atom in some release: a bit each */
} AtomMeasuring;

static void
measure_atom(void *what, const Tally *tally, uint32 atom, int32 r)
{
	AtomMeasuring *atoms = what;

	atoms->is_seen[atom] = true;
	atoms->refused_by[atom] |= note_values(&atoms->measuring, tally, atom, r);
}

bool
smallest_atoms(const Seen *seen, const Atoms *atoms, int32 from, const Aspects *aspects, const Principle *principle,
			   Smallest *smallest)
{
	bool		any = false;

	AtomMeasuring measuring = {
		.measuring = measuring_create(seen, aspects, principle, smallest),
		.is_seen = new_zeros(bool, atoms->natoms),
		.refused_by = new_zeros(uint32, atoms->natoms)
	};

	look_at_atoms(seen, atoms, from, measure_atom, &measuring);
	for (uint32 a = 0; a < atoms->natoms; a++)
	{
		if (!measuring.is_seen[a])
			continue;
		note_size(smallest, !any, a, atoms->size[a]);
		count_set(&measuring.measuring, measuring.refused_by[a], atoms->size[a]);
		any = true;
	}
	pfree(measuring.is_seen);
	pfree(measuring.refused_by);
	return any;
}

typedef struct Refusing
{
	int			n;
	const Principle *principles;
	bool	   *refused;		/* [natoms][n] */
} Refusing;

/* Notes the principles that refuse an atom with these values. */
static void
refuse_atom(void *what, const Tally *tally, uint32 atom, int32 r)
{
	Refusing   *refusing = what;

	for (int i = 0; i < refusing->n; i++)
	{
		bool	   *refused = &refusing->refused[(uint64) atom * refusing->n + i];

		*refused = *refused || !principle_allows(&refusing->principles[i], tally);
	}
}

void
mark_refused(const Seen *seen, const Atoms *atoms, int32 from, const Principle *principle, bool *marked)
{
	Refusing	refusing = {.n = 1, .principles = principle, .refused = new_zeros(bool, atoms->natoms)};

	look_at_atoms(seen, atoms, from, refuse_atom, &refusing);
	for (uint64 t = 0; t < seen->nindividuals; t++)
	{
		if (t % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		marked[t] |= refusing.refused[atoms->atom[t]];
	}
	pfree(refusing.refused);
}

uint64
count_refused(const Seen *seen, const Atoms *atoms, const Principle *principle)
{
	uint64		refused;

	count_refused_by(seen, atoms, 1, principle, &refused);
	return refused;
}

void
count_refused_by(const Seen *seen, const Atoms *atoms, int n, const Principle *principles, uint64 *refused)
{
	Refusing	refusing = {.n = n, .principles = principles, .refused = new_zeros(bool, (uint64) atoms->natoms * n)};
	const Individual *holder = seen_holders(seen);

	look_at_atoms(seen, atoms, 0, refuse_atom, &refusing);
	memset(refused, 0, sizeof(uint64) * n);
	for (uint64 t = 0; t < seen->nindividuals; t++)
	{
		if (t % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (holder == NULL ? t < seen->npeople : holder[t] != NO_INDIVIDUAL)
			for (int i = 0; i < n; i++)
				refused[i] += refusing.refused[(uint64) atoms->atom[t] * n + i];
	}
	pfree(refusing.refused);
}
