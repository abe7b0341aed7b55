# A life: what is done to a table and its publication, drawn from a seed; and what its judges find.
#
# No draw depends on how a statement ends, so the statements of a life are always those of its seed. The extension draws lots
# of its own: a life may have to be lived again for a finding to come again.
package Lives::Life;

use strict;
use warnings;
use DBI;
use Exporter 'import';

our @EXPORT = qw(draw chance some shuffled spread);

# new(seed, connect): connect returns a session, as the role that it is told.
sub new
{
	my ($class, %life) = @_;
	my $self = bless { script => [], findings => [], count => {}, as => 'owner', sessions => {}, %life }, $class;

	srand($self->{seed});
	return $self;
}

# ---- Draws ----

sub draw { return $_[ int(rand(@_)) ] }

sub chance { return rand() < $_[0] }

# Each of the others with that chance.
sub some
{
	my ($chance, @things) = @_;

	return grep { rand() < $chance } @things;
}

sub shuffled
{
	my @things = @_;

	foreach my $i (reverse 1 .. $#things)
	{
		my $j = int(rand($i + 1));
		@things[ $i, $j ] = @things[ $j, $i ];
	}
	return @things;
}

# Of these, with the first ones more often the greater the skew.
sub spread
{
	my ($skew, @things) = @_;

	return $things[ int(@things * rand()**$skew) ];
}

# ---- Statements ----

sub session
{
	my ($self, $as) = @_;

	return $self->{sessions}{$as} //= $self->{connect}->($as);
}

# A statement of the life. True unless it fails, which only those states may do that its caller expects.
sub run
{
	my ($self, $sql, %how) = @_;
	my $as = $how{as} // 'owner';
	my $session = $self->session($as);

	$self->_say($sql, $as);
	@$self{qw(rows warnings)} = (undef, []);
	local $session->{PrintWarn} = 1;
	local $SIG{__WARN__} = sub { push @{ $self->{warnings} }, $_[0] };
	my $statement = $session->prepare($sql, { pg_direct => 1 });
	if (defined $statement && $statement->execute)
	{
		$self->{rows} = $statement->fetchall_arrayref({}) if $statement->{NUM_OF_FIELDS};
		return 1;
	}
	my ($state, $message) = ($session->state, $session->errstr);
	push @{ $self->{script} }, "-- $state: " . $message =~ s/\n/\n-- /gr;
	$self->{count}{"refused: $state"}++;
	$self->_end($sql, $session) if !defined $how{may} || $state !~ /^$how{may}$/;
	return 0;
}

# For psql to run again.
sub _say
{
	my ($self, $sql, $as) = @_;

	push @{ $self->{script} }, '\connect - ' . ($as eq 'superuser' ? 'postgres' : $as) if $as ne $self->{as};
	push @{ $self->{script} }, "$sql;";
	$self->{as} = $as;
	return;
}

# Nothing of what comes after an error that nobody expects is worth being told.
sub _end
{
	my ($self, $sql, $session) = @_;
	my $how = $session->state . ': ' . $session->errstr;

	$self->found($session->ping ? 'error' : 'broken', "$sql: $how");
	die "an error\n";
}

# A quasi-identifier that some people have a value of, and newcomers have not; beside others that tables need, too.
sub add_column
{
	my ($self, @tables) = @_;
	my $name = 'd' . ++$self->{added};

	foreach my $table ('life', @tables)
	{
		$self->run("ALTER TABLE $table ADD $name int", may => qr/25P02/);
		$self->run("UPDATE $table SET $name = hashtext(id::text) % 20 WHERE hashtext(id::text) % 5 > 0", may => qr/25P02/);
	}
	my $kind = draw('range', 'range 5', 'suppress');
	return $self->run("SELECT pprepub.alter_publication('life', add_quasi_identifiers => '{\"$name\": \"$kind\"}')", may => qr/25P02/);
}

# A judge's question, as himself, or as somebody whose transaction he looks into; that never fails.
sub rows
{
	my ($self, $sql, %how) = @_;
	my $session = $self->session($how{as} // 'judge');
	my $rows = $session->selectall_arrayref($sql, { Slice => {} }, @{ $how{values} // [] });

	return @$rows if defined $rows;
	return $self->_end($sql, $session);
}

# A statement that others do not wait for; what is returned waits, and says how it ended, as run() does.
sub start
{
	my ($self, $sql, $as) = @_;
	my $session = $self->session($as);
	my $statement = $session->prepare($sql, { pg_async => 1, pg_direct => 1 });

	push @{ $self->{script} }, '-- at the same time as what comes next:';
	$self->_say($sql, $as);
	$statement->execute;
	return sub {
		$self->{rows} = undef;
		if (defined $session->pg_result)
		{
			$self->{rows} = $statement->fetchall_arrayref({});
			return 1;
		}
		return $self->_end($sql, $session);
	};
}

sub count
{
	my ($self, $what, $n) = @_;

	$self->{count}{$what} += $n // 1;
	return;
}

sub found
{
	my ($self, $kind, $what) = @_;

	push @{ $self->{findings} }, { kind => $kind, what => $what };
	push @{ $self->{script} }, "-- found: $kind: " . $what =~ s/\n/\n-- /gr;
	return;
}

1;
