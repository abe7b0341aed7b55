/*
 * sample.c
 *		Reading a table once, and keeping a random sample of its rows.
 *
 * NOTES
 *		Every row is as likely to be kept as any other, in whatever order they
 *		come (Vitter's algorithm R); views and foreign tables can be sampled in no
 *		other way.  The random numbers are the same each time, so that a table gives
 *		the same figures again.
 *
 *		Values are known by 64 bits of their type's own hash; of types that have
 *		none but an equality, by those of their text.
 */
#include "report/suggest/sample.h"

#include <math.h>

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "compat.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/line.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* The most values that are kept, and the fewest rows, whatever these have. */
#define MOST_VALUES	4000000
#define LEAST_ROWS	10000

#define HASH_OF_NULL	UINT64CONST(0x6a09e667f3bcc908)

/* A column while it is read. */
typedef struct ReadColumn
{
	SampledColumn *column;
	FmgrInfo   *hash;			/* or NULL: by the text */
	FmgrInfo	output;
	Oid			collation;
	bool		is_varlena;		/* may values be toasted? */
	bool		has_places;		/* are they numbers, dates or times? */
	bool		has_bytes;		/* are they texts? */
	uint64	   *image;			/* [room] */
} ReadColumn;

typedef struct SampleReading
{
	DestReceiver receiver;		/* must be first */
	Sample	   *sample;
	int			ncolumns;
	ReadColumn *column;			/* [ncolumns] those that are read */
	uint32		room;			/* rows */
	pg_prng_state random;
	MemoryContext row;
} SampleReading;

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Takes from a value what is asked of a column as a whole. */
static void
look_at_value(const ReadColumn *read, Datum value)
{
	SampledColumn *column = read->column;

	if (read->has_places)
	{
		double		place;

		if (!is_finite(column->type, value))
			return;
		place = place_of(column->type, value);
		column->least = column->has_places ? Min(column->least, place) : place;
		column->most = column->has_places ? Max(column->most, place) : place;
		column->has_places = true;
		column->has_fractions |= place != rint(place);
	}
	else if (read->has_bytes)
	{
		uint32		bytes = VARSIZE_ANY_EXHDR(DatumGetPointer(value));

		column->shortest = Min(column->shortest, bytes);
		column->longest = Max(column->longest, bytes);
	}
}

/* The bits that a value is known by. */
static uint64
image_of(const ReadColumn *read, Datum value)
{
	char	   *words;

	if (read->hash != NULL)
		return DatumGetUInt64(FunctionCall2Coll(read->hash, read->collation, value, Int64GetDatum(0)));
	words = OutputFunctionCall(unconstify(FmgrInfo *, &read->output), value);
	return hash_bytes_extended((const unsigned char *) words, strlen(words), 0);
}

/* The place for a row that has come: the next one, or that of a row that gives way, or none. */
static uint32
choose_place(SampleReading *reading)
{
	uint64		place;

	if (reading->sample->nrows < reading->room)
		return reading->sample->nrows++;
	place = pg_prng_uint64_range(&reading->random, 0, reading->sample->all - 1);
	return place < reading->room ? (uint32) place : PG_UINT32_MAX;
}

/* Receives a row of the source. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	SampleReading *reading = (SampleReading *) self;
	MemoryContext old;
	uint32		place;

	CHECK_FOR_INTERRUPTS();
	reading->sample->all++;
	place = choose_place(reading);
	if (place == PG_UINT32_MAX)
		return true;
	slot_getallattrs(slot);
	old = MemoryContextSwitchTo(reading->row);
	for (int i = 0; i < reading->ncolumns; i++)
	{
		ReadColumn *read = &reading->column[i];
		Datum		value;

		if (slot->tts_isnull[i])
		{
			read->image[place] = HASH_OF_NULL;
			continue;
		}
		value = read->is_varlena ? PointerGetDatum(PG_DETOAST_DATUM(slot->tts_values[i])) : slot->tts_values[i];
		read->image[place] = image_of(read, value);
		look_at_value(read, value);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(reading->row);
	return true;
}

/* Does nothing: all is made before. */
static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

/* Does nothing: the memory goes with its context. */
static void
receiver_end(DestReceiver *self)
{
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Is a column the primary key by itself? */
static bool
is_primary_key(Oid primary_key, AttrNumber attribute)
{
	HeapTuple	tuple;
	Form_pg_index index;
	bool		is_key;

	if (!OidIsValid(primary_key))
		return false;
	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(primary_key));
	if (!HeapTupleIsValid(tuple))
		return false;
	index = (Form_pg_index) GETSTRUCT(tuple);
	is_key = index->indnkeyatts == 1 && index->indkey.values[0] == attribute;
	ReleaseSysCache(tuple);
	return is_key;
}

/* Notes a column, with whether it may be read and compared. */
static void
note_column(SampledColumn *column, Relation source, Form_pg_attribute attribute, bool may_read_all)
{
	TypeCacheEntry *type;

	*column = (SampledColumn) {
		.name = pstrdup(NameStr(attribute->attname)),
		.type = getBaseType(attribute->atttypid),
		.is_generated = attribute->attgenerated != '\0',
		.may_read = may_read_all || pg_attribute_aclcheck(RelationGetRelid(source), attribute->attnum, GetUserId(), ACL_SELECT) == ACLCHECK_OK,
		.is_primary_key = is_primary_key(source->rd_pkindex, attribute->attnum),
		.shortest = PG_UINT32_MAX
	};
	type = lookup_type_cache(column->type, TYPECACHE_EQ_OPR);
	column->is_comparable = OidIsValid(type->eq_opr);
}

/* Lists the columns of the source, dropped ones left out. */
static Sample *
list_columns(Relation source)
{
	Sample	   *sample = palloc0(sizeof(Sample));
	TupleDesc	columns = RelationGetDescr(source);
	bool		may_read_all = pg_class_aclcheck(RelationGetRelid(source), GetUserId(), ACL_SELECT) == ACLCHECK_OK;
	bool		may_read_any = false;

	(void) RelationGetIndexList(source);	/* sets rd_pkindex */
	sample->column = palloc(sizeof(SampledColumn) * (columns->natts + 1));
	for (int i = 0; i < columns->natts; i++)
	{
		if (TupleDescAttr(columns, i)->attisdropped)
			continue;
		note_column(&sample->column[sample->ncolumns], source, TupleDescAttr(columns, i), may_read_all);
		may_read_any |= sample->column[sample->ncolumns++].may_read;
	}
	if (!may_read_all && !may_read_any)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(source->rd_rel->relkind), RelationGetRelationName(source));
	return sample;
}

/* Prepares to read those columns that can be. */
static void
prepare_columns(SampleReading *reading, Relation source)
{
	Sample	   *sample = reading->sample;

	reading->column = palloc0(sizeof(ReadColumn) * (sample->ncolumns + 1));
	for (int i = 0; i < sample->ncolumns; i++)
	{
		SampledColumn *column = &sample->column[i];
		ReadColumn *read = &reading->column[reading->ncolumns];
		TypeCacheEntry *type;
		Oid			output;
		bool		varlena;

		if (!column->may_read || !column->is_comparable)
			continue;
		type = lookup_type_cache(column->type, TYPECACHE_HASH_EXTENDED_PROC_FINFO);
		read->column = column;
		read->collation = get_typcollation(column->type);
		if (OidIsValid(type->hash_extended_proc_finfo.fn_oid))
			read->hash = &type->hash_extended_proc_finfo;
		getTypeOutputInfo(column->type, &output, &varlena);
		fmgr_info(output, &read->output);
		read->is_varlena = get_typlen(column->type) == -1;
		read->has_places = OidIsValid(printed_type(KIND_RANGE, column->type));
		read->has_bytes = is_string(column->type) && read->is_varlena;
		reading->ncolumns++;
	}
	for (int i = 0, c = 0; i < RelationGetDescr(source)->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(source), i);

		if (c < reading->ncolumns && !attribute->attisdropped &&
			strcmp(NameStr(attribute->attname), reading->column[c].column->name) == 0)
			reading->column[c++].collation = attribute->attcollation;
	}
	reading->room = Max(LEAST_ROWS, MOST_VALUES / Max(reading->ncolumns, 1));
	for (int i = 0; i < reading->ncolumns; i++)
		reading->column[i].image = new_array(uint64, reading->room);
}

/* Builds the query for the columns that are read. */
static char *
source_query(const SampleReading *reading, Oid source)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < reading->ncolumns; i++)
		appendStringInfo(&sql, "%ss.%s", i > 0 ? ", " : "", quote_identifier(reading->column[i].column->name));
	appendStringInfo(&sql, " FROM %s s", quoted_relation(source));
	return sql.data;
}

/* Numbers the values of a column, and counts with them. */
static void
number_column(ReadColumn *read, uint32 nrows)
{
	SampledColumn *column = read->column;
	TupleNumbers *images = tuple_numbers_create(2);
	RowGroups	all = groups_of_all(nrows);
	RowGroups	groups;

	column->code = new_array(uint32, nrows);
	for (uint32 row = 0; row < nrows; row++)
	{
		uint32		word[2] = {(uint32) read->image[row], (uint32) (read->image[row] >> 32)};

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		column->nulls += read->image[row] == HASH_OF_NULL;
		column->code[row] = tuple_number(images, word, 2);
	}
	pfree(read->image);
	tuple_numbers_free(images);
	groups = groups_parted(&all, column->code);
	column->separation = groups_separation(&groups);
	groups_free(&groups);
	groups_free(&all);
}

/* Puts rows into a random order, since some first of them stand for all; all columns alike. */
static void
mix_rows(SampleReading *reading)
{
	for (uint32 n = reading->sample->nrows; n > 1; n--)
	{
		uint32		other = pg_prng_uint64_range(&reading->random, 0, n - 1);

		for (int i = 0; i < reading->ncolumns; i++)
		{
			uint64	   *image = reading->column[i].image;
			uint64		moved = image[n - 1];

			image[n - 1] = image[other];
			image[other] = moved;
		}
	}
}

Sample *
sample_read(Oid oid)
{
	SampleReading reading = {0};
	SPIExecuteOptions options = {.read_only = true, .dest = &reading.receiver};
	Relation	source = relation_open(oid, AccessShareLock);

	reading.receiver.receiveSlot = receive_row;
	reading.receiver.rStartup = receiver_startup;
	reading.receiver.rShutdown = receiver_end;
	reading.receiver.rDestroy = receiver_end;
	reading.receiver.mydest = DestTuplestore;	/* any that is not SPI's own */
	reading.sample = list_columns(source);
	prepare_columns(&reading, source);
	pg_prng_seed(&reading.random, 1);
	reading.row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_DEFAULT_SIZES);
	if (SPI_execute_extended(source_query(&reading, oid), &options) != SPI_OK_SELECT)
		elog(ERROR, "could not read the source");
	mix_rows(&reading);
	for (int i = 0; i < reading.ncolumns; i++)
		number_column(&reading.column[i], reading.sample->nrows);
	relation_close(source, NoLock);
	return reading.sample;
}

void
reading_begin(Identity *caller, Oid source)
{
	Oid			owner;

	verify_source_kind(source);
	owner = relation_owner(source);
	caller->userid = InvalidOid;
	if (has_rights_of(owner))
		act_as(caller, owner);
	SPI_connect();
}

void
reading_end(const Identity *caller)
{
	SPI_finish();
	if (OidIsValid(caller->userid))
		act_as_before(caller);
}
