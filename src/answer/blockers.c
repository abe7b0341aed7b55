/*
 * blockers.c
 *		A walk from a process to those whom it waits for.
 */
#include "answer/blockers.h"

#include "answer/worker_registry.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"

/* What pg_blocking_pids() calls this process: a group of parallel workers by its leader. */
static int
my_pid(void)
{
	return MyProc->lockGroupLeader != NULL ? MyProc->lockGroupLeader->pid : MyProcPid;
}

static List *
add_blockers(List *pids, int pid)
{
	ArrayType  *blockers = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids, Int32GetDatum(pid)));
	const int32 *values = (const int32 *) ARR_DATA_PTR(blockers);
	int			n = ArrayGetNItems(ARR_NDIM(blockers), ARR_DIMS(blockers));

	for (int i = 0; i < n; i++)
		if (values[i] != 0)		/* a prepared transaction waits for nobody */
			pids = list_append_unique_int(pids, values[i]);
	pfree(blockers);
	return pids;
}

/* Who asks waits for a worker, without a lock. */
static List *
add_worker(List *pids, int pid)
{
	int			worker = worker_engaged_by(pid);

	return worker == 0 ? pids : list_append_unique_int(pids, worker);
}

bool
waits_for_me(int pid)
{
	List	   *pids = list_make1_int(pid);
	bool		found;

	for (int i = 0; i < list_length(pids); i++)
	{
		CHECK_FOR_INTERRUPTS();
		pids = add_blockers(pids, list_nth_int(pids, i));
		pids = add_worker(pids, list_nth_int(pids, i));
	}
	found = list_member_int(pids, my_pid());
	list_free(pids);
	return found;
}
