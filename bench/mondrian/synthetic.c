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

#include "invented.h"

#define AGES		78
#define EDUCATIONS	17
#define COUNTRIES	83
#define INCOMES		50

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

Frame *
synthetic_census(uint64 nrows)
{
	Frame	   *frame = palloc0(sizeof(Frame));
	double	   *age = palloc(sizeof(double) * AGES);

	draw_from(2012);
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
