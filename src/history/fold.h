/*
 * fold.h
 *		The neighborhoods of a publication, kept beside the log: what a method
 *		needs to know of the past, without reading all of it.
 *
 * A plain table of TARGET_private, NAME_neighborhoods.  It is a fold of the log:
 * rebuild_history() makes it anew and compares.
 */
#ifndef PPREPUB_HISTORY_FOLD_H
#define PPREPUB_HISTORY_FOLD_H

#include "postgres.h"

#include "frame/load.h"
#include "history/past.h"

typedef struct Fold Fold;

/*
 * As the owner, inside SPI, under the active snapshot: reads the fold, and
 * looks its members up in the source.  Everything is allocated in the context
 * given.
 */
extern Fold *fold_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context);

/* What methods see of it, once the frame has its codes. */
extern const Past *fold_past(Fold *fold, const LoadedFrame *loaded);

/*
 * Writing a release into the fold: one call for each class, then the end.
 * stands_for and invented are its counterfeits, if it has any: members of the
 * past or NO_MEMBER, and sensitive values in codes.
 */
typedef struct FoldedClass
{
	uint32		parent;			/* or NO_NEIGHBORHOOD */
	const RowId *rows;
	uint64		nrows;
	const uint64 *stands_for;
	const Code *invented;
	uint64		ninvented;
	int64	   *numbers;		/* to be set: numbers of those who stand for nobody */
} FoldedClass;

extern void fold_begin(Fold *fold, const DeclaredPublication *publication,
					   const LoadedFrame *loaded, int32 release);
extern void fold_add_class(Fold *fold, const FoldedClass *class);
extern void fold_end(Fold *fold);

/* The key of a member, or a NULL where it is an invented row that stands for nobody. */
extern Datum fold_key(const Fold *fold, uint64 member, bool *isnull);

#endif							/* PPREPUB_HISTORY_FOLD_H */
