# Random SQL that is run twice: on tables of heap, and on tables of pprepub.  All it
# prints must be equal.
package Twins;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(random_script);

# Types of columns, and how a value of each is made from an integer expression.
my @types = (
	[ 'int',              sub { "($_[0] % " . any(5, 1000, 100000) . ')::int' } ],
	[ 'bigint',           sub { "($_[0]::bigint * " . any(1, 1234567890123) . ')' } ],
	[ 'smallint',         sub { "($_[0] % 100)::smallint" } ],
	[ 'text',             sub { "('v' || $_[0] % " . any(3, 200, 100000) . ')' } ],
	[ 'text',             sub { "repeat(chr(97 + $_[0] % 26), $_[0] % " . any(10, 300) . ')' } ],
	[ 'text COLLATE "C"', sub { "md5(($_[0])::text)" } ],
	[ 'varchar(20)',      sub { "left(md5(($_[0] % 50)::text), 20)::varchar(20)" } ],
	[ 'char(7)',          sub { "('c' || $_[0] % 40)::char(7)" } ],
	[ 'boolean',          sub { "($_[0] % 3 = 0)" } ],
	[ 'numeric',          sub { "($_[0] / " . any('3.0', '8.0', '1') . ')' } ],
	[ 'numeric(12,2)',    sub { "($_[0] / 7.0)::numeric(12,2)" } ],
	[ 'float8',           sub { "($_[0] / 3.0)::float8" } ],
	[ 'real',             sub { "($_[0] % 17 / 4.0)::real" } ],
	[ 'date',             sub { "(date '2000-01-01' + ($_[0] % 9000)::int)" } ],
	[ 'timestamp',        sub { "(timestamp '2000-01-01' + $_[0] * interval '37 seconds')" } ],
	[ 'timestamptz',      sub { "(timestamptz '2000-01-01 UTC' + $_[0] % 50 * interval '1 day')" } ],
	[ 'uuid',             sub { "md5(($_[0] % 700)::text)::uuid" } ],
	[ 'interval',         sub { "($_[0] % 90 * interval '1 minute')" } ],
	[ 'int4range',        sub { "int4range(($_[0] % 50)::int, ($_[0] % 50 + 5)::int)" } ],
	[ 'int[]',            sub { "ARRAY[$_[0], $_[0] % 3]::int[]" } ],
	[ 'text[]',           sub { "ARRAY['a' || $_[0] % 9, NULL]" } ],
	[ 'jsonb',            sub { "jsonb_build_object('k', $_[0] % 30)" } ],
	[ 'bytea',            sub { "decode(md5(($_[0])::text), 'hex')" } ],
	[ 'name',             sub { "('n' || $_[0] % 60)::name" } ],
	[ 'oid',              sub { "($_[0] % 5000)::int::oid" } ],
	[ '"char"',           sub { "chr((65 + $_[0] % 26)::int)::\"char\"" } ],
	[ 'inet',             sub { "('10.0.' || $_[0] % 200 || '.1')::inet" } ],
	[ 'twin_pair',        sub { "ROW($_[0], 'p' || $_[0] % 4)::twin_pair" } ],
	[ 'twin_mood',        sub { "(enum_range(NULL::twin_mood))[1 + $_[0] % 3]" } ]);

my %ordered = map { $_ => 1 } ('int', 'bigint', 'smallint', 'text', 'text COLLATE "C"', 'varchar(20)', 'numeric',
	'numeric(12,2)', 'float8', 'real', 'date', 'timestamp', 'timestamptz', 'uuid', 'oid', 'boolean');

sub any { return $_[ int rand @_ ] }
sub number { my ($low, $high) = @_; return $low + int rand($high - $low + 1) }

# A table of the script: its columns by name, and what an INSERT's SELECT says.
my ($table, %column, $next);

sub values_of
{
	my ($name) = @_;
	my $value = $column{$name}{make}->('i');

	return $column{$name}{nulls} ? "CASE WHEN i % $column{$name}{nulls} = 0 THEN NULL ELSE $value END" : $value;
}

sub add_column
{
	my ($name) = @_;
	my $type = any(@types);

	$column{$name} = { type => $type->[0], make => $type->[1], nulls => any(0, 0, 2, 7, 1) };
	return "$name $type->[0]";
}

sub names { return sort keys %column }

# Two tables are equal by every row, its place in the order, and some figures.
sub everything
{
	my @names = names();

	return ("SELECT count(*), md5(coalesce(string_agg(md5(x::text), ',' ORDER BY id, x::text), '')) FROM $table x;",
		"SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;",
		"SELECT count(*) FROM (SELECT ctid AS this, lag(ctid) OVER () AS before FROM $table) x WHERE before >= this;",
		"RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_indexonlyscan;",
		map { "SELECT count(*), count($_), count(DISTINCT $_\::text) FROM $table;" } @names);
}

sub insertion
{
	my $rows = any(1, 1, 1, 2, 10, 300, 1500, 5000, 20000);
	my ($low, $high) = ($next, $next + $rows - 1);

	$next += $rows;
	my @names = names();
	return ("INSERT INTO $table (id" . join('', map { ", $_" } @names) . ') SELECT i' .
		join('', map { ', ' . values_of($_) } @names) . " FROM generate_series($low, $high) i" .
		(rand() < 0.3 ? ' ORDER BY i DESC' : '') . ';');
}

# A value of the column, as SQL.
sub constant
{
	my ($name) = @_;
	my $i = number(1, $next + 10);

	return "(SELECT " . $column{$name}{make}->('i') . " FROM (SELECT $i AS i) s)" if rand() < 0.3;
	return $column{$name}{make}->("($i)");
}

sub condition
{
	my @comparable = grep { $ordered{ $column{$_}{type} } } names();
	my $name = @comparable ? any(@comparable) : 'id';
	my $value = $name eq 'id' ? number(0, $next) : constant($name);

	return any("$name IS NULL", "$name IS NOT NULL") if rand() < 0.15;
	return "$name = ANY (ARRAY[" . join(', ', $value, map { $name eq 'id' ? number(0, $next) : constant($name) } 1 .. 2) . '])'
	  if rand() < 0.2;
	return "$value " . any('<', '<=', '=', '>', '>=') . " $name" if rand() < 0.2;
	return "$name " . any('<', '<=', '=', '=', '>', '>=', '<>') . " $value";
}

sub query
{
	my $where = join any(' AND ', ' AND ', ' OR '), map { condition() } 1 .. number(1, 3);
	my $name = any('id', names());

	return aggregation() if rand() < 0.4;
	return any(
		"SELECT count(*), min(id), max(id), sum(id) FROM $table WHERE $where;",
		"SELECT count(*), count(DISTINCT $name\::text) FROM $table WHERE $where;",
		"SELECT id, $name FROM $table WHERE $where ORDER BY id LIMIT " . number(1, 20) . ';',
		"SELECT * FROM $table WHERE $where ORDER BY id DESC LIMIT 3;",
		"SELECT * FROM $table WHERE id = " . number(0, $next) . ';',
		"SELECT count(*) FROM $table a JOIN $table b USING (id) WHERE a.id % 7 = 0;",
		"SELECT $name\::text, count(*) FROM $table GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5;");
}

# A value as it is shown: equal numerics may be written in several ways.
sub shown
{
	my ($name, $value) = @_;

	return $name ne 'id' && $column{$name}{type} =~ /numeric/ ? "trim_scale($value)" : $value;
}

my %summed = map { $_ => 1 } ('int', 'bigint', 'smallint');
my %unordered = map { $_ => 1 } ('uuid', 'boolean');

# Aggregates, of all rows or by some columns, with conditions of every kind.
sub aggregation
{
	my @keys = rand() < 0.6 ? map { any('id', names()) } 1 .. number(1, 2) : ();
	my @shown = map { shown($_, $_) } @keys;
	my @where = map { rand() < 0.7 ? condition() : 'length(' . any('id', names()) . '::text) > ' . number(0, 9) } 1 .. number(0, 2);

	for my $name (map { any('id', names()) } 1 .. number(1, 4))
	{
		my $type = $name eq 'id' ? 'bigint' : $column{$name}{type};

		push @shown, "count($name)", any('count(*)', 'count(1)');
		push @shown, map { shown($name, "$_($name)") } 'min', 'max' if $type eq 'bigint' || $ordered{$type} && !$unordered{$type};
		push @shown, any("sum($name)", "avg($name)") if $summed{$type};
	}
	return 'SELECT ' . join(', ', @shown) . " FROM $table" . (@where ? ' WHERE ' . join(' AND ', @where) : '') .
	  (@keys ? ' GROUP BY ' . join(', ', @keys) . ' ORDER BY ' . join(', ', 1 .. @shown) : '') .
	  (@keys ? ' LIMIT 300' : any('', ' HAVING count(*) > 10')) . ';';
}

# In which order a heap has its rows is its own affair: the function holds them against their TIDs.
sub cursor
{
	my $moves = join ', ', map { any(1, -1, 5, -3, 3000, -2500, 1000000, -1000000, 0) } 1 .. number(2, 12);

	return ('SET enable_indexscan = off; SET enable_bitmapscan = off;',
		"SELECT twin_cursor('$table', " . (rand() < 0.5 ? "\$\$" . condition() . "\$\$" : "'true'") . ", ARRAY[$moves]);",
		'RESET enable_indexscan; RESET enable_bitmapscan;');
}

sub transaction
{
	my @lines = ('BEGIN;');
	my $depth = 0;

	for (1 .. number(2, 10))
	{
		my $what = rand;

		if ($what < 0.35) { push @lines, insertion() }
		elsif ($what < 0.5) { $depth++; push @lines, "SAVEPOINT s$depth;" }
		elsif ($what < 0.65 && $depth > 0) { push @lines, "ROLLBACK TO s$depth;"; }
		elsif ($what < 0.75 && $depth > 0) { push @lines, "RELEASE s$depth;"; $depth-- }
		elsif ($what < 0.8) { push @lines, "SELECT twin_insert('$table', $next, " . any(3, 5, 8) . ');'; $next += 10 }
		elsif ($what < 0.83) { push @lines, "TRUNCATE $table;" }
		else { push @lines, query() }
	}
	my $name = 'p' . number(1, 1000000);
	push @lines, any('COMMIT;', 'COMMIT;', 'COMMIT;', 'ROLLBACK;', "PREPARE TRANSACTION '$name';");
	push @lines, any("COMMIT PREPARED '$name';", "ROLLBACK PREPARED '$name';") if $lines[-1] =~ /^PREPARE/;
	return @lines;
}

my $indexes;

sub change
{
	my @names = names();
	my $name = any(@names);
	my $what = rand;

	if ($what < 0.2)
	{
		my $new = 'x' . number(1, 100000);

		return () if $column{$new};
		my $definition = add_column($new);
		return ("ALTER TABLE $table ADD COLUMN $definition" .
			any('', ' DEFAULT ' . $column{$new}{make}->(5), ' DEFAULT ' . $column{$new}{make}->('(random() * 0 + 7)::int')) . ';');
	}
	if ($what < 0.3 && @names > 2)
	{
		delete $column{$name};
		return ("ALTER TABLE $table DROP COLUMN $name;");
	}
	return ("CREATE INDEX ON $table USING " . any('btree (id)', 'hash (id)', 'btree (id DESC)') . any('', ' WHERE id % 2 = 0') . ';')
	  if $what < 0.45;
	if ($what < 0.55 && $ordered{ $column{$name}{type} })
	{
		return ('CREATE INDEX ' . any('', 'CONCURRENTLY ') . "ON $table ($name);");
	}
	return ("ALTER TABLE $table ALTER id TYPE " . any('bigint', 'numeric', 'bigint USING id::bigint') . ';',
		"ALTER TABLE $table ALTER id TYPE bigint;") if $what < 0.6;
	return ("REINDEX TABLE " . any('', 'CONCURRENTLY ') . "$table;") if $what < 0.65;
	return ("VACUUM $table;") if $what < 0.72;
	return ("VACUUM (FREEZE, ANALYZE) $table;") if $what < 0.76;
	return ("VACUUM FULL $table;") if $what < 0.84;
	return ("ANALYZE $table;") if $what < 0.98;
	return ("TRUNCATE $table;");
}

# Both databases have these.
sub preamble
{
	return (<<'SQL', );
SET client_min_messages = error;
SET extra_float_digits = 0;
CREATE TYPE twin_pair AS (x bigint, y text);
CREATE TYPE twin_mood AS ENUM ('calm', 'glad', 'sad');
-- Inserts from inside of subtransactions, some of which fail, while a statement inserts.
CREATE FUNCTION twin_row(tab text, i bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	BEGIN
		EXECUTE format('INSERT INTO %s (id) VALUES ($1)', tab) USING -i;
		EXECUTE format('SELECT count(*) FROM %s WHERE id <= -$1 + 3 AND id >= -$1 - 3 OR id BETWEEN $1 - 5 AND $1 + 5', tab) INTO n USING i;
		IF i % 3 = 0 THEN
			RAISE division_by_zero;
		END IF;
	EXCEPTION WHEN division_by_zero THEN
		EXECUTE format('SELECT 1000 + count(*) FROM %s WHERE id BETWEEN $1 - 5 AND $1 + 5', tab) INTO n USING i;
	END;
	RETURN n;
END $$;
CREATE FUNCTION twin_insert(tab text, start bigint, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seen text;
BEGIN
	EXECUTE format('WITH i AS (INSERT INTO %s (id) SELECT i + 0 * twin_row(%L, i) FROM generate_series($1, $1 + $2) i RETURNING id) '
		'SELECT string_agg(id::text, '','') FROM i', tab, tab) INTO seen USING start, n;
	RETURN seen;
END $$;
-- How often a cursor that is moved about does not stand where it should.
CREATE FUNCTION twin_cursor(tab text, cond text, moves int[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	row tid;
	tids tid[];
	place int := 0;
	move int;
	wrong int := 0;
BEGIN
	EXECUTE format('SELECT array_agg(ctid ORDER BY ctid) FROM %s WHERE %s', tab, cond) INTO tids;
	OPEN c SCROLL FOR EXECUTE format('SELECT ctid FROM %s WHERE %s', tab, cond);
	FOREACH move IN ARRAY moves LOOP
		FETCH RELATIVE move FROM c INTO row;
		place := least(greatest(place + move, 0), coalesce(cardinality(tids), 0) + 1);
		wrong := wrong + (row IS DISTINCT FROM tids[place])::int;
	END LOOP;
	CLOSE c;
	RETURN wrong;
END $$;
CREATE FUNCTION twin_verify(tab regclass) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pg_class c JOIN pg_am a ON a.oid = relam WHERE c.oid = tab AND amname = 'pprepub') THEN
		RETURN QUERY SELECT v::text FROM pprepub.verify_storage(tab) v WHERE NOT holds;
	END IF;
END $$;
SQL
}

# A script of so many steps.  The same seed gives the same one.
sub random_script
{
	my ($seed, $steps) = @_;

	srand $seed;
	%column = ();
	$next = 1;
	$table = any('t', 't', 't', 'pg_temp.t');
	my $kind = $table eq 't' ? any('', '', 'UNLOGGED ') : 'TEMP ';
	my @columns = map { add_column("c$_") } 1 .. number(1, 6);
	my $trigger = rand() < 0.2;
	my @lines = (preamble(),
		"CREATE ${kind}TABLE " . ($table eq 't' ? 't' : 't') . ' (id bigint, ' . join(', ', @columns) . ');',
		($trigger ? (<<'SQL') : ()));
CREATE FUNCTION twin_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_WHEN = 'AFTER' AND NEW.id % 1000 = 0 THEN
		PERFORM count(*) FROM t WHERE id = NEW.id;
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER before BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION twin_trigger();
CREATE TRIGGER after AFTER INSERT ON t FOR EACH ROW WHEN (NEW.id % 50 = 0) EXECUTE FUNCTION twin_trigger();
SQL

	for (1 .. $steps)
	{
		my $what = rand;

		push @lines, $what < 0.25 ? insertion() : $what < 0.45 ? transaction() : $what < 0.6 ? change() :
		  $what < 0.7 ? cursor() : $what < 0.75 ? everything() : query();
	}
	return join "\n", @lines, everything(), "SELECT twin_verify('$table');", "VACUUM FULL $table;", everything(),
	  "SELECT twin_verify('$table');", '';
}

1;
