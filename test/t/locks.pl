# Locks: what reads many releases locks them one after the other and keeps none, and many releases can be dropped, where the
# lock table is small.
use Hospital;

my $releases = 150;
my $node = new_server('locks');

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pprepub;
CREATE ROLE owner;
CREATE ROLE auditor;
CREATE SCHEMA hospital AUTHORIZATION owner;
GRANT CREATE ON DATABASE postgres TO owner;
SET ROLE owner;
CREATE TABLE hospital.people AS SELECT i AS id, i AS age, 'd' || i % 3 AS disease FROM generate_series(1, 9) i;
SELECT pprepub.create_publication('p', 'hospital.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "l": 2}');
SELECT pprepub.grant_audit('p', 'auditor');
SQL
# A source whose code writes: what was written must not be seen by others before the transaction ends.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.read (id int);
CREATE FUNCTION hospital.notes(id int) RETURNS boolean LANGUAGE plpgsql AS
	$$ BEGIN IF id = 1 THEN INSERT INTO hospital.read VALUES (id); END IF; RETURN true; END $$;
CREATE VIEW hospital.noted AS SELECT * FROM hospital.people WHERE hospital.notes(id);
SELECT pprepub.create_publication('noted', 'hospital.noted', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "l": 2}', beside => '{p}');
SELECT FROM pprepub.publish('noted');
SQL
$node->safe_psql('postgres', 'SET ROLE owner;' . q{SELECT FROM pprepub.publish('p');} x $releases);
$node->append_conf('postgresql.conf', <<'CONF');
max_locks_per_transaction = 10
max_connections = 5
max_worker_processes = 1
max_wal_senders = 0
autovacuum = off
CONF
$node->restart;

my $locked = q{SELECT string_agg(DISTINCT c.oid::regclass::text, ' ') FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE l.pid = pg_backend_pid() AND n.nspname ~ '^(published|published_private|hospital|pg_toast)$'};
my $publications = q{SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'object' AND classid = 'pprepub_internal.catalog_publication'::regclass};

# In one transaction of a role: the result of a query, what it has locked of tables, and how many publications.
sub in_transaction
{
	my ($role, $query) = @_;

	return $node->safe_psql('postgres', "SET ROLE $role; BEGIN; $query; RESET ROLE; $locked; $publications; COMMIT");
}

foreach my $role ('owner', 'auditor')
{
	is(in_transaction($role, q{SELECT bool_and(holds) FROM pprepub.audit('p')}), "t\n\n0", "$role: audit() keeps no lock");
	is(in_transaction($role, q{SELECT pprepub.assert_safe('p')}), "\n\n0", "$role: nor does assert_safe()");
}

is(in_transaction('owner', 'SELECT count(*) FROM published.p_all WHERE release = 3'), "9\npublished.p_all\n0", 'of NAME_all, a release is read and let go');
is(in_transaction('owner', 'SELECT count(*), count(DISTINCT release) FROM published.p_all'), 9 * $releases . "|$releases\npublished.p_all\n0", 'all of them, too');
like(in_transaction('owner', q{SELECT linkability FROM pprepub.linkability('noted')}), qr/\bhospital\.read\b/, 'a source that writes stays locked');

# A release that somebody else has locked: conditions on releases alone choose which are opened, whatever they are made of.
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK published.p_2 IN ACCESS EXCLUSIVE MODE');
foreach my $condition ('release = 3', 'release IN (1, 3)', 'release > 2 AND age && int4range(1, 99)', 'release = (SELECT 3)', 'release <> 2', 'release - 1 = 2 AND published_at <= now()',
	"published_at > (SELECT published_at FROM published.p_releases WHERE release = 2)", 'NOT release = 2 AND random() >= 0', "published_at > 'infinity'")
{
	is($node->safe_psql('postgres', "SET lock_timeout = '2s'; SET ROLE owner; SELECT count(*) FILTER (WHERE release = 2) FROM published.p_all WHERE $condition"), '0', "of NAME_all, where $condition");
}
is($node->safe_psql('postgres', q{SET plan_cache_mode = force_generic_plan; SET lock_timeout = '2s'; PREPARE one(int) AS SELECT count(*) FROM published.p_all WHERE release = $1; EXECUTE one(3)}),
	'9', 'a parameter chooses, too');
fails_with($node, 'postgres', '55P03', "SET lock_timeout = '100ms'; SELECT count(*) FROM published.p_all WHERE random() >= 0", 'all of them are opened otherwise');
$holder->query_safe('COMMIT');
$holder->quit;
fails_like($node, 'postgres', q{SET ROLE owner; SELECT pprepub.drop_publication('p', forget_history => true)}, qr/out of shared memory/, 'too many are not dropped at once');
is($node->safe_psql('postgres', <<'SQL'), 't', 'a publication can be dropped without its releases');
SET ROLE owner;
CREATE TABLE hospital.kept AS SELECT relation::text AS name FROM pprepub.release WHERE publication = 'p' AND relation IS NOT NULL;
SELECT FROM pprepub.drop_publication('p', forget_history => true, keep_releases => true);
SELECT count(*) = 0 FROM pprepub.publication WHERE name = 'p';
SQL
is($node->safe_psql('postgres', "SET ROLE owner;\nSELECT format('DROP TABLE %s', name) FROM hospital.kept \\gexec\nSELECT count(*) FROM pg_class WHERE relnamespace = 'published'::regnamespace AND relname ~ '^p_'"),
	'0', 'and these one by one');
$node->stop;

done_testing();
