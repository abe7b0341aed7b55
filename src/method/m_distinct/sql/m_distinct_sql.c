/*
 * m_distinct_sql.c
 *		Judging and auditing m-distinct releases, and risk_after_updates() over releases
 *		of any method.
 */
#include "postgres.h"

#include "audit/updates.h"
#include "catalog/pg_type.h"
#include "check/checks.h"
#include "declare/catalog.h"
#include "declare/gate.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "fmgr.h"
#include "history/element.h"
#include "method/m_distinct/sql/updates.h"
#include "release/release.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_risk_after_updates);

static int64
param_of(const DeclaredPublication *publication, const char *name)
{
	return param_named(method_declaration(publication->method), publication->params, name);
}

/* The parameters that releases were published with: [releases]. */
static DistinctPromise *
promises_of(const DeclaredPublication *publication)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	const Released *released = read_released(publication);
	DistinctPromise *promised = palloc(sizeof(DistinctPromise) * ((Size) publication->releases + 1));

	for (int32 r = 0; r < publication->releases; r++)
		promised[r] = (DistinctPromise) {
			.m = param_named(method, released[r].params, "m"),
			.strict = param_is_set(method, released[r].params, "strict")
		};
	return promised;
}

static void
judge_draft(const DeclaredPublication *publication, const Frame *frame,
			const Past *past, const Draft *draft)
{
	judge_distinct(frame, past, draft->classes, param_of(publication, "m"), param_of(publication, "strict") == 1);
}

/* The log as far as observers saw values: a release that withheld them tells nothing of their changes. */
static Seen
seen_with_values(const DeclaredPublication *publication, const Seen *seen)
{
	const Released *released = read_released(publication);
	Seen		shown = *seen;

	shown.release = palloc(sizeof(SeenRelease) * ((Size) seen->nreleases + 1));
	memcpy(shown.release, seen->release, sizeof(SeenRelease) * seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
		if (!released[r].shows_sensitive)
			shown.release[r].nclasses = 0;
	return shown;
}

/* ----------------------------------------------------------------
 * Releases that were made elsewhere
 * ----------------------------------------------------------------
 */

/* A WARNING if the last release makes more classes or people break the promise. */
static void
warn_of_import(const DeclaredPublication *publication, const Seen *seen, const Updates *updates, const uint32 *family)
{
	const DistinctPromise *promised = promises_of(publication);
	Seen		before = *seen;
	Legality	after = judge_seen(seen, updates, promised);
	uint64		mixed = judge_mixed(seen, family, promised).failing;
	Legality	without;

	before.nreleases--;
	without = judge_seen(&before, updates, promised);
	mixed -= judge_mixed(&before, family, promised).failing;
	if (after.not_unique == without.not_unique && after.illegal == without.illegal && mixed == 0)
		return;
	warn_of_weak_release(publication, &(OwnerWarning) {
		.detail = psprintf(UINT64_FORMAT " of its " UINT64_FORMAT " classes have fewer than " INT64_FORMAT " rows, or a value twice. "
						   UINT64_FORMAT " of " UINT64_FORMAT " people who were published before are in classes that theirs cannot have become.%s",
						   after.not_unique - without.not_unique, after.classes - without.classes, param_of(publication, "m"),
						   after.illegal - without.illegal, after.steps - without.steps,
						   mixed == 0 ? "" : psprintf(" " UINT64_FORMAT " people are among values that updates connect, or share classes with people who were among others.", mixed)),
		.hint = "Published releases stay: later ones keep possible the values that still are. pprepub.audit() and pprepub.risk_after_updates() tell more.",
	});
}

/* Checks that the imported release can be followed by others, and warns where it breaks the promise. */
static void
judge_import(const DeclaredPublication *publication)
{
	Recalled   *recalled = recall(publication);
	const SeenRelease *release = &recalled->seen.release[publication->releases - 1];
	uint32	   *family;
	const Updates *updates = updates_in_log(publication, copied_table(publication, "updates"), recalled, &family);

	if (!read_released(publication)[publication->releases - 1].shows_sensitive)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("release %d of publication \"%s\" would have no column \"%s\"", publication->releases,
						publication->name, publication_column(publication, ROLE_SENSITIVE)->name),
				 errdetail("Method \"%s\" follows what values become from one release to the next.", publication->method),
				 errhint("A release without them tells nothing of what they became, and need not be imported.")));
	verify_can_be_followed(publication, psprintf("release %d of publication \"%s\"", publication->releases, publication->name),
						   release->value, release->first[release->nclasses], recalled->values, updates);
	warn_of_import(publication, &recalled->seen, updates, family);
}

/* ----------------------------------------------------------------
 * audit()
 * ----------------------------------------------------------------
 */

/* Each figure with what it is held against: that which comes nearest to failing, or farthest beyond. */
typedef struct Worst
{
	const DistinctPromise *promised;	/* [releases] */
	bool		has_probabilities;	/* no bound of the risk was promised */

	/* The person and moment at hand */
	Individual	individual;
	uint32		nsteps;
	DistinctPromise promise;

	double		risk;			/* -1 before the first */
	double		bound;
	int32		release;
	int32		seen_from;
	bool		is_bound;		/* or the risk need only be less than 1 */
	bool		is_risky;
	uint32		candidates;
	uint32		wanted;			/* 0 before the first */
	int32		fewest_in;
} Worst;

/* The promise of all releases that the person was in so far: the weakest. */
static DistinctPromise
promise_of(Worst *worst, const Version *version)
{
	if (worst->individual == version->individual && worst->nsteps == version->nsteps)
		return worst->promise;
	worst->individual = version->individual;
	worst->nsteps = version->nsteps;
	worst->promise = worst->promised[version->step[0].release];
	for (uint32 i = 1; i < version->nsteps; i++)
	{
		DistinctPromise other = worst->promised[version->step[i].release];

		worst->promise.m = Min(worst->promise.m, other.m);
		worst->promise.strict &= other.strict;
	}
	return worst->promise;
}

/* Keeps the version with the greatest risk, and the one with the fewest candidates, as far as promised. */
static void
note_worst(void *what, const Version *version)
{
	Worst	   *worst = what;
	DistinctPromise promise = promise_of(worst, version);
	bool		is_bound = promise.m <= 1 || (promise.strict && !worst->has_probabilities);
	double		bound = is_bound ? 1.0 / promise.m : 1;
	bool		fails = is_bound ? version->risk > bound + 1e-9 : version->risk >= 1;

	if (worst->risk < 0 || fails > worst->is_risky ||
		(fails == worst->is_risky && version->risk * worst->bound > worst->risk * bound))
	{
		worst->is_risky = fails;
		worst->risk = version->risk;
		worst->bound = bound;
		worst->is_bound = is_bound;
		worst->release = version->release;
		worst->seen_from = version->seen_from;
	}
	if (worst->wanted == 0 || (uint64) version->candidates * worst->wanted < (uint64) worst->candidates * promise.m)
	{
		worst->candidates = version->candidates;
		worst->wanted = promise.m;
		worst->fewest_in = version->release;
	}
}

/* Checks the candidates and the risk of each version of each person. */
static void
check_risk(Audit *audit, const Seen *seen, const Updates *updates, const DistinctPromise *promised)
{
	Worst		worst = {.promised = promised, .has_probabilities = updates->probability != NULL, .individual = NO_INDIVIDUAL, .risk = -1};
	uint64		impossible = each_version(seen, updates, audit->recalled->people->size, true, note_worst, &worst);
	bool		is_enough = worst.candidates >= worst.wanted;

	if (worst.wanted == 0)
		return;					/* no person was shown by a true row */
	set_values(add_check(audit, "candidates", psprintf("at least %u for each version", worst.wanted),
						 psprintf("%u", worst.candidates), is_enough,
						 is_enough ? NULL : psprintf("{\"release\": %d}", worst.fewest_in + 1)),
			   worst.wanted, worst.candidates);
	set_values(add_check(audit, "re-publication risk",
						 worst.is_bound ? psprintf("at most 1/%.0f", 1 / worst.bound) : pstrdup("less than 1"),
						 psprintf("%.6g", worst.risk),
						 !worst.is_risky,
						 psprintf("{\"release\": %d, \"seen_from\": %d}", worst.release + 1, worst.seen_from + 1)),
			   worst.bound, worst.risk);
	if (impossible > 0)
		add_check(audit, "lives", pstrdup("nobody whose values cannot have been"),
				  psprintf(UINT64_FORMAT, impossible), false, NULL)->failing_people = impossible;
}

/* The checks of audit(): classes, updates from one release to the next, and risks. */
static void
check_distinct(Audit *audit)
{
	Oid			table = copied_table(audit->publication, "updates");
	const DistinctPromise *promised = promises_of(audit->publication);
	Seen		seen;
	Updates    *updates;
	uint32	   *family;
	Legality	legality;
	uint32		least = PG_UINT32_MAX;	/* rows that classes must have */
	uint32		most = 0;
	Mixture		mixture;
	bool		any_strict = false;

	if (!OidIsValid(table))
	{
		add_check(audit, "updates", pstrdup("the table of declared updates"), pstrdup("it is gone"), false, NULL);
		return;
	}
	updates = updates_in_log(audit->publication, table, audit->recalled, &family);
	seen = seen_with_values(audit->publication, &audit->recalled->seen);
	legality = judge_seen(&seen, updates, promised);
	for (int32 r = 0; r < seen.nreleases; r++)
	{
		least = Min(least, promised[r].m);
		most = Max(most, promised[r].m);
		any_strict |= promised[r].strict;
	}
	add_check(audit, "m-unique",
			  psprintf(UINT64_FORMAT " classes of at least %s rows, all different", legality.classes, least == most ? psprintf("%u", least) : psprintf("%u to %u", least, most)),
			  psprintf(UINT64_FORMAT " of them not", legality.not_unique), legality.not_unique == 0,
			  legality.not_unique == 0 ? NULL :
			  psprintf("{\"release\": %d, \"class\": " INT64_FORMAT "}", legality.not_unique_in, legality.not_unique_class))->failing_classes =
		legality.not_unique;
	set_values(add_check(audit, "legal updates",
						 psprintf(UINT64_FORMAT " steps to a legal update instance", legality.steps),
						 psprintf(UINT64_FORMAT " of them not", legality.illegal), legality.illegal == 0,
						 legality.illegal == 0 ? NULL :
						 psprintf("{\"release\": %d, \"class\": " INT64_FORMAT "}", legality.illegal_in, legality.illegal_class)),
			   legality.steps, legality.steps - legality.illegal);
	mixture = judge_mixed(&seen, family, promised);
	if (any_strict)
		add_check(audit, "apart", psprintf(UINT64_FORMAT " people, for ever among the same values that updates do not connect", mixture.people),
				  psprintf(UINT64_FORMAT " of them not", mixture.failing), mixture.failing == 0,
				  mixture.failing == 0 ? NULL :
				  psprintf("{\"release\": %d, \"class\": " INT64_FORMAT "}", mixture.in, mixture.class))->failing_people = mixture.failing;
	check_risk(audit, &seen, updates, promised);
}

/* ----------------------------------------------------------------
 * risk_after_updates()
 * ----------------------------------------------------------------
 */

typedef struct Reporting
{
	const OwnersWork *work;
	const Recalled *recalled;
	TextCast   *cast;
	MemoryContext row;
} Reporting;

/* Puts a version of a person as a row. */
static void
put_version(void *what, const Version *version)
{
	Reporting  *reporting = what;
	MemoryContext old;
	Datum		values[4];
	bool		nulls[4] = {false};

	MemoryContextReset(reporting->row);
	old = MemoryContextSwitchTo(reporting->row);
	values[0] = text_cast(reporting->cast, reporting->recalled->people->keys[version->individual], &nulls[0]);
	values[1] = Int32GetDatum(version->release + 1);
	values[2] = Int32GetDatum((int32) version->candidates);
	values[3] = Float8GetDatum(version->risk);
	report_row(reporting->work, values, nulls);
	MemoryContextSwitchTo(old);
}

/* By the table that the caller names, or the publication's own. */
Datum
pprepub_risk_after_updates(PG_FUNCTION_ARGS)
{
	bool		is_declared = PG_ARGISNULL(1);
	OwnersWork	work;
	Oid			table;
	Recalled   *recalled;
	const Updates *updates;
	Seen		seen;
	uint64		impossible;

	PASS_TO_SHARDS(SHARDED_ROWS);
	report_open(&work, fcinfo);
	table = is_declared ? copied_table(work.publication, "updates") : PG_GETARG_OID(1);
	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("publication \"%s\" has no declared updates", work.publication->name),
				 errhint("Name a table with the columns from_value, to_value and, optionally, probability: pprepub.risk_after_updates(%s, updates => '...').",
						 quote_literal_cstr(work.publication->name))));
	if (!report_begin(&work, fcinfo))
		return (Datum) 0;
	recalled = recall(work.publication);
	seen = seen_with_values(work.publication, &recalled->seen);
	updates = is_declared ? updates_in_log(work.publication, table, recalled, NULL) : updates_named(work.publication, table, recalled);
	impossible = each_version(&seen, updates, recalled->people->size, false, put_version, &(Reporting) {
		.work = &work, .recalled = recalled, .cast = text_cast_create(publication_column(work.publication, ROLE_KEY)),
		.row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_SMALL_SIZES)
	});
	work_close(&work);
	if (impossible > 0)
		warn_owner(work.publication, &(OwnerWarning) {
			.message = psprintf(UINT64_FORMAT " people of publication \"%s\" have values that cannot have been", impossible, work.publication->name),
			.detail = "By the updates, theirs of one release cannot have become those of the next; their versions are told apart, each by its own class.",
		});
	return (Datum) 0;
}

const MethodSql m_distinct_sql = {
	.check_table = check_updates_table,
	.read_updates = read_updates,
	.apply_updates = apply_updates,
	.judge = judge_draft,
	.check = check_distinct,
	.judge_import = judge_import,
};
