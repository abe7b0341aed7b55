/*
 * parameters.c
 *		Strict reading of a method's parameters.
 */
#include "declare/parameters.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/varlena.h"

#define MAX_METHODS 16
#define MOST_WEIGHT 1000		/* and the least is one part in so many */
#define MOST_NOISE 1000			/* of a budget */

static const MethodDeclaration *methods[MAX_METHODS];
static int	nmethods = 0;

void
declare_method(const MethodDeclaration *method)
{
	if (nmethods == MAX_METHODS)
		elog(ERROR, "more than %d methods", MAX_METHODS);
	methods[nmethods++] = method;
}

char *
list_methods(ListedMethods listed)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < nmethods; i++)
		if (listed == METHODS_OF_SEVERAL_COLUMNS ? methods[i]->several : listed == METHODS_OF_SEVERAL_ROWS ? methods[i]->several_rows : true)
			appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "", methods[i]->name);
	return list.data;
}

const MethodDeclaration *
method_declaration(const char *name)
{
	for (int i = 0; i < nmethods; i++)
		if (strcmp(methods[i]->name, name) == 0)
			return methods[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown method \"%s\"", name),
			 errhint("Known methods: %s.", list_methods(ALL_METHODS))));
}

/* The values that a parameter of a type may take, besides bounds and words of its own. */
static const char *const type_words[] = {
	[PARAM_INTEGER] = "an integer",
	[PARAM_DECIMAL] = "a number",
	[PARAM_CHOICE] = "",
	[PARAM_BOOLEAN] = "true or false",
	[PARAM_SEED] = "an integer from 0 on",
	[PARAM_TABLE] = "the name of a table",
	[PARAM_COLUMN] = "the name of a column or null",
	[PARAM_QUASI_IDENTIFIERS] = "a list of quasi-identifiers or null",
	[PARAM_WEIGHTS] = "an object of quasi-identifiers and numbers from 0.001 to 1000 with up to 6 digits behind the point, or null",
	[PARAM_BANDS] = "an object of sensitive columns and \"range STEP\", \"taxonomy NAME\" or \"taxonomy NAME LEVEL\", or null",
	[PARAM_NOISE] = "an object of \"total\" and, if you want, \"per_role\" and \"per_question\", numbers from 0.000001 to 1000 with up to 6 digits behind the point and a ten-thousandth of \"total\" or more, and \"noise\", \"laplace\" or \"gaussian\"",
};

/* The values that a parameter may take, for a hint; "or" stands before the last word of its list. */
static char *
accepted_values(const ParamSpec *spec)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, type_words[spec->type]);
	if (spec->type == PARAM_INTEGER || spec->type == PARAM_DECIMAL)
		appendStringInfo(&text, " from " INT64_FORMAT " to " INT64_FORMAT "%s", spec->least, spec->most,
						 spec->type == PARAM_DECIMAL ? " with up to 6 digits behind the point" : "");
	for (const char *const *choice = spec->choices; choice != NULL && *choice != NULL; choice++)
		appendStringInfo(&text, "%s\"%s\"", choice == spec->choices ? "" : choice[1] == NULL ? " or " : ", ", *choice);
	if (spec->presence == PARAM_NULLABLE)
		appendStringInfoString(&text, ", or null");
	return text.data;
}

/* The owner of a table of parameters, for errors. */
static const char *
title_of(const MethodDeclaration *method)
{
	return method->title != NULL ? method->title : psprintf("method \"%s\"", method->name);
}

#define LONGEST_MISSPELLING 63	/* bytes: of longer words no near one is looked for */

/* A hint that names every parameter of a method, that one first of which a wrong word (or NULL) has at least two thirds. */
static int
hint_parameters(const MethodDeclaration *method, const char *word)
{
	int			length = word == NULL ? 0 : strlen(word);
	int			least = length / 3 + 1;
	const char *nearest = NULL;
	StringInfoData text;

	initStringInfo(&text);
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		appendStringInfo(&text, "%s\"%s\"%s", spec == method->params ? "" : ", ", spec->name,
						 spec->presence == PARAM_REQUIRED ? " (required)" : "");
		if (word != NULL && length <= LONGEST_MISSPELLING)
		{
			int			distance = pg_strcasecmp(word, spec->name) == 0 ? 0 :
				varstr_levenshtein_less_equal(word, length, spec->name, strlen(spec->name), 1, 1, 1, least, true);

			if (distance < least)
				least = distance, nearest = spec->name;
		}
	}
	return errhint("%sParameters of %s: %s.",
				   nearest == NULL ? "" : psprintf("Perhaps you meant \"%s\". ", nearest), title_of(method), text.data);
}

const ParamSpec *
find_parameter(const MethodDeclaration *method, const char *name)
{
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
		if (strcmp(spec->name, name) == 0)
			return spec;
	return NULL;
}

static Jsonb *
parse_json(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

static JsonbValue *
field_of(Jsonb *object, const char *name)
{
	return object == NULL ? NULL :
		getKeyJsonValueFromContainer(&object->root, name, strlen(name), NULL);
}

/* Sets *result if the value is an integer that fits. */
static bool
integer_of(const JsonbValue *value, int64 *result)
{
	Numeric		number = value->val.numeric;
	Datum		truncated;

	if (value->type != jbvNumeric || numeric_is_nan(number) || numeric_is_inf(number))
		return false;
	truncated = DirectFunctionCall2(numeric_trunc, NumericGetDatum(number), Int32GetDatum(0));
	if (!DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(number), truncated)))
		return false;
	/* Compare before converting: conversion of a huge number is an error. */
	if (DatumGetBool(DirectFunctionCall2(numeric_gt, truncated,
										 NumericGetDatum(int64_to_numeric(PG_INT64_MAX)))) ||
		DatumGetBool(DirectFunctionCall2(numeric_lt, truncated,
										 NumericGetDatum(int64_to_numeric(PG_INT64_MIN)))))
		return false;
	*result = DatumGetInt64(DirectFunctionCall1(numeric_int8, truncated));
	return true;
}

/* Sets *result, in millionths, if the value is a decimal that fits. */
static bool
millionths_of(const JsonbValue *value, int64 *result)
{
	JsonbValue	scaled = *value;

	if (value->type != jbvNumeric || numeric_is_nan(value->val.numeric) || numeric_is_inf(value->val.numeric))
		return false;
	scaled.val.numeric = DatumGetNumeric(DirectFunctionCall2(numeric_mul, NumericGetDatum(value->val.numeric), NumericGetDatum(int64_to_numeric(PARAM_SCALE))));
	return integer_of(&scaled, result);
}

/* The object that a value is, or NULL. */
static JsonbContainer *
object_in(const JsonbValue *value)
{
	JsonbContainer *object = value != NULL && value->type == jbvBinary ? value->val.binary.data : NULL;

	return object != NULL && JsonContainerIsObject(object) ? object : NULL;
}

static bool
is_word(const JsonbValue *value)
{
	return value->type == jbvString && value->val.string.len > 0;
}

static bool
is_text(const JsonbValue *value)
{
	return value->type == jbvString;
}

static bool
is_weight(const JsonbValue *value)
{
	int64		weight;

	return millionths_of(value, &weight) && weight >= PARAM_SCALE / MOST_WEIGHT && weight <= PARAM_SCALE * (int64) MOST_WEIGHT;
}

/* Sets the total, in millionths, if the value is a budget of noisy counts. */
static bool
noise_total_of(const JsonbValue *value, int64 *total)
{
	JsonbContainer *budget = object_in(value);
	JsonbIterator *iterator = budget == NULL ? NULL : JsonbIteratorInit(budget);
	JsonbValue	item;
	JsonbIteratorToken token;
	int64		least = PG_INT64_MAX;

	*total = 0;
	while (iterator != NULL && (token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		static const char *const names[] = {"noise", "total", "per_role", "per_question"};
		int			name = 0;
		int64		most;

		if (token != WJB_KEY)
			continue;
		while (name < (int) lengthof(names) && strcmp(names[name], pnstrdup(item.val.string.val, item.val.string.len)) != 0)
			name++;
		(void) JsonbIteratorNext(&iterator, &item, true);
		if (name == lengthof(names))
			return false;
		if (name == 0 ? item.type != jbvString ||
			(strcmp(pnstrdup(item.val.string.val, item.val.string.len), "laplace") != 0 &&
			 strcmp(pnstrdup(item.val.string.val, item.val.string.len), "gaussian") != 0) :
			!millionths_of(&item, &most) || most <= 0 || most > PARAM_SCALE * (int64) MOST_NOISE)
			return false;
		if (name == 1)
			*total = most;
		else if (name > 1)
			least = Min(least, most);
	}
	/* A question costs a ten-thousandth of the total at least. */
	return *total > 0 && least >= *total / 10000.0;
}

/* Is the value a list, or else an object, all of whose values are such? */
static bool
holds_only(const JsonbValue *value, bool is_list, bool (*is_such) (const JsonbValue *))
{
	JsonbContainer *container = value->type == jbvBinary ? value->val.binary.data : NULL;
	JsonbIterator *iterator;
	JsonbValue	item;
	JsonbIteratorToken token;

	if (container == NULL || JsonContainerIsArray(container) != is_list)
		return false;
	iterator = JsonbIteratorInit(container);
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
		if (token == (is_list ? WJB_ELEM : WJB_VALUE) && !is_such(&item))
			return false;
	return true;
}

/* The place of a word in the parameter's list, or -1. */
static int
find_choice(const ParamSpec *spec, const JsonbValue *value)
{
	for (int i = 0; value->type == jbvString && spec->choices != NULL && spec->choices[i] != NULL; i++)
		if (value->val.string.len == (int) strlen(spec->choices[i]) &&
			memcmp(value->val.string.val, spec->choices[i], value->val.string.len) == 0)
			return i;
	return -1;
}

/*
 * Reads a value as the plain number that methods get (method_declaration.h); false if it has not the type of the parameter,
 * or is out of range.
 */
static bool
read_value(const ParamSpec *spec, const JsonbValue *value, int64 *number)
{
	int			choice = find_choice(spec, value);

	*number = 1;
	switch (spec->type)
	{
		case PARAM_INTEGER:
			return integer_of(value, number) && *number >= spec->least && *number <= spec->most;
		case PARAM_DECIMAL:
			return millionths_of(value, number) && *number >= spec->least * PARAM_SCALE && *number <= spec->most * PARAM_SCALE;
		case PARAM_SEED:
			return integer_of(value, number) && *number >= 0;
		case PARAM_CHOICE:
			*number = choice;
			return choice >= 0;
		case PARAM_BOOLEAN:
			*number = value->type == jbvBool && value->val.boolean;
			return value->type == jbvBool;
		case PARAM_TABLE:
			return is_word(value);
		case PARAM_COLUMN:
			return value->type == jbvNull || is_word(value);
		case PARAM_BANDS:
			return value->type == jbvNull || (holds_only(value, false, is_text) && JsonContainerSize(value->val.binary.data) > 0);
		case PARAM_QUASI_IDENTIFIERS:
			return value->type == jbvNull || holds_only(value, true, is_word);
		case PARAM_NOISE:
			return noise_total_of(value, number);
		case PARAM_WEIGHTS:
			return value->type == jbvNull || holds_only(value, false, is_weight);
	}
	return false;
}

static bool
is_acceptable(const ParamSpec *spec, const JsonbValue *value)
{
	int64		number;

	return (spec->presence == PARAM_NULLABLE && value->type == jbvNull) || read_value(spec, value, &number);
}

/*
 * A hint on a value that is not accepted: what was probably meant, such as a number that was written as a string, or what
 * holds if it is left out.
 */
static int
hint_value(const ParamSpec *spec, const JsonbValue *value)
{
	JsonbValue	number = {.type = jbvNumeric};
	char	   *text = value->type == jbvString ? pnstrdup(value->val.string.val, value->val.string.len) : NULL;

	if (text != NULL && (spec->type == PARAM_INTEGER || spec->type == PARAM_DECIMAL || spec->type == PARAM_SEED) &&
		text[0] != '\0' && strlen(text) == strspn(text, "0123456789.") && strchr(text, '.') == strrchr(text, '.') && strcmp(text, ".") != 0)
	{
		number.val.numeric = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
		if (is_acceptable(spec, &number))
			return errhint("Write the number without quotes: {\"%s\": %s}.", spec->name, text);
	}
	if (text != NULL && spec->type == PARAM_BOOLEAN && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0))
		return errhint("Write it without quotes: {\"%s\": %s}.", spec->name, text);
	return spec->fallback == NULL ? 0 : errhint("If it is left out, it is %s.", spec->fallback);
}

/* Raises an error about the first key that the method lacks, or whose value is not accepted. */
static void
verify_given(const MethodDeclaration *method, Jsonb *given)
{
	JsonbIterator *iterator = JsonbIteratorInit(&given->root);
	JsonbValue	item;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		char	   *name;
		const ParamSpec *spec;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(item.val.string.val, item.val.string.len);
		spec = find_parameter(method, name);
		/* Parameters of earlier versions are no misspellings: says what there is instead. */
		for (const GoneParam *gone = method->gone; gone != NULL && gone->name != NULL; gone++)
			if (spec == NULL && strcmp(gone->name, name) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("%s has no parameter \"%s\" any more", title_of(method), name),
						 errhint("%s", gone->use)));
		if (spec == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("unknown parameter \"%s\" for %s", name, title_of(method)),
					 hint_parameters(method, name)));
		if (!is_acceptable(spec, field_of(given, name)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid value for parameter \"%s\"", name),
					 errdetail("It must be %s.", accepted_values(spec)),
					 hint_value(spec, field_of(given, name))));
	}
}

void
refuse_arguments(Jsonb *given, const char *publication)
{
	static const char *const arguments[] = {
		"name", "source", "key", "quasi_identifiers", "sensitive", "method", "insensitive", "target", "beside", "lookup", "rows", "max_rows"
	};

	for (int i = 0; JB_ROOT_IS_OBJECT(given) && i < (int) lengthof(arguments); i++)
	{
		if (field_of(given, arguments[i]) == NULL)
			continue;
		if (publication == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is no parameter of a method", arguments[i]),
					 errhint("It is an argument of pprepub.create_publication() by itself: %s => ….", arguments[i])));
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"%s\" of publication \"%s\" cannot be changed", arguments[i], publication),
				 errdetail("Its releases are judged together by what was declared; only parameters of its method can change."),
				 errhint("Declare another publication, and name this one in beside => '{…}' if both shall stand. If nobody needs this one any more, drop it first with pprepub.drop_publication().")));
	}
}

Jsonb *
check_parameters(const MethodDeclaration *method, Jsonb *given, Jsonb *base)
{
	StringInfoData checked;
	Jsonb	   *params;
	const char *wrong;

	if (!JB_ROOT_IS_OBJECT(given))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a JSON object", method->title != NULL ? method->title : "parameters"),
				 hint_parameters(method, NULL)));
	verify_given(method, given);

	initStringInfo(&checked);
	appendStringInfoChar(&checked, '{');
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		JsonbValue *value = field_of(given, spec->name);

		if (value == NULL)
			value = field_of(base, spec->name);
		if (value == NULL && spec->presence == PARAM_REQUIRED)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" of %s is missing", spec->name, title_of(method)),
					 errhint("Give it in the parameters, {\"%s\": …}: %s.", spec->name, accepted_values(spec))));
		if (value == NULL && spec->type == PARAM_SEED)
		{
			/* One that cannot be guessed; it is stored, so that the random choices made from it can be repeated. */
			uint64		seed;

			if (!pg_strong_random(&seed, sizeof(seed)))
				ereport(ERROR,
						(errcode(ERRCODE_INTERNAL_ERROR),
						 errmsg("could not get random numbers")));
			value = field_of(parse_json(psprintf("{\"v\": " INT64_FORMAT "}", (int64) (seed >> 1))), "v");
		}
		else if (value == NULL && spec->fallback != NULL)
			value = field_of(parse_json(psprintf("{\"v\": %s}", spec->fallback)), "v");
		if (value == NULL || value->type == jbvNull)
			continue;
		appendStringInfo(&checked, "%s\"%s\": %s", checked.len == 1 ? "" : ",", spec->name,
						 JsonbToCString(NULL, &JsonbValueToJsonb(value)->root, 0));
	}
	appendStringInfoChar(&checked, '}');
	params = parse_json(checked.data);
	wrong = method->contradiction == NULL ? NULL : method->contradiction(param_values(method, params));
	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameters of %s contradict each other", title_of(method)),
				 errdetail("%s", wrong)));
	return params;
}

/* A checked value as a plain number. */
static int64
param_value(const ParamSpec *spec, const JsonbValue *value)
{
	int64		number;

	return value != NULL && read_value(spec, value, &number) ? number : PARAM_ABSENT;
}

int64 *
param_values(const MethodDeclaration *method, Jsonb *params)
{
	int			n = 0;
	int64	   *values;

	while (method->params[n].name != NULL)
		n++;
	values = palloc(sizeof(int64) * (n + 1));
	for (int i = 0; i < n; i++)
		values[i] = param_value(&method->params[i], field_of(params, method->params[i].name));
	return values;
}

int64
param_named(const MethodDeclaration *method, Jsonb *params, const char *name)
{
	const ParamSpec *spec = find_parameter(method, name);

	return spec == NULL ? PARAM_ABSENT : param_value(spec, field_of(params, name));
}

bool
param_is_set(const MethodDeclaration *method, Jsonb *params, const char *name)
{
	return param_named(method, params, name) > 0;
}

/* Are the bands other ones? */
static bool
are_other_bands(const JsonbValue *before, const JsonbValue *after)
{
	if (before == NULL || after == NULL)
		return before != after;
	return compareJsonbContainers(before->val.binary.data, after->val.binary.data) != 0;
}

bool
has_other_bands(const MethodDeclaration *method, Jsonb *before, Jsonb *after)
{
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
		if (spec->type == PARAM_BANDS && are_other_bands(field_of(before, spec->name), field_of(after, spec->name)))
			return true;
	return false;
}

const ParamSpec *
weakened_parameter(const MethodDeclaration *method, Jsonb *old, Jsonb *new)
{
	int64	   *before = param_values(method, old);
	int64	   *after = param_values(method, new);

	for (int i = 0; method->params[i].name != NULL; i++)
	{
		const ParamSpec *spec = &method->params[i];
		bool		is_less = spec->strength == STRENGTH_MORE ? after[i] < before[i] :
			spec->strength == STRENGTH_LESS ? before[i] != PARAM_ABSENT && (after[i] == PARAM_ABSENT || after[i] > before[i]) :
			spec->strength == STRENGTH_KEPT && after[i] != before[i];

		if (spec->type == PARAM_BANDS)
			is_less |= are_other_bands(field_of(old, spec->name), field_of(new, spec->name));
		if (is_less && (method->is_idle == NULL || !method->is_idle(before, i)))
			return spec;
	}
	return NULL;
}

char *
param_string(Jsonb *params, const char *name)
{
	JsonbValue *value = JB_ROOT_IS_OBJECT(params) ? field_of(params, name) : NULL;

	return value != NULL && is_word(value) ? pnstrdup(value->val.string.val, value->val.string.len) : NULL;
}

char **
param_names(Jsonb *params, const char *name, int *n)
{
	JsonbValue *value = JB_ROOT_IS_OBJECT(params) ? field_of(params, name) : NULL;
	JsonbIterator *iterator;
	JsonbValue	item;
	JsonbIteratorToken token;
	char	  **names;

	*n = 0;
	if (value == NULL || (object_in(value) == NULL && !holds_only(value, true, is_word)))
		return NULL;
	names = palloc(sizeof(char *) * (JsonContainerSize(value->val.binary.data) + 1));
	iterator = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
		if (token == WJB_KEY || token == WJB_ELEM)
			names[(*n)++] = pnstrdup(item.val.string.val, item.val.string.len);
	return names;
}

static JsonbValue *
member_of(Jsonb *params, const char *name, const char *key)
{
	JsonbContainer *object = JB_ROOT_IS_OBJECT(params) ? object_in(field_of(params, name)) : NULL;

	return object == NULL ? NULL : getKeyJsonValueFromContainer(object, key, strlen(key), NULL);
}

char *
param_member(Jsonb *params, const char *name, const char *key)
{
	JsonbValue *value = member_of(params, name, key);

	return value == NULL || value->type != jbvString ? NULL : pnstrdup(value->val.string.val, value->val.string.len);
}

double
column_weight(const MethodDeclaration *method, Jsonb *params, const char *column)
{
	for (const ParamSpec *spec = method->params; spec->name != NULL; spec++)
	{
		JsonbValue *value = spec->type == PARAM_WEIGHTS ? member_of(params, spec->name, column) : NULL;
		int64		weight;

		if (value != NULL && millionths_of(value, &weight))
			return (double) weight / PARAM_SCALE;
	}
	return 1;
}

Jsonb *
with_string(Jsonb *params, const char *name, const char *value)
{
	Datum		pair[] = {CStringGetTextDatum(name), CStringGetTextDatum(value)};
	Datum		texts = PointerGetDatum(construct_array(pair, lengthof(pair), TEXTOID, -1, false, TYPALIGN_INT));

	return DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(params), DirectFunctionCall1(jsonb_object, texts)));
}

Jsonb *
take_flag(Jsonb *params, const char *name, bool *flag)
{
	JsonbValue *value;

	*flag = false;
	if (!JB_ROOT_IS_OBJECT(params))
		return params;			/* left to check_parameters() */
	value = field_of(params, name);
	if (value == NULL)
		return params;
	if (value->type != jbvBool)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for \"%s\"", name),
				 errdetail("It must be true or false.")));
	*flag = value->val.boolean;
	return DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(params),
											  CStringGetTextDatum(name)));
}
