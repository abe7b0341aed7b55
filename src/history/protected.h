/*
 * protected.h
 *		Which values a publication protects.
 */
#ifndef PPREPUB_HISTORY_PROTECTED_H
#define PPREPUB_HISTORY_PROTECTED_H

#include "frame/load.h"
#include "history/recall.h"

/* The table that lists them, or InvalidOid for all. */
extern Oid	protected_list(const DeclaredPublication *publication);

/* Those of all that its releases showed: [seen.nvalues] in the current context, or NULL for all.  As the owner, inside SPI. */
extern const bool *protected_values(const DeclaredPublication *publication, const Recalled *recalled);

/* The values of the log that a list of values has: such a table as parameter "transient" names. */
extern bool *listed_values(const DeclaredPublication *publication, Oid table, const Recalled *recalled);

/* Those of a frame that is being read: as the owner, inside SPI. */
extern void load_protected_values(const DeclaredPublication *publication, FrameLoad *load);

#endif							/* PPREPUB_HISTORY_PROTECTED_H */
