/*
 * release_join.c
 *		From the numbers of releases to a join of them.
 */
#include "report/linkability/release_join.h"

#include "audit/join/join.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "release/past_releases.h"
#include "release/search_budgets.h"
#include "report/linkability/source.h"
#include "shared/progress.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* ----------------------------------------------------------------
 * Arguments
 * ----------------------------------------------------------------
 */

static const JoinKind kinds[] = {
	{"mj", LEVEL_MATCH, false},
	{"kmj", LEVEL_KERNEL, false},
	{"fmj", LEVEL_FULL, false},
	{"mj_unifying", LEVEL_MATCH, true},
	{"kmj_unifying", LEVEL_KERNEL, true},
};

const JoinKind *
join_kind_argument(FunctionCallInfo fcinfo, int n)
{
	char	   *name = text_argument(fcinfo, n, "the kind of a join");

	for (int i = 0; i < (int) lengthof(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no join of kind \"%s\"", name),
			 errhint("Kinds are \"mj\", \"kmj\", \"fmj\", \"mj_unifying\" and \"kmj_unifying\".")));
}

static int
compare_numbers(const void *a, const void *b)
{
	int32		x = *(const int32 *) a;
	int32		y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

int32 *
all_releases(const DeclaredPublication *publication, int32 *n)
{
	int32	   *numbers = palloc(sizeof(int32) * (publication->releases + 1));

	*n = publication->releases;
	for (int32 r = 0; r < *n; r++)
		numbers[r] = r + 1;
	return numbers;
}

/* The numbers of an array; an error if it is empty or has NULLs. */
static int32 *
copy_numbers(ArrayType *array, int32 *n)
{
	int32	   *numbers;

	*n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (*n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be a release to be judged"),
				 errhint("Leave the argument out, or say NULL, for all of them.")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the number of a release must not be null")));
	numbers = palloc(sizeof(int32) * *n);
	memcpy(numbers, ARR_DATA_PTR(array), sizeof(int32) * *n);
	return numbers;
}

int32 *
releases_argument(FunctionCallInfo fcinfo, int argument, const DeclaredPublication *publication, int32 *n)
{
	int32	   *numbers;

	if (PG_ARGISNULL(argument))
		return all_releases(publication, n);
	numbers = copy_numbers(PG_GETARG_ARRAYTYPE_P(argument), n);
	qsort(numbers, *n, sizeof(int32), compare_numbers);
	for (int32 i = 0; i < *n; i++)
	{
		verify_release_number(publication, numbers[i]);
		verify_may_see_figures(publication, numbers[i]);
		if (i > 0 && numbers[i] == numbers[i - 1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("release %d is named twice", numbers[i])));
	}
	return numbers;
}

/* ----------------------------------------------------------------
 * Joining
 * ----------------------------------------------------------------
 */

JoinData *
read_join_data(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive)
{
	JoinData   *data = palloc0(sizeof(JoinData));

	data->publication = publication;
	data->reading = read_releases(publication, numbers, n, sensitive);
	data->source = read_source(data->reading);
	data->is_guess = identify_rows(data->reading, data->source);
	return data;
}

/* The graph of as few people as can be. */
static void
make_graph(ReleaseJoin *join, const JoinKind *kind)
{
	const JoinData *data = join->data;
	uint64		more = 0;

	for (;;)
	{
		uint64		missing;

		progress_phase("list people", NO_TOTAL);
		join->people = people_of(data->reading, data->source, join->nreleases, data->is_guess,
								 kind->unifying, more);
		join->graph = join_graph(&join->people->input);
		missing = join->people->is_exact ? 0 : join_missing(join->graph);
		if (missing == 0)
			return;
		more += missing;
	}
}

static void
refuse_over_budget(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("the full match join was not found within %.0f steps", fmj_budget),
			 errdetail("Finding it for more than two releases can take very long."),
			 errhint("Ask for join_kind => 'kmj', which is found in any case: it may hold joins that a perfect matching of all releases rules out, so its linkability is the same or greater, never less. Or raise pprepub.fmj_budget.")));
}

/* No assignment of rows to people fits all the releases, so they cannot be joined. */
static void
refuse_unmatched(const ReleaseJoin *join)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("these releases of publication \"%s\" cannot be of the same people",
					join->data->publication->name),
			 errdetail("Some of them do not tell whose their rows are, and joins that are consistent for each two of them need not be for all."),
			 errhint("Name fewer releases.")));
}

/* Narrows the match join to the kernel or the full match join; an error if that fails. */
static void
narrow(const ReleaseJoin *join, JoinLevel level)
{
	JoinTrouble trouble;
	JoinOutcome outcome = JOIN_FOUND;

	progress_phase("narrow join", NO_TOTAL);
	if (level >= LEVEL_KERNEL)
		outcome = join_kernel(join->graph, &trouble);
	if (level >= LEVEL_FULL && outcome == JOIN_FOUND)
		outcome = join_full(join->graph, (uint64) fmj_budget);
	switch (outcome)
	{
		case JOIN_FOUND:
			break;
		case JOIN_UNMATCHED:
			refuse_unmatched(join);
			break;
		case JOIN_OVER_BUDGET:
			refuse_over_budget();
			break;
		case JOIN_CONTRADICTED:
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("somebody's records of releases %d and %d are not consistent", trouble.a, trouble.b)));
	}
}

ReleaseJoin *
join_first(const JoinData *data, int32 n, const JoinKind *kind)
{
	ReleaseJoin *join = palloc0(sizeof(ReleaseJoin));

	join->data = data;
	join->nreleases = n;
	make_graph(join, kind);
	join->edges = join_edges(join->graph);
	narrow(join, kind->level);
	join->tuples = tuples_of_members(data->reading, data->source, n);
	join->join_tuples = (JoinTuples) {
		.ntuples = join->tuples->ntuples,
		.code = (const Code *const *) join->tuples->code
	};
	return join;
}

LinkProfile *
profile_of(const ReleaseJoin *join, bool with_values)
{
	return link_profile(join->graph, &join->join_tuples, with_values);
}

/* ----------------------------------------------------------------
 * One of several sensitive columns
 * ----------------------------------------------------------------
 */

int
count_sensitive(const DeclaredPublication *publication)
{
	int			n;

	pfree(list_sensitive(publication, &n));
	return n;
}

/* Joins the figures of sensitive values that the judged column does not tell apart; NULLs count for no value. */
static TupleLinks
links_in_column(const Reading *reading, const Code *value, const double *figure, uint32 n)
{
	TupleLinks	links = {.is_linked = true};
	Code	   *own = new_array(Code, n);
	double	   *sum = new_zeros(double, n);
	double		total = 0;
	double		most = 0;

	for (uint32 i = 0; i < n; i++)
	{
		Code		code = code_in_column(reading->judged_column, value[i]);
		uint32	   *at = &reading->place[code == NO_CODE ? reading->judged_column->ncodes : code];

		if (code == NO_CODE && value[i] != NO_CODE)
			continue;
		if (*at == 0)
		{
			own[links.n] = code;
			*at = ++links.n;
		}
		sum[*at - 1] += figure[i];
		total += figure[i];
		most = Max(most, sum[*at - 1]);
	}
	for (uint32 i = 0; i < links.n; i++)
		reading->place[own[i] == NO_CODE ? reading->judged_column->ncodes : own[i]] = 0;
	links.total = total;
	links.linkability = links.n;
	links.diversity = most > 0 ? total / most : 0;
	links.value = own;
	links.figure = sum;
	return links;
}

TupleLinks
links_of_tuple(const ReleaseJoin *join, const LinkProfile *profile, uint32 tuple)
{
	const Reading *reading = join->data->reading;
	uint64		first;
	TupleLinks	links = {0};

	if (profile == NULL || profile->linkability[tuple] == NO_CLIQUE)
		return links;
	first = profile->first == NULL ? 0 : profile->first[tuple];
	if (reading->nsensitive == 1)
		return (TupleLinks) {
			.is_linked = true,
			.linkability = profile->linkability[tuple], .diversity = profile->diversity[tuple],
			.n = profile->linkability[tuple],
			.value = profile->first == NULL ? NULL : profile->value + first,
			.figure = profile->first == NULL ? NULL : profile->frequency + first
		};
	links = links_in_column(reading, profile->value + first, profile->frequency + first, profile->linkability[tuple]);
	for (uint32 i = 0; i < links.n; i++)
		links.figure[i] /= links.total;
	return links;
}
