/*
 * cor_split.c
 *		The method of Riboni and Bettini: the same candidates for ever, also for
 *		observers who know some people's values, and see who was with whom in
 *		earlier classes.
 *
 * NOTES
 *		Two classes with most of their people in common correlate the few who are
 *		not.  A class of size s is hc-safe with degree n if each earlier class has all of
 *		its people in common with it, or s - n at most (paper 004, Figure 6).  Counterfeits are
 *		in no earlier class.  This asks for no less than Definition 7, which looks only at
 *		classes that show the same values.
 *
 *		Figure 5 of the paper makes one class after the other from lists, discards
 *		tuples for a while where a class is unsafe, merges with classes that were
 *		made before, and then puts counterfeits in the place of true rows, which
 *		leaves the sets uneven.  Here, too, a row that makes a set unsafe is
 *		discarded, but at once for a row of the same value of a set beside it: the
 *		sets stay even, and nothing is left over.  What stays unsafe is merged
 *		with the nearest class of its signature; a class of twice the size may have that many more
 *		people in common with an earlier one.  Where the signature has no other class,
 *		whole sets of counterfeits make it large enough, and as many always do.
 *
 *		People who were in one class last time stay together if all of them are
 *		here again: nothing new is told of them, and it costs nothing to see that.
 *		This holds for classes of one set: larger ones are parted again if they
 *		can be.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "method/candidates/candidates.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

#define REACH 64				/* sets on either side that may exchange rows with an unsafe one */
#define FAMILY 6				/* sets that newcomers form at once, so that they can be in other company each time */
#define NO_SET PG_UINT64_MAX

/* The parameters, in the order of the table. */
enum
{
	COR_M,
	COR_N,
	COR_P,
	COR_LIFESPAN,
	COR_THRESHOLD,
	COR_ACCEPT_INSENSITIVE
};

static const ParamSpec cor_params[] = {
	[COR_M] = {"m", PARAM_INTEGER, PARAM_REQUIRED, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[COR_N] = {"n", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_MORE},
	[COR_P] = {"p", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1, NULL, NULL, STRENGTH_MORE},
	[COR_LIFESPAN] = {"lifespan", PARAM_INTEGER, PARAM_OPTIONAL, 1, 1000000, NULL, NULL, STRENGTH_KEPT},
	[COR_THRESHOLD] = {"threshold", PARAM_DECIMAL, PARAM_OPTIONAL, 0, 1, NULL, NULL, STRENGTH_KEPT},
	[COR_ACCEPT_INSENSITIVE] = {"accept_insensitive", PARAM_BOOLEAN, PARAM_OPTIONAL, 0, 0, NULL, "false", STRENGTH_NONE},
	NOISE_PARAM,
	{.name = NULL}
};

/* ----------------------------------------------------------------
 * How large correlated sets must be
 * ----------------------------------------------------------------
 */

double
breach_estimate(double p, uint32 m, uint32 n, int64 lifespan)
{
	double		by_knowledge = 1 - pow(1 - p, lifespan);
	double		by_correlation = 1 - pow(1 - pow(p - p / m, n), (double) lifespan * (m / n));
	double		kept = (1 - by_knowledge) * (1 - by_correlation);

	return pow(1 - kept, m - 1);
}

/*
 * The estimate falls, or stays, as n rises: more people correlate less likely, and fewer
 * sets of them fit into a class.  So the least there is, is that of n = m, and
 * the smallest n that will do is found by halving.
 */
uint32
n_choose(double p, int64 lifespan, uint32 m, double threshold)
{
	uint32		too_small = 0;
	uint32		enough = m;

	if (breach_estimate(p, m, m, lifespan) >= threshold)
		return 0;
	while (enough - too_small > 1)
	{
		uint32		n = too_small + (enough - too_small) / 2;

		if (breach_estimate(p, m, n, lifespan) < threshold)
			enough = n;
		else
			too_small = n;
	}
	return enough;
}

static inline double
fraction(int64 millionths)
{
	return (double) millionths / PARAM_SCALE;
}

uint32
cor_degree(const int64 *params)
{
	if (params[COR_N] != PARAM_ABSENT)
		return params[COR_N];
	return n_choose(fraction(params[COR_P]), params[COR_LIFESPAN], params[COR_M], fraction(params[COR_THRESHOLD]));
}

/* Says why parameters contradict each other, or NULL. */
static const char *
cor_contradiction(const int64 *params)
{
	int			chosen_by = (params[COR_P] != PARAM_ABSENT) + (params[COR_LIFESPAN] != PARAM_ABSENT) +
		(params[COR_THRESHOLD] != PARAM_ABSENT);

	if (params[COR_N] != PARAM_ABSENT ? chosen_by > 0 : chosen_by < 3)
		return "Either n is given, or all of p, lifespan and threshold, by which n is chosen.";
	if (params[COR_N] != PARAM_ABSENT)
		return params[COR_N] > params[COR_M] ? "n cannot be greater than m." : NULL;
	if (cor_degree(params) == 0)
		return psprintf("With this p, lifespan and m no n keeps the probability of a breach below the threshold: the least there is, is %.6f.",
						breach_estimate(fraction(params[COR_P]), params[COR_M], params[COR_M], params[COR_LIFESPAN]));
	return NULL;
}

static SourceNeeds
cor_needs(const int64 *params)
{
	return (SourceNeeds) {.values = params[COR_M], .for_fewer_values = "a smaller \"m\""};
}

/* ----------------------------------------------------------------
 * Counting, for the people of a class, who of them were where together
 * ----------------------------------------------------------------
 */

typedef struct Common
{
	uint64		excess;			/* people beyond those allowed, in all earlier classes */
	uint64		most;			/* people of one that has not all of them */
} Common;

/* Looks at each earlier class once, and leaves no count behind. */
static Common
common_with(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint64 allowed, uint32 *count)
{
	Common		common = {0};

	for (uint64 i = 0; i < nrows; i++)
		for (uint64 at = companies->first[rows[i]]; at < companies->first[rows[i] + 1]; at++)
			count[companies->company[at]]++;
	for (uint64 i = 0; i < nrows; i++)
		for (uint64 at = companies->first[rows[i]]; at < companies->first[rows[i] + 1]; at++)
		{
			uint32		n = count[companies->company[at]];

			count[companies->company[at]] = 0;
			if (n >= size)
				continue;
			common.most = Max(common.most, n);
			if (n > allowed)
				common.excess += n - allowed;
		}
	return common;
}

uint64
hc_excess(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint32 n, uint32 *count)
{
	uint64		allowed = size > n ? size - n : 0;

	return n <= 1 || nrows <= allowed ? 0 : common_with(companies, rows, nrows, size, allowed, count).excess;
}

/* ----------------------------------------------------------------
 * Sets of a signature
 * ----------------------------------------------------------------
 */

/* A class of a signature: one set of a row of each value, or several. */
typedef struct HcClass
{
	uint64		first;			/* a set; the others follow by next[] */
	uint64		sets;			/* 0: it was merged into another */
	uint64		counterfeit_sets;	/* more, without a true row */
} HcClass;

/* The sets of a signature, which become classes that are hc-safe. */
typedef struct CorPartition
{
	const Past *past;
	uint32		n;				/* the degree */
	uint32		nvalues;		/* of the signature */
	uint64		sets;
	RowId	   *cell;			/* [sets * nvalues] rows, or NO_ROW for counterfeits */
	uint64	   *next;			/* [sets] the next set of a class, or NO_SET */
	uint64	   *class_of;		/* [sets] */
	HcClass    *classes;		/* [sets] */

	/* Scratch */
	RowId	   *rows;			/* of a class */
	uint64		rows_allocated;
	uint32	   *count;			/* [companies] zeros between two questions */
} CorPartition;

/* Lists the true rows of a set, which may lack some of its values; returns their number. */
static uint64
true_rows(const CorPartition *partition, uint64 set, RowId *rows)
{
	const RowId *cell = partition->cell + set * partition->nvalues;
	uint64		n = 0;

	for (uint32 i = 0; i < partition->nvalues; i++)
		if (cell[i] != NO_ROW)
			rows[n++] = cell[i];
	return n;
}

static uint64
excess_of_set(CorPartition *partition, uint64 set)
{
	uint64		n = true_rows(partition, set, partition->rows);

	return hc_excess(partition->past->companies, partition->rows, n, partition->nvalues, partition->n, partition->count);
}

/* Exchanges the rows that two sets have for one value. */
static void
exchange(CorPartition *partition, uint64 a, uint64 b, uint32 i)
{
	RowId	   *x = &partition->cell[a * partition->nvalues + i];
	RowId	   *y = &partition->cell[b * partition->nvalues + i];
	RowId		swap = *x;

	*x = *y;
	*y = swap;
}

/* Exchanges a row of an unsafe set with another set, if that makes the two safer. */
static bool
exchange_with(CorPartition *partition, uint64 *excess, uint64 set, uint64 other)
{
	uint64		before = excess[set] + excess[other];

	for (uint32 i = 0; i < partition->nvalues; i++)
	{
		uint64		mine;
		uint64		its;

		exchange(partition, set, other, i);
		mine = excess_of_set(partition, set);
		its = mine >= before ? 0 : excess_of_set(partition, other);
		if (mine + its < before)
		{
			excess[set] = mine;
			excess[other] = its;
			return true;
		}
		exchange(partition, set, other, i);
	}
	return false;
}

/* With the nearest sets first; false when no exchange within reach helps. */
static bool
exchange_once(CorPartition *partition, uint64 *excess, uint64 set)
{
	for (uint64 d = 1; d <= REACH && d < partition->sets; d++)
	{
		if (set >= d && exchange_with(partition, excess, set, set - d))
			return true;
		if (set + d < partition->sets && exchange_with(partition, excess, set, set + d))
			return true;
	}
	return false;
}

/* ----------------------------------------------------------------
 * Classes of several sets
 * ----------------------------------------------------------------
 */

/* Lists the true rows of all sets of a class in partition->rows; returns their number. */
static uint64
rows_of_class(CorPartition *partition, const HcClass *class)
{
	uint64		n = 0;

	array_reserve(partition->rows, partition->rows_allocated, (class->sets + 1) * partition->nvalues);
	for (uint64 set = class->first; set != NO_SET; set = partition->next[set])
		n += true_rows(partition, set, partition->rows + n);
	return n;
}

static bool
is_safe(CorPartition *partition, const HcClass *class)
{
	uint64		n = rows_of_class(partition, class);
	uint64		size = (class->sets + class->counterfeit_sets) * partition->nvalues;

	return hc_excess(partition->past->companies, partition->rows, n, size, partition->n, partition->count) == 0;
}

/* Moves all sets of one class to another. */
static void
merge(CorPartition *partition, HcClass *class, HcClass *other)
{
	uint64		last = other->first;

	for (uint64 set = other->first; set != NO_SET; set = partition->next[set])
	{
		partition->class_of[set] = class - partition->classes;
		last = set;
	}
	partition->next[last] = class->first;
	class->first = other->first;
	class->sets += other->sets;
	class->counterfeit_sets += other->counterfeit_sets;
	other->sets = 0;
}

/* With the classes of the nearest sets, until it is safe. */
static bool
merge_nearest(CorPartition *partition, uint64 set)
{
	HcClass    *class = &partition->classes[partition->class_of[set]];

	for (uint64 d = 1; d < partition->sets && d <= REACH; d++)
		for (int side = 0; side < 2; side++)
		{
			uint64		other = side == 0 ? set - d : set + d;

			if ((side == 0 && set < d) || other >= partition->sets ||
				partition->class_of[other] == partition->class_of[set])
				continue;
			merge(partition, class, &partition->classes[partition->class_of[other]]);
			if (is_safe(partition, class))
				return true;
		}
	return false;
}

/* Adds sets of counterfeits until a class has n more rows than it has in common with any earlier class. */
static void
add_counterfeits(CorPartition *partition, HcClass *class)
{
	uint64		n = rows_of_class(partition, class);
	uint64		size = class->sets * partition->nvalues;
	Common		common = common_with(partition->past->companies, partition->rows, n, size + 1, size + 1, partition->count);

	while (size + class->counterfeit_sets * partition->nvalues < Max(common.most, 1) + partition->n)
		class->counterfeit_sets++;
	Assert(is_safe(partition, class));
}

/* Exchanges people between sets, then merges classes or adds counterfeits, until all classes of a signature are safe. */
static void
make_safe(CorPartition *partition)
{
	uint64	   *excess = new_array(uint64, partition->sets);

	for (uint64 set = 0; set < partition->sets; set++)
	{
		partition->next[set] = NO_SET;
		partition->class_of[set] = set;
		partition->classes[set] = (HcClass) {.first = set, .sets = 1};
		excess[set] = excess_of_set(partition, set);
	}
	for (uint64 set = 0; set < partition->sets; set++)
	{
		CHECK_FOR_INTERRUPTS();
		while (excess[set] > 0 && exchange_once(partition, excess, set))
			;
	}
	for (uint64 set = 0; set < partition->sets; set++)
	{
		HcClass    *class = &partition->classes[partition->class_of[set]];

		CHECK_FOR_INTERRUPTS();
		if (excess[set] > 0 && !is_safe(partition, class) && !merge_nearest(partition, set))
			add_counterfeits(partition, &partition->classes[partition->class_of[set]]);
	}
	pfree(excess);
}

/* ----------------------------------------------------------------
 * The draft
 * ----------------------------------------------------------------
 */

/* Refuses rows that were published as often as may be. */
static bool
is_past_lifespan(const Frame *frame, const Companies *companies, int64 lifespan, Refusal *refusal)
{
	uint64		rows = 0;

	for (uint64 row = 0; row < frame->nrows && lifespan != PARAM_ABSENT; row++)
		rows += companies->releases[row] >= lifespan;
	if (rows > 0)
		*refusal = (Refusal) {.kind = REFUSED_LIFESPAN, .rows = rows, .limit = lifespan};
	return rows > 0;
}

/* Makes classes of the sets of each signature, in memory that is given back signature by signature. */
static void
draft_signatures(Drafting *drafting, const Past *past, SignatureSets *signatures, uint32 n)
{
	uint32	   *count = new_zeros(uint32, past->companies->n);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "signature", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);

	progress_phase("make classes safe", signatures->n);
	for (uint32 b = 0; b < signatures->n; b++)
	{
		uint32		nvalues = signature_values(signatures, b);
		uint64		sets = signatures->nsets[b];
		CorPartition partition = {
			.past = past, .n = n, .nvalues = nvalues, .sets = sets,
			.cell = signatures->cell + signatures->first_cell[b],
			.next = new_array(uint64, sets),
			.class_of = new_array(uint64, sets),
			.classes = new_array(HcClass, sets),
			.rows = new_array(RowId, nvalues), .rows_allocated = nvalues,
			.count = count,
		};

		CHECK_FOR_INTERRUPTS();
		make_safe(&partition);
		for (uint64 c = 0; c < sets; c++)
		{
			const HcClass *class = &partition.classes[c];
			const Code *values = signatures->value + signatures->first_value[b];

			if (class->sets == 0)
				continue;
			for (uint64 set = class->first; set != NO_SET; set = partition.next[set])
				add_set(drafting, partition.cell + set * nvalues, values, nvalues);
			for (uint64 i = 0; i < class->counterfeit_sets; i++)
				memcpy(drafting_invent(drafting, nvalues), values, sizeof(Code) * nvalues);
			(void) drafting_end_class(drafting, NULL);
		}
		MemoryContextReset(work);
		progress_done(b + 1);
	}
	MemoryContextSwitchTo(old);
}

/* Drafts classes of sets, or notes a refusal in the draft. */
static Draft *
cor_draft(const Frame *frame, const Past *past, const int64 *params, uint64 seed)
{
	Drafting   *drafting = drafting_create(frame, params[COR_M]);
	Refusal    *refusal = &drafting->draft->refusal;
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "Cor-Split", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	SignatureSets *signatures = NULL;

	if (!is_past_lifespan(frame, past->companies, params[COR_LIFESPAN], refusal))
		signatures = make_signature_sets(frame, past->paths, params[COR_M], FAMILY, seed, refusal);
	if (signatures != NULL)
		draft_signatures(drafting, past, signatures, cor_degree(params));
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return drafting->draft;
}

const Method cor_split_method = {
	.declaration = {
		.name = "cor-split",
		.params = cor_params,
		.classes = true,
		.counterfeits = true,
		.own_only = true,
		.invents_known = true,
		.past = PAST_LAST | PAST_COMPANIES,
		.degree = cor_degree,
		.contradiction = cor_contradiction,
		.needs = cor_needs,
	},
	.draft = cor_draft,
};
