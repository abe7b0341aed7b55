/*
 * witness.c
 *		The witness of each release, and acknowledge_history().
 *
 * NOTES
 *		A file-level copy that needs no recovery has the same system identifier, timeline and database; only the
 *		device, inode and change time of files in the data directory show that it is another one.  A storage snapshot
 *		that is rolled back in place cannot be detected from inside.
 */
#include "history/witness.h"

#include <sys/stat.h>

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "declare/gate.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

PG_FUNCTION_INFO_V1(pprepub_acknowledge_history);
PG_FUNCTION_INFO_V1(pprepub_is_rewound);

Datum
witness_now(void)
{
	struct stat version;
	char	   *witness;

	if (stat("PG_VERSION", &version) != 0)	/* the working directory is the data directory */
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not stat file \"%s\": %m", "PG_VERSION")));
	witness = psprintf("{\"system\": \"" UINT64_FORMAT "\", \"timeline\": %u, \"position\": \"%X/%X\", \"database\": \"%u\","
					   " \"device\": \"" UINT64_FORMAT "\", \"inode\": \"" UINT64_FORMAT "\", \"changed\": \"" INT64_FORMAT ".%09ld\"}",
					   GetSystemIdentifier(), GetWALInsertionTimeLine(), LSN_FORMAT_ARGS(GetXLogInsertRecPtr()), MyDatabaseId,
					   (uint64) version.st_dev, (uint64) version.st_ino,
					   (int64) version.st_ctim.tv_sec, (long) version.st_ctim.tv_nsec);
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(witness));
}

/* How a witness, which may be NULL, differs from that of now, in words. */
#define REWOUND_WORDS \
	"concat_ws(', '," \
	" CASE WHEN witness ->> 'system' <> $2 ->> 'system' THEN 'by another database system' END," \
	" CASE WHEN witness ->> 'timeline' <> $2 ->> 'timeline' THEN 'on another timeline' END," \
	" CASE WHEN witness ->> 'database' <> $2 ->> 'database' THEN 'in another database' END," \
	" CASE WHEN witness ->> 'device' <> $2 ->> 'device' OR witness ->> 'inode' <> $2 ->> 'inode' OR witness ->> 'changed' <> $2 ->> 'changed'" \
	" THEN 'in another data directory' END," \
	" CASE WHEN (witness ->> 'position')::pg_lsn > ($2 ->> 'position')::pg_lsn THEN 'later than now' END)"

const char *
rewound_words(const DeclaredPublication *publication)
{
	CatalogAccess access;
	const char *words = "";

	catalog_enter(&access);
	if (catalog_read("SELECT " REWOUND_WORDS " AS words FROM pprepub_internal.catalog_publication WHERE publication = $1",
					 CATALOG_INT(publication->id), CATALOG_PARAM(JSONBOID, witness_now())) > 0)
		words = catalog_text(&access, 0, "words");
	catalog_leave(&access);
	return words;
}

/* For a view of many publications: raises no error, whatever has become of one of them. */
Datum
pprepub_is_rewound(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	CatalogAccess access;
	Oid			owner = InvalidOid;
	bool		is_rewound = false;

	if (RecoveryInProgress())
		PG_RETURN_NULL();
	catalog_enter(&access);
	if (catalog_read("SELECT owner::oid AS owner, " REWOUND_WORDS " AS words FROM pprepub_internal.catalog_publication WHERE name = $1",
					 CATALOG_TEXT(name), CATALOG_PARAM(JSONBOID, witness_now())) > 0)
	{
		owner = catalog_oid(0, "owner");
		is_rewound = strcmp(catalog_text(&access, 0, "words"), "") != 0;
	}
	catalog_leave(&access);
	if (!OidIsValid(owner) || !has_rights_of(owner))
		PG_RETURN_NULL();
	PG_RETURN_BOOL(is_rewound);
}

void
verify_witness(const DeclaredPublication *publication)
{
	const char *words = rewound_words(publication);

	if (strcmp(words, "") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the history of publication \"%s\" may have been rewound", publication->name),
				 errdetail("Its last release was made %s.", words),
				 errhint("Releases that were made since are not protected here: adopt them with pprepub.import_release(). When nothing is missing, call pprepub.acknowledge_history(%s).",
						 quote_literal_cstr(publication->name))));
}

/* Lists the release numbers of the last query: "1", "1 and 2", "1, 2 and 3". */
static char *
list_numbers(void)
{
	StringInfoData list;

	initStringInfo(&list);
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(&list, "%s%d", i == 0 ? "" : i + 1 == SPI_processed ? " and " : ", ",
						 (int) catalog_int(i, "number"));
	return list.data;
}

void
verify_identified(const DeclaredPublication *publication)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT number FROM pprepub_internal.catalog_release"
					 " WHERE publication = $1 AND NOT identified AND waived_at IS NULL ORDER BY number",
					 CATALOG_INT(publication->id)) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" has an imported release of which nobody knows whose its rows are", publication->name),
				 errdetail_plural("Release %s cannot be judged together with those to come.",
								  "Releases %s cannot be judged together with those to come.",
								  SPI_processed, list_numbers()),
				 errhint("If that is not needed, call pprepub.acknowledge_history(%s).",
						 quote_literal_cstr(publication->name))));
	catalog_leave(&access);
}

/* Waives releases that were imported without a key, and tells the owner the consequences. */
static void
waive_identities(const DeclaredPublication *publication)
{
	catalog_execute("WITH waived AS (UPDATE pprepub_internal.catalog_release SET waived_at = now(), waived_by = session_user"
					"  WHERE publication = $1 AND NOT identified AND waived_at IS NULL RETURNING number)"
					" SELECT number FROM waived ORDER BY number",
					CATALOG_INT(publication->id));
	if (SPI_processed > 0)
		ereport(NOTICE,
				(errmsg_plural("release %s of publication \"%s\" is waived",
							   "releases %s of publication \"%s\" are waived",
							   SPI_processed, list_numbers(), publication->name),
				 errdetail("Later releases are safe together with all other releases, but not with these.")));
}

Datum
pprepub_acknowledge_history(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	CatalogAccess access;
	Datum		now;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("acknowledge_history()");
	publication = publication_open(name, ExclusiveLock);
	catalog_enter(&access);
	now = witness_now();
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET witness = $2 WHERE publication = $1 AND (releases > 0 OR witness IS NOT NULL)",
					CATALOG_INT(publication->id), CATALOG_PARAM(JSONBOID, now));
	waive_identities(publication);
	catalog_leave(&access);
	PG_RETURN_VOID();
}
