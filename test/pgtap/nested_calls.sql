-- A source's own code may not do everything while its publication is at work.
SET search_path = public;
BEGIN;
CREATE TABLE t AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS d FROM generate_series(1, 100) i;
CREATE TABLE seen (what text);
CREATE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF n = 1 THEN
		EXECUTE current_setting('test.call');
	END IF;
	RETURN n;
EXCEPTION WHEN insufficient_privilege THEN
	INSERT INTO public.seen VALUES (SQLERRM);
	RETURN n;
END $$;
CREATE VIEW v AS SELECT f(id) AS id, age, d FROM t;
SELECT pprepub.create_publication('p', 'v', 'id', '{"age": "range"}', 'd', 'bpg', '{"k": 3, "l": 2}');

CREATE FUNCTION calls(VARIADIC calls text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	call text; answer text; people bigint;
BEGIN
	FOREACH call IN ARRAY calls LOOP
		PERFORM set_config('test.call', call, true);
		DELETE FROM seen;
		PERFORM pprepub.preview('p');
		RETURN NEXT matches((SELECT string_agg(what, ' ') FROM seen), 'within a security-restricted operation', 'within preview: ' || call);
		BEGIN
			DELETE FROM seen;
			PERFORM pprepub.publish('p');
			answer := (SELECT string_agg(what, ' ') FROM seen);
			people := (SELECT count(*) FROM pprepub.class_members('p'));
			RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
		END;
		RETURN NEXT matches(answer, 'within a security-restricted operation', 'within publish: ' || call);
		RETURN NEXT is(people, 100::bigint, 'and the release is whole');
	END LOOP;
END $$;
SELECT calls(
	$$SELECT pprepub.drop_publication('p', true)$$,
	$$SELECT pprepub.alter_publication('p', '{"k": 1, "accept_weakening": true}')$$,
	$$SELECT pprepub.publish('p')$$,
	$$SELECT pprepub.import_release('p', 'public.t', 'id')$$,
	$$SELECT pprepub.create_publication('q', 'public.t', 'id', '{"age": "range"}', 'd', 'bpg', '{"k": 1}', beside => '{p}')$$,
	$$SELECT pprepub.create_range_taxonomy('r', 0, 10, '{1}')$$,
	$$SELECT pprepub.drop_taxonomy('r')$$);
