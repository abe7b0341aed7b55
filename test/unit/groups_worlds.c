/*
 * groups_worlds.c
 *		An observer of groups of places, who looks for all worlds that could have been.
 *
 * A world says for each place what it showed in each release, and who sat there.  The first people of a group have its places,
 * one each, so an unknown order of them is an unknown order of values; a person who comes later took a place that was free.
 * Observers know who is in which class, what each class shows, how many rows stand in, who is there and not shown, and which
 * rows could show something new.  A class has all places of a part; if it has fewer rows, the others were parted off.
 *
 * Each person's value in each release is asked for: is there a world with another one?  A world found answers for everybody.
 */
#include "groups.h"

#include <math.h>

#define MAX_EVENTS		32				/* classes of a group, as observers see them */
#ifndef MAX_STEPS
#define MAX_STEPS		40000
#endif
#define NULL_VALUE		(MAX_VALUES - 1)	/* a NULL is like a value here; values are fewer */

/* A class of a group. */
typedef struct Event
{
	int			r;				/* the release */
	int			epoch;
	bool		begins;			/* does it begin the epoch? */
	int			n;				/* rows */
	int			count[MAX_VALUES];	/* of them with each value */
	int			npeople;
	int			person[MAX_CLASS];
} Event;

/* A group as observers see it. */
typedef struct Sight
{
	int			n;				/* places */
	int			nevents;
	Event		event[MAX_EVENTS];
	int			nepochs;
	int			begin[MAX_EVENTS];	/* the event that begins the epoch */
	bool		may_change[MAX_EVENTS][MAX_PEOPLE]; /* the person's row, where the epoch begins */
	int			first_parting;	/* event, or nevents */
	int			first[MAX_CLASS];	/* the person who sat there first */
	int			narrivals;
	int			arrival[MAX_PEOPLE];
	int			in[MAX_RELEASES][MAX_PEOPLE];	/* the event that the person is in, from 1 on; or 0 */
	int			came[MAX_PEOPLE];
	int			last[MAX_PEOPLE];
	bool		was[MAX_PEOPLE];	/* ever in it */
	int			truth[MAX_EVENTS][MAX_PEOPLE];
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
	bool		has[MAX_GROUPS][MAX_EVENTS][MAX_CLASS]; /* the places of each event */
	int			before[MAX_GROUPS][MAX_EVENTS][MAX_VALUES]; /* what they showed before, at most */
	int			value[MAX_GROUPS][MAX_EVENTS][MAX_CLASS];	/* by epoch; or -1 */
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
	double		weight[MAX_EVENTS][MAX_PEOPLE][MAX_VALUES];
} Search;

static int
group_of(const Life *life, int place)
{
	int			g = 0;

	while (life->first[g + 1] <= place)
		g++;
	return g;
}

static int
value_index(Code value)
{
	return value == NO_CODE ? NULL_VALUE : (int) value;
}

/* ---- Seeing ---- */

static void
see_class(const Life *life, Sight *sight, const LoggedClass *class, int r)
{
	Event	   *event = &sight->event[sight->nevents++];

	check(sight->nevents < MAX_EVENTS);
	*event = (Event) {.r = r,.begins = class->is_new,.n = class->n};
	for (int i = 0; i < class->n; i++)
	{
		event->begins |= class->row[i].may_change;
		event->count[value_index(class->row[i].value)]++;
	}
	if (event->begins)
		sight->begin[sight->nepochs++] = sight->nevents - 1;
	event->epoch = sight->nepochs - 1;
	if (class->n < sight->n)
		sight->first_parting = Min(sight->first_parting, sight->nevents - 1);
	for (int i = 0; i < class->n; i++)
	{
		int			p = class->row[i].person;

		if (p == NOBODY)
			continue;
		event->person[event->npeople++] = p;
		if (event->begins)
			sight->may_change[event->epoch][p] = class->row[i].may_change;
		if (class->is_new)
			sight->first[i] = p;
		else if (!sight->was[p])
			sight->arrival[sight->narrivals++] = p;
		if (!sight->was[p])
			sight->came[p] = r;
		sight->was[p] = true;
		sight->last[p] = r;
		sight->truth[event->epoch][p] = value_index(class->row[i].value);
		sight->in[r][p] = sight->nevents;
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
		sight->first_parting = MAX_EVENTS;
	}
	for (int r = 0; r < life->releases; r++)
		for (int c = 0; c < life->release[r].nclasses; c++)
			see_class(life, &search->sight[life->release[r].class[c].group], &life->release[r].class[c], r);
}

/* The class that shows a person of the group in a release. */
static const Event *
event_of(const Sight *sight, int p, int r)
{
	return &sight->event[sight->in[r][p] - 1];
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
			int			from = group_of(life, life->person[p].stay[s - 1]);
			int			to = group_of(life, life->person[p].stay[s]);
			int			came = life->person[p].came[s] - 1;
			int			left;
			int			joined;

			left = last_release_in(&search->sight[from], p, came);
			check(left >= 0 && from != to);
			search->tie[search->nties++] = (Tie) {
				.person = p,.group = {from, to},.epoch = {event_of(&search->sight[from], p, left)->epoch, event_of(&search->sight[to], p, came)->epoch}
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
					search->possible[p][r] |= 1u << search->value[g][event_of(&search->sight[g], p, r)->epoch][search->place_of[g][p]];
}

/* The epoch that began with the value which a place shows in another one. */
static int
epoch_of_value(const Search *search, int g, int e, int place)
{
	while (!search->has[g][search->sight[g].begin[e]][place])
		e--;
	return e;
}

/* Does the value agree with what was asked, and with the other places of those who sat there? */
static bool
value_agrees(const Search *search, int g, int e, int place, int value)
{
	if (search->pinned != NOBODY && search->pinned_group == g && search->place_of[g][search->pinned] == place &&
		epoch_of_value(search, g, search->pinned_epoch, place) == e && search->pinned_value != value)
		return false;
	for (int r = 0; r < search->life->releases && search->is_known != NULL; r++)
		for (int p = 0; p < search->life->npeople; p++)
		{
			int			shown = search->is_known[p] && search->sight[g].in[r][p] && search->place_of[g][p] == place ?
				event_of(&search->sight[g], p, r)->epoch : -1;

			if (shown >= 0 && epoch_of_value(search, g, shown, place) == e && search->sight[g].truth[shown][p] != value)
				return false;
		}
	for (int i = 0; i < search->nties && search->is_still; i++)
		for (int side = 0; side < 2; side++)
		{
			const Tie  *tie = &search->tie[i];
			int			there = tie->group[1 - side];
			int			other;

			if (tie->group[side] != g || search->place_of[g][tie->person] != place || epoch_of_value(search, g, tie->epoch[side], place) != e)
				continue;
			other = search->place_of[there][tie->person];
			other = search->value[there][epoch_of_value(search, there, tie->epoch[1 - side], other)][other];
			if (other >= 0 && other != value)
				return false;
		}
	return true;
}

/* The number of places that have to change, if no more do than must. */
static int
changes_forced(const Search *search, int g, int e)
{
	const Sight *sight = &search->sight[g];
	int			changes = 0;

	for (int v = 0; v < MAX_VALUES; v++)
		changes += Max(0, sight->event[sight->begin[e]].count[v] - search->before[g][sight->begin[e]][v]);
	return changes;
}

/* Places of each class must show what was seen. */
static bool
events_agree(const Search *search, int g, int e)
{
	const Sight *sight = &search->sight[g];

	for (int i = 0; i < sight->nevents; i++)
	{
		int			count[MAX_VALUES] = {0};

		if (sight->event[i].epoch != e)
			continue;
		for (int place = 0; place < sight->n; place++)
			if (search->has[g][i][place])
				count[search->value[g][e][place]]++;
		if (memcmp(count, sight->event[i].count, sizeof(count)) != 0)
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
	memcpy(search->rest, search->sight[g].event[search->sight[g].begin[e]].count, sizeof(search->rest));
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

		if ((search->is_still && changes > 0) || !events_agree(search, g, e))
			return false;
		memcpy(rest, search->rest, sizeof(rest));
		found = next_epoch(search, g, e + 1);
		memcpy(search->rest, rest, sizeof(rest));
		return found;
	}
	place = place_at(search, g, at);
	before = e == 0 ? -1 : search->value[g][e - 1][place];
	if (!search->has[g][sight->begin[e]][place])
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

/* The places of a class are a part, or what is left of one. */
static bool
part_by_event(Search *search, int g, int i, int *part, int *nparts, int (*known)[MAX_VALUES])
{
	const Event *event = &search->sight[g].event[i];
	int			n = search->sight[g].n;
	bool	   *has = search->has[g][i];
	int			of = part[search->place_of[g][event->person[0]]];
	int			nplaces = 0;

	for (int place = 0; place < n; place++)
	{
		has[place] = part[place] == of;
		nplaces += has[place];
	}
	for (int j = 0; j < event->npeople; j++)
		if (!has[search->place_of[g][event->person[j]]])
			return false;
	if (nplaces < event->n || (nplaces > event->n && event->n > event->npeople))
		return false;
	memcpy(search->before[g][i], known[of], sizeof(known[of]));
	if (nplaces > event->n)
	{
		memset(has, 0, sizeof(bool) * n);
		for (int j = 0; j < event->npeople; j++)
			has[search->place_of[g][event->person[j]]] = true;
		for (int place = 0; place < n; place++)
			if (part[place] == of && !has[place])
				part[place] = *nparts;
		/* Of new values nobody sees which old ones went. */
		for (int v = 0; v < MAX_VALUES; v++)
			known[*nparts][v] = known[of][v] - (event->begins ? 0 : event->count[v]);
		(*nparts)++;
	}
	memcpy(known[of], event->count, sizeof(known[of]));
	return true;
}

/* Finds the places of all classes, where the seats are known. */
static bool
part_places(Search *search)
{
	for (int g = 0; g < search->life->ngroups; g++)
	{
		int			part[MAX_CLASS] = {0};
		int			known[MAX_CLASS][MAX_VALUES] = {{0}};
		int			nparts = 1;

		for (int i = 0; i < search->sight[g].nevents && search->sight[g].component == search->component; i++)
			if (!part_by_event(search, g, i, part, &nparts, known))
				return false;
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
			double		stays = pow(1 - CHANGE, sight->event[sight->begin[e]].r - Max(sight->event[sight->begin[e - 1]].r, sight->came[p]));

			return is_same ? stays : (1 - stays) / search->life->nvalues;
		}
	return is_same;
}

/* Adds the weights of all orders of the values, for one way to sit. */
static void
weigh(Search *search, int g)
{
	static States states[MAX_EVENTS];
	const Sight *sight = &search->sight[g];

	for (int e = 0; e < sight->nepochs; e++)
	{
		int			rest[MAX_VALUES];
		int8		value[MAX_CLASS] = {0};

		memcpy(rest, sight->event[sight->begin[e]].count, sizeof(rest));
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
			for (int t = 0; from >= 0 && from < sight->nepochs && t < states[from].n; t++)
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
					if (search->sight[g].component == search->component && search->sight[g].was[p] && search->sight[g].first_parting < MAX_EVENTS)
						search->in_parted[g][p] += !search->has[g][search->sight[g].first_parting][search->place_of[g][p]];
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

		/* Nobody takes the place of somebody who is there, shown or not. */
		if (sight->last[sitter] >= sight->came[p] || search->life->release[sight->came[p]].stays_in[sitter] == g + 1)
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
	const Event *event = event_of(&search->sight[g], p, r);
	const int  *count = event->count;
	int			values;
	int			rows;
	int			least = release->l > 1 ? release->l : 0;
	bool		is_decided = true;

	measure_mask(search->possible[p][r], count, &values, &rows);
	for (int v = 0; v < MAX_VALUES && (values < least || rows < release->k); v++)
	{
		if (count[v] == 0 || search->possible[p][r] & 1u << v)
			continue;
		search->pinned = p;
		search->pinned_group = g;
		search->pinned_epoch = event->epoch;
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
	const Event *parting = sight->first_parting < MAX_EVENTS ? &sight->event[sight->first_parting] : NULL;

	search->nworlds = 0;
	memset(search->in_parted[g], 0, sizeof(search->in_parted[g]));
	(void) find_world(search, g);
	for (int r = 0; r < search->life->releases; r++)
		for (int p = 0; p < search->life->npeople; p++)
		{
			double		parted = search->nworlds == 0 ? 0 : search->in_parted[g][p] / search->nworlds;
			const int  *all;
			bool		is_parting;
			int			n = 0;
			int			nleft = 0;

			if (sight->in[r][p] == 0)
				continue;
			all = sight->event[sight->begin[event_of(sight, p, r)->epoch]].count;
			is_parting = parting != NULL && event_of(sight, p, r)->epoch == parting->epoch && !parting->begins;
			for (int v = 0; v < MAX_VALUES; v++)
			{
				n += v == NULL_VALUE ? 0 : all[v];
				nleft += v == NULL_VALUE || !is_parting ? 0 : parting->count[v];
			}
			for (int v = 0; v < NULL_VALUE; v++)
			{
				double		share = n == 0 ? 0 : (double) all[v] / n;

				if (is_parting && n > nleft && nleft > 0)
					share = parted * (all[v] - parting->count[v]) / (n - nleft) + (1 - parted) * parting->count[v] / nleft;
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

	search->nweighed = sight->nepochs < 2 || sight->first_parting < MAX_EVENTS ? MAX_WEIGHED : 0;
	memset(search->weight, 0, sizeof(search->weight));
	(void) find_world(search, g);
	for (int e = 0; e < sight->nepochs && search->nweighed <= MAX_WEIGHED && search->nweighed > 0; e++)
		for (int p = 0; p < search->life->npeople; p++)
		{
			double		all = 0;
			bool		is_in = false;

			for (int r = 0; r < search->life->releases; r++)
				is_in |= sight->in[r][p] && event_of(sight, p, r)->epoch == e;
			for (int v = 0; v < MAX_VALUES; v++)
				all += search->weight[e][p][v];
			observed->weighed += is_in && all > 0;
			for (int v = 0; v < NULL_VALUE && is_in; v++)
				if (search->weight[e][p][v] > SURE * all && sight->event[sight->begin[e]].count[v] <= SURE * sight->n)
				{
					observed->certain++;
					if (getenv("PLACES_SHOW") != NULL)
						printf("# person %d of group %d has value %d with a chance of %.2f from release %d on\n", p, g, v, search->weight[e][p][v] / all, sight->event[sight->begin[e]].r);
				}
		}
}

/* What was shown: how many rows of the class changed? */
static int
changes_of(const LoggedClass *class, const Code *last)
{
	int			changes = 0;

	for (int i = 0; i < class->n; i++)
		changes += class->row[i].value != last[class->row[i].place];
	return changes;
}

/* No more rows changed than must, and nobody's value changed between two places. */
bool
is_as_supposed(const Life *life)
{
	static Search search;
	Code		last[MAX_PLACES];
	Code		shown[MAX_PEOPLE];
	int			group_in[MAX_PEOPLE];
	int			nevents[MAX_GROUPS] = {0};

	memset(&search, 0, sizeof(Search));
	memset(group_in, 0xff, sizeof(group_in));
	search.life = life;
	see(&search);
	for (int p = 0; p < life->npeople; p++)
		for (int s = 0; s < life->person[p].nstays; s++)
			search.place_of[group_of(life, life->person[p].stay[s])][p] = life->person[p].stay[s] - life->first[group_of(life, life->person[p].stay[s])];
	for (int g = 0; g < life->ngroups; g++)
		search.sight[g].component = 0;
	check(part_places(&search));
	for (int r = 0; r < life->releases; r++)
		for (int c = 0; c < life->release[r].nclasses; c++)
		{
			const LoggedClass *class = &life->release[r].class[c];
			const Event *event = &search.sight[class->group].event[nevents[class->group]++];

			if (event->begins && event->epoch > 0 && changes_of(class, last) > changes_forced(&search, class->group, event->epoch))
				return false;
			for (int i = 0; i < class->n; i++)
			{
				const LoggedRow *row = &class->row[i];

				last[row->place] = row->value;
				if (row->person == NOBODY)
					continue;
				if (group_in[row->person] >= 0 && group_in[row->person] != class->group && shown[row->person] != row->value)
					return false;
				shown[row->person] = row->value;
				group_in[row->person] = class->group;
			}
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
					const Event *event = event_of(&search.sight[g], p, r);

					if (search.possible[p][r] & 1u << v || event->count[v] == 0)
						continue;
					search.pinned = p;
					search.pinned_group = g;
					search.pinned_epoch = event->epoch;
					search.pinned_value = v;
					if (!find_world(&search, search.sight[g].component) && search.steps > MAX_STEPS)
						return false;
				}
	memcpy(possible, search.possible, sizeof(search.possible));
	return true;
}
