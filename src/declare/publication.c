/*
 * publication.c
 *		Finding a publication, and the names of what is made for it.
 *
 * LOCKING
 *		The lock is an object lock on the publication's number, which SQL's LOCK TABLE and advisory locks cannot reach.
 *		The catalog row is read after the lock is taken, so the number of releases in it is current.
 */
#include "declare/publication.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "shared/progress.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* Roles as the catalog has them. */
static const char *const role_words[] = {
	[ROLE_KEY] = "key",
	[ROLE_QUASI_IDENTIFIER] = "quasi-identifier",
	[ROLE_SENSITIVE] = "sensitive",
	[ROLE_SENSITIVE_PART] = "sensitive part",
	[ROLE_INSENSITIVE] = "insensitive",
	[ROLE_LAYOUT] = "layout",
};

/* Reads the declared columns, and the hidden ones, which come last; their types are read from the pinned view. */
static void
read_columns(CatalogAccess *access, DeclaredPublication *publication, CatalogMode mode)
{
	int			n = catalog_run("SELECT name, role, kind, taxonomy, tree, came FROM pprepub_internal.catalog_column"
								" WHERE publication = $1 ORDER BY position", mode,
								CATALOG_PARAMS(CATALOG_INT(publication->id)));
	bool		has_tuple = false;

	publication->columns = MemoryContextAllocZero(access->context,
												  sizeof(DeclaredColumn) * SPI_processed);
	for (int i = 0; i < n; i++)
	{
		DeclaredColumn *column = &publication->columns[i];
		char	   *kind = catalog_text(access, i, "kind");

		column->name = catalog_text(access, i, "name");
		column->role = 0;
		while (strcmp(role_words[column->role], catalog_text(access, i, "role")) != 0)
			if (++column->role == lengthof(role_words))
				elog(ERROR, "no column has the role \"%s\"", catalog_text(access, i, "role"));
		if (kind != NULL)
		{
			MemoryContext old = MemoryContextSwitchTo(access->context);

			parse_kind(kind, column);
			MemoryContextSwitchTo(old);
		}
		/* The level stands behind the name, which may itself end in a number. */
		column->taxonomy = catalog_text(access, i, "taxonomy");
		if (column->taxonomy != NULL && strlen(kind) > strlen(kind_text(column)))
			column->level = atoi(kind + strlen(kind_text(column)));
		column->tree = catalog_int(i, "tree");
		column->came = catalog_int(i, "came");
		publication->nhidden += column->role == ROLE_LAYOUT;
		has_tuple |= column->role == ROLE_SENSITIVE_PART;
	}
	publication->nhidden += has_tuple;
	publication->ncolumns = n - publication->nhidden;
}

void
note_columns(const DeclaredPublication *publication, int from)
{
	CatalogAccess access;

	catalog_enter(&access);
	for (int i = from; i < publication->ncolumns + publication->nhidden; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		bool		has_kind = column->role == ROLE_QUASI_IDENTIFIER || has_bands(column);

		catalog_execute("INSERT INTO pprepub_internal.catalog_column (publication, position, name, role, kind, taxonomy, tree, came)"
						" VALUES ($1, $2, $3::text::name, $4, $5, $6, $7, $8)"
						" ON CONFLICT (publication, position) DO UPDATE SET name = excluded.name, role = $4, kind = $5, taxonomy = $6, tree = $7, came = $8",
						CATALOG_INT(publication->id), CATALOG_INT(i + 1), CATALOG_TEXT(column->name),
						CATALOG_TEXT(role_words[column->role]), CATALOG_TEXT(has_kind ? kind_text(column) : NULL),
						CATALOG_TEXT(column->taxonomy), column->taxonomy ? CATALOG_INT(column->tree) : CATALOG_NULL(INT4OID),
						CATALOG_INT(column->came));
	}
	catalog_leave(&access);
}

static void
refuse_old_snapshot(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update")));
}

/* Types come from the pinned view, where PostgreSQL's dependencies hold them still. */
static void
read_types(DeclaredPublication *publication)
{
	Relation	view = relation_open(publication->pinned, AccessShareLock);
	TupleDesc	tuple = RelationGetDescr(view);

	if (tuple->natts > publication->ncolumns + publication->nhidden)
		refuse_old_snapshot();	/* hidden columns were declared since */
	if (tuple->natts < publication->ncolumns + publication->nhidden)
		elog(ERROR, "pinned view \"%s\" has %d columns instead of %d",
			 RelationGetRelationName(view), tuple->natts, publication->ncolumns + publication->nhidden);
	for (int i = 0; i < tuple->natts; i++)
	{
		DeclaredColumn *column = &publication->columns[i];

		column->typmod = TupleDescAttr(tuple, i)->atttypmod;
		column->type = getBaseTypeAndTypmod(TupleDescAttr(tuple, i)->atttypid, &column->typmod);
		column->collation = TupleDescAttr(tuple, i)->attcollation;
	}
	relation_close(view, AccessShareLock);
}

/* A relation that was made for a publication. */
typedef struct NotedRelation
{
	char	   *part;
	Oid			relation;
} NotedRelation;

/* The entry of a part that occurs once, or NULL where it was not made, or is gone. */
static NotedRelation *
find_noted(const DeclaredPublication *publication, const char *part)
{
	ListCell   *cell;

	foreach(cell, publication->noted)
		if (strcmp(((NotedRelation *) lfirst(cell))->part, part) == 0)
		return lfirst(cell);
	return NULL;
}

/* Sets the entry of a part, which lives as long as the list does. */
static void
set_noted(DeclaredPublication *publication, const char *part, Oid relation)
{
	NotedRelation *noted = find_noted(publication, part);

	if (noted == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(publication->noted == NIL ? CurrentMemoryContext :
												  GetMemoryChunkContext(publication->noted));

		noted = palloc(sizeof(NotedRelation));
		noted->part = pstrdup(part);
		publication->noted = lappend(publication->noted, noted);
		MemoryContextSwitchTo(old);
	}
	noted->relation = relation;
}

/* Reads which relations were made for the publication, leaving out any that were dropped since. */
static void
read_noted(CatalogAccess *access, DeclaredPublication *publication, CatalogMode mode)
{
	List	   *gone = NIL;
	ListCell   *cell;

	catalog_run("SELECT relation::oid AS relation, part, format::int FROM pprepub_internal.catalog_relation WHERE publication = $1 AND part <> 'release'",
				mode, CATALOG_PARAMS(CATALOG_INT(publication->id)));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Oid			relation = catalog_oid(i, "relation");
		MemoryContext old;

		if (get_rel_relkind(relation) == '\0')
		{
			gone = lappend_oid(gone, relation);
			continue;
		}
		verify_format(publication->name, catalog_int(i, "format"), RELATION_FORMAT);
		old = MemoryContextSwitchTo(access->context);
		set_noted(publication, catalog_text(access, i, "part"), relation);
		MemoryContextSwitchTo(old);
	}
	/* An old snapshot sees relations in the catalog that were replaced since, and not those that replaced them. */
	foreach(cell, gone)
		if (mode == CATALOG_LOOK &&
			catalog_read("SELECT FROM pprepub_internal.catalog_relation WHERE relation::oid = $1",
						 CATALOG_OID(lfirst_oid(cell))) == 0)
		refuse_old_snapshot();
}

Oid
source_of_pinned(Oid pinned)
{
	Relation	view = try_relation_open(pinned, AccessShareLock);
	Oid			source = InvalidOid;
	Query	   *query;

	if (view == NULL)
		return InvalidOid;
	query = get_view_query(view);
	if (query->jointree->fromlist != NIL)	/* a restore makes views without, at first */
		source = rt_fetch(linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex, query->rtable)->relid;
	relation_close(view, AccessShareLock);
	return source;
}

static void
refuse_dropped(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("the publication was dropped meanwhile")));
}

/*
 * On a standby, the statement's snapshot sees what was dropped since it was taken.  Here a lock on the pinned view, which
 * is dropped with all the rest, keeps it from now on.
 */
static void
hold_on_standby(const DeclaredPublication *publication)
{
	LockRelationOid(publication->pinned, AccessShareLock);
	if (get_rel_relkind(publication->pinned) != '\0')
		return;
	PushActiveSnapshot(GetLatestSnapshot());
	if (!catalog_finds("SELECT FROM pprepub_internal.catalog_publication WHERE publication = $1",
					   CATALOG_INT(publication->id)))
		refuse_dropped();
	PopActiveSnapshot();
}

/* Reads the catalog's row of a publication that is locked. */
static void
read_publication(CatalogAccess *access, DeclaredPublication *publication, CatalogMode mode)
{
	const int32 *beside;
	bool		isnull;
	MemoryContext old;

	verify_version();
	if (catalog_run("SELECT name, owner::oid AS owner, pinned::oid AS pinned, method, params, target, max_rows, sample_seed, beside, releases, remembered,"
					" shard, shard_of_key, attempt IS NOT NULL AS is_coordinated"
					" FROM pprepub_internal.catalog_publication WHERE publication = $1", mode,
					CATALOG_PARAMS(CATALOG_INT(publication->id))) == 0)
	{
		if (mode == CATALOG_LOOK)
			refuse_old_snapshot();	/* it was declared later */
		refuse_dropped();
	}
	publication->name = catalog_text(access, 0, "name");
	publication->owner = catalog_oid(0, "owner");
	publication->pinned = catalog_oid(0, "pinned");
	if (RecoveryInProgress())
		hold_on_standby(publication);
	publication->source = source_of_pinned(publication->pinned);
	publication->method = catalog_text(access, 0, "method");
	publication->target = catalog_text(access, 0, "target");
	publication->max_rows = catalog_int(0, "max_rows");
	publication->sample_seed = catalog_int(0, "sample_seed");
	publication->releases = catalog_int(0, "releases");
	publication->remembered = catalog_int(0, "remembered");
	publication->shard = catalog_text(access, 0, "shard");
	publication->shard_of_key = catalog_int(0, "shard_of_key");
	publication->is_coordinated = catalog_int(0, "is_coordinated");
	old = MemoryContextSwitchTo(access->context);
	publication->private = psprintf("%s_private", publication->target);
	publication->params = DatumGetJsonbPCopy(catalog_field(0, "params", &isnull));
	MemoryContextSwitchTo(old);
	beside = catalog_numbers(0, "beside", &publication->nbeside);
	publication->beside = memcpy(MemoryContextAlloc(access->context, sizeof(int32) * (publication->nbeside + 1)),
								 beside, sizeof(int32) * publication->nbeside);
	read_columns(access, publication, mode);
	read_noted(access, publication, mode);
}

/* Whom a publication is opened for: the caller must have this role's rights, or those of its owner. */
typedef enum OpenedFor
{
	FOR_OWNER,
	FOR_NEW_OWNER,				/* of the source, which may have another owner than the publication */
	FOR_AUDITOR
} OpenedFor;

void
verify_rights_of(Oid owner, const char *name)
{
	if (!has_rights_of(owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of publication \"%s\"", name)));
}

bool
may_audit(int32 publication)
{
	return catalog_finds("SELECT FROM pprepub_internal.catalog_relation r JOIN pg_class c ON c.oid = r.relation::oid"
						 " WHERE r.publication = $1 AND r.part = 'auditors' AND has_table_privilege($2, c.oid, 'SELECT')",
						 CATALOG_INT(publication), CATALOG_OID(GetUserId()));
}

/*
 * Finds a publication for a caller with the rights that are asked for.  They are checked before anything is locked, so
 * that other roles cannot hold up publishers.
 */
static FoundPublication
find_publication(const char *name, OpenedFor who)
{
	CatalogAccess access;
	FoundPublication found;
	MemoryContext old;
	Oid			owner;
	Oid			source = InvalidOid;
	bool		isnull;

	catalog_enter(&access);
	catalog_read("SELECT publication, owner::oid AS owner, pinned::oid AS pinned, method, params FROM pprepub_internal.catalog_publication WHERE name = $1",
				 CATALOG_TEXT(name));
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("publication \"%s\" does not exist", name),
				 errhint("Declare it with pprepub.create_publication().")));
	found.id = catalog_int(0, "publication");
	found.owner = owner = catalog_oid(0, "owner");
	found.method = catalog_text(&access, 0, "method");
	old = MemoryContextSwitchTo(access.context);
	found.params = DatumGetJsonbPCopy(catalog_field(0, "params", &isnull));
	MemoryContextSwitchTo(old);
	if (who == FOR_NEW_OWNER)
		source = source_of_pinned(catalog_oid(0, "pinned"));
	catalog_leave(&access);
	if (OidIsValid(source) && get_rel_relkind(source) != '\0')
		owner = relation_owner(source);
	if (who != FOR_AUDITOR)
		verify_rights_of(owner, name);
	else if (!has_rights_of(owner) && !may_audit(found.id))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner or auditor of publication \"%s\"", name),
				 errhint("Its owner can call pprepub.grant_audit().")));
	return found;
}

/* Raises an error if the source is gone or, without new_owner, belongs to another role than the publication. */
static void
verify_source(const DeclaredPublication *publication, bool new_owner)
{
	if (get_rel_relkind(publication->source) == '\0' || get_rel_relkind(publication->pinned) == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the source of publication \"%s\" was dropped, or is not in this database", publication->name),
				 errhint("Published releases stay. pprepub.drop_publication() drops the publication.")));
	if (relation_owner(publication->source) != publication->owner && !new_owner)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the source of publication \"%s\" has another owner now", publication->name),
				 errhint("Its new owner takes the publication over by calling pprepub.alter_publication().")));
}

/*
 * Raises a serialization failure if the publication's row has changed since the transaction's snapshot, under which the
 * source is read.
 */
static void
verify_snapshot(int32 publication)
{
	const char *sql = "SELECT ctid FROM pprepub_internal.catalog_publication WHERE publication = $1";
	ItemPointerData now;
	bool		isnull;

	if (!IsolationUsesXactSnapshot())
		return;
	if (catalog_read(sql, CATALOG_INT(publication)) == 0)
		refuse_old_snapshot();
	now = *(ItemPointer) DatumGetPointer(catalog_field(0, "ctid", &isnull));
	if (catalog_execute(sql, CATALOG_INT(publication)) == 0 ||
		!ItemPointerEquals(&now, (ItemPointer) DatumGetPointer(catalog_field(0, "ctid", &isnull))))
		refuse_old_snapshot();
}

/* Likewise, if people were forgotten since: their tables have new files, in which an older snapshot sees no row. */
static void
verify_nothing_was_erased(int32 publication)
{
	const char *sql = "SELECT FROM pprepub_internal.catalog_erasure WHERE publication = $1";

	if (catalog_look(sql, CATALOG_INT(publication)) != catalog_read(sql, CATALOG_INT(publication)))
		refuse_old_snapshot();
}

void
verify_releases_are_seen(const DeclaredPublication *publication)
{
	CatalogAccess access;

	if (!IsolationUsesXactSnapshot())
		return;
	catalog_enter(&access);
	if (catalog_execute("SELECT FROM pprepub_internal.catalog_publication WHERE publication = $1 AND releases = $2",
						CATALOG_INT(publication->id), CATALOG_INT(publication->releases)) == 0)
		refuse_old_snapshot();
	catalog_leave(&access);
}

void
verify_one_row(const DeclaredPublication *publication, const char *asked, const char *hint)
{
	if (has_several_rows(publication))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s takes each row for a person", asked),
				 errdetail("A person of publication \"%s\" may have several rows.", publication->name),
				 errhint("%s", hint)));
}

void
verify_release_number(const DeclaredPublication *publication, int32 number)
{
	if (number >= 1 && number <= publication->releases)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("publication \"%s\" has no release %d", publication->name, number),
			 publication->releases == 0 ? errhint("It has none yet: pprepub.publish() makes one.")
			 : errhint("Its releases have the numbers 1 to %d.", publication->releases)));
}

FoundPublication
publication_find(const char *name)
{
	return find_publication(name, FOR_OWNER);
}

void
lock_publication_number(int32 publication, LOCKMODE lock)
{
	LockDatabaseObject(catalog_relation("catalog_publication"), publication, 0, lock);
}

#define PATIENCE_MS	1000
#define PAUSE_MS	20

/* Tells the caller, who may know of the publication, that the call goes on when other work has ended. */
static void
notice_waiting(int32 number)
{
	CatalogAccess access;
	const char *name;
	const char *command = NULL;
	int			n;
	const ProgressRow *rows = progress_rows(&n);

	catalog_enter(&access);
	name = catalog_read("SELECT name FROM pprepub_internal.catalog_publication WHERE publication = $1",
						CATALOG_INT(number)) == 0 ? NULL : catalog_text(&access, 0, "name");
	catalog_leave(&access);
	if (name == NULL)
		return;
	/* Nobody sees more of other sessions than view progress shows. */
	for (int i = 0; i < n && command == NULL; i++)
		if (rows[i].pid != MyProcPid && rows[i].database == MyDatabaseId && strcmp(rows[i].publication, name) == 0 &&
			has_rights_of(rows[i].owner))
			command = rows[i].command;
	ereport(NOTICE,
			(errmsg("waiting for other work on publication \"%s\"", name),
			 command == NULL ? errdetail("An answer is being made, or a transaction that has changed, published or read it is still open.")
			 : errdetail("Another session runs %s() on it.", command),
			 errhint("Views pprepub.progress and pg_stat_activity tell more.")));
}

/* Locks a publication.  Most work of others ends soon; the caller is told of that which does not. */
static void
lock_and_tell(int32 number, LOCKMODE lock)
{
	for (int waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS)
	{
		if (ConditionalLockDatabaseObject(catalog_relation("catalog_publication"), number, 0, lock))
			return;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(PAUSE_MS * 1000L);
	}
	notice_waiting(number);
	lock_publication_number(number, lock);
}

/* Locks a publication by its number and reads its row. */
static DeclaredPublication *
lock_and_read(int32 number, LOCKMODE lock, CatalogMode mode)
{
	DeclaredPublication *publication = palloc0(sizeof(DeclaredPublication));
	CatalogAccess access;

	publication->id = number;
	lock_and_tell(publication->id, lock);
	catalog_enter(&access);
	if (lock >= ExclusiveLock)
		verify_snapshot(publication->id);
	else
		verify_nothing_was_erased(publication->id);
	read_publication(&access, publication, mode);
	catalog_leave(&access);
	return publication;
}

/* Rights are verified before anything is locked, and again when nobody can change them any more. */
static DeclaredPublication *
lock_publication(const char *name, LOCKMODE lock, CatalogMode mode, OpenedFor who)
{
	DeclaredPublication *publication = lock_and_read(find_publication(name, who).id, lock, mode);

	if (find_publication(publication->name, who).owner != publication->owner)
		refuse_old_snapshot();
	return publication;
}

static DeclaredPublication *
open_with_source(DeclaredPublication *publication, bool new_owner)
{
	verify_source(publication, new_owner);
	read_types(publication);
	return publication;
}

DeclaredPublication *
publication_of_live(Oid relation)
{
	DeclaredPublication *publication = NULL;
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT publication FROM pprepub_internal.catalog_relation WHERE relation::oid = $1 AND part = 'live'",
					 CATALOG_OID(relation)) > 0)
	{
		publication = MemoryContextAllocZero(access.context, sizeof(DeclaredPublication));
		publication->id = catalog_int(0, "publication");
		read_publication(&access, publication, CATALOG_READ);
	}
	catalog_leave(&access);
	if (publication == NULL)
		return NULL;
	if (get_rel_relkind(publication->pinned) == '\0')
		verify_source(publication, false);
	read_types(publication);
	return publication;
}

DeclaredPublication *
publication_open(const char *name, LOCKMODE lock)
{
	return open_with_source(lock_publication(name, lock, CATALOG_READ, FOR_OWNER), false);
}

DeclaredPublication *
publication_look(const char *name, bool for_auditor)
{
	return open_with_source(lock_publication(name, AccessShareLock, CATALOG_LOOK, for_auditor ? FOR_AUDITOR : FOR_OWNER), false);
}

DeclaredPublication *
publication_open_number(int32 number, LOCKMODE lock)
{
	DeclaredPublication *publication = lock_and_read(number, lock, CATALOG_READ);

	verify_rights_of(publication->owner, publication->name);
	return open_with_source(publication, false);
}

DeclaredPublication *
publication_open_for_new_owner(const char *name, LOCKMODE lock)
{
	return open_with_source(lock_publication(name, lock, CATALOG_READ, FOR_NEW_OWNER), true);
}

DeclaredPublication *
publication_open_to_drop(const char *name)
{
	DeclaredPublication *publication = lock_publication(name, AccessExclusiveLock, CATALOG_READ, FOR_OWNER);

	if (get_rel_relkind(publication->source) != '\0' && get_rel_relkind(publication->pinned) != '\0')
		verify_source(publication, false);
	return publication;
}

const DeclaredColumn *
publication_column(const DeclaredPublication *publication, ColumnRole role)
{
	for (int i = 0; i < publication->ncolumns + publication->nhidden; i++)
		if (publication->columns[i].role == role)
			return &publication->columns[i];
	elog(ERROR, "publication \"%s\" has no column of role %d", publication->name, (int) role);
}

int
column_index(const DeclaredPublication *publication, const char *name, bool hidden_too)
{
	for (int i = 0; i < publication->ncolumns + (hidden_too ? publication->nhidden : 0); i++)
		if (strcmp(publication->columns[i].name, name) == 0)
			return i;
	return -1;
}

const char *
free_column_name(const DeclaredPublication *publication, const char *name)
{
	return column_index(publication, name, false) < 0 ? name : free_column_name(publication, psprintf("%s_", name));
}

char *
quoted_private(const DeclaredPublication *publication, const char *suffix)
{
	return quote_qualified_identifier(publication->private, psprintf("%s%s", publication->name, suffix));
}

char *
quoted_target(const DeclaredPublication *publication, const char *suffix)
{
	return quote_qualified_identifier(publication->target, psprintf("%s%s", publication->name, suffix));
}

static Oid
relation_in(const char *schema, const DeclaredPublication *publication, const char *suffix)
{
	Oid			namespace = get_namespace_oid(schema, true);

	return OidIsValid(namespace) ? get_relname_relid(psprintf("%s%s", publication->name, suffix), namespace) : InvalidOid;
}

Oid
relation_in_target(const DeclaredPublication *publication, const char *suffix)
{
	return relation_in(publication->target, publication, suffix);
}

Oid
relation_in_private(const DeclaredPublication *publication, const char *suffix)
{
	return relation_in(publication->private, publication, suffix);
}

Oid
make_relation(const DeclaredPublication *publication, const char *schema, const char *suffix, const char *kind, const char *definition)
{
	char	   *quoted = quote_qualified_identifier(schema, psprintf("%s%s", publication->name, suffix));
	Oid			relation;

	execute_ddl(psprintf("CREATE %s %s %s", kind, quoted, definition));
	relation = relation_in(schema, publication, suffix);
	if (strcmp(kind, "TYPE") == 0)
		reset_rights(TypeRelationId, get_rel_type_id(relation), psprintf("TYPE %s", quoted));
	else
		reset_rights(RelationRelationId, relation, psprintf("TABLE %s", quoted));
	return relation;
}

Oid
function_in_target(const DeclaredPublication *publication, const char *suffix, const Oid *arguments, int narguments)
{
	Oid			schema = get_namespace_oid(publication->target, true);

	if (!OidIsValid(schema))
		return InvalidOid;
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(psprintf("%s%s", publication->name, suffix)),
						   PointerGetDatum(buildoidvector(arguments, narguments)),
						   ObjectIdGetDatum(schema));
}

void
note_relation(const DeclaredPublication *publication, Oid relation, const char *part)
{
	CatalogAccess access;

	catalog_enter(&access);
	/* The entry of a relation that is gone in spite of all protection is replaced. */
	catalog_execute("DELETE FROM pprepub_internal.catalog_relation r WHERE r.publication = $1 AND r.part = $2"
					" AND NOT EXISTS (SELECT FROM pg_class k WHERE k.oid = r.relation::oid)",
					CATALOG_INT(publication->id), CATALOG_TEXT(part));
	catalog_execute("INSERT INTO pprepub_internal.catalog_relation (relation, publication, part, format) VALUES ($1, $2, $3, $4)",
					CATALOG_PARAM(REGCLASSOID, ObjectIdGetDatum(relation)), CATALOG_INT(publication->id),
					CATALOG_TEXT(part), CATALOG_PARAM(INT2OID, Int16GetDatum(RELATION_FORMAT)));
	catalog_leave(&access);
	if (strcmp(part, "release") != 0)
		set_noted(unconstify(DeclaredPublication *, publication), part, relation);
}

void
note_erasure(const DeclaredPublication *publication, CatalogParam people, CatalogParam releases)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub_internal.catalog_erasure VALUES ($1, now(), session_user, $2, $3)",
					CATALOG_INT(publication->id), people, releases);
	/* Transactions whose snapshots are older cannot publish: see verify_snapshot(). */
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET releases = releases WHERE publication = $1", CATALOG_INT(publication->id));
	catalog_leave(&access);
}

Oid
noted_relation(const DeclaredPublication *publication, const char *part)
{
	const NotedRelation *noted = find_noted(publication, part);

	return noted == NULL ? InvalidOid : noted->relation;
}

void
verify_name_is_not_taken(const DeclaredPublication *publication, const char *schema, const char *name)
{
	if (OidIsValid(get_relname_relid(name, get_namespace_oid(schema, false))))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" in schema \"%s\" is in the way of publication \"%s\"",
						name, schema, publication->name),
				 errhint("It was not made by pprepub: rename it, or drop it.")));
}

char *
column_type_sql(const DeclaredColumn *column)
{
	char	   *type = format_type_extended(column->type, column->typmod,
											FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);

	if (!OidIsValid(column->collation) || column->collation == get_typcollation(column->type))
		return type;
	return psprintf("%s COLLATE %s", type, generate_collation_name(column->collation));
}

char *
equality_sql(Oid type)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;
	char	   *sql;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", operator);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	sql = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
				   NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return sql;
}

char *
printed_type_sql(const DeclaredColumn *column)
{
	return format_type_extended(printed_type(column->kind, column->type), -1, FORMAT_TYPE_FORCE_QUALIFY);
}

char *
released_type_sql(const DeclaredColumn *column)
{
	return column->role == ROLE_QUASI_IDENTIFIER ? printed_type_sql(column) : column_type_sql(column);
}

void
verify_not_null(FunctionCallInfo fcinfo, int n, const char *what)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", what)));
}

char *
text_argument(FunctionCallInfo fcinfo, int n, const char *what)
{
	verify_not_null(fcinfo, n, what);
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}
