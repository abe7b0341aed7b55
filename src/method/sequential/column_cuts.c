/*
 * column_cuts.c
 *		Stage 1 of algorithm 3: all cells that have the same value become more
 *		specific together.
 *
 * NOTES
 *		A part is a node of a column's cut.  Of those that can be split without
 *		harming a person, the one is split whose ratio of information gained to
 *		privacy lost is greatest (paper 000, equation 7).  The paper leaves open
 *		what that is where no privacy is lost, or some is gained, as diversity can
 *		be, or nothing is to be lost: then it is infinite, and of those the one
 *		comes first that gains most.
 *
 *		A part that cannot be split is given up for ever, where levels cannot rise:
 *		what has become more specific links no less.  So what a split would have left
 *		when it was asked for is a bound on what it would leave by now, and those
 *		are not asked for again that are worth less even so.
 *
 *		Diversity may rise, so there those parts are tried again, and all are asked
 *		for, but where they are many: then those are not whose ratio was not among the
 *		greatest when they were asked for last.  It may also be too low when all
 *		is withheld: until it is high enough, whatever raises it most is split.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Where levels may rise, all parts are judged before each split if they are no more than this. */
#define ALL_ASKED	128

/* The worth of a split */
typedef struct Worth
{
	double		gain;			/* information */
	double		cost;			/* privacy */
	double		level;			/* that is left; infinite before it is asked for */
	bool		allowed;
} Worth;

typedef struct CutPart
{
	int32		column;
	uint32		node;
	Worth		worth;
} CutPart;

typedef struct Cutting
{
	Search	   *search;
	CutPart    *part;
	uint32		nparts;
	uint32		room;
	uint32	  **band;			/* [columns][bands] by their code */
	uint32	  **first;			/* [columns][codes + 1] */
	uint64	  **before;			/* [columns][codes + 1] people with codes before */
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
	const SeqPeople *people = cutting->search->people;
	const Tree *tree = cutting->search->task->column[column].tree;
	Size		ncodes = (Size) tree->nodes[0].leaves.hi + 1;
	uint32	   *first = new_zeros(uint32, (ncodes + 2));
	uint32	   *band = new_array(uint32, people->nbands);
	uint64	   *before = new_zeros(uint64, ncodes);

	for (uint32 b = 0; b < people->nbands; b++)
	{
		Code		code = people->code[(Size) b * people->ncolumns + column];

		if (code == NO_CODE)
			continue;
		first[(Size) code + 2]++;
		before[(Size) code + 1] += people->first_member[b + 1] - people->first_member[b];
	}
	for (Size i = 0; i < ncodes; i++)
	{
		first[i + 2] += first[i + 1];
		before[i + 1] += before[i];
	}
	for (uint32 b = 0; b < people->nbands; b++)
	{
		Code		code = people->code[(Size) b * people->ncolumns + column];

		if (code != NO_CODE)
			band[first[(Size) code + 1]++] = b;
	}
	cutting->first[column] = first;
	cutting->band[column] = band;
	cutting->before[column] = before;
}

static inline uint32
first_of(const Cutting *cutting, const CutPart *part)
{
	return cutting->first[part->column][cutting->search->task->column[part->column].tree->nodes[part->node].leaves.lo];
}

static inline uint32
end_of(const Cutting *cutting, const CutPart *part)
{
	return cutting->first[part->column]
		[(Size) cutting->search->task->column[part->column].tree->nodes[part->node].leaves.hi + 1];
}

/* The lowest node with the same leaves: an only child says no more than its parent. */
static uint32
lowest(const Tree *tree, uint32 node)
{
	while (tree->nodes[node].nchildren == 1)
		node = tree->nodes[node].first_child;
	return node;
}

/* The information that splitting a node gains. */
static double
gain_of(const Cutting *cutting, int32 column, uint32 node)
{
	const SeqColumn *own = &cutting->search->task->column[column];
	const TreeNode *parent = &own->tree->nodes[lowest(own->tree, node)];
	double		gain = 0;

	for (uint32 child = parent->first_child; child < parent->first_child + parent->nchildren; child++)
	{
		Span		leaves = own->tree->nodes[child].leaves;

		gain += (cutting->before[column][(Size) leaves.hi + 1] - cutting->before[column][leaves.lo]) *
			(own->loss[node] - own->loss[child]);
	}
	return gain;
}

/* A part without people says nothing, split or not. */
static void
add_part(Cutting *cutting, int32 column, uint32 node)
{
	CutPart		part = {.column = column, .node = node};

	if (is_leaf(cutting->search->task->column[column].tree, node) ||
		first_of(cutting, &part) == end_of(cutting, &part))
		return;
	part.worth = (Worth) {.gain = gain_of(cutting, column, node), .level = INFINITY};
	array_reserve(cutting->part, cutting->room, cutting->nparts + 1);
	cutting->part[cutting->nparts++] = part;
}

static void
add_children(Cutting *cutting, int32 column, uint32 node)
{
	const Tree *tree = cutting->search->task->column[column].tree;
	const TreeNode *parent = &tree->nodes[lowest(tree, node)];

	for (uint32 child = parent->first_child; child < parent->first_child + parent->nchildren; child++)
		add_part(cutting, column, child);
}

/* Makes the bands of a part one step more specific. */
static void
split(Cutting *cutting, const CutPart *part)
{
	SeqPeople  *people = cutting->search->people;

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
 * The worth of parts
 * ----------------------------------------------------------------
 */

/* Values a split by the level that it left when it was asked for. */
static void
appraise(const Cutting *cutting, Worth *worth)
{
	worth->cost = isinf(cutting->level) && isinf(worth->level) ? 0 :
		Max(0.0, cutting->level - worth->level);
	worth->allowed = worth->level >= cutting->search->task->k;
}

/* Tries a split to learn its worth, and undoes it. */
static void
ask(Cutting *cutting, CutPart *part)
{
	Search	   *search = cutting->search;
	Trial		trial = begin_trial(search);
	double		loss = search->people->loss;

	CHECK_FOR_INTERRUPTS();
	split(cutting, part);
	web_settle(search->people->web);
	part->worth.level = guard_measure(search->guard, trial.web, trial.people, cutting->level);
	appraise(cutting, &part->worth);
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
	if (a->cost == b->cost)
		return a->gain > b->gain;
	if (a->cost == 0 || b->cost == 0)
		return a->cost == 0;
	return a->gain * b->cost > b->gain * a->cost;
}

/* Orders parts by worth; ties by column and node, so that the order is certain. */
static int
compare_parts(const void *a, const void *b)
{
	const CutPart *x = a;
	const CutPart *y = b;

	if (is_better(&x->worth, &y->worth))
		return -1;
	if (is_better(&y->worth, &x->worth))
		return 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Might a part be better than the best one so far? */
static bool
may_be_better(const Cutting *cutting, const Worth *worth, const Worth *best)
{
	if (best->allowed && best->cost == 0 && worth->gain <= best->gain)
		return false;
	return is_better(worth, best) || (cutting->search->guard->may_rise && cutting->nparts <= ALL_ASKED);
}

/* Asks for the parts that may be the best, and gives up those that are hopeless; returns the best, or NULL. */
static CutPart *
ask_parts(Cutting *cutting)
{
	CutPart    *best = NULL;
	uint32		left = 0;

	for (uint32 i = 0; i < cutting->nparts; i++)
		appraise(cutting, &cutting->part[i].worth);
	qsort(cutting->part, cutting->nparts, sizeof(CutPart), compare_parts);
	for (uint32 i = 0; i < cutting->nparts; i++)
	{
		CutPart		part = cutting->part[i];
		bool		asked = best == NULL || may_be_better(cutting, &part.worth, &best->worth);

		if (asked)
			ask(cutting, &part);
		if (asked && !part.worth.allowed && !cutting->search->guard->may_rise)
			continue;
		cutting->part[left] = part;
		if (asked && (best == NULL || is_better(&part.worth, &best->worth)))
			best = &cutting->part[left];
		left++;
	}
	cutting->nparts = left;
	return best;
}

/* The part that is to be split next; NULL if none is. */
static CutPart *
choose_part(Cutting *cutting)
{
	CutPart    *best = ask_parts(cutting);

	return best == NULL || (cutting->holds && !best->worth.allowed) ? NULL : best;
}

/* Splits a part, and adds its children to the parts. */
static void
split_for_good(Cutting *cutting, CutPart *chosen)
{
	Search	   *search = cutting->search;
	Trial		trial = begin_trial(search);
	CutPart		part = *chosen;

	*chosen = cutting->part[--cutting->nparts];
	split(cutting, &part);
	web_settle(search->people->web);
	cutting->level = guard_measure(search->guard, trial.web, trial.people, cutting->level);
	cutting->holds |= part.worth.allowed;
	keep_trial(search);
	add_children(cutting, part.column, part.node);
}

bool
specialise_cuts(Search *search, double *level)
{
	int32		ncolumns = search->task->ncolumns;
	Cutting		cutting = {.search = search};
	CutPart    *part;

	cutting.level = *level = guard_measure_all(search->guard);
	cutting.holds = *level >= search->task->k;
	if (!cutting.holds && !search->guard->may_rise)
		return false;
	array_reserve(cutting.part, cutting.room, 64);
	cutting.band = palloc(sizeof(uint32 *) * (ncolumns + 1));
	cutting.first = palloc(sizeof(uint32 *) * (ncolumns + 1));
	cutting.before = palloc(sizeof(uint64 *) * (ncolumns + 1));
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
		pfree(cutting.before[c]);
	}
	pfree(cutting.band);
	pfree(cutting.first);
	pfree(cutting.before);
	pfree(cutting.part);
	return cutting.holds;
}
