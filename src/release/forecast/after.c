/*
 * after.c
 *		From the frame of one release to that of the next, in which some people have left and others come.
 */
#include "postgres.h"

#include "release/forecast/future.h"

#include "frame/arrays.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * People leave, come, and fall ill otherwise, by lot.
 * ----------------------------------------------------------------
 */

#define STEPS_PER_INTERRUPT 65536

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

static bool
draw(Lots *lots)
{
	bool		is_drawn = pg_prng_uint64_range(lots->random, 0, lots->asked - 1) < lots->drawn;

	lots->asked--;
	lots->drawn -= is_drawn;
	return is_drawn;
}

/* Says where each row goes, or that it leaves: [rows]; returns how many stay. */
static uint64
choose_leavers(const Frame *frame, double leave, pg_prng_state *random, RowId *place)
{
	Lots		leavers = lots_of_share(leave, frame->nrows, random);
	RowId		nstay = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		if (row % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		place[row] = draw(&leavers) ? NO_ROW : nstay++;
	}
	return nstay;
}

/* The rows that the next frame is made of. */
typedef struct Origins
{
	uint64		nrows;
	uint64		nstay;			/* they come first */
	RowId	   *from;			/* [nrows] rows of the frame before, and then of the real one */
} Origins;

/* The people who stay keep their order; rows of newcomers are drawn evenly, and may come more than once. */
static Origins
choose_origins(uint64 nrows, const RowId *place, uint64 nstay, uint64 ncome, const Frame *real, pg_prng_state *random)
{
	Origins		origins = {nstay + ncome, nstay, new_array(RowId, nstay + ncome)};

	for (uint64 row = 0; row < nrows; row++)
		if (place[row] != NO_ROW)
			origins.from[place[row]] = row;
	for (uint64 row = nstay; row < origins.nrows; row++)
	{
		if (row % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		origins.from[row] = pg_prng_uint64_range(random, 0, real->nrows - 1);
	}
	return origins;
}

/* Copies a column. */
static Code *
codes_after(const Origins *origins, const Code *code, const Code *real)
{
	Code	   *after = new_array(Code, origins->nrows);

	for (uint64 row = 0; row < origins->nstay; row++)
		after[row] = code[origins->from[row]];
	for (uint64 row = origins->nstay; row < origins->nrows; row++)
		after[row] = real[origins->from[row]];
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

/* The value of some other row that differs from this one, if such a row is soon found. */
static Code
another_value(const Frame *real, Code value, pg_prng_state *random)
{
	for (int tries = 0; tries < 100; tries++)
	{
		Code		other = real->sensitive[pg_prng_uint64_range(random, 0, real->nrows - 1)];

		if (other != value)
			return other;
	}
	return value;
}

/* Gives some of those who stay another value. */
static void
change_values(Frame *frame, uint64 nstay, const Frame *real, double change, pg_prng_state *random)
{
	Lots		changing = lots_of_share(change, nstay, random);

	for (uint64 row = 0; row < nstay; row++)
	{
		if (row % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		if (draw(&changing))
			frame->sensitive[row] = another_value(real, frame->sensitive[row], random);
	}
}

/* Copies whatever is known of rows; domains are shared. */
static Frame
make_frame(const Frame *frame, const Frame *real, const Origins *origins)
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

/* The holder's row of each place, or NO_ROW for those who have left. */
static RowId *
holders_after(const Places *places, const RowId *place)
{
	RowId	   *row = new_array(RowId, places->nplaces);

	for (uint64 i = 0; i < places->nplaces; i++)
		row[i] = places->row[i] == NO_ROW ? NO_ROW : place[places->row[i]];
	CHECK_FOR_INTERRUPTS();
	return row;
}

/* The places for a frame of these rows: newcomers have none. */
static const Places *
places_after(const Places *places, const Origins *origins, const RowId *place)
{
	Places	   *after = palloc(sizeof(Places));
	uint64		nstays = 0;

	*after = *places;
	after->row = holders_after(places, place);
	after->place = new_array(uint64, origins->nrows);
	after->first_stay = new_zeros(uint64, origins->nrows);
	for (uint64 row = 0; row < origins->nrows; row++)
	{
		RowId		from = origins->from[row];
		bool		stays = row < origins->nstay;

		after->place[row] = stays ? places->place[from] : NO_PLACE;
		nstays += stays ? places->first_stay[from + 1] - places->first_stay[from] : 0;
		after->first_stay[row + 1] = nstays;
	}
	CHECK_FOR_INTERRUPTS();
	after->stay = new_array(Stay, nstays);
	for (uint64 row = 0; row < origins->nstay; row++)
		memcpy(after->stay + after->first_stay[row], places->stay + places->first_stay[origins->from[row]],
			   sizeof(Stay) * (after->first_stay[row + 1] - after->first_stay[row]));
	return after;
}

/* Newcomers hold no place that they could have moved from. */
static const bool *
moved_after(const bool *has_moved, const Origins *origins)
{
	bool	   *after;

	if (has_moved == NULL)
		return NULL;
	after = new_zeros(bool, origins->nrows);
	for (uint64 row = 0; row < origins->nstay; row++)
		after[row] = has_moved[origins->from[row]];
	return after;
}

/* Of groups and their values nothing changes. */
static Past
move_past(const Past *past, const Origins *origins, const RowId *place)
{
	Past		after = *past;

	after.places = places_after(past->places, origins, place);
	after.has_moved = moved_after(past->has_moved, origins);
	return after;
}

Frame
frame_after(const Frame *frame, const Frame *real, const Churn *churn, pg_prng_state *random, Past *past)
{
	RowId	   *place = new_array(RowId, frame->nrows);
	uint64		nstay = choose_leavers(frame, churn->leave, random, place);
	uint64		ncome = people_of_share(churn->come, frame->nrows, random);
	Origins		origins;
	Frame		after;

	Assert(frame->asked == NULL);
	origins = choose_origins(frame->nrows, place, nstay, ncome, real, random);
	after = make_frame(frame, real, &origins);
	change_values(&after, nstay, real, churn->change, random);
	*past = move_past(past, &origins, place);
	pfree(place);
	pfree(origins.from);
	return after;
}
