/*
 * progress.c
 *		Slots in shared memory, one for each command that runs; and such memory.
 *
 * NOTES
 *		A session takes a slot when a command begins, by a single atomic exchange, and gives it back when the command ends,
 *		or its transaction or subtransaction does.  There is no lock: nobody waits for a slot, or for somebody who looks at it.
 *		Where all slots are taken, or shared memory had no room for them, a command runs as ever, and is not shown.
 *
 *		A slot is written by the session that has taken it.  It counts its changes, and the count is odd while there is one:
 *		those who read copy a row until the count is even, and the same before and after (as in pgstat.h).  What is done is
 *		written without that, as a whole; a new phase sets it to 0 in the same change.
 */
#include "shared/progress.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/pmsignal.h"
#include "storage/shmem.h"
#include "utils/memutils.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#define MEMORY_NAME		"pprepub progress 1"
#define NSLOTS			32		/* commands that take minutes are few */
#define WATCH_MS		1000	/* how often a command looks for the postmaster */

typedef struct ProgressSlot
{
	pg_atomic_uint32 taken_by;	/* a pid, or 0 */
	volatile uint32 changes;
	ProgressRow row;			/* its pid is 0 where there is none */
	pg_atomic_uint64 done;		/* the row's */
} ProgressSlot;

pg_atomic_uint64 *progress_counter = NULL;

static ProgressSlot *slots = NULL;
static bool is_out_of_memory = false;

/* The slot of this session's command, or NULL. */
static ProgressSlot *own = NULL;

/* How long its command was in each phase that has ended, and which one it is in. */
static PhaseTime times[MOST_PHASES];
static int	ntimes = 0;
static const char *running = NULL;

/* At which levels of subtransactions the commands of this session began, the one that is shown first. */
static List *levels = NIL;

/* Looks for the postmaster, where it is not MAX_TIMEOUTS. */
static TimeoutId watch = MAX_TIMEOUTS;

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

/* ---- Commands ---- */

/* Writes the whole row of the own slot; what is done begins with 0. */
static void
write_row(const ProgressRow *row)
{
	own->changes++;
	pg_write_barrier();
	own->row = *row;
	pg_atomic_write_u64(&own->done, 0);
	pg_write_barrier();
	own->changes++;
}

/* Ends commands until this many are left.  What is shown is counted on when the first is alone again. */
static void
end_all_but(int n)
{
	if (n > 0)
	{
		levels = list_truncate(levels, n);
		if (n == 1 && own != NULL)
			progress_counter = &own->done;
		return;
	}
	list_free(levels);
	levels = NIL;
	progress_counter = NULL;
	if (watch != MAX_TIMEOUTS)
		disable_timeout(watch, false);
	if (own == NULL)
		return;
	write_row(&(ProgressRow) {0});
	pg_write_barrier();
	pg_atomic_write_u32(&own->taken_by, 0);
	own = NULL;
}

/* When the session ends, whatever has gone wrong in its last transaction. */
static void
session_ends(int code, Datum arg)
{
	end_all_but(0);
}

/* No command outlives its transaction. */
static void
transaction_ends(XactEvent event, void *arg)
{
	if (levels != NIL && (event == XACT_EVENT_ABORT || event == XACT_EVENT_COMMIT || event == XACT_EVENT_PREPARE))
		end_all_but(0);
}

/* An error that is caught ends the commands that began in the subtransaction, and no others. */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId subid, SubTransactionId parent, void *arg)
{
	int			n = list_length(levels);

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (n > 0 && list_nth_int(levels, n - 1) >= GetCurrentTransactionNestLevel())
		n--;
	if (n < list_length(levels))
		end_all_but(n);
}

/* Makes all slots free. */
static void
initialize(void *fresh)
{
	ProgressSlot *slot = fresh;

	memset(fresh, 0, sizeof(ProgressSlot) * NSLOTS);
	for (int i = 0; i < NSLOTS; i++)
	{
		pg_atomic_init_u32(&slot[i].taken_by, 0);
		pg_atomic_init_u64(&slot[i].done, 0);
	}
}

/* Attaches to the slots at first use; false where shared memory had no room for them, which is not tried again. */
static bool
has_slots(void)
{
	if (slots != NULL || is_out_of_memory)
		return slots != NULL;
	slots = memory_of_sessions(MEMORY_NAME, sizeof(ProgressSlot) * NSLOTS, initialize);
	is_out_of_memory = slots == NULL;
	if (is_out_of_memory)
		return false;
	RegisterXactCallback(transaction_ends, NULL);
	RegisterSubXactCallback(subtransaction_ends, NULL);
	before_shmem_exit(session_ends, (Datum) 0);
	return true;
}

/*
 * A session that waits notices that the postmaster has gone, but a command may compute for minutes.  It would keep the shared
 * memory, and so the next start, for so long.  Runs as a handler of a signal.
 */
static void
look_for_postmaster(void)
{
	if (PostmasterIsAlive())
		return;
	ProcDiePending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

void
progress_begin(const char *command, Oid owner, const char *publication)
{
	TimestampTz now = GetCurrentTimestamp();
	ProgressRow row = {.pid = MyProcPid, .database = MyDatabaseId, .owner = owner, .caller = GetOuterUserId(), .since = now, .phase_since = now};
	MemoryContext old;

	if (!has_slots())
		return;
	old = MemoryContextSwitchTo(TopMemoryContext);
	levels = lappend_int(levels, GetCurrentTransactionNestLevel());
	MemoryContextSwitchTo(old);
	progress_counter = NULL;
	if (list_length(levels) > 1)
		return;
	if (IsUnderPostmaster)
	{
		if (watch == MAX_TIMEOUTS)
			watch = RegisterTimeout(USER_TIMEOUT, look_for_postmaster);
		enable_timeout_every(watch, TimestampTzPlusMilliseconds(now, WATCH_MS), WATCH_MS);
	}
	for (int i = 0; i < NSLOTS && own == NULL; i++)
	{
		uint32		nobody = 0;

		if (pg_atomic_compare_exchange_u32(&slots[i].taken_by, &nobody, (uint32) MyProcPid))
			own = &slots[i];
	}
	if (own == NULL)
		return;
	strlcpy(row.publication, publication, sizeof(row.publication));
	strlcpy(row.command, command, sizeof(row.command));
	strlcpy(row.phase, "begin", sizeof(row.phase));
	write_row(&row);
	ntimes = 0;
	running = "begin";
	progress_counter = &own->done;
}

void
progress_end(void)
{
	if (levels != NIL)
		end_all_but(list_length(levels) - 1);
}

/* Adds the time of the running phase to a list. */
static int
add_running(PhaseTime *list, int n)
{
	int			i = 0;

	while (i < n && strcmp(list[i].phase, running) != 0)
		i++;
	if (i == n && n < MOST_PHASES)
		list[n++] = (PhaseTime) {running, 0};
	list[Min(i, n - 1)].seconds += (GetCurrentTimestamp() - own->row.phase_since) / 1e6;
	return n;
}

void
progress_phase(const char *phase, uint64 total)
{
	ProgressRow row;

	if (progress_counter == NULL)
		return;
	ntimes = add_running(times, ntimes);
	running = phase;
	row = own->row;
	strlcpy(row.phase, phase, sizeof(row.phase));
	row.total = total;
	row.phase_since = GetCurrentTimestamp();
	write_row(&row);
}

int
progress_times(PhaseTime list[MOST_PHASES])
{
	if (progress_counter == NULL)
		return 0;
	memcpy(list, times, sizeof(PhaseTime) * ntimes);
	return add_running(list, ntimes);
}

ProgressRow *
progress_rows(int *n)
{
	ProgressRow *rows = palloc(sizeof(ProgressRow) * NSLOTS);

	*n = 0;
	for (int i = 0; has_slots() && i < NSLOTS; i++)
	{
		const ProgressSlot *slot = &slots[i];
		uint32		before;
		uint32		after;

		do
		{
			CHECK_FOR_INTERRUPTS();
			before = slot->changes;
			pg_read_barrier();
			rows[*n] = slot->row;
			rows[*n].done = pg_atomic_read_u64(unconstify(pg_atomic_uint64 *, &slot->done));
			pg_read_barrier();
			after = slot->changes;
		} while (before != after || before % 2 != 0);
		*n += rows[*n].pid != 0;
	}
	return rows;
}
