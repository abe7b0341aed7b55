/*
 * lives.c
 *		Random lives of small tables, and an attacker who sees every release.
 */
#include "lives.h"

static uint64 random_state;

uint32
below(uint32 n)
{
	random_state = random_state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (uint32) (random_state >> 33) % n;
}

/* ---- What observers know: sets of individuals, judged by the book ---- */

static bool
values_are_allowed_in(const World *world, const int *count)
{
	int			distinct = 0;

	for (int v = 0; v < NVALUES; v++)
		distinct += count[v] > 0;
	return (world->params[1] <= 1 || distinct >= world->params[1]) &&
		(world->allows_values == NULL || world->allows_values(world, count));
}

/* Is the set allowed with the values of each release that all of it was in? */
static bool
is_allowed(const World *world, const bool *in)
{
	int			size = 0;

	for (int t = 0; t < world->nindividuals; t++)
		size += in[t];
	if (size == 0)
		return true;
	if (size < world->params[0])
		return false;
	for (int r = 0; r < world->releases; r++)
	{
		int			count[NVALUES] = {0};
		bool		all = true;

		for (int t = 0; t < world->nindividuals; t++)
			if (in[t] && world->individuals[t].class_in[r] < 0)
				all = false;
			else if (in[t] && world->individuals[t].shown[r] != NO_CODE)
				count[world->individuals[t].shown[r]]++;
		if (all && !values_are_allowed_in(world, count))
			return false;
	}
	return true;
}

/* What two classes have in common, and what the first has besides. */
static bool
pair_is_allowed(const World *world, int r, int c, int s, int d)
{
	bool		both[MAX_INDIVIDUALS];
	bool		one[MAX_INDIVIDUALS];

	for (int t = 0; t < world->nindividuals; t++)
	{
		bool		in_c = world->individuals[t].class_in[r] == c;
		bool		in_d = world->individuals[t].class_in[s] == d;

		both[t] = in_c && in_d;
		one[t] = in_c && !in_d;
	}
	return is_allowed(world, both) && is_allowed(world, one);
}

/* Pairs that have nobody in common tell of the class alone, which is judged with itself. */
bool
pairs_are_allowed(const World *world)
{
	for (int r = 0; r < world->releases; r++)
		for (int s = 0; s < world->releases; s++)
			for (int c = 0; c < world->nclasses[r]; c++)
			{
				bool		met[MAX_INDIVIDUALS] = {false};

				for (int t = 0; t < world->nindividuals; t++)
				{
					int			d = world->individuals[t].class_in[s];

					if (world->individuals[t].class_in[r] != c || d < 0 || met[d])
						continue;
					met[d] = true;
					if (!pair_is_allowed(world, r, c, s, d))
						return false;
				}
			}
	return true;
}

static bool
is_known(const World *world, int t)
{
	for (int r = 0; r < world->releases; r++)
		if (world->individuals[t].class_in[r] >= 0)
			return true;
	return false;
}

static bool
cannot_be_told_apart(const World *world, int t, int u)
{
	for (int r = 0; r < world->releases; r++)
		if (world->individuals[t].class_in[r] != world->individuals[u].class_in[r])
			return false;
	return true;
}

/* Did somebody of the set show another value in a release than in the last one before it that he was in? */
static bool
shows_news(const World *world, const bool *in, int r)
{
	for (int t = 0; t < world->nindividuals; t++)
	{
		int			before = r - 1;

		if (!in[t])
			continue;
		while (before >= 0 && world->individuals[t].class_in[before] < 0)
			before--;
		if (before < 0 || world->individuals[t].shown[before] != world->individuals[t].shown[r])
			return true;
	}
	return false;
}

/*
 * An observer who can tell invented rows from true ones, in the worst case: those of an atom who were shown by
 * rows of their own are allowed by themselves, if the atom was news.
 */
static bool
people_of_atom_are_allowed(const World *world, const bool *in)
{
	for (int r = 0; r < world->releases && world->allows_values != NULL; r++)
	{
		int			count[NVALUES] = {0};
		bool		all = true;
		bool		any = false;

		for (int t = 0; t < world->nindividuals; t++)
		{
			const Individual *one = &world->individuals[t];

			if (!in[t])
				continue;
			all &= one->class_in[r] >= 0;
			if (one->class_in[r] < 0 || !one->is_true[r])
				continue;
			any = true;
			if (one->shown[r] != NO_CODE)
				count[one->shown[r]]++;
		}
		if (all && any && shows_news(world, in, r) && !values_are_allowed_in(world, count))
			return false;
	}
	return true;
}

bool
atoms_are_allowed(const World *world)
{
	bool		done[MAX_INDIVIDUALS] = {false};

	for (int t = 0; t < world->nindividuals; t++)
	{
		bool		in[MAX_INDIVIDUALS];

		if (done[t])
			continue;
		for (int u = 0; u < world->nindividuals; u++)
		{
			in[u] = is_known(world, t) && cannot_be_told_apart(world, t, u);
			done[u] |= in[u];
		}
		if (!is_allowed(world, in) || !people_of_atom_are_allowed(world, in))
			return false;
	}
	return true;
}

/* Numbers the atoms, -1 for individuals that nobody knows of; returns how many there are. */
static int
number_atoms(const World *world, int *atom)
{
	int			natoms = 0;

	for (int t = 0; t < world->nindividuals; t++)
	{
		atom[t] = -1;
		for (int u = 0; u < t && is_known(world, t) && atom[t] < 0; u++)
			if (atom[u] >= 0 && cannot_be_told_apart(world, t, u))
				atom[t] = atom[u];
		if (atom[t] < 0 && is_known(world, t))
			atom[t] = natoms++;
	}
	return natoms;
}

/* Are the values of people who were in one class before others than it showed of them? */
static bool
is_news(const World *world, const int *people, int n, int before, int r)
{
	int			more[NVALUES + 1] = {0};	/* NULL's comes last */
	bool		news = false;

	for (int i = 0; i < n; i++)
	{
		more[Min(world->individuals[people[i]].shown[r], NVALUES)]++;
		more[Min(world->individuals[people[i]].shown[before], NVALUES)]--;
	}
	for (int value = 0; value <= NVALUES; value++)
		news |= more[value] > 0;
	return news;
}

/* The last release before this one that the individual was in, or -1. */
static int
release_before(const Individual *one, int r)
{
	int			before = r - 1;

	while (before >= 0 && one->class_in[before] < 0)
		before--;
	return before;
}

/*
 * An observer who knows whose rows are true, and takes it that nobody's value has changed since some release: values that a
 * class shows anew are of people who have a true row in it, and had none since then.  The longest such time, with no news in it,
 * leaves the fewest; these must be k.
 */
bool
changes_are_hidden(const World *world)
{
	int			changed[MAX_INDIVIDUALS] = {0};	/* the release in which its class showed something new */

	for (int r = 0; r < world->releases; r++)
		for (int c = 0; c < world->nclasses[r]; c++)
		{
			int			people[MAX_INDIVIDUALS];
			int			n = 0;
			int			before = -1;

			for (int t = 0; t < world->nindividuals; t++)
				if (world->individuals[t].class_in[r] == c)
				{
					before = release_before(&world->individuals[t], r);
					people[n++] = t;
				}
			if (before < 0 || !is_news(world, people, n, before, r))
				continue;
			for (int since = changed[people[0]]; since <= before + 1; since++)
			{
				int			bearers = 0;

				for (int i = 0; i < n; i++)
				{
					const Individual *one = &world->individuals[people[i]];
					bool		is_bearer = one->is_true[r];

					for (int s = since; s < r; s++)
						is_bearer &= one->class_in[s] < 0 || !one->is_true[s];
					bearers += is_bearer;
				}
				if (bearers > 0 && bearers < world->params[0])
					return false;
			}
			for (int i = 0; i < n; i++)
				changed[people[i]] = r;
		}
	return true;
}

#define MAX_ENUMERATED 9

bool
unions_are_allowed(const World *world)
{
	int			atom[MAX_INDIVIDUALS];
	int			natoms = number_atoms(world, atom);
	bool		taken[MAX_INDIVIDUALS];
	bool		in[MAX_INDIVIDUALS];

	for (int set = 1; set < 1 << MAX_ENUMERATED; set++)
	{
		if (natoms <= MAX_ENUMERATED && set >= 1 << natoms)
			return true;
		for (int a = 0; a < natoms; a++)
			taken[a] = natoms <= MAX_ENUMERATED ? (set >> a & 1) != 0 : below(set % 8 + 2) == 0;
		for (int t = 0; t < world->nindividuals; t++)
			in[t] = atom[t] >= 0 && taken[atom[t]];
		if (!is_allowed(world, in))
			return false;
	}
	return true;
}

/* ---- A release ---- */

void
make_frame(World *world, int asked_percent)
{
	Frame	   *frame = &world->frame;

	memset(frame, 0, sizeof(Frame));
	for (int i = 0; i < NPRINCIPLE_PARAMS && world->allows_values == NULL; i++)
		world->params[PRINCIPLES_AT + i] = PARAM_ABSENT;
	frame->nqis = NQIS;
	frame->domain = world->domain;
	frame->nsensitive = NVALUES;
	frame->aspects = world->aspects;
	frame->code = palloc(sizeof(Code *) * NQIS);
	frame->sensitive = palloc(sizeof(Code) * MAX_INDIVIDUALS);
	for (int q = 0; q < NQIS; q++)
	{
		frame->code[q] = palloc(sizeof(Code) * MAX_INDIVIDUALS);
		world->domain[q] = (Domain) {.size = NCODES,.null_code = NO_CODE,
			.frequency = world->frequency[q],.position = world->position[q]};
		for (int i = 0; i < NCODES; i++)
			world->position[q][i] = i;
	}
	for (int t = 0; t < world->nindividuals; t++)
	{
		const Individual *individual = &world->individuals[t];

		if (!individual->alive)
			continue;
		for (int q = 0; q < NQIS; q++)
			frame->code[q][frame->nrows] = individual->code[q];
		frame->sensitive[frame->nrows] = individual->sensitive;
		world->asked[frame->nrows] = below(100) < (uint32) asked_percent;
		world->individual_of_row[frame->nrows++] = t;
	}
	frame->is_cohort = asked_percent < 100;
	frame->asked = frame->is_cohort ? world->asked : NULL;
}

static int
row_of_individual(const World *world, int t)
{
	for (uint64 row = 0; row < world->frame.nrows; row++)
		if (world->individual_of_row[row] == (uint32) t)
			return row;
	return -1;
}

/* Adds the values of one neighborhood: an epoch for each release that it was in. */
static void
make_epochs(World *world, uint64 from, uint64 to, uint64 *nvalues)
{
	for (int r = 0; r < world->releases; r++)
		if (world->individuals[world->individual_of_member[from]].class_in[r] >= 0)
			for (uint64 m = from; m < to; m++)
				world->past.value[(*nvalues)++] = world->individuals[world->individual_of_member[m]].shown[r];
}

/* Was the person shown by a row of its own, in the last release that showed it? */
static bool
was_true_last(const World *world, int t)
{
	bool		is_true = true;

	for (int r = 0; r < world->releases; r++)
		if (world->individuals[t].class_in[r] >= 0)
			is_true = world->individuals[t].is_true[r];
	return is_true;
}

void
make_past(World *world)
{
	Past	   *past = &world->past;
	bool		done[MAX_INDIVIDUALS] = {false};
	uint64		members = 0;
	uint64		nvalues = 0;
	bool	   *is_filled;
	uint8	   *absence;

	memset(past, 0, sizeof(Past));
	past->is_filled = is_filled = palloc0(sizeof(bool) * MAX_INDIVIDUALS);
	past->releases = world->releases;
	past->first = palloc0(sizeof(uint64) * (MAX_INDIVIDUALS + 1));
	past->first_value = palloc0(sizeof(uint64) * (MAX_INDIVIDUALS + 1));
	past->row = palloc(sizeof(RowId) * MAX_INDIVIDUALS);
	past->value = palloc(sizeof(Code) * MAX_INDIVIDUALS * MAX_RELEASES);
	past->member = palloc(sizeof(uint64) * MAX_INDIVIDUALS);
	past->absence = absence = palloc0(MAX_INDIVIDUALS);
	for (int row = 0; row < MAX_INDIVIDUALS; row++)
		past->member[row] = NO_MEMBER;
	for (int t = 0; t < world->nindividuals; t++)
	{
		if (done[t] || !is_known(world, t))
			continue;
		for (int u = 0; u < world->nindividuals; u++)
		{
			int			row;

			if (!cannot_be_told_apart(world, t, u))
				continue;
			done[u] = true;
			row = row_of_individual(world, u);
			world->individual_of_member[members] = u;
			past->row[members] = row < 0 ? NO_ROW : (RowId) row;
			absence[members] = !world->individuals[u].invented && !was_true_last(world, u);
			if (row >= 0)
				past->member[row] = members;
			members++;
		}
		for (uint64 m = past->first[past->nneighborhoods]; m < members; m++)
			is_filled[past->nneighborhoods] |= world->individuals[world->individual_of_member[m]].invented;
		make_epochs(world, past->first[past->nneighborhoods], members, &nvalues);
		past->nneighborhoods++;
		past->first[past->nneighborhoods] = members;
		past->first_value[past->nneighborhoods] = nvalues;
	}
}

static void
show(World *world, int t, int c, Code value, bool is_true)
{
	check(world->individuals[t].class_in[world->releases] == -1);
	world->individuals[t].class_in[world->releases] = c;
	world->individuals[t].shown[world->releases] = value;
	world->individuals[t].is_true[world->releases] = is_true;
}

/* Was the row's person last known to be in that neighborhood, or nowhere at all? */
static bool
is_member_of(const World *world, RowId row, uint32 neighborhood)
{
	const Past *past = &world->past;
	uint64		member = world->releases == 0 ? NO_MEMBER : past->member[row];

	if (neighborhood == NO_NEIGHBORHOOD)
		return member == NO_MEMBER;
	return member >= past->first[neighborhood] && member < past->first[neighborhood + 1];
}

static Code
last_shown(const World *world, int t)
{
	Code		value = NO_CODE;

	for (int r = 0; r < world->releases; r++)
		if (world->individuals[t].class_in[r] >= 0)
			value = world->individuals[t].shown[r];
	return value;
}

/* What the draft shows of a row. */
static Code
shown_of(const World *world, RowId row)
{
	return world->draft->shown == NULL ? world->frame.sensitive[row] : world->draft->shown[row];
}

static bool
has_changed(const World *world, int t, Code value)
{
	return value != last_shown(world, t);
}

/*
 * An observer who can tell invented rows from true ones, in the worst case: people beside such rows are allowed
 * by themselves, or their neighborhood shows what it did.
 */
static bool
people_are_allowed(const World *world, uint32 c)
{
	const Draft *draft = world->draft;
	const Classes *classes = draft->classes;
	int			count[NVALUES] = {0};
	bool		changed = draft->parent[c] == NO_NEIGHBORHOOD;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		Code		value = shown_of(world, classes->rows[i]);

		changed |= has_changed(world, world->individual_of_row[classes->rows[i]], value);
		if (value != NO_CODE)
			count[value]++;
	}
	for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1] && !changed; i++)
		changed |= has_changed(world, world->individual_of_member[draft->stands_for[i]], classes->counterfeit[i]);
	return !changed || values_are_allowed_in(world, count);
}

/*
 * Who stands in for somebody shows what was shown of him; nobody's row shows any value.  Beside stand-ins, and where somebody
 * comes back for whom one stood in, people show what was shown of them; elsewhere they do so or show what they have.
 */
static void
check_shown(const World *world, uint32 c)
{
	const Draft *draft = world->draft;
	const Classes *classes = draft->classes;
	uint64		n = class_counterfeits(classes, c);
	bool		is_new = draft->parent[c] == NO_NEIGHBORHOOD;
	bool		is_still = n > 0 && !is_new;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		is_still |= !is_new && !was_true_last(world, world->individual_of_row[classes->rows[i]]);
	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		int			t = world->individual_of_row[classes->rows[i]];
		Code		value = shown_of(world, classes->rows[i]);

		check(value == world->individuals[t].sensitive || (!is_new && !has_changed(world, t, value)));
		check(!is_still || !has_changed(world, t, value));
	}
	for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
	{
		check((draft->stands_for[i] == NO_MEMBER) == is_new);
		check(is_new ? classes->counterfeit[i] < NVALUES :
			  !has_changed(world, world->individual_of_member[draft->stands_for[i]], classes->counterfeit[i]));
	}
	if (world->allows_values != NULL)
		check(n == 0 || people_are_allowed(world, c));
	if (n > 0 && is_new)
		check(class_size(classes, c) + n == (uint64) world->params[0]);
}

/* Of the rows of a neighborhood that a cohort's release shows, so many at most were not asked for, or are of nobody. */
static void
check_added(const World *world, uint32 neighborhood)
{
	const Draft *draft = world->draft;
	const Classes *classes = draft->classes;
	uint64		shown = 0;
	uint64		added = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (draft->parent[c] != neighborhood)
			continue;
		shown += class_size(classes, c) + class_counterfeits(classes, c);
		added += class_counterfeits(classes, c);
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			added += world->frame.asked != NULL && !world->frame.asked[classes->rows[i]];
	}
	check(added * PARAM_SCALE <= shown * world->params[MAX_ADDED_AT]);
}

void
publish(World *world)
{
	const Draft *draft = world->draft;
	const Classes *classes = draft->classes;
	uint64		shown = 0;
	uint64		asked = 0;
	uint64		dirty = 0;

	for (int t = 0; t < world->nindividuals; t++)
		world->individuals[t].class_in[world->releases] = -1;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		check(class_size(classes, c) > 0);
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];
			bool		is_asked = world->frame.asked == NULL || world->frame.asked[row];

			shown += is_asked;
			dirty += !is_asked;
			for (int q = 0; q < NQIS; q++)
				check(span_contains(class_region(classes, c)[q], span_of(world->frame.code[q][row])));
			check(draft->parent == NULL || is_member_of(world, row, draft->parent[c]));
			show(world, world->individual_of_row[row], c, shown_of(world, row), true);
		}
		if (draft->parent != NULL)
			check_shown(world, c);
		if (draft->parent != NULL && world->frame.is_cohort)
			check_added(world, draft->parent[c]);
		for (uint64 j = 0; j < class_counterfeits(classes, c); j++)
		{
			uint64		i = classes->first_counterfeit[c] + j;
			int			t = world->nindividuals;

			world->ninvented++;
			if (draft->stands_for[i] != NO_MEMBER)
				t = world->individual_of_member[draft->stands_for[i]];
			else
			{
				for (int r = 0; r <= world->releases; r++)
					world->individuals[t].class_in[r] = -1;
				world->individuals[t].invented = true;
				world->nindividuals++;
			}
			show(world, t, c, classes->counterfeit[i], false);
		}
	}
	for (uint64 row = 0; row < world->frame.nrows; row++)
		asked += world->frame.asked == NULL || world->frame.asked[row];
	check(dirty == draft->dirty);
	check(asked == shown + draft->suppressed);
	world->nasked += asked;
	world->nshown += shown;
	world->ndirty += dirty;
	world->nclasses[world->releases++] = classes->nclasses;
}

void
release(World *world, int asked_percent, Drafter draft)
{
	make_frame(world, asked_percent);
	make_past(world);
	world->draft = draft(world);
	publish(world);
}

/* ---- A life ---- */

void
add_people(World *world, int n, int values)
{
	for (int i = 0; i < n && world->nindividuals < MAX_INDIVIDUALS / 2; i++)
	{
		Individual	   *individual = &world->individuals[world->nindividuals++];

		individual->alive = true;
		for (int q = 0; q < NQIS; q++)
			individual->code[q] = below(NCODES);
		individual->sensitive = below(10) == 0 ? NO_CODE : below(values);
		for (int r = 0; r < world->releases; r++)
			individual->class_in[r] = -1;
	}
}

void
pass_time(World *world, int percent)
{
	for (int t = 0; t < world->nindividuals; t++)
	{
		Individual	   *individual = &world->individuals[t];

		if (individual->alive && below(100) < (uint32) percent)
			individual->alive = false;
		else if (!individual->alive && !individual->invented && below(100) < 3)
		{
			individual->alive = true;	/* half of those who come back have something else */
			if (below(2) == 0)
				individual->sensitive = below(NVALUES);
		}
		if (below(100) < (uint32) percent / 2)
			individual->sensitive = below(NVALUES);
		if (below(100) < 5)
			individual->code[below(NQIS)] = below(NCODES);
	}
	add_people(world, below(30), NVALUES);
}

static void
lead_life(Lives *lives, World *world)
{
	int			nreleases = 2 + below(MAX_LIFE - 2);
	bool		allowed = true;

	world->params[0] = 1 + below(5);
	world->params[1] = 1 + below(3);
	world->params[2] = lives->repair;
	world->params[3] = 1 + below(3);
	world->params[5] = world->params[6] = PARAM_ABSENT;
	world->params[MAX_ADDED_AT] = PARAM_SCALE;
	add_people(world, 10 + below(100), 2 + below(NVALUES - 1));
	if (lives->begin != NULL)
		lives->begin(world);
	for (int r = 0; r < nreleases && world->nindividuals < MAX_INDIVIDUALS / 2; r++)
	{
		release(world, lives->asked_percent, lives->draft);
		allowed &= atoms_are_allowed(world);
		pass_time(world, 1 + below(15));
	}
	lives->attacked += !allowed || !changes_are_hidden(world);
}

void
live(Lives *lives)
{
	World	   *world = malloc(sizeof(World));

	for (int life = 0; life < lives->number; life++)
	{
		memset(world, 0, sizeof(World));
		lead_life(lives, world);
		if (life % 10 == 0)		/* what follows from the atoms is seen to follow */
			lives->attacked_pairs += !pairs_are_allowed(world) || !unions_are_allowed(world);
		lives->nasked += world->nasked;
		lives->nshown += world->nshown;
		lives->ndirty += world->ndirty;
		lives->ninvented += world->ninvented;
	}
	free(world);
	printf("# %.1f %% of what was asked for was shown, %.1f %% dirty, %.1f %% invented, %d of %d lives attacked\n",
		   100.0 * lives->nshown / lives->nasked, 100.0 * lives->ndirty / lives->nasked,
		   100.0 * lives->ninvented / lives->nasked, lives->attacked, lives->number);
}
