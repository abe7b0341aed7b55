/*
 * noisy.c
 *		TARGET.NAME_noisy(): counts of people with noise, which are charged to a budget.
 *
 * PROMISE
 *		Sources that differ by one person give each answer with probabilities that differ by a factor of e^epsilon at most.
 *		A person is counted once in a bin, and in max_rows bins at most, and adds a number between bounds that were asked for
 *		to a sum.  Bins follow from the declaration and the question, and each has a row.  Until the next release an equal
 *		question gets the answer that is out, whatever happens to the source: so nothing tells whether it changed.
 *
 * ORDER
 *		Charge and answer are one row of the ledger, committed before anything leaves.  Whatever goes wrong once the source
 *		is read is charged, too; if the server dies before the commit, nobody has seen anything.
 */
#include "answer/answer.h"

#include "access/relation.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "compat.h"
#include "declare/catalog.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/witness.h"
#include "miscadmin.h"
#include "noise/noise.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "release/cohort/cohort.h"
#include "rewrite/rewriteHandler.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(pprepub_noisy);
PG_FUNCTION_INFO_V1(pprepub_noise_left);

#define MAX_BINS_BYTES	65536
#define TOLD_DELTA		1e-6

/* A question that was read: see noise_question(). */
struct NoiseQuestion
{
	Datum		question;		/* its normal form */
	const char *query;
	int			nbins;
	int32		release;
	int64		cost;
	int32		kept;			/* the number of an answer that is given again, or 0 */
	bool		gaussian;
	bool		is_unique;		/* each person has one row */
	int64		total;			/* the budget */
	int64		most_steps;		/* that a person adds to a sum, or takes away; 0 without sums */
};

/*
 * Does an index see to it that each person has one row, so that rows can be counted?  That takes a fraction of the time.  A
 * table that others inherit from has rows that its index does not know; and an index of another collation or operator class
 * knows keys apart that are equal.
 */
static bool
has_unique_key(const DeclaredPublication *publication)
{
	Relation	pinned = relation_open(publication->pinned, AccessShareLock);
	Query	   *query = get_view_query(pinned);
	Var		   *var = (Var *) get_tle_by_resno(query->targetList, get_attnum(publication->pinned, publication_column(publication, ROLE_KEY)->name))->expr;
	RangeTblEntry *source = IsA(var, Var) ? rt_fetch(var->varno, query->rtable) : NULL;
	bool		is_unique = source != NULL && source->rtekind == RTE_RELATION && source->relkind == RELKIND_RELATION && !has_subclass(source->relid);
	CatalogAccess access;

	/* There must have been the index when the snapshot was taken, too. */
	catalog_enter(&access);
	is_unique = is_unique &&
		catalog_look("SELECT FROM pg_index WHERE indrelid = $1 AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL"
					 " AND indnkeyatts = 1 AND indkey[0] = $2 AND indcollation[0] = $3 AND indclass[0] = $4",
					 CATALOG_OID(source->relid), CATALOG_PARAM(INT2OID, Int16GetDatum(var->varattno)),
					 CATALOG_OID(var->varcollid), CATALOG_OID(GetDefaultOpClass(var->vartype, BTREE_AM_OID))) > 0;
	catalog_leave(&access);
	relation_close(pinned, NoLock);
	return is_unique;
}

NoiseQuestion *
read_noise_question(const DeclaredPublication *publication, const Question *question, bool must_fit)
{
	NoiseQuestion *read = palloc0(sizeof(NoiseQuestion));
	const char *where = question->request.cohort;
	Datum	   *types = palloc(sizeof(Datum) * publication->ncolumns);
	CatalogAccess access;
	bool		isnull;

	read->is_unique = !has_several_rows(publication) && has_unique_key(publication);
	for (int i = 0; i < publication->ncolumns; i++)
		types[i] = ObjectIdGetDatum(publication->columns[i].type);
	if (where != NULL)
		where = condition_of(publication, where);
	catalog_enter(&access);
	catalog_read("SELECT * FROM pprepub_internal.noise_question($1, $2::text::name, $3, $4::jsonb, $5, $6::numeric, $7, $8, $9)",
				 CATALOG_INT(publication->id), CATALOG_TEXT(question->request.by),
				 CATALOG_PARAM(NAMEARRAYOID, PointerGetDatum(question->request.columns)), CATALOG_TEXT(question->bins),
				 CATALOG_TEXT(where), CATALOG_TEXT(question->epsilon),
				 CATALOG_PARAM(REGTYPEARRAYOID, PointerGetDatum(construct_array(types, publication->ncolumns, REGTYPEOID, sizeof(Oid), true, TYPALIGN_INT))),
				 CATALOG_PARAM(BOOLOID, BoolGetDatum(must_fit)),
				 CATALOG_PARAM(BOOLOID, BoolGetDatum(read->is_unique)));
	catalog_raise();
	read->query = catalog_text(&access, 0, "query");
	read->nbins = catalog_int(0, "nbins");
	read->release = catalog_int(0, "release");
	read->cost = catalog_int(0, "cost");
	read->kept = catalog_int(0, "kept");
	read->gaussian = catalog_int(0, "gaussian");
	read->total = catalog_int(0, "total");
	read->most_steps = catalog_int(0, "most_steps");
	read->question = SPI_datumTransfer(catalog_field(0, "question", &isnull), false, -1);
	catalog_leave(&access);
	return read;
}

/*
 * One person changes max_rows counts at most, if there are so many, each by one; and as many sums, each by most_steps.  Counts
 * take half of the cost where there are sums.
 */
static Ratio
noise_parameter(const DeclaredPublication *publication, const NoiseQuestion *read, bool is_sum)
{
	uint64		bins = Min(publication->max_rows, read->nbins);
	uint64		steps = is_sum ? read->most_steps : 1;
	Ratio		cost = {.num = read->cost / (read->most_steps > 0 ? 2 : 1), .den = COST_UNITS};

	return noise_of_promise(read->gaussian, bins * steps * (read->gaussian ? steps : 1), cost);
}

static int64
draw_noise(const NoiseQuestion *read, Ratio parameter)
{
	CHECK_FOR_INTERRUPTS();
	return read->gaussian ? noise_gaussian(parameter) : noise_laplace(parameter);
}

typedef struct Counting
{
	const NoiseQuestion *read;
	Ratio		parameter;
	Ratio		sum_parameter;
	Datum	   *counts;			/* [nbins] */
	Datum	   *sums;			/* [nbins] in steps; or none */
} Counting;

/* Counts, and adds the noise: in a subtransaction, as the owner. */
static void
count_with_noise(void *what)
{
	Counting   *counting = what;
	const NoiseQuestion *read = counting->read;
	int64	   *count = palloc0(sizeof(int64) * read->nbins * 2);	/* also of rows that do not meet it */
	int64	   *sum = palloc0(sizeof(int64) * read->nbins * 2);

	SPI_connect();
	if (!read->is_unique)		/* a hash of people is slower than a sort */
		(void) set_config_option("enable_hashagg", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	if (SPI_execute(read->query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not count: %s", SPI_result_code_string(SPI_result));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		bool		isnull;
		int32		bin = DatumGetInt32(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &isnull));

		count[bin] = DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &isnull));
		sum[bin] = DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 3, &isnull));
	}
	SPI_finish();
	for (int i = 0; i < read->nbins; i++)
	{
		counting->counts[i] = Int64GetDatum(count[i] + draw_noise(read, counting->parameter));
		if (read->most_steps > 0)
			counting->sums[i] = Int64GetDatum(sum[i] + draw_noise(read, counting->sum_parameter));
	}
}

/* The figures, as an array, or NULL where there are none. */
static CatalogParam
figures(Datum *figure, int n, bool exist)
{
	return exist ? CATALOG_PARAM(INT8ARRAYOID, PointerGetDatum(construct_array(figure, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE))) :
		CATALOG_NULL(INT8ARRAYOID);
}

/* Writes charge and answer into the ledger, and returns its number there. */
static int32
note_charge(const DeclaredPublication *publication, const Question *question, const NoiseQuestion *read, const Counting *counting,
			const ErrorData *error)
{
	bool		has_sums = read->most_steps > 0;
	CatalogAccess access;
	int32		number;

	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub_internal.catalog_noise"
					" (publication, number, asked_at, asked_by, asked_as, release, question, cost, counts, half_width, sums, sum_half_width, failure, spent, own)"
					" SELECT $1, (SELECT coalesce(max(number), 0) + 1 FROM pprepub_internal.catalog_noise WHERE publication = $1),"
					"  now(), $2::text::name, $3::text::name, $4, $5, $6, $7, $8, $9, $10, $11, a.spent + $6, a.own + $6"
					" FROM pprepub_internal.noise_account($1, $2::text::name) a RETURNING number",
					CATALOG_INT(publication->id), CATALOG_TEXT(question->request.by), CATALOG_TEXT(question->request.by_role),
					CATALOG_INT(read->release), CATALOG_PARAM(JSONBOID, read->question),
					CATALOG_PARAM(INT8OID, Int64GetDatum(read->cost)),
					figures(counting->counts, read->nbins, error == NULL),
					CATALOG_PARAM(INT8OID, Int64GetDatum(noise_half_width(read->gaussian, counting->parameter))),
					figures(counting->sums, read->nbins, error == NULL && has_sums),
					has_sums ? CATALOG_PARAM(INT8OID, Int64GetDatum(noise_half_width(read->gaussian, counting->sum_parameter))) : CATALOG_NULL(INT8OID),
					CATALOG_TEXT(error == NULL ? NULL : error->message));
	number = catalog_int(0, "number");
	/* A ledger that was set back gives out again what was spent. */
	catalog_execute("UPDATE pprepub_internal.catalog_publication SET witness = $2 WHERE publication = $1",
					CATALOG_INT(publication->id), CATALOG_PARAM(JSONBOID, witness_now()));
	catalog_leave(&access);
	return number;
}

Answer *
make_noisy_answer(const DeclaredPublication *publication, const Question *question, const NoiseQuestion *read, MemoryContext context)
{
	Counting	counting = {
		.read = read, .parameter = noise_parameter(publication, read, false), .counts = palloc(sizeof(Datum) * read->nbins),
		.sum_parameter = read->most_steps > 0 ? noise_parameter(publication, read, true) : (Ratio) {0}, .sums = palloc(sizeof(Datum) * read->nbins),
	};
	ErrorData  *error = read->kept > 0 ? NULL : look_in_subtransaction(count_with_noise, &counting);
	Answer	   *answer = MemoryContextAllocZero(context, sizeof(Answer));
	CatalogAccess access;

	answer->number = read->kept > 0 ? read->kept : note_charge(publication, question, read, &counting, error);
	catalog_enter(&access);
	catalog_read("SELECT * FROM pprepub_internal.noisy_rows($1, $2)", CATALOG_INT(publication->id), CATALOG_INT(answer->number));
	MemoryContextSwitchTo(context);
	answer->desc = CreateTupleDescCopy(SPI_tuptable->tupdesc);
	answer->nrows = SPI_processed;
	answer->rows = palloc(sizeof(MinimalTuple) * (answer->nrows + 1));
	for (uint64 i = 0; i < answer->nrows; i++)
		answer->rows[i] = minimal_tuple_from_heap_tuple(SPI_tuptable->vals[i], 0);
	if (error != NULL)
	{
		ErrorData  *told = palloc0(sizeof(ErrorData));

		told->sqlerrcode = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
		told->message = psprintf("the source of publication \"%s\" could not be counted", publication->name);
		told->detail = question->sees_errors && error->message != NULL ? psprintf("%s. The question is charged all the same.", error->message) :
			pstrdup("The question is charged all the same.");
		answer->failure = told;
	}
	catalog_leave(&access);
	return answer;
}

/* ----------------------------------------------------------------
 * In the analyst's backend: functions that TARGET.NAME_noisy() and TARGET.NAME_noise_left() call as the owner
 * ----------------------------------------------------------------
 */

/* An error unless the caller has the rights of the publication's owner, as those functions have. */
static Question
question_of_arguments(FunctionCallInfo fcinfo)
{
	Question	question = question_about(text_argument(fcinfo, 0, "the name of a publication"));
	Jsonb	   *bins;
	Jsonb	   *sum;

	verify_not_null(fcinfo, 1, "the columns to count by");
	verify_not_null(fcinfo, 3, "the bins");
	question.request.columns = PG_GETARG_ARRAYTYPE_P(1);
	question.request.cohort = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	bins = PG_GETARG_JSONB_P(3);
	sum = PG_ARGISNULL(5) ? NULL : PG_GETARG_JSONB_P(5);
	question.bins = psprintf("[%s, %s]", JsonbToCString(NULL, &bins->root, VARSIZE(bins)),
							 sum == NULL ? "null" : JsonbToCString(NULL, &sum->root, VARSIZE(sum)));
	question.epsilon = PG_ARGISNULL(4) ? NULL : DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(4)));
	if (strlen(question.bins) > MAX_BINS_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("bins may have %d bytes at most", MAX_BINS_BYTES),
				 errhint("Count in fewer bins, or in bins with shorter names.")));
	return question;
}

Datum
pprepub_noisy(PG_FUNCTION_ARGS)
{
	Question	question;

	verify_may_ask();
	question = question_of_arguments(fcinfo);
	return ask_for_result(fcinfo, &question);
}

/* Reads no source, and charges nothing. */
Datum
pprepub_noise_left(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Question	question = question_of_arguments(fcinfo);
	DeclaredPublication *publication = publication_look(question.name, false);
	const NoiseQuestion *read;
	Identity	caller;
	CatalogAccess access;
	CatalogParam sum_half_width = CATALOG_NULL(INT8OID);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (question.request.cohort != NULL)
		verify_cohort_length(question.request.cohort);
	question.request.by = GetUserNameFromId(GetSessionUserId(), false);
	act_as(&caller, publication->owner);
	read = read_noise_question(publication, &question, false);
	if (read->most_steps > 0)
		sum_half_width = CATALOG_PARAM(INT8OID, Int64GetDatum(noise_half_width(read->gaussian, noise_parameter(publication, read, true))));
	catalog_enter(&access);
	catalog_read("SELECT trim_scale(total / 1e9), trim_scale(greatest(total - spent, 0) / 1e9), trim_scale(role_left / 1e9),"
				 " trim_scale(per_question / 1e9), trim_scale(at_least / 1e9), trim_scale($3 / 1e9), $4, $5 * coalesce(($6::jsonb -> 1 ->> 'step')::numeric, 1), $7 FROM pprepub_internal.noise_account($1, $2::text::name)",
				 CATALOG_INT(publication->id), CATALOG_TEXT(question.request.by),
				 CATALOG_PARAM(INT8OID, Int64GetDatum(read->kept > 0 ? 0 : read->cost)),
				 CATALOG_PARAM(INT8OID, Int64GetDatum(noise_half_width(read->gaussian, noise_parameter(publication, read, false)))), sum_half_width, CATALOG_TEXT(question.bins),
				 CATALOG_PARAM(FLOAT8OID, Float8GetDatum(read->gaussian ? epsilon_at_delta(read->total, TOLD_DELTA) : (double) read->total / COST_UNITS)));
	tuplestore_puttuple(result->setResult, SPI_tuptable->vals[0]);
	catalog_leave(&access);
	act_as_before(&caller);
	return (Datum) 0;
}
