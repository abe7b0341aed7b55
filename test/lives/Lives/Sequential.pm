# Lives of method sequential: releases of different columns of a table that stays. An observer joins all of them, in every way in which
# each row of each release is somebody's, and looks what is left of a person of whom he knows the quasi-identifiers.
package Lives::Sequential;

use strict;
use warnings;
use Lives::Cells;
use Lives::Life;

my @quasi = qw(a b c);
my $steps = 100_000;

sub live
{
	my ($life) = @_;
	my $self = declare($life);

	foreach my $step (1 .. draw(2, 2, 3))
	{
		my @columns = map { "$_" } some(0.6, @quasi), some(0.7, 's');

		@columns = ('a', 's') if !@columns;
		# No release may be found, or be safe.
		my $published = $life->run("SELECT number, params ->> 'guarantee' AS guarantee FROM pprepub.publish('life', columns => '{" . join(',', @columns) . "}')", may => qr/P0002|55000|22\w{3}/);
		judge($self, $life->{rows}[0]) if $published;
	}
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run('DROP TABLE life');
	return;
}

sub declare
{
	my ($life) = @_;
	my $self = { life => $life, k => draw(2, 2, 3), privacy => draw('linkability', 'linkability', 'diversity'), releases => [] };
	my $model = draw('cell', 'cell', 'cut');
	my $nulls = draw(0, 0, 0.1);
	my $spots = draw(3, 10);

	$life->run('CREATE TABLE life (id int PRIMARY KEY, a int, b text, c text, s text)');
	$life->run("INSERT INTO life VALUES ($_, " . join(', ', map { chance($nulls) ? 'NULL' : $_ } int(rand($spots)), "'" . draw('a' .. 'b') . draw('a' .. 'b') . "'", draw("'F'", "'M'"), draw("'u'", "'v'", "'w'", "'x'")) . ')')
		foreach 1 .. draw(5 .. 8);
	$life->run("SELECT pprepub.create_publication('life', 'life', 'id', '{\"a\": \"range\", \"b\": \"prefix\", \"c\": \"suppress\"}', 's', 'sequential', "
			. qq('{"k": $self->{k}, "privacy": "$self->{privacy}", "model": "$model", "seed": ) . int(rand(1e6)) . "}', target => 'lives')");
	return $self;
}

sub judge
{
	my ($self, $release) = @_;
	my $life = $self->{life};
	my ($row) = $life->rows(q{SELECT columns::text FROM pprepub.release WHERE publication = 'life' AND number = ?}, values => [ $release->{number} ]);
	my @columns = $row->{columns} =~ /\w+/g;
	my @source = $life->rows('SELECT * FROM life');

	$life->count('releases');
	push @{ $self->{releases} }, { columns => { map { $_ => 1 } @columns }, rows => [ $life->rows("SELECT a, b, c, s FROM lives.life_$release->{number}") ] };
	$life->found('class', "release $release->{number} has not all rows") if @{ $self->{releases}[-1]{rows} } != @source;
	$life->found('audit', "audit: $_->{check_name}: $_->{measured}, not $_->{required}") foreach $life->rows(q{SELECT * FROM pprepub.audit('life') WHERE NOT holds});
	if (($release->{guarantee} // '') ne 'fmj')
	{
		$life->count('joins not judged');
		return;
	}
	judge_join($self, \@source);
	return;
}

# ----------------------------------------------------------------
# The full match join
# ----------------------------------------------------------------

# Rows that are one person's agree where both say something.
sub agree
{
	my ($self, $i, $row, $j, $other) = @_;
	my ($one, $two) = @{ $self->{releases} }[ $i, $j ];

	foreach my $column (grep { $one->{columns}{$_} && $two->{columns}{$_} } @quasi)
	{
		return 0 if !may_be_one($row->{$column}, $other->{$column});
	}
	return !$one->{columns}{s} || !$two->{columns}{s} || ($row->{s} // "\0") eq ($other->{s} // "\0");
}

# Ways to take a row of each release, by numbers.
sub cliques
{
	my ($self) = @_;
	my @releases = @{ $self->{releases} };
	my @cliques = map { [$_] } 0 .. $#{ $releases[0]{rows} };

	foreach my $j (1 .. $#releases)
	{
		@cliques = map { my $clique = $_;
			map { my $n = $_;
				(grep { !agree($self, $_, $releases[$_]{rows}[ $clique->[$_] ], $j, $releases[$j]{rows}[$n]) } 0 .. $j - 1) ? () : [ @$clique, $n ] } 0 .. $#{ $releases[$j]{rows} } } @cliques;
	}
	return @cliques;
}

# Can the rows that are not used be put together to cliques, too? Undefined if that takes too long.
sub completes
{
	my ($by_first, $used, $left) = @_;

	return if $left->{steps}-- <= 0;
	my ($first, $fewest);
	foreach my $n (0 .. $#$by_first)
	{
		next if $used->[0][$n];
		my @may = grep { my $clique = $_; !grep { $used->[$_][ $clique->[$_] ] } 0 .. $#$clique } @{ $by_first->[$n] };
		($first, $fewest) = ($n, \@may) if !defined $fewest || @may < @$fewest;
	}
	return 1 if !defined $first;
	foreach my $clique (@$fewest)
	{
		$used->[$_][ $clique->[$_] ] = 1 foreach 0 .. $#$clique;
		my $is = completes($by_first, $used, $left);
		$used->[$_][ $clique->[$_] ] = 0 foreach 0 .. $#$clique;
		return $is if !defined $is || $is;
	}
	return 0;
}

sub join_fully
{
	my ($self) = @_;
	my @cliques = cliques($self);
	my @by_first;
	my $left = { steps => $steps };
	my @join;

	push @{ $by_first[ $_->[0] ] }, $_ foreach @cliques;
	foreach my $clique (@cliques)
	{
		my @used = map { [] } @$clique;

		$used[$_][ $clique->[$_] ] = 1 foreach 0 .. $#$clique;
		my $is = completes(\@by_first, \@used, $left);
		return if !defined $is;
		push @join, $clique if $is;
	}
	return \@join;
}

sub fits
{
	my ($self, $clique, $person) = @_;

	foreach my $i (0 .. $#$clique)
	{
		my ($shows, $row) = ($self->{releases}[$i]{columns}, $self->{releases}[$i]{rows}[ $clique->[$i] ]);

		return 0 if $shows->{a} && !covers_number($row->{a}, $person->{a}) || grep { $shows->{$_} && !covers_text($row->{$_}, $person->{$_}) } 'b', 'c';
	}
	return 1;
}

sub judge_join
{
	my ($self, $source) = @_;
	my $life = $self->{life};
	my ($shows) = grep { $self->{releases}[$_]{columns}{s} } 0 .. $#{ $self->{releases} };

	return if !defined $shows;
	my $join = join_fully($self);
	if (!$join)
	{
		$life->count('joins not judged');
		return;
	}
	foreach my $person (@$source)
	{
		my %linked;

		$linked{ $_ // 'NULL' }++ foreach map { $self->{releases}[$shows]{rows}[ $_->[$shows] ]{s} } grep { fits($self, $_, $person) } @$join;
		delete $linked{NULL};
		my ($all, $most) = (0, 0);
		foreach my $n (values %linked)
		{
			$all += $n;
			$most = $n if $n > $most;
		}
		my $is = $self->{privacy} eq 'linkability' ? keys %linked : $most ? $all / $most : 0;
		$life->count('persons judged');
		$life->found('join', "release " . @{ $self->{releases} } . ": $self->{privacy} of $person->{id} is $is, not $self->{k}") if $is + 1e-9 < $self->{k} && (%linked || $self->{privacy} eq 'linkability');
	}
	return;
}

1;
