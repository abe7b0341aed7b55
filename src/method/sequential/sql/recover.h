/*
 * recover.h
 *		What people were who have left.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_RECOVER_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_RECOVER_H

#include "postgres.h"

#include "audit/join/graph.h"
#include "method/sequential/sql/parts.h"

typedef struct Recovery Recovery;

/* From the releases that are read, from this one on. */
extern Recovery *recovery_create(const Sequencing *sequencing, int32 first);

/*
 * Narrows what a person may be in each quasi-identifier to what he was, as far as the log tells: he
 * is in some of the releases, in others absent.
 */
extern void recover_person(const Recovery *recovery, Thread thread, const bool *is_absent, Span *cover);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_RECOVER_H */
