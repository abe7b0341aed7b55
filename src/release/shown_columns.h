/*
 * shown_columns.h
 *		Which columns a release is to show.
 */
#ifndef PPREPUB_RELEASE_SHOWN_COLUMNS_H
#define PPREPUB_RELEASE_SHOWN_COLUMNS_H

#include "postgres.h"

#include "declare/publication.h"
#include "utils/array.h"

/* All columns that may be shown, in words. */
extern char *releasable_names(const DeclaredPublication *publication);

/*
 * What names mean: a flag for each column of the publication.  NULL stands for
 * all but the key, which never leaves.  An error for names that are not
 * declared columns, or where the method publishes all or nothing.
 */
extern const bool *shown_columns(const DeclaredPublication *publication, ArrayType *names);

/* The same of a release that was made, which may show none of them. */
extern const bool *noted_columns(const DeclaredPublication *publication, ArrayType *names);

#endif							/* PPREPUB_RELEASE_SHOWN_COLUMNS_H */
