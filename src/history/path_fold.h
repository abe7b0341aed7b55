/*
 * path_fold.h
 *		Where everybody was, kept beside the log for methods that follow people
 *		one by one.
 *
 * People who are in the source are found by their keys, and so where they were.
 */
#ifndef PPREPUB_HISTORY_PATH_FOLD_H
#define PPREPUB_HISTORY_PATH_FOLD_H

#include "postgres.h"

#include "frame/load.h"
#include "history/companies.h"
#include "history/path_blocks.h"
#include "history/paths.h"

typedef struct PathFold PathFold;

/* As the owner, inside SPI, under the active snapshot; all is allocated in the context given. */
extern PathFold *path_fold_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context);

/* What methods see of it, once the frame has its codes. */
extern const Paths *path_fold_paths(PathFold *fold, const LoadedFrame *loaded);
extern const Companies *path_fold_companies(PathFold *fold);	/* or NULL */

/* What a release adds to. */
extern const DeclaredPublication *path_fold_publication(const PathFold *fold);
extern PathCounts path_fold_counts(const PathFold *fold);
extern uint32 path_fold_person(const PathFold *fold, RowId row);	/* a number, or NO_KEY */
extern const int32 *path_fold_told(const PathFold *fold);	/* [rows], or NULL where nobody asks */

#endif							/* PPREPUB_HISTORY_PATH_FOLD_H */
