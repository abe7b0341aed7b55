/*
 * helpers.h
 *		Members of neighborhoods who were not asked for, but may be needed to
 *		protect those who were.
 */
#ifndef PPREPUB_HISTORY_HELPERS_H
#define PPREPUB_HISTORY_HELPERS_H

#include "postgres.h"

#include "history/fold.h"

/* The past as it will be, with the codes of load_peek(). */
extern Past peek_at_past(const Fold *fold, const Code *code);

/*
 * As the owner, inside SPI, before the load is finished: reads the rows of all
 * members of the neighborhoods that are wanted, as far as they are there.
 */
extern void fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted);

#endif							/* PPREPUB_HISTORY_HELPERS_H */
