-- census(rows): as many census-like people as you like, out of nothing.
--
-- The same arguments give the same rows, and fewer rows are the first of more. Each value
-- is drawn by a hash of (id, column) from an urn, which depends on what the person has
-- drawn before: education on age, race on country, marital status on age and sex,
-- occupation on education and sex, work class on age and education, salary class on age,
-- education and sex. Figures and frequencies are invented; only the shape is a census's.

CREATE FUNCTION census(rows bigint)
RETURNS TABLE (id int, age int, sex text, education text, marital_status text, race text,
	work_class text, country text, occupation text, salary_class int)
LANGUAGE sql IMMUTABLE AS $$
WITH name AS MATERIALIZED (
	SELECT
		'{Preschool,1st-4th,5th-6th,7th-8th,9th,10th,11th,12th,GED,HS-grad,
		  Some-college,Assoc-voc,Assoc-acdm,Bachelors,Masters,Doctorate,Prof-school}'::text[] AS education,
		'{Married-spouse-present,Married-spouse-absent,Separated,Divorced,Widowed,Never-married}'::text[] AS marital_status,
		'{White,Black,Amer-Indian,Chinese,Japanese,Other-Asian,Other,Two-races,Three-or-more-races}'::text[] AS race,
		'{Private-for-profit,Private-nonprofit,Federal-gov,State-gov,Local-gov,Armed-Forces,
		  Self-emp-inc,Self-emp-not-inc,Without-pay,Not-working}'::text[] AS work_class
),
-- Countries, by frequency, with the urn that the race is drawn from.
countries (country, weight, race_urn) AS (VALUES
	('United-States', 17400, 1), ('Mexico', 420, 2), ('Philippines', 130, 7), ('Germany', 90, 4),
	('Canada', 80, 4), ('Puerto-Rico', 75, 2), ('El-Salvador', 70, 2), ('India', 65, 8),
	('Cuba', 62, 2), ('England', 60, 4), ('South-Korea', 52, 7), ('China', 50, 5), ('Jamaica', 50, 3),
	('Italy', 48, 4), ('Dominican-Republic', 46, 2), ('Japan', 44, 6), ('Vietnam', 44, 7),
	('Guatemala', 42, 2), ('Poland', 40, 4), ('Colombia', 38, 2), ('Haiti', 34, 3), ('Taiwan', 33, 5),
	('Portugal', 30, 4), ('Iran', 29, 4), ('Nicaragua', 26, 2), ('Greece', 25, 4), ('Russia', 24, 4),
	('Peru', 23, 2), ('Ecuador', 22, 2), ('France', 21, 4), ('Ireland', 20, 4), ('Brazil', 19, 2),
	('Nigeria', 18, 3), ('Hong-Kong', 17, 5), ('Thailand', 16, 7), ('Cambodia', 15, 7), ('Pakistan', 15, 8),
	('Trinidad-Tobago', 14, 3), ('Yugoslavia', 14, 4), ('Laos', 13, 7), ('Argentina', 13, 2),
	('Ukraine', 12, 4), ('Hungary', 12, 4), ('Scotland', 11, 4), ('Honduras', 11, 2), ('Guyana', 10, 3),
	('Egypt', 10, 4), ('Outlying-US', 10, 9), ('Spain', 9, 4), ('Israel', 9, 4), ('Indonesia', 9, 7),
	('Ghana', 8, 3), ('Ethiopia', 8, 3), ('Lebanon', 8, 4), ('Romania', 7, 4), ('Bangladesh', 7, 8),
	('Panama', 7, 2), ('Turkey', 6, 4), ('Iraq', 6, 4), ('Chile', 6, 2), ('Venezuela', 6, 2),
	('Barbados', 5, 3), ('Netherlands', 5, 4), ('Kenya', 5, 3), ('Malaysia', 5, 7), ('Syria', 4, 4),
	('Burma', 4, 7), ('Sri-Lanka', 4, 8), ('Austria', 4, 4), ('Czechoslovakia', 4, 4), ('Liberia', 4, 3),
	('Sweden', 3, 4), ('Norway', 3, 4), ('Bahamas', 3, 3), ('Lithuania', 3, 4), ('Singapore', 3, 5),
	('Cape-Verde', 3, 3), ('Nepal', 2, 8), ('Samoa', 2, 9), ('Fiji', 2, 9), ('Grenada', 2, 3),
	('Tonga', 1, 9), ('Slovenia', 1, 4)
),
-- Occupations, with frequencies among men and then women of low, middle and high education.
occupations (occupation, weights) AS (VALUES
	('Public-administrators', '{2,4,14,3,4,9}'::int[]), ('Managers', '{34,52,98,28,44,60}'),
	('Financial-managers', '{6,14,40,8,14,28}'), ('Management-related', '{9,20,62,18,36,58}'),
	('Engineers', '{4,11,64,1,1,10}'), ('Computer-scientists', '{2,8,40,2,5,20}'),
	('Natural-scientists', '{1,2,20,1,1,12}'), ('Physicians', '{1,1,36,1,1,16}'),
	('Nurses', '{1,4,12,4,52,76}'), ('College-teachers', '{1,2,28,1,3,24}'),
	('School-teachers', '{3,7,52,10,20,120}'), ('Lawyers-judges', '{1,1,32,1,1,14}'),
	('Artists-writers', '{8,16,40,9,16,38}'), ('Social-workers', '{3,7,24,6,14,44}'),
	('Health-technicians', '{2,7,5,12,40,20}'), ('Engineering-technicians', '{11,26,12,5,7,5}'),
	('Other-technicians', '{7,14,22,4,10,16}'), ('Sales-supervisors', '{52,52,44,34,34,22}'),
	('Finance-sales', '{10,20,46,13,24,26}'), ('Wholesale-sales', '{15,21,31,6,6,9}'),
	('Retail-sales', '{34,30,14,70,46,20}'), ('Cashiers', '{14,12,4,62,34,6}'),
	('Clerical-supervisors', '{6,8,6,10,11,8}'), ('Computer-operators', '{4,7,5,9,11,4}'),
	('Secretaries', '{2,2,1,66,70,30}'), ('Bookkeepers', '{3,4,4,56,52,22}'),
	('Mail-clerks', '{15,18,6,13,8,3}'), ('Information-clerks', '{6,8,4,40,40,14}'),
	('Office-clerks', '{40,42,26,68,72,46}'), ('Household-workers', '{3,1,1,44,10,3}'),
	('Police-fire', '{20,36,16,5,6,4}'), ('Guards', '{15,14,6,6,4,1}'),
	('Cooks', '{34,14,3,48,15,3}'), ('Waiters', '{38,18,6,64,32,9}'),
	('Health-aides', '{7,7,2,70,44,8}'), ('Cleaners', '{70,20,4,70,15,3}'),
	('Personal-services', '{18,14,5,66,48,14}'), ('Mechanics', '{82,62,12,5,5,2}'),
	('Construction-trades', '{84,60,14,3,3,1}'), ('Precision-production', '{78,42,14,38,13,4}'),
	('Machine-operators', '{80,30,6,72,19,4}'), ('Assemblers', '{58,24,5,44,12,2}'),
	('Drivers', '{80,44,11,17,22,2}'), ('Material-movers', '{46,11,2,3,1,1}'),
	('Construction-laborers', '{36,6,2,1,1,1}'), ('Stock-handlers', '{56,18,4,22,7,2}'),
	('Farmers', '{40,16,9,12,7,5}'), ('Farm-workers', '{66,14,5,15,4,2}'),
	('Foresters-fishers', '{7,3,1,1,1,1}'), ('Armed-forces', '{5,7,5,1,2,1}')
),
-- All urns: how often each value of a column lies in each of the column's urns.
frequencies (drawn, urn, weights) AS (
	SELECT 'age', 1, array_agg(CASE WHEN a < 25 THEN 30 * (a - 13) ELSE greatest(3, 340 * (92 - a) * (92 - a) / 4489) END ORDER BY a)
	FROM generate_series(15, 92) a
	UNION ALL SELECT 'country', 1, array_agg(weight ORDER BY weight DESC, country COLLATE "C") FROM countries
	UNION ALL SELECT 'occupation', u, array_agg(weights[u] ORDER BY occupation COLLATE "C") FROM occupations, generate_series(1, 6) u GROUP BY u
	UNION ALL VALUES
	-- below 18, 22, 30, 50, 65, older
	('education', 1, '{2,3,6,40,130,280,330,100,4,80,25,0,0,0,0,0,0}'::int[]),
	('education', 2, '{2,4,8,10,15,25,60,45,45,330,420,16,16,4,0,0,0}'),
	('education', 3, '{2,6,12,14,16,20,28,12,48,310,250,45,42,160,24,3,8}'),
	('education', 4, '{2,6,12,16,16,22,24,10,50,300,200,54,40,170,56,12,18}'),
	('education', 5, '{3,9,18,38,28,36,34,12,40,330,170,38,22,120,64,18,22}'),
	('education', 6, '{5,22,34,130,42,54,42,14,24,330,130,16,10,80,36,12,20}'),
	-- below 20, 25, 35, 55, 70, older men, older women
	('marital_status', 1, '{20,6,4,2,1,967}'),
	('marital_status', 2, '{190,14,18,24,2,752}'),
	('marital_status', 3, '{500,18,36,106,5,335}'),
	('marital_status', 4, '{630,16,38,194,18,104}'),
	('marital_status', 5, '{660,16,26,150,92,56}'),
	('marital_status', 6, '{690,14,10,54,190,42}'),
	('marital_status', 7, '{330,12,8,60,546,44}'),
	-- the United States, Latin America, Caribbean and Africa, Europe, China, Japan, other East Asia, South Asia, islands
	('race', 1, '{856,104,10,4,3,5,4,11,3}'),
	('race', 2, '{640,60,24,1,1,2,180,74,18}'),
	('race', 3, '{40,900,2,1,1,2,16,30,8}'),
	('race', 4, '{960,16,1,1,1,2,8,9,2}'),
	('race', 5, '{20,2,1,930,3,20,2,19,3}'),
	('race', 6, '{110,6,1,6,840,8,4,22,3}'),
	('race', 7, '{60,6,1,40,4,850,8,27,4}'),
	('race', 8, '{50,12,1,1,1,870,36,25,4}'),
	('race', 9, '{210,30,6,10,12,560,60,84,28}'),
	-- below 20, older than 64, between them without and with a degree; Armed-Forces are an occupation's
	('work_class', 1, '{560,30,4,18,30,0,2,12,30,314}'),
	('work_class', 2, '{170,20,6,8,20,0,22,70,8,676}'),
	('work_class', 3, '{672,40,26,30,56,0,24,76,2,74}'),
	('work_class', 4, '{470,106,52,76,130,0,56,74,1,35}')
),
-- One array a column: its urns, one behind the other; and where each begins, and ends.
ends AS (
	SELECT drawn, urn, weights, sum(total) OVER (PARTITION BY drawn ORDER BY urn)::int AS last, total
	FROM frequencies, LATERAL (SELECT sum(w)::int AS total FROM unnest(weights) w) t
),
urns AS (
	SELECT drawn,
		(SELECT array_agg(value::int2 ORDER BY urn, value)
		 FROM ends e, unnest(e.weights) WITH ORDINALITY w (weight, value), generate_series(1, weight)
		 WHERE e.drawn = d.drawn) AS lots,
		array_agg(last - total + 1 ORDER BY urn) AS first,
		array_agg(total::bigint ORDER BY urn) AS size
	FROM ends d GROUP BY drawn
),
u AS MATERIALIZED (
	SELECT age.lots AS age_lots, age.size[1] AS ages, country.lots AS country_lots, country.size[1] AS countries,
		education.lots AS education_lots, education.first AS education_first, education.size AS education_size,
		marital_status.lots AS marital_status_lots, marital_status.first AS marital_status_first,
		marital_status.size AS marital_status_size,
		race.lots AS race_lots, race.first AS race_first, race.size AS race_size,
		work_class.lots AS work_class_lots, work_class.first AS work_class_first, work_class.size AS work_class_size,
		occupation.lots AS occupation_lots, occupation.first AS occupation_first, occupation.size AS occupation_size,
		(SELECT array_agg(c.country ORDER BY weight DESC, c.country COLLATE "C") FROM countries c) AS country_name,
		(SELECT array_agg(race_urn ORDER BY weight DESC, c.country COLLATE "C") FROM countries c) AS race_urn,
		(SELECT array_agg(o.occupation ORDER BY o.occupation COLLATE "C") FROM occupations o) AS occupation_name
	FROM urns age, urns country, urns education, urns marital_status, urns race, urns work_class, urns occupation
	WHERE age.drawn = 'age' AND country.drawn = 'country' AND education.drawn = 'education'
		AND marital_status.drawn = 'marital_status' AND race.drawn = 'race'
		AND work_class.drawn = 'work_class' AND occupation.drawn = 'occupation'
),
-- Who depends on nobody, then who depends on them. OFFSET 0: each value is drawn once.
hashed AS (
	SELECT i, ARRAY[
		hashint8extended(i, 1) & 9223372036854775807, hashint8extended(i, 2) & 9223372036854775807,
		hashint8extended(i, 3) & 9223372036854775807, hashint8extended(i, 4) & 9223372036854775807,
		hashint8extended(i, 5) & 9223372036854775807, hashint8extended(i, 6) & 9223372036854775807,
		hashint8extended(i, 7) & 9223372036854775807, hashint8extended(i, 8) & 9223372036854775807,
		hashint8extended(i, 9) & 9223372036854775807] AS h
	FROM generate_series(1, census.rows) i
	OFFSET 0
),
born AS (
	SELECT i, h, 14 + age_lots[1 + h[1] % ages] AS age, h[2] % 100 AS lot, country_lots[1 + h[3] % countries] AS country
	FROM hashed, u
	OFFSET 0
),
raised AS (
	SELECT i, h, age, country, lot < 52 - age / 8 AS male,
		education_lots[education_first[e] + h[4] % education_size[e]] AS education
	FROM born, u, width_bucket(age, '{0,18,22,30,50,65}') e
	OFFSET 0
),
schooled AS (
	SELECT *, CASE WHEN education > 13 THEN 3 WHEN education > 10 THEN 2 ELSE 1 END AS schooling
	FROM raised
	OFFSET 0
),
-- Which urns they draw from now.
grown AS (
	SELECT *,
		CASE WHEN age < 70 THEN width_bucket(age, '{0,20,25,35,55}') WHEN male THEN 6 ELSE 7 END AS m,
		schooling + CASE WHEN male THEN 0 ELSE 3 END AS o,
		CASE WHEN age < 20 THEN 1 WHEN age > 64 THEN 2 WHEN schooling < 3 THEN 3 ELSE 4 END AS w,
		-- three dice of 17 sides
		7 * schooling + CASE WHEN male THEN 4 ELSE 0 END - abs(age - 48) / 4 - 10
			+ h[9] % 17 + h[9] / 17 % 17 + h[9] / 289 % 17 AS salary
	FROM schooled
	OFFSET 0
),
drawn AS (
	SELECT grown.*,
		marital_status_lots[marital_status_first[m] + h[5] % marital_status_size[m]] AS marital_status,
		race_lots[race_first[race_urn[country]] + h[6] % race_size[race_urn[country]]] AS race,
		occupation_name[occupation_lots[occupation_first[o] + h[7] % occupation_size[o]]] AS occupation,
		work_class_lots[work_class_first[w] + h[8] % work_class_size[w]] AS work_class
	FROM grown, u
	OFFSET 0
)
SELECT i::int, age, CASE WHEN male THEN 'Male' ELSE 'Female' END,
	name.education[drawn.education], name.marital_status[drawn.marital_status], name.race[drawn.race],
	CASE WHEN drawn.occupation = 'Armed-forces' THEN 'Armed-Forces' ELSE name.work_class[drawn.work_class] END,
	country_name[drawn.country], drawn.occupation,
	(CASE WHEN salary BETWEEN 1 AND 50 THEN salary ELSE 1 + h[9] / 4913 % 50 END)::int
FROM drawn, u, name
$$;
