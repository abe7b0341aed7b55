/*
 * refuse.h
 *		What a table of ours cannot do: one error, from one place.
 */
#ifndef PPREPUB_STORE_REFUSE_H
#define PPREPUB_STORE_REFUSE_H

#include "postgres.h"

#include "compat.h"
#include "utils/rel.h"

typedef enum Refusal
{
	REFUSE_UPDATE,
	REFUSE_DELETE,
	REFUSE_LOCK,
	REFUSE_CONFLICT,
	REFUSE_CLUSTER,
	REFUSE_BRIN,
	REFUSE_BITMAP,
	REFUSE_PARALLEL,
	REFUSE_SYSTEM_COLUMN,
	REFUSE_MOVE_PENDING
} Refusal;

pg_noreturn extern void refuse(Relation rel, Refusal what);

#endif							/* PPREPUB_STORE_REFUSE_H */
