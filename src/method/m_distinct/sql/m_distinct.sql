-- ----------------------------------------------------------------
-- method/m_distinct/: what values can have become
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.risk_after_updates(publication text, updates regclass DEFAULT NULL, OUT key text, OUT release int,
		OUT candidates int, OUT risk float8, OUT joint_candidates int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_risk_after_updates';
COMMENT ON FUNCTION pprepub.risk_after_updates(text, regclass) IS
	'what observers of all releases, who know what values can become, conclude of each version of each person: how many sensitive values it can have had, and the probability of the true one, by what is known of that person; and how many are left to observers who know everybody''s class in each release and hold all people against each other, or NULL where that takes more steps than pprepub.search_budget; updates names another table than the declared one';
