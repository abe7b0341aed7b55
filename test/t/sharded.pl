# What analysts see of a publication over shards: all that its views show is what the shards show, and is whole or an error.
use Hospital;

my $shards = 2;
my ($node, @shards) = new_shards($shards);
my @quasi = qw(age zip sex);

sub owner { return as_role($node, 'owner', $_[0]) }
sub analyst { return as_role($node, 'analyst', $_[0]) }
sub sorted { return join "\n", sort map { split /\n/ } @_ }

# The rows of a query on each shard, where NAME is its publication and SHARD its number; and of one here.
sub same
{
	my ($name, $query, $on_shard, $what) = @_;
	my @rows;

	foreach my $i (0 .. $#shards)
	{
		my $sql = $on_shard;
		my $number = $i + 1;

		$sql =~ s/NAME/${name}_shard$i/g;
		$sql =~ s/SHARD/$number/g;
		push @rows, $shards[$i]->safe_psql('postgres', $sql);
	}
	my $got = sorted(owner($query));
	isnt($got, '', "$what: there are rows");
	same_everything($got, sorted(@rows), $what);
	return;
}

# What one publisher of all rows says of a relation: its columns, their types, its comments.
my $columns = q{SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
	replace(regexp_replace(obj_description(c.oid, 'pg_class'), '; publication.*', ''), 'NAME', ''), replace(col_description(c.oid, a.attnum), 'NAME', '')
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'published'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND c.relname ~ '^patients($|_)' ORDER BY 1, a.attnum};

declare_sharded($node, $shards, 'patients');
owner('GRANT USAGE ON SCHEMA published TO analyst');
is(owner(q{SELECT number, rows, relation FROM pprepub.publish('patients')}), '1|2000|published.patients_1', 'published');
owner('GRANT SELECT ON published.patients, published.patients_all, published.patients_values, published.patients_releases, published.patients_now, published.patients_answers TO analyst');
$_->safe_psql('postgres', 'UPDATE hospital.patients SET age = age + 1 WHERE id % 7 < 2; DELETE FROM hospital.patients WHERE id % 50 < 2 OR id % 2 = 1 AND age > 60') foreach @shards;
is(owner(q{SELECT number FROM pprepub.publish('patients')}), '2', 'once more');
is(owner(q{SELECT number FROM pprepub.publish('patients', 'age > 40', '{age,disease}')}), '3', 'a cohort, with chosen columns');
is(owner(q{SELECT number FROM pprepub.publish('patients', NULL, '{zip,disease}')}), '4', 'chosen columns');

sub same_everywhere
{
	my ($when, $newest, @others) = @_;

	same('patients', 'TABLE published.patients', "SELECT class * 1000 + SHARD, age, zip, sex, disease FROM published.NAME_$newest", "$when: the newest release");
	same('patients', "TABLE published.patients_$_", "SELECT class * 1000 + SHARD, age, zip, sex, disease FROM published.NAME_$_", "$when: release $_") foreach 1 .. 2;
	same('patients', 'SELECT release, class, age, zip, sex, disease FROM published.patients_all', 'SELECT release, class * 1000 + SHARD, age, zip, sex, disease FROM published.NAME_all', "$when: all");
	same('patients', 'SELECT class, age, zip, sex, disease, cells FROM published.patients_values', 'SELECT class * 1000 + SHARD, age, zip, sex, disease, cells FROM published.NAME_values', "$when: values");
	is(owner('SELECT count(DISTINCT class % 1000), count(DISTINCT class) FROM published.patients'), $shards . '|'
		. eval(join '+', map { $shards[$_]->safe_psql('postgres', "SELECT count(DISTINCT class) FROM published.patients_shard$_") } 0 .. $#shards), "$when: classes stay apart");
	return;
}

same_everywhere('first', 2);
same('patients', "TABLE published.patients_$_", "SELECT class * 1000 + SHARD, age, zip, sex, disease FROM published.NAME_$_", $_ == 3 ? 'of a cohort' : 'of chosen columns') foreach 3 .. 4;
is(owner('SELECT release, relation, kind, columns, rows = people, k, l FROM published.patients_releases ORDER BY release'), <<'LIST' =~ s/\n$//r, 'a list of releases');
1|published.patients_1|everybody|{age,zip,sex,disease}|t|5|3
2|published.patients_2|everybody|{age,zip,sex,disease}|t|5|3
3|published.patients_3|cohort|{age,disease}||5|3
4|published.patients_4|everybody|{zip,disease}|t|5|3
LIST

# One publisher of the same rows shows the same columns, with the same comments.
my $one = new_server('one');
make_patients($one, 'postgres', 2000);
declare_patients($one, 'postgres', 'patients', 'hospital.patients');
$one->safe_psql('postgres', $_) foreach q{SET ROLE owner; SELECT pprepub.publish('patients')}, q{UPDATE hospital.patients SET age = age + 1 WHERE id % 7 < 2; DELETE FROM hospital.patients WHERE id % 50 < 2 OR id % 2 = 1 AND age > 60},
	q{SET ROLE owner; SELECT pprepub.publish('patients')}, q{SET ROLE owner; SELECT pprepub.publish('patients', 'age > 40', '{age,disease}')}, q{SET ROLE owner; SELECT pprepub.publish('patients', NULL, '{zip,disease}')};
same_everything(owner($columns), $one->safe_psql('postgres', $columns), 'columns and comments are those of one publisher');
is(owner(q{SELECT obj_description('published.patients'::regclass)}), 'newest release of everybody with all columns; publication "patients" promises k = 5, l = 3', 'the comment names the whole');

# Counts are sums over shards, in bins that are chosen for all of them.  The truth is that of one publisher, whose rows are the same.
fails_with($node, 'postgres', '42501', 'SET ROLE analyst; SELECT * FROM published.patients_counts(\'{sex}\')', 'counts are granted by the owner');
owner('GRANT EXECUTE ON FUNCTION published.patients_counts TO analyst');
my %is_in = (age => q{p.age <@ (bin ->> 'age')::int4range}, zip => q{starts_with(p.zip, rtrim(bin ->> 'zip', '*'))}, sex => q{p.sex = bin ->> 'sex'}, disease => q{p.disease = bin ->> 'disease'});
foreach (
	[ 'age', '{}' ], [ 'age', '{"age": 7}' ], [ 'zip', '{}' ], [ 'zip', '{"zip": 3}' ], [ 'sex', '{}' ], [ 'disease', '{}' ], [ 'disease', '{"disease": ["disease 1", "disease 99"]}' ],
	[ 'age,sex', '{}' ], [ 'sex,zip,disease', '{"zip": 2}' ], [ 'age', '{"age": ["[0,40)", "[40,200)"]}' ], [ 'age', '{}', 1 ])
{
	my ($by, $bins, $release) = @$_;
	my $what = "counts by $by, $bins" . ($release ? ", of release $release" : '');
	my $arguments = "'{$by}', '$bins'" . ($release ? ", $release" : '');
	my $counts = analyst("SELECT jsonb_agg(c) FROM published.patients_counts($arguments) c");
	my $inside = join ' AND ', map { $is_in{$_} } split /,/, $by;
	my $truth = $release ? q{(SELECT id, 18 + (h & 63)::int AS age, (10000 + (h >> 8 & 31) * 100 + (h >> 16 & 15))::text AS zip FROM (SELECT i AS id, hashint8extended(i, 7) AS h FROM generate_series(1, 2000) i) d)} : 'hospital.patients';

	is($one->safe_psql('postgres', <<SQL), 't|t|0', $what);
WITH c AS (SELECT c.*, (SELECT count(*) FROM $truth p WHERE $inside) AS truth FROM jsonb_to_recordset('$counts') c(bin jsonb, people_at_least int, estimate float8, people_at_most int, rows_at_most int))
SELECT count(*) > 1, bool_and(truth BETWEEN people_at_least AND people_at_most AND people_at_most = rows_at_most AND estimate BETWEEN people_at_least AND people_at_most),
	(SELECT count(*) FROM c a, c b WHERE a.bin < b.bin AND a.bin ? 'age' AND a.bin - 'age' = b.bin - 'age' AND (a.bin ->> 'age')::int4range && (b.bin ->> 'age')::int4range) FROM c
SQL
}
is(analyst(q{SELECT people_at_least, people_at_most FROM published.patients_counts('{disease}', '{"disease": ["nobody"]}', 3)}), '0|', 'a cohort bounds nothing');
fails_like($node, 'postgres', "SET ROLE analyst; SELECT * FROM published.patients_counts($$_[0])", $$_[1], "counts($$_[0])")
	foreach [ q{'{nobody}'}, qr/shows no column "nobody"/ ], [ q{'{age}', '{"age": ["x"]}'}, qr/malformed range/ ], [ q{'{age}', '{}', 99}, qr/no release 99/ ], [ q{'{age}', '[]'}, qr/JSON object/ ], [ q{NULL}, qr/must not be null/ ];

# Added columns: those of all relations, as with one publisher.
$_->safe_psql('postgres', q{ALTER TABLE hospital.patients ADD COLUMN job text, ADD COLUMN ward varchar(9) COLLATE "POSIX"; UPDATE hospital.patients SET job = 'job ' || id % 3, ward = 'w' || id % 5}) foreach $one, @shards;
my $add = q{SELECT FROM pprepub.alter_publication('patients', '{}', '{"job": "suppress"}', '{ward}')};
owner($_) foreach $add, q{SELECT FROM pprepub.publish('patients')};
$one->safe_psql('postgres', "SET ROLE owner; $_") foreach $add, q{SELECT FROM pprepub.publish('patients')};
same_everything(owner($columns), $one->safe_psql('postgres', $columns), 'columns that were added, with comments');
same('patients', 'TABLE published.patients', "SELECT class * 1000 + SHARD, age, zip, sex, disease, job, ward FROM published.NAME_5", 'the newest release has them');
same('patients', 'SELECT class, job, ward, cells FROM published.patients_values', 'SELECT class * 1000 + SHARD, job, ward, cells FROM published.NAME_values', 'and so do values');
same('patients', 'TABLE published.patients_1', 'SELECT class * 1000 + SHARD, age, zip, sex, disease, job, ward FROM published.NAME_1', 'older ones withhold them');

# A release is whole or an error: in a transaction that saw the shards before it, and while some shards lack it or have forgotten it.
my $psql = sprintf q{\! psql -XAtq -h '%s' -p %d -U owner postgres -c}, $node->host, $node->port;
sub in_old_transaction
{
	my ($role, $first, $then) = @_;
	my ($out, $error);

	$node->psql('postgres', "\\set ON_ERROR_STOP 0\n\\set VERBOSITY sqlstate\nBEGIN; $first;\n$psql \"SET client_min_messages = error; SELECT FROM pprepub.publish('patients')\"\n" . join("\n", map { "SAVEPOINT s; $_; ROLLBACK TO s;" } @$then) . "\nCOMMIT",
		stdout => \$out, stderr => \$error, on_error_stop => 0, extra_params => [ '-U', $role ]);
	return join ' ', $error =~ /ERROR:  (\w+)/g;
}
my @newest = map { "SELECT count(*) FROM published.$_ WHERE class > 0" } 'patients', 'patients_all', 'patients_values';
is(in_old_transaction('owner', 'SELECT count(*) FROM published.patients_2', \@newest), '40001 40001 40001', 'all shards were seen before: an error');
is(in_old_transaction('owner', 'SELECT count(*) FROM published_private.patients_2_all', [ @newest, q{SELECT max(release) FROM published.patients_all WHERE sex = 'F' AND false IS NULL LIMIT 1} ]), '40001 40001 40001', 'one shard was');
is(in_old_transaction('owner', 'SELECT count(*) FROM published.patients_2', [ 'SELECT count(*) FROM published.patients_2', 'SELECT 1 / count(*) FROM published.patients_5', 'TABLE published.patients_releases' ]), '', 'older releases are read');

sub alone { return as_role($shards[$_[0]], 'postgres', "BEGIN; SET LOCAL ROLE owner; SELECT pprepub_internal.shard_begin('patients_shard$_[0]'); SELECT FROM pprepub_internal.shard_publish('patients_shard$_[0]', $_[1], NULL, NULL); COMMIT") }
alone(0, 9);
is(owner('SELECT max(release) FROM published.patients_releases'), '8', 'a release of one shard is not listed');
is(owner('SELECT max(release), count(DISTINCT class % 1000) FROM published.patients_all'), "8|$shards", 'nor shown among all');
same('patients', 'SELECT class, age, cells FROM published.patients_values', 'SELECT class * 1000 + SHARD, (pprepub.midpoint(age)), jsonb_build_object(\'age\', age::text, \'job\', job, \'sex\', sex, \'zip\', zip) FROM published.NAME_8', 'values are those of the newest that all have');
alone(1, 9);
is(owner('SELECT max(release) FROM published.patients_releases'), '9', 'once all have it, it is listed');
as_role($shards[0], 'postgres', q{SET ROLE owner; SELECT pprepub.forget_releases('patients_shard0', now())});
fails_with($node, 'postgres', '40001', 'SELECT count(*) FROM published.patients_2', 'a release that one shard has forgotten is an error');
fails_like($node, 'postgres', 'SELECT count(*) FROM published.patients_3', qr/does not exist|does not show/, 'and so is one of a cohort');
is(owner(q{SELECT pprepub.forget_releases('patients', now())}), '{1,2,3,4,5,6,7,8}', 'forgotten on all');
is(owner(q{SELECT string_agg(oid::regclass::text, ' ' ORDER BY relname COLLATE "C") FROM pg_class WHERE relnamespace = 'published'::regnamespace AND relname ~ '[0-9]$'}), 'published.patients_9', 'their views are gone');
# Rights: releases are read with the owner's mappings, a live table with the reader's own.
is(analyst('SELECT count(*) > 1500 FROM published.patients'), 't', 'an analyst reads a release without any account on the shards');
is(analyst(q{SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c WHERE relnamespace = 'published'::regnamespace AND has_table_privilege(oid, 'SELECT')}),
	'catalog patients patients_9 patients_all patients_answers patients_now patients_releases patients_values', 'new releases are granted like the newest');
fails_like($node, 'postgres', 'SET ROLE analyst; SELECT count(*) FROM published.patients_now', qr/user mapping not found/, 'no mapping, no answer');
foreach my $i (0 .. $#shards)
{
	$node->safe_psql('postgres', "CREATE USER MAPPING FOR analyst SERVER shard$i OPTIONS (user 'analyst', password 'looks')");
}
fails_with($node, 'postgres', '42501', 'SET ROLE analyst; SELECT count(*) FROM published.patients_now', 'a shard judges who may ask there');
as_role($shards[$_], 'postgres', "SET ROLE owner; GRANT USAGE ON SCHEMA published TO analyst; GRANT SELECT ON published.patients_shard${_}_now, published.patients_shard${_}_answers TO analyst") foreach 0 .. $#shards;

# One query is one answer on each shard, whatever is done with its rows.
my $used = 'SELECT answers_used, answers_left FROM published.patients_answers';
my $answers = 0;
owner(q{SELECT pprepub.alter_publication('patients', '{"max_answers_per_role": 1000}')});
foreach (
	[ 1, 'SELECT count(*) > 0 FROM published.patients_now WHERE age > 40', 'a condition that is sent' ],
	[ 1, 'SELECT count(*) > 0 FROM published.patients_now WHERE age > 40 AND disease > random()::text', 'and one that is not' ],
	[ 1, q{SELECT count(*) > 0 FROM published.patients_now WHERE age BETWEEN 30 AND 60 AND sex IN ('F') AND zip LIKE '1%'}, 'BETWEEN, IN, LIKE' ],
	[ 1, 'PREPARE q(int) AS SELECT count(*) > 0 FROM published.patients_now WHERE age > $1; EXECUTE q(40)', 'prepared' ],
	[ 1, 'SET plan_cache_mode = force_generic_plan; PREPARE q(int) AS SELECT count(*) > 0 FROM published.patients_now WHERE age > $1; EXECUTE q(40)', 'prepared, with a generic plan' ],
	[ 1, 'SELECT count(*) > 0 FROM published.patients_now WHERE age > (SELECT 40)', 'a subquery that is computed once' ],
	[ 1, 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SELECT count(*) > 0 FROM generate_series(1, 3) i JOIN published.patients_now p ON i + p.age > 40', 'the inner side of a nested loop' ],
	[ 1, 'SELECT bool_and(n > 0) FROM (SELECT (SELECT count(nullif(p.age, i)) FROM published.patients_now p) AS n FROM generate_series(40, 42) i) s', 'a subquery for each row, of one answer' ],
	[ 1, 'SELECT bool_and(n > 0) FROM (SELECT (SELECT count(x) FROM (SELECT p.age + i AS x FROM published.patients_now p OFFSET 0) p) AS n FROM generate_series(40, 42) i) s', 'and one that computes for each row' ],
	[ 2, 'SELECT count(*) > 0 FROM published.patients_now a JOIN published.patients_now b USING (class)', 'two tables are two answers' ],
	[ 1, 'WITH w AS MATERIALIZED (TABLE published.patients_now) SELECT count(*) > 0 FROM w a JOIN w b USING (class)', 'one that is kept is one' ],
	[ 1, 'BEGIN; DECLARE c SCROLL CURSOR FOR TABLE published.patients_now; MOVE ALL c; MOVE ABSOLUTE 0 c; MOVE ALL c; COMMIT; SELECT true', 'a cursor that goes back' ],
	[ 1, 'SET enable_async_append = off; SELECT count(*) > 0 FROM published.patients_now', 'one after the other' ],
	[ 1, 'SELECT true FROM published.patients_now ORDER BY age LIMIT 1', 'LIMIT' ],
	[ 0, 'SELECT count(*) = 0 FROM (SELECT FROM published.patients_now LIMIT 0) s', 'LIMIT 0' ],
	[ 0, 'SELECT count(*) = 0 FROM published.patients_now WHERE false', 'WHERE false' ],
	[ 0, 'EXPLAIN (VERBOSE, COSTS off) TABLE published.patients_now; SELECT true', 'EXPLAIN' ],
	[ 1, q{SELECT bool_and(sex = 'F') FROM published.patients_now WHERE sex = 'F'}, 'who is asked for is who comes' ],
	[ 1, 'SELECT count(*) > 0 FROM published.patients_now WHERE class % 1000 = 1', 'conditions on classes ask for everybody, on all shards' ])
{
	my ($n, $sql, $what) = @$_;

	like(analyst($sql), qr/(^|\n)t$/, "$what: it is answered");
	$answers += $n;
	is(analyst($used), $answers . '|' . (1000 - $answers), "$what: answers that are used");
}


# Conditions that are not sent are told of, as by a live table; those that would be sent for each row are refused.
foreach (
	[ 'age > extract(year FROM now()) - 1990', '"age"' ], [ q{age::text LIKE '4%' AND zip COLLATE "POSIX" > '1'}, '"age", "zip"' ], [ 'sex > random()::text', '"sex"' ],
	[ 'disease > random()::text', '' ], [ 'age > 40', '' ], [ q{zip LIKE '10%' OR sex IN ('F') AND age IS NOT NULL}, '' ], [ q{cells ->> 'age' <> ''}, '' ], [ 'class > random()', '' ], [ 'age > (SELECT 40)', '' ])
{
	my ($condition, $names) = @$_;
	my $error;

	$node->psql('postgres', "SELECT count(*) FROM published.patients_now WHERE $condition", stderr => \$error, extra_params => [ '-U', 'analyst' ]);
	is(join(' ', $error =~ /NOTICE:  a condition on (.*) of published.patients_now is not sent/g), $names, "not sent: $condition") or diag($error);
}
fails_with($node, 'postgres', '0A000', "SET ROLE analyst; SELECT $_ FROM generate_series(40, 42) i", "refused: $_")
	foreach '(SELECT count(*) FROM published.patients_now p WHERE p.age > i)', 'EXISTS (SELECT FROM published.patients_now p WHERE p.age > i + random())';

is(join(' ', map { my @async = analyst("EXPLAIN (COSTS off) SELECT * FROM published.$_ WHERE age IS NOT NULL") =~ /Async Foreign Scan/g; "$_:" . @async } qw(patients patients_all patients_values patients_now)),
	"patients:$shards patients_all:$shards patients_values:$shards patients_now:$shards", 'all shards are read at once');

# A reader's loop while releases are made sees whole ones alone: of all shards, and of one number.
my $sees = join ' UNION ALL ', map { "SELECT '$_', release, count(*) FILTER (WHERE class % 1000 = 1), count(*) FILTER (WHERE class % 1000 = 2) FROM (SELECT "
	. ($_ eq 'patients_all' ? 'release' : '0 AS release') . ", class FROM published.$_) s GROUP BY release" } qw(patients patients_all patients_values);
my $publishing = start_sql($node, 'postgres', map { ("SET client_min_messages = error; SET ROLE owner; SELECT pg_sleep(0.1)", 'SELECT FROM pprepub.publish(\'patients\')') } 1 .. 6);
my @growing = map { my $i = $_; start_sql($shards[$i], 'postgres', map { "INSERT INTO hospital.patients SELECT $_ * 100000 + j, 18 + j % 60, '1' || j % 40, 'F', 'disease ' || j % 8, 'job 1', 'w1' FROM generate_series(1, 99) j WHERE j % 2 = $i; SELECT pg_sleep(0.2)" } 1 .. 15) } 0 .. $#shards;
my (%seen, %errors);
while ($publishing->{run}->pumpable)
{
	my ($out, $error);

	$node->psql('postgres', $sees, stdout => \$out, stderr => \$error, extra_params => [ '-U', 'analyst' ]);
	$seen{$_}++ foreach split /\n/, $out;
	$errors{$1}++ if $error =~ /ERROR:  (.*)/;
	$publishing->{run}->pump_nb;
}
finish_sql($_) foreach $publishing, @growing;
my %whole = map { my ($number, @n) = split /\|/; ("$n[0]|$n[1]" => 1, "$number|$n[0]|$n[1]" => 1) } split /\n/, owner(
	'SELECT release, count(*) FILTER (WHERE class % 1000 = 1), count(*) FILTER (WHERE class % 1000 = 2) FROM published.patients_all GROUP BY 1');
is(join(' ', grep { my ($view, $number, $n) = split /\|/, $_, 3; !$whole{$view eq 'patients_all' ? "$number|$n" : $n} } sort keys %seen), '', 'what is seen while releases are made is whole');
cmp_ok(scalar(keys %seen), '>', 3, 'several releases were seen');

# Values of all kinds are computed here as on a shard; not those of a tree of numbers, which has other numbers on each.
$_->safe_psql('postgres', <<'SQL') foreach @shards;
SET ROLE owner;
CREATE TABLE hospital.tree (child text, parent text, root text); INSERT INTO hospital.tree VALUES ('0', 'low', 'all'), ('1', 'low', 'all'), ('2', 'high', 'all'), ('3', 'high', 'all');
SELECT pprepub.create_taxonomy('towns', 'hospital.tree'), pprepub.create_range_taxonomy('steps', 0, 128, '{2, 16}');
CREATE TABLE hospital.kinds AS SELECT id, age, (age + 0.5)::numeric(5, 1) AS height, date '2000-01-01' + age AS born, (id / 2 % 4)::text::varchar(3) AS town, id / 2 % 4 AS floor, disease FROM hospital.patients WHERE id <= 1500;
CREATE TABLE hospital.floors AS TABLE hospital.kinds;
SQL
foreach ([ 'kinds', 'town' ], [ 'floors', 'floor' ])
{
	my ($name, $column) = @$_;

	owner(qq{SELECT FROM pprepub.create_sharded_publication('$name', '{shard0, shard1}', 'hospital.$name', 'id', '{"born": "range", "age": "taxonomy steps", "height": "taxonomy steps", "$column": "taxonomy towns"}',
		'disease', 'id % 2', params => '{"k": 3, "l": 2}', target => '$name'); SELECT FROM pprepub.publish('$name')});
}
same('kinds', 'SELECT class, born, age, height, town, disease, cells FROM kinds.kinds_values', 'SELECT class * 1000 + SHARD, born, age, height, town, disease, cells FROM kinds.NAME_values', 'kinds');
cmp_ok(owner(q{SELECT count(age) + count(height) + count(town) + count(born) FROM kinds.kinds_values}), '>', 100, 'there are values');
is(owner(q{SELECT count(*) > 1000, to_regclass('floors.floors_values') IS NULL FROM floors.floors}), 't|t', 'a tree of numbers: cells alone');

done_testing();
