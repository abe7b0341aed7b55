/*
 * element.c
 *		Arrays of keys and of sensitive values.
 */
#include "history/element.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

const Element element_int4 = {INT4OID, INT4OID, -1, 4, true, TYPALIGN_INT};
const Element element_int8 = {INT8OID, INT8OID, -1, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE};

Element
element_of(const DeclaredColumn *column)
{
	Element		element = {.type = column->type,.stored = column->type,.typmod = column->typmod};

	if (!OidIsValid(get_array_type(column->type)))
		element.stored = TEXTOID;
	get_typlenbyvalalign(element.stored, &element.length, &element.byval, &element.align);
	return element;
}

char *
element_array_words(const Element *element)
{
	return format_type_extended(get_array_type(element->stored), -1, FORMAT_TYPE_FORCE_QUALIFY);
}

static Datum
to_text(Oid type, Datum value)
{
	Oid			output;
	bool		varlena;

	getTypeOutputInfo(type, &output, &varlena);
	return CStringGetTextDatum(OidOutputFunctionCall(output, value));
}

Datum
element_from_text(const Element *element, Datum words)
{
	Oid			input;
	Oid			param;

	getTypeInputInfo(element->type, &input, &param);
	return OidInputFunctionCall(input, TextDatumGetCString(words), param, element->typmod);
}

/* As most arrays are: nothing to convert, nothing that is NULL, and elements of one size. */
static Datum
bare_array(const Element *element, const Datum *values, uint64 n)
{
	Size		size = ARR_OVERHEAD_NONULLS(1) + n * element->length;
	ArrayType  *array = palloc_extended(size, MCXT_ALLOC_HUGE);
	char	   *at;

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = element->stored;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	at = ARR_DATA_PTR(array);
	for (uint64 i = 0; i < n; i++, at += element->length)
		store_att_byval(at, values[i], element->length);
	return PointerGetDatum(array);
}

Datum
element_array(const Element *element, const Datum *values, const bool *nulls, uint64 n)
{
	int			dims[] = {n};
	int			bounds[] = {1};
	Datum	   *stored = unconstify(Datum *, values);

	if (n > MaxArraySize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a class of " UINT64_FORMAT " rows is too large to be remembered", n),
				 errhint("Declare parameters that make smaller classes.")));
	if (element->byval && element->stored == element->type && nulls == NULL && n > 0)
		return bare_array(element, values, n);
	if (element->stored != element->type)
	{
		stored = palloc_extended(sizeof(Datum) * (n + 1), MCXT_ALLOC_HUGE);
		for (uint64 i = 0; i < n; i++)
			stored[i] = nulls != NULL && nulls[i] ? (Datum) 0 : to_text(element->type, values[i]);
	}
	return PointerGetDatum(construct_md_array(stored, unconstify(bool *, nulls), 1, dims, bounds,
											  element->stored, element->length,
											  element->byval, element->align));
}

void
element_values(const Element *element, ArrayType *array, Datum **values, bool **nulls, int *n)
{
	deconstruct_array(array, element->stored, element->length, element->byval, element->align,
					  values, nulls, n);
	if (element->stored == element->type)
		return;
	for (int i = 0; i < *n; i++)
		if (!(*nulls)[i])
			(*values)[i] = element_from_text(element, (*values)[i]);
}

static void
make_room(ElementRoom *room, int n, MemoryContext context)
{
	room->n = n;
	if (n <= room->allocated)
		return;
	room->allocated = Max(n, 1024);
	if (room->values != NULL)
	{
		pfree(room->values);
		pfree(room->nulls);
	}
	room->values = MemoryContextAllocHuge(context, sizeof(Datum) * room->allocated);
	room->nulls = MemoryContextAllocHuge(context, sizeof(bool) * room->allocated);
}

#define READ_BARE(type, to_datum) \
	for (int i = 0; i < room->n; i++) \
		room->values[i] = to_datum(((const type *) at)[i])

static void
read_bare(const Element *element, const char *at, ElementRoom *room)
{
	memset(room->nulls, false, sizeof(bool) * room->n);
	switch (element->length)
	{
		case 1:
			READ_BARE(char, CharGetDatum);
			break;
		case 2:
			READ_BARE(int16, Int16GetDatum);
			break;
		case 4:
			READ_BARE(int32, Int32GetDatum);
			break;
		default:
			READ_BARE(Datum, (Datum));
	}
}

bool
element_read(const Element *element, ArrayType *array, ElementRoom *room, MemoryContext context)
{
	ElementWalk walk;
	bool		any_null = false;

	make_room(room, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), context);
	if (element->byval && element->stored == element->type && !ARR_HASNULL(array))
	{
		read_bare(element, ARR_DATA_PTR(array), room);
		return false;
	}
	for (element_walk(&walk, element, array); element_next(&walk);)
	{
		room->values[walk.i] = walk.value;
		room->nulls[walk.i] = walk.isnull;
		any_null |= walk.isnull;
	}
	return any_null;
}

const char *
element_cast_words(const DeclaredColumn *column)
{
	Element		element = element_of(column);

	return element.stored == element.type ? "" : "::pg_catalog.text";
}
