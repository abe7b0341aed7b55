/*
 * test_encoding_fuzz.c
 *		Encoded columns, damaged at random: nothing but an error may come of it.
 *
 * ENCODING_FUZZ_SECONDS: so long rather than for a short while.
 * PPREPUB_TEST_SEED=N: the columns and the damage of a run that failed; others each time where it is not set.
 */
#include "shim.h"

#include "columns.h"
#include "hostile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORT_RUN Max(5000, some_of(20000))
#define DAMAGED_COPIES 40
#define ROOM_TO_GROW 64

typedef struct Victim
{
	ColumnShape shape;
	uint32		nrows;
	Size		length;
	Size		room;
	char	   *bytes;
} Victim;

static Victim
draw_victim(void)
{
	TestColumn	column = draw_column(4000);
	Victim		victim = {.shape = column.shape,.nrows = column.nrows};
	char	   *bytes = encode_column(&column.shape, column.values, column.nulls, column.nrows, &victim.length);

	victim.room = victim.length + ROOM_TO_GROW;
	victim.bytes = palloc0(victim.room);
	memcpy(victim.bytes, bytes, victim.length);
	return victim;
}

/* A place in the bytes: headers and directories stand at the beginning. */
static Size
draw_place(const Victim *victim)
{
	Size		length = Max(victim->length, 1);

	return draw(2) == 0 ? draw(Min(length, 128)) : draw(length);
}

/* A number that is at the edge of something. */
static uint64
draw_edge(const Victim *victim)
{
	const uint64 edges[] = {0, 1, 2, 7, 8, 55, 56, 57, 63, 64, 65, 1023, 1024, victim->nrows, victim->length,
	PG_INT32_MAX, (uint64) PG_INT32_MAX + 1, PG_UINT32_MAX, PG_INT64_MAX, PG_UINT64_MAX};

	return edges[draw(lengthof(edges))] + draw(5) - 2;
}

static void
damage_once(Victim *victim, const Victim *other)
{
	static const Size widths[] = {1, 2, 4, 8};
	Size		place = draw_place(victim);
	Size		width = widths[draw(lengthof(widths))];
	uint64		number = draw(3) == 0 ? draw_bits() : draw_edge(victim);
	Size		some = draw(64) + 1;	/* here, since Min() looks twice */

	if (victim->length == 0)
		return;
	switch (draw(8))
	{
		case 0:
			victim->bytes[place] ^= 1 << draw(8);
			break;
		case 1:
		case 2:
			place -= place % width;
			memcpy(victim->bytes + place, &number, Min(width, victim->length - place));
			break;
		case 3:
			victim->bytes[place] += draw(5) - 2;
			break;
		case 4:				/* cut or grow */
			victim->length = draw(2) == 0 ? draw(victim->length + 1) : Min(victim->room, victim->length + some % 16);
			break;
		case 5:				/* move a piece */
			{
				Size		from = draw_place(victim);

				memmove(victim->bytes + place, victim->bytes + from, Min(some, victim->length - Max(place, from)));
				break;
			}
		case 6:				/* a piece of another column */
			if (other->length > place)
				memcpy(victim->bytes + place, other->bytes + place,
					   Min(some, Min(victim->length, other->length) - place));
			break;
		case 7:				/* the wrong rows or type */
			if (draw(4) == 0)
				victim->shape = shape_number(draw(shapes()));
			else if (draw(4) == 0)
				victim->nrows = draw_edge(victim) % (ENCODING_MAX_ROWS + 1);
			else
				victim->nrows = Min((int64) ENCODING_MAX_ROWS, Max(0, (int64) victim->nrows + (int) draw(5) - 2));
			break;
	}
}

static Victim
damaged_copy(const Victim *whole, const Victim *other)
{
	Victim		victim = *whole;

	victim.bytes = palloc(whole->room);
	memcpy(victim.bytes, whole->bytes, whole->room);
	for (uint32 times = 1 + draw(4); times > 0; times--)
		damage_once(&victim, other);
	return victim;
}

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void
test_damaged_columns(void)
{
	const char *seconds = getenv("ENCODING_FUZZ_SECONDS");
	const char *seed = getenv("PPREPUB_TEST_SEED");
	double		end = seconds_now() + (seconds == NULL ? 0 : atof(seconds));
	MemoryContext outer = CurrentMemoryContext;
	uint64		executions = 0;
	uint64		opened = 0;

	draw_state = (seed == NULL ? (uint64) time(NULL) % 1000000 : strtoull(seed, NULL, 10)) * 2 + 1;
	printf("# PPREPUB_TEST_SEED=%llu\n", (unsigned long long) draw_state / 2);
	while (executions < (uint64) SHORT_RUN || seconds_now() < end)
	{
		MemoryContext context = AllocSetContextCreate(outer, "victim", ALLOCSET_DEFAULT_SIZES);
		Victim		whole;
		Victim		other;

		CurrentMemoryContext = context;
		whole = draw_victim();
		other = draw_victim();
		for (int i = 0; i < DAMAGED_COPIES; i++, executions++)
		{
			Victim		victim = damaged_copy(&whole, &other);

			opened += decode_anything(&victim.shape, victim.bytes, victim.length, victim.nrows);
			pfree(victim.bytes);
		}
		CurrentMemoryContext = outer;
		MemoryContextDelete(context);
	}
	printf("# %llu damaged columns, %llu of them opened\n", (unsigned long long) executions, (unsigned long long) opened);
	check(opened > executions / 10 && opened < executions);
}

static const Test tests[] = {
	{"damaged columns", test_damaged_columns},
};

RUN(tests)
