# A shard's release can be prepared and committed later, as those of all shards are: there in full or not at all, also where the
# server dies between. Answers wait meanwhile, or give up and cost nothing.
use Hospital;
use Crash;

my $node = new_server('main');
$node->append_conf('postgresql.conf', "max_prepared_transactions = 2");
$node->restart;
make_patients($node, 'postgres', 2000);
$node->safe_psql('postgres', q{SET client_min_messages = error; SET ROLE owner; SELECT pprepub.create_publication('patients', 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'bpg', '{"k": 5, "l": 3}', shard => 'pprepub.shard_of(id::text, 1) = 0')});
$node->safe_psql('postgres', q{CREATE ROLE analyst LOGIN; GRANT USAGE ON SCHEMA published TO analyst; GRANT EXECUTE ON FUNCTION published.patients TO analyst;
	SET client_min_messages = error; SET ROLE owner; SELECT pprepub.publish('patients'); SELECT pprepub_internal.shard_note('patients', 'none yet')});

sub as_owner { return $node->safe_psql('postgres', "SET client_min_messages = error; SET ROLE owner; $_[0]") }

# A crash moves sequences on.
sub all_but_sequences { return everything($node, 'postgres') =~ s/^sequence\|.*\n//mgr }

# Prepares the release after the next two, and returns its number.
sub prepare
{
	my ($attempt) = @_;

	return (split /\n/, as_owner(qq{BEGIN; SELECT pprepub_internal.shard_skip('patients', pprepub_internal.shard_begin('patients') + 2);
		SELECT number FROM pprepub.publish('patients'); SELECT pprepub_internal.shard_note('patients', '$attempt'); PREPARE TRANSACTION '$attempt'}))[1];
}

my $ask = q{SELECT count(*) > 0 FROM published.patients('age > 20')};
my ($last, $shown) = (1, 1);
my $attempt = 'none yet';

foreach my $crashes (0, 1)
{
	foreach my $end (qw(ROLLBACK COMMIT))
	{
		my $when = "$end, " . ($crashes ? 'after a crash' : 'no crash');
		my $before = all_but_sequences();
		my $number = prepare($when);

		is($number, $last + 3, "$when: prepared");
		kill_server($node) if $crashes;
		# An answer needs a worker, whose first snapshot is of now.
		fails_with($node, 'postgres', '57014', "SET ROLE analyst; SET statement_timeout = '1s'; $ask", "$when: an answer gives up");
		fails_with($node, 'postgres', '55P03', q{SET ROLE owner; SET lock_timeout = '1s'; SELECT pprepub_internal.shard_begin('patients')}, "$when: so does who begins");
		is($node->safe_psql('postgres', 'SELECT count(*) > 0, max(release) FROM published.patients_all'), "t|$shown", "$when: what is out can be read");
		fails_with($node, 'postgres', '57014', "SET statement_timeout = '1s'; SELECT FROM published.patients", "$when: but for the view of the newest one, which waits");
		my $asks = $end eq 'COMMIT' ? start_sql($node, 'postgres', 'SET ROLE analyst', $ask) : undef;
		!defined $asks || $node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND locktype = 'object'}) or die 'nobody waits';
		$node->safe_psql('postgres', "$end PREPARED '$when'");
		if (defined $asks)
		{
			is(finish_sql($asks) . $asks->{out}, "0t\n", "$when: an answer that has waited comes");
			is(as_owner(qq{SELECT string_agg(number || kind, ' ' ORDER BY number) FROM pprepub.release WHERE number > $last}),
				join(' ', $last + 1 . 'query', $last + 2 . 'query', $last + 3 . 'stored', $last + 4 . 'query'), "$when: behind what was prepared");
			($last, $shown, $attempt) = ($last + 4, $last + 3, $when);
		}
		else
		{
			same_everything(all_but_sequences(), $before, "$when: nothing is there");
		}
		is(as_owner(q{SELECT pprepub_internal.shard_attempt('patients')}), $attempt, "$when: the last attempt that was committed");
		is(as_owner(q{SELECT string_agg(check_name, ' ') FROM pprepub.audit('patients') WHERE NOT holds}), '', "$when: an audit holds");
		is(tables_of_nothing($node, 'postgres'), '', "$when: nothing is left over");
		is($node->safe_psql('postgres', 'SELECT count(*) FILTER (WHERE NOT holds), count(*) > 0 FROM pprepub.storage s, pprepub.verify_storage(s."table")'), '0|t', "$when: tables are whole");
	}
}
# A guard is dumped, and restored, with the condition.
sub warning_of { $node->psql('postgres', "SET ROLE owner; $_[0]", stderr => \my $words); return $words =~ /WARNING:  (.*)/ ? $1 : $words }

my $declare = q{SELECT pprepub.create_publication('%s', 'hospital.%1$s', 'id', '{"age": "range"}', 'disease', params => '{"k": 5}', shard => '%s')};
as_owner('CREATE TABLE hospital.moved AS SELECT * FROM hospital.patients; CREATE TABLE hospital.stayed AS SELECT * FROM hospital.patients');
is(warning_of(sprintf $declare, 'stayed', 'id > 0'), '', 'nobody moves out of a condition of the key');
is(warning_of(sprintf $declare, 'moved', 'id > 0 AND zip >= $$1$$'), '', 'another one can be guarded still');
is(warning_of(q{BEGIN; SELECT pprepub.publish('moved'); ROLLBACK}), 'people can move out of the shard of publication "moved"', 'an owner is warned where it is not');
as_owner(q{SELECT pprepub_internal.shard_guard('moved', 'sixteen bytes ok');
	SELECT pprepub_internal.shard_clear('moved', ARRAY(SELECT pprepub_internal.keyed_hash(i::text, 'sixteen bytes ok') FROM generate_series(1, 1500) i))});
is(warning_of(q{SELECT pprepub.publish('moved')}), '', 'and not where it is');
foreach my $format (qw(plain custom))
{
	my $restored = restored($node, $format);

	same_everything(everything($node, $restored), everything($node, 'postgres'), "$format: all of it comes back");
	is($node->safe_psql($restored, q{SET client_min_messages = error; SET ROLE owner; SELECT pprepub.acknowledge_history('moved'); SELECT count(*) FROM pprepub_internal.shard_arrivals('moved');
		SELECT rows FROM pprepub.publish('moved')}), "\n500\n1500", "$format: those who were not cleared stay out");
	fails_with($node, $restored, '23514', q{SET ROLE owner; INSERT INTO hospital.moved VALUES (-1); SELECT pprepub.publish('moved')}, "$format: and other shards' rows");
}
$node->stop;
done_testing();
