# Atoms, which intersections and differences of releases tell apart: a judge of method bpg who shares nothing with it.
#
# A release is a list of classes, each a list of rows: { who, value, true }. Invented rows are somebody, too: whom they stand
# for, or themselves. People who were always in the same classes are one atom.
package Lives::Atoms;

use strict;
use warnings;

# new(): nothing has been released.
sub new
{
	return bless { path => {}, values => [], k => [], l => [], judged => 0, broken => {}, kind => [] }, shift;
}

# add(release): what is wrong since, in words. The release: { kind, k, l, classes => [ [ rows ] ] }.
sub add
{
	my ($self, $release) = @_;
	my $number = @{ $self->{k} };
	my @faults;

	push @{ $self->{k} }, $release->{k};
	push @{ $self->{l} }, $release->{l};
	push @{ $self->{kind} }, $release->{kind};
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
		$self->{values}[$number]{ $_->{who} } = { value => $_->{value}, true => $_->{true}, spare => \%spare } foreach @$rows;
		$class++;
	}
	push @faults, $self->_judge($number);
	return @faults;
}

# How many atoms were looked at.
sub judged { return $_[0]{judged} }

sub atoms
{
	my ($self) = @_;
	my %atoms;

	push @{ $atoms{ $self->{path}{$_} } }, $_ foreach sort keys %{ $self->{path} };
	return \%atoms;
}

sub _judge
{
	my ($self, $last) = @_;
	my $atoms = $self->atoms;
	my ($k) = sort { $a <=> $b } @{ $self->{k} };
	my ($l) = sort { $a <=> $b } @{ $self->{l} };
	my @faults;

	foreach my $path (sort keys %$atoms)
	{
		my @people = @{ $atoms->{$path} };
		my @released = $path =~ / (\d+):/g;
		my $is_here = $released[-1] == $last && $self->{kind}[$last] ne 'imported';
		my ($least, @wrong) = $is_here ? $self->{k}[$last] : $k;

		$self->{judged}++;
		push @wrong, scalar(@people) . ' people' if @people < $least;
		foreach my $number (@released)
		{
			$least = $is_here && $number == $last ? $self->{l}[$last] : $l;
			my $values = $least > 1 ? $self->_values($number, @people) : $least;
			push @wrong, "$values values in release " . ($number + 1) if $values < $least;
		}
		next if !@wrong;
		if ($self->{kind}[$last] eq 'imported')
		{
			$self->{broken}{$_} = 1 foreach @people;
		}
		elsif (grep { !$self->{broken}{$_} } @people)
		{
			push @faults, 'atom {' . join(' ', @people) . '}: ' . join(', ', @wrong) . " (of$path)";
		}
	}
	return @faults;
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
