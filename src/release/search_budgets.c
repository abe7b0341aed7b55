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
							 "How many steps a search for the full match join may take.",
							 "For the full match join of more than two releases; beyond it, an error.",
							 &fmj_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("pprepub.search_budget",
							 "How many steps the exact searches of a call may take.",
							 "For compromise() and compromise_components(), which say of whom more may follow then, risk_after_updates(), whose joint_candidates are null then, and link_posterior(), which raises an error.",
							 &search_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
}
