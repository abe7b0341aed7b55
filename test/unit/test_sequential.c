/*
 * test_sequential.c
 *		Do the releases that are found keep what was promised, and could no single
 *		cell be more specific?
 *
 * Thousands of small random histories, each judged from the definitions: record
 * by record, with all perfect matchings of two releases enumerated.  Larger ones
 * are judged by the audit.
 */
#include "shim.h"

#include <math.h>

#include "audit/join/join.h"
#include "frame/cells.h"
#include "matches.h"
#include "method/sequential/sequential.h"

#define MAX_RECORDS		400
#define FEW				5		/* records, where everything is enumerated */
#define MAX_COLUMNS		4
#define NVALUES			6

/* ---- Histories ---- */

typedef struct Story
{
	int			releases;		/* the last is to be found */
	int			records;
	int			columns;		/* quasi-identifiers, and then one insensitive column if it is shown */
	int			qis;
	int			leaves[MAX_COLUMNS];
	const Tree *tree[MAX_COLUMNS];
	double	   *loss[MAX_COLUMNS];
	Span	   *span[MAX_COLUMNS];
	Code		code[MAX_COLUMNS][MAX_RECORDS];
	Span		tuple[MAX_COLUMNS][MAX_RECORDS];	/* as far as it is known what people are */
	Code		value[MAX_RECORDS];
	bool		shown[MAX_RELEASES][MAX_COLUMNS];
	bool		tells[MAX_RELEASES];
	Span		cell[MAX_RELEASES][MAX_COLUMNS][MAX_RECORDS];
	Code		told[MAX_RELEASES][MAX_RECORDS];
	uint32		person[MAX_RECORDS];
	int			nabsent[MAX_RELEASES];	/* people, the last */
	bool		strict;			/* observers know who comes and goes */
	Code		null_value;
} Story;

/* A root, groups of leaves, and leaves; groups may be of one leaf. */
static const Tree *
random_tree(int nleaves)
{
	uint32		parent[64] = {0};
	Code		first_leaf[64] = {0};
	Code		leaves[64] = {nleaves};
	uint32	   *number;
	uint32		n = 1;
	uint32		ngroups;

	for (int leaf = 0; leaf < nleaves;)
	{
		int			size = 1 + any_below(nleaves - leaf);

		first_leaf[n] = leaf;
		leaves[n++] = size;
		leaf += size;
	}
	ngroups = n;
	for (uint32 group = 1; group < ngroups; group++)
		for (Code i = 0; i < leaves[group]; i++)
		{
			parent[n] = group;
			first_leaf[n] = first_leaf[group] + i;
			leaves[n++] = 1;
		}
	return tree_of_nodes(n, parent, first_leaf, leaves, false, &number);
}

static double *
widths(const Tree *tree)
{
	double	   *loss = palloc(sizeof(double) * tree->nnodes);

	for (uint32 i = 0; i < tree->nnodes; i++)
		loss[i] = span_width(tree->nodes[i].leaves) - 1;
	return loss;
}

static Span *
leaves(const Tree *tree)
{
	Span	   *span = palloc(sizeof(Span) * tree->nnodes);

	for (uint32 i = 0; i < tree->nnodes; i++)
		span[i] = tree->nodes[i].leaves;
	return span;
}

/* A node above a leaf, or the leaf itself */
static Span
random_cell(const Tree *tree, Code code)
{
	uint32		node = tree->leaf[code];

	while (any_below(2) && node != 0)
		node = tree->nodes[node].parent;
	return tree->nodes[node].leaves;
}

static void
add_column(Story *story, int nleaves)
{
	int			c = story->columns++;

	story->leaves[c] = nleaves;
	story->tree[c] = random_tree(nleaves);
	story->loss[c] = widths(story->tree[c]);
	story->span[c] = leaves(story->tree[c]);
	for (int i = 0; i < story->records; i++)
	{
		story->code[c][i] = any_below(nleaves);
		story->tuple[c][i] = span_of(story->code[c][i]);
	}
}

static Story
random_story(int releases, int records)
{
	Story		story = {.releases = releases,.records = records,.null_value = NO_CODE};
	int			nqis = 1 + any_below(MAX_COLUMNS - 1);

	for (int c = 0; c < nqis; c++)
		add_column(&story, 1 + any_below(5));
	story.qis = story.columns;
	if (any_below(4) == 0)
		add_column(&story, 2);
	for (int i = 0; i < records; i++)
	{
		story.person[i] = i;
		story.value[i] = any_below(NVALUES);
	}
	for (int r = 0; r < releases; r++)
	{
		story.tells[r] = any_below(3) > 0;
		for (int c = 0; c < story.columns; c++)
		{
			story.shown[r][c] = any_below(3) > 0;
			for (int i = 0; i < records; i++)
				story.cell[r][c][i] = c < story.qis ? random_cell(story.tree[c], story.code[c][i]) :
					span_of(story.code[c][i]);
		}
		for (int i = 0; i < records; i++)
			story.told[r][i] = story.value[i];
	}
	return story;
}

static bool
is_absent(const Story *story, int r, int person)
{
	return person >= story->records - story->nabsent[r];
}

/* Lets people be absent, the same of whom everybody is in one release at least. */
static void
let_be_absent(Story *story)
{
	int			whole = any_below(story->releases);

	story->strict = any_below(2);
	for (int r = 0; r < story->releases; r++)
	{
		bool		tells = any_below(2);

		story->nabsent[r] = r == whole ? 0 : any_below(story->records);
		for (int i = story->records - story->nabsent[r]; i < story->records; i++)
		{
			story->told[r][i] = tells ? story->value[i] : NO_CODE;
			for (int c = 0; c < story->columns; c++)
				story->cell[r][c][i] = ANYTHING;
		}
	}
}

/* What somebody may be who has left, if nothing is known of him but his cells */
static void
forget_absentees(Story *story)
{
	for (int i = 0; i < story->records; i++)
		for (int c = 0; c < story->qis && is_absent(story, story->releases - 1, i); c++)
		{
			Span	   *tuple = &story->tuple[c][i];

			if (any_below(3) == 0)
				continue;
			*tuple = story->tree[c]->nodes[0].leaves;
			for (int r = 0; r + 1 < story->releases; r++)
				if (story->shown[r][c])
					*tuple = (Span) {Max(tuple->lo, story->cell[r][c][i].lo), Min(tuple->hi, story->cell[r][c][i].hi)};
		}
}

/* Which of them may be the same person's, as far as observers know who comes and goes. */
static Together
together_of(const Story *story, int r, int s)
{
	Together	together = 0;

	for (int i = 0; i < story->records; i++)
		together |= may_be(is_absent(story, r, i), is_absent(story, s, i));
	return together;
}

/* ---- Finding a release ---- */

typedef struct Input
{
	JoinInput	join;
	JoinRelease release[MAX_RELEASES];
	const Span *cells[MAX_RELEASES][MAX_COLUMNS];
	Together	together[MAX_RELEASES * MAX_RELEASES];
	Code		code[MAX_COLUMNS][MAX_RECORDS];
	Code		end[MAX_COLUMNS][MAX_RECORDS];
	const Code *codes[MAX_COLUMNS];
	const Code *ends[MAX_COLUMNS];
	Code		shown[MAX_COLUMNS][MAX_RECORDS];	/* codes, but of those who are absent */
	JoinTuples	tuples;
	SeqColumn	column[MAX_COLUMNS];
	uint32		node[MAX_COLUMNS][MAX_RECORDS];
} Input;

static void
fill_input(Story *story, Input *input)
{
	for (int r = 0; r < story->releases; r++)
	{
		for (int c = 0; c < story->columns; c++)
			input->cells[r][c] = story->shown[r][c] ? story->cell[r][c] : NULL;
		input->release[r] = (JoinRelease) {
			.nrecords = story->records,.nabsent = story->nabsent[r],.cells = input->cells[r],.person = story->person,
			.sensitive = story->tells[r] ? story->told[r] : NULL
		};
	}
	input->join = (JoinInput) {
		.nreleases = story->releases,.release = input->release,.ncolumns = story->columns,
		.nqis = story->qis,.nvalues = NVALUES,.null_value = story->null_value,
		.together = story->strict ? input->together : NULL
	};
	for (int s = 0; s < story->releases; s++)
		for (int r = 0; r < s; r++)
			input->together[pair_number(r, s)] = together_of(story, r, s);
	for (int c = 0; c < story->columns; c++)
	{
		input->codes[c] = input->code[c];
		input->ends[c] = input->end[c];
		for (int i = 0; i < story->records; i++)
		{
			input->code[c][i] = story->tuple[c][i].lo;
			input->end[c][i] = story->tuple[c][i].hi;
		}
	}
	input->tuples = (JoinTuples) {.ntuples = story->records,.code = input->codes,.end = input->ends};
}

/* Writes the last release's cells. */
static SeqOutcome
find(Story *story, SeqTask task)
{
	Input	   *input = palloc(sizeof(Input));
	int			last = story->releases - 1;

	fill_input(story, input);
	task.join = &input->join;
	task.column = input->column;
	task.tuples = &input->tuples;
	for (int c = 0; c < story->qis; c++)
	{
		if (!story->shown[last][c])
			continue;
		for (int i = 0; i < story->records; i++)
			input->shown[c][i] = is_absent(story, last, i) ? NO_CODE : story->code[c][i];
		input->column[task.ncolumns++] = (SeqColumn) {
			.column = c,.tree = story->tree[c],.loss = story->loss[c],
			.span = story->span[c],.code = input->shown[c],.node = input->node[c],.cells = story->cell[last][c]
		};
	}
	return specialise(&task);
}

/* ---- Levels from their definitions ---- */

static bool
is_consistent(const Story *story, int r, int i, int s, int j)
{
	for (int c = 0; c < story->columns; c++)
		if (story->shown[r][c] && story->shown[s][c] &&
			!span_overlaps(story->cell[r][c][i], story->cell[s][c][j]))
			return false;
	if (story->strict && !(together_of(story, r, s) & may_be(is_absent(story, r, i), is_absent(story, s, j))))
		return false;
	return !story->tells[r] || !story->tells[s] || story->told[r][i] == NO_CODE ||
		story->told[s][j] == NO_CODE || story->told[r][i] == story->told[s][j];
}

/* Are all these records of people who are not there? */
static bool
is_nobody_at(const Story *story, const int *record)
{
	bool		nobody = story->strict;

	for (int r = 0; r < story->releases; r++)
		nobody &= is_absent(story, r, record[r]);
	return nobody;
}

static void
find_people(const Story *story, Joined *joined)
{
	find_cliques(joined);
	for (int c = 0; c < ncliques_of(joined); c++)
	{
		int			record[MAX_RELEASES];

		members_of(joined, c, record);
		joined->clique[c] &= !is_nobody_at(story, record);
	}
}

static Joined
join(const Story *story, bool kernel)
{
	Joined		joined = {.releases = story->releases,.records = story->records};
	Joined		before;

	for (int r = 0; r < story->releases; r++)
		for (int s = 0; s < story->releases; s++)
			for (int i = 0; i < story->records; i++)
				for (int j = 0; j < story->records; j++)
					joined.edge[r][s][i][j] = r != s && is_consistent(story, r, i, s, j);
	find_people(story, &joined);
	while (kernel)
	{
		before = joined;
		drop_no_matches(&joined);
		find_people(story, &joined);
		if (story->releases > 2)
			find_edges(&joined);
		if (memcmp(&before, &joined, sizeof(Joined)) == 0)
			break;
	}
	return joined;
}

static double
level_of(const Story *story, const Joined *joined, int person, bool diversity)
{
	int			cliques[NVALUES + 1] = {0};
	int			values = 0;
	int			total = 0;
	int			most = 0;
	bool		any = false;

	for (int c = 0; c < ncliques_of(joined); c++)
	{
		int			record[MAX_RELEASES];
		bool		consistent = joined->clique[c];
		Code		value = NO_CODE;

		members_of(joined, c, record);
		for (int r = 0; r < story->releases; r++)
		{
			for (int q = 0; q < story->qis; q++)
				consistent &= !story->shown[r][q] ||
					span_contains(story->cell[r][q][record[r]], story->tuple[q][person]);
			if (story->tells[r] && story->told[r][record[r]] != NO_CODE)
				value = story->told[r][record[r]];
		}
		any |= consistent;
		if (consistent && (value == NO_CODE || value != story->null_value))
			cliques[value == NO_CODE ? NVALUES : value]++;
	}
	for (int v = 0; v <= NVALUES; v++)
	{
		values += cliques[v] > 0;
		total += cliques[v];
		most = Max(most, cliques[v]);
	}
	if (!any || (values == 1 && cliques[NVALUES] > 0))
		return INFINITY;	/* linked to nothing */
	return !diversity ? values : most == 0 ? 0 : (double) total / most;
}

static double
least_level(const Story *story, bool kernel, bool diversity)
{
	Joined	   *joined = palloc(sizeof(Joined));
	double		least = INFINITY;
	bool		told = false;

	for (int r = 0; r < story->releases; r++)
		told |= story->tells[r];
	*joined = join(story, kernel);
	for (int i = 0; told && i < story->records; i++)
		least = Min(least, level_of(story, joined, i, diversity));
	pfree(joined);
	return least;
}

/* ---- What must be so ---- */

/* The next narrower cell that holds a code; the same one if there is none. */
static Span
narrower(const Tree *tree, Span cell, Code code)
{
	uint32		node = tree->leaf[code];
	Span		next = tree->nodes[node].leaves;

	while (!span_equal(tree->nodes[node].leaves, cell))
	{
		next = tree->nodes[node].leaves;
		node = tree->nodes[node].parent;
	}
	return next;
}

/* Where nothing is told of somebody: who is known not to be there may be what nobody is who is. */
static Span
withheld_cell(const Story *story, int c, int person)
{
	return story->strict && is_absent(story, story->releases - 1, person) ? ANYTHING :
		story->tree[c]->nodes[0].leaves;
}

static void
check_cells(const Story *story, bool single)
{
	int			last = story->releases - 1;

	for (int c = 0; c < story->qis; c++)
		for (int i = 0; story->shown[last][c] && i < story->records; i++)
		{
			Span		cell = story->cell[last][c][i];

			if (is_absent(story, last, i))
			{
				check(span_equal(cell, withheld_cell(story, c, i)));
				continue;
			}
			check(span_contains(cell, span_of(story->code[c][i])));
			check(span_equal(story->tree[c]->nodes[tree_node(story->tree[c], cell)].leaves, cell));
			for (int j = 0; !single && j < story->records; j++)
				check(is_absent(story, last, j) || span_equal(cell, story->cell[last][c][j]) ||
					  !span_overlaps(cell, story->cell[last][c][j]));
		}
}

/* No single cell could be more specific. */
static void
check_exhausted(Story *story, const SeqTask *task)
{
	int			last = story->releases - 1;

	for (int c = 0; c < story->qis; c++)
		for (int i = 0; story->shown[last][c] && i < story->records; i++)
		{
			Span		cell = story->cell[last][c][i];
			Span		next;

			if (is_absent(story, last, i))
				continue;
			next = narrower(story->tree[c], cell, story->code[c][i]);
			if (span_equal(next, cell))
				continue;
			story->cell[last][c][i] = next;
			check(least_level(story, task->kernel, task->diversity) < task->k);
			story->cell[last][c][i] = cell;
		}
}

static double
loss_of(const Story *story)
{
	int			last = story->releases - 1;
	double		loss = 0;

	for (int c = 0; c < story->qis; c++)
		for (int i = 0; story->shown[last][c] && i < story->records; i++)
			loss += is_absent(story, last, i) ? 0 : span_width(story->cell[last][c][i]) - 1;
	return loss;
}

static void
withhold(Story *story)
{
	for (int c = 0; c < story->qis; c++)
		for (int i = 0; i < story->records; i++)
			story->cell[story->releases - 1][c][i] = withheld_cell(story, c, i);
}

/* Nobody's value is hidden. */
static bool
is_all_told(const Story *story)
{
	bool		told = false;

	for (int r = 0; r < story->releases; r++)
		told |= story->tells[r] && story->nabsent[r] == 0;
	return told;
}

static int	nfound = 0;

static void
check_story(Story *story, SeqTask task)
{
	SeqOutcome	outcome = find(story, task);
	double		level = least_level(story, task.kernel, task.diversity);

	check_cells(story, task.single_cells);
	if (!outcome.found)
	{
		withhold(story);
		check(least_level(story, task.kernel, task.diversity) < task.k);
		check(outcome.level >= least_level(story, task.kernel, task.diversity));
		return;
	}
	nfound++;
	check(level >= task.k);
	check(outcome.level == level || fabs(outcome.level - level) < 1e-9);
	check_near(outcome.loss, loss_of(story));
	check(outcome.loss <= outcome.cell_loss && outcome.cell_loss <= outcome.cut_loss);
	if (task.single_cells)
		check_exhausted(story, &task);
	if (task.kernel && !task.diversity && is_all_told(story))
		check(least_level(story, false, false) >= level);
}

static SeqTask
random_task(void)
{
	SeqTask		task = {.k = 1 + any_below(3),.seed = any_below(100)};

	task.diversity = any_below(2);
	task.kernel = any_below(4) > 0;
	task.single_cells = any_below(4) > 0;
	task.refined = any_below(2);
	if (task.diversity)
		task.k -= any_below(10) / 10.0;
	return task;
}

static void
test_random(void)
{
	for (int i = 0; i < some_of(4000); i++)
	{
		Story		story = random_story(1 + any_below(MAX_RELEASES), 2 + any_below(FEW - 1));

		if (any_below(4) == 0)
			story.null_value = any_below(NVALUES);
		if (story.releases > 1 && any_below(3) == 0)
		{
			let_be_absent(&story);
			forget_absentees(&story);
		}
		check_story(&story, random_task());
	}
	check(nfound > some_of(500));
}

/* ---- Larger ones ---- */

static void
check_large(Story *story, SeqTask task)
{
	SeqOutcome	outcome = find(story, task);
	Input	   *input = palloc(sizeof(Input));
	JoinGraph  *graph;
	JoinTrouble trouble;
	LinkProfile *profile;
	double		level;

	if (!outcome.found)
		return;
	check_cells(story, task.single_cells);
	fill_input(story, input);
	graph = join_graph(&input->join);
	check(!task.kernel || join_kernel(graph, &trouble) == JOIN_FOUND);
	profile = link_profile(graph, &input->tuples, false);
	if (profile == NULL)
	{
		check(isinf(outcome.level));
		return;
	}
	level = task.diversity ? profile->least_diversity : profile->least_linkability;
	check(level >= task.k && level == outcome.level);
	check(outcome.loss <= outcome.cell_loss);
}

static void
test_large(void)
{
	for (int i = 0; i < 40; i++)
	{
		Story		story = random_story(2 + any_below(MAX_RELEASES - 1), 50 + any_below(MAX_RECORDS - 50));

		for (int r = 0; r + 1 < story.releases; r++)
			for (int c = 0; c < story.qis; c++)
				for (int j = 0; j < story.records && any_below(2); j++)
					story.cell[r][c][j] = span_of(story.code[c][j]);
		check_large(&story, random_task());
	}
}

/* Of several releases, what a cell tells may take company from people by what earlier ones show alone. */
static void
test_several(void)
{
	for (int i = 0; i < some_of(1500); i++)
	{
		Story		story = random_story(3 + any_below(MAX_RELEASES - 2), FEW + 1 + any_below(12));
		SeqTask		task = {.k = 2 + any_below(2),.kernel = true,.single_cells = true,.refined = any_below(2),.seed = i};

		check_large(&story, task);
	}
}

/* One release after the other, each found with all before. */
static void
test_sequences(void)
{
	for (int i = 0; i < some_of(300); i++)
	{
		Story		story = random_story(MAX_RELEASES, 2 + any_below(FEW - 1));
		SeqTask		task = {.k = 2,.kernel = true,.single_cells = true,.refined = true,.seed = i};

		for (story.releases = 1; story.releases <= MAX_RELEASES; story.releases++)
			check_story(&story, task);
	}
}

/* ---- By themselves ---- */

/* Example 1.1: age and disease are out; gender and disease must be generalised further. */
static void
test_example_1_1(void)
{
	Story		story = {.releases = 2,.records = 4,.columns = 2,.qis = 2,.null_value = NO_CODE};
	SeqTask		task = {.k = 2,.kernel = true,.single_cells = true,.refined = true};

	for (int c = 0; c < 2; c++)
	{
		story.tree[c] = tree_of_leaves(2, false);
		story.loss[c] = widths(story.tree[c]);
		story.span[c] = leaves(story.tree[c]);
	}
	for (int i = 0; i < 4; i++)
	{
		story.person[i] = story.value[i] = story.told[0][i] = story.told[1][i] = i;
		story.code[0][i] = i / 2;
		story.code[1][i] = i % 2;
		story.tuple[0][i] = span_of(i / 2);
		story.tuple[1][i] = span_of(i % 2);
		story.cell[0][0][i] = span_of(i / 2);
		story.cell[1][1][i] = span_of(i % 2);
	}
	story.shown[0][0] = story.shown[1][1] = true;
	story.tells[0] = story.tells[1] = true;
	check(least_level(&story, true, false) == 1);
	check_story(&story, task);
	check(loss_of(&story) > 0);

	/* Nobody can be linked to more than the two diseases of their age */
	task.k = 3;
	check(!find(&story, task).found);
	check(find(&story, task).level == 2);
}

/* Without sensitive values there is nothing to link anybody to. */
static void
test_nothing_sensitive(void)
{
	for (int i = 0; i < 100; i++)
	{
		Story		story = random_story(1 + any_below(MAX_RELEASES), FEW);
		SeqTask		task = random_task();

		memset(story.tells, 0, sizeof(story.tells));
		task.k = 100;
		check(find(&story, task).found);
		check(loss_of(&story) == 0);
	}
}

/* Diversity may be too low while all is withheld, and high enough where more is shown. */
static void
test_diversity_rises(void)
{
	int			rose = 0;

	for (int i = 0; i < some_of(500); i++)
	{
		Story		story = random_story(2, FEW);
		SeqTask		task = {.diversity = true,.kernel = true,.single_cells = true,.seed = i};
		double		level;

		withhold(&story);
		level = least_level(&story, true, true);
		if (isinf(level))
			continue;
		task.k = level + 0.05;
		check_story(&story, task);
		rose += least_level(&story, true, true) > level;
	}
	check(rose > 0);
}

/* The same task finds the same release; another seed may find another. */
static void
test_seeds(void)
{
	int			differ = 0;

	for (int i = 0; i < 100; i++)
	{
		Story		story = random_story(2, 60);
		SeqTask		task = {.k = 3,.kernel = true,.single_cells = true,.refined = i % 2,.seed = i};
		Story	   *again = palloc(sizeof(Story));

		*again = story;
		check(find(&story, task).found == find(again, task).found);
		check(memcmp(story.cell, again->cell, sizeof(story.cell)) == 0);
		task.seed += 1000;
		(void) find(again, task);
		differ += memcmp(story.cell, again->cell, sizeof(story.cell)) != 0;
	}
	check(differ > 0);
}

/* A ladder halves a line until each value stands alone; no cell but the whole holds NULL and others. */
static void
check_ladder(Code size, bool has_null)
{
	uint64		frequency[64];
	double		position[64];
	Domain		domain = {.size = size,.null_code = has_null ? size - 1 : NO_CODE,.frequency = frequency,.position = position};
	const Tree *tree = steps_of(&domain);
	double	   *lm;
	double	   *em;

	for (Code i = 0; i < size; i++)
	{
		frequency[i] = 1;
		position[i] = i * i;
	}
	lm = losses_of(&domain, tree, false);
	em = losses_of(&domain, tree, true);
	check(tree->nodes[0].leaves.lo == 0 && tree->nodes[0].leaves.hi == size - 1);
	check(size == 1 || lm[0] == 1);
	for (uint32 i = 0; i < tree->nnodes; i++)
	{
		const TreeNode *node = &tree->nodes[i];

		check(i == 0 || span_contains(tree->nodes[node->parent].leaves, node->leaves));
		check(span_equal(domain_cover(&domain, node->leaves), node->leaves));
		check(node->nchildren > 0 || node->leaves.lo == node->leaves.hi);
		check(node->level <= 8);
		check_near(em[i], log2(span_width(node->leaves)));
		check(i == 0 || lm[i] <= lm[node->parent]);
	}
	for (Code i = 0; i < size; i++)
		check(tree->nodes[tree->leaf[i]].leaves.lo == i && lm[tree->leaf[i]] == 0);
}

static void
test_ladders(void)
{
	for (Code size = 1; size < 64; size++)
	{
		check_ladder(size, false);
		check_ladder(size, true);
	}
}

/* A person's records that contradict each other are no history. */
static void
find_contradiction(void)
{
	Story		story = random_story(3, FEW);
	SeqTask		task = {.k = 1,.kernel = true};

	story.shown[0][0] = story.shown[1][0] = true;
	story.cell[0][0][0] = span_of(0);
	story.cell[1][0][0] = span_of(1);
	(void) find(&story, task);
}

static void
test_contradiction(void)
{
	const char *message = error_of(find_contradiction);

	check(message != NULL && strcmp(message, "two records of a person are not consistent") == 0);
}

static const Test tests[] = {
	{"Example 1.1: the second release is generalised further", test_example_1_1},
	{"where no release shows a sensitive value, everything may be shown", test_nothing_sensitive},
	{"diversity may be too low while all is withheld", test_diversity_rises},
	{"thousands of random histories keep what was promised, and no single cell could be more specific", test_random},
	{"so do sequences of which each release was found", test_sequences},
	{"the audit says the same of larger ones", test_large},
	{"and of several releases", test_several},
	{"the same seed finds the same release", test_seeds},
	{"a range has a ladder", test_ladders},
	{"records of a person must be consistent", test_contradiction},
};

RUN(tests)
