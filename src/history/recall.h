/*
 * recall.h
 *		Reading the log whole, with look-ups by key.
 */
#ifndef PPREPUB_HISTORY_RECALL_H
#define PPREPUB_HISTORY_RECALL_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/aspects.h"
#include "frame/key_table.h"
#include "history/seen.h"

typedef struct Recalled
{
	Seen		seen;
	KeyTable   *people;			/* a person's number is its individual */
	KeyTable   *invented;		/* an invented row's number plus people->size is its individual */
	Datum	   *values;			/* [seen.nvalues] the sensitive values of codes */
	KeyTable   *codes;			/* a sensitive value's number is its code */
} Recalled;

/*
 * Reads the whole log, which takes 13 bytes for each row ever published, in the
 * current context.  Callers act as the owner, under the active snapshot.
 */
extern Recalled *recall(const DeclaredPublication *publication);

/*
 * Likewise, but of the rows no more are in memory than work_mem holds, and those of one release: others are in a temporary
 * file.  For those who ask for releases by seen_release() only.
 */
extern Recalled *recall_in_parts(const DeclaredPublication *publication);

/* Ends what recall_in_parts() began: the file goes, and no release is asked for any more. */
extern void recalled_close(const Recalled *recalled);

/* The individual of a person or of an invented row, or NO_INDIVIDUAL. */
extern Individual recalled_person(const Recalled *recalled, Datum key);
extern Individual recalled_invented(const Recalled *recalled, int64 number);

/* Frees what looks people up, and their keys: they can only be counted from now on. */
extern void recalled_forget_people(Recalled *recalled);

/* Returns the code of a published value: NO_CODE for NULL, UNKNOWN_VALUE if the log does not have it. */
extern Code recalled_value(const Recalled *recalled, Datum value, bool isnull);

#define UNKNOWN_VALUE (NO_CODE - 1)

/* Like recalled_value(), but an unknown value gets a code, behind all others. */
extern Code recalled_new_value(const Recalled *recalled, Datum value);

/*
 * Takes the recalled values apart, and those that recalled_new_value() has added so far; in the current context.  Its
 * aspects, if there are any, are by codes of the sensitive values that were seen.
 */
extern SensitiveColumns *recalled_columns(const DeclaredPublication *publication, const Recalled *recalled);

#endif							/* PPREPUB_HISTORY_RECALL_H */
