/*
 * tables.c
 *		Where the rows of the bench come from: files, or nowhere.
 *
 * Invented rows have the columns, taxonomies and skew of the paper's CENSUS: 78
 * ages in 4 levels, 2 sexes, 17 educations in 3, 6 marital statuses in 3, 9 races,
 * 83 countries in 3, and 50 sensitive values, of which the most frequent one has
 * one row in 13.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>

#include "../mondrian/bench.h"

#define VALUES		50

static uint64 random_state;

/* splitmix64: between 0 and 1. */
static double
draw(void)
{
	uint64		z = (random_state += UINT64CONST(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return ((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* A number below n, low numbers being the frequent ones. */
static Code
draw_skewed(Code n, double skew)
{
	return (Code) (n * pow(draw(), skew));
}

/* Few are very old. */
static Code
draw_age(void)
{
	return (Code) (78 * pow(draw(), 1.6) * Min(1.0, 0.45 + 0.55 * draw()));
}

/* A tree over numbered leaves, whose inner levels hold so many leaves a node. */
static void
make_regular_tree(Domain *domain, Code nleaves, int levels, const Code *width)
{
	char	 ***path = palloc(sizeof(char **) * levels);

	for (int level = 0; level < levels; level++)
	{
		path[level] = palloc(sizeof(char *) * nleaves);
		for (Code leaf = 0; leaf < nleaves; leaf++)
		{
			path[level][leaf] = palloc(16);
			snprintf(path[level][leaf], 16, "%u", level == levels - 1 ? 0 : leaf / width[level]);
		}
	}
	make_tree(domain, nleaves, levels, path);
}

Frame *
invented_census(uint64 nrows)
{
	Frame	   *frame = palloc0(sizeof(Frame));

	random_state = 2012;
	frame->nrows = nrows;
	frame->nqis = NCOLUMNS;
	frame->domain = palloc0(sizeof(Domain) * NCOLUMNS);
	frame->code = palloc(sizeof(Code *) * NCOLUMNS);
	frame->nsensitive = VALUES;
	frame->sensitive = palloc_extended(sizeof(Code) * nrows, MCXT_ALLOC_HUGE);
	make_regular_tree(&frame->domain[AGE], 78, 4, (Code[]) {1, 5, 20});
	make_regular_tree(&frame->domain[SEX], 2, 2, (Code[]) {1});
	make_regular_tree(&frame->domain[EDUCATION], 17, 3, (Code[]) {1, 4});
	make_regular_tree(&frame->domain[MARITAL], 6, 3, (Code[]) {1, 2});
	make_regular_tree(&frame->domain[RACE], 9, 2, (Code[]) {1});
	make_regular_tree(&frame->domain[COUNTRY], 83, 3, (Code[]) {1, 12});
	for (int q = 0; q < NCOLUMNS; q++)
		frame->code[q] = palloc_extended(sizeof(Code) * nrows, MCXT_ALLOC_HUGE);
	for (uint64 row = 0; row < nrows; row++)
	{
		frame->code[AGE][row] = draw_age();
		frame->code[SEX][row] = draw() < 0.51;
		frame->code[EDUCATION][row] = draw_skewed(17, 1.6);
		frame->code[MARITAL][row] = draw_skewed(6, 2);
		frame->code[RACE][row] = draw_skewed(9, 6);
		frame->code[COUNTRY][row] = draw() < 0.9 ? 0 : draw_skewed(83, 2.5);
		frame->sensitive[row] = draw_skewed(VALUES, 1.5);
	}
	return frame;
}

/* The names of columns where they are not the same. */
static Frame *
read_table(const char *path, const char *taxonomies, const char *country, const char *sensitive)
{
	static const char *const names[] = {"age", "sex", "education", "marital_status", "race", NULL};
	BenchInput	input = {.path = path,.ncolumns = NCOLUMNS,.sensitive = sensitive,.nrequired = 1,.required = {country}};

	for (int q = 0; q < NCOLUMNS; q++)
	{
		const char *name = names[q] == NULL ? country : names[q];
		char	   *file = palloc(strlen(taxonomies) + strlen(name) + 6);

		sprintf(file, "%s/%s.csv", taxonomies, name);
		input.columns[q] = (BenchColumn) {.name = (char *) name,.kind = "taxonomy",.taxonomy = file};
	}
	return read_csv(&input);
}

Frame *
census_of(const char *path, const char *taxonomies)
{
	return read_table(path, taxonomies, "country", "occupation");
}

Frame *
adult_of(const char *path, const char *taxonomies)
{
	return read_table(path, taxonomies, "native_country", "occupation");
}
