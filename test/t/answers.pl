# An answer is remembered before it is seen, whatever becomes of whoever asked, and of the
# worker that makes it; and a worker that cannot be had, or must not be, is said to be.
use Time::HiRes qw(time usleep);
use Hospital;

my $node = new_server('main', allows_streaming => 1);
$node->append_conf('postgresql.conf', <<'CONF');
max_worker_processes = 4
synchronous_commit = off
wal_writer_delay = 10s
CONF
$node->restart;
make_patients($node, 'postgres', 1000);

# A view in front of the source stops in the middle of being read, as long as somebody
# holds the gate.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE FUNCTION hospital.gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 500 THEN
		PERFORM pg_advisory_xact_lock(1);
	END IF;
	RETURN true;
END $$;
CREATE VIEW hospital.gated AS SELECT * FROM hospital.patients WHERE hospital.gate(id);
SQL
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
declare_patients($node, 'postgres', 'gated', 'hospital.gated', 'patients');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE analyst LOGIN;
ALTER ROLE owner NOLOGIN;
GRANT USAGE ON SCHEMA published TO analyst;
GRANT EXECUTE ON FUNCTION published.patients, published.gated TO analyst;
SQL

my $ask = 'SELECT count(*) FROM published.gated()';

sub answers
{
	my ($name) = @_;

	return $node->safe_psql('postgres', "SELECT count(*) FROM pprepub_internal.catalog_release WHERE publication =
		(SELECT publication FROM pprepub_internal.catalog_publication WHERE name = '$name')");
}

# Everything that was remembered is whole.
sub all_holds
{
	my ($name, $what) = @_;

	is($node->safe_psql('postgres', "SELECT check_name, measured FROM pprepub.audit('$name') WHERE NOT holds"), '', "$what: the history is whole");
	return;
}

sub hold_gate
{
	my $holder = $node->background_psql('postgres');

	$holder->query_safe('SELECT pg_advisory_lock(1)');
	return $holder;
}

# Asks, until the worker stands in the middle of the source; returns the session, and its pid.
sub stop_in_source
{
	my (@before) = @_;
	my $session = start_sql($node, 'postgres', "SET application_name = 'asker'", 'SET SESSION AUTHORIZATION analyst', @before, $ask);

	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'no worker waits';
	return ($session, $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'asker'}));
}

sub no_workers
{
	$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype IN ('advisory', 'object') AND NOT granted
		UNION ALL SELECT FROM pg_stat_activity WHERE backend_type = 'pprepub answer' AND backend_xmin IS NOT NULL)}) or die 'a worker stays';
	return;
}

# ---- Durable ----

is( $node->safe_psql('postgres', 'SELECT count(*) FROM published.patients(); SELECT pg_current_wal_flush_lsn() >= latest FROM (SELECT max((witness->>\'position\')::pg_lsn) AS latest FROM pprepub_internal.catalog_release) l'),
	"1000\nt", 'an answer was flushed before it was given');
$node->stop('immediate');
$node->start;
is(answers('patients'), 1, 'and is remembered after a crash');
all_holds('patients', 'after a crash');

# ---- Whatever becomes of who asks ----

my $expected = 0;
my %ends = (
	cancelled => sub { $node->safe_psql('postgres', "SELECT pg_cancel_backend($_[1])") },
	terminated => sub { $node->safe_psql('postgres', "SELECT pg_terminate_backend($_[1])") },
	disconnected => sub { kill 9, $_[0]->{run}{KIDS}[0]{PID} });

foreach my $end (sort keys %ends)
{
	my $holder = hold_gate();
	my ($session, $pid) = stop_in_source();

	$ends{$end}->($session, $pid);
	if ($end ne 'disconnected')
	{
		isnt(finish_sql($session), 0, "$end: the asker got no row");
		is($session->{out}, '', "$end: nor anything else");
	}
	$holder->quit;
	no_workers();
	is(answers('gated'), ++$expected, "$end: the answer that was begun is remembered");
	eval { finish_sql($session) } if $end eq 'disconnected';
}
{
	my $holder = hold_gate();
	my ($session) = stop_in_source(q{SET statement_timeout = '3s'});

	isnt(finish_sql($session), 0, 'timeout: the asker got no row');
	like($session->{error}, qr/canceling statement due to statement timeout/, 'timeout: says so');
	$holder->quit;
	no_workers();
	is(answers('gated'), ++$expected, 'timeout: the answer that was begun is remembered');
}
all_holds('gated', 'askers gone');

# Before it was begun there is nothing to be remembered.
{
	my $publisher = $node->background_psql('postgres');

	$publisher->query_safe(q{BEGIN; SELECT pprepub.alter_publication('gated', '{}')});
	my ($out, $error);
	my $status = $node->psql('postgres', "SET statement_timeout = 300; $ask", stderr => \$error);
	isnt($status, 0, 'not begun: cancelled');
	no_workers();
	pass('not begun: nor does a worker wait on');
	$publisher->query_safe('COMMIT');
	$publisher->quit;
	no_workers();
	is(answers('gated'), $expected, 'not begun: costs nothing');
}

# ---- Whatever becomes of the worker ----

{
	my $holder = hold_gate();
	my ($session) = stop_in_source();
	my $worker = $node->safe_psql('postgres', q{SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});

	is($node->safe_psql('postgres', "SELECT backend_type, usename FROM pg_stat_activity WHERE pid = $worker"), 'pprepub answer|postgres', 'a worker is called what it is');
	is($node->safe_psql('postgres', "SELECT query = '' AND state IS NULL FROM pg_stat_activity WHERE pid = $worker"), 't', 'and says nothing of what it does');
	fails_like($node, 'postgres', "SET SESSION AUTHORIZATION analyst; SELECT pg_terminate_backend($worker)", qr/must be a (superuser|member)|permission denied to (terminate|cancel)/, 'an analyst cannot end it');
	fails_like($node, 'postgres', "SET SESSION AUTHORIZATION owner; SELECT pg_cancel_backend($worker)", qr/must be a (superuser|member)|permission denied to (terminate|cancel)/, 'nor can the owner');
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($worker)");
	isnt(finish_sql($session), 0, 'worker terminated: an error');
	like($session->{error}, qr/ERROR:  the worker that was to make the answer has ended/, 'worker terminated: says so');
	is($session->{out}, '', 'worker terminated: no row');
	$holder->quit;
	is(answers('gated'), $expected, 'worker terminated: nothing is remembered in part');
}
{
	my $holder = hold_gate();
	my ($session) = stop_in_source();

	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	isnt(finish_sql($session), 0, 'worker cancelled: an error');
	like($session->{error}, qr/ERROR:  canceling statement due to user request\n.*The answer was not made/s, 'worker cancelled: says so');
	$holder->quit;
	is(answers('gated'), $expected, 'worker cancelled: nothing is remembered in part');
}

# ---- Slots ----

# The launcher of logical replication has one.
{
	my $holder = hold_gate();
	my ($session) = stop_in_source();
	my @more = map { start_sql($node, 'postgres', $ask) } 1 .. 2;

	$node->poll_query_until('postgres', q{SELECT count(*) = 3 FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}) or die 'not three workers';
	my $start = time();
	fails_like($node, 'postgres', 'SET pprepub.answer_wait = 200; SELECT count(*) FROM published.patients()',
		qr/ERROR:  no background worker was free.*max_worker_processes, 4.*HINT:  Ask again later, or have max_worker_processes increased/s, 'no slot: an error that says so');
	cmp_ok(time() - $start, '<', 5, 'no slot: soon');
	my $waiting = start_sql($node, 'postgres', 'SELECT count(*) FROM published.patients()');
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT count(*) FROM published.patients()'}) or die 'nobody asks';
	$holder->quit;
	is(finish_sql($_), 0, 'all get their answer') foreach $session, @more, $waiting;
	is($waiting->{out}, "1000\n", 'also who had to wait for a slot');
	$expected += 3;
	is(answers('gated'), $expected, 'and each is remembered');
}

# ---- Locks of who asks, through others ----

{
	my $asker = $node->background_psql('postgres', on_error_stop => 0);

	$asker->query_safe('BEGIN; SELECT count(*) FROM hospital.patients');
	my $third = start_sql($node, 'postgres', 'BEGIN', 'LOCK TABLE hospital.patients', 'ROLLBACK');
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted}) or die 'nobody waits';
	my $start = time();
	$asker->query($ask);
	cmp_ok(time() - $start, '<', 10, 'through a third: no hang');
	like($asker->{stderr}, qr/the answer waits for a lock that your own transaction holds/, 'through a third: an error');
	$asker->query('ROLLBACK');
	is(finish_sql($third), 0, 'through a third: who goes on');
	$asker->quit;
	no_workers();
	is(answers('gated'), $expected, 'through a third: costs nothing');
}

# Each asks what the other's lock keeps from being answered.  One of the two is told so, or both.
{
	$node->safe_psql('postgres', 'CREATE TABLE hospital.visitors AS SELECT * FROM hospital.patients');
	$node->safe_psql('postgres', 'ALTER TABLE hospital.visitors OWNER TO owner');
	declare_patients($node, 'postgres', 'visitors', 'hospital.visitors');
	my $barrier = $node->background_psql('postgres');
	$barrier->query_safe('SELECT pg_advisory_lock(2)');
	my $one = start_sql($node, 'postgres', 'BEGIN', 'LOCK TABLE hospital.patients', 'SELECT pg_advisory_xact_lock_shared(2)', 'SELECT count(*) FROM published.visitors()', 'ROLLBACK');
	my $two = start_sql($node, 'postgres', 'BEGIN', 'LOCK TABLE hospital.visitors', 'SELECT pg_advisory_xact_lock_shared(2)', 'SELECT count(*) FROM published.patients()', 'ROLLBACK');
	$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'not both have locked';
	my $start = time();
	$barrier->quit;
	cmp_ok(finish_sql($one) + finish_sql($two), '>', 0, 'across: an error');
	like($one->{error} . $two->{error}, qr/the answer waits for a lock that your own transaction holds/, 'across: says why');
	cmp_ok(time() - $start, '<', 10, 'across: no hang');
}

# ---- Time ----

{
	$node->safe_psql('postgres', 'ALTER DATABASE postgres SET pprepub.answer_time_grid = 1000');
	my $start = time();
	$node->safe_psql('postgres', $ask);
	cmp_ok(time() - $start, '>=', 1, 'grid: an answer takes its time');
	fails_like($node, 'postgres', "SET SESSION AUTHORIZATION analyst; $ask; SET pprepub.answer_time_grid = 0", qr/permission denied to set parameter/, 'grid: not for an analyst to set');
	my ($least) = sort { $a <=> $b } map { $start = time(); fails_like($node, 'postgres', q{SELECT * FROM published.gated(columns => '{x}')}, qr/has no column/, 'grid: what is refused'); time() - $start } 1 .. 5;
	cmp_ok($least, '<', 1, 'grid: takes none');	# a busy machine makes any wait
	$node->safe_psql('postgres', 'ALTER DATABASE postgres RESET pprepub.answer_time_grid');
	$expected += 2;
}

# ---- A standby; a smart and a fast stop ----

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
fails_with($standby, 'postgres', '25006', $ask, 'a standby refuses');
fails_like($standby, 'postgres', $ask, qr/a standby cannot answer.*HINT:  Ask the primary/s, 'and says why');
$standby->stop;

# Sessions that are there when the server is told to stop smartly may still ask.
{
	my $asker = $node->background_psql('postgres');

	system('pg_ctl', '-D', $node->data_dir, '-m', 'smart', '-W', 'stop') == 0 or die 'no smart stop';
	$node->wait_for_log(qr/received smart shutdown request/);
	is($asker->query($ask), '1000', 'smart stop: an answer all the same');
	$asker->quit;
	for (1 .. 100) { last if !-e $node->data_dir . '/postmaster.pid'; usleep(100_000); }
	ok(!-e $node->data_dir . '/postmaster.pid', 'smart stop: and then it stops');
	$node->_update_pid(-1);
	$node->start;
	$expected++;
}

{
	my $holder = hold_gate();
	my ($session) = stop_in_source();

	$node->stop('fast');
	isnt(finish_sql($session), 0, 'fast stop: an error');
	is($session->{out}, '', 'fast stop: no row');
	eval { $holder->quit };
	$node->start;
	is(answers('gated'), $expected, 'fast stop: nothing is remembered in part');
	all_holds('gated', 'fast stop');
}

$node->stop;
done_testing();
