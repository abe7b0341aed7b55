/*
 * given_principle.c
 *		Reading a principle that is not declared, and binding those that are.
 */
#include "release/given_principle.h"

#include "declare/parameters.h"
#include "partition/principle_kinds.h"
#include "utils/jsonb.h"

static const ParamSpec principle_params[] = {
	PRINCIPLE_PARAMS
};

static const ParamSpec k_and_l[] = {
	{"k", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	{"l", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE}
};

/* The parameters that a principle has which is not a publication's, so that no table is copied for it. */
static const MethodDeclaration *
given_declaration(void)
{
	ParamSpec  *params = palloc0(sizeof(ParamSpec) * (lengthof(k_and_l) + lengthof(principle_params) + 1));
	MethodDeclaration *declaration = palloc0(sizeof(MethodDeclaration));
	int			n = lengthof(k_and_l);

	memcpy(params, k_and_l, sizeof(k_and_l));
	for (int i = 0; i < (int) lengthof(principle_params); i++)
		if (principle_params[i].type != PARAM_TABLE)
			params[n++] = principle_params[i];
	declaration->name = "principle";
	declaration->title = "a principle";
	declaration->params = params;
	return declaration;
}

/* Raises an error if parameters contradict each other, or ask for nothing. */
static void
verify_principle(const Principle *principle, const int64 *params)
{
	const char *wrong = principle_contradiction(params);

	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameters of a principle contradict each other"),
				 errdetail("%s", wrong)));
	if (principle->k <= 1 && principle->l <= 1 && principle->nterms == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the principle asks for nothing"),
				 errdetail("Every set of people satisfies it."),
				 errhint("Give at least one condition, for example {\"frequency\": 3}.")));
}

const Principle *
principle_argument(FunctionCallInfo fcinfo, int argument)
{
	const MethodDeclaration *declaration = given_declaration();
	int64		params[NPRINCIPLE_PARAMS];
	Principle  *principle;
	Jsonb	   *checked;

	if (PG_ARGISNULL(argument))
		return NULL;
	checked = check_parameters(declaration, PG_GETARG_JSONB_P(argument), NULL);
	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = param_named(declaration, checked, principle_params[i].name);
	principle = palloc(sizeof(Principle));
	*principle = principle_declared(param_named(declaration, checked, "k"), param_named(declaration, checked, "l"), params);
	verify_principle(principle, params);
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
