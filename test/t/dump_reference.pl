# A publication that is compared with a distribution, dumped and restored: the distribution comes along, sealed, releases are
# compared with it, and what they find is added.
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 600);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
SET client_min_messages = warning;
CREATE TABLE hospital.census AS SELECT 'disease ' || i AS disease, 0.1 AS share FROM generate_series(0, 9) i;
SELECT pprepub.create_publication('compared', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg', '{"k": 5, "delta": 1000}');
SELECT pprepub.publish('compared');
SELECT pprepub.create_publication('public', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg',
	'{"k": 5, "delta": 1000, "distribution": "hospital.census"}', target => 'elsewhere', beside => '{compared}');
SELECT pprepub.publish('public');
SQL

sub same
{
	my ($database) = @_;

	return $node->safe_psql($database, <<'SQL');
SELECT * FROM published_private.compared_reference ORDER BY 1;
SELECT * FROM elsewhere_private.public_distribution ORDER BY 1;
SELECT check_name, required, measured, holds FROM pprepub.audit('compared') ORDER BY 1;
SELECT relation, part, relowner::regrole, tgname, tgenabled FROM pprepub_internal.catalog_relation, pg_class, pg_trigger
WHERE pg_class.oid = relation AND tgrelid = relation AND part IN ('reference', 'table distribution') ORDER BY relation::text COLLATE "C";
SQL
}

my $before = same('postgres');
like($before, qr/compared_reference\|reference\|owner\|pprepub_seal\|A$/m, 'it is noted and sealed');
foreach my $format ('plain', 'custom')
{
	my $database = restored($node, $format);

	is(same($database), $before, "$format: all is there");
	fails_like($node, $database, q{DELETE FROM published_private.compared_reference}, qr/cannot be changed/, "$format: it is sealed");
	$node->safe_psql($database, <<'SQL');
SELECT pprepub.acknowledge_history('compared');
INSERT INTO hospital.patients (id, age, zip, disease) SELECT id + 100000, age, zip, 'new' FROM hospital.patients;
SELECT pprepub.publish('compared');
SQL
	is( $node->safe_psql($database, q{SELECT count(*), count(*) FILTER (WHERE release = 2), string_agg(sensitive, ' ') FILTER (WHERE release = 2) FROM published_private.compared_reference}),
		$node->safe_psql('postgres', q{SELECT count(*) + 1 || '|1|new' FROM published_private.compared_reference}), "$format: a value is added, and nothing else");
}
$node->stop;

done_testing();
