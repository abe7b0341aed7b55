# Publications over shards whose servers and sessions are stopped: moments that they can be stopped at, an analyst who reads all
# the while, and the state that must be found afterwards.
package Drills;

use strict;
use warnings;
use Exporter 'import';
use Crash;
use Hospital;
use IPC::Run;
use List::Util qw(sum0);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(make_drills publish change numbers in_doubt hold let_go freeze link_of begin_publish waits_for ends goes_on whole begin_reading ends_reading);
our ($node, @shards);
my $step = 0;
my @holding;
our $publish = q{SELECT number FROM pprepub.publish('patients')};

sub make_drills
{
	my ($count, $rows) = @_;

	($node, @shards) = new_shards($count, rows => $rows);
	foreach my $shard (@shards)
	{
		# So that commits can be held
		$shard->append_conf('postgresql.conf', "wal_level = replica\nmax_wal_senders = 2");
		$shard->restart;
		$shard->safe_psql('postgres', 'CREATE TABLE probe (i int)');
	}
	declare_sharded($node, $count, 'patients');
	publish();
	as_role($node, 'owner', 'GRANT USAGE ON SCHEMA published TO analyst; GRANT SELECT ON published.patients, published.patients_all, published.patients_releases TO analyst');
	return;
}

sub publish { return as_role($node, 'owner', $publish) }

# Each release has other people, and more of them: a number of rows tells a release.
sub change
{
	$step++;
	foreach my $i (0 .. $#shards)
	{
		$shards[$i]->safe_psql('postgres', sprintf <<'SQL', $step, scalar @shards, $i);
INSERT INTO hospital.patients SELECT i, 18 + (h & 63), 10000 + (h >> 8 & 31) * 100, ('{F,M}'::text[])[1 + (h >> 24 & 1)], 'disease ' || (h >> 28 & 7)
FROM (SELECT i, hashint8extended(i, %1$d) AS h FROM generate_series(100000 + 100 * %1$d, 100000 + 100 * %1$d + 50) i WHERE i %% %2$d = %3$d) drawn;
DELETE FROM hospital.patients WHERE hashint8extended(id, %1$d) & 127 = 0;
SQL
	}
	return;
}

# Of each shard, so that they can be compared.
sub numbers { return map { $_->safe_psql('postgres', q{SELECT string_agg(number::text, ' ' ORDER BY number) FROM pprepub.release}) } @shards }

sub in_doubt { return join ' ', map { $_->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts') } @shards }

# ---- Moments ----

# From now on, commits of a shard are written, and not confirmed, nor seen by others: they wait for a replica that is none.
sub hold
{
	my ($shard) = @_;

	$shard->safe_psql('postgres', q{ALTER SYSTEM SET synchronous_standby_names = 'nobody'});
	$shard->reload;
	# The server has heard of it when a commit waits.
	foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		push @holding, start_sql($shard, 'postgres', 'INSERT INTO probe VALUES (1)');
		sleep 0.1;
		return if $shard->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'}) > 0;
	}
	die 'no commit waits';
}

sub let_go
{
	my ($shard) = @_;

	$shard->safe_psql('postgres', 'ALTER SYSTEM RESET synchronous_standby_names');
	$shard->reload;
	return;
}

# The process on a shard that publishes there.
sub link_of
{
	my ($shard) = @_;

	return $shard->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE usename = 'owner' AND backend_type = 'client backend' AND query ~ 'shard_|PREPARE' ORDER BY query_start DESC LIMIT 1});
}

sub freeze { return kill 'STOP', link_of($_[0]) }

sub begin_publish
{
	my $session = start_sql($node, 'postgres', 'SET ROLE owner', 'SELECT pg_backend_pid()', @_, $publish);

	IPC::Run::pump($session->{run}) until $session->{out} =~ /\n/;
	($session->{pid}) = $session->{out} =~ /^(\d+)\n/;
	return $session;
}

# Until a session of the owner's on a shard runs a command that is like this, and waits for what is named.
sub waits_for
{
	my ($shard, $command, $event) = @_;

	$shard->poll_query_until('postgres', qq{SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'owner' AND query LIKE '$command%' AND wait_event = '$event'}) or die "nobody waits in $command";
	return;
}

sub ends
{
	my ($session, $like, $what) = @_;
	my $status = finish_sql($session);

	like($session->{error}, $like, $what);
	return $status;
}

# ---- Afterwards ----

# As many releases everywhere, as expected, and nothing in doubt; what is shown is one of them.
sub whole
{
	my ($expected, $what) = @_;
	my @numbers = numbers();

	is("@{[ map { scalar split / / } @numbers ]}", "@{[ ($expected) x @shards ]}", "$what: all or none");
	is(in_doubt(), "@{[ (0) x @shards ]}", "$what: nothing is in doubt");
	is(join('', map { $_->safe_psql('postgres', q{SELECT check_name FROM pprepub.publication p, pprepub.audit(p.name) WHERE NOT holds}) } @shards), '', "$what: audits hold");
	is(join('', map { tables_of_nothing($_, 'postgres') } @shards), '', "$what: nothing is of no release");
	return;
}

# The next release follows, and the coordinator shows it.
sub goes_on
{
	my ($expected, $what) = @_;

	change();
	is(publish(), $expected, "$what: the next release");
	is(as_role($node, 'analyst', 'SELECT count(*) FROM published.patients'), rows_of($expected), "$what: which is shown");
	whole($expected, $what);
	return;
}

# How many rows a release has on all shards, or nothing if one of them has not.
sub rows_of
{
	my ($number) = @_;
	my @rows = map { $_->safe_psql('postgres', "SELECT rows FROM pprepub.release WHERE number = $number") } @shards;

	return (grep { $_ eq '' } @rows) ? '' : sum0(@rows);
}

# An analyst counts the rows of the newest release, and of each, again and again; what fails is no count.
sub begin_reading
{
	my %reader = (out => '');
	my $url = $node->connstr('postgres') . ' user=analyst';

	$reader{run} = IPC::Run::start([ 'sh', '-c', <<SH ], '<', \undef, '>', \$reader{out}, '2>', '/dev/null');
while :; do
	psql -XAtq -d "$url" -c "SELECT 'newest', count(*) FROM published.patients" -c "SELECT 'all', release, count(*) FROM published.patients_all GROUP BY release" \\
		-c "SELECT 'listed', release, rows FROM published.patients_releases" || sleep 0.1
	sleep 0.02
done
SH
	return \%reader;
}

sub ends_reading
{
	my ($reader, $last, $what) = @_;
	my (%rows, %newest, %wrong);

	IPC::Run::pump_nb($reader->{run});
	IPC::Run::kill_kill($reader->{run});
	$rows{$_} = rows_of($_) foreach 1 .. $last;
	foreach my $line (split /\n/, $reader->{out} =~ s/[^\n]*\z//r)
	{
		my ($kind, @row) = split /\|/, $line;

		$newest{ $row[0] }++ if $kind eq 'newest';
		$wrong{$line}++ if $kind eq 'newest' ? !grep { $_ eq $row[0] } values %rows : ($rows{ $row[0] } // '') ne $row[1];
	}
	cmp_ok(scalar(keys %newest), '>', 1, "$what: the analyst has seen releases");
	is(join(', ', sort keys %wrong), '', "$what: each of them whole");
	return;
}

1;
