/*
 * cell_functions.c
 *		Functions for everybody who reads cells: where their middle is, how wide they are, and how they lie to bins.
 *
 * NOTES
 *		They are pure, but for leaves(), which reads trees that everybody may read.  A cell that is NULL means that
 *		the value is known to be missing, so it lies in no bin.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/publication.h"
#include "declare/taxonomy.h"
#include "fmgr.h"
#include "frame/cell_measure.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_midpoint);
PG_FUNCTION_INFO_V1(pprepub_width);
PG_FUNCTION_INFO_V1(pprepub_range_is_withheld);
PG_FUNCTION_INFO_V1(pprepub_range_lies_in);
PG_FUNCTION_INFO_V1(pprepub_range_touches);
PG_FUNCTION_INFO_V1(pprepub_range_share_in);
PG_FUNCTION_INFO_V1(pprepub_text_is_withheld);
PG_FUNCTION_INFO_V1(pprepub_text_lies_in);
PG_FUNCTION_INFO_V1(pprepub_text_touches);
PG_FUNCTION_INFO_V1(pprepub_text_share_in);
PG_FUNCTION_INFO_V1(pprepub_taxonomy_leaves);
PG_FUNCTION_INFO_V1(pprepub_tree_leaves);

/* ----------------------------------------------------------------
 * Ranges
 * ----------------------------------------------------------------
 */

Datum
pprepub_midpoint(PG_FUNCTION_ARGS)
{
	RangeType  *cell = PG_GETARG_RANGE_P(0);
	TypeCacheEntry *range = range_get_typcache(fcinfo, RangeTypeGetOid(cell));
	RangeBound	lower;
	RangeBound	upper;

	verify_measurable(range);
	if (!range_ends(range, cell, &lower, &upper))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(ends_middle(range, &lower, &upper));
}

Datum
pprepub_width(PG_FUNCTION_ARGS)
{
	RangeType  *cell = PG_GETARG_RANGE_P(0);
	TypeCacheEntry *range = range_get_typcache(fcinfo, RangeTypeGetOid(cell));
	RangeBound	lower;
	RangeBound	upper;

	verify_measurable(range);
	if (RangeIsEmpty(cell))
		PG_RETURN_FLOAT8(0);
	if (!range_ends(range, cell, &lower, &upper))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(ends_apart(range, &lower, &upper));
}

Datum
pprepub_range_is_withheld(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && range_is_withheld(PG_GETARG_RANGE_P(0)));
}

Datum
pprepub_range_lies_in(PG_FUNCTION_ARGS)
{
	RangeType  *bin;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	bin = PG_GETARG_RANGE_P(1);
	PG_RETURN_BOOL(!PG_ARGISNULL(0) &&
				   range_lies_in(range_get_typcache(fcinfo, RangeTypeGetOid(bin)), PG_GETARG_RANGE_P(0), bin));
}

Datum
pprepub_range_touches(PG_FUNCTION_ARGS)
{
	RangeType  *bin;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	bin = PG_GETARG_RANGE_P(1);
	PG_RETURN_BOOL(!PG_ARGISNULL(0) &&
				   range_overlaps_internal(range_get_typcache(fcinfo, RangeTypeGetOid(bin)), PG_GETARG_RANGE_P(0), bin));
}

/* With two arguments or three */
Datum
pprepub_range_share_in(PG_FUNCTION_ARGS)
{
	bool		has_whole = PG_NARGS() > 2 && !PG_ARGISNULL(2);
	RangeType  *bin;
	TypeCacheEntry *range;
	double		share;
	bool		is_unknown;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	bin = PG_GETARG_RANGE_P(1);
	range = range_get_typcache(fcinfo, RangeTypeGetOid(bin));
	verify_measurable(range);
	if (PG_ARGISNULL(0))
		PG_RETURN_FLOAT8(0);
	share = range_share_in(range, PG_GETARG_RANGE_P(0), bin, has_whole ? PG_GETARG_RANGE_P(2) : NULL, &is_unknown);
	if (is_unknown)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(share);
}

/* ----------------------------------------------------------------
 * Texts: prefixes and values
 * ----------------------------------------------------------------
 */

/* An argument, which must not be NULL. */
static TextCell
text_cell_argument(FunctionCallInfo fcinfo, int n)
{
	text	   *cell = PG_GETARG_TEXT_PP(n);

	return text_cell(VARDATA_ANY(cell), VARSIZE_ANY_EXHDR(cell));
}

Datum
pprepub_text_is_withheld(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && text_is_withheld(text_cell_argument(fcinfo, 0)));
}

Datum
pprepub_text_lies_in(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && text_lies_in(text_cell_argument(fcinfo, 0), text_cell_argument(fcinfo, 1)));
}

Datum
pprepub_text_touches(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && text_touches(text_cell_argument(fcinfo, 0), text_cell_argument(fcinfo, 1)));
}

/* Nobody knows which values begin alike: a share of a prefix is not known. */
Datum
pprepub_text_share_in(PG_FUNCTION_ARGS)
{
	TextCell	cell;
	TextCell	bin;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(0))
		PG_RETURN_FLOAT8(0);
	cell = text_cell_argument(fcinfo, 0);
	bin = text_cell_argument(fcinfo, 1);
	if (text_lies_in(cell, bin))
		PG_RETURN_FLOAT8(1);
	if (text_touches(cell, bin))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(0);
}

/* ----------------------------------------------------------------
 * Nodes
 * ----------------------------------------------------------------
 */

/* The last node that a call asked about: cells repeat. */
typedef struct LastNode
{
	char	   *taxonomy;		/* or NULL, where trees are given by number */
	int32		tree;
	char	   *node;			/* or NULL, before the first one */
	bool		is_known;
	int64		first;
	int64		leaves;
} LastNode;

static LastNode *
last_node(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(LastNode));
	return fcinfo->flinfo->fn_extra;
}

/* Replaces a string that is kept between calls. */
static void
keep_string(FunctionCallInfo fcinfo, char **kept, const char *string)
{
	if (*kept != NULL)
		pfree(*kept);
	*kept = MemoryContextStrdup(fcinfo->flinfo->fn_mcxt, string);
}

/* Looks the first argument up in a tree. */
static Datum
leaves_in_tree(FunctionCallInfo fcinfo, LastNode *last, int32 tree)
{
	char	   *node = text_to_cstring(PG_GETARG_TEXT_PP(0));

	if (last->node == NULL || last->tree != tree || strcmp(last->node, node) != 0)
	{
		last->is_known = node_leaves(tree, node, &last->first, &last->leaves);
		last->tree = tree;
		keep_string(fcinfo, &last->node, node);
	}
	if (!last->is_known)
		PG_RETURN_NULL();
	PG_RETURN_RANGE_P(leaves_range(last->first, last->leaves));
}

Datum
pprepub_taxonomy_leaves(PG_FUNCTION_ARGS)
{
	LastNode   *last = last_node(fcinfo);
	char	   *taxonomy = text_to_cstring(PG_GETARG_TEXT_PP(1));
	int32		tree = last->tree;

	if (last->taxonomy == NULL || strcmp(last->taxonomy, taxonomy) != 0)
	{
		tree = present_tree(taxonomy);
		keep_string(fcinfo, &last->taxonomy, taxonomy);
	}
	return leaves_in_tree(fcinfo, last, tree);
}

Datum
pprepub_tree_leaves(PG_FUNCTION_ARGS)
{
	return leaves_in_tree(fcinfo, last_node(fcinfo), PG_GETARG_INT32(1));
}
