/*
 * m_invariance.c
 *		The method of Xiao and Tao: a class shows m different values or more, each
 *		once, and a person who comes again stands among the same ones.
 */
#include "postgres.h"

#include "method/candidates/candidates.h"
#include "miscadmin.h"
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
	NOISE_PARAM,
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

/* Drafts a class of each set, or notes a refusal in the draft. */
static Draft *
invariance_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Drafting   *drafting = drafting_create(frame, params[INVARIANCE_M]);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "m-invariance", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	SignatureSets *sets = make_signature_sets(frame, past->paths, params[INVARIANCE_M], 1, seed, &drafting->draft->refusal);

	for (uint32 b = 0; sets != NULL && b < sets->n; b++)
	{
		uint32		n = signature_values(sets, b);

		CHECK_FOR_INTERRUPTS();
		for (uint64 set = 0; set < sets->nsets[b]; set++)
		{
			add_set(drafting, sets->cell + sets->first_cell[b] + set * n, sets->value + sets->first_value[b], n);
			(void) drafting_end_class(drafting, NULL);
		}
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
