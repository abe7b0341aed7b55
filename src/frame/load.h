/*
 * load.h
 *		A source, read once under one snapshot, as a frame.
 */
#ifndef PPREPUB_FRAME_LOAD_H
#define PPREPUB_FRAME_LOAD_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/aspects.h"
#include "frame/coding.h"
#include "frame/frame.h"
#include "frame/key_table.h"

/* A column whose values leave as they are: the sensitive one, or an insensitive one. */
typedef struct PlainColumn
{
	const DeclaredColumn *column;	/* borrowed */
	Code	   *code;			/* [nrows], NO_CODE for NULL */
	Code	   *own;			/* [own rows] of each of them alone; or NULL */
	Code		ncodes;
	Datum	   *values;			/* [ncodes] */
} PlainColumn;

typedef struct LoadedFrame
{
	Frame		frame;			/* the view of partition/, method/ and audit/ */
	const bool *shown;			/* [columns] does the release show them? borrowed */
	Datum	   *keys;			/* [nrows] in the key's own type */
	uint32	   *fingerprint;	/* [nrows] of the shown quasi-identifiers: a row whose fingerprint differs later has
								 * changed */
	const bool *is_unprinted;	/* [nrows] are the quasi-identifiers unknown? NULL where all are known */

	/* The values that codes stand for */
	Coding	  **codings;		/* [nqis] of the shown quasi-identifiers */
	PlainColumn sensitive;		/* a tuple's codes where there are several columns */
	const SensitiveColumns *columns;	/* what releases show of it, and the values behind the codes of aspects */
	const Code *sensitive_code; /* of the numbers of load_sensitive_numbers() */
	int			ninsensitive;
	PlainColumn *insensitive;

	const uint64 *first_own;	/* [nrows + 1] where people may have several rows and insensitive columns are shown:
								 * row r has the own rows from first_own[r] on; or NULL */

	uint64		left_out;		/* rows asked for that a lenient load has left out */
	uint64		kept_back;		/* rows of people asked for who have too many */
} LoadedFrame;

/*
 * Reads the pinned view of a publication under the active snapshot: the columns to be shown, the key and the sensitive one,
 * of the rows that meet the condition (all, if it is NULL).  It is called as the owner, inside SPI; everything is allocated
 * in the context given.  A NULL or repeated key, or a value that cannot be coded, is an error that gives the number of rows
 * and examples: only publish, preview and alter_publication may raise it, whose callers are owners.  A lenient load leaves
 * such rows out.
 *
 * Before the load is finished the past looks up people of earlier releases, and adds the sensitive values that were
 * published: codes are given in the end.
 */
typedef struct FrameLoad FrameLoad;

extern FrameLoad *load_rows(const DeclaredPublication *publication, const char *condition,
							const bool *shown, bool is_lenient, MemoryContext context);
extern const KeyTable *load_keys(const FrameLoad *load);	/* their numbers are rows */

/* Gives each row another number, before any others are read: number[row] is the row's. */
extern void load_renumber(FrameLoad *load, const RowId *number);
extern void load_sensitive_numbers(FrameLoad *load, const Datum *values, const bool *nulls, uint32 *numbers, int n);

/*
 * Of a person with more rows than a release shows, keeps those that were shown before, by the number of that value.  Samples
 * of others are drawn when the load is counted, peeked at or finished.
 */
extern void load_keep_shown(FrameLoad *load, RowId row, uint32 shown);

/*
 * Makes a load of rows that were read elsewhere: indexed keys of people, and numbers of their sensitive values.  It has no
 * other columns and no fingerprints, and owns all that is passed.
 */
extern FrameLoad *load_given(const DeclaredPublication *publication, KeyTable *keys,
							 Dictionary *sensitive, uint32 *number, MemoryContext context);

/*
 * Reads the rows with these keys, too, as far as the source has them.  These helpers were not asked for, but may help to
 * protect the people who were.
 */
extern void load_helpers(FrameLoad *load, Datum *keys, uint64 n);

/*
 * Reads people of a registry who are not in the source, from a copy of the registry: they have no sensitive value, and can
 * only be counted in.  It must be the first call after load_rows().
 */
extern void load_registry(FrameLoad *load, Oid copy);

/* Restricts protection to the values in a table of one column. */
extern void load_protected(FrameLoad *load, Oid copy);

/*
 * Sets of people are compared with a distribution, whose values get codes, too: it lives as long as the load.  No rows may
 * follow but helpers.
 */
extern void load_shares(FrameLoad *load, const Shares *shares);

/* How many people of a load have each sensitive value: 0 for those that only the past had. */
typedef struct ValuePeople
{
	Code		n;
	Datum	   *values;			/* [n] */
	uint64	   *people;			/* [n] */
	uint64		known;			/* people with a value */
} ValuePeople;

extern ValuePeople load_count_people(FrameLoad *load);

/*
 * Returns a preliminary frame of the rows read so far, which has only their number and sensitive values; *code maps numbers
 * to its codes.
 */
extern Frame load_peek(FrameLoad *load, Code **code);

/*
 * Gives the codes: of values, and of bins where the range of a column has a step.  An exact frame has codes of values
 * everywhere, to be compared with what was published under other steps or none; its fingerprints are those of bins all the
 * same.
 */
extern LoadedFrame *load_finish(FrameLoad *load);
extern LoadedFrame *load_finish_exact(FrameLoad *load);

#endif							/* PPREPUB_FRAME_LOAD_H */
