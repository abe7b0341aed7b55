/*
 * sides.c
 *		Of a neighborhood, those who are published and those who are not: may
 *		observers know that they are these?
 */
#include "postgres.h"

#include <math.h>

#include "method/bpg/bpg.h"
#include "miscadmin.h"

void
set_fate(Bpg *bpg, uint64 i, Fate fate)
{
	if (bpg->fate[i] == LEFT)
		bpg->knows_leavers = false;
	else if (fate == LEFT)
		bpg->leaver[bpg->left] = i;
	bpg->left += (fate == LEFT) - (bpg->fate[i] == LEFT);
	bpg->fate[i] = fate;
	bpg->verdict[false] = bpg->verdict[true] = UNKNOWN;
}

/*
 * Members of a side.  Who is left is asked after whenever one more is, and mostly
 * these are few of many.
 */
typedef struct SideWalk
{
	const Bpg  *bpg;
	bool		published;
	uint64		at;
} SideWalk;

/* Begins a walk.  Members that are not in this release are listed, so that walks over them need not pass all others. */
static inline SideWalk
walk_side(Bpg *bpg, bool published)
{
	if (!published && !bpg->knows_leavers)
	{
		uint64		n = 0;

		for (uint64 i = 0; i < bpg->size; i++)
			if (!is_published(bpg, i))
				bpg->leaver[n++] = i;
		Assert(n == bpg->left);
		bpg->knows_leavers = true;
	}
	return (SideWalk) {bpg, published, 0};
}

/* Steps to the next member of a side; false at its end. */
static inline bool
next_of_side(SideWalk *walk, uint64 *i)
{
	const Bpg  *bpg = walk->bpg;

	if (!walk->published)
	{
		if (walk->at == bpg->left)
			return false;
		*i = bpg->leaver[walk->at++];
		return true;
	}
	while (walk->at < bpg->size && !is_published(bpg, walk->at))
		walk->at++;
	*i = walk->at++;
	return *i < bpg->size;
}

/*
 * Counts what was published of a side in an epoch; false if that is allowed.  Where more rows can do no harm, no
 * more are counted than it takes.
 */
static bool
lacks_values(Bpg *bpg, const Code *values, bool published)
{
	SideWalk	walk = walk_side(bpg, published);

	for (uint64 i; next_of_side(&walk, &i);)
	{
		if (walk.at % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		tally_add(bpg->tally, values[i]);
		if (has_enough_values(bpg))
			return false;
	}
	return !principle_allows_values(&bpg->principle, bpg->tally);
}

static void
forget_values(Bpg *bpg, const Code *values, bool published)
{
	SideWalk	walk = walk_side(bpg, published);

	for (uint64 i; bpg->tally->rows > 0 && next_of_side(&walk, &i);)
		tally_remove(bpg->tally, values[i]);
}

static bool
is_changed(const Bpg *bpg, uint64 i)
{
	return bpg->fate[i] == SHOWN && bpg->frame->sensitive[row_of(bpg, i)] != last_shown(bpg->past, bpg->n, bpg->past->first[bpg->n] + i);
}

/* Does the person show a value, though an older one was shown? */
static bool
has_news(const Bpg *bpg, uint64 i)
{
	return is_changed(bpg, i) && !bpg->is_untold;
}

static bool
any_is(const Bpg *bpg, bool (*is_so) (const Bpg *bpg, uint64 i))
{
	for (uint64 i = 0; i < bpg->size; i++)
		if (is_so(bpg, i))
			return true;
	return false;
}

/* Is the person shown, for whom a row stood in when the neighborhood was shown last? */
static bool
comes_back(const Bpg *bpg, uint64 i)
{
	return (bpg->fate[i] == SHOWN || bpg->fate[i] == HELD) && past_absence(bpg->past, bpg->past->first[bpg->n] + i) == WAS_AWAY;
}

bool
shows_nothing_new(const Bpg *bpg)
{
	return memchr(bpg->fate, REPLACED, bpg->size) != NULL || (bpg->past->absence != NULL && any_is(bpg, comes_back));
}

/*
 * Would the release show allowed values?  If nobody's value has changed it shows nothing new, stand-ins showing what was
 * shown of others.  Beside stand-ins, and people who come back, nothing new may be shown: it would be of those who have a
 * true row now, and had none.
 */
static bool
shows_allowed(Bpg *bpg)
{
	bool		allowed;

	if (!bpg->is_untold && !any_is(bpg, is_changed))
		return true;
	if (shows_nothing_new(bpg) && (bpg->is_untold || any_is(bpg, has_news)))
		return false;
	for (uint64 i = 0; i < bpg->size; i++)
		if (bpg->fate[i] == SHOWN)
			tally_add(bpg->tally, bpg->frame->sensitive[row_of(bpg, i)]);
	allowed = principle_allows_values(&bpg->principle, bpg->tally);
	tally_clear(bpg->tally);
	return allowed;
}

/* With the values of each release that the neighborhood was in. */
static bool
judge_side(Bpg *bpg, bool published)
{
	uint64		nepochs = past_epochs(bpg->past, bpg->n);

	if (count_side(bpg, published) < bpg->k || (count_side(bpg, published) < bpg->size && !may_be_parted(bpg)))
		return false;
	for (uint64 epoch = 0; epoch < nepochs && judges_values(bpg); epoch++)
	{
		bool		lacks = lacks_values(bpg, past_values(bpg->past, bpg->n, epoch), published);

		forget_values(bpg, past_values(bpg->past, bpg->n, epoch), published);
		if (lacks)
			return false;
	}
	return !published || shows_allowed(bpg);
}

bool
side_is_allowed(Bpg *bpg, bool published)
{
	if (bpg->verdict[published] == UNKNOWN)
		bpg->verdict[published] = judge_side(bpg, published) ? ALLOWED : REFUSED;
	return bpg->verdict[published] == ALLOWED;
}

bool
rest_is_safe(Bpg *bpg)
{
	return count_side(bpg, false) == 0 || side_is_allowed(bpg, false);
}

/* The rows that the values of a set, which is in the tally, would lack less with one more of this value. */
static double
relief_by(Bpg *bpg, Code value)
{
	double		before;
	double		after;

	if (!judges_shares(bpg))
		return value != NO_CODE && bpg->tally->count[value] == 0;
	if (value == NO_CODE)
		return 0;
	if (isnan(bpg->relief[value]))
	{
		before = principle_lack(&bpg->principle, bpg->tally);
		tally_add(bpg->tally, value);
		after = principle_lack(&bpg->principle, bpg->tally);
		tally_remove(bpg->tally, value);
		bpg->relief[value] = before - after;
	}
	return bpg->relief[value];
}

/* Counts in gain[] what members of the other side would bring to one that lacks values of an epoch. */
static bool
measure_gain(Bpg *bpg, const Code *values, bool published, bool is_first)
{
	bool		lacks = lacks_values(bpg, values, published);

	if (lacks && is_first)
		memset(bpg->gain, 0, sizeof(double) * bpg->size);
	for (Code value = 0; lacks && judges_shares(bpg) && value < bpg->frame->nsensitive; value++)
		bpg->relief[value] = NAN;
	for (uint64 i = 0; i < bpg->size && lacks; i++)
		if (is_published(bpg, i) != published)
			bpg->gain[i] += relief_by(bpg, values[i]);
	forget_values(bpg, values, published);
	return lacks;
}

/* ----------------------------------------------------------------
 * Moving members from one side to the other until both are allowed
 * ----------------------------------------------------------------
 */

static inline bool
may_be_added(const Bpg *bpg, uint64 i)
{
	return !is_published(bpg, i) &&
		(bpg->repair == REPAIR_COUNTERFEIT ? bpg->frame->nsensitive > 0 : row_of(bpg, i) != NO_ROW);
}

/* Publishes a member who was not asked for, by a dirty or an invented row. */
static void
add_member(Bpg *bpg, uint64 i)
{
	set_fate(bpg, i, bpg->repair == REPAIR_COUNTERFEIT ? REPLACED : SHOWN);
}

static void
add_all(Bpg *bpg)
{
	for (uint64 i = 0; i < bpg->size; i++)
		if (may_be_added(bpg, i))
			add_member(bpg, i);
}

/*
 * The member who brings most of what one side lacks, among those who may
 * move to it; ties go to the one that comes first after a place drawn by lot.
 */
static uint64
find_helper(Bpg *bpg, bool published, bool (*may_move) (const Bpg *bpg, uint64 i))
{
	uint64		from = pg_prng_uint64_range(&bpg->random, 0, bpg->size - 1);
	uint64		best = NO_MEMBER;
	uint64		nepochs = judges_values(bpg) ? past_epochs(bpg->past, bpg->n) : 0;
	uint32		most = 0;		/* that a member can bring, where values are only counted */

	for (uint64 epoch = 0; epoch < nepochs; epoch++)
		most += measure_gain(bpg, past_values(bpg->past, bpg->n, epoch), published, most == 0);
	for (uint64 step = 0, i = from; step < bpg->size; step++, i++)
	{
		if (i == bpg->size)
			i = 0;
		if (!may_move(bpg, i) || (best != NO_MEMBER && bpg->gain[i] <= bpg->gain[best]))
			continue;
		best = i;
		if (most == 0 || (bpg->gain[best] == most && !judges_shares(bpg)))
			break;
	}
	return best;
}

static bool
may_be_withheld(const Bpg *bpg, uint64 i)
{
	return bpg->fate[i] == SHOWN || bpg->fate[i] == HELD;
}

/* Withholds as many of those who were asked for as it takes to hide the rest among them. */
static void
withhold(Bpg *bpg)
{
	uint64		published = count_side(bpg, true);

	while (may_be_parted(bpg) && published > bpg->k && !side_is_allowed(bpg, false))
	{
		uint64		i = find_helper(bpg, false, may_be_withheld);

		if (i == NO_MEMBER)
			return;
		CHECK_FOR_INTERRUPTS();
		set_fate(bpg, i, LEFT);
		published--;
	}
}

/* E0 - E1: the members who are left must be none, or allowed. */
static void
mend_rest(Bpg *bpg)
{
	bool		all = true;

	if (rest_is_safe(bpg))
		return;
	for (uint64 i = 0; i < bpg->size; i++)
		all &= is_published(bpg, i) || may_be_added(bpg, i);
	if (bpg->repair != REPAIR_NONE && all)
		add_all(bpg);
	else
		withhold(bpg);
}

/* People whose value has changed show what was shown last of them: so the release shows what the last one did. */
static void
hold_changes(Bpg *bpg)
{
	for (uint64 i = 0; i < bpg->size; i++)
		if (has_news(bpg, i))
			set_fate(bpg, i, HELD);
}

/* E1 and its intersection with E0, which are the same here.  New values wait until they are allowed, and before anybody is added. */
static void
mend_published(Bpg *bpg)
{
	if (bpg->declared == REPAIR_COUNTERFEIT && !side_is_allowed(bpg, true))
		hold_changes(bpg);
	if (bpg->repair == REPAIR_NONE || side_is_allowed(bpg, true))
		return;
	while (bpg->repair != REPAIR_DIRTY && !side_is_allowed(bpg, true))
	{
		uint64		i = find_helper(bpg, true, may_be_added);

		if (i == NO_MEMBER)
			return;
		CHECK_FOR_INTERRUPTS();
		add_member(bpg, i);
	}
	if (bpg->repair == REPAIR_DIRTY || !rest_is_safe(bpg))
		add_all(bpg);
}

void
mend_sides(Bpg *bpg)
{
	mend_rest(bpg);
	if (shows_nothing_new(bpg))
		hold_changes(bpg);
	mend_published(bpg);
	if (shows_nothing_new(bpg))
		hold_changes(bpg);
}
