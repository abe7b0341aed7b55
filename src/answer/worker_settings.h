/*
 * worker_settings.h
 *		The settings that a worker runs under, whatever its database or its
 *		configuration file say: it makes no noise that others can hear, keeps
 *		what it commits, and is bothered by no timeout meant for people.
 */
#ifndef PPREPUB_ANSWER_WORKER_SETTINGS_H
#define PPREPUB_ANSWER_WORKER_SETTINGS_H

#include "postgres.h"

/* To be called before the worker touches any table of anybody's. */
extern void be_quiet(void);

/* To be called before it commits: hostile code can set what any user can. */
extern void commit_durably(void);

#endif							/* PPREPUB_ANSWER_WORKER_SETTINGS_H */
