/*
 * given_principle.c
 *		Reading a principle that is not declared, and binding those that are.
 */
#include "release/given_principle.h"

#include "declare/parameters.h"
#include "partition/principle/kind.h"
#include "utils/jsonb.h"

enum
{
	GIVEN_K,
	GIVEN_L,
	GIVEN_PRINCIPLES			/* NPRINCIPLE_PARAMS of them */
};

static const ParamSpec given_params[] = {
	[GIVEN_K] = {"k", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	[GIVEN_L] = {"l", PARAM_INTEGER, false, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	PRINCIPLE_PARAMS,
	{.name = NULL}
};

static const char *
contradiction_in(const int64 *params)
{
	return principle_contradiction(params + GIVEN_PRINCIPLES);
}

static const MethodDeclaration given_declaration = {
	.name = "principle",
	.title = "a principle",
	.params = given_params,
	.contradiction = contradiction_in,
};

const Principle *
principle_argument(FunctionCallInfo fcinfo, int argument)
{
	Principle  *principle;
	const int64 *params;

	if (PG_ARGISNULL(argument))
		return NULL;
	params = param_values(&given_declaration, check_parameters(&given_declaration, PG_GETARG_JSONB_P(argument), NULL));
	principle = palloc(sizeof(Principle));
	*principle = principle_declared(params[GIVEN_K], params[GIVEN_L], params + GIVEN_PRINCIPLES);
	if (principle->k <= 1 && principle->l <= 1 && principle->nterms == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the principle asks for nothing"),
				 errdetail("Every set of people satisfies it."),
				 errhint("Give at least one condition, for example {\"frequency\": 3}.")));
	return principle;
}

static bool
are_equal(const Principle *a, const Principle *b)
{
	return principle_implies(a, b) && principle_implies(b, a);
}

/* Raises an error if values are to be near each other by an order that a column does not have. */
static void
verify_order(const Aspects *aspects, const Principle *given)
{
	for (int i = 0; i < given->nterms; i++)
		for (int a = 0; a < aspects->n; a++)
			if (given->term[i].kind == &t_principle && given->term[i].detail == DISTANCE_ORDERED &&
				aspects->aspect[a].place == NULL)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("sensitive values have no order in which they are near or far"),
						 errhint("Give \"distance\": \"equal\" or \"auto\".")));
}

void
bind_principles(Released *released, const Seen *seen, const Aspects *aspects, const Principle *given)
{
	if (given != NULL)
		verify_order(aspects, given);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const Principle *principle = given != NULL ? given : &released[r].principle;

		/* Most releases were made under the same parameters as the one before. */
		released[r].principle = r > 0 && are_equal(principle, &released[r - 1].principle)
			? released[r - 1].principle : principle_bound(principle, seen->nvalues, aspects);
	}
}
