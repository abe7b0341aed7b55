/*
 * ties.h
 *		May a person who once had a place in another group get one in this group, and what may groups show then?
 *
 * Observers know who was in which group, and suppose that a value changed only where a group showed new ones; so the
 * places of one person must show one value, and each such tie leaves fewer worlds possible than its groups do by
 * themselves.  A tie is refused where that could leave somebody with too few values, or rows; and so are new values and
 * new parts of groups in which somebody is tied.
 */
#ifndef PPREPUB_BPG_TIES_H
#define PPREPUB_BPG_TIES_H

#include "postgres.h"

#include "frame/frame.h"
#include "history/past.h"
#include "partition/principle.h"

typedef enum TiesRule
{
	TIES_ALONE,					/* each seat is judged as if nobody else were tied */
	TIES_WORLDS,				/* worlds prove each value and row */
	TIES_NONE					/* people keep to their groups */
} TiesRule;

typedef struct Ties Ties;

/* In the current context.  Under a principle of shares no tie is allowed, whatever the rule, but those of the past count. */
extern Ties *ties_create(const Frame *frame, const Past *past, const Principle *principle, uint64 k, TiesRule rule);

/* May anybody be tied? */
extern bool ties_are_taken(const Ties *ties);

/* Has somebody who held the place one in another group, too? */
extern bool place_is_tied(const Ties *ties, uint64 place);

/*
 * May the person of a row, who has stays, take a free place of the past?  If so it is taken note of, for later
 * questions.
 */
extern bool tie_to_place(Ties *ties, RowId row, uint64 place);

/* The arrival was given up; NO_PLACE: the new group was. */
extern void ties_forget(Ties *ties, RowId row, uint64 place);

/*
 * May these people stand together in a new group?  Removes those who may not from rows[]; returns how many are left.
 * The answer is taken note of, too.
 */
extern uint64 tie_to_class(Ties *ties, RowId *rows, uint64 n);

/* Does what the part of a place shows now leave people values and rows enough?  To be asked before all else. */
extern bool ties_allow_part(Ties *ties, uint64 place);

/* May the n places of a part show the values of those who sit there?  If so it is taken note of. */
extern bool ties_allow_values(Ties *ties, const uint64 *place, uint64 n, const RowId *sitter);

/* May these n places of a part be parted from the others?  If so it is taken note of. */
extern bool ties_allow_parting(Ties *ties, const uint64 *place, uint64 n);

#endif							/* PPREPUB_BPG_TIES_H */
