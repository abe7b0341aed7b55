/*
 * boxes_bench.c
 *		How far counts over random boxes are off, if a release's rows lie evenly in
 *		their cells, or as people do in all: boxes_bench QUERIES PEOPLE RELEASE…
 *
 * PEOPLE has a line of codes for each person; a line of RELEASE is, for each
 * attribute, the lowest and the highest code of a cell, and then how many rows
 * have these cells.  A box spans of each attribute as many codes as about the
 * same share of the people have, so that a given share of all is expected in it.
 * Prints, for each release and expected selectivity, separated by semicolons: the
 * number of the release, the selectivity that was expected, that of boxes that
 * are not empty on average, and the median of |estimate - count| / count, first
 * for rows that lie evenly, then for those who know how frequent each code is.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES	4
#define CODES		256

typedef struct Cells
{
	int			low[ATTRIBUTES];
	int			high[ATTRIBUTES];
	double		rows;
} Cells;

typedef struct Release
{
	int			n;
	Cells	   *cells;
} Release;

typedef struct People
{
	int			n;
	int			words;
	int			(*code)[ATTRIBUTES];

	/* People by their codes, and who has a code or a lower one: a bit each */
	int		   *sorted[ATTRIBUTES];	/* [n] codes */
	uint64_t   *upto[ATTRIBUTES][CODES + 1];
	int			below[ATTRIBUTES][CODES + 1];	/* how many have a lower code */
} People;

typedef struct Box
{
	int			low[ATTRIBUTES];
	int			high[ATTRIBUTES];
	double		count;
} Box;

static const double expected[] = {0.005, 0.01, 0.02, 0.05, 0.1};

static uint64_t random_state = 2009;

static double
draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) / 9007199254740992.0;
}

static void *
allocate(size_t size)
{
	void	   *p = calloc(1, size);

	if (p == NULL)
		exit((perror("boxes"), 1));
	return p;
}

static FILE *
open_file(const char *name)
{
	FILE	   *file = fopen(name, "r");

	if (file == NULL)
		exit((perror(name), 1));
	return file;
}

static int
compare_ints(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static void
read_people(const char *name, People *people)
{
	FILE	   *file = open_file(name);
	int			allocated = 1024;
	int			code[ATTRIBUTES];

	people->code = allocate(sizeof(*people->code) * allocated);
	while (fscanf(file, "%d %d %d %d", &code[0], &code[1], &code[2], &code[3]) == ATTRIBUTES)
	{
		if (people->n == allocated)
			people->code = realloc(people->code, sizeof(*people->code) * (allocated *= 2));
		memcpy(people->code[people->n++], code, sizeof(code));
	}
	fclose(file);
}

static void
index_people(People *people)
{
	people->words = people->n / 64 + 1;
	for (int a = 0; a < ATTRIBUTES; a++)
	{
		people->sorted[a] = allocate(sizeof(int) * people->n);
		for (int v = 0; v <= CODES; v++)
			people->upto[a][v] = allocate(sizeof(uint64_t) * people->words);
		for (int p = 0; p < people->n; p++)
		{
			people->sorted[a][p] = people->code[p][a];
			people->upto[a][people->code[p][a] + 1][p / 64] |= UINT64_C(1) << p % 64;
		}
		for (int v = 1; v <= CODES; v++)
			for (int w = 0; w < people->words; w++)
				people->upto[a][v][w] |= people->upto[a][v - 1][w];
		qsort(people->sorted[a], people->n, sizeof(int), compare_ints);
		for (int p = 0; p < people->n; p++)
			people->below[a][people->code[p][a] + 1]++;
		for (int v = 1; v <= CODES; v++)
			people->below[a][v] += people->below[a][v - 1];
	}
}

static void
read_release(const char *name, Release *release)
{
	FILE	   *file = open_file(name);
	int			allocated = 1024;
	Cells		c;

	release->n = 0;
	release->cells = allocate(sizeof(Cells) * allocated);
	while (fscanf(file, "%d %d %d %d %d %d %d %d %lf", &c.low[0], &c.high[0], &c.low[1], &c.high[1],
				  &c.low[2], &c.high[2], &c.low[3], &c.high[3], &c.rows) == 2 * ATTRIBUTES + 1)
	{
		if (release->n == allocated)
			release->cells = realloc(release->cells, sizeof(Cells) * (allocated *= 2));
		release->cells[release->n++] = c;
	}
	fclose(file);
}

static void
draw_box(const People *people, double selectivity, Box *box)
{
	double		share = pow(selectivity, 1.0 / ATTRIBUTES);

	for (int a = 0; a < ATTRIBUTES; a++)
	{
		int			from = draw() * (1 - share) * people->n;
		int			to = from + share * people->n;

		box->low[a] = people->sorted[a][from];
		box->high[a] = people->sorted[a][to < people->n ? to : people->n - 1];
	}
}

static double
count_people(const People *people, const Box *box)
{
	double		n = 0;

	for (int w = 0; w < people->words; w++)
	{
		uint64_t	in = ~UINT64_C(0);

		for (int a = 0; a < ATTRIBUTES; a++)
			in &= people->upto[a][box->high[a] + 1][w] & ~people->upto[a][box->low[a]][w];
		n += __builtin_popcountll(in);
	}
	return n;
}

/* How much of what spans from low to high is from in_low to in_high? */
static double
share_of(const People *people, int attribute, int low, int high, int in_low, int in_high, int knows)
{
	const int  *below = people->below[attribute];

	if (!knows || below[high + 1] == below[low])
		return (double) (in_high - in_low + 1) / (high - low + 1);
	return (double) (below[in_high + 1] - below[in_low]) / (below[high + 1] - below[low]);
}

static double
estimate(const People *people, const Release *release, const Box *box, int knows)
{
	double		n = 0;

	for (int i = 0; i < release->n; i++)
	{
		const Cells *c = &release->cells[i];
		double		rows = c->rows;

		for (int a = 0; a < ATTRIBUTES && rows > 0; a++)
		{
			int			low = c->low[a] > box->low[a] ? c->low[a] : box->low[a];
			int			high = c->high[a] < box->high[a] ? c->high[a] : box->high[a];

			rows = low > high ? 0 : rows * share_of(people, a, c->low[a], c->high[a], low, high, knows);
		}
		n += rows;
	}
	return n;
}

/* The median error over those boxes that are not empty. */
static double
median_error(const People *people, const Release *release, const Box *boxes, int queries, int knows)
{
	double	   *error = allocate(sizeof(double) * queries);
	int			n = 0;
	double		median;

	for (int q = 0; q < queries; q++)
		if (boxes[q].count > 0)
			error[n++] = fabs(estimate(people, release, &boxes[q], knows) - boxes[q].count) / boxes[q].count;
	qsort(error, n, sizeof(double), compare_doubles);
	median = n == 0 ? 0 : error[n / 2];
	free(error);
	return median;
}

static double
draw_boxes(const People *people, double selectivity, Box *boxes, int queries)
{
	double		count = 0;
	int			n = 0;

	for (int q = 0; q < queries; q++)
	{
		draw_box(people, selectivity, &boxes[q]);
		boxes[q].count = count_people(people, &boxes[q]);
		count += boxes[q].count;
		n += boxes[q].count > 0;
	}
	return n == 0 ? 0 : count / n / people->n;
}

int
main(int argc, char **argv)
{
	People		people = {0};
	Release    *releases;
	int			queries;
	Box		   *boxes;

	if (argc < 4 || (queries = atoi(argv[1])) <= 0)
	{
		fputs("usage: boxes QUERIES PEOPLE RELEASE…\n", stderr);
		return 2;
	}
	read_people(argv[2], &people);
	if (people.n == 0)
	{
		fputs("boxes: nobody is there\n", stderr);
		return 1;
	}
	index_people(&people);
	releases = allocate(sizeof(Release) * argc);
	for (int i = 3; i < argc; i++)
		read_release(argv[i], &releases[i]);
	boxes = allocate(sizeof(Box) * queries);
	for (size_t s = 0; s < sizeof(expected) / sizeof(expected[0]); s++)
	{
		double		selectivity = draw_boxes(&people, expected[s], boxes, queries);

		for (int i = 3; i < argc; i++)
			printf("%d;%g;%.5f;%.5f;%.5f\n", i - 2, expected[s], selectivity,
				   median_error(&people, &releases[i], boxes, queries, 0), median_error(&people, &releases[i], boxes, queries, 1));
	}
	return 0;
}
