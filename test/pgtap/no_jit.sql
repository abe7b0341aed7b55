-- Nothing that a publication runs is compiled first, whatever the planner thinks it costs: for two
-- dozen rows, that took seconds.
BEGIN;
SET jit = on;
SET jit_above_cost = 0;

CREATE SEQUENCE looked;
CREATE FUNCTION look() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM nextval('public.looked');
	IF current_setting('jit') <> 'off' THEN
		RAISE EXCEPTION 'this may be compiled';
	END IF;
END $$;

-- Has somebody looked, since it was asked?
CREATE FUNCTION looks() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	looks bigint := nextval('public.looked');
BEGIN
	PERFORM setval('public.looked', 1);
	RETURN looks > 2;
END $$;

-- A source and a key's type that look whether anything may be compiled.
CREATE FUNCTION seen(value int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM public.look(); RETURN value; END $$;
CREATE TYPE tag AS (number int);
CREATE FUNCTION tag_compare(a tag, b tag) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM public.look(); RETURN btrecordcmp(a, b); END $$;
CREATE FUNCTION tag_less(a tag, b tag) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM public.look(); RETURN btrecordcmp(a, b) < 0; END $$;
CREATE FUNCTION tag_equal(a tag, b tag) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM public.look(); RETURN btrecordcmp(a, b) = 0; END $$;
CREATE FUNCTION tag_hash(a tag) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM public.look(); RETURN hashint4(a.number); END $$;
CREATE OPERATOR == (FUNCTION = tag_equal, LEFTARG = tag, RIGHTARG = tag);
CREATE OPERATOR << (FUNCTION = tag_less, LEFTARG = tag, RIGHTARG = tag);
CREATE OPERATOR CLASS tag_hashing DEFAULT FOR TYPE tag USING hash AS OPERATOR 1 == (tag, tag), FUNCTION 1 tag_hash(tag);
CREATE OPERATOR CLASS tag_sorting DEFAULT FOR TYPE tag USING btree AS
	OPERATOR 1 << (tag, tag), OPERATOR 3 == (tag, tag), FUNCTION 1 tag_compare(tag, tag);
CREATE TABLE people AS SELECT row(i)::tag AS id, i % 10 AS age, 'd' || i % 4 AS disease FROM generate_series(1, 20) i;
CREATE VIEW source AS SELECT id, seen(age) AS age, disease FROM people;
SELECT throws_ok($$ SELECT * FROM source $$, 'P0001', 'this may be compiled', 'the source can fail');
SELECT looks() \g /dev/null

SELECT lives_ok($$ SELECT pprepub.create_publication('p', 'source', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}') $$, 'create_publication');
SELECT is((SELECT value FROM pprepub.preview('p') WHERE metric = 'rows'), 20::float8, 'preview');
SELECT ok(looks(), 'looked');
SELECT is((SELECT rows FROM pprepub.publish('p')), 20::bigint, 'publish');
SELECT ok(looks(), 'looked');
DELETE FROM people WHERE age = 3;
SELECT is((SELECT rows FROM pprepub.publish('p')), 18::bigint, 'publish again');
SELECT looks() \g /dev/null
SELECT is_empty($$ SELECT * FROM pprepub.rebuild_history('p') WHERE NOT equal $$, 'rebuild_history');
SELECT ok(looks(), 'looked');
SELECT is_empty($$ SELECT * FROM pprepub.audit('p') WHERE NOT holds $$, 'audit');
SELECT ok(looks(), 'looked');
SELECT isnt_empty($$ SELECT * FROM pprepub.linked_values('p') $$, 'statistics');
SELECT ok(looks(), 'looked');
SELECT isnt_empty($$ SELECT * FROM pprepub.linkability('p') $$, 'linkability');
SELECT ok(looks(), 'looked');
SELECT is(current_setting('jit'), 'on', 'the caller''s setting is as it was');
