# Neither the server's log nor its views of activity tell what stands in a source.
use Hospital;

my $node = new_server('main');
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track = all
pg_stat_statements.track_utility = on
CONF
$node->restart;

is($node->safe_psql('postgres', q{SELECT string_agg(setting, ' ' ORDER BY name) FROM pg_settings WHERE name IN
	('log_min_messages', 'log_statement', 'log_min_error_statement', 'log_parameter_max_length_on_error', 'log_error_verbosity')}),
	'default error warning 0 none', 'the log is as PostgreSQL delivers it');

# Every value says what it is: a key, a sensitive value, a quasi-identifier, or insensitive.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_stat_statements;
CREATE EXTENSION pprepub;
CREATE ROLE owner LOGIN;
GRANT CREATE ON DATABASE postgres TO owner;
CREATE SCHEMA hospital AUTHORIZATION owner;
SET ROLE owner;
CREATE TABLE hospital.levels (leaf text, root text);
INSERT INTO hospital.levels SELECT 'QI-' || i, 'all' FROM generate_series(0, 3) i;
SELECT pprepub.create_taxonomy('levels', 'hospital.levels');
CREATE TABLE hospital.patients (id text, age int, zip text, place text, disease text, note text);
INSERT INTO hospital.patients
SELECT 'KEY-' || i, 20 + i % 30, 'QI-' || i % 10, 'QI-' || i % 4, 'SENSITIVE-' || i % 5, 'PLAIN-' || i
FROM generate_series(1, 400) i;
CREATE FUNCTION hospital.gate(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 'KEY-200' THEN
		PERFORM pg_advisory_lock(1), pg_advisory_unlock(1);
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION hospital.fail(id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 'KEY-200' THEN
		RAISE EXCEPTION 'a failure of the source';
	END IF;
	RETURN true;
END $$;
SQL

my $beside = '';

# Declares a publication of a query over the patients.
sub declare_query
{
	my ($name, $query, %given) = @_;
	my $zip = $given{zip} // 'prefix';
	my $params = $given{params} // '{"k": 3, "l": 2}';
	my $insensitive = $given{insensitive} // '';

	$node->safe_psql('postgres', <<"SQL");
SET ROLE owner;
CREATE VIEW hospital.$name AS $query;
SELECT pprepub.create_publication('$name', 'hospital.$name', 'id', '{"age": "range", "zip": "$zip", "place": "taxonomy levels"}',
	'disease', 'bpg', '$params', insensitive => '{$insensitive}', beside => '{$beside}');
SQL
	$beside .= ($beside ? ',' : '') . $name;
	return;
}

my $all = 'SELECT * FROM hospital.patients';

declare_query('good', $all);
declare_query('noted', $all, insensitive => 'note', params => '{"k": 3, "l": 2, "accept_insensitive": true}');
declare_query('gated', "$all WHERE hospital.gate(id)");
declare_query('failing', "$all WHERE hospital.fail(id)");
declare_query('null_key', $all);
declare_query('repeated', $all);
declare_query('demanding', $all, params => '{"k": 3, "l": 6}');
declare_query('starred', "SELECT id, age, CASE WHEN id = 'KEY-9' THEN zip || '*' ELSE zip END AS zip, place, disease FROM hospital.patients");
declare_query('lost', "SELECT id, age, zip, CASE WHEN id = 'KEY-9' THEN 'QI-lost' ELSE place END AS place, disease FROM hospital.patients");
declare_query('sparse', "SELECT id, age, zip, place, CASE WHEN id <> 'KEY-1' AND id <> 'KEY-2' THEN disease END AS disease FROM hospital.patients");
declare_query('wide', "SELECT id, age, repeat(zip, 2000) AS zip, place, disease FROM hospital.patients");

# Such keys could not have been declared.
$node->safe_psql('postgres', <<'SQL');
CREATE OR REPLACE VIEW hospital.null_key AS SELECT nullif(id, 'KEY-7') AS id, age, zip, place, disease, note FROM hospital.patients;
CREATE OR REPLACE VIEW hospital.repeated AS SELECT * FROM hospital.patients UNION ALL SELECT * FROM hospital.patients WHERE id IN ('KEY-7', 'KEY-8');
SQL

my $start = -s $node->logfile;
$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset()');

# ---- Errors and warnings of publish() and preview() ----

my %expected = (
	failing => qr/a failure of the source/,
	null_key => qr/is NULL in 1 row/,
	repeated => qr/is repeated in 2 row/,
	demanding => qr/has nothing that may be published/,
	starred => qr/has 1 row\(s\)/,
	lost => qr/has 1 row\(s\)/);

foreach my $role ('owner', 'postgres')
{
	foreach my $call ('publish', 'preview')
	{
		foreach my $name (sort keys %expected)
		{
			fails_like($node, 'postgres', "SET ROLE $role; SELECT pprepub.$call('$name')", $expected{$name}, "$role: $call: $name");
		}
	}
}
foreach my $name (qw(good noted sparse wide))
{
	is($node->psql('postgres', "SET ROLE owner; SELECT * FROM pprepub.preview('$name')"), 0, "preview: $name");
	is($node->psql('postgres', "SET ROLE owner; SELECT pprepub.publish('$name')"), 0, "publish: $name");
	is($node->psql('postgres', "SET ROLE owner; SELECT * FROM pprepub.metrics('$name', 1)"), 0, "reports: $name");
}
is($node->psql('postgres', q{SET ROLE owner; SELECT count(*) FROM pprepub.class_members('good')}), 0, 'members');
foreach my $command ('DELETE FROM published.good_1', 'DROP TABLE published.good_1 CASCADE', 'TRUNCATE published_private.good_members',
	q{SELECT pprepub.drop_publication('good')})
{
	isnt($node->psql('postgres', "SET ROLE owner; $command"), 0, "refused: $command");
}

# Interrupted where its statements of its own run, and where the source is read.
foreach my $stop ('SELECT pg_advisory_lock(1)', 'BEGIN; LOCK pprepub_internal.catalog_release IN SHARE MODE')
{
	my $holder = $node->background_psql('postgres');

	$holder->query_safe($stop);
	my $session = start_sql($node, 'postgres', "SET application_name = 'stopped'", 'SET ROLE owner', q{SELECT pprepub.publish('gated')});
	$node->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'stopped' AND wait_event_type = 'Lock'})
		or die 'nobody waits';
	is($node->safe_psql('postgres', q{SELECT query FROM pg_stat_activity WHERE application_name = 'stopped'}),
		q{SELECT pprepub.publish('gated')}, 'activity shows what the caller said, and no more');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE query ~ '(KEY|QI|SENSITIVE|PLAIN)-[0-9]'}),
		'0', 'activity shows no value');
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'stopped'});
	isnt(finish_sql($session), 0, 'cancelled');
	$holder->quit;
}

# ---- What was written of it ----

my $log = substr(slurp_file($node->logfile), $start);

cmp_ok(scalar(() = $log =~ /ERROR:  /g), '>=', 20, 'the log has the errors');
like($log, qr/CONTEXT:  (?:waiting for .*\n\t)?SQL statement "INSERT INTO pprepub_internal\.catalog_release/, 'and where a statement of ours was cancelled');
unlike($log, qr/SENSITIVE-/, 'log: no sensitive value');
unlike($log, qr/KEY-/, 'log: no key');
unlike($log, qr/PLAIN-/, 'log: no insensitive value');

is($node->safe_psql('postgres', q{SELECT count(*) > 5 FROM pg_stat_statements WHERE query ~ 'pprepub_internal\.catalog_'}), 't',
	'pg_stat_statements: has our statements');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_statements WHERE query ~ '(KEY|QI|SENSITIVE|PLAIN)-[0-9]' AND query !~ 'pg_stat_activity'}),
	'0', 'pg_stat_statements: no value');

# Statistics of the columns of a release are for those who may read it.
$node->safe_psql('postgres', 'ANALYZE');
$node->safe_psql('postgres', 'CREATE ROLE analyst');
is($node->safe_psql('postgres', q{SET ROLE analyst; SELECT count(*) FROM pg_stats WHERE schemaname ~ '^(published|hospital|pprepub)'}), '0',
	'statistics: an analyst sees none');

$node->stop;
done_testing();
