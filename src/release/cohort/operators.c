/*
 * operators.c
 *		The lists of the language of cohorts.
 *
 * NOTES
 *		What is applied to columns runs once a row, and an error of it would tell
 *		something about that row.  So these operators and casts give a result for
 *		each value that their types have: no arithmetic (it overflows), no regular
 *		expression and no ILIKE (they need memory that grows with the value), no
 *		cast that rounds into a narrower type, and none from date to timestamp.
 *
 *		Constants are computed once, before any row is read: there an error
 *		tells nothing, and arithmetic is welcome.
 */

#include "postgres.h"

#include "catalog/pg_type.h"
#include "release/cohort/steps.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

static const struct
{
	const char *name;
	Oid			type;
}			types[] =
{
	{"bool", BOOLOID},
	{"int2", INT2OID},
	{"int4", INT4OID},
	{"int8", INT8OID},
	{"numeric", NUMERICOID},
	{"float4", FLOAT4OID},
	{"float8", FLOAT8OID},
	{"text", TEXTOID},
	{"varchar", VARCHAROID},
	{"bpchar", BPCHAROID},
	{"name", NAMEOID},
	{"date", DATEOID},
	{"time", TIMEOID},
	{"timestamp", TIMESTAMPOID},
	{"timestamptz", TIMESTAMPTZOID},
	{"interval", INTERVALOID},
	{"uuid", UUIDOID},
	{"int4range", INT4RANGEOID},
	{"int8range", INT8RANGEOID},
	{"numrange", NUMRANGEOID},
	{"daterange", DATERANGEOID},
	{"tsrange", TSRANGEOID},
	{"tstzrange", TSTZRANGEOID},
};

/* BETWEEN, IN and IS DISTINCT FROM are made of the first six, LIKE is ~~. */
static const char *const column_operators[] = {
	"=", "<>", "<", "<=", ">", ">=", "~~", "!~~", "&&", "@>", "<@", "<<", ">>", "&<", "&>",
};

static const char *const constant_operators[] = {"+", "-", "*", "/", "%"};

static const char *const functions[] = {
	"now", "transaction_timestamp", "date_trunc", "make_date", "make_time", "make_timestamp",
	"int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange",
	"like_escape",				/* LIKE … ESCAPE */
};

static const Oid column_casts[] = {
	F_INT4_INT2, F_INT8_INT2, F_INT8_INT4,
	F_NUMERIC_INT2, F_NUMERIC_INT4, F_NUMERIC_INT8,
	F_FLOAT4_INT2, F_FLOAT4_INT4, F_FLOAT4_INT8,
	F_FLOAT8_INT2, F_FLOAT8_INT4, F_FLOAT8_INT8, F_FLOAT8_FLOAT4,
	F_TEXT_BPCHAR, F_TEXT_NAME,
	F_DATE_TIMESTAMP, F_DATE_TIMESTAMPTZ,
};

#define WHAT_IS_ACCEPTED \
	"A cohort is made of columns and constants, compared with =, <>, <, <=, >, >=, BETWEEN, IN, LIKE," \
	" IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM, or as ranges with &&, @>, <@, <<, >>, &<, &>," \
	" and put together with AND, OR and NOT." \
	" Constants may be computed with +, -, *, /, %, now(), current_date, date_trunc() and the like."

static bool
is_listed(const char *const *list, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

Oid
cohort_type_named(const char *name)
{
	for (int i = 0; i < (int) lengthof(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return InvalidOid;
}

const char *
cohort_type_name(Oid type)
{
	for (int i = 0; i < (int) lengthof(types); i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

bool
is_cohort_type(Oid type)
{
	return cohort_type_name(type) != NULL;
}

bool
is_column_operator(const char *name)
{
	return is_listed(column_operators, lengthof(column_operators), name);
}

bool
is_cohort_operator(const char *name)
{
	return is_column_operator(name) || is_listed(constant_operators, lengthof(constant_operators), name);
}

bool
is_cohort_function(const char *name)
{
	return is_listed(functions, lengthof(functions), name);
}

bool
is_column_cast(Oid function)
{
	for (int i = 0; i < (int) lengthof(column_casts); i++)
		if (column_casts[i] == function)
			return true;
	return false;
}

bool
is_cohort_column(const DeclaredColumn *column)
{
	return (column->role == ROLE_QUASI_IDENTIFIER || column->role == ROLE_INSENSITIVE) && is_cohort_type(column->type);
}

/* Lists the columns that cohorts may ask about, for a hint. */
static char *
column_list(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_cohort_column(&publication->columns[i]))
			appendStringInfo(&list, "%s\"%s\"", list.len > 0 ? ", " : "", publication->columns[i].name);
	return list.len > 0 ? list.data : "no column, but constants only";
}

/* A column that was not declared must not be told from one that does not exist. */
int
find_cohort_column(const DeclaredPublication *publication, const char *name, ParseState *pstate, int location)
{
	const DeclaredColumn *column = NULL;

	for (int i = 0; i < publication->ncolumns; i++)
	{
		column = &publication->columns[i];
		if (strcmp(column->name, name) == 0)
			break;
		column = NULL;
	}
	if (column == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("cohorts of publication \"%s\" have no column \"%s\"", publication->name, name),
				 errhint("They may ask about %s. A value is written in single quotes.", column_list(publication)),
				 parser_errposition(pstate, location)));
	if (!is_cohort_column(column))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 column->role == ROLE_KEY
				 ? errmsg("cohorts cannot ask about column \"%s\", the key of publication \"%s\"", name, publication->name)
				 : column->role == ROLE_SENSITIVE_PART
				 ? errmsg("cohorts cannot ask about column \"%s\", a sensitive one of publication \"%s\"", name, publication->name)
				 : column->role == ROLE_SENSITIVE
				 ? errmsg("cohorts cannot ask about column \"%s\", the sensitive one of publication \"%s\"", name, publication->name)
				 : errmsg("cohorts cannot ask about column \"%s\" of type %s", name, format_type_be(column->type)),
				 errhint("They may ask about %s.", column_list(publication)),
				 parser_errposition(pstate, location)));
	return column - publication->columns;
}

void
refuse_in_cohort(const char *what, ParseState *pstate, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cohorts cannot have %s", what),
			 errhint("%s", WHAT_IS_ACCEPTED),
			 parser_errposition(pstate, location)));
}
