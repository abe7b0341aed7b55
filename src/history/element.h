/*
 * element.h
 *		Values of any type as elements of arrays that are stored.
 *
 * In their own type where it has arrays; arrays themselves, which have none, as
 * text, which reads back as the same value.
 */
#ifndef PPREPUB_HISTORY_ELEMENT_H
#define PPREPUB_HISTORY_ELEMENT_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/span.h"
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

/* What a statement calls the type of the array. */
extern char *element_array_words(const Element *element);

/* That of the only column with a role. */
extern Oid	array_type_of(const DeclaredPublication *publication, ColumnRole role);

/* What makes values of a column elements, in a statement: "" or a cast. */
extern const char *element_cast_words(const DeclaredColumn *column);

/* nulls may be NULL where there are none. */
extern Datum element_array(const Element *element, const Datum *values, const bool *nulls, uint64 n);

/* The same of plain numbers, without making Datums of them. */
extern Datum integer_array(const int32 *values, uint64 n);

/* The same of values that have codes; of a code that none has, NO_CODE, it is NULL. */
extern Datum coded_array(const Element *element, const Datum *values, const Code *codes, uint64 n);

/* The values of an array; they live as long as the array, or the current context. */
extern void element_values(const Element *element, ArrayType *array,
						   Datum **values, bool **nulls, int *n);

/* Room for the values of arrays, one array after the other; starts as zeros. */
typedef struct ElementRoom
{
	Datum	   *values;
	bool	   *nulls;
	int			n;
	int			allocated;
} ElementRoom;

/* The same into room that is used again; says whether any is NULL. */
extern bool element_read(const Element *element, Datum array, ElementRoom *room, MemoryContext context);

/* The values of an array one by one: for (element_walk(&walk, …); element_next(&walk); ) … */
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

extern Datum element_from_text(const Element *element, Datum words);

static inline void
element_walk(ElementWalk *walk, const Element *element, ArrayType *array)
{
	walk->element = element;
	walk->array = array;
	walk->n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	walk->i = -1;
	array_iter_setup(&walk->iterator, (AnyArrayType *) array);
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

#endif							/* PPREPUB_HISTORY_ELEMENT_H */
