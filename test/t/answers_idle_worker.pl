# A worker rests when it has answered, for the next question of the same owner: it keeps nothing
# of the last one, serves nobody else, and goes when it is in somebody's way.
use Time::HiRes qw(time);
use Hospital;

my $node = new_server('main');
$node->append_conf('postgresql.conf', <<'CONF');
max_worker_processes = 4
max_parallel_workers = 4
pprepub.answer_linger = 1min
CONF
$node->restart;
make_patients($node, 'postgres', 500);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');

# A source that says who reads it, and looks at what the last reader left in its session.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.note (pid int, setting text, isolation text, locked bool, path text);
CREATE FUNCTION hospital.leave(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 1 THEN
		INSERT INTO hospital.note VALUES (pg_backend_pid(), current_setting('pprepub_test.mark', true), current_setting('transaction_isolation'),
			EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()),
			current_setting('search_path'));
		PERFORM pg_advisory_lock(7);
		EXECUTE 'SET pprepub_test.mark = ''something''';
		EXECUTE 'SET search_path = hospital';
		EXECUTE 'SET default_transaction_isolation = ''read committed''';
		EXECUTE 'SET default_transaction_read_only = on';
		EXECUTE 'SET lock_timeout = 1';
	END IF;
	RETURN true;
END $$;
CREATE VIEW hospital.leaving AS SELECT * FROM hospital.patients WHERE hospital.leave(id);
SQL
declare_patients($node, 'postgres', 'leaving', 'hospital.leaving', 'patients');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE other;
GRANT CREATE ON DATABASE postgres TO other;
CREATE SCHEMA ward AUTHORIZATION other;
SET ROLE other;
CREATE TABLE ward.people AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('people', 'ward.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'ward_out');
SQL

my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'};
my $pids = q{SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'};

sub ask
{
	my ($name) = @_;

	return $node->safe_psql('postgres', "SELECT count(*) FROM $name()");
}

sub workers_become
{
	my ($n, $what) = @_;

	ok($node->poll_query_until('postgres', "SELECT count(*) = $n FROM pg_stat_activity WHERE backend_type = 'pprepub answer'"), $what);
	return;
}

# ---- One worker, two questions ----

is(ask('published.leaving'), '500', 'a first answer');
is(ask('published.leaving'), '500', 'a second one');
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT pid) FROM hospital.note'), '2|1', 'by one worker');
is($node->safe_psql('postgres', q{SELECT DISTINCT coalesce(nullif(setting, ''), 'none'), isolation, locked, path FROM hospital.note}),
	'none|repeatable read|f|pg_catalog, pg_temp', 'which kept nothing of the first');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks l JOIN pg_stat_activity USING (pid) WHERE backend_type = 'pprepub answer'}), '0', 'and holds no lock');
my $first = $node->safe_psql('postgres', $pids);
is(ask('ward_out.people'), '40', 'a publication of another owner');
is($node->safe_psql('postgres', $workers), '2', 'by another worker');
like($node->safe_psql('postgres', $pids), qr/\b$first\b/, 'while the first one rests');
fails_like($node, 'postgres', q{SELECT * FROM published.leaving(columns => '{x}')}, qr/has no column "x"/, 'an error');
is(ask('published.leaving'), '500', 'and an answer after it');
is($node->safe_psql('postgres', $workers), '2', 'by those that are there');
is(ask('published.patients'), '500', 'another publication of the same owner');
is($node->safe_psql('postgres', $workers), '3', 'by a worker of its own');

# A slow reader of rows is not waited for; but one who then asks again at once gets the worker that is there.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.reader (pid int);
CREATE FUNCTION hospital.note_reader(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 1 THEN
		INSERT INTO hospital.reader VALUES (pg_backend_pid());
		PERFORM pg_advisory_lock(8, lock) FROM generate_series(1, 3000) lock;	-- which takes time to let go of
	END IF;
	RETURN true;
END $$;
CREATE TABLE hospital.many AS SELECT i AS id, i % 90 AS age, (10000 + i % 7)::text AS zip, 'F' AS sex, 'disease ' || i % 8 AS disease
FROM generate_series(1, 5000) i;
CREATE VIEW hospital.crowd AS SELECT * FROM hospital.many WHERE hospital.note_reader(id);
SQL
declare_patients($node, 'postgres', 'crowd', 'hospital.crowd');
$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.alter_publication('crowd', '{"max_answers_per_statement": 40}')});
$node->safe_psql('postgres', q{SELECT count(*) FROM generate_series(1, 40) i, published.crowd(NULLIF(i::text, i::text))});
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT pid) FROM hospital.reader'), '40|1', 'forty long answers are one worker\'s');

# An asker waits while it works, and gets another one in the end.
{
	my $holder = $node->background_psql('postgres');

	$holder->query_safe('BEGIN; LOCK TABLE hospital.patients');
	my $session = start_sql($node, 'postgres', 'SELECT count(*) FROM published.patients()');
	$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted') or die 'the worker does not wait';
	my $more = start_sql($node, 'postgres', q{SET pprepub.answer_wait = '1s'}, 'SELECT count(*) FROM published.patients()');
	ok($node->poll_query_until('postgres', 'SELECT count(*) = 2 FROM pg_locks WHERE NOT granted'), 'who asks while it works gets another one');
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	is(finish_sql($_), 0, 'both get their answer') foreach $session, $more;
}

# ---- An end to rest ----

# Two rest at most of four, so that others find a slot.
workers_become(2, 'half of the slots at most are taken by those who rest');
$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'");
workers_become(0, 'terminated');
is(ask('published.patients'), '500', 'and another one answers');

# Nobody waits for a worker that somebody has started who then went away: it would be for ever.
foreach my $times (1 .. 9)
{
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});
	$node->psql('postgres', 'SET statement_timeout = 3; SELECT count(*) FROM published.patients()');
	is($node->safe_psql('postgres', q{SET pprepub.answer_wait = '1h'; SET statement_timeout = '1min'; SELECT count(*) FROM published.patients()}), '500',
		'who goes away keeps nobody waiting');
}

# A new setting is heard of.
$node->append_conf('postgresql.conf', 'pprepub.answer_linger = 300ms');
$node->reload;
workers_become(0, 'they go when the time has come');
is(ask('published.patients'), '500', 'and come again');
workers_become(0, 'and go');
$node->append_conf('postgresql.conf', 'pprepub.answer_linger = 0');
$node->reload;
is(ask('published.patients'), '500', 'none rests');
workers_become(0, 'when none is to');
$node->append_conf('postgresql.conf', 'pprepub.answer_linger = 1min');
$node->reload;

# Those of one owner give way to questions of others, one after the other.
ask('published.patients');
my $longest = $node->safe_psql('postgres', $pids);
ask('ward_out.people');
is($node->safe_psql('postgres', $workers), '2', 'two rest');
my ($other) = grep { $_ ne $longest } split / /, $node->safe_psql('postgres', $pids);
{
	# The launcher of logical replication has a slot, so one is free.
	$node->safe_psql('postgres', <<'SQL');
CREATE ROLE third;
GRANT CREATE ON DATABASE postgres TO third;
CREATE SCHEMA third AUTHORIZATION third;
SET ROLE third;
CREATE TABLE third.people AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('thirds', 'third.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'third_out');
SELECT pprepub.create_publication('fourths', 'third.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'third_out', beside => '{thirds}');
GRANT USAGE ON SCHEMA third_out TO PUBLIC;
SQL
	my $holder = $node->background_psql('postgres');

	$holder->query_safe('BEGIN; LOCK TABLE third.people');
	my @sessions = start_sql($node, 'postgres', 'SELECT count(*) FROM third_out.thirds()');
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted}) or die 'it does not wait';
	kill 'STOP', $longest;	# so that it takes its time to exit
	push @sessions, start_sql($node, 'postgres', 'SELECT count(*) FROM third_out.fourths()');
	sleep 1;
	kill 'CONT', $longest;
	$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_locks WHERE NOT granted}) or die 'they do not wait';
	like($node->safe_psql('postgres', $pids), qr/^(?!.*\b$longest\b).*\b$other\b/, 'one who rests gives way, and no other');
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	is(finish_sql($_), 0, 'to who has a question') foreach @sessions;
}

# Nobody has to wait for them to drop, rename or copy a database.
foreach my $command ('DROP DATABASE %s', 'ALTER DATABASE %s RENAME TO renamed', 'CREATE DATABASE copied TEMPLATE %s')
{
	my ($verb) = $command =~ /^(\w+)/;
	my $database = lc "${verb}_me";

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, <<"SQL");
CREATE EXTENSION pprepub;
CREATE TABLE people AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}');
SELECT count(*) FROM published.people();
SQL
	is($node->safe_psql('postgres', "$workers AND datname = '$database'"), '1', "$verb: one rests");
	my $start = time();
	is($node->psql('postgres', sprintf($command, $database)), 0, "$verb DATABASE: done");
	cmp_ok(time() - $start, '<', 4, "$verb DATABASE: soon");
}

# A witness is not one of another database's.
fails_like($node, 'copied', 'SELECT * FROM published.people()', qr/may have been rewound/, 'a copied database does not answer');

# ---- Where there is no memory left to be found in ----

# Locks take all of it, but from 19 on they have their own: the pool of so many workers needs more than is left.
$node->append_conf('postgresql.conf', "max_locks_per_transaction = 10\nmax_connections = 10\nmax_wal_senders = 0\nmax_worker_processes = " . ($node->pg_version < '19devel' ? 200 : 4000));
$node->restart;
fails_like($node, 'postgres', 'SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 1000000) i', qr/out of shared memory/, 'all memory is taken');
$node->poll_query_until('postgres', 'SELECT true');	# sessions begin again once that one has let go of its locks
is(ask('published.patients'), '500', 'answers go on');
is(ask('published.patients'), '500', 'one after the other');
is($node->safe_psql('postgres', $workers), '0', 'by workers of their own');
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query('BEGIN; LOCK TABLE hospital.patients; SELECT count(*) FROM published.patients()');
like($session->{stderr}, qr/the answer waits for a lock that your own transaction holds/, 'and locks are found');
$session->quit;

$node->stop;
done_testing();
