/*
 * check_foreseen.c
 *		Is the past that a release leaves the one that a forecast of it takes for
 *		granted?  Asked after each stored release, in builds with assertions.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "frame/arrays.h"
#include "release/forecast/future.h"
#include "release/release.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#ifdef USE_ASSERT_CHECKING

/* The rows of a build once more, for the past to be read; a code and one more is the number of its value. */
static FrameLoad *
load_again(const ReleaseBuild *build, const DeclaredPublication *publication, MemoryContext context)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	const PlainColumn *sensitive = &build->loaded->sensitive;
	uint64		nrows = build->loaded->frame.nrows;
	KeyTable   *keys = keys_create(key->type, key->collation);
	Dictionary *values = dictionary_create(sensitive->column->type);
	uint32	   *number = new_array(uint32, nrows);

	for (Code code = 0; code < sensitive->ncodes; code++)
		(void) dictionary_number(values, sensitive->values[code], false);
	for (uint64 row = 0; row < nrows; row++)
	{
		keys_append(keys, build->loaded->keys[row]);
		number[row] = sensitive->code[row] == NO_CODE ? DICTIONARY_NULL : sensitive->code[row] + 1;
	}
	(void) keys_index(keys);
	return load_given(publication, keys, values, number, context);
}

/* Gives the values of a past that was read the codes of the build. */
static void
take_codes(Past *past, const LoadedFrame *loaded, Code ncodes)
{
	Code	   *code = new_array(Code, loaded->sensitive.ncodes);

	memset(code, 0xff, sizeof(Code) * loaded->sensitive.ncodes);
	for (Code i = 0; i < ncodes; i++)
		code[loaded->sensitive_code[i + 1]] = i;
	for (uint64 i = 0; i < past->first_value[past->nneighborhoods]; i++)
		if (past->value[i] != NO_CODE)
			past->value[i] = code[past->value[i]];
}

/* A number that neighborhoods have in common if their members have, in any order: their rows, and all values. */
static uint64
sum_of_members(const Past *past, uint32 n)
{
	uint64		sum = past_epochs(past, n);

	for (uint64 i = 0; i < past_size(past, n); i++)
	{
		uint64		member = past->row[past->first[n] + i];

		for (uint64 epoch = 0; epoch < past_epochs(past, n); epoch++)
			member = hash_combine64(member, past_values(past, n, epoch)[i]);
		sum += hash_bytes_extended((const unsigned char *) &member, sizeof(member), 0);
	}
	return sum;
}

/* The sum of the neighborhood of each row: [rows]; 0 for people who are new, or lost. */
static uint64 *
sums_of_rows(const Past *past, const Past *known, uint64 nrows)
{
	uint64	   *sums = new_zeros(uint64, nrows);

	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		uint64		sum = sum_of_members(past, n);

		for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
			if (past->row[i] != NO_ROW && known->member[past->row[i]] != LOST_MEMBER)
				sums[past->row[i]] = sum;
	}
	return sums;
}

#endif

void
check_foreseen(const ReleaseBuild *build, uint64 newcomers)
{
#ifdef USE_ASSERT_CHECKING
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "check of what was foreseen", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	DeclaredPublication publication = *build->publication;
	uint64		nrows = build->loaded->frame.nrows;
	Past		foreseen;
	FrameLoad  *load;
	LoadedFrame *loaded;
	Fold	   *fold;

	if (find_method(publication.method)->churn != NULL)
	{
		CommandCounterIncrement();
		PushActiveSnapshot(GetTransactionSnapshot());
		foreseen = past_after(&build->fold->past, &build->loaded->frame, build->draft);
		publication.releases++;
		publication.remembered += newcomers;
		load = load_again(build, &publication, work);
		fold = fold_read(&publication, load, false, work);
		loaded = load_finish(load);
		(void) fold_past(fold, loaded);
		take_codes(&fold->past, loaded, build->loaded->sensitive.ncodes);
		if (memcmp(sums_of_rows(&fold->past, &foreseen, nrows), sums_of_rows(&foreseen, &foreseen, nrows), sizeof(uint64) * nrows) != 0)
			elog(ERROR, "the neighborhoods of publication \"%s\" are not what was foreseen", publication.name);
		PopActiveSnapshot();
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
#endif
}
