/*
 * test_bpg.c
 *		Random lives of small tables: after every release, whatever can be
 *		inferred from all of them is allowed.
 */
#include "lives.h"

static int	nwanted;			/* neighborhoods whose rows that nobody asked for are wanted */
static int	nwhole;				/* and others */

static Draft *
draft(World *world)
{
	return bpg_method.draft(&world->frame, &world->past, world->params, below(1000000));
}

/* Any share, but often one that rows can have exactly, or a bound that is none. */
static int64
any_share(void)
{
	int64		parts = 1 + below(6);

	return below(3) == 0 ? below(PARAM_SCALE + 1) : PARAM_SCALE * below(parts + 1) / parts;
}

/* Members whom nobody asked for have no row, but in the neighborhoods where they are wanted. */
static Past
past_with_wanted(const World *world)
{
	Past		past = world->past;
	uint64		nmembers = past.nneighborhoods == 0 ? 0 : past.first[past.nneighborhoods];
	bool	   *wanted = palloc0(sizeof(bool) * (past.nneighborhoods + 1));
	uint32		count = 0;

	past.row = palloc(sizeof(RowId) * (nmembers + 1));
	for (uint64 i = 0; i < nmembers; i++)
		past.row[i] = world->past.row[i] != NO_ROW && world->asked[world->past.row[i]] ? world->past.row[i] : NO_ROW;
	nwanted += bpg_method.want_helpers(&world->frame, &past, world->params, wanted);
	for (uint32 n = 0; n < past.nneighborhoods; n++)
	{
		count += wanted[n];
		for (uint64 i = past.first[n]; i < past.first[n + 1] && wanted[n]; i++)
			past.row[i] = world->past.row[i];
	}
	nwhole += past.nneighborhoods - count;
	return past;
}

static bool
is_same_draft(const Draft *a, const Draft *b)
{
	const Classes *x = a->classes;
	const Classes *y = b->classes;

	return a->suppressed == b->suppressed && a->dirty == b->dirty && x->nclasses == y->nclasses &&
		memcmp(x->first, y->first, sizeof(uint64) * (x->nclasses + 1)) == 0 &&
		memcmp(x->rows, y->rows, sizeof(RowId) * x->first[x->nclasses]) == 0 &&
		memcmp(x->regions, y->regions, sizeof(Span) * x->nqis * x->nclasses) == 0;
}

/* Who is not wanted makes no difference, however many may be added. */
static Draft *
draft_with_wanted(World *world)
{
	Past		past;
	uint64		seed = below(1000000);
	Draft	   *with_all;

	world->params[MAX_ADDED_AT] = any_share();
	past = past_with_wanted(world);
	with_all = bpg_method.draft(&world->frame, &world->past, world->params, seed);

	check(is_same_draft(with_all, bpg_method.draft(&world->frame, &past, world->params, seed)));
	return with_all;
}

static void
test_who_is_wanted(void)
{
	for (int repair = 0; repair < 2; repair++)
	{
		Lives		lives = {.number = some_of(200),.repair = repair,.asked_percent = 60,.draft = draft_with_wanted};

		nwanted = nwhole = 0;
		live(&lives);
		printf("# %d neighborhoods wanted, %d not\n", nwanted, nwhole);
		check(nwanted > 0 && nwhole > 0);
	}
}

/* Who is withheld, and stays in a set with dead people that is too small to be parted: of a whole table, without counterfeits. */
static uint64
count_lost(const World *world, const Draft *draft)
{
	const Past *past = &world->past;
	const Classes *classes = draft->classes;
	bool	   *shown = palloc0(sizeof(bool) * (world->frame.nrows + 1));
	uint64		lost = 0;

	for (uint64 i = 0; i < classes->first[classes->nclasses]; i++)
		shown[classes->rows[i]] = true;
	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		uint64		dead = 0;
		uint64		waiting = 0;

		for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
		{
			dead += past->row[i] == NO_ROW;
			waiting += past->row[i] != NO_ROW && !shown[past->row[i]];
		}
		if (dead > 0 && dead + waiting < 2 * (uint64) world->params[0])
			lost += waiting;
	}
	return lost;
}

static uint64 nlost;

static Draft *
draft_with_lost(World *world)
{
	Draft	   *drafted = draft(world);

	check(drafted->lost == (world->params[2] == 3 ? 0 : count_lost(world, drafted)));
	check(drafted->lost <= drafted->suppressed);
	nlost += drafted->lost;
	return drafted;
}

static void
test_who_is_lost(void)
{
	for (int repair = 0; repair < 4; repair++)
	{
		Lives		lives = {.number = some_of(40),.repair = repair,.asked_percent = 100,.draft = draft_with_lost};

		nlost = 0;
		live(&lives);
		check((nlost > 0) == (repair < 3));
	}
}

/* Lives that nobody finds anything in, with the repair and the share of people asked for */
static void
live_safely(Lives lives)
{
	live(&lives);
	check(lives.attacked == 0);
	check(lives.attacked_pairs == 0);
	check((lives.ndirty > 0) == (lives.asked_percent < 100 && lives.repair < 2));
	check((lives.ninvented > 0) == (lives.repair == 3));
}

static void
test_whole_tables(void)
{
	for (int repair = 2; repair <= 3; repair++)
		live_safely((Lives) {.number = some_of(200),.repair = repair,.asked_percent = 100,.draft = draft});
}

static void
test_cohorts(void)
{
	for (int repair = 0; repair <= 3; repair++)
		live_safely((Lives) {.number = some_of(200),.repair = repair,.asked_percent = 60,.draft = draft});
}

/* ---- Cohorts' releases to which few rows are added ---- */

/* Asks for everybody, or for an interval of codes and perhaps a few others. */
static void
ask_anew(World *world)
{
	Frame	   *frame = &world->frame;
	Code		lo = below(NCODES);
	Code		width = below(NCODES);
	uint32		others = below(3) * 20;

	frame->is_cohort = below(5) > 0;
	frame->asked = frame->is_cohort ? world->asked : NULL;
	for (uint64 row = 0; row < frame->nrows; row++)
		world->asked[row] = (frame->code[0][row] >= lo && frame->code[0][row] - lo <= width) || below(100) < others;
}

static uint64 nbound;			/* rows that only the bound withholds */

/* In half of the releases with another repair than the one that was begun with. */
static Draft *
draft_bounded(World *world)
{
	int64		repair = world->params[2];
	uint64		seed = below(1000000);
	uint64		suppressed;
	Draft	   *drafted;

	ask_anew(world);
	if (below(2) == 0)
		world->params[2] = below(4);
	world->params[MAX_ADDED_AT] = PARAM_SCALE;
	suppressed = bpg_method.draft(&world->frame, &world->past, world->params, seed)->suppressed;
	world->params[MAX_ADDED_AT] = any_share();
	drafted = bpg_method.draft(&world->frame, &world->past, world->params, seed);
	check(world->frame.is_cohort || drafted->suppressed == suppressed);
	nbound += drafted->suppressed > suppressed;
	world->params[2] = repair;
	return drafted;
}

static void
test_lives_within_bounds(void)
{
	for (int repair = 0; repair < 4; repair++)
	{
		Lives		lives = {.number = some_of(200),.repair = repair,.asked_percent = 60,.draft = draft_bounded};

		nbound = 0;
		live(&lives);
		printf("# "UINT64_FORMAT" releases withheld more than without a bound\n", nbound);
		check(nbound > some_of(100));
		check(lives.attacked == 0);
		check(lives.attacked_pairs == 0);
	}
}

typedef struct Bounded
{
	int			repair;
	int			asked;
	int64		max_added;		/* per cent */
	uint64		shown;
	uint64		added;
} Bounded;

/* So many of a cohort's people are asked for, of a neighborhood of twelve, k being 4, or of twelve newcomers. */
static void
check_bounded(const Bounded *bounded, bool are_known)
{
	World	   *world = palloc0(sizeof(World));

	memcpy(world->params, (int64[]) {4, 1, bounded->repair, 3, 0, PARAM_ABSENT, PARAM_ABSENT}, sizeof(int64) * 7);
	add_people(world, 12, NVALUES);
	for (int t = 0; t < 12; t++)
		world->individuals[t].sensitive = t % NVALUES;
	if (are_known)
		release(world, 100, draft);
	world->nshown = world->ninvented = world->ndirty = 0;
	world->params[MAX_ADDED_AT] = bounded->max_added * PARAM_SCALE / 100;
	make_frame(world, 0);
	for (int row = 0; row < bounded->asked; row++)
		world->asked[row] = true;
	make_past(world);
	world->draft = draft(world);
	publish(world);
	check(world->nshown == bounded->shown);
	check(world->ndirty + world->ninvented == bounded->added);
	check(atoms_are_allowed(world));
	pfree(world);
}

static void
test_bounds(void)
{
	static const Bounded members[] = {
		/* one of a class of four is too few; two may have company */
		{3, 1, 50, 0, 0}, {3, 2, 50, 2, 2}, {3, 2, 49, 0, 0}, {3, 3, 25, 3, 1}, {3, 1, 75, 1, 3}, {3, 1, 100, 1, 3},
		{1, 1, 50, 0, 0}, {1, 2, 50, 2, 2},
		/* all others, if they may be so many, and else as few as will do */
		{0, 2, 100, 2, 10}, {0, 2, 50, 2, 2}, {0, 2, 49, 0, 0}, {0, 6, 50, 6, 0},
		/* two would be alone: they join, or two others are withheld with them */
		{3, 10, 50, 10, 2}, {3, 10, 10, 8, 0}, {1, 10, 50, 10, 2}, {1, 10, 10, 8, 0}, {0, 10, 10, 8, 0}, {2, 10, 50, 8, 0},
		/* nobody */
		{0, 3, 0, 0, 0}, {1, 3, 0, 0, 0}, {3, 3, 0, 0, 0}, {3, 11, 0, 8, 0},
	};
	static const Bounded newcomers[] = {
		{3, 1, 50, 0, 0}, {3, 2, 50, 2, 2}, {3, 2, 49, 0, 0}, {3, 1, 75, 1, 3}, {3, 4, 0, 4, 0}, {0, 3, 50, 0, 0},
	};

	for (int i = 0; i < (int) lengthof(members); i++)
		check_bounded(&members[i], true);
	for (int i = 0; i < (int) lengthof(newcomers); i++)
		check_bounded(&newcomers[i], false);
}

/* A release of everybody adds what it must, whatever the bound. */
static void
test_everybody_is_not_bounded(void)
{
	World	   *world = palloc0(sizeof(World));

	memcpy(world->params, (int64[]) {4, 1, 3, 1, PARAM_SCALE, PARAM_ABSENT, PARAM_ABSENT}, sizeof(int64) * 7);
	add_people(world, 1, NVALUES);
	world->individuals[0].sensitive = 0;
	release(world, 100, draft);
	check(world->nshown == 1 && world->ninvented == 3);
	pfree(world);
}

/* A reserve that is chosen, and invented rows that are worth more or less than people. */
static void
begin_choosing(World *world)
{
	world->params[3] = PARAM_WORD;
	world->params[4] = below(4) * PARAM_SCALE / 2;
	world->params[5] = below(2) == 0 ? PARAM_ABSENT : below(PARAM_SCALE);
	world->params[6] = below(2) == 0 ? PARAM_ABSENT : 1 + below(20);
}

/* The past of all of the source: members without a row have left. */
static Draft *
draft_of_whole(World *world)
{
	Past	   *past = &world->past;
	uint64		members = past->nneighborhoods == 0 ? 0 : past->first[past->nneighborhoods];

	past->is_whole = true;
	for (uint64 i = 0; i < members; i++)
		past->departed += past->row[i] == NO_ROW && !world->individuals[world->individual_of_member[i]].invented;
	past->exposed = past->releases * world->frame.nrows;
	return draft(world);
}

static void
test_chosen_reserve(void)
{
	for (int repair = 0; repair < 4; repair++)
	{
		Lives		lives = {.number = some_of(60), .repair = repair, .asked_percent = 100, .begin = begin_choosing, .draft = draft_of_whole};

		live(&lives);
		check(lives.attacked == 0 && lives.attacked_pairs == 0);
		check((lives.ninvented > 0) == (repair == 3));
	}
}

/* Twelve people, k = 4: seven leave together, and then two. */
static void
test_given_up(void)
{
	for (int64 cost = 0; cost <= 2; cost++)
	{
		World	   *world = palloc0(sizeof(World));

		memcpy(world->params, (int64[]) {4, 1, 3, 3, cost * PARAM_SCALE, PARAM_ABSENT, PARAM_ABSENT}, sizeof(int64) * 7);
		add_people(world, 12, 2);
		release(world, 100, draft_of_whole);
		check(world->nshown == 12);
		for (int t = 0; t < 7; t++)
			world->individuals[t].alive = false;
		release(world, 100, draft_of_whole);
		check(world->nshown == 12 + 5);		/* seven are a set of their own */
		for (int t = 7; t < 9; t++)
			world->individuals[t].alive = false;
		release(world, 100, draft_of_whole);
		check(world->nshown == (cost <= 1 ? 12 + 5 + 3 : 12 + 5));	/* three, beside two who left */
		check(world->ninvented == (cost <= 1 ? 2 : 0));
		check(atoms_are_allowed(world));
	}
}

/* ---- Values that change ---- */

/* Are there rows with this value in the newest release? */
static int
count_shown_last(const World *world, Code value)
{
	int			count = 0;

	for (int t = 0; t < world->nindividuals; t++)
		count += world->individuals[t].class_in[world->releases - 1] >= 0 && world->individuals[t].shown[world->releases - 1] == value;
	return count;
}

/* A release of the first n people, of one neighborhood. */
static int
ask_first(World *world, int n, Code value)
{
	make_frame(world, 0);
	for (uint64 row = 0; row < world->frame.nrows; row++)
		world->asked[row] = world->individual_of_row[row] < (uint32) n;
	make_past(world);
	world->draft = draft(world);
	publish(world);
	check(atoms_are_allowed(world) && changes_are_hidden(world));
	return count_shown_last(world, value);
}

static World *
twelve_people(void)
{
	World	   *world = palloc0(sizeof(World));

	memcpy(world->params, (int64[]) {6, 3, 3, 2, 0, PARAM_ABSENT, PARAM_ABSENT}, sizeof(int64) * 7);
	world->params[MAX_ADDED_AT] = PARAM_SCALE;
	add_people(world, 12, NVALUES);
	for (int t = 0; t < 12; t++)
		world->individuals[t].sensitive = t % 4;
	release(world, 100, draft);
	return world;
}

/* Cohorts that differ by one person, whose value has changed; then everybody, twice. */
static void
test_tracker(void)
{
	World	   *world = twelve_people();

	world->individuals[9].sensitive = 5;
	check(ask_first(world, 9, 5) == 0);
	check(ask_first(world, 10, 5) == 0);
	check(ask_first(world, 12, 5) == 0);
	check(world->ninvented == 3 + 2);
	check(ask_first(world, 12, 5) == 1);
	pfree(world);
}

/* Somebody leaves, and comes back with what was shown, or with something else; meanwhile others have changed. */
static void
test_return(void)
{
	for (Code value = 1; value <= 5; value += 4)
	{
		World	   *world = twelve_people();

		world->individuals[9].alive = false;
		release(world, 100, draft);
		check(world->ninvented == 1 && count_shown_last(world, 1) == 3);
		for (int t = 0; t < 8; t++)
			world->individuals[t].sensitive = (t + 1) % 4;
		release(world, 100, draft);
		check(world->ninvented == 2 && count_shown_last(world, 1) == 3);
		world->individuals[9].alive = true;
		world->individuals[9].sensitive = value;
		release(world, 100, draft);
		check(world->ninvented == 2 && count_shown_last(world, 5) == 0 && count_shown_last(world, 1) == 3);
		release(world, 100, draft);
		check(count_shown_last(world, 5) == (value == 5));
		check(atoms_are_allowed(world) && changes_are_hidden(world));
		pfree(world);
	}
}

/* ---- Newcomers who are laid out ---- */

static Code	leaves_code[MAX_INDIVIDUALS];
static RowGroups leaves;

/* Each person's own, the same in all releases; a few have none. */
static Code
any_code(int person)
{
	return person % 7 == 0 ? NO_CODE : (Code) (person * 31) % 5;
}

static Draft *
draft_by_leaves(World *world)
{
	for (uint64 row = 0; row < world->frame.nrows; row++)
		leaves_code[row] = any_code(world->individual_of_row[row]);
	leaves = (RowGroups) {5, leaves_code};
	world->frame.leaves = &leaves;
	return draft(world);
}

static void
test_lives_by_leaves(void)
{
	for (int repair = 0; repair < 4; repair++)
		for (int asked_percent = 60; asked_percent <= 100; asked_percent += 40)
		{
			Lives		lives = {.number = some_of(60),.repair = repair,.asked_percent = asked_percent,.draft = draft_by_leaves};

			live(&lives);
			check(lives.attacked == 0);
			check(lives.attacked_pairs == 0);
		}
}

#define FIFO_WINDOW		8
#define FIFO_COHORT		10
#define FIFO_RELEASES	20

/* A window slides: a cohort comes with each release, and the oldest leaves. */
static Draft *
draft_window(World *world)
{
	for (uint64 row = 0; row < world->frame.nrows; row++)
		leaves_code[row] = world->individual_of_row[row] / FIFO_COHORT;
	leaves = (RowGroups) {FIFO_WINDOW + FIFO_RELEASES, leaves_code};
	world->frame.leaves = &leaves;
	return draft(world);
}

static void
add_cohort(World *world)
{
	int			first = world->nindividuals;

	add_people(world, FIFO_COHORT, NVALUES);
	for (int t = first; t < world->nindividuals; t++)
		world->individuals[t].sensitive = t % NVALUES;
}

/* Returns how many rows were withheld or invented in all. */
static uint64
slide(World *world, Drafter drafter)
{
	uint64		lost = 0;

	memset(world, 0, sizeof(World));
	memcpy(world->params, (int64[]) {4, 3, 2, 1, 0, 0, 1}, sizeof(int64) * 7);
	for (int i = 0; i < FIFO_WINDOW; i++)
		add_cohort(world);
	for (int r = 0; r < FIFO_RELEASES; r++)
	{
		release(world, 100, drafter);
		lost += world->draft->suppressed + world->ninvented;
		check(atoms_are_allowed(world));
		add_cohort(world);
		for (int t = r * FIFO_COHORT; t < (r + 1) * FIFO_COHORT; t++)
			world->individuals[t].alive = false;
	}
	return lost;
}

static void
test_sliding_window(void)
{
	World	   *world = malloc(sizeof(World));
	uint64		lost = slide(world, draft);

	printf("# "UINT64_FORMAT" rows are withheld where nobody knows who leaves\n", lost);
	check(lost > 0);
	check(slide(world, draft_window) == 0);
	free(world);
}

/* Drafts newcomers who leave like this, two rows with the same code and then with two values; returns the classes. */
static const Classes *
classes_by_leaves(World *world, const Code *codes, int n, int64 k)
{
	memset(world, 0, sizeof(World));
	memcpy(world->params, (int64[]) {k, 2, 2, 1, 0, 0, 1}, sizeof(int64) * 7);
	add_people(world, n, NVALUES);
	for (int t = 0; t < n; t++)
		world->individuals[t].sensitive = t % 2;
	make_frame(world, 100);
	make_past(world);
	memcpy(leaves_code, codes, sizeof(Code) * n);
	leaves = (RowGroups) {5, leaves_code};
	world->frame.leaves = &leaves;
	world->draft = draft(world);
	return world->draft->classes;
}

/* Are two rows in one class? */
static bool
are_together(const Classes *classes, RowId a, RowId b)
{
	int			class_of[2] = {-1, -2};

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			for (int j = 0; j < 2; j++)
				if (classes->rows[i] == (j == 0 ? a : b))
					class_of[j] = c;
	return class_of[0] == class_of[1];
}

static void
test_sets_by_leaves(void)
{
	static const Code codes[] = {3, 3, 1, 1, 4, 4, NO_CODE, NO_CODE, 0, 0};
	World	   *world = malloc(sizeof(World));
	const Classes *classes;

	/* each value is a set, and so are those without one */
	classes = classes_by_leaves(world, codes, 10, 2);
	check(classes->nclasses == 5);
	for (RowId row = 0; row < 10; row += 2)
		check(are_together(classes, row, row + 1));
	/* neighbours are a set where one value is too few; those without a value, being too few, too, join the last */
	classes = classes_by_leaves(world, codes, 10, 4);
	check(classes->nclasses == 2);
	check(are_together(classes, 8, 2) && are_together(classes, 0, 4) && are_together(classes, 4, 6) && !are_together(classes, 2, 0));
	/* what remains of the values joins them, not those without one */
	classes = classes_by_leaves(world, (Code[]) {0, 0, 1, NO_CODE, NO_CODE}, 5, 2);
	check(classes->nclasses == 2);
	check(are_together(classes, 1, 2) && are_together(classes, 3, 4) && !are_together(classes, 2, 3));
	/* all of them, where that is what it takes; and nobody */
	check(classes_by_leaves(world, codes, 10, 10)->nclasses == 1);
	check(classes_by_leaves(world, codes, 10, 11)->nclasses == 0);
	check(classes_by_leaves(world, (Code[]) {NO_CODE, NO_CODE, NO_CODE}, 3, 2)->nclasses == 1);
	free(world);
}

/* Strata are quasi-identifiers; in half of the lives people are parted by when they leave, too. Weights change from release to release. */
static Draft *
draft_by_strata(World *world)
{
	static RowGroups strata[NQIS];
	static double weight[NQIS];

	for (int q = 0; q < NQIS; q++)
	{
		strata[q] = (RowGroups) {NCODES, world->frame.code[q]};
		weight[q] = 0.1 + below(20);
	}
	world->frame.weight = weight;
	world->frame.nstrata = 1 + world->params[0] % NQIS;
	world->frame.strata = strata;
	return world->params[3] == 1 ? draft_by_leaves(world) : draft(world);
}

static void
test_lives_by_strata(void)
{
	for (int repair = 0; repair < 4; repair++)
	{
		Lives		lives = {.number = some_of(60),.repair = repair,.asked_percent = repair % 2 == 0 ? 60 : 100,.draft = draft_by_strata};

		live(&lives);
		check(lives.attacked == 0);
		check(lives.attacked_pairs == 0);
	}
}

/* Drafts newcomers of these strata, whose values differ from one to the next; returns the classes. */
static const Classes *
classes_by_strata(World *world, const RowGroups *strata, int nstrata, int n, int64 k)
{
	(void) classes_by_leaves(world, strata[0].code, n, k);
	world->frame.leaves = NULL;
	world->frame.nstrata = nstrata;
	world->frame.strata = strata;
	world->draft = draft(world);
	return world->draft->classes;
}

static void
test_sets_by_strata(void)
{
	static Code one[] = {0, 0, 1, 1, 2, 2, 2, 2, NO_CODE, NO_CODE, NO_CODE, NO_CODE};
	static Code other[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
	const RowGroups strata[] = {{3, one}, {2, other}};
	World	   *world = malloc(sizeof(World));
	const Classes *classes;

	/* each value is a set, and within it each value of the next stratum */
	classes = classes_by_strata(world, strata, 2, 12, 2);
	check(classes->nclasses >= 5);
	for (RowId row = 0; row < 8; row += 2)
		check(are_together(classes, row, row + 1));
	check(!are_together(classes, 4, 6) && !are_together(classes, 0, 2));
	/* values that are too few are one together */
	classes = classes_by_strata(world, strata, 1, 12, 4);
	check(classes->nclasses == 3);
	check(are_together(classes, 0, 3) && are_together(classes, 4, 7) && are_together(classes, 8, 11));
	/* and with the smallest other one where they are too few all the same */
	classes = classes_by_strata(world, (RowGroups[]) {{3, (Code[]) {0, 0, 0, 1, 1, 2}}}, 1, 6, 2);
	check(classes->nclasses == 2);
	check(are_together(classes, 3, 5) && are_together(classes, 4, 5) && are_together(classes, 0, 2) && !are_together(classes, 0, 3));
	/* all, where nothing else will do; and nobody */
	check(classes_by_strata(world, strata, 2, 12, 12)->nclasses == 1);
	check(classes_by_strata(world, strata, 2, 12, 13)->nclasses == 0);
	free(world);
}

/* ---- Neighborhoods that are cut again ---- */

static bool is_stratum;			/* or tells the code who leaves? */

/* People are laid out in fours, by their number. */
static Draft *
draft_fours(World *world)
{
	for (uint64 row = 0; row < world->frame.nrows; row++)
		leaves_code[row] = world->individual_of_row[row] % 4;
	leaves = (RowGroups) {4, leaves_code};
	world->frame.leaves = is_stratum ? NULL : &leaves;
	world->frame.nstrata = is_stratum;
	world->frame.strata = &leaves;
	return draft(world);
}

/* How many classes of the last release have people of several fours? */
static int
count_mixed(const World *world)
{
	const Classes *classes = world->draft->classes;
	int			mixed = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		bool		is_mixed = false;

		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			is_mixed |= leaves_code[classes->rows[i]] != leaves_code[classes->rows[classes->first[c]]];
		mixed += is_mixed;
	}
	return mixed;
}

/*
 * Forty people, of whom four are to become a class, come as one: it is cut by the layout as soon as that is declared.
 * So many of the last four had one value in the beginning, which still counts.
 */
static void
cut_again(int alike, int mixed)
{
	World	   *world = palloc0(sizeof(World));

	memcpy(world->params, (int64[]) {4, 2, 2, 8, 0, PARAM_ABSENT, PARAM_ABSENT}, sizeof(int64) * 7);
	add_people(world, 40, NVALUES);
	for (int t = 0; t < 40; t++)
		world->individuals[t].sensitive = t % 4 == 3 && t / 4 < alike ? 0 : t % NVALUES;
	release(world, 100, draft);
	check(world->draft->classes->nclasses == 1);
	for (int t = 0; t < 40; t++)
		world->individuals[t].sensitive = t % NVALUES;
	world->params[3] = 1;
	release(world, 100, draft_fours);
	check(world->nshown == 80);
	check(world->draft->classes->nclasses > 4);
	check(count_mixed(world) <= mixed);
	check(atoms_are_allowed(world));
	/* and so it stays, whoever leaves */
	for (int t = 0; t < 40; t += 9)
		world->individuals[t].alive = false;
	release(world, 100, draft_fours);
	check(count_mixed(world) <= mixed);
	check(atoms_are_allowed(world));
	pfree(world);
}

static void
test_cut_again(void)
{
	for (int i = 0; i < 2; i++)
	{
		is_stratum = i == 0;
		cut_again(0, 0);
		cut_again(5, 0);
		cut_again(10, 10);
	}
}

static int	ncut_again;

/* Whatever lays people out comes and goes, and the reserve with it. */
static Draft *
draft_anew(World *world)
{
	Draft	   *drafted;
	int			way = below(5);

	world->params[3] = below(6) == 0 ? PARAM_WORD : 1 + below(5);
	world->past.is_whole = world->params[2] % 2 == 1;
	is_stratum = way == 3;
	drafted = way == 0 ? draft(world) : way == 1 ? draft_by_leaves(world) : way == 2 ? draft_by_strata(world) : draft_fours(world);
	for (uint32 c = 1; c < drafted->classes->nclasses; c++)
		ncut_again += drafted->parent[c] != NO_NEIGHBORHOOD && drafted->parent[c] == drafted->parent[c - 1];
	return drafted;
}

static void
test_lives_cut_again(void)
{
	for (int repair = 0; repair < 4; repair++)
	{
		Lives		lives = {.number = some_of(40),.repair = repair,.asked_percent = repair % 2 == 0 ? 60 : 100,.draft = draft_anew};

		ncut_again = 0;
		live(&lives);
		printf("# %d times a neighborhood was cut\n", ncut_again);
		check(ncut_again > some_of(10));
		check(lives.attacked == 0);
		check(lives.attacked_pairs == 0);
	}
}

static const Test tests[] = {
	{"whole tables", test_whole_tables},
	{"whole tables, who is lost", test_who_is_lost},
	{"whole tables, chosen reserve", test_chosen_reserve},
	{"neighborhoods that are given up", test_given_up},
	{"a tracker, one value changes", test_tracker},
	{"somebody comes back", test_return},
	{"cohorts", test_cohorts},
	{"cohorts, who is wanted", test_who_is_wanted},
	{"cohorts, few rows are added", test_bounds},
	{"cohorts, everybody is none", test_everybody_is_not_bounded},
	{"lives, few rows are added to cohorts", test_lives_within_bounds},
	{"newcomers are parted by when they leave", test_sets_by_leaves},
	{"nobody is lost where it is known who leaves", test_sliding_window},
	{"lives, newcomers parted by when they leave", test_lives_by_leaves},
	{"newcomers are parted by strata", test_sets_by_strata},
	{"lives, newcomers parted by strata, and cut by weights", test_lives_by_strata},
	{"neighborhoods are cut again by what lays people out", test_cut_again},
	{"lives, neighborhoods are cut again", test_lives_cut_again},
};

RUN(tests)
