/*
 * worker_registry.h
 *		The workers that are there, in shared memory: which one rests and could
 *		take the next question of the same owner, and who waits for which.
 *
 * Starting a process and reading the catalogs anew takes longer than most
 * answers, so a worker rests for a while when it has answered.  It serves one
 * owner in one database, all its life.
 *
 * Nothing is preloaded, so the memory is what the server has left over when
 * somebody first asks; where nothing is left, each question has a worker of its
 * own, and nothing else is lost than time.
 */
#ifndef PPREPUB_ANSWER_WORKER_REGISTRY_H
#define PPREPUB_ANSWER_WORKER_REGISTRY_H

#include "postgres.h"

#include "storage/dsm.h"

/* So many publications a worker knows its way about in, at most. */
#define KEPT_PUBLICATIONS 8

/* A worker at work on one question: another worker, or another question, has another generation. */
typedef struct Engagement
{
	int			place;
	uint32		generation;
	int			pid;
} Engagement;

/* ----------------------------------------------------------------
 * For who asks
 * ----------------------------------------------------------------
 */

typedef enum Offer
{
	OFFER_ENGAGED,				/* a worker that rested has the channel */
	OFFER_SOON,					/* one is about to rest that should be waited for */
	OFFER_NONE					/* start one: it has a place */
} Offer;

/*
 * Gives the channel to a worker of the owner's.  The one that has answered about
 * the publication last knows its way about there.  When it does so just now, it
 * is waited for, since answers of one publication follow each other anyway.  When
 * it answers about another, or none knows the publication, who is patient waits as
 * well while there are as many busy as are of use; and otherwise until the
 * publication has been neglected for long enough to get a worker of its own.  One
 * whose answer is out, and which rests in a moment, is waited for, too.  Its
 * engagement is the caller's, or somebody else's.
 */
extern Offer engage_worker(Oid owner, int32 publication, bool is_patient, dsm_handle channel, Engagement *engagement);

/* It has not been started, or nobody asks for it any more; where it is there by now, nothing happens. */
extern void start_nobody(void);

/*
 * Waits, not for long, until a worker who is engaged rests, or is held up.  When
 * it rests, who has waited longest is told, and no other.
 */
extern void wait_for_rest(const Engagement *engagement, int milliseconds);
extern void stop_waiting_for_rest(void);

/* Is it still at work on that? */
extern bool is_engaged(const Engagement *engagement);

/* Sends a worker away that rests, but not the owner's, who might engage it; false when none does. */
extern bool dismiss_resting(Oid owner);

/* The worker that works on a question of this process's, or 0. */
extern int	worker_engaged_by(int asker);

/* ----------------------------------------------------------------
 * For a worker
 * ----------------------------------------------------------------
 */

/* To be called once: at work for an asker.  It leaves by itself when the process ends. */
extern void registry_enter(Oid owner, int32 publication, int asker);

/*
 * An answer is made, and waits for the grid, or for who takes in its rows: who
 * asks next need not wait for this worker.  Or it waits no more, and nothing but
 * the end is still to be sent, upon which the next question may follow at once.
 */
extern void registry_hold_up(bool is_held_up);

/*
 * Rests from now on; when too many do, the one that has rested longest goes.
 * False when the worker is to go itself, since enough others of its owner's are
 * busy, or is not in the registry.
 */
extern bool registry_rest(void);

typedef enum Rest
{
	REST_ENGAGED,				/* *channel is to be served */
	REST_GOES_ON,
	REST_ENDED					/* dismissed */
} Rest;

/* How the rest goes; with end, it ends where there is nothing to be served. */
extern Rest registry_look(bool end, dsm_handle *channel);

#endif							/* PPREPUB_ANSWER_WORKER_REGISTRY_H */
