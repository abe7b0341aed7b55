/*
 * checks.h
 *		What audit() checks: rows of its result, and what they are made from.
 */
#ifndef PPREPUB_CHECK_CHECKS_H
#define PPREPUB_CHECK_CHECKS_H

#include "postgres.h"

#include "answer/answer.h"
#include "frame/load.h"
#include "history/recall.h"
#include "history/seen.h"
#include "nodes/pg_list.h"
#include "release/past_releases.h"

typedef enum CheckVerdict
{
	CHECK_FAILS,				/* in the order of the rows */
	CHECK_OPEN,					/* nothing is required: somebody has to look */
	CHECK_HOLDS
} CheckVerdict;

typedef struct Check
{
	const char *name;
	char	   *required;
	char	   *measured;
	CheckVerdict verdict;
	char	   *worst;			/* JSON, or NULL */

	/* For programs; NaN and -1 where there is no such figure */
	double		required_value;
	double		measured_value;
	int64		failing_classes;
	int64		failing_people;
} Check;

typedef struct Audit
{
	const DeclaredPublication *publication;
	bool		is_auditors;	/* sees no key, no value and no message of the source */
	const Principle *given;		/* that all is judged by, or NULL: by what was declared */
	Released   *released;		/* [releases] with the principles that they are judged by, bound */
	Recalled   *recalled;
	Atoms	   *atoms;
	const Aspects *aspects;		/* of recalled values */
	List	   *checks;			/* of Check */
} Audit;

/* All words are allocated where the audit is. */
extern Check *add_check(Audit *audit, const char *name, char *required, char *measured, bool holds, char *worst);

/* A check that an error stopped: its message is for the owner only. */
extern void add_failed_check(Audit *audit, const char *name, char *required, const char *message);

/* Adds what no program can judge: somebody has to look. */
extern void add_open_check(Audit *audit, const char *name, char *required, char *measured, double value);

/* Says for programs what is required and was measured. */
extern void set_values(Check *check, double required, double measured);

/* ---- check_principles.c: do classes, and all that releases reveal together, satisfy the principles? ---- */

extern void check_principles(Audit *audit);

/* ---- inspect.c: is a release what was published, and does it cover whom it says? ---- */

typedef struct Inspection
{
	bool		exists;			/* its table, or what is kept of answers, with the right columns */
	bool		is_intact;		/* by the checksum */
	uint64		rows;
	bool		is_logged;		/* class by class, the rows and values of the log */
	int64		unlogged_class; /* where it is not: a class, or 0 */

	/* Members whose quasi-identifiers in the source are what they were then */
	uint64		unchanged;
	uint64		covered;		/* by the cells of their classes */
	int64		uncovered_class;	/* of one who is not */
	const char *uncovered_column;

	/* Finite ends of ranges, those of each class */
	uint64		ends;
	uint64		lone_ends;		/* the value of one unchanged member alone */
	const char *lone_column;	/* of one of them */
	uint64		loose_ends;		/* not where a step of the column ends */
	const char *loose_column;
} Inspection;

/* Where people are in the source now, whose keys are given by row: [people of the log], NO_ROW for those who have left. */
extern RowId *find_people(const Recalled *recalled, const KeyTable *present);

/*
 * Called as the owner, under the active snapshot.  present: the source now, with the columns that the release shows,
 * or NULL if it is not to be looked at; and where people are in it.  answers: what is kept of all of them.
 */
extern Inspection inspect_release(const DeclaredPublication *publication, const Released *released,
								  Recalled *recalled, const Answers *answers,
								  const LoadedFrame *present, const RowId *row_of_person);

#endif							/* PPREPUB_CHECK_CHECKS_H */
