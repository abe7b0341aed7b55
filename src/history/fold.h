/*
 * fold.h
 *		The groups and places of a publication, kept beside the log, so that methods need not read the log to know the
 *		past.
 *
 * The fold is two plain tables of TARGET_private, computed from the log: rebuild_history() makes them anew and compares.
 * A row of NAME_groups is a group: its number, the keys of the holders of its places, and the values shown there, epoch
 * by epoch.  A row of NAME_places is a stay, which is found by the person's key.  So a release of few people reads few
 * rows, and a group that is shown again as it was is not rewritten.
 *
 * The releases that a person was in are found in the log only.
 */
#ifndef PPREPUB_HISTORY_FOLD_H
#define PPREPUB_HISTORY_FOLD_H

#include "postgres.h"

#include "declare/method_declaration.h"
#include "declare/publication.h"
#include "frame/key_table.h"
#include "frame/load.h"
#include "history/element.h"
#include "history/past.h"
#include "history/past_tables.h"
#include "history/paths.h"
#include "storage/itemptr.h"

/* The row of a group: needed, besides the past, to write it anew.  Arrays are of the row. */
typedef struct GroupRow
{
	int64		number;
	ItemPointerData tid;
	int32		created;
	int			size;
	int			nepochs;
	ArrayType  *keys;			/* of the holders; these point into it */
	const int32 *states;		/* [size] or NULL */
	const int32 *fingerprints;	/* [size] */
	const int32 *parts;			/* [size] or NULL */
	const int32 *epochs;		/* [nepochs] */
	ArrayType  *sensitive;		/* NULL once its values are among those of the places */
	bool		is_followed;	/* have the stays of all who ever sat there been looked up? */
} GroupRow;

/* A stay that was read, by the person's row, or a number behind all rows. */
typedef struct PersonStay
{
	uint64		person;
	int64		group;			/* its number */
	Stay		stay;			/* the place is counted in the group, from 1 on, until all groups are known */
} PersonStay;

/* The past as read. */
typedef struct Fold
{
	const DeclaredPublication *publication;
	MemoryContext context;
	Element		key;
	Element		sensitive;
	Past		past;
	bool		keeps_places;	/* are there any to read and to write? */
	bool		wants_indexes;	/* are some of their people asked for, so few that indexes would find them? */
	bool		is_followed;	/* were ties followed by them, and not all read? */
	Places		places;
	GroupRow   *groups;			/* [places.ngroups] */
	uint32		groups_allocated;
	Datum	   *holder;			/* [places.nplaces] the keys of those who hold them */
	PersonStay *stays;			/* [nstays] of people among the rows, by row, the oldest first */
	uint64		nstays;
	uint64		stays_allocated;
	uint64		nread;			/* rows whose stays were read; helpers come behind them */
	PathReader *paths;			/* of methods without places; else NULL */
	ElementRoom room;			/* for the array at hand */
} Fold;

/*
 * Reads the fold, and looks up its people among the rows loaded.  is_all says that these are the whole source: only then
 * have missing people left.  Otherwise, of few people only their own groups are read, those that they were in before, and
 * those that ties lead to from groups that may show new values, or from all of them if what is shown may be too little for the
 * ties of the past (was_weaker).  Callers act as the owner, inside SPI, under the active snapshot; everything is allocated in the
 * context given.
 */
extern Fold *fold_read(const DeclaredPublication *publication, FrameLoad *load, bool is_all, bool was_weaker, MemoryContext context);

/* Returns the past as methods see it, in the codes of the finished frame. */
extern const Past *fold_past(Fold *fold, const LoadedFrame *loaded);

/* Does a frame show all quasi-identifiers, so that its fingerprints can be compared with others? */
extern bool fold_has_prints(const Fold *fold, const LoadedFrame *loaded);

/* The fingerprint of a row of such a frame, or 0 where it is not known. */
static inline int32
known_print(const LoadedFrame *loaded, RowId row)
{
	return loaded->is_unprinted != NULL && loaded->is_unprinted[row] ? 0 : (int32) loaded->fingerprint[row];
}

/*
 * For an import that leaves the sensitive columns out: people who hold a place keep what was shown last there, since
 * observers cannot see that it has changed.  Else a later release would count as known what nobody was shown.
 */
extern void fold_keep_values(const Fold *fold, LoadedFrame *loaded);

/*
 * Fetching helpers, before the load is finished: peek_at_past() returns the past in the codes of load_peek(), to choose the
 * groups whose other holders help to protect the people asked for; fetch_helpers() then reads the rows of these holders
 * that the source has.  Callers act as the owner, inside SPI.
 */
extern Past peek_at_past(Fold *fold, const Frame *frame, const Code *code);
extern void fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted);

#endif							/* PPREPUB_HISTORY_FOLD_H */
