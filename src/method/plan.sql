-- ----------------------------------------------------------------
-- method/: figures that help to choose the parameters of a method
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.planned(params jsonb, name text, lowest numeric, highest numeric, usual numeric DEFAULT NULL) RETURNS numeric
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	is_whole boolean := name NOT IN ('p', 'threshold', 'alpha');
	value numeric := CASE jsonb_typeof(params -> name) WHEN 'number' THEN (params ->> name)::numeric END;
BEGIN
	IF params ->> name IS NULL AND usual IS NOT NULL THEN
		RETURN usual;
	END IF;
	IF value IS NULL OR value NOT BETWEEN lowest AND highest OR (is_whole AND value <> trunc(value)) THEN
		RAISE EXCEPTION '"%" must be %', name, CASE WHEN is_whole THEN 'an integer' ELSE 'a number' END || format(' from %s to %s', lowest, highest)
			USING ERRCODE = 'invalid_parameter_value', DETAIL = coalesce('It is ' || (params -> name)::text || '.', 'It is missing.');
	END IF;
	RETURN value;
END
$$;
COMMENT ON FUNCTION pprepub_internal.planned(jsonb, text, numeric, numeric, numeric) IS
	'read a number among the parameters of a plan';

-- power() refuses to become 0 by rounding.
CREATE FUNCTION pprepub_internal.power_or_0(base float8, exponent float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT CASE WHEN exponent = 0 THEN 1 WHEN base <= 0 THEN 0 WHEN exponent * ln(base) < -700 THEN 0 ELSE power(base, exponent) END $$;
COMMENT ON FUNCTION pprepub_internal.power_or_0(float8, float8) IS
	'raise a number from 0 to 1 to a power';

-- Section 3 of paper 004: that a value is excluded by people who are known, and by correlations; and that all but one are. Correlations are taken one by one.
CREATE FUNCTION pprepub_internal.excluded(p float8, lifespan bigint, m bigint, n bigint, OUT by_knowledge float8, OUT by_correlation float8, OUT breach float8)
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	by_knowledge := 1 - pprepub_internal.power_or_0(1 - p, lifespan);
	by_correlation := 1 - pprepub_internal.power_or_0(1 - pprepub_internal.power_or_0(p - p / m, n), lifespan * (m / n)::float8);
	breach := pprepub_internal.power_or_0(1 - (1 - by_knowledge) * (1 - by_correlation), m - 1);
END
$$;
COMMENT ON FUNCTION pprepub_internal.excluded(float8, bigint, bigint, bigint) IS
	'estimate how likely candidate values are excluded';

CREATE FUNCTION pprepub.plan(method text, params jsonb, OUT releases int, OUT figure text, OUT value float8) RETURNS SETOF record
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	known text[] := CASE method WHEN 'cor-split' THEN '{m,n,p,lifespan,threshold}' WHEN 'global' THEN '{l,strategy,releases,alpha}' END;
	wrong text := (SELECT min(key) FROM jsonb_object_keys(params) key WHERE key <> ALL (known));
	p float8;
	threshold float8;
	lifespan bigint;
	m bigint;
	n bigint;
	too_small bigint := 0;
	middle bigint;
	f record;
	l float8;
	alpha float8;
	ratio float8;
	beyond float8;				-- of a geometric ratio, in alphas
	breach float8 := 0;
BEGIN
	IF known IS NULL THEN
		RAISE EXCEPTION 'there is no plan for method "%"', method
			USING ERRCODE = 'invalid_parameter_value', HINT = 'There are plans for "cor-split" and "global".';
	ELSIF wrong IS NOT NULL THEN
		RAISE EXCEPTION 'a plan for method "%" has no parameter "%"', method, wrong
			USING ERRCODE = 'invalid_parameter_value', HINT = format('Its parameters are "%s".', array_to_string(known, '", "'));
	END IF;
	IF method = 'cor-split' THEN
		p := pprepub_internal.planned(params, 'p', 0, 1);
		m := pprepub_internal.planned(params, 'm', 1, 2147483647);
		lifespan := pprepub_internal.planned(params, 'lifespan', 1, 2147483647);
		n := pprepub_internal.planned(params, 'n', 1, m, 0);
		releases := lifespan;
		IF n = 0 THEN
			-- The estimate falls, or stays, as n rises: the smallest that will do is found by halving.
			threshold := pprepub_internal.planned(params, 'threshold', 0, 1);
			n := m;
			figure := 'n';
			IF (pprepub_internal.excluded(p, lifespan, m, m)).breach < threshold THEN
				WHILE n - too_small > 1 LOOP
					middle := too_small + (n - too_small) / 2;
					IF (pprepub_internal.excluded(p, lifespan, m, middle)).breach < threshold THEN
						n := middle;
					ELSE
						too_small := middle;
					END IF;
				END LOOP;
				value := n;
			END IF;
			RETURN NEXT;
		END IF;
		f := pprepub_internal.excluded(p, lifespan, m, n);
		RETURN QUERY VALUES (releases, 'excluded by knowledge', f.by_knowledge), (releases, 'excluded by correlation', f.by_correlation), (releases, 'breach', f.breach);
		RETURN;
	END IF;
	IF params ->> 'strategy' IS NULL OR params ->> 'strategy' NOT IN ('constant-ratio', 'geometric') THEN
		RAISE EXCEPTION '"strategy" must be "constant-ratio" or "geometric"' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	l := pprepub_internal.planned(params, 'l', 1, 2147483647);
	alpha := pprepub_internal.planned(params, 'alpha', 1.000001, 1000000, 2);
	n := pprepub_internal.planned(params, 'releases', 1, 1000000, 20);
	-- 1/(1 - (1 - 1/l)^(1/releases)), in so many digits that the difference of two numbers that are nearly the same has enough.
	ratio := 1 / (1 - power(1 - 1::numeric(60, 45) / l::numeric, 1::numeric(60, 45) / n));
	beyond := l - 1;
	FOR release IN 1 .. n LOOP
		IF params ->> 'strategy' = 'geometric' THEN
			ratio := alpha * (1 + beyond);
			breach := breach + (1 / l - breach) / alpha;
			beyond := CASE WHEN beyond > 1e300 THEN 'Infinity' ELSE beyond * (alpha / (alpha - 1)) END;
		ELSE
			breach := breach + (1 - breach) / ratio;
		END IF;
		RETURN QUERY VALUES (release, 'ratio', ratio), (release, 'breach', breach);
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub.plan(text, jsonb) IS
	'show what method cor-split or global would need and promise under these parameters';
