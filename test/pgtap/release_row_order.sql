-- Rows of a release stand class by class, whatever their widths.
BEGIN;
CREATE TABLE t AS SELECT i AS id, i%100 AS age, repeat('x', CASE WHEN i % 7 = 0 THEN 1500 ELSE 1 + i % 50 END) || i % 9 AS d FROM generate_series(1,3000) i;
SELECT pprepub.create_publication('p','t','id','{"age":"range"}','d','bpg','{"k":3,"l":2}');
SELECT count(*) FROM pprepub.publish('p');
SELECT is((SELECT count(*) FROM (SELECT class < lag(class) OVER (ORDER BY ctid) AS back FROM published.p_1) x WHERE back), 0::bigint, 'rows stand class by class');
-- Those of an import leave the order of its table, which may tell whose they are.
CREATE TABLE elsewhere AS SELECT id, '(,)'::text AS age, d FROM t ORDER BY id;
SELECT count(*) FROM pprepub.import_release('p', 'elsewhere', 'id');
SELECT isnt((SELECT array_agg(d ORDER BY ctid) FROM published.p_2), (SELECT array_agg(d ORDER BY id) FROM t), 'rows of an import are shuffled');
