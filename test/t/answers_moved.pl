# A worker that has answered stays. Whatever happens to the source between two answers: each row that leaves is
# the person's own, as it is by then where all of a group are asked for, and nobody is missed who is still there.
use Hospital;

my $node = new_server('main');
my $round = 0;

$node->append_conf('postgresql.conf', "pprepub.answer_linger = 10min\nmax_worker_processes = 32");
$node->restart;
make_patients($node, 'postgres', 3000);
run('CREATE TABLE hospital.first AS TABLE hospital.patients');

sub run
{
	return $node->safe_psql('postgres', join ";\n", @_);
}

sub workers
{
	return $node->safe_psql('postgres', q{SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE backend_type = 'pprepub answer'});
}

# A publication of a table like hospital.patients, all of whom one release was about.
sub begin
{
	my ($name) = @_;

	run("SET ROLE owner",
		$name eq 'patients' ? () : ("CREATE TABLE hospital.$name (LIKE hospital.patients INCLUDING ALL)", "INSERT INTO hospital.$name TABLE hospital.patients"),
		"SELECT pprepub.create_publication('$name', 'hospital.$name', 'id', '{\"age\": \"range\", \"zip\": \"prefix\", \"sex\": \"suppress\"}', 'disease', 'bpg',"
			. q{'{"k": 5, "l": 3, "repair": "dirty", "max_added": 1, "reserve": 8}', beside => (SELECT coalesce(array_agg(name::text), '{}') FROM pprepub.publication))},
		"SELECT pprepub.publish('$name')");
	asks($name, 'nothing');
	asks($name, 'another answer');
	return;
}

# About some of the people of each group, so that the others help, and all show what they showed last.
sub question
{
	my ($name) = @_;
	my $zips = join ',', map { "'" . (10000 + $_ * 100 + $round % 16) . "'" } 0 .. 31;

	$round += 3;
	return "SELECT count(*) FROM published.$name(\$\$zip IN ($zips)\$\$)";
}

# Then about all, who show what they have now; releases are compared with the source, or, if that is said, cannot be.
sub asks
{
	my ($name, $what, $fails) = @_;

	run(question($name));
	is(run("SELECT count(*) FROM published.$name('zip IS NOT NULL') WHERE disease NOT IN (SELECT disease FROM hospital.$name)"), '0',
		"$name: after $what, rows are as they are now");
	is(run("SELECT check_name FROM pprepub.audit('$name') WHERE NOT holds"), $fails // '', 'all holds');
	return;
}

# All are there, too: so many who help that nobody is withheld, but for a diagnosis.
sub asks_all
{
	my ($name, $what) = @_;

	asks($name, $what);
	is(run("SELECT suppressed < 20, dirty > 100 FROM pprepub.release WHERE publication = '$name' ORDER BY number DESC OFFSET 1 LIMIT 1"), 't|t', 'and hardly anybody is missed');
	return;
}

# ---- Others where people stood, who have gone nowhere ----

begin('patients');
my @moves = (
	'nothing' => '',
	'rows that moved' => 'UPDATE hospital.patients SET age = age',
	'rows that moved and changed' => q{UPDATE hospital.patients SET age = 18 + (age - 17) % 64, sex = CASE sex WHEN 'M' THEN 'F' ELSE 'M' END WHERE id % 2 = 0},
	'rows that moved back' => 'VACUUM hospital.patients; UPDATE hospital.patients SET age = age WHERE id % 3 > 0',
	'another order' => 'CREATE INDEX by_disease ON hospital.patients (disease, id DESC); CLUSTER hospital.patients USING by_disease; DROP INDEX hospital.by_disease',
	'numbers that went to others' => 'UPDATE hospital.patients SET id = -id; VACUUM hospital.patients; UPDATE hospital.patients SET id = 3001 + id',
	'a table that was filled anew' => 'CREATE TABLE hospital.copy AS SELECT * FROM hospital.patients ORDER BY hashint4(id); TRUNCATE hospital.patients;'
		. ' INSERT INTO hospital.patients TABLE hospital.copy; DROP TABLE hospital.copy');
while (my ($what, $change) = splice @moves, 0, 2)
{
	run(split /; */, $change) if $change ne '';
	asks_all('patients', $what);
	asks_all('patients', "$what, once more");
}

# Changes that others have not committed have not happened.
my $other = $node->background_psql('postgres');
$other->query_safe('BEGIN; UPDATE hospital.patients SET age = 100 - age; DELETE FROM hospital.patients WHERE id % 2 = 0');
asks_all('patients', 'changes that are not committed');
$other->query_safe('ROLLBACK');
asks_all('patients', 'changes that were undone');
$other->query_safe('BEGIN; UPDATE hospital.patients SET age = 100 - age; COMMIT');
asks_all('patients', 'changes that were committed');
$other->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM hospital.patients');
run(q{UPDATE hospital.patients SET disease = replace(disease, 'disease', 'illness')});
asks_all('patients', 'changes that somebody does not see');
$other->query_safe('COMMIT');

# A worker that rests does not wait for a lock, and stands in nobody's way.
run('UPDATE hospital.patients SET age = age');
asks_all('patients', 'rows that moved once more');
$other->query_safe('BEGIN; LOCK TABLE hospital.patients');
ok($node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE backend_type = 'pprepub answer'}),
	'a worker at rest holds no lock, and waits for none');
$other->query_safe('COMMIT');
$other->quit;
asks_all('patients', 'a lock');

# ---- Others in the places of those who have gone ----

run('DELETE FROM hospital.patients WHERE id % 17 = 0', 'VACUUM hospital.patients',
	"INSERT INTO hospital.patients SELECT 10000 + id, 99 - age % 50, zip, sex, 'disease new' FROM hospital.patients WHERE id % 13 = 0");
asks('patients', 'others who came');
run('DELETE FROM hospital.patients WHERE id % 4 = 1', 'VACUUM FULL hospital.patients');
asks('patients', 'few who were left');
asks('patients', 'few, once more');
run('TRUNCATE hospital.patients');
asks('patients', 'none who was left');

# ---- A source that is no plain table any more ----

# Of whom there are two rows, nobody can say which is his, and he is left out.
run('INSERT INTO hospital.patients TABLE hospital.first');
sub shown_nobody_twice
{
	my ($name) = @_;

	is(run("SELECT count(*) > 100, count(*) FILTER (WHERE key::int % 40 = 1) FROM pprepub.class_members('$name') WHERE release = (SELECT max(number)"
			. " FROM pprepub.release WHERE publication = '$name')"), 't|0', "$name: nobody of whom there are two rows was shown");
	return;
}
my %twice = (
	children => 'CREATE TABLE hospital.child () INHERITS (hospital.children); INSERT INTO hospital.child SELECT * FROM hospital.children WHERE id % 40 = 1',
	orphans => 'ALTER TABLE hospital.orphans DROP CONSTRAINT orphans_pkey; INSERT INTO hospital.orphans SELECT * FROM hospital.orphans WHERE id % 40 = 1',
	partly => 'ALTER TABLE hospital.partly DROP CONSTRAINT partly_pkey; CREATE UNIQUE INDEX ON hospital.partly (id) WHERE id % 40 <> 1;'
		. ' INSERT INTO hospital.partly SELECT * FROM hospital.partly WHERE id % 40 = 1',
	loosely => 'ALTER TABLE hospital.loosely DROP CONSTRAINT loosely_pkey; CREATE UNIQUE INDEX ON hospital.loosely (id, (nullif(age, age)));'
		. ' INSERT INTO hospital.loosely SELECT * FROM hospital.loosely WHERE id % 40 = 1',
	replicated => 'ALTER TABLE hospital.replicated DROP CONSTRAINT replicated_pkey, ADD PRIMARY KEY (id) DEFERRABLE; RESET ROLE;'
		. ' SET session_replication_role = replica; INSERT INTO hospital.replicated SELECT * FROM hospital.replicated WHERE id % 40 = 1');
foreach my $name (sort keys %twice)
{
	begin($name);
	run('SET ROLE owner', split /; */, $twice{$name});
	asks($name, 'rows that are repeated', 'covers');
	shown_nobody_twice($name);
}

# An answer that began when there were two rows is about these, whatever index it finds.
begin('late');
run('ALTER TABLE hospital.late DROP CONSTRAINT late_pkey', 'INSERT INTO hospital.late SELECT * FROM hospital.late WHERE id % 40 = 1');
$other = $node->background_psql('postgres');
$other->query_safe('BEGIN; DELETE FROM hospital.late a USING hospital.late b WHERE a.id = b.id AND a.ctid > b.ctid; ALTER TABLE hospital.late ADD PRIMARY KEY (id)');
my $asker = start_sql($node, 'postgres', question('late'));
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND backend_type = 'pprepub answer'});
$other->query_safe('COMMIT');
$other->quit;
is(finish_sql($asker), 0, 'late: an answer that had to wait');
shown_nobody_twice('late');
asks_all('late', 'a key that is unique again');

begin('later');
run('ALTER TABLE hospital.later DROP CONSTRAINT later_pkey, ADD PRIMARY KEY (id) DEFERRABLE', 'UPDATE hospital.later SET age = age');
asks_all('later', 'a key that is unique in the end only');
run('ALTER TABLE hospital.later RENAME COLUMN id TO number', 'CREATE UNIQUE INDEX ON hospital.later (number)', 'UPDATE hospital.later SET age = age');
asks_all('later', 'another name of the column');

# Rights on rows.
begin('hidden');
run('ALTER TABLE hospital.hidden ENABLE ROW LEVEL SECURITY', 'CREATE POLICY hides ON hospital.hidden USING (id % 3 <> 1)');
asks_all('hidden', 'a policy that is not for the owner');
run('ALTER TABLE hospital.hidden FORCE ROW LEVEL SECURITY');
fails_like($node, 'postgres', q{SELECT count(*) FROM published.hidden('age < 50')}, qr/row-level security/, 'one that is for the owner, too, is refused');

is(scalar(split ' ', workers()), 9, 'those about one publication by one worker');
is(run('SELECT count(*) FROM pprepub.failed_answer'), '0', 'no answer failed');
is(run(qq{SELECT bool_and(holds) FROM pprepub.attack('$_')}), 't', "$_: every set of people that is told apart is allowed") foreach 'patients', 'late', 'later', keys %twice;

done_testing();
