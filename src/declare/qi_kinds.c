/*
 * qi_kinds.c
 *		The kinds of generalisation that a quasi-identifier can be declared with:
 *		which types bear them, and which types they print.
 */
#include "declare/publication.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static const struct
{
	Oid			type;
	Oid			printed;
}			range_types[] =
{
	{INT2OID, INT4RANGEOID},
	{INT4OID, INT4RANGEOID},
	{INT8OID, INT8RANGEOID},
	{NUMERICOID, NUMRANGEOID},
	{FLOAT4OID, NUMRANGEOID},
	{FLOAT8OID, NUMRANGEOID},
	{DATEOID, DATERANGEOID},
	{TIMESTAMPOID, TSRANGEOID},
	{TIMESTAMPTZOID, TSTZRANGEOID},
};

#define TAXONOMY_WORD "taxonomy "

Kind
parse_kind(const char *text, const char *column, char **taxonomy)
{
	*taxonomy = NULL;
	if (strcmp(text, "range") == 0)
		return KIND_RANGE;
	if (strcmp(text, "prefix") == 0)
		return KIND_PREFIX;
	if (strcmp(text, "suppress") == 0)
		return KIND_SUPPRESS;
	if (strncmp(text, TAXONOMY_WORD, strlen(TAXONOMY_WORD)) == 0)
	{
		*taxonomy = pstrdup(text + strlen(TAXONOMY_WORD));
		return KIND_TAXONOMY;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown kind \"%s\" for quasi-identifier \"%s\"", text, column),
			 errhint("Kinds are \"range\", \"prefix\", \"taxonomy NAME\" and \"suppress\".")));
}

char *
kind_text(Kind kind, const char *taxonomy)
{
	switch (kind)
	{
		case KIND_RANGE:
			return "range";
		case KIND_PREFIX:
			return "prefix";
		case KIND_SUPPRESS:
			return "suppress";
		case KIND_TAXONOMY:
			return psprintf(TAXONOMY_WORD "%s", taxonomy);
	}
	return NULL;
}

static Oid
printed_range(Oid type)
{
	for (int i = 0; i < (int) lengthof(range_types); i++)
		if (range_types[i].type == type)
			return range_types[i].printed;
	return InvalidOid;
}

static bool
is_string(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID || type == NAMEOID;
}

bool
is_number(Oid type)
{
	return printed_range(type) != InvalidOid && type != DATEOID &&
		type != TIMESTAMPOID && type != TIMESTAMPTZOID;
}

void
verify_kind(Kind kind, const char *column, Oid type)
{
	type = getBaseType(type);
	if (kind == KIND_RANGE && !OidIsValid(printed_range(type)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be generalised to ranges",
						column, format_type_be(type)),
				 errhint("Ranges are for smallint, integer, bigint, numeric, real, double precision, date, timestamp and timestamptz; use \"prefix\", \"taxonomy NAME\" or \"suppress\", or a view that casts the column.")));
	if (kind == KIND_PREFIX && !is_string(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be generalised to prefixes",
						column, format_type_be(type)),
				 errhint("Prefixes are for text, varchar, char(n) and name; use \"range\", \"taxonomy NAME\" or \"suppress\", or a view that casts the column.")));
}

Oid
printed_type(Kind kind, Oid type)
{
	return kind == KIND_RANGE ? printed_range(getBaseType(type)) : TEXTOID;
}
