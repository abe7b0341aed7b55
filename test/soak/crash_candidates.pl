# Releases of m-invariance and cor-split are there in full or not at all, whenever their backend or the whole server is
# killed; everybody stays among the same values, and what is kept beside the log is what it tells.
use Hospital;
use Crash;
use Seed;

draw_seed();
my $node = new_server('main');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE owner;
GRANT CREATE ON DATABASE postgres TO owner;
CREATE EXTENSION IF NOT EXISTS pprepub;
SET ROLE owner;
CREATE SCHEMA ward;
CREATE TABLE ward.people AS SELECT i AS id, 18 + i * 7 % 60 AS age, 'disease ' || i % 12 AS disease FROM generate_series(1, 3000) i;
SQL

# Some leave, some come or come back, with what they had.
sub change
{
	my ($step) = @_;

	$node->safe_psql('postgres', <<SQL);
DELETE FROM ward.people WHERE hashint8extended(id, $step) & 7 = 0;
INSERT INTO ward.people SELECT i, 18 + i * 7 % 60, 'disease ' || i % 12 FROM generate_series(1, 3000 + 300 * $step) i
WHERE hashint8extended(i, $step) & 15 = 1 AND i NOT IN (SELECT id FROM ward.people);
SQL
	return;
}

sub faultless
{
	my ($name, $what, $database) = @_;
	$database //= 'postgres';

	is( $node->safe_psql($database, "SELECT check_name, measured, worst FROM pprepub.audit('$name') WHERE NOT holds"), '', "$what: audit()");
	is( $node->safe_psql($database, "SELECT fold FROM pprepub.rebuild_history('$name') WHERE NOT equal"), '', "$what: paths as the log tells");
	is( $node->safe_psql($database, <<SQL), '', "$what: counterfeits are told of rightly");
SELECT number FROM pprepub.release r WHERE publication = '$name'
	AND counterfeits <> (SELECT coalesce(sum(counterfeits), 0) FROM published.${name}_counterfeits c WHERE c.release = r.number);
SQL
	is(tables_of_nothing($node, $database), '', "$what: nothing is of no release");
	return;
}

foreach my $life ([ 'invariant', 'm-invariance', '{"m": 5}' ], [ 'split', 'cor-split', '{"m": 5, "n": 3}' ])
{
	my ($name, $method, $params) = @$life;

	$node->safe_psql('postgres', <<SQL);
SET ROLE owner;
SELECT pprepub.create_publication('$name', 'ward.people', 'id', '{"age": "range"}', 'disease', '$method', '$params',
	beside => ARRAY(SELECT name FROM pprepub.publication)::name[]);
SQL
	my $needed = $node->safe_psql('postgres', "SELECT seconds FROM pprepub.publish('$name')");
	my $there = 1;

	foreach my $step (1 .. 6)
	{
		my $what = "$method, step $step";
		my $stopped = $step > 4;

		change($step);
		# The last two are not left to chance.
		kill_amid_publish($node, $name, seconds => $needed, stopped => $stopped, server => $step % 3 == 0);

		my $now = releases($node, $name);
		ok($now == $there || !$stopped && $now == $there + 1, "$what: the release is there, or it is not");
		$there = $now;
		faultless($name, $what);
		is($node->safe_psql('postgres', "SELECT number FROM pprepub.publish('$name')"), ++$there, "$what: the next release");
		faultless($name, "$what, the next release");
	}
}

# A restored dump goes on where it was.
my $dump = $node->basedir . '/dump';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, 'postgres' ], 'dumped');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', 'restored', $dump ], 'restored');
foreach my $name ('invariant', 'split')
{
	my $there = releases($node, $name);

	$node->safe_psql('restored', "SELECT pprepub.acknowledge_history('$name')");
	faultless($name, "$name, restored", 'restored');
	is($node->safe_psql('restored', "SELECT number FROM pprepub.publish('$name')"), $there + 1, "$name, restored: the next release");
	faultless($name, "$name, restored, the next release", 'restored');
	fails_like($node, 'restored', "DROP TABLE published_private.${name}_paths", qr/would change what was made for/, "$name, restored: the paths stay");
}
$node->stop;
done_testing();
