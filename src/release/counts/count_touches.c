/*
 * count_touches.c
 *		Which bins a cell touches, whether it lies in them, and with which share.
 *
 * NOTES
 *		Shares are those of people who are spread evenly over a cell: over its numbers, days or times, cut to what the
 *		release shows of the column; over its leaves; and over the finest cells that the release shows within it, since
 *		nobody knows which values begin alike.  Of a prefix or a star within which nothing finer is shown no share is
 *		known: it counts for none, unless it lies in the bin.
 *
 *		Bins of which nothing but NULL is known get no share of a cell that is withheld.
 */
#include "postgres.h"

#include "release/counts/counts.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/string_map.h"

static void
add_touch(Touches *touches, int bin, bool lies, double share)
{
	array_reserve(touches->touch, touches->room, touches->n + 1);
	touches->touch[touches->n++] = (Touch) {.bin = bin, .lies = lies, .share = share};
}

/* ----------------------------------------------------------------
 * Ranges
 * ----------------------------------------------------------------
 */

/* Compares a range, or leaves, with all bins. */
static void
touch_ranges(const CountColumn *column, uint32 cell, Touches *touches)
{
	for (int b = 0; b < column->nbins; b++)
	{
		RangeType  *bin = column->bins[b].range;
		bool		is_unknown;
		double		share;

		CHECK_FOR_INTERRUPTS();
		if (bin == NULL || !range_overlaps_internal(column->range, column->ranges[cell], bin))
			continue;
		share = range_share_in(column->range, column->ranges[cell], bin, column->whole, &is_unknown);
		add_touch(touches, b, range_lies_in(column->range, column->ranges[cell], bin), share);
	}
}

/* ----------------------------------------------------------------
 * Texts
 * ----------------------------------------------------------------
 */

/* Orders texts by their bytes, and a prefix before the value of the same characters. */
static int
compare_cells(const void *a, const void *b)
{
	const TextCell *one = a;
	const TextCell *other = b;
	int			order = memcmp(one->bytes, other->bytes, Min(one->n, other->n));

	if (order != 0)
		return order;
	if (one->n != other->n)
		return one->n < other->n ? -1 : 1;
	return (int) other->is_prefix - (int) one->is_prefix;
}

void
set_finest(CountColumn *column)
{
	uint32		n = dictionary_size(column->shown) - 1;
	TextCell   *sorted = new_array(TextCell, n);

	for (uint32 i = 0; i < n; i++)
		sorted[i] = text_cell(column->texts[i + 1], strlen(column->texts[i + 1]));
	qsort(sorted, n, sizeof(TextCell), compare_cells);
	column->finest = sorted;
	column->nfinest = 0;
	/* All that lies in a prefix follows it. */
	for (uint32 i = 0; i < n; i++)
		if (i + 1 == n || !text_lies_in(sorted[i + 1], sorted[i]))
			sorted[column->nfinest++] = sorted[i];
}

/* How many of the finest cells lie in one that is given: they are neighbours. */
static uint32
finest_in(const CountColumn *column, TextCell within)
{
	uint32		low = 0;
	uint32		high = column->nfinest;
	uint32		n = 0;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (compare_cells(&column->finest[middle], &within) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < column->nfinest && text_lies_in(column->finest[low++], within))
		n++;
	return n;
}

/* Compares a prefix, a star or a value with all bins. */
static void
touch_texts(const CountColumn *column, uint32 cell, Touches *touches)
{
	TextCell	text = text_cell(column->texts[cell], strlen(column->texts[cell]));
	uint32		finest = finest_in(column, text);

	for (int b = 0; b < column->nbins; b++)
	{
		TextCell	bin = column->bins[b].text;

		CHECK_FOR_INTERRUPTS();
		if (column->bins[b].label == NULL || !text_touches(text, bin))
			continue;
		if (text_lies_in(text, bin))
			add_touch(touches, b, true, 1);
		else
			add_touch(touches, b, false, (double) finest_in(column, bin) / finest);
	}
}

/* ----------------------------------------------------------------
 * Values, which are found by their hash: there may be as many as rows
 * ----------------------------------------------------------------
 */

typedef struct BinsByValue
{
	string_map_hash *first;		/* the first bin of a value */
	int		   *next;			/* [bins] the next one of the same value, or -1 */
} BinsByValue;

/* Goes through the bins from the end, so that those of a value are chained in their order. */
static BinsByValue
bins_by_value(const CountColumn *column)
{
	BinsByValue bins = {.first = string_map_create(CurrentMemoryContext, column->nbins + 1, NULL)};

	bins.next = new_array(int, column->nbins);
	for (int b = column->nbins - 1; b >= 0; b--)
	{
		bool		found;
		StringMapEntry *entry;

		if (column->bins[b].label == NULL)
			continue;
		entry = string_map_insert(bins.first, column->bins[b].label, &found);
		bins.next[b] = found ? (int) entry->number : -1;
		entry->number = b;
	}
	return bins;
}

static void
touch_values(const BinsByValue *bins, const char *value, Touches *touches)
{
	StringMapEntry *entry = string_map_lookup(bins->first, value);

	for (int b = entry == NULL ? -1 : (int) entry->number; b >= 0; b = bins->next[b])
		add_touch(touches, b, true, 1);
}

/* ----------------------------------------------------------------
 * All forms
 * ----------------------------------------------------------------
 */

/* The bin of NULL: NULL lies in it, and a withheld cell may. */
static void
touch_null(const CountColumn *column, uint32 cell, Touches *touches)
{
	for (int b = 0; b < column->nbins; b++)
		if (column->bins[b].label == NULL && (cell == DICTIONARY_NULL || column->is_withheld[cell]))
			add_touch(touches, b, cell == DICTIONARY_NULL, cell == DICTIONARY_NULL ? 1 : 0);
}

/* The bins of a cell that is not NULL: in none of them it lies for sure if it is withheld. */
static void
touch_bins(const CountColumn *column, uint32 cell, const BinsByValue *bins, Touches *touches)
{
	uint64		first = touches->n;

	if (cell == DICTIONARY_NULL)
		return;
	if (column->form == COUNT_VALUES)
		touch_values(bins, column->texts[cell], touches);
	else if (column->form == COUNT_TEXTS)
		touch_texts(column, cell, touches);
	else
		touch_ranges(column, cell, touches);
	for (uint64 i = first; column->is_withheld[cell] && i < touches->n; i++)
		touches->touch[i].lies = false;
}

Touches *
touches_of(const CountColumn *column)
{
	uint32		n = dictionary_size(column->shown);
	Touches    *touches = palloc0(sizeof(Touches));
	BinsByValue bins = {NULL, NULL};

	if (column->form == COUNT_VALUES)
		bins = bins_by_value(column);
	touches->first = new_array(uint64, n);
	for (uint32 cell = 0; cell < n; cell++)
	{
		CHECK_FOR_INTERRUPTS();
		touches->first[cell] = touches->n;
		touch_bins(column, cell, &bins, touches);
		touch_null(column, cell, touches);
	}
	touches->first[n] = touches->n;
	return touches;
}
