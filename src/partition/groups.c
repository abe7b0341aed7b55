/*
 * groups.c
 *		Pieces, groups, and the question whether the principle allows one.
 *
 * NOTES
 *		Groups are small or made of one record, and principles are monotonous:
 *		so a set is judged by counting its rows until it is allowed, which
 *		mostly takes about k of them, and by taking them back.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/groups.h"

/* Inside one record the principle is asked once in so many rows. */
#define ASK_EVERY	16

Work *
work_create(const Frame *frame, RowId *rows, uint64 nrows,
			const Principle *principle, uint64 seed)
{
	Work	   *work = palloc0(sizeof(Work));

	work->frame = frame;
	work->principle = principle;
	work->tally = tally_create(frame->nsensitive);
	work->hull = palloc(sizeof(Span) * Max(1, frame->nqis));
	work->records = records_collapse(frame, rows, nrows, seed);
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

/* Measures a group anew after its pieces have changed. */
void
group_measure(const Work *work, Group *group, Span *hull)
{
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
count_rows(Work *work, uint32 begin, uint32 end)
{
	const RowId *rows = work->records->rows;

	for (uint32 i = begin; i < end; i++)
		tally_add(work->tally, work->frame->sensitive[rows[i]]);
}

void
uncount_rows(Work *work, uint32 begin, uint32 end)
{
	const RowId *rows = work->records->rows;

	for (uint32 i = begin; i < end; i++)
		tally_remove(work->tally, work->frame->sensitive[rows[i]]);
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
		if (principle_allows(work->principle, work->tally))
			return true;
	}
	return false;
}

bool
group_allowed(Work *work, const Group *group, uint32 spoiled, uint32 missing)
{
	bool		allowed = false;
	uint32		last = group->head;
	uint32		counted = 0;

	for (uint32 p = group->head; p != NO_PIECE && !allowed; p = work->pieces[p].next)
	{
		const Piece *piece = &work->pieces[p];

		allowed = count_until_allowed(work, piece->begin,
									  piece->end - (p == spoiled ? missing : 0), &counted);
		last = p;
	}
	for (uint32 p = group->head; p != last; p = work->pieces[p].next)
		uncount_rows(work, work->pieces[p].begin,
					 work->pieces[p].end - (p == spoiled ? missing : 0));
	if (last != NO_PIECE)
		uncount_rows(work, work->pieces[last].begin, counted);
	return allowed;
}
