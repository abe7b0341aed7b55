/*
 * several_rows.c
 *		Putting rows of people together.
 */
#include "frame/several_rows.h"

#include "common/hashfn.h"
#include "executor/executor.h"
#include "frame/arrays.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

Oid
type_of_rows(Oid type)
{
	TupleDesc	fields = lookup_rowtype_tupdesc(type, -1);
	Oid			tuple = get_element_type(TupleDescAttr(fields, 0)->atttypid);

	ReleaseTupleDesc(fields);
	return tuple;
}

Datum *
rows_of_value(Datum value, int *nrows)
{
	bool		isnull;
	Datum		tuples = GetAttributeByNum(DatumGetHeapTupleHeader(value), 1, &isnull);
	ArrayType  *array;
	Datum	   *rows;
	bool	   *nulls;
	int			n;

	*nrows = 0;
	if (isnull)					/* who tampers with the log can write this, and NULL for a row */
		return palloc(sizeof(Datum));
	array = DatumGetArrayTypeP(tuples);
	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &rows, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			rows[(*nrows)++] = rows[i];
	return rows;
}

Datum
value_of_rows(Oid type, Datum *rows, int nrows)
{
	TupleDesc	fields = lookup_rowtype_tupdesc(type, -1);
	Oid			tuple = get_element_type(TupleDescAttr(fields, 0)->atttypid);
	Datum		array = PointerGetDatum(construct_array(rows, nrows, tuple, -1, false, TYPALIGN_DOUBLE));
	bool		isnull = false;
	Datum		value = heap_copy_tuple_as_datum(heap_form_tuple(fields, &array, &isnull), fields);

	ReleaseTupleDesc(fields);
	return value;
}

struct RowSets
{
	uint32		most;			/* rows */
	Oid			type;			/* of values */
	FmgrInfo   *compare;		/* the order of rows */
	MemoryContext person;		/* the work for one */
};

RowSets *
row_sets_create(const DeclaredPublication *publication)
{
	RowSets    *sets = palloc(sizeof(RowSets));
	Oid			type = publication_column(publication, ROLE_SENSITIVE)->type;

	*sets = (RowSets) {
		.most = publication->max_rows, .type = type,
		.compare = &lookup_type_cache(type_of_rows(type), TYPECACHE_CMP_PROC_FINFO)->cmp_proc_finfo,
		.person = AllocSetContextCreate(CurrentMemoryContext, "rows of a person", ALLOCSET_SMALL_SIZES)
	};
	return sets;
}

/* A row in a lottery. */
typedef struct Lot
{
	uint32		row;
	uint32		copy;			/* counts equal rows */
	uint64		drawn;
} Lot;

static int
compare_rows(const void *a, const void *b)
{
	const Lot  *x = a;
	const Lot  *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

static int
compare_lots(const void *a, const void *b)
{
	const Lot  *x = a;
	const Lot  *y = b;

	return x->drawn < y->drawn ? -1 : x->drawn > y->drawn;
}

/* Puts a sample of the rows first: each is drawn by what it says and whose it is, so the sample is the next time as it is now. */
static void
draw_sample(const Dictionary *dictionary, uint32 *row, uint32 nrows, uint32 person_hash)
{
	Lot		   *lot = new_array(Lot, nrows);

	for (uint32 i = 0; i < nrows; i++)
		lot[i] = (Lot) {.row = row[i]};
	qsort(lot, nrows, sizeof(Lot), compare_rows);
	for (uint32 i = 0; i < nrows; i++)
	{
		Datum		value = dictionary_value(dictionary, lot[i].row);

		if (i > 0 && lot[i].row == lot[i - 1].row)
			lot[i].copy = lot[i - 1].copy + 1;
		lot[i].drawn = hash_bytes_extended((unsigned char *) DatumGetPointer(value), VARSIZE_ANY(DatumGetPointer(value)),
										   ((uint64) person_hash << 32) + lot[i].copy);
	}
	qsort(lot, nrows, sizeof(Lot), compare_lots);
	for (uint32 i = 0; i < nrows; i++)
		row[i] = lot[i].row;
}

static int
compare_tuples(const void *a, const void *b, void *arg)
{
	return DatumGetInt32(FunctionCall2(arg, *(const Datum *) a, *(const Datum *) b));
}

uint32
row_set_number(RowSets *sets, Dictionary *dictionary, uint32 *row, uint32 nrows, uint32 person_hash)
{
	MemoryContext old;
	uint32		number;
	uint32		n = Min(nrows, sets->most);
	Datum	   *tuple;

	if (nrows == 1)
		return row[0];
	old = MemoryContextSwitchTo(sets->person);
	if (nrows > n)
		draw_sample(dictionary, row, nrows, person_hash);
	tuple = new_array(Datum, n);
	for (uint32 i = 0; i < n; i++)
	{
		int			one;

		tuple[i] = rows_of_value(dictionary_value(dictionary, row[i]), &one)[0];
	}
	qsort_arg(tuple, n, sizeof(Datum), compare_tuples, sets->compare);
	number = dictionary_number(dictionary, value_of_rows(sets->type, tuple, n), false);
	MemoryContextSwitchTo(old);
	MemoryContextReset(sets->person);
	return number;
}
