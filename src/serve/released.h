/*
 * released.h
 *		The releases of a publication, as they were made.
 */
#ifndef PPREPUB_SERVE_RELEASED_H
#define PPREPUB_SERVE_RELEASED_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/publication.h"
#include "partition/principle.h"
#include "utils/uuid.h"

typedef struct Released
{
	int32		number;
	Oid			table;			/* InvalidOid when it has none, or it is gone */
	bool		is_stored;
	Principle	principle;		/* that it was made under */
	const bool *shown;			/* [columns of the publication] */
	bool		shows_sensitive;
	uint64		checksum_seed;
	pg_uuid_t	checksum;
} Released;

/* What a method promises under these parameters. */
extern Principle principle_under(const char *method, Jsonb *params);

/* All of them, in order: [publication->releases]. */
extern Released *read_released(const DeclaredPublication *publication);

/* Has a table the columns that releases are made with? */
extern bool has_released_columns(const DeclaredPublication *publication, TupleDesc columns);

/* What all of them have promised together: the weakest of their principles. */
extern Principle weakest_principle(const Released *released, int32 n);

#endif							/* PPREPUB_SERVE_RELEASED_H */
