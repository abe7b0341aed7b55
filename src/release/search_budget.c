/*
 * search_budget.c
 *		Defining how long worlds are searched for, and counted.
 */
#include "postgres.h"

#include "release/search_budget.h"

#include "utils/guc.h"

double		search_budget = 1e8;

void
define_search_budget(void)
{
	/* An integer would not do, as for fmj_budget. */
	DefineCustomRealVariable("pprepub.search_budget",
							 "How many steps the exact searches of a call may take.",
							 "For compromise() and compromise_components(), which say of whom more may follow then, update_risk(), whose joint_candidates are null then, and link_posterior(), which raises an error.",
							 &search_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
}
