/*
 * updates.h
 *		The declared updates of a publication: checked when they are declared, and
 *		held against what is to be published.
 */
#ifndef PPREPUB_METHOD_M_DISTINCT_SQL_UPDATES_H
#define PPREPUB_METHOD_M_DISTINCT_SQL_UPDATES_H

#include "postgres.h"

#include "frame/load.h"
#include "frame/updates.h"
#include "history/past.h"
#include "history/recall.h"

/* Has its say on each new copy of a table that a parameter names: see declare/tables.h. */
extern void check_updates_table(const DeclaredPublication *publication, const char *param,
								Oid old_copy, Oid new_copy, bool accept_weakening);

/*
 * As the owner, under the active snapshot, between reading and finishing a load:
 * the declared updates, or NULL where the method has none; and then in the
 * frame's codes.
 */
typedef struct UpdateRows UpdateRows;

extern UpdateRows *read_updates(const DeclaredPublication *publication, FrameLoad *load);
extern const Updates *updates_in_frame(const UpdateRows *rows, const LoadedFrame *loaded);

/*
 * An error, for the owner, if rows have no sensitive value, or one of which
 * nothing is declared.  "Whose" they are is told in words; values are those of
 * their codes.
 */
extern void verify_can_be_followed(const DeclaredPublication *publication, const char *whose, const Code *sensitive, uint64 nrows,
								   const Datum *values, const Updates *updates);

/* The same of what is to be published, or if a value is one that theirs of before cannot have become. */
extern void verify_updates(const DeclaredPublication *publication, const LoadedFrame *loaded, const Past *past);

/* The rows of a table of updates in the codes of a log; values that it never had are left out. */
extern Updates *updates_in_log(const DeclaredPublication *publication, Oid table, Recalled *recalled);

/* The same of a table that somebody names, read with the owner's rights: not checked, but closed where it has no probabilities. */
extern Updates *updates_named(const DeclaredPublication *publication, Oid table, Recalled *recalled);

#endif							/* PPREPUB_METHOD_M_DISTINCT_SQL_UPDATES_H */
