/*
 * metrics_report.c
 *		metrics() and release_intact(): what an owner asks of a release.
 */
#include "postgres.h"

#include "answer/stored_answers.h"
#include "catalog/pg_type.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/reader.h"
#include "release/checksum.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_metrics);
PG_FUNCTION_INFO_V1(pprepub_release_intact);

/* The number of a release; an error if there is no such release. */
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

/* Has a release's table the checksum that was noted? */
static bool
table_is_intact(const DeclaredPublication *publication, const Released *released)
{
	Checksum   *checksum = checksum_create(released_columns(publication), released->checksum_seed);
	RowReader  *reader;
	TupleTableSlot *slot;

	if (!table_stands(publication, released))
		return false;
	reader = reader_open(released->table);
	while ((slot = reader_next(reader)) != NULL)
		checksum_add(checksum, slot->tts_values, slot->tts_isnull);
	reader_close(reader);
	return memcmp(checksum_result(checksum), &released->checksum, sizeof(pg_uuid_t)) == 0;
}

Datum
pprepub_release_intact(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, AccessShareLock);
	int32		number = release_argument(fcinfo, publication);
	const Released *released = read_one_released(publication, number);
	OwnersWork	work;
	bool		intact;

	work_begin(&work, publication->owner, GetLatestSnapshot()); /* as the catalog was read */
	intact = released->is_answer ? answers_read(publication, released, 1)->is_intact[number - 1] :
		table_is_intact(publication, released);
	work_close(&work);
	PG_RETURN_BOOL(intact);
}
