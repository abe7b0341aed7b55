/*
 * test_absent.c
 *		Observers who know who is in the source when: what classes show of those
 *		who stay, who leave and who come back, where everybody keeps his value.
 *
 * Such an observer knows which of a class's rows are people's, and how many are
 * invented.  He asks of each person and value whether some way to deal values
 * to all of whom he knows agrees with all releases; he knows what invented rows
 * may show, too.  All ways are tried, and no code is shared with any method.
 */
#include "lives.h"

#define MOST_STEPS	20000

/* What a row of nobody can show is also what a person has whose row is his own. */
typedef struct Observer
{
	const World *world;
	int			nindividuals;		/* those that hang together with the one at hand */
	int			individual[MAX_INDIVIDUALS];
	Code		value[MAX_INDIVIDUALS];
	int			steps;
	int			left[MAX_RELEASES][MAX_INDIVIDUALS][NVALUES + 1];	/* rows of each class that nobody has been dealt */
	bool		is_true[MAX_INDIVIDUALS][MAX_RELEASES]; /* the individual's row there is its person's own */
} Observer;

static Observer observer;

static int
slot(Code value)
{
	return value == NO_CODE ? NVALUES : (int) value;
}

static void
note_true_rows(const World *world)
{
	const Classes *classes = world->draft->classes;

	for (uint64 i = 0; i < classes->first[classes->nclasses]; i++)
		observer.is_true[world->individual_of_row[classes->rows[i]]][world->releases - 1] = true;
}

/* Was the value shown before a release, or by a person in it whose value is not in question? */
static bool
is_known_otherwise(const World *world, int release, Code value)
{
	for (int t = 0; t < world->nindividuals; t++)
	{
		bool		in_question = false;

		for (int i = 0; i < observer.nindividuals; i++)
			in_question |= observer.individual[i] == t;
		for (int r = 0; r < release; r++)
			if (world->individuals[t].class_in[r] >= 0 && world->individuals[t].shown[r] == value)
				return true;
		if (!in_question && observer.is_true[t][release] && world->individuals[t].shown[release] == value)
			return true;
	}
	return false;
}

/* Does every row that is dealt to nobody show a value that somebody has shown? */
static bool
is_explained(const World *world)
{
	for (int i = 0; i < observer.nindividuals; i++)
	{
		int			t = observer.individual[i];
		int			first = 0;
		bool		explained = false;

		if (!world->individuals[t].invented)
			continue;
		while (world->individuals[t].class_in[first] < 0)
			first++;
		for (int j = 0; j < observer.nindividuals; j++)
			explained |= observer.is_true[observer.individual[j]][first] && observer.value[j] == observer.value[i];
		if (observer.value[i] == NO_CODE || (!explained && !is_known_otherwise(world, first, observer.value[i])))
			return false;
	}
	return true;
}

static bool
deal(int i, Code value)
{
	const World *world = observer.world;
	const Individual *individual = &world->individuals[observer.individual[i]];

	for (int r = 0; r < world->releases; r++)
		if (individual->class_in[r] >= 0 && observer.left[r][individual->class_in[r]][slot(value)] == 0)
			return false;
	for (int r = 0; r < world->releases; r++)
		if (individual->class_in[r] >= 0)
			observer.left[r][individual->class_in[r]][slot(value)]--;
	observer.value[i] = value;
	return true;
}

static void
take_back(int i)
{
	const Individual *individual = &observer.world->individuals[observer.individual[i]];

	for (int r = 0; r < observer.world->releases; r++)
		if (individual->class_in[r] >= 0)
			observer.left[r][individual->class_in[r]][slot(observer.value[i])]++;
}

/* Can all from i on be dealt values?  Who has tried for long believes it. */
static bool
can_be_dealt(int i)
{
	if (observer.steps++ > MOST_STEPS)
		return true;
	if (i == observer.nindividuals)
		return is_explained(observer.world);
	for (int v = 0; v <= NVALUES; v++)
	{
		Code		value = v == NVALUES ? NO_CODE : (Code) v;
		bool		done;

		if (!deal(i, value))
			continue;
		done = can_be_dealt(i + 1);
		take_back(i);
		if (done)
			return true;
	}
	return false;
}

static bool
share_class(const World *world, int t, int u)
{
	for (int r = 0; r < world->releases; r++)
		if (world->individuals[t].class_in[r] >= 0 && world->individuals[t].class_in[r] == world->individuals[u].class_in[r])
			return true;
	return false;
}

/* Whoever hangs together with somebody, who comes first, and invented rows last. */
static void
gather(const World *world, int t)
{
	bool		in[MAX_INDIVIDUALS] = {false};

	observer.world = world;
	observer.nindividuals = 0;
	observer.individual[observer.nindividuals++] = t;
	in[t] = true;
	for (int i = 0; i < observer.nindividuals; i++)
		for (int u = 0; u < world->nindividuals; u++)
			if (!in[u] && share_class(world, observer.individual[i], u))
			{
				in[u] = true;
				observer.individual[observer.nindividuals++] = u;
			}
	for (int i = 1, n = 1; i < observer.nindividuals; i++)
		if (!world->individuals[observer.individual[i]].invented)
		{
			int			swap = observer.individual[n];

			observer.individual[n++] = observer.individual[i];
			observer.individual[i] = swap;
		}
	memset(observer.left, 0, sizeof(observer.left));
	for (int i = 0; i < observer.nindividuals; i++)
		for (int r = 0; r < world->releases; r++)
		{
			const Individual *individual = &world->individuals[observer.individual[i]];

			if (individual->class_in[r] >= 0)
				observer.left[r][individual->class_in[r]][slot(individual->shown[r])]++;
		}
}

/* How many values can somebody have, for all that is out? */
static int
count_candidates(const World *world, int t)
{
	int			n = 0;

	gather(world, t);
	for (Code value = 0; value < NVALUES; value++)
	{
		observer.steps = 0;
		if (!deal(0, value))
			continue;
		n += can_be_dealt(1);
		take_back(0);
	}
	return n;
}

static bool
was_published(const World *world, int t)
{
	for (int r = 0; r < world->releases; r++)
		if (world->individuals[t].class_in[r] >= 0)
			return true;
	return false;
}

static int
count_found(const World *world)
{
	int			found = 0;

	for (int t = 0; t < world->nindividuals; t++)
		if (!world->individuals[t].invented && was_published(world, t))
			found += count_candidates(world, t) < world->params[1];
	return found;
}

static Draft *
draft(World *world)
{
	return bpg_method.draft(&world->frame, &world->past, world->params, below(1000000));
}

/* Some leave, some come back, few come. */
static void
come_and_go(World *world)
{
	for (int t = 0; t < world->nindividuals; t++)
		if (!world->individuals[t].invented && below(100) < 25)
			world->individuals[t].alive = !world->individuals[t].alive;
	add_people(world, below(4), NVALUES);
}

static int
live_static(World *world, int repair, int asked_percent)
{
	memset(world, 0, sizeof(World));
	memset(&observer, 0, sizeof(observer));
	world->params[0] = 2 + below(4);
	world->params[1] = 2 + below(2);
	world->params[2] = repair;
	world->params[3] = 1 + below(2);
	world->params[MAX_ADDED_AT] = below(3) == 0 ? below(PARAM_SCALE + 1) : PARAM_SCALE;
	add_people(world, 1 + below(14), 2 + below(NVALUES - 1));
	for (int r = 0; r < 5; r++)
	{
		release(world, asked_percent, draft);
		note_true_rows(world);
		come_and_go(world);
	}
	return count_found(world);
}

static void
observe(int repair, int asked_percent)
{
	World	   *world = malloc(sizeof(World));
	int			found = 0;
	uint64		nshown = 0;
	uint64		ninvented = 0;

	for (int life = 0; life < 150; life++)
	{
		found += live_static(world, repair, asked_percent);
		nshown += world->nshown;
		ninvented += world->ninvented;
	}
	free(world);
	printf("# " UINT64_FORMAT " rows shown, " UINT64_FORMAT " invented, %d people found\n", nshown, ninvented, found);
	check(nshown > 1000);
	check(found == 0);
	check((ninvented > 0) == (repair == 3));
}

static void
test_whole_tables(void)
{
	observe(2, 100);
	observe(3, 100);
}

static void
test_cohorts(void)
{
	observe(0, 60);
	observe(1, 60);
	observe(3, 60);
}

/* Is each value that the first four people showed first still in the class of one of them? */
static bool
all_stand(const World *world)
{
	for (int t = 0; t < 4; t++)
	{
		bool		stands = false;

		for (int u = 0; u < 4; u++)
			stands |= world->individuals[u].class_in[1] >= 0 && world->individuals[u].shown[1] == world->individuals[t].shown[0];
		if (!stands)
			return false;
	}
	return true;
}

/*
 * The values of all whom a class shows change, but for those who have left: were their values the ones that stay, they
 * would be found.  Beside rows that stand in for people no value changes.
 */
static void
test_all_change(void)
{
	World	   *world = malloc(sizeof(World));
	int			nshown = 0;
	int			nfound = 0;

	for (int life = 0; life < 200; life++)
	{
		int			stay = 1 + below(3);

		memset(world, 0, sizeof(World));
		world->params[0] = 4;
		world->params[1] = 3;
		world->params[2] = 3;
		world->params[3] = 1;
		add_people(world, 4, NVALUES);
		for (int t = 0; t < 4; t++)
			world->individuals[t].sensitive = t;
		release(world, 100, draft);
		for (int t = 0; t < 4; t++)
		{
			world->individuals[t].alive = t < stay;
			world->individuals[t].sensitive = 4 + t % 2;
		}
		add_people(world, 5, NVALUES);
		for (int t = 4; t < 9; t++)
			world->individuals[t].sensitive = t % NVALUES;
		release(world, 100, draft);
		for (int t = stay; t < 4; t++)
			nshown += world->individuals[t].class_in[1] >= 0;
		nfound += !all_stand(world);
	}
	free(world);
	printf("# %d rows stood in for people who had left, in %d of 200 lives a value changed beside them\n", nshown, nfound);
	check(nshown > 200);
	check(nfound == 0);
}

static const Test tests[] = {
	{"whole tables", test_whole_tables},
	{"cohorts", test_cohorts},
	{"all others' values change", test_all_change},
};

RUN(tests)
