/*
 * invariance.c
 *		Judging m-invariance and Cor-Split, by sorting the values of each class.
 *
 * NOTES
 *		Nothing here is shared with what makes such classes and releases.
 */
#include "postgres.h"

#include "audit/invariance.h"
#include "audit/judge_draft.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"

/* The rows of a class: values of true rows, then of invented ones. */
typedef struct ClassRows
{
	Code	   *values;
	uint64		ntrue;
	uint64		n;
} ClassRows;

/* Collects the sensitive values of a class of the draft. */
static ClassRows
rows_of_draft(const Frame *frame, const Classes *classes, uint32 c, Code *values)
{
	ClassRows	rows = {.values = values, .ntrue = class_size(classes, c)};

	for (; rows.n < rows.ntrue; rows.n++)
		values[rows.n] = frame->sensitive[classes->rows[classes->first[c] + rows.n]];
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		values[rows.n++] = classes->counterfeit[classes->first_counterfeit[c] + i];
	return rows;
}

/* And those of a class of a past release. */
static ClassRows
rows_of_seen(const SeenRelease *release, uint32 c, Code *values)
{
	ClassRows	rows = {.values = values};

	for (int invented = 0; invented < 2; invented++)
	{
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			if (release->counterfeit[i] == invented)
				values[rows.n++] = release->value[i];
		rows.ntrue = invented ? rows.ntrue : rows.n;
	}
	return rows;
}

static uint64
largest_class(const Classes *classes)
{
	uint64		largest = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		largest = Max(largest, class_size(classes, c) + class_counterfeits(classes, c));
	return largest;
}

/* ---- Evenness ---- */

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

typedef struct EvennessJudge
{
	const Paths *paths;
	const Classes *classes;
	Code	   *values;			/* of the class at hand */
	Code	   *earlier;		/* of a class of the past */
	uint32	   *judged;			/* [classes of the past] by the class of the draft, plus 1 */
} EvennessJudge;

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

void
judge_evenness(const Frame *frame, const Paths *paths, const Classes *classes, uint32 m, bool once)
{
	EvennessJudge judge = {
		.paths = paths, .classes = classes,
		.values = new_array(Code, largest_class(classes)),
		.judged = new_zeros(uint32, paths->nclasses),
	};
	uint64		largest = 0;

	for (uint32 c = 0; c < paths->nclasses; c++)
		largest = Max(largest, paths_size(paths, c));
	judge.earlier = new_array(Code, largest);
	if (classes->first[classes->nclasses] != frame->nrows)
		refuse_draft(0, "not every row is in a class");
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		ClassRows	rows = rows_of_draft(frame, classes, c, judge.values);
		ShownSet	set = show_set(rows.values, rows.n);
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

/* The class where each person was seen first: its set is the one to be seen among again. */
typedef struct FirstClass
{
	int32		release;		/* or -1 */
	uint32		class;
} FirstClass;

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
		ClassRows	rows;
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
		rows = rows_of_seen(&seen->release[first[t].release], first[t].class, earlier);
		before = show_set(rows.values, rows.n);
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
	uint64		largest = seen_largest(seen);
	Code	   *values;
	Code	   *earlier;

	for (uint64 t = 0; t < npeople; t++)
		first[t].release = -1;
	values = new_array(Code, largest);
	earlier = new_array(Code, largest);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			ClassRows	rows = rows_of_seen(&seen->release[r], c, values);
			ShownSet	set = show_set(rows.values, rows.n);

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

/* ----------------------------------------------------------------
 * Values that are shown for the first time
 *
 * A class without invented rows vouches for all of its values, and most new values have one.  Only for the others
 * signatures are compared.
 * ----------------------------------------------------------------
 */

/* A class that shows a value which is still open. */
typedef struct OpenClass
{
	uint32		n;
	Code	   *value;			/* [n] ascending, each once */
	bool	   *is_true;		/* [n] does a true row show it? */
} OpenClass;

typedef struct Vouching
{
	Code		nvalues;
	bool	   *was_shown;		/* [values] by an earlier release */
	bool	   *is_vouched;		/* [values] */
	bool	   *is_true_once;	/* [values] under a signature that does not vouch by itself */
	uint32	   *first_class;	/* [values] of this release that shows it, plus 1 */
	OpenClass  *open;
	uint64		nopen;
	uint64		allocated;
} Vouching;

static inline bool
is_open(const Vouching *vouching, Code value)
{
	return value != NO_CODE && !vouching->was_shown[value] && !vouching->is_vouched[value];
}

/* The distinct values of a class, and which of them true rows show. */
static OpenClass
show_class(const ClassRows *rows)
{
	OpenClass	shown = {.value = new_array(Code, rows->n), .is_true = new_array(bool, rows->n)};

	memcpy(shown.value, rows->values, sizeof(Code) * rows->n);
	sort_codes(shown.value, rows->n);
	for (uint64 i = 0; i < rows->n; i++)
		if (i == 0 || shown.value[i] != shown.value[i - 1])
			shown.value[shown.n++] = shown.value[i];
	for (uint32 i = 0; i < shown.n; i++)
	{
		uint64		k = 0;

		while (k < rows->ntrue && rows->values[k] != shown.value[i])
			k++;
		shown.is_true[i] = k < rows->ntrue;
	}
	return shown;
}

/* Takes a look at a class: the first one, which most values need, or the second one, for those that are still open. */
static void
look_at_class(Vouching *vouching, const ClassRows *rows, uint32 c, bool second)
{
	bool		any_open = false;

	if (c % 4096 == 0)
		CHECK_FOR_INTERRUPTS();
	for (uint64 i = 0; i < rows->n && second && !any_open; i++)
		any_open = is_open(vouching, rows->values[i]);
	if (any_open)
	{
		array_reserve(vouching->open, vouching->allocated, vouching->nopen + 1);
		vouching->open[vouching->nopen++] = show_class(rows);
	}
	for (uint64 i = 0; i < rows->n && !second; i++)
	{
		Code		value = rows->values[i];

		if (value == NO_CODE)
			continue;
		if (vouching->first_class[value] == 0)
			vouching->first_class[value] = c + 1;
		vouching->is_vouched[value] |= rows->ntrue == rows->n;
	}
}

static Vouching
vouching_create(Code nvalues)
{
	return (Vouching) {
		.nvalues = nvalues,
		.was_shown = new_zeros(bool, nvalues), .is_vouched = new_zeros(bool, nvalues),
		.is_true_once = new_zeros(bool, nvalues), .first_class = new_zeros(uint32, nvalues),
	};
}

/* Is a second look needed? */
static bool
any_open(const Vouching *vouching)
{
	Code		v = 0;

	while (v < vouching->nvalues && (vouching->first_class[v] == 0 || !is_open(vouching, v)))
		v++;
	return v < vouching->nvalues;
}

/* Orders open classes by their values, so that those with equal values become neighbors. */
static int
compare_signatures(const void *a, const void *b)
{
	const OpenClass *x = a;
	const OpenClass *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return memcmp(x->value, y->value, sizeof(Code) * x->n);
}

/* The first class of a signature speaks for all of them. */
static void
judge_signature(Vouching *vouching, const OpenClass *signature)
{
	bool		is_all_true = true;

	for (uint32 i = 0; i < signature->n; i++)
		is_all_true &= signature->is_true[i];
	for (uint32 i = 0; i < signature->n; i++)
	{
		Code		value = signature->value[i];

		if (value == NO_CODE || !signature->is_true[i])
			continue;
		vouching->is_vouched[value] |= is_all_true || vouching->is_true_once[value];
		vouching->is_true_once[value] = true;
	}
}

/* Judges the classes kept open in a release, those of equal signatures together. */
static void
compare_open_classes(Vouching *vouching)
{
	uint64		to;

	qsort(vouching->open, vouching->nopen, sizeof(OpenClass), compare_signatures);
	for (uint64 from = 0; from < vouching->nopen; from = to)
	{
		OpenClass  *signature = &vouching->open[from];

		CHECK_FOR_INTERRUPTS();
		for (to = from + 1; to < vouching->nopen && compare_signatures(signature, &vouching->open[to]) == 0; to++)
			for (uint32 i = 0; i < signature->n; i++)
				signature->is_true[i] |= vouching->open[to].is_true[i];
		judge_signature(vouching, signature);
	}
	for (uint64 i = 0; i < vouching->nopen; i++)
	{
		pfree(vouching->open[i].value);
		pfree(vouching->open[i].is_true);
	}
	vouching->nopen = 0;
}

void
judge_first_shown(const Frame *frame, const Paths *paths, const Classes *classes)
{
	Vouching	vouching = vouching_create(frame->nsensitive);
	Code	   *values = new_array(Code, largest_class(classes));

	for (uint64 i = 0; i < paths->first_value[paths->nclasses]; i++)
		if (paths->value[i] != NO_CODE)
			vouching.was_shown[paths->value[i]] = true;
	for (int look = 0; look < 2 && (look == 0 || any_open(&vouching)); look++)
		for (uint32 c = 0; c < classes->nclasses; c++)
		{
			ClassRows	rows = rows_of_draft(frame, classes, c, values);

			look_at_class(&vouching, &rows, c, look);
		}
	compare_open_classes(&vouching);
	for (Code v = 0; v < vouching.nvalues; v++)
		if (vouching.first_class[v] > 0 && is_open(&vouching, v))
			refuse_draft(vouching.first_class[v] - 1, "it shows a new value that is not vouched for");
	pfree(values);
}

/* Values of the release are known from now on. */
static void
note_release(Vouching *vouching, FirstShown *first, int32 r)
{
	for (Code v = 0; v < vouching->nvalues; v++)
	{
		if (vouching->first_class[v] == 0 || vouching->was_shown[v])
			continue;
		first->values++;
		if (is_open(vouching, v) && first->unvouched++ == 0)
		{
			first->in = r;
			first->class = vouching->first_class[v] - 1;
		}
		vouching->was_shown[v] = true;
	}
	memset(vouching->first_class, 0, sizeof(uint32) * vouching->nvalues);
}

FirstShown
measure_first_shown(const Seen *seen)
{
	Vouching	vouching = vouching_create(seen->nvalues);
	FirstShown	first = {.in = -1};
	Code	   *values = new_array(Code, seen_largest(seen));

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		for (int look = 0; look < 2 && (look == 0 || any_open(&vouching)); look++)
			for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			{
				ClassRows	rows = rows_of_seen(&seen->release[r], c, values);

				look_at_class(&vouching, &rows, c, look);
			}
		compare_open_classes(&vouching);
		note_release(&vouching, &first, r);
	}
	pfree(values);
	return first;
}
