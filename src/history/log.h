/*
 * log.h
 *		The append-only log of all that observers have seen of a publication.
 *
 * A plain table of TARGET_private, NAME_members.  A row is a class of a
 * release: its members' keys, in the key's own type, and the sensitive values
 * that were published of them, as arrays in the same order; fingerprints of
 * their quasi-identifiers tell later who has changed since.  Who was counted in
 * from a registry has a key, and neither a value nor a fingerprint.  A
 * counterfeit has no key; it stands for somebody who was published before, or
 * is an invented row with a number.  Everything else about the past is a fold of it.
 */
#ifndef PPREPUB_HISTORY_LOG_H
#define PPREPUB_HISTORY_LOG_H

#include "postgres.h"

#include "declare/publication.h"

/* The log's columns. */
enum
{
	LOG_RELEASE,
	LOG_CLASS,
	LOG_KEYS,
	LOG_STANDS_FOR,			/* keys, NULL where the class has none */
	LOG_INVENTED,				/* numbers, NULL where the class has none */
	LOG_SENSITIVE,
	LOG_FINGERPRINTS,			/* of the quasi-identifiers, 0 where they are not known, NULL for who has no true row */
	LOG_COLUMNS
};

/* The log, or InvalidOid before the first release. */
extern Oid	log_of(const DeclaredPublication *publication);

/* The log of a publication that has releases; an error when it is gone. */
extern Oid	log_verified(const DeclaredPublication *publication);

/* As the owner, inside SPI: the log, made when it is not there yet. */
extern Oid	log_ensure(const DeclaredPublication *publication);

/*
 * As the owner: words of a FROM item "log" with a row for each member of a
 * class: release, class, key, stands_for, invented, sensitive.
 */
extern char *log_rows(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_LOG_H */
