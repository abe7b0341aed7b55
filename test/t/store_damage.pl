# Somebody writes into the files of a table of the access method pprepub while the server rests.  Whatever it was, there is an
# error that names table and group, or the rows are right; where the checksum was made to agree, there is an error of that
# kind or there are other values; and nobody dies of it.
#
# DAMAGE_ROUNDS=n has so many rounds.
use Hospital;
use Seed;

my $node = new_server('main');

# Checksums of pages, which are the default since 18, would find all damage before the access method does.
if ($node->safe_psql('postgres', 'SHOW data_checksums') eq 'on')
{
	$node->stop;
	$node->command_ok([ 'pg_checksums', '--disable', '-D', $node->data_dir ], 'pages have no checksums');
	$node->start;
}
my $groups = 80;
my $rounds = $ENV{DAMAGE_ROUNDS} // 3;

draw_seed();
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION pprepub;
CREATE TABLE damaged (id int, word text, code text COLLATE "C", amount int8, flag bool, share float8) USING pprepub;
CREATE INDEX ON damaged (id);
DO \$\$ BEGIN
	-- A session that has inserted many rows gets a group's numbers at once.
	INSERT INTO damaged SELECT generate_series(1, 20000);
	TRUNCATE damaged;
	FOR g IN 0 .. $groups - 1 LOOP
		INSERT INTO damaged SELECT i, CASE WHEN i % 7 > 0 THEN 'word ' || i % 13 END, md5(i::text), i * g, i % 3 = 0, i / 7.0
		FROM generate_series(g * 1100, g * 1100 + 1099) i;
	END LOOP;
END \$\$;
CREATE TABLE sound AS SELECT ctid AS place, * FROM damaged;
CREATE TABLE numbered AS SELECT group_number, row_number() OVER (ORDER BY group_number) - 1 AS g FROM pprepub.verify_storage('damaged');

-- The result of a query, or its error.
CREATE FUNCTION ask(query text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
	answer text;
BEGIN
	EXECUTE query INTO answer;
	RETURN coalesce(answer, 'nothing');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END \$\$;
CREATE FUNCTION place(row_number bigint) RETURNS tid LANGUAGE sql AS \$\$
	SELECT format('(%s,%s)', row_number / 291, row_number % 291 + 1)::tid
\$\$;
CREATE FUNCTION ask_group(t text, g int) RETURNS text LANGUAGE sql AS \$\$
	SELECT ask(format('SELECT md5(string_agg(ROW(id, word, code, amount, flag, share)::text, '','' ORDER BY id)) FROM %s WHERE %s >= %L AND %2\$s < %4\$L',
		t, CASE t WHEN 'sound' THEN 'place' ELSE 'ctid' END, place(group_number), place(group_number + 1100)))
	FROM numbered n WHERE n.g = ask_group.g
\$\$;
CREATE FUNCTION ask_row(t text, i int) RETURNS text LANGUAGE sql AS \$\$
	SELECT ask(format('SELECT ROW(id, word, code, amount, flag, share) FROM %s WHERE id = %s', t, i))
\$\$;
ALTER FUNCTION ask_row SET enable_seqscan = off;
ALTER FUNCTION ask_group SET enable_seqscan = off;
CREATE INDEX ON sound (id);
CREATE TABLE keyed (id int PRIMARY KEY, code text, EXCLUDE (id WITH =)) USING pprepub;
INSERT INTO keyed SELECT i, md5(i::text) FROM generate_series(1, 5000) i;
DO \$\$ BEGIN
	FOR n IN 1 .. 6 LOOP
		EXECUTE format('CREATE TABLE counted_%s (id int PRIMARY KEY) USING pprepub', n);
		EXECUTE format('INSERT INTO counted_%s SELECT generate_series(1, 1500)', n);
		EXECUTE format('INSERT INTO counted_%s SELECT generate_series(1501, 3000)', n);
	END LOOP;
END \$\$;
VACUUM (FREEZE, ANALYZE) sound;
VACUUM FREEZE;
SQL

my @firsts = split /\n/, $node->safe_psql('postgres', 'SELECT group_number FROM numbered ORDER BY g');
is(scalar @firsts, $groups, 'there are as many groups as statements');

sub file_of
{
	my ($table) = @_;

	return $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE oid = '$table'::regclass");
}

sub file_of_counters
{
	my ($table) = @_;

	return $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$table')");
}

my $file = file_of('damaged');
my $keyed = file_of('keyed');
my @counters = ('', map { file_of_counters("counted_$_") } 1 .. 6);
$node->stop;
my $good = slurp_file($file, 0);

# ---- Chunks in the file ----

my @table = map { my $c = $_; $c = $c & 1 ? $c >> 1 ^ 0x82F63B78 : $c >> 1 foreach 1 .. 8; $c } 0 .. 255;

sub crc32c
{
	my $crc = 0xFFFFFFFF;

	$crc = $table[($crc ^ $_) & 255] ^ $crc >> 8 foreach unpack 'C*', $_[0];
	return $crc ^ 0xFFFFFFFF;
}

# Where each group's chunks have their data: [offset, length, part], the header's first.
sub chunks
{
	my ($bytes) = @_;
	my %chunks;

	for (my $page = 0; $page < length $bytes; $page += 8192)
	{
		my $lower = unpack 'v', substr $bytes, $page + 12, 2;

		for (my $at = $page + 24; $at < $page + $lower; $at += 4)
		{
			my $pointer = unpack 'V', substr $bytes, $at, 4;
			my ($offset, $flags, $length) = ($pointer & 0x7FFF, $pointer >> 15 & 3, $pointer >> 17);
			next if $flags != 1;
			my $header = ord substr $bytes, $page + $offset + 22, 1;
			my $data = $page + $offset + $header;
			my ($id, $seq) = unpack 'VV', substr $bytes, $data, 8;
			push @{ $chunks{ $id * 291 + ($seq >> 22) } }, [ $data, $length - $header, $seq & 0x3FFFFF ];
		}
	}
	return map { $_ => [ sort { $b->[2] <=> $a->[2] } @{ $chunks{$_} } ] } keys %chunks;
}

my %chunks = chunks($good);
my ($header, $reservation) = (0x3FFFFF, 0x3FFFFE);
is(join(' ', sort { $a <=> $b } keys %chunks), join(' ', @firsts), 'their chunks are found in the file');
my ($sample) = $chunks{ $firsts[3] }[0];
is(crc32c(substr($good, $sample->[0], 8) . substr($good, $sample->[0] + 16, $sample->[1] - 16)),
	unpack('V', substr $good, $sample->[0] + 12, 4), 'and their checksums are known');

sub write_file
{
	my ($bytes, $where) = @_;

	open my $handle, '+<', $where // $file or die $!;
	binmode $handle;
	print $handle $bytes or die $!;
	close $handle or die $!;
	return;
}

sub any { return $_[ int rand @_ ] }

# A number at the edge of something, or any, in so many bytes.
sub bytes_of_number
{
	my $width = any(1, 2, 4, 8);
	my $number = any(0, 1, 2, 7, 8, 40, 63, 64, 1023, 1024, 1100, 8072, 8112, 16384, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF,
		0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, int rand 2**31);

	return substr pack('Q<', $number), 0, $width;
}

sub agree
{
	my ($bytes, $chunk) = @_;
	my ($data, $length) = @$chunk;

	substr($$bytes, $data + 12, 4) = pack 'V', crc32c(substr($$bytes, $data, 8) . substr($$bytes, $data + 16, $length - 16));
	return;
}

# Changes the chunk's own bytes and makes its checksum agree.
sub forge
{
	my ($bytes, $chunk) = @_;
	my ($data, $length, $part) = @$chunk;

	for (1 .. any(1, 1, 2, 4))
	{
		my $reach = $length - 24;
		$reach = any(40, 40 + 6 * 48, $reach) if $part == $header;
		$reach = $length - 24 if $reach > $length - 24;
		my $new = bytes_of_number();
		my $at = int rand($reach - length($new) + 1);
		$at -= $at % length $new if rand() < 0.8;
		substr($$bytes, $data + 24 + $at, length $new) = $new;
	}
	agree($bytes, $chunk);
	return;
}

# ---- What is said of it ----

my $error = qr/^XX001 (?:column "\w+" of )?group \d+ of table "damaged" is damaged$/;

sub answers
{
	my ($function, @of) = @_;

	return split /\n/, $node->safe_psql('postgres', "SELECT $function('damaged', g) FROM unnest('{" . join(',', @of) . "}'::int[]) WITH ORDINALITY u(g, n) ORDER BY n");
}

sub right
{
	my ($function, @of) = @_;

	return split /\n/, $node->safe_psql('postgres', "SELECT $function('sound', g) FROM unnest('{" . join(',', @of) . "}'::int[]) WITH ORDINALITY u(g, n) ORDER BY n");
}

# Whole-table commands end in that error, or not.
sub commands_survive
{
	my ($when) = @_;

	foreach my $command ('SELECT count(*), sum(amount), count(word), max(code), bool_or(flag), sum(share) FROM damaged',
		'SELECT word, flag, count(*), max(code), avg(amount) FROM damaged WHERE length(code) > 3 GROUP BY word, flag',
		'SELECT code, count(*), min(share) FROM damaged GROUP BY code', 'SELECT count(*), min(id), max(amount) FROM damaged WHERE id > 10000',
		'SELECT count(*) FROM damaged', 'SELECT sum(id) FROM damaged WHERE id > 40000', q{SELECT count(*) FROM damaged WHERE code < '1'},
		'SELECT count(code) FROM damaged TABLESAMPLE BERNOULLI (5)', 'ANALYZE damaged', 'VACUUM damaged',
		'SELECT * FROM pprepub.storage', 'CREATE INDEX ON damaged (code)',
		'BEGIN; VACUUM FULL damaged', 'BEGIN; ALTER TABLE damaged ALTER id TYPE bigint; ROLLBACK')
	{
		my ($status, undef, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$command");
		my $good_end = $status == 0 || $stderr =~ /ERROR:  XX001: .*of table "\w+" is damaged/ || $command =~ /VACUUM FULL/;

		ok($good_end, "$command, $when") or diag($stderr);
	}
	return;
}

sub nobody_died
{
	my ($when) = @_;

	unlike(slurp_file($node->logfile), qr/terminated by signal|TRAP|PANIC|terminating any other/, "nobody died $when");
	return;
}

# ---- A bit here and there ----

for my $round (1 .. $rounds)
{
	my $bytes = $good;
	my (@hurt, @reserved);

	# Every second group; of some of them only the reservation, which no reader needs.
	for (my $g = 1; $g < $groups; $g += 2)
	{
		my @own = @{ $chunks{ $firsts[$g] } };
		my $chunk = any(@own);
		# The chunk's own number is damaged as often as what it holds.
		my $at = $chunk->[0] + int rand(any(8, 24, $chunk->[1]));

		substr($bytes, $at, 1) = chr(ord(substr $bytes, $at, 1) ^ 1 << int rand 8);
		push @{ $chunk->[2] == $reservation ? \@reserved : \@hurt }, $g;
	}
	write_file($bytes);
	$node->start;
	my @said = answers('ask_group', @hurt);
	is(join("\n", grep { $_ !~ $error } @said), '', "every damaged group is an error, round $round");
	my @rows = map { $_ * 1100 + int rand 1100 } @hurt;
	my @right = right('ask_row', @rows);
	@said = answers('ask_row', @rows);
	is(join("\n", grep { $said[$_] ne $right[$_] && $said[$_] !~ $error } 0 .. $#said), '', 'a row of it is right, or an error');
	my @whole = (@reserved, grep { $_ % 2 == 0 } 0 .. $groups - 1);
	is(join("\n", answers('ask_group', @whole)), join("\n", right('ask_group', @whole)), 'all others are right');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.verify_storage('damaged') WHERE NOT holds}), @hurt + @reserved,
		'verify_storage() finds as many');
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.verify_storage('damaged') JOIN numbered USING (group_number) WHERE NOT holds AND g % 2 = 0}), 0,
		'and no others');
	commands_survive("with bits changed, round $round");
	nobody_died("of changed bits, round $round");
	$node->stop;
}

# ---- Whole numbers, and the checksum agrees ----

for my $round (1 .. $rounds)
{
	my $bytes = $good;

	# Headers rather than what follows.
	forge(\$bytes, rand() < 0.7 ? $chunks{$_}[0] : any(@{ $chunks{$_} })) foreach @firsts;
	write_file($bytes);
	$node->start;
	my @said = (answers('ask_group', 0 .. $groups - 1), answers('ask_row', map { $_ * 1100 + 17 } 0 .. $groups - 1),
		answers('ask_row', map { $_ * 1100 + 1099 } 0 .. $groups - 1));
	is(join("\n", grep { /^[0-9A-Z]{5} / && $_ !~ $error } @said), '', "no other errors than damage, round $round");
	$node->safe_psql('postgres', q{SELECT count(*) FROM pprepub.verify_storage('damaged')});
	commands_survive("with forged chunks, round $round");
	nobody_died("of forged chunks, round $round");
	$node->stop;
}

# ---- Bounds that do not hold ----

# A group's header chunk has the GroupHeader, the entries of its columns, then bounds (layout.h): the least of an integer becomes
# more, the greatest of one less, the least of a text more.
{
	my $bytes = $good;
	my %change = (
		3 => [ 0, sub { my ($least, $greatest) = @_; substr($bytes, $least, 8) = pack 'q<', 1 + unpack 'q<', substr $bytes, $least, 8 } ],
		5 => [ 3, sub { my ($least, $greatest) = @_; substr($bytes, $greatest, 8) = pack 'q<', unpack('q<', substr $bytes, $greatest, 8) - 1 } ],
		7 => [ 2, sub { my ($least, $greatest) = @_; substr($bytes, $least + 1, 1) = 'g' } ]);

	foreach my $g (keys %change)
	{
		my ($column, $forge) = @{ $change{$g} };
		my $chunk = $chunks{ $firsts[$g] }[0];
		my $group = $chunk->[0] + 24 + 24;
		my ($order, $least_length, $greatest_length, $unused, $bounds) = unpack 'v4V', substr $bytes, $group + 40 * $column + 24, 12;

		$forge->($group + $bounds, $group + $bounds + ($least_length + 7 & ~7));
		agree(\$bytes, $chunk);
	}
	write_file($bytes);
	$node->start;
	is($node->safe_psql('postgres', q{SELECT g, check_name, detail FROM pprepub.verify_storage('damaged') JOIN numbered USING (group_number) WHERE NOT holds ORDER BY g}),
		join("\n", map { "$_->[0]|columns|Column \"$_->[1]\": A value lies outside of its bounds." } [ 3, 'id' ], [ 5, 'amount' ], [ 7, 'code' ]),
		'verify_storage() names groups and columns with bounds that do not hold');
	is(join("\n", answers('ask_group', 3, 5, 7)), join("\n", right('ask_group', 3, 5, 7)), 'whoever skips nothing reads them');
	$node->stop;
}

# ---- Who looks for duplicates ----

# An index that checks for duplicates holds a page meanwhile, so nothing is decoded then: a duplicate of a row whose values are
# damaged is one.  Who wants to see the row, as exclusion constraints do, sees the damage.
{
	my $bytes = slurp_file($keyed, 0);
	my %of = chunks($bytes);

	substr($bytes, $_->[0] + 100, 1) ^= chr 1 foreach grep { $_->[2] < $reservation } map { @$_ } values %of;
	write_file($bytes, $keyed);
	$node->start;
	fails_with($node, 'postgres', '23505', q{INSERT INTO keyed VALUES (4000, 'again')}, 'a duplicate of a damaged row is one');
	$node->safe_psql('postgres', 'ALTER TABLE keyed DROP CONSTRAINT keyed_pkey');
	fails_with($node, 'postgres', 'XX001', q{INSERT INTO keyed VALUES (4000, 'again')}, 'an exclusion constraint reads the row');
	$node->safe_psql('postgres', q{INSERT INTO keyed VALUES (5001, 'new')});
	$node->stop;
}

write_file($good);

# ---- The metapage ----

# A bit of each counter, of the checksum, and of where the header says that they end; then what agrees with its checksum, and a page of zeros.
{
	my %flip = (1 => 40, 2 => 32, 3 => 48, 4 => 12);
	my $refused = qr/^XX001 the metapage of table "counted_\d" is damaged$/;

	foreach my $n (sort keys %flip)
	{
		my $bytes = slurp_file($counters[$n], 0);
		substr($bytes, $flip{$n} + ($n == 1), 1) ^= chr($n == 4 ? 16 : 4);
		write_file($bytes, $counters[$n]);
	}
	my $bytes = slurp_file($counters[5], 0);
	is(crc32c(substr $bytes, 24, 24), unpack('V', substr $bytes, 48, 4), 'the checksum of a metapage is known');
	substr($bytes, 40, 8) = pack 'Q<', 1500;
	substr($bytes, 48, 4) = pack 'V', crc32c(substr $bytes, 24, 24);
	write_file($bytes, $counters[5]);
	write_file("\0" x 8192, $counters[6]);
	$node->start;
	foreach my $n (sort keys %flip)
	{
		foreach my $query ("SELECT count(*) FROM counted_$n", "SELECT id FROM counted_$n WHERE id = 7", "SELECT * FROM pprepub.verify_storage('counted_$n')")
		{
			like($node->safe_psql('postgres', "SELECT ask(\$q\$$query\$q\$)"), $refused, "a flipped bit at $flip{$n}: $query");
		}
		fails_with($node, 'postgres', 'XX001', "INSERT INTO counted_$n VALUES (4000)", 'nothing is inserted there');
	}
	is($node->safe_psql('postgres', q{SELECT DISTINCT check_name, holds, detail FROM pprepub.verify_storage('counted_5') ORDER BY holds}),
		"numbers|f|Its rows have numbers that do not count any more.\nall|t|", 'groups that are hidden are told');
	is($node->safe_psql('postgres', q{SELECT DISTINCT check_name, holds, detail FROM pprepub.verify_storage('counted_6')}),
		'numbers|f|Its rows have numbers that were never given.', 'also where no counter is left');
	is($node->safe_psql('postgres', q{BEGIN; TRUNCATE counted_5; SELECT count(*) FROM pprepub.verify_storage('counted_5'); INSERT INTO counted_5 VALUES (1); SELECT check_name, holds FROM pprepub.verify_storage('counted_5'); COMMIT}),
		"0\nall|t", 'a table that was truncated hides nothing');
	$node->stop;
}

$node->start;
is(join("\n", answers('ask_group', 0 .. $groups - 1)), join("\n", right('ask_group', 0 .. $groups - 1)), 'undone, all is right');
$node->stop;
done_testing();
