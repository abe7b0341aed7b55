-- Parameter "gather" of method bpg: newcomers wait for every n-th release.
\pset format unaligned \t on
SET ROLE regress_owner;
SET client_min_messages = warning;
CREATE TABLE gathered (id int PRIMARY KEY, age int, disease text);
CREATE FUNCTION come() RETURNS void LANGUAGE sql AS $$
	INSERT INTO gathered SELECT i, i * 37 % 80, 'd' || i % 5 FROM (SELECT count(*) AS n FROM gathered) g, generate_series(n + 1, n + 10) i
$$;
SELECT come();
SELECT pprepub.create_publication('gathered', 'gathered', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2, "repair": "none", "gather": 3}');

-- The first release has all; then ten wait, then twenty, and the fourth takes all thirty. An answer is a release like any other.
SELECT rows, suppressed FROM pprepub.publish('gathered');
SELECT come();
SELECT rows, suppressed FROM pprepub.publish('gathered');
SELECT come();
SELECT count(*) FROM published.gathered();
SELECT come();
SELECT metric, value FROM pprepub.preview('gathered') WHERE metric IN ('rows', 'suppressed') ORDER BY 1;
SELECT rows, suppressed FROM pprepub.publish('gathered');
SELECT come();
SELECT rows, suppressed FROM pprepub.publish('gathered');
SELECT pprepub.alter_publication('gathered', '{"gather": 1}');
SELECT rows, suppressed FROM pprepub.publish('gathered');
SELECT * FROM pprepub.audit('gathered') WHERE NOT holds;
SELECT pprepub.alter_publication('gathered', '{"gather": 0}');
CALL forget('gathered');
DROP TABLE gathered;
DROP FUNCTION come;
DROP SCHEMA published, published_private;
RESET client_min_messages;
RESET ROLE;
