# Databases that 1.0.0 and each later version made: they are upgraded to the version at hand, are as a fresh install is, and go on.
# "test/run fixture" makes a fixture.
use File::Basename;
use File::Copy;
use Hospital;
use Weeks;

my $fresh = new_server('fresh');
$fresh->safe_psql('postgres', 'CREATE EXTENSION pprepub');
my $expected = installed($fresh, 'postgres');

# The comparison sees what an upgrade script may forget.
foreach my $forgotten ("COMMENT ON FUNCTION pprepub.publish(text, text, name[]) IS 'other words'", 'GRANT INSERT ON pprepub.release TO PUBLIC',
	'ALTER TABLE pprepub_internal.catalog_release ALTER seconds DROP NOT NULL', 'DROP INDEX pprepub_internal.catalog_release_time',
	'ALTER FUNCTION pprepub.audit(text, jsonb) STABLE', 'ALTER VIEW pprepub.health RESET (security_barrier)', 'ALTER EXTENSION pprepub DROP FUNCTION pprepub.width(anyrange)',
	"UPDATE pg_extension SET extcondition[1] = 'WHERE false' WHERE extname = 'pprepub'", 'ALTER EVENT TRIGGER pprepub_protect_drops ENABLE REPLICA')
{
	$fresh->safe_psql('postgres', 'CREATE DATABASE hurt TEMPLATE postgres');
	$fresh->safe_psql('hurt', "SET session_replication_role = replica; $forgotten");
	isnt(installed($fresh, 'hurt'), $expected, "it would be noticed: $forgotten");
	$fresh->safe_psql('postgres', 'DROP DATABASE hurt');
}

sub as_fresh
{
	my ($node, $database, $what) = @_;

	$node->safe_psql($database, 'ALTER EXTENSION pprepub UPDATE');
	same_everything(installed($node, $database), $expected, "$what: the extension is as a fresh install makes it");
	is($node->safe_psql($database, q{SELECT (SELECT bool_and(holds) FROM pprepub.publication p, pprepub.audit(p.name) WHERE check_name = 'checksums'), count(*) > 10 FROM pprepub.release}), 't|t', "$what: releases are intact");
	is($node->safe_psql($database, q{SELECT count(*) FROM pprepub.publication p, pprepub.class_members(p.name)}) > 1000, 1, "$what: the history is there");
	goes_on($node, $what);
	return;
}

# A data directory is of one version of PostgreSQL, and of one byte order.
sub opens
{
	my ($file, $what) = @_;
	my $node = PostgreSQL::Test::Cluster->new(basename($file) =~ s/\W/_/gr);
	my $conf = slurp_file($fresh->data_dir . '/postgresql.conf') =~ s/^port = .*|^unix_socket_directories = .*//mgr;

	mkdir $node->data_dir;
	chmod 0700, $node->data_dir;
	$node->command_ok([ 'tar', '-C', $node->data_dir, '-xJf', $file ], "$what is unpacked");
	copy($fresh->data_dir . '/pg_hba.conf', $node->data_dir);
	append_to_file($node->data_dir . '/postgresql.conf', $conf . "\nport = " . $node->port . "\nunix_socket_directories = '" . $node->host . "'\n");
	$node->start;
	as_fresh($node, 'postgres', $what);
	$node->stop;
	return;
}

my @dumps = sort glob dirname($0) . '/../fixture/*.sql';
ok(@dumps > 0, 'there are fixtures');
foreach my $dump (@dumps)
{
	my $version = basename($dump, '.sql');
	my $node = new_server("restored_$version" =~ s/\W/_/gr);

	$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; GRANT CREATE ON DATABASE postgres TO owner');
	$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', $dump ], "the dump of $version is restored");
	as_fresh($node, 'postgres', "dump of $version");
	$node->stop;
  SKIP:
	{
		skip "the data directory of $version is of PostgreSQL 15", 1 if $fresh->safe_psql('postgres', 'SHOW server_version_num') !~ /^15/;
		skip "the data directory of $version is of a machine of the other byte order", 1 if unpack('C', pack('S', 1)) != 1;
		opens($dump =~ s/sql$/tar.xz/r, "data directory of $version");
	}
}

# A library of another version does nothing before the extension is updated; tables are read all the same.
$fresh->safe_psql('postgres', 'CREATE DATABASE other');
make_patients($fresh, 'other', 100);
declare_patients($fresh, 'other', 'patients', 'hospital.patients');
is($fresh->safe_psql('other', q{SET ROLE owner; SELECT number FROM pprepub.publish('patients')}), '1', 'a release');
$fresh->safe_psql('other', q{UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'pprepub'});
my $other = qr/has version 0\.9 in this database, but its library has version [\d.]+\nHINT:  Run ALTER EXTENSION pprepub UPDATE/;
fails_like($fresh, 'other', "SET ROLE owner; SELECT $_", $other, "another version: $_") foreach q{pprepub.publish('patients')}, q{pprepub.audit('patients')},
	q{pprepub.drop_publication('patients')}, q{pprepub.create_publication('more', 'hospital.patients', 'id', '{"age": "range"}', 'disease', params => '{"k": 5}', beside => '{patients}')},
	q{pprepub.create_range_taxonomy('ages', 0, 100, '{10}')};
is($fresh->safe_psql('other', 'SELECT count(*) FROM published.patients'), '100', 'releases are read');
is($fresh->safe_psql('other', 'CREATE TABLE another (x int); DROP TABLE another; SELECT 1'), '1', 'and other commands run');
$fresh->safe_psql('other', q{UPDATE pg_extension SET extversion = default_version FROM pg_available_extensions WHERE extname = 'pprepub' AND name = extname});
is($fresh->safe_psql('other', q{SET ROLE owner; SELECT number FROM pprepub.publish('patients')}), '2', 'it goes on once they are of one version');

# Formats of later versions are refused.
foreach my $format ([ 'catalog_relation', 'audit', 'publish' ], [ 'catalog_release', 'audit' ])
{
	my ($table, @calls) = @$format;

	$fresh->safe_psql('other', "UPDATE pprepub_internal.$table SET format = 2");
	fails_like($fresh, 'other', "SET ROLE owner; SELECT pprepub.$_('patients')", qr/was written by a later version of pprepub\nDETAIL:  Its format is 2/, "$table: $_ refuses a later format")
	  foreach @calls;
	$fresh->safe_psql('other', "UPDATE pprepub_internal.$table SET format = 1");
}
$fresh->stop;
done_testing();
