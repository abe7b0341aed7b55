# Tables of the access method pprepub are dumped and restored in every format, also in parallel; what decodes the log
# for other tables is not stopped by them.
use Hospital;

my $node = new_server('main', allows_streaming => 'logical');

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pprepub;
CREATE TABLE store (id int PRIMARY KEY, t text, n numeric, a int[]) USING pprepub;
INSERT INTO store SELECT i, 'v' || i % 100, i / 3.0, ARRAY[i, NULL] FROM generate_series(1, 17000) i;
ALTER TABLE store ADD COLUMN late int DEFAULT 5;
CREATE INDEX ON store USING gin (a);
CREATE MATERIALIZED VIEW counted USING pprepub AS SELECT t, count(*) FROM store GROUP BY t;
CREATE TABLE parts (k int, t text) PARTITION BY RANGE (k);
CREATE TABLE part1 PARTITION OF parts FOR VALUES FROM (0) TO (10) USING pprepub;
CREATE TABLE part2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
INSERT INTO parts SELECT i % 20, 'p' || i FROM generate_series(1, 1000) i;
CREATE TABLE referring (id int REFERENCES store) USING pprepub;
INSERT INTO referring VALUES (7), (17000);
SQL

my $everything = <<'SQL';
SELECT md5(string_agg(x::text, ',' ORDER BY id)) FROM store x;
SELECT md5(string_agg(x::text, ',' ORDER BY t)) FROM counted x;
SELECT md5(string_agg(x::text, ',' ORDER BY t)) FROM parts x;
SELECT * FROM referring ORDER BY id;
SELECT c.relname, amname FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE amname = 'pprepub' ORDER BY 1;
SELECT t FROM unnest('{store,counted,part1,referring}'::regclass[]) t, pprepub.verify_storage(t) v WHERE NOT holds;
SQL
my $expected = $node->safe_psql('postgres', $everything);
my $tmp = PostgreSQL::Test::Utils::tempdir;

sub restored
{
	my ($name, $restore) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$restore->($node->connstr($name));
	is($node->safe_psql($name, $everything), $expected, "restored: $name");
	$node->safe_psql($name, 'INSERT INTO store (id) VALUES (50000)');
	isnt(($node->psql($name, 'INSERT INTO store (id) VALUES (50000)'))[0], 0, "and unique in $name");
	return;
}

my $source = $node->connstr('postgres');
$node->command_ok([ 'pg_dump', '-f', "$tmp/plain", $source ], 'plain');
$node->command_ok([ 'pg_dump', '--inserts', '-f', "$tmp/inserts", $source ], 'inserts');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$tmp/custom", $source ], 'custom');
$node->command_ok([ 'pg_dump', '-Ft', '-f', "$tmp/tar", $source ], 'tar');
$node->command_ok([ 'pg_dump', '-Fd', '-j', '3', '-f', "$tmp/directory", $source ], 'directory, in parallel');

my $run = sub { my @command = @_; $node->command_ok(\@command, "@command[0, 1]") };
restored('plain', sub { $run->('psql', '-Xq1', '-v', 'ON_ERROR_STOP=1', '-d', $_[0], '-f', "$tmp/plain") });
restored('inserts', sub { $run->('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $_[0], '-f', "$tmp/inserts") });
restored('custom', sub { $run->('pg_restore', '-d', $_[0], "$tmp/custom") });
restored('parallel', sub { $run->('pg_restore', '-j', '3', '-d', $_[0], "$tmp/custom") });
restored('tar', sub { $run->('pg_restore', '-d', $_[0], "$tmp/tar") });
restored('directory', sub { $run->('pg_restore', '-j', '3', '-d', $_[0], "$tmp/directory") });

# ---- Logical decoding ----

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE other (id int PRIMARY KEY);
SELECT pg_create_logical_replication_slot('slot', 'test_decoding');
INSERT INTO other VALUES (1);
INSERT INTO store (id, t) SELECT i, repeat('x', 100) || i FROM generate_series(60001, 70000) i;
INSERT INTO store (id) VALUES (70001);
INSERT INTO store (id) VALUES (70002);
BEGIN; INSERT INTO other VALUES (2); INSERT INTO store (id) VALUES (70003); COMMIT;
VACUUM FULL store;
INSERT INTO other VALUES (3);
SQL
is($node->safe_psql('postgres', q{SELECT string_agg(substring(data FROM 'id.*'), ';') FROM pg_logical_slot_get_changes('slot', NULL, NULL) WHERE data LIKE 'table%'}),
	'id[integer]:1;id[integer]:2;id[integer]:3', 'decoding goes on over the rows of the store, and does not have them');

# ---- An index of the TOAST relation that a REINDEX left behind ----

my $toast = $node->safe_psql('postgres', q{SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'store'::regclass});
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN');
$holder->query_safe("SELECT count(*) FROM $toast");
my ($status, undef, $err) = $node->psql('postgres', "SET lock_timeout = '1s'; REINDEX TABLE CONCURRENTLY $toast");
isnt($status, 0, 'REINDEX was stopped');
is($node->safe_psql('postgres', "SELECT indisvalid, indisready FROM pg_index WHERE indrelid = '$toast'::regclass ORDER BY 1"), "f|t\nt|t",
	'it left an index that is ready and not valid');
$holder->quit;
my $left = $node->safe_psql('postgres', "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '$toast'::regclass AND NOT indisvalid");
$node->safe_psql('postgres', 'CREATE EXTENSION amcheck; CREATE EXTENSION pageinspect; VACUUM store');
my $count = "SELECT sum(live_items) FROM generate_series(1, pg_relation_size('$left') / 8192 - 1) b, bt_page_stats('$left', b) WHERE type = 'l'";
my $entries = $node->safe_psql('postgres', $count);
$node->safe_psql('postgres', 'INSERT INTO store (id) VALUES (80000); INSERT INTO store (id) VALUES (80001)');
is($node->safe_psql('postgres', 'SELECT count(*) FROM store WHERE id >= 80000; SELECT count(*) FROM pprepub.verify_storage($$store$$) WHERE NOT holds'), "2\n0",
	'rows are found by the one that is valid');
is($node->safe_psql('postgres', $count) - $entries, 4, 'and written to the other, too');
$node->safe_psql('postgres', "DROP INDEX $left");
$node->safe_psql('postgres', q{SELECT bt_index_check('store_pkey', true)});
$node->safe_psql('postgres', "SELECT bt_index_check(indexrelid::regclass, true) FROM pg_index WHERE indrelid = '$toast'::regclass");

$node->stop;
done_testing();
