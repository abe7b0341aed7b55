/*
 * convert.c
 *		Values of the table as releases show them.
 *
 * NOTES
 *		Whatever the type of a column, what counts is how its values print: a range, a value, a prefix, a node or a
 *		star.  Each distinct value is read once.
 *
 *		The types' own input functions decide what is a range or a value.  They raise errors, so they run in
 *		subtransactions: one, and one more for each value that they refuse.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/catalog.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "import/import.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

/* A column on its way. */
typedef struct Converting
{
	const Import *import;
	const ImportColumn *from;
	const DeclaredColumn *to;
	Dictionary *result;
	char	  **texts;			/* [values] */
	uint32	   *number;			/* [values] in the result */
	bool	   *is_malformed;	/* [values] */
	MemoryContext work;			/* what reading one value takes */

	FmgrInfo	input;			/* of the column's type */
	Oid			input_param;
	FmgrInfo	output;
	FmgrInfo	printed_input;
	Oid			printed_param;
} Converting;

/* ----------------------------------------------------------------
 * One value
 * ----------------------------------------------------------------
 */

static Datum
read_value(Converting *converting, const char *text, int32 typmod)
{
	return InputFunctionCall(&converting->input, unconstify(char *, text), converting->input_param, typmod);
}

/* A range whose ends print as those of releases do; false for one that nothing lies in. */
static bool
plain_range(const Converting *converting, Datum value, Datum *result)
{
	Oid			type = converting->to->type;
	TypeCacheEntry *range = range_over(type);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;

	range_deserialize(range, DatumGetRangeTypeP(value), &lower, &upper, &empty);
	if (empty)
		return false;
	if (!lower.infinite && lower.inclusive && (type == INT4OID || type == INT8OID || type == DATEOID))
		lower.infinite = bound_of(type, lower.val, true).infinite;
	*result = RangeTypePGetDatum(make_range(range, &lower, &upper, false, NULL));
	return true;
}

/* A range from its text, or from that of a value, which is a range of one. */
static bool
read_range(Converting *converting, const char *text, Datum *result)
{
	Oid			type = converting->to->type;
	RangeBound	lower;
	RangeBound	upper;
	Datum		value;

	if (text[0] == '[' || text[0] == '(' || pg_strcasecmp(text, "empty") == 0)
		return plain_range(converting,
						   InputFunctionCall(&converting->printed_input, unconstify(char *, text), converting->printed_param, -1),
						   result);
	value = read_value(converting, text, -1);
	lower = bound_of(type, value, true);
	upper = bound_of(type, value, false);
	*result = RangeTypePGetDatum(make_range(range_over(type), &lower, &upper, false, NULL));
	return true;
}

/* A cell of a quasi-identifier from its text, by the column's kind. */
static bool
read_cell(Converting *converting, const char *text, Datum *result)
{
	int			length = strlen(text);
	int			stem = length;

	while (stem > 0 && text[stem - 1] == '*')
		stem--;
	if (stem == 0 && length > 0)
	{
		*result = print_withheld(converting->to);
		return true;
	}
	switch (converting->to->kind)
	{
		case KIND_RANGE:
			return read_range(converting, text + strspn(text, " "), result);
		case KIND_PREFIX:
			/* Stars may fill it up to some length. */
			*result = CStringGetTextDatum(psprintf("%.*s%s", stem, text, stem < length ? "*" : ""));
			return true;
		case KIND_TAXONOMY:
			*result = CStringGetTextDatum(text);
			return true;
		case KIND_SUPPRESS:
			break;
	}
	if (stem < length)
		return false;
	/* A value of another type is one that the column's prints so. */
	if (converting->from->type != converting->to->type && converting->to->type != BPCHAROID)
		text = OutputFunctionCall(&converting->output, read_value(converting, text, -1));
	*result = CStringGetTextDatum(text);
	return true;
}

/* A value that the column's length or scale does not bear is not its value. */
static bool
read_plain(Converting *converting, const char *text, Datum *result)
{
	TypeCacheEntry *type = lookup_type_cache(converting->to->type, TYPECACHE_EQ_OPR_FINFO);

	*result = read_value(converting, text, converting->to->typmod);
	return converting->to->typmod < 0 || !OidIsValid(type->eq_opr) ||
		DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, converting->to->collation,
									   *result, read_value(converting, text, -1)));
}

/* False for a value that is none. */
static bool
convert_value(Converting *converting, uint32 i)
{
	MemoryContext old = MemoryContextSwitchTo(converting->work);
	const char *text = converting->texts[i];
	Datum		value;
	bool		is_value = converting->to->role == ROLE_QUASI_IDENTIFIER ?
		read_cell(converting, text, &value) : read_plain(converting, text, &value);

	MemoryContextSwitchTo(old);
	if (is_value)
		converting->number[i] = dictionary_number(converting->result, value, false);
	MemoryContextReset(converting->work);
	return is_value;
}

/* ----------------------------------------------------------------
 * All values of a column
 * ----------------------------------------------------------------
 */

typedef struct Attempt
{
	Converting *converting;
	uint32		at;
	uint32		n;
} Attempt;

/* Converts values one by one; after an error, the attempt's place is the value that raised it. */
static void
convert_on(void *what)
{
	Attempt    *converted = what;

	for (; converted->at < converted->n; converted->at++)
	{
		CHECK_FOR_INTERRUPTS();
		converted->converting->is_malformed[converted->at] = !convert_value(converted->converting, converted->at);
	}
}

/* Converts values from one on; returns the place behind the last, or behind one that an input function refuses. */
static uint32
convert_from(Converting *converting, uint32 from, uint32 n)
{
	Attempt		converted = {.converting = converting, .at = from, .n = n};
	ErrorData  *error = try_in_subtransaction(convert_on, &converted);

	if (error == NULL)
		return n;
	if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
		ReThrowError(error);
	FreeErrorData(error);
	converting->is_malformed[converted.at] = true;
	return converted.at + 1;
}

/* An error if rows have values that could not be read, with examples. */
static void
refuse_malformed(const Converting *converting)
{
	const Import *import = converting->import;
	const DeclaredColumn *column = converting->to;
	bool		is_range = column->kind == KIND_RANGE;
	bool		is_cell = column->role == ROLE_QUASI_IDENTIFIER;
	const char *type = format_type_with_typemod(column->type, is_cell ? -1 : column->typmod);
	char	   *examples;
	uint64		rows = find_bad_rows(import, converting->from, converting->is_malformed, converting->texts, &examples);

	if (rows == 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("column \"%s\" of \"%s\" has " UINT64_FORMAT " row(s) %s",
					converting->from->name, import->table_name, rows,
					psprintf(!is_cell ? "whose values are none of type %s" :
							 is_range ? "whose cells are neither ranges nor values of type %s" : "whose cells are neither values of type %s nor *", type)),
			 errdetail("For example: %s.", examples),
			 errdetail_log("Its values are told to the owner only."),
			 column->role == ROLE_KEY ? errhint("A key is a value of the type that the publication's key has.") :
			 !is_cell ? errhint("Such a column shows its values as they are. Import a view that leaves it out if the release withheld it.") :
			 is_range ? errhint("A cell is a range that something can lie in, as [30,41), a value, * where it was withheld, or NULL.") :
			 errhint("A cell is a value, * where it was withheld, or NULL.")));
}

/* Replaces a column's values by those that releases show: each distinct one is converted once. */
static void
convert_column(const Import *import, ImportColumn *column)
{
	uint32		n = dictionary_size(column->values);
	const DeclaredColumn *to = column->column;
	Oid			printed = to->role == ROLE_QUASI_IDENTIFIER ? printed_type(to->kind, to->type) : to->type;
	Converting	converting = {.import = import, .from = column, .to = to, .result = dictionary_create(printed)};
	Oid			function;
	bool		varlena;

	getTypeInputInfo(to->type, &function, &converting.input_param);
	fmgr_info(function, &converting.input);
	getTypeOutputInfo(to->type, &function, &varlena);
	fmgr_info(function, &converting.output);
	getTypeInputInfo(printed, &function, &converting.printed_param);
	fmgr_info(function, &converting.printed_input);
	converting.texts = dictionary_texts(column->values);
	fix_settings();				/* the types' code may have changed them */
	converting.number = new_zeros(uint32, n);
	converting.is_malformed = new_zeros(bool, n);
	converting.work = AllocSetContextCreate(CurrentMemoryContext, "value", ALLOCSET_SMALL_SIZES);
	converting.number[DICTIONARY_NULL] = DICTIONARY_NULL;
	for (uint32 at = 1; at < n;)
		at = convert_from(&converting, at, n);
	fix_settings();
	refuse_malformed(&converting);
	for (uint64 row = 0; row < import->nrows; row++)
		column->number[row] = converting.number[column->number[row]];
	column->values = converting.result;
	MemoryContextDelete(converting.work);
}

void
convert_columns(Import *import)
{
	for (int i = 0; i < import->ncolumns; i++)
	{
		ImportColumn *column = &import->columns[i];
		const DeclaredColumn *declared = column->column;

		/* Others have the values as releases show them. */
		if (declared != NULL && (declared->role == ROLE_QUASI_IDENTIFIER || column->type != declared->type ||
								 (declared->typmod >= 0 && column->typmod != declared->typmod)))
			convert_column(import, column);
		progress_done(i + 1);
	}
}
