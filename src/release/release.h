/*
 * release.h
 *		A draft becomes a release: drafted, judged, measured, stored.
 */
#ifndef PPREPUB_RELEASE_RELEASE_H
#define PPREPUB_RELEASE_RELEASE_H

#include "postgres.h"

#include "audit/metrics.h"
#include "frame/load.h"
#include "history/fold.h"
#include "history/past_tables.h"
#include "history/reference.h"
#include "method/method.h"
#include "release/checksum.h"
#include "release/request.h"

/* A release while it is built. */
typedef struct ReleaseBuild
{
	const DeclaredPublication *publication;
	const Request *request;		/* borrowed */
	LoadedFrame *loaded;
	Fold	   *fold;
	Reference  *reference;		/* the distribution that it is compared with, or NULL */
	Directory  *directory;		/* that will learn of the release, or NULL */
	Draft	   *draft;
	Metrics		metrics;

	/* Where the time and the memory went */
	double		load_seconds;
	double		history_seconds;	/* reading the past, and guarding it */
	double		partition_seconds;
	double		memory;			/* bytes of the frame and the draft */
} ReleaseBuild;

/* ---- build.c ---- */

/*
 * Called as the owner, inside SPI, under the active snapshot: reads the source, has
 * the method draft a release, has the draft judged, and measures it; writes
 * nothing.  A draft without classes means that nothing may be published.
 *
 * directory: NULL, or one that is current, which will learn of the release; if
 * the fold is not what it says, it is not the build's, and wrong.  Everything
 * is allocated in the context given.
 */
extern ReleaseBuild *build_release(const DeclaredPublication *publication, const Scope *scope,
								   Directory *directory, MemoryContext context);

/*
 * The two halves of build_release(): what is read, and a draft of it, which is
 * allocated in the current context.  A forecast drafts one release after the other,
 * and puts another frame into what was loaded.
 */
extern ReleaseBuild *load_release(const DeclaredPublication *publication, const Scope *scope,
								  Directory *directory, MemoryContext context);
extern void draft_and_measure(ReleaseBuild *build, const Past *past, uint64 seed);

/* A release without rows, where the source cannot be read, or no person is asked for. */
extern ReleaseBuild *build_empty_release(const DeclaredPublication *publication, const Scope *scope,
										 Directory *directory, MemoryContext context);

/* Is the release about everybody, with all columns?  Views of the newest release show those alone. */
extern bool is_full(const DeclaredPublication *publication, const Request *request);

/* An error, for the owner, if there is nothing that may be published. */
extern void verify_something(const ReleaseBuild *build);

/*
 * Called as the owner, inside SPI: measures a release of a cohort once more, cells of
 * ranges against those of the source.  For publish and preview, which may take
 * the time.
 */
extern void measure_against_source(ReleaseBuild *build);

/*
 * A WARNING when many rows are withheld, with the columns to blame, or how many people are lost: from 5 % on where it
 * is the departures that cost them, more than half otherwise.
 */
extern void warn_of_suppression(const ReleaseBuild *build);

/* A NOTICE that names the quasi-identifiers whose cells are nearly all as wide as they can be. */
extern void notice_of_empty_columns(const ReleaseBuild *build);

/* ---- emit_rows.c: rows in the order in which they may leave ---- */

/* A release whose rows have left, or stand ready to. */
typedef struct SentRelease
{
	Oid			table;			/* InvalidOid for an answer */
	uint64		checksum_seed;
	pg_uuid_t  *checksum;
	uint64		newcomers;		/* people and invented rows that are remembered now */
	double		history_seconds;	/* writing it */
} SentRelease;

/*
 * A receiver of rows: a table, or an answer in memory.  Classes are shuffled and
 * numbered in that order; their rows are shuffled, too.
 *
 * Rows have released_columns(); what they point to lives until the next call.
 */
typedef struct RowSink
{
	/*
	 * Before the rows of a class: those columns are set that they have in common, all but plain values; NULL if of no
	 * interest.
	 */
	void		(*add_class) (struct RowSink *sink, const Datum *values, const bool *nulls, uint64 nrows);

	void		(*add_row) (struct RowSink *sink, const Datum *values, const bool *nulls);

	/* Where the history keeps the classes */
	PastTable	log;

	/* Will insensitive values be known later?  If not, the checksum takes them for NULL. */
	bool		keeps_insensitive;
} RowSink;

/* Called as the owner, inside SPI: gives a sink all rows, and the history the same classes under the same numbers. */
extern SentRelease emit_rows(const ReleaseBuild *build, int32 number, RowSink *sink);

/* ---- release_table.c ---- */

/* The columns of releases: with their types as CREATE TABLE has them, otherwise as a select list. */
extern char *released_columns_sql(const DeclaredPublication *publication, bool with_types);

/* Called as the owner, inside SPI: makes TARGET.NAME_<number>, which only the owner may read. */
extern Oid	create_release_table(const DeclaredPublication *publication, int32 number);

/* Seals the table, and notes that it was made for the publication: as the owner, inside SPI. */
extern void keep_release_table(const DeclaredPublication *publication, Oid table);

/* Called as the owner, inside SPI: makes the release's table with its rows, in an order that says nothing. */
extern SentRelease store_release(const ReleaseBuild *build, int32 number);

/* ---- publish.c ---- */

/*
 * Opens a publication as preview() does, for its owner, under other parameters for as long as it is open, unless these
 * are NULL.
 */
extern DeclaredPublication *open_for_preview(const char *name, Jsonb *params);

/* An error if another publication shows the same people: what was found before the source is locked may have changed. */
extern void verify_alone(const DeclaredPublication *publication);

/* An error if the schemas are not the owner's, the history may have been rewound, or another publication shows the same people. */
extern void verify_may_release(const DeclaredPublication *publication);

/* ---- record.c: the catalog of releases ---- */

/* The next release of a publication that is locked; the number is taken when it is noted. */
static inline int32
next_number(const DeclaredPublication *publication)
{
	return publication->releases + 1;
}

/* A row of the catalog of releases, however the release came about. */
typedef struct ReleaseNote
{
	int32		number;
	const char *kind;			/* "stored", "query" or "imported" */
	const char *by;				/* the session's user */
	const char *by_role;		/* the role that it had set, or the same */
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
	uint64		checksum_seed;
	pg_uuid_t  *checksum;
	bool		keeps_witness;	/* was the history found to be rewound, and is it still? */
} ReleaseNote;

/* Takes the number: a rollback gives it back. */
extern void note_in_catalog(const DeclaredPublication *publication, const ReleaseNote *note);

/* The name of a column's loss among metrics: this, and the column's. */
#define LOSS_OF "loss_percent of "

/* Loss by quasi-identifier: those that are shown; or all, where shown is NULL.  The list has room for all columns; returns how many. */
extern int	list_losses(const DeclaredPublication *publication, const Metrics *metrics, const bool *shown, NamedMetric *list);

/* Has the catalog keep the warnings that were remembered while the release was made, which is noted already. */
extern void keep_warnings(const DeclaredPublication *publication, int32 number);

/* The release as pprepub.release has it. */
extern Datum release_row(const DeclaredPublication *publication, int32 number);

/* Notes a release in the catalog, of kind "stored" or "query", with its metrics and its witness; a rollback gives the number back. */
extern void note_release(const ReleaseBuild *build, int32 number, const SentRelease *sent, double seconds);

/* In assert builds, after each release: is the history what its log tells?  pprepub.audit() asks in all builds. */
extern void check_history(DeclaredPublication *publication);

/* ---- forecast/check_foreseen.c ---- */

/* Likewise, before check_history(): is the past what a forecast would have gone on with? */
extern void check_foreseen(const ReleaseBuild *build, uint64 newcomers);

/* ---- announce.c ---- */

/* Tells all who listen to channel pprepub_release of a release with a table, when it is committed. */
extern void announce_release(const DeclaredPublication *publication, int32 number, const char *kind);

#endif							/* PPREPUB_RELEASE_RELEASE_H */
