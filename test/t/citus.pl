# A source that Citus distributes, where Citus is installed: releases, answers while rows are added, audit.
use Hospital;

my $node = new_server('coordinator');
plan skip_all => 'Citus is not installed' if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'}) eq '0';

my $worker = new_server('worker');
foreach my $server ($node, $worker)
{
	$server->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'\nwal_level = logical\ncitus.enable_statistics_collection = off\ncitus.node_conninfo = 'sslmode=disable'");
	$server->restart;
	$server->safe_psql('postgres', 'CREATE EXTENSION citus');
}
make_patients($node, 'postgres', 1000);
my @main = ($node->host, $node->port);
$node->safe_psql('postgres', sprintf q{SELECT citus_set_coordinator_host('%s', %d); SELECT citus_add_node('%s', %d)}, @main, $worker->host, $worker->port);
$node->safe_psql('postgres', sprintf q{SELECT citus_set_node_property('%s', %d, 'shouldhaveshards', true)}, @main);
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO owner');

sub as_owner { return $node->safe_psql('postgres', "SET client_min_messages = error; SET ROLE owner; $_[0]") }

$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');
$node->safe_psql('postgres', q{SELECT create_distributed_table('hospital.patients', 'id', shard_count => 4)});
is($node->safe_psql('postgres', 'SELECT count(DISTINCT nodeport) FROM citus_shards'), '2', 'rows stand on two servers');
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
as_owner('GRANT USAGE ON SCHEMA published TO analyst; GRANT EXECUTE ON FUNCTION published.patients TO analyst');
is(as_owner(q{SELECT rows FROM pprepub.publish('patients')}), '1000', 'a release has all rows');
is($worker->safe_psql('postgres', q{SELECT nspname FROM pg_namespace WHERE nspname ~ 'published'}), '', 'Citus copies nothing of it to a worker');
foreach my $week (1 .. 3)
{
	as_owner(qq{DELETE FROM hospital.patients WHERE id <= 20 * $week;
		INSERT INTO hospital.patients SELECT 10000 * $week + i, 18 + i % 60, (10000 + i % 40 * 100)::text, 'F', 'disease ' || i % 8 FROM generate_series(1, 60) i});
	is(as_owner(q{SELECT number > 0 FROM pprepub.publish('patients')}), 't', "week $week: a release");

	# Rows that are not committed are not seen, and do not keep an answer waiting.
	my $session = $node->background_psql('postgres', on_error_stop => 1);
	$session->query_safe("BEGIN; INSERT INTO hospital.patients VALUES (1000000 + $week, 50, '10000', 'F', 'disease 1')");
	cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM published.patients('age > 40')}, extra_params => [ '-U', 'analyst' ]), '>', 0, "week $week: an answer while rows are added");
	$session->query_safe('COMMIT');
	$session->quit;
	is(as_owner(q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', "week $week: all holds");
}
$worker->stop('immediate');
isnt($node->psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')}), 0, 'a server is away: no release');
is($node->safe_psql('postgres', q{SELECT count(*) FROM published.patients()}, extra_params => [ '-U', 'analyst' ]), '0', 'and an empty answer');
$node->stop;
done_testing();
