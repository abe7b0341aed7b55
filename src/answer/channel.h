/*
 * channel.h
 *		A segment of shared memory between somebody who asks and the worker that
 *		answers: the question, how far it has come, and a queue for the outcome.
 *
 * STAGES
 *		Whether a question costs something is decided by one word, which either
 *		side changes once at most: the worker from ASKED to BEGUN, before it
 *		looks at the source, or the asker from ASKED to WITHDRAWN, when it goes
 *		away.  A question that was begun is answered and remembered, whether or
 *		not somebody is still there to hear it: else one could learn from how
 *		long it took, and pay nothing.
 */
#ifndef PPREPUB_ANSWER_CHANNEL_H
#define PPREPUB_ANSWER_CHANNEL_H

#include "postgres.h"

#include "postmaster/bgworker.h"
#include "release/request.h"
#include "storage/dsm.h"
#include "storage/shm_mq.h"

#define QUEUE_BYTES		((Size) 256 * 1024)

/* Who asks for what, as the asker's process vouches for it. */
typedef struct Question
{
	int32		publication;
	const char *name;			/* of the publication */
	Oid			owner;			/* as whom the worker acts */
	int			time_grid;		/* pprepub.answer_time_grid, as it is set for the asker */
	Request		request;
} Question;

typedef enum Stage
{
	STAGE_ASKED,
	STAGE_BEGUN,
	STAGE_WITHDRAWN
} Stage;

typedef struct ChannelHead ChannelHead;

/* One side's end of a channel. */
typedef struct Channel
{
	dsm_segment *segment;
	ChannelHead *head;
	shm_mq_handle *queue;
} Channel;

/*
 * The asker's end.  It is withdrawn when the segment is let go, be it by
 * channel_close(), by an error, or by the end of the process.
 */
extern Channel *channel_open(const Question *question);
extern dsm_handle channel_handle(const Channel *channel);

/* The worker's end, or NULL when nobody asks any more; to be called outside of transactions, which it outlives. */
extern Channel *channel_attach(dsm_handle handle);

/* Read in the worker: whose database, as whom, of what, and the question, allocated in the current context. */
extern Oid	channel_database(const Channel *channel);
extern Oid	channel_owner(const Channel *channel);
extern int32 channel_publication(const Channel *channel);
extern Question *channel_question(const Channel *channel);

extern void channel_close(Channel *channel);

/* False when it was withdrawn; true again when it has begun before. */
extern bool channel_begin(Channel *channel);
extern Stage channel_stage(const Channel *channel);

#endif							/* PPREPUB_ANSWER_CHANNEL_H */
