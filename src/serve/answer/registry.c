/*
 * registry.c
 *		Places for workers, in what is left of shared memory.
 *
 * LOCKING
 *		One spinlock over all places: there are as many as background workers
 *		can be, and nothing is done under it but looking and noting.
 *
 * LAYOUT
 *		What was once allocated stays until the server restarts, so the name
 *		carries a version, to be raised with each change of the structs.
 */
#include "serve/answer/registry.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/timestamp.h"

#define REGISTRY_NAME	"pprepub workers 5"

#define IN_USE_MS		1000	/* who has rested less may be needed soon */

typedef enum PlaceState
{
	PLACE_FREE,
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
	Latch	   *latch;
	Oid			database;
	Oid			owner;
	int32		publications[KEPT_PUBLICATIONS];	/* that it, and no other, has answered about last; the
													 * question's at hand first; 0 for none */
	bool		is_held_up;		/* by others, with the answer at hand */
	int			asker;
	dsm_handle	channel;
	TimestampTz rests_since;
	ConditionVariable rested;	/* or is held up, or has left */
} Place;

typedef struct Registry
{
	slock_t		lock;
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
	SpinLockInit(&fresh->lock);
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

static bool
has_rested_long(const Place *resting, TimestampTz now)
{
	return now - resting->rests_since > IN_USE_MS * INT64CONST(1000);
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
	Place	   *versed = find_versed(place->owner, publication);
	int			at;

	if (versed != NULL && versed != place)
		versed->publications[find_publication(versed, publication)] = 0;
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
	place->is_held_up = false;
	place->asker = MyProcPid;
	place->channel = channel;
	note_publication(place, publication);
}

static bool
is_busy(const Place *place)
{
	return place->state == PLACE_GIVEN || place->state == PLACE_WORKING;
}

/* What to do about a worker that is versed. */
static Offer
judge_versed(const Place *versed, int32 publication)
{
	if (versed->state == PLACE_RESTING)
		return OFFER_ENGAGED;
	if (!is_busy(versed) || versed->is_held_up)
		return OFFER_NONE;
	return versed->publications[0] == publication ? OFFER_SOON : OFFER_LATER;
}

/* Under the lock: who is to answer. */
static Offer
choose(Oid owner, int32 publication, bool is_patient, TimestampTz now, Place **chosen)
{
	Place	   *versed = find_versed(owner, publication);
	Offer		offer = versed != NULL ? judge_versed(versed, publication) : OFFER_NONE;
	Place	   *resting;

	*chosen = versed;
	if (offer == OFFER_ENGAGED || offer == OFFER_SOON)
		return offer;
	resting = find_resting(owner, true);
	if (resting == NULL || (offer == OFFER_LATER && is_patient && !has_rested_long(resting, now)))
		return offer;
	*chosen = resting;
	return OFFER_ENGAGED;
}

Offer
engage_worker(Oid owner, int32 publication, bool is_patient, dsm_handle channel, Engagement *engagement)
{
	TimestampTz now = GetCurrentTimestamp();
	Place	   *place;
	Latch	   *latch = NULL;
	Offer		offer;

	if (!has_registry())
		return OFFER_NONE;
	SpinLockAcquire(&registry->lock);
	offer = choose(owner, publication, is_patient, now, &place);
	if (offer == OFFER_ENGAGED)
	{
		give(place, publication, channel);
		latch = place->latch;
	}
	if (offer != OFFER_NONE)
		*engagement = (Engagement) {place - registry->places, place->generation, place->pid};
	SpinLockRelease(&registry->lock);
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

	SpinLockAcquire(&registry->lock);
	result = place->generation == engagement->generation && place->pid == engagement->pid &&
		(place->state == PLACE_GIVEN || place->state == PLACE_WORKING);
	SpinLockRelease(&registry->lock);
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
	return place->latch;
}

bool
dismiss_resting(Oid owner)
{
	Latch	   *latch;

	if (!has_registry())
		return false;
	SpinLockAcquire(&registry->lock);
	latch = dismiss(owner);
	SpinLockRelease(&registry->lock);
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
	SpinLockAcquire(&registry->lock);
	for (int i = 0; i < registry->nplaces && pid == 0; i++)
	{
		const Place *place = &registry->places[i];

		if (place->asker == asker && (place->state == PLACE_GIVEN || place->state == PLACE_WORKING))
			pid = place->pid;
	}
	SpinLockRelease(&registry->lock);
	return pid;
}

/* ----------------------------------------------------------------
 * For a worker
 * ----------------------------------------------------------------
 */

static void
leave(int code, Datum arg)
{
	SpinLockAcquire(&registry->lock);
	own->state = PLACE_FREE;
	own->generation++;
	own->pid = 0;
	SpinLockRelease(&registry->lock);
	ConditionVariableBroadcast(&own->rested);
}

void
registry_enter(Oid owner, int32 publication, int asker)
{
	if (!has_registry())
		return;
	SpinLockAcquire(&registry->lock);
	for (int i = 0; i < registry->nplaces && own == NULL; i++)
		if (registry->places[i].state == PLACE_FREE)
			own = &registry->places[i];
	if (own != NULL)
	{
		own->state = PLACE_WORKING;
		own->generation++;
		own->pid = MyProcPid;
		own->latch = MyLatch;
		own->database = MyDatabaseId;
		own->owner = owner;
		own->is_held_up = false;
		own->asker = asker;
		memset(own->publications, 0, sizeof(own->publications));
		note_publication(own, publication);
	}
	SpinLockRelease(&registry->lock);
	if (own != NULL)
		before_shmem_exit(leave, (Datum) 0);
}

void
registry_hold_up(bool is_held_up)
{
	if (own == NULL)
		return;
	SpinLockAcquire(&registry->lock);
	own->is_held_up = is_held_up;
	SpinLockRelease(&registry->lock);
	ConditionVariableBroadcast(&own->rested);
}

/* Others, above all parallel queries, need workers too; but not those which are in use. */
static bool
too_many_rest(TimestampTz now)
{
	int			resting = 0;

	for (int i = 0; i < registry->nplaces; i++)
		resting += registry->places[i].state == PLACE_RESTING && has_rested_long(&registry->places[i], now);
	return resting > registry->nplaces / 2;
}

bool
registry_rest(void)
{
	TimestampTz now = GetCurrentTimestamp();
	Latch	   *latch = NULL;

	if (own == NULL)
		return false;
	SpinLockAcquire(&registry->lock);
	own->state = PLACE_RESTING;
	own->generation++;
	own->asker = 0;
	own->rests_since = now;
	if (too_many_rest(now))
		latch = dismiss(InvalidOid);
	SpinLockRelease(&registry->lock);
	if (latch != NULL)
		SetLatch(latch);
	ConditionVariableSignal(&own->rested);
	return true;
}

Rest
registry_look(bool end, dsm_handle *channel)
{
	Rest		result = REST_GOES_ON;

	SpinLockAcquire(&registry->lock);
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
	SpinLockRelease(&registry->lock);
	return result;
}
