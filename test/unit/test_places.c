/*
 * test_places.c
 *		Groups of places: small lives under method bpg, an observer who looks at all worlds that could have been, and the judges of
 *		drafts and of all releases.
 *
 * Lives are as the design has them: two or three groups of a few places, to which people come, which they leave, and come back to,
 * while values change, and cohorts are asked about.  Where a rule is broken, the observer must find somebody, and the judges must
 * refuse.
 */
#include "groups.h"

#include "audit/compromise.h"
#include "audit/judge_draft.h"
#include "audit/places_judge.h"
#include "frame/arrays.h"

/* How a draft is spoiled. */
typedef enum Fault
{
	NO_FAULT,
	FAULT_TODAY,				/* people who are asked for show their value of today, whoever is missing */
	FAULT_RETURNER,				/* people who come back show a new value at once */
	FAULT_ARRIVAL,				/* people come to places that show another value, and show their own */
	FAULT_PARTING,				/* the departed are parted off whatever is left to know */
	FAULT_ALIKE,				/* true rows are hidden among others with the same values */
	FAULT_FEW,					/* a group of fewer than k */
	FAULT_TIE,					/* people come back to any other group */
	FAULT_UNASKED				/* cohorts are drafted as if nobody were tied */
} Fault;

typedef struct Lives
{
	Settings	settings;
	Fault		fault;

	/* Outcome */
	int			lives;
	int			supposed;		/* as observers of the second kind suppose */
	Observed	free;			/* values change freely */
	Observed	still;			/* no more than they must */
	int			shown;
	int			invented;
	int			asked;
	int			parted;
	int			shown_again;	/* parts that had been parted off */
	int			refreshed;
	int			arrivals;
	int			ties;
	int			spoiled;		/* drafts */
	int			refused;
	int			refused_logs;
} Lives;

static Life life;

/* ---- Judges ---- */

static PlacesVerdict
judge_log(void)
{
	Principle  *principle = palloc(sizeof(Principle) * MAX_RELEASES);
	bool	   *is_true = palloc(sizeof(bool) * MAX_RELEASES);

	for (int r = 0; r < life.releases; r++)
	{
		is_true[r] = life.params[AT_REPAIR];
		Principle	of = principle_declared(life.release[r].k, life.release[r].l, life.params + AT_PRINCIPLES);

		principle[r] = principle_bound(&of, life.nvalues, NULL);
	}
	return places_judge(life_seen(&life), NULL, principle, is_true, life.params[AT_TIES] == 0, 10000000);	/* alone */
}

/* ---- Faults ---- */

static bool
is_shown(const OpenDraft *open, int person)
{
	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n; i++)
			if (open->class[c].row[i].person == person)
				return true;
	return false;
}

static bool
was_in(int person, int group)
{
	for (int s = 0; s < life.person[person].nstays; s++)
		if (life.person[person].stay[s] >= life.first[group] && life.person[person].stay[s] < life.first[group + 1])
			return true;
	return false;
}

/* May the person take the place of a row that stands in, as the fault has it? */
static bool
fits(Fault fault, int person, const LoggedClass *class, const LoggedRow *row)
{
	const Person *one = &life.person[person];
	bool		is_holder = life.holder[row->place] == person;

	switch (fault)
	{
		case FAULT_RETURNER:
			return is_holder && life.away[row->place] && one->value != row->value;
		case FAULT_ARRIVAL:
			return !was_in(person, class->group) && one->nstays == 0 && one->value != row->value;
		case FAULT_TIE:
			return !was_in(person, class->group) && one->nstays > 0 && one->value == row->value;
		default:
			return false;
	}
}

static bool
seat_wrongly(OpenDraft *open, Fault fault)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n && !open->class[c].is_new; i++)
			for (int row = 0; row < life.nrows && open->class[c].row[i].person == NOBODY; row++)
			{
				LoggedRow  *at = &open->class[c].row[i];
				int			person = life.person_of_row[row];

				if (is_shown(open, person) || !fits(fault, person, &open->class[c], at))
					continue;
				at->may_change = at->value != life.person[person].value;
				at->person = person;
				at->value = life.person[person].value;
				any = true;
			}
	return any;
}

/* Does the person of each row sit there again, and are all asked for?  Then new values are no fault of numbers. */
static bool
may_be_refreshed(const LoggedClass *class)
{
	bool		may_be = true;

	for (int i = 0; i < class->n; i++)
	{
		int			p = class->row[i].person;
		bool		is_asked = false;

		for (int row = 0; row < life.nrows; row++)
			is_asked |= life.person_of_row[row] == p && (life.frame.asked == NULL || life.frame.asked[row]);
		may_be &= p != NOBODY && is_asked && life.holder[class->row[i].place] == p;
	}
	return may_be && !life.frame.shows_no_value;
}

static bool
show_today(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n && !open->class[c].is_new && !may_be_refreshed(&open->class[c]); i++)
		{
			LoggedRow  *row = &open->class[c].row[i];

			if (row->person == NOBODY)
				continue;
			any |= row->value != life.person[row->person].value;
			row->value = life.person[row->person].value;
			row->may_change = true;
		}
	return any;
}

static bool
part_departed(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses && life.past.is_whole; c++)
	{
		LoggedClass *class = &open->class[c];
		int			n = 0;

		for (int i = 0; i < class->n && !class->is_new; i++)
			n += class->row[i].person != NOBODY;
		if (class->is_new || n == class->n)
			continue;
		for (int i = n = 0; i < class->n; i++)
			if (class->row[i].person == NOBODY)
				open->is_apart[class->row[i].place] = any = true;
			else
				class->row[n++] = class->row[i];
		class->n = n;
	}
	return any;
}

static int
compare_values(const void *a, const void *b)
{
	Code		x = ((const LoggedRow *) a)->value;
	Code		y = ((const LoggedRow *) b)->value;

	return x < y ? -1 : x > y;
}

/* Does the draft show, or part off, some place of a part?  Else takes the people who could sit there, by value. */
static bool
take_part(const OpenDraft *open, uint64 first, LoggedClass *class)
{
	const Places *places = life.past.places;
	bool		is_met = false;

	*class = (LoggedClass) {.group = places_group(places, first)};
	for (uint64 place = first; place < places->first[class->group + 1]; place++)
	{
		int			person = places->row[place] == NO_ROW ? NOBODY : life.person_of_row[places->row[place]];

		if (places->part[place] != first - places->first[class->group])
			continue;
		for (int c = 0; c < open->nclasses; c++)
			for (int i = 0; i < open->class[c].n && !open->class[c].is_new; i++)
				is_met |= open->class[c].row[i].place == (int) place;
		is_met |= open->is_apart[place];
		if (person != NOBODY && !is_shown(open, person))
			class->row[class->n++] = (LoggedRow) {
				.place = place,.person = person,.value = group_shown(places, class->group)[place - places->first[class->group]]
			};
	}
	qsort(class->row, class->n, sizeof(LoggedRow), compare_values);
	return is_met;
}

/* Shows what is left of hidden parts, if free places and the first others, to make so many, are parted off. */
static bool
show_rest(OpenDraft *open, int hidden)
{
	const Places *places = life.past.places;
	bool		any = false;

	for (uint64 first = 0; first < places->nplaces && life.past.is_whole && open->nclasses < MAX_GROUPS; first++)
	{
		LoggedClass *class = &open->class[open->nclasses];
		uint32		g = places_group(places, first);
		bool		is_met = take_part(open, first, class);
		bool		are_alike = true;
		int			nfree = -class->n;
		int			taken;

		for (uint64 place = first; place < places->first[g + 1]; place++)
			if (places->part[place] == first - places->first[g])
			{
				nfree++;
				are_alike &= places->row[place] != NO_ROW || group_shown(places, g)[place - places->first[g]] == class->row[0].value;
			}
		taken = Max(hidden - nfree, 0);
		if (is_met || class->n <= taken || nfree == 0 || (hidden == 0 && nfree >= life.params[AT_K]))
			continue;
		/* So many are hidden, and left, as should be, but they all show one value. */
		if (hidden > 0 && (!are_alike || class->n - taken < hidden || taken == 0 || class->row[0].value != class->row[taken - 1].value))
			continue;
		for (uint64 place = first; place < places->first[g + 1]; place++)
			open->is_apart[place] |= places->part[place] == first - places->first[g];
		class->n -= taken;
		memmove(class->row, class->row + taken, sizeof(LoggedRow) * class->n);
		for (int i = 0; i < class->n; i++)
			open->is_apart[class->row[i].place] = false;
		open->nclasses++;
		any = true;
	}
	return any;
}

static bool
show_few(OpenDraft *open)
{
	for (int c = 0; c < open->nclasses; c++)
		if (open->class[c].is_new)
		{
			open->class[c].n = life.params[AT_K] - 1;
			return open->class[c].n > 0;
		}
	return false;
}

/* Do groups of a cohort show new values that ties do not allow? */
static bool
forget_ties(OpenDraft *open, uint64 seed)
{
	Places		places = *life.past.places;
	Past		past = life.past;
	int			n = open->nclasses;
	bool		any = false;
	OpenDraft	before = *open;

	places.nlinks = 0;
	past.places = &places;
	draft_open(&life, bpg_method.draft(&life.frame, &past, life.params, seed), open);
	for (int c = 0; c < n && open->nclasses == n; c++)
		for (int i = 0; i < open->class[c].n; i++)
			any |= open->class[c].row[i].value != before.class[c].row[i].value;
	return any;
}

/* Has the draft been made worse? */
static bool
spoil(OpenDraft *open, Fault fault, uint64 seed)
{
	switch (fault)
	{
		case NO_FAULT:
			return false;
		case FAULT_UNASKED:
			return life.frame.is_cohort && forget_ties(open, seed);
		case FAULT_TODAY:
			return show_today(open);
		case FAULT_PARTING:
			return life.params[AT_REPAIR] ? show_rest(open, 0) : part_departed(open);
		case FAULT_ALIKE:
			return show_rest(open, life.params[AT_K]);
		case FAULT_FEW:
			return show_few(open);
		default:
			return (fault == FAULT_RETURNER || life.past.is_whole) && seat_wrongly(open, fault);
	}
}

/* ---- A life ---- */

/* Is the past that is foreseen the one that the log tells? */
static void
check_past_after(const Draft *draft)
{
	const Past *foreseen = past_after(&life.past, &life.frame, places_shown(draft), life.releases + 1);
	const Past *told;
	const Places *a = foreseen->places;
	const Places *b;

	life_publish(&life, draft);
	told = life_make_past(&life);
	b = told->places;
	check(foreseen->releases == told->releases && foreseen->is_whole == told->is_whole);
	check(a->ngroups == b->ngroups && a->nplaces == b->nplaces && a->nlinks == b->nlinks);
	check(memcmp(a->first, b->first, sizeof(uint64) * (b->ngroups + 1)) == 0);
	check(memcmp(a->created, b->created, sizeof(int32) * b->ngroups) == 0);
	check(memcmp(a->first_epoch, b->first_epoch, sizeof(uint64) * (b->ngroups + 1)) == 0);
	check(memcmp(a->first_value, b->first_value, sizeof(uint64) * (b->ngroups + 1)) == 0);
	check(memcmp(a->since, b->since, sizeof(int32) * b->first_epoch[b->ngroups]) == 0);
	check(memcmp(a->value, b->value, sizeof(Code) * b->first_value[b->ngroups]) == 0);
	check(memcmp(a->row, b->row, sizeof(RowId) * b->nplaces) == 0);
	check(memcmp(a->is_held, b->is_held, b->nplaces) == 0);
	check(memcmp(a->part, b->part, sizeof(uint32) * b->nplaces) == 0);
	check(memcmp(a->is_apart, b->is_apart, b->nplaces) == 0);
	check(memcmp(a->place, b->place, sizeof(uint64) * life.nrows) == 0);
	check(memcmp(a->first_stay, b->first_stay, sizeof(uint64) * (life.nrows + 1)) == 0);
	for (uint64 i = 0; i < b->first_stay[life.nrows]; i++)
		check(a->stay[i].place == b->stay[i].place && a->stay[i].came == b->stay[i].came);
	for (uint64 p = 0; p < b->nplaces; p++)
		check(!b->is_held[p] || (foreseen->is_away != NULL && foreseen->is_away[p]) == told->is_away[p]);
	for (int row = 0; row < life.nrows; row++)
		check(b->place[row] == NO_PLACE || (foreseen->has_moved != NULL && foreseen->has_moved[row]) == told->has_moved[row]);
}

static void
count_draft(Lives *lives, const Draft *draft)
{
	const Classes *classes = draft->classes;

	lives->asked += life.nrows;
	lives->shown += classes->first[classes->nclasses];
	for (uint32 c = 0; c < classes->nclasses; c++)
		lives->invented += class_counterfeits(classes, c);
	for (int place = 0; place < life.first[life.ngroups] && draft->is_apart != NULL; place++)
		lives->parted += draft->is_apart[place];
	for (uint32 c = 0; c < classes->nclasses; c++)
		lives->shown_again += draft->group[c] != NO_GROUP && life.past.places->is_apart[draft->place[classes->rows[classes->first[c]]]];
	for (int row = 0; row < life.nrows; row++)
		if (draft->place[row] != NO_PLACE && life.past.places->place[row] != draft->place[row])
			lives->arrivals++;
}

/* Judges, spoils and publishes a draft. */
static void
release(Lives *lives, uint64 seed)
{
	const Draft *draft = bpg_method.draft(&life.frame, &life.past, life.params, seed);
	const char *refusal = life_refusal(&life, draft);
	OpenDraft	open;

	check_at(refusal == NULL, refusal, __FILE__, __LINE__);
	if (refusal != NULL)
	{
		printf("# seed " UINT64_FORMAT ", release %d: a draft is refused\n", seed, life.releases);
		show_life(&life);
		draft_open(&life, draft, &open);
		for (int c = 0; c < open.nclasses; c++)
		{
			printf("# class %d, of group %d:", c, open.class[c].group);
			show_class(&open.class[c]);
		}
	}
	count_draft(lives, draft);
	draft_open(&life, draft, &open);
	if (spoil(&open, lives->fault, seed))
	{
		lives->spoiled++;
		lives->refused += life_refusal(&life, draft_close(&life, &open)) != NULL;
		life_publish_open(&life, &open);
	}
	else if (lives->fault != NO_FAULT)
		life_publish(&life, draft);
	else
		check_past_after(draft);
}

static int
found_in(const Observed *observed)
{
	return observed->poor + observed->few + observed->sure + observed->no_world;
}

static void
live_once(Lives *lives, uint64 seed)
{
	const Settings *settings = &lives->settings;
	PlacesVerdict verdict;
	int			found = found_in(&lives->free) + lives->free.certain + found_in(&lives->still);

	seed_lives(seed);
	life_begin(&life, settings);
	for (int r = 0; r < settings->releases; r++)
	{
		bool		is_cohort;

		if (r > 0)
			life_pass_time(&life, settings);
		is_cohort = r > 0 && draw_chance(35);
		life_make_frame(&life, is_cohort && lives->fault != FAULT_UNASKED);
		life.frame.is_cohort = is_cohort;	/* of everybody: so most groups may show new values */
		life.frame.shows_no_value = draw_chance(10);
		life.past = *life_make_past(&life);
		release(lives, seed);
	}
	lives->lives++;
	lives->ties += life.nlinks;
	verdict = judge_log();
	lives->refused_logs += !verdict.holds;
	check_at(lives->fault != NO_FAULT || verdict.holds, verdict.fault, __FILE__, __LINE__);
	observe(&life, false, settings->frequency, &lives->free);
	if (is_as_supposed(&life))
	{
		lives->supposed++;
		observe(&life, true, settings->frequency, &lives->still);
	}
	if (lives->fault != NO_FAULT || found_in(&lives->free) + lives->free.certain + found_in(&lives->still) == found)
		return;
	printf("# seed " UINT64_FORMAT ": somebody is found\n", seed);
	if (getenv("PLACES_SHOW") != NULL)
		show_life(&life);
}

static void
say(const char *who, const Observed *observed)
{
	printf("# %s: %d looked at, %d poor, %d few, %d sure, %d of %d certain, %d no world, %d undecided\n", who, observed->looked_at,
		   observed->poor, observed->few, observed->sure, observed->certain, observed->weighed, observed->no_world, observed->undecided);
}

static void
live(Lives *lives, int n, uint64 first_seed)
{
	const char *seed = getenv("PLACES_SEED");

	if (seed != NULL)
	{
		first_seed = atoll(seed);
		n = 1;
	}
	for (int i = 0; i < n; i++)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "life", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);

		live_once(lives, first_seed + i);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	printf("# %d lives, %d as supposed, %d asked, %d shown, %d invented, %d parted, %d shown again, %d arrivals, %d ties; %d spoiled, %d refused, %d logs refused\n",
		   lives->lives, lives->supposed, lives->asked, lives->shown, lives->invented, lives->parted, lives->shown_again, lives->arrivals, lives->ties, lives->spoiled,
		   lives->refused, lives->refused_logs);
	say("values change", &lives->free);
	say("values stay", &lives->still);
}

/* People who came last have had the least time to change: so a few best guesses rise a little above what a class of five shows. */
static bool
is_safe(const Observed *observed)
{
	return found_in(observed) == 0 && observed->looked_at > 0 && observed->certain * 1000 <= observed->weighed;
}

/* ---- Rules that hold ---- */

static const Settings plain = {.k = 3,.l = 2,.values = 3,.releases = 5,.ties = LIVES_TIES_WORLDS,.reserve = 1.5};

static void
test_nobody_is_found(void)
{
	Lives		lives = {.settings = plain};

	live(&lives, some_of(2000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still));
	check(lives.ties > 0 && lives.arrivals > 0 && lives.parted > 0 && lives.free.weighed > 0);
}

static void
test_nobody_is_found_among_still_people(void)
{
	Lives		lives = {.settings = plain};
	Lives		raised = {.settings = {.k = 2,.l = 2,.values = 4,.releases = 6,.reserve = 2,.is_still = true,.raises = true}};

	lives.settings.is_still = true;
	lives.settings.reserve = 2;
	lives.settings.raises = true;
	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still));
	live(&raised, some_of(2000), 1);
	check(is_safe(&raised.free) && is_safe(&raised.still) && raised.ties > 0);
}

static void
test_nobody_is_found_among_more_values(void)
{
	Lives		lives = {.settings = {.k = 4,.l = 3,.values = 4,.releases = 4,.reserve = 1.5,.is_still = true}};
	Lives		skewed = {.settings = {.k = 2,.l = 2,.values = 4,.releases = 6,.reserve = 1.5,.skew = 80,.is_still = true}};

	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still));
	live(&skewed, some_of(1000), 1);
	/* Where four of five have one value, so have more of those who came last. */
	check(found_in(&skewed.free) == 0 && skewed.free.certain * 100 < skewed.free.weighed && is_safe(&skewed.still));
}

static void
test_nobody_is_found_after_partings(void)
{
	Lives		lives = {.settings = {.k = 2,.l = 2,.values = 4,.releases = 5,.reserve = 2.5,.is_fixed = true}};

	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still) && lives.parted > 0);
}

static void
test_nobody_is_found_among_true_rows(void)
{
	Lives		lives = {.settings = plain};

	lives.settings.is_dirty = true;
	lives.settings.reserve = 2.5;
	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still) && lives.invented == 0);
	check(lives.parted > 0 && lives.shown_again > 0);
	lives = (Lives) {.settings = plain};
	lives.settings.is_dirty = lives.settings.is_fixed = true;
	lives.settings.k = 2;
	lives.settings.releases = 6;
	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still) && lives.invented == 0);
	check(lives.parted > 0 && lives.shown_again > 0);
}

static void
test_ties_one_by_one(void)
{
	Lives		lives = {.settings = plain};

	lives.settings.ties = LIVES_TIES_ALONE;
	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free));
}

static void
test_shares_hold_without_ties(void)
{
	Lives		lives = {.settings = plain};

	lives.settings.ties = LIVES_TIES_NONE;
	live(&lives, some_of(500), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still) && lives.ties == 0);
	lives = (Lives) {.settings = plain};
	lives.settings.ties = LIVES_TIES_NONE;
	lives.settings.frequency = 1.5;
	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still) && lives.ties == 0);
}

/* ---- Rules that are broken ---- */

static void
check_found(Fault fault, bool is_dirty, bool refuses_all)
{
	Lives		lives = {.settings = plain,.fault = fault};

	lives.settings.ties = fault == FAULT_TIE ? LIVES_TIES_NONE : LIVES_TIES_WORLDS;
	lives.settings.is_still = fault >= FAULT_TIE;
	lives.settings.is_dirty = is_dirty;
	lives.settings.reserve = is_dirty ? 2.5 : plain.reserve;
	lives.settings.skew = fault == FAULT_ALIKE ? 60 : 0;
	live(&lives, some_of(300), 1);
	check(lives.spoiled > 0 && lives.refused > 0);
	check((!refuses_all || lives.refused == lives.spoiled) && lives.refused_logs > 0);
	check(found_in(&lives.free) + found_in(&lives.still) > 0);
	check((fault != FAULT_RETURNER && fault != FAULT_TODAY) || lives.free.certain * 100 > lives.free.weighed);
}

static void test_values_of_today(void) { check_found(FAULT_TODAY, false, true); }
static void test_new_values_of_returners(void) { check_found(FAULT_RETURNER, false, true); }
static void test_other_values_of_arrivals(void) { check_found(FAULT_ARRIVAL, false, true); }
static void test_parting_of_few(void) { check_found(FAULT_PARTING, false, true); }
static void test_hiding_of_few(void) { check_found(FAULT_PARTING, true, true); }
static void test_hiding_of_alike(void) { check_found(FAULT_ALIKE, true, true); }
static void test_fewer_than_k(void) { check_found(FAULT_FEW, false, true); }
static void test_any_tie(void) { check_found(FAULT_TIE, false, false); }

static void
test_ties_of_cohorts(void)
{
	Lives		lives = {.settings = {.k = 2,.l = 2,.values = 4,.releases = 7,.ties = LIVES_TIES_WORLDS,.reserve = 2,.skew = 50,.is_still = true},.fault = FAULT_UNASKED};

	live(&lives, some_of(3000), 1);
	check(lives.spoiled > 0 && found_in(&lives.still) > 0);
	lives = (Lives) {.settings = lives.settings};
	live(&lives, some_of(3000), 1);
	check(found_in(&lives.free) + found_in(&lives.still) == 0 && lives.ties > 0);
}

/* ---- Twins: sources that differ in values only ---- */

static Life twin;

/* People of a class have each other's values. */
static void
make_twin(const Draft *draft, int *is_of)
{
	const Classes *classes = draft->classes;

	for (int p = 0; p < life.npeople; p++)
		is_of[p] = NOBODY;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint64		n = class_size(classes, c);
		uint64		turn = 1 + draw_below(n - 1);

		for (uint64 i = 0; i < n; i++)
			is_of[life.person_of_row[classes->rows[classes->first[c] + i]]] =
				life.person_of_row[classes->rows[classes->first[c] + (i + turn) % n]];
	}
	for (int p = 0; p < life.npeople; p++)
		life.person[p].alive &= is_of[p] != NOBODY;
	twin = life;
}

static void
give_values(const int *is_of)
{
	for (int p = 0; p < life.npeople; p++)
	{
		twin.person[p].alive = life.person[p].alive;
		if (is_of[p] != NOBODY)
			twin.person[is_of[p]].value = life.person[p].value;
	}
}

static Draft *
draft_of(Life *one, uint64 seed, bool is_cohort)
{
	seed_lives(seed);
	life_make_frame(one, is_cohort);
	one->past = *life_make_past(one);
	return bpg_method.draft(&one->frame, &one->past, one->params, 1);
}

/* Are people in the places of the other one, and as many rows beside them?  Only the owner hears how many people wait. */
static bool
look_alike(const Draft *a, const Draft *b)
{
	const Classes *of_a = a->classes;
	const Classes *of_b = b->classes;

	return of_a->nclasses == of_b->nclasses &&
		memcmp(of_a->first, of_b->first, sizeof(uint64) * (of_a->nclasses + 1)) == 0 &&
		memcmp(of_a->first_counterfeit, of_b->first_counterfeit, sizeof(uint64) * (of_a->nclasses + 1)) == 0 &&
		memcmp(of_a->rows, of_b->rows, sizeof(RowId) * of_a->first[of_a->nclasses]) == 0 &&
		memcmp(a->group, b->group, sizeof(uint32) * of_a->nclasses) == 0 &&
		memcmp(a->place, b->place, sizeof(uint64) * life.nrows) == 0 &&
		(a->is_apart == NULL) == (b->is_apart == NULL) && a->suppressed == b->suppressed;
}

/* Returns how many releases were compared: until places are parted off, of which the two do not know the same. */
static int
live_as_twins(uint64 seed)
{
	Settings	settings = plain;
	int			is_of[MAX_PEOPLE];
	Draft	   *draft;
	int			n = 0;

	settings.ties = LIVES_TIES_NONE;
	settings.is_still = true;
	seed_lives(seed);
	life_begin(&life, &settings);
	draft = draft_of(&life, seed, false);
	make_twin(draft, is_of);
	give_values(is_of);
	if (!look_alike(draft_of(&life, seed, false), draft_of(&twin, seed, false)))
		return 0;				/* cut elsewhere, by values */
	life_publish(&life, draft_of(&life, seed, false));
	life_publish(&twin, draft_of(&twin, seed, false));
	for (int r = 1; r < settings.releases; r++)
	{
		bool		is_cohort;
		Draft	   *a;
		Draft	   *b;

		seed_lives(seed * MAX_RELEASES + r);
		is_cohort = draw_chance(35);
		for (int p = 0; p < life.npeople; p++)
		{
			life.person[p].alive &= draw_chance(85);
			if (draw_chance(15))
				life.person[p].value = draw_below(life.nvalues);
		}
		give_values(is_of);
		a = draft_of(&life, seed + r, is_cohort);
		b = draft_of(&twin, seed + r, is_cohort);
		check(look_alike(a, b));
		n++;
		if (a->is_apart != NULL)
			break;
		life_publish(&life, a);
		life_publish(&twin, b);
	}
	return n;
}

static void
test_twins(void)
{
	int			n = 0;

	for (int i = 0; i < some_of(1000); i++)
		n += live_as_twins(i + 1);
	printf("# %d releases of twins\n", n);
	check(n > 0);
}

/* ---- Releases that were made elsewhere ---- */

static Individual imported_places[] = {0, 1, 2, 3, 4, 5,	0, 1, 2, 6, 7,	0, 1, 2,	3, 4, 5,	0, 1, 2, 3, 4, 5};
static Individual imported_people[] = {0, 1, 2, 3, 4, 5,	0, 1, 2, 6, 7,	0, 1, 2,	3, 4, 5,	0, 1, 2, 3, 4, 5};
static Code imported_values[] = {0, 1, 0, 1, 0, 1,	1, 1, 1, 0, 0,	0, 1, 0,	1, 0, 1,	0, 1, 0, 1, 0, 1};
static uint64 imported_first[4][3] = {{0, 6}, {0, 5}, {0, 3, 6}, {0, 6}};
static uint32 imported_group[4][2] = {{0}, {NO_GROUP}, {0, 0}, {0}};
static const int imported_from[] = {0, 6, 11, 17};
static const int imported_classes[] = {1, 1, 2, 1};

/* A class made elsewhere parts the group that it meets: three of its places, and the others. */
static void
test_imports_part_groups(void)
{
	SeenRelease release[4] = {0};
	static const uint32 group_of[] = {0, 0, 0, 0, 0, 0, 1, 1};
	Seen		seen = {.release = release,.nindividuals = 8,.nvalues = 2,.npeople = 8,.ngroups = 2,.group_of = group_of};
	Principle	declared = principle_k_l(3, 2);
	Principle	principle[4];
	static const bool is_true[4];
	PlacesVerdict verdict;

	for (int r = 0; r < 4; r++)
	{
		principle[r] = principle_bound(&declared, 2, NULL);
		release[r] = (SeenRelease) {
			.nclasses = imported_classes[r],.first = imported_first[r],.group = imported_group[r],
			.individual = imported_places + imported_from[r],.person = imported_people + imported_from[r],
			.value = imported_values + imported_from[r]
		};
	}
	seen.nreleases = 3;
	verdict = places_judge(&seen, NULL, principle, is_true, false, 0);
	check(verdict.holds && verdict.fault == NULL);
	seen.nreleases = 4;
	verdict = places_judge(&seen, NULL, principle, is_true, false, 0);
	check(!verdict.holds && verdict.release == 3 && verdict.violations == 1);
	check(verdict.fault != NULL && strcmp(verdict.fault, "it has places of two parts of its group") == 0);
}

/* ---- Deductions, beside all worlds ---- */

typedef struct Compared
{
	int			lives;
	int			values;			/* of people in releases */
	int			excluded;
	int			inexact;
	int			wrong;
} Compared;

/* The values of a spell as bits; NULL is the last. */
static uint32
bits_of(const Spell *spell)
{
	uint32		bits = 0;

	for (uint32 k = 0; k < spell->n; k++)
		bits |= 1u << (spell->candidate[k] == life.nvalues ? MAX_VALUES - 1 : spell->candidate[k]);
	return bits;
}

static const Spell *
spell_in(const Deduction *deduction, int p, int r)
{
	const Spell *spell = NULL;

	for (uint64 s = deduction->first[p]; s < deduction->first[p + 1] && deduction->spell[s].release <= r; s++)
		spell = &deduction->spell[s];
	check(spell != NULL);
	return spell;
}

/* Whatever observers suppose, what was shown is possible. */
static void
check_truth(const Deduction *deduction)
{
	for (int r = 0; r < life.releases; r++)
		for (int c = 0; c < life.release[r].nclasses; c++)
			for (int i = 0; i < life.release[r].class[c].n; i++)
			{
				const LoggedRow *row = &life.release[r].class[c].row[i];

				check(row->person == NOBODY || bits_of(spell_in(deduction, row->person, r)) & 1u << Min(row->value, MAX_VALUES - 1));
			}
}

static void
compare_with_worlds(Compared *compared, uint64 budget)
{
	static uint32 possible[MAX_PEOPLE][MAX_RELEASES];
	bool		is_known[MAX_PEOPLE] = {false};
	Individual	known[MAX_PEOPLE];
	uint64		n = 0;
	const Deduction *deduction;

	for (int p = 0; p < life.npeople; p++)
	{
		is_known[p] = life.person[p].nstays > 0 && draw_chance(10);
		if (is_known[p])
			known[n++] = p;
	}
	deduction = deduce(life_seen(&life), known, n, 0, budget);
	check(deduction != NULL);
	check_truth(deduction);
	if (!is_as_supposed(&life) || !find_possible_values(&life, is_known, possible))
		return;
	compared->lives++;
	for (int p = 0; p < life.npeople; p++)
		for (int r = 0; r < life.releases; r++)
		{
			const Spell *spell = possible[p][r] == 0 ? NULL : spell_in(deduction, p, r);

			if (spell == NULL)
				continue;
			compared->values++;
			compared->inexact += !spell->is_exact;
			compared->excluded += spell->n < spell->nshown;
			if (possible[p][r] & ~bits_of(spell) || (spell->is_exact && possible[p][r] != bits_of(spell)))
			{
				if (compared->wrong++ == 0)
				{
					printf("# release %d: person %d has %x by all worlds, and %x\n", r, p, possible[p][r], bits_of(spell));
					show_life(&life);
				}
			}
		}
}

static void
compare_lives(Settings settings, uint64 budget, Compared *compared)
{
	for (int i = 0; i < some_of(500); i++)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "life", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);

		seed_lives(i + 1);
		life_begin(&life, &settings);
		for (int r = 0; r < settings.releases; r++)
		{
			if (r > 0)
				life_pass_time(&life, &settings);
			life_make_frame(&life, r > 0 && draw_chance(35));
			life.past = *life_make_past(&life);
			life_publish(&life, bpg_method.draft(&life.frame, &life.past, life.params, i));
		}
		compare_with_worlds(compared, budget);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	printf("# %d lives, %d values, %d excluded, %d inexact, %d wrong\n", compared->lives, compared->values, compared->excluded, compared->inexact,
		   compared->wrong);
}

static void
test_deductions(void)
{
	Compared	compared = {0};
	Settings	settings = plain;

	compare_lives(settings, 1000000000, &compared);
	settings.ties = LIVES_TIES_ALONE;
	settings.is_fixed = true;
	compare_lives(settings, 1000000000, &compared);
	settings = (Settings) {.k = 2,.l = 2,.values = 4,.releases = 6,.reserve = 2.5,.is_still = true};
	compare_lives(settings, 1000000000, &compared);
	settings.is_dirty = true;
	compare_lives(settings, 1000000000, &compared);
	check(compared.wrong == 0 && compared.inexact == 0 && compared.excluded > 0);
}

static const Test tests[] = {
	{"nobody is found", test_nobody_is_found},
	{"nobody is found among people who seldom change", test_nobody_is_found_among_still_people},
	{"nobody is found among more values, or skewed ones", test_nobody_is_found_among_more_values},
	{"nobody is found after partings", test_nobody_is_found_after_partings},
	{"nobody is found where all rows are true", test_nobody_is_found_among_true_rows},
	{"ties that are judged one by one are no harm where values change", test_ties_one_by_one},
	{"shares hold without ties", test_shares_hold_without_ties},
	{"values of today are found", test_values_of_today},
	{"new values of returners are found", test_new_values_of_returners},
	{"arrivals with other values are found", test_other_values_of_arrivals},
	{"places parted off are found", test_parting_of_few},
	{"few true rows that are hidden are found", test_hiding_of_few},
	{"true rows that are hidden among others like them are found", test_hiding_of_alike},
	{"fewer than k are found", test_fewer_than_k},
	{"any tie is found", test_any_tie},
	{"new values of cohorts are found if no tie is asked about", test_ties_of_cohorts},
	{"twins look alike", test_twins},
	{"imports part groups", test_imports_part_groups},
	{"what is deduced is what no world excludes, and nothing else", test_deductions},
};

RUN(tests)
