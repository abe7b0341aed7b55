/*
 * test_join.c
 *		Do match joins over collapsed graphs equal what the definitions say of records?
 *
 * The examples of paper 000, and thousands of small random releases that are
 * judged a second time from the definitions: record by record, with all perfect
 * matchings enumerated.
 */
#include "shim.h"

#include "audit/join/join.h"
#include "matches.h"

#define MAX_RECORDS		MOST_JOINED
#define MAX_COLUMNS		12
#define ALL				{0, PG_UINT32_MAX}
#define NO_BUDGET		PG_UINT64_MAX
#define NVALUES			8

/* ---- Releases ---- */

typedef struct Story
{
	int			releases;
	int			records;		/* of each release */
	int			columns;
	int			qis;
	bool		shown[MAX_RELEASES][MAX_COLUMNS];
	Span		cell[MAX_RELEASES][MAX_COLUMNS][MAX_RECORDS];
	bool		tells[MAX_RELEASES];
	Code		sensitive[MAX_RELEASES][MAX_RECORDS];
	bool		known;			/* whose records these are */
	bool		guess;			/* or not quite */
	uint32		person[MAX_RELEASES][MAX_RECORDS];
	Code		code[MAX_COLUMNS][MAX_RECORDS]; /* of each person */
	Code		null_value;
} Story;

/* Record i of each release is person i's. */
static Story
story_of(int releases, int records, int columns)
{
	Story		story = {.releases = releases,.records = records,.columns = columns,.qis = columns};

	story.known = true;
	story.null_value = NO_CODE;
	for (int r = 0; r < releases; r++)
		for (int i = 0; i < records; i++)
			story.person[r][i] = i;
	return story;
}

static void
show(Story *story, int r, int column, const Span *cells)
{
	story->shown[r][column] = true;
	for (int i = 0; i < story->records; i++)
		story->cell[r][column][i] = cells[i];
}

static void
tell(Story *story, int r, const Code *values)
{
	story->tells[r] = true;
	for (int i = 0; i < story->records; i++)
		story->sensitive[r][i] = values[i];
}

static JoinGraph *
graph_of(const Story *story)
{
	JoinInput  *input = palloc0(sizeof(JoinInput));
	JoinRelease *release = palloc0(sizeof(JoinRelease) * story->releases);

	for (int r = 0; r < story->releases; r++)
	{
		const Span **cells = palloc0(sizeof(Span *) * (story->columns + 1));

		for (int c = 0; c < story->columns; c++)
			cells[c] = story->shown[r][c] ? story->cell[r][c] : NULL;
		release[r] = (JoinRelease) {
			.nrecords = story->records,
			.cells = cells,
			.sensitive = story->tells[r] ? story->sensitive[r] : NULL,
			.person = story->known ? story->person[r] : NULL
		};
	}
	*input = (JoinInput) {
		.nreleases = story->releases,.release = release,
		.ncolumns = story->columns,.nqis = story->qis,
		.nvalues = NVALUES,.null_value = story->null_value,.is_guess = story->guess
	};
	return join_graph(input);
}

/* ---- Joins from their definitions ---- */

static bool
is_consistent(const Story *story, int r, int i, int s, int j)
{
	for (int c = 0; c < story->columns; c++)
		if (story->shown[r][c] && story->shown[s][c] &&
			!span_overlaps(story->cell[r][c][i], story->cell[s][c][j]))
			return false;
	return !story->tells[r] || !story->tells[s] ||
		story->sensitive[r][i] == NO_CODE || story->sensitive[s][j] == NO_CODE ||
		story->sensitive[r][i] == story->sensitive[s][j];
}

static Joined
match_join(const Story *story)
{
	Joined		joined = {.releases = story->releases,.records = story->records};

	for (int r = 0; r < story->releases; r++)
		for (int s = 0; s < story->releases; s++)
			for (int i = 0; i < story->records; i++)
				for (int j = 0; j < story->records; j++)
					joined.edge[r][s][i][j] = r != s && is_consistent(story, r, i, s, j);
	find_cliques(&joined);
	return joined;
}

static int
count_edges(const Story *story, const Joined *joined)
{
	int			n = 0;

	for (int r = 0; r < story->releases; r++)
		for (int s = r + 1; s < story->releases; s++)
			for (int i = 0; i < story->records; i++)
				for (int j = 0; j < story->records; j++)
					n += joined->edge[r][s][i][j];
	return n;
}

static int
count_cliques(const Joined *joined)
{
	int			n = 0;

	for (int c = 0; c < ncliques_of(joined); c++)
		n += joined->clique[c];
	return n;
}

static Joined
kernel_join(const Story *story)
{
	Joined		joined = match_join(story);
	Joined		before;

	do
	{
		before = joined;
		drop_no_matches(&joined);
		find_cliques(&joined);
		find_edges(&joined);
	} while (memcmp(&joined, &before, sizeof(Joined)) != 0);
	return joined;
}

/* A perfect matching of all releases, as far as it is chosen */
typedef struct Matching
{
	const Story *story;
	const Joined *joined;
	Joined	   *admissible;
	int			chosen[MAX_RECORDS];
	bool		taken[MAX_RELEASES][MAX_RECORDS];
} Matching;

/* Chooses the clique of each record of the first release from number i on, in all ways there are. */
static void
enumerate_cliques(Matching *matching, int i)
{
	const Story *story = matching->story;

	for (int k = 0; i == story->records && k < i; k++)
		matching->admissible->clique[matching->chosen[k]] = true;
	for (int c = i; i < story->records && c < ncliques_of(matching->joined); c += story->records)
	{
		int			record[MAX_RELEASES];
		bool		possible = matching->joined->clique[c];

		members_of(matching->joined, c, record);
		for (int r = 1; r < story->releases; r++)
			possible &= !matching->taken[r][record[r]];
		if (!possible)
			continue;
		matching->chosen[i] = c;
		for (int r = 1; r < story->releases; r++)
			matching->taken[r][record[r]] = true;
		enumerate_cliques(matching, i + 1);
		for (int r = 1; r < story->releases; r++)
			matching->taken[r][record[r]] = false;
	}
}

static Joined
full_join(const Story *story)
{
	Joined		joined = match_join(story);
	Joined		admissible = {.releases = story->releases,.records = story->records};
	Matching	matching = {.story = story,.joined = &joined,.admissible = &admissible};

	enumerate_cliques(&matching, 0);
	find_edges(&admissible);
	return admissible;
}

/* ---- Comparing ---- */

static bool
equals_edges(const Story *story, const JoinGraph *graph, const Joined *joined)
{
	for (int r = 0; r < story->releases; r++)
		for (int s = 0; s < story->releases; s++)
			for (int i = 0; r != s && i < story->records; i++)
				for (int j = 0; j < story->records; j++)
					if (joined->edge[r][s][i][j] !=
						is_joined(graph, r, graph->side[r].node_of[i], s, graph->side[s].node_of[j]))
						return false;
	return true;
}

/* Cliques of nodes that a walk came across, as cliques of records */
typedef struct Found
{
	const JoinGraph *graph;
	Joined		joined;
	bool		twice;
} Found;

static bool
note_found(void *arg, const uint32 *node)
{
	Found	   *found = arg;

	for (int c = 0; c < ncliques_of(&found->joined); c++)
	{
		int			record[MAX_RELEASES];
		bool		in = true;

		members_of(&found->joined, c, record);
		for (int r = 0; r < found->joined.releases; r++)
			in &= found->graph->side[r].node_of[record[r]] == node[r];
		found->twice |= in && found->joined.clique[c];
		found->joined.clique[c] |= in;
	}
	return true;
}

static bool
equals_cliques(const Story *story, const JoinGraph *graph, const Joined *joined)
{
	Found		found = {.graph = graph,.joined = {.releases = story->releases,.records = story->records}};
	uint32		node[MAX_RELEASES];
	CliqueWalk	walk = {.graph = graph,.visit = note_found,.arg = &found,.node = node};

	return walk_cliques(&walk) && !found.twice &&
		memcmp(found.joined.clique, joined->clique, sizeof(joined->clique)) == 0;
}

static bool
equals_counts(const Story *story, const JoinGraph *graph, const Joined *joined)
{
	JoinCounts	counts = join_count(graph, NULL);
	char		text[20];

	snprintf(text, sizeof(text), "%d", count_cliques(joined));
	return counts.edges == (uint64) count_edges(story, joined) && strcmp(wide_text(counts.cliques), text) == 0;
}

/* ---- Linkability and diversity from their definitions ---- */

#define NOT_SHOWN	NVALUES

/* How many cliques of records link a tuple to each value, and to any or to NULL? */
typedef struct Linked
{
	int			cliques[NVALUES + 1];
	int			all;
} Linked;

static bool
is_consistent_with(const Story *story, int r, int i, const Code *tuple)
{
	for (int c = 0; c < story->qis; c++)
		if (story->shown[r][c] && !span_contains(story->cell[r][c][i], span_of(tuple[c])))
			return false;
	return true;
}

static Linked
linked_to(const Story *story, const Joined *joined, const Code *tuple)
{
	Linked		linked = {.all = 0};

	for (int c = 0; c < ncliques_of(joined); c++)
	{
		int			record[MAX_RELEASES];
		bool		consistent = joined->clique[c];
		Code		value = NOT_SHOWN;

		members_of(joined, c, record);
		for (int r = 0; r < story->releases; r++)
		{
			consistent &= is_consistent_with(story, r, record[r], tuple);
			if (story->tells[r] && story->sensitive[r][record[r]] != NO_CODE)
				value = story->sensitive[r][record[r]];
		}
		linked.all += consistent;
		linked.cliques[value] += consistent && value != story->null_value;
	}
	return linked;
}

static void
check_tuple(const Linked *linked, const LinkProfile *profile, uint32 t)
{
	int			total = 0;
	int			most = 0;
	uint32		values = 0;
	uint64		at = profile->first[t];
	uint64		end = at + (linked->all == 0 ? 0 : profile->linkability[t]);

	for (int v = 0; v <= NVALUES; v++)
	{
		values += linked->cliques[v] > 0;
		total += linked->cliques[v];
		most = Max(most, linked->cliques[v]);
	}
	check(profile->linkability[t] == (linked->all == 0 ? NO_CLIQUE : values));
	check_near(profile->diversity[t], most == 0 ? 0 : (double) total / most);
	check(end - at == values);
	for (int v = 0; v <= NVALUES; v++)
	{
		if (linked->cliques[v] == 0 || at == end)
			continue;
		check(profile->value[at] == (v == NOT_SHOWN ? NO_CODE : (Code) v));
		check_near(profile->frequency[at], (double) linked->cliques[v] / total);
		at++;
	}
}

/* The tuples of the people, and as many strangers' */
#define NTUPLES (2 * MAX_RECORDS)

typedef struct Tuples
{
	Code		code[MAX_COLUMNS][NTUPLES];
	const Code *columns[MAX_COLUMNS];
	JoinTuples	tuples;
} Tuples;

static void
make_tuples(const Story *story, Tuples *made)
{
	for (int c = 0; c < story->qis; c++)
	{
		made->columns[c] = made->code[c];
		for (int t = 0; t < NTUPLES; t++)
			made->code[c][t] = t < story->records ? story->code[c][t] : any_below(8);
	}
	made->tuples = (JoinTuples) {.ntuples = NTUPLES,.code = made->columns};
}

static void
check_profile(const Story *story, const JoinGraph *graph, const Joined *joined)
{
	Tuples		made;
	LinkProfile *profile;
	LinkProfile *brief;
	bool		told = false;
	uint32		least = NO_CLIQUE;
	double		least_diversity = 0;

	make_tuples(story, &made);
	profile = link_profile(graph, &made.tuples, true);
	for (int r = 0; r < story->releases; r++)
		told |= story->tells[r];
	check((profile != NULL) == told);
	if (profile == NULL)
		return;
	for (int t = 0; t < NTUPLES; t++)
	{
		Code		tuple[MAX_COLUMNS];
		Linked		linked;

		for (int c = 0; c < story->qis; c++)
			tuple[c] = made.code[c][t];
		linked = linked_to(story, joined, tuple);
		check_tuple(&linked, profile, t);
		if (linked.all == 0)
			continue;
		least_diversity = least == NO_CLIQUE ? profile->diversity[t] : Min(least_diversity, profile->diversity[t]);
		least = Min(least, profile->linkability[t]);
	}
	check(profile->least_linkability == least && profile->least_diversity == least_diversity);
	brief = link_profile(graph, &made.tuples, false);
	check(brief->first == NULL && brief->least_linkability == least && brief->least_diversity == least_diversity);
}

/* Boxes that somebody lies in */
typedef struct BoxTuples
{
	Code		lo[MAX_COLUMNS][NTUPLES];
	Code		hi[MAX_COLUMNS][NTUPLES];
	const Code *first[MAX_COLUMNS];
	const Code *end[MAX_COLUMNS];
	JoinTuples	tuples;
} BoxTuples;

static void
make_boxes(const Story *story, BoxTuples *made)
{
	for (int c = 0; c < story->qis; c++)
	{
		made->first[c] = made->lo[c];
		made->end[c] = made->hi[c];
		for (int t = 0; t < NTUPLES; t++)
		{
			made->lo[c][t] = t < story->records ? story->code[c][t] : any_below(8);
			made->hi[c][t] = made->lo[c][t] + any_below(2) * any_below(3);
		}
	}
	made->tuples = (JoinTuples) {.ntuples = NTUPLES,.code = made->first,.end = made->end};
}

/* The next tuple in a box; false if there is none. */
static bool
next_in_box(const Story *story, const BoxTuples *boxes, int t, Code *tuple)
{
	for (int c = 0; c < story->qis; c++)
	{
		if (tuple[c]++ < boxes->hi[c][t])
			return true;
		tuple[c] = boxes->lo[c][t];
	}
	return false;
}

static int
count_values(const Linked *linked)
{
	int			n = 0;

	for (int v = 0; v <= NVALUES; v++)
		n += linked->cliques[v] > 0;
	return n;
}

/* Nobody in a box is linked to less; who is alone in it, to no more. */
static void
check_box(const Story *story, const Joined *joined, const LinkProfile *profile, const BoxTuples *boxes, int t)
{
	Code		tuple[MAX_COLUMNS];
	int			ntuples = 0;
	double		linkability = profile->linkability[t] == NO_CLIQUE ? 0 : profile->linkability[t];
	Linked		linked;

	for (int c = 0; c < story->qis; c++)
		tuple[c] = boxes->lo[c][t];
	do
	{
		int			total = 0;
		int			most = 0;

		linked = linked_to(story, joined, tuple);
		for (int v = 0; v <= NVALUES; v++)
		{
			total += linked.cliques[v];
			most = Max(most, linked.cliques[v]);
		}
		check(linkability <= count_values(&linked));
		check(most == 0 || profile->diversity[t] <= (double) total / most + 1e-9);
		ntuples++;
	} while (next_in_box(story, boxes, t, tuple));
	if (ntuples == 1)
		check_tuple(&linked, profile, t);
}

static void
check_boxes(const Story *story, const JoinGraph *graph, const Joined *joined)
{
	BoxTuples	boxes;
	LinkProfile *profile;

	make_boxes(story, &boxes);
	profile = link_profile(graph, &boxes.tuples, true);
	for (int t = 0; profile != NULL && t < NTUPLES; t++)
		check_box(story, joined, profile, &boxes, t);
}

static void
check_figures(const Story *story, const JoinGraph *graph, const Joined *joined)
{
	check_boxes(story, graph, joined);
	check(equals_counts(story, graph, joined));
	check_profile(story, graph, joined);
}

static int	nshown;

/* Is anybody shown to be linked to a value that the full join does not have? */
static void
check_shown(const Story *story, const JoinGraph *kernel, const Joined *full)
{
	BoxTuples	boxes;
	uint32	   *shown;

	make_boxes(story, &boxes);
	shown = join_shown(kernel, &boxes.tuples, NVALUES, NO_BUDGET);
	for (int t = 0; t < NTUPLES; t++)
	{
		Code		tuple[MAX_COLUMNS];

		for (int c = 0; c < story->qis; c++)
			tuple[c] = boxes.lo[c][t];
		do
		{
			Linked		linked = linked_to(story, full, tuple);
			int			values = count_values(&linked) - (linked.cliques[NOT_SHOWN] > 0);

			check((int) shown[t] <= values);
			nshown += shown[t];
		} while (next_in_box(story, &boxes, t, tuple));
	}
}

/* Theorem 3.6: each join is a subset of the next; of two releases the first two are one. */
static void
check_chain(const Story *story, const Joined *full, const Joined *kernel, const Joined *matches)
{
	for (int c = 0; c < ncliques_of(full); c++)
	{
		check(!full->clique[c] || kernel->clique[c]);
		check(!kernel->clique[c] || matches->clique[c]);
	}
	check(story->releases > 2 || memcmp(full->clique, kernel->clique, sizeof(full->clique)) == 0);
}

/* Do releases have these joins? */
static void
check_joins(const Story *story)
{
	JoinGraph  *graph = graph_of(story);
	Joined		matches = match_join(story);
	Joined		kernel = kernel_join(story);
	Joined		full = full_join(story);
	JoinTrouble trouble;

	check(equals_edges(story, graph, &matches));
	check(equals_cliques(story, graph, &matches));
	check_figures(story, graph, &matches);
	check(join_kernel(graph, &trouble) == JOIN_FOUND);
	check(equals_edges(story, graph, &kernel));
	check(equals_cliques(story, graph, &kernel));
	check_figures(story, graph, &kernel);
	check_shown(story, graph, &full);
	check(join_full(graph, NO_BUDGET) == JOIN_FOUND);
	check(story->releases == 1 || equals_edges(story, graph, &full));
	check(equals_cliques(story, graph, &full));
	check_figures(story, graph, &full);
	check_chain(story, &full, &kernel, &matches);
}

/* ---- The paper's examples ---- */

#define CELLS(...)	((const Span[]) {__VA_ARGS__})
#define CODES(...)	((const Code[]) {__VA_ARGS__})
#define AT(code)	{code, code}

/* Age and disease, gender and disease: measles, hepatitis, flu, angina. */
static Story
example_1_1(void)
{
	Story		story = story_of(2, 4, 2);

	show(&story, 0, 0, CELLS(AT(20), AT(20), AT(30), AT(30)));
	show(&story, 1, 1, CELLS(AT(0), AT(1), AT(0), AT(1)));
	tell(&story, 0, CODES(0, 1, 2, 3));
	tell(&story, 1, CODES(0, 1, 2, 3));
	return story;
}

/* Zip codes 53120, 53425, 53764 and 53890 are 0 to 3. */
static Story
example_2_2(void)
{
	Story		story = story_of(2, 4, 3);

	show(&story, 0, 0, CELLS(AT(30), AT(30), AT(35), AT(40)));
	show(&story, 0, 1, CELLS(AT(0), AT(1), AT(3), AT(2)));
	show(&story, 1, 1, CELLS(AT(0), {0, 3}, AT(3), {0, 3}));
	show(&story, 1, 2, CELLS({0, 3}, {0, 3}, AT(2), AT(0)));
	tell(&story, 1, CODES(0, 1, 2, 3));
	return story;
}

/* One tuple's profile */
static LinkProfile *
profile_of(const JoinGraph *graph, const Code *tuple)
{
	const Code *columns[MAX_COLUMNS];
	JoinTuples	tuples = {.ntuples = 1,.code = columns};

	for (int c = 0; c < graph->input->nqis; c++)
		columns[c] = &tuple[c];
	return link_profile(graph, &tuples, true);
}

/* Each release links Alice to two diseases, both together to angina only. */
static void
test_example_1_1(void)
{
	Story		story = example_1_1();
	LinkProfile *both = profile_of(graph_of(&story), CODES(30, 1));
	LinkProfile *first;
	LinkProfile *second;

	story.releases = 1;
	first = profile_of(graph_of(&story), CODES(30, 1));
	story = example_1_1();
	story.shown[0][0] = story.tells[0] = false;
	second = profile_of(graph_of(&story), CODES(30, 1));
	check(first->least_linkability == 2 && first->value[0] == 2 && first->value[1] == 3);
	check(second->least_linkability == 2 && second->value[0] == 1 && second->value[1] == 3);
	check(both->least_linkability == 1 && both->least_diversity == 1 && both->value[0] == 3);
}

/* Where nothing is shared, everybody is joined to everybody: 1000 records in 12 releases are 10 to the 36 cliques. */
static void
test_many_cliques(void)
{
	enum
	{
		RELEASES = 12,
		RECORDS = 1000
	};
	JoinRelease release[RELEASES];
	JoinInput	input = {.nreleases = RELEASES,.release = release,.nvalues = 4,.null_value = NO_CODE};
	Code	   *sensitive = palloc(sizeof(Code) * RECORDS);
	JoinTrouble trouble;
	JoinGraph  *graph;
	LinkProfile *profile;
	JoinCounts	counts;
	uint64		steps = RELEASES * RELEASES;

	for (int i = 0; i < RECORDS; i++)
		sensitive[i] = i % 4 == 3 ? 1 : 0;
	for (int r = 0; r < RELEASES; r++)
		release[r] = (JoinRelease) {.nrecords = RECORDS,.sensitive = r == 5 ? sensitive : NULL};
	graph = join_graph(&input);
	check(join_kernel(graph, &trouble) == JOIN_FOUND);
	check(join_full(graph, 1000) == JOIN_FOUND);
	counts = join_count(graph, &steps);
	check(steps == 0);
	check(counts.nodes == RELEASES);
	check(counts.edges == UINT64CONST(66000000));
	check(strcmp(wide_text(counts.cliques), "1000000000000000000000000000000000000") == 0);
	steps = RELEASES * RELEASES - 1;
	counts = join_count(graph, &steps);
	check(steps < RELEASES && counts.cliques == NULL && counts.edges == UINT64CONST(66000000));
	profile = profile_of(graph, NULL);
	check(profile->least_linkability == 2);
	check_near(profile->least_diversity, 4.0 / 3);
	check_near(profile->frequency[1], 0.25);
}

static void
test_wide(void)
{
	Wide	   *n = wide_create(3, wide_limbs(PG_UINT32_MAX, 40));

	check(strcmp(wide_text(&n[0]), "0") == 0);
	wide_set(&n[0], PG_UINT32_MAX);
	check(strcmp(wide_text(&n[0]), "4294967295") == 0);
	wide_set(&n[1], 1);
	wide_add(&n[0], &n[1]);
	check(strcmp(wide_text(&n[0]), "4294967296") == 0);
	check(wide_compare(&n[0], &n[1]) > 0 && wide_compare(&n[1], &n[0]) < 0 && wide_compare(&n[0], &n[0]) == 0);
	for (int i = 0; i < 38; i++)
		wide_multiply(&n[0], 1000000000);
	check(strlen(wide_text(&n[0])) == 10 + 38 * 9 && strncmp(wide_text(&n[0]), "42949672960000", 14) == 0);
	wide_add(&n[2], &n[0]);
	wide_add(&n[2], &n[0]);
	wide_add(&n[2], &n[0]);
	check(wide_ratio(&n[2], &n[0]) == 3);
	check_near(wide_ratio(&n[0], &n[2]), 1.0 / 3);
	check(!wide_is_zero(&n[2]));
	wide_set(&n[2], 0);
	check(wide_is_zero(&n[2]));
}

/*
 * Four people of whom the third alone is in release 2, and alone has value 2; the others are in release 0, in release 1
 * and in both.  Of value 1 the absentees of release 0 and those of release 1 are a match, but whoever is absent from both
 * would be absent everywhere.
 */
static void
test_absent_everywhere(void)
{
	JoinRelease release[] = {
		{.nrecords = 4,.nabsent = 2,.sensitive = CODES(1, 1, 1, 2),.person = CODES(0, 3, 1, 2)},
		{.nrecords = 4,.nabsent = 2,.sensitive = CODES(1, 1, 1, 2),.person = CODES(1, 3, 0, 2)},
		{.nrecords = 4,.nabsent = 3,.sensitive = CODES(2, 1, 1, 1),.person = CODES(2, 0, 1, 3)},
	};
	const Together one_absent = may_be(false, true) | may_be(true, false) | may_be(true, true);
	const Together together[] = {ALL_TOGETHER, one_absent, one_absent};
	JoinInput	input = {
		.nreleases = 3,.release = release,.nvalues = 3,.null_value = NO_CODE,.together = together
	};

	for (int known = 0; known < 2; known++)
	{
		JoinGraph  *graph;
		JoinTrouble trouble;

		graph = join_graph(&input);
		check(is_joined(graph, 0, graph->side[0].node_of[2], 1, graph->side[1].node_of[2]));
		check(join_kernel(graph, &trouble) == JOIN_FOUND);
		check(!is_joined(graph, 0, graph->side[0].node_of[2], 1, graph->side[1].node_of[2]));
		check(is_joined(graph, 0, graph->side[0].node_of[2], 1, graph->side[1].node_of[0]));
		release[0].person = release[1].person = release[2].person = NULL;
	}
}

/* ---- Whatever graph there is ---- */

/*
 * Releases whose graph has these edges.  Column (r1, r2, n) is shown by both releases: as it is by
 * r1, and by record n of r2 as the set of its neighbours in r1, whose codes are the first ones.
 */
static Story
lemma_9_2(int releases, int records, bool edge[MAX_RELEASES][MAX_RELEASES][MOST_JOINED][MOST_JOINED])
{
	Story		story = story_of(releases, records, releases * (releases - 1) / 2 * records);
	int			column = 0;

	for (int a = 0; a < releases; a++)
		for (int b = a + 1; b < releases; b++)
			for (int n = 0; n < records; n++, column++)
			{
				int			nneighbours = 0;
				int			filled[2] = {0};

				for (int i = 0; i < records; i++)
					nneighbours += edge[a][b][i][n];
				story.shown[a][column] = story.shown[b][column] = true;
				for (int i = 0; i < records; i++)
				{
					story.cell[a][column][i] = edge[a][b][i][n] ?
						span_of(filled[1]++) : span_of(nneighbours + filled[0]++);
					story.cell[b][column][i] = (Span) ALL;
				}
				story.cell[b][column][n] = nneighbours > 0 ? (Span) {0, nneighbours - 1} : span_of(records);
			}
	return story;
}

static Joined
random_edges(int releases, int records, uint32 percent)
{
	Joined		joined = {.releases = releases,.records = records};

	for (int r = 0; r < releases; r++)
		for (int s = r + 1; s < releases; s++)
			for (int i = 0; i < records; i++)
				for (int j = 0; j < records; j++)
					joined.edge[r][s][i][j] = joined.edge[s][r][j][i] = i == j || any_below(100) < percent;
	return joined;
}

/* ---- Random releases ---- */

/* A node of a taxonomy of eight codes above a code */
static Span
random_cell(Code code)
{
	uint32		level = any_below(5);

	if (level == 4)
		return (Span) ALL;
	return (Span) {code >> level << level, (code >> level << level) + (1 << level) - 1};
}

static void
shuffle(uint32 *number, int n)
{
	for (int i = 0; i < n; i++)
		number[i] = i;
	for (int i = n - 1; i > 0; i--)
	{
		int			j = any_below(i + 1);
		uint32		other = number[j];

		number[j] = number[i];
		number[i] = other;
	}
}

/* Level of each column of each release, if generalisation is by cuts; or NULL */
static void
generalise(Story *story, bool cut)
{
	for (int r = 0; r < story->releases; r++)
		for (int c = 0; c < story->columns; c++)
		{
			int			level = any_below(4);

			story->shown[r][c] = any_below(3) > 0;
			for (int i = 0; i < story->records; i++)
			{
				Code		code = story->code[c][story->person[r][i]];

				story->cell[r][c][i] = cut ?
					(Span) {code >> level << level, (code >> level << level) + (1 << level) - 1} :
					random_cell(code);
			}
		}
}

static Story
random_story(int releases, int records, bool cut)
{
	Story		story = story_of(releases, records, 1 + any_below(3));
	Code		value[MAX_RECORDS];
	uint32		ncodes = 1 + any_below(8);

	story.known = any_below(2) == 0;
	story.qis = story.columns - (any_below(4) == 0);
	for (int i = 0; i < records; i++)
	{
		value[i] = any_below(4);
		for (int c = 0; c < story.columns; c++)
			story.code[c][i] = any_below(ncodes);
	}
	for (int r = 0; r < releases; r++)
	{
		shuffle(story.person[r], records);
		story.tells[r] = any_below(5) < 3;
		for (int i = 0; i < records; i++)
			story.sensitive[r][i] = !cut && any_below(20) == 0 ? NO_CODE : value[story.person[r][i]];
	}
	if (any_below(4) == 0)
		story.null_value = 0;
	generalise(&story, cut);
	return story;
}

static int
random_size(int releases)
{
	static const int most[] = {0, 6, 6, 5, 4};

	return 1 + any_below(most[releases]);
}

static void
test_random(void)
{
	for (int i = 0; i < some_of(4000); i++)
	{
		int			releases = 1 + any_below(4);
		Story		story = random_story(releases, random_size(releases), false);

		check_joins(&story);
		MemoryContextReset(CurrentMemoryContext);
	}
	check(nshown > 1000);
}

/* Whose the records are may be a guess, right or wrong. */
static void
test_guesses(void)
{
	for (int i = 0; i < some_of(1500); i++)
	{
		int			releases = 2 + any_below(3);
		Story		story = random_story(releases, random_size(releases), false);
		int			r = any_below(releases);

		story.known = story.guess = true;
		for (int n = any_below(3); n > 0; n--)
		{
			uint32	   *a = &story.person[r][any_below(story.records)];
			uint32	   *b = &story.person[r][any_below(story.records)];
			uint32		other = *a;

			*a = *b;
			*b = other;
		}
		check_joins(&story);
		MemoryContextReset(CurrentMemoryContext);
	}
}

/* By how many people are releases short that have no perfect matching? */
static void
test_missing(void)
{
	Story		story = story_of(2, 3, 1);
	JoinGraph  *graph;

	show(&story, 0, 0, CELLS(AT(0), AT(0), AT(1)));
	show(&story, 1, 0, CELLS(AT(0), AT(1), AT(1)));
	story.known = false;
	check(join_missing(graph_of(&story)) == 1);
	show(&story, 1, 0, CELLS(AT(2), AT(2), {1, 2}));
	check(join_missing(graph_of(&story)) == 2);
	show(&story, 1, 0, CELLS(AT(1), AT(0), {0, 1}));
	graph = graph_of(&story);
	check(join_missing(graph) == 0);
}

/* ---- Many records ---- */

#define MANY			3000
#define MANY_COLUMNS	2
#define MANY_CODES		256

/* Releases of many people, whose records are shuffled. */
static JoinInput *
many_people(int releases, bool cut)
{
	JoinInput  *input = palloc0(sizeof(JoinInput));
	JoinRelease *release = palloc0(sizeof(JoinRelease) * releases);
	Code	   *code = palloc(sizeof(Code) * MANY * MANY_COLUMNS);

	for (int i = 0; i < MANY * MANY_COLUMNS; i++)
		code[i] = any_below(MANY_CODES);
	for (int r = 0; r < releases; r++)
	{
		uint32	   *person = palloc(sizeof(uint32) * MANY);
		Code	   *sensitive = palloc(sizeof(Code) * MANY);
		const Span **cells = palloc0(sizeof(Span *) * MANY_COLUMNS);

		shuffle(person, MANY);
		for (int c = 0; c < MANY_COLUMNS; c++)
		{
			Span	   *span = palloc(sizeof(Span) * MANY);
			uint32		level = any_below(4);

			for (int i = 0; i < MANY; i++)
			{
				Code		at = code[c * MANY + person[i]];
				uint32		up = cut ? level : any_below(6);

				span[i] = (Span) {at >> up << up, (at >> up << up) + (1 << up) - 1};
			}
			cells[c] = span;
		}
		for (int i = 0; i < MANY; i++)
			sensitive[i] = code[person[i]] % NVALUES;
		release[r] = (JoinRelease) {
			.nrecords = MANY,.cells = cells,.person = person,.sensitive = r == 0 ? NULL : sensitive
		};
	}
	*input = (JoinInput) {
		.nreleases = releases,.release = release,.ncolumns = MANY_COLUMNS,.nqis = MANY_COLUMNS,
		.nvalues = NVALUES,.null_value = NO_CODE
	};
	return input;
}

static JoinGraph *
kernel_of(const JoinInput *input)
{
	JoinGraph  *graph = join_graph(input);
	JoinTrouble trouble;

	check(join_kernel(graph, &trouble) == JOIN_FOUND);
	return graph;
}

/* The kernel does not depend on which perfect matching is known. */
static void
test_many_people(void)
{
	for (int releases = 2; releases <= 4; releases++)
	{
		JoinInput  *input = many_people(releases, false);
		JoinGraph  *known = kernel_of(input);
		JoinGraph  *unknown;
		uint64		dropped = 0;

		for (int r = 0; r < releases; r += 2)
			((JoinRelease *) input->release)[r].person = NULL;
		unknown = kernel_of(input);
		for (Size p = 0; p < npairs(known); p++)
		{
			check(known->pair[p].nedges == unknown->pair[p].nedges);
			check(memcmp(known->pair[p].alive, unknown->pair[p].alive, known->pair[p].nedges) == 0);
			for (uint32 e = 0; e < known->pair[p].nedges; e++)
				dropped += !known->pair[p].alive[e];
		}
		check(dropped > 0);
		MemoryContextReset(CurrentMemoryContext);
	}
}

/* Three releases of three records, beside all horizontal edges with these: (release, record) and (release, record) */
static const int wide_kernel[][4] = {
	{0, 0, 1, 2}, {0, 1, 1, 0}, {0, 1, 1, 2}, {0, 2, 1, 1}, {0, 0, 2, 1}, {0, 0, 2, 2},
	{0, 1, 2, 0}, {0, 2, 2, 1}, {1, 0, 2, 1}, {1, 1, 2, 0}, {1, 2, 2, 0}
};

static Story
story_of_wide_kernel(void)
{
	Joined		joined = random_edges(3, 3, 0);

	for (int i = 0; i < (int) lengthof(wide_kernel); i++)
	{
		const int  *e = wide_kernel[i];

		joined.edge[e[0]][e[2]][e[1]][e[3]] = joined.edge[e[2]][e[0]][e[3]][e[1]] = true;
	}
	return lemma_9_2(3, 3, joined.edge);
}

/* Dense graphs of three releases, whose kernels are wider now and then */
static void
test_wide_kernels(void)
{
	int			wider = 0;

	for (int i = 0; i < some_of(400); i++)
	{
		int			records = 3 + any_below(2);
		Joined		joined = random_edges(3, records, 60);
		Story		story = lemma_9_2(3, records, joined.edge);
		Joined		kernel = kernel_join(&story);
		Joined		full = full_join(&story);

		wider += count_cliques(&full) < count_cliques(&kernel);
		story.known = any_below(2) == 0;
		check_joins(&story);
		MemoryContextReset(CurrentMemoryContext);
	}
	check(wider > some_of(10));
}

/* Over the budget, however little, the join stays the kernel. */
static void
test_budget(void)
{
	Story		story = story_of_wide_kernel();
	Joined		kernel = kernel_join(&story);
	Joined		full = full_join(&story);
	JoinTrouble trouble;
	JoinOutcome outcome = JOIN_OVER_BUDGET;

	for (uint64 budget = 0; outcome == JOIN_OVER_BUDGET; budget++)
	{
		JoinGraph  *graph = graph_of(&story);

		check(join_kernel(graph, &trouble) == JOIN_FOUND);
		outcome = join_full(graph, budget);
		check(equals_cliques(&story, graph, outcome == JOIN_FOUND ? &full : &kernel));
		check(equals_edges(&story, graph, outcome == JOIN_FOUND ? &full : &kernel));
		check(outcome != JOIN_FOUND || budget > 9);
	}
	check(outcome == JOIN_FOUND);
}

/* ---- No join ---- */

static void
test_no_matching(void)
{
	Story		story = story_of(2, 3, 1);
	JoinTrouble trouble;

	/* Two records meet the same one only. */
	show(&story, 0, 0, CELLS(AT(0), AT(0), AT(1)));
	show(&story, 1, 0, CELLS(AT(0), AT(1), AT(1)));
	story.known = false;
	check(join_kernel(graph_of(&story), &trouble) == JOIN_UNMATCHED);
	check(trouble.a == 0 && trouble.b == 1);
	story.known = true;
	check(join_kernel(graph_of(&story), &trouble) == JOIN_CONTRADICTED);
	check(trouble.a == 0 && trouble.b == 1 && trouble.person == 1);
}

/* Each two releases have perfect matchings, but no three records are one person's. */
static void
test_no_clique(void)
{
	Story		story = story_of(3, 2, 3);
	JoinTrouble trouble;

	story.known = false;
	show(&story, 0, 0, CELLS(AT(0), AT(1)));
	show(&story, 1, 0, CELLS(AT(0), AT(1)));
	show(&story, 1, 1, CELLS(AT(0), AT(1)));
	show(&story, 2, 1, CELLS(AT(0), AT(1)));
	show(&story, 2, 2, CELLS(AT(0), AT(1)));
	show(&story, 0, 2, CELLS(AT(1), AT(0)));
	check(join_kernel(graph_of(&story), &trouble) == JOIN_UNMATCHED);
}

/* Whether or not records are of the same people, a matching is found if there is one. */
static void
test_strangers(void)
{
	for (int i = 0; i < some_of(1000); i++)
	{
		int			releases = 2 + any_below(2);
		int			records = 3 + any_below(2);
		Joined		joined = random_edges(releases, records, 30 + any_below(40));
		Story		story;
		Joined		full;
		JoinGraph  *graph;
		JoinTrouble trouble;
		JoinOutcome outcome;

		for (int r = 0; r < releases; r++)
			for (int n = 0; n < records; n++)
				if (any_below(2) == 0)
					joined.edge[r][(r + 1) % releases][n][n] = joined.edge[(r + 1) % releases][r][n][n] = false;
		story = lemma_9_2(releases, records, joined.edge);
		story.known = false;
		full = full_join(&story);
		graph = graph_of(&story);
		outcome = join_kernel(graph, &trouble);
		if (outcome == JOIN_FOUND)
			outcome = join_full(graph, NO_BUDGET);
		check(outcome == (count_cliques(&full) > 0 ? JOIN_FOUND : JOIN_UNMATCHED));
		check(outcome != JOIN_FOUND || equals_cliques(&story, graph, &full));
		MemoryContextReset(CurrentMemoryContext);
	}
}

static void
two_of_one_person(void)
{
	Story		story = example_2_2();

	story.person[1][0] = 1;
	(void) graph_of(&story);
}

static void
test_people(void)
{
	check(error_of(two_of_one_person) != NULL);
}

/* No records at all */
static void
test_nobody(void)
{
	Story		story = story_of(3, 0, 1);
	JoinTrouble trouble;

	story.shown[0][0] = story.shown[1][0] = true;
	check(join_kernel(graph_of(&story), &trouble) == JOIN_FOUND);
}

static const Test tests[] = {
	{"example 1.1: two releases tell Alice's disease", test_example_1_1},
	{"nobody is absent everywhere", test_absent_everywhere},
	{"more cliques than any integer holds", test_many_cliques},
	{"large numbers", test_wide},
	{"random releases", test_random},
	{"guesses at whose records are whose", test_guesses},
	{"people who are missing", test_missing},
	{"kernels of many people", test_many_people},
	{"kernels that are wider than the full join", test_wide_kernels},
	{"a budget that does or does not suffice", test_budget},
	{"releases that may not be of the same people", test_strangers},
	{"releases that cannot be of the same people", test_no_matching},
	{"releases of which no three records are one person's", test_no_clique},
	{"people who have two records in a release", test_people},
	{"releases of nobody", test_nobody},
};

RUN(tests)
