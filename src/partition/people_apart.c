/*
 * people_apart.c
 *		Distinct l-diversity, where people may have several rows each.
 *
 * NOTES
 *		Of one row each, a set is as diverse as it has values.  Of several, that many values must be out of everybody's
 *		reach of knowledge in two ways.
 *
 *		There are l people no two of whom share a value.  So a person may have any of l sets of values that have nothing
 *		in common, if nobody knows how many rows each has.
 *
 *		Observers who do know it fill the rows of the set, which they cannot tell apart, with its people.  Then whichever
 *		l - 1 values are ruled out, there are as many rows of other values as anybody has: a person may have none of
 *		them.  With one row each this asks for l values.
 *
 *		Both are closed under disjoint union.  People of one set are apart in the union, too.  The l - 1 commonest values of
 *		a union have at most as many rows as those of each of its two sets together, so at least as many others are left.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/principle_kinds.h"

#define MOST_STEPS	100000		/* of a search: people who are not found by then are not counted */

/* ----------------------------------------------------------------
 * People who are apart
 * ----------------------------------------------------------------
 */

/* A search for as many people as are asked for. */
typedef struct Search
{
	const ValueCounts *set;
	uint32		n;
	Code	   *person;			/* [n] those who have values, those with rare ones first */
	uint32	   *blocked;		/* [n] chosen or excluded people who share a value with the person, or are the person */
	uint32		most;
	uint32		best;
	uint64		steps;
} Search;

#define NOBODY	PG_UINT32_MAX

/* Do two people have a value in common, not counting NULL? */
static bool
share_a_value(const Search *search, uint32 a, uint32 b)
{
	const uint64 *first = search->set->first;
	const Code *code = search->set->code;

	for (uint64 i = first[search->person[a]]; i < first[search->person[a] + 1]; i++)
		for (uint64 j = first[search->person[b]]; j < first[search->person[b] + 1]; j++)
			if (code[i] == code[j] && code[i] != NO_CODE)
				return true;
	return false;
}

/* Chooses a person, or takes the choice back. */
static void
choose(Search *search, uint32 person, bool is_chosen)
{
	for (uint32 other = 0; other < search->n; other++)
		if (other == person || share_a_value(search, person, other))
			search->blocked[other] += is_chosen ? 1 : -1;
	search->steps += search->n;
}

static uint32
first_unblocked(const Search *search)
{
	for (uint32 i = 0; i < search->n; i++)
		if (search->blocked[i] == 0)
			return i;
	return NOBODY;
}

/* Any largest choice has the first who is left, or somebody who shares a value with that person. */
static void
search_on(Search *search, uint32 chosen)
{
	uint32		first = first_unblocked(search);
	uint32	   *left;
	uint32		nleft = 0;

	search->best = Max(search->best, chosen);
	if (first == NOBODY)
		return;
	CHECK_FOR_INTERRUPTS();
	left = new_array(uint32, search->n);
	for (uint32 i = first; i < search->n; i++)
		if (search->blocked[i] == 0)
			left[nleft++] = i;
	for (uint32 i = 0; i < nleft && search->best < search->most && search->steps < MOST_STEPS; i++)
	{
		if (chosen + nleft - i <= search->best)
			break;
		if (left[i] != first && !share_a_value(search, first, left[i]))
			continue;
		choose(search, left[i], true);
		search_on(search, chosen + 1);
		choose(search, left[i], false);
	}
	pfree(left);
}

/* One after the other who shares no value with those before, in the order of the list; stops at the most. */
static uint32
choose_greedily(const ValueCounts *set, const Code *person, uint32 n, uint32 most)
{
	uint32	   *is_taken = set->room;
	uint32		chosen = 0;
	uint32		seen;

	for (uint32 i = 0; i < set->n; i++)
		is_taken[set->value[i]] = false;
	for (seen = 0; seen < n && chosen < most; seen++)
	{
		bool		has_value = false;
		bool		is_apart = true;

		for (uint64 row = set->first[person[seen]]; row < set->first[person[seen] + 1] && is_apart; row++)
		{
			has_value |= set->code[row] != NO_CODE;
			is_apart = set->code[row] == NO_CODE || !is_taken[set->code[row]];
		}
		if (!has_value || !is_apart)
			continue;
		for (uint64 row = set->first[person[seen]]; row < set->first[person[seen] + 1]; row++)
			if (set->code[row] != NO_CODE)
				is_taken[set->code[row]] = true;
		chosen++;
	}
	return chosen;
}

/* How many people have values of a person's, each value by itself. */
static uint64
commonness_of(const ValueCounts *set, Code person)
{
	uint64		people = 0;

	for (uint64 row = set->first[person]; row < set->first[person + 1]; row++)
		people += set->code[row] == NO_CODE ? 0 : set->count[set->code[row]];
	return people;
}

static int
compare_commonness(const void *a, const void *b, void *arg)
{
	uint64		x = commonness_of(arg, *(const Code *) a);
	uint64		y = commonness_of(arg, *(const Code *) b);

	return x != y ? (x < y ? -1 : 1) : *(const Code *) a < *(const Code *) b ? -1 : *(const Code *) a > *(const Code *) b;
}

/* How many people share no value, at most as many as are asked for: first greedily, then by a search. */
static uint32
people_apart(const ValueCounts *set, uint32 most)
{
	Search		search = {.set = set, .most = most};
	uint32		apart;

	search.best = choose_greedily(set, set->person, set->npeople, most);
	if (search.best >= most)
		return search.best;
	search.person = new_array(Code, set->npeople);
	for (uint32 i = 0; i < set->npeople; i++)
		if (commonness_of(set, set->person[i]) > 0)
			search.person[search.n++] = set->person[i];
	qsort_arg(search.person, search.n, sizeof(Code), compare_commonness, unconstify(ValueCounts *, set));
	apart = choose_greedily(set, search.person, search.n, most);
	search.best = Max(search.best, apart);
	if (search.best < most)
	{
		search.blocked = new_zeros(uint32, search.n);
		search_on(&search, 0);
		pfree(search.blocked);
	}
	pfree(search.person);
	return search.best;
}

/* ----------------------------------------------------------------
 * Rows that are left
 * ----------------------------------------------------------------
 */

static int
compare_descending(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return x > y ? -1 : x < y;
}

/* The rows of each value, the commonest first; *rows: of all of them, *longest: of the person who has most. */
static uint64 *
list_rows(const ValueCounts *set, uint64 *rows, uint64 *longest)
{
	uint64	   *of_value = new_zeros(uint64, set->n);
	uint32	   *place = set->room;

	*rows = *longest = 0;
	for (uint32 i = 0; i < set->n; i++)
		place[set->value[i]] = i;
	for (uint32 i = 0; i < set->npeople; i++)
	{
		Code		person = set->person[i];

		for (uint64 row = set->first[person]; row < set->first[person + 1]; row++)
			if (set->code[row] != NO_CODE)
				of_value[place[set->code[row]]] += set->times[person];
		*longest = Max(*longest, set->first[person + 1] - set->first[person]);
	}
	for (uint32 i = 0; i < set->n; i++)
		*rows += of_value[i];
	qsort(of_value, set->n, sizeof(uint64), compare_descending);
	return of_value;
}

/* One more than the values without which there are as many rows as anybody has. */
static uint32
values_to_spare(const ValueCounts *set)
{
	uint64		left;
	uint64		longest;
	uint64	   *rows = list_rows(set, &left, &longest);
	uint32		values = 0;

	while (values < set->n && left >= longest)
		left -= rows[values++];
	pfree(rows);
	return values + (left >= longest);
}

uint32
distinct_values(const ValueCounts *set, uint32 most)
{
	uint32		spare;
	uint32		apart;

	if (set->first == NULL)
		return set->n;
	spare = values_to_spare(set);
	apart = people_apart(set, Min(most, spare));
	return Min(spare, apart);
}
