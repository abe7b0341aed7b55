/*
 * audit.c
 *		audit() and assert_safe(): everything that can be checked of what is out.
 *
 * NOTES
 *		Figures of the log, the fold and the tables must be of one moment, so all
 *		are read under the caller's snapshot, and nobody who publishes waits.
 */
#include "postgres.h"

#include <math.h>

#include "audit/places_judge.h"
#include "catalog/pg_type.h"
#include "check/checks.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/shard.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/past_tables.h"
#include "history/rebuild.h"
#include "method/method.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_audit);
PG_FUNCTION_INFO_V1(pprepub_assert_safe);

Check *
add_check(Audit *audit, const char *name, char *required, char *measured, bool holds, char *worst)
{
	Check	   *check = palloc(sizeof(Check));

	*check = (Check) {
		name, required, measured, holds ? CHECK_HOLDS : CHECK_FAILS, worst,
		.required_value = get_float8_nan(), .measured_value = get_float8_nan(), .failing_classes = -1, .failing_people = -1
	};
	audit->checks = lappend(audit->checks, check);
	return check;
}

void
add_failed_check(Audit *audit, const char *name, char *required, const char *message)
{
	add_check(audit, name, required, pstrdup(audit->is_auditors ? "an error, which is shown to the owner" : message), false, NULL);
}

void
add_open_check(Audit *audit, const char *name, char *required, char *measured, double value)
{
	Check	   *check = add_check(audit, name, required, measured, false, NULL);

	check->verdict = CHECK_OPEN;
	check->measured_value = value;
}

void
set_values(Check *check, double required, double measured)
{
	check->required_value = required;
	check->measured_value = measured;
}

/* ----------------------------------------------------------------
 * The history
 * ----------------------------------------------------------------
 */

static bool
stands_as_made(const DeclaredPublication *publication, PastTable table)
{
	return OidIsValid(past_table(publication, table)) && past_table_has_columns(publication, table);
}

/* Are groups and places, or people, what the log tells?  Nothing of a table with other columns is looked at. */
static void
check_fold(Audit *audit)
{
	const DeclaredPublication *publication = audit->publication;
	bool		has_places = keeps_past(publication, PAST_PLACES);
	int64		items = has_places ? audit->recalled->seen.ngroups : audit->recalled->people->size;
	PastComparison comparison = {.items = items, .wrong = items};

	if (has_places ? stands_as_made(publication, GROUPS_TABLE) && stands_as_made(publication, PLACES_TABLE) : stands_as_made(publication, PEOPLE_TABLE))
		comparison = fold_compare(publication);
	set_values(add_check(audit, has_places ? "invariant" : "people",
						 psprintf(INT64_FORMAT " %s, as the log tells", comparison.items, has_places ? "groups" : "people"),
						 psprintf(INT64_FORMAT ", " INT64_FORMAT " of them not", comparison.items, comparison.wrong), comparison.wrong == 0,
						 comparison.first_wrong == 0 ? NULL :
						 psprintf("{\"%s\": " INT64_FORMAT "}", has_places ? "group" : "release", comparison.first_wrong)),
			   comparison.items, comparison.items - comparison.wrong);
}

/* Is the log as long as the catalog remembers? */
static void
check_remembered(Audit *audit)
{
	uint64		individuals = audit->recalled->seen.nindividuals;
	uint64		remembered = audit->publication->remembered;

	set_values(add_check(audit, "remembered",
						 psprintf(UINT64_FORMAT " %s", remembered, audit->recalled->seen.group_of == NULL ? "people and invented rows" : "places"),
						 psprintf(UINT64_FORMAT, individuals), individuals == remembered, NULL),
			   remembered, individuals);
}

/* ----------------------------------------------------------------
 * Releases
 * ----------------------------------------------------------------
 */

typedef struct Present
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	const bool *shown;
	LoadedFrame *loaded;
	RowId	   *row_of_person;
} Present;

static void
read_present(void *what)
{
	Present    *present = what;
	FrameLoad  *load = load_rows(present->publication, NULL, present->shown, false, CurrentMemoryContext);

	present->row_of_person = find_people(present->recalled, load_keys(load));
	present->loaded = load_finish(load);
}

/* The source now, and where people are in it, or NULL where it cannot be read as a frame; then *why is set. */
static LoadedFrame *
load_present(const Audit *audit, const bool *shown, RowId **row_of_person, char **why)
{
	Present		present = {.publication = audit->publication, .recalled = audit->recalled, .shown = shown};
	ErrorData  *error = look_in_subtransaction(read_present, &present);

	*row_of_person = present.row_of_person;
	if (error == NULL)
		return present.loaded;
	if (is_transient(error->sqlerrcode))
		ReThrowError(error);
	*why = error->message;
	return NULL;
}

static bool
same_columns(const Audit *audit, int32 a, int32 b)
{
	return memcmp(audit->released[a].shown, audit->released[b].shown, sizeof(bool) * audit->publication->ncolumns) == 0;
}

/* Inspects all releases that show the same columns as this one, of which it is the first, with the source as they see it. */
static void
inspect_alike(const Audit *audit, const Answers *answers, int32 first, bool *is_inspected, Inspection *inspections, uint64 *read, char **unreadable)
{
	const DeclaredPublication *publication = audit->publication;
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "the source", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	char	   *why = NULL;
	bool		is_last = true;
	LoadedFrame *present;
	RowId	   *row_of_person;

	for (int32 r = first + 1; r < publication->releases; r++)
		is_last &= is_inspected[r] || same_columns(audit, first, r);
	seen_put_aside(&audit->recalled->seen);
	keys_forget_index(audit->recalled->people);
	present = load_present(audit, audit->released[first].shown, &row_of_person, &why);
	if (is_last)
		recalled_forget_people(audit->recalled);
	progress_phase("check releases", logged_rows(&audit->recalled->seen));
	MemoryContextSwitchTo(old);
	if (why != NULL && *unreadable == NULL)
		*unreadable = pstrdup(why); /* work goes */
	for (int32 r = first; r < publication->releases; r++)
	{
		const SeenRelease *seen = &audit->recalled->seen.release[r];

		if (is_inspected[r] || !same_columns(audit, first, r))
			continue;
		is_inspected[r] = true;
		if (audit->released[r].is_forgotten)
			continue;
		progress_done(*read);
		inspections[r] = inspect_release(publication, &audit->released[r], audit->recalled, answers, present, row_of_person);
		*read += seen->first[seen->nclasses];
	}
	MemoryContextDelete(work);
}

/* Reads all release tables, those that show the same columns beside one frame of the source: [releases]. */
static Inspection *
inspect_releases(const Audit *audit, char **unreadable)
{
	const DeclaredPublication *publication = audit->publication;
	const Answers *answers = answers_read(publication, audit->released);
	bool	   *is_inspected = palloc0(sizeof(bool) * publication->releases);
	Inspection *inspections = palloc0(sizeof(Inspection) * publication->releases);
	uint64		read = 0;

	*unreadable = NULL;
	for (int32 r = 0; r < publication->releases; r++)
		if (!is_inspected[r])
			inspect_alike(audit, answers, r, is_inspected, inspections, &read, unreadable);
	return inspections;
}

/* The place of a finding as JSON. */
static char *
worst_release(int32 number, int64 class, const char *column)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"release\": %d", number);
	if (class != 0)
		appendStringInfo(&json, ", \"class\": " INT64_FORMAT, class);
	if (column != NULL)
	{
		appendStringInfoString(&json, ", \"column\": ");
		escape_json(&json, column);
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

/* Have all classes kept to the rules of places, by which a permutation of the people in a group changes nothing that is seen? */
static void
check_places(Audit *audit)
{
	const Seen *seen = &audit->recalled->seen;
	Principle  *principle = palloc(sizeof(Principle) * audit->publication->releases);
	bool	   *is_true = palloc(sizeof(bool) * audit->publication->releases);
	const char *ties = param_string(audit->publication->params, "ties");
	PlacesVerdict verdict;

	for (int32 r = 0; r < audit->publication->releases; r++)
	{
		principle[r] = audit->released[r].principle;
		is_true[r] = !audit->released[r].is_imported && shows_true_rows(audit->publication->method, audit->released[r].params);
	}
	verdict = places_judge(seen, audit->aspects, principle, is_true,
						   ties != NULL && strcmp(ties, "alone") == 0, (uint64) search_budget);
	set_values(add_check(audit, "places", pstrdup("each class keeps the rules of places"),
						 verdict.holds ? pstrdup("all do")
						 : psprintf(UINT64_FORMAT " class(es) do not; of the first: %s", verdict.violations, verdict.fault), verdict.holds,
						 verdict.holds ? NULL : worst_release(verdict.release + 1, seen->release[verdict.release].number[verdict.class], NULL)),
			   0, verdict.violations);
}

/* Of releases that were imported without a key, nothing is judged but their tables. */
static void
check_identified(Audit *audit)
{
	int32		n = audit->publication->releases;
	int32		identified = 0;
	int32		first = 0;

	for (int32 r = n - 1; r >= 0; r--)
	{
		identified += audit->released[r].is_identified;
		if (!audit->released[r].is_identified)
			first = r + 1;
	}
	if (identified < n)
		set_values(add_check(audit, "identified", psprintf("%d release(s) of which the log says whose their rows are", n),
							 psprintf("%d", identified), false, worst_release(first, 0, NULL)),
				   n, identified);
}

/* Are ends where steps end?  How many of the others are one person's value is told, and nothing is required of it. */
static void
check_ends(Audit *audit, const Inspection *inspections)
{
	uint64		ends = 0;
	uint64		lone = 0;
	uint64		loose = 0;		/* of releases that were not imported */
	char	   *worst_lone = NULL;
	char	   *worst_loose = NULL;

	for (int32 r = 0; r < audit->publication->releases; r++)
	{
		const Inspection *inspection = &inspections[r];
		uint64		loose_ends = audit->released[r].is_imported ? 0 : inspection->loose_ends;

		if (inspection->lone_ends > 0 && lone == 0)
			worst_lone = worst_release(r + 1, 0, inspection->lone_column);
		if (loose_ends > 0 && loose == 0)
			worst_loose = worst_release(r + 1, 0, inspection->loose_column);
		ends += inspection->ends;
		lone += inspection->lone_ends;
		loose += loose_ends;
	}
	if (ends > 0)
		set_values(add_check(audit, "ends", psprintf(UINT64_FORMAT " ends of ranges, at steps where their columns have them", ends),
							 psprintf(UINT64_FORMAT " not at steps, " UINT64_FORMAT " the value of one person of a class alone", loose, lone),
							 loose == 0, loose > 0 ? worst_loose : worst_lone),
				   ends, ends - loose);
}

/* Are release tables what was published, and do they cover the source? */
static void
check_releases(Audit *audit)
{
	char	   *unreadable;
	const Inspection *inspections = inspect_releases(audit, &unreadable);
	int32		n = 0;			/* with tables, or answers */
	int32		identified = 0;
	int32		intact = 0;
	int32		logged = 0;
	uint64		rows = 0;
	uint64		unchanged = 0;
	uint64		covered = 0;
	char	   *not_intact = NULL;
	char	   *not_logged = NULL;
	char	   *uncovered = NULL;

	for (int32 r = 0; r < audit->publication->releases; r++)
	{
		const Inspection *inspection = &inspections[r];
		bool		is_intact = inspection->exists && inspection->is_intact;
		bool		is_logged = inspection->exists && inspection->is_logged;
		bool		is_identified = audit->released[r].is_identified;

		if (audit->released[r].is_forgotten)
			continue;
		n++;
		identified += is_identified;
		intact += is_intact;
		logged += is_logged && is_identified;
		rows += is_identified ? inspection->rows : 0;
		unchanged += inspection->unchanged;
		covered += inspection->covered;
		if (!is_intact && not_intact == NULL)
			not_intact = worst_release(r + 1, 0, NULL);
		if (!is_logged && not_logged == NULL)
			not_logged = worst_release(r + 1, inspection->unlogged_class, NULL);
		if (inspection->uncovered_class != 0 && uncovered == NULL)
			uncovered = worst_release(r + 1, inspection->uncovered_class, inspection->uncovered_column);
	}
	set_values(add_check(audit, "checksums", psprintf("%d release(s) with the rows that they were published with", n),
						 psprintf("%d", intact), intact == n, not_intact),
			   n, intact);
	set_values(add_check(audit, "rows", psprintf("%d release(s), class by class, with the people and values of the log", identified),
						 psprintf("%d, " UINT64_FORMAT " rows in all", logged, rows), logged == identified, not_logged),
			   identified, logged);
	if (unreadable != NULL)
		add_failed_check(audit, "covers", pstrdup("the source can be read"), unreadable);
	else
		set_values(add_check(audit, "covers",
							 psprintf(UINT64_FORMAT " rows of people whose quasi-identifiers are what they were, in their cells", unchanged),
							 psprintf(UINT64_FORMAT, covered), covered == unchanged, uncovered),
				   unchanged, covered);
	check_ends(audit, inspections);
}

/* Puts the checks with a verdict as rows. */
static void
put_checks(const OwnersWork *work, const Audit *audit, CheckVerdict verdict)
{
	ListCell   *cell;

	foreach(cell, audit->checks)
	{
		const Check *check = lfirst(cell);
		Datum		values[] = {
			CStringGetTextDatum(check->name),
			CStringGetTextDatum(check->required),
			CStringGetTextDatum(check->measured),
			BoolGetDatum(check->verdict == CHECK_HOLDS),
			check->worst == NULL ? (Datum) 0 : DirectFunctionCall1(jsonb_in, CStringGetDatum(check->worst)),
			Float8GetDatum(check->required_value),
			Float8GetDatum(check->measured_value),
			Int64GetDatum(check->failing_classes),
			Int64GetDatum(check->failing_people),
		};
		bool		nulls[lengthof(values)] = {
			[3] = check->verdict == CHECK_OPEN,
			[4] = check->worst == NULL,
			[5] = isnan(check->required_value),
			[6] = isnan(check->measured_value),
			[7] = check->failing_classes < 0,
			[8] = check->failing_people < 0,
		};

		if (check->verdict == verdict)
			report_row(work, values, nulls);
	}
}

/* Are the same people published by others, which nothing here looks at? */
static void
check_beside(Audit *audit)
{
	CatalogAccess access;
	char	   *names;
	int32		n;

	catalog_enter(&access);
	catalog_read("SELECT string_agg(name, ', ' ORDER BY name) AS names, count(*)::int AS n FROM pprepub_internal.catalog_publication"
				 " WHERE $1 = ANY (beside) OR publication = ANY ((SELECT beside FROM pprepub_internal.catalog_publication WHERE publication = $1)::int[])",
				 CATALOG_INT(audit->publication->id));
	names = catalog_text(&access, 0, "names");
	n = catalog_int(0, "n");
	catalog_leave(&access);
	if (n > 0)
		add_open_check(audit, "beside", pstrdup("its owner knows that others are judged apart"),
					   psprintf("people of its source are also published by: %s", names), n);
}

/* Do others read tables of the source that are taken to hold no people? */
static void
check_lookups(Audit *audit)
{
	bool		has_people;
	char	   *tables = shared_lookups(audit->publication, &has_people);
	char	   *required = pstrdup("its owner knows that tables which others read, too, hold no people");

	if (tables != NULL && has_people)
		add_check(audit, "lookup", required, psprintf("people of its source are in a table that others read: %s", tables), false, NULL);
	else if (tables != NULL)
		add_open_check(audit, "lookup", required, psprintf("no keys in those that others read: %s", tables), 0);
}

/* Is nothing read but rows of its shard? */
static void
check_shard(Audit *audit)
{
	char	   *condition = shard_condition(audit->publication);

	if (audit->publication->shard != NULL)
		add_check(audit, "shard", pstrdup("no other rows of the source are read"),
				  condition == NULL ? pstrdup("the pinned view has no condition") : psprintf("those where %s", condition), condition != NULL, NULL);
}

/* Are all tables that are gone without a trace those that the owner had forgotten?  How many people were is told, too. */
static void
check_forgotten(Audit *audit)
{
	CatalogAccess access;
	int32		gone;
	int32		noted;
	int64		people;

	catalog_enter(&access);
	catalog_look("SELECT (SELECT count(*) FROM pprepub_internal.catalog_release WHERE publication = $1 AND kind <> 'query' AND relation IS NULL)::int AS gone,"
				 " (SELECT count(DISTINCT r) FROM pprepub_internal.catalog_erasure e, unnest(e.releases) r WHERE e.publication = $1)::int AS noted,"
				 " (SELECT coalesce(sum(e.people), 0) FROM pprepub_internal.catalog_erasure e WHERE e.publication = $1)::bigint AS people",
				 CATALOG_INT(audit->publication->id));
	gone = catalog_int(0, "gone");
	noted = catalog_int(0, "noted");
	people = catalog_int(0, "people");
	catalog_leave(&access);
	if (gone + noted + people > 0)
		set_values(add_check(audit, "forgotten", psprintf("%d release(s) without a table, which its owner had forgotten", noted),
							 psprintf("%d, and " INT64_FORMAT " people whose keys are gone", gone, people), gone == noted, NULL),
				   noted, gone);
}

/* Did noisy counts cost no more than was promised? */
static void
check_noise(Audit *audit)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_look("SELECT trim_scale(total / 1e9)::text AS total, trim_scale(c.cost / 1e9)::text AS spent, c.cost <= total AND c.cost = spent AS holds"
				 " FROM pprepub_internal.noise_account($1, NULL), (SELECT coalesce(sum(cost), 0) AS cost FROM pprepub_internal.catalog_noise WHERE publication = $1) c"
				 " WHERE total IS NOT NULL", CATALOG_INT(audit->publication->id));
	if (SPI_processed > 0)
	{
		char	   *total = catalog_text(&access, 0, "total");
		char	   *spent = catalog_text(&access, 0, "spent");
		bool		holds = catalog_int(0, "holds") > 0;

		catalog_leave(&access);
		set_values(add_check(audit, "noise", psprintf("noisy counts cost %s at most", total), psprintf("they have cost %s", spent), holds, NULL),
				   strtod(total, NULL), strtod(spent, NULL));
		return;
	}
	catalog_leave(&access);
}

/* Checks all that is not a question of the principle. */
static void
check_the_rest(Audit *audit)
{
	const DeclaredPublication *publication = audit->publication;
	const MethodSql *sql = find_method_sql(publication->method);

	progress_phase("compare history", logged_rows(&audit->recalled->seen));
	if (keeps_fold(publication))
		check_fold(audit);
	if (keeps_past(publication, PAST_PLACES))
		check_places(audit);
	progress_phase("check history", NO_TOTAL);
	if (sql->check != NULL)
		sql->check(audit);
	check_remembered(audit);
	check_identified(audit);
	check_releases(audit);
	check_forgotten(audit);
	check_beside(audit);
	check_lookups(audit);
	check_shard(audit);
}

/* All checks; as the owner, under the active snapshot. */
static Audit
audit_all(const OwnersWork *work, const Principle *given)
{
	const DeclaredPublication *publication = work->publication;
	Audit		audit = {.publication = publication, .is_auditors = work->is_auditors, .given = given};

	if (given == NULL)
		check_noise(&audit);
	if (publication->releases == 0)
	{
		add_open_check(&audit, "releases", pstrdup("a release to check"), pstrdup("no release yet"), 0);
		return audit;
	}
	progress_begin("audit", publication->owner, publication->name);
	audit.released = read_released(publication);
	/* Only a method's own checks need all of the history at once. */
	audit.recalled = given != NULL || find_method_sql(publication->method)->check == NULL ? recall_in_parts(publication) : recall(publication);
	audit.atoms = atoms_of(&audit.recalled->seen);
	audit.aspects = aspects_of_recalled(publication, audit.recalled);
	bind_principles(audit.released, &audit.recalled->seen, audit.aspects, given);
	if (given != NULL || find_method(publication->method)->principle != NULL)
	{
		progress_phase("check principles", NO_TOTAL);
		check_principles(&audit);
	}
	if (given != NULL)
		check_identified(&audit);
	else
		check_the_rest(&audit);
	recalled_close(audit.recalled);
	progress_end();
	return audit;
}

/* The rows of audit(). */
static Datum
report_audit(FunctionCallInfo fcinfo)
{
	const Principle *given = principle_argument(fcinfo, 1);
	OwnersWork	work;
	Audit		audit;

	report_open_for_auditor(&work, fcinfo);
	begin_rows(fcinfo);
	work_begin(&work, work.publication->owner, GetActiveSnapshot());
	audit = audit_all(&work, given);
	for (CheckVerdict verdict = CHECK_FAILS; verdict <= CHECK_HOLDS; verdict++)
		put_checks(&work, &audit, verdict);
	work_close(&work);
	return (Datum) 0;
}

Datum
pprepub_audit(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_audit);
}

/* ----------------------------------------------------------------
 * assert_safe()
 * ----------------------------------------------------------------
 */

/* Class PP is nobody else's: letters from I on are free for implementations. */
#define ERRCODE_NOT_SAFE MAKE_SQLSTATE('P', 'P', '0', '0', '1')

/* Raises an error if a check fails. */
static Datum
assert_safe(FunctionCallInfo fcinfo)
{
	const Principle *given = principle_argument(fcinfo, 1);
	MemoryContext context = CurrentMemoryContext;
	OwnersWork	work;
	Audit		audit;
	StringInfoData names;
	char	   *failing;
	ListCell   *cell;

	report_open_for_auditor(&work, fcinfo);
	work_begin(&work, work.publication->owner, GetActiveSnapshot());
	audit = audit_all(&work, given);
	initStringInfo(&names);
	foreach(cell, audit.checks)
	{
		const Check *check = lfirst(cell);

		if (check->verdict == CHECK_FAILS || work.publication->releases == 0)
			appendStringInfo(&names, "%s%s (%s)", names.len > 0 ? ", " : "", check->name, check->measured);
	}
	failing = MemoryContextStrdup(context, names.data);
	work_close(&work);
	if (failing[0] != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_NOT_SAFE),
				 errmsg("what publication \"%s\" has published is not safe", work.publication->name),
				 errdetail("Checks that fail: %s.", failing),
				 errhint("SELECT * FROM pprepub.audit(%s) tells more.", quote_literal_cstr(work.publication->name))));
	return (Datum) 0;
}

Datum
pprepub_assert_safe(PG_FUNCTION_ARGS)
{
	for_auditors(fcinfo, assert_safe);
	PG_RETURN_VOID();
}
