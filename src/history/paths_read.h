/*
 * paths_read.h
 *		Reading the classes of each person, kept beside the log for methods that
 *		follow people one by one.
 *
 * People who are in the source are found by their keys, and their classes by their
 * numbers.
 */
#ifndef PPREPUB_HISTORY_PATHS_READ_H
#define PPREPUB_HISTORY_PATHS_READ_H

#include "postgres.h"

#include "frame/load.h"
#include "history/companies.h"
#include "history/path_blocks.h"
#include "history/paths.h"

typedef struct PathReader PathReader;

/* To be opened as the owner, inside SPI, under the active snapshot; all is allocated in the context given. */
extern PathReader *path_reader_open(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context);

/* The past as methods see it, once the frame has its codes. */
extern const Paths *path_reader_paths(PathReader *reader, const LoadedFrame *loaded);
extern const Companies *path_reader_companies(PathReader *reader);	/* or NULL */

/* The past as a release adds to it. */
extern const DeclaredPublication *path_reader_publication(const PathReader *reader);
extern PathCounts path_reader_counts(const PathReader *reader);
extern uint32 path_reader_person(const PathReader *reader, RowId row);	/* a number, or NO_KEY */
extern const int32 *path_reader_disclosed(const PathReader *reader);	/* [rows], or NULL where the method does not
																		 * ask */

#endif							/* PPREPUB_HISTORY_PATHS_READ_H */
