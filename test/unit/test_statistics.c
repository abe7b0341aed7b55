/*
 * test_statistics.c
 *		Paths and counts of random histories, beside those that one finds by
 *		looking at every row.
 */
#include "shim.h"

#include "history/seen.h"

#define MAX_RELEASES	7
#define MAX_INDIVIDUALS		50
#define MAX_VALUES		9
#define NOWHERE			PG_UINT32_MAX

/* Some of the individuals, each once, cut into classes. */
static void
draw_release(SeenRelease *release, Individual nindividuals, Code nvalues)
{
	uint32		rows = 0;

	release->first = palloc0(sizeof(uint64) * (nindividuals + 1));
	release->individual = palloc(sizeof(Individual) * (nindividuals + 1));
	release->value = palloc(sizeof(Code) * (nindividuals + 1));
	release->nclasses = 0;
	for (Individual t = 0; t < nindividuals; t++)
		if (any_below(4) > 0)
			release->individual[rows++] = t;
	for (uint32 i = 0; i < rows; i++)
	{
		uint32		other = i + any_below(rows - i);
		Individual		individual = release->individual[other];

		release->individual[other] = release->individual[i];
		release->individual[i] = individual;
		release->value[i] = nvalues == 0 || any_below(5) == 0 ? NO_CODE : any_below(nvalues);
		if (any_below(6) == 0 || i + 1 == rows)
			release->first[++release->nclasses] = i + 1;
	}
}

static void
draw_history(Seen *seen)
{
	seen->nreleases = any_below(MAX_RELEASES + 1);
	seen->nindividuals = any_below(MAX_INDIVIDUALS + 1);
	seen->nvalues = any_below(MAX_VALUES + 1);
	seen->release = palloc0(sizeof(SeenRelease) * (seen->nreleases + 1));
	for (int32 r = 0; r < seen->nreleases; r++)
		draw_release(&seen->release[r], seen->nindividuals, seen->nvalues);
}

/* The class that an individual was in. */
static uint32
class_of(const SeenRelease *release, Individual individual)
{
	for (uint32 c = 0; c < release->nclasses; c++)
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
			if (release->individual[i] == individual)
				return c;
	return NOWHERE;
}

static uint32
rows_that_show(const SeenRelease *release, uint32 c, Code value)
{
	uint32		n = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		n += release->value[i] == value;
	return n;
}

static void
check_path(const Seen *seen, const Statistics *statistics, Individual individual)
{
	uint64		at = statistics->first[individual];

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		uint32		c = class_of(&seen->release[r], individual);

		if (c == NOWHERE)
			continue;
		check(at < statistics->first[individual + 1]);
		check(statistics->step[at].release == r && statistics->step[at].class == c);
		at++;
	}
	check(at == statistics->first[individual + 1]);
}

static uint32
times_shown(const Statistics *statistics, Step at, Code value)
{
	const ShownValues *shown = &statistics->shown[at.release];
	uint32		n = 0;

	for (uint64 i = shown->first[at.class]; i < shown->first[at.class + 1]; i++)
		n += shown->value[i] == value ? shown->count[i] : 0;
	return n;
}

static void
check_class(const Seen *seen, const Statistics *statistics, Step at)
{
	const SeenRelease *release = &seen->release[at.release];
	const ShownValues *shown = &statistics->shown[at.release];
	uint64		different = 0;

	check(statistics_size(statistics, at) == release->first[at.class + 1] - release->first[at.class]);
	for (Code value = 0; value < seen->nvalues; value++)
	{
		uint32		n = rows_that_show(release, at.class, value);

		check(times_shown(statistics, at, value) == n);
		different += n > 0;
	}
	check(times_shown(statistics, at, seen->nvalues) == 0);
	check(shown->first[at.class + 1] - shown->first[at.class] == different);
	for (uint64 i = shown->first[at.class]; i + 1 < shown->first[at.class + 1]; i++)
		check(shown->value[i] < shown->value[i + 1]);
}

static void
test_random_histories(void)
{
	for (int n = 0; n < 500; n++)
	{
		Seen		seen;
		const Statistics *statistics;

		draw_history(&seen);
		statistics = statistics_of(&seen, NULL);
		for (Individual t = 0; t < seen.nindividuals; t++)
			check_path(&seen, statistics, t);
		for (int32 r = 0; r < seen.nreleases; r++)
			for (uint32 c = 0; c < seen.release[r].nclasses; c++)
				check_class(&seen, statistics, (Step) {r, c});
	}
}

/* ---- Places ---- */

/* Seats some people in the places of a release, each once; stand-ins are in the others. */
static void
seat_people(SeenRelease *release, uint64 npeople)
{
	uint64		rows = release->first[release->nclasses];
	bool	   *is_seated = palloc0(sizeof(bool) * (npeople + 1));

	release->person = palloc(sizeof(Individual) * (rows + 1));
	release->counterfeit = palloc(sizeof(bool) * (rows + 1));
	for (uint64 i = 0; i < rows; i++)
	{
		Individual	person = npeople == 0 ? NO_INDIVIDUAL : any_below(npeople);

		release->counterfeit[i] = person == NO_INDIVIDUAL || is_seated[person] || any_below(4) == 0;
		release->person[i] = release->counterfeit[i] ? NO_INDIVIDUAL : person;
		if (!release->counterfeit[i])
			is_seated[person] = true;
	}
}

/* The last release in which a person sat in a place, or -1; NO_INDIVIDUAL stands for any person, or any place. */
static int32
last_seen(const Seen *seen, Individual person, Individual place)
{
	for (int32 r = seen->nreleases - 1; r >= 0; r--)
	{
		const SeenRelease *release = &seen->release[r];

		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			if (!release->counterfeit[i] && (person == NO_INDIVIDUAL || release->person[i] == person) &&
				(place == NO_INDIVIDUAL || release->individual[i] == place))
				return r;
	}
	return -1;
}

static void
check_holder(const Seen *seen, Individual place, Individual holder)
{
	Individual	expected = NO_INDIVIDUAL;
	int32		last = last_seen(seen, NO_INDIVIDUAL, place);

	for (Individual person = 0; person < seen->npeople && last >= 0; person++)
		if (last_seen(seen, person, place) == last && last_seen(seen, person, NO_INDIVIDUAL) == last)
			expected = person;
	check(holder == expected);
}

/* Each person keeps the own number; each stand-in is new. */
static void
check_people(const Seen *seen, const Seen *people)
{
	Individual	next = seen->npeople;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint64 i = 0; i < seen->release[r].first[seen->release[r].nclasses]; i++)
			check(people->release[r].individual[i] == (seen->release[r].counterfeit[i] ? next++ : seen->release[r].person[i]) &&
				  seen_person(&people->release[r], i) == seen_person(&seen->release[r], i));
	check(people->nindividuals == next);
	(void) atoms_of(people);	/* nobody is in a release twice */
}

static void
test_places(void)
{
	for (int n = 0; n < 300; n++)
	{
		Seen		seen = {0};
		Seen		people;
		Individual *holder;

		draw_history(&seen);
		seen.npeople = any_below(MAX_INDIVIDUALS + 1);
		seen.group_of = palloc0(sizeof(uint32) * (seen.nindividuals + 1));
		for (int32 r = 0; r < seen.nreleases; r++)
			seat_people(&seen.release[r], seen.npeople);
		holder = seen_holders(&seen);
		for (Individual place = 0; place < seen.nindividuals; place++)
			check_holder(&seen, place, holder[place]);
		people = seen_of_people(&seen);
		check_people(&seen, &people);
	}
}

static const Test tests[] = {
	{"random histories", test_random_histories},
	{"places", test_places},
};

RUN(tests)
