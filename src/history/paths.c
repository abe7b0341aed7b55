/*
 * paths.c
 *		The table of paths: compared with the log, release by release, and made anew from it.
 *
 * NOTES
 *		A class of the table is looked up in the log by its first person.  The two are alike if they are of one size, and
 *		each row of one is the other's, with the same value, and with what all its classes have disclosed by then.  Invented
 *		rows, which come last, are numbered as they come.
 *
 *		When all is made anew, people get numbers where they are met first, from the oldest release on.
 */
#include "history/rebuild.h"

#include "frame/arrays.h"
#include "history/element.h"
#include "history/past.h"
#include "history/path_blocks.h"
#include "history/recall.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Comparing
 * ----------------------------------------------------------------
 */

#define NOT_IN_RELEASE PG_UINT64_MAX

typedef struct Comparing
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	Element		key;
	Element		sensitive;
	PastComparison comparison;

	/* People as the table numbers them */
	uint64		npeople;
	Individual *person;			/* [people of the log] */
	int32		invented;		/* rows so far */

	/* The release at hand */
	int32		release;		/* from 0 on, or -1 */
	PathCounts	end;			/* by the last of its blocks */
	uint64	   *row_of;			/* [individuals] rows of it, or NOT_IN_RELEASE */
	uint32	   *class;			/* [rows] */
	bool	   *has_block;		/* [classes] */

	/* All releases up to it, as the log tells */
	PathCounts	counts;
	bool	   *is_known;		/* [individuals] in any of them? */
	const bool *is_protected;	/* [values] or NULL for all */
	uint32	   *count;			/* [values] in the class at hand, 0 between uses */
	int32	   *disclosed;		/* [individuals] of people; NULL where the table does not say */
} Comparing;

static void
note_wrong(Comparing *comparing, int32 release)
{
	if (comparing->comparison.wrong++ == 0)
		comparing->comparison.first_wrong = release;
}

/* ----------------------------------------------------------------
 * The log
 * ----------------------------------------------------------------
 */

/* The disclosure of a class of the log. */
static int32
class_disclosure(Comparing *comparing, const SeenRelease *release, uint32 c)
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
	return disclosure_by_class(most, seen_size(release, c));
}

/* Adds what a release disclosed to what was disclosed of people before. */
static void
disclose(Comparing *comparing, const SeenRelease *release)
{
	for (uint32 c = 0; c < release->nclasses; c++)
	{
		int32		by_class = class_disclosure(comparing, release, c);

		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			if (release->individual[i] < comparing->recalled->people->size)
			{
				int32	   *disclosed = &comparing->disclosed[release->individual[i]];

				*disclosed = disclosure_in_all(*disclosed, by_class);
			}
	}
}

/* Adds the people, invented rows and rows of a release to the counts. */
static void
count_members(Comparing *comparing, const SeenRelease *release)
{
	uint64		npeople = comparing->recalled->people->size;

	for (uint64 i = 0; i < release->first[release->nclasses]; i++)
	{
		Individual	member = release->individual[i];

		if (comparing->is_known[member])
			continue;
		comparing->is_known[member] = true;
		if (member < npeople)
			comparing->counts.people++;
		else
			comparing->counts.invented++;
	}
	comparing->counts.rows += release->first[release->nclasses];
}

/* Makes the rows of a release known by their members. */
static void
index_release(Comparing *comparing, const SeenRelease *release)
{
	memset(comparing->row_of, 0xff, sizeof(uint64) * comparing->recalled->seen.nindividuals);
	array_resize(comparing->class, release->first[release->nclasses]);
	array_resize(comparing->has_block, release->nclasses);
	memset(comparing->has_block, false, sizeof(bool) * release->nclasses);
	for (uint32 c = 0; c < release->nclasses; c++)
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		{
			comparing->row_of[release->individual[i]] = i;
			comparing->class[i] = c;
		}
}

/* Takes the next release of the log. */
static void
begin_release(Comparing *comparing)
{
	const SeenRelease *release = seen_release(&comparing->recalled->seen, ++comparing->release);

	CHECK_FOR_INTERRUPTS();
	progress_step(release->first[release->nclasses]);
	comparing->end = (PathCounts) {-1, -1, -1};
	count_members(comparing, release);
	if (comparing->disclosed != NULL)
		disclose(comparing, release);
	index_release(comparing, release);
}

/* The classes that no block had are wrong; if all are there, the counts may still be. */
static void
end_release(Comparing *comparing)
{
	const SeenRelease *release = &comparing->recalled->seen.release[comparing->release];
	int64		before = comparing->comparison.wrong;

	for (uint32 c = 0; c < release->nclasses; c++)
		if (!comparing->has_block[c])
			note_wrong(comparing, comparing->release + 1);
	if (comparing->comparison.wrong == before && memcmp(&comparing->end, &comparing->counts, sizeof(PathCounts)) != 0)
		note_wrong(comparing, comparing->release + 1);
}

/* Goes on to a release, from 0 on, past those without a block. */
static void
go_to_release(Comparing *comparing, int32 r)
{
	while (comparing->release < r)
	{
		if (comparing->release >= 0)
			end_release(comparing);
		begin_release(comparing);
	}
}

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

static void
number_people(Comparing *comparing, ArrayType *keys)
{
	ElementWalk walk;

	for (element_walk(&walk, &comparing->key, keys); element_next(&walk);)
		if (comparing->npeople < comparing->recalled->people->size)
			comparing->person[comparing->npeople++] = recalled_person(comparing->recalled, walk.value);
}

/* The row of a person in the release at hand, or NOT_IN_RELEASE. */
static uint64
row_of_person(const Comparing *comparing, int32 member)
{
	if (member < 0 || (uint64) member >= comparing->npeople || comparing->person[member] == NO_INDIVIDUAL)
		return NOT_IN_RELEASE;
	return comparing->row_of[comparing->person[member]];
}

/* The row of a member of class c, by its place there; invented rows of the table have numbers below 0, in order. */
static uint64
row_of_member(Comparing *comparing, const SeenRelease *release, uint32 c, int32 member, int place)
{
	uint64		row = release->first[c] + place;

	if (member >= 0)
		return row_of_person(comparing, member);
	return release->counterfeit[row] && member == -(++comparing->invented) ? row : NOT_IN_RELEASE;
}

/* Is the class of a block that begins with a row a class of the log, which no other was? */
static bool
is_class(Comparing *comparing, const PathBlock *block, int from, int size, const Code *value)
{
	const SeenRelease *release = seen_release(&comparing->recalled->seen, comparing->release);
	uint64		row = row_of_person(comparing, block->members[from]);
	uint32		c;

	if (row == NOT_IN_RELEASE || comparing->class[row] == NO_CLASS)
		return false;
	c = comparing->class[row];
	if (comparing->has_block[c] || seen_size(release, c) != (uint64) size)
		return false;
	comparing->has_block[c] = true;
	for (int i = from; i < from + size; i++)
	{
		row = row_of_member(comparing, release, c, block->members[i], i - from);
		if (row == NOT_IN_RELEASE || comparing->class[row] != c ||
			release->value[row] != (block->shown[i] < 0 ? NO_CODE : value[block->shown[i]]))
			return false;
		if (comparing->disclosed != NULL && comparing->disclosed[release->individual[row]] != block->disclosed[i])
			return false;
		comparing->class[row] = NO_CLASS;	/* a member stands in a class once */
	}
	return true;
}

/* Returns the log's codes of a block's values. */
static Code *
codes_of_values(const Comparing *comparing, const PathBlock *block)
{
	Code	   *value = new_array(Code, block->nvalues);
	ElementWalk walk;

	for (element_walk(&walk, &comparing->sensitive, block->values); element_next(&walk);)
		value[walk.i] = recalled_value(comparing->recalled, walk.value, walk.isnull);
	return value;
}

/* Visits a block of the table: are its classes those of its release? */
static bool
compare_block(void *what, TupleTableSlot *slot)
{
	Comparing  *comparing = what;
	PathBlock	block;
	Code	   *value;
	int			from = 0;

	read_block(comparing->publication, slot, &block);
	number_people(comparing, block.keys);
	if (block.release < 1 || block.release > comparing->recalled->seen.nreleases)
	{
		note_wrong(comparing, block.release);
		return true;
	}
	go_to_release(comparing, block.release - 1);
	if (comparing->disclosed == NULL && !slot->tts_isnull[PATHS_DISCLOSED])
		note_wrong(comparing, block.release);
	comparing->end = block.end;
	value = codes_of_values(comparing, &block);
	for (int c = 0; c < block.nclasses; c++)
	{
		if (!is_class(comparing, &block, from, block.sizes[c], value))
			note_wrong(comparing, block.release);
		from += block.sizes[c];
		/* One wrong class makes no others wrong. */
		comparing->invented = Max(comparing->invented, -block.members[from - 1]);
	}
	return true;
}

PastComparison
paths_compare(const DeclaredPublication *publication, const Recalled *recalled)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "comparing paths", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	const Seen *seen = &recalled->seen;
	PathBlocks	blocks;
	Comparing	comparing = {
		.publication = publication,
		.recalled = recalled,
		.key = element_of(publication_column(publication, ROLE_KEY)),
		.sensitive = element_of(publication_column(publication, ROLE_SENSITIVE)),
		.person = new_array(Individual, recalled->people->size),
		.release = -1,
		.row_of = new_array(uint64, seen->nindividuals),
		.class = new_array(uint32, 0),
		.has_block = new_array(bool, 0),
		.is_known = new_zeros(bool, seen->nindividuals),
		.is_protected = protected_values(publication, recalled),
		.count = new_zeros(uint32, seen->nvalues),
	};

	if (!OidIsValid(past_table(publication, PATHS_TABLE)))
		past_refuse(publication, 0);
	for (int32 r = 0; r < seen->nreleases; r++)
		comparing.comparison.items += seen->release[r].nclasses;
	if (keeps_disclosures(publication))
		comparing.disclosed = new_zeros(int32, seen->nindividuals);
	path_blocks_find(publication, &blocks);
	path_blocks_visit(&blocks, false, compare_block, &comparing);
	go_to_release(&comparing, seen->nreleases - 1);
	if (seen->nreleases > 0)
		end_release(&comparing);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return comparing.comparison;
}

/* ----------------------------------------------------------------
 * Rebuilding
 * ----------------------------------------------------------------
 */

typedef struct Rebuilding
{
	const Recalled *recalled;
	const bool *is_protected;	/* [values] or NULL for all */
	BlockWriter blocks;
	uint32	   *number;			/* [people] or NO_KEY */
	int32	   *disclosed;		/* [people] so far; NULL where the table does not say */
} Rebuilding;

/* The number of an individual in the table; a person who is new gets the next one, and so does each invented row. */
static int32
number_of(Rebuilding *rebuilding, Individual individual)
{
	const Recalled *recalled = rebuilding->recalled;

	if (individual >= recalled->people->size)
		return blocks_add_invented(&rebuilding->blocks);
	if (rebuilding->number[individual] == NO_KEY)
		rebuilding->number[individual] = blocks_add_person(&rebuilding->blocks, recalled->people->keys[individual]);
	return rebuilding->number[individual];
}

/* Tells what was disclosed by now of the people of the class that was added last. */
static void
disclose_members(Rebuilding *rebuilding, const SeenRelease *release, uint32 c)
{
	const Individual *member = release->individual + release->first[c];
	uint64		size = seen_size(release, c);
	int32		by_class;
	int32	   *disclosed = blocks_disclose(&rebuilding->blocks, size, &by_class);

	for (uint64 i = 0; i < size; i++)
	{
		disclosed[i] = 0;
		if (member[i] < rebuilding->recalled->people->size)
			disclosed[i] = rebuilding->disclosed[member[i]] = disclosure_in_all(rebuilding->disclosed[member[i]], by_class);
	}
}

/* Adds a class to the table. */
static void
add_class(Rebuilding *rebuilding, const SeenRelease *release, uint32 c)
{
	BlockWriter *blocks = &rebuilding->blocks;

	CHECK_FOR_INTERRUPTS();
	progress_step(seen_size(release, c));
	blocks_make_room(blocks, seen_size(release, c));
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Code		code = release->value[i];
		int32		member = number_of(rebuilding, release->individual[i]);

		if (code == NO_CODE)
			blocks_add_row(blocks, member, code, (Datum) 0, false);
		else
			blocks_add_row(blocks, member, code, rebuilding->recalled->values[code],
						   rebuilding->is_protected == NULL || rebuilding->is_protected[code]);
	}
	if (rebuilding->disclosed != NULL)
		disclose_members(rebuilding, release, c);
	blocks_end_class(blocks, seen_size(release, c));
}

void
paths_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, const bool *is_protected)
{
	const Seen *seen = &recalled->seen;
	Rebuilding	rebuilding = {
		.recalled = recalled,
		.is_protected = is_protected,
		.number = new_array(uint32, recalled->people->size),
	};

	memset(rebuilding.number, 0xff, sizeof(uint32) * recalled->people->size);	/* NO_KEY */
	blocks_open(&rebuilding.blocks, table, publication);
	blocks_prepare(&rebuilding.blocks, seen->nvalues);
	if (rebuilding.blocks.keeps_disclosures)
		rebuilding.disclosed = new_zeros(int32, recalled->people->size);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		rebuilding.blocks.release = r + 1;
		for (uint32 c = 0; c < release->nclasses; c++)
			add_class(&rebuilding, release, c);
		blocks_end_release(&rebuilding.blocks);
	}
	blocks_close(&rebuilding.blocks);
}

void
paths_recount(const DeclaredPublication *publication, Oid list)
{
	Oid			table = past_table(publication, PATHS_TABLE);
	const Recalled *recalled = recall(publication);
	const bool *is_listed = listed_values(publication, list, recalled);
	PathBlocks	blocks;

	path_blocks_find(publication, &blocks);
	if (blocks.n == 0)
		refuse_paths(publication);
	for (uint32 b = 0; b < blocks.n; b++)
		delete_rows(table, &blocks.place[b].tid, 1);
	paths_rebuild(publication, recalled, table, is_listed);
}
