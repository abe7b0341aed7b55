/*
 * recall.h
 *		Reading the log whole, with look-ups by key and by value.
 */
#ifndef PPREPUB_HISTORY_RECALL_H
#define PPREPUB_HISTORY_RECALL_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/aspects.h"
#include "frame/key_table.h"
#include "frame/load.h"
#include "history/seen.h"

typedef struct Recalled
{
	Seen		seen;
	KeyTable   *people;			/* numbers of persons */
	Datum	   *values;			/* [seen.nvalues] the sensitive values of codes */
	KeyTable   *codes;			/* a sensitive value's number is its code */
} Recalled;

/*
 * Reads the whole log, which takes 13 bytes for each row ever published, 17 of methods
 * with places, in the current context.  Callers act as the owner, under the active snapshot.
 */
extern Recalled *recall(const DeclaredPublication *publication);

/*
 * Likewise, but of the rows no more are in memory than work_mem holds, and those of one release: others are in a temporary
 * file.  For those who ask for releases by seen_release() only.
 */
extern Recalled *recall_in_parts(const DeclaredPublication *publication);

/* Ends what recall_in_parts() began: the file goes, and no release is asked for any more. */
extern void recalled_close(const Recalled *recalled);

/* The number of a person, or NO_INDIVIDUAL. */
extern Individual recalled_person(const Recalled *recalled, Datum key);

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

/* ---- Which values a publication protects ---- */

/* The values that people are linked to: the recalled ones; or, of one sensitive column, those of the rows where people have several. */
typedef struct LinkedValues
{
	const DeclaredColumn *column;
	KeyTable   *codes;			/* a value's number is its code */
	const Aspects *aspects;		/* of recalled values, for statistics_of(); or NULL */
} LinkedValues;

extern LinkedValues linked_values(const DeclaredPublication *publication, const Recalled *recalled);

/* Marks the protected ones by code, or NULL for all.  Callers act as the owner, inside SPI. */
extern const bool *protected_values(const DeclaredPublication *publication, const LinkedValues *values);

/* Marks those that are in a list, a table like the one of parameter "transient". */
extern bool *listed_values(Oid table, const LinkedValues *values);

/* Tells a load which values are protected.  Callers act as the owner, inside SPI. */
extern void load_protected_values(const DeclaredPublication *publication, FrameLoad *load);

/* ---- The values of the log as principles judge them ---- */

/*
 * The aspects of recalled values, by codes of Seen, and the distribution that sets are compared with; never NULL.  It is that
 * of the publication; where it has none, that which it would have if it had been kept from the beginning, as far as the log tells.
 * In the current context, as the owner, inside SPI.
 */
extern const Aspects *aspects_of_recalled(const DeclaredPublication *publication, const Recalled *recalled);

/* ---- seen_file.c: rows of releases that are kept in a temporary file instead of memory ---- */

typedef struct SeenFile SeenFile;

/* The bytes that a row takes in the arrays of a release */
#define SEEN_ROW_BYTES (2 * sizeof(Individual) + sizeof(Code) + sizeof(uint32) + 2 * sizeof(bool))

/* A file for releases of seen, all of which are in memory, in the current context; seen_release() looks into it from now on. */
extern SeenFile *seen_file_create(Seen *seen);

/* Writes a release's rows, and frees their arrays; or makes such arrays anew, for more rows to come. */
extern void seen_file_put(SeenFile *file, int32 r);
extern void seen_file_take_back(SeenFile *file, int32 r);
extern bool seen_file_has(const SeenFile *file, int32 r);

/* Puts all rows there are in memory, if there is a file and work_mem is too small for them: they are not needed for a while. */
extern void seen_put_aside(const Seen *seen);

/* Removes the file; releases of which the rows were in it have none any more.  After an error PostgreSQL removes it. */
extern void seen_file_close(SeenFile *file);

/* All rows are put: code maps their values, and invented rows were counted down from the top. */
extern void seen_file_number(SeenFile *file, const Code *code, uint64 npeople);

/* Gives the rows of a release their final numbers. */
extern void seen_number_rows(SeenRelease *release, const Code *code, uint64 npeople);

#endif							/* PPREPUB_HISTORY_RECALL_H */
