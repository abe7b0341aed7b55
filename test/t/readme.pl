# The tour in README.md is what the demo prints.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init;
$node->start;

my ($demo, $errors);
{
	local $ENV{PGOPTIONS} = '';
	my $script = slurp_file('test/demo.sql');
	IPC::Run::run(
		[ 'bash', '-c', 'exec psql -X -P pager=off -v ON_ERROR_STOP=1 -d "$1" <test/demo.sql 2>&1', '-', $node->connstr('postgres') ],
		'>', \$demo) or $errors = 1;
}
ok(!$errors, 'the demo runs') or diag $demo;

my ($tour) = slurp_file('README.md') =~ /^## A week of a hospital\n(.*?)^## /ms;
my @blocks = $tour =~ /^```sql\n(.*?)^```/msg;
cmp_ok(scalar @blocks, '>', 5, 'the tour shows something');

my $at = 0;
for my $block (@blocks)
{
	my ($title) = split /\n/, $block;
	my $found = index($demo, $block, $at);
	cmp_ok($found, '>=', 0, $title) or diag "README.md:\n$block\nthe demo:\n" . substr($demo, $at);
	$at = $found + length $block if $found >= 0;
}
is(substr($demo, $at) =~ s/\s+//gr, '', 'and all of it');

$node->stop;
done_testing();
