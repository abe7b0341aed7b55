/*
 * steps.c
 *		A search that has used up its steps.
 */
#include "shared/progress.h"

uint64	   *steps_left = NULL;

void
take_steps(uint64 n)
{
	if (steps_left == NULL)
		return;
	if (*steps_left < n)
	{
		*steps_left = 0;
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("a search was not finished within its steps"),
				 errhint("Raise pprepub.search_budget.")));
	}
	*steps_left -= n;
}
