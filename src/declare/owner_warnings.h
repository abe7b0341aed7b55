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
