/*
 * paths_read.c
 *		Finding people of the source in the table of paths.
 *
 * NOTES
 *		Blocks are read from the newest on: most people of the source were in the
 *		last release, and for a last step no older block is needed then.
 *
 *		Nor is one for all steps of people of whom so little was disclosed that their
 *		method does not ask: what a release wrote of them is the sum of all before.
 *		So what is read about most people does not grow with the releases.
 *
 *		Companies need a look at all blocks, at the numbers of the people in each
 *		class.  Everything else is about companies only that are large enough still:
 *		as people leave, the number of these does not grow with the releases.
 */
#include "history/path_blocks.h"

#include "declare/parameters.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* Each release has a block, even one without people, and counts only ever grow. */
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
			refuse_paths(blocks->publication);
		last = *block;
	}
	if (last.release != blocks->publication->releases)
		refuse_paths(blocks->publication);
}

static inline void
want(PathReader *reader, uint32 person)
{
	reader->wanted[person / 64] |= UINT64CONST(1) << (person % 64);
}

static inline bool
is_wanted(const PathReader *reader, int32 member)
{
	return member >= 0 && (reader->wanted[member / 64] >> (member % 64) & 1) != 0;
}

/* The newcomers of a block, who are numbered from where the last one ended. */
static bool
find_people(void *what, TupleTableSlot *slot)
{
	PathReader *reader = what;
	ElementRoom *room = &reader->room;
	int64		end = DatumGetInt64(slot->tts_values[PATHS_PEOPLE]);
	bool		any_null = element_read(&reader->key, slot->tts_values[PATHS_KEYS], room, reader->context);

	if (any_null || room->n != end - reader->counts.people)
		refuse_paths(reader->publication);
	keys_find_all(load_keys(reader->load), room->values, NULL, room->n, reader->row + reader->counts.people);
	for (int64 person = reader->counts.people; person < end; person++)
	{
		if (reader->row[person] == NO_ROW)
			continue;
		if (reader->person[reader->row[person]] != NO_KEY)
			refuse_paths(reader->publication);	/* a person comes for the first time once */
		reader->person[reader->row[person]] = person;
		want(reader, person);
		reader->to_find++;
	}
	reader->counts.people = end;
	return true;
}

/* ----------------------------------------------------------------
 * Steps
 * ----------------------------------------------------------------
 */

/* Enlarges the arrays of classes, values and steps to hold all that a block can add. */
static void
make_room(PathReader *reader, const PathBlock *block)
{
	Paths	   *paths = &reader->paths;
	uint64		nclasses = (uint64) paths->nclasses + block->nclasses;
	uint64		nvalues = (paths->first_value == NULL ? 0 : paths->first_value[paths->nclasses]) + block->nrows;
	uint64		nsteps = reader->nsteps + block->nrows;

	if (nclasses >= reader->allocated_classes)
	{
		reader->allocated_classes = array_room(reader->allocated_classes, nclasses + 1);
		array_resize(paths->release, reader->allocated_classes);
		array_resize(paths->first_value, reader->allocated_classes);
	}
	array_reserve(paths->value, reader->allocated_values, nvalues);
	if (nsteps > reader->allocated_steps)
	{
		reader->allocated_steps = array_room(reader->allocated_steps, nsteps);
		array_resize(reader->step_row, reader->allocated_steps);
		array_resize(reader->step_class, reader->allocated_steps);
		array_resize(reader->step_shown, reader->allocated_steps);
	}
}

/* Nothing more is wanted of a person. */
static void
note_found(PathReader *reader, int32 member)
{
	reader->wanted[member / 64] &= ~(UINT64CONST(1) << (member % 64));
	reader->to_find--;
}

/* Adds a class, if a member of it is wanted. */
static void
add_steps(PathReader *reader, const PathBlock *block, int from, int size, const uint32 *numbers)
{
	Paths	   *paths = &reader->paths;
	uint64		nsteps = reader->nsteps;
	Code	   *value;

	for (int i = from; i < from + size; i++)
	{
		if (!is_wanted(reader, block->members[i]))
			continue;
		reader->step_row[reader->nsteps] = reader->row[block->members[i]];
		reader->step_class[reader->nsteps] = paths->nclasses;
		reader->step_shown[reader->nsteps++] = numbers[block->shown[i] + 1];
		if (reader->last_only)
			note_found(reader, block->members[i]);
	}
	if (reader->nsteps == nsteps)
		return;
	value = paths->value + paths->first_value[paths->nclasses];
	for (int i = 0; i < size; i++)
		value[i] = numbers[block->shown[from + i] + 1];
	paths->release[paths->nclasses++] = block->release;
	paths->first_value[paths->nclasses] = paths->first_value[paths->nclasses - 1] + size;
}

/* Returns false when everything that is wanted was found. */
static bool
find_steps(void *what, TupleTableSlot *slot)
{
	PathReader *reader = what;
	PathBlock	block;
	uint32	   *numbers;
	int			from = 0;

	if (reader->last_only && reader->to_find == 0)
		return false;
	read_block_shown(reader->publication, slot, &block);
	make_room(reader, &block);
	/* Numbers of the load's dictionary for the places in a block's values, NULL's before them */
	numbers = new_array(uint32, block.nvalues);
	numbers[0] = DICTIONARY_NULL;
	(void) element_read(&reader->sensitive, PointerGetDatum(block.values), &reader->room, reader->context);
	load_sensitive_numbers(reader->load, reader->room.values, reader->room.nulls, numbers + 1, block.nvalues);
	for (int c = 0; c < block.nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		add_steps(reader, &block, from, block.sizes[c], numbers);
		from += block.sizes[c];
	}
	return true;
}

/* ----------------------------------------------------------------
 * What was disclosed
 * ----------------------------------------------------------------
 */

/* Returns false when it is known of each person who is wanted. */
static bool
find_disclosed(void *what, TupleTableSlot *slot)
{
	PathReader *reader = what;
	PathBlock	block;

	if (reader->to_find == 0)
		return false;
	read_block_members(reader->publication, slot, &block);
	for (int i = 0; i < block.nrows; i++)
	{
		if (!is_wanted(reader, block.members[i]))
			continue;
		if (block.disclosed == NULL)
			read_block_disclosed(reader->publication, slot, &block);
		reader->disclosed[reader->row[block.members[i]]] = block.disclosed[i];
		note_found(reader, block.members[i]);
	}
	return true;
}

/* From now on, the steps of those are wanted of whom too much was disclosed; are there any? */
static bool
want_disclosed(PathReader *reader)
{
	const MethodDeclaration *method = method_declaration(reader->publication->method);
	int32		spared = method->spared(param_values(method, reader->publication->params));
	bool		any = false;

	for (uint64 row = 0; row < reader->nrows; row++)
	{
		if (reader->disclosed[row] <= spared)
			continue;
		want(reader, reader->person[row]);
		any = true;
	}
	return any;
}

/* ----------------------------------------------------------------
 * Companies
 * ----------------------------------------------------------------
 */

/*
 * Counts the different values of each person's last class, in which all occur equally often: methods of companies make no
 * others.  People who are together in several releases are among the same values in all of them.
 */
static void
count_values(PathReader *reader)
{
	const Paths *paths = &reader->paths;
	uint32		n = 0;

	reader->nvalues = new_zeros(uint32, reader->nrows);
	for (uint64 i = 0; i < reader->nsteps; i++)
	{
		uint32		class = reader->step_class[i];
		uint64		times = 0;

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (i == 0 || class != reader->step_class[i - 1])	/* a class's steps stand together */
		{
			for (uint64 v = paths->first_value[class]; v < paths->first_value[class + 1]; v++)
				times += paths->value[v] == paths->value[paths->first_value[class]];
			n = paths_size(paths, class) / times;
		}
		reader->nvalues[reader->step_row[i]] = n;
	}
}

/* Adds the members of a class who are in the source. */
static void
add_company(PathReader *reader, const int32 *members, int size)
{
	uint32		n = 0;

	for (int i = 0; i < size; i++)
	{
		RowId		row = members[i] < 0 ? NO_ROW : reader->row[members[i]];

		if (row == NO_ROW)
			continue;
		companies_count(reader->companies, row);
		reader->here[n++] = row;
	}
	if (n > 0 && (uint64) n + reader->degree > reader->nvalues[reader->here[0]])
		companies_add(reader->companies, reader->here, n);
}

/* Counts the releases of the people in a block's classes, and adds the companies that are large enough. */
static bool
find_companies(void *what, TupleTableSlot *slot)
{
	PathReader *reader = what;
	PathBlock	block;
	int			from = 0;

	read_block_members(reader->publication, slot, &block);
	array_reserve(reader->here, reader->here_allocated, (uint64) block.nrows);
	for (int c = 0; c < block.nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		add_company(reader, block.members + from, block.sizes[c]);
		from += block.sizes[c];
	}
	return true;
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* Makes a reader that has found nothing yet; it and its arrays are in the context given. */
static PathReader *
path_reader_create(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PathReader *reader = palloc0(sizeof(PathReader));

	reader->publication = publication;
	reader->load = load;
	reader->context = context;
	reader->key = element_of(publication_column(publication, ROLE_KEY));
	reader->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	reader->last_only = !keeps_disclosures(publication);
	reader->nrows = load_keys(load)->size;
	reader->person = new_array(uint32, reader->nrows);
	memset(reader->person, 0xff, sizeof(uint32) * reader->nrows);	/* NO_KEY */
	if (!reader->last_only)
		reader->disclosed = new_zeros(int32, reader->nrows);
	reader->paths.releases = publication->releases;
	make_room(reader, &(PathBlock) {.nclasses = 64, .nrows = 64});
	reader->paths.first_value[0] = 0;
	MemoryContextSwitchTo(old);
	return reader;
}

/* Matches the table's people with rows of the source; refuses a table that lacks people or invented rows. */
static void
read_people(PathReader *reader, const PathBlocks *blocks)
{
	PathCounts	end = {0};

	if (blocks->n > 0)
		end = blocks->place[blocks->n - 1].end;
	if (end.people + end.invented != reader->publication->remembered)
		past_refuse(reader->publication, end.people + end.invented);	/* the missing would pass for newcomers */
	reader->row = MemoryContextAllocExtended(reader->context, sizeof(RowId) * (end.people + 1), MCXT_ALLOC_HUGE);
	reader->wanted = MemoryContextAllocExtended(reader->context, sizeof(uint64) * (end.people / 64 + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	path_blocks_visit(blocks, false, find_people, reader);
	if (reader->counts.people != end.people)
		refuse_paths(reader->publication);
	reader->counts = end;
}

PathReader *
path_reader_open(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context)
{
	PathReader *reader = path_reader_create(publication, load, context);
	const MethodDeclaration *method = method_declaration(publication->method);
	PathBlocks	blocks;
	MemoryContext old;

	path_blocks_find(publication, &blocks);
	verify_order(&blocks);
	read_people(reader, &blocks);
	path_blocks_visit(&blocks, true, reader->last_only ? find_steps : find_disclosed, reader);
	if (reader->to_find > 0)
		refuse_paths(publication);	/* a person has a number, and was in no class */
	if (!reader->last_only && want_disclosed(reader))
		path_blocks_visit(&blocks, true, find_steps, reader);
	if (keeps_past(publication, PAST_COMPANIES))
	{
		/* Sets of people of the source who were in a class together */
		old = MemoryContextSwitchTo(context);
		reader->companies = companies_begin(reader->nrows);
		reader->degree = method->degree(param_values(method, publication->params));
		array_reserve(reader->here, reader->here_allocated, 1024);
		count_values(reader);
		path_blocks_visit(&blocks, true, find_companies, reader);
		MemoryContextSwitchTo(old);
	}
	return reader;
}

/* Steps were found from the newest release on, and stand the other way round. */
static void
sort_steps(PathReader *reader)
{
	Paths	   *paths = &reader->paths;
	uint64	   *end;

	paths->first = new_zeros(uint64, reader->nrows);
	paths->class = new_array(uint32, reader->nsteps);
	paths->shown = new_array(Code, reader->nsteps);
	end = new_array(uint64, reader->nrows);
	for (uint64 i = 0; i < reader->nsteps; i++)
		paths->first[reader->step_row[i] + 1]++;
	for (uint64 row = 0; row < reader->nrows; row++)
	{
		paths->first[row + 1] += paths->first[row];
		end[row] = paths->first[row + 1];
	}
	for (uint64 i = 0; i < reader->nsteps; i++)
	{
		uint64		at = --end[reader->step_row[i]];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		paths->class[at] = reader->step_class[i];
		paths->shown[at] = reader->step_shown[i];
	}
	pfree(end);
}

const Paths *
path_reader_paths(PathReader *reader, const LoadedFrame *loaded)
{
	MemoryContext old = MemoryContextSwitchTo(reader->context);
	Paths	   *paths = &reader->paths;

	Assert(loaded->frame.nrows == reader->nrows);
	paths->disclosed = reader->disclosed;
	sort_steps(reader);
	for (uint64 i = 0; i < reader->nsteps; i++)
		paths->shown[i] = loaded->sensitive_code[paths->shown[i]];
	for (uint64 i = 0; i < paths->first_value[paths->nclasses]; i++)
		paths->value[i] = loaded->sensitive_code[paths->value[i]];
	MemoryContextSwitchTo(old);
	return paths;
}

const Companies *
path_reader_companies(PathReader *reader)
{
	MemoryContext old = MemoryContextSwitchTo(reader->context);
	const Companies *companies = reader->companies == NULL ? NULL : companies_end(reader->companies);

	MemoryContextSwitchTo(old);
	return companies;
}
