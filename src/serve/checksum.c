/*
 * checksum.c
 *		Summing up the hashes of rows.
 *
 * Two sums of 64 bits, of two independent hashes of each row.  A row's hash
 * chains those of its values: of the bytes where a type's bytes say it all and
 * survive a dump, of the text otherwise.
 */
#include "serve/checksum.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define NULL_HASH	UINT64CONST(0x6a09e667f3bcc908)

typedef enum ValueForm
{
	FORM_WORD,					/* passed by value */
	FORM_BYTES,					/* the bytes behind a varlena header */
	FORM_TEXT					/* what the output function prints */
} ValueForm;

struct Checksum
{
	uint64		seed;
	uint64		sum[2];
	int			ncolumns;
	ValueForm  *form;
	FmgrInfo   *output;
	MemoryContext work;
};

static ValueForm
form_of(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case BOOLOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return FORM_WORD;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case INT4RANGEOID:
		case INT8RANGEOID:
		case DATERANGEOID:
		case TSRANGEOID:
		case TSTZRANGEOID:
			return FORM_BYTES;
		default:
			return FORM_TEXT;
	}
}

Checksum *
checksum_create(TupleDesc columns, uint64 seed)
{
	Checksum   *checksum = palloc0(sizeof(Checksum));

	checksum->seed = seed;
	checksum->ncolumns = columns->natts;
	checksum->form = palloc(sizeof(ValueForm) * columns->natts);
	checksum->output = palloc0(sizeof(FmgrInfo) * columns->natts);
	checksum->work = AllocSetContextCreate(CurrentMemoryContext, "checksum of a row",
										   ALLOCSET_SMALL_SIZES);
	for (int i = 0; i < columns->natts; i++)
	{
		Oid			type = TupleDescAttr(columns, i)->atttypid;
		Oid			output;
		bool		varlena;

		checksum->form[i] = form_of(type);
		getTypeOutputInfo(type, &output, &varlena);
		fmgr_info(output, &checksum->output[i]);
	}
	return checksum;
}

static uint64
hash_value(Checksum *checksum, int column, Datum value, uint64 seed)
{
	struct varlena *bytes;
	char	   *text;

	switch (checksum->form[column])
	{
		case FORM_WORD:
			return hash_bytes_extended((unsigned char *) &value, sizeof(value), seed);
		case FORM_BYTES:
			bytes = PG_DETOAST_DATUM_PACKED(value);
			return hash_bytes_extended((unsigned char *) VARDATA_ANY(bytes),
									   VARSIZE_ANY_EXHDR(bytes), seed);
		case FORM_TEXT:
			text = OutputFunctionCall(&checksum->output[column], value);
			return hash_bytes_extended((unsigned char *) text, strlen(text), seed);
	}
	return 0;
}

void
checksum_add(Checksum *checksum, const Datum *values, const bool *nulls)
{
	MemoryContext old = MemoryContextSwitchTo(checksum->work);

	for (int lane = 0; lane < 2; lane++)
	{
		uint64		hash = checksum->seed + lane;

		for (int i = 0; i < checksum->ncolumns; i++)
			hash = nulls[i] ? hash_combine64(hash, NULL_HASH)
				: hash_value(checksum, i, values[i], hash);
		checksum->sum[lane] += hash;
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(checksum->work);
}

pg_uuid_t *
checksum_result(const Checksum *checksum)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	StaticAssertStmt(sizeof(checksum->sum) == UUID_LEN, "a checksum fills a uuid");
	memcpy(result->data, checksum->sum, UUID_LEN);
	return result;
}
