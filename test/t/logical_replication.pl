# Logical replication does not send the rows of a release. Whoever publishes is told, and a subscriber who copies the table
# afterwards has all of it.  Other ways to take releases elsewhere are those of docs/howto/moving_out.md.
use Hospital;
use Pages;

my $node = new_server('main', allows_streaming => 'logical');
my $subscriber = new_server('subscriber');

make_patients($node, 'postgres', 1000);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');

sub publish
{
	my ($out, $err);

	is($node->psql('postgres', q{SET ROLE owner; SELECT FROM pprepub.publish('patients')}, stdout => \$out, stderr => \$err), 0, 'published');
	return $err;
}

my $warning = qr/WARNING:  logical replication does not send the rows of table "patients_\d+"\nDETAIL:  It is in "releases" of PostgreSQL's publications.\nHINT:  .*REFRESH PUBLICATION/;

is(publish(), '', 'nobody replicates: no warning');
$node->safe_psql('postgres', q{CREATE PUBLICATION releases FOR TABLES IN SCHEMA published WITH (publish = 'update, delete')});
is(publish(), '', 'nobody replicates what is inserted: no warning');
$node->safe_psql('postgres', q{DROP PUBLICATION releases; CREATE PUBLICATION releases FOR TABLES IN SCHEMA hospital});
is(publish(), '', 'another schema is replicated: no warning');
$node->safe_psql('postgres', q{DROP PUBLICATION releases; CREATE PUBLICATION releases FOR ALL TABLES});
like(publish(), $warning, 'all tables are');
$node->safe_psql('postgres', q{DROP PUBLICATION releases; CREATE PUBLICATION releases FOR TABLES IN SCHEMA published});

# A subscriber need not have pprepub.
$subscriber->safe_psql('postgres', 'CREATE SCHEMA published; ' . join ' ', map { "CREATE TABLE published.patients_$_ (" . columns_of($_ eq 'releases' ? $_ : 1) . ');' } 1 .. 6, 'releases');
$subscriber->safe_psql('postgres', 'CREATE SUBSCRIPTION theirs CONNECTION $$' . $node->connstr('postgres') . '$$ PUBLICATION releases');
$subscriber->wait_for_subscription_sync($node, 'theirs');
same_release($_) foreach 1 .. 4;

like(publish(), $warning, 'the schema is replicated');
$node->wait_for_catchup('theirs');
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION theirs REFRESH PUBLICATION');
$subscriber->wait_for_subscription_sync($node, 'theirs');
same_release(5);

# Told of the table before it is committed, a subscriber could not copy it: there is none then.
$node->safe_psql('postgres', q{BEGIN; SET ROLE owner; SELECT FROM pprepub.publish('patients'); COMMIT});
$node->safe_psql('postgres', q{CREATE TABLE published.other (id int)});
$node->safe_psql('postgres', q{INSERT INTO published.other VALUES (1)});
$subscriber->safe_psql('postgres', 'CREATE TABLE published.other (id int)');
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION theirs REFRESH PUBLICATION');
$subscriber->wait_for_subscription_sync($node, 'theirs');
$node->safe_psql('postgres', q{INSERT INTO published.other VALUES (2)});
$node->wait_for_catchup('theirs');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM published.other'), '2', 'other tables are replicated beside releases');
same_release($_) foreach 1 .. 6;

sub columns_of
{
	my ($which) = @_;

	return $node->safe_psql('postgres', qq{SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = 'published.patients_$which'::regclass AND attnum > 0});
}

sub same_release
{
	my ($number) = @_;
	my $query = "SELECT md5(string_agg(r::text, ',' ORDER BY r::text)) FROM published.patients_$number r";

	is($subscriber->safe_psql('postgres', $query), $node->safe_psql('postgres', $query), "release $number was copied");
	return;
}

# ---- The page: into databases without pprepub ----

$node->safe_psql('postgres', 'DROP PUBLICATION releases; CREATE DATABASE hospital; CREATE ROLE analyst LOGIN');
$node->safe_psql('hospital', 'CREATE EXTENSION pprepub; GRANT CREATE ON DATABASE hospital TO owner; SET ROLE owner;' . slurp_file('test/data/hospital.sql') . slurp_file('test/data/declare.sql') . <<'SQL');
SELECT pprepub.publish('patients');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA published TO analyst;
SQL
$subscriber->safe_psql('postgres', "CREATE DATABASE $_") foreach qw(elsewhere subscriber);
# DuckDB, by its command, or by its package for Node that NODE_PATH leads to.
my $duckdb = <<'JS';
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
	const connection = await (await DuckDBInstance.create()).connect();
	for (const statement of process.argv[1].split(/;\n/).filter(s => s.trim())) {
		const read = await connection.runAndReadAll(statement);
		if (!/^COPY/.test(statement))
			console.log([ read.columnNames(), ...read.getRowsJson() ].join('\n'));
	}
})();
JS
my @duckdb = grep { !system("$_ > /dev/null 2>&1") } 'duckdb --version', q{node -e 'require("@duckdb/node-api")'};
my %programs = (sh => [ 'bash', '-c' ], duckdb => @duckdb && $duckdb[0] =~ /^node/ ? [ 'node', '-e', $duckdb ] : [ 'duckdb', '-csv', '-c' ]);
my $session = start_session($node, 'hospital');
my $directory = PostgreSQL::Test::Utils::tempdir;
my $page = 'docs/howto/moving_out.md';
local @ENV{qw(HERE THERE HOST PORT)} = ($node->connstr('hospital') =~ s/'//gr, $subscriber->connstr('elsewhere') =~ s/'//gr, $node->host, $node->port);

foreach my $block (page_blocks($page))
{
	my ($language, $text) = @$block{qw(language text)};

	$ENV{THERE} = $subscriber->connstr($1) =~ s/'//gr if $text =~ s/^\\there (\w+)\n//;
	($language, $text) = ('sql', 'CREATE TABLE hospital.trend AS ' . $text =~ s/\{\{ source\('(\w+)', '(\w+)'\) \}\}/$1.$2/r) if $language eq 'jinja';
  SKIP:
	{
		next if $language eq 'yaml' || $text eq '';
		skip "$block->{name}: no DuckDB", 2 if $language eq 'duckdb' && !@duckdb;
		my $printed = '';
		IPC::Run::run([ @{ $programs{$language} }, $text ], '<', \undef, '>&', \$printed, init => sub { chdir $directory or die }) if $language ne 'sql';
		check_block($block, $language eq 'sql' ? printed($session, "$text;") : $printed);
		next if $language ne 'duckdb';
		IPC::Run::run([ @{ $programs{duckdb} }, "COPY (FROM 'patients.parquet') TO 'back.csv';\n" ], '<', \undef, init => sub { chdir $directory or die });
		is(printed($session, <<SQL), "t\n", "$page: Parquet has the rows of the release");
CREATE TEMP TABLE back AS TABLE published.patients_values WITH NO DATA;
\\copy back FROM '$directory/back.csv' (FORMAT csv, HEADER)
SELECT count(*) = 2000 AND NOT EXISTS (TABLE back EXCEPT ALL TABLE published.patients_values) FROM back \\g (format=unaligned tuples_only)
SQL
	}
}
end_session($session);
is($node->safe_psql('hospital', 'SELECT count(*) = (SELECT count(DISTINCT disease) FROM published.patients_1) FROM hospital.trend'), 't', "$page: a model of dbt");
$subscriber->wait_for_subscription_sync($node, 'releases', 'subscriber');
my $numbers = 'SELECT count(*), (SELECT count(*) > 1900 FROM published.patients_3) FROM published.patients_releases';
is($subscriber->safe_psql('subscriber', $numbers), $node->safe_psql('hospital', $numbers), "$page: a subscriber has what is new");

done_testing();
