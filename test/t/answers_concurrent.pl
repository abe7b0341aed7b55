# Many ask about one publication at once: they wait for one worker, each for its turn. Who asks about another publication has
# another one. And what answers replace makes room for later ones, once it is vacuumed, whether
# a worker stays or starts anew for each.
use Time::HiRes qw(time);
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 500);
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
	return $node->safe_psql('postgres', q{SELECT pg_relation_size('published_private.patients_groups') / current_setting('block_size')::int});
}

sub releases
{
	return $node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release');
}

linger('1min');
ask(1, 3);
my $before = pages();
ask(1, 25);
cmp_ok(pages(), '<=', $before + 8, 'a worker that stays finds the room that answers leave');
linger('0');
ask(1, 25);
cmp_ok(pages(), '<=', $before * 3, 'and so do those which start for one, but for what VACUUM finds');
linger('1min');
ask(1, 1);
cmp_ok(ask(8, 6), '<', 60, 'nobody is left waiting');
is(releases(), 103, 'each got an answer');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}), '1', 'from one worker');
is($node->safe_psql('postgres', q{SELECT string_agg(check_name, ' ') FROM pprepub.audit('patients') WHERE NOT holds}), '', 'the history is whole');

# The publication's own row is replaced by each, and kept for whoever still looks at an old one.
sub catalog_pages
{
	return $node->safe_psql('postgres', q{SELECT pg_relation_size('pprepub_internal.catalog_publication') / current_setting('block_size')::int});
}

sub ask_beside_an_old_snapshot
{
	my $reader = $node->background_psql('postgres');

	$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pprepub_internal.catalog_publication');
	ask(1, 30);
	$reader->query_safe('COMMIT');
	$reader->quit;
	return;
}

ask_beside_an_old_snapshot();
$before = catalog_pages();
ask(1, 30);
for my $round (1 .. 2)
{
	ask_beside_an_old_snapshot();
	ask(1, 30);
}
cmp_ok(catalog_pages(), '<=', $before + 1, 'what they leave in the catalog is used again');

# ---- Three publications ----

declare_patients($node, 'postgres', 'visitors', 'hospital.patients', 'patients');
declare_patients($node, 'postgres', 'guests', 'hospital.patients', 'patients,visitors');
my ($other, $third) = map {
	my $file = $node->basedir . "/$_.sql";
	append_to_file($file, "SET SESSION AUTHORIZATION owner;\nSELECT * FROM published.$_('age BETWEEN 20 AND 45');\n");
	$file;
} qw(visitors guests);

sub workers
{
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});
}

# One analyst each, at once.
sub ask_both
{
	$node->command_ok([ 'pgbench', '-n', '-c', 2, '-t', 10, '-f', $script, '-f', $other, 'postgres' ], 'two ask about two publications, by turns');
	return;
}

linger('1min');
$node->command_ok([ 'pgbench', '-n', '-c', 1, '-t', 10, '-f', $script, '-f', $other, 'postgres' ], 'one analyst asks about two publications');
is(workers(), '2', 'each publication has a worker of its own');
ask_both();
is(workers(), '2', 'and none needs more');

# However many ask, also when nobody is there yet.
linger('1min');
$node->command_ok([ 'pgbench', '-n', '-c', 9, '-j', 3, '-t', 4, '-f', $script, '-f', $other, '-f', $third, 'postgres' ], 'nine ask about three');
is(workers(), '3', 'three workers are enough');

# A publication that few ask about is not kept waiting by a crowd that asks about another, also where one process must do for both:
# then each turn comes before long, though the crowd's worker is never idle.
sub ask_beside_crowd
{
	local $ENV{PGOPTIONS} = '-c pprepub.answer_wait=3s';
	my $crowd = IPC::Run::start([ 'pgbench', '-n', '-c', 6, '-T', 60, '-f', $script, $node->connstr('postgres') ], '<', \undef, '>', \my $out, '2>', \my $error);

	$node->command_ok([ 'pgbench', '-n', '-c', 1, '-t', 12, '-f', $other, 'postgres' ], 'one asks beside a crowd');
	ok($crowd->pumpable, 'and is answered long before that goes');
	$crowd->kill_kill;
	return;
}

ask_beside_crowd();
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');	# one of which is the launcher of logical replication
$node->restart;
ask_both();
is(workers(), '1', 'where there is no slot, they share one');
ask_beside_crowd();

$node->stop;
done_testing();
