/*
 * load.h
 *		A source, read once under one snapshot, as a frame.
 */
#ifndef PPREPUB_FRAME_LOAD_H
#define PPREPUB_FRAME_LOAD_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/coding.h"
#include "frame/frame.h"
#include "frame/key_table.h"

/* A column whose values leave as they are: the sensitive one, or an insensitive one. */
typedef struct PlainColumn
{
	const DeclaredColumn *column;	/* borrowed */
	Code	   *code;			/* [nrows], NO_CODE for NULL */
	Code		ncodes;
	Datum	   *values;			/* [ncodes] */
} PlainColumn;

typedef struct LoadedFrame
{
	Frame		frame;			/* what the pure rooms see */
	const bool *shown;			/* [columns] does the release show them? borrowed */
	Datum	   *keys;			/* [nrows] in the key's own type */
	uint32	   *fingerprint;	/* [nrows] of the quasi-identifiers that are shown:
								 * another one later means that a row has changed */
	const bool *is_unprinted;	/* [nrows] whose quasi-identifiers are not known; NULL
								 * where all are */

	/* What codes stand for */
	Coding	  **codings;		/* [nqis] of those that are shown */
	PlainColumn sensitive;
	const Code *sensitive_code; /* of load_sensitive_numbers()'s */
	int			ninsensitive;
	PlainColumn *insensitive;

	uint64		left_out;		/* rows that were asked for, and are not here */
} LoadedFrame;

/*
 * Reads the pinned view of a publication under the active snapshot: the columns
 * to be shown, the key and the sensitive one, of the rows that meet the
 * condition (all, if it is NULL).  To be called as the owner, inside SPI;
 * everything is allocated in the context given.  A NULL or repeated key, or a
 * value that cannot be coded, is an error with the number of rows, and
 * examples: for publish and preview only, which answer to the owner.  A lenient
 * load leaves such rows out.
 *
 * Between reading and finishing the past may ask who is still there, and add
 * sensitive values that were published once: codes are given in the end.
 */
typedef struct FrameLoad FrameLoad;

extern FrameLoad *load_rows(const DeclaredPublication *publication, const char *condition,
							const bool *shown, bool is_lenient, MemoryContext context);
extern const KeyTable *load_keys(const FrameLoad *load);	/* their numbers are rows */
extern void load_sensitive_numbers(FrameLoad *load, const Datum *values, const bool *nulls,
								   uint32 *numbers, int n);

/*
 * A load of rows that were read elsewhere: people by their keys, which can be
 * found, and numbers of their sensitive values.  There are no other columns, and
 * no fingerprints.  All that is passed belongs to the load.
 */
extern FrameLoad *load_given(const DeclaredPublication *publication, KeyTable *keys,
							 Dictionary *sensitive, uint32 *number, MemoryContext context);

/*
 * Reads the rows with these keys too, as far as they are in the source: people
 * who were not asked for, but may help to protect those who were.
 */
extern void load_helpers(FrameLoad *load, Datum *keys, uint64 n);

/*
 * Reads people of a registry who are not in the source, from a copy of it: they
 * have no sensitive value, and can only be counted in.  To be called first of
 * all.
 */
extern void load_registry(FrameLoad *load, Oid copy);

/* Only the values in a table of one column are protected, not all. */
extern void load_protected(FrameLoad *load, Oid copy);

/*
 * What will come of the rows read so far, as far as their number and their
 * sensitive values go; and the code of each number, for the time being.
 */
extern Frame load_peek(const FrameLoad *load, Code **code);

extern LoadedFrame *load_finish(FrameLoad *load);

#endif							/* PPREPUB_FRAME_LOAD_H */
