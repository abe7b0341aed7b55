-- audit() and attack() by any principle: releases that were made elsewhere, and parameters that change.
\i test/lib/told.sql
CREATE ROLE regress_principled;
CREATE ROLE regress_unprincipled;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_principled', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_principled;
SET ROLE regress_principled;
SET client_min_messages = error;

-- ---- "l-Diversity": patients, a 4-anonymous table of them, and a diverse one ----

CREATE TABLE patients (id int PRIMARY KEY, zip text, age int, ill text);
INSERT INTO patients VALUES (1, '13053', 28, 'heart'), (2, '13068', 29, 'heart'), (3, '13068', 21, 'virus'), (4, '13053', 23, 'virus'),
	(5, '14853', 50, 'cancer'), (6, '14853', 55, 'heart'), (7, '14850', 47, 'virus'), (8, '14850', 49, 'virus'),
	(9, '13053', 31, 'cancer'), (10, '13053', 37, 'cancer'), (11, '13068', 36, 'cancer'), (12, '13068', 35, 'cancer');
CREATE VIEW four AS SELECT id, CASE WHEN zip < '14' THEN '130**' ELSE '1485*' END AS zip,
	CASE WHEN age < 30 THEN '[20,30)' WHEN age < 40 THEN '[30,40)' ELSE '[40,60)' END AS age, ill FROM patients;
CREATE VIEW diverse AS SELECT id, left(zip, 4) || '*' AS zip, CASE WHEN age < 40 THEN '[20,41)' ELSE '[40,60)' END AS age, ill FROM patients;
SELECT pprepub.create_publication('four', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4}') \g /dev/null
SELECT pprepub.create_publication('diverse', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4}', beside => '{four}') \g /dev/null
SELECT pprepub.create_publication('both', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4}', beside => '{four,diverse}') \g /dev/null
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('four', 'four', 'id')$$), '12,3');
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('diverse', 'diverse', 'id')$$), '12,3');

-- Classes of cancer alone, of two values twice, of three values.
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('four', '{"entropy": 2, "frequency": 2, "l": 3}')$$), 'l,"l >= 3","l = 1",f,"{""release"": 1, ""sensitive_values"": 1}",2,8; frequency,"no value has more than 1/2 of the rows","frequency = 1",f,"{""release"": 1, ""frequency"": 1}",1,4; entropy,"the values are as uncertain as 2 equally common ones","entropy = 1",f,"{""entropy"": 1, ""release"": 1}",1,4; atoms,"k >= 1, l >= 3","k = 4, l = 1",f,"{""releases"": [1], ""in_release"": 1, ""sensitive_values"": 1}",,8; "revealed frequency","no value has more than 1/2 of the rows","frequency = 1",f,"{""releases"": [1], ""frequency"": 1, ""in_release"": 1}",,4; "revealed entropy","the values are as uncertain as 2 equally common ones","entropy = 1",f,"{""entropy"": 1, ""releases"": [1], ""in_release"": 1}",,4');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('four', '{"recursive": 2, "c": 1.5}')$$), 'recursive,"the commonest value has less than 1.5 times the rows of all but the 1 commonest","no c is enough",f,"{""release"": 1}",1,4; "revealed recursive","the commonest value has less than 1.5 times the rows of all but the 1 commonest","no c is enough",f,"{""releases"": [1], ""in_release"": 1}",,4');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"k": 4, "l": 3, "entropy": 2.8, "frequency": 2}')$$), 'k,"k >= 4","k = 4",t,"{""records"": 4, ""release"": 1}",0,0; l,"l >= 3","l = 3",t,"{""release"": 1, ""sensitive_values"": 3}",0,0; frequency,"no value has more than 1/2 of the rows","frequency = 2",t,"{""release"": 1, ""frequency"": 2}",0,0; entropy,"the values are as uncertain as 2.8 equally common ones","entropy = 2.82843",t,"{""entropy"": 2.82843, ""release"": 1}",0,0; atoms,"k >= 4, l >= 3","k = 4, l = 3",t,"{""records"": 4, ""releases"": [1]}",,0; "revealed frequency","no value has more than 1/2 of the rows","frequency = 2",t,"{""releases"": [1], ""frequency"": 2, ""in_release"": 1}",,0; "revealed entropy","the values are as uncertain as 2.8 equally common ones","entropy = 2.82843",t,"{""entropy"": 2.82843, ""releases"": [1], ""in_release"": 1}",,0');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"entropy": 2.9}')$$), 'entropy,"the values are as uncertain as 2.9 equally common ones","entropy = 2.82843",f,"{""entropy"": 2.82843, ""release"": 1}",3,12; "revealed entropy","the values are as uncertain as 2.9 equally common ones","entropy = 2.82843",f,"{""entropy"": 2.82843, ""releases"": [1], ""in_release"": 1}",,12');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"recursive": 3, "c": 2}')$$), 'recursive,"the commonest value has less than 2 times the rows of all but the 2 commonest","c = 2",f,"{""c"": 2, ""release"": 1}",3,12; "revealed recursive","the commonest value has less than 2 times the rows of all but the 2 commonest","c = 2",f,"{""c"": 2, ""releases"": [1], ""in_release"": 1}",,12');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"recursive": 3, "c": 2.1}')$$), 'recursive,"the commonest value has less than 2.1 times the rows of all but the 2 commonest","c = 2",t,"{""c"": 2, ""release"": 1}",0,0; "revealed recursive","the commonest value has less than 2.1 times the rows of all but the 2 commonest","c = 2",t,"{""c"": 2, ""releases"": [1], ""in_release"": 1}",,0');
-- Of all twelve, 5 have cancer, 3 a weak heart, 4 a virus: shares of 0.417, 0.25 and 0.333 are compared with 0.5, 0.25 and 0.25, or 0.25, 0.25 and 0.5.
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"t": 0.17, "beta": 0.5, "delta": 0.5, "distance": "equal"}')$$), 't,"the values are no farther than 0.17 from those of all people","t = 0.166667",t,"{""t"": 0.166667, ""release"": 1}",0,0; beta,"no value gains more than 0.5 times its share among all people, or less if it is common","beta = 0.5",t,"{""beta"": 0.5, ""release"": 1}",0,0; delta,"no value is e^0.5 times as common as among all people","delta = 0.405465",t,"{""delta"": 0.405465, ""release"": 1}",0,0; "revealed t","the values are no farther than 0.17 from those of all people","t = 0.166667",t,"{""t"": 0.166667, ""releases"": [1], ""in_release"": 1}",,0; "revealed beta","no value gains more than 0.5 times its share among all people, or less if it is common","beta = 0.5",t,"{""beta"": 0.5, ""releases"": [1], ""in_release"": 1}",,0; "revealed delta","no value is e^0.5 times as common as among all people","delta = 0.405465",t,"{""delta"": 0.405465, ""releases"": [1], ""in_release"": 1}",,0');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('four', '{"t": 0.17, "beta": 0.8, "delta": 0.5, "distance": "equal"}')$$), 't,"the values are no farther than 0.17 from those of all people","t = 0.583333",f,"{""t"": 0.583333, ""release"": 1}",2,8; beta,"no value gains more than 0.8 times its share among all people, or less if it is common","no beta is enough",f,"{""release"": 1}",2,8; delta,"no value is e^0.5 times as common as among all people","delta = 0.875469",f,"{""delta"": 0.875469, ""release"": 1}",2,8; "revealed t","the values are no farther than 0.17 from those of all people","t = 0.583333",f,"{""t"": 0.583333, ""releases"": [1], ""in_release"": 1}",,8; "revealed beta","no value gains more than 0.8 times its share among all people, or less if it is common","no beta is enough",f,"{""releases"": [1], ""in_release"": 1}",,8; "revealed delta","no value is e^0.5 times as common as among all people","delta = 0.875469",f,"{""delta"": 0.875469, ""releases"": [1], ""in_release"": 1}",,8');
SELECT is(told($$SELECT * FROM pprepub.attack('four', '{"frequency": 2}')$$), '1,atom,,4,1,f');
SELECT is(told($$SELECT * FROM pprepub.attack('diverse', '{"frequency": 2}')$$), '1,atom,,4,3,t');

-- Each table by itself has two values or three in most classes; both together tell four pairs apart.
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('both', 'diverse', 'id')$$), '12,3');
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('both', 'four', 'id')$$), '12,3');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('both', '{"k": 2, "frequency": 2}')$$), 'frequency,"no value has more than 1/2 of the rows","frequency = 1",f,"{""release"": 2, ""frequency"": 1}",1,4; "revealed frequency","no value has more than 1/2 of the rows","frequency = 1",f,"{""releases"": [1, 2], ""frequency"": 1, ""in_release"": 1}",,4; k,"k >= 2","k = 4",t,"{""records"": 4, ""release"": 1}",0,0; atoms,"k >= 2, l >= 1","k = 2, l = 1",t,"{""records"": 2, ""releases"": [1, 2]}",,0');
SELECT is(told($$SELECT * FROM pprepub.attack('both', '{"k": 2, "frequency": 2}')$$), '1,intersection,2,2,1,f; 1,difference,2,2,1,f; 2,difference,1,2,1,f; 2,atom,,2,1,f');
SELECT is(told($$SELECT * FROM pprepub.attack('both', '{"k": 2, "frequency": 1.5}') WHERE holds$$), 'no rows');
-- Nothing of this was promised.
SELECT is(told($$SELECT check_name, required, measured, holds FROM pprepub.audit('both') WHERE check_name IN ('k', 'l', 'atoms') OR check_name ~ 'revealed'$$), 'atoms,"k >= 4, l >= 1","k = 2, l = 1",f; k,"k >= 4","k = 4",t');

-- ---- Declared, and broken by an import ----

SELECT pprepub.create_publication('strict', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4, "frequency": 2, "recursive": 2, "c": 1.5}', beside => '{four,diverse,both}') \g /dev/null
RESET client_min_messages;
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('strict', 'diverse', 'id')$$), '12,3');
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('strict', 'four', 'id')$$), '12,3');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('strict') WHERE check_name ~ 'k|atoms|frequency|recursive'$$), 'frequency,"no value has more than 1/2 of the rows","frequency = 1",f,"{""release"": 2, ""frequency"": 1}",1,4; recursive,"the commonest value has less than 1.5 times the rows of all but the 1 commonest","no c is enough",f,"{""release"": 2}",1,4; atoms,"k >= 4, l >= 1","k = 2, l = 1",f,"{""records"": 2, ""releases"": [1, 2]}",,8; "revealed frequency","no value has more than 1/2 of the rows","frequency = 1",f,"{""releases"": [1, 2], ""frequency"": 1, ""in_release"": 1}",,4; "revealed recursive","the commonest value has less than 1.5 times the rows of all but the 1 commonest","no c is enough",f,"{""releases"": [1, 2], ""in_release"": 1}",,4; k,"k >= 4","k = 4",t,"{""records"": 4, ""release"": 1}",0,0; checksums,"2 release(s) with the rows that they were published with",2,t,,,');
SELECT is(told($$SELECT * FROM pprepub.attack('strict')$$), '1,intersection,2,2,1,f; 1,difference,2,2,1,f; 2,difference,1,2,1,f; 2,atom,,2,1,f');
-- By another principle it may hold, and be told so.
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('strict', '{"k": 2}')$$), 'k,"k >= 2","k = 4",t,"{""records"": 4, ""release"": 1}",0,0; atoms,"k >= 2, l >= 1","k = 2, l = 1",t,"{""records"": 2, ""releases"": [1, 2]}",,0');

-- ---- Raised, and added: who could never be shown again? ----

CREATE FUNCTION try_alter(name text, params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text; detail text; hint text;
BEGIN
	PERFORM pprepub.alter_publication(name, params);
	RETURN 'altered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', message, detail, hint);
END
$$;
CREATE TABLE pupils AS SELECT id, id % 7 AS age, 'd' || id % 5 AS ill FROM generate_series(1, 40) id;
SELECT pprepub.create_publication('new', 'pupils', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4}') \g /dev/null
-- A principle is given up, too, if that is meant; and a distance is declared with the t that it is of.
SELECT is(told($$SELECT rows FROM pprepub.publish('new')$$), '40');
SELECT is(told($$SELECT try_alter('new', '{"t": 0.5, "distance": "equal"}')$$), 'altered');
SELECT is(told($$SELECT try_alter('new', '{"distance": "auto"}')$$), 'this "distance" would weaken what publication "new" has promised / The people in its releases would be protected less from now on. / If that is what you want, say so: add "accept_weakening": true to the parameters.');
SELECT is(told($$SELECT try_alter('new', '{"t": 0.6}')$$), 'a larger "t", or none, would weaken what publication "new" has promised / The people in its releases would be protected less from now on. / If that is what you want, say so: add "accept_weakening": true to the parameters.');
SELECT is(told($$SELECT try_alter('new', '{"t": null}')$$), 'a larger "t", or none, would weaken what publication "new" has promised / The people in its releases would be protected less from now on. / If that is what you want, say so: add "accept_weakening": true to the parameters.');
SELECT is(told($$SELECT try_alter('new', '{"t": null, "distance": null, "accept_weakening": true}')$$), 'altered');
SELECT is(told($$SELECT try_alter('new', '{"recursive": 2, "c": 3}')$$), 'altered');
SELECT is(told($$SELECT try_alter('new', '{"recursive": null, "accept_weakening": true}')$$), 'parameters of method "bpg" contradict each other / "c" is of "recursive", which is not given: both are null if one is / ');
SELECT is(told($$SELECT try_alter('new', '{"recursive": null, "c": null, "accept_weakening": true}')$$), 'altered');
SELECT is(told($$SELECT params FROM pprepub.publication WHERE name = 'new'$$), '{"k": 4, "l": 1, "ties": "worlds", "repair": "counterfeit", "reserve": 2, "max_added": 0.5, "max_answers_per_statement": 1}');
SELECT pprepub.drop_publication('new', true);
DROP TABLE pupils;

SELECT is(told($$SELECT try_alter('diverse', '{"frequency": 2}')$$), 'altered');
SELECT is(told($$SELECT try_alter('diverse', '{"frequency": 2.1}')$$), 'with these parameters 12 people of publication "diverse" could never be published again / Earlier releases and answers tell them apart from others in sets that are too small now, or have sensitive values that tell too much, and sets never grow. / If that is what you want, say so: add "accept_lockout": true to the parameters.');
SELECT is(told($$SELECT try_alter('diverse', '{"entropy": 2.9}')$$), 'with these parameters 12 people of publication "diverse" could never be published again / Earlier releases and answers tell them apart from others in sets that are too small now, or have sensitive values that tell too much, and sets never grow. / If that is what you want, say so: add "accept_lockout": true to the parameters.');
SELECT is(told($$SELECT try_alter('diverse', '{"beta": 0.21, "delta": 0.5}')$$), 'with these parameters 4 people of publication "diverse" could never be published again / Earlier releases and answers tell them apart from others in sets that are too small now, or have sensitive values that tell too much, and sets never grow. / If that is what you want, say so: add "accept_lockout": true to the parameters.');
SELECT is(told($$SELECT try_alter('four', '{"t": 0.4}')$$), 'with these parameters 8 people of publication "four" could never be published again / Earlier releases and answers tell them apart from others in sets that are too small now, or have sensitive values that tell too much, and sets never grow. / If that is what you want, say so: add "accept_lockout": true to the parameters.');
SELECT is(told($$SELECT try_alter('four', '{"t": 0.4, "accept_lockout": true}')$$), 'altered');
SELECT is(told($$SELECT try_alter('four', '{"t": 0.6, "accept_weakening": true}')$$), 'altered');
SELECT is(told($$SELECT try_alter('four', '{"t": 0.5}')$$), 'with these parameters 4 people of publication "four" could never be published again / Earlier releases and answers tell them apart from others in sets that are too small now, or have sensitive values that tell too much, and sets never grow. / If that is what you want, say so: add "accept_lockout": true to the parameters.');
SELECT is(told($$SELECT try_alter('four', '{"t": 0.59}')$$), 'altered');
-- The release that is out promised less.
SELECT is(told($$SELECT check_name, holds FROM pprepub.audit('four') WHERE check_name ~ '^t$|revealed'$$), 'no rows');

-- ---- Principles that are none ----

CREATE FUNCTION try_principle(principle jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text;
BEGIN
	PERFORM pprepub.attack('both', principle);
	RETURN (SELECT string_agg(check_name || ' ' || measured, ', ') FROM pprepub.audit('both', principle));
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', state || ' ' || message, nullif(detail, ''), nullif(hint, ''));
END
$$;
SELECT is(told($$SELECT x, try_principle(x::jsonb) FROM unnest(ARRAY[
	'{}', '[]', '3', '{"k": 1, "l": 1, "frequency": 1, "joint": true}', '{"m": 3}', '{"K": 3}', '{"repair": "dirty"}', '{"k": 0}',
	'{"k": 2.5}', '{"l": null}', '{"t": -1}', '{"t": 1.5}', '{"t": "NaN"}', '{"t": {"t": 0.1}}', '{"frequency": [2]}',
	'{"beta": 1e300}', '{"beta": 0.0000001}', '{"delta": 0}', '{"recursive": 2}', '{"recursive": 2, "c": -1}',
	'{"recursive": 2, "c": 0}', '{"c": 2}', '{"t": 0.1, "distance": "far"}', '{"t": 0.1, "distance": "ordered"}',
	'{"frequency": 2, "joint": "yes"}', '{"t": 0.1, "distribution": "patients"}']) x$$),
	'{},"22023 the principle asks for nothing / Every set of people satisfies it. / Give at least one condition, for example {""frequency"": 3}."; [],"22023 a principle must be a JSON object / Parameters of a principle: ""k"", ""l"", ""frequency"", ""entropy"", ""recursive"", ""t"", ""beta"", ""delta"", ""c"", ""distance"", ""joint""."; 3,"22023 a principle must be a JSON object / Parameters of a principle: ""k"", ""l"", ""frequency"", ""entropy"", ""recursive"", ""t"", ""beta"", ""delta"", ""c"", ""distance"", ""joint""."; '
	'"{""k"": 1, ""l"": 1, ""frequency"": 1, ""joint"": true}","22023 the principle asks for nothing / Every set of people satisfies it. / Give at least one condition, for example {""frequency"": 3}."; '
	'"{""m"": 3}","22023 unknown parameter ""m"" for a principle / Parameters of a principle: ""k"", ""l"", ""frequency"", ""entropy"", ""recursive"", ""t"", ""beta"", ""delta"", ""c"", ""distance"", ""joint""."; '
	'"{""K"": 3}","22023 unknown parameter ""K"" for a principle / Perhaps you meant ""k"". Parameters of a principle: ""k"", ""l"", ""frequency"", ""entropy"", ""recursive"", ""t"", ""beta"", ""delta"", ""c"", ""distance"", ""joint""."; '
	'"{""repair"": ""dirty""}","22023 unknown parameter ""repair"" for a principle / Parameters of a principle: ""k"", ""l"", ""frequency"", ""entropy"", ""recursive"", ""t"", ""beta"", ""delta"", ""c"", ""distance"", ""joint""."; '
	'"{""k"": 0}","22023 invalid value for parameter ""k"" / It must be an integer from 1 to 2147483647. / If it is left out, it is 1."; '
	'"{""k"": 2.5}","22023 invalid value for parameter ""k"" / It must be an integer from 1 to 2147483647. / If it is left out, it is 1."; '
	'"{""l"": null}","22023 invalid value for parameter ""l"" / It must be an integer from 1 to 2147483647. / If it is left out, it is 1."; '
	'"{""t"": -1}","22023 invalid value for parameter ""t"" / It must be a number from 0 to 1 with up to 6 digits behind the point, or null."; '
	'"{""t"": 1.5}","22023 invalid value for parameter ""t"" / It must be a number from 0 to 1 with up to 6 digits behind the point, or null."; '
	'"{""t"": ""NaN""}","22023 invalid value for parameter ""t"" / It must be a number from 0 to 1 with up to 6 digits behind the point, or null."; '
	'"{""t"": {""t"": 0.1}}","22023 invalid value for parameter ""t"" / It must be a number from 0 to 1 with up to 6 digits behind the point, or null."; '
	'"{""frequency"": [2]}","22023 invalid value for parameter ""frequency"" / It must be a number from 1 to 1000000 with up to 6 digits behind the point, or null."; '
	'"{""beta"": 1e300}","22023 invalid value for parameter ""beta"" / It must be a number from 0 to 1000000 with up to 6 digits behind the point, or null."; '
	'"{""beta"": 0.0000001}","22023 invalid value for parameter ""beta"" / It must be a number from 0 to 1000000 with up to 6 digits behind the point, or null."; '
	'"{""delta"": 0}","22023 parameters of a principle contradict each other / no set of people satisfies ""delta"" 0"; '
	'"{""recursive"": 2}","22023 parameters of a principle contradict each other / ""recursive"" needs ""c"": how many times the rows of the rarer values the commonest one may have"; '
	'"{""recursive"": 2, ""c"": -1}","22023 invalid value for parameter ""c"" / It must be a number from 0 to 1000000 with up to 6 digits behind the point, or null."; '
	'"{""recursive"": 2, ""c"": 0}","22023 parameters of a principle contradict each other / no set of people satisfies ""recursive"" with a ""c"" of 0"; '
	'"{""c"": 2}","22023 parameters of a principle contradict each other / ""c"" is of ""recursive"", which is not given: both are null if one is"; '
	'"{""t"": 0.1, ""distance"": ""far""}","22023 invalid value for parameter ""distance"" / It must be ""auto"", ""equal"" or ""ordered"", or null."; '
	'"{""t"": 0.1, ""distance"": ""ordered""}","22023 sensitive values have no order in which they are near or far / Give ""distance"": ""equal"" or ""auto""."; '
	'"{""frequency"": 2, ""joint"": ""yes""}","22023 invalid value for parameter ""joint"" / It must be true or false, or null."; '
	'"{""t"": 0.1, ""distribution"": ""patients""}","22023 unknown parameter ""distribution"" for a principle / Parameters of a principle: ""k"", ""l"", ""frequency"", ""entropy"", ""recursive"", ""t"", ""beta"", ""delta"", ""c"", ""distance"", ""joint""."');
-- Edges of what is one.
SELECT is(told($$SELECT x, try_principle(x::jsonb) FROM unnest(ARRAY[
	'{"t": 0, "distance": "equal"}', '{"beta": 0, "delta": 0.000001}', '{"k": 2147483647, "frequency": 1000000, "joint": true}']) x$$), '"{""t"": 0, ""distance"": ""equal""}","t t = 0.166667, revealed t t = 0.583333"; "{""beta"": 0, ""delta"": 0.000001}","beta beta = 0.5, delta delta = 0.875469, revealed beta no beta is enough, revealed delta delta = 0.875469"; "{""k"": 2147483647, ""frequency"": 1000000, ""joint"": true}","k k = 4, frequency frequency = 1, atoms k = 2, l = 1, revealed frequency frequency = 1"');
SELECT is(told($$SELECT try_principle(NULL) LIKE '%checksums%' AS declared$$), 'true');

-- ---- NULLs, and releases that nothing is known of ----

SET client_min_messages = error;
CREATE TABLE visits (id int, ward text, ill text);
INSERT INTO visits VALUES (1, 'a', NULL), (2, 'a', NULL), (3, 'b', 'flu'), (4, 'b', NULL), (5, 'b', 'gout');
SELECT pprepub.create_publication('visits', 'visits', 'id', '{"ward": "suppress"}', 'ill', 'bpg', '{"k": 2}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.audit('visits', '{"frequency": 2}')$$), '1');
CREATE VIEW unknown AS SELECT ward, ill FROM visits;
SELECT is(told($$SELECT rows FROM pprepub.import_release('visits', 'unknown')$$), '5');
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('visits', '{"frequency": 2, "t": 0.1}')$$), 'identified,"1 release(s) of which the log says whose their rows are",0,f,"{""release"": 1}",,');
SELECT is(told($$SELECT * FROM pprepub.attack('visits', '{"frequency": 2}')$$), 'no rows');
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('visits', 'visits', 'id')$$), '5,2');
-- A NULL is no value: where nobody has any, nothing is as it should be, but k.
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('visits', '{"k": 2, "frequency": 2, "t": 0.1}')$$), 'frequency,"no value has more than 1/2 of the rows","frequency = 0",f,"{""release"": 2, ""frequency"": 0}",1,2; t,"the values are no farther than 0.1 from those of all people","no t is enough",f,"{""release"": 2}",1,2; "revealed frequency","no value has more than 1/2 of the rows","frequency = 0",f,"{""releases"": [2], ""frequency"": 0, ""in_release"": 2}",,2; "revealed t","the values are no farther than 0.1 from those of all people","no t is enough",f,"{""releases"": [2], ""in_release"": 2}",,2; identified,"2 release(s) of which the log says whose their rows are",1,f,"{""release"": 1}",,; k,"k >= 2","k = 2",t,"{""records"": 2, ""release"": 2}",0,0; atoms,"k >= 2, l >= 1","k = 2, l = 0",t,"{""records"": 2, ""releases"": [2]}",,0');
SELECT is(told($$SELECT * FROM pprepub.attack('visits', '{"k": 2, "frequency": 2}')$$), '2,atom,,2,0,f');

-- ---- "t-Closeness": nine salaries, a 3-diverse table of them, and a close one ----

CREATE TABLE staff (id int, zip text, salary int);
INSERT INTO staff VALUES (1, '47677', 3000), (2, '47602', 4000), (3, '47678', 5000), (4, '47905', 6000), (5, '47909', 11000), (6, '47906', 8000),
	(7, '47605', 7000), (8, '47673', 9000), (9, '47607', 10000);
CREATE VIEW staff_diverse AS SELECT id, CASE WHEN id < 4 THEN '47***' WHEN id < 7 THEN '4790*' ELSE '476**' END AS zip, salary FROM staff;
CREATE VIEW staff_close AS SELECT id, CASE WHEN id IN (1, 3, 8) THEN '4767*' WHEN id IN (2, 7, 9) THEN '4760*' ELSE '4790*' END AS zip, salary FROM staff;
SELECT pprepub.create_publication('diverse_staff', 'staff', 'id', '{"zip": "prefix"}', 'salary', 'bpg', '{"k": 3}') \g /dev/null
SELECT pprepub.create_publication('close_staff', 'staff', 'id', '{"zip": "prefix"}', 'salary', 'bpg', '{"k": 3}', beside => '{diverse_staff}') \g /dev/null
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('diverse_staff', 'staff_diverse', 'id')$$), '9,3');
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('close_staff', 'staff_close', 'id')$$), '9,3');
-- From 3, 4 and 5 thousand it is 0.375 to all of them, and no more than 0.167 from each class of the other table.
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse_staff', '{"t": 0.2}')$$), 't,"t = 0.375",f,"{""t"": 0.375, ""release"": 1}",2,6; "revealed t","t = 0.375",f,"{""t"": 0.375, ""releases"": [1], ""in_release"": 1}",,6');
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('close_staff', '{"t": 0.166667, "distance": "ordered"}')$$), 't,"t = 0.166667",t,"{""t"": 0.166667, ""release"": 1}",0,0; "revealed t","t = 0.166667",t,"{""t"": 0.166667, ""releases"": [1], ""in_release"": 1}",,0');
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('close_staff', '{"t": 0.6, "distance": "equal"}')$$), 't,"t = 0.666667",f,"{""t"": 0.666667, ""release"": 1}",3,9; "revealed t","t = 0.666667",f,"{""t"": 0.666667, ""releases"": [1], ""in_release"": 1}",,9');
SELECT pprepub.drop_publication('diverse_staff', true);
SELECT pprepub.drop_publication('close_staff', true);
DROP VIEW staff_diverse, staff_close;
DROP TABLE staff;

-- ---- Several columns: each by itself, and one beside a value of another ----

CREATE TABLE workers (id int, ward text, ill text, income int);
INSERT INTO workers VALUES (1, 'a', 'flu', 10), (2, 'a', 'flu', 10), (3, 'a', 'gout', 20), (4, 'a', 'gout', 20),
	(5, 'b', 'flu', 10), (6, 'b', 'gout', 10), (7, 'b', 'flu', 20), (8, 'b', 'gout', 30);
SELECT pprepub.create_publication('workers', 'workers', 'id', '{"ward": "suppress"}', '{ill, income}', 'bpg', '{"k": 4}') \g /dev/null
SELECT is(told($$SELECT rows, classes FROM pprepub.import_release('workers', 'workers', 'id')$$), '8,2');
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"l": 2, "frequency": 2}')$$), 'l,"l = 2",t,"{""column"": ""ill"", ""release"": 1, ""sensitive_values"": 2}",0,0; frequency,"frequency = 2",t,"{""column"": ""ill"", ""release"": 1, ""frequency"": 2}",0,0; atoms,"k = 4, l = 2",t,"{""records"": 4, ""releases"": [1]}",,0; "revealed frequency","frequency = 2",t,"{""column"": ""ill"", ""releases"": [1], ""frequency"": 2, ""in_release"": 1}",,0');
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"frequency": 2.5}')$$), 'frequency,"frequency = 2",f,"{""column"": ""ill"", ""release"": 1, ""frequency"": 2}",2,8; "revealed frequency","frequency = 2",f,"{""column"": ""ill"", ""releases"": [1], ""frequency"": 2, ""in_release"": 1}",,8');
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"l": 2, "frequency": 2, "joint": true}')$$), 'l,"l = 1",f,"{""joint"": true, ""release"": 1, ""sensitive_values"": 1}",2,8; frequency,"frequency = 1",f,"{""joint"": true, ""release"": 1, ""frequency"": 1}",2,8; atoms,"k = 4, l = 1",f,"{""joint"": true, ""releases"": [1], ""in_release"": 1, ""sensitive_values"": 1}",,8; "revealed frequency","frequency = 1",f,"{""joint"": true, ""releases"": [1], ""frequency"": 1, ""in_release"": 1}",,8');
SELECT is(told($$SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"l": 3, "entropy": 2.5}')$$), 'l,"l = 2",f,"{""column"": ""ill"", ""release"": 1, ""sensitive_values"": 2}",2,8; entropy,"entropy = 2",f,"{""column"": ""ill"", ""entropy"": 2, ""release"": 1}",2,8; atoms,"k = 4, l = 2",f,"{""column"": ""ill"", ""releases"": [1], ""in_release"": 1, ""sensitive_values"": 2}",,8; "revealed entropy","entropy = 2",f,"{""column"": ""ill"", ""entropy"": 2, ""releases"": [1], ""in_release"": 1}",,8');
SELECT is(told($$SELECT * FROM pprepub.attack('workers', '{"l": 2}')$$), '1,atom,,4,2,t');
SELECT is(told($$SELECT * FROM pprepub.attack('workers', '{"l": 2, "joint": true}')$$), '1,atom,,4,2,f');
SELECT pprepub.drop_publication('workers', true);

-- Only the owner asks.
RESET client_min_messages;
SET ROLE regress_unprincipled;
SELECT is(told($$SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('visits', '{"frequency": 2}')$$), '42501 must be owner or auditor of publication "visits" / Its owner can call pprepub.grant_audit().');
SELECT is(told($$SELECT * FROM pprepub.attack('visits', '{"frequency": 2}')$$), '42501 must be owner or auditor of publication "visits" / Its owner can call pprepub.grant_audit().');
SET ROLE regress_principled;

-- ---- What a release was published with counts for it, and for all up to it, whatever comes later ----

SET client_min_messages = error;
CREATE TABLE eight AS SELECT i AS id, i AS age, 'v' || i % 2 AS ill FROM generate_series(1, 8) i;
ALTER TABLE eight ADD PRIMARY KEY (id);
CREATE VIEW halves AS SELECT id, ill, id / 5 AS class FROM eight;
CREATE VIEW others AS SELECT id, ill, id / 3 % 2 AS class FROM eight;	-- 1, 2, 6, 7, 8; 3, 4, 5
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2}', beside => ARRAY(SELECT name FROM pprepub.publication));
SELECT is(told($$SELECT number FROM pprepub.import_release('eight', 'halves', 'id')$$), '1');
-- More is asked of later releases only: each keeps k, and what both tell apart does not, by k of the second one.
SELECT pprepub.alter_publication('eight', '{"k": 3, "accept_lockout": true}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.audit('eight') WHERE NOT holds$$), '0');
SELECT is(told($$SELECT number FROM pprepub.import_release('eight', 'others', 'id')$$), '2');
SELECT is(told($$SELECT check_name, required, measured, worst, failing_people FROM pprepub.audit('eight') WHERE NOT holds$$), 'atoms,"k >= 3, l >= 1","k = 1, l = 1","{""records"": 1, ""releases"": [1, 2]}",5');
-- A release under weaker ones takes nothing from that.
SELECT pprepub.alter_publication('eight', '{"k": 1, "accept_weakening": true}') \g /dev/null
SELECT is(told($$SELECT number FROM pprepub.publish('eight')$$), '3');
SELECT is(told($$SELECT check_name, required, measured, worst, failing_people FROM pprepub.audit('eight') WHERE NOT holds$$), 'atoms,"k >= 3, l >= 1","k = 1, l = 1","{""records"": 1, ""releases"": [1, 2]}",5');
SELECT pprepub.drop_publication('eight', true);
-- People who were shown in sets that are too small now, and are not shown any more, fail nothing.
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2, "l": 2, "reserve": 1}', beside => ARRAY(SELECT name FROM pprepub.publication)) \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('eight')$$), '1');
DELETE FROM eight WHERE id > 4;
INSERT INTO eight SELECT i, i, 'v' || i % 3 FROM generate_series(9, 16) i;
SELECT pprepub.alter_publication('eight', '{"k": 4, "l": 3, "accept_lockout": true}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('eight')$$), '1');
SELECT is(told($$SELECT check_name, required, holds FROM pprepub.audit('eight') WHERE check_name IN ('k', 'l', 'atoms') OR NOT holds$$), 'k,"k >= 2",t; l,"l >= 2",t; atoms,"k >= 4, l >= 3",t');
RESET SESSION AUTHORIZATION;
SELECT pprepub.drop_publication(name, true) FROM pprepub_internal.catalog_publication;
DROP OWNED BY regress_principled, regress_unprincipled CASCADE;
DROP ROLE regress_principled, regress_unprincipled;
