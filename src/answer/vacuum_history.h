/*
 * vacuum_history.h
 *		VACUUM, for tables that nobody else vacuums: workers count nothing into
 *		the cumulative statistics, which all may read, so autovacuum does not
 *		learn of the rows that answers replace.
 */
#ifndef PPREPUB_ANSWER_VACUUM_HISTORY_H
#define PPREPUB_ANSWER_VACUUM_HISTORY_H

#include "postgres.h"

#include "answer/answer.h"

/* Outside of transactions: after some answers of a publication, vacuums its fold and the catalog, unless somebody has locked them. */
extern void vacuum_after(const Answer *answer);

#endif							/* PPREPUB_ANSWER_VACUUM_HISTORY_H */
