/*
 * spots.h
 *		Where people's rows stand in the table that is a source.
 *
 * Whoever knows where somebody's row stood need not look for it in an index. It is
 * no more than a guess: by now another row may stand there, or none, so a row
 * counts only if the key is the one that was looked for.
 */
#ifndef PPREPUB_FRAME_SPOTS_H
#define PPREPUB_FRAME_SPOTS_H

#include "postgres.h"

#include "access/attnum.h"
#include "declare/publication.h"
#include "frame/heap_rows.h"
#include "storage/itemptr.h"

/* A page and a line of it in one word, or NO_SPOT. */
typedef uint32 Spot;

#define NO_SPOT		0

/* NO_SPOT for pages behind the 64th gigabyte. */
extern Spot spot_of(const ItemPointerData *tid);

/*
 * A source whose pinned view shows a table as it is, in which nobody has two
 * rows.  Its columns stand for those of the publication, in the same order.
 */
typedef struct PlainSource
{
	Oid			table;
	AttrNumber	key;
	Oid			key_type;		/* domains looked through */
	AttrNumber *columns;
	HeapPages  *pages;			/* borrowed */
} PlainSource;

/* NULL unless the source is such a table.  It is locked, if it is not yet. */
extern PlainSource *plain_source(const DeclaredPublication *publication, HeapPages *pages);

#endif							/* PPREPUB_FRAME_SPOTS_H */
