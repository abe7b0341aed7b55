/*
 * identity.c
 *		Acting as another role, and the rights on what is made.
 *
 * NOTES
 *		With either flag of the security context, the server refuses to set role
 *		or session_authorization; with SECURITY_RESTRICTED_OPERATION, also
 *		everything that would outlast the operation.
 *
 *		Neither stops hostile code from changing the search path or other plain
 *		settings.  Therefore each act_as() opens a settings level of its own and
 *		sets everything that matters, also inside another act_as().
 */
#include "declare/identity.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static const struct
{
	const char *name;
	const char *value;
}			fixed_settings[] =
{
	{"search_path", "pg_catalog, pg_temp"},
	{"row_security", "off"},	/* an error beats silent filtering */
	{"jit", "off"},				/* costs are often overestimated, and compiling takes seconds */
	{"default_table_access_method", "heap"},
	{"quote_all_identifiers", "off"},
	{"DateStyle", "ISO, YMD"},
	{"IntervalStyle", "postgres"},
	{"TimeZone", "UTC"},
	{"timezone_abbreviations", "Default"},
	{"extra_float_digits", "1"},
	{"bytea_output", "hex"},
	{"xmlbinary", "base64"},
	{"lc_monetary", "C"},
	{"array_nulls", "on"},
	{"standard_conforming_strings", "on"},
	{"backslash_quote", "safe_encoding"},
	{"escape_string_warning", "off"},
	{"transform_null_equals", "off"},
};

/*
 * Most settings have the right value already, and asking is cheaper than
 * setting. A setting that hostile code has SET at this level cannot be saved
 * any more, as a server with assertions insists; either way the value from
 * before comes back.
 */
void
fix_settings(void)
{
	for (int i = 0; i < (int) lengthof(fixed_settings); i++)
		if (strcmp(GetConfigOption(fixed_settings[i].name, false, false), fixed_settings[i].value) != 0)
			(void) set_config_option(fixed_settings[i].name, fixed_settings[i].value,
									 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL,
									 true, 0, false);
}

void
act_as(Identity *before, Oid role)
{
	GetUserIdAndSecContext(&before->userid, &before->security_context);
	SetUserIdAndSecContext(role, before->security_context |
						   SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
	before->guc_level = NewGUCNestLevel();
	fix_settings();
}

void
act_as_before(const Identity *before)
{
	AtEOXact_GUC(false, before->guc_level);
	SetUserIdAndSecContext(before->userid, before->security_context);
}

void
verify_may_change(const char *command)
{
	PreventCommandIfReadOnly(command);
	PreventCommandDuringRecovery(command);
	verify_version();
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot execute %s within a security-restricted operation", command),
				 errdetail("Code that a source brings along, for one, runs in such an operation.")));
}

void
verify_source_kind(Oid relation)
{
	char		kind = get_rel_relkind(relation);

	if (kind == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (kind != RELKIND_RELATION && kind != RELKIND_VIEW && kind != RELKIND_MATVIEW &&
		kind != RELKIND_PARTITIONED_TABLE && kind != RELKIND_FOREIGN_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a source", get_rel_name(relation)),
				 errdetail("A source is a table, a view, a materialized view or a foreign table.")));
}

Oid
relation_owner(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

bool
has_rights_of(Oid role)
{
	return has_privs_of_role(GetUserId(), role);
}

char *
quoted_relation(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
									  get_rel_name(relation));
}

void
execute_ddl(const char *sql)
{
	int			result = SPI_execute(sql, false, 0);

	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", sql, SPI_result_code_string(result));
}

/* The catalogs that keep access lists, one for each class of objects. */
static const struct
{
	Oid			classid;
	int			cache;
	AttrNumber	owner;
	AttrNumber	rights;
}			classes[] =
{
	{RelationRelationId, RELOID, Anum_pg_class_relowner, Anum_pg_class_relacl},
	{NamespaceRelationId, NAMESPACEOID, Anum_pg_namespace_nspowner, Anum_pg_namespace_nspacl},
	{ProcedureRelationId, PROCOID, Anum_pg_proc_proowner, Anum_pg_proc_proacl},
	{TypeRelationId, TYPEOID, Anum_pg_type_typowner, Anum_pg_type_typacl},
};

/* Reads an object's access list, NULL for the default, and its owner. */
static Acl *
read_rights(Oid classid, Oid object, Oid *owner)
{
	for (int i = 0; i < (int) lengthof(classes); i++)
	{
		HeapTuple	tuple;
		bool		isnull;
		Datum		value;
		Acl		   *result;

		if (classes[i].classid != classid)
			continue;
		tuple = SearchSysCache1(classes[i].cache, ObjectIdGetDatum(object));
		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for object %u", object);
		*owner = DatumGetObjectId(SysCacheGetAttr(classes[i].cache, tuple, classes[i].owner, &isnull));
		value = SysCacheGetAttr(classes[i].cache, tuple, classes[i].rights, &isnull);
		result = isnull ? NULL : DatumGetAclPCopy(value);
		ReleaseSysCache(tuple);
		return result;
	}
	elog(ERROR, "no rights are known of class %u", classid);
}

Acl *
rights_on(Oid classid, Oid object)
{
	Oid			owner;

	return read_rights(classid, object, &owner);
}

void
reset_rights(Oid classid, Oid object, const char *named)
{
	Oid			owner;
	Acl		   *acl = read_rights(classid, object, &owner);

	if (acl == NULL && classid == ProcedureRelationId)
		acl = acldefault(OBJECT_FUNCTION, owner);	/* grants EXECUTE to PUBLIC */
	if (acl == NULL && classid == TypeRelationId)
		acl = acldefault(OBJECT_TYPE, owner);	/* grants USAGE to PUBLIC */
	if (acl == NULL)
		return;					/* the owner's own rights, by default */
	for (int i = 0; i < ACL_NUM(acl); i++)
	{
		Oid			grantee = ACL_DAT(acl)[i].ai_grantee;

		if (grantee == owner)
			continue;
		execute_ddl(psprintf("REVOKE ALL ON %s FROM %s CASCADE", named,
							 grantee == ACL_ID_PUBLIC ? "PUBLIC" :
							 quote_identifier(GetUserNameFromId(grantee, false))));
	}
	/* Default privileges can withhold rights from the owner, too. */
	execute_ddl(psprintf("GRANT ALL ON %s TO %s", named,
						 quote_identifier(GetUserNameFromId(owner, false))));
}
