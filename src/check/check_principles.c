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
#include "frame/arrays.h"
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

/* The parameter that is measured, as the term has it: of recursive that is c. */
static double
required_measure(const PrincipleTerm *term)
{
	return strcmp(term_measure_name(term), term_name(term)) == 0 ? term->strength : term->detail;
}

/* Adds a measure; ends the object. */
static char *
end_of_term(const Audit *audit, StringInfo json, const PrincipleTerm *term, const WorstMeasure *worst)
{
	if (!isinf(worst->measure))
		appendStringInfo(json, ", \"%s\": %g", term_measure_name(term), worst->measure);
	add_column(audit, json, worst->aspect);
	appendStringInfoChar(json, '}');
	return json->data;
}

/* ----------------------------------------------------------------
 * Classes
 * ----------------------------------------------------------------
 */

/* A part of a principle: k, l, or the condition of a kind. */
typedef struct PrinciplePart
{
	bool		k;
	bool		l;
	const PrincipleKind *kind;
} PrinciplePart;

/* The part alone, bound to the values of the log. */
static Principle
principle_part(const Audit *audit, const Principle *whole, PrinciplePart part)
{
	Principle	principle = principle_k_l(part.k ? whole->k : 1, part.l ? whole->l : 1);

	principle.joint = whole->joint;
	for (int i = 0; i < whole->nterms; i++)
		if (whole->term[i].kind == part.kind)
			principle.term[principle.nterms++] = whole->term[i];
	return principle_bound(&principle, audit->recalled->seen.nvalues, audit->aspects);
}

/* Counts the people, or places, who were marked as in sets that are refused, and frees the marks. */
static uint64
count_marked(const Seen *seen, bool *marked)
{
	uint64		people = 0;

	for (uint64 i = 0; i < seen->nindividuals; i++)
		people += marked[i];
	pfree(marked);
	return people;
}

/* Counts the classes of all releases that a part of their principles refuses, and the people or places in them, invented ones among them. */
static void
count_failing_classes(const Audit *audit, Check *check, PrinciplePart part)
{
	const Seen *seen = &audit->recalled->seen;
	bool	   *marked = new_zeros(bool, seen->nindividuals);

	check->failing_classes = 0;
	for (int32 r = 0; r < seen->nreleases && check->verdict == CHECK_FAILS; r++)
	{
		Principle	principle = principle_part(audit, &audit->released[r].principle, part);

		check->failing_classes += count_refused_classes(seen, r, &principle, marked);
	}
	check->failing_people = count_marked(seen, marked);
}

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

/* The number of a class in its release. */
static int64
class_number(const Audit *audit, int32 r, uint32 c)
{
	return audit->recalled->seen.release[r].number[c];
}

/* Are all classes as large as their releases promised; or, where a release promised any, have they as many values? */
static void
check_classes(Audit *audit, const WorstClasses *worst, bool of_values)
{
	const char *name = of_values ? "l" : "k";
	double		least = 0;
	int32		at = -1;
	uint64		required = 0;
	uint64		figure = 0;
	StringInfoData json;
	Check	   *check;

	for (int32 r = 0; r < audit->publication->releases; r++)
	{
		const Principle *principle = &audit->released[r].principle;
		uint64		promised = of_values ? principle->l : principle->k;
		uint64		measured = of_values ? worst[r].smallest.values : worst[r].smallest.records;

		if (!worst[r].any || (of_values && promised <= 1) || (at >= 0 && margin(measured, promised) >= least))
			continue;
		at = r;
		least = margin(measured, promised);
		required = promised;
		figure = measured;
	}
	if (at < 0)
		return;
	initStringInfo(&json);
	appendStringInfo(&json, "{\"release\": %d, \"class\": " INT64_FORMAT ", \"%s\": " UINT64_FORMAT, at + 1,
					 class_number(audit, at, of_values ? worst[at].smallest.poorest : worst[at].smallest.fewest),
					 of_values ? "sensitive_values" : "records", figure);
	if (of_values)
		add_column(audit, &json, worst[at].smallest.poor_aspect);
	appendStringInfoChar(&json, '}');
	check = add_check(audit, name, psprintf("%s >= " UINT64_FORMAT, name, required), psprintf("%s = " UINT64_FORMAT, name, figure),
					  figure >= required, json.data);
	set_values(check, required, figure);
	count_failing_classes(audit, check, (PrinciplePart) {.k = !of_values, .l = of_values});
}

/* A condition of some releases, and the class that is worst by it. */
typedef struct TermCheck
{
	const PrincipleTerm *term;	/* of that class's release */
	int32		r;
	const WorstMeasure *worst;
	uint64		refused;		/* classes of all releases */
} TermCheck;

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
			TermCheck  *check = checks;

			while (check < checks + n && check->term->kind != term->kind)
				check++;
			if (check == checks + n)
				checks[n++] = (TermCheck) {.term = term, .r = -1};
			check->refused += measured->refused;
			if (check->r >= 0 && term_margin(term, measured->measure) >= term_margin(check->term, check->worst->measure))
				continue;
			check->term = term;
			check->r = r;
			check->worst = measured;
		}
	for (const TermCheck *found = checks; found < checks + n; found++)
	{
		StringInfoData json;
		Check	   *check;

		initStringInfo(&json);
		appendStringInfo(&json, "{\"release\": %d, \"class\": " INT64_FORMAT, found->r + 1,
						 class_number(audit, found->r, found->worst->set));
		check = add_check(audit, term_name(found->term), term_promise(found->term), measured_words(found->term, found->worst->measure),
						  found->refused == 0, end_of_term(audit, &json, found->term, found->worst));
		set_values(check, required_measure(found->term), found->worst->measure);
		count_failing_classes(audit, check, (PrinciplePart) {.kind = found->term->kind});
	}
}

/* ----------------------------------------------------------------
 * Atoms
 * ----------------------------------------------------------------
 */

/*
 * A set that releases up to one reveal together, of people who were in one of the last of them, must keep what all those
 * last ones promised.  Weaker releases after that one hide nothing, nor is more asked of people who were
 * in none since stronger ones came.
 */
typedef struct Revealed
{
	Seen		seen;			/* the releases */
	const Atoms *atoms;
	int32		from;			/* the first of the last ones */
	Principle	principle;		/* the weakest of theirs, bound */
	Smallest	smallest;
} Revealed;

/* Adds what the releases up to one reveal, people who were in later ones being asked for more where more was promised. */
static List *
add_revealed(const Audit *audit, List *list, int32 last)
{
	Seen		seen = audit->recalled->seen;
	const Atoms *atoms = audit->atoms;
	Principle	weakest = audit->released[last].principle;

	if (last + 1 < seen.nreleases)
	{
		seen.nreleases = last + 1;
		atoms = atoms_of(&seen);
	}
	for (int32 r = last; r >= 0; r--)
	{
		Revealed   *revealed;

		weakest = principle_weaker(&weakest, &audit->released[r].principle);
		if (r > 0 && principle_implies(&audit->released[r - 1].principle, &weakest))
			continue;
		revealed = palloc0(sizeof(Revealed));
		*revealed = (Revealed) {.seen = seen, .atoms = atoms, .from = r, .principle = weakest};
		if (smallest_atoms(&revealed->seen, atoms, r, audit->aspects, &weakest, &revealed->smallest))
			list = lappend(list, revealed);
	}
	return list;
}

/* The releases that an atom was in, as JSON. */
static char *
releases_of(const Atoms *atoms, uint32 atom, int32 nreleases)
{
	bool	   *in = palloc0(sizeof(bool) * (nreleases + 1));
	StringInfoData list;

	for (uint32 place = atoms->last[atom]; place != NO_STOP; place = atoms->previous[place])
		in[atoms->release[place]] = true;
	initStringInfo(&list);
	for (int32 r = 0; r < nreleases; r++)
		if (in[r])
			appendStringInfo(&list, "%s%d", list.len > 0 ? ", " : "", r + 1);
	return psprintf("[%s]", list.data);
}

/* Counts the people or places, invented ones among them, in atoms that a part of what was promised refuses. */
static void
count_failing_atoms(const Audit *audit, const List *list, Check *check, PrinciplePart part)
{
	const Seen *seen = &audit->recalled->seen;
	bool	   *marked = new_zeros(bool, seen->nindividuals);
	ListCell   *cell;

	foreach(cell, check->verdict == CHECK_FAILS ? list : NIL)
	{
		const Revealed *revealed = lfirst(cell);
		Principle	principle = principle_part(audit, &revealed->principle, part);

		mark_refused(&revealed->seen, revealed->atoms, revealed->from, &principle, marked);
	}
	check->failing_people = count_marked(seen, marked);
}

/* By how much the smallest atoms keep k and l, at the worst. */
static double
margin_of_atoms(const Revealed *revealed)
{
	double		records = margin(revealed->smallest.records, revealed->principle.k);

	return revealed->principle.l <= 1 ? records : Min(records, margin(revealed->smallest.values, revealed->principle.l));
}

/* Are they as large, and of as many values, as promised? */
static void
check_atoms_k_l(Audit *audit, const List *list)
{
	const Revealed *worst = linitial(list);
	const Smallest *smallest;
	const Principle *promised;
	bool		large;
	bool		diverse;
	StringInfoData json;
	Check	   *check;
	ListCell   *cell;

	foreach(cell, list)
		if (margin_of_atoms(lfirst(cell)) < margin_of_atoms(worst))
		worst = lfirst(cell);
	smallest = &worst->smallest;
	promised = &worst->principle;
	large = smallest->records >= promised->k;
	diverse = promised->l <= 1 || smallest->values >= promised->l;
	initStringInfo(&json);
	if (large && !diverse)
	{
		appendStringInfo(&json, "{\"releases\": %s, \"in_release\": %d, \"sensitive_values\": %u",
						 releases_of(worst->atoms, smallest->poorest, worst->seen.nreleases), smallest->poor_in + 1, smallest->values);
		add_column(audit, &json, smallest->poor_aspect);
	}
	else
		appendStringInfo(&json, "{\"releases\": %s, \"records\": " UINT64_FORMAT,
						 releases_of(worst->atoms, smallest->fewest, worst->seen.nreleases), smallest->records);
	appendStringInfoChar(&json, '}');
	check = add_check(audit, "atoms", psprintf("k >= " UINT64_FORMAT ", l >= %u", promised->k, promised->l),
					  psprintf("k = " UINT64_FORMAT ", l = %u", smallest->records, smallest->values), large && diverse, json.data);
	if (large && !diverse)
		set_values(check, promised->l, smallest->values);
	else
		set_values(check, promised->k, smallest->records);
	count_failing_atoms(audit, list, check, (PrinciplePart) {.k = true, .l = true});
}

/* Do their values satisfy a condition, wherever it was promised? */
static void
check_atoms_term(Audit *audit, const List *list, const PrincipleKind *kind)
{
	const Revealed *worst = NULL;
	int			at = 0;
	uint64		refused = 0;
	const PrincipleTerm *term;
	const WorstMeasure *measured;
	StringInfoData json;
	Check	   *check;
	ListCell   *cell;

	foreach(cell, list)
	{
		const Revealed *revealed = lfirst(cell);

		for (int i = 0; i < revealed->principle.nterms; i++)
		{
			if (revealed->principle.term[i].kind != kind)
				continue;
			refused += revealed->smallest.term[i].refused;
			if (worst != NULL && term_margin(&revealed->principle.term[i], revealed->smallest.term[i].measure) >=
				term_margin(&worst->principle.term[at], worst->smallest.term[at].measure))
				continue;
			worst = revealed;
			at = i;
		}
	}
	if (worst == NULL)
		return;
	term = &worst->principle.term[at];
	measured = &worst->smallest.term[at];
	initStringInfo(&json);
	appendStringInfo(&json, "{\"releases\": %s, \"in_release\": %d",
					 releases_of(worst->atoms, measured->set, worst->seen.nreleases), measured->in + 1);
	check = add_check(audit, psprintf("revealed %s", term_name(term)), term_promise(term), measured_words(term, measured->measure),
					  refused == 0, end_of_term(audit, &json, term, measured));
	set_values(check, required_measure(term), measured->measure);
	count_failing_atoms(audit, list, check, (PrinciplePart) {.kind = kind});
}

/* Do the sets that releases together tell apart satisfy what these promised? */
static void
check_atoms(Audit *audit)
{
	int32		nreleases = audit->publication->releases;
	List	   *list = NIL;
	const PrincipleKind *checked[NPRINCIPLES];
	int			n = 0;
	ListCell   *cell;

	/* All that must be judged: at the last release, and before each that is weaker than the one before. */
	for (int32 r = 0; r < nreleases; r++)
		if (r + 1 == nreleases || !principle_implies(&audit->released[r + 1].principle, &audit->released[r].principle))
			list = add_revealed(audit, list, r);
	if (list == NIL)
		return;
	if (audit->given == NULL || audit->given->k > 1 || audit->given->l > 1)
		check_atoms_k_l(audit, list);
	foreach(cell, list)
	{
		const Principle *principle = &((const Revealed *) lfirst(cell))->principle;

		for (int i = 0; i < principle->nterms; i++)
		{
			int			k = 0;

			while (k < n && checked[k] != principle->term[i].kind)
				k++;
			if (k < n)
				continue;
			checked[n++] = principle->term[i].kind;
			check_atoms_term(audit, list, principle->term[i].kind);
		}
	}
}

void
check_principles(Audit *audit)
{
	const Seen *seen = &audit->recalled->seen;
	WorstClasses *worst = palloc(sizeof(WorstClasses) * (seen->nreleases + 1));

	for (int32 r = 0; r < seen->nreleases; r++)
		worst[r].any = smallest_classes(seen, r, audit->aspects, &audit->released[r].principle, &worst[r].smallest);
	if (audit->given == NULL || audit->given->k > 1)
		check_classes(audit, worst, false);
	check_classes(audit, worst, true);
	check_terms(audit, worst);
	check_atoms(audit);
}
