/*
 * domain.h
 *		Codes, intervals of codes, and domains: the values of one quasi-identifier as codes, and the cells over them.
 *
 * Inside a frame every generalised value is an interval of codes.  A taxonomy's leaves are coded depth-first, prefixes
 * alphabetically, numbers by size.  Therefore each cell that can be printed, of whatever kind, is an interval: consistency is
 * overlap, generalisation is containment.  The server has an Interval of its own (a time span), hence the name Span.
 *
 * A domain is either a *tree* (kinds taxonomy, prefix and suppress: a cell is the leaves below one node) or a *line* (kind range:
 * a cell is any run of codes).  No Datum is in here: partition/, method/ and audit/ see values only through this header.
 *
 * NULL is a value of its own.  In a tree it is one more child of the root; on a line it is the last code, and a cell that holds it
 * and anything else is the whole domain.  Only domain_cover() has to deal with that.
 */
#ifndef PPREPUB_FRAME_DOMAIN_H
#define PPREPUB_FRAME_DOMAIN_H

#include "postgres.h"

typedef uint32 Code;

#define NO_CODE		PG_UINT32_MAX

/* An interval of codes; both ends belong to it. */
typedef struct Span
{
	Code		lo;
	Code		hi;
} Span;

/* The span of an unknown value, which may have any code. */
#define ANYTHING	((Span) {0, PG_UINT32_MAX})

static inline Span
span_of(Code code)
{
	return (Span) {code, code};
}

static inline bool
span_equal(Span a, Span b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static inline bool
span_contains(Span outer, Span inner)
{
	return outer.lo <= inner.lo && inner.hi <= outer.hi;
}

static inline bool
span_overlaps(Span a, Span b)
{
	return a.lo <= b.hi && b.lo <= a.hi;
}

static inline void
span_widen(Span *span, Code code)
{
	span->lo = Min(span->lo, code);
	span->hi = Max(span->hi, code);
}

static inline Span
span_hull(Span a, Span b)
{
	return (Span) {Min(a.lo, b.lo), Max(a.hi, b.hi)};
}

/* The number of codes in the span. */
static inline uint64
span_width(Span i)
{
	return (uint64) i.hi - i.lo + 1;
}

#define FEW_CODES 16

static inline int
compare_codes(const void *a, const void *b)
{
	Code		x = *(const Code *) a;
	Code		y = *(const Code *) b;

	return (x > y) - (x < y);
}

/* Sorts ascending.  Most callers sort the values of a class, which are few. */
static inline void
sort_codes(Code *codes, uint64 n)
{
	if (n > FEW_CODES)
	{
		qsort(codes, n, sizeof(Code), compare_codes);
		return;
	}
	for (uint64 i = 1; i < n; i++)
	{
		Code		code = codes[i];
		uint64		at = i;

		for (; at > 0 && codes[at - 1] > code; at--)
			codes[at] = codes[at - 1];
		codes[at] = code;
	}
}

/* Finds the place of a code among n ascending ones; n if it is missing. */
static inline uint64
find_code(const Code *codes, uint64 n, Code code)
{
	uint64		low = 0;
	uint64		high = n;

	while (low < high)
	{
		uint64		middle = low + (high - low) / 2;

		if (codes[middle] < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && codes[low] == code ? low : n;
}

/* ---- Domains ---- */

/* A node of a tree; the children of a node stand side by side. */
typedef struct TreeNode
{
	Span		leaves;			/* codes below this node */
	uint32		parent;			/* the root is its own parent */
	uint32		first_child;	/* index of the first child; 0 for a leaf */
	uint32		nchildren;		/* 0 for a leaf */
	uint32		level;			/* steps below the root, as precision counts them: for prefixes, characters kept */
} TreeNode;

typedef struct Tree
{
	uint32		nnodes;
	TreeNode   *nodes;			/* the root is nodes[0]; parents stand before children */
	uint32	   *leaf;			/* code -> its node */
} Tree;

typedef struct Domain
{
	Code		size;			/* codes are 0 .. size - 1; 0 if no row has a value */
	Code		null_code;		/* the code of NULL, or NO_CODE */
	uint64	   *frequency;		/* rows of the source that have each code */

	/* Trees */
	const Tree *tree;			/* NULL for a line */

	/* Lines */
	const double *position;		/* place of each code but NULL's, ascending */
	const double *end;			/* where each one ends, where codes stand for bins; or NULL */
	double		source_width;	/* of the line in all of the source, where this is a part of it; 0 where the domain has
								 * it all */
} Domain;

/* The smallest cell that can be printed and that holds all of i. */
extern Span domain_cover(const Domain *domain, Span i);

/* The whole domain as a cell: what is printed when a cell is withheld. */
extern Span domain_whole(const Domain *domain);

/*
 * The loss metric of a cell, between 0 (one value) and 1 (withheld).  A tree's cell costs (codes held - 1) / (size - 1); a
 * line's cell costs its width divided by that of the domain, or of the source where that is known.  In a domain of one
 * value nothing is lost.  Bins are values here, at the place where they begin.
 */
extern double domain_loss(const Domain *domain, Span cell);

/*
 * Like domain_loss(), but a cell of bins costs all of its printed width, also a single bin, unless the domain has no other.
 * Every cell pays for one bin, however people are cut into classes: domain_loss(), which cuts go by, leaves that out.
 */
extern double domain_printed_loss(const Domain *domain, Span cell);

/*
 * The node whose leaves are exactly this cell, which must be a cell of the tree.  In a chain of only children it is the
 * lowest, which says the most.
 */
extern uint32 tree_node(const Tree *tree, Span cell);

/* The lowest node that holds both codes. */
extern uint32 tree_common_ancestor(const Tree *tree, Code a, Code b);

/* The child of a node that holds a code, which the node holds. */
extern uint32 tree_child_holding(const Tree *tree, uint32 node, Code code);

/* The number of codes that are values; NULL's code, if there is one, comes after them. */
static inline Code
domain_values(const Domain *domain)
{
	return domain->size - (domain->null_code != NO_CODE);
}

/* ----------------------------------------------------------------
 * Building trees
 *
 * All builders number nodes breadth-first, so that parents stand before their
 * children and siblings side by side.  With has_null the root gets one more
 * leaf, the last code: NULL.
 * ----------------------------------------------------------------
 */

/*
 * Makes a tree of nodes that are given breadth-first: node i hangs on parent[i] (below i, the root on itself), its first
 * leaf has code first_leaf[i] and it holds leaves[i] leaves.  *number[i] is set to the node's number in the result, which
 * can differ where NULL is put in between.
 */
extern Tree *tree_of_nodes(uint32 nnodes, const uint32 *parent, const Code *first_leaf,
						   const Code *leaves, bool has_null, uint32 **number);

/* Makes a tree of a root and its leaves, without nodes between. */
extern Tree *tree_of_leaves(Code nleaves, bool has_null);

/*
 * Makes the tree of shared prefixes over distinct values sorted by their bytes; a node's level is the number of characters
 * that all values below it share.
 */
extern Tree *tree_of_prefixes(char *const *values, Code nvalues, bool has_null);

/* The length in bytes of the text's first characters, whose number is given. */
extern int	prefix_bytes(const char *text, uint32 characters);

#endif							/* PPREPUB_FRAME_DOMAIN_H */
