/*
 * identify.c
 *		Giving the rows of a class to its members.
 *
 * NOTES
 *		A release whose rows are not those of the log, class by class and value by value, is not what was published.
 */
#include "report/linkability/linkability.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* A row, or a member of the log, among those of its class */
typedef struct ClassEntry
{
	Code		value;			/* 0 where it is not shown */
	bool		is_invented;	/* members only */
	uint64		print;			/* of insensitive values */
	uint64		at;
} ClassEntry;

typedef struct Identifying
{
	const Reading *reading;
	const Source *source;
	ReadRelease *release;
	bool		prints;			/* insensitive values are compared */
	uint64	   *first_row;		/* [nclasses + 1] by number, from 1 on */
	uint32	   *row;			/* [nrows] class by class */
	uint32	   *next;			/* [nrows] the next member with the same value, where there is one */
	uint32	   *head;			/* [nvalues] the first member of the class at hand with a value; or NO_MEMBER */

	/* Where insensitive values are compared */
	ClassEntry *rows;
	ClassEntry *members;
	uint64		room;
	bool		is_guess;
} Identifying;

#define NO_MEMBER PG_UINT32_MAX

/* ---- Rows by class ---- */

/* Lists the rows of a release class by class. */
static void
list_by_class(Identifying *identifying)
{
	ReadRelease *release = identifying->release;
	uint32		nclasses = release->seen->nclasses;
	uint64	   *filled = new_zeros(uint64, nclasses + 1);

	identifying->first_row = new_zeros(uint64, (Size) nclasses + 1);
	identifying->row = new_zeros(uint32, release->nrows);
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

/* ---- A class ---- */

/* The value by which rows and members are told apart; 0 where the release does not show it. */
static inline Code
value_of_row(const Identifying *identifying, uint64 row)
{
	return identifying->release->value == NULL ? 0 : identifying->release->value[row];
}

static inline Code
value_of_member(const Identifying *identifying, uint64 at)
{
	Code		value = identifying->release->seen->value[at];

	if (identifying->release->value == NULL)
		return 0;
	return value == NO_CODE ? identifying->reading->null_value : value;
}

static inline void
give(const Identifying *identifying, uint64 row, uint64 at)
{
	const SeenRelease *seen = identifying->release->seen;

	identifying->release->individual[row] = seen->counterfeit[at] ? NO_INDIVIDUAL : seen->individual[at];
}

/* Each row goes to the next member who had its value. */
static void
give_by_value(Identifying *identifying, uint32 class)
{
	const SeenRelease *seen = identifying->release->seen;
	const uint32 *row = &identifying->row[identifying->first_row[seen->number[class] - 1]];
	uint64		first = seen->first[class];
	uint64		n = seen_size(seen, class);

	for (uint64 i = 0; i < n; i++)
	{
		Code		value = value_of_member(identifying, first + i);

		identifying->next[i] = identifying->head[value];
		identifying->head[value] = i;
	}
	for (uint64 i = 0; i < n; i++)
	{
		Code		value = value_of_row(identifying, row[i]);
		uint32		member = identifying->head[value];

		if (member == NO_MEMBER)
			refuse_release(identifying->reading, identifying->release);
		identifying->head[value] = identifying->next[member];
		give(identifying, row[i], first + member);
	}
}

/* Orders rows and members by value, true ones before invented ones, then by fingerprint. */
static int
compare_entries(const void *a, const void *b)
{
	const ClassEntry *x = a;
	const ClassEntry *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->is_invented != y->is_invented)
		return x->is_invented ? 1 : -1;
	if (x->print != y->print)
		return x->print < y->print ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/*
 * Gives n rows of one value to n members of it: first the rows that have a member's insensitive values, then the rest
 * as it comes. Rows and members that are given are marked by where they stand.
 */
static void
give_by_print(Identifying *identifying, ClassEntry *rows, ClassEntry *members, uint64 n)
{
	uint64		left_rows = 0;
	uint64		left_members = 0;
	uint64		i = 0;
	uint64		j = 0;

	while (i < n || j < n)
	{
		bool		is_true = j < n && !members[j].is_invented;

		if (i < n && is_true && rows[i].print == members[j].print)
			give(identifying, rows[i++].at, members[j++].at);
		else if (i < n && (!is_true || rows[i].print < members[j].print))
			rows[left_rows++] = rows[i++];
		else
			members[left_members++] = members[j++];
	}
	for (i = 0; i < left_rows; i++)
		give(identifying, rows[i].at, members[i].at);
	identifying->is_guess = true;
}

/* Gives rows to members value by value; an error if a class has not the values of the log. */
static void
give_by_value_and_print(Identifying *identifying, uint32 class, uint64 n)
{
	const SeenRelease *seen = identifying->release->seen;

	if (n > identifying->room)
	{
		identifying->room = array_room(identifying->room, n);
		array_resize(identifying->rows, identifying->room);
		array_resize(identifying->members, identifying->room);
	}
	for (uint64 i = 0; i < n; i++)
	{
		uint32		row = identifying->row[identifying->first_row[seen->number[class] - 1] + i];
		uint64		at = seen->first[class] + i;

		identifying->rows[i] = (ClassEntry) {
			.value = value_of_row(identifying, row),
			.print = insensitive_print(identifying->reading, identifying->release, row),
			.at = row
		};
		identifying->members[i] = (ClassEntry) {
			.value = value_of_member(identifying, at),
			.is_invented = seen->counterfeit[at],
			.print = identifying->source->insensitive_print[seen->individual[at]],
			.at = at
		};
	}
	qsort(identifying->rows, n, sizeof(ClassEntry), compare_entries);
	qsort(identifying->members, n, sizeof(ClassEntry), compare_entries);
	for (uint64 i = 0, end; i < n; i = end)
	{
		Code		value = identifying->members[i].value;

		for (end = i; end < n && identifying->members[end].value == value; end++)
			if (identifying->rows[end].value != value)
				refuse_release(identifying->reading, identifying->release);
		give_by_print(identifying, &identifying->rows[i], &identifying->members[i], end - i);
	}
}

/* Gives the rows of a class to its members; an error if these are not as many. */
static void
identify_class(Identifying *identifying, uint32 class)
{
	const SeenRelease *seen = identifying->release->seen;
	int64		number = seen->number[class];
	uint64		n = seen_size(seen, class);

	if (number < 1 || number > seen->nclasses ||
		identifying->first_row[number] - identifying->first_row[number - 1] != n)
		refuse_release(identifying->reading, identifying->release);
	if (identifying->prints)
		give_by_value_and_print(identifying, class, n);
	else
		give_by_value(identifying, class);
}

/* ---- A release ---- */

#define move_number(numbers, to, from) \
	do { \
		if ((numbers) != NULL) \
			(numbers)[to] = (numbers)[from]; \
	} while (0)

/* Leaves out the rows of no person. */
static void
leave_out_invented(const Reading *reading, ReadRelease *release)
{
	uint64		n = 0;

	for (uint64 i = 0; i < release->nrows; i++)
	{
		if (release->individual[i] == NO_INDIVIDUAL)
			continue;
		for (int q = 0; q < reading->nqis; q++)
			move_number(release->cell[q], n, i);
		for (int c = 0; c < reading->ninsensitive; c++)
			move_number(release->insensitive[c], n, i);
		move_number(release->value, n, i);
		release->individual[n++] = release->individual[i];
	}
	release->nrows = n;
}

/* Identifies the rows of a release; returns whether that is a guess. */
static bool
identify_release(const Reading *reading, const Source *source, ReadRelease *release)
{
	Identifying identifying = {
		.reading = reading, .source = source, .release = release, .room = 64
	};

	for (int i = 0; i < reading->ninsensitive; i++)
		identifying.prints |= release->insensitive[i] != NULL && reading->is_compared[i];
	identifying.next = new_zeros(uint32, release->nrows);
	identifying.head = new_zeros(uint32, reading->nvalues);
	memset(identifying.head, 0xff, sizeof(uint32) * reading->nvalues);	/* NO_MEMBER */
	identifying.rows = new_array(ClassEntry, identifying.room);
	identifying.members = new_array(ClassEntry, identifying.room);
	release->individual = new_zeros(Individual, release->nrows);
	list_by_class(&identifying);
	if (release->seen->first[release->seen->nclasses] != release->nrows)
		refuse_release(reading, release);
	for (uint32 c = 0; c < release->seen->nclasses; c++)
	{
		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		identify_class(&identifying, c);
		progress_step(1);
	}
	leave_out_invented(reading, release);
	pfree(identifying.first_row);
	pfree(identifying.row);
	pfree(identifying.next);
	pfree(identifying.head);
	pfree(identifying.rows);
	pfree(identifying.members);
	return identifying.is_guess;
}

bool
identify_rows(Reading *reading, const Source *source)
{
	bool		is_guess = false;
	uint64		classes = 0;

	for (int32 r = 0; r < reading->nreleases; r++)
		if (reading->release[r].class != NULL)
			classes += reading->release[r].seen->nclasses;
	progress_phase("identify rows", classes);
	for (int32 r = 0; r < reading->nreleases; r++)
	{
		ReadRelease *release = &reading->release[r];

		if (release->class == NULL)
			continue;			/* of no person, or known from the log */
		is_guess |= identify_release(reading, source, release);
		pfree(release->class);
		release->class = NULL;
	}
	return is_guess;
}
