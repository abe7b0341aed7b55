# An analyst can read more than the rows of an answer: statistics, the log, activity,
# locks. None of it tells how many rows of the source were looked at, or what is in them.
use Hospital;

# Everything is switched on that could tell.
my $node = new_server('main');
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'pg_stat_statements, auto_explain'
pg_stat_statements.track = all
pg_stat_statements.track_utility = on
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_nested_statements = on
track_functions = all
track_io_timing = on
log_min_duration_statement = 0
log_statement = all
log_duration = on
log_lock_waits = on
log_temp_files = 0
log_parser_stats = on
log_planner_stats = on
log_executor_stats = on
log_min_messages = debug1
log_min_error_statement = debug1
log_error_verbosity = verbose
deadlock_timeout = 10ms
pprepub.answer_linger = 0
work_mem = 64kB
temp_file_limit = 100kB
CONF
$node->restart;

# Every value says what it is.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_stat_statements;
CREATE EXTENSION pprepub;
CREATE ROLE owner;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON DATABASE postgres TO owner;
CREATE SCHEMA hospital AUTHORIZATION owner;
SET ROLE owner;
CREATE TABLE hospital.patients (id text PRIMARY KEY, age int, zip text, disease text);
INSERT INTO hospital.patients
SELECT 'KEY-' || i, 20 + i % 30, 'QI-' || i % 10, 'SENSITIVE-' || i % 5 FROM generate_series(1, 4001) i;
CREATE INDEX patients_age ON hospital.patients (age);
CREATE FUNCTION hospital.seen(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 'KEY-200' THEN
		RAISE LOG 'the source logs %', id;
		RAISE WARNING 'the source warns of %', id;
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION hospital.fail(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 'KEY-200' THEN
		RAISE EXCEPTION 'the source fails at %', id USING DETAIL = id, HINT = id;
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION hospital.stop(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 'KEY-200' THEN
		PERFORM pg_terminate_backend(pg_backend_pid());
	END IF;
	RETURN true;
END $$;
CREATE VIEW hospital.noisy AS SELECT * FROM hospital.patients WHERE hospital.seen(id);
CREATE VIEW hospital.failing AS SELECT * FROM hospital.patients WHERE hospital.fail(id);
CREATE VIEW hospital.ending AS SELECT * FROM hospital.patients WHERE hospital.stop(id);
CREATE VIEW hospital.sorted AS SELECT * FROM hospital.patients ORDER BY repeat(id, 10) OFFSET 0;
CREATE VIEW hospital.nobody AS SELECT * FROM hospital.patients WHERE length(id) = 0;
CREATE TABLE hospital.more (LIKE hospital.patients);
CREATE VIEW hospital.repeated AS SELECT * FROM hospital.patients UNION ALL SELECT * FROM hospital.more;
SQL
my $beside = '';
foreach my $name (qw(patients noisy failing ending sorted nobody repeated))
{
	$node->safe_psql('postgres', <<SQL);
SET ROLE owner;
SELECT pprepub.create_publication('$name', 'hospital.$name', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg',
	'{"k": 3, "l": 2}', beside => '{$beside}');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT EXECUTE ON FUNCTION published.$name TO analyst;
SQL
	$beside .= ($beside ? ',' : '') . $name;
}
$node->safe_psql('postgres', q{INSERT INTO hospital.more SELECT * FROM hospital.patients WHERE id = 'KEY-200'});

# Views of statistics, but for the server's own catalogs, and for where askers look a publication up.
my $statistics = <<'SQL';
SELECT pg_stat_force_next_flush();
SELECT string_agg(t::text, E'\n' ORDER BY relid) FROM pg_stat_all_tables t WHERE schemaname IN ('hospital', 'published', 'published_private', 'pprepub', 'pprepub_internal') AND relname !~ '^catalog_(publication|relation|column|tree)';
SELECT string_agg(t::text, E'\n' ORDER BY indexrelid) FROM pg_stat_all_indexes t WHERE schemaname IN ('hospital', 'published', 'published_private', 'pprepub', 'pprepub_internal') AND relname !~ '^catalog_(publication|relation|column|tree)';
SELECT string_agg(t::text, E'\n' ORDER BY relid) FROM pg_statio_all_tables t WHERE schemaname IN ('hospital', 'published', 'published_private', 'pprepub', 'pprepub_internal') AND relname !~ '^catalog_(publication|relation|column|tree)';
SELECT string_agg(t::text, E'\n' ORDER BY indexrelid) FROM pg_statio_all_indexes t WHERE schemaname IN ('hospital', 'published', 'published_private', 'pprepub', 'pprepub_internal') AND relname !~ '^catalog_(publication|relation|column|tree)';
SELECT string_agg(t::text, E'\n' ORDER BY funcid) FROM pg_stat_user_functions t WHERE schemaname = 'hospital';
SELECT temp_files, temp_bytes, deadlocks FROM pg_stat_database WHERE datname = current_database();
SQL

sub as_analyst
{
	my ($sql) = @_;

	# Rows that do not fit go to temporary files, which are counted; those of answers are for all to see.
	return $node->safe_psql('postgres', "SET SESSION AUTHORIZATION analyst; SET work_mem = '64MB'; $sql");
}

# The first answer makes the tables of the history.
is(as_analyst('SELECT count(*) FROM published.patients()'), '4001', 'an answer');
$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset(); SELECT pg_stat_force_next_flush()');
my $before = as_analyst($statistics);
my $start = -s $node->logfile;
my %rows = (patients => 4001, noisy => 4001, failing => 0, ending => 0, sorted => 0, nobody => 0, repeated => 4000);

foreach my $name (sort keys %rows)
{
	is(as_analyst("SELECT count(*) FROM published.$name()"), $rows{$name}, "$name: rows");
}
my $log = substr(slurp_file($node->logfile), $start);
my $after = as_analyst($statistics);
$after =~ s/^.*(?:failing|ending|sorted|nobody|noisy|repeated)_(?:members|asked|groups|places|regions)[_a-z]*,.*\n//gm;	# made since
is($after, $before, 'statistics of tables, indexes and functions have not moved');

# ---- What statements are known for ----

is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT regexp_replace(query, '\s+', ' ', 'g'), '; ') FROM pg_stat_statements
	WHERE query ~ 'catalog_release|published_private|hospital'}), '', 'pg_stat_statements: nothing of what the workers did');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_statements WHERE query ~ 'published\.'}), '7', 'but what the analyst said');

ok($log =~ /statement: SELECT count\(\*\) FROM published\.patients(?:\(\)|_now)/, 'log: what the analyst said');
ok($log !~ /((?:KEY|QI|SENSITIVE)-\d)/, 'log: no value') or diag($1);
ok($log !~ /the source (?:logs|warns|fails)/, 'log: no message of the source');
ok($log !~ /^(.*(?:hospital|private).*)/m, 'log: nothing of what the workers did') or diag($1);
is(as_analyst('SELECT count(*) FROM pprepub.failed_answer'), '0', 'failures are not for analysts');
is($node->safe_psql('postgres', 'SELECT DISTINCT publication, sqlstate FROM pprepub.failed_answer WHERE message ~ \'KEY-200\' OR publication NOT IN (\'failing\') ORDER BY 1'),
	"ending|42501\nfailing|P0001\nsorted|53400", 'but for owners');

# ---- What is seen of a worker at work, and of what it leaves ----

my $plan = as_analyst('EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS) SELECT * FROM published.patients()');
like($plan, qr/(?:Function Scan on published\.patients|Foreign Scan on published\.patients_now) .*rows=4001(?:\.00)? loops=1/, 'EXPLAIN ANALYZE: the rows that are released');
unlike($plan, qr/hospital|Seq Scan|WAL:/, 'EXPLAIN ANALYZE: nothing else');

{
	my $holder = $node->background_psql('postgres');

	$holder->query_safe('BEGIN; LOCK pprepub_internal.catalog_release IN SHARE MODE');
	my $session = start_sql($node, 'postgres', 'SET SESSION AUTHORIZATION analyst', q{SET work_mem = '64MB'}, 'SELECT count(*) FROM published.patients()');
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE relation = 'pprepub_internal.catalog_release'::regclass AND NOT granted}) or die 'no worker waits';
	is(as_analyst(q{SELECT count(*) FROM pg_locks WHERE locktype IN ('page', 'tuple') OR mode = 'SIReadLock'}), '0', 'pg_locks: no pages, no rows');
	is(as_analyst(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}), '0', 'pg_stat_activity: nothing for analysts');
	is($node->safe_psql('postgres', q{SELECT query, state FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}), '|', 'nor for others');
	is(as_analyst(q{SELECT count(*) FROM pg_stat_progress_copy}), '0', 'no progress');
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	is(finish_sql($session), 0, 'and goes on');
}

# Answers with and without rows, and those of sources that fail, take as many transactions as one another.
my %ids;
foreach my $name (qw(patients failing ending sorted nobody repeated))
{
	my $from = $node->safe_psql('postgres', 'SELECT pg_snapshot_xmax(pg_current_snapshot())');

	as_analyst("SELECT count(*) FROM published.$name()");
	$ids{$node->safe_psql('postgres', 'SELECT pg_snapshot_xmax(pg_current_snapshot())') - $from} = $name;
}
is(scalar(keys %ids), 1, 'transaction numbers tell nothing') or diag(join ', ', %ids);

$node->stop;
done_testing();
