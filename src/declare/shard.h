/*
 * shard.h
 *		A publication that is one shard of several: which rows of the source are its own, and who stays in it.
 *
 * The condition stands in the pinned view, so nothing else of the source is ever read.  Where it looks at more than the key,
 * a person can come to meet another shard's.  A guard then keeps everybody out who was not cleared: the coordinator of all
 * shards clears each person for one of them, and knows them by keyed hashes.
 */
#ifndef PPREPUB_DECLARE_SHARD_H
#define PPREPUB_DECLARE_SHARD_H

#include "postgres.h"

#include "declare/publication.h"
#include "nodes/nodes.h"
#include "parser/parse_node.h"

/* Reads a text that is one expression and nothing else, which "what" names in an error: as it is written, without any meaning. */
extern Node *only_expression(ParseState *pstate, const char *text, const char *what);

/* An error's callback: a place in a text that was read is none in the statement that the text came with. */
extern void move_position(void *text);

/* Sets a declaration's condition as it is meant, whatever the session's settings; an error if it is none of one row. */
extern void declare_shard(DeclaredPublication *publication, const char *text, const char *key);

/* The condition of the pinned view, by the names that columns of the source have now; NULL without.  As the owner. */
extern char *shard_condition(const DeclaredPublication *publication);

/* The guard, which a pinned view has beside the condition: that a row's person is cleared, by a key of this name. */
extern char *guard_sql(const DeclaredPublication *publication, const char *key);

/* An error if the source has rows of other shards.  As the owner, inside SPI, under the active snapshot. */
extern void verify_in_shard(const DeclaredPublication *publication);

/* Forgets people, whose keys are given as text, among those who were cleared.  Likewise. */
extern void forget_cleared(const DeclaredPublication *publication, Datum keys);

/* An error if all shards are published together, and this transaction has not begun to. */
extern void verify_begun(const DeclaredPublication *publication);

#endif							/* PPREPUB_DECLARE_SHARD_H */
