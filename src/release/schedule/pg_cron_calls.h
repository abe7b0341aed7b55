/*
 * pg_cron_calls.h
 *		The door to pg_cron, which runs statements again and again.
 *
 * pprepub does without pg_cron, so it is looked for when it is asked for.
 * Anybody may have made a schema "cron" where pg_cron is not: all that is called
 * or read belongs to the extension.
 */
#ifndef PPREPUB_RELEASE_SCHEDULE_PG_CRON_CALLS_H
#define PPREPUB_RELEASE_SCHEDULE_PG_CRON_CALLS_H

#include "postgres.h"

/* pg_cron as it stands in this database. */
typedef struct Cron
{
	Oid			extension;
	Oid			schema;

	/* Functions */
	Oid			schedule;		/* (name, schedule, command) */
	Oid			unschedule;		/* (number) */
} Cron;

/* Whether this database has pg_cron, with all that is used of it; tables cron.job and cron.job_run_details. */
extern bool find_cron(Cron *cron);

/* Whether the library of pg_cron is loaded: without it jobs stand in tables, and are neither run nor removed. */
extern bool cron_is_loaded(void);
extern void verify_cron_is_loaded(void);

/*
 * Finds pg_cron, or raises an error that says what to do: here, or, when it
 * runs jobs of another database only, there, for this job.
 */
extern void require_cron(Cron *cron, const char *job, const char *schedule, const char *command);

/* Schedules a job as the current user, whose job it is then; returns its number. */
extern int64 cron_schedule(const Cron *cron, const char *job, const char *schedule, const char *command);

/* Takes out a job that the current user may delete. */
extern void cron_unschedule(const Cron *cron, int64 job);

#endif							/* PPREPUB_RELEASE_SCHEDULE_PG_CRON_CALLS_H */
