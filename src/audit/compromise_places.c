/*
 * compromise_places.c
 *		Deductions of observers who know the rules of places.
 *
 * NOTES
 *		Observers know when a person came to a group, and when the person was there last; in between nobody else could sit
 *		there.  So of the people of such a sitting no more have a value, at any time, than the group shows; and whoever have
 *		so many, there is an order in which they followed each other from place to place.  A place changes only where its
 *		group shows other values, and then no more places do than must.
 *
 *		A sight is what a class showed at a moment when somebody had come, or something had changed: other moments tell
 *		nothing more.  A life is one value for each spell of a person: until the group shows others, and on at the next
 *		place.  People with the same sights are peers.  Those of them who have a life are a cell of audit/worlds.h; lines
 *		are peers, and the rows of a sight with a value.  Rows that stand in are spare cells.
 *
 *		Groups without ties, partings and known people are not searched: all that they show is possible for everybody.
 *
 *		The truth is a world: where a value changed though no table tells, observers allow for that.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/worlds.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"
#include "shared/progress.h"

#define MOST_LIVES		1000	/* of peers, before it is not known what is impossible */
#define BUILDING_STEPS	4		/* for each line that a cell is on */
#define NO_SITTING		PG_UINT32_MAX
#define NO_SIGHT		PG_UINT32_MAX

/* A person in a group, from the first release that shows it to the last. */
typedef struct Sitting
{
	Individual	person;
	uint32		group;
	int32		came;
	int32		left;			/* the last one */
} Sitting;

typedef struct Sight
{
	uint32		group;
	int32		release;
	uint32		previous;		/* of the group, where it shows other values than that; or NO_SIGHT */
	uint64		rows;
	uint64		nseated;		/* rows of people */
	bool		is_left;		/* of those who are left when others are parted off, and show new values at the next sight */
	bool		is_free;		/* did more rows change than must? */
	uint64		first;			/* its values are value[first] up to, not including, value[first + n] */
	uint32		n;
} Sight;

/* A sitting at a sight, and what the row showed in truth. */
typedef struct Seated
{
	uint32		sight;
	Code		value;
} Seated;

typedef struct Looking
{
	const Seen *seen;
	Code		null;			/* NULL is a value here */
	bool		is_ruled;		/* do all classes keep the rules that are used here? */

	uint32		nsittings;
	uint32		sittings_room;
	Sitting    *sitting;
	uint64	   *first_sitting;	/* [people + 1] */
	uint32	   *sitting_of;		/* person by person */

	uint32		nsights;
	uint32		sights_room;
	Sight	   *sight;
	uint64		nvalues;
	uint64		values_room;
	Code	   *value;			/* of sights, ascending */
	uint32	   *count;			/* rows that have each */
	uint64		nseated;
	uint64		seated_room;
	Seated	   *seated;
	uint32	   *of_sitting;		/* [seated] */
	uint64		of_room;
	uint64	   *first_seated;	/* [sittings + 1] */
	uint32	   *seated_of;		/* sitting by sitting, in the order of sights */

	/* By group */
	uint32	   *last_sight;
	bool	   *is_searched;

	/* By place */
	uint32	   *sitter;			/* sitting */
	Code	   *shown;

	/* By value: scratch, zeros else */
	uint32	   *tally;
	Code	   *tallied;
	Code		ntallied;
} Looking;

/* ---- What observers saw ---- */

static inline Code
value_at(const Looking *looking, const SeenRelease *release, uint64 row)
{
	return release->value[row] == NO_CODE ? looking->null : release->value[row];
}

/* When people came to groups, and left. */
static void
find_sittings(Looking *looking)
{
	const Seen *seen = looking->seen;
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

static uint32
rows_showing(const Looking *looking, const Sight *sight, Code value)
{
	uint64		at = find_code(looking->value + sight->first, sight->n, value);

	return at == sight->n ? 0 : looking->count[sight->first + at];
}

/* May a row that showed the first value at one sight show the second at the next, if no more change than must? */
static bool
may_become(const Looking *looking, const Sight *sight, Code before, Code after)
{
	const Sight *previous = &looking->sight[sight->previous];

	return before == after || sight->is_free ||
		(rows_showing(looking, previous, before) > rows_showing(looking, sight, before) &&
		 rows_showing(looking, previous, after) < rows_showing(looking, sight, after));
}

/* Who sits at the places of a class: those who were there, too, and come again. */
static void
add_seated(Looking *looking, const SeenRelease *release, int32 r, uint32 c, bool is_before)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	place = release->individual[i];
		uint32		s = looking->sitter[place];

		if (s == NO_SITTING || looking->sitting[s].left < r)
			continue;
		array_reserve(looking->seated, looking->seated_room, looking->nseated + 1);
		array_reserve(looking->of_sitting, looking->of_room, looking->nseated + 1);
		looking->of_sitting[looking->nseated] = s;
		looking->seated[looking->nseated++] = (Seated) {
			.sight = looking->nsights - 1,
			.value = is_before ? looking->shown[place] : value_at(looking, release, i)
		};
		looking->sight[looking->nsights - 1].nseated++;
	}
}

/* A sight with the values tallied, unless it has some already. */
static void
add_sight(Looking *looking, Sight sight, bool has_values)
{
	array_reserve(looking->sight, looking->sights_room, looking->nsights + 1);
	if (!has_values)
	{
		uint64		room = looking->values_room;

		sight.first = looking->nvalues;
		sight.n = looking->ntallied;
		array_reserve(looking->value, room, sight.first + sight.n);
		array_reserve(looking->count, looking->values_room, sight.first + sight.n);
		for (Code i = 0; i < looking->ntallied; i++)
		{
			looking->value[looking->nvalues] = looking->tallied[i];
			looking->count[looking->nvalues++] = looking->tally[looking->tallied[i]];
		}
	}
	looking->sight[looking->nsights] = sight;
	looking->last_sight[sight.group] = looking->nsights++;
}

/* Notes what is new of a class. */
static void
look_at_class(Looking *looking, const SeenRelease *release, int32 r, uint32 c)
{
	uint32		group = release->group[c];
	uint32		last = looking->last_sight[group];
	bool		is_new = last == NO_SIGHT;
	bool		has_more = false;	/* rows with some value than before */
	bool		is_changed = false;
	int64		changed = 0;	/* rows, without those that must change */
	Sight		sight = {.group = group, .release = r, .previous = NO_SIGHT, .rows = seen_size(release, c)};

	looking->ntallied = 0;
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	p = release->person[i];
		Code		value = value_at(looking, release, i);

		looking->is_ruled &= looking->seen->group_of[release->individual[i]] == group;
		changed += value != looking->shown[release->individual[i]];
		if (looking->tally[value]++ == 0)
			looking->tallied[looking->ntallied++] = value;
		if (p == NO_INDIVIDUAL || !looking->is_ruled)
			continue;
		for (uint64 s = looking->first_sitting[p]; s < looking->first_sitting[p + 1]; s++)
			if (looking->sitting[looking->sitting_of[s]].group == group)
				looking->sitter[release->individual[i]] = looking->sitting_of[s];
		is_new |= looking->sitting[looking->sitter[release->individual[i]]].came == r;
	}
	sort_codes(looking->tallied, looking->ntallied);
	if (last != NO_SIGHT)
	{
		const Sight *before = &looking->sight[last];

		looking->is_ruled &= sight.rows <= before->rows;
		is_changed = sight.rows != before->rows;
		for (Code i = 0; i < looking->ntallied; i++)
		{
			int64		more = (int64) looking->tally[looking->tallied[i]] - rows_showing(looking, before, looking->tallied[i]);

			has_more |= more > 0;
			changed -= Max(more, 0);
		}
		looking->is_searched[group] |= is_changed;
		sight.is_free = changed > 0;
		if (has_more || sight.is_free)
			sight.previous = last;
	}
	if (sight.previous != NO_SIGHT && is_changed)
	{
		Sight		left = looking->sight[last];

		/* Those who were left showed these values, until some of them changed. */
		left.previous = NO_SIGHT;
		left.nseated = 0;
		left.is_free = false;
		left.is_left = true;
		add_sight(looking, left, true);
		sight.previous = looking->nsights - 1;
		add_seated(looking, release, r, c, true);
	}
	if (is_new || is_changed || sight.previous != NO_SIGHT)
	{
		add_sight(looking, sight, false);
		add_seated(looking, release, r, c, false);
	}
	for (Code i = 0; i < looking->ntallied; i++)
		looking->tally[looking->tallied[i]] = 0;
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		looking->shown[release->individual[i]] = value_at(looking, release, i);
}

/* False if some class does not keep the rules, as those do not that were published elsewhere. */
static bool
look(Looking *looking)
{
	const Seen *seen = looking->seen;

	find_sittings(looking);
	looking->last_sight = new_array(uint32, seen->ngroups);
	memset(looking->last_sight, 0xff, sizeof(uint32) * seen->ngroups);	/* NO_SIGHT */
	looking->is_searched = new_zeros(bool, seen->ngroups);
	looking->sitter = new_array(uint32, seen->nindividuals);
	memset(looking->sitter, 0xff, sizeof(uint32) * seen->nindividuals); /* NO_SITTING */
	looking->shown = new_zeros(Code, seen->nindividuals);
	looking->tally = new_zeros(uint32, looking->null + 1);
	looking->tallied = new_array(Code, looking->null + 1);
	for (int32 r = 0; r < seen->nreleases && looking->is_ruled; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		CHECK_FOR_INTERRUPTS();
		for (uint32 c = 0; c < release->nclasses; c++)
			look_at_class(looking, release, r, c);
	}
	list_by_group(looking->of_sitting, looking->nseated, looking->nsittings, &looking->first_seated, &looking->seated_of);
	for (Individual p = 0; p < seen->npeople; p++)
		for (uint64 s = looking->first_sitting[p]; s < looking->first_sitting[p + 1]; s++)
			looking->is_searched[looking->sitting[looking->sitting_of[s]].group] |=
				looking->first_sitting[p + 1] - looking->first_sitting[p] > 1;
	return looking->is_ruled;
}

/* ---- Lives ---- */

/* Where a person sat, sight by sight. */
typedef struct Track
{
	uint32		n;
	uint32		room;
	Seated	   *at;
	uint32		nspells;
	uint32	   *spell;			/* [n] */
	uint32		spell_room;
} Track;

static void
find_track(const Looking *looking, Individual person, Track *track)
{
	track->n = 0;
	for (uint64 i = looking->first_sitting[person]; i < looking->first_sitting[person + 1]; i++)
	{
		uint32		s = looking->sitting_of[i];

		for (uint64 k = looking->first_seated[s]; k < looking->first_seated[s + 1]; k++)
		{
			array_reserve(track->at, track->room, track->n + 1);
			track->at[track->n++] = looking->seated[looking->seated_of[k]];
		}
	}
	array_reserve(track->spell, track->spell_room, track->n);
	track->nspells = 0;
	for (uint32 i = 0; i < track->n; i++)
	{
		const Sight *sight = &looking->sight[track->at[i].sight];
		bool		is_tied = i > 0 && sight->group != looking->sight[track->at[i - 1].sight].group;

		track->nspells += i == 0 || (is_tied ? track->at[i].value != track->at[i - 1].value : sight->previous != NO_SIGHT);
		track->spell[i] = track->nspells - 1;
	}
}

/* People of whom observers know the same. */
typedef struct Peer
{
	Individual	person;			/* any of them */
	uint32		n;
	bool		is_known;
	uint32		nspells;
	uint64		first_life;		/* life_of() its cells */
	uint32		first_cell;
	uint32		ncells;
} Peer;

typedef struct Living
{
	Looking    *looking;
	uint64	   *budget;
	uint32		npeers;
	Peer	   *peer;
	uint32	   *peer_of;		/* [people] or NO_NUMBER */
	uint64		nlives;
	uint64		lives_room;
	Code	   *life;
	bool		is_cut;			/* were there too many? */

	Worlds		worlds;
	uint64	   *line;			/* [sights + 1] the first line of each; lines of peers come before */
	uint32		cells_room;
	uint64	   *first_through;
	uint64		incidences;
	uint64		through_room;
	uint32	   *through;
	uint32		people_room;
	uint32	   *people;
	bool	   *is_possible;	/* [cells] */
	bool	   *is_excluded;	/* [cells] */
	bool	   *was_found;		/* spell by spell, value by value, of the peers at hand */
	uint64		found_room;
} Living;

/* Puts people into peers, by their sights and spells; those who are known, by what was shown, too. */
static void
find_peers(Living *living, const bool *is_known)
{
	Looking    *looking = living->looking;
	uint64		npeople = looking->seen->npeople;
	TupleNumbers *numbers = tuple_numbers_create(ANY_WIDTH);
	Track		track = {0};
	uint32		words_room = 0;
	uint32	   *word = NULL;
	uint32		peers_room = 0;

	living->peer_of = new_array(uint32, npeople);
	for (Individual p = 0; p < npeople; p++)
	{
		uint64		s = looking->first_sitting[p];
		uint32		n = 0;
		uint32		number;

		living->peer_of[p] = NO_NUMBER;
		if (s == looking->first_sitting[p + 1] || !looking->is_searched[looking->sitting[looking->sitting_of[s]].group])
			continue;
		CHECK_FOR_INTERRUPTS();
		find_track(looking, p, &track);
		array_reserve(word, words_room, 3 * track.n + 1);
		word[n++] = is_known[p];
		for (uint32 i = 0; i < track.n; i++)
		{
			word[n++] = track.at[i].sight;
			word[n++] = track.spell[i];
			if (is_known[p])
				word[n++] = track.at[i].value;
		}
		number = tuple_number(numbers, word, n);
		array_reserve(living->peer, peers_room, number + 1);
		if (number == living->npeers)
			living->peer[living->npeers++] = (Peer) {
				.person = p, .is_known = is_known[p], .nspells = track.nspells
			};
		living->peer[number].n++;
		living->peer_of[p] = number;
	}
	tuple_numbers_free(numbers);
}

/* A cell, on the line of its peers and those of sights, where it has these values. */
static void
begin_cell(Living *living)
{
	array_reserve(living->first_through, living->cells_room, living->worlds.ncells + 2);
	array_reserve_zeros(living->people, living->people_room, living->worlds.ncells + 1);
	living->first_through[living->worlds.ncells++] = living->incidences;
}

static void
put_on_line(Living *living, uint64 line)
{
	array_reserve(living->through, living->through_room, living->incidences + 1);
	living->through[living->incidences++] = line;
	living->first_through[living->worlds.ncells] = living->incidences;
}

static uint64
line_of(const Living *living, uint32 sight, Code value)
{
	const Sight *at = &living->looking->sight[sight];

	return living->line[sight] + find_code(living->looking->value + at->first, at->n, value);
}

/* Makes a cell for each life that a track allows, spell by spell; values of the first so many spells are chosen. */
static void
find_lives(Living *living, uint32 number, const Track *track, uint32 spell, uint32 from, Code *value)
{
	const Looking *looking = living->looking;
	Peer	   *peer = &living->peer[number];
	const Sight *sight;
	uint32		end = from;

	if (living->is_cut)
		return;
	if (spell == track->nspells)
	{
		living->is_cut |= peer->ncells == MOST_LIVES;
		begin_cell(living);
		put_on_line(living, number);
		for (uint32 i = 0; i < track->n; i++)
			put_on_line(living, line_of(living, track->at[i].sight, value[track->spell[i]]));
		array_reserve(living->life, living->lives_room, living->nlives + spell);
		memcpy(living->life + living->nlives, value, sizeof(Code) * spell);
		living->nlives += spell;
		peer->ncells++;
		return;
	}
	sight = &looking->sight[track->at[from].sight];
	while (end < track->n && track->spell[end] == spell)
		end++;
	for (uint32 k = 0; k < sight->n; k++)
	{
		Code		v = looking->value[sight->first + k];
		bool		may_be = spell == 0 || sight->group != looking->sight[track->at[from - 1].sight].group ||
			may_become(looking, sight, value[spell - 1], v);

		for (uint32 i = from; i < end && may_be; i++)
			may_be = rows_showing(looking, &looking->sight[track->at[i].sight], v) > 0;
		if (!may_be)
			continue;
		value[spell] = v;
		find_lives(living, number, track, spell + 1, end, value);
	}
}

/* Cells of peers; those who are known have one. */
static void
make_cells(Living *living, uint32 number, Track *track)
{
	Peer	   *peer = &living->peer[number];
	Code	   *value;

	find_track(living->looking, peer->person, track);
	peer->first_cell = living->worlds.ncells;
	if (peer->is_known)
	{
		begin_cell(living);
		living->people[peer->first_cell] = peer->n;
		put_on_line(living, number);
		for (uint32 i = 0; i < track->n; i++)
			put_on_line(living, line_of(living, track->at[i].sight, track->at[i].value));
		peer->ncells = 1;
		return;
	}
	peer->first_life = living->nlives;
	value = new_array(Code, track->nspells);
	find_lives(living, number, track, 0, 0, value);
	pfree(value);
}

/* Counts a person in the cell of the life that was shown. */
static void
count_truth(Living *living, Individual person, Track *track)
{
	const Peer *peer = &living->peer[living->peer_of[person]];

	if (peer->is_known)
		return;
	find_track(living->looking, person, track);
	for (uint32 c = 0; c < peer->ncells; c++)
	{
		const Code *life = living->life + peer->first_life + (uint64) c * peer->nspells;
		uint32		i = 0;

		while (i < track->n && life[track->spell[i]] == track->at[i].value)
			i++;
		if (i == track->n)
		{
			living->people[peer->first_cell + c]++;
			return;
		}
	}
}

/* As many rows with each value as are not seated may stand in.  False if that is not what was shown. */
static bool
add_spare_cells(Living *living, uint32 *sum)
{
	const Looking *looking = living->looking;
	uint32	   *seated = new_zeros(uint32, living->worlds.nlines);
	bool		is_world = true;

	for (uint32 c = 0; c < living->worlds.ncells; c++)
		for (uint64 i = living->first_through[c]; i < living->first_through[c + 1]; i++)
			seated[living->through[i]] += living->people[c];
	for (uint32 s = 0; s < looking->nsights; s++)
	{
		const Sight *sight = &looking->sight[s];

		for (uint64 line = living->line[s]; line < living->line[s + 1]; line++)
		{
			uint64		v = sight->first + line - living->line[s];
			uint32		spare = looking->count[v] - seated[line];

			is_world &= looking->count[v] >= seated[line];
			sum[line] = looking->count[v];
			if (sight->nseated == sight->rows ||
				(sight->is_left && !sight[1].is_free && rows_showing(looking, sight + 1, looking->value[v]) > looking->count[v]))
				continue;
			begin_cell(living);
			living->people[living->worlds.ncells - 1] = spare;
			put_on_line(living, line);
		}
	}
	pfree(seated);
	return is_world;
}

/* Makes all cells and lines; false if there are too many, or what was shown keeps no rules. */
static bool
build(Living *living)
{
	const Looking *looking = living->looking;
	Worlds	   *worlds = &living->worlds;
	Track		track = {0};
	uint32	   *sum;
	bool		is_world;

	living->line = new_array(uint64, looking->nsights);
	worlds->nlines = living->npeers;
	for (uint32 s = 0; s < looking->nsights; s++)
	{
		living->line[s] = worlds->nlines;
		worlds->nlines += looking->is_searched[looking->sight[s].group] ? looking->sight[s].n : 0;
	}
	living->line[looking->nsights] = worlds->nlines;
	sum = new_zeros(uint32, worlds->nlines);
	for (uint32 number = 0; number < living->npeers && !living->is_cut; number++)
	{
		CHECK_FOR_INTERRUPTS();
		make_cells(living, number, &track);
		sum[number] = living->peer[number].n;
		living->is_cut |= (living->incidences + worlds->nlines) * BUILDING_STEPS > *living->budget ||
			living->incidences + worlds->nlines > PG_UINT32_MAX / 2;
	}
	if (living->is_cut)
		return false;
	*living->budget -= (living->incidences + worlds->nlines) * BUILDING_STEPS;
	for (Individual p = 0; p < looking->seen->npeople; p++)
		if (living->peer_of[p] != NO_NUMBER)
			count_truth(living, p, &track);
	is_world = add_spare_cells(living, sum);
	worlds->first_through = living->first_through;
	worlds->through = living->through;
	living->is_possible = new_zeros(bool, worlds->ncells);
	living->is_excluded = new_zeros(bool, worlds->ncells);
	worlds_begin(worlds, living->people, sum);
	return is_world && worlds->noff == 0;
}

/* ---- Worlds ---- */

static WorldFound
search(Living *living, uint32 cell, uint64 effort)
{
	WorldFound	found = NOT_KNOWN;

	CHECK_FOR_INTERRUPTS();
	if (*living->budget > 0)
	{
		found = worlds_search(&living->worlds, cell, Min(effort, *living->budget), living->is_possible);
		*living->budget -= Min(living->worlds.steps, *living->budget);
	}
	return found;
}

static inline const Code *
life_of(const Living *living, const Peer *peer, uint32 cell)
{
	return living->life + peer->first_life + (uint64) (cell - peer->first_cell) * peer->nspells;
}

/* Notes which values lives of the peers had in worlds; returns false if the cell's life has none but these. */
static bool
tells_more(Living *living, const Peer *peer, uint32 cell)
{
	uint64		nvalues = (uint64) living->looking->null + 1;
	bool		any = false;

	for (uint32 c = peer->first_cell; c < peer->first_cell + peer->ncells; c++)
		for (uint32 s = 0; s < peer->nspells && living->is_possible[c]; s++)
			living->was_found[s * nvalues + life_of(living, peer, c)[s]] = true;
	for (uint32 s = 0; s < peer->nspells; s++)
		any |= !living->was_found[s * nvalues + life_of(living, peer, cell)[s]];
	return any;
}

/* Looks for worlds with each value of each person. */
static void
decide(Living *living)
{
	uint64		nvalues = (uint64) living->looking->null + 1;
	bool		is_open = true;

	for (uint32 c = 0; c < living->worlds.ncells; c++)
		living->is_possible[c] |= living->worlds.cell[c].people > 0;
	for (uint64 effort = FIRST_EFFORT; is_open && *living->budget > 0; effort = more_effort(effort))
	{
		is_open = false;
		progress_phase("search peers", living->npeers);
		for (uint32 number = 0; number < living->npeers; number++)
		{
			const Peer *peer = &living->peer[number];

			array_reserve(living->was_found, living->found_room, peer->nspells * nvalues);
			memset(living->was_found, false, sizeof(bool) * peer->nspells * nvalues);
			for (uint32 c = peer->first_cell; c < peer->first_cell + peer->ncells && !peer->is_known; c++)
			{
				WorldFound	found;

				if (living->is_possible[c] || living->is_excluded[c] || !tells_more(living, peer, c))
					continue;
				found = search(living, c, effort);
				is_open |= found == NOT_KNOWN;
				living->is_excluded[c] = found == IMPOSSIBLE;
				if (living->is_excluded[c])
					worlds_exclude(&living->worlds, c);
			}
			progress_step(1);
		}
	}
}

/* ---- Conclusions ---- */

/* The values of a spell that no search has excluded; all that the sights have in common where there was none. */
static void
conclude_spell(const Living *living, const Peer *peer, const Track *track, uint32 from, Spell *spell)
{
	const Looking *looking = living->looking;
	const Sight *sight = &looking->sight[track->at[from].sight];
	uint32		number = track->spell[from];

	*spell = (Spell) {
		.release = sight->release, .group = sight->group, .nrows = PG_UINT64_MAX, .candidate = new_array(Code, sight->n), .is_exact = true
	};
	for (uint32 k = 0; k < sight->n; k++)
	{
		Code		v = looking->value[sight->first + k];
		bool		is_left = peer == NULL || living->is_cut;
		bool		is_possible = peer == NULL;

		for (uint32 i = from; i < track->n && track->spell[i] == number; i++)
		{
			const Sight *at = &looking->sight[track->at[i].sight];

			is_left &= rows_showing(looking, at, v) > 0;
			spell->nshown = Max(spell->nshown, at->n);
		}
		for (uint32 c = 0; peer != NULL && !living->is_cut && c < peer->ncells; c++)
		{
			uint32		cell = peer->first_cell + c;

			if (peer->is_known ? track->at[from].value != v : life_of(living, peer, cell)[number] != v)
				continue;
			is_left |= !living->is_excluded[cell];
			is_possible |= peer->is_known || living->is_possible[cell];
		}
		if (!is_left)
			continue;
		spell->candidate[spell->n++] = v;
		spell->is_exact &= is_possible;
	}
	for (uint32 i = from; i < track->n && track->spell[i] == number; i++)
	{
		uint64		nrows = 0;

		for (uint32 k = 0; k < spell->n; k++)
			nrows += rows_showing(looking, &looking->sight[track->at[i].sight], spell->candidate[k]);
		spell->nrows = Min(spell->nrows, nrows);
	}
}

/* Lists the spells of all people; peers share the values. */
static PlacesDeduction *
conclude(const Living *living, const bool *is_known)
{
	const Looking *looking = living->looking;
	uint64		npeople = looking->seen->npeople;
	PlacesDeduction *deduction = palloc(sizeof(PlacesDeduction));
	uint64	   *spells_of = new_array(uint64, living->npeers);	/* the first one's, or NOT_SHOWN */
	uint64		room = 0;
	Track		track = {0};

	*deduction = (PlacesDeduction) {.first = new_zeros(uint64, npeople), .is_known = is_known};
	memset(spells_of, 0xff, sizeof(uint64) * living->npeers);
	for (Individual p = 0; p < npeople; p++)
	{
		uint32		number = living->peer_of[p];
		uint64		first = deduction->first[p];

		CHECK_FOR_INTERRUPTS();
		find_track(looking, p, &track);
		array_reserve(deduction->spell, room, first + track.nspells);
		for (uint32 i = 0; i < track.n; i++)
		{
			Spell	   *spell = &deduction->spell[first + track.spell[i]];

			if (i > 0 && track.spell[i] == track.spell[i - 1])
				continue;
			if (number != NO_NUMBER && spells_of[number] != NOT_SHOWN)
				*spell = deduction->spell[spells_of[number] + track.spell[i]];
			else
				conclude_spell(living, number == NO_NUMBER ? NULL : &living->peer[number], &track, i, spell);
		}
		if (number != NO_NUMBER && spells_of[number] == NOT_SHOWN)
			spells_of[number] = first;
		deduction->first[p + 1] = first + track.nspells;
	}
	return deduction;
}

PlacesDeduction *
deduce_by_places(const Seen *seen, const Individual *known, uint64 nknown, uint64 *budget)
{
	Looking    *looking = palloc0(sizeof(Looking));
	Living		living = {.looking = looking, .budget = budget};
	bool	   *is_known = new_zeros(bool, seen->npeople);

	looking->seen = seen;
	looking->null = seen->nvalues;
	looking->is_ruled = true;
	progress_phase("look at classes", NO_TOTAL);
	if (!look(looking))
		return NULL;
	for (uint64 i = 0; i < nknown; i++)
	{
		is_known[known[i]] = true;
		for (uint64 s = looking->first_sitting[known[i]]; s < looking->first_sitting[known[i] + 1]; s++)
			looking->is_searched[looking->sitting[looking->sitting_of[s]].group] = true;
	}
	find_peers(&living, is_known);
	if (living.npeers > 0 && build(&living))
		decide(&living);
	else
		living.is_cut = living.npeers > 0;
	return conclude(&living, is_known);
}
