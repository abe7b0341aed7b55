# A source whose own code does not wait for a lock fails by itself: whoever asked could bring it about, and sees what
# an empty cohort looks like, and pays for it.
use Hospital;

my $node = new_server('main');
make_patients($node, 'postgres', 300);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.other ();
CREATE FUNCTION hospital.look() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	LOCK hospital.other IN SHARE MODE NOWAIT;
	RETURN true;
END $$;
CREATE VIEW hospital.impatient AS SELECT * FROM hospital.patients WHERE (SELECT hospital.look());
SQL
declare_patients($node, 'postgres', 'impatient', 'hospital.impatient');

$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN; GRANT USAGE ON SCHEMA published TO analyst; GRANT EXECUTE ON FUNCTION published.impatient TO analyst');

my $ask = 'SET SESSION AUTHORIZATION analyst; SELECT count(*) FROM published.impatient()';
my $asked = "SELECT count(*) FROM pprepub.release WHERE publication = 'impatient'";

is($node->safe_psql('postgres', $ask), '300', 'nobody stands in the way');
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK hospital.other');
is($node->safe_psql('postgres', $ask), '0', 'a lock that was not to be had: as if there were nobody');
is($node->safe_psql('postgres', $asked), '2', 'and it counts');
is($node->safe_psql('postgres', 'SELECT sqlstate FROM pprepub.failed_answer'), '55P03', 'the owner finds out');
my ($code, $rows, $error) = $node->psql('postgres', 'SET SESSION AUTHORIZATION owner; SELECT count(*) FROM published.impatient()');
like($error, qr/could not obtain lock on relation "hospital\.other".*\n.*Others see an answer without rows, which was remembered/, 'at once, if the owner asks');
is($node->safe_psql('postgres', $asked), '3', 'which counts, too');
$holder->quit;
is($node->safe_psql('postgres', $ask), '300', 'later again');

$node->stop;
done_testing();
