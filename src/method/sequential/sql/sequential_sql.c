/*
 * sequential_sql.c
 *		Method sequential in SQL: what audit() says of its releases, and what an
 *		import breaks.
 *
 * NOTES
 *		What is required is what the last release was made with: k may have been
 *		raised since, for the next one.  Where a weaker release came, those before it are
 *		judged without it, too, by what they were made with.
 */
#include "method/sequential/sql/sequential_sql.h"

#include <math.h>

#include "check/checks.h"
#include "declare/parameters.h"
#include "declare/subtransaction.h"
#include "declare/warn_owner.h"
#include "release/method_sql.h"

typedef struct Judging
{
	const DeclaredPublication *publication;
	int32		last;
	const int64 *params;
	Published  *published;
} Judging;

static void
judge_all(void *what)
{
	Judging    *judging = what;

	judging->published = judge_published(judging->publication, judging->last, judging->params);
}

/* Is a release the last one, or is the next one weaker? */
static bool
ends_promise(const Audit *audit, int32 r)
{
	return r + 1 == audit->publication->releases ||
		weakened_parameter(method_declaration(audit->publication->method), audit->released[r].params, audit->released[r + 1].params) != NULL;
}

static char *
words_of(const Published *published)
{
	if (isinf(published->least))
		return psprintf("nobody of %u is linked to anything", published->people);
	return psprintf("%.6g at the least; of %u people %u less than promised", published->least, published->people, published->exposed);
}

/*
 * The first releases that leave somebody less than promised, or else all.  Adds no check where insensitive values have changed, so that it is not known any more whose rows
 * are whose: this need not break any promise.
 */
static void
check_sequence(Audit *audit)
{
	Judging		judging = {.publication = audit->publication};
	char	   *required = NULL;
	ErrorData  *error = NULL;
	Check	   *check;

	for (int32 r = 0; r < audit->publication->releases; r++)
	{
		if (!ends_promise(audit, r))
			continue;
		judging.last = r + 1;
		judging.params = param_values(method_declaration(audit->publication->method), audit->released[r].params);
		required = sequential_promise(judging.params);
		error = try_in_subtransaction(judge_all, &judging);
		if (error != NULL || judging.published->exposed > 0)
			break;
	}

	if (error != NULL && is_transient(error->sqlerrcode))
		ReThrowError(error);
	if (error != NULL)
		add_failed_check(audit, "joined", required, error->message);
	else if (!judging.published->is_contradicted)
	{
		check = add_check(audit, "joined", required, words_of(judging.published), judging.published->exposed == 0, NULL);
		check->measured_value = judging.published->least;
		check->failing_people = judging.published->exposed;
	}
}

/* A release that cannot be read as it was published now was imported just now: that is an error. */
static void
judge_import(const DeclaredPublication *publication)
{
	const int64 *params = param_values(method_declaration(publication->method), publication->params);
	const Published *published = judge_published(publication, publication->releases, params);

	if (published->is_contradicted || published->exposed == 0)
		return;
	warn_of_weak_release(publication, &(OwnerWarning) {
		.detail = psprintf("Joined with all before, it leaves %u of %u people with less than was promised: %s.",
						   published->exposed, published->people, sequential_promise(params)),
		.hint = "Published releases stay. pprepub.linkability_series() and pprepub.audit() tell more.",
	});
}

const MethodSql sequential_sql = {
	.draft = draft_in_sequence,
	.check = check_sequence,
	.judge_import = judge_import,
};
