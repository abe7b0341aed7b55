/*
 * after.c
 *		From the people of one release to those of the next: some have left, others come, for the first time or again.
 */
#include "postgres.h"

#include "release/forecast/future.h"

#include "frame/arrays.h"
#include "miscadmin.h"

#define STEPS_PER_INTERRUPT 65536

/* ---- Lots ---- */

/* Of those who are asked one after the other, so many are drawn: each is as likely as any other. */
typedef struct Lots
{
	pg_prng_state *random;
	uint64		asked;			/* still to be asked */
	uint64		drawn;			/* of them, still to be drawn */
} Lots;

/* Returns how many people this share is; the fraction of one is drawn by lot. */
static uint64
people_of_share(double share, uint64 n, pg_prng_state *random)
{
	double		exact = share * n;
	uint64		whole = exact;

	return whole + (pg_prng_double(random) < exact - whole);
}

static Lots
lots_of_share(double share, uint64 n, pg_prng_state *random)
{
	uint64		drawn = people_of_share(share, n, random);

	return (Lots) {random, n, Min(drawn, n)};
}

/* Asks the next one. */
static bool
draw(Lots *lots)
{
	bool		is_drawn = pg_prng_uint64_range(lots->random, 0, lots->asked - 1) < lots->drawn;

	if (lots->asked % STEPS_PER_INTERRUPT == 0)
		CHECK_FOR_INTERRUPTS();
	lots->asked--;
	lots->drawn -= is_drawn;
	return is_drawn;
}

static RowId
any_row(const Frame *frame, pg_prng_state *random)
{
	return pg_prng_uint64_range(random, 0, frame->nrows - 1);
}

/* ---- Where rows of the next frame come from ---- */

typedef struct Origins
{
	uint64		nrows;
	uint64		nstay;			/* they come first, in their order */
	uint64		nback;			/* then these */
	uint64		nnew;			/* then newcomers, whose rows are of the real frame; those away come last */
	RowId	   *from;			/* [nrows] */
} Origins;

static bool
is_new(const Origins *origins, uint64 row)
{
	return row - origins->nstay - origins->nback < origins->nnew && row >= origins->nstay + origins->nback;
}

/* All rows stay where they are; room: for more. */
static Origins
same_rows(uint64 nrows, uint64 room)
{
	Origins		origins = {.nrows = nrows, .nstay = nrows, .from = new_array(RowId, nrows + room)};

	for (uint64 row = 0; row < nrows; row++)
		origins.from[row] = row;
	return origins;
}

/* Rows of newcomers are drawn evenly, and may come more than once.  Nobody is remembered if nobody comes back. */
static Origins
choose_origins(const Crowd *crowd, const Frame *real, const Churn *churn, pg_prng_state *random)
{
	uint64		nrows = crowd->frame.nrows;
	uint64		ngone = 0;
	uint64		ncome;
	RowId	   *gone = new_array(RowId, nrows);
	Lots		lots = lots_of_share(churn->rate[LEAVE], crowd->npresent, random);
	Origins		origins = {0};

	origins.from = new_array(RowId, nrows + (uint64) (churn->rate[COME] * crowd->npresent) + 1);
	for (uint64 row = 0; row < crowd->npresent; row++)
		if (draw(&lots))
			gone[ngone++] = row;
		else
			origins.from[origins.nstay++] = row;
	if (churn->rate[COME_BACK] > 0)
		lots = lots_of_share(churn->rate[COME_BACK], nrows - crowd->npresent, random);
	for (uint64 row = crowd->npresent; row < nrows; row++)
		if (draw(&lots))
			origins.from[origins.nstay + origins.nback++] = row;
		else
			gone[ngone++] = row;
	origins.nrows = origins.nstay + origins.nback;
	ncome = people_of_share(churn->rate[COME], crowd->npresent, random);
	origins.nnew = ncome - Min(ncome, origins.nback);
	for (uint64 i = 0; i < origins.nnew; i++)
	{
		if (i % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		origins.from[origins.nrows++] = any_row(real, random);
	}
	for (uint64 i = 0; i < ngone && churn->rate[COME_BACK] > 0; i++)
		origins.from[origins.nrows++] = gone[i];
	pfree(gone);
	return origins;
}

/* Copies a column. */
static Code *
codes_after(const Origins *origins, const Code *code, const Code *real)
{
	Code	   *after = new_array(Code, origins->nrows);

	for (uint64 row = 0; row < origins->nrows; row++)
		after[row] = (is_new(origins, row) ? real : code)[origins->from[row]];
	CHECK_FOR_INTERRUPTS();
	return after;
}

static const RowGroups *
groups_after(const Origins *origins, const RowGroups *groups, const RowGroups *real, int n)
{
	RowGroups  *after = palloc(sizeof(RowGroups) * (n + 1));

	for (int i = 0; i < n; i++)
		after[i] = (RowGroups) {groups[i].ncodes, codes_after(origins, groups[i].code, real[i].code)};
	return after;
}

/* Copies whatever is known of rows; domains are shared. */
static Frame
make_frame(const Origins *origins, const Frame *frame, const Frame *real)
{
	Frame		after = *frame;

	after.nrows = origins->nrows;
	after.code = palloc(sizeof(Code *) * Max(frame->nqis, 1));
	for (int q = 0; q < frame->nqis; q++)
		after.code[q] = codes_after(origins, frame->code[q], real->code[q]);
	after.sensitive = codes_after(origins, frame->sensitive, real->sensitive);
	if (frame->leaves != NULL)
		after.leaves = groups_after(origins, frame->leaves, real->leaves, 1);
	after.strata = groups_after(origins, frame->strata, real->strata, frame->nstrata);
	return after;
}

/* ---- The past of these rows: newcomers have none; of groups and their values nothing changes ---- */

/* People keep places and stays, wherever their rows go. */
static const Places *
places_after(const Origins *origins, const Places *places, uint64 nrows)
{
	Places	   *after = palloc(sizeof(Places));
	RowId	   *to = new_array(RowId, nrows);
	uint64		nstays = 0;

	*after = *places;
	after->place = new_array(uint64, origins->nrows);
	after->first_stay = new_zeros(uint64, origins->nrows);
	memset(to, 0xff, sizeof(RowId) * nrows);	/* NO_ROW */
	for (uint64 row = 0; row < origins->nrows; row++)
	{
		RowId		from = origins->from[row];

		after->place[row] = NO_PLACE;
		if (!is_new(origins, row))
		{
			to[from] = row;
			after->place[row] = places->place[from];
			nstays += places->first_stay[from + 1] - places->first_stay[from];
		}
		after->first_stay[row + 1] = nstays;
	}
	CHECK_FOR_INTERRUPTS();
	after->stay = new_array(Stay, nstays);
	for (uint64 row = 0; row < origins->nrows; row++)
		if (!is_new(origins, row))
			memcpy(after->stay + after->first_stay[row], places->stay + places->first_stay[origins->from[row]],
				   sizeof(Stay) * (after->first_stay[row + 1] - after->first_stay[row]));
	after->row = new_array(RowId, places->nplaces);
	for (uint64 i = 0; i < places->nplaces; i++)
		after->row[i] = places->row[i] == NO_ROW ? NO_ROW : to[places->row[i]];
	pfree(to);
	return after;
}

static bool *
flags_after(const Origins *origins, const bool *flag)
{
	bool	   *after = new_zeros(bool, origins->nrows);

	for (uint64 row = 0; row < origins->nrows && flag != NULL; row++)
		after[row] = !is_new(origins, row) && flag[origins->from[row]];
	return after;
}

/* ---- What happens to people ---- */

/* The value of some other row that differs from this one, if such a row is soon found. */
static Code
another_value(const Frame *real, const Code *code, Code value, pg_prng_state *random)
{
	for (int tries = 0; tries < 100; tries++)
	{
		Code		other = code[any_row(real, random)];

		if (other != value)
			return other;
	}
	return value;
}

/* Gives some of n rows another value. */
static void
change_values(Code *sensitive, uint64 n, double share, const Frame *real, pg_prng_state *random)
{
	Lots		changing = lots_of_share(share, n, random);

	for (uint64 row = 0; row < n; row++)
		if (draw(&changing))
			sensitive[row] = another_value(real, real->sensitive, sensitive[row], random);
}

/* Gives some of n people another value of one quasi-identifier. */
static void
move_people(Crowd *crowd, uint64 n, double share, const Frame *real, pg_prng_state *random)
{
	bool	   *has_moved = (bool *) crowd->past.has_moved;
	Lots		moving = lots_of_share(share, n, random);

	for (uint64 row = 0; row < n; row++)
	{
		Code	   *code;
		int			q;

		if (!draw(&moving))
			continue;
		q = pg_prng_uint64_range(random, 0, real->nqis - 1);
		code = &crowd->frame.code[q][row];
		*code = another_value(real, real->code[q], *code, random);
		has_moved[row] = crowd->past.places->place[row] != NO_PLACE;
		crowd->is_unsteady[row] = true;
	}
}

/* The people of these rows, to whom nothing has happened yet. */
static Crowd
make_crowd(const Origins *origins, const Frame *frame, const Past *past, const bool *is_unsteady, const Frame *real)
{
	Crowd		crowd = {.frame = make_frame(origins, frame, real), .past = *past};

	crowd.past.places = places_after(origins, past->places, frame->nrows);
	crowd.past.has_moved = flags_after(origins, past->has_moved);
	crowd.is_unsteady = flags_after(origins, is_unsteady);
	return crowd;
}

Crowd
crowd_after(const Crowd *crowd, const Frame *real, const Churn *churn, pg_prng_state *random)
{
	bool		is_quiet = churn->rate[QUIET] > 0 && pg_prng_double(random) < churn->rate[QUIET];
	Origins		origins = is_quiet ? same_rows(crowd->frame.nrows, 0) : choose_origins(crowd, real, churn, random);
	Crowd		after = make_crowd(&origins, &crowd->frame, &crowd->past, crowd->is_unsteady, real);

	after.npresent = is_quiet ? crowd->npresent : origins.nstay + origins.nback + origins.nnew;
	if (!is_quiet)
	{
		change_values(after.frame.sensitive, origins.nstay, churn->rate[CHANGE], real, random);
		if (origins.nback > 0)
			change_values(after.frame.sensitive + origins.nstay, origins.nback, churn->rate[BACK_CHANGED], real, random);
		memset(after.is_unsteady + origins.nstay, true, origins.nback);
		if (churn->rate[MOVE] > 0)
			move_people(&after, origins.nstay, churn->rate[MOVE], real, random);
	}
	pfree(origins.from);
	return after;
}

/* ---- The crowd ---- */

/* Somebody who sits in the group of a place and is there, or else anybody. */
static RowId
companion(const Places *places, uint64 place, const Frame *real, pg_prng_state *random)
{
	uint32		g = places_group(places, place);
	uint64		begin = pg_prng_uint64_range(random, 0, group_size(places, g) - 1);

	for (uint64 i = 0; i < group_size(places, g); i++)
	{
		RowId		row = places->row[places->first[g] + (begin + i) % group_size(places, g)];

		if (row != NO_ROW)
			return row;
	}
	return any_row(real, random);
}

Crowd
crowd_begin(const Frame *real, const Past *past, const Churn *churn, uint64 known, pg_prng_state *random)
{
	const Places *places = past->places;
	uint64		most = Max(places->nplaces, known);
	uint64		there = 0;
	uint64		nheld;
	uint64	   *left = new_array(uint64, most); /* the place of each of those away */
	Origins		origins = same_rows(real->nrows, most);
	Crowd		crowd;
	Places	   *all;

	for (uint64 row = 0; row < real->nrows; row++)
		there += places->first_stay[row + 1] > places->first_stay[row];
	/* People who are away are made like newcomers, and then get their place. */
	for (uint64 place = 0; place < places->nplaces && churn->rate[COME_BACK] > 0 && real->nrows > 0; place++)
		if (places->is_held[place] && places->row[place] == NO_ROW)
			left[origins.nnew++] = place;
	nheld = origins.nnew;
	/* Others have the places of these. */
	while (churn->rate[COME_BACK] > 0 && real->nrows > 0 && places->nplaces > 0 && there + origins.nnew < known)
		left[origins.nnew++] = pg_prng_uint64_range(random, 0, places->nplaces - 1);
	for (uint64 i = 0; i < origins.nnew; i++)
		origins.from[origins.nrows++] = companion(places, left[i], real, random);
	crowd = make_crowd(&origins, real, past, NULL, real);
	crowd.npresent = real->nrows;
	all = (Places *) crowd.past.places;
	all->stay = repalloc_huge(all->stay, sizeof(Stay) * (all->first_stay[real->nrows] + origins.nnew + 1));
	for (uint64 i = 0; i < origins.nnew; i++)
	{
		uint64		row = real->nrows + i;
		uint32		g = places_group(places, left[i]);

		crowd.frame.sensitive[row] = group_shown(places, g)[left[i] - places->first[g]];
		all->stay[all->first_stay[row]] = (Stay) {left[i], places->created[g]};
		all->first_stay[row + 1] = all->first_stay[row] + 1;
		if (i < nheld)
		{
			all->place[row] = left[i];
			all->row[left[i]] = row;
		}
	}
	pfree(origins.from);
	pfree(left);
	return crowd;
}

Past
crowd_past(const Crowd *crowd, Frame *frame, const bool *asked)
{
	Past		past = crowd->past;
	Places	   *places = palloc(sizeof(Places));

	*places = *past.places;
	places->row = new_array(RowId, places->nplaces);
	for (uint64 i = 0; i < places->nplaces; i++)
	{
		RowId		row = past.places->row[i];

		places->row[i] = row != NO_ROW && row < crowd->npresent && (asked == NULL || asked[row]) ? row : NO_ROW;
	}
	*frame = crowd->frame;
	frame->nrows = crowd->npresent;
	frame->asked = asked;
	frame->is_cohort = asked != NULL;
	past.places = places;
	past.is_whole = asked == NULL;
	past.is_answer = asked != NULL;
	past.founds_none = past.is_answer;
	return past;
}

bool *
crowd_cohort(const Crowd *crowd, pg_prng_state *random)
{
	bool	   *asked = new_array(bool, crowd->npresent);
	const Code *code = crowd->frame.code[pg_prng_uint64_range(random, 0, crowd->frame.nqis - 1)];
	Code		a = code[pg_prng_uint64_range(random, 0, crowd->npresent - 1)];
	Code		b = code[pg_prng_uint64_range(random, 0, crowd->npresent - 1)];

	for (uint64 row = 0; row < crowd->npresent; row++)
		asked[row] = code[row] >= Min(a, b) && code[row] <= Max(a, b);
	return asked;
}
