/*
 * worlds.c
 *		Searching for worlds, from one that is known.
 *
 * NOTES
 *		Where a cell has changed, the lines that it is on are off by that.  They are put right by other cells on them,
 *		which may put others off: until none is, or there is nothing left to try.  A cell that was tried in vain does
 *		not change in that direction any more while others are: so nothing is tried twice, and a search that ends has
 *		tried all.
 */
#include "audit/worlds.h"

#include "frame/arrays.h"
#include "miscadmin.h"

#define NOWHERE			PG_UINT32_MAX

/* A cell before it was changed */
typedef struct CellChange
{
	uint32		cell;
	WorldCell	was;
} CellChange;

/* A line that is put right: one cell on it is tried after the other */
typedef struct LineTrial
{
	uint32		line;
	uint64		begin;			/* of the changes that are its own */
	uint64		moved;			/* the change that is tried */
	bool		is_moved;
} LineTrial;

/* Keeps the list of lines that are off in step with a line's balance. */
static inline void
note_balance(Worlds *worlds, uint32 l)
{
	WorldLine  *line = &worlds->line[l];

	if (line->off != 0 && line->place == NOWHERE)
	{
		line->place = worlds->noff;
		worlds->off[worlds->noff++] = l;
	}
	else if (line->off == 0 && line->place != NOWHERE)
	{
		uint32		last = worlds->off[--worlds->noff];

		worlds->off[line->place] = last;
		worlds->line[last].place = line->place;
		line->place = NOWHERE;
	}
}

/* Sets a cell, and the sums of the lines through it. */
static void
set_cell(Worlds *worlds, uint32 c, WorldCell cell)
{
	WorldCell	was = worlds->cell[c];

	for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
	{
		WorldLine  *line = &worlds->line[worlds->through[i]];

		line->off += (int64) cell.people - was.people;
		line->up += (uint64) (cell.most - cell.people) - (was.most - was.people);
		line->down += (uint64) (cell.people - cell.least) - (was.people - was.least);
		note_balance(worlds, worlds->through[i]);
	}
	worlds->cell[c] = cell;
	worlds->steps += worlds->first_through[c + 1] - worlds->first_through[c];
}

/* Sets a cell so that it can be taken back. */
static void
change_cell(Worlds *worlds, uint32 c, WorldCell cell)
{
	array_reserve(worlds->change, worlds->room_for_changes, worlds->nchanges + 1);
	worlds->change[worlds->nchanges++] = (CellChange) {c, worlds->cell[c]};
	set_cell(worlds, c, cell);
}

/* Undoes changes of cells, the latest first, until only the first nchanges are left. */
static void
take_back(Worlds *worlds, uint64 nchanges)
{
	while (worlds->nchanges > nchanges)
	{
		const CellChange *change = &worlds->change[--worlds->nchanges];

		set_cell(worlds, change->cell, change->was);
	}
}

void
worlds_exclude(Worlds *worlds, uint32 cell)
{
	set_cell(worlds, cell, (WorldCell) {0, 0, 0});
}

/* Lines through a cell whose bounds have changed are looked at again. */
static void
wait_for_lines(Worlds *worlds, uint32 c, uint32 *nwaiting)
{
	for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
	{
		uint32		l = worlds->through[i];

		if (!worlds->is_waiting[l])
			worlds->waiting[(*nwaiting)++] = l;
		worlds->is_waiting[l] = true;
	}
}

void
worlds_narrow(Worlds *worlds, uint32 cell)
{
	uint32		nwaiting = 0;

	if (worlds->is_waiting == NULL)
	{
		worlds->is_waiting = new_zeros(bool, worlds->nlines);
		worlds->waiting = new_array(uint32, worlds->nlines);
	}
	for (uint32 c = cell == NO_CELL ? 0 : cell; c < (cell == NO_CELL ? worlds->ncells : cell + 1); c++)
		wait_for_lines(worlds, c, &nwaiting);
	while (nwaiting > 0)
	{
		uint32		l = worlds->waiting[--nwaiting];
		const WorldLine *line = &worlds->line[l];

		CHECK_FOR_INTERRUPTS();
		worlds->is_waiting[l] = false;
		for (uint64 i = worlds->first_on[l]; i < worlds->first_on[l + 1]; i++)
		{
			WorldCell	was = worlds->cell[worlds->on[i]];
			uint64		others_up = line->up - (was.most - was.people);
			uint64		others_down = line->down - (was.people - was.least);
			WorldCell	now = was;

			now.most = Min(was.most, was.people + others_down);
			now.least = was.people > others_up ? Max(was.least, was.people - others_up) : was.least;
			if (now.most == was.most && now.least == was.least)
				continue;
			set_cell(worlds, worlds->on[i], now);
			wait_for_lines(worlds, worlds->on[i], &nwaiting);
		}
	}
}

void
worlds_begin(Worlds *worlds, const uint32 *people, const uint32 *sum)
{
	uint64		incidences = worlds->first_through[worlds->ncells];
	uint64	   *filled;

	worlds->cell = new_array(WorldCell, worlds->ncells);
	worlds->line = new_zeros(WorldLine, worlds->nlines);
	worlds->first_on = new_zeros(uint64, worlds->nlines);
	worlds->on = new_array(uint32, incidences);
	worlds->off = new_array(uint32, worlds->nlines);
	worlds->noff = worlds->nchanges = worlds->room_for_changes = worlds->room_for_trials = 0;
	worlds->change = NULL;
	worlds->is_waiting = NULL;
	worlds->trial = NULL;
	array_reserve(worlds->change, worlds->room_for_changes, 64);
	array_reserve(worlds->trial, worlds->room_for_trials, 64);

	/* The cells on each line, from the lines through each cell */
	for (uint64 i = 0; i < incidences; i++)
		worlds->first_on[worlds->through[i] + 1]++;
	for (uint32 l = 0; l < worlds->nlines; l++)
		worlds->first_on[l + 1] += worlds->first_on[l];
	filled = new_array(uint64, worlds->nlines);
	memcpy(filled, worlds->first_on, sizeof(uint64) * worlds->nlines);
	for (uint32 c = 0; c < worlds->ncells; c++)
	{
		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
		{
			WorldLine  *line = &worlds->line[worlds->through[i]];

			worlds->on[filled[worlds->through[i]]++] = c;
			line->off += people[c];
			line->down += people[c];
		}
	}
	pfree(filled);

	/* In no world does a cell have more people than any of its lines */
	for (uint32 c = 0; c < worlds->ncells; c++)
	{
		uint32		most = PG_UINT32_MAX;

		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
		{
			uint64		of_line = sum == NULL ? worlds->line[worlds->through[i]].down : sum[worlds->through[i]];

			most = Min(most, of_line);
		}
		worlds->cell[c] = (WorldCell) {people[c], 0, most};
		for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
			worlds->line[worlds->through[i]].up += most - people[c];
	}
	for (uint32 l = 0; l < worlds->nlines; l++)
	{
		worlds->line[l].place = NOWHERE;
		worlds->line[l].off -= sum == NULL ? worlds->line[l].off : (int64) sum[l];
		note_balance(worlds, l);
	}
}

static inline uint64
room_of(const WorldLine *line)
{
	return line->off < 0 ? line->up : line->down;
}

static inline uint64
need_of(const WorldLine *line)
{
	return line->off < 0 ? -line->off : line->off;
}

/* The line that is off with the fewest ways to put it right; false if there is one without any. */
static bool
choose_line(Worlds *worlds, uint32 *chosen)
{
	*chosen = worlds->off[0];
	for (uint32 i = 0; i < worlds->noff; i++)
	{
		const WorldLine *line = &worlds->line[worlds->off[i]];

		if (room_of(line) < need_of(line))
			return false;
		if (room_of(line) < room_of(&worlds->line[*chosen]))
			*chosen = worlds->off[i];
	}
	worlds->steps += worlds->noff;
	return true;
}

/* The cell on a line that puts the most lines right, less those that it puts off, of the cells that may change. */
static bool
choose_cell(Worlds *worlds, uint32 l, bool up, uint32 *chosen)
{
	const uint32 *on = worlds->on + worlds->first_on[l];
	uint64		n = worlds->first_on[l + 1] - worlds->first_on[l];
	int64		best = PG_INT64_MIN;
	uint64		begin = n > 0 ? worlds->nsearches % n : 0;	/* a search that is tried again takes another way */
	uint64		i = 0;

	for (; i < n; i++)
	{
		uint32		c = on[begin + i < n ? begin + i : begin + i - n];
		const WorldCell *cell = &worlds->cell[c];
		int64		nlines = worlds->first_through[c + 1] - worlds->first_through[c];
		int64		gain = 0;

		if (up ? cell->people == cell->most : cell->people == cell->least)
			continue;
		for (uint64 k = worlds->first_through[c]; k < worlds->first_through[c + 1]; k++)
		{
			int64		off = worlds->line[worlds->through[k]].off;

			gain += (up ? off < 0 : off > 0) ? 1 : -1;
		}
		worlds->steps += nlines;
		if (gain > best)
		{
			best = gain;
			*chosen = c;
		}
		if (gain == nlines)
			break;				/* it puts all of them right */
	}
	worlds->steps += i;
	return best > PG_INT64_MIN;
}

/* Changes the next cell on a trial's line; the one before was changed in vain, so it keeps what it has. */
static bool
go_on(Worlds *worlds, LineTrial *trial)
{
	const WorldLine *line = &worlds->line[trial->line];
	uint32		c;
	WorldCell	cell;
	bool		up;

	if (trial->is_moved)
	{
		c = worlds->change[trial->moved].cell;
		take_back(worlds, trial->moved);
		cell = worlds->cell[c];
		if (line->off < 0)
			cell.most = cell.people;
		else
			cell.least = cell.people;
		change_cell(worlds, c, cell);
	}
	up = line->off < 0;
	if (room_of(line) < need_of(line) || !choose_cell(worlds, trial->line, up, &c))
		return false;
	cell = worlds->cell[c];
	if (up)
		cell.least = ++cell.people;
	else
		cell.most = --cell.people;
	trial->is_moved = true;
	trial->moved = worlds->nchanges;
	change_cell(worlds, c, cell);
	return true;
}

/* Puts right all lines that are off. */
static WorldFound
put_right(Worlds *worlds)
{
	worlds->ntrials = 0;
	while (worlds->noff > 0)
	{
		uint32		line;

		CHECK_FOR_INTERRUPTS();
		if (worlds->steps > worlds->most_steps)
			return NOT_KNOWN;
		if (choose_line(worlds, &line))
		{
			array_reserve(worlds->trial, worlds->room_for_trials, worlds->ntrials + 1);
			worlds->trial[worlds->ntrials++] = (LineTrial) {.line = line, .begin = worlds->nchanges};
		}
		while (worlds->ntrials > 0 && !go_on(worlds, &worlds->trial[worlds->ntrials - 1]))
			take_back(worlds, worlds->trial[--worlds->ntrials].begin);
		if (worlds->ntrials == 0)
			return IMPOSSIBLE;
	}
	return POSSIBLE;
}

WorldFound
worlds_search(Worlds *worlds, uint32 cell, uint64 most_steps, bool *is_possible)
{
	WorldFound	found;

	worlds->steps = 0;
	worlds->most_steps = most_steps;
	worlds->nsearches++;
	if (cell != NO_CELL && worlds->cell[cell].most == 0)
		return IMPOSSIBLE;
	if (cell != NO_CELL && worlds->cell[cell].people == 0)
		change_cell(worlds, cell, (WorldCell) {1, 1, worlds->cell[cell].most});
	found = put_right(worlds);
	if (found != POSSIBLE)
		take_back(worlds, 0);

	/* Stays in the world that was found, and searches on without bounds */
	while (worlds->nchanges > 0)
	{
		const CellChange *change = &worlds->change[--worlds->nchanges];
		uint32		people = worlds->cell[change->cell].people;

		set_cell(worlds, change->cell, (WorldCell) {people, change->was.least, change->was.most});
		is_possible[change->cell] |= people > 0;
	}
	return found;
}
