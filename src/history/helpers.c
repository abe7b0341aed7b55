/*
 * helpers.c
 *		Looking for members of neighborhoods in the source, by their keys.
 */
#include "history/helpers.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

Past
peek_at_past(const Fold *fold, const Code *code)
{
	Past		past = fold->past;
	uint64		n = past.first_value[past.nneighborhoods];

	past.value = new_array(Code, n);
	for (uint64 i = 0; i < n; i++)
		past.value[i] = code[fold->past.value[i]];
	return past;
}

/* People whose rows are not here, or not there any more. */
typedef struct Absent
{
	uint64		n;
	uint64		allocated;
	Datum	   *keys;
	uint64	   *member;
	Spot	   *spots;			/* as the fold knows them */
} Absent;

static void
add_absent(Absent *absent, Datum key, uint64 member, Spot spot)
{
	if (absent->n == absent->allocated)
	{
		absent->allocated *= 2;
		absent->keys = repalloc_huge(absent->keys, sizeof(Datum) * absent->allocated);
		absent->member = repalloc_huge(absent->member, sizeof(uint64) * absent->allocated);
		absent->spots = repalloc_huge(absent->spots, sizeof(Spot) * absent->allocated);
	}
	absent->spots[absent->n] = spot;
	absent->keys[absent->n] = key;
	absent->member[absent->n++] = member;
}

static void
add_members(Absent *absent, const Fold *fold, uint32 neighborhood)
{
	uint64		first = fold->past.first[neighborhood];
	Members		members;

	fold_members(fold, neighborhood, &members);
	for (int i = 0; i < members.n; i++)
		if (!members.is_invented[i] && fold->past.row[first + i] == NO_ROW)
			add_absent(absent, members.keys[i], first + i, neighborhood_spot(&fold->neighborhoods[neighborhood], i));
}

/* What a directory says was seen later than what the fold says. */
static const Spot *
guess_spots(const Fold *fold, const Absent *absent)
{
	Spot	   *spots;

	if (fold->directory == NULL)
		return absent->spots;
	spots = directory_spots(fold->directory, absent->keys, absent->n);
	for (uint64 i = 0; i < absent->n; i++)
		if (spots[i] == NO_SPOT)
			spots[i] = absent->spots[i];
	return spots;
}

/* From where they stood, as far as that is known. */
static void
fetch_absent(const Fold *fold, FrameLoad *load, const Absent *absent)
{
	HeapPages  *pages = fold->directory == NULL ? NULL : directory_source_pages(fold->directory);
	const PlainSource *source = plain_source(fold->publication, pages);
	const Spot *spots = source == NULL ? NULL : guess_spots(fold, absent);
	uint64		strayed = load_helpers(load, source, spots, absent->keys, absent->n);

	if (source != NULL && fold->directory != NULL)
		survey_note_strayed(directory_survey(fold->directory), source, strayed, fold->publication->remembered);
}

void
fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "helpers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Absent		absent = {.allocated = 1024};

	absent.keys = palloc(sizeof(Datum) * absent.allocated);
	absent.member = palloc(sizeof(uint64) * absent.allocated);
	absent.spots = palloc(sizeof(Spot) * absent.allocated);
	for (uint32 n = 0; n < fold->past.nneighborhoods; n++)
	{
		CHECK_FOR_INTERRUPTS();
		if (wanted[n])
			add_members(&absent, fold, n);
	}
	if (absent.n > 0)
		fetch_absent(fold, load, &absent);
	for (uint64 i = 0; i < absent.n; i++)
		fold->past.row[absent.member[i]] = keys_find(load_keys(load), absent.keys[i]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}
