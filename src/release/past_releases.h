/*
 * past_releases.h
 *		The releases of a publication that are out.
 */
#ifndef PPREPUB_RELEASE_PAST_RELEASES_H
#define PPREPUB_RELEASE_PAST_RELEASES_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/publication.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "frame/dictionary.h"
#include "frame/tuple_numbers.h"
#include "history/recall.h"
#include "partition/principle.h"
#include "utils/uuid.h"

typedef struct Released
{
	int32		number;
	bool		is_answer;
	bool		is_imported;
	bool		is_identified;	/* does the log say whose its rows are? */
	Oid			table;			/* InvalidOid when it has none, or it is gone */
	bool		is_forgotten;	/* did forget_releases() drop it? */
	Jsonb	   *params;			/* that it was made with */
	Principle	principle;		/* that it was made under */
	const bool *shown;			/* [columns of the publication] */
	const int32 *tree;			/* [columns of the publication] with which it was made, or 0 */
	bool		shows_sensitive;	/* at least one column */
	uint64		checksum_seed;
	pg_uuid_t	checksum;
} Released;

/*
 * The principle that a method promises of each set of people under these parameters:
 * that of one person, where the method does not promise any.
 */
extern Principle principle_under(const char *method, Jsonb *params);

/* Do releases under these parameters show true rows only, though others could take the places of people who have left? */
extern bool shows_true_rows(const char *method, Jsonb *params);

/* Was one of them made under a principle that does not ask for all that is declared now, or imported? */
extern bool was_weaker(const DeclaredPublication *publication);

/* Is one of them stored, and about everybody? */
extern bool has_release_of_everybody(const DeclaredPublication *publication);

/* All of them, in order: [publication->releases]. */
extern Released *read_released(const DeclaredPublication *publication);

/*
 * Raises an error if the current user is an auditor, and the release is about a cohort: its figures tell how many people
 * are in that, and an auditor may be one of those who ask.
 */
extern void verify_may_see_figures(const DeclaredPublication *publication, int32 number);

/* How many rows all releases have, as the log tells. */
static inline uint64
logged_rows(const Seen *seen)
{
	uint64		rows = 0;

	for (int32 r = 0; r < seen->nreleases; r++)
		rows += seen->release[r].first[seen->release[r].nclasses];
	return rows;
}

/* The columns that releases are made with: the class, if the method has any, and then all declared columns but the key. */
extern TupleDesc released_columns(const DeclaredPublication *publication);
extern bool has_class_column(const DeclaredPublication *publication);

/* Does a release with these columns count as showing of each person what was shown last, since it has no values? */
extern bool shows_last_values(const DeclaredPublication *publication, const bool *shown);

/* Where the quasi-identifiers are among them, from 0 on, as many as *n; and the sensitive columns. */
extern int *released_cells(const DeclaredPublication *publication, int *n);
extern int *released_sensitive(const DeclaredPublication *publication, int *n);

/* Does a release's table stand, with these columns? */
extern bool table_stands(const DeclaredPublication *publication, const Released *released);

/* ----------------------------------------------------------------
 * The principles by which releases are judged: those that they were made under, or
 * one that somebody gives, whatever was declared.
 * ----------------------------------------------------------------
 */

/*
 * Reads an argument that is a principle: a JSON object of "k", "l" and the parameters of principle/list.h.  NULL if
 * there is none.  As strict as with a method's parameters; one that asks for nothing is an error, too.
 */
extern const Principle *principle_argument(FunctionCallInfo fcinfo, int argument);

/*
 * Binds the principles of releases to the values that were seen, so that code of audit/ can ask them.
 * given: the principle that all of them are judged by instead, or NULL.
 */
extern void bind_principles(Released *released, const Seen *seen, const Aspects *aspects, const Principle *given);

/* ----------------------------------------------------------------
 * The rows of a release's table, as classes, cells and values.
 *
 * Tables of most methods have a column of the class.  Where the method has none, the
 * history counts rows of equal cells as a class all the same, since they cannot be
 * told apart by what may be known of people; its number is its place among
 * all regions of the table in the order of their text.  So it can be told from the
 * table alone, in whatever order the rows stand.
 * ----------------------------------------------------------------
 */

/* A row.  Numbers are those by which its cells and its sensitive values were told of. */
typedef struct ReleasedRow
{
	int64		class;			/* from 1 on; 0 where it has none, or nobody asks */
	const uint32 *cell;			/* [quasi-identifiers] */
	uint32		value;			/* of all sensitive columns together */
	const TupleTableSlot *slot;
} ReleasedRow;

/*
 * A reader.  Each cell of a quasi-identifier, and each combination of sensitive values, is told once, before the first row
 * that has it: cells from number 0 on, which is that of NULL, and values from 0 on.  Either may be NULL.  Memory is the row's.
 */
typedef struct RowVisitor
{
	bool		wants_class;
	void		(*cell) (void *what, int q, uint32 number, Datum cell, bool isnull);
	void		(*value) (void *what, uint32 number, const Datum *columns, const bool *nulls);
	void		(*row) (void *what, const ReleasedRow *row);
} RowVisitor;

/* Called as the owner, under the active snapshot, of a table with released_columns(); twice read, where it has no column of classes. */
extern void released_rows(const DeclaredPublication *publication, Oid table, const RowVisitor *visitor, void *what);

/* Regions whose cells are numbers of dictionaries, in the order that numbers them: [regions] places, from 0 on. */
extern uint32 *region_places(const TupleNumbers *regions, Dictionary *const *cells);

#endif							/* PPREPUB_RELEASE_PAST_RELEASES_H */
