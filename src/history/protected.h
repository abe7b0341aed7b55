/*
 * protected.h
 *		Which values a publication protects.
 */
#ifndef PPREPUB_HISTORY_PROTECTED_H
#define PPREPUB_HISTORY_PROTECTED_H

#include "frame/load.h"
#include "history/recall.h"

/* Returns the table that lists the protected values, or InvalidOid if all values are. */
extern Oid	protected_list(const DeclaredPublication *publication);

/* Marks the protected values of the log: [seen.nvalues], or NULL for all.  Callers act as the owner, inside SPI. */
extern const bool *protected_values(const DeclaredPublication *publication, const Recalled *recalled);

/* Marks the values of the log that are in a list, a table like the one of parameter "transient". */
extern bool *listed_values(const DeclaredPublication *publication, Oid table, const Recalled *recalled);

/* Tells a load which values are protected.  Callers act as the owner, inside SPI. */
extern void load_protected_values(const DeclaredPublication *publication, FrameLoad *load);

#endif							/* PPREPUB_HISTORY_PROTECTED_H */
