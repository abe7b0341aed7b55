# Imported releases are dumped and restored like others; a history that was rewound is mended by importing what it lacks;
# nothing of what is imported, or compared with it, reaches the server's log; a large import can be cancelled.
use Hospital;

my $node = new_server('main', allows_streaming => 1);
make_patients($node, 'postgres', 600);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.alter_publication('patients', '{"repair": "dirty"}')});	# invented rows have no keys to import
my $dumps = PostgreSQL::Test::Utils::tempdir;

# All that observers can tell of people, but for the numbers of classes and groups.
sub told
{
	my ($server, $database) = @_;

	return $server->safe_psql($database, <<'SQL');
SET ROLE owner;
SELECT release, array_agg(key ORDER BY key) FROM pprepub.class_members('patients') GROUP BY release, class ORDER BY 1, 2;
SELECT part, places, people, free, sensitive_values, created, since FROM pprepub.groups('patients') ORDER BY created, part, places, 3, 4, 5, 7;
SELECT * FROM pprepub.attack('patients');
SELECT check_name, required, measured, holds FROM pprepub.audit('patients');
SELECT * FROM pprepub.rebuild_history('patients');
SQL
}

# ---- A history that was rewound ----

my $publish = q{SET ROLE owner; SELECT number FROM pprepub.publish('patients')};
is($node->safe_psql('postgres', $publish), 1, 'the first release');
$node->backup('base');
$node->safe_psql('postgres', 'DELETE FROM hospital.patients WHERE id % 20 = 0');
is($node->safe_psql('postgres', q{SET ROLE owner; SELECT number FROM pprepub.publish('patients', 'age < 60')}), 2, 'a release that the backup lacks');
$node->safe_psql('postgres', <<"SQL");
COPY (WITH shown AS (SELECT *, row_number() OVER (PARTITION BY class, disease) AS nth FROM published.patients_2),
		held AS (SELECT class, key::int AS id, disease, row_number() OVER (PARTITION BY class, disease) AS nth
			FROM pprepub.class_members('patients') JOIN hospital.patients ON id = key::int WHERE release = 2)
	SELECT id, class, shown.age, zip, sex, disease FROM shown JOIN held USING (class, disease, nth)) TO '$dumps/release';
COPY hospital.patients TO '$dumps/patients';
SQL
my $whole = told($node, 'postgres');

my $old = PostgreSQL::Test::Cluster->new('old');
$old->init_from_backup($node, 'base');
$old->start;
fails_like($old, 'postgres', $publish, qr/may have been rewound.*HINT:  .*import_release/s, 'rewound: refused, with a hint at imports');
$old->safe_psql('postgres', <<"SQL");
DELETE FROM hospital.patients;
COPY hospital.patients FROM '$dumps/patients';
SET ROLE owner;
CREATE TABLE hospital.release (id int, class bigint, age int4range, zip text, sex text, disease text);
RESET ROLE;
COPY hospital.release FROM '$dumps/release';
SQL
is($old->safe_psql('postgres', q{SET ROLE owner; SELECT number, kind FROM pprepub.import_release('patients', 'hospital.release', 'id')}),
	'2|imported', 'rewound: what is missing is imported');
is(told($old, 'postgres'), $whole, 'rewound: its history is what it was');
fails_like($old, 'postgres', $publish, qr/may have been rewound/, 'rewound: whether that was all, only the owner can say');
$old->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.acknowledge_history('patients')});
is($old->safe_psql('postgres', $publish), 3, 'rewound: the owner has said so');
is($old->safe_psql('postgres', q{SELECT count(*) FROM pprepub.audit('patients') WHERE NOT holds}), 0, 'rewound: and all is well');
$old->stop;

# ---- Dump and restore ----

$node->safe_psql('postgres', <<'SQL');
SET client_min_messages = error;
SET ROLE owner;
CREATE VIEW hospital.without_key AS SELECT zip, sex FROM hospital.patients;
CREATE VIEW hospital.with_key AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, left(zip, 3) || '*' AS zip, disease FROM hospital.patients;
SELECT pprepub.import_release('patients', 'hospital.with_key', 'id');
SELECT pprepub.import_release('patients', 'hospital.without_key');
SELECT pprepub.acknowledge_history('patients');
SELECT pprepub.import_release('patients', 'hospital.without_key');
SELECT pprepub.create_publication('sequential', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease',
	'sequential', '{"k": 2.5, "privacy": "diversity", "seed": 7}', beside => '{patients}');
CREATE VIEW hospital.cells AS SELECT id, CASE WHEN id % 2 = 0 THEN '*' ELSE left(zip, 4) || '*' END AS zip, disease FROM hospital.patients;
SELECT pprepub.import_release('sequential', 'hospital.cells', 'id');
SQL
my $before = everything($node, 'postgres');
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dumps/dump", 'postgres' ], 'dumped');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE restored TO owner');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j2', '-d', 'restored', "$dumps/dump" ], 'restored');
same_everything(everything($node, 'restored'), $before, 'restored: everything is as it was');
is(told($node, 'restored'), told($node, 'postgres'), 'restored: and tells the same of people');
is($node->safe_psql('restored', <<'SQL'), "t\nt\nt\nt", 'restored: tables are what was imported, class by class, whether they show classes or not');
SELECT holds FROM pprepub.publication p, pprepub.audit(p.name) WHERE check_name = 'checksums';
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'rows';
SELECT holds FROM pprepub.audit('sequential') WHERE check_name = 'rows';
SQL
fails_like($node, 'restored', 'DELETE FROM published.patients_4', qr/cannot be changed/, 'restored: an imported table is sealed');
fails_like($node, 'restored', 'DROP TABLE published.sequential_1', qr/would change what was made for/, 'restored: and protected');
$node->safe_psql('restored', q{UPDATE pprepub_internal.catalog_publication SET witness = NULL});
fails_like($node, 'restored', $publish, qr/nobody knows whose.*Release 5 cannot be judged/s, 'restored: what was not waived stays so, what was, too');
$node->safe_psql('restored', q{SET client_min_messages = error; SET ROLE owner; SELECT pprepub.acknowledge_history('patients')});
is($node->safe_psql('restored', $publish), 6, 'restored: life goes on');

# ---- Answers ----

# A worker that rests answers on after an import, which parts groups.
$node->safe_psql('postgres', 'CREATE DATABASE asked');
make_patients($node, 'asked', 400);
declare_patients($node, 'asked', 'patients', 'hospital.patients');
$node->safe_psql('asked', <<'SQL');
SET ROLE owner;
SELECT count(*) FROM published.patients ('age < 60');
SELECT count(*) FROM published.patients ('sex = ''F''');
SQL
$node->safe_psql('asked', <<'SQL');
SET client_min_messages = error;
SET ROLE owner;
CREATE VIEW hospital.halves AS SELECT id, CASE WHEN age < 50 THEN '[0,50)' ELSE '[50,100)' END AS age, sex, disease FROM hospital.patients WHERE id % 7 > 0;
SELECT pprepub.import_release('patients', 'hospital.halves', 'id');
SQL
is($node->safe_psql('asked', q{SET ROLE owner; SELECT count(*) > 0 FROM published.patients ('age < 45')}), 't', 'answers go on after an import');
is($node->safe_psql('asked', q{SET ROLE owner; SELECT equal FROM pprepub.rebuild_history('patients')}), 't', 'with a history that is what the log tells');
is($node->safe_psql('asked', q{SELECT string_agg(check_name, ' ') FROM pprepub.audit('patients') WHERE NOT holds AND check_name IN ('invariant', 'rows', 'remembered')}), '',
	'and stands up to an audit');
# People of the answer are safe; others are told apart from them by what the import told.
is($node->safe_psql('asked', q{SELECT count(*) > 0, bool_and(holds) FROM pprepub.attack('patients') WHERE 4 IN (release, other_release) AND kind = 'intersection' OR release = 4 AND kind = 'difference'}),
	't|t', 'and whoever is in the answer is safe together with all others, the import too');

# ---- The log ----

my $logged = -s $node->logfile;
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.noted (id text, age text, zip text, sex text, disease text);
INSERT INTO hospital.noted VALUES ('KEY-1', 'AGE-1', 'ZIP-1', 'SEX-*', 'ILL-1');
CREATE VIEW hospital.n1 AS SELECT id, age FROM hospital.noted;
CREATE VIEW hospital.n2 AS SELECT 1 AS id, age FROM hospital.noted;
CREATE VIEW hospital.n3 AS SELECT 1 AS id, sex FROM hospital.noted;
CREATE VIEW hospital.n4 AS SELECT 1 AS id, zip FROM hospital.noted;
CREATE VIEW hospital.n5 AS SELECT 1 AS id, disease FROM hospital.noted;
CREATE VIEW hospital.n6 AS SELECT CASE id WHEN 1 THEN 'ZIP-1' ELSE zip END AS zip FROM hospital.patients;
SQL
my %wrong = (n1 => 'none of type integer', n2 => 'neither ranges', n3 => 'nor \*', n4 => 'do not cover', n5 => 'do not cover', n6 => 'nobody\'s');
foreach my $view (sort keys %wrong)
{
	my $key = $view eq 'n6' ? 'NULL' : "'id'";

	fails_like($node, 'postgres', "SET ROLE owner; SELECT pprepub.import_release('patients', 'hospital.$view', $key)",
		qr/ERROR:  .*$wrong{$view}.*DETAIL:  For example.*-(1|\*)/s, "$view: who imports is told of an example");
}
my $log = substr(slurp_file($node->logfile), $logged) =~ s/\[\d+\]//gr;	# numbers of processes look like zip codes
like($log, qr/ERROR:  column "zip" of "n4"/, 'the log tells what was wrong');
like($log, qr/DETAIL:  Its values are told to the owner only/, 'and where to ask');
unlike($log, qr/(KEY|AGE|ZIP|SEX|ILL)-|disease \d|1\d\d\d\d/, 'and no value, neither of the table nor of the source');

# ---- A large import, cancelled ----

$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.many AS SELECT i AS id, i % 97 AS age, lpad((i % 9973)::text, 5, '0') AS zip, 'M' AS sex, 'd' || i % 31 AS disease FROM generate_series(1, 300000) i;
SELECT pprepub.create_publication('many', 'hospital.many', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'sequential', '{"k": 2}');
SQL
foreach my $timeout (1, 20, 80, 200, 400)
{
	my $error;
	my $status = $node->psql('postgres', "SET ROLE owner; SET statement_timeout = $timeout; SELECT pprepub.import_release('many', 'hospital.many', 'id')", stderr => \$error);

	ok($status == 0 || $error =~ /canceling statement due to statement timeout/, "cancelled after $timeout ms, or done") or diag($error);
	last if $status == 0;
	is($node->safe_psql('postgres', q{SELECT releases, remembered, to_regclass('published.many_1') IS NULL FROM pprepub_internal.catalog_publication WHERE name = 'many'}),
		'0|0|t', 'nothing is left of it');
}

done_testing();
