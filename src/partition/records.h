/*
 * records.h
 *		Equal rows collapsed: the distinct tuples of quasi-identifiers, and the
 *		yardstick that measures what covering several of them loses.
 *
 * Everything that looks for cuts works on records, not rows: a census has
 * fifty times fewer of them.
 */
#ifndef PPREPUB_PARTITION_RECORDS_H
#define PPREPUB_PARTITION_RECORDS_H

#include "frame/frame.h"

/* One quasi-identifier, as records see it. */
typedef struct Dimension
{
	int			qi;				/* its number in the frame */
	const Domain *domain;		/* borrowed */
	Code		size;			/* of the domain */
	const float *losses;		/* [lo * size + hi] for small domains, or NULL */
	const double *position;		/* of a line, or NULL: the domain's, borrowed */
	double		width;			/* of the line */
	const uint32 *jump;			/* [nodes] of a deep tree: an ancestor far above
								 * each node; or NULL */
} Dimension;

typedef struct Records
{
	/*
	 * Dimensions stand with the smallest domain first: there a mismatch costs
	 * most, so that a search can give up on a candidate early.
	 */
	int			ndimensions;
	Dimension  *dimensions;

	/* Records, in the order of their tuples */
	uint32		nrecords;
	uint32	   *first;			/* [nrecords + 1] record r is rows[first[r]] up
								 * to, not including, rows[first[r + 1]] */
	Code	   *tuples;			/* [nrecords * ndimensions] */
	RowId	   *rows;			/* borrowed */
} Records;

/*
 * Sorts the rows by their tuples.  Inside a record they stand in an order that
 * is drawn from the seed, so that any run of them is as diverse as chance
 * makes it; sensitive codes fall in the same places however rows came.
 */
extern Records *records_collapse(const Frame *frame, RowId *rows, uint64 nrows,
								 uint64 seed);

static inline const Code *
record_tuple(const Records *records, uint32 record)
{
	return &records->tuples[(Size) record * records->ndimensions];
}

static inline uint32
record_rows(const Records *records, uint32 record)
{
	return records->first[record + 1] - records->first[record];
}

/* domain_loss(domain_cover()) of a dimension that has jumps. */
extern double deep_loss(const Dimension *dimension, Code lo, Code hi);

/* What the smallest printable cell over these codes loses. */
static inline double
span_loss(const Dimension *dimension, Code lo, Code hi)
{
	if (dimension->losses != NULL)
		return dimension->losses[(Size) lo * dimension->size + hi];
	if (lo == hi)
		return 0;
	/* What domain_loss() says of a line: most of the time goes here. */
	if (dimension->position != NULL)
		return hi == dimension->domain->null_code ? 1 :
			(dimension->position[hi] - dimension->position[lo]) / dimension->width;
	if (dimension->jump != NULL)
		return deep_loss(dimension, lo, hi);
	return domain_loss(dimension->domain,
					   domain_cover(dimension->domain, (Span) {lo, hi}));
}

/*
 * A hull is the codes between which a set lies, in every dimension: what
 * regions are before they are made printable.
 */
static inline void
hull_clear(const Records *records, Span *hull)
{
	for (int d = 0; d < records->ndimensions; d++)
		hull[d] = (Span) {NO_CODE, 0};
}

static inline void
hull_add_tuple(const Records *records, Span *hull, const Code *tuple)
{
	for (int d = 0; d < records->ndimensions; d++)
	{
		hull[d].lo = Min(hull[d].lo, tuple[d]);
		hull[d].hi = Max(hull[d].hi, tuple[d]);
	}
}

static inline void
hull_add_hull(const Records *records, Span *hull, const Span *other)
{
	for (int d = 0; d < records->ndimensions; d++)
		hull[d] = span_hull(hull[d], other[d]);
}

/* The loss of one row of a set with this hull, over all its cells. */
static inline double
hull_loss(const Records *records, const Span *hull)
{
	double		loss = 0;

	for (int d = 0; d < records->ndimensions; d++)
		loss += span_loss(&records->dimensions[d], hull[d].lo, hull[d].hi);
	return loss;
}

/*
 * The same of a hull together with another one, or with a tuple.  Gives up,
 * with no less than the limit, once the loss cannot be below it.
 */
static inline double
joint_loss(const Records *records, const Span *hull, const Span *other, double limit)
{
	double		loss = 0;

	for (int d = 0; d < records->ndimensions && loss < limit; d++)
		loss += span_loss(&records->dimensions[d],
						  Min(hull[d].lo, other[d].lo), Max(hull[d].hi, other[d].hi));
	return loss;
}

static inline double
widened_loss(const Records *records, const Span *hull, const Code *tuple, double limit)
{
	double		loss = 0;

	for (int d = 0; d < records->ndimensions && loss < limit; d++)
		loss += span_loss(&records->dimensions[d],
						  Min(hull[d].lo, tuple[d]), Max(hull[d].hi, tuple[d]));
	return loss;
}

#endif							/* PPREPUB_PARTITION_RECORDS_H */
