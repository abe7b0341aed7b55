-- Loss, withheld and invented rows in per cent, and the average class, as preview() and metrics() tell them, against figures computed by hand.

-- "loss withheld invented class"; of a release, what metrics() says of it, which must be what preview() said.
CREATE FUNCTION in_words(metrics jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(round((metrics->>name)::numeric, 4)::text, ' ' ORDER BY place)
	FROM unnest('{loss_percent,withheld_percent,invented_percent,average_class}'::text[]) WITH ORDINALITY f (name, place)
$$;
CREATE FUNCTION foreseen(name text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT in_words(jsonb_object_agg(metric, value)) FROM pprepub.preview(name, cohort, columns)
$$;
CREATE FUNCTION measured(name text, number int) RETURNS text LANGUAGE sql AS $$
	SELECT in_words(jsonb_object_agg(metric, value)) FROM pprepub.metrics(name, number)
$$;
CREATE FUNCTION made(name text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before text := foreseen(name, cohort, columns);
	release pprepub.release := pprepub.publish(name, cohort, columns);
	after text := measured(name, release.number);
BEGIN
	RETURN CASE WHEN before = after THEN after ELSE format('foreseen were %s, measured %s', before, after) END;
END
$$;

-- Two classes of three. Ages lie between 30 and 69: cells are 1 and 8 of 39 wide. Six zips: cells of three lose 2/5.
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text);
INSERT INTO people VALUES (11, 30, '5310', 'flu'), (12, 31, '5311', 'cold'), (13, 30, '5312', 'flu'),
	(14, 61, '7710', 'gout'), (15, 62, '7711', 'flu'), (16, 69, '7712', NULL);
CREATE FUNCTION declare_bpg(repair text) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(repair, 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg',
		jsonb_build_object('k', 3, 'l', 2, 'reserve', 1, 'repair', repair), beside => (SELECT coalesce(array_agg(p.name::text), '{}') FROM pprepub.publication p))
$$;
SELECT declare_bpg(repair) FROM unnest('{dirty,counterfeit}'::text[]) repair \g /dev/null

SELECT is(made('dirty'), '25.7692 0.0000 0.0000 3.0000', '(3/39 + 24/39 + 12/5) of 6 * 2 cells, nobody withheld');
SELECT is(made('counterfeit'), '25.7692 0.0000 0.0000 3.0000', 'while nobody has left');

-- Of columns, those that are shown.
SELECT is(foreseen('dirty', columns => '{age,ill}'), '11.5385 0.0000 0.0000 3.0000', '27/39 of 6 cells');
SELECT is(foreseen('dirty', columns => '{zip}'), '40.0000 0.0000 0.0000 3.0000', '12/5 of 6 cells');
SELECT is(foreseen('dirty', columns => '{ill}'), '0.0000 0.0000 0.0000 3.0000', 'no cell, no loss');

-- One of the second class leaves: the other two are withheld, or an invented row takes that place. Ages are 32 wide by now, and five zips left.
DELETE FROM people WHERE id = 16;
SELECT is(made('dirty', columns => '{zip,ill}'), '50.0000 40.0000 0.0000 3.0000', '3 * 2/4 of 3 cells, 2 of 5 people withheld');
SELECT is(foreseen('dirty'), '26.5625 40.0000 0.0000 3.0000', '(3/32 + 3 * 2/4) of 3 * 2 cells');
SELECT is(made('counterfeit'), '21.5625 0.0000 16.6667 3.0000', '(3/32 + 3 * 2/4 + 2/32 + 2 * 1/4) of 5 * 2 cells, 1 of 6 rows invented');
SELECT is(made('counterfeit', columns => '{age,ill}'), '3.1250 0.0000 16.6667 3.0000', '(3/32 + 2/32) of 5 cells: those of invented rows do not count');

-- A taxonomy: a node with two of four leaves loses one of the three others.
CREATE TABLE branches AS SELECT 'leaf' || i AS leaf, 'branch' || i / 2 AS branch, 'root' AS root FROM generate_series(0, 3) i;
SELECT pprepub.create_taxonomy('branches', 'branches') \g /dev/null
CREATE TABLE leaves AS SELECT i AS id, 'leaf' || i AS leaf, 'd' || i AS ill FROM generate_series(0, 3) i;
SELECT pprepub.create_publication('leaves', 'leaves', 'id', '{"leaf": "taxonomy branches"}', 'ill', 'bpg', '{"k": 2, "l": 2, "reserve": 1}') \g /dev/null
SELECT is(made('leaves'), '33.3333 0.0000 0.0000 2.0000', '4 * 1/3 of 4 cells');

-- Of a cohort: of three people who were asked for, two are shown, with one who was not.
SELECT is(made('dirty', 'age IN (30, 61)', '{age,ill}'), '3.1250 33.3333 0.0000 3.0000', '3/32 of 3 cells, 1 of 3 people withheld');
SELECT is(made('dirty', 'age < 40', '{age,ill}'), '3.1250 0.0000 0.0000 3.0000', '3/32 of 3 cells');
SELECT is(made('dirty', 'age < 40', '{ill}'), '0.0000 0.0000 0.0000 3.0000', 'no cell, no loss, in a release');

-- Answers have them, too, be they empty: all cells of the first, 30 to 31, are what the cohort's ages cover.
SELECT count(*) FROM published.dirty('age < 40', '{age,ill}') \g /dev/null
SELECT is(measured('dirty', 6), '100.0000 0.0000 0.0000 3.0000', 'an answer is measured against its cohort');
SELECT count(*) FROM published.dirty('age > 40', '{age,ill}') \g /dev/null
SELECT is(measured('dirty', 7), '0.0000 100.0000 0.0000 0.0000', 'an answer in which everybody is withheld');
SELECT count(*) FROM published.dirty('age > 80', '{age,ill}') \g /dev/null
SELECT is(measured('dirty', 8), '0.0000 0.0000 0.0000 0.0000', 'an answer about nobody');
SELECT is((SELECT count(*) FROM pprepub.release r, pprepub.metrics('dirty', r.number) WHERE publication = 'dirty' AND value NOT BETWEEN 0 AND 100 AND metric ~ 'percent'), 0::bigint,
	'shares are shares');

SELECT is((SELECT count(*) FROM pprepub.release WHERE kind = 'query' AND phases <> '{}'), 0::bigint, 'of answers it is not told where their time went');
SELECT is((SELECT bool_and(phases ? 'store rows') FROM pprepub.release WHERE kind = 'stored'), true, 'of other releases it is');

-- They come first, and are not kept with each release: they are made of what is.
SELECT results_eq($$ SELECT metric FROM pprepub.metrics('dirty', 6) LIMIT 6 $$, '{loss_percent,withheld_percent,invented_percent,stale_percent,average_class,lm}'::text[], 'in this order');
SELECT is((SELECT count(*) FROM pprepub_internal.catalog_metric WHERE metric ~ 'percent$|average'), 0::bigint, 'they are not kept');
SELECT is((SELECT count(*) FROM pprepub_internal.catalog_metric m JOIN pprepub_internal.catalog_release r ON r.publication = m.publication AND r.number = m.release WHERE m.metric ~ 'percent' AND r.kind = 'query'), 0::bigint, 'and nothing of columns is kept with answers');

-- Without a measure there is none: an import of which nobody knows whose its rows are.
CREATE TABLE elsewhere AS SELECT age::text, zip, ill FROM people;
SELECT pprepub.import_release('dirty', 'elsewhere') \g /dev/null
SELECT is(measured('dirty', 9), NULL, 'not of an import without a key');
DROP TABLE elsewhere;
CREATE TABLE elsewhere AS SELECT id, '[30,62]' AS age, ill FROM people;
SELECT pprepub.import_release('counterfeit', 'elsewhere', key => 'id') \g /dev/null
SELECT is(measured('counterfeit', 4), '100.0000 0.0000 0.0000 5.0000', 'of an import with a key: 5 of 5 cells');

-- ---- Other methods ----

CREATE TABLE four (id int PRIMARY KEY, age int, gender text, disease text);
INSERT INTO four VALUES (1, 20, 'male', 'measles'), (2, 20, 'female', 'hepatitis'), (3, 30, 'male', 'flu'), (4, 30, 'female', 'angina');
CREATE FUNCTION declare(method text, params jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pprepub.publication WHERE name = 'four') THEN
		PERFORM pprepub.drop_publication('four', true);
	END IF;
	PERFORM pprepub.create_publication('four', 'four', 'id', '{"age": "range", "gender": "suppress"}', 'disease', method, params);
END
$$;

-- Releases without classes: rows that are alike are one.
SELECT declare('sequential', '{"k": 2, "seed": 1}') \g /dev/null
SELECT is(made('four', columns => '{age,disease}'), '0.0000 0.0000 0.0000 2.0000', 'sequential: both ages as they are');
SELECT declare('sequential', '{"k": 4, "seed": 1}') \g /dev/null
SELECT is(made('four', columns => '{age,disease}'), '100.0000 0.0000 0.0000 4.0000', 'sequential: all ages withheld');

-- One of four diseases is as likely as the others.
SELECT declare('global', '{"l": 4, "strategy": "constant-ratio", "releases": 1}') \g /dev/null
SELECT is(made('four'), '100.0000 0.0000 0.0000 4.0000', 'global: one class of four');

-- Two people, and one of them leaves.
DELETE FROM four WHERE id IN (2, 3);
SELECT declare('m-invariance', '{"m": 2}') \g /dev/null
SELECT is(made('four'), '100.0000 0.0000 0.0000 2.0000', 'm-invariance: one pair');
DELETE FROM four WHERE id = 4;
SELECT is(made('four'), '0.0000 0.0000 50.0000 2.0000', 'm-invariance: one row is invented; one age and one gender are nothing to lose');
