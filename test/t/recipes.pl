# What the pages for analysts, docs/howto/{analysts,recipes,counting,cohorts}.md, tell them to type works for one, and gives
# what they show.
#
# Blocks run from top to bottom, as the analyst, in a database of the page's own: ```sql in one session of psql, ```python,
# ```r and ```java as programs.  A ```text block behind one of them is all that it prints; where there is none, the block may
# print what it likes, but nothing on stderr.  A comment <!-- test: … --> is a command of psql for the blocks that follow.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Hospital;

my $node = PostgreSQL::Test::Cluster->new('recipes');
$node->init;
$node->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'\njit = off");	# JDBC knows no sockets
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');

# ----------------------------------------------------------------
# The hospital
# ----------------------------------------------------------------

# After its first release; with weeks, those have passed, and a release was made in each.
sub make_hospital
{
	my ($database, @weeks) = @_;
	my $weeks = join '', map { "CALL hospital.pass_week($_); SELECT pprepub.publish('patients');\n" } @weeks;

	$node->safe_psql('postgres', "DROP DATABASE IF EXISTS $database");
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION pprepub;' . slurp_file('test/data/hospital.sql') . <<SQL);
SELECT pprepub.create_taxonomy('world', 'hospital.country_levels');
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}', 'disease', 'bpg', '{"k": 10, "l": 3}');
SELECT pprepub.publish('patients');
$weeks
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA published TO analyst;
GRANT EXECUTE ON FUNCTION published.patients TO analyst;
SQL
	return;
}

make_hospital('weeks', 2 .. 5);

# ----------------------------------------------------------------
# The eight employees of docs/howto/cohorts.md
# ----------------------------------------------------------------

sub make_staff
{
	my ($people) = slurp_file('docs/howto/cohorts.md') =~ /^\| id \| age \| sex \| illness \|\n\|.*\n((?:\|.*\n)+)/m;
	my $values = join ', ', map { sprintf "(%d, %d, '%s', '%s')", /(\w+)/g } split /\n/, $people;

	$node->safe_psql('postgres', 'CREATE DATABASE staff');
	$node->safe_psql('staff', <<SQL);
CREATE EXTENSION pprepub;
CREATE TABLE staff (id int PRIMARY KEY, age int, sex text, illness text);
INSERT INTO staff VALUES $values;
SELECT pprepub.create_publication('staff', 'staff', 'id', '{"age": "range", "sex": "suppress"}', 'illness', 'bpg',
	'{"k": 2, "l": 2, "repair": "minimal"}');
SELECT pprepub.publish('staff');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA published TO analyst;
SQL
	return;
}

make_staff();

# ----------------------------------------------------------------
# Blocks
# ----------------------------------------------------------------

# In the page's order: their language, text and line, and what they print, if that is shown.
sub blocks
{
	my ($page) = @_;
	my (@blocks, $block);
	my $line = 0;

	foreach (split /\n/, slurp_file($page))
	{
		$line++;
		if ($block && /^```$/)
		{
			if ($block->{language} eq 'text')
			{
				die "$page:$block->{line}: output of nothing" if !@blocks || exists $blocks[-1]{shown};
				$blocks[-1]{shown} = $block->{text};
			}
			else
			{
				push @blocks, $block;
			}
			undef $block;
		}
		elsif ($block)
		{
			$block->{text} .= "$_\n";
		}
		elsif (/^```(\w*)$/)
		{
			$block = { language => $1, text => '', line => $line };
		}
		elsif (/^<!-- test: (.*) -->$/)
		{
			push @blocks, { language => 'command', text => "$1\n", line => $line };
		}
	}
	die "$page: a block has no end" if $block;
	return @blocks;
}

# ----------------------------------------------------------------
# Programs
# ----------------------------------------------------------------

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

# ----------------------------------------------------------------
# Pages
# ----------------------------------------------------------------

# What one session of psql prints for each block, and how.
my ($psql, $in, $out) = (undef, '', '');

sub start_session
{
	$in = $out = '';
	$psql = IPC::Run::start([ 'psql', '-X', '-q', '-P', 'pager=off', '-v', 'VERBOSITY=default', '-h', $node->host, '-p', $node->port, '-U', 'analyst', '-d', 'hospital' ],
		'<', \$in, '>', \$out, '2>&1', IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return;
}

sub printed
{
	my ($text) = @_;

	$out = '';
	$in .= "$text\n\\echo the end of a block\n";
	IPC::Run::pump($psql) until $out =~ /^the end of a block$/m;
	return $out =~ s/^the end of a block\n//mr;
}

# Without the blanks that end psql's lines, and empty lines around.
sub trimmed
{
	return $_[0] =~ s/ +$//gmr =~ s/^\n+|\n+$//gr;
}

foreach my $page (map { "docs/howto/$_.md" } qw(analysts recipes counting cohorts))
{
	my %blocks;

	make_hospital('hospital');
	start_session();
	foreach my $block (blocks($page))
	{
		my $language = $block->{language};
		my $what = sprintf '%s:%d: %s', $page, $block->{line}, $block->{text} =~ s/\n.*//sr;
		my $printed;

		$blocks{$language}++;
		if ($language eq 'sql' || $language eq 'command')
		{
			$printed = printed($block->{text});
		}
		elsif ($programs{$language})
		{
			($printed, my $why) = run_program($block);
			if (!defined $printed)
			{
			  SKIP: { skip "$what: $why", 1; }
				next;
			}
		}
		else
		{
			fail("$what is of no language that runs");
			next;
		}
		if (exists $block->{shown})
		{
			is(trimmed($printed), trimmed($block->{shown}), $what);
		}
		else
		{
			unlike($printed, qr/^(ERROR|WARNING|NOTICE|invalid command|\\\S+: )/m, $what);
		}
	}
	$in .= "\\q\n";
	$psql->finish;
	cmp_ok($blocks{sql}, '>', 3, "$page has statements");
}

# ----------------------------------------------------------------
# Which conditions are asked, by the table in docs/howto/analysts.md
# ----------------------------------------------------------------

make_hospital('hospital');
start_session();
printed("CREATE TEMP TABLE my_list (zip text);\nPREPARE of_age(int) AS SELECT 1;");

my ($table) = slurp_file('docs/howto/analysts.md') =~ /^\| condition \| asked\? \|\n(.*?)^$/ms;
my %asked = (yes => 0, no => 0);
foreach my $row (split /\n/, $table)
{
	my ($conditions, $asked) = $row =~ /^\| (.*?) \| (yes|no)\b/ or next;

	foreach my $condition ($conditions =~ /`([^`]*)`/g)
	{
		next if $condition =~ /^(JOIN|WITH|OFFSET) /;
		my $plan = printed("DEALLOCATE of_age;\nPREPARE of_age(int) AS SELECT count(*) FROM published.patients_now WHERE $condition;\n"
			. 'SET plan_cache_mode = force_generic_plan; EXPLAIN (COSTS OFF) EXECUTE of_age(65);');

		like($plan, $asked eq 'yes' ? qr/^ +Cohort: \(/m : qr/^ +Cohort: everybody$/m, "$asked: $condition");
		unlike($plan, qr/^ +Filter:/m, '... and nothing is left to apply') if $asked eq 'yes';
		$asked{$asked}++;
	}
}
cmp_ok($asked{yes}, '>', 4, 'the table has conditions that are asked');
cmp_ok($asked{no}, '>', 3, 'and such that are not');

# ----------------------------------------------------------------
# A wrong page is noticed
# ----------------------------------------------------------------

like(printed('SELECT count(*) FROM published.patients_now WHERE sex = M;'), qr/^ERROR:  column "m" does not exist$/m, 'a wrong statement shows');
like(printed('\no_such_command'), qr/^invalid command/m, 'and so does a wrong command');
$in .= "\\q\n";
$psql->finish;

$node->stop;
done_testing();
