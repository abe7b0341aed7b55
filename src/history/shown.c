/*
 * shown.c
 *		Counting the values of classes.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "history/shown.h"
#include "miscadmin.h"

/* Counts the protected values of a class; count[] is all zeros before and after. */
static void
count_class(ShownClasses *shown, const Paths *paths, const Frame *frame, uint32 c, uint32 *count)
{
	ShownClass *class = &shown->class[c];
	ShownValue *value = shown->value + class->first;
	uint32		most = 0;

	for (uint64 i = paths->first_value[c]; i < paths->first_value[c + 1]; i++)
		if (is_protected(frame, paths->value[i]) && count[paths->value[i]]++ == 0)
			value[class->nvalues++].value = paths->value[i];
	for (uint32 i = 0; i < class->nvalues; i++)
	{
		value[i].count = count[value[i].value];
		most = Max(most, value[i].count);
		count[value[i].value] = 0;
	}
	class->worst = log1p(-(double) most / class->size);
}

ShownClasses
shown_classes(const Paths *paths, const Frame *frame)
{
	ShownClasses shown = {
		.class = new_array(ShownClass, paths->nclasses),
		.value = new_array(ShownValue, paths->first_value[paths->nclasses]),
	};
	uint32	   *count = new_zeros(uint32, frame->nsensitive);
	uint64		first = 0;

	for (uint32 c = 0; c < paths->nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		shown.class[c] = (ShownClass) {.first = first, .size = paths_size(paths, c)};
		count_class(&shown, paths, frame, c, count);
		first += shown.class[c].nvalues;
	}
	pfree(count);
	return shown;
}

uint32
times_shown(const ShownClasses *shown, uint32 class, Code value)
{
	const ShownValue *first = shown->value + shown->class[class].first;

	for (uint32 i = 0; i < shown->class[class].nvalues; i++)
		if (first[i].value == value)
			return first[i].count;
	return 0;
}

void
shown_free(ShownClasses *shown)
{
	pfree(shown->class);
	pfree(shown->value);
}
