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
#include "invented.h"

#define VALUES		50

/* Few are very old. */
static Code
draw_age(void)
{
	return (Code) (78 * pow(draw(), 1.6) * Min(1.0, 0.45 + 0.55 * draw()));
}

/* Four digits; with the age, they are nearly unique. */
static Frame *
with_zip_codes(Frame *frame)
{
	Domain	   *domain = palloc0(sizeof(Domain) * NCOLUMNS);
	Code	  **code = palloc(sizeof(Code *) * NCOLUMNS);

	memcpy(domain, frame->domain, sizeof(Domain) * ZIP);
	memcpy(code, frame->code, sizeof(Code *) * ZIP);
	make_regular_tree(&domain[ZIP], 10000, 5, (Code[]) {1, 10, 100, 1000});
	code[ZIP] = palloc_extended(sizeof(Code) * frame->nrows, MCXT_ALLOC_HUGE);
	draw_from(5312);
	for (uint64 row = 0; row < frame->nrows; row++)
		code[ZIP][row] = (Code) (10000 * draw());
	frame->nqis = NCOLUMNS;
	frame->domain = domain;
	frame->code = code;
	return frame;
}

Frame *
invented_census(uint64 nrows)
{
	Frame	   *frame = palloc0(sizeof(Frame));

	draw_from(2012);
	frame->nrows = nrows;
	frame->nqis = ZIP;
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
	for (int q = 0; q < ZIP; q++)
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
	return with_zip_codes(frame);
}

Frame *
with_coarse_ages(const Frame *frame)
{
	Frame	   *coarse = palloc(sizeof(Frame));
	Domain	   *domain = palloc(sizeof(Domain) * NCOLUMNS);

	*coarse = *frame;
	memcpy(domain, frame->domain, sizeof(Domain) * NCOLUMNS);
	make_regular_tree(&domain[AGE], frame->domain[AGE].size, 4, (Code[]) {1, 20, 40});
	coarse->domain = domain;
	return coarse;
}

/* The names of columns where they are not the same. */
static Frame *
read_table(const char *path, const char *taxonomies, const char *country, const char *sensitive)
{
	static const char *const names[] = {"age", "sex", "education", "marital_status", "race", NULL};
	BenchInput	input = {.path = path,.ncolumns = ZIP,.sensitive = sensitive,.nrequired = 1,.required = {country}};

	for (int q = 0; q < ZIP; q++)
	{
		const char *name = names[q] == NULL ? country : names[q];
		char	   *file = palloc(strlen(taxonomies) + strlen(name) + 6);

		sprintf(file, "%s/%s.csv", taxonomies, name);
		input.columns[q] = (BenchColumn) {.name = (char *) name,.kind = "taxonomy",.taxonomy = file};
	}
	return with_zip_codes(read_csv(&input));
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
