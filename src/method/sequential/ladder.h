/*
 * ladder.h
 *		A tree for each domain, and what its cells lose.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_LADDER_H
#define PPREPUB_METHOD_SEQUENTIAL_LADDER_H

#include "frame/domain.h"

/* The domain's own tree; or, of a line, a ladder of intervals, each of which has half of the values of the one above. */
extern const Tree *steps_of(const Domain *domain);

/* The loss of each node: by the loss metric, or by the entropy measure (paper 000, section 5.2). */
extern double *losses_of(const Domain *domain, const Tree *tree, bool entropy);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_LADDER_H */
