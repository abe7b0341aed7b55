/*
 * target_views.c
 *		What shows releases of everybody with all columns in TARGET.
 */
#include "postgres.h"

#include "release/release.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "declare/work.h"
#include "executor/executor.h"
#include "foreign/fdwapi.h"
#include "frame/load.h"
#include "frame/print.h"
#include "history/past_tables.h"
#include "history/rebuild.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_releases_handler);

/* ----------------------------------------------------------------
 * The views of TARGET that show releases, and the foreign table that shows all of them.
 * ----------------------------------------------------------------
 */

/* Lets a view show these columns of a table; it is made where there is none. */
static Oid
put_view(const DeclaredPublication *publication, const char *suffix, const char *part, const char *columns, Oid table)
{
	char	   *query = psprintf("AS SELECT %s FROM %s", columns, quoted_relation(table));
	Oid			view = relation_in_target(publication, suffix);

	if (OidIsValid(view) && view == noted_relation(publication, part))
		execute_ddl(psprintf("CREATE OR REPLACE VIEW %s %s", quoted_target(publication, suffix), query));
	else
	{
		verify_name_is_not_taken(publication, publication->target, psprintf("%s%s", publication->name, suffix));
		view = make_relation(publication, publication->target, suffix, "VIEW", query);
		note_relation(publication, view, part);
	}
	return view;
}

/* The columns of the live table, as a select list over those of releases. */
static char *
list_values(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	for (AttrNumber attribute = 1; attribute <= count_live_columns(publication); attribute++)
	{
		int			i = live_column(publication, attribute);

		appendStringInfo(&list, "%s%s AS %s", attribute > 1 ? ", " : "",
						 i == LIVE_CLASS ? "class" : i == LIVE_CELLS ? cells_sql(publication) : value_sql(&publication->columns[i]),
						 i == LIVE_CLASS ? "class" : i == LIVE_CELLS ? free_column_name(publication, "cells") :
						 quote_identifier(publication->columns[i].name));
	}
	return list.data;
}

/* NAME_all is made once: it shows releases as they come. */
static void
show_newest(const DeclaredPublication *publication, Oid table)
{
	Oid			cells = put_view(publication, "", "view", released_columns_sql(publication, false), table);
	Oid			values = put_view(publication, "_values", "values_view", list_values(publication), table);
	Oid			all = noted_relation(publication, "all_view");
	const char *release = free_column_name(publication, "release");
	const char *published_at = free_column_name(publication, "published_at");

	if (!OidIsValid(all))
	{
		verify_name_is_not_taken(publication, publication->target, psprintf("%s_all", publication->name));
		all = make_relation(publication, publication->target, "_all", "FOREIGN TABLE",
							psprintf("(%s pg_catalog.int4, %s pg_catalog.timestamptz, %s) SERVER pprepub_releases",
									 release, published_at, released_columns_sql(publication, true)));
		note_relation(publication, all, "all_view");
	}
	comment_on_relation(publication, cells, "newest release of everybody with all columns");
	comment_on_columns(publication, cells, SHOWN_AS_CELLS);
	comment_on_relation(publication, values, "newest release of everybody with all columns, with values in place of cells");
	comment_on_columns(publication, values, SHOWN_AS_VALUES);
	comment_on_relation(publication, all, "all releases of everybody with all columns, with number and time");
	comment_on_column(all, release, "number of the release");
	comment_on_column(all, published_at, "time of the release");
	comment_on_columns(publication, all, SHOWN_AS_CELLS);
}

/* The cell that shows nothing of a column, as a literal; NULL for columns that have no cells. */
static char *
withheld_sql(const DeclaredColumn *column)
{
	Oid			output;
	bool		is_varlena;

	if (column->role != ROLE_QUASI_IDENTIFIER)
		return "NULL";
	getTypeOutputInfo(printed_type(column->kind, column->type), &output, &is_varlena);
	return quote_literal_cstr(OidOutputFunctionCall(output, print_withheld(column)));
}

/* Gives a table that was made before the columns from this one on: rows that it has withhold them.  As the owner, inside SPI. */
static void
add_to_table(const DeclaredPublication *publication, Oid table, const char *part, int from)
{
	bool		is_foreign = get_rel_relkind(table) == RELKIND_FOREIGN_TABLE;
	char	   *alter = psprintf("ALTER %s %s ", is_foreign ? "FOREIGN TABLE" : "TABLE", quoted_relation(table));

	for (int i = from; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		const char *name = quote_identifier(column->name);

		if (strcmp(part, "live") == 0)
			execute_own_ddl(psprintf("%s ADD COLUMN %s", alter, live_column_sql(column)));
		else if (is_foreign)
			execute_own_ddl(psprintf("%s ADD COLUMN %s %s", alter, name, released_type_sql(column)));
		else if (strcmp(part, "release") == 0 || column->role == ROLE_QUASI_IDENTIFIER)
		{
			execute_own_ddl(psprintf("%s ADD COLUMN %s %s DEFAULT %s", alter, name, released_type_sql(column), withheld_sql(column)));
			execute_own_ddl(psprintf("%s ALTER COLUMN %s DROP DEFAULT", alter, name));
		}
	}
	if (strcmp(part, "live") != 0)
		comment_on_columns(publication, table, SHOWN_AS_CELLS);
}

/*
 * The columns from this one on were added: the function and the tables of TARGET get them, and the regions of answers.  Views
 * get them with the next release.  Fingerprints are of all quasi-identifiers: with another one, those of people who were published so far say nothing any more.
 */
void
show_columns(const DeclaredPublication *publication, int from)
{
	OwnersWork	work = {0};
	CatalogAccess access;
	bool		is_known_by = false;	/* is somebody known by one of them? */
	uint64		n;
	Oid		   *tables;
	char	  **parts;
	bool	   *added = new_zeros(bool, publication->ncolumns);

	for (int i = from; i < publication->ncolumns; i++)
		is_known_by |= added[i] = publication->columns[i].role == ROLE_QUASI_IDENTIFIER;
	catalog_enter(&access);
	n = catalog_read("SELECT r.relation::oid AS relation, r.part FROM pprepub_internal.catalog_relation r JOIN pg_class k ON k.oid = r.relation::oid"
					 " WHERE r.publication = $1 AND r.part IN ('release', 'regions', 'live', 'all_view') ORDER BY 1",
					 CATALOG_INT(publication->id));
	tables = MemoryContextAlloc(access.context, sizeof(Oid) * (n + 1));
	parts = MemoryContextAlloc(access.context, sizeof(char *) * (n + 1));
	for (uint64 i = 0; i < n; i++)
	{
		tables[i] = catalog_oid(i, "relation");
		parts[i] = catalog_text(&access, i, "part");
	}
	catalog_leave(&access);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	/* An error if they cannot be shown: nothing could be published any more, and they cannot be taken back. */
	(void) load_finish(load_rows(publication, NULL, added, false, work.context));
	for (uint64 i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_to_table(publication, tables[i], parts[i], from);
	}
	replace_answer_function(publication);
	if (is_known_by && publication->releases > 0 && keeps_past(publication, PAST_PLACES))
		forget_fingerprints(publication);
	work_close(&work);
}

/* Is the release about everybody, with all columns? */
static bool
is_full(const DeclaredPublication *publication, const Request *request)
{
	const bool *shown;

	if (request->cohort != NULL)
		return false;
	shown = noted_columns(publication, request->columns, next_number(publication));
	for (int i = 0; i < publication->ncolumns; i++)
		if (!shown[i] && publication->columns[i].role != ROLE_KEY)
			return false;
	return true;
}

/* Roles that may read the view NAME may read a release itself; they are those of now, whatever snapshot the transaction has. */
static void
copy_grants(Oid view, Oid table)
{
	CatalogAccess access;
	char	   *grants;

	catalog_enter(&access);
	catalog_read("SELECT string_agg(format('GRANT SELECT ON %s TO %s', $2::regclass,"
				 " CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END), '; ') AS grants"
				 " FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1 AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner",
				 CATALOG_OID(view), CATALOG_OID(table));
	grants = catalog_text(&access, 0, "grants");
	catalog_leave(&access);
	if (grants != NULL)
		execute_ddl(grants);
}

void
show_release(const ReleaseBuild *build, Oid table)
{
	const DeclaredPublication *publication = build->publication;
	bool		is_newest = is_full(publication, build->request);
	Oid			view;

	if (is_newest)
		show_newest(publication, table);
	view = noted_relation(publication, "view");
	if (OidIsValid(view))
		copy_grants(view, table);
	if (!is_newest)
		ereport(NOTICE,
				(errmsg("view \"%s\" does not show this release", publication->name),
				 errdetail("It shows the newest of those that are about everybody, with all columns."),
				 errhint("Read this one as %s.", quoted_relation(table))));
	if (tells_counterfeits(publication) && !OidIsValid(noted_relation(publication, "counterfeits_view")))
		comment_on_relation(publication,
							put_view(publication, "_counterfeits", "counterfeits_view", "release, class, counterfeits", counterfeits_ensure(publication)),
							"number of invented rows in each class");
}

/* ----------------------------------------------------------------
 * TARGET.NAME_all, the foreign table of all releases of everybody with all columns.
 *
 * A view of all of them would grow with each release, and plan and lock all of them for each query.
 * Here conditions on a release's number and time, and nothing else, choose the tables that are opened.
 * Each is unlocked once it was read: the lock on NAME_all keeps all of them from being dropped.
 * ----------------------------------------------------------------
 */

/* Where all is read; the planner is told this of all tables alike, and looks at no catalog. */
#define ROWS_EXPECTED	100000

/* Columns of the table before those of releases */
typedef enum AllColumn
{
	ALL_RELEASE,
	ALL_PUBLISHED_AT,
	ALL_COLUMNS
} AllColumn;

typedef struct ListedTable
{
	Datum		before[ALL_COLUMNS];
	Oid			table;
} ListedTable;

typedef struct AllScan
{
	ExprState  *choice;			/* of releases */
	ListedTable *listed;
	uint64		n;
	uint64		next;
	RowReader  *reader;			/* of the release before the next one; NULL where none is open */
} AllScan;

static void
estimate_size(PlannerInfo *root, RelOptInfo *rel, Oid relation)
{
	rel->tuples = ROWS_EXPECTED;
	set_baserel_size_estimates(root, rel);
}

static void
add_only_path(PlannerInfo *root, RelOptInfo *rel, Oid relation)
{
	add_path(rel, (Path *) make_foreign_path(root, rel, 0, ROWS_EXPECTED * (cpu_tuple_cost + rel->baserestrictcost.per_tuple)));
}

/*
 * Conditions on a release's number and time that are the same for all rows of one choose releases.  The executor applies
 * all conditions to rows, also these.
 */
static ForeignScan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path, List *columns, List *clauses, Plan *outer)
{
	List	   *conditions = extract_actual_clauses(clauses, false);
	List	   *choice = NIL;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Bitmapset  *used = NULL;

		pull_varattnos(lfirst(cell), rel->relid, &used);
		for (int i = 0; i < ALL_COLUMNS; i++)
			used = bms_del_member(used, i + 1 - FirstLowInvalidHeapAttributeNumber);
		if (bms_is_empty(used) && !contain_volatile_functions(lfirst(cell)) && !contain_subplans(lfirst(cell)))
			choice = lappend(choice, lfirst(cell));
	}
	return make_foreignscan(columns, conditions, rel->relid, choice, NIL, NIL, NIL, outer);
}

/* Lists the releases that the table shows.  The list is of now: of one that came later than the query's snapshot, no row is seen. */
static void
begin_scan(ForeignScanState *node, int flags)
{
	Oid			all = RelationGetRelid(node->ss.ss_currentRelation);
	CatalogAccess access;
	AllScan    *scan;

	if (flags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	if (!catalog_finds("SELECT FROM pprepub_internal.catalog_relation WHERE relation::oid = $1 AND part = 'all_view'",
					   CATALOG_OID(all)))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
				 errmsg("foreign table \"%s\" does not show the releases of a publication", get_rel_name(all)),
				 errhint("pprepub.publish() makes such tables, and no other table can be read by way of server \"pprepub_releases\".")));
	node->fdw_state = scan = palloc0(sizeof(AllScan));
	scan->choice = ExecInitQual(castNode(ForeignScan, node->ss.ps.plan)->fdw_exprs, &node->ss.ps);
	catalog_enter(&access);
	scan->n = catalog_read("SELECT number, published_at, relation::oid AS relation FROM pprepub_internal.catalog_full_release"
						   " WHERE shown_in::oid = $1 ORDER BY number",
						   CATALOG_OID(all));
	scan->listed = MemoryContextAllocHuge(access.context, sizeof(ListedTable) * (scan->n + 1));
	for (uint64 i = 0; i < scan->n; i++)
	{
		bool		isnull;

		scan->listed[i].before[ALL_RELEASE] = Int32GetDatum(catalog_int(i, "number"));
		scan->listed[i].before[ALL_PUBLISHED_AT] = catalog_field(i, "published_at", &isnull);
		scan->listed[i].table = catalog_oid(i, "relation");
	}
	catalog_leave(&access);
}

/* A row that has what stands before a release's columns, and these, if a row is given. */
static TupleTableSlot *
put_row(TupleTableSlot *slot, const ListedTable *listed, const TupleTableSlot *row)
{
	int			n = slot->tts_tupleDescriptor->natts - ALL_COLUMNS;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, false, sizeof(bool) * ALL_COLUMNS);
	memset(slot->tts_isnull + ALL_COLUMNS, true, sizeof(bool) * n);
	memcpy(slot->tts_values, listed->before, sizeof(Datum) * ALL_COLUMNS);
	if (row != NULL)
	{
		memcpy(slot->tts_values + ALL_COLUMNS, row->tts_values, sizeof(Datum) * n);
		memcpy(slot->tts_isnull + ALL_COLUMNS, row->tts_isnull, sizeof(bool) * n);
	}
	return ExecStoreVirtualTuple(slot);
}

/* Owners may have given the table other columns than it was made with. */
static void
verify_columns(Relation all, TupleDesc shown)
{
	TupleDesc	columns = RelationGetDescr(all);
	bool		is_same = columns->natts == ALL_COLUMNS + shown->natts &&
		TupleDescAttr(columns, ALL_RELEASE)->atttypid == INT4OID &&
		TupleDescAttr(columns, ALL_PUBLISHED_AT)->atttypid == TIMESTAMPTZOID;

	for (int i = 0; i < shown->natts && is_same; i++)
		is_same = TupleDescAttr(columns, ALL_COLUMNS + i)->atttypid == TupleDescAttr(shown, i)->atttypid;
	if (!is_same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("foreign table \"%s\" has other columns than releases", RelationGetRelationName(all)),
				 errhint("Its owner can drop it: the next release of everybody makes it again.")));
}

/* Opens the next release that is asked for; false if there is none. */
static bool
open_next(ForeignScanState *node, AllScan *scan)
{
	ExprContext *econtext = node->ss.ps.ps_ExprContext;

	while (scan->next < scan->n)
	{
		const ListedTable *listed = &scan->listed[scan->next++];

		econtext->ecxt_scantuple = put_row(node->ss.ss_ScanTupleSlot, listed, NULL);
		if (!ExecQual(scan->choice, econtext))
			continue;
		scan->reader = reader_open(listed->table);
		verify_columns(node->ss.ss_currentRelation, reader_columns(scan->reader));
		return true;
	}
	return false;
}

static void
close_reader(AllScan *scan)
{
	if (scan->reader != NULL)
		reader_close(scan->reader);
	scan->reader = NULL;
}

/* A row of a release lives until the next one is read, so it must outlive the query's row at hand. */
static TupleTableSlot *
next_row(ForeignScanState *node)
{
	AllScan    *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	TupleTableSlot *row = NULL;
	MemoryContext old = MemoryContextSwitchTo(node->ss.ps.state->es_query_cxt);

	while (row == NULL && (scan->reader != NULL || open_next(node, scan)))
	{
		row = reader_next(scan->reader);
		if (row == NULL)
			close_reader(scan);
	}
	MemoryContextSwitchTo(old);
	return row == NULL ? ExecClearTuple(slot) : put_row(slot, &scan->listed[scan->next - 1], row);
}

static void
scan_again(ForeignScanState *node)
{
	AllScan    *scan = node->fdw_state;

	close_reader(scan);
	scan->next = 0;
}

static void
end_scan(ForeignScanState *node)
{
	if (node->fdw_state != NULL)
		close_reader(node->fdw_state);
}

Datum
pprepub_releases_handler(PG_FUNCTION_ARGS)
{
	FdwRoutine *routine = makeNode(FdwRoutine);

	routine->GetForeignRelSize = estimate_size;
	routine->GetForeignPaths = add_only_path;
	routine->GetForeignPlan = plan_scan;
	routine->BeginForeignScan = begin_scan;
	routine->IterateForeignScan = next_row;
	routine->ReScanForeignScan = scan_again;
	routine->EndForeignScan = end_scan;
	PG_RETURN_POINTER(routine);
}
