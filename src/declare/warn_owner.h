/*
 * warn_owner.h
 *		Warnings to owners, which a release keeps, and publications whose sources reach the same tables.
 *
 * A schedule's warnings reach nobody: the server's log is not for owners.  So each WARNING about a publication is raised
 * here, and while a release is made it is remembered, too, whatever client_min_messages says.
 */
#ifndef PPREPUB_DECLARE_WARN_OWNER_H
#define PPREPUB_DECLARE_WARN_OWNER_H

#include "postgres.h"

#include "declare/publication.h"
#include "utils/array.h"

/* In the parts that ereport() knows; all but the message may be NULL. */
typedef struct OwnerWarning
{
	const char *message;
	const char *detail;
	const char *log_detail;		/* in place of the detail, in the server's log */
	const char *hint;
	bool		starves;		/* does the release withhold rows that its schedule should not lose? */
} OwnerWarning;

/* Raises a WARNING, and remembers it if warnings about the publication are remembered. */
extern void warn_owner(const DeclaredPublication *publication, const OwnerWarning *warning);

/* The last release, which was made elsewhere, breaks what the publication promises: the caller says how, and what follows. */
extern void warn_of_weak_release(const DeclaredPublication *publication, const OwnerWarning *warning);

/* From now on warnings are remembered, in the current context. */
extern void remember_warnings(DeclaredPublication *publication);

/*
 * Returns what was remembered, as text[], each warning with its detail and hint in one line; NULL if nothing was.  Did
 * one of them say that the release starves?
 */
extern ArrayType *remembered_warnings(const DeclaredPublication *publication, bool *starving);

/* ---- What to warn of ---- */

/*
 * A WARNING when the insensitive columns together are unique for more than one row in a hundred: an observer who knows
 * them of a person finds that person's row.  For more than half of the rows that is an error in a declaration, unless its
 * parameters accept it.
 */
extern void warn_of_unique_insensitive(const DeclaredPublication *publication, bool is_declared);

/* A query for one row of figures, each a bigint, and they; 0 for NULL. */
typedef struct Figures
{
	Oid			owner;			/* who asks */
	const char *sql;
	int64		figure[3];
} Figures;

/* Asks as the owner; false if that fails: look_at_source() tells if a source cannot be read. */
extern bool ask_figures(Figures *figures);

/* A column whose values seem to be persons. */
typedef struct PersonColumn
{
	char	   *name;
	char	   *target;			/* the table that a foreign key points to, or NULL: by the name alone */
	bool		is_named;		/* is it, or the table, named like persons? */
	bool		is_shown;		/* has the relation the column, or only a table that it reads? */
	int32		rows_each;		/* the most that a person may have, on average */
	char	   *words;			/* why it seems so */
} PersonColumn;

/* Lists such columns, the likeliest first; none if the key (which may be NULL) seems to be a person itself. */
extern PersonColumn *find_person_columns(Oid source, const char *key, int *n);

/* A WARNING when rows of the source seem to be of persons who have several: what counts keys counts rows. */
extern void warn_of_several_rows(const DeclaredPublication *publication);

#define FEWEST_UNIQUE	10		/* where one in so many rows at most has a value of its own, there is no warning */

/*
 * A WARNING about each sensitive column without bands that is unique for more than half of the rows, or seems to be free
 * text.
 */
extern void warn_of_unique_sensitive(const DeclaredPublication *publication);

/*
 * A WARNING when the parameters let invented rows take the places of people who have left, there are insensitive columns,
 * and the parameters before (NULL in a declaration) did not do so.  An invented row repeats another person's insensitive
 * values, so these show which row has gone.
 */
extern void warn_of_stand_ins(const DeclaredPublication *publication, Jsonb *before);

/* A WARNING when rows of the source stand in unlogged tables: a crash of the server empties these, but not the history. */
extern void warn_of_unlogged_tables(const DeclaredPublication *publication);

/* A WARNING when a person can come to be of another shard, by a condition that looks at more than the key. */
extern void warn_of_moves(const DeclaredPublication *publication);

/* ---- Publications whose sources reach the same tables ---- */

/*
 * Refuses a source that reaches a table which another publication reaches too (through views, materialized views,
 * partitions and inheritance, up and down), unless one of the two was declared beside the other: each would be judged
 * without the other.  Lookup tables, which one of the two says hold no people, are shared by whom they may.
 * publication->id is 0 when it does not exist yet.
 */
extern void verify_shares_no_data(const DeclaredPublication *publication);

/*
 * For a declaration whose source shares nothing else: refuses lookup tables, its own and those of others that it reads,
 * too, which seem to hold people of the source, or of a publication that reads them.  Nothing can prove that a table
 * holds none.
 */
extern void verify_lookups(const DeclaredPublication *publication, const char *key);

/* The lookup tables that others reach, too, each with a publication; NULL if there are none.  Are the source's people in one? */
extern char *shared_lookups(const DeclaredPublication *publication, bool *has_own_people);

#endif							/* PPREPUB_DECLARE_WARN_OWNER_H */
