/*
 * witness.h
 *		Has the history been rewound?
 *
 * Each release notes where and when it was made.  After an old backup, a copied cluster or database, a restored dump
 * or a failover, more may have been published than the history says, so publishing is refused until the owner
 * acknowledges it.
 *
 * Publishing is also refused after a release was imported without the keys of
 * its rows: it cannot be judged together with later releases.
 */
#ifndef PPREPUB_HISTORY_WITNESS_H
#define PPREPUB_HISTORY_WITNESS_H

#include "postgres.h"

#include "declare/publication.h"

/* Describes how place and time of the last release or acknowledgement differ from the present; "" if not. */
extern const char *rewound_words(const DeclaredPublication *publication);

/* Raises an error if rewound_words() has anything to say. */
extern void verify_witness(const DeclaredPublication *publication);

/* Raises an error if a release was imported without keys, and the owner has not waived that. */
extern void verify_identified(const DeclaredPublication *publication);

/* Returns the present place and time as jsonb, for a release to note. */
extern Datum witness_now(void);

#endif							/* PPREPUB_HISTORY_WITNESS_H */
