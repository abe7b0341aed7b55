/*
 * synthetic.c
 *		Census-like rows of any number, from no file at all.
 *
 * Age is a line; sex, education and country are trees; the sensitive value is
 * one of 50 income classes that follow education and age.  Frequencies are
 * skewed as a census's are: half of the rows finished school and stopped, nine
 * in ten live where they were born.  The same number of rows gives the same
 * rows, and a smaller frame is the beginning of a larger one.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>

#define AGES		78
#define EDUCATIONS	17
#define COUNTRIES	83
#define INCOMES		50

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

static Code
draw_age(void)
{
	double		spread = draw() + draw() * draw();

	return (Code) (AGES * Min(0.999, spread * 0.6));
}

static Code
draw_income(Code age, Code education)
{
	double		level = 8 + 1.2 * education + 0.15 * Min(age, 45);
	double		noise = draw() + draw() + draw() - 1.5;

	return (Code) Max(0, Min(INCOMES - 1, level + 14 * noise));
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
			snprintf(path[level][leaf], 16, "%u",
					 level == levels - 1 ? 0 : leaf / width[level]);
		}
	}
	make_tree(domain, nleaves, levels, path);
}

Frame *
synthetic_census(uint64 nrows)
{
	Frame	   *frame = palloc0(sizeof(Frame));
	double	   *age = palloc(sizeof(double) * AGES);

	random_state = 2012;
	frame->nrows = nrows;
	frame->nqis = 4;
	frame->domain = palloc0(sizeof(Domain) * 4);
	frame->code = palloc(sizeof(Code *) * 4);
	frame->nsensitive = INCOMES;
	frame->sensitive = palloc_extended(sizeof(Code) * nrows, MCXT_ALLOC_HUGE);
	for (int q = 0; q < 4; q++)
		frame->code[q] = palloc_extended(sizeof(Code) * nrows, MCXT_ALLOC_HUGE);
	for (int i = 0; i < AGES; i++)
		age[i] = 15 + i;
	make_line(&frame->domain[0], AGES, age);
	make_regular_tree(&frame->domain[1], 2, 2, (Code[]) {1});
	make_regular_tree(&frame->domain[2], EDUCATIONS, 3, (Code[]) {1, 4});
	make_regular_tree(&frame->domain[3], COUNTRIES, 3, (Code[]) {1, 12});
	for (uint64 row = 0; row < nrows; row++)
	{
		frame->code[0][row] = draw_age();
		frame->code[1][row] = draw() < 0.51;
		frame->code[2][row] = draw_skewed(EDUCATIONS, 1.6);
		frame->code[3][row] = draw() < 0.9 ? 0 : draw_skewed(COUNTRIES, 2.5);
		frame->sensitive[row] = draw_income(frame->code[0][row], frame->code[2][row]);
	}
	return frame;
}
