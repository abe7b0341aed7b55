/*
 * joins_bench.c
 *		Match joins in memory: how time and memory grow, and how the paper's own
 *		algorithms do.
 *
 * The configurations of paper 000's table 6, over invented people; each cell is generalised by
 * itself, at random, to its value, a group or all.
 */
#include "shim.h"

#include <math.h>
#include <time.h>

#include "audit/join/join.h"
#include "records.h"

enum
{
	AGE, EDUCATION, GENDER, RACE, COUNTRY, MARITAL_STATUS, NCOLUMNS
};

static const uint32 size_of[NCOLUMNS] = {73, 17, 2, 9, 83, 6};
static const uint32 group_of[NCOLUMNS] = {10, 4, 2, 9, 10, 3};

#define NVALUES		50
#define MAX_RELEASES 4
#define SHOWS(column) (1 << (column))
#define SENSITIVE	SHOWS(NCOLUMNS)

typedef struct Configuration
{
	const char *name;
	int32		releases;
	uint32		shown[MAX_RELEASES];
	uint32		few;			/* people whom the paper's algorithms can bear */
} Configuration;

static const Configuration configurations[] = {
	{"CENSUS-1", 2, {SHOWS(AGE) | SHOWS(EDUCATION), SHOWS(AGE) | SENSITIVE}, 3000},
	{"CENSUS-2", 2, {
		SHOWS(GENDER) | SHOWS(RACE) | SHOWS(COUNTRY) | SHOWS(EDUCATION),
		SHOWS(GENDER) | SHOWS(RACE) | SHOWS(MARITAL_STATUS) | SENSITIVE
	}, 2000},
	{"R = 3", 3, {SHOWS(AGE) | SHOWS(GENDER), SHOWS(GENDER) | SENSITIVE, SHOWS(AGE) | SENSITIVE}, 600},
	{"R = 4", 4, {
		SHOWS(AGE) | SHOWS(GENDER), SHOWS(AGE) | SENSITIVE,
		SHOWS(AGE) | SHOWS(GENDER) | SHOWS(MARITAL_STATUS), SHOWS(GENDER) | SENSITIVE
	}, 200},
};

static uint32
below(uint32 n)
{
	static uint64 state = 1;

	state = state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (state >> 33) % n;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void *
allocate(Size width, Size n)
{
	return palloc_extended(width * (n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* ----------------------------------------------------------------
 * People, and releases of them
 * ----------------------------------------------------------------
 */

typedef struct People
{
	uint32		n;
	Code	   *code[NCOLUMNS];
	Code	   *value;
} People;

static People
invent_people(uint32 n)
{
	People		people = {.n = n,.value = allocate(sizeof(Code), n)};

	for (int c = 0; c < NCOLUMNS; c++)
	{
		people.code[c] = allocate(sizeof(Code), n);
		for (uint32 i = 0; i < n; i++)
			people.code[c][i] = Min(below(size_of[c]), below(size_of[c]));
	}
	for (uint32 i = 0; i < n; i++)
		people.value[i] = Min(below(NVALUES), below(NVALUES));
	return people;
}

static Span
generalise(Code code, int c)
{
	switch (below(3))
	{
		case 0:
			return span_of(code);
		case 1:
			return (Span) {code / group_of[c] * group_of[c], code / group_of[c] * group_of[c] + group_of[c] - 1};
		default:
			return (Span) {0, PG_UINT32_MAX};
	}
}

static JoinRelease
release_people(const People *people, uint32 shown)
{
	const Span **cells = palloc0(sizeof(Span *) * NCOLUMNS);
	uint32	   *person = allocate(sizeof(uint32), people->n);
	Code	   *value = allocate(sizeof(Code), people->n);

	for (uint32 i = 0; i < people->n; i++)
	{
		uint32		j = below(i + 1);

		person[i] = person[j];
		person[j] = i;
	}
	for (int c = 0; c < NCOLUMNS; c++)
	{
		Span	   *column = allocate(sizeof(Span), people->n);

		for (uint32 i = 0; i < people->n; i++)
			column[i] = generalise(people->code[c][person[i]], c);
		cells[c] = shown & SHOWS(c) ? column : NULL;
	}
	for (uint32 i = 0; i < people->n; i++)
		value[i] = people->value[person[i]];
	return (JoinRelease) {.nrecords = people->n,.cells = cells,.person = person,.sensitive = shown & SENSITIVE ? value : NULL};
}

static JoinInput
release_configuration(const People *people, const Configuration *configuration, JoinRelease *release)
{
	for (int32 r = 0; r < configuration->releases; r++)
		release[r] = release_people(people, configuration->shown[r]);
	return (JoinInput) {
		.nreleases = configuration->releases,.release = release,
		.ncolumns = NCOLUMNS,.nqis = NCOLUMNS,.nvalues = NVALUES,.null_value = NO_CODE
	};
}

/* ----------------------------------------------------------------
 * Measuring
 * ----------------------------------------------------------------
 */

typedef struct Measured
{
	double		seconds;
	double		part[4];		/* graph, kernel, counts, profile */
	double		megabytes;
	uint64		edges;
	char	   *cliques;
	uint32		linkability;
	double		diversity;
} Measured;

static Measured
measure(const JoinInput *input, const JoinTuples *tuples)
{
	Measured	measured;
	JoinTrouble trouble;
	JoinCounts	counts;
	LinkProfile *profile;
	JoinGraph  *graph;
	double		time[5] = {now()};
	uint64		before = shim_allocated_peak = shim_allocated;

	graph = join_graph(input);
	time[1] = now();
	check(join_kernel(graph, &trouble) == JOIN_FOUND);
	time[2] = now();
	counts = join_count(graph, NULL);
	time[3] = now();
	profile = link_profile(graph, tuples, false);
	time[4] = now();
	measured = (Measured) {
		.seconds = time[4] - time[0],.megabytes = (shim_allocated_peak - before) / 1e6,
		.edges = counts.edges,.cliques = wide_text(counts.cliques),
		.linkability = profile->least_linkability,.diversity = profile->least_diversity
	};
	for (int i = 0; i < 4; i++)
		measured.part[i] = time[i + 1] - time[i];
	return measured;
}

static Measured
measure_configuration(const Configuration *configuration, uint32 n)
{
	People		people = invent_people(n);
	JoinRelease release[MAX_RELEASES];
	JoinInput	input = release_configuration(&people, configuration, release);
	JoinTuples	tuples = {.ntuples = n,.code = (const Code *const *) people.code};
	Measured	measured = measure(&input, &tuples);

	printf("# %-9s %8u %9.1f %9.1f %9.1f %9.1f %9.1f %6.0f %6.0f %10u %9.2f  %s\n", configuration->name, n,
		   1e3 * measured.seconds, 1e3 * measured.part[0], 1e3 * measured.part[1], 1e3 * measured.part[2],
		   1e3 * measured.part[3], measured.megabytes, 1e6 * measured.megabytes / n, measured.linkability,
		   measured.diversity, measured.cliques);
	fflush(stdout);
	return measured;
}

static uint32	most_people = 500000;

static void
bench_ours(void)
{
	double		two = 0;

	printf("# ours: milliseconds in all, of the graph, the kernel, counting cliques, the profile; megabytes, bytes a person\n");
	printf("# %-9s %8s %9s %9s %9s %9s %9s %6s %6s %10s %9s  %s\n", "", "people", "ms", "graph", "kernel", "counts", "profile",
		   "MB", "bytes", "linkable", "diversity", "cliques");
	for (int i = 0; i < (int) lengthof(configurations); i++)
	{
		double		few = 0;
		double		many = 0;

		for (uint32 n = most_people / 5; n <= most_people; n += i == 0 ? most_people / 5 : most_people * 4 / 5)
		{
			many = measure_configuration(&configurations[i], n).seconds;
			few = few == 0 ? many : few;
			MemoryContextReset(CurrentMemoryContext);
		}
		two = i == 0 ? many : two;
		printf("# %s: grows with people to the power of %.2f, takes %.1f times what CENSUS-1 does\n", configurations[i].name,
			   log(many / few) / log(5), many / two);
	}
}

/* Beside the paper's, which must find the same. */
static void
bench_records(void)
{
	printf("# the paper's algorithms, record by record, and ours on the same people\n");
	printf("# %-9s %8s %12s %12s %10s %12s\n", "", "people", "paper ms", "ours ms", "times", "cliques");
	for (int i = 0; i < (int) lengthof(configurations); i++)
	{
		People		people = invent_people(configurations[i].few);
		JoinRelease release[MAX_RELEASES];
		JoinInput	input = release_configuration(&people, &configurations[i], release);
		JoinTuples	tuples = {.ntuples = people.n,.code = (const Code *const *) people.code};
		Measured	ours = measure(&input, &tuples);
		double		start = now();
		RecordFigures paper = judge_records(&input, &tuples);
		double		seconds = now() - start;
		char		cliques[32];

		snprintf(cliques, sizeof(cliques), UINT64_FORMAT, paper.cliques);
		check(strcmp(cliques, ours.cliques) == 0 && paper.matches == ours.edges);
		check(paper.linkability == ours.linkability && fabs(paper.diversity - ours.diversity) < 1e-9 * paper.diversity);
		printf("# %-9s %8u %12.1f %12.2f %10.0f %12s\n", configurations[i].name, people.n, 1e3 * seconds,
			   1e3 * ours.seconds, seconds / ours.seconds, cliques);
		fflush(stdout);
		MemoryContextReset(CurrentMemoryContext);
	}
}

int
main(int argc, char **argv)
{
	static const Test tests[] = {
		{"match joins in memory", bench_ours},
		{"beside the paper's", bench_records},
	};

	if (argc > 1)
		most_people = Max(1000, atoi(argv[1]));
	return run_tests(tests, lengthof(tests));
}
