/*
 * test_bpg.c
 *		Random lives of small tables: after every release, whatever can be
 *		inferred from all of them is allowed.
 */
#include "lives.h"

static Draft *
draft(World *world)
{
	return bpg_method.draft(&world->frame, &world->past, world->params, below(1000000));
}

static void
live_under_bpg(int repair, int asked_percent)
{
	Lives		lives = {.number = 350,.repair = repair,.asked_percent = asked_percent,.draft = draft};

	live(&lives);
	check(lives.attacked == 0);
	check(lives.attacked_pairs == 0);
	check((lives.ndirty > 0) == (asked_percent < 100 && repair < 2));
	check((lives.ninvented > 0) == (repair == 3));
}

static void
test_whole_tables_without_repair(void)
{
	live_under_bpg(2, 100);
}

static void
test_whole_tables_with_counterfeits(void)
{
	live_under_bpg(3, 100);
}

static void
test_cohorts_without_repair(void)
{
	live_under_bpg(2, 60);
}

static void
test_cohorts_with_dirty_rows(void)
{
	live_under_bpg(0, 60);
}

static void
test_cohorts_with_few_dirty_rows(void)
{
	live_under_bpg(1, 60);
}

static void
test_cohorts_with_counterfeits(void)
{
	live_under_bpg(3, 60);
}

static const Test tests[] = {
	{"whole tables, no repair", test_whole_tables_without_repair},
	{"whole tables, counterfeits", test_whole_tables_with_counterfeits},
	{"cohorts, no repair", test_cohorts_without_repair},
	{"cohorts, dirty rows", test_cohorts_with_dirty_rows},
	{"cohorts, few dirty rows", test_cohorts_with_few_dirty_rows},
	{"cohorts, counterfeits", test_cohorts_with_counterfeits},
};

int
main(void)
{
	return run_tests(tests, lengthof(tests));
}
