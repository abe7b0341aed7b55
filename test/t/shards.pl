# A source whose rows stand on two other servers: a table that is partitioned by hash, with foreign partitions of postgres_fdw.
use Hospital;

my $node = new_server('main');
my @shards = map { new_server("shard$_") } 0, 1;
my $columns = 'id int NOT NULL, age int, zip text, sex text, disease text';

$node->safe_psql('postgres', qq{CREATE EXTENSION pprepub; CREATE EXTENSION postgres_fdw; CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN;
	GRANT CREATE ON DATABASE postgres TO owner; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO owner;
	CREATE SCHEMA hospital AUTHORIZATION owner; SET ROLE owner;
	CREATE TABLE hospital.patients ($columns) PARTITION BY HASH (id)});
foreach my $i (0, 1)
{
	my $shard = $shards[$i];

	$shard->safe_psql('postgres', "CREATE ROLE owner LOGIN; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner; CREATE TABLE patients ($columns, PRIMARY KEY (id))");
	$node->safe_psql('postgres', sprintf q{CREATE SERVER shard%1$d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%2$s', port '%3$d', dbname 'postgres');
		GRANT USAGE ON FOREIGN SERVER shard%1$d TO owner;
		CREATE USER MAPPING FOR owner SERVER shard%1$d OPTIONS (user 'owner', password_required 'false');
		SET ROLE owner;
		CREATE FOREIGN TABLE hospital.patients_%1$d PARTITION OF hospital.patients FOR VALUES WITH (MODULUS 2, REMAINDER %1$d)
			SERVER shard%1$d OPTIONS (schema_name 'public', table_name 'patients')}, $i, $shard->host, $shard->port);
}

sub as_owner { return $node->safe_psql('postgres', "SET client_min_messages = error; SET ROLE owner; $_[0]") }

as_owner(q{INSERT INTO hospital.patients SELECT i, 18 + i % 60, (10000 + i % 40 * 100)::text, substr('FM', 1 + i % 2, 1), 'disease ' || i % 8 FROM generate_series(1, 2000) i});
cmp_ok($_->safe_psql('postgres', 'SELECT count(*) FROM patients'), '>', 900, 'each server has its share') foreach @shards;
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
as_owner('GRANT USAGE ON SCHEMA published TO analyst; GRANT EXECUTE ON FUNCTION published.patients TO analyst');
is(as_owner(q{SELECT rows FROM pprepub.publish('patients')}), '2000', 'a release has the rows of both');

# Weeks go by: people come, leave and change on either server.
foreach my $week (1 .. 3)
{
	$shards[0]->safe_psql('postgres', 'DELETE FROM patients WHERE id IN (SELECT id FROM patients ORDER BY id LIMIT 20)');
	$shards[1]->safe_psql('postgres', "UPDATE patients SET age = age + 1 WHERE id % 9 = $week");
	as_owner(qq{INSERT INTO hospital.patients SELECT 10000 * $week + i, 18 + i % 60, (10000 + i % 40 * 100)::text, 'F', 'disease ' || i % 8 FROM generate_series(1, 60) i});
	is(as_owner(q{SELECT number > 0 FROM pprepub.publish('patients')}), 't', "week $week: a release");
	my $answer = $node->safe_psql('postgres', q{SELECT count(*) FROM published.patients('age > 40')}, extra_params => [ '-U', 'analyst' ]);
	cmp_ok($answer, '>', 0, "week $week: an answer");
	is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', "week $week: all holds");
}

# A person who is there twice: the key is unique on each server only.
$shards[1]->safe_psql('postgres', q{SET ROLE owner; INSERT INTO patients SELECT x.* FROM (VALUES (777777, 30, '10000', 'F', 'disease 1')) x});
$shards[0]->safe_psql('postgres', q{SET ROLE owner; INSERT INTO patients SELECT x.* FROM (VALUES (777777, 30, '10000', 'F', 'disease 1')) x});
fails_like($node, 'postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')}, qr/is repeated/, 'somebody on both servers: no release');
$_->safe_psql('postgres', 'DELETE FROM patients WHERE id = 777777') foreach @shards;

# A server that does not answer: nothing is published, nothing is lost.
$shards[1]->stop('immediate');
isnt($node->psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')}), 0, 'a server is away: no release');
my ($status, $out, $error) = $node->psql('postgres', q{SELECT count(*) FROM published.patients()}, extra_params => [ '-U', 'analyst' ]);
is($out, '0', 'and an empty answer');
unlike($error, qr/shard|connect|host/, 'which does not tell why');
cmp_ok(as_owner('SELECT count(*) FROM pprepub.failed_answer'), '>', 0, 'the owner is told');
$shards[1]->start;
is(as_owner(q{SELECT number > 0 FROM pprepub.publish('patients')}), 't', 'it is back: a release');
is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', 'all holds');

$_->stop foreach $node, @shards;
done_testing();
