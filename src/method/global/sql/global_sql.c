/*
 * global_sql.c
 *		What method global promises: judged in each draft, checked by audit(), and
 *		what its owner is warned of; its registry, and its list of values to be protected.
 *
 * NOTES
 *		When more is promised than was, people may be linked too well already.  Nothing that is
 *		published later takes a link back: such people are withheld whenever they have such a value
 *		again (Theorem 2); beyond that only their owner can do something for them, and must know.
 */
#include "postgres.h"

#include "audit/breach.h"
#include "check/checks.h"
#include "declare/parameters.h"
#include "declare/warn_owner.h"
#include "declare/work.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/recall.h"
#include "history/rebuild.h"
#include "miscadmin.h"
#include "release/release.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* The l of parameters. */
static uint32
l_of(const DeclaredPublication *publication, Jsonb *params)
{
	return param_values(method_declaration(publication->method), params)[0];
}

static void
judge_global(const DeclaredPublication *publication, const Frame *frame, const Past *past, const Draft *draft)
{
	judge_breaches(frame, past->paths, draft->classes, draft->first_counted, draft->counted, l_of(publication, publication->params));
}

/* ----------------------------------------------------------------
 * audit()
 * ----------------------------------------------------------------
 */

/* The worst that was found so far: what comes nearest to failing, or farthest beyond. */
typedef struct Worst
{
	const uint32 *l;			/* [releases] */
	uint32		l_now;			/* of releases to come */
	const LinkedValues *values;
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
	/* The visitor reuses links and releases. */
	if (worst->found)
	{
		pfree(unconstify(ClassLink *, worst->breach.links));
		pfree(unconstify(int32 *, worst->breach.releases));
	}
	worst->breach = *breach;
	worst->breach.links = memcpy(palloc(sizeof(ClassLink) * breach->n), breach->links, sizeof(ClassLink) * breach->n);
	worst->breach.releases = memcpy(palloc(sizeof(int32) * breach->n), breach->releases, sizeof(int32) * breach->n);
	worst->found = true;
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
		add_text(&json, "sensitive", text_cast_create(worst->values->column), worst->values->codes->keys[worst->breach.value]);
		appendStringInfoString(&json, ", ");
	}
	appendStringInfoString(&json, "\"releases\": [");
	for (uint64 i = 0; i < worst->breach.n; i++)
		appendStringInfo(&json, "%s%d", i > 0 ? ", " : "", worst->breach.releases[i] + 1);
	appendStringInfoString(&json, "]}");
	return json.data;
}

/* Counts classes whose people do not have as many rows: observers link those who have more to more values. */
static uint64
count_mixed_classes(const SeenRelease *release, const Aspects *aspects)
{
	uint64		mixed = 0;

	for (uint32 c = 0; c < release->nclasses; c++)
	{
		bool		is_mixed = false;
		uint64		first = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
		{
			uint64		n;

			(void) single_values(aspects, &release->value[i], &n);
			first = i == release->first[c] ? n : first;
			is_mixed |= n != first;
		}
		mixed += is_mixed;
	}
	return mixed;
}

/* Have people of one class as many rows? */
static void
check_rows(Audit *audit, const Aspects *aspects)
{
	const Seen *seen = &audit->recalled->seen;
	uint64		mixed = 0;

	for (int32 r = 0; r < seen->nreleases; r++)
		mixed += count_mixed_classes(seen_release(seen, r), aspects);
	add_check(audit, "rows each", "as many rows of each person of a class", psprintf(UINT64_FORMAT " class(es) with other numbers", mixed), mixed == 0, NULL);
}

/* The checks of audit(): each release by itself, all together, and the bound of Theorem 4. */
static void
check_global(Audit *audit)
{
	const DeclaredPublication *publication = audit->publication;
	const Recalled *recalled = audit->recalled;
	LinkedValues values = linked_values(publication, recalled);
	const Statistics *statistics = statistics_of(&recalled->seen, values.aspects);
	const bool *is_protected = protected_values(publication, &values);
	Individual	npeople = recalled->people->size;
	uint32	   *l = new_array(uint32, publication->releases);	/* that each release was published with */
	LocalBreach local;
	Check	   *check;
	Worst		worst = {.l = l, .values = &values, .l_now = l_of(publication, publication->params), .is_exposed = new_zeros(bool, npeople)};

	for (int32 r = 0; r < publication->releases; r++)
	{
		l[r] = l_of(publication, audit->released[r].params);
		if (l[r] < worst.l_now && worst.is_above == NULL)
			worst.is_above = new_zeros(bool, npeople);
	}
	if (values.aspects != NULL)
		check_rows(audit, values.aspects);
	visit_breaches(statistics, npeople, is_protected, find_worst, &worst);
	if (worst_local_breach(statistics, is_protected, l, &local))
		set_values(add_check(audit, "localised", psprintf("p <= 1/%u in each release", l[local.release]),
							 psprintf("p = %.6g", (double) local.link.count / local.link.size),
							 (uint64) local.link.count * l[local.release] <= local.link.size,
							 psprintf("{\"release\": %d, \"class\": " INT64_FORMAT ", \"records\": %u, \"with_value\": %u}",
									  local.release + 1, audit->recalled->seen.release[local.release].number[local.class],
									  local.link.size, local.link.count)),
				   1.0 / l[local.release], (double) local.link.count / local.link.size);
	if (!worst.found)
		return;
	check = add_check(audit, "global", psprintf("p <= 1/%u over all releases", worst.breach_l),
					  psprintf("p = %.6g, by " UINT64_FORMAT " release(s)", worst.probability, worst.breach.n),
					  worst.is_allowed, worst_as_json(audit, &worst));
	set_values(check, 1.0 / worst.breach_l, worst.probability);
	check->failing_people = worst.exposed;
	if (worst.is_allowed)
	{
		/* Theorem 4: no strategy that keeps the promise has only smaller classes. */
		double		least = least_largest_ratio(worst.ratio_l, worst.n);

		set_values(add_check(audit, "min-max", psprintf("a ratio of %.6g or more, where " UINT64_FORMAT " release(s) linked somebody to a value", least, worst.n),
							 psprintf("the largest ratio is %.6g", worst.ratio), worst.ratio >= least * (1 - 1e-9), NULL),
				   least, worst.ratio);
	}
	if (worst.above > 0)
		add_open_check(audit, "before", psprintf("its owner knows who is linked with p > 1/%u", worst.l_now),
					   psprintf(UINT64_FORMAT " people, by releases before l was raised", worst.above), worst.above);
}

/* ----------------------------------------------------------------
 * Warnings
 * ----------------------------------------------------------------
 */

/* Says how many people are withheld, why, and what could be done. */
static void
warn_of_withheld(const struct ReleaseBuild *build)
{
	uint64		withheld = build->draft->suppressed;
	uint64		exhausted = build->draft->exhausted;
	uint64		homeless = withheld - exhausted;
	const char *too_often = "linked to their values so often that no class can hide these any more";
	char	   *why;

	if (withheld == 0)
		return;
	if (exhausted > 0 && homeless > 0)
		why = psprintf(UINT64_FORMAT " of them were %s; for " UINT64_FORMAT " no class could be made that is large and mixed enough.",
					   exhausted, too_often, homeless);
	else
		why = homeless == 0 ? psprintf("They were %s.", too_often) : pstrdup("No class could be made for them that is large and mixed enough.");
	warn_owner(build->publication, &(OwnerWarning) {
		.message = psprintf("publication \"%s\" withholds " UINT64_FORMAT " of " UINT64_FORMAT " people",
							build->publication->name, withheld, withheld + build->metrics.rows),
		.detail = why,
		.hint = psprintf("%s%s%s",
						 exhausted > 0 ? "People who were linked too often come back when their value is another one;"
						 " more \"releases\" or a larger \"alpha\" leave others more to come back with." : "",
						 exhausted > 0 && homeless > 0 ? " " : "",
						 homeless == 0 ? "" : has_several_rows(build->publication)
						 ? "Protect fewer values by \"transient\", or declare fewer \"releases\", or a smaller \"alpha\" or \"l\"."
						 : "Protect fewer values by \"transient\", count more people in by \"registry\","
						 " or declare fewer \"releases\", or a smaller \"alpha\" or \"l\"."),
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
	LinkedValues values = linked_values(publication, recalled);
	Individual	npeople = recalled->people->size;
	uint64		mixed;
	Exposed		exposed = {
		.release = publication->releases - 1,
		.l = l_of(publication, publication->params),
		.is_exposed = new_zeros(bool, npeople),
	};

	mixed = values.aspects == NULL ? 0 : count_mixed_classes(&recalled->seen.release[exposed.release], values.aspects);
	if (mixed > 0)
		warn_of_weak_release(publication, &(OwnerWarning) {
			.detail = psprintf("In " UINT64_FORMAT " of its %u classes people have different numbers of rows. Those who have more are linked to a value with a higher chance than is known.",
							   mixed, recalled->seen.release[exposed.release].nclasses),
			.hint = "Published releases stay. Chances that count this one are too low: pprepub.audit() reports it as \"rows each\".",
		});
	visit_breaches(statistics_of(&recalled->seen, values.aspects), npeople, protected_values(publication, &values), note_exposed, &exposed);
	if (exposed.npeople == 0)
		return;
	warn_of_weak_release(publication, &(OwnerWarning) {
		.detail = psprintf("Together with all before, it links " UINT64_FORMAT " of %u people to a protected value with a chance of more than 1/%u.",
						   exposed.npeople, npeople, exposed.l),
		.hint = "Published releases stay: later ones do not link those people to that value again. pprepub.audit() and pprepub.breach_probability() tell more.",
	});
}

/* ----------------------------------------------------------------
 * People who are linked too well
 * ----------------------------------------------------------------
 */

typedef struct Counting
{
	uint32		l;
	uint64		npeople;
	Individual	last;			/* who was counted last */
	Code		nvalues;
	bool	   *is_counted;		/* [values] */
} Counting;

/* Counts the person and the value of a breach, each once: the breaches of one person come together. */
static void
count_breach(void *what, const Breach *breach)
{
	Counting   *counting = what;

	if (breach_is_allowed(breach->links, breach->n, counting->l))
		return;
	counting->npeople += breach->person != counting->last;
	counting->last = breach->person;
	counting->nvalues += !counting->is_counted[breach->value];
	counting->is_counted[breach->value] = true;
}

/* Counts the people whom the releases link to protected values with a chance above 1/l, and these values. */
static Counting
count_breaches(const Recalled *recalled, const LinkedValues *values, const bool *is_protected, uint32 l)
{
	Counting	counting = {
		.l = l, .last = NO_INDIVIDUAL,
		.is_counted = new_zeros(bool, values->codes->size),
	};

	visit_breaches(statistics_of(&recalled->seen, values->aspects), recalled->people->size, is_protected, count_breach, &counting);
	return counting;
}

/* Warns that values to be protected from now on are known of some people already. */
static void
warn_of_linked(const DeclaredPublication *publication, const Counting *counting)
{
	if (counting->npeople == 0)
		return;
	warn_owner(publication, &(OwnerWarning) {
		.message = psprintf("releases of publication \"%s\" link " UINT64_FORMAT " of its people too well already to values that are to be protected now",
							publication->name, counting->npeople),
		.detail = psprintf("They link them to %u value(s) with a chance of more than 1/%u. Nothing that is published later takes that back.",
						   counting->nvalues, counting->l),
		.hint = "breach_probability() names them. They will be withheld whenever they have such a value again.",
	});
}

/* Warns where people are linked too well already to values of a new list that the old one lacks: as the owner, inside SPI. */
static void
warn_of_new_values(const DeclaredPublication *publication, Oid old_list, Oid new_list)
{
	OwnersWork	work;
	Recalled   *recalled;
	LinkedValues values;
	bool	   *is_old;
	bool	   *is_new;
	Counting	counting;

	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	values = linked_values(publication, recalled);
	is_old = listed_values(old_list, &values);
	is_new = listed_values(new_list, &values);
	for (Code value = 0; value < values.codes->size; value++)
		is_new[value] &= !is_old[value];
	counting = count_breaches(recalled, &values, is_new, l_of(publication, publication->params));
	work_end(&work);
	warn_of_linked(publication, &counting);
	MemoryContextDelete(work.context);
}

/* Warns where people are linked too well already, by what was published before, under a new l. */
static void
warn_of_new_l(const DeclaredPublication *publication, Jsonb *params)
{
	OwnersWork	work;
	Recalled   *recalled;
	LinkedValues values;
	Counting	counting;

	if (l_of(publication, params) <= l_of(publication, publication->params))
		return;
	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	values = linked_values(publication, recalled);
	counting = count_breaches(recalled, &values, protected_values(publication, &values), l_of(publication, params));
	work_end(&work);
	warn_of_linked(publication, &counting);
	MemoryContextDelete(work.context);
}

/* ----------------------------------------------------------------
 * Tables
 * ----------------------------------------------------------------
 */

/* The first column of the only row that a query has. */
static int64
count_of(const char *sql)
{
	bool		isnull;

	if (SPI_execute(sql, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not look at a table: %s", sql);
	return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

/* Keys are people, one row each. */
static void
check_registry(const DeclaredPublication *publication, Oid copy)
{
	const char *key = quote_identifier(publication_column(publication, ROLE_KEY)->name);
	const char *table = quoted_relation(copy);
	int64		missing;
	int64		repeated;

	if (has_several_rows(publication))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("nobody is counted in where a person has several rows"),
				 errdetail("Observers may know how many rows each person has, so they know who has none."),
				 errhint("Leave \"registry\" out.")));
	missing = count_of(psprintf("SELECT count(*) FROM %s WHERE %s IS NOT DISTINCT FROM NULL", table, key));
	if (missing > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("key \"%s\" of the registry of publication \"%s\" is NULL in " INT64_FORMAT " row(s)",
						publication_column(publication, ROLE_KEY)->name, publication->name, missing),
				 errhint("A key tells people apart over time, so each row needs one.")));
	repeated = count_of(psprintf("SELECT coalesce(sum(n - 1), 0)::int8 FROM (SELECT count(*) AS n FROM %s GROUP BY %s) g", table, key));
	if (repeated > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("key \"%s\" of the registry of publication \"%s\" is repeated in " INT64_FORMAT " row(s)",
						publication_column(publication, ROLE_KEY)->name, publication->name, repeated),
				 errhint("A person is counted in once: name a view with one row for each key.")));
}

/* How many values of one list another one lacks; NULL is none. */
static int64
count_missing(const char *value, Oid list, Oid other)
{
	return count_of(psprintf("SELECT count(*) FROM (SELECT %1$s FROM %2$s WHERE %1$s IS DISTINCT FROM NULL EXCEPT SELECT %1$s FROM %3$s) v",
							 value, quoted_relation(list), quoted_relation(other)));
}

/* Values of the old copy that the new one lacks would not be protected any more. */
static void
check_transient(const DeclaredPublication *publication, Oid old_copy, Oid new_copy, bool accept_weakening)
{
	int			n;
	const char *value = quote_identifier(publication->columns[list_sensitive(publication, &n)[0]].name);
	const char *table = quoted_relation(new_copy);
	int64		lost;

	if (count_of(psprintf("SELECT count(*) FROM %s WHERE %s IS DISTINCT FROM NULL", table, value)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table that \"transient\" names has no value"),
				 errdetail("Nothing would be protected."),
				 errhint("Fill it. A publication that is declared without \"transient\" protects all values.")));
	if (!OidIsValid(old_copy) || publication->releases == 0)
		return;
	lost = accept_weakening ? 0 : count_missing(value, old_copy, new_copy);
	if (lost > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table that \"transient\" names lacks " INT64_FORMAT " value(s) that publication \"%s\" protects",
						lost, publication->name),
				 errdetail("People who were linked to them could be linked again by each release."),
				 errhint("If that is what you want, say so: add \"accept_weakening\": true to the parameters.")));
	if (count_missing(value, new_copy, old_copy) > 0)
		warn_of_new_values(publication, old_copy, new_copy);
}

/* Refuses a registry, or a list of values, that makes no sense: see declare/parameters.h. */
static void
check_global_table(const DeclaredPublication *publication, const char *param,
				   Oid old_copy, Oid new_copy, bool accept_weakening)
{
	if (strcmp(param, "registry") == 0)
		check_registry(publication, new_copy);
	else if (strcmp(param, "transient") == 0)
		check_transient(publication, old_copy, new_copy, accept_weakening);
}

/* Counts in the people of a registry, and notes the values of a list: as the owner, inside SPI. */
static void
load_global_tables(const DeclaredPublication *publication, FrameLoad *load)
{
	Oid			registry = copied_table(publication, "registry");

	if (OidIsValid(registry))
		load_registry(load, registry);
	load_protected_values(publication, load);
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
