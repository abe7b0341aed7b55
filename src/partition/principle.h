/*
 * principle.h
 *		The conditions on a set of rows before it may be seen apart.
 *
 * A principle judges a tally, never rows, so that code that grows or shrinks a
 * set row by row keeps its tally and asks as often as it likes.
 *
 * Every principle here is closed under disjoint union: if two sets that share no
 * row are allowed, both together are.  All that observers of releases can infer is of
 * unions of sets that releases show apart, so it is enough that each of these is allowed.  Only
 * k and the number of different values are monotonous, too: a superset of an
 * allowed set is allowed.
 *
 * A NULL is no value.  It counts as a row for k, and for nothing else: shares are
 * shares of the rows that have a value, and a set without any value is refused by
 * each condition on values.
 *
 * Where there are several aspects (several sensitive columns), a set is allowed if
 * each aspect by itself is; if they are joint, each must also be allowed among the
 * rows that have the same value of another, so that whoever knows the one of a
 * person does not learn the other.
 */
#ifndef PPREPUB_PARTITION_PRINCIPLE_H
#define PPREPUB_PARTITION_PRINCIPLE_H

#include "declare/method_declaration.h"
#include "frame/frame.h"

/* How often each sensitive value occurs in a set of rows. */
typedef struct Tally
{
	uint64		rows;
	uint32		values;			/* different ones; a NULL counts for none */
	uint32	   *count;			/* [nsensitive] rows that have each value */
	Code	   *value;			/* [values] those that occur, in no order */
	uint32	   *place;			/* [nsensitive] where in value[]; of those that occur */
} Tally;

extern Tally *tally_create(Code nvalues);
extern void tally_clear(Tally *tally);
extern void tally_free(Tally *tally);
extern void tally_copy(Tally *tally, const Tally *from);

static inline void
tally_add(Tally *tally, Code sensitive)
{
	tally->rows++;
	if (sensitive == NO_CODE || tally->count[sensitive]++ > 0)
		return;
	tally->place[sensitive] = tally->values;
	tally->value[tally->values++] = sensitive;
}

static inline void
tally_remove(Tally *tally, Code sensitive)
{
	Code		last;

	tally->rows--;
	if (sensitive == NO_CODE || --tally->count[sensitive] > 0)
		return;
	last = tally->value[--tally->values];
	tally->value[tally->place[sensitive]] = last;
	tally->place[last] = tally->place[sensitive];
}

/* Like the two above, for n rows at once, at least 1, of one value. */
static inline void
tally_add_rows(Tally *tally, Code sensitive, uint32 n)
{
	tally->rows += n;
	if (sensitive == NO_CODE)
		return;
	if (tally->count[sensitive] == 0)
	{
		tally->place[sensitive] = tally->values;
		tally->value[tally->values++] = sensitive;
	}
	tally->count[sensitive] += n;
}

static inline void
tally_remove_rows(Tally *tally, Code sensitive, uint32 n)
{
	tally->rows -= n - 1;
	if (sensitive != NO_CODE)
		tally->count[sensitive] -= n - 1;
	tally_remove(tally, sensitive);
}

/*
 * The conditions on values, P(name, kind, type, least, most, strength) each: the kind, which principle_kinds.c defines, and
 * the parameter that declares its strength.
 */
#define PRINCIPLES(P) \
	P(frequency, frequency_principle, PARAM_DECIMAL, 1, 1000000, STRENGTH_MORE) \
	P(entropy, entropy_principle, PARAM_DECIMAL, 1, 1000000, STRENGTH_MORE) \
	P(recursive, recursive_principle, PARAM_INTEGER, 1, 1000000, STRENGTH_MORE) \
	P(t, t_principle, PARAM_DECIMAL, 0, 1, STRENGTH_LESS) \
	P(beta, beta_principle, PARAM_DECIMAL, 0, 1000000, STRENGTH_LESS) \
	P(delta, delta_principle, PARAM_DECIMAL, 0, 1000000, STRENGTH_LESS)

/*
 * Their numbers in this order, and what else is declared of them: a method that promises them has these parameters, one after
 * the other, in its table (PRINCIPLE_PARAMS).
 */
typedef enum PrincipleParam
{
#define PRINCIPLE_NUMBER(name, kind, type, least, most, strength) PRINCIPLE_##name,
	PRINCIPLES(PRINCIPLE_NUMBER)
	NPRINCIPLES,
	PRINCIPLE_C = NPRINCIPLES,	/* of recursive */
	PRINCIPLE_DISTANCE,			/* of t: a PrincipleDistance */
	PRINCIPLE_JOINT,			/* are aspects judged together? */
	NPRINCIPLE_PARAMS
} PrincipleParam;

typedef enum PrincipleDistance
{
	DISTANCE_AUTO,				/* ordered where values have an order that means something */
	DISTANCE_EQUAL,				/* any two values are equally far from each other */
	DISTANCE_ORDERED			/* near values are near */
} PrincipleDistance;

typedef struct PrincipleKind PrincipleKind;

/* One condition on values. */
typedef struct PrincipleTerm
{
	const PrincipleKind *kind;
	double		strength;		/* as declared */
	double		detail;			/* c of recursive, the distance of t */
} PrincipleTerm;

typedef struct Principle
{
	uint64		k;
	uint32		l;				/* different values; it asks for nothing if it is 1 */
	bool		joint;
	int			nterms;			/* other conditions on values */
	PrincipleTerm term[NPRINCIPLES];
	bool		several_rows;	/* may people have several? */
	struct Judging *judging;	/* values as they are judged, or NULL if it is enough to count them */
} Principle;

/* k-anonymity and distinct l-diversity together. */
extern Principle principle_k_l(uint64 k, uint32 l);

/* k and l, and the other conditions that were declared: [NPRINCIPLE_PARAMS]. */
extern Principle principle_declared(uint64 k, uint32 l, const int64 *params);

/* A sentence on parameters that contradict each other, or NULL. */
extern const char *principle_contradiction(const int64 *params);

/*
 * The principle that allows all that either of two allows: what both promise.  If both are bound to
 * the same values, so is it.
 */
extern Principle principle_weaker(const Principle *a, const Principle *b);

/* Asks the first for all that the second asks for?  Then it allows no set that the second refuses. */
extern bool principle_implies(const Principle *a, const Principle *b);

/*
 * A principle is bound to the values of a frame, or of a log, before it is asked.  What it needs for
 * that is made in the current context.
 */
extern Principle principle_bound(const Principle *principle, Code nvalues, const Aspects *aspects);

/* Is more of values judged than how many there are?  Aspects: several columns, or bands. */
static inline bool
principle_judges_shares(const Principle *principle, bool has_aspects)
{
	return principle->nterms > 0 || (principle->l > 1 && has_aspects);
}

/* Is a superset of an allowed set allowed? */
static inline bool
principle_is_monotonous(const Principle *principle)
{
	return principle->nterms == 0 && !principle->joint && !principle->several_rows;
}

/* The different values that any allowed set has. */
extern uint32 principle_least_values(const Principle *principle);

/* Are sets compared with a distribution? */
extern bool principle_compares(const Principle *principle);

/* Are sets refused that show a value without a share in it? */
extern bool principle_needs_shares(const Principle *principle);

extern bool values_are_allowed(const Principle *principle, const Tally *set);

static inline bool
principle_allows(const Principle *principle, const Tally *set)
{
	return set->rows >= principle->k &&
		(principle->l <= 1 || set->values >= principle->l) &&
		(principle->judging == NULL || values_are_allowed(principle, set));
}

/* A set's values alone, without k. */
static inline bool
principle_allows_values(const Principle *principle, const Tally *set)
{
	return (principle->l <= 1 || set->values >= principle->l) &&
		(principle->judging == NULL || values_are_allowed(principle, set));
}

/*
 * Is every set of so many of these rows allowed, whichever they are?  May say no where it is not sure: of joint aspects,
 * and of distances.
 */
extern bool principle_allows_every_part(const Principle *principle, const Tally *set, uint64 size);

/*
 * How far the values of a set are from being allowed: about so many rows with other values would
 * have to come, or rows with its commonest to go; 0 if they are allowed.
 */
extern double principle_lack(const Principle *principle, const Tally *set);

/*
 * The strongest value of a term's parameter that the set would satisfy, in the worst of its aspects
 * (*aspect, or -1 for a joint one); NULL for term: of l.
 */
extern double principle_measure(const Principle *principle, const PrincipleTerm *term, const Tally *set, int *aspect);

/* Is a measure enough for a term; and which of two is the worse? */
extern bool term_allows(const PrincipleTerm *term, double measure);
extern bool term_is_worse(const PrincipleTerm *term, double measure, double than);

/* How many times a measure is what a term asks for, or so; less than 1 is not enough. */
extern double term_margin(const PrincipleTerm *term, double measure);

/* The promise of a term, a piece of a sentence: "no value has more than 1/3 of the rows". */
extern char *term_promise(const PrincipleTerm *term);

/* The name of a term's parameter, and of the one that is measured. */
extern const char *term_name(const PrincipleTerm *term);
extern const char *term_measure_name(const PrincipleTerm *term);

/* Would one row more with this value make the set's values more even?  Cheap, and only a rule of thumb. */
extern bool value_is_welcome(const Principle *principle, const Tally *set, Code value);

/* The names of distances, in the order of the type. */
extern const char *const principle_distances[];

#define PRINCIPLE_PARAM(name, kind, type, least, most, strength) {#name, type, PARAM_NULLABLE, least, most, NULL, NULL, strength},
#define PRINCIPLE_PARAMS \
	PRINCIPLES(PRINCIPLE_PARAM) \
	{"c", PARAM_DECIMAL, PARAM_NULLABLE, 0, 1000000, NULL, NULL, STRENGTH_LESS}, \
	{"distance", PARAM_CHOICE, PARAM_NULLABLE, 0, 0, principle_distances, NULL, STRENGTH_KEPT}, \
	{"joint", PARAM_BOOLEAN, PARAM_NULLABLE, 0, 0, NULL, NULL, STRENGTH_MORE}

/*
 * The table of a public distribution to compare with, which methods declare beside them.  A change of it is judged when
 * its rows are copied.
 */
#define DISTRIBUTION_NAME "distribution"
#define DISTRIBUTION_PARAM {DISTRIBUTION_NAME, PARAM_TABLE, PARAM_OPTIONAL, 0, 0, NULL, NULL, STRENGTH_NONE}

/* A sentence on such a table that nothing compares with, or NULL. */
extern const char *distribution_contradiction(int64 distribution, const int64 *params);

#endif							/* PPREPUB_PARTITION_PRINCIPLE_H */
