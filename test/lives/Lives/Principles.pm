# Conditions on the values of a set of people, by their definitions in docs/explanation/principles.md: a judge who shares nothing with
# what is judged.
#
# Conditions: { l, frequency, entropy, recursive, c, t, distance, beta, delta, joint, columns }, of which those that are missing
# ask for nothing. Columns: for each, { ordered, band }, ordered being whether its values are numbers, and band the
# width of its bands. A set is a list of values, each a list of one plain value a column, or undefined.
#
# Everybody: a list of { value, share, since }, the distribution that sets are compared with. Values that were found later
# have the share that they had then.
package Lives::Principles;

use strict;
use warnings;
use List::Util qw(max min sum0);
use POSIX ();

# Logarithms and sums of shares are not exact.
my $rounding = 1e-8;

my @names = qw(frequency entropy recursive t beta delta);

# Of parameters of a publication, those that are asked of values.
sub conditions
{
	my ($params, $columns) = @_;
	my %conditions = map { $_ => $params->{$_} } grep { defined $params->{$_} } 'l', 'c', 'distance', 'joint', @names;
	my @bands = map { ($params->{bands}{ $_->{name} } // '') =~ /^range (\d+)$/ ? $1 : undef } @$columns;

	$conditions{columns} = [ map { { %{ $columns->[$_] }, band => $bands[$_] } } 0 .. $#$columns ];
	delete $conditions{$_} foreach grep { asks_nothing($_, $conditions{$_}) } 'l', @names;
	delete $conditions{joint} if !$conditions{joint} || $conditions{joint} eq 'false';
	return \%conditions;
}

sub asks_nothing
{
	my ($name, $strength) = @_;

	return 1 if !defined $strength;
	return $strength <= 1 if $name =~ /^(?:l|frequency|entropy)$/;
	return $strength >= 1 if $name eq 't';
	return 0;
}

# Is anything asked of values?
sub asks { return scalar grep { defined $_[0]{$_} } 'l', @names }

# Are shares of values judged, or values of several columns, or bands, so that invented rows may not make up for what people lack?
sub judges_people
{
	my ($conditions) = @_;

	return 1 if grep { defined $conditions->{$_} } @names;
	return defined $conditions->{l} && (@{ $conditions->{columns} } > 1 || defined $conditions->{columns}[0]{band});
}

# ---- A set ----

# faults(conditions, set, everybody): what is not as it should be, in words.
sub faults
{
	my ($conditions, $set, $everybody) = @_;
	my @columns = @{ $conditions->{columns} };
	my @faults;

	return if !asks($conditions);
	my @banded = map { banded($conditions, $_) } @$set;
	my @shares = map { { %$_, value => banded($conditions, $_->{value}) } } @{ $everybody // [] };
	foreach my $c (0 .. $#columns)
	{
		push @faults, map { "$columns[$c]{name}: $_" } column_faults($conditions, $c, \@banded, \@shares, \@shares);
		next if !$conditions->{joint};
		foreach my $known (grep { $_ != $c } 0 .. $#columns)
		{
			my %with;

			push @{ $with{ $_->[$known] } }, $_ foreach grep { defined $_->[$known] } @banded;
			foreach my $value (sort keys %with)
			{
				my @beside = grep { defined $_->{value}[$known] && $_->{value}[$known] eq $value } @shares;

				push @faults, map { "$columns[$c]{name} beside $columns[$known]{name} $value: $_" } column_faults($conditions, $c, $with{$value}, \@beside, \@shares);
			}
		}
	}
	return @faults;
}

sub banded
{
	my ($conditions, $value) = @_;
	my @columns = @{ $conditions->{columns} };

	return [ map { defined $value->[$_] && defined $columns[$_]{band} ? $columns[$_]{band} * POSIX::floor($value->[$_] / $columns[$_]{band}) : $value->[$_] } 0 .. $#columns ];
}

# The values of one column, those of which there are none included; places are those of all people, whoever is looked at.
sub column_faults
{
	my ($conditions, $c, $set, $everybody, $all) = @_;
	my %count;
	my @faults;

	$count{$_}++ foreach grep { defined } map { $_->[$c] } @$set;
	my $known = sum0 values %count;
	return 'nobody has a value' if $known == 0;
	my @commonest = sort { $b <=> $a } values %count;
	my $told = join ' ', map { "$_*$count{$_}" } sort keys %count;
	my $fault = sub { push @faults, "$_[0] ($told)" };

	$fault->(@commonest . ' values, not ' . $conditions->{l}) if defined $conditions->{l} && @commonest < $conditions->{l};
	$fault->("frequency $conditions->{frequency}") if defined $conditions->{frequency} && $commonest[0] * $conditions->{frequency} > $known * (1 + $rounding);
	if (defined $conditions->{entropy})
	{
		my $entropy = sum0 map { -$_ / $known * log($_ / $known) } @commonest;
		$fault->('entropy ' . exp($entropy) . ", not $conditions->{entropy}") if $entropy < log($conditions->{entropy}) - $rounding;
	}
	if (defined $conditions->{recursive})
	{
		my $behind = sum0 @commonest[ $conditions->{recursive} - 1 .. $#commonest ];
		$fault->("recursive ($conditions->{c}, $conditions->{recursive})") if $commonest[0] >= $conditions->{c} * $behind;
	}
	return @faults if !grep { defined $conditions->{$_} } 't', 'beta', 'delta';
	my ($share, $first) = shares($c, $everybody);
	if (defined $conditions->{t})
	{
		my %q = map { $_ => $count{$_} / $known } keys %count;
		my $is_ordered = $conditions->{columns}[$c]{ordered} && ($conditions->{distance} // 'auto') ne 'equal';
		my $distance = !%$first ? 1 : $is_ordered ? ordered_distance(\%q, $first, (shares($c, $all))[1]) : equal_distance(\%q, $first);
		$fault->("distance $distance, not $conditions->{t}, to " . join(' ', map { sprintf '%s*%.3f', $_, $first->{$_} } sort keys %$first)) if $distance > $conditions->{t} + $rounding;
	}
	foreach my $value (sort keys %count)
	{
		my ($q, $p) = ($count{$value} / $known, $share->{$value} // 0);

		if ($p == 0)
		{
			$fault->("$value has no share") if defined $conditions->{beta} || defined $conditions->{delta};
			next;
		}
		$fault->("beta $conditions->{beta}: $value $q for $p") if defined $conditions->{beta} && $q > (1 + min($conditions->{beta}, -log($p))) * $p * (1 + $rounding);
		$fault->("delta $conditions->{delta}: $value $q for $p") if defined $conditions->{delta} && log($q / $p) >= $conditions->{delta} + $rounding;
	}
	return @faults;
}

# ---- Everybody ----

# The shares of one column's values among those who have one: all of them, and those of the first distribution.
sub shares
{
	my ($c, $everybody) = @_;
	my @having = grep { defined $_->{value}[$c] && $_->{share} > 0 } @$everybody;
	my $began = min map { $_->{since} } @having;
	my (%since, %share, %first);

	return ({}, {}) if !@having;
	my $whole = sum0 map { $_->{share} } grep { $_->{since} == $began } @having;
	foreach my $one (@having)
	{
		my $value = $one->{value}[$c];

		$since{$value} = min($one->{since}, $since{$value} // $one->{since});
	}
	foreach my $one (@having)
	{
		my $value = $one->{value}[$c];

		next if $one->{since} > $since{$value};
		$share{$value} = min(1, ($share{$value} // 0) + $one->{share} / $whole);
		$first{$value} = $share{$value} if $one->{since} == $began;
	}
	return (\%share, \%first);
}

sub equal_distance
{
	my ($q, $p) = @_;

	return sum0(map { abs(($q->{$_} // 0) - ($p->{$_} // 0)) } keys %{ { %$q, %$p } }) / 2;
}

# Shares are carried along the ranks of the values of everybody, which are as far from each other as can be together 1. Another value
# lies halfway between its neighbors, or at an end.
sub ordered_distance
{
	my ($q, $p, $ranked) = @_;
	my @ranks = sort { $a <=> $b } keys %$ranked;
	my $place = sub {
		my ($value) = @_;
		my $below = grep { $_ < $value } @ranks;
		my $is_ranked = exists $ranked->{$value};

		return $is_ranked ? 0.5 : $below if @ranks == 1;
		return $below / (@ranks - 1) if $is_ranked;
		return $below == 0 ? 0 : $below == @ranks ? 1 : ($below - 0.5) / (@ranks - 1);
	};
	my @values = sort { $a <=> $b } keys %{ { %$q, %$p } };
	my ($carried, $work) = (0, 0);

	foreach my $i (0 .. $#values - 1)
	{
		$carried += ($q->{ $values[$i] } // 0) - ($p->{ $values[$i] } // 0);
		$work += abs($carried) * ($place->($values[ $i + 1 ]) - $place->($values[$i]));
	}
	return $work;
}

1;
