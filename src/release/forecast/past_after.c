/*
 * past_after.c
 *		The past after a release that was only drafted.
 *
 * NOTES
 *		It follows what history/remember.c does: a class becomes a
 *		neighborhood, unless it is one already, and the rest of the one that it
 *		was part of becomes another.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "history/past.h"
#include "miscadmin.h"
#include "release/forecast/future.h"

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

static uint64
count_members(const Past *past)
{
	return past->nneighborhoods == 0 ? 0 : past->first[past->nneighborhoods];
}

static uint64
count_values(const Past *past)
{
	return past->nneighborhoods == 0 ? 0 : past->first_value[past->nneighborhoods];
}

/* Makes room for all that there can be: each class adds an epoch of its people at most. */
static Parting *
parting_create(const Past *past, const Frame *frame, const Draft *draft)
{
	const Classes *classes = draft->classes;
	uint64		shown = classes->first[classes->nclasses] +
		(classes->first_counterfeit == NULL ? 0 : classes->first_counterfeit[classes->nclasses]);
	uint64		neighborhoods = 2 * (uint64) past->nneighborhoods + classes->nclasses;
	uint64		members = count_members(past);
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
	after->value = new_array(Code, count_values(past) + shown);
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
