/*
 * guard.h
 *		Checks that each tuple stays as hard to link as was promised.
 *
 * The definitions are those of audit/join/profile.h.  Here they are asked again
 * and again, after each specialisation, of those only whom it can concern.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_GUARD_H
#define PPREPUB_METHOD_SEQUENTIAL_GUARD_H

#include "audit/join/boxes.h"
#include "method/sequential/lots.h"
#include "partition/wide.h"

/* Records of a node that a tuple is consistent with, and that show the same value. */
typedef struct Candidate
{
	uint32		node;
	Code		value;			/* or NO_CODE */
	uint32		weight;			/* records */
} Candidate;

/* An earlier release, as tuples meet it: those that agree in what it shows are a kind. */
typedef struct Encounter
{
	uint32	   *kind;			/* [tuples] */
	uint64	   *first;			/* [kinds + 1] */
	Candidate  *candidate;		/* kind by kind */
	uint64	   *first_tuple;	/* [nodes + 1] */
	uint32	   *tuple;			/* node by node, those that meet it */
} Encounter;

/* Cliques that link tuples to k different values, as they were found */
typedef struct Witnesses
{
	const SeqPeople *people;	/* borrowed */
	uint32		k;				/* cliques of a tuple; 0 for no witnesses */
	Size		width;			/* numbers of a clique: its nodes in earlier releases, and the piece of the new one */
	uint32	  **of;				/* [tuples] their cliques, or NULL */
	uint64		room;			/* numbers that may still be kept */
	uint32	   *heard;			/* [k * width] those of the tuple at hand */
} Witnesses;

/* Numbers that are added to */
typedef struct Pile
{
	uint32		n;
	uint32		room;
	uint32	   *number;
} Pile;

/* A tuple's level, as it was */
typedef struct LevelBefore
{
	uint32		tuple;
	double		level;
} LevelBefore;

typedef struct Guard
{
	const SeqPeople *people;	/* borrowed */
	const JoinInput *input;		/* borrowed */
	const SeqTask *task;		/* borrowed */
	bool		watches;		/* some release shows the sensitive column */

	/*
	 * May a tuple's level be higher where releases are more specific?  Diversity may; and linkability, where people
	 * may be linked to values that are not shown: they count as a value beside others, but who is linked to nothing
	 * else is linked to nothing.
	 */
	bool		may_rise;
	Code		null_value;
	Code		nvalues;

	/* Tuples that differ in what any release shows, those alike in the new one side by side */
	uint32		ntuples;
	Span	   *cell;			/* [tuples * columns] in the new release's columns */
	int32		nfixed;			/* quasi-identifiers that the new release shows as they are */
	int32	   *fixed;			/* [nfixed] columns of the join */
	Encounter  *encounter;		/* [last] */

	/* The new release, as tuples meet it */
	uint32		nkinds;
	uint32	   *kind;			/* [tuples] */
	uint32	   *first_of_kind;	/* [kinds + 1] tuples */
	Boxes	   *kinds;
	uint32		nregions;		/* that kinds know of */
	Pile	   *regions;		/* [kinds] those that contain it */
	Pile	   *kinds_in;		/* [regions] */
	uint32	   *region_stamped; /* [regions] */
	uint32		region_room;
	uint32	   *found;			/* [kinds] */

	/* Records that the tuple at hand meets */
	const Candidate **candidate;	/* [releases] */
	uint32	   *ncandidates;
	int32	   *order;			/* [releases] those with fewest first */
	uint32	   *chosen;			/* [releases] nodes, in that order */
	Candidate  *fresh;			/* of the new release, of this kind, at this version, as far as they were asked for */
	uint32	   *fresh_piece;
	uint32		nfresh;
	uint32		fresh_room;
	uint32		fresh_regions;	/* of the kind's, those that they are from */
	uint32		fresh_kind;
	uint64		fresh_version;

	/* Values that it is linked to */
	uint32		enough;			/* different values */
	uint32		chosen_piece;	/* of the new release */
	bool	   *heard;			/* [values + 1] the last is "not shown" */
	Code	   *value;			/* [values + 1] those that were heard */
	uint32		nheard;
	bool		any;			/* clique */
	Wide	   *cliques;		/* [values + 1] */
	Wide	   *product;		/* [releases + 1] */
	Wide	   *total;

	/* Tuples that a change concerns */
	uint32		stamp;
	uint32	   *stamped;		/* [tuples] */
	Pile		concerned;
	uint32		culprit;		/* the tuple harmed last */
	Witnesses	witnesses;		/* of linkability */

	uint64		steps;			/* candidates looked at */

	/* Levels, where they are kept: they may rise */
	double	   *level;			/* [tuples] */
	LevelBefore *before;
	uint32		nbefore;
	uint32		before_room;
} Guard;

extern Guard *guard_create(const SeqTask *task, const SeqPeople *people);

/* After a settled change since these marks: does each tuple keep k? */
extern bool guard_holds(Guard *guard, uint32 web_mark, uint32 people_mark);

/*
 * The least level of all, and then again after a settled change since these marks, before which
 * it was "least".  Where levels cannot rise, what is less than k need not be the least.
 */
extern double guard_measure_all(Guard *guard);
extern double guard_measure(Guard *guard, uint32 web_mark, uint32 people_mark, double least);

static inline uint32
guard_mark(const Guard *guard)
{
	return guard->nbefore;
}

extern void guard_undo(Guard *guard, uint32 mark);

static inline void
guard_commit(Guard *guard)
{
	guard->nbefore = 0;
}

/* Private to guard.c and meet.c */
extern void prepare_encounters(Guard *guard);
extern void learn_regions(Guard *guard);
extern void meet_tuple(Guard *guard, uint32 tuple);
extern bool meet_more(Guard *guard);
extern void pile_add(Pile *pile, uint32 number);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_GUARD_H */
