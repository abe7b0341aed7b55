/*
 * metrics.h
 *		How much a release lost, and how much it still says: figures for its owner, described in
 *		docs/reference/metrics.md.
 */
#ifndef PPREPUB_AUDIT_METRICS_H
#define PPREPUB_AUDIT_METRICS_H

#include "partition/classes.h"

/* Counts of a release that its classes do not tell. */
typedef struct ReleaseCounts
{
	uint64		suppressed;		/* rows asked for and withheld */
	uint64		waiting;		/* of these, and the next two: see method/method.h */
	uint64		retired;
	uint64		hidden;
	uint64		dirty;			/* members of classes that were not asked for */
	uint64		stale;			/* rows of people that show another value than that of today */
	uint64		unrefreshed;	/* rows that could not show new values, invented ones too */
	uint64		kept_back;		/* rows of people asked for who have too many */
	uint64		stale_rows;		/* of people with several: shown and gone, or there and not shown */
	const uint64 *counterfeits; /* [nclasses] invented rows, or NULL for none */
	const bool *shown;			/* [nqis] quasi-identifiers that the release shows, or NULL for all */
} ReleaseCounts;

/* Conditions by which estimates of counts are measured: met by about 1, 5 and 20 % of the people. */
#define NSIZES	3

/* Never a NaN but of count_error: what is an average over nothing is 0. */
typedef struct Metrics
{
	/* Losses: sums over the cells of true rows (paper 000, 5.2) */
	double		lm;				/* loss metric */
	double		em;				/* entropy measure, in bits */
	double	   *lm_by_qi;		/* [nqis] lm by column, 0 where not shown; allocated in the caller's context */

	/* How large classes are, counterfeits included */
	double		dm;				/* discernibility */
	double		avg;			/* average class size over k */
	uint64		smallest;		/* 0 if there is no class */
	uint64		largest;

	/* Averages over true rows */
	double		ail;			/* loss of a row */
	double		precision;		/* steps of generalisation not taken, of those possible */

	/* Information that is left, in bits (paper 003, 5) */
	double		fem;
	double		vem;
	double		fem_counterfeit;	/* may be negative */
	double		vem_counterfeit;

	/* Counts */
	uint64		rows;			/* members of classes, dirty rows included: people, however many rows each has */
	uint64		leaving;		/* rows that leave, of people and invented ones */
	uint64		kept_back;
	uint64		stale_rows;
	uint64		classes;
	int			columns;		/* quasi-identifiers that are shown */
	uint64		suppressed;
	uint64		waiting;
	uint64		retired;
	uint64		hidden;
	uint64		dirty;
	uint64		counterfeits;
	uint64		stale;
	uint64		unrefreshed;

	double		count_error[NSIZES];	/* median, in per cent of the truth; NaN where too few conditions are found */
} Metrics;

/*
 * Measure a release that consists of these classes.  Regions must be cells of their domains, as judge_classes() makes
 * sure of; for columns that are not shown they are not looked at.  k only scales avg: methods without a k pass 1 and
 * get the average class size.
 */
extern Metrics measure_release(const Frame *frame, const Classes *classes,
							   const ReleaseCounts *counts, double k);

/* Measures how far TARGET.NAME_counts() is from the frame, after everything else. */
extern void measure_counts(const Frame *frame, const Classes *classes, Metrics *metrics);

/* The share of the rows asked for that were withheld. */
extern double suppressed_share(const Metrics *metrics);

/* The quasi-identifiers that lose most, worst first, at most so many; returns how many. */
extern int	costliest_qis(const Metrics *metrics, int nqis, int *costliest, int most);

/* A figure under the name that SQL knows it by. */
typedef struct NamedMetric
{
	const char *name;
	double		value;
} NamedMetric;

#define NMETRICS	18

/* All figures that are noted of a release, in their order. */
extern void list_metrics(const Metrics *metrics, NamedMetric list[NMETRICS]);

extern void list_count_errors(const Metrics *metrics, NamedMetric list[NSIZES]);

/* Figures of rows, where people may have several. */
#define NROWFIGURES	2
extern void list_row_figures(const Metrics *metrics, NamedMetric list[NROWFIGURES]);

#define NSUMMARY	5

/*
 * How much a release lost, withheld and invented, and how many of its people show an older value, in per cent; and how
 * large its classes are.  Needs of the metrics only lm and the counts, so that it can be made of what was noted, and
 * nothing more needs to be.
 */
extern void list_summary(const Metrics *metrics, NamedMetric list[NSUMMARY]);

/* Sums over the codes of a domain, from which the entropy of any cell is a difference. */
typedef struct Entropies
{
	uint64	   *rows;			/* [size + 1] sum of f */
	double	   *bits;			/* [size + 1] sum of f log2 f */
} Entropies;

extern Entropies entropies_create(const Domain *domain);
extern void entropies_free(Entropies *sums);
extern double cell_entropy(const Entropies *sums, Span cell);

#endif							/* PPREPUB_AUDIT_METRICS_H */
