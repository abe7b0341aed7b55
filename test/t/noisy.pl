# The budget of noisy counts: eight sessions race for its rest, workers, askers and the server are killed, and it is dumped and restored.
# Nothing that was seen is missing in the ledger, and nothing is spent twice.
use Time::HiRes qw(usleep);
use Hospital;
use Seed;

my $node = new_server('main');
make_patients($node, 'postgres', 2000);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id', '{"age": "range", "sex": "suppress"}', 'disease', 'bpg', '{"k": 5, "noise_budget": {"total": 0.5}}');
CREATE TABLE hospital.seen (n int, noisy_count bigint);
-- What is left may be too little, and is no error here
CREATE FUNCTION hospital.ask(n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO hospital.seen SELECT n, noisy_count FROM published.patients_noisy('{}', 'age <> ' || n, epsilon => 0.01);
EXCEPTION WHEN configuration_limit_exceeded THEN
	INSERT INTO hospital.seen VALUES (n, NULL);
END
$$;
SQL
my $ledger = q{SELECT substring(question ->> 'where' FROM '[0-9]+')::int AS n, counts[1] AS noisy_count, cost FROM pprepub_internal.catalog_noise};

sub race
{
	my ($what, $n) = @_;
	my $script = $node->basedir . "/$what.sql";

	append_to_file($script, "SET SESSION AUTHORIZATION owner;\n\\set n $n\nSELECT hospital.ask(:n);\n");
	$node->command_ok([ 'pgbench', '-n', '-c', 8, '-t', 10, '-f', $script, 'postgres' ], $what);
	return;
}

race('equal', '5');
is($node->safe_psql('postgres', "SELECT count(*), count(DISTINCT noisy_count), (SELECT count(*) FROM ($ledger) l) FROM hospital.seen"), '80|1|1', 'eighty equal questions are one');
race('different', '100 * :client_id + random(1, 1000000) * 1000');
is($node->safe_psql('postgres', "SELECT count(*), sum(cost) FROM ($ledger) l"), '50|500000000', 'of the budget all is spent, and not more');
is($node->safe_psql('postgres', "SELECT count(*), count(*) FILTER (WHERE s.noisy_count IS NULL), bool_and(s.noisy_count IS NULL = (l.n IS NULL) AND s.noisy_count IS NOT DISTINCT FROM l.noisy_count)
	FROM hospital.seen s LEFT JOIN ($ledger) l USING (n)"), '160|31|t', 'by those who were told');

# Killed at random moments.
my (%seen, $killed);
my $rounds = $ENV{KILL_ROUNDS} // 15;
draw_seed();
$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 100}, "accept_weakening": true}')});
foreach my $round (1 .. $rounds)
{
	my @sessions = map { my $n = $_; start_sql($node, 'postgres', q{SET application_name = 'asker'}, 'SET SESSION AUTHORIZATION owner', map {
		my $question = 1000 * $round + 100 * $n + $_;
		"SELECT $question, noisy_count FROM published.patients_noisy('{}', 'age <> $question', epsilon => 0.01)" } 1 .. 20) } 1 .. 2;
	my $how = (qw(kill cancel terminate asker server))[ $round % 5 ];
	my $of = $how eq 'asker' ? q{application_name = 'asker'} : q{backend_type = 'pprepub answer'};
	my $pid = '';

	usleep(50_000 + int(rand(200_000)));
	$pid = $node->safe_psql('postgres', "SELECT min(pid) FROM pg_stat_activity WHERE $of") if $how ne 'server';
	$node->stop('immediate') if $how eq 'server';
	$killed += $pid eq '' ? 0 : $how eq 'kill' || $how eq 'asker' ? kill(9, $pid) :
		$node->safe_psql('postgres', "SELECT pg_${how}_backend($pid)") eq 't';
	foreach my $session (@sessions)
	{
		finish_sql($session);
		$seen{$_}++ foreach grep { /^\d+\|-?\d+$/ } split /\n/, $session->{out};
	}
	$node->start if $how eq 'server';
	comes_back($node);
}
my %kept = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', "SELECT n || '|' || noisy_count FROM ($ledger) l");
cmp_ok($killed, '>', 0, 'some were killed');
cmp_ok(scalar(keys %seen), '>', 20, 'some were answered');
is(join(' ', grep { !$kept{$_} } sort keys %seen), '', 'all that was seen is charged');

# Once the source is read there is no way back: not for those who stop waiting, and not if their worker is stopped.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE VIEW hospital.slow AS SELECT id, age, disease FROM hospital.patients WHERE id > 1 OR pg_sleep(2) IS NULL;
SELECT pprepub.create_publication('slow', 'hospital.slow', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "noise_budget": {"total": 1}}', beside => '{patients}');
SQL
my $charged = q{SELECT count(*), count(counts) FROM pprepub_internal.catalog_noise n JOIN pprepub_internal.catalog_publication p USING (publication) WHERE p.name = 'slow'};
fails_like($node, 'postgres', q{SET ROLE owner; SET statement_timeout = '500ms'; SELECT * FROM published.slow_noisy('{}', epsilon => 0.1)}, qr/statement timeout/, 'an asker stops waiting');
is($node->safe_psql('postgres', q{SET ROLE owner; SELECT count(*) FROM published.slow_noisy('{}', epsilon => 0.1)}), '1', 'and gets the answer later');
is($node->safe_psql('postgres', $charged), '1|1', 'charged once');
my $asking = start_sql($node, 'postgres', q{SET ROLE owner}, q{SELECT * FROM published.slow_noisy('{}', epsilon => 0.2)});
usleep(700_000);
is($node->safe_psql('postgres', q{SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'pprepub answer'}) > 0, 1, 'workers are cancelled');
finish_sql($asking);
like($asking->{error}, qr/could not be counted.*charged all the same/s, 'one had begun');
is($node->safe_psql('postgres', $charged), '2|1', 'which is charged');

# A copy of the ledger is used only when its owner says that nothing was asked meanwhile; then it goes on where it was.
my $state = q{SET ROLE owner; SELECT total_left, cost FROM published.patients_noise_left('{}', 'age <> 5', epsilon => 0.01)};
my $ask = q{SET ROLE owner; SELECT noisy_count FROM published.patients_noisy('{}', 'age <> 5', epsilon => 0.01)};
my @before = map { $node->safe_psql('postgres', $_) } $state, $ask;
like($before[0], qr/\|0$/, 'what was answered is free');
foreach my $format ('plain', 'custom')
{
	my $copy = restored($node, $format);

	fails_like($node, $copy, $ask, qr/may have been rewound/, "$format: refused");
	$node->safe_psql($copy, q{SET ROLE owner; SELECT pprepub.acknowledge_history('patients')});
	is(join(' ', map { $node->safe_psql($copy, $_) } $state, $ask), "@before", "$format: the same is left, and the same answers are free");
	is($node->safe_psql($copy, q{SELECT proacl FROM pg_proc WHERE proname = 'patients_noisy'}), $node->safe_psql('postgres', q{SELECT proacl FROM pg_proc WHERE proname = 'patients_noisy'}), "$format: for the same roles");
}
$node->stop;
done_testing();
