/*
 * cursor.c
 *		A position among groups, a group, and a vector of it, decoded.
 *
 * NOTES
 *		Position: either a group is current, and index is the row in it that was
 *		returned last; or none is, and groups that begin at next or later are
 *		still ahead, and all others behind.
 */
#include "postgres.h"

#include "store/rows.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* One decoded vector of a column. */
typedef struct Vector
{
	Datum	   *values;
	bool	   *nulls;
} Vector;

struct Cursor
{
	/* The scan */
	Relation	rel;			/* borrowed */
	TupleDesc	desc;			/* borrowed: of the slots that are filled */
	Snapshot	snapshot;		/* borrowed */
	bool		all_columns;
	const Bitmapset *columns;	/* borrowed: if not all */
	int			nwanted;
	int		   *wanted;
	SkipGroup	skip;
	void	   *skip_arg;
	ChooseRows	choose;
	void	   *choose_arg;
	ClaimGroup	claim;
	void	   *claim_arg;
	uint64		low;			/* rows low .. high - 1 */
	uint64		high;
	bool		limited;		/* are these not all rows? */

	/* Its position */
	Store	   *store;			/* owned; NULL: nothing but what is pending */
	ChunkReader *reader;		/* owned */
	List	   *pending;		/* owned: pinned */
	bool		started;		/* if not, the cursor stands at the end that it will leave from */
	uint64		next;			/* if no group is current */
	PendingGroup *in_memory;	/* the current group: this, */
	uint32		in_memory_rows;
	RowGroup   *group;			/* or this, or none */
	uint64		first;			/* its numbers */
	uint64		last;
	int64		index;			/* the row returned last; -1 and nrows are its ends */
	uint32		nrows;

	uint64		gap_from;		/* these numbers have no row */
	uint64		gap_upto;

	/* Decoded */
	MemoryContext context;		/* owned: the cursor's own */
	MemoryContext group_context;	/* owned: of the current group */
	MemoryContext vector_context;	/* owned: of the current vector */
	int64		vector;			/* which one is decoded, or -1 */
	Vector	   *vectors;		/* for each column, allocated when needed */
	int64		chosen;			/* of which vector rows were chosen, or -1 */
	bool	   *wanted_rows;	/* of that vector; NULL if none are chosen */
	int64		ready_upto;		/* rows up to here only have to be put into the slot */
	const TupleTableSlot *prepared; /* the slot of the row before: it has NULL for columns that are not wanted */

	/* Counts */
	uint64		groups_read;
	uint64		groups_skipped;
};

/* ----------------------------------------------------------------
 * Begin and end
 * ----------------------------------------------------------------
 */

static void
open_what_there_is(Cursor *cursor)
{
	cursor->store = open_store(cursor->rel, false);
	cursor->reader = cursor->store ? begin_chunks(cursor->store, cursor->snapshot) : NULL;
	cursor->pending = pin_pending(cursor->rel, cursor->snapshot);
}

/* Leaves the current group, and frees all that was read of it. */
static void
leave_group(Cursor *cursor)
{
	cursor->group = NULL;
	cursor->in_memory = NULL;
	cursor->vector = cursor->chosen = -1;
	cursor->ready_upto = 0;
	cursor->prepared = NULL;
	MemoryContextReset(cursor->vector_context);
	MemoryContextReset(cursor->group_context);
}

/* Leaves the current group and closes the TOAST relation, before the cursor is used again or ended. */
static void
close_everything(Cursor *cursor)
{
	leave_group(cursor);
	unpin_pending(cursor->pending);
	cursor->pending = NIL;
	cursor->gap_from = cursor->gap_upto = 0;
	if (cursor->reader)
		end_chunks(cursor->reader);
	if (cursor->store)
		close_store(cursor->store);
	cursor->reader = NULL;
	cursor->store = NULL;
}

/* Dropped columns need not be read; what was decoded of others is forgotten. */
static void
choose_columns(Cursor *cursor)
{
	cursor->wanted = MemoryContextAlloc(cursor->context, Max(cursor->desc->natts, 1) * sizeof(int));
	cursor->nwanted = 0;
	cursor->prepared = NULL;
	cursor->ready_upto = 0;
	cursor->vector = -1;
	for (int i = 0; i < cursor->desc->natts; i++)
		if ((cursor->all_columns || bms_is_member(i, cursor->columns)) && !TupleDescAttr(cursor->desc, i)->attisdropped)
			cursor->wanted[cursor->nwanted++] = i;
}

/* A table that ALTER TABLE rewrites has its new columns already; its rows are read with the old ones. */
static void
adopt_descriptor(Cursor *cursor, TupleDesc desc)
{
	cursor->desc = desc;
	cursor->vectors = MemoryContextAllocZero(cursor->context, Max(desc->natts, 1) * sizeof(Vector));
	choose_columns(cursor);
	if (cursor->group != NULL)
		cursor->group->desc = desc;
}

Cursor *
begin_cursor(Relation rel, Snapshot snapshot)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "reading groups", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Cursor	   *cursor = palloc0(sizeof(Cursor));

	cursor->rel = rel;
	cursor->snapshot = snapshot;
	cursor->context = context;
	cursor->group_context = AllocSetContextCreate(context, "a group", ALLOCSET_DEFAULT_SIZES);
	cursor->vector_context = AllocSetContextCreate(context, "a vector of rows", ALLOCSET_DEFAULT_SIZES);
	cursor->all_columns = true;
	adopt_descriptor(cursor, RelationGetDescr(rel));
	open_what_there_is(cursor);
	cursor_range(cursor, 0, MAX_ROWS);
	MemoryContextSwitchTo(old);
	return cursor;
}

void
end_cursor(Cursor *cursor)
{
	close_everything(cursor);
	MemoryContextDelete(cursor->context);
}

void
restart_cursor(Cursor *cursor)
{
	MemoryContext old = MemoryContextSwitchTo(cursor->context);

	close_everything(cursor);
	open_what_there_is(cursor);
	cursor_range(cursor, 0, MAX_ROWS);
	MemoryContextSwitchTo(old);
}

void
cursor_wants(Cursor *cursor, const Bitmapset *columns)
{
	cursor->columns = columns;
	cursor->all_columns = false;
	choose_columns(cursor);
}

void
cursor_skips(Cursor *cursor, SkipGroup skip, void *arg)
{
	cursor->skip = skip;
	cursor->skip_arg = arg;
}

void
cursor_chooses(Cursor *cursor, ChooseRows choose, void *arg)
{
	cursor->choose = choose;
	cursor->choose_arg = arg;
	cursor->wanted_rows = MemoryContextAlloc(cursor->context, ENCODING_VECTOR * sizeof(bool));
}

void
cursor_shares(Cursor *cursor, ClaimGroup claim, void *arg)
{
	cursor->claim = claim;
	cursor->claim_arg = arg;
}

void
cursor_range(Cursor *cursor, uint64 from, uint64 upto)
{
	cursor->low = from;
	cursor->high = upto;
	cursor->limited = from > 0 || upto < MAX_ROWS;
	cursor->ready_upto = 0;
	/* A group that the range begins in may be the one that is open. */
	if (cursor->group != NULL || cursor->in_memory != NULL)
		leave_group(cursor);
	cursor->next = from;
	cursor->started = false;
}

void
cursor_counts(const Cursor *cursor, uint64 *read, uint64 *skipped)
{
	*read = cursor->groups_read;
	*skipped = cursor->groups_skipped;
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

/* The nearest pinned group that begins at or after a row; or the last at or before it. */
static PendingGroup *
find_in_memory(const Cursor *cursor, ScanDirection direction, uint64 from)
{
	PendingGroup *best = NULL;
	ListCell   *cell;

	foreach(cell, cursor->pending)
	{
		PendingGroup *group = lfirst(cell);

		if (ScanDirectionIsForward(direction))
		{
			if (group->first >= from)
				return group;
		}
		else if (group->first <= from)
			best = group;
	}
	return best;
}

/*
 * Finds the next group header, but for groups sealed since they were pinned:
 * these are read from memory.
 */
static bool
find_header(Cursor *cursor, ScanDirection direction, uint64 from, Chunk *header)
{
	bool		forward = ScanDirectionIsForward(direction);

	while (cursor->reader != NULL)
	{
		bool		found = forward ? find_header_from(cursor->reader, from, header) :
			find_header_upto(cursor->reader, from, header);
		const PendingGroup *pinned = found ? find_in_memory(cursor, ForwardScanDirection, header->first) : NULL;

		if (pinned == NULL || pinned->first != header->first)
			return found;
		if (!forward && header->first == 0)
			return false;
		from = forward ? header->first + 1 : header->first - 1;
	}
	return false;
}

/* The group that begins nearest, from a row on. */
static bool
enter_nearest(Cursor *cursor, ScanDirection direction, uint64 from)
{
	PendingGroup *in_memory = find_in_memory(cursor, direction, from);
	Chunk		header;

	if (find_header(cursor, direction, from, &header) &&
		(in_memory == NULL ||
		 (ScanDirectionIsForward(direction) ? header.first < in_memory->first : header.first > in_memory->first)))
	{
		leave_group(cursor);
		cursor->group = open_group(cursor->reader, &header, cursor->group_context);
		cursor->group->desc = cursor->desc;
		cursor->nrows = cursor->group->header.nrows;
		cursor->first = cursor->group->first;
		cursor->last = group_last(cursor->group);
		return true;
	}
	if (in_memory == NULL)
		return false;
	leave_group(cursor);
	cursor->in_memory = in_memory;
	cursor->nrows = in_memory->nrows;
	cursor->first = in_memory->first;
	cursor->last = in_memory->first + in_memory->nrows - 1;
	return true;
}

static bool
has_group(const Cursor *cursor)
{
	return cursor->group != NULL || cursor->in_memory != NULL;
}

/* Do the scan's conditions exclude the current group?  Counts it as read or as skipped. */
static bool
is_skipped(Cursor *cursor)
{
	if (cursor->group == NULL || cursor->skip == NULL || !cursor->skip(cursor->skip_arg, cursor->group))
	{
		cursor->groups_read++;
		return false;
	}
	cursor->groups_skipped++;
	return true;
}

/* The index in the current group of the first row at or after the given one; nrows if there is none. */
static int64
index_from(const Cursor *cursor, uint64 row)
{
	if (row <= cursor->first)
		return 0;
	return row > cursor->last ? cursor->nrows : (int64) (row - cursor->first);
}

/*
 * Goes into the next group that has rows in the range.  The first one may have
 * begun before it.
 */
static bool
next_group_forward(Cursor *cursor)
{
	uint64		from = has_group(cursor) ? cursor->first + 1 : cursor->next;

	/* Stop at the end of the range: groups behind it may be damaged. */
	if (has_group(cursor) && cursor->last + 1 >= cursor->high)
	{
		leave_group(cursor);
		cursor->next = cursor->high;
		return false;
	}
	if (!has_group(cursor) && cursor->next == cursor->low && cursor->low > 0 && cursor->claim == NULL &&
		enter_nearest(cursor, BackwardScanDirection, cursor->low))
	{
		from = cursor->first + 1;
		if (cursor->last >= cursor->low && !is_skipped(cursor))
		{
			cursor->index = index_from(cursor, cursor->low) - 1;
			return true;
		}
	}
	while (enter_nearest(cursor, ForwardScanDirection, from))
	{
		CHECK_FOR_INTERRUPTS();
		if (cursor->first >= cursor->high)
			break;
		if (cursor->claim != NULL && !cursor->claim(cursor->claim_arg, &from, cursor->first + 1))
			continue;
		from = cursor->first + 1;
		if (is_skipped(cursor))
			continue;
		cursor->index = -1;
		return true;
	}
	leave_group(cursor);
	cursor->next = cursor->high;
	return false;
}

/* Enters the last group before the current one that is not skipped; false at the end. */
static bool
next_group_backward(Cursor *cursor)
{
	/* Below 0 there is nothing: 0 - 1 stands for that. */
	uint64		upto = (has_group(cursor) ? cursor->first : cursor->next) - 1;

	while (upto != PG_UINT64_MAX && enter_nearest(cursor, BackwardScanDirection, upto))
	{
		CHECK_FOR_INTERRUPTS();
		if (cursor->last < cursor->low)
			break;
		upto = cursor->first - 1;
		if (is_skipped(cursor))
			continue;
		cursor->index = index_from(cursor, cursor->high);
		return true;
	}
	leave_group(cursor);
	cursor->next = cursor->low;
	return false;
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/*
 * Loads the bytes of all wanted columns.  A scan that begins at a group's
 * first row will want all of them, and this takes fewer searches than vector
 * by vector.
 */
static void
load_columns(Cursor *cursor)
{
	RowGroup   *group = cursor->group;

	for (int i = 0; i < cursor->nwanted;)
	{
		int			first = cursor->wanted[i];
		uint64		from = 0;
		uint64		upto = 0;
		const char *wrong;

		/* Neighbours go together. */
		for (int column = first; i < cursor->nwanted && cursor->wanted[i] == column; column++, i++)
			if (column < group->header.natts)
			{
				const ColumnEntry *entry = &group->columns[column];

				from = column == first ? entry->offset : from;
				upto = Max(upto, entry->offset + entry->length);
			}
		wrong = load_bytes(group, from, upto);
		if (wrong != NULL)
			group_damaged(group, first, wrong);
	}
}

/* Decodes all columns wanted of a vector of the current group, unless it is decoded already. */
static void
decode_current(Cursor *cursor, int64 number)
{
	uint32		row = (uint32) number * ENCODING_VECTOR;

	cursor->vector = -1;
	cursor->prepared = NULL;
	MemoryContextReset(cursor->vector_context);
	if (row == 0)
		load_columns(cursor);
	for (int i = 0; i < cursor->nwanted; i++)
	{
		Vector	   *vector = &cursor->vectors[cursor->wanted[i]];

		if (vector->values == NULL)
		{
			vector->values = MemoryContextAlloc(cursor->context, ENCODING_VECTOR * sizeof(Datum));
			vector->nulls = MemoryContextAlloc(cursor->context, ENCODING_VECTOR * sizeof(bool));
		}
		read_vector(cursor->group, cursor->wanted[i], (uint32) number, cursor->vector_context,
					vector->values, vector->nulls);
	}
	cursor->vector = number;
	if (!cursor->limited)
		cursor->ready_upto = Min(cursor->nrows, row + ENCODING_VECTOR);
}

static inline uint64
current_number(const Cursor *cursor)
{
	return cursor->first + cursor->index;
}

/* Copies the wanted columns of the current row, which is in a decoded vector, into a slot that is prepared. */
static inline void
put_values(const Cursor *cursor, uint64 row, TupleTableSlot *slot)
{
	uint32		in_vector = (uint32) cursor->index % ENCODING_VECTOR;

	for (int i = 0; i < cursor->nwanted; i++)
	{
		int			column = cursor->wanted[i];

		slot->tts_isnull[column] = cursor->vectors[column].nulls[in_vector];
		slot->tts_values[column] = cursor->vectors[column].values[in_vector];
	}
	tid_of_row(row, &slot->tts_tid);
	slot->tts_tableOid = RelationGetRelid(cursor->rel);

	/* Like ExecStoreVirtualTuple(): all slots that rows of ours come in are virtual. */
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = slot->tts_tupleDescriptor->natts;
}

/* Puts the current row into the slot; columns that are not wanted are NULL. */
static void
put_row(Cursor *cursor, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	if (slot->tts_tupleDescriptor != cursor->desc)
		adopt_descriptor(cursor, slot->tts_tupleDescriptor);
	if (cursor->group != NULL && cursor->index / ENCODING_VECTOR != cursor->vector)
		decode_current(cursor, cursor->index / ENCODING_VECTOR);
	if (slot != cursor->prepared)
	{
		memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
		memset(slot->tts_values, 0, slot->tts_tupleDescriptor->natts * sizeof(Datum));
		cursor->prepared = slot;
	}
	if (cursor->group != NULL)
	{
		put_values(cursor, current_number(cursor), slot);
		return;
	}
	for (int i = 0; i < cursor->nwanted; i++)
	{
		int			column = cursor->wanted[i];

		slot->tts_values[column] = pending_value(cursor->in_memory, cursor->index, column, cursor->desc, &slot->tts_isnull[column]);
	}
	tid_of_row(current_number(cursor), &slot->tts_tid);
	slot->tts_tableOid = RelationGetRelid(cursor->rel);
	ExecStoreVirtualTuple(slot);
}

/* Asks for the rows wanted of a vector when it comes to it. */
static bool
is_wanted(Cursor *cursor)
{
	int64		vector = cursor->index / ENCODING_VECTOR;

	if (cursor->choose == NULL || cursor->group == NULL)
		return true;
	if (vector != cursor->chosen)
	{
		CHECK_FOR_INTERRUPTS();
		cursor->choose(cursor->choose_arg, cursor->chosen < 0, (uint32) vector, cursor->wanted_rows);
		cursor->chosen = vector;
	}
	return cursor->wanted_rows[cursor->index % ENCODING_VECTOR];
}

/*
 * Both stop at the first row beyond the range, and pass over those that they meet
 * on the way back, and over those that are not wanted.
 */
static bool
cursor_forward(Cursor *cursor)
{
	cursor->started = true;
	if (!has_group(cursor) && !next_group_forward(cursor))
		return false;
	do
	{
		while (++cursor->index >= cursor->nrows)
			if (!next_group_forward(cursor))
				return false;
	} while ((cursor->limited && current_number(cursor) < cursor->low) || !is_wanted(cursor));
	return !cursor->limited || current_number(cursor) < cursor->high;
}

/* Moves to the previous row in the range; false at the end. */
static bool
cursor_backward(Cursor *cursor)
{
	if (!cursor->started)
		cursor->next = cursor->high;
	cursor->started = true;
	if (!has_group(cursor) && !next_group_backward(cursor))
		return false;
	do
	{
		while (--cursor->index < 0)
			if (!next_group_backward(cursor))
				return false;
	} while ((cursor->limited && current_number(cursor) >= cursor->high) || !is_wanted(cursor));
	return !cursor->limited || current_number(cursor) >= cursor->low;
}

bool
cursor_next(Cursor *cursor, ScanDirection direction, TupleTableSlot *slot)
{
	/* Most rows are the next of a vector that is decoded, and go into the slot of the row before. */
	if (cursor->index + 1 < cursor->ready_upto && slot == cursor->prepared && ScanDirectionIsForward(direction) &&
		!TTS_SHOULDFREE(slot) && (cursor->choose == NULL || cursor->wanted_rows[(cursor->index + 1) % ENCODING_VECTOR]))
	{
		cursor->index++;
		put_values(cursor, cursor->first + cursor->index, slot);
		return true;
	}
	if (ScanDirectionIsForward(direction) ? cursor_forward(cursor) : cursor_backward(cursor))
	{
		put_row(cursor, slot);
		return true;
	}
	ExecClearTuple(slot);
	return false;
}

bool
cursor_next_group(Cursor *cursor, uint32 *nrows)
{
	cursor->started = true;
	if (!next_group_forward(cursor))
		return false;
	*nrows = cursor->nrows;
	return true;
}

RowGroup *
cursor_group(const Cursor *cursor)
{
	return cursor->group;
}

const PendingGroup *
cursor_pending(const Cursor *cursor)
{
	return cursor->in_memory;
}

/* Is the row with this number in the current group? */
static bool
is_in_current(const Cursor *cursor, uint64 row)
{
	return has_group(cursor) && row >= cursor->first && row <= cursor->last;
}

/* Makes the group that has a row the current one; false if no group has it. */
static bool
enter_group_of(Cursor *cursor, uint64 row)
{
	PendingGroup *in_memory;
	Chunk		header;

	if (row >= cursor->gap_from && row < cursor->gap_upto)
		return false;
	if (enter_nearest(cursor, BackwardScanDirection, row) && is_in_current(cursor, row))
	{
		cursor->groups_read++;
		return true;
	}
	/* Numbers were used up by rows that were rolled back, and many of them together. */
	in_memory = find_in_memory(cursor, ForwardScanDirection, row);
	cursor->gap_from = row;
	cursor->gap_upto = in_memory ? in_memory->first : MAX_ROWS;
	if (find_header(cursor, ForwardScanDirection, row, &header))
		cursor->gap_upto = Min(cursor->gap_upto, header.first);
	return false;
}

bool
cursor_row(Cursor *cursor, uint64 row, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	if (!is_in_current(cursor, row) && !enter_group_of(cursor, row))
		return false;
	cursor->index = row - cursor->first;
	put_row(cursor, slot);
	return true;
}
