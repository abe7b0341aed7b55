/*
 * specialise.c
 *		The stages of the search.
 */
#include "postgres.h"

#include <math.h>

#include "method/sequential/search.h"
#include "utils/memutils.h"

/* Sets every cell to the widest one of its column; a record of an absent person may be anything. */
static void
withhold_all(const SeqTask *task)
{
	const JoinRelease *release = &task->join->release[task->join->nreleases - 1];

	for (int32 c = 0; c < task->ncolumns; c++)
		for (uint32 i = 0; i < release->nrecords; i++)
		{
			task->column[c].node[i] = 0;
			task->column[c].cells[i] = is_record_of_absent(task, i) ? ANYTHING : task->column[c].span[0];
		}
}

/* Creates the state of a search, in the current context. */
static Search
search_create(const SeqTask *task)
{
	Search		search = {.task = task, .most_steps = PG_UINT64_MAX};

	search.people = people_create(task, join_graph(task->join));
	search.guard = guard_create(task, search.people);
	search.failed = tuple_numbers_create(2);
	pg_prng_seed(&search.random, task->seed);
	return search;
}

void
weave_anew(Search *search)
{
	search->woven_steps += search->people->web->steps;
	people_weave(search->people);
}

/* Runs the stages that the task asks for, and measures their outcome. */
static void
run_stages(Search *search, SeqOutcome *outcome)
{
	outcome->found = specialise_cuts(search, &outcome->level);
	outcome->cut_level = outcome->level;
	outcome->cut_loss = outcome->cell_loss = people_loss(search->people);
	if (!outcome->found)
		return;
	if (search->task->single_cells)
	{
		specialise_cells(search);
		outcome->cell_loss = people_loss(search->people);
	}
	if (search->task->single_cells && search->task->refined)
		refine_cells(search);
	outcome->loss = people_loss(search->people);
	outcome->level = guard_measure_all(search->guard);
	people_write(search->people);
}

static bool
is_anything_told(const SeqTask *task)
{
	for (int32 r = 0; r < task->join->nreleases; r++)
		if (task->join->release[r].sensitive != NULL)
			return true;
	return false;
}

/* Where no release shows a sensitive value there is nothing to link a person to. */
static SeqOutcome
show_all(const SeqTask *task)
{
	uint32		nrecords = task->join->release[task->join->nreleases - 1].nrecords;

	for (int32 c = 0; c < task->ncolumns; c++)
		for (uint32 i = 0; i < nrecords; i++)
		{
			const SeqColumn *column = &task->column[c];

			if (column->code[i] == NO_CODE)
				continue;
			column->node[i] = column->tree->leaf[column->code[i]];
			column->cells[i] = column->span[column->node[i]];
		}
	return (SeqOutcome) {.found = true, .level = INFINITY, .cut_level = INFINITY};
}

SeqOutcome
specialise(const SeqTask *task)
{
	MemoryContext work;
	MemoryContext before;
	SeqOutcome	outcome = {0};
	Search		search;

	withhold_all(task);
	if (task->withheld)
		return (SeqOutcome) {.found = true};
	if (!is_anything_told(task))
		return show_all(task);
	work = AllocSetContextCreate(CurrentMemoryContext, "sequential", ALLOCSET_DEFAULT_SIZES);
	before = MemoryContextSwitchTo(work);
	search = search_create(task);
	run_stages(&search, &outcome);
	outcome.trials = search.trials;
	MemoryContextSwitchTo(before);
	MemoryContextDelete(work);
	return outcome;
}
