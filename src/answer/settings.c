/*
 * settings.c
 *		The settings of answers, and the server's settings that a worker runs under: those that plain users cannot change
 *		stay as they are set here, and act_as() sets those that change what queries mean, anew for each transaction.
 */
#include "answer/answer.h"

#include "access/xact.h"
#include "postmaster/postmaster.h"
#include "utils/guc.h"

int			answer_wait = 10000;
int			answer_linger = 5000;
int			answer_time_grid = 0;

void
define_settings(void)
{
	DefineCustomIntVariable("pprepub.answer_wait",
							"Sets how long an answer waits for a free background worker.",
							NULL, &answer_wait, 10000, 0, PG_INT32_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("pprepub.answer_linger",
							"Sets how long an idle background worker stays for the next answer about the same publication.",
							"0 starts a new worker for each answer.", &answer_linger, 5000, 0, PG_INT32_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	/* For superusers: an analyst could turn it off again. */
	DefineCustomIntVariable("pprepub.answer_time_grid",
							"Rounds the time of an answer up to a multiple of this interval.",
							"Otherwise the time of an answer reveals the size of its cohort. 0 turns this off.",
							&answer_time_grid, 0, 0, PG_INT32_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	MarkGUCPrefixReserved("pprepub");
}

static const struct
{
	const char *name;
	const char *value;
}			worker_settings[] =
{
	/* The statistics, which all may read, would count the rows read of a source */
	{"track_counts", "off"},
	{"track_activities", "off"},
	{"track_functions", "none"},
	{"track_io_timing", "off"},
	{"pg_stat_statements.track", "none"},

	/* The log would have queries and values */
	{"log_min_messages", "fatal"},
	{"log_min_error_statement", "panic"},
	{"log_error_verbosity", "terse"},
	{"log_statement", "none"},
	{"log_duration", "off"},
	{"log_min_duration_statement", "-1"},
	{"log_min_duration_sample", "-1"},
	{"log_temp_files", "-1"},
	{"log_lock_waits", "off"},
	{"log_lock_failures", "off"},	/* since 18 */
	{"log_parser_stats", "off"},
	{"log_planner_stats", "off"},
	{"log_statement_stats", "off"},
	{"log_executor_stats", "off"},
	{"auto_explain.log_min_duration", "-1"},

	/* One snapshot for history and source, but no predicate locks, which pg_locks shows to all */
	{"default_transaction_isolation", "repeatable read"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"session_replication_role", "origin"},
	{"statement_timeout", "0"},
	{"idle_in_transaction_session_timeout", "0"},
	{"transaction_timeout", "0"},	/* since 17 */
	{"lock_timeout", "1s"},		/* of work between questions, which delays the next one */
	{"vacuum_cost_delay", "0"}, /* likewise */
	{"exit_on_error", "off"},	/* an error of the source's is answered */

	/* Other processes would need slots of their own */
	{"max_parallel_workers_per_gather", "0"},
	{"max_parallel_maintenance_workers", "0"},
	{"force_parallel_mode", "off"},
	{"debug_parallel_query", "off"},	/* the same, since 16 */
	{"jit", "off"},
	{"search_path", "pg_catalog, pg_temp"},
};

void
apply_worker_settings(void)
{
	for (int i = 0; i < (int) lengthof(worker_settings); i++)
		if (GetConfigOption(worker_settings[i].name, true, false) != NULL)	/* of a library that is loaded */
			SetConfigOption(worker_settings[i].name, worker_settings[i].value, PGC_SUSET, PGC_S_OVERRIDE);
	commit_durably();
}

void
commit_durably(void)
{
	if (synchronous_commit < SYNCHRONOUS_COMMIT_ON)
		SetConfigOption("synchronous_commit", "on", PGC_SUSET, PGC_S_SESSION);
}
