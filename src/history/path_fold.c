/*
 * path_fold.c
 *		Finding in the table of paths who is in the source.
 *
 * NOTES
 *		Blocks are read from the newest on: who is in the source was mostly in the
 *		last release, and for a last step no older block is needed then.
 *
 *		Nor is it for all steps of those of whom so little was told that their
 *		method does not ask: what a release wrote of them is the sum of all before.
 *		So what is read about most people does not grow with the releases.
 *
 *		Companies need a look at all blocks, at the numbers of who was in which
 *		class.  Everything else is about those only that are large enough still:
 *		as people leave, the number of these does not grow with the releases.
 */
#include "history/path_fold.h"

#include "declare/parameters.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/fold.h"
#include "miscadmin.h"

struct PathFold
{
	const DeclaredPublication *publication;
	FrameLoad  *load;
	MemoryContext context;
	Element		key;
	Element		sensitive;
	bool		last_only;
	uint64		nrows;			/* of the load */

	/* People */
	PathCounts	counts;
	RowId	   *row;			/* [people] in the source, or NO_ROW */
	uint32	   *person;			/* [nrows] or NO_KEY */
	uint64	   *wanted;			/* [people] a bit for each whose steps are wanted: most blocks have
								 * hardly any of them */
	uint64		to_find;		/* people whose last step is not known yet */
	int32	   *told;			/* [nrows] by all steps; NULL where nobody asks */

	ElementRoom room;			/* for a block's keys and values */

	/* Steps as they are found: values are numbers of the load's dictionary */
	Paths		paths;
	uint32		allocated_classes;
	uint64		allocated_values;
	uint64		nsteps;
	uint64		allocated_steps;
	RowId	   *step_row;
	uint32	   *step_class;
	Code	   *step_shown;

	/* Companies, if they are wanted */
	CompanyFinder *companies;
	uint32		degree;			/* of the method */
	uint32	   *nvalues;		/* [nrows] different ones that somebody's last class shows */
	RowId	   *here;			/* [here_allocated] of the class at hand */
	uint64		here_allocated;
};

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* Each release has a block, if nobody's, and counts only ever grow. */
static void
verify_order(const PathBlocks *blocks)
{
	BlockPlace	last = {.release = 0};

	for (uint32 b = 0; b < blocks->n; b++)
	{
		const BlockPlace *block = &blocks->place[b];

		if (block->release - last.release > 1 || block->release < 1 ||
			block->end.people < last.end.people || block->end.invented < last.end.invented ||
			block->end.rows < last.end.rows)
			path_blocks_refuse(blocks->publication);
		last = *block;
	}
	if (last.release != blocks->publication->releases)
		path_blocks_refuse(blocks->publication);
}

static inline void
want(PathFold *fold, uint32 person)
{
	fold->wanted[person / 64] |= UINT64CONST(1) << (person % 64);
}

static inline bool
is_wanted(const PathFold *fold, int32 member)
{
	return member >= 0 && (fold->wanted[member / 64] >> (member % 64) & 1) != 0;
}

/* The newcomers of a block, who are numbered from where the last one ended. */
static bool
find_people(void *what, TupleTableSlot *slot)
{
	PathFold   *fold = what;
	ElementRoom *room = &fold->room;
	int64		end = DatumGetInt64(slot->tts_values[PATHS_PEOPLE]);
	bool		any_null = element_read(&fold->key, slot->tts_values[PATHS_KEYS], room, fold->context);

	if (any_null || room->n != end - fold->counts.people)
		path_blocks_refuse(fold->publication);
	for (int i = 0; i < room->n; i++)
		fold->row[fold->counts.people + i] = keys_find(load_keys(fold->load), room->values[i]);
	for (int64 person = fold->counts.people; person < end; person++)
	{
		if (fold->row[person] == NO_ROW)
			continue;
		if (fold->person[fold->row[person]] != NO_KEY)
			path_blocks_refuse(fold->publication);	/* nobody comes for the first time twice */
		fold->person[fold->row[person]] = person;
		want(fold, person);
		fold->to_find++;
	}
	fold->counts.people = end;
	return true;
}

/* ----------------------------------------------------------------
 * Steps
 * ----------------------------------------------------------------
 */

static void
make_room(PathFold *fold, const PathBlock *block)
{
	Paths	   *paths = &fold->paths;
	uint64		nclasses = (uint64) paths->nclasses + block->nclasses;
	uint64		nvalues = paths->first_value[paths->nclasses] + block->nrows;
	uint64		nsteps = fold->nsteps + block->nrows;

	if (nclasses >= fold->allocated_classes)
	{
		fold->allocated_classes = Max(fold->allocated_classes * 2, nclasses + 1);
		paths->release = repalloc_huge(paths->release, sizeof(int32) * fold->allocated_classes);
		paths->first_value = repalloc_huge(paths->first_value, sizeof(uint64) * fold->allocated_classes);
	}
	if (nvalues > fold->allocated_values)
	{
		fold->allocated_values = Max(fold->allocated_values * 2, nvalues);
		paths->value = repalloc_huge(paths->value, sizeof(Code) * fold->allocated_values);
	}
	if (nsteps > fold->allocated_steps)
	{
		fold->allocated_steps = Max(fold->allocated_steps * 2, nsteps);
		fold->step_row = repalloc_huge(fold->step_row, sizeof(RowId) * fold->allocated_steps);
		fold->step_class = repalloc_huge(fold->step_class, sizeof(uint32) * fold->allocated_steps);
		fold->step_shown = repalloc_huge(fold->step_shown, sizeof(Code) * fold->allocated_steps);
	}
}

/* Nothing more is wanted of somebody. */
static void
note_found(PathFold *fold, int32 member)
{
	fold->wanted[member / 64] &= ~(UINT64CONST(1) << (member % 64));
	fold->to_find--;
}

/* Numbers of the load's dictionary for the places in a block's values, NULL's before them. */
static uint32 *
numbers_of(PathFold *fold, const PathBlock *block)
{
	uint32	   *numbers = new_array(uint32, block->nvalues);

	numbers[0] = DICTIONARY_NULL;
	(void) element_read(&fold->sensitive, PointerGetDatum(block->values), &fold->room, fold->context);
	load_sensitive_numbers(fold->load, fold->room.values, fold->room.nulls, numbers + 1, block->nvalues);
	return numbers;
}

/* A class, if anybody is wanted of it. */
static void
add_steps(PathFold *fold, const PathBlock *block, int from, int size, const uint32 *numbers)
{
	Paths	   *paths = &fold->paths;
	uint64		nsteps = fold->nsteps;
	Code	   *value;

	for (int i = from; i < from + size; i++)
	{
		if (!is_wanted(fold, block->members[i]))
			continue;
		fold->step_row[fold->nsteps] = fold->row[block->members[i]];
		fold->step_class[fold->nsteps] = paths->nclasses;
		fold->step_shown[fold->nsteps++] = numbers[block->shown[i] + 1];
		if (fold->last_only)
			note_found(fold, block->members[i]);
	}
	if (fold->nsteps == nsteps)
		return;
	value = paths->value + paths->first_value[paths->nclasses];
	for (int i = 0; i < size; i++)
		value[i] = numbers[block->shown[from + i] + 1];
	paths->release[paths->nclasses++] = block->release;
	paths->first_value[paths->nclasses] = paths->first_value[paths->nclasses - 1] + size;
}

/* False when everything that is wanted was found. */
static bool
find_steps(void *what, TupleTableSlot *slot)
{
	PathFold   *fold = what;
	PathBlock	block;
	uint32	   *numbers;
	int			from = 0;

	if (fold->last_only && fold->to_find == 0)
		return false;
	read_block_shown(fold->publication, slot, &block);
	make_room(fold, &block);
	numbers = numbers_of(fold, &block);
	for (int c = 0; c < block.nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		add_steps(fold, &block, from, block.sizes[c], numbers);
		from += block.sizes[c];
	}
	return true;
}

/* ----------------------------------------------------------------
 * What was told
 * ----------------------------------------------------------------
 */

/* False when it is known of everybody. */
static bool
find_told(void *what, TupleTableSlot *slot)
{
	PathFold   *fold = what;
	PathBlock	block;

	if (fold->to_find == 0)
		return false;
	read_block_members(fold->publication, slot, &block);
	for (int i = 0; i < block.nrows; i++)
	{
		if (!is_wanted(fold, block.members[i]))
			continue;
		if (block.told == NULL)
			read_block_told(fold->publication, slot, &block);
		fold->told[fold->row[block.members[i]]] = block.told[i];
		note_found(fold, block.members[i]);
	}
	return true;
}

/* From now on, the steps of those are wanted of whom too much was told; are there any? */
static bool
want_told(PathFold *fold)
{
	const MethodDeclaration *method = method_declaration(fold->publication->method);
	int32		spared = method->spared(param_values(method, fold->publication->params));
	bool		any = false;

	for (uint64 row = 0; row < fold->nrows; row++)
	{
		if (fold->told[row] <= spared)
			continue;
		want(fold, fold->person[row]);
		any = true;
	}
	return any;
}

/* ----------------------------------------------------------------
 * Companies
 * ----------------------------------------------------------------
 */

/* Where all values of a class occur equally often; classes where they do not are refused. */
static uint32
different_values(const Paths *paths, uint32 class)
{
	const Code *value = paths->value + paths->first_value[class];
	uint64		size = paths_size(paths, class);
	uint64		times = 0;

	for (uint64 i = 0; i < size; i++)
		times += value[i] == value[0];
	return size / times;
}

/* Whoever is together with others is among the same values in all releases. */
static void
count_values(PathFold *fold)
{
	uint32		n = 0;

	fold->nvalues = new_zeros(uint32, fold->nrows);
	for (uint64 i = 0; i < fold->nsteps; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (i == 0 || fold->step_class[i] != fold->step_class[i - 1])	/* a class's steps stand together */
			n = different_values(&fold->paths, fold->step_class[i]);
		fold->nvalues[fold->step_row[i]] = n;
	}
}

/* Those of a class who are here. */
static void
add_company(PathFold *fold, const int32 *members, int size)
{
	uint32		n = 0;

	for (int i = 0; i < size; i++)
	{
		RowId		row = members[i] < 0 ? NO_ROW : fold->row[members[i]];

		if (row == NO_ROW)
			continue;
		companies_count(fold->companies, row);
		fold->here[n++] = row;
	}
	if (n > 0 && (uint64) n + fold->degree > fold->nvalues[fold->here[0]])
		companies_add(fold->companies, fold->here, n);
}

static bool
find_companies(void *what, TupleTableSlot *slot)
{
	PathFold   *fold = what;
	PathBlock	block;
	int			from = 0;

	read_block_members(fold->publication, slot, &block);
	if ((uint64) block.nrows > fold->here_allocated)
	{
		fold->here_allocated = block.nrows;
		fold->here = repalloc_huge(fold->here, sizeof(RowId) * fold->here_allocated);
	}
	for (int c = 0; c < block.nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		add_company(fold, block.members + from, block.sizes[c]);
		from += block.sizes[c];
	}
	return true;
}

static void
read_companies(PathFold *fold, const PathBlocks *blocks)
{
	const MethodDeclaration *method = method_declaration(fold->publication->method);
	MemoryContext old = MemoryContextSwitchTo(fold->context);

	fold->companies = companies_begin(fold->nrows);
	fold->degree = method->degree(param_values(method, fold->publication->params));
	fold->here_allocated = 1024;
	fold->here = palloc(sizeof(RowId) * fold->here_allocated);
	count_values(fold);
	path_blocks_visit(blocks, true, find_companies, fold);
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

static PathFold *
path_fold_create(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PathFold   *fold = palloc0(sizeof(PathFold));

	fold->publication = publication;
	fold->load = load;
	fold->context = context;
	fold->key = element_of(publication_column(publication, ROLE_KEY));
	fold->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	fold->last_only = !keeps_told(publication);
	fold->nrows = load_keys(load)->size;
	fold->person = new_array(uint32, fold->nrows);
	memset(fold->person, 0xff, sizeof(uint32) * fold->nrows);	/* NO_KEY */
	if (!fold->last_only)
		fold->told = new_zeros(int32, fold->nrows);
	fold->paths.releases = publication->releases;
	fold->allocated_classes = 64;
	fold->paths.release = palloc(sizeof(int32) * fold->allocated_classes);
	fold->paths.first_value = palloc0(sizeof(uint64) * fold->allocated_classes);
	fold->allocated_values = fold->allocated_steps = 64;
	fold->paths.value = palloc(sizeof(Code) * fold->allocated_values);
	fold->step_row = palloc(sizeof(RowId) * fold->allocated_steps);
	fold->step_class = palloc(sizeof(uint32) * fold->allocated_steps);
	fold->step_shown = palloc(sizeof(Code) * fold->allocated_steps);
	MemoryContextSwitchTo(old);
	return fold;
}

static void
read_people(PathFold *fold, const PathBlocks *blocks)
{
	PathCounts	end = {0};

	if (blocks->n > 0)
		end = blocks->place[blocks->n - 1].end;
	if (end.people + end.invented != fold->publication->remembered)
		fold_refuse(fold->publication, end.people + end.invented);	/* the missing would pass for newcomers */
	fold->row = MemoryContextAllocExtended(fold->context, sizeof(RowId) * (end.people + 1), MCXT_ALLOC_HUGE);
	fold->wanted = MemoryContextAllocExtended(fold->context, sizeof(uint64) * (end.people / 64 + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	path_blocks_visit(blocks, false, find_people, fold);
	if (fold->counts.people != end.people)
		path_blocks_refuse(fold->publication);
	fold->counts = end;
}

static void
read_steps(PathFold *fold, const PathBlocks *blocks)
{
	path_blocks_visit(blocks, true, fold->last_only ? find_steps : find_told, fold);
	if (fold->to_find > 0)
		path_blocks_refuse(fold->publication);	/* somebody has a number, and was nowhere */
	if (!fold->last_only && want_told(fold))
		path_blocks_visit(blocks, true, find_steps, fold);
}

PathFold *
path_fold_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context)
{
	PathFold   *fold = path_fold_create(publication, load, context);
	PathBlocks	blocks;

	path_blocks_find(publication, &blocks);
	verify_order(&blocks);
	read_people(fold, &blocks);
	read_steps(fold, &blocks);
	if (keeps_past(publication, PAST_COMPANIES))
		read_companies(fold, &blocks);
	return fold;
}

/* Steps were found from the newest release on, and stand the other way round. */
static void
sort_steps(PathFold *fold)
{
	Paths	   *paths = &fold->paths;
	uint64	   *end;

	paths->first = new_zeros(uint64, fold->nrows);
	paths->class = new_array(uint32, fold->nsteps);
	paths->shown = new_array(Code, fold->nsteps);
	end = new_array(uint64, fold->nrows);
	for (uint64 i = 0; i < fold->nsteps; i++)
		paths->first[fold->step_row[i] + 1]++;
	for (uint64 row = 0; row < fold->nrows; row++)
	{
		paths->first[row + 1] += paths->first[row];
		end[row] = paths->first[row + 1];
	}
	for (uint64 i = 0; i < fold->nsteps; i++)
	{
		uint64		at = --end[fold->step_row[i]];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		paths->class[at] = fold->step_class[i];
		paths->shown[at] = fold->step_shown[i];
	}
	pfree(end);
}

const Paths *
path_fold_paths(PathFold *fold, const LoadedFrame *loaded)
{
	MemoryContext old = MemoryContextSwitchTo(fold->context);
	Paths	   *paths = &fold->paths;

	Assert(loaded->frame.nrows == fold->nrows);
	paths->told = fold->told;
	sort_steps(fold);
	for (uint64 i = 0; i < fold->nsteps; i++)
		paths->shown[i] = loaded->sensitive_code[paths->shown[i]];
	for (uint64 i = 0; i < paths->first_value[paths->nclasses]; i++)
		paths->value[i] = loaded->sensitive_code[paths->value[i]];
	MemoryContextSwitchTo(old);
	return paths;
}

const Companies *
path_fold_companies(PathFold *fold)
{
	MemoryContext old = MemoryContextSwitchTo(fold->context);
	const Companies *companies = fold->companies == NULL ? NULL : companies_end(fold->companies);

	MemoryContextSwitchTo(old);
	return companies;
}

const DeclaredPublication *
path_fold_publication(const PathFold *fold)
{
	return fold->publication;
}

PathCounts
path_fold_counts(const PathFold *fold)
{
	return fold->counts;
}

uint32
path_fold_person(const PathFold *fold, RowId row)
{
	return fold->person[row];
}

const int32 *
path_fold_told(const PathFold *fold)
{
	return fold->told;
}
