/*
 * element.h
 *		Values of any type as elements of stored arrays.
 *
 * Elements have the value's own type, or text where that has no array type, as
 * arrays do not; the text reads back as the same value.
 */
#ifndef PPREPUB_HISTORY_ELEMENT_H
#define PPREPUB_HISTORY_ELEMENT_H

#include "postgres.h"

#include "compat.h"
#include "declare/publication.h"
#include "frame/domain.h"
#include "utils/array.h"
#include "utils/arrayaccess.h"

typedef struct Element
{
	Oid			type;			/* of the value */
	Oid			stored;			/* of the element */
	int32		typmod;
	int16		length;
	bool		byval;
	char		align;
} Element;

extern Element element_of(const DeclaredColumn *column);
extern const Element element_int4;
extern const Element element_int8;

/* Makes an array of values; nulls may be NULL if no value is. */
extern Datum element_array(const Element *element, const Datum *values, const bool *nulls, uint64 n);

/* Makes an array of integers, without making Datums of them. */
extern Datum integer_array(const int32 *values, uint64 n);

/* Makes an array of the values of codes; NO_CODE stands for NULL. */
extern Datum coded_array(const Element *element, const Datum *values, const Code *codes, uint64 n);

/* A buffer for the values of one array after the other; it must be zeroed at first. */
typedef struct ElementRoom
{
	Datum	   *values;
	bool	   *nulls;
	int			n;
	int			allocated;
} ElementRoom;

/* Takes an array apart into a reused buffer; returns whether any value is NULL. */
extern bool element_read(const Element *element, Datum array, ElementRoom *room, MemoryContext context);

/* Walks through the values of an array: for (element_walk(&walk, …); element_next(&walk); ) … */
typedef struct ElementWalk
{
	const Element *element;
	ArrayType  *array;
	array_iter	iterator;
	int			n;
	int			i;				/* place of the element at hand, from 0 on */
	Datum		value;
	bool		isnull;
} ElementWalk;

/* Where the element is text, but the type is not. */
extern Datum element_to_text(const Element *element, Datum value);
extern Datum element_from_text(const Element *element, Datum words);

static inline void
element_walk(ElementWalk *walk, const Element *element, ArrayType *array)
{
	walk->element = element;
	walk->array = array;
	walk->n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	walk->i = -1;
	array_iter_setup(&walk->iterator, (AnyArrayType *) array, element->length, element->byval, element->align);
}

static inline bool
element_next(ElementWalk *walk)
{
	const Element *element = walk->element;

	if (++walk->i >= walk->n)
		return false;
	walk->value = array_iter_next(&walk->iterator, &walk->isnull, walk->i,
								  element->length, element->byval, element->align);
	if (element->stored != element->type && !walk->isnull)
		walk->value = element_from_text(element, walk->value);
	return true;
}

/* ---- Values of any column as text: what value::text gives in SQL ---- */

typedef struct TextCast TextCast;

/* Prepares the cast.  Callers act as the owner, since casts and output functions of the column's type run. */
extern TextCast *text_cast_create(const DeclaredColumn *column);

/* Casts a value in the current context; *isnull is set if the cast returns NULL. */
extern Datum text_cast(TextCast *cast, Datum value, bool *isnull);

#endif							/* PPREPUB_HISTORY_ELEMENT_H */
