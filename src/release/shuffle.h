/*
 * shuffle.h
 *		Orders that say nothing, drawn from a strong random source.
 */
#ifndef PPREPUB_RELEASE_SHUFFLE_H
#define PPREPUB_RELEASE_SHUFFLE_H

#include "postgres.h"

/* Random numbers in store. */
typedef struct Shuffler Shuffler;

extern Shuffler *shuffler_create(void);

/* Every order of the n elements is as likely as any other. */
extern void shuffle(Shuffler *shuffler, uint32 *elements, uint32 n);

extern uint64 random_seed(void);

#endif							/* PPREPUB_RELEASE_SHUFFLE_H */
