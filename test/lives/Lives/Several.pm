# Lives of methods bpg and global with several rows for each person: rows come, go and are corrected, people leave, come back and move.
# A judge who shares nothing with the extension reads tables, answers and the log. Observers know how many rows everybody has.
package Lives::Several;

use strict;
use warnings;
use JSON::PP;
use List::Util qw(max sum0);
use Lives::Cells;
use Lives::Life;
use Lives::Principles;
use Math::BigInt;

my $nobody = qr/P0002/;

sub live
{
	my ($life) = @_;
	my $self = declare($life);

	foreach my $step (1 .. draw(4 .. 14))
	{
		my $back = chance(0.15);

		$life->run('BEGIN') if $back;
		change($self) foreach 1 .. draw(0, 1, 1, 2);
		$life->run(q{SELECT number FROM pprepub.publish('life')}, may => qr/P0002/), $life->run('ROLLBACK'), next if $back;
		alter($self) if chance(0.1);
		$life->add_column if chance(0.1);
		adopt($self, $step), next if chance($self->{imports});
		release($self);
	}
	$life->found('audit', "$_->{fold} is not what the log tells") foreach $life->rows(q{SELECT fold FROM pprepub.rebuild_history('life') WHERE NOT equal});
	$life->found('audit', "failed answer: $_->{message}") foreach $life->rows(q{SELECT f::text AS message FROM pprepub.failed_answer f});
	$life->found('audit', "attack: $_->{attack}") foreach $self->{has_import} ? () : $life->rows(q{SELECT a::text AS attack FROM pprepub.attack('life') a WHERE NOT holds});
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run("DROP TABLE $_") foreach 'life', @{ $self->{tables} };
	return;
}

sub declare
{
	my ($life) = @_;
	my $is_bpg = $life->{method} =~ /bpg/;
	my @columns = ('s', $is_bpg && chance(0.3) ? 'z' : ());
	my $self = { life => $life, is_bpg => $is_bpg, k => draw(2, 2, 3, 4), l => draw(1, 2, 2, 3), most => draw(2, 2, 3, 10), people => $is_bpg ? draw(10, 20, 40) : draw(40, 80), values => draw(3, 6, 12) * ($is_bpg ? 1 : 4), skew => draw(1, 1, 2),
		nulls => draw(0, 0, 0.1), spots => draw(5, 40), columns => \@columns, key => draw('int', 'text'), imports => chance(0.2) ? 0.2 : 0, tables => [], promises => {}, releases => 0, last => {}, rows => {}, kept => {} };
	my $k = $self->{k};
	my $params;

	if ($is_bpg)
	{
		$self->{promises} = chance(0.3) ? draw({ frequency => 2 }, { frequency => 1.5 }, { entropy => 1.8 }, { recursive => 2, c => 2 }, { t => 0.6 }, { beta => 4 }) : {};
		$params = { k => $k, l => $self->{l}, repair => draw('dirty', 'counterfeit', 'counterfeit'), reserve => draw(1, 1.5), max_added => draw(0.3, 1), strata => draw([], ['b']), leaves => draw(undef, 'a', 'c'),
			max_answers_per_statement => 5, %{ $self->{promises} } };
	}
	else { $params = { l => $self->{l} = draw(2, 2, 3), strategy => 'constant-ratio', releases => draw(1 .. 6) } }
	$life->run("CREATE TABLE life (id $self->{key}, a int, b text, s text, z int, c int)");
	come($self, some(0.8, 1 .. $self->{people}));
	$life->run("SELECT pprepub.create_publication('life', 'life', 'id', '{\"a\": \"range\", \"b\": \"prefix\"}', '{" . join(', ', @columns) . '}\', \'' . ($is_bpg ? 'bpg' : 'global') . "', '"
			. JSON::PP->new->canonical->encode($params) . "', target => 'lives', rows => 'several', max_rows => $self->{most})");
	return $self;
}

# ---- The table ----

sub row
{
	my ($self, $person) = @_;
	my ($a, $b) = @{ $self->{home}{$person} //= [ int(rand($self->{spots})), draw('a' .. 'c') . draw('a' .. 'c') ] };
	my $s = chance($self->{nulls}) ? 'NULL' : "'d" . spread($self->{skew}, 0 .. $self->{values} - 1) . "'";

	return "('$person', " . ($a + draw(0, 0, 0, 1)) . ", '$b', $s, " . draw(0 .. 3) . ', ' . draw(1 .. 3) . ')';
}

sub come
{
	my ($self, @people) = @_;
	my @rows = map { my $person = $_; map { row($self, $person) } 1 .. draw(1, 1, 2, 3, 4) } @people;

	$self->{life}->run('INSERT INTO life VALUES ' . join(', ', @rows)) if @rows;
	return;
}

sub change
{
	my ($self) = @_;
	my $life = $self->{life};
	my @some = some(draw(0.1, 0.3, 0.7), 1 .. $self->{people});
	my $here = 'id IN (' . join(', ', map { "'$_'" } 0, @some) . ')';
	my $what = draw(qw(come come rows_go rows_go go all_go correct correct move same again swap));

	if ($what eq 'come') { come($self, @some) }
	elsif ($what eq 'rows_go') { $life->run("DELETE FROM life WHERE $here AND c = " . draw(1 .. 3)) }
	elsif ($what eq 'go') { $life->run("DELETE FROM life WHERE $here") }
	elsif ($what eq 'all_go') { $life->run("DELETE FROM life WHERE $here AND s IN (SELECT min(s) FROM life)") }
	elsif ($what eq 'correct') { $life->run("UPDATE life SET s = 'd' || (ascii(right(s, 1)) + c) % $self->{values} WHERE $here AND c > " . draw(0 .. 2)) }
	elsif ($what eq 'same') { $life->run("UPDATE life SET s = 'd1' WHERE $here") }
	elsif ($what eq 'again') { $life->run($_) foreach 'CREATE TABLE life_copy AS TABLE life', 'TRUNCATE life', 'INSERT INTO life SELECT * FROM life_copy ORDER BY md5(life_copy::text)', 'DROP TABLE life_copy' }
	elsif ($what eq 'swap') { my @two = map { draw(1 .. $self->{people}) } 1 .. 2; $life->run("UPDATE life SET id = (CASE id::text WHEN '$two[0]' THEN '$two[1]' ELSE '$two[0]' END)::$self->{key} WHERE id IN ('$two[0]', '$two[1]')") }
	else { $life->run('UPDATE life SET a = a + ' . draw(1, 2, 20) . " WHERE $here") }
	return;
}

sub alter
{
	my ($self) = @_;
	my ($what, $to) = @{ draw([ 'k', draw(2 .. 4) ], [ 'l', draw(2 .. 3) ]) };

	return if !$self->{is_bpg};
	$self->{life}->run(qq(SELECT pprepub.alter_publication('life', '{"$what": $to, "accept_weakening": true, "accept_lockout": true}')));
	return;
}

# ---- Releases ----

sub release
{
	my ($self) = @_;
	my $life = $self->{life};
	my $cohort = $self->{is_bpg} && chance(0.3) ? draw('a < 12', "b LIKE 'a%'", "a > 5 OR b = 'bb'") : undef;
	my $arguments = defined $cohort ? "'" . $cohort =~ s/'/''/gr . "'" : 'NULL';

	if ($self->{is_bpg} && chance(0.3)) { $life->run("SELECT * FROM lives.life($arguments)") }
	else { $life->run("SELECT number FROM pprepub.publish('life'" . ($self->{is_bpg} ? ", $arguments" : '') . ')', may => $nobody) or return }
	return judge($self, $cohort // 'true', $life->{rows});
}

# Classes of people who are there, made by somebody who did not look.
sub adopt
{
	my ($self, $step) = @_;
	my ($name, $size) = ("import_$step", draw(1 .. 6));

	$self->{life}->run("CREATE TABLE $name AS SELECT id AS k, " . join(', ', @{ $self->{columns} }) . ", dense_rank() OVER (ORDER BY md5(id::text)) / $size AS class FROM life WHERE id <> '3'");
	push @{ $self->{tables} }, $name;
	$self->{life}->run("SELECT number FROM pprepub.import_release('life', '$name', key => 'k', accept_changes => true)", may => qr/22\w{3}|23\w{3}|42P10|P0002|55000/) or return;
	$self->{has_import} = 1;
	return judge($self, 'true', []);
}

# ---- Judges ----

sub fault
{
	my ($self, $what) = @_;

	$self->{life}->found('several', "release $self->{releases}: $what");
	return;
}

# Lists as one word each.
sub listed { return join ', ', sort @_ }

# Of these, those that the others do not have as often.
sub without
{
	my ($rows, $others) = @_;
	my %n;

	$n{$_}++ foreach @$others;
	return grep { ($n{$_} //= 0)-- <= 0 } @$rows;
}

sub judge
{
	my ($self, $cohort, $answer) = @_;
	my $life = $self->{life};
	my $value = 'concat_ws($$ $$, ' . join(', ', map { "coalesce($_\::text, 'NULL')" } @{ $self->{columns} }) . ')';
	my $number = ++$self->{releases};
	my ($release) = $life->rows(q{SELECT kind, rows, people, suppressed, dirty, counterfeits, params::text AS params FROM pprepub.release WHERE publication = 'life' AND number = ?}, values => [ $number ]);
	my @rows = $life->rows("SELECT class, a, b, $value AS v FROM " . ($release->{kind} eq 'query' ? 'json_to_recordset(?) AS r (class bigint, a text, b text, s text, z int)' : "lives.life_$number"),
		values => $release->{kind} eq 'query' ? [ JSON::PP->new->encode([ map { { %$_ } } @$answer ]) ] : []);
	my %source;

	push @{ $source{ $_->{id} } }, $_ foreach $life->rows("SELECT id::text, a, b, $value AS v, coalesce($cohort, false)::int AS asked FROM life");
	my @log = $life->rows("SELECT class, \"group\", places[o] AS place, keys[o]::text AS key, (SELECT array_agg($value) FROM unnest(u.tuples)) AS rows FROM lives_private.life_"
			. ($release->{kind} eq 'query' ? 'asked' : 'members') . ', unnest(sensitive) WITH ORDINALITY u(tuples, o) WHERE release = ?', values => [ $number ]);
	my (%class, %is_asked, %is_shown);

	$life->count('several rows: releases');
	push @{ $class{ $_->{class} }{places} }, $_ foreach @log;
	push @{ $class{ $_->{class} }{rows} }, $_ foreach @rows;
	foreach my $name (sort keys %class)
	{
		my ($rows, $places) = map { $_ // [] } @{ $class{$name} }{qw(rows places)};
		my ($shown, $logged) = (listed(map { $_->{v} } @$rows), listed(map { @{ $_->{rows} } } @$places));

		fault($self, "class $name shows $shown, and the log has $logged") if $shown ne $logged;
		fault($self, "class $name has different cells") if keys %{ { map { (join(' ', map { $_ // 'NULL' } @$_{qw(a b)}) => 1) } @$rows } } > 1;
		foreach my $place (grep { defined $_->{key} } @$places)
		{
			my $here = $source{ $place->{key} } // [];

			fault($self, "$place->{key} is there twice") if $is_shown{ $place->{key} }++;
			fault($self, "$place->{key} is outside class $name") if @$rows && $release->{kind} ne 'imported' && grep { !covers_number($rows->[0]{a}, $_->{a}) || !covers_text($rows->[0]{b}, $_->{b}) } @$here;
			judge_sample($self, $name, $place, map { $_->{v} } @$here) if $release->{kind} ne 'imported';
		}
		judge_class($self, $release, $name, $places) if !$self->{has_import} || $self->{is_bpg};
		$self->{last}{ $_->{key} } = $_->{rows} foreach grep { defined $_->{key} } @$places;
		judge_chances($self, $name, $places) if !$self->{is_bpg} && !$self->{has_import};
	}
	judge_counts($self, $release, \@rows, \@log, { map { ($_ => 1) } grep { grep { $_->{asked} } @{ $source{$_} } } keys %source }, \%is_shown);
	$life->found('audit', "release $number: audit: $_->{check_name}: $_->{measured}, not $_->{required}") foreach $self->{has_import} ? () : $life->rows(q{SELECT * FROM pprepub.audit('life') WHERE NOT holds});
	return;
}

sub judge_counts
{
	my ($self, $release, $rows, $log, $asked, $shown) = @_;
	my $dirty = grep { !$asked->{$_} } keys %$shown;
	my %is = (rows => scalar @$rows, people => scalar @$log, counterfeits => scalar(grep { !defined $_->{key} } @$log), dirty => $dirty, suppressed => keys(%$asked) - (keys(%$shown) - $dirty));

	foreach my $what ($release->{kind} eq 'imported' ? qw(rows people) : sort keys %is)
	{
		fault($self, "it says that $what are $release->{$what}, and they are $is{$what}") if $release->{$what} != $is{$what};
	}
	return;
}

# The rows of today, or a sample that has those that were shown before; or what the place showed before.
sub judge_sample
{
	my ($self, $class, $place, @has) = @_;
	my $shows = $place->{rows};
	my $before = $self->{rows}{ place_of($place) // '' };
	my $last = $self->{last}{ $place->{key} } // [];
	my @kept = without($last, [ without($last, \@has) ]);

	return if $self->{is_bpg} && grep { listed(@$shows) eq listed(@$_) } $last, defined $before ? $before->{now} : ();
	fault($self, "$place->{key} of class $class shows " . listed(@$shows) . ', has ' . listed(@has) . ' and showed ' . listed(@$last))
		if without($shows, \@has) || @$shows != (@has < $self->{most} ? @has : $self->{most}) || $self->{is_bpg} && @kept <= $self->{most} && without(\@kept, $shows);
	return;
}

sub place_of { return defined $_[0]{place} ? "$_[0]{group}/$_[0]{place}" : undef }

# Rows that came together to places of a class and went together, or stay, are a set that observers tell apart.
sub judge_class
{
	my ($self, $release, $class, $places) = @_;
	my $params = decode_json($release->{params});
	my $all = $self->{is_bpg} ? follow($self, @$places) : { now => { map { ($_->{key} => $_->{rows}) } @$places } };

	foreach my $set ($self->{has_import} ? () : sort keys %$all)
	{
		my @people = values %{ $all->{$set} };
		my $rows = join ' | ', map { listed(@$_) } @people;

		$self->{life}->count('several rows: sets judged');
		fault($self, @people . " people of class $class have rows of $set: $rows") if @people < ($params->{k} // 1);
		next if !$self->{is_bpg};
		fault($self, "class $class, rows of $set: $_: $rows") foreach faults($self, $params, @people);
	}
	return;
}

# What came to each place, when, and went; of equal rows those that came first stay.
sub follow
{
	my ($self, @places) = @_;
	my %sets;

	foreach my $place (@places)
	{
		my $seen = $self->{rows}{ place_of($place) // "of $place->{key}" } //= { now => [], came => [], facts => [] };

		if (listed(@{ $seen->{now} }) ne listed(@{ $place->{rows} }))
		{
			my @new = @{ $place->{rows} };

			foreach my $fact (grep { !defined $_->{gone} } @{ $seen->{facts} })
			{
				my ($at) = grep { $new[$_] eq $fact->{row} } 0 .. $#new;

				if (defined $at) { splice @new, $at, 1 }
				else { $fact->{gone} = $self->{releases} }
			}
			push @{ $seen->{facts} }, map { { row => $_, came => $seen->{first} ? $self->{releases} : 0 } } @new;
			@$seen{qw(now first)} = ($place->{rows}, 1);
		}
		push @{ $sets{ "$_->{came} to " . ($_->{gone} // 'now') }{ place_of($place) } }, $_->{row} foreach @{ $seen->{facts} };
	}
	return \%sets;
}

# By the definitions of docs/explanation/principles.md.
sub faults
{
	my ($self, $params, @people) = @_;
	my @conditions = grep { defined $params->{$_} } qw(frequency entropy recursive);
	my $l = max($params->{l} // 1, %{ $self->{promises} } ? 2 : 1);
	my @faults;

	foreach my $c (0 .. $#{ $self->{columns} })
	{
		my @rows = map { [ map { (split / /)[$c] } @$_ ] } @people;
		my @values = map { my $of = $_; [ grep { $_ ne 'NULL' } keys %{ { map { ($_ => 1) } @$of } } ] } @rows;
		my %n;

		$n{$_}++ foreach grep { $_ ne 'NULL' } map { @$_ } @rows;
		my @commonest = sort { $b <=> $a } values %n;
		my $longest = max map { scalar @$_ } @rows;
		push @faults, "not $l people apart" if $l > 1 && !are_apart($l, {}, grep { @$_ } @values);
		push @faults, "without $l - 1 values there are fewer rows than somebody has" if $l > 1 && sum0(map { scalar @$_ } @rows) - sum0(@commonest[ 0 .. ($l - 2 < $#commonest ? $l - 2 : $#commonest) ]) < $longest;
		push @faults, Lives::Principles::faults({ (map { ($_ => $params->{$_}) } @conditions, 'c'), columns => [ { ordered => 0 } ] }, [ map { [$_] } map { @$_ } @values ]) if @conditions && !defined $params->{frequency};
		my %having;
		$having{$_}++ foreach map { @$_ } @values;
		push @faults, "frequency $params->{frequency}" if defined $params->{frequency} && max(0, values %having) * $params->{frequency} > (grep { @$_ } @values) + 1e-6;
	}
	return @faults;
}

# Are there so many people no two of whom share a value, nor have one that is taken?
sub are_apart
{
	my ($l, $taken, @people) = @_;

	return 1 if $l == 0;
	while (@people >= $l)
	{
		my $one = shift @people;

		return 1 if !(grep { $taken->{$_} } @$one) && are_apart($l - 1, { %$taken, map { ($_ => 1) } @$one }, @people);
	}
	return 0;
}

# The chance that none of the rows that a person had was ever one with the value, of all ways to deal rows of classes.
sub judge_chances
{
	my ($self, $class, $places) = @_;
	my @rows = map { @{ $_->{rows} } } @$places;
	my %n;

	$n{$_}++ foreach grep { $_ ne 'NULL' } @rows;
	foreach my $place (@$places)
	{
		foreach my $value (sort keys %n)
		{
			my $kept = $self->{kept}{ $place->{key} }{$value} //= [ map { Math::BigInt->new($_) } $self->{l}, $self->{l} - 1 ];

			foreach my $i (0 .. $#{ $place->{rows} })
			{
				$kept->[0]->bmul(max(0, @rows - $n{$value} - $i));
				$kept->[1]->bmul(@rows - $i);
			}
			$self->{life}->count('several rows: chances judged');
			fault($self, "$place->{key} of class $class was linked to $value with more than 1 in $self->{l}") if $kept->[0] < $kept->[1];
		}
	}
	return;
}

1;
