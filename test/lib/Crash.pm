# Shared by tests that kill a session that publishes, or all of the server, amid a release.
package Crash;

use strict;
use warnings;
use Exporter 'import';
use Hospital;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(releases kill_server kill_backend kill_amid_publish tables_of_nothing);

# How many there are.
sub releases
{
	my ($node, $name) = @_;

	return $node->safe_psql('postgres', "SELECT releases FROM pprepub_internal.catalog_publication WHERE name = '$name'");
}

# The children of the postmaster: all of the server goes at once, without a word.
sub kill_server
{
	my ($node) = @_;
	my ($postmaster) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');
	my @children;

	foreach my $stat (glob '/proc/[0-9]*/stat')
	{
		open my $file, '<', $stat or next;
		my $line = <$file> // '';
		close $file;
		push @children, $1 if $line =~ /^(\d+) \(.*\) \S (\d+) / && $2 == $postmaster;
	}
	kill 9, $postmaster, @children;
	# They go when they are scheduled; somebody may have been born meanwhile, and goes when he notices.
	foreach (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default)
	{
		if (!kill 0, $postmaster, @children)
		{
			$node->{_pid} = undef;
			return if $node->start(fail_ok => 1);
		}
		sleep 0.01;
	}
	die 'the server does not start';
}

sub kill_backend
{
	my ($node, $pid) = @_;
	my $log = -s $node->logfile;

	kill 9, $pid;
	$node->wait_for_log(qr/all server processes terminated; reinitializing/, $log);
	return;
}

# Has a release published, which needs so many seconds, and kills: at any moment, or, if it is to be stopped, when all is
# written and nothing committed; the backend, or all of the server.
sub kill_amid_publish
{
	my ($node, $name, %how) = @_;
	my $holder;

	if ($how{stopped})
	{
		$holder = $node->background_psql('postgres');
		$holder->query_safe('BEGIN; LOCK pprepub_internal.catalog_release IN SHARE MODE');
	}
	my $session = start_sql($node, 'postgres', 'SET ROLE owner', 'SELECT pg_backend_pid()', "SELECT pprepub.publish('$name')", 'SELECT pg_sleep(600)');
	IPC::Run::pump($session->{run}) until $session->{out} =~ /\n/;
	my ($pid) = $session->{out} =~ /^(\d+)\n/;
	if ($how{stopped})
	{
		$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid") or die 'nobody waits';
	}
	else
	{
		sleep(rand(1.5 * $how{seconds}));
	}
	if ($how{server}) { kill_server($node) } else { kill_backend($node, $pid) }
	finish_sql($session);
	eval { $holder->quit } if $holder;		# its server has gone
	comes_back($node);
	return;
}

# Tables that stand in the two schemas and are of no release, and releases whose table is not there, line by line.
sub tables_of_nothing
{
	my ($node, $database) = @_;

	return $node->safe_psql($database, <<'SQL');
SELECT 'of nothing', oid::regclass FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'S', 'p') AND relnamespace::regnamespace::text IN ('published', 'published_private')
	AND oid NOT IN (SELECT relation FROM pprepub_internal.catalog_relation);
SELECT 'gone', relation FROM pprepub_internal.catalog_relation WHERE relation::oid NOT IN (SELECT oid FROM pg_class);
SQL
}

1;
