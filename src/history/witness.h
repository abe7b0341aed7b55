/*
 * witness.h
 *		Has the history been rewound?
 *
 * Each release notes where and when it was made.  An old backup, a copied
 * cluster or database, a restored dump, a failover: all that is out of the
 * publication may be more than its history says then, and publishing is
 * refused until the owner has seen to it.
 */
#ifndef PPREPUB_HISTORY_WITNESS_H
#define PPREPUB_HISTORY_WITNESS_H

#include "postgres.h"

#include "declare/publication.h"

/* An error when the last release, or acknowledgement, was not made here and before. */
extern void verify_witness(const DeclaredPublication *publication);

/* Here and now, as jsonb, for a release to note; between catalog_enter() and catalog_leave(). */
extern Datum witness_now(void);

#endif							/* PPREPUB_HISTORY_WITNESS_H */
