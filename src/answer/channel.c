/*
 * channel.c
 *		The segment behind channel.h.
 *
 * LAYOUT
 *		A table of contents with three entries: the head, the question's bytes,
 *		the queue.  The bytes are those of name, session user and cohort, each
 *		with its end, and of the array of columns.
 */
#include "answer/channel.h"

#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/proc.h"
#include "storage/shm_toc.h"

#define CHANNEL_MAGIC	0x70707231

enum
{
	KEY_HEAD,
	KEY_QUESTION,
	KEY_QUEUE,
	KEYS
};

struct ChannelHead
{
	pg_atomic_uint32 stage;
	Oid			database;
	Oid			owner;
	int32		publication;
	int			time_grid;
	bool		has_cohort;
	bool		has_columns;
};

static char *
put_text(char *to, const char *text)
{
	Size		size = strlen(text) + 1;

	memcpy(to, text, size);
	return to + size;
}

static Size
texts_size(const Question *question)
{
	const Request *request = &question->request;

	return MAXALIGN(strlen(question->name) + 1 + strlen(request->by) + 1 +
					(request->cohort == NULL ? 0 : strlen(request->cohort) + 1));
}

static Size
question_size(const Question *question)
{
	return texts_size(question) +
		(question->request.columns == NULL ? 0 : VARSIZE(question->request.columns));
}

static void
put_question(char *bytes, const Question *question)
{
	const Request *request = &question->request;
	char	   *to = put_text(put_text(bytes, question->name), request->by);

	if (request->cohort != NULL)
		put_text(to, request->cohort);
	if (request->columns != NULL)
		memcpy(bytes + texts_size(question), request->columns, VARSIZE(request->columns));
}

static Size
segment_size(shm_toc_estimator *estimator, const Question *question)
{
	shm_toc_initialize_estimator(estimator);
	shm_toc_estimate_chunk(estimator, sizeof(ChannelHead));
	shm_toc_estimate_chunk(estimator, question_size(question));
	shm_toc_estimate_chunk(estimator, QUEUE_BYTES);
	shm_toc_estimate_keys(estimator, KEYS);
	return shm_toc_estimate(estimator);
}

static ChannelHead *
put_head(shm_toc *toc, const Question *question)
{
	ChannelHead *head = shm_toc_allocate(toc, sizeof(ChannelHead));

	pg_atomic_init_u32(&head->stage, STAGE_ASKED);
	head->database = MyDatabaseId;
	head->owner = question->owner;
	head->publication = question->publication;
	head->time_grid = question->time_grid;
	head->has_cohort = question->request.cohort != NULL;
	head->has_columns = question->request.columns != NULL;
	shm_toc_insert(toc, KEY_HEAD, head);
	return head;
}

static bool
change_stage(ChannelHead *head, Stage to)
{
	uint32		expected = STAGE_ASKED;

	return pg_atomic_compare_exchange_u32(&head->stage, &expected, to) || expected == to;
}

static void
withdraw(dsm_segment *segment, Datum head)
{
	(void) change_stage((ChannelHead *) DatumGetPointer(head), STAGE_WITHDRAWN);
}

Channel *
channel_open(const Question *question)
{
	Channel    *channel = palloc(sizeof(Channel));
	shm_toc_estimator estimator;
	Size		size = segment_size(&estimator, question);
	shm_toc    *toc;
	char	   *bytes;
	shm_mq	   *queue;

	channel->segment = dsm_create(size, 0);
	toc = shm_toc_create(CHANNEL_MAGIC, dsm_segment_address(channel->segment), size);
	channel->head = put_head(toc, question);
	bytes = shm_toc_allocate(toc, question_size(question));
	put_question(bytes, question);
	shm_toc_insert(toc, KEY_QUESTION, bytes);
	queue = shm_mq_create(shm_toc_allocate(toc, QUEUE_BYTES), QUEUE_BYTES);
	shm_toc_insert(toc, KEY_QUEUE, queue);
	shm_mq_set_receiver(queue, MyProc);
	channel->queue = shm_mq_attach(queue, channel->segment, NULL);
	on_dsm_detach(channel->segment, withdraw, PointerGetDatum(channel->head));
	return channel;
}

dsm_handle
channel_handle(const Channel *channel)
{
	return dsm_segment_handle(channel->segment);
}

Channel *
channel_attach(dsm_handle handle)
{
	Channel    *channel = palloc(sizeof(Channel));
	shm_toc    *toc;
	shm_mq	   *queue;

	channel->segment = dsm_attach(handle);
	if (channel->segment == NULL)
		return NULL;
	toc = shm_toc_attach(CHANNEL_MAGIC, dsm_segment_address(channel->segment));
	if (toc == NULL)
		elog(ERROR, "segment of an answer has another layout");
	channel->head = shm_toc_lookup(toc, KEY_HEAD, false);
	queue = shm_toc_lookup(toc, KEY_QUEUE, false);
	shm_mq_set_sender(queue, MyProc);
	channel->queue = shm_mq_attach(queue, channel->segment, NULL);
	return channel;
}

Oid
channel_database(const Channel *channel)
{
	return channel->head->database;
}

Oid
channel_owner(const Channel *channel)
{
	return channel->head->owner;
}

int32
channel_publication(const Channel *channel)
{
	return channel->head->publication;
}

static const char *
get_text(const char **from)
{
	const char *text = pstrdup(*from);

	*from += strlen(text) + 1;
	return text;
}

Question *
channel_question(const Channel *channel)
{
	Question   *question = palloc0(sizeof(Question));
	shm_toc    *toc = shm_toc_attach(CHANNEL_MAGIC, dsm_segment_address(channel->segment));
	const char *bytes = shm_toc_lookup(toc, KEY_QUESTION, false);
	const char *from = bytes;

	question->publication = channel->head->publication;
	question->owner = channel->head->owner;
	question->time_grid = channel->head->time_grid;
	question->name = get_text(&from);
	question->request.by = get_text(&from);
	if (channel->head->has_cohort)
		question->request.cohort = get_text(&from);
	if (channel->head->has_columns)
	{
		const ArrayType *columns = (const ArrayType *) (bytes + texts_size(question));

		question->request.columns = palloc(VARSIZE(columns));
		memcpy(question->request.columns, columns, VARSIZE(columns));
	}
	return question;
}

void
channel_close(Channel *channel)
{
	dsm_detach(channel->segment);
	pfree(channel);
}

bool
channel_begin(Channel *channel)
{
	return change_stage(channel->head, STAGE_BEGUN);
}

Stage
channel_stage(const Channel *channel)
{
	return (Stage) pg_atomic_read_u32(&channel->head->stage);
}
