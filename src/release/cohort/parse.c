/*
 * parse.c
 *		A cohort as it is written, and the lists of its language.
 */
#include "postgres.h"

#include "release/cohort/cohort.h"

#include "catalog/pg_type.h"
#include "common/keywords.h"
#include "compat.h"
#include "declare/shard.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parser.h"
#include "parser/scanner.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* ----------------------------------------------------------------
 * The lists of the language of cohorts.
 *
 * What is applied to columns runs once a row, and an error of it would tell
 * something about that row.  So these operators and casts give a result for
 * each value that their types have: no arithmetic (it overflows), no regular
 * expression and no ILIKE (they need memory that grows with the value), no
 * cast that rounds into a narrower type, and none from date to timestamp.
 *
 * Constants are computed once, before any row is read: there an error
 * tells nothing, and arithmetic is welcome.
 * ----------------------------------------------------------------
 */

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

/* Functions that may compute constants */
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
	const DeclaredColumn *column;
	int			i = column_index(publication, name, false);

	if (i < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("cohorts of publication \"%s\" have no column \"%s\"", publication->name, name),
				 errhint("They may ask about %s. A value is written in single quotes.", column_list(publication)),
				 parser_errposition(pstate, location)));
	column = &publication->columns[i];
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
	return i;
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

/* ----------------------------------------------------------------
 * A cohort as it is written, before anything in it gets a meaning.
 *
 * The grammar is PostgreSQL's own, and so it takes far more than a cohort
 * may be.  Each node that is not on a list is refused; and since nothing was
 * looked up so far, no refusal can tell what exists.
 * ----------------------------------------------------------------
 */

#define MAX_COHORT_BYTES	65536
#define MAX_DEPTH			200
#define MAX_NODES			200000

typedef struct Writing
{
	ParseState *pstate;
	const DeclaredPublication *publication;
	int			depth;

	/* BETWEEN and IN become several comparisons of the same: nested, of very many */
	uint64		copies;			/* of the node at hand */
	uint64		nodes;			/* with all their copies */
} Writing;

static void verify_node(Writing *writing, Node *node);

void
verify_cohort_length(const char *cohort)
{
	if (strlen(cohort) > MAX_COHORT_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a cohort may have %d bytes at most", MAX_COHORT_BYTES),
				 errhint("Give the people a column that says whether they belong to it, and declare that.")));
}

/* Between two words there may be blanks; what else there is are comments. */
static void
verify_gap(ParseState *pstate, const char *text, int from, int to)
{
	for (int i = from; i < to; i++)
		if (!scanner_isspace(text[i]))
			ereport(ERROR,
					(errcode(ERRCODE_SYNTAX_ERROR),
					 errmsg("cohorts cannot have comments"),
					 errhint("Leave the comment out."),
					 parser_errposition(pstate, i)));
}

/* The scanner leaves a zero behind the word that it has read. */
static void
verify_no_comments(ParseState *pstate, const char *cohort)
{
	core_yy_extra_type extra;
	core_YYSTYPE value;
	YYLTYPE		at;
	core_yyscan_t scanner = scanner_init(cohort, &extra, &ScanKeywords, ScanKeywordTokens);
	int			end = 0;

	while (core_yylex(&value, &at, scanner) != 0)
	{
		verify_gap(pstate, cohort, end, at);
		end = at + strlen(extra.scanbuf + at);
	}
	verify_gap(pstate, cohort, end, strlen(cohort));
	scanner_finish(scanner);
}

/* A name that has no schema, or pg_catalog; NULL for any other. */
static const char *
plain_name(List *names)
{
	if (list_length(names) == 1)
		return strVal(linitial(names));
	if (list_length(names) == 2 && strcmp(strVal(linitial(names)), "pg_catalog") == 0)
		return strVal(lsecond(names));
	return NULL;
}

/* Joins the parts of a qualified name by dots, for an error message. */
static char *
as_written(List *names)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, names)
		appendStringInfo(&text, "%s%s", text.len > 0 ? "." : "",
						 IsA(lfirst(cell), String) ? strVal(lfirst(cell)) : "*");
	return text.data;
}

static void
verify_column(Writing *writing, ColumnRef *column)
{
	if (list_length(column->fields) != 1 || !IsA(linitial(column->fields), String))
		refuse_in_cohort(psprintf("\"%s\": a column is written without its table", as_written(column->fields)),
						 writing->pstate, column->location);
	(void) find_cohort_column(writing->publication, strVal(linitial(column->fields)),
							  writing->pstate, column->location);
}

static void
verify_operator(Writing *writing, List *names, int location)
{
	const char *name = plain_name(names);

	if (name == NULL || (!is_column_operator(name) && !is_listed(constant_operators, lengthof(constant_operators), name)))
		refuse_in_cohort(psprintf("operator %s", as_written(names)), writing->pstate, location);
}

/* Refuses functions that are not on the list, and all syntax of aggregates and window functions. */
static void
verify_function(Writing *writing, FuncCall *call)
{
	const char *name = plain_name(call->funcname);

	if (name == NULL || !is_listed(functions, lengthof(functions), name))
		refuse_in_cohort(psprintf("function %s()", as_written(call->funcname)), writing->pstate, call->location);
	if (call->agg_order != NIL || call->agg_filter != NULL || call->over != NULL || call->agg_within_group ||
		call->agg_star || call->agg_distinct || call->func_variadic)
		refuse_in_cohort("aggregates and the like", writing->pstate, call->location);
	verify_node(writing, (Node *) call->args);
}

/* From its name to the type itself, so that no search path is asked. */
static void
verify_type(Writing *writing, TypeName *type)
{
	const char *name = plain_name(type->names);
	Oid			found = name == NULL ? InvalidOid : cohort_type_named(name);

	if (!OidIsValid(found) || type->setof || type->pct_type)
		refuse_in_cohort(psprintf("type %s", as_written(type->names)), writing->pstate, type->location);
	type->typeOid = type->arrayBounds == NIL ? found : get_array_type(found);
	type->names = NIL;
	type->arrayBounds = NIL;
}

static void
verify_copies(Writing *writing, Node *node, uint64 copies)
{
	uint64		outside = writing->copies;

	writing->copies = Min(outside * copies, MAX_NODES);
	verify_node(writing, node);
	writing->copies = outside;
}

/* How many comparisons of its left side come of IN: one with all constants, and one with each other element. */
static uint64
count_comparisons(const List *elements)
{
	uint64		count = 1;
	const ListCell *cell;

	foreach(cell, elements)
		count += !IsA(lfirst(cell), A_Const);
	return count;
}

/* Verifies an operator and its operands, counting how often PostgreSQL will copy these. */
static void
verify_expression(Writing *writing, A_Expr *expression)
{
	uint64		left = 1;
	uint64		right = 1;

	switch (expression->kind)
	{
		case AEXPR_OP:
		case AEXPR_OP_ANY:
		case AEXPR_OP_ALL:
		case AEXPR_LIKE:
			verify_operator(writing, expression->name, expression->location);
			break;
		case AEXPR_DISTINCT:
		case AEXPR_NOT_DISTINCT:
			break;				/* of operators that the grammar names, as are these */
		case AEXPR_IN:
			left = count_comparisons(castNode(List, expression->rexpr));
			break;
		case AEXPR_BETWEEN:
		case AEXPR_NOT_BETWEEN:
			left = 2;
			break;
		case AEXPR_BETWEEN_SYM:
		case AEXPR_NOT_BETWEEN_SYM:
			left = 4;
			right = 2;
			break;
		case AEXPR_ILIKE:
			refuse_in_cohort("ILIKE", writing->pstate, expression->location);
		case AEXPR_SIMILAR:
			refuse_in_cohort("SIMILAR TO", writing->pstate, expression->location);
		case AEXPR_NULLIF:
			refuse_in_cohort("NULLIF", writing->pstate, expression->location);
	}
	verify_copies(writing, expression->lexpr, left);
	verify_copies(writing, expression->rexpr, right);
}

/* The day and the hour; others of the kind tell who asks, and where. */
static void
verify_moment(Writing *writing, const SQLValueFunction *moment)
{
	switch (moment->op)
	{
		case SVFOP_CURRENT_DATE:
		case SVFOP_CURRENT_TIMESTAMP:
		case SVFOP_CURRENT_TIMESTAMP_N:
		case SVFOP_LOCALTIME:
		case SVFOP_LOCALTIME_N:
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			break;
		case SVFOP_CURRENT_TIME:
		case SVFOP_CURRENT_TIME_N:
			refuse_in_cohort("type timetz", writing->pstate, moment->location);
		default:
			refuse_in_cohort("CURRENT_USER and the like", writing->pstate, moment->location);
	}
}

/* Kinds of expressions that are refused by a common name. */
static const struct
{
	NodeTag		tag;
	const char *name;
}			refused_kinds[] =
{
	{T_SubLink, "subqueries"},
	{T_CaseExpr, "CASE"},
	{T_CoalesceExpr, "COALESCE"},
	{T_MinMaxExpr, "GREATEST and LEAST"},
	{T_RowExpr, "rows"},
	{T_CollateClause, "COLLATE"},
	{T_ParamRef, "parameters"},
	{T_A_Indirection, "parts of values"},
	{T_NamedArgExpr, "named arguments"},
};

static void
verify_list(Writing *writing, List *list)
{
	ListCell   *cell;

	foreach(cell, list)
		verify_node(writing, lfirst(cell));
}

/* Verifies a node by its kind. */
static void
verify_shape(Writing *writing, Node *node)
{
	switch (nodeTag(node))
	{
		case T_A_Const:
			break;
		case T_ColumnRef:
			verify_column(writing, (ColumnRef *) node);
			break;
		case T_A_Expr:
			verify_expression(writing, (A_Expr *) node);
			break;
		case T_BoolExpr:
			verify_list(writing, ((BoolExpr *) node)->args);
			break;
		case T_List:
			verify_list(writing, (List *) node);
			break;
		case T_NullTest:
			verify_node(writing, (Node *) ((NullTest *) node)->arg);
			break;
		case T_BooleanTest:
			verify_node(writing, (Node *) ((BooleanTest *) node)->arg);
			break;
		case T_TypeCast:
			verify_node(writing, ((TypeCast *) node)->arg);
			verify_type(writing, ((TypeCast *) node)->typeName);
			break;
		case T_A_ArrayExpr:
			verify_list(writing, ((A_ArrayExpr *) node)->elements);
			break;
		case T_FuncCall:
			verify_function(writing, (FuncCall *) node);
			break;
		case T_SQLValueFunction:
			verify_moment(writing, (SQLValueFunction *) node);
			break;
		default:
			for (int i = 0; i < (int) lengthof(refused_kinds); i++)
				if (nodeTag(node) == refused_kinds[i].tag)
					refuse_in_cohort(refused_kinds[i].name, writing->pstate, exprLocation(node));
			refuse_in_cohort("expressions of this kind", writing->pstate, exprLocation(node));
	}
}

/* Verifies a node within the limits of depth and size. */
static void
verify_node(Writing *writing, Node *node)
{
	if (node == NULL)
		return;
	if (++writing->depth > MAX_DEPTH)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("the cohort is nested more than %d deep", MAX_DEPTH),
				 errhint("Long chains of AND and OR need no parentheses, and IN takes a list."),
				 parser_errposition(writing->pstate, exprLocation(node))));
	writing->nodes += writing->copies;
	if (writing->nodes > MAX_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("the cohort is too complex"),
				 errhint("Do not nest BETWEEN and IN in each other."),
				 parser_errposition(writing->pstate, exprLocation(node))));
	verify_shape(writing, node);
	writing->depth--;
}

Node *
read_written(ParseState *pstate, const DeclaredPublication *publication, const char *cohort)
{
	Writing		writing = {.pstate = pstate, .publication = publication, .copies = 1};
	Node	   *expression;

	verify_cohort_length(cohort);
	verify_no_comments(pstate, cohort);
	expression = only_expression(pstate, cohort, "a cohort");
	verify_node(&writing, expression);
	return expression;
}
