# Statements of docs/tutorial.md work, from top to bottom in one session, and print what the page shows.
#
# A block without shown output prints nothing, but for results of functions that return nothing.
use strict;
use warnings;
use Cwd;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Pages;

my $page = 'docs/tutorial.md';
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

# ---- One session, in a directory that has what the page loads ----

my $here = getcwd();
my $directory = PostgreSQL::Test::Utils::tempdir();
mkdir "$directory/docs";
symlink "$here/docs/tutorial", "$directory/docs/tutorial" or die "symlink: $!";
my $session = start_session($node, 'census', directory => $directory);

# The page does not show empty results of functions that return void.
sub without_void
{
	return $_[0] =~ s/^ *\w+ *\n-+\n(?: *\n)+\(\d+ rows?\)\n*//gmr;
}

my %count;
foreach my $block (page_blocks($page))
{
	my $needs = $block->{needs} // '';

	die "$block->{name} is of language \"$block->{language}\"" if $block->{language} ne 'sql';
  SKIP:
	{
		skip "$block->{name}: no pg_cron", 1 if $needs eq 'pg_cron' && !$cron;
		$count{ $block->{mark} // (defined $block->{shown} ? 'shown' : 'silent') }++;
		$block->{shown} //= '';
		check_block($block, without_void(printed($session, $block->{text})));
	}
}
cmp_ok($count{$_} // 0, '>=', 5, "blocks: $_") foreach 'shown', 'numbers are close', 'silent';
like(slurp_file("$directory/report.html"), qr/<html.*people/s, 'the report is written');

# ---- A wrong page is noticed, here for all tests of pages ----

sub page_fits
{
	my ($text) = @_;
	my $file = "$directory/page.md";

	unlink $file;
	append_to_file($file, $text);
	my ($block) = page_blocks($file);
	return fits($block, printed($session, $block->{text}));
}

# A block that echoes something, with a mark, and where something else is shown.
sub echo_fits
{
	my ($mark, $printed, $shown) = @_;

	return page_fits("<!-- test: $mark -->\n```sql\n\\echo '$printed'\n```\n\nIt prints:\n\n```text\n$shown\n```\n");
}

my %wrong = (
	'statement' => '```sql
SELECT count(*) FROM census.peple;
```',
	'hidden command' => '<!-- test: \no_such_command -->',
	'warning' => '<!-- test: COMMIT; -->',
	'notice' => '<!-- test: DROP TABLE IF EXISTS census.peple; -->',
	'output' => '```sql
\echo 1
```
```text
2
```',
	'statement whose output varies' => '<!-- test: output varies -->
```sql
SELECT 1 / 0;
```
```text
1
```');
ok(!page_fits($wrong{$_}), "a wrong $_") foreach sort keys %wrong;

eval { echo_fits('numbers may vary', '1', '1') };
like($@, qr/neither a mark nor a whole command/, 'a wrong mark');
ok(echo_fits('output varies', 'a', 'b'), 'output varies');
ok(echo_fits('numbers vary', '  12 |   3.5', ' 7 | 120'), 'numbers vary, and so do widths');
ok(!echo_fits('numbers vary', '12 | a', '12 | b'), '... but not words');
ok(echo_fits('numbers are close', '199 |  0 | 1', '100 | 0 | 2'), 'numbers are close');
ok(!echo_fits('numbers are close', '100 | a', '100 | b'), '... and words are the same');
ok(!echo_fits('numbers are close', '201', '100'), '... nor is a number far away');
ok(!echo_fits('numbers are close', '1', '0'), '... nor a zero something else');

end_session($session);
$node->stop;
done_testing();
