# Pages that explain methods show statements that work, and print what is shown: each in a database of its own, with the
# small table that test/data/small.sql has for it.
use Hospital;
use Pages;

my $node = new_server('explanation_pages');
my $small = slurp_file('test/data/small.sql');

foreach my $page (map { "docs/explanation/$_.md" } qw(bpg candidates m_distinct global sequential principles generalization))
{
	my ($database) = $page =~ m{/(\w+)\.md$};

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "SET client_min_messages = error; CREATE EXTENSION pprepub; $small");
	my $session = start_session($node, $database);
	check_page($session, $page, 1);
	end_session($session);
}
done_testing();
