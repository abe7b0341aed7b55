/*
 * companies.h
 *		People of a source who were in a class together, in any release so far.
 *
 * A company is a set of people who are in the source and were in one class; its
 * other members, and when that was, are not said.  Sets that were together in one release
 * after the other are one company.  Methods that ask for PAST_COMPANIES get
 * those that are large enough to tell something: see method_declaration.h.
 */
#ifndef PPREPUB_HISTORY_COMPANIES_H
#define PPREPUB_HISTORY_COMPANIES_H

#include "frame/frame.h"

typedef struct Companies
{
	uint32		n;
	uint64	   *first;			/* [rows of the frame + 1] the companies of row r are from first[r] up to, not
								 * including, first[r + 1] */
	uint32	   *company;		/* [first[rows]] */
	uint32	   *releases;		/* [rows] the releases that a person was in */
} Companies;

typedef struct CompanyFinder CompanyFinder;

/* In the current context. */
extern CompanyFinder *companies_begin(uint64 nrows);

/* The person of a row was in a release. */
extern void companies_count(CompanyFinder *finder, RowId row);

/* The people of these rows were in one class.  Classes come release by release, so that a company that stayed together is noticed. */
extern void companies_add(CompanyFinder *finder, const RowId *rows, uint32 n);

extern const Companies *companies_end(CompanyFinder *finder);

#endif							/* PPREPUB_HISTORY_COMPANIES_H */
