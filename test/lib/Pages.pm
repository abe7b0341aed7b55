# Blocks of the manual's pages: text to type, and what a page says comes out.
#
# A ```text block behind another block, under the same heading, is all that this one prints.  <!-- test: … --> is a command of
# psql that readers do not see, or a mark of the block that follows:
#
#	output varies		anything may be printed, but no complaint
#	numbers vary		numbers may be others
#	numbers are close	zeros stay zeros, and others are at least half, and at most twice, what is shown, or lie within one
#	needs EXTENSION		only servers that have it can run the block
package Pages;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(page_blocks start_session printed end_session fits check_block check_page);

my $complaint = qr/^(ERROR|WARNING|NOTICE|invalid command|\\\S+: )/m;
my $number = qr/\d+(?:\.\d+)?/;

# ---- Reading ----

# In the page's order: language, text and name of each, what it prints, if that is shown, and its marks.  A ```text block
# that no other prints is a block, too.
sub page_blocks
{
	my ($page) = @_;
	my (@blocks, $block, $last, %marks);
	my $line = 0;

	foreach (split /\n/, slurp_file($page))
	{
		$line++;
		if ($block && /^\s*```$/)
		{
			my $is_text = $block->{language} eq 'text';

			if ($is_text && $last)
			{
				$last->{shown} = $block->{text};
			}
			else
			{
				push @blocks, $block;
			}
			$last = $is_text ? undef : $block;
			undef $block;
		}
		elsif ($block)
		{
			$block->{text} .= s/^$block->{indent}//r . "\n";
		}
		elsif (/^(\s*)```(\w*)$/)
		{
			$block = { language => $2, indent => $1, text => '', line => $line, %marks };
			%marks = ();
		}
		elsif (/^<!-- test: (output varies|numbers vary|numbers are close) -->$/)
		{
			$marks{mark} = $1;
		}
		elsif (/^<!-- test: needs (\w+) -->$/)
		{
			$marks{needs} = $1;
		}
		elsif (/^<!-- test: (.*) -->$/)
		{
			push @blocks, { language => 'sql', text => "$1\n", line => $line, hidden => 1 };
			die "$page:$line: neither a mark nor a whole command" if $1 !~ /;$|\\/;
			undef $last;
		}
		elsif (/^#/)
		{
			undef $last;
		}
	}
	die "$page: a block has no end" if $block;
	die "$page: a mark has no block" if %marks;
	$_->{name} = sprintf '%s:%d: %s', $page, $_->{line}, $_->{text} =~ s/\n.*//sr foreach @blocks;
	return @blocks;
}

# ---- Running ----

# A session of psql, of whoever runs the server, and here, unless "user" and "directory" say otherwise.
sub start_session
{
	my ($node, $database, %options) = @_;
	my %session = (in => '', out => '', timeout => IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my @command = ('psql', '-X', '-q', '-P', 'pager=off', '-v', 'VERBOSITY=default', '-h', $node->host, '-p', $node->port, '-d', $database);
	my $directory = $options{directory} // '.';

	push @command, '-U', $options{user} if $options{user};
	$session{run} = IPC::Run::start(\@command, '<', \$session{in}, '>', \$session{out}, '2>&1',
		init => sub { chdir $directory or die "$directory: $!" }, $session{timeout});
	return \%session;
}

sub printed
{
	my ($session, $text) = @_;

	$session->{out} = '';
	$session->{in} .= "$text\n\\echo the end of a block\n";
	$session->{timeout}->start;
	IPC::Run::pump($session->{run}) until $session->{out} =~ /^the end of a block$/m;
	return $session->{out} =~ s/^the end of a block\n//mr;
}

sub end_session
{
	my ($session) = @_;

	$session->{in} .= "\\q\n";
	$session->{run}->finish;
	return;
}

# ---- Comparing ----

# Without the blanks that end psql's lines, and empty lines around.
sub trimmed
{
	return $_[0] =~ s/ +$//gmr =~ s/^\n+|\n+$//gr;
}

# Numbers, and so the widths of columns, do not count.
sub shape
{
	return $_[0] =~ s/$number/N/gr =~ s/-{2,}/--/gr =~ s/ +/ /gr;
}

# For texts of one shape.
sub numbers_are_close
{
	my ($printed, $shown) = @_;
	my @is = $printed =~ /$number/g;

	foreach my $was ($shown =~ /$number/g)
	{
		my $is = shift @is;

		return 0 if $was eq '0' ? $is ne '0' : abs($is - $was) > 1 && ($is < $was / 2 || $is > 2 * $was);
	}
	return 1;
}

sub fits
{
	my ($block, $printed) = @_;
	my $mark = $block->{mark} // '';

	return $printed !~ $complaint if !defined $block->{shown} || $mark eq 'output varies';
	my ($is, $was) = map { trimmed($_) } $printed, $block->{shown};
	return $is eq $was if $mark eq '';
	return shape($is) eq shape($was) && ($mark eq 'numbers vary' || numbers_are_close($is, $was));
}

sub check_block
{
	my ($block, $printed) = @_;

	ok(fits($block, $printed), $block->{name}) or diag("printed:\n$printed\nshown:\n" . ($block->{shown} // 'nothing'));
	return;
}

# Runs the page's SQL, at least so many blocks that readers see.
sub check_page
{
	my ($session, $page, $least, $needs_cron) = @_;
	my @blocks = grep { $_->{language} eq 'sql' } page_blocks($page);

	foreach (@blocks)
	{
	  SKIP:
		{
			skip "$_->{name}: pg_cron is not installed", 1 if $needs_cron && $_->{text} =~ $needs_cron;
			check_block($_, printed($session, $_->{text}));
		}
	}
	cmp_ok(scalar(grep { !$_->{hidden} } @blocks), '>=', $least, "$page has statements");
	return;
}

1;
