/*
 * counterfeits.h
 *		How many rows of each class are invented, where readers of releases may
 *		know it.
 *
 * A plain table of TARGET_private, NAME_counterfeits, behind a view of the same
 * name in TARGET: a reader who counts in a release can correct for what is invented.
 * Classes without invented rows have no row in it.
 */
#ifndef PPREPUB_HISTORY_COUNTERFEITS_H
#define PPREPUB_HISTORY_COUNTERFEITS_H

#include "postgres.h"

#include "declare/publication.h"
#include "history/writer.h"

/* The table, made when it is not there yet: as the owner, inside SPI. */
extern Oid	counterfeits_ensure(const DeclaredPublication *publication);

/* Does the publication's method let readers know? */
extern bool tells_counterfeits(const DeclaredPublication *publication);

extern void counterfeits_add(RowWriter *writer, int32 release, int64 class, int64 counterfeits);

#endif							/* PPREPUB_HISTORY_COUNTERFEITS_H */
