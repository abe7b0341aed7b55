/*
 * reserve.h
 *		How many times larger than k classes should be, for people to leave.
 */
#ifndef PPREPUB_METHOD_BPG_RESERVE_H
#define PPREPUB_METHOD_BPG_RESERVE_H

#include "partition/loss_curve.h"

/* The future that classes are chosen for. */
typedef struct Outlook
{
	uint64		k;
	double		churn;			/* part of the people who leave from one release to the next */
	uint32		releases;		/* the one at hand and those that follow it */
	bool		invents;		/* do invented rows take places, or are people withheld? */
	double		invented_cost;	/* of a row, where 1 is that of a person withheld, or of a row whose cells tell nothing */
} Outlook;

/*
 * The average cost of a person in a release, over all releases, of people who
 * begin in classes of this size: what cells lose, those who are withheld, and
 * the rows invented.
 */
extern double cost_of_size(const Outlook *outlook, const LossCurve *curve, double size);

/* The reserve that costs least for so many people. */
extern uint64 best_reserve(const Outlook *outlook, const LossCurve *curve, uint64 people);

/* Are so many people fewer than the invented rows are worth that it takes to show them? */
extern bool is_dying(const Outlook *outlook, double alive, double dead);

#endif							/* PPREPUB_METHOD_BPG_RESERVE_H */
