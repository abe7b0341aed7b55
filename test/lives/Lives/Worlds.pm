# Somebody who has all releases of a table, whose rows say nothing of whose they are, and knows how many people were in which of
# them. He looks at all worlds: all ways to give each row of each release to one of the people who were there, so that the
# rows of each of them agree. Of rows that look alike only their number counts.
#
#	releases	each { shows => { column => 1 }, rows => [ { column => cell } ] }; column s is the sensitive one
#	stays		{ releases of a person, as '0 2 3' => how many people were in these and no others }
#	steps		how much work may be done
package Lives::Worlds;

use strict;
use warnings;
use Lives::Cells;

my $most_tuples = 20_000;

sub new
{
	my ($class, %seen) = @_;
	my $self = bless { steps => 200_000, %seen, left => [], kind => [], tuples => [], of => {}, known => {}, memory => {} }, $class;

	$self->_count_kinds($_) foreach 0 .. $#{ $self->{releases} };
	$self->{agree} = [ map { [] } @{ $self->{kind} } ];
	foreach my $stay (sort keys %{ $self->{stays} })
	{
		$self->{of}{$stay} = [];
		push @{ $self->{left} }, $self->{stays}{$stay};
		$self->_put_together($stay, $#{ $self->{left} }, [ split / /, $stay ]);
	}
	return $self;
}

# Finds the values that some world gives to a person of a stay whom rows must fit: { value => how many ways there are to take such
# rows }. Stops at `enough` values, if that is given. Undefined if it takes too long.
sub values_of
{
	my ($self, $stay, $fits, $enough) = @_;
	my (%ways, %fits);

	return if $self->{is_too_much};
	foreach my $tuple (@{ $self->{of}{$stay} })
	{
		my ($slot, @kinds) = @{ $self->{tuples}[$tuple] };
		my @shown = grep { $self->{releases}[ $_->{release} ]{shows}{s} } map { $self->{kind}[$_] } @kinds;

		next if !@shown || !defined $shown[0]{row}{s} || grep { !($fits{$_} //= $self->_kind_fits($_, $fits) ? 1 : -1) || $fits{$_} < 0 } @kinds;
		next if defined $enough && $ways{ $shown[0]{row}{s} };
		my $is = $self->_is_possible($tuple);
		return if !defined $is;
		next if !$is;
		my $n = 1;
		$n *= $self->{kind}[$_]{n} foreach @kinds;
		$ways{ $shown[0]{row}{s} } += $n;
		last if defined $enough && keys %ways >= $enough;
	}
	return \%ways;
}

# ---- Rows ----

sub _count_kinds
{
	my ($self, $release) = @_;
	my ($shows, $rows) = @{ $self->{releases}[$release] }{qw(shows rows)};
	my %number;

	foreach my $row (@$rows)
	{
		my $look = join "\1", map { $row->{$_} // "\0" } sort keys %$shows;

		if (!defined $number{$look})
		{
			$number{$look} = @{ $self->{kind} };
			push @{ $self->{kind} }, { release => $release, row => $row, n => 0 };
			push @{ $self->{left} }, 0;
			push @{ $self->{kinds_of}[$release] }, $number{$look};
		}
		$self->{kind}[ $number{$look} ]{n}++;
		$self->{left}[ $number{$look} ]++;
	}
	return;
}

# Can rows be one person's?
sub _agrees
{
	my ($self, $i, $j) = @_;

	return $self->{agree}[$i][$j] //= do {
		my ($one, $other) = @{ $self->{kind} }[ $i, $j ];
		my ($shows, $other_shows) = map { $self->{releases}[ $_->{release} ]{shows} } $one, $other;
		(grep { $other_shows->{$_} && !($_ eq 's' ? ($one->{row}{s} // "\0") eq ($other->{row}{s} // "\0") : may_be_one($one->{row}{$_}, $other->{row}{$_})) } keys %$shows) ? 0 : 1;
	};
}

sub _kind_fits
{
	my ($self, $kind, $fits) = @_;
	my ($release, $row) = @{ $self->{kind}[$kind] }{qw(release row)};

	return $fits->($self->{releases}[$release]{shows}, $row);
}

# Tuples: the slot of a stay, and a kind of row of each of its releases.
sub _put_together
{
	my ($self, $stay, $slot, $releases, @kinds) = @_;

	return if $self->{is_too_much};
	if (@kinds == @$releases)
	{
		$self->{is_too_much} = 1 if @{ $self->{tuples} } >= $most_tuples;
		push @{ $self->{of}{$stay} }, scalar @{ $self->{tuples} };
		push @{ $self->{tuples} }, [ $slot, @kinds ];
		return;
	}
	foreach my $kind (@{ $self->{kinds_of}[ $releases->[@kinds] ] // [] })
	{
		$self->_put_together($stay, $slot, $releases, @kinds, $kind) if !grep { !$self->_agrees($_, $kind) } @kinds;
	}
	return;
}

# ---- Worlds ----

sub _is_possible
{
	my ($self, $tuple) = @_;

	return $self->{known}{$tuple} if defined $self->{known}{$tuple};
	my $is = $self->_try($tuple, [ 0 .. $#{ $self->{tuples} } ]);
	$self->{known}{$tuple} = 0 if defined $is && !$is;
	return $is;
}

# Somebody has this; is there a world for the others?
sub _try
{
	my ($self, $tuple, $tuples) = @_;
	my $left = $self->{left};

	$left->[$_]-- foreach @{ $self->{tuples}[$tuple] };
	my $is = $self->_solve($tuples);
	$left->[$_]++ foreach @{ $self->{tuples}[$tuple] };
	$self->{known}{$tuple} = 1 if $is;
	return $is;
}

# Gives away what is left, first what can be given to fewest; never asks the same again.
sub _solve
{
	my ($self, $tuples) = @_;
	my $left = $self->{left};
	my $state = join ' ', @$left;
	my $known = $self->{memory}{$state};
	my (@may, @takers);

	return $known if defined $known;
	return if ($self->{steps} -= 1 + @$tuples) < 0;
TUPLE: foreach my $tuple (@$tuples)
	{
		foreach (@{ $self->{tuples}[$tuple] })
		{
			next TUPLE if $left->[$_] <= 0;
		}
		push @may, $tuple;
		push @{ $takers[$_] }, $tuple foreach @{ $self->{tuples}[$tuple] };
	}
	my $fewest;
	foreach my $item (grep { $left->[$_] > 0 } 0 .. $#$left)
	{
		return $self->{memory}{$state} = 0 if !$takers[$item];
		$fewest = $item if !defined $fewest || @{ $takers[$item] } < @{ $takers[$fewest] };
	}
	return $self->{memory}{$state} = 1 if !defined $fewest;
	foreach my $tuple (sort { ($self->{known}{$a} // 0) <=> ($self->{known}{$b} // 0) || $a <=> $b } @{ $takers[$fewest] })
	{
		my $is = $self->_try($tuple, \@may);

		return if !defined $is;
		return $self->{memory}{$state} = 1 if $is;
	}
	return $self->{memory}{$state} = 0;
}

1;
