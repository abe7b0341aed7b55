/*
 * channel.c
 *		The segment of shared memory between an analyst's backend and the worker, and the messages in its queue.
 *
 * The segment holds the head; name, session user, its role, cohort, bins and epsilon, each with its terminator; the array
 * of columns; and the queue.  A message is a word, which tells its kind, and a body.  Rows follow the oids of their
 * columns' types, many to a message, each aligned.
 */
#include "answer/answer.h"

#include "compat.h"
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/proc.h"

#define CHANNEL_MAGIC	0x70707232
#define QUEUE_BYTES		((Size) 256 * 1024)

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

/* A missing text is written as an empty one. */
static void
append_text(StringInfo bytes, const char *text)
{
	if (text != NULL)
		appendStringInfoString(bytes, text);
	appendStringInfoChar(bytes, '\0');
}

/* Fills up with zeros to where anything can stand; returns that place. */
static Size
align(StringInfo bytes)
{
	static const char padding[MAXIMUM_ALIGNOF] = {0};

	appendBinaryStringInfo(bytes, padding, MAXALIGN(bytes->len) - bytes->len);
	return bytes->len;
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
	const Request *request = &question->request;
	Channel    *channel = palloc(sizeof(Channel));
	ChannelHead head = {
		.magic = CHANNEL_MAGIC, .database = MyDatabaseId, .owner = question->owner, .publication = question->publication,
		.time_grid = question->time_grid, .sees_errors = question->sees_errors, .has_cohort = request->cohort != NULL,
	};
	StringInfoData bytes;
	shm_mq	   *queue;

	initStringInfo(&bytes);
	appendBinaryStringInfo(&bytes, (const char *) &head, sizeof(head));
	append_text(&bytes, question->name);
	append_text(&bytes, request->by);
	append_text(&bytes, request->by_role);
	append_text(&bytes, request->cohort);
	append_text(&bytes, question->bins);
	append_text(&bytes, question->epsilon);
	head.columns = align(&bytes);
	if (request->columns == NULL)
		head.columns = 0;
	else
		appendBinaryStringInfo(&bytes, (const char *) request->columns, VARSIZE(request->columns));
	head.queue = align(&bytes);

	channel->segment = dsm_create(head.queue + QUEUE_BYTES, 0);
	channel->head = dsm_segment_address(channel->segment);
	memcpy(channel->head, bytes.data, bytes.len);
	*channel->head = head;
	pg_atomic_init_u32(&channel->head->stage, STAGE_ASKED);
	queue = shm_mq_create((char *) channel->head + head.queue, QUEUE_BYTES);
	shm_mq_set_receiver(queue, MyProc);
	channel->queue = shm_mq_attach(queue, channel->segment, NULL);
	on_dsm_detach(channel->segment, withdraw, PointerGetDatum(channel->head));
	return channel;
}

Channel *
channel_attach(dsm_handle handle)
{
	Channel    *channel = palloc(sizeof(Channel));
	shm_mq	   *queue;

	channel->segment = dsm_attach(handle);
	if (channel->segment == NULL)
		return NULL;
	channel->head = dsm_segment_address(channel->segment);
	if (channel->head->magic != CHANNEL_MAGIC)
		elog(ERROR, "segment of an answer has another layout");
	queue = (shm_mq *) ((char *) channel->head + channel->head->queue);
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
	const ChannelHead *head = channel->head;
	Question   *question = palloc0(sizeof(Question));
	const char *from = (const char *) (head + 1);
	const char *texts[3];

	question->publication = head->publication;
	question->owner = head->owner;
	question->time_grid = head->time_grid;
	question->sees_errors = head->sees_errors;
	question->name = get_text(&from);
	question->request.by = get_text(&from);
	question->request.by_role = get_text(&from);
	for (int i = 0; i < (int) lengthof(texts); i++)
		texts[i] = get_text(&from);
	question->request.cohort = head->has_cohort ? texts[0] : NULL;
	question->bins = texts[1][0] == '\0' ? NULL : texts[1];
	question->epsilon = texts[2][0] == '\0' ? NULL : texts[2];
	if (head->columns > 0)
	{
		const ArrayType *columns = (const ArrayType *) ((const char *) head + head->columns);

		question->request.columns = memcpy(palloc(VARSIZE(columns)), columns, VARSIZE(columns));
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

bool
fits_queue(const Answer *answer)
{
	Size		bytes = 0;

	for (uint64 i = 0; i < answer->nrows && bytes <= ROWS_IN_QUEUE; i++)
		bytes += MAXALIGN(answer->rows[i]->t_len);
	return bytes <= ROWS_IN_QUEUE;
}

/* Packs rows into messages of about ROWS_BYTES. */
bool
send_answer(Channel *channel, const Answer *answer)
{
	StringInfoData body;
	bool		is_attached;

	initStringInfo(&body);
	for (int i = 0; i < answer->desc->natts; i++)
		appendBinaryStringInfo(&body, (const char *) &TupleDescAttr(answer->desc, i)->atttypid, sizeof(Oid));
	is_attached = send_message(channel, MESSAGE_COLUMNS, body.data, body.len);
	resetStringInfo(&body);
	for (uint64 i = 0; is_attached && i < answer->nrows; i++)
	{
		if (body.len > 0 && body.len + answer->rows[i]->t_len > ROWS_BYTES)
		{
			is_attached = send_message(channel, MESSAGE_ROWS, body.data, body.len);
			resetStringInfo(&body);
		}
		appendBinaryStringInfo(&body, (const char *) answer->rows[i], answer->rows[i]->t_len);
		(void) align(&body);
	}
	if (is_attached && body.len > 0)
		is_attached = send_message(channel, MESSAGE_ROWS, body.data, body.len);
	return is_attached;
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
			for (Size at = 0; at < size; at += MAXALIGN(((MinimalTuple) (message + at))->t_len))
			{
				ExecStoreMinimalTuple((MinimalTuple) (message + at), target->slot, false);
				tuplestore_puttupleslot(target->store, target->slot);
			}
			ExecClearTuple(target->slot);
			break;
		case MESSAGE_END:
			return true;
	}
	return false;
}
