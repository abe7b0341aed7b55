# A release of all shards is on all of them or on none, whenever any server or session of theirs goes: DRILLS=200, each at a moment
# that is drawn.
use Crash;
use Drills;
use Hospital;
use Seed;
use Time::HiRes qw(sleep time);

draw_seed();
make_drills(3, 900);
my $node = $Drills::node;
my @servers = ($node, @Drills::shards);
my $reader = begin_reading();
my ($there, %ends) = (1);
my $start = time;
change();
publish();
my $needed = time - $start;
$there++;

my %ways = (
	'the server goes' => sub { kill_server($_[0]) },
	'it is stopped, and comes back later' => sub { $_[0]->stop('immediate'); sleep rand 2 * $needed; $_[0]->start },
	'a session is killed' => sub { my $pid = session_of(@_); if ($pid ne '') { kill 9, $pid; comes_back($_[0]) } },
	'a session is terminated' => sub { my $pid = session_of(@_); $_[0]->safe_psql('postgres', "SELECT pg_terminate_backend($pid)") if $pid ne '' },
	'a session is canceled' => sub { my $pid = session_of(@_); $_[0]->safe_psql('postgres', "SELECT pg_cancel_backend($pid)") if $pid ne '' });

# One that publishes, if there is one.
sub session_of
{
	my ($server) = @_;

	return $server->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND query ~ 'publish|shard_|PREPARE' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1});
}

foreach my $drill (1 .. $ENV{DRILLS} // 20)
{
	my $way = (sort keys %ways)[ rand keys %ways ];
	my $victim = int rand @servers;
	my $moment = rand 1.3 * $needed;
	my $what = sprintf 'drill %d, %s after %.3f s: %s', $drill, ('the coordinator', 'shard 1', 'shard 2', 'shard 3')[$victim], $moment, $way;

	change();
	my $session = begin_publish();
	sleep $moment;
	$ways{$way}->($servers[$victim]);
	my $failed = finish_sql($session);
	comes_back($_) foreach @servers;

	# It is finished by the call for that, or by the next publish; a session that has lost its coordinator may need a moment to notice.
	my $in_doubt = in_doubt();
	foreach my $try (1 .. 50)
	{
		last if $node->psql('postgres', rand() < 0.5 ? q{SET ROLE owner; SELECT pprepub.finish_in_doubt('patients')} : "SET ROLE owner; $Drills::publish") == 0 && in_doubt() !~ /[1-9]/;
		sleep 0.2;
	}
	my ($now) = map { scalar split / / } numbers();
	ok($now >= $there + !$failed && $now <= $there + 51, "$what: " . ($failed ? 'it failed' : 'it was made'));
	$ends{ ($failed ? 'failed' : 'made') . ($in_doubt =~ /[1-9]/ ? ', in doubt' : '') }++;
	$there = $now;
	whole($there, $what);
	goes_on(++$there, $what) if $drill % 5 == 0;
}
ends_reading($reader, $there, 'all the while');
diag(join '; ', map { "$_: $ends{$_}" } sort keys %ends);
$_->stop foreach @servers;
done_testing();
