/*
 * first_cuts.c
 *		The first cuts of many records, made in a sample of them.
 *
 * NOTES
 *		Rows are drawn for the sample, one in so many, and a record is in it that
 *		has any of them.  It stands for as many rows as were drawn of it; those
 *		that the principle is asked about are its own.
 *
 *		A record of the sample goes to the part in which the sample has it.  So a
 *		part has all rows that the principle allowed there, and others: if the
 *		principle is monotonous, it allows them, too.  Any other is asked again.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/first_cuts.h"
#include "utils/memutils.h"

/* Rows drawn for each part that is to be: its last cut is weighed by twice as many. */
#define DRAWN_PER_PART	256

/* A sample pays where there are so many times more records. */
#define LEAST_RECORDS	4

/* Codes from one on, up to where the next branch begins. */
typedef struct Branch
{
	Code		from;
	uint32		fork;			/* where their records go */
} Branch;

/* Where the sample was cut along a dimension; or, without branches, a part. */
typedef struct Fork
{
	int			d;
	uint32		first_branch;
	uint32		nbranches;
	uint32		first_part;		/* the first of those below, which stand side by side */
	uint32		end_part;
} Fork;

/* Some of the sample that is still to be cut, and the fork that it will be. */
typedef struct Pending
{
	Part		part;
	uint32		fork;
} Pending;

typedef struct FirstCuts
{
	Work	   *work;			/* borrowed */
	CutStack	sample;			/* no parts */
	uint32		nsample;
	uint32		nparts;

	/* The root comes first, and each fork before those below */
	uint32		nforks;
	uint32		forks_allocated;
	Fork	   *forks;
	uint32		nbranches;
	uint32		branches_allocated;
	Branch	   *branches;

	uint32		npending;
	uint32		pending_allocated;
	Pending    *pending;

	uint32		children_allocated;
	uint32	   *fork_of_child;	/* of a tree's node: where its children's records go */
} FirstCuts;

#define NO_FORK PG_UINT32_MAX

/* Draws one row in so many. */
static void
draw_sample(FirstCuts *cuts, uint64 nrows, uint32 ndrawn)
{
	const Records *records = cuts->work->records;
	uint32		r = 0;

	cuts->sample = cut_stack_with_room(records, ndrawn);
	for (uint32 i = 0; i < ndrawn; i++)
	{
		uint32		weight = slice_start(nrows, ndrawn, i + 1) - slice_start(nrows, ndrawn, i);

		CHECK_FOR_INTERRUPTS();
		while (records->first[r + 1] <= slice_start(nrows, ndrawn, i))
			r++;
		if (cuts->nsample > 0 && cuts->sample.items[cuts->nsample - 1] == r)
			cuts->sample.nrows[cuts->nsample - 1] += weight;
		else
			cut_stack_put(&cuts->sample, records, cuts->nsample++, r, weight);
	}
}

/* Leaves a part of the sample to be cut. */
static void
put_off(FirstCuts *cuts, Part part)
{
	array_reserve(cuts->forks, cuts->forks_allocated, cuts->nforks + 1);
	array_reserve(cuts->pending, cuts->pending_allocated, cuts->npending + 1);
	cuts->forks[cuts->nforks] = (Fork) {0};
	cuts->pending[cuts->npending++] = (Pending) {part, cuts->nforks++};
}

/* Adds a branch of codes from one on; the first one takes all before that, too. */
static void
add_branch(FirstCuts *cuts, Fork *fork, Code from, uint32 to)
{
	Branch		branch = {fork->nbranches == 0 ? 0 : from, to};

	array_reserve(cuts->branches, cuts->branches_allocated, cuts->nbranches + 1);
	cuts->branches[cuts->nbranches++] = branch;
	fork->nbranches++;
}

static inline Code
code_of(const FirstCuts *cuts, uint32 i, int d)
{
	return cuts->sample.tuples[(Size) i * cuts->work->records->ndimensions + d];
}

/* The codes of a part of the sample along a dimension. */
static Span
codes_of(const FirstCuts *cuts, Part part, int d)
{
	Span		codes = {NO_CODE, 0};

	for (uint32 i = part.from; i < part.to; i++)
		codes = span_hull(codes, span_of(code_of(cuts, i, d)));
	return codes;
}

/* The branches of a line, whose parts follow each other. */
static void
branch_line(FirstCuts *cuts, Fork *fork, const Pending *parts, uint32 nparts)
{
	for (uint32 p = 0; p < nparts; p++)
		add_branch(cuts, fork, codes_of(cuts, parts[p].part, fork->d).lo, parts[p].fork);
}

/* Notes where the children of a tree's node went. */
static void
note_children(FirstCuts *cuts, const Fork *fork, const Tree *tree, uint32 node, const Pending *parts, uint32 nparts)
{
	uint32		first_child = tree->nodes[node].first_child;
	uint32		nchildren = tree->nodes[node].nchildren;

	array_reserve(cuts->fork_of_child, cuts->children_allocated, nchildren);
	for (uint32 c = 0; c < nchildren; c++)
		cuts->fork_of_child[c] = NO_FORK;
	for (uint32 p = 0; p < nparts; p++)
		for (uint32 i = parts[p].part.from; i < parts[p].part.to; i++)
			cuts->fork_of_child[tree_child_holding(tree, node, code_of(cuts, i, fork->d)) - first_child] = parts[p].fork;
}

/* The branches of a tree: each child's codes stay together; those of one that the sample lacks go with the child before. */
static void
branch_tree(FirstCuts *cuts, Fork *fork, const Tree *tree, const Pending *parts, uint32 nparts)
{
	Span		all = codes_of(cuts, (Part) {parts[0].part.from, parts[nparts - 1].part.to}, fork->d);
	uint32		node = tree_common_ancestor(tree, all.lo, all.hi);
	uint32		before = NO_FORK;

	note_children(cuts, fork, tree, node, parts, nparts);
	for (uint32 c = 0; c < tree->nodes[node].nchildren; c++)
	{
		uint32		to = cuts->fork_of_child[c];

		if (to == NO_FORK || to == before)
			continue;
		add_branch(cuts, fork, tree->nodes[tree->nodes[node].first_child + c].leaves.lo, to);
		before = to;
	}
}

/* Does a part of the sample stand for so many records and rows at most? */
static bool
is_small(const FirstCuts *cuts, Part part, uint32 most_records, uint64 most_rows)
{
	double		nrecords = 0;
	uint64		nrows = 0;

	for (uint32 i = part.from; i < part.to; i++)
	{
		double		rows = cuts->sample.nrows[i];

		nrows += cuts->sample.nrows[i];
		nrecords += Max(1, rows / record_rows(cuts->work->records, cuts->sample.items[i]));
	}
	return nrecords <= most_records && nrows <= most_rows;
}

/* Makes a fork where some of the sample was cut into so many parts, which are still to be cut. */
static Fork
make_fork(FirstCuts *cuts, int d, uint32 nparts)
{
	const Pending *parts = &cuts->pending[cuts->npending - nparts];
	const Tree *tree = cuts->work->records->dimensions[d].domain->tree;
	Fork		fork = {.d = d, .first_branch = cuts->nbranches};

	if (tree == NULL)
		branch_line(cuts, &fork, parts, nparts);
	else
		branch_tree(cuts, &fork, tree, parts, nparts);
	return fork;
}

/* Makes forks from the top down, until parts are small or cannot be cut. */
static void
cut_sample(FirstCuts *cuts, uint32 most_records, uint64 most_rows)
{
	Cutter	   *cutter = cutter_create(cuts->work, cuts->nsample);

	put_off(cuts, (Part) {0, cuts->nsample});
	while (cuts->npending > 0)
	{
		Pending		pending = cuts->pending[--cuts->npending];
		uint32		start = pending.part.from;
		const Part *parts;
		uint32		nparts = 0;

		CHECK_FOR_INTERRUPTS();
		if (!is_small(cuts, pending.part, most_records, most_rows))
			nparts = cut_records(cutter, &cuts->sample, pending.part, &parts);
		for (uint32 p = 0; p < nparts; p++)
			put_off(cuts, (Part) {start + parts[p].from, start + parts[p].to});
		if (nparts > 0)
			cuts->forks[pending.fork] = make_fork(cuts, cut_dimension(cutter), nparts);
		else
		{
			cuts->forks[pending.fork] = (Fork) {.first_part = cuts->nparts, .end_part = cuts->nparts + 1};
			cuts->nparts++;
		}
	}
}

/* The branch that a code takes. */
static const Branch *
find_branch(const FirstCuts *cuts, const Fork *fork, Code code)
{
	const Branch *branch = &cuts->branches[fork->first_branch];
	uint32		n = fork->nbranches;

	while (n > 1)
	{
		uint32		half = n / 2;

		if (branch[half].from <= code)
			branch += half;
		n -= half;
	}
	return branch;
}

/* The part of a record. */
static uint32
find_part(const FirstCuts *cuts, uint32 record)
{
	const Code *tuple = record_tuple(cuts->work->records, record);
	const Fork *fork = &cuts->forks[0];

	while (fork->nbranches > 0)
		fork = &cuts->forks[find_branch(cuts, fork, tuple[fork->d])->fork];
	return fork->first_part;
}

/* Sends each record to its part. */
static FirstParts *
send_records(const FirstCuts *cuts)
{
	FirstParts *parts = palloc0(sizeof(FirstParts));
	uint32		nrecords = cuts->work->records->nrecords;
	uint32	   *part = new_array(uint32, nrecords);

	for (uint32 r = 0; r < nrecords; r++)
	{
		CHECK_FOR_INTERRUPTS();
		part[r] = find_part(cuts, r);
	}
	parts->nparts = cuts->nparts;
	list_by_group(part, nrecords, cuts->nparts, &parts->first, &parts->records);
	pfree(part);
	return parts;
}

/* Does the principle allow parts together? */
static bool
parts_allowed(const FirstCuts *cuts, const FirstParts *parts, const Fork *fork)
{
	Work	   *work = cuts->work;

	for (uint64 i = parts->first[fork->first_part]; i < parts->first[fork->end_part]; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_record(work, work->tally, parts->records[i]);
	}
	return allowed_at_once(work);
}

/* Takes back cuts with a part below that is not allowed, from the bottom up; for a principle that is not monotonous. */
static void
join_refused(FirstCuts *cuts, FirstParts *parts)
{
	bool	   *is_allowed = new_zeros(bool, cuts->nforks);
	bool	   *begins = new_zeros(bool, parts->nparts);	/* does a part begin here? */
	uint64		nparts = 0;

	for (uint32 f = cuts->nforks; f-- > 0;)
	{
		Fork	   *fork = &cuts->forks[f];
		const Branch *branch = &cuts->branches[fork->first_branch];
		bool		are_allowed = fork->nbranches > 0;

		if (fork->nbranches > 0)
			*fork = (Fork) {fork->d, fork->first_branch, fork->nbranches, PG_UINT32_MAX, 0};
		for (uint32 b = 0; b < fork->nbranches; b++)
		{
			const Fork *below = &cuts->forks[branch[b].fork];

			fork->first_part = Min(fork->first_part, below->first_part);
			fork->end_part = Max(fork->end_part, below->end_part);
			are_allowed &= is_allowed[branch[b].fork];
		}
		is_allowed[f] = are_allowed || parts_allowed(cuts, parts, fork);
		if (are_allowed)
			continue;
		memset(begins + fork->first_part, false, fork->end_part - fork->first_part);
		begins[fork->first_part] = true;
	}
	for (uint64 p = 0; p < parts->nparts; p++)
		if (begins[p])
			parts->first[nparts++] = parts->first[p];
	parts->first[nparts] = parts->first[parts->nparts];
	parts->nparts = nparts;
}

FirstParts *
first_cuts(Work *work, uint32 most_records, uint64 most_rows)
{
	const Records *records = work->records;
	uint64		nrows = records->first[records->nrecords];
	uint64		ndrawn = DRAWN_PER_PART * Max(records->nrecords / most_records, nrows / most_rows);
	MemoryContext context;
	MemoryContext outer;
	FirstCuts	cuts = {.work = work};
	FirstParts *parts = NULL;

	if (ndrawn == 0 || records->nrecords / LEAST_RECORDS < ndrawn)
		return NULL;
	context = AllocSetContextCreate(CurrentMemoryContext, "first cuts", ALLOCSET_DEFAULT_SIZES);
	outer = MemoryContextSwitchTo(context);
	draw_sample(&cuts, nrows, ndrawn);
	cut_sample(&cuts, most_records, most_rows);
	if (cuts.nparts > 1)
	{
		MemoryContextSwitchTo(outer);
		parts = send_records(&cuts);
		MemoryContextSwitchTo(context);
		if (!work->monotonous)
			join_refused(&cuts, parts);
	}
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(context);
	return parts;
}
