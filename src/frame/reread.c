/*
 * reread.c
 *		From "[30,41)", "531*", "Europe", "*" to codes.
 *
 * NOTES
 *		What the cell's kind says decides, not how the cell was made: a range
 *		covers whatever lies in it, a prefix whatever begins so.
 */
#include "frame/reread.h"

#include "catalog/pg_type.h"
#include "declare/strmap.h"
#include "frame/print.h"
#include "utils/builtins.h"

struct CellReader
{
	const Coding *coding;
	TypeCacheEntry *range;		/* ranges */
	strmap_hash *nodes;			/* taxonomies: numbers by name */
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
	reader->nodes = strmap_create(CurrentMemoryContext, tree->nnodes, NULL);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		bool		found;

		if (coding->names[i] != NULL)
			strmap_insert(reader->nodes, coding->names[i], &found)->number = i;
	}
	return reader;
}

/* The codes that are values, NULL's being the last. */
static Code
count_values(const Domain *domain)
{
	return domain->size - (domain->null_code != NO_CODE);
}

/* Does the value of a code lie above the bound, or on it? */
static bool
is_above(const CellReader *reader, Code code, const RangeBound *bound)
{
	RangeBound	value = bound_of(reader->coding->column->type, reader->coding->values[code], bound->lower);

	return range_cmp_bounds(reader->range, &value, bound) >= 0;
}

/* The first code whose value lies above the bound: all behind it do. */
static Code
first_above(const CellReader *reader, const RangeBound *bound)
{
	Code		low = 0;
	Code		high = count_values(reader->coding->domain);

	while (low < high)
	{
		Code		middle = low + (high - low) / 2;

		if (is_above(reader, middle, bound))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

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
	/* What lies behind the range begins where a lower bound of the other kind would. */
	codes->lo = lower.infinite ? 0 : first_above(reader, &lower);
	upper.lower = true;
	upper.inclusive = !upper.inclusive;
	end = upper.infinite ? count_values(reader->coding->domain) : first_above(reader, &upper);
	codes->hi = end - 1;
	return codes->lo < end;
}

static int
compare_text(const char *text, const char *cell, Size length, bool is_prefix)
{
	return is_prefix ? strncmp(text, cell, length) : strcmp(text, cell);
}

/* Texts are sorted by their bytes, so those that begin alike stand together. */
static bool
text_codes(const CellReader *reader, const char *cell, Span *codes)
{
	const Domain *domain = reader->coding->domain;
	char	  **texts = reader->coding->texts;
	Size		length = strlen(cell);
	bool		is_prefix = length > 0 && cell[length - 1] == '*';
	Code		n = count_values(domain);
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

static bool
node_codes(const CellReader *reader, const char *cell, Span *codes)
{
	const Domain *domain = reader->coding->domain;
	StrmapEntry *node = strmap_lookup(reader->nodes, cell);

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
