# A release that follows others is there in full or not at all, whenever its backend or the whole server is killed;
# what is there then is safe together, and so is what follows.
use Hospital;
use Crash;
use Seed;

draw_seed();
my $node = new_server('main');
$node->append_conf('postgresql.conf', "max_prepared_transactions = 2\nlog_min_messages = log");
$node->restart;
make_patients($node, 'postgres', 800);
make_attacker($node, 'postgres');

# Some leave, some come or come back, values change, as of this step.
sub change
{
	my ($step) = @_;

	$node->safe_psql('postgres', <<SQL);
DELETE FROM hospital.patients WHERE hashint8extended(id, $step) & 31 = 0;
INSERT INTO hospital.patients SELECT i, 18 + (h & 63), 10000 + (h >> 8 & 31) * 100, ('{F,M}'::text[])[1 + (h >> 24 & 1)], 'disease ' || (h >> 28 & 7)
FROM (SELECT i, hashint8extended(i, $step) AS h FROM generate_series(1, 800 + 40 * $step) i) drawn WHERE h & 15 = 0
ON CONFLICT DO NOTHING;
UPDATE hospital.patients SET disease = 'disease ' || (hashint8extended(id, $step) >> 8 & 7) WHERE hashint8extended(id, $step) & 15 = 1;
UPDATE hospital.patients SET age = 18 + (hashint8extended(id, $step) >> 8 & 63) WHERE hashint8extended(id, $step) & 15 = 2;
SQL
	return;
}

# Nothing stands in the two schemas that is not of a release, and no other schema has come.
my $schemas;
sub nothing_left
{
	my ($name, $what) = @_;

	is(tables_of_nothing($node, 'postgres'), '', "$what: no table");
	is( $node->safe_psql('postgres', <<SQL), $schemas, $what);
SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname !~ '^pg_';
SELECT 'not a release', oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace = 'published'::regnamespace
	AND oid NOT IN (SELECT relation FROM pprepub_internal.catalog_release)
	AND relname NOT IN (SELECT name || '_releases' FROM pprepub_internal.catalog_publication);
SELECT 'of no release', release FROM pprepub_internal.catalog_metric m WHERE NOT EXISTS
	(SELECT FROM pprepub_internal.catalog_release r WHERE r.publication = m.publication AND r.number = m.release) GROUP BY release;
SELECT 'not listed, or listed wrongly', release, number FROM published.${name}_releases l
	FULL JOIN (SELECT number FROM pprepub_internal.catalog_release r JOIN pprepub_internal.catalog_publication USING (publication) WHERE name = '$name') r
	ON l.release = r.number WHERE release IS NULL OR number IS NULL;
SELECT 'locked', pid FROM pg_locks WHERE locktype = 'object' AND classid = 'pprepub_internal.catalog_publication'::regclass;
SQL
	return;
}

foreach my $life ([ 'dirty', 1 ], [ 'counterfeit', 2 ])
{
	my ($repair, $reserve) = @$life;
	my $name = "of_$repair";

	$node->safe_psql('postgres', <<SQL);
SET ROLE owner;
SELECT pprepub.create_publication('$name', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg',
	'{"k": 4, "l": 3, "repair": "$repair", "reserve": $reserve}', beside => ARRAY(SELECT name FROM pprepub.publication)::name[]);
SQL
	$schemas = $node->safe_psql('postgres', q{SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname !~ '^pg_'});
	remember($node, 'postgres', $name);
	my $needed = $node->safe_psql('postgres', "SET client_min_messages = error; SELECT seconds FROM pprepub.publish('$name')");
	my $there = 1;
	my %counts = (there => 0, nothing => 0);

	foreach my $step (1 .. 8)
	{
		my $what = "$repair, step $step";

		change($step);
		remember($node, 'postgres', $name);
		# The last two are not left to chance.
		my $stopped = $step > 6;
		kill_amid_publish($node, $name, seconds => $needed, stopped => $stopped, server => $step % 4 == 0);

		my $now = releases($node, $name);
		$counts{$now > $there ? 'there' : 'nothing'}++;
		ok($now == $there || !$stopped && $now == $there + 1, "$what: the release is there, or it is not");
		is( $node->safe_psql('postgres', "SELECT count(*), max(number) FROM pprepub.release WHERE publication = '$name'"),
			"$now|$now", "$what: no number is missing");
		$there = $now;
		# All of what there is, and nothing more; it is safe to be seen, to the last atom.
		no_faults($node, 'postgres', $name, 4, 3, "$what: what is there is whole and safe");
		nothing_left($name, "$what: nothing else is there");

		# Life goes on, not after each, so that a kill meets what another left.
		if ($step % 3 == 0)
		{
			remember($node, 'postgres', $name);
			is( $node->safe_psql('postgres', "SET client_min_messages = error; SELECT number FROM pprepub.publish('$name')"), ++$there,
				"$what: the next release");
			no_faults($node, 'postgres', $name, 4, 3, "$what: the next release is safe");
		}
	}
	note("$repair: a publish needs $needed s; $counts{there} of 8 were there, $counts{nothing} not");
}

# A prepared transaction outlives the server, and is all or nothing when it ends.
my $there = releases($node, 'of_counterfeit');
change(20);
remember($node, 'postgres', 'of_counterfeit');
foreach my $end ('ROLLBACK', 'COMMIT')
{
	$node->safe_psql('postgres', "SET client_min_messages = error; BEGIN; SELECT pprepub.publish('of_counterfeit'); PREPARE TRANSACTION 'publish'");
	kill_server($node);
	is(releases($node, 'of_counterfeit'), $there, "$end PREPARED: not there before");
	fails_like($node, 'postgres', q{SET lock_timeout = 100; SELECT pprepub.publish('of_counterfeit')}, qr/lock timeout/, "$end PREPARED: nobody gets between");
	$node->safe_psql('postgres', "$end PREPARED 'publish'");
	is(releases($node, 'of_counterfeit'), $there + ($end eq 'COMMIT'), "$end PREPARED: the release");
	no_faults($node, 'postgres', 'of_counterfeit', 4, 3, "$end PREPARED: what is there is whole and safe");
	nothing_left('of_counterfeit', "$end PREPARED: nothing else is there");
}
change(21);
remember($node, 'postgres', 'of_counterfeit');
$node->safe_psql('postgres', q{SET client_min_messages = error; SELECT pprepub.publish('of_counterfeit')});
no_faults($node, 'postgres', 'of_counterfeit', 4, 3, 'and so is what follows');
$node->stop;

done_testing();
