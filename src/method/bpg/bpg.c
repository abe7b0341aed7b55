/*
 * bpg.c
 *		The method of Barbosa, Pinto and Gomes: k-anonymity and distinct l-diversity of whatever intersections and
 *		differences reveal, by groups of places.
 *
 * NOTES
 *		The paper cuts each release anew, and rejects classes whose intersections and differences with earlier ones are
 *		not allowed.  Here people who were shown together stay together: a group is a list of places for life, and each
 *		release shows all places of a part of it, or none.  So intersections and differences are parts, or empty.
 *
 *		A place that nobody sits at shows what it showed last.  Values change only where all places of a part are taken
 *		by people who were there before, and all are asked for.  Everybody else takes a place that shows the own
 *		value already.  So a release tells of nobody in a part more than of any other: if their places were permuted, all
 *		releases would be as they are.
 *
 *		The places of the departed are parted from the others for good only where every set of so many
 *		rows would have been allowed, in each release so far: so it does not matter which ones left.  Of true rows, a part
 *		with free places is not shown; so these are parted off together with others, until people sit at all of them.
 *
 *		reserve makes new groups larger than k needs, which leaves values to those who come later.  max_added bounds the
 *		invented rows that the release of a cohort shows beside those who were asked for: in each part, and so in all.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/bpg/bpg.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	BPG_K,
	BPG_L,
	BPG_REPAIR,
	BPG_RESERVE,
	BPG_TIES,
	BPG_LEAVES,
	BPG_STRATA,
	BPG_WEIGHTS,
	BPG_MAX_ADDED,
	BPG_ANSWERS_PER_STATEMENT,
	BPG_ANSWERS_PER_ROLE,
	BPG_PRINCIPLES,				/* NPRINCIPLE_PARAMS of them */
	BPG_DISTRIBUTION = BPG_PRINCIPLES + NPRINCIPLE_PARAMS
};

static const char *const repairs[] = {"counterfeit", "dirty", NULL};

static const char *const ties_rules[] = {"alone", "worlds", "none", NULL};

static const ParamSpec bpg_params[] = {
	[BPG_K] = {"k", PARAM_INTEGER, PARAM_REQUIRED, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_MORE},
	[BPG_L] = {"l", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	[BPG_REPAIR] = {"repair", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, repairs, "\"counterfeit\"", STRENGTH_NONE},
	[BPG_RESERVE] = {"reserve", PARAM_DECIMAL, PARAM_OPTIONAL, 1, 1000000, NULL, "2", STRENGTH_NONE},
	[BPG_TIES] = {"ties", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, ties_rules, "\"worlds\"", STRENGTH_MORE},
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
	NOISE_PARAM,
	{.name = NULL}
};

static const GoneParam bpg_gone[] = {
	{"churn", "Groups keep their places however people leave; \"reserve\" says how much larger than k new ones are."},
	{"horizon", "Groups last as long as people stay; \"reserve\" says how much larger than k new ones are."},
	{"invented_cost", "A group is not shown any more when most of its rows would be invented; \"repair\": \"dirty\" shows true rows only."},
	{NULL, NULL}
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
 * Declaration
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

/* A distance is of t, and under shares of values nobody is tied. */
static bool
bpg_is_idle(const int64 *params, int param)
{
	if (param == BPG_TIES)
		return bpg_principle(params).nterms > 0;
	return param == BPG_PRINCIPLES + PRINCIPLE_DISTANCE && params[BPG_PRINCIPLES + PRINCIPLE_t] == PARAM_ABSENT;
}

/* Invented rows that take places of the departed show what others' insensitive columns say. */
static const char *
bpg_without_stand_ins(const int64 *params)
{
	return params[BPG_REPAIR] == REPAIR_COUNTERFEIT ? "\"repair\" to \"dirty\"" : NULL;
}

/* A group begins with true rows only. */
static SourceNeeds
bpg_needs(const int64 *params)
{
	Principle	principle = bpg_principle(params);
	uint32		values = principle_least_values(&principle);

	return (SourceNeeds) {
		.rows = params[BPG_K], .for_fewer_rows = "a smaller \"k\"",
		.values = values > 1 ? values : 0,
		.for_fewer_values = values > params[BPG_L] ? "a weaker principle" : "a smaller \"l\"",
	};
}

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

/* Each quasi-identifier's part of a loss. */
static double *
shares_of_loss(const Frame *frame)
{
	double	   *weight = new_array(double, frame->nqis);
	double		all = 0;

	for (int q = 0; q < frame->nqis; q++)
		all += weight_of(frame, q);
	for (int q = 0; q < frame->nqis; q++)
		weight[q] = weight_of(frame, q) / all;
	return weight;
}

/* Sets up all that does not need quasi-identifiers. */
static Bpg *
bpg_create(const Frame *frame, const Past *past, const int64 *params)
{
	Bpg		   *bpg = palloc0(sizeof(Bpg));
	Principle	principle = bpg_principle(params);

	*bpg = (Bpg) {
		.frame = frame, .past = past, .places = past->places,
		.principle = principle_bound(&principle, frame->nsensitive, frame->aspects), .k = params[BPG_K],
		.repair = params[BPG_REPAIR],
		.reserve = (double) params[BPG_RESERVE] / PARAM_SCALE,
		.max_added = params[BPG_MAX_ADDED],
		.tally = tally_create(frame->nsensitive),
		.fate = new_zeros(uint8, frame->nrows),
	};
	bpg->ties = ties_create(frame, past, &bpg->principle, bpg->k, params[BPG_TIES]);
	find_parts(bpg);
	return bpg;
}

/* Parts of true rows only, of which enough places are asked for. */
static uint32
bpg_want_helpers(const Frame *frame, const Past *past, const int64 *params, bool *wanted)
{
	return params[BPG_REPAIR] == REPAIR_DIRTY ? find_wanted(bpg_create(frame, past, params), wanted) : 0;
}

/* Have all places of a class a row of the person who held it before? */
static bool
is_held_as_before(const Bpg *bpg, uint32 c)
{
	const Classes *classes = bpg->draft->classes;
	bool		is_held = class_counterfeits(classes, c) == 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1] && is_held; i++)
		is_held = is_asked(bpg->frame, classes->rows[i]) && bpg->places->place[classes->rows[i]] == bpg->draft->place[classes->rows[i]];
	return is_held;
}

/* Counts rows that must show what was shown last, by people and places alone. */
static void
count_unrefreshed(Bpg *bpg)
{
	const Classes *classes = bpg->draft->classes;

	for (uint32 c = 0; c < classes->nclasses; c++)
		if (bpg->draft->group[c] != NO_GROUP && !is_held_as_before(bpg, c))
			bpg->draft->unrefreshed += class_size(classes, c) + class_counterfeits(classes, c);
}

/* Counts people who were asked for and are not shown. */
static void
count_withheld(Bpg *bpg)
{
	for (uint64 row = 0; row < bpg->frame->nrows; row++)
	{
		if (bpg->fate[row] == SITS || !is_asked(bpg->frame, row))
			continue;
		bpg->draft->suppressed++;
		bpg->draft->waiting += bpg->fate[row] == SEEKS;
		bpg->draft->retired += bpg->fate[row] == RETIRED;
		bpg->draft->hidden += bpg->fate[row] == LEFT_OUT;
	}
}

/* People who have places come first, then arrivals; the rest is cut into new groups. */
static Draft *
bpg_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Drafting   *drafting = drafting_create_of_groups(frame, params[BPG_K]);
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "bpg", ALLOCSET_DEFAULT_SIZES);
	Bpg		   *bpg;

	MemoryContextSwitchTo(work);
	bpg = bpg_create(frame, past, params);
	bpg->seed = seed;
	pg_prng_seed(&bpg->random, seed);
	bpg->weight = shares_of_loss(frame);
	bpg->rows = new_array(RowId, frame->nrows);
	bpg->drafting = drafting;
	bpg->draft = drafting->draft;
	bpg->context = context;
	progress_phase("seat people", NO_TOTAL);
	seat_holders(bpg);
	if (past->is_whole)
	{
		retire_parts(bpg, !past->is_answer);
		seat_arrivals(bpg);
		/* An answer leaves rows out that publish() complains of: that is no departure yet. */
		if (!past->is_answer)
			part_the_departed(bpg);
		retire_parts(bpg, false);
	}
	progress_phase("show groups", bpg->nparts);
	show_parts(bpg);
	draft_newcomers(bpg);
	count_unrefreshed(bpg);
	count_withheld(bpg);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return drafting->draft;
}

const Method bpg_method = {
	.declaration = {
		.name = "bpg",
		.params = bpg_params,
		.gone = bpg_gone,
		.columns = true,
		.cohorts = true,
		.insensitive = true,
		.several = true,
		.several_rows = true,
		.answers = true,
		.classes = true,
		.invents_known = true,
		.keeps_values = true,
		.past = PAST_PLACES,
		.tables = bpg_tables,
		.without_stand_ins = bpg_without_stand_ins,
		.contradiction = bpg_contradiction,
		.is_idle = bpg_is_idle,
		.needs = bpg_needs,
	},
	.principle = bpg_principle,
	.want_helpers = bpg_want_helpers,
	.draft = bpg_draft,
	.can_be_foreseen = true,
};
