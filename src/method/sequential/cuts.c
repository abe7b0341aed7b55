/*
 * cuts.c
 *		Stage 1 of algorithm 3: all cells that have the same value become more
 *		specific together.
 *
 * NOTES
 *		A part is a node of a column's cut.  Of those that can be split without
 *		harming anybody, the one is split whose ratio of information gained to
 *		privacy lost is greatest (paper 000, equation 7).  The paper leaves open
 *		what that is where no privacy is lost, or some is gained, as diversity can
 *		be, or nothing is to be lost: then it is infinite, and of those the one
 *		comes first that gains most.
 *
 *		A part that cannot be split is given up for ever, where levels cannot rise:
 *		what has become more specific links no less.  Diversity may rise again, so
 *		those parts are tried again; and it may be too low when all is withheld.
 *		Until it is high enough, whatever raises it most is split.
 *
 *		Where there are many parts, those are not asked again whose ratio was not
 *		among the greatest when they were asked last.
 */
#include "postgres.h"

#include <math.h>

#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* So many parts are all asked again before each split. */
#define ALL_ASKED	128

/* What a split is worth */
typedef struct Worth
{
	double		gain;			/* information */
	double		cost;			/* privacy */
	double		level;			/* that is left */
	bool		allowed;
} Worth;

typedef struct Part
{
	int32		column;
	uint32		node;
	Worth		worth;
} Part;

typedef struct Cutting
{
	Search	   *search;
	Part	   *part;
	uint32		nparts;
	uint32		room;
	uint32	  **band;			/* [columns][bands] by their code */
	uint32	  **first;			/* [columns][codes + 1] */
	double		level;			/* as it is */
	bool		holds;
} Cutting;

/* ----------------------------------------------------------------
 * Parts
 * ----------------------------------------------------------------
 */

/* Orders bands by their code in a column, for each. */
static void
order_bands(Cutting *cutting, int32 column)
{
	const People *people = cutting->search->people;
	const Tree *tree = cutting->search->task->column[column].tree;
	Size		ncodes = (Size) tree->nodes[0].leaves.hi + 1;
	uint32	   *first = palloc_extended(sizeof(uint32) * (ncodes + 2), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32	   *band = palloc_extended(sizeof(uint32) * ((Size) people->nbands + 1), MCXT_ALLOC_HUGE);

	for (uint32 b = 0; b < people->nbands; b++)
	{
		Code		code = people->code[(Size) b * people->ncolumns + column];

		if (code != NO_CODE)
			first[(Size) code + 2]++;
	}
	for (Size i = 0; i < ncodes; i++)
		first[i + 2] += first[i + 1];
	for (uint32 b = 0; b < people->nbands; b++)
	{
		Code		code = people->code[(Size) b * people->ncolumns + column];

		if (code != NO_CODE)
			band[first[(Size) code + 1]++] = b;
	}
	cutting->first[column] = first;
	cutting->band[column] = band;
}

static inline uint32
first_of(const Cutting *cutting, const Part *part)
{
	return cutting->first[part->column][cutting->search->task->column[part->column].tree->nodes[part->node].leaves.lo];
}

static inline uint32
end_of(const Cutting *cutting, const Part *part)
{
	return cutting->first[part->column]
		[(Size) cutting->search->task->column[part->column].tree->nodes[part->node].leaves.hi + 1];
}

/* A part that nobody is in says nothing, split or not. */
static void
add_part(Cutting *cutting, int32 column, uint32 node)
{
	Part		part = {.column = column,.node = node};

	if (is_leaf(cutting->search->task->column[column].tree, node) ||
		first_of(cutting, &part) == end_of(cutting, &part))
		return;
	if (cutting->nparts == cutting->room)
	{
		cutting->room *= 2;
		cutting->part = repalloc_huge(cutting->part, sizeof(Part) * cutting->room);
	}
	cutting->part[cutting->nparts++] = part;
}

/* The node's children, or those of its only child. */
static void
add_children(Cutting *cutting, int32 column, uint32 node)
{
	const Tree *tree = cutting->search->task->column[column].tree;

	while (tree->nodes[node].nchildren == 1)
		node = tree->nodes[node].first_child;
	for (uint32 i = 0; i < tree->nodes[node].nchildren; i++)
		add_part(cutting, column, tree->nodes[node].first_child + i);
}

static void
split(Cutting *cutting, const Part *part)
{
	People	   *people = cutting->search->people;

	/* Bands are whole: each has one lot that is not empty */
	for (uint32 i = first_of(cutting, part); i < end_of(cutting, part); i++)
	{
		uint32		lot = people->lots[cutting->band[part->column][i]];

		while (people->lot[lot].size == 0)
			lot = people->lot[lot].next;
		(void) people_shift(people, lot, part->column, people->lot[lot].size);
	}
}

/* ----------------------------------------------------------------
 * What they are worth
 * ----------------------------------------------------------------
 */

static void
ask(Cutting *cutting, Part *part)
{
	Search	   *search = cutting->search;
	Trial		trial = begin_trial(search);
	double		loss = search->people->loss;

	CHECK_FOR_INTERRUPTS();
	split(cutting, part);
	web_settle(search->people->web);
	part->worth.level = guard_measure(search->guard, trial.web, trial.people);
	part->worth.gain = loss - search->people->loss;
	part->worth.cost = isinf(cutting->level) && isinf(part->worth.level) ? 0 :
		Max(0.0, cutting->level - part->worth.level);
	part->worth.allowed = part->worth.level >= search->task->k;
	undo_trial(search, trial);
	search->people->loss = loss;
}

/* Is a split worth more than another? */
static bool
is_better(const Worth *a, const Worth *b)
{
	if (a->allowed != b->allowed)
		return a->allowed;
	if (!a->allowed && a->level != b->level)
		return a->level > b->level;
	if (a->cost == 0 || b->cost == 0)
		return a->cost == b->cost ? a->gain > b->gain : a->cost == 0;
	return a->gain * b->cost > b->gain * a->cost;
}

static int
compare_parts(const void *a, const void *b)
{
	const Worth *x = &((const Part *) a)->worth;
	const Worth *y = &((const Part *) b)->worth;

	return is_better(x, y) ? -1 : is_better(y, x);
}

/* Asks parts, and gives up those that are hopeless. */
static void
ask_parts(Cutting *cutting)
{
	bool		hopeful = cutting->search->guard->may_rise;
	bool		all = cutting->nparts <= ALL_ASKED;
	const Worth *best = NULL;
	uint32		left = 0;

	if (!all)
		qsort(cutting->part, cutting->nparts, sizeof(Part), compare_parts);
	for (uint32 i = 0; i < cutting->nparts; i++)
	{
		Part		part = cutting->part[i];
		bool		asked = all || part.worth.gain == 0 || best == NULL || !is_better(best, &part.worth);

		if (asked)
			ask(cutting, &part);
		if (asked && !part.worth.allowed && !hopeful)
			continue;
		cutting->part[left] = part;
		if (asked && (best == NULL || is_better(&part.worth, best)))
			best = &cutting->part[left].worth;
		left++;
	}
	cutting->nparts = left;
}

/* The part that is to be split next; NULL if none is. */
static Part *
choose_part(Cutting *cutting)
{
	Part	   *best = NULL;

	ask_parts(cutting);
	for (uint32 i = 0; i < cutting->nparts; i++)
		if (best == NULL || is_better(&cutting->part[i].worth, &best->worth))
			best = &cutting->part[i];
	return best == NULL || (cutting->holds && !best->worth.allowed) ? NULL : best;
}

static void
split_for_good(Cutting *cutting, Part *chosen)
{
	Search	   *search = cutting->search;
	Trial		trial = begin_trial(search);
	Part		part = *chosen;

	*chosen = cutting->part[--cutting->nparts];
	split(cutting, &part);
	web_settle(search->people->web);
	cutting->level = guard_measure(search->guard, trial.web, trial.people);
	cutting->holds |= part.worth.allowed;
	keep_trial(search);
	add_children(cutting, part.column, part.node);
}

bool
specialise_cuts(Search *search, double *level)
{
	int32		ncolumns = search->task->ncolumns;
	Cutting		cutting = {.search = search,.room = 64};
	Part	   *part;

	cutting.level = *level = guard_measure_all(search->guard);
	cutting.holds = *level >= search->task->k;
	if (!cutting.holds && !search->guard->may_rise)
		return false;
	cutting.part = palloc(sizeof(Part) * cutting.room);
	cutting.band = palloc(sizeof(uint32 *) * (ncolumns + 1));
	cutting.first = palloc(sizeof(uint32 *) * (ncolumns + 1));
	for (int32 c = 0; c < ncolumns; c++)
	{
		order_bands(&cutting, c);
		add_part(&cutting, c, 0);
	}
	while ((part = choose_part(&cutting)) != NULL)
	{
		split_for_good(&cutting, part);
		*level = cutting.holds ? cutting.level : Max(*level, cutting.level);
	}
	for (int32 c = 0; c < ncolumns; c++)
	{
		pfree(cutting.band[c]);
		pfree(cutting.first[c]);
	}
	pfree(cutting.band);
	pfree(cutting.first);
	pfree(cutting.part);
	return cutting.holds;
}
