/*
 * sequential.c
 *		The method of Shmueli, Tassa, Wasserstein, Shapira and Rokach: releases with different columns, so that all of
 *		them together link no person to too few sensitive values.
 *
 * NOTES
 *		The promise is judged twice: while a release is looked for, by the kernel match join, and once more, as it came
 *		out.  Of two releases the kernel match join is what observers cannot refute, no more and no less; of more it
 *		may hold a little that they could, with any amount of work.  So a release is judged by the full match join.
 *		Where this takes too long to be found, a part of it is, near the releases' true people: what is linked there is
 *		linked in the whole.
 *
 *		Its releases are not homogeneous: rows are generalised one by one, and have no class.
 */
#include "postgres.h"

#include <math.h>

#include "audit/join/cells.h"
#include "frame/arrays.h"
#include "method/sequential/sequential.h"
#include "utils/memutils.h"

/* The parameters, in the order of the table. */
enum
{
	SEQUENTIAL_K,
	SEQUENTIAL_PRIVACY,
	SEQUENTIAL_JOIN,
	SEQUENTIAL_MODEL,
	SEQUENTIAL_LOSS,
	SEQUENTIAL_APPROACH,
	SEQUENTIAL_SEED
};

/* Weaker first: there are k sensitive values at least where none is more frequent than 1/k. */
static const char *const privacies[] = {"linkability", "diversity", NULL};

/* By which a release is looked for; it is judged by the full join. */
static const char *const joins[] = {"kmj", "mj", NULL};

static const char *const models[] = {"cell", "cut", NULL};
static const char *const losses[] = {"lm", "em", NULL};
static const char *const approaches[] = {"unifying", "separative", NULL};

static const ParamSpec sequential_params[] = {
	[SEQUENTIAL_K] = {"k", PARAM_DECIMAL, PARAM_REQUIRED, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[SEQUENTIAL_PRIVACY] = {"privacy", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, privacies, "\"linkability\"", STRENGTH_MORE},
	[SEQUENTIAL_JOIN] = {"join", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, joins, "\"kmj\"", STRENGTH_NONE},
	[SEQUENTIAL_MODEL] = {"model", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, models, "\"cell\"", STRENGTH_NONE},
	[SEQUENTIAL_LOSS] = {"loss", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, losses, "\"lm\"", STRENGTH_NONE},
	[SEQUENTIAL_APPROACH] = {"approach", PARAM_CHOICE, PARAM_OPTIONAL, 0, 0, approaches, "\"unifying\"", STRENGTH_NONE},
	[SEQUENTIAL_SEED] = {"seed", PARAM_SEED, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	{"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE},
	NOISE_PARAM,
	{.name = NULL}
};

/* Full match joins that take so few steps are found; of others a part is to tell enough. */
#define SMALL_BUDGET	UINT64CONST(16000000)

static const char *
sequential_contradiction(const int64 *params)
{
	if (strcmp(privacies[params[SEQUENTIAL_PRIVACY]], "linkability") == 0 && params[SEQUENTIAL_K] % PARAM_SCALE != 0)
		return "A k with a fraction is for \"privacy\": \"diversity\"; linkability counts values.";
	return NULL;
}

static double
k_of(const int64 *params)
{
	return (double) params[SEQUENTIAL_K] / PARAM_SCALE;
}

static bool
is_diversity(const int64 *params)
{
	return params[SEQUENTIAL_PRIVACY] == 1;
}

/* Diversity is no more than there are values, either. */
static SourceNeeds
sequential_needs(const int64 *params)
{
	return (SourceNeeds) {.values = (params[SEQUENTIAL_K] + PARAM_SCALE - 1) / PARAM_SCALE, .for_fewer_values = "a smaller \"k\""};
}

bool
sequential_parts_newcomers(const int64 *params, bool is_judged)
{
	return params[SEQUENTIAL_APPROACH] == 1 && !(is_judged && is_diversity(params));
}

/* Why there is no release of these people. */
static void
refuse(const Sequence *sequence, const SequencePart *part, const int64 *params, const SeqOutcome *outcome)
{
	const JoinRelease *release = &part->join.release[part->join.nreleases - 1];
	bool		is_moving = false;

	for (int32 r = 0; r < part->join.nreleases; r++)
		is_moving |= part->join.release[r].nabsent > 0;
	if (is_diversity(params))
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("no release of publication \"%s\" was found that keeps diversity %g", sequence->publication, k_of(params)),
				 errdetail("Of %u row(s), the best that was found for all releases together is %.4g.",
						   release->nrecords - release->nabsent, outcome->level),
				 errhint("Publish when there are more people, or more different sensitive values, or declare a smaller \"k\".")));
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("no release of publication \"%s\" can keep linkability %g", sequence->publication, k_of(params)),
			 part->join.nreleases == 1
			 ? errdetail("Even with all quasi-identifiers withheld, %u row(s) show %g different sensitive value(s) only.",
						 release->nrecords - release->nabsent, outcome->level)
			 : errdetail("Even with all quasi-identifiers withheld, all releases together would link somebody to %g sensitive value(s) only.",
						 outcome->level),
			 is_moving
			 ? errhint("A \"k\" of %g could be kept. People who came or left between releases hide among each other only; publish when there are more of them, or without the sensitive column.",
					   outcome->level)
			 : errhint("A \"k\" of %g could be kept.", outcome->level)));
}

/* Specialises a part of the sequence, and notes the nodes of its rows' cells; false if there are none. */
static bool
find_cells(const Frame *frame, const Sequence *sequence, const SequencePart *part, const int64 *params, int caution,
		   double *const *loss, uint32 **node)
{
	const JoinRelease *release = &part->join.release[part->join.nreleases - 1];
	SeqColumn  *column = palloc(sizeof(SeqColumn) * (frame->nqis + 1));
	SeqTask		task = {
		.join = &part->join, .ncolumns = frame->nqis, .column = column, .tuples = &part->tuples,
		.k = caution < 2 ? k_of(params) + caution : k_of(params) * caution, .diversity = is_diversity(params),
		.kernel = params[SEQUENTIAL_JOIN] == 0,
		.single_cells = params[SEQUENTIAL_MODEL] == 0, .refined = true, .withheld = caution == MOST_CAUTION,
		.seed = (uint64) params[SEQUENTIAL_SEED] + sequence->number
	};
	SeqOutcome	outcome;

	for (int q = 0; q < frame->nqis; q++)
	{
		Code	   *code = new_array(Code, release->nrecords);

		for (uint32 i = 0; i < release->nrecords; i++)
			code[i] = part->row[i] == NO_ROW ? NO_CODE : frame->code[q][part->row[i]];
		column[q] = (SeqColumn) {
			.column = sequence->column[q].column, .tree = sequence->column[q].tree,
			.span = sequence->column[q].span, .loss = loss[q], .code = code,
			.node = new_array(uint32, release->nrecords),
			.cells = part->cells[q]
		};
	}
	outcome = specialise(&task);
	if (!outcome.found && caution == 0)
		refuse(sequence, part, params, &outcome);
	for (int q = 0; q < frame->nqis; q++)
	{
		for (uint32 i = 0; i < release->nrecords; i++)
			if (part->row[i] != NO_ROW)
				node[q][part->row[i]] = column[q].node[i];
		pfree((void *) column[q].code);
		pfree(column[q].node);
	}
	pfree(column);
	return outcome.found;
}

/* Rows of equal cells as classes. */
static Classes *
classes_of(const Frame *frame, const Sequence *sequence, uint32 *const *node)
{
	Classes    *classes = palloc0(sizeof(Classes));
	Parting		parting = parting_create(frame->nrows);
	Span	   *cells = new_array(Span, frame->nrows);

	for (int q = 0; q < frame->nqis; q++)
	{
		for (uint64 row = 0; row < frame->nrows; row++)
			cells[row] = sequence->column[q].tree->nodes[node[q][row]].leaves;
		part_by(&parting, cells);
	}
	classes->nclasses = parting.nparts;
	classes->nqis = frame->nqis;
	classes->regions = new_array(Span, (Size) classes->nclasses * frame->nqis);
	list_by_group(parting.part, frame->nrows, classes->nclasses, &classes->first, &classes->rows);
	for (uint64 row = 0; row < frame->nrows; row++)
		for (int q = 0; q < frame->nqis; q++)
			classes->regions[(Size) parting.part[row] * frame->nqis + q] = sequence->column[q].tree->nodes[node[q][row]].leaves;
	pfree(cells);
	pfree(parting.part);
	return classes;
}

Draft *
sequential_draft(const Frame *frame, Sequence *sequence, const int64 *params, int caution)
{
	Draft	   *draft = palloc0(sizeof(Draft));
	uint32	  **node = palloc(sizeof(uint32 *) * (frame->nqis + 1));
	double	  **loss = palloc(sizeof(double *) * (frame->nqis + 1));

	for (int q = 0; q < frame->nqis; q++)
	{
		node[q] = new_zeros(uint32, frame->nrows);
		loss[q] = losses_of(&frame->domain[q], sequence->column[q].tree, params[SEQUENTIAL_LOSS] == 1);
	}
	for (int32 i = 0; i < sequence->nparts; i++)
		if (!find_cells(frame, sequence, &sequence->part[i], params, caution, loss, node))
			return NULL;
	draft->classes = classes_of(frame, sequence, node);
	draft->k = k_of(params);
	return draft;
}

/* Paper 000, section 6: the condition on people who are added. */
bool
sequential_is_crowd(const int64 *params, const uint64 *count, Code nvalues)
{
	uint64		total = 0;
	uint64		most = 0;

	for (Code value = 0; value < nvalues; value++)
	{
		total += count[value];
		most = Max(most, count[value]);
	}
	return !is_diversity(params) || (total > 0 && total >= k_of(params) * most);
}

/* A tuple that is linked only to NULL, or to values that are not shown, is linked to nothing. */
static bool
is_linked(const LinkProfile *profile, uint32 tuple)
{
	return profile->linkability[tuple] > 1 || (profile->linkability[tuple] == 1 && profile->value[profile->first[tuple]] != NO_CODE);
}

/*
 * Counts those who are linked to less than was promised, and finds the least.  Each person has a clique, the own one.
 *
 * Of who may have been anything in a box it is known what every tuple in it is linked to, and what any is.
 */
static SequenceJudgement
judge_profile(const LinkProfile *profile, const SequencePart *part, const int64 *params)
{
	SequenceJudgement judgement = {.least = INFINITY};

	for (uint32 t = 0; profile != NULL && t < part->tuples.ntuples; t++)
	{
		bool		has_clique = profile->linkability[t] != NO_CLIQUE;
		double		level = !has_clique ? 0 : is_diversity(params) ? profile->diversity[t] : profile->linkability[t];

		if (!is_linked(profile, t))
			continue;
		if (level < k_of(params) && is_box(&part->tuples, part->join.nqis, t) &&
			(is_diversity(params) || profile->nvalues[t] >= k_of(params)))
		{
			judgement.unknown++;
			continue;
		}
		judgement.exposed += level < k_of(params);
		judgement.least = Min(judgement.least, level);
	}
	return judgement;
}

SequenceJudgement
sequential_judge_part(const SequencePart *part, const int64 *params, uint64 budget)
{
	JoinGraph  *graph = join_graph(&part->join);
	JoinTrouble trouble;
	LinkProfile *profile;
	SequenceJudgement kernel;

	if (join_kernel(graph, &trouble) != JOIN_FOUND)
		return (SequenceJudgement) {.unknown = part->tuples.ntuples, .least = INFINITY};
	profile = link_profile(graph, &part->tuples, true);
	kernel = judge_profile(profile, part, params);
	if (part->join.nreleases <= 2 || profile == NULL || (kernel.exposed > 0 && !is_diversity(params)))
		return kernel;
	if (join_full(graph, SMALL_BUDGET) != JOIN_FOUND)
	{
		SequenceJudgement judgement = {.unknown = part->tuples.ntuples, .least = INFINITY};
		uint32		enough = (uint32) ceil(k_of(params));
		uint32	   *shown;

		/* Counts those who were not found to be linked to enough near what is known. */
		if (is_diversity(params))
			return judgement;
		judgement.unknown = 0;
		shown = join_shown(graph, &part->tuples, enough, budget);
		for (uint32 t = 0; t < part->tuples.ntuples; t++)
		{
			if (!is_linked(profile, t))
				continue;
			judgement.unknown += shown[t] < enough;
			judgement.least = enough;
		}
		return judgement;
	}
	return judge_profile(link_profile(graph, &part->tuples, true), part, params);
}

char *
sequential_promise(const int64 *params)
{
	return psprintf("%s >= %g of everybody", privacies[params[SEQUENTIAL_PRIVACY]], k_of(params));
}

const Method sequential_method = {
	.declaration = {
		.name = "sequential",
		.params = sequential_params,
		.columns = true,
		.insensitive = true,
		.reads_tables = true,
		.contradiction = sequential_contradiction,
		.needs = sequential_needs,
	},
};
