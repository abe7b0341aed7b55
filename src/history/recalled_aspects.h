/*
 * recalled_aspects.h
 *		The values of the log as principles judge them.
 */
#ifndef PPREPUB_HISTORY_RECALLED_ASPECTS_H
#define PPREPUB_HISTORY_RECALLED_ASPECTS_H

#include "history/recall.h"

/*
 * The aspects of recalled values, by codes of Seen, and the distribution that sets are compared with; never NULL.  It is that
 * of the publication; where it has none, that which it would have if it had been kept from the beginning, as far as the log tells.
 * In the current context, as the owner, inside SPI.
 */
extern const Aspects *aspects_of_recalled(const DeclaredPublication *publication, const Recalled *recalled);

#endif							/* PPREPUB_HISTORY_RECALLED_ASPECTS_H */
