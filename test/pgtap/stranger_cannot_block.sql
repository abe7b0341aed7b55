-- A role that may read nothing of a source does not keep its owner from publishing by a view of it.
BEGIN;
CREATE ROLE regress_owner; CREATE ROLE regress_stranger;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner, regress_stranger', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION regress_owner; CREATE SCHEMA street AUTHORIZATION regress_stranger;
GRANT USAGE ON SCHEMA ward TO regress_stranger;
SET ROLE regress_owner;
CREATE TABLE ward.t AS SELECT i AS id, i%10 AS age, 'd'||i%5 AS d FROM generate_series(1,100) i;
SELECT pprepub.create_publication('p','ward.t','id','{"age":"range"}','d','bpg','{"k":3,"l":2}', target=>'out');
SET ROLE regress_stranger;
CREATE TABLE street.t (id int, age int, d text);
CREATE VIEW street.v AS SELECT * FROM street.t;
SELECT pprepub.create_publication('s','street.v','id','{"age":"range"}','d','bpg','{"k":3,"l":2}', target=>'street_out');
CREATE OR REPLACE VIEW street.v AS SELECT * FROM ward.t;
RESET ROLE;
SELECT lives_ok($$ SELECT pprepub.publish('p') $$, 'the owner publishes');
