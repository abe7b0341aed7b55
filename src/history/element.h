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
#include "utils/array.h"

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

/* What a statement calls the type of the array. */
extern char *element_array_words(const Element *element);

extern Datum element_array(const Element *element, const Datum *values, const bool *nulls, uint64 n);

/* The values of an array; they live as long as the array, or the current context. */
extern void element_values(const Element *element, ArrayType *array,
						   Datum **values, bool **nulls, int *n);

#endif							/* PPREPUB_HISTORY_ELEMENT_H */
