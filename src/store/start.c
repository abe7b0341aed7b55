/*
 * start.c
 *		Settings, callbacks and hooks of the access method.  See store.h.
 */
#include "postgres.h"

#include "store/store.h"

#include "store/aggregate.h"
#include "store/pending.h"
#include "store/plan.h"
#include "utils/guc.h"

void
start_store(void)
{
	DefineCustomIntVariable("pprepub.store_memory",
							"How much memory rows take that are inserted into tables of the access method pprepub, "
							"until they are written.",
							NULL, &store_memory, 32 * 1024, 1024, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	start_pending();
	start_planning();
	start_aggregates();
}
