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
#include "partition/principle_kinds.h"
#include "utils/memutils.h"

const char *const principle_distances[] = {"auto", "equal", "ordered", NULL};

static const PrincipleKind *const kinds[] = {
#define PRINCIPLE_ADDRESS(name, kind, type, least, most, strength) &kind,
	PRINCIPLES(PRINCIPLE_ADDRESS)
};

/* ----------------------------------------------------------------
 * Tallies
 * ----------------------------------------------------------------
 */

Tally *
tally_create(Code nvalues)
{
	Tally	   *tally = palloc0(sizeof(Tally));

	tally->count = new_zeros(uint32, nvalues);
	tally->value = new_array(Code, nvalues);
	tally->place = new_array(uint32, nvalues);
	return tally;
}

void
tally_clear(Tally *tally)
{
	while (tally->values > 0)
		tally->count[tally->value[--tally->values]] = 0;
	tally->rows = 0;
}

void
tally_free(Tally *tally)
{
	pfree(tally->place);
	pfree(tally->value);
	pfree(tally->count);
	pfree(tally);
}

void
tally_copy(Tally *tally, const Tally *from)
{
	tally_clear(tally);
	tally->rows = from->rows;
	tally->values = from->values;
	for (uint32 i = 0; i < from->values; i++)
	{
		Code		value = from->value[i];

		tally->value[i] = value;
		tally->place[value] = i;
		tally->count[value] = from->count[value];
	}
}

/* ----------------------------------------------------------------
 * What is declared
 * ----------------------------------------------------------------
 */

Principle
principle_k_l(uint64 k, uint32 l)
{
	return (Principle) {.k = k, .l = l};
}

Principle
principle_declared(uint64 k, uint32 l, const int64 *params)
{
	Principle	principle = principle_k_l(k, l);

	principle.joint = params[PRINCIPLE_JOINT] == 1;
	for (int i = 0; i < NPRINCIPLES; i++)
	{
		double		strength = i == PRINCIPLE_recursive ? params[i] : (double) params[i] / PARAM_SCALE;
		double		detail = 0;

		if (params[i] == PARAM_ABSENT || (i == PRINCIPLE_t && strength >= 1) ||
			((i == PRINCIPLE_frequency || i == PRINCIPLE_entropy) && strength <= 1))
			continue;
		if (i == PRINCIPLE_recursive)
			detail = (double) params[PRINCIPLE_C] / PARAM_SCALE;
		else if (i == PRINCIPLE_t && params[PRINCIPLE_DISTANCE] != PARAM_ABSENT)
			detail = params[PRINCIPLE_DISTANCE];
		principle.term[principle.nterms++] = (PrincipleTerm) {kinds[i], strength, detail};
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

/* The weaker of two terms; false if these are not comparable, as terms of two kinds, or two distances. */
static bool
weaker_term(const PrincipleTerm *a, const PrincipleTerm *b, PrincipleTerm *weaker)
{
	bool		least = a->kind->more_is_stronger || a->kind == &recursive_principle;

	if (a->kind != b->kind || (a->kind == &t_principle && a->detail != b->detail))
		return false;
	*weaker = (PrincipleTerm) {
		a->kind, least ? Min(a->strength, b->strength) : Max(a->strength, b->strength), Max(a->detail, b->detail)
	};
	return true;
}

/* Are there aspects beside the value itself? */
static bool
has_aspects(int n, const Aspect *first)
{
	return n > 1 || first->code != NULL;
}

bool
principle_implies(const Principle *a, const Principle *b)
{
	bool		implies = a->k >= b->k && a->l >= b->l && (a->joint || !b->joint);

	for (int i = 0; i < b->nterms && implies; i++)
	{
		implies = false;
		for (int j = 0; j < a->nterms; j++)
		{
			PrincipleTerm weaker;

			implies |= weaker_term(&a->term[j], &b->term[i], &weaker) &&
				weaker.strength == b->term[i].strength && weaker.detail == b->term[i].detail;
		}
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
	uint64	   *counted;		/* [ncodes] the person they were counted for last, where people have several rows */
	uint64	   *first;			/* [ncodes + 1] sensitive values by their code here, where aspects are joint */
	uint32	   *having;			/* [nsensitive] */
} AspectRoom;

typedef struct Judging
{
	int			naspects;
	AspectRoom *room;			/* [naspects] */
	const double *share;		/* [nsensitive] or NULL */
	const int32 *since;			/* [nsensitive] or NULL */
	const uint64 *first;		/* [nsensitive + 1] where people have several rows each; or NULL */
	Code		ntallied;		/* sensitive values that tallies count: the distribution may have more */
	uint64		longest;		/* rows of anybody */
	uint64		person;			/* the last one whose rows were counted */
	uint32	   *scratch;		/* as long as the longest aspect */
	Code	   *sorted;			/* [nsensitive] */
} Judging;

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
 * The next code of a person's rows, from this one on, that the person's rows before do not have; NO_CODE behind the last.
 * The caller counts people up in judging->person.
 */
static inline Code
next_code(Judging *judging, AspectRoom *room, uint64 *row, uint64 end)
{
	while (*row < end)
	{
		Code		code = code_in(room->aspect, (*row)++);

		if (code == NO_CODE || (room->counted != NULL && room->counted[code] == judging->person))
			continue;
		if (room->counted != NULL)
			room->counted[code] = judging->person;
		return code;
	}
	return NO_CODE;
}

/*
 * Adds up, in an aspect, the shares of n sensitive values; NULL stands for the first n.  A code's share is that of
 * the values in the release that found it, and does not change by those that are found later.  NULL has none: the
 * shares are as large as if nobody of the first release had it.
 */
static void
add_shares(Judging *judging, AspectRoom *room, const uint32 *values, uint64 n, CodeShares *shares)
{
	int32		first = NOT_FOUND;
	double		people = 0;		/* of the first release */
	double		all = 0;		/* the shares of all codes */
	Code		code;

	for (uint64 i = 0; i < n; i++)
	{
		Code		value = values == NULL ? i : values[i];
		int32		since = found_in(judging, value);
		uint64		row = rows_begin(judging->first, value);
		uint64		rows = 0;

		if (since == NOT_FOUND)
			continue;
		for (judging->person++; (code = next_code(judging, room, &row, rows_end(judging->first, value))) != NO_CODE; rows++)
			shares->since[code] = Min(shares->since[code], since);
		if (rows == 0)
			continue;
		people = since < first ? judging->share[value] : since == first ? people + judging->share[value] : people;
		first = Min(first, since);
	}
	for (uint64 i = 0; i < n; i++)
	{
		Code		value = values == NULL ? i : values[i];
		int32		since = found_in(judging, value);
		uint64		row = rows_begin(judging->first, value);

		for (judging->person++; since != NOT_FOUND && (code = next_code(judging, room, &row, rows_end(judging->first, value))) != NO_CODE;)
		{
			if (since > shares->since[code])
				continue;
			shares->share[code] = Min(shares->share[code] + judging->share[value] / people, 1);
			all += since == first ? judging->share[value] / people : 0;
			if (since == first)
				shares->whole[code] = shares->share[code];
		}
	}
	for (code = 0; judging->first != NULL && all > 0 && code < room->aspect->ncodes; code++)
		shares->whole[code] /= all;
}

DEFINE_ORDER_BY_KEY(compare_places, Code, double, <);

/* Makes what it takes to judge an aspect; joint: beside others. */
static AspectRoom
aspect_room(Judging *judging, const Aspect *aspect, Code nvalues, bool joint)
{
	Code		ncodes = aspect->ncodes;
	AspectRoom	room = {.aspect = aspect, .count = new_zeros(uint32, ncodes), .value = new_array(Code, ncodes)};

	if (judging->first != NULL)
		room.counted = new_zeros(uint64, ncodes);
	if (aspect->place != NULL)
	{
		room.in_order = new_array(Code, ncodes);
		for (Code code = 0; code < ncodes; code++)
			room.in_order[code] = code;
		qsort_arg(room.in_order, ncodes, sizeof(Code), compare_places, unconstify(double *, aspect->place));
	}
	if (judging->share != NULL)
	{
		room.all = new_shares(ncodes);
		add_shares(judging, &room, NULL, nvalues, &room.all);
	}
	if (joint)
	{
		uint32	   *group = new_array(uint32, nvalues);

		for (Code value = 0; value < nvalues; value++)
			group[value] = Min(code_in(aspect, value), ncodes);
		list_by_group(group, nvalues, (uint64) ncodes + 1, &room.first, &room.having);
		pfree(group);
		room.beside = new_shares(ncodes);
	}
	return room;
}

/* Binds the conditions that judge shares to aspects, unless they need none. */
static void
bind_to_aspects(Principle *principle, Code ntallied, const Aspects *aspects)
{
	Judging    *judging = palloc0(sizeof(Judging));
	Code		nvalues = Max(ntallied, aspects->nvalues);
	Code		longest = 0;

	if (principle_compares(principle) && aspects->share == NULL)
		elog(ERROR, "there is no distribution to compare values with");
	principle->judging = judging;
	*judging = (Judging) {
		.naspects = aspects->n, .first = aspects->first, .share = aspects->share, .since = aspects->since, .ntallied = ntallied,
		.room = new_array(AspectRoom, aspects->n), .sorted = new_array(Code, nvalues),
	};
	for (int a = 0; a < aspects->n; a++)
	{
		judging->room[a] = aspect_room(judging, &aspects->aspect[a], nvalues, principle->joint);
		longest = Max(longest, aspects->aspect[a].ncodes);
	}
	judging->scratch = new_array(uint32, longest);
	for (Code value = 0; value < ntallied && aspects->first != NULL; value++)
		judging->longest = Max(judging->longest, aspects->first[value + 1] - aspects->first[value]);
}

Principle
principle_bound(const Principle *principle, Code nvalues, const Aspects *aspects)
{
	Principle	bound = *principle;
	Aspect	   *itself;

	bound.judging = NULL;
	if (!principle_judges_shares(principle, aspects != NULL && has_aspects(aspects->n, aspects->aspect)))
		return bound;
	if (aspects != NULL)
	{
		bound.several_rows = aspects->first != NULL;
		bind_to_aspects(&bound, nvalues, aspects);
	}
	else
	{
		/* The value itself, where nothing is said of aspects */
		itself = palloc0(sizeof(Aspect));
		itself->ncodes = nvalues;
		bind_to_aspects(&bound, nvalues, &(Aspects) {.n = 1, .aspect = itself});
	}
	return bound;
}

Principle
principle_weaker(const Principle *a, const Principle *b)
{
	Principle	weaker = principle_k_l(Min(a->k, b->k), Min(a->l, b->l));

	weaker.joint = a->joint && b->joint;
	for (int i = 0; i < a->nterms; i++)
		for (int j = 0; j < b->nterms; j++)
			weaker.nterms += weaker_term(&a->term[i], &b->term[j], &weaker.term[weaker.nterms]);
	if (a->judging != NULL && principle_judges_shares(&weaker, has_aspects(a->judging->naspects, a->judging->room[0].aspect)))
		weaker.judging = a->judging;
	weaker.several_rows = a->several_rows;
	return weaker;
}

/* ----------------------------------------------------------------
 * Aspects of a set, one after the other
 * ----------------------------------------------------------------
 */

/* Looks at the values of an aspect, or at those beside one value of another (aspect -1); false: it has seen enough. */
typedef bool (*Look) (const Principle *principle, const ValueCounts *set, int aspect, void *state);

/* Counts rows that have a code. */
static inline void
count_code(AspectRoom *room, ValueCounts *counts, Code code, uint32 rows)
{
	if (room->count[code] == 0)
		room->value[counts->n++] = code;
	room->count[code] += rows;
	counts->all += rows;
}

/* Counts each value of people who have all these rows once. */
static void
count_rows(Judging *judging, AspectRoom *room, ValueCounts *counts, Code value, uint32 people)
{
	uint64		row = rows_begin(judging->first, value);
	bool		any = false;
	Code		code;

	for (judging->person++; (code = next_code(judging, room, &row, rows_end(judging->first, value))) != NO_CODE; any = true)
		count_code(room, counts, code, people);
	counts->known += any ? people : 0;
}

/*
 * Counts n values of a set in an aspect, and looks at them; there is no count left afterwards.  An aspect that is the
 * value itself was counted by the tally.
 */
static bool
look_at_values(const Principle *principle, AspectRoom *room, const CodeShares *shares, const Tally *set,
			   const Code *value, uint32 n, Look look, int aspect, void *state)
{
	Judging    *judging = principle->judging;
	bool		is_tallied = aspect >= 0 && room->aspect->code == NULL && room->aspect->ncodes <= judging->ntallied;
	ValueCounts counts = {
		.value = is_tallied ? set->value : room->value, .count = is_tallied ? set->count : room->count,
		.n = is_tallied ? set->values : 0, .room = judging->scratch,
		.ncodes = room->aspect->ncodes, .share = shares->share, .whole = shares->whole,
		.place = room->aspect->place, .in_order = room->in_order,
		.first = judging->first, .code = room->aspect->code, .person = value, .npeople = n,
		.times = set->count
	};
	bool		goes_on;

	for (uint32 i = 0; i < n; i++)
	{
		Code		code;

		if (judging->first != NULL)
		{
			count_rows(judging, room, &counts, value[i], set->count[value[i]]);
			continue;
		}
		code = code_in(room->aspect, value[i]);
		if (code == NO_CODE)
			continue;
		counts.known += set->count[value[i]];
		if (!is_tallied)
			count_code(room, &counts, code, set->count[value[i]]);
	}
	if (judging->first == NULL)
		counts.all = counts.known;
	goes_on = look(principle, &counts, aspect, state);
	for (uint32 i = 0; i < counts.n && !is_tallied; i++)
		room->count[room->value[i]] = 0;
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

		for (to = from + 1; to < set->values && code_in(known->aspect, judging->sorted[to]) == code;)
			to++;
		if (code == NO_CODE)
			break;
		if (judging->share != NULL)
			add_shares(judging, other, known->having + known->first[code],
					   known->first[code + 1] - known->first[code], &other->beside);
		goes_on = look_at_values(principle, other, judging->share != NULL ? &other->beside : &other->all, set,
								 judging->sorted + from, to - from, look, -1, state);
		for (uint64 i = known->first[code]; i < known->first[code + 1] && judging->share != NULL; i++)
			if (code_in(other->aspect, known->having[i]) != NO_CODE)
				forget_share(&other->beside, code_in(other->aspect, known->having[i]));
	}
	return goes_on;
}

/* Looks at each aspect, and at each beside each other one where they are joint. */
static void
look_at_all(const Principle *principle, const Tally *set, Look look, void *state)
{
	Judging    *judging = principle->judging;
	AspectRoom *room = judging->room;

	for (int a = 0; a < judging->naspects; a++)
		if (!look_at_values(principle, &room[a], &room[a].all, set, set->value, set->values, look, a, state))
			return;
	for (int a = 0; a < judging->naspects && principle->joint; a++)
		for (int b = 0; b < judging->naspects; b++)
			if (a != b && !look_beside(principle, &room[a], &room[b], set, look, state))
				return;
}

/* ----------------------------------------------------------------
 * Questions
 * ----------------------------------------------------------------
 */

/* A measure is held against this: of recursive it is c. */
static double
asked_of(const PrincipleTerm *term)
{
	return term->kind == &recursive_principle ? term->detail : term->strength;
}

char *
term_promise(const PrincipleTerm *term)
{
	return psprintf(term->kind->promise, asked_of(term), term->strength - 1);
}

bool
term_allows(const PrincipleTerm *term, double measure)
{
	if (term->kind->is_strict)
		return measure < asked_of(term);
	return term->kind->more_is_stronger ? measure >= asked_of(term) : measure <= asked_of(term);
}

bool
term_is_worse(const PrincipleTerm *term, double measure, double than)
{
	return term != NULL && !term->kind->more_is_stronger ? measure > than : measure < than;
}

double
term_margin(const PrincipleTerm *term, double measure)
{
	double		margin = term->kind->more_is_stronger ? measure / asked_of(term) : measure <= 0 ? INFINITY : asked_of(term) / measure;

	return term_allows(term, measure) ? Max(margin, 1) : Min(margin, 1 - PRINCIPLE_ROUNDING);
}

/*
 * The least different values that a set must have.  Of people with one row each, shares say it.  Of several, a value that
 * few people have may fill so many rows that observers who know how many rows each has are sure of one of these.
 */
static uint32
least_distinct(const Principle *principle, const ValueCounts *set)
{
	uint32		least = principle_least_values(principle);

	return set->first == NULL || principle->nterms == 0 ? principle->l : Max(least, 2);
}

/* Ends with the first condition that is not met. */
static bool
look_whether_allowed(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	bool	   *allowed = state;
	uint32		least = least_distinct(principle, set);

	*allowed = set->known > 0 && (least <= 1 || distinct_values(set, least) >= least);
	for (int i = 0; i < principle->nterms && *allowed; i++)
		*allowed = term_allows(&principle->term[i], principle->term[i].kind->measure(&principle->term[i], set));
	return *allowed;
}

/*
 * Do a few people of a set, who may have several rows each, show that it has the least distinct values?  They are people with
 * different values, each once.  So many of them share none, and have so many rows of others than the commonest values, that
 * further people cannot undo it: see people_apart.c.
 */
static bool
few_people_suffice(const Judging *judging, AspectRoom *room, const Tally *set, uint32 least)
{
	const Code *code = room->aspect->code;
	uint32		n = 0;			/* different codes */
	uint32		commonest = 0;
	uint64		rows = 0;
	uint32		apart = 0;
	bool		suffice = false;

	for (uint32 i = 0; i < set->values && !suffice; i++)
	{
		uint64		first = judging->first[set->value[i]];
		uint32		before = n;
		bool		is_apart = true;

		for (uint64 row = first; row < judging->first[set->value[i] + 1]; row++)
		{
			if (code[row] == NO_CODE)
				continue;
			if (room->count[code[row]] == 0)
				room->value[n++] = code[row];
			else
				is_apart &= row > first && code[row - 1] == code[row];
			room->count[code[row]]++;
			commonest = Max(commonest, room->count[code[row]]);
			rows++;
		}
		apart += is_apart && n > before;
		suffice = apart >= least && rows >= judging->longest + (uint64) (least - 1) * commonest;
	}
	while (n > 0)
		room->count[room->value[--n]] = 0;
	return suffice;
}

bool
values_are_allowed(const Principle *principle, const Tally *set)
{
	Judging    *judging = principle->judging;
	bool		allowed = judging->first != NULL && principle->l > 1 && principle->nterms == 0 && !principle->joint;

	for (int a = 0; a < judging->naspects && allowed; a++)
		allowed = few_people_suffice(judging, &judging->room[a], set, principle->l);
	if (allowed)
		return true;
	allowed = true;
	look_at_all(principle, set, look_whether_allowed, &allowed);
	return allowed;
}

/* Parts of a set that have so many of its rows. */
typedef struct Parts
{
	uint64		size;
	uint64		rows;			/* of the set */
	bool		allowed;
} Parts;

/* NULLs are in the part first, so the rows with a value are fewer than its size. */
static bool
look_at_parts(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	Parts	   *parts = state;
	uint64		nulls = parts->rows - set->known;
	uint64		size = parts->size - Min(nulls, parts->size);

	parts->allowed = size > 0 && (principle->l <= 1 || fewest_values_in_parts(set, size) >= principle->l);
	for (int i = 0; i < principle->nterms && parts->allowed; i++)
		parts->allowed = term_allows_every_part(&principle->term[i], set, size);
	return parts->allowed;
}

bool
principle_allows_every_part(const Principle *principle, const Tally *set, uint64 size)
{
	Parts		parts = {size, set->rows, true};
	ValueCounts values = {.n = set->values, .value = set->value, .count = set->count};
	MemoryContext work;
	MemoryContext old;

	if (size >= set->rows || size < principle->k || (principle->judging == NULL && principle->l <= 1))
		return size >= set->rows ? principle_allows(principle, set) : size >= principle->k;
	if (principle->judging != NULL && (principle->judging->first != NULL || (principle->joint && principle->judging->naspects > 1)))
		return false;
	work = AllocSetContextCreate(CurrentMemoryContext, "parts of a set", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(work);
	if (principle->judging != NULL)
		look_at_all(principle, set, look_at_parts, &parts);
	else
	{
		for (uint32 i = 0; i < set->values; i++)
		{
			values.known += set->count[set->value[i]];
			values.ncodes = Max(values.ncodes, set->value[i] + 1);
		}
		(void) look_at_parts(principle, &values, 0, &parts);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return parts.allowed;
}

/* Adds up what the conditions lack. */
static bool
look_how_far(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	double	   *lack = state;
	uint32		least = least_distinct(principle, set);

	if (least > 1)
	{
		uint32		values = distinct_values(set, least);

		*lack += least - Min(values, least);
	}
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

/* Keeps the worst measure of a condition; that of a set without values is worse than any other. */
static bool
look_how_strong(const Principle *principle, const ValueCounts *set, int aspect, void *state)
{
	Measuring  *measuring = state;
	const PrincipleTerm *term = measuring->term;
	double		of_nothing = term != NULL && !term->kind->more_is_stronger ? INFINITY : 0;
	double		measure = set->known == 0 ? of_nothing : term == NULL ? distinct_values(set, PG_UINT32_MAX) : term->kind->measure(term, set);

	if (!measuring->any || term_is_worse(term, measure, measuring->worst))
		*measuring = (Measuring) {term, measure, aspect, true};
	return true;
}

double
principle_measure(const Principle *principle, const PrincipleTerm *term, const Tally *set, int *aspect)
{
	Measuring	measuring = {.term = term};

	*aspect = 0;
	if (principle->judging == NULL)
	{
		Assert(term == NULL);
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
