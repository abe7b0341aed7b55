/*
 * paths_write.h
 *		Writing the classes of a release into the table of paths.
 */
#ifndef PPREPUB_HISTORY_PATHS_WRITE_H
#define PPREPUB_HISTORY_PATHS_WRITE_H

#include "postgres.h"

#include "history/paths_read.h"

typedef struct PathWriter PathWriter;

/* To be opened as the owner, inside SPI, after path_reader_paths(). */
extern PathWriter *path_writer_open(const PathReader *reader, const LoadedFrame *loaded, int32 release);

/* A class: the rows of its people, and what its invented rows show, which are numbered as they come. */
extern void path_writer_add(PathWriter *writer, const RowId *rows, uint64 nrows,
							const Code *invented, uint64 ninvented);

/* People and invented rows that were new. */
extern uint64 path_writer_close(PathWriter *writer);

/*
 * All that is kept beside the log, made when it is not there yet, for a release of
 * which nothing is known, or in which no person is: as the owner, inside SPI.
 */
extern void past_skip(const DeclaredPublication *publication, int32 release);

/*
 * Counts disclosures anew, of the values in a list, which is the table of those
 * protected from now on: as the owner, inside SPI, under the active snapshot.
 */
extern void paths_recount(const DeclaredPublication *publication, Oid list);

#endif							/* PPREPUB_HISTORY_PATHS_WRITE_H */
