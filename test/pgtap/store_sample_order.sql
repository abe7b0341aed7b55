-- A sample of a large table stands in the order of its rows.
CREATE TABLE stored USING pprepub AS SELECT i AS up, -i AS down, i * 7919 % 50021 AS mixed FROM generate_series(1, 50000) i;
ANALYZE stored;
SELECT is((SELECT round(correlation::numeric, 3) FROM pg_stats WHERE tablename = 'stored' AND attname = 'up'), 1.000, 'what rises with the rows is known to');
SELECT is((SELECT round(correlation::numeric, 3) FROM pg_stats WHERE tablename = 'stored' AND attname = 'down'), -1.000, 'what falls with them is, too');
SELECT cmp_ok((SELECT abs(correlation) FROM pg_stats WHERE tablename = 'stored' AND attname = 'mixed'), '<', 0.5::real, 'what does neither is not said to');
SELECT is((SELECT reltuples FROM pg_class WHERE relname = 'stored'), 50000::real, 'rows are counted');
