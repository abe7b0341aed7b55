/*
 * test_several_rows.c
 *		Small lives of people with several rows each under method bpg, and an observer who looks at all worlds.
 *
 * Observers know the place of everybody in each release, how many rows each has, and that rows are facts, which come and go: a
 * world gives each place the rows that it shows, such that each class that was shown has the values that it had, and no more rows
 * of a place are others than the person is known to have lost.  Of more rows than are shown at most, others may be shown once
 * their number changes.  Asked for: whichever l - 1 values are named, may each place have none of them?
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
#define MAX_STEPS	5000
#define MAX_TRIES	16

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
static int	count_in[MAX_SETS][VALUES + 1];
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
			{
				row_code[first_row[nsets] + j] = row[j] == VALUES ? NO_CODE : (Code) row[j];
				count_in[nsets][row[j]]++;
			}
			first_row[nsets + 1] = first_row[nsets] + n;
			nsets++;
		}
}

static int
size_of(Code set)
{
	return first_row[set + 1] - first_row[set];
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
			is_it &= count_in[set][v] == count[v];
		if (is_it)
			return set;
	}
	pg_unreachable();
}

/*
 * Everybody has a row at least; who is newly there may have more, and others get some, or lose some.  Of people who come back, and
 * a few others, all rows may be new ones.
 */
static void
let_rows_come_and_go(void)
{
	int			percent = draw_chance(30) ? 70 : 15;
	int			percent_new = draw_chance(30) ? 50 : 3;
	bool		go = draw_chance(40);

	for (int p = 0; p < life.npeople; p++)
	{
		Rows	   *rows = &rows_of[p];
		bool		is_back = rows->n > 0 && life.person[p].alive && !was_there[p];
		bool		is_renewed = rows->n > 0 && draw_chance(is_back ? 50 : percent_new);
		int			n;

		was_there[p] = life.person[p].alive;
		renewed[life.releases][p] = is_renewed;
		rows->n = is_renewed ? 0 : rows->n;
		n = rows->n == 0 ? 1 + draw_below(MOST) : draw_chance(percent) ? 1 + draw_below(2) : 0;
		for (; n > 0 && go && rows->n > 1; n--)
		{
			int			gone = draw_chance(70) ? 0 : draw_below(rows->n); /* mostly the oldest */

			rows->n--;
			memmove(&rows->value[gone], &rows->value[gone + 1], sizeof(int) * (rows->n - gone));
			memmove(&rows->lot[gone], &rows->lot[gone + 1], sizeof(uint32) * (rows->n - gone));
		}
		for (; n > 0 && (!go || is_renewed || rows->n == 0) && rows->n < ALL_ROWS; n--, rows->n++)
		{
			rows->value[rows->n] = draw_chance(4) ? VALUES : (int) draw_below(VALUES);
			rows->lot[rows->n] = draw_below(1000000) * ALL_ROWS + rows->n;
		}
		life.person[p].value = set_of(rows);
	}
}

/* ---- Worlds ---- */

/* By release and place, what observers know: the class, or -1; how many rows there are, and how many of those before may be gone. */
static int	class_of[MAX_RELEASES][MAX_PLACES];
static int	size_at[MAX_RELEASES][MAX_PLACES];
static int	may_go[MAX_RELEASES][MAX_PLACES];

static Code truth[MAX_RELEASES][MAX_PLACES];
static Code world[MAX_RELEASES][MAX_PLACES];
static int	left[MAX_RELEASES][MAX_PLACES][VALUES + 1]; /* of each class */
static int	asked;				/* the place, in its group */
static int	steps;
static int	turn;

/* How many of the rows that a person had in a release are gone at most; nobody knows which rows of a sample are shown when others are there to draw from. */
static int
rows_gone(int person, int since, int r)
{
	int			gone = 0;

	for (int next = since + 1; next <= r; next++)
	{
		int			less = number_shown[next - 1][person] - number_shown[next][person];

		gone += renewed[next][person] ? MOST : less != 0 && Max(number_shown[next - 1][person], number_shown[next][person]) > MOST ? MOST : Max(less, 0);
	}
	return gone;
}

/* All that releases showed of a group.  is_alone: a place may show other rows where the rest of the group does not. */
static void
see_group(int g, bool is_alone)
{
	Code		shown[MAX_PLACES];
	int			holder[MAX_PLACES];
	int			since[MAX_PLACES];

	memset(shown, 0xff, sizeof(shown));
	memset(left, 0, sizeof(left));
	memset(class_of, 0xff, sizeof(class_of));
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
				int			place = row->place;

				may_go[r][place] = shown[place] != NO_CODE && is_refreshed && (!is_alone || row->value != shown[place]) && row->person != NOBODY && row->person == holder[place]
					? rows_gone(row->person, since[place], r) : 0;
				if (is_refreshed || (row->person != NOBODY && row->person != holder[place]))
					since[place] = r;
				if (row->person != NOBODY)
					holder[place] = row->person;
				shown[place] = truth[r][place] = row->value;
				class_of[r][place] = c;
				size_at[r][place] = size_of(row->value);
				for (int v = 0; v <= VALUES; v++)
					left[r][c][v] += count_in[row->value][v];
			}
		}
}

/* May a place show a set after another one, and leave the others of its class theirs? */
static bool
is_possible(int r, int place, Code before, Code set)
{
	int			gone = 0;
	bool		possible = size_of(set) == size_at[r][place];

	for (int v = 0; v <= VALUES && possible; v++)
	{
		gone += before == NO_CODE ? 0 : Max(count_in[before][v] - count_in[set][v], 0);
		possible = count_in[set][v] <= left[r][class_of[r][place]][v] && gone <= may_go[r][place];
	}
	return possible;
}

/* May a place have a value in a release?  Rows that are not gone have theirs later, too, and those of as many had theirs before. */
static bool
may_have(int place, int when, int v)
{
	int			next = when;

	for (int r = when + 1; r < life.releases; r++)
		if (class_of[r][place] >= 0 && (may_go[r][place] > 0 || left[r][class_of[r][place]][v] == 0))
			return may_go[r][place] > 0;
	for (int r = when; r >= 0; r--)
		if (class_of[r][place] >= 0)
		{
			if (size_at[r][place] < size_at[next][place])
				return true;
			if (left[r][class_of[r][place]][v] == 0)
				return false;
			if (may_go[r][place] > 0)
				return true;
			next = r;
		}
	return true;
}

/* Are there places from one on that may have what the others leave? */
static bool
is_enough_room(int g, int at)
{
	int			n = life.first[g + 1] - life.first[g];

	for (int r = 0; r < life.releases; r++)
		for (int v = 0; v <= VALUES; v++)
		{
			int			room[MAX_PLACES] = {0};

			for (int i = at; i < n; i++)
			{
				int			place = life.first[g] + (asked + i) % n;

				if (class_of[r][place] >= 0 && left[r][class_of[r][place]][v] > 0 && may_have(place, r, v))
					room[class_of[r][place]] += size_at[r][place];
			}
			for (int c = 0; c < life.release[r].nclasses; c++)
				if (life.release[r].class[c].group == g && room[c] < left[r][c][v])
					return false;
		}
	return true;
}

/* Gives each place a set in each release that shows it, the one that is asked about first, which must avoid some values then. */
static bool
fill_places(int g, int at, int r, Code before, int when, uint32 avoided)
{
	int			n = life.first[g + 1] - life.first[g];
	int			place = life.first[g] + (asked + at) % n;
	int			from = 0;

	while (r < life.releases && class_of[r][place] < 0)
		r++;
	if (r == life.releases)
		return at + 1 == n || (is_enough_room(g, at + 1) && fill_places(g, at + 1, 0, NO_CODE, when, avoided));
	if (before != NO_CODE && may_go[r][place] == 0 && size_at[r][place] == size_of(before))
		from = nsets;
	for (Code i = from; i <= nsets && steps < MAX_STEPS; i++)
	{
		Code		set = from > 0 ? before : i == 0 && turn % 2 == 0 ? truth[r][place] : (i + turn) % nsets; /* many worlds are much like it */
		uint32		has = 0;
		bool		filled;

		for (int v = 0; v <= VALUES; v++)
			has |= count_in[set][v] > 0 ? 1 << v : 0;
		if ((at == 0 && r == when && (has & avoided) != 0) || !is_possible(r, place, before, set))
			continue;
		steps++;
		for (int v = 0; v <= VALUES; v++)
			left[r][class_of[r][place]][v] -= count_in[set][v];
		world[r][place] = set;
		filled = fill_places(g, at, r + 1, set, when, avoided);
		for (int v = 0; v <= VALUES; v++)
			left[r][class_of[r][place]][v] += count_in[set][v];
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
			for (uint32 set = 0; set < 1 << VALUES && class_of[r][place] >= 0; set++)
			{
				bool		has = false;

				for (int v = 0; v < VALUES; v++)
					has |= (set >> v & 1) && count_in[world[r][place]][v] > 0;
				avoids[place][r] |= has ? 0 : 1 << set;
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
				if (class_of[r][place] < 0 || bits_of(set) != life.params[AT_L] - 1)
					continue;
				lives->asked++;
				steps = MAX_STEPS;
				asked = place - life.first[g];
				for (int try = 0; try < MAX_TRIES && steps == MAX_STEPS && !(avoids[place][r] >> set & 1); try++)
				{
					steps = 0;
					turn = draw_below(nsets);
					if (fill_places(g, 0, 0, NO_CODE, r, set))
						note_world(g, avoids);
				}
				if (avoids[place][r] >> set & 1)
					continue;
				if (steps >= MAX_STEPS)
					lives->undecided++;
				else
					lives->found++;
			}
	return lives->found > before;
}

/* ---- Lives ---- */

static bool
show_todays(OpenDraft *open)
{
	bool		any = false;

	for (int c = 0; c < open->nclasses; c++)
	{
		LoggedClass *class = &open->class[c];
		bool		is_full = !class->is_new;

		for (int i = 0; i < class->n; i++)
			is_full &= class->row[i].person != NOBODY && class->row[i].place >= 0 &&
				life.holder[class->row[i].place] == class->row[i].person && !life.away[class->row[i].place];
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
	draft_open(&life, draft, &open);
	if ((lives->fault == FAULT_NEW_ROWS && show_todays(&open)) || (lives->fault == FAULT_RETURN && show_returners(&open)) ||
		(lives->fault == FAULT_ARRIVAL && life.past.is_whole && seat_wrongly(&open)))
		draft = draft_close(&life, &open);
	refusal = life_refusal(&life, draft);
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
		let_rows_come_and_go();
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
	if (nsets == 0)
		make_sets();
	lives.settings.values = nsets;
	lives.settings.is_fixed = true;
	for (int n = 0; n < 400 + some_of(2000); n++)
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
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 6,.reserve = 1}});
	live_all((Lives) {.settings = {.k = 3,.l = 3,.releases = 5,.reserve = 2}});
}

static void
test_nobody_is_found_among_true_rows(void)
{
	live_all((Lives) {.settings = {.k = 3,.l = 2,.releases = 5,.reserve = 2,.is_dirty = true}});
	live_all((Lives) {.settings = {.k = 2,.l = 2,.releases = 5,.reserve = 3,.is_dirty = true}});
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
