/*
 * search_budgets.h
 *		Settings: how long exact answers are searched for.
 */
#ifndef PPREPUB_RELEASE_SEARCH_BUDGETS_H
#define PPREPUB_RELEASE_SEARCH_BUDGETS_H

/* Steps, whole numbers: of a search for the full match join, and of all other searches of a call. */
extern double fmj_budget;
extern double search_budget;

/* To be called before the prefix of all settings is reserved. */
extern void define_search_budgets(void);

#endif							/* PPREPUB_RELEASE_SEARCH_BUDGETS_H */
