# Lives of method sequential: releases of different columns of a table that people come to, leave, and come back to, with the same
# value or another one. Some releases are imported, of people who may have left; and k is raised on the way.
#
# An observer joins all releases. He knows a person's quasi-identifiers, and of everybody when they came, left, and got another value:
# a stay is the releases of a person while the value stays the same. Each row of each release is somebody's; he looks what is left
# of the person.
package Lives::Sequential;

use strict;
use warnings;
use Lives::Cells;
use Lives::Life;
use Lives::Worlds;

my @quasi = qw(a b c);

sub live
{
	my ($life) = @_;
	my $self = declare($life);

	foreach my $step (1 .. $self->{steps})
	{
		change($self) if $step > 1;
		chance($self->{imports}) ? adopt($self, $step) : publish($self);
		judge_audit($self) if chance(0.3);
	}
	if (chance(0.5))
	{
		leave($self, some(0.5, sort { $a <=> $b } keys %{ $self->{present} }));
		judge_audit($self);
	}
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run("DROP TABLE $_") foreach 'life', @{ $self->{tables} };
	return;
}

sub declare
{
	my ($life) = @_;
	my $values_only = chance(0.4);
	my $is_calm = chance(0.15);			# nobody comes or leaves
	my $self = { life => $life, k => draw(2, 2, 2, 2, 3), privacy => draw(('linkability') x 4, 'diversity'), steps => draw(3, 3, 4, 5, 6), values_only => $values_only,
		leaves => $is_calm ? 0 : draw(0.2, 0.35, 0.5), comes => draw(0.3, 0.5, 0.7), changes => $is_calm ? 0 : draw(0, 0, 0.15), moves => chance(0.08) ? 0.2 : 0,
		imports => chance(0.25) ? draw(0.3, 0.7) : 0, raises => chance(0.2) ? 0.3 : 0, spots => draw(2, 3, 10), nulls => draw(0, 0, 0.1), value_nulls => draw(0, 0, 0, 0, 0, 0.1),
		all_values => draw([qw(u v)], [qw(u v w)], [qw(u v w)], [qw(u v w x)]), releases => [], stays => {}, present => {}, tables => [] };
	my $most = $values_only ? draw(6 .. 11) : draw(4 .. 8);
	my ($model, $approach) = (draw('cell', 'cell', 'cut'), draw('unifying', 'unifying', 'separative'));

	$life->count('sequential: ' . $_) foreach $values_only ? 'lives of values alone' : 'lives of cells', $is_calm ? () : 'lives in which people come and leave', $self->{changes} ? 'lives in which values change' : (),
		$self->{imports} ? 'lives with imports' : (), $self->{raises} ? 'lives in which k is raised' : (), $self->{moves} ? 'lives in which quasi-identifiers change' : ();
	# Newcomers that are judged by themselves are promised more values.
	$self->{promises_more} = $approach eq 'separative' && $self->{privacy} eq 'linkability';
	$self->{person} = { map { $_ => { qis($self), s => value($self) } } 1 .. $most };
	$life->run('CREATE TABLE life (id int PRIMARY KEY, a int, b text, c text, s text)');
	come($self, $is_calm ? 1 .. $most : some(0.7, 1 .. $most));
	$life->run("SELECT pprepub.create_publication('life', 'life', 'id', '{\"a\": \"range\", \"b\": \"prefix\", \"c\": \"suppress\"}', 's', 'sequential', "
			. qq('{"k": $self->{k}, "privacy": "$self->{privacy}", "model": "$model", "approach": "$approach", "seed": ) . int(rand(1e6)) . "}', target => 'lives')");
	return $self;
}

# ---- People ----

sub qis
{
	my ($self) = @_;
	my $null = sub { chance($self->{nulls}) ? undef : $_[0] };

	return (a => $null->(int(rand($self->{spots}))), b => $null->(draw('a' .. 'b') . draw('a' .. 'b')), c => $null->(draw('F', 'M')));
}

sub value
{
	my ($self) = @_;

	return chance($self->{value_nulls}) ? undef : draw(@{ $self->{all_values} });
}

sub literal { return defined $_[0] ? $_[0] =~ /^\d+$/ ? $_[0] : "'$_[0]'" : 'NULL' }

sub come
{
	my ($self, @people) = @_;

	return if !@people;
	$self->{life}->run('INSERT INTO life VALUES ' . join ', ', map { my $person = $self->{person}{$_}; "($_, " . join(', ', map { literal($_) } @$person{qw(a b c s)}) . ')' } @people);
	@{ $self->{present} }{@people} = (1) x @people;
	@{ $self->{was_there} }{@people} = (1) x @people;
	return;
}

sub leave
{
	my ($self, @people) = @_;

	return if !@people;
	$self->{life}->run('DELETE FROM life WHERE id IN (' . join(', ', @people) . ')');
	delete @{ $self->{present} }{@people};
	return;
}

sub change
{
	my ($self) = @_;
	my $life = $self->{life};
	my @people = sort { $a <=> $b } keys %{ $self->{person} };
	my @leave = some($self->{leaves}, @people);
	my @come = some($self->{comes}, @people);
	my %was = %{ $self->{present} };

	foreach my $id (some($self->{changes}, @people))
	{
		$self->{person}{$id}{s} = value($self);
		$life->run('UPDATE life SET s = ' . literal($self->{person}{$id}{s}) . " WHERE id = $id");
	}
	foreach my $id (some($self->{moves}, @people))
	{
		$self->{person}{$id} = { %{ $self->{person}{$id} }, qis($self) };
		$life->run('UPDATE life SET (a, b, c) = ROW (' . join(', ', map { literal($_) } @{ $self->{person}{$id} }{@quasi}) . ") WHERE id = $id");
	}
	leave($self, grep { $was{$_} } @leave);
	come($self, grep { !$was{$_} } @come);
	if (chance($self->{raises}))
	{
		$self->{k}++;
		$life->run(qq(SELECT pprepub.alter_publication('life', '{"k": $self->{k}}')));
	}
	return;
}

# ---- Releases ----

sub columns
{
	my ($self) = @_;
	my @columns = $self->{values_only} ? 's' : (some(0.5, @quasi), some(0.75, 's'));

	return @columns ? @columns : ('a', 's');
}

sub publish
{
	my ($self) = @_;
	my $life = $self->{life};

	my @columns = columns($self);

	# No release may be found, or be safe.
	$life->run("SELECT number FROM pprepub.publish('life', columns => '{" . join(',', @columns) . "}')", may => qr/P0002|55000|22\w{3}/) or return;
	judge($self, { %{ $life->{rows}[0] }, shows => \@columns }, sort { $a <=> $b } keys %{ $self->{present} });
	return;
}

# Rows of people who are there, or were, in cells of which nobody has promised anything.
sub adopt
{
	my ($self, $step) = @_;
	my $life = $self->{life};
	my @columns = columns($self);
	my $name = "import_$step";
	my @people = some(draw(0.6, 0.8, 1), sort { $a <=> $b } keys %{ $self->{ draw('present', 'present', 'was_there') } });
	my @rows = map { my $id = $_; '(' . join(', ', $id, map { my $cell = cell($_, $self->{person}{$id}{$_}); defined $cell ? "'$cell'" : 'NULL' } @columns) . ')' } @people;

	return if !@people;
	$life->run("CREATE TABLE $name (" . join(', ', 'k int', map { "$_ text" } @columns) . ')');
	push @{ $self->{tables} }, $name;
	$life->run("INSERT INTO $name VALUES " . join ', ', @rows);
	$life->run("SELECT number FROM pprepub.import_release('life', '$name', key => 'k', accept_changes => true)", may => qr/22\w{3}|23\w{3}|42P10|P0002/) or return;
	judge($self, { %{ $life->{rows}[0] }, shows => \@columns, import => join("\n", @{ $life->{warnings} }) || 'no warning' }, @people);
	return;
}

sub cell
{
	my ($column, $value) = @_;

	return $value if $column eq 's';
	return draw('*', $value, $value) if !defined $value || $column eq 'c';
	return draw('*', $value, substr($value, 0, 1) . '*') if $column eq 'b';
	return draw('*', "[$value," . ($value + 1) . ')', '[' . ($value - draw(0, 1, 2)) . ',' . ($value + draw(1, 2, 3)) . ')');
}

# ---- Judges ----

sub judge
{
	my ($self, $release, @people) = @_;
	my $life = $self->{life};
	my ($row) = $life->rows(q{SELECT params ->> 'k' AS k FROM pprepub.release WHERE publication = 'life' AND number = ?}, values => [ $release->{number} ]);
	my @rows = $life->rows("SELECT a, b, c, s FROM lives.life_$release->{number}");

	$life->count('releases');
	push @{ $self->{releases} }, { shows => { map { $_ => 1 } @{ $release->{shows} } }, rows => \@rows };
	foreach my $id (@people)
	{
		my ($stay, $person) = ($self->{stays}{$id}[-1], $self->{person}{$id});
		my $value = $person->{s} // "\0";

		push @{ $self->{stays}{$id} }, $stay = { id => $id, value => $value, person => {%$person}, releases => [] } if !$stay || $stay->{value} ne $value;
		push @{ $stay->{releases} }, $#{ $self->{releases} };
	}
	$life->found('class', "release $release->{number} has not all rows") if @rows != @people;
	# Somebody whose quasi-identifiers change need not be one person to observers.
	judge_worlds($self, $release, $row->{k}) if !$self->{moves};
	judge_audit($self);
	return;
}

# People with less than was promised: counted, unless this release was to keep it.
sub judge_worlds
{
	my ($self, $release, $k) = @_;
	my $life = $self->{life};
	my @stays = map { @$_ } @{ $self->{stays} }{ sort { $a <=> $b } keys %{ $self->{stays} } };
	my (%stays, %below);

	$stays{ join ' ', @{ $_->{releases} } }++ foreach @stays;
	my $worlds = Lives::Worlds->new(releases => $self->{releases}, stays => \%stays);
	foreach my $stay (@stays)
	{
		my $left = left_to($self, $worlds, $stay, $k);

		$life->count(defined $left ? 'sequential: persons judged' : 'sequential: persons not judged');
		$self->{is_open} = 1 if !defined $left;
		$below{"$stay->{id}, in release " . ($stay->{releases}[0] + 1)} = $left if defined $left && $left + 1e-9 < $k;
	}
	my $told = join ', ', map { "$_: $below{$_}" } sort keys %below;
	$self->{below} = "release $release->{number}: $told, not $k" if %below;
	return if !%below;
	$life->count('sequential: releases that leave less than was promised');
	if (!defined $release->{import})
	{
		# Nothing can be kept of what an import has broken.
		$life->found('join', "$self->{below} ($self->{privacy})\n" . told($self)) if grep { $below{$_} + 1e-9 < ($self->{had_less}{$_} // 9**9**9) } keys %below;
	}
	elsif ($release->{import} !~ /less than/)
	{
		$life->found('warning', "$self->{below}: import_release: $release->{import}\n" . told($self));
	}
	@{ $self->{had_less} }{ keys %below } = values %below;
	return;
}

# Values, or how many times less common than all the commonest is; many if no release has shown a value of this stay. Undefined if that
# takes too long.
sub left_to
{
	my ($self, $worlds, $stay, $k) = @_;
	my $person = $stay->{person};
	my $fits = sub { my ($shows, $row) = @_; !grep { $shows->{$_} && !($_ eq 'a' ? covers_number($row->{a}, $person->{a}) : covers_text($row->{$_}, $person->{$_})) } @quasi };
	my $ways = $worlds->values_of(join(' ', @{ $stay->{releases} }), $fits, $self->{privacy} eq 'linkability' ? $k : undef);
	my ($all, $most) = (0, 0);

	return if !defined $ways;
	if (!%$ways)
	{
		my $is_shown = $stay->{value} ne "\0" && grep { $self->{releases}[$_]{shows}{s} } @{ $stay->{releases} };

		$self->{life}->found('judge', "no world has $stay->{id}, who is there\n" . told($self)) if $is_shown;
		return 9**9**9;
	}
	return scalar keys %$ways if $self->{privacy} eq 'linkability';
	foreach my $n (values %$ways)
	{
		$all += $n;
		$most = $n if $n > $most;
	}
	return $all / $most;
}

# Changes of the source since then, and departures, turn nothing green.
sub judge_audit
{
	my ($self) = @_;
	my $life = $self->{life};
	my $is_green = 1;

	return if !@{ $self->{releases} };
	foreach my $check ($life->rows(q{SELECT check_name, holds::int AS holds, measured, required FROM pprepub.audit('life')}))
	{
		my $what = "audit: $check->{check_name}: $check->{measured}, required $check->{required}";

		# A weak import is told for ever, in a check of its own.
		if ($check->{check_name} !~ /^(joined|imported)$/)
		{
			$life->found('audit', $what) if !($check->{holds} // 1);
			next;
		}
		next if $self->{moves};
		$is_green = 0 if !$check->{holds};
		$life->count('sequential: audits of the join') if $check->{check_name} eq 'joined';
		$life->count('sequential: of these, undecided') if !defined $check->{holds};
		$life->found('alarm', "$what, and nobody has less\n" . told($self)) if !($check->{holds} // 1) && !defined $self->{below} && !$self->{is_open} && !$self->{promises_more};
	}
	$life->found('audit', "audit: all green, after $self->{below}\n" . told($self)) if $is_green && defined $self->{below} && !$self->{moves};
	return;
}

# The releases, as observers see them, and everybody's stays.
sub told
{
	my ($self) = @_;
	my @releases = @{ $self->{releases} };

	return join "\n", (map { my $number = $_; my $shows = $releases[ $number - 1 ]{shows};
			"R$number {" . join(' ', sort map { my $row = $_; join ':', map { $row->{$_} // 'NULL' } grep { $shows->{$_} } @quasi, 's' } @{ $releases[ $number - 1 ]{rows} }) . '}' } 1 .. @releases),
		map { join(' ', "$_->{id}:", (map { $_ // 'NULL' } @{ $_->{person} }{ @quasi, 's' }), 'in', map { $_ + 1 } @{ $_->{releases} }) } map { @{ $self->{stays}{$_} } } sort { $a <=> $b } keys %{ $self->{stays} };
}

1;
