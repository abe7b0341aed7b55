# Releases of method sequential are there in full or not at all, whoever is killed, cancelled or dumped.
use Crash;
use Hospital;

my $node = new_server('main');

make_patients($node, 'postgres', 20000);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'sequential', '{"k": 4, "seed": 1}');
SELECT pprepub.publish('patients', columns => '{age,zip}');
SQL
my $publish = q{SELECT pprepub.publish('patients', columns => '{age,disease}')};
my $releases = q{SELECT count(*) FROM pprepub_internal.catalog_release};

# Releases are whole, their history with them, and keep what was promised.
sub is_whole
{
	my ($server, $database, $what, $n) = @_;

	is($server->safe_psql($database, $releases), $n, "$what: $n release(s)");
	is($server->safe_psql($database, q{SET ROLE owner; SELECT string_agg(check_name, ',') FROM pprepub.audit('patients') WHERE NOT holds}), '',
		"$what: the audit");
	is($server->safe_psql($database, q{SELECT count(*) FROM pg_class WHERE relname ~ '^patients_[0-9]+$'}), $n, "$what: its tables");
	is($server->safe_psql($database, q{SET ROLE owner; SELECT coalesce(linkability, 4) >= 4 FROM pprepub.linkability('patients')}), 't', "$what: linkability");
	return;
}

my $needed = $node->safe_psql('postgres',
	"SET ROLE owner; BEGIN; SELECT ceil(seconds * 1000) FROM pprepub.publish('patients', columns => '{age,disease}'); ROLLBACK");
note("a publish needs $needed ms");

# ---- Cancelled, at whatever moment ----

my ($cancelled, $left) = (0, 0);
foreach my $moment (0 .. 12)
{
	my $error;
	my $timeout = 1 + int($needed * $moment / 12);
	my $status = $node->psql('postgres', "SET ROLE owner; SET statement_timeout = $timeout; BEGIN; $publish; ROLLBACK;", stderr => \$error);

	next if $status == 0;
	if ($error =~ /canceling statement due to statement timeout/) { $cancelled++ } else { $left++ }
}
cmp_ok($cancelled, '>', 0, "cancelled: $cancelled of 13");
is($left, 0, 'cancelled: no other error');
is_whole($node, 'postgres', 'cancelled', 1);

# ---- Killed, wherever it is by then ----

foreach my $moment (1 .. 3)
{
	my $session = start_sql($node, 'postgres', "SET application_name = 'killed'", 'SET ROLE owner',
		"BEGIN; $publish; SELECT pg_sleep(600)");
	my $killed = q{FROM pg_stat_activity WHERE application_name = 'killed' AND query ~ 'publish'};

	$node->poll_query_until('postgres', "SELECT count(*) = 1 $killed") or die 'nobody publishes';
	my $pid = $node->safe_psql('postgres', "SELECT pid $killed");
	select(undef, undef, undef, $needed / 1000 * $moment / 3);
	kill_backend($node, $pid);
	isnt(finish_sql($session), 0, "killed, moment $moment");
	comes_back($node);
	is_whole($node, 'postgres', "killed, moment $moment", 1);
}

# The whole server, right after a commit
$node->safe_psql('postgres', "SET ROLE owner; $publish");
$node->stop('immediate');
$node->start;
is_whole($node, 'postgres', 'after a crash', 2);
my $rows = q{SELECT md5(string_agg(p::text, ',' ORDER BY p::text)) FROM published.patients_};
my $before = $node->safe_psql('postgres', "${rows}2 p");

# ---- Dumped and restored ----

$node->safe_psql('postgres', 'CREATE DATABASE restored');
my $dump = $node->basedir . '/dump';
command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('postgres') ], 'dumped');
command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump ], 'restored');
is($node->safe_psql('restored', "${rows}2 p"), $before, 'restored: the same rows');
is_whole($node, 'restored', 'restored', 2);
fails_like($node, 'restored', "SET ROLE owner; $publish", qr/history of publication "patients"/, 'restored: its history is a copy');
$node->safe_psql('restored', q{SET ROLE owner; SELECT pprepub.acknowledge_history('patients')});
$node->safe_psql('restored', q{SET ROLE owner; SELECT pprepub.publish('patients', columns => '{sex,disease}')});
is_whole($node, 'restored', 'and it goes on', 3);

# The seed makes it come out the same, here and there.
$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients', columns => '{sex,disease}')});
is($node->safe_psql('restored', "${rows}3 p"), $node->safe_psql('postgres', "${rows}3 p"), 'the same release as where it came from');

done_testing();
