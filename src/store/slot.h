/*
 * slot.h
 *		The slots that rows of our tables come in.
 */
#ifndef PPREPUB_STORE_SLOT_H
#define PPREPUB_STORE_SLOT_H

#include "postgres.h"

#include "executor/tuptable.h"

/* Virtual ones, but copies of their rows know where these stand. */
extern const TupleTableSlotOps *stored_slot_ops(void);

#endif							/* PPREPUB_STORE_SLOT_H */
