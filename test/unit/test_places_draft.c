/*
 * test_places_draft.c
 *		Does method bpg keep to the rules of places?  In random lives of small tables: people come, leave, come back, move
 *		and change their values, and everybody or a cohort is asked for.
 */
#include "shim.h"

#include "frame/arrays.h"
#include "method/method.h"

#define MOST_PEOPLE	400
#define NQIS		2
#define NCODES		12
#define NVALUES		4
#define RELEASES	9
#define NO_PART		PG_UINT32_MAX

/* The parameters of bpg, in their order. */
enum
{
	K, L, REPAIR, RESERVE, TIES, MAX_ADDED = 8, PRINCIPLES = 11
};

typedef struct Person
{
	bool		is_here;
	bool		has_moved;		/* since the last release that showed a row of the person */
	int32		shown;			/* the last release that did */
	Code		code[NQIS];
	Code		value;
} Person;

typedef struct Life
{
	Person		person[MOST_PEOPLE];
	uint64		npeople;
	int64		params[PRINCIPLES + NPRINCIPLE_PARAMS + 3];
	Principle	principle;
	Frame		frame;
	Domain		domain[NQIS];
	double		position[NCODES];
	uint64		frequency[NCODES];
	Past	   *past;			/* of a frame of all people, in the source or not: row i is of person[i] */
	int			shown;
	int			refreshed;
	int			arrived;
	int			gone;
} Life;

/* ---- A life ---- */

static void
come(Life *life, uint64 n)
{
	for (; n > 0 && life->npeople < MOST_PEOPLE; n--)
	{
		Person	   *person = &life->person[life->npeople++];

		*person = (Person) {.is_here = true, .value = any_below(10) == 0 ? NO_CODE : any_below(NVALUES)};
		for (int q = 0; q < NQIS; q++)
			person->code[q] = any_below(NCODES);
	}
}

static const Places *
no_places(void)
{
	Places	   *places = palloc0(sizeof(Places));

	*places = (Places) {
		.number = new_array(int64, 0), .created = new_array(int32, 0), .first = new_zeros(uint64, 0),
		.row = new_array(RowId, 0), .is_held = new_array(bool, 0), .part = new_array(uint32, 0), .is_apart = new_array(bool, 0),
		.first_epoch = new_zeros(uint64, 0), .since = new_array(int32, 0),
		.first_value = new_zeros(uint64, 0), .value = new_array(Code, 0),
		.place = new_array(uint64, 0), .first_stay = new_zeros(uint64, 0), .stay = new_array(Stay, 0),
		.link = new_array(Link, 0)
	};
	return places;
}

static void
begin_life(Life *life)
{
	static const double position[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

	memcpy(life->position, position, sizeof(position));
	for (int i = 0; i < (int) lengthof(life->params); i++)
		life->params[i] = PARAM_ABSENT;
	life->params[K] = 2 + any_below(3);
	life->params[L] = 1 + any_below(3);
	life->params[REPAIR] = any_below(4) == 0;
	life->params[RESERVE] = PARAM_SCALE + any_below(2 * PARAM_SCALE);
	life->params[TIES] = any_below(3);
	life->params[MAX_ADDED] = PARAM_SCALE / 2;
	if (any_below(3) == 0)
		life->params[PRINCIPLES + PRINCIPLE_frequency] = PARAM_SCALE * 3 / 2;
	life->principle = bpg_method.principle(life->params);
	life->principle = principle_bound(&life->principle, NVALUES, NULL);
	for (int q = 0; q < NQIS; q++)
		life->domain[q] = (Domain) {.size = NCODES, .null_code = NO_CODE, .position = life->position, .frequency = life->frequency};
	life->past = palloc0(sizeof(Past));
	life->past->places = no_places();
	come(life, 10 + any_below(40));
}

static void
pass_time(Life *life)
{
	come(life, any_below(12));
	for (uint64 i = 0; i < life->npeople; i++)
	{
		Person	   *person = &life->person[i];

		if (any_below(7) == 0)
			person->is_here = !person->is_here;
		if (any_below(12) == 0)
			person->value = any_below(NVALUES);
		if (any_below(15) == 0)
		{
			person->code[any_below(NQIS)] = any_below(NCODES);
			person->has_moved = true;
		}
	}
}

/* ---- The past, and the frame of a release, whose rows are of who[] ---- */

/* The past of all people, as it is read for some of them. */
static Past *
past_of_rows(const Past *past, const uint32 *who, uint64 nrows)
{
	const Places *all = past->places;
	Places	   *places = palloc(sizeof(Places));
	Past	   *result = palloc(sizeof(Past));
	RowId		row_of[MOST_PEOPLE];

	memset(row_of, 0xff, sizeof(row_of));
	*places = *all;
	places->row = palloc(sizeof(RowId) * (all->nplaces + 1));
	places->place = palloc(sizeof(uint64) * (nrows + 1));
	places->first_stay = palloc0(sizeof(uint64) * (nrows + 1));
	places->stay = palloc(sizeof(Stay) * (MOST_PEOPLE * RELEASES));
	for (uint64 row = 0; row < nrows; row++)
	{
		uint64		n = all->first_stay[who[row] + 1] - all->first_stay[who[row]];

		row_of[who[row]] = row;
		places->place[row] = all->place[who[row]];
		memcpy(places->stay + places->first_stay[row], all->stay + all->first_stay[who[row]], sizeof(Stay) * n);
		places->first_stay[row + 1] = places->first_stay[row] + n;
	}
	for (uint64 i = 0; i < all->nplaces; i++)
		places->row[i] = all->row[i] == NO_ROW ? NO_ROW : row_of[all->row[i]];
	*result = *past;
	result->places = places;
	return result;
}

/* The past of all people, of whom some have come since. */
static Past *
past_of_more(const Past *past, uint64 nbefore, uint64 nrows)
{
	const Places *before = past->places;
	Places	   *places = palloc(sizeof(Places));
	Past	   *result = palloc(sizeof(Past));

	*places = *before;
	places->place = palloc(sizeof(uint64) * (nrows + 1));
	places->first_stay = palloc(sizeof(uint64) * (nrows + 1));
	for (uint64 row = 0; row < nrows; row++)
	{
		places->place[row] = row < nbefore ? before->place[row] : NO_PLACE;
		places->first_stay[row] = before->first_stay[Min(row, nbefore)];
	}
	places->first_stay[nrows] = before->first_stay[nbefore];
	*result = *past;
	result->places = places;
	return result;
}

/* A draft of some people, as one of all. */
static Draft *
draft_of_all(const Draft *draft, const Frame *frame, const uint32 *who, uint64 npeople)
{
	Draft	   *result = palloc(sizeof(Draft));
	Classes    *classes = palloc(sizeof(Classes));
	uint64		n = draft->classes->first[draft->classes->nclasses];

	*result = *draft;
	*classes = *draft->classes;
	result->classes = classes;
	classes->rows = palloc(sizeof(RowId) * (n + 1));
	result->place = palloc(sizeof(uint64) * (npeople + 1));
	result->shown = palloc0(sizeof(Code) * (npeople + 1));
	for (uint64 i = 0; i < n; i++)
		classes->rows[i] = who[draft->classes->rows[i]];
	memset(result->place, 0xff, sizeof(uint64) * npeople);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		result->place[who[row]] = draft->place[row];
		result->shown[who[row]] = draft->shown != NULL ? draft->shown[row] : frame->sensitive[row];
	}
	return result;
}

/* Stays are padded. */
static bool
same_stays(const Stay *a, const Stay *b, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
		if (a[i].place != b[i].place || a[i].came != b[i].came)
			return false;
	return true;
}

static bool
same_places(const Places *a, const Places *b, uint64 nrows)
{
	uint64		nvalues = a->first_value[a->ngroups];
	uint64		nstays = a->first_stay[nrows];

	return a->ngroups == b->ngroups && a->nplaces == b->nplaces && a->nlinks == b->nlinks &&
		memcmp(a->number, b->number, sizeof(int64) * a->ngroups) == 0 &&
		memcmp(a->created, b->created, sizeof(int32) * a->ngroups) == 0 &&
		memcmp(a->first, b->first, sizeof(uint64) * (a->ngroups + 1)) == 0 &&
		memcmp(a->row, b->row, sizeof(RowId) * a->nplaces) == 0 &&
		memcmp(a->is_held, b->is_held, sizeof(bool) * a->nplaces) == 0 &&
		memcmp(a->part, b->part, sizeof(uint32) * a->nplaces) == 0 &&
		memcmp(a->is_apart, b->is_apart, sizeof(bool) * a->nplaces) == 0 &&
		memcmp(a->first_value, b->first_value, sizeof(uint64) * (a->ngroups + 1)) == 0 &&
		memcmp(a->value, b->value, sizeof(Code) * nvalues) == 0 &&
		memcmp(a->since, b->since, sizeof(int32) * a->first_epoch[a->ngroups]) == 0 &&
		memcmp(a->place, b->place, sizeof(uint64) * nrows) == 0 &&
		memcmp(a->first_stay, b->first_stay, sizeof(uint64) * (nrows + 1)) == 0 &&
		same_stays(a->stay, b->stay, nstays);
}

static void
make_frame(Life *life, const uint32 *who, uint64 nrows)
{
	Frame	   *frame = &life->frame;

	*frame = (Frame) {.nrows = nrows, .nqis = NQIS, .domain = life->domain, .nsensitive = NVALUES};
	frame->code = palloc(sizeof(Code *) * NQIS);
	for (int q = 0; q < NQIS; q++)
		frame->code[q] = palloc(sizeof(Code) * (nrows + 1));
	frame->sensitive = palloc(sizeof(Code) * (nrows + 1));
	for (uint64 row = 0; row < nrows; row++)
	{
		for (int q = 0; q < NQIS; q++)
			frame->code[q][row] = life->person[who[row]].code[q];
		frame->sensitive[row] = life->person[who[row]].value;
	}
}

/* ---- The rules ---- */

static bool
set_is_allowed(const Life *life, const Code *value, uint64 n)
{
	Tally	   *tally = tally_create(NVALUES);

	for (uint64 i = 0; i < n; i++)
		tally_add(tally, value[i]);
	return principle_allows(&life->principle, tally);
}

static uint32
group_of_place(const Places *places, uint64 place)
{
	uint32		g = 0;

	while (places->first[g + 1] <= place)
		g++;
	return g;
}

/* A class of a group shows all places of a part once, and what it showed last unless it may be refreshed.  Returns the rows that may not. */
static uint64
check_class(Life *life, const Past *past, const Draft *draft, uint32 c)
{
	const Places *places = past->places;
	const Classes *classes = draft->classes;
	const Code *shown = draft->shown != NULL ? draft->shown : life->frame.sensitive;
	uint32		g = draft->group[c];
	Code		value[MOST_PEOPLE];
	bool		is_there[MOST_PEOPLE] = {false};
	bool		is_full = class_counterfeits(classes, c) == 0;
	bool		is_old = true;
	uint32		part = NO_PART;
	uint64		n = 0;
	uint64		size = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		RowId		row = classes->rows[i];
		uint64		place = draft->place[row];

		value[n++] = shown[row];
		if (g == NO_GROUP)
		{
			check(place == NO_PLACE && shown[row] == life->frame.sensitive[row]);
			check(!past->is_answer || places->first_stay[row + 1] == places->first_stay[row]);
			continue;
		}
		check(group_of_place(places, place) == g && !is_there[place - places->first[g]]);
		is_there[place - places->first[g]] = true;
		part = places->part[place];
		is_full &= places->place[row] == place;
		is_old &= shown[row] == group_shown(places, g)[place - places->first[g]];
		if (places->place[row] == place)
			continue;
		life->arrived++;
		check(shown[row] == life->frame.sensitive[row] && group_shown(places, g)[place - places->first[g]] == shown[row]);
		check(past->is_whole);
		check((life->params[TIES] != 2 && !past->is_answer) || places->first_stay[row + 1] == places->first_stay[row]);
		for (uint64 s = places->first_stay[row]; s < places->first_stay[row + 1]; s++)
			check(group_of_place(places, places->stay[s].place) != g);
	}
	for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
	{
		uint64		place = draft->stands_in[classes->first_counterfeit[c] + i];

		value[n++] = classes->counterfeit[classes->first_counterfeit[c] + i];
		check(g != NO_GROUP && group_of_place(places, place) == g && !is_there[place - places->first[g]]);
		check(value[n - 1] == group_shown(places, g)[place - places->first[g]]);
		is_there[place - places->first[g]] = true;
		part = places->part[place];
	}
	check(set_is_allowed(life, value, n));
	check(life->params[REPAIR] == 0 || class_counterfeits(classes, c) == 0);
	check(!past->is_whole || 2 * class_counterfeits(classes, c) <= n);
	life->shown += n;
	if (g == NO_GROUP)
		return 0;
	check(is_full || is_old);
	life->refreshed += !is_old;
	check(part != NO_PART);
	for (uint64 i = 0; i < group_size(places, g); i++)
	{
		bool		is_apart = draft->is_apart != NULL && draft->is_apart[places->first[g] + i];

		check(is_there[i] == (places->part[places->first[g] + i] == part && !is_apart));
		size += is_there[i];
	}
	check(size == n);
	return is_full ? 0 : n;
}

/* Parts go for good, with k people at least, whom nobody sits among. */
static void
check_gone(Life *life, const Past *past, const Draft *draft)
{
	const Places *places = past->places;

	for (uint32 g = 0; g < places->ngroups && draft->is_apart != NULL; g++)
		for (uint64 part = 0; part < group_size(places, g); part++)
		{
			uint64		size = 0;
			uint64		gone = 0;
			Code		value[2][MOST_PEOPLE];

			for (uint64 i = 0; i < group_size(places, g); i++)
			{
				uint64		place = places->first[g] + i;

				check(!draft->is_apart[place] || life->params[REPAIR] == 1 || !places->is_apart[place]);
				if (places->part[place] != part)
					continue;
				value[draft->is_apart[place]][draft->is_apart[place] ? gone : size - gone] = group_shown(places, g)[i];
				size++;
				gone += draft->is_apart[place];
			}
			if (gone == 0)
				continue;
			life->gone++;
			check(past->is_whole && !past->is_answer && set_is_allowed(life, value[1], gone) && set_is_allowed(life, value[0], size - gone));
		}
}

/* All that is known of places agrees with itself. */
static void
check_past(const Past *past, uint64 nrows)
{
	const Places *places = past->places;

	for (uint64 i = 0; i < places->nplaces; i++)
	{
		check(places->row[i] == NO_ROW || (places->is_held[i] && places->place[places->row[i]] == i));
		check(!past->is_away[i] || places->is_held[i]);
	}
	for (uint64 row = 0; row < nrows; row++)
	{
		bool		is_stay = places->place[row] == NO_PLACE;

		check(places->place[row] == NO_PLACE || places->row[places->place[row]] == row);
		for (uint64 s = places->first_stay[row]; s < places->first_stay[row + 1]; s++)
			is_stay |= places->stay[s].place == places->place[row];
		check(is_stay);
	}
	for (uint32 g = 0; g < places->ngroups; g++)
		for (uint64 i = 0; i < group_size(places, g); i++)
		{
			uint32		part = places->part[places->first[g] + i];

			check(part <= i && places->part[places->first[g] + part] == part);
			check(places->is_apart[places->first[g] + part] == places->is_apart[places->first[g] + i]);
		}
}

/* ---- Releases ---- */

/* Of those here, all or some. */
static uint64
choose_rows(const Life *life, bool is_whole, uint32 *who)
{
	uint64		nrows = 0;

	for (uint64 i = 0; i < life->npeople; i++)
		if (life->person[i].is_here && (is_whole || any_below(4) > 0))
			who[nrows++] = i;
	return nrows;
}

static Past *
past_of_frame(const Life *life, const uint32 *who, bool is_whole)
{
	Past	   *past = past_of_rows(life->past, who, life->frame.nrows);
	bool	   *has_moved = palloc(sizeof(bool) * (life->frame.nrows + 1));

	for (uint64 row = 0; row < life->frame.nrows; row++)
		has_moved[row] = life->person[who[row]].has_moved && past->places->place[row] != NO_PLACE;
	past->has_moved = has_moved;
	past->is_whole = is_whole;
	past->is_answer = any_below(3) == 0;
	return past;
}

static const Code *
values_in(const Places *places, uint32 g, int32 release)
{
	uint64		e = group_epochs(places, g) - 1;

	while (e > 0 && places->since[places->first_epoch[g] + e] > release)
		e--;
	return group_values(places, g, e);
}

/* New links end with the values that the part showed with the person last, whoever took the place since. */
static void
check_links(const Life *life, const Places *places, int32 number)
{
	for (uint64 i = 0; i < places->nlinks; i++)
	{
		const Link *link = &places->link[i];
		uint32		g = places_group(places, link->from);
		uint64		first = places->first[g];

		for (uint64 place = first; place < places->first[g + 1] && link->came == number; place++)
			check(places->part[place] != places->part[link->from] || values_in(places, g, link->left)[place - first] ==
				  values_in(places, g, life->person[places->row[link->to]].shown)[place - first]);
	}
}

static void
release(Life *life, int32 number)
{
	bool		is_whole = any_below(3) > 0;
	uint32		who[MOST_PEOPLE];
	uint64		nrows = choose_rows(life, is_whole, who);
	Frame		all = {.nrows = life->npeople};
	Past	   *past;
	Draft	   *draft;
	uint64		withheld = nrows;
	uint64		unrefreshed = 0;

	make_frame(life, who, nrows);
	life->frame.is_cohort = !is_whole;
	life->frame.shows_no_value = any_below(8) == 0;
	past = past_of_frame(life, who, is_whole);
	draft = bpg_method.draft(&life->frame, past, life->params, number);
	for (uint32 c = 0; c < draft->classes->nclasses; c++)
	{
		unrefreshed += check_class(life, past, draft, c);
		withheld -= class_size(draft->classes, c);
	}
	check(draft->suppressed == withheld && draft->waiting + draft->retired + draft->hidden == withheld);
	check(draft->unrefreshed == unrefreshed);
	check_gone(life, past, draft);
	for (uint64 i = 0; i < draft->classes->first[draft->classes->nclasses]; i++)
		life->person[who[draft->classes->rows[i]]].has_moved = false;
	life->past->is_whole = is_whole;
	life->past = past_after(life->past, &all, places_shown(draft_of_all(draft, &life->frame, who, life->npeople)), number);
	check_links(life, life->past->places, number);
	for (uint64 i = 0; i < draft->classes->first[draft->classes->nclasses]; i++)
		life->person[who[draft->classes->rows[i]]].shown = number;
	past = past_after(past, &life->frame, places_shown(draft), number);
	check(past->releases == number);
	check_past(life->past, life->npeople);
	check(same_places(past->places, past_of_rows(life->past, who, nrows)->places, nrows));
	check(memcmp(past->is_away, life->past->is_away, sizeof(bool) * past->places->nplaces) == 0);
}

static void
test_lives(void)
{
	int			shown = 0;
	int			refreshed = 0;
	int			arrived = 0;
	int			gone = 0;

	for (int i = 0; i < some_of(4000); i++)
	{
		Life	   *life = palloc0(sizeof(Life));

		begin_life(life);
		for (int32 number = 1; number <= RELEASES; number++)
		{
			uint64		nbefore = life->npeople;

			if (number > 1)
				pass_time(life);
			else
				nbefore = 0;
			life->past = past_of_more(life->past, nbefore, life->npeople);
			release(life, number);
		}
		shown += life->shown;
		refreshed += life->refreshed;
		arrived += life->arrived;
		gone += life->gone;
	}
	printf("# %d rows shown, %d classes refreshed, %d arrivals, %d parts gone\n", shown, refreshed, arrived, gone);
	check(shown > 0 && refreshed > 0 && arrived > 0 && gone > 0);
}

static const Test tests[] = {
	{"random lives", test_lives},
};

RUN(tests)
