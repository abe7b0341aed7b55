/*
 * test_principle.c
 *		Do conditions on values measure what their papers do, and do they keep what all that rests on
 *		them takes for granted: closure under disjoint union, and a weaker principle that allows more?
 */
#include "shim.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/principle_kinds.h"

/* Measures are as good as what they are less than by a rounding. */
#define check_about(a, b) check(fabs((a) - (b)) < 1e-7)

#define NVALUES 12
#define NKINDS	NPRINCIPLES

static const PrincipleKind *const kinds[] = {
#define KIND_ADDRESS(name, kind, type, least, most, strength) &kind,
	PRINCIPLES(KIND_ADDRESS)
};

/* ---- Sets and principles ---- */

/* A set with so many rows of each value. */
static Tally *
set_of(const int *rows, Code nvalues)
{
	Tally	   *tally = tally_create(nvalues);

	for (Code value = 0; value < nvalues; value++)
		for (int i = 0; i < rows[value]; i++)
			tally_add(tally, value);
	return tally;
}

#define SET(...) set_of((int[]) {__VA_ARGS__}, sizeof((int[]) {__VA_ARGS__}) / sizeof(int))

static PrincipleTerm
term_of(const PrincipleKind *kind, double strength, double detail)
{
	return (PrincipleTerm) {.kind = kind, .strength = strength, .detail = detail};
}

/* One condition, bound to values that have this distribution, and are in this order or in none. */
static Principle
condition(PrincipleTerm term, Code nvalues, const double *share, const double *place)
{
	Principle	principle = principle_k_l(1, 1);
	Aspect	   *aspect = palloc0(sizeof(Aspect));
	Aspects    *aspects = palloc0(sizeof(Aspects));

	*aspect = (Aspect) {.ncodes = nvalues, .place = place};
	*aspects = (Aspects) {.n = 1, .aspect = aspect, .share = share};
	principle.term[principle.nterms++] = term;
	return principle_bound(&principle, nvalues, aspects);
}

static double
measured(const Principle *principle, const Tally *set)
{
	int			aspect;

	return principle_measure(principle, &principle->term[0], set, &aspect);
}

/* ---- The papers' own examples ---- */

/* "l-Diversity", figures 2 and 3: heart disease, viral infections, cancer. */
static void
test_patients(void)
{
	Tally	   *four_anonymous[] = {SET(2, 2, 0), SET(1, 2, 1), SET(0, 0, 4)};
	Tally	   *diverse[] = {SET(1, 1, 2), SET(1, 2, 1), SET(1, 1, 2)};
	Principle	entropy = condition(term_of(&entropy_principle, 2.8, 0), 3, NULL, NULL);
	Principle	frequency = condition(term_of(&frequency_principle, 2, 0), 3, NULL, NULL);
	Principle	two = condition(term_of(&recursive_principle, 2, 1.5), 3, NULL, NULL);
	Principle	three = condition(term_of(&recursive_principle, 3, 2.5), 3, NULL, NULL);

	/* The second table is 2.8-diverse, says the paper. */
	for (int i = 0; i < 3; i++)
	{
		check_about(measured(&entropy, diverse[i]), 2 * sqrt(2));
		check_about(measured(&frequency, diverse[i]), 2);
		check_about(measured(&two, diverse[i]), 1);
		check_about(measured(&three, diverse[i]), 2);
		check(principle_allows(&entropy, diverse[i]) && principle_allows(&frequency, diverse[i]));
		check(principle_allows(&two, diverse[i]) && principle_allows(&three, diverse[i]));
	}
	check_about(measured(&entropy, four_anonymous[0]), 2);
	check_about(measured(&entropy, four_anonymous[2]), 1);
	check_about(measured(&frequency, four_anonymous[2]), 1);
	check_about(measured(&two, four_anonymous[0]), 1);
	check(isinf(measured(&three, four_anonymous[0])) && isinf(measured(&two, four_anonymous[2])));
	check(!principle_allows(&entropy, four_anonymous[0]) && principle_allows(&entropy, four_anonymous[1]));
	check(principle_allows(&frequency, four_anonymous[0]) && !principle_allows(&frequency, four_anonymous[2]));
	check(!principle_allows(&three, four_anonymous[0]) && !principle_allows(&two, four_anonymous[2]));
}

/* The commonest value has less than c times the rest, not as much. */
static void
test_strict(void)
{
	Tally	   *set = SET(2, 1, 1);
	Principle	reached = condition(term_of(&recursive_principle, 3, 2), 3, NULL, NULL);
	Principle	kept = condition(term_of(&recursive_principle, 3, 2.000001), 3, NULL, NULL);
	double		share[] = {0.5, 0.5};
	Principle	delta = condition(term_of(&delta_principle, log(2), 0), 2, share, NULL);

	check(!principle_allows(&reached, set));
	check(principle_allows(&kept, set));
	check(!principle_allows(&delta, SET(3, 0)));
	check(principle_allows(&delta, SET(3, 1)));
}

/* "t-Closeness", tables 3 and 5: nine salaries from 3k to 11k. */
static void
test_salaries(void)
{
	double		share[9];
	double		place[9];
	Principle	ordered;
	Principle	equal;

	for (int i = 0; i < 9; i++)
	{
		share[i] = 1.0 / 9;
		place[i] = i / 8.0;
	}
	ordered = condition(term_of(&t_principle, 0.17, DISTANCE_AUTO), 9, share, place);
	equal = condition(term_of(&t_principle, 0.17, DISTANCE_EQUAL), 9, share, place);
	check_about(measured(&ordered, SET(1, 1, 1, 0, 0, 0, 0, 0, 0)), 0.375);
	check_about(measured(&ordered, SET(0, 0, 0, 1, 0, 1, 0, 0, 1)), 1.0 / 6);
	check_about(measured(&ordered, SET(1, 0, 1, 0, 0, 0, 1, 0, 0)), 1.0 / 6);
	check_about(measured(&ordered, SET(0, 1, 0, 0, 1, 0, 0, 1, 0)), 1.0 / 12);
	check_about(measured(&equal, SET(1, 1, 1, 0, 0, 0, 0, 0, 0)), 2.0 / 3);
	check_about(measured(&equal, SET(0, 0, 0, 1, 0, 1, 0, 0, 1)), 2.0 / 3);
	check(!principle_allows(&ordered, SET(1, 1, 1, 0, 0, 0, 0, 0, 0)));
	check(principle_allows(&ordered, SET(0, 0, 0, 1, 0, 1, 0, 0, 1)));
	check(measured(&ordered, SET(1, 1, 1, 1, 1, 1, 1, 1, 1)) == 0);

	/* In the other direction it is as far. */
	for (int i = 0; i < 9; i++)
		place[i] = 1 - place[i];
	ordered = condition(term_of(&t_principle, 0.17, DISTANCE_ORDERED), 9, share, place);
	check_about(measured(&ordered, SET(1, 1, 1, 0, 0, 0, 0, 0, 0)), 0.375);
}

/* A value that a tenth of all people have, and one that half of them have, and one that nobody has. */
static void
test_gains(void)
{
	double		share[] = {0.1, 0.5, 0.4, 0};
	Principle	beta = condition(term_of(&beta_principle, 2, 0), 4, share, NULL);
	Principle	delta = condition(term_of(&delta_principle, 1.1, 0), 4, share, NULL);

	/* From 0.1 to 0.3: twice as much more, three times as much. */
	check_about(measured(&beta, SET(3, 4, 3, 0)), 2);
	check_about(measured(&delta, SET(3, 4, 3, 0)), log(3));
	check(principle_allows(&beta, SET(3, 4, 3, 0)) && principle_allows(&delta, SET(3, 4, 3, 0)));
	check(!principle_allows(&beta, SET(4, 3, 3, 0)) && !principle_allows(&delta, SET(4, 3, 3, 0)));

	/* From 0.5 to 0.9 is 0.8 times more, which no beta allows: -ln(0.5) is 0.693. */
	check(isinf(measured(&beta, SET(0, 9, 1, 0))));
	check_about(measured(&delta, SET(0, 9, 1, 0)), log(1.8));
	check_about(measured(&beta, SET(0, 8, 2, 0)), 0.6);

	/* One that the distribution lacks. */
	check(isinf(measured(&beta, SET(1, 5, 4, 1))) && isinf(measured(&delta, SET(1, 5, 4, 1))));
	check(measured(&beta, SET(1, 5, 4, 0)) == 0 && measured(&delta, SET(1, 5, 4, 0)) < 1e-9);
}

/* ---- NULLs and columns ---- */

static void
test_nulls(void)
{
	double		share[] = {0.5, 0.5};
	Tally	   *none = tally_create(2);
	Tally	   *some = SET(1, 1);

	for (int i = 0; i < 3; i++)
	{
		tally_add(none, NO_CODE);
		tally_add(some, NO_CODE);
	}
	for (int i = 0; i < NKINDS; i++)
	{
		Principle	principle = condition(term_of(kinds[i], 1, 1.5), 2, share, NULL);
		Principle	k = principle_k_l(1, 1);
		Principle	weaker = principle_weaker(&principle, &k);

		check(!principle_allows(&principle, none));
		check(principle_lack(&principle, none) > 0);
		check(principle_allows(&principle, some));
		check(measured(&principle, some) == measured(&principle, SET(1, 1)));
		/* Nothing is asked of values if one of two promises nothing. */
		check(principle_allows(&weaker, none) && weaker.nterms == 0);
		weaker = principle_weaker(&k, &principle);
		check(principle_allows(&weaker, none) && weaker.nterms == 0);
	}
}

/* Two illnesses with two incomes: 2 * illness + income. */
static void
test_joint(void)
{
	static const Code illness[] = {0, 0, 1, 1};
	static const Code income[] = {0, 1, 0, 1};
	const Aspect aspect[] = {{.name = "ill", .ncodes = 2, .code = illness}, {.name = "income", .ncodes = 2, .code = income}};
	const Aspects aspects = {.n = 2, .aspect = aspect};
	Principle	principle = principle_k_l(1, 2);
	Principle	apart = principle_bound(&principle, 4, &aspects);
	Principle	joint;
	Principle	weaker;
	int			in;

	principle.joint = true;
	joint = principle_bound(&principle, 4, &aspects);
	check(principle_allows(&apart, SET(2, 0, 0, 2)) && !principle_allows(&joint, SET(2, 0, 0, 2)));
	check(principle_allows(&joint, SET(1, 1, 1, 1)));
	check(!principle_allows(&apart, SET(2, 2, 0, 0)));
	check(principle_measure(&apart, NULL, SET(2, 2, 0, 0), &in) == 1 && in == 0);
	check(principle_measure(&apart, NULL, SET(2, 0, 2, 0), &in) == 1 && in == 1);
	check(principle_measure(&joint, NULL, SET(2, 0, 0, 2), &in) == 1 && in == -1);
	weaker = principle_weaker(&joint, &apart);
	check(principle_allows(&weaker, SET(2, 0, 0, 2)));
	check(principle_implies(&joint, &apart) && !principle_implies(&apart, &joint));
}

/* ---- Random sets ---- */

#define MOST_ROWS 3

/* Two columns of which each value has one of each, or of each of its rows; or bands of one; and how common all are. */
typedef struct Values
{
	uint64		first[NVALUES + 1];
	Code		code[2][NVALUES * MOST_ROWS];
	double		place[2][NVALUES];
	double		share[NVALUES];
	Aspect		aspect[2];
	Aspects		aspects;
} Values;

static void
any_values(Values *values)
{
	double		all = 0;

	values->first[0] = 0;
	for (Code value = 0; value < NVALUES; value++)
	{
		values->code[0][value] = any_below(8) == 0 ? NO_CODE : value / 2;
		values->code[1][value] = any_below(8) == 0 ? NO_CODE : value % 5;
		values->place[0][value] = values->place[1][value] = value / 5.0;
		values->first[value + 1] = values->first[value] + 1 + any_below(MOST_ROWS);
		all += values->share[value] = any_below(5);
	}
	for (Code value = 0; value < NVALUES && all > 0; value++)
		values->share[value] /= all;
	for (int a = 0; a < 2; a++)
		values->aspect[a] = (Aspect) {
			.name = "column", .ncodes = a == 0 ? NVALUES / 2 : 5, .code = values->code[a],
			.place = any_below(2) == 0 ? values->place[a] : NULL
		};
	values->aspects = (Aspects) {.n = 1 + any_below(2), .aspect = values->aspect, .share = values->share};
	if (values->aspects.n == 1 && any_below(2) == 0)
		values->aspect[0] = (Aspect) {.ncodes = NVALUES, .place = values->aspect[0].place == NULL ? NULL : values->place[1]};
	if (values->aspect[0].code == NULL || any_below(2) == 0)
		return;
	values->aspects.first = values->first;
	for (int a = 0; a < 2; a++)
		for (uint64 row = 0; row < values->first[NVALUES]; row++)
			values->code[a][row] = any_below(8) == 0 ? NO_CODE : any_below(values->aspect[a].ncodes);
}

/* Rows of few values, many, or one for each; some have none. */
static Tally *
any_set(Tally *also_in)
{
	Tally	   *tally = tally_create(NVALUES);
	int			rows = 1 + any_below(12);
	Code		values = 1 + any_below(NVALUES);

	for (int i = 0; i < rows; i++)
	{
		Code		value = any_below(15) == 0 ? NO_CODE : any_below(values);

		tally_add(tally, value);
		if (also_in != NULL)
			tally_add(also_in, value);
	}
	return tally;
}

static PrincipleTerm
any_term(int kind)
{
	static const double most[] = {4, 4, 4, 1, 6, 3};
	double		strength = (1 + any_below(1000)) / 1000.0 * most[kind];

	if (kinds[kind] == &recursive_principle)
		return term_of(kinds[kind], 1 + any_below(4), (1 + any_below(5000)) / 1000.0);
	return term_of(kinds[kind], strength, kinds[kind] == &t_principle ? any_below(3) : 0);
}

/* A principle of any conditions, bound. */
static Principle
any_principle(const Values *values)
{
	Principle	principle = principle_k_l(1 + any_below(3), 1 + any_below(3));

	principle.joint = values->aspects.first == NULL && any_below(2) == 0;
	for (int i = 0; i < NKINDS; i++)
		if (any_below(4) == 0)
			principle.term[principle.nterms++] = any_term(i);
	return principle_bound(&principle, NVALUES, &values->aspects);
}

/* Is a union's measure worse than that of both parts? */
static bool
is_closed(const Principle *principle, const Tally *a, const Tally *b, const Tally *both)
{
	const PrincipleTerm *term = &principle->term[0];
	double		of_a = measured(principle, a);
	double		of_b = measured(principle, b);
	double		worse = term_is_worse(term, of_a, of_b) ? of_a : of_b;
	double		of_both = measured(principle, both);

	return !term_is_worse(term, of_both, worse) || fabs(of_both - worse) < 1e-7;
}

/* At whatever strength both parts satisfy, their union does. */
static void
test_closed_under_union(void)
{
	for (int kind = 0; kind < NKINDS; kind++)
		for (int i = 0; i < some_of(5000); i++)
		{
			Values		values;
			Principle	principle = principle_k_l(1, 1);
			Tally	   *both = tally_create(NVALUES);
			Tally	   *a = any_set(both);
			Tally	   *b = any_set(both);

			any_values(&values);
			principle.joint = values.aspects.first == NULL && any_below(2) == 0;
			principle.term[principle.nterms++] = any_term(kind);
			principle = principle_bound(&principle, NVALUES, &values.aspects);
			check(is_closed(&principle, a, b, both));
		}
}

/* ---- People with several rows ---- */

/* The most people of a set no two of whom share a value, by trying all choices. */
static uint32
most_apart(const Values *values, const Tally *set, uint32 from, uint32 taken)
{
	uint32		most = 0;

	for (uint32 i = from; i < set->values; i++)
	{
		uint32		own = 0;

		for (uint64 row = values->first[set->value[i]]; row < values->first[set->value[i] + 1]; row++)
			own |= values->code[0][row] == NO_CODE ? 0 : 1 << values->code[0][row];
		if (own != 0 && (own & taken) == 0)
			most = Max(most, 1 + most_apart(values, set, i + 1, taken | own));
	}
	return most;
}

/* Are there rows for the person who has most, whichever so many values are ruled out? */
static bool
have_room(const Values *values, const Tally *set, int ruled_out)
{
	bool		have = true;

	for (uint32 out = 0; out < 1 << (NVALUES / 2); out++)
	{
		uint64		left = 0;
		uint64		longest = 0;
		int			n = 0;

		for (int code = 0; code < NVALUES / 2; code++)
			n += out >> code & 1;
		for (uint32 i = 0; i < set->values; i++)
		{
			Code		value = set->value[i];

			longest = Max(longest, values->first[value + 1] - values->first[value]);
			for (uint64 row = values->first[value]; row < values->first[value + 1]; row++)
				left += values->code[0][row] == NO_CODE || (out >> values->code[0][row] & 1) ? 0 : set->count[value];
		}
		have &= n != ruled_out || left >= longest;
	}
	return have;
}

/* l people have nothing in common, and whichever l - 1 values are ruled out, rows are left for each. */
static void
test_several_rows(void)
{
	int			room_decides = 0;

	for (int i = 0; i < some_of(20000); i++)
	{
		Values		values;
		Principle	principle = principle_k_l(1, 2 + any_below(3));
		Tally	   *set = any_set(NULL);
		bool		apart;

		do
			any_values(&values);
		while (values.aspects.first == NULL);
		values.aspects.n = 1;
		principle = principle_bound(&principle, NVALUES, &values.aspects);
		apart = most_apart(&values, set, 0, 0) >= principle.l;
		check(principle_allows(&principle, set) == (apart && have_room(&values, set, principle.l - 1)));
		room_decides += apart && !principle_allows(&principle, set);
	}
	check(room_decides > 0);
}

/* So do several conditions; and what is allowed lacks nothing. */
static void
test_conjunctions_closed(void)
{
	int			met = 0;

	for (int i = 0; i < some_of(30000); i++)
	{
		Values		values;
		Principle	principle;
		Tally	   *both = tally_create(NVALUES);
		Tally	   *a = any_set(both);
		Tally	   *b = any_set(both);

		any_values(&values);
		principle = any_principle(&values);
		if (principle_allows(&principle, a) && principle_allows(&principle, b))
		{
			met++;
			check(principle_allows(&principle, both));
		}
		check((principle_lack(&principle, a) == 0) == principle_allows_values(&principle, a));
	}
	check(met > some_of(1000));
}

static void
test_weaker(void)
{
	int			met = 0;

	for (int i = 0; i < some_of(20000); i++)
	{
		Values		values;
		Principle	a;
		Principle	b;
		Principle	weaker;
		Tally	   *set = any_set(NULL);

		any_values(&values);
		a = any_principle(&values);
		b = any_principle(&values);
		weaker = principle_weaker(&a, &b);
		check(principle_implies(&a, &a) && principle_implies(&a, &weaker) && principle_implies(&b, &weaker));
		if (principle_allows(&a, set) || principle_allows(&b, set))
		{
			met++;
			check(principle_allows(&weaker, set));
		}
		if (principle_implies(&a, &b) && principle_allows(&a, set))
			check(principle_allows(&b, set));
		for (int j = 0; j < a.nterms; j++)
		{
			double		measure = principle_measure(&a, &a.term[j], set, &(int) {0});

			check(term_allows(&a.term[j], measure) == (term_margin(&a.term[j], measure) >= 1));
		}
	}
	check(met > some_of(1000));
}

/* ---- What is declared ---- */

static Principle
declared(PrincipleParam param, int64 value)
{
	int64		params[NPRINCIPLE_PARAMS];

	for (int i = 0; i < NPRINCIPLE_PARAMS; i++)
		params[i] = PARAM_ABSENT;
	params[param] = value;
	params[PRINCIPLE_C] = 3 * PARAM_SCALE;
	return principle_declared(1, 1, params);
}

static void
test_declared(void)
{
	Principle	principle = declared(PRINCIPLE_frequency, 2500000);

	check(principle.nterms == 1 && principle.term[0].kind == &frequency_principle && principle.term[0].strength == 2.5);
	check(principle_least_values(&principle) == 3);
	principle = declared(PRINCIPLE_recursive, 4);
	check(principle.term[0].strength == 4 && principle.term[0].detail == 3 && principle_least_values(&principle) == 4);
	check(!principle_is_monotonous(&principle) && !principle_compares(&principle));
	principle = declared(PRINCIPLE_t, 200000);
	check(principle.term[0].strength == 0.2 && principle_compares(&principle));

	/* Conditions that ask for nothing are none. */
	check(declared(PRINCIPLE_frequency, PARAM_SCALE).nterms == 0);
	check(declared(PRINCIPLE_entropy, PARAM_SCALE).nterms == 0);
	check(declared(PRINCIPLE_t, PARAM_SCALE).nterms == 0);
	check(declared(PRINCIPLE_t, 0).nterms == 1 && declared(PRINCIPLE_beta, 0).nterms == 1);
}

/* ---- All parts of a size ---- */

/* Of values whose counts are given from here on: is each part of so many rows allowed?  Tried one after the other. */
static bool
parts_are_allowed(const Principle *principle, const uint32 *count, Code value, uint64 size, Tally *part)
{
	bool		allowed = true;

	if (value > NVALUES)
		return size > 0 || principle_allows(principle, part);
	for (uint32 n = 0; n <= Min(count[value], size) && allowed; n++)
	{
		for (uint32 i = 0; i < n; i++)
			tally_add(part, value == NVALUES ? NO_CODE : value);
		allowed = parts_are_allowed(principle, count, value + 1, size - n, part);
		for (uint32 i = 0; i < n; i++)
			tally_remove(part, value == NVALUES ? NO_CODE : value);
	}
	return allowed;
}

/* Where a condition has a closed form it is exact; of distances it may refuse too much. */
static void
test_every_part(void)
{
	int			allowed = 0;
	int			refused = 0;
	int			too_many = 0;

	for (int instance = 0; instance < some_of(40000); instance++)
	{
		Values		values;
		Principle	principle;
		Tally	   *set = any_set(NULL);
		uint64		size = 1 + any_below(set->rows);
		uint32		count[NVALUES + 1];
		bool		is_exact = true;
		bool		truth;
		bool		answer;

		any_values(&values);
		if (any_below(3) == 0)
		{
			principle = principle_k_l(1 + any_below(3), 1 + any_below(4));
			principle = principle_bound(&principle, NVALUES, NULL);
		}
		else
			principle = any_principle(&values);
		for (int i = 0; i < principle.nterms; i++)
			is_exact &= principle.term[i].kind != &t_principle;
		is_exact &= !principle.joint || principle.judging == NULL || values.aspects.n == 1;
		is_exact &= principle.judging == NULL || values.aspects.first == NULL;
		memcpy(count, set->count, sizeof(uint32) * NVALUES);
		count[NVALUES] = set->rows;
		for (Code value = 0; value < NVALUES; value++)
			count[NVALUES] -= count[value];
		truth = parts_are_allowed(&principle, count, 0, size, tally_create(NVALUES));
		answer = principle_allows_every_part(&principle, set, size);
		check(truth || !answer);
		check(!is_exact || truth == answer);
		allowed += answer;
		refused += !truth;
		too_many += truth && !answer;
	}
	check(allowed > 0 && refused > 0 && too_many < allowed);
}

static const Test tests[] = {
	{"patients", test_patients},
	{"strict conditions", test_strict},
	{"salaries", test_salaries},
	{"gains", test_gains},
	{"NULLs", test_nulls},
	{"joint columns", test_joint},
	{"several rows", test_several_rows},
	{"closed under union", test_closed_under_union},
	{"several conditions closed under union", test_conjunctions_closed},
	{"weaker principles", test_weaker},
	{"declared", test_declared},
	{"every part of a set", test_every_part},
};

RUN(tests)
