/*
 * fold.h
 *		The neighborhoods of a publication, kept beside the log: what a method
 *		needs to know of the past, without reading all of it.
 *
 * A plain table of TARGET_private, NAME_neighborhoods.  It is a fold of the log:
 * rebuild_history() makes it anew and compares.  A row is a neighborhood: its
 * number, its members as an array of keys, and the sensitive values published of
 * them, epoch by epoch, as another.  A member without a key is an invented row
 * that stands for nobody, and has a number.  So a release that touches few people
 * reads and writes few rows, and one that touches all writes no row a person.
 *
 * In which releases somebody was, his signature, is for the log to tell.  Nobody
 * asks for it here, since a class is of one neighborhood or of none; so one that
 * is shown whole, once more as it was, stays as it is.
 */
#ifndef PPREPUB_HISTORY_FOLD_H
#define PPREPUB_HISTORY_FOLD_H

#include "postgres.h"

#include "declare/param_spec.h"
#include "executor/tuptable.h"
#include "frame/load.h"
#include "history/directory.h"
#include "history/element.h"
#include "history/past.h"
#include "history/past_tables.h"
#include "history/paths_read.h"
#include "storage/itemptr.h"

/* What the past does not tell of a neighborhood: whatever it takes to write its children. */
typedef struct Neighborhood
{
	ItemPointerData tid;
	uint32		index;			/* in the directory, if it was found there */
	ArrayType  *keys;
	ArrayType  *invented;		/* or NULL */
} Neighborhood;

/*
 * What was read of the past.  Of neighborhoods, those with somebody in them who
 * is in the source: others can neither be published nor help to, so nothing is
 * kept of them in memory.
 */
typedef struct Fold
{
	const DeclaredPublication *publication;
	MemoryContext context;
	Element		key;
	Element		sensitive;
	Past		past;
	bool		keeps_neighborhoods;	/* are there any to read and to write? */
	PathReader *paths;			/* or NULL where none are kept */
	Neighborhood *neighborhoods;	/* [past.nneighborhoods] */
	Directory  *directory;		/* where these were found, and others will be; or NULL */
	uint64		members;		/* of all neighborhoods */
	uint64		smallest_parted;	/* smaller ones are lost once somebody is gone */
	uint64		lost;			/* people in these */
	bool	   *is_lost;		/* [rows] is it of a lost neighborhood? NULL where none can be lost */
	int64		last_number;	/* of a neighborhood */
	int64		last_invented;

	/* Room in the arrays, and for what is read at the moment */
	ElementRoom room;
	uint32		allocated;
	uint64		members_allocated;
	uint64		values_allocated;
} Fold;

/* The greatest number of an invented row among the members of a neighborhood, or 0. */
extern int64 last_invented(ArrayType *invented);

/* Has the row what each neighborhood has? */
extern bool is_neighborhood(const TupleTableSlot *slot);

/*
 * As the owner, inside SPI, under the active snapshot: reads the fold, and
 * looks its members up in the source, all of which was loaded if is_all says so:
 * only then who is not there has left.  Everything is allocated in the context
 * given.
 */
extern Fold *fold_read(const DeclaredPublication *publication, FrameLoad *load, bool is_all, MemoryContext context);

/*
 * The same where a directory, which is current, says where to look.  What is
 * remembered afterwards goes into the directory, too.  NULL if the fold was made
 * anew, and is not what the directory says.
 */
extern Fold *fold_look_up(const DeclaredPublication *publication, Directory *directory,
						  FrameLoad *load, MemoryContext context);

/* What methods see of it, once the frame has its codes. */
extern const Past *fold_past(Fold *fold, const LoadedFrame *loaded);

/* The members of a neighborhood: keys, or numbers where they are invented rows. */
typedef struct Members
{
	Datum	   *keys;
	bool	   *is_invented;
	int64	   *numbers;		/* NULL where no member is invented */
	int			n;
} Members;

extern void fold_members(const Fold *fold, uint32 neighborhood, Members *members);

/*
 * Before the load is finished: the past as it will be, with the codes of
 * load_peek(), to see which neighborhoods help to protect those who were asked
 * for; then, as the owner, inside SPI, reads the rows of all members of the
 * neighborhoods that are wanted, as far as they are there.
 */
extern Past peek_at_past(const Fold *fold, const Code *code);
extern void fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted);

#endif							/* PPREPUB_HISTORY_FOLD_H */
