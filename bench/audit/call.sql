-- One call about the life, in a backend of its own: audit, attack, and rebuild_history() of what is as the log tells (compare) or is lost.
SET client_min_messages = error;
SELECT count(*) > 0 AS is_lost, 'published_private.current_' || max(fold) AS fold
FROM (VALUES ('bpg', 'groups'), ('global', 'paths'), ('m-invariance', 'paths')) f (method, fold) WHERE method = :'method' AND :'call' = 'rebuild' \gset
\if :is_lost
BEGIN;
SET LOCAL allow_system_table_mods = on;
SET LOCAL session_replication_role = replica;
UPDATE pg_class SET relhastriggers = false WHERE relname IN ('current_groups', 'current_paths');
DELETE FROM :fold;
UPDATE pg_class SET relhastriggers = true WHERE relname IN ('current_groups', 'current_paths');
COMMIT;
\c -
SET client_min_messages = error;
\endif
SELECT count(*) FROM pprepub.release \g /dev/null
SELECT touched_bytes() AS before, extract(epoch FROM clock_timestamp()) AS start \gset
SELECT CASE :'call' WHEN 'audit' THEN (SELECT count(*) FILTER (WHERE NOT holds) FROM pprepub.audit('current'))
	WHEN 'attack' THEN (SELECT count(*) FROM pprepub.attack('current')) ELSE (SELECT count(*) FROM pprepub.rebuild_history('current')) END \g /dev/null
INSERT INTO figure SELECT :'method', :releases, :rows, :'call', extract(epoch FROM clock_timestamp()) - :start, peak_bytes() - :before;
