# Parallel workers read a source that is dear to read for a release, which is the same as without them; an audit and an
# answer have none.
use Hospital;

my $node = new_server('main');
$node->append_conf('postgresql.conf', "log_min_messages = debug1\nmax_parallel_workers_per_gather = 2\nmin_parallel_table_scan_size = 0");
$node->restart;
make_patients($node, 'postgres', 10);
# No condition on values: so chance has no part in what is cut.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.people AS SELECT i AS id, 18 + (h & 63) AS age, (h >> 6 & 1)::text AS sex, 'disease ' || (h >> 7 & 7) AS disease
FROM (SELECT i, hashint4(i) h FROM generate_series(1, 100000) i) numbers;
ALTER TABLE hospital.people ADD PRIMARY KEY (id);
ANALYZE hospital.people;
CREATE FUNCTION hospital.dear(text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS 'BEGIN RETURN $1; END';
CREATE VIEW hospital.dear_people AS SELECT id, age, sex, hospital.dear(disease) AS disease FROM hospital.people;
SELECT pprepub.create_publication('dear', 'hospital.dear_people', 'id', '{"age": "range", "sex": "suppress"}', 'disease', 'bpg', '{"k": 10, "l": 1, "reserve": 1}');
SQL

# Runs something with so many workers, and returns how many were started for it.
sub with_workers
{
	my ($workers, $sql) = @_;
	my $log = -s $node->logfile;
	my $result = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = $workers; SET ROLE owner; $sql");
	my $started = () = slurp_file($node->logfile, $log) =~ /starting background worker process "parallel worker for PID/g;

	return ($result, $started);
}

my $preview = q{SELECT metric, value FROM pprepub.preview('dear') WHERE metric !~ 'seconds|bytes' ORDER BY metric};
my ($alone, $none) = with_workers(0, $preview);
my ($together, $readers) = with_workers(2, $preview);
is($none, 0, 'a source is read by one process, if no worker is wanted');
cmp_ok($readers, '>', 0, 'and by workers, if they are');
is($together, $alone, 'which makes no difference');

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
my (undef, $answering) = with_workers(2, q{SELECT count(*) FROM published.dear('age > 0')});
is($answering, 0, 'an answer has no worker');

done_testing();
