/*
 * hc_safe.h
 *		Would a class let observers tell few of its people from those of an
 *		earlier class?  Paper 004, Figure 6.
 *
 * Two classes with most of their people in common correlate the few who are
 * not.  A class of size s is safe with degree n if each earlier class has all of
 * its people in common with it, or s - n at most.  Counterfeits are in no earlier
 * class.  This asks for no less than Definition 7, which looks only at classes
 * that show the same values.
 */
#ifndef PPREPUB_PARTITION_HC_SAFE_H
#define PPREPUB_PARTITION_HC_SAFE_H

#include "history/companies.h"

typedef struct HcRoom
{
	uint32	   *count;			/* [companies] zeros between two questions */
} HcRoom;

extern HcRoom hc_room(const Companies *companies);

/*
 * By how many people in all the class has too many in common with earlier ones:
 * 0 if it is safe.  rows[nrows] are its people, size counts counterfeits, too.
 * The time that it takes grows with how often these people were in other company.
 */
extern uint64 hc_excess(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint32 n, HcRoom *room);

/* The most people that it has in common with an earlier class that has not all of them. */
extern uint64 hc_most_in_common(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, HcRoom *room);

#endif							/* PPREPUB_PARTITION_HC_SAFE_H */
