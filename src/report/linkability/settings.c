/*
 * settings.c
 *		Defining how long exact answers are searched for.
 */
#include "postgres.h"

#include "report/linkability/settings.h"

#include "utils/guc.h"

double		fmj_budget = 1e8;

void
define_linkability_settings(void)
{
	/* An integer would not do: a search of a minute takes more steps than it holds. */
	DefineCustomRealVariable("pprepub.fmj_budget",
							 "How many steps a search for the full match join may take.",
							 "For the full match join of more than two releases; beyond it, an error.",
							 &fmj_budget, 1e8, 0, 1e18, PGC_USERSET, 0, NULL, NULL, NULL);
}
