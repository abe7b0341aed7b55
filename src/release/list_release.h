/*
 * list_release.h
 *		Rows of TARGET.NAME_releases, the list of releases that analysts may see.
 *
 * Figures are told of releases of everybody alone, and shares in whole per cents: a count that follows a cohort tells of
 * the people in it.
 */
#ifndef PPREPUB_RELEASE_LIST_RELEASE_H
#define PPREPUB_RELEASE_LIST_RELEASE_H

#include "postgres.h"

#include "audit/metrics.h"
#include "declare/publication.h"

typedef struct ListedRelease
{
	int32		number;
	Oid			table;
	const char *kind;			/* "everybody", "cohort" or "imported" */
	const bool *shown;			/* [columns] */
	const Metrics *metrics;		/* of a release of everybody, or NULL */
} ListedRelease;

/* Called as the owner, inside SPI. */
extern void list_release(const DeclaredPublication *publication, const ListedRelease *listed);

#endif							/* PPREPUB_RELEASE_LIST_RELEASE_H */
