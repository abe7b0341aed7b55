# Groups of places, from the log alone: a judge of method bpg who shares nothing with it.
#
# A class is a list of rows: { key, true, group, place, who, value, parts }. Its places are of one group, and a part of it; key is
# the person's who sits there, if somebody does. An imported row of somebody who has a place already has none in the log.
package Lives::Places;

use strict;
use warnings;
use Lives::Principles;

# new(): nothing has been released.
sub new
{
	return bless { place => {}, group => {}, holds => {}, nparts => 0 }, shift;
}

# Says of each row whose place it is.
sub name
{
	my ($self, @rows) = @_;

	foreach my $row (@rows)
	{
		$row->{who} = defined $row->{place} ? "$row->{group}/$row->{place}" : $self->{holds}{ $row->{key} // '' } // 'nowhere';
	}
	return;
}

# The value that a place showed last, or nothing.
sub shown { return ($_[0]{place}{ $_[1] } // {})->{word} }

# add(release, classes, source): what is wrong with the release, in words. The release: { kind, is_whole, shows_values, k, conditions,
# everybody, is_true_only }; the source, if it is known: { key => { asked, word } }.
sub add
{
	my ($self, $release, $classes, $source) = @_;
	my (@faults, %sits, %shown);

	foreach my $class (sort { $a <=> $b } keys %$classes)
	{
		my @rows = @{ $classes->{$class} };

		push @faults, map { "class $class: $_" } (grep { $shown{$_}++ } map { $_->{who} } @rows) ? 'a place is shown twice' : (),
			(grep { $_->{true} && $sits{ $_->{key} }++ } @rows) ? 'a person is in two places' : (),
			$release->{kind} eq 'imported' ? $self->_part_by_import(@rows) : $self->_class_faults($release, $source, @rows);
	}
	foreach my $row (map { @$_ } map { $classes->{$_} } sort { $a <=> $b } keys %$classes)
	{
		my $place = $self->{place}{ $row->{who} };

		@$place{qw(word parts value)} = (_word($row), $row->{parts}, $row->{value});
		$place->{is_void} = $release->{kind} eq 'imported' ? 1 : 0;
		if ($row->{true}) { $self->_take($row->{key}, $row->{who}) }
		elsif ($release->{is_whole}) { $place->{was_away} = 1 }
	}
	return @faults;
}

sub _word { return join ' ', map { $_ // 'NULL' } @{ $_[0]{parts} } }

# A person who sits elsewhere holds the earlier place no more.
sub _take
{
	my ($self, $key, $who) = @_;
	my $earlier = $self->{holds}{$key};

	$self->{place}{$earlier}{holder} = undef if defined $earlier && $earlier ne $who && ($self->{place}{$earlier}{holder} // '') eq $key;
	$self->{holds}{$key} = $who;
	@{ $self->{place}{$who} }{qw(holder was_away)} = ($key, 0);
	$self->{group}{ $self->{place}{$who}{group} // '' }{people}{$key} = 1;
	return;
}

sub _found
{
	my ($self, $group, @rows) = @_;

	$self->{group}{$group} //= { places => [], epochs => [], people => {} };
	push @{ $self->{group}{$group}{places} }, map { $_->{who} } @rows;
	$self->{nparts}++;
	$self->{place}{ $_->{who} } = { group => $group, part => $self->{nparts} } foreach @rows;
	return;
}

# Places that one class holds of a part are a part by themselves; nobody promised what they show.
sub _part_by_import
{
	my ($self, @rows) = @_;
	my @new = grep { defined $_->{place} } @rows;
	my %of_part;

	return 'somebody has no place' if grep { $_->{who} eq 'nowhere' } @rows;
	return 'a group has been there before' if grep { $self->{group}{ $_->{group} } } @new;
	$self->_found($new[0]{group}, @new) if @new;
	push @{ $of_part{ $self->{place}{ $_->{who} }{part} } }, $_->{who} foreach @rows;
	foreach my $part (sort keys %of_part)
	{
		$self->{nparts}++;
		foreach my $place (map { $self->{place}{$_} } @{ $of_part{$part} })
		{
			@$place{qw(part is_gone)} = ($self->{nparts}, 0);
			$self->{group}{ $place->{group} }{is_met} = 1;
		}
	}
	return;
}

sub _class_faults
{
	my ($self, $release, $source, @rows) = @_;
	my $number = $rows[0]{group} // return 'it is of no group';
	my $group = $self->{group}{$number};
	my @stand_in = grep { !$_->{true} } @rows;

	return 'it is of two groups' if grep { !defined $_->{place} || $_->{group} ne $number } @rows;
	return ($release->{is_true_only} && @stand_in ? 'rows stand in, and all were to be true' : (),
		$release->{is_whole} && 2 * @stand_in > @rows ? 'most of its rows stand in' : (),
		defined $group ? ($self->_part_faults($release, $group, @rows), $self->_people_faults($release, $source, $group, @rows), $self->_value_faults($release, $source, $group, @rows))
		: $self->_new_faults($source, $number, @rows));
}

sub _new_faults
{
	my ($self, $source, $number, @rows) = @_;
	my @faults;

	push @faults, 'a group begins with rows that stand in' if grep { !$_->{true} } @rows;
	push @faults, 'its places are ' . join(' ', map { $_->{place} } @rows) if join(' ', sort { $a <=> $b } map { $_->{place} } @rows) ne join(' ', 1 .. @rows);
	push @faults, map { "a group begins with another value of $_->{key}" } grep { $_->{true} && $source && $source->{ $_->{key} } && $source->{ $_->{key} }{word} ne _word($_) } @rows;
	$self->_found($number, @rows);
	push @{ $self->{group}{$number}{epochs} }, { map { ($_->{who} => $_) } @rows };
	return @faults;
}

# A whole part, but for places that are parted off: whichever values are theirs, or, of true rows, as they are, these are allowed, and those of the others.
sub _part_faults
{
	my ($self, $release, $group, @rows) = @_;
	my $place = $self->{place};

	return 'its group has got places' if grep { !$place->{ $_->{who} } } @rows;
	return 'it shows places that were parted off' if !$release->{is_true_only} && grep { $place->{ $_->{who} }{is_gone} } @rows;
	my $part = $place->{ $rows[0]{who} }{part};
	return 'it is of two parts' if grep { $place->{ $_->{who} }{part} != $part } @rows;

	my %shown = map { ($_->{who} => 1) } @rows;
	my @part = grep { $place->{$_}{part} == $part } @{ $group->{places} };
	my @gone = grep { !$shown{$_} } @part;
	$place->{$_}{is_gone} = 0 foreach keys %shown;
	return if !@gone;
	$self->{nparts}++;
	@{ $place->{$_} }{qw(part is_gone)} = ($self->{nparts}, 1) foreach @gone;
	return 'it is not a whole part' if !$release->{is_whole};
	return @gone . ' places of ' . @part . ' are parted off' if @gone < $release->{k} || @rows < $release->{k};
	return if $group->{is_met};
	foreach my $epoch (@{ $group->{epochs} })
	{
		my @worst = _worst_first(map { $epoch->{$_} } @part);
		my @wrong = $release->{is_true_only} ? map { _are_refused($release, map { $epoch->{$_} } @$_) } \@gone, [ keys %shown ]
			: map { _are_refused($release, @worst[ 0 .. $_ - 1 ]) } scalar @gone, scalar @rows;

		return @gone . ' places of ' . @part . " are parted off, and may show $wrong[0]" if @wrong;
	}
	return;
}

# NULLs, and then the commonest values.
sub _worst_first
{
	my @rows = @_;
	my %times;

	$times{ $_->{value} // '' }++ foreach @rows;
	return sort { (defined $a->{value} ? 1 : 0) <=> (defined $b->{value} ? 1 : 0) || $times{ $b->{value} // '' } <=> $times{ $a->{value} // '' } || ($a->{value} // '') cmp ($b->{value} // '') } @rows;
}

sub _are_refused
{
	my ($release, @rows) = @_;
	my $conditions = $release->{conditions};

	return Lives::Principles::faults($conditions, [ map { $_->{parts} } @rows ], $release->{everybody}) if Lives::Principles::judges_people($conditions);
	my $values = keys %{ { map { ($_->{value} => 1) } grep { defined $_->{value} } @rows } };
	return ($conditions->{l} // 1) > 1 && $values < $conditions->{l} ? "$values values" : ();
}

# People who come have the value that the place shows, as do those who were away; nobody has two places in a group.
sub _people_faults
{
	my ($self, $release, $source, $group, @rows) = @_;
	my @faults;

	foreach my $row (grep { $_->{true} } @rows)
	{
		my $place = $self->{place}{ $row->{who} };
		my $is_new = ($place->{holder} // '') ne $row->{key};
		my $has = $source && $source->{ $row->{key} };

		push @faults, "$row->{key} has a second place in the group" if $is_new && $group->{people}{ $row->{key} };
		push @faults, "$row->{key} comes, in a release that is not of everybody" if $is_new && !$release->{is_whole};
		push @faults, "$row->{key} has $has->{word}, and " . ($is_new ? 'comes' : 'comes back') . ' to a place that shows ' . _word($row)
			if $has && ($is_new || $place->{was_away}) && !$place->{is_void} && $has->{word} ne _word($row);
	}
	return @faults;
}

# It shows what it showed last; or everybody is there, sat there before, was asked for, and shows the value of today.
sub _value_faults
{
	my ($self, $release, $source, $group, @rows) = @_;
	my $place = $self->{place};
	my @new = grep { ($place->{ $_->{who} }{word} // '') ne _word($_) } grep { $place->{ $_->{who} } } @rows;

	return if !@new;
	my $is_void = grep { $place->{ $_->{who} }{is_void} } grep { $place->{ $_->{who} } } @rows;
	my $last = @{ $group->{epochs} } ? $group->{epochs}[-1] : {};
	push @{ $group->{epochs} }, { %$last, map { ($_->{who} => $_) } @rows };
	return if $is_void;

	my $what = 'it shows what is new at ' . join(', ', map { "$_->{who} ($place->{ $_->{who} }{word}, now " . _word($_) . ')' } @new);
	return "$what, without values" if !$release->{shows_values};
	my @lack = map { $_->{who} } grep { !$_->{true} || ($place->{ $_->{who} }{holder} // '') ne $_->{key} || ($source && !($source->{ $_->{key} } // {})->{asked}) } @rows;
	return "$what, and lacks who sat there before at " . join(', ', @lack) if @lack;
	my @old = map { $_->{key} } grep { $source && $source->{ $_->{key} }{word} ne _word($_) } @rows;
	return "$what, and not what is new of " . join(', ', @old) if @old;
	return;
}

1;
