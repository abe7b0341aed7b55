/*
 * worker_settings.c
 *		Settings of a worker.
 *
 * NOTES
 *		Those that plain users cannot set stay as they are set here; act_as()
 *		sets anew, for each transaction, those that change what queries mean.
 */
#include "answer/worker_settings.h"

#include "access/xact.h"
#include "utils/guc.h"

static const struct
{
	const char *name;
	const char *value;
}			worker_settings[] =
{
	/* What others could read off the statistics: a source's rows, read one by one */
	{"track_counts", "off"},
	{"track_activities", "off"},
	{"track_functions", "none"},
	{"track_io_timing", "off"},
	{"pg_stat_statements.track", "none"},

	/* What would be written of them into the log */
	{"log_min_messages", "fatal"},
	{"log_min_error_statement", "panic"},
	{"log_error_verbosity", "terse"},
	{"log_statement", "none"},
	{"log_duration", "off"},
	{"log_min_duration_statement", "-1"},
	{"log_min_duration_sample", "-1"},
	{"log_temp_files", "-1"},
	{"log_lock_waits", "off"},
	{"log_parser_stats", "off"},
	{"log_planner_stats", "off"},
	{"log_statement_stats", "off"},
	{"log_executor_stats", "off"},
	{"auto_explain.log_min_duration", "-1"},

	/* The transaction: one snapshot for history and source, but no predicate locks for all to see */
	{"default_transaction_isolation", "repeatable read"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"session_replication_role", "origin"},
	{"statement_timeout", "0"},
	{"idle_in_transaction_session_timeout", "0"},
	{"lock_timeout", "1s"},		/* between questions: somebody may be waiting for the next one */
	{"vacuum_cost_delay", "0"}, /* the same */
	{"exit_on_error", "off"},	/* an error of the source's is answered */

	/* Other processes would need slots of their own */
	{"max_parallel_workers_per_gather", "0"},
	{"max_parallel_maintenance_workers", "0"},
	{"force_parallel_mode", "off"},
	{"jit", "off"},
	{"search_path", "pg_catalog, pg_temp"},
};

static void
set(const char *name, const char *value)
{
	SetConfigOption(name, value, PGC_SUSET, PGC_S_OVERRIDE);
}

static bool
is_known(const char *name)
{
	return GetConfigOption(name, true, false) != NULL;
}

void
be_quiet(void)
{
	for (int i = 0; i < (int) lengthof(worker_settings); i++)
		if (is_known(worker_settings[i].name))
			set(worker_settings[i].name, worker_settings[i].value);
	commit_durably();
}

void
commit_durably(void)
{
	if (synchronous_commit < SYNCHRONOUS_COMMIT_ON)
		SetConfigOption("synchronous_commit", "on", PGC_SUSET, PGC_S_SESSION);
}
