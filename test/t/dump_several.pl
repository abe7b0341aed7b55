# Several sensitive columns, dumped and restored: their tuple's type, the view that computes it and the history come along, protected, and
# follow a source to its new owner.
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 600);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE heir;
CREATE ROLE reader_of_audits;
GRANT USAGE ON SCHEMA hospital TO heir;
SET ROLE owner;
SET client_min_messages = warning;
ALTER TABLE hospital.patients ADD income numeric, ADD ward text;
UPDATE hospital.patients SET income = CASE WHEN id % 7 > 0 THEN id * 131 % 5000 END, ward = 'ward ' || id % 3;
SELECT pprepub.create_range_taxonomy('incomes', 0, 5000, '{1000, 5000}');
CREATE TABLE hospital.organs AS SELECT DISTINCT disease, 'organ ' || length(disease) + ascii(right(disease, 1)) % 3 AS organ, 'any' AS root FROM hospital.patients;
SELECT pprepub.create_taxonomy('organs', 'hospital.organs');
SELECT pprepub.create_publication('both', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', '{disease, income}', 'bpg',
	'{"k": 5, "l": 2, "bands": {"income": "taxonomy incomes", "disease": "taxonomy organs 1"}}', lookup => '{hospital.organs}');
SELECT pprepub.publish('both');
ALTER TABLE hospital.patients RENAME income TO earnings;
DELETE FROM hospital.patients WHERE id % 7 = 0;
UPDATE hospital.patients SET disease = 'disease 0' WHERE id % 31 = 0;
SELECT pprepub.publish('both', columns => '{age, income}');
SELECT count(*) FROM published.both('age > 30');
SELECT pprepub.grant_audit('both', 'reader_of_audits');
SQL

sub same
{
	my ($database) = @_;

	return $node->safe_psql($database, <<'SQL');
SELECT check_name, required, measured, holds FROM pprepub.audit('both') ORDER BY 1;
SELECT sensitive, params -> 'bands', lookup FROM pprepub.publication;
SELECT * FROM pprepub_internal.catalog_column ORDER BY position;
SELECT pg_get_viewdef('published_private.both_source'::regclass);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'published_private.both_sensitive'::regclass ORDER BY attnum;
SELECT part FROM pprepub_internal.catalog_relation WHERE relation = 'published_private.both_sensitive'::regclass;
SELECT relowner::regrole FROM pg_class WHERE oid = 'published_private.both_sensitive'::regclass;
SELECT typacl FROM pg_type WHERE oid = 'published_private.both_sensitive'::regtype;
SELECT role FROM pprepub.auditor;
SET ROLE reader_of_audits;
SELECT count(*) > 5 FROM pprepub.audit('both');
SELECT length(pprepub.report('both')) > 10000;
RESET ROLE;
SELECT md5(string_agg(release || ' ' || class || ' ' || sensitive::text, E'\n' ORDER BY release, class)) FROM published_private.both_members;
SQL
}

my $before = same('postgres');
like($before, qr/^sensitive_tuple$/m, 'the type is noted');
unlike($before, qr/\|f$/m, 'all is well before');
foreach my $format ('plain', 'custom')
{
	my $database = restored($node, $format);

	is(same($database), $before, "$format: all is there");
	fails_like($node, $database, q{ALTER TYPE published_private.both_sensitive ADD ATTRIBUTE x int}, qr/made for publication "both"/, "$format: the type is protected");
	fails_like($node, $database, q{DROP TYPE published_private.both_sensitive CASCADE}, qr/made for publication "both"/, "$format: and stays");
	$node->safe_psql($database, <<'SQL');
SELECT pprepub.acknowledge_history('both');
DELETE FROM hospital.patients WHERE id % 11 = 0;
SELECT pprepub.publish('both');
SELECT pprepub.alter_publication('both', '{"leaves": "ward"}');
SELECT pprepub.publish('both');
SQL
	is($node->safe_psql($database, q{SELECT check_name FROM pprepub.audit('both') WHERE NOT holds}), '', "$format: and releases go on");
	is($node->safe_psql($database, q{SELECT equal FROM pprepub.rebuild_history('both')}), 't', "$format: with the fold of the log");
}

# A new owner.
$node->safe_psql('postgres', <<'SQL');
ALTER TABLE hospital.patients OWNER TO heir;
ALTER SCHEMA published OWNER TO heir;
ALTER SCHEMA published_private OWNER TO heir;
SET ROLE heir;
SELECT pprepub.alter_publication('both', '{}');
SELECT pprepub.publish('both');
SQL
is($node->safe_psql('postgres', q{SELECT check_name FROM pprepub.audit('both') WHERE NOT holds}), '', 'a new owner goes on');
is($node->safe_psql('postgres', q{SELECT typowner::regrole, typacl FROM pg_type WHERE oid = 'published_private.both_sensitive'::regtype}),
	'heir|{heir=U/heir}', 'and owns the type alone');
$node->safe_psql('postgres', q{SET ROLE heir; SELECT pprepub.drop_publication('both', true)});
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ '^_?both'}), '0', 'nothing is left of what was dropped');
$node->safe_psql('postgres', q{DROP EXTENSION pprepub});
$node->stop;

done_testing();
