/*
 * witness.c
 *		The witness of each release, and acknowledge_history().
 *
 * NOTES
 *		A copy made by files alone, without recovery, has the same system
 *		identifier, timeline and database; only the data directory's own files
 *		tell that it is another one, by device, inode and time of change.  A
 *		storage snapshot rolled back in place cannot be told from inside.
 */
#include "history/witness.h"

#include <sys/stat.h>

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/pg_lsn.h"

PG_FUNCTION_INFO_V1(pprepub_acknowledge_history);

Datum
witness_now(void)
{
	struct stat version;
	bool		isnull;

	if (stat("PG_VERSION", &version) != 0)	/* the working directory is the data directory */
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", "PG_VERSION")));
	catalog_read("SELECT jsonb_build_object('system', $1, 'timeline', $2, 'position', $3, 'database', $4,"
				 " 'device', $5, 'inode', $6, 'changed', $7) AS witness",
				 CATALOG_TEXT(psprintf(UINT64_FORMAT, GetSystemIdentifier())),
				 CATALOG_PARAM(INT4OID, Int32GetDatum((int32) GetWALInsertionTimeLine())),
				 CATALOG_PARAM(PG_LSNOID, LSNGetDatum(GetXLogInsertRecPtr())),
				 CATALOG_TEXT(psprintf("%u", MyDatabaseId)),
				 CATALOG_TEXT(psprintf(UINT64_FORMAT, (uint64) version.st_dev)),
				 CATALOG_TEXT(psprintf(UINT64_FORMAT, (uint64) version.st_ino)),
				 CATALOG_TEXT(psprintf(INT64_FORMAT ".%09ld", (int64) version.st_ctim.tv_sec,
									   (long) version.st_ctim.tv_nsec)));
	return PointerGetDatum(DatumGetJsonbPCopy(catalog_field(0, "witness", &isnull)));
}

void
verify_witness(const DeclaredPublication *publication)
{
	CatalogAccess access;
	Datum		now;

	catalog_enter(&access);
	now = witness_now();
	catalog_read("SELECT array_to_string(ARRAY["
				 " CASE WHEN w->>'system' <> n->>'system' THEN 'by another database system' END,"
				 " CASE WHEN w->>'timeline' <> n->>'timeline' THEN 'on another timeline' END,"
				 " CASE WHEN w->>'database' <> n->>'database' THEN 'in another database' END,"
				 " CASE WHEN (w->>'device', w->>'inode', w->>'changed') <> (n->>'device', n->>'inode', n->>'changed')"
				 "  THEN 'in another data directory' END,"
				 " CASE WHEN (w->>'position')::pg_lsn > (n->>'position')::pg_lsn THEN 'later than now' END], ', ') AS differs"
				 " FROM (SELECT witness AS w, $2 AS n FROM pprepub.catalog_publication WHERE publication = $1) x",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
				 CATALOG_PARAM(JSONBOID, now));
	if (strcmp(catalog_text(&access, 0, "differs"), "") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the history of publication \"%s\" may have been rewound", publication->name),
				 errdetail("Its last release was made %s.", catalog_text(&access, 0, "differs")),
				 errhint("What was published since is not protected here. When nothing is missing, call pprepub.acknowledge_history(%s).",
						 quote_literal_cstr(publication->name))));
	catalog_leave(&access);
}

Datum
pprepub_acknowledge_history(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	CatalogAccess access;
	Datum		now;

	verify_may_change("acknowledge_history()");
	publication = publication_open(name, ExclusiveLock);
	catalog_enter(&access);
	now = witness_now();
	catalog_execute("UPDATE pprepub.catalog_publication SET witness = $2 WHERE publication = $1 AND releases > 0",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(JSONBOID, now));
	catalog_leave(&access);
	PG_RETURN_VOID();
}
