/*
 * value_columns.h
 *		Columns of a release as values: a cell shows as one value of the source's own type.
 *
 * A range shows the middle of it, a prefix or a node of a taxonomy its text where the source has texts, and a withheld
 * cell NULL.  Both TARGET.NAME_now and TARGET.NAME_values are made of these expressions, which anybody may
 * compute: they use functions of pprepub that are everybody's, and read nothing.
 */
#ifndef PPREPUB_DECLARE_VALUE_COLUMNS_H
#define PPREPUB_DECLARE_VALUE_COLUMNS_H

#include "declare/publication.h"

/* The type of the column's values, as DDL writes it: the source's, but texts are of any length, as prefixes and nodes are. */
extern char *value_type_sql(const DeclaredColumn *column);

/* The value, as an expression over a column of this name that releases have. */
extern char *value_sql(const DeclaredColumn *column);

/* The column "cells" beside the values: a JSON object of the cells' texts, by column, NULL where a cell is. */
extern char *cells_sql(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_VALUE_COLUMNS_H */
