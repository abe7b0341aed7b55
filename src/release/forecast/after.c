/*
 * after.c
 *		The past and the frame after a release that was only drafted.
 */
#include "postgres.h"

#include "release/forecast/future.h"

#include "frame/arrays.h"
#include "history/past.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * The past after a release that was only drafted.
 *
 * It follows what write_log_and_fold.c does: a class becomes a
 * neighborhood, unless it is one already, and the rest of the one that it
 * was part of becomes another.
 * ----------------------------------------------------------------
 */

typedef struct Parting
{
	const Past *before;
	const Frame *frame;
	Past		after;
	uint64	   *published;		/* [neighborhoods before] members whom classes part from the others */
	bool	   *is_published;	/* [members before] */
	bool	   *is_filled;		/* [neighborhoods] of those after */
	uint8	   *absence;		/* [members] likewise */

	/* The people at hand */
	Parted		people;
	uint64	   *member;			/* [most people] */
	Code	   *shown;			/* [most people] */
	RowId	   *row;			/* [most people] or NO_ROW */
	uint8	   *absence_of;		/* [most people] */
} Parting;

/* Makes room for all that there can be: each class adds an epoch of its people at most. */
static Parting *
parting_create(const Past *past, const Frame *frame, const Draft *draft)
{
	const Classes *classes = draft->classes;
	uint64		shown = classes->first[classes->nclasses] +
		(classes->first_counterfeit == NULL ? 0 : classes->first_counterfeit[classes->nclasses]);
	uint64		neighborhoods = 2 * (uint64) past->nneighborhoods + classes->nclasses;
	uint64		members = past->nneighborhoods == 0 ? 0 : past->first[past->nneighborhoods];
	uint64		values = past->nneighborhoods == 0 ? 0 : past->first_value[past->nneighborhoods];
	uint64		most = Max(shown, members);
	Parting    *parting = palloc0(sizeof(Parting));
	Past	   *after = &parting->after;

	parting->before = past;
	parting->frame = frame;
	*after = *past;
	after->nneighborhoods = 0;
	after->first = new_zeros(uint64, neighborhoods);
	after->first_value = new_zeros(uint64, neighborhoods);
	after->row = new_array(RowId, members + shown);
	after->value = new_array(Code, values + shown);
	after->member = new_array(uint64, frame->nrows);
	after->is_filled = parting->is_filled = new_zeros(bool, neighborhoods);
	after->absence = parting->absence = new_array(uint8, members + shown);
	parting->published = new_zeros(uint64, past->nneighborhoods);
	parting->is_published = new_zeros(bool, members);
	parting->member = new_array(uint64, most);
	parting->shown = new_array(Code, most);
	parting->row = new_array(RowId, most);
	parting->absence_of = new_array(uint8, most);
	return parting;
}

/* The people at hand become a neighborhood. */
static void
add_neighborhood(Parting *parting)
{
	Past	   *after = &parting->after;
	uint32		n = after->nneighborhoods++;
	uint64		first = after->first[n];
	uint64		size = parting->people.size;
	uint32		parent = parting->people.parent;

	parting->is_filled[n] = parent != NO_NEIGHBORHOOD && past_is_filled(parting->before, parent);
	for (uint64 i = 0; i < size; i++)
	{
		parting->is_filled[n] |= parting->member[i] == NO_MEMBER && parting->row[i] == NO_ROW;
		after->row[first + i] = parting->row[i];
		parting->absence[first + i] = parting->absence_of[i];
		if (parting->row[i] != NO_ROW)
			after->member[parting->row[i]] = first + i;
	}
	after->first[n + 1] = first + size;
	after->first_value[n + 1] = after->first_value[n] +
		size * parted_epochs(parting->before, &parting->people, after->value + after->first_value[n]);
}

/* No people are at hand yet, of a neighborhood or of none. */
static void
begin_people(Parting *parting, uint32 parent, bool is_shown)
{
	parting->people = (Parted) {parent, 0, parting->member, is_shown ? parting->shown : NULL, parting->absence_of};
}

static void
add_person(Parting *parting, uint64 member, RowId row, Absence absence)
{
	uint64		i = parting->people.size++;

	parting->member[i] = member;
	parting->row[i] = row;
	parting->absence_of[i] = absence;
}

/* Adds a member of a class, or somebody new, with what it shows. */
static void
add_shown(Parting *parting, uint64 member, RowId row, Code shown, Absence absence)
{
	parting->shown[parting->people.size] = shown;
	if (member != NO_MEMBER)
		parting->is_published[member] = true;
	add_person(parting, member, row, absence);
}

/* Takes the people of a class, and those for whom its invented rows stand; others are new. */
static void
take_class(Parting *parting, const Draft *draft, uint32 c)
{
	const Past *before = parting->before;
	const Classes *classes = draft->classes;
	const Code *values = draft->shown == NULL ? parting->frame->sensitive : draft->shown;
	uint32		parent = draft->parent[c];

	begin_people(parting, parent, true);
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];
		uint64		member = parent == NO_NEIGHBORHOOD ? NO_MEMBER : before->member[row];

		add_shown(parting, member, row, values[row], past_absence_after(before, parting->frame, member, false));
	}
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
	{
		uint64		invented = classes->first_counterfeit[c] + i;
		uint64		member = parent == NO_NEIGHBORHOOD ? NO_MEMBER : draft->stands_for[invented];

		add_shown(parting, member, member == NO_MEMBER ? NO_ROW : before->row[member], classes->counterfeit[invented],
				  member == NO_MEMBER ? WAS_THERE : past_absence_after(before, parting->frame, member, true));
	}
	if (parted_is_unchanged(before, &parting->people))
		return;
	add_neighborhood(parting);
	if (parent != NO_NEIGHBORHOOD)
		parting->published[parent] += parting->people.size;
}

/* Adds who is left of a neighborhood, as it was. */
static void
add_rest(Parting *parting, uint32 n)
{
	const Past *before = parting->before;
	bool		is_parted = parting->published[n] > 0;

	begin_people(parting, n, false);
	for (uint64 i = before->first[n]; i < before->first[n + 1]; i++)
		if (!is_parted || !parting->is_published[i])
			add_person(parting, i, before->row[i], past_absence(before, i));
	if (parting->people.size > 0)
		add_neighborhood(parting);
}

Past
past_after(const Past *past, const Frame *frame, const Draft *draft)
{
	Parting    *parting = parting_create(past, frame, draft);
	Past	   *after = &parting->after;

	for (uint64 row = 0; row < frame->nrows; row++)
		after->member[row] = past->releases > 0 && past->member[row] == LOST_MEMBER ? LOST_MEMBER : NO_MEMBER;
	for (uint32 c = 0; c < draft->classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		take_class(parting, draft, c);
	}
	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		CHECK_FOR_INTERRUPTS();
		add_rest(parting, n);
	}
	after->releases++;
	if (past->is_whole)
		after->exposed += frame->nrows;
	return *after;
}

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

/* Copies a neighborhood, unless nobody of it is there any more. */
static void
copy_neighborhood(Past *after, const Past *past, uint32 n, const RowId *place, bool *is_filled, uint8 *absence)
{
	uint32		copy = after->nneighborhoods;
	uint64		size = past_size(past, n);
	uint64		nvalues = past->first_value[n + 1] - past->first_value[n];
	RowId	   *row = after->row + after->first[copy];
	bool		has_row = false;

	for (uint64 i = 0; i < size; i++)
	{
		RowId		before = past->row[past->first[n] + i];

		row[i] = before == NO_ROW ? NO_ROW : place[before];
		if (row[i] == NO_ROW)
			continue;
		after->member[row[i]] = after->first[copy] + i;
		has_row = true;
	}
	if (!has_row)
		return;
	is_filled[copy] = past_is_filled(past, n);
	for (uint64 i = 0; i < size; i++)
		absence[after->first[copy] + i] = past_absence(past, past->first[n] + i);
	memcpy(after->value + after->first_value[copy], past->value + past->first_value[n], sizeof(Code) * nvalues);
	after->first[copy + 1] = after->first[copy] + size;
	after->first_value[copy + 1] = after->first_value[copy] + nvalues;
	after->nneighborhoods++;
}

/* The past for a frame of so many rows, of which those before have their places, or have left. */
static Past
move_past(const Past *past, uint64 nbefore, const RowId *place, uint64 nrows)
{
	uint32		n = past->nneighborhoods;
	Past		after = *past;
	bool	   *is_filled = new_array(bool, n);
	uint8	   *absence = new_array(uint8, n == 0 ? 0 : past->first[n]);

	after.nneighborhoods = 0;
	after.first = new_zeros(uint64, n);
	after.first_value = new_zeros(uint64, n);
	after.row = new_array(RowId, n == 0 ? 0 : past->first[n]);
	after.value = new_array(Code, n == 0 ? 0 : past->first_value[n]);
	after.member = new_array(uint64, nrows);
	for (uint64 row = 0; row < nrows; row++)
		after.member[row] = NO_MEMBER;
	for (uint64 row = 0; row < nbefore && past->releases > 0; row++)
	{
		if (place[row] == NO_ROW)
			after.departed += past->member[row] != NO_MEMBER;
		else if (past->member[row] == LOST_MEMBER)
			after.member[place[row]] = LOST_MEMBER;
	}
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		copy_neighborhood(&after, past, i, place, is_filled, absence);
	}
	after.is_filled = is_filled;
	after.absence = absence;
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
	*past = move_past(past, frame->nrows, place, after.nrows);
	pfree(place);
	pfree(origins.from);
	return after;
}
