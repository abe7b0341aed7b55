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

#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "datatype/timestamp.h"
#include "declare/taxonomy.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "frame/line.h"
#include "shared/string_map.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/memutils.h"

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
				(lower ? DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE : DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1);
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

/* ----------------------------------------------------------------
 * Rounding the ends of a release's ranges outwards
 *
 * An end says more than it must if it is somebody's value to the last digit.  So it is put on the coarsest grid (hundreds,
 * tens, fives; years, months, days) that has a point between the last value of the cell and the next end of another cell of
 * the release, and not further out than a share of the cell's width.  It follows from what would be printed otherwise, and so
 * tells no more; and cells that have no value in common never meet.  Upper ends are never part of the cell: one that is would
 * be somebody's.
 *
 * How far out an end may lie is measured in doubles, for the sake of speed, and whether it lies before the next one by the
 * type's own order.
 * ----------------------------------------------------------------
 */

/* How far out an end may lie: a tenth of the cell's width. */
#define PARTS 10

/* Doubles that differ by less are taken for equal. */
#define TOLERANCE 1e-9

/* Numbers are looked at to so many digits more than their first one. */
#define MAX_DIGITS 40

#define MAX_EXPONENT 18			/* of a power of ten that an int8 has room for */

static const RangeStep dates[] =
{
	{.months = 100 * MONTHS_PER_YEAR}, {.months = 10 * MONTHS_PER_YEAR}, {.months = MONTHS_PER_YEAR},
	{.months = 3}, {.months = 1}, {.unit = 1},
};

static const RangeStep times[] =
{
	{.months = 100 * MONTHS_PER_YEAR}, {.months = 10 * MONTHS_PER_YEAR}, {.months = MONTHS_PER_YEAR},
	{.months = 3}, {.months = 1}, {.unit = USECS_PER_DAY}, {.unit = USECS_PER_HOUR}, {.unit = 10 * USECS_PER_MINUTE},
	{.unit = USECS_PER_MINUTE}, {.unit = USECS_PER_SEC}, {.unit = 100000}, {.unit = 10000}, {.unit = 1000},
	{.unit = 100}, {.unit = 10}, {.unit = 1},
};

/* An end that is to be rounded. */
typedef struct Rounding
{
	RangeBound	exact;
	Oid			type;			/* that the range is over */
	int			exponent;		/* numbers: of the first digit that can matter */
	double		place;			/* of the end */
	double		reach;			/* how far out the rounded one may lie */
} Rounding;

/* Does the next point of a grid surely lie too far out?  Most do, and to find it exactly is slow. */
static bool
is_out_of_reach(const Rounding *rounding, double width)
{
	double		rest = fmod(rounding->place, width);
	double		slack = rounding->reach * TOLERANCE + (fabs(rounding->place) + width) * 1e-12;

	if (rest < 0)
		rest += width;
	return (rounding->exact.lower ? rest : width - rest) > rounding->reach + slack &&
		(rounding->exact.lower ? width - rest : rest) > slack;
}

/* Sets the next grid of a type, from coarse to fine; false behind the last.  One that has no point in reach may stay empty. */
static bool
find_grid(int i, const Rounding *rounding, RangeStep *grid)
{
	int			exponent;

	*grid = (RangeStep) {0};
	switch (rounding->type)
	{
		case INT4OID:
		case INT8OID:
			/* 10^18, 5 * 10^17, 10^17, ..., 5, 1 */
			if (i > 2 * MAX_EXPONENT)
				return false;
			grid->unit = i % 2 == 1 ? 5 : 1;
			for (exponent = MAX_EXPONENT - (i + 1) / 2; exponent > 0; exponent--)
				grid->unit *= 10;
			break;
		case NUMERICOID:
			if (i > 2 * MAX_DIGITS)
				return false;
			exponent = rounding->exponent - (i + 1) / 2;
			if (!is_out_of_reach(rounding, (i % 2 == 1 ? 5 : 1) * pow(10, exponent)))
				grid->number = DatumGetNumeric(number_of_text(psprintf("%de%d", i % 2 == 1 ? 5 : 1, exponent)));
			break;
		case DATEOID:
			if (i >= (int) lengthof(dates))
				return false;
			*grid = dates[i];
			break;
		default:
			if (i >= (int) lengthof(times))
				return false;
			*grid = times[i];
			break;
	}
	grid->type = rounding->type;
	return true;
}

void
round_ends(Coding *coding, const bool *is_end)
{
	Code		nvalues = domain_values(coding->domain);
	Code		n = 0;

	for (Code code = 0; code < nvalues; code++)
		n += is_end[code];
	coding->ends = new_array(Code, n);
	coding->nends = 0;
	for (Code code = 0; code < nvalues; code++)
		if (is_end[code])
			coding->ends[coding->nends++] = code;
}

/* The last end before a code, or the first one behind it; NO_CODE for none. */
static Code
next_end(const Coding *coding, Code code, bool before)
{
	Code		at;

	find_first(at, coding->nends, i, coding->ends[i] >= code + !before);
	if (before)
		return at == 0 ? NO_CODE : coding->ends[at - 1];
	return at == coding->nends ? NO_CODE : coding->ends[at];
}

/* An end of a cell, and how far out it may be put, the next one being there. */
static Rounding
measure_end(const Coding *coding, Span cell, bool lower, Code next)
{
	double		low = place_of(coding->type, coding->values[cell.lo]);
	double		high = place_of(coding->type, coding->values[cell.hi]);
	Rounding	rounding = {.type = range_over(coding->type)->rngelemtype->type_id, .place = lower ? low : high};

	rounding.reach = isfinite(high - low) ? (high - low) / PARTS : 0;
	if (rounding.type == NUMERICOID && rounding.reach > 0)
		rounding.exponent = (int) ceil(log10(Max(fabs(low), fabs(high))));
	else if (rounding.type != NUMERICOID && rounding.reach < 1)
		rounding.reach = 0;
	else if (rounding.type != NUMERICOID && !lower)
		rounding.reach += 1;	/* what is behind the last value is no part of the cell */
	if (next != NO_CODE)
	{
		double		gap = fabs(place_of(coding->type, coding->values[next]) - rounding.place);

		rounding.reach = Min(rounding.reach, gap);
	}
	rounding.exact = bound_of(coding->type, coding->values[lower ? cell.lo : cell.hi], lower);
	return rounding;
}

/* May the end be put there: far enough from the next one, and not too far out? */
static bool
is_between(const Coding *coding, const Rounding *rounding, const RangeBound *found, Code next)
{
	int			order;

	if (found->infinite || fabs(place_of(rounding->type, found->val) - rounding->place) > rounding->reach * (1 + TOLERANCE))
		return false;
	if (next == NO_CODE)
		return true;
	order = compare_values(rounding->type, found->val, bound_of(coding->type, coding->values[next], true).val);
	return found->lower ? order > 0 : order <= 0;
}

/* An end of a cell of several values, on the coarsest grid that has a point for it; as it is where none has. */
static RangeBound
rounded_end(const Coding *coding, Span cell, bool lower)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "rounding", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Code		next = next_end(coding, lower ? cell.lo : cell.hi, lower);
	Rounding	rounding = measure_end(coding, cell, lower, next);
	RangeBound	result = rounding.exact;
	RangeStep	grid;

	for (int i = 0; rounding.reach > 0 && !rounding.exact.infinite && find_grid(i, &rounding, &grid); i++)
	{
		RangeBound	found;

		if (grid.number == NULL && grid.months == 0 && (grid.unit == 0 || is_out_of_reach(&rounding, grid.unit)))
			continue;
		found = bin_bound(&grid, bin_of(&grid, rounding.type, rounding.exact.val), lower);
		if (is_between(coding, &rounding, &found, next))
		{
			result = found;
			break;
		}
	}
	MemoryContextSwitchTo(old);
	if (!result.infinite && rounding.type == NUMERICOID)
		result.val = datumCopy(result.val, false, -1);
	MemoryContextDelete(work);
	return result;
}

/* ---- Printing ---- */

/* A printed end of a cell that begins, or ends, with a code. */
static RangeBound
end_of(const Coding *coding, Code code, bool lower)
{
	return coding->step == NULL ? bound_of(coding->type, coding->values[code], lower) :
		bin_bound(coding->step, coding->values[code], lower);
}

static Datum
whole_range(Oid type)
{
	RangeBound	lower = {.infinite = true, .lower = true};
	RangeBound	upper = {.infinite = true, .lower = false};

	return RangeTypePGetDatum(make_range(range_over(type), &lower, &upper, false, NULL));
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
	const Tree *tree = coding->domain->tree;
	bool		single = cell.lo == cell.hi;
	bool		withheld = is_withheld(coding, cell);
	bool		rounded = coding->ends != NULL && !single;
	RangeBound	lower;
	RangeBound	upper;

	*isnull = single && cell.lo == coding->domain->null_code;
	if (*isnull)
		return (Datum) 0;
	switch (coding->column->kind)
	{
		case KIND_RANGE:
			if (withheld)
				return whole_range(coding->column->type);
			lower = rounded ? rounded_end(coding, cell, true) : end_of(coding, cell.lo, true);
			upper = rounded ? rounded_end(coding, cell, false) : end_of(coding, cell.hi, false);
			return RangeTypePGetDatum(make_range(range_over(coding->column->type), &lower, &upper, false, NULL));
		case KIND_TAXONOMY:
			return CStringGetTextDatum(coding->names[withheld ? 0 : tree_node(tree, cell)]);
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			if (single)
				return CStringGetTextDatum(coding->texts[cell.lo]);
			if (withheld)
				return CStringGetTextDatum("*");
			return CStringGetTextDatum(psprintf("%.*s*", prefix_bytes(coding->texts[cell.lo], tree->nodes[tree_node(tree, cell)].level),
												coding->texts[cell.lo]));
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
	Code		first;
	RangeBound	end;

	find_first(first, domain_values(reader->coding->domain), code,
			   (end = end_of(reader->coding, code, begins), range_cmp_bounds(reader->range, &end, bound) >= 0));
	return first;
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

/* Finds the texts that a cell covers; they are neighbours, since texts are sorted by their bytes. */
static bool
text_codes(const CellReader *reader, const char *cell, Span *codes)
{
	const Domain *domain = reader->coding->domain;
	char	  **texts = reader->coding->texts;
	Size		length = strlen(cell);
	bool		is_prefix = length > 0 && cell[length - 1] == '*';
	Code		n = domain_values(domain);
	Code		end;

	if (is_prefix && length == 1)
	{
		*codes = domain_whole(domain);
		return true;
	}
	length += is_prefix ? -1 : 1;	/* a value is compared with its zero byte */
	find_first(codes->lo, n, i, strncmp(texts[i], cell, length) >= 0);
	find_first(end, n, i, strncmp(texts[i], cell, length) > 0);
	codes->hi = end - 1;
	return end > codes->lo;
}

bool
cell_codes(const CellReader *reader, Datum cell, bool isnull, Span *codes)
{
	const Domain *domain = reader->coding->domain;
	StringMapEntry *node;

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
			node = string_map_lookup(reader->nodes, TextDatumGetCString(cell));
			if (node != NULL)	/* the root covers NULL, too */
				*codes = node->number == 0 ? domain_whole(domain) : domain->tree->nodes[node->number].leaves;
			return node != NULL;
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			return text_codes(reader, TextDatumGetCString(cell), codes);
	}
	return false;
}
