# Shared by tests of upgrades: some weeks in the life of a server, how it goes on elsewhere, and what the extension is.
package Weeks;

use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Hospital;

our @EXPORT = qw(@publications fill live goes_on installed);

our @publications = qw(patients travellers guests residents staff stays);

sub as_owner { return $_[0]->safe_psql('postgres', "SET client_min_messages = error; SET ROLE owner; $_[1]") }

# Some weeks of several methods' lives.
sub fill
{
	my ($node, $patients) = @_;

	make_patients($node, 'postgres', $patients);
	declare_patients($node, 'postgres', 'patients', 'hospital.patients');
	as_owner($node, q{
		CREATE TABLE hospital.country_levels (city text, country text, continent text);
		INSERT INTO hospital.country_levels VALUES ('Paris', 'France', 'Europe'), ('Lyon', 'France', 'Europe'), ('Bern', 'Switzerland', 'Europe');
		SELECT pprepub.create_taxonomy('world', 'hospital.country_levels');
		CREATE TABLE hospital.travellers AS SELECT i AS id, 20 + i % 50 AS age, ('{Paris,Lyon,Bern}'::text[])[1 + i % 3] AS city, 'd' || i % 7 AS disease
			FROM generate_series(1, 240) i;
		ALTER TABLE hospital.travellers ADD PRIMARY KEY (id);
		CREATE TABLE hospital.progress AS SELECT 'd' || a AS from_value, 'd' || b AS to_value FROM generate_series(0, 6) a, generate_series(0, 6) b WHERE a <> b;
		SELECT pprepub.create_publication('travellers', 'hospital.travellers', 'id', '{"age": "range", "city": "taxonomy world"}', 'disease', 'm-distinct', '{"m": 3, "updates": "hospital.progress"}');
		CREATE TABLE hospital.guests AS SELECT * FROM hospital.travellers;
		ALTER TABLE hospital.guests ADD PRIMARY KEY (id);
		SELECT pprepub.create_publication('guests', 'hospital.guests', 'id', '{"age": "range", "city": "taxonomy world"}', 'disease', 'm-invariance', '{"m": 3}');
		CREATE TABLE hospital.residents AS SELECT id, age, city, 'd' || id % 40 AS disease FROM hospital.travellers;
		ALTER TABLE hospital.residents ADD PRIMARY KEY (id);
		SELECT pprepub.create_publication('residents', 'hospital.residents', 'id', '{"age": "range", "city": "taxonomy world"}', 'disease', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 12}');
		CREATE TABLE hospital.staff AS SELECT * FROM hospital.travellers WHERE id <= 150;
		ALTER TABLE hospital.staff ADD PRIMARY KEY (id);
		SELECT pprepub.create_publication('staff', 'hospital.staff', 'id', '{"age": "range 10", "city": "taxonomy world"}', 'disease', 'sequential', '{"k": 3}');
		CREATE TABLE hospital.stays AS SELECT i % 120 AS id, 20 + i % 120 / 3 AS age, 'd' || i % 7 AS disease, 'w' || i % 5 AS ward FROM generate_series(1, 300) i;
		SELECT pprepub.create_publication('stays', 'hospital.stays', 'id', '{"age": "range"}', 'disease', params => '{"k": 4, "l": 2}', insensitive => '{ward}', rows => 'several', max_rows => 4);
	});
	live($node) foreach 1 .. 4;
	as_owner($node, 'GRANT USAGE ON SCHEMA published TO PUBLIC; GRANT SELECT ON published.patients TO PUBLIC');
	return;
}

# A week: people come, leave and change; releases, and an answer.
sub live
{
	my ($node) = @_;

	as_owner($node, q{
		DELETE FROM hospital.patients WHERE id IN (SELECT id FROM hospital.patients ORDER BY id LIMIT 40);
		INSERT INTO hospital.patients SELECT m + i, 18 + i % 60, (10000 + i % 40 * 100)::text, 'F', 'disease ' || i % 8
			FROM generate_series(1, 60) i, (SELECT max(id) AS m FROM hospital.patients) x;
		INSERT INTO hospital.stays SELECT DISTINCT id, age, 'd' || id % 5, 'w1' FROM hospital.stays WHERE id % 4 = 0;
		DELETE FROM hospital.stays WHERE id = (SELECT min(id) FROM hospital.stays);
		DELETE FROM hospital.guests WHERE id IN (SELECT id FROM hospital.guests ORDER BY id LIMIT 10)});
	is(as_owner($node, qq{SELECT number > 0 FROM pprepub.publish('$_')}), 't', "$_ is published") foreach @publications;
	is(as_owner($node, q{SELECT count(*) > 0 FROM published.patients('age > 30')}), 't', 'an answer');
	return;
}

# After the move the owner says that nothing is missing, and life goes on.
sub goes_on
{
	my ($node, $what) = @_;

	isnt($node->psql('postgres', q{SET ROLE owner; SELECT pprepub.publish('patients')}), 0, "$what: that this is another cluster is noticed");
	as_owner($node, "SELECT pprepub.acknowledge_history('$_')") foreach @publications;
	live($node);
	foreach my $name (@publications)
	{
		is(as_owner($node, "SELECT check_name FROM pprepub.audit('$name') WHERE NOT holds"), '', "$what: audit of $name");
		is(as_owner($node, "SELECT count(*) FROM pprepub.rebuild_history('$name') WHERE NOT equal"), '0', "$what: the history of $name");
	}
	fails_like($node, 'postgres', 'DELETE FROM published.patients_1', qr/cannot be changed/, "$what: releases are sealed");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.storage, pprepub.verify_storage("table") WHERE NOT holds'), '0', "$what: tables are whole");
	return;
}

# The extension's objects as text: definitions, comments and rights, by names and not by OIDs.
sub installed
{
	my ($node, $database) = @_;

	return $node->safe_psql($database, <<'SQL');
CREATE TEMP VIEW member AS SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
	WHERE e.extname = 'pprepub' AND d.deptype = 'e';
CREATE TEMP VIEW class AS SELECT c.oid::regclass AS name, c.* FROM member JOIN pg_class c ON c.oid = objid AND classid = 'pg_class'::regclass;
SELECT 'extension', extversion, extrelocatable, extnamespace::regnamespace, (SELECT array_agg(t::regclass ORDER BY t::regclass::text) FROM unnest(extconfig) t), extcondition
FROM pg_extension WHERE extname = 'pprepub';
SELECT 'member', pg_describe_object(classid, objid, 0) COLLATE "C" AS what, obj_description(objid, classid::regclass::text::name) FROM member ORDER BY what;
SELECT 'function', p.oid::regprocedure::text COLLATE "C" AS what, pg_get_functiondef(p.oid), coalesce(proacl, acldefault('f', proowner)), prorows, procost
FROM member JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass WHERE prokind <> 'a' ORDER BY what;
SELECT 'relation', name::text COLLATE "C" AS what, relkind, reloptions, (SELECT array_agg(a ORDER BY a::text) FROM unnest(coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r' END, relowner))) a),
	CASE relkind WHEN 'v' THEN pg_get_viewdef(name) END FROM class ORDER BY what;
SELECT 'column', name::text COLLATE "C" AS what, attnum, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), col_description(name, attnum)
FROM class JOIN pg_attribute a ON attrelid = class.oid LEFT JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0 AND NOT attisdropped ORDER BY what, attnum;
SELECT 'constraint', name::text COLLATE "C" AS what, conname, pg_get_constraintdef(k.oid) FROM class JOIN pg_constraint k ON conrelid = class.oid WHERE contype <> 'n' ORDER BY what, conname;
SELECT 'index', indexrelid::regclass::text COLLATE "C" AS what, pg_get_indexdef(indexrelid) FROM class JOIN pg_index ON indrelid = class.oid ORDER BY what;
SELECT 'sequence', name::text COLLATE "C" AS what, seqtypid::regtype, seqstart, seqincrement, seqmax FROM class JOIN pg_sequence ON seqrelid = class.oid ORDER BY what;
SELECT 'schema', nspname COLLATE "C" AS what, (SELECT array_agg(a ORDER BY a::text) FROM unnest(nspacl) a) FROM member JOIN pg_namespace n ON n.oid = objid AND classid = 'pg_namespace'::regclass ORDER BY what;
SELECT 'event trigger', evtname COLLATE "C" AS what, evtevent, evtfoid::regproc, evtenabled, evttags FROM pg_event_trigger ORDER BY what;
SELECT 'access method', amname, amhandler, amtype FROM pg_am WHERE amname = 'pprepub';
SELECT 'wrapper', fdwname, fdwhandler::regproc, fdwvalidator::regproc, fdwoptions, fdwacl FROM pg_foreign_data_wrapper;
SELECT 'server', srvname, srvtype, srvversion, srvoptions, srvacl FROM pg_foreign_server;
DROP VIEW class, member;
SQL
}

1;
