/*
 * admission.h
 *		The state of a kernel's cliques while it is narrowed to the full match join:
 *		for the files that do it.
 */
#ifndef PPREPUB_AUDIT_JOIN_ADMISSION_H
#define PPREPUB_AUDIT_JOIN_ADMISSION_H

#include "audit/join/listing.h"
#include "miscadmin.h"

/* A clique that was decided, and what else it may be */
typedef struct Decision
{
	uint32		clique;
	uint32		people;
	uint32		least;
} Decision;

/* The most people who are joined otherwise, beside those who have a clique's nodes */
#define MOST_EXTRAS		6

typedef struct Full
{
	JoinGraph  *graph;
	int32		nreleases;
	uint64		steps;			/* cliques that may still be looked at */
	Listing		listing;		/* of the kernel's cliques: fewer than NO_CLIQUE */
	bool	   *admitted;		/* [cliques] */
	uint64	   *first_clique;	/* [nodes + 1] */
	uint32	   *clique_of;		/* [cliques * releases] node by node */

	/* Nodes of components */
	uint32	   *first_member;	/* [nodes + 1] by root; empty for others */
	uint32	   *member;			/* [nodes] root by root */

	/* A perfect matching of those components of which one is known */
	uint32	   *base;			/* [cliques] people that it stands for */
	bool	   *has_base;		/* [nodes] by root */
	uint64	   *nbased;			/* [nodes] cliques that stand for a person: the first of the node's */

	uint32	   *own;			/* [releases] nodes of a person */

	/* People who are joined otherwise: person i has node (r, i) of release r */
	uint32	   *exchanged;		/* [releases * (releases + MOST_EXTRAS)] */
	uint32		nexchanged;
	uint32		tries;			/* that may still be made */

	/* The search at hand */
	uint32	   *left;			/* [nodes] records that no clique stands for yet */
	uint32	   *people;			/* [cliques] */
	bool	   *decided;		/* [cliques] */
	Decision   *decision;		/* [cliques] */
	uint32		ndecisions;
} Full;

#define NO_CLIQUE PG_UINT32_MAX

/* Pays for looking at something; false if that is over the budget. */
static inline bool
full_pay(Full *full)
{
	if (full->steps == 0)
		return false;
	if (--full->steps % 65536 == 0)
		CHECK_FOR_INTERRUPTS();
	return true;
}

/* Notes that a perfect matching of a component is known. */
extern void note_base(Full *full, uint32 root);

/*
 * Searches a perfect matching of a component that contains a clique, and
 * admits the cliques in it; false if that is over the budget.
 */
extern bool search_matching(Full *full, uint32 clique);

/*
 * Joins a few people of the known matching otherwise, so that a clique stands for a person, and
 * admits whatever then does; false if none of the attempts comes to that.
 */
extern bool exchange_people(Full *full, uint32 clique);

#endif							/* PPREPUB_AUDIT_JOIN_ADMISSION_H */
