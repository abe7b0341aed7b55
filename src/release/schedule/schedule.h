/*
 * schedule.h
 *		Releases on a schedule.
 */
#ifndef PPREPUB_RELEASE_SCHEDULE_SCHEDULE_H
#define PPREPUB_RELEASE_SCHEDULE_SCHEDULE_H

#include "declare/publication.h"

/* Of a publication that is being dropped. */
extern void unschedule_dropped(const DeclaredPublication *publication);

#endif							/* PPREPUB_RELEASE_SCHEDULE_SCHEDULE_H */
