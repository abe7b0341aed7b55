/*
 * attack.c
 *		Intersecting and subtracting the classes of all releases, atom by atom.
 *
 * NOTES
 *		A class is a set of atoms, and so is all that can be made of it.  For an ordered pair of releases, each class C
 *		of the first is parted by where its atoms were in the second: into its intersections with classes there, and
 *		those who were not there.  C without D is C without one part.  All is judged by what the first release showed;
 *		the pair's other order judges its intersections by what the second did.
 *
 *		The least is sought aspect by aspect, in a view by the aspect's codes.  Where a principle asks for more than k
 *		and l, sets are judged in a view by values.  Of the second release it is enough to know who is in which class,
 *		so one view is in memory at a time.
 */
#include "postgres.h"

#include "audit/attack.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "shared/progress.h"
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

typedef struct Found
{
	Least		intersections;
	Least		differences;
} Found;

/* Are the values of all sets of a pair of releases allowed? */
typedef struct Allowed
{
	bool		intersections;
	bool		differences;
} Allowed;

/* Atoms whose values some principle refuses */
typedef struct RefusedAtoms
{
	Principle	by;
	bool	   *is_refused;		/* [presences] NULL if nothing was judged yet */
	uint32	   *n;				/* [nclasses] of each class */
	uint64		total;
} RefusedAtoms;

/* A release as its atoms: there is one at a time, the one that is parted */
typedef struct View
{
	int32		r;
	uint32		nclasses;
	uint32	   *first;			/* [nclasses + 1] class c's are first[c] up to, not including, first[c + 1] */
	Presence   *presence;		/* [first[nclasses] + 1] */
	Code	   *value;			/* different ones of each atom */
	uint32	   *times;			/* how many rows of the atom have each; NULL if that is not asked */
	Least	   *least;			/* [nclasses] of any atom of a class, so of any set of them */
	uint32	   *order;			/* [nclasses] classes, those of small atoms first */
	RefusedAtoms refused;
} View;

/* A part of the class at hand: those in the same class of another release, or absent from it */
typedef struct ClassPart
{
	uint32		class;			/* of the other release */
	uint32		last;			/* presence, from which next[] leads to the others */
	uint64		records;
	uint64		sketch;
	uint32		refused;		/* atoms of it */

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

	uint32	  **class_of;		/* [releases][atoms] the number of classes where an atom is absent */
	uint64	  **is_in;			/* [releases][atoms / 64 + 1] a bit for each atom */
	MemoryContext view_context;
	View		own;
	uint32	   *listed_in;		/* [atoms] the class of the view that had each last */
	uint32	   *fill;			/* [atoms] */

	/* The class at hand, and the release that parts it */
	int32		other;
	uint32		nparts;
	uint64		parts_room;
	ClassPart  *part;			/* [presences of a class] */
	uint32	   *part_of;		/* [most classes + 1] stale unless that part is of this class */
	uint32	   *next;			/* [presences] of the view */

	/* Counting values; marks are never given twice, so nothing need be cleared */
	uint64		mark;
	uint64	   *seen_in;		/* [values] the mark of the part that had it last */
	uint64	   *shared_in;		/* [values] the mark of the last class in which two parts had it */
	uint32	   *place;			/* [values] where the atom at hand has it */
	const uint64 *first_row;	/* of aspects; or NULL */

	/* The findings */
	Found	   *found;			/* [releases][releases] */
	Allowed    *allowed;		/* [releases][releases] */
	Least		least_atoms;
	bool		atoms_allowed;
	Tally	   *tally;			/* NULL unless sets are judged by more than k and l */
	Attack	   *result;
} Attacker;

static const Least no_set = {PG_UINT64_MAX, PG_UINT32_MAX};

/* The number of classes of the other release, which stands for those who are absent. */
static inline uint32
absent_from_other(const Attacker *attacker)
{
	return attacker->seen->release[attacker->other].nclasses;
}

static inline void
lower(Least *least, uint64 records, uint32 values)
{
	least->records = Min(least->records, records);
	least->values = Min(least->values, values);
}

/* ---- Releases as their atoms, and classes parted by another release ---- */

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

/* Appends a value to those of an atom, if it is not among them. */
static void
add_value(Attacker *attacker, Presence *presence, Code value)
{
	View	   *view = &attacker->own;
	uint32	   *n = &presence[1].first_value;

	if (value == NO_CODE)
		return;
	if (attacker->seen_in[value] != attacker->mark)
	{
		attacker->seen_in[value] = attacker->mark;
		attacker->place[value] = *n;
		presence->sketch |= UINT64CONST(1) << (value % 64);
		view->value[(*n)++] = value;
	}
	if (view->times != NULL)
		view->times[attacker->place[value]]++;
}

/* Appends to the release's values the different ones of an atom: those of an aspect, of each row where people may have several. */
static void
add_values(Attacker *attacker, Presence *presence, const Code *values, const Aspect *aspect)
{
	const uint64 *first = aspect == NULL ? NULL : attacker->first_row;

	attacker->mark++;
	presence[1].first_value = presence->first_value;
	for (uint64 i = 0; i < attacker->atoms->size[presence->atom]; i++)
		for (uint64 row = rows_begin(first, values[i]); row < rows_end(first, values[i]); row++)
			add_value(attacker, presence, aspect == NULL || aspect->code == NULL ? row : aspect->code[row]);
}

/* Views a class by an aspect.  An atom is in it as a whole, so its values in it are as many as its individuals. */
static void
view_class(Attacker *attacker, const SeenRelease *release, const Aspect *aspect, uint32 c, Code *values)
{
	View	   *view = &attacker->own;
	const Atoms *atoms = attacker->atoms;
	const Code *at = values;

	list_atoms(attacker, release, c);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		values[attacker->fill[atoms->atom[release->individual[i]]]++] = release->value[i];
	for (uint32 i = view->first[c]; i < view->first[c + 1]; i++)
	{
		Presence   *presence = &view->presence[i];
		uint64		size = atoms->size[presence->atom];

		add_values(attacker, presence, at, aspect);
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

/* Views a release by the codes of an aspect, or by those of the values themselves; counted: with how often each occurs. */
static void
view_release(Attacker *attacker, int32 r, const Aspect *aspect, bool counted)
{
	const SeenRelease *release = seen_release(attacker->seen, r);
	View	   *view = &attacker->own;
	uint32		natoms = attacker->atoms->natoms;
	uint64		nrows = release->first[release->nclasses];
	uint64		nvalues = nrows;
	MemoryContext old;
	Code	   *values;
	uint32		n;

	MemoryContextReset(attacker->view_context);
	old = MemoryContextSwitchTo(attacker->view_context);
	values = new_zeros(Code, nrows);
	for (uint64 i = 0; i < nrows && aspect != NULL && attacker->first_row != NULL; i++)
		nvalues += rows_end(attacker->first_row, release->value[i]) - rows_begin(attacker->first_row, release->value[i]);
	*view = (View) {.r = r, .nclasses = release->nclasses};
	view->least = new_array(Least, view->nclasses);
	view->order = new_array(uint32, view->nclasses);
	view->first = new_zeros(uint32, view->nclasses);
	view->presence = new_zeros(Presence, Min(natoms, nrows));
	view->value = new_zeros(Code, nvalues);
	view->times = counted ? new_zeros(uint32, nvalues) : NULL;
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

/* Finds in which class of each release each atom was, and makes room to view releases by any of the aspects. */
static void
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
	attacker->first_row = aspects == NULL ? NULL : aspects->first;
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

/* Parts the atoms of a class of the view by the class of attacker->other that they are in. */
static void
part_class(Attacker *attacker, uint32 c)
{
	const View *own = &attacker->own;
	const uint32 *class_of = attacker->class_of[attacker->other];

	attacker->nparts = 0;
	for (uint32 i = own->first[c]; i < own->first[c + 1]; i++)
	{
		const Presence *presence = &own->presence[i];
		uint32		class = class_of[presence->atom];
		uint32		p = attacker->part_of[class];
		ClassPart  *part;

		if (p >= attacker->nparts || attacker->part[p].class != class)
		{
			p = attacker->part_of[class] = attacker->nparts++;
			attacker->part[p] = (ClassPart) {.class = class, .last = NO_PRESENCE};
		}
		part = &attacker->part[p];
		part->records += attacker->atoms->size[presence->atom];
		part->sketch |= presence->sketch;
		part->refused += own->refused.is_refused != NULL && own->refused.is_refused[i];
		attacker->next[i] = part->last;
		part->last = i;
	}
}

/* ----------------------------------------------------------------
 * The fewest people and values of the sets that a pair of releases reveals
 *
 * Sizes add up.  Different values do not, but a sketch of 64 bits, in which each value sets one, gives a set no more
 * bits than it has values.  Only if that bound is less than the least number found so far are the values of a class
 * counted, which happens seldom: where there are few values the bound is exact, and each count finds less than there
 * was.
 *
 * To count what C lacks without a part, it is enough to know of each part how many values of C are in no other.  So a
 * class costs one step for each value of an atom, into however many parts it falls.
 * ----------------------------------------------------------------
 */

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
 * Counts the values of a part.  Its "without" counts those that no other part has; first_mark is that of the class's
 * first part.  Returns how many no part before it had.
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
		const Presence *presence = &attacker->own.presence[i];

		for (uint32 j = presence[0].first_value; j < presence[1].first_value; j++)
		{
			Code		value = attacker->own.value[j];
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

/* Individuals that are absent from the other release are a difference; without a class, all others of this one are. */
static Found
lowered(const Attacker *attacker, uint64 size, Found found)
{
	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		const ClassPart *part = &attacker->part[p];

		if (part->class == absent_from_other(attacker))
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
	uint32		values = 0;
	uint64		first_mark;

	part_class(attacker, c);
	bound_values(attacker);
	bound = lowered(attacker, size, *found);
	if (bound.intersections.values < found->intersections.values ||
		bound.differences.values < found->differences.values)
	{
		first_mark = attacker->mark + 1;
		for (uint32 p = 0; p < attacker->nparts; p++)
			values += count_part(attacker, p, first_mark);
		for (uint32 p = 0; p < attacker->nparts; p++)
			attacker->part[p].without = values - attacker->part[p].without;
		attacker->mark += attacker->nparts;
		bound = lowered(attacker, size, *found);
	}
	*found = bound;
}

static inline bool
is_less(const Least *least, const Least *found)
{
	return least->records < found->records || least->values < found->values;
}

/*
 * The least of what the release in view shows of its classes' intersections with those of another, and of their
 * differences.  Each set of a class has an atom of it, so a class whose least atom is no less than what was found need
 * not be parted.  Classes of small atoms come first, and most others are left out after them.
 */
static Found
least_of_pair(Attacker *attacker, int32 other)
{
	const View *own = &attacker->own;
	Found		found = {no_set, no_set};
	bool		common = false; /* are there people who are in both? */

	attacker->other = other;
	for (uint32 i = 0; i <= attacker->atoms->natoms / 64 && !common; i++)
		common = (attacker->is_in[own->r][i] & attacker->is_in[other][i]) != 0;
	for (uint32 i = 0; i < own->nclasses; i++)
	{
		uint32		c = own->order[i];
		const Least *least = &own->least[c];

		if (!(common && is_less(least, &found.intersections)) && !is_less(least, &found.differences))
			continue;
		CHECK_FOR_INTERRUPTS();
		attack_class(attacker, seen_size(&attacker->seen->release[own->r], c), c, &found);
	}
	return found;
}

/* ----------------------------------------------------------------
 * Judging revealed sets by conditions on values, with the rows of each counted
 *
 * Principles are closed under disjoint union, so a set of atoms that are all allowed is allowed, too.  Only sets with
 * an atom that is refused need be looked at, and only classes that have one: most often none.
 * ----------------------------------------------------------------
 */

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

/* Does a principle allow the values that the release in view shows of these sets?  The view is by values, and counted. */
static bool
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

/* ---- The least of an aspect ---- */

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

/* ---- Values that must be judged ---- */

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
	attacker->atoms_allowed &= weakest.judging == NULL || judge_atoms(attacker, &weakest)->total == 0;
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

/* ---- All releases ---- */

/* Adds a finding to the result, unless nothing was revealed; allowed: by what must be judged of values. */
static void
reveal(Attacker *attacker, RevealedBy kind, int32 release, int32 other, Least least, const Principle *promised, bool allowed)
{
	bool		is_enough = least.records >= promised->k &&
		(promised->judging != NULL || promised->l <= 1 || least.values >= promised->l);

	if (least.records == no_set.records)
		return;
	attacker->result->revealed[attacker->result->n++] = (Revealed) {
		.kind = kind, .release = release, .other = other,
		.records = least.records, .values = least.values, .holds = allowed && is_enough
	};
}

/* Compares a release with each later one.  The difference from that is judged by the weakest promise from the one to the other. */
static void
reveal_later_releases(Attacker *attacker, int32 a)
{
	int32		n = attacker->seen->nreleases;
	Principle	between = attacker->promised[a];

	for (int32 b = a + 1; b < n; b++)
	{
		const Found *there = &attacker->found[(Size) a * n + b];
		const Found *back = &attacker->found[(Size) b * n + a];
		const Allowed *allowed_there = &attacker->allowed[(Size) a * n + b];
		const Allowed *allowed_back = &attacker->allowed[(Size) b * n + a];
		Principle	both = promised_by_both(attacker, a, b);
		Least		common = there->intersections;

		between = principle_weaker(&between, &attacker->promised[b]);
		lower(&common, back->intersections.records, back->intersections.values);
		reveal(attacker, REVEALED_BY_INTERSECTION, a + 1, b + 1, common, &both,
			   allowed_there->intersections && allowed_back->intersections);
		reveal(attacker, REVEALED_BY_DIFFERENCE, a + 1, b + 1, there->differences, &between, allowed_there->differences);
		reveal(attacker, REVEALED_BY_DIFFERENCE, b + 1, a + 1, back->differences, &both, allowed_back->differences);
	}
}

/* Orders findings: those that break a promise first, then by kind and releases. */
DEFINE_ORDER(compare_revealed, Revealed, ASCENDING(holds) ASCENDING(kind) ASCENDING(release) ASCENDING(other));

Attack *
attack(const Seen *seen, const Atoms *atoms, const Aspects *aspects, const Principle *promised)
{
	Attacker	attacker = {.seen = seen, .atoms = atoms, .promised = promised};
	Size		npairs = (Size) seen->nreleases * Max(0, seen->nreleases - 1) / 2;
	Principle	weakest;

	attacker.result = palloc0(sizeof(Attack));
	attacker.result->revealed = new_zeros(Revealed, 3 * npairs + 1);
	if (seen->nreleases == 0)
		return attacker.result;
	place_atoms(&attacker, aspects);
	find_least(&attacker, aspects);
	judge_all(&attacker);
	for (int32 a = 0; a < seen->nreleases; a++)
		reveal_later_releases(&attacker, a);
	weakest = promised_by_all(&attacker);	/* atoms are revealed by all releases together */
	reveal(&attacker, REVEALED_BY_ALL, seen->nreleases, 0, attacker.least_atoms, &weakest, attacker.atoms_allowed);
	qsort(attacker.result->revealed, attacker.result->n, sizeof(Revealed), compare_revealed);
	return attacker.result;
}
