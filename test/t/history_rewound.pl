# A history that was rewound, copied or left behind is noticed before anything is published.
use Hospital;

my $node = new_server('main', allows_streaming => 1);
make_patients($node, 'postgres', 500);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
my $publish = q{SET ROLE owner; SELECT number FROM pprepub.publish('patients')};
my $acknowledge = q{SET ROLE owner; SELECT pprepub.acknowledge_history('patients')};

# Refused, for these reasons; the owner can say that nothing is missing.
sub refused
{
	my ($server, $database, $reason, $name, $number) = @_;

	my $health = 'SET ROLE owner; SELECT refused FROM pprepub.health';

	is($server->safe_psql($database, $health), 'rewound', "$name: the owner can see it");
	fails_like($server, $database, $publish, qr/may have been rewound.*$reason/s, "$name: refused");
	fails_like($server, $database, q{SET ROLE analyst; SELECT pprepub.acknowledge_history('patients')}, qr/must be owner/,
		"$name: not to be acknowledged by anybody");
	$server->safe_psql($database, $acknowledge);
	is($server->safe_psql($database, $health), '', "$name: nothing is in the way then");
	is($server->safe_psql($database, $publish), $number, "$name: acknowledged");
	is($server->safe_psql($database, q{SET ROLE owner; SELECT equal FROM pprepub.rebuild_history('patients')}), 't', "$name: the history is whole");
	is($server->safe_psql($database, 'SELECT count(DISTINCT "table"), bool_and(holds) FROM pprepub.storage, pprepub.verify_storage("table")'),
		$number + 1 . '|t', "$name: so are releases and their log, as they are stored");
	return;
}

$node->safe_psql('postgres', 'CREATE ROLE analyst');
$node->safe_psql('postgres', $acknowledge);		# nothing to acknowledge yet
is($node->safe_psql('postgres', $publish), 1, 'the first release');
$node->restart;
is($node->safe_psql('postgres', $publish), 2, 'a restart is no reason');
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', $publish), 3, 'nor is a crash');

# Copies of the database, within the cluster.
$node->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE postgres');
refused($node, 'copied', 'in another database', 'a template copy', 4);
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ], 'dumped');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ], 'restored beside');
refused($node, 'restored', 'in another database', 'a dump restored beside the original', 4);

# A base backup: as it is, and recovered to a timeline of its own.
$node->backup('base');
$node->safe_psql('postgres', $publish);
my $old = PostgreSQL::Test::Cluster->new('old');
$old->init_from_backup($node, 'base');
$old->start;
refused($old, 'postgres', 'in another data directory', 'an old backup without recovery.signal', 4);
$old->stop;
my $recovered = PostgreSQL::Test::Cluster->new('recovered');
$recovered->init_from_backup($node, 'base');
$recovered->append_conf('postgresql.conf', "restore_command = 'false'");
append_to_file($recovered->data_dir . '/recovery.signal', '');
$recovered->start;
$recovered->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'still in recovery';
refused($recovered, 'postgres', 'on another timeline', 'an old backup with recovery.signal', 4);
$recovered->stop;

# A standby that was promoted.
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
is($standby->safe_psql('postgres', 'SET ROLE owner; SELECT last_release, releases, bytes > history_bytes, refused FROM pprepub.health'), '4|4|t|',
	'a standby tells how publications fare, but not whether their histories were rewound');

# There nothing keeps releases from coming while a report is made: its source waits at a gate.
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = -1');
$standby->restart;
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE FUNCTION hospital.gate(id int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF id = 7 AND pg_is_in_recovery() THEN
		PERFORM pg_advisory_lock(1), pg_advisory_unlock(1);
	END IF;
	RETURN true;
END $$;
CREATE TABLE hospital.others AS TABLE hospital.patients;
ALTER TABLE hospital.others ADD PRIMARY KEY (id);
CREATE VIEW hospital.gated AS SELECT * FROM hospital.others WHERE hospital.gate(id);
SQL
declare_patients($node, 'postgres', 'gated', 'hospital.gated');
my $publish_gated = q{SET ROLE owner; SELECT pprepub.publish('gated')};
$node->safe_psql('postgres', $publish_gated);
$node->wait_for_catchup($standby);
foreach my $call (q{length(pprepub.report('gated')) > 1000}, q{(SELECT bool_and(holds) FROM pprepub.audit('gated') WHERE check_name = 'remembered')},
	q{pprepub.assert_safe('gated') IS NOT NULL})
{
	my $holder = $standby->background_psql('postgres');

	$holder->query_safe('SELECT pg_advisory_lock(1)');
	my $session = start_sql($standby, 'postgres', 'SET ROLE owner', "SELECT $call");
	$standby->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'nobody waits';
	$node->safe_psql('postgres', $publish_gated);
	$node->wait_for_catchup($standby);
	$holder->quit;
	is(finish_sql($session) . $session->{out} . $session->{error}, "0t\n", "on a standby, of one moment: $call");
}

# A publication that was dropped since a snapshot was taken is no longer there.
my $before = $standby->background_psql('postgres', on_error_stop => 0);
$before->query_safe('SET ROLE owner; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.drop_publication('gated', forget_history => true)});
$node->wait_for_catchup($standby);
$before->query('\set VERBOSITY sqlstate');
$before->query(q{SELECT count(*) FROM pprepub.audit('gated')});
like($before->{stderr}, qr/42704/, 'a publication that was dropped meanwhile does not exist');
$before->quit;
$node->stop;
$standby->promote;
refused($standby, 'postgres', 'on another timeline', 'a standby that was promoted', 5);
$standby->stop;

done_testing();
