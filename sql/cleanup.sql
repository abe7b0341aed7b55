-- Each test dropped what it made: nothing but the extension and the roles is left.
\pset format unaligned \t on \pset recordsep '; '
SELECT name FROM pprepub_internal.catalog_publication;
SELECT name FROM pprepub_internal.catalog_taxonomy;
SELECT oid::regclass FROM pg_class WHERE relnamespace = 'public'::regnamespace;
SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$|pprepub$|pprepub_internal$)';

DROP EXTENSION pprepub;
SELECT nspname FROM pg_namespace WHERE nspname ~ '^pprepub';
SELECT evtname FROM pg_event_trigger;

DROP OWNED BY regress_owner, regress_other, regress_analyst;
DROP ROLE regress_owner, regress_other, regress_analyst;
