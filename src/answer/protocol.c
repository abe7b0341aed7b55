/*
 * protocol.c
 *		The segment of shared memory between an analyst's backend and the worker,
 *		and the messages in its queue.
 *
 * LAYOUT
 *		A table of contents with three entries: the head, the question's bytes,
 *		the queue.  The bytes are those of name, session user, its role and
 *		cohort, each with its terminator, and of the array of columns.
 *
 * MESSAGES
 *		A message is a word, which tells its kind, and a body.  Rows follow the
 *		oids of their columns' types, many to a message, each aligned.
 */
#include "answer/answer.h"

#include "compat.h"
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/shm_toc.h"

#define CHANNEL_MAGIC	0x70707231
#define QUEUE_BYTES		((Size) 256 * 1024)

enum
{
	KEY_HEAD,
	KEY_QUESTION,
	KEY_QUEUE,
	KEYS
};

typedef enum Message
{
	MESSAGE_WAITING,
	MESSAGE_ERROR,
	MESSAGE_COLUMNS,
	MESSAGE_ROWS,
	MESSAGE_END
} Message;

#define ROWS_BYTES	32768		/* of one message, about */
#define ROWS_IN_QUEUE (QUEUE_BYTES - QUEUE_BYTES / 16)	/* the rest is for headers of messages */

/* ----------------------------------------------------------------
 * The segment
 * ----------------------------------------------------------------
 */

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

	return MAXALIGN(strlen(question->name) + 1 + strlen(request->by) + 1 + strlen(request->by_role) + 1 +
					(request->cohort == NULL ? 0 : strlen(request->cohort) + 1));
}

static Size
question_size(const Question *question)
{
	return texts_size(question) +
		(question->request.columns == NULL ? 0 : VARSIZE(question->request.columns));
}

/* Writes the question's texts one after the other, and behind them, aligned, the columns that it names. */
static void
put_question(char *bytes, const Question *question)
{
	const Request *request = &question->request;
	char	   *to = put_text(put_text(put_text(bytes, question->name), request->by), request->by_role);

	if (request->cohort != NULL)
		put_text(to, request->cohort);
	if (request->columns != NULL)
		memcpy(bytes + texts_size(question), request->columns, VARSIZE(request->columns));
}

/* Estimates as channel_open() allocates. */
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

/* Besides the stage: the fields of fixed size. */
static ChannelHead *
put_head(shm_toc *toc, const Question *question)
{
	ChannelHead *head = shm_toc_allocate(toc, sizeof(ChannelHead));

	pg_atomic_init_u32(&head->stage, STAGE_ASKED);
	head->database = MyDatabaseId;
	head->owner = question->owner;
	head->publication = question->publication;
	head->time_grid = question->time_grid;
	head->sees_errors = question->sees_errors;
	head->has_cohort = question->request.cohort != NULL;
	head->has_columns = question->request.columns != NULL;
	shm_toc_insert(toc, KEY_HEAD, head);
	return head;
}

/* One compare-and-exchange, so that of two sides which change it at once, one wins. */
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
	question->sees_errors = channel->head->sees_errors;
	question->name = get_text(&from);
	question->request.by = get_text(&from);
	question->request.by_role = get_text(&from);
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

/* ----------------------------------------------------------------
 * Sending
 * ----------------------------------------------------------------
 */

/* False when the backend has detached.  Rows wait in the queue for more of them, other messages are flushed. */
static bool
send_message(Channel *channel, Message kind, const char *body, Size size)
{
	uint64		word = kind;
	shm_mq_iovec parts[] = {{(const char *) &word, sizeof(word)}, {body, size}};

	return shm_mq_sendv(channel->queue, parts, size > 0 ? 2 : 1, false, kind != MESSAGE_ROWS) == SHM_MQ_SUCCESS;
}

/* A missing text is sent as an empty one. */
static void
append_text(StringInfo body, const char *text)
{
	if (text != NULL)
		appendStringInfoString(body, text);
	appendStringInfoChar(body, '\0');
}

void
send_waiting(Channel *channel)
{
	(void) send_message(channel, MESSAGE_WAITING, NULL, 0);
}

void
send_error(Channel *channel, const ErrorData *error)
{
	StringInfoData body;

	initStringInfo(&body);
	appendBinaryStringInfo(&body, (const char *) &error->sqlerrcode, sizeof(int));
	append_text(&body, error->message);
	append_text(&body, error->detail);
	append_text(&body, error->hint);
	(void) send_message(channel, MESSAGE_ERROR, body.data, body.len);
}

static bool
send_columns(Channel *channel, TupleDesc desc)
{
	Oid		   *types = palloc(sizeof(Oid) * desc->natts);

	for (int i = 0; i < desc->natts; i++)
		types[i] = TupleDescAttr(desc, i)->atttypid;
	return send_message(channel, MESSAGE_COLUMNS, (const char *) types, sizeof(Oid) * desc->natts);
}

static void
add_row(StringInfo body, MinimalTuple row)
{
	static const char padding[MAXIMUM_ALIGNOF] = {0};

	appendBinaryStringInfo(body, (const char *) row, row->t_len);
	appendBinaryStringInfo(body, padding, MAXALIGN(row->t_len) - row->t_len);
}

/* Packs rows into messages of about ROWS_BYTES. */
static bool
send_rows(Channel *channel, const Answer *answer)
{
	StringInfoData body;
	bool		is_attached = true;

	initStringInfo(&body);
	for (uint64 i = 0; is_attached && i < answer->nrows; i++)
	{
		if (body.len > 0 && body.len + answer->rows[i]->t_len > ROWS_BYTES)
		{
			is_attached = send_message(channel, MESSAGE_ROWS, body.data, body.len);
			resetStringInfo(&body);
		}
		add_row(&body, answer->rows[i]);
	}
	if (is_attached && body.len > 0)
		is_attached = send_message(channel, MESSAGE_ROWS, body.data, body.len);
	return is_attached;
}

bool
fits_queue(const Answer *answer)
{
	Size		bytes = 0;

	for (uint64 i = 0; i < answer->nrows && bytes <= ROWS_IN_QUEUE; i++)
		bytes += MAXALIGN(answer->rows[i]->t_len);
	return bytes <= ROWS_IN_QUEUE;
}

bool
send_answer(Channel *channel, const Answer *answer)
{
	return send_columns(channel, answer->desc) && send_rows(channel, answer);
}

void
send_end(Channel *channel)
{
	(void) send_message(channel, MESSAGE_END, NULL, 0);
}

/* ----------------------------------------------------------------
 * Receiving
 * ----------------------------------------------------------------
 */

/* Raises the error here as it was raised in the worker. */
static void
raise_error(const char *body)
{
	int			sqlstate;
	const char *message;
	const char *detail;
	const char *hint;

	memcpy(&sqlstate, body, sizeof(int));
	body += sizeof(int);
	message = get_text(&body);
	detail = get_text(&body);
	hint = get_text(&body);
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg_internal("%s", message),
			 detail[0] == '\0' ? 0 : errdetail_internal("%s", detail),
			 hint[0] == '\0' ? 0 : errhint("%s", hint)));
}

/* The query's columns are those that TARGET.NAME() lists, written when the publication was declared, or those of releases. */
static void
verify_columns(TupleDesc desc, const Oid *types, int n)
{
	bool		is_same = n == desc->natts;

	for (int i = 0; is_same && i < n; i++)
		is_same = TupleDescAttr(desc, i)->atttypid == types[i];
	if (!is_same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("an answer has other columns than are asked for"),
				 errhint("Ask by the function of the publication that stands beside its releases.")));
}

/* Adds the rows of a message, which stand aligned one behind the other, to the caller's tuplestore. */
static void
receive_rows(RowTarget *target, const char *body, Size size)
{
	for (Size at = 0; at < size;)
	{
		MinimalTuple row = (MinimalTuple) (body + at);

		ExecStoreMinimalTuple(row, target->slot, false);
		tuplestore_puttupleslot(target->store, target->slot);
		at += MAXALIGN(row->t_len);
	}
	ExecClearTuple(target->slot);
}

bool
receive_message(RowTarget *target, const char *message, Size size)
{
	uint64		kind;

	memcpy(&kind, message, sizeof(kind));
	message += sizeof(kind);
	size -= sizeof(kind);
	switch ((Message) kind)
	{
		case MESSAGE_WAITING:
			ereport(NOTICE,
					(errmsg("the answer waits for other work on the publication"),
					 errdetail("Somebody publishes or asks, or changes the publication or its source.")));
			break;
		case MESSAGE_ERROR:
			raise_error(message);
			break;
		case MESSAGE_COLUMNS:
			verify_columns(target->desc, (const Oid *) message, size / sizeof(Oid));
			break;
		case MESSAGE_ROWS:
			receive_rows(target, message, size);
			break;
		case MESSAGE_END:
			return true;
	}
	return false;
}
