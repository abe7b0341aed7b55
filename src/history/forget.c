/*
 * forget.c
 *		forget_person(): a random number in place of somebody's key, wherever the history has it.
 *
 * NOTES
 *		The sets that releases showed stay as they are, with the person in them, who is somebody who has left for good: so
 *		all others are protected as before.  Fingerprints, which would tell which quasi-identifiers fit, become random, too: zeros
 *		would tell which numbers stand for somebody.
 *
 *		Tables that have the key get new files, lest it stays on pages, and in statistics, until they are used again.
 *		Snapshots of before see these empty; publication_look() refuses them.
 *
 *		Nothing that is said here names a key: messages go to the server's log.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/heap.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/catalog.h"
#include "declare/gate.h"
#include "declare/parameters.h"
#include "declare/shard.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/key_table.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_forget_person);

#define MOST_DRAWS 100

/* Where rows have keys, an array or a single one, and fingerprints beside them. */
static const struct
{
	int			keys;
	int			prints;			/* or -1 */
}			columns[] = {
	[MEMBERS_TABLE] = {LOG_KEYS, LOG_FINGERPRINTS},
	[ASKED_TABLE] = {LOG_KEYS, LOG_FINGERPRINTS},
	[GROUPS_TABLE] = {GROUPS_KEYS, GROUPS_FINGERPRINTS},
	[PLACES_TABLE] = {PLACES_KEY, -1},
	[PEOPLE_TABLE] = {PEOPLE_KEYS, -1},
};

typedef struct Forgetting
{
	const DeclaredPublication *publication;
	const DeclaredColumn *key;
	Element		element;
	uint64		n;				/* people */
	KeyTable   *keys;			/* theirs, and then as many that stand for them */
	bool	   *is_known;		/* [n] has the history the person? */
	int32	   *print;			/* [n] in place of fingerprints */
	bool		is_taken;		/* has somebody one of those that are to stand for people? */
	MemoryContext row;			/* the one at hand */
} Forgetting;

/* ----------------------------------------------------------------
 * Keys
 * ----------------------------------------------------------------
 */

/* Adds a key that is written as text; false if it is not new. */
static bool
add_key(const DeclaredColumn *column, KeyTable *keys, char *text)
{
	uint64		n = keys->size;
	Oid			input;
	Oid			parameter;

	getTypeInputInfo(column->type, &input, &parameter);
	return keys_add(keys, OidInputFunctionCall(input, text, parameter, -1)) == n;
}

/* The keys that the caller gave, each once. */
static KeyTable *
given_keys(const DeclaredColumn *column, ArrayType *given)
{
	KeyTable   *keys = keys_create(column->type, column->collation);
	Datum	   *texts;
	bool	   *nulls;
	int			n;

	deconstruct_array(given, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a key must not be null")));
		(void) add_key(column, keys, TextDatumGetCString(texts[i]));
	}
	return keys;
}

/* Draws what stands for each person. */
static void
draw(Forgetting *forgetting, ArrayType *given)
{
	forgetting->keys = given_keys(forgetting->key, given);
	while (forgetting->keys->size < 2 * forgetting->n)
	{
		char	   *text;

		CHECK_FOR_INTERRUPTS();
		if (SPI_execute(psprintf("SELECT pprepub_internal.random_key(%u)", forgetting->key->type), false, 1) != SPI_OK_SELECT)
			elog(ERROR, "could not draw a number");
		text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
		if (text == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("nobody can be forgotten where keys have type %s", format_type_be(forgetting->key->type)),
					 errdetail("A number that is nobody's stands for a person who is forgotten, and the type may have none."),
					 errhint("Keys can be numbers, texts, uuid, bytea, jsonb, or a composite type that has one of them.")));
		(void) add_key(forgetting->key, forgetting->keys, text);
		SPI_freetuptable(SPI_tuptable);
	}
}

/* Notes that somebody has a key, and returns what stands for it, or NO_KEY. */
static uint32
stand_in(Forgetting *forgetting, Datum key)
{
	uint32		number = keys_find(forgetting->keys, key);

	forgetting->is_taken |= number != NO_KEY && number >= forgetting->n;
	return number == NO_KEY || number >= forgetting->n ? NO_KEY : number + forgetting->n;
}

/* Raises an error if a relation has somebody who is to be forgotten: the next release would show that person as a stranger. */
static void
verify_left(Forgetting *forgetting, Oid relation, const char *named, const char *hint)
{
	Portal		portal = SPI_cursor_open_with_args(NULL, psprintf("SELECT %s FROM %s", quote_identifier(forgetting->key->name), quoted_relation(relation)),
												   0, NULL, NULL, NULL, true, 0);
	uint64		found = 0;

	for (SPI_cursor_fetch(portal, true, 1000); SPI_processed > 0; SPI_cursor_fetch(portal, true, 1000))
	{
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			bool		isnull;
			Datum		key = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);

			found += !isnull && stand_in(forgetting, key) != NO_KEY;
		}
		SPI_freetuptable(SPI_tuptable);
		CHECK_FOR_INTERRUPTS();
	}
	SPI_cursor_close(portal);
	fix_settings();				/* the source's code may have changed them */
	if (found > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("people who are to be forgotten are still in %s", named),
				 errdetail("The next release would show them as strangers, and nobody would know what others tell of them."),
				 errhint("%s", hint)));
}

/* Nobody may be in the source, or in a table of people that a parameter names, which has the source's columns. */
static void
verify_all_left(Forgetting *forgetting)
{
	const DeclaredPublication *publication = forgetting->publication;
	const MethodDeclaration *method = method_declaration(publication->method);

	verify_left(forgetting, publication->pinned, psprintf("source \"%s\"", get_rel_name(publication->source)), "Delete their rows, or leave them out in a view, and call the function again.");
	for (const TableSpec *spec = method->tables; spec != NULL && spec->param != NULL; spec++)
	{
		Oid			table = noted_relation(publication, psprintf(TABLE_PART "%s", spec->param));

		if (OidIsValid(table) && get_attnum(table, forgetting->key->name) != InvalidAttrNumber &&
			get_atttype(table, get_attnum(table, forgetting->key->name)) == forgetting->key->type)
			verify_left(forgetting, table, psprintf("\"%s\"", spec->param),
						psprintf("It is a copy. Delete them from the table that \"%s\" names, and copy it again with pprepub.alter_publication().", spec->param));
	}
}

/* ----------------------------------------------------------------
 * Tables
 * ----------------------------------------------------------------
 */

/* Puts others in place of keys in an array of the row at hand, and of fingerprints that are known; returns whether any was there. */
static bool
replace_elements(Forgetting *forgetting, Datum *keys, Datum *prints)
{
	ElementRoom room = {0};
	ElementRoom print = {0};
	bool		is_changed = false;

	(void) element_read(&forgetting->element, *keys, &room, forgetting->row);
	if (prints != NULL)
		(void) element_read(&element_int4, *prints, &print, forgetting->row);
	for (int i = 0; i < room.n; i++)
	{
		uint32		other = room.nulls[i] ? NO_KEY : stand_in(forgetting, room.values[i]);

		if (other == NO_KEY)
			continue;
		is_changed = forgetting->is_known[other - forgetting->n] = true;
		room.values[i] = forgetting->keys->keys[other];
		if (i < print.n && DatumGetInt32(print.values[i]) != 0)
			print.values[i] = Int32GetDatum(forgetting->print[other - forgetting->n]);
	}
	if (is_changed)
		*keys = element_array(&forgetting->element, room.values, room.nulls, room.n);
	if (is_changed && print.n > 0)
		*prints = element_array(&element_int4, print.values, print.nulls, print.n);
	return is_changed;
}

/* The rows of a table as they are to be, in their order; NULL if they are so. */
static Tuplestorestate *
rows_to_be(Forgetting *forgetting, PastTable which)
{
	Oid			table = past_table(forgetting->publication, which);
	Tuplestorestate *rows;
	RowReader  *reader;
	TupleTableSlot *slot;
	bool		is_changed = false;

	if (!OidIsValid(table))
		return NULL;
	past_table_verify(forgetting->publication, which);
	rows = tuplestore_begin_heap(false, false, maintenance_work_mem);
	reader = reader_open(table);
	while ((slot = reader_next(reader)) != NULL)
	{
		TupleDesc	desc = slot->tts_tupleDescriptor;
		Datum	   *keys = &slot->tts_values[columns[which].keys];
		MemoryContext old = MemoryContextSwitchTo(forgetting->row);
		uint32		other;

		if (which != PLACES_TABLE)
			is_changed |= replace_elements(forgetting, keys, columns[which].prints < 0 ? NULL : &slot->tts_values[columns[which].prints]);
		else if ((other = stand_in(forgetting, *keys)) != NO_KEY)
		{
			is_changed = true;
			*keys = forgetting->keys->keys[other];
		}
		/* Values that stand outside of the row go with the old files. */
		for (int i = 0; i < desc->natts; i++)
			if (!slot->tts_isnull[i] && TupleDescAttr(desc, i)->attlen == -1)
				slot->tts_values[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(slot->tts_values[i]));
		tuplestore_putvalues(rows, desc, slot->tts_values, slot->tts_isnull);
		MemoryContextSwitchTo(old);
		MemoryContextReset(forgetting->row);
	}
	reader_close(reader);
	if (is_changed)
		return rows;
	tuplestore_end(rows);
	return NULL;
}

/* Gives a table these rows, in new files. */
static void
replace_rows(const DeclaredPublication *publication, PastTable which, Tuplestorestate *rows)
{
	Oid			table = past_table(publication, which);
	Relation	relation = table_open(table, AccessShareLock);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(RelationGetDescr(relation)), &TTSOpsMinimalTuple);
	RowWriter  *writer;

	table_close(relation, NoLock);
	execute_past_seal(table, "TRUNCATE %s", InvalidOid, (Datum) 0);
	RemoveStatistics(table, 0);
	writer = writer_open(table, false);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		slot_getallattrs(slot);
		writer_add(writer, slot->tts_values, slot->tts_isnull);
	}
	ExecDropSingleTupleTableSlot(slot);
	writer_close(writer);
	tuplestore_end(rows);
}

/* Replaces the keys wherever they are; returns how many people the history had. */
static uint64
forget(Forgetting *forgetting, ArrayType *given)
{
	Tuplestorestate *rows[lengthof(columns)];
	uint64		known = 0;

	forgetting->n = given_keys(forgetting->key, given)->size;
	forgetting->is_known = new_zeros(bool, forgetting->n);
	forgetting->print = new_array(int32, forgetting->n);
	if (!pg_strong_random(forgetting->print, sizeof(int32) * forgetting->n))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not draw random numbers")));
	for (uint64 i = 0; i < forgetting->n; i++)
		forgetting->print[i] += forgetting->print[i] == 0;	/* which means that it is not known */
	for (int i = 0;; i++)
	{
		if (i == MOST_DRAWS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("no numbers are left that could stand for people of publication \"%s\"", forgetting->publication->name),
					 errdetail("Almost all values of type %s are keys.", format_type_be(forgetting->key->type))));
		forgetting->is_taken = false;
		draw(forgetting, given);
		verify_all_left(forgetting);
		for (int t = 0; t < (int) lengthof(columns); t++)
			rows[t] = rows_to_be(forgetting, t);
		if (!forgetting->is_taken)
			break;
		for (int t = 0; t < (int) lengthof(columns); t++)
			if (rows[t] != NULL)
				tuplestore_end(rows[t]);
	}
	for (int t = 0; t < (int) lengthof(columns); t++)
		if (rows[t] != NULL)
			replace_rows(forgetting->publication, t, rows[t]);
	for (uint64 i = 0; i < forgetting->n; i++)
		known += forgetting->is_known[i];
	return known;
}

Datum
pprepub_forget_person(PG_FUNCTION_ARGS)
{
	const char *name = text_argument(fcinfo, 0, "the name of a publication");
	Forgetting	forgetting = {0};
	OwnersWork	work;
	uint64		known;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_not_null(fcinfo, 1, "a key");
	verify_may_change("forget_person()");
	/* Nobody publishes, answers or reads the history meanwhile. */
	forgetting.publication = work.publication = publication_open(name, AccessExclusiveLock);
	work_begin(&work, work.publication->owner, GetTransactionSnapshot());
	forgetting.key = publication_column(forgetting.publication, ROLE_KEY);
	forgetting.element = element_of(forgetting.key);
	forgetting.row = AllocSetContextCreate(work.context, "row of the history", ALLOCSET_DEFAULT_SIZES);
	known = forgetting.publication->releases == 0 ? 0 : forget(&forgetting, PG_GETARG_ARRAYTYPE_P(1));
	forget_cleared(forgetting.publication, PG_GETARG_DATUM(1));
	work_close(&work);
	if (known > 0)
		note_erasure(forgetting.publication, CATALOG_PARAM(INT8OID, Int64GetDatum((int64) known)), CATALOG_NULL(INT4ARRAYOID));
	PG_RETURN_INT64((int64) known);
}
