/*
 * range_taxonomy.c
 *		create_range_taxonomy(): ladders, which are trees of nested intervals over
 *		a number.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "declare/taxonomy.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(pprepub_create_range_taxonomy);

#define MAX_DIGITS 500			/* of a number, with its sign and point: the name of a node has two */

static Numeric
numeric_op(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static bool
numeric_test(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetBool(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static char *
numeric_text(Numeric n)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out,
											   DirectFunctionCall1(numeric_trim_scale,
																   NumericGetDatum(n))));
}

static bool
numeric_is_finite(Numeric n)
{
	return !numeric_is_nan(n) && !numeric_is_inf(n);
}

/*
 * Refuses a number with too many digits before anything is computed with it:
 * that takes minutes with the longest numbers.
 */
static void
verify_digits(const char *name, Numeric n)
{
	if (strlen(numeric_text(n)) > MAX_DIGITS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a number of taxonomy \"%s\" has more than %d digits", name, MAX_DIGITS),
				 errhint("Round its ends and widths.")));
}

/* Raises an error unless the ends are finite and the widths form a ladder that is not too large. */
static void
verify_ladder(const char *name, Numeric low, Numeric high, Datum *widths, bool *nulls, int nwidths)
{
	Numeric		zero = int64_to_numeric(0);

	verify_digits(name, low);
	verify_digits(name, high);
	if (!numeric_is_finite(low) || !numeric_is_finite(high) || !numeric_test(numeric_lt, low, high))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("taxonomy \"%s\" needs a finite low end below a finite high end", name)));
	if (nwidths == 0 || nwidths >= MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("taxonomy \"%s\" needs 1 to %d widths", name, MAX_LEVELS - 1)));
	for (int i = 0; i < nwidths; i++)
	{
		Numeric		width = nulls[i] ? NULL : DatumGetNumeric(widths[i]);

		if (width != NULL)
			verify_digits(name, width);
		if (width == NULL || !numeric_is_finite(width) || !numeric_test(numeric_gt, width, zero) ||
			(i > 0 && (!numeric_test(numeric_gt, width, DatumGetNumeric(widths[i - 1])) ||
					   !numeric_test(numeric_eq, zero,
									 numeric_op(numeric_mod, width, DatumGetNumeric(widths[i - 1]))))))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("width %d of taxonomy \"%s\" does not fit", i + 1, name),
					 errdetail("Widths are positive, and each is a larger multiple of the one before.")));
	}
	if (numeric_test(numeric_gt,
					 numeric_op(numeric_sub, high, low),
					 numeric_op(numeric_mul, DatumGetNumeric(widths[0]), int64_to_numeric(MAX_NODES))))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("taxonomy \"%s\" would have more than %d nodes", name, MAX_NODES),
				 errhint("Choose a larger first width.")));
}

/*
 * A query for the rows that builder_add_row() takes: each lowest interval with
 * those that contain it.
 */
static char *
ladder_query(Numeric low, Numeric high, Datum *widths, int nwidths)
{
	StringInfoData sql;
	char	   *from = numeric_text(low);
	char	   *to = numeric_text(high);

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < nwidths; i++)
	{
		char	   *width = numeric_text(DatumGetNumeric(widths[i]));

		appendStringInfo(&sql,
						 "format('[%%s,%%s)',"
						 " trim_scale(numeric '%1$s' + div(a - numeric '%1$s', numeric '%3$s') * numeric '%3$s'),"
						 " trim_scale(least(numeric '%1$s' + (div(a - numeric '%1$s', numeric '%3$s') + 1) * numeric '%3$s', numeric '%2$s'))), ",
						 from, to, width);
	}
	appendStringInfo(&sql,
					 "'[%1$s,%2$s)'::text FROM generate_series(numeric '%1$s', numeric '%2$s', numeric '%3$s') a"
					 " WHERE a < numeric '%2$s'",
					 from, to, numeric_text(DatumGetNumeric(widths[0])));
	return sql.data;
}

Datum
pprepub_create_range_taxonomy(PG_FUNCTION_ARGS)
{
	TreeBuilder *builder = builder_create(taxonomy_argument(fcinfo, 0), true);
	MemoryContext context = CurrentMemoryContext;
	CatalogAccess access;
	Numeric		low;
	Numeric		high;
	Datum	   *widths;
	Datum	   *ladder;
	bool	   *nulls;
	int			nwidths;

	verify_may_change("create_range_taxonomy()");
	for (int i = 1; i <= 3; i++)
		verify_not_null(fcinfo, i, "the ends and widths of a taxonomy");
	low = PG_GETARG_NUMERIC(1);
	high = PG_GETARG_NUMERIC(2);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), NUMERICOID, -1, false, TYPALIGN_INT,
					  &widths, &nulls, &nwidths);
	verify_ladder(builder->taxonomy, low, high, widths, nulls, nwidths);

	/* Built from pg_catalog alone, so it may run as the catalog's owner. */
	catalog_enter(&access);
	add_rows_of(builder, ladder_query(low, high, widths, nwidths), context);
	catalog_leave(&access);
	builder_finish(builder);

	ladder = palloc(sizeof(Datum) * (nwidths + 2));
	ladder[0] = NumericGetDatum(low);
	ladder[1] = NumericGetDatum(high);
	memcpy(ladder + 2, widths, sizeof(Datum) * nwidths);
	store_taxonomy(builder, construct_array(ladder, nwidths + 2, NUMERICOID, -1, false, TYPALIGN_INT));
	PG_RETURN_VOID();
}
