# Publications with tables of their own, dumped and restored: updates of m-distinct, registry and list of values of global, and a
# distribution that releases are compared with come along, sealed, and releases go on with them.
use Hospital;

my $node = new_server('main');
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
SELECT (SELECT bool_and(holds) FROM pprepub.audit('linked')), (SELECT bool_and(equal) FROM pprepub.rebuild_history('linked')),
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
		then => q{SELECT count(DISTINCT release), string_agg(sensitive, ' ') FILTER (WHERE release = 2) FROM published_private.compared_reference}, is => '2|new' });

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
	like($before, qr/\|owner\|pprepub_seal\|A$/m, "$name: tables are noted and sealed");
	foreach my $format ('plain', 'custom')
	{
		my $database = restored($node, $format, $name);

		is($node->safe_psql($database, $same), $before, "$name, $format: all is there");
		fails_like($node, $database, "SELECT pprepub.publish('$name')", qr/history/, "$name, $format: nothing is published before the history is acknowledged");
		fails_like($node, $database, "DELETE FROM $_", qr/cannot be changed/, "$name, $format: $_ is sealed") foreach @{ $case->{sealed} };
		$node->safe_psql($database, "SET client_min_messages = error; SELECT pprepub.acknowledge_history('$name'); $case->{go_on}");
		is($node->safe_psql($database, $case->{then}), $case->{is}, "$name, $format: releases go on");
	}
}
$node->stop;

done_testing();
