/*
 * recalled_aspects.h
 *		The values of the log as principles judge them.
 */
#ifndef PPREPUB_HISTORY_RECALLED_ASPECTS_H
#define PPREPUB_HISTORY_RECALLED_ASPECTS_H

#include "history/recall.h"

/*
 * The aspects of recalled values, by codes of Seen, and the distribution that sets are compared with: that of the first
 * release of which the log tells; never NULL.  In the current context.
 */
extern const Aspects *aspects_of_recalled(const DeclaredPublication *publication, const Recalled *recalled);

#endif							/* PPREPUB_HISTORY_RECALLED_ASPECTS_H */
