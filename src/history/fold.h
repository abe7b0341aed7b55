/*
 * fold.h
 *		The neighborhoods of a publication, kept beside the log, so that methods
 *		need not read the log to know the past.
 *
 * The fold is a plain table of TARGET_private, NAME_neighborhoods, computed from the log: rebuild_history() makes it
 * anew and compares.  A row is a neighborhood: its number, its members as an array of keys, and the sensitive values
 * published of them, epoch by epoch, as another array.  A member without a key is an invented row that stands for no
 * person, and has a number; a person has the number 0 if a row stood in when the neighborhood was shown last.  So a
 * release that touches few people reads and writes few rows, and one that touches all people writes far fewer rows
 * than people.
 *
 * The releases that a person was in are found in the log only.  Methods do not need them, since a class is part of
 * one neighborhood or of none; so a neighborhood that is shown whole again, with the same values, is not rewritten.
 */
#ifndef PPREPUB_HISTORY_FOLD_H
#define PPREPUB_HISTORY_FOLD_H

#include "postgres.h"

#include "declare/method_declaration.h"
#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/key_table.h"
#include "frame/load.h"
#include "history/element.h"
#include "history/past.h"
#include "history/past_tables.h"
#include "history/path_blocks.h"
#include "storage/itemptr.h"

/* ----------------------------------------------------------------
 * The directory: an index of the fold in memory, for a process that answers again and again
 *
 * It keeps hashes of keys and the places of rows, some fifteen bytes
 * a person, so that an answer reads only the neighborhoods that it touches.  It outlives the transaction.
 * ----------------------------------------------------------------
 */

typedef struct Directory Directory;

/* The place of a neighborhood's row, and the number that verifies it. */
typedef struct NeighborhoodRef
{
	ItemPointerData tid;
	uint32		index;			/* in the directory */
	int64		number;
} NeighborhoodRef;

typedef struct NeighborhoodRefs
{
	uint32		n;
	NeighborhoodRef *refs;		/* [n] in the order of the table */
	ItemPointerData *tids;		/* [n] of these rows */
} NeighborhoodRefs;

/* Reads the whole fold, if there is one.  Callers act as the owner, inside SPI, under the active snapshot. */
extern Directory *directory_read(const DeclaredPublication *publication, MemoryContext context);

/* Does it cover all releases of the publication, which must be locked?  False before there is a fold. */
extern bool directory_is_current(const Directory *directory, const DeclaredPublication *publication);

/*
 * Finds the neighborhoods of these people.  The result may contain others of
 * people with the same hash, and has at least one unless the directory is empty.
 */
extern NeighborhoodRefs directory_find(const Directory *directory, const KeyTable *people);

/* The last numbers given to neighborhoods and to invented rows. */
extern int64 directory_last_number(const Directory *directory);
extern int64 directory_last_invented(const Directory *directory);

/*
 * Follow a release: a neighborhood is forgotten before its members are added in new ones, and the directory advances
 * when all are added.  If the transaction aborts, the directory is wrong and must be deleted with its context.
 */
extern void directory_add(Directory *directory, TupleTableSlot *slot);
extern void directory_forget(Directory *directory, uint32 index);
extern void directory_advance(Directory *directory, int32 releases, int64 newcomers);

/* ----------------------------------------------------------------
 * The fold
 * ----------------------------------------------------------------
 */

/* Where the row of a neighborhood is, and who its members are: needed, besides the past, to part it. */
typedef struct Neighborhood
{
	ItemPointerData tid;
	uint32		index;			/* in the directory, if found by it */
	ArrayType  *keys;
	ArrayType  *invented;		/* or NULL */
	bool		is_filled;		/* with rows that stand for nobody? */
} Neighborhood;

/*
 * The past as read.  Only neighborhoods with members in the source are kept in
 * memory: others can neither be published nor help to protect.
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
	Directory  *directory;		/* used for look-ups and kept current; or NULL */
	uint64		members;		/* of all neighborhoods */
	uint64		smallest_parted;	/* smaller ones are lost once a member has left */
	uint64		lost;			/* people of lost neighborhoods in the source */
	bool	   *is_lost;		/* [rows] of a lost neighborhood? NULL where none can be lost */
	int64		last_number;	/* of a neighborhood */
	int64		last_invented;

	/* Room in the arrays, and a buffer for the row at hand */
	ElementRoom room;
	uint32		allocated;
	uint64		members_allocated;
	uint64		values_allocated;
	uint8	   *absence;		/* [members of the past] */
	uint64		away_allocated;
} Fold;

/* The greatest number of an invented row among the members of a neighborhood, or 0. */
extern int64 last_invented(ArrayType *invented);

/* Has the row a value in each column that must have one? */
extern bool is_neighborhood(const TupleTableSlot *slot);

/*
 * Reads the fold, and looks up its members among the rows loaded.  is_all says that these are the whole source: only
 * then have missing people left.  Callers act as the owner, inside SPI, under the active snapshot; everything is
 * allocated in the context given.
 */
extern Fold *fold_read(const DeclaredPublication *publication, FrameLoad *load, bool is_all, MemoryContext context);

/*
 * Like fold_read(), but reads only the rows that a current directory points at; the release at hand updates the
 * directory, too.  Returns NULL if the fold was rebuilt, so that the directory is wrong.
 */
extern Fold *fold_look_up(const DeclaredPublication *publication, Directory *directory,
						  FrameLoad *load, MemoryContext context);

/* Returns the past as methods see it, in the codes of the finished frame. */
extern const Past *fold_past(Fold *fold, const LoadedFrame *loaded);

/*
 * For a release that leaves the sensitive columns out: people shown before keep what was shown last of them, since
 * observers cannot see that it has changed.  Else a later release would count as known what nobody was shown.
 */
extern void fold_keep_values(const Fold *fold, LoadedFrame *loaded);

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
 * Fetching helpers, before the load is finished: peek_at_past() returns the past in the codes of load_peek(), to
 * choose the neighborhoods that help to protect the people asked for; fetch_helpers() then reads the rows of all
 * their members that the source has.  Callers act as the owner, inside SPI.
 */
extern Past peek_at_past(const Fold *fold, const Code *code);
extern void fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted);

#endif							/* PPREPUB_HISTORY_FOLD_H */
