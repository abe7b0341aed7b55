/*
 * separation.h
 *		How well sets of columns tell rows apart, after Motwani and Xu (2007): the share of pairs of rows that differ
 *		in them, and the share of distinct tuples.
 */
#ifndef PPREPUB_AUDIT_SEPARATION_H
#define PPREPUB_AUDIT_SEPARATION_H

#include "postgres.h"

/* Figures of a set of columns. */
typedef struct Separation
{
	uint64		distinct;		/* tuples */
	uint64		alone;			/* rows with a tuple that no other row has */
	double		separation;		/* NaN for fewer than two rows */
	double		distinction;	/* NaN for none */
	double		alone_share;	/* likewise */
} Separation;

/* Rows in groups of equal tuples. */
typedef struct RowGroups
{
	uint32		nrows;
	uint32		ngroups;
	uint32	   *group;			/* [nrows] */
} RowGroups;

/* Puts all rows into one group. */
extern RowGroups groups_of_all(uint32 nrows);

/* Parts groups by one more column, rows with equal codes staying together; the groups given stay as they are. */
extern RowGroups groups_parted(const RowGroups *groups, const uint32 *code);

extern void groups_free(RowGroups *groups);

extern Separation groups_separation(const RowGroups *groups);

/* ----------------------------------------------------------------
 * The smallest sets of columns that single out many rows
 * ----------------------------------------------------------------
 */

#define MOST_IN_SET 4
#define MOST_SEARCHED 40

typedef struct ColumnSet
{
	int			n;
	int			column[MOST_IN_SET];	/* ascending places in the list that was searched */
	Separation	separation;
} ColumnSet;

typedef struct SetSearch
{
	/* Given */
	const uint32 *const *code;	/* [ncolumns][nrows] in the order in which they are tried: those first that tell most */
	int			ncolumns;		/* MOST_SEARCHED at most */
	uint32		nrows;
	uint32		nfirst;			/* sets are tried on so many rows at the beginning first */
	double		threshold;		/* the share of rows alone that is too much */
	int			most_tried;		/* sets */
	int			most_verified;	/* of them, on all rows */

	/* Found */
	ColumnSet  *set;			/* [nsets] smaller ones first, then those that single out more */
	int			nsets;
	int			nallocated;
	int			tried;
	int			verified;
	bool		is_whole;		/* were all sets tried? */
} SetSearch;

/* Finds sets of up to MOST_IN_SET columns that single out more than the threshold, while none of their subsets does. */
extern void search_sets(SetSearch *search);

#endif							/* PPREPUB_AUDIT_SEPARATION_H */
