-- The risks of one release, and proposals for a table that is not declared yet.
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE TABLE risks_people (id int PRIMARY KEY, name text, age int, zip char(5), disease text, note json, spot point, clinic text DEFAULT 'North');
INSERT INTO risks_people SELECT i, 'name ' || i, 20 + i % 60, (10000 + i % 7)::text, (ARRAY['flu','asthma','gout','none'])[1 + i % 4] FROM generate_series(1, 240) i;
SELECT pprepub.create_publication('risks', 'risks_people', 'id', '{"age": "range 20", "zip": "suppress"}', 'disease', 'bpg', '{"k": 4, "l": 2, "reserve": 2}', target => 'risks_out');
SELECT rows, classes FROM pprepub.publish('risks');

SELECT * FROM pprepub.risks('risks', 1) \g (format=aligned t=off)
SELECT measure, value FROM pprepub.risks('risks', 1, threshold => 0.01) WHERE measure ~ 'above';

SELECT * FROM pprepub.risks('risks', 2);
SELECT * FROM pprepub.risks('risks', NULL);
SELECT * FROM pprepub.risks('nothing', 1);
SELECT * FROM pprepub.risks('risks', 1, threshold => 0);
SELECT * FROM pprepub.risks('risks', 1, threshold => 'NaN');

-- Proposals
CREATE TABLE risks_few (age int);
SELECT about, columns, role, kind, distinct_values, round(alone_share::numeric, 4) AS alone_share, round(separation::numeric, 4) AS separation,
	round(distinction::numeric, 4) AS distinction, why FROM pprepub.suggest('risks_people') WHERE about <> 'call' \g (format=aligned t=off)
SELECT why AS call FROM pprepub.suggest('risks_people') WHERE about = 'call' \gset
\echo :call
SELECT about, columns, why FROM pprepub.suggest('risks_people', key => 'age', threshold => 0.9) WHERE about NOT IN ('column', 'call') OR role = 'key';
SELECT why AS call FROM pprepub.suggest('risks_people', key => 'age') WHERE about = 'call';
SELECT * FROM pprepub.suggest('risks_people', key => 'nobody');
SELECT * FROM pprepub.suggest('risks_people', threshold => 1);
SELECT * FROM pprepub.suggest(NULL);
SELECT * FROM pprepub.suggest('risks_people_pkey');
SELECT about, columns, role, why FROM pprepub.suggest('risks_few') WHERE about <> 'call';
SELECT why AS call FROM pprepub.suggest('risks_few') WHERE about = 'call';
INSERT INTO risks_few VALUES (1), (1), (2);
SELECT why AS call FROM pprepub.suggest('risks_few') WHERE about = 'call';

-- The call can be run as it is written, whatever the names.
CREATE TABLE "risks ""it's"", {odd}" ("K""'" int, "q""\'" int, "{S'" text);
INSERT INTO "risks ""it's"", {odd}" SELECT i, i % 40, i % 5 FROM generate_series(1, 200) i;
SELECT replace(why, 'params ', 'target => ''risks_odd'', params ') AS call FROM pprepub.suggest('"risks ""it''s"", {odd}"') WHERE about = 'call' \gset
\echo :call
:call
SELECT name, quasi_identifiers, sensitive FROM pprepub.publication WHERE target = 'risks_odd';
CALL public.clean();
