# A NOTIFY for each release that has a table, when it is committed, and for nothing else.
use Hospital;

my $node = new_server('main');
$node->append_conf('postgresql.conf', 'max_prepared_transactions = 2');
$node->restart;
make_patients($node, 'postgres', 500);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
my $hostile = "a'), \"x\": \\\n\t";
(my $quoted = $hostile) =~ s/'/''/g;
$node->safe_psql('postgres', 'SET ROLE owner; CREATE TABLE hospital.others AS SELECT * FROM hospital.patients');
declare_patients($node, 'postgres', $quoted, 'hospital.others');
$node->safe_psql('postgres', q{CREATE ROLE stranger LOGIN; CREATE ROLE analyst; GRANT USAGE ON SCHEMA published TO analyst;
	GRANT EXECUTE ON FUNCTION published.patients TO analyst; SET ROLE owner; CREATE TABLE hospital.elsewhere AS SELECT id, disease FROM hospital.patients});

# A role without any rights listens.
my $listener = $node->background_psql('postgres', extra_params => [ '-U', 'stranger' ]);
$listener->query_safe('LISTEN pprepub_release');

# Notices since it was last asked; PostgreSQL delivers in the order of commits.
sub heard
{
	my $text = '';

	$node->safe_psql('postgres', q{NOTIFY pprepub_release, 'end'});
	$text .= $listener->query('SELECT 1') until $text =~ /payload "end"/;
	return join "\n", grep { $_ ne 'end' } $text =~ /notification "pprepub_release" with payload "(.*?)" received from/sg;
}

sub hears
{
	my ($sql, $expected, $what) = @_;

	$node->psql('postgres', "SET client_min_messages = error; $sql", on_error_stop => 0);
	is(heard(), $expected, $what);
	return;
}

sub payload { return qq({"publication": "$_[0]", "number": $_[1], "kind": "$_[2]"}) }

hears(q{SELECT pprepub.publish('patients')}, payload('patients', 1, 'stored'), 'a release');
hears(q{BEGIN; SELECT pprepub.publish('patients'); ROLLBACK}, '', 'one that is rolled back');
hears(q{BEGIN; SELECT pprepub.publish('patients'); SELECT 1/0; COMMIT}, '', 'one whose transaction fails');
hears(q{BEGIN; SAVEPOINT s; SELECT pprepub.publish('patients'); ROLLBACK TO s; SELECT pprepub.publish('patients', 'age > 30'); COMMIT},
	payload('patients', 2, 'stored'), 'rolled back to a savepoint, and made again under the number');
hears(q{BEGIN; SELECT pprepub.publish('patients'); SAVEPOINT a; SAVEPOINT b; SELECT pprepub.publish('patients') FROM generate_series(1, 2); RELEASE b; ROLLBACK TO a; SAVEPOINT c;
	SELECT pprepub.publish('patients'); RELEASE c; SAVEPOINT d; ROLLBACK TO d; COMMIT},
	payload('patients', 3, 'stored') . "\n" . payload('patients', 4, 'stored'), 'several savepoints');
hears(q{DO $$ BEGIN BEGIN PERFORM pprepub.publish('patients'); RAISE 'no'; EXCEPTION WHEN raise_exception THEN NULL; END; END $$}, '', 'caught');
hears(q{SELECT pprepub.import_release('patients', 'hospital.elsewhere', 'id')}, payload('patients', 5, 'imported'), 'an import');
hears(q{SET ROLE analyst; SELECT * FROM published.patients('age > 20')}, '', 'an answer is nobody else\'s business');
is($node->safe_psql('postgres', q{SELECT kind FROM pprepub.release WHERE publication = 'patients' AND number = 6}), 'query', 'which there was');
hears(q{SELECT pprepub.preview('patients')}, '', 'a preview');
(my $escaped = $hostile) =~ s/(["\\])/\\$1/g;
$escaped =~ s/\n/\\n/g;
$escaped =~ s/\t/\\t/g;
hears("SELECT pprepub.publish('$quoted')", payload($escaped, 1, 'stored'), 'a name that is not plain');

# A release can be prepared, which a transaction that has notified cannot; nobody is told of it.
hears(q{BEGIN; SELECT pprepub.publish('patients'); PREPARE TRANSACTION 'p'}, '', 'prepared');
hears(q{COMMIT PREPARED 'p'; SELECT 1}, '', 'and committed');
is($node->safe_psql('postgres', q{SELECT max(number) FROM pprepub.release WHERE publication = 'patients'}), '7', 'it is there');
hears(q{SELECT pprepub.publish('patients')}, payload('patients', 8, 'stored'), 'the next one is announced');
$listener->quit;

$node->stop;
done_testing();
