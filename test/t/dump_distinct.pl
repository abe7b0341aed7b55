# A publication of method m-distinct, dumped and restored: its table of updates comes along, sealed, and releases go on keeping
# every candidate possible.
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 600);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.progress AS SELECT 'disease ' || a AS from_value, 'disease ' || b AS to_value
FROM generate_series(0, 7) a, generate_series(0, 7) b WHERE a / 2 = b / 2 AND a <> b;
SET client_min_messages = warning;
SELECT pprepub.create_publication('followed', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'm-distinct',
	'{"m": 3, "updates": "hospital.progress"}');
SELECT pprepub.publish('followed');
DELETE FROM hospital.patients WHERE id % 7 = 0;
UPDATE hospital.patients SET disease = 'disease ' || (substr(disease, 9)::int / 2 * 2 + id % 2) WHERE id % 3 = 0;
SELECT pprepub.publish('followed');
SQL

sub same
{
	my ($database) = @_;

	return $node->safe_psql($database, <<'SQL');
SELECT * FROM published_private.followed_updates ORDER BY 1, 2;
SELECT check_name, required, measured, holds FROM pprepub.audit('followed') ORDER BY 1;
SELECT * FROM pprepub.risk_after_updates('followed') ORDER BY 1, 2;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'published_private.followed_updates'::regclass;
SELECT part FROM pprepub_internal.catalog_relation WHERE relation = 'published_private.followed_updates'::regclass;
SELECT relowner::regrole FROM pg_class WHERE oid = 'published_private.followed_updates'::regclass;
SQL
}

my $before = same('postgres');
like($before, qr/^re-publication risk\|.*\|t$/m, 'all is well before');
unlike($before, qr/\|f$/m, 'in all respects');
foreach my $format ('plain', 'custom')
{
	my $database = restored($node, $format);

	is(same($database), $before, "$format: all is there");
	fails_like($node, $database, q{SELECT pprepub.publish('followed')}, qr/history/, "$format: nothing is published before the history is acknowledged");
	fails_like($node, $database, q{DELETE FROM published_private.followed_updates}, qr/cannot be changed/, "$format: the copy is sealed");
	$node->safe_psql($database, <<'SQL');
SELECT pprepub.acknowledge_history('followed');
UPDATE hospital.patients SET disease = 'disease ' || (substr(disease, 9)::int / 2 * 2 + id % 2) WHERE id % 5 = 0;
SELECT pprepub.publish('followed');
SET client_min_messages = error;
SELECT pprepub.alter_publication('followed', '{}');
DELETE FROM hospital.patients WHERE id % 11 = 0;
SELECT pprepub.publish('followed');
SQL
	is($node->safe_psql($database, q{SELECT check_name FROM pprepub.audit('followed') WHERE NOT holds}), '', "$format: and releases go on");
}
$node->stop;

done_testing();
