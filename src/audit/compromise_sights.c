/*
 * compromise_sights.c
 *		What observers saw of each person.
 *
 * NOTES
 *		Of places, observers know when a person came to a group, and when the person was there last; in between nobody else
 *		could sit there.  So of the people of such sittings no more have a value, at any time, than the group shows; and
 *		whoever have so many, there is an order in which they followed each other from place to place.  A place changes only
 *		where its group shows other values, and then no more places do than must.
 *
 *		Groups without ties, partings and known people are not searched: all that they show is possible for everybody.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "frame/arrays.h"
#include "miscadmin.h"

#define NO_SITTING		PG_UINT32_MAX

/* A person in a group, from the first release that shows it to the last. */
typedef struct Sitting
{
	Individual	person;
	uint32		group;
	int32		came;
	int32		left;			/* the last one */
} Sitting;

typedef struct Looking
{
	Sights	   *sights;
	uint32	   *of_person;		/* [seated] */
	uint64		of_room;

	/* Places */
	bool		is_ruled;		/* do all classes keep the rules that are used here? */
	uint32		nsittings;
	uint32		sittings_room;
	Sitting    *sitting;
	uint64	   *first_sitting;	/* [people + 1] */
	uint32	   *sitting_of;		/* person by person */
	uint32	   *last_sight;		/* [places] the newest that shows it, or NO_SIGHT */
	bool	   *is_searched;	/* [groups] */
	uint32	   *sitter;			/* [places] sitting */
	Code	   *shown;			/* [places] */

	/* Of the class at hand */
	uint32	   *tally;			/* [values] zeros else */
	Code	   *tallied;
	Code		ntallied;
} Looking;

Individual
find_changed(const Seen *seen)
{
	Code	   *shown = new_zeros(Code, seen->nindividuals);
	bool	   *is_shown = new_zeros(bool, seen->nindividuals);
	Individual	changed = NO_INDIVIDUAL;

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < seen->release[r].first[seen->release[r].nclasses]; i++)
		{
			Individual	t = seen->release[r].individual[i];

			if (is_shown[t] && shown[t] != seen->release[r].value[i])
				changed = Min(changed, t);
			is_shown[t] = true;
			shown[t] = seen->release[r].value[i];
		}
	}
	pfree(shown);
	pfree(is_shown);
	return changed;
}

static inline Code
value_at(const Looking *looking, const SeenRelease *release, uint64 row)
{
	return release->value[row] == NO_CODE ? looking->sights->null : release->value[row];
}

/* Values ascend, as those of sights do. */
static void
tally_class(Looking *looking, const SeenRelease *release, uint32 c)
{
	for (Code i = 0; i < looking->ntallied; i++)
		looking->tally[looking->tallied[i]] = 0;
	looking->ntallied = 0;
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		if (looking->tally[value_at(looking, release, i)]++ == 0)
			looking->tallied[looking->ntallied++] = value_at(looking, release, i);
	sort_codes(looking->tallied, looking->ntallied);
}

/* The next value of a sight. */
static void
add_value(Sights *sights, Sight *sight, Code value, uint32 count)
{
	uint64		room = sights->values_room;

	array_reserve(sights->value, room, sights->nvalues + 1);
	array_reserve(sights->count, sights->values_room, sights->nvalues + 1);
	sights->value[sights->nvalues] = value;
	sights->count[sights->nvalues++] = count;
	sight->n++;
}

/* A sight with the values tallied, unless it has some already. */
static void
add_sight(Looking *looking, Sight sight)
{
	Sights	   *sights = looking->sights;

	if (sight.n == 0)
	{
		sight.first = sights->nvalues;
		for (Code i = 0; i < looking->ntallied; i++)
			add_value(sights, &sight, looking->tallied[i], looking->tally[looking->tallied[i]]);
	}
	array_reserve(sights->sight, sights->room, sights->n + 1);
	sights->sight[sights->n++] = sight;
}

/* At the newest sight. */
static void
add_seated(Looking *looking, Individual person, Code value)
{
	Sights	   *sights = looking->sights;

	array_reserve(sights->seated, sights->seated_room, sights->nseated + 1);
	array_reserve(looking->of_person, looking->of_room, sights->nseated + 1);
	looking->of_person[sights->nseated] = person;
	sights->seated[sights->nseated++] = (Seated) {.sight = sights->n - 1, .value = value};
	sights->sight[sights->n - 1].nseated++;
}

/* ---- Places ---- */

/* When people came to groups, and left. */
static void
find_sittings(Looking *looking)
{
	const Seen *seen = looking->sights->seen;
	uint32	   *last = new_array(uint32, seen->npeople);
	uint32	   *person;

	memset(last, 0xff, sizeof(uint32) * seen->npeople); /* NO_SITTING */
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		CHECK_FOR_INTERRUPTS();
		for (uint32 c = 0; c < release->nclasses; c++)
			looking->is_ruled &= release->group[c] != NO_GROUP;
		for (uint64 i = 0; i < release->first[release->nclasses] && looking->is_ruled; i++)
		{
			Individual	p = release->person[i];
			uint32		group = seen->group_of[release->individual[i]];

			if (p == NO_INDIVIDUAL)
				continue;
			if (last[p] == NO_SITTING || looking->sitting[last[p]].group != group)
			{
				array_reserve(looking->sitting, looking->sittings_room, looking->nsittings + 1);
				looking->sitting[looking->nsittings] = (Sitting) {.person = p, .group = group, .came = r};
				last[p] = looking->nsittings++;
			}
			looking->sitting[last[p]].left = r;
		}
	}
	person = new_array(uint32, looking->nsittings);
	for (uint32 s = 0; s < looking->nsittings; s++)
		person[s] = looking->sitting[s].person;
	list_by_group(person, looking->nsittings, seen->npeople, &looking->first_sitting, &looking->sitting_of);
	pfree(person);
	pfree(last);
}

/* At the places of a class sit those, too, who were there and come again.  Their values are those of now, or before. */
static void
seat_class(Looking *looking, const SeenRelease *release, int32 r, uint32 c, bool is_before)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	place = release->individual[i];
		uint32		s = looking->sitter[place];

		if (s != NO_SITTING && looking->sitting[s].left >= r)
			add_seated(looking, looking->sitting[s].person, is_before ? looking->shown[place] : value_at(looking, release, i));
	}
}

/* Finds the sittings at the places of a class; has anybody come? */
static bool
find_sitters(Looking *looking, const SeenRelease *release, int32 r, uint32 c)
{
	bool		any = false;

	for (uint64 i = release->first[c]; i < release->first[c + 1] && looking->is_ruled; i++)
	{
		Individual	p = release->person[i];

		looking->is_ruled &= looking->sights->seen->group_of[release->individual[i]] == release->group[c];
		for (uint64 s = looking->first_sitting[p == NO_INDIVIDUAL ? 0 : p]; p != NO_INDIVIDUAL && s < looking->first_sitting[p + 1]; s++)
		{
			uint32		sitting = looking->sitting_of[s];

			if (looking->sitting[sitting].group != release->group[c])
				continue;
			looking->sitter[release->individual[i]] = sitting;
			any |= looking->sitting[sitting].came == r;
		}
	}
	return any;
}

/* How many rows more have changed than what is shown tells?  Has a value more rows than before? */
static int64
count_changes(const Looking *looking, const SeenRelease *release, uint32 c, const Sight *before, bool *has_more)
{
	int64		changed = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		changed += value_at(looking, release, i) != looking->shown[release->individual[i]];
	for (Code i = 0; i < looking->ntallied; i++)
	{
		int64		more = (int64) looking->tally[looking->tallied[i]] - rows_showing(looking->sights, before, looking->tallied[i]);

		*has_more |= more > 0;
		changed -= Max(more, 0);
	}
	return changed;
}

/* The rows of a part did not change, so what they show is not what those who are left of others did. */
static void
subtract(Sights *sights, Sight *left, const Sight *part)
{
	uint64		first = left->first;
	uint64		end = first + left->n;

	left->first = sights->nvalues;
	left->n = 0;
	left->rows -= part->rows;
	for (uint64 i = first; i < end; i++)
		if (sights->count[i] > rows_showing(sights, part, sights->value[i]))
			add_value(sights, left, sights->value[i], sights->count[i] - rows_showing(sights, part, sights->value[i]));
}

/* The newest sight is of a part of an earlier one, or of those who are left of it. */
static void
add_child(Sights *sights, uint32 parent)
{
	uint32		number = sights->n - 1;
	Sight	   *sight = &sights->sight[number];

	for (uint32 other = sights->sight[parent].child; other != 0; other = sights->sight[other].sibling)
		if (sight->is_left && !sights->sight[other].is_left)
			subtract(sights, sight, &sights->sight[other]);
		else if (!sight->is_left && sights->sight[other].is_left)
			subtract(sights, &sights->sight[other], sight);
	sight->sibling = sights->sight[parent].child;
	sights->sight[parent].child = number;
}

/* Notes what is new of a class. */
static void
look_at_places(Looking *looking, const SeenRelease *release, int32 r, uint32 c)
{
	Sights	   *sights = looking->sights;
	uint32		last = looking->last_sight[release->individual[release->first[c]]];
	bool		is_new = find_sitters(looking, release, r, c) || last == NO_SIGHT;
	bool		is_parted = false;
	Sight		sight = {.at = {r, c}, .group = release->group[c], .previous = NO_SIGHT, .rows = seen_size(release, c)};

	tally_class(looking, release, c);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		looking->is_ruled &= looking->last_sight[release->individual[i]] == last;
	if (last != NO_SIGHT)
	{
		const Sight *before = &sights->sight[last];
		bool		has_more = false;

		sight.is_free = count_changes(looking, release, c, before, &has_more) > 0;
		if (has_more || sight.is_free)
			sight.previous = last;
		is_parted = sight.rows != before->rows;
		looking->is_searched[sight.group] |= is_parted;
	}
	if (sight.previous != NO_SIGHT && is_parted)
	{
		Sight		left = sights->sight[last];

		/* The others showed these values, too, until some of them changed. */
		left.previous = NO_SIGHT;
		left.nseated = left.child = 0;
		left.is_free = false;
		left.is_left = true;
		add_sight(looking, left);
		add_child(sights, last);
		sight.previous = sights->n - 1;
		seat_class(looking, release, r, c, true);
	}
	if (is_new || is_parted || sight.previous != NO_SIGHT)
	{
		add_sight(looking, sight);
		if (is_parted && sight.previous == NO_SIGHT)
			add_child(sights, last);
		last = sights->n - 1;
		seat_class(looking, release, r, c, false);
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		looking->last_sight[release->individual[i]] = last;
		looking->shown[release->individual[i]] = value_at(looking, release, i);
	}
}

/* A person with places in several groups ties them. */
static void
find_searched(Looking *looking, const Individual *known, uint64 nknown)
{
	Sights	   *sights = looking->sights;

	sights->is_searched = new_zeros(bool, sights->npeople);
	for (Individual p = 0; p < sights->npeople; p++)
		for (uint64 s = looking->first_sitting[p]; s < looking->first_sitting[p + 1]; s++)
			looking->is_searched[looking->sitting[looking->sitting_of[s]].group] |=
				looking->first_sitting[p + 1] - looking->first_sitting[p] > 1;
	for (uint64 i = 0; i < nknown; i++)
		for (uint64 s = looking->first_sitting[known[i]]; s < looking->first_sitting[known[i] + 1]; s++)
			looking->is_searched[looking->sitting[looking->sitting_of[s]].group] = true;
	for (Individual p = 0; p < sights->npeople; p++)
		for (uint64 s = looking->first_sitting[p]; s < looking->first_sitting[p + 1]; s++)
			sights->is_searched[p] |= looking->is_searched[looking->sitting[looking->sitting_of[s]].group];
}

/* ---- All ---- */

bool
sights_of(const Seen *seen, const Individual *known, uint64 nknown, Sights *sights)
{
	bool		has_places = seen->group_of != NULL;
	Looking		looking = {.sights = sights, .is_ruled = true};

	*sights = (Sights) {.seen = seen, .null = seen->nvalues, .npeople = has_places ? seen->npeople : seen->nindividuals};
	looking.tally = new_zeros(uint32, seen->nvalues + 1);
	looking.tallied = new_array(Code, seen->nvalues + 1);
	if (has_places)
	{
		find_sittings(&looking);
		looking.last_sight = new_array(uint32, seen->nindividuals);
		memset(looking.last_sight, 0xff, sizeof(uint32) * seen->nindividuals);	/* NO_SIGHT */
		looking.is_searched = new_zeros(bool, seen->ngroups);
		looking.sitter = new_array(uint32, seen->nindividuals);
		memset(looking.sitter, 0xff, sizeof(uint32) * seen->nindividuals);	/* NO_SITTING */
		looking.shown = new_zeros(Code, seen->nindividuals);
	}
	for (int32 r = 0; r < seen->nreleases && looking.is_ruled; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses && looking.is_ruled; c++)
		{
			CHECK_FOR_INTERRUPTS();
			if (has_places)
			{
				look_at_places(&looking, release, r, c);
				continue;
			}
			tally_class(&looking, release, c);
			add_sight(&looking, (Sight) {.at = {r, c}, .group = sights->n, .previous = NO_SIGHT, .rows = seen_size(release, c)});
			for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
				add_seated(&looking, release->individual[i], value_at(&looking, release, i));
		}
	}
	if (!looking.is_ruled)
		return false;
	list_by_group(looking.of_person, sights->nseated, sights->npeople, &sights->first_seated, &sights->seated_of);
	if (has_places)
		find_searched(&looking, known, nknown);
	pfree(looking.tally);
	pfree(looking.tallied);
	return true;
}
