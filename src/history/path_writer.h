/*
 * path_writer.h
 *		Writing the classes of a release into the table of paths.
 */
#ifndef PPREPUB_HISTORY_PATH_WRITER_H
#define PPREPUB_HISTORY_PATH_WRITER_H

#include "postgres.h"

#include "history/path_fold.h"

typedef struct PathWriter PathWriter;

/* As the owner, inside SPI, after path_fold_paths(). */
extern PathWriter *path_writer_open(const PathFold *fold, const LoadedFrame *loaded, int32 release);

/* A class: the rows of its people, and what its invented rows show, which are numbered as they come. */
extern void path_writer_add(PathWriter *writer, const RowId *rows, uint64 nrows,
							const Code *invented, uint64 ninvented);

/* People and invented rows that were new. */
extern uint64 path_writer_close(PathWriter *writer);

/* A release of which nothing is known, or in which nobody is. */
extern void path_writer_skip(const DeclaredPublication *publication, int32 release);

#endif							/* PPREPUB_HISTORY_PATH_WRITER_H */
