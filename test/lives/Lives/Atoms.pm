# Atoms, which intersections and differences of releases tell apart: a judge of method bpg who shares nothing with it.
#
# A release is a list of classes, each a list of rows: { who, value, parts }, value being one word for all sensitive columns
# and parts what each of them shows. The rows of a release are of places, whoever sits there; those that were always
# in the same classes are one atom.
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
	return bless { path => {}, values => [], release => [], judged => 0, broken => {}, made => {} }, shift;
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
		my %seen;

		foreach my $row (@$rows)
		{
			push @faults, "$row->{who} is there twice" if $seen{ $row->{who} }++ || ($self->{path}{ $row->{who} } // '') =~ / $number:/;
			$self->{path}{ $row->{who} } .= " $number:$class";
			$self->{values}[$number]{ $row->{who} } = $row;
			delete $self->{broken}{ $row->{who} } if $release->{kind} ne 'imported';
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
			push @wrong, map { "$_ in release " . ($number + 1) } $self->_value_faults($number, $self->{release}[$last]{conditions}, $self->{everybody}, @people);
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
		my $values = keys %{ { map { ($_ => 1) } grep { defined } map { $self->{values}[$number]{$_}{value} } @people } };
		return ($conditions->{l} // 1) > 1 && $values < $conditions->{l} ? "$values values" : ();
	}
	return Lives::Principles::faults($conditions, [ map { $self->{values}[$number]{$_}{parts} } @people ], $everybody);
}

1;
