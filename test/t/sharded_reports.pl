# What is asked of a sharded publication is asked of its shards, and put together: here three of one database, by a loopback
# server.  Shards do not share a value of column ward, so that one publication that has imported all of their rows tells the same.
use Hospital;

my @words = qw(a b c);
my $node = new_server('main', conf => 'max_prepared_transactions = 10');
my $hba = $node->data_dir . '/pg_hba.conf';
my $lines = slurp_file($hba);
unlink $hba;
append_to_file($hba, "local all owner,auditor scram-sha-256\n$lines");
$node->reload;
make_patients($node, 'postgres', 3000);
$node->safe_psql('postgres', sprintf(q{CREATE EXTENSION dblink; CREATE EXTENSION postgres_fdw; ALTER ROLE owner PASSWORD 'word'; CREATE ROLE auditor LOGIN PASSWORD 'word'; CREATE ROLE stranger;
	CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%d', dbname 'postgres'); GRANT USAGE ON FOREIGN SERVER here TO owner, auditor, stranger;
	CREATE USER MAPPING FOR owner SERVER here OPTIONS (user 'owner', password 'word');
	CREATE USER MAPPING FOR auditor SERVER here OPTIONS (user 'auditor', password 'word')}, $node->host, $node->port));

sub as { my ($role, $sql) = @_; return $node->safe_psql('postgres', "SET client_min_messages = error; SET ROLE $role; $sql") }
sub owner { return as('owner', @_) }

my $columns = q{'{"age": "range", "zip": "prefix", "ward": "suppress"}', 'disease'};
owner(qq{ALTER TABLE hospital.patients ADD ward text; UPDATE hospital.patients SET ward = chr(97 + id % 3);
	SELECT format('CREATE VIEW hospital.p%1\$s AS SELECT * FROM hospital.patients WHERE ward = %1\$L', w) FROM unnest('{a,b,c}'::text[]) w \\gexec
	SELECT pprepub.create_sharded_publication('patients', array_fill('here'::name, ARRAY[3]), '{hospital.pa,hospital.pb,hospital.pc}', 'id',
		$columns, 'ward', '{a,b,c}', params => '{"k": 5, "l": 3}');
	SELECT pprepub.publish('patients');
	SELECT pprepub.publish('patients', columns => '{age,ward,disease}')});

# ---- All rows in one publication, which has imported them: the same figures ----

owner(qq{SELECT pprepub.create_publication('together', 'hospital.patients', 'id', $columns, params => '{"k": 5, "l": 3}', target => 'together', beside => '{patients_a,patients_b,patients_c}')});
foreach my $n (1, 2)
{
	my $log = join ' UNION ALL ', map { "SELECT unnest(keys) AS id, unnest(sensitive) AS disease, class * 1000 + " . (ord($_) - 96) . " AS class FROM published_private.patients_${_}_members WHERE release = $n" } @words;
	owner(qq{CREATE TABLE hospital.r$n AS SELECT m.id, t.*
		FROM (SELECT *, row_number() OVER (PARTITION BY class, disease) AS i FROM published.patients_$n) t
			JOIN (SELECT *, row_number() OVER (PARTITION BY class, disease ORDER BY id) AS i FROM ($log) m) m USING (class, disease, i);
		ALTER TABLE hospital.r$n DROP i;
		SELECT pprepub.import_release('together', 'hospital.r$n', 'id', accept_changes => true)});
}
sub equal
{
	my ($sql, $what) = @_;
	my @answers = map { owner(sprintf $sql, $_) } qw(patients together);

	isnt($answers[0], '', "$what: figures");
	is($answers[0], $answers[1], "$what: those of one publication");
}
# Nodes are groups that the join makes itself.
equal("SELECT to_jsonb(l) - 'nodes' FROM pprepub.linkability('%s', '{1}') l", 'linkability of one release');
foreach my $kind (qw(mj fmj kmj_unifying))
{
	equal("SELECT to_jsonb(l) - 'nodes' FROM pprepub.linkability('%s', '{1,2}', '$kind') l", "linkability by $kind");
	equal("SELECT count(*), md5(string_agg(l::text, '' ORDER BY l.tuple)) FROM pprepub.link_profile('%s', '{1,2}', '$kind') l", "link_profile by $kind");
}
equal("SELECT measure, value::numeric(20, 10), meaning FROM pprepub.risks('%s', $_, 0.07) WHERE measure <> 'class_median'", "risks of release $_") foreach 1, 2;
is(owner("SELECT value FROM pprepub.metrics('patients', $_) WHERE metric = 'dm'"), owner("SELECT sum(n * n) FROM (SELECT count(*) AS n FROM published.patients_$_ GROUP BY class) c"), "metrics of release $_") foreach 1, 2;
equal("SELECT release, kind, other_release, min(records), min(sensitive_values), bool_and(holds) FROM pprepub.attack('%s') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3", 'attack');

# ---- What is put together ----

is(owner(q{SELECT count(*), count(DISTINCT class), bool_and(holds) FROM pprepub.class_members('patients') m, pprepub.audit('patients') a WHERE a.check_name = 'in_doubt'}),
	owner(q{SELECT 2 * count(*), count(DISTINCT class), true FROM published.patients_1}), 'classes of all shards have different numbers');
is(owner(q{SELECT * FROM pprepub.historical_correlations('patients') ORDER BY 1, 2, 3, 4}), owner(q{SELECT release_a, class_a * 1000 + i, release_b, class_b * 1000 + i, unmatched
	FROM unnest('{a,b,c}'::text[]) WITH ORDINALITY u(w, i), pprepub.historical_correlations('patients_' || w) ORDER BY 1, 2, 3, 4}), 'of correlations, too');
is(owner(q{SELECT string_agg(check_name, ',' ORDER BY check_name) FROM pprepub.audit('patients') WHERE measured !~ '^shard [123]: ' OR check_name IN ('numbers', 'conditions')}),
	'conditions,in_doubt,numbers', 'checks of all shards together');
is(owner(q{SELECT count(*) FROM pprepub.audit('patients', '{"k": 11}') WHERE NOT holds AND worst ->> 'shard' IN ('1', '2', '3') AND measured ~ '^shard '}),
	owner(q{SELECT count(*) FROM unnest('{a,b,c}'::text[]) w, pprepub.audit('patients_' || w, '{"k": 11}') WHERE NOT holds}), 'checks that fail tell the shard');
owner(q{SELECT pprepub.assert_safe('patients')});
fails_with($node, 'postgres', 'PP001', q{SET ROLE owner; SELECT pprepub.assert_safe('patients', '{"k": 11}')}, 'an assertion fails with one shard');
is(owner(q{SELECT m ->> 'verdict', m ->> 'rows', jsonb_path_query_array(m, '$.shards[*].publication') FROM pprepub.manifest('patients', 1) m}),
	'holds|3000|["patients_a", "patients_b", "patients_c"]', 'manifest: a part for each shard');
is(owner(q{SELECT jsonb_array_length(pprepub.manifest('patients', 1, 'dcat') -> 'dct:hasPart')}), '3', 'manifest as DCAT');
like(owner(q{SELECT r ->> 'sentence', r #>> '{shards,2,report,publication}' FROM (SELECT pprepub.report('patients', format => 'json')::jsonb AS r) r}),
	qr/^All checks hold on all 3 shards, and the smallest k is \d+, on shard \d, publication patients_[abc] on server here\.\|patients_c$/, 'report as JSON');
my $page = owner(q{SELECT pprepub.report('patients')});
ok($page =~ m{<p class="verdict good">All checks hold.*Shard 1: Report of publication patients_a.*id="shard-3-verdict"}s, 'a page with a part for each shard');
my %ids;
$ids{$_}++ foreach $page =~ / id="([^"]*)"/g;
is(join(',', grep { $ids{$_} > 1 } keys %ids), '', 'no place twice');
is(join(',', grep { !$ids{$_} } map { split / / } $page =~ /(?:aria-labelledby="|href="#)([^"]*)/g), '', 'all places that are named are there');
is(() = $page =~ /<h1>/g, 1, 'one title');
is(owner(q{SELECT releases, rows, people, refused, warnings, h.bytes = (SELECT sum(o.bytes) FROM pprepub.health o WHERE o.publication ~ '^patients_') FROM pprepub.health h WHERE publication = 'patients'}),
	'2|3000|3000|||t', 'health: a row of sums');

is($node->safe_psql('postgres', q{SET default_transaction_read_only = on; SELECT refused IS NULL FROM pprepub.health WHERE publication = 'patients'}), 't', 'health for a superuser, who has no user mapping');
owner(q{CREATE SCHEMA evil; CREATE FUNCTION evil.format(text, jsonb) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil'; END $$});
is(owner(q{SET search_path = evil, pg_catalog; SELECT count(*) FROM pprepub.attack('patients', '{"k": 2}')}), owner(q{SELECT 3 * count(*) FROM pprepub.attack('patients_a')}), 'whatever the search path');

# ---- Who may ----

owner(q{SELECT pprepub.grant_audit('patients', 'auditor')});
is(as('auditor', q{SELECT count(*) FROM pprepub.audit('patients') WHERE holds IS FALSE}), '0', 'an auditor on all shards may audit');
is(as('auditor', q{SELECT count(*) FROM pprepub.health}), '0', 'and sees no health');
fails_like($node, 'postgres', "SET ROLE auditor; SELECT * FROM pprepub.class_members('patients')", qr/must be owner of publication "patients_a"/, 'each shard judges rights');
fails_like($node, 'postgres', "SET ROLE auditor; SELECT pprepub.publish('patients')", qr/must be owner of publication "patients"$/m, 'the coordinator judges who may change');
fails_like($node, 'postgres', "SET ROLE stranger; SELECT * FROM pprepub.audit('patients')", qr/user mapping not found/, 'nothing without a user mapping');
fails_like($node, 'postgres', "SET ROLE owner; SELECT * FROM pprepub.$_", qr/cannot be called for all shards of publication "patients"\n(HINT|DETAIL): .*"patients_a" on server "here", "patients_b"/, "$_: for a shard")
	foreach "forecast('patients', 1)", "explore('patients')", "compromise('patients', '{1}')", "possible_parameters('patients')", "import_release('patients', 'hospital.r1')";
fails_like($node, 'postgres', "SET ROLE owner; SELECT * FROM pprepub.synthetic('patients', 1)", qr/cannot be called for all shards/, 'synthetic: for a shard');
is(as('stranger', q{CREATE TEMP TABLE unaware (f text, error text);
	DO $$ DECLARE f record; BEGIN
		FOR f IN SELECT p.oid::regprocedure AS f, format('SELECT * FROM pprepub.%I(%L%s)', proname, 'patients', (
				SELECT string_agg(format(', %s %L::%s', CASE WHEN i = pronargs AND provariadic <> 0 THEN 'VARIADIC' END, CASE t::regtype::text WHEN 'text[]' THEN '{1}' WHEN 'regclass' THEN 'pg_class'
					WHEN 'text' THEN '* * * * *' WHEN 'integer' THEN '1' WHEN 'name' THEN 'owner' WHEN 'timestamp with time zone' THEN 'now' END, t::regtype), '' ORDER BY i)
				FROM unnest(proargtypes) WITH ORDINALITY u(t, i) WHERE i > 1 AND i <= pronargs - pronargdefaults)) AS call
			FROM pg_proc p WHERE pronamespace = 'pprepub'::regnamespace AND proargnames[1] = 'publication' AND proname !~ '^create_'
		LOOP
			BEGIN
				EXECUTE f.call;
				INSERT INTO unaware VALUES (f.f, 'none');
			EXCEPTION WHEN OTHERS THEN
				INSERT INTO unaware SELECT f.f, SQLERRM WHERE SQLERRM !~ 'must be owner of publication "patients"|user mapping not found|cannot be called for all shards';
			END;
		END LOOP;
	END $$;
	SELECT * FROM unaware}), '', 'every function that names a publication knows of shards');
fails_like($node, 'postgres', "SELECT * FROM pprepub.audit('nobody')", qr/publication "nobody" does not exist/, 'no such publication');
fails_like($node, 'postgres', "SELECT * FROM pprepub.finish_in_doubt('together')", qr/sharded publication "together" does not exist/, 'not sharded');
is($node->safe_psql('postgres', q{SET client_min_messages = error; SELECT number FROM pprepub.publish('patients')}), '3', 'a superuser without a user mapping publishes as the owner');

# ---- What else is changed on all shards ----

is(owner(q{DELETE FROM hospital.patients WHERE id IN (7, 8); SELECT pprepub.forget_person('patients', '7', '8', '99999')}), '2', 'two people are forgotten, each by a shard');
is(owner(q{SELECT pprepub.forget_releases('patients', (SELECT max(published_at) FROM pprepub.release WHERE publication ~ '^patients_' AND number = 2))}), '{1}',
	'forgotten on all shards, or on none: not the release that one shard published before that moment');
is(owner(q{SELECT count(*) FROM pprepub.release WHERE publication ~ '^patients_' AND number = 2 AND relation IS NULL}), '0', 'it stays everywhere');
is(owner(q{SELECT fold, equal FROM pprepub.rebuild_history('patients')}), 'groups|t', 'history is rebuilt');
owner(q{SELECT pprepub.acknowledge_history('patients'); SELECT pprepub.revoke_audit('patients', 'auditor')});
fails_like($node, 'postgres', "SET ROLE auditor; SELECT * FROM pprepub.audit('patients')", qr/must be owner or auditor/, 'no auditor any more');

# ---- What is wrong is seen ----

owner(q{BEGIN; SELECT pprepub_internal.shard_begin('patients_b'); SELECT pprepub_internal.shard_publish('patients_b', 4, NULL, NULL); COMMIT});
is(owner(q{SELECT measured FROM pprepub.audit('patients') WHERE check_name = 'numbers' AND NOT holds}), 'shard 1: 3, shard 2: 4, shard 3: 3', 'numbers that differ');
ok(owner(q{SELECT pprepub.report('patients')}) =~ /Do not sign: each shard is safe alone/, 'a page says so');
is(owner(q{SELECT refused, warnings FROM pprepub.health WHERE publication = 'patients'}), 'numbers|{"numbers: shard 1: 3, shard 2: 4, shard 3: 3"}', 'health says so');
is(owner(q{SELECT number FROM pprepub.publish('patients')}), '5', 'the next number is that of all');
as('stranger', sprintf q{BEGIN; PREPARE TRANSACTION 'pprepub publish %s 1-1 3'}, owner(q{SELECT pprepub_internal.attempt_of('patients')}));
is(owner(q{SELECT count(*) FROM pprepub.audit('patients') WHERE NOT holds}), '0', 'a transaction that a stranger has prepared is none of these');
owner(sprintf q{BEGIN; CREATE TABLE hospital.x (); PREPARE TRANSACTION 'pprepub publish %s 1-1 2'}, owner(q{SELECT pprepub_internal.attempt_of('patients')}));
like(owner(q{SELECT measured FROM pprepub.audit('patients') WHERE check_name = 'in_doubt' AND NOT holds}), qr/^pprepub publish \w+ 1-1 2$/, 'what is in doubt');
is(owner(q{SELECT refused FROM pprepub.health WHERE publication = 'patients'}), 'in_doubt', 'health names it');
is(owner(q{SELECT action FROM pprepub.finish_in_doubt('patients')}), 'rolled back', 'it is finished');
is(owner(q{SELECT count(*) FROM pprepub.audit('patients') WHERE NOT holds}), '0', 'and all holds');
$node->safe_psql('postgres', q{ALTER USER MAPPING FOR owner SERVER here OPTIONS (SET password 'wrong')});
isnt($node->psql('postgres', "SET ROLE owner; SELECT * FROM pprepub.audit('patients')"), 0, 'a shard that does not answer: no audit');
like(owner(q{SELECT refused, warnings FROM pprepub.health ORDER BY publication}), qr/^shard\|.*password authentication failed.*(\n.*){4}$/, 'health says so, and has all other rows');
$node->stop;
done_testing();
