# Random statements print the same on a table of heap and on one of pprepub.
#
# PPREPUB_TEST_SEED=n TWIN_SCRIPTS=1 has only script n run.
use Hospital;
use Seed;
use Twins;

my $node = new_server('main');
my $start = draw_seed();
my $scripts = $ENV{TWIN_SCRIPTS} // 40;

$node->append_conf('postgresql.conf', "max_prepared_transactions = 5\nfsync = off\nmax_parallel_workers_per_gather = 0");
$node->restart;

sub run_script
{
	my ($am, $script) = @_;
	my ($out, $err);

	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS twin');
	$node->safe_psql('postgres', 'CREATE DATABASE twin');
	$node->safe_psql('twin', "CREATE EXTENSION pprepub; ALTER DATABASE twin SET default_table_access_method = $am");
	IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr('twin') ], '<', \$script, '>', \$out, '2>', \$err);
	# Errors must be the same, but for where.
	$err =~ s/^psql:<stdin>:\d+: //mg;
	return "$out\n$err";
}

for my $seed ($start .. $start + $scripts - 1)
{
	my $script = random_script($seed, 25);
	my %printed = map { $_ => run_script($_, $script) } qw(heap pprepub);

	ok($printed{heap} eq $printed{pprepub}, "script $seed prints the same");
	if ($printed{heap} ne $printed{pprepub})
	{
		my $path = "$PostgreSQL::Test::Utils::tmp_check/twin_$seed";

		PostgreSQL::Test::Utils::append_to_file("$path.sql", $script);
		PostgreSQL::Test::Utils::append_to_file("$path.$_", $printed{$_}) foreach keys %printed;
		diag(`diff $path.heap $path.pprepub | head -40`);
	}
}

$node->stop;
done_testing();
