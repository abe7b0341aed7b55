/*
 * reference.h
 *		The distribution that t-closeness, beta-likeness and delta-disclosure compare
 *		with: a public one that was declared, or that of the first release.
 *
 * The latter stands in NAME_reference: a row for each sensitive value, how many people of so many had it, and in
 * which release.  Shares are of those who have a value.  The first release gives it the values of everybody in the
 * source, whomever it is about; a later release of everybody adds what it finds besides.  Rows are never changed, so
 * that what was judged stays comparable.  It is no fold of the log, which does not tell of people who are withheld.
 */
#ifndef PPREPUB_HISTORY_REFERENCE_H
#define PPREPUB_HISTORY_REFERENCE_H

#include "postgres.h"

#include "frame/key_table.h"
#include "frame/load.h"
#include "history/recall.h"

typedef struct Reference
{
	Shares		shares;
	bool		is_declared;	/* a public distribution: nothing is found, and nothing written */

	/* By value; of a declared one, the shares alone */
	KeyTable   *values;
	uint32		nkept;			/* the first so many stand in the table */
	uint32		allocated;
	int64	   *people;
	int64	   *of;				/* people with a value */
	int32	   *release;
	double	   *share;
} Reference;

/*
 * The distribution that is declared or stands in the table: in the current context, as the owner, inside SPI; without values
 * if there is neither.
 */
extern Reference *reference_read(const DeclaredPublication *publication);

/* The table that it is kept in, or InvalidOid. */
extern Oid	reference_table(const DeclaredPublication *publication);

/* Adds what the log tells: values of its releases of everybody, as each of these finds them.  There may be none. */
extern void reference_recall(Reference *reference, const DeclaredPublication *publication, const Recalled *recalled);

/* Likewise, the values of release r + 1, whatever it is about: all its rows count, as observers count them. */
extern void reference_recall_release(Reference *reference, const Recalled *recalled, int32 r);

/* Adds the values of a load of everybody that the distribution lacks, those of the past included, for a release. */
extern void reference_find(Reference *reference, FrameLoad *load, int32 release);

/* Writes what was added to the table, which is made when it is not there yet: as the owner, inside SPI. */
extern void reference_write(const DeclaredPublication *publication, const Reference *reference);

/* The rows of a declared distribution, or of a copy of it. */
extern Reference *reference_declared(const DeclaredPublication *publication, Oid copy);

#endif							/* PPREPUB_HISTORY_REFERENCE_H */
