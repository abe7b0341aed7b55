CREATE FUNCTION pprepub.separation(source regclass, columns name[], OUT rows bigint, OUT distinct_values bigint, OUT alone bigint,
		OUT separation float8, OUT distinction float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1 AS 'MODULE_PATHNAME', 'pprepub_separation';
COMMENT ON FUNCTION pprepub.separation(regclass, name[]) IS
	'how well columns of a table or a release that you may read tell its rows apart: different values of them, rows that are alone with theirs, the share of pairs of rows that differ, and different values for each row';

CREATE FUNCTION pprepub.suggest(source regclass, key name DEFAULT NULL, threshold float8 DEFAULT 0.05, OUT about text, OUT columns name[],
		OUT role text, OUT kind text, OUT distinct_values bigint, OUT alone_share float8, OUT separation float8, OUT distinction float8,
		OUT why text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_suggest';
COMMENT ON FUNCTION pprepub.suggest(regclass, name, float8) IS
	'a proposal for a table that you may read: the role and kind that each column could be declared with, and the smallest sets of columns that single out more than a threshold of the people; guesses from figures and names, which tell no value';

CREATE FUNCTION pprepub.suggested_call(source regclass, key name DEFAULT NULL) RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_suggested_call';
COMMENT ON FUNCTION pprepub.suggested_call(regclass, name) IS
	'what suggest() proposes, as a call of create_publication() to be read, changed and run; a comment that says why where it has no proposal';

