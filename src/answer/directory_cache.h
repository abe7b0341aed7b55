/*
 * directory_cache.h
 *		What a worker keeps of the publications that it answered about last: where
 *		in the fold people are.
 */
#ifndef PPREPUB_ANSWER_DIRECTORY_CACHE_H
#define PPREPUB_ANSWER_DIRECTORY_CACHE_H

#include "postgres.h"

#include "answer/channel.h"
#include "history/directory.h"

/* Of a publication that is locked: NULL where none is kept, or others have released since. */
extern Directory *kept_directory(const DeclaredPublication *publication);

/* To be called when a transaction that used it aborts, and when it is found to be wrong. */
extern void kept_forget(int32 publication);

/*
 * Outside of transactions: reads the directory for the next question about the
 * publication, if the last one was not answered with one.  Nobody waits for it,
 * and it stands in nobody's way.
 */
extern void kept_learn(const Question *question);

#endif							/* PPREPUB_ANSWER_DIRECTORY_CACHE_H */
