/*
 * idle.c
 *		Resting, between two questions of one owner.
 *
 * NOTES
 *		Settings that the source's code changed are gone with the transaction
 *		(worker.c); everything else that lives as long as a session is let go of
 *		here.  Roles cannot change, nor can there be anything that the
 *		restricted context forbids: temporary tables, prepared statements, held cursors, LISTEN.
 */
#include "answer/idle.h"

#include "answer/settings.h"
#include "answer/worker_registry.h"
#include "answer/worker_settings.h"
#include "catalog/pg_database.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "release/stopwatch.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#define LOOK_UP_MS	100			/* for those who wait that the database is left alone */
#define LIFE_S		600			/* then a new process heeds what has changed for new processes */

static void
forget_session(void)
{
	LockReleaseAll(USER_LOCKMETHOD, true);
	ResetSequenceCaches();
	ResetAllOptions();
	be_quiet();
	pgstat_report_stat(false);
}

static void
heed_configuration(void)
{
	if (!ConfigReloadPending)
		return;
	ConfigReloadPending = false;
	ProcessConfigFile(PGC_SIGHUP);
	be_quiet();
}

/* DROP, ALTER and CREATE DATABASE want nobody else in it, and lock it against who comes. */
static bool
is_database_wanted(void)
{
	LOCKTAG		tag;
	VirtualTransactionId *holders;
	int			count;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
	holders = GetLockConflicts(&tag, RowExclusiveLock, &count);
	pfree(holders);
	return count > 0;
}

static bool
is_old(void)
{
	return TimestampDifferenceExceeds(MyStartTimestamp, GetCurrentTimestamp(), LIFE_S * 1000);
}

bool
begin_rest(void)
{
	forget_session();
	return answer_linger > 0 && !is_old() && registry_rest();
}

Channel *
rest(void)
{
	Stopwatch	watch = stopwatch_start();
	dsm_handle	handle;
	Rest		state;

	while ((state = registry_look(stopwatch_seconds(&watch) * 1000.0 >= answer_linger || is_database_wanted(), &handle)) != REST_ENDED)
	{
		if (state == REST_ENGAGED)
		{
			Channel    *channel = channel_attach(handle);

			if (channel != NULL)
				return channel;
			(void) registry_rest();	/* nobody asks any more */
			continue;
		}
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Min(LOOK_UP_MS, answer_linger), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		heed_configuration();
	}
	return NULL;
}
