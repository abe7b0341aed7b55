/*
 * witness.h
 *		Has the history been rewound?
 *
 * Each release notes where and when it was made.  An old backup, a copied
 * cluster or database, a restored dump, a failover: all that is out of the
 * publication may be more than its history says then, and publishing is
 * refused until the owner has seen to it.
 *
 * The same goes for a release that was imported without saying whose its rows
 * are: what it tells of people cannot be judged together with what is to come.
 */
#ifndef PPREPUB_HISTORY_WITNESS_H
#define PPREPUB_HISTORY_WITNESS_H

#include "postgres.h"

#include "declare/publication.h"

/* How the place and time of the last release, or acknowledgement, differ from here and now: words, or "". */
extern const char *rewound_words(const DeclaredPublication *publication);

/* An error when they do. */
extern void verify_witness(const DeclaredPublication *publication);

/* An error when it is not known of a release whose its rows are, and the owner has not waived that. */
extern void verify_identified(const DeclaredPublication *publication);

/* Here and now, as jsonb, for a release to note. */
extern Datum witness_now(void);

#endif							/* PPREPUB_HISTORY_WITNESS_H */
