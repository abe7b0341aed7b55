/*
 * crew.h
 *		Parallel workers that help to cut a release: see partition/portions.h.
 */
#ifndef PPREPUB_RELEASE_CREW_CREW_H
#define PPREPUB_RELEASE_CREW_CREW_H

#include "partition/portions.h"

/*
 * As many of PostgreSQL's parallel workers as max_parallel_workers_per_gather lets a query have, where there are rows
 * enough for them; otherwise the process does it alone.  They are for what owners do: an answer has none, since
 * everybody sees in pg_stat_activity that somebody has workers.
 */
extern const Crew parallel_workers;

#endif							/* PPREPUB_RELEASE_CREW_CREW_H */
