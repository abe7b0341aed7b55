/*
 * candidates_sql.h
 *		What m-invariance and cor-split have in common in SQL.
 */
#ifndef PPREPUB_METHOD_CANDIDATES_SQL_CANDIDATES_SQL_H
#define PPREPUB_METHOD_CANDIDATES_SQL_CANDIDATES_SQL_H

#include "postgres.h"

#include "release/method_sql.h"

/* refusal.c: an error, for the owner, if the draft was refused. */
extern void verify_not_refused(const struct ReleaseBuild *build);

#endif							/* PPREPUB_METHOD_CANDIDATES_SQL_CANDIDATES_SQL_H */
