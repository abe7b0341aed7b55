/*
 * past_tables.h
 *		The tables in which the past of a publication is kept: how they are made,
 *		what columns they have, and what is wrong with them.
 *
 * They stand in TARGET_private, and are called NAME_ and the name of the part.
 * The log is what all else follows from: members, of releases that have tables,
 * and asked, of answers (see log.h).  Neighborhoods (see fold.h) and paths (see
 * paths_read.h) are folds of it, kept for methods that need them, and made anew
 * by rebuild_history().  Regions (see answer_regions.h) and counterfeits have columns
 * that depend on the publication, or on nothing.
 */
#ifndef PPREPUB_HISTORY_PAST_TABLES_H
#define PPREPUB_HISTORY_PAST_TABLES_H

#include "postgres.h"

#include "compat.h"
#include "declare/method_declaration.h"
#include "declare/publication.h"
#include "executor/tuptable.h"

typedef enum PastTable
{
	MEMBERS_TABLE,
	ASKED_TABLE,
	NEIGHBORHOODS_TABLE,
	PATHS_TABLE
} PastTable;

/* Columns of members and asked: see log.h.  Members of a class are people who have a row, then people who are counted in, then counterfeits. */
enum
{
	LOG_RELEASE,
	LOG_CLASS,
	LOG_KEYS,					/* of people */
	LOG_STANDS_FOR,				/* of all members: keys of people whom a counterfeit stands for; NULL where the class
								 * has none */
	LOG_INVENTED,				/* of all members: numbers of other counterfeits; NULL where the class has none */
	LOG_SENSITIVE,				/* of all members */
	LOG_FINGERPRINTS,			/* of the quasi-identifiers of those who have a row, 0 where they are not known */
	LOG_COLUMNS
};

/* Columns of neighborhoods: see fold.h. */
enum
{
	FOLD_NEIGHBORHOOD,
	FOLD_KEYS,
	FOLD_INVENTED,
	FOLD_SENSITIVE,
	FOLD_COLUMNS
};

/* Columns of paths: see path_blocks.h. */
enum
{
	PATHS_RELEASE,
	PATHS_PEOPLE,				/* the numbers of people, invented rows and rows in all */
	PATHS_INVENTED,				/* there are up to the end of the block */
	PATHS_ROWS,
	PATHS_KEYS,
	PATHS_SIZES,
	PATHS_MEMBERS,
	PATHS_SHOWN,				/* places in the values, from 0 on; -1 for NULL */
	PATHS_VALUES,
	PATHS_DISCLOSED,			/* of members, 0 for invented rows; NULL where the method does not ask */
	PATHS_COLUMNS
};

/* Does the publication's method ask for this, PAST_…? */
extern bool keeps_past(const DeclaredPublication *publication, int what);

/* The table, or InvalidOid before the first release. */
extern Oid	past_table(const DeclaredPublication *publication, PastTable which);

/* The table, made when it is not there yet: as the owner, inside SPI. */
extern Oid	past_table_ensure(const DeclaredPublication *publication, PastTable which);

/*
 * Has the table, which is there, the columns that it was made with?  Rows are read
 * and written by position: to take a number for an array would bring the server
 * down.  The latter raises an error if not.
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

/* Errors of tables that tell of so many people only, or have malformed rows: one of neighborhoods, or some of paths. */
pg_noreturn extern void past_refuse(const DeclaredPublication *publication, uint64 members);
pg_noreturn extern void refuse_neighborhood(const DeclaredPublication *publication, const TupleTableSlot *slot);
pg_noreturn extern void refuse_paths(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_PAST_TABLES_H */
