# Lives of method global: rows come, leave, come back and get other values. The chance that somebody was ever linked to a
# protected value is counted in whole numbers.
package Lives::Global;

use strict;
use warnings;
use Lives::Cells;
use Lives::Life;
use Math::BigInt;

sub live
{
	my ($life) = @_;
	my $self = declare($life);
	my $careful = chance(0.5);		# a refused release takes back what was changed before it

	foreach my $step (1 .. draw(3 .. 9))
	{
		$life->run('BEGIN') if $careful;
		change($self);
		my $published = $life->run(q{SELECT number FROM pprepub.publish('life')}, may => qr/P0002|25P02/);
		$life->run('COMMIT') if $careful;
		judge($self) if $published;
	}
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run('DROP TABLE ' . join ', ', 'life', grep { $self->{$_} } 'life_registry', 'life_transient');
	return;
}

sub declare
{
	my ($life) = @_;
	my $most = draw(8, 15, 30);
	my $self = { life => $life, most => $most, l => draw(2, 2, 3, 4), values => draw(3, 6, 12), skew => draw(1, 1.5), nulls => draw(0, 0, 0.1), spots => draw(5, 40), releases => 0,
		life_registry => chance(0.3), life_transient => chance(0.5), links => {} };
	my $params = qq("l": $self->{l}, ) . (chance(0.6) ? '"strategy": "constant-ratio", "releases": ' . draw(1 .. 6) : '"strategy": "geometric", "alpha": ' . draw(2, 3, 1.5))
		. draw('', '', ', "classes": "top-down"');

	$life->run('CREATE TABLE life (id int PRIMARY KEY, a int, b text, s text)');
	if ($self->{life_registry})
	{
		$life->run('CREATE TABLE life_registry (id int PRIMARY KEY, a int, b text)');
		$life->run("INSERT INTO life_registry VALUES ($_, " . qis($self) . ')') foreach some(0.4, 1 .. $most + 10);
		$params .= ', "registry": "life_registry"';
	}
	if ($self->{life_transient})
	{
		my @protected = map { "d$_" } 0, some(0.5, 1 .. $self->{values} - 1);

		$self->{protected} = { map { $_ => 1 } @protected };
		$life->run('CREATE TABLE life_transient (s text)');
		$life->run("INSERT INTO life_transient VALUES ('$_')") foreach @protected;
		$params .= ', "transient": "life_transient"';
	}
	$life->run(qq(SELECT pprepub.create_publication('life', 'life', 'id', '{"a": "range", "b": "prefix"}', 's', 'global', '{$params}', target => 'lives')));
	return $self;
}

sub qis
{
	my ($self) = @_;

	return int(rand($self->{spots})) . ", '" . draw('a' .. 'c') . draw('a' .. 'c') . "'";
}

sub value
{
	my ($self) = @_;

	return chance($self->{nulls}) ? 'NULL' : "'d" . spread($self->{skew}, 0 .. $self->{values} - 1) . "'";
}

sub change
{
	my ($self) = @_;
	my $life = $self->{life};
	my @all = 1 .. $self->{most};
	my @leave = some(draw(0.1, 0.5), @all);

	$life->run('DELETE FROM life WHERE id IN (' . join(', ', @leave) . ')') if @leave;
	$life->run('INSERT INTO life VALUES ' . join(', ', map { "($_, " . qis($self) . ', ' . value($self) . ')' } @$_) . ' ON CONFLICT DO NOTHING') foreach grep { @$_ } [ some(draw(0.4, 0.9), @all) ];
	$life->run('UPDATE life SET s = ' . value($self) . " WHERE id = $_") foreach some(draw(0, 0.4), @all);
	$life->run('UPDATE life SET (a, b) = ROW (' . qis($self) . ") WHERE id = $_") foreach some(0.1, @all);
	return;
}

sub fault
{
	my ($self, $what) = @_;

	$self->{life}->found('class', "release $self->{releases}: $what");
	return;
}

sub judge
{
	my ($self) = @_;
	my $life = $self->{life};
	my $number = ++$self->{releases};
	my %source = map { $_->{id} => $_ } $life->rows('SELECT * FROM life');
	my %registry = map { $_->{id} => $_ } $self->{life_registry} ? $life->rows('SELECT * FROM life_registry') : ();
	my (%class, %seen);

	$life->count('releases');
	foreach my $row ($life->rows("SELECT class, a, b, s FROM lives.life_$number"))
	{
		my $class = $class{ $row->{class} } //= { cells => $row, members => [], shown => {}, own => {} };

		$class->{shown}{ $row->{s} // 'NULL' }++;
		fault($self, "class $row->{class} has unequal cells") if join(' ', map { $_ // 'NULL' } @$row{qw(a b)}) ne join(' ', map { $_ // 'NULL' } @{ $class->{cells} }{qw(a b)});
	}
	foreach my $member ($life->rows(q{SELECT key, class FROM pprepub.class_members('life') WHERE release = ?}, values => [ $number ]))
	{
		my $is = $source{ $member->{key} } // $registry{ $member->{key} };
		my $class = $class{ $member->{class} };

		fault($self, "$member->{key} of class $member->{class} is nobody, or there twice, or nowhere"), next if !$is || !$class || $seen{ $member->{key} }++;
		push @{ $class->{members} }, $member->{key};
		$class->{own}{ $is->{s} // 'NULL' }++ if $source{ $member->{key} };
		fault($self, "$member->{key} is outside class $member->{class}") if !covers_number($class->{cells}{a}, $is->{a}) || !covers_text($class->{cells}{b}, $is->{b});
	}
	foreach my $name (sort keys %class)
	{
		my ($shown, $own) = map { my $values = $_; join ' ', map { "$_ x $values->{$_}" } sort keys %$values } @{ $class{$name} }{qw(shown own)};

		fault($self, "class $name shows $shown, and its members have $own") if $shown ne $own;
		link_members($self, $class{$name});
	}
	judge_chances($self);
	fault($self, "audit: $_->{check_name}: $_->{measured}, not $_->{required}") foreach $life->rows(q{SELECT * FROM pprepub.audit('life') WHERE NOT holds});
	return;
}

sub link_members
{
	my ($self, $class) = @_;
	my $size = @{ $class->{members} };

	foreach my $value (grep { $_ ne 'NULL' && (!$self->{protected} || $self->{protected}{$_}) } keys %{ $class->{shown} })
	{
		push @{ $self->{links}{$_}{$value} }, [ $size - $class->{shown}{$value}, $size ] foreach @{ $class->{members} };
	}
	return;
}

# Never linked: (1 - c1/n1) (1 - c2/n2) …, which is to be 1 - 1/l, or more.
sub judge_chances
{
	my ($self) = @_;

	foreach my $person (sort keys %{ $self->{links} })
	{
		foreach my $value (sort keys %{ $self->{links}{$person} })
		{
			my ($kept, $whole) = map { Math::BigInt->new($_) } $self->{l}, $self->{l} - 1;

			foreach my $link (@{ $self->{links}{$person}{$value} })
			{
				$kept->bmul($link->[0]);
				$whole->bmul($link->[1]);
			}
			$self->{life}->count('chances judged');
			$self->{life}->found('chance', "release $self->{releases}, l $self->{l}: $person was linked to $value by " . join(' ', map { ($_->[1] - $_->[0]) . "/$_->[1]" } @{ $self->{links}{$person}{$value} }))
				if $kept < $whole;
		}
	}
	return;
}

1;
