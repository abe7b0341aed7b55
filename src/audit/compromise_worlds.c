/*
 * compromise_worlds.c
 *		Searching for worlds, from one that is known.
 *
 * NOTES
 *		In a world each person has one of the own candidates, and the people of each
 *		class have what it shows.  The truth is one.  The people of a group who have
 *		a value are a cell; cells are on lines, whose sums are the same in
 *		all worlds: the people of a group, and the rows of a class with a value.
 *		A cover is a line, too: the invented rows with its value, and a spare cell
 *		for as many as they are fewer than they may be.
 *
 *		So in another world, what is wanted is put into a cell, and lines that are
 *		off by that are put right by other cells on them, which may put others off:
 *		until none is, or there is nothing left to try.  A cell that was tried in
 *		vain does not change in that direction any more while others are: so nothing
 *		is tried twice, and a search that ends has tried all.
 */
#include "postgres.h"

#include "audit/covers.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

#define BUILDING_STEPS	16		/* for each line that a cell is on */
#define SMALL			100		/* what building takes at most, times a search */
#define NO_LINE			PG_UINT64_MAX
#define NOWHERE			PG_UINT32_MAX

/* People of a group with one of its candidates: in the world at hand, and in those that are searched for */
typedef struct Cell
{
	uint32		people;
	uint32		least;
	uint32		most;
} Cell;

typedef struct Line
{
	int64		off;			/* people of its cells who are too many, or too few */
	uint64		up;				/* how many more its cells may have */
	uint64		down;			/* how many less */
	uint32		place;			/* among the lines that are off, or NOWHERE */
} Line;

/* A cell before it was changed */
typedef struct CellChange
{
	uint32		cell;
	Cell		was;
} CellChange;

/* A line that is put right: one cell on it is tried after the other */
typedef struct CellTrial
{
	uint32		line;
	uint64		begin;			/* of the changes that are its own */
	uint64		moved;			/* the change that is tried */
	bool		is_moved;
} CellTrial;

typedef struct Worlds
{
	Deduction  *deduction;
	const Peers *peers;
	MemoryContext context;		/* of the component at hand */
	uint64	   *first_line;		/* [classes] of a class, or NO_LINE */
	uint32	   *cell_of;		/* [values] of a group's candidates */

	/* The component */
	const uint32 *group;		/* [n] */
	uint32		n;
	const Cover **cover;		/* [ncovers] */
	uint32		ncovers;
	uint64		ncells;			/* the last ones are spare, one for each cover */
	uint64		nlines;			/* a group's line has the group's number in the component */
	uint64		first_cover;	/* line */
	uint64		incidences;
	uint32	   *first_cell;		/* [n + 1] */
	Cell	   *cell;			/* [ncells] */
	uint64	   *first_through;	/* [ncells + 1] */
	uint32	   *through;		/* lines of each cell */
	Line	   *line;			/* [nlines] */
	uint64	   *first_on;		/* [nlines + 1] */
	uint32	   *on;				/* cells of each line */

	/* The search */
	uint64		steps;			/* taken */
	uint64		most_steps;
	uint32	   *off;			/* [nlines] lines that are off */
	uint32		noff;
	CellChange *change;
	uint64		nchanges;
	uint64		room_for_changes;
	CellTrial  *trial;
	uint64		ntrials;
	uint64		room_for_trials;
} Worlds;

typedef enum WorldFound
{
	POSSIBLE, IMPOSSIBLE, NOT_KNOWN
} WorldFound;

/* ----------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------
 */

/* Keeps the list of lines that are off in step with a line's balance. */
static void
note_balance(Worlds *worlds, uint32 l)
{
	Line	   *line = &worlds->line[l];

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
set_cell(Worlds *worlds, uint32 c, Cell cell)
{
	Cell		was = worlds->cell[c];

	for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
	{
		Line	   *line = &worlds->line[worlds->through[i]];

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
change_cell(Worlds *worlds, uint32 c, Cell cell)
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

/* Stays in the world that was found, and searches on without bounds. */
static void
accept(Worlds *worlds, bool *is_possible)
{
	while (worlds->nchanges > 0)
	{
		const CellChange *change = &worlds->change[--worlds->nchanges];
		uint32		people = worlds->cell[change->cell].people;

		set_cell(worlds, change->cell, (Cell) {people, change->was.least, change->was.most});
		is_possible[change->cell] |= people > 0;
	}
}

/* ----------------------------------------------------------------
 * Searching
 * ----------------------------------------------------------------
 */

static inline uint64
room_of(const Line *line)
{
	return line->off < 0 ? line->up : line->down;
}

static inline uint64
need_of(const Line *line)
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
		const Line *line = &worlds->line[worlds->off[i]];

		if (room_of(line) < need_of(line))
			return false;
		if (room_of(line) < room_of(&worlds->line[*chosen]))
			*chosen = worlds->off[i];
	}
	worlds->steps += worlds->noff;
	return true;
}

/* How many lines come nearer to what they must be if a cell changes, less those that do not. */
static int64
count_gain(Worlds *worlds, uint32 c, bool up)
{
	int64		gain = 0;

	for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
	{
		int64		off = worlds->line[worlds->through[i]].off;

		gain += (up ? off < 0 : off > 0) ? 1 : -1;
	}
	worlds->steps += worlds->first_through[c + 1] - worlds->first_through[c];
	return gain;
}

/* The cell on a line that puts the most right, of those that may change. */
static bool
choose_cell(Worlds *worlds, uint32 l, bool up, uint32 *chosen)
{
	int64		best = PG_INT64_MIN;

	for (uint64 i = worlds->first_on[l]; i < worlds->first_on[l + 1]; i++)
	{
		uint32		c = worlds->on[i];
		const Cell *cell = &worlds->cell[c];
		int64		gain;

		if (up ? cell->people == cell->most : cell->people == cell->least)
			continue;
		gain = count_gain(worlds, c, up);
		if (gain > best)
		{
			best = gain;
			*chosen = c;
		}
	}
	worlds->steps += worlds->first_on[l + 1] - worlds->first_on[l];
	return best > PG_INT64_MIN;
}

static void
begin_trial(Worlds *worlds, uint32 line)
{
	array_reserve(worlds->trial, worlds->room_for_trials, worlds->ntrials + 1);
	worlds->trial[worlds->ntrials++] = (CellTrial) {.line = line, .begin = worlds->nchanges};
}

/* Changes the next cell on a trial's line; the one before was changed in vain, so it keeps what it has. */
static bool
go_on(Worlds *worlds, CellTrial *trial)
{
	const Line *line = &worlds->line[trial->line];
	uint32		c;
	Cell		cell;
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

/* Is there a world with people in this cell, which has none now?  If so, it is the one at hand then. */
static WorldFound
search(Worlds *worlds, uint32 c)
{
	worlds->ntrials = 0;
	if (worlds->cell[c].most == 0)
		return IMPOSSIBLE;
	change_cell(worlds, c, (Cell) {1, 1, worlds->cell[c].most});
	while (worlds->noff > 0)
	{
		uint32		line;

		CHECK_FOR_INTERRUPTS();
		if (worlds->steps > worlds->most_steps)
			return NOT_KNOWN;
		if (choose_line(worlds, &line))
			begin_trial(worlds, line);
		while (worlds->ntrials > 0 && !go_on(worlds, &worlds->trial[worlds->ntrials - 1]))
			take_back(worlds, worlds->trial[--worlds->ntrials].begin);
		if (worlds->ntrials == 0)
			return IMPOSSIBLE;
	}
	return POSSIBLE;
}

/* ----------------------------------------------------------------
 * A component
 * ----------------------------------------------------------------
 */

/* Has an invented row of the group the value of the cover in some world, and not in all? */
static inline bool
is_on_cover(const Deduction *deduction, const Cover *cover, uint32 group)
{
	return deduction_is_open(deduction, group) && may_have(deduction, group, cover->value);
}

/* Counts cells, and the lines that they are on. */
static void
count_cells(Worlds *worlds)
{
	const Deduction *deduction = worlds->deduction;

	worlds->ncells = 0;
	worlds->incidences = 0;
	for (uint32 i = 0; i < worlds->n; i++)
	{
		uint64		nsteps;

		peers_steps(worlds->peers, worlds->group[i], &nsteps);
		worlds->ncells += deduction->ncandidates[worlds->group[i]];
		worlds->incidences += (nsteps + 1) * deduction->ncandidates[worlds->group[i]];
	}
	for (uint32 i = 0; i < worlds->ncovers; i++)
	{
		worlds->ncells++;
		worlds->incidences++;
		for (uint32 k = 0; k < worlds->cover[i]->n; k++)
			worlds->incidences += is_on_cover(deduction, worlds->cover[i], worlds->cover[i]->group[k]);
	}
}

/* Lines of groups come first, then those of each class, one for each value that it shows, and then covers. */
static void
number_lines(Worlds *worlds)
{
	const Statistics *statistics = worlds->peers->statistics;

	worlds->nlines = worlds->n;
	for (uint32 i = 0; i < worlds->n; i++)
	{
		uint64		nsteps;
		const Step *step = peers_steps(worlds->peers, worlds->group[i], &nsteps);

		for (uint64 s = 0; s < nsteps; s++)
		{
			const uint64 *shown = &statistics->shown[step[s].release].first[step[s].class];
			uint64	   *first = &worlds->first_line[peers_class(worlds->peers, step[s])];

			if (*first != NO_LINE)
				continue;
			*first = worlds->nlines;
			worlds->nlines += shown[1] - shown[0];
		}
	}
	worlds->first_cover = worlds->nlines;
	worlds->nlines += worlds->ncovers;
}

/* Clears first_line[] for the classes of this component: the next one shares the array. */
static void
forget_lines(Worlds *worlds)
{
	for (uint32 i = 0; i < worlds->n; i++)
	{
		uint64		nsteps;
		const Step *step = peers_steps(worlds->peers, worlds->group[i], &nsteps);

		for (uint64 s = 0; s < nsteps; s++)
			worlds->first_line[peers_class(worlds->peers, step[s])] = NO_LINE;
	}
}

static uint32
line_of(const Worlds *worlds, Step at, Code value)
{
	const Statistics *statistics = worlds->peers->statistics;

	return worlds->first_line[peers_class(worlds->peers, at)] +
		statistics_find(statistics, at, value) - statistics->shown[at.release].first[at.class];
}

/* The covers that a cell is on; returns where the next line of the cell goes. */
static uint64
add_covers(Worlds *worlds, uint32 group, Code value, uint64 at)
{
	for (uint32 i = 0; i < worlds->ncovers; i++)
		for (uint32 k = 0; k < worlds->cover[i]->n && worlds->cover[i]->value == value; k++)
			if (worlds->cover[i]->group[k] == group)
				worlds->through[at++] = worlds->first_cover + i;
	return at;
}

/* Spare cells, with as many invented rows as there may be more. */
static void
add_spare_cells(Worlds *worlds)
{
	uint32		c = worlds->first_cell[worlds->n];

	for (uint32 i = 0; i < worlds->ncovers; i++, c++)
	{
		const Cover *cover = worlds->cover[i];
		uint64		spare = cover->most;
		uint64		at = worlds->first_through[c];

		for (uint32 k = 0; k < cover->n; k++)
			spare -= peers_having(worlds->peers, cover->group[k], cover->value);
		worlds->cell[c].people = spare;
		worlds->through[at] = worlds->first_cover + i;
		worlds->first_through[c + 1] = at + 1;
	}
}

/* The cells of a group, with what was published, and the lines that they are on. */
static void
add_cells(Worlds *worlds, uint32 i)
{
	const Deduction *deduction = worlds->deduction;
	const Peers *peers = worlds->peers;
	uint32		g = worlds->group[i];
	uint64		nsteps;
	const Step *step = peers_steps(peers, g, &nsteps);
	uint32		c = worlds->first_cell[i];

	for (uint32 k = 0; k < deduction->ncandidates[g]; k++, c++)
	{
		Code		value = deduction->candidate[deduction->first[g] + k];
		uint64		at = worlds->first_through[c];

		worlds->cell_of[value] = c;
		worlds->through[at++] = i;
		for (uint64 s = 0; s < nsteps; s++)
			worlds->through[at++] = line_of(worlds, step[s], value);
		worlds->first_through[c + 1] = add_covers(worlds, g, value, at);
	}
	worlds->first_cell[i + 1] = c;
	for (uint64 m = peers->first[g]; m < peers->first[g + 1]; m++)
		worlds->cell[worlds->cell_of[peers->value[peers->individual[m]]]].people++;
}

/* Lists the cells on each line, from the lines through each cell. */
static void
list_lines(Worlds *worlds)
{
	uint64	   *filled = new_array(uint64, worlds->nlines);

	for (uint64 i = 0; i < worlds->incidences; i++)
		worlds->first_on[worlds->through[i] + 1]++;
	for (uint32 l = 0; l < worlds->nlines; l++)
		worlds->first_on[l + 1] += worlds->first_on[l];
	memcpy(filled, worlds->first_on, sizeof(uint64) * worlds->nlines);
	for (uint32 c = 0; c < worlds->ncells; c++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
			worlds->on[filled[worlds->through[i]]++] = c;
	}
}

/* In no world does a cell have more than any of its lines. */
static void
bound_cells(Worlds *worlds)
{
	uint64	   *sum = new_zeros(uint64, worlds->nlines);

	for (uint32 c = 0; c < worlds->ncells; c++)
		for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
			sum[worlds->through[i]] += worlds->cell[c].people;
	for (uint32 l = 0; l < worlds->nlines; l++)
		worlds->line[l].place = NOWHERE;
	for (uint32 c = 0; c < worlds->ncells; c++)
	{
		uint32		people = worlds->cell[c].people;
		uint32		most = PG_UINT32_MAX;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = worlds->first_through[c]; i < worlds->first_through[c + 1]; i++)
			most = Min(most, sum[worlds->through[i]]);
		worlds->cell[c] = (Cell) {people, people, people};
		set_cell(worlds, c, (Cell) {people, 0, most});
	}
}

/* Allocates and fills the cells and lines of a component. */
static void
build(Worlds *worlds)
{
	worlds->first_cell = new_zeros(uint32, worlds->n);
	worlds->cell = new_zeros(Cell, worlds->ncells);
	worlds->first_through = new_zeros(uint64, worlds->ncells);
	worlds->through = new_array(uint32, worlds->incidences);
	worlds->line = new_zeros(Line, worlds->nlines);
	worlds->first_on = new_zeros(uint64, worlds->nlines);
	worlds->on = new_array(uint32, worlds->incidences);
	worlds->off = new_array(uint32, worlds->nlines);
	worlds->noff = 0;
	worlds->nchanges = 0;
	worlds->change = NULL;
	worlds->trial = NULL;
	worlds->room_for_changes = worlds->room_for_trials = 0;
	array_reserve(worlds->change, worlds->room_for_changes, 64);
	array_reserve(worlds->trial, worlds->room_for_trials, 64);
	for (uint32 i = 0; i < worlds->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_cells(worlds, i);
	}
	add_spare_cells(worlds);
	list_lines(worlds);
	bound_cells(worlds);
}

/* Searches for each candidate that was in no world yet; is there one of which it is still not known? */
static bool
decide_cells(Worlds *worlds, uint64 effort, uint64 *budget, bool *is_possible, bool *is_excluded)
{
	bool		is_open = false;

	for (uint32 c = 0; c < worlds->ncells; c++)
		is_possible[c] |= worlds->cell[c].people > 0;
	for (uint32 c = 0; c < worlds->first_cell[worlds->n]; c++)
	{
		WorldFound	found;

		if (is_possible[c])
			continue;
		worlds->steps = 0;
		worlds->most_steps = Min(effort, *budget);
		found = *budget == 0 ? NOT_KNOWN : search(worlds, c);
		*budget -= Min(worlds->steps, *budget);
		if (found == POSSIBLE)
		{
			accept(worlds, is_possible);
			continue;
		}
		take_back(worlds, 0);
		is_open |= found == NOT_KNOWN;
		is_excluded[c] = found == IMPOSSIBLE;
		if (is_excluded[c])
			set_cell(worlds, c, (Cell) {0, 0, 0});
	}
	return is_open;
}

/* Tells the deduction of a group what was found. */
static bool
keep_candidates(Worlds *worlds, uint32 i, const bool *is_possible, const bool *is_excluded)
{
	Deduction  *deduction = worlds->deduction;
	uint32		g = worlds->group[i];
	uint64		first = deduction->first[g];
	uint32		kept = 0;
	bool		has_lost;

	for (uint32 k = 0; k < deduction->ncandidates[g]; k++)
	{
		if (is_excluded[worlds->first_cell[i] + k])
			continue;
		deduction->candidate[first + kept] = deduction->candidate[first + k];
		deduction->is_possible[first + kept++] = is_possible[worlds->first_cell[i] + k];
	}
	has_lost = kept < deduction->ncandidates[g];
	deduction->ncandidates[g] = kept;
	return has_lost;
}

/* Decides the cells of a component, and writes back which candidates are possible or excluded. */
static bool
search_component(Worlds *worlds, uint64 effort, uint64 *budget, void (*lost) (void *what, uint32 group), void *what)
{
	MemoryContext old = MemoryContextSwitchTo(worlds->context);
	bool	   *is_possible = new_zeros(bool, worlds->ncells);
	bool	   *is_excluded = new_zeros(bool, worlds->ncells);
	bool		is_open;

	build(worlds);
	for (uint32 i = 0; i < worlds->n; i++)
		memcpy(is_possible + worlds->first_cell[i], worlds->deduction->is_possible + worlds->deduction->first[worlds->group[i]],
			   sizeof(bool) * worlds->deduction->ncandidates[worlds->group[i]]);
	is_open = decide_cells(worlds, effort, budget, is_possible, is_excluded);
	MemoryContextSwitchTo(old);
	for (uint32 i = 0; i < worlds->n; i++)
		if (keep_candidates(worlds, i, is_possible, is_excluded))
			lost(what, worlds->group[i]);
	MemoryContextReset(worlds->context);
	return is_open;
}

/* ----------------------------------------------------------------
 * Components: people whose value is open hang together if they are in a class, or in the classes of a
 * cover, since what one of them has may depend on what another has.
 * ----------------------------------------------------------------
 */

typedef struct Components
{
	uint32		n;
	uint64	   *first;			/* [n + 1] component c's groups are first[c] up to, not including, first[c + 1] */
	uint32	   *group;			/* those that are open, ascending within a component */
} Components;

/* Roots are the first of their sets. */
static uint32
find_root(uint32 *parent, uint32 group)
{
	while (parent[group] != group)
	{
		parent[group] = parent[parent[group]];
		group = parent[group];
	}
	return group;
}

/* Joins the open ones of some groups in the forest of components. */
static void
join_groups(const Deduction *deduction, const uint32 *group, uint64 n, uint32 *parent)
{
	uint32		joined = NO_GROUP;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		root;

		if (!deduction_is_open(deduction, group[i]))
			continue;
		root = find_root(parent, group[i]);
		if (joined == NO_GROUP)
			joined = root;
		parent[Max(joined, root)] = Min(joined, root);
		joined = Min(joined, root);
	}
}

/* Numbers the components by their roots: of[g] is in which one a group is. */
static void
list_open_groups(Components *components, const Deduction *deduction, uint32 *parent)
{
	uint32		ngroups = deduction->peers->n;
	uint32	   *of = new_array(uint32, ngroups);
	uint64	   *filled;

	components->first = new_zeros(uint64, ngroups);
	for (uint32 g = 0; g < ngroups; g++)
	{
		uint32		root = find_root(parent, g);

		if (!deduction_is_open(deduction, g))
			continue;
		of[g] = root == g ? components->n++ : of[root];
		components->first[of[g] + 1]++;
	}
	for (uint32 c = 0; c < components->n; c++)
		components->first[c + 1] += components->first[c];
	components->group = new_array(uint32, components->first[components->n]);
	filled = new_array(uint64, components->n);
	memcpy(filled, components->first, sizeof(uint64) * components->n);
	for (uint32 g = 0; g < ngroups; g++)
		if (deduction_is_open(deduction, g))
			components->group[filled[of[g]]++] = g;
	pfree(filled);
	pfree(of);
}

/* Of the people whose value is open by now. */
static Components *
find_components(const Deduction *deduction)
{
	const Peers *peers = deduction->peers;
	Components *components = palloc0(sizeof(Components));
	uint32	   *parent = new_array(uint32, peers->n);

	for (uint32 g = 0; g < peers->n; g++)
		parent[g] = g;
	for (uint64 class = 0; class < peers_nclasses(peers); class++)
	{
		CHECK_FOR_INTERRUPTS();
		join_groups(deduction, peers->in + peers->first_in[class], peers->first_in[class + 1] - peers->first_in[class], parent);
	}
	for (uint32 i = 0; deduction->covers != NULL && i < deduction->covers->n; i++)
		if (cover_binds(deduction, &deduction->covers->cover[i]))
			join_groups(deduction, deduction->covers->cover[i].group, deduction->covers->cover[i].n, parent);
	list_open_groups(components, deduction, parent);
	pfree(parent);
	return components;
}

/* ----------------------------------------------------------------
 * All components
 * ----------------------------------------------------------------
 */

/* Is each candidate in some world? */
static bool
is_decided(const Worlds *worlds)
{
	const Deduction *deduction = worlds->deduction;

	for (uint32 i = 0; i < worlds->n; i++)
		if (!deduction_is_exact(deduction, worlds->group[i]))
			return false;
	return true;
}

/*
 * People who are alone with others who are known can exchange their values as they like: of each
 * candidate, a row is left in each of their classes, or the rules would have excluded it.
 */
static void
find_all_possible(Worlds *worlds)
{
	uint32		g = worlds->group[0];

	memset(worlds->deduction->is_possible + worlds->deduction->first[g], true,
		   sizeof(bool) * worlds->deduction->ncandidates[g]);
}

static bool
is_in_component(const Worlds *worlds, uint32 group)
{
	return find_code(worlds->group, worlds->n, group) < worlds->n;
}

/* The covers of the component: all open groups of one are in it, or none. */
static void
find_covers(Worlds *worlds)
{
	const Deduction *deduction = worlds->deduction;

	worlds->ncovers = 0;
	for (uint32 i = 0; deduction->covers != NULL && i < deduction->covers->n; i++)
	{
		const Cover *cover = &deduction->covers->cover[i];
		bool		is_here = false;

		for (uint32 k = 0; k < cover->n && !is_here; k++)
			is_here = is_on_cover(deduction, cover, cover->group[k]) && is_in_component(worlds, cover->group[k]);
		if (is_here && cover_binds(deduction, cover))
			worlds->cover[worlds->ncovers++] = cover;
	}
}

/* A component that takes long to build waits for a round of longer searches. */
static bool
look_at_component(Worlds *worlds, uint64 effort, uint64 *budget, void (*lost) (void *what, uint32 group), void *what)
{
	bool		is_open = true;
	bool		is_small;
	uint64		building;

	if (worlds->n == 1)
		find_all_possible(worlds);
	if (is_decided(worlds))
		return false;
	count_cells(worlds);
	number_lines(worlds);
	building = (worlds->incidences + worlds->nlines) * BUILDING_STEPS;
	is_small = building / SMALL <= effort;
	if (is_small && (building > *budget || worlds->incidences + worlds->nlines >= PG_UINT32_MAX))
		*budget = 0;
	else if (is_small)
	{
		*budget -= building;
		is_open = search_component(worlds, effort, budget, lost, what);
	}
	forget_lines(worlds);
	return is_open;
}

bool
look_for_worlds(Deduction *deduction, uint64 effort, uint64 *budget,
				void (*lost) (void *what, uint32 group), void *what)
{
	const Peers *peers = deduction->peers;
	Components *components = find_components(deduction);
	Worlds		worlds = {.deduction = deduction, .peers = peers};
	bool		is_open = false;

	worlds.context = AllocSetContextCreate(CurrentMemoryContext, "worlds", ALLOCSET_DEFAULT_SIZES);
	worlds.first_line = new_array(uint64, peers_nclasses(peers));
	memset(worlds.first_line, 0xff, sizeof(uint64) * peers_nclasses(peers));	/* NO_LINE */
	worlds.cell_of = new_array(uint32, peers->statistics->seen->nvalues);
	worlds.cover = new_array(const Cover *, deduction->covers == NULL ? 0 : deduction->covers->n);
	progress_phase("search components", components->n);
	for (uint32 c = 0; c < components->n; c++)
	{
		CHECK_FOR_INTERRUPTS();
		worlds.group = components->group + components->first[c];
		worlds.n = components->first[c + 1] - components->first[c];
		find_covers(&worlds);
		is_open |= look_at_component(&worlds, effort, budget, lost, what);
		progress_step(1);
	}
	pfree(worlds.first_line);
	pfree(worlds.cell_of);
	pfree(worlds.cover);
	MemoryContextDelete(worlds.context);
	pfree(components->first);
	pfree(components->group);
	pfree(components);
	return is_open;
}
