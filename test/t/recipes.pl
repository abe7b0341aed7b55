# Pages for analysts, docs/howto/{analysts,recipes,counting}.md, show statements that work for one, and give
# what they show.
#
# Blocks run from top to bottom, as the analyst, in a database of the page's own: ```sql in one session of psql, ```python,
# ```r and ```java as programs.
use Hospital;
use Pages;

my $node = PostgreSQL::Test::Cluster->new('recipes');
$node->init;
$node->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'\njit = off");	# JDBC knows no sockets
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN; CREATE ROLE owner LOGIN SUPERUSER');


# ---- The hospital ----

# After its first release; with weeks, those have passed, and a release was made in each.
sub make_hospital
{
	my ($database, @weeks) = @_;
	my $weeks = join '', map { "CALL hospital.pass_week($_); SELECT pprepub.publish('patients');\n" } @weeks;

	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $database");
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION pprepub;' . slurp_file('test/data/hospital.sql') . slurp_file('test/data/declare.sql') . <<SQL);
SELECT pprepub.publish('patients');
$weeks
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA published TO analyst;
GRANT EXECUTE ON FUNCTION published.patients TO analyst;
SQL
	return;
}

make_hospital('weeks', 2 .. 5);

# ---- The eight employees of docs/howto/analysts.md ----

sub make_staff
{
	my ($people) = slurp_file('docs/howto/analysts.md') =~ /^\| id \| age \| sex \| illness \|\n\|.*\n((?:\|.*\n)+)/m;
	my $values = join ', ', map { sprintf "(%d, %d, '%s', '%s')", /(\w+)/g } split /\n/, $people;

	$node->safe_psql('postgres', 'CREATE DATABASE staff');
	$node->safe_psql('staff', <<SQL);
CREATE EXTENSION pprepub;
CREATE TABLE staff (id int PRIMARY KEY, age int, sex text, illness text);
INSERT INTO staff VALUES $values;
SELECT pprepub.create_publication('staff', 'staff', 'id', '{"age": "range", "sex": "suppress"}', 'illness', 'bpg',
	'{"k": 2, "l": 2, "reserve": 1}');
SELECT pprepub.publish('staff');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA published TO analyst;
SQL
	return;
}

make_staff();

# ---- Programs ----

my $driver = '/usr/share/java/postgresql.jar';
my %programs = (
	python => ['/usr/bin/python3'],
	r => ['Rscript'],
	java => [ 'java', '-cp', $driver ]);
my %arguments = (java => [ sprintf 'jdbc:postgresql://127.0.0.1:%d/hospital?user=analyst', $node->port ]);

sub runs
{
	my @command = @_;
	my ($printed, $error);

	return eval { IPC::Run::run(\@command, '<', \undef, '>', \$printed, '2>', \$error) };
}

# The program, with what this machine has, or nothing and why.
sub runnable
{
	my ($block) = @_;
	my ($language, $text) = @$block{qw(language text)};

	if ($language eq 'python')
	{
		my ($imports) = $text =~ /^import (.*)$/m;
		return runs('/usr/bin/python3', '-c', "import $imports") ? $text : (undef, "no $imports for /usr/bin/python3");
	}
	if ($language eq 'r')
	{
		return $text if runs('Rscript', '-e', 'library(RPostgres)');
		return (undef, 'neither RPostgres nor RPostgreSQL') if !runs('Rscript', '-e', 'library(RPostgreSQL)');
		$text =~ s/RPostgres::Postgres\(\)/RPostgreSQL::PostgreSQL()/ or die 'no driver in the R block';
		return $text;
	}
	return (undef, "no $driver") if !-e $driver;
	return runs('javac', '-version') ? $text : (undef, 'no JDK');
}

sub run_program
{
	my ($block) = @_;
	my ($text, $why) = runnable($block);

	return (undef, $why) if !defined $text;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/recipe_$block->{line}.$block->{language}";
	append_to_file($file, $text);
	my @command = (@{ $programs{ $block->{language} } }, $file, @{ $arguments{ $block->{language} } // [] });
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);
	my ($printed, $error);
	IPC::Run::run(\@command, '<', \undef, '>', \$printed, '2>', \$error) or $printed .= $error;
	return $printed;
}

# ---- Pages ----

foreach my $page (map { "docs/howto/$_.md" } qw(analysts recipes counting))
{
	my $statements = 0;

	make_hospital('hospital');
	my $session = start_session($node, 'hospital', user => 'analyst');
	foreach my $block (page_blocks($page))
	{
		my $language = $block->{language};

		if ($language eq 'sql')
		{
			check_block($block, printed($session, $block->{text}));
			$statements++ if !$block->{hidden};
		}
		elsif ($programs{$language})
		{
			my ($printed, $why) = run_program($block);

		  SKIP:
			{
				skip "$block->{name}: $why", 1 if !defined $printed;
				check_block($block, $printed);
			}
		}
		else
		{
			fail("$block->{name} is of no language that runs");
		}
	}
	end_session($session);
	cmp_ok($statements, '>', 3, "$page has statements");
}

# ---- Which conditions are asked, by the table in docs/howto/analysts.md ----

make_hospital('hospital');
my $session = start_session($node, 'hospital', user => 'analyst');
printed($session, "CREATE TEMP TABLE my_list (zip text);\nPREPARE of_age(int) AS SELECT 1;");

my ($table) = slurp_file('docs/howto/analysts.md') =~ /^\| condition \| asked\? \|\n(.*?)^$/ms;
my %asked = (yes => 0, no => 0);
foreach my $row (split /\n/, $table)
{
	my ($conditions, $asked) = $row =~ /^\| (.*?) \| (yes|no)\b/ or next;

	foreach my $condition ($conditions =~ /`([^`]*)`/g)
	{
		next if $condition =~ /^(JOIN|WITH|OFFSET) /;
		my $plan = printed($session, "DEALLOCATE of_age;\nPREPARE of_age(int) AS SELECT count(*) FROM published.patients_now WHERE $condition;\n"
			. 'SET plan_cache_mode = force_generic_plan; EXPLAIN (COSTS OFF) EXECUTE of_age(65);');

		like($plan, $asked eq 'yes' ? qr/^ +Cohort: \(/m : qr/^ +Cohort: everybody$/m, "$asked: $condition");
		unlike($plan, qr/^ +Filter:/m, '... and nothing is left to apply') if $asked eq 'yes';
		$asked{$asked}++;
	}
}
cmp_ok($asked{yes}, '>', 4, 'the table has conditions that are asked');
cmp_ok($asked{no}, '>', 3, 'and such that are not');
end_session($session);

$node->stop;
done_testing();
