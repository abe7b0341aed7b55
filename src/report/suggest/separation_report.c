/*
 * separation_report.c
 *		separation(): how well columns of a table tell its rows apart.
 *
 * NOTES
 *		PostgreSQL groups the rows itself, so that neither their number nor the
 *		memory is bounded.  It does so as the caller.
 */
#include "postgres.h"

#include "audit/separation.h"
#include "declare/catalog.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "report/suggest/sample.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(pprepub_separation);

/* The columns of a table that an array names, as a list for SQL; () is no column, and one group. */
static char *
column_list(Oid source, ArrayType *columns)
{
	StringInfoData list;
	Datum	   *names;
	bool	   *nulls;
	int			n;

	deconstruct_array(columns, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &names, &nulls, &n);
	initStringInfo(&list);
	for (int i = 0; i < n; i++)
	{
		const char *name;
		AttrNumber	attribute;
		Oid			type;

		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("\"columns\" must not hold a null")));
		name = NameStr(*DatumGetName(names[i]));
		attribute = get_attnum(source, name);
		if (attribute <= InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" has no column \"%s\"", get_rel_name(source), name)));
		type = get_atttype(source, attribute);
		if (!OidIsValid(lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_FUNCTION),
					 errmsg("values of column \"%s\" cannot be compared, since type %s has no equality", name, format_type_be(type)),
					 errhint("Compare parts of it, by a view.")));
		appendStringInfo(&list, "%ss.%s", i > 0 ? ", " : "", quote_identifier(name));
	}
	return n == 0 ? pstrdup("()") : list.data;
}

/* Counts groups of rows that have equal values of the columns; false if there are no rows. */
static bool
count_groups(Oid source, ArrayType *columns, Separation *found, uint64 *rows, double *together)
{
	/* an empty group of no columns is no row */
	char	   *sql = psprintf("SELECT pg_catalog.sum(n)::pg_catalog.int8,"
							   " pg_catalog.count(*) FILTER (WHERE n OPERATOR(pg_catalog.>) 0),"
							   " pg_catalog.count(*) FILTER (WHERE n OPERATOR(pg_catalog.=) 1),"
							   " pg_catalog.sum(n::pg_catalog.numeric OPERATOR(pg_catalog.*) (n OPERATOR(pg_catalog.-) 1))::pg_catalog.float8"
							   " FROM (SELECT pg_catalog.count(*) AS n FROM %s s GROUP BY %s) g",
							   quoted_relation(source), column_list(source, columns));
	Datum		value[4];
	bool		isnull[4];

	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not group the rows");
	for (int i = 0; i < 4; i++)
		value[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull[i]);
	*rows = isnull[0] ? 0 : DatumGetInt64(value[0]);
	found->distinct = DatumGetInt64(value[1]);
	found->alone = DatumGetInt64(value[2]);
	*together = isnull[3] ? 0 : DatumGetFloat8(value[3]);
	return *rows > 0;
}

Datum
pprepub_separation(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Separation	found = {0};
	uint64		rows;
	double		together;
	Oid			source;
	Identity	caller;

	verify_not_null(fcinfo, 0, "the source");
	verify_not_null(fcinfo, 1, "\"columns\"");
	source = PG_GETARG_OID(0);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	reading_begin(&caller, source);
	if (count_groups(source, PG_GETARG_ARRAYTYPE_P(1), &found, &rows, &together))
	{
		found.distinction = (double) found.distinct / rows;
		if (rows > 1)
			found.separation = 1 - together / ((double) rows * (rows - 1));
	}
	reading_end(&caller);
	tuplestore_putvalues(result->setResult, result->setDesc,
						 (Datum[]) {
		Int64GetDatum(rows), Int64GetDatum(found.distinct), Int64GetDatum(found.alone),
		Float8GetDatum(found.separation), Float8GetDatum(found.distinction)
	}, (bool[]) {false, false, false, rows < 2, rows == 0});
	return (Datum) 0;
}
