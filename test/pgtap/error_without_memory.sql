-- An error of which there is no memory for a copy is an error of the statement, like any other: its transaction can be rolled back, and
-- a savepoint, too.
\if :asserts
\else
SELECT skip('only where there are assertions');
\quit
\endif
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
