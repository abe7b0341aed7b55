/*
 * classes.h
 *		A frame cut into classes: what every partitioner returns and what every
 *		judge reads.
 */
#ifndef PPREPUB_PARTITION_CLASSES_H
#define PPREPUB_PARTITION_CLASSES_H

#include "frame/frame.h"

typedef struct Classes
{
	uint32		nclasses;
	int			nqis;
	uint64	   *first;			/* [nclasses + 1] class c is rows[first[c]] up to, not including, rows[first[c + 1]] */
	RowId	   *rows;			/* [first[nclasses]] */
	Span	   *regions;		/* [nclasses * nqis] cells that can be printed */

	/* Invented rows: class c's are from first_counterfeit[c] on */
	uint64	   *first_counterfeit;	/* [nclasses + 1] or NULL for none at all */
	Code	   *counterfeit;	/* their sensitive values */
} Classes;

static inline uint64
class_size(const Classes *classes, uint32 c)
{
	return classes->first[c + 1] - classes->first[c];
}

static inline uint64
class_counterfeits(const Classes *classes, uint32 c)
{
	return classes->first_counterfeit == NULL ? 0 :
		classes->first_counterfeit[c + 1] - classes->first_counterfeit[c];
}

static inline const Span *
class_region(const Classes *classes, uint32 c)
{
	return &classes->regions[(uint64) c * classes->nqis];
}

/* The loss of the printable cell over these codes; where there is none, or one, nothing. */
static inline double
cover_loss(const Domain *domain, Span codes)
{
	return codes.lo == NO_CODE || codes.lo == codes.hi ? 0 : domain_loss(domain, domain_cover(domain, codes));
}

/* From the least code of these rows to the greatest; NO_ROW is none, and {NO_CODE, 0} nothing. */
extern Span rows_span(const Code *code, const RowId *rows, uint64 n);

/* The printable cells over these rows. */
extern void rows_region(const Frame *frame, const RowId *rows, uint64 n, Span *region);

/* Puts the k rows with the lowest codes first. */
extern void select_lowest(const Code *code, RowId *rows, uint64 n, uint64 k);

#endif							/* PPREPUB_PARTITION_CLASSES_H */
