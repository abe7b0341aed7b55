/*
 * record.h
 *		What the catalog notes of a release, however it came about.
 */
#ifndef PPREPUB_RELEASE_RECORD_H
#define PPREPUB_RELEASE_RECORD_H

#include "postgres.h"

#include "audit/metrics.h"
#include "declare/publication.h"
#include "utils/array.h"
#include "utils/uuid.h"

typedef struct ReleaseNote
{
	int32		number;
	const char *kind;			/* "stored", "query" or "imported" */
	const char *by;				/* a role's name */
	Oid			table;			/* or InvalidOid */
	const char *cohort;			/* or NULL */
	ArrayType  *columns;		/* or NULL for all */
	bool		identified;		/* does the log say whose its rows are? */
	const Metrics *metrics;		/* counts among them; NULL where there is nothing to measure by */
	uint64		rows;
	uint64		classes;
	uint64		newcomers;		/* people and invented rows that are remembered now */
	double		seconds;
	double		history_seconds;	/* of them: reading, guarding, writing the history */
	const char *guarantee;		/* the join by which it was judged, or NULL */
	uint64		checksum_seed;
	pg_uuid_t  *checksum;
	bool		keeps_witness;	/* was the history found to be rewound, and is it still? */
} ReleaseNote;

/* Takes the number: a rollback gives it back. */
extern void note_in_catalog(const DeclaredPublication *publication, const ReleaseNote *note);

/* The release as pprepub.release has it. */
extern Datum release_row(const DeclaredPublication *publication, int32 number);

#endif							/* PPREPUB_RELEASE_RECORD_H */
