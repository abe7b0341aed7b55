/*
 * deduced.c
 *		historical_correlations() and compromise(): what observers find out who
 *		compare classes, and who know some people's values.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/correlations.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/recall.h"
#include "history/report.h"
#include "history/texts.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_historical_correlations);
PG_FUNCTION_INFO_V1(pprepub_compromise);

/* ----------------------------------------------------------------
 * historical_correlations()
 * ----------------------------------------------------------------
 */

typedef struct Putting
{
	const Seen *seen;
	ReturnSetInfo *result;
} Putting;

static void
put_correlation(void *what, const Correlation *correlation)
{
	Putting    *putting = what;
	const SeenRelease *release = putting->seen->release;
	Datum		values[] = {
		Int32GetDatum(correlation->a.release + 1),
		Int64GetDatum(release[correlation->a.release].number[correlation->a.class]),
		Int32GetDatum(correlation->b.release + 1),
		Int64GetDatum(release[correlation->b.release].number[correlation->b.class]),
		Int32GetDatum(correlation->unmatched),
	};
	bool		nulls[lengthof(values)] = {false};

	tuplestore_putvalues(putting->result->setResult, putting->result->setDesc, values, nulls);
}

static void
put_correlations(const DeclaredPublication *publication, ReturnSetInfo *result)
{
	const Recalled *recalled = recall(publication);
	Putting		putting = {&recalled->seen, result};

	find_correlations(statistics_of(&recalled->seen), PG_UINT32_MAX, put_correlation, &putting);
}

Datum
pprepub_historical_correlations(PG_FUNCTION_ARGS)
{
	report_history(fcinfo, put_correlations);
	return (Datum) 0;
}

/* ----------------------------------------------------------------
 * compromise()
 * ----------------------------------------------------------------
 */

/* People by the words for their keys, as the owner: the key type's input runs. */
static Thread *
find_known(const DeclaredPublication *publication, const Recalled *recalled, ArrayType *keys, int *n)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	Datum	   *words;
	bool	   *nulls;
	Thread	   *known;
	Oid			input;
	Oid			param;

	getTypeInputInfo(key->type, &input, &param);
	deconstruct_array(keys, TEXTOID, -1, false, TYPALIGN_INT, &words, &nulls, n);
	known = palloc(sizeof(Thread) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		known[i] = nulls[i] ? NO_THREAD :
			recalled_person(recalled, OidInputFunctionCall(input, TextDatumGetCString(words[i]), param, key->typmod));
		if (known[i] == NO_THREAD)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 nulls[i] ? errmsg("keys must not be null")
					 : errmsg("nobody with key \"%s\" was published", TextDatumGetCString(words[i]))));
	}
	return known;
}

static void
verify_nothing_changes(const DeclaredPublication *publication, const Statistics *statistics)
{
	if (find_changed(statistics) == NO_THREAD)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("sensitive values of publication \"%s\" have changed from release to release", publication->name),
			 errdetail("What is deduced here follows only where everybody keeps his value.")));
}

static Datum
candidates_text(const Recalled *recalled, TextCast *cast, const Deduction *deduction, Thread t)
{
	uint32		n = deduction->ncandidates[t];
	Datum	   *texts = palloc(sizeof(Datum) * (n + 1));

	for (uint32 i = 0; i < n; i++)
	{
		bool		isnull;

		texts[i] = text_cast(cast, recalled->values[deduction->candidate[deduction->first[t] + i]], &isnull);
	}
	return PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* People of whom something is deduced, who are not known. */
static void
put_deduced(const DeclaredPublication *publication, const Recalled *recalled, const Deduction *deduction,
			const bool *is_known, ReturnSetInfo *result)
{
	TextCast   *key = text_cast_create(publication_column(publication, ROLE_KEY));
	TextCast   *sensitive = text_cast_create(publication_column(publication, ROLE_SENSITIVE));
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "deduced", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (Thread t = 0; t < recalled->people->size; t++)
	{
		Datum		values[2];
		bool		nulls[2] = {false, false};

		CHECK_FOR_INTERRUPTS();
		if (is_known[t] || deduction->ncandidates[t] >= deduction->nbefore[t])
			continue;
		values[0] = text_cast(key, recalled->people->keys[t], &nulls[0]);
		values[1] = candidates_text(recalled, sensitive, deduction, t);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
}

static void
put_compromise(const DeclaredPublication *publication, ArrayType *keys, ReturnSetInfo *result)
{
	const Recalled *recalled = recall(publication);
	const Statistics *statistics = statistics_of(&recalled->seen);
	bool	   *is_known = palloc_extended(sizeof(bool) * (recalled->seen.nthreads + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	Thread	   *known;
	int			n;

	verify_nothing_changes(publication, statistics);
	known = find_known(publication, recalled, keys, &n);
	for (int i = 0; i < n; i++)
		is_known[known[i]] = true;
	put_deduced(publication, recalled, deduce(statistics, known, n), is_known, result);
}

/* As report_history(), with keys. */
Datum
pprepub_compromise(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	MemoryContext context;
	MemoryContext old;
	Identity	caller;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the keys must not be null")));
	publication = publication_open(name, AccessShareLock);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	publication->releases = releases_seen(publication);
	if (publication->releases == 0)
		return (Datum) 0;
	context = AllocSetContextCreate(CurrentMemoryContext, "compromise", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	act_as(&caller, publication->owner);
	put_compromise(publication, PG_GETARG_ARRAYTYPE_P(1), (ReturnSetInfo *) fcinfo->resultinfo);
	act_as_before(&caller);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return (Datum) 0;
}
