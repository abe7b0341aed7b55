/*
 * more.c
 *		Rows that nobody asked for: by their keys, and as far as they matter
 *		before there are codes.
 */
#include "frame/loading.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "frame/arrays.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define KEYS_PER_ARRAY	100000	/* what arrays may hold is limited */
#define KEYS_PER_LIST	100

static ParamListInfo
add_params(const Datum *values, Oid type, int n)
{
	ParamListInfo params = makeParamList(n);

	for (int i = 0; i < n; i++)
		params->params[i] = (ParamExternData) {values[i], false, PARAM_FLAG_CONST, type};
	return params;
}

/* The key's own equality, wherever its operator stands. */
static char *
equals_words(Oid type)
{
	Oid			operator = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(operator));
	Form_pg_operator form;
	char	   *words;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", operator);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	words = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
					 NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return words;
}

static void
read_keys(FrameLoad *load, const DeclaredColumn *key, Datum *keys, int n)
{
	Oid			array_type = get_array_type(key->type);
	int16		length;
	bool		byval;
	char		align;
	Datum		array;

	get_typlenbyvalalign(key->type, &length, &byval, &align);
	array = PointerGetDatum(construct_array(keys, n, key->type, length, byval, align));
	read_rows(load, psprintf("%s %s ANY ($1)", quote_identifier(key->name), equals_words(key->type)),
			  add_params(&array, array_type, 1));
}

/* The same for types without arrays, which arrays are. */
static void
read_few_keys(FrameLoad *load, const DeclaredColumn *key, const Datum *keys, int n)
{
	StringInfoData condition;

	initStringInfo(&condition);
	for (int i = 0; i < n; i++)
		appendStringInfo(&condition, "%s%s %s $%d", i > 0 ? " OR " : "", quote_identifier(key->name),
						 equals_words(key->type), i + 1);
	read_rows(load, condition.data, add_params(keys, key->type, n));
}

static void
read_by_keys(FrameLoad *load, Datum *keys, uint64 n)
{
	const DeclaredColumn *key = publication_column(load->publication, ROLE_KEY);

	if (OidIsValid(get_array_type(key->type)))
		for (uint64 i = 0; i < n; i += KEYS_PER_ARRAY)
			read_keys(load, key, keys + i, Min(KEYS_PER_ARRAY, n - i));
	else
		for (uint64 i = 0; i < n; i += KEYS_PER_LIST)
			read_few_keys(load, key, keys + i, Min(KEYS_PER_LIST, n - i));
}

void
load_helpers(FrameLoad *load, Datum *keys, uint64 n)
{
	uint64		from = load->nrows;

	keys_forget_index(load->keys);
	read_by_keys(load, keys, n);
	index_rows(load, from);
}

Frame
load_peek(const FrameLoad *load, Code **code)
{
	const LoadingColumn *column = sensitive_column(load);
	Frame		frame = {.nrows = load->nrows};
	Datum	   *values;

	*code = dictionary_merge_equal(column->dictionary, column->column->collation, &frame.nsensitive, &values);
	frame.sensitive = new_array(Code, load->nrows);
	for (uint64 row = 0; row < load->nrows; row++)
		frame.sensitive[row] = (*code)[column->number[row]];
	return frame;
}
