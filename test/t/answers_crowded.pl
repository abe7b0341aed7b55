# Many ask about one publication at once: they wait for one worker, each for its turn. And what answers replace makes
# room for the next, whether a worker stays or starts anew for each.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 4000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', 'SET ROLE owner; SELECT pprepub.publish(\'patients\')');

my $script = $node->basedir . '/ask.sql';
append_to_file($script, "SET SESSION AUTHORIZATION owner;\nSELECT * FROM published.patients('age BETWEEN 20 AND 45');\n");

sub linger
{
	my ($time) = @_;

	$node->safe_psql('postgres', "ALTER DATABASE postgres SET pprepub.answer_linger = '$time'");
	$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});
	return;
}

sub ask
{
	my ($clients, $times) = @_;
	my $started = time;

	$node->command_ok([ 'pgbench', '-n', '-c', $clients, '-t', $times, '-f', $script, 'postgres' ], "$clients of them ask $times times");
	return time - $started;
}

sub pages
{
	return $node->safe_psql('postgres', q{SELECT pg_relation_size('published_private.patients_neighborhoods') / current_setting('block_size')::int});
}

sub releases
{
	return $node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release');
}

linger('1min');
ask(1, 3);
my $before = pages();
ask(1, 40);
cmp_ok(pages(), '<=', $before + 8, 'a worker that stays finds the room that answers leave');
linger('0');
ask(1, 40);
cmp_ok(pages(), '<=', $before * 3, 'and so do those which start for one, but for what VACUUM finds');
linger('1min');
ask(1, 1);
cmp_ok(ask(8, 12), '<', 60, 'nobody is left waiting');
is(releases(), 181, 'each got an answer');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}), '1', 'from one worker');
is($node->safe_psql('postgres', q{SELECT string_agg(check_name, ' ') FROM pprepub.audit('patients') WHERE NOT holds}), '', 'the history is whole');

$node->stop;
done_testing();
