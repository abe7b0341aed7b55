/*
 * release_table.c
 *		A judged draft as a table of TARGET.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_publication.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "declare/warn_owner.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "release/list_release.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "release/target_views.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

char *
released_columns_sql(const DeclaredPublication *publication, bool with_types)
{
	StringInfoData sql;

	initStringInfo(&sql);
	if (has_class_column(publication))
		appendStringInfoString(&sql, with_types ? "class pg_catalog.int8" : "class");
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_KEY)
			continue;
		appendStringInfo(&sql, "%s%s", sql.len > 0 ? ", " : "", quote_identifier(column->name));
		if (with_types)
			appendStringInfo(&sql, " %s", released_type_sql(column));
	}
	return sql.data;
}

Oid
create_release_table(const DeclaredPublication *publication, int32 number)
{
	char	   *suffix = psprintf("_%d", number);
	char	   *name = psprintf("%s%s", publication->name, suffix);
	char	   *words = quoted_target(publication, suffix);
	Oid			schema = get_namespace_oid(publication->target, false);
	Oid			table;

	verify_name_is_not_taken(publication, publication->target, name);
	execute_ddl(psprintf("CREATE TABLE %s (%s) USING pprepub", words, released_columns_sql(publication, true)));
	table = get_relname_relid(name, schema);
	reset_rights(RelationRelationId, table, psprintf("TABLE %s", words));
	return table;
}

/* PostgreSQL's publications that would send what is inserted into the table. */
static List *
publications_of(Oid table)
{
	List	   *all = list_concat(list_concat(GetRelationPublications(table),
											  GetSchemaPublications(get_rel_namespace(table))),
								  GetAllTablesPublications());
	List	   *sending = NIL;
	ListCell   *cell;

	foreach(cell, all)
	{
		if (GetPublication(lfirst_oid(cell))->pubactions.pubinsert)
			sending = list_append_unique_oid(sending, lfirst_oid(cell));
	}
	return sending;
}

/*
 * A WARNING when logical replication is expected to carry a release.  Rows of a table
 * of our access method are not decoded.  A release is written by one transaction and
 * stays as it is, so the first copy of its table, once that is committed, is all of it.
 */
static void
warn_of_replication(const DeclaredPublication *publication, Oid table)
{
	List	   *publications = publications_of(table);

	if (publications == NIL)
		return;
	warn_owner(publication, &(OwnerWarning) {
		.message = psprintf("logical replication does not send the rows of table \"%s\"", get_rel_name(table)),
		.detail = psprintf("It is in \"%s\" of PostgreSQL's publications.", get_publication_name(linitial_oid(publications), false)),
		.hint = "A subscriber copies all of it when it is told of the table after the release is committed: ALTER SUBSCRIPTION … REFRESH PUBLICATION.",
	});
}

void
keep_release_table(const DeclaredPublication *publication, Oid table)
{
	seal_table(table);
	note_relation(publication, table, "release");
	comment_on_relation(publication, table, "release: its rows never change");
	comment_on_columns(publication, table, SHOWN_AS_CELLS);
	warn_of_replication(publication, table);
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

typedef struct TableSink
{
	RowSink		base;
	RowWriter  *table;
} TableSink;

static void
store_row(RowSink *sink, const Datum *values, const bool *nulls)
{
	writer_add(((TableSink *) sink)->table, values, nulls);
}

/* Lists the release for analysts, with figures if it is of everybody. */
static void
list_stored(const ReleaseBuild *build, int32 number, Oid table)
{
	bool		is_of_all = build->request->cohort == NULL;

	list_release(build->publication, &(ListedRelease) {
		.number = number,
		.table = table,
		.kind = is_of_all ? "everybody" : "cohort",
		.shown = noted_columns(build->publication, build->request->columns),
		.metrics = is_of_all ? &build->metrics : NULL,
	});
}

SentRelease
store_release(const ReleaseBuild *build, int32 number)
{
	const DeclaredPublication *publication = build->publication;
	Oid			table = create_release_table(publication, number);
	TableSink	sink = {{.add_row = store_row, .log = MEMBERS_TABLE, .keeps_insensitive = true}, .table = writer_open(table, false)};
	SentRelease stored = emit_rows(build, number, &sink.base);

	progress_phase("finish", NO_TOTAL);
	writer_close(sink.table);
	stored.table = table;
	keep_release_table(publication, table);
	if (is_full(publication, build->request))
		show_newest(publication, table);
	else
		leave_views(publication, table);
	if (tells_counterfeits(publication))
		show_counterfeits(publication);
	list_stored(build, number, table);
	return stored;
}
