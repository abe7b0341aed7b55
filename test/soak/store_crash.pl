# A server that dies while tables of the access method pprepub are loaded, merged, truncated and vacuumed comes
# back with what was committed, all of it, and nothing else; a replica has the same, before and after promotion.
use Time::HiRes qw(usleep);
use Crash;
use Hospital;
use Seed;

my $node = new_server('main', allows_streaming => 1);

$node->append_conf('postgresql.conf', "autovacuum = on\nautovacuum_naptime = 1\nmax_prepared_transactions = 3");
$node->restart;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pprepub;
CREATE TABLE loaded (batch int, i int, t text, UNIQUE (batch, i)) USING pprepub;
CREATE TABLE noted (batch int PRIMARY KEY, rows int);
CREATE TABLE small (id int PRIMARY KEY, t text) USING pprepub;
CREATE UNLOGGED TABLE passing (id int PRIMARY KEY) USING pprepub;
CREATE TABLE emptied (id int PRIMARY KEY) USING pprepub;
SQL

# Whole batches only, as many as were noted; and everything holds.
sub is_whole
{
	my ($server, $when) = @_;

	is($server->safe_psql('postgres', <<'SQL'), '', "whole batches only $when");
SELECT batch, count(*), n.rows FROM loaded FULL JOIN noted n USING (batch) GROUP BY batch, n.rows
HAVING count(*) IS DISTINCT FROM n.rows::bigint OR count(*) <> count(DISTINCT i) OR count(t) <> count(*)
SQL
	is($server->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM small'), 0, "no row twice $when");
	is($server->safe_psql('postgres', <<'SQL'), '', "indexes find the same rows $when");
SET enable_seqscan = off;
SELECT batch FROM noted n WHERE rows <> (SELECT count(*) FROM loaded l WHERE l.batch = n.batch AND l.i > 0)
SQL
	my $tables = q{SELECT t, v::text FROM unnest('{loaded,small,emptied}'::regclass[]) t, pprepub.verify_storage(t) v WHERE NOT holds};
	is($server->safe_psql('postgres', $tables), '', "everything holds $when");
	return;
}

# ---- Killed ----

my $batch = 0;

sub load
{
	my ($from) = @_;
	my $sql = "SET application_name = 'loader';\n";

	for my $b ($from .. $from + 99)
	{
		my $rows = 1 + int rand(rand() < 0.3 ? 30000 : 50);

		$sql .= "BEGIN; INSERT INTO noted VALUES ($b, $rows); " .
		  "INSERT INTO loaded SELECT $b, i, 'row ' || i FROM generate_series(1, $rows) i; " .
		  (rand() < 0.2 ? 'ROLLBACK;' : 'COMMIT;') . "\n";
		$sql .= "INSERT INTO small SELECT $b * 1000 + $_, 'x';\n" foreach 1 .. 20;
		$sql .= "VACUUM FULL loaded;\n" if rand() < 0.03;
		$sql .= "BEGIN; TRUNCATE emptied; INSERT INTO emptied SELECT generate_series(1, 5000); COMMIT;\n" if rand() < 0.2;
		$sql .= "INSERT INTO passing SELECT generate_series($b * 10, $b * 10 + 9);\n";
	}
	return $sql . "SELECT pg_sleep(1);\n";
}

# A psql of its own that runs a script.
sub start_load
{
	my ($from) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir . '/load';

	PostgreSQL::Test::Utils::append_to_file($file, load($from));
	return IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file ], '<', \undef, '>', \my $out, '2>', \my $err);
}

# Until some batch of the load that began there is seen.
sub wait_for_batch
{
	my ($server, $from) = @_;

	$server->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM noted WHERE batch >= $from)") or die 'no batch is loaded';
	return;
}

draw_seed();
for my $round (1 .. 6)
{
	my $session = start_load($batch + 1);
	my $loader = q{SELECT pid FROM pg_stat_activity WHERE application_name = 'loader'};

	wait_for_batch($node, $batch + 1);
	$batch += 100;
	usleep(int rand 800_000);
	# When a backend dies so, the whole server does, and recovers.
	my $pid = $node->safe_psql('postgres', $loader);
	kill_backend($node, $pid) if $pid ne '';
	IPC::Run::finish($session);
	comes_back($node);
	is_whole($node, "after kill $round");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM passing'), 0, 'an unlogged table is empty then');
	is($node->safe_psql('postgres', 'SELECT count(*) IN (0, 5000) FROM emptied'), 't', 'TRUNCATE was whole or not at all');
	$node->safe_psql('postgres', 'INSERT INTO passing VALUES (1); SELECT * FROM passing WHERE id = 1');
}
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM noted'), '>', 5, 'there were batches');
$node->safe_psql('postgres', 'VACUUM FULL small');
is_whole($node, 'after merging all');

# ---- A replica ----

$node->backup('backup');
my $replica = PostgreSQL::Test::Cluster->new('replica');
$replica->init_from_backup($node, 'backup', has_streaming => 1);
$replica->start;

# A prepared transaction, too, is one on both.
$node->safe_psql('postgres', 'BEGIN; INSERT INTO small SELECT -i, $$p$$ FROM generate_series(1, 100) i; PREPARE TRANSACTION $$p$$');
my $session = start_load($batch + 1);
for (1 .. 5)
{
	usleep 200_000;
	is_whole($replica, 'on the replica, at any time');
}
IPC::Run::finish($session);
$node->safe_psql('postgres', 'COMMIT PREPARED $$p$$');
$node->wait_for_catchup($replica);
is_whole($node, 'when all is loaded');
my $all = <<'SQL';
SELECT md5(string_agg(x::text, ',' ORDER BY ctid)) FROM loaded x;
SELECT md5(string_agg(x::text || ctid, ',' ORDER BY ctid)) FROM small x;
SELECT count(*), sum(id) FROM emptied;
SQL
is($replica->safe_psql('postgres', $all), $node->safe_psql('postgres', $all), 'the replica has the same rows at the same places');
is_whole($replica, 'on the replica');

# Promoted in the middle of a load, it has whole batches and goes on.
$session = start_load($batch + 1000);
wait_for_batch($replica, $batch + 1000);
$replica->promote;
IPC::Run::finish($session);
is_whole($replica, 'after promotion');
$replica->safe_psql('postgres', "INSERT INTO small VALUES (-1000, 'promoted'); " . load($batch + 2000));
is_whole($replica, 'when it has gone on');

$node->stop;
$replica->stop;
done_testing();
