# Six analysts ask at random what comes to their minds, while owners publish, change what is declared, drop a
# publication and declare it anew, people come, go and change, and workers are ended in the midst of it. What
# was seen is remembered, what is remembered is whole and allowed, and nobody meets an error but those that
# tell him what happens.
#
# LIFE_SECONDS=300 test/run -k tap answers_random: as long as you like.
use Hospital;
use Seed;

my $seconds = $ENV{LIFE_SECONDS} // 12;
my $analysts = 6;
my ($k, $l) = (4, 2);
draw_seed();

# Groups and places are vacuumed, truncated and moved while workers read and write them.
my $node = new_server('main');
$node->append_conf('postgresql.conf', <<'CONF');
autovacuum = on
autovacuum_naptime = 1s
autovacuum_vacuum_threshold = 5
autovacuum_vacuum_scale_factor = 0
max_worker_processes = 8
max_connections = 40
pprepub.answer_linger = 300ms
CONF
$node->restart;
make_patients($node, 'postgres', 600);
$node->safe_psql('postgres', <<"SQL");
SET ROLE owner;
-- Rows that cannot be shown come and go, and some days nothing can be read at all.
CREATE TABLE hospital.strays (LIKE hospital.patients);
CREATE TABLE hospital.mood AS SELECT false AS is_bad;
CREATE FUNCTION hospital.read(id int) RETURNS int LANGUAGE plpgsql AS \$\$
BEGIN
	IF id % 100 = 50 AND (SELECT is_bad FROM hospital.mood) THEN
		RAISE EXCEPTION 'a bad day';
	END IF;
	RETURN id;
END \$\$;
CREATE VIEW hospital.everybody AS SELECT hospital.read(id) AS id, age, zip, sex, disease FROM hospital.patients UNION ALL TABLE hospital.strays;
CREATE FUNCTION hospital.declare(name text, beside name[]) RETURNS void LANGUAGE sql AS \$\$
	SELECT pprepub.create_publication(name, 'hospital.everybody', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'bpg',
		jsonb_build_object('k', $k, 'l', $l, 'repair', ('{dirty,counterfeit}'::text[])[1 + floor(random() * 2)::int]), beside => beside)
\$\$;
SELECT hospital.declare('steady', '{}'), hospital.declare('fleeting', '{steady}');
GRANT USAGE ON SCHEMA published TO PUBLIC;
GRANT EXECUTE ON FUNCTION published.steady, published.fleeting TO PUBLIC;
GRANT SELECT ON published.fleeting_now TO PUBLIC;
SQL
$node->safe_psql('postgres', "CREATE ROLE analyst$_ LOGIN") foreach 1 .. $analysts;

# ---- What they say ----

sub any { return $_[ int(rand(@_)) ] }

sub cohort
{
	my $from = 18 + int(rand(60));
	my @plain = (
		"age BETWEEN $from AND " . ($from + int(rand(40))), "age > $from", "NOT age = $from", "age = $from",
		"sex = ''" . any('F', 'M') . "''", "zip LIKE ''1" . int(rand(4)) . "%''", "zip <> ''" . (10000 + 100 * int(rand(32))) . "''",
		"age IN ($from, " . ($from + 1) . ", " . ($from + 2) . ")", 'age IS NULL', 'false');

	return any('NULL', map { "'$_'" } any(@plain), any(@plain) . ' AND ' . any(@plain), any(@plain) . ' OR ' . any(@plain));
}

sub columns
{
	my @chosen = grep { rand() < 0.5 } qw(age zip sex disease);

	return @chosen == 0 ? 'NULL' : "'{" . join(',', @chosen) . "}'";
}

# Line after line, until the time is over.
sub script
{
	my ($line) = @_;
	my $text = "\\set VERBOSITY verbose\n\\set ON_ERROR_STOP off\nSET client_min_messages = error;\n";

	foreach my $n (1 .. 200 * $seconds)
	{
		$text .= "SELECT clock_timestamp() > :'until' AS over \\gset\n\\if :over\n\\quit\n\\endif\n" . $line->();
	}
	return $text;
}

# Answers are printed with the question; some ask and roll back, some lose patience.
sub question
{
	return live_question() if rand() < 0.2;
	my ($of, $cohort, $columns) = (any('steady', 'steady', 'fleeting'), cohort(), columns());
	my $ask = "SELECT '$of', md5(format('%s %s', $cohort\::text, $columns\::name[])), count(*) FROM published.$of($cohort, $columns);\n";

	return any($ask, $ask, $ask, "BEGIN;\n${ask}ROLLBACK;\n", "BEGIN ISOLATION LEVEL SERIALIZABLE;\n${ask}COMMIT;\n",
		"SET statement_timeout = " . (1 + int(rand(40))) . ";\n${ask}RESET statement_timeout;\n");
}

# Cohorts as conditions of a query.
sub live_question
{
	my $condition = cohort() =~ s/''/'/gr =~ s/^'(.*)'$/$1/sr =~ s/^NULL$/true/r;

	return "SELECT count(*) AS seen, round(avg(age)) FROM published.fleeting_now WHERE $condition \\gset\n";
}

sub repair { return any(qw(dirty counterfeit)) }

my @publisher = (
	sub { "SELECT FROM pprepub.publish('steady');\n" },
	sub { "SELECT FROM pprepub.publish('steady', " . cohort() . ", " . columns() . ");\n" },
	sub { "BEGIN;\nSELECT FROM pprepub.publish('steady', " . cohort() . ");\nSELECT pg_sleep(0.02);\nROLLBACK;\n" },
	sub { "BEGIN;\nSELECT FROM pprepub.publish('steady');\nSAVEPOINT s;\nSELECT FROM pprepub.publish('steady', " . cohort() . ");\nROLLBACK TO s;\nCOMMIT;\n" },
	sub { "SELECT FROM pprepub.alter_publication('steady', '{\"repair\": \"" . repair() . "\", \"reserve\": " . any(1, 1, 2) . "}');\n" },
	sub { "BEGIN;\nSELECT FROM pprepub.alter_publication('steady', '{\"repair\": \"" . repair() . "\"}');\nSELECT pg_sleep(0.02);\nROLLBACK;\n" },
	sub { "SELECT FROM pprepub.preview('steady', " . cohort() . ");\n" },
	sub { "SELECT 'rebuilt', equal FROM pprepub.rebuild_history('steady');\n" },
	sub { any('VACUUM', 'VACUUM FULL', 'VACUUM ANALYZE', 'REINDEX TABLE') . " published_private.steady_" . any(qw(groups places)) . ";\n" });

my @declarer = (
	sub { "SELECT FROM pprepub.publish('fleeting', " . cohort() . ");\nSELECT pg_sleep(" . rand(0.2) . ");\n" },
	sub { "SELECT FROM pprepub.alter_publication('fleeting', '{\"repair\": \"" . repair() . "\"}');\nSELECT pg_sleep(" . rand(0.2) . ");\n" },
	sub { "SELECT pprepub.drop_publication('fleeting', true);\nSELECT hospital.declare('fleeting', '{steady}');\nGRANT EXECUTE ON FUNCTION published.fleeting TO PUBLIC;\nGRANT SELECT ON published.fleeting_now TO PUBLIC;\nSELECT pg_sleep(" . rand(0.3) . ");\n" },
	sub { "BEGIN;\nSELECT pprepub.drop_publication('fleeting', true);\nSELECT hospital.declare('fleeting', '{steady}');\nSELECT pg_sleep(" . rand(0.05) . ");\n" . any('COMMIT', 'ROLLBACK')
		. ";\nGRANT EXECUTE ON FUNCTION published.fleeting TO PUBLIC;\nGRANT SELECT ON published.fleeting_now TO PUBLIC;\nSELECT pg_sleep(" . rand(0.3) . ");\n" });

# People who were discharged may come again, as themselves.
my @nurse = (
	sub { "DELETE FROM hospital.patients WHERE id % 97 = " . int(rand(97)) . ";\n" },
	sub { "INSERT INTO hospital.patients SELECT id, 18 + id * 7 % 63, 10000 + id % 32 * 100, ('{F,M}'::text[])[1 + id % 2], 'disease ' || id % 8 FROM generate_series("
		. join(', ', map { ($_, $_ + 15) } 1 + int(rand(900))) . ") id ON CONFLICT DO NOTHING;\n" },
	sub { "UPDATE hospital.patients SET age = 18 + (age * 5 + id) % 63 WHERE id % 89 = " . int(rand(89)) . ";\n" },
	sub { "UPDATE hospital.patients SET disease = 'disease ' || (id + " . int(rand(8)) . ") % 8 WHERE id % 83 = " . int(rand(83)) . ";\n" },
	sub { "INSERT INTO hospital.strays SELECT id, age, '5*', sex, disease FROM hospital.patients WHERE id % 61 = " . int(rand(61)) . ";\nSELECT pg_sleep(0.05);\nDELETE FROM hospital.strays;\n" },
	sub { "INSERT INTO hospital.strays VALUES (NULL, 40, '10000', 'F', 'disease 1'), (2001, 30, '1*', NULL, 'disease 2'), (2002, NULL, NULL, NULL, 'disease 3'), (2003, 30, '10100', 'M', NULL);\n"
		. "SELECT pg_sleep(0.05);\nDELETE FROM hospital.strays;\n" },
	sub { "UPDATE hospital.mood SET is_bad = true;\nSELECT pg_sleep(0.05);\nUPDATE hospital.mood SET is_bad = false;\n" },
	sub { "BEGIN;\nDELETE FROM hospital.patients;\nSELECT pg_sleep(0.01);\nROLLBACK;\n" },
	sub { "SELECT pg_sleep(0.05);\n" });

# Ends a worker, or cancels what it does; not all of them rest.
my @killer = (sub { "SELECT pg_sleep(" . rand(0.4) . ");\nSELECT count(" . any('pg_terminate_backend', 'pg_cancel_backend')
		. "(pid)) * 0 FROM (SELECT pid FROM pg_stat_activity WHERE backend_type = 'pprepub answer' ORDER BY random() LIMIT 1) w;\n" });

# ---- Life ----

my @sessions;
my $until = $node->safe_psql('postgres', "SELECT clock_timestamp() + interval '$seconds seconds'");

sub start_life
{
	my ($as, $line) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/' . @sessions;

	# Their output goes into files: a test that waits for one of them does not empty the pipes of the others.
	append_to_file("$file.sql", script($line));
	push @sessions, { as => $as, file => $file, run => IPC::Run::start([ 'psql', '-XAtq', '-v', "until=$until", '-d',
		$node->connstr('postgres') . " user=$as", '-f', "$file.sql" ], '<', \undef, '>', "$file.out", '2>', "$file.error", IPC::Run::timeout($seconds + 120)) };
	return;
}

start_life("analyst$_", \&question) foreach 1 .. $analysts;
start_life('owner', sub { any(@publisher)->() });
start_life('owner', sub { any(@declarer)->() });
start_life('owner', sub { any(@nurse)->() });
my ($superuser) = $node->safe_psql('postgres', 'SELECT current_user');
start_life($superuser, sub { any(@killer)->() });
foreach my $session (@sessions)
{
	IPC::Run::finish($session->{run});
	$session->{$_} = slurp_file("$session->{file}.$_") foreach qw(out error);
}

# ---- What came of it ----

# A declaration that met a repeated key left nothing in place of the publication that was dropped before it.
$node->safe_psql('postgres', <<'SQL');
DELETE FROM hospital.strays;
UPDATE hospital.mood SET is_bad = false;
SET ROLE owner;
SELECT hospital.declare('fleeting', '{steady}') WHERE NOT EXISTS (SELECT FROM pprepub.publication WHERE name = 'fleeting');
SQL

# Errors that all may be told, and those that nobody but an owner is told.
my %expected = (
	'57014' => 'cancelled', '57000' => 'the worker was ended', '25P02' => 'the transaction had failed',
	'42704' => 'the publication was dropped', '42883' => 'its function was', '42P01' => 'or its live table',
	'40P01' => 'or somebody who drops it waits for the live table that is asked', '42501' => 'and not granted yet', '55000' => 'it is declared by who has not committed');
my %expected_by_owner = (%expected, 'P0002' => 'nothing may be published', '23505' => 'a key is repeated', '23502' => 'or missing', 'P0001' => 'a bad day', '42710' => 'what was to be dropped before is still there', '3B001' => 'a savepoint went with its transaction');
my (%met, @unexpected);
foreach my $session (@sessions)
{
	foreach my $error ($session->{error} =~ /(\w+:  \w{5}: .*)/g)
	{
		my ($state) = $error =~ /:  (\w{5}):/;

		$met{$state}++;
		push @unexpected, "$session->{as}: $error" if !exists +($session->{as} eq 'owner' ? \%expected_by_owner : \%expected)->{$state};
	}
}
note(join ', ', map { "$_: $met{$_}" } sort keys %met);
is_deeply(\@unexpected, [], 'nobody met another error than those that tell what happens');
unlike(slurp_file($node->logfile), qr/TRAP|PANIC|terminated by signal|invalid memory|cache lookup/, 'nor did the server');
unlike(join('', map { $_->{out} } @sessions), qr/rebuilt\|f/, 'groups were what the log tells, whenever somebody looked');

# Answers that an analyst saw of a publication that stayed are remembered, in that order; somebody who
# lost patience has not seen all of it.
my ($seen, $asked, $missing) = (0, 0, 0);
foreach my $session (grep { $_->{as} =~ /^analyst/ } @sessions)
{
	my @remembered = split /\n/, $node->safe_psql('postgres', qq{SELECT md5(format('%s %s', cohort, columns)) || '|' || rows FROM pprepub.release
		WHERE publication = 'steady' AND kind = 'query' AND published_by = '$session->{as}' ORDER BY number});
	my @saw = $session->{out} =~ /^steady\|(\w+\|\d+)$/mg;

	$asked += @remembered;
	foreach my $answer (@saw)
	{
		shift @remembered while @remembered && $remembered[0] ne $answer;
		$missing++ if !@remembered;
		shift @remembered;
		$seen++;
	}
}
note("$seen answers of steady seen, $asked remembered");
cmp_ok($seen, '>', 5 * $seconds, 'they were answered');
is($missing, 0, 'no answer was seen that the history lacks');

foreach my $name ('steady', 'fleeting')
{
	is($node->safe_psql('postgres', "SELECT count(*) = coalesce(max(number), 0) AND count(*) = (SELECT releases FROM pprepub.publication WHERE name = '$name') FROM pprepub.release WHERE publication = '$name'"),
		't', "$name: releases without gaps");
	is($node->safe_psql('postgres', "SELECT equal FROM pprepub.rebuild_history('$name') WHERE NOT equal"), '', "$name: groups are what the log tells");
	is($node->safe_psql('postgres', "SELECT * FROM pprepub.attack('$name') WHERE NOT holds"), '', "$name: nobody is told apart");
	is($node->safe_psql('postgres', "SELECT check_name, required, measured FROM pprepub.audit('$name') WHERE NOT holds"), '', "$name: an audit agrees");
}
# A process of the server that starts locks its database for a moment.
is( $node->safe_psql('postgres', q{
	SELECT l, a.backend_type, a.query FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
	WHERE locktype IN ('object', 'advisory') AND pid <> pg_backend_pid()
		AND NOT (locktype = 'object' AND classid = 'pg_database'::regclass)}),
	'', 'no lock is left');

$node->stop;
done_testing();
