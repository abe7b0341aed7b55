/*
 * classic.c
 *		Strict Mondrian as it was published, to stand beside ours.
 *
 * LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity (ICDE
 * 2006), algorithm Anonymize: the dimension of the widest normalised range is
 * tried first; numbers are cut at the median, a taxonomy at the children of
 * the node that covers the set; a dimension with a cut that the principle does
 * not allow everywhere is passed over.  Rows with one value stay together.
 */
#include "bench.h"

#include <stdlib.h>

/* Work on one frame. */
typedef struct Classic
{
	const Frame *frame;
	const Principle *principle;
	Tally	   *tally;
	RowId	   *rows;
	RowId	   *buffer;			/* [nrows] */
	uint64	   *start;			/* [widest domain + 2] */
	Classes    *classes;
	uint32		allocated;
} Classic;

static Span
hull_of(const Classic *work, int q, uint64 from, uint64 to)
{
	const Code *code = work->frame->code[q];
	Span		hull = span_of(code[work->rows[from]]);

	for (uint64 i = from + 1; i < to; i++)
	{
		Code		c = code[work->rows[i]];

		hull.lo = Min(hull.lo, c);
		hull.hi = Max(hull.hi, c);
	}
	return hull;
}

static bool
is_allowed(Classic *work, uint64 from, uint64 to)
{
	tally_clear(work->tally);
	for (uint64 i = from; i < to; i++)
		tally_add(work->tally, work->frame->sensitive[work->rows[i]]);
	return principle_allows(work->principle, work->tally);
}

/* Sorts rows from .. to by a dimension; start[i] says where code lo + i begins. */
static void
sort_rows(Classic *work, int q, Span hull, uint64 from, uint64 to)
{
	const Code *code = work->frame->code[q];
	uint64		width = span_width(hull);

	memset(work->start, 0, sizeof(uint64) * (width + 2));
	for (uint64 i = from; i < to; i++)
		work->start[code[work->rows[i]] - hull.lo + 2]++;
	work->start[1] = from;
	for (uint64 i = 2; i <= width + 1; i++)
		work->start[i] += work->start[i - 1];
	for (uint64 i = from; i < to; i++)
		work->buffer[work->start[code[work->rows[i]] - hull.lo + 1]++] = work->rows[i];
	memcpy(work->rows + from, work->buffer + from, sizeof(RowId) * (to - from));
	work->start[0] = from;
}

/* Where the parts of a cut begin; returns how many there are, ends included. */
static int
cut_places(Classic *work, int q, Span hull, uint64 from, uint64 to, uint64 *place)
{
	const Domain *domain = &work->frame->domain[q];
	int			n = 0;

	place[n++] = from;
	if (domain->tree == NULL)
	{
		Code		median;

		median = work->frame->code[q][work->rows[from + (to - from) / 2]] - hull.lo;
		place[n++] = work->start[median] > from ? work->start[median] : work->start[median + 1];
	}
	else
	{
		const TreeNode *node = &domain->tree->nodes[tree_common_ancestor(domain->tree, hull.lo, hull.hi)];

		for (uint32 c = 0; c < node->nchildren; c++)
		{
			Code		last = domain->tree->nodes[node->first_child + c].leaves.hi;

			if (last >= hull.lo && last < hull.hi && work->start[last - hull.lo + 1] > place[n - 1])
				place[n++] = work->start[last - hull.lo + 1];
		}
	}
	if (place[n - 1] < to)
		place[n++] = to;
	return n;
}

static void
add_class(Classic *work, uint64 from, uint64 to)
{
	Classes    *classes = work->classes;

	if (classes->nclasses + 1 >= work->allocated)
	{
		work->allocated = Max(64, work->allocated * 2);
		classes->first = realloc(classes->first, sizeof(uint64) * (work->allocated + 1));
		classes->regions = realloc(classes->regions, sizeof(Span) * work->allocated * classes->nqis);
	}
	for (int q = 0; q < classes->nqis; q++)
		classes->regions[(uint64) classes->nclasses * classes->nqis + q] =
			domain_cover(&work->frame->domain[q], hull_of(work, q, from, to));
	classes->nclasses++;
	classes->first[classes->nclasses] = to;
}

static void cut(Classic *work, uint64 from, uint64 to);

/* Cuts along one dimension if every part is allowed. */
static bool
cut_along(Classic *work, int q, uint64 from, uint64 to)
{
	Span		hull = hull_of(work, q, from, to);
	uint64	   *place;
	int			nplaces;
	bool		allowed = true;

	if (hull.lo == hull.hi)
		return false;
	place = palloc(sizeof(uint64) * (span_width(hull) + 2));
	sort_rows(work, q, hull, from, to);
	nplaces = cut_places(work, q, hull, from, to, place);
	for (int i = 0; i + 1 < nplaces && allowed; i++)
		allowed = is_allowed(work, place[i], place[i + 1]);
	for (int i = 0; i + 1 < nplaces && allowed; i++)
		cut(work, place[i], place[i + 1]);
	pfree(place);
	return allowed;
}

static void
cut(Classic *work, uint64 from, uint64 to)
{
	const Frame *frame = work->frame;
	double		width[MAX_BENCH_COLUMNS];

	for (int q = 0; q < frame->nqis; q++)
		width[q] = domain_loss(&frame->domain[q],
							   domain_cover(&frame->domain[q], hull_of(work, q, from, to)));
	for (int tries = 0; tries < frame->nqis; tries++)
	{
		int			widest = 0;

		for (int q = 1; q < frame->nqis; q++)
			if (width[q] > width[widest])
				widest = q;
		if (width[widest] <= 0)
			break;
		if (cut_along(work, widest, from, to))
			return;
		width[widest] = -1;
	}
	add_class(work, from, to);
}

Classes *
classic_mondrian(const Frame *frame, RowId *rows, uint64 nrows, const Principle *principle)
{
	Classic		work = {.frame = frame,.principle = principle,.rows = rows};
	Code		widest = 0;

	for (int q = 0; q < frame->nqis; q++)
		widest = Max(widest, frame->domain[q].size);
	work.tally = tally_create(frame->nsensitive);
	work.buffer = palloc_extended(sizeof(RowId) * nrows, MCXT_ALLOC_HUGE);
	work.start = palloc(sizeof(uint64) * ((uint64) widest + 2));
	work.classes = palloc0(sizeof(Classes));
	work.classes->nqis = frame->nqis;
	work.classes->rows = rows;
	work.classes->first = calloc(1, sizeof(uint64));
	if (nrows > 0 && is_allowed(&work, 0, nrows))
		cut(&work, 0, nrows);
	return work.classes;
}
