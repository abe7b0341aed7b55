/*
 * memory.c
 *		Memory that the sessions of a server share.
 */
#include "shared/memory.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

/* Keeps others from allocating it at once; an error must neither get out nor leave the lock taken. */
void *
memory_of_sessions(const char *name, Size size, void (*initialize) (void *fresh))
{
	MemoryContext context = CurrentMemoryContext;
	void	   *volatile found = NULL;
	bool		is_there;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	PG_TRY();
	{
		found = ShmemInitStruct(name, size, &is_there);
		if (!is_there)
			initialize(found);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		HOLD_INTERRUPTS();		/* errfinish() reset the count, which LWLockRelease() lowers */
	}
	PG_END_TRY();
	LWLockRelease(AddinShmemInitLock);
	return found;
}
