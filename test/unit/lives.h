/*
 * lives.h
 *		Random lives of small tables, and an attacker who sees every release.
 *
 * The attacker knows what the paper grants him: who is in which class of which
 * release, and what each row showed.  He is written from the paper's
 * definitions and shares no code with any method.
 */
#ifndef PPREPUB_TEST_LIVES_H
#define PPREPUB_TEST_LIVES_H

#include "shim.h"

#include "method/method.h"

#define MAX_INDIVIDUALS 600
#define MAX_RELEASES 20
#define MAX_LIFE	14			/* releases of a life that is led */
#define NQIS		2
#define NCODES		16
#define NVALUES		6
#define MAX_ADDED_AT	10			/* among the parameters of bpg */
#define PRINCIPLES_AT	13

/* A person, or an invented row that may come back. */
typedef struct Individual
{
	bool		alive;			/* in the source */
	bool		invented;		/* never was */
	Code		code[NQIS];
	Code		sensitive;
	int			class_in[MAX_RELEASES]; /* or -1 */
	Code		shown[MAX_RELEASES];
	bool		is_true[MAX_RELEASES];	/* by the row of the person */
} Individual;

typedef struct World World;

struct World
{
	Individual		individuals[MAX_INDIVIDUALS];
	int			nindividuals;
	int			releases;
	int			nclasses[MAX_RELEASES];
	int64		params[PRINCIPLES_AT + NPRINCIPLE_PARAMS];	/* k, l, repair, reserve, invented_cost, churn, horizon, leaves, strata, weights, max_added, … */

	/* Principles beyond k and l, by the book; NULL: none are declared */
	bool		(*allows_values) (const World *world, const int *count);
	const Aspects *aspects;

	/* The frame of the release at hand, and whose rows these are */
	Frame		frame;
	Domain		domain[NQIS];
	double		position[NQIS][NCODES];
	uint64		frequency[NQIS][NCODES];
	uint32		individual_of_row[MAX_INDIVIDUALS];
	bool		asked[MAX_INDIVIDUALS];
	Past		past;
	int			individual_of_member[MAX_INDIVIDUALS];
	Draft	   *draft;

	/* What came of it */
	uint64		nasked;
	uint64		nshown;
	uint64		ndirty;
	uint64		ninvented;
};

/* Drafts a release of world->frame, of which world->past was known. */
typedef Draft *(*Drafter) (World *world);

/* A random number; the same ones come in each run of a program. */
extern uint32 below(uint32 n);

/* What observers know: is each set allowed, with the values of each release that all of it was in? */
extern bool atoms_are_allowed(const World *world);
extern bool changes_are_hidden(const World *world);	/* of each change, may k people be the bearers? */
extern bool pairs_are_allowed(const World *world);	/* intersections and differences of two classes */
extern bool unions_are_allowed(const World *world); /* of atoms: all, or, where these are too many, some */

/* The rows of those alive, about so many percent of whom are asked for; and what is known of them. */
extern void make_frame(World *world, int asked_percent);
extern void make_past(World *world);

/* Observers see the draft, which must say rightly what it did. */
extern void publish(World *world);

/* All of it: a frame, its past, a draft of it, which is published. */
extern void release(World *world, int asked_percent, Drafter draft);

/* People come; and they come, go, come back, fall ill otherwise, and move. */
extern void add_people(World *world, int n, int values);
extern void pass_time(World *world, int percent);

/* Lives that are led under one method */
typedef struct Lives
{
	int			number;
	int			repair;
	int			asked_percent;
	void		(*begin) (World *world);	/* a life; or NULL */
	Drafter		draft;

	/* What came of them */
	int			attacked;		/* lives in which an atom was not allowed */
	int			attacked_pairs; /* of those where pairs were looked at */
	uint64		nasked;
	uint64		nshown;
	uint64		ndirty;
	uint64		ninvented;
} Lives;

extern void live(Lives *lives);

#endif							/* PPREPUB_TEST_LIVES_H */
