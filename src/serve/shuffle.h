/*
 * shuffle.h
 *		Orders that say nothing, drawn from a strong random source.
 */
#ifndef PPREPUB_SERVE_SHUFFLE_H
#define PPREPUB_SERVE_SHUFFLE_H

#include "postgres.h"

/* Every order of the n elements is as likely as any other. */
extern void shuffle(uint32 *elements, uint64 n);

extern uint64 random_seed(void);

#endif							/* PPREPUB_SERVE_SHUFFLE_H */
