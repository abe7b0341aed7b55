/*
 * candidates_sql.c
 *		m-invariance and cor-split: the last check of their drafts, why they refuse one,
 *		and what audit() says of their releases.
 *
 * NOTES
 *		What is required is what each release was made with.  A raised m is for those
 *		who come later: others stay among the values that they had.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/invariance.h"
#include "check/checks.h"
#include "declare/parameters.h"
#include "history/element.h"
#include "method/candidates/candidates.h"
#include "release/release.h"
#include "utils/builtins.h"

static int64
param_of(const DeclaredPublication *publication, const char *name)
{
	return param_named(method_declaration(publication->method), publication->params, name);
}

static uint32
degree_under(const DeclaredPublication *publication, Jsonb *params)
{
	return cor_degree(param_values(method_declaration(publication->method), params));
}

static void
judge_invariance(const DeclaredPublication *publication, const Frame *frame, const Past *past, const Draft *draft)
{
	judge_evenness(frame, past->paths, draft->classes, param_of(publication, "m"), true);
	judge_first_shown(frame, past->paths, draft->classes);
}

static void
judge_cor_split(const DeclaredPublication *publication, const Frame *frame, const Past *past, const Draft *draft)
{
	judge_evenness(frame, past->paths, draft->classes, param_of(publication, "m"), false);
	judge_first_shown(frame, past->paths, draft->classes);
	judge_correlations(past->companies, draft->classes, degree_under(publication, publication->params));
}

/* ----------------------------------------------------------------
 * Refusals: why a method that shows every row or nothing shows nothing
 * ----------------------------------------------------------------
 */

static char *
text_of_value(const ReleaseBuild *build, Code value)
{
	bool		isnull;
	TextCast   *cast = text_cast_create(build->loaded->sensitive.column);
	Datum		words = text_cast(cast, build->loaded->sensitive.values[value], &isnull);

	return isnull ? pstrdup("") : TextDatumGetCString(words);
}

/* Words a refusal of the draft as an error, for the owner. */
static void
verify_not_refused(const ReleaseBuild *build)
{
	const Refusal *refusal = &build->draft->refusal;
	const char *name = build->publication->name;

	switch (refusal->kind)
	{
		case NOT_REFUSED:
			break;
		case REFUSED_NULLS:
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the source of publication \"%s\" has " UINT64_FORMAT " row(s) without a sensitive value",
							name, refusal->rows),
					 errdetail("Method \"%s\" shows every row among others with different values.", build->publication->method),
					 errhint("Leave these rows out with a view, or give them a value.")));
			break;
		case REFUSED_CHANGES:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the sensitive value of " UINT64_FORMAT " row(s) of publication \"%s\" is not what was published",
							refusal->rows, name),
					 errdetail("Method \"%s\" protects people whose values do not change.", build->publication->method),
					 errhint("Method \"m-distinct\" is for values that change. If a row is about something new, such as another stay in hospital,"
							 " declare a key that tells the two apart.")));
			break;
		case REFUSED_UNEVEN:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg(UINT64_FORMAT " row(s) of publication \"%s\" were published in classes that show their values unevenly",
							refusal->rows, name),
					 errhint("Leave these rows out with a view.")));
			break;
		case REFUSED_FEW_VALUES:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("publication \"%s\" has " UINT64_FORMAT " different sensitive value(s), and needs " UINT64_FORMAT,
							name, refusal->rows, refusal->limit),
					 errdetail(UINT64_FORMAT " of " UINT64_FORMAT " rows that are new to it, %.1f %%, have \"%s\"; invented rows can only have values that are known.",
							   refusal->having, refusal->newcomers, 100.0 * refusal->having / refusal->newcomers,
							   text_of_value(build, refusal->value)),
					 errhint("Declare a smaller m.")));
			break;
		case REFUSED_SKEW:
			/* Invented rows would be most of the release. */
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("too many people of publication \"%s\" have the same sensitive value",
							name),
					 errdetail(UINT64_FORMAT " of " UINT64_FORMAT " rows that are new to it, %.1f %%, have \"%s\": with m = " UINT64_FORMAT
							   " that would take " UINT64_FORMAT " invented rows, more than there are true ones.",
							   refusal->having, refusal->newcomers, 100.0 * refusal->having / refusal->newcomers,
							   text_of_value(build, refusal->value), refusal->limit, refusal->rows),
					 errhint("Declare a smaller m, or a sensitive column that tells more values apart.")));
			break;
		case REFUSED_FOUND:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg(UINT64_FORMAT " row(s) that are new to publication \"%s\" would be found by their sensitive values",
							refusal->rows, name),
					 errdetail("No release has shown these values, and too few people come with them: beside invented rows, which only have values that are known, "
							   "this release or later ones would tell whose they are."),
					 errhint("Publish when " UINT64_FORMAT " people with different values are new at the same time, leave these rows out with a view, or declare a coarser sensitive column.",
							 refusal->limit)));
			break;
		case REFUSED_LIFESPAN:
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg(UINT64_FORMAT " row(s) of publication \"%s\" were published " UINT64_FORMAT " times, as often as its \"lifespan\" allows",
							refusal->rows, name, refusal->limit),
					 errdetail("Each release more makes it more likely that what is known of some people tells of others."),
					 errhint("Leave these rows out with a view.")));
			break;
	}
}

/* ----------------------------------------------------------------
 * audit()
 * ----------------------------------------------------------------
 */

static char *
where(const Audit *audit, int32 r, uint32 c)
{
	return r < 0 ? NULL : psprintf("{\"release\": %d, \"class\": " INT64_FORMAT "}", r + 1,
								   audit->recalled->seen.release[r].number[c]);
}

/* Has each class m values, equally often (or once), and has each person the same values in all releases? */
static void
check_evenness(Audit *audit, bool once)
{
	uint32	   *m = palloc(sizeof(uint32) * audit->publication->releases);
	Evenness	evenness;
	bool		is_unique;

	for (int32 r = 0; r < audit->publication->releases; r++)
		m[r] = param_named(method_declaration(audit->publication->method), audit->released[r].params, "m");
	evenness = measure_evenness(&audit->recalled->seen, audit->recalled->people->size, m);
	is_unique = evenness.uneven == 0 && (!once || evenness.repeated == 0) && evenness.fewest >= evenness.wanted;
	set_values(add_check(audit, once ? "m-uniqueness" : "weak m-uniqueness",
						 psprintf("%u values or more in each class, %s", evenness.wanted, once ? "each once" : "each equally often"),
						 psprintf("%u values or more; of " UINT64_FORMAT " classes " UINT64_FORMAT " uneven, " UINT64_FORMAT " with values more than once",
								  evenness.fewest, evenness.classes, evenness.uneven, evenness.repeated),
						 is_unique,
						 evenness.uneven > 0 ? where(audit, evenness.uneven_in, evenness.uneven_class) :
						 where(audit, evenness.fewest_in, evenness.fewest_class)),
			   evenness.wanted, evenness.fewest);
	add_check(audit, once ? "m-invariance" : "weak m-invariance",
			  psprintf(UINT64_FORMAT " people, each among the same values in all releases", evenness.people),
			  psprintf(UINT64_FORMAT " of them not", evenness.changed), evenness.changed == 0,
			  where(audit, evenness.changed_in, evenness.changed_class))->failing_people = evenness.changed;
}

/* Invented rows only have values that are known, and observers know that. */
static void
check_first_shown(Audit *audit)
{
	FirstShown	first = measure_first_shown(&audit->recalled->seen);

	add_check(audit, "first appearances",
			  psprintf(UINT64_FORMAT " values, each vouched for by true rows in the first release that shows it", first.values),
			  psprintf(UINT64_FORMAT " of them not", first.unvouched), first.unvouched == 0,
			  where(audit, first.in, first.class));
}

static void
check_invariance(Audit *audit)
{
	check_evenness(audit, true);
	check_first_shown(audit);
}

typedef struct Unsafe
{
	const uint32 *least;		/* [releases] the n that each was made with */
	uint64		n;
	Correlation worst;
} Unsafe;

/* Counts a correlation that the later of its releases does not allow. */
static void
note_unsafe(void *what, const Correlation *correlation)
{
	Unsafe	   *unsafe = what;

	if (correlation->unmatched >= unsafe->least[correlation->b.release])
		return;
	if (unsafe->n++ == 0 || correlation->unmatched < unsafe->worst.unmatched)
		unsafe->worst = *correlation;
}

/* The checks of cor-split: those of weak m-invariance, and historical correlations. */
static void
check_cor_split(Audit *audit)
{
	int32		releases = audit->publication->releases;
	uint32	   *least = palloc(sizeof(uint32) * releases);
	uint32		n = 0;
	uint32		fewest = PG_UINT32_MAX;
	Unsafe		unsafe = {.least = least};
	const Correlation *worst = &unsafe.worst;
	const SeenRelease *release = audit->recalled->seen.release;

	for (int32 r = 0; r < releases; r++)
	{
		least[r] = degree_under(audit->publication, audit->released[r].params);
		n = Max(n, least[r]);
		fewest = Min(fewest, least[r]);
	}
	check_evenness(audit, false);
	check_first_shown(audit);
	find_correlations(statistics_of(&audit->recalled->seen, NULL), n - 1, note_unsafe, &unsafe);
	set_values(add_check(audit, "hc-safety", psprintf("no historical correlation of fewer than %s people", fewest == n ? psprintf("%u", n) : psprintf("%u to %u", fewest, n)),
						 psprintf(UINT64_FORMAT " of fewer", unsafe.n), unsafe.n == 0,
						 unsafe.n == 0 ? NULL : psprintf("{\"release\": %d, \"class\": " INT64_FORMAT ", \"other_release\": %d, \"other_class\": " INT64_FORMAT ", \"unmatched\": %u}",
														 worst->b.release + 1, release[worst->b.release].number[worst->b.class], worst->a.release + 1,
														 release[worst->a.release].number[worst->a.class], worst->unmatched)),
			   0, unsafe.n);
}

const MethodSql invariance_sql = {
	.verify_not_refused = verify_not_refused,
	.judge = judge_invariance,
	.check = check_invariance,
};

const MethodSql cor_split_sql = {
	.verify_not_refused = verify_not_refused,
	.judge = judge_cor_split,
	.check = check_cor_split,
};
