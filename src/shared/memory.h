/*
 * memory.h
 *		Memory that the sessions of a server share, made at run time.
 */
#ifndef PPREPUB_SHARED_MEMORY_H
#define PPREPUB_SHARED_MEMORY_H

#include "postgres.h"

/*
 * Finds the memory of this name, or allocates it and has it initialized, which must
 * not fail.  NULL, rather than an error, when shared memory has no room for it.
 *
 * It stays allocated until the server restarts, whatever library is installed
 * meanwhile.  So its name carries a version, to be raised with each change of what
 * it holds.  Nothing need be preloaded.
 */
extern void *memory_of_sessions(const char *name, Size size, void (*initialize) (void *fresh));

#endif							/* PPREPUB_SHARED_MEMORY_H */
