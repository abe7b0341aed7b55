# A release of any method without places is there in full or not at all, whenever its backend or the whole server is killed; what
# is there then keeps its promise, what is kept beside the log is what it tells, and so does what follows, in a restored dump, too.
use Hospital;
use Crash;
use Seed;

draw_seed();
my $node = new_server('main');
make_patients($node, 'postgres', 3000);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.gone AS TABLE hospital.patients WITH NO DATA;
CREATE TABLE hospital.progress AS SELECT 'disease ' || a AS from_value, 'disease ' || b AS to_value
FROM generate_series(0, 7) a, generate_series(0, 7) b WHERE a / 2 = b / 2;
CREATE TABLE hospital.registry AS SELECT id, age, zip, sex FROM hospital.patients WHERE id % 3 = 0;
UPDATE hospital.patients SET id = id + 1000000 WHERE id % 3 = 0;
CREATE VIEW hospital.rare AS SELECT id, age, zip, 'disease ' || id % 90 AS disease FROM hospital.patients;
SQL

# Some leave, some come or come back as they were; and values change, where the method bears it.
my $step = 0;
sub change
{
	my ($values_change) = @_;

	$step++;
	$node->safe_psql('postgres', <<SQL);
WITH left_now AS (DELETE FROM hospital.patients WHERE hashint8extended(id, $step) & 15 = 0 RETURNING *) INSERT INTO hospital.gone TABLE left_now;
WITH back AS (DELETE FROM hospital.gone WHERE hashint8extended(id, $step) & 48 = 16 RETURNING *) INSERT INTO hospital.patients TABLE back;
INSERT INTO hospital.patients SELECT 4000 + 200 * $step + i, 18 + (h & 63), 10000 + (h >> 8 & 31) * 100, ('{F,M}'::text[])[1 + (h >> 24 & 1)], 'disease ' || (h >> 28 & 7)
FROM (SELECT i, hashint8extended(i, $step) AS h FROM generate_series(1, 200) i) drawn;
UPDATE hospital.patients SET disease = 'disease ' || (substr(disease, 9)::int / 2 * 2 + (hashint8extended(id, $step) >> 8 & 1))
WHERE $values_change AND hashint8extended(id, $step) & 3 = 1;
UPDATE hospital.patients SET age = 18 + (hashint8extended(id, $step) >> 8 & 63) WHERE $values_change AND hashint8extended(id, $step) & 15 = 2;
SQL
	return;
}

# Every check holds, and every table is that of a release; methods that tell of counterfeits do so rightly, and the table of updates is there.
sub is_whole
{
	my ($name, $what, $database) = @_;
	my $of_method = $name eq 'global' ? '' : "SELECT number FROM pprepub.release r WHERE publication = '$name'
		AND counterfeits <> (SELECT coalesce(sum(counterfeits), 0) FROM published.${name}_counterfeits c WHERE c.release = r.number);";

	$of_method .= "SELECT 'updates', count(*) FROM published_private.${name}_updates HAVING count(*) <> 16" if $name =~ /followed|strict/;
	$database //= 'postgres';

	is(tables_of_nothing($node, $database), '', "$what: nothing is of no release");
	is($node->safe_psql($database, <<SQL), '', "$what: what is there is whole, and keeps its promise");
SELECT check_name, required, measured, worst FROM pprepub.audit('$name') WHERE NOT holds;
SELECT fold FROM pprepub.rebuild_history('$name') WHERE NOT equal;
$of_method
SQL
	return;
}

my @lives = (
	[ 'invariant', 'm-invariance', '{"m": 3}', 'patients', 'false' ], [ 'split', 'cor-split', '{"m": 3, "n": 2}', 'patients', 'false' ],
	[ 'followed', 'm-distinct', '{"m": 3, "updates": "hospital.progress"}', 'patients', 'true' ],
	[ 'strict', 'm-distinct', '{"m": 3, "updates": "hospital.progress", "strict": true}', 'patients', 'true' ],
	[ 'global', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 20, "registry": "hospital.registry"}', 'rare', 'true' ]);

foreach my $life (@lives)
{
	my ($name, $method, $params, $source, $values_change) = @$life;

	$node->safe_psql('postgres', <<SQL);
SET ROLE owner;
SELECT pprepub.create_publication('$name', 'hospital.$source', 'id', '{"age": "range", "zip": "prefix"}', 'disease', '$method', '$params',
	beside => ARRAY(SELECT name FROM pprepub.publication)::name[]);
SQL
	my $needed = $node->safe_psql('postgres', "SELECT seconds FROM pprepub.publish('$name')");
	my $there = 1;

	foreach my $release (2 .. 7)
	{
		my $what = "$name, release $release";
		my $stopped = $release > 5;

		change($values_change);
		# The last two are not left to chance.
		kill_amid_publish($node, $name, seconds => $needed, stopped => $stopped, server => $release % 3 == 1);

		my $now = releases($node, $name);
		ok($now == $there || !$stopped && $now == $there + 1, "$what: the release is there, or it is not");
		$there = $now;
		is_whole($name, $what);
		is($node->safe_psql('postgres', "SELECT number FROM pprepub.publish('$name')"), ++$there, "$what: the next release");
		is_whole($name, "$what, the next release");
	}

	# A restored dump goes on where it was.
	my $dump = $node->basedir . '/dump';
	$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, 'postgres' ], "$name, dumped");
	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0");
	$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', $name, $dump ], "$name, restored");
	$node->safe_psql($name, "SELECT pprepub.acknowledge_history('$name')");
	is_whole($name, "$name, restored", $name);
	is($node->safe_psql($name, "SELECT number FROM pprepub.publish('$name')"), $there + 1, "$name, restored: the next release");
	is_whole($name, "$name, restored, the next release", $name);
	fails_like($node, $name, "DROP TABLE published_private.${name}_members", qr/would change what was made for/, "$name, restored: the log stays");
}
$node->stop;
done_testing();
