# pg_upgrade from one version of PostgreSQL to the next, files copied or linked, and a dump of the oldest that the newest
# restores: publications, releases, answers, taxonomies and seals are as they were, and go on.
#
# PPREPUB_INSTALLATIONS: VERSION=DIRECTORY of each installation that has pprepub, from the oldest on.
use Hospital;
use Weeks;

my @installations = map { [ split /=/ ] } split ' ', $ENV{PPREPUB_INSTALLATIONS};
die "upgrade: needs two versions or more\n" if @installations < 2;
# Where the newest has no pg_cron yet, there are no schedules.
my $has_cron = -e "$installations[-1][1]/../../../share/postgresql/$installations[-1][0]/extension/pg_cron.control";

# A server of a version, that is not started.
sub server
{
	my ($name, $installation, $database, @extra) = @_;
	my ($version, $directory) = @$installation;
	my $node = PostgreSQL::Test::Cluster->new($name, install_path => $directory);

	push @extra, '--no-data-checksums' if $version >= 18;
	$node->init(extra => [ '-E', 'UTF8', '--no-locale', @extra ]);
	$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\nlog_statement = none");
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.database_name = '$database'") if $has_cron;
	return $node;
}

# All that there is, in words that do not depend on the version.
sub all_of
{
	my ($node) = @_;
	my $text = everything($node, 'postgres');
	my $names = join '|', @publications;

	$text =~ s/arwdDxtm/arwdDxt/g;
	$text =~ s/\b(?:answers|(?:$names)(?:_\w+)?)\.(?=\w)//g;
	return $text;
}

sub upgraded
{
	my ($old, $new, $from, $to, $mode) = @_;
	my $what = "$from->[0] to $to->[0], $mode";
	my $before = all_of($old);

	$old->stop;
	# It leaves its files where it runs.
	chdir PostgreSQL::Test::Utils::tempdir;
	$new->command_ok([ "$to->[1]/bin/pg_upgrade", "--$mode", '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir,
		'-b', "$from->[1]/bin", '-B', "$to->[1]/bin", '-s', $new->host, '-p', $old->port, '-P', $new->port ], "pg_upgrade, $what");

	# Logs stay where it failed.
	my @logs = glob $new->data_dir . '/pg_upgrade_output.d/*/log/pg_upgrade_dump*.log';
	BAIL_OUT(join "\n", map { slurp_file($_) =~ s/.*(?=.{2000})//sr } @logs) if @logs;
	$new->start;
	same_everything(all_of($new), $before, "$what: publications, releases and history are the same");
	goes_on($new, $what);
	return $new if !$has_cron;
	is($new->safe_psql('postgres', 'SET ROLE owner; SELECT cron, schedule_state FROM pprepub.health WHERE job IS NOT NULL'), '0 3 * * 1|waiting', "$what: the schedule stands");
	is($new->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.unschedule('patients'); SELECT count(*) FROM cron.job}) =~ s/^\n//r, '0', "$what: and can be ended");
	return $new;
}

# Minor versions of one day write options of columns that a newer version does not know, which stops pg_upgrade whatever
# tables there are.  They say nothing of ours.
sub forget_unknown_options
{
	my ($new, $old) = @_;
	my $options = $old->safe_psql('postgres', q{CREATE TABLE plain (x int); SELECT attoptions[1] FROM pg_attribute WHERE attrelid = 'plain'::regclass AND attname = 'x'; DROP TABLE plain});

	return if $options eq '';
	$new->start;
	my $status = $new->psql('postgres', "CREATE TABLE plain (x int); ALTER TABLE plain ALTER x SET ($options)");
	$new->safe_psql('postgres', 'DROP TABLE IF EXISTS plain');
	$new->stop;
	return if $status == 0;
	diag("$options is unknown to the newer version, and is taken out before the upgrade");
	$old->safe_psql($_, 'UPDATE pg_attribute SET attoptions = NULL WHERE attoptions IS NOT NULL') foreach qw(postgres template1);
	return;
}

my $newest = $installations[-1];
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
my $hops = 0;
my %upgraded;
foreach my $i (0 .. $#installations - 1)
{
	foreach my $j ($i + 1 .. $#installations)
	{
		my ($from, $to) = @installations[ $i, $j ];
		# From 15 to 17 to 18: the server that was upgraded once is upgraded again.
		my $old = $upgraded{ $from->[0] } // server("from_$from->[0]_to_$to->[0]", $from, 'postgres');
		my $new = server("to_$to->[0]_from_$from->[0]", $to, 'postgres');

		$old->start;
		if (!$upgraded{ $from->[0] })
		{
			fill($old, 1500);
			$old->safe_psql('postgres', q{CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO owner}) if $has_cron;
		}
		is($old->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.schedule('patients', '0 3 * * 1') > 0}), 't', 'a schedule') if $has_cron;
		# A dump wants pg_cron of 15 in schema public, which newer ones do not bear.
		$old->command_ok([ "$newest->[1]/bin/pg_dump", '-d', $old->connstr('postgres'), '-F', 'custom', '--exclude-extension=pg_cron', '-f', $dump ], "$newest->[0] dumps $from->[0]") if $hops == 0;
		forget_unknown_options($new, $old);
		upgraded($old, $new, $from, $to, $hops++ % 2 ? 'link' : 'copy')->stop;
		$upgraded{ $to->[0] } //= $new;
	}
}
cmp_ok($hops, '>=', @installations > 2 ? 2 : 1, 'both ways of pg_upgrade, if there are two to go');

my $other = server('restored', $newest, 'restored');
$other->start;
$other->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE restored');
$other->command_ok([ "$newest->[1]/bin/pg_restore", '-e', '-j', '3', '-d', $other->connstr('restored'), $dump ], 'and restores it');
is($other->safe_psql('restored', 'SELECT schedule_state FROM pprepub.health WHERE job IS NOT NULL'), 'gone', 'the schedule is known, and that pg_cron has none') if $has_cron;
is($other->safe_psql('restored', q{SELECT bool_and(holds) FROM pprepub.publication p, pprepub.audit(p.name) WHERE check_name = 'checksums'}), 't', 'releases are intact');
$other->safe_psql('restored', q{SET ROLE owner; SELECT pprepub.acknowledge_history(p.name) FROM pprepub.publication p});
is($other->safe_psql('restored', q{SET client_min_messages = error; SET ROLE owner; SELECT number > 0 FROM pprepub.publish('patients')}), 't', 'and a release follows');
is($other->safe_psql('restored', q{SET ROLE owner; SELECT p.name, check_name FROM pprepub.publication p, pprepub.audit(p.name) WHERE NOT holds}), '', 'audit');
$other->stop;

done_testing();
