/*
 * risks_report.c
 *		risks(): the textbook's figures of one release.
 */
#include "postgres.h"

#include <math.h>

#include "declare/work.h"
#include "fmgr.h"
#include "release/past_releases.h"
#include "report/risks/risks.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_risks);

ClassRisks *
risks_of_release(const DeclaredPublication *publication, int32 number, Oid registry, RiskQuestion *question)
{
	ReleaseClasses *classes = read_release_classes(publication, number);
	uint64		rows = 0;

	for (uint32 c = 0; c < classes->regions->n; c++)
		rows += classes->class[c].rows;
	if (question->population > 0 && question->population < rows)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a population of " UINT64_FORMAT " is smaller than release %d, which has " UINT64_FORMAT " rows",
						question->population, number, rows),
				 errhint("The population is all people whom the release could be about, those in it included.")));
	question->has_registry = OidIsValid(registry);
	if (question->has_registry)
		count_registered(classes, registry);
	return measure_risks(classes->class, classes->regions->n, question);
}

RiskQuestion
risk_question(const NullableDatum *population, double threshold)
{
	RiskQuestion question = {.threshold = threshold};

	if (!population->isnull)
	{
		if (DatumGetInt64(population->value) < 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"population\" must be 1 or more")));
		question.population = DatumGetInt64(population->value);
	}
	if (!(threshold > 0 && threshold <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"threshold\" must be greater than 0, and 1 at most"),
				 errhint("A threshold of 0.2 counts people who are hidden among fewer than 5.")));
	return question;
}

/* Puts the figures as rows. */
static void
put_risks(const OwnersWork *work, int32 number, Oid registry, RiskQuestion *question)
{
	const ClassRisks *risks = risks_of_release(work->publication, number, registry, question);
	NamedRisk  *list;
	int			n = list_risks(risks, question, &list);

	for (int i = 0; i < n; i++)
	{
		Datum		values[] = {
			CStringGetTextDatum(list[i].name), Float8GetDatum(list[i].value), CStringGetTextDatum(list[i].meaning)
		};
		bool		nulls[] = {false, isnan(list[i].value), false};

		report_row(work, values, nulls);
	}
}

void
verify_registry(const DeclaredPublication *publication, Oid registry)
{
	if (!has_rights_of(publication->owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of publication \"%s\" to compare it with a registry", publication->name),
				 errdetail("A registry is read with the owner's rights."),
				 errhint("Give the size of the population instead.")));
	verify_source_kind(registry);
}

/* The rows of risks(). */
static Datum
report_risks(FunctionCallInfo fcinfo)
{
	RiskQuestion question = risk_question(&fcinfo->args[2], PG_ARGISNULL(4) ? HIGH_RISK : PG_GETARG_FLOAT8(4));
	Oid			registry = PG_ARGISNULL(3) ? InvalidOid : PG_GETARG_OID(3);
	OwnersWork	work;
	int32		number;

	verify_not_null(fcinfo, 1, "the number of a release");
	number = PG_GETARG_INT32(1);
	report_open_for_auditor(&work, fcinfo);
	if (number < 1 || number > work.publication->releases)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("publication \"%s\" has no release %d", work.publication->name, number)));
	verify_may_see_figures(work.publication, number);
	if (OidIsValid(registry))
		verify_registry(work.publication, registry);
	if (report_begin(&work, fcinfo))
	{
		put_risks(&work, number, registry, &question);
		work_close(&work);
	}
	return (Datum) 0;
}

Datum
pprepub_risks(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_risks);
}
