/*
 * risks.h
 *		The risks of a publication's releases, one by one: for reports, which need
 *		not go through SQL.
 */
#ifndef PPREPUB_REPORT_RISKS_H
#define PPREPUB_REPORT_RISKS_H

#include "postgres.h"

#include "audit/risks.h"
#include "declare/publication.h"
#include "frame/cells.h"
#include "frame/tuple_numbers.h"

/* The classes of a release as its readers see them: rows with equal cells, whatever their class numbers. */
typedef struct ReleaseClasses
{
	int			nqis;
	const DeclaredColumn **column;	/* [nqis] in declared order, borrowed */
	Cells	  **cells;			/* [nqis] */
	TupleNumbers *regions;		/* of cells; a class is the number of its region */
	uint32		allocated;
	RiskClass  *class;			/* [regions->n] */
} ReleaseClasses;

/*
 * Reads a release's table, or what is kept of an answer, and the log for whose rows are invented.  Called as the
 * owner, inside SPI, under the active snapshot.  An error if the release is gone.
 */
extern ReleaseClasses *read_release_classes(const DeclaredPublication *publication, int32 number);

/* Counts the people of a registry who lie in the cells of each class. Called likewise. */
extern void count_registered(ReleaseClasses *classes, Oid registry);

/*
 * Likewise: reads and measures release number; registry may be InvalidOid.  An error if the population is smaller than
 * the release.  Sets question->has_registry.
 */
extern ClassRisks *risks_of_release(const DeclaredPublication *publication, int32 number, Oid registry, RiskQuestion *question);

/* ---- risks_report.c: arguments of functions ---- */

/* The threshold where none is given: people hidden among fewer than 5. */
#define HIGH_RISK 0.2

/* A question about the risks of a release; population may be NULL. */
extern RiskQuestion risk_question(const NullableDatum *population, double threshold);

/* A registry is read as the publication's owner, and code that an auditor's view or type brings along would run so: refused. */
extern void verify_registry(const DeclaredPublication *publication, Oid registry);

#endif							/* PPREPUB_REPORT_RISKS_H */
