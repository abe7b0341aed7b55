/*
 * several_rows.c
 *		Putting rows of people together.
 */
#include "frame/several_rows.h"

#include "access/htup_details.h"
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

/* The array of a value, which is its only field, and so all behind its header; NULL if there is none. */
static ArrayType *
array_of_value(Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);

	return (header->t_infomask & HEAP_HASNULL) != 0 ? NULL : DatumGetArrayTypeP(PointerGetDatum((char *) header + header->t_hoff));
}

Datum *
rows_of_value(Datum value, int *nrows)
{
	ArrayType  *array = array_of_value(value);
	Datum	   *rows;
	bool	   *nulls;
	int			n;

	*nrows = 0;
	if (array == NULL)			/* who tampers with the log can write this, and NULL for a row */
		return palloc(sizeof(Datum));
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
	int			most;			/* rows */
	uint64		seed;			/* of samples */
	Oid			type;			/* of values */
	FmgrInfo   *compare;		/* the order of rows */
	FmgrInfo   *hash;
	MemoryContext person;		/* the work for one */
};

RowSets *
row_sets_create(const DeclaredPublication *publication)
{
	RowSets    *sets = palloc(sizeof(RowSets));
	Oid			type = publication_column(publication, ROLE_SENSITIVE)->type;
	TypeCacheEntry *tuple = lookup_type_cache(type_of_rows(type), TYPECACHE_CMP_PROC_FINFO | TYPECACHE_HASH_PROC_FINFO);

	*sets = (RowSets) {
		.most = publication->max_rows, .seed = publication->sample_seed, .type = type, .compare = &tuple->cmp_proc_finfo, .hash = &tuple->hash_proc_finfo,
		.person = AllocSetContextCreate(CurrentMemoryContext, "rows of a person", ALLOCSET_SMALL_SIZES)
	};
	return sets;
}

static int
compare_tuples(const void *a, const void *b, void *arg)
{
	return DatumGetInt32(FunctionCall2(arg, *(const Datum *) a, *(const Datum *) b));
}

DEFINE_ORDER_BY_KEY(compare_by_codes, uint32, Code, <);

uint32
row_set_number(RowSets *sets, Dictionary *dictionary, const Code *order, uint32 *row, uint32 nrows)
{
	MemoryContext old;
	uint32		number;
	Datum	   *tuple;

	if (nrows == 1)
		return row[0];
	old = MemoryContextSwitchTo(sets->person);
	tuple = new_array(Datum, nrows);
	if (order != NULL)
		qsort_arg(row, nrows, sizeof(uint32), compare_by_codes, unconstify(Code *, order));
	for (uint32 i = 0; i < nrows; i++)
	{
		int			one;

		tuple[i] = rows_of_value(dictionary_value(dictionary, row[i]), &one)[0];
	}
	if (order == NULL)
		qsort_arg(tuple, nrows, sizeof(Datum), compare_tuples, sets->compare);
	number = dictionary_number(dictionary, value_of_rows(sets->type, tuple, nrows), false);
	MemoryContextSwitchTo(old);
	MemoryContextReset(sets->person);
	return number;
}

/* ---- Samples ---- */

/* A row that may be in a sample. */
typedef struct DrawnRow
{
	Datum		tuple;
	bool		was_shown;
	uint64		drawn;			/* the least ones are in it */
} DrawnRow;

/* Rows that were shown come first. */
DEFINE_ORDER(compare_drawn, DrawnRow, DESCENDING(was_shown) ASCENDING(drawn));

/*
 * Draws a number for each row, by what it says and whose it is: so it is the next time as it is now.  Without the seed,
 * observers could compute which of the values of a class a person with many rows can have in a sample.  Both lists are in
 * order.
 */
static DrawnRow *
draw_rows(const RowSets *sets, const Datum *tuple, int n, const Datum *shown, int nshown, uint32 person_hash)
{
	DrawnRow   *row = new_array(DrawnRow, n);
	uint32		drawn_by[3] = {person_hash, 0, 0};	/* the copy of equal rows, and what they say */

	for (int i = 0, next = 0; i < n; i++)
	{
		int			order = -1;

		while (next < nshown && (order = compare_tuples(&shown[next], &tuple[i], sets->compare)) < 0)
			next++;
		drawn_by[1] = i > 0 && compare_tuples(&tuple[i - 1], &tuple[i], sets->compare) == 0 ? drawn_by[1] + 1 : 0;
		drawn_by[2] = DatumGetUInt32(FunctionCall1(sets->hash, tuple[i]));
		row[i] = (DrawnRow) {
			.tuple = tuple[i], .was_shown = next < nshown && order == 0,
			.drawn = hash_bytes_extended((const unsigned char *) drawn_by, sizeof(drawn_by), sets->seed)
		};
		next += row[i].was_shown;
	}
	return row;
}

uint32
row_set_sample(RowSets *sets, Dictionary *dictionary, uint32 number, uint32 shown, uint32 person_hash)
{
	MemoryContext old;
	ArrayType  *array;

	/* most values are too short for so many tuples */
	if (VARSIZE_ANY(DatumGetPointer(dictionary_value(dictionary, number))) <= (Size) sets->most * SizeofHeapTupleHeader)
		return number;
	old = MemoryContextSwitchTo(sets->person);
	array = array_of_value(dictionary_value(dictionary, number));
	if (array != NULL && ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > sets->most)
	{
		int			n;
		int			nshown = 0;
		Datum	   *tuple = rows_of_value(dictionary_value(dictionary, number), &n);
		Datum	   *before = shown == DICTIONARY_NULL ? NULL : rows_of_value(dictionary_value(dictionary, shown), &nshown);
		DrawnRow   *row = draw_rows(sets, tuple, n, before, nshown, person_hash);

		Assert(n > sets->most);
		qsort(row, n, sizeof(DrawnRow), compare_drawn);
		for (int i = 0; i < sets->most; i++)
			tuple[i] = row[i].tuple;
		qsort_arg(tuple, sets->most, sizeof(Datum), compare_tuples, sets->compare);
		number = dictionary_number(dictionary, value_of_rows(sets->type, tuple, sets->most), false);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(sets->person);
	return number;
}
