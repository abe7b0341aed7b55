/*
 * steps.c
 *		A search that has used up its steps.
 */
#include "shared/steps.h"

uint64	   *steps_left = NULL;

void
refuse_steps(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("a search was not finished within its steps"),
			 errhint("Raise pprepub.search_budget.")));
}
