/*
 * changed_rows.c
 *		Rows of people that came together, and went together, as sets of their own.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/changed_rows.h"
#include "utils/memutils.h"

/* A row of a person, as long as it is shown. */
typedef struct ShownRow
{
	uint64		row;			/* one of the aspects that says the same */
	uint64		person;
	uint64		came;			/* epochs */
	uint64		gone;			/* the first without it, or as many as there are */
} ShownRow;

typedef struct ShownRows
{
	const Aspects *aspects;
	uint64		n;
	uint64		room;
	ShownRow   *row;
	bool		have_changed;
} ShownRows;

static bool
are_equal_rows(const Aspects *aspects, uint64 a, uint64 b)
{
	bool		equal = true;

	for (int i = 0; i < aspects->n; i++)
		equal &= aspects->aspect[i].code[a] == aspects->aspect[i].code[b];
	return equal;
}

/* Is there an equal row among those that were not met yet?  It is met then. */
static bool
meets_row(const Aspects *aspects, uint64 row, uint64 begin, uint64 end, bool *is_met)
{
	for (uint64 other = begin; other < end; other++)
		if (!is_met[other - begin] && are_equal_rows(aspects, row, other))
			return is_met[other - begin] = true;
	return false;
}

uint64
count_other_rows(const Aspects *aspects, Code a, Code b)
{
	uint64		begin = rows_begin(aspects->first, b);
	uint64		end = rows_end(aspects->first, b);
	uint64		others = end - begin;
	bool	   *is_met = new_zeros(bool, others);

	for (uint64 row = rows_begin(aspects->first, a); row < rows_end(aspects->first, a); row++)
		others += meets_row(aspects, row, begin, end, is_met) ? -1 : 1;
	pfree(is_met);
	return others;
}

/* Adds the rows of a person; of equal ones those that came first stay. */
static void
follow_person(ShownRows *rows, const Code *const *epoch, uint64 nepochs, uint64 person)
{
	const uint64 *first = rows->aspects->first;
	uint64		first_shown = rows->n;

	for (uint64 e = 0; e < nepochs; e++)
	{
		uint64		begin = rows_begin(first, epoch[e][person]);
		uint64		end = rows_end(first, epoch[e][person]);
		bool	   *is_met;

		if (e > 0 && epoch[e][person] == epoch[e - 1][person])
			continue;
		CHECK_FOR_INTERRUPTS();
		rows->have_changed |= e > 0;
		is_met = new_zeros(bool, end - begin);
		for (ShownRow *shown = rows->row + first_shown; shown < rows->row + rows->n; shown++)
			if (shown->gone == nepochs && !meets_row(rows->aspects, shown->row, begin, end, is_met))
				shown->gone = e;
		array_reserve(rows->row, rows->room, rows->n + end - begin);
		for (uint64 row = begin; row < end; row++)
			if (!is_met[row - begin])
				rows->row[rows->n++] = (ShownRow) {row, person, e, nepochs};
		pfree(is_met);
	}
}

/* Sets one after the other, and their people. */
DEFINE_ORDER(compare_shown, ShownRow, ASCENDING(came) ASCENDING(gone) ASCENDING(person) ASCENDING(row));

/* ----------------------------------------------------------------
 * Sets of people
 * ----------------------------------------------------------------
 */

/* Is each set allowed, whose people are values of their own with its rows? */
static bool
sets_are_allowed(const Principle *principle, ShownRows *rows)
{
	const Aspects *of = rows->aspects;
	uint64	   *first = new_zeros(uint64, rows->n);
	Aspect	   *aspect = new_array(Aspect, of->n);
	Aspects		alone = {.n = of->n, .aspect = aspect, .first = first};
	Code		nvalues = 0;
	Tally	   *tally = tally_create(rows->n);
	Principle	bound;
	bool		allowed = true;

	qsort(rows->row, rows->n, sizeof(ShownRow), compare_shown);
	for (int a = 0; a < of->n; a++)
	{
		Code	   *code = new_array(Code, rows->n);

		for (uint64 i = 0; i < rows->n; i++)
			code[i] = of->aspect[a].code[rows->row[i].row];
		aspect[a] = of->aspect[a];
		aspect[a].code = code;
	}
	for (uint64 i = 0; i < rows->n; i++)
	{
		const ShownRow *row = &rows->row[i];

		if (i == 0 || row->person != row[-1].person || row->gone != row[-1].gone || row->came != row[-1].came)
			nvalues++;
		first[nvalues] = i + 1;
	}
	bound = principle_bound(principle, nvalues, &alone);
	for (Code value = 0; value < nvalues && allowed; value++)
	{
		const ShownRow *row = &rows->row[first[value]];

		tally_add(tally, value);
		if (value + 1 < nvalues && row->came == rows->row[first[value + 1]].came && row->gone == rows->row[first[value + 1]].gone)
			continue;
		allowed = principle_allows(&bound, tally);
		tally_clear(tally);
	}
	return allowed;
}

/* Is a person known to have got rows?  Of a sample that changes nobody knows which rows came, but whose they are. */
static bool
has_more(const Aspects *aspects, Code before, Code after)
{
	uint64		rows = rows_end(aspects->first, before) - rows_begin(aspects->first, before);
	uint64		rows_now = rows_end(aspects->first, after) - rows_begin(aspects->first, after);

	return rows_now > rows || (before != after && Max(rows, rows_now) >= aspects->most);
}

/* Are the rows that came to people allowed, where their number tells that some did?  Others may have lost as many. */
static bool
known_rows_are_allowed(const Principle *principle, const Aspects *aspects, const Code *before, const Code *after, uint64 n)
{
	ShownRows	rows = {.aspects = aspects};
	uint64		came = 0;

	for (uint64 person = 0; person < n; person++)
		if (has_more(aspects, before[person], after[person]))
			follow_person(&rows, (const Code *const[]) {before, after}, 2, person);
	for (uint64 i = 0; i < rows.n; i++)
		if (rows.row[i].came == 1)
			rows.row[came++] = rows.row[i];
	rows.n = came;
	return came == 0 || sets_are_allowed(principle, &rows);
}

bool
changes_are_allowed(const Principle *principle, const Aspects *aspects, const Code *const *epoch, uint64 nepochs, uint64 n)
{
	ShownRows	rows = {.aspects = aspects};
	MemoryContext work;
	MemoryContext old;
	bool		allowed;

	if (!has_row_values(aspects) || nepochs < 2)
		return true;
	work = AllocSetContextCreate(CurrentMemoryContext, "changed rows", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(work);
	for (uint64 person = 0; person < n; person++)
		follow_person(&rows, epoch, nepochs, person);
	allowed = !rows.have_changed || (principle != NULL && !principle_compares(principle) && sets_are_allowed(principle, &rows));
	/* Rows that went are those that came, looked at backward. */
	for (uint64 e = 1; e < nepochs && rows.have_changed && allowed; e++)
		allowed = known_rows_are_allowed(principle, aspects, epoch[e - 1], epoch[e], n) &&
			known_rows_are_allowed(principle, aspects, epoch[e], epoch[e - 1], n);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return allowed;
}

bool
changes_of_places_are_allowed(const Principle *principle, const Aspects *aspects, const Places *places, uint32 group,
							  const uint64 *place, uint64 n, const Code *today)
{
	uint64		nepochs = group_epochs(places, group);
	const Code **epoch;
	bool		allowed;

	if (!has_row_values(aspects) || nepochs + (today != NULL) < 2)
		return true;
	epoch = new_array(const Code *, nepochs + 1);
	for (uint64 e = 0; e < nepochs; e++)
	{
		Code	   *value = new_array(Code, n);

		for (uint64 i = 0; i < n; i++)
			value[i] = group_values(places, group, e)[place[i] - places->first[group]];
		epoch[e] = value;
	}
	epoch[nepochs] = today;
	allowed = changes_are_allowed(principle, aspects, epoch, nepochs + (today != NULL), n);
	for (uint64 e = 0; e < nepochs; e++)
		pfree(unconstify(Code *, epoch[e]));
	pfree(epoch);
	return allowed;
}
