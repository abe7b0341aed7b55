/*
 * outcome.c
 *		Sending and taking in the messages of outcome.h.
 *
 * FORMAT
 *		A message is a word that says what it is, and its body.  Rows follow the
 *		oids of their columns' types, many to a message, each aligned.
 */
#include "answer/outcome.h"

#include "executor/executor.h"
#include "lib/stringinfo.h"

typedef enum Message
{
	MESSAGE_ERROR,
	MESSAGE_COLUMNS,
	MESSAGE_ROWS,
	MESSAGE_END
} Message;

#define ROWS_BYTES	32768		/* of a message, about */
#define ROWS_IN_QUEUE (QUEUE_BYTES - QUEUE_BYTES / 16)	/* with room for what messages have besides */

/* ----------------------------------------------------------------
 * Sending
 * ----------------------------------------------------------------
 */

static bool
send_message(Channel *channel, Message kind, const char *body, Size size)
{
	uint64		word = kind;
	shm_mq_iovec parts[] = {{(const char *) &word, sizeof(word)}, {body, size}};

	return shm_mq_sendv(channel->queue, parts, size > 0 ? 2 : 1, false, kind != MESSAGE_ROWS) == SHM_MQ_SUCCESS;
}

static void
put_words(StringInfo body, const char *words)
{
	if (words != NULL)
		appendStringInfoString(body, words);
	appendStringInfoChar(body, '\0');
}

void
send_error(Channel *channel, const ErrorData *error)
{
	StringInfoData body;

	initStringInfo(&body);
	appendBinaryStringInfo(&body, (const char *) &error->sqlerrcode, sizeof(int));
	put_words(&body, error->message);
	put_words(&body, error->detail);
	put_words(&body, error->hint);
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

static bool
send_rows(Channel *channel, const Answer *answer)
{
	StringInfoData body;
	bool		is_heard = true;

	initStringInfo(&body);
	for (uint64 i = 0; is_heard && i < answer->nrows; i++)
	{
		if (body.len > 0 && body.len + answer->rows[i]->t_len > ROWS_BYTES)
		{
			is_heard = send_message(channel, MESSAGE_ROWS, body.data, body.len);
			resetStringInfo(&body);
		}
		add_row(&body, answer->rows[i]);
	}
	if (is_heard && body.len > 0)
		is_heard = send_message(channel, MESSAGE_ROWS, body.data, body.len);
	return is_heard;
}

bool
takes_long_to_send(const Answer *answer)
{
	Size		bytes = 0;

	for (uint64 i = 0; i < answer->nrows && bytes <= ROWS_IN_QUEUE; i++)
		bytes += MAXALIGN(answer->rows[i]->t_len);
	return bytes > ROWS_IN_QUEUE;
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
 * Taking in
 * ----------------------------------------------------------------
 */

static const char *
take_words(const char **from)
{
	const char *words = *from;

	*from += strlen(words) + 1;
	return words;
}

static void
raise_error(const char *body)
{
	int			sqlstate;
	const char *message;
	const char *detail;
	const char *hint;

	memcpy(&sqlstate, body, sizeof(int));
	body += sizeof(int);
	message = take_words(&body);
	detail = take_words(&body);
	hint = take_words(&body);
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg_internal("%s", message),
			 detail[0] == '\0' ? 0 : errdetail_internal("%s", detail),
			 hint[0] == '\0' ? 0 : errhint("%s", hint)));
}

/* The wrapper's columns were written down when the publication was declared. */
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

static void
take_rows(Reception *reception, const char *body, Size size)
{
	for (Size at = 0; at < size;)
	{
		MinimalTuple row = (MinimalTuple) (body + at);

		ExecStoreMinimalTuple(row, reception->slot, false);
		tuplestore_puttupleslot(reception->store, reception->slot);
		at += MAXALIGN(row->t_len);
	}
	ExecClearTuple(reception->slot);
}

bool
take_message(Reception *reception, const char *message, Size size)
{
	uint64		kind;

	memcpy(&kind, message, sizeof(kind));
	message += sizeof(kind);
	size -= sizeof(kind);
	switch ((Message) kind)
	{
		case MESSAGE_ERROR:
			raise_error(message);
			break;
		case MESSAGE_COLUMNS:
			verify_columns(reception->desc, (const Oid *) message, size / sizeof(Oid));
			break;
		case MESSAGE_ROWS:
			take_rows(reception, message, size);
			break;
		case MESSAGE_END:
			return true;
	}
	return false;
}
