/*
 * past_rebuild.h
 *		Neighborhoods and paths, made anew from the log.
 */
#ifndef PPREPUB_HISTORY_PAST_REBUILD_H
#define PPREPUB_HISTORY_PAST_REBUILD_H

#include "postgres.h"

#include "history/atoms.h"
#include "history/past_tables.h"
#include "history/recall.h"

/*
 * Both fill a table, which has no rows any more, as the owner, inside SPI.  Neighborhoods get numbers
 * after the last one given, which no row has had: so nothing is taken for a row that somebody knew.
 */
extern void neighborhoods_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, int64 last);
extern void paths_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table);

#endif							/* PPREPUB_HISTORY_PAST_REBUILD_H */
