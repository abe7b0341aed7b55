/*
 * components.h
 *		People whose value is open hang together if they are in a class, or in the
 *		classes of a cover: what one of them has may depend on what another has.
 */
#ifndef PPREPUB_AUDIT_COMPONENTS_H
#define PPREPUB_AUDIT_COMPONENTS_H

#include "audit/compromise.h"

typedef struct Components
{
	uint32		n;
	uint64	   *first;			/* [n + 1] component c's groups are first[c] up to,
								 * not including, first[c + 1] */
	uint32	   *group;			/* those that are open, ascending within a component */
} Components;

/* Of the people whose value is open by now. */
extern Components *components_find(const Deduction *deduction);
extern void components_free(Components *components);

#endif							/* PPREPUB_AUDIT_COMPONENTS_H */
