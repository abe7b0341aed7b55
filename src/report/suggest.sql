-- ----------------------------------------------------------------
-- report/: a first proposal for a table
-- ----------------------------------------------------------------

-- All of it is a guess from figures and names.  Nobody but the owner knows what strangers know of people, and what must not be
-- learned of them.  No value is kept or told: columns are known by how often their values repeat, and by how far they spread.

CREATE FUNCTION pprepub_internal.hashed_as(type regtype) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	name text := format_type(type, NULL);
BEGIN
	EXECUTE format('SELECT FROM (SELECT NULL::%s AS v) s GROUP BY v', name);
	EXECUTE format('SELECT hash_record_extended(ROW(NULL::%s), 0)', name);
	RETURN 's.%s';
EXCEPTION WHEN undefined_function THEN
	-- no equality, or no hashes
	RETURN CASE WHEN SQLERRM LIKE '%hash function%' THEN 's.%s::text' END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.hashed_as(regtype) IS 'write what of a value of a type can be hashed; NULL for a type without an equality';

-- Columns have numbers.  Codes are hashes of values, a row for each column, each with a seed of its own; a set is the array of its columns.
CREATE FUNCTION pprepub_internal.set_figures(codes bigint[], sets text[], OUT set text, OUT distinct_values bigint, OUT alone bigint, OUT separation float8)
	RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	n int := array_length(codes, 2);
	at_once int := greatest(100000 / n, 1);
	batch text[];
BEGIN
	FOR i IN 1 .. cardinality(sets) BY at_once LOOP
		batch := sets[i:i + at_once - 1];
		RETURN QUERY EXECUTE (
			SELECT format('SELECT ($2)[g.set], count(*), count(*) FILTER (WHERE g.rows = 1), 1 - sum(g.rows * (g.rows - 1))::float8 / nullif(%1$s::float8 * (%1$s - 1), 0)
				FROM (SELECT h.set, count(*) AS rows FROM (SELECT generate_series(1, %2$s) AS set, unnest(ARRAY[%3$s]) AS hash FROM (SELECT %4$s) c) h
					  GROUP BY h.set, h.hash) g GROUP BY g.set',
				n, cardinality(batch),
				(SELECT string_agg((SELECT string_agg('c' || c, ' # ') FROM unnest(s.columns::int[]) c), ', ' ORDER BY s.i) FROM unnest(batch) WITH ORDINALITY s (columns, i)),
				(SELECT string_agg(DISTINCT format('unnest(($1)[%1$s:%1$s]) AS c%1$s', c), ', ') FROM unnest(batch) s, unnest(s::int[]) c)))
			USING codes, batch;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.set_figures(bigint[], text[]) IS 'count how well sets of columns tell rows apart';

CREATE TYPE pprepub_internal.suggested_column AS (
	name name,
	type regtype,				-- domains looked through
	is_key boolean,				-- the primary key, by itself
	is_generated boolean,
	may_read boolean,
	hashed_as text,			-- what of a value is hashed; NULL where values cannot be compared
	number int,					-- of those that are read
	nulls bigint,
	most float8,				-- of its finite numbers, its days, or the bytes of its texts
	least float8,
	distinct_values bigint,
	alone_share float8,			-- of the rows
	separation float8,			-- of pairs of rows: the share that differs
	role text,
	kind text,
	why text
);

CREATE FUNCTION pprepub_internal.suggested_step(type regtype, width float8) RETURNS text
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT 'range' || coalesce(' ' || CASE
		WHEN NOT width > 0 OR width = 'Infinity' THEN NULL
		WHEN type IN ('timestamp'::regtype, 'timestamptz'::regtype) AND width < 1 / 24.0 THEN '1 hour'
		WHEN type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
			CASE WHEN width <= 1 THEN '1 day' WHEN width <= 7 THEN '1 week' WHEN width <= 31 THEN '1 month' WHEN width <= 366 THEN '1 year'
				WHEN width <= 1830 THEN '5 years' ELSE '10 years' END
		WHEN type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) AND width <= 1 OR width NOT BETWEEN 1e-15 AND 1e15 THEN NULL
		-- 1, 2 or 5 times a power of ten
		ELSE (SELECT min(f * power(10::float8, floor(log(width))))::numeric::text FROM unnest('{1,2,5,10}'::float8[]) f
			  WHERE f * power(10::float8, floor(log(width))) >= width * (1 - 1e-9)) END, '')
$$;
COMMENT ON FUNCTION pprepub_internal.suggested_step(regtype, float8) IS 'propose a kind of range for values that some twenty steps of a width hold';

CREATE FUNCTION pprepub_internal.suggested_call(source regclass, columns pprepub_internal.suggested_column[], n bigint, n_all bigint, persons text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	key pprepub_internal.suggested_column;
	sensitive pprepub_internal.suggested_column;
	kinds text := (SELECT '{' || string_agg(format('%s: %s', to_json(c.name::text), to_json(c.kind)), ', ' ORDER BY c.i) || '}'
		FROM (SELECT c.*, row_number() OVER () AS i FROM unnest(columns) c) c WHERE c.role = 'quasi-identifier');
	kept record;
BEGIN
	SELECT * INTO key FROM unnest(columns) c WHERE c.role = 'key';
	SELECT * INTO sensitive FROM unnest(columns) c WHERE c.role = 'sensitive?';
	SELECT s.nspname AS schema, c.relname AS name
	INTO kept FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = source;
	RETURN CASE
		WHEN n = 0 THEN '-- No proposal: the source has no rows to judge by.'
		WHEN key IS NULL THEN '-- No proposal: no column has a value of its own for each row. Declare a view with one row for each person, and a key.'
		WHEN n > 1 AND (key.number IS NULL OR key.nulls > 0 OR persons IS NULL AND key.distinct_values < n) THEN
			'-- No proposal: rows share values of this key, or have none, or you may not read it. Declare a view with one row for each key.'
		WHEN kinds IS NULL OR sensitive IS NULL THEN '-- No proposal: no columns are left to be quasi-identifiers and a sensitive one.'
		ELSE format(E'-- A proposal, made of figures and names alone: you know what strangers know of people, and what nobody should learn.\n'
			'%s%s'
			'SELECT pprepub.create_publication(%L,\n    source            => %L,\n    key               => %L,\n    quasi_identifiers => %L,\n'
			'    sensitive         => %s,\n    method            => ''bpg'',\n    params            => ''{"k": %s, "l": %s}''%s);',
			coalesce('-- ' || upper(left(persons, 1)) || substr(persons, 2) || E': a person may have several rows, and k counts people.\n', ''),
			CASE WHEN key.type IN ('uuid'::regtype, 'bytea'::regtype) OR key.least >= 32 AND key.least = key.most THEN ''
				ELSE E'-- The history keeps keys: if these are names or numbers that others know, publish hashes (docs/howto/erasure.md).\n' END,
			-- as many bytes as a name may have
			(SELECT left(kept.name, max(i)) FROM generate_series(0, 48) i WHERE octet_length(left(kept.name, i)) <= 48), format('%I.%I', kept.schema, kept.name), key.name, kinds,
			-- else a name that begins with a brace would be read as a list
			CASE WHEN starts_with(sensitive.name::text, '{') THEN format('ARRAY[%L]::text', sensitive.name) ELSE quote_literal(sensitive.name) END,
			CASE WHEN n_all < 100 THEN 2 ELSE 10 END,
			(SELECT CASE WHEN v >= 6 THEN 3 WHEN v >= 2 AND n_all >= 4 THEN 2 ELSE 1 END FROM (
				-- people of whom no two share a value: of few, if each has many rows
				SELECT (sensitive.distinct_values - (sensitive.nulls > 0)::int) * CASE WHEN persons IS NULL THEN 1 ELSE key.distinct_values / n::float8 END AS v) v),
			CASE WHEN persons IS NOT NULL THEN E',\n    rows              => ''several''' ELSE '' END) END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.suggested_call(regclass, pprepub_internal.suggested_column[], bigint, bigint, text) IS
	'write the proposal of suggest() as a call of create_publication(), to be read before it is run, or why there is none';

-- Of larger tables, so many values are judged, and so many rows in any case: those whose places have the least hashes, so that a
-- table gives the same figures again.  Codes are in the same order, and the first of them stand for all.
CREATE FUNCTION pprepub_internal.suggest_read(source regclass, OUT columns pprepub_internal.suggested_column[], OUT codes bigint[], OUT n bigint, OUT n_all bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	most_values constant int := 300000;
	least_rows constant int := 10000;
	read int := 0;
	looked jsonb;
	figure record;
BEGIN
	columns := ARRAY(
		WITH RECURSIVE based (attnum, type) AS (
			SELECT a.attnum, a.atttypid FROM pg_attribute a WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped
			UNION ALL SELECT b.attnum, t.typbasetype FROM based b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd')
		SELECT jsonb_populate_record(NULL::pprepub_internal.suggested_column, jsonb_build_object('name', a.attname, 'type', b.type,
			'is_key', EXISTS (SELECT FROM pg_index x WHERE x.indrelid = source AND x.indisprimary AND x.indnkeyatts = 1 AND x.indkey[0] = a.attnum),
			'is_generated', a.attgenerated <> '', 'may_read', has_column_privilege(source, a.attnum, 'SELECT'), 'hashed_as', pprepub_internal.hashed_as(b.type)))
		FROM based b JOIN pg_type t ON t.oid = b.type AND t.typtype <> 'd' JOIN pg_attribute a ON a.attrelid = source AND a.attnum = b.attnum ORDER BY a.attnum);
	FOR i IN 1 .. cardinality(columns) LOOP
		IF columns[i].may_read AND columns[i].hashed_as IS NOT NULL THEN
			read := read + 1;
			columns[i].number := read;
		END IF;
	END LOOP;
	EXECUTE format('SELECT count(*) FROM %s', source) INTO n_all;
	EXECUTE (
		SELECT format('SELECT count(*), ARRAY[%s]::bigint[], jsonb_build_array(%s) FROM (SELECT row_number() OVER () AS place%s FROM %s s ORDER BY hashint8extended(row_number() OVER (), 0) LIMIT %s) s',
			string_agg(format('array_agg(hash_record_extended(ROW(' || c.hashed_as || '), %2$s))', 'v' || c.number, c.number), ', ' ORDER BY c.number),
			string_agg(format('jsonb_build_array(count(s.v%1$s)' || CASE
				WHEN c.type IN ('numeric'::regtype, 'float4'::regtype, 'float8'::regtype)
					THEN ', max(s.v%1$s) FILTER (WHERE s.v%1$s NOT IN (''NaN'', ''Infinity'', ''-Infinity'')), min(s.v%1$s) FILTER (WHERE s.v%1$s NOT IN (''NaN'', ''Infinity'', ''-Infinity'')))'
				WHEN c.type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN ', max(s.v%1$s), min(s.v%1$s))'
				WHEN c.type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
					THEN ', extract(epoch FROM max(s.v%1$s) FILTER (WHERE isfinite(s.v%1$s))) / 86400, extract(epoch FROM min(s.v%1$s) FILTER (WHERE isfinite(s.v%1$s))) / 86400)'
				WHEN c.type IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN ', max(octet_length(s.v%1$s)), min(octet_length(s.v%1$s)))'
				ELSE ')' END, c.number), ', ' ORDER BY c.number),
			string_agg(format(', s.%I AS v%s', c.name, c.number), '' ORDER BY c.number), source, CASE WHEN n_all * read <= most_values THEN n_all ELSE greatest(most_values / read, least_rows) END)
		FROM unnest(columns) c WHERE c.number IS NOT NULL)
	INTO n, codes, looked;
	IF n > 0 THEN
		FOR figure IN
			SELECT i, f.*, looked -> ((columns[i]).number - 1) AS looked FROM generate_subscripts(columns, 1) i
				JOIN pprepub_internal.set_figures(codes, ARRAY(SELECT format('{%s}', p) FROM generate_series(1, read) p)) f ON f.set = format('{%s}', (columns[i]).number)
		LOOP
			columns[figure.i].nulls := n - (figure.looked ->> 0)::bigint;
			columns[figure.i].most := figure.looked ->> 1;
			columns[figure.i].least := figure.looked ->> 2;
			columns[figure.i].distinct_values := figure.distinct_values;
			columns[figure.i].alone_share := figure.alone / n::float8;
			columns[figure.i].separation := figure.separation;
		END LOOP;
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.suggest_read(regclass) IS 'look at the columns of a table for suggest()';

-- The smallest sets that single out more than a share of the rows, while no part of them does: level by level, on some rows, on
-- more where too many of these are alone, and on all.
CREATE FUNCTION pprepub_internal.suggest_sets(codes bigint[], searched int[], threshold float8, OUT sets jsonb, OUT tried int, OUT is_whole boolean)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	most_in_set constant int := 4;
	most_found constant int := 20;
	most_tried constant int := 1000;
	n int;
	level text[] := '{"{}"}';
	suspects text[];
BEGIN
	sets := '[]';
	tried := 0;
	is_whole := true;
	FOR size IN 1 .. least(most_in_set, cardinality(searched)) LOOP
		level := ARRAY(
			SELECT (l.set || searched[p])::text
			FROM (SELECT s::int[] AS set, i FROM unnest(level) WITH ORDINALITY u (s, i)) l CROSS JOIN generate_subscripts(searched, 1) p
			WHERE p > coalesce(array_position(searched, l.set[size - 1]), 0)
				AND NOT EXISTS (SELECT FROM jsonb_array_elements(sets) f WHERE (f ->> 'set')::int[] <@ (l.set || searched[p]))
			ORDER BY l.i, p LIMIT most_tried - tried + 1);
		is_whole := cardinality(level) <= most_tried - tried;
		level := level[1:most_tried - tried];
		tried := tried + cardinality(level);
		suspects := level;
		FOREACH n IN ARRAY '{5000,20000}'::int[] LOOP
			IF 2 * n < array_length(codes, 2) THEN
				suspects := ARRAY(SELECT f.set FROM pprepub_internal.set_figures(codes[:][1:n], suspects) f WHERE f.alone > threshold * n ORDER BY f.alone DESC);
			END IF;
		END LOOP;
		is_whole := is_whole AND cardinality(suspects) <= most_found;
		sets := sets || (
			SELECT coalesce(jsonb_agg(to_jsonb(f) ORDER BY f.alone DESC, array_position(level, f.set)), '[]')
			FROM pprepub_internal.set_figures(codes, suspects[1:most_found]) f WHERE f.alone > threshold * array_length(codes, 2));
		EXIT WHEN NOT is_whole OR jsonb_array_length(sets) >= most_found;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.suggest_sets(bigint[], int[], float8) IS 'search for small sets of columns that single people out';

CREATE FUNCTION pprepub_internal.suggest_roles(source regclass, key name, n bigint, is_sample boolean, INOUT columns pprepub_internal.suggested_column[], OUT persons text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	most_proposed constant int := 5;	-- quasi-identifiers: each one more makes all of them coarser
	few_values constant int := 50;		-- of texts: not worth a prefix
	-- parts of names that columns often have of which nobody should learn, the likeliest first
	secrets constant text[] := '{diagnos,disease,illness,disorder,icd,hiv,symptom,drug,medic,treatment,therap,religion,party,crime,offence,offense,verdict,'
		'salary,income,wage,debt,score,grade,result,occupation}';
	-- words that such names begin with, or a part of them, of which strangers often know
	familiar constant text := '(^|_)((age|sex|zip)(_|$)|birth|born|gender|zipc|post|city|town|county|district|region|state|country|nation|race|ethnic|marital|educat)';
	range_types constant regtype[] := '{int2,int4,int8,numeric,float4,float8,date,timestamp,timestamptz}';
	text_types constant regtype[] := '{text,varchar,bpchar,name}';
	reserved constant name[] := '{class,cohort,columns}';
	c pprepub_internal.suggested_column;
	alone text;
	is_line boolean;
	is_name boolean[] := '{}';
	is_apart boolean[] := '{}';
	key_at int;
	chosen int;
	person record;
	repeats boolean;
	points text;
BEGIN
	FOR i IN 1 .. cardinality(columns) LOOP
		c := columns[i];
		alone := round(100 * c.alone_share::numeric, 1) || ' %';
		is_line := c.type = ANY (range_types);
		is_apart[i] := c.number IS NOT NULL AND n > 1 AND c.nulls = 0 AND c.distinct_values = n;
		-- Is a value of one row's own the name of somebody, or of something of theirs, rather than a place on a line?
		is_name[i] := CASE WHEN c.type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN c.distinct_values > 0.9 * n
			WHEN is_line THEN false
			-- short texts of one length are codes, which have prefixes, unless each row has its own
			WHEN c.type = ANY (text_types) AND c.least = c.most AND c.most <= 16 THEN c.alone_share > 0.9
			ELSE c.alone_share > 0.5 END;
		c.role := CASE WHEN c.number IS NOT NULL AND n = 0 THEN NULL
			WHEN c.number IS NULL OR c.distinct_values = 1 AND n > 1 OR c.name = ANY (reserved) OR c.is_generated THEN 'left out'
			WHEN is_name[i] THEN 'identifying' ELSE 'quasi-identifier' END;
		c.kind := CASE WHEN c.role <> 'quasi-identifier' THEN NULL
			WHEN is_line THEN pprepub_internal.suggested_step(c.type, (c.most - c.least) / 20)
			WHEN c.type = ANY (text_types) AND c.distinct_values > few_values THEN 'prefix' ELSE 'suppress' END;
		c.why := CASE WHEN NOT c.may_read THEN 'you have no right to read it'
			WHEN c.hashed_as IS NULL THEN format('values of type %s cannot be compared; publish parts of it, by a view', c.type)
			WHEN n = 0 THEN 'the source has no rows to judge by'
			WHEN c.distinct_values = 1 AND n > 1 THEN 'all rows have one value: it tells nothing'
			WHEN c.name = ANY (reserved) THEN 'the name is reserved: rename it, by a view'
			WHEN c.is_generated THEN 'it is computed from other columns, and says what they hide'
			WHEN is_name[i] THEN format('it names people, or something that is theirs alone: %s of the rows are alone with their value', alone)
			WHEN is_line THEN format('strangers may know it; %s of the rows are alone with their value%s', alone, CASE WHEN c.kind <> 'range' THEN ', and a step hides it' END)
			WHEN c.kind = 'prefix' THEN format('strangers may know it; many texts: a prefix, if near ones begin alike, or else a taxonomy; %s alone', alone)
			ELSE format('strangers may know it; few values: shown or not, or a taxonomy of groups of them; %s alone', alone) END;
		columns[i] := c;
		IF c.name = key THEN
			key_at := i;
		END IF;
	END LOOP;
	IF key IS NOT NULL AND key_at IS NULL THEN
		RAISE EXCEPTION 'the source has no column "%"', key USING ERRCODE = 'undefined_column', HINT = 'Leave the key out, and one is looked for.';
	END IF;

	-- A person is the key, whether or not rows share persons; else the primary key, or the first column that tells rows apart.
	FOR person IN SELECT p.*, i FROM pprepub_internal.person_columns(source, NULL) p JOIN generate_subscripts(columns, 1) i ON (columns[i]).name = p.name LOOP
		c := columns[person.i];
		CONTINUE WHEN c.number IS NULL OR n = 0 OR c.name = ANY (reserved);
		repeats := n - c.nulls > c.distinct_values - (c.nulls > 0)::int AND n - c.nulls <= (c.distinct_values - (c.nulls > 0)::int) * person.rows_each;
		points := person.words || ': a person may have several rows';
		IF repeats THEN
			c.role := 'identifying';
			c.kind := NULL;
			c.why := points;
			columns[person.i] := c;
		END IF;
		IF (key_at IS NULL OR key_at = person.i) AND person.persons AND (repeats OR is_apart[person.i]) THEN
			key_at := person.i;
			persons := CASE WHEN repeats THEN person.words END;
		END IF;
	END LOOP;
	IF key_at IS NULL THEN
		-- a number with a fraction, or a time, is seldom meant as a key
		SELECT i INTO key_at FROM generate_subscripts(columns, 1) i
		WHERE is_apart[i] AND (columns[i]).name <> ALL (reserved) AND ((columns[i]).is_key OR is_name[i] OR (columns[i]).type <> ALL (range_types))
		ORDER BY (columns[i]).is_key DESC, i LIMIT 1;
	END IF;
	IF key_at IS NOT NULL THEN
		columns[key_at].role := 'key';
		columns[key_at].kind := NULL;
		columns[key_at].why := CASE WHEN persons IS NOT NULL THEN persons || ': a person may have several rows'
			WHEN key IS NULL THEN format('each row%s has a value of its own', CASE WHEN is_sample THEN ' that was judged' END)
			WHEN n > 1 AND NOT is_apart[key_at] THEN 'you named it, but rows share values, or have none' ELSE 'you named it' END;
	END IF;

	-- The column that nobody should learn: by its name, of which one of two values tells little, or the last one with few values of several.
	SELECT coalesce((array_agg(s.i ORDER BY s.distinct_values <= 2, s.rank, s.i) FILTER (WHERE s.rank IS NOT NULL))[1],
		CASE WHEN count(*) > 1 THEN max(s.i) FILTER (WHERE s.distinct_values > 2 AND s.alone_share < 0.05) END) INTO chosen
	FROM (SELECT i, (columns[i]).*, (SELECT min(w.rank) FROM unnest(secrets) WITH ORDINALITY w (word, rank) WHERE strpos(lower((columns[i]).name::text), w.word) > 0) AS rank
		  FROM generate_subscripts(columns, 1) i) s
	WHERE s.role = 'quasi-identifier';
	IF chosen IS NOT NULL THEN
		columns[chosen].role := 'sensitive?';
		columns[chosen].kind := NULL;
		columns[chosen].why := CASE WHEN lower(columns[chosen].name::text) ~ array_to_string(secrets, '|') THEN 'a guess by its name' ELSE 'a guess: the last column with few values' END;
	END IF;

	-- Columns stay that strangers know by their names, and that tell rows apart most.
	FOR chosen IN
		SELECT s.i FROM (SELECT i, (columns[i]).* FROM generate_subscripts(columns, 1) i) s WHERE s.role = 'quasi-identifier'
		ORDER BY lower(s.name::text) ~ familiar DESC, s.separation DESC, s.i OFFSET most_proposed
	LOOP
		columns[chosen].role := 'left out';
		columns[chosen].kind := NULL;
		columns[chosen].why := format('%s quasi-identifiers are proposed first, and each one more makes all coarser: add it if it is worth that', most_proposed);
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.suggest_roles(regclass, name, bigint, boolean, pprepub_internal.suggested_column[]) IS 'propose roles and kinds for columns';

CREATE FUNCTION pprepub_internal.suggest(source regclass, key name, threshold float8, OUT about text, OUT columns name[], OUT role text, OUT kind text,
		OUT distinct_values bigint, OUT alone_share float8, OUT separation float8, OUT distinction float8, OUT why text) RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	most_searched constant int := 40;
	most_shown constant int := 20;
	looked record;
	roles record;
	searched int[];
	search record;
	nsets int;
BEGIN
	threshold := coalesce(threshold, 0.05);
	IF NOT (threshold >= 0 AND threshold < 1) THEN
		RAISE EXCEPTION '"threshold" must be 0 or more, and less than 1'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'A threshold of 0.05 looks for columns that single out more than 5 % of the people.';
	END IF;
	SELECT * INTO looked FROM pprepub_internal.suggest_read(source);
	SELECT * INTO roles FROM pprepub_internal.suggest_roles(source, key, looked.n, looked.n < looked.n_all, looked.columns);
	about := 'rows';
	why := CASE WHEN looked.n_all = 0 THEN 'there are no rows' WHEN looked.n = looked.n_all THEN format('all %s rows are judged', looked.n)
		ELSE format('%s rows are judged, drawn at random from %s; among all, fewer are alone', looked.n, looked.n_all) END;
	RETURN NEXT;
	RETURN QUERY SELECT 'column', ARRAY[c.name], c.role, c.kind, c.distinct_values, c.alone_share, c.separation, c.distinct_values / nullif(looked.n, 0)::float8, c.why
		FROM unnest(roles.columns) WITH ORDINALITY c ORDER BY c.ordinality;
	IF looked.n > 1 THEN
		-- no key, which singles out everybody, and none that tells nothing
		searched := ARRAY(SELECT c.number FROM unnest(roles.columns) c WHERE c.number IS NOT NULL AND c.role <> 'key' AND c.distinct_values > 1 ORDER BY c.separation DESC, c.name::text COLLATE "C");
		SELECT * INTO search FROM pprepub_internal.suggest_sets(looked.codes, searched[1:most_searched], threshold);
		nsets := jsonb_array_length(search.sets);
		RETURN QUERY
			SELECT 'set', ARRAY(SELECT c.name FROM unnest((s.of ->> 'set')::int[]) WITH ORDINALITY p (number, i) JOIN unnest(roles.columns) c USING (number) ORDER BY p.i), NULL::text, NULL::text,
				f.distinct_values, f.alone / looked.n::float8, f.separation, f.distinct_values / looked.n::float8,
				format('%s %% of the rows are alone with their values of %s', round(100.0 * f.alone / looked.n, 1), CASE WHEN s.of ->> 'set' LIKE '%,%' THEN 'these' ELSE 'it' END)
			FROM jsonb_array_elements(search.sets) WITH ORDINALITY s (of, i) CROSS JOIN jsonb_to_record(s.of) f (distinct_values bigint, alone bigint, separation float8)
			WHERE s.i <= most_shown ORDER BY s.i;
		about := 'sets';
		why := CASE WHEN nsets > most_shown THEN format('%s sets of columns are too many to show: these are the smallest', nsets)
				ELSE format('%s sets of columns single out too many, while no part of them does', nsets) END ||
			CASE WHEN search.is_whole THEN '' ELSE format('; the search ended after %s sets', search.tried) END ||
			CASE WHEN cardinality(searched) > most_searched THEN format('; %s columns that separate least were not looked at', cardinality(searched) - most_searched) ELSE '' END;
		RETURN NEXT;
	END IF;
	about := 'call';
	why := pprepub_internal.suggested_call(source, roles.columns, looked.n, looked.n_all, roles.persons);
	RETURN NEXT;
END
$$;
COMMENT ON FUNCTION pprepub_internal.suggest(regclass, name, float8) IS 'rows of pprepub.suggest(), with the rights of its caller';

CREATE FUNCTION pprepub.suggest(source regclass, key name DEFAULT NULL, threshold float8 DEFAULT 0.05, OUT about text, OUT columns name[],
		OUT role text, OUT kind text, OUT distinct_values bigint, OUT alone_share float8, OUT separation float8, OUT distinction float8,
		OUT why text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_source_figures';
COMMENT ON FUNCTION pprepub.suggest(regclass, name, float8) IS
	'propose a role and a kind for each column of a table, list columns that single people out, and write a call of create_publication()';
