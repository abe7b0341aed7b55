/*
 * frame.h
 *		Rows as dense integers: the only view of a source that partition/,
 *		method/ and audit/ have.
 *
 * Codes are stored by column: code[q][row].  They live inside one frame and mean
 * nothing outside it.
 */
#ifndef PPREPUB_FRAME_FRAME_H
#define PPREPUB_FRAME_FRAME_H

#include "frame/domain.h"

/* A row of a frame.  Counts of rows are 64 bits wide wherever they add up. */
typedef uint32 RowId;

#define NO_ROW			PG_UINT32_MAX
#define MAX_FRAME_ROWS	((uint64) PG_UINT32_MAX - 1)

/*
 * The rows of a class lie anywhere in the columns, so each read of a large frame waits for memory.  A loop that has the rows so
 * far ahead fetched meanwhile takes half the time.
 */
#define ROWS_AHEAD		16

/* The values of a column by which newcomers are laid out, whether or not a release shows it. */
typedef struct RowGroups
{
	Code		ncodes;			/* codes are 0 .. ncodes - 1, in the order of the values */
	Code	   *code;			/* [nrows] NO_CODE for NULL */
} RowGroups;

/* A side of sensitive values that principles judge by itself: a column, where there are several, or the bands of a number. */
typedef struct Aspect
{
	const char *name;			/* of the column */
	Code		ncodes;			/* codes are 0 .. ncodes - 1 */
	const Code *code;			/* [rows of sensitive values] NO_CODE for NULL; NULL: each value's own code */
	const double *place;		/* [ncodes] in the order of the values, ascending or not, from 0 to 1; NULL where they
								 * have none */
} Aspect;

/* All that principles know of sensitive values beside their codes. */
typedef struct Aspects
{
	int			n;				/* at least 1 */
	Code		nvalues;		/* of the arrays by sensitive code, if the distribution has more than there are others */
	const Aspect *aspect;
	const uint64 *first;		/* [nsensitive + 1] where a person has several rows, a sensitive value is all of them:
								 * value v has the rows from first[v] on; NULL: each value is one row */
	uint64		most;			/* rows of a value, which may be a sample of more */
	const double *share;		/* [nsensitive] of all people, in the distribution that sets are compared with, or NULL */
	const int32 *since;			/* [nsensitive] the release that gave the share: those of the first make up the
								 * distribution, others were found later; NULL: all are of one */
} Aspects;

/* The rows of a sensitive value, from one up to, not including, another: its own code where first is NULL, none of NULL. */
static inline uint64
rows_begin(const uint64 *first, Code value)
{
	return value == NO_CODE ? 0 : first == NULL ? value : first[value];
}

static inline uint64
rows_end(const uint64 *first, Code value)
{
	return value == NO_CODE ? 0 : first == NULL ? (uint64) value + 1 : first[value + 1];
}

typedef struct Frame
{
	uint64		nrows;

	const bool *asked;			/* [nrows] rows that the release is about, or NULL for all; others may only help to
								 * protect them */

	bool		is_cohort;		/* is the release about a part of the source, though all rows here may be of it? */
	bool		shows_no_value; /* does the release leave the sensitive column out? */

	/* Quasi-identifiers */
	int			nqis;
	Domain	   *domain;			/* [nqis] */
	Code	  **code;			/* [nqis][nrows] */
	Code	  **upto;			/* [nqis][nrows] where a person's rows differ: code is the first of theirs, and this is
								 * the last; NULL, or NULL for a column, where nobody's do */
	double	   *weight;			/* [nqis] how much the loss of each counts where rows are cut; NULL for all alike */

	/* The sensitive column; NO_CODE where it is NULL */
	Code		nsensitive;		/* codes are 0 .. nsensitive - 1 */
	Code	   *sensitive;		/* [nrows] */
	const bool *is_protected;	/* [single_codes()] values that no person must be linked to, or NULL for all */
	const Aspects *aspects;		/* NULL: the value itself is the only one, and sets are compared with nothing */

	const RowGroups *leaves;	/* people with near values leave together; NULL where nothing is known of that */
	int			nstrata;
	const RowGroups *strata;	/* [nstrata] quasi-identifiers that classes had better not mix values of */
} Frame;

/* The codes of a person in a quasi-identifier. */
static inline Span
row_span(const Frame *frame, int qi, RowId row)
{
	Code		code = frame->code[qi][row];

	return (Span) {code, frame->upto == NULL || frame->upto[qi] == NULL ? code : frame->upto[qi][row]};
}

static inline double
weight_of(const Frame *frame, int qi)
{
	return frame->weight == NULL ? 1 : frame->weight[qi];
}

static inline bool
is_protected(const Frame *frame, Code value)
{
	return value != NO_CODE && (frame->is_protected == NULL || frame->is_protected[value]);
}

/* May a person have several rows? */
static inline bool
has_row_values(const Aspects *aspects)
{
	return aspects != NULL && aspects->first != NULL;
}

/*
 * The values of a person's rows in the only sensitive column, equal ones side by side, some of them NO_CODE; where each
 * person has one row, the sensitive value itself.
 */
static inline const Code *
single_values(const Aspects *aspects, const Code *value, uint64 *n)
{
	if (!has_row_values(aspects) || *value == NO_CODE)
	{
		*n = 1;
		return value;
	}
	*n = aspects->first[*value + 1] - aspects->first[*value];
	return &aspects->aspect[0].code[aspects->first[*value]];
}

/* How many rows have the people with these sensitive values? */
static inline uint64
count_single_values(const Aspects *aspects, const Code *values, uint64 n)
{
	uint64		all = n;

	for (uint64 i = 0; i < n && has_row_values(aspects); i++)
	{
		uint64		own;

		(void) single_values(aspects, &values[i], &own);
		all += own - 1;
	}
	return all;
}

/* How many codes there are of them. */
static inline Code
single_codes(const Aspects *aspects, Code nsensitive)
{
	return has_row_values(aspects) ? aspects->aspect[0].ncodes : nsensitive;
}

/* A frame cut into classes: what every partitioner returns and what every judge reads. */
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

#endif							/* PPREPUB_FRAME_FRAME_H */
