# A release of all shards is on all of them or on none, whichever server or session goes at whichever moment.
use Crash;
use Drills;
use Hospital;

make_drills(3, 900);
my ($node, $one, $two, $three) = ($Drills::node, @Drills::shards);
my $finish = q{SELECT shard, action FROM pprepub.finish_in_doubt('patients')};
my $there = 1;
my $reader = begin_reading();

sub finish { return as_role($node, 'owner', $finish) =~ s/\n/, /gr }

# Nobody decides while shard 1, or what has been prepared, cannot be asked.
sub cannot_finish
{
	my ($like, $left, $what) = @_;

	fails_like($node, 'postgres', "SET ROLE owner; $finish", $like, "$what: nothing can be decided");
	is(in_doubt(), $left, "$what: nor is it");
	return;
}

# All have prepared, and shard 3 has not said so.
sub prepared_on_all
{
	change();
	hold($three);
	my $session = begin_publish();
	waits_for($three, 'PREPARE', 'SyncRep');
	is(in_doubt(), '1 1 1', 'prepared on all');
	return $session;
}

# Shards 1 and 3 have committed; the command for shard 2 has been sent, and not been read.
sub committed_on_some
{
	my $session = prepared_on_all();

	freeze($two);
	let_go($three);
	$_->poll_query_until('postgres', "SELECT max(number) = $there + 1 FROM pprepub.release") or die 'it does not commit' foreach $one, $three;
	is(in_doubt(), '0 1 0', 'committed on shards 1 and 3');
	return $session;
}

# ---- Before the decision ----

{
	my $session = prepared_on_all();

	kill_server($node);
	cannot_finish(qr/busy/, '0 0 1', 'prepared on all, the coordinator goes, shard 3 is at it');
	let_go($three);
	finish_sql($session);
	is(finish(), '3|rolled back', 'shard 3 has ended: finished');
	whole($there, 'prepared on all, the coordinator goes');
}
{
	my $session = prepared_on_all();

	$one->stop('immediate');
	let_go($three);
	isnt(ends($session, qr/may be in doubt/, 'the owner is told'), 0, 'prepared on all, shard 1 goes: no release');
	fails_like($node, 'postgres', "SET ROLE owner; $finish", qr/could not connect to server "\w+" of shard 1 of publication "\w+"\n.*DETAIL:  connection to server/s, 'shard 1 is away: nothing can be decided');
	is($two->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts') . $three->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts'), '11', 'nor is it');
	$one->start;
	is(finish(), '1|rolled back, 2|rolled back, 3|rolled back', 'it is back: finished');
	whole($there, 'prepared on all, shard 1 goes');
}
{
	my $session = prepared_on_all();

	$node->safe_psql('postgres', "SELECT pg_cancel_backend($session->{pid})");
	isnt(ends($session, qr/canceling statement due to user request/, 'the owner is told'), 0, 'prepared on all, canceled: no release');
	let_go($three);
	is(finish(), '3|rolled back', 'canceled: finished');
	whole($there, 'prepared on all, canceled');
}

# ---- After it ----

{
	my $session = committed_on_some();

	kill_server($node);
	kill_backend($two, link_of($two));
	comes_back($two);
	finish_sql($session);
	$one->stop('immediate');
	fails_like($node, 'postgres', "SET ROLE owner; $finish", qr/could not connect to server "\w+" of shard 1 of publication "\w+"\n.*DETAIL:  connection to server/s, 'shard 1 is away, too: nothing can be decided');
	is($two->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts'), '1', 'nor is it');
	$one->start;
	is(publish(), $there + 2, 'committed on some, the coordinator and shard 2 go: the next publish finishes it first');
	$there += 2;
	whole($there, 'committed on some, the coordinator and shard 2 go');
}
{
	my $session = committed_on_some();

	$two->stop('immediate');
	isnt(ends($session, qr/is in doubt on some shards, and will be committed there/, 'the owner is told'), 0, 'committed on some, shard 2 goes: it cannot be shown');
	$two->start;
	is(finish(), '2|committed', 'it is back: finished');
	whole(++$there, 'committed on some, shard 2 goes');
	is(as_role($node, 'analyst', 'SELECT count(*) FROM published.patients'), Drills::rows_of($there), 'and is shown');
}
foreach my $how ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $session = committed_on_some();

	$node->safe_psql('postgres', "SELECT $how($session->{pid})");
	ends($session, qr/may be in doubt|terminating connection/, "$how: the owner is told");
	kill 'CONT', link_of($two);
	$two->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_prepared_xacts') or die;
	is(finish(), '', "committed on some, $how: what was sent is done, and nothing is left to finish");
	whole(++$there, "committed on some, $how");
}

# Shard 1 has decided, and nobody can see it yet.
{
	my $session = prepared_on_all();

	hold($one);
	let_go($three);
	waits_for($one, 'COMMIT PREPARED', 'SyncRep');
	kill_server($node);
	cannot_finish(qr/busy/, '1 1 1', 'shard 1 commits, the coordinator goes');
	let_go($one);
	finish_sql($session);
	is(finish(), '2|committed, 3|committed', 'shard 1 has committed: finished');
	whole(++$there, 'shard 1 commits, the coordinator goes');
}

# ---- While releases are made ----

foreach my $victim ('a session of shard 3', 'shard 3', 'the coordinator', 'time')
{
	change();
	my $holder = $two->background_psql('postgres');
	$holder->query_safe('BEGIN; LOCK pprepub_internal.catalog_release IN SHARE MODE');
	my $session = begin_publish($victim eq 'time' ? 'SET statement_timeout = 1000' : ());
	waits_for($two, '%publish', 'relation');
	if ($victim eq 'a session of shard 3') { $three->safe_psql('postgres', "SELECT pg_terminate_backend(@{[ link_of($three) ]})") }
	elsif ($victim eq 'shard 3') { kill_server($three) }
	elsif ($victim eq 'the coordinator') { kill_server($node) }
	my $status = $victim eq 'time' ? finish_sql($session) : undef;
	eval { $holder->quit };
	isnt($status // finish_sql($session), 0, "$victim goes amid a release: none");
	is(finish(), '', "$victim: nothing is in doubt");
	whole($there, "$victim goes amid a release");
}

# A shard that cannot prepare.
$two->append_conf('postgresql.conf', 'max_prepared_transactions = 0');
$two->restart;
fails_like($node, 'postgres', "SET ROLE owner; $Drills::publish", qr/prepared transactions are disabled/, 'a shard cannot prepare: no release');
whole($there, 'a shard cannot prepare');
$two->append_conf('postgresql.conf', 'max_prepared_transactions = 10');
$two->restart;

# Shard 3 has been told to prepare, and has not read it, when the coordinator goes: it does so late, while the next publish waits for it.
{
	$two->safe_psql('postgres', <<'SQL');
ALTER FUNCTION pprepub_internal.shard_note(text, text) RENAME TO shard_note_now;
CREATE FUNCTION pprepub_internal.shard_note(text, text) RETURNS void LANGUAGE sql AS
	'SELECT pg_advisory_lock(7); SELECT pg_advisory_unlock(7); SELECT pprepub_internal.shard_note_now($1, $2)';
SQL
	change();
	my $gate = $two->background_psql('postgres');
	$gate->query_safe('SELECT pg_advisory_lock(7)');
	my $session = begin_publish();
	waits_for($two, '%shard_note', 'advisory');
	my $link = link_of($three);
	kill 'STOP', $link;
	$gate->quit;
	$_->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_prepared_xacts') or die 'it does not prepare' foreach $one, $two;
	kill_server($node);
	finish_sql($session);
	$session = begin_publish();
	waits_for($three, '%shard_begin', 'object');
	kill 'CONT', $link;
	is(finish_sql($session), 0, 'shard 3 prepares late: the next publish does not wait for ever') or diag $session->{error};
	whole(++$there, 'shard 3 prepares late');
}

goes_on(++$there, 'at last');
ends_reading($reader, $there, 'all the while');

# ---- Declarations ----

my $drop = q{SELECT pprepub.drop_publication('patients', true)};
{
	hold($three);
	my $session = start_sql($node, 'postgres', 'SET ROLE owner', $drop);
	waits_for($three, 'PREPARE', 'SyncRep');
	freeze($two);
	let_go($three);
	$_->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pprepub.publication') or die 'it does not commit' foreach $one, $three;
	kill_server($node);
	kill_backend($two, link_of($two));
	comes_back($two);
	finish_sql($session);
	as_role($node, 'owner', $drop);
	is(join(' ', map { $_->safe_psql('postgres', 'SELECT count(*) FROM pprepub.publication') } @Drills::shards), '0 0 0', 'dropped on some, the coordinator goes: dropping goes on');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.shard'), '0', 'and here');
}
{
	my @create = ('SET ROLE owner', sharded_declaration(3, 'patients'));
	hold($three);
	my $session = start_sql($node, 'postgres', @create);
	waits_for($three, 'PREPARE', 'SyncRep');
	freeze($two);
	let_go($three);
	$_->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pprepub.publication') or die 'it does not commit' foreach $one, $three;
	kill_server($node);
	kill_backend($two, link_of($two));
	comes_back($two);
	finish_sql($session);
	fails_like($node, 'postgres', join('; ', @create), qr/publication "patients_shard0" already exists/, 'declared on some, the coordinator goes: it knows nothing of that');
	$Drills::shards[$_]->safe_psql('postgres', "SET ROLE owner; SELECT pprepub.drop_publication('patients_shard$_')") foreach 0 .. 2;
	declare_sharded($node, 3, 'patients');
	is(publish(), 1, 'dropped on each shard: declared again');
	whole(1, 'declared again');
}
$_->stop foreach $node, $one, $two, $three;
done_testing();
