/*
 * source_overlap.h
 *		Publications whose sources reach the same tables.
 */
#ifndef PPREPUB_DECLARE_SOURCE_OVERLAP_H
#define PPREPUB_DECLARE_SOURCE_OVERLAP_H

#include "postgres.h"

#include "declare/publication.h"

/*
 * Refuses a source that reaches a table which another publication reaches too
 * (through views, materialized views, partitions and inheritance, up and
 * down), unless one of the two was declared beside the other: each would be
 * judged without the other.  Lookup tables, which one of the two says hold no
 * people, are shared by whom they may.  publication->id is 0 when it does not
 * exist yet.
 */
extern void verify_shares_no_data(const DeclaredPublication *publication);

/*
 * For a declaration whose source shares nothing else: refuses lookup tables, its own and those of others that it reads,
 * too, which seem to hold people of the source, or of a publication that reads them.  Nothing can prove that a table holds none.
 */
extern void verify_lookups(const DeclaredPublication *publication, const char *key);

/* The lookup tables that others reach, too, each with a publication; NULL if there are none.  Are the source's people in one? */
extern char *shared_lookups(const DeclaredPublication *publication, bool *has_own_people);

#endif							/* PPREPUB_DECLARE_SOURCE_OVERLAP_H */
