# A headless Chromium, spoken to by its own protocol over two pipes: enough to look at a page as people do.
package Browser;

use strict;
use warnings;
use Carp qw(croak);
use File::Temp;
use JSON::PP;
use MIME::Base64;
use POSIX ();

# The program, or nothing where it is not installed.
sub program
{
	foreach my $path (qw(/usr/bin/chromium /usr/bin/chromium-browser))
	{
		return $path if -x $path;
	}
	return;
}

# Starts a browser and opens an empty page.
sub new
{
	my ($class) = @_;
	my $profile = File::Temp->newdir;
	pipe(my $read_commands, my $commands) or croak "pipe: $!";
	pipe(my $answers, my $write_answers) or croak "pipe: $!";
	my $pid = fork // croak "fork: $!";

	if ($pid == 0)
	{
		# It reads commands from 3 and writes answers to 4, where one of the pipes may stand already.
		open STDERR, '>', '/dev/null';
		POSIX::setsid();
		POSIX::dup2(fileno $read_commands, 20);
		POSIX::dup2(fileno $write_answers, 21);
		POSIX::dup2(20, 3);
		POSIX::dup2(21, 4);
		$ENV{HOME} = "$profile";
		no warnings 'exec';
		exec program(), '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
			'--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--remote-debugging-pipe', "--user-data-dir=$profile", 'about:blank';
		POSIX::_exit(1);
	}
	close $read_commands;
	close $write_answers;
	$commands->autoflush(1);
	my $self = bless { pid => $pid, profile => $profile, commands => $commands, answers => $answers, number => 0, session => undef }, $class;
	my $target = $self->call('Target.createTarget', { url => 'about:blank' })->{targetId};
	$self->{session} = $self->call('Target.attachToTarget', { targetId => $target, flatten => JSON::PP::true })->{sessionId};
	$self->call('Page.enable');
	return $self;
}

# Sends a command and returns its result; events that come before it are left out.
sub call
{
	my ($self, $method, $parameters) = @_;
	my $number = ++$self->{number};
	my $command = { id => $number, method => $method, params => $parameters // {} };

	$command->{sessionId} = $self->{session} if defined $self->{session};
	$self->{commands}->print(encode_json($command) . "\0");
	while (1)
	{
		local $/ = "\0";
		my $line = readline $self->{answers};
		croak "the browser has gone" if !defined $line;
		chomp $line;
		my $answer = decode_json($line);
		next if ($answer->{id} // 0) != $number;
		croak "$method: $answer->{error}{message}" if $answer->{error};
		return $answer->{result};
	}
}

# Opens a file, in a window of this size.
sub open_page
{
	my ($self, $file, $width, $height) = @_;

	$self->call('Emulation.setDeviceMetricsOverride', { width => $width, height => $height, deviceScaleFactor => 1, mobile => JSON::PP::false });
	$self->call('Page.navigate', { url => "file://$file" });
	for (1 .. 200)
	{
		last if $self->value('document.readyState') eq 'complete' && $self->value('location.href') ne 'about:blank';
		select undef, undef, undef, 0.05;
	}
	return;
}

# The value of an expression in the page.
sub value
{
	my ($self, $expression) = @_;

	return $self->call('Runtime.evaluate', { expression => $expression, returnByValue => JSON::PP::true })->{result}{value};
}

# Light or dark, screen or print.
sub media
{
	my ($self, $scheme, $media) = @_;

	$self->call('Emulation.setEmulatedMedia', { media => $media // 'screen', features => [ { name => 'prefers-color-scheme', value => $scheme } ] });
	return;
}

# A screen reader is told [role, name], but for what it ignores.
sub accessible
{
	my ($self) = @_;

	$self->call('Accessibility.enable');
	return map { [ $_->{role}{value}, $_->{name}{value} // '' ] } grep { !$_->{ignored} } @{ $self->call('Accessibility.getFullAXTree')->{nodes} };
}

# The whole page as PNG, and printed as PDF.
sub screenshot
{
	my ($self) = @_;

	return decode_base64($self->call('Page.captureScreenshot', { format => 'png', captureBeyondViewport => JSON::PP::true })->{data});
}

sub pdf
{
	my ($self) = @_;

	return decode_base64($self->call('Page.printToPDF', { preferCSSPageSize => JSON::PP::true })->{data});
}

sub DESTROY
{
	my ($self) = @_;

	local ($?, $!);
	kill 'KILL', -$self->{pid};	# it has children
	waitpid $self->{pid}, 0;
	return;
}

1;
