/*
 * target_views.c
 *		The views of TARGET that show releases, and the foreign table that shows all of them.
 */
#include "release/target_views.h"

#include "catalog/pg_class.h"
#include "declare/target_objects.h"
#include "history/past_tables.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "utils/acl.h"
#include "utils/builtins.h"

/* ----------------------------------------------------------------
 * Views
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

/* Makes the table NAME_all, unless it is there: it shows releases as they come (all_releases.c). */
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
