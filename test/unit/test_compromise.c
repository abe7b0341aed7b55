/*
 * test_compromise.c
 *		What observers deduce who know some people: the paper's examples, and
 *		random histories beside all worlds that agree with them.
 */
#include "shim.h"

#include "audit/compromise.h"

#define MAX_PEOPLE	9
#define MAX_RELEASES 3
#define AMPLE		100000000	/* steps: more than any search here takes */

/* A release of classes that are given as rows of individuals, NO_INDIVIDUAL ending each. */
static void
add_release(Seen *seen, const Individual *individuals, int n, const Code *value_of)
{
	SeenRelease *release = &seen->release[seen->nreleases++];

	release->first = palloc0(sizeof(uint64) * (n + 1));
	release->individual = palloc(sizeof(Individual) * (n + 1));
	release->value = palloc(sizeof(Code) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		uint64		rows;

		if (individuals[i] == NO_INDIVIDUAL)
		{
			release->nclasses++;
			continue;
		}
		rows = i == 0 || individuals[i - 1] == NO_INDIVIDUAL ? release->first[release->nclasses] : release->first[release->nclasses + 1];
		release->individual[rows] = individuals[i];
		release->value[rows] = value_of[individuals[i]];
		release->first[release->nclasses + 1] = rows + 1;
	}
}

static Seen *
seen_create(uint64 nindividuals, Code nvalues)
{
	Seen	   *seen = palloc0(sizeof(Seen));

	seen->nindividuals = nindividuals;
	seen->nvalues = nvalues;
	seen->release = palloc0(sizeof(SeenRelease) * MAX_RELEASES);
	return seen;
}

/* ---- Table 1 ---- */

enum
{
	CANCER, BRONCHITIS, AIDS
};
enum
{
	ALICE, BETTY, CARL, DORIS, ERICA, FIONA, GRACE, HANNA
};

static Seen *
table_1(void)
{
	static const Code value_of[] = {CANCER, BRONCHITIS, AIDS, CANCER, AIDS, BRONCHITIS, BRONCHITIS, CANCER};
	static const Individual first[] = {ALICE, BETTY, CARL, NO_INDIVIDUAL, DORIS, ERICA, FIONA, NO_INDIVIDUAL};
	static const Individual second[] = {CARL, DORIS, FIONA, NO_INDIVIDUAL, ERICA, GRACE, HANNA, NO_INDIVIDUAL};
	Seen	   *seen = seen_create(8, 3);

	add_release(seen, first, lengthof(first), value_of);
	add_release(seen, second, lengthof(second), value_of);
	return seen;
}

typedef struct Found
{
	int			n;
	Correlation correlation[64];
} Found;

static void
note(void *what, const Correlation *correlation)
{
	Found	   *found = what;

	if (found->n < (int) lengthof(found->correlation))
		found->correlation[found->n] = *correlation;
	found->n++;
}

/* Carl with Erica, Alice and Betty with Doris and Fiona; and through class 4, Doris and Fiona with Grace and Hanna. */
static void
correlates_as_example_1_says(void)
{
	Found		found = {0};

	find_correlations(statistics_of(table_1(), NULL), PG_UINT32_MAX, note, &found);
	check(found.n == 3);
	check(found.correlation[0].a.class == 0 && found.correlation[0].b.class == 0 && found.correlation[0].unmatched == 2);
	check(found.correlation[1].a.class == 1 && found.correlation[1].b.class == 0 && found.correlation[1].unmatched == 1);
	check(found.correlation[2].a.class == 1 && found.correlation[2].b.class == 1 && found.correlation[2].unmatched == 2);
	found.n = 0;
	find_correlations(statistics_of(table_1(), NULL), 1, note, &found);
	check(found.n == 1);
}

static bool
has_candidate(const Deduction *deduction, Individual t, Code value)
{
	const Spell *spell = &deduction->spell[deduction->first[t]];

	for (uint32 i = 0; i < spell->n; i++)
		if (spell->candidate[i] == value)
			return true;
	return false;
}

static uint32
count_candidates(const Deduction *deduction, Individual t)
{
	return deduction->spell[deduction->first[t]].n;
}

static bool
is_exact(const Deduction *deduction, Individual t)
{
	return deduction->spell[deduction->first[t]].is_exact;
}

/* Examples 1, 2 and 4: who knows Carl, knows Erica, and that Doris and Fiona have no AIDS. */
static void
deduces_as_examples_1_2_and_4_say(void)
{
	static const Individual known[] = {CARL};
	const Seen *seen = table_1();
	const Deduction *deduction = deduce(seen, known, 1, 0, AMPLE);

	check(count_candidates(deduction, ERICA) == 1 && has_candidate(deduction, ERICA, AIDS));
	check(count_candidates(deduction, DORIS) == 2 && !has_candidate(deduction, DORIS, AIDS));
	check(count_candidates(deduction, FIONA) == 2 && !has_candidate(deduction, FIONA, AIDS));
	check(count_candidates(deduction, GRACE) == 2 && !has_candidate(deduction, GRACE, AIDS));
	deduction = deduce(seen, NULL, 0, 0, AMPLE);
	for (Individual t = 0; t < 8; t++)
		check(count_candidates(deduction, t) == 3 && deduction->spell[deduction->first[t]].nshown == 3);
}

/* Example 3: {1, 2, 3, 4} and {1, 2, 5, 6}. */
static void
correlates_as_example_3_says(void)
{
	static const Code value_of[] = {0, 1, 2, 3, 3, 2};
	static const Individual first[] = {0, 1, 2, 3, NO_INDIVIDUAL};
	static const Individual second[] = {0, 1, 4, 5, NO_INDIVIDUAL};
	Seen	   *seen = seen_create(6, 4);
	Found		found = {0};

	add_release(seen, first, lengthof(first), value_of);
	add_release(seen, second, lengthof(second), value_of);
	find_correlations(statistics_of(seen, NULL), PG_UINT32_MAX, note, &found);
	check(found.n == 1 && found.correlation[0].unmatched == 2);
}

/* ---- Random histories ---- */

static int
rows_with(const SeenRelease *release, uint32 c, Code value, const Code *value_of)
{
	int			n = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		n += (value_of == NULL ? release->value[i] : value_of[release->individual[i]]) == value;
	return n;
}

/* Would every class show what it does, if people had these values? */
static bool
is_world(const Seen *seen, const Code *value_of)
{
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			for (Code v = 0; v < seen->nvalues; v++)
				if (rows_with(&seen->release[r], c, v, NULL) != rows_with(&seen->release[r], c, v, value_of))
					return false;
	return true;
}

/* possible[t][v]: in some world where those who are known have their values. */
static void
find_possible(const Seen *seen, const Code *truth, const bool *is_known, bool possible[MAX_PEOPLE][4])
{
	Code		value_of[MAX_PEOPLE] = {0};

	for (;;)
	{
		bool		agrees = true;
		uint64		t = 0;

		for (uint64 i = 0; i < seen->nindividuals && agrees; i++)
			agrees = !is_known[i] || value_of[i] == truth[i];
		if (agrees && is_world(seen, value_of))
			for (uint64 i = 0; i < seen->nindividuals; i++)
				possible[i][value_of[i]] = true;
		while (t < seen->nindividuals && ++value_of[t] == seen->nvalues)
			value_of[t++] = 0;
		if (t == seen->nindividuals)
			return;
	}
}

static void
draw_history(Seen *seen, const Code *truth)
{
	Individual		individuals[MAX_PEOPLE * 2];
	int			n = 0;
	int			since = 0;

	for (Individual t = 0; t < seen->nindividuals; t++)
	{
		if (seen->nreleases > 0 && any_below(4) == 0)
			continue;
		individuals[n++] = t;
	}
	for (int i = 0; i < n; i++)
	{
		int			j = i + any_below(n - i);
		Individual		swap = individuals[i];

		individuals[i] = individuals[j];
		individuals[j] = swap;
	}
	for (int i = n - 1; i >= 0; i--, since++)
		if (i == n - 1 || (since >= 2 && any_below(2) == 0))
		{
			memmove(individuals + i + 2, individuals + i + 1, sizeof(Individual) * (n - i - 1));
			individuals[i + 1] = NO_INDIVIDUAL;
			n++;
			since = 0;
		}
	add_release(seen, individuals, n, truth);
}

/* A random history, some of whose people are known, and what is possible in it */
typedef struct Secret
{
	Seen	   *seen;
	Individual		known[MAX_PEOPLE];
	uint64		nknown;
	bool		possible[MAX_PEOPLE][4];
} Secret;

static Secret
draw_secret(int least)
{
	Secret		secret = {.seen = seen_create(least + any_below(5), 3)};
	Code		truth[MAX_PEOPLE];
	bool		is_known[MAX_PEOPLE] = {false};
	int			nreleases = least < 5 ? 1 + any_below(MAX_RELEASES) : MAX_RELEASES;

	for (uint64 t = 0; t < secret.seen->nindividuals; t++)
		truth[t] = any_below(secret.seen->nvalues);
	while (secret.seen->nreleases < nreleases)
		draw_history(secret.seen, truth);
	for (Individual t = 0; t < secret.seen->nindividuals; t++)
		if (any_below(4) == 0 && least < 5)
		{
			secret.known[secret.nknown++] = t;
			is_known[t] = true;
		}
	find_possible(secret.seen, truth, is_known, secret.possible);
	return secret;
}

/* Never what is possible, and all that is not. */
static void
deduces_what_is_in_no_world_and_nothing_else(void)
{
	int			excluded = 0;

	for (int i = 0; i < some_of(600); i++)
	{
		Secret		secret = draw_secret(3);
		Deduction  *deduction = deduce(secret.seen, secret.known, secret.nknown, 0, AMPLE);

		for (Individual t = 0; t < secret.seen->nindividuals; t++)
		{
			check(is_exact(deduction, t));
			for (Code v = 0; v < secret.seen->nvalues; v++)
			{
				check(has_candidate(deduction, t, v) == secret.possible[t][v]);
				excluded += !secret.possible[t][v];
			}
		}
	}
	check(excluded > some_of(500));
}

/* With a budget that ends somewhere: never what is possible, exact or not as it says, and never less than with a smaller one. */
static void
deduces_no_more_than_the_budget_allows(void)
{
	static const uint64 budgets[] = {0, 1, 50, 100, 150, 200, 300, 400, 600, 1000, 4000, AMPLE};
	int			times_exact[lengthof(budgets)] = {0};
	int			times_more = 0;

	for (int i = 0; i < some_of(600); i++)
	{
		Secret		secret = draw_secret(5);
		const Deduction *less = NULL;

		for (int b = 0; b < (int) lengthof(budgets); b++)
		{
			const Deduction *deduction = deduce(secret.seen, secret.known, secret.nknown, 0, budgets[b]);

			for (Individual t = 0; t < secret.seen->nindividuals; t++)
			{
				int			possible = 0;

				for (Code v = 0; v < secret.seen->nvalues; v++)
				{
					check(has_candidate(deduction, t, v) || !secret.possible[t][v]);
					check(less == NULL || has_candidate(less, t, v) || !has_candidate(deduction, t, v));
					possible += secret.possible[t][v];
				}
				check(!is_exact(deduction, t) || count_candidates(deduction, t) == (uint32) possible);
				check(less == NULL || is_exact(deduction, t) || !is_exact(less, t));
				times_exact[b] += is_exact(deduction, t);
				times_more += less != NULL && count_candidates(deduction, t) < count_candidates(less, t);
			}
			less = deduction;
		}
	}
	check(times_more > some_of(20));
	for (int b = 1; b < (int) lengthof(budgets); b++)
		check(times_exact[b] >= times_exact[b - 1]);
	check(times_exact[0] < times_exact[3] && times_exact[3] < times_exact[lengthof(budgets) - 1]);
}

/* ---- Tables that were made elsewhere ---- */

/* A release of classes of so many people each, who all have something else. */
static Seen *
large_classes(int nclasses, int size)
{
	int			people = nclasses * size;
	Individual	   *individuals = palloc(sizeof(Individual) * (people + nclasses));
	Code	   *value_of = palloc(sizeof(Code) * people);
	Seen	   *seen = seen_create(people, size);
	int			n = 0;

	for (Individual t = 0; t < (Individual) people; t++)
	{
		value_of[t] = t % size;
		individuals[n++] = t;
		if (t % size == (Individual) size - 1)
			individuals[n++] = NO_INDIVIDUAL;
	}
	add_release(seen, individuals, n, value_of);
	return seen;
}

/* However many there are in a class, nothing needs to be searched where it was published once, and no memory for each with each. */
static void
needs_no_search_for_one_release(void)
{
	enum
	{
		CLASSES = 3, SIZE = 2000
	};
	const Seen *seen = large_classes(CLASSES, SIZE);
	uint64		before = shim_allocated;
	const Deduction *deduction;

	shim_allocated_peak = before;
	deduction = deduce(seen, (Individual[]) {1, SIZE + 1, SIZE + 2}, 3, 0, 0);
	check(shim_allocated_peak - before < 300 * CLASSES * SIZE);
	for (Individual t = 0; t < CLASSES * SIZE; t++)
	{
		bool		is_known = t == 1 || t == SIZE + 1 || t == SIZE + 2;

		check(is_exact(deduction, t));
		check(count_candidates(deduction, t) == (is_known ? 1 : t < SIZE ? SIZE - 1 : t < 2 * SIZE ? SIZE - 2 : SIZE));
		check(deduction->spell[deduction->first[t]].nshown == SIZE);
	}
}

/*
 * Classes of two releases that all cross each other: these must be searched, and are found to tell
 * nothing.  The small component is known before the large one, though it comes later.
 */
static void
says_of_whom_it_ran_out_of_budget(void)
{
	enum
	{
		SIZE = 20, LARGE = SIZE * SIZE, SMALL = 4
	};
	static const Individual first_small[] = {LARGE, LARGE + 1, NO_INDIVIDUAL, LARGE + 2, LARGE + 3, NO_INDIVIDUAL};
	static const Individual second_small[] = {LARGE, LARGE + 2, NO_INDIVIDUAL, LARGE + 1, LARGE + 3, NO_INDIVIDUAL};
	static const Code small_value_of[] = {0, 1, 1, 0};
	Seen	   *seen = seen_create(LARGE + SMALL, SIZE);
	Individual		individuals[2][LARGE + SIZE + lengthof(first_small)];
	Code		value_of[LARGE + SMALL];
	const Deduction *deduction;
	int			n = 0;

	for (Individual t = 0; t < LARGE; t++)
	{
		value_of[t] = t % SIZE;
		individuals[0][n] = t;
		individuals[1][n++] = (t % SIZE) * SIZE + (t / SIZE + t) % SIZE;
		if (t % SIZE == SIZE - 1)
		{
			individuals[0][n] = NO_INDIVIDUAL;
			individuals[1][n++] = NO_INDIVIDUAL;
		}
	}
	memcpy(value_of + LARGE, small_value_of, sizeof(small_value_of));
	memcpy(individuals[0] + n, first_small, sizeof(first_small));
	memcpy(individuals[1] + n, second_small, sizeof(second_small));
	add_release(seen, individuals[0], lengthof(individuals[0]), value_of);
	add_release(seen, individuals[1], lengthof(individuals[1]), value_of);
	for (uint64 budget = 5000; budget <= AMPLE; budget += AMPLE - 5000)
	{
		deduction = deduce(seen, NULL, 0, 0, budget);
		for (Individual t = 0; t < LARGE; t++)
			check(is_exact(deduction, t) == (budget == AMPLE) && count_candidates(deduction, t) == SIZE);
		for (Individual t = LARGE; t < LARGE + SMALL; t++)
			check(is_exact(deduction, t) && count_candidates(deduction, t) == 2);
	}
}

/*
 * {A, B} show v and NULL, {B, C, D} NULL, v and w.  Where NULL is none of the candidates, A and B
 * are left with v, so that nobody else has it; but C has.
 */
static void
takes_null_for_something_that_is_shown(void)
{
	static const Code value_of[] = {0, NO_CODE, 0, 1};
	static const Individual first[] = {0, 1, NO_INDIVIDUAL};
	static const Individual second[] = {1, 2, 3, NO_INDIVIDUAL};
	Seen	   *seen = seen_create(4, 2);
	Code		null = 2;
	const Deduction *deduction;

	add_release(seen, first, lengthof(first), value_of);
	add_release(seen, second, lengthof(second), value_of);
	deduction = deduce(seen, NULL, 0, 0, AMPLE);
	check(count_candidates(deduction, 0) == 2 && has_candidate(deduction, 0, 0) && has_candidate(deduction, 0, null));
	check(count_candidates(deduction, 2) == 3);
	check(is_exact(deduction, 0) && is_exact(deduction, 2));
	deduction = deduce(seen, (Individual[]) {1}, 1, 0, AMPLE);
	check(count_candidates(deduction, 1) == 1 && has_candidate(deduction, 1, null));
	check(count_candidates(deduction, 0) == 1 && has_candidate(deduction, 0, 0));
	check(count_candidates(deduction, 2) == 2 && !has_candidate(deduction, 2, null));
}

static const Test tests[] = {
	{"correlates as Example 1 says", correlates_as_example_1_says},
	{"deduces as Examples 1, 2 and 4 say", deduces_as_examples_1_2_and_4_say},
	{"correlates as Example 3 says", correlates_as_example_3_says},
	{"deduces what is in no world and nothing else", deduces_what_is_in_no_world_and_nothing_else},
	{"deduces no more than the budget allows", deduces_no_more_than_the_budget_allows},
	{"needs no search for one release", needs_no_search_for_one_release},
	{"says of whom it ran out of budget", says_of_whom_it_ran_out_of_budget},
	{"takes NULL for something that is shown", takes_null_for_something_that_is_shown},
};

RUN(tests)
