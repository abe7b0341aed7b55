/*
 * optional_work.c
 *		Doing what may as well be left undone.
 */
#include "answer/optional_work.h"

#include "access/xact.h"
#include "utils/memutils.h"

bool
do_unasked(void (*work) (void *what), void *what)
{
	MemoryContext old = CurrentMemoryContext;
	volatile bool is_done = false;

	PG_TRY();
	{
		work(what);
		is_done = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(old);
		FlushErrorState();		/* it will be tried again, or a question will meet it */
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return is_done;
}
