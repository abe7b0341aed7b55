/*
 * element.c
 *		Arrays of keys and of sensitive values, and values as text.
 */
#include "history/element.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/dictionary.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

const Element element_int4 = {INT4OID, INT4OID, -1, 4, true, TYPALIGN_INT};
const Element element_int8 = {INT8OID, INT8OID, -1, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE};

Element
element_of(const DeclaredColumn *column)
{
	Element		element = {.type = column->type, .stored = column->type, .typmod = column->typmod};

	if (!OidIsValid(get_array_type(column->type)))
		element.stored = TEXTOID;
	get_typlenbyvalalign(element.stored, &element.length, &element.byval, &element.align);
	return element;
}

Datum
element_to_text(const Element *element, Datum value)
{
	return CStringGetTextDatum(value_text(element->type, value));
}

Datum
element_from_text(const Element *element, Datum words)
{
	Oid			input;
	Oid			param;

	getTypeInputInfo(element->type, &input, &param);
	return OidInputFunctionCall(input, TextDatumGetCString(words), param, element->typmod);
}

/* Are elements stored back to back, as they are passed?  Then arrays can be copied without the usual calls. */
static bool
is_bare(const Element *element)
{
	return element->byval && element->stored == element->type;	/* types by value are aligned by their length */
}

pg_noreturn static void
refuse_length(uint64 n)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a class of " UINT64_FORMAT " rows is too large to be remembered", n),
			 errhint("Declare parameters that make smaller classes.")));
}

/* Allocates an array for n elements, at least one, and fills in all but the elements. */
static ArrayType *
new_bare_array(const Element *element, uint64 n, bool has_nulls)
{
	Size		overhead = has_nulls ? ARR_OVERHEAD_WITHNULLS(1, n) : ARR_OVERHEAD_NONULLS(1);
	Size		size = overhead + n * element->length;
	ArrayType  *array;

	if (n > MaxArraySize || size > MaxAllocSize)
		refuse_length(n);
	array = palloc(size);
	memset(array, 0, overhead);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = has_nulls ? overhead : 0;
	array->elemtype = element->stored;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

/* Makes an array of bare elements, NULLs included, faster than construct_md_array() does. */
static Datum
bare_array(const Element *element, const Datum *values, const bool *nulls, uint64 n)
{
	bool		has_nulls = nulls != NULL && memchr(nulls, 1, n) != NULL;
	ArrayType  *array = new_bare_array(element, n, has_nulls);
	char	   *at = ARR_DATA_PTR(array);

	for (uint64 i = 0; i < n; i++)
	{
		if (has_nulls && nulls[i])
			continue;
		if (has_nulls)
			ARR_NULLBITMAP(array)[i / 8] |= 1 << (i % 8);
		store_att_byval(at, values[i], element->length);
		at += element->length;
	}
	SET_VARSIZE(array, at - (char *) array);
	return PointerGetDatum(array);
}

Datum
integer_array(const int32 *values, uint64 n)
{
	ArrayType  *array;

	if (n == 0)
		return PointerGetDatum(construct_empty_array(INT4OID));
	array = new_bare_array(&element_int4, n, false);
	memcpy(ARR_DATA_PTR(array), values, sizeof(int32) * n);
	return PointerGetDatum(array);
}

Datum
element_array(const Element *element, const Datum *values, const bool *nulls, uint64 n)
{
	int			dims[] = {n};
	int			bounds[] = {1};
	Datum	   *stored = unconstify(Datum *, values);

	if (n > MaxArraySize)
		refuse_length(n);
	if (is_bare(element) && n > 0)
		return bare_array(element, values, nulls, n);
	if (element->stored != element->type)
	{
		stored = new_array(Datum, n);
		for (uint64 i = 0; i < n; i++)
			stored[i] = nulls != NULL && nulls[i] ? (Datum) 0 : element_to_text(element, values[i]);
	}
	return PointerGetDatum(construct_md_array(stored, unconstify(bool *, nulls), 1, dims, bounds,
											  element->stored, element->length,
											  element->byval, element->align));
}

Datum
coded_array(const Element *element, const Datum *values, const Code *codes, uint64 n)
{
	Datum	   *of_each = new_array(Datum, n);
	bool	   *nulls = new_array(bool, n);

	for (uint64 i = 0; i < n; i++)
	{
		nulls[i] = codes[i] == NO_CODE;
		of_each[i] = nulls[i] ? (Datum) 0 : values[codes[i]];
	}
	return element_array(element, of_each, nulls, n);
}

bool
element_read(const Element *element, Datum values, ElementRoom *room, MemoryContext context)
{
	ArrayType  *array = DatumGetArrayTypeP(values);
	ElementWalk walk;
	bool		has_null = false;

	element_walk(&walk, element, array);
	room->n = walk.n;
	if (room->n > room->allocated)
	{
		if (room->values != NULL)
		{
			pfree(room->values);	/* old ones are not kept */
			pfree(room->nulls);
		}
		room->allocated = Max(room->n, 1024);
		room->values = MemoryContextAllocHuge(context, sizeof(Datum) * room->allocated);
		room->nulls = MemoryContextAllocHuge(context, sizeof(bool) * room->allocated);
	}
	if (is_bare(element) && !ARR_HASNULL(array))
	{
		const char *at = ARR_DATA_PTR(array);

		memset(room->nulls, false, sizeof(bool) * room->n);
		for (int i = 0; i < room->n; i++, at += element->length)
			room->values[i] = fetch_att(at, true, element->length);
		return false;
	}
	while (element_next(&walk))
	{
		room->values[walk.i] = walk.value;
		room->nulls[walk.i] = walk.isnull;
		has_null |= walk.isnull;
	}
	return has_null;
}

/* ----------------------------------------------------------------
 * Text: the expression value::text, made once and evaluated for many values
 * ----------------------------------------------------------------
 */

struct TextCast
{
	ExprState  *expression;
	ExprContext *context;
};

TextCast *
text_cast_create(const DeclaredColumn *column)
{
	TextCast   *cast = palloc(sizeof(TextCast));
	CaseTestExpr *value = makeNode(CaseTestExpr);
	Node	   *expression;

	value->typeId = column->type;
	value->typeMod = column->typmod;
	value->collation = column->collation;
	expression = coerce_to_target_type(NULL, (Node *) value, column->type, TEXTOID, -1,
									   COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (expression == NULL)
		elog(ERROR, "type %u cannot be cast to text", column->type);
	assign_expr_collations(NULL, expression);
	cast->expression = ExecInitExpr(expression_planner((Expr *) expression), NULL);
	cast->context = CreateStandaloneExprContext();
	return cast;
}

Datum
text_cast(TextCast *cast, Datum value, bool *isnull)
{
	cast->context->caseValue_datum = value;
	cast->context->caseValue_isNull = false;
	return ExecEvalExpr(cast->expression, cast->context, isnull);
}
