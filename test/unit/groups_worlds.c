/*
 * groups_worlds.c
 *		An observer of groups of places, who looks for all worlds that could have been.
 *
 * A world says for each place what it showed in each release, and who sat there.  The first people of a group have its places,
 * one each, so an unknown order of them is an unknown order of values; a person who comes later took a place that was free.
 * Observers know who is in which class, what each class shows, how many rows stand in, which places were parted off, and which
 * rows could show something new.
 *
 * Each person's value in each release is asked for: is there a world with another one?  A world found answers for everybody.
 */
#include "groups.h"

#include <math.h>

#define MAX_OBSERVED	MAX_RELEASES	/* epochs of a group, as observers see them */
#ifndef MAX_STEPS
#define MAX_STEPS		40000
#endif
#define NULL_VALUE		(MAX_VALUES - 1)	/* a NULL is like a value here; values are fewer */

/* A group as observers see it. */
typedef struct Sight
{
	int			n;				/* places */
	int			nepochs;
	int			epoch_in[MAX_RELEASES]; /* of a release that shows it, or -1 */
	int			since[MAX_OBSERVED];	/* the release that begins the epoch */
	bool		may_change[MAX_OBSERVED][MAX_PEOPLE];	/* the person's row, where the epoch begins */
	int			count[MAX_OBSERVED][MAX_VALUES];	/* rows with each value, of places that are not parted off yet */
	int			npartings;
	int			parted_in[MAX_RELEASES];	/* the release that parted places off */
	int			left[MAX_RELEASES][MAX_VALUES];	/* rows with each value that it left */
	int			first[MAX_CLASS];	/* the person who sat there first */
	int			narrivals;
	int			arrival[MAX_PEOPLE];
	int			in[MAX_RELEASES][MAX_PEOPLE];	/* is the person in it? */
	int			came[MAX_PEOPLE];
	int			last[MAX_PEOPLE];
	bool		was[MAX_PEOPLE];	/* ever in it */
	int			truth[MAX_OBSERVED][MAX_PEOPLE];
	int			component;
} Sight;

/* Two places of one person, with one value. */
typedef struct Tie
{
	int			person;
	int			group[2];
	int			epoch[2];
} Tie;

typedef struct Search
{
	const Life *life;
	bool		is_still;
	Sight		sight[MAX_GROUPS];
	int			nties;
	Tie			tie[MAX_PEOPLE];
	uint32		possible[MAX_PEOPLE][MAX_RELEASES];

	/* The world at hand */
	int			component;
	int			steps;
	int			place_of[MAX_GROUPS][MAX_PEOPLE];
	int			sitter[MAX_GROUPS][MAX_CLASS];	/* the last one so far */
	int			gone[MAX_GROUPS][MAX_CLASS];	/* by which parting, from 0 on; or npartings */
	int			value[MAX_GROUPS][MAX_OBSERVED][MAX_CLASS]; /* or -1 */
	int			rest[MAX_VALUES];
	int			narrivals;
	int			arrival_group[MAX_PEOPLE * 2];
	int			arrival[MAX_PEOPLE * 2];

	const bool *is_known;		/* people who must show what they did, or NULL */

	/* A person who must show a value */
	int			pinned;
	int			pinned_group;
	int			pinned_epoch;
	int			pinned_value;

	/* Shares, where worlds are counted: values change freely, so a person may have any of the rows of those parted off, or left */
	double		frequency;
	double		nworlds;
	double		in_parted[MAX_GROUPS][MAX_PEOPLE];

	/* Chances, where worlds have weights */
	bool		weighs;
	int			nweighed;		/* ways to sit, or more than are looked at */
	double		weight[MAX_OBSERVED][MAX_PEOPLE][MAX_VALUES];
} Search;

static int
value_index(Code value)
{
	return value == NO_CODE ? NULL_VALUE : (int) value;
}

/* ---- Seeing ---- */

static void
see_epoch(Sight *sight, const LoggedClass *class, int r)
{
	int			e = sight->nepochs++;

	sight->since[e] = r;
	for (int i = 0; i < class->n; i++)
	{
		sight->count[e][value_index(class->row[i].value)]++;
		if (class->row[i].person != NOBODY)
			sight->may_change[e][class->row[i].person] = class->row[i].may_change;
	}
}

static void
see_class(const Life *life, Sight *sight, const LoggedClass *class, int r)
{
	bool		may_change = class->is_new;
	bool		is_parted = false;

	for (int i = 0; i < class->n; i++)
		may_change |= class->row[i].may_change;
	for (int place = life->first[class->group]; place < life->first[class->group + 1]; place++)
		is_parted |= life->release[r].is_gone[place];
	if (may_change)
		see_epoch(sight, class, r);
	sight->epoch_in[r] = sight->nepochs - 1;
	if (is_parted)
	{
		sight->parted_in[sight->npartings] = r;
		for (int i = 0; i < class->n; i++)
			sight->left[sight->npartings][value_index(class->row[i].value)]++;
		sight->npartings++;
	}
	for (int i = 0; i < class->n; i++)
	{
		int			p = class->row[i].person;

		if (p == NOBODY)
			continue;
		if (class->is_new)
			sight->first[i] = p;
		else if (!sight->was[p])
			sight->arrival[sight->narrivals++] = p;
		if (!sight->was[p])
			sight->came[p] = r;
		sight->was[p] = true;
		sight->last[p] = r;
		sight->truth[sight->nepochs - 1][p] = value_index(class->row[i].value);
		sight->in[r][p] = true;
	}
}

static void
see(Search *search)
{
	const Life *life = search->life;

	for (int g = 0; g < life->ngroups; g++)
	{
		Sight	   *sight = &search->sight[g];

		sight->n = life->first[g + 1] - life->first[g];
		sight->component = g;
		for (int r = 0; r < life->releases; r++)
			sight->epoch_in[r] = -1;
	}
	for (int r = 0; r < life->releases; r++)
		for (int c = 0; c < life->release[r].nclasses; c++)
			see_class(life, &search->sight[life->release[r].class[c].group], &life->release[r].class[c], r);
}

static int
last_release_in(const Sight *sight, int p, int before)
{
	int			r = before - 1;

	while (r >= 0 && !sight->in[r][p])
		r--;
	return r;
}

static void
see_ties(Search *search)
{
	const Life *life = search->life;

	for (int p = 0; p < life->npeople; p++)
		for (int s = 1; s < life->person[p].nstays; s++)
		{
			int			from = 0;
			int			to = 0;
			int			came = life->person[p].came[s] - 1;
			int			left;
			int			joined;

			while (life->first[from + 1] <= life->person[p].stay[s - 1])
				from++;
			while (life->first[to + 1] <= life->person[p].stay[s])
				to++;
			left = last_release_in(&search->sight[from], p, came);
			check(left >= 0 && from != to);
			search->tie[search->nties++] = (Tie) {
				.person = p,.group = {from, to},.epoch = {search->sight[from].epoch_in[left], search->sight[to].epoch_in[came]}
			};
			joined = search->sight[to].component;
			for (int g = 0; g < life->ngroups; g++)
				if (search->sight[g].component == joined)
					search->sight[g].component = search->sight[from].component;
		}
}

/* ---- Worlds ---- */

/* Marks all that the world says. */
static void
note_world(Search *search)
{
	for (int g = 0; g < search->life->ngroups; g++)
		for (int p = 0; p < search->life->npeople; p++)
			for (int r = 0; r < search->life->releases && search->sight[g].component == search->component; r++)
				if (search->sight[g].in[r][p])
					search->possible[p][r] |= 1u << search->value[g][search->sight[g].epoch_in[r]][search->place_of[g][p]];
}

/* Does the value agree with what was asked, and with the other places of those who sat there? */
static bool
value_agrees(const Search *search, int g, int e, int place, int value)
{
	if (search->pinned != NOBODY && search->pinned_group == g && search->pinned_epoch == e &&
		search->place_of[g][search->pinned] == place && search->pinned_value != value)
		return false;
	for (int p = 0; p < search->life->npeople && search->is_known != NULL; p++)
		if (search->is_known[p] && search->sight[g].was[p] && search->place_of[g][p] == place &&
			search->sight[g].epoch_in[search->sight[g].came[p]] <= e && search->sight[g].epoch_in[search->sight[g].last[p]] >= e &&
			search->sight[g].truth[e][p] != value)
			return false;
	for (int i = 0; i < search->nties && search->is_still; i++)
		for (int side = 0; side < 2; side++)
		{
			const Tie  *tie = &search->tie[i];
			int			other;

			if (tie->group[side] != g || tie->epoch[side] != e || search->place_of[g][tie->person] != place)
				continue;
			other = search->value[tie->group[1 - side]][tie->epoch[1 - side]][search->place_of[tie->group[1 - side]][tie->person]];
			if (other >= 0 && other != value)
				return false;
		}
	return true;
}

/* Had places been parted off when the epoch began?  Those that are left may show something new in the same release. */
static bool
is_parted_before(const Sight *sight, int parting, int e)
{
	return parting < sight->npartings && sight->parted_in[parting] <= sight->since[e];
}

/* The number of places that have to change, if no more do than must. */
static int
changes_forced(const Search *search, int g, int e)
{
	const Sight *sight = &search->sight[g];
	const int  *before = sight->count[e - 1];
	int			changes = 0;

	for (int i = 0; is_parted_before(sight, i, e); i++)
		if (sight->epoch_in[sight->parted_in[i]] == e - 1)
			before = sight->left[i];
	for (int v = 0; v < MAX_VALUES; v++)
		changes += Max(0, sight->count[e][v] - before[v]);
	return changes;
}

/* Those left in the epoch of a parting must show what was seen to be left. */
static bool
partings_agree(const Search *search, int g, int e)
{
	const Sight *sight = &search->sight[g];

	for (int i = 0; i < sight->npartings; i++)
	{
		int			count[MAX_VALUES] = {0};

		if (sight->epoch_in[sight->parted_in[i]] != e || sight->since[e] == sight->parted_in[i])
			continue;
		for (int place = 0; place < sight->n; place++)
			if (search->gone[g][place] > i)
				count[search->value[g][e][place]]++;
		if (memcmp(count, sight->left[i], sizeof(count)) != 0)
			return false;
	}
	return true;
}

/* May the place show something new in the epoch: does somebody sit there whose row may? */
static bool
may_change_in(const Search *search, int g, int e, int place)
{
	for (int p = 0; p < search->life->npeople; p++)
		if (search->sight[g].may_change[e][p] && search->place_of[g][p] == place)
			return true;
	return false;
}

static bool find_values(Search *search, int g, int e, int at, int changes);

static bool
next_epoch(Search *search, int g, int e)
{
	while (g < search->life->ngroups && (search->sight[g].component != search->component || e == search->sight[g].nepochs))
	{
		g++;
		e = 0;
	}
	if (g == search->life->ngroups)
	{
		note_world(search);
		return true;
	}
	memcpy(search->rest, search->sight[g].count[e], sizeof(search->rest));
	return find_values(search, g, e, 0, e == 0 ? 0 : changes_forced(search, g, e));
}

/* The places of an epoch, tied and asked ones first, since these agree with the fewest values. */
static int
place_at(const Search *search, int g, int at)
{
	int			turn = 0;

	for (int is_plain = 0; is_plain < 2; is_plain++)
		for (int place = 0; place < search->sight[g].n; place++)
		{
			bool		plain = !(search->pinned != NOBODY && search->pinned_group == g && search->place_of[g][search->pinned] == place);

			for (int i = 0; i < search->nties && search->is_still; i++)
				for (int side = 0; side < 2; side++)
					plain &= search->tie[i].group[side] != g || search->place_of[g][search->tie[i].person] != place;
			if (plain == (is_plain == 1) && turn++ == at)
				return place;
		}
	return 0;
}

static bool
find_values(Search *search, int g, int e, int at, int changes)
{
	const Sight *sight = &search->sight[g];
	int			place;
	int			before;
	int			begin = draw_below(MAX_VALUES);
	bool		may_change;

	if (++search->steps > MAX_STEPS)
		return false;
	if (at == sight->n)
	{
		int			rest[MAX_VALUES];
		bool		found;

		if ((search->is_still && changes > 0) || !partings_agree(search, g, e))
			return false;
		memcpy(rest, search->rest, sizeof(rest));
		found = next_epoch(search, g, e + 1);
		memcpy(search->rest, rest, sizeof(rest));
		return found;
	}
	place = place_at(search, g, at);
	before = e == 0 ? -1 : search->value[g][e - 1][place];
	if (e > 0 && is_parted_before(sight, search->gone[g][place], e))
	{
		search->value[g][e][place] = before;
		return find_values(search, g, e, at + 1, changes);
	}
	may_change = e == 0 || may_change_in(search, g, e, place);
	for (int i = 0; i < MAX_VALUES; i++)
	{
		int			v = (begin + i) % MAX_VALUES;
		bool		is_new = e > 0 && v != before;
		bool		found;

		if (search->rest[v] == 0 || (is_new && (!may_change || (search->is_still && changes == 0))) || !value_agrees(search, g, e, place, v))
			continue;
		search->value[g][e][place] = v;
		search->rest[v]--;
		found = find_values(search, g, e, at + 1, changes - is_new);
		search->rest[v]++;
		search->value[g][e][place] = -1;
		if (found)
			return true;
	}
	return false;
}

/* All places of those who are away when places are parted off are; nobody comes back to them. */
static bool
part_places(Search *search)
{
	for (int g = 0; g < search->life->ngroups; g++)
	{
		const Sight *sight = &search->sight[g];

		for (int place = 0; place < sight->n && sight->component == search->component; place++)
		{
			int			last = -1;
			int			at = sight->npartings;

			search->gone[g][place] = sight->npartings;
			for (int i = sight->npartings - 1; i >= 0; i--)
			{
				bool		is_taken = false;

				for (int p = 0; p < search->life->npeople; p++)
					is_taken |= sight->in[sight->parted_in[i]][p] && search->place_of[g][p] == place;
				if (!is_taken)
					at = i;
			}
			for (int p = 0; p < search->life->npeople; p++)
				if (sight->was[p] && search->place_of[g][p] == place)
					last = Max(last, sight->last[p]);
			search->gone[g][place] = at;
			if (at < sight->npartings && last > sight->parted_in[at])
				return false;
		}
	}
	return true;
}

/* ---- Chances: in each release that a person is in, the value changes with a small one ---- */

#define MAX_STATES		210		/* orders of the values of an epoch: of seven places with three */
#define MAX_WEIGHED		24
#define CHANGE			0.02
#define SURE			0.9

typedef struct States
{
	int			n;
	int8		value[MAX_STATES][MAX_CLASS];
	double		before[MAX_STATES]; /* weight of all that leads here */
	double		behind[MAX_STATES]; /* and away from here, each on the average */
} States;

static void
list_states(States *states, int *rest, int8 *value, int at, int n)
{
	if (at == n && states->n++ < MAX_STATES)
		memcpy(states->value[states->n - 1], value, MAX_CLASS);
	for (int v = 0; v < MAX_VALUES && at < n && states->n <= MAX_STATES; v++)
		if (rest[v] > 0)
		{
			rest[v]--;
			value[at] = v;
			list_states(states, rest, value, at + 1, n);
			rest[v]++;
		}
}

/* The chance that a place shows a value after another one, by who sits there when the epoch begins. */
static double
chance_of(const Search *search, int g, int e, int place, bool is_same)
{
	const Sight *sight = &search->sight[g];

	for (int p = 0; p < search->life->npeople; p++)
		if (sight->may_change[e][p] && search->place_of[g][p] == place)
		{
			double		stays = pow(1 - CHANGE, sight->since[e] - Max(sight->since[e - 1], sight->came[p]));

			return is_same ? stays : (1 - stays) / search->life->nvalues;
		}
	return is_same;
}

/* Adds the weights of all orders of the values, for one way to sit. */
static void
weigh(Search *search, int g)
{
	static States states[MAX_OBSERVED];
	const Sight *sight = &search->sight[g];

	for (int e = 0; e < sight->nepochs; e++)
	{
		int			rest[MAX_VALUES];
		int8		value[MAX_CLASS] = {0};

		memcpy(rest, sight->count[e], sizeof(rest));
		states[e].n = 0;
		list_states(&states[e], rest, value, 0, sight->n);
		search->nweighed += states[e].n > MAX_STATES ? MAX_WEIGHED : 0;
	}
	if (++search->nweighed > MAX_WEIGHED)
		return;
	for (int i = 0; i < sight->nepochs * 2; i++)
	{
		int			e = i < sight->nepochs ? i : sight->nepochs * 2 - 1 - i;
		int			from = i < sight->nepochs ? e - 1 : e + 1;
		double		chance[MAX_CLASS][2];

		for (int place = 0; place < sight->n && Max(e, from) < sight->nepochs && Min(e, from) >= 0; place++)
			for (int is_same = 0; is_same < 2; is_same++)
				chance[place][is_same] = chance_of(search, g, Max(e, from), place, is_same);
		for (int s = 0; s < states[e].n; s++)
		{
			double	   *weight = i < sight->nepochs ? &states[e].before[s] : &states[e].behind[s];

			*weight = from < 0 || from == sight->nepochs;
			for (int t = 0; t < states[from].n && from >= 0 && from < sight->nepochs; t++)
			{
				double		all = i < sight->nepochs ? states[from].before[t] : states[from].behind[t];

				for (int place = 0; place < sight->n && all > 0; place++)
					all *= chance[place][states[e].value[s][place] == states[from].value[t][place]];
				*weight += all;
			}
			for (int p = 0; p < search->life->npeople && i >= sight->nepochs; p++)
				if (sight->was[p])
					search->weight[e][p][states[e].value[s][search->place_of[g][p]]] += states[e].before[s] * states[e].behind[s];
		}
	}
}

static bool
find_seats(Search *search, int at)
{
	int			g;
	int			p;
	int			begin;
	const Sight *sight;

	if (++search->steps > MAX_STEPS)
		return false;
	if (at == search->narrivals)
	{
		if (!part_places(search))
			return false;
		if (search->frequency > 0)
		{
			search->nworlds++;
			for (g = 0; g < search->life->ngroups; g++)
				for (p = 0; p < search->life->npeople; p++)
					if (search->sight[g].component == search->component && search->sight[g].was[p])
						search->in_parted[g][p] += search->gone[g][search->place_of[g][p]] == 0;
			return false;
		}
		if (search->weighs)
		{
			weigh(search, search->component);
			return search->nweighed > MAX_WEIGHED;
		}
		return next_epoch(search, 0, 0);
	}
	g = search->arrival_group[at];
	p = search->arrival[at];
	sight = &search->sight[g];
	begin = draw_below(sight->n);
	for (int i = 0; i < sight->n; i++)
	{
		int			place = (begin + i) % sight->n;
		int			sitter = search->sitter[g][place];
		bool		found;

		if (sight->last[sitter] >= sight->came[p])
			continue;
		search->sitter[g][place] = p;
		search->place_of[g][p] = place;
		found = find_seats(search, at + 1);
		search->sitter[g][place] = sitter;
		if (found)
			return true;
	}
	search->place_of[g][p] = -1;
	return false;
}

/* Is there a world of the component? */
static bool
find_world(Search *search, int component)
{
	search->component = component;
	search->steps = search->narrivals = 0;
	memset(search->value, 0xff, sizeof(search->value));
	memset(search->place_of, 0xff, sizeof(search->place_of));
	for (int g = 0; g < search->life->ngroups; g++)
	{
		const Sight *sight = &search->sight[g];

		if (sight->component != component)
			continue;
		for (int place = 0; place < sight->n; place++)
		{
			search->sitter[g][place] = sight->first[place];
			search->place_of[g][sight->first[place]] = place;
		}
		for (int i = 0; i < sight->narrivals; i++)
		{
			search->arrival_group[search->narrivals] = g;
			search->arrival[search->narrivals++] = sight->arrival[i];
		}
	}
	return find_seats(search, 0);
}

/* ---- Questions ---- */

static void
class_counts(const Search *search, int g, int r, int *count)
{
	const LoggedRelease *release = &search->life->release[r];

	memset(count, 0, sizeof(int) * MAX_VALUES);
	for (int c = 0; c < release->nclasses; c++)
		for (int i = 0; i < release->class[c].n && release->class[c].group == g; i++)
			count[value_index(release->class[c].row[i].value)]++;
}

/* NULL is a row, and no value; to ask for one value is to ask for none. */
static void
measure_mask(uint32 mask, const int *count, int *values, int *rows)
{
	*values = *rows = 0;
	for (int v = 0; v < MAX_VALUES; v++)
		if (mask & 1u << v)
		{
			*values += v != NULL_VALUE;
			*rows += count[v];
		}
}

static void
ask(Search *search, int p, int g, int r, Observed *observed)
{
	const LoggedRelease *release = &search->life->release[r];
	int			count[MAX_VALUES];
	int			values;
	int			rows;
	int			least = release->l > 1 ? release->l : 0;
	bool		is_decided = true;

	class_counts(search, g, r, count);
	measure_mask(search->possible[p][r], count, &values, &rows);
	for (int v = 0; v < MAX_VALUES && (values < least || rows < release->k); v++)
	{
		if (count[v] == 0 || search->possible[p][r] & 1u << v)
			continue;
		search->pinned = p;
		search->pinned_group = g;
		search->pinned_epoch = search->sight[g].epoch_in[r];
		search->pinned_value = v;
		if (!find_world(search, search->sight[g].component))
			is_decided &= search->steps <= MAX_STEPS;
		measure_mask(search->possible[p][r], count, &values, &rows);
	}
	search->pinned = NOBODY;
	observed->looked_at++;
	if (!is_decided && (values < least || rows < release->k))
		observed->undecided++;
	else
	{
		observed->poor += values < least;
		observed->few += rows < release->k;
		if (getenv("PLACES_SHOW") != NULL && (values < least || rows < release->k))
			printf("# release %d: person %d of group %d has values %x in %d rows, where values %s\n", r, p, g, search->possible[p][r], rows,
				   search->is_still ? "stay" : "change");
	}
}

/* All orders of the values are as likely: a person has the share of those parted off, or of those left, in the epoch of the parting. */
static void
measure_shares(Search *search, int g, Observed *observed)
{
	const Sight *sight = &search->sight[g];
	int			count[MAX_VALUES];

	search->nworlds = 0;
	memset(search->in_parted[g], 0, sizeof(search->in_parted[g]));
	(void) find_world(search, g);
	for (int r = 0; r < search->life->releases; r++)
		for (int p = 0; p < search->life->npeople; p++)
		{
			double		parted = search->nworlds == 0 ? 0 : search->in_parted[g][p] / search->nworlds;
			bool		is_parting = sight->npartings > 0 && sight->epoch_in[r] == sight->epoch_in[sight->parted_in[0]];
			const int  *all = sight->epoch_in[r] < 0 ? NULL : sight->count[sight->epoch_in[r]];
			int			n = 0;
			int			nleft = 0;

			if (!sight->in[r][p])
				continue;
			for (int v = 0; v < MAX_VALUES; v++)
			{
				n += v == NULL_VALUE ? 0 : all[v];
				nleft += v == NULL_VALUE ? 0 : sight->left[0][v];
			}
			class_counts(search, g, r, count);
			for (int v = 0; v < NULL_VALUE; v++)
			{
				double		share = n == 0 ? 0 : (double) all[v] / n;

				if (is_parting && n > nleft && nleft > 0)
					share = parted * (all[v] - sight->left[0][v]) / (n - nleft) + (1 - parted) * sight->left[0][v] / nleft;
				if (share * search->frequency > 1 + 1e-9)
				{
					observed->sure++;
					break;
				}
			}
		}
}

/* Is somebody's value as good as known, though fewer rows of the class show it?  Groups that were refreshed and never parted tell. */
static void
measure_chances(Search *search, int g, Observed *observed)
{
	const Sight *sight = &search->sight[g];

	search->nweighed = sight->nepochs < 2 || sight->npartings > 0 ? MAX_WEIGHED : 0;
	memset(search->weight, 0, sizeof(search->weight));
	(void) find_world(search, g);
	for (int e = 0; e < sight->nepochs && search->nweighed <= MAX_WEIGHED && search->nweighed > 0; e++)
		for (int p = 0; p < search->life->npeople; p++)
		{
			double		all = 0;
			bool		is_in = false;

			for (int r = 0; r < search->life->releases; r++)
				is_in |= sight->epoch_in[r] == e && sight->in[r][p];
			for (int v = 0; v < MAX_VALUES; v++)
				all += search->weight[e][p][v];
			observed->weighed += is_in && all > 0;
			for (int v = 0; v < NULL_VALUE && is_in; v++)
				if (search->weight[e][p][v] > SURE * all && sight->count[e][v] <= SURE * sight->n)
				{
					observed->certain++;
					if (getenv("PLACES_SHOW") != NULL)
						printf("# person %d of group %d has value %d with a chance of %.2f from release %d on\n", p, g, v, search->weight[e][p][v] / all, sight->since[e]);
				}
		}
}

/* What did a place show last before a release? */
static Code
shown_before(const Life *life, int place, int r)
{
	while (r-- > 0)
		for (int c = 0; c < life->release[r].nclasses; c++)
			for (int i = 0; i < life->release[r].class[c].n; i++)
				if (life->release[r].class[c].row[i].place == place)
					return life->release[r].class[c].row[i].value;
	return NO_CODE;
}

/* No more rows changed than must, and nobody's value changed between two places. */
bool
is_as_supposed(const Life *life)
{
	Code		last[MAX_PEOPLE];
	int			group_in[MAX_PEOPLE];

	memset(group_in, 0xff, sizeof(group_in));
	for (int r = 0; r < life->releases; r++)
		for (int c = 0; c < life->release[r].nclasses; c++)
		{
			const LoggedClass *class = &life->release[r].class[c];
			int			more[MAX_VALUES] = {0};
			int			changed = 0;
			int			forced = 0;

			/* What those parted off showed may be what others show now. */
			for (int place = life->first[class->group]; place < life->first[class->group + 1]; place++)
				if (life->release[r].is_gone[place])
					more[value_index(shown_before(life, place, r))]--;

			for (int i = 0; i < class->n; i++)
			{
				int			p = class->row[i].person;

				if (p == NOBODY)
					continue;
				if (group_in[p] >= 0 && last[p] != class->row[i].value)
				{
					if (group_in[p] != class->group)
						return false;
					changed++;
					more[value_index(class->row[i].value)]++;
					more[value_index(last[p])]--;
				}
				last[p] = class->row[i].value;
				group_in[p] = class->group;
			}
			for (int v = 0; v < MAX_VALUES; v++)
				forced += Max(more[v], 0);
			if (changed > forced)
				return false;
		}
	return true;
}

void
observe(const Life *life, bool is_still, double frequency, Observed *observed)
{
	static Search search;

	memset(&search, 0, sizeof(Search));
	search.life = life;
	search.is_still = is_still;
	search.pinned = NOBODY;
	see(&search);
	if (is_still)
		see_ties(&search);
	for (int g = 0; g < life->ngroups; g++)
	{
		if (search.sight[g].component == g && !find_world(&search, g))
		{
			if (search.steps > MAX_STEPS)
				observed->undecided++;
			else
				observed->no_world++;
			return;
		}
	}
	for (int r = 0; r < life->releases; r++)
		for (int g = 0; g < life->ngroups; g++)
			for (int p = 0; p < life->npeople; p++)
				if (search.sight[g].in[r][p])
					ask(&search, p, g, r, observed);
	search.frequency = frequency;
	for (int g = 0; g < life->ngroups && frequency > 0 && !is_still; g++)
		measure_shares(&search, g, observed);
	search.frequency = 0;
	search.weighs = true;
	for (int g = 0; g < life->ngroups && !is_still; g++)
		measure_chances(&search, g, observed);
}

bool
find_possible_values(const Life *life, const bool *is_known, uint32 possible[MAX_PEOPLE][MAX_RELEASES])
{
	static Search search;

	memset(&search, 0, sizeof(Search));
	search.life = life;
	search.is_still = true;
	search.is_known = is_known;
	search.pinned = NOBODY;
	see(&search);
	see_ties(&search);
	for (int g = 0; g < life->ngroups; g++)
		if (search.sight[g].component == g && !find_world(&search, g))
			return false;
	for (int g = 0; g < life->ngroups; g++)
		for (int r = 0; r < life->releases; r++)
			for (int p = 0; p < life->npeople; p++)
				for (int v = 0; v < MAX_VALUES && search.sight[g].in[r][p]; v++)
				{
					if (search.possible[p][r] & 1u << v || search.sight[g].count[search.sight[g].epoch_in[r]][v] == 0)
						continue;
					search.pinned = p;
					search.pinned_group = g;
					search.pinned_epoch = search.sight[g].epoch_in[r];
					search.pinned_value = v;
					if (!find_world(&search, search.sight[g].component) && search.steps > MAX_STEPS)
						return false;
				}
	memcpy(possible, search.possible, sizeof(search.possible));
	return true;
}
