# pg_upgrade takes publications, their releases and history, and other tables of the access method pprepub over as they are.
use Hospital;

my $old = new_server('old');
make_patients($old, 'postgres', 3000);
declare_patients($old, 'postgres', 'patients', 'hospital.patients');
$old->safe_psql('postgres', <<'SQL');
SET ROLE owner;
SELECT pprepub.publish('patients');
UPDATE hospital.patients SET age = age + 1 WHERE id % 7 = 0;
SELECT pprepub.publish('patients', 'age > 30');
GRANT USAGE ON SCHEMA published TO PUBLIC;
GRANT SELECT ON published.patients TO PUBLIC;
RESET ROLE;
SELECT count(*) FROM published.patients();
CREATE TABLE store (id int PRIMARY KEY, t text, gone int, n numeric, a int[]) USING pprepub;
INSERT INTO store SELECT i, 'v' || i % 100, i, i / 3.0, ARRAY[i, NULL] FROM generate_series(1, 40000) i;
ALTER TABLE store DROP COLUMN gone;
ALTER TABLE store ADD COLUMN late int DEFAULT 5;
INSERT INTO store (id) VALUES (40001);
CREATE INDEX ON store USING gin (a);
CREATE UNLOGGED TABLE passing (id int) USING pprepub;
INSERT INTO passing VALUES (1);
CREATE TABLE nothing () USING pprepub;
INSERT INTO nothing DEFAULT VALUES;
CREATE TABLE empty (id int) USING pprepub;
CREATE MATERIALIZED VIEW counted USING pprepub AS SELECT t, count(*) FROM store GROUP BY t;
BEGIN; INSERT INTO store (id) VALUES (50000); ROLLBACK;
SQL

my $rows = <<'SQL';
SELECT md5(string_agg(x::text || ctid, ',' ORDER BY id)) FROM store x;
SELECT md5(string_agg(x::text, ',' ORDER BY t)) FROM counted x;
SELECT (SELECT count(*) FROM nothing), (SELECT count(*) FROM empty), (SELECT count(*) FROM passing);
SET enable_seqscan = off;
SELECT ctid, * FROM store WHERE id = 777;
SELECT count(*) FROM store WHERE a @> '{777}';
SELECT "table", groups, rows, encodings FROM pprepub.storage ORDER BY 1;
SELECT "table", v.* FROM pprepub.storage, pprepub.verify_storage("table") v ORDER BY 1, 2;
SQL
my $before = everything($old, 'postgres');
my $rows_before = $old->safe_psql('postgres', $rows);
$old->stop;

my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [ '-E', 'UTF8', '--no-locale' ]);
$new->append_conf('postgresql.conf', "autovacuum = off\njit = off");
chomp(my $bin = `pg_config --bindir`);
# It leaves its files where it runs.
chdir PostgreSQL::Test::Utils::tempdir;
$new->command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin,
	'-s', $new->host, '-p', $old->port, '-P', $new->port ], 'pg_upgrade');
$new->start;

same_everything(everything($new, 'postgres'), $before, 'publications, releases and history are the same');
is($new->safe_psql('postgres', $rows), $rows_before, 'and so are other tables, row by row, at the same places');

# Life goes on, once the owner has said that nothing is missing.
fails_like($new, 'postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')}, qr/may have been rewound/, 'another system: noticed');
$new->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.acknowledge_history('patients')});
is($new->safe_psql('postgres', q{SET ROLE owner; SELECT number FROM pprepub.publish('patients')}), '4', 'published');
is($new->safe_psql('postgres', q{SET ROLE owner; SELECT bool_and(holds) FROM pprepub.audit('patients')}), 't', 'and judged well');
fails_like($new, 'postgres', 'DELETE FROM published.patients_1', qr/cannot be changed/, 'releases are sealed');
fails_with($new, 'postgres', '23505', 'INSERT INTO store (id) VALUES (777)', 'keys are unique');
is($new->safe_psql('postgres', <<'SQL'), 't', 'rows come behind those that were rolled back');
INSERT INTO store (id) VALUES (50000) RETURNING ctid > (SELECT max(ctid) FROM store WHERE id <= 40001);
SQL
$new->safe_psql('postgres', 'VACUUM (FREEZE) store; VACUUM FULL store; CREATE EXTENSION amcheck');
is($new->safe_psql('postgres', <<'SQL'), "0\n40002", 'and it all holds');
SELECT count(*) FROM pprepub.storage, pprepub.verify_storage("table") WHERE NOT holds;
SELECT count(*) FROM store WHERE late = 5;
SQL
$new->safe_psql('postgres', q{SELECT bt_index_check('store_pkey', true)});
$new->stop;

done_testing();
