/*
 * promises_distinct.c
 *		Judging and auditing m-distinct releases, and update_risk() over releases
 *		of any method.
 */
#include "postgres.h"

#include "serve/promises_distinct.h"

#include "audit/update/legal.h"
#include "audit/update/risk.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/tables.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/report.h"
#include "history/texts.h"
#include "miscadmin.h"
#include "serve/updates.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_update_risk);

/* By name, since params may come from a release of long ago. */
static int64
param_of(const DeclaredPublication *publication, const char *name)
{
	const MethodDeclaration *method = &find_method(publication->method)->declaration;
	int64	   *values = param_values(method, publication->params);

	for (int i = 0; method->params[i].name != NULL; i++)
		if (strcmp(method->params[i].name, name) == 0)
			return values[i];
	elog(ERROR, "method \"%s\" has no parameter \"%s\"", method->name, name);
}

/* The least m that any release was made with. */
static int64
least_m(const DeclaredPublication *publication)
{
	CatalogAccess access;
	bool		isnull;
	int64		m;

	catalog_enter(&access);
	catalog_read("SELECT coalesce(min((params->>'m')::int8), 1) AS m FROM pprepub.catalog_release WHERE publication = $1",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	m = DatumGetInt64(catalog_field(0, "m", &isnull));
	catalog_leave(&access);
	return m;
}

void
judge_distinct_draft(const DeclaredPublication *publication, const Frame *frame,
					 const Past *past, const Draft *draft)
{
	judge_distinct(frame, past, draft->classes, param_of(publication, "m"), param_of(publication, "strict") == 1);
}

/* ----------------------------------------------------------------
 * audit()
 * ----------------------------------------------------------------
 */

typedef struct Worst
{
	double		risk;
	int32		release;
	int32		seen_from;
	uint32		candidates;		/* the fewest */
	int32		fewest_in;
} Worst;

static void
note_worst(void *what, const Version *version)
{
	Worst	   *worst = what;

	if (version->risk > worst->risk)
	{
		worst->risk = version->risk;
		worst->release = version->release;
		worst->seen_from = version->seen_from;
	}
	if (version->candidates < worst->candidates)
	{
		worst->candidates = version->candidates;
		worst->fewest_in = version->release;
	}
}

static void
check_risk(Audit *audit, const Updates *updates)
{
	const Recalled *recalled = audit->recalled;
	int64		m = least_m(audit->publication);
	bool		strict = param_of(audit->publication, "strict") == 1;
	Worst		worst = {.candidates = PG_UINT32_MAX};
	uint64		impossible = each_version(&recalled->seen, updates, recalled->people->size, true, note_worst, &worst);

	if (worst.candidates == PG_UINT32_MAX)
		return;					/* nobody was shown by a true row */
	add_check(audit, "candidates", psprintf("at least " INT64_FORMAT " for each version", m),
			  psprintf("%u", worst.candidates), worst.candidates >= (uint64) m,
			  worst.candidates >= (uint64) m ? NULL : psprintf("{\"release\": %d}", worst.fewest_in + 1));
	add_check(audit, "re-publication risk",
			  strict ? psprintf("at most 1/" INT64_FORMAT, m) : pstrdup("less than 1"),
			  psprintf("%.6g", worst.risk),
			  strict && updates->probability == NULL ? worst.risk <= 1.0 / m + 1e-9 : worst.risk < 1 || m <= 1,
			  psprintf("{\"release\": %d, \"seen_from\": %d}", worst.release + 1, worst.seen_from + 1));
	if (impossible > 0)
		add_check(audit, "lives", pstrdup("nobody whose values cannot have been"),
				  psprintf(UINT64_FORMAT, impossible), false, NULL);
}

void
check_distinct(Audit *audit)
{
	Oid			table = copied_table(audit->publication, "updates");
	int64		m = least_m(audit->publication);
	Updates    *updates;
	Legality	legality;

	if (!OidIsValid(table))
	{
		add_check(audit, "updates", pstrdup("the table of declared updates"), pstrdup("it is gone"), false, NULL);
		return;
	}
	updates = updates_in_log(audit->publication, table, audit->recalled);
	legality = judge_seen(&audit->recalled->seen, updates, m, param_of(audit->publication, "m"));
	add_check(audit, "m-unique",
			  psprintf(UINT64_FORMAT " classes of at least " INT64_FORMAT " rows, all different", legality.classes, m),
			  psprintf(UINT64_FORMAT " of them not", legality.not_unique), legality.not_unique == 0,
			  legality.not_unique == 0 ? NULL :
			  psprintf("{\"release\": %d, \"class\": " INT64_FORMAT "}", legality.not_unique_in, legality.not_unique_class));
	add_check(audit, "legal updates",
			  psprintf(UINT64_FORMAT " steps to a legal update instance", legality.steps),
			  psprintf(UINT64_FORMAT " of them not", legality.illegal), legality.illegal == 0,
			  legality.illegal == 0 ? NULL :
			  psprintf("{\"release\": %d, \"class\": " INT64_FORMAT "}", legality.illegal_in, legality.illegal_class));
	check_risk(audit, updates);
}

/* ----------------------------------------------------------------
 * update_risk()
 * ----------------------------------------------------------------
 */

typedef struct Reporting
{
	ReturnSetInfo *result;
	const Recalled *recalled;
	TextCast   *cast;
	MemoryContext row;
} Reporting;

static void
put_version(void *what, const Version *version)
{
	Reporting  *reporting = what;
	MemoryContext old;
	Datum		values[4];
	bool		nulls[4] = {false};

	MemoryContextReset(reporting->row);
	old = MemoryContextSwitchTo(reporting->row);
	values[0] = text_cast(reporting->cast, reporting->recalled->people->keys[version->thread], &nulls[0]);
	values[1] = Int32GetDatum(version->release + 1);
	values[2] = Int32GetDatum((int32) version->candidates);
	values[3] = Float8GetDatum(version->risk);
	tuplestore_putvalues(reporting->result->setResult, reporting->result->setDesc, values, nulls);
	MemoryContextSwitchTo(old);
}

/* The table that the caller names, or the publication's own. */
static Oid
table_of_updates(const DeclaredPublication *publication, FunctionCallInfo fcinfo)
{
	Oid			table = PG_ARGISNULL(1) ? copied_table(publication, "updates") : PG_GETARG_OID(1);

	if (!OidIsValid(table))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("publication \"%s\" has no declared updates", publication->name),
				 errhint("Name a table with the columns from_value, to_value and, optionally, probability: pprepub.update_risk(%s, updates => '...').",
						 quote_literal_cstr(publication->name))));
	return table;
}

Datum
pprepub_update_risk(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, AccessShareLock);
	Oid			table = table_of_updates(publication, fcinfo);
	MemoryContext context;
	MemoryContext old;
	Identity	caller;
	Reporting	reporting;
	Updates    *updates;
	uint64		impossible;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	publication->releases = releases_seen(publication);
	if (publication->releases == 0)
		return (Datum) 0;
	context = AllocSetContextCreate(CurrentMemoryContext, "update risk", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	act_as(&caller, publication->owner);
	reporting.result = (ReturnSetInfo *) fcinfo->resultinfo;
	reporting.recalled = recall(publication);
	reporting.cast = text_cast_create(publication_column(publication, ROLE_KEY));
	reporting.row = AllocSetContextCreate(context, "row", ALLOCSET_SMALL_SIZES);
	updates = PG_ARGISNULL(1) ? updates_in_log(publication, table, unconstify(Recalled *, reporting.recalled))
		: updates_named(publication, table, unconstify(Recalled *, reporting.recalled));
	impossible = each_version(&reporting.recalled->seen, updates, reporting.recalled->people->size, false, put_version, &reporting);
	act_as_before(&caller);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	if (impossible > 0)
		ereport(WARNING,
				(errmsg(UINT64_FORMAT " people of publication \"%s\" have values that cannot have been", impossible, name),
				 errdetail("By the updates, theirs of one release cannot have become those of the next; their versions are told apart, each by its own class.")));
	return (Datum) 0;
}
