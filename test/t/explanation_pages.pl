# Pages that explain methods show statements that work, and print what is shown: each in a database of its own, with the
# small table that test/data/small.sql has for it.
use Hospital;
use Pages;

my $node = new_server('explanation_pages');
my $small = slurp_file('test/data/small.sql');

foreach my $page (map { "docs/explanation/$_.md" } qw(bpg candidates m_distinct global sequential principles generalization promises))
{
	my ($database) = $page =~ m{/(\w+)\.md$};

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "SET client_min_messages = error; CREATE EXTENSION pprepub; $small");
	my $session = start_session($node, $database);
	check_page($session, $page, 1);
	end_session($session);
}

# ---- Tests that are said to stand against attacks are there ----

my @named = slurp_file('docs/explanation/promises.md') =~ /`(\w+\.(?:sql|pl))`/g;
my @missing = grep { !-e "test/pgtap/$_" && !-e "test/t/$_" } @named;
ok(@named > 20 && !@missing, scalar(@named) . ' tests are named, and exist') or diag("@missing");
done_testing();
