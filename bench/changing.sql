-- Method sequential on a table that people come to and leave: test/run bench changing
--
-- Age (60 years), zip (500 codes), sex, and one of 12 diseases, the rare ones rarer; k = 3.  A share of the people is replaced
-- before each release.  Columns vary: {age, sex, disease}, {zip, disease}, {age, zip}, {sex, disease}, {age, disease}.
-- Seconds of each release, or why it was refused; loss is of its quasi-identifiers; audit is of all releases together.
SET client_min_messages = error;
\set QUIET on
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, sex text, disease text);
CREATE FUNCTION come(first int, last int, codes int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO people SELECT i, 20 + (h[1] % 60)::int, (53000 + h[2] % codes)::text, (ARRAY['F', 'M'])[1 + h[3] % 2], 'disease ' || (h[4] % 1000 * (h[5] % 1000) * 12 / 1000000)
	FROM (SELECT i, array_agg(hashint8extended(i, n) & 1048575 ORDER BY n) AS h FROM generate_series(first, last) i, generate_series(1, 5) n GROUP BY i) drawn $$;
CREATE TABLE figures (people int, replaced numeric, release int, columns text, outcome text, seconds numeric, loss numeric, audit numeric);
CREATE FUNCTION seconds_since(t timestamptz) RETURNS numeric LANGUAGE sql AS $$ SELECT round(extract(epoch FROM clock_timestamp() - t), 2) $$;
CREATE PROCEDURE live(size int, replaced numeric) LANGUAGE plpgsql AS $$
DECLARE
	shown text[] := '{"{age,sex,disease}","{zip,disease}","{age,zip}","{sex,disease}","{age,disease}"}';
	n int := (size * replaced)::int;
	began timestamptz;
	number int;
	outcome text;
	took numeric;
BEGIN
	TRUNCATE people;
	PERFORM come(1, size, 500);
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'sequential', '{"k": 3, "seed": 1}');
	FOR r IN 1 .. cardinality(shown) LOOP
		began := clock_timestamp();
		BEGIN
			number := (pprepub.publish('people', columns => shown[r]::name[])).number;
			outcome := 'published';
		EXCEPTION WHEN no_data_found THEN
			number := NULL;
			outcome := 'refused';
		END;
		took := seconds_since(began);
		began := clock_timestamp();
		PERFORM FROM pprepub.audit('people');
		INSERT INTO figures VALUES (size, replaced, r, shown[r], outcome, took,
			(SELECT round(value::numeric, 1) FROM pprepub.metrics('people', number) WHERE number IS NOT NULL AND metric = 'loss_percent'), seconds_since(began));
		COMMIT;
		DELETE FROM people p WHERE p.id > (r - 1) * n AND p.id <= r * n;
		PERFORM come(size + (r - 1) * n + 1, size + r * n, 500);
	END LOOP;
	PERFORM pprepub.drop_publication('people', true);
END $$;
CALL live(600, 0);
CALL live(600, 0.04);
CALL live(1200, 0.04);
CALL live(5000, 0.02);
CALL live(5000, 0.10);
SELECT people, replaced, release, columns, outcome, seconds, loss AS "loss, %", audit AS "audit, s" FROM figures ORDER BY 1, 2, 3;
