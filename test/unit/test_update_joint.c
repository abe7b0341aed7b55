/*
 * test_update_joint.c
 *		What observers conclude who follow everybody at once: the values of a
 *		version that are left in some world of all people and releases.
 *
 * Worlds are listed here one by one, without a look at how they are searched.
 */
#include "shim.h"

#include "audit/update/risk.h"
#include "frame/update_sets.h"

#define MAX_PEOPLE		9
#define MAX_RELEASES	5
#define MAX_VALUES		12
#define DRAWN_VALUES	4
#define MAX_ROWS		27
#define NOBODY			(-1)
#define PLENTY			UINT64CONST(1000000000)

/* A row of a release; classes are numbered in the order of their rows. */
typedef struct Row
{
	int			class;
	int			person;			/* or NOBODY: invented */
	Code		value;			/* or NO_CODE */
} Row;

typedef struct History
{
	int			npeople;
	int			nreleases;
	int			nvalues;
	bool		may[MAX_VALUES][MAX_VALUES];
	int			nrows[MAX_RELEASES];
	Row			row[MAX_RELEASES][MAX_ROWS];
} History;

static Updates *
updates_of(const History *history)
{
	Update		list[MAX_VALUES * MAX_VALUES];
	int			n = 0;

	for (int i = 0; i < history->nvalues; i++)
		for (int j = 0; j < history->nvalues; j++)
			if (history->may[i][j])
				list[n++] = (Update) {i, j, 0};
	return updates_create(history->nvalues, list, n, false);
}

static Seen *
seen_of(const History *history)
{
	Seen	   *seen = palloc0(sizeof(Seen));

	seen->nreleases = history->nreleases;
	seen->nvalues = history->nvalues;
	seen->nindividuals = history->npeople;
	seen->release = palloc0(sizeof(SeenRelease) * MAX_RELEASES);
	for (int r = 0; r < history->nreleases; r++)
	{
		SeenRelease *release = &seen->release[r];

		release->first = palloc0(sizeof(uint64) * (MAX_ROWS + 1));
		release->individual = palloc(sizeof(Individual) * MAX_ROWS);
		release->value = palloc(sizeof(Code) * MAX_ROWS);
		release->counterfeit = palloc(sizeof(bool) * MAX_ROWS);
		for (int i = 0; i < history->nrows[r]; i++)
		{
			const Row  *row = &history->row[r][i];

			release->nclasses = row->class + 1;
			release->first[row->class + 1] = i + 1;
			release->individual[i] = row->person == NOBODY ? seen->nindividuals++ : (Individual) row->person;
			release->value[i] = row->value;
			release->counterfeit[i] = row->person == NOBODY;
		}
	}
	return seen;
}

/* What is found of each version. */
typedef struct Found
{
	int			versions;
	int			unknown;
	uint32		candidates[MAX_PEOPLE][MAX_RELEASES];
	uint32		joint[MAX_PEOPLE][MAX_RELEASES];
} Found;

static void
note_version(void *what, const Version *version)
{
	Found	   *found = what;

	found->versions++;
	found->unknown += version->joint_candidates == NOT_KNOWN;
	found->candidates[version->individual][version->release] = version->candidates;
	found->joint[version->individual][version->release] = version->joint_candidates;
	check(version->joint_candidates == NOT_KNOWN || version->joint_candidates <= version->candidates);
}

static Found
find(const History *history, uint64 budget)
{
	Found		found = {0};

	(void) each_version(seen_of(history), updates_of(history), history->npeople, false, budget, note_version, &found);
	return found;
}

/* ----------------------------------------------------------------
 * All worlds
 * ----------------------------------------------------------------
 */

typedef struct Worlds
{
	const History *history;
	int			nworlds;
	Code		value[MAX_RELEASES][MAX_ROWS];	/* of people's rows, in the world at hand */
	bool		possible[MAX_RELEASES][MAX_ROWS][MAX_VALUES + 1];	/* NULL's comes last */
} Worlds;

static bool
may_become(const History *history, Code from, Code to)
{
	return from == NO_CODE || to == NO_CODE || history->may[from][to];
}

/* How many rows of a class, before row n, are shown with the value, or have it in the world at hand? */
static int
count_value(const Worlds *worlds, int r, int class, Code value, int n, bool in_world)
{
	int			count = 0;

	for (int i = 0; i < n; i++)
	{
		const Row  *row = &worlds->history->row[r][i];

		if (row->class != class || (in_world && row->person == NOBODY))
			continue;
		count += (in_world ? worlds->value[r][i] : row->value) == value;
	}
	return count;
}

/* A person's row in the last release before r that has one; false if there is none. */
static bool
find_before(const Worlds *worlds, int r, int person, Code *value)
{
	while (r-- > 0)
		for (int i = 0; i < worlds->history->nrows[r]; i++)
			if (worlds->history->row[r][i].person == person)
			{
				*value = worlds->value[r][i];
				return true;
			}
	return false;
}

static void
note_world(Worlds *worlds)
{
	worlds->nworlds++;
	for (int r = 0; r < worlds->history->nreleases; r++)
		for (int i = 0; i < worlds->history->nrows[r]; i++)
			worlds->possible[r][i][Min(worlds->value[r][i], MAX_VALUES)] = true;
}

static void
list_worlds(Worlds *worlds, int r, int i)
{
	const History *history = worlds->history;
	const Row  *row = &history->row[r][i];
	Code		before;

	if (r == history->nreleases)
		note_world(worlds);
	else if (i == history->nrows[r])
		list_worlds(worlds, r + 1, 0);
	else if (row->person == NOBODY)
		list_worlds(worlds, r, i + 1);
	else
		for (int v = 0; v <= history->nvalues; v++)
		{
			Code		value = v == history->nvalues ? NO_CODE : (Code) v;

			if (count_value(worlds, r, row->class, value, i, true) >=
				count_value(worlds, r, row->class, value, history->nrows[r], false) ||
				(find_before(worlds, r, row->person, &before) && !may_become(history, before, value)))
				continue;
			worlds->value[r][i] = value;
			list_worlds(worlds, r, i + 1);
		}
}

static uint32
count_possible(const Worlds *worlds, int r, int i)
{
	uint32		n = 0;

	for (int v = 0; v <= MAX_VALUES; v++)
		n += worlds->possible[r][i][v];
	return n;
}

/* Is what was found what all worlds say, wherever it is said to be known? */
static void
compare_with_worlds(const History *history, const Found *found)
{
	Worlds	   *worlds = palloc0(sizeof(Worlds));

	worlds->history = history;
	list_worlds(worlds, 0, 0);
	for (int r = 0; r < history->nreleases && worlds->nworlds > 0; r++)
		for (int i = 0; i < history->nrows[r]; i++)
		{
			const Row  *row = &history->row[r][i];

			if (row->person == NOBODY || row->value == NO_CODE || found->joint[row->person][r] == NOT_KNOWN)
				continue;
			check(found->joint[row->person][r] == count_possible(worlds, r, i));
		}
	pfree(worlds);
}

/* ----------------------------------------------------------------
 * Somebody whose value follows from everybody's classes
 * ----------------------------------------------------------------
 */

static void
add_row(History *history, int r, int class, int person, Code value)
{
	history->row[r][history->nrows[r]++] = (Row) {class, person, value};
}

/* Classes as in "2b-a 6a3b": a digit for each person, - for an invented row, and the value that it shows. */
static void
add_release(History *history, const char *text)
{
	int			r = history->nreleases++;
	int			class = 0;

	while (*text != '\0')
	{
		int			person;

		class += *text == ' ';
		text += *text == ' ';
		person = text[0] == '-' ? NOBODY : text[0] - '1';
		add_row(history, r, class, person, text[1] - 'a');
		history->npeople = Max(history->npeople, person + 1);
		text += 2;
	}
}

/* Nobody who was a is b again.  If the seventh were a in the third release, the sixth and second would both be a in the fifth. */
static void
test_one_candidate_is_left(void)
{
	History		history = {.nvalues = 2,.may = {{true, false}, {true, true}}};
	Found		found;

	add_release(&history, "2b-a 6a3b 1a-b 4a5b");
	add_release(&history, "4a5b 6a2b 1a3b");
	add_release(&history, "1a3b 4a5b 6a2b 8b-a 7b-a");
	add_release(&history, "4a-b 1a-b 5a2b 6a8b 7b3a");
	add_release(&history, "7b5a 1a9b 8b-a 6a2b");
	found = find(&history, PLENTY);
	check(found.versions == 35 && found.unknown == 0);
	check(found.candidates[6][2] == 2);
	check(found.joint[6][2] == 1);
	check(found.joint[8][4] == 2);
	compare_with_worlds(&history, &found);
}

/* If the first were b in the second release, the second would be a for ever, and the third b in both of its classes. */
static void
test_three_people(void)
{
	History		history = {.nvalues = 2,.may = {{true, false}, {true, true}}};
	Found		found;

	add_release(&history, "1b2a");
	add_release(&history, "1a3b");
	add_release(&history, "2a3b");
	found = find(&history, PLENTY);
	check(found.candidates[0][1] == 2 && found.joint[0][1] == 1);
	check(found.candidates[2][1] == 2 && found.joint[2][1] == 1);
	check(found.joint[0][0] == 2 && found.joint[1][0] == 2 && found.joint[1][2] == 2 && found.joint[2][2] == 2);
}

/*
 * No two values of a class can ever become the same.  Yet if the fourth had had d, he would be g in the second release, and the first and third h
 * and k, which were b and c; so the second would have had a, and be i, which is of the fifth or sixth, whoever of them had e.
 */
static void
test_strict_values_that_cross(void)
{
	static const char *const update[] = {"ag", "ai", "bh", "bj", "dg", "dj", "eh", "ei", "ck", "cl", "fk", "fl"};
	History		history = {.nvalues = MAX_VALUES};
	Found		found;

	for (int v = 0; v < MAX_VALUES; v++)
		history.may[v][v] = true;
	for (int i = 0; i < (int) lengthof(update); i++)
		history.may[update[i][0] - 'a'][update[i][1] - 'a'] = true;
	add_release(&history, "1a2c3b 4f5d6e");
	add_release(&history, "1g3h4k 2l5j6i");
	found = find(&history, PLENTY);
	check(found.candidates[3][0] == 3 && found.joint[3][0] == 1);
	check(found.candidates[1][1] == 3 && found.joint[1][1] == 1);
	check(found.joint[0][0] == 2);
	compare_with_worlds(&history, &found);
}

/* Classes with a value of each group of values that become each other: all people's groups may be exchanged. */
static void
test_one_value_of_each_group(void)
{
	enum
	{
		NGROUPS = 3,
		WIDTH = MAX_VALUES / NGROUPS
	};

	for (int run = 0; run < some_of(200); run++)
	{
		History		history = {.npeople = MAX_PEOPLE,.nvalues = MAX_VALUES,.nreleases = MAX_RELEASES};
		Found		found;

		for (int i = 0; i < MAX_VALUES; i++)
			for (int j = 0; j < MAX_VALUES; j++)
				history.may[i][j] = i / WIDTH == j / WIDTH;
		for (int r = 0; r < MAX_RELEASES; r++)
			for (int class = 0; class < MAX_PEOPLE / NGROUPS; class++)
				for (int group = 0; group < NGROUPS; group++)
				{
					/* Each class has another one of a group's three people in each release, or an invented row. */
					int			person = (class + r * group) % NGROUPS * NGROUPS + group;

					add_row(&history, r, class, any_below(5) == 0 ? NOBODY : person, group * WIDTH + any_below(WIDTH));
				}
		found = find(&history, PLENTY);
		check(found.unknown == 0);
		for (int p = 0; p < MAX_PEOPLE; p++)
			for (int r = 0; r < MAX_RELEASES; r++)
				check(found.joint[p][r] == found.candidates[p][r]);
	}
}

/* ----------------------------------------------------------------
 * Random histories
 * ----------------------------------------------------------------
 */

static void
draw_updates(History *history)
{
	int			kind = any_below(3);

	for (int i = 0; i < history->nvalues; i++)
		for (int j = 0; j < history->nvalues; j++)
			history->may[i][j] = i == j || (kind == 0 ? j < i : kind == 1 ? i / 2 == j / 2 : any_below(3) == 0);
}

/* Those who are there, in classes of two or three rows or so, some of them invented. */
static void
draw_release(History *history, Code *value, bool is_legal)
{
	int			r = history->nreleases++;
	int			order[MAX_PEOPLE];
	int			left = 0;
	int			class = -1;

	for (int p = 0; p < history->npeople; p++)
		order[p] = p;
	for (int p = 0; p < history->npeople; p++)
	{
		int			other = p + any_below(history->npeople - p);
		int			person = order[other];
		Code		to = any_below(history->nvalues);

		order[other] = order[p];
		if (any_below(6) == 0)
			continue;
		if (left-- == 0)
		{
			if (class >= 0 && any_below(3) == 0)
				add_row(history, r, class, NOBODY, any_below(history->nvalues));
			class++;
			left = any_below(2) + 1;
		}
		if (!is_legal || history->may[value[person]][to])
			value[person] = to;
		add_row(history, r, class, person, any_below(30) == 0 ? NO_CODE : value[person]);
	}
	if (class >= 0 && any_below(2) == 0)
		add_row(history, r, class, NOBODY, any_below(history->nvalues));
}

static History
draw_history(bool is_legal)
{
	History		history = {.npeople = 1 + any_below(6),.nvalues = 2 + any_below(DRAWN_VALUES - 1)};
	Code		value[MAX_PEOPLE];
	int			rounds = 1 + any_below(4);

	draw_updates(&history);
	for (int p = 0; p < history.npeople; p++)
		value[p] = any_below(history.nvalues);
	for (int r = 0; r < rounds; r++)
		draw_release(&history, value, is_legal);
	return history;
}

static void
test_beside_all_worlds(void)
{
	int			versions = 0;
	int			fewer = 0;

	for (int run = 0; run < some_of(5000); run++)
	{
		History		history = draw_history(true);
		Found		found = find(&history, PLENTY);

		check(found.unknown == 0);
		compare_with_worlds(&history, &found);
		versions += found.versions;
		for (int p = 0; p < history.npeople; p++)
			for (int r = 0; r < history.nreleases; r++)
				fewer += found.joint[p][r] < found.candidates[p][r];
	}
	printf("# %d of %d versions have fewer candidates than by themselves\n", fewer, versions);
	check(fewer * 10 > versions);
}

/* Where what was published cannot have been, nothing is said of those who hang together with it. */
static void
test_what_cannot_have_been(void)
{
	int			unknown = 0;
	int			known = 0;

	for (int run = 0; run < some_of(2000); run++)
	{
		History		history = draw_history(false);
		Found		found = find(&history, PLENTY);

		compare_with_worlds(&history, &found);
		unknown += found.unknown;
		known += found.versions - found.unknown;
	}
	check(unknown > 0 && known > 0);
}

/* ----------------------------------------------------------------
 * Budgets
 * ----------------------------------------------------------------
 */

static void
test_budgets(void)
{
	for (int run = 0; run < some_of(200); run++)
	{
		History		history = draw_history(true);
		Found		all = find(&history, PLENTY);
		bool		any_unknown = true;

		check(find(&history, 0).unknown == all.versions);
		for (uint64 budget = 1; any_unknown; budget += 1 + budget / 8)
		{
			Found		found = find(&history, budget);

			any_unknown = found.unknown > 0;
			for (int p = 0; p < history.npeople; p++)
				for (int r = 0; r < history.nreleases; r++)
					check(found.joint[p][r] == NOT_KNOWN || found.joint[p][r] == all.joint[p][r]);
		}
	}
}

/* Pairs of people who take others by the hand in turn: if one had the other value, so had everybody. */
static Seen *
chain_of(uint64 npeople)
{
	Seen	   *seen = palloc0(sizeof(Seen));

	seen->nreleases = 2;
	seen->nvalues = 2;
	seen->nindividuals = npeople;
	seen->release = palloc0(sizeof(SeenRelease) * 2);
	for (int r = 0; r < 2; r++)
	{
		SeenRelease *release = &seen->release[r];

		release->nclasses = npeople / 2;
		release->first = palloc(sizeof(uint64) * (npeople / 2 + 1));
		release->individual = palloc(sizeof(Individual) * npeople);
		release->value = palloc(sizeof(Code) * npeople);
		release->counterfeit = palloc0(sizeof(bool) * npeople);
		for (uint64 i = 0; i < npeople; i++)
		{
			release->first[i / 2] = i / 2 * 2;
			release->individual[i] = (i + r) % npeople;
			release->value[i] = release->individual[i] % 2;
		}
		release->first[npeople / 2] = npeople;
	}
	return seen;
}

typedef struct Counted
{
	uint64		versions;
	uint64		two;
	uint64		unknown;
} Counted;

static void
count_version(void *what, const Version *version)
{
	Counted    *counted = what;

	counted->versions++;
	counted->two += version->joint_candidates == 2;
	counted->unknown += version->joint_candidates == NOT_KNOWN;
}

static Counted
count_in_chain(uint64 npeople, uint64 budget)
{
	Update		list[] = {{0, 0, 0}, {1, 1, 0}};
	Counted		counted = {0};

	(void) each_version(chain_of(npeople), updates_create(2, list, 2, false), npeople, false, budget, count_version, &counted);
	check(counted.versions == npeople * 2);
	return counted;
}

/* All of them must change for one who does; a hundred times as many are not waited for. */
static void
test_large_components(void)
{
	Counted		found = count_in_chain(2000, PLENTY);
	Counted		too_many = count_in_chain(200000, 10000000);

	check(found.two == found.versions);
	check(too_many.unknown == too_many.versions);
}

/* The budget goes to those who hang together with few others first, whatever place they have. */
static void
test_small_components_first(void)
{
	History		history = {.nvalues = 2,.may = {{true, false}, {false, true}}};
	Found		found;

	add_release(&history, "1a2b 3a4b 5a6b 7a-b");
	add_release(&history, "1a4b 3a6b 5a2b 7a-b");
	found = find(&history, 150);
	check(found.joint[0][0] == NOT_KNOWN);
	check(found.joint[6][0] == 2 && found.joint[6][1] == 2);
}

static const Test tests[] = {
	{"one candidate is left", test_one_candidate_is_left},
	{"one of three people", test_three_people},
	{"strict values that cross", test_strict_values_that_cross},
	{"one value of each group", test_one_value_of_each_group},
	{"beside all worlds", test_beside_all_worlds},
	{"what cannot have been", test_what_cannot_have_been},
	{"budgets", test_budgets},
	{"large components", test_large_components},
	{"small components first", test_small_components_first},
};

int
main(void)
{
	return run_tests(tests, lengthof(tests));
}
