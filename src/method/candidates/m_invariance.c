/*
 * m_invariance.c
 *		The method of Xiao and Tao: a class shows m different values or more, each
 *		once, and a person who comes again stands among the same ones.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/candidates/candidates.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	INVARIANCE_M,
	INVARIANCE_ACCEPT_INSENSITIVE
};

static const ParamSpec invariance_params[] = {
	[INVARIANCE_M] = {"m", PARAM_INTEGER, PARAM_REQUIRED, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[INVARIANCE_ACCEPT_INSENSITIVE] = {"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, "false", STRENGTH_NONE},
	{.name = NULL}
};

static SourceNeeds
invariance_needs(const int64 *params)
{
	return (SourceNeeds) {.values = params[INVARIANCE_M], .for_fewer_values = "a smaller \"m\""};
}

void
add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (cell[i] != NO_ROW)
			drafting_add_rows(drafting, &cell[i], 1);
		else
			*drafting_invent(drafting, 1) = values[i];
}

/* Drafts a class of each set of each bucket, or notes a refusal in the draft. */
static Draft *
invariance_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Drafting   *drafting = drafting_create(frame, params[INVARIANCE_M]);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "m-invariance", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Buckets    *buckets = fill_buckets(frame, past->paths, params[INVARIANCE_M], seed, &drafting->draft->refusal);

	if (buckets != NULL)
		progress_phase("split buckets", buckets->n);
	for (uint32 b = 0; buckets != NULL && b < buckets->n; b++)
	{
		uint32		n = bucket_values(buckets, b);
		uint64		first = buckets->first_value[b];
		RowId	   *cell = new_array(RowId, buckets->sets[b] * n);

		CHECK_FOR_INTERRUPTS();
		even_split(frame, buckets->rows, buckets->first + first, buckets->first + first + 1, n, buckets->sets[b], cell);
		for (uint64 set = 0; set < buckets->sets[b]; set++)
		{
			add_set(drafting, cell + set * n, buckets->value + first, n);
			(void) drafting_end_class(drafting, NULL);
		}
		pfree(cell);
		progress_done(b + 1);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return drafting->draft;
}

const Method invariance_method = {
	.declaration = {
		.name = "m-invariance",
		.params = invariance_params,
		.classes = true,
		.counterfeits = true,
		.own_only = true,
		.invents_known = true,
		.past = PAST_LAST,
		.needs = invariance_needs,
	},
	.draft = invariance_draft,
};
