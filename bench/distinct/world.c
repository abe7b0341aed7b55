/*
 * world.c
 *		Drawing people, and remembering what was shown of them.
 */
#include "world.h"

#include "audit/updates.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>

static const Code size_of[WORLD_QIS] = {101, 2, 6, 17};	/* age, gender, marital status, education */

static void *
allocate(Size width, uint64 n)
{
	void	   *memory = calloc(n + 1, width);

	if (memory == NULL)
		abort();
	return memory;
}

/* splitmix64 */
static uint64
draw_bits(World *world)
{
	uint64		z = (world->random += UINT64CONST(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static double
draw(World *world)
{
	return (draw_bits(world) >> 11) / 9007199254740992.0;
}

uint32
world_draw(World *world, uint32 n)
{
	return (uint32) (draw(world) * n);
}

static bool
may_become(const Setup *setup, Code from, Code to)
{
	return from / setup->diameter == to / setup->diameter && (!setup->rises || to >= from);
}

static Updates *
updates_of(const Setup *setup)
{
	Update	   *list = palloc(sizeof(Update) * OCCUPATIONS * OCCUPATIONS);
	uint64		n = 0;

	for (Code from = 0; from < OCCUPATIONS; from++)
		for (Code to = 0; to < OCCUPATIONS; to++)
			if (may_become(setup, from, to))
				list[n++] = (Update) {from, to, 0};
	return updates_create(OCCUPATIONS, list, n, false);
}

/* Gender and marital status are shown or not; ages and educations are ranges. */
static void
make_domains(World *world)
{
	for (int q = 0; q < WORLD_QIS; q++)
	{
		for (Code i = 0; i < size_of[q]; i++)
			world->position[q][i] = i;
		make_line(&world->domain[q], size_of[q], world->position[q]);
	}
	for (int q = 1; q <= 2; q++)
	{
		char	   *leaf[128];
		char	   *root[128];
		char	  **path[2] = {leaf, root};

		for (Code i = 0; i < size_of[q]; i++)
		{
			leaf[i] = psprintf("%u", i);
			root[i] = "*";
		}
		make_tree(&world->domain[q], size_of[q], 2, path);
	}
}

World *
world_create(const Setup *setup)
{
	World	   *world = allocate(sizeof(World), 1);

	world->setup = *setup;
	world->random = 2010;
	world->pool = setup->people + setup->rounds * setup->come;
	for (int q = 0; q < WORLD_QIS; q++)
		world->code[q] = allocate(1, world->pool);
	world->value = allocate(1, world->pool);
	world->person = allocate(sizeof(uint32), world->pool);
	world->updates = updates_of(setup);
	make_domains(world);
	for (uint32 p = 0; p < world->pool; p++)
	{
		world->code[0][p] = 100 * draw(world) * (1 + draw(world)) / 2;
		for (int q = 1; q < WORLD_QIS; q++)
			world->code[q][p] = world_draw(world, size_of[q]);
		world->value[p] = OCCUPATIONS * pow(draw(world), 1.3);
	}
	world->frame = (Frame) {.nqis = WORLD_QIS,.domain = world->domain,.nsensitive = OCCUPATIONS};
	world->frame.code = allocate(sizeof(Code *), WORLD_QIS);
	for (int q = 0; q < WORLD_QIS; q++)
		world->frame.code[q] = allocate(sizeof(Code), world->pool);
	world->frame.sensitive = allocate(sizeof(Code), world->pool);
	for (; world->next < setup->people; world->next++)
		world->person[world->frame.nrows++] = world->next;
	world_look(world);
	return world;
}

void
world_free(World *world)
{
	for (int q = 0; q < WORLD_QIS; q++)
	{
		free(world->code[q]);
		free(world->frame.code[q]);
	}
	free(world->frame.code);
	free(world->frame.sensitive);
	free(world->value);
	free(world->person);
	free(world);
}

void
world_look(World *world)
{
	for (uint64 row = 0; row < world->frame.nrows; row++)
	{
		uint32		person = world->person[row];

		for (int q = 0; q < WORLD_QIS; q++)
			world->frame.code[q][row] = world->code[q][person];
		world->frame.sensitive[row] = world->value[person];
	}
}

static void
change(World *world, uint32 person)
{
	const Setup *setup = &world->setup;
	Code		from = world->value[person] / setup->diameter * setup->diameter;
	Code		to;

	do
		to = from + world_draw(world, Min(setup->diameter, OCCUPATIONS - from));
	while (!may_become(setup, world->value[person], to));
	world->value[person] = to;
}

void
world_pass_time(World *world)
{
	const Setup *setup = &world->setup;
	uint64		n = world->frame.nrows;

	for (uint32 i = 0; i < setup->leave; i++)
		world->person[world_draw(world, n)] = world->person[n - 1], n--;
	for (uint32 i = 0; i < setup->change; i++)
		change(world, world->person[world_draw(world, n)]);
	for (uint64 i = 0; i < n; i++)
		if (world->code[0][world->person[i]] < 100)
			world->code[0][world->person[i]]++;
	for (uint32 i = 0; i < setup->come; i++)
		world->person[n++] = world->next++;
	world->frame.nrows = n;
	world_look(world);
}

/* ----------------------------------------------------------------
 * Releases
 * ----------------------------------------------------------------
 */

SeenWorld *
seen_world_create(const World *world, bool keep_all)
{
	SeenWorld	   *seen = allocate(sizeof(SeenWorld), 1);

	seen->pool = world->pool;
	seen->rounds = keep_all ? world->setup.rounds : 0;
	seen->last_class = allocate(sizeof(uint64), world->pool);
	memset(seen->last_class, 0xff, sizeof(uint64) * world->pool);	/* NO_PLACE_YET */
	seen->last_value = allocate(1, world->pool);
	seen->class_in = allocate(sizeof(uint32), (Size) seen->rounds * world->pool);
	memset(seen->class_in, 0xff, sizeof(uint32) * seen->rounds * world->pool);	/* NO_CLASS_THEN */
	seen->value_in = allocate(1, (Size) seen->rounds * world->pool);
	seen->first = allocate(sizeof(uint64), 1);
	return seen;
}

void
seen_world_free(SeenWorld *seen)
{
	free(seen->first);
	free(seen->value);
	free(seen->last_class);
	free(seen->last_value);
	free(seen->class_in);
	free(seen->value_in);
	free(seen);
}

Paths *
seen_paths(const SeenWorld *seen, const World *world)
{
	uint64		nrows = world->frame.nrows;
	Paths	   *paths = palloc0(sizeof(Paths));
	uint32	   *number = allocate(sizeof(uint32), seen->nclasses);
	uint64		values = 0;
	uint64		steps = 0;

	for (uint64 row = 0; row < nrows; row++)
	{
		uint64		class = seen->last_class[world->person[row]];

		if (class == NO_PLACE_YET || number[class]++ > 0)
			continue;
		paths->nclasses++;
		values += seen->first[class + 1] - seen->first[class];
	}
	memset(number, 0, sizeof(uint32) * seen->nclasses);
	paths->first_value = palloc_extended(sizeof(uint64) * ((Size) paths->nclasses + 1), MCXT_ALLOC_HUGE);
	paths->value = palloc_extended(sizeof(Code) * (values + 1), MCXT_ALLOC_HUGE);
	paths->first = palloc_extended(sizeof(uint64) * (nrows + 1), MCXT_ALLOC_HUGE);
	paths->class = palloc_extended(sizeof(uint32) * (nrows + 1), MCXT_ALLOC_HUGE);
	paths->shown = palloc_extended(sizeof(Code) * (nrows + 1), MCXT_ALLOC_HUGE);
	paths->nclasses = 0;
	paths->first_value[0] = 0;
	for (uint64 row = 0; row < nrows; row++)
	{
		uint64		class = seen->last_class[world->person[row]];

		paths->first[row] = steps;
		if (class == NO_PLACE_YET)
			continue;
		if (number[class] == 0)
		{
			uint32		c = paths->nclasses++;
			uint64		n = seen->first[class + 1] - seen->first[class];

			number[class] = c + 1;
			memcpy(paths->value + paths->first_value[c], seen->value + seen->first[class], sizeof(Code) * n);
			paths->first_value[c + 1] = paths->first_value[c] + n;
		}
		paths->class[steps] = number[class] - 1;
		paths->shown[steps++] = seen->last_value[world->person[row]];
	}
	paths->first[nrows] = steps;
	free(number);
	return paths;
}

static void
make_room(SeenWorld *seen, uint64 classes, uint64 values)
{
	if (seen->nclasses + classes >= seen->allocated_classes)
	{
		seen->allocated_classes = 2 * (seen->nclasses + classes) + 1;
		seen->first = realloc(seen->first, sizeof(uint64) * (seen->allocated_classes + 1));
	}
	if (seen->first[seen->nclasses] + values > seen->allocated_values)
	{
		seen->allocated_values = 2 * (seen->first[seen->nclasses] + values);
		seen->value = realloc(seen->value, sizeof(Code) * seen->allocated_values);
	}
	if (seen->first == NULL || seen->value == NULL)
		abort();
}

void
seen_add(SeenWorld *seen, const World *world, const Classes *classes)
{
	uint64		counterfeits = classes->first_counterfeit == NULL ? 0 : classes->first_counterfeit[classes->nclasses];

	make_room(seen, classes->nclasses, classes->first[classes->nclasses] + counterfeits);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint64		at = seen->first[seen->nclasses];

		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			uint32		person = world->person[classes->rows[i]];
			Code		value = world->frame.sensitive[classes->rows[i]];

			seen->value[at++] = value;
			seen->last_class[person] = seen->nclasses;
			seen->last_value[person] = value;
			if (seen->releases >= seen->rounds)
				continue;
			seen->class_in[(Size) seen->releases * seen->pool + person] = seen->nclasses;
			seen->value_in[(Size) seen->releases * seen->pool + person] = value;
		}
		for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
			seen->value[at++] = classes->counterfeit[classes->first_counterfeit[c] + i];
		seen->first[++seen->nclasses] = at;
	}
	seen->releases++;
}

/* ----------------------------------------------------------------
 * Judges
 * ----------------------------------------------------------------
 */

static void
add_layer(UpdateGraph *graph, const SeenWorld *seen, uint32 class)
{
	double		weight[OCCUPATIONS] = {0};
	double		packed[OCCUPATIONS];
	Code		value[OCCUPATIONS];
	Code		n = 0;

	for (uint64 i = seen->first[class]; i < seen->first[class + 1]; i++)
		weight[seen->value[i]]++;
	for (Code v = 0; v < OCCUPATIONS; v++)
		if (weight[v] > 0)
		{
			packed[n] = weight[v];
			value[n++] = v;
		}
	graph_add_layer(graph, value, packed, n);
}

uint64
count_vulnerable(const SeenWorld *seen, const World *world, uint64 *versions)
{
	UpdateGraph *graph = graph_create(world->updates);
	uint64		vulnerable = 0;

	*versions = 0;
	for (uint32 person = 0; person < seen->pool; person++)
	{
		uint32		layers = 0;

		graph_clear(graph);
		for (int32 r = 0; r < seen->releases; r++)
		{
			uint32		class = seen->class_in[(Size) r * seen->pool + person];

			if (class == NO_CLASS_THEN)
				continue;
			add_layer(graph, seen, class);
			layers++;
		}
		if (layers == 0)
			continue;
		if (!graph_conclude(graph, layers))
			elog(ERROR, "a life was not possible");
		*versions += layers;
		for (uint32 l = 0; l < layers; l++)
			vulnerable += layer_candidates(graph_layer(graph, l)) == 1;
	}
	return vulnerable;
}
