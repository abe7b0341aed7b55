/*
 * paths_rebuild.c
 *		The table of paths, made anew from the log.
 *
 * NOTES
 *		Releases are gone through from the oldest on: people get numbers where they are met first.
 */
#include "history/past_rebuild.h"

#include "frame/arrays.h"
#include "history/disclosure.h"
#include "history/path_blocks_write.h"
#include "history/protected.h"
#include "miscadmin.h"
#include "shared/progress.h"

typedef struct Rebuilding
{
	const Recalled *recalled;
	const bool *is_protected;	/* [values] or NULL for all */
	BlockWriter blocks;
	uint32	   *number;			/* [people] or NO_KEY */
	int32	   *disclosed;		/* [people] so far; NULL where the table does not say */
} Rebuilding;

/* The number of an individual in the table; a person who is new gets the next one. */
static int32
number_of(Rebuilding *rebuilding, Individual individual)
{
	const Recalled *recalled = rebuilding->recalled;
	uint64		npeople = recalled->people->size;

	if (individual >= npeople)
	{
		int64		number = DatumGetInt64(recalled->invented->keys[individual - npeople]);

		blocks_note_invented(&rebuilding->blocks, number);
		return -(int32) number;
	}
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
paths_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table)
{
	const Seen *seen = &recalled->seen;
	Rebuilding	rebuilding = {
		.recalled = recalled,
		.is_protected = protected_values(publication, recalled),
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
