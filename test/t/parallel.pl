# Parallel workers cut a release: it is the same as without them, an answer has none, and nothing stays of a release whose
# worker, or whose own session, is ended.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);
use Crash;
use Hospital;

my $rows = 600_000;
my $node = new_server('main');
$node->append_conf('postgresql.conf', "log_min_messages = debug1\nmax_parallel_workers_per_gather = 2");
$node->restart;
make_patients($node, 'postgres', 10);
# Some hundred thousand different tuples, and no condition on values: so chance has no part in what is cut.
$node->safe_psql('postgres', <<SQL);
SET ROLE owner;
CREATE TABLE hospital.people AS SELECT i AS id, 18 + (h & 63) AS age, lpad((((h >> 6) & 16383) % 10000)::text, 4, '0') AS zip,
	(h >> 20 & 1)::text AS sex, 'disease ' || (h >> 21 & 7) AS disease
FROM (SELECT i, hashint4(i) h FROM generate_series(1, $rows) i) numbers;
ALTER TABLE hospital.people ADD PRIMARY KEY (id);
ANALYZE hospital.people;
SELECT pprepub.create_publication(name, 'hospital.people', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}',
	'disease', 'bpg', '{"k": 10, "l": 1, "reserve": 1}', beside => CASE name WHEN 'two' THEN '{one}'::name[] ELSE '{}' END)
FROM (VALUES ('one'), ('two')) names (name);
SQL

# What is done with so many workers, and how many were started for it.
sub with_workers
{
	my ($workers, $sql) = @_;
	my $log = -s $node->logfile;
	my $result = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = $workers; SET ROLE owner; $sql");
	my $started = () = slurp_file($node->logfile, $log) =~ /starting background worker process "parallel worker for PID/g;

	return ($result, $started);
}

my $preview = q{SELECT metric, value FROM pprepub.preview('one') WHERE metric !~ 'seconds|bytes' ORDER BY metric};
my ($alone, $none) = with_workers(0, $preview);
my ($together, $started) = with_workers(2, $preview);
is($none, 0, 'no worker, if none is wanted');
is($started, 2, 'two workers, if they are');
is($together, $alone, 'and every metric is the same');
my ($without, $refused) = with_workers('2; SET max_parallel_workers = 0', $preview);
is($without, $alone, 'also if the server has no worker left');
is($refused, 0, '(it had none)');
my ($little, $small) = with_workers("2; SET maintenance_work_mem = '1MB'", $preview);
is($little, $alone, 'and if no memory may be shared');
is($small, 0, '(none started)');

# Waits for a worker of a session, without a pause in which it could go, and does something to one of the two; NULL if
# the session ends without one.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION with_worker(leader int, action text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	worker int;
BEGIN
	LOOP
		PERFORM pg_stat_clear_snapshot();
		SELECT pid INTO worker FROM pg_stat_activity WHERE leader_pid = leader AND pid <> leader LIMIT 1;
		IF worker IS NOT NULL THEN
			PERFORM CASE action WHEN 'terminate worker' THEN pg_terminate_backend(worker) WHEN 'cancel leader' THEN pg_cancel_backend(leader) END;
			RETURN worker;
		END IF;
		EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = leader);
	END LOOP;
	RETURN NULL;
END
$$;
SQL

# Starts publish(), and waits until it has a worker, to which something happens; returns the session and the worker.
sub publish_with_worker
{
	my ($action) = @_;
	my $session = start_sql($node, 'postgres', 'SET ROLE owner', 'SELECT pg_backend_pid()', q{SELECT pprepub.publish('one')});

	IPC::Run::pump($session->{run}) until $session->{out} =~ /\n/;
	my ($pid) = $session->{out} =~ /^(\d+)\n/;
	my $watcher = $node->background_psql('postgres');
	my $worker = $watcher->query_safe("SELECT with_worker($pid, '$action')");
	kill 9, $worker if $action eq 'kill worker' && $worker;
	eval { $watcher->quit };	# its server may be gone
	finish_sql($session);
	return ($session, $worker);
}

sub nothing_stays
{
	my ($what) = @_;

	is(releases($node, 'one'), 0, "no release of $what");
	is(tables_of_nothing($node, 'postgres'), '', '... and no table');
	$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'}) or fail('no worker, either');
	return;
}

foreach my $how (['a worker that is ended', 'terminate worker', qr/terminating background worker "parallel worker" due to administrator command/],
	['a session that is cancelled', 'cancel leader', qr/canceling statement due to user request/],
	['a worker that is killed', 'kill worker', qr/server closed the connection|terminating connection because of crash/])
{
	my ($what, $action, $message) = @$how;
	my ($session, $worker) = publish_with_worker($action);

	ok($worker, "a worker was seen: $what");
	like($session->{error}, $message, $what);
	comes_back($node);
	nothing_stays($what);
}

# Two releases of the same people; who is in which class is drawn by lot.
with_workers(0, q{SELECT pprepub.publish('one')});
with_workers(2, q{SELECT pprepub.publish('two')});
my $regions = 'SELECT age, zip, sex, count(*) FROM published.%s GROUP BY class, age, zip, sex';
is($node->safe_psql('postgres', sprintf "SELECT count(*) FROM ($regions EXCEPT ALL $regions) d", 'one', 'two'), 0, 'releases have the same regions of the same sizes');
is($node->safe_psql('postgres', q{SELECT bool_and(holds) FROM pprepub.audit('two')}), 't', 'audit finds nothing');
whole_release($node, 'postgres', 'two', 'the release is whole');

# A view that is dear to read is read by workers, too, though its rows are too few to be cut by some.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE FUNCTION hospital.dear(text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS 'BEGIN RETURN $1; END';
CREATE VIEW hospital.dear_people AS SELECT id, age, zip, sex, hospital.dear(disease) AS disease FROM hospital.people WHERE id <= 100000;
SELECT pprepub.create_publication('dear', 'hospital.dear_people', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}',
	'disease', 'bpg', '{"k": 10, "l": 1, "reserve": 1}', beside => '{one,two}');
SQL
$preview =~ s/'one'/'dear'/;
my ($read_alone, $no_reader) = with_workers(0, $preview);
my ($read, $readers) = with_workers(2, $preview);
is($no_reader, 0, 'a source is read by one process, if no worker is wanted');
cmp_ok($readers, '>', 0, 'and by workers, if they are');
is($read, $read_alone, 'which makes no difference');

# An error that audit() catches is in no log: a worker would write its own one there.
with_workers(2, q{SELECT pprepub.publish('dear')});
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE OR REPLACE FUNCTION hospital.dear(text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS
	$$ BEGIN IF pg_backend_pid()::text <> current_setting('hospital.leader') THEN RAISE 'nobody may read KEY-7'; END IF; RETURN $1; END $$;
SQL
my $before = -s $node->logfile;
my ($unread, $unreading) = with_workers(2, q{SELECT set_config('hospital.leader', pg_backend_pid()::text, false); SELECT a FROM pprepub.audit('dear') a});
isnt($unread, '', 'audit() reads the source');
is($unreading, 0, '... by itself');
unlike(substr(slurp_file($node->logfile), $before), qr/KEY-7/, 'an error that is caught is not logged');
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE OR REPLACE FUNCTION hospital.dear(text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS 'BEGIN RETURN $1; END';
SQL

# Everybody sees how many workers a session has.
foreach my $name ('two', 'dear')
{
	my (undef, $answering) = with_workers(2, qq{SELECT count(*) FROM published.$name('age > 0')});
	is($answering, 0, "an answer of publication \"$name\" has no worker");
}

done_testing();
