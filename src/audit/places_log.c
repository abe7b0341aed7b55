/*
 * places_log.c
 *		Did all releases keep to the rules of groups of places?
 *
 * NOTES
 *		Releases are read once, the first one first; of each place is kept who held it last, and what it shows, and of
 *		each group all that its places ever showed.
 *
 *		A release of a part of the people may leave out a part of a group, but not some of its places.  Places that a
 *		class lacks were parted off, so a later class must not have them, but for a release of true rows, which has all
 *		of them, or none.
 *
 *		A class that was published elsewhere parts groups, and shows values as it likes: what the places that it met show
 *		next is not judged, nor which of them are parted off later.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/places_judge.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/changed_rows.h"
#include "utils/memutils.h"

#define NO_STAY PG_UINT64_MAX
#define NO_EPOCH PG_UINT64_MAX

/* A person's place, and the one before. */
typedef struct PlaceOfPerson
{
	Individual	place;
	uint64		previous;
} PlaceOfPerson;

/* The values that all places of a group showed from a release on, and the epoch before. */
typedef struct ShownEpoch
{
	uint64		first_value;
	uint64		previous;
} ShownEpoch;

typedef struct LogJudge
{
	const Seen *seen;
	const Aspects *aspects;
	const bool *is_true;		/* [releases] */
	Tally	   *tally;
	PlacesVerdict verdict;

	/* By place */
	Code	   *shown;
	Individual *holder;			/* the person who sat there last, or NO_INDIVIDUAL */
	uint32	   *part;			/* of its group, from 1 on; 0 if it was never shown */
	bool	   *is_apart;		/* parted off, and not shown since */
	bool	   *is_void;		/* published elsewhere since it was shown last */
	int32	   *last_release;	/* from 1 on */
	uint64	   *number;			/* in its group, from 0 on */

	/* By group */
	uint64	   *size;
	uint32	   *nparts;
	bool	   *is_met;			/* by a class that was published elsewhere */
	uint64	   *epoch;			/* the newest, or NO_EPOCH */

	/* By person */
	uint64	   *stay;			/* the newest, or NO_STAY */
	int32	   *last_seen;		/* release from 1 on */

	uint64		nstays;
	uint64		stays_room;
	PlaceOfPerson *stays;
	uint64		nepochs;
	uint64		epochs_room;
	ShownEpoch *epochs;
	uint64		nvalues;
	uint64		values_room;
	Code	   *values;
	Code	   *some;			/* values of the part at hand */
} LogJudge;

/* Numbers the places of each group, which are those that any release shows. */
static LogJudge *
log_judge_create(const Seen *seen, const Aspects *aspects)
{
	LogJudge   *judge = palloc0(sizeof(LogJudge));
	uint64		n = seen->nindividuals;

	judge->seen = seen;
	judge->aspects = aspects;
	judge->tally = tally_create(seen->nvalues);
	judge->verdict = (PlacesVerdict) {.holds = true, .release = -1};
	judge->shown = new_zeros(Code, n);
	judge->holder = new_array(Individual, n);
	memset(judge->holder, 0xff, sizeof(Individual) * n);	/* NO_INDIVIDUAL */
	judge->part = new_zeros(uint32, n);
	judge->is_apart = new_zeros(bool, n);
	judge->is_void = new_zeros(bool, n);
	judge->last_release = new_zeros(int32, n);
	judge->number = new_zeros(uint64, n);
	judge->some = new_array(Code, n);
	judge->size = new_zeros(uint64, seen->ngroups);
	judge->nparts = new_zeros(uint32, seen->ngroups);
	judge->is_met = new_zeros(bool, seen->ngroups);
	judge->epoch = new_array(uint64, seen->ngroups);
	memset(judge->epoch, 0xff, sizeof(uint64) * seen->ngroups); /* NO_EPOCH */
	judge->stay = new_array(uint64, seen->npeople);
	memset(judge->stay, 0xff, sizeof(uint64) * seen->npeople);	/* NO_STAY */
	judge->last_seen = new_zeros(int32, seen->npeople);
	for (uint64 place = 0; place < n; place++)
		if (seen->group_of[place] < seen->ngroups)
			judge->number[place] = judge->size[seen->group_of[place]]++;
	return judge;
}

/* ----------------------------------------------------------------
 * Remembering
 * ----------------------------------------------------------------
 */

/* The group's places show something else from now on, or for the first time. */
static void
remember_values(LogJudge *judge, const SeenRelease *release, uint32 c, uint32 group)
{
	uint64		first = judge->nvalues;
	uint64		n = judge->size[group];

	array_reserve(judge->epochs, judge->epochs_room, judge->nepochs + 1);
	array_reserve(judge->values, judge->values_room, first + n);
	for (uint64 i = 0; i < n; i++)
		judge->values[first + i] = judge->epoch[group] == NO_EPOCH ? NO_CODE :
			judge->values[judge->epochs[judge->epoch[group]].first_value + i];
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		judge->values[first + judge->number[release->individual[i]]] = release->value[i];
	judge->nvalues += n;
	judge->epochs[judge->nepochs] = (ShownEpoch) {.first_value = first, .previous = judge->epoch[group]};
	judge->epoch[group] = judge->nepochs++;
}

/* After the class was judged: its rules compare with what was before. */
static void
remember_class(LogJudge *judge, const SeenRelease *release, uint32 c)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	place = release->individual[i];
		Individual	person = release->person[i];

		judge->shown[place] = release->value[i];
		if (person == NO_INDIVIDUAL || judge->holder[place] == person)
			continue;			/* who was there before has one stay, however often away */
		array_reserve(judge->stays, judge->stays_room, judge->nstays + 1);
		judge->stays[judge->nstays] = (PlaceOfPerson) {.place = place, .previous = judge->stay[person]};
		judge->stay[person] = judge->nstays++;
		judge->holder[place] = person;
	}
}

/* ----------------------------------------------------------------
 * Rules: each returns what is wrong, or NULL
 * ----------------------------------------------------------------
 */

/* Is the person in the place of another one, and has, or had, a place in that group? */
static bool
has_second_place(const LogJudge *judge, Individual person, Individual place)
{
	const Seen *seen = judge->seen;

	if (judge->holder[place] == person && judge->stays[judge->stay[person]].place == place)
		return false;
	for (uint64 s = judge->stay[person]; s != NO_STAY; s = judge->stays[s].previous)
		if (seen->group_of[judge->stays[s].place] == seen->group_of[place])
			return true;
	return false;
}

/* One place a person, and a place once. */
static const char *
fault_of_people(LogJudge *judge, const SeenRelease *release, int32 r, uint32 c)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	place = release->individual[i];
		Individual	person = release->person[i];
		bool		is_twice = judge->last_release[place] == r + 1;

		judge->last_release[place] = r + 1;
		if (is_twice)
			return "a place is shown twice";
		if (person == NO_INDIVIDUAL)
			continue;
		is_twice = judge->last_seen[person] == r + 1;
		judge->last_seen[person] = r + 1;
		if (is_twice)
			return "a person is in two places";
		if (has_second_place(judge, person, place))
			return "a person has a second place in its group";
	}
	return NULL;
}

/* It begins with all its places, each with a person. */
static const char *
fault_of_new_group(LogJudge *judge, const SeenRelease *release, uint32 c, uint32 group)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		if (release->person[i] == NO_INDIVIDUAL)
			return "a group begins with invented rows";
	if (seen_size(release, c) != judge->size[group])
		return "its group got more places later";
	return NULL;
}

/* Are some values allowed? */
static bool
are_allowed(const LogJudge *judge, const Principle *principle, const Code *value, uint64 n)
{
	bool		allowed;

	for (uint64 i = 0; i < n; i++)
		tally_add(judge->tally, value[i]);
	allowed = principle_allows_values(principle, judge->tally);
	tally_clear(judge->tally);
	return allowed;
}

/* Are the rows that came to places of a group, and went, in all epochs so far? */
static bool
changes_were_allowed(const LogJudge *judge, const Principle *principle, uint32 group, const Individual *place, uint64 n)
{
	uint64		nepochs = 0;
	uint64		at;
	const Code **epoch;
	bool		allowed;

	if (!has_row_values(judge->aspects))
		return true;
	for (uint64 e = judge->epoch[group]; e != NO_EPOCH; e = judge->epochs[e].previous)
		nepochs++;
	if (nepochs < 2)
		return true;
	at = nepochs;
	epoch = new_array(const Code *, nepochs);
	for (uint64 e = judge->epoch[group]; e != NO_EPOCH; e = judge->epochs[e].previous)
	{
		Code	   *value = new_array(Code, n);

		for (uint64 i = 0; i < n; i++)
			value[i] = judge->values[judge->epochs[e].first_value + judge->number[place[i]]];
		epoch[--at] = value;
	}
	allowed = changes_are_allowed(principle, judge->aspects, epoch, nepochs, n);
	for (uint64 e = 0; e < nepochs; e++)
		pfree(unconstify(Code *, epoch[e]));
	pfree(epoch);
	return allowed;
}

/*
 * Places that it lacks are parted off; whichever values are theirs, or, of true rows, as they are, these are allowed, and those
 * of the rest.
 */
static const char *
fault_of_parting(LogJudge *judge, const Principle *principle, int32 r, uint32 group, const Individual *member, uint64 nshown, uint64 nplaces)
{
	uint64		ngone = nplaces - nshown;
	uint64		at[2] = {0, ngone};
	Individual *place = new_array(Individual, nplaces);

	for (uint64 i = 0; i < nplaces; i++)
		place[at[judge->last_release[member[i]] == r + 1]++] = member[i];
	if (nshown < principle->k || ngone < principle->k)
		return "too few places are parted off, or left";
	for (uint64 e = judge->epoch[group]; e != NO_EPOCH && !judge->is_met[group]; e = judge->epochs[e].previous)
	{
		const Code *value = judge->values + judge->epochs[e].first_value;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < nplaces; i++)
			judge->some[i] = value[judge->number[place[i]]];
		if (judge->is_true[r] ?
			!are_allowed(judge, principle, judge->some, ngone) ||
			!are_allowed(judge, principle, judge->some + ngone, nshown) :
			!all_parts_are_allowed(principle, judge->aspects, judge->some, nplaces, ngone, judge->tally) ||
			!all_parts_are_allowed(principle, judge->aspects, judge->some, nplaces, nshown, judge->tally))
			return "places are parted off that may show too few values";
	}
	if (!judge->is_met[group] && (judge->is_true[r] ?
								  !changes_were_allowed(judge, principle, group, place, ngone) ||
								  !changes_were_allowed(judge, principle, group, place + ngone, nshown) :
								  !changes_were_allowed(judge, NULL, group, place, nplaces)))
		return "places are parted off that show rows which came to few people, or went";
	pfree(place);
	return NULL;
}

typedef struct PlacesOfGroup
{
	uint64	   *first;			/* [ngroups + 1] */
	Individual *place;
} PlacesOfGroup;

/* By group, so that the places which a class lacks are found. */
static PlacesOfGroup
places_of_groups(const LogJudge *judge)
{
	PlacesOfGroup places = {
		.first = new_zeros(uint64, judge->seen->ngroups + 1),
		.place = new_array(Individual, judge->seen->nindividuals)
	};

	for (uint32 group = 0; group < judge->seen->ngroups; group++)
		places.first[group + 1] = places.first[group] + judge->size[group];
	for (uint64 p = 0; p < judge->seen->nindividuals; p++)
		if (judge->seen->group_of[p] < judge->seen->ngroups)
			places.place[places.first[judge->seen->group_of[p]] + judge->number[p]] = p;
	return places;
}

/* It is a part that was not parted off for good, but for places that are now. */
static const char *
fault_of_part(LogJudge *judge, const PlacesOfGroup *places, const Principle *principle, const SeenRelease *release, int32 r, uint32 c, uint32 group)
{
	uint32		part = judge->part[release->individual[release->first[c]]];
	Individual *member = new_array(Individual, judge->size[group]);
	uint64		nplaces = 0;
	uint64		nshown = seen_size(release, c);
	const char *fault = NULL;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		if (judge->is_apart[release->individual[i]] && !judge->is_true[r])
			return "it shows a place that was parted off";
		if (judge->part[release->individual[i]] != part)
			return part == 0 || judge->part[release->individual[i]] == 0 ? "its group got more places later" :
				"it has places of two parts of its group";
	}
	for (uint64 i = places->first[group]; i < places->first[group + 1]; i++)
		if (judge->part[places->place[i]] == part)
			member[nplaces++] = places->place[i];
	if (nplaces > nshown)
	{
		fault = fault_of_parting(judge, principle, r, group, member, nshown, nplaces);
		judge->nparts[group]++;
	}
	for (uint64 i = 0; i < nplaces; i++)
	{
		judge->is_apart[member[i]] = judge->last_release[member[i]] != r + 1;
		if (judge->is_apart[member[i]])
			judge->part[member[i]] = judge->nparts[group];
	}
	pfree(member);
	return fault;
}

/* It shows what it showed last; or everybody is there, and sits where he sat before. */
static const char *
fault_of_values(LogJudge *judge, const Principle *principle, const SeenRelease *release, int32 r, uint32 c, uint32 group)
{
	bool		is_refreshed = false;
	bool		is_void = false;
	bool		may_be = seen_shows_values(judge->seen, r);

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	place = release->individual[i];

		is_refreshed |= release->value[i] != judge->shown[place];
		may_be &= release->person[i] != NO_INDIVIDUAL && judge->holder[place] == release->person[i];
		is_void |= judge->is_void[place];
		judge->is_void[place] = false;
	}
	if (!is_refreshed)
		return NULL;
	remember_values(judge, release, c, group);
	if (is_void)
		return NULL;
	if (!may_be)
		return "it shows new values, though not everybody of it was there before and is now";
	return NULL;
}

/* Hidden parts are not shown, so all that are keep the promise of their release. */
static const char *
fault_of_principle(LogJudge *judge, const Principle *principle, const SeenRelease *release, uint32 c, uint32 group)
{
	if (seen_size(release, c) < principle->k)
		return "it has fewer places than k";
	if (!are_allowed(judge, principle, release->value + release->first[c], seen_size(release, c)))
		return "the principle does not allow it";
	return judge->is_met[group] || changes_were_allowed(judge, principle, group, release->individual + release->first[c], seen_size(release, c))
		? NULL : "it shows rows that came to few people, or went";
}

/* ----------------------------------------------------------------
 * Class after class
 * ----------------------------------------------------------------
 */

/* Goes on after a fault as if all were well, lest the next release be blamed for it. */
static const char *
fault_of_class(LogJudge *judge, const PlacesOfGroup *places, const Principle *principle, const SeenRelease *release, int32 r, uint32 c)
{
	uint32		group = release->group[c];
	const char *fault;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		if (judge->seen->group_of[release->individual[i]] != group)
			return "a row has a place in another group";
	if ((fault = fault_of_people(judge, release, r, c)) != NULL)
		return fault;
	if (judge->nparts[group] > 0)
	{
		const char *of_values;

		fault = fault_of_part(judge, places, principle, release, r, c, group);
		of_values = fault_of_values(judge, principle, release, r, c, group);
		fault = fault != NULL ? fault : of_values;
	}
	else
	{
		judge->nparts[group] = 1;
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			judge->part[release->individual[i]] = 1;
		remember_values(judge, release, c, group);
		fault = fault_of_new_group(judge, release, c, group);
	}
	return fault != NULL ? fault : fault_of_principle(judge, principle, release, c, group);
}

/* A place in a class that was published elsewhere, and the part that it was in. */
typedef struct MetPlace
{
	uint32		group;
	uint32		part;
	Individual	place;
} MetPlace;

/* Places of one part side by side. */
DEFINE_ORDER(compare_met, MetPlace, ASCENDING(group) ASCENDING(part));

/* The places that such a class holds of each part become a part; those of a new group are one to begin with. */
static void
part_by_import(LogJudge *judge, const SeenRelease *release, uint32 c)
{
	MetPlace   *met = new_array(MetPlace, seen_size(release, c));
	uint64		n = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	place = release->individual[i];
		uint32		group = judge->seen->group_of[place];

		if (group < judge->seen->ngroups)
			met[n++] = (MetPlace) {.group = group, .part = judge->part[place], .place = place};
	}
	qsort(met, n, sizeof(MetPlace), compare_met);
	for (uint64 i = 0; i < n; i++)
	{
		if (i == 0 || compare_met(&met[i - 1], &met[i]) != 0)
			judge->nparts[met[i].group]++;
		judge->part[met[i].place] = judge->nparts[met[i].group];
		judge->is_met[met[i].group] = judge->is_void[met[i].place] = true;
		judge->is_apart[met[i].place] = false;
	}
	pfree(met);
}

/* Later faults may follow from the first. */
static void
note_fault(PlacesVerdict *verdict, const char *fault, int32 r, uint32 c)
{
	if (verdict->violations++ == 0)
	{
		verdict->holds = false;
		verdict->fault = fault;
		verdict->release = r;
		verdict->class = c;
	}
}

/* Ties, and partings, leave everybody enough. */
static void
judge_ties(LogJudge *judge, const Principle *principle, bool are_alone, uint64 budget)
{
	const Seen *seen = judge->seen;
	const Deduction *deduction = deduce(seen, NULL, 0, are_alone ? LOOKS_AT_EACH_ALONE : 0, budget);
	uint64	   *k = new_array(uint64, seen->nreleases);
	uint32	   *l = new_array(uint32, seen->nreleases);

	for (int32 r = seen->nreleases - 1; r >= 0; r--)
	{
		bool		is_last = r == seen->nreleases - 1;

		k[r] = is_last ? principle[r].k : Min(principle[r].k, k[r + 1]);
		l[r] = principle_least_values(&principle[r]);
		l[r] = is_last ? l[r] : Min(l[r], l[r + 1]);
	}
	for (uint64 s = 0; deduction != NULL && s < deduction->first[seen->npeople]; s++)
	{
		const Spell *spell = &deduction->spell[s];
		bool		has_null = spell->n > 0 && spell->candidate[spell->n - 1] == seen->nvalues;

		if (spell->nrows >= k[spell->release] && (l[spell->release] <= 1 || spell->n - has_null >= l[spell->release]))
			continue;
		note_fault(&judge->verdict, "ties leave somebody in it too few values, or rows", spell->release, spell->class);
	}
}

PlacesVerdict
places_judge(const Seen *seen, const Aspects *aspects, const Principle *principle, const bool *is_true, bool are_alone, uint64 budget)
{
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "judge of places", ALLOCSET_DEFAULT_SIZES);
	LogJudge   *judge;
	PlacesOfGroup places;
	PlacesVerdict verdict;

	MemoryContextSwitchTo(work);
	judge = log_judge_create(seen, aspects);
	judge->is_true = is_true;
	places = places_of_groups(judge);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses; c++)
		{
			const char *fault = NULL;

			CHECK_FOR_INTERRUPTS();
			if (release->group[c] == NO_GROUP)
				part_by_import(judge, release, c);
			else
				fault = fault_of_class(judge, &places, &principle[r], release, r, c);
			remember_class(judge, release, c);
			if (fault != NULL)
				note_fault(&judge->verdict, fault, r, c);
		}
	}
	judge_ties(judge, principle, are_alone, budget);
	verdict = judge->verdict;
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return verdict;
}
