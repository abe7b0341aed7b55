/*
 * regions.h
 *		Where people are known to lie, from what all releases show.
 */
#ifndef PPREPUB_REPORT_REGIONS_H
#define PPREPUB_REPORT_REGIONS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/cells.h"
#include "history/atoms.h"

typedef struct Regions
{
	int			nqis;
	const DeclaredColumn **column;	/* [nqis] in declared order, borrowed */
	Cells	  **cells;			/* [nqis] */
	int32		nreleases;
	Cell	  **shown;			/* [nreleases] of each class, and of each column in it; NULL where the release's table
								 * is gone, or what is kept of answers, and where the log does not say whose its rows
								 * are */
} Regions;

/* Called as the owner, under the active snapshot: reads each release once, for the classes of the log. */
extern Regions *regions_read(const DeclaredPublication *publication, const Seen *seen);

/*
 * Sets region[nqis] to the cells in which people of an atom lie: what the classes that
 * it was in have in common, back from the last one to where they have nothing in
 * common any more, since there a quasi-identifier was changed.
 */
extern void region_of(const Regions *regions, const Atoms *atoms, uint32 atom, Cell *region);

#endif							/* PPREPUB_REPORT_REGIONS_H */
