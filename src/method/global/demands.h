/*
 * demands.h
 *		What the people of a frame demand of their classes, after all that linked
 *		them to values before.
 */
#ifndef PPREPUB_METHOD_GLOBAL_DEMANDS_H
#define PPREPUB_METHOD_GLOBAL_DEMANDS_H

#include "history/paths.h"
#include "method/global/strategy.h"
#include "partition/ratios.h"

/* Everything is allocated in the current context; frame, paths (or NULL) and strategy are borrowed. */
extern const Ratios *demands_of(const Frame *frame, const Paths *paths, const Strategy *strategy);

/* Can no class whatsoever link the row to its value any more? */
extern bool is_exhausted(const Ratios *ratios, RowId row);

#endif							/* PPREPUB_METHOD_GLOBAL_DEMANDS_H */
