/*
 * target_schemas.c
 *		Checking and making TARGET and TARGET_private, which belong to the owner
 *		alone.
 */
#include "declare/publication.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_database_d.h"
#include "catalog/pg_namespace.h"
#include "compat.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

/* Returns the owner of a schema, from the system cache. */
static Oid
schema_owner(Oid schema)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for schema %u", schema);
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Do publications of other roles stand in the schema?  It must not become
 * another role's then, since nothing of them would be published any more.
 */
static bool
has_publications_of_others(const char *schema, Oid owner)
{
	CatalogAccess access;
	bool		found;

	catalog_enter(&access);
	found = catalog_read("SELECT FROM pprepub_internal.catalog_publication WHERE $1 IN (target::text, target::text || '_private') AND owner::oid <> $2",
						 CATALOG_TEXT(schema), CATALOG_PARAM(OIDOID, ObjectIdGetDatum(owner))) > 0;
	catalog_leave(&access);
	return found;
}

/* An error about a schema that is another role's: a publication that stands in it already cannot have another one. */
static void
refuse_owner(const char *name, const char *owner_name, bool is_declared, bool is_in_use)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("schema \"%s\" does not belong to role \"%s\"", name, owner_name),
			 errdetail("The owner of a schema can drop what stands in it, so it must be the owner of the source."),
			 is_declared
			 ? errhint("Run ALTER SCHEMA %s OWNER TO %s.", quote_identifier(name), quote_identifier(owner_name))
			 : is_in_use
			 ? errhint("Publications of others stand in it: declare this one with a schema of its own, target => '…'.")
			 : errhint("Declare the publication with another schema, target => '…', or run ALTER SCHEMA %s OWNER TO %s if nobody else needs this one.",
					   quote_identifier(name), quote_identifier(owner_name))));
}

/*
 * Raises an error unless the schema exists, belongs to the owner, and lets no
 * other role create in it.
 */
static void
verify_schema(const char *name, Oid owner, bool is_declared)
{
	Oid			schema = get_namespace_oid(name, true);
	char	   *owner_name = GetUserNameFromId(owner, false);
	Acl		   *acl;

	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema \"%s\" does not exist", name),
				 errhint("Run CREATE SCHEMA %s AUTHORIZATION %s.",
						 quote_identifier(name), quote_identifier(owner_name))));
	if (schema_owner(schema) != owner)
		refuse_owner(name, owner_name, is_declared, has_publications_of_others(name, owner));
	acl = rights_on(NamespaceRelationId, schema);
	for (int i = 0; acl != NULL && i < ACL_NUM(acl); i++)
		if (ACL_DAT(acl)[i].ai_grantee != owner &&
			(ACLITEM_GET_PRIVS(ACL_DAT(acl)[i]) & ACL_CREATE) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_SCHEMA_DEFINITION),
					 errmsg("others may create objects in schema \"%s\"", name),
					 errhint("Revoke CREATE on it from everybody but its owner, or declare the publication with another schema: target => '…'.")));
}

void
verify_schemas(const DeclaredPublication *publication, Oid owner)
{
	verify_schema(publication->target, owner, true);
	verify_schema(publication->private, owner, true);
}

/* Creates a schema as its owner, and revokes what default privileges grant on it. */
static void
create_schema(const char *name, Oid owner)
{
	if (object_aclcheck(DatabaseRelationId, MyDatabaseId, owner, ACL_CREATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may not create schema \"%s\" in this database",
						GetUserNameFromId(owner, false), name),
				 errhint("Have it created beforehand: CREATE SCHEMA %s AUTHORIZATION %s.",
						 quote_identifier(name), quote_identifier(GetUserNameFromId(owner, false)))));
	execute_ddl(psprintf("CREATE SCHEMA %s", quote_identifier(name)));
	reset_rights(NamespaceRelationId, get_namespace_oid(name, false),
				 psprintf("SCHEMA %s", quote_identifier(name)));
}

static void
ensure_schema(const char *name, Oid owner)
{
	if (OidIsValid(get_namespace_oid(name, true)))
		verify_schema(name, owner, false);
	else
		create_schema(name, owner);
}

void
ensure_schemas(const DeclaredPublication *publication)
{
	ensure_schema(publication->target, publication->owner);
	ensure_schema(publication->private, publication->owner);
}
