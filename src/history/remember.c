/*
 * remember.c
 *		Writing a release into the log and into the fold.
 *
 * NOTES
 *		A class is part of one neighborhood, or of none, and becomes a neighborhood itself; the rest of the one that
 *		it was part of becomes another.  The log and the fold mostly store equal arrays for a class, which are then
 *		made once.
 *
 *		A mixed class becomes a neighborhood for each that its people come from, and one of newcomers.  Observers know
 *		that each of these has some of the values that the class showed, but not which; they are remembered with the
 *		values of their own people, which is stricter.
 */
#include "history/remember.h"

#include "frame/arrays.h"
#include "history/past.h"
#include "history/past_tables.h"
#include "history/path_blocks.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

struct Remembering
{
	Fold	   *fold;
	const LoadedFrame *loaded;
	int32		release;
	Oid			table;
	RowWriter  *neighborhoods;	/* or NULL if none are kept */
	PathWriter *paths;			/* likewise */
	RowWriter  *log;
	RowWriter  *counterfeits;	/* or NULL if their numbers are not public */
	uint64		newcomers;
	uint64	   *published;		/* [neighborhoods of the past] number of members published */
	bool	   *is_published;	/* [members of the past] */
	MemoryContext row;			/* of the class at hand */
	uint32	   *neighborhood;	/* [members of the past] or NULL until first needed */
};

/* A neighborhood in the making: its members, and the values that the release shows of them. */
typedef struct People
{
	uint32		parent;			/* or NO_NEIGHBORHOOD */
	uint64		most;			/* room in the arrays */
	uint64		size;
	Datum	   *keys;
	bool	   *is_invented;	/* has the member no key? NULL if all have one */
	int64	   *numbers;		/* of invented rows */
	uint8	   *absence;		/* an Absence each; NULL where nobody is away */
	uint64	   *member;			/* index in the past, if there is a parent */
	Code	   *shown;			/* values in the release at hand; NULL if it shows none */
	Members		past;			/* the parent's, read when first needed */
} People;

static void
note_written(void *directory, TupleTableSlot *slot)
{
	directory_add(directory, slot);
}

Remembering *
remember_begin(Fold *fold, const LoadedFrame *loaded, int32 release, PastTable part)
{
	Remembering *remembering = palloc0(sizeof(Remembering));
	const Past *past = &fold->past;
	uint64		nmembers = past->first[past->nneighborhoods];

	remembering->fold = fold;
	remembering->loaded = loaded;
	remembering->release = release;
	if (fold->keeps_neighborhoods)
	{
		remembering->table = past_table_ensure(fold->publication, NEIGHBORHOODS_TABLE);
		remembering->neighborhoods = writer_open(remembering->table, true);
	}
	if (fold->directory != NULL)
		writer_watch(remembering->neighborhoods, note_written, fold->directory);
	if (fold->paths != NULL)
		remembering->paths = path_writer_open(fold->paths, loaded, release);
	log_ensure(fold->publication);
	remembering->log = writer_open(past_table(fold->publication, part), false);
	if (tells_counterfeits(fold->publication))
		remembering->counterfeits = writer_open(counterfeits_ensure(fold->publication), false);
	remembering->row = AllocSetContextCreate(CurrentMemoryContext, "remembered class", ALLOCSET_DEFAULT_SIZES);
	remembering->published = new_zeros(uint64, past->nneighborhoods);
	remembering->is_published = new_zeros(bool, nmembers);
	return remembering;
}

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* Makes an empty group of people, with room for the most that it can have. */
static People *
people_create(uint32 parent, uint64 most, bool is_shown)
{
	People	   *people = palloc0(sizeof(People));

	people->parent = parent;
	people->most = most;
	people->keys = new_array(Datum, most);
	if (parent != NO_NEIGHBORHOOD)
		people->member = new_array(uint64, most);
	if (is_shown)
		people->shown = new_array(Code, most);
	return people;
}

/* Puts an invented row at the end; the caller advances the size. */
static void
add_invented(People *people, int64 number)
{
	if (people->is_invented == NULL)
	{
		people->is_invented = new_zeros(bool, people->most);
		people->numbers = new_zeros(int64, people->most);
	}
	people->is_invented[people->size] = true;
	people->keys[people->size] = (Datum) 0;
	people->numbers[people->size] = number;
}

static void
note_absence(People *people, uint64 i, Absence absence)
{
	if (absence == WAS_THERE)
		return;
	if (people->absence == NULL)
		people->absence = new_zeros(uint8, people->most);
	people->absence[i] = absence;
}

/* Adds a member of the parent: a person, who may be away, or an invented row. */
static void
add_member(const Remembering *remembering, People *people, uint64 member, Absence absence)
{
	const Fold *fold = remembering->fold;
	uint64		i = member - fold->past.first[people->parent];

	if (people->past.keys == NULL)
		fold_members(fold, people->parent, &people->past);
	if (people->past.is_invented[i])
		add_invented(people, people->past.numbers[i]);
	else
	{
		people->keys[people->size] = people->past.keys[i];
		note_absence(people, people->size, absence);
	}
	people->member[people->size++] = member;
}

/* ----------------------------------------------------------------
 * Arrays
 * ----------------------------------------------------------------
 */

static Datum
codes_as_array(const Remembering *remembering, const Code *codes, uint64 n)
{
	return coded_array(&remembering->fold->sensitive, remembering->loaded->sensitive.values, codes, n);
}

/* Makes an array of the numbers of invented rows, and of 0 or -1 for people who are away; absence may be NULL. */
static Datum
numbers_as_array(const People *people, const uint8 *absence)
{
	uint64		n = people->size;
	Datum	   *values = new_array(Datum, n);
	bool	   *nulls = new_array(bool, n);

	for (uint64 i = 0; i < n; i++)
	{
		bool		is_invented = people->is_invented != NULL && people->is_invented[i];
		bool		is_away = absence != NULL && absence[i] != WAS_THERE;

		nulls[i] = !is_invented && !is_away;
		values[i] = Int64GetDatum(is_invented ? people->numbers[i] : is_away ? 1 - absence[i] : 0);
	}
	return element_array(&element_int8, values, nulls, n);
}

/* Counts the members that have a key: people with a row, and people counted in. */
static uint64
people_in_class(const RememberedClass *class)
{
	return class->nrows + class->ncounted;
}

static Datum
keys_as_array(const Remembering *remembering, const People *people)
{
	return element_array(&remembering->fold->key, people->keys, people->is_invented, people->size);
}

/* The people as the rules of epochs see them. */
static Parted
parted_of(const People *people)
{
	return (Parted) {people->parent, people->size, people->member, people->shown, people->absence};
}

/* Makes the epochs of these members: those of the parent, and the release's own if it shows them. */
static Datum
epochs_of(const Remembering *remembering, const People *people)
{
	const Past *past = &remembering->fold->past;
	Parted		parted = parted_of(people);
	uint64		before = people->parent == NO_NEIGHBORHOOD ? 0 : past_epochs(past, people->parent);
	Code	   *values = new_array(Code, people->size * (before + 1));
	uint64		nepochs = parted_epochs(past, &parted, values);

	return codes_as_array(remembering, values, nepochs * people->size);
}

/* ----------------------------------------------------------------
 * Rows of the fold and of the log
 * ----------------------------------------------------------------
 */

/* Writes a row of the fold, under a new number. */
static void
write_neighborhood(Remembering *remembering, const People *people, Datum keys, Datum sensitive)
{
	Fold	   *fold = remembering->fold;
	Datum		values[FOLD_COLUMNS];
	bool		nulls[FOLD_COLUMNS] = {false};

	values[FOLD_NEIGHBORHOOD] = Int64GetDatum(++fold->last_number);
	values[FOLD_KEYS] = keys;
	values[FOLD_SENSITIVE] = sensitive;
	nulls[FOLD_INVENTED] = people->is_invented == NULL && people->absence == NULL;
	values[FOLD_INVENTED] = nulls[FOLD_INVENTED] ? (Datum) 0 : numbers_as_array(people, people->absence);
	writer_add(remembering->neighborhoods, values, nulls);
}

/* Logs a class, counterfeits behind the people; its arrays are passed, since the fold may have stored the same. */
static void
log_class(Remembering *remembering, const RememberedClass *class, const People *people, Datum keys, Datum shown)
{
	const Element *key = &remembering->fold->key;
	const LoadedFrame *loaded = remembering->loaded;
	uint64		npeople = people_in_class(class);
	Datum		values[LOG_COLUMNS] = {
		[LOG_RELEASE] = Int32GetDatum(remembering->release),[LOG_CLASS] = Int64GetDatum(class->number),
		[LOG_KEYS] = keys,[LOG_SENSITIVE] = shown
	};
	bool		nulls[LOG_COLUMNS] = {[LOG_STANDS_FOR] = true,[LOG_INVENTED] = people->is_invented == NULL};
	int32	   *fingerprints = new_array(int32, class->nrows);

	if (class->ninvented > 0)
	{
		bool	   *stands_for_none = new_array(bool, people->size);

		for (uint64 i = 0; i < people->size; i++)
		{
			stands_for_none[i] = i < npeople || (people->is_invented != NULL && people->is_invented[i]);
			nulls[LOG_STANDS_FOR] &= stands_for_none[i];
		}
		values[LOG_KEYS] = element_array(key, people->keys, NULL, npeople);
		if (!nulls[LOG_STANDS_FOR])
			values[LOG_STANDS_FOR] = element_array(key, people->keys, stands_for_none, people->size);
		if (!nulls[LOG_INVENTED])
			values[LOG_INVENTED] = numbers_as_array(people, NULL);
	}
	for (uint64 i = 0; i < class->nrows; i++)
		fingerprints[i] = loaded->is_unprinted != NULL && loaded->is_unprinted[class->rows[i]] ? 0 : (int32) loaded->fingerprint[class->rows[i]];
	values[LOG_FINGERPRINTS] = integer_array(fingerprints, class->nrows);
	writer_add(remembering->log, values, nulls);
}

/* Lists the members of a class, and marks those of the past as published. */
static People *
people_of_class(Remembering *remembering, const RememberedClass *class)
{
	uint64		n = people_in_class(class);
	People	   *people = people_create(class->parent, n + class->ninvented, true);
	const Past *past = &remembering->fold->past;
	const Frame *frame = &remembering->loaded->frame;
	bool		has_past = class->parent != NO_NEIGHBORHOOD;

	for (uint64 i = 0; i < n; i++)
	{
		RowId		row = class->rows[i];

		people->keys[i] = remembering->loaded->keys[row];
		people->shown[i] = frame->sensitive[row];
		if (has_past)
		{
			people->member[i] = past->member[row];
			remembering->is_published[people->member[i]] = true;
		}
		note_absence(people, i, past_absence_after(past, frame, has_past ? people->member[i] : NO_MEMBER, false));
	}
	people->size = n;
	for (uint64 i = 0; i < class->ninvented; i++)
	{
		people->shown[people->size] = class->invented[i];
		if (has_past)
		{
			remembering->is_published[class->stands_for[i]] = true;
			add_member(remembering, people, class->stands_for[i], past_absence_after(past, frame, class->stands_for[i], true));
		}
		else
		{
			add_invented(people, ++remembering->fold->last_invented);
			people->size++;
		}
	}
	return people;
}

/* Writes people of one neighborhood, or newcomers, as a neighborhood, unless they are one already. */
static void
remember_people(Remembering *remembering, const People *people, Datum keys, Datum shown)
{
	const Fold *fold = remembering->fold;
	const Past *past = &fold->past;
	Parted		parted = parted_of(people);

	if (parted_is_unchanged(past, &parted))
		return;
	/* The directory forgets a neighborhood before its members are written, so that they use its slots again. */
	if (people->parent != NO_NEIGHBORHOOD && fold->directory != NULL && remembering->published[people->parent] == 0)
		directory_forget(fold->directory, fold->neighborhoods[people->parent].index);
	write_neighborhood(remembering, people, keys,
					   parted_is_one_epoch(past, &parted) ? shown : epochs_of(remembering, people));
	if (people->parent != NO_NEIGHBORHOOD)
		remembering->published[people->parent] += people->size;
	else
		remembering->newcomers += people->size;
}

void
remember_class(Remembering *remembering, const RememberedClass *class)
{
	MemoryContext old;
	People	   *people;
	Datum		keys;
	Datum		shown;

	MemoryContextReset(remembering->row);
	old = MemoryContextSwitchTo(remembering->row);
	people = people_of_class(remembering, class);
	keys = keys_as_array(remembering, people);
	shown = codes_as_array(remembering, people->shown, people->size);
	if (remembering->neighborhoods != NULL)
		remember_people(remembering, people, keys, shown);
	if (remembering->paths != NULL)
		path_writer_add(remembering->paths, class->rows, people_in_class(class), class->invented, class->ninvented);
	if (remembering->counterfeits != NULL && class->ninvented > 0)
		writer_add(remembering->counterfeits,
				   (Datum[]) {Int32GetDatum(remembering->release), Int64GetDatum(class->number), Int64GetDatum(class->ninvented)},
				   (bool[]) {false, false, false});
	log_class(remembering, class, people, keys, shown);
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * Mixed classes
 * ----------------------------------------------------------------
 */

static uint32
neighborhood_of(const Remembering *remembering, RowId row)
{
	uint64		member = remembering->fold->past.member[row];

	return member == NO_MEMBER ? NO_NEIGHBORHOOD : remembering->neighborhood[member];
}

static int
compare_neighborhoods_of(const void *a, const void *b, void *arg)
{
	uint32		x = neighborhood_of(arg, *(const RowId *) a);
	uint32		y = neighborhood_of(arg, *(const RowId *) b);

	return (x > y) - (x < y);
}

/* Writes the people of a mixed class that come from one neighborhood; the log gets the class whole. */
static void
remember_part(Remembering *remembering, const RememberedClass *part)
{
	MemoryContext old;
	People	   *people;

	MemoryContextReset(remembering->row);
	old = MemoryContextSwitchTo(remembering->row);
	people = people_of_class(remembering, part);
	remember_people(remembering, people, keys_as_array(remembering, people),
					codes_as_array(remembering, people->shown, people->size));
	MemoryContextSwitchTo(old);
}

void
remember_mixed_class(Remembering *remembering, int64 number, RowId *rows, uint64 nrows)
{
	RememberedClass class = {.number = number, .parent = NO_NEIGHBORHOOD, .rows = rows, .nrows = nrows};
	const Past *past = &remembering->fold->past;
	MemoryContext old;
	People	   *all;

	if (remembering->neighborhood == NULL)
	{
		remembering->neighborhood = new_array(uint32, past->first[past->nneighborhoods]);
		for (uint32 n = 0; n < past->nneighborhoods; n++)
			for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
				remembering->neighborhood[i] = n;
	}
	qsort_arg(rows, nrows, sizeof(RowId), compare_neighborhoods_of, remembering);
	if (remembering->paths != NULL)
		path_writer_add(remembering->paths, rows, nrows, NULL, 0);
	for (uint64 from = 0, to; from < nrows && remembering->neighborhoods != NULL; from = to)
	{
		RememberedClass part = {.number = number, .parent = neighborhood_of(remembering, rows[from]), .rows = rows + from};

		for (to = from + 1; to < nrows && neighborhood_of(remembering, rows[to]) == part.parent;)
			to++;
		part.nrows = to - from;
		remember_part(remembering, &part);
	}
	MemoryContextReset(remembering->row);
	old = MemoryContextSwitchTo(remembering->row);
	all = people_of_class(remembering, &class);
	log_class(remembering, &class, all, keys_as_array(remembering, all), codes_as_array(remembering, all->shown, all->size));
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * The end
 * ----------------------------------------------------------------
 */

/* Writes the members of a parted neighborhood that are not in the release as a neighborhood. */
static void
write_rest(Remembering *remembering, uint32 n)
{
	const Past *past = &remembering->fold->past;
	uint64		rest = past_size(past, n) - remembering->published[n];
	MemoryContext old;
	People	   *people;

	if (rest == 0)
		return;
	MemoryContextReset(remembering->row);
	old = MemoryContextSwitchTo(remembering->row);
	people = people_create(n, rest, false);
	for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
		if (!remembering->is_published[i])
			add_member(remembering, people, i, past_absence(past, i));
	Assert(people->size == rest);
	write_neighborhood(remembering, people, keys_as_array(remembering, people),
					   epochs_of(remembering, people));
	MemoryContextSwitchTo(old);
}

uint64
remember_end(Remembering *remembering)
{
	const Fold *fold = remembering->fold;
	ItemPointerData *parted = new_array(ItemPointerData, fold->past.nneighborhoods);
	uint64		nparted = 0;

	progress_phase("replace neighborhoods", fold->past.nneighborhoods);
	for (uint32 n = 0; n < fold->past.nneighborhoods; n++)
	{
		CHECK_FOR_INTERRUPTS();
		if (remembering->published[n] > 0)
		{
			write_rest(remembering, n);
			parted[nparted++] = fold->neighborhoods[n].tid;
		}
		progress_step(1);
	}
	writer_close(remembering->log);
	if (remembering->neighborhoods != NULL)
	{
		writer_close(remembering->neighborhoods);
		delete_rows(remembering->table, parted, nparted);	/* others have replaced them */
	}
	if (remembering->counterfeits != NULL)
		writer_close(remembering->counterfeits);
	if (remembering->paths != NULL)
		remembering->newcomers = path_writer_close(remembering->paths);
	MemoryContextDelete(remembering->row);
	pfree(parted);
	if (fold->directory != NULL)
		directory_advance(fold->directory, remembering->release, remembering->newcomers);
	return remembering->newcomers;
}
