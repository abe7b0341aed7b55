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
 *		reserve makes neighborhoods larger than k needs.  Without invented rows, a
 *		neighborhood of less than 2 k people is lost as soon as one of them leaves
 *		the source.
 *
 *		With invented rows nobody is ever lost, but in the end more rows of a
 *		neighborhood would be invented than true.  It is given up before: nobody of
 *		it is shown.  The numbers of those who have stayed and left decide that,
 *		which observers know, and no value does.  The release then reveals nothing
 *		of the neighborhood, which stays the set that it was.
 *
 *		max_added bounds what the release of a cohort adds to those who were asked
 *		for: in each neighborhood, and so in all of it.  Where a repair adds more,
 *		one that adds less takes its place, down to none.  Both sides are judged as
 *		ever.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	BPG_K,
	BPG_L,
	BPG_REPAIR,
	BPG_RESERVE,
	BPG_INVENTED_COST,
	BPG_CHURN,
	BPG_HORIZON,
	BPG_LEAVES,
	BPG_STRATA,
	BPG_WEIGHTS,
	BPG_MAX_ADDED,
	BPG_ANSWERS_PER_STATEMENT,
	BPG_ANSWERS_PER_ROLE,
	BPG_PRINCIPLES,				/* NPRINCIPLE_PARAMS of them */
	BPG_DISTRIBUTION = BPG_PRINCIPLES + NPRINCIPLE_PARAMS
};

/* Assumed where nothing else is known. */
#define USUAL_CHURN		0.05
#define USUAL_HORIZON	26		/* releases: half a year, if they are weekly */

/* Classes are somewhat larger than they must be: so many times, for the average person. */
#define EXCESS			1.2

/* Of these releases it is said what to expect, if by the last so much is withheld, or so many rows are invented. */
static const uint32 foreseen_releases[] = {2, 10};
#define FORESEEN_WITHHELD	0.05
#define FORESEEN_INVENTED	0.2

static const char *const repairs[] = {"dirty", "minimal", "none", "counterfeit", NULL};

static const char *const reserve_words[] = {"auto", NULL};

static const ParamSpec bpg_params[] = {
	[BPG_K] = {"k", PARAM_INTEGER, PARAM_REQUIRED, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_MORE},
	[BPG_L] = {"l", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	[BPG_REPAIR] = {"repair", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, repairs, "\"counterfeit\"", STRENGTH_NONE},
	[BPG_RESERVE] = {"reserve", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, reserve_words, "\"auto\"", STRENGTH_NONE},
	[BPG_INVENTED_COST] = {"invented_cost", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1000000, NULL, "1", STRENGTH_NONE},
	[BPG_CHURN] = {"churn", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1, NULL, NULL, STRENGTH_NONE},
	[BPG_HORIZON] = {"horizon", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_NONE},
	[BPG_LEAVES] = {"leaves", PARAM_COLUMN, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	[BPG_STRATA] = {"strata", PARAM_QUASI_IDENTIFIERS, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	[BPG_WEIGHTS] = {"weights", PARAM_WEIGHTS, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	[BPG_MAX_ADDED] = {"max_added", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1, NULL, "0.5", STRENGTH_NONE},
	[BPG_ANSWERS_PER_STATEMENT] = {"max_answers_per_statement", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_NONE},
	[BPG_ANSWERS_PER_ROLE] = {"max_answers_per_role", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_NONE},
	PRINCIPLE_PARAMS,
	[BPG_DISTRIBUTION] = DISTRIBUTION_PARAM,
	{"bands", PARAM_BANDS, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_KEPT},
	{"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	{.name = NULL}
};

static const TableColumn distribution[] = {
	{TABLE_SENSITIVE_COLUMNS, NULL, false},
	{TABLE_NUMBER, "share", false},
	{TABLE_END, NULL, false}
};

static const TableSpec bpg_tables[] = {
	{DISTRIBUTION_NAME, distribution},
	{NULL, NULL}
};

/* ----------------------------------------------------------------
 * People who were published before
 * ----------------------------------------------------------------
 */

static void
reject(Bpg *bpg, uint64 asked)
{
	bpg->draft->suppressed += asked;
	bpg->draft->rejected++;
}

/* Members among whom are all of the dead: are they too few to be parted, so that no release can show any of them? */
static bool
is_lost(const Bpg *bpg, uint64 size)
{
	return bpg->dead > 0 && size < bpg->smallest_parted;
}

/* Looks at a neighborhood, as if who was asked for were shown; returns how many these are. */
static uint64
take_neighborhood(Bpg *bpg, uint32 n)
{
	const RowId *rows = bpg->past->row + bpg->past->first[n];
	uint64		size = past_size(bpg->past, n);
	uint8	   *fate = bpg->fate;	/* bytes that are written could be anything's, so all else is at hand */
	uint64	   *leaver = bpg->leaver;
	const bool *asked_for = bpg->frame->asked;
	uint64		asked = 0;
	uint64		dead = 0;

	for (uint64 i = 0; i < size; i++)
	{
		bool		is_shown = rows[i] != NO_ROW && (asked_for == NULL || asked_for[rows[i]]);

		fate[i] = is_shown ? SHOWN : LEFT;
		leaver[i - asked] = i;
		asked += is_shown;
		dead += rows[i] == NO_ROW;
	}
	bpg->n = n;
	bpg->size = size;
	bpg->row = rows;
	bpg->dead = dead;
	bpg->is_untold = !bpg->frame->shows_no_value && past_is_untold(bpg->past, n);
	bpg->left = size - asked;
	bpg->verdict[false] = bpg->verdict[true] = UNKNOWN;
	bpg->knows_leavers = true;
	return asked;
}

/* Finds the rows of those who are shown; returns how many these are, and counts those who were asked for. */
static uint64
gather_shown(Bpg *bpg, uint64 *asked)
{
	uint64		n = 0;

	*asked = 0;
	for (uint64 i = 0; i < bpg->size; i++)
	{
		RowId		row = row_of(bpg, i);

		if (bpg->fate[i] != SHOWN && bpg->fate[i] != HELD)
			continue;
		*asked += is_asked(bpg->frame, row);
		bpg->member[row] = i;
		bpg->rows[n++] = row;
	}
	return n;
}

bool
is_too_costly(const Bpg *bpg, uint64 alive, uint64 dead)
{
	return bpg->past->is_whole && bpg->outlook.invents && is_dying(&bpg->outlook, alive, dead);
}

/*
 * Mends the neighborhood at hand as declared or, where that adds too much, by a repair that adds less.  Returns as
 * gather_shown() does.
 */
static uint64
mend_within_bound(Bpg *bpg, uint64 *asked)
{
	static const Repair less[] = {
		[REPAIR_DIRTY] = REPAIR_MINIMAL,
		[REPAIR_MINIMAL] = REPAIR_NONE,
		[REPAIR_NONE] = REPAIR_NONE,
		[REPAIR_COUNTERFEIT] = REPAIR_NONE,
	};

	bpg->repair = bpg->is_untold && bpg->declared == REPAIR_COUNTERFEIT ? REPAIR_NONE : bpg->declared;
	for (;; bpg->repair = less[bpg->repair])
	{
		uint64		nrows;
		uint64		published;

		mend_sides(bpg);
		nrows = gather_shown(bpg, asked);
		published = count_side(bpg, true);
		if (bpg->repair == REPAIR_NONE || !adds_too_much(bpg, published - *asked, published))
			return nrows;
		(void) take_neighborhood(bpg, bpg->n);
	}
}

/* Drafts the members of a neighborhood that are asked for, or rejects them. */
static void
draft_neighborhood(Bpg *bpg, uint32 n)
{
	uint64		asked = take_neighborhood(bpg, n);
	uint64		shown;
	uint64		nrows;

	if (asked == 0)
		return;
	/* The dead are left behind: are there too few for them and for a class, as in most old neighborhoods? */
	if (is_lost(bpg, bpg->size))
	{
		bpg->draft->lost += asked;
		reject(bpg, asked);
		return;
	}
	if (is_too_costly(bpg, asked, bpg->dead))
	{
		bpg->draft->given_up += asked;
		reject(bpg, asked);
		return;
	}
	nrows = mend_within_bound(bpg, &shown);
	if (shown == 0 || !side_is_allowed(bpg, true) || !rest_is_safe(bpg))
	{
		reject(bpg, asked);
		return;
	}
	/* Members who are withheld to hide the dead are left with these, and with nobody else, from now on. */
	bpg->draft->suppressed += asked - shown;
	if (is_lost(bpg, bpg->left))
		bpg->draft->lost += asked - shown;
	publish_neighborhood(bpg, nrows);
}

/* ----------------------------------------------------------------
 * The reserve
 * ----------------------------------------------------------------
 */

/*
 * A release of a part of the source says nothing of how people leave.  Where it was foreseen how
 * they do, classes leave whole, so that none need outlast departures.
 */
void
choose_reserve(Bpg *bpg, const RowId *rows, uint64 n)
{
	if (bpg->reserve != AUTO_RESERVE)
		return;
	bpg->reserved = bpg->k;
	if (bpg->past->is_whole && bpg->frame->leaves == NULL && n > 0)
	{
		LossCurve	curve = loss_curve(bpg->frame, rows, n);

		if (judges_shares(bpg))
			curve.least_size = mean_size(bpg->frame, rows, n, &bpg->principle);
		bpg->reserved *= best_reserve(&bpg->outlook, &curve, n);
	}
}

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

static Principle
bpg_principle(const int64 *params)
{
	return principle_declared(params[BPG_K], params[BPG_L], params + BPG_PRINCIPLES);
}

static const char *
bpg_contradiction(const int64 *params)
{
	const char *wrong = principle_contradiction(params + BPG_PRINCIPLES);

	return wrong != NULL ? wrong : distribution_contradiction(params[BPG_DISTRIBUTION], params + BPG_PRINCIPLES);
}

/* A distance is of t. */
static bool
bpg_is_idle(const int64 *params, int param)
{
	return param == BPG_PRINCIPLES + PRINCIPLE_DISTANCE && params[BPG_PRINCIPLES + PRINCIPLE_t] == PARAM_ABSENT;
}

static uint64
bpg_smallest_parted(const int64 *params)
{
	return params[BPG_REPAIR] == REPAIR_COUNTERFEIT ? 0 : 2 * (uint64) params[BPG_K];
}

/* Invented rows that take places of the dead show what others' insensitive columns say. */
static const char *
bpg_without_stand_ins(const int64 *params)
{
	return params[BPG_REPAIR] == REPAIR_COUNTERFEIT ? "\"repair\" to \"dirty\", \"minimal\" or \"none\"" : NULL;
}

/* The future as far as it was declared, or else as usual. */
static Outlook
declared_outlook(const int64 *params)
{
	return (Outlook) {
		.k = params[BPG_K],
		.churn = params[BPG_CHURN] == PARAM_ABSENT ? USUAL_CHURN : (double) params[BPG_CHURN] / PARAM_SCALE,
		.releases = params[BPG_HORIZON] == PARAM_ABSENT ? USUAL_HORIZON : params[BPG_HORIZON],
		.invents = params[BPG_REPAIR] == REPAIR_COUNTERFEIT,
		.invented_cost = (double) params[BPG_INVENTED_COST] / PARAM_SCALE,
	};
}

/* Small classes do not last: a choice of these, which may be meant for a single release, is commented on. */
static bool
bpg_foresee(const int64 *given, const int64 *params, Foresight *foresight)
{
	bool		is_chosen = given[BPG_REPAIR] != PARAM_ABSENT || given[BPG_RESERVE] != PARAM_ABSENT;
	Outlook		outlook = declared_outlook(params);
	double		size = (double) params[BPG_K] * params[BPG_RESERVE] * EXCESS;

	/* A column by which people leave is for departures that are no surprise. */
	if (!is_chosen || params[BPG_RESERVE] == AUTO_RESERVE || params[BPG_LEAVES] != PARAM_ABSENT || params[BPG_K] == 1)
		return false;
	for (int i = 0; i < (int) lengthof(foresight->release); i++)
	{
		PeopleShares shares = release_shares(&outlook, size, foreseen_releases[i]);

		foresight->release[i] = (ForeseenRelease) {foreseen_releases[i], shares.withheld, shares.invented};
	}
	foresight->leave = outlook.churn;
	foresight->instead = outlook.invents ? "leave \"reserve\" out, or set it to \"auto\"" : "leave \"repair\" and \"reserve\" out, or, if all rows must be true, set \"reserve\" to \"auto\"";
	return foresight->release[1].withheld >= FORESEEN_WITHHELD || foresight->release[1].invented >= FORESEEN_INVENTED;
}

/* Invented rows make up for people, as long as these are not too few for them; but a value that is not known is not invented. */
static SourceNeeds
bpg_needs(const int64 *params)
{
	Outlook		outlook = declared_outlook(params);
	double		shown = outlook.invents ? outlook.invented_cost / (1 + outlook.invented_cost) : 1;
	Principle	principle = bpg_principle(params);
	uint32		values = principle_least_values(&principle);

	return (SourceNeeds) {
		.rows = ceil(shown * params[BPG_K]), .for_fewer_rows = "a smaller \"k\"",
		.values = values > 1 ? values : 0,
		.for_fewer_values = values > params[BPG_L] ? "a weaker principle" : "a smaller \"l\"",
	};
}

/* The releases to come, as far as the log tells of them. */
static Outlook
outlook_of(const Past *past, const int64 *params)
{
	Outlook		outlook = declared_outlook(params);
	int64		releases = params[BPG_HORIZON] == PARAM_ABSENT
		? Max(past->releases, USUAL_HORIZON) : params[BPG_HORIZON] - (int64) past->releases;

	outlook.releases = Max(releases, 1);
	if (past->exposed > 0)
		outlook.churn = Min((double) past->departed / past->exposed, 1);
	return outlook;
}

static double
bpg_churn(const Past *past, const int64 *params)
{
	return outlook_of(past, params).churn;
}

/* Sets up the state by which it is asked what is allowed. */
static Bpg
bpg_create(const Frame *frame, const Past *past, const int64 *params)
{
	Size		largest = 0;
	Principle	principle = bpg_principle(params);

	for (uint32 n = 0; n < past->nneighborhoods; n++)
		largest = Max(largest, past_size(past, n));
	return (Bpg) {
		.frame = frame, .past = past, .principle = principle_bound(&principle, frame->nsensitive, frame->aspects), .k = params[BPG_K], .l = params[BPG_L],
		.reserve = params[BPG_RESERVE],
		.reserved = (uint64) params[BPG_K] * (params[BPG_RESERVE] == AUTO_RESERVE ? 1 : params[BPG_RESERVE]),
		.outlook = outlook_of(past, params),
		.smallest_parted = bpg_smallest_parted(params),
		.declared = params[BPG_REPAIR],
		.max_added = frame->is_cohort ? params[BPG_MAX_ADDED] : PARAM_SCALE,
		.tally = tally_create(frame->nsensitive),
		.fate = new_array(uint8, largest),
		.leaver = new_array(uint64, largest),
		.gain = new_array(double, largest),
		.relief = new_array(double, frame->nsensitive),
	};
}

/* Neighborhoods that a repair by true rows might mend; of dead members nothing is known yet. */
static uint32
bpg_want_helpers(const Frame *frame, const Past *past, const int64 *params, bool *wanted)
{
	Bpg			bpg = bpg_create(frame, past, params);
	uint32		count = 0;

	if (bpg.declared != REPAIR_DIRTY && bpg.declared != REPAIR_MINIMAL)
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

/* Drafts neighborhood after neighborhood, newcomers last. */
static Draft *
bpg_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Drafting   *drafting = drafting_create_of_neighborhoods(frame, params[BPG_K]);
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "bpg", ALLOCSET_DEFAULT_SIZES);
	Bpg			bpg;

	MemoryContextSwitchTo(work);
	bpg = bpg_create(frame, past, params);
	bpg.seed = seed;
	bpg.drafting = drafting;
	bpg.draft = drafting->draft;
	bpg.context = context;
	pg_prng_seed(&bpg.random, seed);
	bpg.cuts = AllocSetContextCreate(work, "cut", ALLOCSET_DEFAULT_SIZES);
	bpg.rows = new_array(RowId, frame->nrows);
	if (past->releases > 0)
		bpg.member = new_array(uint64, frame->nrows);
	bpg.draft->rejected = past->nlost;
	progress_phase("choose reserve", NO_TOTAL);
	for (uint64 row = 0; row < frame->nrows; row++)
		bpg.rows[row] = row;
	if (past->releases > 0 && bpg.reserve == AUTO_RESERVE)
		choose_reserve(&bpg, bpg.rows, frame->nrows);
	progress_phase("part neighborhoods", past->nneighborhoods);
	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		draft_neighborhood(&bpg, n);
		progress_done(n + 1);
	}
	draft_newcomers(&bpg);
	invent_values(&bpg);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return drafting->draft;
}

const Method bpg_method = {
	.declaration = {
		.name = "bpg",
		.params = bpg_params,
		.columns = true,
		.cohorts = true,
		.insensitive = true,
		.several = true,
		.answers = true,
		.classes = true,
		.keeps_values = true,
		.past = PAST_NEIGHBORHOODS,
		.tables = bpg_tables,
		.smallest_parted = bpg_smallest_parted,
		.without_stand_ins = bpg_without_stand_ins,
		.foresee = bpg_foresee,
		.contradiction = bpg_contradiction,
		.is_idle = bpg_is_idle,
		.needs = bpg_needs,
	},
	.principle = bpg_principle,
	.want_helpers = bpg_want_helpers,
	.draft = bpg_draft,
	.churn = bpg_churn,
};
