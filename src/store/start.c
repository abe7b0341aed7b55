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
							"Sets how much memory unwritten rows of tables of access method pprepub may take.",
							NULL, &store_memory, 32 * 1024, 1024, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	start_pending();
	start_planning();
	start_aggregates();
}
