/*
 * shard.c
 *		The condition and the guard of a publication that is one shard of several, and what its coordinator calls.
 */
#include "declare/shard.h"

#include "access/nbtree.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/dependency.h"
#include "catalog/heap.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(pprepub_keyed_hash);
PG_FUNCTION_INFO_V1(pprepub_shard_begin);
PG_FUNCTION_INFO_V1(pprepub_shard_note);
PG_FUNCTION_INFO_V1(pprepub_shard_guard);
PG_FUNCTION_INFO_V1(pprepub_shard_arrivals);
PG_FUNCTION_INFO_V1(pprepub_shard_cleared);
PG_FUNCTION_INFO_V1(pprepub_shard_clear);

/* ---- One expression ---- */

void
move_position(void *text)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(text);
	}
}

Node *
only_expression(ParseState *pstate, const char *text, const char *what)
{
	List	   *statements = raw_parser(text, RAW_PARSE_PLPGSQL_EXPR);
	const SelectStmt *select = castNode(SelectStmt, linitial_node(RawStmt, statements)->stmt);
	ResTarget  *target = list_length(select->targetList) == 1 ? linitial_node(ResTarget, select->targetList) : NULL;

	if (target == NULL || target->name != NULL || target->indirection != NIL ||
		select->distinctClause != NIL || select->fromClause != NIL || select->whereClause != NULL ||
		select->groupClause != NIL || select->havingClause != NULL || select->windowClause != NIL ||
		select->valuesLists != NIL || select->sortClause != NIL || select->limitOffset != NULL ||
		select->limitCount != NULL || select->lockingClause != NIL || select->withClause != NULL ||
		select->intoClause != NULL || select->op != SETOP_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("%s must be one expression, and nothing else", what),
				 errhint("Write what would follow WHERE in a query: age > 40 AND sex = 'F'."),
				 parser_errposition(pstate, 0)));
	return target->val;
}

/* ---- The condition ---- */

/* Reads a condition over the columns of the source as PostgreSQL reads a CHECK: of one row, and by functions that are immutable. */
static Node *
read_condition(ParseState *pstate, Relation source, const char *text)
{
	ParseNamespaceItem *item = addRangeTableEntryForRelation(pstate, source, AccessShareLock, NULL, false, true);
	Node	   *condition;

	pstate->p_sourcetext = text;
	addNSItemToQuery(pstate, item, false, true, true);
	condition = only_expression(pstate, text, "the condition of a shard");
	if (IsA(condition, ColumnRef) && !IsA(linitial(castNode(ColumnRef, condition)->fields), String))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("the condition of a shard cannot be \"*\"")));
	condition = transformExpr(pstate, condition, EXPR_KIND_CHECK_CONSTRAINT);
	condition = coerce_to_boolean(pstate, condition, "shard");
	assign_expr_collations(pstate, condition);

	/*
	 * Both before and after calls are replaced by the bodies of functions, which can change, and arguments that were
	 * left out come in.
	 */
	if (contain_mutable_functions(condition) || contain_mutable_functions((Node *) expression_planner(copyObject((Expr *) condition))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("functions in the condition of a shard must be marked IMMUTABLE"),
				 errdetail("A row would be of one shard under some settings, and of another one under others."),
				 errhint("Casts of times to text, for one, are not immutable.")));
	return condition;
}

static bool
is_replaceable(Oid function, void *context)
{
	return function >= FirstNormalObjectId && !OidIsValid(getExtensionOfObject(ProcedureRelationId, function));
}

/* Does an expression call functions that can mean something else tomorrow?  Those of PostgreSQL and of extensions do not. */
static bool
calls_replaceable(Node *node, void *context)
{
	return node != NULL && (check_functions_in_node(node, is_replaceable, context) || expression_tree_walker(node, calls_replaceable, context));
}

/* Are values that are equal written alike? */
static bool
prints_alike(Oid type, Oid collation)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	Oid			function = get_opfamily_proc(entry->btree_opf, entry->btree_opintype, entry->btree_opintype, BTEQUALIMAGE_PROC);

	return OidIsValid(function) && DatumGetBool(OidFunctionCall1Coll(function, collation, ObjectIdGetDatum(entry->btree_opintype)));
}

/* Is it told by the key alone, for ever, and the same for equal keys? */
static bool
is_of_key(Node *condition, Bitmapset *columns, Oid source, const char *key)
{
	AttrNumber	attnum = get_attnum(source, key);
	Oid			type;
	Oid			collation;
	int32		typmod;

	get_atttypetypmodcoll(source, attnum, &type, &typmod, &collation);
	return bms_is_subset(columns, bms_make_singleton(attnum - FirstLowInvalidHeapAttributeNumber)) && prints_alike(type, collation) && !calls_replaceable(condition, NULL);
}

void
declare_shard(DeclaredPublication *publication, const char *text, const char *key)
{
	ErrorContextCallback callback = {
		.previous = error_context_stack, .callback = move_position, .arg = unconstify(char *, text)
	};
	ParseState *pstate = make_parsestate(NULL);
	Relation	source = relation_open(publication->source, AccessShareLock);
	Bitmapset  *columns = NULL;
	Identity	caller;
	Node	   *condition;

	act_as(&caller, publication->owner);
	error_context_stack = &callback;
	condition = read_condition(pstate, source, text);
	error_context_stack = callback.previous;
	pull_varattnos(condition, 1, &columns);
	if (bms_next_member(columns, -1) >= 0 && bms_next_member(columns, -1) <= 0 - FirstLowInvalidHeapAttributeNumber)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the condition of a shard must be about columns of the source"),
				 errhint("Whole rows change with the table, and system columns with each update.")));
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]) &&
			bms_is_member(get_attnum(publication->source, publication->columns[i].name) - FirstLowInvalidHeapAttributeNumber, columns))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("the condition of a shard cannot look at sensitive column \"%s\"", publication->columns[i].name),
					 errdetail("Everybody sees on which shard a person is.")));
	publication->shard = deparse_expression(condition, deparse_context_for("source", publication->source), false, false);
	publication->shard_of_key = is_of_key(condition, columns, publication->source, key);
	act_as_before(&caller);
	free_parsestate(pstate);
	relation_close(source, NoLock);
}

char *
shard_condition(const DeclaredPublication *publication)
{
	Relation	view = relation_open(publication->pinned, AccessShareLock);
	Query	   *query = copyObject(get_view_query(view));
	Node	   *quals = query->jointree->quals;
	List	   *parts = NIL;
	ListCell   *cell;

	foreach(cell, is_andclause(quals) ? castNode(BoolExpr, quals)->args : list_make1(quals))
		if (lfirst(cell) != NULL && !contain_subplans(lfirst(cell)))	/* the guard's */
		parts = lappend(parts, lfirst(cell));
	quals = (Node *) make_ands_explicit(parts);
	ChangeVarNodes(quals, linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex, 1, 0);
	relation_close(view, AccessShareLock);
	return parts == NIL ? NULL : deparse_expression(quals, deparse_context_for("source", publication->source), false, false);
}

/* The name of the key in the source, which can have been renamed. */
static const char *
key_in_source(const DeclaredPublication *publication)
{
	int			key = publication_column(publication, ROLE_KEY) - publication->columns;

	return get_attname(publication->source, pinned_attributes(publication)[key], false);
}

void
verify_in_shard(const DeclaredPublication *publication)
{
	char	   *condition = publication->shard == NULL ? NULL : shard_condition(publication);
	uint64		astray;
	bool		isnull;

	if (condition == NULL)
		return;
	if (OidIsValid(noted_relation(publication, "secret")))	/* nobody is cleared without a key */
		condition = psprintf("(%s) AND %s IS NOT NULL", condition, quote_identifier(key_in_source(publication)));
	if (SPI_execute(psprintf("SELECT pg_catalog.count(*) FROM %s WHERE (%s) IS NOT TRUE", quoted_relation(publication->source), condition), true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not count the rows of other shards");
	astray = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	fix_settings();				/* the source's code may have changed them */
	if (astray > 0)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg(UINT64_FORMAT " row(s) of the source are not of the shard of publication \"%s\"", astray, publication->name),
				 errdetail("The condition %s is not true for them, so nothing would be shown of them.", condition),
				 errhint("Keep them where they belong, and give the source a CHECK that refuses them.")));
}

/* ---- Publishing all shards together ---- */

/* A lock beside that of the publication tells until the end of the transaction that it has begun. */
#define BEGUN 1

void
verify_begun(const DeclaredPublication *publication)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, catalog_relation("catalog_publication"), publication->id, BEGUN);
	if (publication->is_coordinated && !lock_is_held(&tag, ExclusiveLock))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" is published together with the other shards", publication->name),
				 errhint("Publish on the coordinator.")));
}

/* shard_begin(publication): its next number, under a lock until the end of the transaction; NULL if the caller has no such one. */
Datum
pprepub_shard_begin(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;

	verify_may_change("shard_begin()");
	if (!catalog_finds("SELECT FROM pprepub_internal.catalog_publication WHERE name = $1 AND pg_has_role($2, owner, 'USAGE')",
					   CATALOG_TEXT(name), CATALOG_OID(GetUserId())))
		PG_RETURN_NULL();
	publication = publication_open(name, ExclusiveLock);
	LockDatabaseObject(catalog_relation("catalog_publication"), publication->id, BEGUN, ExclusiveLock);
	PG_RETURN_INT32(publication->releases + 1);
}

/* shard_note(publication, attempt): from now on it is published together with others. */
Datum
pprepub_shard_note(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	char	   *attempt = text_argument(fcinfo, 1, "the attempt");
	DeclaredPublication *publication;
	CatalogAccess access;

	verify_may_change("shard_note()");
	publication = publication_open(name, ExclusiveLock);
	catalog_enter(&access);
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET attempt = $2 WHERE publication = $1",
					CATALOG_INT(publication->id), CATALOG_TEXT(attempt));
	catalog_leave(&access);
	PG_RETURN_VOID();
}

/* ---- The guard ---- */

#define HASH_BYTES	16			/* two of a billion people share one with a probability of 10^-21 */
#define SECRET_BYTES 16			/* at least */

static Datum
hash_of(Datum secret, Datum what)
{
	return DirectFunctionCall1(sha256_bytea, DirectFunctionCall2(byteacat, secret, what));
}

/* keyed_hash(key, secret): without the secret, nobody can tell whose it is, or try keys. */
Datum
pprepub_keyed_hash(PG_FUNCTION_ARGS)
{
	text	   *key = PG_GETARG_TEXT_PP(0);
	char	   *bytes = pg_server_to_any(VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key), PG_UTF8);
	Datum		secret = PG_GETARG_DATUM(1);
	Datum		hash;

	/* In one encoding: those of shards may differ. */
	if (bytes != VARDATA_ANY(key))
		key = cstring_to_text(bytes);
	hash = hash_of(secret, hash_of(secret, PointerGetDatum(key)));
	PG_RETURN_DATUM(DirectFunctionCall3(bytea_substr, hash, Int32GetDatum(1), Int32GetDatum(HASH_BYTES)));
}

/* The hash of a key that is written so. */
static char *
hash_sql(const DeclaredPublication *publication, const char *key)
{
	return psprintf("pprepub_internal.keyed_hash((%s)::pg_catalog.text, (SELECT s.secret FROM %s s))", key, quoted_private(publication, "_secret"));
}

/* By keys, as a hash of each row would take much longer. */
char *
guard_sql(const DeclaredPublication *publication, const char *key)
{
	return psprintf("%s %s ANY (SELECT c.key FROM %s c)", quote_identifier(key),
					equality_sql(publication_column(publication, ROLE_KEY)->type), quoted_private(publication, "_cleared"));
}

/* An error unless a person has one hash. */
static void
verify_key_prints_alike(const DeclaredPublication *publication)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);

	if (!prints_alike(key->type, key->collation))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be the key of people who move between shards", key->name, format_type_be(key->type)),
				 errdetail("Equal keys can be written in several ways, and each would be another person's."),
				 errhint("Declare a view that casts the column, for example to text.")));
}

/* shard_guard(publication, secret): from now on only people who are cleared are published. */
Datum
pprepub_shard_guard(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	Identity	caller;
	Oid			tables[2];

	verify_not_null(fcinfo, 1, "the secret");
	verify_may_change("shard_guard()");
	publication = publication_open(name, AccessExclusiveLock);
	if (publication->shard == NULL || publication->releases > 0 || OidIsValid(noted_relation(publication, "secret")) ||
		VARSIZE_ANY_EXHDR(PG_GETARG_BYTEA_PP(1)) < SECRET_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" cannot be guarded", name),
				 errdetail("A guard takes a condition, no release, no other guard, and a secret of %d bytes or more.", SECRET_BYTES)));
	verify_key_prints_alike(publication);
	verify_name_is_not_taken(publication, publication->private, psprintf("%s_cleared", name));
	verify_name_is_not_taken(publication, publication->private, psprintf("%s_secret", name));
	act_as(&caller, publication->owner);
	SPI_connect();
	tables[0] = make_relation(publication, publication->private, "_cleared", "TABLE",
							  psprintf("(key %s PRIMARY KEY, person pg_catalog.bytea NOT NULL) USING heap", column_type_sql(publication_column(publication, ROLE_KEY))));
	tables[1] = make_relation(publication, publication->private, "_secret", "TABLE", "(secret pg_catalog.bytea NOT NULL) USING heap");
	for (int i = 0; i < (int) lengthof(tables); i++)
	{
		seal_table(tables[i]);
		note_relation(publication, tables[i], i == 0 ? "cleared" : "secret");
	}
	execute_past_seal(tables[1], "INSERT INTO %s VALUES ($1)", BYTEAOID, PG_GETARG_DATUM(1));
	SPI_finish();
	act_as_before(&caller);
	take_columns(publication, publication); /* none: it makes the pinned view anew */
	PG_RETURN_VOID();
}

/* The rows of a query of the guard. */
static Datum
put_people(FunctionCallInfo fcinfo, char *(*people_sql) (const DeclaredPublication *publication))
{
	OwnersWork	work;
	DestReceiver *receiver = CreateDestReceiver(DestTuplestore);
	SPIExecuteOptions options = {.read_only = true, .must_return_tuples = true, .dest = receiver};

	report_open(&work, fcinfo);
	if (!OidIsValid(noted_relation(work.publication, "secret")))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" has no guard", work.publication->name)));
	begin_rows(fcinfo);
	work_begin(&work, work.publication->owner, GetActiveSnapshot());
	SetTuplestoreDestReceiverParams(receiver, work.result->setResult, CurrentMemoryContext, false, NULL, NULL);
	if (SPI_execute_extended(people_sql(work.publication), &options) < 0)
		elog(ERROR, "could not read the people of a shard");
	work_close(&work);
	return (Datum) 0;
}

static char *
cleared_sql(const DeclaredPublication *publication)
{
	return psprintf("SELECT person FROM %s", quoted_private(publication, "_cleared"));
}

/* People with rows who are not cleared. */
static char *
arrivals_sql(const DeclaredPublication *publication)
{
	const char *key = quote_identifier(key_in_source(publication));

	return psprintf("SELECT DISTINCT a.person, a.key FROM (SELECT r.key, %s AS person FROM (SELECT %s AS key FROM %s WHERE %s) r"
					" WHERE r.key IS NOT NULL AND NOT EXISTS (SELECT FROM %s c WHERE c.key %s r.key)) a",
					hash_sql(publication, "r.key"), key, quoted_relation(publication->source), shard_condition(publication),
					quoted_private(publication, "_cleared"), equality_sql(publication_column(publication, ROLE_KEY)->type));
}

static char *
arrived_sql(const DeclaredPublication *publication)
{
	return psprintf("SELECT person FROM (%s) a", arrivals_sql(publication));
}

/* shard_cleared(publication): the people who may be published. */
Datum
pprepub_shard_cleared(PG_FUNCTION_ARGS)
{
	return put_people(fcinfo, cleared_sql);
}

/* shard_arrivals(publication): those whose rows are there, but who may not. */
Datum
pprepub_shard_arrivals(PG_FUNCTION_ARGS)
{
	return put_people(fcinfo, arrived_sql);
}

/* shard_clear(publication, people): they may from now on. */
Datum
pprepub_shard_clear(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	OwnersWork	work;

	verify_not_null(fcinfo, 1, "the people");
	verify_may_change("shard_clear()");
	publication = publication_open(name, ExclusiveLock);
	work_begin(&work, publication->owner, GetTransactionSnapshot());
	/* Materialized, lest everybody's key is hashed, also of those who are cleared. */
	execute_past_seal(noted_relation(publication, "cleared"),
					  psprintf("INSERT INTO %%s WITH a AS MATERIALIZED (%s) SELECT key, person FROM a WHERE person OPERATOR(pg_catalog.=) ANY ($1)", arrivals_sql(publication)),
					  BYTEAARRAYOID, PG_GETARG_DATUM(1));
	work_close(&work);
	PG_RETURN_VOID();
}

void
forget_cleared(const DeclaredPublication *publication, Datum keys)
{
	Oid			cleared = noted_relation(publication, "cleared");
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	bool		isnull;
	Datum		left;

	if (!OidIsValid(cleared))
		return;
	/* Deleted rows would stay on pages: the others move to new files. */
	if (SPI_execute_with_args(psprintf("SELECT pg_catalog.array_agg(c) FROM %s c WHERE NOT EXISTS (SELECT FROM pg_catalog.unnest($1) k WHERE k::%s %s c.key)",
									   quoted_relation(cleared), column_type_sql(key), equality_sql(key->type)),
							  1, (Oid[]) {TEXTARRAYOID}, &keys, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read the people of a shard");
	left = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	execute_past_seal(cleared, "TRUNCATE %s", InvalidOid, (Datum) 0);
	RemoveStatistics(cleared, 0);
	if (!isnull)
		execute_past_seal(cleared, "INSERT INTO %s SELECT u.* FROM pg_catalog.unnest($1) u", get_array_type(get_rel_type_id(cleared)), left);
}
