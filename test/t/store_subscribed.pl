# A table of the access method pprepub takes what logical replication brings: rows that no statement inserts, and that nothing
# seals but the end of their transaction, be it committed or prepared.
use Hospital;

my $publisher = new_server('publisher', allows_streaming => 'logical');
my $subscriber = new_server('subscriber');

foreach my $node ($publisher, $subscriber)
{
	$node->append_conf('postgresql.conf', 'max_prepared_transactions = 5');
	$node->restart;
}
$publisher->safe_psql('postgres', <<'SQL');
CREATE TABLE fed (id int PRIMARY KEY, t text, a int[]);
INSERT INTO fed SELECT i, 'copied', ARRAY[i] FROM generate_series(1, 1000) i;
CREATE PUBLICATION feed FOR TABLE fed WITH (publish = 'insert, truncate');
SQL
$subscriber->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pprepub;
CREATE TABLE fed (id int PRIMARY KEY, t text, a int[]) USING pprepub;
SQL
$subscriber->safe_psql('postgres', 'CREATE SUBSCRIPTION eater CONNECTION $$' . $publisher->connstr('postgres') .
	'$$ PUBLICATION feed WITH (two_phase = true)');
$subscriber->wait_for_subscription_sync($publisher, 'eater');

sub same_rows
{
	my ($what) = @_;
	my $rows = q{SELECT count(*), md5(string_agg(f::text, ',' ORDER BY id)) FROM fed f};

	$publisher->wait_for_catchup('eater');
	is($subscriber->safe_psql('postgres', $rows), $publisher->safe_psql('postgres', $rows), $what);
	is($subscriber->safe_psql('postgres', q{SELECT count(*) FROM pprepub.verify_storage('fed') WHERE NOT holds}), '0', "$what: everything holds");
	return;
}

same_rows('the first copy');
$publisher->safe_psql('postgres', q{INSERT INTO fed SELECT i, 'at once', ARRAY[i, NULL] FROM generate_series(1001, 21000) i});
same_rows('many rows');
$publisher->safe_psql('postgres', "INSERT INTO fed VALUES ($_, 'alone')") foreach 30001 .. 30005;
same_rows('a row a transaction');
$publisher->safe_psql('postgres', q{INSERT INTO fed SELECT 40001, string_agg(md5(i::text), '') FROM generate_series(1, 50000) i});
same_rows('a large value');
$publisher->safe_psql('postgres', <<'SQL');
BEGIN;
INSERT INTO fed VALUES (50001, 'before');
SAVEPOINT a;
INSERT INTO fed VALUES (50002, 'undone');
ROLLBACK TO a;
SAVEPOINT b;
INSERT INTO fed VALUES (50003, 'kept');
RELEASE b;
COMMIT;
SQL
same_rows('savepoints');
$publisher->safe_psql('postgres', q{BEGIN; INSERT INTO fed VALUES (60001, 'truncated'); TRUNCATE fed; INSERT INTO fed VALUES (60001, 'behind'), (60002, 'it'); COMMIT});
same_rows('TRUNCATE');
is($subscriber->safe_psql('postgres', 'SET enable_seqscan = off; SELECT t FROM fed WHERE id = 60001'), 'behind', 'its index knows');

# Prepared there, too, when it is here; and still so after a crash.
my $prepared = 'SELECT count(*) FROM pg_prepared_xacts';
$publisher->safe_psql('postgres', q{BEGIN; INSERT INTO fed SELECT i, 'prepared' FROM generate_series(70001, 70100) i; PREPARE TRANSACTION 'p'});
$publisher->safe_psql('postgres', q{BEGIN; INSERT INTO fed VALUES (80001, 'prepared, not committed'); PREPARE TRANSACTION 'q'});
$subscriber->poll_query_until('postgres', $prepared, '2') or die 'nothing is prepared';
$subscriber->stop('immediate');
$subscriber->start;
is($subscriber->safe_psql('postgres', $prepared), '2', 'prepared transactions survive');
$publisher->safe_psql('postgres', q{COMMIT PREPARED 'p'});
$publisher->safe_psql('postgres', q{ROLLBACK PREPARED 'q'});
$subscriber->poll_query_until('postgres', $prepared, '0') or die 'still prepared';
same_rows('prepared transactions');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM fed WHERE id > 70000'), '100', 'of which one was committed');

$subscriber->stop;
$publisher->stop;
done_testing();
