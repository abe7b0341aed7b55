# Releases on a schedule, by a real pg_cron. Jobs are scheduled for when the server starts: that is
# sooner than the next minute.
use Hospital;

chomp(my $share = `pg_config --sharedir`);
plan skip_all => 'pg_cron is not installed' if !-e "$share/extension/pg_cron.control";
my $node = new_server('main');
my $major = int($node->pg_version);
my $jobs = 'SELECT jobid, schedule, database, username, active, jobname FROM cron.job ORDER BY jobid';
my $shown = q{SELECT job, cron, cohort, run_by, schedule_state NOT IN ('gone', 'paused'), last_run IS NOT NULL, last_status, job_release FROM pprepub.health WHERE job IS NOT NULL ORDER BY publication};

sub is_sql
{
	my ($sql, $expected, $what) = @_;

	is($node->safe_psql('postgres', $sql), $expected, $what);
	return;
}

sub refuses
{
	my ($role, $call, $like, $what) = @_;

	fails_like($node, 'postgres', "SET SESSION AUTHORIZATION $role; SELECT pprepub.$call", $like, "$role: $what");
	return;
}

# Runs SQL as somebody who logs in, and returns what psql prints.
sub as
{
	my ($role, $sql) = @_;

	return $node->safe_psql('postgres', "SET SESSION AUTHORIZATION $role; $sql");
}

# A start of the server, and of the jobs: until each of them has been run, with what result.
sub run_jobs
{
	my $before = $node->safe_psql('postgres', 'SELECT coalesce(max(runid), 0) FROM cron.job_run_details');

	$node->restart;
	$node->poll_query_until('postgres', <<"SQL") or die 'the jobs were not run';
SELECT NOT EXISTS (SELECT FROM cron.job WHERE active AND jobid NOT IN
	(SELECT jobid FROM cron.job_run_details WHERE runid > $before AND status IN ('succeeded', 'failed')))
SQL
	return;
}

make_patients($node, 'postgres', 1000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', <<'SQL');
ALTER ROLE owner NOLOGIN;
CREATE ROLE nurse LOGIN IN ROLE owner;
CREATE ROLE doctor LOGIN IN ROLE owner;
CREATE ROLE stranger LOGIN;
CREATE DATABASE other;
SQL

# ---- Where there is no pg_cron yet ----

refuses('nurse', q{schedule('patients', '@reboot')},
	qr/pg_cron does not run on this server.*HINT:  .*postgresql-$major-cron.*shared_preload_libraries = 'pg_cron'.*cron.database_name = 'postgres'.*CREATE EXTENSION pg_cron/s,
	'no library');

$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'pg_cron'
cron.database_name = 'postgres'
cron.use_background_workers = on
max_prepared_transactions = 2
CONF
$node->restart;

# A role that may create schemas can plant one of that name.
$node->safe_psql('postgres', <<'SQL');
CREATE SCHEMA cron AUTHORIZATION stranger;
GRANT ALL ON SCHEMA cron TO PUBLIC;
SET ROLE stranger;
CREATE FUNCTION cron.schedule(text, text, text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'caught %', current_user; END $$;
CREATE TABLE cron.job (jobid bigint, jobname name, database text, username text, schedule text, active boolean);
SQL
refuses('nurse', q{schedule('patients', '@reboot')}, qr/extension "pg_cron" is not installed in this database.*HINT:  Run CREATE EXTENSION pg_cron/s,
	'a planted schema is not pg_cron');
$node->safe_psql('postgres', 'DROP SCHEMA cron CASCADE; CREATE EXTENSION pg_cron');

make_patients($node, 'other', 100);
declare_patients($node, 'other', q{O''Brien}, 'hospital.patients');
fails_like($node, 'other', q{SET SESSION AUTHORIZATION nurse; SELECT pprepub.schedule('O''Brien', '0 3 * * 1', 'sex = ''F''')},
	qr/pg_cron runs in another database.*HINT:  /s, 'another database');
my (undef, undef, $refused) = $node->psql('other',
	q{SET SESSION AUTHORIZATION nurse; SELECT pprepub.schedule('O''Brien', '0 3 * * 1', 'sex = ''F''')});
my ($there) = $refused =~ /schedule the job: (SELECT cron\.schedule_in_database.*\))\.$/m;
$node->safe_psql('postgres', $there);
is_sql('SELECT schedule, command, database, username, jobname FROM cron.job',
	q{0 3 * * 1|SELECT pprepub.publish('O''Brien', cohort => 'sex = ''F''')|other|nurse|pprepub: O'Brien in other}, 'and what its hint says');
$node->safe_psql('postgres', 'SELECT cron.unschedule(jobid) FROM cron.job');

# ---- Who schedules, and how ----

refuses('nurse', q{schedule('patients', '@reboot')}, qr/permission denied for schema cron.*HINT:  .*GRANT USAGE ON SCHEMA cron TO nurse/s,
	'no right to use pg_cron');
$node->safe_psql('postgres', 'GRANT USAGE ON SCHEMA cron TO nurse, doctor, stranger');
refuses('stranger', q{schedule('patients', '@reboot')}, qr/must be owner of publication "patients"/, 'not the owner');
fails_like($node, 'postgres', q{SET ROLE owner; SELECT pprepub.schedule('patients', '@reboot')},
	qr/role "owner" is not permitted to log in.*HINT:  .*as a member of role "owner"/s, 'the owner cannot log in');
refuses('nurse', q{schedule('patients', 'each monday')}, qr/invalid schedule: each monday.*HINT:  (A schedule has five fields|Use cron format)/s, 'no schedule');
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION cron.schedule(text, text, text) FROM PUBLIC');
refuses('nurse', q{schedule('patients', '@reboot')}, qr/permission denied for function cron.schedule/, 'no right to schedule');
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION cron.schedule(text, text, text) TO PUBLIC');
# A function with a name that older versions lack need not be of pg_cron.
$node->safe_psql('postgres', 'ALTER EXTENSION pg_cron DROP FUNCTION cron.schedule(text, text, text)');
refuses('nurse', q{schedule('patients', '@reboot')}, qr/extension "pg_cron" of this database is too old.*HINT:  Run ALTER EXTENSION pg_cron UPDATE/s, 'not a function of pg_cron');
$node->safe_psql('postgres', 'ALTER EXTENSION pg_cron ADD FUNCTION cron.schedule(text, text, text)');
is_sql($jobs, '', 'nothing came of that');

# A role has one job of a name: one that was made by hand, or from elsewhere, is not written over.
my $foreign = as('nurse', q{SELECT cron.schedule('pprepub: patients', '0 0 1 1 *', 'SELECT 1')});
refuses('nurse', q{schedule('patients', '@reboot')},
	qr/role "nurse" has another job named "pprepub: patients".*HINT:  .*SELECT cron.unschedule\($foreign\)/s, 'a job of that name');
as('nurse', "SELECT cron.unschedule($foreign)");

# One schedule for each publication, whichever member makes it.
my $first = as('nurse', q{SELECT pprepub.schedule('patients', '0 3 * * 1')});
is_sql($jobs, "$first|0 3 * * 1|postgres|nurse|t|pprepub: patients", 'scheduled');
my $second = as('nurse', q{SELECT pprepub.schedule('patients', '@reboot')});
is_sql($jobs, "$second|\@reboot|postgres|nurse|t|pprepub: patients", 'scheduled again');
is(as('owner', $shown), "$second|\@reboot||nurse|t|f||", 'the owner sees it');
is(as('doctor', $shown), "$second|\@reboot||nurse|t|f||", 'another member, too');
is(as('stranger', $shown), '', 'nobody else does');
refuses('stranger', q{unschedule('patients')}, qr/must be owner of publication "patients"/, 'or ends it');
refuses('doctor', q{schedule('patients', 'each monday')}, qr/invalid schedule/, 'what fails');
is_sql($jobs, "$second|\@reboot|postgres|nurse|t|pprepub: patients", 'leaves the schedule that was');

# ---- Runs ----

run_jobs();
is(as('doctor', $shown), "$second|\@reboot||nurse|t|t|succeeded|1", 'the first run');
is_sql(q{SELECT number, published_by, rows = (SELECT count(*) FROM published.patients_1), (SELECT holds FROM pprepub.audit(publication) WHERE check_name = 'checksums') FROM pprepub.release},
	'1|nurse|t|t', 'a release of it');
is_sql(q{SELECT relowner::regrole FROM pg_class WHERE oid = 'published.patients_1'::regclass}, 'owner', 'which belongs to the owner');

# Settings of who runs it, and names that would be more than names.
my $name = q{a'); DROP TABLE hospital.patients; --\\\\};
(my $quoted = $name) =~ s/'/''/g;
my $cohort = q{zip <> 'x''); DROP TABLE hospital.patients CASCADE; --\\\\' AND age > 20};
(my $quoted_cohort = $cohort) =~ s/'/''/g;
$node->safe_psql('postgres', <<"SQL");
CREATE SCHEMA evil AUTHORIZATION stranger;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
CREATE FUNCTION evil.publish(text) RETURNS int LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'caught'; END \$\$;
ALTER ROLE nurse SET search_path = evil, pg_catalog;
ALTER ROLE nurse SET standard_conforming_strings = off;
ALTER ROLE nurse SET backslash_quote = on;
SET ROLE owner;
CREATE TABLE hospital.others AS SELECT * FROM hospital.patients;
SQL
declare_patients($node, 'postgres', $quoted, 'hospital.others');
as('nurse', "SET standard_conforming_strings = on; SELECT pprepub.schedule('$quoted', '\@reboot')");
as('doctor', q{SELECT pprepub.schedule('patients', '@reboot')});
is_sql(q{SELECT username, jobname FROM cron.job ORDER BY username}, "doctor|pprepub: patients\nnurse|pprepub: $name", 'another member took over');
run_jobs();
is(as('owner', 'SELECT publication, run_by, last_status, job_release FROM pprepub.health WHERE job IS NOT NULL ORDER BY publication'),
	"$name|nurse|succeeded|1\npatients|doctor|succeeded|2", 'both were published');

refuses('nurse', q{schedule('patients', '@reboot', 'disease = 3')}, qr/ERROR:  .*cohort/, 'a cohort that publish() would refuse');
as('nurse', "SET standard_conforming_strings = on; SELECT pprepub.schedule('$quoted', '\@reboot', '$quoted_cohort')");
is(as('owner', 'SELECT cohort FROM pprepub.health WHERE job IS NOT NULL AND cohort IS NOT NULL'), $cohort, 'the cohort is shown as it was given');
run_jobs();
is(as('owner', q{SELECT last_status, job_release FROM pprepub.health WHERE job IS NOT NULL AND cohort IS NOT NULL}), 'succeeded|2', 'a cohort was published');
is(as('owner', q{SELECT cohort FROM pprepub.release WHERE cohort IS NOT NULL}), $cohort, 'that one');
is_sql('SELECT count(*) FROM hospital.patients', '1000', 'and no table was dropped');

# A run that fails says so to the owner, and nothing else happens.
as('owner', q{DELETE FROM hospital.others});
run_jobs();
is(as('owner', q{SELECT last_status, last_message ~ 'ERROR', job_release FROM pprepub.health WHERE job IS NOT NULL AND cohort IS NOT NULL}), 'failed|t|2',
	'a failure, with its message');
is_sql('SELECT releases FROM pprepub_internal.catalog_publication ORDER BY name COLLATE "C"', $name lt 'patients' ? "2\n4" : "4\n2",
	'nothing was published by it, and the other went on');

# ---- How it fares ----

as('owner', <<'SQL');
CREATE TABLE hospital.wards AS SELECT i AS id, i AS age, 'd' || i % 5 AS disease FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('wards', 'hospital.wards', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "repair": "dirty", "reserve": 1}');
SQL
my $fares = q{SELECT schedule_state, last_status, last_error IS NOT NULL, last_failure IS NOT NULL, job_release, r.rows, r.suppressed, h.withheld_percent, r.warnings
	FROM pprepub.health h LEFT JOIN pprepub.release r ON (r.publication, r.number) = (h.publication, h.job_release) WHERE h.publication = 'wards'};
my $health = q{SELECT schedule_state FROM pprepub.health WHERE publication = 'wards'};
is(as('owner', $health), '', 'no schedule');
as('nurse', q{SELECT pprepub.schedule('wards', '@reboot')});
is(as('owner', $fares), 'waiting||f|f|||||', 'before its first run');
run_jobs();
is(as('owner', $fares), 'ok|succeeded|f|f|1|60|0|0|{}', 'a release of all');
is(as('doctor', q{SELECT bool_and(schedule_state = CASE WHEN cohort IS NULL THEN 'ok' ELSE 'failed' END), count(*) FROM pprepub.health WHERE job IS NOT NULL}), 't|3', 'others fare as they do');

# A release that is nobody's any more has succeeded, for pg_cron.
as('owner', 'DELETE FROM hospital.wards WHERE id <= 40 AND id % 4 = 0');
run_jobs();
like(as('owner', $fares), qr/^starving\|succeeded\|f\|f\|2\|\d+\|\d+\|\d+\.?\d*\|\{"publication \\"wards\\" withholds [0-9.]+ % of the rows\. .*'\{\\"repair\\": \\"counterfeit\\"\}'\)\."\}$/, 'one that starves');
is(as('owner', q{SELECT withheld_percent BETWEEN 5 AND 100, starving FROM pprepub.health WHERE publication = 'wards'}), 't|t', 'in figures, too');
is(as('owner', $health), 'starving', 'and the view of health');
is(as('stranger', $fares), '', 'which is nobody else\'s business');

# Releases of others, of whatever cohort, are not the job's; nor is an answer to the job's role.
as('owner', q{SELECT pprepub.publish('wards', 'age > 40')});
as('nurse', q{SELECT pprepub.publish('wards', 'age > 40'); SELECT count(*) FROM published.wards('age > 40')});
like(as('owner', $fares), qr/^starving\|succeeded\|f\|f\|2\|/, 'until the job publishes again');

as('owner', q{CREATE TABLE hospital.away AS TABLE hospital.wards; DELETE FROM hospital.wards});
run_jobs();
like(as('owner', $fares), qr/^failed\|failed\|t\|t\|2\|\d+\|\d+\|/, 'a run that fails');
like(as('owner', q{SELECT last_error FROM pprepub.health WHERE job IS NOT NULL AND publication = 'wards'}), qr/publication "wards" has nothing that may be published/, 'and why');
as('owner', q{INSERT INTO hospital.wards TABLE hospital.away; INSERT INTO hospital.wards SELECT i, i % 50 + 100, 'd' || i % 5 FROM generate_series(1000, 3000) i});
run_jobs();
like(as('owner', $fares), qr/^ok\|succeeded\|t\|t\|6\|\d+\|\d+\|/, 'all is well again, and the last error is not forgotten');

$node->safe_psql('postgres', q{UPDATE cron.job SET active = false WHERE jobname = 'pprepub: wards'});
is(as('owner', $health), 'paused', 'a job that is not to run');
$node->safe_psql('postgres', q{UPDATE cron.job SET active = true WHERE jobname = 'pprepub: wards'});

# A job tells listeners, too.  It waits for a transaction that outlives the server until somebody listens.
as('nurse', q{BEGIN; SELECT pprepub.publish('wards'); PREPARE TRANSACTION 'first'});
$node->restart;
my $listener = $node->background_psql('postgres', extra_params => [ '-U', 'stranger' ]);
$listener->query_safe('LISTEN pprepub_release');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'first'});
$node->poll_query_until('postgres', q{SELECT count(*) = 7 FROM pprepub_internal.catalog_release JOIN pprepub_internal.catalog_publication USING (publication) WHERE name = 'wards'})
	or die 'the job did not publish';
like($listener->query('SELECT 1'), qr/"pprepub_release" with payload "\{"publication": "wards", "number": 7, "kind": "stored"\}"/, 'a job tells listeners');
$listener->quit;

as('nurse', q{SELECT pprepub.unschedule('wards')});
as('owner', q{SELECT pprepub.drop_publication('wards', forget_history => true)});

# A role that is no member any more publishes nothing.
$node->safe_psql('postgres', 'REVOKE owner FROM doctor');
run_jobs();
like(as('owner', q{SELECT last_status, last_message FROM pprepub.health WHERE job IS NOT NULL AND run_by = 'doctor'}),
	qr/^failed\|.*must be owner of publication "patients"/, 'a former member');
is(as('doctor', $shown), '', 'who sees nothing, either');

# ---- The end of it ----

as('nurse', q{SELECT pprepub.unschedule('patients')});
is_sql('SELECT username FROM cron.job', 'nurse', 'a member ends what another began');
refuses('nurse', q{unschedule('patients')}, qr/publication "patients" is not scheduled/, 'not scheduled');

# Rolled back with its transaction.
as('nurse', q{BEGIN; SELECT pprepub.schedule('patients', '@reboot'); ROLLBACK});
is_sql('SELECT username, (SELECT count(*) FROM pprepub_internal.catalog_schedule) FROM cron.job', 'nurse|1', 'rolled back');

# A run that is at work is waited for: pg_cron would end it in the middle.
as('nurse', q{SELECT pprepub.schedule('patients', '0 3 * * 1')});
my $publishing = start_sql($node, 'postgres', q{SET ROLE owner; BEGIN; SELECT pprepub.publish('patients'); SELECT pg_sleep(600)});
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'}) or die 'nobody publishes';
fails_with($node, 'postgres', '55P03', q{SET SESSION AUTHORIZATION nurse; SET lock_timeout = 100; SELECT pprepub.unschedule('patients')},
	'a schedule does not end while a release is being made');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
finish_sql($publishing);

# A new owner sees the schedule that was, which has ended to publish, and makes another.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE heir LOGIN;
GRANT USAGE ON SCHEMA cron, hospital TO heir;
GRANT CREATE ON DATABASE postgres TO heir;
ALTER TABLE hospital.patients OWNER TO heir;
SQL
is(as('heir', $shown), '', 'the owner of the source is not yet that of the publication');
refuses('nurse', q{unschedule('patients')}, qr/has another owner now/, 'everything fails closed');
$node->safe_psql('postgres', 'ALTER SCHEMA published OWNER TO heir; ALTER SCHEMA published_private OWNER TO heir');
as('heir', q{SELECT pprepub.alter_publication('patients', '{}')});
is(as('heir', 'SELECT cron, run_by FROM pprepub.health WHERE job IS NOT NULL'), '0 3 * * 1|nurse', 'then it is');
as('heir', q{SELECT pprepub.schedule('patients', '0 4 * * 1')});
is_sql(q{SELECT schedule, username FROM cron.job WHERE jobname = 'pprepub: patients'}, '0 4 * * 1|heir', 'and has a schedule of its own');
as('heir', q{SELECT pprepub.unschedule('patients')});
$node->safe_psql('postgres', <<'SQL');
ALTER TABLE hospital.patients OWNER TO owner;
ALTER SCHEMA published OWNER TO owner;
ALTER SCHEMA published_private OWNER TO owner;
SET ROLE owner;
SELECT pprepub.alter_publication('patients', '{}');
SQL

# A snapshot that is older than the schedule.
my $behind = 'psql -Xqc "SET SESSION AUTHORIZATION nurse" -c "SELECT pprepub.schedule(\'patients\', \'0 3 * * 1\')" -d "' . $node->connstr . ' dbname=postgres" -o /dev/null';
foreach my $call (q{unschedule('patients')}, q{schedule('patients', '@reboot')})
{
	fails_with($node, 'postgres', '40001',
		"SET SESSION AUTHORIZATION nurse; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;\n\\! $behind\nSELECT pprepub.$call", "old snapshot: $call");
	is(as('owner', "SELECT cron, schedule_state NOT IN ('gone', 'paused') FROM pprepub.health WHERE job IS NOT NULL AND publication = 'patients'"), '0 3 * * 1|t', 'which leaves the schedule');
	as('nurse', q{SELECT pprepub.unschedule('patients')});
}

as('owner', "SELECT pprepub.drop_publication('$quoted', forget_history => true)");
is_sql($jobs, '', 'drop_publication ends the schedule');
is_sql('SELECT * FROM pprepub_internal.catalog_schedule', '', 'and forgets it');

# A job that was removed by hand.
$first = as('nurse', q{SELECT pprepub.schedule('patients', '@reboot')});
as('nurse', "SELECT cron.unschedule($first)");
is(as('owner', $shown), "$first|||nurse|f|f||", 'what was removed by hand is not active');
is(as('owner', 'SELECT schedule_state FROM pprepub.health WHERE job IS NOT NULL'), 'gone', 'but gone');
as('nurse', q{SELECT pprepub.unschedule('patients')});
is(as('owner', $shown), '', 'and is unscheduled all the same');

# A number that is somebody else's by now, as after a restore without the jobs.
foreach my $other (q{username = 'stranger'}, q{jobname = 'mine'}, q{database = 'other'})
{
	$first = as('nurse', q{SELECT pprepub.schedule('patients', '@reboot')});
	$node->safe_psql('postgres', "UPDATE cron.job SET $other WHERE jobid = $first");
	is(as('owner', $shown), "$first|||nurse|f|f||", "somebody else's job is not shown: $other");
	as('nurse', q{SELECT pprepub.unschedule('patients')});
	is_sql("SELECT jobid FROM cron.job WHERE $other", $first, 'or removed');
	$node->safe_psql('postgres', "SELECT cron.unschedule($first)");
}

# Where pg_cron does not run any more.
$first = as('nurse', q{SELECT pprepub.schedule('patients', '@reboot')});
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
is(as('owner', $shown), "$first|\@reboot||nurse|t|f||", 'the schedule shows without the library');
is(as('owner', 'SELECT schedule_state FROM pprepub.health WHERE job IS NOT NULL'), 'stopped', 'which does not run');
refuses('nurse', q{unschedule('patients')}, qr/pg_cron does not run on this server/, 'but cannot be ended');
my (undef, undef, $warning) = $node->psql('postgres', q{SET ROLE owner; SELECT pprepub.drop_publication('patients', forget_history => true)});
like($warning, qr/WARNING:  job $first of pg_cron, which does not run, was not removed/, 'drop_publication says what it leaves');
is_sql('SELECT count(*) FROM pprepub_internal.catalog_schedule', '0', 'but drops');

# And where it is gone.
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'");
$node->restart;
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', 'SELECT cron.unschedule(jobid) FROM cron.job');
$first = as('nurse', q{SELECT pprepub.schedule('patients', '@reboot')});
$node->safe_psql('postgres', 'DROP EXTENSION pg_cron');
is(as('owner', $shown), "$first|||nurse|f|f||", 'without the extension nothing is active');
as('owner', q{SELECT pprepub.drop_publication('patients')});
is_sql('SELECT count(*) FROM pprepub_internal.catalog_schedule', '0', 'and all can be dropped');

$node->stop;
done_testing();
