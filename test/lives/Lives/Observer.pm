# Somebody who has all releases of a publication, knows who is in which class of each, how many rows of each class are
# invented, and that nobody invents a value that no true row has shown, in an earlier release or the same one. He looks at
# all worlds: all ways to say who has which of the values that a class shows.
#
# A history is what he has seen:
#
#	releases	each a list of classes: { people => [ names ], shown => { value => how often }, invented => how many rows }
#	moves		{ value => { what it can have become by the next release of the person => 1 } }; without it, values stay
#	any_invention	1: invented rows may show what no true row has shown
#
# He finds what each person can have had, in each release. Of a person nothing is said that was not proved by a world,
# or by all worlds having been looked at; unless steps run out.
package Lives::Observer;

use strict;
use warnings;

# candidates(history, steps): a list of { person, release, possible => [ values ], open => [ values ] }; the open ones were
# given up. Where values stay, each person comes once, with the release that came first. Nothing, if there is no world.
sub candidates
{
	my ($history, $steps) = @_;
	my $self = bless { steps => $steps }, __PACKAGE__;

	$self->_read($history);
	return $self->_ask_all;
}

# Is there a world in which people have had these values? { person => [ value in each release, or undef ] }
sub agrees
{
	my ($history, $true) = @_;
	my $self = bless { steps => 1e9 }, __PACKAGE__;

	$self->_read($history);
	foreach my $variable (@{ $self->{variables} })
	{
		my $had = $true->{ $variable->{person} }[ $variable->{release} ];
		my $value = defined $had ? $self->{number}{$had} : undef;

		return 0 if !defined $value || !($self->{domain}[ $variable->{at} ] & 1 << $value);
		$self->{domain}[ $variable->{at} ] = 1 << $value;
	}
	return $self->_follow([ 0 .. $#{ $self->{rules} } ]);
}

# ---- Open values, and rules ----

# A person's value is open, or, where values change, a person's in a release: a set of values, as bits.
sub _read
{
	my ($self, $history) = @_;
	my (%number, %open_of, %first);
	my $release = -1;

	@$self{qw(variables domain rules rules_of number values)} = ([], [], [], [], \%number, []);
	foreach my $classes (@{ $history->{releases} })
	{
		my %new;

		$release++;
		foreach my $class (@$classes)
		{
			my @shown = sort keys %{ $class->{shown} };

			foreach my $value (grep { !exists $number{$_} } @shown)
			{
				$number{$value} = @{ $self->{values} };
				push @{ $self->{values} }, $value;
				$new{$value} = [];
			}
			my $mask = 0;
			$mask |= 1 << $number{$_} foreach @shown;
			my @open = map { $self->_open_value($_, $release, $mask, \%open_of, $history->{moves}) } @{ $class->{people} };
			my @often = map { [ 1 << $number{$_}, $class->{shown}{$_} ] } @shown;

			$self->_add_rule({ kind => 'class', open => \@open, often => \@often, invented => $class->{invented} });
			$first{$_} = [ @{ $first{$_} // [] }, @open ] foreach grep { $new{$_} } @shown;
		}
	}
	die "too many values" if @{ $self->{values} } > 60;
	if (!$history->{any_invention})
	{
		$self->_add_rule({ kind => 'first', open => $first{$_}, bit => 1 << $number{$_} }) foreach sort keys %first;
	}
	return;
}

sub _open_value
{
	my ($self, $person, $release, $mask, $open_of, $moves) = @_;
	my $last = $open_of->{$person};

	if (defined $last && !$moves)
	{
		$self->{domain}[$last] &= $mask;
		return $last;
	}
	my $at = @{ $self->{variables} };
	push @{ $self->{variables} }, { person => $person, release => $release, at => $at };
	$self->{domain}[$at] = $mask;
	$self->{rules_of}[$at] = [];
	$open_of->{$person} = $at;
	$self->_add_rule({ kind => 'move', open => [ $last, $at ], moves => $moves }) if defined $last;
	return $at;
}

sub _add_rule
{
	my ($self, $rule) = @_;

	$rule->{weight} = 1;
	push @{ $self->{rules_of}[$_] }, scalar @{ $self->{rules} } foreach @{ $rule->{open} };
	push @{ $self->{rules} }, $rule;
	return;
}

# ---- Conclusions ----

# Narrows down what is open until the rules, of which these have to be looked at, say no more. False if nothing is possible.
# The trail tells how to go back.
sub _follow
{
	my ($self, $rules) = @_;
	my @queue = @$rules;
	my %queued = map { $_ => 1 } @queue;

	$self->{touched} = [];
	while (defined(my $number = shift @queue))
	{
		my $rule = $self->{rules}[$number];
		my $method = "_apply_$rule->{kind}";

		delete $queued{$number};
		$self->{steps}--;
		if (!$self->$method($rule))
		{
			$rule->{weight}++;
			return 0;
		}
		foreach my $next (map { @{ $self->{rules_of}[$_] } } splice @{ $self->{touched} })
		{
			push @queue, $next if $next != $number && !$queued{$next}++;
		}
	}
	return 1;
}

# Of this only that is left; false if nothing is.
sub _narrow
{
	my ($self, $at, $mask) = @_;
	my $old = $self->{domain}[$at];
	my $new = $old & $mask;

	return 1 if $new == $old;
	push @{ $self->{trail} }, $at, $old;
	push @{ $self->{touched} }, $at;
	$self->{domain}[$at] = $new;
	return $new != 0;
}

sub _back_to
{
	my ($self, $length) = @_;

	while (@{ $self->{trail} } > $length)
	{
		my ($at, $old) = splice @{ $self->{trail} }, -2;
		$self->{domain}[$at] = $old;
	}
	return;
}

# A class shows a value as often as people have it, and invented rows show the rest.
sub _apply_class
{
	my ($self, $rule) = @_;
	my $domain = $self->{domain};
	my $again = 1;

	while ($again)
	{
		my ($missing, @tight) = (0);

		$again = 0;
		foreach my $often (@{ $rule->{often} })
		{
			my ($bit, $n) = @$often;
			my ($fixed, $possible) = (0, 0);

			foreach my $mask (@$domain[ @{ $rule->{open} } ])
			{
				$fixed++ if $mask == $bit;
				$possible++ if $mask & $bit;
			}
			return 0 if $fixed > $n;
			if ($fixed == $n && $possible > $n)
			{
				foreach my $at (grep { $domain->[$_] != $bit && $domain->[$_] & $bit } @{ $rule->{open} })
				{
					return 0 if !$self->_narrow($at, ~$bit);
				}
				($possible, $again) = ($n, 1);
			}
			$missing += $n - $possible if $possible < $n;
			push @tight, $bit if $possible <= $n && $possible > $fixed;
		}
		return 0 if $missing > $rule->{invented};
		next if $missing < $rule->{invented};
		foreach my $bit (@tight)
		{
			foreach my $at (grep { $domain->[$_] & $bit && $domain->[$_] != $bit } @{ $rule->{open} })
			{
				return 0 if !$self->_narrow($at, $bit);
				$again = 1;
			}
		}
	}
	return 1;
}

# Somebody has it.
sub _apply_first
{
	my ($self, $rule) = @_;
	my @may = grep { $self->{domain}[$_] & $rule->{bit} } @{ $rule->{open} };

	return 0 if !@may;
	return @may > 1 || $self->_narrow($may[0], $rule->{bit});
}

# Each value that is open can have become, or come of, one that is.
sub _apply_move
{
	my ($self, $rule) = @_;
	my ($before, $after) = @{ $rule->{open} };
	my ($from, $to) = (0, 0);

	foreach my $value (0 .. $#{ $self->{values} })
	{
		next if !($self->{domain}[$before] & 1 << $value);
		my $reach = $self->_reach($rule->{moves}, $value);
		$to |= $reach;
		$from |= 1 << $value if $reach & $self->{domain}[$after];
	}
	return $self->_narrow($before, $from) && $self->_narrow($after, $to);
}

sub _reach
{
	my ($self, $moves, $value) = @_;

	return $self->{reach}[$value] //= do {
		my $can = $moves->{ $self->{values}[$value] };
		my $mask = 0;
		$mask |= 1 << $_ foreach grep { $can->{ $self->{values}[$_] } } 0 .. $#{ $self->{values} };
		$mask;
	};
}

# ---- Worlds ----

sub _ask_all
{
	my ($self) = @_;
	my @open;

	$self->{trail} = [];
	return if !$self->_follow([ 0 .. $#{ $self->{rules} } ]);
	my @possible = @{ $self->{domain} };
	$self->{trail} = [];
	$self->{seen} = [ (0) x @possible ];
	foreach my $variable (@{ $self->{variables} })
	{
		my $at = $variable->{at};

		foreach my $value (grep { $possible[$at] & 1 << $_ } 0 .. $#{ $self->{values} })
		{
			next if $self->{seen}[$at] & 1 << $value;
			my $is = $self->_is_possible($at, 1 << $value);
			push @{ $open[$at] }, $value if !defined $is;
		}
	}
	return if !@open && !$self->{seen}[0];
	return map {
		my $seen = $self->{seen}[ $_->{at} ];
		{ person => $_->{person}, release => $_->{release}, possible => $self->_named(grep { $seen & 1 << $_ } 0 .. $#{ $self->{values} }),
			open => $self->_named(grep { !($seen & 1 << $_) } @{ $open[ $_->{at} ] // [] }) }
	} @{ $self->{variables} };
}

sub _named
{
	my ($self, @values) = @_;

	return [ sort @{ $self->{values} }[@values] ];
}

# Undefined if that takes too many steps.
sub _is_possible
{
	my ($self, $at, $bit) = @_;

	return if $self->{steps} <= 0;
	my $is = $self->_narrow($at, $bit) && $self->_follow($self->{rules_of}[$at]) && $self->_find_world;
	$self->_back_to(0);
	return $is;
}

# Notes what everybody has in a world that there is. Branches where most was refuted, with as few choices as can be, and first to
# what no world has shown yet.
sub _find_world
{
	my ($self) = @_;
	my ($branch, $best);

	foreach my $at (0 .. $#{ $self->{domain} })
	{
		my $mask = $self->{domain}[$at];
		next if !($mask & $mask - 1);
		my $choices = 0;
		my $weight = 0;
		$choices++ while ($mask &= $mask - 1, $mask);
		$weight += $self->{rules}[$_]{weight} foreach @{ $self->{rules_of}[$at] };
		($branch, $best) = ($at, $choices / $weight) if !defined $branch || $choices / $weight < $best;
	}
	if (!defined $branch)
	{
		$self->{seen}[$_] |= $self->{domain}[$_] foreach 0 .. $#{ $self->{domain} };
		return 1;
	}
	my $mask = $self->{domain}[$branch];
	my $length = @{ $self->{trail} };
	foreach my $bit (sort { ($self->{seen}[$branch] & $a ? 1 : 0) <=> ($self->{seen}[$branch] & $b ? 1 : 0) || $a <=> $b }
		grep { $mask & $_ } map { 1 << $_ } 0 .. $#{ $self->{values} })
	{
		return if $self->{steps} <= 0;
		my $is = $self->_narrow($branch, $bit) && $self->_follow($self->{rules_of}[$branch]);
		$is = $self->_find_world if $is;
		return $is if !defined $is || $is;
		$self->_back_to($length);
	}
	return 0;
}

1;
