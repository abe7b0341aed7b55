/*
 * released_rows.h
 *		The rows of a release's table, as classes, cells and values.
 *
 * Tables of most methods have a column of the class.  Where the method has none, the
 * history counts rows of equal cells as a class all the same, since they cannot be
 * told apart by what may be known of people; its number is its place among
 * all regions of the table in the order of their text.  So it can be told from the
 * table alone, in whatever order the rows stand.
 */
#ifndef PPREPUB_RELEASE_RELEASED_ROWS_H
#define PPREPUB_RELEASE_RELEASED_ROWS_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/dictionary.h"
#include "frame/tuple_numbers.h"
#include "release/release.h"

/* A row.  Numbers are those by which its cells and its sensitive values were told of. */
typedef struct ReleasedRow
{
	int64		class;			/* from 1 on; 0 where it has none, or nobody asks */
	const uint32 *cell;			/* [quasi-identifiers] */
	uint32		value;			/* of all sensitive columns together */
	const TupleTableSlot *slot;
} ReleasedRow;

/*
 * The reader of a table.  Each cell of a quasi-identifier, and each combination of sensitive values, is told once, before the first row
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

/*
 * The numbers by which the history knows the classes of a draft: [classes] from 1 on, in
 * the order in which they leave, or, where rows show no class, by the text of their cells.
 */
extern int64 *class_numbers(const ReleaseBuild *build, const uint32 *order);

#endif							/* PPREPUB_RELEASE_RELEASED_ROWS_H */
