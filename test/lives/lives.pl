# Random lives against a running server: sources that change in every way that comes to mind, published by every method, and
# judged after every release by judges that share nothing with what they judge. See test/run, which starts this.
#
#	--minutes N, --seconds N, --lives N		for how long, or how many
#	--seed N		of the first life; the others follow
#	--only METHOD	lives of one method
#	--show			the script of the first life in which something is found
#	--forgive KIND	what is found of that kind is counted, and is no failure
#	--workers N		how many live at the same time
#	--valgrind		the server runs under valgrind: an error with our code on its stack is a finding
#
# "--only METHOD --seed N" lives the life that was found, and prints its script. The extension draws lots, too; so --again N
# lives it that many times.
use strict;
use warnings;

# PostgreSQL's modules send what is printed to a log.
my ($screen, $errors);
BEGIN
{
	open $screen, '>&', \*STDOUT or die $!;
	open $errors, '>&', \*STDERR or die $!;
	$screen->autoflush;
}
$SIG{__DIE__} = sub { print $errors @_ if !$^S };

use DBI;
use FindBin;
use lib $FindBin::Bin;
use Getopt::Long;
use List::Util qw(sum0);
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time);
use Lives::Bpg;
use Lives::Candidates;
use Lives::Global;
use Lives::Life;
use Lives::Sequential;
use Lives::Several;

my %methods = (bpg => \&Lives::Bpg::live, (map { $_ => \&Lives::Several::live } 'bpg several', 'global several'), global => \&Lives::Global::live, sequential => \&Lives::Sequential::live, (map { $_ => \&Lives::Candidates::live } 'm-invariance', 'cor-split', 'm-distinct', 'm-distinct strict'));
my @methods = ('bpg', 'bpg', sort keys %methods);
my %option = (seed => $ENV{PPREPUB_TEST_SEED} // int(time()) % 1_000_000 * 1000, workers => 3, again => 1, forgive => []);
GetOptions(\%option, 'minutes=f', 'seconds=f', 'lives=i', 'seed=i', 'only=s', 'show', 'forgive=s@', 'workers=i', 'again=i', 'valgrind') or exit 2;
if (defined $option{only})
{
	my $single = !grep { defined } @option{qw(minutes seconds lives)};

	@methods = grep { $_ eq $option{only} } sort keys %methods or die "no such method: $option{only}\n";
	@option{qw(lives show)} = (1, 1) if $single;
}
$option{lives} //= 1e9;
$option{seconds} //= defined $option{minutes} ? 60 * $option{minutes} : $option{lives} < 1e9 ? 1e9 : 60;
$option{workers} = $option{lives} if $option{lives} < $option{workers};

# ---- The server ----

# Each tells of a mistake of ours, whoever met it.
my $alarm = qr/PANIC|TRAP|terminated by signal|deadlock detected| XX\w{3} |invalid memory|cache lookup/;

# Programs beside each other, of which the server is one that starts valgrind.
sub install_valgrind
{
	my ($bindir) = PostgreSQL::Test::Utils::run_command([ 'pg_config', '--bindir' ]);
	my $install = PostgreSQL::Test::Utils::tempdir();
	my $source = POSIX::getcwd();

	mkdir "$install/bin" or die $!;
	foreach my $program (map { s|.*/||r } glob "$bindir/*")
	{
		next if $program eq 'postgres';
		# pg_ctl looks for the server beside itself, not beside what a link leads to.
		$program eq 'pg_ctl' ? system('cp', "$bindir/$program", "$install/bin/") == 0 || die : symlink("$bindir/$program", "$install/bin/$program") || die $!;
	}
	open my $server, '>', "$install/bin/postgres" or die $!;
	print $server "#!/bin/sh\nexec valgrind --quiet --trace-children=yes --leak-check=no --num-callers=40 --fullpath-after='$source/' --fullpath-after='$source/../copy/'",
		" --suppressions='$source/test/valgrind.supp' --log-file='$install/valgrind.%p' '$bindir/postgres' \"\$@\"\n";
	close $server;
	chmod 0755, "$install/bin/postgres";
	$ENV{PGCTLTIMEOUT} = 600;
	return $install;
}

# Errors, a paragraph each.
sub valgrind_errors
{
	my ($install) = @_;

	return if !defined $install;
	return grep { /\(src\// } map { split /\n\n/, PostgreSQL::Test::Utils::slurp_file($_) =~ s/^==\d+== ?//gmr } glob "$install/valgrind.*";
}

my $install = $option{valgrind} ? install_valgrind() : undef;
my $node = PostgreSQL::Test::Cluster->new('lives', defined $install ? (install_path => $install) : ());
$node->init(extra => [ '-E', 'UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
synchronous_commit = off
log_statement = none
log_line_prefix = '%m [%p] %d %e '
restart_after_crash = on
max_worker_processes = 16
max_connections = 60
max_locks_per_transaction = 256
autovacuum_naptime = 1s
jit = off
CONF
# Under valgrind a publication is locked for longer than analysts are patient.
$node->append_conf('postgresql.conf', "pprepub.answer_wait = '10min'") if defined $install;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN');

sub make_database
{
	my ($name, $linger) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER owner");
	$node->safe_psql($name, "CREATE EXTENSION pprepub; GRANT CREATE ON SCHEMA public TO owner; ALTER DATABASE $name SET pprepub.answer_linger = '$linger'");
	return;
}

sub connect_to
{
	my ($database, $as) = @_;
	my ($superuser) = getpwuid($<);
	my $user = { owner => 'owner', judge => 'owner', analyst => 'analyst', superuser => $superuser }->{$as};
	my $session = DBI->connect('dbi:Pg:host=' . $node->host . ' port=' . $node->port . " dbname=$database", $user, '',
		{ AutoCommit => 1, RaiseError => 0, PrintError => 0, PrintWarn => 0, pg_server_prepare => 0 });

	$session->do('SET client_min_messages = warning') if $session;
	return $session;
}

# ---- Workers ----

# Lives of one worker, in two databases in turn; what came of them goes to a file.
sub work
{
	my ($worker, $file) = @_;
	my $until = time() + $option{seconds};
	my @databases = map { "lives_${worker}_$_" } 1 .. 2;
	my (%total, %sessions);

	open my $out, '>', $file or die "$file: $!";
	for (my $n = $worker; time() < $until && $n < $option{lives}; $n += $option{workers})
	{
		my $method = $methods[ ($option{seed} + $n) % @methods ];
		my $database = $databases[ int($n / $option{workers}) % 2 ];

		foreach my $again (1 .. $option{again})
		{
			my $life = Lives::Life->new(seed => $option{seed} + $n, method => $method, sessions => $sessions{$database} //= {},
				connect => sub { connect_to($database, $_[0]) // die "no connection\n" });
			my $born = time();
			if (!eval { $methods{$method}->($life); 1 })
			{
				$life->found('broken', $@) if !@{ $life->{findings} } || $@ ne "an error\n";
				clear_away($database, $sessions{$database});
			}
			$total{$_} += $life->{count}{$_} foreach keys %{ $life->{count} };
			$total{lives}++;
			$total{"$method: $_"} += { lives => 1, seconds => time() - $born, map { ("$_->{kind} findings" => 1) } @{ $life->{findings} } }->{$_}
				foreach 'lives', 'seconds', map { "$_->{kind} findings" } @{ $life->{findings} };
			report($out, $life);
		}
	}
	print $out "total\t$_\t$total{$_}\n" foreach sort keys %total;
	close $out;
	return;
}

# With the script, if it is asked for: of one that something is found in, or of the only one.
my $is_shown = 0;
sub report
{
	my ($out, $life) = @_;
	my $name = "--only '$life->{method}' --seed $life->{seed}";

	foreach my $finding (@{ $life->{findings} })
	{
		print $out "finding\t$name\t$finding->{kind}\t" . $finding->{what} =~ s/\n/\\n/gr . "\n";
	}
	if ($option{show} && !$is_shown && (@{ $life->{findings} } || $option{lives} * $option{again} == 1))
	{
		$is_shown = 1;
		print $out "script\t$name\t" . join('\n', map { s/\n/\\n/gr } @{ $life->{script} }) . "\n";
	}
	$out->flush;
	return;
}

# After a life that did not end as it should.
sub clear_away
{
	my ($database, $sessions) = @_;

	$_->disconnect foreach values %$sessions;
	%$sessions = ();
	foreach (1 .. 60)
	{
		last if $node->psql('postgres', 'SELECT') == 0;
		sleep 1;
	}
	$node->psql('postgres', "DROP DATABASE IF EXISTS $database WITH (FORCE)");
	make_database($database, '1s');
	return;
}

# ---- All of it ----

foreach my $worker (0 .. $option{workers} - 1)
{
	make_database("lives_${worker}_1", $worker % 2 ? '5s' : '50ms');
	make_database("lives_${worker}_2", '2s');
}
my %files = map { $_ => PostgreSQL::Test::Utils::tempdir_short() . "/lives_$_" } 0 .. $option{workers} - 1;
my %children;
print $screen "seed $option{seed}, $option{workers} workers\n";
foreach my $worker (sort keys %files)
{
	my $child = fork() // die "fork: $!";
	if ($child == 0)
	{
		# Nothing of what the parent has to clear away is the child's.
		my $done = eval { work($worker, $files{$worker}); 1 };
		print $errors "worker $worker: $@\n" if !$done;
		POSIX::_exit($done ? 0 : 1);
	}
	$children{$child} = $worker;
}

# Tells what workers have written since.
my (%total, %found, %read, $has_script);
sub tell_on
{
	foreach my $worker (sort keys %files)
	{
		open my $in, '<', $files{$worker} or next;
		seek $in, $read{$worker} // 0, 0;
		while (defined(my $line = <$in>))
		{
			last if $line !~ /\n$/;
			$read{$worker} = tell $in;
			take(split /\t/, $line =~ s/\n$//r, -1);
		}
		close $in;
	}
	return;
}

sub take
{
	my ($what, $name, @fields) = @_;

	if ($what eq 'total') { $total{$name} += $fields[0] }
	elsif ($what eq 'finding')
	{
		print $screen "FOUND $name: $fields[0]: ", $fields[1] =~ s/\\n/\n      /gr, "\n" if $found{ $fields[0] }++ < 20;
	}
	elsif (!$has_script++) { print $screen "-- $name\n", $fields[0] =~ s/\\n/\n/gr, "\n" }
	return;
}

my $broken = 0;
while (%children)
{
	my $child = waitpid(-1, POSIX::WNOHANG());

	tell_on();
	if ($child > 0)
	{
		$broken++ if $? != 0 && exists $children{$child};
		delete $children{$child};
	}
	else { select undef, undef, undef, 0.2 }
}
tell_on();

$node->stop if $install;			# the last errors
my @alarms = ((grep { /$alarm/ } split /\n/, PostgreSQL::Test::Utils::slurp_file($node->logfile)), valgrind_errors($install));
print $screen "SERVER $_\n" foreach @alarms > 20 ? @alarms[ 0 .. 19 ] : @alarms;
printf $screen "%10s  %s\n", $total{$_} =~ /\./ ? sprintf('%.1f', $total{$_}) : $total{$_}, $_ foreach sort keys %total;
my %forgiven = map { $_ => 1 } @{ $option{forgive} };
my $findings = sum0(map { $found{$_} } grep { !$forgiven{$_} } keys %found) + @alarms + $broken;
print $screen "$findings findings\n";
$node->stop if !$install;
exit($findings == 0 && ($total{lives} // 0) > 0 ? 0 : 1);
