/*
 * settings.h
 *		The setting of match joins.
 */
#ifndef PPREPUB_REPORT_LINKABILITY_SETTINGS_H
#define PPREPUB_REPORT_LINKABILITY_SETTINGS_H

extern double fmj_budget;		/* steps of a search, a whole number */

/* To be called before the prefix of all settings is reserved. */
extern void define_linkability_settings(void);

#endif							/* PPREPUB_REPORT_LINKABILITY_SETTINGS_H */
