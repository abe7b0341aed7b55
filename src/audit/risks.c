/*
 * risks.c
 *		Prosecutors, journalists and marketers.
 *
 * NOTES
 *		Risks are those of people, so that invented rows raise no number of people;
 *		they do make classes larger, for observers who cannot tell them.
 */
#include "audit/risks.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/float.h"

/* ----------------------------------------------------------------
 * People at risk
 * ----------------------------------------------------------------
 */

/* Adds people who all have the same risk; the average is a sum until the end. */
static void
add_people(PeopleAtRisk *at_risk, uint64 people, double risk, double threshold)
{
	if (people == 0)
		return;
	at_risk->highest = Max(at_risk->highest, risk);
	at_risk->average += people * risk;
	if (risk > threshold * (1 + 1e-12))
		at_risk->above += people;
}

static const PeopleAtRisk unknown_risk = {.highest = NAN, .average = NAN, .share_above = NAN};

/* Makes averages and shares of sums; of nobody, nothing is known. */
static void
end_people(PeopleAtRisk *at_risk, uint64 people)
{
	if (people == 0)
	{
		*at_risk = unknown_risk;
		return;
	}
	at_risk->average /= people;
	at_risk->share_above = (double) at_risk->above / people;
}

/* The risk of a class for an observer who does not know who is in the release. */
static double
risk_of_journalist(const RiskClass *class, const RiskQuestion *question, uint64 rows)
{
	if (question->has_registry)
		return 1.0 / Max(class->registered, class->rows);
	return expected_risk(class->rows, (double) rows / question->population);
}

/* ----------------------------------------------------------------
 * Sizes
 * ----------------------------------------------------------------
 */

/* The size of the class at a place of all classes in ascending order, from 0 on. */
static uint64
size_at(const SizeCounts *sizes, uint64 place)
{
	uint32		i = 0;

	while (place >= sizes->classes[i])
		place -= sizes->classes[i++];
	return sizes->size[i];
}

/* Measures all that sizes alone tell. */
static void
measure_sizes(ClassRisks *risks)
{
	const SizeCounts *sizes = &risks->sizes;
	double		together = 0;

	risks->rows = counted_rows(sizes);
	risks->classes = counted_classes(sizes);
	risks->median = risks->separation = risks->distinction = NAN;
	if (risks->rows == 0)
		return;
	risks->smallest = sizes->size[0];
	risks->largest = sizes->size[sizes->n - 1];
	risks->median = ((double) size_at(sizes, (risks->classes - 1) / 2) + size_at(sizes, risks->classes / 2)) / 2;
	risks->distinction = (double) risks->classes / risks->rows;
	for (uint32 i = 0; i < sizes->n; i++)
		together += (double) sizes->classes[i] * sizes->size[i] * (sizes->size[i] - 1);
	if (risks->rows > 1)
		risks->separation = 1 - together / ((double) risks->rows * (risks->rows - 1));
}

/* ----------------------------------------------------------------
 * The population
 * ----------------------------------------------------------------
 */

/*
 * Does a model expect about as many rows to be alone in the release as are?  Twice as many, or half, and one more or less,
 * is about as many.  One that does not know the release knows nothing of the population.
 */
static bool
knows_release(double expected, double alone)
{
	return expected <= 2 * alone + 1 && expected >= alone / 2 - 1;
}

/*
 * People who are alone in the population.  A release of everybody tells them; one in which nobody is alone has none; all
 * else is the model's, where it fits.
 */
static void
estimate_alone(ClassRisks *risks, const RiskQuestion *question)
{
	double		rows_alone = risks->rows > 0 && risks->smallest == 1 ? risks->sizes.classes[0] : 0;

	risks->population_alone = risks->people_alone = risks->expected_alone = NAN;
	if (question->population == 0 || risks->rows == 0)
		return;
	if (rows_alone == 0)
		risks->people_alone = 0;
	risks->is_fitted = pitman_fit(&risks->sizes, &risks->pitman);
	if (risks->is_fitted)
	{
		risks->expected_alone = pitman_alone(&risks->pitman, risks->rows);
		risks->is_fitted = knows_release(risks->expected_alone, rows_alone);
	}
	if (question->population == risks->rows)
	{
		risks->population_alone = rows_alone;
		risks->people_alone = risks->alone;
	}
	else if (risks->is_fitted)
	{
		risks->population_alone = pitman_alone(&risks->pitman, question->population);
		risks->people_alone = risks->alone * pitman_stays_alone(&risks->pitman, risks->rows, question->population);
	}
}

ClassRisks *
measure_risks(const RiskClass *class, uint32 n, const RiskQuestion *question)
{
	ClassRisks *risks = palloc0(sizeof(ClassRisks));
	uint64	   *rows = new_array(uint64, n);
	bool		has_journalist = question->has_registry || question->population > 0;

	for (uint32 c = 0; c < n; c++)
		rows[c] = class[c].rows;
	risks->sizes = count_sizes(rows, n);
	measure_sizes(risks);
	pfree(rows);
	for (uint32 c = 0; c < n; c++)
	{
		if (c % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (class[c].people == 0)
			continue;
		risks->people += class[c].people;
		risks->alone += class[c].rows == 1 ? class[c].people : 0;
		risks->alone_in_registry += class[c].rows == 1 && class[c].registered <= 1 ? class[c].people : 0;
		risks->unregistered += Max(class[c].people, class[c].registered) - class[c].registered;
		risks->highest_among_people = Max(risks->highest_among_people, 1.0 / class[c].people);
		add_people(&risks->prosecutor, class[c].people, 1.0 / class[c].rows, question->threshold);
		if (has_journalist)
			add_people(&risks->journalist, class[c].people, risk_of_journalist(&class[c], question, risks->rows),
					   question->threshold);
	}
	end_people(&risks->prosecutor, risks->people);
	end_people(&risks->journalist, has_journalist ? risks->people : 0);
	risks->marketer = has_journalist ? risks->journalist.average : risks->prosecutor.average;
	if (risks->people == 0)
		risks->highest_among_people = NAN;
	estimate_alone(risks, question);
	return risks;
}

/* ----------------------------------------------------------------
 * Names
 * ----------------------------------------------------------------
 */


int
list_risks(const ClassRisks *risks, const RiskQuestion *question, NamedRisk **list)
{
	bool		none = risks->rows == 0;
	bool		by_registry = question->has_registry;
	bool		by_size = question->population > 0;
	bool		has_journalist = by_registry || by_size;
	const char *why_not = !by_size ? "not known without a population" :
		none || risks->smallest > 1 ? "not known: nobody is alone in the release" : "not known: the model does not fit";
	const PeopleAtRisk *prosecutor = &risks->prosecutor;
	const PeopleAtRisk *journalist = &risks->journalist;
	const NamedRisk all[] = {
		{"rows", risks->rows, "rows that observers take for people"},
		{"people", risks->people, "people among them; the others are invented"},
		{"classes", risks->classes, "different combinations of cells"},
		{"class_smallest", none ? NAN : risks->smallest, "rows of the smallest class"},
		{"class_median", risks->median, "rows of the middle class by size"},
		{"class_largest", none ? NAN : risks->largest, "rows of the largest class"},
		{"people_alone", risks->alone, "people in a class of one row"},
		{"separation", risks->separation, "share of pairs of rows with different cells"},
		{"distinction", risks->distinction, "different combinations of cells per row"},
		{"prosecutor_highest", prosecutor->highest, "chance of being found by somebody who knows that the person is in it"},
		{"prosecutor_average", prosecutor->average, "the average over people"},
		{"prosecutor_above", none ? NAN : prosecutor->above, "people above the threshold"},
		{"prosecutor_share_above", prosecutor->share_above, "their share"},
		{"prosecutor_highest_uninvented", risks->highest_among_people, "the highest for somebody who can tell invented rows"},
		{"journalist_highest", journalist->highest,
			has_journalist ? by_registry ? "chance of being found by somebody who knows the registry" : "chance of being found by somebody who does not know who is in it: an estimate" :
		"not known without a registry or a population"},
		{"journalist_average", journalist->average, "the average over people"},
		{"journalist_above", !has_journalist || none ? NAN : journalist->above, "people above the threshold"},
		{"journalist_share_above", journalist->share_above, "their share"},
		{"marketer", risks->marketer, "share of people rightly linked by somebody who links everybody"},
		{"marketer_people", risks->marketer * risks->people, "their number"},
		{"registry_lacks", by_registry ? risks->unregistered : NAN,
		by_registry ? "least number of people who are not in the registry" : "not known without a registry"},
		{"registry_people_alone", by_registry ? risks->alone_in_registry : NAN,
		by_registry ? "people alone here and in the registry" : "not known without a registry"},
		{"population_alone", risks->population_alone,
		isnan(risks->population_alone) ? why_not : "people of the population alone in it: an estimate"},
		{"population_people_alone", risks->people_alone,
		isnan(risks->people_alone) ? why_not : "of them, those of the release: an estimate"},
		{"population_check", risks->expected_alone,
		isnan(risks->expected_alone) ? why_not : "rows alone here by the model: compare people_alone"},
	};

	*list = palloc(sizeof(all));
	memcpy(*list, all, sizeof(all));
	return lengthof(all);
}
