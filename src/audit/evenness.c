/*
 * evenness.c
 *		Sorting the values of each class.
 *
 * NOTES
 *		Nothing here is shared with what makes such classes.
 */
#include "postgres.h"

#include "audit/invariance.h"
#include "audit/judge_draft.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* The set of values that a class shows. */
typedef struct ShownSet
{
	Code	   *values;			/* [nvalues] ascending, each once */
	uint32		nvalues;
	uint64		times;			/* that the first occurs */
	bool		is_even;		/* so do all others, and none is NULL */
} ShownSet;

/* Sorts the values given, and keeps one of each. */
static ShownSet
show_set(Code *values, uint64 n)
{
	ShownSet	set = {.values = values, .is_even = n > 0 && values[0] != NO_CODE};
	uint64		times = 0;

	sort_codes(values, n);
	for (uint64 i = 0; i < n; i++)
	{
		Code		value = values[i];

		times++;
		set.is_even &= value != NO_CODE;
		if (i + 1 < n && values[i + 1] == value)
			continue;
		if (set.nvalues == 0)
			set.times = times;
		set.is_even &= times == set.times;
		values[set.nvalues++] = value;
		times = 0;
	}
	return set;
}

static bool
same_set(const ShownSet *a, const ShownSet *b)
{
	return a->nvalues == b->nvalues && memcmp(a->values, b->values, sizeof(Code) * a->nvalues) == 0;
}

/* ----------------------------------------------------------------
 * A draft
 * ----------------------------------------------------------------
 */

typedef struct EvennessJudge
{
	const Frame *frame;
	const Paths *paths;
	const Classes *classes;
	Code	   *values;			/* of the class at hand */
	Code	   *earlier;		/* of a class of the past */
	uint32	   *judged;			/* [classes of the past] by the class of the draft, plus 1 */
} EvennessJudge;

/* Returns the set of values that a class shows, by its true rows and its counterfeits. */
static ShownSet
set_of_class(const EvennessJudge *judge, uint32 c)
{
	const Classes *classes = judge->classes;
	uint64		n = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		judge->values[n++] = judge->frame->sensitive[classes->rows[i]];
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		judge->values[n++] = classes->counterfeit[classes->first_counterfeit[c] + i];
	return show_set(judge->values, n);
}

/* Were those of them who were there before among the same values?  *any_new says whether others were not. */
static bool
keeps_values(const EvennessJudge *judge, uint32 c, const ShownSet *set, bool *any_new)
{
	const Paths *paths = judge->paths;
	const Classes *classes = judge->classes;

	*any_new = false;
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];
		uint64		begin = paths->first[row];
		uint32		last;
		ShownSet	earlier;

		if (begin == paths->first[row + 1])
		{
			*any_new = true;
			continue;
		}
		last = paths->class[paths->first[row + 1] - 1];
		if (judge->judged[last] == c + 1)
			continue;
		judge->judged[last] = c + 1;
		memcpy(judge->earlier, paths->value + paths->first_value[last], sizeof(Code) * paths_size(paths, last));
		earlier = show_set(judge->earlier, paths_size(paths, last));
		if (!same_set(set, &earlier))
			return false;
	}
	return true;
}

static uint64
largest_class(const Classes *classes)
{
	uint64		largest = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		largest = Max(largest, class_size(classes, c) + class_counterfeits(classes, c));
	return largest;
}

static uint64
largest_past(const Paths *paths)
{
	uint64		largest = 0;

	for (uint32 c = 0; c < paths->nclasses; c++)
		largest = Max(largest, paths_size(paths, c));
	return largest;
}

void
judge_evenness(const Frame *frame, const Paths *paths, const Classes *classes, uint32 m, bool once)
{
	EvennessJudge judge = {
		.frame = frame, .paths = paths, .classes = classes,
		.values = new_array(Code, largest_class(classes)),
		.earlier = new_array(Code, largest_past(paths)),
		.judged = new_zeros(uint32, paths->nclasses),
	};

	if (classes->first[classes->nclasses] != frame->nrows)
		refuse_draft(0, "not every row is in a class");
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		ShownSet	set = set_of_class(&judge, c);
		bool		any_new;

		if (c % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (class_size(classes, c) == 0)
			refuse_draft(c, "nobody is in it");
		if (!set.is_even || (once && set.times > 1))
			refuse_draft(c, "its values do not occur equally often");
		if (!keeps_values(&judge, c, &set, &any_new))
			refuse_draft(c, "a member was published among other values");
		if (set.nvalues < m && any_new)
			refuse_draft(c, "it shows too few values");
	}
	pfree(judge.values);
	pfree(judge.earlier);
	pfree(judge.judged);
}

/* ----------------------------------------------------------------
 * All releases
 * ----------------------------------------------------------------
 */

/* The class where each person was seen first: its set is the one to be seen among again. */
typedef struct FirstClass
{
	int32		release;		/* or -1 */
	uint32		class;
} FirstClass;

static ShownSet
set_of_seen(const SeenRelease *release, uint32 c, Code *values)
{
	memcpy(values, release->value + release->first[c], sizeof(Code) * seen_size(release, c));
	return show_set(values, seen_size(release, c));
}

/* Counts a class, and notes where the first uneven one and the smallest one for newcomers are. */
static void
note_class(Evenness *evenness, const ShownSet *set, int32 r, uint32 c, bool any_new, uint32 m)
{
	evenness->classes++;
	evenness->repeated += set->times > 1;
	if (!set->is_even && evenness->uneven++ == 0)
	{
		evenness->uneven_in = r;
		evenness->uneven_class = c;
	}
	if (any_new && (evenness->fewest_in < 0 || (uint64) set->nvalues * evenness->wanted < (uint64) evenness->fewest * m))
	{
		evenness->fewest = set->nvalues;
		evenness->wanted = m;
		evenness->fewest_in = r;
		evenness->fewest_class = c;
	}
}

/* Compares the class of each person with the one where the person was seen first; is it that for anybody? */
static bool
follow_people(Evenness *evenness, const Seen *seen, uint64 npeople, FirstClass *first, bool *is_changed,
			  const ShownSet *set, int32 r, uint32 c, Code *earlier)
{
	const SeenRelease *release = &seen->release[r];
	bool		any_new = false;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	t = release->individual[i];
		ShownSet	before;

		if (t >= npeople || is_changed[t])
			continue;
		if (first[t].release < 0)
		{
			any_new = true;
			first[t] = (FirstClass) {r, c};
			evenness->people++;
			continue;
		}
		before = set_of_seen(&seen->release[first[t].release], first[t].class, earlier);
		if (same_set(set, &before))
			continue;
		is_changed[t] = true;
		if (evenness->changed++ == 0)
		{
			evenness->changed_in = r;
			evenness->changed_class = c;
		}
	}
	return any_new;
}

Evenness
measure_evenness(const Seen *seen, uint64 npeople, const uint32 *m)
{
	Evenness	evenness = {.uneven_in = -1, .fewest_in = -1, .changed_in = -1};
	FirstClass *first = new_array(FirstClass, npeople);
	bool	   *is_changed = new_zeros(bool, npeople);
	uint64		largest = 0;
	Code	   *values;
	Code	   *earlier;

	for (uint64 t = 0; t < npeople; t++)
		first[t].release = -1;
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			largest = Max(largest, seen_size(&seen->release[r], c));
	values = new_array(Code, largest);
	earlier = new_array(Code, largest);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			ShownSet	set = set_of_seen(&seen->release[r], c, values);

			if (c % 1024 == 0)
				CHECK_FOR_INTERRUPTS();
			note_class(&evenness, &set, r, c,
					   follow_people(&evenness, seen, npeople, first, is_changed, &set, r, c, earlier), m[r]);
		}
	pfree(first);
	pfree(is_changed);
	pfree(values);
	pfree(earlier);
	return evenness;
}
