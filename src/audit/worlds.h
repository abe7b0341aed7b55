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

/* Says in the deduction who hangs together with whom, and whether all of their worlds were looked at. */
extern void worlds_end(Worlds *worlds);

#endif							/* PPREPUB_AUDIT_WORLDS_H */
