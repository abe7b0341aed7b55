/*
 * bpg.c
 *		The method of Barbosa, Pinto and Gomes: k-anonymity and distinct
 *		l-diversity of whatever intersections and differences reveal.
 *
 * NOTES
 *		With an empty history nothing can be intersected, and the method is its
 *		underlying anonymiser alone.
 */
#include "postgres.h"

#include "method/method.h"
#include "partition/mondrian.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	BPG_K,
	BPG_L
};

static const char *const repairs[] = {"dirty", "minimal", "none", "counterfeit", NULL};

static const ParamSpec bpg_params[] = {
	[BPG_K] = {"k", PARAM_INTEGER, true, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_MORE},
	[BPG_L] = {"l", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	{"repair", PARAM_CHOICE, false, 0, 0, repairs, "\"dirty\"", STRENGTH_NONE},
	{"max_answers_per_statement", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, "1", STRENGTH_NONE},
	{"max_answers_per_role", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, NULL, STRENGTH_NONE},
	{.name = NULL}
};

static Draft *
bpg_draft(const Frame *frame, const int64 *params, uint64 seed)
{
	Draft	   *draft = palloc0(sizeof(Draft));
	RowId	   *rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);

	for (uint64 row = 0; row < frame->nrows; row++)
		rows[row] = row;
	draft->k = params[BPG_K];
	draft->principle = principle_k_l(params[BPG_K], params[BPG_L]);
	draft->classes = mondrian(frame, rows, frame->nrows, &draft->principle, seed);
	draft->suppressed = frame->nrows - draft->classes->first[draft->classes->nclasses];
	return draft;
}

const Method bpg_method = {
	.declaration = {
		.name = "bpg",
		.params = bpg_params,
		.columns = true,
		.insensitive = true,
	},
	.draft = bpg_draft,
};
