# Declared, published and remembered things survive a dump, whole and under guard.
use utf8;
use Hospital;

$ENV{PGCLIENTENCODING} = 'UTF8';

my $node = new_server('main');
my $dumps = PostgreSQL::Test::Utils::tempdir;

# ---- Two owners, two targets, all kinds, and names that need care ----

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE "owner one" LOGIN;
CREATE ROLE "Zweiter ""Besitzer""" LOGIN;
CREATE ROLE analyst LOGIN;
CREATE DATABASE hospital;
SQL
# psql takes bytes.
sub sql { my ($text) = @_; utf8::encode($text); return $text; }

$node->safe_psql('hospital', sql(<<'SQL'));
CREATE EXTENSION pprepub;
GRANT CREATE ON DATABASE hospital TO "owner one", "Zweiter ""Besitzer""";

CREATE SCHEMA "Häuser" AUTHORIZATION "Zweiter ""Besitzer""";
CREATE SCHEMA hospital AUTHORIZATION "owner one";

SET ROLE "owner one";
CREATE TABLE hospital.levels (country text, region text, root text);
INSERT INTO hospital.levels VALUES ('France', 'Europe', 'World'), ('Spain', 'Europe', 'World'),
	('Mali', 'Africa', 'World'), ('Chad', 'Africa', 'World');
SELECT pprepub.create_taxonomy('world', 'hospital.levels');
SELECT pprepub.create_taxonomy('gone', 'hospital.levels');
SELECT pprepub.drop_taxonomy('gone');
SELECT pprepub.create_range_taxonomy('ages', 0, 128, '{1,8,64}');
CREATE TABLE hospital.patients (id int PRIMARY KEY, age int, years int, zip text, country text, sex text, disease text,
	born date, seen timestamptz, at timestamp, weight numeric, height float8, small int2, large int8, note point);
INSERT INTO hospital.patients
SELECT i, 18 + (h & 63), 18 + (h & 63), 10000 + (h >> 8 & 31) * 100 + (h >> 16 & 15), ('{France,Spain,Mali,Chad}'::text[])[1 + (h >> 40 & 3)],
	CASE WHEN i % 50 <> 0 THEN ('{F,M}'::text[])[1 + (h >> 24 & 1)] END, CASE WHEN i % 33 <> 0 THEN 'disease ' || (h >> 28 & 7) END,
	'2000-01-01'::date - (h & 4095)::int, '2020-01-01 00:00:00Z'::timestamptz + (h & 1023) * interval '1 hour',
	'2020-01-01'::timestamp + (h & 2047) * interval '1 minute', (h & 255) / 7.0, sqrt(h & 511), (h & 127)::int2,
	(h & 65535) * 1000000000, '(1,2)'
FROM (SELECT i, hashint8extended(i, 7) AS h FROM generate_series(1, 500) i) drawn;

-- A number that was used: its sequence says so, and no row does.
SELECT pprepub.create_publication('dropped', 'hospital.patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
SELECT pprepub.drop_publication('dropped');
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id',
	'{"age": "range", "years": "taxonomy ages", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}', 'disease', 'bpg', '{"k": 5, "l": 2}');
-- Extended after that, so that the publication keeps the older tree.
INSERT INTO hospital.levels VALUES ('Peru', 'America', 'World');
SELECT pprepub.extend_taxonomy('world', 'hospital.levels');
SELECT pprepub.create_publication('types', 'hospital.patients', 'id',
	'{"born": "range", "seen": "range 1 day", "at": "range", "weight": "range 0.5", "height": "range", "small": "range", "large": "range", "country": "taxonomy world"}',
	'disease', 'bpg', '{"k": 25}', insensitive => '{note}', beside => '{patients}');
CREATE VIEW hospital.adults AS SELECT * FROM hospital.patients WHERE age > 30;
SELECT pprepub.create_publication('adults', 'hospital.adults', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}',
	beside => '{patients,types}');
-- A view that is known to be valid only after its table has its primary key.
CREATE TABLE hospital.visits (patient int, visit int, PRIMARY KEY (patient, visit));
INSERT INTO hospital.visits SELECT i, v FROM generate_series(1, 100) i, generate_series(1, 1 + i % 4) v;
CREATE TABLE hospital.visitors (id int PRIMARY KEY, age int, disease text);
INSERT INTO hospital.visitors SELECT id, age, disease FROM hospital.patients WHERE id <= 100;
CREATE VIEW hospital.grouped AS SELECT p.id, p.age, p.disease, count(*) AS visits
FROM hospital.visitors p JOIN hospital.visits v ON v.patient = p.id GROUP BY p.id;
SELECT pprepub.create_publication('grouped', 'hospital.grouped', 'id', '{"age": "range", "visits": "range"}', 'disease', 'bpg', '{"k": 5}');
-- And one that a dump therefore makes last, when the catalog's rows stand already.
CREATE TABLE hospital.guests AS TABLE hospital.visitors;
ALTER TABLE hospital.guests ADD PRIMARY KEY (id);
CREATE MATERIALIZED VIEW hospital.late AS SELECT id, age, disease, count(*) AS n FROM hospital.guests GROUP BY id;
SELECT pprepub.create_publication('late', 'hospital.late', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
SELECT pprepub.publish('late');
-- A release that was warned of.
CREATE TABLE hospital.noted AS SELECT id::char(4) AS id, age, disease::char(20) AS disease, 'note ' || id % 60 AS note FROM hospital.visitors;
SELECT pprepub.create_publication('noted', 'hospital.noted', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}', insensitive => '{note}');
SELECT pprepub.publish('noted');
-- Somebody was forgotten, whose key was shorter than what stands for it, and the table of a release.
DELETE FROM hospital.noted WHERE id = '7';
SELECT pprepub.publish('noted'), pprepub.forget_person('noted', '7'), pprepub.forget_releases('noted', 'infinity');
ALTER TABLE hospital.noted ADD zip text;
SELECT pprepub.alter_publication('noted', add_quasi_identifiers => '{"zip": "prefix"}');
-- People with several rows, of whom samples are shown.
CREATE TABLE hospital.stays AS SELECT i % 90 AS patient, i % 90 % 40 AS age, 'd' || i % 17 AS ill, 'w' || i % 7 AS ward, 'note ' || i % 9 AS note FROM generate_series(1, 450) i;
SELECT pprepub.create_publication('stays', 'hospital.stays', 'patient', '{"age": "range"}', '{ill, ward}', 'bpg', '{"k": 5, "l": 2, "reserve": 1}', insensitive => '{note}', rows => 'several', max_rows => 3);
SELECT pprepub.publish('stays');
RESET ROLE;

SET ROLE "Zweiter ""Besitzer""";
CREATE TYPE "Häuser"."Leiden" AS ENUM ('Grippe', 'Gicht', 'Glück');
CREATE DOMAIN "Häuser"."Alter" AS int CHECK (VALUE > 0);
CREATE TABLE "Häuser"."Per ""sonen""" ("Schlüssel" uuid, "Alter" "Häuser"."Alter", "PLZ *" varchar(10) COLLATE "C", "Leiden" "Häuser"."Leiden")
	PARTITION BY HASH ("Schlüssel");
CREATE TABLE "Häuser".p1 PARTITION OF "Häuser"."Per ""sonen""" FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE "Häuser".p2 PARTITION OF "Häuser"."Per ""sonen""" FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO "Häuser"."Per ""sonen""" SELECT md5(i::text)::uuid, 1 + i % 40, (80000 + i % 60)::text, ('{Grippe,Gicht,Glück}'::"Häuser"."Leiden"[])[1 + i % 3]
FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('Größe "x" ''y''', '"Häuser"."Per ""sonen"""', 'Schlüssel', '{"Alter": "range", "PLZ *": "prefix"}', 'Leiden', 'bpg',
	'{"k": 4, "l": 2, "leaves": "Alter", "strata": ["Alter"], "weights": {"PLZ *": 2.5}}', target => 'Aus ''gabe"');
CREATE MATERIALIZED VIEW "Häuser".matt AS SELECT generate_series(1, 100) AS id, generate_series(1, 100) % 7 AS a, generate_series(1, 100) % 3 = 0 AS ill;
SELECT pprepub.create_publication('matt', '"Häuser".matt', 'id', '{"a": "suppress"}', 'ill', 'bpg', '{"k": 4}', target => 'Aus ''gabe"');
RESET ROLE;

-- By a superuser, and by the owner.
SELECT pprepub.publish(name) FROM unnest('{patients,types,grouped,matt}'::text[]) name;
SET ROLE "Zweiter ""Besitzer""";
SELECT pprepub.publish('Größe "x" ''y''');
RESET ROLE;
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients TO analyst;
GRANT EXECUTE ON FUNCTION published.patients TO analyst;
GRANT SELECT ON published.patients_now TO analyst;
GRANT SELECT ON published.types_1 TO PUBLIC;
COMMENT ON TABLE published.types_1 IS 'a comment';
CREATE INDEX ON published.patients_1 (disease);
ALTER TABLE published.patients_1 ADD CONSTRAINT of_ours EXCLUDE USING btree (disease WITH =) WHERE (class < 0);
SQL

# Two in the middle of their lives: people come, leave and come back, and their values change; with gaps, and
# with invented rows in the history.
my @lives = qw(gaps invented);
make_attacker($node, 'hospital');
$node->safe_psql('hospital', <<'SQL');
SET ROLE "owner one";
CREATE TABLE hospital.gaps AS SELECT i AS id, (i * 7) % 60 AS age, 'd' || (i * i) % 7 AS ill FROM generate_series(1, 300) i;
CREATE TABLE hospital.invented AS TABLE hospital.gaps;
ALTER TABLE hospital.gaps ADD PRIMARY KEY (id);
ALTER TABLE hospital.invented ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('gaps', 'hospital.gaps', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "repair": "dirty", "reserve": 1}');
SELECT pprepub.create_publication('invented', 'hospital.invented', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "repair": "counterfeit"}');
SQL

# And one of which every other release is an answer, which builds with assertions can make here.
my $can_ask = $ENV{PPREPUB_ASSERTIONS};
if ($can_ask)
{
	push @lives, 'asked';
	$node->safe_psql('hospital', <<'SQL');
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';
SET ROLE "owner one";
CREATE TABLE hospital.asked AS TABLE hospital.gaps;
ALTER TABLE hospital.asked ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('asked', 'hospital.asked', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "repair": "counterfeit"}');
SQL
}

# Of this step; people who left two steps ago come back.
sub change
{
	my ($server, $database, $name, $step) = @_;

	$server->safe_psql($database, <<"SQL");
DELETE FROM hospital.$name WHERE id % 13 = $step;
INSERT INTO hospital.$name SELECT i, i % 60, 'd' || i % 7 FROM generate_series($step * 1000, $step * 1000 + 20) i;
INSERT INTO hospital.$name SELECT i, i % 50, 'd' || i % 5 FROM generate_series($step + 11, 300, 13) i WHERE $step > 2 ON CONFLICT DO NOTHING;
UPDATE hospital.$name SET ill = 'd' || (id + $step) % 7 WHERE id % 11 = $step;
UPDATE hospital.$name SET age = 59 - age WHERE id % 17 = $step;
SQL
	return;
}

sub next_release
{
	my ($server, $database, $name, $step, $number, $what) = @_;

	change($server, $database, $name, $step);
	remember($server, $database, $name);
	my $least = $name eq 'gaps' ? 100 : 200;
	my $publishing = $name eq 'asked' && $number % 2
		? "SELECT attacker.ask('$name', NULL, NULL, 'class bigint, age int4range, ill text')" : "SELECT number FROM pprepub.publish('$name')";
	is($server->safe_psql($database, "SET client_min_messages = error; $publishing; SELECT rows > $least FROM pprepub.release WHERE publication = '$name' AND number = $number"),
		"$number\nt",
		"$what: release $number of $name");
	no_faults($server, $database, $name, 4, 2, "$what: all releases of $name are safe together");
	return;
}

foreach my $name (@lives)
{
	next_release($node, 'hospital', $name, $_, $_, 'before the dump') foreach 1 .. 2;
}
is($node->safe_psql('hospital', q{SELECT sum(counterfeits) > 0 FROM pprepub.release WHERE publication = 'invented'}), 't', 'with invented rows');

my $before = everything($node, 'hospital');
like($before, qr/the insensitive columns of publication .*"noted.* are unique for 20.0 % of the rows/, 'with a warning');
my $intact = q{SELECT count(*), (SELECT bool_and(holds) FROM pprepub.publication p, pprepub.audit(p.name) WHERE check_name = 'checksums') FROM pprepub.release};

is($node->safe_psql('hospital', $intact), 9 + 2 * @lives . '|t',
	'releases to dump');

# ---- Restored ----

# Each of these is refused, in one session, which takes a fraction of the time of one for each.
sub all_refused
{
	my ($server, $database, $how, @commands) = @_;
	my $script = join '', map { "\\warn === $_\n$commands[$_];\nRESET session_replication_role;\n" } 0 .. $#commands;
	my (undef, undef, $error) = $server->psql($database, $script, on_error_stop => 0);
	my %said = $error =~ /^=== (\d+)\n(.*?)(?=^=== |\z)/msg;

	like($said{$_} // '', qr/^(?:psql:\S+ )?ERROR:  .*(cannot be changed|would change what was made for)/m, "$how: $commands[$_]") foreach 0 .. $#commands;
	return;
}

# A restored database is as the dumped one, and as guarded; lives go on from it, where that is asked for.
sub restored_well
{
	my ($server, $database, $how, $lives_go_on) = @_;

	same_everything(everything($server, $database), $before, "$how: everything is the same");

	my @commands;
	foreach my $table ('published.patients_1', 'published_private.patients_members', 'published_private.patients_asked', 'published.types_1', ('published_private.asked_regions') x !!$can_ask,
		'"Aus \'gabe""_private"."Größe ""x"" \'y\'_members"', '"Aus \'gabe"""."Größe ""x"" \'y\'_1"')
	{
		push @commands, map { sql($_) } ("INSERT INTO $table SELECT * FROM $table", "DELETE FROM $table", "UPDATE $table SET class = 1", "TRUNCATE $table",
			"SET session_replication_role = replica; DELETE FROM $table",
			"DROP TABLE $table CASCADE", "ALTER TABLE $table DISABLE TRIGGER USER", "DROP TRIGGER pprepub_seal ON $table",
			"ALTER TABLE $table ADD COLUMN extra int", "ALTER TABLE $table RENAME TO other");
	}
	all_refused($server, $database, $how, @commands);
	fails_like($server, $database, sql('SET ROLE "owner one"; DROP SCHEMA published CASCADE'), qr/would change what was made for/,
		"$how: DROP SCHEMA");
	fails_like($server, $database, q{SELECT pprepub.publish('patients')}, qr/may have been rewound/, "$how: nothing is published behind the original's back");
	# A blank before the parenthesis, since both ways to ask are tried here: a second run for live tables would add nothing.
	fails_like($server, $database, "SET SESSION AUTHORIZATION analyst; SELECT * FROM $_", qr/may have been rewound/, "$how: nor answered: $_")
		foreach 'published.patients ()', 'published.patients_now';
	is($server->safe_psql($database, q{BEGIN; DO 'BEGIN PERFORM pprepub.acknowledge_history($$patients$$); END'; SELECT number, rows > 400 FROM pprepub.publish('patients'); ROLLBACK}), '2|t',
		"$how: once it is acknowledged, the next release is the second, and judged against the first");
	fails_like($server, $database, q{SET ROLE analyst; SELECT * FROM published.patients_1}, qr/permission denied/, "$how: an analyst may not read the table");
	is($server->safe_psql($database, 'SET ROLE analyst; SELECT count(*) > 0 FROM published.patients'), 't', "$how: but the view");
	is($server->safe_psql($database, <<'SQL'), "t\nt", "$how: people with several rows show the same of them");
BEGIN; SET LOCAL client_min_messages = error; DO 'BEGIN PERFORM pprepub.acknowledge_history($$stays$$); PERFORM pprepub.publish($$stays$$); END';
SELECT count(*) = 0 FROM (SELECT ill, ward FROM published.stays_1 EXCEPT ALL SELECT ill, ward FROM published.stays_2) s;
SELECT bool_and(holds) FROM pprepub.audit('stays'); ROLLBACK
SQL
	is($server->safe_psql($database, 'SET ROLE analyst; SELECT count(*) FROM pprepub.release'), '0', "$how: and sees no release row");

	# It goes on: here too, what was not published can be, and new numbers are new.
	is( $server->safe_psql($database, <<'SQL'), "1\nt\nt\nt", "$how: life goes on");
SET ROLE "owner one";
SELECT number FROM pprepub.publish('adults');
SELECT holds FROM pprepub.audit('adults') WHERE check_name = 'checksums';
CREATE TABLE hospital.fresh AS SELECT i AS id, i % 9 AS a, i % 2 AS ill FROM generate_series(1, 90) i;
DO $$ BEGIN
	PERFORM pprepub.create_publication('fresh', 'hospital.fresh', 'id', '{"a": "range"}', 'ill', 'bpg', '{"k": 5}');
	PERFORM pprepub.create_taxonomy('fresh', 'hospital.levels');
	PERFORM pprepub.publish('fresh');
END $$;
RESET ROLE;
SELECT (SELECT publication FROM pprepub_internal.catalog_publication WHERE name = 'fresh') > ALL (SELECT publication FROM pprepub_internal.catalog_publication WHERE name <> 'fresh');
SELECT (SELECT tree FROM pprepub_internal.catalog_taxonomy WHERE name = 'fresh') > ALL (SELECT tree FROM pprepub_internal.catalog_taxonomy WHERE name <> 'fresh');
SQL

	# New releases are safe together with the old ones.
	foreach my $name (@lives)
	{
		no_faults($server, $database, $name, 4, 2, "$how: the history of $name is whole");
		next if !$lives_go_on;
		$server->safe_psql($database, "SELECT pprepub.acknowledge_history('$name')");
		next_release($server, $database, $name, 3, 3, $how);
		next_release($server, $database, $name, 4, 4, $how);
	}
	return;
}

$node->command_ok([ 'pg_dump', '-f', "$dumps/plain", 'hospital' ], 'dumped as SQL');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dumps/custom", 'hospital' ], 'dumped as an archive');
$node->command_ok([ 'pg_dump', '-Fd', '-j2', '-f', "$dumps/directory", 'hospital' ], 'dumped as a directory, in parallel');
$node->command_ok([ 'pg_dumpall', '--roles-only', '-f', "$dumps/roles" ], 'dumped the roles');

$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE template0") foreach qw(plain custom sections);
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dumps/plain" ], 'restored from SQL');
restored_well($node, 'plain', 'plain', 1);
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', 'custom', "$dumps/custom" ], 'restored in parallel');
restored_well($node, 'custom', 'custom, parallel');
$node->command_ok([ 'pg_restore', '--exit-on-error', "--section=$_", '-d', 'sections', "$dumps/directory" ], "restored section $_")
	foreach qw(pre-data data post-data);
restored_well($node, 'sections', 'by sections');

# Where pg_restore is told to leave the access method out, or says nothing of it, releases are as good in heaps.
$node->safe_psql('postgres', 'CREATE DATABASE heaps TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '--no-table-access-method', '-d', 'heaps', "$dumps/custom" ], 'restored into heaps');
is($node->safe_psql('heaps', q{SELECT count(*) FROM pprepub.storage}), '0', 'heaps: all of them');
is($node->safe_psql('heaps', $intact),
	$node->safe_psql('hospital', 'SELECT count(*), true FROM pprepub.release'), 'heaps: all releases are intact');
fails_like($node, 'heaps', 'UPDATE published.patients_1 SET class = 1', qr/cannot be changed/, 'heaps: and sealed');
is($node->safe_psql('heaps', q{DO 'BEGIN PERFORM pprepub.acknowledge_history($$patients$$); END'; SELECT number FROM pprepub.publish('patients'); SELECT "table" FROM pprepub.storage}),
	"2\npublished.patients_2", 'heaps: it goes on, beside them');
is($node->safe_psql('heaps', q{SELECT string_agg(DISTINCT holds::text, ',') FROM pprepub.audit('patients')}), 'true', 'heaps: and is judged well');

# Another cluster, where every oid is another.
my $other = new_server('other');
$other->safe_psql('postgres', 'CREATE ROLE before_all; CREATE DATABASE hospital TEMPLATE template0; CREATE TABLE t AS SELECT lo_create(0)');
$other->command_ok([ 'psql', '-Xq', '-d', 'postgres', '-f', "$dumps/roles" ], 'restored the roles');
$other->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', 'hospital', "$dumps/directory" ], 'restored in another cluster');
restored_well($other, 'hospital', 'another cluster');
$other->stop;

# ---- Not a whole dump ----

# A restore that would first drop what stands there is refused what was published.
$node->command_fails_like([ 'pg_restore', '--clean', '--if-exists', '--single-transaction', '-d', 'custom', "$dumps/custom" ],
	qr/would change what was made for/, 'pg_restore --clean is refused');
is($node->safe_psql('custom', $intact), 11 + 2 * @lives . '|t',
	'and changed nothing');

# Where the restore goes on in spite of that, all that was made for publications stays, views and live tables, too.
{
	# Since the tests set it, pg_restore would not say that it is one.
	local $ENV{PGAPPNAME} = 'pg_restore';
	my $made = q{SELECT r.part, c.oid, c.oid::regclass, CASE relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END
		FROM pprepub_internal.catalog_relation r LEFT JOIN pg_class c ON c.oid = r.relation ORDER BY r.relation::oid};
	my $standing = $node->safe_psql('custom', $made);

	$node->command_fails_like([ 'pg_restore', '--clean', '--if-exists', '-d', 'custom', "$dumps/custom" ], qr/would change what was made for/, 'pg_restore --clean, to the end');
	is($node->safe_psql('custom', $made), $standing, 'and nothing of publications was dropped');
	is($node->safe_psql('custom', $intact), 11 + 2 * @lives . '|t',
		'nor changed');
}

# A schema without data: no publications, and their tables are empty.
$node->safe_psql('postgres', 'CREATE DATABASE bare TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '--schema-only', '-d', 'bare', "$dumps/custom" ], 'restored the schema only');
is($node->safe_psql('bare', 'SELECT count(*) FROM pprepub_internal.catalog_publication'), '0', 'schema only: no publications');
is($node->safe_psql('bare', 'SELECT count(*) FROM published.patients_1'), '0', 'schema only: no rows');
fails_like($node, 'bare', q{INSERT INTO published.patients_1 (class) VALUES (1)}, qr/cannot be changed/, 'schema only: but seals');
# Behind the seals, rows cannot be filled in.
$node->command_fails_like([ 'pg_restore', '--exit-on-error', '--data-only', '--single-transaction', '-d', 'bare', "$dumps/custom" ],
	qr/cannot be changed/, 'data only, behind seals: refused');
is($node->safe_psql('bare', 'SELECT count(*) FROM pprepub_internal.catalog_publication'), '0', 'data only: nothing remains');

# A source that is left out takes nothing with it but what reads it; nor does a release.
$node->safe_psql('postgres', 'CREATE DATABASE lacking TEMPLATE template0');
$node->command_ok([ 'pg_dump', '-Fc', '-T', 'hospital.patients', '-T', 'hospital.adults', (map { ('-T', "published.${_}_1") } qw(types patients late)), '-f', "$dumps/lacking", 'hospital' ], 'dumped without a source');
$node->command_fails_like([ 'pg_restore', '-d', 'lacking', "$dumps/lacking" ], qr/relation "hospital.patients" does not exist/, 'restored without a source');
my $kept = q{SELECT count(*) FROM pprepub.publication; SELECT count(*) FROM pprepub.release; SELECT string_agg(publication, ' ' ORDER BY publication) FROM pprepub.health WHERE refused = '%s'};
is($node->safe_psql('lacking', sprintf $kept, 'source'), $node->safe_psql('hospital', sprintf $kept, 'none') . 'adults patients types', 'the catalog is whole, and health says what is missing');
is($node->safe_psql('lacking', 'SELECT count(*) > 0 FROM pprepub_internal.catalog_relation WHERE relation = 0; SELECT number, relation FROM pprepub.release WHERE publication IN ($$patients$$, $$types$$) ORDER BY 2'),
	"t\n1|-\n1|-", 'relations that are missing');
fails_like($node, 'lacking', $_, qr/the source of publication "patients" was dropped, or is not in this database/, $_) foreach q{SELECT * FROM pprepub.audit('patients')}, q{SELECT pprepub.acknowledge_history('patients')};
is($node->safe_psql('lacking', q{SELECT check_name, measured FROM pprepub.audit('late') WHERE NOT holds; SET client_min_messages = error; DO 'BEGIN PERFORM pprepub.acknowledge_history($$gaps$$); END'; SELECT number FROM pprepub.publish('gaps'); SELECT bool_and(holds) FROM pprepub.audit('gaps')}), "checksums|0\nrows|0, 0 rows in all\n3\nt", 'a release that is missing fails its audit, and others go on');
is($node->safe_psql('lacking', q{SET client_min_messages = error; SELECT FROM pprepub.drop_publication('patients', forget_history => true); SELECT count(*) FROM pprepub_internal.catalog_publication WHERE name = 'patients'}), '0', 'and what lacks its source can be dropped');

# A role that is no superuser cannot read what the extension keeps of all owners.
{
	local $ENV{PGUSER} = 'owner one';
	$node->command_fails_like([ 'pg_dump', '-f', "$dumps/own", 'hospital' ], qr/permission denied for /,
		'an owner cannot dump the database');
	$node->command_ok([ 'pg_dump', '-n', 'published', '-n', 'hospital', '-f', "$dumps/own", 'hospital' ], 'but schemas of his');
}
like(slurp_file("$dumps/own"), qr/COPY published\.patients_1 /, 'with their releases');

# ---- pg_upgrade ----

is( $node->safe_psql('hospital', <<'SQL'), '', 'columns that stay have types that pg_upgrade bears');
SELECT attrelid::regclass, attname, atttypid::regtype FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE relkind IN ('r', 'm', 'i', 'p') AND attnum > 0 AND NOT attisdropped
AND (relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace) OR relnamespace::regnamespace::text ~ '_private"?$|published')
AND (atttypid IN ('regproc'::regtype, 'regprocedure'::regtype, 'regoper'::regtype, 'regoperator'::regtype,
		'regconfig'::regtype, 'regdictionary'::regtype, 'regnamespace'::regtype, 'regcollation'::regtype, 'aclitem'::regtype)
	OR (SELECT typrelid <> 0 OR typinput::oid >= 16384 AND typname <> 'relation_name' FROM pg_type t WHERE t.oid = atttypid))
SQL

# One database is enough.
$node->safe_psql('postgres', join ' ', map { "DROP DATABASE $_;" } qw(plain custom sections heaps bare lacking));
$node->stop;
my $new = PostgreSQL::Test::Cluster->new('new');
$new->init(extra => [ '-E', 'UTF8', '--no-locale' ]);
my $bindir = $node->config_data('--bindir');
chdir $dumps or die;
command_ok(
	[ 'pg_upgrade', '--no-sync', '-d', $node->data_dir, '-D', $new->data_dir, '-b', $bindir, '-B', $bindir,
		'-s', $new->host, '-p', $node->port, '-P', $new->port ],
	'pg_upgrade to a new cluster');
$new->start;
restored_well($new, 'hospital', 'pg_upgrade', 1);
$new->stop;

done_testing();
