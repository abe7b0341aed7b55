/*
 * test_sweep.c
 *		The paper's own sweep: what each point of its safe reading is for.
 *
 * Every point has a test that takes this one away and shows the harm: mostly a
 * set that the attacker of lives.c infers and that is not allowed, elsewhere
 * people who are withheld or added without need, or a release that is not
 * true.  The small cases are lists of people, class by class: "0 1 2 | 3 4" is
 * a class of three and one of two.
 */
#include "lives.h"

#include "sweep.h"

#include "partition/mondrian.h"

#include <stdlib.h>
#include <string.h>

#define NLIVES 40

static World *world;
static Sweep *sweep;

/* ----------------------------------------------------------------
 * Small cases
 * ----------------------------------------------------------------
 */

/* People with different values, as far as there are some; nothing was published. */
static void
begin(int people, uint64 k, uint32 l)
{
	SweepOptions options = {.k = k,.l = l,.cut = mondrian};

	memset(world, 0, sizeof(World));
	world->params[0] = k;
	world->params[1] = l;
	world->params[3] = 1;
	world->nindividuals = people;
	for (int t = 0; t < people; t++)
		world->individuals[t] = (Individual) {.alive = true,.code = {t % NCODES, 0},.sensitive = t % NVALUES};
	sweep = sweep_create(MAX_INDIVIDUALS, NQIS, &options);
}

/* Who was asked for in these classes, and nobody else. */
static void
ask(const char *text)
{
	make_frame(world, 100);
	make_past(world);
	memset(world->asked, 0, sizeof(world->asked));
	world->frame.asked = world->asked;
	for (char *end; *text != '\0'; text = end)
	{
		uint32		t = strtoul(text, &end, 10);

		for (uint64 row = 0; row < world->frame.nrows; row++)
			world->asked[row] |= world->individual_of_row[row] == t;
		end += strspn(end, " |");
	}
}

static RowId
row_of(uint32 t)
{
	RowId		row = 0;

	while (world->individual_of_row[row] != t)
		row++;
	return row;
}

static void
close_class(Classes *classes)
{
	uint64		from = classes->first[classes->nclasses];
	uint64		to = classes->first[classes->nclasses + 1];

	for (int q = 0; q < NQIS; q++)
	{
		Span		hull = span_of(world->frame.code[q][classes->rows[from]]);

		for (uint64 i = from; i < to; i++)
			hull = span_hull(hull, span_of(world->frame.code[q][classes->rows[i]]));
		classes->regions[classes->nclasses * NQIS + q] = hull;
	}
	classes->nclasses++;
	classes->first[classes->nclasses + 1] = to;
}

static Classes *
read_classes(const char *text)
{
	Classes    *classes = palloc0(sizeof(Classes));
	uint64		n = 0;

	classes->nqis = NQIS;
	classes->first = palloc0(sizeof(uint64) * (MAX_INDIVIDUALS + 2));
	classes->rows = palloc(sizeof(RowId) * MAX_INDIVIDUALS);
	classes->regions = palloc(sizeof(Span) * NQIS * MAX_INDIVIDUALS);
	for (char *end; *text != '\0'; text = end)
	{
		classes->rows[n++] = row_of(strtoul(text, &end, 10));
		classes->first[classes->nclasses + 1] = n;
		end += strspn(end, " ");
		if (*end == '|')
			close_class(classes);
		end += strspn(end, " |");
	}
	close_class(classes);
	return classes;
}

/* What was published last, in the words that it was asked for with. */
static const char *
shown(void)
{
	static char text[1024];
	int			last = world->releases - 1;
	int			length = 0;

	text[0] = '\0';
	for (int c = 0; c < world->nclasses[last]; c++)
	{
		if (c > 0)
			length += snprintf(text + length, sizeof(text) - length, " |");
		for (int t = 0; t < world->nindividuals; t++)
			if (world->individuals[t].class_in[last] == c)
				length += snprintf(text + length, sizeof(text) - length, length > 0 ? " %d" : "%d", t);
	}
	return text;
}

static bool
shows(const char *text)
{
	if (strcmp(shown(), text) == 0)
		return true;
	printf("# shown: %s\n", shown());
	return false;
}

/* A release of these classes through the sweep; without these points from now on. */
static void
sweep_without(uint32 points, const char *text)
{
	sweep->options.left_out = points;
	ask(text);
	world->draft = sweep_classes(sweep, &world->frame, world->individual_of_row, read_classes(text), 1);
	publish(world);
}

static void
sweep_these(const char *text)
{
	sweep_without(0, text);
}

/* The same as they are, as if there were no releases before. */
static void
publish_naively(const char *text)
{
	ask(text);
	world->draft = palloc0(sizeof(Draft));
	world->draft->classes = read_classes(text);
	publish(world);
}

/* Our method, asked for the same people. */
static void
publish_ours(const char *text)
{
	ask(text);
	world->draft = bpg_method.draft(&world->frame, &world->past, world->params, 1);
	publish(world);
}

static void
set_values(const Code *values)
{
	for (int t = 0; t < world->nindividuals; t++)
		world->individuals[t].sensitive = values[t];
}

static bool
is_safe(void)
{
	return atoms_are_allowed(world) && pairs_are_allowed(world);
}

/* ----------------------------------------------------------------
 * Random lives
 * ----------------------------------------------------------------
 */

static SweepOptions lived;		/* how sweeps of lives go; k and l are the life's */

static void
begin_life(World *living)
{
	lived.k = living->params[0];
	lived.l = living->params[1];
	lived.repair = living->params[2];
	lived.reserve = living->params[3];
	lived.cut = mondrian;
	sweep = sweep_create(MAX_INDIVIDUALS, NQIS, &lived);
}

static Draft *
draft_sweep(World *living)
{
	return sweep_draft(sweep, &living->frame, living->individual_of_row, below(1000000));
}

/* Each release is cut as if there were no other. */
static Draft *
draft_naively(World *living)
{
	Draft	   *draft = palloc0(sizeof(Draft));
	RowId	   *rows = palloc(sizeof(RowId) * MAX_INDIVIDUALS);
	Principle	principle = principle_k_l(living->params[0], living->params[1]);
	uint64		n = 0;

	for (uint64 row = 0; row < living->frame.nrows; row++)
		if (living->frame.asked == NULL || living->frame.asked[row])
			rows[n++] = row;
	draft->classes = mondrian(&living->frame, rows, n, &principle, below(1000000));
	draft->suppressed = draft->classes->nclasses == 0 ? n : 0;
	return draft;
}

static Lives
live_by(SweepOptions options, int number, int asked_percent)
{
	Lives		lives = {.number = number,.repair = options.repair,.asked_percent = asked_percent,
	.begin = begin_life,.draft = draft_sweep};

	lived = options;
	live(&lives);
	return lives;
}

static void
live_safely(SweepOptions options, int asked_percent)
{
	Lives		lives = live_by(options, NLIVES, asked_percent);

	check(lives.attacked == 0);
	check(lives.attacked_pairs == 0);
	check(lives.nshown > 0);
	check(options.repair == SWEEP_NONE || asked_percent == 100 || lives.ndirty > 0);
	check(options.repair != SWEEP_NONE || lives.ndirty == 0);
}

static void
test_whole_tables(void)
{
	live_safely((SweepOptions) {.repair = SWEEP_DIRTY}, 100);
	live_safely((SweepOptions) {.repair = SWEEP_NONE}, 100);
	live_safely((SweepOptions) {.repair = SWEEP_DIRTY,.by_signature = true}, 100);
}

static void
test_cohorts(void)
{
	live_safely((SweepOptions) {.repair = SWEEP_DIRTY}, 60);
	live_safely((SweepOptions) {.repair = SWEEP_MINIMAL}, 60);
	live_safely((SweepOptions) {.repair = SWEEP_NONE}, 60);
}

static void
test_cohorts_by_signature(void)
{
	live_safely((SweepOptions) {.repair = SWEEP_DIRTY,.by_signature = true}, 60);
	live_safely((SweepOptions) {.repair = SWEEP_MINIMAL,.by_signature = true}, 60);
	live_safely((SweepOptions) {.repair = SWEEP_NONE,.by_signature = true}, 60);
}

/* Two are asked for, of ten: somebody must join them, and not everybody. */
static void
test_repairs(void)
{
	const char *const expected[] = {
		[SWEEP_DIRTY] = "0 1 2 3 4 5 6 7 8 9",
		[SWEEP_MINIMAL] = "0 1 2",
		[SWEEP_NONE] = "",
	};

	for (SweepRepair repair = SWEEP_DIRTY; repair <= SWEEP_NONE; repair++)
	{
		begin(10, 3, 1);
		sweep->options.repair = repair;
		sweep_these("0 1 2 3 4 5 6 7 8 9");
		sweep_these("0 1");
		check(shows(expected[repair]));
		check(is_safe());
	}
}

/* Lives without a point are attacked, some of them. */
static void
live_without(SweepPoint point, SweepRepair repair)
{
	Lives		lives = live_by((SweepOptions) {.repair = repair,.left_out = point}, NLIVES, 60);

	check(lives.attacked > 0);
}

static void
test_naive_lives(void)
{
	Lives		lives = {.number = NLIVES,.asked_percent = 100,.draft = draft_naively};

	live(&lives);
	check(lives.attacked > lives.number / 2);
}

/* ----------------------------------------------------------------
 * The points
 * ----------------------------------------------------------------
 */

/*
 * Without it the sweep is safe, but idle: E1 - E0 is empty when a class comes
 * again, and so nobody who was published ever comes again.  To the letter, an
 * attack on a class of just k succeeds.
 */
static void
test_empty_is_allowed(void)
{
	begin(6, 3, 1);
	sweep_these("0 1 2 | 3 4 5");
	sweep_these("0 1 2 | 3 4 5");
	check(shows("0 1 2 | 3 4 5"));
	sweep_without(POINT_EMPTY, "0 1 2 | 3 4 5");
	check(shows(""));

	begin(8, 3, 1);
	sweep_these("0 1 2 3 4 5 6 7");
	sweep_without(POINT_EMPTY, "0 1 2 3 | 4 5 6 7");	/* E1 - E0 is empty */
	check(shows(""));
	sweep_these("0 1 2 3 | 4 5 6 7");
	check(shows("0 1 2 3 | 4 5 6 7"));
}

/* Without it, whoever comes after one class that is rejected is rejected too. */
static void
test_reject_is_cleared(void)
{
	for (uint32 without = 0; without <= POINT_CLEAR; without += POINT_CLEAR)
	{
		begin(9, 3, 1);
		sweep_these("0 1 2 | 3 4 5");
		sweep_without(without, "0 6 7 | 3 4 5");
		check(shows(without == 0 ? "3 4 5" : ""));
		check(world->draft->rejected == (without == 0 ? 1 : 2));
		check(is_safe());
	}
}

/*
 * Without it, those of E1 who were of other neighborhoods than the last one are
 * taken for one neighborhood: two of them may then be parted from two others,
 * whom observers have known apart since the first release.
 */
static void
test_every_e0_is_split(void)
{
	for (uint32 without = 0; without <= POINT_SPLIT; without += POINT_SPLIT)
	{
		begin(6, 2, 1);
		sweep_these("0 1 | 2 3 | 4 5");
		sweep_without(without, "0 1 2 3 4 5");
		check(shows("0 1 2 3 4 5"));
		check((sweep->known->neighborhood[0] == sweep->known->neighborhood[2]) == (without != 0));
		sweep_without(without, "0 2");
		check(shows(without == 0 ? "" : "0 2"));
		check(is_safe() == (without == 0));
	}
	live_without(POINT_SPLIT, SWEEP_DIRTY);
}

/*
 * Without it, a neighborhood is whoever has the same region: three others make
 * it seem that who is left behind has company.
 */
static void
test_neighborhoods_are_known_by_id(void)
{
	for (uint32 without = 0; without <= POINT_ID; without += POINT_ID)
	{
		begin(8, 3, 1);
		for (int t = 0; t < 8; t++)
			world->individuals[t].code[0] = t % 4;
		sweep_these("0 1 2 3 | 4 5 6 7");
		world->individuals[0].alive = false;
		sweep_without(without, "1 2 3");
		check(shows(without == 0 ? "" : "1 2 3"));
		check(is_safe() == (without == 0));
	}
	live_without(POINT_ID, SWEEP_NONE);
}

/*
 * Without it, who was never published is taken for one neighborhood, and two
 * whom nobody asked for, and nobody knows of, seem to be exposed: they are
 * published, or the class is not.  That is safe, and for nothing.
 */
static void
test_unpublished_have_no_neighborhood(void)
{
	for (uint32 without = 0; without <= POINT_UNPUBLISHED; without += POINT_UNPUBLISHED)
	{
		begin(5, 3, 1);
		sweep_without(without, "0 1 2");
		check(shows(without == 0 ? "0 1 2" : "0 1 2 3 4"));
		check(world->draft->dirty == (without == 0 ? 0 : 2));

		begin(5, 3, 1);
		sweep->options.repair = SWEEP_NONE;
		sweep_without(without, "0 1 2");
		check(shows(without == 0 ? "0 1 2" : ""));
		check(is_safe());
	}
}

/*
 * Without it, a newcomer hides behind several neighborhoods, each of which is
 * only compared with all the others.  Where classes are homogeneous in the
 * signature, as the text assumes, no class has both.
 */
static void
test_newcomers_are_tested(void)
{
	for (uint32 without = 0; without <= POINT_NEWCOMERS; without += POINT_NEWCOMERS)
	{
		begin(7, 3, 1);
		sweep_these("0 1 2 | 3 4 5");
		sweep_without(without, "0 1 2 3 4 5 6");
		check(shows(without == 0 ? "" : "0 1 2 3 4 5 6"));
		check(is_safe() == (without == 0));
	}
	live_without(POINT_NEWCOMERS, SWEEP_DIRTY);
	check(live_by((SweepOptions) {.left_out = POINT_NEWCOMERS,.by_signature = true}, NLIVES, 60).attacked == 0);
}

/* Without it, what is left of E0 waits for a class that is rejected. */
static void
test_rest_is_tested_again(void)
{
	for (uint32 without = 0; without <= POINT_REST; without += POINT_REST)
	{
		begin(6, 3, 1);
		sweep_these("0 1 2 3 4");
		sweep_without(without, "0 1 2 | 3 4 5");
		check(shows(without == 0 ? "" : "0 1 2"));
		check(is_safe() == (without == 0));
	}
	live_without(POINT_REST, SWEEP_DIRTY);
}

/*
 * Without it, a dirty record keeps the bit of a class that was rejected.  It is
 * missing when a later class needs it, and its signature says that it was
 * published: records of one neighborhood have different ones, for ever.
 */
static void
test_rejecting_takes_back_dirty_records(void)
{
	for (uint32 without = 0; without <= POINT_TAKE_BACK; without += POINT_TAKE_BACK)
	{
		begin(8, 3, 1);
		sweep_these("0 1 2 3 4 | 5 6 7");
		sweep_without(without, "0 1 2 | 4 5 6 7");	/* 3 joins the first, in vain */
		check(shows(without == 0 ? "0 1 2 3 4 5 6 7" : ""));
		check((sweep->signature[3] == sweep->signature[4]) == (without == 0));
		check(sweep->known->neighborhood[3] == sweep->known->neighborhood[4]);
		check(is_safe());
	}
}

/*
 * Without it, the two who wait and the two who come have signatures of
 * different lengths, though nobody knows of any of them: classes that are cut
 * by signature never have enough of them.
 */
static void
test_newcomers_get_zeros(void)
{
	for (uint32 without = 0; without <= POINT_ZEROS; without += POINT_ZEROS)
	{
		begin(7, 3, 1);
		sweep->options.by_signature = true;
		world->individuals[5].alive = world->individuals[6].alive = false;
		sweep_without(without, "0 1 2");	/* 3 and 4 are there, and wait */
		world->individuals[5].alive = world->individuals[6].alive = true;
		sweep->options.left_out = without;
		ask("3 4 5 6");
		world->draft = sweep_draft(sweep, &world->frame, world->individual_of_row, 1);
		publish(world);
		check(shows(without == 0 ? "3 4 5 6" : ""));
		check(is_safe());
	}
}

/* The same point: without it, who was deleted is missed by nobody, and exposed. */
static void
test_deleted_still_count(void)
{
	for (uint32 without = 0; without <= POINT_ZEROS; without += POINT_ZEROS)
	{
		begin(4, 3, 1);
		sweep_these("0 1 2 3");
		world->individuals[3].alive = false;
		sweep_without(without, "0 1 2");
		check(shows(without == 0 ? "" : "0 1 2"));
		check(is_safe() == (without == 0));
	}
	live_without(POINT_ZEROS, SWEEP_DIRTY);
}

/* Does the last release say of each member where he is? */
static bool
is_true(void)
{
	const Classes *classes = world->draft->classes;
	bool		result = true;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			for (int q = 0; q < NQIS; q++)
				result &= span_contains(class_region(classes, c)[q],
										span_of(world->frame.code[q][classes->rows[i]]));
	return result;
}

/*
 * Without it there is no cell to print: the region that was cut does not hold
 * the dirty record.  What is stored is narrower than what is published, since
 * observers have seen both.
 */
static void
test_union_of_regions_is_a_box(void)
{
	for (uint32 without = 0; without <= POINT_BOX; without += POINT_BOX)
	{
		begin(8, 3, 1);
		sweep_these("0 1 2 3");
		sweep->options.left_out = without;
		ask("0 1 2 5 6 7");
		world->draft = sweep_classes(sweep, &world->frame, world->individual_of_row,
									 read_classes("0 1 2 | 5 6 7"), 1);
		check(world->draft->dirty == 1);
		check(is_true() == (without == 0));
	}

	begin(9, 3, 1);
	sweep_these("0 1 2 | 3 4 5");
	sweep_these("0 1 2 3 4 5 6 7 8");
	check(span_equal(world->draft->classes->regions[0], (Span) {0, 8}));
	check(span_equal(sweep->known->neighborhoods[sweep->known->neighborhood[0]].region[0], (Span) {0, 2}));
	check(span_equal(sweep->known->neighborhoods[sweep->known->neighborhood[3]].region[0], (Span) {3, 5}));
	check(span_equal(sweep->known->neighborhoods[sweep->known->neighborhood[6]].region[0], (Span) {0, 8}));
}

/*
 * Without it nothing changes but the work: dirty records are of an E0 that was
 * handled, and find each set as it was left.
 */
static void
test_original_members_suffice(void)
{
	uint64		visits[2];

	for (uint32 without = 0; without <= 1; without++)
	{
		begin(8, 3, 1);
		sweep_these("0 1 2 3 4 5 6 7");
		sweep_without(without * POINT_ORIGINAL, "0 1 2 3 4 5");
		check(shows("0 1 2 3 4 5 6 7"));
		visits[without] = sweep->visits;
	}
	check(visits[0] == 2);		/* an E0 in each release */
	check(visits[1] == 9);		/* in the second, once for each, the dirty ones too */
}

static void
test_original_members_suffice_in_lives(void)
{
	SweepOptions options = {.repair = SWEEP_DIRTY};

	for (int life = 0; life < 10; life++)
	{
		begin(0, 2 + life % 3, 1 + life % 2);
		add_people(world, 80, NVALUES);
		options.k = world->params[0];
		options.l = world->params[1];
		options.cut = mondrian;
		sweep = sweep_create(MAX_INDIVIDUALS, NQIS, &options);
		options.left_out = POINT_ORIGINAL;
		for (Sweep *other = sweep_create(MAX_INDIVIDUALS, NQIS, &options); world->releases < 6;)
		{
			Draft	   *draft;

			make_frame(world, 70);
			make_past(world);
			draft = sweep_draft(other, &world->frame, world->individual_of_row, life);
			world->draft = sweep_draft(sweep, &world->frame, world->individual_of_row, life);
			check(draft->classes->nclasses == world->draft->classes->nclasses);
			check(draft->dirty == world->draft->dirty);
			check(memcmp(sweep->signature, other->signature, sizeof(uint32) * MAX_INDIVIDUALS) == 0);
			check(memcmp(sweep->known->neighborhood, other->known->neighborhood,
						 sizeof(uint32) * MAX_INDIVIDUALS) == 0);
			publish(world);
			pass_time(world, 10);
		}
	}
}

/* The order decides what is rejected; whatever it is, what remains is safe. */
static void
test_order_changes_the_outcome(void)
{
	const char *const expected[] = {"0 1 2", "3 4 5 6"};
	const SweepOrder order[] = {ORDER_SMALLEST_FIRST, ORDER_LARGEST_FIRST};

	for (int i = 0; i < 2; i++)
	{
		begin(9, 3, 1);
		sweep_these("0 1 2 3 4 5 6 7 8");
		world->individuals[7].alive = world->individuals[8].alive = false;
		sweep->options.order = order[i];
		sweep->options.repair = SWEEP_NONE;
		sweep_these("3 4 5 6 | 0 1 2");
		check(shows(expected[i]));
		check(is_safe());
	}
	for (SweepOrder by = ORDER_AS_CUT; by <= ORDER_RANDOM; by++)
		live_safely((SweepOptions) {.order = by}, 60);
}

/* ----------------------------------------------------------------
 * The paper's examples
 * ----------------------------------------------------------------
 */

enum
{
	FLU, MIGRAINE, PNEUMONIA, HIV, CANCER, TUBERCULOSIS
};

/* Table 1: Alice, Charlotte, Bob, Dave; Fran, George; Ellis, Helen. */
static void
begin_table_1(uint64 k, uint32 l)
{
	begin(8, k, l);
	set_values((Code[]) {FLU, MIGRAINE, PNEUMONIA, HIV, FLU, CANCER, HIV, HIV});
	for (int t = 0; t < 8; t++)
		world->individuals[t].code[0] = 5;
}

/* Who is no longer in a release was discharged. */
static void
live_table_1(void (*publish_these) (const char *text), bool safe[3])
{
	const char *const releases[] = {"0 1 2 3", "0 3 4 5", "4 5 6 7"};

	for (int r = 0; r < 3; r++)
	{
		for (int t = 0; t < 8; t++)
			world->individuals[t].alive = strchr(releases[r], '0' + t) != NULL;
		publish_these(releases[r]);
		safe[r] = is_safe();
	}
}

/* Table 2 adds that with unique identifiers both Ellis and Helen are known to have HIV. */
static void
test_tables_1_and_2(void)
{
	bool		safe[3];

	begin_table_1(3, 3);		/* Charlotte or Bob: the second release tells */
	live_table_1(publish_naively, safe);
	check(safe[0] && !safe[1] && !safe[2]);
	begin_table_1(2, 2);		/* Ellis and Helen: the third one does */
	live_table_1(publish_naively, safe);
	check(safe[0] && safe[1] && !safe[2]);

	for (uint32 k = 2; k <= 3; k++)
	{
		begin_table_1(k, k);
		live_table_1(sweep_these, safe);
		check(safe[0] && safe[1] && safe[2]);
		check(shows(k == 2 ? "" : "4 5 6 7"));	/* of whom none was shown when k = 3 */
		begin_table_1(k, k);
		live_table_1(publish_ours, safe);
		check(safe[0] && safe[1] && safe[2]);
		check(shows(k == 2 ? "4 5" : "4 5 6 7"));
	}
}

/* Table 3: who is 3 in the paper is alone in the intersection, and 1 and 2 in the difference. */
static void
publish_table_3(void (*publish_these) (const char *text))
{
	begin(8, 2, 2);
	set_values((Code[]) {FLU, CANCER, FLU, FLU, HIV, CANCER, FLU, HIV});
	world->individuals[0].alive = false;	/* there is no 0 */
	publish_these("3 4 5 6");
	set_values((Code[]) {FLU, CANCER, FLU, TUBERCULOSIS, FLU, HIV, CANCER, HIV});
	publish_these("1 2 3 | 4 5 | 6 7");
}

static void
test_table_3(void)
{
	publish_table_3(publish_naively);
	check(!is_safe());
	publish_table_3(sweep_these);
	check(is_safe());
	check(shows(""));
	publish_table_3(publish_ours);
	check(is_safe());
	check(world->nshown == 4 + 7);
}

static const Test tests[] = {
	{"whole tables", test_whole_tables},
	{"cohorts", test_cohorts},
	{"cohorts, cut by signature", test_cohorts_by_signature},
	{"repairs", test_repairs},
	{"releases that are cut alone are attacked", test_naive_lives},
	{"point 1: the empty set is allowed, and sets of k", test_empty_is_allowed},
	{"point 2: reject is cleared for every class", test_reject_is_cleared},
	{"point 3: every E0 is split", test_every_e0_is_split},
	{"point 4: neighborhoods are known by id", test_neighborhoods_are_known_by_id},
	{"point 5: who was never published has no neighborhood", test_unpublished_have_no_neighborhood},
	{"point 6: newcomers are tested by themselves", test_newcomers_are_tested},
	{"point 7: E0 - E1 is tested again", test_rest_is_tested_again},
	{"point 8: rejecting takes back dirty records", test_rejecting_takes_back_dirty_records},
	{"point 9: newcomers get zeros", test_newcomers_get_zeros},
	{"point 9: the deleted still count", test_deleted_still_count},
	{"point 10: the union of regions is a box", test_union_of_regions_is_a_box},
	{"point 11: original members suffice", test_original_members_suffice},
	{"point 11: original members suffice, in lives", test_original_members_suffice_in_lives},
	{"point 12: the order changes the outcome", test_order_changes_the_outcome},
	{"tables 1 and 2", test_tables_1_and_2},
	{"table 3", test_table_3},
};

int
main(void)
{
	int			status;

	world = malloc(sizeof(World));
	status = run_tests(tests, lengthof(tests));
	free(world);
	return status;
}
