# What docs/tutorial.md tells its reader to type works, from top to bottom in one session, and prints what the page shows.
#
# A ```text block behind a ```sql block is all that it prints.  Where the page says between the two that figures differ a
# little, numbers may: zeros stay zeros, and others lie within half of what is shown.  A block without shown output prints
# nothing, but for results of functions that return nothing.  A comment <!-- test: pg_cron --> stands before what needs it.
use strict;
use warnings;
use Cwd;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = 'docs/tutorial.md';
my $differs = '*Your figures differ a little:*';
my $node = PostgreSQL::Test::Cluster->new('tutorial');

$node->init(extra => [ '-E', 'UTF8', '--no-locale' ]);
$node->start;
my $cron = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_cron'});
if ($cron)
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.database_name = 'census'\n");
	$node->restart;
}
$node->safe_psql('postgres', 'CREATE DATABASE census');

# ----------------------------------------------------------------
# Blocks of the page, in its order: their text and line, what they print if that is shown, what they need
# ----------------------------------------------------------------

sub blocks
{
	my ($text) = @_;
	my (@blocks, $needs);

	while ($text =~ /^(?:```(\w*)\n(.*?)^```$|<!-- test: (\w+) -->$|^(\Q$differs\E)$)/gms)
	{
		my ($language, $body, $comment, $mark) = ($1, $2, $3, $4);
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);

		if (defined $comment)
		{
			$needs = $comment;
		}
		elsif (defined $mark)
		{
			$blocks[-1]{differs} = 1;
		}
		elsif ($language eq 'text')
		{
			die "$page:$line: output of nothing" if !@blocks || exists $blocks[-1]{shown};
			$blocks[-1]{shown} = $body;
		}
		else
		{
			die "$page:$line: a block of language \"$language\"" if $language ne 'sql';
			push @blocks, { text => $body, line => $line, needs => $needs };
			undef $needs;
		}
	}
	return @blocks;
}

# ----------------------------------------------------------------
# One session, in a directory that has what the page loads
# ----------------------------------------------------------------

my ($in, $out) = ('', '');
my $psql;

sub start_session
{
	my $here = getcwd();
	my $directory = PostgreSQL::Test::Utils::tempdir();

	mkdir "$directory/docs";
	symlink "$here/docs/tutorial", "$directory/docs/tutorial" or die "symlink: $!";
	$in = $out = '';
	$psql = IPC::Run::start([ 'psql', '-X', '-q', '-P', 'pager=off', '-v', 'VERBOSITY=default', '-d', $node->connstr('census') ],
		'<', \$in, '>', \$out, '2>&1', init => sub { chdir $directory or die "chdir: $!" },
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return $directory;
}

sub printed
{
	my ($text) = @_;

	$out = '';
	$in .= "$text\n\\echo the end of a block\n";
	IPC::Run::pump($psql) until $out =~ /^the end of a block$/m;
	return $out =~ s/^the end of a block\n//mr;
}

# Without the blanks that end psql's lines, empty lines around, and results that are void.
sub trimmed
{
	my ($text) = @_;

	return $text =~ s/^ *\w+ *\n-+\n(?: *\n)+\(\d+ rows?\)\n*//gmr =~ s/ +$//gmr =~ s/^\n+|\n+$//gr;
}

# The numbers of a text, and the text without them and without what follows their width.
sub figures
{
	my ($text) = @_;
	my @numbers = $text =~ /\d+(?:\.\d+)?/g;

	return ([@numbers], $text =~ s/\d+(?:\.\d+)?/N/gr =~ s/-{2,}/--/gr =~ s/ +/ /gr);
}

sub is_close
{
	my ($got, $shown, $what) = @_;
	my ($numbers, $shape) = figures($got);
	my ($expected, $expected_shape) = figures($shown);
	my @far = grep {
		my ($is, $was) = ($numbers->[$_] // 'nothing', $expected->[$_]);
		$is eq 'nothing' || ($was eq '0' ? $is ne '0' : abs($is - $was) > ($was / 2 > 1 ? $was / 2 : 1))
	} 0 .. $#$expected;

	ok($shape eq $expected_shape && !@far, $what) or diag("printed:\n$got\nshown:\n$shown");
	return;
}

my $directory = start_session();
my %count;
foreach my $block (blocks(slurp_file($page)))
{
	my $what = sprintf '%s:%d: %s', $page, $block->{line}, $block->{text} =~ s/\n.*//sr;

	if ($block->{needs} && $block->{needs} eq 'pg_cron' && !$cron)
	{
	  SKIP: { skip "$what: no pg_cron", 1; }
		next;
	}
	my $printed = trimmed(printed($block->{text}));
	my $shown = trimmed($block->{shown} // '');

	$count{ $block->{differs} ? 'differ' : exists $block->{shown} ? 'shown' : 'silent' }++;
	if ($block->{differs})
	{
		is_close($printed, $shown, $what);
	}
	else
	{
		is($printed, $shown, $what);
	}
}
cmp_ok($count{$_}, '>=', 5, "blocks: $_") foreach qw(shown differ silent);
like(slurp_file("$directory/report.html"), qr/<html.*people/s, 'the report is written');

# ----------------------------------------------------------------
# A wrong page is noticed
# ----------------------------------------------------------------

like(printed('SELECT count(*) FROM census.peple;'), qr/^ERROR:  relation "census.peple" does not exist$/m, 'a wrong statement shows');
my @wrong = blocks("```sql\nSELECT 1;\n```\n\n$differs\n\n```text\n12 | a\n```\n");
is($wrong[0]{differs}, 1, 'what may differ is marked');
is((figures('  12 |   3.5'))[1], (figures(' 7 | 120'))[1], 'widths do not count');
isnt((figures('12 | a'))[1], (figures('12 | b'))[1], 'words do');

$in .= "\\q\n";
$psql->finish;
$node->stop;
done_testing();
