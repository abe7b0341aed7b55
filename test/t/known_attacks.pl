# Attacks on others of our kind that need a server of their own: pg_dump and postgres_fdw for a reader, logical
# decoding, parallel workers, a source that changes while it is read. Numbers are those of test/pgtap/known_attacks.sql.
use Hospital;

my $node = new_server('main');
$node->append_conf('postgresql.conf', <<'CONF');
wal_level = logical
max_prepared_transactions = 2
max_worker_processes = 12
max_parallel_workers = 4
CONF
$node->restart;
make_patients($node, 'postgres', 2000);

# Readers of the gated view stop in the middle of the source as long as somebody holds the gate.
# Readers of the guarded one must be its owner, and no more, in whatever process.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE FUNCTION hospital.gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 1000 THEN
		PERFORM pg_advisory_xact_lock(1);
	END IF;
	RETURN true;
END $$;
CREATE VIEW hospital.gated AS SELECT * FROM hospital.patients WHERE hospital.gate(id);
CREATE FUNCTION hospital.guard(id int) RETURNS boolean LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
	IF current_user <> 'owner' OR pg_has_role(current_user, 'pg_read_server_files', 'USAGE') THEN
		RAISE EXCEPTION 'read by %', current_user;
	END IF;
	RETURN true;
END $$;
CREATE VIEW hospital.guarded AS SELECT * FROM hospital.patients WHERE hospital.guard(id);
SQL
my $beside = '';
foreach my $name (qw(patients gated guarded))
{
	declare_patients($node, 'postgres', $name, "hospital.$name", $beside);
	$beside .= ($beside ? ',' : '') . $name;
}
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE analyst LOGIN;
SET ROLE owner;
SELECT pprepub.publish('patients');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients, published.patients_1 TO analyst;
GRANT EXECUTE ON FUNCTION published.patients, published.gated, published.guarded TO analyst;
SQL

# Answers since somebody last asked this.
my %counted;
sub answers
{
	my ($name) = @_;
	my $n = $node->safe_psql('postgres', "SELECT count(*) FROM pprepub.release WHERE publication = '$name' AND kind = 'query'");
	my $since = $n - ($counted{$name} // 0);

	$counted{$name} = $n;
	return $since;
}

sub all_holds
{
	my ($name, $what) = @_;

	is($node->safe_psql('postgres', "SELECT check_name, measured FROM pprepub.audit('$name') WHERE NOT holds"), '', "$what: all holds");
	return;
}

# ---- 4: parallel workers of the one that answers ----

$node->safe_psql('postgres', "ALTER DATABASE postgres SET $_") foreach ($node->pg_version < 16 ? 'force_parallel_mode' : 'debug_parallel_query') . ' = on', 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0',
	'min_parallel_table_scan_size = 0';
like($node->safe_psql('postgres', 'SET ROLE owner; EXPLAIN SELECT * FROM hospital.guarded'), qr/Gather/, '4: the source can be read in parallel');
is($node->safe_psql('postgres', 'SELECT count(*) FROM published.guarded()'), '2000', '4: whoever reads it is its owner, and no more');
is($node->safe_psql('postgres', 'SELECT rows FROM pprepub.publish(\'guarded\')'), '2000', '4: also for a release');
is($node->safe_psql('postgres', q{SELECT message FROM pprepub.failed_answer}), '', '4: nothing failed');
$node->safe_psql('postgres', 'ALTER DATABASE postgres RESET ALL');

# ---- 7, 8: a reader's pg_dump, and another server that is this one ----

my $dump = PostgreSQL::Test::Utils::tempdir() . '/reader.sql';
$node->safe_psql('postgres', 'GRANT SELECT ON published.patients_releases TO analyst');
$node->command_ok([ 'pg_dump', '-U', 'analyst', '--inserts', '-t', 'published.patients*', '-f', $dump, 'postgres' ], '8: a reader dumps what may be read');
my $dumped = slurp_file($dump);
is(scalar(() = $dumped =~ /^INSERT INTO published\.patients_1 VALUES/mg), 2000, '8: the release');
my @raw = grep { !/VALUES \(\d+, (?:NULL|'(?:\(,\)|empty|\[\d*,\d*\)|\(,\d+\)|\[\d+,\))'), '(?:\d*\*|\d{5})', '[FM*]', 'disease \d'\);/ } $dumped =~ /^(INSERT (?!INTO published\.patients_releases VALUES).*)/mg;
is_deeply(\@raw, [], '8: in its cells');
unlike($dumped, qr/hospital\.patients|published_private|_members|_source/, '7: and nothing of where they come from');
is(answers('patients'), 0, '8: which asks for nothing');
$node->command_fails_like([ 'pg_dump', '-U', 'analyst', '-n', 'published_private', '-f', $dump, 'postgres' ], qr/permission denied/, '7: no history for a reader');

my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION postgres_fdw;
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', use_remote_estimate 'true');
CREATE USER MAPPING FOR analyst SERVER here OPTIONS (user 'analyst', password_required 'false');
CREATE SCHEMA desk AUTHORIZATION analyst;
GRANT USAGE ON FOREIGN SERVER here TO analyst;
SET ROLE analyst;
CREATE VIEW desk.asking AS SELECT * FROM published.patients ();
CREATE FOREIGN TABLE desk.asking_there (class bigint, age int4range, zip text, sex text, disease text) SERVER here OPTIONS (schema_name 'desk', table_name 'asking');
SQL

sub as_analyst
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql, extra_params => [ '-U', 'analyst' ]);
}

is(as_analyst('SELECT count(*) FROM desk.asking_there'), '2000', '8: through postgres_fdw');
is(answers('patients'), 1, '8: counts');
as_analyst(q{EXPLAIN VERBOSE SELECT * FROM desk.asking_there WHERE disease = 'disease 1'});
is(answers('patients'), 0, '8: its estimates ask for nothing');
cmp_ok(as_analyst(q{SELECT count(*) FROM desk.asking_there WHERE disease = 'disease 1'}), '>', 0, '8: a condition goes along');
is(answers('patients'), 1, '8: to the rows of one answer');
as_analyst('BEGIN; SELECT count(*) FROM desk.asking_there; ROLLBACK');
is(answers('patients'), 1, '8: rolled back there, it is remembered');
as_analyst('ANALYZE desk.asking_there');
cmp_ok(answers('patients'), '>=', 1, '8: statistics of it are taken of answers');
is($node->safe_psql('postgres', q{SELECT DISTINCT published_by FROM pprepub.release WHERE publication = 'patients' AND kind = 'query'}), 'analyst', '8: all of them the analyst\'s');

# ---- 15: a source that changes while it is read ----

# Asks, until the worker stands in the middle of the source.
sub stop_in_source
{
	my $session = start_sql($node, 'postgres', 'SET SESSION AUTHORIZATION analyst', 'SELECT count(*) FROM published.gated()');

	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'no worker waits';
	return $session;
}

{
	my $holder = $node->background_psql('postgres');

	$holder->query_safe('SELECT pg_advisory_lock(1)');
	my $session = stop_in_source();
	$node->safe_psql('postgres', <<'SQL');
DELETE FROM hospital.patients WHERE id BETWEEN 900 AND 1200;
INSERT INTO hospital.patients SELECT id + 5000, 200, zip, sex, disease FROM hospital.patients WHERE id <= 300;
UPDATE hospital.patients SET age = age + 1000, disease = 'disease 9' WHERE id > 1200;
SQL
	foreach my $command ('TRUNCATE hospital.patients', 'ALTER TABLE hospital.patients RENAME age TO years', 'ALTER TABLE hospital.patients ADD weight int', 'DROP TABLE hospital.patients CASCADE',
		'CREATE OR REPLACE VIEW hospital.gated AS SELECT * FROM hospital.patients WHERE false', q{SELECT pprepub.drop_publication('gated', true)}, q{SELECT pprepub.publish('gated')},
		q{SELECT pprepub.alter_publication('gated', '{"k": 50}')}, 'LOCK TABLE hospital.patients')
	{
		my ($status, $out, $error) = $node->psql('postgres', "BEGIN; SET LOCAL lock_timeout = 50; $command");

		ok($status != 0 && $error =~ /ERROR:  (?:canceling statement due to lock timeout|DROP TABLE would)/, "15: waits: $command") or diag($error);
	}
	$holder->quit;
	is(finish_sql($session), 0, '15: the answer goes on');
	is($session->{out}, "2000\n", '15: about those who were there when it began');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.class_members('gated') WHERE key::int > 5000}), '0', '15: not about who came');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM published_private.gated_asked WHERE 'disease 9' = ANY (sensitive)}), '0', '15: nor with what they have now');
	all_holds('gated', '15: changed while it was read');
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM published.gated()'), '>', 0, '15: another answer');
	all_holds('gated', '15: and after it was');
}

# A prepared release is not there yet, and rows that are to come are in nobody's way.
$node->safe_psql('postgres', q{BEGIN; INSERT INTO hospital.patients SELECT id + 9000, age, zip, sex, disease FROM hospital.patients WHERE id <= 300; PREPARE TRANSACTION 'to come'});
$node->safe_psql('postgres', 'SELECT count(*) FROM published.gated()');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.class_members('gated') WHERE key::int > 9000}), '0', '15: who is prepared is not there');
$node->safe_psql('postgres', q{COMMIT PREPARED 'to come'});
$node->safe_psql('postgres', 'SELECT count(*) FROM published.gated()');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.class_members('gated') WHERE key::int > 9000}), '>', 0, '15: and then is');
all_holds('gated', '15: prepared transactions');

# ---- 22: whoever has no time ----

{
	my $holder = $node->background_psql('postgres');
	my $releases = $node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release');

	$node->safe_psql('postgres', q{INSERT INTO hospital.patients VALUES (1000, 30, '10000', 'F', 'disease 1')});
	$holder->query_safe('SELECT pg_advisory_lock(1)');
	foreach my $call ('publish', 'preview')
	{
		fails_with($node, 'postgres', '57014', "SET statement_timeout = 100; SELECT * FROM pprepub.$call('gated')", "22: $call heeds a timeout");
	}
	$holder->quit;
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release'), $releases, '22: and leaves nothing');
}
foreach my $call ('attack', 'audit', 'groups', 'class_members')
{
	fails_with($node, 'postgres', '57014', "SET statement_timeout = 50; SELECT (SELECT count(*) FROM pprepub.$call(CASE WHEN i > 0 THEN 'gated' END)) FROM generate_series(1, 10000) i",
		"22: so does $call");
}

# ---- 20: logical decoding ----

fails_like($node, 'postgres', q{SET SESSION AUTHORIZATION analyst; SELECT pg_create_logical_replication_slot('mine', 'test_decoding')}, qr/must be superuser or replication role|permission denied to use replication slots/, '20: no slot for an analyst');
$node->safe_psql('postgres', q{SELECT pg_create_logical_replication_slot('slot', 'test_decoding')});
$node->safe_psql('postgres', q{SELECT count(*) FROM published.patients()});
$node->safe_psql('postgres', q{SELECT FROM pprepub.publish('patients')});
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_logical_slot_peek_changes('slot', NULL, NULL) WHERE data ~ 'published\.patients_\d+: '}), '0', '20: a release is not decoded');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM pg_logical_slot_peek_changes('slot', NULL, NULL) WHERE data ~ 'pprepub_internal\.catalog_release: INSERT'}), '>', 0, '20: that there is one is');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_logical_slot_peek_changes('slot', NULL, NULL) WHERE data ~ 'hospital'}), '0', '20: and nothing of the source');
fails_like($node, 'postgres', q{SET SESSION AUTHORIZATION analyst; SELECT pg_logical_slot_peek_changes('slot', NULL, NULL)}, qr/must be superuser or replication role|permission denied to use replication slots/, '20: not for an analyst');
$node->safe_psql('postgres', q{CREATE PUBLICATION releases FOR TABLES IN SCHEMA published});
is($node->safe_psql('postgres', q{SELECT count(*), bool_and(tablename ~ '^(patients|gated|guarded)_(\d+|releases)$') FROM pg_publication_tables}), '6|t', '20: the schema of releases has no history in it');
$node->safe_psql('postgres', q{SELECT pg_drop_replication_slot('slot')});

$node->stop;
done_testing();
