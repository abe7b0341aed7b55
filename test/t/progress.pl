# pprepub.progress: who sees which command of which session, and that nothing stays of one that ended, however it did.
use Crash;
use Hospital;

my $slots = 32;
my $node = new_server('main', allows_streaming => 1);
$node->append_conf('postgresql.conf', 'max_connections = 60');
$node->restart;
make_patients($node, 'postgres', 500);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE member LOGIN IN ROLE owner;
CREATE ROLE heir LOGIN NOINHERIT IN ROLE owner;
CREATE ROLE stranger LOGIN;
CREATE ROLE monitor LOGIN IN ROLE pg_monitor, pg_read_all_stats;
SET ROLE owner;
-- Row 250 waits for whoever holds the lock; the rows come in their order.
CREATE FUNCTION hospital.wait_at(id int) RETURNS boolean LANGUAGE plpgsql AS
	$$ BEGIN IF id = 250 THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; RETURN true; END $$;
CREATE VIEW hospital.slow AS SELECT * FROM hospital.patients WHERE hospital.wait_at(id);
SQL
declare_patients($node, 'postgres', 'slow', 'hospital.slow');

# Rows that a role sees, of any session.
sub seen
{
	my ($role, $server, $database) = @_;

	return ($server // $node)->safe_psql($database // 'postgres',
		'SELECT publication, command, phase, units_done, units_total FROM pprepub.progress ORDER BY 1, 2', extra_params => [ '-U', $role ]);
}

sub nothing_stays
{
	my ($what) = @_;

	return is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.progress'), '0', "nothing stays of $what");
}

# Until so many sessions wait for the source.
sub wait_for_waiting
{
	my ($n, $server) = @_;

	($server // $node)->poll_query_until('postgres', "SELECT count(*) = $n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
	  or die 'nobody waits';
	return;
}

my $holder = $node->background_psql('postgres');
sub hold { $holder->query_safe('SELECT pg_advisory_lock(1)'); return; }
sub let_go { $holder->query_safe('SELECT pg_advisory_unlock(1)'); return; }

sub start_waiting
{
	my ($command) = @_;
	my $session = start_sql($node, 'postgres', "SET ROLE member", $command);

	wait_for_waiting(1);
	return $session;
}

my $publish = q{SELECT number FROM pprepub.publish('slow')};
my $row = 'slow|publish|read source|249|';

# ---- For whom ----

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION pprepub');
hold();
my $session = start_waiting($publish);
is(seen('owner'), $row, 'the owner sees what a member does in another session');
is(seen('member'), $row, 'so does a member');
is(seen($node->safe_psql('postgres', 'SELECT current_user')), $row, 'and a superuser');
is(seen('heir'), '', 'who does not inherit the rights of the owner does not');
is(seen('stranger'), '', 'nor does a stranger');
is(seen('monitor'), '', 'nor those who may read all statistics: figures are of the source');
is(seen('owner', $node, 'other'), '', 'in another database there is nothing to be seen');
is($node->safe_psql('postgres', <<'SQL'), 't|t|t', 'the process, and when it began');
SELECT a.query LIKE '%publish(%', p.since BETWEEN a.query_start AND p.phase_since, p.phase_since <= clock_timestamp()
FROM pprepub.progress p JOIN pg_stat_activity a USING (pid, datid, datname) WHERE p.relid = 'hospital.slow'::regclass
SQL
let_go();
is(finish_sql($session), 0, 'it ends');
is($session->{out}, "1\n", 'with a release');
nothing_stays('a release');

# ---- How commands end ----

foreach my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	hold();
	$session = start_waiting($publish);
	is(seen('owner'), $row, "seen before $how");
	$node->safe_psql('postgres', "SELECT $how(pid) FROM pprepub.progress");
	isnt(finish_sql($session), 0, 'it fails');
	nothing_stays("a release after $how");
	let_go();
}

# The transaction goes on.
hold();
my $going = $node->background_psql('postgres', on_error_stop => 0);
$going->query_safe('SET ROLE owner');
$going->query_safe('BEGIN');
$going->query_safe('SAVEPOINT before');
$going->query_until(qr/started/, "\\echo started\n$publish;\n");
wait_for_waiting(1);
is(seen('owner'), $row, 'seen in a subtransaction');
$node->safe_psql('postgres', 'SELECT pg_cancel_backend(pid) FROM pprepub.progress');
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE state = 'idle in transaction (aborted)'}) or die 'it does not fail';
nothing_stays('a transaction that failed, before it is rolled back');
$going->query('ROLLBACK TO before');
nothing_stays('a subtransaction that was rolled back');
let_go();
is($going->query(q{SELECT count(*) FROM pprepub.preview('slow') WHERE metric = 'rows'}), '1', 'and other commands run');
$going->query('COMMIT');
$going->quit;

# An error that is caught, in a statement that goes on.
hold();
$holder->query_safe('SELECT pg_advisory_lock(2)');
$session = start_waiting(<<'SQL');
DO $$
BEGIN
	BEGIN
		PERFORM pprepub.publish('slow');
	EXCEPTION WHEN query_canceled THEN
		PERFORM pg_advisory_xact_lock_shared(2);
	END;
	PERFORM pprepub.preview('slow');
END
$$
SQL
is(seen('owner'), $row, 'seen where errors are caught');
$node->safe_psql('postgres', 'SELECT pg_cancel_backend(pid) FROM pprepub.progress');
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 2 AND NOT granted}) or die 'it is not caught';
nothing_stays('an error that was caught');
$holder->query_safe('SELECT pg_advisory_unlock(2)');
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND NOT granted}) or die 'it does not go on';
is(seen('owner'), $row =~ s/publish/preview/r, 'what comes then is seen');
let_go();
is(finish_sql($session), 0, 'and ends') or diag($session->{error});

# The server starts anew.
hold();
$session = start_waiting($publish);
my $pid = $node->safe_psql('postgres', 'SELECT pid FROM pprepub.progress');
kill_backend($node, $pid);
isnt(finish_sql($session), 0, 'its process is killed');
eval { $holder->quit };
comes_back($node);
nothing_stays('a killed process');
$holder = $node->background_psql('postgres');

# ---- All commands ----

$node->safe_psql('postgres', $publish =~ s/^/SET ROLE owner; /r) for 1 .. 2;
$node->safe_psql('postgres', 'SET ROLE owner; CREATE TABLE hospital.old AS SELECT * FROM published.slow_1');
my %reads_source = (
	preview => q{SELECT count(*) FROM pprepub.preview('slow')},
	publish => $publish,
	import_release => q{SELECT pprepub.import_release('slow', 'hospital.old')});
foreach my $command (sort keys %reads_source)
{
	hold();
	$session = start_waiting("BEGIN; $reads_source{$command}; ROLLBACK");
	is(seen('owner'), "slow|$command|read source|249|", $command);
	let_go();
	is(finish_sql($session), 0, "$command ends") or diag($session->{error});
}

# Those that do not read the source wait for the log.
my %reads_log = (
	audit => q{SELECT pprepub.audit('slow')},
	attack => q{SELECT pprepub.attack('slow')},
	linkability => q{SELECT pprepub.linkability('slow', NULL, 'kmj')},
	link_profile => q{SELECT pprepub.link_profile('slow', NULL, 'kmj')},
	compromise => q{SELECT pprepub.compromise('slow', '{1}')});
foreach my $command (sort keys %reads_log)
{
	$holder->query_safe('BEGIN; LOCK TABLE published_private.slow_members');
	$session = start_sql($node, 'postgres', 'SET ROLE owner', 'BEGIN READ ONLY', $reads_log{$command});
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'relation' AND NOT granted}) or die 'nobody waits';
	is(seen('owner'), "slow|$command|read history||", $command);
	$holder->query_safe('COMMIT');
	is(finish_sql($session), 0, "$command ends") or diag($session->{error});
}
nothing_stays('all of them');

# An auditor sees what their own role has called, but no figures of the source.
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE officer LOGIN;
CREATE ROLE other_officer LOGIN;
SET ROLE owner;
SELECT pprepub.grant_audit('slow', 'officer'), pprepub.grant_audit('slow', 'other_officer');
SQL
hold();
$session = start_sql($node, 'postgres', 'SET ROLE officer', q{SELECT pprepub.linkability('slow')});
wait_for_waiting(1);
is(seen('officer'), 'slow|linkability|read source||', 'an auditor sees their own call');
is(seen('owner'), 'slow|linkability|read source|249|', 'so does the owner, with figures');
is(seen('other_officer'), '', 'another auditor does not');
is(seen('stranger'), '', 'nor does a stranger');

# ---- A client that has gone ----

my $abandoned = $node->safe_psql('postgres', 'SELECT pid FROM pprepub.progress');
$session->{run}->kill_kill;
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $abandoned"), 'the session of a client that has gone ends');
nothing_stays('it');
let_go();

# ---- Answers ----

hold();
$session = start_waiting('SELECT count(*) FROM published.slow()');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.progress'), '0', 'nothing is told of answers');
let_go();
is(finish_sql($session), 0, 'the answer comes') or diag($session->{error});

# ---- More than there are slots ----

hold();
my @sessions = map { start_sql($node, 'postgres', 'SET ROLE owner', $reads_source{preview}) } 1 .. $slots + 3;
wait_for_waiting($slots + 3);
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT pid), min(command) FROM pprepub.progress'),
	"$slots|$slots|preview", 'as many as there are slots');
fails_with($node, 'postgres', '55P03', q{SET lock_timeout = '100ms'; DROP EXTENSION pprepub CASCADE}, 'the extension is in use');
$node->safe_psql('other', 'DROP EXTENSION pprepub');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.progress'), $slots, 'another database may drop it');
let_go();
is(scalar(grep { finish_sql($_) == 0 } @sessions), $slots + 3, 'all of them end');
nothing_stays('them');
hold();
$session = start_waiting($publish);
is(seen('owner'), $row, 'slots are free again');
let_go();
finish_sql($session);

# ---- Rows are whole ----

# Two commands take turns, whose rows have nothing in common.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.guests AS SELECT * FROM hospital.patients;
SELECT pprepub.create_publication(repeat('g', 40), 'hospital.guests', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
SQL
$session = start_sql($node, 'postgres', 'SET ROLE owner', <<'SQL');
DO $$
BEGIN
	FOR i IN 1 .. 150 LOOP
		PERFORM pprepub.preview(repeat('g', 40));
		PERFORM pprepub.attack('slow');
	END LOOP;
END
$$
SQL
my $looks = $node->safe_psql('postgres', <<'SQL');
DO $$
DECLARE
	looked int := 0;
	torn int := 0;
BEGIN
	WHILE looked < 20000 LOOP
		looked := looked + 1;
		torn := torn + (SELECT count(*) FROM pprepub.progress
			WHERE (publication, command) NOT IN ((repeat('g', 40), 'preview'), ('slow', 'attack'))
			   OR (command = 'preview' AND (units_done > 500 OR phase LIKE '% pairs'))
			   OR (command = 'attack' AND (units_total > 20 OR phase LIKE '%newcomers'))
			   OR units_done > units_total OR since > phase_since OR phase = '');
	END LOOP;
	PERFORM set_config('looked.torn', torn::text, false);
END
$$;
SELECT current_setting('looked.torn')
SQL
is($looks, '0', 'no row is torn');
is(finish_sql($session), 0, 'the commands end') or diag($session->{error});

# ---- Waiting ----

hold();
$session = start_waiting($publish);
my $waiting = start_sql($node, 'postgres', 'SET ROLE owner', $publish);
my $asking = start_sql($node, 'postgres', 'SET ROLE owner', 'SELECT count(*) > 0 FROM published.slow()');
$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'object' AND NOT granted}) or die 'nobody waits';
sleep 2;
let_go();
is(finish_sql($_), 0, 'it goes on') || diag($_->{error}) foreach $session, $waiting, $asking;
like($waiting->{error}, qr/NOTICE:  waiting for other work on publication "slow"\nDETAIL:  Another session runs publish\(\) on it/, 'whoever waits is told what for');
like($asking->{error}, qr/NOTICE:  the answer waits for other work on the publication\n/, 'so is an analyst');
unlike($asking->{error}, qr/publish\(\)/, 'who is not told which');
unlike($session->{error}, qr/waiting/, 'the first one did not wait');
$holder->quit;

# ---- A standby ----

my $standby = PostgreSQL::Test::Cluster->new('standby');
$node->backup('base');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$holder = $standby->background_psql('postgres');
hold();
$session = start_sql($standby, 'postgres', 'SET ROLE owner', $reads_source{preview});
wait_for_waiting(1, $standby);
is(seen('owner', $standby), 'slow|preview|read source|249|', 'on a standby, too');
is(seen('owner'), '', 'but not on its primary');
let_go();
is(finish_sql($session), 0, 'it ends');
is(seen('owner', $standby), '', 'and nothing stays');
$holder->quit;

done_testing();
