/*
 * print.c
 *		Printing cells: "[30,41)", "531*", "Europe", "*".
 *
 * NOTES
 *		A cell that covers the whole domain is withheld: it prints as (,), as the
 *		root, or as *, and so tells neither the smallest nor the largest value.
 *		A cell of one value prints that value, even if there is no other.
 *
 *		The domain of numbers and of prefixes is what occurs in the release: if
 *		values counted of people who are withheld, a cell that covers all others
 *		would tell that they are there.
 *
 *		Where the domain is a cohort's, all of its values are not all that there
 *		are: the cell that covers them says what they have in common.
 */
#include "frame/print.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "frame/tree.h"
#include "utils/builtins.h"
#include "utils/date.h"

RangeBound
bound_of(Oid type, Datum value, bool lower)
{
	RangeBound	bound = {.val = value,.infinite = false,.inclusive = true,.lower = lower};

	switch (type)
	{
		case INT2OID:
			bound.val = Int32GetDatum(DatumGetInt16(value));
			break;
		case INT4OID:
			bound.infinite = DatumGetInt32(value) == (lower ? PG_INT32_MIN : PG_INT32_MAX);
			break;
		case INT8OID:
			bound.infinite = DatumGetInt64(value) == (lower ? PG_INT64_MIN : PG_INT64_MAX);
			break;
		case DATEOID:
			bound.infinite = DatumGetDateADT(value) ==
				(lower ? DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE
				 : DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1);
			break;
		case FLOAT4OID:
		case FLOAT8OID:
			bound.val = exact_number(type, value);
			break;
		default:
			break;
	}
	return bound;
}

TypeCacheEntry *
range_over(Oid type)
{
	return lookup_type_cache(printed_type(KIND_RANGE, type), TYPECACHE_RANGE_INFO);
}

static Datum
print_range(const Coding *coding, Span cell)
{
	Oid			type = coding->column->type;
	RangeBound	lower = bound_of(type, coding->values[cell.lo], true);
	RangeBound	upper = bound_of(type, coding->values[cell.hi], false);

	return RangeTypePGetDatum(make_range(range_over(type), &lower, &upper, false));
}

static Datum
whole_range(Oid type)
{
	RangeBound	lower = {.infinite = true,.lower = true};
	RangeBound	upper = {.infinite = true,.lower = false};

	return RangeTypePGetDatum(make_range(range_over(type), &lower, &upper, false));
}

static Datum
print_prefix(const Coding *coding, Span cell)
{
	const Tree *tree = coding->domain->tree;
	const char *text = coding->texts[cell.lo];
	int			bytes = prefix_bytes(text, tree->nodes[tree_node(tree, cell)].level);

	return CStringGetTextDatum(psprintf("%.*s*", bytes, text));
}

/* Does the cell say nothing?  That all values of a cohort look alike is said, unless NULL is one of them. */
static bool
is_withheld(const Coding *coding, Span cell)
{
	Kind		kind = coding->column->kind;

	if (cell.lo == cell.hi)
		return false;
	if (cell.hi == coding->domain->null_code)
		return true;
	if (kind != KIND_RANGE && kind != KIND_PREFIX)
		return span_equal(cell, domain_whole(coding->domain));
	return !coding->is_part && span_equal(cell, coding->leaving);
}

Datum
print_cell(const Coding *coding, Span cell, bool *isnull)
{
	const Domain *domain = coding->domain;
	bool		single = cell.lo == cell.hi;
	bool		withheld = is_withheld(coding, cell);

	*isnull = single && cell.lo == domain->null_code;
	if (*isnull)
		return (Datum) 0;
	switch (coding->column->kind)
	{
		case KIND_RANGE:
			return withheld ? whole_range(coding->column->type) : print_range(coding, cell);
		case KIND_TAXONOMY:
			return CStringGetTextDatum(coding->names[withheld ? 0 : tree_node(domain->tree, cell)]);
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			if (single)
				return CStringGetTextDatum(coding->texts[cell.lo]);
			return withheld ? CStringGetTextDatum("*") : print_prefix(coding, cell);
	}
	return (Datum) 0;
}

Datum
print_withheld(const DeclaredColumn *column)
{
	switch (column->kind)
	{
		case KIND_RANGE:
			return whole_range(column->type);
		case KIND_TAXONOMY:
			return CStringGetTextDatum(stored_tree_root(column->tree));
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			break;
	}
	return CStringGetTextDatum("*");
}
