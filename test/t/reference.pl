# docs/reference/functions.md, views.md and settings.md have all there is, as the catalog has it: functions with their
# synopses and comments, views with their columns, settings with their defaults.  Their examples work, and give what they show.
#
# "psql -XAt -F ' ' -f docs/reference/synopsis.sql" prints what functions.md says first of each function.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Pages;

chomp(my $share = `pg_config --sharedir`);
my $has_cron = -e "$share/extension/pg_cron.control";
my $node = PostgreSQL::Test::Cluster->new('reference');
$node->init(extra => [ '-E', 'UTF8', '--no-locale' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.database_name = 'hospital'") if $has_cron;
$node->start;

# ---- What the examples speak of ----

$node->safe_psql('postgres', 'CREATE DATABASE hospital');
$node->safe_psql('hospital', 'CREATE EXTENSION pprepub;' . ($has_cron && 'CREATE EXTENSION pg_cron;') . slurp_file('test/data/hospital.sql') . <<'SQL');
CREATE ROLE officer;
SELECT pprepub.create_taxonomy('continents', 'hospital.country_levels');

-- Countries to extend a taxonomy by
CREATE TABLE hospital.more_countries (country text, region text, continent text, world text);
INSERT INTO hospital.more_countries VALUES ('Norway', 'Northern Europe', 'Europe', 'World');

-- A publication to drop
CREATE TABLE hospital.trial AS SELECT * FROM hospital.patients WHERE id <= 100;
SELECT pprepub.create_publication('trial', 'hospital.trial', 'id', '{"age": "range"}', 'disease', params => '{"k": 5}', target => 'trial');
SELECT pprepub.publish('trial');

-- A publication and what was published before it
CREATE TABLE hospital.clinic AS
	SELECT i AS id, (ARRAY['F', 'M'])[1 + i % 2] AS sex, 20 + i % 40 AS age, (ARRAY['influenza', 'asthma', 'diabetes'])[1 + i / 2 % 3] AS disease
	FROM generate_series(1, 24) i;
CREATE SCHEMA archive;
CREATE TABLE archive.clinic_2025 AS SELECT id AS patient, sex, '[20,60)'::int4range AS age, disease FROM hospital.clinic;
SELECT pprepub.create_publication('clinic', 'hospital.clinic', 'id', '{"age": "range", "sex": "suppress"}', 'disease', params => '{"k": 4, "l": 2}', target => 'clinic');

-- Two releases whose classes correlate
CREATE TABLE hospital.ward AS
	SELECT i AS id, 20 + i % 40 AS age, (ARRAY['influenza', 'asthma', 'diabetes', 'gastritis', 'epilepsy', 'hepatitis'])[1 + i % 6] AS disease
	FROM generate_series(1, 60) i;
CREATE TABLE hospital.progress (from_value text, to_value text);
INSERT INTO hospital.progress SELECT DISTINCT disease, disease FROM hospital.ward;
SELECT pprepub.create_publication('ward', 'hospital.ward', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 3}', target => 'ward');
SELECT pprepub.publish('ward');
DELETE FROM hospital.ward WHERE id % 7 = 0;
SELECT pprepub.publish('ward');
SQL

# ---- Pages ----

my %page = map { $_ => slurp_file("docs/reference/$_.md") } qw(functions views settings);

sub flat { return $_[0] =~ s/\s+/ /gr =~ s/^ | $//gr }

# The text below each heading of that many #, up to the next one.
sub sections
{
	my ($text, $level) = @_;
	my @parts = split /^#{1,$level} (.*)\n/m, "$text\n";

	shift @parts;
	return @parts;
}

# The first paragraph, as one line.
sub first_paragraph { return flat($_[0] =~ s/^\n+//r =~ s/\n\n.*//sr) }

# Cells of the rows of the first table whose heading begins with these words.
sub table_rows
{
	my ($text, $heading) = @_;
	my ($rows) = $text =~ /^\| \Q$heading\E.*\n\|[-| ]+\n((?:\|.*\n)*)/m or return;

	return map { [ map { s/^ +| +$//gr } split /\|/, s/^\| ?//r ] } split /\n/, $rows;
}

# Rows of a query, as lists.
sub rows_of { return map { [ split /\t/, $_, -1 ] } split /\n/, $node->safe_psql('hospital', $_[0], extra_params => [ '-F', "\t" ]) }

# ---- Functions ----

sub check_functions
{
	my %expected = map { my ($synopsis, $sentence) = @$_; $synopsis => $sentence }
		rows_of(slurp_file('docs/reference/synopsis.sql') =~ s/;\s*$//r);
	my %entry = sections($page{functions}, 3);

	# Those of the publication, of which the functions that stand beside releases are named as the page names them.
	my ($target) = rows_of(<<'SQL');
SELECT max(obj_description(oid)) FILTER (WHERE proname = 'patients'), max(obj_description(oid)) FILTER (WHERE proname = 'patients_counts'),
	max(pg_get_function_arguments(oid)) FILTER (WHERE proname = 'patients_counts'), max(obj_description(oid)) FILTER (WHERE proname = 'patients_noisy'),
	max(obj_description(oid)) FILTER (WHERE proname = 'patients_noise_left')
FROM pg_proc WHERE pronamespace = 'published'::regnamespace
SQL
	$expected{'TARGET.NAME(cohort text DEFAULT NULL, columns name[] DEFAULT NULL) → SETOF (columns of a release)'} = ucfirst "$target->[0].";
	$expected{q[TARGET.NAME_counts(by name[], bins jsonb DEFAULT '{}', release integer DEFAULT NULL) → SETOF (bin jsonb, people_at_least bigint, estimate double precision, people_at_most bigint, rows_at_least bigint, rows_estimate double precision, rows_at_most bigint)]} = ucfirst "$target->[1].";
	my $question = q["where" text DEFAULT NULL, bins jsonb DEFAULT '{}', epsilon numeric DEFAULT NULL, sum jsonb DEFAULT NULL];
	$expected{"TARGET.NAME_noisy(by name[], $question) → SETOF (bin jsonb, noisy_count bigint, half_width bigint, noisy_sum numeric, sum_half_width numeric)"} = ucfirst "$target->[3].";
	$expected{"TARGET.NAME_noise_left(by name[] DEFAULT '{}', $question) → SETOF (total numeric, total_left numeric, role_left numeric, per_question numeric, least_cost numeric, cost numeric, half_width bigint, sum_half_width numeric, total_epsilon double precision)"} =
		ucfirst "$target->[4].";
	is($target->[2], q(by name[], bins jsonb DEFAULT '{}'::jsonb, release integer DEFAULT NULL::integer), 'arguments of TARGET.NAME_counts');

	my %found;
	foreach my $name (sort keys %entry)
	{
		while ($entry{$name} =~ /^```text\n((?:pprepub|TARGET)\.[^`]*→[^`]*)^```\n\n((?:.+\n)+)/mg)
		{
			my ($synopsis, $sentence) = (flat($1), flat($2));

			like($synopsis, qr/^(?:pprepub\.)?\Q$name\E\(/, "functions.md: the entry of $name is about it");
			$found{$synopsis} = $sentence;
		}
	}
	foreach my $synopsis (sort keys %expected)
	{
		is($found{$synopsis}, $expected{$synopsis}, "functions.md: $synopsis");
		delete $found{$synopsis};
	}
	is_deeply([ sort keys %found ], [], 'functions.md has no function that is not there');
	is_deeply([ grep { $page{functions} !~ /\[`\Q$_\E`\]\(#/ } map { /^(?:pprepub\.)?(.*?)\(/ } keys %expected ], [], 'its contents have all of them');
	return;
}

# ---- Views, and what a publication has ----

my $columns_of = q(SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 ORDER BY attnum);

sub check_relation
{
	my ($name, $relation, $text, $has_columns) = @_;
	my ($comment) = rows_of("SELECT obj_description('$relation'::regclass, 'pg_class')");
	my $sentence = ucfirst(($comment->[0] =~ s/; publication ".*//r) . '.');

	is(first_paragraph($text), $sentence, "views.md: $name");
	is_deeply([ map { [ map { s/^`|`$//gr } @$_[ 0, 1 ] ] } table_rows($text, 'column | type |') ], [ rows_of(sprintf $columns_of, $relation) ],
		"views.md: columns of $name")
	  if $has_columns;
	return;
}

sub check_views
{
	my %entry = sections($page{views}, 3);
	my @views = map { $_->[0] } rows_of(q(SELECT 'pprepub.' || relname FROM pg_class
		WHERE relnamespace = 'pprepub'::regnamespace AND relkind IN ('v', 'r', 'm', 'f') ORDER BY 1));

	is_deeply([ grep { /^pprepub\./ } sort keys %entry ], \@views, 'views.md has all views, and no other');
	check_relation($_, $_, $entry{$_}, 1) foreach grep { defined $entry{$_} } @views;

	# Relations of publication patients: of each release there is one of its own.
	my @made = map { $_->[0] } rows_of(q(SELECT DISTINCT 'TARGET.NAME' || regexp_replace(substr(relname, 9), '^_\d+$', '_1') FROM pg_class
		WHERE relnamespace = 'published'::regnamespace AND relkind IN ('v', 'r', 'f') ORDER BY 1));
	is_deeply([ grep { /^TARGET\./ && $_ ne 'TARGET.NAME_counterfeits' } sort keys %entry ], \@made, 'views.md has all that a publication has');
	check_relation($_, s/^TARGET\.NAME/published.patients/r, $entry{$_}, /_(?:releases|answers)$/) foreach grep { defined $entry{$_} } @made;
	check_relation('TARGET.NAME_counterfeits', 'ward.ward_counterfeits', $entry{'TARGET.NAME_counterfeits'}, 1);
	return;
}

# ---- Settings ----

my $settings_there = <<'SQL';
DO $$ BEGIN PERFORM pprepub.lies_in('F', 'F'); END $$;		-- loads the library
SELECT name, short_desc, current_setting(name), context, min_val, max_val, coalesce(unit, '')
FROM pg_settings WHERE name ~ '^pprepub\.' ORDER BY name COLLATE "C"
SQL

sub check_settings
{
	my %entry = sections($page{settings}, 2);
	my %who = (user => 'everybody', superuser => 'superusers');
	my @settings = rows_of($settings_there);

	is_deeply([ map { [ $_->[0], @$_[ 2, 3 ] ] } @settings ],
		[ map { my ($name, $default, $who) = map { s/^\[?`(.*?)`.*/$1/r } @$_; [ $name, $default, $who eq 'superusers' ? 'superuser' : 'user' ] } table_rows($page{settings}, 'setting | default |') ],
		'settings.md lists all settings, with defaults and who sets them');
	is_deeply([ sort keys %entry ], [ sort 'Settings', map { $_->[0] } @settings ], 'settings.md has an entry for each');
	foreach (@settings)
	{
		my ($name, $sentence, $default, $context, $least, $most, $unit) = @$_;

		is(first_paragraph($entry{$name} // ''), $sentence, "settings.md: $name");
		is_deeply([ map { [@$_] } table_rows($entry{$name} // '', 'default |') ], [ [ "`$default`", "`$least` to `$most`", $unit || 'none', $who{$context} ] ],
			"settings.md: $name: default, range, unit, and who sets it");
	}
	return;
}

check_settings();
my $session = start_session($node, 'hospital');
check_page($session, "docs/reference/$_.md", 4, $has_cron ? undef : qr/schedule\(/) foreach qw(functions views settings);
end_session($session);
check_functions();
check_views();
my $navigation = slurp_file('mkdocs.yml');
is(join(' ', grep { $navigation !~ /: \Q$_\E$/m } map { s{^docs/}{}r } glob 'docs/*.md docs/*/*.md'), '', 'mkdocs.yml has all pages');

$node->stop;
done_testing();
