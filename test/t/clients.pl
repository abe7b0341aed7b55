# Clients ask the catalogs on connecting and on opening a table, which works for an analyst, who may use the
# target schema, read the view of the newest release and ask the publication's function, and shows what may be read, nothing else.
use Hospital;

my $node = new_server('main');

make_patients($node, 'postgres', 500);
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE analyst LOGIN;
SET ROLE owner;
SELECT pprepub.publish('patients');
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients, published.patients_1, published.patients_now TO analyst;
GRANT EXECUTE ON FUNCTION published.patients TO analyst;
SELECT pprepub.publish('patients');
SQL

# Output of psql for the analyst, who logs in; nothing may be said on stderr.
sub works
{
	my ($sql, $what) = @_;
	my ($status, $out, $error) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ]);

	ok($status == 0 && $error eq '', $what // $sql) or diag("status $status: $sql\n$error");
	return $out;
}

sub shows
{
	my ($sql, $expected, $what) = @_;

	is(works($sql), $expected, $what);
	return;
}

# ---- psql ----

foreach my $command ('\conninfo', '\l+', '\dn+', '\du+', '\db', '\dx+', '\dy', '\dA+', '\dT+ *.*', '\dO', '\dc', '\dC', '\dD *.*',
	'\ddp', '\dconfig', '\dl', '\do', '\dRp', '\drds', '\des', '\dF', '\dL',
	'\d', '\d+', '\dt', '\dt+ *.*', '\dv+ *.*', '\di+ *.*', '\ds+ *.*', '\dm *.*', '\dE *.*', '\df', '\df+ *.*', '\da *.*', '\dp *.*', '\dd *.*', '\dX *.*',
	'\d published.*', '\d+ published.*', '\d+ published_private.*', '\d+ pprepub.*', '\dt+ published.*', '\df+ published.*', '\df+ pprepub.*', '\dv published.*',
	'\sv published.patients', '\sf pprepub.publish', '\z published.*')
{
	works($command);
}
like(works('\d published.patients'), qr/^age\|int4range\|.*^zip\|text\|.*^sex\|text\|.*^disease\|text\|/ms, '\d: the columns of the view, as their kinds print them');
like(works('\dt published.*'), qr/^published\|patients_1\|table\|owner\npublished\|patients_2\|table\|owner\npublished\|patients_releases\|table\|owner$/, '\dt: the releases');
like(works('\det published.*'), qr/^published\|patients_all\|pprepub_releases\npublished\|patients_now\|pprepub$/, '\det: all releases, and the live table');
like(works('\d published.patients_now'), qr/^age\|integer\|.*\nzip\|text\|/m, '\d: its columns');
like(works('\dv published.*'), qr/^published\|patients\|view\|owner$/m, '\dv: the view');
like(works('\df published.*'), qr/^published\|patients\|TABLE\(.*age int4range.*disease text\)\|cohort text DEFAULT NULL.*columns name\[\] DEFAULT NULL/, '\df: the function that answers, with the columns of its rows');
like(works('\df pprepub.publish'), qr/^pprepub\|publish\|pprepub.release\|publication text, cohort text DEFAULT NULL/, '\df: a function');

# ---- information_schema: what may be used ----

my $ours = q{IN ('published', 'published_private', 'hospital')};

shows("SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema $ours ORDER BY 2",
	"published|catalog|VIEW\npublished|patients|VIEW\npublished|patients_1|BASE TABLE\npublished|patients_2|BASE TABLE\npublished|patients_now|FOREIGN", 'information_schema.tables');
shows("SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema $ours AND table_name = 'patients'",
	'class bigint, age int4range, zip text, sex text, disease text', 'information_schema.columns');
shows("SELECT DISTINCT table_schema FROM information_schema.columns WHERE table_schema $ours", 'published', 'of nothing else');
shows("SELECT DISTINCT privilege_type FROM information_schema.role_table_grants WHERE grantee = 'analyst'", 'SELECT', 'information_schema.role_table_grants');
foreach my $view (split /\n/, works(q{SELECT table_name FROM information_schema.views WHERE table_schema = 'information_schema' ORDER BY 1}, 'information_schema.views'))
{
	works("SELECT count(*) FROM (SELECT * FROM information_schema.$view) v", "information_schema.$view");
}
shows(q{SELECT string_agg(p.parameter_name || ' ' || p.data_type, ', ' ORDER BY p.ordinal_position) FROM information_schema.routines r JOIN information_schema.parameters p USING (specific_schema, specific_name)
	WHERE r.routine_schema = 'published' AND r.routine_name = 'patients' AND p.parameter_mode = 'IN'}, 'cohort text, columns ARRAY', 'of the function that answers');
shows(q{SELECT string_agg(p.parameter_name || ' ' || p.data_type, ', ' ORDER BY p.ordinal_position) FROM information_schema.routines r JOIN information_schema.parameters p USING (specific_schema, specific_name)
	WHERE r.routine_schema = 'pprepub' AND r.routine_name = 'unschedule'}, 'publication text', 'information_schema.routines and parameters');

# The functions, one of them found and called as a client does that knows nothing of it.
shows(q{SELECT routine_name, routine_type, data_type, security_type FROM information_schema.routines WHERE routine_schema = 'published' ORDER BY 1},
	"patients|FUNCTION|record|DEFINER\npatients_counts|FUNCTION|record|INVOKER", 'information_schema.routines');
shows(q{SELECT routine_name, grantee, privilege_type FROM information_schema.routine_privileges WHERE routine_schema = 'published' ORDER BY 1},
	"patients|analyst|EXECUTE\npatients_counts|PUBLIC|EXECUTE", 'information_schema.routine_privileges');
shows(q{SELECT string_agg(p.parameter_name || ' ' || p.data_type, ', ' ORDER BY p.ordinal_position) FROM information_schema.routines r JOIN information_schema.parameters p USING (specific_schema, specific_name)
	WHERE r.routine_schema = 'published' AND r.routine_name = 'patients' AND parameter_mode = 'OUT'},
	'class bigint, age int4range, zip text, sex text, disease text', 'information_schema.parameters: the columns of its rows');
my $call = works(q{SELECT format('SELECT count(%I) FROM %I.%I(%s)', max(parameter_name) FILTER (WHERE parameter_name = 'disease'), routine_schema, routine_name,
		string_agg(format('%I => NULL', parameter_name), ', ' ORDER BY ordinal_position) FILTER (WHERE parameter_mode = 'IN'))
	FROM information_schema.routines r JOIN information_schema.parameters p USING (specific_schema, specific_name) WHERE routine_schema = 'published' AND routine_name = 'patients' GROUP BY routine_schema, routine_name}, 'a call is put together');
shows($call, '500', 'and answered');
like(works('\df+ published.patients'), qr/\|volatile\|unsafe\|owner\|definer\|/, '\df+: what it is');
like(works('\sf published.patients'), qr/^CREATE OR REPLACE FUNCTION published\.patients\(cohort text DEFAULT NULL/, '\sf: its text');
foreach my $protocol (qw(simple extended prepared))
{
	my $script = PostgreSQL::Test::Utils::tempdir() . "/$protocol.sql";

	append_to_file($script, "\\set low random(20, 40)\nSELECT age, count(*) FROM published.patients('age > ' || :low::int, '{age}') GROUP BY age;\n");
	$node->command_ok([ 'pgbench', '-U', 'analyst', '-n', '-t', '3', '-M', $protocol, '-f', $script, 'postgres' ], "called in the $protocol protocol");
}

# ---- What graphical clients ask ----

my ($view, $table, $function) = map { "'$_'" } split /\n/,
	$node->safe_psql('postgres', q{SELECT 'published.patients'::regclass::oid; SELECT 'published.patients_1'::regclass::oid; SELECT oid FROM pg_proc WHERE proname = 'publish'});
my $schema = q{(SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'published')};

# Each line names what it stands for; they read the columns, and call the functions, that these clients do.
my @queries = (
	# On connecting, as pgAdmin does
	q{SELECT version(), current_user, session_user, pg_catalog.pg_is_in_recovery(), pg_catalog.pg_backend_pid()},
	q{SELECT r.oid, r.*, pg_catalog.shobj_description(r.oid, 'pg_authid') FROM pg_catalog.pg_roles r WHERE rolname = current_user},
	q{SELECT roles.oid, roles.rolname, roles.rolsuper, roles.rolcreaterole FROM pg_catalog.pg_roles roles WHERE pg_catalog.pg_has_role(oid, 'USAGE')},
	q{SELECT db.oid, db.datname, db.datallowconn, pg_catalog.pg_encoding_to_char(db.encoding), pg_catalog.has_database_privilege(db.oid, 'CREATE'), db.datistemplate
		FROM pg_catalog.pg_database db WHERE db.datname = pg_catalog.current_database()},
	q{SELECT gss_authenticated, encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_catalog.pg_backend_pid()},
	q{SELECT pid, datname, usename, application_name, client_addr, backend_start, xact_start, state, wait_event, pg_catalog.pg_blocking_pids(pid), query FROM pg_catalog.pg_stat_activity},
	q{SELECT pid, locktype, datname, relation::pg_catalog.regclass, mode, granted FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_database d ON l.database = d.oid},
	q{SELECT * FROM pg_catalog.pg_prepared_xacts},
	q{SELECT sum(xact_commit), sum(tup_fetched), sum(blks_hit) FROM pg_catalog.pg_stat_database},
	q{SELECT name, setting, unit, category, short_desc, context, vartype, source, min_val, max_val, enumvals, pending_restart FROM pg_catalog.pg_settings},
	q{SELECT e.oid, e.extname, e.extversion, n.nspname, x.installed_version, x.default_version, x.comment FROM pg_catalog.pg_extension e
		JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace JOIN pg_catalog.pg_available_extensions x ON x.name = e.extname},
	q{SELECT e.oid, e.evtname, e.evtenabled, e.evtowner::pg_catalog.regrole, p.prosrc FROM pg_catalog.pg_event_trigger e JOIN pg_catalog.pg_proc p ON p.oid = e.evtfoid},

	# Its tree: schemas, tables, views, functions
	q{SELECT nsp.oid, nsp.nspname, pg_catalog.has_schema_privilege(nsp.oid, 'CREATE'), pg_catalog.has_schema_privilege(nsp.oid, 'USAGE'), nsp.nspacl, pg_catalog.obj_description(nsp.oid, 'pg_namespace')
		FROM pg_catalog.pg_namespace nsp},
	qq{SELECT c.oid, c.relname, c.relkind, c.relispartition, (SELECT count(*) FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal),
		(SELECT count(*) FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid), d.description
		FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::pg_catalog.regclass WHERE c.relnamespace = $schema},
	qq{SELECT c.oid, c.relname, pg_catalog.pg_get_userbyid(c.relowner), c.reltuples, c.relacl, c.reloptions, am.amname, ts.spcname, tst.reloptions, con.conname, typ.typname,
		pg_catalog.pg_relation_is_updatable(c.oid, true), CASE WHEN c.relkind = 'p' THEN pg_catalog.pg_get_partkeydef(c.oid) END
		FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_am am ON am.oid = c.relam LEFT JOIN pg_catalog.pg_tablespace ts ON ts.oid = c.reltablespace
		LEFT JOIN pg_catalog.pg_class tst ON tst.oid = c.reltoastrelid LEFT JOIN pg_catalog.pg_constraint con ON con.conrelid = c.oid AND con.contype = 'p'
		LEFT JOIN pg_catalog.pg_type typ ON typ.oid = c.reloftype WHERE c.relnamespace = $schema},
	qq{SELECT (pg_catalog.aclexplode(coalesce(c.relacl, pg_catalog.acldefault('r', c.relowner)))).* FROM pg_catalog.pg_class c WHERE c.relnamespace = $schema},
	qq{SELECT att.attname, att.attnum, pg_catalog.format_type(att.atttypid, att.atttypmod), att.attnotnull, pg_catalog.pg_get_expr(def.adbin, def.adrelid), pg_catalog.col_description(att.attrelid, att.attnum),
		ty.typstorage, coll.collname, pg_catalog.pg_get_serial_sequence('published.patients_1', att.attname), att.attacl, att.attoptions, att.attstattarget
		FROM pg_catalog.pg_attribute att JOIN pg_catalog.pg_type ty ON ty.oid = att.atttypid LEFT JOIN pg_catalog.pg_attrdef def ON def.adrelid = att.attrelid AND def.adnum = att.attnum
		LEFT JOIN pg_catalog.pg_collation coll ON coll.oid = att.attcollation WHERE att.attrelid IN ($view, $table) AND att.attnum > 0},
	qq{SELECT t.oid, t.tgname, t.tgenabled, pg_catalog.pg_get_triggerdef(t.oid, true), p.proname, l.lanname, pg_catalog.pg_get_expr(t.tgqual, t.tgrelid)
		FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE t.tgrelid = $table},
	qq{SELECT r.oid, r.rulename, pg_catalog.pg_get_ruledef(r.oid, true) FROM pg_catalog.pg_rewrite r WHERE r.ev_class = $view},
	qq{SELECT pg_catalog.pg_get_viewdef($view\::pg_catalog.oid, true)},
	qq{SELECT i.indexrelid, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true), pg_catalog.pg_get_expr(i.indpred, i.indrelid) FROM pg_catalog.pg_index i WHERE i.indrelid IN ($view, $table)},
	qq{SELECT con.oid, con.conname, pg_catalog.pg_get_constraintdef(con.oid, true) FROM pg_catalog.pg_constraint con WHERE con.conrelid IN ($view, $table)},
	qq{SELECT pol.oid, pol.polname, pg_catalog.pg_get_expr(pol.polqual, pol.polrelid) FROM pg_catalog.pg_policy pol WHERE pol.polrelid = $table},
	qq{SELECT * FROM pg_catalog.pg_statistic_ext WHERE stxrelid = $table},
	qq{SELECT dep.deptype, dep.classid, cl.relkind, pg_catalog.pg_describe_object(dep.classid, dep.objid, dep.objsubid), pg_catalog.pg_identify_object(dep.refclassid, dep.refobjid, dep.refobjsubid)
		FROM pg_catalog.pg_depend dep LEFT JOIN pg_catalog.pg_class cl ON cl.oid = dep.objid WHERE dep.refobjid IN ($view, $table) OR dep.objid IN ($view, $table)},
	qq{SELECT s.*, io.*, pg_catalog.pg_size_pretty(pg_catalog.pg_relation_size(s.relid)), pg_catalog.pg_total_relation_size(s.relid), pg_catalog.pg_table_size(s.relid), pg_catalog.pg_indexes_size(s.relid)
		FROM pg_catalog.pg_stat_all_tables s JOIN pg_catalog.pg_statio_all_tables io USING (relid)},
	q{SELECT attname, null_frac, avg_width, n_distinct, most_common_vals, most_common_freqs, histogram_bounds, correlation FROM pg_catalog.pg_stats WHERE schemaname IN ('published', 'published_private', 'hospital')},
	qq{SELECT p.oid, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid), pg_catalog.pg_get_function_arguments(p.oid), pg_catalog.pg_get_function_result(p.oid), pg_catalog.pg_get_userbyid(p.proowner),
		p.proacl, l.lanname, p.provolatile, p.proparallel, p.prosecdef, p.proconfig, pg_catalog.pg_get_expr(p.proargdefaults, 0), pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
		FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE p.pronamespace = $schema OR p.oid = $function},
	qq{SELECT pg_catalog.pg_get_functiondef($function\::pg_catalog.oid)},
	qq{SELECT c.relname, pg_catalog.has_table_privilege(c.oid, 'SELECT'), pg_catalog.has_table_privilege(c.oid, 'INSERT'), pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
		FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')},

	# Opening a table
	q{SELECT * FROM published.patients LIMIT 100},
	q{SELECT * FROM published.patients_1 ORDER BY 1 LIMIT 1000 OFFSET 10},
	q{SELECT count(*) FROM published.patients_2},
	q{SELECT t.ctid, t.tableoid, t.* FROM published.patients_1 t LIMIT 200},
	q{EXPLAIN SELECT * FROM published.patients},
	q{EXPLAIN SELECT * FROM published.patients('age > 40')},
	q{SELECT * FROM published.patients('age > 40') LIMIT 0},
	q{SELECT a.attname, a.atttypid FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey) WHERE i.indrelid = 'published.patients_1'::pg_catalog.regclass AND i.indisprimary},
	q{BEGIN READ ONLY; DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM published.patients; FETCH 50 FROM rows; CLOSE rows; COMMIT},
	q{COPY (SELECT * FROM published.patients) TO STDOUT (FORMAT csv, HEADER)},

	# DBeaver: whole rows of the catalogs
	q{SELECT current_schema(), session_user, pg_catalog.current_schemas(true)},
	q{SET SESSION extra_float_digits = 3; SET application_name = 'DBeaver'; SHOW search_path; SHOW transaction_isolation},
	q{SELECT db.oid, db.* FROM pg_catalog.pg_database db WHERE datallowconn},
	q{SELECT n.oid, n.*, d.description FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 ORDER BY nspname},
	q{SELECT t.oid, t.*, c.relkind, pg_catalog.format_type(nullif(t.typbasetype, 0), t.typtypmod), d.description FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
		LEFT JOIN pg_catalog.pg_description d ON d.objoid = t.oid WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c')},
	q{SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid), pg_catalog.pg_get_partkeydef(c.oid) FROM pg_catalog.pg_class c
		LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 WHERE c.relkind NOT IN ('i', 'I', 'c')},
	qq{SELECT a.oid_of, a.* FROM (SELECT c.relname, c.oid AS oid_of, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_class c ON c.oid = a.attrelid LEFT JOIN pg_catalog.pg_attrdef ad ON ad.adrelid = a.attrelid AND ad.adnum = a.attnum
		LEFT JOIN pg_catalog.pg_description dsc ON dsc.objoid = c.oid AND dsc.objsubid = a.attnum WHERE NOT a.attisdropped) a},
	q{SELECT c.oid, c.*, t.relname, rt.relnamespace, d.description, pg_catalog.pg_get_constraintdef(c.oid) FROM pg_catalog.pg_constraint c LEFT JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
		LEFT JOIN pg_catalog.pg_class rt ON rt.oid = c.confrelid LEFT JOIN pg_catalog.pg_description d ON d.objoid = c.oid},
	q{SELECT p.oid, p.*, pg_catalog.pg_get_expr(p.proargdefaults, 0), pg_catalog.pg_get_function_sqlbody(p.oid), l.lanname FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_language l ON l.oid = p.prolang
		WHERE p.pronamespace IN (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname IN ('published', 'pprepub'))},
	q{SELECT x.oid, x.*, p.nspname, t.relname FROM pg_catalog.pg_trigger x JOIN pg_catalog.pg_class t ON t.oid = x.tgrelid JOIN pg_catalog.pg_namespace p ON p.oid = t.relnamespace WHERE NOT x.tgisinternal},
	q{SELECT a.oid, a.*, pd.description FROM pg_catalog.pg_roles a LEFT JOIN pg_catalog.pg_shdescription pd ON pd.objoid = a.oid},
	q{SELECT i.*, c.relname, pg_catalog.pg_get_indexdef(i.indexrelid) FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid},
	q{SELECT s.schemaname, s.sequencename, s.last_value FROM pg_catalog.pg_sequences s},
	q{SELECT c.oid, pg_catalog.pg_total_relation_size(c.oid), pg_catalog.pg_relation_size(c.oid) FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'm', 'p')},
	q{SELECT word, catcode, catdesc FROM pg_catalog.pg_get_keywords()},

	# And as drivers do for them (JDBC's metadata)
	q{SELECT NULL AS table_cat, n.nspname, c.relname, c.relkind, d.description FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d
		ON c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::pg_catalog.regclass WHERE c.relnamespace = n.oid AND n.nspname LIKE 'published' AND c.relname LIKE '%'},
	q{SELECT n.nspname, p.proname, p.prorettype, t.typtype, t.typrelid, p.proargnames, p.proargmodes, p.proallargtypes, p.proargtypes, p.oid FROM pg_catalog.pg_proc p, pg_catalog.pg_namespace n, pg_catalog.pg_type t
		WHERE p.pronamespace = n.oid AND p.prorettype = t.oid},
	q{SELECT n.nspname, c.relname, u.rolname, c.relacl, a.attacl, a.attname FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c, pg_catalog.pg_roles u, pg_catalog.pg_attribute a
		WHERE c.relnamespace = n.oid AND c.relowner = u.oid AND c.oid = a.attrelid AND a.attnum > 0 AND NOT a.attisdropped},
	q{SELECT (information_schema._pg_expandarray(i.indkey)).n, i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid = 'published.patients_1'::pg_catalog.regclass},
);
works($_, (split /\n/)[0]) foreach @queries;

# ---- And what none of that opens ----

shows(q{SELECT count(*) FROM pg_catalog.pg_stats WHERE schemaname IN ('published_private', 'hospital', 'pprepub', 'pprepub_internal')}, '0', 'no statistics of what is not released');
foreach my $sql ('SELECT * FROM hospital.patients', 'SELECT * FROM published_private.patients_members', 'SELECT * FROM published_private.patients_source',
	'TABLE pprepub_internal.catalog_release', q{SELECT 'published_private.patients_members'::regclass})
{
	my ($status, $out, $error) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ]);

	ok($status != 0 && $error =~ /permission denied/, "refused: $sql") or diag($error);
}
foreach my $name (split /\n/, works(q{SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relnamespace = 'pprepub'::pg_catalog.regnamespace AND c.relkind = 'v'
	AND pg_catalog.has_table_privilege(c.oid, 'SELECT')}, 'the views of pprepub'))
{
	shows("SELECT count(*) FROM pprepub.$name" . ($name eq 'catalog' ? q{ WHERE target <> 'published'} : ''), '0', "pprepub.$name: nothing");
}

$node->stop;
done_testing();
