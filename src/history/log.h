/*
 * log.h
 *		The append-only log of all that observers have seen of a publication.
 *
 * Two tables of TARGET_private: NAME_members for releases that have tables,
 * NAME_asked for answers.  A row is a class of a release: its members' keys, in
 * the key's own type, and the sensitive values that were published of them, as
 * arrays in the same order; fingerprints of their quasi-identifiers tell later
 * who has changed since.  A person counted in from a registry has a key, and
 * neither a value nor a fingerprint.  A counterfeit has no key; it stands for a
 * person who was published before, or is an invented row with a number.
 * Everything else about the past is a fold of it.
 *
 * NOTES
 *		The former is of the access method pprepub, and takes a third of what a
 *		heap does.  How small it makes a class depends on the keys and the
 *		fingerprints in it; and how much an answer writes can be seen by all,
 *		in the position of the WAL.  So the log of answers is
 *		a heap, in which that is known from the rows that are given out.
 */
#ifndef PPREPUB_HISTORY_LOG_H
#define PPREPUB_HISTORY_LOG_H

#include "postgres.h"

#include "history/past_tables.h"

/* Raises an error if a part of the log is gone or has other columns.  The publication must have releases. */
extern void log_verify(const DeclaredPublication *publication);

/* Makes both parts when they are not there yet: as the owner, inside SPI. */
extern void log_ensure(const DeclaredPublication *publication);

/* Visits all rows of the log of a publication with releases, each in a context that is reset afterwards. */
extern void log_read(const DeclaredPublication *publication, void (*visit) (void *what, TupleTableSlot *slot), void *what);

#endif							/* PPREPUB_HISTORY_LOG_H */
