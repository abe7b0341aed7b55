/*
 * release.h
 *		A draft becomes a release: drafted, judged, measured, stored.
 */
#ifndef PPREPUB_SERVE_RELEASE_H
#define PPREPUB_SERVE_RELEASE_H

#include "postgres.h"

#include "audit/metrics.h"
#include "frame/load.h"
#include "history/fold.h"
#include "method/method.h"
#include "serve/checksum.h"
#include "serve/request.h"

/* A release in the making. */
typedef struct Making
{
	const DeclaredPublication *publication;
	const Request *request;		/* borrowed */
	LoadedFrame *loaded;
	Fold	   *fold;
	Draft	   *draft;
	Metrics		metrics;

	/* Where the time and the memory went */
	double		load_seconds;
	double		history_seconds;	/* reading the past, and guarding it */
	double		partition_seconds;
	double		memory;			/* bytes of the frame and the draft */
} Making;

/*
 * As the owner, inside SPI, under the active snapshot: reads the source, has
 * the method draft a release, has the draft judged, and measures it.  A draft
 * without classes means that nothing may be published.  shown: which columns
 * to show.  Everything is allocated in the context given.
 */
extern Making *make_release(const DeclaredPublication *publication, const Request *request,
							const bool *shown, MemoryContext context);

/* An error, for the owner, if there is nothing that may be published. */
extern void verify_something(const Making *making);

/* A WARNING when more than half of the rows are withheld, with the columns to blame. */
extern void warn_of_suppression(const Making *making);

/* As the owner, inside SPI: the release table and its rows, in an order that says nothing. */
typedef struct StoredRelease
{
	Oid			table;
	uint64		checksum_seed;
	pg_uuid_t  *checksum;
	double		history_seconds;	/* writing it */
} StoredRelease;

extern StoredRelease store_release(const Making *making, int32 number);

#endif							/* PPREPUB_SERVE_RELEASE_H */
