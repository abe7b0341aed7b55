/*
 * looked_up.c
 *		Sections of report() that are made of the log and of release tables.
 */
#include "report/page/page.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "executor/spi.h"
#include "history/recall.h"
#include "history/seen.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "report/page/chart.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ----------------------------------------------------------------
 * Sizes
 * ----------------------------------------------------------------
 */

/* A chart of sizes, and its figures. */
static void
put_bars(StringInfo page, const char *anchor, const char *title, const SizeBar *bar, int n, uint64 k)
{
	static const char *const headings[] = {"#Size from", "#Sets", "#People"};

	chart_sizes(page, anchor, title, bar, n, k);
	html_table_begin(page, title, headings, lengthof(headings));
	for (int i = 0; i < n; i++)
		if (bar[i].sets > 0)
			html_row(page, headings,
					 (const char *const[]) {psprintf(UINT64_FORMAT, bar[i].from), psprintf(UINT64_FORMAT, bar[i].sets), psprintf(UINT64_FORMAT, bar[i].people)},
					 lengthof(headings), NULL);
	html_table_end(page);
}

static bool
read_rows(const char *sql)
{
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read a release table");
	return SPI_processed > 0;
}

static char *
field(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

/* The sizes of a release's classes. */
static void
put_class_sizes(StringInfo page, const DeclaredPublication *publication, int32 release, uint64 k)
{
	uint64	   *size;
	uint64	   *classes;
	int			n;
	SizeBar    *bar;

	read_rows(psprintf("SELECT rows, pg_catalog.count(*) FROM pprepub_internal.class_sizes(%s, %d) WHERE rows > 0 GROUP BY rows ORDER BY rows",
					   quote_literal_cstr(publication->name), release));
	size = palloc(sizeof(uint64) * (SPI_processed + 1));
	classes = palloc(sizeof(uint64) * (SPI_processed + 1));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		size[i] = strtou64(field(i, 1), NULL, 10);
		classes[i] = strtou64(field(i, 2), NULL, 10);
	}
	bar = size_bars(size, classes, SPI_processed, k, &n);
	put_bars(page, "class-sizes", psprintf("Rows with equal cells in release %d", release), bar, n, k);
}

/* The figures of risks() that can be had. */
static void
put_risks(StringInfo page, const DeclaredPublication *publication, int32 release)
{
	static const char *const headings[] = {"Measure", "#Value", "Meaning"};

	html_heading(page, "risks", psprintf("How likely somebody is found in release %d", release));
	html_paragraph(page, "The prosecutor knows that a person is in the release, and all quasi-identifiers; the marketer links everybody. These figures are of this release alone, and say nothing of others.");
	read_rows(psprintf("SELECT measure, value, meaning FROM pprepub_internal.risks(%s, %d, NULL) WHERE value IS NOT NULL",
					   quote_literal_cstr(publication->name), release));
	html_table_begin(page, psprintf("Risks of release %d; people above the threshold have a risk of more than 0.2", release), headings, lengthof(headings));
	for (uint64 i = 0; i < SPI_processed; i++)
		html_row(page, headings, (const char *const[]) {field(i, 1), html_number(strtod(field(i, 2), NULL)), field(i, 3)}, lengthof(headings), NULL);
	html_table_end(page);
}

void
put_sizes(StringInfo page, const DeclaredPublication *publication, int32 release)
{
	const Recalled *recalled = recall(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	uint64		k = read_one_released(publication, release > 0 ? release : publication->releases)->principle.k;
	int			n;
	SizeBar    *bar;

	html_heading(page, "sizes", "How many people cannot be told apart");
	bar = size_bars(atoms->size, NULL, atoms->natoms, k, &n);
	put_bars(page, "atom-sizes", "Sets that all releases and answers together tell apart, invented rows included", bar, n, k);
	if (release == 0)
		return;
	put_class_sizes(page, publication, release, k);
	put_risks(page, publication, release);
}

/* ----------------------------------------------------------------
 * Columns and values of release tables
 * ----------------------------------------------------------------
 */

/* The table of a release as a query names it, or NULL where it is gone. */
static char *
table_of(const DeclaredPublication *publication, int32 release)
{
	const Released *released = read_one_released(publication, release);

	return table_stands(publication, released) ? quoted_relation(released->table) : NULL;
}

/* The condition that a cell is withheld. */
static char *
is_withheld_sql(const DeclaredColumn *column, int32 tree)
{
	const char *name = quote_identifier(column->name);
	CatalogAccess access;
	char	   *root;

	if (column->kind != KIND_TAXONOMY)
		return psprintf("pprepub.is_withheld(%s)", name);
	catalog_enter(&access);
	root = catalog_read("SELECT node FROM pprepub_internal.catalog_tree_node WHERE tree = $1 AND parent IS NULL", CATALOG_PARAM(INT4OID, Int32GetDatum(tree))) == 0 ?
		"" : catalog_text(&access, 0, "node");
	catalog_leave(&access);
	return psprintf("%s = %s", name, quote_literal_cstr(root));
}

/* The loss of a column in a release, as metrics() has it; NULL where it was not measured. */
static char *
loss_of(const DeclaredPublication *publication, int32 release, const char *column)
{
	CatalogAccess access;
	char	   *loss = NULL;

	catalog_enter(&access);
	if (catalog_read("SELECT round(value::numeric, 1)::text AS loss FROM pprepub_internal.catalog_metric"
					 " WHERE publication = $1 AND release = $2 AND metric = '" LOSS_OF "' || $3",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)), CATALOG_PARAM(INT4OID, Int32GetDatum(release)),
					 CATALOG_TEXT(column)) > 0)
		loss = catalog_text(&access, 0, "loss");
	catalog_leave(&access);
	return loss;
}

void
put_columns(StringInfo page, const DeclaredPublication *publication, int32 release)
{
	static const char *const headings[] = {"Column", "Kind", "#Different cells", "#Loss %", "#Withheld %"};
	const char *table = table_of(publication, release);
	const int32 *tree = read_one_released(publication, release)->tree;

	if (table == NULL)
		return;
	html_heading(page, "columns", psprintf("What release %d loses by column", release));
	html_table_begin(page, "Quasi-identifiers", headings, lengthof(headings));
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		read_rows(psprintf("SELECT count(DISTINCT %s::text), round(100.0 * count(*) FILTER (WHERE %s) / nullif(count(*), 0), 1) FROM %s",
						   quote_identifier(column->name), is_withheld_sql(column, tree[i]), table));
		html_row(page, headings,
				 (const char *const[]) {column->name, kind_text(column), field(0, 1), loss_of(publication, release, column->name), field(0, 2)},
				 lengthof(headings), NULL);
	}
	html_table_end(page);
	html_paragraph(page, "Loss: the share of its domain that a cell covers, on average; 0 % shows values as they are. A dash: it was not measured.");
}

/* The last stored releases of everybody, at most six of them. */
static int
last_releases(const DeclaredPublication *publication, int32 *numbers)
{
	CatalogAccess access;
	int			n;

	catalog_enter(&access);
	n = catalog_read("SELECT number FROM (SELECT number FROM pprepub_internal.catalog_release WHERE publication = $1 AND number <= $2 AND kind <> 'query' AND cohort IS NULL"
					 " ORDER BY number DESC LIMIT 6) newest ORDER BY number",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)), CATALOG_PARAM(INT4OID, Int32GetDatum(publication->releases)));
	for (int i = 0; i < n; i++)
		numbers[i] = catalog_int(i, "number");
	catalog_leave(&access);
	return n;
}

/* A query of the values that a column has in each of these releases, the commonest of the last one first. */
static char *
values_query(const DeclaredPublication *publication, const char *column, const int32 *numbers, int n)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT coalesce(value, '(none, or withheld)')");
	for (int i = 0; i < n; i++)
		appendStringInfo(&sql, ", round(100.0 * sum(rows) FILTER (WHERE release = %d) / nullif(sum(sum(rows) FILTER (WHERE release = %d)) OVER (), 0), 1)", numbers[i], numbers[i]);
	appendStringInfoString(&sql, " FROM (");
	for (int i = 0; i < n; i++)
	{
		const char *table = table_of(publication, numbers[i]);

		appendStringInfo(&sql, "%sSELECT %d AS release, %s::text AS value, count(*) AS rows FROM %s GROUP BY 2", i > 0 ? " UNION ALL " : "", numbers[i],
						 table == NULL ? "NULL" : quote_identifier(column), table == NULL ? "(SELECT) gone" : table);
	}
	appendStringInfo(&sql, ") counted GROUP BY value ORDER BY %d DESC NULLS LAST, value COLLATE \"C\" LIMIT 20", n + 1);
	return sql.data;
}

/* A table of the values of a column, release by release. */
static void
put_values_of(StringInfo page, const DeclaredPublication *publication, const char *column, const int32 *numbers, int n)
{
	const char **headings = palloc(sizeof(char *) * (n + 1));

	headings[0] = column;
	for (int i = 0; i < n; i++)
		headings[i + 1] = psprintf("#%% in %d", numbers[i]);
	read_rows(values_query(publication, column, numbers, n));
	html_table_begin(page, psprintf("%s: per cent of the rows, 20 values at most", column), headings, n + 1);
	for (uint64 r = 0; r < SPI_processed; r++)
	{
		const char **cells = palloc(sizeof(char *) * (n + 1));

		for (int i = 0; i <= n; i++)
			cells[i] = field(r, i + 1);
		html_row(page, headings, cells, n + 1, NULL);
	}
	html_table_end(page);
}

void
put_values(StringInfo page, const DeclaredPublication *publication)
{
	int32		numbers[6];
	int			n = last_releases(publication, numbers);

	if (n == 0)
		return;
	html_heading(page, "values", "Sensitive values of the last releases");
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_SENSITIVE || publication->columns[i].role == ROLE_SENSITIVE_PART)
			put_values_of(page, publication, publication->columns[i].name, numbers, n);
}

/* ----------------------------------------------------------------
 * Checksums
 * ----------------------------------------------------------------
 */

void
put_checksums(StringInfo page, const DeclaredPublication *publication)
{
	static const char *const headings[] = {"#Release", "Table", "Checksum"};
	CatalogAccess access;
	int			n;

	html_heading(page, "computed", "What this page was computed from");
	catalog_enter(&access);
	catalog_read("SELECT now()::timestamp(0)::text AS now, current_database()::text AS database, current_setting('server_version') AS server,"
				 " (SELECT extversion FROM pg_extension WHERE extname = 'pprepub') AS version");
	html_paragraph(page, psprintf("Made at %s (UTC) in database %s, by pprepub %s on PostgreSQL %s, from the log of all releases and answers, the release tables, and the source as it was at that moment.",
								  catalog_text(&access, 0, "now"), catalog_text(&access, 0, "database"), catalog_text(&access, 0, "version"), catalog_text(&access, 0, "server")));
	n = catalog_read("SELECT number::text AS number, relation::text AS relation, checksum::text AS checksum FROM pprepub_internal.catalog_release"
					 " WHERE publication = $1 AND number <= $2 AND kind <> 'query' ORDER BY number",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)), CATALOG_PARAM(INT4OID, Int32GetDatum(publication->releases)));
	html_table_begin(page, "Releases that have tables, with the checksums of their rows", headings, lengthof(headings));
	for (int i = 0; i < n; i++)
		html_row(page, headings, (const char *const[]) {catalog_text(&access, i, "number"), catalog_text(&access, i, "relation"), catalog_text(&access, i, "checksum")},
				 lengthof(headings), NULL);
	html_table_end(page);
	catalog_leave(&access);
}
