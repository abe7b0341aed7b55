/*
 * answer.h
 *		Answers: releases that an analyst asks for, which leave as rows of a query and not as a table.
 *
 * A question goes from the analyst's backend (ask.c) to a background worker (worker_pool.c finds it) through a segment of
 * shared memory (channel.c).  The worker (worker.c) makes the answer in a transaction of its own (make_answer.c),
 * commits, and sends the rows back.  Live tables, which ask, have a header of their own: live.h.
 */
#ifndef PPREPUB_ANSWER_ANSWER_H
#define PPREPUB_ANSWER_ANSWER_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "declare/publication.h"
#include "executor/tuptable.h"
#include "history/past_tables.h"
#include "port/atomics.h"
#include "postmaster/bgworker.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"
#include "utils/tuplestore.h"

/* ----------------------------------------------------------------
 * Settings: settings.c
 * ----------------------------------------------------------------
 */

extern int	answer_wait;		/* milliseconds that a question waits for a worker */
extern int	answer_linger;		/* milliseconds that a worker stays idle for the next one, or 0 */
extern int	answer_time_grid;	/* milliseconds, or 0 */

/* When the module is loaded. */
extern void define_settings(void);

/*
 * The settings that a worker runs under, whatever its database or configuration file say: it writes nothing that others
 * can read into log and statistics, and no timeout ends it.  To be called before it opens any table.
 */
extern void apply_worker_settings(void);

/* To be called before a worker commits: the source's code can set synchronous_commit, as any user can. */
extern void commit_durably(void);

/* ----------------------------------------------------------------
 * Questions and answers on their way: channel.c
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

	/* Of TARGET.NAME_noisy(), whose columns are those to count by; else NULL */
	const char *bins;			/* as JSON, a list of what is given as bins and as sum */
	const char *epsilon;		/* a number, or NULL for what a question may cost at most */

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
	Oid			groups;			/* the table whose rows are replaced, or InvalidOid */
	const ErrorData *failure;	/* the source's error for which there are no rows, or NULL */
} Answer;

/*
 * STAGES
 *		Whether a question is charged is decided by one word, which changes once at most: the worker sets it from ASKED to
 *		BEGUN before it looks at the source, or the backend from ASKED to WITHDRAWN when it goes away.  A question that
 *		was begun is answered and remembered, whether or not the backend is still there: otherwise its analyst could learn
 *		from the time that an answer takes, and pay nothing.
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
	uint32		magic;
	pg_atomic_uint32 stage;
	Oid			database;
	Oid			owner;
	int32		publication;
	int			time_grid;
	bool		sees_errors;
	bool		has_cohort;
	Size		columns;		/* where the array of columns stands in the segment, or 0 */
	Size		queue;			/* and the queue */
} ChannelHead;

/* One side's end of the segment and of the queue in it, which leads from the worker to the backend. */
typedef struct Channel
{
	dsm_segment *segment;
	ChannelHead *head;			/* in the segment */
	shm_mq_handle *queue;
} Channel;

/*
 * The backend's end.  The question is withdrawn when the segment is detached, be it by channel_close(), by an error, or
 * by the end of the process.
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
 * Asking, in the analyst's backend: ask.c
 * ----------------------------------------------------------------
 */

/* Refuses what the worker, in a transaction of its own, would not notice.  To be called first. */
extern void verify_may_ask(void);

/*
 * Asks for an answer, and puts its rows into the target, whose slot is made here; an error where there is no answer.  The
 * caller has found the publication and the right to ask, and sets what to ask: who asks is set here.
 */
extern void ask(Question *question, RowTarget *target);

/* For functions beside the releases: a question about a publication by name, and its rows as the function's result. */
extern Question question_about(const char *name);
extern Datum ask_for_result(FunctionCallInfo fcinfo, Question *question);

/* A name that no role can have: for answers that nobody asked for, and which no limit counts. */
#define NO_ROLE "none"

/* By the worker, with the publication locked: an error if the method does not answer, or the role has had max_answers_per_role. */
extern void verify_may_have_answer(const DeclaredPublication *publication, const char *asked_by);

/* ----------------------------------------------------------------
 * Workers, as the backends that ask find them: worker_pool.c
 * ----------------------------------------------------------------
 */

/* The worker of a question: known by its handle if it was started for it, and else by its slot. */
typedef struct AcquiredWorker
{
	BackgroundWorkerHandle *handle; /* or NULL */
	int			slot;			/* or -1 */
	int			pid;
} AcquiredWorker;

/* Hands the channel to a worker; an error when none is to be had within pprepub.answer_wait. */
extern AcquiredWorker acquire_worker(Channel *channel, const Question *question);

/* Its process, or 0 while that has not started. */
extern int	worker_pid(const AcquiredWorker *worker);

/*
 * Will nothing more come from a worker that was idle before?  The queue tells of a process that detached from it; this,
 * of one that never attached.
 */
extern bool is_worker_gone(const AcquiredWorker *worker);

/* A worker that has been silent for this long may be waiting for a lock of the backend's. */
#define DEADLOCK_CHECK_MS	150

/*
 * Does a process wait for a lock that this one holds, directly or through other processes?  The backend waits for its
 * worker on a latch, which PostgreSQL's deadlock detector does not see, and holds its locks all that time.
 */
extern bool is_blocked_by_me(int pid);

/* By a worker, once: takes the slot that the backend has reserved.  It is given back when the process ends. */
extern void pool_enter(void);

/* The answer is committed, and waits for the time grid or for its reader: others need not wait for this worker. */
extern void pool_delivering(void);

/* The next question may come; or, unless the worker stays, no other.  False when it is to exit. */
extern bool pool_idle(bool stays);

/*
 * To be called now and then by an idle worker: false when it is to exit, and else the channel of the next question, or
 * DSM_HANDLE_INVALID.  With end, it is to exit unless it has a question; and so it is while more than half of
 * max_worker_processes are workers idle for more than a second.
 */
extern bool pool_check(bool end, dsm_handle *channel);

/* ----------------------------------------------------------------
 * In the worker: worker.c and make_answer.c
 * ----------------------------------------------------------------
 */

/*
 * In the worker's transaction, as the owner in a security-restricted context, inside SPI, under the active snapshot, with
 * the publication locked.
 *
 * Before begin() is called, nothing of the source is read: an error is about the request, is reported to the analyst, and
 * costs nothing.  begin() raises an error if the question was withdrawn.  After it, the answer is made and remembered
 * whatever becomes of the backend, and an error of the source's gives the answer that an empty cohort gets, with a note
 * for the owner.  The answer is allocated in the context given.
 */
extern Answer *make_answer(const Question *question, void (*begin) (void), MemoryContext context);

/*
 * The halves of it for noisy counts: noisy.c.  Reads a question, with an error if it is none, or must fit what is left and
 * does not; and charges for it, and counts.
 */
typedef struct NoiseQuestion NoiseQuestion;

extern NoiseQuestion *read_noise_question(const DeclaredPublication *publication, const Question *question, bool must_fit);
extern Answer *make_noisy_answer(const DeclaredPublication *publication, const Question *question, const NoiseQuestion *read, MemoryContext context);

/* Writes a release that was made, or nothing for which failure is the reason, with all its history: the rest of make_answer(). */
extern Answer *remember_answer(DeclaredPublication *publication, const ReleaseBuild *build,
							   const ErrorData *failure, double seconds, MemoryContext context);

/* ----------------------------------------------------------------
 * Past answers, put together from the cells of their classes and the sensitive values that the history keeps; insensitive
 * values are not kept, and are NULL here: past_answers.c
 * ----------------------------------------------------------------
 */

typedef struct Answers
{
	TupleDesc	columns;		/* of their rows */
	int			nsensitive;
	const int  *sensitive;		/* [nsensitive] their attributes */
	int			ncells;
	const int  *cell;			/* [ncells] their attributes */
	const Answered *answered;	/* NULL if the table that keeps them is gone */
	bool	   *is_intact;		/* [publication->releases] does answer n, at n - 1, have its checksum? */
} Answers;

/* Reads all answers among the publication's releases, as the owner and under the active snapshot; scans the log once. */
extern Answers *answers_read(const DeclaredPublication *publication, const Released *released);

/* Sets the columns that all rows of a class share, which is at that place of the answer; the others are NULL. */
extern void set_answered_class(const Answers *answers, const AnsweredRelease *answer, uint32 place,
							   Datum *values, bool *nulls);

#endif							/* PPREPUB_ANSWER_ANSWER_H */
