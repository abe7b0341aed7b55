-- Rights that the former owner gave away on private relations do not survive the take-over.
BEGIN;
CREATE ROLE regress_old; CREATE ROLE regress_new; CREATE ROLE regress_crony;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_old', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION regress_old;
SET ROLE regress_old;
CREATE TABLE ward.t AS SELECT i AS id, i%10 AS age, 'd'||i%5 AS d FROM generate_series(1,100) i;
SELECT pprepub.create_publication('p','ward.t','id','{"age":"range"}','d','bpg','{"k":3,"l":2}', target=>'out');
SELECT count(*) FROM pprepub.publish('p');
RESET ROLE;
\if :asserts
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';
SET ROLE regress_old;
SELECT count(*) FROM answer_here('p', NULL, NULL) a (class bigint, age int4range, d text);
GRANT SELECT ON out_private.p_regions TO regress_crony;
\endif
SET ROLE regress_old;
GRANT CREATE, USAGE ON SCHEMA out_private TO regress_crony;
GRANT SELECT ON out_private.p_members, out_private.p_source TO regress_crony;
RESET ROLE;
ALTER SCHEMA out OWNER TO regress_new; ALTER SCHEMA out_private OWNER TO regress_new; ALTER TABLE ward.t OWNER TO regress_new; GRANT USAGE ON SCHEMA ward TO regress_new;
SELECT throws_ok($$ SELECT pprepub.alter_publication('p', '{}') $$, NULL, NULL, 'a private schema that others may create in is refused at the take-over, too');
REVOKE CREATE ON SCHEMA out_private FROM regress_crony;
SELECT lives_ok($$ SELECT pprepub.alter_publication('p', '{}') $$, 'without them, the publication is taken over');
SELECT ok(NOT has_table_privilege('regress_crony', 'out_private.p_members', 'SELECT'), 'the former owner''s grants on the log are gone');
SELECT ok(NOT has_table_privilege('regress_crony', 'out_private.p_source', 'SELECT'), 'and those on the pinned view');
\if :asserts
SELECT ok(NOT has_table_privilege('regress_crony', 'out_private.p_regions', 'SELECT'), 'and those on what is kept of answers');
SELECT is((SELECT relowner::regrole::text FROM pg_class WHERE oid = 'out_private.p_regions'::regclass), 'regress_new', 'which is the new owner''s, too');
SELECT count(*) FROM answer_here('p', NULL, NULL) a (class bigint, age int4range, d text);
SELECT is((SELECT count(*) FROM pprepub.audit('p') WHERE NOT holds), 0::bigint, 'with the answers of both');
\endif
