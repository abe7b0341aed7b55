/*
 * global.c
 *		The method of Wong, Fu, Liu, Wang and Xu: no person was ever linked to a value,
 *		over all releases together, with a chance of more than 1/l.
 *
 * NOTES
 *		Classes are as large as the ratios ask that the strategy, or what was
 *		published before, demands for their members.  The paper blanks a value
 *		that no class can hide; that would name it.  Here the row is withheld.
 *
 *		The paper's constant ratio lasts for as many releases as were expected, if
 *		each class has it exactly.  Classes are mostly a little larger, so
 *		something is left to spend after that: then Theorem 1 decides, and
 *		no row is refused before it must be.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "method/global/global.h"
#include "method/method.h"
#include "miscadmin.h"
#include "partition/grow.h"
#include "portability/instr_time.h"
#include "utils/float.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	GLOBAL_L,
	GLOBAL_STRATEGY,
	GLOBAL_RELEASES,
	GLOBAL_ALPHA,
	GLOBAL_REGISTRY,
	GLOBAL_TRANSIENT,
	GLOBAL_ACCEPT_INSENSITIVE
};

static const char *const strategies[] = {"constant-ratio", "geometric", NULL};

static const ParamSpec global_params[] = {
	[GLOBAL_L] = {"l", PARAM_INTEGER, PARAM_REQUIRED, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_MORE},
	[GLOBAL_STRATEGY] = {"strategy", PARAM_CHOICE, PARAM_REQUIRED, 0, 0, strategies, NULL, STRENGTH_NONE},
	[GLOBAL_RELEASES] = {"releases", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_NONE},
	[GLOBAL_ALPHA] = {"alpha", PARAM_DECIMAL, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_NONE},
	[GLOBAL_REGISTRY] = {"registry", PARAM_TABLE, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	[GLOBAL_TRANSIENT] = {"transient", PARAM_TABLE, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_KEPT},
	[GLOBAL_ACCEPT_INSENSITIVE] = {"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	NOISE_PARAM,
	{.name = NULL}
};

static const TableColumn registry[] = {
	{TABLE_KEY, NULL, false},
	{TABLE_QUASI_IDENTIFIERS, NULL, false},
	{TABLE_END, NULL, false}
};

static const TableColumn transient[] = {
	{TABLE_SENSITIVE_COLUMNS, NULL, false},
	{TABLE_END, NULL, false}
};

static const TableSpec global_tables[] = {
	{"registry", registry},
	{"transient", transient},
	{NULL, NULL}
};

/* Returns why the parameters contradict each other, or NULL. */
static const char *
contradiction(const int64 *params)
{
	if (params[GLOBAL_STRATEGY] == CONSTANT_RATIO)
		return params[GLOBAL_RELEASES] == PARAM_ABSENT
			? "Strategy \"constant-ratio\" needs \"releases\": in how many of them somebody may be linked to the same value." : NULL;
	if (params[GLOBAL_ALPHA] == PARAM_ABSENT)
		return "Strategy \"geometric\" needs \"alpha\": how many times larger than it must be a class is.";
	return params[GLOBAL_ALPHA] > PARAM_SCALE ? NULL :
		"An \"alpha\" of 1 would use up all that may ever be known at once: it must be greater.";
}

/* ----------------------------------------------------------------
 * The two strategies
 * ----------------------------------------------------------------
 */

/* 1 / (1 - (1 - 1/l)^(1/releases)), without subtracting numbers that are nearly the same */
static double
constant_ratio(const Strategy *strategy)
{
	return strategy->releases == 1 ? strategy->l : -1 / expm1(log1p(-1.0 / strategy->l) / strategy->releases);
}

double
first_ratio(const Strategy *strategy)
{
	return strategy->kind == CONSTANT_RATIO ? constant_ratio(strategy) : strategy->alpha * strategy->l;
}

/* The least ratio that keeps the promise (Theorem 1); Theorem 2 says when there is none. */
static double
promise_ratio(const Strategy *strategy, double kept)
{
	if (strategy->l == 1)
		return 1;
	return kept <= least_kept(strategy) ? get_float8_infinity() : kept / (kept - least_kept(strategy));
}

double
next_ratio(const Strategy *strategy, double kept)
{
	double		promise = promise_ratio(strategy, kept);

	return strategy->kind == CONSTANT_RATIO ? Max(constant_ratio(strategy), promise) : strategy->alpha * promise;
}

/* A class of the ratio that all demand takes its share of what is kept; the least must be left. */
double
enough_kept(const Strategy *strategy)
{
	double		ratio = constant_ratio(strategy);

	return strategy->kind == GEOMETRIC || strategy->l == 1 ? 1 : least_kept(strategy) * ratio / (ratio - 1);
}

static Strategy
strategy_of(const int64 *params)
{
	return (Strategy) {
		.kind = params[GLOBAL_STRATEGY], .l = params[GLOBAL_L],
		.releases = params[GLOBAL_RELEASES] == PARAM_ABSENT ? 1 : params[GLOBAL_RELEASES],
		.alpha = params[GLOBAL_ALPHA] == PARAM_ABSENT ? 2 : (double) params[GLOBAL_ALPHA] / PARAM_SCALE,
	};
}

/* People of a registry make up for values, and so do values that are not protected. */
static SourceNeeds
needs(const int64 *params)
{
	Strategy	strategy = strategy_of(params);
	bool		is_plain = params[GLOBAL_REGISTRY] == PARAM_ABSENT && params[GLOBAL_TRANSIENT] == PARAM_ABSENT;

	return (SourceNeeds) {
		.values = is_plain ? ceil(first_ratio(&strategy) * (1 - 1e-12)) : 0,
		.for_fewer_values = "a smaller \"l\" or \"alpha\", or fewer \"releases\"", .nulls_count = true,
	};
}

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

static bool
is_asked(const Frame *frame, RowId row)
{
	return frame->asked == NULL || frame->asked[row];
}

/* Parts people who are only counted in from those who have a row. */
static void
count_in(Draft *draft, const Frame *frame)
{
	Classes    *classes = draft->classes;
	uint64		all = classes->first[classes->nclasses];
	uint64		rows = 0;
	uint64		ncounted = 0;

	if (frame->asked == NULL)
		return;
	draft->first_counted = new_array(uint64, classes->nclasses);
	draft->counted = new_array(RowId, all);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint64		from = classes->first[c];

		CHECK_FOR_INTERRUPTS();
		classes->first[c] = rows;
		draft->first_counted[c] = ncounted;
		for (uint64 i = from; i < classes->first[c + 1]; i++)
		{
			RowId		row = classes->rows[i];

			if (is_asked(frame, row))
				classes->rows[rows++] = row;
			else
				draft->counted[ncounted++] = row;
		}
	}
	classes->first[classes->nclasses] = rows;
	draft->first_counted[classes->nclasses] = ncounted;
}

/* Adds classes of one frame to others. */
static void
append_classes(Classes *classes, const Classes *more)
{
	uint64		rows = classes->first[classes->nclasses];
	uint64		all = rows + more->first[more->nclasses];
	uint32		nclasses = classes->nclasses + more->nclasses;

	array_resize(classes->rows, all);
	array_resize(classes->first, (Size) nclasses + 1);
	array_resize(classes->regions, (Size) nclasses * classes->nqis);
	memcpy(classes->rows + rows, more->rows, sizeof(RowId) * (all - rows));
	memcpy(classes->regions + (Size) classes->nclasses * classes->nqis, more->regions, sizeof(Span) * more->nclasses * classes->nqis);
	for (uint32 c = 0; c <= more->nclasses; c++)
		classes->first[classes->nclasses + c] = rows + more->first[c];
	classes->nclasses = nclasses;
}

/*
 * Observers may know how many rows anybody has.  A class whose people have as many hides who has which of its rows: each has
 * a value with the chance of c in n at most, if c rows show it.  If one had more, that one's chance would be more.
 */
static Classes *
grow_by_rows(const Frame *frame, RowId *rows, const Ratios *ratios, uint64 seed)
{
	uint64		most = 1;
	Classes    *classes = NULL;

	for (uint64 nrows = 1, next; nrows <= most; nrows = next)
	{
		uint64		members = 0;

		CHECK_FOR_INTERRUPTS();
		next = PG_UINT64_MAX;
		for (uint64 row = 0; row < frame->nrows; row++)
		{
			uint64		n;

			(void) single_values(frame->aspects, &frame->sensitive[row], &n);
			most = Max(most, n);
			if (n == nrows)
				rows[members++] = row;
			else if (n > nrows)
				next = Min(next, n);
		}
		if (members == 0 && classes != NULL)
			continue;
		if (classes == NULL)
			classes = grow_classes(frame, rows, members, ratios, seed);
		else
			append_classes(classes, grow_classes(frame, rows, members, ratios, seed));
	}
	return classes;
}

/* Measures demands, and grows classes that meet them. */
static Draft *
global_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Draft	   *draft = palloc0(sizeof(Draft));
	MemoryContext context = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(context, "global", ALLOCSET_DEFAULT_SIZES);
	Strategy	strategy = strategy_of(params);
	const Ratios *ratios;
	RowId	   *rows;
	instr_time	start;
	instr_time	now;
	const Classes *classes;
	uint64		shown;
	bool	   *is_shown;

	MemoryContextSwitchTo(work);
	ratios = demands_of(frame, past->paths, &strategy);
	rows = new_array(RowId, frame->nrows);
	MemoryContextSwitchTo(context);
	INSTR_TIME_SET_CURRENT(start);
	draft->classes = grow_by_rows(frame, rows, ratios, seed);
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	draft->cutting_seconds = INSTR_TIME_GET_DOUBLE(now);
	draft->k = ceil(ratios->base);
	count_in(draft, frame);
	MemoryContextSwitchTo(work);
	/* Counts rows that were asked for and are in no class; and of them those for which there can never be one again. */
	classes = draft->classes;
	shown = classes->first[classes->nclasses];
	is_shown = new_zeros(bool, frame->nrows);
	for (uint64 i = 0; i < shown; i++)
		is_shown[classes->rows[i]] = true;
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		if (!is_asked(frame, row) || is_shown[row])
			continue;
		draft->suppressed++;
		draft->exhausted += is_exhausted(ratios, row);
	}
	pfree(is_shown);
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	return draft;
}

const Method global_method = {
	.declaration = {
		.name = "global",
		.params = global_params,
		.several_rows = true,
		.classes = true,
		.past = PAST_PATHS,
		.tables = global_tables,
		.contradiction = contradiction,
		.needs = needs,
	},
	.draft = global_draft,
};
