/*
 * cor_split.c
 *		The method of Riboni and Bettini: the same candidates for ever, also for
 *		observers who know some people's values, and see who was with whom in
 *		earlier classes.
 */
#include "postgres.h"

#include "method/candidates/candidates.h"
#include "miscadmin.h"
#include "partition/cor_partition.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	COR_M,
	COR_N,
	COR_P,
	COR_LIFESPAN,
	COR_THRESHOLD,
	COR_ACCEPT_INSENSITIVE
};

static const ParamSpec cor_params[] = {
	[COR_M] = {"m", PARAM_INTEGER, PARAM_REQUIRED, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[COR_N] = {"n", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[COR_P] = {"p", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1, NULL, NULL, STRENGTH_MORE},
	[COR_LIFESPAN] = {"lifespan", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_KEPT},
	[COR_THRESHOLD] = {"threshold", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1, NULL, NULL, STRENGTH_KEPT},
	[COR_ACCEPT_INSENSITIVE] = {"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, "false", STRENGTH_NONE},
	{.name = NULL}
};

static inline double
fraction(int64 millionths)
{
	return (double) millionths / PARAM_SCALE;
}

uint32
cor_degree(const int64 *params)
{
	if (params[COR_N] != PARAM_ABSENT)
		return params[COR_N];
	return n_choose(fraction(params[COR_P]), params[COR_LIFESPAN], params[COR_M], fraction(params[COR_THRESHOLD]));
}

/* Says why parameters contradict each other, or NULL. */
static const char *
cor_contradiction(const int64 *params)
{
	int			chosen_by = (params[COR_P] != PARAM_ABSENT) + (params[COR_LIFESPAN] != PARAM_ABSENT) +
		(params[COR_THRESHOLD] != PARAM_ABSENT);

	if (params[COR_N] != PARAM_ABSENT ? chosen_by > 0 : chosen_by < 3)
		return "Either n is given, or all of p, lifespan and threshold, by which n is chosen.";
	if (params[COR_N] != PARAM_ABSENT)
		return params[COR_N] > params[COR_M] ? "n cannot be greater than m." : NULL;
	if (cor_degree(params) == 0)
		return psprintf("With this p, lifespan and m no n keeps the probability of a breach below the threshold: the least there is, is %.6f.",
						least_threshold(fraction(params[COR_P]), params[COR_LIFESPAN], params[COR_M]));
	return NULL;
}

static SourceNeeds
cor_needs(const int64 *params)
{
	return (SourceNeeds) {.values = params[COR_M], .for_fewer_values = "a smaller \"m\""};
}

/* Refuses rows that were published as often as may be. */
static bool
is_past_lifespan(const Frame *frame, const Companies *companies, int64 lifespan, Refusal *refusal)
{
	uint64		rows = 0;

	for (uint64 row = 0; row < frame->nrows && lifespan != PARAM_ABSENT; row++)
		rows += companies->releases[row] >= lifespan;
	if (rows > 0)
		*refusal = (Refusal) {.kind = REFUSED_LIFESPAN, .rows = rows, .limit = lifespan};
	return rows > 0;
}

/* Adds a class to the draft: its sets of true rows, then its sets of invented rows. */
static void
draft_class(Drafting *drafting, const CorPartition *partition, const HcClass *class, const Code *values)
{
	uint32		n = partition->nvalues;

	for (uint64 set = class->first; set != NO_SET; set = partition->next[set])
		add_set(drafting, partition->cell + set * n, values, n);
	for (uint64 i = 0; i < class->counterfeit_sets; i++)
		add_invented_set(drafting, values, n);
	(void) drafting_end_class(drafting, NULL);
}

/* Cuts each bucket into classes, in memory that is given back bucket by bucket. */
static void
draft_buckets(Drafting *drafting, const Past *past, Buckets *buckets, uint32 n)
{
	const bool *is_whole = whole_classes(drafting->frame, past->paths);
	HcRoom		room = hc_room(past->companies);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "bucket", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);

	progress_phase("split buckets", buckets->n);
	for (uint32 b = 0; b < buckets->n; b++)
	{
		CorPartition partition;

		CHECK_FOR_INTERRUPTS();
		cor_partition(&partition, drafting->frame, past->paths, past->companies, is_whole, buckets, b, n, &room);
		for (uint64 c = 0; c < partition.sets; c++)
			if (partition.classes[c].sets > 0)
				draft_class(drafting, &partition, &partition.classes[c], buckets->value + buckets->first_value[b]);
		MemoryContextReset(work);
		progress_done(b + 1);
	}
	MemoryContextSwitchTo(old);
}

/* Drafts classes of buckets, or notes a refusal in the draft. */
static Draft *
cor_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Drafting   *drafting = drafting_create(frame, params[COR_M]);
	Refusal    *refusal = &drafting->draft->refusal;
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "Cor-Split", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Buckets    *buckets = NULL;

	if (!is_past_lifespan(frame, past->companies, params[COR_LIFESPAN], refusal))
		buckets = fill_buckets(frame, past->paths, params[COR_M], seed, refusal);
	if (buckets != NULL)
		draft_buckets(drafting, past, buckets, cor_degree(params));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return drafting->draft;
}

const Method cor_split_method = {
	.declaration = {
		.name = "cor-split",
		.params = cor_params,
		.classes = true,
		.counterfeits = true,
		.own_only = true,
		.invents_known = true,
		.past = PAST_LAST | PAST_COMPANIES,
		.degree = cor_degree,
		.contradiction = cor_contradiction,
		.needs = cor_needs,
	},
	.draft = cor_draft,
};
