/*
 * check_principles.c
 *		Are classes, and the sets that all releases together tell apart, as large and as
 *		diverse as the principles of the releases ask for?
 *
 * NOTES
 *		Each release is judged by its own principle.  Of a condition of several releases the
 *		row is about the class that is nearest to failing, or farthest beyond.
 */
#include "postgres.h"

#include <math.h>

#include "audit/smallest.h"
#include "check/checks.h"
#include "utils/json.h"

/* ----------------------------------------------------------------
 * Words
 * ----------------------------------------------------------------
 */

/* A measure in words; where it is infinite, no value of the parameter would be weak enough. */
static char *
measured_words(const PrincipleTerm *term, double measure)
{
	const char *name = term_measure_name(term);

	return isinf(measure) ? psprintf("no %s is enough", name) : psprintf("%s = %g", name, measure);
}

/* Adds the column in which a figure is, where there are several. */
static void
add_column(const Audit *audit, StringInfo json, int aspect)
{
	if (audit->aspects->n == 1)
		return;
	if (aspect < 0)
	{
		appendStringInfoString(json, ", \"joint\": true");
		return;
	}
	appendStringInfoString(json, ", \"column\": ");
	escape_json(json, audit->aspects->aspect[aspect].name);
}

/* Adds a measure, and how many a condition refuses; ends the object. */
static char *
end_of_term(const Audit *audit, StringInfo json, const PrincipleTerm *term, const WorstMeasure *worst,
			const char *refused, uint64 nrefused)
{
	if (!isinf(worst->measure))
		appendStringInfo(json, ", \"%s\": %g", term_measure_name(term), worst->measure);
	add_column(audit, json, worst->aspect);
	if (nrefused > 0)
		appendStringInfo(json, ", \"%s\": " UINT64_FORMAT, refused, nrefused);
	appendStringInfoChar(json, '}');
	return json->data;
}

/* ----------------------------------------------------------------
 * Classes
 * ----------------------------------------------------------------
 */

/* How near a figure comes to what is required: less than 1 is not enough. */
static double
margin(uint64 figure, uint64 required)
{
	return (double) figure / Max(required, 1);
}

/* A release's worst classes */
typedef struct WorstClasses
{
	bool		any;
	Smallest	smallest;
} WorstClasses;

/* Measures the classes of each release by its principle. */
static WorstClasses *
measure_classes(const Audit *audit)
{
	const Seen *seen = &audit->recalled->seen;
	WorstClasses *worst = palloc(sizeof(WorstClasses) * (seen->nreleases + 1));

	for (int32 r = 0; r < seen->nreleases; r++)
		worst[r].any = smallest_classes(seen, r, audit->aspects, &audit->released[r].principle, &worst[r].smallest);
	return worst;
}

/* The number of a class in its release. */
static int64
class_number(const Audit *audit, int32 r, uint32 c)
{
	return audit->recalled->seen.release[r].number[c];
}

/* Are all classes as large as their releases promised? */
static void
check_k(Audit *audit, const WorstClasses *worst)
{
	int32		few_in = -1;

	for (int32 r = 0; r < audit->publication->releases; r++)
		if (worst[r].any &&
			(few_in < 0 || margin(worst[r].smallest.records, audit->released[r].principle.k) <
			 margin(worst[few_in].smallest.records, audit->released[few_in].principle.k)))
			few_in = r;
	if (few_in >= 0)
	{
		const Smallest *smallest = &worst[few_in].smallest;
		uint64		k = audit->released[few_in].principle.k;

		add_check(audit, "k", psprintf("k >= " UINT64_FORMAT, k), psprintf("k = " UINT64_FORMAT, smallest->records),
				  smallest->records >= k,
				  psprintf("{\"release\": %d, \"class\": " INT64_FORMAT ", \"records\": " UINT64_FORMAT "}",
						   few_in + 1, class_number(audit, few_in, smallest->fewest), smallest->records));
	}
}

/* Have they as many values, where a release promised any? */
static void
check_l(Audit *audit, const WorstClasses *worst)
{
	int32		poor_in = -1;

	for (int32 r = 0; r < audit->publication->releases; r++)
		if (worst[r].any && audit->released[r].principle.l > 1 &&
			(poor_in < 0 || margin(worst[r].smallest.values, audit->released[r].principle.l) <
			 margin(worst[poor_in].smallest.values, audit->released[poor_in].principle.l)))
			poor_in = r;
	if (poor_in >= 0)
	{
		const Smallest *smallest = &worst[poor_in].smallest;
		uint32		l = audit->released[poor_in].principle.l;
		StringInfoData json;

		initStringInfo(&json);
		appendStringInfo(&json, "{\"release\": %d, \"class\": " INT64_FORMAT ", \"sensitive_values\": %u",
						 poor_in + 1, class_number(audit, poor_in, smallest->poorest), smallest->values);
		add_column(audit, &json, smallest->poor_aspect);
		appendStringInfoChar(&json, '}');
		add_check(audit, "l", psprintf("l >= %u", l), psprintf("l = %u", smallest->values), smallest->values >= l, json.data);
	}
}

/* A condition of some releases, and the class that is worst by it. */
typedef struct TermCheck
{
	const PrincipleTerm *term;	/* of that class's release */
	int32		r;
	const WorstMeasure *worst;
	uint64		refused;		/* classes of all releases */
} TermCheck;

/* The check of the condition that a term is about, among those so far. */
static TermCheck *
find_term_check(TermCheck *checks, int *n, const PrincipleTerm *term)
{
	for (int i = 0; i < *n; i++)
		if (checks[i].term->kind == term->kind)
			return &checks[i];
	checks[*n] = (TermCheck) {.term = term, .r = -1};
	return &checks[(*n)++];
}

/* Adds the row of a condition. */
static void
add_term_check(Audit *audit, const TermCheck *check)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"release\": %d, \"class\": " INT64_FORMAT, check->r + 1,
					 class_number(audit, check->r, check->worst->set));
	add_check(audit, term_name(check->term), term_promise(check->term), measured_words(check->term, check->worst->measure),
			  check->refused == 0, end_of_term(audit, &json, check->term, check->worst, "classes", check->refused));
}

/* Checks each condition that some release is to satisfy. */
static void
check_terms(Audit *audit, const WorstClasses *worst)
{
	TermCheck	checks[NPRINCIPLES];
	int			n = 0;

	for (int32 r = 0; r < audit->publication->releases; r++)
		for (int i = 0; i < audit->released[r].principle.nterms && worst[r].any; i++)
		{
			const PrincipleTerm *term = &audit->released[r].principle.term[i];
			const WorstMeasure *measured = &worst[r].smallest.term[i];
			TermCheck  *check = find_term_check(checks, &n, term);

			check->refused += measured->refused;
			if (check->r >= 0 && term_margin(term, measured->measure) >= term_margin(check->term, check->worst->measure))
				continue;
			check->term = term;
			check->r = r;
			check->worst = measured;
		}
	for (int i = 0; i < n; i++)
		add_term_check(audit, &checks[i]);
}

/* ----------------------------------------------------------------
 * Atoms
 * ----------------------------------------------------------------
 */

/* The releases that an atom was in, as JSON. */
static char *
releases_of(const Atoms *atoms, uint32 atom, int32 nreleases)
{
	bool	   *in = palloc0(sizeof(bool) * (nreleases + 1));
	StringInfoData list;

	for (uint32 place = atoms->last[atom]; place != NO_PLACE; place = atoms->previous[place])
		in[atoms->release[place]] = true;
	initStringInfo(&list);
	for (int32 r = 0; r < nreleases; r++)
		if (in[r])
			appendStringInfo(&list, "%s%d", list.len > 0 ? ", " : "", r + 1);
	return psprintf("[%s]", list.data);
}

/* Are they as large, and of as many values, as the weakest promise? */
static void
check_atoms_k_l(Audit *audit, const Smallest *smallest)
{
	int32		nreleases = audit->publication->releases;
	const Principle *weakest = &audit->weakest;
	bool		large = smallest->records >= weakest->k;
	bool		diverse = weakest->l <= 1 || smallest->values >= weakest->l;
	StringInfoData json;

	initStringInfo(&json);
	if (large && !diverse)
	{
		appendStringInfo(&json, "{\"releases\": %s, \"in_release\": %d, \"sensitive_values\": %u",
						 releases_of(audit->atoms, smallest->poorest, nreleases), smallest->poor_in + 1, smallest->values);
		add_column(audit, &json, smallest->poor_aspect);
	}
	else
		appendStringInfo(&json, "{\"releases\": %s, \"records\": " UINT64_FORMAT,
						 releases_of(audit->atoms, smallest->fewest, nreleases), smallest->records);
	appendStringInfoChar(&json, '}');
	add_check(audit, "atoms", psprintf("k >= " UINT64_FORMAT ", l >= %u", weakest->k, weakest->l),
			  psprintf("k = " UINT64_FORMAT ", l = %u", smallest->records, smallest->values), large && diverse, json.data);
}

/* Do their values satisfy a condition of the weakest promise? */
static void
check_atoms_term(Audit *audit, const PrincipleTerm *term, const WorstMeasure *worst)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"releases\": %s, \"in_release\": %d",
					 releases_of(audit->atoms, worst->set, audit->publication->releases), worst->in + 1);
	add_check(audit, psprintf("revealed %s", term_name(term)), term_promise(term), measured_words(term, worst->measure),
			  worst->refused == 0, end_of_term(audit, &json, term, worst, "people", worst->refused));
}

/* Do the sets that all releases together tell apart satisfy the weakest promise? */
static void
check_atoms(Audit *audit)
{
	const Principle *weakest = &audit->weakest;
	Smallest	smallest;

	if (!smallest_atoms(&audit->recalled->seen, audit->atoms, audit->aspects, weakest, &smallest))
		return;
	if (audit->given == NULL || weakest->k > 1 || weakest->l > 1)
		check_atoms_k_l(audit, &smallest);
	for (int i = 0; i < weakest->nterms; i++)
		check_atoms_term(audit, &weakest->term[i], &smallest.term[i]);
}

void
check_principles(Audit *audit)
{
	const WorstClasses *worst = measure_classes(audit);

	if (audit->given == NULL || audit->given->k > 1)
		check_k(audit, worst);
	check_l(audit, worst);
	check_terms(audit, worst);
	check_atoms(audit);
}
