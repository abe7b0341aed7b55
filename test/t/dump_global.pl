# A publication of method global, dumped and restored: its registry and its list of values come along, sealed, and so does what
# everybody was linked to, which releases go on counting.
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 900);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
SET client_min_messages = error;
CREATE TABLE hospital.registry AS SELECT id + 5000 AS id, age, zip FROM hospital.patients WHERE id % 3 = 0;
CREATE TABLE hospital.delicate AS SELECT DISTINCT disease FROM hospital.patients ORDER BY 1 LIMIT 4;
SELECT pprepub.create_publication('linked', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 3, "registry": "hospital.registry", "transient": "hospital.delicate"}');
SELECT pprepub.publish('linked');
DELETE FROM hospital.patients WHERE id % 7 = 0;
SELECT pprepub.publish('linked');
SQL

sub same
{
	my ($database) = @_;

	return $node->safe_psql($database, <<'SQL');
SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM published_private.linked_registry r;
SELECT * FROM published_private.linked_transient ORDER BY 1;
SELECT check_name, required, measured, holds FROM pprepub.audit('linked') ORDER BY 1;
SELECT count(*), md5(string_agg(s::text, ',' ORDER BY s::text)) FROM pprepub.linked_values('linked') s;
SELECT count(*), round(sum(probability)::numeric, 6), max(probability) <= 0.5 FROM pprepub.breach_probability('linked');
SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE tgrelid IN ('published_private.linked_registry'::regclass, 'published_private.linked_transient'::regclass) ORDER BY 1, 2;
SELECT part, relation::regclass FROM pprepub_internal.catalog_relation WHERE part ~ 'table' ORDER BY 1;
SQL
}

my $before = same('postgres');
like($before, qr/^global\|.*\|t$/m, 'all is well before');
unlike($before, qr/\|f$/m, 'in all respects');
foreach my $format ('plain', 'custom')
{
	my $database = restored($node, $format);

	is(same($database), $before, "$format: all is there");
	fails_like($node, $database, q{SELECT pprepub.publish('linked')}, qr/history/, "$format: nothing is published before the history is acknowledged");
	fails_like($node, $database, q{DELETE FROM published_private.linked_registry}, qr/cannot be changed/, "$format: the registry is sealed");
	fails_like($node, $database, q{TRUNCATE published_private.linked_transient}, qr/cannot be changed/, "$format: the list of values is sealed");
	$node->safe_psql($database, <<'SQL');
SET client_min_messages = error;
SELECT pprepub.acknowledge_history('linked');
SELECT pprepub.publish('linked') FROM generate_series(1, 2);
SQL
	is($node->safe_psql($database, <<'SQL'), 't|t|t', "$format: releases count what there was before the dump");
SELECT (SELECT bool_and(holds) FROM pprepub.audit('linked')), (SELECT bool_and(equal) FROM pprepub.rebuild_history('linked')),
	(SELECT max(releases) >= 3 FROM pprepub.breach_probability('linked'));
SQL
}
$node->stop;

done_testing();
