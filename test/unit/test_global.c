/*
 * test_global.c
 *		Method global, beside possible worlds that are counted one by one, and lives
 *		in which everybody's chances are followed in whole numbers.
 *
 * Nothing of how chances are judged here is shared with the code.
 */
#include "shim.h"

#include "audit/breach.h"
#include "method/global/global.h"
#include "method/method.h"

#include <math.h>
#include <string.h>

/* ---- Figures of the paper ---- */

static Strategy
constant(uint32 l, uint32 releases)
{
	return (Strategy) {.kind = CONSTANT_RATIO,.l = l,.releases = releases};
}

/* What the formula gives; the paper prints 3.44, 7.75, 29.41, 90.13, 190.33, 15.10, 45.35, 95.42. */
static void
test_table_1(void)
{
	static const struct
	{
		uint32		l;
		uint32		releases;
		double		ratio;
	}			table[] = {
		{2, 2, 3.41}, {2, 5, 7.73}, {2, 20, 29.36}, {5, 20, 90.13},
		{10, 20, 190.32}, {2, 10, 14.93}, {5, 10, 45.32}, {10, 10, 95.41},
	};

	for (int i = 0; i < (int) lengthof(table); i++)
	{
		Strategy	strategy = constant(table[i].l, table[i].releases);
		double		ratio = first_ratio(&strategy);

		check(fabs(ratio - table[i].ratio) < 0.005);
		check_near(ratio, 1 / (1 - pow(1 - 1.0 / table[i].l, 1.0 / table[i].releases)));
		check_near(least_largest_ratio(table[i].l, table[i].releases), ratio);
	}
}

/* ---- Possible worlds ---- */

/*
 * A world is who has which row in each class: rows with the value are numbered
 * first.  Worlds in which rows of one value change places are counted several
 * times, but all of them equally often.
 */
typedef struct Worlds
{
	uint64		all;
	uint64		linked;
} Worlds;

static void
count_worlds(const ClassLink *links, int n, bool is_linked, Worlds *worlds)
{
	if (n == 0)
	{
		worlds->all++;
		worlds->linked += is_linked;
		return;
	}
	for (uint32 row = 0; row < links[0].size; row++)
		count_worlds(links + 1, n - 1, is_linked || row < links[0].count, worlds);
}

static int
draw_links(ClassLink *links, int most, uint32 largest)
{
	int			n = any_below(most) + 1;

	for (int i = 0; i < n; i++)
	{
		links[i].size = any_below(largest) + 1;
		links[i].count = any_below(links[i].size) + 1;
	}
	return n;
}

/* Lemmas 1, 4 and 5, Theorems 1, 2 and 3. */
static void
test_possible_worlds(void)
{
	for (int i = 0; i < some_of(4000); i++)
	{
		ClassLink		links[7];
		int			n = draw_links(links, 5, 7);
		uint32		l = any_below(6) + 1;
		Worlds		worlds = {0, 0};
		Worlds		before = {0, 0};
		Strategy	strategy = constant(l, 1);

		count_worlds(links, n, false, &worlds);
		count_worlds(links, n - 1, false, &before);
		check_near(breach_probability_of(links, n), (double) worlds.linked / worlds.all);
		check(breach_is_allowed(links, n, l) == (worlds.linked * l <= worlds.all));

		/* Lemma 1: nobody is linked better by one release than by all of them. */
		for (int j = 0; j < n; j++)
			check((double) worlds.linked / worlds.all >= (double) links[j].count / links[j].size - 1e-12);

		/* Lemma 5: a class that nobody has the value in changes nothing. */
		links[n] = (ClassLink) {any_below(7) + 1, 0};
		{
			Worlds		after = {0, 0};

			count_worlds(links, n + 1, false, &after);
			check(after.linked * worlds.all == worlds.linked * after.all);
		}

		/* Theorem 1: the last class may be so large, and no smaller.  Theorem 2: none will do where all was spent. */
		if (n > 1 && l > 1)
		{
			double		ratio = next_ratio(&strategy, 1 - (double) before.linked / before.all);
			double		has = (double) links[n - 1].size / links[n - 1].count;

			if (before.linked * l >= before.all)
				check(ratio > 1e9);
			if (fabs(has - ratio) > 1e-9)
				check((has > Max(ratio, l)) == (worlds.linked * l <= worlds.all) || has < l);
		}

		/* Theorem 3: a larger class says less. */
		if (before.linked < before.all)
		{
			Worlds		larger = {0, 0};

			links[n - 1].size++;
			count_worlds(links, n, false, &larger);
			check(larger.linked * worlds.all < worlds.linked * larger.all);
		}
	}
}

/* A class of people with several rows: a world deals the rows to people, each of whom gets as many as everybody knows. */
typedef struct Dealing
{
	int			people;
	int			left[4];		/* rows that each is yet to get */
	int			nrows;
	int			row[8];			/* values; worlds are counted for value 0 */
	int			times[4][3];	/* what each has */
	uint64		all;
	uint64		linked[4];
	uint64		all_sets;		/* worlds in which nobody has a value twice */
	uint64		linked_sets[4];
} Dealing;

static void
deal(Dealing *dealing, int row)
{
	bool		is_sets = true;

	if (row < dealing->nrows)
	{
		for (int p = 0; p < dealing->people; p++)
			if (dealing->left[p] > 0)
			{
				dealing->left[p]--;
				dealing->times[p][dealing->row[row]]++;
				deal(dealing, row + 1);
				dealing->times[p][dealing->row[row]]--;
				dealing->left[p]++;
			}
		return;
	}
	for (int p = 0; p < dealing->people; p++)
		for (int value = 0; value < 3; value++)
			is_sets &= dealing->times[p][value] < 2;
	dealing->all++;
	dealing->all_sets += is_sets;
	for (int p = 0; p < dealing->people; p++)
	{
		dealing->linked[p] += dealing->times[p][0] > 0;
		dealing->linked_sets[p] += is_sets && dealing->times[p][0] > 0;
	}
}

/*
 * Section 6.3, sets of values: c in n is the chance, or more than it, where all have as many rows; it is exact where nobody has
 * a value twice.  Where one has more than others, it is more for that one.
 */
static void
test_sets_of_values(void)
{
	Dealing		mixed = {.people = 4, .left = {1, 1, 1, 5}, .nrows = 8, .row = {0, 1, 1, 1, 1, 2, 2, 2}};
	int			with_sets = 0;

	for (int i = 0; i < some_of(600); i++)
	{
		int			each = any_below(3) + 1;
		Dealing		dealing = {.people = each == 3 ? 2 : any_below(3) + 2};
		uint64		count = 0;

		for (int p = 0; p < dealing.people; p++)
			dealing.left[p] = each;
		dealing.nrows = dealing.people * each;
		for (int row = 0; row < dealing.nrows; row++)
		{
			dealing.row[row] = any_below(3);
			count += dealing.row[row] == 0;
		}
		deal(&dealing, 0);
		for (int p = 0; p < dealing.people; p++)
		{
			check(dealing.linked[p] * dealing.people <= count * dealing.all);
			check(dealing.linked_sets[p] * dealing.people == count * dealing.all_sets);
		}
		with_sets += dealing.all_sets > 0;
	}
	check(with_sets > some_of(60));
	deal(&mixed, 0);
	check(mixed.linked[0] * 8 == mixed.all && mixed.linked[3] * 8 == mixed.all * 5);
}

/* Theorem 4: whatever the sizes of n classes that keep the promise, one has the constant ratio at least. */
static void
test_min_max(void)
{
	for (uint32 l = 2; l <= 4; l++)
		for (uint32 n = 1; n <= 3; n++)
		{
			Strategy	strategy = constant(l, n);
			uint32		best = PG_UINT32_MAX;
			ClassLink		links[3];

			for (uint32 sizes = 0; sizes < 14 * 14 * 14; sizes++)
			{
				uint32		largest = 0;

				for (uint32 i = 0, rest = sizes; i < n; i++, rest /= 14)
				{
					links[i] = (ClassLink) {rest % 14 + 1, 1};
					largest = Max(largest, links[i].size);
				}
				if (breach_is_allowed(links, n, l))
				{
					check(largest_ratio(links, n) >= first_ratio(&strategy) - 1e-9);
					best = Min(best, largest);
				}
			}
			check(best == (uint32) ceil(first_ratio(&strategy) - 1e-9));
		}
}

/* (1 - 1/n) (1 - 1/(n - 1)) … (1 - 1/(n/2 + 1)) is 1/2, however doubles round it. */
static void
test_exact_boundary(void)
{
	for (uint32 n = 2; n <= 3000; n += 2 + any_below(40) * 2)
	{
		ClassLink	   *links = palloc(sizeof(ClassLink) * (n / 2 + 1));

		for (uint32 i = 0; i < n / 2; i++)
			links[i] = (ClassLink) {n - i, 1};
		check(breach_is_allowed(links, n / 2, 2));
		links[n / 2] = (ClassLink) {PG_UINT32_MAX, 1};
		check(!breach_is_allowed(links, n / 2 + 1, 2));
		links[n / 2 - 1].size++;
		check(breach_is_allowed(links, n / 2 + 1, 2));
		check(breach_is_allowed(links, n / 2 + 1, 1));
		check(!breach_is_allowed(links, n / 2 + 1, 3));
	}
}

/* ---- Lives ---- */

#define NPEOPLE		160
#define NRELEASES	9
#define NVALUES		12
#define NCODES		8

typedef struct Life
{
	/* Parameters, as the method's table has them */
	int64		params[7];
	bool		some_protected;
	bool		is_protected[NVALUES];
	bool		has_registry;
	bool		has_several;	/* have people several rows? */

	/* Releases: whom each class had, and what was shown of each */
	int			releases;
	int			nclasses[NRELEASES];
	int			class_of[NRELEASES][NPEOPLE];	/* or -1 */
	Code		shown[NRELEASES][NPEOPLE];	/* NO_CODE for NULL, and for who was counted in */

	/* The frame at hand */
	Frame		frame;
	Domain		domain[2];
	double		position[NCODES];
	uint64		frequency[NCODES];
	Code		code[2][NPEOPLE];
	Code	   *codes[2];
	Code		sensitive[NPEOPLE];
	bool		asked[NPEOPLE];
	int			person[NPEOPLE];	/* of each row */
	int			row[NPEOPLE];	/* of each person, or -1 */
	Past		past;
	Paths		paths;
} Life;

static Life life;

/* Sets of one to three values; some have a value twice, and the last has none. */
#define NSETS 60
static Code value_of_row[3 * NSETS];
static uint64 first_row[NSETS + 1];
static const Aspect of_rows = {.ncodes = NVALUES,.code = value_of_row};
static const Aspects sets_of_values = {.n = 1,.aspect = &of_rows,.first = first_row};

static void
make_sets(void)
{
	for (int set = 0; set < NSETS; set++)
	{
		int			n = set == NSETS - 1 ? 1 : set * 3 / NSETS + 1;

		first_row[set + 1] = first_row[set] + n;
		for (int i = 0; i < n; i++)	/* in order */
			value_of_row[first_row[set] + i] = n == 1 && set == NSETS - 1 ? NO_CODE : (set * 7 % (NVALUES - 4)) + i * any_below(3);
	}
}

/* How often has somebody the value of whom this was shown; and of how many rows? */
static int
times_shown_of(Code shown, Code value, int *nrows)
{
	int			times = 0;

	*nrows = 1;
	if (!life.has_several || shown == NO_CODE)
		return shown == value;
	*nrows = first_row[shown + 1] - first_row[shown];
	for (uint64 row = first_row[shown]; row < first_row[shown + 1]; row++)
		times += value_of_row[row] == value;
	return times;
}

static void
make_frame(int present_percent)
{
	Frame	   *frame = &life.frame;
	bool		any_registered = false;

	*frame = (Frame) {.nqis = 2,.domain = life.domain,.code = life.codes,.nsensitive = NVALUES,.sensitive = life.sensitive};
	for (int q = 0; q < 2; q++)
	{
		life.domain[q] = (Domain) {.size = NCODES,.null_code = NO_CODE,.frequency = life.frequency,.position = life.position};
		life.codes[q] = life.code[q];
	}
	for (int pass = 0; pass < 2; pass++)	/* people of the registry come last */
		for (int p = 0; p < NPEOPLE; p++)
		{
			bool		is_present = (p * 2654435761u + life.releases * 40503u) % 100 < (uint32) present_percent;
			uint32		row = frame->nrows;

			if (pass == 0)
				life.row[p] = -1;
			if (pass == (is_present ? 1 : 0) || (!is_present && (!life.has_registry || p % 3 == 0)))
				continue;
			life.person[row] = p;
			life.row[p] = row;
			life.asked[row] = is_present;
			any_registered |= !is_present;
			life.code[0][row] = (p * 7 + (any_below(10) == 0)) % NCODES;
			life.code[1][row] = p % NCODES;
			life.sensitive[row] = !is_present || any_below(12) == 0 ? NO_CODE :
				any_below(4) == 0 ? any_below(NVALUES) : Min(p % NVALUES, any_below(NVALUES));
			frame->nrows++;
		}
	frame->asked = any_registered ? life.asked : NULL;
	frame->is_protected = life.some_protected ? life.is_protected : NULL;
	if (life.has_several)
	{
		frame->nsensitive = NSETS;
		frame->aspects = &sets_of_values;
		for (uint64 row = 0; row < frame->nrows; row++)
			if (life.sensitive[row] != NO_CODE)
				life.sensitive[row] = any_below(2) == 0 ? any_below(NSETS) : life.person[row] % NSETS;
			else
				life.sensitive[row] = NSETS - 1;
	}
}

/* The classes of all releases, and everybody's steps in them. */
static void
make_past(void)
{
	Paths	   *paths = &life.paths;
	uint64		steps = 0;
	uint32		offset[NRELEASES];

	memset(paths, 0, sizeof(Paths));
	life.past = (Past) {.releases = life.releases,.paths = paths};
	for (int r = 0; r < life.releases; r++)
	{
		offset[r] = paths->nclasses;
		paths->nclasses += life.nclasses[r];
	}
	paths->first_value = palloc0(sizeof(uint64) * (paths->nclasses + 1));
	paths->value = palloc(sizeof(Code) * NPEOPLE * (NRELEASES + 1));
	for (int r = 0, c = 0; r < life.releases; r++)
		for (int of = 0; of < life.nclasses[r]; of++, c++)
		{
			uint64		at = paths->first_value[c];

			for (int p = 0; p < NPEOPLE; p++)
				if (life.class_of[r][p] == of)
					paths->value[at++] = life.shown[r][p];
			paths->first_value[c + 1] = at;
		}
	paths->first = palloc0(sizeof(uint64) * (life.frame.nrows + 1));
	paths->class = palloc(sizeof(uint32) * NPEOPLE * (NRELEASES + 1));
	paths->shown = palloc(sizeof(Code) * NPEOPLE * (NRELEASES + 1));
	for (uint64 row = 0; row < life.frame.nrows; row++)
	{
		for (int r = 0; r < life.releases; r++)
			if (life.class_of[r][life.person[row]] >= 0)
			{
				paths->class[steps] = offset[r] + life.class_of[r][life.person[row]];
				paths->shown[steps++] = life.shown[r][life.person[row]];
			}
		paths->first[row + 1] = steps;
	}
}

/* So often has a class a value, of so many. */
static ClassLink
link_of(int r, int class, Code value)
{
	ClassLink		link = {0, 0};
	int			nrows;

	for (int p = 0; p < NPEOPLE; p++)
		if (life.class_of[r][p] == class)
		{
			link.size++;
			link.count += times_shown_of(life.shown[r][p], value, &nrows);
		}
	return link;
}

/* Is somebody's chance 1/l at most, in whole numbers?  Releases and sizes are few and small enough for 128 bits. */
static bool
is_kept(int p, Code value, uint32 l, unsigned __int128 *all, unsigned __int128 *kept)
{
	*all = *kept = 1;
	for (int r = 0; r < life.releases; r++)
		if (life.class_of[r][p] >= 0)
		{
			ClassLink		link = link_of(r, life.class_of[r][p], value);

			if (link.count == 0)
				continue;
			*all *= link.size;
			*kept *= link.size - link.count;
		}
	return (*all - *kept) * l <= *all;
}

/* The chance that a dealing of each class's rows to all its people, of whose numbers of rows each is known, never gave one the value. */
static double
kept_by_dealings(int person, Code value)
{
	double		kept = 1;

	for (int r = 0; r < life.releases; r++)
	{
		int			own;
		int			all = 0;
		int			with_value = 0;

		if (life.class_of[r][person] < 0)
			continue;
		for (int p = 0; p < NPEOPLE; p++)
			if (life.class_of[r][p] == life.class_of[r][person])
			{
				with_value += times_shown_of(life.shown[r][p], value, &own);
				all += own;
			}
		(void) times_shown_of(life.shown[r][person], value, &own);
		for (int i = 0; i < own; i++)
			kept *= (double) Max(all - with_value - i, 0) / (all - i);
	}
	return kept;
}

static void
check_everybody(uint32 l)
{
	unsigned __int128 all;
	unsigned __int128 kept;

	for (int p = 0; p < NPEOPLE; p++)
		for (Code value = 0; value < NVALUES; value++)
			if (!life.some_protected || life.is_protected[value])
			{
				check(is_kept(p, value, l, &all, &kept));
				check(kept_by_dealings(p, value) >= 1 - 1.0 / l - 1e-9);
			}
}

/* What the draft says of itself; and that who is exhausted really is. */
static void
check_draft(const Draft *draft, uint32 l)
{
	const Classes *classes = draft->classes;
	bool		is_shown[NPEOPLE] = {false};
	uint64		withheld = 0;
	uint64		exhausted = 0;
	unsigned __int128 all;
	unsigned __int128 kept;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			check(life.frame.asked == NULL || life.asked[classes->rows[i]]);
			check(!is_shown[classes->rows[i]]);
			is_shown[classes->rows[i]] = true;
		}
	for (uint64 row = 0; row < life.frame.nrows; row++)
	{
		uint64		n;
		const Code *own = single_values(life.frame.aspects, &life.sensitive[row], &n);
		bool		needs_class = false;
		bool		is_exhausted = false;

		if (is_shown[row] || (life.frame.asked != NULL && !life.asked[row]))
			continue;
		withheld++;
		for (uint64 i = 0; i < n; i++)
			if (is_protected(&life.frame, own[i]))
			{
				needs_class = true;
				(void) is_kept(life.person[row], own[i], l, &all, &kept);
				is_exhausted |= l > 1 && (all - kept) * l >= all;
			}
		check(needs_class);		/* all others are shown */
		exhausted += is_exhausted;
	}
	check(draft->suppressed == withheld);
	check(draft->exhausted == exhausted);
	if (life.frame.asked == NULL)
		check(draft->first_counted == NULL);
}

static void
note_class(const Draft *draft, uint32 c)
{
	const Classes *classes = draft->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		life.class_of[life.releases][life.person[classes->rows[i]]] = c;
		life.shown[life.releases][life.person[classes->rows[i]]] = life.sensitive[classes->rows[i]];
	}
	for (uint64 i = draft->first_counted == NULL ? 0 : draft->first_counted[c];
		 draft->first_counted != NULL && i < draft->first_counted[c + 1]; i++)
	{
		check(!life.asked[draft->counted[i]]);
		life.class_of[life.releases][life.person[draft->counted[i]]] = c;
		life.shown[life.releases][life.person[draft->counted[i]]] = NO_CODE;
	}
}

static void
judge(const Draft *draft)
{
	judge_breaches(&life.frame, life.past.paths, draft->classes, draft->first_counted, draft->counted, life.params[0]);
}

static uint64
release(int present_percent)
{
	uint64		seed = any_below(1000000);
	Draft	   *draft;

	make_frame(present_percent);
	make_past();
	draft = global_method.draft(&life.frame, &life.past, life.params, seed);
	check_draft(draft, life.params[0]);
	judge(draft);
	life.nclasses[life.releases] = draft->classes->nclasses;
	memset(life.class_of[life.releases], 0xff, sizeof(life.class_of[0]));	/* -1 */
	for (uint32 c = 0; c < draft->classes->nclasses; c++)
		note_class(draft, c);
	life.releases++;
	return draft->classes->first[draft->classes->nclasses];
}

static void
begin_life(void)
{
	memset(&life, 0, sizeof(life));
	for (int i = 0; i < NCODES; i++)
	{
		life.position[i] = i;
		life.frequency[i] = 1;
	}
	life.params[0] = any_below(4) + 1;
	life.params[1] = any_below(2);
	life.params[2] = any_below(6) + 1;
	life.params[3] = PARAM_SCALE + 1 + any_below(3 * PARAM_SCALE);
	life.params[4] = life.params[5] = life.params[6] = PARAM_ABSENT;
	life.has_several = any_below(2);
	life.has_registry = !life.has_several && any_below(2);
	life.some_protected = any_below(2);
	for (int value = 0; value < NVALUES; value++)
		life.is_protected[value] = any_below(3) == 0;
}

static void
test_lives(void)
{
	uint64		shown = 0;

	make_sets();
	for (int i = 0; i < some_of(300); i++)
	{
		begin_life();
		for (int r = 0; r < NRELEASES; r++)
		{
			shown += release(20 + any_below(80));
			check_everybody(life.params[0]);
		}
	}
	check(shown > some_of(50000));
}

/* Who promises more from some day on keeps to it with all whom he links from then on. */
static void
test_stronger_later(void)
{
	for (int i = 0; i < 60; i++)
	{
		uint32		before;

		begin_life();
		before = life.params[0];
		for (int r = 0; r < NRELEASES; r++)
		{
			(void) release(60);
			if (r == 3)
				life.params[0] += 2;
			if (r == 5)
				life.params[1] = !life.params[1];
		}
		check_everybody(before);
	}
}

/* ---- Absurd parameters ---- */

static void
set_params(int64 l, int64 strategy, int64 releases, int64 alpha)
{
	begin_life();
	life.has_several = life.has_registry = life.some_protected = false;
	life.params[0] = l;
	life.params[1] = strategy;
	life.params[2] = releases;
	life.params[3] = alpha;
}

static void
test_absurd_parameters(void)
{
	/* No bound at all */
	set_params(1, 0, 1, PARAM_ABSENT);
	for (int r = 0; r < 3; r++)
		check(release(100) == NPEOPLE);

	/* No class is large enough: who has no value is shown, nobody else. */
	set_params(PG_INT32_MAX, 1, PARAM_ABSENT, (int64) 1000000 * PARAM_SCALE);
	check(release(100) < NPEOPLE / 4);
	set_params(PG_INT32_MAX, 0, 1000000, PARAM_ABSENT);
	check(release(100) < NPEOPLE / 4);
	set_params(2, 0, 1000000, PARAM_ABSENT);
	check(release(100) < NPEOPLE / 4);

	/* The least alpha leaves nearly nothing for the second time. */
	set_params(2, 1, PARAM_ABSENT, PARAM_SCALE + 1);
	for (int r = 0; r < NRELEASES; r++)
		(void) release(100);
	check_everybody(2);

	/* Nobody at all */
	set_params(2, 0, 1, PARAM_ABSENT);
	check(release(0) == 0);
}

/* All have one value, or none: nothing can be shown, or everything. */
static void
test_one_value(void)
{
	for (int all_null = 0; all_null < 2; all_null++)
	{
		Draft	   *draft;

		set_params(2, 0, 1, PARAM_ABSENT);
		make_frame(100);
		make_past();
		for (uint64 row = 0; row < life.frame.nrows; row++)
			life.sensitive[row] = all_null ? NO_CODE : 3;
		draft = global_method.draft(&life.frame, &life.past, life.params, 1);
		check((draft->classes->nclasses > 0) == all_null);
		check(draft->suppressed == (all_null ? 0 : NPEOPLE));
		judge(draft);
	}
}

/* Of people with a value that too many have, a lot leaves some out: nobody always, whatever the order of the source. */
static void
test_lot(void)
{
	bool		is_shown[NPEOPLE] = {false};

	set_params(2, 0, 1, PARAM_ABSENT);
	make_frame(100);
	make_past();
	for (uint64 row = 0; row < NPEOPLE; row++)
		life.sensitive[row] = row % 4 > 0;
	for (uint64 seed = 0; seed < 60; seed++)
	{
		const Classes *classes = global_method.draft(&life.frame, &life.past, life.params, seed)->classes;

		for (uint64 i = 0; i < classes->first[classes->nclasses]; i++)
			is_shown[classes->rows[i]] = true;
	}
	check(memchr(is_shown, false, NPEOPLE) == NULL);
}

/* A class of 11 is ten times 1.1, whatever doubles make of it. */
static void
test_decimal_ratio(void)
{
	set_params(10, 1, PARAM_ABSENT, PARAM_SCALE + PARAM_SCALE / 10);
	make_frame(100);
	make_past();
	life.frame.nrows = 11;
	for (uint64 row = 0; row < 11; row++)
		life.sensitive[row] = row;
	check(global_method.draft(&life.frame, &life.past, life.params, 1)->classes->nclasses == 1);
}

/* ---- The last check ---- */

/* A draft of one class: the first of the frame's rows, in a region of everything. */
static struct
{
	Classes		classes;
	uint64		first[2];
	RowId		rows[4];
	Span		region[2];
	Draft		draft;
} judged;

static void
judge_it(void)
{
	judge(&judged.draft);
}

static void
draft_one_class(uint64 size)
{
	memset(&judged, 0, sizeof(judged));
	judged.classes = (Classes) {.nclasses = 1,.nqis = 2,.first = judged.first,.rows = judged.rows,.regions = judged.region};
	judged.first[1] = size;
	judged.region[0] = judged.region[1] = (Span) {0, NCODES - 1};
	judged.draft.classes = &judged.classes;
	make_frame(100);
	for (uint64 row = 0; row < size; row++)
	{
		judged.rows[row] = row;
		life.sensitive[row] = row;
	}
}

/* Two releases in which somebody is linked with 3/4 are refused. */
static void
test_judge(void)
{
	uint64		first_counted[] = {0, 2};
	RowId		counted[] = {2, 3};

	set_params(2, 0, 1, PARAM_ABSENT);
	draft_one_class(2);
	make_past();
	check(error_of(judge_it) == NULL);

	/* One release by itself */
	life.params[0] = 3;
	check(error_of(judge_it) != NULL && strstr(error_of(judge_it), "links people to a value too well") != NULL);
	life.params[0] = 2;

	/* Together with the past */
	life.releases = life.nclasses[0] = 1;
	memset(life.class_of[0], 0xff, sizeof(life.class_of[0]));
	life.class_of[0][life.person[0]] = life.class_of[0][life.person[1]] = 0;
	life.shown[0][life.person[0]] = 1;
	life.shown[0][life.person[1]] = 0;
	make_past();
	check(error_of(judge_it) != NULL && strstr(error_of(judge_it), "with what was published before") != NULL);

	/* Of other values there may be as many. */
	life.shown[0][life.person[0]] = life.shown[0][life.person[1]] = 2;
	make_past();
	check(error_of(judge_it) == NULL);
	life.releases = 0;
	make_past();

	/* Who is counted in */
	judged.draft.first_counted = first_counted;
	judged.draft.counted = counted;
	life.sensitive[2] = life.sensitive[3] = NO_CODE;
	life.params[0] = 4;
	check(error_of(judge_it) == NULL);
	judged.region[0] = span_of(life.code[0][0]);
	check(error_of(judge_it) != NULL && strstr(error_of(judge_it), "outside its region") != NULL);
	judged.region[0] = (Span) {0, NCODES - 1};
	counted[1] = 1;
	check(error_of(judge_it) != NULL && strstr(error_of(judge_it), "in a class already") != NULL);
	counted[1] = 2;
	check(error_of(judge_it) != NULL && strstr(error_of(judge_it), "in a class already") != NULL);
	counted[1] = 3;
	life.sensitive[3] = 5;
	check(error_of(judge_it) != NULL && strstr(error_of(judge_it), "who has a value") != NULL);
}

static const Test tests[] = {
	{"table 1", test_table_1},
	{"possible worlds: lemmas 1, 4, 5, theorems 1 to 3", test_possible_worlds},
	{"section 6.3: sets of values", test_sets_of_values},
	{"theorem 4", test_min_max},
	{"1/l exactly", test_exact_boundary},
	{"lives", test_lives},
	{"stronger parameters later", test_stronger_later},
	{"absurd parameters", test_absurd_parameters},
	{"one value", test_one_value},
	{"a value of too many", test_lot},
	{"a decimal ratio", test_decimal_ratio},
	{"the last check", test_judge},
};

RUN(tests)
