# A release of method m-distinct is there in full or not at all, whenever its backend or the whole server is killed; what is
# there then keeps every candidate possible, and so does what follows. Its table of updates survives with it.
use Hospital;
use Crash;
use Seed;

draw_seed();
my $node = new_server('main');
make_patients($node, 'postgres', 1200);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.progress AS SELECT 'disease ' || a AS from_value, 'disease ' || b AS to_value
FROM generate_series(0, 7) a, generate_series(0, 7) b WHERE a / 2 = b / 2;
SQL

# Some leave, some come or come back as they were, values change as they may.
sub change
{
	my ($step) = @_;

	$node->safe_psql('postgres', <<SQL);
CREATE TABLE IF NOT EXISTS hospital.gone AS TABLE hospital.patients WITH NO DATA;
WITH left_now AS (DELETE FROM hospital.patients WHERE hashint8extended(id, $step) & 15 = 0 RETURNING *) INSERT INTO hospital.gone TABLE left_now;
WITH back AS (DELETE FROM hospital.gone WHERE hashint8extended(id, $step) & 48 = 16 RETURNING *) INSERT INTO hospital.patients TABLE back;
INSERT INTO hospital.patients SELECT 2000 + 100 * $step + i, 18 + (h & 63), 10000 + (h >> 8 & 31) * 100, ('{F,M}'::text[])[1 + (h >> 24 & 1)], 'disease ' || (h >> 28 & 7)
FROM (SELECT i, hashint8extended(i, $step) AS h FROM generate_series(1, 80) i) drawn;
UPDATE hospital.patients SET disease = 'disease ' || (substr(disease, 9)::int / 2 * 2 + (hashint8extended(id, $step) >> 8 & 1)) WHERE hashint8extended(id, $step) & 3 = 1;
UPDATE hospital.patients SET age = 18 + (hashint8extended(id, $step) >> 8 & 63) WHERE hashint8extended(id, $step) & 15 = 2;
SQL
	return;
}

# Every check holds, and every table is that of a release.
sub is_whole
{
	my ($name, $what) = @_;

	is(tables_of_nothing($node, 'postgres'), '', "$what: no table is of nothing");
	is($node->safe_psql('postgres', <<SQL), '', $what);
SELECT check_name, required, measured, worst FROM pprepub.audit('$name') WHERE NOT holds;
SELECT 'updates', count(*) FROM published_private.${name}_updates HAVING count(*) <> 16;
SQL
	return;
}

foreach my $strict ('false', 'true')
{
	my $name = "strict_$strict";

	$node->safe_psql('postgres', <<SQL);
SET ROLE owner;
SELECT pprepub.create_publication('$name', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'm-distinct',
	'{"m": 3, "updates": "hospital.progress", "strict": $strict}', beside => ARRAY(SELECT name FROM pprepub.publication)::name[]);
SQL
	my $needed = $node->safe_psql('postgres', "SELECT seconds FROM pprepub.publish('$name')");
	my $there = 1;

	foreach my $step (1 .. 6)
	{
		my $what = "$name, step $step";
		# The last two are not left to chance.
		my $stopped = $step > 4;

		change(10 * ($strict eq 'true') + $step);
		kill_amid_publish($node, $name, seconds => $needed, stopped => $stopped, server => $step % 3 == 0);

		my $now = releases($node, $name);
		ok($now == $there || !$stopped && $now == $there + 1, "$what: the release is there, or it is not");
		$there = $now;
		is_whole($name, "$what: what is there is whole, and keeps its promise");
		is($node->safe_psql('postgres', "SELECT number FROM pprepub.publish('$name')"), ++$there, "$what: the next release");
		is_whole($name, "$what: and so is what follows");
	}
}
$node->stop;

done_testing();
