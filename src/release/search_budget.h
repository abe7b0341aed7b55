/*
 * search_budget.h
 *		The setting of exact searches, but for that of match joins.
 */
#ifndef PPREPUB_RELEASE_SEARCH_BUDGET_H
#define PPREPUB_RELEASE_SEARCH_BUDGET_H

extern double search_budget;	/* steps of a call's searches, a whole number */

/* To be called before the prefix of all settings is reserved. */
extern void define_search_budget(void);

#endif							/* PPREPUB_RELEASE_SEARCH_BUDGET_H */
