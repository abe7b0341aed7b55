# Pages for auditors show statements that work, and print what is shown.
#
# Pages run as the owner of a hospital, each in a database of its own.  Numbers of some vary: lots are drawn where people leave.
use Hospital;
use Pages;

my $node = new_server('auditors_pages');
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE officer LOGIN');

# ---- Hospitals ----

# Databases from which those of pages are copied: with nothing, with a hospital that has published nothing, and with one after
# five weeks and an answer.
my $declared = slurp_file('test/data/hospital.sql') . slurp_file('test/data/declare.sql');

sub make_database
{
	my ($name, $template) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE $template");
	$node->safe_psql('postgres', "GRANT CREATE ON DATABASE $name TO owner");
	return;
}

# Runs SQL as the owner, who has logged in: answers are given to such.
sub as_owner
{
	my ($database, $sql) = @_;

	$node->safe_psql($database, $sql, extra_params => [ '-U', 'owner' ]);
	return;
}

make_database('bare', 'template0');
$node->safe_psql('bare', 'CREATE EXTENSION pprepub; GRANT CREATE ON SCHEMA public TO owner');
make_database('declared', 'bare');
as_owner('declared', $declared);
make_database('published', 'bare');
as_owner('published', $declared . <<'SQL');
SELECT pprepub.publish('patients');
SELECT count(*) FROM published.patients_now WHERE sex = 'F' AND age >= 65;
DO $$
BEGIN
	FOR week IN 2 .. 5 LOOP
		CALL hospital.pass_week(week);
		PERFORM pprepub.publish('patients');
	END LOOP;
END $$;
SQL

# ---- Pages ----

my @pages = (
	[ 'docs/howto/auditors.md', 'published' ],
	[ 'docs/howto/audit.md', 'published' ],
	[ 'docs/howto/linkability.md', 'declared' ],
	[ 'docs/howto/risks.md', 'published' ],
	[ 'docs/explanation/formats.md', 'bare' ],
	[ 'docs/explanation/methods.md', 'declared' ],
	[ 'docs/reference/metrics.md', 'bare' ],
	[ 'docs/reference/parameters.md', 'declared' ]);
foreach (@pages)
{
	my ($page, $template) = @$_;
	my ($database) = $page =~ m{/(\w+)\.md$};

	make_database($database, $template);
	my $session = start_session($node, $database, user => 'owner');
	check_page($session, $page, 1);
	end_session($session);
}

# ---- docs/howto/audit.md explains each check that there is ----

my %explained = map { $_ => 1 } map { /^\| (`[^|]*) \|/ ? $1 =~ /`([^`]+)`/g : () } split /\n/, slurp_file('docs/howto/audit.md');
my $sources = '';
foreach my $file (glob 'src/check/*.c src/method/*/sql/*.c')
{
	$sources .= slurp_file($file);
}
my %checks = map { $_ => 1 } map { /"([^"]+)"/g } $sources =~ /add_(?:failed_|open_)?check\(audit,((?:\s*\w+ \?)?\s*"[^"]+"(?: : "[^"]+")?),/g;
cmp_ok(scalar(keys %checks), '>', 20, 'checks of the sources');
is(join(', ', grep { !$explained{$_} } sort keys %checks), '', 'each is explained');

$node->stop;
done_testing();
