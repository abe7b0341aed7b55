/*
 * search_budgets.c
 *		Defining how long exact answers are searched for.
 */
#include "postgres.h"

#include "release/search_budgets.h"

#include "utils/guc.h"

double		fmj_budget = 1e8;
double		search_budget = 1e8;

/* Integers would not do: a search of a minute takes more steps than they hold. */
void
define_search_budgets(void)
{
	DefineCustomRealVariable("pprepub.fmj_budget",
							 "Sets how many steps linkability() may search for a full match join of more than two releases.",
							 "A search that needs more steps ends with an error.",
							 &fmj_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("pprepub.search_budget",
							 "Sets how many steps the exact searches of one call may take.",
							 "It applies to compromise(), risk_after_updates(), linkability() and report().",
							 &search_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
}
