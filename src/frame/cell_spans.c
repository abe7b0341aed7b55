/*
 * cell_spans.c
 *		Spans for printed cells: ranges by their ends, texts and prefixes by the
 *		alphabet, nodes by their leaves.
 *
 * NOTES
 *		Withheld cells and the cell of NULL have the same spans for all kinds:
 *		NULL's code is the last one.
 */
#include "frame/cells.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "miscadmin.h"
#include "utils/builtins.h"

static inline bool
is_plain(const Cells *cells, Cell cell)
{
	return cell != CELL_NULL && cell != cells_whole(cells);
}

static Datum
printed_value(const Cells *cells, Cell cell)
{
	bool		isnull;

	return cells_printed(cells, cell, &isnull);
}

/* Sets the spans of NULL and of withheld cells, which are alike for all kinds. */
static void
end_line(CellSpans *line, const Cells *cells, const Coding *coding, Code null_code)
{
	line->span[CELL_NULL] = span_of(null_code);
	line->span[cells_whole(cells)] = (Span) {0, null_code};
	line->is_sound[CELL_NULL] = line->is_sound[cells_whole(cells)] = true;
	if (coding != NULL && coding->domain->null_code != NO_CODE)
		line->code[coding->domain->null_code] = null_code;
}

/* ----------------------------------------------------------------
 * Ranges
 * ----------------------------------------------------------------
 */

/* The finite ends of all ranges; each is kept as the lower bound of the piece of the line that it begins. */
typedef struct Cuts
{
	TypeCacheEntry *range;
	RangeBound *cut;			/* [n] ascending */
	uint32		n;
} Cuts;

static int
compare_cuts(const void *a, const void *b, void *arg)
{
	return range_cmp_bounds(arg, a, b);
}

/* Sorts the cuts and removes repeated ones, so that each begins a piece of its own. */
static void
sort_cuts(Cuts *cuts)
{
	uint32		n = 0;

	qsort_arg(cuts->cut, cuts->n, sizeof(RangeBound), compare_cuts, cuts->range);
	for (uint32 i = 0; i < cuts->n; i++)
		if (n == 0 || compare_cuts(&cuts->cut[n - 1], &cuts->cut[i], cuts->range) != 0)
			cuts->cut[n++] = cuts->cut[i];
	cuts->n = n;
}

/*
 * The number of the piece of the line that begins at a bound: the number of
 * cuts up to it, the bound included.
 */
static Code
piece_behind(const Cuts *cuts, const RangeBound *bound)
{
	uint32		low = 0;
	uint32		high = cuts->n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (compare_cuts(&cuts->cut[middle], bound, cuts->range) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Spans of ranges: the line is cut at every end of a range, and the pieces are numbered. */
static void
span_ranges(CellSpans *line, const DeclaredColumn *column, const Cells *cells, const Coding *coding)
{
	uint32		ncells = cells_size(cells);
	RangeBound *lower = new_zeros(RangeBound, ncells);
	RangeBound *behind = new_zeros(RangeBound, ncells);
	Cuts		cuts = {.range = range_over(column->type), .cut = new_zeros(RangeBound, 2 * (Size) ncells)};

	for (Cell cell = 0; cell < ncells; cell++)
	{
		RangeBound	upper;
		bool		empty;

		if (!is_plain(cells, cell))
			continue;
		range_deserialize(cuts.range, DatumGetRangeTypeP(printed_value(cells, cell)), &lower[cell], &upper, &empty);
		line->is_sound[cell] = !empty;
		if (empty)
			continue;
		behind[cell] = bound_behind(upper);
		if (!lower[cell].infinite)
			cuts.cut[cuts.n++] = lower[cell];
		if (!upper.infinite)
			cuts.cut[cuts.n++] = behind[cell];
	}
	sort_cuts(&cuts);
	for (Cell cell = 0; cell < ncells; cell++)
		if (is_plain(cells, cell) && line->is_sound[cell])
			line->span[cell] = (Span) {
				lower[cell].infinite ? 0 : piece_behind(&cuts, &lower[cell]),
				behind[cell].infinite ? cuts.n : piece_behind(&cuts, &behind[cell]) - 1
			};
	Assert(coding == NULL || coding->step == NULL);
	for (Code code = 0; coding != NULL && code < domain_values(coding->domain); code++)
	{
		RangeBound	value = bound_of(column->type, coding->values[code], true);

		line->code[code] = value.infinite ? 0 : piece_behind(&cuts, &value);
	}
	end_line(line, cells, coding, cuts.n + 1);
	pfree(cuts.cut);
	pfree(behind);
	pfree(lower);
}

/* ----------------------------------------------------------------
 * Texts, and prefixes
 * ----------------------------------------------------------------
 */

/* A text, or a prefix, which stands for all texts that begin with it. */
typedef struct Entry
{
	const char *text;			/* without the "*" */
	Size		length;
	bool		is_prefix;
	Cell		cell;
	uint32		parent;			/* the longest prefix before it that covers it, or NO_ENTRY */
} Entry;

#define NO_ENTRY PG_UINT32_MAX

/* Compares texts by their bytes; a prefix stands before the texts that begin with it. */
static int
compare_entries(const void *a, const void *b)
{
	const Entry *x = a;
	const Entry *y = b;
	int			result = memcmp(x->text, y->text, Min(x->length, y->length));

	if (result != 0)
		return result;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (int) y->is_prefix - (int) x->is_prefix;
}

static bool
entry_covers(const Entry *entry, const Entry *other)
{
	return entry->is_prefix ?
		other->length >= entry->length && memcmp(other->text, entry->text, entry->length) == 0 :
		!other->is_prefix && compare_entries(entry, other) == 0;
}

static Entry
entry_of(const DeclaredColumn *column, const Cells *cells, Cell cell)
{
	char	   *words = TextDatumGetCString(printed_value(cells, cell));
	Size		length = strlen(words);
	bool		is_prefix = column->kind == KIND_PREFIX && length > 0 && words[length - 1] == '*';

	return (Entry) {.text = words, .length = length - is_prefix, .is_prefix = is_prefix, .cell = cell};
}

/* Walks up from an entry through its parents to the first that covers the given one, or NO_ENTRY. */
static uint32
find_cover(const Entry *entries, uint32 from, const Entry *other)
{
	while (from != NO_ENTRY && !entry_covers(&entries[from], other))
		from = entries[from].parent;
	return from;
}

/* The last entry that does not sort behind the given one, or NO_ENTRY. */
static uint32
last_before(const Entry *entries, uint32 n, const Entry *other)
{
	uint32		low = 0;
	uint32		high = n;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (compare_entries(&entries[middle], other) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NO_ENTRY : low - 1;
}

/*
 * Spans of texts and prefixes: entries are sorted, and a prefix covers those
 * right behind it, up to the last that begins with it.
 */
static void
span_texts(CellSpans *line, const DeclaredColumn *column, const Cells *cells, const Coding *coding)
{
	uint32		ncells = cells_size(cells);
	Entry	   *entries = new_zeros(Entry, ncells);
	uint32		n = 0;

	for (Cell cell = 0; cell < ncells; cell++)
		if (is_plain(cells, cell))
			entries[n++] = entry_of(column, cells, cell);
	qsort(entries, n, sizeof(Entry), compare_entries);
	for (uint32 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		entries[i].parent = i == 0 ? NO_ENTRY : find_cover(entries, i - 1, &entries[i]);
		line->is_sound[entries[i].cell] = true;
		line->span[entries[i].cell] = span_of(i);
		for (uint32 up = entries[i].parent; up != NO_ENTRY; up = entries[up].parent)
			line->span[entries[up].cell].hi = i;
	}
	for (Code code = 0; coding != NULL && code < domain_values(coding->domain); code++)
	{
		Entry		value = {.text = coding->texts[code], .length = strlen(coding->texts[code])};
		uint32		cover = find_cover(entries, last_before(entries, n, &value), &value);

		line->code[code] = cover == NO_ENTRY ? n : cover;	/* n: only the whole covers it */
	}
	end_line(line, cells, coding, n + 1);
	pfree(entries);
}

/* ----------------------------------------------------------------
 * Taxonomies
 * ----------------------------------------------------------------
 */

/* Spans of a taxonomy's nodes: the leaves below them. */
static void
span_nodes(CellSpans *line, const Cells *cells, const Coding *coding)
{
	uint32		ncells = cells_size(cells);
	Span		root = {0, 0};

	(void) cells_leaves(cells, cells_whole(cells), &root);
	for (Cell cell = 0; cell < ncells; cell++)
		if (is_plain(cells, cell))
			line->is_sound[cell] = cells_leaves(cells, cell, &line->span[cell]);
	for (Code code = 0; coding != NULL && code < domain_values(coding->domain); code++)
		line->code[code] = code;	/* leaves are coded as they stand in the tree */
	end_line(line, cells, coding, root.hi + 1);
}

CellSpans
cell_spans(const DeclaredColumn *column, const Cells *cells, const Coding *coding)
{
	CellSpans	line = {
		.span = new_zeros(Span, cells_size(cells)),
		.is_sound = new_zeros(bool, cells_size(cells)),
		.code = coding == NULL ? NULL : new_zeros(Code, coding->domain->size)
	};

	switch (column->kind)
	{
		case KIND_RANGE:
			span_ranges(&line, column, cells, coding);
			break;
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			span_texts(&line, column, cells, coding);
			break;
		case KIND_TAXONOMY:
			span_nodes(&line, cells, coding);
			break;
	}
	return line;
}
