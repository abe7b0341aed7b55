-- ----------------------------------------------------------------
-- report/: how publications fare, in figures for monitoring
-- ----------------------------------------------------------------

-- Cheap however many answers there are, and without an error however broken a publication is: it reads the catalog, by its
-- indexes, and sizes of files, and opens neither sources nor histories.
CREATE VIEW pprepub_internal.health WITH (security_barrier) AS
	SELECT p.name AS publication,
		newest.number AS last_release, newest.published_at AS last_published_at, pg_catalog.now() - newest.published_at AS age,
		tables.releases, p.releases - tables.releases AS answers, day.answers AS answers_last_day, day.failed AS failed_last_day,
		everybody.rows, everybody.people, everybody.withheld_percent, everybody.invented_percent, everybody.stale_percent, everybody.starves AS starving, everybody.warnings,
		space.bytes, space.history_bytes, space.bytes / life.days AS bytes_per_day,
		s.job, s.cron, s.cohort, s.run_by, s.state AS schedule_state, s.last_run, s.last_status, s.last_message, s.last_failure, s.last_error, s.release AS job_release,
		CASE WHEN source.owner IS NULL THEN 'source'
			WHEN source.owner <> p.owner::pg_catalog.oid THEN 'owner'
			WHEN pprepub_internal.is_rewound(p.name) THEN 'rewound'
			WHEN EXISTS (SELECT FROM pprepub_internal.catalog_release r
						 WHERE r.publication = p.publication AND NOT r.identified AND r.waived_at IS NULL) THEN 'imported' END AS refused,
		(noise.total / 1e9)::float8 AS noise_total, (CASE WHEN noise.total IS NOT NULL THEN coalesce(noise.spent, 0) END / 1e9)::float8 AS noise_spent
	FROM pprepub_internal.catalog_publication p
		LEFT JOIN LATERAL (
			SELECT r.number, r.published_at FROM pprepub_internal.catalog_release r
			WHERE r.publication = p.publication AND r.kind = 'stored' ORDER BY r.number DESC LIMIT 1) newest ON true
		LEFT JOIN LATERAL (
			SELECT r.rows, r.people, r.starves, r.warnings,
				(100.0 * r.suppressed / nullif(r.people - r.dirty - r.counterfeits + r.suppressed, 0))::float8 AS withheld_percent,
				(100.0 * r.counterfeits / nullif(r.people, 0))::float8 AS invented_percent,
				(100.0 * r.stale / nullif(r.people - r.counterfeits, 0))::float8 AS stale_percent
			FROM pprepub_internal.catalog_release r
			WHERE r.publication = p.publication AND r.kind = 'stored' AND r.cohort IS NULL
			ORDER BY r.number DESC LIMIT 1) everybody ON true
		CROSS JOIN LATERAL (
			SELECT pg_catalog.count(*) AS releases FROM pprepub_internal.catalog_release r
			WHERE r.publication = p.publication AND r.kind <> 'query') tables
		CROSS JOIN LATERAL (
			SELECT pg_catalog.count(*) AS answers,
				-- not joined, lest all failures that there ever were are read
				pg_catalog.count(*) FILTER (WHERE (SELECT f.sqlstate FROM pprepub_internal.catalog_failure f
					WHERE f.publication = r.publication AND f.release = r.number) <> '00000') AS failed
			FROM pprepub_internal.catalog_release r
			WHERE r.publication = p.publication AND r.published_at > pg_catalog.now() - interval '24 hours' AND r.kind = 'query') day
		CROSS JOIN LATERAL (
			SELECT coalesce(pg_catalog.sum(t.size), 0)::bigint AS bytes,
				coalesce(pg_catalog.sum(t.size) FILTER (WHERE t.is_history), 0)::bigint AS history_bytes
			-- each size is looked up once, and the tables of one publication by an index
			FROM (SELECT pg_catalog.pg_total_relation_size(c.relation) AS size, c.part <> 'releases' AS is_history
				  FROM pprepub_internal.catalog_relation c WHERE c.publication = p.publication AND c.part <> 'release'
				  UNION ALL SELECT pg_catalog.pg_total_relation_size(r.relation), false
				  FROM pprepub_internal.catalog_release r WHERE r.publication = p.publication AND r.kind <> 'query') t) space
		LEFT JOIN LATERAL (
			SELECT greatest(1.0, EXTRACT(epoch FROM pg_catalog.now() - r.published_at) / 86400)::float8 AS days
			FROM pprepub_internal.catalog_release r WHERE r.publication = p.publication AND r.number = 1) life ON true
		LEFT JOIN LATERAL (
			SELECT c.relowner AS owner
			FROM pprepub_internal.catalog_source o JOIN pg_catalog.pg_class c ON c.oid = o.source
			WHERE o.publication = p.publication) source ON true
		LEFT JOIN LATERAL (
			SELECT (p.params -> 'noise_budget' ->> 'total')::numeric * 1e9 AS total, pg_catalog.sum(n.cost) AS spent
			FROM pprepub_internal.catalog_noise n WHERE n.publication = p.publication) noise ON true
		LEFT JOIN pprepub_internal.scheduled_jobs() s ON s.publication = p.name
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub_internal.health IS 'rows of pprepub.health but those of sharded publications';

CREATE FUNCTION pprepub_internal.health(publication text) RETURNS pprepub_internal.health
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_sharded_health';
COMMENT ON FUNCTION pprepub_internal.health(text) IS 'row of pprepub.health for a sharded publication, asked as its owner';

CREATE VIEW pprepub.health WITH (security_barrier) AS
	SELECT * FROM pprepub_internal.health
	UNION ALL SELECT h.* FROM pprepub_internal.catalog_sharded p CROSS JOIN LATERAL pprepub_internal.health(p.name) h
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub.health IS 'figures for monitoring, one row for each of your publications';
COMMENT ON COLUMN pprepub.health.last_release IS 'newest release that publish() made';
COMMENT ON COLUMN pprepub.health.releases IS 'number of releases, including imports and those that were forgotten';
COMMENT ON COLUMN pprepub.health.failed_last_day IS
	'answers of the last 24 hours that were empty because the source could not be read';
COMMENT ON COLUMN pprepub.health.rows IS
	'rows of the newest release of everybody that publish() made; the next six columns are about the same release';
COMMENT ON COLUMN pprepub.health.starving IS 'true if publish() warned that this release withholds many rows';
COMMENT ON COLUMN pprepub.health.bytes IS 'size of all release tables and of the history';
COMMENT ON COLUMN pprepub.health.bytes_per_day IS 'bytes divided by the days since the first release, at least one';
COMMENT ON COLUMN pprepub.health.job IS 'number of the job of pg_cron that publishes; NULL without a schedule, as the next columns';
COMMENT ON COLUMN pprepub.health.cohort IS 'cohort that the job publishes; NULL for everybody';
COMMENT ON COLUMN pprepub.health.schedule_state IS 'how the schedule fares: ok, waiting, starving, failed, paused, stopped or gone';
COMMENT ON COLUMN pprepub.health.job_release IS 'newest release that the schedule made';
COMMENT ON COLUMN pprepub.health.noise_total IS 'what noisy counts may cost, and noise_spent, what they have cost; NULL where there are none';
COMMENT ON COLUMN pprepub.health.refused IS
	'why publishing is refused: source, owner, rewound or imported; of a sharded publication also shard, if one does not answer, or a check of all that fails; NULL if no reason is known';
