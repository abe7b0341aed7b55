/*
 * test_attack.c
 *		The attack finds what its definitions say.
 *
 * Small random histories are attacked a second time from the definitions, set
 * by set and individual by individual.
 */
#include "shim.h"

#include <math.h>

#include "audit/attack.h"
#include "audit/smallest.h"

#define MAX_RELEASES	6
#define MAX_INDIVIDUALS		40
#define MAX_VALUES		150		/* more than a sketch tells apart */
#define UNSHOWN			3		/* values that only withheld people have */
#define ABSENT			(-1)

/* A history, individual by individual. */
typedef struct Story
{
	int			releases;
	int			individuals;
	Code		nvalues;
	int			nclasses[MAX_RELEASES];
	int			class_in[MAX_RELEASES][MAX_INDIVIDUALS];	/* or ABSENT */
	Code		value[MAX_RELEASES][MAX_INDIVIDUALS];
	Principle	promised[MAX_RELEASES];
	int			naspects;		/* 0: values have one aspect, themselves, and nothing is known of them */
	double		share[MAX_VALUES + UNSHOWN];
} Story;

/* ---- As dense integers ---- */

static SeenRelease
see_release(const Story *story, int r)
{
	SeenRelease release = {.nclasses = story->nclasses[r]};
	uint64		n = 0;

	release.first = palloc0(sizeof(uint64) * (release.nclasses + 1));
	release.individual = palloc(sizeof(Individual) * (story->individuals + 1));
	release.value = palloc(sizeof(Code) * (story->individuals + 1));
	release.counterfeit = palloc(sizeof(bool) * (story->individuals + 1));
	for (int c = 0; c < story->nclasses[r]; c++)
	{
		for (int t = story->individuals - 1; t >= 0; t--)
		{
			if (story->class_in[r][t] != c)
				continue;
			release.individual[n] = t;
			release.counterfeit[n] = false;
			release.value[n++] = story->value[r][t];
		}
		release.first[c + 1] = n;
	}
	return release;
}

static Seen *
see_story(const Story *story)
{
	Seen	   *seen = palloc0(sizeof(Seen));

	seen->nreleases = story->releases;
	seen->nindividuals = seen->npeople = story->individuals;
	seen->nvalues = story->nvalues;
	seen->release = palloc0(sizeof(SeenRelease) * (story->releases + 1));
	for (int r = 0; r < story->releases; r++)
		seen->release[r] = see_release(story, r);
	return seen;
}

/* ---- Values as principles see them ---- */

static double *
places_of_codes(Code ncodes)
{
	double	   *place = palloc(sizeof(double) * (ncodes + 1));

	for (Code i = 0; i < ncodes; i++)
		place[i] = ncodes == 1 ? 0 : (double) i / (ncodes - 1);
	return place;
}

/* One of two aspects has values in pairs, in their order, the other each fifth. */
static inline Code
code_of_value(int a, Code value)
{
	return value % 11 == 7 ? NO_CODE : a == 0 ? value / 2 : value % 5;
}

static Aspect
aspect_of_story(const Story *story, int a)
{
	Code		nvalues = story->nvalues + UNSHOWN;
	Aspect		aspect = {.name = a == 0 ? "ill" : "poor", .ncodes = a == 0 ? (nvalues + 1) / 2 : 5};
	Code	   *code = palloc(sizeof(Code) * (nvalues + 1));

	for (Code value = 0; value < nvalues; value++)
		code[value] = code_of_value(a, value);
	aspect.code = code;
	aspect.place = a == 0 ? places_of_codes(aspect.ncodes) : NULL;
	return aspect;
}

static const Aspects *
aspects_of_story(const Story *story)
{
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect) * 2);

	if (story->naspects == 0)
		return NULL;
	aspect[0].ncodes = story->nvalues + UNSHOWN;
	aspect[0].place = places_of_codes(aspect[0].ncodes);
	for (int a = 0; a < story->naspects && story->naspects > 1; a++)
		aspect[a] = aspect_of_story(story, a);
	*aspects = (Aspects) {.n = story->naspects, .nvalues = story->nvalues + UNSHOWN, .aspect = aspect, .share = story->share};
	return aspects;
}

/* [releases] */
static Principle *
bound_promises(const Story *story)
{
	Principle  *bound = palloc(sizeof(Principle) * (story->releases + 1));

	for (int r = 0; r < story->releases; r++)
		bound[r] = principle_bound(&story->promised[r], story->nvalues, aspects_of_story(story));
	return bound;
}

static Attack *
attack_story(const Story *story)
{
	Seen	   *seen = see_story(story);

	return attack(seen, atoms_of(seen), aspects_of_story(story), bound_promises(story));
}

/* ---- From the definitions ---- */

typedef struct Set
{
	bool		has[MAX_INDIVIDUALS];
} Set;

typedef struct Expected
{
	const Principle *promised;	/* bound */
	int			n;
	Revealed	revealed[3 * MAX_RELEASES * MAX_RELEASES];
} Expected;

static uint64
size_of(const Story *story, const Set *set)
{
	uint64		n = 0;

	for (int t = 0; t < story->individuals; t++)
		n += set->has[t];
	return n;
}

/* In the aspect that has fewest. */
static uint32
values_of(const Story *story, const Set *set, int r)
{
	uint32		fewest = PG_UINT32_MAX;

	for (int a = 0; a < Max(1, story->naspects); a++)
	{
		bool		shown[MAX_VALUES + UNSHOWN] = {false};
		uint32		n = 0;

		for (int t = 0; t < story->individuals; t++)
		{
			Code		value = story->value[r][t];

			if (story->naspects > 1 && value != NO_CODE)
				value = code_of_value(a, value);
			if (!set->has[t] || value == NO_CODE || shown[value])
				continue;
			shown[value] = true;
			n++;
		}
		fewest = Min(fewest, n);
	}
	return fewest;
}

static Tally *
tally_of(const Story *story, const Set *set, int r)
{
	Tally	   *tally = tally_create(story->nvalues + UNSHOWN);

	for (int t = 0; t < story->individuals; t++)
		if (set->has[t])
			tally_add(tally, story->value[r][t]);
	return tally;
}

/* A set is found; what was found is nothing as long as it has no records. */
static void
find_set(const Story *story, Revealed *found, const Set *set, int r, const Principle *promised)
{
	uint64		records = size_of(story, set);
	uint32		values = values_of(story, set, r);

	if (records == 0)
		return;
	found->holds = (found->records == 0 || found->holds) && principle_allows(promised, tally_of(story, set, r));
	found->values = found->records == 0 ? values : Min(found->values, values);
	found->records = found->records == 0 ? records : Min(found->records, records);
}

static Set
in_class(const Story *story, int r, int c)
{
	Set			set = {{false}};

	for (int t = 0; t < story->individuals; t++)
		set.has[t] = story->class_in[r][t] == c;
	return set;
}

static Set
minus(Set a, const Set *b, bool inverted)
{
	for (int t = 0; t < MAX_INDIVIDUALS; t++)
		a.has[t] = a.has[t] && b->has[t] == inverted;
	return a;
}

/* The weakest promise of a release, another, and some between or all. */
static Principle
promise_of(const Story *story, const Expected *expected, RevealedBy kind, int first, int last)
{
	Principle	weakest = expected->promised[first];

	for (int r = 0; r < story->releases; r++)
		if (kind == REVEALED_BY_ALL || r == last || (kind == REVEALED_BY_DIFFERENCE && first < r && r < last))
			weakest = principle_weaker(&weakest, &expected->promised[r]);
	return weakest;
}

static void
expect(Expected *expected, Revealed found)
{
	if (found.records > 0)
		expected->revealed[expected->n++] = found;
}

static void
expect_pair(const Story *story, Expected *expected, int a, int b)
{
	Revealed	both = {.kind = REVEALED_BY_INTERSECTION,.release = a + 1,.other = b + 1};
	Revealed	one = {.kind = REVEALED_BY_DIFFERENCE,.release = a + 1,.other = b + 1};
	Set			absent = in_class(story, b, ABSENT);
	Principle	of_both = promise_of(story, expected, both.kind, a, b);
	Principle	of_one = promise_of(story, expected, one.kind, a, b);

	for (int c = 0; c < story->nclasses[a]; c++)
	{
		Set			mine = in_class(story, a, c);
		Set			rest = minus(mine, &absent, true);

		find_set(story, &one, &rest, a, &of_one);
		for (int d = 0; d < story->nclasses[b]; d++)
		{
			Set			theirs = in_class(story, b, d);
			Set			common = minus(mine, &theirs, true);
			Set			without = minus(mine, &theirs, false);

			find_set(story, &both, &common, a, &of_both);
			find_set(story, &both, &common, b, &of_both);
			if (size_of(story, &common) > 0)
				find_set(story, &one, &without, a, &of_one);
		}
	}
	if (a < b)
		expect(expected, both);
	expect(expected, one);
}

static Set
atom_of(const Story *story, int t)
{
	Set			set = {{false}};

	for (int u = 0; u < story->individuals; u++)
	{
		set.has[u] = true;
		for (int r = 0; r < story->releases; r++)
			set.has[u] &= story->class_in[r][u] == story->class_in[r][t];
	}
	return set;
}

static void
expect_atoms(const Story *story, Expected *expected)
{
	Revealed	found = {.kind = REVEALED_BY_ALL,.release = story->releases};
	Principle	promised = promise_of(story, expected, REVEALED_BY_ALL, 0, 0);

	for (int t = 0; t < story->individuals; t++)
	{
		Set			atom = atom_of(story, t);

		for (int r = 0; r < story->releases; r++)
			if (story->class_in[r][t] != ABSENT)
				find_set(story, &found, &atom, r, &promised);
	}
	expect(expected, found);
}

static bool
is_same(const Revealed *a, const Revealed *b)
{
	return a->kind == b->kind && a->release == b->release && a->other == b->other &&
		a->records == b->records && a->values == b->values && a->holds == b->holds;
}

/* What stands first is worse, or of an earlier kind, release, other one. */
static bool
is_in_order(const Revealed *a, const Revealed *b)
{
	int64		x[] = {a->holds, a->kind, a->release, a->other};
	int64		y[] = {b->holds, b->kind, b->release, b->other};

	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i];
	return false;
}

static bool
is_as_defined(const Story *story)
{
	Attack	   *found = attack_story(story);
	Expected	expected = {.promised = bound_promises(story)};
	int			same = 0;

	for (int a = 0; a < story->releases; a++)
		for (int b = 0; b < story->releases; b++)
			if (a != b)
				expect_pair(story, &expected, a, b);
	if (story->releases > 0)
		expect_atoms(story, &expected);
	for (uint64 i = 0; i < found->n; i++)
	{
		for (int j = 0; j < expected.n; j++)
			same += is_same(&found->revealed[i], &expected.revealed[j]);
		if (i > 0 && !is_in_order(&found->revealed[i - 1], &found->revealed[i]))
			return false;
	}
	return same == expected.n && found->n == (uint64) expected.n;
}

/* ---- The sets that are worst off, for audits ---- */

/* The fewest values that a release showed of an individual's atom. */
static uint32
fewest_values(const Story *story, int t)
{
	Set			set = atom_of(story, t);
	uint32		fewest = PG_UINT32_MAX;

	for (int r = 0; r < story->releases; r++)
		if (story->class_in[r][t] != ABSENT)
			fewest = Min(fewest, values_of(story, &set, r));
	return fewest;
}

/* The worst of sets by each condition */
typedef struct Worst
{
	bool		any;
	double		measure[NPRINCIPLES];
	uint64		refused[NPRINCIPLES];
} Worst;

static void
find_worst(const Story *story, Worst *worst, const Principle *principle, const Set *set, int r)
{
	for (int i = 0; i < principle->nterms; i++)
	{
		int			aspect;
		double		measure = principle_measure(principle, &principle->term[i], tally_of(story, set, r), &aspect);

		if (!worst->any || term_is_worse(&principle->term[i], measure, worst->measure[i]))
			worst->measure[i] = measure;
	}
	worst->any = true;
}

static bool
refuses(const Story *story, const Principle *principle, int i, const Set *set, int r)
{
	int			aspect;

	return !term_allows(&principle->term[i], principle_measure(principle, &principle->term[i], tally_of(story, set, r), &aspect));
}

static bool
is_worst(const Worst *worst, const Principle *principle, const Smallest *found)
{
	for (int i = 0; i < principle->nterms && worst->any; i++)
	{
		double		measure = found->term[i].measure;

		/* Sums of logarithms depend on the order of values. */
		if (worst->refused[i] != found->term[i].refused ||
			!(worst->measure[i] == measure || fabs(worst->measure[i] - measure) < 1e-9))
			return false;
	}
	return true;
}

static bool
classes_are_as_defined(const Story *story, const Seen *seen, int r)
{
	const Aspects *aspects = aspects_of_story(story);
	Principle	promised = principle_bound(&story->promised[r], story->nvalues, aspects);
	Revealed	least = {0};
	Worst		worst = {0};
	Smallest	found;
	bool		any = smallest_classes(seen, r, aspects, &promised, &found);
	uint32		refused = 0;

	for (int c = 0; c < story->nclasses[r]; c++)
	{
		Set			set = in_class(story, r, c);

		if (size_of(story, &set) == 0)
			return true;		/* no method makes one */
		find_set(story, &least, &set, r, &promised);
		find_worst(story, &worst, &promised, &set, r);
		for (int i = 0; i < promised.nterms; i++)
			worst.refused[i] += refuses(story, &promised, i, &set, r);
		refused += !principle_allows(&promised, tally_of(story, &set, r));
	}
	return !any ? story->nclasses[r] == 0 :
		found.records == least.records && (promised.joint || found.values == least.values) &&
		seen_size(&seen->release[r], found.fewest) == found.records && is_worst(&worst, &promised, &found) &&
		count_refused_classes(seen, r, &promised, NULL) == refused;
}

/* Adds an individual whose atom some releases show in a way that is not allowed. */
static bool
count_individual(const Story *story, const Principle *promised, int t, Worst *worst)
{
	Set			set = atom_of(story, t);
	bool		refused = false;
	bool		by[NPRINCIPLES] = {false};

	for (int r = 0; r < story->releases; r++)
	{
		if (story->class_in[r][t] == ABSENT)
			continue;
		find_worst(story, worst, promised, &set, r);
		refused |= !principle_allows(promised, tally_of(story, &set, r));
		for (int i = 0; i < promised->nterms; i++)
			by[i] |= refuses(story, promised, i, &set, r);
	}
	for (int i = 0; i < promised->nterms; i++)
		worst->refused[i] += by[i];
	return refused;
}

static bool
is_nowhere(const Story *story, int t)
{
	int			r = 0;

	while (r < story->releases && story->class_in[r][t] == ABSENT)
		r++;
	return r == story->releases;
}

static bool
smallest_is_as_defined(const Story *story)
{
	const Seen *seen = see_story(story);
	const Atoms *atoms = atoms_of(seen);
	const Aspects *aspects = aspects_of_story(story);
	Principle	promised = principle_bound(&story->promised[0], story->nvalues, aspects);
	Smallest	found;
	Worst		worst = {0};
	uint64		records = PG_UINT64_MAX;
	uint32		values = PG_UINT32_MAX;
	uint64		refused = 0;
	bool		any = false;

	for (int t = 0; t < story->individuals; t++)
	{
		Set			set = atom_of(story, t);

		if (is_nowhere(story, t))
			continue;
		any = true;
		records = Min(records, size_of(story, &set));
		values = Min(values, fewest_values(story, t));
		refused += count_individual(story, &promised, t, &worst);
	}
	for (int r = 0; r < story->releases; r++)
		if (!classes_are_as_defined(story, seen, r))
			return false;
	if (smallest_atoms(seen, atoms, 0, aspects, &promised, &found) != any)
		return false;
	return !any || (found.records == records && (promised.joint || values == PG_UINT32_MAX || found.values == values) &&
					count_refused(seen, atoms, &promised) == refused && is_worst(&worst, &promised, &found));
}

/* ---- Random histories ---- */

/* Conditions, each of which many small sets satisfy. */
static Principle
any_principle(void)
{
	int64		params[NPRINCIPLE_PARAMS];

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	if (any_below(3) == 0)
		params[PRINCIPLE_frequency] = PARAM_SCALE + any_below(2 * PARAM_SCALE);
	if (any_below(3) == 0)
		params[PRINCIPLE_entropy] = PARAM_SCALE + any_below(2 * PARAM_SCALE);
	if (any_below(3) == 0)
		params[PRINCIPLE_recursive] = 1 + any_below(3);
	if (any_below(3) == 0)
		params[PRINCIPLE_t] = any_below(PARAM_SCALE);
	if (any_below(3) == 0)
		params[PRINCIPLE_beta] = any_below(9 * PARAM_SCALE);
	if (any_below(3) == 0)
		params[PRINCIPLE_delta] = 1 + any_below(4 * PARAM_SCALE);
	params[PRINCIPLE_C] = 1 + any_below(4 * PARAM_SCALE);
	params[PRINCIPLE_DISTANCE] = any_below(3);
	params[PRINCIPLE_JOINT] = any_below(2);
	return principle_declared(1 + any_below(3), 1 + any_below(3), params);
}

/* How common values are among all people; some may not occur. */
static void
tell_shares(Story *story)
{
	double		all = 0;

	for (Code value = 0; value < story->nvalues + UNSHOWN; value++)
		all += story->share[value] = any_below(6);
	for (Code value = 0; value < story->nvalues + UNSHOWN && all > 0; value++)
		story->share[value] /= all;
}

static void
tell_release(Story *story, int r, int classes, int percent)
{
	story->nclasses[r] = classes;
	story->promised[r] = story->naspects == 0 ? principle_k_l(1 + any_below(3), 1 + any_below(3)) :
		r > 0 && any_below(2) == 0 ? story->promised[r - 1] : any_principle();
	for (int t = 0; t < story->individuals; t++)
	{
		story->class_in[r][t] = classes > 0 && (int) any_below(100) < percent ? (int) any_below(classes) : ABSENT;
		story->value[r][t] = any_below(10) == 0 || story->nvalues == 0 ? NO_CODE : any_below(story->nvalues);
	}
}

/* Classes that part those of the release before, as a method would. */
static void
refine_release(Story *story, int r)
{
	int			split = 1 + any_below(3);

	story->nclasses[r] = 0;
	for (int t = 0; t < story->individuals; t++)
		if (r > 0 && story->class_in[r - 1][t] != ABSENT && story->class_in[r][t] != ABSENT)
			story->class_in[r][t] = story->class_in[r - 1][t] * split + t % split;
	for (int t = 0; t < story->individuals; t++)
		story->nclasses[r] = Max(story->nclasses[r], story->class_in[r][t] + 1);
}

static void
tell_story(Story *story, Code nvalues, int naspects)
{
	bool		refines = any_below(2) == 0;

	*story = (Story) {.releases = 1 + any_below(MAX_RELEASES),.individuals = 1 + any_below(MAX_INDIVIDUALS),.nvalues = nvalues, .naspects = naspects};
	tell_shares(story);
	for (int r = 0; r < story->releases; r++)
	{
		tell_release(story, r, any_below(8), 30 + any_below(71));
		if (refines)
			refine_release(story, r);
	}
}

static void
check_stories(int n, Code most_values, int naspects)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "story", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Story		story;

	for (int i = 0; i < n; i++)
	{
		tell_story(&story, any_below(most_values + 1), naspects);
		check(is_as_defined(&story));
		check(smallest_is_as_defined(&story));
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static void
test_few_values(void)
{
	check_stories(3000, 8, 0);
}

static void
test_many_values(void)
{
	check_stories(3000, MAX_VALUES, 0);
}

static void
test_principles(void)
{
	check_stories(300, 5, 1);
	check_stories(50, MAX_VALUES, 1);
}

static void
test_columns(void)
{
	check_stories(300, 12, 2);
	check_stories(50, MAX_VALUES, 2);
}

/* ---- Edges ---- */

/* No release has a class, and there is none. */
static void
test_empty_releases(void)
{
	Story		story = {.releases = 5,.individuals = 20,.nvalues = 3};

	for (int r = 0; r < story.releases; r++)
		tell_release(&story, r, 0, 0);
	check(attack_story(&story)->n == 0);
	story.releases = 0;
	check(attack_story(&story)->n == 0);
}

/* A log that somebody has changed: the same row in two classes, or twice in one. */
static SeenRelease damaged = {
	.nclasses = 2,.individual = (Individual[]) {0, 1, 2, 0},.value = (Code[]) {0, 1, 0, 1},.counterfeit = (bool[]) {false, false, false, false}
};

static void
attack_damaged(void)
{
	Seen		seen = {.nreleases = 1,.release = &damaged,.nindividuals = 3,.nvalues = 2};
	Principle	promised = principle_k_l(1, 1);

	(void) attack(&seen, atoms_of(&seen), NULL, &promised);
}

static void
test_damaged_history(void)
{
	const char *message = "somebody is in a release twice";

	damaged.first = (uint64[]) {0, 2, 4};
	check(strcmp(error_of(attack_damaged), message) == 0);
	damaged.first = (uint64[]) {0, 4, 4};
	check(strcmp(error_of(attack_damaged), message) == 0);
	damaged.first = (uint64[]) {0, 2, 3};
	check(error_of(attack_damaged) == NULL);
}

static const Test tests[] = {
	{"random histories, few values", test_few_values},
	{"random histories, many values", test_many_values},
	{"principles", test_principles},
	{"several columns", test_columns},
	{"empty releases", test_empty_releases},
	{"a damaged history", test_damaged_history},
};

RUN(tests)
