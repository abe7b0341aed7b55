/*
 * tuple_json.c
 *		Printing tuples and values.
 */
#include "report/linkability/tuple_json.h"

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

typedef struct Printed
{
	Oid			output;
	char	  **text;			/* [codes] NULL until it is asked for */
} Printed;

struct TuplePrinter
{
	const JoinData *data;
	MemoryContext context;
	Printed    *column;			/* [nqis] */
	Printed		sensitive;
};

/* Prepares to print the values of a type; each is printed when it is first asked for. */
static Printed
printed_of(Oid type, Size ncodes)
{
	Printed		printed;
	bool		varlena;

	getTypeOutputInfo(type, &printed.output, &varlena);
	printed.text = new_zeros(char *, ncodes);
	return printed;
}

TuplePrinter *
tuple_printer(const JoinData *data)
{
	TuplePrinter *printer = palloc0(sizeof(TuplePrinter));
	const Reading *reading = data->reading;

	printer->data = data;
	printer->context = CurrentMemoryContext;
	printer->column = palloc(sizeof(Printed) * (reading->nqis + 1));
	for (int q = 0; q < reading->nqis; q++)
		printer->column[q] = printed_of(reading->column[q]->type, data->source->loaded->frame.domain[q].size);
	printer->sensitive = printed_of(reading->judged_column->column->type, reading->judged_column->ncodes);
	return printer;
}

/* Each value is printed once. */
static char *
print(TuplePrinter *printer, Printed *printed, Code code, Datum value)
{
	if (printed->text[code] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(printer->context);

		printed->text[code] = OidOutputFunctionCall(printed->output, value);
		MemoryContextSwitchTo(old);
	}
	return printed->text[code];
}

static JsonbValue
json_string(char *string)
{
	if (string == NULL)
		return (JsonbValue) {.type = jbvNull};
	return (JsonbValue) {.type = jbvString, .val.string = {.len = strlen(string), .val = string}};
}

static void
push_field(JsonbParseState **state, char *name, JsonbValue value)
{
	JsonbValue	key = json_string(name);

	pushJsonbValue(state, WJB_KEY, &key);
	pushJsonbValue(state, WJB_VALUE, &value);
}

/* A quasi-identifier of the source; NULL for NULL.  Leaves of a ladder stand for all their numbers. */
static char *
print_quasi_identifier(TuplePrinter *printer, int q, Code code)
{
	const Coding *coding = printer->data->source->loaded->codings[q];

	if (code == coding->domain->null_code)
		return NULL;
	switch (coding->column->kind)
	{
		case KIND_RANGE:
			return print(printer, &printer->column[q], code, coding->values[code]);
		case KIND_TAXONOMY:
			return coding->names[tree_node(coding->domain->tree, span_of(code))];
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			break;
	}
	return coding->texts[code];
}

Datum
tuple_json(TuplePrinter *printer, uint32 row)
{
	const Reading *reading = printer->data->reading;
	const Frame *frame = &printer->data->source->loaded->frame;
	JsonbParseState *state = NULL;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int q = 0; q < reading->nqis; q++)
		push_field(&state, reading->column[q]->name,
				   json_string(print_quasi_identifier(printer, q, frame->code[q][row])));
	return JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL)));
}

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

typedef struct Figure
{
	char	   *value;			/* NULL for what is not shown */
	double		figure;
} Figure;

/* The greatest first; codes of values depend on the order of rows, so of equal figures the value decides. */
static int
compare_figures(const void *a, const void *b)
{
	const Figure *x = a;
	const Figure *y = b;

	if (x->figure != y->figure)
		return x->figure > y->figure ? -1 : 1;
	if (x->value == NULL || y->value == NULL)
		return (x->value == NULL) - (y->value == NULL);
	return strcmp(x->value, y->value);
}

static JsonbValue
json_number(double number)
{
	return (JsonbValue) {
		.type = jbvNumeric,
		.val.numeric = DatumGetNumeric(DirectFunctionCall1(float8_numeric, Float8GetDatum(number)))
	};
}

Datum
values_json(TuplePrinter *printer, const TupleLinks *links)
{
	const Datum *values = printer->data->reading->judged_column->values;
	JsonbParseState *state = NULL;
	uint32		n = links->n;
	Figure	   *figures = palloc(sizeof(Figure) * (n + 1));

	for (uint32 i = 0; i < n; i++)
	{
		Code		value = links->value[i];

		figures[i] = (Figure) {
			.value = value == NO_CODE ? NULL : print(printer, &printer->sensitive, value, values[value]),
			.figure = links->figure[i]
		};
	}
	qsort(figures, n, sizeof(Figure), compare_figures);
	pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	for (uint32 i = 0; i < n; i++)
	{
		pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
		push_field(&state, "value", json_string(figures[i].value));
		push_field(&state, "frequency", json_number(figures[i].figure));
		pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	}
	return JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_ARRAY, NULL)));
}

Datum
columns_json(const DeclaredPublication *publication, const Datum *columns)
{
	JsonbParseState *state = NULL;
	int			n;
	int		   *listed = list_sensitive(publication, &n);

	if (n == 1)
		return columns[0];
	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int c = 0; c < n; c++)
	{
		JsonbValue	value = {.type = jbvNull};

		if (columns[c] != 0)
			JsonbToJsonbValue(DatumGetJsonbP(columns[c]), &value);
		push_field(&state, publication->columns[listed[c]].name, value);
	}
	return JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL)));
}

/* ----------------------------------------------------------------
 * Finding tuples again
 * ----------------------------------------------------------------
 */

static char *
tuple_text(Datum tuple)
{
	return JsonbToCString(NULL, &DatumGetJsonbP(tuple)->root, 0);
}

TupleIndex *
index_tuples(TuplePrinter *printer, const SourceTuples *tuples)
{
	TupleIndex *index = string_map_create(CurrentMemoryContext, tuples->ntuples, NULL);

	for (uint32 t = 0; t < tuples->ntuples; t++)
	{
		bool		found;

		CHECK_FOR_INTERRUPTS();
		string_map_insert(index, tuple_text(tuple_json(printer, tuples->row[t])), &found)->number = t;
	}
	return index;
}

uint32
find_tuple(const TupleIndex *index, Datum tuple)
{
	StringMapEntry *entry = string_map_lookup(unconstify(TupleIndex *, index), tuple_text(tuple));

	if (entry == NULL)
		elog(ERROR, "a tuple of the source has gone");
	return entry->number;
}
