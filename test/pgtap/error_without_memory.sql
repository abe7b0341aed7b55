-- An error of which there is no memory for a copy is an error of the statement, like any other: its transaction can be rolled back, and
-- a savepoint, too.
\set QUIET on
SET client_min_messages = error;
\set asserts 0
\getenv asserts PPREPUB_ASSERTIONS
\if :asserts
\else
SELECT plan(0);
\quit
\endif
SELECT no_plan();
CREATE FUNCTION starved() RETURNS void LANGUAGE C AS '$libdir/pprepub', 'pprepub_starved';
CREATE TABLE kept (n int);
\set ON_ERROR_STOP off
\set VERBOSITY terse
BEGIN;
INSERT INTO kept VALUES (1);
SAVEPOINT before;
SELECT starved();
\set code :LAST_ERROR_SQLSTATE
ROLLBACK TO before;
COMMIT;
BEGIN;
INSERT INTO kept VALUES (2);
SELECT starved();
ROLLBACK;
-- Outside of a transaction block, too.
SELECT starved();
\set ON_ERROR_STOP on
SELECT is(:'code'::text, '53200', 'it is out of memory');
SELECT results_eq('SELECT n FROM kept', 'VALUES (1)', 'and the session goes on with what is right');
SELECT throws_ok('SELECT starved()', '53200', NULL, 'also where somebody catches it');
SELECT * FROM finish();
