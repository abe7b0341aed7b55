# Newer versions of PostgreSQL show, allow or decide otherwise: each part runs where it applies.
use Hospital;

my $node = new_server('main');
my $version = $node->pg_version;
make_patients($node, 'postgres', 1000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', q{CREATE ROLE analyst LOGIN; CREATE ROLE keeper LOGIN; GRANT USAGE ON SCHEMA published TO analyst;
	GRANT EXECUTE ON FUNCTION published.patients TO analyst});

# since VERSION NAME TESTS
sub since
{
	my ($least, $name, $tests) = @_;

  SKIP:
	{
		skip "$name: since PostgreSQL $least", 1 if $version < $least;
		subtest $name => $tests;
	}
	return;
}

sub ask
{
	my ($sql, %with) = @_;

	return $node->safe_psql('postgres', $sql, extra_params => [ '-U', $with{role} // 'postgres' ]);
}

# Settings of the database that the next worker starts with.
sub start_workers_with
{
	my ($setting) = @_;

	ask("ALTER DATABASE postgres SET $setting");
	$node->psql('postgres', q{SET transaction_timeout = 0; SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}, on_error_stop => 0);
	return;
}

sub all_holds
{
	is(ask(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', shift);
	return;
}

is(ask('SELECT rows FROM pprepub.publish(\'patients\')'), 1000, 'a release');

# A source whose code sleeps and looks for locks.
ask(q{SET ROLE owner;
	CREATE TABLE hospital.busy (n int); INSERT INTO hospital.busy VALUES (1);
	CREATE FUNCTION hospital.look() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		PERFORM pg_sleep(0.3);
		PERFORM FROM hospital.busy FOR UPDATE NOWAIT;
		RETURN true;
	EXCEPTION WHEN lock_not_available THEN RETURN true; END $$;
	CREATE TABLE hospital.others AS SELECT * FROM hospital.patients;
	ALTER TABLE hospital.others ADD PRIMARY KEY (id);
	CREATE VIEW hospital.slow AS SELECT o.* FROM hospital.others o, (SELECT hospital.look() AS looked OFFSET 0) l WHERE l.looked});
declare_patients($node, 'postgres', 'slow', 'hospital.slow');

# ---- Settings of the database that a worker does not heed ----

since 16, 'queries that are made parallel for debugging' => sub {
	start_workers_with('debug_parallel_query = on');
	is(ask('SELECT count(*) FROM published.patients()'), 1000, 'an answer');
	is(ask('SELECT rows FROM pprepub.publish(\'patients\')'), 1000, 'a release');
	ask(q{ALTER DATABASE postgres RESET ALL});
};

since 17, 'a transaction of a worker has no timeout' => sub {
	start_workers_with(q{transaction_timeout = '100ms'});
	is(ask('SET transaction_timeout = 0; SELECT count(*) FROM published.slow()'), 1000, 'an answer');
	is(ask('SET transaction_timeout = 0; SELECT message FROM pprepub.failed_answer'), '', 'nothing failed');
	ask(q{SET transaction_timeout = 0; ALTER DATABASE postgres RESET ALL});
};

since 18, 'locks that a source does not get are not logged' => sub {
	my $holder = $node->background_psql('postgres');
	my $from = -s $node->logfile;

	$node->append_conf('postgresql.conf', 'log_lock_failures = on');
	$node->reload;
	$holder->query_safe('BEGIN; SELECT FROM hospital.busy FOR UPDATE');
	is(ask('SELECT count(*) FROM published.slow()'), 1000, 'an answer');
	unlike(slurp_file($node->logfile, $from), qr/hospital\.busy/, 'the log does not tell');
	is(ask('SET ROLE owner; SELECT hospital.look()'), 't', 'where a session asks');
	like(slurp_file($node->logfile, $from), qr/hospital\.busy/, 'it does');
	$holder->quit;
	$node->append_conf('postgresql.conf', 'log_lock_failures = off');
	$node->reload;
};

# ---- Statistics of backends, which anybody reads ----

since 18, 'statistics of a worker are empty' => sub {
	my $counts = q{SELECT coalesce(sum(i.reads + i.hits + i.extends + i.writes), 0), coalesce(sum(w.wal_records), 0)
		FROM pg_stat_get_activity(NULL) a, pg_stat_get_backend_io(a.pid) i, pg_stat_get_backend_wal(a.pid) w WHERE a.pid = };
	my $worker;

	ask(q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});	# of other publications
	# More than a second apart, as statistics are flushed, and more than are followed by a VACUUM
	foreach my $round (1 .. 20)
	{
		ask('SELECT count(*) FROM published.patients()', role => 'analyst');
		$worker //= ask(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});
		select undef, undef, undef, 1.1 if $round == 1;
	}
	is(ask(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}), $worker, 'one worker has answered all');
	is(ask("$counts $worker", role => 'analyst'), '0|0', 'and shows nothing');
	unlike(ask("SELECT count(*) FROM hospital.patients; SELECT pg_stat_force_next_flush(); $counts pg_backend_pid()"), qr/^0\|0$/m, 'a session shows what it read');
	isnt($node->psql('postgres', "SELECT count(*) FROM $_", extra_params => [ '-U', 'analyst' ]), 0, "$_ is not for everybody") foreach 'pg_aios', 'pg_get_aios()';
};

# ---- Columns that are computed when they are read ----

since 18, 'virtual generated columns' => sub {
	ask(q{SET ROLE owner;
		CREATE TABLE hospital.computed (id int PRIMARY KEY, born int, code int, age int GENERATED ALWAYS AS (2026 - born) VIRTUAL,
			disease text GENERATED ALWAYS AS ('disease ' || code) VIRTUAL);
		INSERT INTO hospital.computed SELECT i, 1940 + i % 60, i % 7 FROM generate_series(1, 500) i;
		SELECT pprepub.create_publication('computed', 'hospital.computed', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 2}');
		SELECT pprepub.publish('computed')});
	is(ask('SELECT count(*), count(disease), count(DISTINCT disease), bool_and(age <@ int4range(20, 90)) FROM published.computed'), '500|500|7|t', 'are published');
	like(ask('SELECT count(*), count(disease) FROM published.computed(\'age > 30\')'), qr/^([1-9]\d*)\|\1$/, 'and asked for');
	is(ask(q{SELECT check_name FROM pprepub.audit('computed') WHERE NOT holds}), '', 'all holds');

	# In a table of the access method, beside heap
	ask(qq{CREATE TABLE in_$_ (a int, b int GENERATED ALWAYS AS (a * 2) VIRTUAL, c text) USING $_; INSERT INTO in_$_ (a, c) SELECT i, 't' || i % 9 FROM generate_series(1, 40000) i; ANALYZE in_$_})
	  foreach qw(heap pprepub);
	foreach my $query ('SELECT count(*), count(b), min(b), max(b), sum(b) FROM in_TAB', 'SELECT sum(a) FROM in_TAB WHERE b BETWEEN 100 AND 200',
		'SELECT b % 3, count(*), max(b) FROM in_TAB GROUP BY 1 ORDER BY 1', 'SELECT * FROM in_TAB WHERE b = 500', 'SELECT c, sum(b) FROM in_TAB GROUP BY c ORDER BY c')
	{
		my @got = map { ask($query =~ s/TAB/$_/r) } qw(heap pprepub);
		is($got[1], $got[0], $query);
	}
};

# ---- Rights and commands ----

since 17, 'REINDEX, which fires event triggers, goes on' => sub {
	ask('SET ROLE owner; CREATE INDEX by_disease ON published.patients_1 (disease)');
	ask('SET ROLE owner; REINDEX TABLE published.patients_1');
	ask('SET ROLE owner; REINDEX INDEX CONCURRENTLY published.by_disease');
	ask('REINDEX SCHEMA published_private');
	all_holds('all holds');
};

since 17, 'members of pg_maintain change nothing that is published' => sub {
	ask('GRANT pg_maintain TO keeper; GRANT USAGE ON SCHEMA published, published_private TO keeper');
	foreach my $command ('VACUUM', 'ANALYZE', 'VACUUM FULL', 'REINDEX TABLE')
	{
		foreach my $table (split /\n/, ask(q{SELECT c.oid::regclass FROM pg_class c JOIN pprepub_internal.catalog_relation r ON r.relation::oid = c.oid WHERE relkind = 'r'}))
		{
			my ($status, $out, $err) = $node->psql('postgres', "$command $table", extra_params => [ '-U', 'keeper' ]);

			ok($status == 0 || $err =~ /permission denied|would change what was made|cannot/, "$command $table") or diag($err);
		}
	}
	is(ask(q{SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums'}), 't', 'releases are as they were');
	is(ask('SELECT rows FROM pprepub.publish(\'patients\')'), 1000, 'publishing goes on');
	all_holds('all holds');
};

since 17, 'releases refuse commands that came later' => sub {
	my $rows = ask('SELECT count(*), md5(string_agg(r::text, \',\' ORDER BY r::text)) FROM published.patients_1 r');

	foreach my $command (
		'MERGE INTO published.patients_1 r USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE',
		'MERGE INTO published.patients_1 r USING (SELECT 1) x ON true WHEN NOT MATCHED BY SOURCE THEN DELETE',
		'MERGE INTO published.patients r USING (SELECT 1) x ON true WHEN MATCHED THEN UPDATE SET disease = NULL RETURNING r.disease',
		'MERGE INTO published_private.patients_members r USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE',
		q{COPY published.patients_1 FROM '/dev/null' WITH (ON_ERROR ignore)},
		'ALTER TABLE published.patients_1 SET ACCESS METHOD DEFAULT',
		'ALTER TABLE published.patients_1 ALTER disease SET STATISTICS 0, ALTER class ADD GENERATED ALWAYS AS IDENTITY',
		$version < 18 ? () : (
			'UPDATE published.patients_1 SET disease = NULL RETURNING old.disease',
			'ALTER TABLE published.patients_1 ADD computed text GENERATED ALWAYS AS (upper(disease)) VIRTUAL',
			'ALTER TABLE published.patients_1 ADD CONSTRAINT none CHECK (disease IS NULL) NOT ENFORCED'))
	{
		isnt($node->psql('postgres', "SET ROLE owner; $command"), 0, $command);
	}
	is(ask('SELECT count(*), md5(string_agg(r::text, \',\' ORDER BY r::text)) FROM published.patients_1 r'), $rows, 'the release is as it was');
	if ($version >= 18)
	{
		ask(q{SET ROLE owner; SELECT pg_restore_relation_stats('schemaname', 'published', 'relname', 'patients_1', 'relpages', 0, 'reltuples', 0::real)});
		is(ask('SELECT count(*) FROM published.patients_1'), 1000, 'statistics that somebody made up');
	}
	all_holds('all holds');
};

since '19devel', 'everybody sees that locks are waited for, unless that is revoked' => sub {
	my $waits = q{SELECT waits, wait_time > 900 FROM pg_stat_lock WHERE locktype = 'relation'};
	my ($before) = split /\|/, ask($waits, role => 'analyst');

	ask(q{ALTER DATABASE postgres SET track_counts = off});
	my $holder = $node->background_psql('postgres');
	$holder->query_safe('BEGIN; LOCK pprepub_internal.catalog_release IN SHARE MODE');
	my $session = start_sql($node, 'postgres', q{SELECT pprepub.publish('patients')});
	$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND clock_timestamp() > state_change + interval '1.5 s'}) or die 'nobody waits';
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	is(finish_sql($session), 0, 'somebody waited');
	is(ask($waits, role => 'analyst'), $before + 1 . '|t', 'is told, whatever track_counts is');
	ask('ALTER DATABASE postgres RESET ALL; REVOKE SELECT ON pg_stat_lock FROM PUBLIC; REVOKE EXECUTE ON FUNCTION pg_stat_get_lock() FROM PUBLIC');
	isnt($node->psql('postgres', "SELECT count(*) FROM $_", extra_params => [ '-U', 'analyst' ]), 0, "$_ is not for everybody any more") foreach 'pg_stat_lock', 'pg_stat_get_lock()';
};

since '19devel', 'REPACK' => sub {
	ask('REPACK published.patients_1');
	all_holds('a release is what it was');
	$node->append_conf('postgresql.conf', 'wal_level = replica');
	$node->restart;
	fails_like($node, 'postgres', 'REPACK (CONCURRENTLY) published.patients_1', qr/only supported for the "heap" access method/, 'beside writers it is refused');
};

since 17, 'event triggers can be switched off, which audit notices' => sub {
	ask('GRANT SET ON PARAMETER event_triggers TO owner');
	isnt($node->psql('postgres', 'SET ROLE owner; ALTER TABLE published.patients_1 DISABLE TRIGGER ALL'), 0, 'the table is protected');
	ask('SET ROLE owner; SET event_triggers = off; ALTER TABLE published.patients_1 DISABLE TRIGGER ALL; TRUNCATE published.patients_1');
	is(ask(q{SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums'}), 'f', 'unless they are off, and audit says so');
};

ok(1, "PostgreSQL $version");
done_testing();
