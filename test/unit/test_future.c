/*
 * test_future.c
 *		Releases that are only drafted: what will be remembered of them, and who
 *		will be there next.
 *
 * What is remembered is compared with the past of a world in which the draft was
 * published, made from what was shown by the definition.
 */
#include "lives.h"

#include <math.h>

#include "release/forecast/future.h"

/* ---- What is remembered ---- */

/* A neighborhood, written in the one way that does not depend on the order of members: size, epochs, members with values. */
typedef struct Canonical
{
	int			n;
	uint32	   *word;
} Canonical;

static int	width;				/* of a member */

static int
compare_members(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(uint32) * width);
}

static int
compare_canonical(const void *a, const void *b)
{
	const Canonical *x = a;
	const Canonical *y = b;

	return x->n != y->n ? x->n - y->n : memcmp(x->word, y->word, sizeof(uint32) * x->n);
}

/* Does a later epoch show the same? */
static bool
comes_again(const Past *past, uint32 n, uint64 epoch)
{
	for (uint64 later = epoch + 1; later < past_epochs(past, n); later++)
		if (memcmp(past_values(past, n, epoch), past_values(past, n, later), sizeof(Code) * past_size(past, n)) == 0)
			return true;
	return false;
}

static Canonical
canonical(const Past *past, uint32 n)
{
	uint64		size = past_size(past, n);
	Canonical	result = {0, palloc(sizeof(uint32) * (size * (past_epochs(past, n) + 1) + 2))};
	int			nepochs = 0;

	for (uint64 epoch = 0; epoch < past_epochs(past, n); epoch++)
		nepochs += !comes_again(past, n, epoch);
	result.word[result.n++] = size;
	result.word[result.n++] = nepochs;
	for (uint64 i = 0; i < size; i++)
	{
		result.word[result.n++] = past->row[past->first[n] + i];
		for (uint64 epoch = 0; epoch < past_epochs(past, n); epoch++)
			if (!comes_again(past, n, epoch))
				result.word[result.n++] = past_values(past, n, epoch)[i];
	}
	width = nepochs + 1;
	qsort(result.word + 2, size, sizeof(uint32) * width, compare_members);
	return result;
}

static Canonical *
all_canonical(const Past *past)
{
	Canonical  *all = palloc(sizeof(Canonical) * (past->nneighborhoods + 1));

	for (uint32 n = 0; n < past->nneighborhoods; n++)
		all[n] = canonical(past, n);
	qsort(all, past->nneighborhoods, sizeof(Canonical), compare_canonical);
	return all;
}

static bool
is_same_past(const Past *a, const Past *b)
{
	Canonical  *x = all_canonical(a);
	Canonical  *y = all_canonical(b);

	if (a->releases != b->releases || a->nneighborhoods != b->nneighborhoods)
		return false;
	for (uint32 n = 0; n < a->nneighborhoods; n++)
		if (compare_canonical(&x[n], &y[n]) != 0)
			return false;
	return true;
}

/* Does each row know the member that knows it? */
static bool
is_in_order(const Past *past, uint64 nrows)
{
	uint64		known = 0;

	for (uint32 n = 0; n < past->nneighborhoods; n++)
		for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
		{
			known += past->row[i] != NO_ROW;
			if (past->row[i] != NO_ROW && past->member[past->row[i]] != i)
				return false;
		}
	for (uint64 row = 0; row < nrows; row++)
		known -= past->member[row] < LOST_MEMBER;
	return known == 0;
}

/* Lives of which each release is remembered as it was foreseen. */
static void
live_foreseen(int repair, int asked_percent)
{
	int			parted = 0;

	for (int life = 0; life < 40; life++)
	{
		World	   *world = palloc0(sizeof(World));

		memcpy(world->params, (int64[]) {2 + below(4), 1 + below(3), repair, 1 + below(3), PARAM_SCALE, PARAM_ABSENT, PARAM_ABSENT},
			   sizeof(int64) * 7);
		world->params[MAX_ADDED_AT] = below(2) * PARAM_SCALE;
		add_people(world, 30 + below(60), NVALUES);
		for (int r = 0; r < 10; r++)
		{
			Past		after;

			make_frame(world, asked_percent);
			make_past(world);
			world->draft = bpg_method.draft(&world->frame, &world->past, world->params, below(1000000));
			after = past_after(&world->past, &world->frame, world->draft);
			check(is_in_order(&after, world->frame.nrows));
			parted += after.nneighborhoods > world->past.nneighborhoods;
			publish(world);
			make_past(world);
			check(is_same_past(&after, &world->past));
			pass_time(world, 10);
			add_people(world, below(10), NVALUES);
		}
	}
	check(parted > 40);
}

static void
test_remembered(void)
{
	for (int repair = 0; repair < 4; repair++)
		live_foreseen(repair, 100);
}

static void
test_cohorts_remembered(void)
{
	for (int repair = 0; repair < 4; repair++)
		live_foreseen(repair, 60);
}

/* What is known only in sum goes on: those who are lost, and how many have left of how many. */
static void
test_sums(void)
{
	World	   *world = palloc0(sizeof(World));
	Past		after;

	memcpy(world->params, (int64[]) {4, 1, 2, 1, 0, PARAM_ABSENT, PARAM_ABSENT}, sizeof(int64) * 7);
	add_people(world, 40, NVALUES);
	make_frame(world, 100);
	make_past(world);
	world->past.is_whole = true;
	world->draft = bpg_method.draft(&world->frame, &world->past, world->params, 1);
	after = past_after(&world->past, &world->frame, world->draft);
	check(after.releases == 1 && after.exposed == 40 && after.departed == 0 && after.is_whole);
	for (uint64 row = 0; row < 40; row++)
		check(after.member[row] < LOST_MEMBER);
	after.nneighborhoods = 0;
	after.departed = 7;
	for (uint64 row = 0; row < 40; row++)
		after.member[row] = row < 3 ? LOST_MEMBER : NO_MEMBER;
	world->draft = bpg_method.draft(&world->frame, &after, world->params, 1);
	check(world->draft->suppressed == 3 && world->draft->lost == 3);
	after = past_after(&after, &world->frame, world->draft);
	check(after.releases == 2 && after.exposed == 80 && after.departed == 7);
	for (uint64 row = 0; row < 40; row++)
		check((after.member[row] == LOST_MEMBER) == (row < 3));
	after.is_whole = false;
	check(past_after(&after, &world->frame, world->draft).exposed == 80);
}

/* ---- Who is there next ---- */

#define NPEOPLE 2000

/* Each person has a code of his own, and all columns agree with it. */
static Frame
people_frame(uint64 nrows, Code first)
{
	Frame		frame = {.nrows = nrows, .nqis = 2, .nsensitive = 5, .nstrata = 1};
	RowGroups  *groups = palloc0(sizeof(RowGroups) * 2);

	frame.code = palloc(sizeof(Code *) * 2);
	for (int q = 0; q < 2; q++)
		frame.code[q] = palloc(sizeof(Code) * (nrows + 1));
	frame.sensitive = palloc(sizeof(Code) * (nrows + 1));
	for (int g = 0; g < 2; g++)
		groups[g] = (RowGroups) {7, palloc(sizeof(Code) * (nrows + 1))};
	for (uint64 row = 0; row < nrows; row++)
	{
		frame.code[0][row] = first + row;
		frame.code[1][row] = first + row + 1;
		frame.sensitive[row] = (first + row) % 5;
		groups[0].code[row] = (first + row) % 7;
		groups[1].code[row] = (first + row) % 3;
	}
	frame.leaves = &groups[0];
	frame.strata = &groups[1];
	return frame;
}

/* Neighborhoods of ten people each, the last of whom was never there; some people are new, and one is lost. */
static Past
people_past(uint64 nrows)
{
	Past		past = {.releases = 3, .is_whole = true, .departed = 100, .exposed = 1000};
	uint32		n = nrows / 20;
	uint64		members = 0;

	past.first = palloc0(sizeof(uint64) * (n + 1));
	past.first_value = palloc0(sizeof(uint64) * (n + 1));
	past.row = palloc(sizeof(RowId) * (n * 10 + 1));
	past.value = palloc(sizeof(Code) * (n * 20 + 1));
	past.member = palloc(sizeof(uint64) * (nrows + 1));
	for (uint64 row = 0; row < nrows; row++)
		past.member[row] = row == nrows - 1 ? LOST_MEMBER : NO_MEMBER;
	for (past.nneighborhoods = 0; past.nneighborhoods < n;)
	{
		for (int i = 0; i < 10; i++, members++)
		{
			past.row[members] = i == 9 ? NO_ROW : (RowId) (past.nneighborhoods * 10 + i);
			if (i < 9)
				past.member[past.row[members]] = members;
		}
		past.first[++past.nneighborhoods] = members;
		past.first_value[past.nneighborhoods] = members * 2;
	}
	for (uint64 i = 0; i < members * 2; i++)
		past.value[i] = i % 5;
	return past;
}

/* Do the rows from one to another agree with themselves in all columns, but for the sensitive one? */
static bool
are_whole(const Frame *frame, uint64 from, uint64 to)
{
	for (uint64 row = from; row < to; row++)
		if (frame->code[1][row] != frame->code[0][row] + 1 || frame->leaves->code[row] != frame->code[0][row] % 7 ||
			frame->strata[0].code[row] != frame->code[0][row] % 3)
			return false;
	return true;
}

static uint64
count_changed(const Frame *frame, uint64 from, uint64 to)
{
	uint64		changed = 0;

	for (uint64 row = from; row < to; row++)
		changed += frame->sensitive[row] != frame->code[0][row] % 5;
	return changed;
}

/* Is each member the person that he was, and everybody else new? */
static bool
are_members_themselves(const Past *past, const Frame *frame, const Past *before, uint64 ngone)
{
	uint32		n = 0;

	for (uint32 b = 0; b < before->nneighborhoods; b++)
	{
		bool		any = false;

		for (int i = 0; i < 10 && n < past->nneighborhoods; i++)
		{
			RowId		row = past->row[past->first[n] + i];

			any |= row != NO_ROW && frame->code[0][row] == before->row[b * 10 + i];
			if (row != NO_ROW && frame->code[0][row] / 10 != b)
				break;
			if (row != NO_ROW && (i == 9 || frame->code[0][row] != before->row[b * 10 + i]))
				return false;
		}
		n += any;
	}
	return n == past->nneighborhoods && past->departed == before->departed + ngone;
}

/* Lets time pass over two thousand people; returns how many of the first half have left. */
static uint64
pass(const Churn *churn, uint64 seed)
{
	Frame		frame = people_frame(NPEOPLE, 0);
	Frame		real = people_frame(NPEOPLE, NPEOPLE * 10);
	Past		before = people_past(NPEOPLE);
	Past		past = before;
	uint64		nstay = 0;
	uint64		nhalf = NPEOPLE / 2;
	uint64		ngone = 0;
	bool	   *is_there = palloc0(sizeof(bool) * NPEOPLE);
	pg_prng_state random;
	Frame		after;

	pg_prng_seed(&random, seed);
	after = frame_after(&frame, &real, churn, &random, &past);
	while (nstay < after.nrows && after.code[0][nstay] < NPEOPLE)
		is_there[after.code[0][nstay++]] = true;
	check(fabs(nstay - NPEOPLE * (1 - churn->leave)) < 1);
	check(fabs(after.nrows - nstay - NPEOPLE * churn->come) < 1);
	check(are_whole(&after, 0, after.nrows));
	check(fabs(count_changed(&after, 0, nstay) - nstay * churn->change) < 1);
	check(count_changed(&after, nstay, after.nrows) == 0);
	for (uint64 row = nstay; row < after.nrows; row++)
		check(after.code[0][row] >= NPEOPLE * 10 && after.code[0][row] < NPEOPLE * 11 && past.member[row] == NO_MEMBER);
	for (uint64 row = 0; row < NPEOPLE; row++)
	{
		ngone += !is_there[row] && before.member[row] != NO_MEMBER;
		nhalf -= row < NPEOPLE / 2 && is_there[row];
	}
	if (is_there[NPEOPLE - 1])
		check(past.member[nstay - 1] == LOST_MEMBER);
	check(are_members_themselves(&past, &after, &before, ngone));
	check(past.releases == before.releases && past.exposed == before.exposed && past.is_whole);
	check(after.domain == frame.domain && after.nsensitive == frame.nsensitive && after.nstrata == 1);
	check(count_changed(&frame, 0, NPEOPLE) == 0 && count_changed(&real, 0, NPEOPLE) == 0);
	return nhalf;
}

static void
test_who_is_there(void)
{
	const double shares[] = {0, 1, .0001, .05, .5, .9999};

	for (int leave = 0; leave < (int) lengthof(shares); leave++)
		for (int come = 0; come < (int) lengthof(shares); come++)
			for (int change = 0; change < (int) lengthof(shares); change++)
				pass(&(Churn) {shares[leave], shares[come], shares[change]}, leave * 100 + come * 10 + change);
}

/* Everybody is as likely to leave, and the same people do with the same seed. */
static void
test_lots(void)
{
	const Churn churn = {.05, .05, .1};
	double		first_half = 0;

	for (int seed = 0; seed < 100; seed++)
	{
		uint64		gone = pass(&churn, seed);

		first_half += gone;
		check(gone == pass(&churn, seed));
	}
	check(fabs(first_half - 5000) < 5 * sqrt(100 * 100 / 4.0));
}

/* Of a few people so many leave on the average, too. */
static void
test_fractions(void)
{
	Frame		frame = people_frame(10, 0);
	uint64		gone = 0;
	pg_prng_state random;

	pg_prng_seed(&random, 1);
	for (int i = 0; i < 10000; i++)
	{
		Past		past = people_past(10);

		gone += 10 - frame_after(&frame, &frame, &(Churn) {.03, 0, 0}, &random, &past).nrows;
	}
	check(fabs(gone - 3000.0) < 5 * sqrt(10000 * .3 * .7));
}

/* A value that everybody has cannot become another. */
static void
test_one_value(void)
{
	Frame		frame = people_frame(10, 0);
	Past		past = people_past(10);
	pg_prng_state random;

	pg_prng_seed(&random, 1);
	for (int row = 0; row < 10; row++)
		frame.sensitive[row] = 3;
	frame = frame_after(&frame, &frame, &(Churn) {0, 0, 1}, &random, &past);
	for (int row = 0; row < 10; row++)
		check(frame.sensitive[row] == 3);
	frame = frame_after(&frame, &frame, &(Churn) {1, 0, 1}, &random, &past);
	check(frame.nrows == 0 && past.nneighborhoods == 0);
	frame = frame_after(&frame, &frame, &(Churn) {1, 1, 1}, &random, &past);
	check(frame.nrows == 0);
}

static const Test tests[] = {
	{"whole tables are remembered as foreseen", test_remembered},
	{"cohorts are remembered as foreseen", test_cohorts_remembered},
	{"sums go on", test_sums},
	{"who is there next", test_who_is_there},
	{"who leaves is drawn evenly", test_lots},
	{"few people leave in time", test_fractions},
	{"there need be no other value", test_one_value},
};

RUN(tests)
