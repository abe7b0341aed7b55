/*
 * global_sql.c
 *		What method global promises: judged in each draft, checked by audit(), and
 *		what its owner is warned of.
 */
#include "method/global/sql/global_sql.h"

#include <math.h>

#include "audit/breach.h"
#include "catalog/pg_type.h"
#include "check/checks.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/recall.h"
#include "release/release.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"

static void
judge_global(const DeclaredPublication *publication, const Frame *frame, const Past *past, const Draft *draft)
{
	judge_breaches(frame, past->paths, draft->classes, draft->first_counted, draft->counted, l_of(publication, publication->params));
}

/* ----------------------------------------------------------------
 * audit()
 * ----------------------------------------------------------------
 */

/* The l that each release was published with: [releases]. */
static uint32 *
l_of_releases(const Audit *audit)
{
	uint32	   *l = new_array(uint32, audit->publication->releases);

	for (int32 r = 0; r < audit->publication->releases; r++)
		l[r] = l_of(audit->publication, audit->released[r].params);
	return l;
}

/* The worst that was found so far: what comes nearest to failing, or farthest beyond. */
typedef struct Worst
{
	const uint32 *l;			/* [releases] */
	uint32		l_now;			/* of releases to come */
	bool		found;
	Breach		breach;			/* links and releases being copies */
	uint32		breach_l;		/* of its last release */
	double		probability;
	bool		is_allowed;

	/* People, each once */
	bool	   *is_exposed;
	uint64		exposed;		/* more than was promised */
	bool	   *is_above;
	uint64		above;			/* more than is promised now, and no more than was promised */

	/* Of all, the largest class for its frequency, how many classes linked the two, and the l of the last one */
	double		ratio;
	uint64		n;
	uint32		ratio_l;
} Worst;

/* Counts a person who was not counted yet. */
static void
count_person(bool *is_counted, Individual person, uint64 *n)
{
	*n += !is_counted[person];
	is_counted[person] = true;
}

/* Keeps a breach, whose links and releases the visitor reuses. */
static void
copy_breach(Worst *worst, const Breach *breach)
{
	int32	   *releases = palloc(sizeof(int32) * breach->n);
	Link	   *links = palloc(sizeof(Link) * breach->n);

	if (worst->found)
	{
		pfree(unconstify(Link *, worst->breach.links));
		pfree(unconstify(int32 *, worst->breach.releases));
	}
	worst->breach = *breach;
	worst->breach.links = memcpy(links, breach->links, sizeof(Link) * breach->n);
	worst->breach.releases = memcpy(releases, breach->releases, sizeof(int32) * breach->n);
	worst->found = true;
}

/* Judges links by the l of the last of them. */
static void
judge_links(Worst *worst, const Breach *breach)
{
	uint32		l = worst->l[breach->releases[breach->n - 1]];
	double		probability = breach_probability_of(breach->links, breach->n);
	bool		is_allowed = breach_is_allowed(breach->links, breach->n, l);

	if (!is_allowed)
		count_person(worst->is_exposed, breach->person, &worst->exposed);
	if (worst->found && (is_allowed > worst->is_allowed ||
						 (is_allowed == worst->is_allowed && probability * l <= worst->probability * worst->breach_l)))
		return;
	copy_breach(worst, breach);
	worst->probability = probability;
	worst->breach_l = l;
	worst->is_allowed = is_allowed;
}

/*
 * Keeps the worst breach, and the largest ratio, of all that are visited.  A link under a smaller l hides nothing: those
 * before it are judged by themselves, too.
 */
static void
find_worst(void *what, const Breach *breach)
{
	Worst	   *worst = what;
	double		ratio = largest_ratio(breach->links, breach->n);
	Breach		so_far = *breach;

	if (ratio > worst->ratio)
	{
		worst->ratio = ratio;
		worst->n = breach->n;
		worst->ratio_l = worst->l[breach->releases[breach->n - 1]];
	}
	for (so_far.n = 1; so_far.n <= breach->n; so_far.n++)
		if (so_far.n == breach->n || worst->l[breach->releases[so_far.n]] < worst->l[breach->releases[so_far.n - 1]])
			judge_links(worst, &so_far);
	if (worst->is_above != NULL && !breach_is_allowed(breach->links, breach->n, worst->l_now) &&
		breach_is_allowed(breach->links, breach->n, worst->l[breach->releases[breach->n - 1]]))
		count_person(worst->is_above, breach->person, &worst->above);
}

/* Appends a named value to a JSON object, as a string or null. */
static void
add_text(StringInfo json, const char *name, TextCast *cast, Datum value)
{
	bool		isnull;
	Datum		words = text_cast(cast, value, &isnull);

	appendStringInfo(json, "\"%s\": ", name);
	if (isnull)
		appendStringInfoString(json, "null");
	else
		escape_json(json, TextDatumGetCString(words));
}

/* The person, the value and the releases of the worst breach. */
static char *
worst_as_json(const Audit *audit, const Worst *worst)
{
	const Recalled *recalled = audit->recalled;
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	if (!audit->is_auditors)
	{
		add_text(&json, "key", text_cast_create(publication_column(audit->publication, ROLE_KEY)),
				 recalled->people->keys[worst->breach.person]);
		appendStringInfoString(&json, ", ");
		add_text(&json, "sensitive", text_cast_create(publication_column(audit->publication, ROLE_SENSITIVE)),
				 recalled->values[worst->breach.value]);
		appendStringInfoString(&json, ", ");
	}
	appendStringInfoString(&json, "\"releases\": [");
	for (uint64 i = 0; i < worst->breach.n; i++)
		appendStringInfo(&json, "%s%d", i > 0 ? ", " : "", worst->breach.releases[i] + 1);
	appendStringInfoString(&json, "]}");
	return json.data;
}

/* Is the promise kept in each release by itself? */
static void
check_localised(Audit *audit, const Statistics *statistics, const bool *is_protected, const uint32 *l)
{
	LocalBreach worst;
	uint32		asked;

	if (!worst_local_breach(statistics, is_protected, l, &worst))
		return;
	asked = l[worst.release];
	set_values(add_check(audit, "localised", psprintf("p <= 1/%u in each release", asked),
						 psprintf("p = %.6g", (double) worst.link.count / worst.link.size),
						 (uint64) worst.link.count * asked <= worst.link.size,
						 psprintf("{\"release\": %d, \"class\": " INT64_FORMAT ", \"records\": %u, \"with_value\": %u}",
								  worst.release + 1, audit->recalled->seen.release[worst.release].number[worst.class],
								  worst.link.size, worst.link.count)),
			   1.0 / asked, (double) worst.link.count / worst.link.size);
}

/* Theorem 4: no strategy that keeps the promise has only smaller classes. */
static void
check_min_max(Audit *audit, const Worst *worst)
{
	double		least = least_largest_ratio(worst->ratio_l, worst->n);

	set_values(add_check(audit, "min-max", psprintf("a ratio of %.6g or more, where " UINT64_FORMAT " release(s) linked somebody to a value", least, worst->n),
						 psprintf("the largest ratio is %.6g", worst->ratio), worst->ratio >= least * (1 - 1e-9), NULL),
			   least, worst->ratio);
}

/* The checks of audit(): each release by itself, all together, and the bound of Theorem 4. */
static void
check_global(Audit *audit)
{
	const DeclaredPublication *publication = audit->publication;
	const Recalled *recalled = audit->recalled;
	const Statistics *statistics = statistics_of(&recalled->seen);
	const bool *is_protected = protected_values(publication, recalled);
	Individual	npeople = recalled->people->size;
	const uint32 *l = l_of_releases(audit);
	Check	   *check;
	Worst		worst = {.l = l, .l_now = l_of(publication, publication->params), .is_exposed = new_zeros(bool, npeople)};

	for (int32 r = 0; r < publication->releases && worst.is_above == NULL; r++)
		if (l[r] < worst.l_now)
			worst.is_above = new_zeros(bool, npeople);
	visit_breaches(statistics, npeople, is_protected, find_worst, &worst);
	check_localised(audit, statistics, is_protected, l);
	if (!worst.found)
		return;
	check = add_check(audit, "global", psprintf("p <= 1/%u over all releases", worst.breach_l),
					  psprintf("p = %.6g, by " UINT64_FORMAT " release(s)", worst.probability, worst.breach.n),
					  worst.is_allowed, worst_as_json(audit, &worst));
	set_values(check, 1.0 / worst.breach_l, worst.probability);
	check->failing_people = worst.exposed;
	if (worst.is_allowed)
		check_min_max(audit, &worst);
	if (worst.above > 0)
		add_open_check(audit, "before", psprintf("its owner knows who is linked with p > 1/%u", worst.l_now),
					   psprintf(UINT64_FORMAT " people, by releases before l was raised", worst.above), worst.above);
}

/* ----------------------------------------------------------------
 * Warnings
 * ----------------------------------------------------------------
 */

/* Returns the detail for rows withheld: the reasons, with their numbers if both apply. */
static char *
why_withheld(uint64 exhausted, uint64 homeless)
{
	if (homeless == 0)
		return "They were linked to their values so often that no class can hide these any more.";
	if (exhausted == 0)
		return "No class could be made for them that is large and mixed enough.";
	return psprintf(UINT64_FORMAT " of them were linked to their values so often that no class can hide these any more;"
					" for " UINT64_FORMAT " no class could be made that is large and mixed enough.",
					exhausted, homeless);
}

/* Returns the hint for rows withheld, with advice for each reason that applies. */
static char *
what_to_do(uint64 exhausted, uint64 homeless)
{
	return psprintf("%s%s%s",
					exhausted > 0 ? "People who were linked too often come back when their value is another one;"
					" more \"releases\" or a larger \"alpha\" leave others more to come back with." : "",
					exhausted > 0 && homeless > 0 ? " " : "",
					homeless > 0 ? "Protect fewer values by \"transient\", count more people in by \"registry\","
					" or declare fewer \"releases\", or a smaller \"alpha\" or \"l\"." : "");
}

/* Says how many people are withheld, why, and what could be done. */
static void
warn_of_withheld(const struct ReleaseBuild *build)
{
	uint64		withheld = build->draft->suppressed;
	uint64		exhausted = build->draft->exhausted;

	if (withheld == 0)
		return;
	warn_owner(build->publication, &(OwnerWarning) {
		.message = psprintf("publication \"%s\" withholds " UINT64_FORMAT " of " UINT64_FORMAT " people",
							build->publication->name, withheld, withheld + build->metrics.rows),
		.detail = why_withheld(exhausted, withheld - exhausted),
		.hint = what_to_do(exhausted, withheld - exhausted),
		.starves = true,
	});
}

/* People whom the last release links too often to a value, by itself or together with those before. */
typedef struct Exposed
{
	int32		release;		/* the last one, from 0 on */
	uint32		l;
	bool	   *is_exposed;		/* [people] */
	uint64		npeople;
} Exposed;

/* Counts each person once.  Links by earlier releases alone are not told of again. */
static void
note_exposed(void *what, const Breach *breach)
{
	Exposed    *exposed = what;

	if (breach->releases[breach->n - 1] != exposed->release || exposed->is_exposed[breach->person] ||
		breach_is_allowed(breach->links, breach->n, exposed->l))
		return;
	exposed->is_exposed[breach->person] = true;
	exposed->npeople++;
}

/* Warns where an imported release breaks the promise. */
static void
judge_import(const DeclaredPublication *publication)
{
	Recalled   *recalled = recall(publication);
	Individual	npeople = recalled->people->size;
	Exposed		exposed = {
		.release = publication->releases - 1,
		.l = l_of(publication, publication->params),
		.is_exposed = new_zeros(bool, npeople),
	};

	visit_breaches(statistics_of(&recalled->seen), npeople, protected_values(publication, recalled), note_exposed, &exposed);
	if (exposed.npeople == 0)
		return;
	warn_of_weak_release(publication, &(OwnerWarning) {
		.detail = psprintf("Together with all before, it links " UINT64_FORMAT " of %u people to a protected value with a chance of more than 1/%u.",
						   exposed.npeople, npeople, exposed.l),
		.hint = "Published releases stay: later ones do not link those people to that value again. pprepub.audit() and pprepub.breach_probability() tell more.",
	});
}

const MethodSql global_sql = {
	.check_table = check_global_table,
	.load_tables = load_global_tables,
	.judge = judge_global,
	.warn = warn_of_withheld,
	.check = check_global,
	.judge_import = judge_import,
	.strengthen = warn_of_new_l,
};
