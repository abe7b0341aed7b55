# The judges of test/lives find what is wrong: the observer, in histories that were found by hand, and what counting out all
# worlds finds in random ones; whoever gives rows to people; whoever counts atoms, and follows places; and whoever compares cells.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lives";
use Lives::Atoms;
use Lives::Cells;
use Lives::Observer;
use Lives::Places;
use Lives::Worlds;
use Seed;
use Test::More;

# A class is written as 'people+invented:values', as in '1 2+1:ccd'.
sub history
{
	my ($moves, @releases) = @_;

	return { moves => $moves, releases => [ map { [ map { class($_) } @$_ ] } @releases ] };
}

sub class
{
	my ($people, $invented, $values) = $_[0] =~ /^([\d ]*)\+(\d):(\w+)$/ or die "class $_[0]";
	my %shown;

	$shown{$_}++ foreach split //, $values;
	return { people => [ split / /, $people ], shown => \%shown, invented => $invented };
}

# Text; of everybody, unless some are asked for.
sub found
{
	my ($history, @asked) = @_;
	my %asked = map { $_ => 1 } @asked;
	my @found = Lives::Observer::candidates($history, 100_000);

	return join ', ', map { "$_->{person} in " . ($_->{release} + 1) . ': ' . join('', @{ $_->{possible} }, map { "$_?" } @{ $_->{open} }) }
		grep { !@asked || $asked{"$_->{person} in " . ($_->{release} + 1)} } @found;
}

is(found(history(undef, ['1 2+0:cd', '3 4+0:cd'], ['1 2+0:cd', '3 4+0:cd', '10+1:cv', '11+1:cv'], (['1 2+0:cd', '3 4+0:cd', '12 11+0:cv', '10+1:cv']) x 2,
			['1 2+0:cd', '3 4+0:cd', '12 10+0:cv', '11+1:cv']), '10 in 2', '11 in 2', '12 in 3'),
	'10 in 2: v, 11 in 2: v, 12 in 3: c', 'a value that came with two who are linked later');
is(found(history({ a => { a => 1 }, b => { a => 1, b => 1 } }, ['2+1:ab', '6 3+0:ab', '1+1:ab', '4 5+0:ab'], ['4 5+0:ab', '6 2+0:ab', '1 3+0:ab'],
			['1 3+0:ab', '4 5+0:ab', '6 2+0:ab', '8+1:ab', '7+1:ab'], ['4+1:ab', '1+1:ab', '5 2+0:ab', '6 8+0:ab', '7 3+0:ab'],
			['7 5+0:ab', '1 9+0:ab', '8+1:ab', '6 2+0:ab']), '7 in 3'),
	'7 in 3: b', 'a value that others would have had no way from');
is(found(history(undef, ['1+2:abc'])), '', 'values that nobody has shown were not invented');
is(found({ %{ history(undef, ['1+2:abc']) }, any_invention => 1 }), '1 in 1: abc', 'unless they may be');

# ---- All worlds, counted out ----

# Every way to give values to people, a person or a person of a release at a time.
sub count_out
{
	my ($history) = @_;
	my (@open, %at, %last, %possible);

	foreach my $release (0 .. $#{ $history->{releases} })
	{
		foreach my $person (map { @{ $_->{people} } } @{ $history->{releases}[$release] })
		{
			if (!$history->{moves} && defined $last{$person})
			{
				$at{"$person $release"} = $last{$person};
				next;
			}
			push @open, { person => $person, release => $release, last => $last{$person} };
			$last{$person} = $at{"$person $release"} = $#open;
		}
	}
	my @values = sort keys %{ { map { %{ $_->{shown} } } map { @$_ } @{ $history->{releases} } } };
	my @world;
	my $try;
	$try = sub {
		my ($i) = @_;

		if ($i == @open)
		{
			return if !holds($history, \%at, \@world);
			$possible{$_}{ $world[$_] } = 1 foreach 0 .. $#open;
			return;
		}
		foreach my $value (@values)
		{
			my $last = $open[$i]{last};
			next if defined $last && !$history->{moves}{ $world[$last] }{$value};
			$world[$i] = $value;
			$try->($i + 1);
		}
		return;
	};
	$try->(0);
	return %possible ? join ', ', map { "$open[$_]{person} in " . ($open[$_]{release} + 1) . ': ' . join('', sort keys %{ $possible{$_} }) } 0 .. $#open : '';
}

sub holds
{
	my ($history, $at, $world) = @_;
	my %known;

	foreach my $release (0 .. $#{ $history->{releases} })
	{
		my $classes = $history->{releases}[$release];

		$known{ $world->[ $at->{"$_ $release"} ] } = 1 foreach map { @{ $_->{people} } } @$classes;
		foreach my $class (@$classes)
		{
			my %left = %{ $class->{shown} };

			$left{ $world->[ $at->{"$_ $release"} ] }-- foreach @{ $class->{people} };
			return 0 if grep { $_ < 0 } values %left;
			return 0 if grep { $left{$_} && !$known{$_} } keys %left;
		}
	}
	return 1;
}

sub draw { return $_[ int(rand(@_)) ] }

# Some are of values that people have, so that there is a world; others need not have one.
sub random_history
{
	my @values = ('a' .. draw('b', 'c', 'd'));
	my $true = rand() < 0.9;
	my $changing = rand() < 0.5;
	my %moves = map { my $from = $_; $from => { map { $_ => 1 } grep { $_ eq $from || rand() < 0.4 } @values } } @values;
	my %value = map { $_ => draw(@values) } 1 .. draw(3 .. 5);
	my (@releases, %known);

	foreach (1 .. draw($changing ? 1 .. 2 : 1 .. 4))
	{
		my @classes = map { { people => [], shown => {}, invented => 0 } } 1 .. draw(1 .. 3);

		foreach my $person (grep { rand() < 0.8 } sort keys %value)
		{
			my $class = draw(@classes);

			$value{$person} = draw(sort keys %{ $moves{ $value{$person} } }) if $changing;
			push @{ $class->{people} }, $person;
			$class->{shown}{ $true ? $value{$person} : draw(@values) }++;
		}
		$known{$_} = 1 foreach map { keys %{ $_->{shown} } } @classes;
		foreach my $class (grep { rand() < 0.7 } @classes)
		{
			foreach (1 .. draw(1, 1, 2))
			{
				$class->{shown}{ draw($true && %known ? sort keys %known : @values) }++;
				$class->{invented}++;
			}
		}
		push @releases, \@classes;
	}
	return { moves => $changing ? \%moves : undef, releases => \@releases };
}

draw_seed();
my ($worlds, $struck, @wrong) = (0, 0);
foreach my $n (1 .. 1500)
{
	my $history = random_history();
	my $all = count_out($history);

	$worlds++ if $all ne '';
	$struck++ if $all =~ /: \w(,|$)/;
	push @wrong, explain($history), found($history), $all if found($history) ne $all;
}
is_deeply(\@wrong, [], 'what is possible is what some world has');
cmp_ok($worlds, '>', 700, 'most of these histories are possible');
cmp_ok($struck, '>', 300, 'and many leave somebody a single value');

# ---- Atoms ----

# Classes are written as 'person=value …'; who is invented has a star.
sub release
{
	my ($kind, $k, $l, @classes) = @_;

	return { kind => $kind, k => $k, conditions => { l => $l, columns => [ {} ] }, classes => [ map { [ map { row($_) } split / / ] } @classes ] };
}

sub row
{
	my ($who, $value, $star) = $_[0] =~ /^([^=]+)=(\w*)(\*?)$/;

	$value = undef if $value eq '';
	return { who => $who, value => $value, parts => [$value], true => $star ? 0 : 1 };
}

sub faults
{
	my $atoms = Lives::Atoms->new;
	my @faults;

	push @faults, map { s/ \(of.*//r } $atoms->add($_) foreach @_;
	return join '; ', @faults;
}

is(faults(release('stored', 2, 2, '1=a 2=b', '3=a 4=b'), release('query', 2, 2, '1=a 2=b')), '', 'classes that come again tell nothing');
is(faults(release('stored', 2, 1, '1=a 2=b 3=c'), release('query', 2, 1, '1=a 2=b')), 'atom {3}: 1 people', 'who is missing is told apart');
is(faults(release('stored', 2, 1, '1=a 2=b', '3=a 4=b'), release('query', 2, 1, '1=a 3=b', '2=a 4=b')), join('; ', map { "atom {$_}: 1 people" } 1 .. 4), 'two partitions meet in single people');
is(faults(release('stored', 2, 2, '1=a 2=b 3=a 4=b'), release('query', 2, 2, '1=b 3=c')), 'atom {2 4}: 1 values in release 1; atom {1 3}: 1 values in release 1', 'values of then count');
is(faults(release('stored', 2, 2, '1=a 2=')), 'atom {1 2}: 1 values in release 1', 'none is no value');
is(faults(release('stored', 3, 2, '1=a 2=a 3=b*')), '', 'an invented row has what people have not');
is(faults(release('stored', 3, 2, '1=a 2=a 3=a*')), 'atom {1 2 3}: 1 values in release 1', 'or it is no other value');
is(faults(release('stored', 2, 1, '1=a 2=b 3=c'), release('stored', 3, 1, '1=a 2=b 3=c'), release('stored', 3, 1, '1=a 2=b')), 'atom {3}: 1 people; atom {1 2}: 2 people', 'k is that of the release, or of the weakest');
is(faults(release('imported', 2, 1, '1=a', '2=b 3=b'), release('stored', 2, 1, '2=a 3=b')), '', 'what an import has told is told');
is(faults(release('imported', 2, 1, '1=a', '2=b 3=b'), release('stored', 2, 1, '1=a')), 'atom {1}: 1 people', 'but not again');
is(faults(release('stored', 1, 1, '1=a 2=b 1=a')), '1 is there twice', 'somebody twice');

# ---- Places ----

# A release is how it was made, whose value of today is another, or who was not asked for (!), and classes: 'group place:person=value …'.
sub places
{
	my $places = Lives::Places->new;
	my @faults;

	foreach (@_)
	{
		my ($kind, $other, @classes) = @$_;
		my (%class, %source);

		foreach (@classes)
		{
			my ($group, @rows) = split / /;
			$class{$group} = [ map { my ($place, $key, $value) = /^(\d):([a-z]|-)=(\w)$/ or die $_;
				{ group => $group, place => $place, true => $key ne '-', key => $key eq '-' ? undef : $key, value => $value, parts => [$value] } } @rows ];
		}
		$source{ $_->{key} } = { asked => index($other, "!$_->{key}") < 0, word => $other =~ /$_->{key}=(\w)/ ? $1 : $_->{value} } foreach grep { $_->{true} } map { @$_ } values %class;
		$places->name(map { @$_ } values %class);
		push @faults, map { s/^class \d+: //r } $places->add({ kind => 'stored', is_whole => $kind eq 'whole', shows_values => 1, k => 2, conditions => { l => 2, columns => [ {} ] } }, \%class, \%source);
	}
	return join '; ', @faults;
}

my @first = ('whole', '', '1 1:p=a 2:q=b 3:r=a 4:s=b');
my @away = ('whole', '', '1 1:p=a 2:q=b 3:r=a 4:-=b');
my @various = ('whole', '', '1 1:p=a 2:q=b 3:r=c 4:s=d');
foreach ([ 'that is shown again', '', [@first], [@first] ], [ 'that shows new values', '', [@first], [ 'whole', '', '1 1:p=b 2:q=b 3:r=a 4:s=b' ] ],
	[ 'to which somebody comes', '', [@first], [@away], [ 'whole', '', '1 1:p=a 2:q=b 3:r=a 4:t=b' ] ],
	[ 'that is parted', '', [@various], [ 'whole', '', '1 1:p=a 2:q=b' ] ],
	[ 'that begins with nobody', 'a group begins with rows that stand in', [@away] ],
	[ 'that grows', 'its group has got places', [@first], [ 'whole', '', '1 1:p=a 2:q=b 3:r=a 4:s=b 5:t=b' ] ],
	[ 'of which a few are shown', 'it is not a whole part', [@first], [ 'part', '', '1 1:p=a 2:q=b' ] ],
	[ 'that lost one place', '1 places of 4 are parted off', [@first], [ 'whole', '', '1 1:p=a 2:q=b 3:r=a' ] ],
	[ 'that lost places of one value, perhaps', '2 places of 4 are parted off, and may show 1 values', [@first], [ 'whole', '', '1 1:p=a 2:q=b' ] ],
	[ 'that shows places again', 'it shows places that were parted off', [@various], [ 'whole', '', '1 1:p=a 2:q=b' ], [@various] ],
	[ 'that is hardly anybody\'s', 'most of its rows stand in', [@first], [ 'whole', '', '1 1:p=a 2:-=b 3:-=a 4:-=b' ] ],
	[ 'that changes without somebody', 'it shows what is new at 1/1 (a, now b), and lacks who sat there before at 1/4', [@first], [ 'whole', '', '1 1:p=b 2:q=b 3:r=a 4:-=b' ] ],
	[ 'that changes though somebody was not asked for', 'it shows what is new at 1/1 (a, now b), and lacks who sat there before at 1/2', [@first], [ 'part', '!q', '1 1:p=b 2:q=b 3:r=a 4:s=b' ] ],
	[ 'that changes in part', 'it shows what is new at 1/1 (a, now b), and not what is new of q', [@first], [ 'whole', 'q=a', '1 1:p=b 2:q=b 3:r=a 4:s=b' ] ],
	[ 'to which somebody comes with another value', 't has a, and comes to a place that shows b', [@first], [@away], [ 'whole', 't=a', '1 1:p=a 2:q=b 3:r=a 4:t=b' ] ],
	[ 'to which somebody comes in a cohort', 't comes, in a release that is not of everybody', [@first], [@away], [ 'part', '', '1 1:p=a 2:q=b 3:r=a 4:t=b' ] ],
	[ 'to which somebody comes back with another value', 's has a, and comes back to a place that shows b', [@first], [@away], [ 'whole', 's=a', '1 1:p=a 2:q=b 3:r=a 4:s=b' ] ],
	[ 'of which somebody has a second place', 's has a second place in the group', [@first], [ 'whole', '', '1 1:p=a 2:q=b 3:-=a 4:s=b' ], [ 'whole', '', '1 1:p=a 2:q=b 3:s=a 4:-=b' ] ],
	[ 'of which somebody has two places', 'a person is in two places; p has a second place in the group', [@first], [ 'whole', '', '1 1:p=a 2:q=b 3:p=a 4:s=b' ] ])
{
	my ($what, $wrong, @releases) = @$_;

	is(places(@releases), $wrong, "a group $what");
}

# ---- Rows, and whose they may be ----

# A release is written as 'columns: row row', a row as 'cell/cell'; a person as 'releases cell/cell', for columns a, b and s.
sub releases
{
	return map {
		my ($columns, $rows) = split /: /;
		my @columns = split //, $columns;
		{ shows => { map { $_ => 1 } @columns }, rows => [ map { my %row; @row{@columns} = map { $_ eq 'NULL' ? undef : $_ } split m|/|; \%row } split / /, $rows ] }
	} @_;
}

sub fits
{
	my (%person) = @_;

	return sub { my ($shows, $row) = @_; !($shows->{a} && !covers_number($row->{a}, $person{a}) || $shows->{b} && !covers_text($row->{b}, $person{b})) };
}

# Of somebody with these quasi-identifiers, who was in these releases, and the stays of everybody.
sub left
{
	my ($stay, $person, $stays, @releases) = @_;
	my $ways = Lives::Worlds->new(releases => [ releases(@releases) ], stays => $stays)->values_of($stay, fits(%$person));

	return join ' ', map { "$_*$ways->{$_}" } sort keys %$ways;
}

my @values = ({ '0' => 1, '0 2' => 2, '1' => 2, '1 2' => 1 }, 's: a a b', 's: a b b', 's: a b b');
is(left('1 2', {}, @values), 'b*4', 'who came has the value that those who stayed cannot all have');
is(left('0', {}, @values), 'a*2', 'and who left has the other one');
is(left('0 2', {}, @values), 'a*2 b*2', 'of those who stayed each may have either');
my @cells = ('b: x x x y x y', 'as: (,)/b [5,16)/a [25,26)/a', 'a: [5,6) [5,6) [15,16)');
is(left('0 1', { a => 25, b => 'x' }, { '0' => 2, '0 1' => 1, '0 2' => 1, '0 1 2' => 2 }, @cells), 'a*4', 'a row that nobody who stayed can have');
is(left('0', {}, { '0' => 2 }, 's: a NULL'), 'a*1', 'none is no value');

# Every way to deal the rows, person by person.
sub deal_out
{
	my ($stays, @releases) = @_;
	my (%possible, $try);
	my @people = map { my $stay = $_; map { { stay => $stay, releases => [ split / /, $stay ], rows => {} } } 1 .. $stays->{$stay} } sort keys %$stays;
	my @open = map { my $person = $_; map { [ $person, $_ ] } @{ $person->{releases} } } @people;
	my @used;

	$try = sub {
		my ($i) = @_;

		if ($i == @open)
		{
			foreach my $person (@people)
			{
				my @rows = map { $person->{rows}{$_} } @{ $person->{releases} };
				$possible{ $person->{stay} }{"@rows"} = 1;
			}
			return;
		}
		my ($person, $release) = @{ $open[$i] };
		foreach my $n (grep { !$used[$release][$_] } 0 .. $#{ $releases[$release]{rows} })
		{
			my $row = $releases[$release]{rows}[$n];
			next if grep { my $r = $_; my $other = $releases[$r]{rows}[ $person->{rows}{$r} ];
				grep { $releases[$r]{shows}{$_} && $releases[$release]{shows}{$_} && ($_ eq 's' ? $row->{s} ne $other->{s} : !may_be_one($row->{$_}, $other->{$_})) } qw(a b s) } grep { $_ < $release } keys %{ $person->{rows} };
			$used[$release][$n] = 1;
			$person->{rows}{$release} = $n;
			$try->($i + 1);
			delete $person->{rows}{$release};
			$used[$release][$n] = 0;
		}
		return;
	};
	$try->(0);
	return \%possible;
}

sub random_cell
{
	my ($column, $value) = @_;

	return $value if $column eq 's';
	return $column eq 'a' ? draw('(,)', "[$value," . ($value + 1) . ')', '[' . ($value - 1) . ',' . ($value + 1) . ')') : draw($value, '*', substr($value, 0, 1) . '*');
}

my ($compared, $certain) = (0, 0);
@wrong = ();
foreach my $n (1 .. 300)
{
	my @people = map { { a => draw(1 .. 3), b => draw('xx', 'xy', 'yx'), s => draw('c', 'd', 'e') } } 1 .. draw(3 .. 4);
	my @shows = map { [ grep { rand() < 0.7 } qw(a b s) ] } 1 .. draw(2, 3);
	my @there = map { [ grep { rand() < 0.75 } 0 .. $#people ] } @shows;
	my @releases = map {
		my $r = $_;
		{ shows => { map { $_ => 1 } @{ $shows[$r] } }, rows => [ map { my $person = $people[$_]; my %row = map { $_ => random_cell($_, $person->{$_}) } @{ $shows[$r] }; \%row } @{ $there[$r] } ] }
	} 0 .. $#shows;
	my (%stay, %stays);
	foreach my $person (0 .. $#people)
	{
		$stay{$person} = join ' ', grep { my $r = $_; grep { $_ == $person } @{ $there[$r] } } 0 .. $#shows;
		$stays{ $stay{$person} }++ if $stay{$person} ne '';
	}
	my $possible = deal_out(\%stays, @releases);
	my $worlds = Lives::Worlds->new(releases => \@releases, stays => \%stays);
	foreach my $person (grep { $stay{$_} ne '' } 0 .. $#people)
	{
		my $fits = fits(%{ $people[$person] });
		my $ways = $worlds->values_of($stay{$person}, $fits);
		my @in = split / /, $stay{$person};
		my ($shows) = grep { $releases[$_]{shows}{s} } @in;
		my %all;

		foreach my $rows (defined $shows ? keys %{ $possible->{ $stay{$person} } } : ())
		{
			my %row;
			@row{@in} = split / /, $rows;
			next if grep { !$fits->($releases[$_]{shows}, $releases[$_]{rows}[ $row{$_} ]) } @in;
			$all{ $releases[$shows]{rows}[ $row{$shows} ]{s} }++;
		}
		$compared++ if defined $shows;
		$certain++ if keys %all == 1;
		push @wrong, explain(\@releases, \%stays, $ways, \%all) if explain($ways) ne explain(\%all);
	}
}
is_deeply(\@wrong, [], 'ways to deal rows are those that are found');
cmp_ok($compared, '>', 400, 'for many people');
cmp_ok($certain, '>', 100, 'many of whom are known');

ok(covers_number('[3,7)', 6) && !covers_number('[3,7)', 7) && covers_number('(,7)', -5) && covers_number('(,)', undef) && !covers_number('[3,)', undef) && !covers_number(undef, 3), 'ranges');
ok(covers_text('ab*', 'abc') && !covers_text('ab*', 'a') && !covers_text('ab', 'abc') && covers_text('*', undef) && !covers_text('a*', undef) && covers_text(undef, undef), 'prefixes');
ok(may_be_one('[3,7)', '[6,9)') && !may_be_one('[3,7)', '[7,9)') && may_be_one('(,)', undef) && !may_be_one('[3,7)', undef) && may_be_one('a*', 'ab*') && may_be_one('ab', 'a*')
		&& !may_be_one('ab', 'a') && !may_be_one('ab*', 'ac'), 'cells of one row');
done_testing();
