/*
 * key_marks.h
 *		People who are marked, a bit each: by their places, where they have any.
 *
 * The bits of many people fit where their numbers do not, so that most keys are
 * dealt with before one number would have come from memory.
 */
#ifndef PPREPUB_FRAME_KEY_MARKS_H
#define PPREPUB_FRAME_KEY_MARKS_H

#include "frame/keys.h"

typedef struct KeyMarks
{
	const KeyTable *table;
	uint64	   *bits;			/* by place; or by number */
	int			allocated;
	uint32	   *numbers;		/* [allocated] room for those of the keys at hand */
} KeyMarks;

/* Nobody is marked.  Lives in the current context, as long as the table can be asked. */
extern KeyMarks *marks_create(const KeyTable *table);

/* Marks those of the numbers that are somebody's. */
extern void marks_add(KeyMarks *marks, const uint32 *numbers, int n);

/*
 * Marks who has one of these keys, which are of a fixed length, one right behind
 * the other, and perhaps not aligned.  Returns how many have.
 */
extern int	marks_add_bare(KeyMarks *marks, const char *keys, int length, int n);

/* Who is marked, by number. */
extern bool *marks_by_number(const KeyMarks *marks);

#endif							/* PPREPUB_FRAME_KEY_MARKS_H */
