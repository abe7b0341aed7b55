/*
 * crew.c
 *		Portions are partitioned by parallel workers and by the process that hands
 *		them out.
 *
 * DESKS
 *		A portion lies on a desk, in shared memory.  The leader puts it there and takes
 *		it away; between that, whoever is the first to take it partitions it, a worker
 *		or the leader.  There are more desks than workers, so that these need not wait
 *		while the leader cuts.
 *
 *		Nothing waits for a worker that has not come: its portions are taken by
 *		others.  If one dies, or an error or a cancel ends the leader's statement,
 *		PostgreSQL ends the others.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "port/atomics.h"
#include "release/crew/crew.h"
#include "release/crew/packed_setting.h"
#include "storage/condition_variable.h"
#include "utils/wait_event.h"

/* Fewer rows are cut before a worker has started. */
#define ROWS_PER_WORKER 250000

#define KEY_OFFICE	1
#define KEY_SETTING	2
#define KEY_PORTIONS 3

typedef enum DeskState
{
	DESK_EMPTY,
	DESK_FULL,					/* a portion is to be partitioned */
	DESK_TAKEN,					/* somebody does */
	DESK_DONE
} DeskState;

/* In shared memory. */
typedef struct Office
{
	Size		bytes;			/* of a portion, at most */
	ConditionVariable filled;	/* a desk was, or no other will be */
	ConditionVariable done;
	pg_atomic_uint32 is_closed; /* nothing comes any more */
	int			ndesks;
	pg_atomic_uint32 desk[FLEXIBLE_ARRAY_MEMBER];	/* [ndesks] a DeskState */
} Office;

/* An office as a process sees it. */
typedef struct Clerk
{
	Office	   *office;
	char	   *portions;		/* [ndesks] each of office->bytes */
	Partitioner *partitioner;
} Clerk;

PGDLLEXPORT void pprepub_crew_worker(dsm_segment *segment, shm_toc *toc);

static DeskState
state_of(const Clerk *clerk, int desk)
{
	return pg_atomic_read_u32(&clerk->office->desk[desk]);
}

/* A process that sees the state sees all that was written to the portion before. */
static void
set_state(const Clerk *clerk, int desk, DeskState state)
{
	pg_write_barrier();
	pg_atomic_write_u32(&clerk->office->desk[desk], state);
}

static Portion *
portion_on(const Clerk *clerk, int desk)
{
	pg_read_barrier();
	return (Portion *) (clerk->portions + clerk->office->bytes * desk);
}

/* Takes a full desk for itself, and partitions what is on it; false if there is none. */
static bool
do_one(Clerk *clerk)
{
	for (int desk = 0; desk < clerk->office->ndesks; desk++)
	{
		uint32		expected = DESK_FULL;

		if (!pg_atomic_compare_exchange_u32(&clerk->office->desk[desk], &expected, DESK_TAKEN))
			continue;
		partition_portion(clerk->partitioner, portion_on(clerk, desk));
		set_state(clerk, desk, DESK_DONE);
		ConditionVariableSignal(&clerk->office->done);
		return true;
	}
	return false;
}

/* A worker's whole life. */
void
pprepub_crew_worker(dsm_segment *segment, shm_toc *toc)
{
	Clerk		clerk = {
		.office = shm_toc_lookup(toc, KEY_OFFICE, false),
		.portions = shm_toc_lookup(toc, KEY_PORTIONS, false),
		.partitioner = partitioner_create(setting_unpack(shm_toc_lookup(toc, KEY_SETTING, false)))
	};

	for (;;)
	{
		bool		is_closed = pg_atomic_read_u32(&clerk.office->is_closed) != 0;

		CHECK_FOR_INTERRUPTS();
		pg_read_barrier();
		if (do_one(&clerk))
			ConditionVariableCancelSleep();
		else if (is_closed)
			break;
		else
			ConditionVariableSleep(&clerk.office->filled, PG_WAIT_EXTENSION);
	}
	ConditionVariableCancelSleep();
}

/* ----------------------------------------------------------------
 * The leader
 * ----------------------------------------------------------------
 */

/* Takes away what is done, and fills empty desks while there are portions; false when nothing is left. */
static bool
serve_desks(Clerk *clerk, PortionSource *source, bool *has_more)
{
	bool		is_waiting = false;

	for (int desk = 0; desk < clerk->office->ndesks; desk++)
	{
		if (state_of(clerk, desk) == DESK_DONE)
		{
			source->take(source, portion_on(clerk, desk));
			set_state(clerk, desk, DESK_EMPTY);
		}
		if (state_of(clerk, desk) == DESK_EMPTY && *has_more)
		{
			*has_more = source->next(source, portion_on(clerk, desk), clerk->office->bytes) != NULL;
			if (*has_more)
			{
				set_state(clerk, desk, DESK_FULL);
				ConditionVariableSignal(&clerk->office->filled);
			}
		}
		is_waiting |= state_of(clerk, desk) != DESK_EMPTY;
	}
	return is_waiting;
}

static bool
has_done(const Clerk *clerk)
{
	for (int desk = 0; desk < clerk->office->ndesks; desk++)
		if (state_of(clerk, desk) == DESK_DONE)
			return true;
	return false;
}

/* Hands all portions out, and partitions some of them meanwhile. */
static void
lead(Clerk *clerk, PortionSource *source)
{
	bool		has_more = true;

	while (serve_desks(clerk, source, &has_more))
	{
		CHECK_FOR_INTERRUPTS();
		if (do_one(clerk))
			continue;
		while (!has_done(clerk))
			ConditionVariableSleep(&clerk->office->done, PG_WAIT_EXTENSION);
		ConditionVariableCancelSleep();
	}
	pg_atomic_write_u32(&clerk->office->is_closed, 1);
	ConditionVariableBroadcast(&clerk->office->filled);
}

/* Makes an office with empty desks in shared memory. */
static Office *
make_office(ParallelContext *context, int ndesks, Size bytes)
{
	Office	   *office = shm_toc_allocate(context->toc, offsetof(Office, desk) + sizeof(pg_atomic_uint32) * ndesks);

	office->bytes = bytes;
	office->ndesks = ndesks;
	ConditionVariableInit(&office->filled);
	ConditionVariableInit(&office->done);
	pg_atomic_init_u32(&office->is_closed, 0);
	for (int i = 0; i < ndesks; i++)
		pg_atomic_init_u32(&office->desk[i], DESK_EMPTY);
	shm_toc_insert(context->toc, KEY_OFFICE, office);
	return office;
}

/* Starts workers, and is one of those who partition. */
static void
partition_together(PortionSource *source, int nworkers, int ndesks, Size bytes, Size setting_bytes)
{
	ParallelContext *context;
	Clerk		clerk;
	char	   *setting;

	EnterParallelMode();
	context = CreateParallelContext("pprepub", "pprepub_crew_worker", nworkers);
	shm_toc_estimate_chunk(&context->estimator, offsetof(Office, desk) + sizeof(pg_atomic_uint32) * ndesks);
	shm_toc_estimate_chunk(&context->estimator, setting_bytes);
	shm_toc_estimate_chunk(&context->estimator, mul_size(bytes, ndesks));
	shm_toc_estimate_keys(&context->estimator, 3);
	InitializeParallelDSM(context);
	clerk.office = make_office(context, ndesks, bytes);
	setting = shm_toc_allocate(context->toc, setting_bytes);
	(void) setting_pack(source->setting, setting);
	shm_toc_insert(context->toc, KEY_SETTING, setting);
	clerk.portions = shm_toc_allocate(context->toc, bytes * ndesks);
	shm_toc_insert(context->toc, KEY_PORTIONS, clerk.portions);
	clerk.partitioner = partitioner_create(source->setting);
	LaunchParallelWorkers(context);
	lead(&clerk, source);
	WaitForParallelWorkersToFinish(context);
	DestroyParallelContext(context);
	ExitParallelMode();
}

/* Desks: two for each worker, and one more. */
#define DESKS_OF(nworkers)	(2 * (nworkers) + 1)

/* The workers that a query may have, as far as rows are enough for them, and memory that may be shared. */
static int
count_workers(const PortionSource *source, Size bytes, Size setting_bytes)
{
	uint64		worth = source->nrows / ROWS_PER_WORKER;
	Size		memory = maintenance_work_mem * (Size) 1024;
	int			nworkers = Min((uint64) max_parallel_workers_per_gather, worth);

	while (nworkers > 0 && bytes * DESKS_OF(nworkers) + setting_bytes > memory)
		nworkers--;
	return nworkers;
}

/* Does it with workers, or alone where there can be none. */
static void
partition_with_workers(PortionSource *source)
{
	Size		bytes = MAXALIGN(portion_bytes(source->setting, PORTION_RECORDS, PORTION_ROWS));
	Size		setting_bytes = setting_pack(source->setting, NULL);
	int			nworkers = IsInParallelMode() ? 0 : count_workers(source, bytes, setting_bytes);

	if (nworkers == 0)
		partition_alone(source);
	else
		partition_together(source, nworkers, DESKS_OF(nworkers), bytes, setting_bytes);
}

const Crew	parallel_workers = {partition_with_workers};
