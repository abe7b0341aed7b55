/*
 * maintain.c
 *		SQL functions about tables of ours: the rights that they need.
 */
#include "postgres.h"

#include "store/maintain.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class_d.h"
#include "compat.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/merge.h"
#include "store/scan.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

/* A role that may vacuum a table may see and change how it is stored. */
Relation
open_own_table(Oid relid, LOCKMODE lockmode)
{
	Relation	rel;

	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	rel = relation_open(relid, lockmode);
	if (!is_stored(rel))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table of the access method pprepub", RelationGetRelationName(rel)),
						errhint("CREATE TABLE ... USING pprepub makes one.")));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("\"%s\" is a temporary table of another session", RelationGetRelationName(rel))));
	return rel;
}

PG_FUNCTION_INFO_V1(pprepub_compact_storage);

Datum
pprepub_compact_storage(PG_FUNCTION_ARGS)
{
	Relation	rel;
	uint64		merged;

	PreventCommandDuringRecovery("pprepub.compact_storage()");
	PreventCommandIfReadOnly("pprepub.compact_storage()");
	rel = open_own_table(PG_GETARG_OID(0), RowExclusiveLock);
	merged = merge_all(rel);
	relation_close(rel, NoLock);
	PG_RETURN_INT64((int64) merged);
}
