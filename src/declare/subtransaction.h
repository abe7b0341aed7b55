/*
 * subtransaction.h
 *		Running code that may fail through no fault of ours: it reads what others
 *		made.
 */
#ifndef PPREPUB_DECLARE_SUBTRANSACTION_H
#define PPREPUB_DECLARE_SUBTRANSACTION_H

#include "postgres.h"

/*
 * Does the work in a subtransaction, in the current context.  Returns NULL, or
 * the error that it came to: then all is undone, but for what it wrote into
 * memory.  A caller that does not swallow the error throws it again, after this
 * has returned: thrown earlier, it would end the subtransaction of a handler
 * further up instead of ours.
 */
extern ErrorData *try_in_subtransaction(void (*work) (void *what), void *what);

/* For work that only looks: all is undone also where it did not fail. */
extern ErrorData *look_in_subtransaction(void (*work) (void *what), void *what);

/* Is it the moment that made an error, and not what was read? */
extern bool is_transient(int sqlerrcode);

#endif							/* PPREPUB_DECLARE_SUBTRANSACTION_H */
