/*
 * metrics.c
 *		How much a release lost, and how much it still says.
 *
 * NOTES
 *		Members of a class share its region, so a figure is a sum over classes, and a class costs the same whatever its
 *		cells hold: entropies of cells come from running sums over the domain.  Only precision looks at single rows,
 *		and only in trees, whose leaves may stand at different depths.
 *
 *		Columns are measured one after the other, VEM too, which is additive (paper 003, theorem 3); so the running
 *		sums of one column only are held at a time, which matters where a column has as many values as rows.
 *
 *		Volumes are kept as logarithms: the product of a few widths overflows.  The paper prints one minus too many in
 *		FEM(R,T) and VEM(R,T) (notes.md); here a class informs by log T - log E, which is 0 and never -0 for a class
 *		that holds everything.
 */
#include "postgres.h"

#include <math.h>

#include "audit/metrics.h"
#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Rows or codes that are looked at between two looks at the interrupts. */
#define STEPS_PER_INTERRUPT	65536

/* The share of one quasi-identifier, summed over true rows. */
typedef struct ColumnSums
{
	double		loss;
	double		entropy;
	double		kept;			/* share of the steps that were not taken */
	double		volume;			/* log2 V(T) - log2 V(E) */
} ColumnSums;

Entropies
entropies_create(const Domain *domain)
{
	Size		n = (Size) domain->size + 1;
	Entropies	sums;

	sums.rows = new_array(uint64, n);
	sums.bits = new_array(double, n);
	sums.rows[0] = 0;
	sums.bits[0] = 0;
	for (Code i = 0; i < domain->size; i++)
	{
		uint64		f = domain->frequency[i];

		if (i % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		sums.rows[i + 1] = sums.rows[i] + f;
		sums.bits[i + 1] = sums.bits[i] + (f > 1 ? f * log2((double) f) : 0);
	}
	return sums;
}

void
entropies_free(Entropies *sums)
{
	pfree(sums->rows);
	pfree(sums->bits);
}

/*
 * The conditional entropy of a cell, paper 000, section 5.2.  With F the sum of the frequencies f in the cell, and q =
 * f / F, -sum q log2 q = log2 F - (sum f log2 f) / F.
 *
 * Of the sums' rounding, only what came in between the cell's ends is left in their difference, so narrow cells at the
 * far end of a large domain do well.
 */
double
cell_entropy(const Entropies *sums, Span cell)
{
	uint64		rows = sums->rows[(Size) cell.hi + 1] - sums->rows[cell.lo];
	double		bits = sums->bits[(Size) cell.hi + 1] - sums->bits[cell.lo];

	if (cell.lo == cell.hi || rows == 0)
		return 0;
	return Max(0.0, log2((double) rows) - bits / rows); /* rounding */
}

/*
 * Of the steps from the root to each member's own leaf, the share that its cell still shows, summed over the members
 * of a class.
 */
static double
steps_kept(const Frame *frame, const Classes *classes, uint32 c, int q, Span cell)
{
	const Tree *tree = frame->domain[q].tree;
	const Code *code = frame->code[q];

	/* How far below the root it is; withheld is the root, be it with an only child whose leaves are the same */
	double		level = span_equal(cell, domain_whole(&frame->domain[q])) ? 0 : tree->nodes[tree_node(tree, cell)].level;
	double		kept = 0;

	for (uint64 i = classes->first[c]; i < classes->first[c + 1]; i++)
	{
		uint32		steps = tree->nodes[tree->leaf[code[classes->rows[i]]]].level;

		if (i % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();

		/* Where no step is possible none was taken. */
		kept += steps > 0 ? level / steps : 1;
	}
	return kept;
}

/* Sums up the measures of one quasi-identifier over all classes. */
static ColumnSums
measure_column(const Frame *frame, const Classes *classes, int q)
{
	const Domain *domain = &frame->domain[q];
	Entropies	entropies = entropies_create(domain);
	ColumnSums	sums = {0};

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		Span		cell = class_region(classes, c)[q];
		uint64		size = class_size(classes, c);

		CHECK_FOR_INTERRUPTS();
		sums.loss += size * domain_printed_loss(domain, cell);
		sums.entropy += size * cell_entropy(&entropies, cell);
		if (domain->tree == NULL)
			sums.kept += size * (1 - domain_printed_loss(domain, cell));
		else
			sums.kept += cell.lo == cell.hi ? size : steps_kept(frame, classes, c, q, cell);
		sums.volume += size * (log2((double) domain->size) - log2((double) span_width(cell)));
	}
	entropies_free(&entropies);
	return sums;
}

/*
 * The figures that only depend on the sizes of classes.  A class without a true row, be it all counterfeits, holds no
 * information.
 */
static void
measure_sizes(Metrics *metrics, const Classes *classes, const ReleaseCounts *counts, double k)
{
	double		asked = (double) metrics->rows + metrics->suppressed;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		double		true_rows = class_size(classes, c);
		double		all_rows = true_rows + (counts->counterfeits ? counts->counterfeits[c] : 0);

		CHECK_FOR_INTERRUPTS();
		metrics->smallest = c == 0 ? all_rows : Min(metrics->smallest, all_rows);
		metrics->largest = Max(metrics->largest, all_rows);
		metrics->dm += all_rows * all_rows;
		if (true_rows == 0)
			continue;
		metrics->fem += true_rows / asked * (log2(asked) - log2(true_rows));
		metrics->fem_counterfeit += true_rows / (asked + metrics->counterfeits) *
			(log2(asked) - log2(all_rows));
	}
	if (classes->nclasses > 0)
		metrics->avg = ((double) metrics->rows + metrics->counterfeits) / k / classes->nclasses;
}

/* Sums up and averages the measures over the quasi-identifiers that are shown. */
static void
measure_columns(Metrics *metrics, const Frame *frame, const Classes *classes, const bool *shown)
{
	double		rows = metrics->rows;
	double		asked = rows + metrics->suppressed;
	double		kept = 0;
	double		volume = 0;

	metrics->lm_by_qi = palloc0(sizeof(double) * Max(frame->nqis, 1));
	for (int q = 0; q < frame->nqis; q++)
	{
		ColumnSums	sums;

		if (shown != NULL && !shown[q])
			continue;
		metrics->columns++;
		if (metrics->rows == 0)
			continue;
		sums = measure_column(frame, classes, q);
		metrics->lm_by_qi[q] = sums.loss;
		metrics->lm += sums.loss;
		metrics->em += sums.entropy;
		kept += sums.kept;
		volume += sums.volume;
	}
	if (metrics->rows == 0 || metrics->columns == 0)
		return;
	metrics->ail = metrics->lm / rows;
	metrics->precision = kept / (rows * metrics->columns);
	metrics->vem = volume / asked;
	metrics->vem_counterfeit = volume / (asked + metrics->counterfeits);
}

/* Rows that leave: more than people and invented ones where each has several. */
static uint64
count_leaving(const Metrics *metrics, const Frame *frame, const Classes *classes)
{
	const uint64 *first = frame->aspects == NULL ? NULL : frame->aspects->first;
	uint64		n = 0;

	if (first == NULL)
		return metrics->rows + metrics->counterfeits;
	for (uint64 i = 0; i < metrics->rows; i++)
		n += rows_end(first, frame->sensitive[classes->rows[i]]) - rows_begin(first, frame->sensitive[classes->rows[i]]);
	for (uint64 i = 0; i < metrics->counterfeits; i++)
		n += rows_end(first, classes->counterfeit[i]) - rows_begin(first, classes->counterfeit[i]);
	return n;
}

Metrics
measure_release(const Frame *frame, const Classes *classes, const ReleaseCounts *counts, double k)
{
	Metrics		metrics = {0};

	Assert(k > 0);
	for (int s = 0; s < NSIZES; s++)
		metrics.count_error[s] = NAN;
	metrics.classes = classes->nclasses;
	metrics.rows = classes->nclasses > 0 ? classes->first[classes->nclasses] : 0;
	metrics.suppressed = counts->suppressed;
	metrics.waiting = counts->waiting;
	metrics.retired = counts->retired;
	metrics.hidden = counts->hidden;
	metrics.dirty = counts->dirty;
	metrics.stale = counts->stale;
	metrics.unrefreshed = counts->unrefreshed;
	metrics.kept_back = counts->kept_back;
	metrics.stale_rows = counts->stale_rows;
	if (counts->counterfeits != NULL)
		for (uint32 c = 0; c < classes->nclasses; c++)
			metrics.counterfeits += counts->counterfeits[c];
	metrics.leaving = count_leaving(&metrics, frame, classes);
	measure_sizes(&metrics, classes, counts, k);
	measure_columns(&metrics, frame, classes, counts->shown);
	return metrics;
}

void
list_metrics(const Metrics *metrics, NamedMetric list[NMETRICS])
{
	const NamedMetric all[] = {
		{"lm", metrics->lm},
		{"em", metrics->em},
		{"dm", metrics->dm},
		{"avg", metrics->avg},
		{"ail", metrics->ail},
		{"precision", metrics->precision},
		{"fem", metrics->fem},
		{"vem", metrics->vem},
		{"fem_counterfeit", metrics->fem_counterfeit},
		{"vem_counterfeit", metrics->vem_counterfeit},
		{"suppressed", metrics->suppressed},
		{"dirty", metrics->dirty},
		{"counterfeits", metrics->counterfeits},
		{"stale", metrics->stale},
		{"unrefreshed", metrics->unrefreshed},
		{"waiting", metrics->waiting},
		{"retired", metrics->retired},
		{"hidden", metrics->hidden},
	};

	StaticAssertStmt(lengthof(all) == NMETRICS, "metrics missing from the list");
	memcpy(list, all, sizeof(all));
}

void
list_row_figures(const Metrics *metrics, NamedMetric list[NROWFIGURES])
{
	list[0] = (NamedMetric) {"kept_back", metrics->kept_back};
	list[1] = (NamedMetric) {"stale_rows", metrics->stale_rows};
}

/* The rows asked for, shown or not. */
static double
rows_asked_for(const Metrics *metrics)
{
	return (double) metrics->rows - metrics->dirty + metrics->suppressed;
}

static double
percent(double part, double whole)
{
	return whole == 0 ? 0 : 100 * part / whole;
}

void
list_summary(const Metrics *metrics, NamedMetric list[NSUMMARY])
{
	double		cells = (double) metrics->rows * metrics->columns;
	double		released = (double) metrics->rows + metrics->counterfeits;
	const NamedMetric all[] = {
		{"loss_percent", percent(metrics->lm, cells)},
		{"withheld_percent", percent(metrics->suppressed, rows_asked_for(metrics))},
		{"invented_percent", percent(metrics->counterfeits, released)},
		{"stale_percent", percent(metrics->stale, metrics->rows)},
		{"average_class", metrics->classes == 0 ? 0 : released / metrics->classes},
	};

	StaticAssertStmt(lengthof(all) == NSUMMARY, "figures missing from the summary");
	memcpy(list, all, sizeof(all));
}

double
suppressed_share(const Metrics *metrics)
{
	double		asked = rows_asked_for(metrics);

	return asked == 0 ? 0 : metrics->suppressed / asked;
}

int
costliest_qis(const Metrics *metrics, int nqis, int *costliest, int most)
{
	int			n = 0;

	for (int q = 0; q < nqis; q++)
	{
		int			place = Min(n, most);

		while (place > 0 && metrics->lm_by_qi[q] > metrics->lm_by_qi[costliest[place - 1]])
			place--;
		if (place == most)
			continue;
		n = Min(n + 1, most);
		memmove(costliest + place + 1, costliest + place, sizeof(int) * (n - 1 - place));
		costliest[place] = q;
	}
	return n;
}

/* ----------------------------------------------------------------
 * Errors of counts
 *
 * As TARGET.NAME_counts() estimates: columns are independent within a class, and a cell is spread over its values, of a
 * line evenly, of a tree by the cube root of the rows that show just the value, and of as many more as there are values.
 * A condition is a run of codes of two or three columns, drawn by a generator that always begins alike: so two drafts
 * are compared by much the same conditions, and the figure says nothing by chance.
 * ----------------------------------------------------------------
 */

#define MOST_COLUMNS		3
#define CONDITIONS			15	/* of a size, of so many tries at most; fewer than the fewest tell nothing */
#define TRIES				45
#define FEWEST_CONDITIONS	5

typedef struct CountCondition
{
	int			n;
	int			qi[MOST_COLUMNS];
	Span		bin[MOST_COLUMNS];
} CountCondition;

typedef struct CountWeights
{
	double	   *upto;			/* [values + 1] sums of what values weigh; of a line, their places */
	double		unit;			/* of a line, how wide the last value of a cell is, or -1 of a tree */
	Code		n;				/* values; NULL weighs nothing */
} CountWeights;

/* Line up what a share is a difference of. */
static CountWeights
weigh_values(const Frame *frame, const Classes *classes, int q)
{
	const Domain *domain = &frame->domain[q];
	Code		n = domain_values(domain);
	CountWeights weights = {.upto = new_array(double, (Size) domain->size + 1), .unit = -1, .n = n};
	double	   *upto = weights.upto;

	upto[0] = 0;
	if (domain->tree == NULL)
	{
		for (Code i = 0; i < n; i++)
			upto[i] = domain->position[i];
		weights.unit = domain->end != NULL && n > 0 ? domain->end[0] - upto[0] : n > 1 ? upto[1] - upto[0] : 1;
		for (Code i = 1; i < n && domain->end == NULL; i++)
			weights.unit = Min(weights.unit, upto[i] - upto[i - 1]);
		return weights;
	}
	for (Code i = 0; i < n; i++)
		upto[i + 1] = n;
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		Span		cell = class_region(classes, c)[q];

		if (cell.lo == cell.hi && cell.lo < n)
			upto[cell.lo + 1] += class_size(classes, c) + class_counterfeits(classes, c);
	}
	for (Code i = 0; i < n; i++)
		upto[i + 1] = upto[i] + cbrt(upto[i + 1]);
	return weights;
}

/* How much of a cell lies in the bin. */
static double
share_in_bin(const CountWeights *weights, Span cell, Span bin)
{
	Span		values = {cell.lo, Min(cell.hi, weights->n - 1)};
	Span		both = {Max(values.lo, bin.lo), Min(values.hi, bin.hi)};
	double		from = weights->upto[values.lo];
	double		end;

	if (cell.lo >= weights->n || !span_overlaps(values, bin))
		return 0;
	if (span_contains(bin, values))
		return 1;
	end = weights->unit < 0 ? weights->upto[(Size) values.hi + 1] : weights->upto[values.hi] + weights->unit;
	return ((both.hi == values.hi ? end : weights->upto[(Size) both.hi + 1]) - weights->upto[both.lo]) / (end - from);
}

/* A run of codes that about this share of all people have; its share is told. */
static Span
draw_bin(const Domain *domain, pg_prng_state *random, double *share)
{
	Code		n = domain_values(domain);
	double		all = 0;
	double		before;
	double		within;
	Span		bin = {0, 0};

	for (Code i = 0; i < domain->size; i++)
		all += domain->frequency[i];
	before = pg_prng_double(random) * (1 - *share) * all;
	while (bin.lo + 1 < n && before >= domain->frequency[bin.lo])
		before -= domain->frequency[bin.lo++];
	bin.hi = bin.lo;
	within = domain->frequency[bin.lo];
	while (bin.hi + 1 < n && within + domain->frequency[bin.hi + 1] / 2.0 <= *share * all)
		within += domain->frequency[++bin.hi];
	*share = within / all;
	return bin;
}

/* Two or three columns, if there are as many, that would have about this share of the people if they were independent. */
static CountCondition
draw_condition(const Frame *frame, pg_prng_state *random, int most, double share)
{
	CountCondition condition = {.n = Min(frame->nqis, most)};

	for (int i = 0; i < condition.n; i++)
	{
		double		part = pow(Min(share, 1), 1.0 / (condition.n - i));
		bool		is_taken;

		do
		{
			is_taken = false;
			condition.qi[i] = pg_prng_uint64_range(random, 0, frame->nqis - 1);
			for (int j = 0; j < i; j++)
				is_taken |= condition.qi[j] == condition.qi[i];
		} while (is_taken);
		condition.bin[i] = draw_bin(&frame->domain[condition.qi[i]], random, &part);
		share /= Max(part, share);
	}
	return condition;
}

/* A row costs three comparisons, whatever it is: most of the time goes here. */
static double
count_people(const Frame *frame, const CountCondition *condition)
{
	const Code *code[MOST_COLUMNS];
	Code		lo[MOST_COLUMNS];
	Code		wide[MOST_COLUMNS];
	uint64		n = 0;

	for (int i = 0; i < MOST_COLUMNS; i++)
	{
		int			at = i < condition->n ? i : 0;

		code[i] = frame->code[condition->qi[at]];
		lo[i] = condition->bin[at].lo;
		wide[i] = condition->bin[at].hi - lo[i];
	}
	for (uint64 row = 0; row < frame->nrows;)
	{
		uint64		end = Min(row + STEPS_PER_INTERRUPT, frame->nrows);

		CHECK_FOR_INTERRUPTS();
		for (; row < end; row++)
			if (frame->asked == NULL || frame->asked[row])
				n += (code[0][row] - lo[0] <= wide[0]) & (code[1][row] - lo[1] <= wide[1]) & (code[2][row] - lo[2] <= wide[2]);
	}
	return n;
}

/* Rows of the release, invented ones too, that the condition is estimated to have. */
static double
estimate_rows(const Classes *classes, const CountWeights *weights, const CountCondition *condition)
{
	double		n = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		double		rows = class_size(classes, c) + class_counterfeits(classes, c);

		if (c % STEPS_PER_INTERRUPT == 0)
			CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < condition->n && rows > 0; i++)
			rows *= share_in_bin(&weights[condition->qi[i]], class_region(classes, c)[condition->qi[i]], condition->bin[i]);
		n += rows;
	}
	return n;
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

void
measure_counts(const Frame *frame, const Classes *classes, Metrics *metrics)
{
	static const double size[NSIZES] = {0.01, 0.05, 0.2};
	double		asked = rows_asked_for(metrics);
	double		scale = asked / Max(metrics->rows + metrics->counterfeits, 1);
	CountWeights *weights = palloc(sizeof(CountWeights) * Max(frame->nqis, 1));
	pg_prng_state random;

	for (int q = 0; q < frame->nqis; q++)
		weights[q] = weigh_values(frame, classes, q);
	for (int s = 0; s < NSIZES; s++)
	{
		double		errors[CONDITIONS] = {0};
		int			n = 0;

		pg_prng_seed(&random, s);
		for (int i = 0; i < TRIES && n < CONDITIONS && frame->nqis > 0; i++)
		{
			CountCondition condition = draw_condition(frame, &random, 2 + i % 2, size[s]);
			double		truth = count_people(frame, &condition);

			if (truth > 0 && truth >= asked * size[s] / 2 && truth <= asked * size[s] * 2)
				errors[n++] = 100 * fabs(estimate_rows(classes, weights, &condition) * scale - truth) / truth;
		}
		qsort(errors, n, sizeof(double), compare_doubles);
		metrics->count_error[s] = n < FEWEST_CONDITIONS ? NAN : errors[n / 2];
	}
	for (int q = 0; q < frame->nqis; q++)
		pfree(weights[q].upto);
	pfree(weights);
}

void
list_count_errors(const Metrics *metrics, NamedMetric list[NSIZES])
{
	static const char *const names[NSIZES] = {"count_error_percent_1", "count_error_percent_5", "count_error_percent_20"};

	for (int s = 0; s < NSIZES; s++)
		list[s] = (NamedMetric) {names[s], metrics->count_error[s]};
}
