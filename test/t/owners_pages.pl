# Pages for owners and DBAs show statements that work, and print what is shown; and messages that
# docs/howto/troubleshooting.md explains are those of the source.
use File::Find;
use Hospital;
use Pages;

my $node = new_server('owners_pages');
my $has_cron = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_cron'}) eq '1';

$node->safe_psql('postgres', 'CREATE DATABASE owners');
if ($has_cron)
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.database_name = 'owners'\ncron.use_background_workers = on");
	$node->restart;
}
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") foreach qw(owner analyst);
$node->safe_psql('postgres', 'CREATE ROLE nurse LOGIN IN ROLE owner');

# ---- Pages ----

# The hospital of its owner.
sub make_hospital
{
	my ($database) = @_;

	$node->safe_psql($database, "CREATE EXTENSION pprepub; GRANT CREATE ON DATABASE $database TO owner; SET ROLE owner;\n" . slurp_file('test/data/hospital.sql'));
	return;
}

sub publish_hospital
{
	my ($database) = @_;

	$node->safe_psql($database, "SET ROLE owner;\n" . slurp_file('test/data/declare.sql') . <<'SQL');
SELECT pprepub.publish('patients');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients_now, published.patients_answers TO analyst;
SQL
	return;
}

# Each in a database of its own.
foreach my $name (qw(owners erasure several_rows parameters clinic providers))
{
	$node->safe_psql('postgres', "CREATE DATABASE $name") if $name ne 'owners';
	make_hospital($name);
	publish_hospital($name) if $name =~ /^(?:clinic|providers)$/;
	my $session = start_session($node, $name);
	check_page($session, sprintf('docs/howto/%s.md', $name eq 'clinic' ? 'dba' : $name), 2, $has_cron ? () : 'pg_cron');
	end_session($session);
}

$node->stop;

# ---- Messages ----

# Every string of the source, names and numbers in it being "…".
my %known;
sub know_strings
{
	my ($file) = @_;
	my $string = qr/"(?:[^"\\\n]|\\.)*"/;
	my $text = slurp_file($file) =~ s{^\s*#include.*$}{}gmr;

	while ($text =~ /($string(?:\s*(?:$string|\b[A-Z][A-Z0-9_]+\b))*)/g)
	{
		my $message = '';

		foreach my $part ($1 =~ /$string|[A-Z][A-Z0-9_]+/g)
		{
			$message .= $part =~ /^"(.*)"$/s ? $1 : '%s';
		}
		$message =~ s/\\(.)/$1/g;
		$message =~ s/%%|%[-+#0]*[\d.*]*(?:l|ll|z)?[sdugfcm]/$& eq '%%' ? '%' : '…'/ge;
		$known{$message} = 1;
	}
	return;
}

# format() has %s and its like, RAISE a plain %.
sub know_strings_of_sql
{
	my ($file) = @_;

	foreach my $message (slurp_file($file) =~ /'((?:[^'\n]|'')*)'/g)
	{
		$known{ $message =~ s/''/'/gr =~ s/%[sIL]?/…/gr } = 1;
	}
	return;
}

find({ no_chdir => 1, wanted => sub { /\.[ch]$/ ? know_strings($_) : /\.sql$/ ? know_strings_of_sql($_) : () } }, 'src');
cmp_ok(scalar(keys %known), '>', 1000, 'the source has strings');

my $trouble = 'docs/howto/troubleshooting.md';
my $messages = 0;
my $in_table = 0;
foreach (split /\n/, slurp_file($trouble))
{
	$in_table = /^\|/ && ($in_table || /^\| message \|/);
	next if !$in_table || /^\| message \|/ || /^\|-/;
	my ($cell) = /^\| (.*?) \|/;

	foreach my $message ($cell =~ /`([^`]*)`/g)
	{
		ok($known{$message}, "$trouble: $message");
		$messages++;
	}
}
cmp_ok($messages, '>', 35, 'messages are explained');
ok(!$known{'publication "…" is nobody\'s'}, 'a wrong one is noticed');

done_testing();
