/*
 * declared.c
 *		What declarations and settings mean for releases.
 */
#include "postgres.h"

#include "release/release.h"

#include "audit/smallest.h"
#include "declare/catalog.h"
#include "declare/gate.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "frame/arrays.h"
#include "frame/load.h"
#include "history/recall.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_possible_parameters);

/* ----------------------------------------------------------------
 * What a declaration means for releases: tables that parameters name, the
 * source, and the people who were published.
 *
 * The source is read once, its key and its sensitive column alone, in the way
 * that a release reads it: so keys and values are equal here if they are there.
 * Writes of the source's own code are undone.
 *
 * Sets that observers can tell apart only become smaller.  People in one that
 * new parameters do not allow are lost to all releases to come: their owner is
 * asked before it is so.
 * ----------------------------------------------------------------
 */

/* Checks a new copy of a table that a parameter names, or has the method do so. */
static void
check_table(const DeclaredPublication *publication, const char *param,
			Oid old_copy, Oid new_copy, bool accept_weakening)
{
	const MethodSql *sql = find_method_sql(publication->method);

	if (strcmp(param, DISTRIBUTION_NAME) == 0)
		check_distribution(publication, old_copy, new_copy, accept_weakening);
	if (sql->check_table != NULL)
		sql->check_table(publication, param, old_copy, new_copy, accept_weakening);
}

typedef struct Look
{
	const DeclaredPublication *publication;
	uint64		rows;
	uint64		nulls;			/* of them, without a sensitive value */
	uint64		values;			/* that differ */
} Look;

/* Reads the source, and counts; called by look_in_subtransaction(). */
static void
count_source(void *what)
{
	Look	   *look = what;
	const DeclaredPublication *publication = look->publication;
	const MethodSql *sql = find_method_sql(publication->method);
	OwnersWork	work;
	FrameLoad  *load;
	Frame		frame;
	Code	   *code;

	work_begin(&work, publication->owner, GetTransactionSnapshot());
	load = load_rows(publication, NULL, new_zeros(bool, publication->ncolumns), false, work.context);
	/* Values that others can become count, too. */
	if (sql->read_updates != NULL)
		(void) sql->read_updates(publication, load);
	frame = load_peek(load, &code);
	look->rows = frame.nrows;
	look->values = count_sensitive_values(&frame);
	look->nulls = count_without_value(&frame);
	work_close(&work);
}

/* Warns that the source has fewer rows or values than the publication's parameters need. */
static void
warn_of_too_few(const DeclaredPublication *publication, const char *what, uint64 n, int64 needed, const char *weaker)
{
	if (n >= (uint64) needed)
		return;
	warn_owner(publication, &(OwnerWarning) {
		.message = psprintf("publication \"%s\" has too few %s", publication->name, what),
		.detail = psprintf("It has " UINT64_FORMAT ", and its parameters need at least " INT64_FORMAT ".", n, needed),
		.hint = psprintf("Publish when there are more, or declare %s.", weaker),
	});
}

/*
 * A WARNING if there are rows, but fewer than the parameters need, or fewer different
 * sensitive values; or if the source cannot be read, as it may be later.  Where
 * parameters changed, it is about what the new ones need more.  An error if a key is
 * declared that is NULL or repeated.
 */
static void
look_at_source(const DeclaredPublication *publication, Jsonb *before)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	SourceNeeds needs = method->needs(param_values(method, publication->params));
	SourceNeeds former = {0};
	Look		look = {0};
	ErrorData  *error;
	int			category;

	verify_distance(publication);
	if (before != NULL)
		former = method->needs(param_values(method, before));
	if (before != NULL && needs.rows <= former.rows && needs.values <= former.values)
		return;
	look.publication = publication_open_number(publication->id, AccessShareLock);
	error = look_in_subtransaction(count_source, &look);
	if (error != NULL)
	{
		/* An interrupt is an error, and so is a column declared as the key that is none. */
		category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
		if (category == ERRCODE_OPERATOR_INTERVENTION || (category == ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION && before == NULL))
			ReThrowError(error);
		/* The error tells of the source, so it is kept out of the server's log. */
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("the source of publication \"%s\" cannot be read", publication->name),
			.detail = error->message,
			.log_detail = "The error is shown to the owner only.",
			.hint = "Publishing fails until it can be read.",
		});
		return;
	}
	if (look.rows == 0)
		return;					/* it may be filled later */
	if (needs.rows > former.rows)
		warn_of_too_few(publication, "rows", look.rows, needs.rows, needs.for_fewer_rows);
	if (needs.values > former.values)
		warn_of_too_few(publication, "different sensitive values",
						look.values + (needs.nulls_count ? look.nulls : 0), needs.values, needs.for_fewer_values);
}

/* A sentence on the people whom a principle shuts out for ever. */
static const char *
why_lost(const Principle *principle)
{
	return principle->nterms == 0
		? "Earlier releases and answers tell them apart from others in sets that are too small now, or have too few sensitive values, and sets never grow."
		: "Earlier releases and answers tell them apart from others in sets that are too small now, or have sensitive values that tell too much, and sets never grow.";
}

/* A WARNING when stronger parameters shut people out for ever, with their number; an error if that is not accepted. */
static void
judge_parameters(const DeclaredPublication *publication, Jsonb *params, bool accept_lockout)
{
	Principle	before = principle_under(publication->method, publication->params);
	Principle	after = principle_under(publication->method, params);
	const MethodSql *sql = find_method_sql(publication->method);
	uint64		lost;
	OwnersWork	work;
	Recalled   *recalled;
	Principle	bound;

	if (sql->strengthen != NULL)
		sql->strengthen(publication, params);
	if (principle_implies(&before, &after) &&
		!has_other_bands(method_declaration(publication->method), publication->params, params))
		return;
	/* Counts them: people in an atom that it refuses with the values of some release that it was in. */
	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall_in_parts(publication);
	bound = principle_bound(&after, recalled->seen.nvalues, aspects_of_recalled(publication, recalled));
	lost = count_refused(&recalled->seen, atoms_of(&recalled->seen), &bound);
	recalled_close(recalled);
	work_close(&work);
	if (lost > 0 && !accept_lockout)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("with these parameters " UINT64_FORMAT " people of publication \"%s\" could never be published again",
						lost, publication->name),
				 errdetail("%s", why_lost(&after)),
				 errhint("If that is what you want, say so: add \"accept_lockout\": true to the parameters.")));
	if (lost > 0)
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("with these parameters " UINT64_FORMAT " people of publication \"%s\" can never be published again",
								lost, publication->name),
			.detail = why_lost(&after),
			.hint = "To keep them, set the former parameters again, with \"accept_weakening\": true.",
		});
}

/* ---- possible_parameters() ---- */

#define MOST_STRONGER 20

/* Stronger and stronger values of a parameter, its own first; returns how many there are. */
static int
stronger_values(const ParamSpec *spec, int64 value, int64 *values)
{
	int64		scale = spec->type == PARAM_DECIMAL ? PARAM_SCALE : 1;
	int64		step = spec->strength == STRENGTH_MORE ? Max(value / 10, 1) : Min(value / -20, -1);
	int			n = 0;

	while (n <= MOST_STRONGER && value >= spec->least * scale && value <= spec->most * scale)
	{
		values[n++] = value;
		value += step;
	}
	return n;
}

/* A row for each number of people who are lost, with the strongest of the values that lose so many. */
static void
put_possible(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Method *method = find_method(publication->method);
	int64	   *params = param_values(&method->declaration, publication->params);
	Recalled   *recalled = recall_in_parts(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	const Aspects *aspects = aspects_of_recalled(publication, recalled);

	for (int p = 0; method->principle != NULL && method->declaration.params[p].name != NULL; p++)
	{
		const ParamSpec *spec = &method->declaration.params[p];
		int64		declared = params[p];
		int64		values[MOST_STRONGER + 1];
		uint64		lost[MOST_STRONGER + 1];
		Principle	principles[MOST_STRONGER + 1];
		int			n;

		if (declared == PARAM_ABSENT || (spec->strength != STRENGTH_MORE && spec->strength != STRENGTH_LESS) ||
			(spec->type != PARAM_INTEGER && spec->type != PARAM_DECIMAL))
			continue;
		n = stronger_values(spec, declared, values);
		for (int i = 0; i < n; i++)
		{
			Principle	principle;

			params[p] = values[i];
			principle = method->principle(params);
			principles[i] = principle_bound(&principle, recalled->seen.nvalues, aspects);
		}
		params[p] = declared;
		count_refused_by(&recalled->seen, atoms, n, principles, lost);
		for (int i = 0; i < n; i++)
			if (i == n - 1 || lost[i + 1] > lost[i])
			{
				Datum		value = spec->type == PARAM_DECIMAL
					? DirectFunctionCall1(numeric_trim_scale, NumericGetDatum(int64_div_fast_to_numeric(values[i], 6)))
					: NumericGetDatum(int64_to_numeric(values[i]));

				report_row(work, (Datum[]) {CStringGetTextDatum(spec->name), value, Int64GetDatum(lost[i])}, (bool[]) {false, false, false});
			}
	}
	recalled_close(recalled);
}

Datum
pprepub_possible_parameters(PG_FUNCTION_ARGS)
{
	PASS_TO_SHARDS(SHARDED_WHOLE);
	return report(fcinfo, put_possible);
}

const DeclareHooks release_hooks = {
	.look_at_source = look_at_source,
	.judge_parameters = judge_parameters,
	.check_table = check_table,
	.show_columns = show_columns,
	.end_publication = unschedule_dropped,
};

const MethodSql *
find_method_sql(const char *name)
{
	static const MethodSql none;
	static const MethodSql *const halves[] = {
#define METHOD(name) &none,
#define METHOD_WITH_SQL(name) &name##_sql,
#include "method/list.h"
	};

	for (int i = 0; methods[i] != NULL; i++)
		if (strcmp(methods[i]->declaration.name, name) == 0)
			return halves[i];
	elog(ERROR, "there is no method \"%s\"", name);
}

double		fmj_budget = 1e8;
double		search_budget = 1e8;

/* Integers would not do: a search of a minute takes more steps than they hold. */
void
define_search_budgets(void)
{
	DefineCustomRealVariable("pprepub.fmj_budget",
							 "Sets how many steps linkability() may search for a full match join of more than two releases.",
							 "A search that needs more steps ends with an error.",
							 &fmj_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("pprepub.search_budget",
							 "Sets how many steps the exact searches of one call may take.",
							 "It applies to compromise(), risk_after_updates(), linkability() and report().",
							 &search_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
}
