-- Keys and sensitive values of a type whose equality stands in no schema that the history is read with: a person who
-- comes back under another spelling is the same, and what is kept beside the log is what it tells.
BEGIN;
CREATE EXTENSION citext;
CREATE FUNCTION judge(name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is((SELECT bool_and(equal) FROM pprepub.rebuild_history(name)), true, name || ': what is kept is as the log tells');
	RETURN NEXT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit(name) WHERE NOT holds), NULL, name || ': and audit() finds it so');
END $$;
CREATE FUNCTION live(method text, params jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE people AS SELECT ('p' || i)::citext AS id, i % 50 AS age, ('d' || i % 7)::citext AS ill FROM generate_series(1, 200) i;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', method, params);
	PERFORM pprepub.publish('people');
	RETURN QUERY SELECT judge('people');
	UPDATE people SET id = upper(id), ill = upper(ill) WHERE age < 25;
	PERFORM pprepub.publish('people');
	RETURN QUERY SELECT judge('people');
	RETURN NEXT is((SELECT count(DISTINCT key) FROM pprepub.linked_values('people')), 200::bigint, method || ': nobody is taken for somebody else');
	PERFORM pprepub.drop_publication('people', true);
	DROP TABLE people;
END $$;
SELECT live('bpg', '{"k": 5, "l": 2}');
SELECT live('m-invariance', '{"m": 4}');
SELECT live('global', '{"l": 2, "strategy": "constant-ratio", "releases": 3}');
