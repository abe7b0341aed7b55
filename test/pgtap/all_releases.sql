-- TARGET.NAME_all: which releases it shows, to whom, and what others can make of its server.
BEGIN;

CREATE ROLE all_owner;
CREATE ROLE all_analyst;
CREATE ROLE all_reader;
SELECT format('GRANT CREATE ON DATABASE %I TO all_owner, all_analyst', current_database()) \gexec
SET ROLE all_owner;
CREATE SCHEMA ward;
CREATE TABLE ward.people AS SELECT i AS id, i AS age, 'd' || i % 3 AS disease, repeat('note ' || i % 2, 1000) AS note FROM generate_series(1, 12) i;
SELECT pprepub.create_publication('p', 'ward.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "l": 2}', '{note}') \g /dev/null
SELECT number FROM pprepub.publish('p') \g /dev/null
SELECT number FROM pprepub.publish('p', 'age < 7') \g /dev/null
SELECT number FROM pprepub.publish('p', columns => '{disease, age}') \g /dev/null
SELECT number FROM pprepub.publish('p', columns => '{disease, note, age}') \g /dev/null
CREATE TABLE ward.made AS SELECT id, int4range(1, 13) AS age, disease, note FROM ward.people;
SELECT number FROM pprepub.import_release('p', 'ward.made', 'id') \g /dev/null
SELECT number FROM pprepub.publish('p') \g /dev/null

CREATE VIEW ward.by_hand AS SELECT 1 AS release, * FROM published.p_1 UNION ALL SELECT 4, * FROM published.p_4 UNION ALL SELECT 6, * FROM published.p_6;
CREATE VIEW ward.by_table AS SELECT (p_all).* FROM (SELECT a AS p_all FROM published.p_all a) a;
SELECT set_eq('SELECT release, class, age, disease, note FROM ward.by_table', 'SELECT * FROM ward.by_hand', 'releases of everybody with all columns, and no others');
SELECT set_eq('SELECT release, published_at FROM published.p_all', 'SELECT number, published_at FROM pprepub.release WHERE number IN (1, 4, 6)', 'with number and time');
SELECT is((SELECT array_agg(length(n) ORDER BY r) FROM (SELECT r, (SELECT max(note) FROM published.p_all WHERE release = r) FROM generate_series(1, 6) r) by_release(r, n)),
	ARRAY[6000, NULL, NULL, 6000, NULL, 6000], 'scanned again and again, with other conditions');
SELECT is((SELECT count(*) FROM published.p_all a JOIN published.p_all b USING (release) WHERE release IN (SELECT 6 UNION SELECT 4)), 288::bigint, 'joined with itself');
SELECT is((SELECT count(DISTINCT release) FROM (SELECT release FROM published.p_all LIMIT 13) first), 2::bigint, 'as far as rows are wanted');
DECLARE rows_of CURSOR FOR SELECT release, note FROM published.p_all;
FETCH 5 FROM rows_of \g /dev/null
SELECT number FROM pprepub.publish('p') \g /dev/null
SELECT is((SELECT count(*) FROM published.p_all), 48::bigint, 'the next release is shown');
MOVE 100 IN rows_of \g /dev/null
CLOSE rows_of;

-- Rights on it, on columns of it, and by way of views
CREATE VIEW ward.last AS SELECT * FROM published.p_all WHERE release = 6;
GRANT USAGE ON SCHEMA published, ward TO all_analyst, all_reader;
GRANT SELECT (release, disease) ON published.p_all TO all_analyst;
GRANT SELECT ON ward.last TO all_reader;
SET ROLE all_analyst;
SELECT is((SELECT count(DISTINCT disease) FROM published.p_all WHERE release = 1), 3::bigint, 'granted columns');
SELECT throws_ok('SELECT age FROM published.p_all', '42501', NULL, 'and no others');
CREATE SCHEMA own;
CREATE VIEW own.them AS SELECT disease FROM published.p_all;
GRANT USAGE ON SCHEMA own TO all_reader;
GRANT SELECT ON own.them TO all_reader;
-- Tables of the same server by others
CREATE FOREIGN TABLE own.p_all (release int, published_at timestamptz, class bigint, age int4range, disease text, note text) SERVER pprepub_releases;
SELECT throws_ok('SELECT count(*) FROM own.p_all', 'HV00R', NULL, 'a table of the server that pprepub did not make shows nothing');
SET ROLE all_reader;
SELECT is((SELECT count(*) FROM ward.last), 12::bigint, 'a view of the owner shows what the owner may see');
SELECT is((SELECT count(*) FROM own.them), 48::bigint, 'a view of an analyst, what the analyst may see');
SELECT throws_ok('SELECT disease FROM published.p_all', '42501', NULL, 'without any right');

-- An owner who alters or drops it
SET ROLE all_owner;
DROP VIEW ward.last, ward.by_table;
RESET ROLE;
DROP VIEW own.them;
SET ROLE all_owner;
ALTER FOREIGN TABLE published.p_all ADD more int;
SELECT throws_ok('SELECT count(*) FROM published.p_all', '42804', NULL, 'other columns than it was made with');
ALTER FOREIGN TABLE published.p_all DROP more, DROP age;
SELECT throws_ok('SELECT count(*) FROM published.p_all', '42804', NULL, 'fewer');
DROP FOREIGN TABLE published.p_all;
SELECT number FROM pprepub.publish('p') \g /dev/null
SELECT is((SELECT count(*) FROM published.p_all), 60::bigint, 'it is made again, with all releases');
SELECT pprepub.drop_publication('p', forget_history => true, keep_releases => true) \g /dev/null
SELECT is((SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'published'::regnamespace AND relkind IN ('r', 'v', 'f')),
	'p_1 p_2 p_3 p_4 p_5 p_6 p_7 p_8', 'a publication that was dropped without its releases leaves nothing else');
SELECT is((SELECT count(*) FROM ward.by_hand), 36::bigint, 'they show what they showed');
SELECT throws_ok('DELETE FROM published.p_1', '55000', NULL, 'and refuse changes');
DROP TABLE published.p_1 CASCADE;
