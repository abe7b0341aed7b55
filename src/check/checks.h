/*
 * checks.h
 *		What audit() checks, and puts as rows.
 */
#ifndef PPREPUB_CHECK_CHECKS_H
#define PPREPUB_CHECK_CHECKS_H

#include "postgres.h"

#include "audit/atoms.h"
#include "history/recall.h"
#include "nodes/pg_list.h"
#include "release/past_releases.h"

typedef struct Check
{
	const char *name;
	char	   *required;
	char	   *measured;
	bool		holds;
	char	   *worst;			/* JSON, or NULL */
} Check;

typedef struct Audit
{
	const DeclaredPublication *publication;
	Released   *released;		/* [releases] */
	Recalled   *recalled;
	Atoms	   *atoms;
	Principle	weakest;
	List	   *checks;			/* of Check */
} Audit;

/* Is it the moment that made an error, and not what was read? */
extern bool is_transient(int sqlerrcode);

/* All words are allocated where the audit is. */
extern void add_check(Audit *audit, const char *name, char *required, char *measured, bool holds, char *worst);

#endif							/* PPREPUB_CHECK_CHECKS_H */
