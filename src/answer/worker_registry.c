/*
 * worker_registry.c
 *		Places for workers, in what is left of shared memory.
 *
 * LOCKING
 *		One lightweight lock over all places: there are as many as background
 *		workers can be.  Nothing is done under it but looking and noting, which
 *		cannot fail, so that no process ends with it.  Latches are set, and
 *		others woken, when it has been let go of.
 *
 * LAYOUT
 *		What was once allocated stays until the server restarts, so the name
 *		carries a version, to be raised with each change of the structs.
 */
#include "answer/worker_registry.h"

#include <unistd.h>

#include "answer/settings.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/timestamp.h"

#define REGISTRY_NAME	"pprepub workers 7"
#define TRANCHE_NAME	"pprepub_workers"

#define IN_USE_MS		1000	/* who has rested less may be needed soon */

/* So often in a row somebody finds his publication's worker busy elsewhere before it gets one of its own. */
#define NEGLECTED		8

typedef enum PlaceState
{
	PLACE_FREE,
	PLACE_STARTING,				/* for a worker that somebody has just started, or was about to */
	PLACE_WORKING,
	PLACE_RESTING,
	PLACE_GIVEN,				/* a question that the worker has not picked up yet */
	PLACE_DISMISSED
} PlaceState;

typedef struct Place
{
	PlaceState	state;
	uint32		generation;		/* of the question at hand */
	int			pid;
	PGPROC	   *proc;			/* NULL while it starts */
	Oid			database;
	Oid			owner;
	int32		publications[KEPT_PUBLICATIONS];	/* that it, and no other, has answered about last; the
													 * question's at hand first; 0 for none */
	int			neglected;		/* looks in a row that found it busy elsewhere, and not all others, too */
	bool		is_held_up;		/* by others, with the answer at hand */
	bool		is_ending;		/* the answer is out: it rests in a moment */
	int			asker;
	dsm_handle	channel;
	TimestampTz rests_since;
	ConditionVariable rested;	/* or is held up, or has left */
} Place;

typedef struct Registry
{
	LWLock		lock;
	int			nplaces;
	Place		places[FLEXIBLE_ARRAY_MEMBER];
} Registry;

static Registry *registry = NULL;
static bool has_no_room = false;

/* This process's own, if it is a worker. */
static Place *own = NULL;

/* ----------------------------------------------------------------
 * The memory
 * ----------------------------------------------------------------
 */

static void
initialize(Registry *fresh)
{
	LWLockInitialize(&fresh->lock, LWLockNewTrancheId());
	fresh->nplaces = max_worker_processes;
	memset(fresh->places, 0, sizeof(Place) * fresh->nplaces);
	for (int i = 0; i < fresh->nplaces; i++)
		ConditionVariableInit(&fresh->places[i].rested);
}

/* NULL, rather than an error, when there is no room. */
static Registry *
find_or_allocate(void)
{
	MemoryContext context = CurrentMemoryContext;
	Registry   *volatile found = NULL;
	bool		is_there;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	PG_TRY();
	{
		found = ShmemInitStruct(REGISTRY_NAME,
								add_size(offsetof(Registry, places), mul_size(sizeof(Place), max_worker_processes)),
								&is_there);
		if (!is_there)
			initialize(found);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		HOLD_INTERRUPTS();		/* as they were before the error; the lock lets them go */
	}
	PG_END_TRY();
	LWLockRelease(AddinShmemInitLock);
	return found;
}

static bool
has_registry(void)
{
	if (registry == NULL && !has_no_room)
	{
		registry = find_or_allocate();
		has_no_room = registry == NULL;
		if (registry != NULL)
			LWLockRegisterTranche(registry->lock.tranche, TRANCHE_NAME);
	}
	return registry != NULL;
}

/* ----------------------------------------------------------------
 * For who asks
 * ----------------------------------------------------------------
 */

static bool
is_for(const Place *place, Oid owner)
{
	return place->database == MyDatabaseId && place->owner == owner;
}

/* The one that has rested longest: of an owner in this database, or of all others. */
static Place *
find_resting(Oid owner, bool is_owners)
{
	Place	   *found = NULL;

	for (int i = 0; i < registry->nplaces; i++)
	{
		Place	   *place = &registry->places[i];

		if (place->state != PLACE_RESTING || is_for(place, owner) != is_owners)
			continue;
		if (found == NULL || place->rests_since < found->rests_since)
			found = place;
	}
	return found;
}

/* The place of a publication in the list, or -1. */
static int
find_publication(const Place *place, int32 publication)
{
	for (int i = 0; i < KEPT_PUBLICATIONS; i++)
		if (place->publications[i] == publication)
			return i;
	return -1;
}

/* The one that has answered about the publication last. */
static Place *
find_versed(Oid owner, int32 publication)
{
	for (int i = 0; i < registry->nplaces; i++)
	{
		Place	   *place = &registry->places[i];

		if (place->state != PLACE_FREE && place->state != PLACE_DISMISSED && is_for(place, owner) &&
			find_publication(place, publication) >= 0)
			return place;
	}
	return NULL;
}

/* Under the lock: what this one answers about now, no other has answered about last. */
static void
note_publication(Place *place, int32 publication)
{
	int			at;

	for (int i = 0; i < registry->nplaces; i++)
	{
		Place	   *other = &registry->places[i];

		if (other != place && is_for(other, place->owner) && (at = find_publication(other, publication)) >= 0)
			other->publications[at] = 0;
	}
	at = find_publication(place, publication);
	if (at < 0)
		at = KEPT_PUBLICATIONS - 1;
	memmove(&place->publications[1], &place->publications[0], sizeof(int32) * at);
	place->publications[0] = publication;
}

static void
give(Place *place, int32 publication, dsm_handle channel)
{
	place->state = PLACE_GIVEN;
	place->generation++;
	place->is_held_up = place->is_ending = false;
	place->asker = MyProcPid;
	place->channel = channel;
	note_publication(place, publication);
}

static bool
is_busy(const Place *place)
{
	return (place->state == PLACE_GIVEN || place->state == PLACE_WORKING || place->state == PLACE_STARTING) &&
		!place->is_held_up;
}

/* Not if it waits for a lock. */
static bool
takes_processor(const Place *place)
{
	return is_busy(place) && (place->proc == NULL || place->proc->waitStatus != PROC_WAIT_STATUS_WAITING);
}

/* It takes some system calls to find out, and is asked for with each question. */
static int
processors(void)
{
	static int	n = 0;

	if (n == 0)
		n = (int) sysconf(_SC_NPROCESSORS_ONLN);
	return Max(1, n);
}

/* So many of an owner's are of use at once. */
static int
most_busy(void)
{
	return answer_workers > 0 ? answer_workers : processors();
}

/* How many of an owner's are at it, and the one of them that knows its way about in fewest publications. */
static int
count_busy(Oid owner, Place **idlest)
{
	int			busy = 0;
	int			fewest = KEPT_PUBLICATIONS + 1;

	*idlest = NULL;
	for (int i = 0; i < registry->nplaces; i++)
	{
		Place	   *place = &registry->places[i];
		int			known = 0;

		if (!takes_processor(place) || !is_for(place, owner))
			continue;
		busy++;
		for (int p = 0; p < KEPT_PUBLICATIONS; p++)
			known += place->publications[p] != 0;
		if (known < fewest)
		{
			fewest = known;
			*idlest = place;
		}
	}
	return busy;
}

/* One more look at a versed one that is busy elsewhere: were there enough now, when others might have worked? */
static bool
neglect(Place *versed, bool is_crowded)
{
	versed->neglected = is_crowded ? 0 : versed->neglected + 1;
	if (versed->neglected < NEGLECTED)
		return false;
	versed->neglected = 0;
	return true;
}

/* One that has just answered: whoever asks upon that is not to find it at work still. */
static Place *
find_ending(Oid owner)
{
	for (int i = 0; i < registry->nplaces; i++)
	{
		Place	   *place = &registry->places[i];

		if (place->state == PLACE_WORKING && place->is_ending && is_for(place, owner))
			return place;
	}
	return NULL;
}

/* Under the lock: who is to answer. */
static Offer
choose(Oid owner, int32 publication, bool is_patient, int most, Place **chosen)
{
	Place	   *idlest;
	bool		is_crowded = count_busy(owner, &idlest) >= most;
	Place	   *versed = find_versed(owner, publication);

	*chosen = versed != NULL ? versed : idlest;
	if (versed != NULL && versed->state == PLACE_RESTING)
		return OFFER_ENGAGED;
	if (versed != NULL && is_busy(versed) && versed->publications[0] == publication)
		return OFFER_SOON;
	if (is_patient && (versed == NULL ? is_crowded : is_busy(versed) && !neglect(versed, is_crowded)))
		return OFFER_SOON;
	*chosen = find_resting(owner, true);
	if (*chosen != NULL)
		return OFFER_ENGAGED;
	*chosen = is_patient && answer_linger > 0 ? find_ending(owner) : NULL;
	return *chosen != NULL ? OFFER_SOON : OFFER_NONE;
}

static Place *
find_free(void)
{
	for (int i = 0; i < registry->nplaces; i++)
		if (registry->places[i].state == PLACE_FREE)
			return &registry->places[i];
	return NULL;
}

/* Of somebody at work on a first question. */
static void
occupy(Place *place, PlaceState state, Oid owner, int32 publication, int asker)
{
	place->state = state;
	place->generation++;
	place->database = MyDatabaseId;
	place->owner = owner;
	place->is_held_up = place->is_ending = false;
	place->neglected = 0;
	place->asker = asker;
	memset(place->publications, 0, sizeof(place->publications));
	place->publications[0] = publication;
}

/* A place for a worker who is to be started; until it has come, another one may know its way about. */
static Place *
reserve(Oid owner, int32 publication)
{
	Place	   *place = find_free();

	if (place == NULL)
		return NULL;
	occupy(place, PLACE_STARTING, owner, publication, MyProcPid);
	place->pid = 0;
	place->proc = NULL;
	return place;
}

Offer
engage_worker(Oid owner, int32 publication, bool is_patient, dsm_handle channel, Engagement *engagement)
{
	int			most = most_busy();
	Place	   *place;
	Latch	   *latch = NULL;
	Offer		offer;

	if (!has_registry())
		return OFFER_NONE;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	offer = choose(owner, publication, is_patient, most, &place);
	if (offer == OFFER_ENGAGED)
	{
		give(place, publication, channel);
		latch = &place->proc->procLatch;
	}
	else if (offer == OFFER_NONE)
		place = reserve(owner, publication);
	if (place != NULL)
		*engagement = (Engagement) {place - registry->places, place->generation, place->pid};
	LWLockRelease(&registry->lock);
	if (latch != NULL)
		SetLatch(latch);
	return offer;
}

void
wait_for_rest(const Engagement *engagement, int milliseconds)
{
	(void) ConditionVariableTimedSleep(&registry->places[engagement->place].rested, milliseconds, PG_WAIT_EXTENSION);
}

void
stop_waiting_for_rest(void)
{
	ConditionVariableCancelSleep();
}

bool
is_engaged(const Engagement *engagement)
{
	const Place *place = &registry->places[engagement->place];
	bool		result;

	LWLockAcquire(&registry->lock, LW_SHARED);
	result = place->generation == engagement->generation && place->pid == engagement->pid &&
		(place->state == PLACE_GIVEN || place->state == PLACE_WORKING);
	LWLockRelease(&registry->lock);
	return result;
}

/* Under the lock, one that is not of the owner's; the latch that is to be set, or NULL. */
static Latch *
dismiss(Oid owner)
{
	Place	   *place = find_resting(owner, false);

	if (place == NULL)
		return NULL;
	place->state = PLACE_DISMISSED;
	return &place->proc->procLatch;
}

bool
dismiss_resting(Oid owner)
{
	Latch	   *latch;

	if (!has_registry())
		return false;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	latch = dismiss(owner);
	LWLockRelease(&registry->lock);
	if (latch != NULL)
		SetLatch(latch);
	return latch != NULL;
}

int
worker_engaged_by(int asker)
{
	int			pid = 0;

	if (!has_registry())
		return 0;
	LWLockAcquire(&registry->lock, LW_SHARED);
	for (int i = 0; i < registry->nplaces && pid == 0; i++)
	{
		const Place *place = &registry->places[i];

		if (place->asker == asker && (place->state == PLACE_GIVEN || place->state == PLACE_WORKING))
			pid = place->pid;
	}
	LWLockRelease(&registry->lock);
	return pid;
}

void
start_nobody(void)
{
	if (!has_registry())
		return;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	for (int i = 0; i < registry->nplaces; i++)
		if (registry->places[i].state == PLACE_STARTING && registry->places[i].asker == MyProcPid)
			registry->places[i].state = PLACE_FREE;
	LWLockRelease(&registry->lock);
}

/* ----------------------------------------------------------------
 * For a worker
 * ----------------------------------------------------------------
 */

/* The place that was reserved, if that is still so. */
static Place *
find_reserved(Oid owner, int32 publication, int asker)
{
	for (int i = 0; i < registry->nplaces; i++)
	{
		Place	   *place = &registry->places[i];

		if (place->state == PLACE_STARTING && is_for(place, owner) && place->asker == asker &&
			place->publications[0] == publication)
			return place;
	}
	return NULL;
}

static void
leave(int code, Datum arg)
{
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	own->state = PLACE_FREE;
	own->generation++;
	own->pid = 0;
	LWLockRelease(&registry->lock);
	ConditionVariableBroadcast(&own->rested);
}

void
registry_enter(Oid owner, int32 publication, int asker)
{
	if (!has_registry())
		return;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	own = find_reserved(owner, publication, asker);
	if (own == NULL)
		own = find_free();
	if (own != NULL)
	{
		occupy(own, PLACE_WORKING, owner, publication, asker);
		note_publication(own, publication);
		own->pid = MyProcPid;
		own->proc = MyProc;
	}
	LWLockRelease(&registry->lock);
	if (own != NULL)
		before_shmem_exit(leave, (Datum) 0);
}

void
registry_hold_up(bool is_held_up)
{
	if (own == NULL)
		return;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	own->is_held_up = is_held_up;
	own->is_ending = !is_held_up;
	LWLockRelease(&registry->lock);
	ConditionVariableBroadcast(&own->rested);
}

/* Others, above all parallel queries, need workers too; but not those which are in use. */
static bool
too_many_rest(TimestampTz now)
{
	int			resting = 0;

	for (int i = 0; i < registry->nplaces; i++)
		resting += registry->places[i].state == PLACE_RESTING &&
			now - registry->places[i].rests_since > IN_USE_MS * INT64CONST(1000);
	return resting > registry->nplaces / 2;
}

bool
registry_rest(void)
{
	TimestampTz now = GetCurrentTimestamp();
	int			most = most_busy();
	Latch	   *latch = NULL;
	Place	   *idlest;
	bool		is_one_too_many;

	if (own == NULL)
		return false;
	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	own->generation++;
	own->asker = 0;
	own->rests_since = now;
	own->state = PLACE_DISMISSED;
	is_one_too_many = count_busy(own->owner, &idlest) >= most;
	if (!is_one_too_many)
		own->state = PLACE_RESTING;
	if (too_many_rest(now))
		latch = dismiss(InvalidOid);
	LWLockRelease(&registry->lock);
	if (latch != NULL)
		SetLatch(latch);
	ConditionVariableSignal(&own->rested);
	return !is_one_too_many;
}

Rest
registry_look(bool end, dsm_handle *channel)
{
	Rest		result = REST_GOES_ON;

	LWLockAcquire(&registry->lock, LW_EXCLUSIVE);
	if (own->state == PLACE_GIVEN)
	{
		own->state = PLACE_WORKING;
		*channel = own->channel;
		result = REST_ENGAGED;
	}
	else if (end || own->state == PLACE_DISMISSED)
	{
		own->state = PLACE_DISMISSED;
		result = REST_ENDED;
	}
	LWLockRelease(&registry->lock);
	return result;
}
