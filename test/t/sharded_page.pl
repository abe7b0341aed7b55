# The example of docs/howto/several_servers.md works as it stands there, but for hosts and rows.
use Hospital;

my $node = new_server('coordinator');
my @shards = map { new_server("shard$_", conf => 'max_prepared_transactions = 10') } 0, 1;
my ($example) = slurp_file('docs/howto/several_servers.md') =~ /^## Shards\n.*?^```text\n(.*?)^```/ms or die 'no example';

$_->safe_psql('postgres', 'CREATE DATABASE hospital') foreach $node, @shards;
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');
foreach (split /^(?=-- (?:a superuser|the owner), on )/m, $example)
{
	my ($who, $where) = /^-- (a superuser|the owner), on (each shard|the coordinator)/ or die $_;
	my $sql = ($who eq 'the owner' ? "SET ROLE owner;\n" : '') . $_;
	my $shard = -1;

	$sql =~ s/host 'shard(\d)'/sprintf "host '%s', port '%d'", $shards[$1]->host, $shards[$1]->port/ge;
	foreach my $server ($where eq 'the coordinator' ? $node : @shards)
	{
		$shard++;
		is($server->psql('hospital', $sql, on_error_die => 0), 0, "$who, on $where");
		next if $where eq 'the coordinator' || $who ne 'the owner';
		my $hba = $server->data_dir . '/pg_hba.conf';
		my $lines = slurp_file($hba);
		$server->safe_psql('hospital', "INSERT INTO hospital.patients SELECT i, 18 + i % 60, '1' || i % 40, 'F', 'disease ' || i % 8 FROM generate_series(1, 500) i WHERE pprepub.shard_of(i::text, 2) = $shard");
		unlink $hba;
		append_to_file($hba, "local all owner scram-sha-256\n$lines");
		$server->reload;
	}
}
is($node->safe_psql('hospital', 'SELECT count(*), count(DISTINCT class % 1000) FROM published.patients', extra_params => [ '-U', 'analyst' ]), '500|2', 'an analyst reads the release');
$_->stop foreach $node, @shards;
done_testing();
