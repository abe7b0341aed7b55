/*
 * sequential.c
 *		The method of Shmueli, Tassa, Wasserstein, Shapira and Rokach: releases
 *		with different columns, so that all of them together link nobody to too
 *		few sensitive values.
 *
 * NOTES
 *		Publications can be declared, take releases that were made elsewhere, and
 *		be audited.  What publishes by it is still to come.
 *
 *		Its releases are not homogeneous: rows are generalised one by one, and
 *		have no class.
 */
#include "postgres.h"

#include "method/method.h"

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

/* Linkability grows with the join, but diversity may as well shrink: neither is the weaker one. */
static const char *const joins[] = {"kmj", "mj", NULL};

static const char *const models[] = {"cell", "cut", NULL};
static const char *const losses[] = {"lm", "em", NULL};
static const char *const approaches[] = {"unifying", "separative", NULL};

static const ParamSpec sequential_params[] = {
	[SEQUENTIAL_K] = {"k", PARAM_DECIMAL, true, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[SEQUENTIAL_PRIVACY] = {"privacy", PARAM_CHOICE, false, 0, 0, privacies, "\"linkability\"", STRENGTH_MORE},
	[SEQUENTIAL_JOIN] = {"join", PARAM_CHOICE, false, 0, 0, joins, "\"kmj\"", STRENGTH_KEPT},
	[SEQUENTIAL_MODEL] = {"model", PARAM_CHOICE, false, 0, 0, models, "\"cell\"", STRENGTH_NONE},
	[SEQUENTIAL_LOSS] = {"loss", PARAM_CHOICE, false, 0, 0, losses, "\"lm\"", STRENGTH_NONE},
	[SEQUENTIAL_APPROACH] = {"approach", PARAM_CHOICE, false, 0, 0, approaches, "\"unifying\"", STRENGTH_NONE},
	[SEQUENTIAL_SEED] = {"seed", PARAM_SEED, false, 0, 0, NULL, NULL, STRENGTH_NONE},
	{.name = NULL}
};

static const char *
sequential_contradiction(const int64 *params)
{
	if (strcmp(privacies[params[SEQUENTIAL_PRIVACY]], "linkability") == 0 && params[SEQUENTIAL_K] % PARAM_SCALE != 0)
		return "A k with a fraction is for \"privacy\": \"diversity\"; linkability counts values.";
	return NULL;
}

const Method sequential_method = {
	.declaration = {
		.name = "sequential",
		.params = sequential_params,
		.columns = true,
		.insensitive = true,
		.past = PAST_NEIGHBORHOODS,
		.contradiction = sequential_contradiction,
	},
};
