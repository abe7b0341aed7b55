/*
 * principle.c
 *		Principles: conditions together, bound to values, and asked of tallies.
 *
 * NOTES
 *		l = 1 asks for nothing: a set in which no row has a sensitive value
 *		(all are NULL) tells nothing, and k alone protects it.  From l = 2 on, and with
 *		any other condition, a NULL helps no one.
 *
 *		Conditions that ask for nothing (1 value, a distance of 1) are left out, so that such
 *		a principle is as quick as one without them.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/principle.h"
#include "partition/principle/kind.h"

const char *const principle_distances[] = {"auto", "equal", "ordered", NULL};

static const PrincipleKind *const kinds[] = {
#define PRINCIPLE_ADDRESS(name, kind, type, least, most, strength) &kind,
	PRINCIPLES(PRINCIPLE_ADDRESS)
};

/* Shares that the codes of an aspect are compared with: [ncodes] each. */
typedef struct CodeShares
{
	double	   *share;			/* as the release gave it that found the code first, or 0 */
	double	   *whole;			/* in the distribution of the first of all these releases, which sums to 1 */
	int32	   *since;			/* that release, or NOT_FOUND */
} CodeShares;

#define NOT_FOUND PG_INT32_MAX

/* One aspect while sets are judged. */
typedef struct AspectRoom
{
	const Aspect *aspect;
	CodeShares	all;			/* NULLs where sets are compared with nothing */
	CodeShares	beside;			/* of those with one value of another aspect; none between two questions */
	Code	   *in_order;		/* [ncodes] or NULL */
	uint32	   *count;			/* [ncodes] all 0 between two questions */
	Code	   *value;			/* [ncodes] those that were counted */
	uint64	   *first;			/* [ncodes + 1] sensitive values by their code here */
	uint32	   *having;			/* [nsensitive] */
} AspectRoom;

typedef struct Judging
{
	int			naspects;
	AspectRoom *room;			/* [naspects] */
	const double *share;		/* [nsensitive] or NULL */
	const int32 *since;			/* [nsensitive] or NULL */
	Code		ntallied;		/* sensitive values that tallies count: the distribution may have more */
	uint32	   *scratch;		/* as long as the longest aspect */
	Code	   *sorted;			/* [nsensitive] */
} Judging;

/* ----------------------------------------------------------------
 * What is declared
 * ----------------------------------------------------------------
 */

Principle
principle_k_l(uint64 k, uint32 l)
{
	return (Principle) {.k = k, .l = l};
}

/* Asks a condition with this strength for nothing? */
static bool
is_void(PrincipleParam param, double strength)
{
	switch (param)
	{
		case PRINCIPLE_frequency:
		case PRINCIPLE_entropy:
			return strength <= 1;
		case PRINCIPLE_recursive:
			return strength < 1;
		case PRINCIPLE_t:
			return strength >= 1;
		default:
			return false;
	}
}

Principle
principle_declared(uint64 k, uint32 l, const int64 *params)
{
	Principle	principle = principle_k_l(k, l);

	principle.joint = params[PRINCIPLE_JOINT] == 1;
	for (int i = 0; i < NPRINCIPLES; i++)
	{
		double		strength = i == PRINCIPLE_recursive ? params[i] : (double) params[i] / PARAM_SCALE;

		if (params[i] == PARAM_ABSENT || is_void(i, strength))
			continue;
		principle.term[principle.nterms++] = (PrincipleTerm) {
			.kind = kinds[i], .strength = strength,
			.detail = i == PRINCIPLE_recursive ? (double) params[PRINCIPLE_C] / PARAM_SCALE : i == PRINCIPLE_t && params[PRINCIPLE_DISTANCE] != PARAM_ABSENT ? params[PRINCIPLE_DISTANCE] : 0
		};
	}
	return principle;
}

const char *
principle_contradiction(const int64 *params)
{
	if (params[PRINCIPLE_recursive] != PARAM_ABSENT && params[PRINCIPLE_C] == PARAM_ABSENT)
		return "\"recursive\" needs \"c\": how many times the rows of the rarer values the commonest one may have";
	if (params[PRINCIPLE_recursive] == PARAM_ABSENT && params[PRINCIPLE_C] != PARAM_ABSENT)
		return "\"c\" is of \"recursive\", which is not given: both are null if one is";
	if (params[PRINCIPLE_C] == 0)
		return "no set of people satisfies \"recursive\" with a \"c\" of 0";
	if (params[PRINCIPLE_delta] == 0)
		return "no set of people satisfies \"delta\" 0";
	return NULL;
}

const char *
distribution_contradiction(int64 distribution, const int64 *params)
{
	bool		compares = false;

	for (int i = 0; i < NPRINCIPLES; i++)
		compares |= params[i] != PARAM_ABSENT && kinds[i]->compares;
	return distribution == PARAM_ABSENT || compares ? NULL :
		"\"distribution\" is what \"t\", \"beta\" and \"delta\" compare with, and none of them is given";
}

/* The weaker of two terms of one kind. */
static PrincipleTerm
weaker_term(const PrincipleTerm *a, const PrincipleTerm *b)
{
	PrincipleTerm weaker = *a;

	if (a->kind == &recursive_principle)
	{
		weaker.strength = Min(a->strength, b->strength);
		weaker.detail = Max(a->detail, b->detail);
	}
	else
		weaker.strength = a->kind->more_is_stronger ? Min(a->strength, b->strength) : Max(a->strength, b->strength);
	return weaker;
}

/* Are there aspects beside the value itself? */
static bool
has_aspects(int n, const Aspect *first)
{
	return n > 1 || first->code != NULL;
}

/* Are two terms of one kind, so that one of them is the weaker?  Two distances are not comparable. */
static bool
are_alike(const PrincipleTerm *a, const PrincipleTerm *b)
{
	return a->kind == b->kind && (a->kind != &t_principle || a->detail == b->detail);
}

Principle
principle_weaker(const Principle *a, const Principle *b)
{
	Principle	weaker = principle_k_l(Min(a->k, b->k), Min(a->l, b->l));

	weaker.joint = a->joint && b->joint;
	for (int i = 0; i < a->nterms; i++)
		for (int j = 0; j < b->nterms; j++)
			if (are_alike(&a->term[i], &b->term[j]))
				weaker.term[weaker.nterms++] = weaker_term(&a->term[i], &b->term[j]);
	if (a->judging != NULL && principle_judges_shares(&weaker, has_aspects(a->judging->naspects, a->judging->room[0].aspect)))
		weaker.judging = a->judging;
	return weaker;
}

/* Does a set that satisfies the one term satisfy the other? */
static bool
term_implies(const PrincipleTerm *a, const PrincipleTerm *b)
{
	PrincipleTerm weaker;

	if (!are_alike(a, b))
		return false;
	weaker = weaker_term(a, b);
	return weaker.strength == b->strength && weaker.detail == b->detail;
}

bool
principle_implies(const Principle *a, const Principle *b)
{
	bool		implies = a->k >= b->k && a->l >= b->l && (a->joint || !b->joint);

	for (int i = 0; i < b->nterms && implies; i++)
	{
		bool		found = false;

		for (int j = 0; j < a->nterms; j++)
			found |= term_implies(&a->term[j], &b->term[i]);
		implies = found;
	}
	return implies;
}

uint32
principle_least_values(const Principle *principle)
{
	double		least = principle->l;

	for (int i = 0; i < principle->nterms; i++)
		if (principle->term[i].kind->more_is_stronger || principle->term[i].kind == &recursive_principle)
			least = Max(least, ceil(principle->term[i].strength));
	return least;
}

bool
principle_compares(const Principle *principle)
{
	bool		compares = false;

	for (int i = 0; i < principle->nterms; i++)
		compares |= principle->term[i].kind->compares;
	return compares;
}

bool
principle_needs_shares(const Principle *principle)
{
	bool		needs = false;

	for (int i = 0; i < principle->nterms; i++)
		needs |= principle->term[i].kind->needs_shares;
	return needs;
}

char *
term_promise(const PrincipleTerm *term)
{
	StringInfoData text;

	initStringInfo(&text);
	term->kind->promise(term, &text);
	return text.data;
}

const char *
term_name(const PrincipleTerm *term)
{
	return term->kind->name;
}

const char *
term_measure_name(const PrincipleTerm *term)
{
	return term->kind == &recursive_principle ? "c" : term->kind->name;
}

/* ----------------------------------------------------------------
 * Bound to values
 * ----------------------------------------------------------------
 */

static inline Code
code_in(const Aspect *aspect, Code value)
{
	return aspect->code == NULL ? value : aspect->code[value];
}

static inline void
forget_share(CodeShares *shares, Code code)
{
	shares->share[code] = shares->whole[code] = 0;
	shares->since[code] = NOT_FOUND;
}

static CodeShares
new_shares(Code ncodes)
{
	CodeShares	shares = {new_array(double, ncodes), new_array(double, ncodes), new_array(int32, ncodes)};

	for (Code code = 0; code < ncodes; code++)
		forget_share(&shares, code);
	return shares;
}

/* The release that gave a sensitive value its share, or NOT_FOUND if it has none. */
static inline int32
found_in(const Judging *judging, Code value)
{
	return judging->share[value] <= 0 ? NOT_FOUND : judging->since == NULL ? 0 : judging->since[value];
}

/*
 * Adds up, in an aspect, the shares of n sensitive values; NULL stands for the first n.  A code's share is that of
 * the values in the release that found it, and does not change by those that are found later.  NULL has none: the
 * shares are as large as if nobody of the first release had it.
 */
static void
add_shares(const Judging *judging, const Aspect *aspect, const uint32 *values, uint64 n, CodeShares *shares)
{
	int32		first = NOT_FOUND;
	double		all = 0;

	for (uint64 i = 0; i < n; i++)
	{
		Code		value = values == NULL ? i : values[i];
		Code		code = code_in(aspect, value);
		int32		since = found_in(judging, value);

		if (code == NO_CODE || since == NOT_FOUND)
			continue;
		shares->since[code] = Min(shares->since[code], since);
		all = since < first ? judging->share[value] : since == first ? all + judging->share[value] : all;
		first = Min(first, since);
	}
	for (uint64 i = 0; i < n; i++)
	{
		Code		value = values == NULL ? i : values[i];
		Code		code = code_in(aspect, value);
		int32		since = found_in(judging, value);

		if (code == NO_CODE || since == NOT_FOUND || since > shares->since[code])
			continue;
		shares->share[code] = Min(shares->share[code] + judging->share[value] / all, 1);
		if (since == first)
			shares->whole[code] = shares->share[code];
	}
}

static void
forget_shares(const Aspect *aspect, const uint32 *values, uint64 n, CodeShares *shares)
{
	for (uint64 i = 0; i < n; i++)
		if (code_in(aspect, values[i]) != NO_CODE)
			forget_share(shares, code_in(aspect, values[i]));
}

static int
compare_places(const void *a, const void *b, void *arg)
{
	const double *place = arg;
	double		x = place[*(const Code *) a];
	double		y = place[*(const Code *) b];

	return x < y ? -1 : x > y;
}

/* Sorts the codes of an aspect by their places; NULL where these have no order. */
static Code *
codes_by_place(const Aspect *aspect)
{
	Code	   *codes;

	if (aspect->place == NULL)
		return NULL;
	codes = new_array(Code, aspect->ncodes);
	for (Code code = 0; code < aspect->ncodes; code++)
		codes[code] = code;
	qsort_arg(codes, aspect->ncodes, sizeof(Code), compare_places, unconstify(double *, aspect->place));
	return codes;
}

/* Lists the sensitive values by their code in an aspect, those that have none last. */
static void
list_values(AspectRoom *room, Code nvalues)
{
	uint32	   *group = new_array(uint32, nvalues);

	for (Code value = 0; value < nvalues; value++)
		group[value] = Min(code_in(room->aspect, value), room->aspect->ncodes);
	list_by_group(group, nvalues, (uint64) room->aspect->ncodes + 1, &room->first, &room->having);
	pfree(group);
}

/* Makes what it takes to judge an aspect; joint: beside others. */
static AspectRoom
aspect_room(const Judging *judging, const Aspect *aspect, Code nvalues, bool joint)
{
	AspectRoom	room = {
		.aspect = aspect,
		.in_order = codes_by_place(aspect),
		.count = new_zeros(uint32, aspect->ncodes),
		.value = new_array(Code, aspect->ncodes),
	};

	if (judging->share != NULL)
	{
		room.all = new_shares(aspect->ncodes);
		add_shares(judging, aspect, NULL, nvalues, &room.all);
	}
	if (!joint)
		return room;
	room.beside = new_shares(aspect->ncodes);
	list_values(&room, nvalues);
	return room;
}

/* The value itself, where nothing is said of aspects. */
static const Aspects *
value_itself(Code nvalues)
{
	Aspects    *aspects = palloc0(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect));

	aspect->ncodes = nvalues;
	*aspects = (Aspects) {.n = 1, .aspect = aspect};
	return aspects;
}

Principle
principle_bound(const Principle *principle, Code nvalues, const Aspects *aspects)
{
	Principle	bound = *principle;
	Judging    *judging;
	Code		longest = 0;

	bound.judging = NULL;
	if (!principle_judges_shares(principle, aspects != NULL && has_aspects(aspects->n, aspects->aspect)))
		return bound;
	if (aspects == NULL)
		aspects = value_itself(nvalues);
	if (principle_compares(principle) && aspects->share == NULL)
		elog(ERROR, "there is no distribution to compare values with");
	bound.judging = judging = palloc0(sizeof(Judging));
	judging->ntallied = nvalues;
	nvalues = Max(nvalues, aspects->nvalues);
	judging->naspects = aspects->n;
	judging->share = aspects->share;
	judging->since = aspects->since;
	judging->room = new_array(AspectRoom, aspects->n);
	judging->sorted = new_array(Code, nvalues);
	for (int a = 0; a < aspects->n; a++)
	{
		judging->room[a] = aspect_room(judging, &aspects->aspect[a], nvalues, bound.joint);
		longest = Max(longest, aspects->aspect[a].ncodes);
	}
	judging->scratch = new_array(uint32, longest);
	return bound;
}

/* ----------------------------------------------------------------
 * Aspects of a set, one after the other
 * ----------------------------------------------------------------
 */

/* Looks at the values of an aspect, or at those beside one value of another (aspect -1); false: it has seen enough. */
typedef bool (*Look) (const Principle *principle, const ValueCounts *set, int aspect, void *state);

/* Counts some of the values of a set in an aspect. */
static ValueCounts
count_in(Judging *judging, AspectRoom *room, const Tally *set, const Code *value, uint32 n)
{
	ValueCounts counts = {
		.value = room->value, .count = room->count, .room = judging->scratch,
		.ncodes = room->aspect->ncodes, .share = room->all.share, .whole = room->all.whole,
		.place = room->aspect->place, .in_order = room->in_order
	};

	for (uint32 i = 0; i < n; i++)
	{
		Code		code = code_in(room->aspect, value[i]);

		if (code == NO_CODE)
			continue;
		if (room->count[code] == 0)
			room->value[counts.n++] = code;
		room->count[code] += set->count[value[i]];
		counts.known += set->count[value[i]];
	}
	return counts;
}

static void
uncount(AspectRoom *room, const ValueCounts *counts)
{
	for (uint32 i = 0; i < counts->n; i++)
		room->count[room->value[i]] = 0;
}

/* An aspect that is the value itself was counted by the tally. */
static ValueCounts
counted_by_tally(Judging *judging, AspectRoom *room, const Tally *set)
{
	ValueCounts counts = {
		.value = set->value, .n = set->values, .count = set->count, .room = judging->scratch,
		.ncodes = room->aspect->ncodes, .share = room->all.share, .whole = room->all.whole,
		.place = room->aspect->place, .in_order = room->in_order
	};

	for (uint32 i = 0; i < set->values; i++)
		counts.known += set->count[set->value[i]];
	return counts;
}

/* Looks at all values of a set in an aspect. */
static bool
look_at_aspect(const Principle *principle, int a, const Tally *set, Look look, void *state)
{
	Judging    *judging = principle->judging;
	AspectRoom *room = &judging->room[a];
	ValueCounts counts;
	bool		goes_on;

	if (room->aspect->code == NULL && room->aspect->ncodes <= judging->ntallied)
	{
		counts = counted_by_tally(judging, room, set);
		return look(principle, &counts, a, state);
	}
	counts = count_in(judging, room, set, set->value, set->values);
	goes_on = look(principle, &counts, a, state);
	uncount(room, &counts);
	return goes_on;
}

static int
compare_known(const void *a, const void *b, void *arg)
{
	const Aspect *aspect = arg;
	Code		x = code_in(aspect, *(const Code *) a);
	Code		y = code_in(aspect, *(const Code *) b);

	return x < y ? -1 : x > y;
}

/* Looks at one aspect among the rows that have the same value of another, for each such value. */
static bool
look_beside(const Principle *principle, AspectRoom *known, AspectRoom *other, const Tally *set, Look look, void *state)
{
	Judging    *judging = principle->judging;
	bool		goes_on = true;

	memcpy(judging->sorted, set->value, sizeof(Code) * set->values);
	qsort_arg(judging->sorted, set->values, sizeof(Code), compare_known, unconstify(Aspect *, known->aspect));
	for (uint32 from = 0, to; from < set->values && goes_on; from = to)
	{
		Code		code = code_in(known->aspect, judging->sorted[from]);
		const uint32 *having;
		uint64		nhaving;
		ValueCounts counts;

		for (to = from + 1; to < set->values && code_in(known->aspect, judging->sorted[to]) == code;)
			to++;
		if (code == NO_CODE)
			break;
		having = known->having + known->first[code];
		nhaving = known->first[code + 1] - known->first[code];
		counts = count_in(judging, other, set, judging->sorted + from, to - from);
		if (judging->share != NULL)
		{
			add_shares(judging, other->aspect, having, nhaving, &other->beside);
			counts.share = other->beside.share;
			counts.whole = other->beside.whole;
		}
		goes_on = look(principle, &counts, -1, state);
		if (judging->share != NULL)
			forget_shares(other->aspect, having, nhaving, &other->beside);
		uncount(other, &counts);
	}
	return goes_on;
}

/* Looks at each aspect, and at each beside each other one where they are joint. */
static void
look_at_all(const Principle *principle, const Tally *set, Look look, void *state)
{
	Judging    *judging = principle->judging;

	for (int a = 0; a < judging->naspects; a++)
		if (!look_at_aspect(principle, a, set, look, state))
			return;
	for (int a = 0; a < judging->naspects && principle->joint; a++)
		for (int b = 0; b < judging->naspects; b++)
			if (a != b && !look_beside(principle, &judging->room[a], &judging->room[b], set, look, state))
				return;
}

/* ----------------------------------------------------------------
 * Questions
 * ----------------------------------------------------------------
 */

bool
term_allows(const PrincipleTerm *term, double measure)
{
	double		strength = term->kind == &recursive_principle ? term->detail : term->strength;

	if (term->kind->is_strict)
		return measure < strength;
	return term->kind->more_is_stronger ? measure >= strength : measure <= strength;
}

bool
term_is_worse(const PrincipleTerm *term, double measure, double than)
{
	return term != NULL && !term->kind->more_is_stronger ? measure > than : measure < than;
}

double
term_margin(const PrincipleTerm *term, double measure)
{
	double		strength = term->kind == &recursive_principle ? term->detail : term->strength;
	double		margin = term->kind->more_is_stronger ? measure / strength : measure <= 0 ? INFINITY : strength / measure;

	return term_allows(term, measure) ? Max(margin, 1) : Min(margin, 1 - PRINCIPLE_ROUNDING);
}

/* Ends with the first condition that is not met. */
static bool
look_whether_allowed(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	bool	   *allowed = state;

	*allowed = set->known > 0 && (principle->l <= 1 || set->n >= principle->l);
	for (int i = 0; i < principle->nterms && *allowed; i++)
		*allowed = term_allows(&principle->term[i], principle->term[i].kind->measure(&principle->term[i], set));
	return *allowed;
}

bool
values_are_allowed(const Principle *principle, const Tally *set)
{
	bool		allowed = true;

	look_at_all(principle, set, look_whether_allowed, &allowed);
	return allowed;
}

/* Adds up what the conditions lack. */
static bool
look_how_far(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	double	   *lack = state;

	if (principle->l > 1 && set->n < principle->l)
		*lack += principle->l - set->n;
	for (int i = 0; i < principle->nterms; i++)
	{
		const PrincipleTerm *term = &principle->term[i];
		double		rows = set->known == 0 ? 1 : term->kind->lack(term, set);

		if (set->known == 0 || !term_allows(term, term->kind->measure(term, set)))
			*lack += Max(rows, PRINCIPLE_ROUNDING);
	}
	return true;
}

double
principle_lack(const Principle *principle, const Tally *set)
{
	double		lack = 0;

	if (principle->judging != NULL)
		look_at_all(principle, set, look_how_far, &lack);
	else if (principle->l > 1 && set->values < principle->l)
		lack = principle->l - set->values;
	return lack;
}

/* The worst measure so far. */
typedef struct Measuring
{
	const PrincipleTerm *term;	/* or NULL for l */
	double		worst;
	int			aspect;
	bool		any;
} Measuring;

/* The measure of a set without values: worse than any other. */
static double
measure_of_nothing(const PrincipleTerm *term)
{
	return term != NULL && !term->kind->more_is_stronger ? INFINITY : 0;
}

/* Keeps the worst measure of a condition. */
static bool
look_how_strong(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	Measuring  *measuring = state;
	const PrincipleTerm *term = measuring->term;
	double		measure = set->known == 0 ? measure_of_nothing(term) : term == NULL ? set->n : term->kind->measure(term, set);

	if (measuring->any && !term_is_worse(term, measure, measuring->worst))
		return true;
	measuring->worst = measure;
	measuring->aspect = aspect;
	measuring->any = true;
	return true;
}

double
principle_measure(const Principle *principle, const PrincipleTerm *term, const Tally *set, int *aspect)
{
	Measuring	measuring = {.term = term};

	if (principle->judging == NULL)
	{
		Assert(term == NULL);
		*aspect = 0;
		return set->values;
	}
	look_at_all(principle, set, look_how_strong, &measuring);
	*aspect = measuring.aspect;
	return measuring.worst;
}

/* A value is welcome where it is rarer than the average one, or than among all people, in some aspect. */
bool
value_is_welcome(const Principle *principle, const Tally *set, Code value)
{
	Judging    *judging = principle->judging;

	if (value == NO_CODE)
		return false;
	if (principle->nterms == 0 || set->count[value] == 0)
		return set->count[value] == 0;
	if (judging->share != NULL)
		return set->count[value] < judging->share[value] * set->rows;
	return (uint64) set->count[value] * set->values < set->rows;
}
