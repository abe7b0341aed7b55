/*
 * groups.c
 *		Random lives of small tables under groups of places.
 */
#include "groups.h"

#include "audit/judge_draft.h"
#include "audit/places_judge.h"
#include "frame/arrays.h"

static uint64 random_state;

void
seed_lives(uint64 seed)
{
	random_state = seed * UINT64CONST(0x9E3779B97F4A7C15) + 1;
	for (int i = 0; i < 4; i++)
		(void) draw_below(2);
}

uint32
draw_below(uint32 n)
{
	random_state = random_state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (uint32) (random_state >> 33) % n;
}

bool
draw_chance(int percent)
{
	return (int) draw_below(100) < percent;
}

/* ---- People ---- */

static Code
draw_value(const Life *life, const Settings *settings)
{
	if (draw_chance(settings->skew))
		return 0;
	return draw_chance(3) ? NO_CODE : draw_below(life->nvalues);
}

static void
add_people(Life *life, const Settings *settings, int n)
{
	for (int i = 0; i < n && life->npeople < MAX_PEOPLE; i++)
	{
		Person	   *person = &life->person[life->npeople++];

		memset(person, 0, sizeof(Person));
		person->alive = true;
		for (int q = 0; q < NQIS; q++)
			person->code[q] = draw_below(NCODES);
		person->value = draw_value(life, settings);
	}
}

void
life_begin(Life *life, const Settings *settings)
{
	memset(life, 0, sizeof(Life));
	life->nvalues = settings->values;
	life->is_still = settings->is_still;
	for (int i = 0; i < NPARAMS; i++)
		life->params[i] = PARAM_ABSENT;
	life->params[AT_K] = settings->k;
	life->params[AT_L] = settings->l;
	life->params[AT_REPAIR] = settings->is_dirty;
	life->params[AT_RESERVE] = settings->reserve * PARAM_SCALE;
	life->params[AT_TIES] = settings->ties == LIVES_TIES_NONE ? 2 : settings->ties == LIVES_TIES_WORLDS;	/* alone, worlds, none */
	life->params[AT_MAX_ADDED] = PARAM_SCALE / 2;
	if (settings->frequency > 0)
		life->params[AT_PRINCIPLES + PRINCIPLE_frequency] = settings->frequency * PARAM_SCALE;
	add_people(life, settings, 7 + draw_below(14));
}

static bool
has_place(const Life *life, int p)
{
	const Person *person = &life->person[p];

	return person->nstays > 0 && life->holder[person->stay[person->nstays - 1]] == p &&
		!life->away[person->stay[person->nstays - 1]];
}

void
life_pass_time(Life *life, const Settings *settings)
{
	int			leave = 10 + draw_below(30);
	int			change = settings->is_fixed ? 0 : 10 + draw_below(15);

	for (int p = 0; p < life->npeople; p++)
	{
		Person	   *person = &life->person[p];
		bool		moves = draw_chance(8);

		if (person->alive && draw_chance(leave))
			person->alive = false;
		else if (!person->alive && draw_chance(30))
			person->alive = true;
		if (moves)
			person->code[draw_below(NQIS)] = draw_below(NCODES);
		if (draw_chance(change) && (!settings->is_still || (person->alive && !moves && (person->nstays == 0 || has_place(life, p)))))
			person->value = draw_value(life, settings);
	}
	if (draw_chance(60))
		add_people(life, settings, draw_below(7));
	if (settings->raises && draw_chance(10))
		life->params[draw_chance(50) ? AT_K : AT_L]++;
}

/* ---- A release ---- */

void
life_make_frame(Life *life, bool is_cohort)
{
	Frame	   *frame = &life->frame;
	Code		border = draw_below(NCODES);

	memset(frame, 0, sizeof(Frame));
	life->nrows = 0;
	for (int p = 0; p < life->npeople; p++)
	{
		bool		is_asked = !is_cohort || life->person[p].code[0] >= border || draw_chance(10);

		/* Where all rows are to be true, others help. */
		if (!life->person[p].alive || (!is_asked && !life->params[AT_REPAIR]))
			continue;
		life->asked[life->nrows] = is_asked;
		life->person_of_row[life->nrows++] = p;
	}
	frame->nrows = life->nrows;
	frame->is_cohort = is_cohort;
	frame->asked = is_cohort ? life->asked : NULL;
	frame->nqis = NQIS;
	frame->domain = life->domain;
	frame->code = palloc(sizeof(Code *) * NQIS);
	frame->nsensitive = life->nvalues;
	frame->sensitive = palloc(sizeof(Code) * (life->nrows + 1));
	for (int i = 0; i < NCODES; i++)
	{
		life->position[i] = i;
		life->frequency[i] = 1;
	}
	for (int q = 0; q < NQIS; q++)
	{
		life->domain[q] = (Domain) {.size = NCODES,.null_code = NO_CODE,.position = life->position,.frequency = life->frequency};
		frame->code[q] = palloc(sizeof(Code) * (life->nrows + 1));
		for (int row = 0; row < life->nrows; row++)
			frame->code[q][row] = life->person[life->person_of_row[row]].code[q];
	}
	for (int row = 0; row < life->nrows; row++)
		frame->sensitive[row] = life->person[life->person_of_row[row]].value;
}

static Places *
make_places(const Life *life)
{
	Places	   *places = palloc0(sizeof(Places));
	int			nplaces = life->first[life->ngroups];

	places->ngroups = life->ngroups;
	places->nplaces = nplaces;
	places->number = new_zeros(int64, life->ngroups);
	places->created = new_zeros(int32, life->ngroups);
	places->first = new_zeros(uint64, life->ngroups + 1);
	places->row = new_array(RowId, nplaces);
	places->is_held = new_zeros(bool, nplaces);
	places->part = new_zeros(uint32, nplaces);
	places->is_apart = new_zeros(bool, nplaces);
	places->first_epoch = new_zeros(uint64, life->ngroups + 1);
	places->first_value = new_zeros(uint64, life->ngroups + 1);
	places->since = new_zeros(int32, MAX_GROUPS * MAX_RELEASES);
	places->value = new_zeros(Code, MAX_GROUPS * MAX_RELEASES * MAX_CLASS);
	for (int g = 0; g < life->ngroups; g++)
	{
		int			n = life->first[g + 1] - life->first[g];

		places->number[g] = g + 1;
		places->created[g] = life->created[g];
		places->first[g + 1] = life->first[g + 1];
		places->first_epoch[g + 1] = places->first_epoch[g] + life->nepochs[g];
		places->first_value[g + 1] = places->first_value[g] + life->nepochs[g] * n;
		for (int e = 0; e < life->nepochs[g]; e++)
		{
			places->since[places->first_epoch[g] + e] = life->since[g][e];
			memcpy(places->value + places->first_value[g] + e * n, life->epoch[g][e], sizeof(Code) * n);
		}
	}
	for (int place = 0; place < nplaces; place++)
	{
		places->row[place] = NO_ROW;
		places->part[place] = life->part[place];
		places->is_apart[place] = life->apart[place];
		places->is_held[place] = life->holder[place] != NOBODY;
	}
	return places;
}

Past *
life_make_past(const Life *life)
{
	Past	   *past = palloc0(sizeof(Past));
	Places	   *places = make_places(life);
	bool	   *is_away = new_zeros(bool, places->nplaces);
	bool	   *has_moved = new_zeros(bool, life->nrows);
	uint64		nstays = 0;

	places->place = new_array(uint64, life->nrows);
	places->first_stay = new_zeros(uint64, life->nrows + 1);
	places->stay = new_zeros(Stay, MAX_PEOPLE * MAX_GROUPS);
	memcpy(is_away, life->away, places->nplaces);
	for (int row = 0; row < life->nrows; row++)
	{
		int			p = life->person_of_row[row];
		const Person *person = &life->person[p];

		places->place[row] = NO_PLACE;
		for (int s = 0; s < person->nstays; s++)
			places->stay[nstays++] = (Stay) {.place = person->stay[s],.came = person->came[s]};
		places->first_stay[row + 1] = nstays;
		if (person->nstays == 0 || life->holder[person->stay[person->nstays - 1]] != p)
			continue;
		places->place[row] = person->stay[person->nstays - 1];
		places->row[places->place[row]] = row;
		has_moved[row] = memcmp(person->code, person->shown_code, sizeof(person->code)) != 0;
	}
	places->nlinks = life->nlinks;
	places->link = new_zeros(Link, life->nlinks);
	memcpy(places->link, life->link, sizeof(Link) * life->nlinks);
	for (int r = 0; r < life->releases; r++)
		past->was_weaker |= life->release[r].k < life->params[AT_K] || life->release[r].l < life->params[AT_L];
	past->releases = life->releases;
	past->places = places;
	past->is_away = is_away;
	past->has_moved = has_moved;
	past->is_whole = !life->frame.is_cohort;
	return past;
}

/* ---- Drafts ---- */

void
draft_open(const Life *life, const Draft *draft, OpenDraft *open)
{
	const Classes *classes = draft->classes;

	memset(open, 0, sizeof(OpenDraft));
	open->nclasses = classes->nclasses;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		LoggedClass *class = &open->class[c];

		class->is_new = draft->group[c] == NO_GROUP;
		class->group = class->is_new ? NOBODY : (int) draft->group[c];
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];

			class->row[class->n++] = (LoggedRow) {
				.place = class->is_new ? NOBODY : (int) draft->place[row],.person = life->person_of_row[row],
				.value = draft->shown == NULL ? life->frame.sensitive[row] : draft->shown[row]
			};
		}
		for (uint64 i = 0; i < class_counterfeits(classes, c); i++)
		{
			uint64		at = classes->first_counterfeit[c] + i;

			class->row[class->n++] = (LoggedRow) {.place = draft->stands_in[at],.person = NOBODY,.value = classes->counterfeit[at]};
		}
	}
	if (draft->is_apart != NULL)
		memcpy(open->is_apart, draft->is_apart, life->first[life->ngroups]);
}

static RowId
row_of(const Life *life, int person)
{
	for (int row = 0; row < life->nrows; row++)
		if (life->person_of_row[row] == person)
			return row;
	return NO_ROW;
}

Draft *
draft_close(const Life *life, const OpenDraft *open)
{
	Drafting   *drafting = drafting_create_of_groups(&life->frame, life->params[AT_K]);
	Draft	   *draft = drafting->draft;

	draft->shown = new_array(Code, life->nrows);
	memcpy(draft->shown, life->frame.sensitive, sizeof(Code) * life->nrows);
	for (int c = 0; c < open->nclasses; c++)
	{
		const LoggedClass *class = &open->class[c];
		uint32		made;

		for (int i = 0; i < class->n; i++)
			if (class->row[i].person != NOBODY)
			{
				RowId		row = row_of(life, class->row[i].person);

				drafting_add_rows(drafting, &row, 1);
				draft->place[row] = class->is_new ? NO_PLACE : (uint64) class->row[i].place;
				draft->shown[row] = class->row[i].value;
			}
			else
			{
				Code	   *value = drafting_invent(drafting, 1);

				*value = class->row[i].value;
				draft->stands_in[value - draft->classes->counterfeit] = class->row[i].place;
			}
		made = drafting_end_class(drafting, NULL);
		draft->group[made] = class->is_new ? NO_GROUP : (uint32) class->group;
	}
	draft->is_apart = new_zeros(bool, life->first[life->ngroups]);
	memcpy(draft->is_apart, open->is_apart, life->first[life->ngroups]);
	return draft;
}

/* ---- The log ---- */

/* Somebody sits there from this release on. */
static void
take_place(Life *life, int p, int place)
{
	Person	   *person = &life->person[p];

	if (person->nstays == 0 || person->stay[person->nstays - 1] != place)
	{
		if (person->nstays > 0)
		{
			int			before = person->nstays - 1;

			life->link[life->nlinks++] = (Link) {
				.from = person->stay[before],.to = place,.left = person->last[before],.came = life->releases
			};
			if (life->holder[person->stay[before]] == p)
				life->holder[person->stay[before]] = NOBODY;
		}
		person->stay[person->nstays] = place;
		person->came[person->nstays++] = life->releases;
	}
	person->last[person->nstays - 1] = life->releases;
	life->holder[place] = p;
	memcpy(person->shown_code, person->code, sizeof(person->code));
}

/* Numbers the places of a new group. */
static void
found_group(Life *life, LoggedClass *class)
{
	int			group = life->ngroups++;

	class->group = group;
	life->first[group + 1] = life->first[group] + class->n;
	life->created[group] = life->since[group][0] = life->releases;
	life->nepochs[group] = 1;
	for (int i = 0; i < class->n; i++)
	{
		class->row[i].place = life->first[group] + i;
		life->holder[class->row[i].place] = NOBODY;
		life->epoch[group][0][i] = class->row[i].value;
	}
}

static void
note_values(Life *life, LoggedClass *class)
{
	int			group = class->group;
	int			last = life->nepochs[group] - 1;
	bool		is_refreshed = false;

	if (life->since[group][last] == life->releases)
		last--;					/* another part of it has new values, too */
	class->is_full = true;
	for (int i = 0; i < class->n; i++)
	{
		is_refreshed |= class->row[i].value != life->epoch[group][last][class->row[i].place - life->first[group]];
		class->is_full &= class->row[i].person != NOBODY && life->holder[class->row[i].place] == class->row[i].person &&
			(life->frame.asked == NULL || life->frame.asked[row_of(life, class->row[i].person)]);
	}
	for (int i = 0; i < class->n; i++)
		class->row[i].may_change |= class->is_full && !life->frame.shows_no_value;
	if (!is_refreshed)
		return;
	if (life->nepochs[group] == last + 1)
		memcpy(life->epoch[group][last + 1], life->epoch[group][last], sizeof(life->epoch[group][last]));
	for (int i = 0; i < class->n; i++)
		life->epoch[group][last + 1][class->row[i].place - life->first[group]] = class->row[i].value;
	life->since[group][last + 1] = life->releases;
	life->nepochs[group] = last + 2;
}

/* Places that are parted off are parts of their own, until they are shown again. */
static void
part_groups(Life *life, const OpenDraft *open)
{
	for (int g = 0; g < life->ngroups; g++)
	{
		int			before[MAX_CLASS];
		int			n = life->first[g + 1] - life->first[g];

		memcpy(before, life->part + life->first[g], sizeof(int) * n);
		for (int i = 0; i < n; i++)
		{
			int			first = 0;

			while (before[first] != before[i] || open->is_apart[life->first[g] + first] != open->is_apart[life->first[g] + i])
				first++;
			life->part[life->first[g] + i] = first;
			life->apart[life->first[g] + i] |= open->is_apart[life->first[g] + i];
		}
	}
}

/* Observers know who is there; who comes back with another value does not sit. */
static int
stays_in(const Life *life, int p)
{
	const Person *person = &life->person[p];
	int			g = 0;

	if (!person->alive || person->nstays == 0 || life->holder[person->stay[person->nstays - 1]] != p ||
		life->away[person->stay[person->nstays - 1]] || memcmp(person->code, person->shown_code, sizeof(person->code)) != 0)
		return 0;
	while (life->first[g + 1] <= person->stay[person->nstays - 1])
		g++;
	return g + 1;
}

void
life_publish_open(Life *life, const OpenDraft *open)
{
	LoggedRelease *release = &life->release[life->releases];

	memset(release, 0, sizeof(LoggedRelease));
	release->is_whole = !life->frame.is_cohort;
	release->shows_no_value = life->frame.shows_no_value;
	release->k = life->params[AT_K];
	release->l = life->params[AT_L];
	release->nclasses = open->nclasses;
	memcpy(release->class, open->class, sizeof(open->class));
	memcpy(release->is_apart, open->is_apart, sizeof(open->is_apart));
	for (int p = 0; p < life->npeople; p++)
		release->stays_in[p] = stays_in(life, p);
	life->releases++;
	part_groups(life, open);
	for (int c = 0; c < release->nclasses; c++)
	{
		LoggedClass *class = &release->class[c];

		check(life->ngroups < MAX_GROUPS);
		if (class->is_new)
			found_group(life, class);
		else
			note_values(life, class);
	}
	for (int c = 0; c < release->nclasses; c++)
		for (int i = 0; i < release->class[c].n; i++)
		{
			const LoggedRow *row = &release->class[c].row[i];

			if (release->is_whole || row->person != NOBODY)
				life->away[row->place] = row->person == NOBODY;
			life->apart[row->place] = false;
			if (row->person != NOBODY)
				take_place(life, row->person, row->place);
		}
	for (int c = 0; c < release->nclasses; c++)
		for (int i = 0; i < release->class[c].n; i++)
			if (life->holder[release->class[c].row[i].place] == NOBODY)
				life->away[release->class[c].row[i].place] = false;
}

void
life_publish(Life *life, const Draft *draft)
{
	OpenDraft	open;

	draft_open(life, draft, &open);
	life_publish_open(life, &open);
}

/* All that was shown, as auditors see it: places are its individuals. */
Seen *
life_seen(const Life *life)
{
	Seen	   *seen = palloc0(sizeof(Seen));
	uint32	   *group_of_place = new_zeros(uint32, life->first[life->ngroups]);
	bool	   *has_no_values = new_zeros(bool, life->releases);

	for (int g = 0; g < life->ngroups; g++)
		for (int place = life->first[g]; place < life->first[g + 1]; place++)
			group_of_place[place] = g;
	seen->nreleases = life->releases;
	seen->release = new_zeros(SeenRelease, life->releases);
	seen->has_no_values = has_no_values;
	seen->nindividuals = life->first[life->ngroups];
	seen->nvalues = life->nvalues;
	seen->npeople = life->npeople;
	seen->ngroups = life->ngroups;
	seen->group_of = group_of_place;
	for (int r = 0; r < life->releases; r++)
	{
		const LoggedRelease *logged = &life->release[r];
		SeenRelease *release = &seen->release[r];
		uint64		n = 0;

		has_no_values[r] = logged->shows_no_value;
		release->nclasses = logged->nclasses;
		release->number = new_zeros(int64, logged->nclasses);
		release->first = new_zeros(uint64, logged->nclasses + 1);
		release->group = new_zeros(uint32, logged->nclasses);
		release->individual = new_zeros(Individual, MAX_PLACES);
		release->person = new_zeros(Individual, MAX_PLACES);
		release->value = new_zeros(Code, MAX_PLACES);
		release->counterfeit = new_zeros(bool, MAX_PLACES);
		release->fingerprint = new_zeros(uint32, MAX_PLACES);
		for (int c = 0; c < logged->nclasses; c++)
		{
			for (int i = 0; i < logged->class[c].n; i++, n++)
			{
				const LoggedRow *row = &logged->class[c].row[i];

				release->individual[n] = row->place;
				release->person[n] = row->person == NOBODY ? NO_INDIVIDUAL : (Individual) row->person;
				release->value[n] = row->value;
				release->counterfeit[n] = row->person == NOBODY;
			}
			release->number[c] = c + 1;
			release->group[c] = logged->class[c].group;
			release->first[c + 1] = n;
		}
	}
	return seen;
}

/* Place and person of each row, and the value that it shows. */
void
show_class(const LoggedClass *class)
{
	for (int i = 0; i < class->n; i++)
		if (class->row[i].person == NOBODY)
			printf(" %d:-=%d", class->row[i].place, (int) class->row[i].value);
		else
			printf(" %d:p%d=%d", class->row[i].place, class->row[i].person, (int) class->row[i].value);
	printf("\n");
}

void
show_life(const Life *life)
{
	for (int g = 0; g < life->ngroups; g++)
	{
		printf("# group %d, places %d to %d\n", g, life->first[g], life->first[g + 1] - 1);
		for (int r = 0; r < life->releases; r++)
			for (int c = 0; c < life->release[r].nclasses; c++)
				if (life->release[r].class[c].group == g)
				{
					printf("#	release %d%s:", r, life->release[r].is_whole ? "" : ", a cohort");
					show_class(&life->release[r].class[c]);
				}
	}
}

/* ---- Judges ---- */

static const Life *judged_life;
static const Draft *judged;

static void
judge(void)
{
	const int64 *params = judged_life->params;
	Principle	promised = principle_declared(params[AT_K], params[AT_L], params + AT_PRINCIPLES);
	Frame		shown = judged_life->frame;

	judge_places(&judged_life->frame, &judged_life->past, places_shown(judged), &promised, params[AT_K], params[AT_REPAIR]);
	frame_take_shown(&shown, judged);
	judge_classes(&shown, judged->classes, &promised);
}

const char *
life_refusal(const Life *life, const Draft *draft)
{
	judged_life = life;
	judged = draft;
	return error_of(judge);
}
