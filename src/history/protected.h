/*
 * protected.h
 *		Which values a publication protects, of all that its releases showed.
 */
#ifndef PPREPUB_HISTORY_PROTECTED_H
#define PPREPUB_HISTORY_PROTECTED_H

#include "history/recall.h"

/* [seen.nvalues] in the current context, or NULL for all.  As the owner, inside SPI. */
extern const bool *protected_values(const DeclaredPublication *publication, const Recalled *recalled);

/* The values of the log that a list of values has: such a table as parameter "transient" names. */
extern bool *listed_values(Oid table, const Recalled *recalled);

#endif							/* PPREPUB_HISTORY_PROTECTED_H */
