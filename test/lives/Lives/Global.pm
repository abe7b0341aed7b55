# Lives of method global: rows come, leave, come back and get other values; some releases are imported, and l and the protected values
# are altered on the way. The chance that somebody was ever linked to a protected value is counted in whole numbers.
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
	my $careful = !$self->{imports} && !$self->{alters} && chance(0.5);		# a refused release takes back what was changed before it

	foreach my $step (1 .. draw(3 .. 9))
	{
		$life->run('BEGIN') if $careful;
		change($self);
		alter($self) if $step > 1 && chance($self->{alters});
		$life->add_column($self->{life_registry} ? 'life_registry' : ()) if chance(0.1);
		adopt($self, $step), next if chance($self->{imports});
		my $published = $life->run(q{SELECT number FROM pprepub.publish('life')}, may => qr/P0002|25P02/);
		$life->run('COMMIT') if $careful;
		judge($self) if $published;
	}
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run('DROP TABLE ' . join ', ', 'life', @{ $self->{tables} }, grep { $self->{$_} } 'life_registry', 'life_transient');
	return;
}

sub declare
{
	my ($life) = @_;
	my $most = draw(8, 15, 30);
	my $self = { life => $life, most => $most, l => draw(2, 2, 3, 4), values => draw(3, 6, 12), skew => draw(1, 1.5), nulls => draw(0, 0, 0.1), spots => draw(5, 40), releases => 0,
		life_registry => chance(0.3), life_transient => chance(0.5), links => {}, tables => [], alters => chance(0.3) ? 0.3 : 0, imports => chance(0.3) ? draw(0.2, 0.5) : 0 };
	$life->count('global: lives in which l or what is protected is altered') if $self->{alters};
	$life->count('global: lives with imports') if $self->{imports};
	my $params = qq("l": $self->{l}, ) . (chance(0.6) ? '"strategy": "constant-ratio", "releases": ' . draw(1 .. 6) : '"strategy": "geometric", "alpha": ' . draw(2, 3, 1.5));

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

# More, or fewer, than was promised; or more values.
sub alter
{
	my ($self) = @_;
	my $life = $self->{life};
	my $l = $self->{l} + draw(1, 1, 2, $self->{l} > 1 ? -1 : 1);
	my $value = 'd' . draw(0 .. $self->{values} - 1);
	my $protects_more = $self->{life_transient} && chance(0.5);

	$life->run("INSERT INTO life_transient SELECT '$value' WHERE NOT EXISTS (SELECT FROM life_transient WHERE s = '$value')") if $protects_more;
	my $change = $protects_more ? '"transient": "life_transient"' : qq("l": $l);

	$life->run(qq(SELECT pprepub.alter_publication('life', '{$change, "accept_weakening": true}')), may => qr/25P02|55000/) or return;
	if ($protects_more) { $self->{protected}{$value} = $self->{protects_more} = 1 }
	else { $self->{l} = $l }
	return;
}

# Classes of people who are there, made by somebody who did not look.
sub adopt
{
	my ($self, $step) = @_;
	my $life = $self->{life};
	my $name = "import_$step";
	my ($size, $most) = (draw(1 .. 5), draw(4, 10));

	$life->run("CREATE TABLE $name AS SELECT id AS k, s, (row_number() OVER (ORDER BY md5(id::text || '$step')) - 1) / $size AS class FROM life ORDER BY md5(id::text || '$step') LIMIT $most");
	push @{ $self->{tables} }, $name;
	$life->run("SELECT number FROM pprepub.import_release('life', '$name', key => 'k', accept_changes => true)", may => qr/22\w{3}|23\w{3}|42P10|P0002|55000/) or return;
	judge($self, 1);
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
	my ($self, $imported) = @_;
	my $life = $self->{life};
	my $number = ++$self->{releases};
	my $warned = grep { /less than/ } @{ $life->{warnings} };
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
	my @above = judge_chances($self, $imported);
	$life->found('warning', "release $number: import_release does not warn: $above[0]") if $imported && !$warned && @above;
	$self->{above} //= "release $number: $above[0]" if @above;
	judge_audit($self);
	return;
}

# A release that has less than it promised stays one.
sub judge_audit
{
	my ($self) = @_;
	my $life = $self->{life};
	my @fails = $life->rows(q{SELECT * FROM pprepub.audit('life') WHERE NOT holds});

	$life->count('global: releases after which somebody has less than was promised') if defined $self->{above};
	$life->found('audit', "release $self->{releases}: all of audit() holds, after $self->{above}") if defined $self->{above} && !@fails;
	# It judges earlier releases by all values that are protected now.
	return if defined $self->{above} || $self->{protects_more};
	$life->found('alarm', "release $self->{releases}: audit: $_->{check_name}: $_->{measured}, not $_->{required}") foreach @fails;
	return;
}

sub link_members
{
	my ($self, $class) = @_;
	my $size = @{ $class->{members} };

	foreach my $value (grep { $_ ne 'NULL' } keys %{ $class->{shown} })
	{
		push @{ $self->{links}{$_}{$value} }, [ $size - $class->{shown}{$value}, $size, $self->{releases} ] foreach @{ $class->{members} };
	}
	return;
}

# Never linked: (1 - c1/n1) (1 - c2/n2) …, which is to be 1 - 1/l, or more, by the l of the last release that links the two. Returns of
# whom it is less; that is no fault of a release that was imported.
sub judge_chances
{
	my ($self, $imported) = @_;
	my @above;

	foreach my $person (sort keys %{ $self->{links} })
	{
		foreach my $value (grep { !$self->{protected} || $self->{protected}{$_} } sort keys %{ $self->{links}{$person} })
		{
			my ($kept, $whole) = map { Math::BigInt->new($_) } $self->{l}, $self->{l} - 1;

			foreach my $link (@{ $self->{links}{$person}{$value} })
			{
				$kept->bmul($link->[0]);
				$whole->bmul($link->[1]);
			}
			$self->{life}->count('chances judged');
			next if $kept >= $whole || $self->{links}{$person}{$value}[-1][2] != $self->{releases};
			push @above, "l $self->{l}: $person was linked to $value by " . join(' ', map { ($_->[1] - $_->[0]) . "/$_->[1]" } @{ $self->{links}{$person}{$value} });
			$self->{life}->found('chance', "release $self->{releases}: $above[-1]") if !$imported;
		}
	}
	return @above;
}

1;
