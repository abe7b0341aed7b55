/*
 * sequential_sql.c
 *		Method sequential in SQL: what audit() says of its releases, and what an import breaks.
 *
 * NOTES
 *		What is required is what releases were made with: k may have been raised since, for the next one.
 */
#include "method/sequential/sql/sequential_sql.h"

#include <math.h>

#include "check/checks.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "release/release.h"

typedef struct Judging
{
	const DeclaredPublication *publication;
	int32		last;			/* release */
	const int64 *params;
	Published  *published;
} Judging;

static void
judge_all(void *what)
{
	Judging    *judging = what;

	judging->published = judge_published(judging->publication, judging->last, judging->params);
}

/* Says of a judgement what audit() shows as measured. */
static char *
words_of(const Published *published)
{
	StringInfoData words;

	initStringInfo(&words);
	if (isinf(published->least))
		appendStringInfo(&words, "nobody of %u is linked to anything", published->people);
	else
		appendStringInfo(&words, "%.6g at the least; of %u people %u less than promised",
						 published->least, published->people, published->exposed);
	if (published->unknown > 0)
		appendStringInfo(&words, "; %u could not be judged", published->unknown);
	return words.data;
}

/* Judges the releases up to this one by its parameters. */
static void
check_up_to(Audit *audit, const Released *last)
{
	Judging		judging = {.publication = audit->publication, .last = last->number, .params = param_values(method_declaration(audit->publication->method), last->params)};
	char	   *required = sequential_promise(judging.params);
	ErrorData  *error = look_in_subtransaction(judge_all, &judging);
	Check	   *check;

	if (last->number < audit->publication->releases)
		required = psprintf("%s, up to release %d", required, last->number);
	if (error != NULL && is_transient(error->sqlerrcode))
		ReThrowError(error);
	if (error != NULL)
	{
		add_failed_check(audit, "joined", required, error->message);
		return;
	}
	check = add_check(audit, "joined", required, words_of(judging.published), judging.published->exposed == 0, NULL);
	if (judging.published->exposed == 0 && judging.published->unknown > 0)
		check->verdict = CHECK_OPEN;
	check->measured_value = judging.published->least;
	check->failing_people = judging.published->exposed;
}

/*
 * Checks all releases, and those up to each release after which a weaker one came: it hides nothing.  Imports that
 * were less than was promised stay so, whatever is still known of their people.
 */
static void
check_sequence(Audit *audit)
{
	const MethodDeclaration *method = method_declaration(audit->publication->method);
	int32		nreleases = audit->publication->releases;
	CatalogAccess access;
	StringInfoData people;
	uint64		n;

	for (int32 r = 0; r < nreleases; r++)
		if (r == nreleases - 1 || weakened_parameter(method, audit->released[r].params, audit->released[r + 1].params) != NULL)
			check_up_to(audit, &audit->released[r]);
	initStringInfo(&people);
	catalog_enter(&access);
	n = catalog_read("SELECT number, params ->> 'less_than_promised' AS people FROM pprepub_internal.catalog_release"
					 " WHERE publication = $1 AND params ? 'less_than_promised' ORDER BY number",
					 CATALOG_INT(audit->publication->id));
	for (uint64 i = 0; i < n; i++)
		appendStringInfo(&people, "%s%s with release %d", i > 0 ? ", " : "", catalog_text(&access, i, "people"), (int) catalog_int(i, "number"));
	catalog_leave(&access);
	if (n > 0)
		add_check(audit, "imported", pstrdup("nobody with less than was promised when a release was imported"), people.data, false, NULL);
}

/* A release that cannot be read as it was published now was imported just now: that is an error. */
static void
judge_import(const DeclaredPublication *publication)
{
	const int64 *params = param_values(method_declaration(publication->method), publication->params);
	const Published *published = judge_published(publication, publication->releases, params);

	if (published->exposed > 0)
	{
		CatalogAccess access;

		catalog_enter(&access);
		catalog_execute("UPDATE pprepub_internal.catalog_release SET params = params || pg_catalog.jsonb_build_object('less_than_promised', $3)"
						" WHERE publication = $1 AND number = $2",
						CATALOG_INT(publication->id), CATALOG_INT(publication->releases),
						CATALOG_PARAM(INT8OID, Int64GetDatum((int64) published->exposed)));
		catalog_leave(&access);
	}
	if (published->exposed > 0 || published->unknown > 0)
		warn_of_weak_release(publication, &(OwnerWarning) {
			.detail = psprintf("Joined with all before, it leaves %u of %u people with less than was promised: %s. %u people could not be judged.",
							   published->exposed, published->people, sequential_promise(params), published->unknown),
			.hint = "Published releases stay. pprepub.audit() tells more.",
		});
}

const MethodSql sequential_sql = {
	.draft = draft_in_sequence,
	.check = check_sequence,
	.judge_import = judge_import,
};
