# Atoms, which intersections and differences of releases tell apart: a judge of method bpg who shares nothing with it.
#
# A release is a list of classes, each a list of rows: { who, value, parts, true }, value being one word for all
# sensitive columns and parts what each of them shows. Invented rows are somebody, too: whom they stand
# for, or themselves. People who were always in the same classes are one atom.
#
# An atom is judged by what the release promised that made it what it is: the last one that it was in, or that parted it from
# others. Where a publication is altered, others promised something else, for other sets.
package Lives::Atoms;

use strict;
use warnings;
use Lives::Principles;

# new(): nothing has been released.
sub new
{
	return bless { path => {}, values => [], release => [], judged => 0, broken => {}, made => {}, last => {} }, shift;
}

# add(release, everybody): what is wrong since, in words. The release: { kind, k, conditions, classes => [ [ rows ] ] }; what it promised
# of values, and the distribution that these are compared with, are as in Lives::Principles.
sub add
{
	my ($self, $release, $everybody) = @_;
	my $number = @{ $self->{release} };
	my @faults;

	push @{ $self->{release} }, { kind => $release->{kind}, k => $release->{k}, conditions => $release->{conditions}, classes => $release->{classes} };
	$self->{everybody} = $everybody;
	my $class = 0;
	foreach my $rows (@{ $release->{classes} })
	{
		my (%spare, %seen);

		foreach my $row (@$rows)
		{
			push @faults, "$row->{who} is there twice" if $seen{ $row->{who} }++ || ($self->{path}{ $row->{who} } // '') =~ / $number:/;
			$self->{path}{ $row->{who} } .= " $number:$class";
			$spare{ $row->{value} } = 1 if !$row->{true} && defined $row->{value};
			delete $self->{broken}{ $row->{who} } if $release->{kind} ne 'imported';
		}
		foreach my $row (@$rows)
		{
			my $last = $self->{last}{ $row->{who} };

			$self->{values}[$number]{ $row->{who} } = { %$row, spare => \%spare, is_new => !defined $last || $last ne ($row->{value} // '') ? 1 : 0 };
			$self->{last}{ $row->{who} } = $row->{value} // '';
		}
		$class++;
	}
	push @faults, $self->_judge($number);
	return @faults;
}

# How many atoms were looked at.
sub judged { return $_[0]{judged} }

# Has an import left people behind of whom less holds than was promised?
sub has_broken { return %{ $_[0]{broken} } ? 1 : 0 }

sub atoms
{
	my ($self) = @_;
	my %atoms;

	push @{ $atoms{ $self->{path}{$_} } }, $_ foreach sort keys %{ $self->{path} };
	return \%atoms;
}

# How many atoms, and classes, do not satisfy conditions (k among them) that nobody need have promised?
sub refused
{
	my ($self, $conditions, $everybody) = @_;
	my $atoms = $self->atoms;
	my %refused = (atoms => 0, classes => 0);

	foreach my $path (sort keys %$atoms)
	{
		my @people = @{ $atoms->{$path} };

		$refused{atoms}++ if @people < $conditions->{k} || grep { $self->_value_faults($_, $conditions, $everybody, @people) } $path =~ / (\d+):/g;
	}
	foreach my $class (map { @{ $_->{classes} } } @{ $self->{release} })
	{
		$refused{classes}++ if @$class < $conditions->{k} || Lives::Principles::faults($conditions, [ map { $_->{parts} } @$class ], $everybody);
	}
	return \%refused;
}

sub _judge
{
	my ($self, $last) = @_;
	my $atoms = $self->atoms;
	my $is_import = $self->{release}[$last]{kind} eq 'imported';
	my (@faults, %made);

	foreach my $path (sort keys %$atoms)
	{
		my @people = @{ $atoms->{$path} };
		my @released = $path =~ / (\d+):/g;
		my $who = join ' ', @people;
		my $made = $released[-1] == $last ? $last : $self->{made}{$who} // $last;
		my @wrong;

		$made{$who} = $made;
		next if $made != $last;
		$self->{judged}++ if !$is_import;
		push @wrong, scalar(@people) . ' people' if @people < $self->{release}[$last]{k};
		foreach my $number (@released)
		{
			push @wrong, map { "$_ in release " . ($number + 1) } $self->_value_faults($number, $self->{release}[$last]{conditions}, $self->{everybody}, @people),
				$self->_people_faults($number, $self->{release}[$last]{conditions}, @people);
		}
		# Nobody promised what an imported release leaves behind.
		if ($is_import && @wrong)
		{
			$self->{broken}{$_} = 1 foreach @people;
			next;
		}
		push @faults, 'atom {' . join(' ', @people) . '}: ' . join(', ', @wrong) . " (of$path)" if @wrong && grep { !$self->{broken}{$_} } @people;
	}
	$self->{made} = \%made;
	return @faults;
}

sub _value_faults
{
	my ($self, $number, $conditions, $everybody, @people) = @_;

	if (!Lives::Principles::judges_people($conditions))
	{
		my $values = ($conditions->{l} // 1) > 1 ? $self->_values($number, @people) : 0;
		return ($conditions->{l} // 1) > 1 && $values < $conditions->{l} ? "$values values" : ();
	}
	return Lives::Principles::faults($conditions, [ map { $self->{values}[$number]{$_}{parts} } @people ], $everybody);
}

# An observer who can tell invented rows from true ones: either a release shows of an atom with invented rows what was shown
# last, or the people of it satisfy by themselves what is asked of shares of values, then and now.
sub _people_faults
{
	my ($self, $number, $now, @people) = @_;
	my $then = $self->{release}[$number]{conditions};
	my $conditions = Lives::Principles::weaker($then, $now);
	my @rows = map { $self->{values}[$number]{$_} } @people;
	my @true = grep { $_->{true} } @rows;

	return if !@true || @true == @rows || !Lives::Principles::judges_people($then) || !Lives::Principles::judges_people($now) || !grep { $_->{is_new} } @rows;
	return if !Lives::Principles::same_bands($then, $now);
	return map { "$_ of {" . join(' ', map { "$_->{who}=" . ($_->{value} // 'NULL') } @true) . '} beside invented {' . join(' ', map { "$_->{who}=" . ($_->{value} // 'NULL') } grep { !$_->{true} } @rows) . '}' }
		Lives::Principles::faults($conditions, [ map { $_->{parts} } @true ], $self->{everybody});
}

# Of invented rows nobody can tell which has which of the values that are not people's.
sub _values
{
	my ($self, $number, @people) = @_;
	my (%own, %may, $invented);

	foreach my $one (map { $self->{values}[$number]{$_} } @people)
	{
		$own{ $one->{value} } = 1 if $one->{true} && defined $one->{value};
		$invented++ if !$one->{true};
		%may = %{ $one->{spare} };
	}
	return scalar keys %own if !$invented;
	my $most = keys %{ { %own, %may } };
	return keys(%own) + $invented < $most ? keys(%own) + $invented : $most;
}

1;
