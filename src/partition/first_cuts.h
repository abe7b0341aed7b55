/*
 * first_cuts.h
 *		The first cuts of many records, made in a sample of them.
 *
 * To cut millions of records in two takes as long as to look at all of them, and
 * a sample says as well where.  So a sample is cut until its parts stand for few
 * enough records; then each record goes, once, to the part where its codes belong.
 */
#ifndef PPREPUB_PARTITION_FIRST_CUTS_H
#define PPREPUB_PARTITION_FIRST_CUTS_H

#include "partition/groups.h"

/* Records in parts, all of which the principle allows. */
typedef struct FirstParts
{
	uint64		nparts;
	uint64	   *first;			/* [nparts + 1] part p is records[first[p]] up to, not including, records[first[p + 1]] */
	uint32	   *records;		/* mostly ascending in each part, so that they are read in order */
} FirstParts;

/*
 * Cuts the records into parts of about so many records and rows at most; NULL if they are too few for a sample, or the
 * sample is not cut.  A part may be larger, if only because none of its cuts is allowed.
 */
extern FirstParts *first_cuts(Work *work, uint32 most_records, uint64 most_rows);

#endif							/* PPREPUB_PARTITION_FIRST_CUTS_H */
