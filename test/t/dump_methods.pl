# Publications with tables of their own, dumped and restored: updates of m-distinct, registry and list of values of global, and a
# distribution that releases are compared with come along, sealed, and releases go on with them.  So do the type of several sensitive
# columns' tuple and the view that computes it, which follow a source to its new owner.
use Hospital;

my $node = new_server('main');
$node->safe_psql('postgres', 'CREATE ROLE heir; CREATE ROLE reader_of_audits');
my @cases = (
	{
		name => 'followed', rows => 600, sealed => [ 'published_private.followed_updates' ], well => qr/^re-publication risk\|.*\|t$/m,
		declare => <<'SQL',
CREATE TABLE hospital.progress AS SELECT 'disease ' || a AS from_value, 'disease ' || b AS to_value
FROM generate_series(0, 7) a, generate_series(0, 7) b WHERE a / 2 = b / 2 AND a <> b;
SELECT pprepub.create_publication('followed', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'm-distinct',
	'{"m": 3, "updates": "hospital.progress"}');
SELECT pprepub.publish('followed');
DELETE FROM hospital.patients WHERE id % 7 = 0;
UPDATE hospital.patients SET disease = 'disease ' || (substr(disease, 9)::int / 2 * 2 + id % 2) WHERE id % 3 = 0;
SELECT pprepub.publish('followed');
SQL
		same => <<'SQL',
SELECT * FROM published_private.followed_updates ORDER BY 1, 2;
SELECT * FROM pprepub.risk_after_updates('followed') ORDER BY 1, 2;
SQL
		go_on => <<'SQL',
UPDATE hospital.patients SET disease = 'disease ' || (substr(disease, 9)::int / 2 * 2 + id % 2) WHERE id % 5 = 0;
SELECT pprepub.publish('followed');
SELECT pprepub.alter_publication('followed', '{}');
DELETE FROM hospital.patients WHERE id % 11 = 0;
SELECT pprepub.publish('followed');
SQL
		then => q{SELECT check_name FROM pprepub.audit('followed') WHERE NOT holds}, is => '' },
	{
		name => 'linked', rows => 900, sealed => [ 'published_private.linked_registry', 'published_private.linked_transient' ], well => qr/^global\|.*\|t$/m,
		declare => <<'SQL',
CREATE TABLE hospital.registry AS SELECT id + 5000 AS id, age, zip FROM hospital.patients WHERE id % 3 = 0;
CREATE TABLE hospital.delicate AS SELECT DISTINCT disease FROM hospital.patients ORDER BY 1 LIMIT 4;
SELECT pprepub.create_publication('linked', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 3, "registry": "hospital.registry", "transient": "hospital.delicate"}');
SELECT pprepub.publish('linked');
DELETE FROM hospital.patients WHERE id % 7 = 0;
SELECT pprepub.publish('linked');
SQL
		same => <<'SQL',
SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r::text)) FROM published_private.linked_registry r;
SELECT * FROM published_private.linked_transient ORDER BY 1;
SELECT count(*), md5(string_agg(s::text, ',' ORDER BY s::text)) FROM pprepub.linked_values('linked') s;
SELECT count(*), round(sum(probability)::numeric, 6), max(probability) <= 0.5 FROM pprepub.breach_probability('linked');
SQL
		go_on => q{SELECT pprepub.publish('linked') FROM generate_series(1, 2)},
		then => <<'SQL', is => 't|t|t' },
SELECT (SELECT bool_and(holds) FROM pprepub.audit('linked')), (SELECT count(*) = 0 FROM pprepub.rebuild_history('linked') WHERE NOT equal),
	(SELECT max(releases) >= 3 FROM pprepub.breach_probability('linked'));
SQL
	{
		name => 'compared', rows => 600, sealed => [ 'published_private.compared_reference', 'elsewhere_private.public_distribution' ],
		well => qr/^delta\|.*\|t$/m,
		declare => <<'SQL',
CREATE TABLE hospital.census AS SELECT 'disease ' || i AS disease, 0.1 AS share FROM generate_series(0, 9) i;
SELECT pprepub.create_publication('compared', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg', '{"k": 5, "delta": 1000}');
SELECT pprepub.publish('compared');
SELECT pprepub.create_publication('public', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg',
	'{"k": 5, "delta": 1000, "distribution": "hospital.census"}', target => 'elsewhere', beside => '{compared}');
SELECT pprepub.publish('public');
SQL
		same => <<'SQL',
SELECT sensitive, people, release FROM published_private.compared_reference WHERE release = 1 ORDER BY 1;
SELECT * FROM elsewhere_private.public_distribution ORDER BY 1;
SQL
		go_on => <<'SQL',
INSERT INTO hospital.patients (id, age, zip, disease) SELECT id + 100000, age, zip, 'new' FROM hospital.patients;
SELECT pprepub.publish('compared');
SQL
		# One value is added, and nothing else.
		then => q{SELECT count(DISTINCT release), string_agg(sensitive, ' ') FILTER (WHERE release = 2) FROM published_private.compared_reference}, is => '2|new' },
	{
		name => 'paired', rows => 600, sealed => [], well => qr/^sensitive_tuple\|owner$/m,
		declare => <<'SQL',
ALTER TABLE hospital.patients ADD income numeric, ADD ward text;
UPDATE hospital.patients SET income = CASE WHEN id % 7 > 0 THEN id * 131 % 5000 END, ward = 'ward ' || id % 3;
SELECT pprepub.create_range_taxonomy('incomes', 0, 5000, '{1000, 5000}');
CREATE TABLE hospital.organs AS SELECT DISTINCT disease, 'organ ' || length(disease) + ascii(right(disease, 1)) % 3 AS organ, 'any' AS root FROM hospital.patients;
SELECT pprepub.create_taxonomy('organs', 'hospital.organs');
SELECT pprepub.create_publication('paired', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', '{disease, income}', 'bpg',
	'{"k": 5, "l": 2, "bands": {"income": "taxonomy incomes", "disease": "taxonomy organs 1"}}', lookup => '{hospital.organs}');
SELECT pprepub.publish('paired');
ALTER TABLE hospital.patients RENAME income TO earnings;
DELETE FROM hospital.patients WHERE id % 7 = 0;
UPDATE hospital.patients SET disease = 'disease 0' WHERE id % 31 = 0;
SELECT pprepub.publish('paired', columns => '{age, income}');
SELECT count(*) FROM published.paired('age > 30');
SELECT pprepub.grant_audit('paired', 'reader_of_audits');
SQL
		same => <<'SQL',
SELECT sensitive, params -> 'bands', lookup FROM pprepub.publication;
SELECT * FROM pprepub_internal.catalog_column ORDER BY position;
SELECT pg_get_viewdef('published_private.paired_source'::regclass);
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'published_private.paired_sensitive'::regclass ORDER BY attnum;
SELECT part, relowner::regrole FROM pprepub_internal.catalog_relation, pg_class WHERE relation = 'published_private.paired_sensitive'::regclass AND oid = relation;
SELECT typacl FROM pg_type WHERE oid = 'published_private.paired_sensitive'::regtype;
SELECT role FROM pprepub.auditor;
SET ROLE reader_of_audits;
SELECT count(*) > 5 FROM pprepub.audit('paired');
SELECT length(pprepub.report('paired')) > 10000;
RESET ROLE;
SELECT md5(string_agg(release || ' ' || class || ' ' || sensitive::text, E'\n' ORDER BY release, class)) FROM published_private.paired_members;
SQL
		refused => [ q{ALTER TYPE published_private.paired_sensitive ADD ATTRIBUTE x int}, q{DROP TYPE published_private.paired_sensitive CASCADE} ],
		go_on => <<'SQL',
DELETE FROM hospital.patients WHERE id % 11 = 0;
SELECT pprepub.publish('paired');
SELECT pprepub.alter_publication('paired', '{"leaves": "ward"}');
SELECT pprepub.publish('paired');
SQL
		then => q{SELECT (SELECT bool_and(holds) FROM pprepub.audit('paired')), equal FROM pprepub.rebuild_history('paired')}, is => 't|t' });

foreach my $case (@cases)
{
	my $name = $case->{name};
	my $as_owner = 'SET client_min_messages = error; SET ROLE owner;';
	my $same = join '', $case->{same}, "SELECT check_name, required, measured, holds FROM pprepub.audit('$name') ORDER BY 1;\n", map { <<SQL } @{ $case->{sealed} };
SELECT part, relowner::regrole, tgname, tgenabled FROM pprepub_internal.catalog_relation, pg_class, pg_trigger
WHERE relation = '$_'::regclass AND pg_class.oid = relation AND tgrelid = relation ORDER BY 1, 3;
SQL

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	make_patients($node, $name, $case->{rows});
	$node->safe_psql($name, "$as_owner $case->{declare}");
	my $before = $node->safe_psql($name, $same);
	like($before, $case->{well}, "$name: all is well before");
	unlike($before, qr/\|f$/m, "$name: in all respects");
	like($before, qr/\|owner\|pprepub_seal\|A$/m, "$name: tables are noted and sealed") if @{ $case->{sealed} };
	foreach my $format ('plain', 'custom')
	{
		my $database = restored($node, $format, $name);

		is($node->safe_psql($database, $same), $before, "$name, $format: all is there");
		fails_like($node, $database, "SELECT pprepub.publish('$name')", qr/history/, "$name, $format: nothing is published before the history is acknowledged");
		fails_like($node, $database, "DELETE FROM $_", qr/cannot be changed/, "$name, $format: $_ is sealed") foreach @{ $case->{sealed} };
		fails_like($node, $database, $_, qr/made for publication "$name"/, "$name, $format: refused: $_") foreach @{ $case->{refused} // [] };
		$node->safe_psql($database, "SET client_min_messages = error; SELECT pprepub.acknowledge_history('$name'); $case->{go_on}");
		is($node->safe_psql($database, $case->{then}), $case->{is}, "$name, $format: releases go on");
	}
}

# A new owner
$node->safe_psql('paired', <<'SQL');
GRANT USAGE ON SCHEMA hospital TO heir;
ALTER TABLE hospital.patients OWNER TO heir;
ALTER SCHEMA published OWNER TO heir;
ALTER SCHEMA published_private OWNER TO heir;
SET ROLE heir;
SELECT pprepub.alter_publication('paired', '{}');
SELECT pprepub.publish('paired');
SQL
is($node->safe_psql('paired', q{SELECT check_name FROM pprepub.audit('paired') WHERE NOT holds}), '', 'a new owner goes on');
is($node->safe_psql('paired', q{SELECT typowner::regrole, typacl FROM pg_type WHERE oid = 'published_private.paired_sensitive'::regtype}),
	'heir|{heir=U/heir}', 'and owns the type alone');
$node->safe_psql('paired', q{SET ROLE heir; SELECT pprepub.drop_publication('paired', true)});
is($node->safe_psql('paired', q{SELECT count(*) FROM pg_class WHERE relname ~ '^_?paired'}), '0', 'nothing is left of what was dropped');
$node->safe_psql('paired', q{DROP EXTENSION pprepub});
$node->stop;

done_testing();
