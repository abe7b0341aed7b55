/*
 * paths_check.c
 *		Comparing the table of paths with the log, class by class.
 *
 * NOTES
 *		A class of the table is looked up in the log by its first row: the two are
 *		the same if they are of one size, and each row of one is the other's, with
 *		the same value, and with what all its classes have told by then.
 */
#include "check/paths_check.h"

#include "frame/arrays.h"
#include "history/fold.h"
#include "history/path_blocks.h"
#include "history/protected.h"
#include "history/told.h"
#include "miscadmin.h"

#define NO_PLACE_IN_RELEASE PG_UINT64_MAX

typedef struct Comparing
{
	const DeclaredPublication *publication;
	Recalled   *recalled;
	Element		key;
	Element		sensitive;
	Followed	followed;

	/* People as the table numbers them */
	uint64		npeople;
	Thread	   *person;			/* [people of the log, and one more] */

	/* The release at hand */
	int32		release;		/* from 0 on, or -1 */
	uint64	   *place;			/* [threads] rows of it, or NO_PLACE_IN_RELEASE */
	uint32	   *class;			/* [rows] */
	bool	   *taken;			/* [classes] */

	/* What was told up to it, if the table says so */
	const bool *is_protected;	/* [values] or NULL for all */
	uint32	   *count;			/* [values] in the class at hand, 0 between uses */
	int32	   *told;			/* [threads] of people; NULL where nobody asks */
} Comparing;

static void
note_wrong(Comparing *comparing, int32 release)
{
	if (comparing->followed.wrong++ == 0)
		comparing->followed.first_wrong = release;
}

/* What a class of the log tells of its members. */
static int32
told_by(Comparing *comparing, const SeenRelease *release, uint32 c)
{
	uint32		most = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Code		value = release->value[i];

		if (value == NO_CODE || (comparing->is_protected != NULL && !comparing->is_protected[value]))
			continue;
		comparing->count[value]++;
		most = Max(most, comparing->count[value]);
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		if (release->value[i] != NO_CODE)
			comparing->count[release->value[i]] = 0;
	return told_by_class(most, seen_size(release, c));
}

static void
tell_people(Comparing *comparing, const SeenRelease *release)
{
	for (uint32 c = 0; comparing->told != NULL && c < release->nclasses; c++)
	{
		int32		by_class = told_by(comparing, release, c);

		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			if (release->thread[i] < comparing->recalled->people->size)
				comparing->told[release->thread[i]] = told_in_all(comparing->told[release->thread[i]], by_class);
	}
}

/* What of the release at hand no class of the table was. */
static void
end_release(Comparing *comparing)
{
	if (comparing->release < 0)
		return;
	for (uint32 c = 0; c < comparing->recalled->seen.release[comparing->release].nclasses; c++)
		if (!comparing->taken[c])
			note_wrong(comparing, comparing->release + 1);
}

static void
begin_release(Comparing *comparing, int32 r)
{
	const SeenRelease *release = &comparing->recalled->seen.release[r];
	uint64		nrows = release->first[release->nclasses];

	end_release(comparing);
	for (int32 past = comparing->release + 1; past <= r; past++)
		tell_people(comparing, &comparing->recalled->seen.release[past]);
	comparing->release = r;
	memset(comparing->place, 0xff, sizeof(uint64) * comparing->recalled->seen.nthreads);
	comparing->class = repalloc_huge(comparing->class, sizeof(uint32) * (nrows + 1));
	comparing->taken = repalloc_huge(comparing->taken, sizeof(bool) * ((Size) release->nclasses + 1));
	memset(comparing->taken, false, sizeof(bool) * release->nclasses);
	for (uint32 c = 0; c < release->nclasses; c++)
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		{
			comparing->place[release->thread[i]] = i;
			comparing->class[i] = c;
		}
}

static void
number_people(Comparing *comparing, ArrayType *keys)
{
	ElementWalk walk;

	for (element_walk(&walk, &comparing->key, keys); element_next(&walk);)
		if (comparing->npeople < comparing->recalled->people->size)
			comparing->person[comparing->npeople++] = recalled_person(comparing->recalled, walk.value);
}

/* Where the log has the row of a member, or NO_PLACE_IN_RELEASE. */
static uint64
place_of(const Comparing *comparing, int32 member)
{
	Thread		thread = NO_THREAD;

	if (member < 0)
		thread = recalled_invented(comparing->recalled, -(int64) member);
	else if ((uint64) member < comparing->npeople)
		thread = comparing->person[member];
	return thread == NO_THREAD ? NO_PLACE_IN_RELEASE : comparing->place[thread];
}

static bool
is_class(Comparing *comparing, const PathBlock *block, int from, int size, const Code *value)
{
	const SeenRelease *release = &comparing->recalled->seen.release[comparing->release];
	uint64		place = place_of(comparing, block->members[from]);
	uint32		c;

	if (place == NO_PLACE_IN_RELEASE)
		return false;
	c = comparing->class[place];
	if (comparing->taken[c] || seen_size(release, c) != (uint64) size)
		return false;
	comparing->taken[c] = true;
	for (int i = from; i < from + size; i++)
	{
		place = place_of(comparing, block->members[i]);
		if (place == NO_PLACE_IN_RELEASE || comparing->class[place] != c ||
			release->value[place] != (block->shown[i] < 0 ? NO_CODE : value[block->shown[i]]))
			return false;
		if (comparing->told != NULL && comparing->told[release->thread[place]] != block->told[i])
			return false;
	}
	return true;
}

static bool
compare_block(void *what, TupleTableSlot *slot)
{
	Comparing  *comparing = what;
	PathBlock	block;
	ElementWalk walk;
	Code	   *value;
	int			from = 0;

	read_block(comparing->publication, slot, &block);
	number_people(comparing, block.keys);
	if (block.release < 1 || block.release > comparing->recalled->seen.nreleases)
	{
		note_wrong(comparing, block.release);
		return true;
	}
	if (block.release - 1 != comparing->release)
		begin_release(comparing, block.release - 1);
	value = new_array(Code, block.nvalues);
	for (element_walk(&walk, &comparing->sensitive, block.values); element_next(&walk);)
		value[walk.i] = recalled_value(comparing->recalled, walk.value, walk.isnull);
	for (int c = 0; c < block.nclasses; c++)
	{
		if (!is_class(comparing, &block, from, block.sizes[c], value))
			note_wrong(comparing, block.release);
		from += block.sizes[c];
	}
	return true;
}

Followed
compare_paths(const DeclaredPublication *publication, const Recalled *recalled)
{
	const Seen *seen = &recalled->seen;
	PathBlocks	blocks;
	Comparing	comparing = {
		.publication = publication,
		.recalled = unconstify(Recalled *, recalled),
		.key = element_of(publication_column(publication, ROLE_KEY)),
		.sensitive = element_of(publication_column(publication, ROLE_SENSITIVE)),
		.person = new_array(Thread, recalled->people->size),
		.release = -1,
		.place = new_array(uint64, seen->nthreads),
		.class = palloc(sizeof(uint32)),
		.taken = palloc(sizeof(bool)),
		.is_protected = protected_values(publication, recalled),
		.count = new_zeros(uint32, seen->nvalues),
	};

	if (!OidIsValid(path_table_of(publication)))
		fold_refuse(publication, 0);
	for (int32 r = 0; r < seen->nreleases; r++)
		comparing.followed.classes += seen->release[r].nclasses;
	if (keeps_told(publication))
		comparing.told = new_zeros(int32, seen->nthreads);
	path_blocks_find(publication, &blocks);
	path_blocks_visit(&blocks, false, compare_block, &comparing);
	end_release(&comparing);
	return comparing.followed;
}
