/*
 * texts.c
 *		The expression value::text, made once and evaluated for many values.
 */
#include "history/texts.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"

struct TextCast
{
	ExprState  *expression;
	ExprContext *context;
};

TextCast *
text_cast_create(const DeclaredColumn *column)
{
	TextCast   *cast = palloc(sizeof(TextCast));
	CaseTestExpr *value = makeNode(CaseTestExpr);
	Node	   *expression;

	value->typeId = column->type;
	value->typeMod = column->typmod;
	value->collation = column->collation;
	expression = coerce_to_target_type(NULL, (Node *) value, column->type, TEXTOID, -1,
									   COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	if (expression == NULL)
		elog(ERROR, "type %u cannot be cast to text", column->type);
	assign_expr_collations(NULL, expression);
	cast->expression = ExecInitExpr(expression_planner((Expr *) expression), NULL);
	cast->context = CreateStandaloneExprContext();
	return cast;
}

Datum
text_cast(TextCast *cast, Datum value, bool *isnull)
{
	cast->context->caseValue_datum = value;
	cast->context->caseValue_isNull = false;
	return ExecEvalExpr(cast->expression, cast->context, isnull);
}
