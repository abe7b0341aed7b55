/*
 * heap_reader.h
 *		Reading a heap of ours, most of whose rows are soon done with.
 */
#ifndef PPREPUB_HISTORY_HEAP_READER_H
#define PPREPUB_HISTORY_HEAP_READER_H

#include "postgres.h"

#include "access/htup.h"
#include "executor/tuptable.h"
#include "history/space.h"

/*
 * As read_each() of reader.h, but visits only rows of which take(), which sees all
 * where they stand in their pages and should be quick, says false; NULL for all
 * rows.  Notes, before rows are cleared away in passing, which pages are loose.
 */
extern void read_heap(Oid table, bool (*take) (void *what, HeapTupleHeader row, const ItemPointerData *tid),
					  void (*visit) (void *what, TupleTableSlot *slot), void *what, LoosePages *loose);

#endif							/* PPREPUB_HISTORY_HEAP_READER_H */
