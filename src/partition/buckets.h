/*
 * buckets.h
 *		Sets and buckets of rows by what may be shown of them, and how they are cut into classes.
 */
#ifndef PPREPUB_PARTITION_BUCKETS_H
#define PPREPUB_PARTITION_BUCKETS_H

#include "history/past.h"
#include "partition/classes.h"

/* ----------------------------------------------------------------
 * Signatures: sets of rows with different values, which classes with the same
 * candidates for ever are made of
 *
 * Paper 004 after Xiao and Tao.  A signature is the set of sensitive values of a
 * class; a row that was in a class with it stays with it.  People who were published before
 * keep their places in sets of their signature, or are dealt anew among these (division).  Newcomers take places that are
 * free in these, if they have the value and are near (balancing), and people of sets that are small join others.  All
 * other newcomers make sets of different values that live close together (assignment).  What is missing then is invented.
 * ----------------------------------------------------------------
 */

/* Why there can be no release. */
typedef enum RefusalKind
{
	NOT_REFUSED,
	REFUSED_NULLS,				/* rows have no sensitive value */
	REFUSED_CHANGES,			/* rows have another one than was published */
	REFUSED_UNEVEN,				/* rows were in classes that are not even: made elsewhere */
	REFUSED_FEW_VALUES,			/* there are fewer than m values */
	REFUSED_SKEW,				/* one value has so many rows that counterfeits would be most of a release */
	REFUSED_FOUND,				/* rows have new values that are not vouched for: see signature_sets.c */
	REFUSED_LIFESPAN			/* rows were published as often as they may be */
} RefusalKind;

typedef struct Refusal
{
	RefusalKind kind;
	uint64		rows;			/* that are the reason; counterfeits for skew */
	uint64		newcomers;		/* among whom a value is skewed */
	Code		value;			/* it, and how many have it */
	uint64		having;
	uint64		limit;			/* m, or the lifespan */
} Refusal;

typedef struct SignatureSets
{
	uint32		n;				/* signatures */
	uint64	   *first_value;	/* [n + 1] signature b is value[first_value[b]] up to, not including,
								 * value[first_value[b + 1]], ascending */
	Code	   *value;
	uint64	   *nsets;			/* [n] */
	uint64	   *first_cell;		/* [n] where the cells of its first set begin: the row that has each value, or NO_ROW
								 * for an invented one; those of the next set follow */
	RowId	   *cell;
} SignatureSets;

/*
 * Puts all rows of the frame into sets, each with a true row at least; NULL, and *refusal says why, where
 * that cannot be.  Newcomers form so many sets of a signature at once, if they can; where that is more than one, people of
 * sets that are no longer complete are dealt anew.  Sets of a signature whose people are all here stay as they are, among
 * themselves.  Sets that stand side by side lie close together, too, or are of the same family.
 */
extern SignatureSets *make_signature_sets(const Frame *frame, const Paths *paths, uint32 m, uint32 together,
										  uint64 seed, Refusal *refusal);

static inline uint32
signature_values(const SignatureSets *sets, uint32 signature)
{
	return sets->first_value[signature + 1] - sets->first_value[signature];
}

/*
 * deal.c: deals rows into sets of a row of each value that lie close together.
 * There are so many sets of n values; the true rows of value i are rows[lo[i]]
 * up to, not including, rows[hi[i]], at most as many as sets, and of one value as
 * many.  Set g gets cell[g * n + i], a row or NO_ROW for a counterfeit, and a true
 * row at least.
 */
extern void even_split(const Frame *frame, const RowId *rows, const uint64 *lo, const uint64 *hi,
					   uint32 n, uint64 sets, RowId *cell);

/* ----------------------------------------------------------------
 * Balanced buckets, split into groups that have a row in each entry and no
 * sensitive value twice, and lie close together (balanced.c)
 *
 * A bucket has entries, each of some rows of every group (its multiplicity).
 * It is balanced when no entry has more rows than its multiplicity times the
 * number of groups, and no sensitive value occurs more often than there are
 * groups.  Such a bucket always splits (Koenig: the bipartite multigraph of
 * entries and values, a row being an edge, has an edge colouring with as many
 * colours as its greatest degree), and so does either half of a split that
 * leaves both halves balanced.  So it is cut in two again and again, where that
 * loses least, until every part is one group.  Rows that an entry lacks are
 * left for the caller to invent.
 * ----------------------------------------------------------------
 */

typedef struct BalancedRow
{
	RowId		row;
	uint32		entry;
} BalancedRow;

typedef struct BalancedBucket
{
	uint32		nentries;
	const uint32 *multiplicity; /* [nentries] */
	uint32		ngroups;
	uint32		nrows;
	BalancedRow *rows;			/* permuted: group by group in the end */
} BalancedBucket;

typedef struct Splitter Splitter;

/* For buckets of so many rows and entries at most, in the current context. */
extern Splitter *splitter_create(const Frame *frame, uint32 most_rows, uint32 most_entries);

/*
 * Splits a balanced bucket.  *size[g] is set to the rows of group g, [ngroups];
 * some may be none.
 */
extern void split_bucket(Splitter *splitter, const BalancedBucket *bucket, uint32 *size);

#endif							/* PPREPUB_PARTITION_BUCKETS_H */
