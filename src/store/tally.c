/*
 * tally.c
 *		Counting, adding, and keeping the least and the greatest, of rows by columns.
 *
 * NOTES
 *		Of values that compare equal, PostgreSQL's min and max keep the last one.  Only 0 and
 *		-0 show the difference among the types that are counted up here, for which numeric is none.
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate_d.h"
#include "catalog/pg_type_d.h"
#include "libpq/pqformat.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

/* ----------------------------------------------------------------
 * Which aggregates
 * ----------------------------------------------------------------
 */

/* Is it a function of PostgreSQL's that keeps the least or the greatest, in the order that bounds are kept in? */
static TallyKind
extreme_of(const Aggref *aggref, Oid type)
{
	Order		order = order_of_type(type);
	char	   *name;
	TallyKind	kind = TALLY_NONE;

	if (order == ORDER_NONE || order == ORDER_NUMERIC || order == ORDER_UUID ||
		aggref->aggfnoid >= FirstGenbkiObjectId ||
		order != order_of_type(linitial_oid(aggref->aggargtypes)) ||
		(order == ORDER_TEXT && (!OidIsValid(aggref->inputcollid) || !lc_collate_is_c(aggref->inputcollid))))
		return TALLY_NONE;
	name = get_func_name(aggref->aggfnoid);
	if (name != NULL && strcmp(name, "min") == 0)
		kind = TALLY_LEAST;
	else if (name != NULL && strcmp(name, "max") == 0)
		kind = TALLY_GREATEST;
	return kind;
}

/* The kind of an aggregate of a column. */
static TallyKind
kind_of(const Aggref *aggref, const Var *var)
{
	bool		same_type = getBaseType(var->vartype) == linitial_oid(aggref->aggargtypes);

	switch (aggref->aggfnoid)
	{
		case F_COUNT_ANY:
			return TALLY_VALUES;
		case F_SUM_INT2:
		case F_SUM_INT4:
			return same_type ? TALLY_SUM : TALLY_NONE;
		case F_AVG_INT2:
		case F_AVG_INT4:
			return same_type ? TALLY_MEAN : TALLY_NONE;
		case F_SUM_INT8:
		case F_AVG_INT8:
			return same_type ? TALLY_BIG_SUM : TALLY_NONE;
		default:
			return extreme_of(aggref, var->vartype);
	}
}

TallyKind
tally_of_aggregate(const Aggref *aggref, Index relid, AttrNumber *column)
{
	const Node *argument;

	*column = 0;
	if (aggref->aggkind != AGGKIND_NORMAL || aggref->aggfilter != NULL || aggref->aggdistinct != NIL ||
		aggref->aggorder != NIL || aggref->agglevelsup != 0 || aggref->aggsplit != AGGSPLIT_SIMPLE)
		return TALLY_NONE;
	if (aggref->aggstar)
		return aggref->aggfnoid == F_COUNT_ ? TALLY_ROWS : TALLY_NONE;
	if (list_length(aggref->args) != 1)
		return TALLY_NONE;
	argument = (const Node *) linitial_node(TargetEntry, aggref->args)->expr;
	if (IsA(argument, Const) && aggref->aggfnoid == F_COUNT_ANY)
		return ((const Const *) argument)->constisnull ? TALLY_NONE : TALLY_ROWS;
	while (IsA(argument, RelabelType))
		argument = (const Node *) ((const RelabelType *) argument)->arg;
	if (!IsA(argument, Var) || ((const Var *) argument)->varno != (int) relid ||
		((const Var *) argument)->varlevelsup != 0 || ((const Var *) argument)->varattno <= 0)
		return TALLY_NONE;
	*column = ((const Var *) argument)->varattno;
	return kind_of(aggref, (const Var *) argument);
}

void
begin_tally(Tally *tally, TallyKind kind, const Batch *batch, int place)
{
	*tally = (Tally) {.kind = kind, .column = -1, .place = place};
	if (place >= 0)
	{
		const BatchColumn *column = &batch->columns[place];
		Form_pg_attribute att = TupleDescAttr(batch->desc, column->column);

		tally->column = column->column;
		tally->order = column->order;
		tally->typlen = att->attlen;
		tally->typbyval = att->attbyval;
	}
}

/* ----------------------------------------------------------------
 * Least and greatest
 * ----------------------------------------------------------------
 */

/* Does a value take the place of the one that is kept? */
static inline bool
replaces(const Tally *tally, const Count *count, Datum value)
{
	int			comparison;

	if (count->n == 0)
		return true;
	comparison = compare_in_order(tally->order, value, count->value);
	return tally->kind == TALLY_LEAST ? comparison <= 0 : comparison >= 0;
}

/* Notes a value among n ones. */
static void
keep_extreme(const Tally *tally, Count *count, Datum value, int64 n, MemoryContext context)
{
	if (replaces(tally, count, value))
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		if (!tally->typbyval && count->n > 0)
			pfree(DatumGetPointer(count->value));
		count->value = datumCopy(value, tally->typbyval, tally->typlen);
		MemoryContextSwitchTo(old);
	}
	count->n += n;
}

/* ----------------------------------------------------------------
 * Counting up
 * ----------------------------------------------------------------
 */

/* Takes the group's bound. */
static bool
header_extreme(const Tally *tally, Count *count, const Batch *batch, MemoryContext context)
{
	const RowGroup *group = batch->group;
	uint32		nvalues = group->header.nrows - group->columns[tally->column].nulls;
	Datum		least;
	Datum		greatest;
	Datum		value;

	if (nvalues == 0)
		return true;
	if (!group_bounds(group, tally->column, tally->order, &least, &greatest))
		return false;
	value = tally->kind == TALLY_LEAST ? least : greatest;
	/* 0 and -0 are equal, and differ: rows tell which of them is the last. */
	if ((tally->order == ORDER_FLOAT4 && DatumGetFloat4(value) == 0) ||
		(tally->order == ORDER_FLOAT8 && DatumGetFloat8(value) == 0))
		return false;
	keep_extreme(tally, count, value, nvalues, context);
	return true;
}

bool
tally_header(const Tally *tally, Count *count, const Batch *batch, MemoryContext context)
{
	const RowGroup *group = batch->group;

	if (group == NULL || (tally->column >= group->header.natts))
		return false;
	switch (tally->kind)
	{
		case TALLY_ROWS:
			count->n += group->header.nrows;
			return true;
		case TALLY_VALUES:
			count->n += group->header.nrows - group->columns[tally->column].nulls;
			return true;
		case TALLY_LEAST:
		case TALLY_GREATEST:
			return header_extreme(tally, count, batch, context);
		default:
			return group->columns[tally->column].nulls == group->header.nrows;
	}
}

/* Adds up the values that are not NULL. */
static void
add_values(const Tally *tally, Count *count, Batch *batch, const uint16 *rows, uint32 n)
{
	const BatchColumn *column = &batch->columns[tally->place];
	int128		sum = 0;
	uint32		nvalues = 0;

	batch_values(batch, tally->place);
	/* Without a branch: the Datum of a NULL is 0. */
	for (uint32 i = 0; i < n; i++)
	{
		sum += DatumGetInt64(column->values[rows[i]]);
		nvalues += !column->nulls[rows[i]];
	}
	count->n += nvalues;
	count->sum += sum;
}

void
tally_rows(const Tally *tally, Count *count, Batch *batch, const uint16 *rows, uint32 n, MemoryContext context)
{
	switch (tally->kind)
	{
		case TALLY_ROWS:
			count->n += n;
			break;
		case TALLY_LEAST:
		case TALLY_GREATEST:
			{
				const BatchColumn *column = &batch->columns[tally->place];
				Count		found = {0};

				/* The least or greatest of rows, which is then one for all of them. */
				batch_values(batch, tally->place);
				for (uint32 i = 0; i < n; i++)
				{
					if (column->nulls[rows[i]])
						continue;
					if (replaces(tally, &found, column->values[rows[i]]))
						found.value = column->values[rows[i]];
					found.n++;
				}
				if (found.n > 0)
					keep_extreme(tally, count, found.value, found.n, context);
			}
			break;
		case TALLY_VALUES:
			batch_values(batch, tally->place);
			for (uint32 i = 0; i < n; i++)
				count->n += !batch->columns[tally->place].nulls[rows[i]];
			break;
		default:
			add_values(tally, count, batch, rows, n);
			break;
	}
}

/* Signs of a numeric, as PostgreSQL serializes them until 18; and what its digits are based on. */
#define SIGN_POSITIVE 0x0000
#define SIGN_NEGATIVE 0x4000
#define DIGIT_BASE 10000

/* The most digits of a number of 128 bits. */
#define MOST_DIGITS 10

/* The state of sum(bigint) and avg(bigint), in the form that int8_avg_serialize() gives it for parallel workers. */
static Datum
serialize_sum(const Count *count)
{
	StringInfoData buffer;
#if PG_VERSION_NUM >= 190000

	pq_begintypsend(&buffer);
	pq_sendint64(&buffer, count->n);
	pq_sendint64(&buffer, (uint64) (count->sum >> 64));
	pq_sendint64(&buffer, (uint64) count->sum);
#else
	uint128		rest = count->sum < 0 ? -(uint128) count->sum : (uint128) count->sum;
	int16		digits[MOST_DIGITS];
	int			ndigits = 0;

	for (; rest > 0; rest /= DIGIT_BASE)
		digits[ndigits++] = (int16) (rest % DIGIT_BASE);
	pq_begintypsend(&buffer);
	pq_sendint64(&buffer, count->n);
	pq_sendint32(&buffer, ndigits);
	pq_sendint32(&buffer, Max(ndigits - 1, 0)); /* the weight of the first digit */
	pq_sendint32(&buffer, count->sum < 0 ? SIGN_NEGATIVE : SIGN_POSITIVE);
	pq_sendint32(&buffer, 0);	/* no decimals */
	while (ndigits > 0)
		pq_sendint16(&buffer, digits[--ndigits]);
#endif
	return PointerGetDatum(pq_endtypsend(&buffer));
}

Datum
tally_result(const Tally *tally, const Count *count, bool *isnull)
{
	*isnull = count->n == 0;
	switch (tally->kind)
	{
		case TALLY_LEAST:
		case TALLY_GREATEST:
			return count->value;
		case TALLY_SUM:
			return Int64GetDatum((int64) count->sum);
		case TALLY_BIG_SUM:
			return count->n == 0 ? (Datum) 0 : serialize_sum(count);
		case TALLY_MEAN:
			{
				/* The number of values, and their sum. */
				Datum		state[2] = {Int64GetDatum(count->n), Int64GetDatum((int64) count->sum)};

				*isnull = false;
				return PointerGetDatum(construct_array(state, 2, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
			}
		default:
			*isnull = false;
			return Int64GetDatum(count->n);
	}
}
