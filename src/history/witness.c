/*
 * witness.c
 *		The witness of each release, and acknowledge_history().
 *
 * NOTES
 *		A file-level copy that needs no recovery has the same system identifier,
 *		timeline and database; only the device, inode and change time of files in
 *		the data directory show that it is another one.  A storage snapshot that
 *		is rolled back in place cannot be detected from inside.
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
#include "utils/numeric.h"
#include "utils/pg_lsn.h"

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

/* Returns a field of a witness as text, or NULL if it does not have the field. */
static char *
field_words(Jsonb *witness, const char *field)
{
	JsonbValue *value = getKeyJsonValueFromContainer(&witness->root, field, strlen(field), NULL);

	if (value != NULL && value->type == jbvString)
		return pnstrdup(value->val.string.val, value->val.string.len);
	if (value != NULL && value->type == jbvNumeric)
		return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	return NULL;
}

static bool
differ(Jsonb *before, Jsonb *now, const char *field)
{
	const char *was = field_words(before, field);
	const char *is = field_words(now, field);

	return was != NULL && is != NULL && strcmp(was, is) != 0;
}

static XLogRecPtr
position_of(Jsonb *witness)
{
	const char *words = field_words(witness, "position");

	return words == NULL ? InvalidXLogRecPtr :
		DatumGetLSN(DirectFunctionCall1(pg_lsn_in, CStringGetDatum(words)));
}

static void
list(StringInfo words, bool differs, const char *how)
{
	if (differs)
		appendStringInfo(words, "%s%s", words->len == 0 ? "" : ", ", how);
}

/* Lists how the place and time of a witness differ from those of another. */
static void
list_differences(StringInfo words, Jsonb *before, Jsonb *now)
{
	list(words, differ(before, now, "system"), "by another database system");
	list(words, differ(before, now, "timeline"), "on another timeline");
	list(words, differ(before, now, "database"), "in another database");
	list(words, differ(before, now, "device") || differ(before, now, "inode") || differ(before, now, "changed"),
		 "in another data directory");
	list(words, position_of(before) > position_of(now), "later than now");
}

/* Describes how the witness that a query has found differs from the present; called inside the catalog. */
static const char *
found_words(uint64 found)
{
	StringInfoData words;
	Datum		before = (Datum) 0;
	bool		is_new = true;

	initStringInfo(&words);
	if (found > 0)
		before = catalog_field(0, "witness", &is_new);
	if (!is_new)
		list_differences(&words, DatumGetJsonbP(before), DatumGetJsonbP(witness_now()));
	return words.data;
}

const char *
rewound_words(const DeclaredPublication *publication)
{
	CatalogAccess access;
	char	   *words;

	catalog_enter(&access);
	words = MemoryContextStrdup(access.context,
								found_words(catalog_read("SELECT witness FROM pprepub_internal.catalog_publication WHERE publication = $1",
														 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)))));
	catalog_leave(&access);
	return words;
}

/* For a view of many publications: raises no error, whatever has become of one of them. */
Datum
pprepub_is_rewound(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	CatalogAccess access;
	uint64		found;
	Oid			owner;
	bool		is_rewound;

	if (RecoveryInProgress())
		PG_RETURN_NULL();
	catalog_enter(&access);
	found = catalog_read("SELECT owner::oid AS owner, witness FROM pprepub_internal.catalog_publication WHERE name = $1", CATALOG_TEXT(name));
	owner = found > 0 ? catalog_oid(0, "owner") : InvalidOid;
	is_rewound = strcmp(found_words(found), "") != 0;
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
						 catalog_int(i, "number"));
	return list.data;
}

void
verify_identified(const DeclaredPublication *publication)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (catalog_read("SELECT number FROM pprepub_internal.catalog_release"
					 " WHERE publication = $1 AND NOT identified AND waived_at IS NULL ORDER BY number",
					 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id))) > 0)
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
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
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

	verify_may_change("acknowledge_history()");
	publication = publication_open(name, ExclusiveLock);
	catalog_enter(&access);
	now = witness_now();
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET witness = $2 WHERE publication = $1 AND releases > 0",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(JSONBOID, now));
	waive_identities(publication);
	catalog_leave(&access);
	PG_RETURN_VOID();
}
