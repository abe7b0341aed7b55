/*
 * worlds.h
 *		All worlds that agree with the releases, where few people hang together.
 */
#ifndef PPREPUB_AUDIT_WORLDS_H
#define PPREPUB_AUDIT_WORLDS_H

#include "audit/compromise.h"

/* People whose value is open hang together if they are in a class; so many at most are searched. */
#define MAX_TOGETHER 14

typedef struct Worlds Worlds;

/* Changes the candidates of the deduction as it goes on. */
extern Worlds *worlds_create(const Statistics *statistics, Deduction *deduction);

/* The next thread that has lost a candidate, or NO_THREAD. */
extern Thread worlds_next(Worlds *worlds);

/* People in sets that were too large. */
extern uint64 worlds_unsearched(const Worlds *worlds);

#endif							/* PPREPUB_AUDIT_WORLDS_H */
