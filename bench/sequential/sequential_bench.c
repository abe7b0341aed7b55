/*
 * sequential_bench.c
 *		The experiments of paper 000, section 7: what the last of a few releases
 *		loses, cut by cut and cell by cell, what that really protects, and how long
 *		it takes.
 *
 * Earlier releases are made by the same method.  A last release is judged once
 * more by the audit, which shares nothing with the search but definitions.
 *
 * On our rows some of the paper's experiments need nothing to be generalised.
 * Those stand here with a larger k, or with a column beside what the paper
 * shows, so that the last release as it is would link somebody to fewer than k
 * values, or less than k diverse ones: that level is printed, too.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit/join/join.h"
#include "method/sequential/sequential.h"
#include "shim.h"

#define MAX_RELEASES 4

/* As publish() spends on a full match join */
#define FULL_STEPS 1000000

typedef struct Experiment
{
	const char *name;
	int			releases;
	struct
	{
		int			columns[4];		/* ends with -1 */
		bool		sensitive;
	}			release[MAX_RELEASES];
} Experiment;

static const Experiment two = {"age, education | age, value", 2,
	{{{AGE, EDUCATION, -1}, false}, {{AGE, -1}, true}}};
static const Experiment wide = {"sex, race, country, education | sex, race, marital status, value", 2,
	{{{SEX, RACE, COUNTRY, EDUCATION}, false}, {{SEX, RACE, MARITAL, -1}, true}}};
static const Experiment three = {"age, sex | sex, value | age, value", 3,
	{{{AGE, SEX, -1}, false}, {{SEX, -1}, true}, {{AGE, -1}, true}}};

/* A column more: fewer people are alike. */
static const Experiment two_abroad = {"age, country, education | age, country, value", 2,
	{{{AGE, COUNTRY, EDUCATION, -1}, false}, {{AGE, COUNTRY, -1}, true}}};
static const Experiment three_races = {"age, sex, race | sex, race, value | age, race, value", 3,
	{{{AGE, SEX, RACE, -1}, false}, {{SEX, RACE, -1}, true}, {{AGE, RACE, -1}, true}}};
static const Experiment four_races = {"age, sex, race | age, race, value | age, sex, marital status, race | sex, race, value", 4,
	{{{AGE, SEX, RACE, -1}, false}, {{AGE, RACE, -1}, true}, {{AGE, SEX, MARITAL, RACE}, false}, {{SEX, RACE, -1}, true}}};

/* Hardly two people are alike in what both releases show. */
static const Experiment unique = {"age, zip, sex | age, zip, value", 2,
	{{{AGE, ZIP, SEX, -1}, false}, {{AGE, ZIP, -1}, true}}};

/* How a release is made */
typedef struct Way
{
	double		k;
	bool		diversity;
	bool		entropy;		/* rather than the loss metric */
	bool		kernel;
	bool		single_cells;
	bool		refined;
} Way;

/* Behind the table's columns are those of who was there when a release was made. */
#define PRESENCE		NCOLUMNS
#define MOST_COLUMNS	(NCOLUMNS + MAX_RELEASES)

/* Rows of a table, and the releases made of them so far */
typedef struct Story
{
	const Frame *frame;
	uint32		nrows;
	JoinInput	input;
	JoinRelease release[MAX_RELEASES];
	const Span *cells[MAX_RELEASES][MOST_COLUMNS];
	uint32	   *person;
	JoinTuples	tuples;
} Story;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static Story
story_of(const Frame *frame, uint32 nrows)
{
	Story		story = {.frame = frame,.nrows = nrows};

	story.person = palloc_extended(sizeof(uint32) * nrows, MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < nrows; i++)
		story.person[i] = i;
	story.input = (JoinInput) {
		.ncolumns = NCOLUMNS,.nqis = NCOLUMNS,.nvalues = frame->nsensitive,.null_value = NO_CODE
	};
	story.tuples = (JoinTuples) {.ntuples = nrows,.code = (const Code *const *) frame->code};
	return story;
}

static uint64
rows_in(const Story *story, int q, Span leaves)
{
	uint64		rows = 0;

	for (uint32 i = 0; i < story->nrows; i++)
		rows += span_contains(leaves, span_of(story->frame->code[q][i]));
	return rows;
}

/* Losses of each node of a column's tree. */
static double *
losses(const Story *story, int q, bool entropy)
{
	const Domain *domain = &story->frame->domain[q];
	double	   *loss = palloc0(sizeof(double) * domain->tree->nnodes);
	uint64	   *rows = palloc0(sizeof(uint64) * domain->tree->nnodes);

	for (uint32 i = 0; i < domain->tree->nnodes; i++)
		loss[i] = domain_loss(domain, domain->tree->nodes[i].leaves);
	if (!entropy)
		return loss;
	for (uint32 i = 0; i < domain->tree->nnodes; i++)
		rows[i] = rows_in(story, q, domain->tree->nodes[i].leaves);
	for (uint32 i = 0; i < domain->tree->nnodes; i++)
	{
		Span		leaves = domain->tree->nodes[i].leaves;

		loss[i] = 0;
		for (Code code = leaves.lo; code <= leaves.hi; code++)
		{
			double		share = rows[i] == 0 ? 0 : (double) rows[domain->tree->leaf[code]] / rows[i];

			loss[i] -= share == 0 ? 0 : share * log2(share);
		}
	}
	return loss;
}

static Span *
spans(const Story *story, int q)
{
	const Tree *tree = story->frame->domain[q].tree;
	Span	   *span = palloc(sizeof(Span) * tree->nnodes);

	for (uint32 i = 0; i < tree->nnodes; i++)
		span[i] = tree->nodes[i].leaves;
	return span;
}

/* Makes the next release. */
static SeqOutcome
add_release(Story *story, const Experiment *experiment, const Way *way)
{
	int			r = story->input.nreleases;
	SeqColumn	column[NCOLUMNS];
	int			ncolumns = 0;
	SeqTask		task = {
		.join = &story->input,.column = column,.tuples = &story->tuples,.k = way->k,
		.diversity = way->diversity,.kernel = way->kernel,.single_cells = way->single_cells,
		.refined = way->refined,.seed = 7
	};

	memset(story->cells[r], 0, sizeof(story->cells[r]));
	while (ncolumns < 4 && experiment->release[r].columns[ncolumns] >= 0)
	{
		int			q = experiment->release[r].columns[ncolumns];

		column[ncolumns] = (SeqColumn) {
			.column = q,.tree = story->frame->domain[q].tree,.loss = losses(story, q, way->entropy),
			.span = spans(story, q),.code = story->frame->code[q],
			.node = palloc_extended(sizeof(uint32) * story->nrows, MCXT_ALLOC_HUGE),
			.cells = palloc_extended(sizeof(Span) * story->nrows, MCXT_ALLOC_HUGE)
		};
		story->cells[r][q] = column[ncolumns++].cells;
	}
	story->release[r] = (JoinRelease) {
		.nrecords = story->nrows,.cells = story->cells[r],.person = story->person,
		.sensitive = experiment->release[r].sensitive ? story->frame->sensitive : NULL
	};
	story->input.release = story->release;
	story->input.nreleases = r + 1;
	task.ncolumns = ncolumns;
	return specialise(&task);
}

/* The audit of all releases, by the kernel match join or, unless that takes too long, the full one; or 0. */
static double
audit(const Story *story, const Way *way, bool full)
{
	JoinGraph  *graph = join_graph(&story->input);
	JoinTrouble trouble;
	LinkProfile *profile;

	if (join_kernel(graph, &trouble) != JOIN_FOUND)
		abort();
	if (full && join_full(graph, FULL_STEPS) != JOIN_FOUND)
		return 0;
	profile = link_profile(graph, &story->tuples, false);
	return way->diversity ? profile->least_diversity : profile->least_linkability;
}

/* A last release, and what it took */
typedef struct Made
{
	SeqOutcome	outcome;
	double		seconds;
	double		audited;		/* level on the kernel */
	double		fully;			/* on the full match join; 0 if that takes too long */
	double		megabytes;
} Made;

static Made
make_last(Story *story, const Experiment *experiment, const Way *way)
{
	MemoryContext before = CurrentMemoryContext;
	uint64		allocated = shim_allocated_peak = shim_allocated;
	double		start = now();
	Made		made;

	CurrentMemoryContext = AllocSetContextCreate(before, "last", ALLOCSET_DEFAULT_SIZES);
	made.outcome = add_release(story, experiment, way);
	made.seconds = now() - start;
	made.megabytes = (shim_allocated_peak - allocated) / 1e6;
	made.audited = made.outcome.found ? audit(story, way, false) : 0;
	made.fully = made.outcome.found && way->refined ? audit(story, way, true) : 0;
	story->input.nreleases--;
	MemoryContextDelete(CurrentMemoryContext);
	CurrentMemoryContext = before;
	return made;
}

static void
heading(const char *text)
{
	printf("\n%s\n%-12s %7s %4s %6s | %11s %10s %10s %10s | %6s %6s %6s %6s | %8s %6s %8s\n", text, "", "rows", "k", "as is",
		   "cut", "cell", "refined", "cell (mj)", "(a)", "kmj", "fmj", "(b)", "seconds", "MB", "paper's");
}

/* Prints a last release, and how long the paper's took: losses, levels, seconds and memory. */
static void
run(const char *name, const Frame *frame, uint32 nrows, const Experiment *experiment, Way way, const char *paper)
{
	MemoryContext before = CurrentMemoryContext;
	double		k = way.k;
	Story		story;
	Made		untouched;
	Made		plain;
	Made		refined;
	Made		loose;

	CurrentMemoryContext = AllocSetContextCreate(before, "run", ALLOCSET_DEFAULT_SIZES);
	story = story_of(frame, nrows);
	way.kernel = way.single_cells = way.refined = true;
	while (story.input.nreleases < experiment->releases - 1)
		(void) add_release(&story, experiment, &way);
	refined = make_last(&story, experiment, &way);
	way.refined = false;
	plain = make_last(&story, experiment, &way);
	way.kernel = false;
	loose = make_last(&story, experiment, &way);
	way.k = 0;
	untouched = make_last(&story, experiment, &way);
	printf("%-12s %7u %4g %6.3g | %11.2f %10.3f %10.3f %10.3f | %6.4g %6.4g %6.4g %6.4g | %8.3f %6.0f %8s\n",
		   name, nrows, k, untouched.audited, plain.outcome.cut_loss, plain.outcome.cell_loss, refined.outcome.loss, loose.outcome.loss,
		   plain.outcome.cut_level, refined.audited, refined.fully, loose.audited, refined.seconds, refined.megabytes, paper);
	fflush(stdout);
	if (refined.outcome.found && refined.audited < k)
		printf("*** the audit disagrees\n");
	if (untouched.outcome.loss > 0)
		printf("*** something was generalised for nothing\n");
	MemoryContextDelete(CurrentMemoryContext);
	CurrentMemoryContext = before;
}

/* ----------------------------------------------------------------
 * Rows that are added (figure 16)
 * ----------------------------------------------------------------
 */

/* Those who come after a release, which withholds all of them but that they are not there yet. */
static void
add_absentees(Story *story, int r, uint32 present, uint32 nrows)
{
	JoinRelease *release = &story->release[r];
	const Span **cells = palloc0(sizeof(Span *) * MOST_COLUMNS);
	Span	   *presence = palloc_extended(sizeof(Span) * nrows, MCXT_ALLOC_HUGE);

	for (int q = 0; q < NCOLUMNS; q++)
	{
		Span	   *column;

		if (release->cells[q] == NULL)
			continue;
		cells[q] = column = palloc_extended(sizeof(Span) * nrows, MCXT_ALLOC_HUGE);
		for (uint32 i = 0; i < nrows; i++)
			column[i] = i < present ? release->cells[q][i] : (Span) {0, PG_UINT32_MAX};
	}
	for (uint32 i = 0; i < nrows; i++)
		presence[i] = span_of(i >= present);
	cells[PRESENCE + r] = presence;
	release->nabsent = nrows - present;
	release->nrecords = nrows;
	release->cells = cells;
}

/* Observers know of everybody in which release he came. */
static void
know_presence(Story *story, const uint32 *present, int nreleases)
{
	const Code **code = palloc(sizeof(Code *) * MOST_COLUMNS);
	Together   *together = palloc(sizeof(Together) * (pair_number(0, nreleases) + 1));

	for (int q = 0; q < NCOLUMNS; q++)
		code[q] = story->frame->code[q];
	for (int r = 0; r < nreleases; r++)
	{
		Code	   *presence = palloc_extended(sizeof(Code) * story->nrows, MCXT_ALLOC_HUGE);

		for (uint32 i = 0; i < story->nrows; i++)
			presence[i] = i >= present[r];
		code[PRESENCE + r] = presence;
		for (int s = 0; s < r; s++)
			together[pair_number(s, r)] = may_be(false, false) | may_be(true, false) |
				(present[r] < story->nrows ? may_be(true, true) : 0);
	}
	story->input.ncolumns = story->input.nqis = NCOLUMNS + nreleases;
	story->input.together = together;
	story->tuples = (JoinTuples) {.ntuples = story->nrows,.code = code};
}

/* The last of releases of more and more rows, in the strict reading. */
static SeqOutcome
unify(const Frame *frame, const Experiment *experiment, const uint32 *present, const Way *way)
{
	Story		story = story_of(frame, present[experiment->releases - 1]);
	SeqOutcome	outcome = {0};

	for (int r = 0; r < experiment->releases; r++)
	{
		story.nrows = present[r];
		for (int s = 0; s < r; s++)
			add_absentees(&story, s, present[s], story.nrows);
		know_presence(&story, present, r + 1);
		outcome = add_release(&story, experiment, way);
	}
	return outcome;
}

/* Losses of the last release of those who came with one of them, in the releases since then, if these are judged alone. */
static double
separate(const Frame *frame, const Experiment *experiment, const uint32 *present, int came, const Way *way)
{
	Experiment	since = {.releases = experiment->releases - came};
	uint32		before = came == 0 ? 0 : present[came - 1];
	Frame		own = *frame;
	Story		story;
	SeqOutcome	outcome = {0};

	own.code = palloc(sizeof(Code *) * NCOLUMNS);
	for (int q = 0; q < NCOLUMNS; q++)
		own.code[q] = frame->code[q] + before;
	own.sensitive = frame->sensitive + before;
	story = story_of(&own, present[came] - before);
	memcpy(since.release, &experiment->release[came], sizeof(since.release[0]) * since.releases);
	for (int r = 0; r < since.releases; r++)
		outcome = add_release(&story, &since, way);
	return outcome.loss;
}

static void
run_added(const Frame *frame, const Experiment *experiment, const uint32 *present)
{
	MemoryContext before = CurrentMemoryContext;
	Way			way = {.k = 5,.kernel = true,.single_cells = true,.refined = true};
	double		separative = 0;
	SeqOutcome	unified;
	double		start;

	CurrentMemoryContext = AllocSetContextCreate(before, "run", ALLOCSET_DEFAULT_SIZES);
	for (int r = 0; r < experiment->releases; r++)
		separative += separate(frame, experiment, present, r, &way);
	start = now();
	unified = unify(frame, experiment, present, &way);
	printf("%7u %7u | %12.3f %12.3f | %8.3f\n", present[0], present[experiment->releases - 1], separative, unified.loss, now() - start);
	fflush(stdout);
	MemoryContextDelete(CurrentMemoryContext);
	CurrentMemoryContext = before;
}

static void
run_all(const Frame *census, const Frame *adult)
{
	uint32		n = Min(census->nrows, 100000);
	const uint32 added[] = {5, 10, 20, 50, 100};	/* of a hundred */
	static const struct
	{
		double		k;
		const char *seconds;
	}			linkability[] = {{5, "52 s"}, {10, "80 s"}, {15, "115 s"}, {20, "121 s"}, {25, "144 s"}};
	static const char *const by_rows[] = {"52 s", "103 s", "179 s", "225 s", "302 s"};

	printf("as is: the level if nothing is generalised; (a): of cuts; kmj, fmj: of refined cells, by the kernel and the full match join\n"
		   "(0: takes too long); (b): by the kernel join, of cells that were found by the plain match join\n");
	heading("Releases that differ (figure 8, table 7)");
	run("CENSUS-1", census, n, &two, (Way) {.k = 5}, "52 s");
	run("CENSUS-2", census, n, &wide, (Way) {.k = 5}, "115 s");
	if (adult != NULL)
	{
		run("ADULT-1", adult, adult->nrows, &two, (Way) {.k = 5}, "29 s");
		run("ADULT-2", adult, adult->nrows, &wide, (Way) {.k = 5}, "41 s");
	}
	heading("CENSUS-1 by ages of which each inner node holds 20 (figure 8; the paper prints about 250 for cut, 0.98 for cell)");
	run("CENSUS-1", with_coarse_ages(census), n, &two, (Way) {.k = 5}, "52 s");
	heading("k-linkability (figure 9, table 8)");
	for (int i = 0; i < (int) lengthof(linkability); i++)
		run("CENSUS-1", census, n, &two, (Way) {.k = linkability[i].k}, linkability[i].seconds);
	heading("k-diversity (figure 10, table 9)");
	for (int k = 4; k <= 10; k += 2)
		run("CENSUS-1", census, n, &two, (Way) {.k = k,.diversity = true}, "");
	heading("Number of rows, k = 25 rather than 5 (figure 11, table 10)");
	for (int i = 0; i < 5; i++)
		run("CENSUS-1", census, census->nrows / 5 * (i + 1), &two, (Way) {.k = 25}, by_rows[i]);
	heading("The same with k = 5, and the country in both releases");
	for (int i = 0; i < 5; i++)
		run("ABROAD-1", census, census->nrows / 5 * (i + 1), &two_abroad, (Way) {.k = 5}, by_rows[i]);
	heading("Number of rows, diversity, k = 8 rather than 5 (figure 12, table 11)");
	for (int i = 0; i < 5; i++)
		run("CENSUS-1", census, census->nrows / 5 * (i + 1), &two, (Way) {.k = 8,.diversity = true}, "");
	heading("The same with k = 5, and the country in both releases; more rows take minutes");
	for (int i = 0; i < 2; i++)
		run("ABROAD-1", census, census->nrows / 5 * (i + 1), &two_abroad, (Way) {.k = 5,.diversity = true}, "");
	heading("Entropy measure (figure 13, table 12)");
	run("CENSUS-1", census, n, &two, (Way) {.k = 5,.entropy = true}, "43 s");
	heading("Three and four releases (figures 14 and 15, tables 13 and 14), and both with the race in all releases");
	run("R = 3", census, n, &three, (Way) {.k = 5}, "3.1 h");
	run("RACES, R = 3", census, n, &three_races, (Way) {.k = 5}, "3.1 h");
	run("RACES, R = 4", census, n, &four_races, (Way) {.k = 5}, "24.8 h");
	heading("Both releases show what is nearly unique: age and zip code (not in the paper)");
	for (uint32 i = 1; i <= 4; i *= 2)
		run("NEARLY UNIQUE", census, Min(census->nrows, 5000 * i), &unique, (Way) {.k = 5}, "");
	printf("\nRows added between two releases, which show the country, too (figure 16, a)\n%7s %7s | %12s %12s | %8s\n",
		   "before", "after", "separative", "unifying", "seconds");
	for (uint32 i = 0; i < lengthof(added); i++)
		run_added(census, &two_abroad, (uint32[]) {n, n / 100 * (100 + added[i])});
	printf("\nRows added between three releases, which show the race, too (figure 16, b)\n%7s %7s | %12s %12s | %8s\n",
		   "before", "after", "separative", "unifying", "seconds");
	run_added(census, &three_races, (uint32[]) {n, n / 100 * 110, n / 100 * 120});
}

int
main(int argc, char **argv)
{
	const Frame *census = NULL;
	const Frame *adult = NULL;

	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	for (int i = 1; i + 2 < argc; i += 3)
		if (strcmp(argv[i], "--census") == 0)
			census = census_of(argv[i + 1], argv[i + 2]);
		else if (strcmp(argv[i], "--adult") == 0)
			adult = adult_of(argv[i + 1], argv[i + 2]);
	run_all(census == NULL ? invented_census(500000) : census, adult);
	return 0;
}
