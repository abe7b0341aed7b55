/*
 * identify.c
 *		Giving the rows of a class to its members.
 *
 * NOTES
 *		A release whose rows are not those of the log, class by class and value by
 *		value, is not what was published.
 */
#include "serve/linkability/identify.h"

#include "miscadmin.h"
#include "utils/memutils.h"

/* A row, or a member of the log, among those of its class */
typedef struct Place
{
	Code		value;			/* 0 where it is not shown */
	bool		is_invented;	/* members only */
	uint64		print;			/* of insensitive values */
	uint64		at;
} Place;

typedef struct Identifying
{
	const Reading *reading;
	const Source *source;
	ReadRelease *release;
	bool		prints;			/* insensitive values are compared */
	uint64	   *first_row;		/* [nclasses + 1] by number, from 1 on */
	uint32	   *row;			/* [nrows] class by class */
	Place	   *rows;
	Place	   *members;
	uint64		room;
	bool		is_guess;
} Identifying;

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* ----------------------------------------------------------------
 * Rows by class
 * ----------------------------------------------------------------
 */

static void
list_by_class(Identifying *identifying)
{
	ReadRelease *release = identifying->release;
	uint32		nclasses = release->seen->nclasses;
	uint64	   *filled = allocate(sizeof(uint64), nclasses + 1);

	identifying->first_row = allocate(sizeof(uint64), (Size) nclasses + 1);
	identifying->row = allocate(sizeof(uint32), release->nrows);
	for (uint64 i = 0; i < release->nrows; i++)
	{
		if (release->class[i] > nclasses)
			refuse_release(identifying->reading, release);
		identifying->first_row[release->class[i]]++;	/* those of the class before it, in the end */
	}
	for (uint32 c = 1; c <= nclasses; c++)
		identifying->first_row[c] += identifying->first_row[c - 1];
	for (uint64 i = 0; i < release->nrows; i++)
	{
		uint32		c = release->class[i];

		identifying->row[identifying->first_row[c - 1] + filled[c]++] = i;
	}
	pfree(filled);
}

/* ----------------------------------------------------------------
 * A class
 * ----------------------------------------------------------------
 */

static int
compare_places(const void *a, const void *b)
{
	const Place *x = a;
	const Place *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->is_invented != y->is_invented)
		return x->is_invented ? 1 : -1;
	if (x->print != y->print)
		return x->print < y->print ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
make_room(Identifying *identifying, uint64 n)
{
	if (n <= identifying->room)
		return;
	identifying->room = Max(n, identifying->room * 2);
	identifying->rows = repalloc_huge(identifying->rows, sizeof(Place) * identifying->room);
	identifying->members = repalloc_huge(identifying->members, sizeof(Place) * identifying->room);
}

static void
place_rows(Identifying *identifying, uint32 number, uint64 n)
{
	const ReadRelease *release = identifying->release;

	for (uint64 i = 0; i < n; i++)
	{
		uint32		row = identifying->row[identifying->first_row[number - 1] + i];

		identifying->rows[i] = (Place) {
			.value = release->value == NULL ? 0 : release->value[row],
			.print = identifying->prints ? insensitive_print(identifying->reading, release, row) : 0,
			.at = row
		};
	}
	qsort(identifying->rows, n, sizeof(Place), compare_places);
}

static void
place_members(Identifying *identifying, uint32 class, uint64 n)
{
	const ReadRelease *release = identifying->release;
	const SeenRelease *seen = release->seen;

	for (uint64 i = 0; i < n; i++)
	{
		uint64		at = seen->first[class] + i;
		Code		value = seen->value[at] == NO_CODE ? identifying->reading->null_value : seen->value[at];

		identifying->members[i] = (Place) {
			.value = release->value == NULL ? 0 : value,
			.is_invented = seen->counterfeit[at],
			.print = identifying->prints ? identifying->source->insensitive_print[seen->thread[at]] : 0,
			.at = at
		};
	}
	qsort(identifying->members, n, sizeof(Place), compare_places);
}

static inline void
give(const Identifying *identifying, const Place *row, const Place *member)
{
	const ReadRelease *release = identifying->release;

	release->thread[row->at] = member->is_invented ? NO_THREAD : release->seen->thread[member->at];
}

/*
 * Rows and members of one value, n of each: first whoever's insensitive values stand there, then the
 * rest as it comes.  Rows and members that are given are marked by their place.
 */
static void
give_by_print(Identifying *identifying, Place *rows, Place *members, uint64 n)
{
	uint64		left_rows = 0;
	uint64		left_members = 0;
	uint64		i = 0;
	uint64		j = 0;

	while (i < n || j < n)
	{
		bool		is_true = j < n && !members[j].is_invented;

		if (i < n && is_true && rows[i].print == members[j].print)
			give(identifying, &rows[i++], &members[j++]);
		else if (i < n && (!is_true || rows[i].print < members[j].print))
			rows[left_rows++] = rows[i++];
		else
			members[left_members++] = members[j++];
	}
	for (i = 0; i < left_rows; i++)
		give(identifying, &rows[i], &members[i]);
	identifying->is_guess = true;
}

static void
identify_class(Identifying *identifying, uint32 class)
{
	const SeenRelease *seen = identifying->release->seen;
	int64		number = seen->number[class];
	uint64		n = seen_size(seen, class);

	if (number < 1 || number > seen->nclasses ||
		identifying->first_row[number] - identifying->first_row[number - 1] != n)
		refuse_release(identifying->reading, identifying->release);
	make_room(identifying, n);
	place_rows(identifying, number, n);
	place_members(identifying, class, n);
	for (uint64 i = 0, end; i < n; i = end)
	{
		Code		value = identifying->members[i].value;

		for (end = i; end < n && identifying->members[end].value == value; end++)
			if (identifying->rows[end].value != value)
				refuse_release(identifying->reading, identifying->release);
		if (identifying->prints)
			give_by_print(identifying, &identifying->rows[i], &identifying->members[i], end - i);
		else
			for (uint64 j = i; j < end; j++)
				give(identifying, &identifying->rows[j], &identifying->members[j]);
	}
}

/* ----------------------------------------------------------------
 * A release
 * ----------------------------------------------------------------
 */

static inline void
move_number(uint32 *numbers, uint64 to, uint64 from)
{
	if (numbers != NULL)
		numbers[to] = numbers[from];
}

/* Leaves out the rows that are nobody's. */
static void
leave_out_invented(const Reading *reading, ReadRelease *release)
{
	uint64		n = 0;

	for (uint64 i = 0; i < release->nrows; i++)
	{
		if (release->thread[i] == NO_THREAD)
			continue;
		for (int q = 0; q < reading->nqis; q++)
			move_number(release->cell[q], n, i);
		for (int c = 0; c < reading->ninsensitive; c++)
			move_number(release->insensitive[c], n, i);
		move_number(release->value, n, i);
		release->thread[n++] = release->thread[i];
	}
	release->nrows = n;
}

static bool
are_prints_compared(const Reading *reading, const ReadRelease *release)
{
	for (int i = 0; i < reading->ninsensitive; i++)
		if (release->insensitive[i] != NULL && reading->is_compared[i])
			return true;
	return false;
}

static bool
identify_release(const Reading *reading, const Source *source, ReadRelease *release)
{
	Identifying identifying = {
		.reading = reading,.source = source,.release = release,
		.prints = are_prints_compared(reading, release),.room = 64
	};

	identifying.rows = palloc(sizeof(Place) * identifying.room);
	identifying.members = palloc(sizeof(Place) * identifying.room);
	release->thread = allocate(sizeof(Thread), release->nrows);
	list_by_class(&identifying);
	if (release->seen->first[release->seen->nclasses] != release->nrows)
		refuse_release(reading, release);
	for (uint32 c = 0; c < release->seen->nclasses; c++)
	{
		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		identify_class(&identifying, c);
	}
	leave_out_invented(reading, release);
	pfree(identifying.first_row);
	pfree(identifying.row);
	pfree(identifying.rows);
	pfree(identifying.members);
	return identifying.is_guess;
}

/* Where rows have no class, the log tells who is there, and as many. */
static void
verify_members(const Reading *reading, const ReadRelease *release)
{
	const SeenRelease *seen = release->seen;
	uint64		n = 0;

	for (uint64 i = 0; i < seen->first[seen->nclasses]; i++)
		n += !seen->counterfeit[i];
	if (n != release->nrows)
		refuse_release(reading, release);
}

bool
identify_rows(Reading *reading, const Source *source)
{
	bool		is_guess = false;

	for (int32 r = 0; r < reading->nreleases; r++)
	{
		ReadRelease *release = &reading->release[r];

		if (release->is_logged && release->class != NULL)
			is_guess |= identify_release(reading, source, release);
		else if (release->is_logged && !release->released->is_answer)
			verify_members(reading, release);
		if (release->class != NULL)
			pfree(release->class);
		release->class = NULL;
	}
	return is_guess;
}
