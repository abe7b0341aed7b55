# A worker that has answered stays. Whatever happens to groups and places, and to the publication, between two
# answers: it takes nobody for a newcomer who was seen before.
use Hospital;

my $node = new_server('main');
my $groups = 'published_private.patients_groups';
my $age = 40;
my $pid;

$node->append_conf('postgresql.conf', "pprepub.answer_linger = 1min");
$node->restart;
make_patients($node, 'postgres', 2000);

# Asked again and again about cohorts that overlap; in assert builds history is looked through after each answer.
sub ask
{
	my $answered = $node->safe_psql('postgres', 'SELECT count(*) > 100 FROM published.patients($$age > ' . $age++ . '$$)');

	$pid //= worker();
	return $answered;
}

sub worker
{
	return $node->safe_psql('postgres', q{SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});
}

sub all_holds
{
	my ($what) = @_;

	is($node->safe_psql('postgres', q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', $what);
	is($node->safe_psql('postgres', q{SELECT bool_and(holds) FROM pprepub.attack('patients')}), 't', 'and every set of people that is told apart is allowed');
	return;
}

# The first question is wrong, and so the worker looks at a history that is not there yet.
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
fails_like($node, 'postgres', q{SELECT * FROM published.patients(columns => '{x}')}, qr/has no column "x"/, 'a question that is wrong');
is(ask(), 't', 'a first answer');
is(ask(), 't', 'a second one');

# ---- Rows elsewhere, under the same numbers ----

foreach my $command ("VACUUM $groups", "VACUUM FULL $groups", "VACUUM (FREEZE) $groups",
	"CREATE INDEX by_number ON $groups (\"group\" DESC)", "CLUSTER $groups USING by_number", "DROP INDEX published_private.by_number",
	'CHECKPOINT')
{
	$node->safe_psql('postgres', $command);
	is(ask(), 't', "an answer after $command");
	is(ask(), 't', 'and another one');
}

# The rows of a few people, behind the end of what is left of the table.
foreach my $times (1 .. 8)
{
	my $few = 'SELECT count(*) FROM published.patients($$age = ' . (20 + $times) . '$$)';
	my $answered;

	ask() foreach 1 .. 2;
	$answered = $node->safe_psql('postgres', $few);
	$node->safe_psql('postgres', "VACUUM FULL $groups");
	is($node->safe_psql('postgres', $few), $answered, 'a few after VACUUM FULL are those before');
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.failed_answer'), '0', 'no answer failed');
$age = 40;

# ---- Releases that were made meanwhile, or were not ----

my %between = (
	'a release' => q{SELECT pprepub.publish('patients')},
	'a release that was rolled back' => q{BEGIN; SELECT pprepub.publish('patients'); ROLLBACK},
	'one whose savepoint was' => q{BEGIN; SAVEPOINT s; SELECT pprepub.publish('patients'); ROLLBACK TO s; COMMIT},
	'one that was made again' => q{BEGIN; SAVEPOINT s; SELECT pprepub.publish('patients', 'age < 50'); ROLLBACK TO s; SELECT pprepub.publish('patients'); COMMIT},
	'other parameters' => q{SELECT pprepub.alter_publication('patients', '{"reserve": 3}')},
	'a rebuilt history' => q{SELECT * FROM pprepub.rebuild_history('patients')},
	'people who left' => q{DELETE FROM hospital.patients WHERE id % 97 = 0});
foreach my $what (sort keys %between)
{
	$node->safe_psql('postgres', "SET ROLE owner; $between{$what}");
	is(ask(), 't', "an answer after $what");
	is(ask(), 't', 'and another one');
}
# It brings nobody, and parts off the places of those who left.
$node->safe_psql('postgres', q{SET ROLE owner; DELETE FROM hospital.patients WHERE age = 18; SELECT pprepub.publish('patients')});
is($node->safe_psql('postgres', q{SELECT count(*) > 0 FROM published.patients('age > 60')}), 't', 'an answer after a release of fewer people');
is(worker(), $pid, 'all by one worker');
all_holds('all of it is remembered');

# An answer that cannot be committed leaves nothing behind in the worker.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
CREATE TRIGGER refuse BEFORE INSERT ON pprepub_internal.catalog_release FOR EACH ROW EXECUTE FUNCTION refuse();
SQL
fails_like($node, 'postgres', q{SELECT * FROM published.patients('age > 20')}, qr/refused/, 'an answer that fails when it is noted');
$node->safe_psql('postgres', 'DROP TRIGGER refuse ON pprepub_internal.catalog_release');
is(ask(), 't', 'and one that does not');
is(worker(), $pid, 'by the same worker');
all_holds('nothing is missing');

# ---- Another publication of the same name ----

$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.drop_publication('patients', forget_history => true)});
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
is(ask(), 't', 'an answer of another publication of the same name');
is(ask(), 't', 'and another one');
like(worker(), qr/\b$pid\b/, 'while the worker stays');
all_holds('it has a history of its own');

# Numbers of publications begin anew with the extension.
$node->safe_psql('postgres', 'DROP EXTENSION pprepub CASCADE; DROP SCHEMA published, published_private CASCADE; CREATE EXTENSION pprepub');
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
is(ask(), 't', 'an answer of another extension');
is(ask(), 't', 'and another one');
like(worker(), qr/\b$pid\b/, 'while the worker stays');
all_holds('it knows nothing of what was before');

# ---- A source that shares its rows with another's ----

$node->safe_psql('postgres', 'SET ROLE owner; CREATE TABLE hospital.visitors (LIKE hospital.patients); INSERT INTO hospital.visitors TABLE hospital.patients');
declare_patients($node, 'postgres', 'visitors', 'hospital.visitors');
is(ask(), 't', 'an answer while nothing is shared');
$node->safe_psql('postgres', 'ALTER TABLE hospital.visitors INHERIT hospital.patients');
fails_like($node, 'postgres', 'SELECT * FROM published.patients()', qr/"patients" shares data with publication "visitors"/, 'none when something is');
$node->safe_psql('postgres', 'ALTER TABLE hospital.visitors NO INHERIT hospital.patients');
is(ask(), 't', 'and again when nothing is any more');
like(worker(), qr/\b$pid\b/, 'while the worker stays');

# ---- A history that is locked ----

# An asker who goes away before the worker has all its locks has not asked.
{
	my $releases = $node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release');

	foreach my $part (qw(groups places asked regions))
	{
		my $holder = $node->background_psql('postgres');

		$holder->query_safe("BEGIN; LOCK TABLE published_private.patients_$part IN SHARE MODE");
		fails_like($node, 'postgres', q{SET statement_timeout = '1s'; SELECT * FROM published.patients()}, qr/statement timeout/, "the $part are locked");
		$holder->query_safe('ROLLBACK');
		$holder->quit;
		$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE backend_type = 'pprepub answer'});
	}
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release'), $releases, 'nothing was begun, and nothing remembered');
	is(ask(), 't', 'an answer when nothing is locked');
}

# ---- A history that somebody has tampered with ----

# A row without keys where keys should be tells nothing, and is not taken for what it is not.
$node->safe_psql('postgres', 'SET ROLE owner; CREATE TABLE hospital.guests (LIKE hospital.patients); INSERT INTO hospital.guests TABLE hospital.patients');
declare_patients($node, 'postgres', 'guests', 'hospital.guests');
is($node->safe_psql('postgres', q{SELECT count(*) > 100 FROM published.guests('age > 40')}), 't', 'an answer before');
$node->safe_psql('postgres', <<'SQL');
BEGIN;
ALTER EVENT TRIGGER pprepub_protect_commands DISABLE;
ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE;
ALTER TABLE published_private.guests_groups ALTER keys TYPE bigint USING 1;
ALTER EVENT TRIGGER pprepub_protect_commands ENABLE ALWAYS;
ALTER EVENT TRIGGER pprepub_protect_rewrites ENABLE ALWAYS;
COMMIT;
SQL
my $nobody = 0;
$node->safe_psql('postgres', 'CREATE ROLE asker LOGIN; GRANT USAGE ON SCHEMA published TO asker; GRANT EXECUTE ON FUNCTION published.guests TO asker');
foreach (1 .. 2)
{
	my ($code, $rows, $error) = $node->psql('postgres', q{SET SESSION AUTHORIZATION asker; SELECT count(*) FROM published.guests('age > 40')});

	# In assert builds the history is looked through after each answer.
	ok($rows eq '0' || $error =~ /the table of groups of publication "guests" is malformed/, 'none from what is no history');
	$nobody += $rows eq '0';
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.failed_answer WHERE publication = 'guests' AND message ~ 'is malformed'}), $nobody, 'the owner is told why');
like(worker(), qr/\b$pid\b/, 'and the worker of the other publication stays');

done_testing();
