# Tests draw something else each time, but the same wherever PPREPUB_TEST_SEED is set, as it is for all tests
# together: a failure says which seed it came with.
package Seed;

use strict;
use warnings;
use Exporter 'import';
use Test::More;

our @EXPORT = qw(draw_seed);
my $seed;

# Seeds rand(), and returns the seed.
sub draw_seed
{
	$seed = $ENV{PPREPUB_TEST_SEED} // int(time()) % 1_000_000;
	note("PPREPUB_TEST_SEED=$seed");
	srand($seed);
	return $seed;
}

END
{
	diag("PPREPUB_TEST_SEED=$seed") if defined $seed && !Test::More->builder->is_passing;
}

1;
