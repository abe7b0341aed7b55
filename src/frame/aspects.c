/*
 * aspects.c
 *		Taking tuples of sensitive values apart, putting values into bands, and comparing them with a distribution.
 */
#include "frame/aspects.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/coding.h"
#include "frame/dictionary.h"
#include "frame/line.h"
#include "frame/several_rows.h"
#include "miscadmin.h"
#include "shared/string_map.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/typcache.h"

/* ---- Columns ---- */

int *
list_sensitive(const DeclaredPublication *publication, int *n)
{
	int		   *columns = palloc(sizeof(int) * (publication->ncolumns + 1));

	*n = 0;
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]))
			columns[(*n)++] = i;
	return columns;
}

bool *
shown_sensitive(const DeclaredPublication *publication, const bool *shown)
{
	int			n;
	int		   *listed = list_sensitive(publication, &n);
	bool	   *result = palloc(sizeof(bool) * n);

	for (int c = 0; c < n; c++)
		result[c] = shown[listed[c]];
	pfree(listed);
	return result;
}

/* Is a sensitive value a tuple? */
static bool
has_tuple(const DeclaredPublication *publication)
{
	return publication_column(publication, ROLE_SENSITIVE) >= publication->columns + publication->ncolumns;
}

/* Takes a tuple apart. */
static void
split_tuple(Datum tuple, Datum *columns, bool *nulls)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(tuple);
	HeapTupleData row = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
	TupleDesc	fields = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), HeapTupleHeaderGetTypMod(header));

	heap_deform_tuple(&row, fields, columns, nulls);
	ReleaseTupleDesc(fields);
}

void
split_value(const DeclaredPublication *publication, Datum value, bool isnull, Datum *columns, bool *nulls)
{
	int			n;

	if (has_tuple(publication) && !isnull)
	{
		split_tuple(value, columns, nulls);
		return;
	}
	pfree(list_sensitive(publication, &n));
	memset(nulls, true, sizeof(bool) * n);
	columns[0] = value;
	nulls[0] = isnull;
}

Oid
split_type(const DeclaredPublication *publication)
{
	const DeclaredColumn *column = publication_column(publication, ROLE_SENSITIVE);

	return has_several_rows(publication) ? type_of_rows(column->type) : column->type;
}

Datum
join_value(const DeclaredPublication *publication, const Datum *columns, const bool *nulls)
{
	TupleDesc	fields;
	HeapTuple	row;
	Datum		tuple;

	if (!has_tuple(publication))
		return columns[0];
	fields = lookup_rowtype_tupdesc(split_type(publication), -1);
	row = heap_form_tuple(fields, unconstify(Datum *, columns), unconstify(bool *, nulls));
	tuple = heap_copy_tuple_as_datum(row, fields);
	heap_freetuple(row);
	ReleaseTupleDesc(fields);
	return tuple;
}

/* All rows of n values, one after the other, as tuples. */
static Datum *
list_rows(SensitiveColumns *columns, const Datum *values, Code n, uint64 *nrows)
{
	uint64	   *first = new_zeros(uint64, n);
	Datum	   *all = NULL;
	uint64		room = 0;

	*nrows = 0;
	for (Code value = 0; value < n; value++)
	{
		int			own;
		Datum	   *rows = rows_of_value(values[value], &own);

		CHECK_FOR_INTERRUPTS();
		array_reserve(all, room, *nrows + own);
		memcpy(all + *nrows, rows, sizeof(Datum) * own);
		*nrows += own;
		first[value + 1] = *nrows;
		pfree(rows);
	}
	columns->first = first;
	return all;
}

/* Gives the values of each column codes, in n tuples. */
static void
code_parts(SensitiveColumns *columns, const Datum *values, uint64 n)
{
	Dictionary **dictionary = palloc(sizeof(Dictionary *) * columns->n);
	uint32	  **number = palloc(sizeof(uint32 *) * columns->n); /* [column][tuple] */
	Datum	   *field = palloc(sizeof(Datum) * columns->n);
	bool	   *isnull = palloc(sizeof(bool) * columns->n);

	for (int c = 0; c < columns->n; c++)
	{
		dictionary[c] = dictionary_create(columns->column[c].column->type);
		number[c] = new_array(uint32, n);
	}
	for (uint64 value = 0; value < n; value++)
	{
		CHECK_FOR_INTERRUPTS();
		split_tuple(values[value], field, isnull);
		for (int c = 0; c < columns->n; c++)
			number[c][value] = dictionary_number(dictionary[c], field[c], isnull[c]);
	}
	for (int c = 0; c < columns->n; c++)
	{
		SensitiveColumn *column = &columns->column[c];
		Datum	   *merged;
		const Code *code = dictionary_merge_equal(dictionary[c], column->column->collation, &column->ncodes, &merged);

		columns->has_spellings |= column->ncodes < dictionary_size(dictionary[c]) - 1;
		for (uint64 value = 0; value < n; value++)
			number[c][value] = code[number[c][value]];
		column->values = merged;
		column->code = number[c];
	}
	pfree(field);
	pfree(isnull);
}

/* ---- Bands ---- */

/* The bands that a step makes: *code maps the column's codes to theirs. */
static JudgedValues
bands_of_step(const SensitiveColumn *column, const RangeStep *step, Code *code)
{
	JudgedValues bands = {.type = step->type, .beyond = NO_CODE};
	Dictionary *begins = dictionary_create(step->type);
	Datum	   *values;
	Code	   *ordered;

	for (Code value = 0; value < column->ncodes; value++)
		code[value] = dictionary_number(begins, bin_of(step, column->column->type, column->values[value]), false);
	ordered = dictionary_codes_in_order(begins, InvalidOid, &bands.ncodes);
	values = new_array(Datum, bands.ncodes);
	for (uint32 i = 1; i < dictionary_size(begins); i++)
		values[ordered[i]] = dictionary_value(begins, i);
	for (Code value = 0; value < column->ncodes; value++)
		code[value] = ordered[code[value]];
	bands.values = values;
	return bands;
}

/* The bands that a ladder makes, of those rungs only on which there are values; numbers beyond it are one band. */
static JudgedValues
bands_of_ladder(const SensitiveColumn *column, const StoredTree *ladder, Code *code)
{
	JudgedValues bands = {.type = NUMERICOID, .beyond = NO_CODE};
	Code	   *rungs = new_array(Code, column->ncodes);
	Datum	   *values = new_array(Datum, column->ncodes);

	for (Code value = 0; value < column->ncodes; value++)
		rungs[value] = code[value] = rung_of(ladder, column->column->type, column->values[value]);
	sort_codes(rungs, column->ncodes);	/* NO_CODE is the last */
	for (Code i = 0; i < column->ncodes; i++)
	{
		if (i > 0 && rungs[i] == rungs[i - 1])
			continue;
		if (rungs[i] == NO_CODE)
			bands.beyond = bands.ncodes;
		values[bands.ncodes] = rungs[i] == NO_CODE ? number_of_text("NaN") :
			DirectFunctionCall2(numeric_add, ladder->low,
								DirectFunctionCall2(numeric_mul, ladder->width, NumericGetDatum(int64_to_numeric(rungs[i]))));
		rungs[bands.ncodes++] = rungs[i];
	}
	for (Code value = 0; value < column->ncodes; value++)
		code[value] = find_code(rungs, bands.ncodes, code[value]);
	bands.values = values;
	return bands;
}

/* The bands that a level of a taxonomy makes, in no order; values that it does not cover are one band. */
static JudgedValues
bands_of_nodes(const SensitiveColumn *column, Code *code)
{
	const DeclaredColumn *declared = column->column;
	JudgedValues bands = {.type = TEXTOID, .beyond = NO_CODE};
	Dictionary *dictionary = dictionary_create(declared->type);
	char	  **texts;
	Datum	   *values = new_array(Datum, (uint64) column->ncodes + 1);
	string_map_hash *known = string_map_create(CurrentMemoryContext, column->ncodes, NULL);
	char	  **nodes;

	for (Code value = 0; value < column->ncodes; value++)
		code[value] = dictionary_number(dictionary, column->values[value], false);
	texts = dictionary_texts(dictionary);
	nodes = nodes_at_level(declared->tree, declared->level, texts + 1, dictionary_size(dictionary) - 1);
	for (Code value = 0; value < column->ncodes; value++)
	{
		const char *node = nodes[code[value] - 1];
		StringMapEntry *entry;
		bool		found;

		code[value] = NO_CODE;
		if (node == NULL)
			continue;
		entry = string_map_insert(known, node, &found);
		if (!found)
		{
			entry->number = bands.ncodes;
			values[bands.ncodes++] = CStringGetTextDatum(node);
		}
		code[value] = entry->number;
	}
	for (Code value = 0; value < column->ncodes; value++)
	{
		if (code[value] != NO_CODE)
			continue;
		if (bands.beyond == NO_CODE)
		{
			bands.beyond = bands.ncodes;
			values[bands.ncodes++] = CStringGetTextDatum("");
		}
		code[value] = bands.beyond;
	}
	bands.values = values;
	return bands;
}

/* Makes a column's aspect: of its values or, if it has bands, of these. */
static Aspect
judge_column(SensitiveColumn *column, uint64 n)
{
	const DeclaredColumn *declared = column->column;
	Code	   *band;
	Code	   *code;

	column->judged = (JudgedValues) {
		.type = declared->type, .collation = declared->collation,
		.ncodes = column->ncodes, .values = column->values, .beyond = NO_CODE
	};
	if (!has_bands(declared))
		return (Aspect) {.name = declared->name, .ncodes = column->ncodes, .code = column->code};
	band = new_array(Code, column->ncodes);
	column->judged = declared->taxonomy == NULL
		? bands_of_step(column, step_of(declared), band)
		: declared->level > 0 ? bands_of_nodes(column, band)
		: bands_of_ladder(column, stored_ladder_read(declared->tree), band);
	code = new_array(Code, n);
	for (uint64 value = 0; value < n; value++)
	{
		Code		own = code_in_column(column, value);

		code[value] = own == NO_CODE ? NO_CODE : band[own];
	}
	pfree(band);
	return (Aspect) {.name = declared->name, .ncodes = column->judged.ncodes, .code = code};
}

SensitiveColumns *
sensitive_columns(const DeclaredPublication *publication, const Datum *values, Code n)
{
	SensitiveColumns *columns = palloc0(sizeof(SensitiveColumns));
	int		   *listed = list_sensitive(publication, &columns->n);
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect) * columns->n);
	bool		has_aspects = columns->n > 1 || has_several_rows(publication);
	uint64		nrows = n;

	columns->column = palloc0(sizeof(SensitiveColumn) * columns->n);
	for (int c = 0; c < columns->n; c++)
		columns->column[c].column = &publication->columns[listed[c]];
	if (has_several_rows(publication))
	{
		values = list_rows(columns, values, n, &nrows);
		code_parts(columns, values, nrows);
	}
	else if (columns->n == 1)
	{
		columns->column[0].ncodes = n;
		columns->column[0].values = values;
	}
	else
		code_parts(columns, values, n);
	for (int c = 0; c < columns->n; c++)
	{
		aspect[c] = judge_column(&columns->column[c], nrows);
		has_aspects |= has_bands(columns->column[c].column);
	}
	*aspects = (Aspects) {.n = columns->n, .aspect = aspect, .first = columns->first, .most = publication->max_rows};
	columns->aspects = has_aspects ? aspects : NULL;
	pfree(listed);
	return columns;
}

bool
is_beyond(const SensitiveColumns *columns, int column, Code value)
{
	Code		beyond = columns->column[column].judged.beyond;
	const Code *code = columns->aspects == NULL ? NULL : columns->aspects->aspect[column].code;
	bool		is = false;

	for (uint64 row = rows_begin(columns->first, value); beyond != NO_CODE && row < rows_end(columns->first, value); row++)
		is |= code[row] == beyond;
	return is;
}

/* A value, or a row of it, in the spelling of the codes. */
static Datum
spelled(const DeclaredPublication *publication, const SensitiveColumns *columns, uint64 row)
{
	Datum	   *column = palloc(sizeof(Datum) * columns->n);
	bool	   *isnull = palloc(sizeof(bool) * columns->n);
	Datum		value;

	for (int c = 0; c < columns->n; c++)
	{
		Code		own = code_in_column(&columns->column[c], row);

		isnull[c] = own == NO_CODE;
		column[c] = isnull[c] ? (Datum) 0 : columns->column[c].values[own];
	}
	value = join_value(publication, column, isnull);
	pfree(column);
	pfree(isnull);
	return value;
}

void
spell_alike(const DeclaredPublication *publication, const SensitiveColumns *columns, Datum *values, Code n)
{
	Oid			type = publication_column(publication, ROLE_SENSITIVE)->type;

	for (Code value = 0; value < n && columns->has_spellings; value++)
	{
		CHECK_FOR_INTERRUPTS();
		if (columns->first != NULL)
		{
			uint64		first = columns->first[value];
			int			nrows = columns->first[value + 1] - first;
			Datum	   *rows = palloc(sizeof(Datum) * nrows);

			for (int i = 0; i < nrows; i++)
				rows[i] = spelled(publication, columns, first + i);
			values[value] = value_of_rows(type, rows, nrows);
			pfree(rows);
		}
		else
			values[value] = spelled(publication, columns, value);
	}
}

/* ----------------------------------------------------------------
 * Shares
 *
 * The places of values are their ranks among those of the first distribution, from 0 to 1.  A value that it lacks lies halfway
 * between its neighbors, or with the last one, so that no place moves when others come.
 * ----------------------------------------------------------------
 */

bool
has_places(const DeclaredColumn *column)
{
	if (has_bands(column))
		return column->level == 0;
	switch (getBaseType(column->type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case CASHOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* The place of a value of the distribution, which has so many below it, or of one that it lacks. */
static double
place_at(Code below, Code all, bool is_given)
{
	if (all == 1)
		return is_given ? 0.5 : below;
	if (is_given)
		return (double) below / (all - 1);
	return below == 0 ? 0 : below == all ? 1 : (below - 0.5) / (all - 1);
}

/* The places of all codes of an aspect; NULL where the distribution has none of its values. */
static double *
places_of(const JudgedValues *judged, const bool *is_given)
{
	Dictionary *dictionary = dictionary_create(judged->type);
	uint32	   *number = new_array(uint32, judged->ncodes);
	double	   *place = new_array(double, judged->ncodes);
	Code		nranks;
	Code	   *rank;
	bool	   *is_rank_given;
	Code		all = 0;
	Code		below = 0;

	for (Code code = 0; code < judged->ncodes; code++)
		number[code] = dictionary_number(dictionary, judged->values[code], false);
	rank = dictionary_codes_in_order(dictionary, judged->collation, &nranks);
	is_rank_given = new_zeros(bool, nranks);
	for (Code code = 0; code < judged->ncodes; code++)
		is_rank_given[rank[number[code]]] |= is_given[code];
	for (Code r = 0; r < nranks; r++)
		all += is_rank_given[r];
	if (all > 0)
	{
		double	   *place_of_rank = new_array(double, nranks);

		for (Code r = 0; r < nranks; r++)
		{
			place_of_rank[r] = place_at(below, all, is_rank_given[r]);
			below += is_rank_given[r];
		}
		for (Code code = 0; code < judged->ncodes; code++)
			place[code] = place_of_rank[rank[number[code]]];
	}
	return all == 0 ? NULL : place;
}

/* Marks the codes of an aspect that the first release found which found any; first: the rows of values, as in Aspects. */
static bool *
codes_of_first(const Aspect *aspect, const uint64 *first, const double *share, const int32 *since, Code n)
{
	bool	   *is_given = new_zeros(bool, aspect->ncodes);
	int32		found = PG_INT32_MAX;

	for (int pass = 0; pass < 2; pass++)
		for (Code value = 0; value < n; value++)
			for (uint64 row = rows_begin(first, value); row < rows_end(first, value); row++)
			{
				Code		code = aspect->code == NULL ? value : aspect->code[row];

				if (share[value] <= 0 || code == NO_CODE)
					continue;
				found = Min(found, since[value]);
				is_given[code] |= pass == 1 && since[value] == found;
			}
	return is_given;
}

const Aspects *
aspects_with_shares(const SensitiveColumns *columns, const double *share, const int32 *since, Code n)
{
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect) * columns->n);

	for (int c = 0; c < columns->n; c++)
	{
		const SensitiveColumn *column = &columns->column[c];

		aspect[c] = columns->aspects != NULL ? columns->aspects->aspect[c] :
			(Aspect) {.name = column->column->name, .ncodes = n};
		if (has_places(column->column))
			aspect[c].place = places_of(&column->judged, codes_of_first(&aspect[c], columns->first, share, since, n));
	}
	*aspects = (Aspects) {.n = columns->n, .nvalues = n, .aspect = aspect, .first = columns->first, .most = columns->aspects == NULL ? 0 : columns->aspects->most, .share = share, .since = since};
	return aspects;
}
