/*
 * survey.h
 *		Looking where in the source people's rows stand.
 *
 * A process that answers again and again does so between two questions, a few
 * pages at a time, if it often had to look for rows in an index.
 */
#ifndef PPREPUB_HISTORY_SURVEY_H
#define PPREPUB_HISTORY_SURVEY_H

#include "postgres.h"

#include "access/attnum.h"
#include "frame/spots.h"
#include "storage/block.h"

struct Directory;

/* Starts as zeros. */
typedef struct Survey
{
	Oid			table;
	AttrNumber	key;
	Oid			key_type;
	bool		is_done;		/* once, at least */
	bool		is_under_way;
	BlockNumber next;			/* page to be looked at */
	uint64		strayed;		/* rows that were not where they were thought to be, since it began */
} Survey;

/* Of a source of so many people, so many rows had to be looked for in the index. */
extern void survey_note_strayed(Survey *survey, const PlainSource *source, uint64 rows, uint64 people);

/* In a transaction, as the owner: looks at some pages more, unless the table is locked. */
extern void survey_go_on(struct Directory *directory);

#endif							/* PPREPUB_HISTORY_SURVEY_H */
