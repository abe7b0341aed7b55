/*
 * reports.c
 *		metrics() and release_intact(): what an owner asks of a stored release.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/reader.h"
#include "miscadmin.h"
#include "serve/checksum.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_metrics);
PG_FUNCTION_INFO_V1(pprepub_release_intact);

static int32
release_argument(FunctionCallInfo fcinfo, const DeclaredPublication *publication)
{
	int32		number;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the number of a release must not be null")));
	number = PG_GETARG_INT32(1);
	if (number < 1 || number > publication->releases)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("publication \"%s\" has no release %d", publication->name, number)));
	return number;
}

Datum
pprepub_metrics(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, AccessShareLock);
	int32		number = release_argument(fcinfo, publication);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	CatalogAccess access;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	catalog_enter(&access);
	catalog_read("SELECT metric, value FROM pprepub.catalog_metric"
					" WHERE publication = $1 AND release = $2 ORDER BY position",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	catalog_leave(&access);
	return (Datum) 0;
}

static pg_uuid_t *
checksum_of(Oid relation, uint64 seed)
{
	Checksum   *checksum = checksum_create(relation, seed);
	RowReader  *reader;
	TupleTableSlot *slot;

	PushActiveSnapshot(GetLatestSnapshot());	/* as the catalog was read */
	reader = reader_open(relation);
	while ((slot = reader_next(reader)) != NULL)
		checksum_add(checksum, slot->tts_values, slot->tts_isnull);
	reader_close(reader);
	PopActiveSnapshot();
	return checksum_result(checksum);
}

Datum
pprepub_release_intact(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, AccessShareLock);
	int32		number = release_argument(fcinfo, publication);
	CatalogAccess access;
	Identity	caller;
	pg_uuid_t	expected;
	uint64		seed;
	Oid			relation;
	bool		isnull;
	bool		intact;

	catalog_enter(&access);
	catalog_read("SELECT relation::oid AS relation, checksum_seed, checksum FROM pprepub.catalog_release"
					" WHERE publication = $1 AND number = $2",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(number)));
	relation = catalog_oid(0, "relation");
	seed = DatumGetInt64(catalog_field(0, "checksum_seed", &isnull));
	expected = *DatumGetUUIDP(catalog_field(0, "checksum", &isnull));
	catalog_leave(&access);

	if (get_rel_relkind(relation) != RELKIND_RELATION)
		PG_RETURN_BOOL(false);
	act_as(&caller, publication->owner);
	intact = memcmp(checksum_of(relation, seed), &expected, sizeof(expected)) == 0;
	act_as_before(&caller);
	PG_RETURN_BOOL(intact);
}
