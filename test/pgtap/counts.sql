-- Bounds of the newest release: they hold against the truth, are the same each time, need SELECT on the view and no more, and
-- call nothing that others have planted.
SET extra_float_digits = 1;
BEGIN;

CREATE ROLE regress_owner;
CREATE ROLE regress_reader;
CREATE ROLE regress_stranger;
CREATE ROLE regress_column;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner', current_database()) \gexec

-- The rows of a query, or the SQLSTATE, message, detail and hint of its error.
CREATE FUNCTION tried(role name, sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
	result text;
BEGIN
	PERFORM set_config('role', role, true);
	EXECUTE format('SELECT string_agg(s::text, E''\n'') FROM (%s) s', sql) INTO result;
	PERFORM set_config('role', 'none', true);
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('|', SQLSTATE, message, nullif(detail, ''), nullif(hint, ''));
END
$$;

CREATE SCHEMA ward AUTHORIZATION regress_owner;
SET ROLE regress_owner;
CREATE TABLE ward.levels AS SELECT * FROM (VALUES ('France', 'Europe', 'World'), ('Italy', 'Europe', 'World'), ('Japan', 'Asia', 'World'), ('India', 'Asia', 'World'),
	('Antarctica', 'Antarctica', 'World')) v(leaf, mid, root);
SELECT pprepub.create_taxonomy('world', 'ward.levels') \g /dev/null
SELECT pprepub.create_range_taxonomy('ladder', 0, 100, '{5,10,50}') \g /dev/null
CREATE TABLE ward.people AS
	SELECT i AS id, ((h >> 3) % 60 + 18)::int AS age, ((h >> 7) % 400) / 8.0 AS weight, date '2026-01-01' + ((h >> 11) % 300)::int AS admitted,
		timestamptz '2026-01-01 00:00+00' + ((h >> 13) % 864000) * interval '1 second' AS seen,
		((ARRAY['531', '532', '601', '99'])[1 + (h >> 5) % 4] || (h >> 17) % 10) AS zip, (ARRAY['France', 'Italy', 'Japan', 'India', 'Antarctica'])[1 + (h >> 19) % 5] AS country,
		((h >> 23) % 100)::int AS score, (ARRAY['F', 'F', 'F', 'M', 'X'])[1 + (h >> 29) % 5] AS sex, 'd' || (h >> 31) % 5 AS disease, 'n' || (h >> 37) % 3 AS note
	FROM (SELECT i, hashint8extended(i, 4) & 9223372036854775807 AS h FROM generate_series(1, 600) i) s;
UPDATE ward.people SET age = NULL WHERE id % 40 = 0;
UPDATE ward.people SET sex = NULL WHERE id % 50 = 1;
UPDATE ward.people SET disease = NULL WHERE id % 60 = 2;
CREATE VIEW ward.others AS SELECT * FROM ward.people;
\set qis '''{"age": "range", "weight": "range", "admitted": "range", "seen": "range", "zip": "prefix", "country": "taxonomy world", "score": "taxonomy ladder", "sex": "suppress"}'''
SELECT pprepub.create_publication('pub', 'ward.people', 'id', :qis, 'disease', 'bpg', '{"k": 4, "l": 2, "reserve": 1}', insensitive => '{note}', target => 'out') \g /dev/null
RESET ROLE;

-- ---- Before there is a release ----

SELECT is(tried('regress_reader', $$ SELECT * FROM pprepub_internal.counts('pub', '{age}', '{}', NULL) $$), '42501|permission denied for schema out', 'without any right');
GRANT USAGE ON SCHEMA out TO regress_reader, regress_stranger, regress_column;
SELECT is(tried('regress_reader', $$ SELECT * FROM out.pub_counts('{age}') $$),
	'55000|publication "pub" has no release of everybody yet|Its owner makes one with pprepub.publish().', 'no release yet');
SELECT is(tried('regress_owner', $$ SELECT rows, suppressed, dirty, counterfeits FROM pprepub.publish('pub') $$), '(600,0,0,0)', 'all are in the release, and nobody else');

-- ---- Rights ----

GRANT SELECT ON out.pub TO regress_reader;
GRANT SELECT (sex, disease) ON out.pub TO regress_column;
SELECT is(tried('regress_reader', $$ SELECT * FROM out.pub_counts('{note}') $$),
	(SELECT string_agg(format('("{""note"": ""%s""}",%s,%2$s,%2$s,%2$s,%2$s,%2$s)', note, n), E'\n' ORDER BY note) FROM (SELECT note, count(*) AS n FROM ward.people GROUP BY note) c),
	'SELECT on the view is enough');
SELECT is(tried('regress_stranger', sql), '42501|permission denied for view pub', 'a stranger hears one thing:' || sql) FROM (VALUES
	($$ SELECT * FROM out.pub_counts('{age}') $$), ($$ SELECT * FROM out.pub_counts('{no such}') $$), ($$ SELECT * FROM pprepub_internal.counts('pub', '{age}', '{"age": "no such"}', NULL) $$),
	($$ SELECT * FROM pprepub_internal.counts('pub', '{id}', NULL, NULL) $$)) v(sql);
SELECT is(tried('regress_stranger', $$ SELECT * FROM pprepub_internal.counts('absent', '{age}', '{}', NULL) $$), '42704|publication "absent" does not exist', 'a publication that does not exist');
SELECT is(tried('regress_column', $$ SELECT sum(people_at_least) FROM out.pub_counts('{disease}') $$), '(600)', 'SELECT on a column lets count by it');
SELECT is(tried('regress_column', $$ SELECT * FROM out.pub_counts('{disease,age}') $$), '42501|permission denied for view pub', 'and by no other');
SELECT is(tried('regress_column', $$ SELECT count(*) FROM pprepub_internal.counted_node WHERE publication = 'pub' $$), '(0)', 'nor see the nodes of another');
SELECT is(tried('regress_reader', $$ SELECT count(*) > 0 FROM pprepub_internal.counted_node WHERE publication = 'pub' $$), '(t)', 'those of a column that one may read are seen');
SELECT is(concat_ws(' ', prosecdef, provolatile, proowner::regrole, has_function_privilege('regress_stranger', oid, 'EXECUTE')), 'f s regress_owner t', 'the function runs as its caller')
	FROM pg_proc WHERE oid = 'out.pub_counts'::regproc;

-- ---- Bounds and the truth ----

-- Whether somebody's value lies in a bin of a column: a function without a query of its own is one with the query that calls it.
CREATE FUNCTION nodes_over(country text) RETURNS text[] STABLE LANGUAGE sql AS $$ SELECT ARRAY[leaf, mid, root] FROM ward.levels WHERE leaf = country $$;
CREATE FUNCTION is_in(name text, value text, bin text) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN value IS NULL OR bin IS NULL THEN value IS NULL AND bin IS NULL
		WHEN name IN ('age') THEN value::int <@ bin::int4range
		WHEN name = 'weight' THEN value::numeric <@ bin::numrange
		WHEN name = 'admitted' THEN value::date <@ bin::daterange
		WHEN name = 'seen' THEN value::timestamptz <@ bin::tstzrange
		WHEN name = 'score' THEN value::numeric <@ bin::numrange
		WHEN name = 'country' THEN bin = ANY (nodes_over(value))
		WHEN name IN ('zip', 'sex') AND bin LIKE '%*' THEN starts_with(value, rtrim(bin, '*'))
		ELSE value = bin END
$$;
CREATE TABLE fact AS SELECT id, p.key AS name, p.value FROM ward.people s, jsonb_each_text(to_jsonb(s)) p;
-- 'fine', or the rows that are not, and what the estimates sum up to
CREATE FUNCTION judged(by name[], bins jsonb) RETURNS text LANGUAGE sql AS $$
	WITH c AS MATERIALIZED (SELECT row_number() OVER () AS n, * FROM out.pub_counts(by, bins)),
		b AS MATERIALIZED (SELECT n, key, value FROM c, jsonb_each_text(bin)),
		lies AS MATERIALIZED (SELECT key, d.value, id FROM (SELECT DISTINCT key, value FROM b) d JOIN fact ON name = key WHERE is_in(key, fact.value, d.value)),
		hit AS (SELECT n, id FROM b JOIN lies ON b.key = lies.key AND b.value IS NOT DISTINCT FROM lies.value GROUP BY n, id HAVING count(*) = cardinality(by)),
		t AS (SELECT c.*, coalesce(hits, 0) AS truth FROM c LEFT JOIN (SELECT n, count(*) AS hits FROM hit GROUP BY n) h USING (n))
	SELECT coalesce(string_agg(format('%s: %s <= %s, %s <= %s', bin, people_at_least, truth, estimate, people_at_most), '; ')
		FILTER (WHERE NOT (truth BETWEEN people_at_least AND people_at_most AND estimate BETWEEN people_at_least - 1e-6 AND people_at_most + 1e-6)), 'fine') || ' ' ||
		round(sum(estimate)::numeric, 6)
	FROM t
$$;
CREATE TEMP TABLE counted (name name);
INSERT INTO counted SELECT unnest('{age,weight,admitted,seen,zip,country,score,sex,disease,note}'::name[]);
SELECT is(judged(ARRAY[name], '{}'), 'fine 600.000000', 'bins that are chosen: ' || name) FROM counted;
SELECT is(judged(ARRAY[a.name, b.name], '{}'), 'fine 600.000000', format('bins that are chosen: %s and %s', a.name, b.name))
	FROM counted a, counted b WHERE a.name < b.name;
SELECT is(judged('{sex,age,country}', '{"age": 15}'), 'fine 600.000000', 'three columns');
SELECT is(judged('{sex,age,note,country}', '{"age": 30, "country": ["Europe", "Asia", "Antarctica"]}'), 'fine 600.000000', 'four columns');
SELECT is(judged(ARRAY[name], jsonb_build_object(name, bins)), 'fine 600.000000', format('bins by number: %s %s', name, bins)) FROM (VALUES
	('age', to_jsonb(1)), ('age', '7'), ('age', '1000'), ('weight', '0.7'), ('weight', '10'), ('weight', '1e3'), ('admitted', '30'), ('admitted', '7'), ('seen', '86400'), ('seen', '1234.5'),
	('zip', '1'), ('zip', '2'), ('zip', '3'), ('zip', '9')) v(name, bins);
SELECT is(split_part(judged(ARRAY[name], jsonb_build_object(name, bins::jsonb)), ' ', 1), 'fine', format('given bins: %s %s', name, bins)) FROM (VALUES
	('age', '["[20,30)", "[25,40]", "(,)", "[,18)", "[90,)", "empty", null]'), ('weight', '["[1.5,1.5]", "(10,20]", "[20,20]"]'), ('admitted', '["[2026-02-01,2026-03-01)"]'),
	('zip', '["531*", "5311", "5*", "*", "7*", "", null]'), ('country', '["Europe", "World", "Japan", "Antarctica", null]'), ('score', '["[0,5)", "[0,50)", "[0,100)"]'),
	('sex', '["F", "other", "*", null]'), ('disease', '["d1", "d1", "none", null]'), ('note', '["n1"]')) v(name, bins);

SELECT is(tried('regress_reader', format('SELECT * FROM out.pub_counts(%L, %L)', ARRAY[name], jsonb_build_object(name, bounds::jsonb))),
	tried('regress_reader', format('SELECT * FROM out.pub_counts(%L, %L)', ARRAY[name], jsonb_build_object(name, bins::jsonb))), 'bounds are the ranges between: ' || bounds) FROM (VALUES
	('age', '[18, 40, "65"]', '["[18,40)", "[40,65)"]'), ('weight', '[1.5, 20]', '["[1.5,20)"]'), ('admitted', '["2026-02-01", "2026-03-01", "2026-04-01"]', '["[2026-02-01,2026-03-01)", "[2026-03-01,2026-04-01)"]'),
	('seen', '["2026-02-01 10:00+00", "2026-03-01"]', '["[2026-02-01 10:00+00,2026-03-01)"]')) v(name, bounds, bins);

-- The figures of the functions are those that everybody can compute.
SELECT results_eq($$ SELECT bin ->> 'age', bin ->> 'sex', people_at_least, people_at_most FROM out.pub_counts('{age,sex}', '{"age": ["[20,40)", "[30,60)"], "sex": ["F", "M"]}') $$,
	$$ SELECT a::text, s, count(*) FILTER (WHERE pprepub.lies_in(age, a) AND pprepub.lies_in(sex, s)), count(*) FILTER (WHERE pprepub.touches(age, a) AND pprepub.touches(sex, s))
	   FROM out.pub, unnest('{"[20,40)","[30,60)"}'::int4range[]) WITH ORDINALITY a(a, i), unnest('{F,M}'::text[]) s GROUP BY a, i, s ORDER BY i, s $$, 'bounds by hand');
SELECT is(round((SELECT estimate FROM out.pub_counts('{weight}', '{"weight": ["[10,20)"]}'))::numeric, 6),
	(SELECT round(sum(pprepub.share_in(weight, numrange(10, 20), whole))::numeric, 6)
	 FROM out.pub, (SELECT numrange(min(lower(weight)), max(upper(weight)), '[]') AS whole FROM out.pub) w), 'an estimate by hand');
SELECT ok(count(*) > 1 AND bool_and(bin ->> 'age' ~ '^\[' OR bin ->> 'age' IS NULL) AND count(*) < 16, 'about ten bins are chosen') FROM out.pub_counts('{age}');
SELECT ok(bool_or(people_at_least > 0) AND bool_or(people_at_most < 600), 'some of them tell something') FROM out.pub_counts('{age}', '{"age": 20}');
SELECT is((SELECT array_agg(bin ->> 'country') FROM out.pub_counts('{country}')), (SELECT array_agg(node ORDER BY lower(pprepub.leaves(node, 'world'))) FROM unnest('{France,Italy,Japan,India,Antarctica}'::text[]) node),
	'all leaves, from left to right');
SELECT is((SELECT array_agg(bin::text) FROM out.pub_counts('{sex,note}', '{"sex": ["M", null]}')),
	'{"{\"sex\": \"M\", \"note\": \"n0\"}","{\"sex\": \"M\", \"note\": \"n1\"}","{\"sex\": \"M\", \"note\": \"n2\"}","{\"sex\": null, \"note\": \"n0\"}","{\"sex\": null, \"note\": \"n1\"}","{\"sex\": null, \"note\": \"n2\"}"}'::text[],
	'combinations come in the order of their bins');

-- Each time the same, also by another plan
CREATE TEMP TABLE once AS SELECT * FROM out.pub_counts('{age,zip,weight}', '{"weight": 10}');
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
SELECT results_eq($$ SELECT * FROM out.pub_counts('{age,zip,weight}', '{"weight": 10}') $$, 'TABLE once', 'equal to the last digit');
RESET max_parallel_workers_per_gather;
RESET enable_hashagg;
SAVEPOINT read_only;
SET LOCAL transaction_read_only = on;
SELECT count(*) AS readable FROM (SELECT * FROM out.pub_counts('{age,zip,weight}', '{"weight": 10}') EXCEPT TABLE once) s \gset
ROLLBACK TO read_only;
SELECT is(:readable, 0, 'also where nothing can be written');
SELECT is((SELECT count(*) FROM pprepub.release WHERE publication = 'pub'), 1::bigint, 'no release was made of it');

-- ---- Errors ----

SELECT is(tried('regress_reader', format('SELECT * FROM out.pub_counts(%L, %L)', by, bins)), error, format('%s %s', by, bins)) FROM (VALUES
	('{}', '{}', '22023|invalid list of columns to count by|There are 0.|Name up to 4 columns of the release, each once: ''{age,sex}''.'),
	('{age,sex,zip,note,disease}', '{}', '22023|invalid list of columns to count by|There are 5.|Name up to 4 columns of the release, each once: ''{age,sex}''.'),
	('{age,age}', '{}', '22023|invalid list of columns to count by|Column "age" is named twice.|Name up to 4 columns of the release, each once: ''{age,sex}''.'),
	('{NULL}', '{}', '22023|invalid list of columns to count by|One is NULL.|Name up to 4 columns of the release, each once: ''{age,sex}''.'),
	(NULL, '{}', '22004|the columns to count by must not be null'),
	('{id}', '{}', '42703|the newest release of publication "pub" shows no column "id"|Columns to count by: age, weight, admitted, seen, zip, country, score, sex, disease, note.'),
	('{class}', '{}', '42703|the newest release of publication "pub" shows no column "class"|Columns to count by: age, weight, admitted, seen, zip, country, score, sex, disease, note.'),
	('{age}', '[]', '22023|bins must be a JSON object|Give bins by column: {"age": 10, "sex": ["F", "M"]}.'),
	('{age}', '{"sex": ["F"]}', '22023|there are bins of column "sex", which is not counted by|Name it among the columns to count by, or leave its bins out.'),
	('{age,weight,admitted}', '{"age": 1, "weight": 0.1}', '54000|there are more than 10000 combinations of bins|Count by fewer columns, or give fewer bins.')) v(by, bins, error);
SELECT is(split_part(tried('regress_reader', format('SELECT * FROM out.pub_counts(%L, %L)', ARRAY[name], jsonb_build_object(name, bins::jsonb))), '|Bins', 1), error, format('bins %s of %s', bins, name)) FROM (VALUES
	('age', '0', '22023|invalid bins of column "age"|A width is more than 0.'),
	('age', '-1', '22023|invalid bins of column "age"|A width is more than 0.'),
	('age', '0.5', '22023|invalid bins of column "age"|The width of bins of whole numbers or days is a whole number.'),
	('weight', '1e-9', '22023|invalid bins of column "weight"|They would be more than 10000.'),
	('seen', '1e-7', '22023|invalid bins of column "seen"|The width of bins of times is a whole number of microseconds.'),
	('age', '"10"', '22023|invalid bins of column "age"|They are of another JSON type.'),
	('age', 'null', '22023|invalid bins of column "age"|They are of another JSON type.'),
	('age', '{}', '22023|invalid bins of column "age"|They are of another JSON type.'),
	('age', '[]', '22023|invalid bins of column "age"|The list is empty.'),
	('age', '[20]', '22023|invalid bins of column "age"|The list may hold strings and null only.'),
	('age', '[["[20,30)"]]', '22023|invalid bins of column "age"|The list may hold strings and null only.'),
	('age', '[20, null, 30]', '22023|invalid bins of column "age"|The list may hold strings and null only.'),
	('age', '[40, 20]', '22000|range lower bound must be less than or equal to range upper bound'),
	('age', '["20"]', '22P02|malformed range literal: "20"|Missing left parenthesis or bracket.'),
	('age', '["[30,20)"]', '22000|range lower bound must be less than or equal to range upper bound'),
	('age', '["[a,b)"]', '22P02|invalid input syntax for type integer: "a"'),
	('country', '["Mars"]', '22023|invalid bins of column "country"|There was no node "Mars" when the release was made.'),
	('country', '2', '22023|invalid bins of column "country"|A number says nothing of them.'),
	('sex', '1', '22023|invalid bins of column "sex"|A number says nothing of them.'),
	('note', '1', '22023|invalid bins of column "note"|A number says nothing of them.'),
	('zip', '0', '22023|invalid bins of column "zip"|There must be one character at least.'),
	('zip', '1e30', '22023|invalid bins of column "zip"|There must be one character at least.')) v(name, bins, error);
SELECT is(split_part(tried('regress_reader', $$ SELECT * FROM out.pub_counts('{age}', '{"age": ["20"]}') $$), '|', 4),
	'Bins of ranges are a width (of dates in days, of times in seconds), bounds, or a list: 10, [20, 30, 65], ["[20,30)", "[30,65)", null].', 'a type''s own error says what is accepted, too');
SELECT is(tried('regress_reader', $$ SELECT * FROM out.pub_counts('{age}', NULL) EXCEPT SELECT * FROM out.pub_counts('{age}') $$), NULL, 'no object is as good as an empty one');

-- ---- Planted names ----

CREATE SCHEMA planted;
GRANT USAGE ON SCHEMA planted TO PUBLIC;
CREATE TABLE planted.called (what text);
GRANT INSERT ON planted.called TO PUBLIC;
CREATE FUNCTION planted.caught(what text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO planted.called VALUES (what); RETURN true; END $$;
CREATE FUNCTION planted.count(anyelement) RETURNS bigint LANGUAGE sql AS $$ SELECT planted.caught('count')::int::bigint $$;
CREATE FUNCTION planted.text(anyelement) RETURNS text LANGUAGE sql AS $$ SELECT planted.caught('text')::text $$;
CREATE FUNCTION planted.equal(anyrange, anyrange) RETURNS boolean LANGUAGE sql AS $$ SELECT planted.caught('=') $$;
CREATE FUNCTION planted.equal(int4range, int4range) RETURNS boolean LANGUAGE sql AS $$ SELECT planted.caught('=') $$;
CREATE FUNCTION planted.equal(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT planted.caught('=') $$;
CREATE OPERATOR planted.= (FUNCTION = planted.equal, LEFTARG = int4range, RIGHTARG = int4range);
CREATE OPERATOR planted.&& (FUNCTION = planted.equal, LEFTARG = int4range, RIGHTARG = int4range);
CREATE OPERATOR planted.<@ (FUNCTION = planted.equal, LEFTARG = int4range, RIGHTARG = int4range);
CREATE OPERATOR planted.< (FUNCTION = planted.equal, LEFTARG = int4range, RIGHTARG = int4range);
CREATE OPERATOR planted.= (FUNCTION = planted.equal, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR planted.< (FUNCTION = planted.equal, LEFTARG = text, RIGHTARG = text);
CREATE FUNCTION planted.counts(text, name[], jsonb, int) RETURNS TABLE (bin jsonb, people_at_least bigint, estimate float8, people_at_most bigint, rows_at_least bigint, rows_estimate float8, rows_at_most bigint)
	LANGUAGE sql AS $$ SELECT NULL::jsonb, 1::bigint, planted.caught('counts')::int::float8, 1::bigint, 1::bigint, 1::float8, 1::bigint $$;
CREATE FUNCTION planted.lies_in(int4range, int4range) RETURNS boolean LANGUAGE sql AS $$ SELECT planted.caught('lies_in') $$;
CREATE TABLE planted.pub AS TABLE out.pub WITH NO DATA;
CREATE TABLE planted.catalog_publication AS SELECT 1 AS publication, 'pub' AS name, 'planted' AS target;
CREATE COLLATION planted."C" FROM "C";
CREATE TEMP TABLE pub AS TABLE out.pub WITH NO DATA;
CREATE TEMP TABLE catalog_column AS SELECT 'id' AS name;
CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (planted.caught('domain'));
SET search_path = planted, pg_temp, public, pg_catalog;
SELECT pg_catalog.string_agg(c OPERATOR(pg_catalog.||) '', ';' ORDER BY n) AS hostile FROM (SELECT pg_catalog.row_number() OVER () AS n, c::pg_catalog.text AS c FROM out.pub_counts('{age,zip,weight}', '{"weight": 10}') c) s \gset
SELECT pg_catalog.string_agg(c OPERATOR(pg_catalog.||) '', ';' ORDER BY n) AS hostile_mixed
	FROM (SELECT pg_catalog.row_number() OVER () AS n, c::pg_catalog.text AS c FROM out.pub_counts('{country,disease,note,sex}') c) s \gset
SET search_path = public;
DROP TABLE pg_temp.pub, pg_temp.catalog_column;
DROP DOMAIN pg_temp.text;
SELECT is(:'hostile', (SELECT string_agg(once::text, ';' ORDER BY n) FROM (SELECT row_number() OVER () AS n, once FROM once) s), 'the same numbers behind a hostile search path');
SELECT is(:'hostile_mixed', (SELECT string_agg(c::text, ';' ORDER BY n) FROM (SELECT row_number() OVER () AS n, c FROM out.pub_counts('{country,disease,note,sex}') c) s), 'of other kinds, too');
SELECT is((SELECT string_agg(DISTINCT what, ', ') FROM planted.called), NULL, 'and nothing planted was called');

-- ---- Releases of some columns, trees that grow, views that are gone, owners that change ----

INSERT INTO ward.levels VALUES ('Brazil', 'America', 'World');
SELECT is(tried('regress_owner', $$ SELECT pprepub.extend_taxonomy('world', 'ward.levels'), pprepub.alter_publication('pub', '{}') $$), '("","")', 'the taxonomy grows');
SELECT is((SELECT count(*) FROM out.pub_counts('{country}')), 5::bigint, 'a release keeps the leaves of its day');
SELECT is(tried('regress_owner', $$ SELECT kind FROM pprepub.publish('pub', columns => '{age,country,disease}') $$), '(stored)', 'a release of some columns');
SELECT is((SELECT count(*) FROM out.pub_counts('{country}')), 5::bigint, 'is not what is counted');
SELECT is(tried('regress_owner', $$ SELECT kind FROM pprepub.publish('pub') $$), '(stored)', 'another release of everybody');
SELECT is((SELECT count(*) FROM out.pub_counts('{country}')), 6::bigint, 'the next one has those of today');

DROP FUNCTION out.pub_counts;
SELECT is(tried('regress_owner', $$ SELECT pprepub.alter_publication('pub', '{}') $$), '("")', 'a function that was dropped');
SELECT is(tried('regress_reader', $$ SELECT count(*) FROM out.pub_counts('{country}') $$), '(6)', 'is made again');
SELECT is(tried('regress_owner', $$ SELECT pprepub.drop_publication('pub', true) $$), '("")', 'with the publication');
SELECT is_empty($$ SELECT proname FROM pg_proc WHERE pronamespace = 'out'::regnamespace $$, 'its functions go');

-- ---- Hostile names; all methods; sources of nobody ----

SET ROLE regress_owner;
CREATE TABLE ward."Peo""ple 'x'" AS SELECT i AS "the ""Key""", i % 50 AS "A ""ge' $1", CASE WHEN i % 3 = 0 THEN 'it''s "x"' ELSE E'back\\slash' END AS "SELECT", 'v' || i % 7 AS "count(*)"
	FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('Pub "1" ''x''; $1', 'ward."Peo""ple ''x''"', 'the "Key"', '{"A \"ge'' $1": "range", "SELECT": "suppress"}', 'count(*)', 'bpg', '{"k": 3, "l": 2}',
	target => 'The "Target" ''t''') \g /dev/null
SELECT pprepub.publish('Pub "1" ''x''; $1') \g /dev/null
RESET ROLE;
SELECT is((SELECT sum(estimate)::numeric(9, 3) FROM "The ""Target"" 't'"."Pub ""1"" 'x'; $1_counts"('{"A \"ge'' $1",SELECT,count(*)}', '{"A \"ge'' $1": 10, "SELECT": ["it''s \"x\"", "back\\slash"]}')), 100.000, 'hostile names');

-- Methods that have no classes, or do not answer
SET ROLE regress_owner;
CREATE TABLE ward.few AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('few', 'ward.few', 'id', '{"age": "range"}', 'disease', 'sequential', '{"k": 2}', target => 'out') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
RESET ROLE;
SELECT is((SELECT sum(estimate)::numeric(9, 3) FROM out.few_counts('{age}')), 60.000, 'method sequential');
SELECT is(tried('regress_owner', $$ SELECT pprepub.drop_publication('few', true) $$), '("")', 'dropped');

-- Nobody in it; nothing but NULL; nothing but withheld cells
SET ROLE regress_owner;
CREATE TABLE ward.odd (id int, age int, day date, zip text, sex text, disease text);
INSERT INTO ward.odd SELECT i, NULL, date '2026-01-01', '5' || i, i::text, 'd' || i % 2 FROM generate_series(1, 4) i;
SELECT pprepub.create_publication('odd', 'ward.odd', 'id', '{"age": "range", "day": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'bpg', '{"k": 4, "l": 2}', target => 'out') \g /dev/null
SELECT pprepub.publish('odd') \g /dev/null
RESET ROLE;
SELECT results_eq(format('SELECT bin ->> %L, people_at_least, estimate, people_at_most FROM out.odd_counts(ARRAY[%1$L::name])', name), expected, name) FROM (VALUES
	('age', $$ VALUES ('(,)', 0::bigint, 0::float8, 0::bigint), (NULL, 4, 4, 4) $$),
	('day', $$ VALUES ('[2026-01-01,2026-01-02)', 4::bigint, 4::float8, 4::bigint) $$),
	('zip', $$ VALUES ('*', 0::bigint, 4::float8, 4::bigint) $$),
	('sex', $$ VALUES ('*', 0::bigint, 4::float8, 4::bigint) $$)) v(name, expected);

-- Another owner
CREATE ROLE regress_heir;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_heir', current_database()) \gexec
ALTER SCHEMA out OWNER TO regress_heir;
ALTER SCHEMA out_private OWNER TO regress_heir;
ALTER SCHEMA ward OWNER TO regress_heir;
ALTER TABLE ward.odd OWNER TO regress_heir;
SELECT is(tried('regress_heir', $$ SELECT pprepub.alter_publication('odd', '{}') $$), '("")', 'a new owner takes over');
SELECT is(proowner::regrole::text, 'regress_heir', 'also the function') FROM pg_proc WHERE oid = 'out.odd_counts'::regproc;
SELECT is(tried('regress_heir', $$ SELECT pprepub.drop_publication('odd', true) $$), '("")', 'and drops it');
