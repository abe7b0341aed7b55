/*
 * test_compromise.c
 *		What observers deduce who know some people: the paper's examples, and
 *		random histories beside all worlds that agree with them.
 */
#include "shim.h"

#include "audit/compromise.h"
#include "audit/correlations.h"

#define MAX_PEOPLE	9
#define MAX_RELEASES 3

static uint64 random_state = 2009;

static uint32
draw(uint32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 20) % n;
}

/* A release of classes that are given as rows of threads, NO_THREAD ending each. */
static void
add_release(Seen *seen, const Thread *threads, int n, const Code *value_of)
{
	SeenRelease *release = &seen->release[seen->nreleases++];

	release->first = palloc0(sizeof(uint64) * (n + 1));
	release->thread = palloc(sizeof(Thread) * (n + 1));
	release->value = palloc(sizeof(Code) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		uint64		rows;

		if (threads[i] == NO_THREAD)
		{
			release->nclasses++;
			continue;
		}
		rows = i == 0 || threads[i - 1] == NO_THREAD ? release->first[release->nclasses] : release->first[release->nclasses + 1];
		release->thread[rows] = threads[i];
		release->value[rows] = value_of[threads[i]];
		release->first[release->nclasses + 1] = rows + 1;
	}
}

static Seen *
seen_create(uint64 nthreads, Code nvalues)
{
	Seen	   *seen = palloc0(sizeof(Seen));

	seen->nthreads = nthreads;
	seen->nvalues = nvalues;
	seen->release = palloc0(sizeof(SeenRelease) * MAX_RELEASES);
	return seen;
}

/* ----------------------------------------------------------------
 * Table 1
 * ----------------------------------------------------------------
 */

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
	static const Thread first[] = {ALICE, BETTY, CARL, NO_THREAD, DORIS, ERICA, FIONA, NO_THREAD};
	static const Thread second[] = {CARL, DORIS, FIONA, NO_THREAD, ERICA, GRACE, HANNA, NO_THREAD};
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

	find_correlations(statistics_of(table_1()), PG_UINT32_MAX, note, &found);
	check(found.n == 3);
	check(found.correlation[0].a.class == 0 && found.correlation[0].b.class == 0 && found.correlation[0].unmatched == 2);
	check(found.correlation[1].a.class == 1 && found.correlation[1].b.class == 0 && found.correlation[1].unmatched == 1);
	check(found.correlation[2].a.class == 1 && found.correlation[2].b.class == 1 && found.correlation[2].unmatched == 2);
	found.n = 0;
	find_correlations(statistics_of(table_1()), 1, note, &found);
	check(found.n == 1);
}

static bool
has_candidate(const Deduction *deduction, Thread t, Code value)
{
	for (uint32 i = 0; i < deduction->ncandidates[t]; i++)
		if (deduction->candidate[deduction->first[t] + i] == value)
			return true;
	return false;
}

/* Examples 1, 2 and 4: who knows Carl, knows Erica, and that Doris and Fiona have no AIDS. */
static void
deduces_as_examples_1_2_and_4_say(void)
{
	static const Thread known[] = {CARL};
	const Statistics *statistics = statistics_of(table_1());
	const Deduction *deduction = deduce(statistics, known, 1);

	check(deduction->ncandidates[ERICA] == 1 && has_candidate(deduction, ERICA, AIDS));
	check(deduction->ncandidates[DORIS] == 2 && !has_candidate(deduction, DORIS, AIDS));
	check(deduction->ncandidates[FIONA] == 2 && !has_candidate(deduction, FIONA, AIDS));
	check(deduction->ncandidates[GRACE] == 2 && !has_candidate(deduction, GRACE, AIDS));
	check(deduction->nbefore[ERICA] == 3);
	deduction = deduce(statistics, NULL, 0);
	for (Thread t = 0; t < 8; t++)
		check(deduction->ncandidates[t] == 3 && deduction->nbefore[t] == 3);
}

/* Example 3: {1, 2, 3, 4} and {1, 2, 5, 6}. */
static void
correlates_as_example_3_says(void)
{
	static const Code value_of[] = {0, 1, 2, 3, 3, 2};
	static const Thread first[] = {0, 1, 2, 3, NO_THREAD};
	static const Thread second[] = {0, 1, 4, 5, NO_THREAD};
	Seen	   *seen = seen_create(6, 4);
	Found		found = {0};

	add_release(seen, first, lengthof(first), value_of);
	add_release(seen, second, lengthof(second), value_of);
	find_correlations(statistics_of(seen), PG_UINT32_MAX, note, &found);
	check(found.n == 1 && found.correlation[0].unmatched == 2);
}

/* ----------------------------------------------------------------
 * Random histories
 * ----------------------------------------------------------------
 */

static int
times_shown(const SeenRelease *release, uint32 c, Code value, const Code *value_of)
{
	int			n = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		n += (value_of == NULL ? release->value[i] : value_of[release->thread[i]]) == value;
	return n;
}

/* Would every class show what it does, if people had these values? */
static bool
is_world(const Seen *seen, const Code *value_of)
{
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			for (Code v = 0; v < seen->nvalues; v++)
				if (times_shown(&seen->release[r], c, v, NULL) != times_shown(&seen->release[r], c, v, value_of))
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

		for (uint64 i = 0; i < seen->nthreads && agrees; i++)
			agrees = !is_known[i] || value_of[i] == truth[i];
		if (agrees && is_world(seen, value_of))
			for (uint64 i = 0; i < seen->nthreads; i++)
				possible[i][value_of[i]] = true;
		while (t < seen->nthreads && ++value_of[t] == seen->nvalues)
			value_of[t++] = 0;
		if (t == seen->nthreads)
			return;
	}
}

static void
draw_history(Seen *seen, const Code *truth)
{
	Thread		threads[MAX_PEOPLE * 2];
	int			n = 0;
	int			since = 0;

	for (Thread t = 0; t < seen->nthreads; t++)
	{
		if (seen->nreleases > 0 && draw(4) == 0)
			continue;
		threads[n++] = t;
	}
	for (int i = 0; i < n; i++)
	{
		int			j = i + draw(n - i);
		Thread		swap = threads[i];

		threads[i] = threads[j];
		threads[j] = swap;
	}
	for (int i = n - 1; i >= 0; i--, since++)
		if (i == n - 1 || (since >= 2 && draw(2) == 0))
		{
			memmove(threads + i + 2, threads + i + 1, sizeof(Thread) * (n - i - 1));
			threads[i + 1] = NO_THREAD;
			n++;
			since = 0;
		}
	add_release(seen, threads, n, truth);
}

/* Never what is possible; and as there are few people, all that is not. */
static void
deduces_what_is_in_no_world_and_nothing_else(void)
{
	int			excluded = 0;

	for (int i = 0; i < 400; i++)
	{
		Code		truth[MAX_PEOPLE];
		bool		is_known[MAX_PEOPLE] = {false};
		bool		possible[MAX_PEOPLE][4] = {{false}};
		Seen	   *seen = seen_create(3 + draw(4), 3);
		int			nreleases = 1 + draw(MAX_RELEASES);
		Thread		known[MAX_PEOPLE];
		uint64		nknown = 0;
		Deduction  *deduction;

		for (uint64 t = 0; t < seen->nthreads; t++)
			truth[t] = draw(seen->nvalues);
		while (seen->nreleases < nreleases)
			draw_history(seen, truth);
		for (Thread t = 0; t < seen->nthreads; t++)
			if (draw(4) == 0)
			{
				known[nknown++] = t;
				is_known[t] = true;
			}
		find_possible(seen, truth, is_known, possible);
		deduction = deduce(statistics_of(seen), known, nknown);
		for (Thread t = 0; t < seen->nthreads; t++)
		{
			check(deduction->is_exact[t]);
			check((deduction->together[t] == NO_THREAD) == (deduction->ncandidates[t] == 1));
			for (Code v = 0; v < seen->nvalues; v++)
			{
				check(has_candidate(deduction, t, v) == possible[t][v]);
				excluded += !possible[t][v];
			}
		}
	}
	check(excluded > 500);
}

/* A class of three, and one of sixteen: too many for all of their worlds. */
static void
says_where_it_has_not_looked_at_all_worlds(void)
{
	enum
	{
		SMALL = 3, LARGE = 16
	};
	Thread		threads[SMALL + LARGE + 2];
	Code		value_of[SMALL + LARGE];
	Seen	   *seen = seen_create(SMALL + LARGE, SMALL + LARGE);
	const Deduction *deduction;
	int			n = 0;

	for (Thread t = 0; t < SMALL + LARGE; t++)
	{
		if (t == SMALL)
			threads[n++] = NO_THREAD;
		threads[n++] = t;
		value_of[t] = t;
	}
	threads[n++] = NO_THREAD;
	add_release(seen, threads, n, value_of);
	deduction = deduce(statistics_of(seen), NULL, 0);
	for (Thread t = 0; t < SMALL + LARGE; t++)
	{
		check(deduction->is_exact[t] == (t < SMALL));
		check(deduction->together[t] != NO_THREAD && deduction->together[t] == deduction->together[t < SMALL ? 0 : SMALL]);
	}
	check(deduction->together[0] != deduction->together[SMALL]);
	/* Whoever knows three of them has few enough left. */
	deduction = deduce(statistics_of(seen), (Thread[]) {SMALL, SMALL + 1, SMALL + 2}, 3);
	for (Thread t = 0; t < SMALL + LARGE; t++)
		check(deduction->is_exact[t] && (deduction->together[t] == NO_THREAD) == (t >= SMALL && t < 2 * SMALL));
}

static const Test tests[] = {
	{"correlates as Example 1 says", correlates_as_example_1_says},
	{"deduces as Examples 1, 2 and 4 say", deduces_as_examples_1_2_and_4_say},
	{"correlates as Example 3 says", correlates_as_example_3_says},
	{"deduces what is in no world and nothing else", deduces_what_is_in_no_world_and_nothing_else},
	{"says where it has not looked at all worlds", says_where_it_has_not_looked_at_all_worlds},
};

int
main(void)
{
	return run_tests(tests, lengthof(tests));
}
