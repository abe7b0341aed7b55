/*
 * reserve.h
 *		How many times larger than k classes should be, for people to leave.
 */
#ifndef PPREPUB_METHOD_BPG_RESERVE_H
#define PPREPUB_METHOD_BPG_RESERVE_H

#include "method/bpg/class_life.h"
#include "partition/loss_curve.h"

/*
 * The average cost of a person in a release, over all releases, of people who
 * begin in classes of this size: what cells lose, those who are withheld, and
 * the rows invented.
 */
extern double cost_of_size(const Outlook *outlook, const LossCurve *curve, double size);

/* The reserve that costs least for so many people. */
extern uint64 best_reserve(const Outlook *outlook, const LossCurve *curve, uint64 people);

#endif							/* PPREPUB_METHOD_BPG_RESERVE_H */
