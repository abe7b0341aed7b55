/*
 * updates.h
 *		The declared updates of a publication: checked when they are declared, and
 *		held against what is to be published.
 */
#ifndef PPREPUB_METHOD_M_DISTINCT_SQL_UPDATES_H
#define PPREPUB_METHOD_M_DISTINCT_SQL_UPDATES_H

#include "postgres.h"

#include "frame/load.h"
#include "frame/update_sets.h"
#include "history/past.h"
#include "history/recall.h"

/* Checks a new copy of the table of updates: see declare/publication.h. */
extern void check_updates_table(const DeclaredPublication *publication, const char *param,
								Oid old_copy, Oid new_copy, bool accept_weakening);

/*
 * Called as the owner, under the active snapshot, between reading and finishing a load:
 * the declared updates, as they are read; and then in the frame's codes, as part of
 * the past.  The latter raises an error if rows of the frame have values that theirs
 * of before cannot have become, or cannot be followed.
 */
extern void *read_updates(const DeclaredPublication *publication, FrameLoad *load);
extern void apply_updates(const DeclaredPublication *publication, const void *updates,
						  const LoadedFrame *loaded, Past *past);

/*
 * An error, for the owner, if rows have no sensitive value, or one of which
 * nothing is declared.  "Whose" they are is told in words; values are those of
 * their codes.
 */
extern void verify_can_be_followed(const DeclaredPublication *publication, const char *whose, const Code *sensitive, uint64 nrows,
								   const Datum *values, const Updates *updates);

/*
 * The rows of the copy of a publication's updates in the codes of a log; values that it never had are left out.  They
 * count for families, though: *family, unless NULL, is set to what updates_components() finds of all.
 */
extern Updates *updates_in_log(const DeclaredPublication *publication, Oid table, const Recalled *recalled, uint32 **family);

/* Like updates_in_log(), of any table, read with the owner's rights: not checked, but closed where it has no probabilities. */
extern Updates *updates_named(const DeclaredPublication *publication, Oid table, Recalled *recalled);

#endif							/* PPREPUB_METHOD_M_DISTINCT_SQL_UPDATES_H */
