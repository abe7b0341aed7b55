/*
 * candidates_sql.c
 *		m-invariance and cor-split: the last check of their drafts, and what audit()
 *		says of their releases.
 *
 * NOTES
 *		What is required is what the publication declares now: m may have been
 *		another one when an earlier release was made, and then the check says so.
 */
#include "method/candidates/sql/candidates_sql.h"

#include "audit/correlations.h"
#include "audit/evenness.h"
#include "audit/first_shown.h"
#include "check/checks.h"
#include "declare/parameters.h"
#include "method/candidates/candidates.h"

static int64
param_of(const DeclaredPublication *publication, const char *name)
{
	return param_named(method_declaration(publication->method), publication->params, name);
}

static uint32
degree_of(const DeclaredPublication *publication)
{
	return cor_degree(param_values(method_declaration(publication->method), publication->params));
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
	judge_correlations(past->companies, draft->classes, degree_of(publication));
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

static void
check_evenness(Audit *audit, bool once)
{
	Evenness	evenness = measure_evenness(&audit->recalled->seen, audit->recalled->people->size);
	uint32		m = param_of(audit->publication, "m");
	bool		is_unique = evenness.uneven == 0 && (!once || evenness.repeated == 0) && evenness.fewest >= m;

	add_check(audit, once ? "m-uniqueness" : "weak m-uniqueness",
			  psprintf("%u values or more in each class, %s", m, once ? "each once" : "each equally often"),
			  psprintf("%u values or more; of " UINT64_FORMAT " classes " UINT64_FORMAT " uneven, " UINT64_FORMAT " with values more than once",
					   evenness.fewest, evenness.classes, evenness.uneven, evenness.repeated),
			  is_unique,
			  evenness.uneven > 0 ? where(audit, evenness.uneven_in, evenness.uneven_class) :
			  where(audit, evenness.fewest_in, evenness.fewest_class));
	add_check(audit, once ? "m-invariance" : "weak m-invariance",
			  psprintf(UINT64_FORMAT " people, each among the same values in all releases", evenness.people),
			  psprintf(UINT64_FORMAT " of them not", evenness.changed), evenness.changed == 0,
			  where(audit, evenness.changed_in, evenness.changed_class));
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
	uint64		n;
	Correlation worst;
} Unsafe;

static void
note_unsafe(void *what, const Correlation *correlation)
{
	Unsafe	   *unsafe = what;

	if (unsafe->n++ == 0 || correlation->unmatched < unsafe->worst.unmatched)
		unsafe->worst = *correlation;
}

static char *
words_of(const Audit *audit, const Correlation *correlation)
{
	const SeenRelease *release = audit->recalled->seen.release;

	return psprintf("{\"release\": %d, \"class\": " INT64_FORMAT ", \"other_release\": %d, \"other_class\": " INT64_FORMAT ", \"unmatched\": %u}",
					correlation->b.release + 1, release[correlation->b.release].number[correlation->b.class],
					correlation->a.release + 1, release[correlation->a.release].number[correlation->a.class],
					correlation->unmatched);
}

static void
check_cor_split(Audit *audit)
{
	uint32		n = degree_of(audit->publication);
	Unsafe		unsafe = {0};

	check_evenness(audit, false);
	check_first_shown(audit);
	find_correlations(statistics_of(&audit->recalled->seen), n - 1, note_unsafe, &unsafe);
	add_check(audit, "hc-safety", psprintf("no historical correlation of fewer than %u people", n),
			  psprintf(UINT64_FORMAT " of fewer", unsafe.n), unsafe.n == 0,
			  unsafe.n == 0 ? NULL : words_of(audit, &unsafe.worst));
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
