/*
 * log.h
 *		The append-only log of all that observers have seen of a publication.
 *
 * A plain table of TARGET_private, NAME_members: for each release the people
 * in it by their keys, in the key's own type, the class each was in and the
 * sensitive value published then.  A counterfeit has no key; it stands for
 * somebody who was published before, or is an invented row with a number.
 * Everything else about the past is a fold of it.
 */
#ifndef PPREPUB_HISTORY_LOG_H
#define PPREPUB_HISTORY_LOG_H

#include "postgres.h"

#include "declare/publication.h"

/* The log's columns. */
enum
{
	LOG_RELEASE,
	LOG_KEY,
	LOG_CLASS,
	LOG_SENSITIVE,
	LOG_STANDS_FOR,
	LOG_INVENTED,
	LOG_COLUMNS
};

/* The log, or InvalidOid before the first release. */
extern Oid	log_of(const DeclaredPublication *publication);

/* As the owner, inside SPI: the log, made when it is not there yet. */
extern Oid	log_ensure(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_LOG_H */
