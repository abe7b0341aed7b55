# A release over shards that are clusters of this machine, against one publisher of the same rows: bench/sharded/run says which.
use Hospital;
use Time::HiRes qw(sleep time);

# Tests print into their logs.
my $out;
BEGIN { open $out, '>&', \*STDOUT or die }
$out->autoflush(1);

my $size = $ENV{SIZE} // 250000;
my @counts = sort { $a <=> $b } split / /, $ENV{SHARDS} // '1 2 4 8';
my $most = $counts[-1];
my $quasi_identifiers = '{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country", "marital_status": "taxonomy marital_status", "work_class": "taxonomy work_class", "race": "suppress"}';
my $params = '{"k": 10, "l": 3}';
my $people = 'id int, age int, sex text, education text, marital_status text, race text, work_class text, country text, occupation text, salary_class int';
my ($coordinator, @shards) = new_shards($most, rows => 0, sql => join '', map({ slurp_file("test/data/$_.sql") } qw(census census_levels)), q{
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,marital_status,work_class,country}'::text[]) name});

# ---- People ----

# Shard n has the nth of these parts, and the coordinator all, in one table and in parts of another.
my $file = $coordinator->basedir . '/people';
$coordinator->safe_psql('postgres', "GRANT CREATE ON SCHEMA public TO owner; COPY (SELECT * FROM census($most * $size)) TO '$file'; CREATE SCHEMA hospital AUTHORIZATION owner; SET ROLE owner; CREATE TABLE hospital.people ($people, PRIMARY KEY (id))");
$coordinator->safe_psql('postgres', "COPY hospital.people FROM '$file'; VACUUM ANALYZE hospital.people");
unlink $file;
foreach my $i (0 .. $most - 1)
{
	$coordinator->safe_psql('postgres', "COPY (SELECT * FROM hospital.people WHERE (id - 1) / $size = $i) TO '$file'");
	$shards[$i]->safe_psql('postgres', "SET ROLE owner; CREATE TABLE hospital.people ($people, PRIMARY KEY (id)); RESET ROLE; COPY hospital.people FROM '$file'");
	$shards[$i]->safe_psql('postgres', "VACUUM ANALYZE hospital.people; ALTER SYSTEM SET log_min_duration_statement = 0");
	$shards[$i]->reload;
	unlink $file;
}
my $hba = $coordinator->data_dir . '/pg_hba.conf';
append_to_file("$hba.new", "local all owner scram-sha-256\n" . slurp_file($hba));
rename "$hba.new", $hba;
$coordinator->reload;
$coordinator->safe_psql('postgres', sprintf q{CREATE SERVER self FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%d', dbname 'postgres'); GRANT USAGE ON FOREIGN SERVER self TO owner;
	CREATE USER MAPPING FOR owner SERVER self OPTIONS (user 'owner', password 'secret')}, $coordinator->host, $coordinator->port);

# ---- Measures ----

# Seconds of a publish(), and the memory of the largest process on these servers meanwhile, without what they share.
sub measure
{
	my ($name, @nodes) = @_;
	my $session = start_sql($coordinator, 'postgres', 'SET client_min_messages = error', 'SET ROLE owner', "SELECT number FROM pprepub.publish('$name')");
	my $start = time;
	my (%peak, $seconds);

	while ($session->{run}->pumpable)
	{
		IPC::Run::pump_nb($session->{run});
		foreach my $postmaster (map { $_->{_pid} } @nodes)
		{
			foreach my $pid (split / /, eval { slurp_file("/proc/$postmaster/task/$postmaster/children") } // '')
			{
				my ($high, $shared) = (eval { slurp_file("/proc/$pid/status") } // '') =~ /VmHWM:\s+(\d+).*RssShmem:\s+(\d+)/s or next;

				$peak{$pid} = $high - $shared if ($peak{$pid} // 0) < $high - $shared;
			}
		}
		sleep 0.01;
	}
	$seconds = time - $start;
	finish_sql($session) == 0 or die $session->{error};
	my @peaks = sort { $b <=> $a } values %peak;
	return { seconds => $seconds, largest => $peaks[0] / 1024 };
}

sub as_owner { return $coordinator->safe_psql('postgres', "SET client_min_messages = error; SET ROLE owner; $_[0]") }

# What cells lose, in percent of the domain of all people; release 1 of publications with as many people each.
sub loss
{
	my ($name, @nodes) = @_;
	my ($sum, $rows) = (0, 0);

	foreach my $node (@nodes)
	{
		foreach my $line (split /\n/, $node->safe_psql('postgres', "SELECT r.rows - r.counterfeits, m.value FROM pprepub.release r, pprepub.metrics(r.publication, r.number) m WHERE r.publication LIKE '$name%' AND r.number = 1 AND m.metric = 'loss_percent'"))
		{
			my ($shown, $loss) = split /\|/, $line;
			$sum += $shown * $loss;
			$rows += $shown;
		}
	}
	return $sum / $rows;
}

# Milliseconds of the longest of these commands on shards, since they were last asked.
my %read;
sub longest
{
	my ($command) = @_;
	my $longest = 0;

	foreach my $shard (@shards)
	{
		my $log = substr slurp_file($shard->logfile), $read{"$command $shard"} // 0;
		$read{"$command $shard"} += length $log;
		while ($log =~ /duration: ([\d.]+) ms  statement: $command/g) { $longest = $1 if $1 > $longest }
	}
	return $longest;
}

# Declares a publication, publishes twice, shows what that took, and drops it.
printf $out "\n%-34s %8s %8s %8s %8s %8s %9s %9s\n", '', 'first_s', 'again_s', 'ratio', 'MB', 'loss', 'PREP_ms', 'COMMIT_ms';
sub publish_twice
{
	my ($what, $name, $declaration, $against, @nodes) = @_;
	my ($first, $again);

	as_owner($declaration);
	longest($_) foreach 'PREPARE', 'COMMIT PREPARED';
	$first = measure($name, @nodes);
	my $loss = loss($name, @nodes);
	$again = measure($name, @nodes);
	$against //= $first;
	printf $out "%-34s %8.2f %8.2f %8.2f %8.0f %8.3f %9.1f %9.1f\n", $what, $first->{seconds}, $again->{seconds}, $first->{seconds} / $against->{seconds}, $first->{largest}, $loss, map { longest($_) } 'PREPARE', 'COMMIT PREPARED';
	as_owner("SELECT pprepub.drop_publication('$name', true)");
	return $first;
}

sub publisher
{
	my ($n) = @_;
	my $rows = $n * $size;

	as_owner("CREATE VIEW hospital.first_$n AS SELECT * FROM hospital.people WHERE id <= $rows");
	return publish_twice("$rows, one publisher", "one$n", "SELECT pprepub.create_publication('one$n', 'hospital.first_$n', 'id', '$quasi_identifiers', 'salary_class', params => '$params')", undef, $coordinator);
}

sub sharded
{
	my ($name, $n, $servers, $source, $shard) = @_;

	return "SELECT pprepub.create_sharded_publication('$name', '{$servers}', '$source', 'id', '$quasi_identifiers', 'salary_class', '$shard', params => '$params')";
}

foreach my $n (@counts)
{
	my $one = publisher($n);

	publish_twice("$n servers", "servers$n", sharded("servers$n", $n, join(',', map { "shard$_" } 0 .. $n - 1), 'hospital.people', "(id - 1) / $size"), $one, @shards[ 0 .. $n - 1 ]);
}

# Partitions of one server, as many people in all.
my $rows = $size * ($most < 4 ? $most : 4);
my $one;
foreach my $n (1, 2, 4)
{
	my $sources = join ',', map { "hospital.part${n}_$_" } 0 .. $n - 1;

	foreach my $i (0 .. $n - 1)
	{
		as_owner("CREATE TABLE hospital.part${n}_$i ($people, PRIMARY KEY (id)); INSERT INTO hospital.part${n}_$i SELECT * FROM hospital.people WHERE id <= $rows AND (id - 1) / ($rows / $n) = $i; ANALYZE hospital.part${n}_$i");
	}
	my $made = publish_twice("$rows, $n partitions", "parts$n", sharded("parts$n", $n, join(',', ('self') x $n), "{$sources}", "(id - 1) / ($rows / $n)"), $one, $coordinator);
	$one //= $made;
}
$_->stop('immediate') foreach $coordinator, @shards;
pass('measured');
done_testing();
