-- What must hold after every release of a table that changes, tried on random lives of small tables: people come,
-- leave and come back, their values change, some are NULL; under every repair, and keys of many types; releases are
-- about everybody, or about cohorts.  In builds with assertions, which can answer here, half of them are answers.
--
-- Everything is drawn from the life's number but what publish() draws itself: where a life fails, try
-- SELECT live(number) several times.
\ir ../lib/attacker.sql
\if :asserts
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';
\endif

CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';

CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN code AS text CHECK (VALUE ~ '^c[0-9]+$');
-- Without ICU there are no such collations.
DO $$
BEGIN
	CREATE COLLATION whatever_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN OTHERS THEN
	CREATE COLLATION whatever_case FROM "C";
END $$;
CREATE VIEW cases_are_equal AS SELECT 'a' COLLATE whatever_case = 'A' AS yes;

-- How keys are written, of person $1; somebody who comes back may be written another way.
CREATE TABLE ruler (type text, key text);
INSERT INTO ruler VALUES
	('int', 'p'), ('uuid', 'md5(p::text)::uuid'), ('pair', 'ROW(p / 7, p % 7)::pair'), ('int[]', 'ARRAY[p / 5, NULL, p % 5]'), ('code', '''c'' || p'),
	('text COLLATE whatever_case', 'CASE WHEN random() < 0.5 AND (SELECT yes FROM cases_are_equal) THEN ''P'' ELSE ''p'' END || p'),
	('numeric', '(p || draw(''{.0,.00,.000}''::text[]))::numeric');
-- Whom a release is about.
CREATE FUNCTION draw_cohort() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT replace(replace(replace(draw(ARRAY['a < $1', 'a BETWEEN SYMMETRIC $1 AND $2', 'a IS NULL OR a > $1', 'b LIKE ''$3%''', 'a < $1 OR b > ''$3''',
			'NOT (a IN ($1, $2) OR b IS NOT DISTINCT FROM ''$3'')', 'a <@ int4range($1, $1 + $2) AND b >= ''$3''', 'true', '$1 = $2']),
		'$1', floor(random() * 50)::text), '$2', floor(random() * 50)::text), '$3', left(md5(random()::text), 1))
$$;
CREATE TABLE repairs (repair text);
INSERT INTO repairs VALUES ('dirty'), ('minimal'), ('none'), ('counterfeit');

CREATE FUNCTION live(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	seeded text := setseed(number / 10000.0);
	how ruler;
	-- in turn, so that each meets each
	repair text := (ARRAY(SELECT r.repair FROM repairs r))[1 + number % 4];
	rows int := draw('{20,40,80,150}'::int[]);
	k int := draw('{2,3,5}'::int[]);
	l int := draw('{1,2,3}'::int[]);
	reserve int := draw('{1,1,2,4,8}'::int[]);
	changes float8 := draw('{0.02,0.1,0.3}'::float8[]);
	nulls float8 := draw('{0,0.05,0.4}'::float8[]);
	sensitive int := draw('{3,6,30}'::int[]);
	sensitive_type text := draw('{text,int,numeric}'::text[]);
	row_of text;
	with_cohorts boolean := number % 8 >= 4;
	cohort text;
	asked bigint;
	strangers bigint;
	r pprepub.release;
	what text;
	faults text[];
	outside bigint;
	releases int := 0;
	stronger jsonb := jsonb_build_object('k', k, 'l', l);
	can_ask bool := to_regproc('answer_here') IS NOT NULL;
BEGIN
	SELECT * INTO how FROM ruler ORDER BY type OFFSET number % 7 LIMIT 1;
	what := format('life %s%s (%s, %s rows, k %s, l %s, reserve %s, changes %s, nulls %s, %s %s values, key %s)',
		number, CASE WHEN with_cohorts THEN ' of cohorts' ELSE '' END, repair, rows, k, l, reserve, changes, nulls, sensitive, sensitive_type, how.type);
	-- $1 are their numbers
	row_of := format($sql$SELECT p, %s, CASE WHEN random() >= $2 THEN floor(random() * 50)::int END, left(md5(random()::text), 1 + floor(random() * 2)::int),
			CASE WHEN random() >= $2 THEN (floor(random() * $3)::int %s)::%s END FROM unnest($1) p$sql$,
		how.key, CASE sensitive_type WHEN 'numeric' THEN '|| draw(''{.0,.00,.000}''::text[])' ELSE '' END, sensitive_type);
	EXECUTE format('CREATE TABLE person (p int, id %s, a int, b text, s %s)', how.type, sensitive_type);
	EXECUTE 'INSERT INTO person ' || row_of USING ARRAY(SELECT generate_series(1, rows)), nulls, sensitive;
	PERFORM pprepub.create_publication('life', 'person', 'id', '{"a": "range", "b": "prefix"}', 's', 'bpg',
		jsonb_build_object('k', k, 'l', l, 'repair', repair, 'reserve', reserve), target => 'life');

	FOR step IN 1 .. 5 LOOP
		PERFORM attacker.remember('life');
		cohort := CASE WHEN with_cohorts AND random() < 0.8 THEN draw_cohort() END;
		r := NULL;
		IF can_ask AND random() < 0.5 THEN
			releases := attacker.ask('life', cohort, draw('{null,"{a,s}","{s,b}"}'::text[])::name[],
				format('class bigint, a int4range, b text, s %s', sensitive_type));
			SELECT * INTO STRICT r FROM pprepub.release n WHERE n.publication = 'life' AND n.number = releases;
		ELSE
			BEGIN
				SELECT * INTO r FROM pprepub.publish('life', cohort);
				releases := r.number;
			EXCEPTION WHEN no_data_found THEN		-- nothing that may be published now
			END;
		END IF;
		faults := ARRAY(SELECT attacker.faults('life', k, l) LIMIT 10);
		IF r.number IS NOT NULL THEN
			EXECUTE format('SELECT count(*) FILTER (WHERE %1$s), count(*) FILTER (WHERE m.key IS NOT NULL AND (%1$s) IS NOT TRUE)
				FROM person p LEFT JOIN pprepub.class_members(''life'') m ON m.release = %2$s AND m.key::%3$s = p.id', coalesce(cohort, 'true'), r.number, how.type)
				INTO asked, strangers;
			IF (r.cohort, asked, strangers) IS DISTINCT FROM (cohort, r.rows - r.dirty - r.counterfeits + r.suppressed, r.dirty) THEN
				faults := faults || format('%s: %s were asked for and %s strangers came, but the release says %s', cohort, asked, strangers, r);
			END IF;
		END IF;
		IF releases > 0 THEN
			EXECUTE format('SELECT count(*) FROM %2$s shown JOIN attacker.place USING (class) JOIN (SELECT DISTINCT ON (id) dense_rank() OVER (ORDER BY id) AS person, id FROM attacker.copy_life) who USING (person)
				JOIN attacker.copy_life c USING (id) WHERE publication = ''life'' AND is_true AND release = %1$s AND of_release = %1$s
				AND NOT (CASE WHEN shown.a IS NULL THEN c.a IS NULL ELSE shown.a::text = ''(,)'' OR coalesce(shown.a @> c.a, false) END
					AND (shown.b = c.b OR shown.b LIKE ''%%*'' AND starts_with(c.b, left(shown.b, -1))))', releases, attacker.rows_of('life', releases)) INTO outside;
			IF outside > 0 THEN
				faults := faults || format('%s values outside the cells of their rows', outside);
			END IF;
		END IF;
		RETURN NEXT is(faults, '{}', format('%s, step %s, %s releases', what, step, releases));

		-- Some leave; some come, or come back; values change, and sometimes the repair and the reserve; k and l are raised, and lowered again.
		DELETE FROM person WHERE random() < changes;
		EXECUTE 'INSERT INTO person ' || row_of
			USING ARRAY(SELECT q FROM generate_series(1, rows) q WHERE random() < 0.3 AND NOT EXISTS (SELECT FROM person o WHERE o.p = q)
				UNION ALL SELECT q FROM generate_series(rows + 1, rows + floor(rows * changes * random())::int) q), nulls, sensitive;
		rows := greatest(rows, (SELECT max(p) FROM person));
		EXECUTE format('WITH new AS (%s) UPDATE person o SET s = n.s FROM new AS n (p, id, a, b, s) WHERE n.p = o.p', row_of)
			USING ARRAY(SELECT p FROM person WHERE random() < changes), nulls, sensitive;
		EXECUTE format('WITH new AS (%s) UPDATE person o SET id = n.id, a = n.a, b = n.b FROM new AS n (p, id, a, b, s) WHERE n.p = o.p', row_of)
			USING ARRAY(SELECT p FROM person WHERE random() < changes), nulls, sensitive;
		-- What was promised before still counts for those who do not come again.
		IF random() < 0.3 THEN
			stronger := stronger || CASE WHEN random() < 0.5 THEN jsonb_build_object('k', k + draw('{0,1,2}'::int[])) ELSE jsonb_build_object('l', l + draw('{0,1,2}'::int[])) END;
			PERFORM pprepub.alter_publication('life', stronger || '{"accept_lockout": true, "accept_weakening": true}');
		END IF;
		IF random() < 0.1 THEN
			PERFORM pprepub.alter_publication('life', jsonb_build_object('repair', draw('{dirty,minimal,none,counterfeit}'::text[]), 'reserve', draw('{1,2,4}'::int[])));
		END IF;
	END LOOP;
	IF releases > 0 THEN
		RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.audit('life') a WHERE NOT holds), NULL, what || ' stands up to an audit');
		RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.attack('life') a WHERE NOT holds), NULL, 'and to an attack');
	END IF;
	PERFORM pprepub.drop_publication('life', true);
	PERFORM attacker.forget('life');
	DROP TABLE person;
END
$fn$;
-- Each in a transaction of its own: their tables would need too many locks.
SELECT format('SELECT live(%s)', number) FROM generate_series(1, 56) number \gexec
