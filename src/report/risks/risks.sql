CREATE FUNCTION pprepub.risks(publication text, release int, population bigint DEFAULT NULL, registry regclass DEFAULT NULL,
		threshold float8 DEFAULT 0.2, OUT measure text, OUT value float8, OUT meaning text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_risks';
COMMENT ON FUNCTION pprepub.risks(text, int, bigint, regclass, float8) IS
	'compute textbook risks of one release by itself: prosecutor, journalist and marketer risk, and people who are alone';

