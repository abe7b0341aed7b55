# Live tables in sessions of their own: the library comes with the first query, parameters of clients are part of the cohort,
# what else is in a query does not matter, and rows that were seen are remembered.
use DBI;
use Hospital;

my $node = new_server('main', allows_streaming => 1);
make_patients($node, 'postgres', 3000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', <<'SQL');
SELECT pprepub.alter_publication('patients', '{"max_answers_per_statement": 100}');
CREATE ROLE analyst LOGIN;
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients_now, published.patients_answers TO analyst;
GRANT CREATE ON SCHEMA public TO analyst;
SQL

sub as_analyst
{
	my ($sql) = @_;
	my ($out, $error);
	my $code = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ], stdout => \$out, stderr => \$error);

	return $code == 0 ? $out : "failed: $error";
}

sub last_cohort
{
	return $node->safe_psql('postgres', 'SELECT cohort, columns FROM pprepub.release ORDER BY number DESC LIMIT 1');
}

# The first statement of a session, which loads the library while it is planned.
like(as_analyst(q{EXPLAIN (COSTS OFF) SELECT sex, count(*) FROM published.patients_now WHERE sex = 'F' GROUP BY sex}),
	qr/Group Key: sex\n  ->  Sort\n.*Sort Key: sex\n.*Foreign Scan.*\n\s+Cohort: \(sex = 'F'::text\)\n\s+Columns: sex/, 'what is asked says nothing of what comes out');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pprepub.release'), '0', 'and nobody was asked');
is(as_analyst(q{SELECT sex, count(*) > 100 FROM published.patients_now WHERE sex = 'F' GROUP BY sex}), 'F|t', 'an answer');
is(last_cohort(), q{(sex = 'F')|{sex}}, 'about women');

# Each group comes once, however the column's cells lie: equal values stand apart in an answer.
foreach my $column (qw(age zip sex))
{
	my $value = as_analyst("SELECT $column FROM published.patients_now WHERE $column IS NOT NULL LIMIT 1");
	$value =~ s/\*$//;
	my $condition = $column eq 'zip' ? "zip LIKE '$value%'" : "$column = '$value'";
	foreach my $hash (qw(on off))
	{
		is(as_analyst("SET enable_hashagg = $hash; SELECT count(*) - count(DISTINCT coalesce($column\::text, '')) FROM (SELECT $column, count(*) FROM published.patients_now WHERE $condition GROUP BY $column OFFSET 0) g"),
			'0', "groups of $column, hashed $hash");
		is(as_analyst("SET enable_hashagg = $hash; SELECT bool_and(before <= $column) IS NOT FALSE FROM (SELECT $column, lag($column) OVER () AS before FROM (SELECT $column FROM published.patients_now WHERE $condition ORDER BY $column OFFSET 0) o) o"),
			't', "sorted by $column");
	}
}
# nor does a join with a constant follow from a condition
is(as_analyst(q{SELECT count(*) FROM published.patients_now p JOIN (VALUES ('F'), ('M')) s (sex) USING (sex) WHERE p.sex = 'F' AND s.sex = 'M'}), '0', 'a join is of what comes out');

# Parameters on the wire.
{
	my $client = DBI->connect("dbi:Pg:dbname=postgres;host=" . $node->host . ";port=" . $node->port, 'analyst', '', { RaiseError => 1, PrintError => 0, AutoCommit => 1 });
	my $ask = $client->prepare('SELECT disease, count(*) FROM published.patients_now WHERE age > ? AND sex = ? AND zip LIKE ? GROUP BY disease', { pg_server_prepare => 1 });
	foreach my $age (20 .. 27)			# after five, the plan may be one for any parameters
	{
		$ask->execute($age, $age % 2 ? 'F' : 'M', "1%'\\\\_\"");
		1 while $ask->fetchrow_arrayref;
		is(last_cohort(), "(age > $age) AND (sex = '" . ($age % 2 ? 'F' : 'M') . q{') AND (zip ~~ E'1%''\\\\\\\\_"')|} . '{disease}', "$age is what it is asked with");
	}
	eval { $client->selectall_arrayref('SELECT count(*) FROM published.patients_now WHERE zip LIKE ?', undef, 'ends with\\') };
	like($@, qr/LIKE pattern must not end with escape character/, 'a pattern that could fail for some rows');
	eval { $client->selectall_arrayref('SELECT count(*) FROM published.patients_now WHERE zip = ?', undef, 'x' x 70000) };
	like($@, qr/a cohort may have 65536 bytes at most/, 'a value that is too long');
	$client->disconnect;
}

# Other parts of a query.
is(as_analyst('SELECT count(*) > 100 FROM (SELECT tableoid::regclass, ctid FROM published.patients_now) s'), 't', 'system columns');
is(as_analyst('SELECT count(p) > 100 FROM published.patients_now p WHERE age > 30'), 't', 'whole rows');
is(last_cohort(), '(age > 30)|', 'which need all columns');
as_analyst('CREATE TABLE mine AS SELECT disease, 0 AS n FROM published.patients_now GROUP BY disease');
is(as_analyst('UPDATE mine m SET n = p.n FROM (SELECT disease, count(*) AS n FROM published.patients_now GROUP BY disease) p WHERE m.disease = p.disease; SELECT min(n) > 0 FROM mine'), 't', 'an update');
is(as_analyst('UPDATE mine m SET n = n + 1 FROM published.patients_now p WHERE m.disease = p.disease AND p.age > 40; SELECT count(*) > 0 FROM mine'), 't', 'an update by rows');
is($node->safe_psql('postgres', 'SELECT count(*) > 100 FROM (SELECT disease FROM published.patients_now WHERE age > 30 FOR UPDATE) s'), 't', 'locks of nothing');
is(as_analyst('DELETE FROM mine USING published.patients_now p WHERE mine.disease = p.disease; SELECT count(*) FROM mine'), '0', 'a deletion');
is(as_analyst('CREATE TABLE parent (age int, zip text, sex text, disease text, class bigint, cells jsonb); SELECT 1'), '1', 'a table');
$node->safe_psql('postgres', 'ALTER TABLE parent OWNER TO owner; ALTER FOREIGN TABLE published.patients_now INHERIT parent; GRANT SELECT ON parent TO analyst');
is(as_analyst('SELECT count(*) > 100 FROM parent WHERE age > 30'), 't', 'a child of another table');
is(last_cohort(), '|{age}', 'is asked about everybody');
$node->safe_psql('postgres', 'ALTER FOREIGN TABLE published.patients_now NO INHERIT parent; DROP TABLE parent');
is(as_analyst('SELECT count(*) > 100 FROM (SELECT disease FROM published.patients_now WHERE age > 30 UNION ALL SELECT disease FROM published.patients_now) u WHERE disease IS NOT NULL'), 't', 'both sides of a UNION');
is(as_analyst('WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r, (SELECT count(*) AS c FROM published.patients_now WHERE age > 30) p WHERE n < 5 AND c > 0) SELECT max(n) FROM r'), '5', 'a recursive query');

# Answers that do not fit into memory, read more than once.
my $rows = 'md5(string_agg(p::text, \',\' ORDER BY p::text)), count(*)';
my $spilled = as_analyst("SET work_mem = '64kB'; SET enable_material = off; SELECT count(DISTINCT rows) || ' ' || min(n) FROM (SELECT g, $rows FROM generate_series(1, 3) g LEFT JOIN LATERAL (SELECT age, zip, sex, disease, cells FROM published.patients_now OFFSET 0) p ON true GROUP BY g) s (g, rows, n)");
is($spilled, '1 3000', 'an answer that is larger than work_mem, three times');
like(as_analyst("SET work_mem = '64kB'; SET enable_material = off; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(p) FROM generate_series(1, 3) g LEFT JOIN LATERAL (SELECT age, zip, sex, disease, cells FROM published.patients_now OFFSET 0) p ON true"),
	qr/Foreign Scan on patients_now \(actual rows=3000(?:\.00)? loops=3\)/, 'by scanning it again');

# Cursors read one answer, whatever is rolled back in between, and an answer that was asked for in what is rolled back stays remembered.
{
	my $asked = q{SELECT max(number) FROM pprepub.release};
	my $before = $node->safe_psql('postgres', $asked);
	my $fetched = as_analyst(<<'SQL');
SET work_mem = '64kB';
CREATE TEMP TABLE fetched (step int, age int, disease text);
CREATE FUNCTION pg_temp.fetch(step int, cursor refcursor, n int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN
	FOR i IN 1 .. n LOOP FETCH cursor INTO r; EXIT WHEN NOT FOUND; INSERT INTO fetched VALUES (step, r.age, r.disease); END LOOP;
END $$;
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT age, disease FROM published.patients_now WHERE age > 21;
SELECT pg_temp.fetch(1, 'c', 700);
SAVEPOINT s;
SELECT pg_temp.fetch(2, 'c', 700);
ROLLBACK TO s;
SELECT pg_temp.fetch(3, 'c', 700);
MOVE ABSOLUTE 700 IN c;
SELECT pg_temp.fetch(4, 'c', 700);
MOVE ABSOLUTE 0 IN c;
COMMIT;
SELECT pg_temp.fetch(5, 'c', 100000);
CLOSE c;
SELECT (SELECT count(*) FROM fetched WHERE step = 4), (SELECT count(*) FROM fetched WHERE step = 5) > 1400,
	(SELECT count(*) FROM (SELECT age, disease FROM fetched WHERE step IN (1, 4) EXCEPT ALL SELECT age, disease FROM fetched WHERE step = 5) d);
SQL
	like($fetched, qr/^700\|t\|0$/m, 'a cursor, across a rollback and a commit');
	is($node->safe_psql('postgres', $asked), $before + 1, 'reads one answer');
	as_analyst('BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR SELECT age FROM published.patients_now; FETCH c; ROLLBACK TO s; FETCH c');
	is($node->safe_psql('postgres', $asked), $before + 2, 'a cursor that is rolled back has asked');

	# A value that is an answer itself.
	as_analyst(q{CREATE FUNCTION oldest() RETURNS int STABLE LANGUAGE sql AS 'SELECT max(age) - 1 FROM published.patients_now WHERE sex = ''F'''});
	like(as_analyst('SELECT count(*) FROM published.patients_now WHERE age < oldest()'), qr/^[0-9]+$/, 'an answer about what another answer told');
	is($node->safe_psql('postgres', $asked), $before + 4, 'two answers');
	is($node->safe_psql('postgres', "SELECT count(*) FROM pprepub.release WHERE number > $before + 2 AND cohort ~ 'sex = |age < '"), '2', 'each remembered with its cohort');
}

# A row that another transaction has changed is not looked at again by another answer.
{
	as_analyst(q{CREATE TABLE changed (id int, disease text, n int); INSERT INTO changed VALUES (1, 'none', 0), (2, 'disease 1', 0)});
	my $other = $node->background_psql('postgres');
	$other->query_safe('BEGIN; UPDATE changed SET n = n + 1');
	my $waiting = start_sql($node, 'postgres', 'SET SESSION AUTHORIZATION analyst', 'UPDATE changed SET n = n + 10 WHERE disease NOT IN (SELECT disease FROM published.patients_now WHERE age > 30 AND disease IS NOT NULL)');
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ '^UPDATE changed'}) or die 'nobody waits';
	my $asked = $node->safe_psql('postgres', 'SELECT max(number) FROM pprepub.release');
	$other->query_safe('COMMIT');
	$other->quit;
	isnt(finish_sql($waiting), 0, 'an update that would need another answer fails');
	like($waiting->{error}, qr/could not look again at a row that another transaction has changed/, 'and says why');
	is($node->safe_psql('postgres', 'SELECT max(number) FROM pprepub.release'), $asked, 'without asking again');
	is($node->safe_psql('postgres', 'SELECT max(n) FROM changed'), '1', 'nor changing anything');
}

# Queries that are run in parallel but for the live table.
$node->safe_psql('postgres', 'CREATE TABLE zones AS SELECT i AS id, (10000 + i)::text AS zip FROM generate_series(1, 100000) i; ANALYZE zones; GRANT SELECT ON zones TO analyst');
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ';
is(as_analyst($parallel . 'SELECT count(*) > 100 FROM published.patients_now WHERE age > (SELECT count(*) FROM zones) - 99980'), 't', 'after a subquery that was planned in parallel');
is(as_analyst($parallel . q{SELECT count(*) > 0 FROM zones z, (SELECT DISTINCT zip FROM published.patients_now WHERE age > 30) p WHERE starts_with(z.zip, rtrim(p.zip, '*'))}), 't', 'beside a large table');

# A standby explains, and does not answer.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
like($standby->safe_psql('postgres', 'EXPLAIN SELECT age FROM published.patients_now WHERE age > 40'), qr/Cohort: \(age > 40\)/, 'a standby explains');
fails_like($standby, 'postgres', 'SELECT age FROM published.patients_now WHERE age > 40', qr/a standby cannot answer/, 'and does not answer');
$standby->stop;

is($node->safe_psql('postgres', q{SELECT check_name FROM pprepub.audit('patients') WHERE NOT holds}), '', 'all that was answered is remembered');
$node->stop;
done_testing();
