/*
 * qi_kinds.c
 *		The kinds of generalisation that a quasi-identifier can be declared with:
 *		which types bear them, and which types they print.
 */
#include "declare/publication.h"

#include "catalog/pg_type.h"
#include "declare/step.h"
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
#define STEP_WORD "range "

void
parse_kind(const char *text, DeclaredColumn *column)
{
	column->taxonomy = column->step = NULL;
	column->level = 0;
	if (strcmp(text, "range") == 0)
		column->kind = KIND_RANGE;
	else if (strcmp(text, "prefix") == 0)
		column->kind = KIND_PREFIX;
	else if (strcmp(text, "suppress") == 0)
		column->kind = KIND_SUPPRESS;
	else if (strncmp(text, STEP_WORD, strlen(STEP_WORD)) == 0)
	{
		column->kind = KIND_RANGE;
		column->step = pstrdup(text + strlen(STEP_WORD));
	}
	else if (strncmp(text, TAXONOMY_WORD, strlen(TAXONOMY_WORD)) == 0)
	{
		column->kind = KIND_TAXONOMY;
		column->taxonomy = pstrdup(text + strlen(TAXONOMY_WORD));
	}
	else
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown kind \"%s\" for quasi-identifier \"%s\"", text, column->name),
				 errhint(KINDS_HINT)));
}

char *
kind_text(const DeclaredColumn *column)
{
	switch (column->kind)
	{
		case KIND_RANGE:
			return column->step == NULL ? "range" : psprintf(STEP_WORD "%s", column->step);
		case KIND_PREFIX:
			return "prefix";
		case KIND_SUPPRESS:
			return "suppress";
		case KIND_TAXONOMY:
			return column->level == 0 ? psprintf(TAXONOMY_WORD "%s", column->taxonomy)
				: psprintf(TAXONOMY_WORD "%s %d", column->taxonomy, column->level);
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

bool
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
verify_kind(const DeclaredColumn *column)
{
	if (column->kind == KIND_RANGE && !OidIsValid(printed_range(column->type)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be generalized to ranges",
						column->name, format_type_be(column->type)),
				 errhint("Ranges are for smallint, integer, bigint, numeric, real, double precision, date, timestamp and timestamptz; use \"prefix\", \"taxonomy NAME\" or \"suppress\", or a view that casts the column.")));
	if (column->kind == KIND_PREFIX && !is_string(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be generalized to prefixes",
						column->name, format_type_be(column->type)),
				 errhint("Prefixes are for text, varchar, char(n) and name; use \"range\", \"taxonomy NAME\" or \"suppress\", or a view that casts the column.")));
	(void) step_of(column);
}

Oid
printed_type(Kind kind, Oid type)
{
	return kind == KIND_RANGE ? printed_range(getBaseType(type)) : TEXTOID;
}
