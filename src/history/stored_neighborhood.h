/*
 * stored_neighborhood.h
 *		A row of the table of neighborhoods, wherever it stands.
 */
#ifndef PPREPUB_HISTORY_STORED_NEIGHBORHOOD_H
#define PPREPUB_HISTORY_STORED_NEIGHBORHOOD_H

#include "postgres.h"

#include "access/htup.h"
#include "executor/tuptable.h"
#include "history/element.h"
#include "storage/itemptr.h"

/* The table's columns. */
enum
{
	FOLD_NEIGHBORHOOD,
	FOLD_KEYS,
	FOLD_INVENTED,
	FOLD_SENSITIVE,
	FOLD_COLUMNS
};

typedef struct StoredNeighborhood
{
	ItemPointerData tid;
	int64		number;
	Datum		keys;			/* whole arrays, perhaps with a short header */
	Datum		invented;		/* the same, or 0 */
	Datum		sensitive;		/* as it was stored, as few of these may be wanted */
} StoredNeighborhood;

/* Has the row what each neighborhood has? */
extern bool is_neighborhood(const TupleTableSlot *slot);

/* What a slot says of one.  Makes keys whole that are not, in the current context. */
extern StoredNeighborhood neighborhood_in_slot(const TupleTableSlot *slot);

/*
 * The number and the keys alone of one that stands in a page, which may be all
 * that anybody asks about; false where one is NULL.
 */
extern bool members_in_page(HeapTupleHeader row, StoredNeighborhood *stored);

/*
 * All else, where members_in_page() was true and the keys are in the page; false
 * if some other value is not, or if there are invented rows: it takes a slot.
 */
extern bool rest_in_page(HeapTupleHeader row, const Element *sensitive, StoredNeighborhood *stored);

#endif							/* PPREPUB_HISTORY_STORED_NEIGHBORHOOD_H */
