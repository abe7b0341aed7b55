# A release is there in full or not at all, whatever ends the transaction that makes it.
use Hospital;
use Crash;

my $node = new_server('main', allows_streaming => 1);

make_patients($node, 'postgres', 30000);

# A view in front of the source stops in the middle of being read, as long as somebody
# holds the gate.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE FUNCTION hospital.gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 15000 THEN
		PERFORM pg_advisory_lock(1), pg_advisory_unlock(1);
	END IF;
	RETURN true;
END $$;
CREATE VIEW hospital.gated AS SELECT * FROM hospital.patients WHERE hospital.gate(id);
SQL
declare_patients($node, 'postgres', 'gated', 'hospital.gated');

# Where a publish can be stopped: while it reads, and when all of its rows are written.
my %stops = (
	'while it reads' => 'SELECT pg_advisory_lock(1)',
	'when its rows are written' => 'BEGIN; LOCK pprepub_internal.catalog_release IN SHARE MODE');

# Calls publish() or preview() until it waits there; returns both sessions and its pid.
sub stop_at
{
	my ($stop, $call) = @_;
	my $holder = $node->background_psql('postgres');

	$holder->query_safe($stops{$stop});
	my $session = start_sql($node, 'postgres',
		"SET application_name = 'stopped'", 'SET ROLE owner', $call);
	$node->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'stopped' AND wait_event_type = 'Lock'})
		or die "nobody waits $stop";
	my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'stopped'});
	return ($holder, $session, $pid);
}

sub let_go
{
	my ($holder) = @_;

	eval { $holder->quit };		# its server may have gone
	return;
}

my $publish = q{SELECT pprepub.publish('gated')};

# ---- Cancelled ----

foreach my $call ($publish, q{SELECT * FROM pprepub.preview('gated')})
{
	my ($what) = $call =~ /pprepub\.(\w+)/;
	my ($holder, $session, $pid) = stop_at('while it reads', $call);

	is($node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)"), 't', "$what: asked to cancel");
	is(finish_sql($session), 1, "$what: cancelled");
	like($session->{error}, qr/ERROR:  canceling statement due to user request/, "$what: says so");
	let_go($holder);
	no_release($node, 'postgres', 'gated', "$what: nothing remains");
}

{
	my ($holder, $session, $pid) = stop_at('when its rows are written', $publish);

	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
	isnt(finish_sql($session), 0, 'terminated');
	let_go($holder);
	no_release($node, 'postgres', 'gated', 'terminated: nothing remains');
}

# At whatever moment the timeout strikes, from the first to after the last.
declare_patients($node, 'postgres', 'patients', 'hospital.patients', 'gated');
my $needed = $node->safe_psql('postgres',
	q{SET ROLE owner; BEGIN; SELECT ceil(seconds * 1000) FROM pprepub.publish('patients'); ROLLBACK});
my ($cancelled, $left) = (0, 0);
foreach my $moment (0 .. 15)
{
	foreach my $call (q{SELECT pprepub.publish('patients')}, q{SELECT * FROM pprepub.preview('patients')})
	{
		my $timeout = 1 + int($needed * $moment / 14);
		my $error;

		# Rolled back, so that there is always something to publish.
		my $status = $node->psql('postgres',
			"SET ROLE owner; SET statement_timeout = $timeout; BEGIN; $call; ROLLBACK;", stderr => \$error);
		next if $status == 0;
		if ($error =~ /ERROR:  canceling statement due to statement timeout/) { $cancelled++ } else { $left++ }
	}
}
note("a publish needs $needed ms; $cancelled of 32 cancelled");
cmp_ok($cancelled, '>', 0, 'timeout: cancelled');
is($left, 0, 'timeout: no other error');
no_release($node, 'postgres', 'patients', 'timeout: nothing remains');
is( $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND classid = 'pprepub_internal.catalog_publication'::regclass}),
	'0', 'no publication is locked');

# A declaration reads all rows of a source that has insensitive columns.
fails_like($node, 'postgres', <<'SQL', qr/canceling statement due to statement timeout/, 'create_publication: cancelled');
SET ROLE owner;
CREATE VIEW hospital.slow AS SELECT p.*, pg_sleep(1)::text AS note FROM hospital.patients p;
SET statement_timeout = 100;
SELECT pprepub.create_publication('slow', 'hospital.slow', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}',
	insensitive => '{note}', beside => '{gated,patients}');
SQL
is($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub_internal.catalog_relation WHERE relation::text LIKE '%slow%'}), '0',
	'create_publication: nothing remains');

# ---- Rolled back ----

$node->safe_psql('postgres', "SET ROLE owner; BEGIN; $publish; ROLLBACK");
no_release($node, 'postgres', 'gated', 'ROLLBACK: nothing remains');

$node->safe_psql('postgres', "SET ROLE owner; BEGIN; SAVEPOINT s; $publish; ROLLBACK TO s; COMMIT");
no_release($node, 'postgres', 'gated', 'ROLLBACK TO SAVEPOINT: nothing remains');

is( $node->safe_psql('postgres', <<"SQL"), "1\n1", 'a number that was rolled back is given again, in one transaction');
SET ROLE owner;
BEGIN;
SAVEPOINT s;
SELECT number FROM pprepub.publish('gated');
ROLLBACK TO s;
SELECT number FROM pprepub.publish('gated');
ROLLBACK;
SQL
no_release($node, 'postgres', 'gated', 'and again nothing remains');

fails_like($node, 'postgres', "SET ROLE owner; BEGIN; $publish; SELECT 1 / 0; COMMIT", qr/division by zero/,
	'a later error of the transaction');
no_release($node, 'postgres', 'gated', 'takes the release with it');

# ---- Where nothing can be written ----

fails_with($node, 'postgres', '25006', "SET ROLE owner; BEGIN READ ONLY; $publish", 'publish: refused when read only');
no_release($node, 'postgres', 'gated', 'read only: nothing remains');

$node->backup('copy', backup_options => [ '-c', 'fast' ]);
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
fails_with($standby, 'postgres', '25006', "SET ROLE owner; $publish", 'publish: refused on a standby');
foreach my $call (q{alter_publication('patients', '{"k": 6}')}, q{drop_publication('patients')},
	q{create_publication('other', 'hospital.patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}', beside => '{gated,patients}')})
{
	my ($what) = $call =~ /(\w+)/;

	fails_with($standby, 'postgres', '(25006|55000)', "SET ROLE owner; SELECT pprepub.$call", "$what: refused on a standby");
}
# A command that publishes nothing needs to write nothing.
my $preview = q{SET ROLE owner; SELECT value FROM pprepub.preview('patients') WHERE metric = 'rows'};
is($standby->safe_psql('postgres', $preview), '30000', 'preview: works on a standby');
is($node->safe_psql('postgres', "SET default_transaction_read_only = on; $preview"), '30000', 'preview: works when read only');

# ---- Killed ----

foreach my $stop (sort keys %stops)
{
	my ($holder, $session, $pid) = stop_at($stop, $publish);

	kill_backend($node, $pid);
	isnt(finish_sql($session), 0, "backend killed $stop");
	let_go($holder);
	comes_back($node);
	no_release($node, 'postgres', 'gated', "backend killed $stop: nothing remains");
}

# Wherever it is by then; it does not come to an end by itself.
foreach my $moment (1 .. 3)
{
	my $session = start_sql($node, 'postgres', "SET application_name = 'killed'", 'SET ROLE owner',
		q{BEGIN; SELECT pprepub.publish('patients'); SELECT pg_sleep(600)});
	my $killed = q{FROM pg_stat_activity WHERE application_name = 'killed' AND query ~ 'publish'};

	$node->poll_query_until('postgres', "SELECT count(*) = 1 $killed") or die 'nobody publishes';
	my $pid = $node->safe_psql('postgres', "SELECT pid $killed");
	select(undef, undef, undef, $needed / 1000 * $moment / 4);
	kill_backend($node, $pid);
	isnt(finish_sql($session), 0, "backend killed, moment $moment");
	comes_back($node);
	no_release($node, 'postgres', 'patients', "backend killed, moment $moment: nothing remains");
}

foreach my $stop (sort keys %stops)
{
	my ($holder, $session, $pid) = stop_at($stop, $publish);

	$node->stop('immediate');
	isnt(finish_sql($session), 0, "server stopped $stop");
	let_go($holder);
	$node->start;
	no_release($node, 'postgres', 'gated', "server stopped $stop: nothing remains");
}

# After a commit was reported.
$node->safe_psql('postgres', "SET ROLE owner; $publish");
$node->stop('immediate');
$node->start;
whole_release($node, 'postgres', 'gated', 'server stopped after a publish: all is there');
is($node->safe_psql('postgres', q{BEGIN; SET ROLE owner; SELECT number FROM pprepub.publish('gated'); ROLLBACK}), '2',
	'and it counts');

# A commit that did not wait may be lost, but not in part.
$node->safe_psql('postgres', q{SET ROLE owner; SET synchronous_commit = off; SELECT pprepub.publish('patients')});
$node->stop('immediate');
$node->start;
whole_or_no_release($node, 'postgres', 'patients', 'synchronous_commit = off: all is there, or nothing');
$node->psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients') WHERE NOT EXISTS (SELECT FROM pprepub.release WHERE publication = 'patients')});
whole_release($node, 'postgres', 'patients', 'synchronous_commit = off: then all is there');

$node->wait_for_catchup($standby);
whole_release($standby, 'postgres', 'gated', 'a standby has all of it');
foreach my $auditing ('audit', 'attack')
{
	is($standby->safe_psql('postgres', qq{SET ROLE owner; SELECT bool_and(holds) FROM pprepub.$auditing('gated')}),
		't', "$auditing: works on a standby");
}
foreach my $joining (q{linkability('gated')},
	q{(SELECT count(*), min(linkability) FROM pprepub.link_profile('gated')) x})
{
	my $sql = 'SET ROLE owner; SELECT * FROM ' . ($joining =~ /^\(/ ? $joining : "pprepub.$joining");
	is($standby->safe_psql('postgres', $sql), $node->safe_psql('postgres', $sql), "$joining: on a standby as on the primary");
}
is( $standby->safe_psql('postgres', q{SET ROLE owner; SELECT * FROM pprepub.metrics('gated', 1)}),
	$node->safe_psql('postgres', q{SET ROLE owner; SELECT * FROM pprepub.metrics('gated', 1)}), 'and its metrics');
$standby->stop;
$node->stop;

# Tables of a release are new in their transaction, so that their rows need no log.
my $minimal = new_server('minimal');

is($minimal->safe_psql('postgres', 'SHOW wal_level'), 'minimal', 'wal_level = minimal');
make_patients($minimal, 'postgres', 20000);
declare_patients($minimal, 'postgres', 'patients', 'hospital.patients');
$minimal->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')});
$minimal->stop('immediate');
$minimal->start;
whole_release($minimal, 'postgres', 'patients', 'wal_level = minimal: all is there');

# A command that computes, and waits for nothing, does not outlive the postmaster for long.
$minimal->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.others AS TABLE hospital.patients LIMIT 100;
CREATE FUNCTION hospital.busy(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	WHILE id = 1 AND clock_timestamp() < now() + interval '1 minute' AND current_setting('application_name') = 'busy' LOOP END LOOP;
	RETURN true;
END $$;
CREATE VIEW hospital.slow AS SELECT * FROM hospital.others WHERE hospital.busy(id);
SQL
declare_patients($minimal, 'postgres', 'slow', 'hospital.slow');
my $busy = start_sql($minimal, 'postgres', q{SET application_name = 'busy'}, 'SET ROLE owner', q{SELECT pprepub.publish('slow')});
my $is_busy = q{SELECT pid FROM pg_stat_activity WHERE application_name = 'busy' AND state = 'active' AND query ~ 'publish'};
$minimal->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($is_busy) b") or die 'nobody is busy';
my $busy_pid = $minimal->safe_psql('postgres', $is_busy);
$minimal->kill9;
my $killed_at = time;
select undef, undef, undef, 0.1 while kill(0, $busy_pid) && time < $killed_at + 50;
cmp_ok(time - $killed_at, '<', 30, 'a command ends soon after the postmaster');
finish_sql($busy);
$minimal->start;
no_release($minimal, 'postgres', 'slow', 'and left nothing');
$minimal->stop;

done_testing();
