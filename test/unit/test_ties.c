/*
 * test_ties.c
 *		People with places in several groups: the filter, and the search for worlds, compared with all worlds there are.
 */
#include "shim.h"

#include <time.h>

#include "method/bpg/ties.h"
#include "method/bpg/worlds.h"

/* ---- All worlds of a few small halls ---- */

#define HALLS 4
#define SEATS 5

static uint32 l;
static uint64 k;
static Hall *hall[HALLS];
static int	nhalls;
static Bond *bonds[64];
static int	nbonds;
static bool can_have[HALLS][SEATS][SEATS];	/* a seat has a track in some world */
static uint32 tracks[HALLS][SEATS];
static long worlds;

static bool
bond_holds(const Bond *bond)
{
	Code		value[2];

	for (int i = 0; i < 2; i++)
	{
		const BondEnd *end = &bond->end[i];
		uint32		track = NO_ROW;

		for (int h = 0; h < nhalls; h++)
			if (hall[h] == end->hall)
				track = tracks[h][end->seat];
		value[i] = end->hall->value[end->first_epoch * end->hall->n + track];
		for (uint32 e = end->first_epoch; e <= end->last_epoch; e++)
			if (end->hall->value[e * end->hall->n + track] != value[i])
				return false;
	}
	return value[0] == value[1];
}

static void
enumerate(int h)
{
	int			count = 1;

	if (h == nhalls)
	{
		worlds++;
		for (int g = 0; g < nhalls; g++)
			for (uint32 s = 0; s < hall[g]->n; s++)
				can_have[g][s][tracks[g][s]] = true;
		return;
	}
	for (uint32 i = 2; i <= hall[h]->n; i++)
		count *= i;
	for (int p = 0; p < count; p++)
	{
		bool		holds = true;

		/* The p-th permutation of the seats */
		for (uint32 s = 0, rest = p, used = 0; s < hall[h]->n; s++)
		{
			uint32		nth = rest % (hall[h]->n - s);
			uint32		t = 0;

			for (rest /= hall[h]->n - s; used >> t & 1 || nth-- > 0;)
				t++;
			used |= 1u << t;
			tracks[h][s] = t;
			holds &= hall[h]->part == NULL || hall[h]->part[s] == hall[h]->part[t];
		}
		for (int b = 0; b < nbonds && holds; b++)
		{
			int			last = 0;

			for (int i = 0; i < 2; i++)
				for (int g = 0; g < nhalls; g++)
					if (hall[g] == bonds[b]->end[i].hall)
						last = Max(last, g);
			holds = last != h || bond_holds(bonds[b]);
		}
		if (holds)
			enumerate(h + 1);
	}
}

static void
find_all_worlds(void)
{
	worlds = 0;
	memset(can_have, 0, sizeof(can_have));
	enumerate(0);
}

static bool
is_bound(const Hall *h, uint32 seat)
{
	for (int b = 0; b < nbonds; b++)
		for (int i = 0; i < 2; i++)
			if (bonds[b]->end[i].hall == h && bonds[b]->end[i].seat == seat)
				return true;
	return false;
}

/* Has a seat l values and k rows in all epochs, of all worlds?  With company: has anybody who is not tied? */
static bool
is_truly_safe(int h, uint32 seat)
{
	const Hall *x = hall[h];

	for (uint32 e = 0; e < x->nepochs; e++)
	{
		uint32		values = 0;
		uint64		rows = 0;

		for (uint32 t = 0; t < x->n; t++)
		{
			bool		first = true;
			bool		is_candidate = false;

			for (uint32 u = 0; u < x->n; u++)
			{
				if (x->value[e * x->n + u] != x->value[e * x->n + t])
					continue;
				if (can_have[h][seat][u])
					is_candidate = true;
				if (can_have[h][seat][u] && u < t)
					first = false;
			}
			if (can_have[h][seat][t] && first && x->value[e * x->n + t] != NO_CODE)
				values++;
			rows += is_candidate && (x->part == NULL || x->part[t] == x->part[seat]);
		}
		if (values < l || rows < k)
			return false;
	}
	return true;
}

static void
draw_halls(void)
{
	uint32		nvalues = 2 + any_below(3);

	nhalls = 2 + any_below(HALLS - 1);
	for (int h = 0; h < nhalls; h++)
	{
		uint32		n = 3 + any_below(nhalls == 4 ? 2 : 3);
		uint32		nepochs = 1 + any_below(2);
		Code	   *value = palloc(sizeof(Code) * n * nepochs);
		uint32	   *part = palloc0(sizeof(uint32) * n);

		for (uint32 i = 0; i < n * nepochs; i++)
			value[i] = i >= n && any_below(2) ? value[i - n] : any_below(20) == 0 ? NO_CODE : any_below(nvalues);
		for (uint32 i = 0; i < n; i++)
			part[i] = n == 5 && i >= 3;
		hall[h] = hall_create(n, nepochs, value, any_below(4) == 0 ? part : NULL);
	}
	nbonds = 0;
	l = 1 + any_below(3);
	k = 1 + any_below(3);
}

static Bond *
draw_bond(void)
{
	Bond	   *bond = palloc0(sizeof(Bond));
	uint32		a = any_below(nhalls);
	uint32		h[2] = {a, (a + 1 + any_below(nhalls - 1)) % nhalls};

	for (int i = 0; i < 2; i++)
	{
		Hall	   *x = hall[h[i]];

		bond->end[i].hall = x;
		bond->end[i].seat = any_below(x->n);
		bond->end[i].first_epoch = any_below(x->nepochs);
		bond->end[i].last_epoch = any_below(3) == 0 ? x->nepochs - 1 : bond->end[i].first_epoch;
	}
	bond_join(bond);
	return bond;
}

static long bindable,
			bound,
			safe,
			found_safe,
			allowable,
			allowed;

/* All that is thought to be safe is so, and the seating is a world. */
static void
compare_with_all_worlds(Seating *seating)
{
	find_all_worlds();
	check(worlds > 0);
	for (int h = 0; h < nhalls; h++)
		for (uint32 s = 0; s < hall[h]->n; s++)
		{
			bool		is_safe = is_truly_safe(h, s);

			check(can_have[h][s][hall[h]->track[s]]);
			check(hall[h]->seat[hall[h]->track[s]] == s);
			if (is_bound(hall[h], s))
				check(!hall[h]->is_safe[s] || is_safe);
			else
				check(is_safe || !untied_are_safe(seating, hall[h], s));
		}
}

static void
find_what_there_is(Seating *seating)
{
	for (int h = 0; h < nhalls; h++)
		for (uint32 s = 0; s < hall[h]->n; s++)
		{
			bool		is_safe = is_truly_safe(h, s);
			bool		is_found = is_bound(hall[h], s) ? seat_is_safe(seating, hall[h], s) :
				untied_are_safe(seating, hall[h], s);

			check(is_safe || !is_found);
			safe += is_safe;
			found_safe += is_found;
		}
}

/* A bond more: kept only if all whom it concerns are safe; and whoever was safe before is so after it. */
static void
bind_one_more(Seating *seating)
{
	Bond	   *bond = draw_bond();
	bool		was_safe[HALLS][SEATS];
	bool		all_safe = true;
	uint64		mark = seating_mark(seating);
	bool		is_bindable;
	bool		is_kept;

	find_all_worlds();
	for (int h = 0; h < nhalls; h++)
		for (uint32 s = 0; s < hall[h]->n; s++)
			was_safe[h][s] = is_truly_safe(h, s) &&
				(is_bound(hall[h], s) ? seat_is_safe(seating, hall[h], s) : untied_are_safe(seating, hall[h], s));
	bonds[nbonds++] = bond;
	find_all_worlds();
	is_bindable = worlds > 0;
	for (int h = 0; h < nhalls; h++)
		for (uint32 s = 0; s < hall[h]->n; s++)
			all_safe &= is_truly_safe(h, s) ||
				(!was_safe[h][s] && !(bond->end[0].hall == hall[h] && bond->end[0].seat == s) &&
				 !(bond->end[1].hall == hall[h] && bond->end[1].seat == s));
	bindable += is_bindable;
	is_kept = seating_bind(seating, bond);
	bound += is_kept;
	check(is_bindable || !is_kept);
	is_kept = is_kept && seating_is_safe_since(seating, mark);
	check(!is_kept || all_safe);
	allowable += is_bindable && all_safe;
	allowed += is_kept;
	if (is_kept)
	{
		seating_keep(seating);
		if (any_below(8) == 0)
		{
			seating_release(bond);
			nbonds--;
		}
	}
	else
	{
		seating_undo(seating, mark);
		nbonds--;
	}
}

static void
search_finds_worlds_only(void)
{
	int			n = some_of(5000);

	bindable = bound = safe = found_safe = allowable = allowed = 0;
	for (int i = 0; i < n; i++)
	{
		MemoryContext old = CurrentMemoryContext;
		MemoryContext context = AllocSetContextCreate(old, "life", ALLOCSET_DEFAULT_SIZES);
		Seating    *seating;
		int			nquestions;

		MemoryContextSwitchTo(context);
		draw_halls();
		seating = seating_create(4, l, k, false);
		nquestions = 1 + any_below(8);
		for (int q = 0; q < nquestions; q++)
		{
			bind_one_more(seating);
			compare_with_all_worlds(seating);
		}
		find_what_there_is(seating);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	printf("# bonds with a world: %ld, found %ld; safe people: %ld, found %ld; ties that leave all safe: %ld, allowed %ld\n",
		   bindable, bound, safe, found_safe, allowable, allowed);
	check(bound * 100 >= bindable * 95);
	check(found_safe * 100 >= safe * 95);
	check(allowed * 100 >= allowable * 90);
}

/* ---- A past of groups ---- */

typedef struct Group
{
	const char *shown;			/* epochs, separated by commas: a letter for each place, '-' for NULL */
	const char *parts;			/* a letter for each place, '.' if it is gone; or NULL */
} Group;

typedef struct Sat
{
	RowId		row;
	uint32		group;
	uint32		seat;
	int32		came;
	bool		holds;
} Sat;

static Code
code_of(char letter)
{
	return letter == '-' ? NO_CODE : (Code) (letter - 'a');
}

/* Epoch e of a group is shown from release 10 e + 1 on.  Stays are given by row, the oldest first. */
static Past *
past_of(const Group *group, uint32 ngroups, const Sat *sat, uint64 nsat, const Link *link, uint64 nlinks, uint64 nrows)
{
	Past	   *past = palloc0(sizeof(Past));
	Places	   *places = palloc0(sizeof(Places));
	uint64		epochs = 0;
	uint64		values = 0;

	places->ngroups = ngroups;
	places->first = palloc0(sizeof(uint64) * (ngroups + 1));
	places->first_epoch = palloc0(sizeof(uint64) * (ngroups + 1));
	places->first_value = palloc0(sizeof(uint64) * (ngroups + 1));
	places->since = palloc0(sizeof(int32) * 10000);
	places->value = palloc0(sizeof(Code) * 1000000);
	for (uint32 g = 0; g < ngroups; g++)
	{
		uint32		n = strcspn(group[g].shown, ",");

		places->first[g + 1] = places->first[g] + n;
		for (const char *at = group[g].shown; *at != 0; at++)
		{
			if (at == group[g].shown || at[-1] == ',')
			{
				places->since[epochs] = 10 * (epochs - places->first_epoch[g]) + 1;
				epochs++;
			}
			if (*at != ',')
				places->value[values++] = code_of(*at);
		}
		places->first_epoch[g + 1] = epochs;
		places->first_value[g + 1] = values;
	}
	places->nplaces = places->first[ngroups];
	places->part = palloc0(sizeof(uint32) * places->nplaces);
	places->is_apart = palloc0(sizeof(bool) * places->nplaces);
	places->row = palloc(sizeof(RowId) * places->nplaces);
	memset(places->row, 0xff, sizeof(RowId) * places->nplaces);
	for (uint32 g = 0; g < ngroups; g++)
		for (uint32 i = 0; group[g].parts != NULL && group[g].parts[i] != 0; i++)
		{
			uint64		at = places->first[g] + i;

			places->part[at] = strchr(group[g].parts, group[g].parts[i]) - group[g].parts;
		}
	places->place = palloc(sizeof(uint64) * nrows);
	memset(places->place, 0xff, sizeof(uint64) * nrows);
	places->first_stay = palloc0(sizeof(uint64) * (nrows + 1));
	places->stay = palloc0(sizeof(Stay) * (nsat + 1));
	for (uint64 i = 0; i < nsat; i++)
	{
		uint64		place = places->first[sat[i].group] + sat[i].seat;

		places->stay[i] = (Stay) {place, sat[i].came};
		for (uint64 r = sat[i].row + 1; r <= nrows; r++)
			places->first_stay[r] = i + 1;
		if (sat[i].holds)
		{
			places->place[sat[i].row] = place;
			places->row[place] = sat[i].row;
		}
	}
	places->nlinks = nlinks;
	places->link = (Link *) link;
	past->places = places;
	past->releases = 100;
	past->is_whole = true;
	return past;
}

static Frame
frame_of(const char *values)
{
	Frame		frame = {.nrows = strlen(values), .nsensitive = 26};

	frame.sensitive = palloc(sizeof(Code) * frame.nrows);
	for (uint64 i = 0; i < frame.nrows; i++)
		frame.sensitive[i] = code_of(values[i]);
	return frame;
}

static const Group two[] = {{"aabbccdd", NULL}, {"aabbccee", NULL}};

static bool
may_go(const Group *group, const Sat *sat, uint64 nsat, uint64 place, uint32 values, uint64 rows, TiesRule rule)
{
	Frame		frame = frame_of("aaaa");
	Principle	principle = principle_k_l(rows, values);
	Past	   *past = past_of(group, 2, sat, nsat, NULL, 0, frame.nrows);

	return tie_to_place(ties_create(&frame, past, &principle, rows, rule), 0, place);
}

static void
filter_counts_what_is_common(void)
{
	const Sat	sat[] = {{0, 0, 0, 1, true}};

	for (int rule = TIES_ALONE; rule <= TIES_WORLDS; rule++)
	{
		check(may_go(two, sat, 1, 8, 3, 6, rule));	/* a, b and c, twice each */
		check(!may_go(two, sat, 1, 8, 4, 6, rule));
		check(!may_go(two, sat, 1, 8, 3, 7, rule));
		check(!may_go(two, sat, 1, 1, 1, 1, rule)); /* a second place in the own group */
		check(may_go(two, sat, 0, 8, 9, 9, rule));	/* a person without stays */
	}
	check(!may_go(two, sat, 1, 8, 1, 1, TIES_NONE));
	check(may_go(two, sat, 0, 8, 1, 1, TIES_NONE));
}

static void
filter_knows_changes(void)
{
	const Group changed[] = {{"aabbccdd,aabbccde", NULL}, {"aabbccee", NULL}};
	const Group later[] = {{"aabb,aacc", NULL}, {"aabc", NULL}};
	const Sat	before[] = {{0, 0, 0, 1, false}, {1, 0, 0, 12, true}};
	const Sat	away[] = {{0, 0, 0, 1, true}};

	check(may_go(changed, before, 2, 8, 3, 6, TIES_WORLDS));

	/* Two places changed after the person had gone: one value is left, if it is not known that nobody refreshed */
	check(may_go(later, before, 2, 4, 1, 2, TIES_ALONE));
	check(!may_go(later, before, 2, 4, 2, 2, TIES_ALONE));
	check(may_go(later, away, 1, 4, 2, 3, TIES_ALONE));
	check(!may_go(later, away, 1, 4, 2, 4, TIES_ALONE));
}

static void
filter_keeps_to_parts(void)
{
	const Group parted[] = {{"aabbccdd", "aaaabbbb"}, {"aabbccee", NULL}};
	const Group gone[] = {{"aabbccdd", "aaaa...."}, {"aabbccee", NULL}};
	const Group twice[] = {{"aabbccdd", "aaaa.:.:"}, {"aabbccee", NULL}};
	const Sat	first[] = {{0, 0, 0, 1, true}};
	const Sat	last[] = {{0, 0, 4, 1, true}};

	check(may_go(parted, first, 1, 8, 2, 4, TIES_WORLDS));
	check(!may_go(parted, first, 1, 8, 3, 4, TIES_WORLDS));
	check(!may_go(parted, last, 1, 8, 2, 2, TIES_WORLDS));
	check(may_go(parted, last, 1, 12, 1, 2, TIES_WORLDS));
	check(may_go(gone, last, 1, 12, 1, 2, TIES_WORLDS));
	check(!may_go(twice, last, 1, 12, 1, 2, TIES_WORLDS));
}

static void
shares_allow_no_ties(void)
{
	const Sat	sat[] = {{0, 0, 0, 1, true}};
	Frame		frame = frame_of("aaaa");
	Principle	principle = principle_k_l(2, 2);
	Past	   *past = past_of(two, 2, sat, 1, NULL, 0, frame.nrows);

	principle.nterms = 1;
	check(!tie_to_place(ties_create(&frame, past, &principle, 2, TIES_WORLDS), 0, 8));
}

/* Two people of three go from one group of three to another; then the third has the value of the rest. */
static void
worlds_know_other_ties(void)
{
	const Group three[] = {{"abc", NULL}, {"abd", NULL}};
	const Sat	sat[] = {{0, 0, 0, 1, true}, {1, 0, 1, 1, true}};
	Frame		frame = frame_of("ab");
	Principle	principle = principle_k_l(2, 2);
	Past	   *past = past_of(three, 2, sat, 2, NULL, 0, frame.nrows);
	Ties	   *ties = ties_create(&frame, past, &principle, 2, TIES_ALONE);

	check(tie_to_place(ties, 0, 3) && tie_to_place(ties, 1, 4));

	/* Those who stay in the groups would have c and d for sure */
	ties = ties_create(&frame, past, &principle, 2, TIES_WORLDS);
	check(tie_to_place(ties, 0, 3));
	check(!tie_to_place(ties, 1, 4));
	ties_forget(ties, 0, 3);
	check(tie_to_place(ties, 1, 4));
	check(!tie_to_place(ties, 0, 3));

	/* A link of the past counts likewise, whoever made it */
	{
		const Link	link[] = {{0, 3, 5, 6}};

		past = past_of(three, 2, sat + 1, 1, link, 1, frame.nrows);
		check(!tie_to_place(ties_create(&frame, past, &principle, 2, TIES_WORLDS), 1, 4));
	}
}

/* Somebody's value has changed on the way: observers think of a world in which it did not. */
static void
disagreeing_ties_are_mended(void)
{
	const Group different[] = {{"abcd", NULL}, {"abcd", NULL}};
	const Group nothing[] = {{"aab", NULL}, {"ccd", NULL}};
	const Sat	sat[] = {{0, 0, 0, 1, true}};

	check(may_go(different, sat, 1, 5, 4, 4, TIES_WORLDS));
	check(!may_go(nothing, sat, 1, 3, 1, 1, TIES_WORLDS));
}

static void
class_loses_who_may_not(void)
{
	const Group groups[] = {{"aabbcc", NULL}, {"xxyyzz", NULL}};
	const Sat	sat[] = {{0, 0, 0, 1, true}, {1, 1, 0, 1, true}};
	Frame		frame = frame_of("axaabbcc");
	Principle	principle = principle_k_l(4, 3);
	Past	   *past = past_of(groups, 2, sat, 2, NULL, 0, frame.nrows);

	for (int rule = TIES_ALONE; rule <= TIES_NONE; rule++)
	{
		RowId		rows[] = {0, 1, 2, 3, 4, 5, 6, 7};
		Ties	   *ties = ties_create(&frame, past, &principle, 4, rule);
		uint64		n = tie_to_class(ties, rows, 8);

		check(n == (rule == TIES_NONE ? 6 : 7));
		check(rows[0] == (rule == TIES_NONE ? 2 : 0) && rows[n - 1] == 7);
		ties_forget(ties, 0, NO_PLACE);
	}
}

/* ---- Many people ---- */

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

#define MANY 700
#define GROUP 30

static void
many_questions(void)
{
	Group	   *group = palloc0(sizeof(Group) * MANY);
	uint64		nlinks = 3000;
	uint64		nrows = 4000;
	uint64		nsat = 0;
	Link	   *link = palloc(sizeof(Link) * nlinks);
	Sat		   *sat = palloc(sizeof(Sat) * nrows);
	char	   *values = palloc0(nrows + 1);
	Principle	principle = principle_k_l(10, 3);
	double		began;
	Frame		frame;
	Past	   *past;
	uint64		taken = 0;
	uint64		alone = 0;
	uint64		in_classes = 0;

	for (uint32 g = 0; g < MANY; g++)
	{
		char	   *shown = palloc0(2 * GROUP + 2);

		shown[GROUP] = ',';
		for (int i = 0; i < GROUP; i++)
		{
			shown[i] = 'a' + any_below(1 + any_below(14));
			shown[GROUP + 1 + i] = shown[i];
			if (any_below(30) == 0)
				shown[GROUP + 1 + i] = 'a' + any_below(14);
		}
		group[g].shown = shown;
	}
	for (uint64 i = 0; i < nlinks; i++)
	{
		uint32		from = any_below(MANY);
		uint32		to = (from + 1 + any_below(MANY - 1)) % MANY;

		link[i] = (Link) {from * GROUP + any_below(GROUP), to * GROUP + any_below(GROUP), 11, 12};
		for (int t = 0; t < 60 && any_below(8) > 0; t++)	/* most agree */
			if (group[from].shown[GROUP + 1 + link[i].from % GROUP] != group[to].shown[GROUP + 1 + link[i].to % GROUP])
				link[i].to = to * GROUP + any_below(GROUP);
	}
	for (uint64 r = 0; r < nrows; r++)
	{
		values[r] = 'a' + any_below(1 + any_below(14));
		if (r >= nrows / 2 && any_below(2) == 0)
			continue;			/* a newcomer */
		sat[nsat++] = (Sat) {r, any_below(MANY), any_below(GROUP), 1, true};
	}
	frame = frame_of(values);
	past = past_of(group, MANY, sat, nsat, link, nlinks, nrows);
	for (int rule = TIES_ALONE; rule <= TIES_WORLDS; rule++)
	{
		Ties	   *ties = ties_create(&frame, past, &principle, 10, rule);
		uint64		before = shim_allocated;
		uint64		left = 0;

		began = seconds();
		tie_to_place(ties, 0, ((sat[0].group + 1) % MANY) * GROUP);
		if (rule == TIES_WORLDS)
			printf("# %d groups of %d, " UINT64_FORMAT " links: %.2f s before the first answer\n", MANY, GROUP, nlinks, seconds() - began);
		began = seconds();
		for (uint64 r = 1; r < nrows / 2; r++)
			for (int t = 0; t < 10; t++)
			{
				uint64		place = any_below(MANY * GROUP);

				while (group[place / GROUP].shown[GROUP + 1 + place % GROUP] != values[r])
					place = any_below(MANY * GROUP);
				if (tie_to_place(ties, r, place))
				{
					*(rule == TIES_WORLDS ? &taken : &alone) += 1;
					break;
				}
			}
		printf("# %s: " UINT64_FORMAT " of " UINT64_FORMAT " found a place in %.2f s",
			   rule == TIES_WORLDS ? "worlds" : "alone", rule == TIES_WORLDS ? taken : alone, nrows / 2 - 1, seconds() - began);
		began = seconds();
		for (uint64 r = nrows / 2; r + 20 <= nrows; r += 20)
		{
			RowId		rows[20];

			for (int i = 0; i < 20; i++)
				rows[i] = r + i;
			left += tie_to_class(ties, rows, 20);
		}
		in_classes += rule == TIES_WORLDS ? left : 0;
		printf(", " UINT64_FORMAT " of " UINT64_FORMAT " a class in %.2f s, %.1f MB\n", left, nrows / 2, seconds() - began,
			   (shim_allocated - before) / 1e6);
	}
	check(taken > 0 && taken <= alone);
}

static const Test tests[] = {
	{"the search finds worlds only, and most that there are", search_finds_worlds_only},
	{"the filter counts what groups have in common", filter_counts_what_is_common},
	{"the filter knows what changed since a person left", filter_knows_changes},
	{"the filter keeps to parts", filter_keeps_to_parts},
	{"principles of shares allow no ties", shares_allow_no_ties},
	{"worlds know the ties of others", worlds_know_other_ties},
	{"ties that disagree are mended, or refused", disagreeing_ties_are_mended},
	{"a class loses those who may not be in it", class_loses_who_may_not},
	{"thousands of questions", many_questions},
};

RUN(tests)
