/*
 * release.h
 *		Releases: what one is asked to be about, how it is made of a draft, stored, shown and remembered.
 */
#ifndef PPREPUB_RELEASE_RELEASE_H
#define PPREPUB_RELEASE_RELEASE_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "audit/metrics.h"
#include "declare/publication.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "history/fold.h"
#include "history/past_tables.h"
#include "history/reference.h"
#include "method/method.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/uuid.h"

/* Where the time of a release went */
typedef struct Stopwatch
{
	instr_time	start;
} Stopwatch;

static inline Stopwatch
stopwatch_start(void)
{
	Stopwatch	watch;

	INSTR_TIME_SET_CURRENT(watch.start);
	return watch;
}

static inline double
stopwatch_seconds(const Stopwatch *watch)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, watch->start);
	return INSTR_TIME_GET_DOUBLE(now);
}

/* The seconds since the start, and starts again. */
static inline double
stopwatch_lap(Stopwatch *watch)
{
	double		seconds = stopwatch_seconds(watch);

	*watch = stopwatch_start();
	return seconds;
}

/* Settings: the steps, whole numbers, of a search for the full match join, and of all other searches of a call. */
extern double fmj_budget;
extern double search_budget;

/* To be called before the prefix of all settings is reserved. */
extern void define_search_budgets(void);

/* ----------------------------------------------------------------
 * What a release is asked to be about.
 * ----------------------------------------------------------------
 */

typedef struct Request
{
	const char *cohort;			/* as it was written, or NULL for everybody */
	ArrayType  *columns;		/* their names, or NULL for all */
	const char *by;				/* the role that asks: the user of its session */
	const char *by_role;		/* as which it asks: the role that it has set, or the same */
} Request;

/* A request of this session. */
extern Request session_request(const char *cohort, ArrayType *columns);

/* A request as a publication takes it. */
typedef struct Scope
{
	const Request *request;		/* borrowed */
	const bool *shown;			/* [columns] */
	const char *condition;		/* on the pinned view, or NULL */
	bool		is_lenient;		/* for an answer, which leaves out the rows that publish() complains of */
	struct Reference *reference;	/* the distribution that it is compared with, read before; or NULL */
} Scope;

/*
 * Called as the owner: reads nothing of the source, so an error about a request tells
 * nothing of it.
 */
extern Scope scope_of(const DeclaredPublication *publication, const Request *request, bool is_lenient);

/* All columns that may be shown, in words. */
extern char *releasable_names(const DeclaredPublication *publication);

/* Like shown_columns(), of a release that was made, which may show none of them, and none that was declared after it. */
extern const bool *noted_columns(const DeclaredPublication *publication, ArrayType *names, int32 number);

/* The other way round: the names of the columns with a flag, or of all, as requests have them; without the key's. */
extern ArrayType *column_names(const DeclaredPublication *publication, const bool *shown);

/* ----------------------------------------------------------------
 * The half of a method that reads the database.
 *
 * Method (method/method.h) decides what a release shows, and knows nothing of
 * tables.  This half reads the tables that the method's parameters name, checks what
 * the method promises over the whole history, beyond sizes and values of each set
 * that releases reveal, and words what it tells the owner.  It is filled in by
 * method/NAME/sql/; release/, import/ and check/ know no method by name.
 * ----------------------------------------------------------------
 */

struct Audit;
struct ReleaseBuild;

/* Each member may be NULL: there is nothing to be done then. */
typedef struct MethodSql
{
	/* ---- Tables that parameters name ---- */

	/* Called for each new copy of such a table; may raise an error: see declare/publication.h. */
	void		(*check_table) (const DeclaredPublication *publication, const char *param,
								Oid old_copy, Oid new_copy, bool accept_weakening);

	/* Adds what such tables say of rows to a load, as the owner, inside SPI: before the past is read. */
	void		(*load_tables) (const DeclaredPublication *publication, FrameLoad *load);

	/*
	 * Updates (Past.updates), as the owner, inside SPI: read before the load is finished, so that values of such
	 * tables have codes in the frame, and then put in these codes. The latter raises an error if rows have values that
	 * they cannot have. The method alone knows what is read.
	 */
	void	   *(*read_updates) (const DeclaredPublication *publication, FrameLoad *load);
	void		(*apply_updates) (const DeclaredPublication *publication, const void *updates,
								  const LoadedFrame *loaded, Past *past);

	/* ---- Drafts ---- */

	/*
	 * Drafts a release by the tables of those before it, as the owner, inside SPI: instead of Method.draft, which is
	 * NULL then.  Where nothing may be published that is an error, for the owner.
	 */
	Draft	   *(*draft) (const DeclaredPublication *publication, const LoadedFrame *loaded);

	/* An error, for the owner, if the method has refused its draft: see Draft.refusal. */
	void		(*verify_not_refused) (const struct ReleaseBuild *build);

	/* The last check of a draft, by code of audit/: an internal error if it does not keep the promise. */
	void		(*judge) (const DeclaredPublication *publication, const Frame *frame,
						  const Past *past, const Draft *draft);

	/* Warns the owner of what a release withholds, instead of a warning of many rows. */
	void		(*warn) (const struct ReleaseBuild *build);

	/* ---- Published releases ---- */

	/* Adds the checks of audit(): see check/checks.h. */
	void		(*check) (struct Audit *audit);

	/*
	 * The last release was made elsewhere, and the log says whose its rows are: an error if nothing could follow it, a
	 * warning of what it breaks.
	 */
	void		(*judge_import) (const DeclaredPublication *publication);

	/* Warns the owner where new parameters promise more to people who were published than these were given. */
	void		(*strengthen) (const DeclaredPublication *publication, Jsonb *params);
} MethodSql;

#define METHOD(name)
#define METHOD_WITH_SQL(name) extern const MethodSql name##_sql;
#include "method/list.h"

/* Never NULL: all members are, for a method that has no such half. */
extern const MethodSql *find_method_sql(const char *name);

/* Different sensitive values: of the column with the fewest, and bands where these are judged; and rows without any. */
extern uint64 count_sensitive_values(const Frame *frame);
extern uint64 count_without_value(const Frame *frame);

/* ----------------------------------------------------------------
 * The distribution that a release is compared with, where its principle compares:
 * read or made before the release, and written with it.
 * ----------------------------------------------------------------
 */

/*
 * Called as the owner, inside SPI: the distribution as it is before a release; NULL where nothing compares.  It
 * says nothing yet where the release itself will make it.  Where there is none, and the release is about a part of
 * the people, all of the source is read: asking must not choose it.
 */
extern Reference *read_distribution(const DeclaredPublication *publication, const Scope *scope);

/* Compares a load with it, whose past has been read.  A release of everybody adds what it finds; an answer never does. */
extern void compare_with_distribution(const DeclaredPublication *publication, const Scope *scope,
									  Reference *reference, FrameLoad *load);

/* An error, for the owner, if people have values that a declared distribution lacks, and that can never be shown so. */
extern void verify_distribution_has_all(const DeclaredPublication *publication, const Reference *reference,
										const LoadedFrame *loaded);

/* An error if a distance is declared that supposes an order, and the values of a sensitive column have none. */
extern void verify_distance(const DeclaredPublication *publication);

/* Checks the rows of a declared distribution; see declare/publication.h. */
extern void check_distribution(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening);

/* ----------------------------------------------------------------
 * A checksum over the logical rows of a release, in any order.
 *
 * The sum must be the same after the table was dumped and restored, or rewritten:
 * so it is made of values, not of pages.  The seed is secret: changed rows cannot be
 * made to have the same sum.
 * ----------------------------------------------------------------
 */

typedef struct Checksum Checksum;

/* A sum of no rows yet, with these columns; values count in those alone that were declared before release number. */
extern Checksum *checksum_create(const DeclaredPublication *publication, TupleDesc columns, int32 number, uint64 seed);

/* A row is the sum of its values: many have most in common with the row before. */
typedef struct RowSum
{
	uint64		lane[2];
} RowSum;

extern RowSum checksum_value(Checksum *checksum, int column, Datum value, bool isnull);
extern void checksum_add_row(Checksum *checksum, RowSum row);

static inline RowSum
row_sum(RowSum a, RowSum b)
{
	return (RowSum) {{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1]}};
}
extern pg_uuid_t *checksum_result(const Checksum *checksum);

/* ----------------------------------------------------------------
 * Orders that say nothing, drawn from a strong random source.
 * ----------------------------------------------------------------
 */

/* Every order of the n elements is as likely as any other. */
extern void shuffle(uint32 *elements, uint32 n);

extern uint64 random_seed(void);

/* ----------------------------------------------------------------
 * A draft becomes a release: drafted, judged, measured, stored.
 * ----------------------------------------------------------------
 */

/* A release while it is built. */
typedef struct ReleaseBuild
{
	const DeclaredPublication *publication;
	const Request *request;		/* borrowed */
	LoadedFrame *loaded;
	Fold	   *fold;
	Reference  *reference;		/* the distribution that it is compared with, or NULL */
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
 * Everything is allocated in the context given.
 */
extern ReleaseBuild *build_release(const DeclaredPublication *publication, const Scope *scope, MemoryContext context);

/*
 * The two halves of build_release(): what is read, and a draft of it, which is
 * allocated in the current context.  A forecast drafts one release after the other,
 * and puts another frame into what was loaded.
 */
extern ReleaseBuild *load_release(const DeclaredPublication *publication, const Scope *scope, MemoryContext context);
extern void draft_and_measure(ReleaseBuild *build, const Past *past, uint64 seed);

/* A release without rows, where the source cannot be read, or no person is asked for. */
extern ReleaseBuild *build_empty_release(const DeclaredPublication *publication, const Scope *scope, MemoryContext context);

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

/* A NOTICE of how many rows are not shown since their people have too many. */
extern void notice_of_rows_kept_back(const ReleaseBuild *build);

/* ---- release_table.c: rows in the order in which they may leave, and the table ---- */

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

/*
 * The numbers by which the history knows the classes of a draft: [classes] from 1 on, in
 * the order in which they leave, or, where rows show no class, by the text of their cells.
 */
extern int64 *class_numbers(const ReleaseBuild *build, const uint32 *order);

/* Called as the owner, inside SPI: gives a sink all rows, and the history the same classes under the same numbers. */
extern SentRelease emit_rows(const ReleaseBuild *build, int32 number, RowSink *sink);

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
	uint64		rows;			/* that leave */
	uint64		people;			/* whose they are, and invented ones */
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

/* Notes a release in the catalog, of kind "stored" or "query", with its metrics and its witness; a rollback gives the number back. */
extern void note_release(const ReleaseBuild *build, int32 number, const SentRelease *sent, double seconds);

/* In assert builds, after each release: is the history what its log tells?  pprepub.audit() asks in all builds. */
extern void check_history(DeclaredPublication *publication);

/*
 * Tells of a release with a table, which was noted: analysts in TARGET.NAME_releases, and all who listen to channel
 * pprepub_release, when it is committed.  Has the catalog keep the warnings that were remembered while it was made, and
 * returns it as pprepub.release has it.  As the owner, inside SPI, under whose outer context the result is.
 */
extern Datum tell_release(const DeclaredPublication *publication, int32 number, const char *kind);

/*
 * Called as the owner, inside SPI: shows a release of everybody with all columns in the views NAME and NAME_values, which
 * show the newest, and in the foreign table NAME_all; they are made with the first one.  A NOTICE says so of any other
 * release, which the roles may read that may read NAME.  With it comes the view NAME_counterfeits of the numbers of
 * invented rows, for roles that the owner lets read it, if the publication tells them.
 */
extern void show_release(const ReleaseBuild *build, Oid table);

/* See DeclareHooks. */
extern void show_columns(const DeclaredPublication *publication, int from);

/* The answers to questions of declare/. */
extern const DeclareHooks release_hooks;

/* Ends the schedule of a publication that is being dropped. */
extern void unschedule_dropped(const DeclaredPublication *publication);

#endif							/* PPREPUB_RELEASE_RELEASE_H */
