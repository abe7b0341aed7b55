/*
 * several_rows.h
 *		Sensitive values of people who may have several rows each.
 *
 * A value is then all rows of a person, as an array of tuples of the sensitive columns, in one order: so it can be compared,
 * and remembered, like any other.
 */
#ifndef PPREPUB_FRAME_SEVERAL_ROWS_H
#define PPREPUB_FRAME_SEVERAL_ROWS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/dictionary.h"

/* The type of a row, by that of a value; the rows of a value, as tuples, and how many there are. */
extern Oid	type_of_rows(Oid type);
extern Datum *rows_of_value(Datum value, int *nrows);

/* A value of these rows, in this order. */
extern Datum value_of_rows(Oid type, Datum *rows, int nrows);

/* Makes values of rows. */
typedef struct RowSets RowSets;

extern RowSets *row_sets_create(const DeclaredPublication *publication);

/*
 * The number of the value that has the rows with these numbers, each of which the dictionary has as a value of one row.  The
 * numbers are sorted in the order of their codes, if that is known: it spares the comparison of rows.
 */
extern uint32 row_set_number(RowSets *sets, Dictionary *dictionary, const Code *order, uint32 *row, uint32 nrows);

/*
 * The number of a sample of a value with too many rows, or of the value itself.  The person's hash draws it, and rows of
 * the value that was shown before come first; DICTIONARY_NULL, if none was.
 */
extern uint32 row_set_sample(RowSets *sets, Dictionary *dictionary, uint32 number, uint32 shown, uint32 person_hash);

#endif							/* PPREPUB_FRAME_SEVERAL_ROWS_H */
