CREATE FUNCTION pprepub.risks(publication text, release int, population bigint DEFAULT NULL, registry regclass DEFAULT NULL,
		threshold float8 DEFAULT 0.2, OUT measure text, OUT value float8, OUT meaning text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_risks';
COMMENT ON FUNCTION pprepub.risks(text, int, bigint, regclass, float8) IS
	'the risks of one release by itself, as textbooks count them: of prosecutors, who know that somebody is in it, of journalists, who know a registry or only how large the population is, and of marketers, who link everybody; how large classes are, how many people are alone, and how many of a population are estimated to be; a value is NULL where it cannot be known, and meaning says why';

