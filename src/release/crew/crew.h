/*
 * crew.h
 *		Parallel workers that help to cut a release: see partition/portions.h.
 */
#ifndef PPREPUB_RELEASE_CREW_CREW_H
#define PPREPUB_RELEASE_CREW_CREW_H

#include "partition/portions.h"

/*
 * PostgreSQL's parallel workers, as many as max_parallel_workers_per_gather lets a query have.  Where rows are few, the
 * process does it alone.  Workers are for owners: an answer has none, since everybody sees in pg_stat_activity that
 * somebody has some.
 */
extern const Crew parallel_workers;

#endif							/* PPREPUB_RELEASE_CREW_CREW_H */
