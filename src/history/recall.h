/*
 * recall.h
 *		Reading the log whole, with look-ups by key.
 */
#ifndef PPREPUB_HISTORY_RECALL_H
#define PPREPUB_HISTORY_RECALL_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/keys.h"
#include "history/seen.h"

typedef struct Recalled
{
	Seen		seen;
	KeyTable   *people;			/* a person's number is his thread */
	KeyTable   *invented;		/* an invented row's number, plus the people, is its thread */
	Datum	   *values;			/* [seen.nvalues] the sensitive values of codes */
} Recalled;

/*
 * As the owner, under the active snapshot.  Takes 9 bytes for each row that was
 * ever published, in the current context.
 */
extern Recalled *recall(const DeclaredPublication *publication);

/* The thread of a person or of an invented row, or NO_THREAD. */
extern Thread recalled_person(const Recalled *recalled, Datum key);
extern Thread recalled_invented(const Recalled *recalled, int64 number);

#endif							/* PPREPUB_HISTORY_RECALL_H */
