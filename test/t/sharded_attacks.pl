# Names of any kind; and what an analyst, or the owner of another object, gets out of a coordinator that one publisher would not tell.
use Hospital;

my ($node, @shards) = new_shards(2);

sub owner { return as_role($node, 'owner', $_[0]) }
sub analyst { return as_role($node, 'analyst', $_[0]) }

# Server 1 has another name, and the column age; both shards and all else need quotes.
$node->safe_psql('postgres', q{ALTER SERVER shard1 RENAME TO "Shard ""'Nord"; CREATE TYPE public."Mo'od" AS ENUM ('so', 'so ''so')});
$_->safe_psql('postgres', q{ALTER SCHEMA hospital RENAME TO "Kranken ""haus"; ALTER TABLE "Kranken ""haus".patients RENAME TO "Pa tients"; ALTER TABLE "Kranken ""haus"."Pa tients" RENAME age TO "A'g""e";
	ALTER TABLE "Kranken ""haus"."Pa tients" RENAME zip TO "release"; ALTER TABLE "Kranken ""haus"."Pa tients" RENAME disease TO "cells";
	CREATE TYPE public."Mo'od" AS ENUM ('so', 'so ''so'); ALTER TABLE "Kranken ""haus"."Pa tients" ADD COLUMN "Mood" public."Mo'od" DEFAULT 'so'}) foreach @shards;
owner(q{SELECT FROM pprepub.create_sharded_publication('Pa''tients', ARRAY['shard0', 'Shard "''Nord'], '"Kranken ""haus"."Pa tients"', 'id',
	'{"A''g\"e": "range", "release": "prefix", "sex": "suppress"}', 'cells', 'id % 2', params => '{"k": 5, "l": 3}', insensitive => '{Mood}', target => 'Pub "lic')});
is(owner(q{SELECT number, relation FROM pprepub.publish('Pa''tients')}), q{1|"Pub ""lic"."Pa'tients_1"}, 'names that need quotes: a release');
is(owner(q{SELECT relation FROM "Pub ""lic"."Pa'tients_releases"}), q{"Pub ""lic"."Pa'tients_1"}, 'its name');
is(owner(qq{SELECT count(*) = 2000 AND count("A'g""e") = 2000 AND count("Mood") = 2000 FROM "Pub ""lic"."$_"}), 't', "$_ is read") foreach qw(Pa'tients Pa'tients_1 Pa'tients_all Pa'tients_values Pa'tients_now);
is(owner(q{SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '"Pub ""lic"."Pa''tients_all"'::regclass AND attnum > 0}), q{release_ published_at class A'g"e release sex cells Mood}, 'its columns');
is(owner(q{SELECT bool_and(cells_ ? 'A''g"e') FROM "Pub ""lic"."Pa'tients_values"}), 't', 'cells by name');
is(owner(q{SELECT count(*) > 3 AND bool_and(people_at_least <= people_at_most) FROM "Pub ""lic"."Pa'tients_counts"('{"A''g\"e"}')}), 't', 'counts');
is(owner(q{SELECT count(*) > 0 FROM "Pub ""lic"."Pa'tients_now" WHERE "A'g""e" > 30 AND sex = 'F'}), 't', 'a condition');
is(owner(q{SELECT array_length(pprepub.forget_releases('Pa''tients', now()), 1) IS NULL}), 't', 'nothing to forget');

# A second publication, with usual names, for what follows.
$_->safe_psql('postgres', q{SET ROLE owner; CREATE SCHEMA hospital; CREATE TABLE hospital.patients AS SELECT id, "A'g""e" AS age, release AS zip, sex, cells AS disease FROM "Kranken ""haus"."Pa tients"; ALTER TABLE hospital.patients ADD PRIMARY KEY (id)}) foreach @shards;
owner($_) foreach q{SELECT FROM pprepub.drop_publication('Pa''tients', forget_history => true)}, q{SELECT FROM pprepub.create_sharded_publication('patients', ARRAY['shard0', 'Shard "''Nord'], 'hospital.patients', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'id % 2', params => '{"k": 5, "l": 3}')}, q{SELECT FROM pprepub.publish('patients')};
is(owner(q{SELECT count(*) FROM pg_class WHERE relnamespace IN ('"Pub ""lic"'::regnamespace, '"Pub ""lic_private"'::regnamespace) AND relname <> 'catalog'}), '0', 'dropped, with all that was made');
owner('GRANT USAGE ON SCHEMA published TO analyst; GRANT SELECT ON published.patients, published.patients_now, published.patients_values TO analyst; GRANT EXECUTE ON FUNCTION published.patients_counts TO analyst');

# Nobody gets to the foreign tables, which are read as the owner, nor to passwords.
fails_with($node, 'postgres', '42501', "SET ROLE analyst; SELECT FROM published_private.patients_1_$_", "no foreign table: $_") foreach qw(all releases now);
is(analyst(q{SELECT count(*) FROM pg_class WHERE relnamespace = 'published_private'::regnamespace AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')}), '0', 'no right to change one');
is(analyst(q{SELECT count(*) FROM pg_class WHERE relnamespace = 'published_private'::regnamespace AND has_table_privilege(oid, 'SELECT') AND relname !~ '_(now|answers)$'}), '0', 'nor to read one, but those that are read as oneself');
is(analyst('SELECT count(*) FROM pg_user_mappings WHERE umoptions IS NOT NULL'), '0', 'no options of mappings');
fails_with($node, 'postgres', '42501', 'SET ROLE analyst; SELECT FROM pg_user_mapping', 'no mapping');
is(analyst(q{SELECT count(*) FROM pg_stats WHERE schemaname LIKE 'published%'}), '0', 'no statistics');
unlike(analyst('EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM published.patients WHERE age && int4range(1, 50)'), qr/secret|owner/, 'EXPLAIN tells no account');
is(analyst(q{CREATE TEMP TABLE seen (n int); CREATE FUNCTION pg_temp.leak(c bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN INSERT INTO seen VALUES (c); RETURN true; END $$;
	SELECT FROM published.patients WHERE pg_temp.leak(class); SELECT count(*) = (SELECT count(*) FROM published.patients) FROM seen}), 't', 'a function sees the rows of the view alone');

# Links have names.  One that an analyst has opened under such a name, to a server of his own, is not used; nor is one left open.
is(analyst(sprintf q{SELECT dblink_connect('pprepub patients 1', 'host=%s port=%d dbname=postgres user=analyst password=looks'); SELECT count(*) FROM published.patients_counts('{sex}'); SELECT coalesce(array_length(dblink_get_connections(), 1), 0)},
	$shards[0]->host, $shards[0]->port), "OK\n2\n0", 'a link of the same name');
fails_like($node, 'postgres', q{SET ROLE analyst; SELECT published.patients_counts('{nobody}')}, qr/shows no column/, 'a failure');
is(analyst(q{DO $$ BEGIN PERFORM FROM published.patients_counts('{nobody}'); EXCEPTION WHEN OTHERS THEN END $$; SELECT coalesce(array_length(dblink_get_connections(), 1), 0)}), '0', 'a failure leaves no link');
is(analyst(q{DO $$ DECLARE n int := 0; c record; BEGIN FOR c IN SELECT published.patients_counts('{sex}') LOOP n := n + coalesce(array_length(dblink_get_connections(), 1), 0); END LOOP; RAISE NOTICE '%', n; CREATE TEMP TABLE n AS SELECT n; END $$; TABLE n}), '0', 'nor is one open while rows are read');
fails_like($node, 'postgres', "SET ROLE analyst; SELECT pprepub_internal.$_", qr/user mapping not found|does not belong/, "only the owner: $_")
	foreach q{on_shards('patients', 'SELECT 1')}, q{sharded_counts('patients', '{sex}', '{}', 1)}, q{show_sharded('patients')};
fails_with($node, 'postgres', '42501', "SET ROLE analyst; SELECT FROM pprepub.$_", "only the owner: $_") foreach q{publish('patients')}, q{finish_in_doubt('patients')}, q{drop_publication('patients')}, q{forget_releases('patients', now())};

# Functions, operators and types that stand before PostgreSQL's own in the search path, here and on the shards, are not called.
foreach my $server ($node, @shards)
{
	$server->safe_psql('postgres', <<'SQL');
CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC; CREATE TABLE evil.called (what text); GRANT ALL ON evil.called TO PUBLIC;
CREATE FUNCTION evil.format(text, text) RETURNS text LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('format'); SELECT $1 $$;
CREATE FUNCTION evil.format(text, int) RETURNS text LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('format'); SELECT $1 $$;
CREATE FUNCTION evil.format(text) RETURNS text LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('format'); SELECT $1 $$;
CREATE FUNCTION evil.count(bigint) RETURNS bigint LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('count'); SELECT $1 $$;
CREATE FUNCTION evil.jsonb_to_record(jsonb) RETURNS SETOF record LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('record'); SELECT 1 $$;
CREATE FUNCTION evil.eq(text, text) RETURNS boolean LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('='); SELECT $1 OPERATOR(pg_catalog.=) $2 $$;
CREATE FUNCTION evil.times(bigint, int) RETURNS bigint LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('*'); SELECT $1 OPERATOR(pg_catalog.*) $2 $$;
CREATE FUNCTION evil.eq(int, int) RETURNS boolean LANGUAGE sql AS $$ INSERT INTO evil.called VALUES ('='); SELECT $1 OPERATOR(pg_catalog.=) $2 $$;
CREATE OPERATOR evil.= (FUNCTION = evil.eq, LEFTARG = text, RIGHTARG = text); CREATE OPERATOR evil.* (FUNCTION = evil.times, LEFTARG = bigint, RIGHTARG = int); CREATE OPERATOR evil.= (FUNCTION = evil.eq, LEFTARG = int, RIGHTARG = int);
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (false); CREATE DOMAIN evil.int8 AS pg_catalog.int8 CHECK (false); CREATE DOMAIN evil.bigint AS pg_catalog.int8 CHECK (false); CREATE DOMAIN evil.jsonb AS pg_catalog.jsonb CHECK (false);
ALTER ROLE owner SET search_path = evil, pg_catalog; ALTER ROLE analyst SET search_path = evil, pg_catalog;
SQL
}
is(owner(q{SELECT number FROM pprepub.publish('patients', 'age > 40')}), '2', 'a hostile search path: a release');
is(owner(q{SELECT pg_catalog.bool_and(holds) FROM pprepub.audit('patients')}), 't', 'an audit');
is(owner("SELECT FROM pprepub.$_"), '', "$_") foreach q{alter_publication('patients', '{"max_answers_per_role": 100}')}, q{finish_in_doubt('patients')};
isnt(owner("SELECT pg_catalog.count(*) FROM pprepub.$_"), '0', "$_") foreach q{class_members('patients')}, q{metrics('patients', 1)}, q{groups('patients')}, q{linked_values('patients')}, q{link_profile('patients')};
is(analyst(q{SELECT pg_catalog.count(*) FROM published.patients_counts('{sex}')}), '2', 'counts');
isnt(analyst('SELECT pg_catalog.count(*) FROM published.patients_values'), '0', 'values');
is(join('', map { $_->safe_psql('postgres', 'TABLE evil.called') } $node, @shards), '', 'nothing of it was called');

# A shard that lies: what it calls a type, or a column, is nothing else in a statement here.
$shards[1]->safe_psql('postgres', q{ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER FUNCTION pprepub_internal.shard_relations(text) RENAME TO shard_relations_true;
	CREATE FUNCTION pprepub_internal.shard_relations(publication text, OUT suffix text, OUT is_full boolean, OUT comment text, OUT columns jsonb) RETURNS SETOF record LANGUAGE sql SET search_path = pg_catalog AS $$
		SELECT t.suffix, t.is_full, t.comment, (SELECT jsonb_agg(CASE c ->> 'name' WHEN 'principle' THEN c || '{"type": "text --"}'
				WHEN 'repair' THEN c || '{"name": "\n, repair text) SERVER shard0; CREATE TABLE published.owned (); --"}' ELSE c END ORDER BY i)
			FROM jsonb_array_elements(t.columns) WITH ORDINALITY u(c, i)) FROM pprepub_internal.shard_relations_true($1) t $$});
$node->psql('postgres', q{SET ROLE owner; DROP FOREIGN TABLE published_private.patients_2_releases CASCADE; SELECT FROM pprepub.finish_in_doubt('patients')});
is(owner(q{SELECT relname FROM pg_class WHERE relname = 'owned'}), '', 'nothing that a shard tells is run here');
$shards[1]->safe_psql('postgres', q{DROP FUNCTION pprepub_internal.shard_relations(text); ALTER FUNCTION pprepub_internal.shard_relations_true(text) RENAME TO shard_relations; ALTER EVENT TRIGGER pprepub_protect_commands ENABLE});
owner(q{DROP FOREIGN TABLE IF EXISTS published_private.patients_2_releases CASCADE; SELECT FROM pprepub.finish_in_doubt('patients'); GRANT SELECT ON published.patients, published.patients_now, published.patients_values TO analyst});

# Objects of others, or of another kind, where releases will be shown: an error before anything is published.
owner('CREATE TABLE published.patients_3 (x pg_catalog.int4)');
fails_with($node, 'postgres', '42P07', q{SET ROLE owner; SELECT FROM pprepub.publish('patients')}, 'a table in the way');
owner('DROP TABLE published.patients_3; GRANT CREATE ON SCHEMA published TO analyst');
fails_with($node, 'postgres', '42P15', q{SET ROLE owner; SELECT FROM pprepub.publish('patients')}, 'a schema in which others may create');
owner('REVOKE CREATE ON SCHEMA published FROM analyst; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO analyst');
is(owner(q{SELECT number FROM pprepub.publish('patients')}), '3', 'they are gone: nothing was published meanwhile');
is(owner(q{SELECT a.grantee::pg_catalog.regrole, a.privilege_type FROM pg_catalog.pg_class c, pg_catalog.aclexplode(relacl) a
	WHERE c.oid = 'published.patients_3'::pg_catalog.regclass AND a.grantee <> relowner}), 'analyst|SELECT', 'default privileges are no grants of a release');
owner('CREATE VIEW published.mine AS SELECT pg_catalog.count(*) FROM published.patients_1');
is(owner(q{SELECT pprepub.forget_releases('patients', pg_catalog.now())}), '{1,2}', 'a view of a release that is forgotten does not hinder it');
fails_with($node, 'postgres', '40001', 'SET ROLE owner; TABLE published.mine', 'and does not show a part of it');

# A shard that is away, or turns us down: no part of a release.  The error says which server, and no password.
$node->safe_psql('postgres', qq{CREATE USER MAPPING FOR analyst SERVER shard0 OPTIONS (user 'analyst', password 'looks'); CREATE USER MAPPING FOR analyst SERVER "Shard ""'Nord" OPTIONS (user 'analyst', password 'wrong secret')});
my @reads = ('TABLE published.patients', 'SELECT FROM published.patients LIMIT 1', 'TABLE published.patients_values', 'SELECT pg_catalog.count(*) FROM published.patients_now', q{SELECT * FROM published.patients_counts('{sex}')});
foreach my $away (0, 1)
{
	$shards[1]->stop('immediate') if $away;
	foreach my $read (@reads[$away ? (0 .. $#reads) : 3])
	{
		my ($out, $error);

		isnt($node->psql('postgres', $read, stdout => \$out, stderr => \$error, extra_params => [ '-U', 'analyst' ]), 0, "a shard is away: $read");
		is($out, '', 'no row');
		unlike($error, qr/secret/, 'no password');
	}
}
fails_like($node, 'postgres', q{SET ROLE owner; SELECT FROM pprepub.publish('patients')}, qr/connect/, 'nothing is published');
$shards[1]->start;
is(owner(q{SELECT number FROM pprepub.publish('patients')}), '4', 'it is back');
# Servers of the owner may lead to where a superuser needs no password: links of a superuser, whose monitoring calls metrics(), are the owner's.
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres', q{CREATE DATABASE trap OWNER owner; ALTER SERVER shard0 OWNER TO owner; ALTER SERVER "Shard ""'Nord" OWNER TO owner; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO owner});
as_role($node, 'owner', q{CREATE SCHEMA pprepub; CREATE TABLE pprepub.called (by_whom pg_catalog.name); CREATE TABLE pprepub.release (publication pg_catalog.text, number pg_catalog.int4, classes pg_catalog.int4);
	CREATE FUNCTION pprepub.metrics(pg_catalog.text, pg_catalog.int4, OUT metric pg_catalog.text, OUT value pg_catalog.float8) RETURNS SETOF record LANGUAGE plpgsql AS 'BEGIN INSERT INTO pprepub.called VALUES (current_user); END'}, database => 'trap');
owner(sprintf q{ALTER SERVER %1$s OPTIONS (SET host '%2$s', SET port '%3$d', SET dbname 'trap'); CREATE USER MAPPING FOR PUBLIC SERVER %1$s OPTIONS (user '%4$s')}, $_, $node->host, $node->port, $superuser) foreach 'shard0', q{"Shard ""'Nord"};
my $live = $node->safe_psql('postgres', q{SELECT format('CREATE VIEW published.%I AS SELECT %s FROM pprepub.metrics(NULL, 1) RIGHT JOIN (SELECT) s ON true;', substr(o, 12),
		(SELECT string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ') FROM pg_attribute WHERE attrelid = ftrelid AND attnum > 0))
	FROM pg_foreign_table, unnest(ftoptions) o WHERE o ~ '^table_name=.*_(now|answers)$'});
as_role($node, 'owner', "CREATE SCHEMA published; $live", database => 'trap');
$node->psql('postgres', $_) foreach q{SELECT FROM pprepub.metrics('patients', 4)}, 'TABLE published.patients_now', 'TABLE published.patients_answers';
is($node->safe_psql('trap', 'TABLE pprepub.called'), '', 'no code of the owner runs as a superuser');
$_->stop foreach $node, @shards;
done_testing();
