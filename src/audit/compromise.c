/*
 * compromise.c
 *		Looking for worlds in which people have other values than they have.
 *
 * NOTES
 *		A life of a person is one value for each spell: while the value cannot have changed.  People with the same sights are
 *		peers.  Those of them who have a life are a cell of audit/worlds.h; lines are peers, and the rows of a sight with a
 *		value.  Rows of a sight at which nobody sits are spare cells.  The truth is a world.
 *
 *		Long lives would be too many.  So there are cells for some spells in a row, the last of which is the first one of the
 *		next stretch; lines say that as many have a value there by the one as by the other.
 *
 *		What follows from the numbers on single lines is found first, so values all of whose rows are known to be some
 *		people's are excluded for others without a search (ct-pvr).
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/worlds.h"
#include "frame/arrays.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "shared/progress.h"

#define LONGEST			4		/* spells of a stretch, the last of which is the first one of the next */
#define NO_LINE			PG_UINT64_MAX
#define NO_SPELL		PG_UINT64_MAX

/* Where a person was, sight by sight. */
typedef struct Track
{
	uint32		n;
	uint32		room;
	Seated	   *at;
	uint32		nspells;
	uint32	   *spell;			/* [n] */
	uint32		spell_room;
} Track;

/* People of whom observers know the same. */
typedef struct Peer
{
	Individual	person;			/* any of them */
	uint32		n;
	bool		is_known;
	bool		is_invented;	/* where observers make a difference, else false */
	uint32		nspells;
	uint64		first_stretch;
} Peer;

/* Some of the spells of peers: lives of all of them would be too many. */
typedef struct Stretch
{
	uint32		peer;
	uint32		first_spell;
	uint32		nspells;
	uint64		joint;			/* the first line of those with a value at the last spell, and then of those without;
								 * or NO_LINE */
	uint64		first_life;		/* life_of() its cells */
	uint32		first_cell;
	uint32		ncells;
} Stretch;

/*
 * Observers who know that invented rows only have values that are known: what the first release of each value says.
 *
 * In its first release a true row has the value.  So of the rows that show it there, one less than all are invented, at most.
 * That says something where its classes have as many invented rows as rows with the value: then it is a cover, and a line, with
 * a spare cell for as many as they are fewer.  Not where no true row has it: there, observers are wrong.
 */
typedef struct Cover
{
	int32		release;		/* that shows the value first, or -1 */
	bool		is_true;		/* does a true row have it? */
	bool		is_plain;		/* has a class too few invented rows for it? */
	uint32		rows;
	uint64		line;			/* or NO_LINE */
} Cover;

typedef struct Living
{
	Sights		sights;
	uint64		budget;
	const bool *is_known;		/* [people] */
	bool	   *is_invented;	/* [people] where observers make a difference, else NULL */
	Cover	   *cover;			/* [values] likewise */

	uint32		npeers;
	Peer	   *peer;
	uint32	   *peer_of;		/* [people] or NO_NUMBER */
	uint32		nstretches;
	uint32		stretches_room;
	Stretch    *stretch;		/* peer by peer */
	uint64		nlives;
	uint64		lives_room;
	Code	   *life;
	bool		is_cut;			/* were there too many? */

	Worlds		worlds;
	uint64	   *line;			/* [sights + 1] the first line of each; lines of stretches come before, covers and
								 * joints behind */
	uint32		cells_room;
	uint64	   *first_through;
	uint64		incidences;
	uint64		through_room;
	uint32	   *through;
	uint32		people_room;
	uint32	   *people;
	bool	   *is_possible;	/* [cells] */
	bool	   *was_found;		/* spell by spell, value by value, of the peers at hand */
	uint64		found_room;
} Living;

/* ---- Peers ---- */

/* A spell goes on at the next place if the value has not changed: observers suppose that it does not. */
static void
find_track(const Sights *sights, Individual person, Track *track)
{
	track->n = sights->first_seated[person + 1] - sights->first_seated[person];
	array_reserve(track->at, track->room, track->n);
	array_reserve(track->spell, track->spell_room, track->n);
	track->nspells = 0;
	for (uint32 i = 0; i < track->n; i++)
	{
		const Seated *at = &track->at[i];
		const Sight *sight;
		bool		is_same;

		track->at[i] = sights->seated[sights->seated_of[sights->first_seated[person] + i]];
		sight = &sights->sight[at->sight];
		is_same = i > 0 && (sight->group == sights->sight[at[-1].sight].group ? sight->previous == NO_SIGHT : at->value == at[-1].value);
		track->nspells += !is_same;
		track->spell[i] = track->nspells - 1;
	}
}

/* Puts people into peers, by their sights and spells; those who are known, by what was shown, too. */
static void
find_peers(Living *living)
{
	const Sights *sights = &living->sights;
	TupleNumbers *numbers = tuple_numbers_create(ANY_WIDTH);
	Track		track = {0};
	uint32		words_room = 0;
	uint32	   *word = NULL;
	uint32		peers_room = 0;

	living->peer_of = new_array(uint32, sights->npeople);
	for (Individual p = 0; p < sights->npeople; p++)
	{
		bool		is_invented = living->is_invented != NULL && living->is_invented[p];
		uint32		n = 0;
		uint32		number;

		living->peer_of[p] = NO_NUMBER;
		if (sights->first_seated[p] == sights->first_seated[p + 1] || (sights->is_searched != NULL && !sights->is_searched[p]))
			continue;
		CHECK_FOR_INTERRUPTS();
		find_track(sights, p, &track);
		array_reserve(word, words_room, 3 * track.n + 1);
		word[n++] = living->is_known[p] * 2 + is_invented;
		for (uint32 i = 0; i < track.n; i++)
		{
			word[n++] = track.at[i].sight;
			word[n++] = track.spell[i];
			if (living->is_known[p])
				word[n++] = track.at[i].value;
		}
		number = tuple_number(numbers, word, n);
		array_reserve(living->peer, peers_room, number + 2);
		if (number == living->npeers)
			living->peer[living->npeers++] = (Peer) {
				.person = p, .is_known = living->is_known[p], .is_invented = is_invented, .nspells = track.nspells
			};
		living->peer[number].n++;
		living->peer_of[p] = number;
	}
	tuple_numbers_free(numbers);
}

/* ---- Covers ---- */

/* Finds invented rows, and what first releases say; the lines of covers come next. */
static void
find_covers(Living *living)
{
	const Sights *sights = &living->sights;
	const Seen *seen = sights->seen;
	uint32	   *invented = new_zeros(uint32, sights->n);

	living->is_invented = new_array(bool, sights->npeople);
	memset(living->is_invented, true, sizeof(bool) * sights->npeople);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint64 i = 0; i < seen->release[r].first[seen->release[r].nclasses]; i++)
			living->is_invented[seen->release[r].individual[i]] &= seen->release[r].counterfeit[i];
	for (Individual p = 0; p < sights->npeople; p++)
		for (uint64 i = sights->first_seated[p]; i < sights->first_seated[p + 1]; i++)
			invented[sights->seated[sights->seated_of[i]].sight] += living->is_invented[p];
	living->cover = new_array(Cover, sights->null + 1);
	for (Code v = 0; v <= sights->null; v++)
		living->cover[v] = (Cover) {.release = -1, .line = NO_LINE};
	for (uint32 s = 0; s < sights->n; s++)
		for (uint64 i = sights->sight[s].first; i < sights->sight[s].first + sights->sight[s].n; i++)
		{
			Cover	   *cover = &living->cover[sights->value[i]];

			if (cover->release < 0)
				cover->release = sights->sight[s].at.release;
			if (cover->release != sights->sight[s].at.release)
				continue;
			cover->is_plain |= sights->count[i] > invented[s];
			cover->rows += sights->count[i];
		}
	for (Individual p = 0; p < sights->npeople; p++)
		for (uint64 i = sights->first_seated[p]; i < sights->first_seated[p + 1] && !living->is_invented[p]; i++)
		{
			const Seated *seated = &sights->seated[sights->seated_of[i]];

			living->cover[seated->value].is_true |= living->cover[seated->value].release == sights->sight[seated->sight].at.release;
		}
	pfree(invented);
}

/* ---- Lives as cells ---- */

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

/* May a row that showed the first value at one sight show the second at the next, if no more change than must? */
static bool
may_become(const Sights *sights, const Sight *sight, Code before, Code after)
{
	const Sight *previous;

	if (before == after || sight->previous == NO_SIGHT || sight->is_free)
		return true;
	previous = &sights->sight[sight->previous];
	return rows_showing(sights, previous, before) > rows_showing(sights, sight, before) &&
		rows_showing(sights, previous, after) < rows_showing(sights, sight, after);
}

/* The sight at which a spell begins, as a place in the track. */
static uint32
begin_of(const Track *track, uint32 spell)
{
	uint32		i = 0;

	while (track->spell[i] < spell)
		i++;
	return i;
}

/* Finds the line, of a joint, of those who have a value at a spell. */
static uint64
line_at_joint(const Living *living, const Stretch *stretch, const Track *track, uint32 spell, Code value, bool is_after)
{
	const Sight *sight = &living->sights.sight[track->at[begin_of(track, spell)].sight];

	return stretch->joint + find_code(living->sights.value + sight->first, sight->n, value) + (is_after ? sight->n : 0);
}

/* Makes a cell for each life that a track allows in a stretch, spell by spell; values of those before a spell are chosen. */
static void
find_lives(Living *living, Stretch *stretch, const Track *track, uint32 spell, Code *value)
{
	const Sights *sights = &living->sights;
	const Peer *peer = &living->peer[stretch->peer];
	uint32		end = stretch->first_spell + stretch->nspells;
	uint32		from;
	const Sight *sight;

	if (spell == end)
	{
		begin_cell(living);
		put_on_line(living, stretch - living->stretch);
		for (uint32 i = 0; i < track->n; i++)
			if (track->spell[i] >= stretch->first_spell + (stretch->first_spell > 0) && track->spell[i] < end)
			{
				Code		v = value[track->spell[i]];
				const Cover *cover = living->cover == NULL ? NULL : &living->cover[v];

				/* On the line of the sight for the value, and on that of its cover */
				sight = &sights->sight[track->at[i].sight];
				put_on_line(living, living->line[track->at[i].sight] + find_code(sights->value + sight->first, sight->n, v));
				if (peer->is_invented && cover->line != NO_LINE && cover->release == sight->at.release)
					put_on_line(living, cover->line);
			}
		if (stretch->first_spell > 0)
			put_on_line(living, line_at_joint(living, stretch - 1, track, stretch->first_spell, value[stretch->first_spell], true));
		if (stretch->joint != NO_LINE)
			put_on_line(living, line_at_joint(living, stretch, track, end - 1, value[end - 1], false));
		array_reserve(living->life, living->lives_room, living->nlives + stretch->nspells);
		memcpy(living->life + living->nlives, value + stretch->first_spell, sizeof(Code) * stretch->nspells);
		living->nlives += stretch->nspells;
		stretch->ncells++;
		return;
	}
	from = begin_of(track, spell);
	sight = &sights->sight[track->at[from].sight];
	for (uint32 k = 0; k < sight->n; k++)
	{
		Code		v = sights->value[sight->first + k];
		bool		may_be = spell == stretch->first_spell || sight->group != sights->sight[track->at[from - 1].sight].group ||
			may_become(sights, sight, value[spell - 1], v);

		for (uint32 i = from + 1; i < track->n && track->spell[i] == spell && may_be; i++)
			may_be = rows_showing(sights, &sights->sight[track->at[i].sight], v) > 0;
		if (!may_be || (peer->is_known && v != track->at[from].value))
			continue;
		value[spell] = v;
		find_lives(living, stretch, track, spell + 1, value);
	}
}

static inline const Code *
life_of(const Living *living, const Stretch *stretch, uint32 cell)
{
	return living->life + stretch->first_life + (uint64) (cell - stretch->first_cell) * stretch->nspells;
}

/* Counts a person in the cells of the life that was shown. */
static void
count_truth(Living *living, Individual person, Track *track)
{
	const Peer *peer = &living->peer[living->peer_of[person]];

	find_track(&living->sights, person, track);
	for (uint64 n = peer->first_stretch; n < peer[1].first_stretch; n++)
	{
		const Stretch *stretch = &living->stretch[n];
		uint32		c = stretch->first_cell;
		uint32		s = 0;

		while (c < stretch->first_cell + stretch->ncells && s < stretch->nspells)
			if (life_of(living, stretch, c)[s] == track->at[begin_of(track, stretch->first_spell + s)].value)
				s++;
			else
			{
				c++;
				s = 0;
			}
		living->people[c] += s == stretch->nspells;
	}
}

/* Of each two stretches as many have a value at the spell that they share. */
static void
add_joint_cells(Living *living, const uint32 *seated, uint32 *sum)
{
	Track		track = {0};

	for (uint32 n = 0; n < living->nstretches; n++)
	{
		const Stretch *stretch = &living->stretch[n];
		const Peer *peer = &living->peer[stretch->peer];
		uint32		nvalues;

		sum[n] = peer->n;
		if (stretch->joint == NO_LINE)
			continue;
		find_track(&living->sights, peer->person, &track);
		nvalues = living->sights.sight[track.at[begin_of(&track, stretch->first_spell + stretch->nspells - 1)].sight].n;
		for (uint32 k = 0; k < nvalues; k++)
		{
			begin_cell(living);
			living->people[living->worlds.ncells - 1] = peer->n - seated[stretch->joint + k];
			put_on_line(living, stretch->joint + k);
			put_on_line(living, stretch->joint + nvalues + k);
			sum[stretch->joint + k] = sum[stretch->joint + nvalues + k] = peer->n;
		}
	}
}

/* Rows that are not seated may have any value that is left; covers have as many rows to spare as are not invented. */
static void
add_spare_cells(Living *living, uint32 *sum)
{
	const Sights *sights = &living->sights;
	uint32	   *seated = new_zeros(uint32, living->worlds.nlines);

	for (uint32 c = 0; c < living->worlds.ncells; c++)
		for (uint64 i = living->first_through[c]; i < living->first_through[c + 1]; i++)
			seated[living->through[i]] += living->people[c];
	for (uint32 s = 0; s < sights->n; s++)
	{
		const Sight *sight = &sights->sight[s];

		for (uint64 line = living->line[s]; line < living->line[s + 1]; line++)
		{
			uint64		v = sight->first + line - living->line[s];

			sum[line] = sights->count[v];
			if (sight->nseated == sight->rows ||
				(sight->is_left && !sight[1].is_free && rows_showing(sights, sight + 1, sights->value[v]) > sights->count[v]))
				continue;
			begin_cell(living);
			living->people[living->worlds.ncells - 1] = sum[line] - seated[line];
			put_on_line(living, line);
		}
	}
	for (Code v = 0; v <= sights->null && living->cover != NULL; v++)
	{
		const Cover *cover = &living->cover[v];

		if (cover->line == NO_LINE)
			continue;
		begin_cell(living);
		sum[cover->line] = cover->rows - 1;
		living->people[living->worlds.ncells - 1] = sum[cover->line] - seated[cover->line];
		put_on_line(living, cover->line);
	}
	add_joint_cells(living, seated, sum);
	pfree(seated);
}

/* Makes all cells and lines; false if there are too many, or what was shown keeps no rules. */
static bool
build(Living *living)
{
	const Sights *sights = &living->sights;
	Worlds	   *worlds = &living->worlds;
	Track		track = {0};
	uint64		nlines;
	bool	   *is_searched = new_zeros(bool, sights->n);
	uint32	   *sum;

	living->line = new_array(uint64, sights->n);
	for (uint32 number = 0; number < living->npeers; number++)
	{
		find_track(sights, living->peer[number].person, &track);
		for (uint32 i = 0; i < track.n; i++)
			is_searched[track.at[i].sight] = true;
		living->peer[number].first_stretch = living->nstretches;
		for (uint32 spell = 0; spell == 0 || spell + 1 < track.nspells; spell += LONGEST - 1)
		{
			array_reserve(living->stretch, living->stretches_room, living->nstretches + 1);
			living->stretch[living->nstretches++] = (Stretch) {
				.peer = number, .first_spell = spell, .nspells = Min(LONGEST, track.nspells - spell), .joint = NO_LINE
			};
		}
	}
	living->peer[living->npeers].first_stretch = nlines = living->nstretches;
	for (uint32 s = 0; s < sights->n; s++)
	{
		living->line[s] = nlines;
		nlines += is_searched[s] ? sights->sight[s].n : 0;
	}
	pfree(is_searched);
	living->line[sights->n] = nlines;
	for (Code v = 0; v <= sights->null && living->cover != NULL; v++)
		if (living->cover[v].release >= 0 && !living->cover[v].is_plain && living->cover[v].is_true)
			living->cover[v].line = nlines++;
	for (uint32 n = 0; n < living->nstretches && !living->is_cut; n++)
	{
		Stretch    *stretch = &living->stretch[n];
		Code	   *value;

		CHECK_FOR_INTERRUPTS();
		find_track(sights, living->peer[stretch->peer].person, &track);
		if (stretch->first_spell + stretch->nspells < track.nspells)
		{
			stretch->joint = nlines;
			nlines += 2 * sights->sight[track.at[begin_of(&track, stretch->first_spell + stretch->nspells - 1)].sight].n;
		}
		stretch->first_cell = worlds->ncells;
		stretch->first_life = living->nlives;
		value = new_array(Code, track.nspells);
		find_lives(living, stretch, &track, stretch->first_spell, value);
		pfree(value);
		living->is_cut |= living->incidences + nlines > PG_UINT32_MAX / 2;
	}
	if (living->is_cut)
		return false;
	for (Individual p = 0; p < sights->npeople; p++)
		if (living->peer_of[p] != NO_NUMBER)
			count_truth(living, p, &track);
	worlds->nlines = nlines;
	sum = new_zeros(uint32, nlines);
	add_spare_cells(living, sum);
	worlds->first_through = living->first_through;
	worlds->through = living->through;
	living->is_possible = new_zeros(bool, worlds->ncells);
	worlds_begin(worlds, living->people, sum);
	return worlds->noff == 0;
}

/* ---- Worlds ---- */

/* Has the cell's life a value that no life had in a world? */
static bool
tells_more(Living *living, const Stretch *stretch, uint32 cell)
{
	uint64		nvalues = (uint64) living->sights.null + 1;
	bool		any = false;

	for (uint32 s = 0; s < stretch->nspells; s++)
		any |= !living->was_found[s * nvalues + life_of(living, stretch, cell)[s]];
	return any;
}

/* Notes which values lives had in worlds, or forgets them. */
static void
note_found(Living *living, const Stretch *stretch, bool found)
{
	uint64		nvalues = (uint64) living->sights.null + 1;

	array_reserve_zeros(living->was_found, living->found_room, stretch->nspells * nvalues);
	for (uint32 c = stretch->first_cell; c < stretch->first_cell + stretch->ncells; c++)
		for (uint32 s = 0; s < stretch->nspells && living->is_possible[c]; s++)
			living->was_found[s * nvalues + life_of(living, stretch, c)[s]] = found;
}

/* Looks for worlds with each value of a stretch; is there one of which it is still not known? */
static bool
search_stretch(Living *living, const Stretch *stretch, uint64 effort)
{
	bool		is_open = false;

	note_found(living, stretch, true);
	for (uint32 c = stretch->first_cell; c < stretch->first_cell + stretch->ncells; c++)
	{
		WorldFound	found = NOT_KNOWN;

		if (living->is_possible[c] || living->worlds.cell[c].most == 0 || !tells_more(living, stretch, c))
			continue;
		CHECK_FOR_INTERRUPTS();
		if (living->budget > 0)
		{
			found = worlds_search(&living->worlds, c, Min(effort, living->budget), living->is_possible);
			living->budget -= Min(living->worlds.steps, living->budget);
		}
		is_open |= found == NOT_KNOWN;
		if (found == POSSIBLE)
			note_found(living, stretch, true);
		else if (found == IMPOSSIBLE)
		{
			worlds_exclude(&living->worlds, c);
			worlds_narrow(&living->worlds, c);
		}
	}
	note_found(living, stretch, false);
	return is_open;
}

/* Stretches of fewer lives come first: a search among many must not leave nothing for them. */
static uint32 *
order_stretches(const Living *living)
{
	uint32	   *bits = new_array(uint32, living->nstretches);
	uint64	   *first;
	uint32	   *order;

	for (uint32 number = 0; number < living->nstretches; number++)
		bits[number] = pg_leftmost_one_pos64((uint64) living->stretch[number].ncells + 1);
	list_by_group(bits, living->nstretches, 64, &first, &order);
	pfree(bits);
	pfree(first);
	return order;
}

/* Short searches come first, wherever they are needed. */
static void
decide(Living *living)
{
	uint32	   *order = order_stretches(living);
	bool		is_open = true;

	progress_phase("follow what is known", NO_TOTAL);
	worlds_narrow(&living->worlds, NO_CELL);
	for (uint32 c = 0; c < living->worlds.ncells; c++)
		living->is_possible[c] |= living->worlds.cell[c].people > 0;
	for (uint64 effort = FIRST_EFFORT; is_open; effort = more_effort(effort))
	{
		is_open = false;
		progress_phase("search people", living->nstretches);
		for (uint32 i = 0; i < living->nstretches; i++)
		{
			is_open |= search_stretch(living, &living->stretch[order[i]], effort);
			progress_step(1);
		}
		if (living->budget == 0)
			break;
	}
	pfree(order);
}

/* ---- Conclusions ---- */

/* The values of a spell that no search has excluded; all that the sights have in common where there was none. */
static void
conclude_spell(const Living *living, const Peer *peer, const Track *track, uint32 from, Spell *spell)
{
	const Sights *sights = &living->sights;
	const Sight *sight = &sights->sight[track->at[from].sight];
	uint32		number = track->spell[from];
	const Stretch *stretch = peer == NULL || living->is_cut ? NULL :
		&living->stretch[peer->first_stretch + (number == 0 ? 0 : (number - 1) / (LONGEST - 1))];

	*spell = (Spell) {
		.release = sight->at.release, .class = sight->at.class, .nrows = PG_UINT64_MAX, .candidate = new_array(Code, sight->n), .is_exact = true
	};
	for (uint32 k = 0; k < sight->n; k++)
	{
		Code		v = sights->value[sight->first + k];
		bool		is_left = peer == NULL || living->is_cut;
		bool		is_possible = peer == NULL;

		for (uint32 i = from; i < track->n && track->spell[i] == number; i++)
		{
			is_left &= rows_showing(sights, &sights->sight[track->at[i].sight], v) > 0;
			spell->nshown = Max(spell->nshown, sights->sight[track->at[i].sight].n);
		}
		for (uint32 c = 0; stretch != NULL && c < stretch->ncells; c++)
		{
			uint32		cell = stretch->first_cell + c;

			if (life_of(living, stretch, cell)[number - stretch->first_spell] != v)
				continue;
			is_left |= living->worlds.cell[cell].most > 0;
			is_possible |= living->is_possible[cell];
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
			nrows += rows_showing(sights, &sights->sight[track->at[i].sight], spell->candidate[k]);
		spell->nrows = Min(spell->nrows, nrows);
	}
}

/* Lists the spells of all people; peers share the values. */
static Deduction *
conclude(const Living *living)
{
	const Sights *sights = &living->sights;
	Deduction  *deduction = palloc0(sizeof(Deduction));
	uint64	   *spells_of = new_array(uint64, living->npeers);	/* the first one's, or NO_SPELL */
	uint64		room = 0;
	Track		track = {0};

	deduction->first = new_zeros(uint64, sights->npeople);
	memset(spells_of, 0xff, sizeof(uint64) * living->npeers);
	for (Individual p = 0; p < sights->npeople; p++)
	{
		uint32		number = living->peer_of[p];
		uint64		first = deduction->first[p];

		CHECK_FOR_INTERRUPTS();
		find_track(sights, p, &track);
		array_reserve(deduction->spell, room, first + track.nspells);
		for (uint32 i = 0; i < track.n; i++)
		{
			Spell	   *spell = &deduction->spell[first + track.spell[i]];

			if (i > 0 && track.spell[i] == track.spell[i - 1])
				continue;
			if (number != NO_NUMBER && spells_of[number] != NO_SPELL)
				*spell = deduction->spell[spells_of[number] + track.spell[i]];
			else
				conclude_spell(living, number == NO_NUMBER ? NULL : &living->peer[number], &track, i, spell);
		}
		if (number != NO_NUMBER && spells_of[number] == NO_SPELL)
			spells_of[number] = first;
		deduction->first[p + 1] = first + track.nspells;
	}
	return deduction;
}

Deduction *
deduce(const Seen *seen, const Individual *known, uint64 nknown, int observer, uint64 budget)
{
	Living		living = {.budget = budget};
	bool	   *is_known;

	progress_phase("look at classes", NO_TOTAL);
	if (!sights_of(seen, known, nknown, &living.sights))
		return NULL;
	living.is_known = is_known = new_zeros(bool, living.sights.npeople);
	for (uint64 i = 0; i < nknown; i++)
		is_known[known[i]] = true;
	if (observer & KNOWS_INVENTIONS)
		find_covers(&living);
	find_peers(&living);
	if (living.npeers > 0)
		living.is_cut = !build(&living);
	if (living.npeers > 0 && !living.is_cut && (observer & LOOKS_AT_EACH_ALONE) == 0)
		decide(&living);
	return conclude(&living);
}
