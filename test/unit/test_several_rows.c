/*
 * test_several_rows.c
 *		Small lives of people with several rows each under method bpg, and an observer who looks at all worlds.
 *
 * Observers know the place, and the number of rows that it shows, of everybody in each release, and that rows stay: a world gives
 * each row of a place a value, such that each class that was shown has the values that it had.  Of more rows than are shown at
 * most, others may be shown once more have come.  Asked for: whichever l - 1 values are named, may each place have none of them?
 */
#include "groups.h"

#include "audit/judge_draft.h"
#include "audit/places_judge.h"
#include "frame/arrays.h"
#include "partition/changed_rows.h"

#define VALUES		4			/* and NULL */
#define MOST		3			/* rows of a person that are shown */
#define ALL_ROWS	6
#define MAX_SETS	56
#define MAX_SLOTS	(MAX_CLASS * MOST * MAX_RELEASES)
#define MAX_SUMS	(MAX_RELEASES * MAX_RELEASES)
#define MAX_STEPS	20000

typedef enum Fault
{
	NO_FAULT,
	FAULT_NEW_ROWS,				/* new rows are shown whoever got them */
	FAULT_SETS,					/* principles count different sets of rows */
	FAULT_ARRIVAL,				/* people come to places with as many rows as theirs, and show their own */
	FAULT_RETURN				/* people who come back show their rows of today at once */
} Fault;

typedef struct Lives
{
	Settings	settings;
	Fault		fault;
	int			parted;
	int			refused;
	int			asked;
	int			found;
	int			undecided;
} Lives;

static Life life;
static uint64 first_row[MAX_SETS + 1];
static Code row_code[MAX_SETS * MOST];
static Aspect aspect = {.ncodes = VALUES, .code = row_code};
static Aspects aspects = {.n = 1, .aspect = &aspect, .first = first_row, .most = MOST};
static Code nsets;

/* ---- People ---- */

typedef struct Rows
{
	int			n;
	int			value[ALL_ROWS];
	uint32		lot[ALL_ROWS];
} Rows;

static Rows rows_of[MAX_PEOPLE];
static int	number_shown[MAX_RELEASES][MAX_PEOPLE]; /* of rows that the source had */
static bool renewed[MAX_RELEASES][MAX_PEOPLE]; /* were all rows that there had been before deleted, and others came? */
static bool was_there[MAX_PEOPLE];

static void
make_sets(void)
{
	for (int n = 1; n <= MOST; n++)
		for (int i = 0; i < (VALUES + 1) * (VALUES + 1) * (VALUES + 1); i++)
		{
			int			row[MOST] = {i % (VALUES + 1), i / (VALUES + 1) % (VALUES + 1), i / (VALUES + 1) / (VALUES + 1)};
			bool		is_set = true;

			for (int j = 1; j < MOST; j++)
				is_set &= j < n ? row[j - 1] <= row[j] : row[j] == 0;
			if (!is_set)
				continue;
			for (int j = 0; j < n; j++)
				row_code[first_row[nsets] + j] = row[j] == VALUES ? NO_CODE : (Code) row[j];
			first_row[nsets + 1] = first_row[nsets] + n;
			nsets++;
		}
}

static int
size_of(Code set)
{
	return first_row[set + 1] - first_row[set];
}

static int
value_of(Code set, int i)
{
	Code		code = row_code[first_row[set] + i];

	return code == NO_CODE ? VALUES : (int) code;
}

/* A sample of a person's rows. */
static Code
set_of(const Rows *rows)
{
	int			count[VALUES + 1] = {0};

	for (int i = 0; i < rows->n; i++)
	{
		int			before = 0;

		for (int j = 0; j < rows->n; j++)
			before += rows->lot[j] < rows->lot[i];
		count[rows->value[i]] += before < MOST;
	}
	for (Code set = 0; set < nsets; set++)
	{
		bool		is_it = size_of(set) == Min(rows->n, MOST);

		for (int v = 0; v <= VALUES; v++)
		{
			int			n = 0;

			for (int i = 0; i < size_of(set); i++)
				n += value_of(set, i) == v;
			is_it &= n == count[v];
		}
		if (is_it)
			return set;
	}
	pg_unreachable();
}

/*
 * Everybody has a row at least; who is newly there may have more, and others get some.  Of people who come back, and a few
 * others, all rows may be new ones.
 */
static void
let_rows_come(void)
{
	int			percent = draw_chance(30) ? 70 : 15;
	int			percent_new = draw_chance(30) ? 50 : 3;

	for (int p = 0; p < life.npeople; p++)
	{
		Rows	   *rows = &rows_of[p];
		bool		is_back = rows->n > 0 && life.person[p].alive && !was_there[p];
		int			n;

		was_there[p] = life.person[p].alive;
		if (rows->n > 0 && draw_chance(is_back ? 50 : percent_new))
		{
			rows->n = 0;
			renewed[life.releases][p] = true;
		}
		n = rows->n == 0 ? 1 + draw_below(MOST) : draw_chance(percent) ? 1 + draw_below(2) : 0;

		for (; n > 0 && rows->n < ALL_ROWS; n--, rows->n++)
		{
			rows->value[rows->n] = draw_chance(4) ? VALUES : (int) draw_below(VALUES);
			rows->lot[rows->n] = draw_below(1000000) * ALL_ROWS + rows->n;
		}
		life.person[p].value = set_of(rows);
	}
}

/* ---- Worlds ---- */

/* A row of a place, as long as releases show it. */
typedef struct Slot
{
	int			place;
	int			since;
	int			until;			/* not included */
	int			value;			/* in the world at hand */
} Slot;

static int	nslots;
static Slot slot[MAX_SLOTS];
static bool in_class[MAX_RELEASES][MAX_PLACES];

/* Rows that have certain values together: those of a class, or that one has more than another. */
static int	nsums;
static bool sums[MAX_SUMS][MAX_SLOTS];
static int	left[MAX_SUMS][VALUES + 1];
static int	steps;
static int	turn;

/* Has the number of a person's rows changed since a release? */
static bool
has_changed(int person, int since, int r)
{
	bool		changed = false;

	for (int before = since; before < r; before++)
		changed |= number_shown[before][person] != number_shown[r][person];
	return changed;
}

/* Have all rows of a person gone since a release, and since the person came to the place? */
static bool
has_new_rows(int person, int since, int r)
{
	bool		has_new = false;

	for (int after = Max(since + 1, life.person[person].came[0]); after <= r; after++)	/* came: from 1 on */
		has_new |= renewed[after][person];
	return has_new;
}

/*
 * A place of a class shows a set; before another one, or none.  Nobody knows which rows of a sample stay when there are more
 * to draw from.
 */
static void
see_place(int r, const LoggedRow *row, bool is_refreshed)
{
	int			kept = 0;
	int			n = size_of(row->value);

	for (int s = 0; s < nslots; s++)
	{
		if (slot[s].place != row->place || slot[s].until <= r)
			continue;
		if (is_refreshed && row->person != NOBODY &&
			(has_new_rows(row->person, slot[s].since, r) ||
			 (n == MOST && number_shown[r][row->person] > MOST && has_changed(row->person, slot[s].since, r))))
			slot[s].until = r;
		else
			kept++;
	}
	for (; kept < n; kept++)
		slot[nslots++] = (Slot) {row->place, r, MAX_RELEASES, -1};
}

static bool
is_seen_in(const Slot *one, int r)
{
	return in_class[r][one->place] && one->since <= r && r < one->until;
}

/* The rows of a class that are not of another one, if that has no others. */
static void
subtract_class(int r, int other)
{
	bool		any = false;

	for (int s = 0; s < nslots; s++)
	{
		if (is_seen_in(&slot[s], other) && !is_seen_in(&slot[s], r))
			return;
		any |= sums[nsums][s] = is_seen_in(&slot[s], r) && !is_seen_in(&slot[s], other);
	}
	for (int v = 0; v <= VALUES; v++)
		left[nsums][v] = left[r][v] - left[other][v];
	nsums += any;
}

/* All that releases showed of a group.  is_alone: a place may show other rows where the rest of the group does not. */
static void
see_group(int g, bool is_alone)
{
	Code		shown[MAX_PLACES];

	nslots = 0;
	memset(shown, 0xff, sizeof(shown));
	memset(left, 0, sizeof(left));
	memset(in_class, 0, sizeof(in_class));
	for (int r = 0; r < life.releases; r++)
		for (int c = 0; c < life.release[r].nclasses; c++)
		{
			const LoggedClass *class = &life.release[r].class[c];
			bool		is_refreshed = false;

			for (int i = 0; i < class->n && class->group == g; i++)
				is_refreshed |= class->row[i].value != shown[class->row[i].place];
			for (int i = 0; i < class->n && class->group == g; i++)
			{
				const LoggedRow *row = &class->row[i];

				see_place(r, row, is_refreshed && (!is_alone || row->value != shown[row->place]));
				shown[row->place] = row->value;
				in_class[r][row->place] = true;
				for (int j = 0; j < size_of(row->value); j++)
					left[r][value_of(row->value, j)]++;
			}
		}
	nsums = life.releases;
	for (int r = 0; r < life.releases; r++)
		for (int s = 0; s < nslots; s++)
			sums[r][s] = is_seen_in(&slot[s], r);
	for (int r = 0; r < life.releases; r++)
		for (int other = 0; other < life.releases; other++)
			if (r != other)
				subtract_class(r, other);
}

/* Can the row have the value, as far as the rows before leave it? */
static bool
is_left(int s, int v)
{
	for (int i = 0; i < nsums; i++)
		if (sums[i][s] && left[i][v] <= 0)
			return false;
	return true;
}

/* Gives slots values, those of the place first, which must avoid some in a release; places are alike, and so are their rows. */
static bool
fill_slots(int place, int r, uint32 avoided, int at, int before)
{
	int			s;
	const Slot *last = before < 0 ? NULL : &slot[before];
	int			from = 0;

	while (at < 2 * nslots && (slot[at % nslots].place == place) != (at < nslots))
		at++;
	if (at >= 2 * nslots)
		return true;
	s = at % nslots;
	if (last != NULL && last->place == slot[s].place && last->since == slot[s].since && last->until == slot[s].until)
		from = (last->value + turn) % (VALUES + 1);
	for (int i = from; i <= VALUES && steps < MAX_STEPS; i++)
	{
		int			v = (i + VALUES + 1 - turn) % (VALUES + 1);
		bool		filled;

		if ((at < nslots && sums[r][s] && (avoided >> v & 1)) || !is_left(s, v))
			continue;
		steps++;
		for (int j = 0; j < nsums; j++)
			left[j][v] -= sums[j][s];
		slot[s].value = v;
		filled = fill_slots(place, r, avoided, at + 1, s);
		for (int j = 0; j < nsums; j++)
			left[j][v] += sums[j][s];
		if (filled)
			return true;
	}
	return false;
}

/* Notes which sets of values each place avoids in the world at hand. */
static void
note_world(int g, uint32 avoids[MAX_PLACES][MAX_RELEASES])
{
	for (int place = life.first[g]; place < life.first[g + 1]; place++)
		for (int r = 0; r < life.releases; r++)
		{
			uint32		has = 0;

			for (int s = 0; s < nslots; s++)
				if (slot[s].place == place && sums[r][s])
					has |= 1 << slot[s].value;
			for (uint32 set = 0; set < 1 << VALUES; set++)
				avoids[place][r] |= (has & set) == 0 ? 1 << set : 0;
		}
}

static int
bits_of(uint32 set)
{
	return set == 0 ? 0 : (set & 1) + bits_of(set >> 1);
}

static bool
observe_group(int g, Lives *lives)
{
	uint32		avoids[MAX_PLACES][MAX_RELEASES] = {0};
	int			before = lives->found;

	see_group(g, lives->fault == FAULT_RETURN);
	for (int r = 0; r < life.releases; r++)
		for (int place = life.first[g]; place < life.first[g + 1]; place++)
			for (uint32 set = 1; set < 1 << VALUES; set++)
			{
				if (!in_class[r][place] || bits_of(set) != life.params[AT_L] - 1)
					continue;
				lives->asked++;
				steps = 0;
				turn = draw_below(VALUES + 1);
				if (avoids[place][r] >> set & 1)
					continue;
				if (fill_slots(place, r, set, 0, -1))
					note_world(g, avoids);
				else if (steps >= MAX_STEPS)
					lives->undecided++;
				else
					lives->found++;
			}
	return lives->found > before;
}

/* ---- Lives ---- */

static const Draft *judged;
static Principle promised;

static void
judge(void)
{
	Frame		shown = life.frame;

	judge_places(&life.frame, &life.past, places_shown(judged), &promised, life.params[AT_K], life.params[AT_REPAIR]);
	frame_take_shown(&shown, judged);
	judge_classes(&shown, judged->classes, &promised);
}

static bool
show_todays(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
	{
		LoggedClass *class = &open->class[c];
		bool		is_full = !class->is_new;

		for (int i = 0; i < class->n; i++)
			is_full &= class->row[i].person != NOBODY && life.holder[class->row[i].place] == class->row[i].person && !life.away[class->row[i].place];
		for (int i = 0; i < class->n && is_full; i++)
		{
			any |= class->row[i].value != life.person[class->row[i].person].value;
			class->row[i].value = life.person[class->row[i].person].value;
		}
	}
	return any;
}

static bool
show_returners(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n && !open->class[c].is_new; i++)
		{
			LoggedRow  *row = &open->class[c].row[i];

			if (row->person == NOBODY || life.holder[row->place] != row->person || !life.away[row->place])
				continue;
			any |= row->value != life.person[row->person].value;
			row->value = life.person[row->person].value;
		}
	return any;
}

static bool
is_shown(const OpenDraft *open, int p)
{
	bool		shown = false;

	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n; i++)
			shown |= open->class[c].row[i].person == p;
	return shown;
}

static bool
seat_wrongly(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
		for (int i = 0; i < open->class[c].n; i++)
			for (int p = 0; p < life.npeople && open->class[c].row[i].person == NOBODY; p++)
			{
				LoggedRow  *row = &open->class[c].row[i];
				const Person *one = &life.person[p];

				if (!one->alive || one->nstays > 0 || is_shown(open, p) || one->value == row->value || size_of(one->value) != size_of(row->value))
					continue;
				row->person = p;
				row->value = one->value;
				any = true;
			}
	return any;
}

static void
release(Lives *lives, uint64 seed)
{
	Aspects		sets = {.n = 1, .aspect = &(Aspect) {.ncodes = nsets}};
	const Draft *draft;
	OpenDraft	open;
	const char *refusal;

	life.frame.aspects = lives->fault == FAULT_SETS ? &sets : &aspects;
	draft = bpg_method.draft(&life.frame, &life.past, life.params, seed);
	life.frame.aspects = &aspects;
	promised = principle_declared(life.params[AT_K], life.params[AT_L], life.params + AT_PRINCIPLES);
	draft_open(&life, draft, &open);
	if ((lives->fault == FAULT_NEW_ROWS && show_todays(&open)) || (lives->fault == FAULT_RETURN && show_returners(&open)) ||
		(lives->fault == FAULT_ARRIVAL && life.past.is_whole && seat_wrongly(&open)))
		draft = draft_close(&life, &open);
	judged = draft;
	refusal = error_of(judge);
	lives->refused += refusal != NULL;
	if (lives->fault == NO_FAULT)
		check_at(refusal == NULL, refusal, __FILE__, __LINE__);
	for (int place = 0; place < life.first[life.ngroups] && draft->is_apart != NULL; place++)
		lives->parted += draft->is_apart[place];
	for (int p = 0; p < life.npeople; p++)
		number_shown[life.releases][p] = rows_of[p].n;
	life_publish(&life, draft);
}

static void
live(Lives *lives, uint64 seed)
{
	bool		found = false;

	seed_lives(seed);
	memset(rows_of, 0, sizeof(rows_of));
	memset(renewed, 0, sizeof(renewed));
	memset(was_there, 0, sizeof(was_there));
	life_begin(&life, &lives->settings);
	life.nvalues = nsets;
	for (int r = 0; r < lives->settings.releases; r++)
	{
		if (r > 0)
			life_pass_time(&life, &lives->settings);
		let_rows_come();
		life_make_frame(&life, r > 0 && draw_chance(25));
		life.past = *life_make_past(&life);
		release(lives, seed);
	}
	for (int g = 0; g < life.ngroups; g++)
		found |= observe_group(g, lives);
	if (found && lives->fault == NO_FAULT)
	{
		printf("# seed " UINT64_FORMAT "\n", seed);
		show_life(&life);
	}
}

static void
live_all(Lives lives)
{
	lives.settings.values = nsets;
	lives.settings.is_fixed = true;
	for (int n = 0; n < some_of(20000); n++)
	{
		MemoryContext outer = CurrentMemoryContext;
		MemoryContext context = AllocSetContextCreate(outer, "life", ALLOCSET_DEFAULT_SIZES);

		MemoryContextSwitchTo(context);
		live(&lives, 1000 * lives.settings.k + n);
		MemoryContextSwitchTo(outer);
		MemoryContextDelete(context);
	}
	printf("# k %d, l %d: %d asked, %d found, %d undecided; %d parted, %d drafts refused\n", lives.settings.k, lives.settings.l,
		   lives.asked, lives.found, lives.undecided, lives.parted, lives.refused);
	check(lives.fault != NO_FAULT || lives.undecided < lives.asked / 500);
	check(lives.fault == NO_FAULT ? lives.found == 0 : lives.found > 0 && lives.refused > 0);
}

static void
test_nobody_is_found(void)
{
	make_sets();
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 1}});
	live_all((Lives) {.settings = {.k = 3,.l = 3,.releases = 5,.reserve = 2}});
}

static void
test_nobody_is_found_among_true_rows(void)
{
	live_all((Lives) {.settings = {.k = 3,.l = 2,.releases = 6,.reserve = 2,.is_dirty = true}});
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 3,.is_dirty = true}});
}

static void
test_new_rows_of_few(void)
{
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 1},.fault = FAULT_NEW_ROWS});
}

static void
test_sets_as_values(void)
{
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 1},.fault = FAULT_SETS});
}

static void
test_arrivals_with_other_rows(void)
{
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 1},.fault = FAULT_ARRIVAL});
}

static void
test_returners_with_other_rows(void)
{
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 1},.fault = FAULT_RETURN});
}

static const Test tests[] = {
	{"nobody is found", test_nobody_is_found},
	{"nobody is found where all rows are true", test_nobody_is_found_among_true_rows},
	{"new rows of few are found", test_new_rows_of_few},
	{"rows of some are found where sets of them are counted", test_sets_as_values},
	{"arrivals with other rows are found", test_arrivals_with_other_rows},
	{"people who come back with other rows are found", test_returners_with_other_rows},
};

RUN(tests)
