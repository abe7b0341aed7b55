/*
 * covers.h
 *		Observers who know that invented rows only have values that are known: what
 *		the first release of each value says.
 *
 * In its first release a true row has the value.  So of the rows that show it
 * there, one less than all are invented, at most.  That says something where its
 * classes have as many invented rows as rows with the value: then it is a cover.
 */
#ifndef PPREPUB_AUDIT_COVERS_H
#define PPREPUB_AUDIT_COVERS_H

#include "audit/compromise.h"

typedef struct Cover
{
	Code		value;
	uint64		most;			/* invented rows with the value */
	uint32		n;
	uint32	   *group;			/* [n] all groups of invented rows in its classes */
} Cover;

typedef struct Covers
{
	uint32		n;
	Cover	   *cover;
} Covers;

/* Not those of values that no true row has in their first release: there, observers are wrong. */
extern Covers *covers_find(const Peers *peers);

/* Could more rows of open groups have the value than may, by what is deduced?  If not, the cover says nothing. */
extern bool cover_binds(const Deduction *deduction, const Cover *cover);

/* Is the value a candidate of the group, which is open? */
extern bool may_have(const Deduction *deduction, uint32 group, Code value);

/* How many people of a group have a value, as published. */
extern uint64 peers_having(const Peers *peers, uint32 group, Code value);

#endif							/* PPREPUB_AUDIT_COVERS_H */
