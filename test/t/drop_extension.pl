# Releases stay as they are, whatever owner, other roles and a superuser do to them.
use Hospital;

my $node = new_server('main');

make_patients($node, 'postgres', 1000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE heir LOGIN;
CREATE ROLE stranger LOGIN;
SET ROLE owner;
SELECT pprepub.publish('patients');
SQL
my $before = everything($node, 'postgres');

my @tables = ('published.patients_1', 'published_private.patients_members', 'published_private.patients_asked');
my %other_method = ('published.patients_1' => 'heap', 'published_private.patients_members' => 'heap', 'published_private.patients_asked' => 'pprepub');
my $refused = qr/ERROR:  .*(cannot be changed|would change what was made for|cannot alter type of a column used by a view)/;

# ---- Rows ----

# The seals are ENABLE ALWAYS, so that what a replica leaves out is of no use.
foreach my $role ('owner', 'postgres')
{
	foreach my $mode ('', 'SET session_replication_role = replica;')
	{
		next if $mode && $role eq 'owner';
		foreach my $table (@tables)
		{
			foreach my $command ("INSERT INTO $table SELECT * FROM $table", "INSERT INTO $table SELECT * FROM $table LIMIT 0",
				"UPDATE $table SET class = 0", "DELETE FROM $table", "DELETE FROM $table WHERE false", "TRUNCATE $table",
				"TRUNCATE $table CASCADE", "WITH gone AS (DELETE FROM $table RETURNING *) SELECT count(*) FROM gone",
				"COPY $table FROM STDIN;\n\\.\n",
				"MERGE INTO $table t USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE")
			{
				my ($first) = split /\n/, $command;

				fails_like($node, 'postgres', "${mode}SET ROLE $role; $command", $refused, "$role: ${mode}$first");
			}
		}
	}
}
fails_like($node, 'postgres', 'SET ROLE owner; SET session_replication_role = replica', qr/permission denied to set parameter/,
	'owner: session_replication_role');
fails_like($node, 'postgres', 'SET ROLE owner; DELETE FROM published.patients', qr/ERROR:  table "patients_1" cannot be changed/,
	'owner: DELETE through the view');

# ---- Tables ----

foreach my $role ('owner', 'postgres')
{
	foreach my $table (@tables)
	{
		my ($schema, $name) = split /\./, $table;

		foreach my $command ("DROP TABLE $table CASCADE",
			"ALTER TABLE $table DISABLE TRIGGER ALL", "ALTER TABLE $table DISABLE TRIGGER USER",
			"ALTER TABLE $table DISABLE TRIGGER pprepub_seal", "ALTER TABLE $table ENABLE TRIGGER pprepub_seal",
			"ALTER TABLE $table ENABLE REPLICA TRIGGER pprepub_seal", "ALTER TABLE $table ENABLE TRIGGER ALL",
			"DROP TRIGGER pprepub_seal ON $table", "ALTER TRIGGER pprepub_seal ON $table RENAME TO other",
			"CREATE OR REPLACE TRIGGER pprepub_seal BEFORE DELETE ON $table EXECUTE FUNCTION suppress_redundant_updates_trigger()",
			"CREATE RULE off AS ON DELETE TO $table DO INSTEAD NOTHING",
			"ALTER TABLE $table RENAME TO other", "ALTER TABLE $table SET SCHEMA hospital",
			"ALTER TABLE $table RENAME COLUMN class TO other", "ALTER TABLE $table DROP COLUMN class CASCADE",
			"ALTER TABLE $table ADD COLUMN extra int", "ALTER TABLE $table ALTER COLUMN class TYPE int",
			"ALTER TABLE $table ALTER COLUMN class SET DEFAULT 0", "ALTER TABLE $table SET UNLOGGED", "ALTER TABLE $table SET ACCESS METHOD $other_method{$table}",
			"ALTER TABLE $table ENABLE ROW LEVEL SECURITY", "ALTER TABLE $table FORCE ROW LEVEL SECURITY",
			"CREATE TABLE hospital.child () INHERITS ($table)",
			"BEGIN; CREATE TABLE hospital.parent (LIKE $table); ALTER TABLE $table INHERIT hospital.parent",
			"BEGIN; CREATE TABLE hospital.parent (LIKE $table) PARTITION BY LIST (class); ALTER TABLE hospital.parent ATTACH PARTITION $table DEFAULT",
			"ALTER SCHEMA $schema RENAME TO other", "DROP SCHEMA $schema CASCADE")
		{
			fails_like($node, 'postgres', "SET ROLE $role; $command", $refused, "$role: $command");
		}
	}
}

# The pinned view says what is read of the source.
foreach my $command ('DROP VIEW published_private.patients_source', 'ALTER VIEW published_private.patients_source RENAME TO other',
	'ALTER VIEW published_private.patients_source RENAME COLUMN age TO zip2', 'ALTER VIEW published_private.patients_source SET SCHEMA hospital',
	'CREATE OR REPLACE VIEW published_private.patients_source AS SELECT id, 1 AS age, zip, sex, disease FROM hospital.patients',
	'CREATE OR REPLACE RULE "_RETURN" AS ON SELECT TO published_private.patients_source DO INSTEAD SELECT id, 1 AS age, zip, sex, disease FROM hospital.patients',
	'ALTER TABLE hospital.patients DROP COLUMN age CASCADE')
{
	fails_like($node, 'postgres', "SET ROLE owner; $command", $refused, "owner: $command");
}
fails_like($node, 'postgres', 'SET ROLE owner; ALTER TABLE hospital.patients DROP COLUMN age', qr/other objects depend on it/,
	'owner: a column of the source');
fails_like($node, 'postgres', 'SET ROLE owner; ALTER TABLE hospital.patients ALTER COLUMN age TYPE text', qr/cannot alter type of a column used by a view/,
	'owner: the type of a column of the source');
fails_like($node, 'postgres', 'SET ROLE owner; DROP SCHEMA published, published_private CASCADE', $refused, 'DROP SCHEMA of both');
fails_like($node, 'postgres', 'DROP OWNED BY owner CASCADE', $refused, 'DROP OWNED');
fails_like($node, 'postgres', 'SET ROLE owner; DROP TABLE hospital.patients', qr/other objects depend on it/, 'DROP TABLE of the source');
fails_like($node, 'postgres', 'SET ROLE owner; DROP TABLE hospital.patients CASCADE', $refused, 'DROP TABLE of the source, CASCADE');
fails_like($node, 'postgres', 'SET ROLE owner; DROP SCHEMA hospital CASCADE', $refused, 'DROP SCHEMA of the source');
fails_like($node, 'postgres', 'DROP ROLE owner', qr/cannot be dropped because some objects depend on it/, 'DROP ROLE');

foreach my $command ('DELETE FROM published.patients_1', 'TRUNCATE published.patients_1', 'DROP TABLE published.patients_1 CASCADE',
	'ALTER TABLE published.patients_1 DISABLE TRIGGER ALL', 'SELECT * FROM published_private.patients_members',
	'SELECT * FROM pprepub_internal.catalog_release', 'DELETE FROM pprepub_internal.catalog_relation', 'SELECT * FROM published.patients',
	"SELECT pprepub.drop_publication('patients', true)", "SELECT pprepub.publish('patients')",
	"SELECT pprepub.class_members('patients')", "SELECT pprepub.groups('patients')", "SELECT pprepub.linked_values('patients')",
	'ALTER EVENT TRIGGER pprepub_protect_drops DISABLE', 'DROP EXTENSION pprepub CASCADE')
{
	fails_like($node, 'postgres', "SET ROLE stranger; $command", qr/ERROR:  (permission denied|must be owner)/, "stranger: $command");
}
foreach my $command ('DELETE FROM pprepub_internal.catalog_relation', 'UPDATE pprepub_internal.catalog_publication SET releases = 0',
	'ALTER EVENT TRIGGER pprepub_protect_drops DISABLE', 'DROP EVENT TRIGGER pprepub_protect_drops',
	'DROP EXTENSION pprepub CASCADE', 'DROP FUNCTION pprepub_internal.refuse_change() CASCADE',
	'CREATE OR REPLACE FUNCTION pprepub_internal.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
	'ALTER EXTENSION pprepub DROP FUNCTION pprepub_internal.refuse_change()', 'ALTER EXTENSION pprepub UPDATE',
	'DROP SCHEMA pprepub CASCADE')
{
	fails_like($node, 'postgres', "SET ROLE owner; $command", qr/ERROR:  (permission denied|must be owner)/, "owner: $command");
}
fails_like($node, 'postgres', "SET ROLE owner; SELECT pprepub.drop_publication('patients')", qr/has 1 release/, 'owner: drop_publication');

same_everything(everything($node, 'postgres'), $before, 'after all of that, everything is as it was');

# ---- The extension ----

fails_like($node, 'postgres', 'DROP EXTENSION pprepub', qr/other objects depend on it/, 'DROP EXTENSION');
fails_like($node, 'postgres', 'DROP SCHEMA pprepub', qr/other objects depend on it/, 'DROP SCHEMA pprepub');
fails_like($node, 'postgres', 'ALTER EXTENSION pprepub SET SCHEMA public', qr/does not support SET SCHEMA/, 'ALTER EXTENSION SET SCHEMA');
fails_like($node, 'postgres', 'DROP EVENT TRIGGER pprepub_protect_drops', qr/extension pprepub requires it/, 'DROP EVENT TRIGGER');
fails_like($node, 'postgres', 'DROP FUNCTION pprepub_internal.refuse_change() CASCADE', qr/extension pprepub requires it/, 'DROP FUNCTION');
same_everything(everything($node, 'postgres'), $before, 'everything is as it was');

# ---- Another owner ----

$node->safe_psql('postgres', 'REASSIGN OWNED BY owner TO heir');
foreach my $role ('owner', 'heir')
{
	foreach my $call (q{SELECT pprepub.publish('patients')}, q{SELECT * FROM pprepub.preview('patients')},
		q{SELECT * FROM pprepub.class_members('patients')}, q{SELECT * FROM pprepub.groups('patients')},
		q{SELECT * FROM pprepub.linked_values('patients')},
		q{SELECT pprepub.drop_publication('patients', true)})
	{
		fails_like($node, 'postgres', "SET ROLE $role; $call", qr/ERROR:  (must be owner|the source of publication "patients" has another owner now)/,
			"REASSIGN OWNED: $role: $call");
	}
}
foreach my $table (@tables)
{
	fails_like($node, 'postgres', "SET ROLE heir; DELETE FROM $table", $refused, "heir: DELETE FROM $table");
	fails_like($node, 'postgres', "SET ROLE heir; DROP TABLE $table CASCADE", $refused, "heir: DROP TABLE $table");
}
$node->safe_psql('postgres', q{SET ROLE heir; SELECT pprepub.alter_publication('patients', '{}')});
is( $node->safe_psql('postgres', q{SET ROLE heir; SELECT publication, number, holds FROM pprepub.release, pprepub.audit(publication) WHERE check_name = 'checksums'}),
	'patients|1|t', 'the heir took over by alter_publication');
is($node->safe_psql('postgres', q{SET ROLE owner; SELECT count(*) FROM pprepub.release}), '0', 'and the former owner sees nothing');
fails_like($node, 'postgres', q{SET ROLE owner; SELECT pprepub.class_members('patients')}, qr/must be owner of publication/,
	'nor asks for members');

# ---- What the owner and a superuser may, and what is left then ----

# A superuser who takes the fences down is not stopped, but what he did shows.
$node->safe_psql('postgres', <<'SQL');
ALTER EVENT TRIGGER pprepub_protect_commands DISABLE;
ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE;
ALTER TABLE published.patients_1 DISABLE TRIGGER pprepub_seal;
ALTER TABLE published.patients_1 SET ACCESS METHOD heap;
UPDATE published.patients_1 SET disease = 'none' WHERE ctid = (SELECT min(ctid) FROM published.patients_1);
ALTER TABLE published.patients_1 SET ACCESS METHOD pprepub;
ALTER TABLE published.patients_1 ENABLE ALWAYS TRIGGER pprepub_seal;
ALTER EVENT TRIGGER pprepub_protect_rewrites ENABLE ALWAYS;
ALTER EVENT TRIGGER pprepub_protect_commands ENABLE ALWAYS;
SQL
is($node->safe_psql('postgres', q{SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums'}), 'f', 'one value changed: not intact');

$node->safe_psql('postgres', q{SET ROLE heir; SELECT pprepub.drop_publication('patients', forget_history => true)});
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname ~ '^patients_'}), '1', 'forget_history drops all but the index of the source');
is($node->safe_psql('postgres', q{SELECT count(*) FROM hospital.patients}), '1000', 'not the source');

# Without releases nothing stands in the way.
declare_patients_of_heir('unpublished');
$node->safe_psql('postgres', q{SET ROLE heir; SELECT pprepub.drop_publication('unpublished')});
pass('a publication without releases is dropped');

sub declare_patients_of_heir
{
	my ($name) = @_;

	$node->safe_psql('postgres', <<"SQL");
SET ROLE heir;
SELECT pprepub.create_publication('$name', 'hospital.patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
SQL
	return;
}

# DROP EXTENSION CASCADE, a superuser's word, takes releases with it, whose access method goes; those that were made heaps
# before stay as plain tables.
declare_patients_of_heir('patients');
my $rows = $node->safe_psql('postgres', q{SET ROLE heir; SELECT rows FROM pprepub.publish('patients')});
$node->safe_psql('postgres', q{SET ROLE heir; SELECT FROM pprepub.publish('patients')});
$node->safe_psql('postgres', <<'SQL');
BEGIN;
ALTER EVENT TRIGGER pprepub_protect_commands DISABLE;
ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE;
ALTER TABLE published.patients_1 SET ACCESS METHOD heap;
ALTER EVENT TRIGGER pprepub_protect_commands ENABLE ALWAYS;
ALTER EVENT TRIGGER pprepub_protect_rewrites ENABLE ALWAYS;
COMMIT;
SQL
is($node->safe_psql('postgres', q{SELECT bool_and(holds) FROM pprepub.audit('patients')}), 't', 'a heap is as good a release');
like(($node->psql('postgres', 'BEGIN; DROP EXTENSION pprepub CASCADE; ROLLBACK'))[2], qr/drop cascades to table published\.patients_2$/m,
	'DROP EXTENSION CASCADE says that releases go');
$node->safe_psql('postgres', 'DROP EXTENSION pprepub CASCADE');
is($node->safe_psql('postgres', 'SELECT count(*) FROM published.patients_1'), $rows, 'DROP EXTENSION CASCADE: a release that was made a heap stays');
is($node->safe_psql('postgres', q{SELECT to_regclass('published.patients_2') IS NULL}), 't', 'others go');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_event_trigger'), '0', 'event triggers go');
$node->safe_psql('postgres', 'SET ROLE heir; DROP SCHEMA published, published_private CASCADE');
pass('and then all can be dropped');
$node->safe_psql('postgres', 'CREATE EXTENSION pprepub');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release'), '0', 'a new pprepub knows nothing of it');

$node->safe_psql('postgres', 'CREATE DATABASE other');
make_patients($node, 'other', 100);
declare_patients($node, 'other', 'patients', 'hospital.patients');
$node->safe_psql('other', q{SET ROLE owner; SELECT pprepub.publish('patients')});
$node->safe_psql('postgres', 'DROP DATABASE other');
pass('DROP DATABASE is the last word of its owner');

$node->stop;
done_testing();
