# Cells as they are printed: what they cover, and whether two may be of one row.
package Lives::Cells;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(covers_number covers_text may_be_one);

# Undefined is NULL, which nothing but itself and a withheld cell covers.
sub covers_number
{
	my ($cell, $n) = @_;

	return !defined $n if !defined $cell;
	return 1 if $cell eq '(,)';
	return 0 if !defined $n;
	my ($from, $to) = bounds($cell);
	return $n >= $from && $n < $to;
}

# Discrete ranges have one way to be printed.
sub bounds
{
	my ($from, $to) = $_[0] =~ /^[\[(](-?\d*),(-?\d*)\)$/ or die "cell $_[0]";

	return ($from eq '' ? -9**9**9 : $from, $to eq '' ? 9**9**9 : $to);
}

sub covers_text
{
	my ($cell, $value) = @_;

	return !defined $value if !defined $cell;
	return 1 if $cell eq '*';
	return 0 if !defined $value;
	return $cell =~ /^(.*)\*$/s ? index($value, $1) == 0 : $cell eq $value;
}

sub may_be_one
{
	my ($one, $other) = @_;

	return 1 if grep { defined && /^(\*|\(,\))$/ } $one, $other;
	return !defined $one && !defined $other if !defined $one || !defined $other;
	if ($one =~ /^[\[(]/)
	{
		my ($from, $to) = bounds($one);
		my ($other_from, $other_to) = bounds($other);

		return $from < $other_to && $other_from < $to;
	}
	($one, $other) = map { [ /^(.*?)(\*?)$/s ] } $one, $other;
	return $one->[0] eq $other->[0] || $one->[1] && index($other->[0], $one->[0]) == 0 || $other->[1] && index($one->[0], $other->[0]) == 0;
}

1;
