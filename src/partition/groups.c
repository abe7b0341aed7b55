/*
 * groups.c
 *		Pieces, groups, and the question whether the principle allows one.
 *
 * NOTES
 *		Groups are small or made of one record, and the principle is asked of all rows.  If it is
 *		monotonous, a large set is judged by counting rows until it is allowed, which mostly takes
 *		about k of them, and by taking them back.  For any other principle whole records are counted
 *		by their values, not row by row.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"

/* Inside one record the principle is asked once in so many rows. */
#define ASK_EVERY	16

Work *
work_create(const Frame *frame, Records *records, uint64 nrows, const Principle *principle)
{
	Work	   *work = palloc0(sizeof(Work));

	work->frame = frame;
	work->principle = principle;
	work->monotonous = principle_is_monotonous(principle);
	work->necessary = work->monotonous ? *principle : principle_k_l(principle->k, principle_least_values(principle));
	work->tally = tally_create(frame->nsensitive);
	work->hull = palloc(sizeof(Span) * Max(1, frame->nqis));
	work->records = records;
	work->many_records = records->nrecords > (nrows > MANY_ROWS ? MANY_RECORDS / 5 : MANY_RECORDS);
	work->sensitive = new_array(Code, nrows);
	for (uint64 i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		work->sensitive[i] = frame->sensitive[records->rows[i]];
	}
	if (!work->monotonous)
		records_count_values(records, frame, work->tally);
	return work;
}

uint32
piece_create(Work *work, uint32 record, uint32 begin, uint32 end, uint32 next)
{
	array_reserve(work->pieces, work->pieces_allocated, work->npieces + 1);
	work->pieces[work->npieces] = (Piece) {record, begin, end, next};
	return work->npieces++;
}

uint32
group_create(Work *work)
{
	if (work->ngroups == work->groups_allocated)
	{
		work->groups_allocated = array_room(work->groups_allocated, work->ngroups + 1);
		array_resize(work->groups, work->groups_allocated);
		array_resize(work->hulls, (Size) work->groups_allocated * work->records->ndimensions);
	}
	work->groups[work->ngroups] = (Group) {0, 0, NO_PIECE};
	return work->ngroups++;
}

void
group_measure(Work *work, uint32 g)
{
	Group	   *group = &work->groups[g];
	Span	   *hull = group_hull(work, g);

	hull_clear(work->records, hull);
	group->rows = 0;
	for (uint32 p = group->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];

		if (piece_rows(piece) > 0)
			hull_add_tuple(work->records, hull, record_tuple(work->records, piece->record));
		group->rows += piece_rows(piece);
	}
	group->loss = group->rows == 0 ? 0 : hull_loss(work->records, hull);
}

void
take_rows(Work *work, uint32 taker, uint32 p, uint32 rows)
{
	Piece	   *from = &work->pieces[p];
	uint32		piece;

	from->end -= rows;
	piece = piece_create(work, from->record, from->end, from->end + rows, work->groups[taker].head);
	work->groups[taker].head = piece;
}

void
swap_rows(Work *work, uint32 a, uint32 b)
{
	RowId	   *rows = work->records->rows;
	RowId		row = rows[a];
	Code		value = work->sensitive[a];

	rows[a] = rows[b];
	rows[b] = row;
	work->sensitive[a] = work->sensitive[b];
	work->sensitive[b] = value;
}

void
count_rows(Work *work, uint32 begin, uint32 end)
{
	for (uint32 i = begin; i < end; i++)
		tally_add(work->tally, work->sensitive[i]);
}

void
uncount_rows(Work *work, uint32 begin, uint32 end)
{
	for (uint32 i = begin; i < end; i++)
		tally_remove(work->tally, work->sensitive[i]);
}

void
add_record(const Work *work, Tally *tally, uint32 record)
{
	const Records *records = work->records;

	for (uint32 i = records->first_value[record]; i < records->first_value[record + 1]; i++)
		tally_add_rows(tally, records->values[i].value, records->values[i].rows);
}

void
remove_record(const Work *work, Tally *tally, uint32 record)
{
	const Records *records = work->records;

	for (uint32 i = records->first_value[record]; i < records->first_value[record + 1]; i++)
		tally_remove_rows(tally, records->values[i].value, records->values[i].rows);
}

/* Adds a piece's rows, but not the last ones, to a tally. */
static void
add_piece(const Work *work, Tally *tally, const Piece *piece, uint32 missing)
{
	CHECK_FOR_INTERRUPTS();
	if (!work->monotonous && missing == 0 && piece_rows(piece) == record_rows(work->records, piece->record))
	{
		add_record(work, tally, piece->record);
		return;
	}
	for (uint32 i = piece->begin; i < piece->end - missing; i++)
		tally_add(tally, work->sensitive[i]);
}

void
add_group(const Work *work, Tally *tally, const Group *group)
{
	for (uint32 p = group->head; p != NO_PIECE; p = work->pieces[p].next)
		add_piece(work, tally, &work->pieces[p], 0);
}

void
remove_group(const Work *work, Tally *tally, const Group *group)
{
	for (uint32 p = group->head; p != NO_PIECE; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];

		CHECK_FOR_INTERRUPTS();
		if (piece_rows(piece) == record_rows(work->records, piece->record))
			remove_record(work, tally, piece->record);
		else
			for (uint32 i = piece->begin; i < piece->end; i++)
				tally_remove(tally, work->sensitive[i]);
	}
}

bool
allowed_at_once(Work *work)
{
	bool		allowed = principle_allows(work->principle, work->tally);

	tally_clear(work->tally);
	return allowed;
}

bool
count_until_allowed(Work *work, uint32 begin, uint32 end, uint32 *counted)
{
	for (*counted = begin; *counted < end;)
	{
		uint32		next = *counted + Min(ASK_EVERY, end - *counted);

		CHECK_FOR_INTERRUPTS();
		count_rows(work, *counted, next);
		*counted = next;
		if (principle_allows(&work->necessary, work->tally))
			return true;
	}
	return false;
}

bool
group_allowed(Work *work, const Group *group, uint32 spoiled, uint32 missing)
{
	if (group->rows < work->principle->k + missing)
		return false;
	for (uint32 p = group->head; p != NO_PIECE; p = work->pieces[p].next)
		add_piece(work, work->tally, &work->pieces[p], p == spoiled ? missing : 0);
	return allowed_at_once(work);
}
