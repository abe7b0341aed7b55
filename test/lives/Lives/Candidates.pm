# Lives of the methods that keep candidates: m-invariance, cor-split and m-distinct.
#
# Rows come, leave, come back and move about; under m-distinct values become what they can become, and some releases are
# imported. In some lives m is raised, or lowered, on the way. A judge counts what classes show, and what was said of them; the observer looks
# for values that somebody cannot have had.
package Lives::Candidates;

use strict;
use warnings;
use Lives::Life;
use Lives::Observer;

my $steps = 30_000;

sub live
{
	my ($life) = @_;
	my $self = declare($life);
	my $careful = !$self->{imports} && chance(0.6);		# a refused release takes back what was changed before it
	my $releases = draw(3 .. 12);

	foreach my $step (1 .. $releases)
	{
		$life->run('BEGIN') if $careful;
		change($self, $step);
		$life->add_column if chance(0.1);
		adopt($self, $step), next if chance($self->{imports});
		# A class that nobody can be put into, and a value that is not known, are what may be.
		my $published = $life->run(q{SELECT number FROM pprepub.publish('life')}, may => qr/22\d\d\d|23514|P0002|55000|25P02/);
		$life->run('COMMIT') if $careful;
		judge($self) if $published;
	}
	observe($self);
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run('DROP TABLE ' . join ', ', 'life', @{ $self->{tables} }, $self->{moves} ? 'life_updates' : ());
	return;
}

# ---- Changes ----

# A person's value is drawn before the person is born, so that nobody has to look.
sub declare
{
	my ($life) = @_;
	my $method = $life->{method} =~ s/ strict//r;
	my $m = draw(2, 2, 2, 3, 3, 4);
	my @values = ('a' .. 'z')[ 0 .. $m + draw(0 .. 3) - 1 ];
	my $skew = draw(1, 1, 1.5);
	my $self = { life => $life, method => $method, m => $m, values => \@values, strict => $life->{method} =~ /strict/ ? 1 : 0, releases => [], m_of => [], tables => [],
		alters => chance(0.3) ? 0.3 : 0, imports => $method eq 'm-distinct' && chance(0.3) ? draw(0.2, 0.5) : 0 };
	my %params = (m => $m);

	$life->run('CREATE TABLE life (id int PRIMARY KEY, a int, b int, s text)');
	$params{n} = $self->{n} = draw(1 .. $m) if $method eq 'cor-split';
	if ($method eq 'm-distinct')
	{
		@params{qw(updates strict)} = ('"life_updates"', $self->{strict} ? 'true' : 'false');
		$self->{moves} = moves(@values);
		$life->run('CREATE TABLE life_updates (from_value text, to_value text)');
		$life->run('INSERT INTO life_updates VALUES ' . join ', ',
			map { my $from = $_; map { "('$from', '$_')" } sort keys %{ $self->{moves}{$from} } } @values);
	}
	# Some values are of people who come late.
	my $late = draw(0, 0, 1, 1, 2);
	$late = @values - $m if $late > @values - $m;
	my $most = draw(6, 8, 12, 12, 16);
	foreach my $id (1 .. $most)
	{
		my @may = $id <= $most / 2 ? @values[ 0 .. $#values - $late ] : @values;
		$self->{value}{$id} = spread($skew, @may);
	}
	$life->count("$life->{method}: lives in which m is altered") if $self->{alters};
	$life->count("$life->{method}: lives with imports") if $self->{imports};
	$self->{birth} = { map { $_ => $_ <= $most / 2 ? 1 : draw(1 .. 6) } 1 .. $most };
	$self->{calm} = draw(0, 0.3, 0.7);
	$self->{turnover} = draw(0.05, 0.15, 0.3);
	$life->run("SELECT pprepub.create_publication('life', 'life', 'id', '{\"a\": \"range\", \"b\": \"range\"}', 's', '$method', '{"
		. join(', ', map { "\"$_\": $params{$_}" } sort keys %params) . "}', target => 'lives')");
	return $self;
}

# Two steps can be one.
sub moves
{
	my @values = @_;
	my $often = draw(0.15, 0.3, 0.5);
	my %can;

	foreach my $from (@values)
	{
		$can{$from} = { map { $_ => 1 } $from, some($often, @values) };
	}
	foreach my $middle (@values)
	{
		foreach my $from (grep { $can{$_}{$middle} } @values)
		{
			$can{$from}{$_} = 1 foreach keys %{ $can{$middle} };
		}
	}
	return \%can;
}

sub place { return join ', ', int(rand(100)), int(rand(100)) }

sub change
{
	my ($self, $step) = @_;
	my $life = $self->{life};
	my @ids = sort { $a <=> $b } keys %{ $self->{value} };
	my @leave = some($self->{turnover}, @ids);
	my @come = grep { $self->{birth}{$_} == $step || $self->{birth}{$_} < $step && chance(0.2) } @ids;
	my @move = some(1 - $self->{calm}, @ids);

	foreach my $id ($self->{moves} ? some(0.3, @ids) : ())
	{
		$self->{value}{$id} = draw(sort keys %{ $self->{moves}{ $self->{value}{$id} } });
		$life->run("UPDATE life SET s = '$self->{value}{$id}' WHERE id = $id");
	}
	$life->run('DELETE FROM life WHERE id IN (' . join(', ', @leave) . ')') if @leave && $step > 1;
	$life->run('INSERT INTO life VALUES ' . join(', ', map { "($_, " . place() . ", '$self->{value}{$_}')" } @come) . ' ON CONFLICT DO NOTHING') if @come;
	$life->run('UPDATE life SET (a, b) = ROW (v.a, v.b) FROM (VALUES ' . join(', ', map { "($_, " . place() . ')' } @move) . ') v(id, a, b) WHERE life.id = v.id') if @move;
	alter($self) if $step > 1 && chance($self->{alters});
	return;
}

# There may be too few values.
sub alter
{
	my ($self) = @_;
	my $m = $self->{m} + draw(1, 1, -1);

	$self->{life}->run(qq(SELECT pprepub.alter_publication('life', '{"m": $m, "accept_weakening": true}')), may => qr/22\w{3}|55000|25P02/);
	return;
}

# Classes of people who are there, or were, made by somebody who did not look.
sub adopt
{
	my ($self, $step) = @_;
	my $life = $self->{life};
	my $name = "import_$step";
	my $size = draw($self->{m} - 1 .. $self->{m} + 1);
	my $most = draw(4, 8, 12);
	my @people = grep { $self->{birth}{$_} <= $step } shuffled(sort { $a <=> $b } keys %{ $self->{value} });

	@people = @people[ 0 .. $most - 1 ] if @people > $most;
	$life->run("CREATE TABLE $name (k int, s text, class int)");
	push @{ $self->{tables} }, $name;
	$life->run("INSERT INTO $name VALUES " . join ', ', map { "($people[$_], '$self->{value}{ $people[$_] }', " . int($_ / $size) . ')' } 0 .. $#people);
	$life->run("SELECT number FROM pprepub.import_release('life', '$name', key => 'k', accept_changes => true)", may => qr/22\w{3}|23\w{3}|42P10|P0002|0A000/) or return;
	judge($self, { map { $_ => { s => $self->{value}{$_} } } @people });
	return;
}

# ---- A release ----

# Of an imported one, these people have these values.
sub judge
{
	my ($self, $imported) = @_;
	my $life = $self->{life};
	my $release = @{ $self->{releases} } + 1;
	my %had = map { $_->{id} => $_ } $imported ? (map { { %{ $imported->{$_} }, id => $_ } } keys %$imported) : $life->rows('SELECT * FROM life');
	my $warned = grep { /less than/ } @{ $life->{warnings} // [] };
	my (%class, %invented);

	$life->count('releases');
	($self->{m_of}[ $release - 1 ]) = map { $_->{m} } $life->rows(q{SELECT params ->> 'm' AS m FROM pprepub.release WHERE publication = 'life' AND number = ?}, values => [ $release ]);
	foreach my $row ($life->rows("SELECT class, a, b, s, lower(a) AS a_from, upper(a) AS a_to, lower(b) AS b_from, upper(b) AS b_to FROM lives.life_$release"))
	{
		my $class = $class{ $row->{class} } //= { people => [], shown => {}, rows => 0, cells => $row, number => $row->{class} };

		$class->{rows}++;
		$class->{shown}{ $row->{s} }++;
		fault($self, "class $row->{class} has unequal cells") if "$row->{a} $row->{b}" ne "$class->{cells}{a} $class->{cells}{b}";
	}
	foreach my $member ($life->rows(q{SELECT key, class FROM pprepub.class_members('life') WHERE release = ? ORDER BY key::int}, values => [ $release ]))
	{
		my $had = delete $had{ $member->{key} };

		if (!defined $had || !$class{ $member->{class} })
		{
			fault($self, "$member->{key}, of class $member->{class}, is nobody, or nowhere");
			next;
		}
		push @{ $class{ $member->{class} }{people} }, $member->{key};
		$self->{had}{ $member->{key} }[ $release - 1 ] = $had->{s};
		fault($self, "$member->{key} is outside the cells of class $member->{class}") if !$imported && !covers($class{ $member->{class} }{cells}, $had);
	}
	fault($self, join(', ', sort keys %had) . ' are not shown') if %had;
	# There is no such view before a release was made here.
	$invented{ $_->{class} } = $_->{counterfeits} foreach $imported ? () : $life->rows('SELECT class, counterfeits FROM lives.life_counterfeits WHERE release = ?', values => [ $release ]);
	push @{ $self->{releases} }, [ map { $class{$_} } sort { $a <=> $b } keys %class ];
	foreach my $class (@{ $self->{releases}[-1] })
	{
		$class->{invented} = $class->{rows} - @{ $class->{people} };
		$life->count('classes judged');
		fault($self, "class $class->{number} has $class->{invented} invented rows, not those that everybody is told") if $class->{invented} != ($invented{ $class->{number} } // 0);
		judge_class($self, $class, $release - 1, $imported);
	}
	judge_pairs($self) if $self->{method} eq 'cor-split';
	judge_promise($self, $imported, $warned);
	return;
}

# An import that is less than promised is warned about, and the audit never holds again.
sub judge_promise
{
	my ($self, $imported, $warned) = @_;
	my $life = $self->{life};
	my $number = @{ $self->{releases} };
	my ($weak) = $self->{weak_classes} // ();
	my @audit = $life->rows(q{SELECT check_name, measured, required, holds::int AS holds FROM pprepub.audit('life')});

	$life->count("$life->{method}: imports") if $imported;
	if ($imported && !defined $weak)
	{
		my @few = $self->{strict} ? few_candidates($self, $number, 1) : join(', ', map { "$_->{person} in release $_->{release} can only be " . join(' or ', sort keys %{ $_->{may} }) } few_followed($self));
		$weak = "release $number: $few[0]" if $few[0] ne '';
	}
	$life->found('warning', "import_release does not warn: $weak\n" . told($self, $number)) if $imported && defined $weak && !$warned && !defined $self->{weak};
	$self->{weak} //= $weak;
	$self->{is_warned} ||= $imported && $warned;
	my $broken = $self->{weak} // ($self->{is_warned} ? 'an import that was warned about' : undef);
	$life->found('audit', "all of audit() holds, after $broken\n" . told($self, $number)) if defined $broken && !grep { !($_->{holds} // 0) } @audit;
	return if defined $self->{weak} || $self->{is_warned};
	$life->found('alarm', "release $number: audit: $_->{check_name}: $_->{measured}, not $_->{required}\n" . told($self, $number)) foreach grep { !($_->{holds} // 1) } @audit;
	return;
}

sub fault
{
	my ($self, $what) = @_;

	$self->{life}->found('class', 'release ' . (@{ $self->{releases} } + 0) . ": $what");
	return;
}

sub covers
{
	my ($cells, $row) = @_;

	return !grep { defined $cells->{"${_}_from"} && $row->{$_} < $cells->{"${_}_from"} || defined $cells->{"${_}_to"} && $row->{$_} >= $cells->{"${_}_to"} } 'a', 'b';
}

sub judge_class
{
	my ($self, $class, $release, $imported) = @_;
	my @shown = sort keys %{ $class->{shown} };
	my ($least, $most) = (sort { $a <=> $b } values %{ $class->{shown} })[ 0, -1 ];
	my %left = %{ $class->{shown} };
	my $what = "class $class->{number} of {@{ $class->{people} }}+$class->{invented}";
	my $m = $self->{m_of}[$release];
	# Nobody promised what is imported.
	my $weak = $imported ? sub { $self->{weak_classes} //= 'release ' . ($release + 1) . ": $_[0]" } : sub { fault($self, $_[0]) };

	$self->{came}{$_} //= $release foreach @{ $class->{people} };
	# Where values stay, and under strict, so does how many of them a class shows; after a weak import even that is few.
	($m) = sort { $b <=> $a } map { promised($self, $_) } @{ $class->{people} } if (!$self->{moves} || $self->{strict}) && @{ $class->{people} };
	$m = 1 if $self->{strict} && !$imported && (defined $self->{weak} || $self->{is_warned});
	$weak->("$what has values " . join('', map { $_ x $class->{shown}{$_} } @shown) . ", m being $m") if @shown < $m || $least != $most || $most > 1 && $self->{method} ne 'cor-split';
	$weak->("$what is not strict") if $self->{strict} && !defined $self->{weak} && !$self->{is_warned} && grep { is_connected($self, @$_) } pairs(@shown);
	foreach my $person (@{ $class->{people} })
	{
		my $had = $self->{had}{$person}[$release];
		my $last = $self->{last}{$person};

		fault($self, "$what does not show what $person has") if $left{$had}-- <= 0;
		if ($self->{moves})
		{
			$weak->("$what is no legal update of {@$last} for $person") if defined $last && (!can_become($self->{moves}, $last, \@shown) || @$last >= $m && @$last != @shown);
		}
		elsif (defined $last)
		{
			fault($self, "$what does not show the values {@$last} of $person") if "@$last" ne "@shown";
		}
		$self->{last}{$person} = \@shown;
	}
	return;
}

# Each of the ones can have become one of the others, one by one. Only classes of fewer than m grow.
sub can_become
{
	my ($moves, $before, $after, @taken) = @_;

	return 1 if @taken == @$before;
	foreach my $value (@$after)
	{
		next if !$moves->{ $before->[@taken] }{$value} || grep { $_ eq $value } @taken;
		return 1 if can_become($moves, $before, $after, @taken, $value);
	}
	return 0;
}

sub pairs
{
	my @things = @_;

	return map { my $i = $_; map { [ @things[ $i, $_ ] ] } $i + 1 .. $#things } 0 .. $#things;
}

# By updates in any direction, and in any number of steps.
sub is_connected
{
	my ($self, $one, $other) = @_;

	if (!$self->{family})
	{
		foreach my $value (@{ $self->{values} })
		{
			my @with = ($value);
			next if $self->{family}{$value};
			while (defined(my $next = shift @with))
			{
				next if $self->{family}{$next};
				$self->{family}{$next} = $value;
				push @with, grep { $self->{moves}{$next}{$_} || $self->{moves}{$_}{$next} } @{ $self->{values} };
			}
		}
	}
	return $self->{family}{$one} eq $self->{family}{$other};
}

# Of the last release with those before: the same rows' values, and all but fewer than n of the people.
sub judge_pairs
{
	my ($self) = @_;
	my @releases = @{ $self->{releases} };
	my $last = pop @releases;

	foreach my $class (@$last)
	{
		my %here = map { $_ => 1 } @{ $class->{people} };

		foreach my $other (map { @$_ } @releases)
		{
			next if join(' ', map { "$_$class->{shown}{$_}" } sort keys %{ $class->{shown} }) ne join(' ', map { "$_$other->{shown}{$_}" } sort keys %{ $other->{shown} });
			my $common = grep { $here{$_} } @{ $other->{people} };
			my $apart = $class->{rows} - $common;

			fault($self, "{@{ $class->{people} }}+$class->{invented} and, earlier, {@{ $other->{people} }}+$other->{invented} have all but $apart in common")
				if $common && $apart > 0 && $apart < $self->{n};
		}
	}
	return;
}

# ---- All releases together ----

sub history
{
	my ($self, $releases, $any_invention) = @_;

	return { releases => [ @{ $self->{releases} }[ 0 .. $releases - 1 ] ], moves => $self->{moves}, any_invention => $any_invention };
}

# More releases never leave more candidates: unless the whole of it is too much, it tells all. Under m-distinct invented rows
# show what is declared, whether a true row has shown it or not; and without strict each person is promised candidates before
# observers who follow that person alone, so that what others conclude is counted, and is no finding.
sub observe
{
	my ($self) = @_;
	my $life = $self->{life};
	my $all = @{ $self->{releases} };

	return if !$all;
	if ($self->{moves} && !$self->{strict})
	{
		follow_each($self);
		count_joint($self);
		return;
	}
	if (!Lives::Observer::agrees(history($self, $all, 0), $self->{had}) && !$self->{moves})
	{
		my $first = (grep { !Lives::Observer::agrees(history($self, $_, 0), $self->{had}) } 1 .. $all)[0];
		$life->found('invented', "release $first: a value that no true row has shown\n" . told($self, $first));
		return;
	}
	observe_as($self, 'candidates', $self->{moves} ? 1 : 0) if !defined $self->{weak} && !$self->{is_warned};
	return;
}

sub count_joint
{
	my ($self) = @_;
	my @found = Lives::Observer::candidates(history($self, scalar @{ $self->{releases} }, 1), $steps);

	$self->{life}->count('m-distinct: versions of persons', scalar @found);
	$self->{life}->count('m-distinct: of these below m for who follows everybody', scalar grep { has_few($self, $_) } @found);
	return;
}

# People keep as many candidates as they came with; classes of those who came later have more, if m was raised.
sub promised
{
	my ($self, $person) = @_;

	return $self->{m_of}[ $self->{came}{$person} ];
}

sub has_few
{
	my ($self, $found) = @_;

	return @{ $found->{possible} } + @{ $found->{open} } < promised($self, $found->{person});
}

sub follow_each
{
	my ($self) = @_;

	return if defined $self->{weak} || $self->{is_warned};
	$self->{life}->found('followed', "$_->{person} in release $_->{release} can only be " . join(' or ', sort keys %{ $_->{may} }) . "\n" . told($self, scalar @{ $self->{releases} })) foreach few_followed($self);
	return;
}

# The classes of each person, one after the other: what can have become of what, and from what. Those with fewer than m.
sub few_followed
{
	my ($self) = @_;
	my (%classes, @few);

	foreach my $number (0 .. $#{ $self->{releases} })
	{
		foreach my $class (@{ $self->{releases}[$number] })
		{
			push @{ $classes{$_} }, { release => $number + 1, may => { %{ $class->{shown} } } } foreach @{ $class->{people} };
		}
	}
	foreach my $person (sort keys %classes)
	{
		my @steps = @{ $classes{$person} };

		foreach my $i (1 .. $#steps)
		{
			keep($steps[$i]{may}, sub { my ($value) = @_; grep { $self->{moves}{$_}{$value} } keys %{ $steps[ $i - 1 ]{may} } });
		}
		foreach my $i (reverse 0 .. $#steps - 1)
		{
			keep($steps[$i]{may}, sub { my ($value) = @_; grep { $self->{moves}{$value}{$_} } keys %{ $steps[ $i + 1 ]{may} } });
		}
		$self->{life}->count('m-distinct: persons followed', 1);
		push @few, map { { %$_, person => $person } } grep { keys %{ $_->{may} } < promised($self, $person) } @steps;
	}
	return @few;
}

sub keep
{
	my ($set, $may) = @_;

	delete @$set{ grep { !$may->($_) } keys %$set };
	return;
}

sub observe_as
{
	my ($self, $kind, $any_invention) = @_;
	my $life = $self->{life};
	my $all = @{ $self->{releases} };
	my ($few, $judged, $open) = few_candidates($self, $all, $any_invention);

	$life->count("$kind: persons judged", $judged);
	$life->count("$kind: persons not judged", $open);
	for (my $number = $all - 1; $open && $few eq '' && $number > 0; $number--)
	{
		($few) = few_candidates($self, $number, $any_invention);
	}
	return if $few eq '';
	my $first = (grep { (few_candidates($self, $_, $any_invention))[0] ne '' } 1 .. $all)[0];
	$life->found($kind, "release $first: " . (few_candidates($self, $first, $any_invention))[0] . "\n" . told($self, $first));
	return;
}

# People with fewer than m; and of how many everything, or not everything, is known.
sub few_candidates
{
	my ($self, $releases, $any_invention) = @_;
	my @found = Lives::Observer::candidates(history($self, $releases, $any_invention), $steps);
	my @few = grep { has_few($self, $_) } @found;
	my @open = grep { @{ $_->{possible} } < promised($self, $_->{person}) && !has_few($self, $_) } @found;

	return (join(', ', map { "$_->{person} in release " . ($_->{release} + 1) . ' can only be ' . join(' or ', @{ $_->{possible} }, @{ $_->{open} }) } @few),
		@found - @open, scalar @open);
}

# The releases, as they came out.
sub told
{
	my ($self, $releases) = @_;

	return join "\n", "m = @{ $self->{m_of} }", $self->{moves} ? 'moves ' . join(' ', map { "$_>" . join('', sort keys %{ $self->{moves}{$_} }) } @{ $self->{values} }) : (),
		map { my $number = $_; "R$number " . join ' ', map { my $class = $_;
			'{' . join(' ', map { "$_=$self->{had}{$_}[$number - 1]" } @{ $class->{people} }) . ($class->{invented} ? "+$class->{invented}" : '') . ':'
				. join('', map { $_ x $class->{shown}{$_} } sort keys %{ $class->{shown} }) . '}' } @{ $self->{releases}[ $number - 1 ] } } 1 .. $releases;
}

1;
