/*
 * target_views.c
 *		What shows releases of everybody with all columns in TARGET.
 */
#include "postgres.h"

#include "release/release.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "declare/target_objects.h"
#include "executor/executor.h"
#include "foreign/fdwapi.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "release/past_releases.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(pprepub_releases_handler);

/* ----------------------------------------------------------------
 * The views of TARGET that show releases, and the foreign table that shows all of them.
 * ----------------------------------------------------------------
 */

/* Makes the view, or lets it show something else; false if it was there already. */
static bool
put_view(const DeclaredPublication *publication, const char *suffix, const char *part, const char *query, Oid *view)
{
	const char *words = quoted_target(publication, suffix);
	bool		is_new;

	*view = relation_in_target(publication, suffix);
	is_new = !OidIsValid(*view);
	if (is_new || *view != noted_relation(publication, part))
		verify_name_is_not_taken(publication, publication->target, psprintf("%s%s", publication->name, suffix));
	execute_ddl(psprintf("CREATE OR REPLACE VIEW %s AS %s", words, query));
	if (!is_new)
		return false;
	*view = relation_in_target(publication, suffix);
	reset_rights(RelationRelationId, *view, psprintf("TABLE %s", words));
	note_relation(publication, *view, part);
	return true;
}

/* The columns of the live table, as a select list over those of releases. */
static char *
list_values(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			appendStringInfo(&list, "%s AS %s, ", value_sql(&publication->columns[i]),
							 quote_identifier(publication->columns[i].name));
	appendStringInfo(&list, "%s%s AS %s", has_class_column(publication) ? "class, " : "",
					 cells_sql(publication), free_column_name(publication, "cells"));
	return list.data;
}

/* Roles that may read the view of the newest release may read the release itself. */
static void
copy_grants(Oid view, Oid table)
{
	Oid			owner;
	Acl		   *acl = rights_on(RelationRelationId, view, &owner);

	for (int i = 0; acl != NULL && i < ACL_NUM(acl); i++)
	{
		Oid			grantee = ACL_DAT(acl)[i].ai_grantee;

		if (grantee == owner || (ACLITEM_GET_PRIVS(ACL_DAT(acl)[i]) & ACL_SELECT) == 0)
			continue;
		execute_ddl(psprintf("GRANT SELECT ON %s TO %s", quoted_relation(table),
							 grantee == ACL_ID_PUBLIC ? "PUBLIC" :
							 quote_identifier(GetUserNameFromId(grantee, false))));
	}
}

/* ----------------------------------------------------------------
 * The newest release
 * ----------------------------------------------------------------
 */

/* Lets the view NAME show the release, which gets the rights that the view has. */
static void
show_cells(const DeclaredPublication *publication, Oid table)
{
	Oid			view;

	if (!put_view(publication, "", "view",
				  psprintf("SELECT %s FROM %s", released_columns_sql(publication, false), quoted_relation(table)), &view))
		copy_grants(view, table);
	comment_on_relation(publication, view, "newest release of everybody with all columns");
	comment_on_columns(publication, view, SHOWN_AS_CELLS);
}

/* Lets the view NAME_values show the release. */
static void
show_values(const DeclaredPublication *publication, Oid table)
{
	Oid			view;

	(void) put_view(publication, "_values", "values_view",
					psprintf("SELECT %s FROM %s", list_values(publication), quoted_relation(table)), &view);
	comment_on_relation(publication, view, "newest release of everybody with all columns, with values in place of cells");
	comment_on_columns(publication, view, SHOWN_AS_VALUES);
}

/* ----------------------------------------------------------------
 * All of them
 * ----------------------------------------------------------------
 */

/* Makes the table NAME_all, unless it is there: it shows releases as they come. */
static void
show_all(const DeclaredPublication *publication)
{
	const char *release = free_column_name(publication, "release");
	const char *published_at = free_column_name(publication, "published_at");
	const char *words = quoted_target(publication, "_all");
	Oid			all = noted_relation(publication, "all_view");

	if (!OidIsValid(all))
	{
		verify_name_is_not_taken(publication, publication->target, psprintf("%s_all", publication->name));
		execute_ddl(psprintf("CREATE FOREIGN TABLE %s (%s pg_catalog.int4, %s pg_catalog.timestamptz, %s) SERVER pprepub_releases",
							 words, release, published_at, released_columns_sql(publication, true)));
		all = relation_in_target(publication, "_all");
		reset_rights(RelationRelationId, all, psprintf("TABLE %s", words));
		note_relation(publication, all, "all_view");
	}
	comment_on_relation(publication, all, "all releases of everybody with all columns, with number and time");
	comment_on_column(all, release, "number of the release");
	comment_on_column(all, published_at, "time of the release");
	comment_on_columns(publication, all, SHOWN_AS_CELLS);
}

void
show_newest(const DeclaredPublication *publication, Oid table)
{
	show_cells(publication, table);
	show_values(publication, table);
	show_all(publication);
}

/* ----------------------------------------------------------------
 * Others
 * ----------------------------------------------------------------
 */

void
leave_views(const DeclaredPublication *publication, Oid table)
{
	Oid			view = noted_relation(publication, "view");

	if (OidIsValid(view))
		copy_grants(view, table);
	ereport(NOTICE,
			(errmsg("view \"%s\" does not show this release", publication->name),
			 errdetail("It shows the newest of those that are about everybody, with all columns."),
			 errhint("Read this one as %s.", quoted_relation(table))));
}

void
show_counterfeits(const DeclaredPublication *publication)
{
	Oid			view;

	if (OidIsValid(noted_relation(publication, "counterfeits_view")))
		return;
	(void) put_view(publication, "_counterfeits", "counterfeits_view",
					psprintf("SELECT release, class, counterfeits FROM %s", quoted_relation(counterfeits_ensure(publication))), &view);
	comment_on_relation(publication, view, "number of invented rows in each class");
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

/* ----------------------------------------------------------------
 * Planning
 * ----------------------------------------------------------------
 */

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

/* Is it a condition on releases, which is the same for all rows of one? */
static bool
chooses_releases(const RelOptInfo *rel, Node *clause)
{
	Bitmapset  *used = NULL;

	pull_varattnos(clause, rel->relid, &used);
	for (int i = 0; i < ALL_COLUMNS; i++)
		used = bms_del_member(used, i + 1 - FirstLowInvalidHeapAttributeNumber);
	return bms_is_empty(used) && !contain_volatile_functions(clause) && !contain_subplans(clause);
}

/* The executor applies all conditions to rows, also those that choose releases. */
static ForeignScan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path, List *columns, List *clauses, Plan *outer)
{
	List	   *conditions = extract_actual_clauses(clauses, false);
	List	   *choice = NIL;
	ListCell   *cell;

	foreach(cell, conditions)
		if (chooses_releases(rel, lfirst(cell)))
		choice = lappend(choice, lfirst(cell));
	return make_foreignscan(columns, conditions, rel->relid, choice, NIL, NIL, NIL, outer);
}

/* ----------------------------------------------------------------
 * Scanning
 * ----------------------------------------------------------------
 */

/*
 * Lists the releases of everybody with all columns, whose tables are there.  Of several sensitive columns, the hidden one
 * that has all of them is none of these.
 */
static void
list_tables(AllScan *scan, Oid all)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT FROM pprepub_internal.catalog_relation WHERE relation::oid = $1 AND part = 'all_view'",
					 CATALOG_PARAM(OIDOID, ObjectIdGetDatum(all))) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
				 errmsg("foreign table \"%s\" does not show the releases of a publication", get_rel_name(all)),
				 errhint("pprepub.publish() makes such tables, and no other table can be read by way of server \"pprepub_releases\".")));
	scan->n = catalog_read("SELECT r.number, r.published_at, r.relation::oid AS relation FROM pprepub_internal.catalog_relation a"
						   " JOIN pprepub_internal.catalog_release r USING (publication) JOIN pg_class k ON k.oid = r.relation::oid"
						   " WHERE a.relation::oid = $1 AND a.part = 'all_view' AND r.kind = 'stored' AND r.cohort IS NULL"
						   " AND (r.columns IS NULL OR NOT EXISTS (SELECT FROM pprepub_internal.catalog_column c WHERE c.publication = r.publication"
						   "  AND c.name <> ALL (r.columns) AND c.role NOT IN ('key', 'layout')"
						   "  AND (c.role <> 'sensitive' OR NOT EXISTS (SELECT FROM pprepub_internal.catalog_column o"
						   "   WHERE o.publication = c.publication AND o.role = 'sensitive part'))))"
						   " ORDER BY r.number",
						   CATALOG_PARAM(OIDOID, ObjectIdGetDatum(all)));
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

/* The list is of now: of a release that came later than the query's snapshot, no row is seen. */
static void
begin_scan(ForeignScanState *node, int flags)
{
	AllScan    *scan;

	if (flags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	node->fdw_state = scan = palloc0(sizeof(AllScan));
	scan->choice = ExecInitQual(castNode(ForeignScan, node->ss.ps.plan)->fdw_exprs, &node->ss.ps);
	list_tables(scan, RelationGetRelid(node->ss.ss_currentRelation));
}

/* A row that has what stands before a release's columns, and these, if a row is given. */
static TupleTableSlot *
put_row(TupleTableSlot *slot, const ListedTable *listed, const TupleTableSlot *row)
{
	int			n = slot->tts_tupleDescriptor->natts - ALL_COLUMNS;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, sizeof(bool) * (ALL_COLUMNS + n));
	for (int i = 0; i < ALL_COLUMNS; i++)
	{
		slot->tts_values[i] = listed->before[i];
		slot->tts_isnull[i] = false;
	}
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

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

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
