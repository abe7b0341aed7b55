/*
 * alter_drop.c
 *		alter_publication() and drop_publication().
 *
 * NOTES
 *		Both refuse to weaken what was promised to the people in the releases, unless the call says so explicitly:
 *		"accept_weakening": true in the parameters, forget_history => true.  So does alter_publication() where some of
 *		these people could never be published again: "accept_lockout".
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/gate.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/shown_lists.h"
#include "declare/target_objects.h"
#include "declare/taxonomy.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

PG_FUNCTION_INFO_V1(pprepub_weakened_parameter);
PG_FUNCTION_INFO_V1(pprepub_alter_publication);
PG_FUNCTION_INFO_V1(pprepub_drop_publication);

const DeclareHooks *declare_hooks = NULL;

/* ---- A new owner ---- */

/*
 * Gives everything made for the publication to the source's new owner.  This is done as the extension's owner, since no
 * other role need be a member of both.
 */
static void
take_over(DeclaredPublication *publication, Oid owner)
{
	Oid			functions[] = {answer_function(publication), counts_function(publication), noise_function(publication, 0), noise_function(publication, 1)};
	CatalogAccess access;
	SPITupleTable *relations;
	uint64		count;

	verify_schemas(publication, owner);
	catalog_enter(&access);
	count = catalog_read("SELECT r.relation::oid AS relation, r.part IN ('release', 'releases') OR pprepub_internal.is_loose(r.part) AS is_shown FROM pprepub_internal.catalog_relation r"
						 " JOIN pg_class k ON k.oid = r.relation::oid WHERE r.publication = $1",
						 CATALOG_INT(publication->id));
	relations = SPI_tuptable;
	for (uint64 i = 0; i < count; i++)
	{
		bool		isnull;
		Oid			relation = DatumGetObjectId(SPI_getbinval(relations->vals[i], relations->tupdesc, 1, &isnull));
		bool		is_shown = DatumGetBool(SPI_getbinval(relations->vals[i], relations->tupdesc, 2, &isnull));
		char	   *name = quoted_relation(relation);
		bool		is_type = get_rel_relkind(relation) == RELKIND_COMPOSITE_TYPE;

		execute_own_ddl(psprintf("ALTER %s %s OWNER TO %s", is_type ? "TYPE" : "TABLE", name,
								 quote_identifier(GetUserNameFromId(owner, false))));
		/* Rights of analysts on releases stay; the rest is the new owner's alone. */
		if (is_type)
			reset_rights(TypeRelationId, get_rel_type_id(relation), psprintf("TYPE %s", name));
		else if (!is_shown)
			reset_rights(RelationRelationId, relation, psprintf("TABLE %s", name));
	}
	for (int i = 0; i < (int) lengthof(functions); i++)
		if (OidIsValid(functions[i]))
			execute_own_ddl(psprintf("ALTER FUNCTION %s OWNER TO %s", format_procedure_qualified(functions[i]),
									 quote_identifier(GetUserNameFromId(owner, false))));
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET owner = $2 WHERE publication = $1",
					CATALOG_INT(publication->id), CATALOG_PARAM(REGROLEOID, ObjectIdGetDatum(owner)));
	catalog_leave(&access);
	publication->owner = owner;
}

/* Makes what was dropped again, for no other role to use yet: functions of TARGET, and relations by which it answers. */
static void
restore_objects(const DeclaredPublication *publication)
{
	static const struct
	{
		const char *part;
		const char *suffix;
		void		(*create) (const DeclaredPublication *publication);
	}			relations[] = {{"live", "_now", create_live_table}, {"answers_view", "_answers", create_answers_view}};
	Identity	caller;

	act_as(&caller, publication->owner);
	SPI_connect();
	if (!OidIsValid(answer_function(publication)))
		create_answer_function(publication);
	if (!OidIsValid(counts_function(publication)))
		create_counts_function(publication);
	ensure_noise_functions(publication);
	ensure_catalog_view(publication);
	for (int i = 0; i < (int) lengthof(relations) && method_declaration(publication->method)->answers; i++)
	{
		if (OidIsValid(noted_relation(publication, relations[i].part)))
			continue;
		verify_name_is_not_taken(publication, publication->target, psprintf("%s%s", publication->name, relations[i].suffix));
		relations[i].create(publication);
		note_relation(publication, relation_in_target(publication, relations[i].suffix), relations[i].part);
	}
	SPI_finish();
	act_as_before(&caller);
}

/* ---- New parameters, new leaves ---- */

/* Has it told anything to anybody, in releases, answers or noisy counts? */
static bool
has_told(const DeclaredPublication *publication)
{
	return publication->releases > 0 ||
		catalog_finds("SELECT FROM pprepub_internal.catalog_noise WHERE publication = $1", CATALOG_INT(publication->id));
}

/* Does a release, or what is kept of an answer, show one of these leaves?  An array's text. */
static bool
is_any_shown(const DeclaredPublication *publication, const DeclaredColumn *column, const char *leaves)
{
	CatalogAccess access;
	Identity	caller;
	char	   *sql;
	bool		isnull;
	bool		result = false;

	catalog_enter(&access);
	catalog_read("SELECT format('SELECT EXISTS (SELECT FROM (%s) s WHERE cell = ANY (%L::pg_catalog.text[]))',"
				 " string_agg(format('SELECT %I::pg_catalog.text AS cell FROM %s', $2, k.oid::regclass), ' UNION ALL '), $3) AS sql"
				 " FROM pprepub_internal.catalog_relation r JOIN pg_class k ON k.oid = r.relation::oid WHERE r.publication = $1 AND r.part IN ('release', 'regions')",
				 CATALOG_INT(publication->id), CATALOG_TEXT(column->name), CATALOG_TEXT(leaves));
	sql = catalog_text(&access, 0, "sql");
	catalog_leave(&access);
	if (publication->releases == 0)
		return false;
	act_as(&caller, publication->owner);
	SPI_connect();
	if (SPI_execute(sql, true, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the releases");
	result = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	act_as_before(&caller);
	return result;
}

/*
 * Lets columns use their taxonomies' trees of now, where these extend the trees of the declaration.  They may lack leaves that
 * nothing has shown so far: nothing that was published reads in another way then.
 */
static void
adopt_extensions(const DeclaredPublication *publication)
{
	CatalogAccess access;

	catalog_enter(&access);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		int32		tree;
		char	   *retired;

		if (column->taxonomy == NULL ||
			catalog_read("SELECT tree FROM pprepub_internal.catalog_taxonomy WHERE name = $1 AND tree <> $2 FOR SHARE",
						 CATALOG_TEXT(column->taxonomy), CATALOG_INT(column->tree)) == 0)
			continue;
		tree = catalog_int(0, "tree");
		catalog_read("SELECT pprepub_internal.retired_leaves($1, $2)::text AS leaves", CATALOG_INT(column->tree), CATALOG_INT(tree));
		retired = catalog_text(&access, 0, "leaves");
		if (retired == NULL || (strcmp(retired, "{}") != 0 && (has_bands(column) || is_any_shown(publication, column, retired))))
		{
			ereport(NOTICE,
					(errmsg("taxonomy \"%s\" is another one now and was not adopted for column \"%s\"",
							column->taxonomy, column->name),
					 retired == NULL ? 0 : errdetail("It lacks leaves that releases have shown, or by which values are judged.")));
			continue;
		}
		catalog_execute("UPDATE pprepub_internal.catalog_column SET tree = $3 WHERE publication = $1 AND position = $2",
						CATALOG_INT(publication->id), CATALOG_INT(i + 1), CATALOG_INT(tree));
		ereport(NOTICE,
				(strcmp(retired, "{}") == 0
				 ? errmsg("adopted the extension of taxonomy \"%s\" for column \"%s\"", column->taxonomy, column->name)
				 : errmsg("adopted taxonomy \"%s\" for column \"%s\", which lacks leaves %s that no release has shown",
						  column->taxonomy, column->name, retired)));
	}
	forget_unused_trees();
	catalog_leave(&access);
}

/* weakened_parameter(method, declared, given): the name of one that would promise less, or NULL. */
Datum
pprepub_weakened_parameter(PG_FUNCTION_ARGS)
{
	const MethodDeclaration *method = method_declaration(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	Jsonb	   *declared = PG_GETARG_JSONB_P(1);
	const ParamSpec *weaker = weakened_parameter(method, declared, check_parameters(method, PG_GETARG_JSONB_P(2), declared));

	if (weaker == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(CStringGetTextDatum(weaker->name));
}

/* Checks the new parameters, stores them, and copies the tables that they name. */
static void
change_parameters(DeclaredPublication *publication, Jsonb *given)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	Jsonb	   *before = publication->params;
	bool		accept;
	bool		accept_lockout;
	Jsonb	   *params;
	const ParamSpec *weaker;
	CatalogAccess access;

	refuse_arguments(given, publication->name);
	given = take_flag(given, "accept_weakening", &accept);
	given = take_flag(given, "accept_lockout", &accept_lockout);
	given = resolve_tables(method, given);
	given = resolve_layout_columns(publication, given, true);
	params = check_parameters(method, given, before);
	set_bands(publication, params);
	weaker = weakened_parameter(method, before, params);
	if (weaker != NULL && !accept && has_told(publication))
	{
		bool		is_number = weaker->type == PARAM_INTEGER || weaker->type == PARAM_DECIMAL;

		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 is_number && weaker->strength == STRENGTH_LESS
				 ? errmsg("a larger \"%s\", or none, would weaken what publication \"%s\" has promised",
						  weaker->name, publication->name)
				 : is_number
				 ? errmsg("a smaller \"%s\" would weaken what publication \"%s\" has promised",
						  weaker->name, publication->name)
				 : errmsg("this \"%s\" would weaken what publication \"%s\" has promised",
						  weaker->name, publication->name),
				 weaker->type == PARAM_TABLE
				 ? errdetail("So far no such table is declared, and everything is protected; what the table lacks would not be any more.")
				 : errdetail("The people in its releases would be protected less from now on."),
				 errhint("If that is what you want, say so: add \"accept_weakening\": true to the parameters.")));
	}
	if (publication->releases > 0)
		declare_hooks->judge_parameters(publication, params, accept_lockout);
	catalog_enter(&access);
	catalog_read("SELECT pprepub_internal.wrong_noise_budget($1, $2) AS wrong",
				 CATALOG_INT(publication->id), CATALOG_PARAM(JSONBOID, JsonbPGetDatum(params)));
	catalog_raise();
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET params = $2 WHERE publication = $1",
					CATALOG_INT(publication->id), CATALOG_PARAM(JSONBOID, JsonbPGetDatum(params)));
	catalog_leave(&access);
	publication->params = params;
	note_columns(publication, 0);	/* with other bands */
	copy_tables(publication, given, accept);
	warn_of_stand_ins(publication, before);
	declare_hooks->look_at_source(publication, before);
}

Datum
pprepub_alter_publication(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	Oid			owner;
	int			nadded;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_not_null(fcinfo, 1, "the parameters");
	verify_may_change("alter_publication()");
	publication = publication_open_for_new_owner(name, AccessExclusiveLock);
	owner = relation_owner(publication->source);
	if (owner != publication->owner)
		take_over(publication, owner);
	nadded = add_columns(publication, fcinfo);
	change_parameters(publication, PG_GETARG_JSONB_P(1));
	if (nadded > 0)
	{
		warn_of_unique_insensitive(publication, true);
		declare_hooks->show_columns(publication, publication->ncolumns - nadded);
	}
	restore_objects(publication);
	if (OidIsValid(noted_relation(publication, "live")))
		comment_on_live_table(publication, noted_relation(publication, "live"));
	adopt_extensions(publication);
	PG_RETURN_VOID();
}

/* ---- Dropping ---- */

/* Refuses to drop what others depend on, unless they go, too; another publication never does. */
static void
refuse_dependents(const DeclaredPublication *publication, bool cascade, const char *objects, const char *beside)
{
	const char *name = quote_literal_cstr(publication->name);

	if (objects == NULL || (cascade && beside == NULL))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("cannot drop publication \"%s\" because other objects depend on what was made for it", publication->name),
			 errdetail("They are %s.", objects),
			 beside == NULL ? errhint("If they are to go, too, say so: pprepub.drop_publication(%s, forget_history => true, cascade => true).", name)
			 : errhint("Drop publication \"%s\" first.", beside)));
}

/*
 * Drops, as the publication's owner, its functions and relations; but for releases, if these are kept. The list of what
 * is published in the target stays as long as there is another publication.
 */
static void
drop_relations(const DeclaredPublication *publication, bool keep_releases, bool cascade)
{
	Datum		functions[] = {ObjectIdGetDatum(answer_function(publication)), ObjectIdGetDatum(counts_function(publication)),
	ObjectIdGetDatum(noise_function(publication, 0)), ObjectIdGetDatum(noise_function(publication, 1))};
	CatalogParam made = CATALOG_PARAM(OIDARRAYOID, PointerGetDatum(construct_array(functions, lengthof(functions), OIDOID, sizeof(Oid), true, TYPALIGN_INT)));
	CatalogParam keep = CATALOG_PARAM(BOOLOID, BoolGetDatum(keep_releases));
	Identity	caller;
	CatalogAccess access;
	char	   *statements;

	catalog_enter(&access);
	catalog_execute("UPDATE pprepub_internal.catalog_relation r SET publication = p.publication FROM pprepub_internal.catalog_publication p"
					" WHERE r.publication = $1 AND r.part = 'catalog' AND p.publication <> $1 AND p.target = $2::name",
					CATALOG_INT(publication->id), CATALOG_TEXT(publication->target));
	catalog_read("SELECT objects, beside FROM pprepub_internal.dependents($1, $2, $3)", CATALOG_INT(publication->id), keep, made);
	refuse_dependents(publication, cascade, catalog_text(&access, 0, "objects"), catalog_text(&access, 0, "beside"));
	catalog_read("SELECT string_agg(statement || CASE WHEN $4 THEN ' CASCADE' ELSE '' END, '; ') AS statements FROM pprepub_internal.made_for($1, $2, $3)",
				 CATALOG_INT(publication->id), keep, made, CATALOG_PARAM(BOOLOID, BoolGetDatum(cascade)));
	statements = catalog_text(&access, 0, "statements");
	catalog_leave(&access);
	act_as(&caller, publication->owner);
	SPI_connect();
	if (statements != NULL)
		execute_own_ddl(statements);
	SPI_finish();
	act_as_before(&caller);
}

Datum
pprepub_drop_publication(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	bool		forget_history = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	DeclaredPublication *publication;
	CatalogAccess access;
	bool		is_used;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("drop_publication()");
	publication = publication_open_to_drop(name);
	if (!forget_history && has_told(publication))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 publication->releases > 0 ? errmsg("publication \"%s\" has %d release(s)", name, publication->releases) :
				 errmsg("publication \"%s\" has answered with noisy counts", name),
				 errdetail("Anybody who has seen them can join them with later releases about these people, and pprepub would know nothing of them."),
				 errhint("If that is what you want, say so: pprepub.drop_publication(%s, forget_history => true).",
						 quote_literal_cstr(name))));
	declare_hooks->end_publication(publication);
	drop_relations(publication, !PG_ARGISNULL(2) && PG_GETARG_BOOL(2), !PG_ARGISNULL(3) && PG_GETARG_BOOL(3));
	catalog_enter(&access);
	catalog_execute("SELECT pprepub_internal.forget_publication($1)", CATALOG_INT(publication->id));
	forget_unused_trees();
	catalog_leave(&access);

	/*
	 * Says so if nothing stands in the schemas any more.  They are not dropped: owners grant rights on them, which
	 * would be gone for the next publication.
	 */
	is_used = catalog_finds("SELECT FROM pg_namespace n WHERE n.nspname::text IN ($1, $2)"
							" AND EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid)",
							CATALOG_TEXT(publication->target), CATALOG_TEXT(publication->private));
	if (!is_used)
		ereport(NOTICE,
				(errmsg("schemas \"%s\" and \"%s\" are empty now", publication->target, publication->private),
				 errhint("If nothing will be published in them, run DROP SCHEMA %s, %s.",
						 quote_identifier(publication->target), quote_identifier(publication->private))));
	PG_RETURN_VOID();
}
