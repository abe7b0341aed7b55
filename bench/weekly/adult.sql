-- The Adult file.
CREATE TABLE adult (id int PRIMARY KEY, age int, workclass text, fnlwgt int, education text, education_num int, marital_status text, occupation text, relationship text,
	race text, sex text, capital_gain int, capital_loss int, hours_per_week int, native_country text, salary_class text);
