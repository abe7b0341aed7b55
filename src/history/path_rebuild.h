/*
 * path_rebuild.h
 *		The table of paths, made anew from the log.
 */
#ifndef PPREPUB_HISTORY_PATH_REBUILD_H
#define PPREPUB_HISTORY_PATH_REBUILD_H

#include "postgres.h"

#include "declare/publication.h"

/* As the owner, inside SPI: is it what follows from the log?  If not, it is replaced. */
extern bool paths_rebuild(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_PATH_REBUILD_H */
