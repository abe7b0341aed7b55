/*
 * stored_neighborhood.c
 *		Taking rows of the table of neighborhoods apart.
 *
 * NOTES
 *		A release reads all of them, and most are alike: no invented rows, and
 *		small enough to stand in the page.  These are taken where they stand,
 *		which is several times as fast as by a slot.
 */
#include "history/stored_neighborhood.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "history/reader.h"

bool
is_neighborhood(const TupleTableSlot *slot)
{
	static const int always[] = {FOLD_NEIGHBORHOOD, FOLD_KEYS, FOLD_SENSITIVE};

	return row_has_values(slot, FOLD_COLUMNS, always, lengthof(always));
}

static Datum
value_in_slot(const TupleTableSlot *slot, int column)
{
	return slot->tts_isnull[column] ? (Datum) 0 : slot->tts_values[column];
}

/* Once, as it is looked at several times. */
static Datum
array_in_slot(const TupleTableSlot *slot, int column)
{
	return slot->tts_isnull[column] ? (Datum) 0 : PointerGetDatum(DatumGetArrayTypeP(slot->tts_values[column]));
}

StoredNeighborhood
neighborhood_in_slot(const TupleTableSlot *slot)
{
	return (StoredNeighborhood) {
		.tid = slot->tts_tid,
		.number = DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]),
		.keys = array_in_slot(slot, FOLD_KEYS),
		.invented = array_in_slot(slot, FOLD_INVENTED),
		.sensitive = value_in_slot(slot, FOLD_SENSITIVE),
	};
}

static inline bool
is_null(HeapTupleHeader row, int column)
{
	return (row->t_infomask & HEAP_HASNULL) && att_isnull(column, row->t_bits);
}

bool
members_in_page(HeapTupleHeader row, StoredNeighborhood *stored)
{
	const char *columns = (const char *) row + row->t_hoff;

	StaticAssertStmt(FOLD_NEIGHBORHOOD == 0 && FOLD_KEYS == 1, "nothing stands before the keys but the number");
	if (HeapTupleHeaderGetNatts(row) < FOLD_COLUMNS || is_null(row, FOLD_NEIGHBORHOOD) || is_null(row, FOLD_KEYS))
		return false;
	memcpy(&stored->number, columns, sizeof(int64));
	stored->keys = PointerGetDatum(columns + sizeof(int64));	/* aligned enough for any array */
	return true;
}

/* What stands in a row behind a value. */
static Datum
next_in_page(HeapTupleHeader row, Datum value, char align)
{
	Size		at = DatumGetPointer(value) + VARSIZE_ANY(value) - (char *) row;

	return PointerGetDatum((char *) row + att_align_pointer(at, align, -1, (char *) row + at));
}

/* Neither compressed nor elsewhere. */
static bool
is_whole(Datum value)
{
	return !VARATT_IS_EXTERNAL(value) && !VARATT_IS_COMPRESSED(value);
}

bool
rest_in_page(HeapTupleHeader row, const Element *sensitive, StoredNeighborhood *stored)
{
	char		align = sensitive->align == TYPALIGN_DOUBLE ? TYPALIGN_DOUBLE : TYPALIGN_INT;

	StaticAssertStmt(FOLD_INVENTED == 2 && FOLD_SENSITIVE == 3, "the values of the members follow their keys");
	Assert(is_whole(stored->keys));
	if (!is_null(row, FOLD_INVENTED) || is_null(row, FOLD_SENSITIVE))
		return false;
	stored->invented = (Datum) 0;
	stored->sensitive = next_in_page(row, stored->keys, align);
	return is_whole(stored->sensitive);
}
