/*
 * class_life.h
 *		How the people of a class fare while others of it leave, on average; and how
 *		many times larger than k classes should be for that.
 */
#ifndef PPREPUB_METHOD_BPG_CLASS_LIFE_H
#define PPREPUB_METHOD_BPG_CLASS_LIFE_H

#include "partition/mondrian.h"

/* The future that classes are made for. */
typedef struct Outlook
{
	uint64		k;
	double		churn;			/* part of the people who leave from one release to the next */
	uint32		releases;		/* the one at hand and those that follow it */
	bool		invents;		/* do invented rows take places, or are people withheld? */
	double		invented_cost;	/* of a row, where 1 is that of a person withheld, or of a row whose cells tell nothing */
} Outlook;

/* Neighborhoods that are parted more often than this are taken for ones that are not parted any more. */
#define MOST_PARTINGS 63

typedef struct ClassLife
{
	const Outlook *outlook;
	double		alive;			/* people who are still there */
	double		dead;			/* those who have left since the class was parted last; only if rows are invented */
	int			npartings;		/* 0 if rows are invented */
	double		size[MOST_PARTINGS + 1];	/* after so many partings */
	double		shown[MOST_PARTINGS + 1];	/* parts of those there who are shown, in neighborhoods parted so often */
} ClassLife;

/* Parts of the people who are there. */
typedef struct PeopleShares
{
	double		withheld;
	double		invented;		/* rows */
} PeopleShares;

/* The class in its first release, and one release later. */
extern ClassLife class_life(const Outlook *outlook, double size);
extern void live_on(ClassLife *life);

/* The shares of the people of the class in this release. */
extern PeopleShares class_shares(const ClassLife *life);

/* The shares of all people in a release, the first being 1, if after each one as many come as leave, who are new classes of this size. */
extern PeopleShares release_shares(const Outlook *outlook, double size, uint32 release);

/* Are so many people fewer than the invented rows are worth that it takes to show them? */
extern bool is_dying(const Outlook *outlook, double alive, double dead);

/*
 * The average cost of a person in a release, over all releases, of people who
 * begin in classes of this size: what cells lose, those who are withheld, and
 * the rows invented.
 */
extern double cost_of_size(const Outlook *outlook, const LossCurve *curve, double size);

/* The reserve that costs least for so many people. */
extern uint64 best_reserve(const Outlook *outlook, const LossCurve *curve, uint64 people);

#endif							/* PPREPUB_METHOD_BPG_CLASS_LIFE_H */
