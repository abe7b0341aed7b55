# Method global: whatever is killed amid a release, what is kept of everybody's classes is what was published.
use FindBin;
use lib "$FindBin::RealBin/../lib";
use Hospital;
use Crash;
use Seed;

draw_seed();
my $node = new_server('global');

make_patients($node, 'postgres', 20000);
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
CREATE TABLE hospital.registry AS SELECT id, age, zip, sex FROM hospital.patients WHERE id % 3 = 0;
UPDATE hospital.patients SET id = id + 1000000 WHERE id % 3 = 0;
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 3, "registry": "hospital.registry"}');
SQL

my $whole = <<'SQL';
SET ROLE owner;
SELECT (SELECT bool_and(holds) FROM pprepub.audit('patients')), (SELECT bool_and(equal) FROM pprepub.rebuild_history('patients')),
	(SELECT max(probability) <= 0.5 FROM pprepub.breach_probability('patients'));
SQL
my $publish = q{SET ROLE owner; SELECT number FROM pprepub.publish('patients')};

is($node->safe_psql('postgres', $publish), '1', 'the first release');
foreach my $moment (1 .. 4)
{
	my $session = start_sql($node, 'postgres', "SET application_name = 'killed'", 'SET ROLE owner',
		q{BEGIN; SELECT pprepub.publish('patients'); SELECT pg_sleep(600)});
	my $killed = q{FROM pg_stat_activity WHERE application_name = 'killed' AND query ~ 'publish'};

	$node->poll_query_until('postgres', "SELECT count(*) = 1 $killed") or die 'nobody publishes';
	my $pid = $node->safe_psql('postgres', "SELECT pid $killed");
	select(undef, undef, undef, 0.08 * $moment);
	kill_backend($node, $pid);
	isnt(finish_sql($session), 0, "killed, moment $moment");
	comes_back($node);
	is($node->safe_psql('postgres', q{SET ROLE owner; SELECT count(*) FROM pprepub.release}), '1', "killed, moment $moment: nothing remains");
}
is($node->safe_psql('postgres', $whole), 't|t|t', 'all is as it was');
is($node->safe_psql('postgres', $publish), '2', 'and goes on');
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', $whole), 't|t|t', 'stopped after a release: all is there');
is($node->safe_psql('postgres', $publish), '3', 'and counts');
is($node->safe_psql('postgres', $whole), 't|t|t', 'nobody is linked too well');
$node->stop;

done_testing();
