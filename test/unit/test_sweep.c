/*
 * test_sweep.c
 *		The paper's own sweep in its safe reading, which benches compare ours with, and
 *		the attacker of lives.c, who must win where it is not safe.
 */
#include "lives.h"

#include "sweep.h"

#include "partition/mondrian.h"

#define NLIVES 40

static Sweep *sweep;

/* ---- Random lives ---- */

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
	for (SweepRepair repair = SWEEP_DIRTY; repair <= SWEEP_NONE; repair++)
		for (int by_signature = 0; by_signature < 2; by_signature++)
			live_safely((SweepOptions) {.repair = repair,.by_signature = by_signature}, 60);
}

static void
test_orders(void)
{
	for (SweepOrder by = ORDER_AS_CUT; by <= ORDER_RANDOM; by++)
		live_safely((SweepOptions) {.order = by}, 60);
}

/* Observers win where the sweep leaves out a point of its safe reading. */
static void
test_points(void)
{
	static const SweepOptions without[] = {
		{.left_out = POINT_SPLIT}, {.left_out = POINT_ID,.repair = SWEEP_NONE}, {.left_out = POINT_NEWCOMERS},
		{.left_out = POINT_REST}, {.left_out = POINT_ZEROS}
	};

	for (int i = 0; i < (int) lengthof(without); i++)
		check(live_by(without[i], NLIVES, 60).attacked > 0);
}

/* They win more often where each release is cut by itself. */
static void
test_naive_lives(void)
{
	Lives		lives = {.number = NLIVES,.asked_percent = 100,.draft = draft_naively};

	live(&lives);
	check(lives.attacked > lives.number / 2);
}

static const Test tests[] = {
	{"whole tables", test_whole_tables},
	{"cohorts", test_cohorts},
	{"classes in any order", test_orders},
	{"points that are left out", test_points},
	{"releases that are cut alone", test_naive_lives},
};

RUN(tests)
