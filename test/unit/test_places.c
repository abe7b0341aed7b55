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
	FAULT_FEW,					/* a group of fewer than k */
	FAULT_TIE					/* people come back to any other group */
} Fault;

typedef struct Lives
{
	Settings	settings;
	Fault		fault;

	/* What came of them */
	int			lives;
	int			supposed;		/* as observers of the second kind suppose */
	Observed	free;			/* values change freely */
	Observed	still;			/* no more than they must */
	int			shown;
	int			invented;
	int			asked;
	int			parted;
	int			refreshed;
	int			arrivals;
	int			ties;
	int			spoiled;		/* drafts */
	int			refused;
	int			refused_logs;
} Lives;

static Life life;
static const Draft *judged;
static Principle promised;

/* ---- Judges ---- */

static void
judge(void)
{
	Frame		shown = life.frame;

	judge_places(&life.frame, &life.past, judged, &promised, life.params[AT_K]);
	frame_take_shown(&shown, judged);
	judge_classes(&shown, judged->classes, &promised);
}

static const char *
refusal_of(const Draft *draft)
{
	judged = draft;
	promised = principle_declared(life.params[AT_K], life.params[AT_L], life.params + AT_PRINCIPLES);
	return error_of(judge);
}

static PlacesVerdict
judge_log(void)
{
	Principle  *principle = palloc(sizeof(Principle) * MAX_RELEASES);

	for (int r = 0; r < life.releases; r++)
	{
		Principle	of = principle_declared(life.release[r].k, life.release[r].l, life.params + AT_PRINCIPLES);

		principle[r] = principle_bound(&of, life.nvalues, NULL);
	}
	return places_judge(life_seen(&life), NULL, principle);
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

static bool
show_today(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n && !open->class[c].is_new; i++)
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
				open->is_gone[class->row[i].place] = any = true;
			else
				class->row[n++] = class->row[i];
		class->n = n;
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

/* Has the draft been made worse? */
static bool
spoil(OpenDraft *open, Fault fault)
{
	switch (fault)
	{
		case NO_FAULT:
			return false;
		case FAULT_TODAY:
			return show_today(open);
		case FAULT_PARTING:
			return part_departed(open);
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
	const Past *foreseen = past_after(&life.past, &life.frame, draft, life.releases + 1);
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
	for (int place = 0; place < life.first[life.ngroups] && draft->is_gone != NULL; place++)
		lives->parted += draft->is_gone[place];
	for (int row = 0; row < life.nrows; row++)
		if (draft->place[row] != NO_PLACE && life.past.places->place[row] != draft->place[row])
			lives->arrivals++;
}

/* Judges, spoils and publishes a draft. */
static void
release(Lives *lives, uint64 seed)
{
	const Draft *draft = bpg_method.draft(&life.frame, &life.past, life.params, seed);
	const char *refusal = refusal_of(draft);
	OpenDraft	open;

	check_at(refusal == NULL, refusal, __FILE__, __LINE__);
	if (refusal != NULL && getenv("PLACES_SHOW"))
	{
		extern void show_life(const Life *);
		show_life(&life);
		draft_open(&life, draft, &open);
		for (int c = 0; c < open.nclasses; c++)
		{
			printf("#  draft class %d group %d:", c, open.class[c].group);
			for (int i = 0; i < open.class[c].n; i++) printf(" %d:p%d=%d", open.class[c].is_new ? -1 : open.class[c].row[i].place - life.first[open.class[c].group], open.class[c].row[i].person, (int) open.class[c].row[i].value);
			printf("\n");
		}
	}
	if (refusal != NULL)
		printf("# seed " UINT64_FORMAT ", release %d, fault %d: refused\n", seed, life.releases, lives->fault);
	count_draft(lives, draft);
	draft_open(&life, draft, &open);
	if (spoil(&open, lives->fault))
	{
		lives->spoiled++;
		lives->refused += refusal_of(draft_close(&life, &open)) != NULL;
		life_publish_open(&life, &open);
	}
	else if (lives->fault != NO_FAULT)
		life_publish(&life, draft);
	else
		check_past_after(draft);
}

static void
live_once(Lives *lives, uint64 seed)
{
	const Settings *settings = &lives->settings;
	PlacesVerdict verdict;
	int			poor = lives->free.poor + lives->free.few + lives->still.poor + lives->still.few + lives->still.no_world + lives->free.no_world + lives->free.sure;

	seed_lives(seed);
	life_begin(&life, settings);
	for (int r = 0; r < settings->releases; r++)
	{
		if (r > 0)
			life_pass_time(&life, settings);
		life_make_frame(&life, r > 0 && draw_chance(35));
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
	if (lives->fault == NO_FAULT && lives->free.poor + lives->free.few + lives->still.poor + lives->still.few + lives->still.no_world + lives->free.no_world + lives->free.sure > poor)
	{
		printf("# seed " UINT64_FORMAT ": somebody is found\n", seed);
		if (getenv("PLACES_SHOW"))
		{
			extern void show_life(const Life *);
			show_life(&life);
		}
	}
}

static void
say(const char *who, const Observed *observed)
{
	printf("# %s: %d looked at, %d poor, %d few, %d sure, %d no world, %d undecided\n", who, observed->looked_at, observed->poor,
		   observed->few, observed->sure, observed->no_world, observed->undecided);
}

static void
live(Lives *lives, int n, uint64 first_seed)
{
	const char *seed = getenv("PLACES_SEED");

	for (int i = 0; i < n; i++)
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "life", ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);

		live_once(lives, seed != NULL ? (uint64) atoll(seed) : first_seed + i);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
	}
	printf("# %d lives, %d as supposed, %d asked, %d shown, %d invented, %d parted, %d arrivals, %d ties; %d spoiled, %d refused, %d logs refused\n",
		   lives->lives, lives->supposed, lives->asked, lives->shown, lives->invented, lives->parted, lives->arrivals, lives->ties, lives->spoiled,
		   lives->refused, lives->refused_logs);
	say("values change", &lives->free);
	say("values stay", &lives->still);
}

static bool
is_safe(const Observed *observed)
{
	return observed->poor == 0 && observed->few == 0 && observed->sure == 0 && observed->no_world == 0 && observed->looked_at > 0;
}

/* ---- Rules that hold ---- */

static const Settings plain = {.k = 3,.l = 2,.values = 3,.releases = 5,.ties = LIVES_TIES_WORLDS,.reserve = 1.5};

static void
test_nobody_is_found(void)
{
	Lives		lives = {.settings = plain};

	live(&lives, some_of(2000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still));
	check(lives.ties > 0 && lives.arrivals > 0 && lives.parted > 0);
}

static void
test_nobody_is_found_among_still_people(void)
{
	Lives		lives = {.settings = plain};

	lives.settings.is_still = true;
	lives.settings.reserve = 2;
	lives.settings.raises = true;
	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still));
}

static void
test_nobody_is_found_among_more_values(void)
{
	Lives		lives = {.settings = {.k = 4,.l = 3,.values = 4,.releases = 4,.reserve = 1.5,.is_still = true}};
	Lives		skewed = {.settings = {.k = 2,.l = 2,.values = 4,.releases = 6,.reserve = 1.5,.skew = 80,.is_still = true}};

	live(&lives, some_of(1000), 1);
	check(is_safe(&lives.free) && is_safe(&lives.still));
	live(&skewed, some_of(1000), 1);
	check(is_safe(&skewed.free) && is_safe(&skewed.still));
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
check_found(Fault fault, bool refuses_all)
{
	Lives		lives = {.settings = plain,.fault = fault};

	lives.settings.ties = fault == FAULT_TIE ? LIVES_TIES_NONE : LIVES_TIES_WORLDS;
	lives.settings.is_still = fault == FAULT_TIE;
	live(&lives, some_of(300), 1);
	check(lives.spoiled > 0 && lives.refused > 0);
	check(!refuses_all || (lives.refused == lives.spoiled && lives.refused_logs > 0));
	check(lives.free.poor + lives.free.few + lives.still.poor + lives.still.few > 0);
}

static void test_values_of_today(void) { check_found(FAULT_TODAY, true); }
static void test_new_values_of_returners(void) { check_found(FAULT_RETURNER, true); }
static void test_other_values_of_arrivals(void) { check_found(FAULT_ARRIVAL, true); }
static void test_parting_of_few(void) { check_found(FAULT_PARTING, true); }
static void test_fewer_than_k(void) { check_found(FAULT_FEW, true); }
static void test_any_tie(void) { check_found(FAULT_TIE, false); }

static const Test tests[] = {
	{"nobody is found", test_nobody_is_found},
	{"nobody is found among people who seldom change", test_nobody_is_found_among_still_people},
	{"nobody is found among more values, or skewed ones", test_nobody_is_found_among_more_values},
	{"ties that are judged one by one are no harm where values change", test_ties_one_by_one},
	{"shares hold without ties", test_shares_hold_without_ties},
	{"values of today are found", test_values_of_today},
	{"new values of returners are found", test_new_values_of_returners},
	{"arrivals with other values are found", test_other_values_of_arrivals},
	{"places parted off are found", test_parting_of_few},
	{"fewer than k are found", test_fewer_than_k},
	{"any tie is found", test_any_tie},
};

RUN(tests)
