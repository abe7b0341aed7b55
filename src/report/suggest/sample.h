/*
 * sample.h
 *		A table that nobody has declared yet, read with the rights of who asks: rows
 *		as numbers of their values, and what proposals need to know of columns.
 *
 * No value is kept: columns are told by how often their values repeat, and by how
 * far they spread.
 */
#ifndef PPREPUB_REPORT_SAMPLE_H
#define PPREPUB_REPORT_SAMPLE_H

#include "postgres.h"

#include "audit/separation.h"
#include "declare/catalog.h"

typedef struct SampledColumn
{
	char	   *name;
	Oid			type;			/* domains looked through */
	bool		is_generated;
	bool		may_read;		/* may who asks read it? */
	bool		is_primary_key; /* by itself */
	bool		is_comparable;	/* has the type an equality? */

	/* Of columns that can be compared */
	uint32	   *code;			/* [rows] equal values have equal codes */
	uint64		nulls;
	Separation	separation;

	/* Numbers, dates and times: their finite values on a line */
	bool		has_places;
	double		least;
	double		most;
	bool		has_fractions;	/* is any not whole? */

	/* Texts: their bytes */
	uint32		shortest;
	uint32		longest;
} SampledColumn;

typedef struct Sample
{
	uint64		all;			/* rows of the table that may be seen */
	uint32		nrows;			/* of them, those kept: all, or a random sample, in random order */
	int			ncolumns;
	SampledColumn *column;		/* [ncolumns] in the table's order */
} Sample;

/* Called inside SPI, under the active snapshot. */
extern Sample *sample_read(Oid source);

/*
 * From here on inside SPI, with the rights of who asks; as the source's owner, restricted, if who asks has those rights,
 * too: a superuser runs nothing of others' as superuser.
 */
extern void reading_begin(Identity *caller, Oid source);
extern void reading_end(const Identity *caller);

#endif							/* PPREPUB_REPORT_SAMPLE_H */
