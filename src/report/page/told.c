/*
 * told.c
 *		Sections of report() that are made of what its caller may ask for in SQL.
 *
 * NOTES
 *		Queries run with the caller's rights, so an auditor's page holds no more than what the auditor's own queries
 *		would tell.  What the page for others leaves out of an owner's figures, it leaves out by itself: cohorts.
 */
#include "report/page/page.h"

#include <math.h>

#include "declare/catalog.h"
#include "declare/target_objects.h"
#include "executor/spi.h"
#include "method/method.h"
#include "release/search_budgets.h"
#include "report/page/chart.h"
#include "shared/progress.h"
#include "utils/builtins.h"

/* Runs a query; its result is valid until the next one. */
static uint64
ask(const char *sql)
{
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read what a report shows");
	return SPI_processed;
}

static char *
cell(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column + 1);
}

static double
number(uint64 row, int column)
{
	char	   *text = cell(row, column);

	return text == NULL ? NAN : strtod(text, NULL);
}

/* Puts the last result as a table. */
static void
put_result(StringInfo page, const char *caption, const char *const *headings, int n)
{
	uint64		rows = SPI_processed;

	html_table_begin(page, caption, headings, n);
	for (uint64 r = 0; r < rows; r++)
	{
		const char **cells = palloc(sizeof(char *) * n);

		for (int i = 0; i < n; i++)
			cells[i] = cell(r, i);
		html_row(page, headings, cells, n, NULL);
	}
	html_table_end(page);
}

static const char *
name_literal(const DeclaredPublication *publication)
{
	return quote_literal_cstr(publication->name);
}

/* Releases of everybody that have tables: an auditor sees no figures of others. */
#define OF_EVERYBODY "kind <> 'query' AND cohort IS NULL AND rows IS NOT NULL"

int32
newest_release(const DeclaredPublication *publication)
{
	ask(psprintf("SELECT max(number) FROM pprepub.release WHERE publication = %s AND " OF_EVERYBODY, name_literal(publication)));
	return isnan(number(0, 0)) ? 0 : (int32) number(0, 0);
}

/* ----------------------------------------------------------------
 * The verdict
 * ----------------------------------------------------------------
 */

/* The verdict in one sentence. */
static void
put_summary(StringInfo page, int failing, int open, int holding)
{
	if (failing > 0)
		appendStringInfo(page, "<p class=\"verdict bad\">Do not sign: %d of %d checks fail.</p>\n", failing, failing + holding);
	else if (holding == 0)
		appendStringInfoString(page, "<p class=\"verdict open\">Nothing was published, so nothing was checked.</p>\n");
	else
		appendStringInfo(page, "<p class=\"verdict good\">All %d checks hold.</p>\n", holding);
	if (open > 0 && holding > 0)
		appendStringInfo(page, "<p class=\"open\">%d more must be judged by somebody: no program can.</p>\n", open);
}

void
put_verdict(StringInfo page, const DeclaredPublication *publication, bool *is_joined)
{
	static const char *const headings[] = {"Check", "Verdict", "Required", "Measured", "#Classes that fail", "#People in sets that fail"};
	static const char *const classes[] = {"bad", "open", "good"};
	static const char *const words[] = {"fails", "to be judged", "holds"};
	int			counts[3] = {0};
	uint64		rows = ask(psprintf("SELECT check_name, CASE WHEN holds THEN 2 WHEN NOT holds THEN 0 ELSE 1 END, required, measured, failing_classes, failing_people"
									" FROM pprepub.audit(%s)", name_literal(publication)));

	html_heading(page, "verdict", "Verdict");
	for (uint64 r = 0; r < rows; r++)
		counts[(int) number(r, 1)]++;
	put_summary(page, counts[0], counts[1], counts[2]);
	html_table_begin(page, "Every check of what is out, what fails first", headings, lengthof(headings));
	for (uint64 r = 0; r < rows; r++)
	{
		int			verdict = (int) number(r, 1);
		const char *cells[] = {cell(r, 0), words[verdict], cell(r, 2), cell(r, 3), cell(r, 4), cell(r, 5)};

		html_row(page, headings, cells, lengthof(cells), classes[verdict]);
	}
	html_table_end(page);
	ask(psprintf("SELECT kind, sets, failing, records, sensitive_values FROM pprepub.attack_summary(%s)", name_literal(publication)));
	if (SPI_processed > 0)
		put_result(page, "Sets of people that intersections and differences of all releases reveal",
				   (const char *const[]) {"Kind", "#Pairs of releases", "#That fail", "#Fewest people", "#Fewest values"}, 5);
}

/* ----------------------------------------------------------------
 * What was declared, and what is out
 * ----------------------------------------------------------------
 */

/* Explains the promise to those who have never heard of k and l. */
static void
put_promise(StringInfo page, const DeclaredPublication *publication)
{
	bool		no_k;
	bool		no_l;
	Datum		k = declared_number(publication, "k", &no_k);
	Datum		l = declared_number(publication, "l", &no_l);

	html_paragraph(page, psprintf("The promise: %s, by method %s.", whole_principle(publication), publication->method));
	if (!no_k && find_method(publication->method)->principle != NULL)
		html_paragraph(page, psprintf("An observer who has all releases and answers, and knows which of them a person is in, still finds the person among %s people or more who cannot be told apart%s.",
									  DatumGetCString(DirectFunctionCall1(numeric_out, k)),
									  no_l ? "" : psprintf(", and these have %s different sensitive values or more", DatumGetCString(DirectFunctionCall1(numeric_out, l)))));
}

void
put_declaration(StringInfo page, const DeclaredPublication *publication)
{
	static const char *const names[] = {"Source", "Key", "Quasi-identifiers", "Sensitive", "Insensitive", "Parameters", "Judged apart from", "Tables taken to hold no people", "Releases and answers"};
	static const char *const headings[] = {"Part", "As declared"};

	html_heading(page, "promise", "What was promised");
	put_promise(page, publication);
	ask(psprintf("SELECT source::text, key, quasi_identifiers::text, sensitive, insensitive::text, (params OPERATOR(pg_catalog.-) 'seed'::pg_catalog.text)::text, nullif(beside::text, '{}'), nullif(lookup::text, '{}'), releases"
				 " FROM pprepub.publication WHERE name = %s", name_literal(publication)));
	html_table_begin(page, "The publication", headings, lengthof(headings));
	for (int i = 0; i < (int) lengthof(names) && SPI_processed > 0; i++)
		html_row(page, headings, (const char *const[]) {names[i], cell(0, i)}, 2, NULL);
	html_table_end(page);
}

/* The columns of the last result from a column on, as numbers. */
static double *
numbers_of(int column)
{
	double	   *result = palloc(sizeof(double) * (SPI_processed + 1));

	for (uint64 r = 0; r < SPI_processed; r++)
		result[r] = number(r, column);
	return result;
}

void
put_releases(StringInfo page, const DeclaredPublication *publication)
{
	LineChart	rows = {.anchor = "rows", .title = "Rows of releases of everybody", .unit = "", .nseries = 1, .name = {"rows"}};
	LineChart	shares = {.anchor = "shares", .title = "Withheld, invented, and lost in cells", .unit = "%", .nseries = 3, .name = {"withheld", "invented", "loss"}};

	html_heading(page, "releases", "Releases of everybody");
	ask(psprintf("SELECT r.number, r.published_at::timestamp(0)::text, r.kind, r.rows, r.classes, m.withheld, m.invented, m.loss"
				 " FROM (SELECT * FROM pprepub.release WHERE publication = %s AND " OF_EVERYBODY " OFFSET 0) r"
				 " CROSS JOIN LATERAL (SELECT round(max(value) FILTER (WHERE metric = 'withheld_percent')::numeric, 1) AS withheld,"
				 "  round(max(value) FILTER (WHERE metric = 'invented_percent')::numeric, 1) AS invented,"
				 "  round(max(value) FILTER (WHERE metric = 'loss_percent')::numeric, 1) AS loss FROM pprepub.metrics(r.publication, r.number)) m"
				 " ORDER BY r.number", name_literal(publication)));
	if (SPI_processed == 0)
	{
		html_paragraph(page, "There is none.");
		return;
	}
	rows.n = shares.n = (int) Min(SPI_processed, PG_INT32_MAX);
	rows.x = shares.x = numbers_of(0);
	rows.series[0] = numbers_of(3);
	shares.series[0] = numbers_of(5);
	shares.series[1] = numbers_of(6);
	shares.series[2] = numbers_of(7);
	chart_lines(page, &rows);
	chart_lines(page, &shares);
	put_result(page, "Releases of everybody that have tables (times in UTC)",
			   (const char *const[]) {"#Number", "Published", "Kind", "#Rows", "#Classes", "#Withheld %", "#Invented %", "#Loss %"}, 8);
	html_paragraph(page, "Loss: 0 % shows values as they are, 100 % withholds all cells of quasi-identifiers.");
}

/* ----------------------------------------------------------------
 * Who could be found, and who asked
 * ----------------------------------------------------------------
 */

static void
ask_query(void *sql)
{
	(void) ask(sql);
}

/* Runs a query that joins all releases, within the steps of a search: a page is made within seconds. */
static bool
ask_within_steps(char *sql)
{
	uint64		steps = (uint64) search_budget;
	ErrorData  *error;

	steps_left = &steps;
	error = try_in_subtransaction(ask_query, sql);
	steps_left = NULL;
	if (error != NULL && steps > 0)
		ReThrowError(error);
	return error == NULL;
}

static void
put_left_out(StringInfo page, const DeclaredPublication *publication)
{
	html_paragraph(page, psprintf("Left out: what all releases and answers tell together. Joining them takes more than the %.0f steps of pprepub.search_budget. The owner or an auditor can let it be computed, however long it takes: SELECT * FROM pprepub.linkability(%s).",
								  search_budget, name_literal(publication)));
}

void
put_linkability(StringInfo page, const DeclaredPublication *publication, bool *is_joined)
{
	html_heading(page, "linkability", "How far releases can be joined back to people");
	*is_joined = ask_within_steps(psprintf("SELECT told.* FROM pprepub.linkability(%s) l CROSS JOIN LATERAL (SELECT 'no value is told', unknown"
										   " UNION ALL SELECT i || CASE WHEN i = 10 THEN ' or more' ELSE '' END, people FROM unnest(people_at) WITH ORDINALITY p (people, i)) told",
										   name_literal(publication)));
	if (!*is_joined)
		put_left_out(page, publication);
	else
	{
		html_paragraph(page, "Somebody who has all releases and knows a person's quasi-identifiers is left with so many sensitive values of the person: 1 means that the value is certain, 2 that it is one of two.");
		put_result(page, "People by how many sensitive values all releases link them to", (const char *const[]) {"Values", "#People"}, 2);
	}
}

void
put_askers(StringInfo page, const DeclaredPublication *publication)
{
	html_heading(page, "answers", "Who asked for answers");
	if (ask(psprintf("SELECT r.published_by, count(*), p.params ->> 'max_answers_per_role', min(r.published_at)::date::text, max(r.published_at)::date::text"
					 " FROM pprepub.release r JOIN pprepub.publication p ON p.name = r.publication"
					 " WHERE r.publication = %s AND r.kind = 'query' GROUP BY r.published_by, p.params ORDER BY 2 DESC, 1", name_literal(publication))) == 0)
		html_paragraph(page, "Nobody.");
	else
		put_result(page, "Answers by role; a dash: any number is allowed", (const char *const[]) {"Role", "#Answers", "#Allowed", "First", "Last"}, 5);
}

void
put_people_at_risk(StringInfo page, const DeclaredPublication *publication, bool *is_joined)
{
	html_heading(page, "people", "People at risk (internal: do not pass on)");
	if (!*is_joined)
		put_left_out(page, publication);
	else
	{
		ask(psprintf("SELECT tuple::text, records, linkability, sensitive::text FROM pprepub.link_profile(%s)"
					 " WHERE linkability > 0 ORDER BY linkability, diversity, tuple::text LIMIT 20", name_literal(publication)));
		put_result(page, "Quasi-identifiers that are linked to fewest values, 20 at most", (const char *const[]) {"Quasi-identifiers", "#People", "#Values", "Linked to"}, 4);
	}
	ask(psprintf("SELECT release, class, count(*), string_agg(key, ', ' ORDER BY key COLLATE \"C\") FROM pprepub.class_members(%s) GROUP BY 1, 2 ORDER BY 3, 1, 2 LIMIT 20",
				 name_literal(publication)));
	put_result(page, "Smallest classes, by true people, 20 at most", (const char *const[]) {"#Release", "#Class", "#People", "Keys"}, 4);
}
