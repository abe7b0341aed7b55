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
 *		Sizes add up.  Different values do not, but a sketch of 64 bits, in which
 *		each value sets one, gives a set no more bits than it has values.  Only
 *		if that bound is less than the least number found so far are the values of
 *		a class counted, which happens seldom: where there are few values the
 *		bound is exact, and each count finds less than there was.
 *
 *		To count what C lacks without a part, it is enough to know of each part
 *		how many values of C are in no other.  So a class costs one step for each
 *		value of an atom, into however many parts it falls.
 */
#include "postgres.h"

#include "audit/attack.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* An atom in a release */
typedef struct Presence
{
	uint32		atom;
	uint32		first_value;	/* its values end where the next one's begin */
	uint64		sketch;			/* of the values */
} Presence;

/* The least that some sets have, or the greatest numbers while there is no set. */
typedef struct Least
{
	uint64		records;
	uint32		values;
} Least;

static const Least no_set = {PG_UINT64_MAX, PG_UINT32_MAX};

typedef struct Found
{
	Least		intersections;
	Least		differences;
} Found;

/* A release as its atoms */
typedef struct View
{
	uint32		nclasses;
	uint32	   *first;			/* [nclasses + 1] class c's are first[c] up to, not including, first[c + 1] */
	Presence   *presence;		/* [first[nclasses] + 1] */
	Code	   *value;			/* different ones of each atom */
	uint32	   *class_of;		/* [atoms] nclasses where an atom is absent */
	Least		least;			/* of any atom, so of any set of them */
} View;

/* A part of the class at hand: those in the same class of another release, or absent from it */
typedef struct ClassPart
{
	uint32		class;			/* of the other release */
	uint32		last;			/* presence, from which next[] leads to the others */
	uint64		records;
	uint64		sketch;

	/* Different values of the part, and of the class without it; or no more than these */
	uint32		within;
	uint32		without;
} ClassPart;

#define NO_PRESENCE PG_UINT32_MAX

typedef struct Attacker
{
	/* Borrowed */
	const Seen *seen;
	const Atoms *atoms;
	const Principle *promised;

	View	   *view;			/* [releases] */
	uint32		most_classes;	/* of a release */
	uint32		most_presences;

	/* The class at hand, and the release that parts it */
	const View *own;
	const View *other;
	uint32		nparts;
	ClassPart  *part;			/* [most presences] */
	uint32	   *part_of;		/* [most classes + 1] stale unless that part is of this class */
	uint32	   *next;			/* [presences] */

	/* Counting values; marks are never given twice, so nothing need be cleared */
	uint64		mark;
	uint64	   *seen_in;		/* [values] the mark of the part that had it last */
	uint64	   *shared_in;		/* [values] the mark of the last class in which two parts had it */

	Attack	   *result;
} Attacker;

static inline void
lower(Least *least, uint64 records, uint32 values)
{
	least->records = Min(least->records, records);
	least->values = Min(least->values, values);
}

/* ----------------------------------------------------------------
 * Releases as their atoms
 * ----------------------------------------------------------------
 */

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
		if (values[i] == NO_CODE || attacker->seen_in[values[i]] == attacker->mark)
			continue;
		attacker->seen_in[values[i]] = attacker->mark;
		presence->sketch |= UINT64CONST(1) << (values[i] % 64);
		view->value[n++] = values[i];
	}
	presence[1].first_value = n;
}

/* An atom is in a class as a whole, so its values in it are as many as its individuals. */
static void
view_class(Attacker *attacker, View *view, const SeenRelease *release, uint32 c, uint32 *fill, Code *values)
{
	const Atoms *atoms = attacker->atoms;
	const Code *at = values;

	list_atoms(attacker, view, release, c, fill);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		values[fill[atoms->atom[release->individual[i]]]++] = release->value[i];
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
view_release(Attacker *attacker, const SeenRelease *release, View *view, uint32 *fill)
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
	view->class_of = new_zeros(uint32, natoms);
	for (uint32 atom = 0; atom < natoms; atom++)
		view->class_of[atom] = view->nclasses;
	for (uint32 c = 0; c < view->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		view_class(attacker, view, release, c, fill, values);
	}
	pfree(values);
	n = view->first[view->nclasses];
	array_resize(view->value, view->presence[n].first_value);
	array_resize(view->presence, n);
	attacker->most_classes = Max(attacker->most_classes, view->nclasses);
	attacker->most_presences = Max(attacker->most_presences, n);
}

/* Views all releases, and makes the scratch that attacks on them share. */
static void
view_all(Attacker *attacker)
{
	const Seen *seen = attacker->seen;
	uint32	   *fill = new_zeros(uint32, attacker->atoms->natoms);

	attacker->view = new_zeros(View, seen->nreleases);
	attacker->seen_in = new_zeros(uint64, seen->nvalues);
	attacker->shared_in = new_zeros(uint64, seen->nvalues);
	for (int32 r = 0; r < seen->nreleases; r++)
		view_release(attacker, &seen->release[r], &attacker->view[r], fill);
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

/* Parts the atoms of a class by the class of the other release that they are in. */
static void
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
		attacker->next[i] = part->last;
		part->last = i;
	}
}

/* No more than the values of each part, and of the class without it. */
static void
bound_values(Attacker *attacker)
{
	uint64		any = 0;		/* bits of some part */
	uint64		many = 0;		/* bits of several */
	int			nany;

	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		many |= any & attacker->part[p].sketch;
		any |= attacker->part[p].sketch;
	}
	nany = pg_popcount64(any);
	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		ClassPart  *part = &attacker->part[p];

		part->within = pg_popcount64(part->sketch);
		part->without = nany - pg_popcount64(part->sketch & ~many);
	}
}

/*
 * Counts the values of a part.  Its "without" counts those that no other part
 * has; first_mark is that of the class's first part.  Returns how many no part
 * before it had.
 */
static uint32
count_part(Attacker *attacker, uint32 p, uint64 first_mark)
{
	ClassPart  *part = &attacker->part[p];
	uint64		mark = first_mark + p;
	uint32		fresh = 0;

	part->within = part->without = 0;
	for (uint32 i = part->last; i != NO_PRESENCE; i = attacker->next[i])
	{
		const Presence *presence = &attacker->own->presence[i];

		for (uint32 j = presence[0].first_value; j < presence[1].first_value; j++)
		{
			Code		value = attacker->own->value[j];
			uint64		before = attacker->seen_in[value];

			if (before == mark)
				continue;
			attacker->seen_in[value] = mark;
			part->within++;
			if (before < first_mark)
			{
				part->without++;
				fresh++;
			}
			else if (attacker->shared_in[value] != first_mark)
			{
				attacker->part[before - first_mark].without--;
				attacker->shared_in[value] = first_mark;
			}
		}
	}
	return fresh;
}

/* Counts the different values of each part, and those of the class without it. */
static void
count_values(Attacker *attacker)
{
	uint64		first_mark = attacker->mark + 1;
	uint32		values = 0;

	for (uint32 p = 0; p < attacker->nparts; p++)
		values += count_part(attacker, p, first_mark);
	for (uint32 p = 0; p < attacker->nparts; p++)
		attacker->part[p].without = values - attacker->part[p].without;
	attacker->mark += attacker->nparts;
}

/* Individuals that are absent from the other release are a difference; without a class, all others of this one are. */
static Found
lowered(const Attacker *attacker, uint64 size, Found found)
{
	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		const ClassPart *part = &attacker->part[p];

		if (part->class == attacker->other->nclasses)
		{
			lower(&found.differences, part->records, part->within);
			continue;
		}
		lower(&found.intersections, part->records, part->within);
		if (part->records < size)
			lower(&found.differences, size - part->records, part->without);
	}
	return found;
}

/* Lowers what was found by a class; its values are counted only where the bound could be less. */
static void
attack_class(Attacker *attacker, uint64 size, uint32 c, Found *found)
{
	Found		bound;

	part_class(attacker, c);
	bound_values(attacker);
	bound = lowered(attacker, size, *found);
	if (bound.intersections.values < found->intersections.values ||
		bound.differences.values < found->differences.values)
	{
		count_values(attacker);
		bound = lowered(attacker, size, *found);
	}
	*found = bound;
}

static inline bool
is_least(const Least *found, const Least *least)
{
	return found->records == least->records && found->values == least->values;
}

/*
 * Measures what release r shows of its classes' intersections with those of another, and of their differences.
 * Ends as soon as there can be nothing less, which is soon where releases know nothing of each other.
 */
static Found
attack_pair(Attacker *attacker, int32 r, int32 other)
{
	const View *own = attacker->own = &attacker->view[r];
	Found		found = {no_set, no_set};

	attacker->other = &attacker->view[other];
	for (uint32 c = 0; c < own->nclasses; c++)
	{
		if (is_least(&found.intersections, &own->least) && is_least(&found.differences, &own->least))
			break;
		CHECK_FOR_INTERRUPTS();
		attack_class(attacker, seen_size(&attacker->seen->release[r], c), c, &found);
	}
	return found;
}

/* ----------------------------------------------------------------
 * All releases
 * ----------------------------------------------------------------
 */

/* Adds a finding to the result, unless nothing was revealed. */
static void
reveal(Attacker *attacker, RevealedBy kind, int32 release, int32 other, Least least, const Principle *promised)
{
	Tally		tally = {.rows = least.records, .values = least.values};

	if (least.records == no_set.records)
		return;
	attacker->result->revealed[attacker->result->n++] = (Revealed) {
		.kind = kind, .release = release, .other = other,
		.records = least.records, .values = least.values,
		.holds = principle_allows(promised, &tally)
	};
}

/* between: the weakest of what a, b and the releases between them promised */
static void
attack_both_ways(Attacker *attacker, int32 a, int32 b, const Principle *between)
{
	Found		forth = attack_pair(attacker, a, b);
	Found		back = attack_pair(attacker, b, a);
	Principle	both = principle_weaker(&attacker->promised[a], &attacker->promised[b]);

	lower(&forth.intersections, back.intersections.records, back.intersections.values);
	reveal(attacker, REVEALED_BY_INTERSECTION, a + 1, b + 1, forth.intersections, &both);
	reveal(attacker, REVEALED_BY_DIFFERENCE, a + 1, b + 1, forth.differences, between);
	reveal(attacker, REVEALED_BY_DIFFERENCE, b + 1, a + 1, back.differences, &both);
}

/* Compares a release with each later one, by the weakest promise from the one to the other. */
static void
attack_later_releases(Attacker *attacker, int32 a)
{
	Principle	between = attacker->promised[a];

	for (int32 b = a + 1; b < attacker->seen->nreleases; b++)
	{
		between = principle_weaker(&between, &attacker->promised[b]);
		attack_both_ways(attacker, a, b, &between);
	}
}

/* Atoms are revealed by all releases together; they must keep what the weakest of these promised. */
static void
attack_atoms(Attacker *attacker)
{
	int32		nreleases = attacker->seen->nreleases;
	Least		least = no_set;
	Principle	promised = attacker->promised[0];

	for (int32 r = 0; r < nreleases; r++)
	{
		promised = principle_weaker(&promised, &attacker->promised[r]);
		lower(&least, attacker->view[r].least.records, attacker->view[r].least.values);
	}
	reveal(attacker, REVEALED_BY_ALL, nreleases, 0, least, &promised);
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
attack(const Seen *seen, const Atoms *atoms, const Principle *promised)
{
	Attacker	attacker = {.seen = seen, .atoms = atoms, .promised = promised};
	Size		npairs = (Size) seen->nreleases * Max(0, seen->nreleases - 1) / 2;

	attacker.result = palloc0(sizeof(Attack));
	attacker.result->revealed = new_zeros(Revealed, 3 * npairs + 1);
	if (seen->nreleases == 0)
		return attacker.result;
	view_all(&attacker);
	for (int32 a = 0; a < seen->nreleases; a++)
		attack_later_releases(&attacker, a);
	attack_atoms(&attacker);
	qsort(attacker.result->revealed, attacker.result->n, sizeof(Revealed), compare_revealed);
	return attacker.result;
}
