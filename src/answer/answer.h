/*
 * answer.h
 *		Answers: releases that an analyst asks for, which leave as rows of a
 *		query and not as a table.  The private header of this directory.
 *
 * A question goes from the analyst's backend (backend.c) to a background worker
 * (worker_pool.c chooses it) through a segment of shared memory (protocol.c).
 * The worker (worker.c) makes the answer in a transaction of its own
 * (make_answer.c), commits, and sends the rows back.
 */
#ifndef PPREPUB_ANSWER_ANSWER_H
#define PPREPUB_ANSWER_ANSWER_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "declare/publication.h"
#include "executor/tuptable.h"
#include "history/fold.h"
#include "port/atomics.h"
#include "release/release.h"
#include "release/request.h"
#include "release/stopwatch.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"
#include "utils/tuplestore.h"

/* ----------------------------------------------------------------
 * Settings: settings.c
 * ----------------------------------------------------------------
 */

extern int	answer_wait;		/* milliseconds that a question waits for a worker */
extern int	answer_linger;		/* milliseconds that a worker stays idle for the next one, or 0 */
extern int	answer_workers;		/* of one owner that are active at once; 0: as many as processors */
extern int	answer_time_grid;	/* milliseconds, or 0 */

/* When the module is loaded. */
extern void define_settings(void);

/*
 * The settings that a worker runs under, whatever its database or configuration
 * file say: it writes nothing that others can read into log and statistics, and
 * no timeout ends it.  To be called before it opens any table.
 */
extern void apply_worker_settings(void);

/* To be called before a worker commits: the source's code can set synchronous_commit, as any user can. */
extern void commit_durably(void);

/* ----------------------------------------------------------------
 * The time grid: time_grid.c
 * ----------------------------------------------------------------
 */

/* Waits until a multiple of the grid, in milliseconds, has passed since an answer was begun; 0 is no grid. */
extern void wait_for_time_grid(const Stopwatch *begun_at, int grid);

/* ----------------------------------------------------------------
 * Questions and answers on their way: protocol.c
 * ----------------------------------------------------------------
 */

/* A question, as the analyst's backend vouches for it. */
typedef struct Question
{
	int32		publication;
	const char *name;			/* of the publication */
	Oid			owner;			/* as whom the worker acts */
	int			time_grid;		/* pprepub.answer_time_grid of the analyst's session */
	bool		sees_errors;	/* of the source, which others see as an empty answer */
	Request		request;

	/* In the backend alone: what limits are declared */
	const char *method;
	Jsonb	   *params;
} Question;

typedef struct Answer
{
	TupleDesc	desc;
	uint64		nrows;
	MinimalTuple *rows;			/* [nrows] in the order in which they may leave; nothing is toasted */
	int32		number;			/* of the release */
	Oid			fold;			/* or InvalidOid */
	const ErrorData *failure;	/* the source's error for which there are no rows, or NULL */
} Answer;

/*
 * STAGES
 *		Whether a question is charged is decided by one word, which changes once
 *		at most: the worker sets it from ASKED to BEGUN before it looks at the
 *		source, or the backend from ASKED to WITHDRAWN when it goes away.  A
 *		question that was begun is answered and remembered, whether or not the
 *		backend is still there: otherwise its analyst could learn from the time
 *		that an answer takes, and pay nothing.
 */
typedef enum Stage
{
	STAGE_ASKED,
	STAGE_BEGUN,
	STAGE_WITHDRAWN
} Stage;

/* Start of the segment. */
typedef struct ChannelHead
{
	pg_atomic_uint32 stage;
	Oid			database;
	Oid			owner;
	int32		publication;
	int			time_grid;
	bool		sees_errors;
	bool		has_cohort;
	bool		has_columns;
} ChannelHead;

/* One side's end of the segment and of the queue in it, which leads from the worker to the backend. */
typedef struct Channel
{
	dsm_segment *segment;
	ChannelHead *head;			/* in the segment */
	shm_mq_handle *queue;
} Channel;

/*
 * The backend's end.  The question is withdrawn when the segment is detached, be
 * it by channel_close(), by an error, or by the end of the process.
 */
extern Channel *channel_open(const Question *question);

/* The worker's end, or NULL when the backend has gone.  Outlives transactions; to be called outside of them. */
extern Channel *channel_attach(dsm_handle handle);

/* The question, allocated in the current context. */
extern Question *channel_question(const Channel *channel);

/* False when the question was withdrawn; true also when it was begun before. */
extern bool channel_begin(Channel *channel);
extern Stage channel_stage(const Channel *channel);
extern void channel_close(Channel *channel);

/* By the worker.  The backend may have gone, which makes no difference: everything is remembered by then. */
extern bool fits_queue(const Answer *answer);	/* else sending waits for the reader */
extern bool send_answer(Channel *channel, const Answer *answer);	/* false when the backend has gone */
extern void send_end(Channel *channel); /* of an answer */
extern void send_error(Channel *channel, const ErrorData *error);
extern void send_waiting(Channel *channel); /* for a lock: the backend tells its client */

/* By the backend: where the rows go as they come. */
typedef struct RowTarget
{
	TupleDesc	desc;			/* that is expected */
	Tuplestorestate *store;
	TupleTableSlot *slot;
} RowTarget;

/* Processes a message; true when it was the last one.  Raises the worker's error. */
extern bool receive_message(RowTarget *target, const char *message, Size size);

/* ----------------------------------------------------------------
 * Asking, in the analyst's backend: backend.c
 * ----------------------------------------------------------------
 */

/* Refuses what the worker, in a transaction of its own, would not notice.  To be called first. */
extern void verify_may_ask(void);

/*
 * Asks for an answer, and puts its rows into the target, whose slot is made here; an error where there is no answer.
 * The caller has found the publication and the right to ask, and sets what to ask: who asks is set here.
 */
extern void ask(Question *question, RowTarget *target);

/* ----------------------------------------------------------------
 * Making an answer: make_answer.c
 * ----------------------------------------------------------------
 */

/*
 * In the worker's transaction, as the owner in a security-restricted context,
 * inside SPI, under the active snapshot, with the publication locked.
 *
 * Before begin() is called, nothing of the source is read: an error is about the
 * request, is reported to the analyst, and costs nothing.  begin() raises an
 * error if the question was withdrawn.  After it, the answer is made and
 * remembered whatever becomes of the backend, and an error of the source's gives
 * the answer that an empty cohort gets, with a note for the owner.  The answer
 * is allocated in the context given.
 */
extern Answer *make_answer(const Question *question, void (*begin) (void), MemoryContext context);

/*
 * Writes a release that was made, with all its history, and returns its rows.
 * Called as the owner, inside SPI, under the active snapshot, with the publication
 * locked for publishing.  A release without a class has an answer without rows.
 * failure is the error for which nothing was made, or NULL.  The rows may leave
 * when the transaction has committed.  The answer is allocated in the context
 * given.
 */
extern Answer *remember_answer(DeclaredPublication *publication, const ReleaseBuild *build,
							   const ErrorData *failure, double seconds, MemoryContext context);

/* ----------------------------------------------------------------
 * How many answers an analyst may have: limits.c
 * ----------------------------------------------------------------
 */

/* An error if the publication's method does not answer. */
extern void verify_method_answers(const DeclaredPublication *publication);

/*
 * By the backend, once for each question: an error beyond
 * max_answers_per_statement of the publication.  What a client sends at once is
 * one statement.
 */
extern void count_question(const Question *question);

/* How many a role has had, and has left of a publication: PARAM_ABSENT where there is no limit. */
extern int64 answers_had(int32 publication, const char *by);
extern int64 answers_left(const char *method, Jsonb *params, int64 had);

/* By the worker, with the publication locked: an error when the session user has had max_answers_per_role answers. */
extern void verify_answers_left(const DeclaredPublication *publication, const char *asked_by);

/* ----------------------------------------------------------------
 * Directories of publications in a worker's memory: directory_cache.c
 * ----------------------------------------------------------------
 */

/* The most publications whose directory one worker caches. */
#define CACHED_PUBLICATIONS 8

/* Of a publication that is locked: NULL if none is cached, or if the publication has released since. */
extern Directory *cached_directory(const DeclaredPublication *publication);

/* To be called when a transaction that used the directory aborts, and when it is found to be wrong. */
extern void forget_directory(int32 publication);

/*
 * Outside of transactions: reads the directory for the next question about the
 * publication, unless it is cached.  A failure is ignored: the work is optional.
 */
extern void cache_directory(const Question *question);

/* ----------------------------------------------------------------
 * Work between two questions: background_work.c
 * ----------------------------------------------------------------
 */

/*
 * Outside of transactions, which the work begins and commits.  False where it
 * failed: then it is as if it had not been tried, and the error is dropped.
 */
extern bool try_in_background(void (*work) (void *what), void *what);

/* Outside of transactions: after every so many answers of a publication, vacuums its fold and the catalog, unless they are locked. */
extern void vacuum_after(const Answer *answer);

#endif							/* PPREPUB_ANSWER_ANSWER_H */
