-- Taxonomies for what census() draws: a row is a leaf, its parent, and so on to the root.

CREATE TABLE education_levels AS
SELECT leaf, parent, '*' AS root
FROM (VALUES
	('Primary', '{Preschool,1st-4th,5th-6th}'::text[]),
	('Secondary', '{7th-8th,9th,10th,11th,12th,GED,HS-grad}'),
	('Some-higher', '{Some-college,Assoc-voc,Assoc-acdm}'),
	('Degree', '{Bachelors,Masters,Doctorate,Prof-school}')) t (parent, leaves), unnest(leaves) leaf;

CREATE TABLE marital_status_levels AS
SELECT leaf, parent, '*' AS root
FROM (VALUES
	('Married', '{Married-spouse-present,Married-spouse-absent}'::text[]),
	('Formerly-married', '{Separated,Divorced,Widowed}'),
	('Single', '{Never-married}')) t (parent, leaves), unnest(leaves) leaf;

CREATE TABLE race_levels AS
SELECT leaf, '*' AS root
FROM unnest('{White,Black,Amer-Indian,Chinese,Japanese,Other-Asian,Other,Two-races,Three-or-more-races}'::text[]) leaf;

CREATE TABLE work_class_levels AS
SELECT leaf, parent, grandparent, '*' AS root
FROM (VALUES
	('Wage-and-salary', 'Private', '{Private-for-profit,Private-nonprofit}'::text[]),
	('Wage-and-salary', 'Government', '{Federal-gov,State-gov,Local-gov,Armed-Forces}'),
	('Not-salaried', 'Self-employed', '{Self-emp-inc,Self-emp-not-inc}'),
	('Not-salaried', 'No-pay', '{Without-pay,Not-working}')) t (grandparent, parent, leaves), unnest(leaves) leaf;

CREATE TABLE country_levels AS
SELECT leaf, parent, '*' AS root
FROM (VALUES
	('North-America', '{United-States,Canada,Outlying-US}'::text[]),
	('Central-America-Caribbean', '{Mexico,Puerto-Rico,Cuba,Jamaica,Haiti,Dominican-Republic,Trinidad-Tobago,
		El-Salvador,Guatemala,Honduras,Nicaragua,Barbados,Bahamas,Grenada,Panama}'),
	('South-America', '{Colombia,Ecuador,Peru,Guyana,Argentina,Brazil,Chile,Venezuela}'),
	('Western-Europe', '{England,Scotland,Ireland,France,Germany,Netherlands,Italy,Portugal,Greece,Spain,
		Austria,Norway,Sweden}'),
	('Eastern-Europe', '{Poland,Hungary,Yugoslavia,Slovenia,Russia,Ukraine,Romania,Czechoslovakia,Lithuania}'),
	('East-Asia', '{China,Hong-Kong,Taiwan,Japan,South-Korea,Philippines,Vietnam,Cambodia,Laos,Thailand,
		Indonesia,Malaysia,Burma,Singapore}'),
	('South-West-Asia', '{India,Iran,Pakistan,Bangladesh,Sri-Lanka,Nepal,Israel,Lebanon,Iraq,Turkey,Syria}'),
	('Africa', '{Nigeria,Ghana,Ethiopia,Kenya,Liberia,Cape-Verde,Egypt}'),
	('Oceania', '{Fiji,Samoa,Tonga}')) t (parent, leaves), unnest(leaves) leaf;
