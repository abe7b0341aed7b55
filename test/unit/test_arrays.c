/*
 * test_arrays.c
 *		Arrays that grow, places among sorted codes, and numbers of tuples.
 */
#include "shim.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "frame/tuple_numbers.h"

static void
arrays_keep_what_they_have(void)
{
	uint32	   *array = NULL;
	uint64	   *zeros = NULL;
	uint32		room = 0;
	uint32		zeros_room = 0;

	for (uint32 i = 0; i < 1000; i++)
	{
		array_reserve(array, room, i + 1);
		array[i] = i;
		array_reserve_zeros(zeros, zeros_room, i + 1);
		check(room > i && zeros_room > i && zeros[i] == 0);
		zeros[i] = i;
	}
	for (uint32 i = 0; i < 1000; i++)
		check(array[i] == i && zeros[i] == i);
	check(array_room_after(PG_UINT32_MAX - 1, PG_UINT32_MAX, sizeof(uint32)) == PG_UINT32_MAX);
	check(array_room_after(100, 500, sizeof(uint32)) == 500);
	check(array_room_after(100, 101, sizeof(uint32)) == 200);
}

static void
codes_are_found(void)
{
	Code		codes[] = {1, 3, 4, 8, 9};

	check(find_code(codes, lengthof(codes), 1) == 0);
	check(find_code(codes, lengthof(codes), 8) == 3);
	check(find_code(codes, lengthof(codes), 9) == 4);
	check(find_code(codes, lengthof(codes), 0) == lengthof(codes));
	check(find_code(codes, lengthof(codes), 5) == lengthof(codes));
	check(find_code(codes, lengthof(codes), 10) == lengthof(codes));
	check(find_code(NULL, 0, 1) == 0);
}

/* Against a search through all tuples before. */
static void
tuples_get_numbers(int32 width)
{
	TupleNumbers *tuples = tuple_numbers_create(width);
	uint32		n = 0;

	for (int i = 0; i < 2000; i++)
	{
		uint32		word[4];
		uint32		length = width == ANY_WIDTH ? any_below(5) : (uint32) width;
		uint32		before = NO_NUMBER;

		for (uint32 w = 0; w < length; w++)
			word[w] = any_below(6);
		for (uint32 t = 0; t < n && before == NO_NUMBER; t++)
			if (tuple_width(tuples, t) == length &&
				memcmp(tuple_words(tuples, t), word, sizeof(uint32) * length) == 0)
				before = t;
		check(tuple_find(tuples, word, length) == before);
		check(tuple_number(tuples, word, length) == (before == NO_NUMBER ? n : before));
		n += before == NO_NUMBER;
		check(tuples->n == n);
	}
}

static void
equal_tuples_have_one_number(void)
{
	for (int32 width = 0; width <= 4; width++)
		tuples_get_numbers(width);
	tuples_get_numbers(ANY_WIDTH);
}

static const Test tests[] = {
	{"arrays keep what they have while they grow", arrays_keep_what_they_have},
	{"codes are found among sorted ones", codes_are_found},
	{"equal tuples have one number", equal_tuples_have_one_number},
};

RUN(tests)
