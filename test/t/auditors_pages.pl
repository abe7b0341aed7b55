# What the auditors' pages tell owners and auditors to type works, and prints what they show.
#
# ```sql blocks run from top to bottom in one session of psql, as the owner of a hospital, in a database of the page's own.
# A ```text block behind one is all that it prints; where there is none, the block may print what it likes, but no error and
# no warning.  A comment <!-- test: … --> is a command of psql for the blocks that follow; behind <!-- numbers vary --> numbers
# need not be those that are shown: lots are drawn where people leave.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Hospital;

my $node = new_server('auditors_pages');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE officer LOGIN');

# ----------------------------------------------------------------
# Hospitals
# ----------------------------------------------------------------

# Databases from which those of pages are copied: with nothing, with a hospital that has published nothing, and with one after
# five weeks and an answer.
my $declared = slurp_file('test/data/hospital.sql') . <<'SQL';
SELECT pprepub.create_taxonomy('world', 'hospital.country_levels');
SELECT pprepub.create_publication('patients', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}', 'disease', 'bpg', '{"k": 10, "l": 3}');
SQL

sub make_database
{
	my ($name, $template) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE $template");
	$node->safe_psql('postgres', "GRANT CREATE ON DATABASE $name TO owner");
	return;
}

# As the owner who has logged in: answers are given to such.
sub as_owner
{
	my ($database, $sql) = @_;

	$node->safe_psql($database, $sql, extra_params => [ '-U', 'owner' ]);
	return;
}

make_database('bare', 'template0');
$node->safe_psql('bare', 'CREATE EXTENSION pprepub; GRANT CREATE ON SCHEMA public TO owner');
make_database('declared', 'bare');
as_owner('declared', $declared);
make_database('published', 'bare');
as_owner('published', $declared . <<'SQL');
SELECT pprepub.publish('patients');
SELECT count(*) FROM published.patients_now WHERE sex = 'F' AND age >= 65;
DO $$
BEGIN
	FOR week IN 2 .. 5 LOOP
		CALL hospital.pass_week(week);
		PERFORM pprepub.publish('patients');
	END LOOP;
END $$;
SQL

# ----------------------------------------------------------------
# Pages
# ----------------------------------------------------------------

# In the page's order: statements, their line, and what they print, if that is shown.
sub blocks
{
	my ($page) = @_;
	my (@blocks, $block, $last, $varies);
	my $line = 0;

	foreach (split /\n/, slurp_file($page))
	{
		$line++;
		if ($block && /^```$/)
		{
			if ($block->{language} eq 'sql')
			{
				push @blocks, $last = { %$block, varies => $varies };
				undef $varies;
			}
			elsif ($block->{language} eq 'text' && $last)
			{
				$last->{shown} = $block->{text};
				undef $last;
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
			undef $last;
		}
		elsif (/^<!-- numbers vary -->$/)
		{
			$varies = 1;
		}
		elsif (/^#/)
		{
			undef $last;
		}
	}
	die "$page: a block has no end" if $block;
	return @blocks;
}

my ($psql, $in, $out);

sub start_session
{
	my ($database) = @_;

	$in = $out = '';
	$psql = IPC::Run::start([ 'psql', '-X', '-q', '-P', 'pager=off', '-v', 'VERBOSITY=default', '-h', $node->host, '-p', $node->port, '-U', 'owner', '-d', $database ],
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

sub end_session
{
	$in .= "\\q\n";
	$psql->finish;
	return;
}

# Without the blanks that end psql's lines, and empty lines around.
sub trimmed
{
	return $_[0] =~ s/ +$//gmr =~ s/^\n+|\n+$//gr;
}

# What is left of a table if numbers, and so the widths of columns, may be others.
sub without_numbers
{
	return $_[0] =~ s/\d+(?:\.\d+)?/1/gr =~ s/-{2,}/--/gr =~ s/ {2,}/ /gr;
}

my $wrong = qr/^(ERROR|WARNING|NOTICE|invalid command|\\\S+: )/m;

sub check_page
{
	my ($page, $template) = @_;
	my ($database) = $page =~ m{/(\w+)\.md$};
	my $statements = 0;

	make_database($database, $template);
	start_session($database);
	foreach my $block (blocks($page))
	{
		my $what = sprintf '%s:%d: %s', $page, $block->{line}, $block->{text} =~ s/\n.*//sr;
		my $printed = printed($block->{text});

		$statements++ if $block->{language} eq 'sql';
		if (exists $block->{shown})
		{
			my @texts = map { trimmed($_) } $printed, $block->{shown};
			@texts = map { without_numbers($_) } @texts if $block->{varies};
			is($texts[0], $texts[1], $what);
		}
		else
		{
			unlike($printed, $wrong, $what);
		}
	}
	end_session();
	cmp_ok($statements, '>', 0, "$page has statements");
	return;
}

my @pages = (
	[ 'docs/howto/auditors.md', 'published' ],
	[ 'docs/howto/audit.md', 'published' ],
	[ 'docs/howto/attack.md', 'bare' ],
	[ 'docs/howto/linkability.md', 'bare' ],
	[ 'docs/howto/risks.md', 'published' ],
	[ 'docs/howto/import.md', 'declared' ],
	[ 'docs/howto/report.md', 'published' ],
	[ 'docs/explanation/store.md', 'bare' ],
	[ 'docs/reference/metrics.md', 'bare' ]);
check_page(@$_) foreach @pages;

# ----------------------------------------------------------------
# docs/howto/audit.md explains each check that there is
# ----------------------------------------------------------------

my %explained = map { $_ => 1 } map { /^\| (`[^|]*) \|/ ? $1 =~ /`([^`]+)`/g : () } split /\n/, slurp_file('docs/howto/audit.md');
my $sources = '';
foreach my $file (glob 'src/check/*.c src/method/*/sql/*.c')
{
	$sources .= slurp_file($file);
}
my %checks = map { $_ => 1 } map { /"([^"]+)"/g } $sources =~ /add_(?:failed_|open_)?check\(audit,((?:\s*\w+ \?)?\s*"[^"]+"(?: : "[^"]+")?),/g;
cmp_ok(scalar(keys %checks), '>', 20, 'checks of the sources');
is(join(', ', grep { !$explained{$_} } sort keys %checks), '', 'each is explained');

# ----------------------------------------------------------------
# A wrong page is noticed
# ----------------------------------------------------------------

start_session('published');
like(printed('SELECT * FROM pprepub.audit(patients);'), $wrong, 'a wrong statement shows');
like(printed('\no_such_command'), $wrong, 'and so does a wrong command');
end_session();

$node->stop;
done_testing();
