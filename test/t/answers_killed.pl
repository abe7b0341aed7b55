# Workers, askers and the whole server are killed at random moments; what askers were given
# is noted on their side. Nothing was ever given that the history lacks.
#
# KILL_ROUNDS=400 test/run -k tap answers_killed: hundreds, in some minutes.
use Time::HiRes qw(usleep);
use Hospital;
use Seed;

my $rounds = $ENV{KILL_ROUNDS} // 24;
my $askers = 2;
my $node = new_server('main');
$node->append_conf('postgresql.conf', 'synchronous_commit = off');
$node->restart;
make_patients($node, 'postgres', 2000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
make_attacker($node, 'postgres');
remember($node, 'postgres', 'patients');

# Asks again and again; a line is written when its answer was seen, with how many people were in it.
# The column list tells the answers apart, since nothing else of them does.
my @lists = ('{age}', '{zip}', '{sex}', '{disease}', '{age,zip}', '{age,sex}', '{age,disease}', '{zip,sex}', '{zip,disease}', '{sex,disease}');

sub start_asking
{
	my ($round, $n) = @_;
	my @commands = ("SET application_name = 'asker'");

	foreach my $i (0 .. 19)
	{
		my $list = $lists[ ($i + $n) % @lists ];
		push @commands, qq{SELECT '$list', count(*) FROM published.patients(columns => '$list')};
	}
	return start_sql($node, 'postgres', @commands);
}

# Until the server knows: as long as it does not, it lets people in, and shuts them out then.
my $killed = 0;
sub kill_and_wait
{
	my ($pid) = @_;

	$killed += kill 9, $pid;
	usleep(1000) while kill 0, $pid;
	return;
}

my %seen;
sub note_seen
{
	my ($session) = @_;

	finish_sql($session);
	$seen{$_}++ foreach split /\n/, $session->{out};
	return;
}

draw_seed();
my $missing = 0;
foreach my $round (1 .. $rounds)
{
	my @sessions = map { start_asking($round, $_ * 3) } 1 .. $askers;
	my $what = (qw(worker backend server))[ $round % 3 ];

	usleep(50_000 + int(rand(250_000)));
	if ($what eq 'server')
	{
		$node->stop('immediate');
		$killed++;
	}
	else
	{
		my $of = $what eq 'worker' ? q{backend_type = 'pprepub answer'} : q{application_name = 'asker'};
		my $pid = '';

		for (1 .. 200)
		{
			$pid = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE $of LIMIT 1");
			last if $pid ne '';
		}
		usleep(int(rand($what eq 'worker' ? 3_000 : 15_000)));
		kill_and_wait($pid) if $pid ne '';
	}
	note_seen($_) foreach @sessions;
	$node->start if $what eq 'server';
	comes_back($node);

	# All that was seen is remembered, and all that is remembered is whole.
	my %remembered;
	$remembered{$_}++ foreach split /\n/, $node->safe_psql('postgres', q{SELECT columns::text || '|' || rows FROM pprepub.release});
	$missing += grep { $seen{$_} > ($remembered{$_} // 0) } keys %seen;
}
my $all = 0;
$all += $_ foreach values %seen;
note("$killed killed, $all answers seen");
cmp_ok($killed, '>=', $rounds / 2, 'killed');
cmp_ok($all, '>', 0, 'some were answered');
is($missing, 0, 'no answer was seen that the history lacks');
is($node->safe_psql('postgres', q{SELECT check_name, measured FROM pprepub.audit('patients') WHERE NOT holds}), '', 'the history is whole');
is($node->safe_psql('postgres', q{SELECT count(*) = max(number) AND max(number) = (SELECT releases FROM pprepub.publication) FROM pprepub.release}), 't', 'without gaps');
is($node->safe_psql('postgres', q{SELECT DISTINCT equal FROM pprepub.rebuild_history('patients')}), 't', 'and its groups and places are what its log tells');

# Terminations and cancels do not bring the server down, and come in numbers.
my $before = $all;
foreach my $round (1 .. 10 + $rounds / 10)
{
	my @sessions = map { start_asking($round, $_ * 5) } 1 .. $askers;

	foreach my $i (1 .. 6)
	{
		my $how = (qw(pg_terminate_backend pg_cancel_backend))[ ($round + $i) % 2 ];
		my $of = $i % 2 ? q{backend_type = 'pprepub answer'} : q{application_name = 'asker'};

		usleep(int(rand(25_000)));
		$node->safe_psql('postgres', "SELECT $how(pid) FROM pg_stat_activity WHERE $of LIMIT 1");
	}
	note_seen($_) foreach @sessions;
}
my %remembered;
$remembered{$_}++ foreach split /\n/, $node->safe_psql('postgres', q{SELECT columns::text || '|' || rows FROM pprepub.release});
is(scalar(grep { $seen{$_} > ($remembered{$_} // 0) } keys %seen), 0, 'terminated and cancelled: no answer was seen that the history lacks');
is($node->safe_psql('postgres', q{SELECT check_name, measured FROM pprepub.audit('patients') WHERE NOT holds}), '', 'and the history is whole');
$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'pprepub answer')}) or die 'workers stay';
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND classid = 'pprepub_internal.catalog_publication'::regclass}), '0', 'no lock is left');

$node->stop;
done_testing();
