# monitoring/: a role without rights on tables gets the figures that the collector exports; dashboard and alerts ask for these, by labels that they have.
use CPAN::Meta::YAML;
use Hospital;
use JSON::PP;

my ($collector, $rules) = map { CPAN::Meta::YAML->read("monitoring/pprepub.$_.yml")->[0] } qw(collector rules);
my $dashboard = decode_json(slurp_file('monitoring/pprepub.dashboard.json'));
my %query = map { $_->{query_name} => $_->{query} } @{ $collector->{queries} };
my %metric = map { $_->{metric_name} => $_ } @{ $collector->{metrics} };
is(join(' ', sort keys %{ { map { %$_ } $collector, @{ $collector->{metrics} }, @{ $collector->{queries} } } }),
	'collector_name help key_labels metric_name metrics min_interval queries query query_name query_ref type values', 'the exporter refuses other words');

# ---- A hospital ----

my $node = new_server('monitoring', conf => 'max_prepared_transactions = 2');
my $has_cron = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_cron'});
if ($has_cron)
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.use_background_workers = on");
	$node->restart;
	$node->safe_psql('postgres', 'CREATE EXTENSION pg_cron; CREATE ROLE owner LOGIN; GRANT USAGE ON SCHEMA cron TO owner');
}
make_patients($node, 'postgres', 500);
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE analyst LOGIN; CREATE ROLE exporter LOGIN; CREATE ROLE stranger LOGIN; SET ROLE owner;
CREATE FUNCTION hospital.look(id int) RETURNS int LANGUAGE plpgsql AS 'BEGIN IF id = 250 THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; RETURN id; END';
CREATE VIEW hospital.view AS SELECT hospital.look(id) AS id, age, zip, sex, disease FROM hospital.patients;
SQL
declare_patients($node, 'postgres', 'patients', 'hospital.patients');
declare_patients($node, 'postgres', 'view', 'hospital.view', 'patients');
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner;
SELECT pprepub.alter_publication('view', '{"noise_budget": {"total": 2, "per_role": 2, "per_question": 2}}'), pprepub.publish('patients'), pprepub.publish('view');
SELECT FROM published.view_noisy('{}', epsilon => 0.5);
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients_now, published.view_now TO analyst;
SQL
$node->safe_psql('postgres', q{SET ROLE owner; SELECT pprepub.schedule('patients', '0 3 * * *')}) if $has_cron;
as_role($node, 'analyst', 'SELECT count(*) FROM published.patients_now') foreach 1 .. 4;
# No figure is another one's.
$node->safe_psql('postgres', <<'SQL');
SET ROLE owner; SELECT pprepub.publish('patients'); RESET ROLE;
UPDATE pprepub_internal.catalog_release r SET suppressed = 10, counterfeits = 30, stale = 47, starves = true, warnings = '{a,b,c,d,e}', published_at = now() - interval '1 hour'
	FROM pprepub_internal.catalog_publication p WHERE p.name = 'patients' AND r.publication = p.publication AND kind = 'stored' AND number = p.releases;
UPDATE pprepub_internal.catalog_release SET published_at = now() - interval '4 days' WHERE number <= 2;
SQL
my $holder = $node->background_psql('postgres');
$holder->query_safe('SELECT pg_advisory_lock(1)');
my @waiting = map { start_sql($node, 'postgres', 'SET ROLE owner', q{SELECT pprepub.preview('view')}) } 1 .. 2;
$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'nobody waits';

# ---- For whom ----

my @figures = ('psql', '-Xq', '-v', 'exporter=exporter', '-f', 'monitoring/figures.sql', '-d', $node->connstr('postgres'));
$node->safe_psql('postgres', 'GRANT CREATE ON DATABASE postgres TO stranger');
as_role($node, 'stranger', q{CREATE SCHEMA pprepub_monitoring; GRANT ALL ON SCHEMA pprepub_monitoring TO PUBLIC;
	CREATE FUNCTION pprepub_monitoring.loss_percent(text, int) RETURNS float8 LANGUAGE sql AS 'SELECT 0.0'});
$node->command_fails([@figures], 'a superuser makes no functions in a schema of somebody else');
is($node->safe_psql('postgres', q{SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'pprepub_monitoring'::regnamespace}), '', 'which would call its functions');
$node->safe_psql('postgres', 'DROP SCHEMA pprepub_monitoring CASCADE');
$figures[-1] .= ' user=owner';
$node->command_ok([@figures], 'the owner makes the functions');
is($node->safe_psql('postgres', q{SELECT string_agg(c.oid::regclass::text, ' ') FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
	WHERE nspname ~ '^(hospital|published)' AND relkind IN ('r', 'v', 'f') AND has_schema_privilege('exporter', n.oid, 'USAGE') AND has_any_column_privilege('exporter', c.oid, 'SELECT')}), '', 'the exporter reads no table');
is(as_role($node, 'exporter', 'SELECT (SELECT count(*) FROM pprepub.health), (SELECT count(*) FROM pprepub.progress), count(*) FROM pprepub_monitoring.publications()'), '0|0|2', 'but gets figures');
fails_with($node, 'postgres', 42501, "SET ROLE $_->[0]; SELECT pprepub_monitoring.$_->[1]", "$_->[0] does not call $_->[1]")
	foreach [ 'exporter', q{loss_percent('patients', 1)} ], map { [ 'stranger', $_ ] } 'publications()', 'commands()';

# ---- What is exported ----

# As sql_exporter makes samples: one for each row, but where the value is NULL.
sub samples
{
	my %sample;
	foreach my $name (sort keys %metric)
	{
		my $labels = join q{ || ',' || }, map { qq{'$_=' || "$_"} } @{ $metric{$name}{key_labels} // [] };
		my $value = qq{"$metric{$name}{values}[0]"};

		foreach (split /\n/, as_role($node, 'exporter', sprintf "SELECT %s, ${value}::float8 FROM (%s) q WHERE $value IS NOT NULL", $labels || "''", $query{ $metric{$name}{query_ref} }))
		{
			my ($label, $number) = split /\|/;
			is($sample{"$name\{$label}"}, undef, "$name\{$label} is one sample");
			$sample{"$name\{$label}"} = $number;
		}
	}
	return \%sample;
}

my $before = samples();
my ($bytes, $history, $each_day) = map { $before->{"pprepub_${_}{publication=patients}"} } qw(bytes history_bytes bytes_per_day);
ok($history < $bytes && abs($bytes / $each_day - 4) < 0.1, 'bytes') or diag("$history $bytes $each_day");
is(join(' ', grep { $metric{$_}{query_ref} eq 'publications' && $_ ne "pprepub_$metric{$_}{values}[0]" } sort keys %metric), '', 'metrics are called as their columns');
$holder->query_safe('SELECT pg_advisory_unlock(1); BEGIN; LOCK TABLE published.patients_6');
finish_sql($_) foreach @waiting;
my $audit = start_sql($node, 'postgres', 'SET ROLE owner', q{SELECT pprepub.audit('patients')});
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'relation' AND NOT granted}) or die 'nobody waits';
is(as_role($node, 'exporter', 'SELECT publication, command, phase, round(percent::numeric, 2) FROM pprepub_monitoring.commands()'), 'patients|audit|check releases|16.67', 'a share is told');
$holder->quit;
finish_sql($audit);
$node->safe_psql('postgres', q{SET ROLE owner; CREATE OR REPLACE FUNCTION hospital.look(id int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1 / (id - 250); END'});
as_role($node, 'analyst', 'SELECT count(*) FROM published.view_now');
$node->safe_psql('postgres', q{ALTER VIEW hospital.view OWNER TO stranger; BEGIN; CREATE TABLE public.t (); PREPARE TRANSACTION 'pprepub publish view 1 1'});
my $after = samples();
my ($patients, $view) = ('publication=patients', 'publication=view');
foreach my $case (
	[ $before, "release_age_seconds{$patients}", 3600, 4200 ], [ $before, "rows{$patients}", 500 ], [ $before, "loss_percent{$patients}", 11, 60 ], [ $before, "withheld_percent{$patients}", 2, 2.1 ],
	[ $before, "invented_percent{$patients}", 6 ], [ $before, "stale_percent{$patients}", 10 ], [ $before, "starving{$patients}", 1 ], [ $before, "warnings{$patients}", 5 ],
	[ $before, "releases{$patients}", 2 ], [ $before, "answers{$patients}", 4 ], [ $before, "answers_last_day{$patients}", 3 ], [ $before, "failed_answers_last_day{$patients}", 0 ],
	[ $before, "bytes{$patients}", 1e4, 1e7 ], [ $before, "history_bytes{$patients}", 1e4, 1e7 ], [ $before, "bytes_per_day{$patients}", 1e4, 1e7 ], [ $before, "noise_spent_percent{$view}", 25 ],
	[ $before, "noise_spent_percent{$patients}", undef ], [ $before, "schedule{$patients,state=waiting}", $has_cron ? 1 : undef ], [ $before, "refused{$view,reason=owner}", undef ],
	[ $before, "command_seconds{$view,command=preview,phase=read source}", 0, 600 ], [ $after, "command_seconds{$view,command=preview,phase=read source}", undef ],
	[ $before, 'shards_in_doubt{}', 0 ], [ $before, 'shards_in_doubt_seconds{}', 0 ], [ $after, 'shards_in_doubt{}', 1 ], [ $after, 'shards_in_doubt_seconds{}', 0, 600 ],
	[ $after, "refused{$view,reason=owner}", 1 ], [ $after, "answers{$view}", 1 ], [ $after, "failed_answers_last_day{$view}", 1 ], [ $after, "failed_answers_last_day{$patients}", 0 ],
	[ $after, "rows{$view}", 500 ], [ $after, "loss_percent{$view}", undef ])
{
	my ($samples, $name, $least, $most) = @$case;
	my $is = $samples->{"pprepub_$name"};
	ok(defined $least ? defined $is && $is >= $least && $is <= ($most // $least) : !defined $is, "pprepub_$name") or diag($is // 'none');
}
my %exported = map { s/\{.*//r => 1 } keys %$before, keys %$after;
is(join(' ', grep { !$exported{$_} } sort keys %metric), join(' ', 'pprepub_command_percent', $has_cron ? () : 'pprepub_schedule'), 'others are exported');

# Functions that stay would call what somebody else puts in the place of the extension.
is($node->safe_psql('postgres', q{ROLLBACK PREPARED 'pprepub publish view 1 1'; SET lock_timeout = '30s'; BEGIN; DROP EXTENSION pprepub CASCADE; SELECT count(*) FROM pg_proc WHERE pronamespace = 'pprepub_monitoring'::regnamespace; ROLLBACK}), '0', 'functions go with the extension');

# ---- Who asks for them ----

# Metrics and labels of an expression and its legend that the collector does not give.
sub unknown
{
	my ($expression, @legend) = @_;
	my @unknown = grep { !$metric{$_} } $expression =~ /\b(pprepub_\w+)/g;
	foreach my $name (grep { $metric{$_} } $expression =~ /\b(pprepub_\w+)/g)
	{
		my %has = map { $_ => 1 } @{ $metric{$name}{key_labels} // [] };
		push @unknown, map { "$name\{$_}" } grep { !$has{$_} } $expression =~ /[{,]\s*(\w+)\s*[=!]/g, map { /(?:\{\{|\$labels\.)\s*(\w+)/g } @legend;
	}
	return join ' ', $expression =~ /pprepub_/ ? @unknown : 'nothing';
}

is(unknown(@{$_}[ 1 .. $#$_ ]), $_->[0], "a fault is seen: $_->[0]")
	foreach [ 'pprepub_row', 'pprepub_row > 1' ], [ 'pprepub_rows{cohort}', 'pprepub_rows{cohort="x"}' ], [ 'pprepub_rows{state}', 'pprepub_rows', '{{state}}' ], [ 'pprepub_rows{reason}', 'pprepub_rows', '{{ $labels.reason }}' ], [ 'nothing', 'up' ];
my %asked;
foreach my $asks ((map { { %$_, said => [ values %{ $_->{annotations} } ], name => $_->{alert} } } @{ $rules->{groups}[0]{rules} }),
	map { my $panel = $_; map { { %$_, said => [ $_->{legendFormat} ], name => $panel->{title} } } @{ $panel->{targets} } } @{ $dashboard->{panels} })
{
	is(unknown($asks->{expr}, @{ $asks->{said} }), '', "$asks->{name}: $asks->{expr}");
	$asked{$_} = 1 foreach $asks->{expr} =~ /\b(pprepub_\w+)/g;
}
is(join(' ', grep { !$asked{$_} } sort keys %metric), '', 'all are asked for');
done_testing();
