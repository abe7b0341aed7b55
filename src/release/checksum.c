/*
 * checksum.c
 *		Summing up the hashes of rows.
 *
 * Two sums of 64 bits, of two independent hashes of each row.  A row's hash
 * mixes the sum of those of its values, each hashed with its column: of the
 * bytes where a type's bytes say it all and survive a dump, of the text
 * otherwise.
 */
#include "release/checksum.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "compat.h"
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
	ValueForm  *form;
	FmgrInfo   *output;
	MemoryContext work;
};

/* Types whose bytes say all and survive a dump; others are hashed as text. */
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

/* Hashes a value that is not NULL. */
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

RowSum
checksum_value(Checksum *checksum, int column, Datum value, bool isnull)
{
	MemoryContext old = MemoryContextSwitchTo(checksum->work);
	RowSum		sum;

	for (int lane = 0; lane < 2; lane++)
	{
		uint64		seed = hash_combine64(checksum->seed + lane, column);

		sum.lane[lane] = isnull ? hash_combine64(seed, NULL_HASH) : hash_value(checksum, column, value, seed);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(checksum->work);
	return sum;
}

/* Each bit of the result depends on each of x (the finalizer of splitmix64). */
static inline uint64
mix(uint64 x)
{
	x = (x ^ (x >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void
checksum_add_row(Checksum *checksum, RowSum row)
{
	for (int lane = 0; lane < 2; lane++)
		checksum->sum[lane] += mix(row.lane[lane]);
}

pg_uuid_t *
checksum_result(const Checksum *checksum)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	StaticAssertStmt(sizeof(checksum->sum) == UUID_LEN, "a checksum fills a uuid");
	memcpy(result->data, checksum->sum, UUID_LEN);
	return result;
}
