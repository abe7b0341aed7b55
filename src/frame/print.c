/*
 * print.c
 *		Printing cells, "[30,41)", "531*", "Europe", "*", and reading them back.
 *
 * NOTES
 *		A cell that covers the whole domain is withheld: it prints as (,), as the
 *		root, or as *, and so shows neither the smallest nor the largest value.
 *		A cell of one value prints that value, even if there is no other.
 *
 *		For numbers and prefixes, the whole domain is the values that the release
 *		shows: if values of withheld people counted, a cell that covers all other
 *		values would reveal that these people exist.
 *
 *		A cohort's domain need not hold all values of the source, so a cell that
 *		covers it is printed, and tells what the cohort's values have in common.
 */
#include "frame/print.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "datatype/timestamp.h"
#include "declare/taxonomy.h"
#include "frame/bins.h"
#include "frame/domain.h"
#include "frame/line.h"
#include "frame/rounding.h"
#include "shared/string_map.h"
#include "utils/builtins.h"
#include "utils/date.h"

RangeBound
bound_of(Oid type, Datum value, bool lower)
{
	RangeBound	bound = {.val = value, .infinite = false, .inclusive = true, .lower = lower};

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

/* A printed end of a cell that begins, or ends, with a code. */
static RangeBound
end_of(const Coding *coding, Code code, bool lower)
{
	return coding->step == NULL ? bound_of(coding->type, coding->values[code], lower) :
		bin_bound(coding->step, coding->values[code], lower);
}

static Datum
print_range(const Coding *coding, Span cell)
{
	bool		is_rounded = coding->ends != NULL && cell.lo < cell.hi;
	RangeBound	lower = is_rounded ? rounded_end(coding, cell, true) : end_of(coding, cell.lo, true);
	RangeBound	upper = is_rounded ? rounded_end(coding, cell, false) : end_of(coding, cell.hi, false);

	return RangeTypePGetDatum(make_range(range_over(coding->column->type), &lower, &upper, false, NULL));
}

static Datum
whole_range(Oid type)
{
	RangeBound	lower = {.infinite = true, .lower = true};
	RangeBound	upper = {.infinite = true, .lower = false};

	return RangeTypePGetDatum(make_range(range_over(type), &lower, &upper, false, NULL));
}

static Datum
print_prefix(const Coding *coding, Span cell)
{
	const Tree *tree = coding->domain->tree;
	const char *text = coding->texts[cell.lo];
	int			bytes = prefix_bytes(text, tree->nodes[tree_node(tree, cell)].level);

	return CStringGetTextDatum(psprintf("%.*s*", bytes, text));
}

bool
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
			return CStringGetTextDatum(tree_root(column->tree));
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			break;
	}
	return CStringGetTextDatum("*");
}

/* ----------------------------------------------------------------
 * Reading cells back.  Codes are covered by the printed cell alone: a range
 * covers all values within it, a prefix all texts that begin with it.
 * ----------------------------------------------------------------
 */

struct CellReader
{
	const Coding *coding;
	TypeCacheEntry *range;		/* ranges */
	string_map_hash *nodes;		/* taxonomies: numbers by name */
};

CellReader *
cell_reader(const Coding *coding)
{
	CellReader *reader = palloc0(sizeof(CellReader));
	const Tree *tree = coding->domain->tree;

	reader->coding = coding;
	if (coding->column->kind == KIND_RANGE)
		reader->range = range_over(coding->column->type);
	if (coding->column->kind != KIND_TAXONOMY)
		return reader;
	reader->nodes = string_map_create(CurrentMemoryContext, tree->nnodes, NULL);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		bool		found;

		if (coding->names[i] != NULL)
			string_map_insert(reader->nodes, coding->names[i], &found)->number = i;
	}
	return reader;
}

/* The first code that ends above a lower bound, or on it, or that begins there: so do all codes after it. */
static Code
first_above(const CellReader *reader, const RangeBound *bound, bool begins)
{
	Code		low = 0;
	Code		high = domain_values(reader->coding->domain);

	while (low < high)
	{
		Code		middle = low + (high - low) / 2;
		RangeBound	end = end_of(reader->coding, middle, begins);

		if (range_cmp_bounds(reader->range, &end, bound) >= 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The codes whose values lie in a printed range; of bins, those that have values there. */
static bool
range_codes(const CellReader *reader, RangeType *cell, Span *codes)
{
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	Code		end;

	range_deserialize(reader->range, cell, &lower, &upper, &empty);
	if (empty)
		return false;
	if (lower.infinite && upper.infinite)
	{
		*codes = domain_whole(reader->coding->domain);
		return true;
	}
	codes->lo = lower.infinite ? 0 : first_above(reader, &lower, false);
	upper = bound_behind(upper);
	end = upper.infinite ? domain_values(reader->coding->domain) : first_above(reader, &upper, true);
	codes->hi = end - 1;
	return codes->lo < end;
}

static int
compare_text(const char *text, const char *cell, Size length, bool is_prefix)
{
	return is_prefix ? strncmp(text, cell, length) : strcmp(text, cell);
}

/* Finds the texts that a cell covers; they are neighbours, since texts are sorted by their bytes. */
static bool
text_codes(const CellReader *reader, const char *cell, Span *codes)
{
	const Domain *domain = reader->coding->domain;
	char	  **texts = reader->coding->texts;
	Size		length = strlen(cell);
	bool		is_prefix = length > 0 && cell[length - 1] == '*';
	Code		n = domain_values(domain);
	Code		low = 0;
	Code		high = n;

	if (is_prefix && --length == 0)
	{
		*codes = domain_whole(domain);
		return true;
	}
	while (low < high)
	{
		Code		middle = low + (high - low) / 2;

		if (compare_text(texts[middle], cell, length, is_prefix) >= 0)
			high = middle;
		else
			low = middle + 1;
	}
	codes->lo = low;
	while (high < n && compare_text(texts[high], cell, length, is_prefix) == 0)
		high++;
	codes->hi = high - 1;
	return high > low;
}

/* Finds the leaves below a printed node; the root covers NULL, too. */
static bool
node_codes(const CellReader *reader, const char *cell, Span *codes)
{
	const Domain *domain = reader->coding->domain;
	StringMapEntry *node = string_map_lookup(reader->nodes, cell);

	if (node == NULL)
		return false;
	*codes = node->number == 0 ? domain_whole(domain) : domain->tree->nodes[node->number].leaves;
	return true;
}

bool
cell_codes(const CellReader *reader, Datum cell, bool isnull, Span *codes)
{
	const Domain *domain = reader->coding->domain;

	if (domain->size == 0)
		return false;
	if (isnull)
	{
		*codes = span_of(domain->null_code);
		return domain->null_code != NO_CODE;
	}
	switch (reader->coding->column->kind)
	{
		case KIND_RANGE:
			return range_codes(reader, DatumGetRangeTypeP(cell), codes);
		case KIND_TAXONOMY:
			return node_codes(reader, TextDatumGetCString(cell), codes);
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			return text_codes(reader, TextDatumGetCString(cell), codes);
	}
	return false;
}
