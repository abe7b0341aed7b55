/*
 * fold.c
 *		Reading and writing the neighborhoods.
 *
 * NOTES
 *		A row is a neighborhood: its number, its signature (a bit for each
 *		release up to the last that it was in; all later ones are 0), its
 *		members as an array of keys, and the sensitive values published of
 *		them, epoch by epoch, as another.  A member without a key is an invented
 *		row that stands for nobody, and has a number.  So a release that touches
 *		few people reads and writes few rows, and one that touches all writes no
 *		row a person.
 */
#include "history/fold.h"

#include "access/heapam.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/protection.h"
#include "executor/spi.h"
#include "history/element.h"
#include "history/writer.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/varbit.h"

#define FOLD_SUFFIX "_neighborhoods"
#define FETCH_ROWS	1000

enum
{
	FOLD_NEIGHBORHOOD,
	FOLD_SIGNATURE,
	FOLD_KEYS,
	FOLD_INVENTED,
	FOLD_SENSITIVE,
	FOLD_COLUMNS
};

/* What the past does not tell of a neighborhood: whatever it takes to write its children. */
typedef struct Neighborhood
{
	ItemPointerData tid;
	VarBit	   *signature;
	Datum	   *keys;			/* [size] */
	bool	   *is_invented;	/* [size] there is no key */
	int64	   *numbers;		/* [size] of those, or NULL if there are none */
	bool		is_touched;		/* by the release being written */
} Neighborhood;

struct Fold
{
	const DeclaredPublication *publication;
	MemoryContext context;
	Element		key;
	Element		sensitive;
	Past		past;
	uint32		allocated;
	uint64		members_allocated;
	uint64		values_allocated;
	Neighborhood *neighborhoods;
	int64		last_number;	/* of a neighborhood */
	int64		last_invented;
	uint64		newcomers;		/* of the release being written */

	/* Writing */
	const LoadedFrame *loaded;
	int32		release;
	Oid			table;
	RowWriter  *writer;
	bool	   *is_published;	/* [members] */
	uint64	   *member_of_row;	/* [rows] */
	MemoryContext row;			/* what one row takes */
};

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

static void
make_room(Fold *fold, uint64 members, uint64 values)
{
	Past	   *past = &fold->past;
	uint32		n = past->nneighborhoods;

	if (n + 2 > fold->allocated)
	{
		fold->allocated = Max(1024, fold->allocated * 2);
		fold->neighborhoods = repalloc_huge(fold->neighborhoods, sizeof(Neighborhood) * fold->allocated);
		past->first = repalloc_huge(past->first, sizeof(uint64) * fold->allocated);
		past->first_value = repalloc_huge(past->first_value, sizeof(uint64) * fold->allocated);
	}
	if (past->first[n] + members > fold->members_allocated)
	{
		fold->members_allocated = Max(fold->members_allocated * 2, past->first[n] + members + 1024);
		past->row = repalloc_huge(past->row, sizeof(RowId) * fold->members_allocated);
	}
	if (past->first_value[n] + values > fold->values_allocated)
	{
		fold->values_allocated = Max(fold->values_allocated * 2, past->first_value[n] + values + 1024);
		past->value = repalloc_huge(past->value, sizeof(Code) * fold->values_allocated);
	}
}

static Datum
field(uint64 row, int column, bool *isnull)
{
	/* the tuple's own place comes first */
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column + 2, isnull);
}

static void
read_numbers(Fold *fold, Neighborhood *neighborhood, uint64 row, int size)
{
	bool		isnull;
	Datum		array = field(row, FOLD_INVENTED, &isnull);
	Datum	   *values;
	bool	   *nulls;
	int			n;

	neighborhood->numbers = NULL;
	if (isnull)
		return;
	deconstruct_array(DatumGetArrayTypeP(array), INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &values, &nulls, &n);
	neighborhood->numbers = palloc0(sizeof(int64) * size);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
		{
			neighborhood->numbers[i] = DatumGetInt64(values[i]);
			fold->last_invented = Max(fold->last_invented, neighborhood->numbers[i]);
		}
}

/* Values become numbers of the load's dictionary first, codes when the load is finished. */
static void
read_neighborhood(Fold *fold, FrameLoad *load, uint64 row)
{
	Past	   *past = &fold->past;
	uint32		n = past->nneighborhoods;
	Neighborhood *neighborhood;
	Datum	   *values;
	bool	   *nulls;
	bool		isnull;
	int			size;
	int			nvalues;

	make_room(fold, 0, 0);
	neighborhood = &fold->neighborhoods[n];
	ItemPointerCopy((ItemPointer) DatumGetPointer(SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &isnull)),
					&neighborhood->tid);
	fold->last_number = Max(fold->last_number, DatumGetInt64(field(row, FOLD_NEIGHBORHOOD, &isnull)));
	neighborhood->signature = DatumGetVarBitPCopy(field(row, FOLD_SIGNATURE, &isnull));
	element_values(&fold->key, DatumGetArrayTypePCopy(field(row, FOLD_KEYS, &isnull)),
				   &neighborhood->keys, &neighborhood->is_invented, &size);
	element_values(&fold->sensitive, DatumGetArrayTypeP(field(row, FOLD_SENSITIVE, &isnull)),
				   &values, &nulls, &nvalues);
	read_numbers(fold, neighborhood, row, size);
	neighborhood->is_touched = false;
	if (size == 0 || nvalues == 0 || nvalues % size != 0)
		elog(ERROR, "neighborhood " INT64_FORMAT " of publication \"%s\" is malformed",
			 DatumGetInt64(field(row, FOLD_NEIGHBORHOOD, &isnull)), fold->publication->name);
	make_room(fold, size, nvalues);
	for (int i = 0; i < size; i++)
		past->row[past->first[n] + i] = neighborhood->is_invented[i] ? NO_ROW :
			load_find_key(load, neighborhood->keys[i]);
	for (int i = 0; i < nvalues; i++)
		past->value[past->first_value[n] + i] = load_sensitive_number(load, values[i], nulls[i]);
	past->first[n + 1] = past->first[n] + size;
	past->first_value[n + 1] = past->first_value[n] + nvalues;
	past->nneighborhoods++;
}

static void
read_rows(Fold *fold, FrameLoad *load, Oid table)
{
	char	   *sql = psprintf("SELECT ctid, neighborhood, signature, keys, invented, sensitive FROM %s",
							   relation_words(table));
	Portal		portal = SPI_cursor_parse_open(NULL, sql, &(SPIParseOpenOptions) {.read_only = true});

	for (;;)
	{
		MemoryContext old;

		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		old = MemoryContextSwitchTo(fold->context);
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			CHECK_FOR_INTERRUPTS();
			read_neighborhood(fold, load, row);
		}
		MemoryContextSwitchTo(old);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
}

/* Whoever is missing would pass for somebody who was never published. */
static void
verify_whole(const Fold *fold)
{
	const DeclaredPublication *publication = fold->publication;
	uint64		members = fold->past.first[fold->past.nneighborhoods];

	if (members != (uint64) publication->remembered)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the history of publication \"%s\" is not whole", publication->name),
				 errdetail("It tells of " UINT64_FORMAT " instead of " INT64_FORMAT " people and invented rows.",
						   members, publication->remembered),
				 errhint("pprepub.rebuild_history() makes it anew from the log, if that is whole.")));
}

Fold *
fold_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Fold	   *fold = palloc0(sizeof(Fold));
	Oid			table = noted_relation(publication, "fold");

	fold->publication = publication;
	fold->context = context;
	fold->key = element_of(publication_column(publication, ROLE_KEY));
	fold->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	fold->past.releases = publication->releases;
	fold->past.first = palloc0(sizeof(uint64));
	fold->past.first_value = palloc0(sizeof(uint64));
	fold->past.row = palloc(sizeof(RowId));
	fold->past.value = palloc(sizeof(Code));
	fold->neighborhoods = palloc(sizeof(Neighborhood));
	MemoryContextSwitchTo(old);
	if (OidIsValid(table))
		read_rows(fold, load, table);
	verify_whole(fold);
	return fold;
}

const Past *
fold_past(Fold *fold, const LoadedFrame *loaded)
{
	Past	   *past = &fold->past;
	uint64		nrows = loaded->frame.nrows;

	for (uint64 i = 0; i < past->first_value[past->nneighborhoods]; i++)
		past->value[i] = loaded->sensitive_code[past->value[i]];
	past->neighborhood = MemoryContextAllocExtended(fold->context, sizeof(uint32) * (nrows + 1), MCXT_ALLOC_HUGE);
	memset(past->neighborhood, 0xff, sizeof(uint32) * nrows);	/* NO_NEIGHBORHOOD */
	for (uint32 n = 0; n < past->nneighborhoods; n++)
		for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
			if (past->row[i] != NO_ROW)
				past->neighborhood[past->row[i]] = n;
	fold->loaded = loaded;
	return past;
}

Datum
fold_key(const Fold *fold, uint64 member, bool *isnull)
{
	const Past *past = &fold->past;
	uint32		low = 0;
	uint32		high = past->nneighborhoods;

	/* the last neighborhood that does not begin behind the member */
	while (high - low > 1)
	{
		uint32		middle = low + (high - low) / 2;

		if (past->first[middle] <= member)
			low = middle;
		else
			high = middle;
	}
	*isnull = fold->neighborhoods[low].is_invented[member - past->first[low]];
	return fold->neighborhoods[low].keys[member - past->first[low]];
}

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

static Oid
ensure_table(const DeclaredPublication *publication, const Element *key, const Element *sensitive)
{
	Oid			table = noted_relation(publication, "fold");
	char	   *name = psprintf("%s" FOLD_SUFFIX, publication->name);
	char	   *words = private_words(publication, FOLD_SUFFIX);

	if (OidIsValid(table))
		return table;
	verify_name_is_not_taken(publication, publication->private, name);
	execute_ddl(psprintf("CREATE TABLE %s (neighborhood pg_catalog.int8, signature pg_catalog.varbit,"
						 " keys %s, invented pg_catalog.int8[], sensitive %s)",
						 words, element_array_words(key), element_array_words(sensitive)));
	table = get_relname_relid(name, get_namespace_oid(publication->private, false));
	reset_rights(RelationRelationId, table, psprintf("TABLE %s", words));
	seal_table(table);
	note_relation(publication, table, "fold");
	return table;
}

void
fold_begin(Fold *fold, const DeclaredPublication *publication, const LoadedFrame *loaded, int32 release)
{
	const Past *past = &fold->past;
	uint64		nmembers = past->first[past->nneighborhoods];

	fold->loaded = loaded;
	fold->release = release;
	fold->table = ensure_table(publication, &fold->key, &fold->sensitive);
	fold->writer = writer_open(fold->table);
	fold->row = AllocSetContextCreate(CurrentMemoryContext, "neighborhood", ALLOCSET_DEFAULT_SIZES);
	fold->is_published = palloc_extended(sizeof(bool) * (nmembers + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	fold->member_of_row = palloc_extended(sizeof(uint64) * (loaded->frame.nrows + 1), MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < nmembers; i++)
		if (past->row[i] != NO_ROW)
			fold->member_of_row[past->row[i]] = i;
}

/* The signature with a 1 for this release, zeros before it where there is none. */
static VarBit *
next_signature(const VarBit *signature, int32 release)
{
	int			bits = signature == NULL ? 0 : VARBITLEN(signature);
	VarBit	   *next = palloc0(VARBITTOTALLEN(release));

	SET_VARSIZE(next, VARBITTOTALLEN(release));
	VARBITLEN(next) = release;
	if (bits > 0)
		memcpy(VARBITS(next), VARBITS(signature), Min(VARBITBYTES(signature), VARBITBYTES(next)));
	VARBITS(next)[(release - 1) / BITS_PER_BYTE] |= HIGHBIT >> ((release - 1) % BITS_PER_BYTE);
	return next;
}

/* A row of the table in the making. */
typedef struct NewNeighborhood
{
	uint64		size;
	uint64		members_allocated;
	Datum	   *keys;
	bool	   *is_invented;
	int64	   *numbers;
	uint64	   *member;			/* in the past, or NO_MEMBER */
	Code	   *shown;			/* now, if it was published now */
	bool		any_invented;
} NewNeighborhood;

static NewNeighborhood *
new_neighborhood(uint64 most)
{
	NewNeighborhood *new = palloc0(sizeof(NewNeighborhood));

	new->keys = palloc_extended(sizeof(Datum) * (most + 1), MCXT_ALLOC_HUGE);
	new->is_invented = palloc_extended(sizeof(bool) * (most + 1), MCXT_ALLOC_HUGE);
	new->numbers = palloc_extended(sizeof(int64) * (most + 1), MCXT_ALLOC_HUGE);
	new->member = palloc_extended(sizeof(uint64) * (most + 1), MCXT_ALLOC_HUGE);
	new->shown = palloc_extended(sizeof(Code) * (most + 1), MCXT_ALLOC_HUGE);
	return new;
}

static void
add_person(NewNeighborhood *new, Datum key, uint64 member, Code shown)
{
	new->keys[new->size] = key;
	new->is_invented[new->size] = false;
	new->numbers[new->size] = 0;
	new->member[new->size] = member;
	new->shown[new->size++] = shown;
}

static void
add_invented(NewNeighborhood *new, int64 number, uint64 member, Code shown)
{
	add_person(new, (Datum) 0, member, shown);
	new->is_invented[new->size - 1] = true;
	new->numbers[new->size - 1] = number;
	new->any_invented = true;
}

/* Somebody of the parent, as he is: a person, or an invented row. */
static void
add_member(NewNeighborhood *new, const Fold *fold, uint32 parent, uint64 member, Code shown)
{
	const Neighborhood *from = &fold->neighborhoods[parent];
	uint64		i = member - fold->past.first[parent];

	if (from->is_invented[i])
		add_invented(new, from->numbers[i], member, shown);
	else
		add_person(new, from->keys[i], member, shown);
}

/* Appends an epoch to the values, unless one says the same. */
static uint64
add_epoch(Code *values, uint64 nepochs, uint64 size)
{
	for (uint64 epoch = 0; epoch < nepochs; epoch++)
		if (memcmp(values + epoch * size, values + nepochs * size, sizeof(Code) * size) == 0)
			return nepochs;
	return nepochs + 1;
}

/* The epochs of the parent, as far as these members go, and this release's if it shows them. */
static Datum
values_of(const Fold *fold, const NewNeighborhood *new, uint32 parent, bool shown)
{
	const Past *past = &fold->past;
	const PlainColumn *sensitive = &fold->loaded->sensitive;
	uint64		before = parent == NO_NEIGHBORHOOD ? 0 : past_epochs(past, parent);
	Code	   *values = palloc_extended(sizeof(Code) * new->size * (before + 1), MCXT_ALLOC_HUGE);
	uint64		nepochs = 0;
	Datum	   *datums;
	bool	   *nulls;

	for (uint64 epoch = 0; epoch < before; epoch++)
	{
		for (uint64 i = 0; i < new->size; i++)
			values[nepochs * new->size + i] =
				past_values(past, parent, epoch)[new->member[i] - past->first[parent]];
		nepochs = add_epoch(values, nepochs, new->size);
	}
	if (shown)
	{
		memcpy(values + nepochs * new->size, new->shown, sizeof(Code) * new->size);
		nepochs = add_epoch(values, nepochs, new->size);
	}
	datums = palloc_extended(sizeof(Datum) * nepochs * new->size, MCXT_ALLOC_HUGE);
	nulls = palloc_extended(sizeof(bool) * nepochs * new->size, MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < nepochs * new->size; i++)
	{
		nulls[i] = values[i] == NO_CODE;
		datums[i] = nulls[i] ? (Datum) 0 : sensitive->values[values[i]];
	}
	return element_array(&fold->sensitive, datums, nulls, nepochs * new->size);
}

static void
write_neighborhood(Fold *fold, const NewNeighborhood *new, uint32 parent, bool shown)
{
	Datum		values[FOLD_COLUMNS];
	bool		nulls[FOLD_COLUMNS] = {false};
	VarBit	   *signature = parent == NO_NEIGHBORHOOD ? NULL : fold->neighborhoods[parent].signature;
	bool	   *is_person = palloc_extended(sizeof(bool) * (new->size + 1), MCXT_ALLOC_HUGE);
	Datum	   *numbers = palloc_extended(sizeof(Datum) * (new->size + 1), MCXT_ALLOC_HUGE);
	Element		number = {INT8OID, INT8OID, -1, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE};

	values[FOLD_NEIGHBORHOOD] = Int64GetDatum(++fold->last_number);
	values[FOLD_SIGNATURE] = PointerGetDatum(shown ? next_signature(signature, fold->release) : signature);
	values[FOLD_KEYS] = element_array(&fold->key, new->keys, new->is_invented, new->size);
	nulls[FOLD_INVENTED] = !new->any_invented;
	for (uint64 i = 0; i < new->size; i++)
	{
		is_person[i] = !new->is_invented[i];
		numbers[i] = Int64GetDatum(new->numbers[i]);
	}
	values[FOLD_INVENTED] = new->any_invented ? element_array(&number, numbers, is_person, new->size) : (Datum) 0;
	values[FOLD_SENSITIVE] = values_of(fold, new, parent, shown);
	writer_add(fold->writer, values, nulls);
}

void
fold_add_class(Fold *fold, const FoldedClass *class)
{
	MemoryContext old;
	NewNeighborhood *new;

	MemoryContextReset(fold->row);
	old = MemoryContextSwitchTo(fold->row);
	new = new_neighborhood(class->nrows + class->ninvented);
	for (uint64 i = 0; i < class->nrows; i++)
	{
		RowId		row = class->rows[i];
		uint64		member = class->parent == NO_NEIGHBORHOOD ? 0 : fold->member_of_row[row];

		add_person(new, fold->loaded->keys[row], member, fold->loaded->frame.sensitive[row]);
		if (class->parent != NO_NEIGHBORHOOD)
			fold->is_published[member] = true;
	}
	for (uint64 i = 0; i < class->ninvented; i++)
		if (class->parent == NO_NEIGHBORHOOD)
			add_invented(new, class->numbers[i] = ++fold->last_invented, 0, class->invented[i]);
		else
		{
			add_member(new, fold, class->parent, class->stands_for[i], class->invented[i]);
			fold->is_published[class->stands_for[i]] = true;
			class->numbers[i] = new->numbers[new->size - 1];
		}
	write_neighborhood(fold, new, class->parent, true);
	if (class->parent != NO_NEIGHBORHOOD)
		fold->neighborhoods[class->parent].is_touched = true;
	else
		fold->newcomers += new->size;
	MemoryContextSwitchTo(old);
}

/* Who was in a neighborhood that the release has parted, and is not in the release. */
static void
write_rest(Fold *fold, uint32 n)
{
	const Past *past = &fold->past;
	MemoryContext old;
	NewNeighborhood *new;

	MemoryContextReset(fold->row);
	old = MemoryContextSwitchTo(fold->row);
	new = new_neighborhood(past_size(past, n));
	for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
		if (!fold->is_published[i])
			add_member(new, fold, n, i, NO_CODE);
	if (new->size > 0)
		write_neighborhood(fold, new, n, false);
	MemoryContextSwitchTo(old);
}

static void
note_remembered(const Fold *fold)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_execute("UPDATE pprepub.catalog_publication SET remembered = remembered + $2 WHERE publication = $1",
					CATALOG_PARAM(INT4OID, Int32GetDatum(fold->publication->id)),
					CATALOG_PARAM(INT8OID, Int64GetDatum((int64) fold->newcomers)));
	catalog_leave(&access);
}

void
fold_end(Fold *fold)
{
	Relation	table;

	for (uint32 n = 0; n < fold->past.nneighborhoods; n++)
	{
		CHECK_FOR_INTERRUPTS();
		if (fold->neighborhoods[n].is_touched)
			write_rest(fold, n);
	}
	writer_close(fold->writer);
	table = table_open(fold->table, RowExclusiveLock);
	for (uint32 n = 0; n < fold->past.nneighborhoods; n++)
		if (fold->neighborhoods[n].is_touched)
			simple_heap_delete(table, &fold->neighborhoods[n].tid);
	table_close(table, NoLock);
	MemoryContextDelete(fold->row);
	note_remembered(fold);
}
