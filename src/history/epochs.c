/*
 * epochs.c
 *		The values that are remembered of people of one neighborhood.
 */
#include "postgres.h"

#include "history/epochs.h"

/* The values of one of them in an epoch of the parent. */
static inline Code
value_before(const Past *past, const Parted *people, uint64 epoch, uint64 i)
{
	return past_values(past, people->parent, epoch)[people->member[i] - past->first[people->parent]];
}

static uint64
epochs_before(const Past *past, const Parted *people)
{
	return people->parent == NO_NEIGHBORHOOD ? 0 : past_epochs(past, people->parent);
}

/* Did the epoch show the same values of all of them as the release at hand? */
static bool
epoch_is_shown(const Past *past, const Parted *people, uint64 epoch)
{
	for (uint64 i = 0; i < people->size; i++)
		if (value_before(past, people, epoch, i) != people->shown[i])
			return false;
	return true;
}

/* Did rows stand in for the same people as in the last release? */
static bool
same_are_away(const Past *past, const Parted *people)
{
	for (uint64 i = 0; i < people->size; i++)
		if (past_absence(past, people->member[i]) != (people->absence == NULL ? WAS_THERE : people->absence[i]))
			return false;
	return true;
}

bool
parted_is_unchanged(const Past *past, const Parted *people)
{
	return people->parent != NO_NEIGHBORHOOD && people->size == past_size(past, people->parent) &&
		epoch_is_shown(past, people, past_epochs(past, people->parent) - 1) && same_are_away(past, people);
}

bool
parted_is_one_epoch(const Past *past, const Parted *people)
{
	return people->parent == NO_NEIGHBORHOOD ||
		(past_epochs(past, people->parent) == 1 && epoch_is_shown(past, people, 0));
}

uint64
parted_room(const Past *past, const Parted *people)
{
	return people->size * (epochs_before(past, people) + 1);
}

/* Adds the epoch behind the values, and removes an earlier one with equal values; returns the number of epochs. */
static uint64
add_epoch(Code *values, uint64 nepochs, uint64 size)
{
	const Code *added = values + nepochs * size;

	for (uint64 epoch = 0; epoch < nepochs; epoch++)
		if (memcmp(values + epoch * size, added, sizeof(Code) * size) == 0)
		{
			memmove(values + epoch * size, values + (epoch + 1) * size, sizeof(Code) * size * (nepochs - epoch));
			return nepochs;
		}
	return nepochs + 1;
}

uint64
parted_epochs(const Past *past, const Parted *people, Code *values)
{
	uint64		size = people->size;
	uint64		before = epochs_before(past, people);
	uint64		nepochs = 0;

	for (uint64 epoch = 0; epoch < before; epoch++)
	{
		for (uint64 i = 0; i < size; i++)
			values[nepochs * size + i] = value_before(past, people, epoch, i);
		nepochs = add_epoch(values, nepochs, size);
	}
	if (people->shown == NULL)
		return nepochs;
	memcpy(values + nepochs * size, people->shown, sizeof(Code) * size);
	return add_epoch(values, nepochs, size);
}
