# Partitions of one table as shards of one database: declared, published at once, restored, dropped.
use Hospital;

my $node = new_server('here', conf => 'max_prepared_transactions = 10');
my $hba = $node->data_dir . '/pg_hba.conf';
my $lines = slurp_file($hba);
my $qi = q{'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease'};

$node->safe_psql('postgres', q{CREATE ROLE owner LOGIN PASSWORD 'secret'; CREATE ROLE analyst; CREATE EXTENSION dblink; CREATE EXTENSION postgres_fdw});
make_patients($node, 'postgres', 3000);
$node->safe_psql('postgres', sprintf <<'SQL', $node->host, $node->port);
CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%d', dbname 'postgres');
GRANT USAGE ON FOREIGN SERVER here TO owner;
CREATE USER MAPPING FOR owner SERVER here OPTIONS (user 'owner', password 'secret');
SET ROLE owner;
ALTER TABLE hospital.patients RENAME TO all_patients;
CREATE TABLE hospital.patients (id int NOT NULL, age int, zip text, sex text, disease text) PARTITION BY LIST ((pprepub.shard_of(id::text, 3)));
CREATE TABLE hospital.p0 PARTITION OF hospital.patients FOR VALUES IN (0);
CREATE TABLE hospital.p1 PARTITION OF hospital.patients FOR VALUES IN (1);
CREATE TABLE hospital.p2 PARTITION OF hospital.patients FOR VALUES IN (2);
INSERT INTO hospital.patients SELECT * FROM hospital.all_patients;
SQL
unlink $hba;
append_to_file($hba, "local all owner scram-sha-256\n$lines");
$node->reload;

# A session of the owner, who is known by role here.
sub as_owner { return $node->safe_psql($_[1] // 'postgres', "SET client_min_messages = error; SET ROLE owner; $_[0]") }

my $declare = "SELECT pprepub.create_sharded_publication('patients', '{here,here,here}', '{hospital.p0,hospital.p1,hospital.p2}', 'id', $qi, 'pprepub.shard_of(id::text, 3)', params => '{\"k\": 5, \"l\": 3}'";
foreach my $wrong (
	[ 22023, q{'{}', 'hospital.p0', 'id', X, 'true'}, 'no shard' ],
	[ 22023, q{'{here,here}', '{hospital.p0}', 'id', X, 'true'}, 'a source too few' ],
	[ 22023, q{'{here,here}', '{hospital.p0,hospital.p1}', 'id', X, 'id % 2', '{0,0}'}, 'a value twice' ],
	[ 22023, q{'{here,here}', '{hospital.p0,hospital.p1}', 'id', X, 'id % 2', '{0,NULL}'}, 'a value that is null' ],
	[ 22023, q{'{here,here}', '{hospital.p0,hospital.p1}', 'id', X, 'id % 2', params => '{"k": 5, "t": 0.3}'}, 'shards that compare each with itself' ],
	[ 42704, q{'{nowhere}', 'hospital.p0', 'id', X, 'true', '{true}'}, 'a server that is none' ],
	[ '42P01', q{'{here,here}', '{hospital.p0,hospital.p9}', 'id', X, 'true', '{true,false}', params => '{"k": 5}'}, 'a source that is none' ],
	[ 42601, q{'{here}', 'hospital.p0', 'id', X, 'true) UNION SELECT (true', params => '{"k": 5}'}, 'a condition that is more' ])
{
	my ($code, $arguments, $what) = @$wrong;
	$arguments =~ s/X/$qi/;
	fails_with($node, 'postgres', $code, "SET ROLE owner; SELECT pprepub.create_sharded_publication('wrong', $arguments)", $what);
}
is(as_owner(q{SELECT (SELECT count(*) FROM pprepub.publication), (SELECT count(*) FROM pprepub.shard), (SELECT count(*) FROM pg_prepared_xacts)}), '0|0|0', 'nothing of these is declared');
# Words that the coordinator replaces in its own queries mean themselves in a name, and in a condition.
as_owner(q{SELECT pprepub.create_sharded_publication('p{number}{publication}', '{here,here}', '{hospital.p0,hospital.p1}', 'id', } . $qi . q{, 'CASE WHEN ''{number}'' LIKE ''{%}'' THEN pprepub.shard_of(id::text, 3) END', params => '{"k": 5}')});
is(as_owner(q{SELECT rows FROM pprepub.publish('p{number}{publication}', 'zip <> ''{number}'''); SELECT FROM pprepub.drop_publication('p{number}{publication}', forget_history => true)}),
	as_owner('SELECT (SELECT count(*) FROM hospital.p0) + (SELECT count(*) FROM hospital.p1)'), 'words in braces');
as_owner("$declare)");
is(as_owner('SELECT shard, server, shard_publication, key_decides FROM pprepub.shard'), "1|here|patients_shard0|t\n2|here|patients_shard1|t\n3|here|patients_shard2|t", 'declared');
fails_with($node, 'postgres', 42710, "SET ROLE owner; $declare)", 'not twice');
fails_with($node, 'postgres', 42710, "SET ROLE owner; SELECT pprepub.create_publication('patients', 'hospital.all_patients', 'id', $qi, params => '{\"k\": 5}')", 'nor by another kind of its name');
is(as_owner(q{SELECT number, rows FROM pprepub.publish('patients')}), '1|3000', 'published');
is(as_owner(q{SELECT count(*) FROM published.patients}), '3000', 'all are there');
is(as_owner(q{SELECT count(*), count(DISTINCT class % 1000) FROM published.patients_1}), '3000|3', 'under the number of the release, too, which no shard is named like');
is(as_owner(q{SELECT sum(r.people) FROM pprepub.release r}), '3000', 'as three publications');
fails_with($node, 'postgres', 55000, q{SET ROLE owner; SELECT pprepub.publish('patients_shard1')}, 'which are not published one by one');

# The number of answers differs from shard to shard; those of releases are equal.
as_owner(q{SELECT count(*) FROM published.patients_shard1('age > 30'); SELECT count(*) FROM published.patients_shard1('age > 40')});
is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', 'which is no fault');
as_owner(q{UPDATE hospital.patients SET disease = 'disease 3' WHERE id % 97 = 0});
is(as_owner(q{SELECT number, rows FROM pprepub.publish('patients')}), '4|3000', 'the next number that all have');
is(as_owner(q{SELECT string_agg(DISTINCT number::text, ' ') FROM pprepub.release WHERE kind = 'stored'}), '1 4', 'on all');
is(as_owner(q{SELECT release, rows FROM published.patients_releases ORDER BY 1}), "1|3000\n4|3000", 'and in the list');
is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', 'audit');

is(as_owner(q{SELECT object, costs FROM pprepub.catalog WHERE publication = 'patients'}), join("\n", map { "published.patients$_" } '|nothing', '_1|nothing', '_4|nothing', '_all|nothing', '_answers|nothing',
	'_counts(by, bins, release)|nothing', '_now|an answer of each shard for each query', '_releases|nothing', '_values|nothing'), 'the catalog lists what is shown of all');

# A row that belongs elsewhere: no release on any shard.
as_owner(q{ALTER TABLE hospital.patients DETACH PARTITION hospital.p2; INSERT INTO hospital.p2 SELECT id, 30, '10000', 'F', 'disease 1' FROM hospital.p0 LIMIT 1});
fails_with($node, 'postgres', 23514, q{SET ROLE owner; SELECT pprepub.publish('patients')}, 'somebody on two shards: no release');
is(as_owner(q{SELECT string_agg(releases::text, ' ') FROM pprepub.publication}), '4 4 4', 'not even on one');
as_owner(q{DELETE FROM hospital.p2 WHERE pprepub.shard_of(id::text, 3) <> 2});

# Parameters change on all shards, or on none.
as_owner(q{SELECT pprepub.alter_publication('patients', '{"k": 6}')});
is(as_owner(q{SELECT string_agg(params->>'k', ' ') FROM pprepub.publication}), '6 6 6', 'k is 6 everywhere');
fails_with($node, 'postgres', 22023, q{SET ROLE owner; SELECT pprepub.alter_publication('patients', '{"k": 0}')}, 'k of 0');
is(as_owner(q{SELECT string_agg(params->>'k', ' ') FROM pprepub.publication}), '6 6 6', 'nowhere');

# A shard that lacks the last change, as it was restored, or somebody has rolled back what was prepared there.
as_owner(q{SELECT pprepub_internal.shard_note('patients_shard1', pprepub_internal.shard_attempt('patients_shard0') || '-')});
is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), 'numbers', 'audit tells of it');
fails_with($node, 'postgres', 55000, "SET ROLE owner; SELECT pprepub.$_", "shards differ: no $_") foreach q{publish('patients')}, q{forget_releases('patients', now())};
is(as_owner(q{SELECT string_agg(releases::text, ' ') FROM pprepub.publication; SELECT pprepub.acknowledge_history('patients')}), "4 4 4\n", 'until the owner says that nothing is missing');

# A caller's rollback takes back nothing that shards have published; the next call shows it.
as_owner(q{BEGIN; SELECT pprepub.publish('patients'); ROLLBACK});
is(as_owner(q{SELECT string_agg(releases::text, ' ') FROM pprepub.publication}), '5 5 5', 'a release stands after a rollback');
is(as_owner(q{SELECT to_regclass('published.patients_5') IS NULL; SELECT count(*) FROM pprepub.finish_in_doubt('patients'); SELECT count(*) FROM published.patients_5}), "t\n0\n3000", 'and is shown when what is in doubt is finished');

# A shard that waits for a caller who waits for it.
fails_with($node, 'postgres', '40P01', "SET ROLE owner; SET statement_timeout = '20s'; BEGIN; LOCK TABLE hospital.p1; SELECT pprepub.publish('patients')", 'a lock of the transaction itself');

# Nobody else may change it.
$node->safe_psql('postgres', 'GRANT USAGE ON FOREIGN SERVER here TO analyst');
foreach my $call (qw(publish drop_publication finish_in_doubt))
{
	fails_with($node, 'postgres', 42501, "SET ROLE analyst; SELECT pprepub.$call('patients')", "$call() is for the owner");
}

# A copy knows its shards.
my $copy = restored($node, 'custom');
is(as_owner('SELECT count(*) FROM pprepub.shard', $copy), '3', 'a dump has the declaration');
is(as_owner('SELECT count(*) FROM published.patients', $copy), '3000', 'and what it shows');

as_owner(q{CREATE VIEW hospital.mine AS SELECT * FROM published.patients});
fails_with($node, 'postgres', '2BP01', q{SET ROLE owner; SELECT pprepub.drop_publication('patients', forget_history => true)}, 'a view depends on it');
is(as_owner(q{SELECT count(*) FROM pprepub.publication}), '3', 'no shard is dropped');
as_owner(q{BEGIN; SELECT pprepub.drop_publication('patients', forget_history => true, cascade => true); ROLLBACK; SELECT pprepub.drop_publication('patients', forget_history => true, cascade => true)});
is(as_owner(q{SELECT count(*) FROM pprepub.publication; SELECT count(*) FROM pprepub.shard; SELECT count(*) FROM pg_class WHERE relname ~ '^patients_' AND relnamespace <> 'hospital'::regnamespace}), "0\n0\n0", 'dropped, also after a rollback, and nothing is left');
$node->stop;
done_testing();
