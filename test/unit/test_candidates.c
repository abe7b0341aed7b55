/*
 * test_candidates.c
 *		m-invariance and Cor-Split: random tables that people come to, leave, and
 *		come back to, judged after each release by the papers' definitions.
 *
 * Whoever judges here looks at all pairs of classes of all releases, and shares
 * no code with what makes them.
 */
#include "shim.h"

#include <math.h>

#include "audit/compromise.h"
#include "audit/invariance.h"
#include "frame/arrays.h"
#include "method/candidates/candidates.h"
#include "partition/buckets.h"

#define MAX_PEOPLE		400
#define MAX_RELEASES	9
#define MAX_CLASS		400
#define NQIS			2
#define NCODES			20
#define MAX_VALUES		12

/* A class as observers see it: people, and what its rows show; counterfeits are nobody's. */
typedef struct SeenClass
{
	int			npeople;
	int			person[MAX_CLASS];
	int			nvalues;
	Code		value[MAX_CLASS];
} SeenClass;

typedef struct SeenTable
{
	int			nclasses;
	SeenClass  *classes;
} SeenTable;

typedef struct World
{
	int			npeople;
	bool		alive[MAX_PEOPLE];
	Code		sensitive[MAX_PEOPLE];
	Code		code[NQIS][MAX_PEOPLE];
	Code		nvalues;
	int			releases;
	SeenTable	seen[MAX_RELEASES];
	uint64		invented;
	uint64		shown;

	Frame		frame;
	Domain		domain[NQIS];
	double		position[NCODES];
	int			nrows;
	int			person_of_row[MAX_PEOPLE];
	bool		is_careless;	/* takes all values for known from the beginning */
} World;

static void
make_frame(World *world)
{
	Frame	   *frame = &world->frame;

	world->nrows = 0;
	for (int p = 0; p < world->npeople; p++)
		if (world->alive[p])
			world->person_of_row[world->nrows++] = p;
	frame->nrows = world->nrows;
	frame->nqis = NQIS;
	frame->domain = world->domain;
	frame->code = palloc(sizeof(Code *) * NQIS);
	frame->nsensitive = world->nvalues;
	frame->sensitive = palloc(sizeof(Code) * (world->nrows + 1));
	for (int i = 0; i < NCODES; i++)
		world->position[i] = i;
	for (int q = 0; q < NQIS; q++)
	{
		world->domain[q] = (Domain) {.size = NCODES,.null_code = NO_CODE,.position = world->position};
		frame->code[q] = palloc(sizeof(Code) * (world->nrows + 1));
		for (int row = 0; row < world->nrows; row++)
			frame->code[q][row] = world->code[q][world->person_of_row[row]];
	}
	for (int row = 0; row < world->nrows; row++)
		frame->sensitive[row] = world->sensitive[world->person_of_row[row]];
}

static int
times(const SeenClass *class, Code value)
{
	int			n = 0;

	for (int i = 0; i < class->nvalues; i++)
		n += class->value[i] == value;
	return n;
}

static bool
has_person(const SeenClass *class, int person)
{
	for (int i = 0; i < class->npeople; i++)
		if (class->person[i] == person)
			return true;
	return false;
}

/* The last steps of everybody who is here. */
static Paths *
make_paths(const World *world)
{
	Paths	   *paths = palloc0(sizeof(Paths));
	int			nclasses = 0;
	int			nvalues = 0;
	int			nsteps = 0;

	for (int r = 0; r < world->releases; r++)
		for (int c = 0; c < world->seen[r].nclasses; c++)
		{
			nclasses++;
			nvalues += world->seen[r].classes[c].nvalues;
		}
	paths->first_value = palloc0(sizeof(uint64) * (nclasses + 2));
	paths->value = palloc(sizeof(Code) * (nvalues + MAX_VALUES + 1));
	paths->first = palloc0(sizeof(uint64) * (world->nrows + 1));
	paths->class = palloc(sizeof(uint32) * MAX_PEOPLE);
	paths->shown = palloc(sizeof(Code) * MAX_PEOPLE);
	/* Newest first, as they are found. */
	for (int r = world->releases - 1; r >= 0; r--)
		for (int c = 0; c < world->seen[r].nclasses; c++)
		{
			const SeenClass *class = &world->seen[r].classes[c];

			memcpy(paths->value + paths->first_value[paths->nclasses], class->value, sizeof(Code) * class->nvalues);
			paths->first_value[paths->nclasses + 1] = paths->first_value[paths->nclasses] + class->nvalues;
			paths->nclasses++;
		}
	if (world->is_careless)
	{
		for (Code v = 0; v < world->nvalues; v++)
			paths->value[paths->first_value[paths->nclasses] + v] = v;
		paths->first_value[paths->nclasses + 1] = paths->first_value[paths->nclasses] + world->nvalues;
		paths->nclasses++;
	}
	for (int row = 0; row < world->nrows; row++)
	{
		int			begin = nsteps;

		for (int r = 0; r < world->releases; r++)
		{
			int			base = 0;

			for (int later = world->releases - 1; later > r; later--)
				base += world->seen[later].nclasses;
			for (int c = 0; c < world->seen[r].nclasses; c++)
				for (int i = 0; i < world->seen[r].classes[c].npeople; i++)
					if (world->seen[r].classes[c].person[i] == world->person_of_row[row])
					{
						nsteps = begin;
						paths->class[nsteps] = base + c;
						paths->shown[nsteps++] = world->frame.sensitive[row];
					}
		}
		paths->first[row + 1] = nsteps;
	}
	return paths;
}

/* Who is here of each class that anybody was in, unless they are too few to matter: the newest first, as they are found. */
static const Companies *
make_companies(const World *world, int degree)
{
	CompanyFinder *finder = companies_begin(world->nrows);

	for (int r = world->releases - 1; r >= 0; r--)
		for (int c = 0; c < world->seen[r].nclasses; c++)
		{
			const SeenClass *class = &world->seen[r].classes[c];
			RowId		rows[MAX_CLASS];
			uint32		n = 0;
			int			different = 0;

			for (int row = 0; row < world->nrows; row++)
				if (has_person(class, world->person_of_row[row]))
				{
					companies_count(finder, row);
					rows[n++] = row;
				}
			for (Code v = 0; v < world->nvalues; v++)
				different += times(class, v) > 0;
			if ((int) n + degree > different)
				companies_add(finder, rows, n);
		}
	return companies_end(finder);
}

static void
see(World *world, const Classes *classes)
{
	SeenTable  *table = &world->seen[world->releases++];

	table->nclasses = classes->nclasses;
	table->classes = palloc0(sizeof(SeenClass) * (classes->nclasses + 1));
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		SeenClass  *class = &table->classes[c];

		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			class->person[class->npeople++] = world->person_of_row[classes->rows[i]];
			class->value[class->nvalues++] = world->frame.sensitive[classes->rows[i]];
		}
		for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
			class->value[class->nvalues++] = classes->counterfeit[classes->first_counterfeit[c] + i];
		world->invented += class_counterfeits(classes, c);
		world->shown += class->nvalues;
		sort_codes(class->value, class->nvalues);
	}
}

/* ---- Definitions ---- */

/* Definition 5, and m-uniqueness where once. */
static bool
is_unique(const SeenClass *class, Code nvalues, int m, bool once)
{
	int			different = 0;
	int			often = 0;

	for (Code v = 0; v < nvalues; v++)
	{
		int			n = times(class, v);

		if (n == 0)
			continue;
		different++;
		if (often == 0)
			often = n;
		if (n != often || (once && n > 1))
			return false;
	}
	return different >= m;
}

static bool
same_signature(const SeenClass *a, const SeenClass *b, Code nvalues)
{
	for (Code v = 0; v < nvalues; v++)
		if ((times(a, v) > 0) != (times(b, v) > 0))
			return false;
	return true;
}

static bool
same_multiset(const SeenClass *a, const SeenClass *b, Code nvalues)
{
	for (Code v = 0; v < nvalues; v++)
		if (times(a, v) != times(b, v))
			return false;
	return true;
}

static int
in_common(const SeenClass *a, const SeenClass *b)
{
	int			n = 0;

	for (int i = 0; i < a->npeople; i++)
		n += has_person(b, a->person[i]);
	return n;
}

/* Everybody alive is in the last release once, and in cells that cover him. */
static bool
shows_everybody(const World *world, const Classes *classes)
{
	const SeenTable *last = &world->seen[world->releases - 1];

	for (int p = 0; p < world->npeople; p++)
	{
		int			n = 0;

		for (int c = 0; c < last->nclasses; c++)
			for (int i = 0; i < last->classes[c].npeople; i++)
				n += last->classes[c].person[i] == p;
		if (n != (world->alive[p] ? 1 : 0))
			return false;
	}
	for (uint32 c = 0; c < classes->nclasses; c++)
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			for (int q = 0; q < NQIS; q++)
				if (!span_contains(class_region(classes, c)[q], span_of(world->frame.code[q][classes->rows[i]])))
					return false;
	return true;
}

/* Of the last release against all: Definitions 6 and 7. */
static bool
is_invariant(const World *world, int m, bool once)
{
	const SeenTable *last = &world->seen[world->releases - 1];

	for (int c = 0; c < last->nclasses; c++)
	{
		if (last->classes[c].npeople == 0 || !is_unique(&last->classes[c], world->nvalues, m, once))
			return false;
		for (int r = 0; r < world->releases - 1; r++)
			for (int d = 0; d < world->seen[r].nclasses; d++)
				if (in_common(&last->classes[c], &world->seen[r].classes[d]) > 0 &&
					!same_signature(&last->classes[c], &world->seen[r].classes[d], world->nvalues))
					return false;
	}
	return true;
}

static int
count_unsafe(const World *world, int n)
{
	const SeenTable *last = &world->seen[world->releases - 1];
	int			unsafe = 0;

	for (int c = 0; c < last->nclasses; c++)
		for (int r = 0; r < world->releases - 1; r++)
			for (int d = 0; d < world->seen[r].nclasses; d++)
			{
				const SeenClass *a = &last->classes[c];
				const SeenClass *b = &world->seen[r].classes[d];
				int			common = in_common(a, b);

				unsafe += common > 0 && common < a->nvalues && a->nvalues - common < n &&
					same_multiset(a, b, world->nvalues);
			}
	return unsafe;
}

/* ---- Lives ---- */

static void
come(World *world, int n, uint32 skew)
{
	for (; n > 0 && world->npeople < MAX_PEOPLE; n--)
	{
		int			p = world->npeople++;

		world->alive[p] = true;
		world->sensitive[p] = skew > 0 && any_below(100) < skew ? 0 : any_below(world->nvalues);
		for (int q = 0; q < NQIS; q++)
			world->code[q][p] = any_below(NCODES);
	}
}

static void
live(World *world)
{
	uint32		leave = 5 + any_below(40);

	for (int p = 0; p < world->npeople; p++)
	{
		if (world->alive[p])
			world->alive[p] = any_below(100) >= leave;
		else
			world->alive[p] = any_below(100) < 10;
		if (any_below(100) < 5)
			world->code[any_below(NQIS)][p] = any_below(NCODES);
	}
	come(world, any_below(25), any_below(3) == 0 ? any_below(40) : 0);
}

static Draft *
draft_of(World *world, const Method *method, const int64 *params)
{
	Past		past = {.releases = world->releases};

	make_frame(world);
	past.paths = make_paths(world);
	if (method->declaration.degree != NULL)
		past.companies = make_companies(world, method->declaration.degree(params));
	return method->draft(&world->frame, &past, params, any_below(1000000));
}

static World *
world_create(int people, Code nvalues, uint32 skew)
{
	World	   *world = palloc0(sizeof(World));

	world->nvalues = nvalues;
	come(world, people, skew);
	return world;
}

static bool
somebody_has(const World *world, Code value)
{
	for (int row = 0; row < world->nrows; row++)
		if (world->frame.sensitive[row] == value)
			return true;
	return false;
}

/*
 * Could somebody in a class of the last release have the value, where invented rows show what other classes show, or
 * showed before?  (Here they also show some that nobody has: the frame knows these.)
 */
static bool
may_have(const World *world, const SeenClass *class, Code value)
{
	int			others = 0;		/* values that the other people of the class must have */

	for (Code v = 0; v < world->nvalues; v++)
	{
		bool		is_told = v == value || times(class, v) == 0 || !somebody_has(world, v);

		for (int r = 0; r < world->releases && !is_told; r++)
			for (int c = 0; c < world->seen[r].nclasses && !is_told; c++)
			{
				const SeenClass *other = &world->seen[r].classes[c];

				is_told = other != class && (r < world->releases - 1 || other->npeople > 0) && times(other, v) > 0;
			}
		others += !is_told;
	}
	return times(class, value) > 0 && others <= class->npeople - 1;
}

static bool
leaves_candidates(const World *world, int m)
{
	const SeenTable *last = &world->seen[world->releases - 1];

	for (int c = 0; c < last->nclasses; c++)
	{
		int			candidates = 0;

		for (Code v = 0; v < world->nvalues; v++)
			candidates += may_have(world, &last->classes[c], v);
		if (last->classes[c].npeople > 0 && candidates < m)
			return false;
	}
	return true;
}

static uint64 unsafe_classes;
static uint64 refused;
static uint64 found;
static uint64 released;

static void
live_under(const Method *method, const int64 *params, int m, int n, bool once)
{
	World	   *world = world_create(5 + any_below(80), m + any_below(MAX_VALUES - m + 1), any_below(4) == 0 ? any_below(60) : 0);

	while (world->releases < MAX_RELEASES)
	{
		Draft	   *draft = draft_of(world, method, params);

		if (world->nrows == 0)
			break;
		if (draft->refusal.kind != NOT_REFUSED)
		{
			refused++;
			found += draft->refusal.kind == REFUSED_FOUND;
			check(draft->refusal.kind == REFUSED_SKEW || draft->refusal.kind == REFUSED_FEW_VALUES || draft->refusal.kind == REFUSED_FOUND);
			break;
		}
		released++;
		see(world, draft->classes);
		check(shows_everybody(world, draft->classes));
		check(is_invariant(world, m, once));
		check(leaves_candidates(world, m));
		if (n > 0)
			check(count_unsafe(world, n) == 0);
		else
			unsafe_classes += count_unsafe(world, 2);
		live(world);
	}
}

static void
keeps_everybody_among_the_same_values(void)
{
	for (int i = 0; i < some_of(600); i++)
	{
		int			m = 1 + any_below(6);
		int64		params[] = {m, 0};

		live_under(&invariance_method, params, m, 0, true);
	}
	check(released > some_of(1500));
	check(found > 0);
	check(unsafe_classes > 100);	/* which is why there is cor-split */
}

/* Nobody comes, and most leave. */
static void
people_who_are_left_come_together(void)
{
	uint64		people = 0;
	uint64		invented = 0;

	for (int i = 0; i < some_of(20); i++)
	{
		int64		params[] = {4, 0};
		World	   *world = world_create(MAX_PEOPLE, 10, 0);

		for (int r = 0; r < 5; r++)
		{
			world->invented = 0;
			see(world, draft_of(world, &invariance_method, params)->classes);
			check(is_invariant(world, 4, true));
			people += r < 4 ? 0 : world->nrows;
			invented += r < 4 ? 0 : world->invented;
			for (int p = 0; p < world->npeople; p++)
				world->alive[p] &= any_below(100) < 75;
		}
	}
	check(invented < people);
}

static void
correlates_no_few_people(void)
{
	for (int i = 0; i < some_of(1500); i++)
	{
		int			m = 1 + any_below(6);
		int			n = 1 + any_below(m);
		int64		params[] = {m, n, PARAM_ABSENT, PARAM_ABSENT, PARAM_ABSENT, 0};

		live_under(&cor_split_method, params, m, n, false);
	}
}

/* ---- An attacker who knows somebody ---- */

/* The releases as auditors see them; counterfeits are individuals of their own. */
static Seen *
seen_of(const World *world)
{
	Seen	   *seen = palloc0(sizeof(Seen));
	Individual		invented = world->npeople;

	seen->nvalues = world->nvalues;
	seen->release = palloc0(sizeof(SeenRelease) * MAX_RELEASES);
	for (int r = 0; r < world->releases; r++)
	{
		const SeenTable *table = &world->seen[r];
		SeenRelease *release = &seen->release[seen->nreleases++];
		uint64		at = 0;
		int			rows = 0;

		for (int c = 0; c < table->nclasses; c++)
			rows += table->classes[c].nvalues;
		release->nclasses = table->nclasses;
		release->first = palloc0(sizeof(uint64) * (table->nclasses + 1));
		release->individual = palloc(sizeof(Individual) * (rows + 1));
		release->value = palloc(sizeof(Code) * (rows + 1));
		release->counterfeit = palloc0(sizeof(bool) * (rows + 1));
		for (int c = 0; c < table->nclasses; c++)
		{
			const SeenClass *class = &table->classes[c];
			int			left[MAX_VALUES];

			for (Code v = 0; v < world->nvalues; v++)
				left[v] = times(class, v);
			for (int i = 0; i < class->npeople; i++)
			{
				release->individual[at] = class->person[i];
				release->value[at] = world->sensitive[class->person[i]];
				left[release->value[at++]]--;
			}
			for (Code v = 0; v < world->nvalues; v++)
				for (; left[v] > 0; left[v]--)
				{
					release->individual[at] = invented++;
					release->counterfeit[at] = true;
					release->value[at++] = v;
				}
			release->first[c + 1] = at;
		}
	}
	seen->nindividuals = invented;
	return seen;
}

/* ---- An attacker who goes by the definitions ---- */

typedef struct Attacker
{
	const World *world;
	bool		is_known[MAX_PEOPLE];
	bool		is_excluded[MAX_PEOPLE][MAX_VALUES];
} Attacker;

/* Whose value is known, or was found out. */
static bool
is_settled(const Attacker *attacker, int person)
{
	int			left = 0;

	for (Code v = 0; v < attacker->world->nvalues; v++)
		left += !attacker->is_excluded[person][v];
	return left == 1;
}

static bool
exclude(Attacker *attacker, int person, Code value)
{
	if (attacker->is_excluded[person][value])
		return false;
	attacker->is_excluded[person][value] = true;
	return true;
}

/* Definition 2: a value all of whose rows in a class are known is nobody else's. */
static bool
apply_ct(Attacker *attacker, const SeenClass *class)
{
	bool		any = false;

	for (Code v = 0; v < attacker->world->nvalues; v++)
	{
		int			taken = 0;

		for (int i = 0; i < class->npeople; i++)
			taken += is_settled(attacker, class->person[i]) && !attacker->is_excluded[class->person[i]][v];
		for (int i = 0; i < class->npeople && taken >= times(class, v); i++)
			if (!is_settled(attacker, class->person[i]))
				any |= exclude(attacker, class->person[i], v);
	}
	return any;
}

/* Definition 4: what nobody of a set can have, nobody has of one that is correlated with it.  Counterfeits can have anything. */
static bool
apply_hc(Attacker *attacker, const SeenClass *from, const SeenClass *to)
{
	bool		any = false;

	if (in_common(from, to) == 0 || !same_multiset(from, to, attacker->world->nvalues) || from->npeople < from->nvalues)
		return false;
	for (Code v = 0; v < attacker->world->nvalues; v++)
	{
		bool		possible = false;

		for (int i = 0; i < from->npeople; i++)
			possible |= !has_person(to, from->person[i]) && !attacker->is_excluded[from->person[i]][v];
		for (int i = 0; i < to->npeople && !possible; i++)
			if (!has_person(from, to->person[i]))
				any |= exclude(attacker, to->person[i], v);
	}
	return any;
}

static bool
look_everywhere(Attacker *attacker)
{
	const World *world = attacker->world;
	bool		any = false;

	for (int r = 0; r < world->releases; r++)
		for (int c = 0; c < world->seen[r].nclasses; c++)
		{
			const SeenClass *class = &world->seen[r].classes[c];

			any |= apply_ct(attacker, class);
			for (int q = 0; q < world->releases; q++)
				for (int d = 0; d < world->seen[q].nclasses && q != r; d++)
					any |= apply_hc(attacker, class, &world->seen[q].classes[d]);
		}
	return any;
}

/* Everybody's candidates are what his classes show; of those who are known, one. */
static Attacker *
attacker_create(const World *world, int nknown)
{
	Attacker   *attacker = palloc0(sizeof(Attacker));

	attacker->world = world;
	for (int k = 0; k < nknown; k++)
		attacker->is_known[any_below(world->npeople)] = true;
	for (int r = 0; r < world->releases; r++)
		for (int c = 0; c < world->seen[r].nclasses; c++)
			for (int i = 0; i < world->seen[r].classes[c].npeople; i++)
			{
				int			p = world->seen[r].classes[c].person[i];

				for (Code v = 0; v < world->nvalues; v++)
					attacker->is_excluded[p][v] = attacker->is_known[p] ? v != world->sensitive[p] :
						times(&world->seen[r].classes[c], v) == 0;
			}
	return attacker;
}

/* How many people have lost a candidate that is the value of nobody who is known; *found: how many were found out. */
static uint64
lose_more_than_known(const World *world, int nknown, uint64 *found)
{
	Attacker   *attacker = attacker_create(world, nknown);
	const Attacker before = *attacker;
	uint64		more = 0;

	while (look_everywhere(attacker))
		;
	for (int p = 0; p < world->npeople; p++)
	{
		bool		lost = false;

		for (Code v = 0; v < world->nvalues; v++)
		{
			bool		of_known = false;

			for (int k = 0; k < world->npeople; k++)
				of_known |= before.is_known[k] && world->sensitive[k] == v;
			lost |= attacker->is_excluded[p][v] && !before.is_excluded[p][v] && !of_known;
		}
		check(!attacker->is_excluded[p][world->sensitive[p]]);
		more += lost;
		*found += is_settled(attacker, p) && !is_settled(&before, p);
	}
	return more;
}

/*
 * Whoever knows fewer than n people, and no more than leave two candidates: none of
 * the sets that are correlated is known whole, so that all he excludes are the
 * values of those whom he knows.  Plain m-invariance tells him of others.
 */
static void
tells_of_nobody_but_whom_the_attacker_knows(void)
{
	uint64		more = 0;
	uint64		found = 0;

	for (int i = 0; i < some_of(600); i++)
	{
		int			m = 3 + any_below(4);
		int			n = 2 + any_below(m - 2);
		int			nknown = 1 + any_below(n - 1);
		int64		plain[] = {m, 0};
		int64		safe[] = {m, n, PARAM_ABSENT, PARAM_ABSENT, PARAM_ABSENT, 0};

		for (int split = 0; split < 2; split++)
		{
			World	   *world = world_create(40, m + 1, 0);
			uint64		nobody = 0;

			while (world->releases < MAX_RELEASES)
			{
				Draft	   *draft = draft_of(world, split ? &cor_split_method : &invariance_method, split ? safe : plain);

				if (draft->refusal.kind != NOT_REFUSED || world->nrows == 0)
					break;
				see(world, draft->classes);
				for (int p = 0; p < world->npeople; p++)
					world->alive[p] = world->alive[p] ? any_below(100) >= 15 : any_below(100) < 10;
				come(world, 7, 0);
			}
			if (split)
			{
				check(lose_more_than_known(world, nknown, &nobody) == 0);
				check(nobody == 0);
			}
			else
				more += lose_more_than_known(world, nknown, &found);
		}
	}
	printf("# under m-invariance %lu people lost more than known values, %lu were found out\n", (unsigned long) more, (unsigned long) found);
	check(more > some_of(50) && found > some_of(50));
}

/* ---- An attacker who knows what can be invented ---- */

#define MOST_STEPS 2000000

/*
 * All worlds: each person has a value of each of his classes, no value is too often
 * in a class, and in the first release of each value somebody has it, since invented
 * rows only have values that are known.
 */
typedef struct Observer
{
	const World *world;
	int			nseen;
	int			person[MAX_PEOPLE];	/* [nseen] who was ever shown */
	Code		value[MAX_PEOPLE];	/* of persons, as far as they are chosen */
	bool		is_chosen[MAX_PEOPLE];
	int			first[MAX_VALUES];	/* release that shows a value first, or -1 */
	uint64		steps;
} Observer;

static bool
agrees_with_classes(const Observer *observer, int p)
{
	const World *world = observer->world;

	for (int r = 0; r < world->releases; r++)
		for (int c = 0; c < world->seen[r].nclasses; c++)
		{
			const SeenClass *class = &world->seen[r].classes[c];
			int			having = 0;

			if (!has_person(class, p))
				continue;
			for (int i = 0; i < class->npeople; i++)
				having += observer->is_chosen[class->person[i]] && observer->value[class->person[i]] == observer->value[p];
			if (having > times(class, observer->value[p]))
				return false;
		}
	return true;
}

/* Can a true row still have the value in its first release? */
static bool
may_be_known(const Observer *observer, Code v)
{
	const SeenTable *table = &observer->world->seen[observer->first[v]];

	for (int c = 0; c < table->nclasses; c++)
		for (int i = 0; i < table->classes[c].npeople && times(&table->classes[c], v) > 0; i++)
		{
			int			p = table->classes[c].person[i];

			if (!observer->is_chosen[p] || observer->value[p] == v)
				return true;
		}
	return false;
}

static bool
has_world(Observer *observer, int from)
{
	const World *world = observer->world;

	for (Code v = 0; v < world->nvalues; v++)
		if (observer->first[v] >= 0 && !may_be_known(observer, v))
			return false;
	while (from < observer->nseen && observer->is_chosen[observer->person[from]])
		from++;
	if (from == observer->nseen || ++observer->steps > MOST_STEPS)
		return true;
	for (Code v = 0; v < world->nvalues; v++)
	{
		int			p = observer->person[from];
		bool		found;

		observer->value[p] = v;
		observer->is_chosen[p] = true;
		found = agrees_with_classes(observer, p) && has_world(observer, from + 1);
		observer->is_chosen[p] = false;
		if (found)
			return true;
	}
	return false;
}

static bool
is_shown_truly(const World *world, int r, Code v)
{
	for (int c = 0; c < world->seen[r].nclasses; c++)
		for (int i = 0; i < world->seen[r].classes[c].npeople; i++)
			if (world->sensitive[world->seen[r].classes[c].person[i]] == v)
				return true;
	return false;
}

/* Returns how many values were shown first by invented rows alone: of these, nothing is concluded. */
static int
observe(Observer *observer, const World *world)
{
	int			unfounded = 0;

	*observer = (Observer) {.world = world};
	for (Code v = 0; v < world->nvalues; v++)
		observer->first[v] = -1;
	for (int r = world->releases - 1; r >= 0; r--)
		for (int c = 0; c < world->seen[r].nclasses; c++)
			for (int i = 0; i < world->seen[r].classes[c].nvalues; i++)
				observer->first[world->seen[r].classes[c].value[i]] = r;
	for (Code v = 0; v < world->nvalues; v++)
		if (observer->first[v] >= 0 && !is_shown_truly(world, observer->first[v], v))
		{
			observer->first[v] = -1;
			unfounded++;
		}
	for (int p = 0; p < world->npeople; p++)
		for (int r = 0, was_seen = false; r < world->releases && !was_seen; r++)
			for (int c = 0; c < world->seen[r].nclasses && !was_seen; c++)
				if (has_person(&world->seen[r].classes[c], p))
				{
					observer->person[observer->nseen++] = p;
					was_seen = true;
				}
	return unfounded;
}

/* The values that somebody has in some world. */
static int
count_candidates(Observer *observer, int p)
{
	int			n = 0;

	for (Code v = 0; v < observer->world->nvalues; v++)
	{
		observer->value[p] = v;
		observer->is_chosen[p] = true;
		n += agrees_with_classes(observer, p) && has_world(observer, 0);
		observer->is_chosen[p] = false;
	}
	return n;
}

static uint64 observed;
static uint64 not_observed;

static void
leaves_everybody_candidates(const World *world, int m)
{
	Observer	observer;

	check(observe(&observer, world) == 0);
	for (int i = 0; i < observer.nseen; i++)
	{
		observer.steps = 0;
		check(count_candidates(&observer, observer.person[i]) >= m);
		if (observer.steps > MOST_STEPS)
			not_observed++;
		else
			observed++;
	}
}

/* Few people, who often come with values that nobody had. */
static void
live_among_few(World *world)
{
	for (int p = 0; p < world->npeople; p++)
		world->alive[p] = world->alive[p] ? any_below(100) >= 20 : any_below(100) < 30;
	for (int p = 0; p < world->npeople; p++)
		world->code[any_below(NQIS)][p] = any_below(NCODES);
	if (any_below(3) == 0)
		for (int n = 1 + any_below(3), value = any_below(world->nvalues); n > 0 && world->npeople < 12; n--)
		{
			come(world, 1, 0);
			if (any_below(4) > 0)
				world->sensitive[world->npeople - 1] = value;
		}
	else if (world->npeople < 12)
		come(world, any_below(2), 0);
}

static void
leaves_candidates_to_who_knows_what_can_be_invented(void)
{
	uint64		lives = 0;
	uint64		vouched = 0;

	found = released = 0;
	for (int i = 0; i < some_of(4000); i++)
	{
		int			m = 2 + any_below(2);
		bool		split = any_below(3) == 0;
		int64		plain[] = {m, 0};
		int64		safe[] = {m, 1 + any_below(m), PARAM_ABSENT, PARAM_ABSENT, PARAM_ABSENT, 0};
		World	   *world = world_create(m + any_below(5), m + 1 + any_below(5), any_below(2) * 50);

		while (world->releases < MAX_RELEASES)
		{
			Draft	   *draft = draft_of(world, split ? &cor_split_method : &invariance_method, split ? safe : plain);

			if (world->nrows > 0 && draft->refusal.kind == NOT_REFUSED)
			{
				see(world, draft->classes);
				released++;
				vouched += draft->classes->first_counterfeit[draft->classes->nclasses] > 0;
			}
			found += draft->refusal.kind == REFUSED_FOUND;
			live_among_few(world);
			if (world->npeople >= 12 && any_below(4) == 0)
				break;
		}
		leaves_everybody_candidates(world, m);
		check(measure_first_shown(seen_of(world)).unvouched == 0);
		lives++;
	}
	printf("# %lu lives, %lu releases, %lu of them with invented rows, %lu refused; %lu people observed, %lu not\n", (unsigned long) lives,
		   (unsigned long) released, (unsigned long) vouched, (unsigned long) found, (unsigned long) observed, (unsigned long) not_observed);
	check(observed > some_of(10000) && not_observed * 100 < observed && found > some_of(100));
}

static World *
live_carelessly(int m)
{
	int64		params[] = {m, 0};
	World	   *world = world_create(m + any_below(4), m + 1 + any_below(3), any_below(2) * 50);

	world->is_careless = true;
	while (world->releases < 6)
	{
		Draft	   *draft = draft_of(world, &invariance_method, params);

		if (world->nrows > 0 && draft->refusal.kind == NOT_REFUSED)
			see(world, draft->classes);
		live_among_few(world);
		if (any_below(8) == 0)
			break;
	}
	return world;
}

/* Does the audit exclude just the values that somebody has in no world? */
static bool
excludes_the_same(const World *world, const Deduction *deduction, Observer *observer, int p, int known)
{
	const Spell *spell = &deduction->spell[deduction->first[p]];
	bool		same = true;

	if (known >= 0)
	{
		observer->value[known] = world->sensitive[known];
		observer->is_chosen[known] = true;
	}
	for (Code v = 0; v < world->nvalues && p != known; v++)
	{
		bool		is_candidate = false;

		for (uint32 k = 0; k < spell->n; k++)
			is_candidate |= spell->candidate[k] == v;
		observer->value[p] = v;
		observer->is_chosen[p] = true;
		observer->steps = 0;
		same &= is_candidate == (agrees_with_classes(observer, p) && has_world(observer, 0));
		same &= observer->steps <= MOST_STEPS;
		observer->is_chosen[p] = false;
	}
	if (known >= 0)
		observer->is_chosen[known] = false;
	return same;
}

/* Releases that do not vouch for new values, as the audit sees them. */
static void
finds_who_is_not_vouched_for(void)
{
	uint64		people = 0;
	uint64		below = 0;

	for (int i = 0; i < some_of(3000); i++)
	{
		int			m = 2 + any_below(2);
		World	   *world = live_carelessly(m);
		Observer	observer;
		Seen	   *seen;
		const Deduction *deduction;
		Individual		known;
		uint64		exposed = 0;

		(void) observe(&observer, world);
		while (observer.nseen > 0 && world->npeople > observer.person[observer.nseen - 1] + 1)
			world->npeople--;	/* who came last, and was not shown yet */
		if (observer.nseen == 0 || world->npeople > observer.nseen)
			continue;
		seen = seen_of(world);
		known = any_below(3) == 0 ? (Individual) world->seen[0].classes[0].person[0] : NO_INDIVIDUAL;
		deduction = deduce(seen, &known, known != NO_INDIVIDUAL, KNOWS_INVENTIONS, PG_UINT64_MAX);
		for (int k = 0; k < observer.nseen; k++)
		{
			int			p = observer.person[k];

			check(excludes_the_same(world, deduction, &observer, p, known == NO_INDIVIDUAL ? -1 : (int) known));
			exposed += deduction->spell[deduction->first[p]].n < (uint32) m;
			people++;
		}
		below += known == NO_INDIVIDUAL ? exposed : 0;
		check(known != NO_INDIVIDUAL || exposed == 0 || measure_first_shown(seen).unvouched > 0);
	}
	printf("# %lu people, %lu of them below m\n", (unsigned long) people, (unsigned long) below);
	check(below > 20);
}

/* ---- hcSafe ---- */

/* Figure 6, release by release. */
static bool
is_safe_by_figure_6(const World *world, const RowId *rows, int nrows, int size, int n)
{
	for (int r = 0; r < world->releases; r++)
	{
		int			l = 0;

		for (int c = 0; c < world->seen[r].nclasses; c++)
		{
			int			common = 0;

			for (int i = 0; i < nrows; i++)
				common += has_person(&world->seen[r].classes[c], world->person_of_row[rows[i]]);
			l = Max(l, common);
		}
		if (size - n < l && l < size && l > 0)
			return false;
	}
	return true;
}

/* Of any set of people that could be a class: it shows each of the values of one of the past. */
static void
asks_for_what_figure_6_asks(void)
{
	uint64		unsafe = 0;
	uint64		safe = 0;

	for (int i = 0; i < some_of(200); i++)
	{
		int			m = 2 + any_below(4);
		int			n = 1 + any_below(m);
		int64		params[] = {m, n, PARAM_ABSENT, PARAM_ABSENT, PARAM_ABSENT, 0};
		World	   *world = world_create(40, m, 0);	/* one signature */
		const Companies *companies;
		uint32	   *room;

		for (int r = 0; r < 4; r++)
		{
			Draft	   *draft = draft_of(world, &invariance_method, params);

			if (draft->refusal.kind != NOT_REFUSED)
				break;
			see(world, draft->classes);
			live(world);
		}
		make_frame(world);
		companies = make_companies(world, n);
		room = new_zeros(uint32, companies->n);
		for (int k = 0; k < 50 && world->nrows > 0; k++)
		{
			RowId		rows[MAX_CLASS];
			int			nrows = 0;
			int			near = any_below(world->nrows);
			int			size = m * (1 + any_below(2));

			while (nrows < size && nrows < world->nrows && any_below(12) > 0)
			{
				RowId		row = (near + any_below(3) + nrows) % world->nrows;
				bool		twice = false;

				for (int j = 0; j < nrows; j++)
					twice |= rows[j] == row;
				if (!twice)
					rows[nrows++] = row;
			}
			check((hc_excess(companies, rows, nrows, size, n, room) == 0) == is_safe_by_figure_6(world, rows, nrows, size, n));
			if (is_safe_by_figure_6(world, rows, nrows, size, n))
				safe++;
			else
				unsafe++;
		}
	}
	check(safe > some_of(1000) && unsafe > some_of(500));
}

/* ---- Counterfeits ---- */

/*
 * Where one value is too frequent, no other stands out for what is made up: each invented row has the value of somebody drawn by lot
 * among those who have another, so that six standard deviations are room enough for chance.
 */
static void
invents_what_people_have(void)
{
	int64		params[] = {4, 0};
	int			invented[MAX_VALUES] = {0};

	for (int i = 0; i < 20; i++)
	{
		World	   *world = world_create(MAX_PEOPLE, MAX_VALUES, 30);
		Draft	   *draft = draft_of(world, &invariance_method, params);
		uint64		n = draft->classes->first_counterfeit[draft->classes->nclasses];
		int			having[MAX_VALUES] = {0};
		int			of_world[MAX_VALUES] = {0};

		check(draft->refusal.kind == NOT_REFUSED);
		for (int row = 0; row < world->nrows; row++)
			having[world->frame.sensitive[row]]++;
		for (uint64 k = 0; k < n; k++)
			of_world[draft->classes->counterfeit[k]]++;
		for (Code v = 1; v < MAX_VALUES; v++)
		{
			double		share = (double) having[v] / (world->nrows - having[0]);

			check(fabs(of_world[v] - n * share) < 6 * sqrt(n * share * (1 - share)) + 1);
			invented[v] += of_world[v];
		}
		check(of_world[0] == 0);
	}
	for (Code v = 2; v < MAX_VALUES; v++)
		check(invented[v] > invented[1] / 2 && invented[v] < invented[1] * 2);
}

/* As many as the most frequent value asks for, and hardly more: new values that are not vouched for take some. */
static void
invents_hardly_more_than_must_be_at_first(void)
{
	uint64		least = 0;
	uint64		invented = 0;
	uint64		fewest = 0;

	for (int i = 0; i < some_of(500); i++)
	{
		int			m = 1 + any_below(6);
		int64		params[] = {m, 0};
		World	   *world = world_create(1 + any_below(120), m + any_below(MAX_VALUES - m + 1), any_below(50));
		Draft	   *draft = draft_of(world, &invariance_method, params);
		int			count[MAX_VALUES] = {0};
		int			most = 0;
		int			different = 0;

		for (int row = 0; row < world->nrows; row++)
			count[world->frame.sensitive[row]]++;
		for (Code v = 0; v < world->nvalues; v++)
		{
			most = Max(most, count[v]);
			different += count[v] > 0;
		}
		if (different < m)
		{
			check(draft->refusal.kind == REFUSED_FEW_VALUES && draft->refusal.rows == (uint64) different);
			continue;
		}
		if (most * m > 2 * world->nrows)
		{
			check(draft->refusal.kind == REFUSED_SKEW);
			check(count[draft->refusal.value] == most && draft->refusal.having == (uint64) most);
			continue;
		}
		if (draft->refusal.kind != NOT_REFUSED)
		{
			check(draft->refusal.kind == REFUSED_SKEW && (most + 1) * m > 2 * world->nrows - m);
			continue;
		}
		see(world, draft->classes);
		least += Max(0, most * m - world->nrows);
		invented += world->invented;
		fewest += world->invented == (uint64) Max(0, most * m - world->nrows);
	}
	printf("# %lu invented rows, %lu at least; %lu times no more\n", (unsigned long) invented, (unsigned long) least, (unsigned long) fewest);
	check(invented >= least && invented < least + least / 8);
}

static void
refuses_what_it_cannot_show(void)
{
	int64		params[] = {3, 0};
	int64		lifespan[] = {3, 2, PARAM_ABSENT, 1, PARAM_ABSENT, 0};
	World	   *world = world_create(30, 6, 0);
	Draft	   *draft = draft_of(world, &invariance_method, params);

	see(world, draft->classes);
	world->sensitive[3] = NO_CODE;
	make_frame(world);
	draft = draft_of(world, &invariance_method, params);
	check(draft->refusal.kind == REFUSED_NULLS && draft->refusal.rows == 1);
	check(draft->classes->nclasses == 0);
	draft = draft_of(world, &cor_split_method, lifespan);
	check(draft->refusal.kind == REFUSED_LIFESPAN && draft->refusal.rows == 30);
	world = world_create(4, 2, 0);
	draft = draft_of(world, &invariance_method, params);
	check(draft->refusal.kind == REFUSED_FEW_VALUES && draft->refusal.rows <= 2 && draft->refusal.limit == 3);
}

/* Of rows that live in one place, which values are beside somebody is drawn, whatever the order of the source. */
static void
deals_newcomers_by_lot(void)
{
	World	   *world = world_create(16, 3, 0);
	bool		are_beside[3] = {false};

	for (int p = 0; p < 16; p++)
	{
		world->sensitive[p] = p < 8 ? 0 : 1 + p % 2;
		for (int q = 0; q < NQIS; q++)
			world->code[q][p] = 0;
	}
	for (int i = 0; i < 30; i++)
	{
		see(world, draft_of(world, &invariance_method, (int64[]) {2, 0})->classes);
		for (int c = 0; c < world->seen[0].nclasses; c++)
			for (Code v = 0; v < 3; v++)
				are_beside[v] |= has_person(&world->seen[0].classes[c], 0) && times(&world->seen[0].classes[c], v) > 0;
		world->releases = 0;
	}
	check(are_beside[1] && are_beside[2]);
}

/* The loss of a cell, on average, and the share of rows that are invented. */
static double
loss_of(const World *world, const Classes *classes)
{
	double		loss = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < NQIS; q++)
			loss += class_size(classes, c) * domain_loss(&world->frame.domain[q], class_region(classes, c)[q]);
	return loss / classes->first[classes->nclasses] / NQIS;
}

/*
 * People who have one of three values in each quarter of the plane, and others elsewhere: classes of the commonest
 * values of all would lie across it.  A tenth is replaced each time.
 */
static void
live_in_quarters(const Method *method, const int64 *params, double most_at_first, double most, double most_invented)
{
	double		loss = 0;
	uint64		invented = 0;
	uint64		shown = 0;

	for (int i = 0; i < some_of(80); i++)
	{
		World	   *world = world_create(200, MAX_VALUES, 0);

		while (world->releases < MAX_RELEASES)
		{
			Draft	   *draft;

			for (int p = 0; p < world->npeople; p++)
				if (world->releases == 0 || p >= world->npeople - 20)
				{
					int			x = any_below(2);
					int			y = any_below(2);

					world->code[0][p] = x * 10 + any_below(10);
					world->code[1][p] = y * 10 + any_below(10);
					world->sensitive[p] = (x + 2 * y) * 3 + any_below(3);
				}
			draft = draft_of(world, method, params);
			check(draft->refusal.kind == NOT_REFUSED);
			see(world, draft->classes);
			loss += loss_of(world, draft->classes);
			check(world->releases > 1 || loss_of(world, draft->classes) < most_at_first);
			for (int gone = 0; gone < 20; gone++)
				world->alive[any_below(world->npeople)] = false;
			come(world, 20, 0);
		}
		invented += world->invented;
		shown += world->shown;
	}
	loss /= some_of(80) * MAX_RELEASES;
	printf("# %s loses %.3f of a cell, and invents %.3f\n", method->declaration.name, loss, (double) invented / shown);
	check(loss < most && (double) invented / shown < most_invented);
}

static void
cuts_newcomers_where_they_live(void)
{
	live_in_quarters(&invariance_method, (int64[]) {3, 0}, 0.3, 0.3, 0.08);
	live_in_quarters(&cor_split_method, (int64[]) {3, 2, PARAM_ABSENT, PARAM_ABSENT, PARAM_ABSENT, 0}, 0.4, 0.4, 0.18);
}

static void
chooses_n(void)
{
	check(n_choose(0.04, 24, 6, 0.1) == 3);
	check(n_choose(0.04, 21, 6, 0.1) == 2);		/* although section 5 says 3 */
	check(n_choose(0.5, 24, 6, 0.1) == 0);
	check(breach_estimate(0.04, 6, 6, 24) < 0.1 && breach_estimate(0.5, 6, 6, 24) > 0.9);
	check(n_choose(0, 24, 2, 0.1) == 1);
}

/* Figure 3 asks one n after the other. */
static uint32
chosen_one_by_one(double p, int64 lifespan, uint32 m, double threshold, double *least)
{
	uint32		chosen = 0;

	*least = 1;
	for (uint32 n = m; n >= 1; n--)
	{
		double		breach = breach_estimate(p, m, n, lifespan);

		*least = breach < *least ? breach : *least;
		if (breach < threshold)
			chosen = n;
	}
	return chosen;
}

static void
chooses_n_as_if_it_asked_for_each(void)
{
	int			chosen = 0;

	for (int i = 0; i < some_of(20000); i++)
	{
		double		p = pow(any_below(1001) / 1000.0, 3);
		int64		lifespan = 1 + any_below(50);
		uint32		m = 1 + any_below(40);
		double		threshold = any_below(1001) / 1000.0;
		double		least;
		uint32		n = chosen_one_by_one(p, lifespan, m, threshold, &least);

		check(n_choose(p, lifespan, m, threshold) == n);
		check(breach_estimate(p, m, m, lifespan) == least);
		chosen += n > 1;
	}
	check(chosen > some_of(1000));
}

/* Anybody may ask: it must not go through them all. */
static void
chooses_n_of_very_many(void)
{
	check(n_choose(1, 1, PG_INT32_MAX, 1) == 0);
	check(n_choose(0.5, PG_INT32_MAX, PG_INT32_MAX, 1) == 0);
	check(breach_estimate(1, PG_INT32_MAX, PG_INT32_MAX, 1) == 1);
}

static const Test tests[] = {
	{"keeps everybody among the same values", keeps_everybody_among_the_same_values},
	{"has people who are left come together", people_who_are_left_come_together},
	{"correlates no few people", correlates_no_few_people},
	{"tells of nobody but whom the attacker knows", tells_of_nobody_but_whom_the_attacker_knows},
	{"leaves candidates to who knows what can be invented", leaves_candidates_to_who_knows_what_can_be_invented},
	{"finds who is not vouched for", finds_who_is_not_vouched_for},
	{"asks for what Figure 6 asks", asks_for_what_figure_6_asks},
	{"invents what people have", invents_what_people_have},
	{"invents hardly more rows than must be at first", invents_hardly_more_than_must_be_at_first},
	{"refuses what it cannot show", refuses_what_it_cannot_show},
	{"deals newcomers by lot", deals_newcomers_by_lot},
	{"cuts newcomers where they live", cuts_newcomers_where_they_live},
	{"chooses n", chooses_n},
	{"chooses n as if it asked for each", chooses_n_as_if_it_asked_for_each},
	{"chooses n of very many", chooses_n_of_very_many},
};

RUN(tests)
