/*
 * bpg.c
 *		The method of Barbosa, Pinto and Gomes: k-anonymity and distinct
 *		l-diversity of whatever intersections and differences reveal.
 *
 * NOTES
 *		The paper cuts a release first, and then sweeps over its classes: for
 *		each class E1 and each neighborhood E0 that it meets, E1 - E0, E0 - E1 and
 *		their intersection must be allowed.  Its order of classes decides what is
 *		rejected.  But the intersection, being a part of a class that observers
 *		can tell from the rest, might as well be a class of its own: its cells
 *		are narrower, and it reveals nothing more.  So here each neighborhood is
 *		taken by itself, and classes never leave it: E1 - E0 is empty, the
 *		signature is never generalised, and no order of classes matters.  What
 *		remains to be decided is who of a neighborhood is published: those
 *		(E1 and the intersection) and those who are not (E0 - E1) must both be
 *		allowed, or empty.
 *
 *		Monotony does the rest.  Who is dead or was not asked for makes E0 - E1
 *		if nothing is done; when that is not allowed, a smaller set is not either.
 *		So either it must become empty, by dirty or counterfeit rows, or it must
 *		grow, by withholding some who were asked for.
 *
 *		reserve makes neighborhoods larger than k needs.  A neighborhood of less
 *		than 2 k people is lost as soon as one of them leaves the source.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "method/method.h"
#include "miscadmin.h"
#include "partition/mondrian.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	BPG_K,
	BPG_L,
	BPG_REPAIR,
	BPG_RESERVE
};

/* The repairs, in the order of the list. */
typedef enum Repair
{
	REPAIR_DIRTY,				/* all true rows of the neighborhood that nobody asked for */
	REPAIR_MINIMAL,				/* as few of them as will do */
	REPAIR_NONE,
	REPAIR_COUNTERFEIT			/* invented rows */
} Repair;

static const char *const repairs[] = {"dirty", "minimal", "none", "counterfeit", NULL};

static const ParamSpec bpg_params[] = {
	[BPG_K] = {"k", PARAM_INTEGER, true, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_MORE},
	[BPG_L] = {"l", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	[BPG_REPAIR] = {"repair", PARAM_CHOICE, false, 0, 0, repairs, "\"dirty\"", STRENGTH_NONE},
	[BPG_RESERVE] = {"reserve", PARAM_INTEGER, false, 1, 1000000, NULL, "1", STRENGTH_NONE},
	{"max_answers_per_statement", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, "1", STRENGTH_NONE},
	{"max_answers_per_role", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_NONE},
	{.name = NULL}
};

/* What becomes of a member of the neighborhood at hand. */
typedef enum Fate
{
	LEFT,						/* not in this release */
	SHOWN,						/* by its true row */
	REPLACED					/* by an invented one */
} Fate;

/* Is a side of the neighborhood allowed?  Asked again only when somebody changed sides. */
typedef enum Verdict
{
	UNKNOWN,
	ALLOWED,
	REFUSED
} Verdict;

typedef struct Bpg
{
	const Frame *frame;
	const Past *past;
	uint64		k;
	uint32		l;
	uint64		reserved;		/* rows of a class, if there are enough */
	Repair		repair;
	uint64		seed;
	pg_prng_state random;
	Tally	   *tally;			/* empty between two questions */

	/* The neighborhood at hand */
	uint32		n;
	uint64		size;
	const RowId *row;			/* [size] as the past has it */
	uint8	   *fate;			/* [size] a Fate each */
	uint64		left;			/* how many have this fate */
	uint64		dead;			/* how many have no row */
	Verdict		verdict[2];		/* on those who are left, and on those who are not */
	uint32	   *gain;			/* [size] what find_helper() counts */
	uint64	   *member;			/* [rows of the frame] places in the neighborhood, of those in it */
	RowId	   *rows;			/* [rows of the frame] to be cut */
	MemoryContext cuts;			/* what one cut makes */

	/* Values that invented rows may have */
	Code	   *known;			/* [nknown] or NULL while nobody has asked */
	Code		nknown;
	bool	   *is_known;		/* [values] */

	/* The draft */
	Draft	   *draft;
	uint32		classes_allocated;
	uint64		counterfeits_allocated;
} Bpg;

/* ----------------------------------------------------------------
 * Is it allowed?
 * ----------------------------------------------------------------
 */

static inline bool
is_published(const Bpg *bpg, uint64 i)
{
	return bpg->fate[i] != LEFT;
}

static void
set_fate(Bpg *bpg, uint64 i, Fate fate)
{
	bpg->left += (fate == LEFT) - (bpg->fate[i] == LEFT);
	bpg->fate[i] = fate;
	bpg->verdict[false] = bpg->verdict[true] = UNKNOWN;
}

static inline uint64
count_side(const Bpg *bpg, bool published)
{
	return published ? bpg->size - bpg->left : bpg->left;
}

static inline RowId
row_of(const Bpg *bpg, uint64 i)
{
	return bpg->row[i];
}

/* Counts what was published of a side in an epoch; false once there are l values. */
static bool
lacks_values(Bpg *bpg, const Code *values, bool published)
{
	for (uint64 i = 0; i < bpg->size; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (is_published(bpg, i) != published)
			continue;
		tally_add(bpg->tally, values[i]);
		if (bpg->tally->values >= bpg->l)
			return false;
	}
	return true;
}

static void
forget_values(Bpg *bpg, const Code *values, bool published)
{
	for (uint64 i = 0; i < bpg->size && bpg->tally->rows > 0; i++)
		if (is_published(bpg, i) == published)
			tally_remove(bpg->tally, values[i]);
}

static bool
was_diverse(Bpg *bpg, const Code *values, bool published)
{
	bool		lacks = lacks_values(bpg, values, published);

	forget_values(bpg, values, published);
	return !lacks;
}

/* Counts the true values that the release would show, until there are enough of them. */
static void
count_shown(Bpg *bpg, uint32 enough)
{
	for (uint64 i = 0; i < bpg->size && bpg->tally->values < enough; i++)
		if (bpg->fate[i] == SHOWN)
			tally_add(bpg->tally, bpg->frame->sensitive[row_of(bpg, i)]);
}

static void
forget_shown(Bpg *bpg)
{
	for (uint64 i = 0; i < bpg->size && bpg->tally->rows > 0; i++)
		if (bpg->fate[i] == SHOWN)
			tally_remove(bpg->tally, bpg->frame->sensitive[row_of(bpg, i)]);
}

/* Would the release show l values?  Those of invented rows can still be chosen. */
static bool
is_diverse(Bpg *bpg)
{
	uint64		distinct;
	uint64		invented = 0;

	count_shown(bpg, bpg->l);
	distinct = bpg->tally->values;
	forget_shown(bpg);
	if (distinct >= bpg->l)
		return true;
	for (uint64 i = 0; i < bpg->size; i++)
		invented += bpg->fate[i] == REPLACED;
	return Min(distinct + invented, bpg->frame->nsensitive) >= bpg->l;
}

/* With the values of each release that the neighborhood was in. */
static bool
judge_side(Bpg *bpg, bool published)
{
	uint64		nepochs = past_epochs(bpg->past, bpg->n);

	if (count_side(bpg, published) < bpg->k)
		return false;
	if (bpg->l <= 1)
		return true;
	for (uint64 epoch = 0; epoch < nepochs; epoch++)
		if (!was_diverse(bpg, past_values(bpg->past, bpg->n, epoch), published))
			return false;
	return !published || is_diverse(bpg);
}

static bool
side_is_allowed(Bpg *bpg, bool published)
{
	if (bpg->verdict[published] == UNKNOWN)
		bpg->verdict[published] = judge_side(bpg, published) ? ALLOWED : REFUSED;
	return bpg->verdict[published] == ALLOWED;
}

static bool
rest_is_safe(Bpg *bpg)
{
	return count_side(bpg, false) == 0 || side_is_allowed(bpg, false);
}

/* ----------------------------------------------------------------
 * Repairs
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

/* Adds to gain[] what each member of the other side would bring to a side if that lacks values. */
static bool
measure_gain(Bpg *bpg, const Code *values, bool published)
{
	bool		lacks = lacks_values(bpg, values, published);

	for (uint64 i = 0; i < bpg->size && lacks; i++)
		bpg->gain[i] += is_published(bpg, i) != published && values[i] != NO_CODE &&
			bpg->tally->count[values[i]] == 0;
	forget_values(bpg, values, published);
	return lacks;
}

/*
 * The member who brings most of what one side lacks, among those who may
 * move to it; ties go to whoever comes first after a place drawn by lot.
 */
static uint64
find_helper(Bpg *bpg, bool published, bool (*may_move) (const Bpg *bpg, uint64 i))
{
	uint64		from = pg_prng_uint64_range(&bpg->random, 0, bpg->size - 1);
	uint64		best = NO_MEMBER;
	uint64		nepochs = bpg->l <= 1 ? 0 : past_epochs(bpg->past, bpg->n);
	uint32		most = 0;		/* that anybody can bring */

	memset(bpg->gain, 0, sizeof(uint32) * bpg->size);
	for (uint64 epoch = 0; epoch < nepochs; epoch++)
		most += measure_gain(bpg, past_values(bpg->past, bpg->n, epoch), published);
	for (uint64 step = 0, i = from; step < bpg->size; step++, i++)
	{
		if (i == bpg->size)
			i = 0;
		if (!may_move(bpg, i) || (best != NO_MEMBER && bpg->gain[i] <= bpg->gain[best]))
			continue;
		best = i;
		if (bpg->gain[best] == most)
			break;
	}
	return best;
}

static bool
may_be_withheld(const Bpg *bpg, uint64 i)
{
	return bpg->fate[i] == SHOWN;
}

/* Withholds as many of those who were asked for as it takes to hide the rest among them. */
static void
withhold(Bpg *bpg)
{
	uint64		published = count_side(bpg, true);

	while (published > bpg->k && !side_is_allowed(bpg, false))
	{
		uint64		i = find_helper(bpg, false, may_be_withheld);

		if (i == NO_MEMBER)
			return;
		CHECK_FOR_INTERRUPTS();
		set_fate(bpg, i, LEFT);
		published--;
	}
}

/* E0 - E1: who is left must be nobody, or allowed. */
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

/* E1 and its intersection with E0, which are the same here. */
static void
mend_published(Bpg *bpg)
{
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

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

static void
make_room(Bpg *bpg, uint64 counterfeits)
{
	Draft	   *draft = bpg->draft;
	Classes    *classes = draft->classes;
	int			nqis = Max(1, classes->nqis);

	if (classes->nclasses + 1 >= bpg->classes_allocated)
	{
		bpg->classes_allocated = Max(1024, bpg->classes_allocated * 2);
		classes->first = repalloc_huge(classes->first, sizeof(uint64) * bpg->classes_allocated);
		classes->regions = repalloc_huge(classes->regions, sizeof(Span) * nqis * bpg->classes_allocated);
		draft->parent = repalloc_huge(draft->parent, sizeof(uint32) * bpg->classes_allocated);
		classes->first_counterfeit = repalloc_huge(classes->first_counterfeit,
												   sizeof(uint64) * bpg->classes_allocated);
	}
	counterfeits += classes->first_counterfeit[classes->nclasses];
	if (counterfeits > bpg->counterfeits_allocated)
	{
		bpg->counterfeits_allocated = Max(1024, counterfeits * 2);
		classes->counterfeit = repalloc_huge(classes->counterfeit,
											 sizeof(Code) * bpg->counterfeits_allocated);
		draft->stands_for = repalloc_huge(draft->stands_for,
										  sizeof(uint64) * bpg->counterfeits_allocated);
	}
}

/* Cutting is what every release costs; all else is for the sake of the past. */
static void
note_cutting(Bpg *bpg, instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	bpg->draft->cutting_seconds += INSTR_TIME_GET_DOUBLE(now);
}

static void
cover_rows(const Frame *frame, const RowId *rows, uint64 n, Span *region)
{
	for (int q = 0; q < frame->nqis; q++)
	{
		const Code *code = frame->code[q];
		Span		hull = span_of(code[rows[0]]);

		for (uint64 i = 1; i < n; i++)
			hull = span_hull(hull, span_of(code[rows[i]]));
		region[q] = domain_cover(&frame->domain[q], hull);
	}
}

/* Appends a class of these rows; its counterfeits are added afterwards. */
static uint32
add_class(Bpg *bpg, const RowId *rows, uint64 n, const Span *region, uint64 counterfeits)
{
	const Frame *frame = bpg->frame;
	Classes    *classes = bpg->draft->classes;
	uint32		c = classes->nclasses;
	instr_time	start;

	make_room(bpg, counterfeits);
	memcpy(classes->rows + classes->first[c], rows, sizeof(RowId) * n);
	INSTR_TIME_SET_CURRENT(start);
	if (region == NULL)
		cover_rows(frame, rows, n, &classes->regions[(Size) c * classes->nqis]);
	else
		memcpy(&classes->regions[(Size) c * classes->nqis], region, sizeof(Span) * classes->nqis);
	note_cutting(bpg, start);
	if (frame->asked != NULL)
		for (uint64 i = 0; i < n; i++)
			bpg->draft->dirty += !frame->asked[rows[i]];
	bpg->draft->parent[c] = bpg->n;
	classes->nclasses++;
	classes->first[c + 1] = classes->first[c] + n;
	classes->first_counterfeit[c + 1] = classes->first_counterfeit[c];
	return c;
}

/* Its value is drawn when it is known what else leaves. */
static void
add_counterfeit(Bpg *bpg, uint32 c, uint64 stands_for)
{
	bpg->draft->stands_for[bpg->draft->classes->first_counterfeit[c + 1]++] = stands_for;
}

/* Are the classes allowed with the values that their members had in the past? */
static bool
allowed_in_past(Bpg *bpg, const Classes *classes)
{
	bool		allowed = true;
	uint64		nepochs = bpg->l <= 1 || bpg->n == NO_NEIGHBORHOOD ? 0 : past_epochs(bpg->past, bpg->n);

	for (uint64 epoch = 0; epoch < nepochs && allowed; epoch++)
	{
		const Code *values = past_values(bpg->past, bpg->n, epoch);

		for (uint32 c = 0; c < classes->nclasses && allowed; c++)
		{
			for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
				tally_add(bpg->tally, values[bpg->member[classes->rows[i]]]);
			allowed = bpg->tally->values >= bpg->l;
			for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
				tally_remove(bpg->tally, values[bpg->member[classes->rows[i]]]);
		}
	}
	return allowed;
}

/* Cuts rows into classes as small as the reserve allows; false if they cannot be a class at all. */
static bool
cut(Bpg *bpg, uint64 n)
{
	Principle	reserved = principle_k_l(bpg->reserved, bpg->l);
	Classes    *classes;
	MemoryContext old;
	instr_time	start;

	if (n < 2 * bpg->reserved && bpg->n != NO_NEIGHBORHOOD)
		return false;
	MemoryContextReset(bpg->cuts);
	old = MemoryContextSwitchTo(bpg->cuts);
	INSTR_TIME_SET_CURRENT(start);
	classes = mondrian(bpg->frame, bpg->rows, n, &reserved, bpg->seed);
	note_cutting(bpg, start);
	MemoryContextSwitchTo(old);
	if (classes->nclasses == 0 || !allowed_in_past(bpg, classes))
		return false;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) add_class(bpg, classes->rows + classes->first[c], class_size(classes, c),
						 class_region(classes, c), 0);
	}
	return true;
}

static void
publish_neighborhood(Bpg *bpg)
{
	uint64		nrows = 0;
	uint64		nreplaced = 0;
	uint32		c;

	for (uint64 i = 0; i < bpg->size; i++)
	{
		nreplaced += bpg->fate[i] == REPLACED;
		if (bpg->fate[i] != SHOWN)
			continue;
		bpg->member[row_of(bpg, i)] = i;
		bpg->rows[nrows++] = row_of(bpg, i);
	}
	if (nreplaced == 0 && cut(bpg, nrows))
		return;
	c = add_class(bpg, bpg->rows, nrows, NULL, nreplaced);
	for (uint64 i = 0; i < bpg->size && nreplaced > 0; i++)
		if (bpg->fate[i] == REPLACED)
			add_counterfeit(bpg, c, bpg->past->first[bpg->n] + i);
}

static bool
is_asked(const Frame *frame, RowId row)
{
	return frame->asked == NULL || frame->asked[row];
}

static void
reject(Bpg *bpg, uint64 asked)
{
	bpg->draft->suppressed += asked;
	bpg->draft->rejected++;
}

/* The dead are left behind: are there too few for them and for a class, as in most old neighborhoods? */
static bool
is_hopeless(const Bpg *bpg)
{
	return bpg->dead > 0 && bpg->size < 2 * bpg->k && bpg->repair != REPAIR_COUNTERFEIT;
}

/* Looks at a neighborhood, as if who was asked for were shown; returns how many these are. */
static uint64
take_neighborhood(Bpg *bpg, uint32 n)
{
	uint64		asked = 0;

	bpg->n = n;
	bpg->size = past_size(bpg->past, n);
	bpg->row = bpg->past->row + bpg->past->first[n];
	bpg->dead = 0;
	bpg->verdict[false] = bpg->verdict[true] = UNKNOWN;
	for (uint64 i = 0; i < bpg->size; i++)
	{
		RowId		row = row_of(bpg, i);
		bool		is_shown = row != NO_ROW && is_asked(bpg->frame, row);

		bpg->fate[i] = is_shown ? SHOWN : LEFT;
		asked += is_shown;
		bpg->dead += row == NO_ROW;
	}
	bpg->left = bpg->size - asked;
	return asked;
}

static void
draft_neighborhood(Bpg *bpg, uint32 n)
{
	uint64		asked = take_neighborhood(bpg, n);
	uint64		shown = 0;

	if (asked == 0)
		return;
	if (is_hopeless(bpg))
	{
		reject(bpg, asked);
		return;
	}
	mend_rest(bpg);
	mend_published(bpg);
	for (uint64 i = 0; i < bpg->size; i++)
		shown += bpg->fate[i] == SHOWN && is_asked(bpg->frame, row_of(bpg, i));
	if (shown == 0 || !side_is_allowed(bpg, true) || !rest_is_safe(bpg))
	{
		reject(bpg, asked);
		return;
	}
	bpg->draft->suppressed += asked - shown;
	publish_neighborhood(bpg);
}

/* ----------------------------------------------------------------
 * What invented rows show
 * ----------------------------------------------------------------
 */

static void
know_value(Bpg *bpg, Code value)
{
	if (value == NO_CODE || bpg->is_known[value])
		return;
	bpg->is_known[value] = true;
	bpg->known[bpg->nknown++] = value;
}

static void
know_rows(Bpg *bpg, const RowId *rows, uint64 n)
{
	for (uint64 i = 0; i < n; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		know_value(bpg, bpg->frame->sensitive[rows[i]]);
	}
}

/*
 * The values that leave by true rows, those of the newcomers to be cut among
 * them, and those that have left before.  Others would tell of somebody who is
 * withheld.
 */
static void
know_values(Bpg *bpg, uint64 newcomers)
{
	const Classes *classes = bpg->draft->classes;
	const Past *past = bpg->past;
	uint64		nvalues = past->nneighborhoods == 0 ? 0 : past->first_value[past->nneighborhoods];

	if (bpg->known != NULL)
		return;
	bpg->known = palloc_extended(sizeof(Code) * ((Size) bpg->frame->nsensitive + 1), MCXT_ALLOC_HUGE);
	bpg->is_known = palloc_extended(sizeof(bool) * ((Size) bpg->frame->nsensitive + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	know_rows(bpg, classes->rows, classes->first[classes->nclasses]);
	know_rows(bpg, bpg->rows, newcomers);
	for (uint64 i = 0; i < nvalues; i++)
		know_value(bpg, past->value[i]);
}

/* Any value, but first those that the class, which is in the tally, lacks; NULL where nothing else is known. */
static Code
invent_value(Bpg *bpg)
{
	Code		at;

	if (bpg->nknown == 0)
		return NO_CODE;
	at = pg_prng_uint64_range(&bpg->random, 0, bpg->nknown - 1);
	for (Code step = 1; step < bpg->nknown && bpg->tally->values < bpg->l && bpg->tally->count[bpg->known[at]] > 0; step++)
		at = (at + 1) % bpg->nknown;
	return bpg->known[at];
}

static void
forget_class(Bpg *bpg, uint32 c)
{
	const Classes *classes = bpg->draft->classes;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
		tally_remove(bpg->tally, bpg->frame->sensitive[classes->rows[i]]);
	for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		tally_remove(bpg->tally, classes->counterfeit[i]);
}

static void
invent_values(Bpg *bpg)
{
	const Classes *classes = bpg->draft->classes;

	if (classes->first_counterfeit[classes->nclasses] == 0)
		return;
	know_values(bpg, 0);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		if (class_counterfeits(classes, c) == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
			tally_add(bpg->tally, bpg->frame->sensitive[classes->rows[i]]);
		for (uint64 i = classes->first_counterfeit[c]; i < classes->first_counterfeit[c + 1]; i++)
		{
			classes->counterfeit[i] = invent_value(bpg);
			tally_add(bpg->tally, classes->counterfeit[i]);
		}
		forget_class(bpg, c);
	}
}

/* ----------------------------------------------------------------
 * Who was never published
 * ----------------------------------------------------------------
 */

/* Are there enough values to make any class diverse? */
static bool
may_invent(Bpg *bpg, uint64 n)
{
	if (bpg->repair != REPAIR_COUNTERFEIT)
		return false;
	know_values(bpg, n);
	return bpg->nknown > 0 && bpg->nknown >= bpg->l;
}

/* How many rows must be invented until these are allowed, with values that they lack first. */
static void
invent_rows(Bpg *bpg, uint64 n)
{
	uint64		lacking = n < bpg->k ? bpg->k - n : 0;
	uint32		c;

	for (uint64 i = 0; i < n; i++)
		tally_add(bpg->tally, bpg->frame->sensitive[bpg->rows[i]]);
	if (bpg->l > 1 && bpg->tally->values < bpg->l)
		lacking = Max(lacking, bpg->l - bpg->tally->values);
	c = add_class(bpg, bpg->rows, n, NULL, lacking);
	for (uint64 i = 0; i < lacking; i++)
		add_counterfeit(bpg, c, NO_MEMBER);
	tally_clear(bpg->tally, bpg->frame);
}

static void
draft_newcomers(Bpg *bpg)
{
	const Frame *frame = bpg->frame;
	uint64		n = 0;

	bpg->n = NO_NEIGHBORHOOD;
	for (uint64 row = 0; row < frame->nrows; row++)
		if (is_asked(frame, row) &&
			(bpg->past->releases == 0 || bpg->past->member[row] == NO_MEMBER))
			bpg->rows[n++] = row;
	if (n == 0 || cut(bpg, n))
		return;
	bpg->reserved = bpg->k;
	if (cut(bpg, n))
		return;
	if (may_invent(bpg, n))
		invent_rows(bpg, n);
	else
		bpg->draft->suppressed += n;
}

static uint64
largest_neighborhood(const Past *past)
{
	uint64		largest = 0;

	for (uint32 n = 0; n < past->nneighborhoods; n++)
		largest = Max(largest, past_size(past, n));
	return largest;
}

static Principle
bpg_principle(const int64 *params)
{
	return principle_k_l(params[BPG_K], params[BPG_L]);
}

static Draft *
draft_create(const Frame *frame, const int64 *params)
{
	Draft	   *draft = palloc0(sizeof(Draft));

	draft->k = params[BPG_K];
	draft->classes = palloc0(sizeof(Classes));
	draft->classes->nqis = frame->nqis;
	draft->classes->rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	draft->classes->first = palloc0(sizeof(uint64));
	draft->classes->regions = palloc(sizeof(Span));
	draft->parent = palloc(sizeof(uint32));
	draft->classes->first_counterfeit = palloc0(sizeof(uint64));
	draft->classes->counterfeit = palloc(sizeof(Code));
	draft->stands_for = palloc(sizeof(uint64));
	return draft;
}

/* What it takes to ask what is allowed. */
static Bpg
bpg_create(const Frame *frame, const Past *past, const int64 *params)
{
	return (Bpg) {
		.frame = frame,.past = past,.k = params[BPG_K],.l = params[BPG_L],
		.reserved = (uint64) params[BPG_K] * params[BPG_RESERVE],
		.repair = params[BPG_REPAIR],.tally = tally_create(frame),
		.fate = palloc_extended(sizeof(uint8) * (largest_neighborhood(past) + 1), MCXT_ALLOC_HUGE),
	};
}

/* Those that a repair by true rows might mend; of dead members nothing is known yet. */
static uint32
bpg_want_helpers(const Frame *frame, const Past *past, const int64 *params, bool *wanted)
{
	Bpg			bpg = bpg_create(frame, past, params);
	uint32		count = 0;

	if (bpg.repair != REPAIR_DIRTY && bpg.repair != REPAIR_MINIMAL)
		return 0;
	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		CHECK_FOR_INTERRUPTS();
		wanted[n] = take_neighborhood(&bpg, n) > 0 && bpg.left > 0 &&
			!(side_is_allowed(&bpg, true) && side_is_allowed(&bpg, false));
		count += wanted[n];
	}
	return count;
}

static Draft *
bpg_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Draft	   *draft = draft_create(frame, params);
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "bpg", ALLOCSET_DEFAULT_SIZES);
	Bpg			bpg;

	MemoryContextSwitchTo(work);
	bpg = bpg_create(frame, past, params);
	bpg.seed = seed;
	bpg.draft = draft;
	pg_prng_seed(&bpg.random, seed);
	bpg.cuts = AllocSetContextCreate(work, "cut", ALLOCSET_DEFAULT_SIZES);
	bpg.rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	bpg.gain = palloc_extended(sizeof(uint32) * (largest_neighborhood(past) + 1), MCXT_ALLOC_HUGE);
	if (past->releases > 0)
		bpg.member = palloc_extended(sizeof(uint64) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	for (uint32 n = 0; n < past->nneighborhoods; n++)
		draft_neighborhood(&bpg, n);
	draft_newcomers(&bpg);
	invent_values(&bpg);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return draft;
}

const Method bpg_method = {
	.declaration = {
		.name = "bpg",
		.params = bpg_params,
		.columns = true,
		.cohorts = true,
		.insensitive = true,
		.answers = true,
		.classes = true,
		.past = PAST_NEIGHBORHOODS,
	},
	.principle = bpg_principle,
	.want_helpers = bpg_want_helpers,
	.draft = bpg_draft,
};
