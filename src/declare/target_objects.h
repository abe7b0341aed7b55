/*
 * target_objects.h
 *		What stands in schema TARGET for analysts, and what it says of itself.
 */
#ifndef PPREPUB_DECLARE_TARGET_OBJECTS_H
#define PPREPUB_DECLARE_TARGET_OBJECTS_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "declare/publication.h"

/* ----------------------------------------------------------------
 * TARGET.NAME(cohort, columns): the SQL function through which analysts ask a publication
 *
 * It is SECURITY DEFINER, owned by the publication's owner, and calls pprepub_internal.answer(), which nobody but that
 * owner may call.  Its name is the publication's, as that of the view of the newest release is, and it is found by that.
 * ----------------------------------------------------------------
 */

/* The function, or InvalidOid when there is none. */
extern Oid	answer_function(const DeclaredPublication *publication);

/* Creates the function, without any grants, if the method can answer.  Called as the owner, inside SPI. */
extern void create_answer_function(const DeclaredPublication *publication);

/* Makes it anew where it stands, with the columns of now and the rights that it had: as the owner, inside SPI. */
extern void replace_answer_function(const DeclaredPublication *publication);

/*
 * Likewise of TARGET.NAME_counts(by, bins), which runs with the rights of its caller: the right that counts is SELECT on the
 * view TARGET.NAME, so everybody may execute it.
 */
extern Oid	counts_function(const DeclaredPublication *publication);
extern void create_counts_function(const DeclaredPublication *publication);

/*
 * Likewise of TARGET.NAME_noisy(by, where, bins, epsilon), and of TARGET.NAME_noise_left(), which are made where a
 * "noise_budget" is declared and they are not there.
 */
#define NOISE_FUNCTIONS	2
extern Oid	noise_function(const DeclaredPublication *publication, int which);
extern void ensure_noise_functions(const DeclaredPublication *publication);

/* TARGET.catalog, which all may read who may use the schema, and which another relation of the name keeps from being made. */
extern void ensure_catalog_view(const DeclaredPublication *publication);

/* ----------------------------------------------------------------
 * TARGET.NAME_now: the foreign table through which analysts ask a publication with plain SQL
 *
 * Its columns are those of the source but the key, in their order, of the source's types; behind them stand "class", where
 * the method has classes, and "cells", and then columns that were added later.
 * ----------------------------------------------------------------
 */

/*
 * Creates the table, without any grants, if the method can answer.  Called as the owner, inside SPI; the caller notes it
 * as part "live".
 */
extern void create_live_table(const DeclaredPublication *publication);

/* A column's name and type in it. */
extern char *live_column_sql(const DeclaredColumn *column);

/* Comments on the table and its columns, by the parameters of now. */
extern void comment_on_live_table(const DeclaredPublication *publication, Oid table);

/* A column of the table: a column of the publication, or one of those behind. */
typedef enum LiveColumn
{
	LIVE_CLASS = -1,
	LIVE_CELLS = -2
} LiveColumn;

/* Where the table's column comes from: the index of a column of the publication, or a LiveColumn. */
extern int	live_column(const DeclaredPublication *publication, AttrNumber attribute);

extern int	count_live_columns(const DeclaredPublication *publication);

/* An error unless the table has the columns that it was made with, which its owner could have changed. */
extern void verify_live_columns(const DeclaredPublication *publication, TupleDesc columns);

/* ----------------------------------------------------------------
 * Columns of a release as values: a cell shows as one value of the source's own type
 *
 * A range shows the middle of it, a prefix or a node of a taxonomy its text where the source has texts, and a withheld
 * cell NULL.  Both TARGET.NAME_now and TARGET.NAME_values are made of these expressions, which anybody may compute: they
 * use functions of pprepub that are everybody's, and read nothing.
 * ----------------------------------------------------------------
 */

/* The value, as an expression over a column of this name that releases have. */
extern char *value_sql(const DeclaredColumn *column);

/* The column "cells" beside the values: a JSON object of the cells' texts, by column, NULL where a cell is. */
extern char *cells_sql(const DeclaredPublication *publication);

/* ---- Comments ---- */

typedef enum ShownAs
{
	SHOWN_AS_CELLS,				/* as in releases */
	SHOWN_AS_VALUES				/* as in live tables */
} ShownAs;

/* Comments on a relation, as a phrase without a full stop; the promise is put behind. */
extern void comment_on_relation(const DeclaredPublication *publication, Oid relation, const char *what);

extern void comment_on_column(Oid relation, const char *name, const char *comment);

/* Comments on the columns of a relation that are columns of releases, as far as it has them. */
extern void comment_on_columns(const DeclaredPublication *publication, Oid relation, ShownAs shown);

/* ----------------------------------------------------------------
 * Those parameters that analysts may know: a publication's promise to the people in it, and how it is kept
 *
 * They are the owner's choice, and tell nothing of the data.  Parameters that name tables or hidden columns, and seeds, are
 * not among them.
 * ----------------------------------------------------------------
 */

/* A number among the parameters, as numeric; *isnull where there is none. */
extern Datum declared_number(const DeclaredPublication *publication, const char *name, bool *isnull);

/* The promise besides k and l, as "frequency = 3, t = 0.2"; NULL where that is nothing. */
extern char *further_principle(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_TARGET_OBJECTS_H */
