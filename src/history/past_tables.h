/*
 * past_tables.h
 *		The tables in which the past of a publication is kept: how they are made,
 *		what columns they have, and what is wrong with them.
 *
 * They stand in TARGET_private, and are called NAME_ and the name of the part.  The log is what all else follows
 * from: members, of releases that have tables, and asked, of answers.  Groups and places (see fold.h), and people (see
 * paths.h), are folds of it, kept for methods that need them, and made anew by rebuild_history().
 */
#ifndef PPREPUB_HISTORY_PAST_TABLES_H
#define PPREPUB_HISTORY_PAST_TABLES_H

#include "postgres.h"

#include "compat.h"
#include "declare/method_declaration.h"
#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/cells.h"
#include "history/rows.h"

typedef enum PastTable
{
	MEMBERS_TABLE,
	ASKED_TABLE,
	GROUPS_TABLE,
	PLACES_TABLE,
	PEOPLE_TABLE
} PastTable;

/* Columns of members and asked: see below.  Members of a class are people who have a row, then people who are counted in, then counterfeits. */
enum
{
	LOG_RELEASE,
	LOG_CLASS,
	LOG_KEYS,					/* of people */
	LOG_GROUP,					/* NULL for methods without places */
	LOG_PLACES,					/* of all members, from 1 on; NULL where the group is */
	LOG_SENSITIVE,				/* of all members */
	LOG_FINGERPRINTS,			/* of the quasi-identifiers of those who have a row, 0 where they are not known */
	LOG_COLUMNS
};

/* Columns of groups: see fold.h.  Arrays have an element a place, but for epochs, and sensitive values of each epoch. */
enum
{
	GROUPS_GROUP,
	GROUPS_CREATED,				/* the release that showed it first */
	GROUPS_KEYS,				/* of the holders; NULL: nobody */
	GROUPS_STATES,				/* HOLDER_WAS_AWAY or 0; NULL where all are 0 */
	GROUPS_FINGERPRINTS,		/* of the holders when they were shown last with all quasi-identifiers; 0: not known */
	GROUPS_PARTS,				/* the number of the first place of its part, negative while that is apart; NULL: all
								 * are one part */
	GROUPS_EPOCHS,				/* the releases that began them */
	GROUPS_SENSITIVE,			/* epoch by epoch, place by place */
	GROUPS_COLUMNS
};

#define HOLDER_WAS_AWAY 1		/* when the place was shown last in a release of everybody, and has not been shown
								 * since */

/* Columns of places: a row for each stay. */
enum
{
	PLACES_KEY,
	PLACES_GROUP,
	PLACES_PLACE,
	PLACES_CAME,				/* the release that showed the person there first */
	PLACES_COLUMNS
};

/* Columns of people: a row for many who were published first in a release. */
enum
{
	PEOPLE_CAME,
	PEOPLE_KEYS,
	PEOPLE_COLUMNS
};

/* Does the publication's method ask for this, PAST_…? */
extern bool keeps_past(const DeclaredPublication *publication, int what);

/* Is a table of people kept, so that the log need not be read beyond the last class of each?  For companies all of it is. */
#define keeps_people(publication) (keeps_past(publication, PAST_LAST) && !keeps_past(publication, PAST_COMPANIES))

/* Is anything kept that follows from the log? */
#define keeps_fold(publication) (keeps_past(publication, PAST_PLACES) || keeps_people(publication))

/* The table, or InvalidOid before the first release. */
extern Oid	past_table(const DeclaredPublication *publication, PastTable which);

/* The table, made when it is not there yet: as the owner, inside SPI. */
extern Oid	past_table_ensure(const DeclaredPublication *publication, PastTable which);

/*
 * Makes the tables of groups and places, and their indexes, unless they are there: before the first answer begins, since
 * this may wait for a VACUUM, and with the first release of few people.  Publications that nobody asks do not need them.
 */
extern void past_indexes_ensure(const DeclaredPublication *publication);

/*
 * Has the table, which is there, the columns that it was made with?  Rows are read and written by position: to take a
 * number for an array would bring the server down.  The latter raises an error if not.
 */
extern bool past_table_has_columns(const DeclaredPublication *publication, PastTable which);
extern void past_table_verify(const DeclaredPublication *publication, PastTable which);

typedef enum HistoryStorage
{
	IN_HEAP,					/* arrays stand in the row as they are while a page has room for them */
	IN_UPDATED_HEAP,			/* so, and autovacuum comes sooner than to other tables: each release replaces rows */
	IN_GROUPS					/* of the access method pprepub: only appended to */
} HistoryStorage;

/*
 * A table with other columns, which are as a statement lists them; made and
 * sealed when it is not there yet: as the owner, inside SPI.
 */
extern Oid	private_table_ensure(const DeclaredPublication *publication, const char *name,
								 const char *columns, HistoryStorage storage);
extern bool has_columns(Oid table, const Oid *types, int n);

#define REBUILD_HINT "pprepub.rebuild_history() makes it anew from the log, if that is whole."

/* Errors of tables that tell of so many people only, or have malformed rows: that of a group, or of a class of the log. */
pg_noreturn extern void past_refuse(const DeclaredPublication *publication, uint64 members);
pg_noreturn extern void refuse_group(const DeclaredPublication *publication, int64 number);
pg_noreturn extern void refuse_class(const DeclaredPublication *publication);

/* ----------------------------------------------------------------
 * The log: all that observers have seen of a publication
 *
 * Two tables of TARGET_private: NAME_members for releases that have tables, NAME_asked for answers.  A row is a class
 * of a release: its members' keys, in the key's own type, and the sensitive values that were published of them, as
 * arrays in the same order; fingerprints of their quasi-identifiers tell later who has changed since.  A person
 * counted in from a registry has a key, and neither a value nor a fingerprint.  A counterfeit has no key: in a class of a
 * group it stands in at a place, else it comes once.  A class that was published elsewhere mixes people of several groups:
 * those who had no place yet make a group, and have places in the row.  Everything else about the past is a fold of it.
 *
 * NOTES
 *		The former is of the access method pprepub, and takes a third of what a heap does.  How small it makes a class
 *		depends on the keys and the fingerprints in it; and how much an answer writes can be seen by all, in the
 *		position of the WAL.  So the log of answers is a heap, in which that is known from the rows that are given
 *		out.
 * ----------------------------------------------------------------
 */

/* Raises an error if a part of the log is gone or has other columns.  The publication must have releases. */
extern void log_verify(const DeclaredPublication *publication);

/* Makes both parts when they are not there yet: as the owner, inside SPI. */
extern void log_ensure(const DeclaredPublication *publication);

/* Visits all rows of the log of a publication with releases, each in a context that is reset afterwards. */
extern void log_read(const DeclaredPublication *publication, void (*visit) (void *what, TupleTableSlot *slot), void *what);

/* Likewise, from the newest on, until a visit returns false; returns whether none did. */
extern bool log_read_backward(const DeclaredPublication *publication, bool (*visit) (void *what, TupleTableSlot *slot), void *what);

/* Raises an error unless each release from the first on has as many rows as the catalog remembers: [releases]. */
extern void log_verify_rows(const DeclaredPublication *publication, const uint64 *logged, int32 first);
pg_noreturn extern void refuse_log(const DeclaredPublication *publication, const char *detail);

/* ----------------------------------------------------------------
 * Regions: what answers showed of their classes
 *
 * A stored release keeps its cells in its table, but the log alone would not keep the cells of an answer.  So they
 * are written to a plain table of TARGET_private, NAME_regions: a row is a class of an answer, with the number of
 * rows that the answer showed and its cells as printed; cells that it did not show are withheld ones.  The table is
 * part of the history like the log: rows are only added, and their order, by class number, reveals nothing.
 *
 * Insensitive values are not kept; sensitive ones are in the log.
 * ----------------------------------------------------------------
 */

/* The table's columns. */
enum
{
	ANSWERED_RELEASE,
	ANSWERED_CLASS,
	ANSWERED_ROWS,
	ANSWERED_CELLS				/* the first quasi-identifier's; the others follow in declared order */
};

/* The table, or InvalidOid before the first answer. */
#define answered_of(publication) noted_relation(publication, "regions")

/* The table, made when it is not there yet: as the owner, inside SPI. */
extern Oid	answered_ensure(const DeclaredPublication *publication);

/* An answer; its classes are in no order. */
typedef struct AnsweredRelease
{
	uint32		nclasses;
	uint32		allocated;
	int64	   *number;			/* [nclasses] of the class */
	int64	   *rows;			/* [nclasses] */
	Cell	   *cell;			/* [nclasses][quasi-identifiers] */
} AnsweredRelease;

typedef struct Answered
{
	int			nqis;
	Cells	  **cells;			/* [nqis] borrowed */
	int32		nreleases;
	AnsweredRelease *release;	/* [nreleases] release n is release[n - 1]; empty if it was no answer */
	MemoryContext context;
} Answered;

/*
 * Reads the table up to a release; NULL if the table is missing or has other
 * columns.  Callers act as the owner, under the active snapshot.
 */
extern Answered *answered_read(const DeclaredPublication *publication, Cells **cells, int32 nreleases);

/* ----------------------------------------------------------------
 * Counterfeits: how many rows of each class are invented, where readers of releases may know it
 *
 * A plain table of TARGET_private, NAME_counterfeits, behind a view of the same name in TARGET: a reader who counts
 * in a release can correct for what is invented.  Classes without invented rows have no row in it.
 * ----------------------------------------------------------------
 */

/* The table, made when it is not there yet: as the owner, inside SPI. */
extern Oid	counterfeits_ensure(const DeclaredPublication *publication);

/* Does the publication's method let readers know? */
extern bool tells_counterfeits(const DeclaredPublication *publication);


#endif							/* PPREPUB_HISTORY_PAST_TABLES_H */
