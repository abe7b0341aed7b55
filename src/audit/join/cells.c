/*
 * cells.c
 *		Parting records by their cells, and boxes of cells as a tree, a column a level.
 *
 * NOTES
 *		Boxes are sorted column by column.  Those that agree on the first columns stand together; below them are the
 *		different cells of the next one, by where they begin.  Such a range of siblings is a balanced tree as it
 *		stands, the middle being its root, and knows how far its cells reach: a search passes by what ends before or
 *		begins behind its box.
 */
#include "postgres.h"

#include "audit/join/cells.h"
#include "frame/arrays.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"

/* ---- Parting ---- */

Parting
parting_create(uint32 nrecords)
{
	return (Parting) {.nrecords = nrecords, .part = new_zeros(uint32, nrecords), .nparts = nrecords > 0};
}

void
part_by(Parting *parting, const Span *cells)
{
	TupleNumbers *parts = tuple_numbers_create(3);

	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		parting->part[i] = tuple_number(parts, (uint32[]) {parting->part[i], cells[i].lo, cells[i].hi}, 3);
	}
	parting->nparts = parts->n;
	tuple_numbers_free(parts);
}

void
part_by_codes(Parting *parting, const Code *code)
{
	Span	   *cells = new_array(Span, parting->nrecords);

	for (uint32 i = 0; i < parting->nrecords; i++)
		cells[i] = span_of(code[i]);
	part_by(parting, cells);
	pfree(cells);
}

/* ---- Boxes ---- */

typedef struct Level
{
	uint32		n;
	Span	   *cell;
	Code	   *farthest;		/* the last end of a cell in the range of which this is the middle */
	uint32	   *first;			/* [n + 1] its children in the next level, or boxes below the last */
} Level;

struct Boxes
{
	uint32		n;
	const uint32 *record;		/* borrowed */
	int32		ncolumns;
	const Span *const *cells;	/* borrowed */
	uint32	   *order;			/* [n] boxes, sorted */
	Level	   *level;			/* [ncolumns] */
};

typedef struct BoxSearch
{
	const Boxes *boxes;
	const Span *box;
	Lie			lie;
	uint32	   *found;
	uint32		nfound;
} BoxSearch;

static inline Span
cell_of(const Boxes *boxes, uint32 box, int32 column)
{
	return boxes->cells[column][boxes->record[box]];
}

/* Orders boxes column by column, by begin and then by end. */
static int
compare_boxes(const void *a, const void *b, void *arg)
{
	const Boxes *boxes = arg;

	for (int32 c = 0; c < boxes->ncolumns; c++)
	{
		Span		x = cell_of(boxes, *(const uint32 *) a, c);
		Span		y = cell_of(boxes, *(const uint32 *) b, c);

		if (x.lo != y.lo)
			return x.lo < y.lo ? -1 : 1;
		if (x.hi != y.hi)
			return x.hi < y.hi ? -1 : 1;
	}
	return 0;
}

/* A cell of column c begins where consecutive boxes differ in it, or in a column before. */
static void
fill_level(Boxes *boxes, const int32 *step, int32 c)
{
	Level	   *level = &boxes->level[c];
	uint32		below = 0;

	for (uint32 i = 0; i < boxes->n; i++)
		level->n += step[i] <= c;
	level->cell = new_array(Span, level->n);
	level->farthest = new_array(Code, level->n);
	level->first = new_array(uint32, level->n);
	level->n = 0;
	for (uint32 i = 0; i < boxes->n; i++)
	{
		if (step[i] <= c)
		{
			level->cell[level->n] = cell_of(boxes, boxes->order[i], c);
			level->first[level->n++] = below;
		}
		below += c + 1 == boxes->ncolumns || step[i] <= c + 1;
	}
	level->first[level->n] = below;
}

/* Sets the last end of the cells in a range, and in each range that the search halves it into. */
static Code
reach(Level *level, uint32 begin, uint32 end)
{
	uint32		middle = begin + (end - begin) / 2;
	Code		farthest;
	Code		farthest_behind;

	if (begin == end)
		return 0;
	farthest = reach(level, begin, middle);
	farthest_behind = reach(level, middle + 1, end);
	farthest = Max(farthest, farthest_behind);
	return level->farthest[middle] = Max(farthest, level->cell[middle].hi);
}

Boxes *
boxes_index(uint32 n, const uint32 *record, int32 ncolumns, const Span *const *cells)
{
	Boxes	   *boxes = palloc0(sizeof(Boxes));
	int32	   *step = new_zeros(int32, n); /* the first column in which each box differs from the one before it */

	*boxes = (Boxes) {.n = n, .record = record, .ncolumns = ncolumns, .cells = cells};
	boxes->level = palloc0(sizeof(Level) * (ncolumns + 1));
	boxes->order = new_array(uint32, n);
	for (uint32 i = 0; i < n; i++)
		boxes->order[i] = i;
	qsort_arg(boxes->order, n, sizeof(uint32), compare_boxes, boxes);
	CHECK_FOR_INTERRUPTS();
	for (uint32 i = 1; i < n; i++)
		while (step[i] < ncolumns &&
			   span_equal(cell_of(boxes, boxes->order[i], step[i]), cell_of(boxes, boxes->order[i - 1], step[i])))
			step[i]++;
	for (int32 c = 0; c < ncolumns; c++)
		fill_level(boxes, step, c);
	pfree(step);
	if (ncolumns > 0)
		reach(&boxes->level[0], 0, boxes->level[0].n);
	for (int32 c = 1; c < ncolumns; c++)
		for (uint32 i = 0; i < boxes->level[c - 1].n; i++)
			reach(&boxes->level[c], boxes->level[c - 1].first[i], boxes->level[c - 1].first[i + 1]);
	return boxes;
}

/* Does a cell lie to the wanted one as asked for? */
static inline bool
lies(Lie lie, Span cell, Span wanted)
{
	switch (lie)
	{
		case MEETING:
			return span_overlaps(cell, wanted);
		case AROUND:
			return span_contains(cell, wanted);
		case WITHIN:
			return span_contains(wanted, cell);
	}
	return false;
}

/* Adds the boxes in a range of a column's cells that lie to the given box as asked for. */
static void
search(BoxSearch *s, int32 column, uint32 begin, uint32 end)
{
	const Level *level;
	Span		wanted;

	if (column == s->boxes->ncolumns)
	{
		for (uint32 i = begin; i < end; i++)
			s->found[s->nfound++] = s->boxes->order[i];
		return;
	}
	level = &s->boxes->level[column];
	wanted = s->box[column];
	while (begin < end)
	{
		uint32		middle = begin + (end - begin) / 2;

		if (level->farthest[middle] < wanted.lo)
			return;
		search(s, column, begin, middle);
		if (level->cell[middle].lo > wanted.hi)
			return;
		if (lies(s->lie, level->cell[middle], wanted))
			search(s, column + 1, level->first[middle], level->first[middle + 1]);
		begin = middle + 1;
	}
}

uint32
boxes_find(const Boxes *boxes, const Span *box, Lie lie, uint32 *found)
{
	BoxSearch	s = {.boxes = boxes, .box = box, .lie = lie, .found = found};

	search(&s, 0, 0, boxes->ncolumns == 0 ? boxes->n : boxes->level[0].n);
	return s.nfound;
}

void
boxes_free(Boxes *boxes)
{
	for (int32 c = 0; c < boxes->ncolumns; c++)
	{
		pfree(boxes->level[c].cell);
		pfree(boxes->level[c].farthest);
		pfree(boxes->level[c].first);
	}
	pfree(boxes->level);
	pfree(boxes->order);
	pfree(boxes);
}
