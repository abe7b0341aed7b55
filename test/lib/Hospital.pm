# TAP tests share this: servers with pprepub, sources to publish, and everything that makes up publications and releases as
# text, so that it can be compared.  Tests that use it are strict, warn, and have PostgreSQL's own modules.
package Hospital;

use strict;
use warnings;
use parent 'Exporter';
use File::Basename;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_server make_patients declare_patients new_shards declare_sharded sharded_declaration as_role everything
	same_everything whole_release restored
	no_release whole_or_no_release make_attacker remember no_faults
	comes_back fails_like fails_with start_sql finish_sql);

sub import
{
	my $test = caller;

	strict->import;
	warnings->import;
	eval "package $test; use PostgreSQL::Test::Cluster; use PostgreSQL::Test::Utils; use Test::More; 1" or die $@;
	__PACKAGE__->export_to_level(1, @_);
	return;
}

# A server as people have it: Cluster.pm would log every statement, and go down with a
# backend that dies.
sub new_server
{
	my ($name, %init) = @_;
	my $conf = delete $init{conf} // '';
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(extra => [ '-E', 'UTF8', '--no-locale' ], %init);
	$node->append_conf('postgresql.conf', <<"CONF");
log_statement = none
restart_after_crash = on
shared_buffers = 64MB
max_wal_size = 2GB
wal_keep_size = 1GB
autovacuum = off
jit = off
$conf
CONF
	$node->start;
	return $node;
}

# Dumps a database, "postgres" unless another is named, in a format, 'plain' or 'custom', and restores it as another, whose name is returned.
sub restored
{
	my ($node, $format, $from) = @_;
	$from //= 'postgres';
	my $file = $node->backup_dir . ".$from.$format";
	my $database = "restored_${from}_$format";

	$node->command_ok([ 'pg_dump', '-d', $node->connstr($from), '-F', $format, '-f', $file ], "dump $from, $format");
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->command_ok($format eq 'plain'
		? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', $file ]
		: [ 'pg_restore', '-e', '-j', '3', '-d', $node->connstr($database), $file ], "restore $from, $format");
	return $database;
}

# hospital.patients, which belongs to its owner and has that many rows.
sub make_patients
{
	my ($node, $database, $rows) = @_;

	$node->safe_psql($database, 'CREATE EXTENSION pprepub');
	$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN')
		if $node->safe_psql('postgres', q{SELECT to_regrole('owner') IS NULL}) eq 't';
	$node->safe_psql($database, <<SQL);
GRANT CREATE ON DATABASE "$database" TO owner;
CREATE SCHEMA hospital AUTHORIZATION owner;
SET ROLE owner;
CREATE TABLE hospital.patients (id int PRIMARY KEY, age int, zip text, sex text, disease text);
INSERT INTO hospital.patients
SELECT i, 18 + (h & 63), 10000 + (h >> 8 & 31) * 100 + (h >> 16 & 15), ('{F,M}'::text[])[1 + (h >> 24 & 1)],
	'disease ' || (h >> 28 & 7)
FROM (SELECT i, hashint8extended(i, 7) AS h FROM generate_series(1, $rows) i) drawn;
SQL
	return;
}

sub declare_patients
{
	my ($node, $database, $name, $source, $beside) = @_;

	$beside //= '';
	$node->safe_psql($database, <<SQL);
SET ROLE owner;
SELECT pprepub.create_publication('$name', '$source', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'bpg', '{"k": 5, "l": 3}', beside => '{$beside}');
SQL
	return;
}

# A coordinator and that many shards, servers shard0, shard1, ...: each has those of the rows (2000 unless it is said) of hospital.patients
# whose id is its number, modulo their count.  Roles owner and analyst have passwords, which shards ask for; owner has user mappings.
# More SQL may be run on each server, once the extension is there.
sub new_shards
{
	my ($count, %with) = @_;
	my $rows = $with{rows} // 2000;
	my ($node, @shards) = map { new_server($_, conf => 'max_prepared_transactions = 10') } 'coordinator', map { "shard$_" } 0 .. $count - 1;

	foreach my $server ($node, @shards)
	{
		$server->safe_psql('postgres', q{CREATE ROLE owner LOGIN PASSWORD 'secret'; CREATE ROLE analyst LOGIN PASSWORD 'looks'; GRANT CREATE ON DATABASE postgres TO owner});
	}
	$node->safe_psql('postgres', 'CREATE EXTENSION pprepub; CREATE EXTENSION dblink; CREATE EXTENSION postgres_fdw;' . ($with{sql} // ''));
	foreach my $i (0 .. $#shards)
	{
		my $hba = $shards[$i]->data_dir . '/pg_hba.conf';
		my $lines = slurp_file($hba);

		make_patients($shards[$i], 'postgres', $rows);
		$shards[$i]->safe_psql('postgres', ($with{sql} // '') . "; DELETE FROM hospital.patients WHERE id % $count <> $i");
		unlink $hba;
		append_to_file($hba, "local all owner,analyst scram-sha-256\n$lines");
		$shards[$i]->reload;
		$node->safe_psql('postgres', sprintf q{CREATE SERVER shard%1$d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%2$s', port '%3$d', dbname 'postgres');
			GRANT USAGE ON FOREIGN SERVER shard%1$d TO owner;
			CREATE USER MAPPING FOR owner SERVER shard%1$d OPTIONS (user 'owner', password 'secret')}, $i, $shards[$i]->host, $shards[$i]->port);
	}
	return ($node, @shards);
}

# As declare_patients(), over that many shards.  Arguments may follow.
sub declare_sharded
{
	my ($node, $count, $name, $arguments) = @_;

	return as_role($node, 'owner', sharded_declaration($count, $name, $arguments));
}

sub sharded_declaration
{
	my ($count, $name, $arguments) = @_;
	my $servers = join ',', map { "shard$_" } 0 .. $count - 1;

	$arguments = defined $arguments ? ", $arguments" : '';
	return <<SQL;
SELECT pprepub.create_sharded_publication('$name', '{$servers}', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'id % $count', params => '{"k": 5, "l": 3}'$arguments)
SQL
}

# What a role is answered in a session of its own.
sub as_role
{
	my ($node, $role, $sql, %options) = @_;

	return $node->safe_psql($options{database} // 'postgres', $sql, extra_params => [ '-U', $role ]);
}

# All that is declared, published, remembered and granted, as text; rows in an order that depends on nothing but the rows.
sub everything
{
	my ($node, $database) = @_;
	my @tables = split /\n/, $node->safe_psql($database, <<'SQL');
SELECT c.oid::regclass FROM pg_class c
WHERE relkind IN ('r', 'v', 'm', 'p') AND c.oid NOT IN ('pprepub.storage'::regclass, 'pprepub.health'::regclass, 'pprepub_internal.health'::regclass) AND (relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace)
	OR oid IN (SELECT relation FROM pprepub_internal.catalog_relation) OR oid IN (SELECT source FROM pprepub_internal.catalog_source))
ORDER BY c.oid::regclass::text COLLATE "C"
SQL

	return $node->safe_psql($database, join '', (map { qq{SELECT \$t\$TABLE $_\$t\$;\nSELECT t::text FROM $_ t ORDER BY t::text COLLATE "C";\n} } @tables), <<'SQL');
SELECT 'members', p.name, m.* FROM pprepub_internal.catalog_publication p, pprepub.class_members(p.name) m ORDER BY 2, 3, 4, 5;
SELECT 'metrics', r.publication, r.number, m.* FROM pprepub.release r, pprepub.metrics(r.publication, r.number) m ORDER BY 2, 3, 4;
SELECT 'intact', p.name, a.measured, a.worst FROM pprepub.publication p, pprepub.audit(p.name) a WHERE check_name = 'checksums' ORDER BY 2;
SELECT 'verified', t, v.* FROM (SELECT "table" AS t FROM pprepub.storage) s, pprepub.verify_storage(t) v WHERE NOT holds;
SELECT 'sequence', last_value, is_called FROM pprepub_internal.catalog_publication_number;
SELECT 'sequence', last_value, is_called FROM pprepub_internal.catalog_tree_number;
SELECT 'relation', c.oid::regclass, relowner::regrole, relkind, relpersistence, (SELECT amname FROM pg_am a WHERE a.oid = relam),
	coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, relowner)), obj_description(c.oid, 'pg_class')
FROM pg_class c WHERE relnamespace::regnamespace::text !~ '^(pg_|information_schema)' AND relkind NOT IN ('t', 'i')
ORDER BY c.oid::regclass::text COLLATE "C";
SELECT 'schema', nspname, nspowner::regrole, coalesce(nspacl, acldefault('n', nspowner)) FROM pg_namespace
WHERE nspname !~ '^(pg_|information_schema)' ORDER BY nspname COLLATE "C";
SELECT 'column', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attcollation::regcollation
FROM pg_attribute JOIN pprepub_internal.catalog_relation ON relation = attrelid WHERE attnum > 0
ORDER BY attrelid::regclass::text COLLATE "C", attnum;
SELECT 'trigger', tgrelid::regclass, tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
ORDER BY tgrelid::regclass::text COLLATE "C", tgname;
SELECT 'event trigger', evtname, evtenabled, evtevent FROM pg_event_trigger ORDER BY evtname;
SELECT 'view', c.oid::regclass, pg_get_viewdef(c.oid) FROM pg_class c JOIN pprepub_internal.catalog_relation ON relation = c.oid
WHERE relkind = 'v' ORDER BY c.oid::regclass::text COLLATE "C";
SELECT 'function', p.oid::regprocedure, proowner::regrole, coalesce(proacl, acldefault('f', proowner)), prosecdef, proconfig, prosrc,
	pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), obj_description(p.oid, 'pg_proc') FROM pg_proc p
WHERE pronamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace) OR (pronamespace::regnamespace::text, proname) IN (SELECT quote_ident(target), name FROM pprepub_internal.catalog_publication)
ORDER BY p.oid::regprocedure::text;
SQL
}

# Says which lines differ, the first of them.
sub same_everything
{
	my ($got, $expected, $what) = @_;
	my (%got, %expected);

	$got{$_}++ foreach split /\n/, $got;
	$expected{$_}++ foreach split /\n/, $expected;
	my @missing = grep { !$got{$_} } sort keys %expected;
	my @extra = grep { !$expected{$_} } sort keys %got;
	ok($got eq $expected, $what)
		or diag(scalar(@missing) . " lines missing, as\n", map({ "- $_\n" } splice(@missing, 0, 20)),
			scalar(@extra) . " lines not expected, as\n", map({ "+ $_\n" } splice(@extra, 0, 20)));
	return;
}

# Release 1 of a publication is there in full: its row, its rows, its people, its fences.
sub whole_release
{
	my ($node, $database, $name, $what) = @_;

	is( $node->safe_psql($database, <<SQL), 't|t|t|t|t|t|2|2|t', $what);
SELECT (SELECT holds FROM pprepub.audit('$name') WHERE check_name = 'checksums'), rows = (SELECT count(*) FROM published."${name}_1"),
	rows = (SELECT count(*) FROM pprepub.class_members('$name')),
	classes = (SELECT count(DISTINCT class) FROM published."$name"),
	(SELECT count(*) > 5 FROM pprepub.metrics('$name', 1)),
	NOT EXISTS (SELECT class, disease FROM published."${name}_1" EXCEPT ALL
		SELECT class, unnest(sensitive) FROM published_private."${name}_members"),
	(SELECT count(*) FROM pg_trigger WHERE tgenabled = 'A' AND tgrelid IN
		('published."${name}_1"'::regclass, 'published_private."${name}_members"'::regclass)),
	(SELECT count(DISTINCT t) FROM unnest(ARRAY['published."${name}_1"'::regclass, 'published_private."${name}_members"'::regclass]) t, pprepub.verify_storage(t)),
	(SELECT bool_and(holds) FROM unnest(ARRAY['published."${name}_1"'::regclass, 'published_private."${name}_members"'::regclass]) t, pprepub.verify_storage(t))
FROM pprepub.release WHERE publication = '$name' AND number = 1;
SQL
	return;
}

# Nothing of a release is there, not even in the catalog of PostgreSQL; only what the declaration made.
sub no_release
{
	my ($node, $database, $name, $what) = @_;
	my $declared = "part IN ('source', 'live', 'releases', 'answers_view', 'catalog')";

	is( $node->safe_psql($database, <<SQL), '0|0|0|0|0|0', $what);
SELECT releases, (SELECT count(*) FROM pprepub_internal.catalog_release r WHERE r.publication = p.publication),
	(SELECT count(*) FROM pprepub_internal.catalog_metric m WHERE m.publication = p.publication),
	(SELECT count(*) FROM pprepub.class_members('$name')),
	(SELECT count(*) FROM pprepub_internal.catalog_relation r WHERE r.publication = p.publication AND NOT $declared),
	(SELECT count(*) FROM pg_class WHERE relkind <> 't' AND starts_with(relname, '$name')
		AND oid NOT IN (SELECT relation FROM pprepub_internal.catalog_relation WHERE $declared)
		AND relnamespace::regnamespace::text IN ('published', 'published_private'))
FROM pprepub_internal.catalog_publication p WHERE name = '$name';
SQL
	return;
}

sub whole_or_no_release
{
	my ($node, $database, $name, $what) = @_;
	my $releases = $node->safe_psql($database, "SELECT releases FROM pprepub_internal.catalog_publication WHERE name = '$name'");

	return $releases eq '1' ? whole_release(@_) : no_release(@_);
}

# Somebody who has all releases, attacker.sql, and copies of the sources for him.
sub make_attacker
{
	my ($node, $database) = @_;

	$node->safe_psql($database, slurp_file(dirname(__FILE__) . '/attacker.sql'));
	return;
}

# To be called before each release, when the source is as it will be published.
sub remember
{
	my ($node, $database, $name) = @_;

	$node->safe_psql($database, "SELECT attacker.remember('$name')");
	return;
}

# All releases are whole, together with their history, and every set of people that they tell apart is allowed.
sub no_faults
{
	my ($node, $database, $name, $k, $l, $what) = @_;

	is($node->safe_psql($database, "SELECT attacker.faults('$name', $k, $l)"), '', $what);
	return;
}

# Waits until a server that goes down with a backend takes connections again: a psql that it turns away may end before it
# has read its query, which poll_query_until() does not bear.
sub comes_back
{
	my ($node) = @_;

	foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if run_log([ 'pg_isready', '-q', '-h', $node->host, '-p', $node->port ]);
		select undef, undef, undef, 0.1;
	}
	die 'the server does not come back';
}

# A command of psql is refused with these words; each runs in a session of its own.
sub fails_like
{
	my ($node, $database, $sql, $like, $what) = @_;
	my $error;
	my $status = $node->psql($database, $sql, stderr => \$error);

	ok($status != 0 && $error =~ $like, $what) or diag("status $status: $sql\n$error");
	return;
}

sub fails_with
{
	my ($node, $database, $state, $sql, $what) = @_;

	fails_like($node, $database, "\\set VERBOSITY sqlstate\n$sql", qr/ERROR:  $state/, $what);
	return;
}

# A session in the background that runs these commands, one after the other.
sub start_sql
{
	my ($node, $database, @commands) = @_;
	my %session = (out => '', error => '');

	$session{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), map { ('-c', $_) } @commands ],
		'<', \undef, '>', \$session{out}, '2>', \$session{error},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%session;
}

# Its exit status.
sub finish_sql
{
	my ($session) = @_;

	IPC::Run::finish($session->{run});
	return $session->{run}->result(0);
}

1;
