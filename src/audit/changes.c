/*
 * changes.c
 *		Whose values have changed, where rows stood in for people?
 *
 * NOTES
 *		A row that stands in shows what was shown of somebody last.  So of two releases of
 *		the same people, values that the second shows anew are of people who have a true row in it.
 *		If the source rested since some release before, they had none since then: each true row
 *		showed what its person has.  It may have rested for as long as there are such people; so
 *		they are those whose last true row is the oldest, though no older than what the class showed anew before.  They are the
 *		bearers of the change, to observers who know who was asked for.
 *
 *		Each class is compared with the release before that showed values of its people, if that
 *		showed all of them in one class.  Of an individual no more is kept than what was seen of it
 *		last: one step a row that was published.
 */
#include "postgres.h"

#include "audit/changes.h"
#include "frame/arrays.h"
#include "miscadmin.h"

/* Of each individual, how it was seen last */
typedef struct LastSeen
{
	uint64	   *place;			/* [individuals] a class of any release, from 1 on; 0 of those who were in none */
	int32	   *release;		/* [individuals] */
	Code	   *value;			/* [individuals] */
	int32	   *confirmed;		/* [individuals] the last release with a true row, or, if that is later, before its
								 * class last changed; or -1 */
	int64	   *more;			/* [values + 1] how often a class shows each more than before; NULL comes last; 0
								 * between two classes */
} LastSeen;

/* Has the release before shown all people of the class, in one class? */
static bool
were_together(const LastSeen *last, const SeenRelease *release, uint32 c)
{
	const Individual *people = release->individual + release->first[c];
	uint64		n = seen_size(release, c);

	for (uint64 i = 0; i < n; i++)
		if (last->place[people[i]] == 0 || last->place[people[i]] != last->place[people[0]])
			return false;
	return n > 0;
}

static int64 *
more_of(const LastSeen *last, const Seen *seen, Code value)
{
	return &last->more[value == NO_CODE ? seen->nvalues : value];
}

/* Counts the rows and values that a class shows more often than before; more[] is 0 again then. */
static void
count_news(const LastSeen *last, const Seen *seen, const SeenRelease *release, uint32 c, Change *change)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		++*more_of(last, seen, release->value[i]);
		--*more_of(last, seen, last->value[release->individual[i]]);
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		int64	   *more = more_of(last, seen, release->value[i]);

		change->rows += Max(*more, 0);
		change->values += *more > 0 && release->value[i] != NO_CODE;
		*more = 0;
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		*more_of(last, seen, last->value[release->individual[i]]) = 0;
}

/* The change that a class shows, of so many rows; of none if nobody stood in, or nothing is new. */
static Change
change_of(const LastSeen *last, const Seen *seen, const SeenRelease *release, uint32 c)
{
	Change		change = {.before = last->release[release->individual[release->first[c]]]};
	int32		oldest = change.before;
	uint64		ntrue = 0;

	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		int32		confirmed = last->confirmed[release->individual[i]];

		if (release->counterfeit[i])
			continue;
		ntrue++;
		change.bearers = confirmed < oldest ? 1 : change.bearers + (confirmed == oldest);
		oldest = Min(oldest, confirmed);
	}
	count_news(last, seen, release, c, &change);
	change.stood_in = ntrue < seen_size(release, c) || oldest < change.before;
	return change;
}

/*
 * People who were not confirmed before a change cannot be told apart by what they showed before it.  A class that shows what it did
 * shows again what a row made up that stood in for somebody: it confirms nobody who never had a true row.
 */
static void
see_class(LastSeen *last, const SeenRelease *release, int32 r, uint32 c, uint64 place, bool together, bool is_news)
{
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	one = release->individual[i];

		if (last->place[one] == 0)
			last->confirmed[one] = -1;
		if (release->counterfeit[i])
			last->confirmed[one] = is_news ? r - 1 : last->confirmed[one];
		else if (is_news || !together || last->confirmed[one] != -1)
			last->confirmed[one] = r;
		last->place[one] = place;
		last->release[one] = r;
		last->value[one] = release->value[i];
	}
}

bool
change_is_hidden(const Change *change, const Principle *promised)
{
	return change->rows == 0 ||
		(change->bearers >= promised->k && (change->rows < change->bearers || change->values >= promised->l));
}

/* Is a change hidden less well than another, or the first one? */
static bool
is_worse(const Change *change, const Change *worst, const Principle *promised)
{
	bool		hidden = change_is_hidden(change, promised);
	bool		worst_hidden = change_is_hidden(worst, promised);

	if (worst->rows == 0 || hidden != worst_hidden)
		return worst->rows == 0 || !hidden;
	return change->bearers < worst->bearers;
}

Change *
worst_changes(const Seen *seen, const Principle *promised)
{
	uint64		n = seen->nindividuals;
	Change	   *worst = new_zeros(Change, seen->nreleases);
	LastSeen	last = {
		new_zeros(uint64, n), new_array(int32, n), new_array(Code, n), new_array(int32, n), new_zeros(int64, (uint64) seen->nvalues + 1)
	};
	uint64		place = 0;

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses && seen_shows_values(seen, r); c++)
		{
			Change		change = {0};
			bool		together = were_together(&last, release, c);

			CHECK_FOR_INTERRUPTS();
			if (together)
				change = change_of(&last, seen, release, c);
			see_class(&last, release, r, c, ++place, together, change.rows > 0);
			change.class = c;
			if (change.rows > 0 && change.stood_in && is_worse(&change, &worst[r], &promised[r]))
				worst[r] = change;
		}
	}
	pfree(last.place);
	pfree(last.release);
	pfree(last.value);
	pfree(last.confirmed);
	pfree(last.more);
	return worst;
}
