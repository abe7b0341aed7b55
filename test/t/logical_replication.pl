# Logical replication does not send the rows of a release. Whoever publishes is told, and a subscriber who copies the table
# afterwards has all of it.
use Hospital;

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

done_testing();
