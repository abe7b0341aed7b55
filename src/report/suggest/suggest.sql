CREATE FUNCTION pprepub.separation(source regclass, columns name[], OUT rows bigint, OUT distinct_values bigint, OUT alone bigint,
		OUT separation float8, OUT distinction float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1 AS 'MODULE_PATHNAME', 'pprepub_separation';
COMMENT ON FUNCTION pprepub.separation(regclass, name[]) IS
	'count how well columns of a table or release tell its rows apart';

CREATE FUNCTION pprepub.suggest(source regclass, key name DEFAULT NULL, threshold float8 DEFAULT 0.05, OUT about text, OUT columns name[],
		OUT role text, OUT kind text, OUT distinct_values bigint, OUT alone_share float8, OUT separation float8, OUT distinction float8,
		OUT why text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_suggest';
COMMENT ON FUNCTION pprepub.suggest(regclass, name, float8) IS
	'propose a role and a kind for each column of a table, and list small sets of columns that single people out';

CREATE FUNCTION pprepub.suggested_call(source regclass, key name DEFAULT NULL) RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_suggested_call';
COMMENT ON FUNCTION pprepub.suggested_call(regclass, name) IS
	'write the proposal of suggest() as a call of create_publication()';

