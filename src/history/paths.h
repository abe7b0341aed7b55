/*
 * paths.h
 *		The classes that the people of a source were in, read from the log, for methods without places.
 *
 * The log is read from its newest class on, so the values of older classes are read only where somebody was in none since,
 * or where a method asks for all classes.
 */
#ifndef PPREPUB_HISTORY_PATHS_H
#define PPREPUB_HISTORY_PATHS_H

#include "postgres.h"

#include "declare/publication.h"
#include "frame/load.h"
#include "history/past.h"

typedef struct PathReader PathReader;

/*
 * Looks the people of the log up among the rows loaded.  A log that has not all rows of a release is an error: the missing
 * would pass for newcomers.  To be called as the owner, inside SPI, under the active snapshot; all is allocated in the context given.
 */
extern PathReader *paths_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context);

/* Was the person of a row published? */
extern bool paths_know(const PathReader *reader, RowId row);

/* Tells the past what its method asks for, once the frame has its codes. */
extern void paths_finish(PathReader *reader, const LoadedFrame *loaded, Past *past);

#endif							/* PPREPUB_HISTORY_PATHS_H */
