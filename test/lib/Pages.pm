# SQL of the manual's pages: what a page tells people to type, run by psql, and what it says comes out.
#
# ```sql is run.  A ```text block that follows it at once is all that psql prints; with <!-- test: output varies --> between
# them, what is printed may differ.  <!-- test: … --> elsewhere is a command of psql that readers do not see.  Blocks of
# other languages, and ```text elsewhere, are not run.
package Pages;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(page_blocks start_page printed end_page trimmed);

# In the page's order: text and line of each, what it prints, if that is shown, and whether readers see it.
sub page_blocks
{
	my ($page) = @_;
	my (@blocks, $block, $before);
	my $line = 0;
	my $varies = 0;

	foreach (split /\n/, slurp_file($page))
	{
		$line++;
		if ($block && /^\s*```$/)
		{
			if ($block->{language} eq 'sql')
			{
				push @blocks, $block;
				$before = $block;
			}
			elsif ($block->{language} eq 'text' && $before)
			{
				$before->{ $varies ? 'varies' : 'shown' } = $block->{text};
				undef $before;
			}
			undef $block;
			$varies = 0;
		}
		elsif ($block)
		{
			$block->{text} .= s/^$block->{indent}//r . "\n";
		}
		elsif (/^(\s*)```(\w*)$/)
		{
			$block = { language => $2, indent => $1, text => '', line => $line, seen => 1 };
		}
		elsif (/^<!-- test: output varies -->$/)
		{
			$varies = 1;
		}
		elsif (/^<!-- test: (.*) -->$/)
		{
			push @blocks, { text => "$1\n", line => $line, seen => 0 };
			undef $before;
		}
		elsif (/\S/)
		{
			undef $before;
		}
	}
	die "$page: a block has no end" if $block;
	return @blocks;
}

# A session of psql, of whoever runs the server.
sub start_page
{
	my ($node, $database) = @_;
	my %session = (in => '', out => '');

	$session{run} = IPC::Run::start([ 'psql', '-X', '-q', '-P', 'pager=off', '-v', 'VERBOSITY=default', '-h', $node->host, '-p', $node->port, '-d', $database ],
		'<', \$session{in}, '>', \$session{out}, '2>&1', IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%session;
}

sub printed
{
	my ($session, $text) = @_;

	$session->{out} = '';
	$session->{in} .= "$text\n\\echo the end of a block\n";
	IPC::Run::pump($session->{run}) until $session->{out} =~ /^the end of a block$/m;
	return $session->{out} =~ s/^the end of a block\n//mr;
}

sub end_page
{
	my ($session) = @_;

	$session->{in} .= "\\q\n";
	$session->{run}->finish;
	return;
}

# Without the blanks that end psql's lines, and empty lines around.
sub trimmed
{
	return $_[0] =~ s/ +$//gmr =~ s/^\n+|\n+$//gr;
}

1;
