# Lives of method bpg: a table to which everything happens, published and asked about in every way, under every repair.
package Lives::Bpg;

use strict;
use warnings;
use JSON::PP;
use Lives::Atoms;
use Lives::Cells;
use Lives::Life;
use Lives::Places;
use Lives::Principles;

# Nobody can be published.
my $nothing = qr/P0002/;

sub live
{
	my ($life) = @_;
	my $self = draw_world($life);

	$life->run("CREATE TABLE life (id $self->{key_type} PRIMARY KEY, a int, b text, c text, s $self->{value_type}, z $self->{other_type}, until date)");
	$life->run('ALTER TABLE life SET (fillfactor = ' . draw(50, 100) . ')');
	insert($self, 1 .. $self->{people});
	draw_promises($self);
	declare($self);
	foreach my $step (1 .. draw(4 .. 16))
	{
		my @happens = happens();

		$happens[ int(rand(@happens)) ]->($self);
		judge($self);
		release($self) if chance(0.5);
		judge($self);
	}
	judge_history($self);
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	$life->run("DROP TABLE $_") foreach 'life', @{ $self->{tables} };
	return;
}

sub draw_world
{
	my ($life) = @_;
	my $k = draw(2, 2, 3, 4, 5);
	my $value_type = draw('text', 'int', 'numeric');

	my $is_plain = chance(0.25);			# what is declared most
	return { life => $life, is_plain => $is_plain, k => $k, l => draw(1, 2, 2, 3), reserve => draw(1, 1, 1.5, 2, 3), ties => draw(ties()), added => draw(0, 0.3, 0.5, 0.5, 1), repair => draw($is_plain ? 'counterfeit' : ('dirty', 'counterfeit', 'counterfeit')),
		key_type => draw('int', 'int', 'text', 'numeric', 'uuid'), value_type => $value_type, values => draw(3, 4, 8), skew => draw(1, 1, 2),
		nulls => draw(0, 0, 0.05, 0.3), people => draw(4, 8, 14, 25) + draw(0 .. 5), spots => draw(5, 20, 60), tables => [], snapshots => [],
		other_type => draw('text', 'int'), plain_value => $value_type eq 'numeric' ? 'trim_scale(%s)::text' : '(%s)::text' };
}

sub ties { return ('worlds', 'worlds', 'alone', 'none') }

# Sensitive columns, and conditions beyond k and l: a number for each name.
sub draw_promises
{
	my ($self) = @_;

	if ($self->{is_plain})
	{
		@$self{qw(columns promises)} = ([ { name => 's', ordered => $self->{value_type} ne 'text' } ], {});
		return;
	}
	$self->{columns} = [ { name => 's', ordered => $self->{value_type} ne 'text' }, chance(0.3) ? { name => 'z', ordered => $self->{other_type} ne 'text' } : () ];
	$self->{promises} = chance(0.5) ? { map { %{ draw_promise($self) } } 1 .. draw(1, 1, 2) } : {};
	$self->{promises}{joint} = 'true' if chance(0.2);
	my $bands = chance(0.3) ? bands($self) : undef;
	$self->{promises}{bands} = $bands if defined $bands;
	$self->{promises}{distribution} = draw_distribution($self) if chance(0.3) && grep { defined $self->{promises}{$_} } 't', 'beta', 'delta';
	return;
}

# A strength that is seldom out of reach.
sub draw_promise
{
	my ($self) = @_;
	my @distances = ('"auto"', '"equal"', (grep { !$_->{ordered} } @{ $self->{columns} }) ? () : '"ordered"');

	return draw({ frequency => draw(1.25, 1.5, 2) }, { entropy => draw(1.2, 1.5, 1.9, 2) }, { recursive => draw(1, 2, 2), c => draw(1.5, 2, 3.5) },
		{ t => draw(0.3, 0.5, 0.7), distance => draw(@distances) }, { beta => draw(0.8, 2, 4) }, { delta => draw(0.7, 1, 1.5) });
}

# Of promises it is not said that they are none any more, but that they ask for nothing.
sub weak_promise
{
	return draw({ frequency => 1 }, { entropy => 1 }, { t => 1 }, { beta => 1000000 }, { delta => 1000000 }, { recursive => 1, c => 1000 });
}

sub bands
{
	my ($self) = @_;
	my %bands = map { ($_->{name} => 'range ' . draw(2, 2, 3)) } some(0.7, grep { $_->{ordered} } @{ $self->{columns} });

	return %bands ? \%bands : undef;
}

sub params_json
{
	my ($params) = @_;

	return join ', ', map { my $value = $params->{$_}; "\"$_\": " . (!defined $value ? 'null' : ref $value ? '{' . join(', ', map { "\"$_\": \"$value->{$_}\"" } sort keys %$value) . '}' : $value) } sort keys %$params;
}

# A table of shares that sum to 1: of all values, or of most. Values have as many shares of 64 as are drawn for them.
sub draw_distribution
{
	my ($self) = @_;
	my $name = 'shares_' . (@{ $self->{tables} } + 1);
	my @columns = map { $_->{name} } @{ $self->{columns} };
	my @values = map { my $s = $_; @columns == 1 ? "(" . plain_value($self, $s) . ')' : map { '(' . plain_value($self, $s) . ', ' . plain_other($self, $_) . ')' } 0 .. 2 } 0 .. $self->{values} - 1;
	my %weight;

	$self->{lacks_value} = chance(0.2) && !grep { defined $self->{promises}{$_} } 'beta', 'delta';
	pop @values if $self->{lacks_value};
	$weight{$_} = 1 foreach @values;
	$weight{ draw(@values) }++ foreach @values + 1 .. 64;
	push @{ $self->{tables} }, $name;
	$self->{life}->run("CREATE TABLE $name AS SELECT " . join(', ', map { "${_}::" . ($_ eq 's' ? $self->{value_type} : $self->{other_type}) . " AS $_" } @columns) . ', share::float8 FROM (VALUES '
			. join(', ', map { '(' . s/^\(|\)$//gr . ', ' . $weight{$_} / 64 . ')' } sort keys %weight) . ') v (' . join(', ', @columns, 'share') . ')');
	return "\"public.$name\"";
}

# ---- The table ----

sub key
{
	my ($self, $n) = @_;
	my $type = $self->{key_type};

	return $type eq 'int' ? $n : $type eq 'text' ? "'p$n'" : $type eq 'uuid' ? sprintf("'%08x-0000-0000-0000-000000000000'", $n) : $n . draw('', '.0', '.00');
}

sub value
{
	my ($self) = @_;
	my $n = spread($self->{skew}, 0 .. $self->{values} - 1);

	return 'NULL' if chance($self->{nulls});
	return plain_value($self, $n) . ($self->{value_type} eq 'numeric' ? draw('', '.0', '.000') : '');
}

sub plain_value { return $_[0]{value_type} eq 'text' ? "'d$_[1]'" : $_[1] }

# Of a second sensitive column, or of one that nobody publishes.
sub other
{
	my ($self) = @_;

	return chance($self->{nulls}) ? 'NULL' : plain_other($self, int(rand(3)));
}

sub plain_other { return $_[0]{other_type} eq 'text' ? "'o$_[1]'" : 10 * $_[1] }

sub qis
{
	my ($self) = @_;

	return join ', ', chance($self->{nulls}) ? 'NULL::int' : int(rand($self->{spots})), chance($self->{nulls}) ? 'NULL' : "'" . join('', map { draw('a' .. 'd') } 1 .. draw(1, 2, 2)) . "'",
		chance($self->{nulls}) ? 'NULL' : draw("'F'", "'M'");
}

sub departure { return draw('NULL', map { "'2026-0$_-01'" } 1 .. 6) }

sub some_people
{
	my ($self, $chance) = @_;

	return some($chance, 1 .. $self->{people});
}

sub insert
{
	my ($self, @people) = @_;

	return if !@people;
	$self->{life}->run('INSERT INTO life VALUES ' . join(', ', map { '(' . key($self, $_) . ', ' . qis($self) . ', ' . value($self) . ', ' . other($self) . ', ' . departure() . ')' } @people) . ' ON CONFLICT DO NOTHING');
	return;
}

sub keys_in
{
	my ($self, @people) = @_;

	return 'id IN (' . join(', ', map { key($self, $_) } @people) . ')';
}

sub people_leave
{
	my ($self) = @_;
	my @people = some_people($self, draw(0.05, 0.2, 0.5));

	$self->{life}->run('DELETE FROM life WHERE ' . keys_in($self, @people)) if @people;
	return;
}

# Or come back.
sub people_come
{
	my ($self) = @_;
	my $first = $self->{people} + 1;

	$self->{people} += draw(0, 1, 2, 5, 9);
	insert($self, some_people($self, 0.2), $first .. $self->{people});
	return;
}

sub people_move
{
	my ($self) = @_;
	my @people = some_people($self, draw(0.1, 0.4));

	$self->{life}->run('UPDATE life SET (a, b, c) = ROW (' . qis($self) . ') WHERE ' . keys_in($self, $_)) foreach @people;
	return;
}

sub values_change
{
	my ($self) = @_;

	foreach my $person (some_people($self, draw(0.1, 0.3)))
	{
		my $change = draw('s = ' . value($self), 's = ' . value($self), 'z = ' . other($self), 's = ' . value($self) . ', z = ' . other($self));

		$self->{life}->run("UPDATE life SET $change WHERE " . keys_in($self, $person));
	}
	return;
}

sub keys_swap
{
	my ($self) = @_;
	my ($one, $other, $nobody) = (draw(1 .. $self->{people}), draw(1 .. $self->{people}), 99999);

	return if $one == $other;
	$self->{life}->run('UPDATE life SET id = ' . key($self, $_->[1]) . ' WHERE ' . keys_in($self, $_->[0])) foreach [ $one, $nobody ], [ $other, $one ], [ $nobody, $other ];
	return;
}

sub rows_move
{
	my ($self) = @_;
	my $life = $self->{life};

	$life->run($_) foreach @{ draw(
			['VACUUM life'], ['VACUUM FULL life'], ['CLUSTER life USING life_pkey'], ['ANALYZE life'], ['UPDATE life SET a = a'],
			['CREATE TABLE life_copy AS TABLE life', 'TRUNCATE life', 'INSERT INTO life SELECT * FROM life_copy ORDER BY md5(id::text)', 'DROP TABLE life_copy'],
			['BEGIN', 'DELETE FROM life', 'ROLLBACK'], ['BEGIN', 'DELETE FROM life', 'SAVEPOINT s', 'UPDATE life SET a = 1', 'ROLLBACK TO s', 'ROLLBACK'],
			['ALTER TABLE life DROP CONSTRAINT life_pkey', 'VACUUM life', 'ALTER TABLE life ADD CONSTRAINT life_pkey PRIMARY KEY (id)'],
			['ALTER TABLE life DROP CONSTRAINT life_pkey', 'ALTER TABLE life ADD CONSTRAINT life_pkey PRIMARY KEY (id) DEFERRABLE',
				'ALTER TABLE life DROP CONSTRAINT life_pkey', 'ALTER TABLE life ADD CONSTRAINT life_pkey PRIMARY KEY (id)'],
			['ALTER TABLE life ADD COLUMN extra float8 DEFAULT random()', 'ALTER TABLE life DROP COLUMN extra'],
			['ALTER TABLE life SET UNLOGGED', 'ALTER TABLE life SET LOGGED'], ['CREATE INDEX ON life (a)', 'REINDEX TABLE life'],
			['DELETE FROM life WHERE a > 3', 'VACUUM life']) };
	return;
}

# A superuser may tidy up the tables that are kept, if there is anything to keep.
sub folds_move
{
	my ($self) = @_;
	my $table = 'lives_private.life_' . draw('groups', 'groups', 'places', 'members', 'asked');

	$self->{life}->run(draw('VACUUM', 'VACUUM FULL', 'VACUUM ANALYZE', 'VACUUM FREEZE', 'REINDEX TABLE') . " $table", as => 'superuser', may => qr/42P01/);
	return;
}

# ---- The publication ----

sub declare
{
	my ($self) = @_;
	my $life = $self->{life};

	my $params = qq({"k": $self->{k}, "l": $self->{l}, "repair": "$self->{repair}", "reserve": $self->{reserve}, "ties": "$self->{ties}", "max_added": $self->{added}, "max_answers_per_statement": 5, )
		. join(', ', '"leaves": ' . leaves(), '"strata": ' . strata(), '"weights": ' . weights(), %{ $self->{promises} } ? params_json($self->{promises}) : ()) . '}';

	my @sensitive = map { $_->{name} } @{ $self->{columns} };
	my $sensitive = @sensitive == 1 ? draw('s', 's', '{s}') : '{' . join(', ', shuffled(@sensitive)) . '}';
	my $kinds = '{"a": "' . draw('range', 'range', 'range 3', 'range 10') . '", "b": "prefix", "c": "suppress"}';

	$life->run("SELECT pprepub.create_publication('life', 'life', 'id', '$kinds', '$sensitive', 'bpg', '$params', target => 'lives')");
	$life->run('GRANT USAGE ON SCHEMA lives TO analyst');
	$life->run('GRANT EXECUTE ON FUNCTION lives.life TO analyst');
	$life->run('GRANT SELECT ON lives.life_now TO analyst');
	@$self{qw(releases events atoms places has_import is_broken has_other_bands everybody)} = (0, [], Lives::Atoms->new, Lives::Places->new, 0, 0, 0, undef);
	return;
}

# By which newcomers are laid out: a column that has no role, a quasi-identifier, or none.
sub leaves { return draw('null', '"until"', '"until"', '"a"', '"c"') }
sub strata { return draw('null', '[]', '["c"]', '["c", "a"]', '["b"]') }
sub weights { return draw('null', '{}', '{"a": 1000}', '{"b": 2.5, "c": 0.001}') }

sub declare_anew
{
	my ($self) = @_;
	my $rolled_back = chance(0.3);
	my $life = $self->{life};

	if ($rolled_back)
	{
		my %was = %$self;

		$life->run('BEGIN');
		$life->run(q{SELECT pprepub.drop_publication('life', true)});
		declare($self) if chance(0.5);
		$life->run('ROLLBACK');
		%$self = %was;
		return;
	}
	$life->run('BEGIN') if my $at_once = chance(0.5);
	$life->run(q{SELECT pprepub.drop_publication('life', true)});
	@$self{qw(k l reserve ties repair)} = (draw(2, 3, 4), draw(1, 2, 3), draw(1, 2), draw(ties()), draw('dirty', 'counterfeit'));
	draw_promises($self) if chance(0.5);
	declare($self);
	$life->run('COMMIT') if $at_once;
	return;
}

# While the worker that has answered still learns.
sub ask_and_forget
{
	my ($self) = @_;

	push @{ $self->{events} }, ask($self);
	declare_anew($self);
	return;
}

sub alter
{
	my ($self) = @_;

	return alter_promises($self) if chance(0.3);
	my ($what, $to) = @{ draw([ 'repair', draw('dirty', 'counterfeit') ], [ 'reserve', draw(1, 1.5, 3) ], [ 'ties', draw(ties()) ], [ 'max_added', draw(0, 0.2, 0.5, 1) ], [ 'k', draw(2 .. 5) ], [ 'l', draw(1 .. 3) ],
			[ 'leaves', leaves() ], [ 'strata', strata() ], [ 'weights', weights() ]) };
	my $accepted = $what eq 'ties' ? ', "accept_weakening": true' : $what !~ /^[kl]$/ ? '' : $to < $self->{$what} ? ', "accept_weakening": true' : ', "accept_lockout": true';
	my $value = $what =~ /^(?:repair|ties)$/ ? "\"$to\"" : $to;

	$self->{life}->run(qq(SELECT pprepub.alter_publication('life', '{"$what": $value$accepted}')));
	$self->{$what} = $to;
	return;
}

sub alter_promises
{
	my ($self) = @_;
	my $change = draw(draw_promise($self), draw_promise($self), weak_promise(), { joint => draw('true', 'false') });

	# Nobody who has that value could be shown.
	return if $self->{lacks_value} && grep { defined $change->{$_} } 'beta', 'delta';
	delete $change->{distance} if !defined $self->{promises}{t} && !defined $change->{t};
	$self->{life}->run("SELECT pprepub.alter_publication('life', '{" . params_json({ %$change, accept_weakening => 'true', accept_lockout => 'true' }) . "}')");
	$self->{promises} = { %{ $self->{promises} }, %$change };
	$self->{has_other_bands} = 1 if exists $change->{bands};
	return;
}

# ---- Releases ----

sub cohort
{
	my ($self) = @_;
	my ($one, $other, $letter) = (int(rand($self->{spots})), int(rand($self->{spots})), draw('a' .. 'd'));
	my @plain = ("a < $one", "a BETWEEN SYMMETRIC $one AND $other", 'a IS NULL', "b LIKE '$letter%'", "b <> '$letter'", "c = 'F'", "c IS DISTINCT FROM 'M'", "a <@ int4range($one, $one + 7)",
		"a IN ($one, $other)", 'true', 'false', "NOT b > '$letter'");

	return draw(draw(@plain), draw(@plain), draw(@plain) . ' AND ' . draw(@plain), draw(@plain) . ' OR ' . draw(@plain));
}

sub columns
{
	my ($self) = @_;
	my @columns = some(0.6, 'a', 'b', 'c', map { $_->{name} } @{ $self->{columns} });

	return chance(0.6) || !@columns ? undef : '{' . join(',', @columns) . '}';
}

# Arguments, and what they ask for.
sub question
{
	my ($self) = @_;
	my $cohort = chance(0.7) ? cohort($self) : undef;
	my $columns = columns($self);

	return { cohort => $cohort, columns => $columns,
		arguments => join ', ', defined $cohort ? "'" . $cohort =~ s/'/''/gr . "'" : 'NULL', defined $columns ? "'$columns'" : 'NULL' };
}

# The source as the next release will see it, and who is asked for.
sub look
{
	my ($self, $question, $as) = @_;
	my $asked = $question->{cohort} // 'true';
	my $value = sprintf $self->{plain_value}, 's';
	my $key = $self->{key_type} eq 'numeric' ? 'trim_scale(id)::text' : 'id::text';

	$question->{source} = { map { $_->{id} => $_ }
			$self->{life}->rows("SELECT $key AS id, a, b, c, $value AS s, z::text AS z, coalesce(($asked), false)::int AS asked FROM life", as => $as) };
	return $question;
}

sub publish
{
	my ($self, $as) = @_;
	my $question = look($self, question($self), 'owner');

	return if !$self->{life}->run("SELECT number FROM pprepub.publish('life', $question->{arguments})", may => $nothing);
	return { %$question, kind => 'stored' };
}

# Answers count, whatever becomes of the transaction that they were asked for in.
sub ask
{
	my ($self, $as, $question) = @_;
	my $life = $self->{life};

	look($self, $question //= question($self), 'judge');

	my $sql = chance(0.5) ? live_query($self, $question) : "SELECT * FROM lives.life($question->{arguments})";

	return if !$life->run($sql, as => $as // draw('owner', 'analyst'));
	return { %$question, kind => 'query', rows => $life->{rows} };
}

# Asks the live table, in cells; a condition that is never true asks nobody.
sub live_query
{
	my ($self, $question) = @_;
	my %withheld = (a => q{'(,)'::int4range}, b => q{'*'}, c => q{'*'});
	my %cell = (a => q{(cells->>'a')::int4range}, b => q{cells->>'b'}, c => q{cells->>'c'});
	my $cohort = $question->{cohort} // 'true';
	my $shows = sub { !defined $question->{columns} || $question->{columns} =~ /\b$_[0]\b/ };

	return "SELECT * FROM lives.life($question->{arguments})" if $cohort =~ /false/;
	return 'SELECT class, ' . join(', ', (map { ($shows->($_) ? $cell{$_} : $withheld{$_}) . " AS $_" } qw(a b c)), map { $shows->($_->{name}) ? $_->{name} : "NULL AS $_->{name}" } @{ $self->{columns} })
		. " FROM lives.life_now WHERE $cohort";
}

sub release
{
	my ($self) = @_;

	push @{ $self->{events} }, chance(0.5) ? publish($self) : ask($self);
	return;
}

sub publish_in_transaction
{
	my ($self) = @_;
	my $life = $self->{life};
	my @kept;

	$life->run('BEGIN');
	draw(\&people_leave, \&people_come, \&values_change, sub { })->($self);
	push @kept, publish_or_go_back($self);
	if (chance(0.5))
	{
		$life->run('SAVEPOINT s');
		draw(\&people_leave, \&people_come, \&people_move)->($self);
		my @more = publish_or_go_back($self);
		if (chance(0.6)) { $life->run('ROLLBACK TO s') }
		else { push @kept, @more }
		push @kept, publish_or_go_back($self) if chance(0.5);
	}
	if (chance(0.5)) { $life->run('COMMIT') }
	else { $life->run('ROLLBACK'); @kept = () }
	push @{ $self->{events} }, @kept;
	return;
}

# A release that is refused takes back no more than itself.
sub publish_or_go_back
{
	my ($self) = @_;
	my $life = $self->{life};

	$life->run('SAVEPOINT before');
	my $event = publish($self);
	$life->run(defined $event ? 'RELEASE before' : 'ROLLBACK TO before');
	return $event // ();
}

sub ask_in_transaction
{
	my ($self) = @_;
	my $life = $self->{life};
	my $as = draw('owner', 'analyst');

	$life->run('BEGIN' . draw('', ' ISOLATION LEVEL REPEATABLE READ', ' ISOLATION LEVEL SERIALIZABLE'), as => $as);
	if ($as eq 'owner' && chance(0.5)) { people_leave($self) }
	push @{ $self->{events} }, ask($self, $as);
	push @{ $self->{events} }, ask($self, $as) if chance(0.3);
	$life->run(draw('COMMIT', 'ROLLBACK', 'ROLLBACK'), as => $as);
	return;
}

# Two at the same time.
sub race
{
	my ($self) = @_;
	my $life = $self->{life};
	my $question = look($self, question($self), 'judge');
	my $wait = $life->start("SELECT * FROM lives.life($question->{arguments})", 'analyst');
	my @other = chance(0.6) ? publish($self) : ask($self, 'owner');

	push @{ $self->{events} }, { %$question, kind => 'query', rows => $life->{rows}, by => 'analyst' } if $wait->();
	$_->{by} = 'owner' foreach grep { defined } @other;
	push @{ $self->{events} }, grep { defined } @other;
	return;
}

# A table of what the source has now, in cells that need not be k; imported at once, or when people have changed.
sub take_snapshot
{
	my ($self) = @_;
	my $name = 'import_' . (@{ $self->{tables} } + 1);
	my $size = draw(2, 3, 5, 8);
	my $of = draw('true', 'true', "c = 'F'", 'a > 5');
	my $s = draw(join('', map { ", $_->{name}" } @{ $self->{columns} }), '');

	$self->{life}->run("CREATE TABLE $name AS SELECT id AS k, g AS class, CASE WHEN bool_and(a IS NULL) OVER w THEN NULL WHEN bool_or(a IS NULL) OVER w THEN '*' "
			. "ELSE int4range(min(a) OVER w, max(a) OVER w, '[]')::text END AS a$s FROM (SELECT *, (row_number() OVER (ORDER BY a, id) - 1) / $size AS g FROM life WHERE $of) x WINDOW w AS (PARTITION BY g)");
	push @{ $self->{tables} }, $name;
	push @{ $self->{snapshots} }, $name;
	return;
}

sub adopt
{
	my ($self) = @_;

	take_snapshot($self) if !@{ $self->{snapshots} } || chance(0.5);
	my $name = splice @{ $self->{snapshots} }, int(rand(@{ $self->{snapshots} })), 1;
	# Of nobody, of nobody who is there any more, or with a column that is not published any more.
	$self->{life}->run("SELECT number FROM pprepub.import_release('life', '$name', key => 'k', accept_changes => true)", may => qr/22\w{3}|23\w{3}|42P10|P0002/) or return;
	push @{ $self->{events} }, { kind => 'imported', table => $name };
	return;
}

# Two cohorts, one of which has a few people more.
sub track
{
	my ($self) = @_;
	my $spot = int(rand($self->{spots}));
	my $few = draw(1, 1, 2);

	my @asked = ([ $spot, 0 ], ([ $spot + $few, 0 ]) x draw(1, 1, 3));

	# Without values first: whoever is new is shown then, and values of nobody.
	unshift @asked, [ $spot + $few, 1 ] if chance(0.3);
	values_change($self) if chance(0.7);
	foreach my $asked (@asked)
	{
		my $cohort = "a < $asked->[0]";
		my $columns = $asked->[1] ? '{a}' : undef;

		push @{ $self->{events} }, ask($self, 'analyst', { cohort => $cohort, columns => $columns, arguments => "'$cohort', " . (defined $columns ? "'$columns'" : 'NULL') });
	}
	return;
}

sub happens
{
	return ((\&people_leave, \&people_come, \&people_come, \&people_move, \&values_change, \&track) x 2, \&keys_swap, (\&rows_move, \&folds_move) x 2, \&alter, sub { $_[0]{life}->add_column },
		\&declare_anew, \&ask_and_forget, \&adopt, \&take_snapshot, (\&publish_in_transaction, \&ask_in_transaction, \&race) x 2);
}

# ---- Judges ----

sub judge
{
	my ($self) = @_;
	my $life = $self->{life};
	my @events = splice @{ $self->{events} };
	my @releases = $life->rows(q{SELECT number, kind, cohort, columns::text, rows, classes, suppressed, dirty, counterfeits, published_by, (params ->> 'k')::int AS k, params::text AS params
			FROM pprepub.release WHERE publication = 'life' AND number > ? ORDER BY number}, values => [ $self->{releases} ]);

	foreach my $release (@releases)
	{
		my ($at) = grep { $events[$_]{kind} eq $release->{kind} && ($events[$_]{by} // $release->{published_by}) eq $release->{published_by} } 0 .. $#events;

		$life->count($release->{kind} eq 'query' ? 'answers' : 'releases');
		$self->{releases}++;
		if (!defined $at || $release->{number} != $self->{releases})
		{
			$life->found('log', "release $release->{number} is of nothing that happened");
			next;
		}
		judge_release($self, $release, splice @events, $at, 1);
	}
	$life->found('log', "of $_->{kind} $_->{arguments} nothing is remembered") foreach @events;
	judge_audit($self) if @releases;
	return;
}

sub fault
{
	my ($self, $release, $what) = @_;

	$self->{life}->found('log', "release $release->{number}: $what");
	return;
}

# The log, class by class: rows that are people's first. Several sensitive columns are remembered as rows.
sub logged
{
	my ($self, $release) = @_;
	my $key = $self->{key_type} eq 'numeric' ? 'trim_scale(v)::text' : 'v::text';
	my $value = sprintf $self->{plain_value}, 'v';
	my @columns = @{ $self->{columns} };
	my $list = sub { "(SELECT array_agg($_[1] ORDER BY o) FROM unnest($_[0]) WITH ORDINALITY u(v, o))" };
	my $part = sub { "(SELECT array_agg(" . ($_[0] eq 's' ? sprintf $self->{plain_value}, 'u.s' : 'u.z::text') . ' ORDER BY u.ordinality) FROM unnest(sensitive) WITH ORDINALITY u)' };
	my $sensitive = @columns == 1 ? $list->('sensitive', $value) . ' AS s' : join ', ', map { $part->($_->{name}) . " AS $_->{name}" } @columns;
	my $table = 'lives_private.life_' . ($release->{kind} eq 'query' ? 'asked' : 'members');
	my %class;

	foreach my $class ($self->{life}->rows("SELECT class, " . $list->('keys', $key) . ' AS keys, ' . qq("group", places, $sensitive)
			. " FROM $table WHERE release = $release->{number}"))
	{
		my @keys = @{ $class->{keys} // [] };

		push @{ $class{ $class->{class} } }, map {
			my $at = $_;
			my $key = $keys[$at];
			my $place = ($class->{places} // [])->[$at];
			my @parts = map { $class->{ $_->{name} }[$at] } @columns;
			{ true => defined $key ? 1 : 0, key => $key, group => $class->{group}, place => $place, parts => \@parts, value => one_word(@parts) }
		} 0 .. $#{ $class->{s} };
	}
	$self->{places}->name(map { @{ $class{$_} } } sort keys %class);
	return \%class;
}

# Undefined if all are.
sub one_word { return (grep { defined } @_) ? as_text(@_) : undef }

sub parts_of
{
	my ($self, $row) = @_;

	return map { $row->{ $_->{name} } } @{ $self->{columns} };
}

sub as_text { return join ' ', map { $_ // 'NULL' } @_ }

sub judge_release
{
	my ($self, $release, $event) = @_;
	my $life = $self->{life};
	my $log = logged($self, $release);
	my %members;

	push @{ $members{ $_->{class} } }, $_->{key} foreach $life->rows(q{SELECT class, key FROM pprepub.class_members('life') WHERE release = ?}, values => [ $release->{number} ]);
	foreach my $class (sort keys %$log)
	{
		my $said = as_text(sort map { $self->{key_type} eq 'numeric' ? $_ =~ s/\.0+$//r : $_ } @{ $members{$class} // [] });
		my $is = as_text(sort map { $_->{key} } grep { $_->{true} } @{ $log->{$class} });
		fault($self, $release, "members of class $class: $said, not $is") if $said ne $is;
	}
	fault($self, $release, 'its rows, classes or invented rows are not as many as it says')
		if join(' ', scalar(map { @$_ } values %$log), scalar(keys %$log), scalar(grep { !$_->{true} } map { @$_ } values %$log)) ne "$release->{rows} $release->{classes} $release->{counterfeits}";
	my ($bound) = $release->{params} =~ /"max_added": ([\d.]+)/;
	fault($self, $release, 'it adds more than it may')
		if defined $release->{cohort} && $release->{kind} ne 'imported' && $release->{dirty} + $release->{counterfeits} > $bound * $release->{rows} + 1e-6;
	judge_rows($self, $release, $event, $log);
	judge_people($self, $release, $event, $log) if $event->{source};
	$self->{has_import} = 1 if $release->{kind} eq 'imported';
	my $judged = $self->{atoms}->judged;
	my $conditions = promised($self, $release);
	judge_everybody($self, $release, $event, $log);
	judge_places($self, $release, $event, $log, $conditions);
	$life->found('atom', "release $release->{number}, $release->{params}: $_")
		foreach $self->{atoms}->add({ %$release, conditions => $conditions, classes => [ map { $log->{$_} } sort { $a <=> $b } keys %$log ] }, $self->{everybody});
	$self->{is_broken} = 1 if $self->{atoms}->has_broken && !Lives::Principles::judges_people($conditions);
	$life->count('atoms judged by shares', $self->{atoms}->judged - $judged) if Lives::Principles::judges_people($conditions);
	$life->count('atoms judged', $self->{atoms}->judged - $judged);
	return;
}

# The release says that it promised what was declared.
sub promised
{
	my ($self, $release) = @_;
	my $params = decode_json($release->{params});
	my %declared = (k => $self->{k}, l => $self->{l}, %{ $self->{promises} });

	$release->{k} = $params->{k};
	foreach my $name (sort keys %declared)
	{
		my $is = JSON::PP->new->canonical->allow_nonref->encode($params->{$name});
		my $was = ref $declared{$name} ? JSON::PP->new->canonical->encode($declared{$name}) : $declared{$name} // 'null';

		fault($self, $release, "$name was declared $was, and is $is") if !defined $declared{$name} ? $is ne 'null' : $is ne $was && !($is =~ /^"?[\d.]+"?$/ && $is =~ s/"//gr == $was);
	}
	return Lives::Principles::conditions({ %$params, joint => ($params->{joint} // 0) ? 1 : 0 }, $self->{columns});
}

# The distribution that sets are compared with, if they are: one that was declared, or that of the first release, which never changes.
# Values that come up later have the share of the release of everybody that finds them.
sub judge_everybody
{
	my ($self, $release, $event, $log) = @_;
	my $life = $self->{life};
	my @columns = @{ $self->{columns} };
	my %before = map { ($_->{word} => $_) } @{ $self->{everybody} // [] };
	my @now = read_everybody($self, decode_json($release->{params})->{distribution});

	$self->{everybody} = \@now;
	return if defined decode_json($release->{params})->{distribution};
	foreach my $one (@now)
	{
		my $was = delete $before{ $one->{word} };

		fault($self, $release, "the share of $one->{word} was $was->{people} of $was->{of}, and is $one->{people} of $one->{of}")
			if defined $was && defined $was->{of} && ($was->{people} != $one->{people} || $was->{of} != $one->{of} || $was->{since} != $one->{since});
		next if defined $was || $one->{since} != $release->{number};
		next if !$event->{source};
		my @had = grep { defined } map { one_word(parts_of($self, $_)) } values %{ $event->{source} };
		my $people = (grep { $_ eq $one->{word} } @had) || 1;
		fault($self, $release, "$one->{word} is found $one->{people} times of $one->{of}, not $people of " . @had) if $people != $one->{people} || @had != $one->{of};
		fault($self, $release, "$one->{word} is found by a release that is not of everybody") if $self->{releases} > 1 && %before && ($release->{kind} ne 'stored' || defined $release->{cohort});
	}
	fault($self, $release, 'the share of ' . join(', ', sort keys %before) . ' is forgotten') if grep { defined $_->{of} } values %before;
	return;
}

sub read_everybody
{
	my ($self, $declared) = @_;
	my $life = $self->{life};
	my @columns = @{ $self->{columns} };
	my $part = sub { $_[0] eq 's' ? sprintf $self->{plain_value}, $_[1] : "($_[1])::text" };
	my @rows;

	if (defined $declared)
	{
		@rows = map { { %$_, since => 0 } } $life->rows('SELECT ' . join(', ', map { $part->($_->{name}, $_->{name}) . " AS $_->{name}" } @columns) . ", share FROM $declared");
	}
	elsif (($life->rows(q{SELECT to_regclass('lives_private.life_reference') IS NOT NULL AS is_there}))[0]{is_there})
	{
		@rows = map { { %$_, share => $_->{people} / $_->{of} } } $life->rows('SELECT '
			. join(', ', map { $part->($_->{name}, @columns == 1 ? 'sensitive' : "(sensitive).$_->{name}") . " AS $_->{name}" } @columns) . ', people, "of", release AS since FROM lives_private.life_reference');
	}
	return map { { %$_, value => [ parts_of($self, $_) ], word => one_word(parts_of($self, $_)) } } @rows;
}

# The log has what was handed out.
sub judge_rows
{
	my ($self, $release, $event, $log) = @_;
	my $value = sprintf $self->{plain_value}, 's';
	my @columns = @{ $self->{columns} };
	my $others = @columns > 1 ? ', z::text AS z' : '';
	my @rows = $event->{rows} ? @{ $event->{rows} } : $self->{life}->rows("SELECT class, a, b, c, $value AS s$others FROM lives.life_$release->{number}");
	my @shows = grep { !defined $release->{columns} || $release->{columns} =~ /\b$columns[$_]{name}\b/ } 0 .. $#columns;
	my (%shown, %cells);

	if ($self->{value_type} eq 'numeric' && $event->{rows})
	{
		@rows = map { { %$_, s => defined $_->{s} ? $_->{s} =~ s/\.0+$//r : undef } } @rows;
	}
	foreach my $row (@rows)
	{
		push @{ $shown{ $row->{class} } }, as_text(parts_of($self, $row));
		$cells{ $row->{class} }{ as_text(@$row{qw(a b c)}) } = $row;
	}
	foreach my $class (sort keys %{ { %shown, %$log } })
	{
		my $said = join ', ', sort @{ $shown{$class} // [] };
		my $is = join ', ', sort map { my $row = $_; my @shown = map { undef } @columns; @shown[@shows] = @{ $row->{parts} }[@shows]; as_text(@shown) } @{ $log->{$class} // [] };
		fault($self, $release, "class $class shows $said, and the log has $is") if $said ne $is;
		fault($self, $release, "class $class has different cells") if keys %{ $cells{$class} } != 1;
		fault($self, $release, "class $class of " . @{ $log->{$class} } . ' rows') if @{ $log->{$class} } < $release->{k} && $release->{kind} ne 'imported';
		next if !$event->{source};
		my ($cell) = values %{ $cells{$class} };
		foreach my $row (grep { $_->{true} } @{ $log->{$class} })
		{
			my $source = $event->{source}{ $row->{key} };
			fault($self, $release, "$row->{key} is outside class $class") if defined $source && !covers($cell, $source);
		}
	}
	return;
}

sub covers
{
	my ($cell, $row) = @_;

	return covers_number($cell->{a}, $row->{a}) && covers_text($cell->{b}, $row->{b}) && covers_text($cell->{c}, $row->{c});
}

# They were there, with these values, or with those that their places showed last; who was asked for, and who came along, is counted rightly.
sub judge_people
{
	my ($self, $release, $event, $log) = @_;
	my $source = $event->{source};
	my %shown;

	foreach my $row (grep { $_->{true} } map { @$_ } values %$log)
	{
		my $had = $source->{ $row->{key} };

		$shown{ $row->{key} } = 1;
		fault($self, $release, defined $had ? "$row->{key} has " . as_text(parts_of($self, $had)) . ', and the log ' . as_text($row->{value}) : "$row->{key} is not in the source")
			if !defined $had || as_text(parts_of($self, $had)) ne as_text(@{ $row->{parts} }) && ($self->{places}->shown($row->{who}) // '') ne as_text(@{ $row->{parts} });
	}
	my $asked = grep { $_->{asked} } values %$source;
	my $dirty = grep { !($source->{$_} // {})->{asked} } keys %shown;
	my $suppressed = $asked - (keys(%shown) - $dirty);
	fault($self, $release, "$dirty came along and $suppressed are withheld, not $release->{dirty} and $release->{suppressed}")
		if "$dirty $suppressed" ne "$release->{dirty} $release->{suppressed}";
	return;
}

sub judge_places
{
	my ($self, $release, $event, $log, $conditions) = @_;
	my $source = $event->{source};
	my $shown = grep { !defined $release->{columns} || $release->{columns} =~ /\b$_->{name}\b/ } @{ $self->{columns} };
	my $repair = decode_json($release->{params})->{repair} // '';
	my %seen = map { ($_ => { asked => $source->{$_}{asked}, word => as_text(parts_of($self, $source->{$_})) }) } keys %{ $source // {} };
	my %how = (kind => $release->{kind}, is_whole => defined $release->{cohort} ? 0 : 1, shows_values => $shown, k => $release->{k}, conditions => $conditions,
		everybody => $self->{everybody}, is_true_only => $repair eq 'dirty' ? 1 : 0);

	$self->{life}->count('classes whose places were judged', scalar keys %$log);
	$self->{life}->count('rows that stand in', scalar grep { !$_->{true} } map { @$_ } values %$log);
	$self->{life}->found('places', "release $release->{number}, $release->{params}: $_") foreach $self->{places}->add(\%how, $log, $source ? \%seen : undef);
	return;
}

sub judge_audit
{
	my ($self) = @_;
	my $life = $self->{life};

	$life->found('audit', 'all of audit() holds, after an import that broke it') if $self->{is_broken} && !$self->{has_other_bands} && !$life->rows(q{SELECT check_name FROM pprepub.audit('life') WHERE NOT holds});
	return if $self->{has_import} || $self->{has_other_bands};
	$life->found('audit', "audit: $_->{check_name}: $_->{measured}, not $_->{required}") foreach $life->rows(q{SELECT * FROM pprepub.audit('life') WHERE NOT holds});
	return;
}

# Once, in the end: faults of earlier releases would show as well.
sub judge_history
{
	my ($self) = @_;
	my $life = $self->{life};

	return if !$self->{releases};
	$life->found('audit', "$_->{fold} is not what the log tells") foreach $life->rows(q{SELECT fold FROM pprepub.rebuild_history('life') WHERE NOT equal});
	$life->found('audit', "failed answer: $_->{message}") foreach $life->rows(q{SELECT f::text AS message FROM pprepub.failed_answer f});
	audit_by_others($self);
	return if $self->{has_import} || $self->{has_other_bands};
	$life->found('audit', "attack: $_->{attack}") foreach $life->rows(q{SELECT a::text AS attack FROM pprepub.attack('life') a WHERE NOT holds});
	return;
}

# Is what is out as good as nobody promised? The judge says so, and pprepub.audit().
sub audit_by_others
{
	my ($self) = @_;
	my $life = $self->{life};
	my $given = { %{ draw_promise($self) }, chance(0.3) ? (joint => 'true') : () };
	my $knows = @{ $self->{everybody} // [] } > 0;

	return if !$knows && grep { defined $given->{$_} } 't', 'beta', 'delta';
	my $params = { %{ decode_json('{' . params_json($given) . '}') }, bands => $self->{promises}{bands} // {} };
	my $conditions = Lives::Principles::conditions({ %$params, joint => defined $given->{joint} ? 1 : 0 }, $self->{columns});
	my $refused = $self->{atoms}->refused({ %$conditions, k => 1 }, $self->{everybody});
	my %refused = (classes => 0, atoms => 0);
	foreach my $row ($life->rows('SELECT check_name, holds::int AS holds FROM pprepub.audit(?, ?)', values => [ 'life', '{' . params_json($given) . '}' ]))
	{
		next if $row->{check_name} !~ /^(revealed )?(?:frequency|entropy|recursive|t|beta|delta)$/;
		$refused{ defined $1 ? 'atoms' : 'classes' } = 1 if !$row->{holds};
	}
	$life->count('audits by a principle that nobody promised');
	$life->count('of these, refusing something', $refused{atoms} || $refused{classes} ? 1 : 0);
	foreach my $what ('classes', 'atoms')
	{
		$life->found('audit', 'by ' . params_json($given) . " audit() finds $what that are "
				. ($refused{$what} ? 'refused, and the judge none' : "not refused, and the judge $refused->{$what}"))
			if $refused{$what} != ($refused->{$what} > 0);
	}
	return;
}

1;
