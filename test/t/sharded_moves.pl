# Shards by a column that can change: people who move from one shard to another, or are on two at once.
use Hospital;

my ($node, @shards) = new_shards(2);
my ($number, $i) = (0, 0);

foreach my $shard (@shards)
{
	$shard->safe_psql('postgres', "SET ROLE owner; ALTER TABLE hospital.patients ADD COLUMN region text NOT NULL DEFAULT 'r$i'");
	$i++;
}

# Somebody who is on a shard: added, or taken away.
sub comes
{
	my ($shard, $id) = @_;
	return $shards[$shard]->safe_psql('postgres', "INSERT INTO hospital.patients SELECT $id, 30, '10000', 'F', 'disease 1'");
}

sub goes
{
	my ($shard, $id) = @_;
	return $shards[$shard]->safe_psql('postgres', "DELETE FROM hospital.patients WHERE id = $id");
}

sub on_shard
{
	my ($shard, $sql) = @_;
	return $shards[$shard]->safe_psql('postgres', "SET ROLE owner; $sql");
}

# Publishes, and says on which shards people of the next release are.
sub shown
{
	my @ids = @_;
	as_role($node, 'owner', q{SELECT FROM pprepub.publish('patients')});
	$number++;
	return join ' ', map { my $id = $_; "$id:" . join ',', grep {
		on_shard($_, "SELECT count(*) FROM pprepub.class_members('patients_shard$_') WHERE release = (SELECT max(number) FROM pprepub.release WHERE kind = 'stored') AND key = '$id'") eq '1'
	} 0 .. 1 } @ids;
}

comes(0, 9001); comes(1, 9001);
is(as_role($node, 'owner', q{SELECT pprepub.create_sharded_publication('patients', '{shard0,shard1}', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'region', '{r0,r1}', params => '{"k": 5, "l": 3}')}), '', 'declared');
is(as_role($node, 'owner', 'SELECT DISTINCT key_decides FROM pprepub.shard'), 'f', 'the key does not tell the shard');
is(shown(2, 3, 9001), '2:0 3:1 9001:0', 'all are shown; of two places, the first');

goes(0, 2); comes(1, 2);
$shards[1]->safe_psql('postgres', q{INSERT INTO hospital.patients SELECT id + 9000, age, zip, sex, disease FROM hospital.patients WHERE id IN (SELECT generate_series(3, 99, 2))});
is(on_shard(1, q{SELECT count(*) > 900 FROM published.patients_shard1(); SELECT count(*) FROM published_private.patients_shard1_places WHERE key IN (2, 9001, 9003)}), "t\n0", 'neither one who moves nor a newcomer is in an answer');
is(shown(2, 3, 9001, 9003), '2: 3:1 9001:0 9003:1', 'one who moves is shown nowhere, a newcomer is');
goes(0, 9001);
is(shown(2, 9001), '2: 9001:', 'nor one who was on two shards, and is now on the other one');
goes(1, 2); comes(0, 2);
is(shown(2), '2:0', 'one who comes back is shown again');

# A coordinator that was restored from an old backup learns from the shards whom they have.
$node->safe_psql('postgres', 'TRUNCATE published_private.patients_shards_people');
goes(1, 3); comes(0, 3);
is(shown(3, 9001), '3: 9001:', 'a registry that was lost is made anew');
is($node->safe_psql('postgres', 'SELECT count(*) FROM published_private.patients_shards_people'), '2050', 'with all');

# Somebody who is forgotten is given to a shard anew, as anybody who is unknown.
fails_with($node, 'postgres', 55000, q{SET ROLE owner; SELECT pprepub.forget_person('patients', '3', '5')}, 'nobody who is still there is forgotten');
goes(0, 3); goes(1, 5);
is(as_role($node, 'owner', q{SELECT pprepub.forget_person('patients', '03', ' 5')}), '2', 'people are forgotten on all shards');
is($node->safe_psql('postgres', 'SELECT count(*) FROM published_private.patients_shards_people'), '2048', 'and by the registry');
comes(0, 5);
shown(5);
is($node->safe_psql('postgres', 'SELECT count(*), count(*) FILTER (WHERE shard = 2) FROM published_private.patients_shards_people'), '2049|' . (500 * 2 + 49 - 2), 'one of them is now of another shard');

# A coordinator that was restored from a backup of before they were forgotten: the shards know better, also where there are as many on each.
my ($was, $is) = map { on_shard(0, "SELECT pprepub_internal.shard_hashes('patients_shard0', '{$_}')") } 5, 7;
$node->safe_psql('postgres', "UPDATE published_private.patients_shards_people SET shard = 3 - shard WHERE person IN ('$was', '$is')");
goes(0, 5); comes(1, 5); goes(1, 7); comes(0, 7);
is(shown(5, 7), '5: 7:', 'a registry that is out of date gives nobody to a second shard');

# Keys are not told, but by hashes with a secret that the coordinator does not keep.
is($node->safe_psql('postgres', q{SELECT count(*) FROM published_private.patients_shards_people, generate_series(1, 2000) i WHERE person IN (sha256(i::text::bytea), substr(sha256(i::text::bytea), 1, 16))}), '0', 'no hash is one of a key alone');
fails_like($node, 'postgres', q{SET ROLE analyst; SELECT FROM published_private.patients_shards_people}, qr/permission denied/, 'nobody else reads them');
foreach my $shard (0 .. 1)
{
	is(on_shard($shard, "SELECT check_name FROM pprepub.audit('patients_shard$shard') WHERE NOT holds"), '', "audit of shard $shard");
}
as_role($node, 'owner', q{SELECT pprepub.drop_publication('patients', forget_history => true)});
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname LIKE 'patients\_%'}), '0', 'dropped');

# Shards are compared with one distribution, which all declare.
$shards[$_]->safe_psql('postgres', "SET ROLE owner; CREATE TABLE hospital.shares AS SELECT 'disease ' || i AS disease, 0.125 AS share FROM generate_series(0, 7) i;
	UPDATE hospital.shares SET share = 0.025 + 0.2 * ((right(disease, 1)::int + $_) % 2)") foreach 0 .. 1;
my $declare = q{SELECT pprepub.create_sharded_publication('compared', '{shard0,shard1}', 'hospital.patients', 'id', '{"age": "range"}', 'disease', 'region', '{r0,r1}',
	params => '{"k": 5, "t": 0.5, "distribution": "hospital.shares"}')};
fails_with($node, 'postgres', 22023, "SET ROLE owner; $declare", 'two distributions');
is(on_shard(1, 'UPDATE hospital.shares SET share = 0.25 - share; SELECT count(*) FROM pprepub.publication'), '0', 'nothing was declared');
is(as_role($node, 'owner', "$declare; SELECT rows > 0 FROM pprepub.publish('compared')"), "\nt", 'one');
$declare =~ s/compared/other/;
$declare =~ s/, "distribution".*"}/}/;
fails_with($node, 'postgres', 22023, "SET ROLE owner; $declare", 'none that is declared');
$_->stop foreach $node, @shards;
done_testing();
