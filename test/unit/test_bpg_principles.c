/*
 * test_bpg_principles.c
 *		Random lives of small tables under principles beyond k and l: after every
 *		release, whatever can be inferred from all of them is allowed, by the book.
 *
 * Sets are judged here from the definitions alone, value by value.
 */
#include "lives.h"

#include <math.h>

/* Tuples of two columns: of 3 values and of 2, the last tuple without a value of the second. */
#define NASPECTS 2
#define NPLACES 3

static const Code first_code[NVALUES] = {0, 0, 1, 1, 2, 2};
static const Code second_code[NVALUES] = {0, 1, 0, 1, 0, NO_CODE};
static const double places[NPLACES] = {0, 0.25, 1};

/* Principles of the lives at hand; the second may be none. */
static PrincipleParam one;
static PrincipleParam another;
static int	columns;

/* The declared strengths of the life at hand; PARAM_ABSENT where there is none. */
static int64 strength[NPRINCIPLE_PARAMS];
static double share[NVALUES];
static Aspect two_columns[NASPECTS];
static Aspect bands;
static Aspect itself;
static Aspects aspects;

static double
declared(PrincipleParam param)
{
	return (double) strength[param] / PARAM_SCALE;
}

/* ---- The book: one column of a set, with n values ---- */

static bool
recursive_by_book(const int *count, int n)
{
	int			sorted[NVALUES];
	int			behind = 0;

	memcpy(sorted, count, sizeof(int) * n);
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n; j++)
			if (sorted[j] > sorted[i])
			{
				int			swapped = sorted[i];

				sorted[i] = sorted[j];
				sorted[j] = swapped;
			}
	for (int i = strength[PRINCIPLE_recursive] - 1; i < n; i++)
		behind += sorted[i];
	return sorted[0] < declared(PRINCIPLE_C) * behind;
}

/* The least work: shares flow along the places from left to right. */
static double
distance_by_book(const int *count, const double *reference, const double *place, int n, int all)
{
	double		distance = 0;
	double		moved = 0;

	for (int v = 0; v < n; v++)
	{
		double		excess = (double) count[v] / all - reference[v];

		if (place == NULL)
			distance += fabs(excess) / 2;
		else if (v + 1 < n)
		{
			moved += excess;
			distance += fabs(moved) * (place[v + 1] - place[v]);
		}
	}
	return distance;
}

/* Each value: its share in the set against its share among all people. */
static bool
gains_by_book(const int *count, const double *reference, int n, int all)
{
	for (int v = 0; v < n; v++)
	{
		double		q = (double) count[v] / all;
		double		p = reference[v];

		if (count[v] == 0)
			continue;
		if (strength[PRINCIPLE_beta] != PARAM_ABSENT && (q - p) / p > Min(declared(PRINCIPLE_beta), -log(p)) + 1e-8)
			return false;
		if (strength[PRINCIPLE_delta] != PARAM_ABSENT && log(q / p) >= declared(PRINCIPLE_delta))
			return false;
	}
	return true;
}

static bool
column_by_book(const World *world, const int *count, const double *reference, const double *place, int n)
{
	int			all = 0;
	int			most = 0;
	int			distinct = 0;
	double		entropy = 0;

	for (int v = 0; v < n; v++)
	{
		all += count[v];
		most = Max(most, count[v]);
		distinct += count[v] > 0;
	}
	if (one == NPRINCIPLES && world->params[1] <= 1)
		return true;			/* nothing is asked of values */
	if (all == 0 || (world->params[1] > 1 && distinct < world->params[1]))
		return false;
	for (int v = 0; v < n; v++)
		if (count[v] > 0)
			entropy -= (double) count[v] / all * log((double) count[v] / all);
	if (strength[PRINCIPLE_frequency] != PARAM_ABSENT && most * declared(PRINCIPLE_frequency) > all + 1e-8)
		return false;
	if (strength[PRINCIPLE_entropy] != PARAM_ABSENT && entropy < log(declared(PRINCIPLE_entropy)) - 1e-8)
		return false;
	if (strength[PRINCIPLE_recursive] != PARAM_ABSENT && !recursive_by_book(count, n))
		return false;
	if (strength[PRINCIPLE_t] != PARAM_ABSENT &&
		distance_by_book(count, reference, strength[PRINCIPLE_DISTANCE] == DISTANCE_EQUAL ? NULL : place, n, all) > declared(PRINCIPLE_t) + 1e-8)
		return false;
	return gains_by_book(count, reference, n, all);
}

/* ---- The book: all columns ---- */

static Code
code_of(const Aspect *aspect, int value)
{
	return aspect->code == NULL ? (Code) value : aspect->code[value];
}

/* Those who have a value of another column, if there is another. */
static bool
beside_by_book(const World *world, const int *count, const Aspect *aspect, const Aspect *other, Code known)
{
	int			own[NVALUES] = {0};
	double		reference[NVALUES] = {0};
	double		whole = 0;

	for (int value = 0; value < NVALUES; value++)
	{
		Code		code = code_of(aspect, value);

		if (code == NO_CODE || (other != NULL && code_of(other, value) != known))
			continue;
		own[code] += count[value];
		reference[code] += share[value];
		whole += share[value];
	}
	for (Code code = 0; code < aspect->ncodes; code++)
		reference[code] /= whole;
	return column_by_book(world, own, reference, aspect->place, aspect->ncodes);
}

static bool
someone_has(const int *count, const Aspect *aspect, Code code)
{
	for (int value = 0; value < NVALUES; value++)
		if (count[value] > 0 && code_of(aspect, value) == code)
			return true;
	return false;
}

static bool
allows_by_book(const World *world, const int *count)
{
	for (int a = 0; a < aspects.n; a++)
	{
		if (!beside_by_book(world, count, &aspects.aspect[a], NULL, 0))
			return false;
		for (int b = 0; b < aspects.n && strength[PRINCIPLE_JOINT] == 1; b++)
			for (Code known = 0; b != a && known < aspects.aspect[b].ncodes; known++)
				if (someone_has(count, &aspects.aspect[b], known) &&
					!beside_by_book(world, count, &aspects.aspect[a], &aspects.aspect[b], known))
					return false;
	}
	return true;
}

/* ---- Lives ---- */

/* Declares a principle with a strength that is seldom out of reach. */
static void
declare(PrincipleParam param)
{
	switch (param)
	{
		case PRINCIPLE_frequency:
		case PRINCIPLE_entropy:
			strength[param] = PARAM_SCALE * (5 + below(4)) / 4;
			break;
		case PRINCIPLE_recursive:
			strength[param] = 1 + below(2);
			strength[PRINCIPLE_C] = PARAM_SCALE * (3 + below(8)) / 2;
			break;
		case PRINCIPLE_t:
			strength[param] = PARAM_SCALE * (2 + below(5)) / 10;
			strength[PRINCIPLE_DISTANCE] = below(2) == 0 ? DISTANCE_EQUAL : DISTANCE_AUTO;
			break;
		case PRINCIPLE_beta:
		case PRINCIPLE_delta:
			strength[param] = PARAM_SCALE * (2 + below(8)) / 2;
			break;
		default:
			break;
	}
}

static void
draw_shares(void)
{
	double		all = 0;

	for (int value = 0; value < NVALUES; value++)
		all += share[value] = 2 + below(5);
	for (int value = 0; value < NVALUES; value++)
		share[value] /= all;
}

/* The value itself, bands of it, or two columns. */
static void
draw_aspects(int kind)
{
	two_columns[0] = (Aspect) {.ncodes = NPLACES,.code = first_code,.place = places};
	two_columns[1] = (Aspect) {.ncodes = 2,.code = second_code};
	bands = two_columns[0];
	itself = (Aspect) {.ncodes = NVALUES};
	aspects = (Aspects) {.n = kind == 2 ? NASPECTS : 1,.aspect = kind == 0 ? &itself : kind == 1 ? &bands : two_columns,.share = share};
	if (kind == 2 && below(3) == 0)
		strength[PRINCIPLE_JOINT] = 1;
}

static void
begin(World *world)
{
	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		strength[i] = PARAM_ABSENT;
	declare(one);
	declare(another);
	draw_shares();
	draw_aspects(columns);
	memcpy(world->params + PRINCIPLES_AT, strength, sizeof(strength));
	world->params[1] = 1 + below(2);
	world->params[3] = below(4) == 0 ? PARAM_WORD : 1 + below(3);
	world->params[MAX_ADDED_AT] = below(2) == 0 ? PARAM_SCALE : below(PARAM_SCALE + 1);
	world->allows_values = allows_by_book;
	world->aspects = &aspects;
}

static Draft *
draft(World *world)
{
	return bpg_method.draft(&world->frame, &world->past, world->params, below(1000000));
}

/* People fall ill otherwise, come and go; cohorts are asked after or all people, and each repair mends what is asked. */
static void
lead_lives(int number)
{
	uint64		nshown = 0;

	for (int repair = 0; repair < 4; repair++)
	{
		Lives		lives = {.number = some_of(number),.repair = repair,.asked_percent = below(2) == 0 ? 100 : 70,.begin = begin,.draft = draft};

		live(&lives);
		check(lives.attacked == 0);
		check(lives.attacked_pairs == 0);
		nshown += lives.nshown;
	}
	check(nshown > 0);
}

static void
test_each_principle(void)
{
	for (one = 0; one < NPRINCIPLES; one++)
	{
		another = NPRINCIPLES;
		columns = 0;
		lead_lives(10);
	}
}

static void
test_pairs_of_principles(void)
{
	for (one = 0; one < NPRINCIPLES; one++)
		for (another = one + 1; another < NPRINCIPLES; another++)
		{
			columns = below(3);
			lead_lives(3);
		}
}

static void
test_bands(void)
{
	for (one = 0; one < NPRINCIPLES; one++)
	{
		another = NPRINCIPLES;
		columns = 1;
		lead_lives(5);
	}
}

static void
test_two_columns(void)
{
	for (one = 0; one <= NPRINCIPLES; one++)
	{
		another = NPRINCIPLES;
		columns = 2;
		lead_lives(10);
	}
}

static const Test tests[] = {
	{"each principle", test_each_principle},
	{"pairs of principles", test_pairs_of_principles},
	{"bands", test_bands},
	{"two columns", test_two_columns},
};

RUN(tests)
