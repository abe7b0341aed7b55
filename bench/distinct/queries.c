/*
 * queries.c
 *		Counting queries over a release, beside the truth.
 *
 * NOTES
 *		The truth is read off a cube of sums, so that 10,000 queries cost what they
 *		cost over the classes: rows of a class lie evenly in its cells, and each
 *		of them has each of its values alike, as the paper has it.
 */
#include "world.h"

#include <stdlib.h>

#define NDIMENSIONS		(WORLD_QIS + 1)

typedef struct Box
{
	Code		lo[NDIMENSIONS];
	Code		hi[NDIMENSIONS];	/* not included */
} Box;

typedef struct Cube
{
	Code		size[NDIMENSIONS];
	Size		step[NDIMENSIONS];
	Size		cells;
	uint32	   *sum;			/* rows below each corner */
} Cube;

static Cube
make_cube(const World *world)
{
	const Frame *frame = &world->frame;
	Cube		cube = {.cells = 1};

	for (int d = 0; d < NDIMENSIONS; d++)
	{
		cube.size[d] = d < WORLD_QIS ? frame->domain[d].size : frame->nsensitive;
		cube.step[d] = cube.cells;
		cube.cells *= cube.size[d] + 1;
	}
	cube.sum = calloc(cube.cells, sizeof(uint32));
	if (cube.sum == NULL)
		abort();
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		Size		at = 0;

		for (int d = 0; d < NDIMENSIONS; d++)
			at += cube.step[d] * ((d < WORLD_QIS ? frame->code[d][row] : frame->sensitive[row]) + 1);
		cube.sum[at]++;
	}
	for (int d = 0; d < NDIMENSIONS; d++)
		for (Size at = cube.step[d]; at < cube.cells; at++)
			if (at / cube.step[d] % (cube.size[d] + 1) > 0)
				cube.sum[at] += cube.sum[at - cube.step[d]];
	return cube;
}

static uint64
count_true(const Cube *cube, const Box *box)
{
	int64		count = 0;

	for (int corner = 0; corner < 1 << NDIMENSIONS; corner++)
	{
		Size		at = 0;
		int			sign = 1;

		for (int d = 0; d < NDIMENSIONS; d++)
		{
			bool		is_low = corner >> d & 1;

			at += cube->step[d] * (is_low ? box->lo[d] : box->hi[d]);
			sign = is_low ? -sign : sign;
		}
		count += sign * (int64) cube->sum[at];
	}
	return count;
}

static double
count_estimated(const World *world, const Classes *classes, const Box *box)
{
	double		count = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		const Span *region = class_region(classes, c);
		uint64		size = class_size(classes, c);
		double		share = size;
		uint32		values = 0;

		for (int q = 0; q < WORLD_QIS && share > 0; q++)
		{
			Code		lo = Max(box->lo[q], region[q].lo);
			Code		hi = Min(box->hi[q], region[q].hi + 1);

			share *= lo < hi ? (double) (hi - lo) / span_width(region[q]) : 0;
		}
		if (share == 0)
			continue;
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			Code		value = world->frame.sensitive[classes->rows[i]];

			values += value >= box->lo[WORLD_QIS] && value < box->hi[WORLD_QIS];
		}
		for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		{
			Code		value = classes->counterfeit[classes->first_counterfeit[c] + i];

			values += value >= box->lo[WORLD_QIS] && value < box->hi[WORLD_QIS];
		}
		count += share * values / (size + class_counterfeits(classes, c));
	}
	return count;
}

static int
compare_errors(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

double
query_error(const World *world, const Classes *classes, double share, uint32 queries)
{
	World		drawn = {.random = 7};	/* the same queries each time */
	Cube		cube = make_cube(world);
	double	   *error = calloc(queries + 1, sizeof(double));
	uint32		n = 0;
	double		median;

	for (uint32 i = 0; i < queries; i++)
	{
		Box			box;
		double		estimated;

		for (int d = 0; d < NDIMENSIONS; d++)
		{
			Code		width = Max(1, (Code) (share * cube.size[d] + 0.5));

			box.lo[d] = world_draw(&drawn, cube.size[d] - width + 1);
			box.hi[d] = box.lo[d] + width;
		}
		estimated = count_estimated(world, classes, &box);
		if (estimated > 0)
		{
			double		difference = estimated - count_true(&cube, &box);

			error[n++] = (difference < 0 ? -difference : difference) / estimated;
		}
	}
	qsort(error, n, sizeof(double), compare_errors);
	median = n == 0 ? 0 : error[n / 2];
	free(error);
	free(cube.sum);
	return median;
}
