/*
 * figures_bench.c
 *		Section VI of the paper, without a server: what old principles are worth
 *		when values change (Figures 3 and 4), what m-distinct loses and invents
 *		(5 to 8) and what it costs (9), beside the paper's own algorithm.
 *
 * Usage:
 *		figures_bench [PEOPLE [RELEASES [QUERIES [lives]]]]
 *
 * PEOPLE: 20,000, of whom a tenth leaves from release to release, while a
 * quarter comes and a quarter changes.  Seconds are those of the processor.
 */
#include "shim.h"

#include "greedy.h"
#include "method/method.h"
#include "partition/mondrian.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Algorithm 2 of the paper gives up behind so many buckets. */
#define MOST_BUCKETS	20000

/* The greedy one meets sets that contain each other in tables as small as this. */
#define SMALL_PEOPLE	1000

static uint32 people = 20000;
static int32 releases = 20;
static uint32 queries = 10000;

static const uint32 ms[] = {2, 4, 6, 8};
static const Code ds[] = {5, 10, 20};

typedef enum Publisher
{
	DISTINCT,
	GREEDY,
	DIVERSITY
} Publisher;

static const char *const name_of[] = {"m-distinct", "greedy", "l-diversity"};

static Setup
setup_for(uint32 n, Code d, uint32 m)
{
	return (Setup) {
		.people = n,.leave = n / 10,.come = n / 4,.change = n / 4,
		.diameter = d,.m = m,.rounds = releases
	};
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* ----------------------------------------------------------------
 * Releases
 * ----------------------------------------------------------------
 */

typedef struct Release
{
	Classes    *classes;		/* or NULL: it gave up */
	double		seconds;
	uint32		buckets;
} Release;

static Release
publish(World *world, SeenWorld *seen, Publisher publisher)
{
	Past		past = {.releases = seen->releases,.paths = seen_paths(seen, world),.updates = world->updates};
	int64		params[] = {world->setup.m, 1, world->setup.strict};
	Principle	principle = principle_k_l(world->setup.m, world->setup.m);
	Release		release = {.classes = NULL};
	double		start = now();

	if (publisher == DISTINCT)
		release.classes = m_distinct_method.draft(&world->frame, &past, params, seen->releases)->classes;
	else if (publisher == GREEDY)
		release.classes = greedy_classes(&world->frame, &past, world->setup.m, seen->releases, MOST_BUCKETS, &release.buckets);
	else
	{
		RowId	   *rows = palloc(sizeof(RowId) * world->frame.nrows);

		for (uint64 row = 0; row < world->frame.nrows; row++)
			rows[row] = row;
		release.classes = mondrian(&world->frame, rows, world->frame.nrows, &principle, seen->releases);
	}
	release.seconds = now() - start;
	if (release.classes != NULL)
		seen_add(seen, world, release.classes);
	return release;
}

static uint64
counterfeits_of(const Classes *classes)
{
	return classes->first_counterfeit == NULL ? 0 : classes->first_counterfeit[classes->nclasses];
}

/* Measured after each release. */
typedef void (*Look) (int32 release, World *world, SeenWorld *seen, const Release *made, void *what);

/* A life; false if the publisher gave up. */
static bool
live(const Setup *setup, Publisher publisher, bool keep_all, Look look, void *what)
{
	MemoryContext life = AllocSetContextCreate(CurrentMemoryContext, "life", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(life);
	World	   *world = world_create(setup);
	SeenWorld	   *seen = seen_world_create(world, keep_all);
	bool		done = true;

	for (int32 r = 1; r <= setup->rounds && done; r++)
	{
		MemoryContext round = AllocSetContextCreate(life, "round", ALLOCSET_DEFAULT_SIZES);
		Release		made;

		MemoryContextSwitchTo(round);
		made = publish(world, seen, publisher);
		done = made.classes != NULL;
		if (done)
			look(r, world, seen, &made, what);
		MemoryContextSwitchTo(life);
		MemoryContextDelete(round);
		if (r < setup->rounds)
			world_pass_time(world);
	}
	seen_world_free(seen);
	world_free(world);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(life);
	return done;
}

/* Releases that are looked at more closely. */
static bool
is_looked_at(int32 release)
{
	return release == 1 || release % 5 == 0 || release == releases;
}

static void
head_of_releases(const char *first)
{
	printf("%-28s", first);
	for (int32 r = 1; r <= releases; r++)
		if (is_looked_at(r))
			printf("%10d", r);
	printf("\n");
}

/* ----------------------------------------------------------------
 * Figures 3 and 4
 * ----------------------------------------------------------------
 */

static void
look_vulnerable(int32 release, World *world, SeenWorld *seen, const Release *made, void *what)
{
	uint64		versions;
	uint64		vulnerable;

	if (!is_looked_at(release))
		return;
	vulnerable = count_vulnerable(seen, world, &versions);
	printf("%9.2f%%", 100.0 * vulnerable / versions);
}

static void
figure_three(void)
{
	printf("\nFigure 3: sensitive values that observers know, of all that were shown in so many releases\n");
	head_of_releases("");
	for (int i = 0; i < (int) (lengthof(ds) * lengthof(ms)); i++)
	{
		Setup		setup = setup_for(people, ds[i / lengthof(ms)], ms[i % lengthof(ms)]);

		printf("d = %2u, %u-diversity         ", setup.diameter, setup.m);
		live(&setup, DIVERSITY, true, look_vulnerable, NULL);
		printf("\n");
	}
	for (int i = 0; i < (int) lengthof(ms); i++)
	{
		Setup		setup = setup_for(people, 10, ms[i]);

		printf("d = 10, %u-distinct          ", setup.m);
		live(&setup, DISTINCT, true, look_vulnerable, NULL);
		printf("\n");
	}
}

/* The frame of those who have never been shown. */
static World
newcomers_of(World *world, const SeenWorld *seen)
{
	World		view = *world;
	uint64		n = 0;

	view.person = palloc(sizeof(uint32) * (world->frame.nrows + 1));
	view.frame.code = palloc(sizeof(Code *) * WORLD_QIS);
	for (int q = 0; q < WORLD_QIS; q++)
		view.frame.code[q] = palloc(sizeof(Code) * (world->frame.nrows + 1));
	view.frame.sensitive = palloc(sizeof(Code) * (world->frame.nrows + 1));
	for (uint64 row = 0; row < world->frame.nrows; row++)
		if (seen->last_class[world->person[row]] == NO_PLACE_YET)
			view.person[n++] = world->person[row];
	view.frame.nrows = n;
	world_look(&view);
	return view;
}

/* Rows whose value has left the candidates that m-invariance keeps them to. */
static uint64
count_invalid(const World *world, const SeenWorld *seen)
{
	uint64		invalid = 0;

	for (uint64 row = 0; row < world->frame.nrows; row++)
	{
		uint64		class = seen->last_class[world->person[row]];
		bool		is_there = false;

		for (uint64 i = seen->first[class]; i < seen->first[class + 1]; i++)
			is_there |= seen->value[i] == world->frame.sensitive[row];
		invalid += !is_there;
	}
	return invalid;
}

static void
live_invariantly(Code d, uint32 m)
{
	Setup		setup = setup_for(people, d, m);
	MemoryContext life = AllocSetContextCreate(CurrentMemoryContext, "life", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(life);
	World	   *world = world_create(&setup);
	SeenWorld	   *seen = seen_world_create(world, false);
	int64		params[] = {m, 0};

	printf("d = %2u, %u-invariance        ", d, m);
	for (int32 r = 1; r <= releases; r++)
	{
		World		view = newcomers_of(world, seen);
		Past		past = {.paths = seen_paths(seen, &view)};

		seen_add(seen, &view, invariance_method.draft(&view.frame, &past, params, r)->classes);
		if (is_looked_at(r))
			printf("%10u", (unsigned) count_invalid(world, seen));
		world_pass_time(world);
	}
	printf("\n");
	seen_world_free(seen);
	world_free(world);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(life);
}

static void
figure_four(void)
{
	printf("\nFigure 4: rows that m-invariance cannot show, since their value is none of their first candidates (m-distinct: 0)\n");
	head_of_releases("");
	for (int i = 0; i < (int) lengthof(ms); i++)
		live_invariantly(10, ms[i]);
	live_invariantly(1, 4);
	live_invariantly(5, 4);
	live_invariantly(20, 4);
}

/* ----------------------------------------------------------------
 * Figures 5 and 6
 * ----------------------------------------------------------------
 */

static void
look_error(int32 release, World *world, SeenWorld *seen, const Release *made, void *what)
{
	if (is_looked_at(release))
		printf("%9.2f%%", 100 * query_error(world, made->classes, 0.4, queries));
}

/* Shares of each domain that queries cover, in the last release. */
static void
look_shares(int32 release, World *world, SeenWorld *seen, const Release *made, void *what)
{
	for (int i = 2; i <= 8 && release == releases; i += 2)
		printf("%9.2f%%", 100 * query_error(world, made->classes, i / 10.0, queries));
}

static void
figures_five_and_six(void)
{
	Setup		setup = setup_for(people, 10, 4);

	printf("\nFigures 5(a) and 6: median error of %u queries that cover 0.4 of each domain\n", queries);
	head_of_releases("");
	for (int i = 0; i < (int) lengthof(ms); i++)
	{
		setup = setup_for(people, 10, ms[i]);
		printf("d = 10, m = %u               ", setup.m);
		live(&setup, DISTINCT, false, look_error, NULL);
		printf("\n");
	}
	for (int i = 0; i < (int) lengthof(ds); i++)
	{
		setup = setup_for(people, ds[i], 4);
		printf("d = %2u, m = 4               ", setup.diameter);
		live(&setup, DISTINCT, false, look_error, NULL);
		printf("\n");
	}
	printf("Figure 5(b): 0.2, 0.4, 0.6, 0.8 of each domain, release %d\n", releases);
	setup = setup_for(people, 10, 4);
	printf("d = 10, m = 4               ");
	live(&setup, DISTINCT, false, look_shares, NULL);
	printf("\n");
}

/* ----------------------------------------------------------------
 * Figures 7 and 8, and the paper's algorithm
 * ----------------------------------------------------------------
 */

typedef struct Invented
{
	bool		print;
	uint64		counterfeits;
	uint64		classes;
	uint32		most_buckets;
	double		seconds;
} Invented;

static void
look_invented(int32 release, World *world, SeenWorld *seen, const Release *made, void *what)
{
	Invented   *invented = what;
	uint64		counterfeits = counterfeits_of(made->classes);

	if (invented->print && is_looked_at(release))
		printf("%10.4f", (double) counterfeits / made->classes->nclasses);
	invented->counterfeits += counterfeits;
	invented->classes += made->classes->nclasses;
	invented->most_buckets = Max(invented->most_buckets, made->buckets);
	invented->seconds += made->seconds;
}

static Invented
invent(Setup setup, Publisher publisher, bool print)
{
	Invented	invented = {.print = print};

	if (print)
		printf("d = %2u, m = %u%s, %-14s", setup.diameter, setup.m, setup.strict ? "*" : "", name_of[publisher]);
	if (!live(&setup, publisher, false, look_invented, &invented))
		invented.classes = 0;
	if (print)
		printf("%s\n", invented.classes == 0 ? "   gave up" : "");
	return invented;
}

static void
print_side_by_side(Setup setup)
{
	Invented	ours = invent(setup, DISTINCT, false);
	Invented	greedy = invent(setup, GREEDY, false);

	printf("d = %2u, m = %u%-13s%12llu%12.4f%10.2f", setup.diameter, setup.m, setup.rises ? ", rises" : "",
		   (unsigned long long) ours.counterfeits, (double) ours.counterfeits / ours.classes, ours.seconds);
	if (greedy.classes == 0)
		printf("   more than %u buckets\n", MOST_BUCKETS);
	else
		printf("%12llu%12.4f%10.2f%10u%9.1f\n", (unsigned long long) greedy.counterfeits,
			   (double) greedy.counterfeits / greedy.classes, greedy.seconds, greedy.most_buckets, greedy.seconds / ours.seconds);
}

static void
figures_seven_and_eight(void)
{
	Setup		setup = setup_for(people, 5, 6);

	printf("\nFigure 7: invented rows a class, where %u leave (* strict)\n", people * 3 / 20);
	head_of_releases("");
	setup.leave = people * 3 / 20;
	(void) invent(setup, DISTINCT, true);
	(void) invent(setup, GREEDY, true);
	setup.strict = true;
	(void) invent(setup, DISTINCT, true);
	setup = setup_for(people, 10, 3);
	setup.leave = people * 3 / 20;
	setup.strict = true;
	(void) invent(setup, DISTINCT, true);

	printf("\nFigure 8: invented rows of all releases, and beside them those of the paper's algorithm (greedy)\n");
	printf("%-25s%12s%12s%10s%12s%12s%10s%10s%9s\n", "", "invented", "a class", "seconds", "by greedy", "a class", "seconds", "buckets", "times");
	for (int i = 0; i < (int) lengthof(ds); i++)
	{
		setup = setup_for(people, ds[i], 6);
		setup.leave = people * 3 / 20;
		print_side_by_side(setup);
	}
	for (int i = 0; i < (int) lengthof(ms); i++)
	{
		setup = setup_for(people, 5, ms[i]);
		setup.leave = people * 3 / 20;
		if (ms[i] != 6)
			print_side_by_side(setup);
	}
	for (int i = 0; i < (int) (2 * lengthof(ds)); i++)
	{
		setup = setup_for(SMALL_PEOPLE, ds[i / 2], 2 + 2 * (i % 2));
		setup.leave = setup.people * 3 / 20;
		setup.rises = true;
		setup.rounds = Min(releases, 5);
		print_side_by_side(setup);
	}
}

/* ----------------------------------------------------------------
 * Figure 9, and growth
 * ----------------------------------------------------------------
 */

static void
look_last(int32 release, World *world, SeenWorld *seen, const Release *made, void *what)
{
	if (release == world->setup.rounds)
		*(double *) what = made->seconds;
}

static double
seconds_of_release(int32 release, Setup setup, Publisher publisher)
{
	double		seconds = 0;

	setup.rounds = release;
	live(&setup, publisher, false, look_last, &seconds);
	return seconds;
}

static void
figure_nine(void)
{
	printf("\nFigure 9: seconds of the second release, and those of the paper's algorithm\n%-13s%10s%10s%9s\n", "", "seconds", "greedy", "times");
	for (int i = 0; i < (int) (lengthof(ds) + lengthof(ms)); i++)
	{
		Setup		setup = i < (int) lengthof(ds) ? setup_for(people, ds[i], 4) : setup_for(people, 10, ms[i - lengthof(ds)]);
		double		ours = seconds_of_release(2, setup, DISTINCT);
		double		greedy = seconds_of_release(2, setup, GREEDY);

		printf("d = %2u, m = %u%10.4f%10.4f%9.1f\n", setup.diameter, setup.m, ours, greedy, greedy / ours);
	}
}

/* The slope of the line through (log n, log seconds). */
static double
exponent_of(const double *n, const double *seconds, int points)
{
	double		mean_x = 0;
	double		mean_y = 0;
	double		both = 0;
	double		square = 0;

	for (int i = 0; i < points; i++)
	{
		mean_x += log(n[i]) / points;
		mean_y += log(seconds[i]) / points;
	}
	for (int i = 0; i < points; i++)
	{
		both += (log(n[i]) - mean_x) * (log(seconds[i]) - mean_y);
		square += (log(n[i]) - mean_x) * (log(n[i]) - mean_x);
	}
	return both / square;
}

static void
growth(Code d, uint32 m, bool strict, bool rises)
{
	double		n[5];
	double		seconds[5];
	double		linear[5];

	printf("d = %2u, m = %u%s%s", d, m, strict ? "*" : "", rises ? ", rises" : "");
	for (int i = 0; i < (int) lengthof(n); i++)
	{
		Setup		setup = setup_for(people << i, d, m);

		setup.strict = strict;
		setup.rises = rises;
		n[i] = setup.people * 1.3;
		seconds[i] = seconds_of_release(3, setup, DISTINCT);
		linear[i] = n[i] * log(n[i]);
		printf("%10.3f", seconds[i]);
	}
	printf("    n ^ %.2f, where n log n grows as n ^ %.2f\n", exponent_of(n, seconds, lengthof(n)),
		   exponent_of(n, linear, lengthof(n)));
}

static void
print_growth(void)
{
	printf("\nGrowth: seconds of the third release of %u, and 2, 4, 8 and 16 times as many people\n", people);
	growth(10, 4, false, false);
	growth(20, 8, false, false);
	growth(5, 6, false, false);
	growth(10, 3, true, false);
	growth(10, 4, false, true);
	growth(50, 4, false, true);
}

/* ----------------------------------------------------------------
 * Lives
 * ----------------------------------------------------------------
 */

typedef struct Cost
{
	double		first;			/* loss of a cell */
	double		loss;			/* sums over releases */
	double		invented;
	double		last;			/* invented rows a person, in the last release */
	double		seconds;
} LifeCost;

static void
look_cost(int32 release, World *world, SeenWorld *seen, const Release *made, void *what)
{
	const Classes *classes = made->classes;
	LifeCost   *cost = what;
	uint64		rows = world->frame.nrows + counterfeits_of(classes);
	double		loss = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < WORLD_QIS; q++)
			loss += (class_size(classes, c) + class_counterfeits(classes, c)) * cover_loss(&world->domain[q], class_region(classes, c)[q]);
	loss /= rows * WORLD_QIS;
	if (release == 1)
		cost->first = loss;
	cost->loss += loss;
	cost->invented += (double) counterfeits_of(classes) / rows;
	cost->last = (double) counterfeits_of(classes) / world->frame.nrows;
	cost->seconds += made->seconds;
}

static void
print_life(const char *what, Setup setup)
{
	LifeCost	cost = {0};

	live(&setup, DISTINCT, false, look_cost, &cost);
	printf("%7u people, d = %2u, m = %u%s %-8s%10.3f%10.3f%10.3f%10.3f%10.2f\n", setup.people, setup.diameter, setup.m, setup.strict ? "*" : " ",
		   what, cost.first, cost.loss / setup.rounds, cost.invented / setup.rounds, cost.last, cost.seconds / setup.rounds);
}

/* A tenth leaves from release to release, while as many come, or nobody. */
static void
print_lives(uint32 n)
{
	static const struct
	{
		Code		d;
		uint32		m;
		bool		strict;
		bool		rises;
	}			lives[] = {{10, 4, false, false}, {5, 6, false, false}, {20, 8, false, false}, {50, 4, false, false}, {1, 6, false, false},
	{10, 4, false, true}, {10, 3, true, false}, {5, 6, true, false}};

	printf("\nLives: loss of a cell, of the first release and of all; share of rows that are invented, and invented rows a person in the last release; seconds\n%45s%10s%10s%10s%10s%10s\n",
		   "", "first", "loss", "invented", "last", "seconds");
	for (int i = 0; i < 2 * (int) lengthof(lives); i++)
	{
		bool		shrinks = i >= (int) lengthof(lives);
		int			k = i % (int) lengthof(lives);
		Setup		setup = setup_for(n, lives[k].d, lives[k].m);

		setup.strict = lives[k].strict;
		setup.rises = lives[k].rises;
		setup.come = shrinks ? 0 : n / 10;
		setup.leave = shrinks ? n * 0.74 / releases : n / 10;
		if (setup.rises || shrinks)
			setup.change = n / 100;
		print_life(shrinks ? "shrinks" : setup.rises ? "rises" : "", setup);
	}
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		people = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		releases = strtol(argv[2], NULL, 10);
	if (argc > 3)
		queries = strtoul(argv[3], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	CurrentMemoryContext = TopMemoryContext = AllocSetContextCreate(NULL, "bench", ALLOCSET_DEFAULT_SIZES);
	printf("%u people at first, %u leave, %u come, %u change; %d releases\n", people, people / 10, people / 4, people / 4, releases);
	if (argc > 4)
	{
		print_lives(people);
		return 0;
	}
	figure_three();
	figure_four();
	figures_five_and_six();
	figures_seven_and_eight();
	figure_nine();
	print_growth();
	return 0;
}
