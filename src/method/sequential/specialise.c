/*
 * specialise.c
 *		Algorithm 3 of paper 000, and what comes after it: the stages of the search.
 */
#include "postgres.h"

#include <math.h>

#include "audit/metrics.h"
#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "method/sequential/search.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Search
{
	const SeqTask *task;		/* borrowed */
	SeqPeople  *people;
	Guard	   *guard;
	pg_prng_state random;
	uint64		trials;
	uint64		kept;			/* trials */
	bool		reversible;		/* what is kept can be undone by people_undo(), too */
	uint64		woven_steps;	/* in webs that are no more */
	uint64		most_steps;		/* after so many, exhaust_lots() gives up */
} Search;

/* Where a trial began */
typedef struct Trial
{
	uint32		web;
	uint32		people;
	uint32		guard;
} Trial;

/* Notes where a trial begins, so that it can be undone. */
static Trial
begin_trial(Search *search)
{
	search->trials++;
	return (Trial) {
		.web = web_mark(search->people->web),
		.people = people_mark(search->people),
		.guard = guard_mark(search->guard)
	};
}

static void
keep_trial(Search *search)
{
	search->kept++;
	web_commit(search->people->web);
	guard_commit(search->guard);
	if (!search->reversible)
		people_commit(search->people);
}

static void
undo_trial(Search *search, Trial trial)
{
	guard_undo(search->guard, trial.guard);
	web_undo(search->people->web, trial.web);
	people_undo(search->people, trial.people);
}

/* Keeps what was done in a trial if no tuple is harmed, else undoes it. */
static bool
judge_trial(Search *search, Trial trial)
{
	bool		holds;

	web_settle(search->people->web);
	holds = guard_holds(search->guard, trial.web, trial.people);
	if (holds)
		keep_trial(search);
	else
		undo_trial(search, trial);
	return holds;
}

/* How much was looked at so far: the same on every machine, unlike time. */
static uint64
steps_taken(const Search *search)
{
	return search->woven_steps + search->people->web->steps + search->guard->steps + search->trials;
}

/* Makes the web anew, outside of trials. */
static void
weave_anew(Search *search)
{
	search->woven_steps += search->people->web->steps;
	people_weave(search->people);
}

/* Makes the web anew if most of its edges were dropped: they take room among those that are left. */
static void
clear_web(Search *search)
{
	if (search->people->web->ndropped > search->people->web->nedges / 2)
		weave_anew(search);
}

/* ----------------------------------------------------------------
 * Trees: halving a line, again and again
 *
 * Halves have equally many values, not equal width: however skewed they lie, every value is a few steps away.  NULL is
 * a child of the root, since no other cell can hold it.
 * ----------------------------------------------------------------
 */

/* Appends a node as the last child of its parent; the children of one parent are added one after the other. */
static void
add_child(Tree *tree, uint32 parent, Span leaves)
{
	TreeNode   *node = &tree->nodes[tree->nnodes];

	if (tree->nodes[parent].nchildren++ == 0)
		tree->nodes[parent].first_child = tree->nnodes;
	*node = (TreeNode) {.leaves = leaves, .parent = parent, .level = tree->nodes[parent].level + 1};
	if (leaves.lo == leaves.hi)
		tree->leaf[leaves.lo] = tree->nnodes;
	tree->nnodes++;
}

/* Adds the two halves of a node as its children, or a leaf as its only one. */
static void
add_halves(Tree *tree, uint32 parent, Span leaves)
{
	Code		middle = leaves.lo + (leaves.hi - leaves.lo) / 2;

	add_child(tree, parent, (Span) {leaves.lo, middle});
	if (leaves.lo < leaves.hi)
		add_child(tree, parent, (Span) {middle + 1, leaves.hi});
}

/* Breadth-first, as all trees are. */
static const Tree *
ladder_of(const Domain *domain)
{
	Tree	   *tree = palloc0(sizeof(Tree));
	bool		has_null = domain->null_code != NO_CODE;

	tree->nodes = new_zeros(TreeNode, (Size) domain->size * 2 + 2);
	tree->leaf = new_zeros(uint32, domain->size);
	tree->nodes[tree->nnodes++].leaves = (Span) {0, domain->size - 1};
	if (domain->size == 1)
		return tree;
	add_halves(tree, 0, (Span) {0, domain->size - 1 - has_null});
	if (has_null)
		add_child(tree, 0, span_of(domain->null_code));
	for (uint32 i = 1; i < tree->nnodes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (tree->nodes[i].leaves.lo < tree->nodes[i].leaves.hi)
			add_halves(tree, i, tree->nodes[i].leaves);
	}
	return tree;
}

const Tree *
steps_of(const Domain *domain)
{
	return domain->tree != NULL ? domain->tree : ladder_of(domain);
}

double *
losses_of(const Domain *domain, const Tree *tree, bool entropy)
{
	double	   *loss = new_zeros(double, tree->nnodes);
	Entropies	entropies = entropy ? entropies_create(domain) : (Entropies) {.rows = NULL};

	for (uint32 i = 0; i < tree->nnodes; i++)
		loss[i] = entropy ? cell_entropy(&entropies, tree->nodes[i].leaves) : domain_loss(domain, tree->nodes[i].leaves);
	if (entropy)
		entropies_free(&entropies);
	return loss;
}

/* ----------------------------------------------------------------
 * Stage 1: all cells that have the same value become more specific together
 *
 * A part is a node of a column's cut.  Of those that can be split without harming a person, the one is split whose
 * ratio of information gained to privacy lost is greatest (paper 000, equation 7).  The paper leaves open what that is
 * where no privacy is lost, or some is gained, as diversity can be, or nothing is to be lost: then it is infinite, and
 * of those the one comes first that gains most.
 *
 * A part that cannot be split is given up for ever, where levels cannot rise: what has become more specific links no
 * less.  So what a split would have left when it was asked for is a bound on what it would leave by now, and those are
 * not asked for again that are worth less even so.
 *
 * Diversity may rise, so there those parts are tried again, and all are asked for, but where they are many: then those
 * are not whose ratio was not among the greatest when they were asked for last.  It may also be too low when all is
 * withheld: until it is high enough, whatever raises it most is split.
 * ----------------------------------------------------------------
 */

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

/* A part without people says nothing, split or not. */
static void
add_part(Cutting *cutting, int32 column, uint32 node)
{
	const SeqColumn *own = &cutting->search->task->column[column];
	CutPart		part = {.column = column, .node = node};
	const TreeNode *parent;

	if (is_leaf(own->tree, node) ||
		first_of(cutting, &part) == end_of(cutting, &part))
		return;
	part.worth.level = INFINITY;
	parent = &own->tree->nodes[lowest(own->tree, node)];
	for (uint32 child = parent->first_child; child < parent->first_child + parent->nchildren; child++)
	{
		Span		leaves = own->tree->nodes[child].leaves;

		part.worth.gain += (cutting->before[column][(Size) leaves.hi + 1] - cutting->before[column][leaves.lo]) *
			(own->loss[node] - own->loss[child]);
	}
	array_reserve(cutting->part, cutting->room, cutting->nparts + 1);
	cutting->part[cutting->nparts++] = part;
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

/* Values a split by the level that it left when it was asked for. */
static void
appraise(const Cutting *cutting, Worth *worth)
{
	worth->cost = isinf(cutting->level) && isinf(worth->level) ? 0 :
		Max(0.0, cutting->level - worth->level);
	worth->allowed = worth->level >= cutting->search->task->k;
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

/* Asks for the parts that may be the best, and gives up those that are hopeless; returns the one to be split next, or NULL. */
static CutPart *
choose_part(Cutting *cutting)
{
	CutPart    *best = NULL;
	uint32		left = 0;

	for (uint32 i = 0; i < cutting->nparts; i++)
		appraise(cutting, &cutting->part[i].worth);
	qsort(cutting->part, cutting->nparts, sizeof(CutPart), compare_parts);
	for (uint32 i = 0; i < cutting->nparts; i++)
	{
		CutPart		part = cutting->part[i];
		bool		asked = best == NULL || !best->worth.allowed || best->worth.cost > 0 || part.worth.gain > best->worth.gain;

		asked = asked && (best == NULL || is_better(&part.worth, &best->worth) ||
						  (cutting->search->guard->may_rise && cutting->nparts <= ALL_ASKED));
		if (asked)
		{
			Search	   *search = cutting->search;
			Trial		trial = begin_trial(search);
			double		loss = search->people->loss;

			/* Tries a split to learn its worth, and undoes it. */
			CHECK_FOR_INTERRUPTS();
			split(cutting, &part);
			web_settle(search->people->web);
			part.worth.level = guard_measure(search->guard, trial.web, trial.people, cutting->level);
			appraise(cutting, &part.worth);
			undo_trial(search, trial);
			search->people->loss = loss;
		}
		if (asked && !part.worth.allowed && !cutting->search->guard->may_rise)
			continue;
		cutting->part[left] = part;
		if (asked && (best == NULL || is_better(&part.worth, &best->worth)))
			best = &cutting->part[left];
		left++;
	}
	cutting->nparts = left;
	return best == NULL || (cutting->holds && !best->worth.allowed) ? NULL : best;
}

/* Splits a part, and adds its children to the parts. */
static void
split_for_good(Cutting *cutting, CutPart *chosen)
{
	Search	   *search = cutting->search;
	Trial		trial = begin_trial(search);
	CutPart		part = *chosen;
	const Tree *tree = search->task->column[part.column].tree;
	const TreeNode *parent = &tree->nodes[lowest(tree, part.node)];

	*chosen = cutting->part[--cutting->nparts];
	split(cutting, &part);
	web_settle(search->people->web);
	cutting->level = guard_measure(search->guard, trial.web, trial.people, cutting->level);
	cutting->holds |= part.worth.allowed;
	keep_trial(search);
	for (uint32 child = parent->first_child; child < parent->first_child + parent->nchildren; child++)
		add_part(cutting, part.column, child);
}

/*
 * Stage 1: finds a cut through each column's tree.  Returns false if what was promised does not hold, and could not be
 * made to.  level: what the cut gives, or would have given at its best.
 */
static bool
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

/* ----------------------------------------------------------------
 * Stage 2: cells become more specific each by itself
 *
 * Cells are tried in random buckets first, which shrink, as in the paper.  The records of a lot are alike, so they go
 * into one bucket, with one column at a time.  In the end lots are tried one by one.  Whether a record can take a step
 * depends on the piece that it leaves and the one that it comes to, not on whose it is; so where one could not, no
 * other is tried.  That stays true, however specific others become, unless levels may rise: then they are tried again
 * once something has changed.
 * ----------------------------------------------------------------
 */

/* Buckets shrink by this factor */
#define SHRINKING	4

/* Puts lots into a random order, which the seed gives. */
static void
shuffle_lots(Search *search, Pile *pile)
{
	for (uint32 i = pile->n; i > 1; i--)
	{
		uint32		j = pg_prng_uint64_range(&search->random, 0, i - 1);
		uint32		number = pile->number[i - 1];

		pile->number[i - 1] = pile->number[j];
		pile->number[j] = number;
	}
}

/* Lots that have cells that are not leaves, in random order */
static Pile
list_lots(Search *search)
{
	Pile		lots = {0};

	array_reserve(lots.number, lots.room, 64);
	for (uint32 l = 0; l < search->people->nlots; l++)
	{
		int32		c = 0;

		while (c < search->task->ncolumns && !can_step(search->people, l, c))
			c++;
		if (c < search->task->ncolumns)
			pile_add(&lots, l);
	}
	shuffle_lots(search, &lots);
	return lots;
}

/* ----------------------------------------------------------------
 * Buckets
 * ----------------------------------------------------------------
 */

/* Tries to make a bucket of lots, from this one on, more specific; returns where the next one begins. */
static uint32
try_bucket(Search *search, const Pile *lots, uint32 begin, uint64 bucket_size)
{
	Trial		trial = begin_trial(search);
	uint64		ncells = 0;
	uint32		i = begin;

	for (; i < lots->n && (i == begin || ncells < bucket_size); i++)
	{
		uint32		lot = lots->number[i];
		uint32		size = Min(search->people->lot[lot].size, bucket_size);
		int32		column = -1;	/* one of those in which the lot can become more specific */
		uint32		n = 0;

		for (int32 c = 0; c < search->task->ncolumns; c++)
			if (can_step(search->people, lot, c) && pg_prng_uint64_range(&search->random, 0, n++) == 0)
				column = c;
		if (column < 0)
			continue;
		(void) people_shift(search->people, lot, column, size);
		ncells += size;
	}
	(void) judge_trial(search, trial);
	return i;
}

static bool
try_lot(Search *search, uint32 lot, int32 column, uint32 size)
{
	Trial		trial = begin_trial(search);

	CHECK_FOR_INTERRUPTS();
	(void) people_shift(search->people, lot, column, size);
	return judge_trial(search, trial);
}

/* Makes as many of a lot more specific in a column as can be. */
static bool
step_lot(Search *search, uint32 lot, int32 column)
{
	SeqPeople  *people = search->people;
	uint32		size = people->lot[lot].size;

	if (try_lot(search, lot, column, size))
		return true;
	if (size == 1 || !try_lot(search, lot, column, 1))
		return false;
	for (size /= 2; size > 0 && people->lot[lot].size > 0;)
	{
		size = Min(size, people->lot[lot].size);
		if (!try_lot(search, lot, column, size))
			size /= 2;
	}
	return true;
}

/* Makes a lot more specific in each column that it can be, and adds those who are to the lots. */
static void
exhaust_lot(Search *search, Pile *lots, uint32 lot)
{
	SeqPeople  *people = search->people;

	for (int32 c = 0; c < search->task->ncolumns; c++)
	{
		uint32		to;
		uint32		reached;

		if (!can_step(people, lot, c))
			continue;
		to = piece_below(people, lot, c);
		if (!step_lot(search, lot, c))
			continue;
		for (reached = people->lots[people->lot[lot].band]; people->lot[reached].piece != to;)
			reached = people->lot[reached].next;
		pile_add(lots, reached);
	}
}

/* Makes these lots more specific, one after the other, until none can be; false if it gave up. */
static bool
exhaust_lots(Search *search, Pile *lots)
{
	uint64		before;

	do
	{
		before = search->kept;
		for (uint32 i = 0; i < lots->n; i++)
		{
			if (steps_taken(search) > search->most_steps)
				return false;
			exhaust_lot(search, lots, lots->number[i]);
		}
	} while (search->guard->may_rise && search->kept > before);
	return true;
}

/* Makes all lots more specific until none can be. */
static void
exhaust_all(Search *search)
{
	uint64		before;

	do
	{
		Pile		lots = list_lots(search);

		before = search->kept;
		clear_web(search);
		(void) exhaust_lots(search, &lots);
		pfree(lots.number);
	} while (search->kept > before);
}

/* Stage 2: makes cells more specific until not a single one can be. */
static void
specialise_cells(Search *search)
{
	uint64		ncells = 0;
	Pile		lots = list_lots(search);

	for (uint32 i = 0; i < lots.n; i++)
		ncells += search->people->lot[lots.number[i]].size;
	pfree(lots.number);
	for (; ncells > 1; ncells /= SHRINKING)
	{
		lots = list_lots(search);
		clear_web(search);
		for (uint32 i = 0; i < lots.n;)
		{
			CHECK_FOR_INTERRUPTS();
			i = try_bucket(search, &lots, i, ncells);
		}
		pfree(lots.number);
	}
	exhaust_all(search);
}

/* ----------------------------------------------------------------
 * Stage 3: trying again, here and there, which cells stay withheld
 *
 * After stage 2 no cell can become more specific by itself.  But of the people who are hidden among each other, others
 * might have done instead, or fewer.  So a lot that still loses something is drawn, and others within its region are
 * made as unspecific as it is; then all of them are exhausted again, in another order.  What loses less is kept,
 * anything else undone.
 *
 * What is less specific has a larger kernel, so the web is made anew each time.  The stage ends when it has cost about
 * as much as those before.
 * ----------------------------------------------------------------
 */

#define MOST_ATTEMPTS	200

/* It may cost this much, or as much as the stages before, whichever is more: some tenths of a second */
#define FREE_STEPS		20000000

/* Lots in an attempt */
#define MOST_REOPENED	500

/* Gains less than this are rounding */
#define LEAST_GAIN		1e-9

/* A lot that loses something, the more likely the more each of its records loses; or NOTHING. */
static uint32
draw_lot(Search *search)
{
	double		total = 0;
	uint32		chosen = NOTHING;

	for (uint32 l = 0; l < search->people->nlots; l++)
	{
		double		loss = 0;

		for (int32 c = 0; c < search->task->ncolumns; c++)
			if (can_step(search->people, l, c))
				loss += search->task->column[c].loss[lot_cell(search->people, l, c)];
		total += loss;
		if (loss > 0 && pg_prng_double(&search->random) * total < loss)
			chosen = l;
	}
	return chosen;
}

/* Is a region's every cell within that of another? */
static bool
is_within(const Search *search, uint32 region, uint32 outer)
{
	const TupleNumbers *regions = search->people->regions;
	const uint32 *inner_key = tuple_words(regions, region);
	const uint32 *outer_key = tuple_words(regions, outer);

	if (inner_key[0] != outer_key[0])
		return false;
	for (int32 c = 0; c < search->task->ncolumns; c++)
	{
		const TreeNode *nodes = search->task->column[c].tree->nodes;

		if (!span_contains(nodes[outer_key[1 + c]].leaves, nodes[inner_key[1 + c]].leaves))
			return false;
	}
	return true;
}

/* Lists the lots in a lot's region, or some of them, if they are many. */
static Pile
find_within(Search *search, uint32 lot)
{
	const SeqPeople *people = search->people;
	uint32		region = people->piece[people->lot[lot].piece].region;
	Pile		lots = {0};

	for (uint32 l = 0; l < people->nlots; l++)
		if (people->lot[l].size > 0 && is_within(search, people->piece[people->lot[l].piece].region, region))
			pile_add(&lots, l);
	shuffle_lots(search, &lots);
	lots.n = Min(lots.n, MOST_REOPENED);
	pile_add(&lots, lot);
	return lots;
}

/* Makes lots as unspecific as one of them, and exhausts them anew; undoes it unless that loses less. */
static bool
attempt(Search *search, uint32 lot)
{
	SeqPeople  *people = search->people;
	uint32		region = people->piece[people->lot[lot].piece].region;
	double		loss = people->loss;
	Pile		lots = find_within(search, lot);
	bool		better;

	for (uint32 i = 0; i < lots.n; i++)
		if (people->piece[people->lot[lots.number[i]].piece].region != region)
			lots.number[i] = people_lift(people, lots.number[i], region, people->lot[lots.number[i]].size);
	weave_anew(search);
	shuffle_lots(search, &lots);
	better = exhaust_lots(search, &lots) && people->loss < loss - LEAST_GAIN;
	if (!better)
		people_undo(people, 0);
	pfree(lots.number);
	return better;
}

/* Stage 3: lowers the loss further; not a single cell could be more specific afterwards, either. */
static void
refine_cells(Search *search)
{
	bool		stale = false;

	search->most_steps = steps_taken(search) + Max(steps_taken(search), FREE_STEPS);
	for (int i = 0; i < MOST_ATTEMPTS && steps_taken(search) < search->most_steps; i++)
	{
		uint32		lot = draw_lot(search);

		if (lot == NOTHING)
			break;
		people_commit(search->people);
		search->reversible = true;
		stale = !attempt(search, lot);
		search->reversible = false;
	}
	search->most_steps = PG_UINT64_MAX;
	if (stale)
		weave_anew(search);
	people_commit(search->people);
	exhaust_all(search);
}

SeqOutcome
specialise(const SeqTask *task)
{
	const JoinRelease *release = &task->join->release[task->join->nreleases - 1];
	Search		search = {.task = task, .most_steps = PG_UINT64_MAX};
	SeqOutcome	outcome = {0};
	bool		any_value = false;
	MemoryContext work;
	MemoryContext before;

	for (int32 c = 0; c < task->ncolumns; c++)
		for (uint32 i = 0; i < release->nrecords; i++)
		{
			task->column[c].node[i] = 0;
			task->column[c].cells[i] = is_record_of_absent(task, i) ? ANYTHING : task->column[c].span[0];
		}
	if (task->withheld)
		return (SeqOutcome) {.found = true};
	for (int32 r = 0; r < task->join->nreleases; r++)
		any_value |= task->join->release[r].sensitive != NULL;
	if (!any_value)
	{
		uint32		nrecords = task->join->release[task->join->nreleases - 1].nrecords;

		/* Where no release shows a sensitive value there is nothing to link a person to. */
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
	work = AllocSetContextCreate(CurrentMemoryContext, "sequential", ALLOCSET_DEFAULT_SIZES);
	before = MemoryContextSwitchTo(work);
	search.people = people_create(task, join_graph(task->join));
	search.guard = guard_create(task, search.people);
	pg_prng_seed(&search.random, task->seed);
	outcome.found = specialise_cuts(&search, &outcome.level);
	outcome.cut_level = outcome.level;
	outcome.cut_loss = outcome.cell_loss = people_loss(search.people);
	if (outcome.found && task->single_cells)
	{
		specialise_cells(&search);
		outcome.cell_loss = people_loss(search.people);
		if (task->refined)
			refine_cells(&search);
	}
	if (outcome.found)
	{
		outcome.loss = people_loss(search.people);
		outcome.level = guard_measure_all(search.guard);
		people_write(search.people);
	}
	outcome.trials = search.trials;
	MemoryContextSwitchTo(before);
	MemoryContextDelete(work);
	return outcome;
}
