/*
 * warnings.h
 *		What an owner should know before it is too late, but may decide.
 */
#ifndef PPREPUB_DECLARE_WARNINGS_H
#define PPREPUB_DECLARE_WARNINGS_H

#include "declare/publication.h"

/*
 * A WARNING when the insensitive columns together are unique for more than one
 * row in a hundred: whoever knows them of a person finds that person's row.
 */
extern void warn_of_unique_insensitive(const DeclaredPublication *publication);

/*
 * A WARNING when the parameters, other than those before, which are NULL in a
 * declaration, let invented rows take the places of people who have left, and
 * there are insensitive columns.  An invented row repeats those of somebody else,
 * so that the columns show which row has gone.
 */
extern void warn_of_stand_ins(const DeclaredPublication *publication, Jsonb *before);

/*
 * A WARNING when rows of the source stand in unlogged tables: a crash of the
 * server empties these, but not the history.
 */
extern void warn_of_unlogged_tables(const DeclaredPublication *publication);

/*
 * Called when a publication has been declared, and when its parameters have
 * changed from those before, which are NULL in a declaration.  Reading a source
 * is beyond declare/, so release/ says by this whether it can be published.
 */
typedef void (*SourceHook) (const DeclaredPublication *publication, Jsonb *before);

extern SourceHook source_hook;

#endif							/* PPREPUB_DECLARE_WARNINGS_H */
