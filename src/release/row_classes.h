/*
 * row_classes.h
 *		The class of each row of a release.
 *
 * Tables of most methods have a column of it.  Where the method has none, the
 * history counts rows of equal cells as a class all the same, since they cannot be
 * told apart by what may be known of people; its number is its place among
 * all regions of the table in the order of their text.  So it can be told from the
 * table alone, in whatever order the rows stand.
 */
#ifndef PPREPUB_RELEASE_ROW_CLASSES_H
#define PPREPUB_RELEASE_ROW_CLASSES_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/dictionary.h"
#include "frame/tuple_numbers.h"
#include "release/release.h"

typedef struct RowClasses RowClasses;

/* Called as the owner, under the active snapshot, of a table with released_columns(): reads it once where it has no column of classes. */
extern RowClasses *row_classes_read(const DeclaredPublication *publication, Oid table);

/* The class of a row, from 1 on; 0 where it has none. */
extern int64 row_class(RowClasses *classes, const TupleTableSlot *slot);

/* Regions whose cells are numbers of dictionaries, in the order that numbers them: [regions] places, from 0 on. */
extern uint32 *region_places(const TupleNumbers *regions, Dictionary *const *cells);

/*
 * The numbers by which the history knows the classes of a draft: [classes] from 1 on, in
 * the order in which they leave, or, where rows show no class, by the text of their cells.
 */
extern int64 *class_numbers(const ReleaseBuild *build, const uint32 *order);

#endif							/* PPREPUB_RELEASE_ROW_CLASSES_H */
