/*
 * owner_warnings.h
 *		Warnings about what an owner may decide, but should know before it is
 *		too late.
 */
#ifndef PPREPUB_DECLARE_OWNER_WARNINGS_H
#define PPREPUB_DECLARE_OWNER_WARNINGS_H

#include "declare/publication.h"

/*
 * A WARNING when the insensitive columns together are unique for more than one
 * row in a hundred: an observer who knows them of a person finds that person's
 * row.  For more than half of the rows that is an error in a declaration,
 * unless its parameters accept it.
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

/* A column whose values seem to be persons, as pprepub_internal.person_columns() finds it. */
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

/*
 * A WARNING about each sensitive column without bands that is unique for more than half of the rows, or seems to be free
 * text.
 */
extern void warn_of_unique_sensitive(const DeclaredPublication *publication);

/*
 * A WARNING when the parameters let invented rows take the places of people
 * who have left, there are insensitive columns, and the parameters before
 * (NULL in a declaration) did not do so.  An invented row repeats another
 * person's insensitive values, so these show which row has gone.
 */
extern void warn_of_stand_ins(const DeclaredPublication *publication, Jsonb *before);

/*
 * A WARNING when rows of the source stand in unlogged tables: a crash of the
 * server empties these, but not the history.
 */
extern void warn_of_unlogged_tables(const DeclaredPublication *publication);

/*
 * A NOTICE when parameters given in a declaration lose many people of a table
 * that is published again and again, in numbers.
 */
extern void foresee_losses(const DeclaredPublication *publication, Jsonb *given);

#endif							/* PPREPUB_DECLARE_OWNER_WARNINGS_H */
