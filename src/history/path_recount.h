/*
 * path_recount.h
 *		What was told of people, where other values are protected than were.
 */
#ifndef PPREPUB_HISTORY_PATH_RECOUNT_H
#define PPREPUB_HISTORY_PATH_RECOUNT_H

#include "postgres.h"

#include "declare/publication.h"

/* As the owner, inside SPI, under the active snapshot: list is the table of those protected from now on. */
extern void paths_recount(const DeclaredPublication *publication, Oid list);

#endif							/* PPREPUB_HISTORY_PATH_RECOUNT_H */
