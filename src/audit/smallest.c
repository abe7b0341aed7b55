/*
 * smallest.c
 *		Counting the members and values of classes and atoms.
 */
#include "postgres.h"

#include "audit/smallest.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

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
	const Principle *principle;
	bool	   *refused;		/* [natoms] */
} Refusing;

static void
refuse_atom(void *what, const Tally *tally, uint32 atom, int32 r)
{
	Refusing   *refusing = what;

	refusing->refused[atom] = refusing->refused[atom] || !principle_allows(refusing->principle, tally);
}

void
mark_refused(const Seen *seen, const Atoms *atoms, int32 from, const Principle *principle, bool *marked)
{
	Refusing	refusing = {.principle = principle, .refused = new_zeros(bool, atoms->natoms)};

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
count_refused(const Seen *seen, const Atoms *atoms, const Principle *principle, uint64 nindividuals)
{
	bool	   *marked = new_zeros(bool, seen->nindividuals);
	uint64		refused = 0;

	mark_refused(seen, atoms, 0, principle, marked);
	for (uint64 t = 0; t < nindividuals; t++)
		refused += marked[t];
	pfree(marked);
	return refused;
}

/* ----------------------------------------------------------------
 * Whose values have changed, where rows stood in for people?
 *
 * A row that stands in shows what was shown of somebody last.  So of two releases of the same people, values that the
 * second shows anew are of people who have a true row in it.  If the source rested since some release before, they had
 * none since then: each true row showed what its person has.  It may have rested for as long as there are such people;
 * so they are those whose last true row is the oldest, though no older than what the class showed anew before.  They
 * are the bearers of the change, to observers who know who was asked for.
 *
 * Each class is compared with the release before that showed values of its people, if that showed all of them in one
 * class.  Of an individual no more is kept than what was seen of it last: one step a row that was published.
 * ----------------------------------------------------------------
 */

/* Of each individual, how it was seen last */
typedef struct LastSeen
{
	uint64	   *place;			/* [individuals] a class of any release, from 1 on; 0 of those who were in none */
	int32	   *release;		/* [individuals] */
	Code	   *value;			/* [individuals] */
	int32	   *confirmed;		/* [individuals] the last release with a true row, or, if that is later, before its
								 * class last changed; or -1 */
	int64	   *more;			/* [values + 1] how often a class shows each more than before; NULL comes last; 0
								 * between two classes */
} LastSeen;

/* Has the release before shown all people of the class, in one class? */
static bool
were_together(const LastSeen *last, const SeenRelease *release, uint32 c)
{
	const Individual *people = release->individual + release->first[c];
	uint64		n = seen_size(release, c);

	for (uint64 i = 0; i < n; i++)
		if (last->place[people[i]] == 0 || last->place[people[i]] != last->place[people[0]])
			return false;
	return n > 0;
}

static int64 *
more_of(const LastSeen *last, const Seen *seen, Code value)
{
	return &last->more[value == NO_CODE ? seen->nvalues : value];
}

/* Counts the rows and values that a class shows more often than before; more[] is 0 again then. */
static void
count_news(const LastSeen *last, const Seen *seen, const SeenRelease *release, uint32 c, Change *change)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		++*more_of(last, seen, release->value[i]);
		--*more_of(last, seen, last->value[release->individual[i]]);
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		int64	   *more = more_of(last, seen, release->value[i]);

		change->rows += Max(*more, 0);
		change->values += *more > 0 && release->value[i] != NO_CODE;
		*more = 0;
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		*more_of(last, seen, last->value[release->individual[i]]) = 0;
}

/* The change that a class shows, of so many rows; of none if nobody stood in, or nothing is new. */
static Change
change_of(const LastSeen *last, const Seen *seen, const SeenRelease *release, uint32 c)
{
	Change		change = {.before = last->release[release->individual[release->first[c]]]};
	int32		oldest = change.before;
	uint64		ntrue = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		int32		confirmed = last->confirmed[release->individual[i]];

		if (release->counterfeit[i])
			continue;
		ntrue++;
		change.bearers = confirmed < oldest ? 1 : change.bearers + (confirmed == oldest);
		oldest = Min(oldest, confirmed);
	}
	count_news(last, seen, release, c, &change);
	change.stood_in = ntrue < seen_size(release, c) || oldest < change.before;
	return change;
}

/*
 * People who were not confirmed before a change cannot be told apart by what they showed before it.  A class that
 * shows what it did shows again what a row made up that stood in for somebody: it confirms nobody who never had a true
 * row.
 */
static void
see_class(LastSeen *last, const SeenRelease *release, int32 r, uint32 c, uint64 place, bool together, bool is_news)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	one = release->individual[i];

		if (last->place[one] == 0)
			last->confirmed[one] = -1;
		if (release->counterfeit[i])
			last->confirmed[one] = is_news ? r - 1 : last->confirmed[one];
		else if (is_news || !together || last->confirmed[one] != -1)
			last->confirmed[one] = r;
		last->place[one] = place;
		last->release[one] = r;
		last->value[one] = release->value[i];
	}
}

bool
change_is_hidden(const Change *change, const Principle *promised)
{
	return change->rows == 0 ||
		(change->bearers >= promised->k && (change->rows < change->bearers || change->values >= promised->l));
}

/* Is a change hidden less well than another, or the first one? */
static bool
is_worse(const Change *change, const Change *worst, const Principle *promised)
{
	bool		hidden = change_is_hidden(change, promised);
	bool		worst_hidden = change_is_hidden(worst, promised);

	if (worst->rows == 0 || hidden != worst_hidden)
		return worst->rows == 0 || !hidden;
	return change->bearers < worst->bearers;
}

Change *
worst_changes(const Seen *seen, const Principle *promised)
{
	uint64		n = seen->nindividuals;
	Change	   *worst = new_zeros(Change, seen->nreleases);
	LastSeen	last = {
		new_zeros(uint64, n), new_array(int32, n), new_array(Code, n), new_array(int32, n), new_zeros(int64, (uint64) seen->nvalues + 1)
	};
	uint64		place = 0;

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses && seen_shows_values(seen, r); c++)
		{
			Change		change = {0};
			bool		together = were_together(&last, release, c);

			CHECK_FOR_INTERRUPTS();
			if (together)
				change = change_of(&last, seen, release, c);
			see_class(&last, release, r, c, ++place, together, change.rows > 0);
			change.class = c;
			if (change.rows > 0 && change.stood_in && is_worse(&change, &worst[r], &promised[r]))
				worst[r] = change;
		}
	}
	pfree(last.place);
	pfree(last.release);
	pfree(last.value);
	pfree(last.confirmed);
	pfree(last.more);
	return worst;
}
