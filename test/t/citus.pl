# Where Citus is installed: a distributed table as the source of one publication, and workers that are shards of one.
use Hospital;

chomp(my $share = `pg_config --sharedir`);
plan skip_all => 'Citus is not installed' if !-e "$share/extension/citus.control";

my $conf = "shared_preload_libraries = 'citus'\nwal_level = logical\ncitus.enable_statistics_collection = off\ncitus.node_conninfo = 'sslmode=disable'";
my ($node, @workers) = map { new_server($_, conf => $conf) } qw(coordinator worker1 worker2);
foreach my $server ($node, @workers)
{
	$server->safe_psql('postgres', sprintf q{CREATE EXTENSION citus; ALTER DATABASE postgres SET citus.local_hostname = '%s'}, $server->host);
}
make_patients($node, 'postgres', 1000);
my @main = ($node->host, $node->port);
$node->safe_psql('postgres', sprintf q{SELECT citus_set_coordinator_host('%s', %d)}, @main);
$node->safe_psql('postgres', sprintf q{SELECT citus_add_node('%s', %d)}, $_->host, $_->port) foreach @workers;

sub as_owner { return $node->safe_psql('postgres', "SET client_min_messages = error; SET ROLE owner; $_[0]") }
sub as_analyst { return as_role($node, 'analyst', $_[0]) }
sub on_workers { return join ' ', map { $_->safe_psql('postgres', $_[0]) } @workers }

$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');
as_owner(q{SELECT create_distributed_table('hospital.patients', 'id', shard_count => 4)});
is($node->safe_psql('postgres', 'SELECT count(DISTINCT nodeport) FROM citus_shards'), '2', 'rows stand on two servers');

# One publisher, which reads all rows by way of Citus.
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
as_owner('GRANT USAGE ON SCHEMA published TO analyst; GRANT EXECUTE ON FUNCTION published.patients TO analyst');
is(as_owner(q{SELECT rows FROM pprepub.publish('patients')}), '1000', 'a release has all rows');
is(on_workers(q{SELECT count(*) FROM pg_namespace WHERE nspname ~ 'published'}), '0 0', 'Citus copies nothing of it to workers');
foreach my $week (1 .. 3)
{
	as_owner(qq{DELETE FROM hospital.patients WHERE id <= 20 * $week;
		INSERT INTO hospital.patients SELECT 10000 * $week + i, 18 + i % 60, (10000 + i % 40 * 100)::text, 'F', 'disease ' || i % 8 FROM generate_series(1, 60) i});
	is(as_owner(q{SELECT number > 0 FROM pprepub.publish('patients')}), 't', "week $week: a release");

	# Rows that are not committed are not seen, and do not keep an answer waiting.
	my $session = $node->background_psql('postgres', on_error_stop => 1);
	$session->query_safe("BEGIN; INSERT INTO hospital.patients VALUES (1000000 + $week, 50, '10000', 'F', 'disease 1')");
	cmp_ok(as_analyst(q{SELECT count(*) FROM published.patients('age > 40')}), '>', 0, "week $week: an answer while rows are added");
	$session->query_safe('COMMIT');
	$session->quit;
	is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', "week $week: all holds");
}
$workers[0]->stop('immediate');
isnt($node->psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')}), 0, 'a server is away: no release');
is(as_analyst(q{SELECT count(*) FROM published.patients()}), '0', 'and an empty answer');
$workers[0]->start;
as_owner(q{SELECT pprepub.drop_publication('patients', forget_history => true)});

# Workers that publish what stands on them: the declaration of docs/howto/several_servers.md. Others log in as owner with a password only.
$node->safe_psql('postgres', q{ALTER ROLE owner PASSWORD 'secret'; GRANT CREATE ON DATABASE postgres TO owner; CREATE EXTENSION postgres_fdw; CREATE EXTENSION dblink; SET citus.enable_ddl_propagation = off});
foreach my $server ($node, @workers)
{
	$server->safe_psql('postgres', q{INSERT INTO pg_dist_authinfo VALUES (0, 'owner', 'password=secret')});
	next if $server == $node;
	my $hba = $server->data_dir . '/pg_hba.conf';
	my $rules = slurp_file($hba);
	unlink $hba;
	append_to_file($hba, "local all owner scram-sha-256\n$rules");
	$server->reload;
	$node->safe_psql('postgres', sprintf q{SET citus.enable_ddl_propagation = off; CREATE SERVER %1$s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%2$s', port '%3$d', dbname 'postgres');
		GRANT USAGE ON FOREIGN SERVER %1$s TO owner;
		CREATE USER MAPPING FOR owner SERVER %1$s OPTIONS (user 'owner', password 'secret');
		CREATE USER MAPPING FOR analyst SERVER %1$s OPTIONS (user 'analyst', password_required 'false')}, $server->name, $server->host, $server->port);
}
my $manual = slurp_file('docs/howto/several_servers.md');
my ($recipe) = $manual =~ /^## Citus.*?^(CREATE FUNCTION.*?)^```/ms or die 'no recipe';
as_owner($recipe);
my $people = as_owner('SELECT count(*) FROM hospital.patients');
is(as_owner(q{SELECT rows FROM pprepub.publish('patients')}), $people, 'shards: a release has all rows');
is(as_owner('SELECT count(*) FROM published.patients'), $people, 'and shows them');
is(as_owner(q{SELECT identity FROM pg_dist_object d, pg_identify_object(classid, objid, objsubid) WHERE identity ~ 'published'}), '', 'and Citus knows nothing of it');
is(on_workers(q{SELECT rows = (SELECT count(*) FROM hospital.patients_here) FROM pprepub.release}), 't t', 'each worker has published what stands there');
$workers[$_]->safe_psql('postgres', sprintf q{SET ROLE owner; GRANT USAGE ON SCHEMA published TO analyst; GRANT SELECT ON published.patients_%s_now TO analyst}, $workers[$_]->name) foreach 0, 1;
as_owner('GRANT USAGE ON SCHEMA published TO analyst; GRANT SELECT ON published.patients_now TO analyst');
foreach my $week (1 .. 3)
{
	as_owner(qq{DELETE FROM hospital.patients WHERE id % 50 = $week;
		INSERT INTO hospital.patients SELECT 100000 * $week + i, 18 + i % 60, (10000 + i % 40 * 100)::text, 'F', 'disease ' || i % 8 FROM generate_series(1, 60) i});
	is(as_owner(qq{SELECT number > $week FROM pprepub.publish('patients')}), 't', "shards, week $week: a release");
	cmp_ok(as_analyst('SELECT count(*) FROM published.patients_now WHERE age > 40'), '>', 0, "shards, week $week: an answer");
	is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', "shards, week $week: all holds");
}

# People who move with a shard would be shown by two publications.
my $shard = $node->safe_psql('postgres', sprintf q{SELECT min(shardid) FROM citus_shards WHERE nodeport = %d}, $workers[0]->port);
sub move { return $node->safe_psql('postgres', sprintf q{SELECT citus_move_shard_placement(%d, '%s', %d, '%s', %d, 'block_writes')}, $shard, map { $_->host, $_->port } @_) }
my @seen = map { $workers[1]->safe_psql('postgres', "SELECT count(*) FROM $_") } qw(published_private.patients_worker2_source hospital.patients_here);
move(@workers);
fails_with($node, 'postgres', 23514, q{SET ROLE owner; SELECT pprepub.publish('patients')}, 'a shard of Citus has moved: no release');
is(on_workers(q{SELECT count(*), (SELECT count(*) FROM pg_prepared_xacts) FROM pprepub.release WHERE kind = 'stored'}), '4|0 4|0', 'not even on one worker');
is($workers[1]->safe_psql('postgres', "SELECT (SELECT count(*) FROM published_private.patients_worker2_source) = $seen[0], count(*) > $seen[1] FROM hospital.patients_here"), 't|t', 'nor does an answer read them');
move(reverse @workers);
is(as_owner(q{SELECT number > 4 FROM pprepub.publish('patients')}), 't', 'it is back: a release');
is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', 'all holds');
as_owner(q{SELECT pprepub.drop_publication('patients', forget_history => true)});
is(on_workers('SELECT count(*) FROM pprepub.publication'), '0 0', 'it is gone from all workers');
$_->stop foreach $node, @workers;
done_testing();
