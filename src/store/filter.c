/*
 * filter.c
 *		Vectors of columns, decoded when they are asked for, and conditions on them, clause after clause.
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Vectors of columns
 * ----------------------------------------------------------------
 */

/* The most integers, from the least to the greatest, that are taken for codes. */
#define MOST_RANGED 4096

Batch *
make_batch(TupleDesc desc, const int *columns, int ncolumns)
{
	Batch	   *batch = palloc0(sizeof(Batch));

	batch->desc = desc;
	batch->ncolumns = ncolumns;
	batch->columns = palloc0(Max(ncolumns, 1) * sizeof(BatchColumn));
	batch->context = AllocSetContextCreate(CurrentMemoryContext, "a vector of rows", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < ncolumns; i++)
	{
		BatchColumn *column = &batch->columns[i];

		column->column = columns[i];
		column->order = order_of_type(TupleDescAttr(desc, columns[i])->atttypid);
		column->coded = palloc(sizeof(CodedVector));
		column->values = palloc(ENCODING_VECTOR * sizeof(Datum));
		column->nulls = palloc(ENCODING_VECTOR * sizeof(bool));
	}
	return batch;
}

void
batch_enter(Batch *batch, uint32 nrows)
{
	batch->group = cursor_group(batch->cursor);
	batch->nrows = nrows;
	for (int i = 0; i < batch->ncolumns; i++)
		batch->columns[i].opened = false;
}

uint32
batch_go(Batch *batch, uint32 vector, uint16 *rows)
{
	batch->vector = vector;
	batch->n = Min(batch->nrows - vector * ENCODING_VECTOR, ENCODING_VECTOR);
	MemoryContextReset(batch->context);
	for (int i = 0; i < batch->ncolumns; i++)
		batch->columns[i].has_codes = batch->columns[i].has_values = false;
	for (uint32 i = 0; i < batch->n; i++)
		rows[i] = i;
	return batch->n;
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Do the column's bounds leave room for few integers only? */
static void
look_at_range(const RowGroup *group, BatchColumn *column)
{
	Datum		least;
	Datum		greatest;

	column->ranged = column->order == ORDER_INTEGER &&
		group_bounds(group, column->column, ORDER_INTEGER, &least, &greatest) &&
		DatumGetInt64(least) <= DatumGetInt64(greatest) && greatest - least < MOST_RANGED;
	if (!column->ranged)
		return;
	column->least = DatumGetInt64(least);
	column->coded->lasting = true;
	column->coded->ncodes = greatest - least + 2;
}

/* Finds out once where the column's values are in the current group, and brings all of their bytes. */
static void
open_in_group(Batch *batch, BatchColumn *column)
{
	RowGroup   *group = batch->group;
	const char *wrong;

	if (column->opened)
		return;
	column->opened = true;
	column->fixed = column->ranged = false;
	column->encoded = NULL;
	if (column->column < group->header.natts)
	{
		const ColumnEntry *entry = &group->columns[column->column];

		if ((wrong = load_bytes(group, entry->offset, entry->offset + entry->length)) != NULL)
			group_damaged(group, column->column, wrong);
		column->encoded = group_column(group, column->column);
		column->isnull = true;
		column->value = 0;
	}
	else
		column->value = getmissingattr(batch->desc, column->column + 1, &column->isnull);
	column->fixed = column->encoded == NULL;
	if (column->encoded != NULL && !column_has_codes(column->encoded))
		look_at_range(group, column);
}

const CodedVector *
batch_codes(Batch *batch, int i)
{
	BatchColumn *column = &batch->columns[i];
	const char *wrong = NULL;

	if (batch->group == NULL)
		return NULL;
	open_in_group(batch, column);
	if (column->encoded != NULL && !column->ranged && !column_has_codes(column->encoded))
		return NULL;
	if (column->has_codes)
		return column->coded;
	if (column->fixed)
	{
		column->coded->lasting = true;
		column->coded->ncodes = 2;
		for (uint32 row = 0; row < batch->n; row++)
			column->coded->codes[row] = column->isnull ? 0 : 1;
	}
	else if (column->ranged)
	{
		CodedVector *coded = column->coded;
		uint64		farthest = 0;

		/* Integers by their distance from the least; bounds that do not hold are damage. */
		batch_values(batch, i);
		for (uint32 row = 0; row < batch->n; row++)
		{
			uint64		distance = column->nulls[row] ? 0 : column->values[row] - (Datum) column->least + 1;

			farthest = Max(farthest, distance);
			coded->codes[row] = (uint32) distance;
		}
		if (farthest >= coded->ncodes)
			group_damaged(batch->group, column->column, "A value lies outside of its bounds.");
	}
	else
		wrong = decode_codes(column->encoded, batch->vector, batch->context, column->coded);
	if (wrong != NULL)
		group_damaged(batch->group, column->column, wrong);
	column->has_codes = true;
	return column->coded;
}

Datum
batch_value_of_code(Batch *batch, int i, uint32 code, bool *isnull)
{
	BatchColumn *column = &batch->columns[i];
	const char *wrong;
	Datum		value;

	*isnull = code == 0;
	if (code == 0)
		return (Datum) 0;
	if (column->fixed)
		return column->value;
	if (column->ranged)
		return (Datum) (column->least + code - 1);
	if (!column->coded->lasting)
		return column->coded->values[code];
	wrong = value_of_code(column->encoded, code, &value);
	if (wrong != NULL)
		group_damaged(batch->group, column->column, wrong);
	return value;
}

void
batch_values(Batch *batch, int i)
{
	BatchColumn *column = &batch->columns[i];

	if (column->has_values)
		return;
	column->has_values = true;
	if (batch->group == NULL)
	{
		const PendingGroup *pending = cursor_pending(batch->cursor);

		for (uint32 row = 0; row < batch->n; row++)
			column->values[row] = pending_value(pending, batch->vector * ENCODING_VECTOR + row, column->column, batch->desc,
												&column->nulls[row]);
		return;
	}
	open_in_group(batch, column);
	read_vector(batch->group, column->column, batch->vector, batch->context, column->values, column->nulls);
}

/* ----------------------------------------------------------------
 * Making filters
 * ----------------------------------------------------------------
 */

/* The knowledge of a code. */
typedef enum Verdict
{
	VERDICT_NONE,
	VERDICT_PASSES,
	VERDICT_FAILS
} Verdict;

typedef struct Clause
{
	bool		is_condition;
	Condition	condition;		/* if it is one */
	ExprState  *state;
	int			ncolumns;		/* of the batch, that it is about */
	int		   *columns;
	AttrNumber *attributes;		/* these columns', in the slot */
	bool		met;			/* by all rows of the current group */
	uint8	   *verdicts;		/* on codes of its only column */
	uint32		room;
	bool		asked;			/* are there verdicts on lasting codes of the current group? */
} Clause;

struct Filter
{
	ExprContext *econtext;		/* borrowed */
	TupleTableSlot *slot;		/* borrowed */
	MemoryContext values;		/* owned: of conditions */
	bool		evaluated;
	int			nclauses;
	Clause	   *clauses;
};

/* Of a condition, the expression is not evaluated; but the right to call its operator is checked where it is made. */
static void
make_clause(Clause *clause, Node *node, ScanState *scan, Index varno, const int *columns, const Batch *batch)
{
	Bitmapset  *attributes = NULL;
	int			number = -1;

	pull_varattnos(node, varno, &attributes);
	clause->columns = palloc((bms_num_members(attributes) + 1) * sizeof(int));
	clause->attributes = palloc((bms_num_members(attributes) + 1) * sizeof(AttrNumber));
	while ((number = bms_next_member(attributes, number)) >= 0)
	{
		AttrNumber	attribute = number + FirstLowInvalidHeapAttributeNumber;

		clause->attributes[clause->ncolumns] = attribute;
		clause->columns[clause->ncolumns++] = columns[attribute - 1];
	}
	clause->is_condition = make_condition(node, varno, &clause->condition);
	clause->state = clause->is_condition ? ExecInitExpr((Expr *) node, NULL) : ExecInitQual(list_make1(node), &scan->ps);
	if (!clause->is_condition)
		return;
	clause->condition.column = batch->columns[clause->columns[0]].column;
	if (clause->condition.expression != NULL)
		clause->condition.state = ExecInitExpr(clause->condition.expression, &scan->ps);
}

Filter *
make_filter(List *clauses, ScanState *scan, Index varno, TupleTableSlot *slot, const int *columns, const Batch *batch)
{
	Filter	   *filter = palloc0(sizeof(Filter));
	ListCell   *cell;

	filter->econtext = scan->ps.ps_ExprContext;
	filter->slot = slot;
	filter->values = AllocSetContextCreate(CurrentMemoryContext, "values of conditions", ALLOCSET_SMALL_SIZES);
	filter->clauses = palloc0(Max(list_length(clauses), 1) * sizeof(Clause));
	foreach(cell, clauses)
	{
		Clause	   *clause = &filter->clauses[filter->nclauses];

		make_clause(clause, lfirst(cell), scan, varno, columns, batch);
		if (clause->is_condition || slot != NULL)
			filter->nclauses++;
		else
			memset(clause, 0, sizeof(Clause));
	}
	if (slot != NULL)
		ExecStoreAllNullTuple(slot);
	return filter;
}

void
renew_filter(Filter *filter)
{
	filter->evaluated = false;
}

/* Finds out the values of conditions, if that was not done since parameters changed. */
static void
need_evaluated(Filter *filter)
{
	MemoryContext old;

	if (filter->evaluated)
		return;
	old = MemoryContextSwitchTo(filter->values);
	MemoryContextReset(filter->values);
	for (int i = 0; i < filter->nclauses; i++)
		if (filter->clauses[i].is_condition)
			evaluate_condition(&filter->clauses[i].condition, filter->econtext);
	MemoryContextSwitchTo(old);
	filter->evaluated = true;
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

bool
filter_excludes(void *arg, const RowGroup *group)
{
	Filter	   *filter = arg;

	need_evaluated(filter);
	for (int i = 0; i < filter->nclauses; i++)
		if (filter->clauses[i].is_condition && !group_may_fulfill(group, &filter->clauses[i].condition))
			return true;
	return false;
}

bool
filter_enter(Filter *filter, const Batch *batch)
{
	bool		all = true;

	need_evaluated(filter);
	for (int i = 0; i < filter->nclauses; i++)
	{
		Clause	   *clause = &filter->clauses[i];

		clause->asked = false;
		clause->met = clause->is_condition && batch->group != NULL &&
			group_must_fulfill(batch->group, &clause->condition);
		all = all && clause->met;
	}
	return all;
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Evaluates the clause with the values that stand in the slot. */
static bool
passes_now(Filter *filter, const Clause *clause)
{
	bool		passes;

	filter->econtext->ecxt_scantuple = filter->slot;
	passes = ExecQual(clause->state, filter->econtext);
	ResetExprContext(filter->econtext);
	return passes;
}

/* Does a code's value pass the clause? */
static bool
code_passes(Filter *filter, const Clause *clause, Batch *batch, uint32 code)
{
	bool		isnull;
	Datum		value = batch_value_of_code(batch, clause->columns[0], code, &isnull);

	if (clause->is_condition)
		return value_fulfills(&clause->condition, value, isnull);
	filter->slot->tts_values[clause->attributes[0] - 1] = value;
	filter->slot->tts_isnull[clause->attributes[0] - 1] = isnull;
	return passes_now(filter, clause);
}

/* Codes are looked at when they are met first, in the group or, if they do not last, in the vector. */
static uint32
keep_by_code(Filter *filter, Clause *clause, Batch *batch, const CodedVector *coded, uint16 *rows, uint32 n)
{
	uint32		kept = 0;

	if (coded->ncodes > clause->room)
	{
		clause->verdicts = clause->verdicts ? repalloc(clause->verdicts, coded->ncodes) :
			MemoryContextAlloc(GetMemoryChunkContext(filter), coded->ncodes);
		clause->room = coded->ncodes;
	}
	if (!coded->lasting || !clause->asked)
		memset(clause->verdicts, VERDICT_NONE, coded->ncodes);
	clause->asked = coded->lasting;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		code = coded->codes[rows[i]];

		if (clause->verdicts[code] == VERDICT_NONE)
			clause->verdicts[code] = code_passes(filter, clause, batch, code) ? VERDICT_PASSES : VERDICT_FAILS;
		rows[kept] = rows[i];
		kept += clause->verdicts[code] == VERDICT_PASSES;
	}
	return kept;
}

/* Row by row, with all the columns that the clause is about. */
static uint32
keep_by_row(Filter *filter, const Clause *clause, Batch *batch, uint16 *rows, uint32 n)
{
	uint32		kept = 0;

	for (int i = 0; i < clause->ncolumns; i++)
		batch_values(batch, clause->columns[i]);
	for (uint32 i = 0; i < n; i++)
	{
		uint16		row = rows[i];

		for (int j = 0; j < clause->ncolumns; j++)
		{
			const BatchColumn *column = &batch->columns[clause->columns[j]];

			filter->slot->tts_values[clause->attributes[j] - 1] = column->values[row];
			filter->slot->tts_isnull[clause->attributes[j] - 1] = column->nulls[row];
		}
		rows[kept] = row;
		kept += passes_now(filter, clause);
	}
	return kept;
}

uint32
filter_rows(Filter *filter, Batch *batch, uint16 *rows, uint32 n)
{
	for (int i = 0; i < filter->nclauses && n > 0; i++)
	{
		Clause	   *clause = &filter->clauses[i];
		const CodedVector *coded;

		if (clause->met)
			continue;
		coded = clause->ncolumns == 1 ? batch_codes(batch, clause->columns[0]) : NULL;
		if (coded != NULL)
			n = keep_by_code(filter, clause, batch, coded, rows, n);
		else if (clause->is_condition)
		{
			const BatchColumn *column = &batch->columns[clause->columns[0]];
			uint32		kept = 0;

			batch_values(batch, clause->columns[0]);
			for (uint32 j = 0; j < n; j++)
			{
				uint16		row = rows[j];

				rows[kept] = row;
				kept += value_fulfills(&clause->condition, column->values[row], column->nulls[row]);
			}
			n = kept;
		}
		else
			n = keep_by_row(filter, clause, batch, rows, n);
	}
	return n;
}
