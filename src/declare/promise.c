/*
 * promise.c
 *		The promise of a publication in its parameters' own words.
 */
#include "declare/promise.h"

#include "declare/parameters.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(pprepub_promise);

Datum
declared_number(const DeclaredPublication *publication, const char *name, bool *isnull)
{
	const JsonbValue *value = getKeyJsonValueFromContainer(&publication->params->root, name, strlen(name), NULL);

	*isnull = value == NULL || value->type != jbvNumeric;
	return *isnull ? (Datum) 0 : NumericGetDatum(value->val.numeric);
}

/* The value of a parameter as it is written, or NULL where it has none that may be told. */
static char *
parameter_text(const DeclaredPublication *publication, const ParamSpec *spec)
{
	const JsonbValue *value = getKeyJsonValueFromContainer(&publication->params->root, spec->name, strlen(spec->name), NULL);

	if (value == NULL || spec->type == PARAM_TABLE || spec->type == PARAM_SEED)
		return NULL;
	switch (value->type)
	{
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvBool:
			return value->val.boolean ? pstrdup("true") : NULL;
		default:
			return NULL;
	}
}

static bool
is_k_or_l(const ParamSpec *spec)
{
	return strcmp(spec->name, "k") == 0 || strcmp(spec->name, "l") == 0;
}

/* Lists the parameters that say how strong the promise is. */
static char *
list_promise(const DeclaredPublication *publication, bool has_k_and_l)
{
	StringInfoData list;

	initStringInfo(&list);
	for (const ParamSpec *spec = method_declaration(publication->method)->params; spec->name != NULL; spec++)
	{
		char	   *text = spec->strength == STRENGTH_NONE ? NULL : parameter_text(publication, spec);

		if (text != NULL && (has_k_and_l || !is_k_or_l(spec)))
			appendStringInfo(&list, "%s%s = %s", list.len > 0 ? ", " : "", spec->name, text);
	}
	return list.len > 0 ? list.data : NULL;
}

char *
further_principle(const DeclaredPublication *publication)
{
	return list_promise(publication, false);
}

char *
whole_principle(const DeclaredPublication *publication)
{
	char	   *promise = list_promise(publication, true);

	return promise == NULL ? pstrdup(publication->method) : promise;
}

Datum
pprepub_promise(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(whole_principle(publication_look(text_argument(fcinfo, 0, "the name of a publication"), true))));
}
