-- The history of an answer says what the answer said, whatever the type of its sensitive values and the settings of the asker.
\if :asserts
\else
SELECT skip('only where there are assertions');
\quit
\endif
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';

CREATE TYPE pair AS (a int, b text);
CREATE TYPE mood AS ENUM ('sad', 'fine', 'happy');
CREATE DOMAIN short AS varchar(5);
CREATE TABLE types (type text, answered text, value text);
INSERT INTO types VALUES
	('int[]', NULL, 'ARRAY[i % 5, NULL, 2]'), ('text[]', NULL, 'ARRAY[''a,b'', ''"x'', NULL, (i % 4)::text]'), ('pair', NULL, 'ROW(i % 5, NULL)::pair'),
	('mood', NULL, '(enum_range(NULL::mood))[1 + i % 3]'), ('char(4)', NULL, '''c'' || i % 4'), ('short', 'varchar(5)', '''s'' || i % 4'),
	('bytea', NULL, 'decode(md5((i % 4)::text), ''hex'')'), ('float8', NULL, 'sqrt(i % 5)'), ('float4', NULL, 'sqrt(i % 5)::float4'),
	('jsonb', NULL, 'jsonb_build_object(''a'', i % 4)'), ('timestamptz', NULL, '''2020-01-01''::timestamptz + i % 4 * interval ''1 hour'''),
	('numeric', NULL, '(i % 4)::numeric / 3'), ('bool', NULL, 'i % 3 = 0'), ('interval', NULL, 'i % 4 * interval ''1 hour'''), ('name', NULL, '(''n'' || i % 4)::name'),
	('int4range', NULL, 'int4range(i % 3, 9)'), ('uuid', NULL, 'md5((i % 4)::text)::uuid'), ('text', NULL, 'repeat(md5((i % 4)::text), 5000)');

CREATE FUNCTION try(type text, answered text, value text) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
BEGIN
	EXECUTE format('CREATE TABLE person AS SELECT i AS id, i AS age, CASE WHEN i %% 7 > 0 THEN (%s)::%s END AS s, (%1$s)::%2$s AS plain FROM generate_series(1, 60) i', value, type);
	PERFORM pprepub.create_publication('person', 'person', 'id', '{"age": "range"}', 's', 'bpg', '{"k": 5, "repair": "counterfeit"}', '{plain}');
	EXECUTE format('CREATE TABLE got AS SELECT * FROM answer_here(''person'', NULL, NULL) a (class bigint, age int4range, s %1$s, plain %1$s)', coalesce(answered, type));
	RETURN NEXT is((SELECT count(*) FROM (SELECT s::text, plain::text FROM got EXCEPT ALL SELECT s::text, plain::text FROM person) d), 0::bigint, format('%s: what left is what is there', type));
	DELETE FROM person WHERE id % 11 = 3;
	PERFORM count(*) FROM (SELECT * FROM pprepub.publish('person')) r;
	EXECUTE format('SELECT FROM answer_here(''person'', NULL, ''{s, plain}'') a (class bigint, age int4range, s %1$s, plain %1$s)', coalesce(answered, type));
	SET LOCAL extra_float_digits = -3;
	SET LOCAL bytea_output = escape;
	SET LOCAL datestyle = german;
	SET LOCAL intervalstyle = iso_8601;
	SET LOCAL timezone = 'Pacific/Chatham';
	SET LOCAL array_nulls = off;
	RETURN NEXT is((SELECT count(*) FROM pprepub.audit('person') WHERE NOT holds), 0::bigint, format('%s: all holds', type));
	PERFORM pprepub.drop_publication('person', true);
	DROP TABLE person, got;
END
$fn$;
SELECT format('SELECT try(%L, %L, %L)', type, answered, value) FROM types \gexec
