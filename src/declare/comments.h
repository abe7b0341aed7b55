/*
 * comments.h
 *		Comments on what stands in TARGET: what it is, what each column prints, and
 *		what is promised.
 */
#ifndef PPREPUB_DECLARE_COMMENTS_H
#define PPREPUB_DECLARE_COMMENTS_H

#include "postgres.h"

#include "declare/publication.h"

typedef enum ShownAs
{
	SHOWN_AS_CELLS,				/* as in releases */
	SHOWN_AS_VALUES				/* as in live tables: see value_columns.h */
} ShownAs;

/* Comments on a relation, as a phrase without a full stop; the promise is put behind. */
extern void comment_on_relation(const DeclaredPublication *publication, Oid relation, const char *what);

extern void comment_on_column(Oid relation, const char *name, const char *comment);

/* Comments on the columns of a relation that are columns of releases, as far as it has them. */
extern void comment_on_columns(const DeclaredPublication *publication, Oid relation, ShownAs shown);

#endif							/* PPREPUB_DECLARE_COMMENTS_H */
