/*
 * heap_reader.h
 *		Reading a heap of ours of whose many rows few matter.
 */
#ifndef PPREPUB_HISTORY_HEAP_READER_H
#define PPREPUB_HISTORY_HEAP_READER_H

#include "postgres.h"

#include "access/htup.h"
#include "executor/tuptable.h"
#include "history/space.h"

/*
 * As read_each() of reader.h, but visits only rows of which matters(), which is
 * called for all and should be quick, says so; NULL for all rows.  Notes, before
 * rows are cleared away in passing, which pages are loose.
 */
extern void read_heap(Oid table, bool (*matters) (void *what, HeapTupleHeader row),
					  void (*visit) (void *what, TupleTableSlot *slot), void *what, LoosePages *loose);

#endif							/* PPREPUB_HISTORY_HEAP_READER_H */
