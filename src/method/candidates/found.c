/*
 * found.c
 *		People among invented rows whose values nobody could have invented.
 *
 * NOTES
 *		Invented rows have values that people have.  Whoever knows who is in the
 *		source knows how many people a class has; if it shows as many values that
 *		no class has shown before, and no other one shows, they are theirs.  With
 *		one person more, each of them could have any of the class's values.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/candidates/candidates.h"
#include "miscadmin.h"

typedef struct Search
{
	const Frame *frame;
	const Classes *classes;
	bool	   *was_shown;		/* [values] in an earlier release */
	uint64	   *rows;			/* [values] of people who have it now */
} Search;

static Search
search_create(const Frame *frame, const Paths *paths, const Classes *classes)
{
	Size		nvalues = (Size) frame->nsensitive + 1;
	Search		search = {.frame = frame,.classes = classes,
		.was_shown = new_zeros(bool, nvalues),
		.rows = new_zeros(uint64, nvalues)};

	for (uint64 i = 0; i < paths->first_value[paths->nclasses]; i++)
		if (paths->value[i] != NO_CODE)
			search.was_shown[paths->value[i]] = true;
	for (uint64 row = 0; row < frame->nrows; row++)
		search.rows[frame->sensitive[row]]++;
	return search;
}

/* A value of one row only, and of none before: a class of several with the same one has a person more than such values. */
static bool
are_found(const Search *search, uint32 c, uint32 m)
{
	const Classes *classes = search->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		Code		value = search->frame->sensitive[classes->rows[i]];

		if (search->was_shown[value] || search->rows[value] > 1)
			return false;
	}
	return class_size(classes, c) > 0 && class_size(classes, c) < m;
}

Draft *
refuse_found(Draft *draft, const Frame *frame, const Paths *paths, uint32 m)
{
	Classes    *classes = draft->classes;
	Search		search;
	uint64		found = 0;

	if (classes->first_counterfeit[classes->nclasses] == 0)
		return draft;
	search = search_create(frame, paths, classes);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (class_counterfeits(classes, c) > 0 && are_found(&search, c, m))
			found += class_size(classes, c);
	}
	if (found == 0)
		return draft;
	draft->refusal = (Refusal) {.kind = REFUSED_FOUND,.rows = found,.limit = m};
	classes->nclasses = 0;
	return draft;
}
